//! Tests every built-in rule on a sample on which it fires, and on one on which it does not.

use super::{FindingCounts, RuleSet, SampleCount};
use crate::dataset::tests::dataset;
use crate::dataset::{Dataset, FoundFindings, RuleStage};
use crate::query::{
    Catalog, QueryContext, ReviewIndex, RuleDefinition, ScanCache, Severity, find_findings,
};

/// Returns a row of HelpSteer2 with these labels: helpfulness, correctness, coherence, complexity,
/// verbosity.
fn rated(prompt: &str, response: &str, labels: [i8; 5]) -> String {
    let [helpfulness, correctness, coherence, complexity, verbosity] = labels;
    format!(
        r#"{{"prompt": {prompt:?}, "response": {response:?}, "helpfulness": {helpfulness}, "correctness": {correctness}, "coherence": {coherence}, "complexity": {complexity}, "verbosity": {verbosity}}}"#
    )
}

/// Returns a WebGPT comparison: answers with their scores.
fn compared(answers: [(&str, f64); 2], quotes: usize) -> String {
    let quotes: Vec<_> = (0..quotes)
        .map(|at| format!(r#"{{"title": "t {at}", "extract": "x"}}"#))
        .collect();
    let quotes = quotes.join(", ");
    let side = |(answer, score): (&str, f64)| {
        format!(
            r#"{{"question": {{"dataset": "eli5", "id": "q", "full_text": "why?"}}, "quotes": [{quotes}], "answer": {answer:?}, "score": {score:?}}}"#
        )
    };
    format!("[{}, {}]", side(answers[0]), side(answers[1]))
}

/// Returns a HelpSteer3 comparison: a preference, and the feedback on both responses.
fn preferred(preference: i8, feedback: [&str; 2]) -> String {
    let [one, two] = feedback;
    format!(
        r#"{{"domain": "code", "language": "python", "context": [{{"role": "user", "content": "why?"}}], "response1": "One.", "response2": "Two.", "overall_preference": {preference}, "individual_preference": [{{"score": {preference}, "reasoning": "r", "feedback1": {one:?}, "feedback2": {two:?}}}, {{"score": {opposite}, "reasoning": "r", "feedback1": {one:?}, "feedback2": {two:?}}}]}}"#,
        opposite = if one == "opposed" {
            -preference
        } else {
            preference
        },
    )
}

/// Returns the names of the rules that fire on any sample of a dataset.
fn firing(dataset: &Dataset) -> Vec<String> {
    let rules = RuleSet::default().with_max_len(Some(60));
    let catalog = Catalog::of_dataset(dataset).with_rules(&rules.definitions());
    let known = QueryContext {
        memory: &ScanCache::default(),
        remarks: &ReviewIndex::default(),
        rules: catalog.rules(),
        is_blind: false,
    };
    assert!(find_findings(dataset, known, &|| true, &mut |_| ()).is_continue());
    let found = dataset.findings();
    assert!(found.is_of_all(dataset.samples()));
    let rules = &catalog.rules().rules;
    let mut names: Vec<_> = (found.all.iter())
        .map(|found| rules[usize::from(found.rule)].name().to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

const ASK: &str = "Why is it so?";
const FINE: [i8; 5] = [3, 3, 4, 2, 2];

/// Returns a prompt of 40 words.
fn long_prompt(seed: usize) -> String {
    let word = |at: usize| format!("w{}", seed * 100 + at);
    let words: Vec<_> = (0..40).map(word).collect();
    format!("why {}", words.join(" "))
}

/// Returns files with repeated prompts, by the rule that should fire.
fn shared_prompts() -> Vec<(&'static str, Vec<String>)> {
    let one = long_prompt(1);
    let grams = format!(
        "{} {}",
        long_prompt(2),
        &one[..one.find("w118").unwrap_or(0)]
    );
    let twins = [
        ("exact", one.clone()),
        ("normalised", one.to_uppercase()),
        ("near", one.replace(" w120 ", " other ")),
        ("13gram", grams),
    ];
    let rules = [
        ["leak-exact", "prompt-again-exact"],
        ["leak-normalised", "prompt-again-normalised"],
        ["leak-near", "prompt-again-near"],
        ["leak-13gram", "prompt-again-13gram"],
    ];
    let mut all = Vec::new();
    for ((kind, twin), [leak, again]) in twins.iter().zip(rules) {
        let row = |prompt: &str, answer: &str| rated(prompt, answer, FINE);
        let (first, other) = (row(&one, "So."), row(twin, "Not so."));
        all.push((leak, vec![first.clone(), other.clone()]));
        // Adjacent rows of one prompt are one sample.
        let between = row("And what is that?", "It is.");
        all.push((again, vec![[first, between, other].join("\n")]));
        assert!(leak.ends_with(kind) && again.ends_with(kind));
    }
    all
}

/// Returns files with repeated texts and different labels, by rule.
fn said_twice() -> Vec<(&'static str, Vec<String>)> {
    let row = |answer: &str, helpfulness: i8| rated(ASK, answer, [helpfulness, 3, 4, 2, 2]);
    let file = |one: i8, other: i8| [row("So.", one), row("Because.", other)].join("\n");
    vec![
        ("sample-again", vec![file(2, 3), file(2, 3)]),
        ("contradicted-elsewhere", vec![file(2, 3), file(3, 2)]),
        ("labelled-otherwise-elsewhere", vec![file(2, 3), file(3, 3)]),
    ]
}

#[test]
fn equal_responses_among_several_are_named() {
    // An entry of UltraFeedback: answers with their overall scores.
    let rows = |answers: &[(&str, i8)]| {
        let answers = answers.iter().map(|(text, score)| {
            format!(r#"{{"response": {text:?}, "overall_score": {score}, "fine-grained_score": {score}, "model": "m", "annotations": {{}}, "critique": "c", "custom_system_prompt": "s", "principle": "p"}}"#)
        });
        let answers: Vec<_> = answers.collect();
        format!(
            r#"{{"source": "s", "instruction": "Why?", "models": ["m"], "completions": [{}], "correct_answers": [], "incorrect_answers": []}}"#,
            answers.join(", ")
        )
    };
    for (answers, fires) in [
        (
            &[("one", 9), ("two", 3), ("one ", 2), ("three", 1)][..],
            true,
        ),
        // Both identical responses lose.
        (&[("one", 9), ("two", 3), ("two", 2), ("three", 1)], false),
    ] {
        let firing = firing(&dataset(&[rows(answers)]));
        let is_reported = firing.iter().any(|name| name == "identical-but-wins");
        assert_eq!(is_reported, fires, "{answers:?}: {firing:?}");
    }
}

#[test]
fn every_rule_fires_where_it_should_and_is_silent_on_clean_rows() {
    let long = "It is so, as it was before. ".repeat(120);
    let broken = "It is so because all of it was so before that and";
    let pair = |one: String, other: String| format!("{one}\n{other}");
    let fine = || rated(ASK, "Because.", FINE);
    let written_for = [
        ("helpful-but-wrong", rated(ASK, "So.", [4, 1, 4, 2, 2])),
        ("right-but-useless", rated(ASK, "So.", [1, 4, 4, 2, 2])),
        ("incoherent-but-helpful", rated(ASK, "So.", [4, 4, 1, 2, 2])),
        ("called-brief-but-long", rated(ASK, &long, [3, 3, 4, 2, 0])),
        (
            "called-verbose-but-short",
            rated(ASK, "So.", [3, 3, 4, 2, 4]),
        ),
        ("out-of-range", rated(ASK, "So.", [7, 3, 4, 2, 2])),
        ("malformed", fine() + "\n{\"prompt\": 3}"),
        (
            "empty-but-wins",
            pair(rated(ASK, "", [4, 3, 4, 2, 2]), fine()),
        ),
        (
            "empty-but-wins",
            pair(rated(ASK, " \n ", [4, 3, 4, 2, 2]), fine()),
        ),
        (
            "identical-but-wins",
            pair(rated(ASK, "Because. ", [4, 3, 4, 2, 2]), fine()),
        ),
        (
            "identical-but-rated-apart",
            pair(rated(ASK, " Because.", [3, 2, 4, 2, 2]), fine()),
        ),
        (
            "identical-when-cut",
            pair(
                rated(ASK, &format!("{long}So."), FINE),
                rated(ASK, &long, FINE),
            ),
        ),
        (
            "rated-high-but-breaks-off",
            rated(ASK, broken, [4, 4, 4, 2, 2]),
        ),
        (
            "winner-breaks-off",
            pair(rated(ASK, broken, [4, 4, 4, 2, 2]), fine()),
        ),
        (
            "refusal-rated-high",
            rated(ASK, "I'm sorry, but I can't help with that.", FINE),
        ),
        (
            "refusal-wins",
            pair(
                rated(
                    ASK,
                    "I'm sorry, but I can't help with that.",
                    [4, 4, 4, 2, 2],
                ),
                fine(),
            ),
        ),
        (
            "hidden-characters",
            rated(ASK, "a@b", FINE).replace('@', "\u{200b}"),
        ),
        (
            "scores-do-not-cancel",
            compared([("a", 0.5), ("b", 0.5)], 0),
        ),
        (
            "dangling-citation",
            compared([("a [2]", 0.5), ("b", -0.5)], 1),
        ),
        (
            "uncited-quote",
            compared([("a", 0.5), ("b [1]", -0.5)], 1),
        ),
        (
            "unanswered",
            r#"{"prompt": "Why?", "chosen": [{"role": "assistant", "content": "So."}], "rejected": [{"role": "assistant", "content": "Who knows?"}, {"role": "user", "content": "You do."}]}"#.to_owned(),
        ),
        (
            "template-tokens",
            r#"{"prompt": "Why?", "chosen": "So <|im_end|> it is.", "rejected": "Who knows?"}"#.to_owned(),
        ),
        (
            "feedback-against-preference",
            preferred(
                -2,
                ["The response is slightly helpful.", "It is mostly helpful."],
            ),
        ),
        (
            "preferred-but-less-helpful",
            r#"{"prompt": "Why is it so?", "chosen": "So.", "rejected": "Because.", "helpfulness_chosen": 2, "helpfulness_rejected": 3}"#.to_owned(),
        ),
        (
            "preferred-but-lower-score",
            r#"{"prompt": "Why is it so?", "chosen": "So.", "rejected": "Because.", "score_chosen": 2, "score_rejected": 7.5}"#.to_owned(),
        ),
        (
            "annotators-oppose",
            preferred(-2, ["opposed", "It is mostly helpful."]),
        ),
        (
            "outvoted",
            preferred(-2, ["So.", "So."]).replace(r#""score": -2"#, r#""score": 1"#),
        ),
    ];
    let (of_prompts, of_labels) = (shared_prompts(), said_twice());
    let twice = of_prompts.iter().chain(&of_labels);
    let twice: Vec<_> = twice.map(|(name, files)| (*name, files.clone())).collect();
    let written_for = written_for.map(|(name, rows)| (name, vec![rows]));
    let written_for: Vec<(&str, Vec<String>)> = written_for.into_iter().chain(twice).collect();
    let names = written_for.iter().map(|(name, _)| *name);
    // No file is joined, and none has both margin and helpfulness.
    let others = ["models-oppose", "much-better-but-equal"];
    let mut names: Vec<_> = names.chain(others).collect();
    names.sort_unstable();
    names.dedup();
    let rules = RuleSet::default();
    let mut built_in: Vec<_> = rules.names().collect();
    built_in.sort_unstable();
    assert_eq!(names, built_in);
    for (name, files) in written_for {
        let firing = firing(&dataset(&files));
        assert!(
            firing.iter().any(|fired| fired == name),
            "{name}: {firing:?}"
        );
    }
    for clean in [
        fine(),
        pair(fine(), rated(ASK, "For that reason.", [4, 4, 4, 2, 2])),
        compared([("a [1]", 0.5), ("b [1]", -0.5)], 1),
        preferred(
            -2,
            ["The response is mostly helpful.", "It is slightly helpful."],
        ),
    ] {
        let firing = firing(&dataset(std::slice::from_ref(&clean)));
        assert_eq!(firing, [""; 0], "{clean}");
    }
}

/// Returns samples: every thousandth is helpful but wrong by its columns, and the next one hides a
/// character in its text.
fn thousands(samples: usize) -> Dataset {
    let row = |at: usize| {
        let helpfulness = if at.is_multiple_of(1000) { 4 } else { 2 };
        let text = if at % 1000 == 1 { "So@." } else { "So." };
        let prompt = format!("q{at} a{at} b{at}?");
        rated(&prompt, text, [helpfulness, 0, 4, 2, 2]).replace('@', "\u{200b}")
    };
    let rows: Vec<_> = (0..samples).map(row).collect();
    dataset(&[rows.join("\n")])
}

#[test]
fn a_look_that_is_broken_off_keeps_what_it_found_and_goes_on_there() {
    let data = thousands(40_000);
    let catalog = Catalog::of_dataset(&data).with_rules(&RuleSet::default().definitions());
    let known = QueryContext {
        memory: &ScanCache::default(),
        remarks: &ReviewIndex::default(),
        rules: catalog.rules(),
        is_blind: false,
    };
    let looked = || data.findings().asked_in(RuleStage::Texts);
    assert!(find_findings(&data, known, &|| looked() == 0, &mut |_| ()).is_break());
    let (half, looked) = (data.findings(), looked());
    assert!((1..40_000).contains(&looked), "{looked}");
    assert_eq!(half.asked, [40_000, looked, 0]);
    assert_eq!(half.all.len(), 40 + (looked - 1).div_ceil(1000));
    assert!(find_findings(&data, known, &|| true, &mut |_| ()).is_continue());
    let whole = data.findings();
    assert!(whole.is_of_all(40_000));
    assert_eq!(whole.all.len(), 80);
}

#[test]
fn rules_of_columns_come_before_those_of_texts_and_all_find_what_their_queries_do() {
    let data = thousands(40_000);
    let catalog = Catalog::of_dataset(&data).with_rules(&RuleSet::default().definitions());
    let known = QueryContext {
        memory: &ScanCache::default(),
        remarks: &ReviewIndex::default(),
        rules: catalog.rules(),
        is_blind: false,
    };
    let mut told = Vec::new();
    let mut tell = |found: &FoundFindings| {
        let counts = FindingCounts::of(found, 40_000, vec![None; found.names.len()], None);
        let of = |name: &str| {
            let place = found.names.iter().position(|one| **one == *name)?;
            let rule = counts.rules[place];
            Some((rule.count?, !rule.is_partial))
        };
        told.push((
            found.asked,
            of("helpful-but-wrong"),
            of("hidden-characters"),
            of("sample-again"),
        ));
    };
    assert!(find_findings(&data, known, &|| true, &mut tell).is_continue());
    let count = |whole| SampleCount {
        whole,
        shown: whole,
    };
    let by_columns = Some((count(40), true));
    assert_eq!(told[0], ([40_000, 0, 0], by_columns, None, None));
    let half = told[1].0[1];
    assert!((1..40_000).contains(&half), "{half}");
    let by_texts = Some((count((half - 1).div_ceil(1000)), false));
    assert_eq!(told[1], ([40_000, half, 0], by_columns, by_texts, None));
    let (last, others) = told.split_last().expect("the end");
    assert_eq!(
        *last,
        ([40_000; 3], by_columns, by_columns, Some((count(0), true)))
    );
    assert!(
        others
            .iter()
            .all(|(asked, .., again)| asked[2] == 0 && again.is_none())
    );
    for (rule, place) in catalog.rules().rules.iter().zip(0..) {
        let query = crate::query::parse(&rule.definition.query, &catalog).expect("a query");
        let mut samples = Vec::new();
        let found =
            crate::query::find(&query, &data, 0..40_000, known, &|| true, &mut |more, _| {
                samples.extend(more.samples);
                std::ops::ControlFlow::Continue(())
            });
        assert!(found.is_continue());
        let all = data.findings();
        let of_rule = all.all.iter().filter(|found| found.rule == place);
        let of_rule: Vec<_> = of_rule.map(|found| found.sample).collect();
        assert_eq!(samples, of_rule, "{}", rule.name());
    }
}

#[test]
fn rules_are_filters_and_numbers_and_those_of_other_data_say_why_not() {
    let rows = [
        rated(ASK, "So.", [4, 0, 4, 2, 4]),
        rated("p", "So@.", FINE).replace('@', "\u{200b}"),
        rated("Was it so?", "Because of that.", FINE),
    ];
    let data = dataset(&[rows.join("\n")]);
    let catalog = Catalog::of_dataset(&data).with_rules(&RuleSet::default().definitions());
    let read = |text: &str| crate::query::parse(text, &catalog);
    let found = |text: &str| {
        let query = read(text).expect("a query");
        let mut all = crate::query::QueryResult::default();
        let known = QueryContext {
            memory: &ScanCache::default(),
            remarks: &ReviewIndex::default(),
            rules: catalog.rules(),
            is_blind: false,
        };
        let _ = crate::query::find(&query, &data, 0..3, known, &|| true, &mut |more, _| {
            all.extend(&more);
            std::ops::ControlFlow::Continue(())
        });
        let _ = crate::query::sort(&query, &data, &ReviewIndex::default(), &mut all, &|| true);
        all.samples
    };
    assert_eq!(found("finding:helpful-but-wrong"), [0]);
    assert_eq!(found("-finding:hidden-characters"), [0, 2]);
    assert_eq!(found("findings>=2"), [0]);
    assert_eq!(found("finding>=1 sort:suspicion"), [1, 0]);
    assert_eq!(found("findings=0"), [2]);
    assert_eq!(found("suspicion=10100"), [0]);
    for (text, says) in [
        (
            "finding:uncited-quote",
            "the rule uncited-quote does not apply here: the responses have no quotes",
        ),
        (
            "finding:identical-when-cut",
            "the rule identical-when-cut does not apply here: needs --max-len N, the characters of a response that training keeps",
        ),
        (
            "finding:helpful-but-wrng",
            "unknown finding:helpful-but-wrng; did you mean finding:helpful-but-wrong?",
        ),
        (
            "finding:models-oppose",
            "the rule models-oppose does not apply here: there is no other rater (open a file --with this one)",
        ),
    ] {
        assert_eq!(read(text).expect_err(text).message, says);
    }
    let query = read("FINDINGS>=2 finding:helpful-but-wrong").expect("a query");
    assert_eq!(
        query.spelled(&catalog).to_string(),
        "findings>=2 finding:helpful-but-wrong"
    );
    for (text, reveals) in [
        ("finding:helpful-but-wrong", true),
        ("finding:hidden-characters", false),
        ("findings>0", true),
    ] {
        assert_eq!(
            crate::query::reveals_labels(&read(text).expect(text), &catalog),
            reveals,
            "{text}"
        );
    }
}

#[test]
fn a_rule_that_the_outcome_contradicts_can_be_asked_and_finds_nothing() {
    let pair = [rated("Why?", "So.", FINE), rated("Why?", "No.", [2; 5])].join("\n");
    let data = dataset(&[pair]);
    let own = |query: &str| RuleDefinition {
        name: "own".into(),
        sentence: "".into(),
        severity: Severity::Slight,
        query: query.into(),
        schemas: Vec::new(),
    };
    for (query, contradicts) in [
        ("winner.helpfulness < loser.helpfulness", true),
        ("winner.helpfulness < max.helpfulness", true),
        ("winner.helpfulness <= max.helpfulness", false),
        ("winner.helpfulness < min.helpfulness", false),
        ("len>0 winner.helpfulness <= loser.helpfulness", true),
        ("winner.helpfulness < loser.helpfulness or len>0", false),
        ("not winner.helpfulness < loser.helpfulness", false),
        ("winner.helpfulness < loser.correctness", false),
    ] {
        let catalog = Catalog::of_dataset(&data).with_rules(&[own(query)]);
        let rule = catalog.rules().rules.first().expect(query);
        assert_eq!(rule.contradicts_outcome, contradicts, "{query}");
    }
}
