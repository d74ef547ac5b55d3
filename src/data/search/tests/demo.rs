//! Typical needles, with the sample that should rank first.

use super::*;
use crate::schema::TextKinds;

/// Returns the demo's files as one dataset.
fn demo() -> Dataset {
    let files = [
        include_str!("../../assets/demo/helpsteer2.jsonl").to_owned(),
        include_str!("../../assets/demo/webgpt.jsonl").to_owned(),
    ];
    dataset(&files)
}

/// Returns the beginning of a sample's prompt.
fn beginning(dataset: &Dataset, sample: u32) -> String {
    let mut prompt = None;
    dataset.for_each_sample(
        sample as usize..sample as usize + 1,
        &|_| true,
        &mut |_, rows| {
            rows.for_each_text(TextKinds::all(), &mut String::new(), &mut |_, text| {
                prompt.get_or_insert_with(|| text.to_owned());
            });
        },
    );
    prompt.unwrap_or_default()
}

#[test]
fn what_a_person_wants_comes_first() {
    let demo = demo();
    let mut wrong = Vec::new();
    for (needle, expected) in [
        // Missing letters, missing doubled letters, swapped neighbours, in the first word, the
        // last, or each.
        ("immne vccine", "How do vaccines teach"),
        ("headphnes", "ELI5: how do noise-cancelling"),
        ("mosqutio itch", "Why do mosquito bites"),
        ("interveiw", "I have an interview"),
        ("libson museum", "We have three days in Lisbon"),
        ("sbumarine air", "How does a submarine crew"),
        ("sldiers salt", "Were Roman soldiers"),
        ("mechanicl wtch", "Explain how a mechanical watch"),
        ("sourdugh pancks", "What can I do with a jar"),
        ("wdding crad", "I can't go to my cousin's wedding"),
        ("bred stale", "Why does bread go stale"),
        ("delte 30 days", "What's the command to delete"),
        ("stubbron", "Give me three synonyms"),
        ("icebrkr", "One good icebreaker"),
        // Beginnings, as while typing: the word before longer ones, whole words before parts.
        ("wrink", "Why do fingers get wrinkly"),
        ("moon", "Which planet in the Solar System"),
        ("cat", "Why do cats purr"),
        ("song", "Why do songs get stuck"),
        ("hat", "Why did men stop wearing hats"),
        ("rust", "Why doesn't this compile"),
        ("bre stale", "Why does bread go stale"),
        // Common words: the sample about them before those that mention them.
        ("train", "Write a poem of eight lines"),
        ("phone", "My sister changed the passcode"),
        ("library", "Summarise this in one sentence"),
        ("vanilla", "Why do old books smell"),
        // Words near each other before the same words far apart, in any order.
        ("right to left", "Why is Arabic written"),
        ("head song", "Why do songs get stuck"),
        ("print money", "[removed]"),
        ("let mut", "Why doesn't this compile"),
        ("not in", "PostgreSQL: list all customers"),
        ("last train", "Write a poem of eight lines"),
        // Operators.
        ("^nois cancl", "ELI5: how do noise-cancelling"),
        ("ling$ cancel", "ELI5: how do noise-cancelling"),
        ("drive left !arabic", "Why do some countries drive"),
        ("phone !sister !rent", "Why do phone batteries die"),
        ("!purr 'sky night !train", "Why is the night sky dark"),
        ("\"stuck in your head\"", "Why do songs get stuck"),
        ("'jupiter 79", "Which planet in the Solar System"),
        ("/0\\.9{3}/", "Is 0.999"),
        ("/\\b\\d+ km.h\\b/ average", "I cycle to work"),
        ("second_largest", "Write a Python function"),
        ("println!", "Why doesn't this compile"),
        // Markdown is part of the text; blanks and quotes may differ.
        (
            "\"spring** is the strong one\"",
            "Explain how a mechanical watch",
        ),
        ("\"*headstrong* and *mulish\"", "Give me three synonyms"),
        (
            "\"you don't *need* to, but\"",
            "I can't go to my cousin's wedding",
        ),
        ("support@example.org", "A stranger mailed me"),
        ("0.999...", "Is 0.999"),
        // Accents and other scripts.
        ("creme brulee", "How do I get a really crackling"),
        ("brûlée", "How do I get a really crackling"),
        ("deja vu", "What is déjà vu"),
        ("graca", "We have three days in Lisbon"),
        ("ευχαριστω", "Make a table of how"),
        ("通货膨胀 冰棍", "请用三句话解释"),
        ("お礼", "ホームステイで"),
        ("ありがとう table", "Make a table of how"),
        ("चाय मसाला", "दो कप मसाला चाय"),
        ("العجلة", "Translate into Arabic"),
        // A row that is not JSON is found by its raw line.
        ("gallon", "{\"prompt\": \"How many cups"),
    ] {
        let first = ranked(needle, &demo)
            .first()
            .map(|&sample| beginning(&demo, sample));
        if !first
            .as_deref()
            .is_some_and(|first| first.starts_with(expected))
        {
            wrong.push((
                needle,
                first.map(|first| first.chars().take(40).collect::<String>()),
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
