//! Tests every column of the table, so a new one is covered automatically.

use std::collections::BTreeMap;

use super::super::ast::Field;
use super::super::lang::complete::{Completion, complete};
use super::super::names::catalog::CatalogColumn;
use super::super::{depends_on_remarks, reveals_labels};
use super::{canonical, catalog, read};
use crate::table::{ColumnKind, ColumnSource, Reveals};

#[test]
fn a_column_can_be_asked_for_sorted_by_completed_and_explained() {
    let catalog = catalog();
    let explained = catalog.fields();
    for CatalogColumn { def, spelled, .. } in catalog.columns() {
        assert_eq!(Field::of(def.id).spelled(&catalog).to_string(), *spelled);
        let column = Field::named(spelled, &catalog);
        let expected = match def.kind {
            ColumnKind::Label | ColumnKind::Score | ColumnKind::Count => true,
            ColumnKind::Word => {
                assert_eq!(column, Ok(Field::of(def.id)));
                true
            }
            // Lists of words cannot be sorted by.
            ColumnKind::Words => false,
            ColumnKind::Flag => continue,
        };
        assert_eq!(
            canonical(&format!("{spelled}=none")),
            format!("{spelled}=none")
        );
        let spelled_back = column.map(|column| column.spelled(&catalog).to_string());
        assert_eq!(spelled_back.is_ok(), expected, "{spelled}");
        assert!(spelled_back.is_err() || spelled_back == Ok(spelled.clone()));
        let offered = complete(
            spelled,
            spelled.len(),
            &catalog,
            &|_| Vec::new(),
            &BTreeMap::new(),
        );
        let is_offered = offered.items.iter().any(|item| item.text == *spelled);
        assert!(is_offered, "{spelled}");
        let help = explained.iter().find(|field| field.name == *spelled);
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
        .filter(|column| column.def.kind == ColumnKind::Flag);
    for CatalogColumn { def, spelled, .. } in flags {
        assert_eq!(canonical(spelled), *spelled);
        let query = read(spelled).expect("a flag");
        assert_eq!(
            reveals_labels(&query, &catalog),
            def.id.reveals == Reveals::Label,
            "{spelled}"
        );
        let is_review = matches!(def.id.source, ColumnSource::Review(_));
        assert_eq!(depends_on_remarks(&query), is_review, "{spelled}");
        let (key, word) = spelled.split_once(':').expect("a key");
        let key = format!("{key}:");
        let offered = complete(&key, key.len(), &catalog, &|_| Vec::new(), &BTreeMap::new());
        let is_offered = |item: &Completion| item.text == word && item.note == def.about;
        assert!(offered.items.iter().any(is_offered), "{spelled}");
        assert!(
            help.contains(&(spelled.clone(), def.about.clone())),
            "{spelled}"
        );
        let message = read(&format!("{key}elsewise"))
            .expect_err("no flag")
            .message;
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn a_word_that_can_be_few_things_is_offered_explained_and_checked_as_those() {
    let catalog = catalog();
    let fixed: Vec<_> = catalog
        .columns()
        .filter_map(|column| Some((&column.spelled, catalog.fixed_words(column.def.id)?)))
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
            let is_reported = |item: &Completion| item.text == *word && item.note == *about;
            assert!(offered.items.iter().any(is_reported), "{spelled}={word}");
        }
        let error = read(&format!("{spelled}=elsewise"))
            .expect_err("no such word")
            .message;
        let listed = words.iter().all(|(word, _)| error.contains(word));
        assert!(listed && error.contains(spelled), "{error}");
    }
}
