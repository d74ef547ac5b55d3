//! Needles as people type them, with the sample that they want first.

use super::*;

/// The demo's files, the second behind the first.
fn demo() -> Dataset {
    let files = [
        include_str!("../../../assets/demo/helpsteer2.jsonl").to_owned(),
        include_str!("../../../assets/demo/webgpt.jsonl").to_owned(),
    ];
    dataset(&files)
}

/// How the prompt of a sample begins.
fn beginning(dataset: &Dataset, sample: u32) -> String {
    let mut prompt = None;
    dataset.sweep(sample as usize..sample as usize + 1, &|_| true, &mut |_, rows| {
        rows.texts(&mut String::new(), &mut |_, text| {
            prompt.get_or_insert_with(|| text.to_owned());
        });
    });
    prompt.unwrap_or_default()
}

#[test]
fn what_a_person_wants_comes_first() {
    let demo = demo();
    let mut wrong = Vec::new();
    for (needle, wanted) in [
        // Typed as it is.
        ("storm", "I counted five seconds"),
        ("sourdough", "What can I do with a jar"),
        ("onions", "Why do onions make you cry"),
        // Letters left out, doubled ones forgotten, neighbours swapped.
        ("immne vccine", "How do vaccines teach"),
        ("headphnes", "ELI5: how do noise-cancelling"),
        ("mosqito", "Why do mosquito bites"),
        ("itnerview", "I have an interview"),
        ("libson", "We have three days in Lisbon"),
        ("sumbarine", "How does a submarine crew"),
        ("sldiers salt", "Were Roman soldiers"),
        ("icebrkr", "One good icebreaker"),
        // Beginnings, as one types.
        ("popc", "Why does popcorn pop"),
        ("wrink", "Why do fingers get wrinkly"),
        ("celsi", "What is 350 °F in Celsius"),
        // Several words, in any order.
        ("train poem", "Write a poem of eight lines"),
        ("watch mechanical", "Explain how a mechanical watch"),
        ("colleague meeting", "I snapped at a colleague"),
        ("leap yaers", "Why do we have leap years"),
        // Operators.
        ("\"night sky\"", "Why is the night sky dark"),
        ("'moons planet", "Which planet in the Solar System"),
        ("^purr", "Why do cats purr"),
        ("second largest !train", "Write a Python function"),
        ("/0\\.9{3}/", "Is 0.999"),
        // Accents, and scripts of others.
        ("creme brulee", "How do I get a really crackling"),
        ("deja vu", "What is déjà vu"),
        ("通货膨胀", "请用三句话解释"),
        ("お礼", "ホームステイで"),
        ("चाय", "दो कप मसाला चाय"),
        ("العجلة", "Translate into Arabic"),
        ("gallon", "{\"prompt\": \"How many cups"),
    ] {
        let first = ranked(needle, &demo).first().map(|&sample| beginning(&demo, sample));
        if !first.as_deref().is_some_and(|first| first.starts_with(wanted)) {
            wrong.push((needle, first.map(|first| first.chars().take(40).collect::<String>())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
