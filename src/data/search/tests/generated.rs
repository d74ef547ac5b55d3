//! Random texts and needles: the index agrees with reading, and highlights are whole graphemes.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::text::graphemes;

/// Similar words, and separators.
const WORDS: [&str; 38] = [
    "tea",
    "Tea",
    "team",
    "steam",
    "teams",
    "eta",
    "scheduler",
    "schdlr",
    "École",
    "ecole",
    "e\u{301}cole",
    "ze\u{200b}ro",
    "zero",
    "漢字",
    "字",
    "한국어",
    "don't",
    "c++",
    "ไทย",
    "straße",
    "strasse",
    "が",
    "**tea**",
    "`zero`",
    "*(team)*",
    "ﬁle",
    "ｔｅａ",
    "⑴①½",
    "ｶﾞ",
    "นำ",
    "shceduler",
    "scheduled",
    "Schedules",
    "te*am*",
    "**sch**eduler",
    "s*team*s",
    "расписание",
    "team*zero",
];
const BETWEEN: [&str; 11] = [
    " ",
    ", ",
    "\n",
    "_",
    "\u{200b} ",
    "-",
    "** ",
    " *",
    "\n> ",
    "\\\n",
    " [",
];
const NEEDLES: [&str; 64] = [
    "tea",
    "Tea",
    "te",
    "^te",
    "am$",
    "!tea",
    "!'tea",
    "!^te",
    "schdlr",
    "shceduler",
    "ecole",
    "École",
    "école",
    "zero",
    "漢",
    "漢字",
    "字",
    "한국",
    "하",
    "don't",
    "c++",
    "ไท",
    "strasse",
    "Straße",
    "か",
    "が",
    "\"tea team\"",
    "\"a s\"",
    "/t[ea]+m?/",
    "!/ste/",
    "!漢",
    "!\"zero tea\"",
    "tae",
    "'ea",
    "\"tea team\"",
    "\"tea zero\"",
    "\"tea, tea\"",
    "\" tea\"",
    "\"(team) \"",
    "!\"tea zero\"",
    "(team)",
    "漢字tea",
    "file",
    "ﬁle",
    "'fi",
    "1",
    "(1)",
    "カ",
    "ガ",
    "น",
    "schedulxr",
    "zcheduler",
    "Sxhedules",
    "scheddul",
    "schedlue",
    "steans",
    "strassen",
    "ecolex",
    "росписание",
    "'team",
    "'scheduler",
    "\"tea scheduler\"",
    "\"team\"",
    "teamzero",
];

const PHRASES: [&str; 6] = [
    "\"teams\"",
    "\"tea team\"",
    "\"tea zero\"",
    "\"tea, tea\"",
    "\" tea\"",
    "\"(team) \"",
];

fn texts() -> impl Strategy<Value = Vec<(String, String)>> {
    let text = || {
        proptest::collection::vec((0..WORDS.len(), 0..BETWEEN.len()), 0..8).prop_map(|words| {
            words
                .into_iter()
                .flat_map(|(word, between)| [WORDS[word], BETWEEN[between]])
                .collect()
        })
    };
    proptest::collection::vec((text(), text()), 1..12)
}

fn needle() -> impl Strategy<Value = String> {
    proptest::collection::vec(0..NEEDLES.len(), 1..4).prop_map(|terms| {
        terms
            .into_iter()
            .map(|term| NEEDLES[term])
            .collect::<Vec<_>>()
            .join(" ")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_says_what_reading_says(texts in texts(), needle in needle(), scope in 0..3_usize) {
        let rows: Vec<_> = texts.iter().map(|(prompt, response)| row(prompt, response)).collect();
        // `found` compares them.
        found(&needle, [SearchScope::Everything, SearchScope::Prompt, SearchScope::Responses][scope], &dataset(&[rows.join("\n")]));
    }

    #[test]
    fn the_index_knows_rationales(texts in texts(), needle in needle(), scope in 0..4_usize) {
        let row = |(number, (prompt, text)): (usize, &(String, String))| {
            let response = &texts[(number + 1) % texts.len()].1;
            let message = [serde_json::json!({"role": "user", "content": prompt})];
            let said = [serde_json::json!({"score": 1, "reasoning": text, "feedback2": prompt})];
            serde_json::json!({
                "domain": "d", "language": "l", "context": message, "response1": response,
                "response2": "", "overall_preference": 1, "individual_preference": said,
            })
            .to_string()
        };
        let rows: Vec<_> = texts.iter().enumerate().map(row).collect();
        let scopes = [SearchScope::Everything, SearchScope::Sample, SearchScope::Responses, SearchScope::Rationales];
        // `found` compares them.
        found(&needle, scopes[scope], &dataset(&[rows.join("\n")]));
    }

    #[test]
    fn a_phrase_is_marked_where_it_is_found(texts in texts(), needle in select(PHRASES.to_vec())) {
        let parsed = Needle::parse(needle).expect("a needle");
        let rows: Vec<_> = texts.iter().map(|(prompt, text)| row(prompt, text)).collect();
        let found: Vec<_> = found(needle, SearchScope::Responses, &dataset(&[rows.join("\n")])).iter().map(|hit| hit.sample).collect();
        // Rows of one prompt are one sample with two responses.
        let alone = texts.windows(2).all(|pair| pair[0].0 != pair[1].0);
        for (number, (_, text)) in texts.iter().enumerate().filter(|_| alone) {
            prop_assert_eq!(found.contains(&(number as u32)), !marks(&parsed, text).is_empty(), "{} in {:?}", needle, text);
        }
    }

    #[test]
    fn half_an_index_says_what_reading_says(texts in texts(), more in texts(), needle in needle()) {
        let rows = |texts: &[(String, String)]| {
            texts.iter().map(|(prompt, response)| row(prompt, response)).collect::<Vec<_>>().join("\n")
        };
        let whole = dataset(&[rows(&texts), rows(&more)]);
        let half = index(&half_of(&whole));
        prop_assert!(half.samples() < whole.samples());
        let [read, known] = [None, Some(&half)].map(|index| found_by(&needle, SearchScope::Everything, &whole, index));
        prop_assert_eq!(read, known);
    }

    #[test]
    fn marks_are_whole_graphemes_and_there(texts in texts(), needle in needle()) {
        let parsed = Needle::parse(&needle).expect("a needle");
        for (prompt, text) in &texts {
            let marked = marks(&parsed, text);
            let borders: Vec<_> = graphemes(text).map(|range| range.start).chain([text.len()]).collect();
            prop_assert!(marked.iter().all(|range| range.start < range.end));
            prop_assert!(marked.iter().all(|range| borders.contains(&range.start) && borders.contains(&range.end)), "{marked:?} of {text:?}");
            prop_assert!(marked.windows(2).all(|pair| pair[0].end < pair[1].start));
            for term in needle.split(' ').filter(|term| !term.starts_with('!') && !term.contains('"')) {
                let found = found_by(term, SearchScope::Responses, &dataset(&[row(prompt, text)]), None);
                let alone = Needle::parse(term).expect("a needle");
                prop_assert_eq!(!found.is_empty(), !marks(&alone, text).is_empty(), "{} in {:?}", term, text);
            }
        }
    }
}
