//! What every described column can do, whichever it is: one that is added is tested at once.

use std::collections::BTreeMap;

use super::super::column_ref::ColumnRef;
use super::super::complete::{Completion, complete};
use super::super::reveals::{depends_on_remarks, reveals_labels};
use super::{canonical, catalog, read};
use crate::table::{ColumnKind, ColumnSource, Reveals};

#[test]
fn a_column_can_be_asked_for_sorted_by_completed_and_explained() {
    let catalog = catalog();
    let explained = catalog.fields();
    for (name, spelled, def) in catalog.columns() {
        assert_eq!(name.spelled(&catalog).to_string(), spelled);
        assert_eq!(name.level(), def.level, "{spelled}");
        let column = ColumnRef::named(spelled, &catalog);
        let expected = match def.kind {
            ColumnKind::Label | ColumnKind::Score | ColumnKind::Count => true,
            ColumnKind::Word => {
                assert_eq!(column, Ok(Some(ColumnRef::Word(name))));
                true
            }
            // Nothing can be put in order by any number of words.
            ColumnKind::Words => false,
            ColumnKind::Flag => continue,
        };
        assert_eq!(
            canonical(&format!("{spelled}=none")),
            format!("{spelled}=none")
        );
        let spelled_back = column.map(|column| column.map(|column| column.spelled(&catalog)));
        assert_eq!(spelled_back.is_ok(), expected, "{spelled}");
        assert!(spelled_back.is_err() || spelled_back == Ok(Some(spelled.to_owned())));
        let offered = complete(
            spelled,
            spelled.len(),
            &catalog,
            &|_| Vec::new(),
            &BTreeMap::new(),
        );
        let is_offered = offered.items.iter().any(|item| item.text == spelled);
        assert!(is_offered, "{spelled}");
        let help = explained.iter().find(|field| field.name == spelled);
        assert!(
            help.is_some_and(|help| help.about == def.about),
            "{spelled}"
        );
    }
}

#[test]
fn a_flag_can_be_asked_for_completed_and_explained_and_tells_what_its_row_says() {
    let catalog = catalog();
    let help: Vec<_> = catalog
        .help()
        .into_iter()
        .flat_map(|section| section.entries)
        .collect();
    let flags = catalog
        .columns()
        .filter(|(.., def)| def.kind == ColumnKind::Flag);
    for (_, spelled, def) in flags {
        assert_eq!(canonical(spelled), spelled);
        let query = read(spelled).expect("a flag");
        assert_eq!(
            reveals_labels(&query),
            def.reveals == Reveals::Label,
            "{spelled}"
        );
        let is_review = matches!(def.source, ColumnSource::Review(_));
        assert_eq!(depends_on_remarks(&query), is_review, "{spelled}");
        let offered = complete("is:", 3, &catalog, &|_| Vec::new(), &BTreeMap::new());
        let is_offered =
            |item: &Completion| format!("is:{}", item.text) == spelled && item.note == def.about;
        assert!(offered.items.iter().any(is_offered), "{spelled}");
        assert!(
            help.contains(&(spelled.to_owned(), def.about.to_string())),
            "{spelled}"
        );
        let message = read("is:elsewise").expect_err("no flag").message;
        assert!(message.contains(&spelled[3..]), "{message}");
    }
}

#[test]
fn a_word_that_can_be_few_things_is_offered_explained_and_checked_as_those() {
    let catalog = catalog();
    let fixed: Vec<_> = catalog
        .columns()
        .filter_map(|(name, spelled, _)| Some((spelled, catalog.fixed_words(&name)?)))
        .collect();
    assert!(fixed.iter().any(|(spelled, _)| *spelled == "verdict"));
    for (spelled, words) in fixed {
        let typed = format!("{spelled}=");
        let offered = complete(
            &typed,
            typed.len(),
            &catalog,
            &|_| Vec::new(),
            &BTreeMap::new(),
        );
        for (word, about) in &words {
            assert!(read(&format!("{spelled}={word}")).is_ok());
            let is_told = |item: &Completion| item.text == *word && item.note == *about;
            assert!(offered.items.iter().any(is_told), "{spelled}={word}");
        }
        let error = read(&format!("{spelled}=elsewise"))
            .expect_err("no such word")
            .message;
        let listed = words.iter().all(|(word, _)| error.contains(word));
        assert!(listed && error.contains(spelled), "{error}");
    }
}
