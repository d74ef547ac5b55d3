//! What exports say of reviewers' acts in a blind audit.

use super::*;
use crate::journal::Note;
use crate::model::ResponseOrder;

/// One pair, of which the dataset says that B wins.
fn data() -> Dataset {
    let rows = [row("p", "one", 1), row("p", "two", 4)];
    dataset(&[rows.join("\n")])
}

fn note_in(order: Option<ResponseOrder>) -> Act {
    Act::Note {
        text: "A is better".into(),
        order,
    }
}

#[test]
fn a_note_says_what_its_letters_are_in_the_file() {
    let data = data();
    let file = ResponseOrder::OF_FILE;
    for (order, letters, swapped) in [
        (Some(file.reversed(2)), " (its A is B here)", json!(true)),
        (Some(file), "", json!(false)),
        (None, "", json!(null)),
    ] {
        let mut acts = Acts::default();
        acts.act("ann", Some((&data, 0)), note_in(order));
        let text = |format| exported(&data, &all(&data), &acts.ledger, format).1;
        let page = text(Format::Markdown);
        let note = format!("Note of ann{letters}:\n\n> A is better\n");
        assert!(page.contains(&note), "{page}");
        let cell = &table(&text(Format::Csv))[0]["notes"];
        assert_eq!(*cell, format!("ann{letters}: A is better"));
        let reviewed = text(Format::Reviewed);
        let row: Value =
            serde_json::from_str(reviewed.lines().next().expect("a row")).expect("JSON");
        assert_eq!(row["review"]["notes"][0]["swapped"], swapped);
    }
}

#[test]
fn letters_of_a_note_are_those_of_its_order_by_those_here() {
    let order = |word| ResponseOrder::of_word(word).expect("an order");
    for (written, here, responses, says) in [
        ("ba", "", 2, Some("its A is B here")),
        ("ba", "ba", 2, None),
        ("", "ba", 2, Some("its A is B here")),
        ("ba", "", 1, None),
        ("cab", "", 3, Some("its A, B, C are C, A, B here")),
        ("cab", "bca", 3, Some("its A, B, C are B, C, A here")),
    ] {
        let note = Note {
            reviewer: "ann".into(),
            text: "A".into(),
            order: Some(order(written)),
        };
        let letters = note_letters(&note, order(here), responses);
        assert_eq!(letters.as_deref(), says, "{written} {here}");
    }
}
