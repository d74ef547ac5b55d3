//! The difference from another version of the data.

use super::filtering::enter;
use super::*;

/// Opens the difference from a version whose rows are those of the data but for one value.
fn compared(app: &mut App, folder: &tempfile::TempDir, name: &str) -> String {
    let text =
        String::from_utf8_lossy(rows(6, 1)).replacen("\"helpfulness\": 3", "\"helpfulness\": 1", 1);
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    enter(app, Action::Command, &format!("diff {}", path.display()));
    fetch(app);
    let page = app.views.page_of::<DifferencePage>().expect("a page");
    let sections = page.doc.text.sections();
    sections
        .iter()
        .map(|section| section.block.text().to_owned())
        .collect()
}

#[test]
fn a_version_is_compared_and_its_samples_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut app = loaded(WIDE, 6, 1);
    let text = compared(&mut app, &folder, "old.jsonl");
    assert!(text.contains("relabelled        1"), "{text}");
    assert!(text.contains("A helpfulness  1     3"), "{text}");
    play(&mut app, &[Action::Zoom]);
    let filter = app.filter.active().map(|active| active.text.clone());
    assert_eq!(filter.as_deref(), Some("sample=3"));
    assert_eq!(app.shown().len(), 1);
    play(&mut app, &[Action::Cancel]);
    assert!(app.views.page_of::<DifferencePage>().is_some());
}

#[test]
fn a_version_that_cannot_be_read_says_why() {
    let mut app = loaded(WIDE, 6, 1);
    enter(&mut app, Action::Command, "diff no/such/file");
    fetch(&mut app);
    let page = app.views.page_of::<DifferencePage>().expect("a page");
    let text = page.doc.text.sections()[0].block.text();
    assert!(
        text.starts_with("The other version cannot be read: "),
        "{text}"
    );
    assert!(text.contains("no/such/file"), "{text}");
}

#[test]
fn versions_are_not_compared_while_labels_are_hidden() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut app = loaded(WIDE, 6, 1);
    enter(&mut app, Action::Command, "blind");
    enter(&mut app, Action::Command, "diff no/such/file");
    assert!(app.views.page_of::<DifferencePage>().is_none());
    // A page that is open shows nothing once labels are hidden.
    let mut app = loaded(WIDE, 6, 1);
    compared(&mut app, &folder, "old.jsonl");
    app.toggle_blind();
    fetch(&mut app);
    let doc = app
        .views
        .page_of::<DifferencePage>()
        .map(|page| page.doc.lines);
    assert!(doc.is_none_or(|lines| lines == 0), "{doc:?}");
}
