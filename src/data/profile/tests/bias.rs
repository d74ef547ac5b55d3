//! Biases: each bar equals the count of its query.

use std::ops::ControlFlow;

use super::{card, figure, profile_of};
use crate::answer::{AnswerBar, CardBody};
use crate::dataset::Dataset;
use crate::dataset::tests::dataset;
use crate::profile::{Profile, ProfileRequest};
use crate::query::{Catalog, QueryContext, QueryResult, ReviewIndex, ScanCache, find, parse};

/// Returns pairs of HelpSteer2, each as both responses and their helpfulness.
fn pairs(pairs: &[([&str; 2], [u8; 2])]) -> Dataset {
    let rows = pairs.iter().enumerate().flat_map(|(at, (texts, helpful))| {
        let row = move |(text, helpful): (&&str, &u8)| {
            serde_json::json!({
                "prompt": format!("question {at}"), "response": text, "helpfulness": helpful,
                "correctness": 3, "coherence": 3, "complexity": 2, "verbosity": 2,
            })
            .to_string()
                + "\n"
        };
        texts.iter().zip(helpful).map(row)
    });
    dataset(&[rows.collect::<String>()])
}

/// Returns each kind of difference, and pairs without relevant differences.
fn planted() -> Dataset {
    let long = "long ".repeat(12);
    let mut rows = vec![
        ([&*long, "short"], [4, 1]),
        (["short", &*long], [1, 4]),
        (["short", &*long], [3, 2]),
        // 30 characters count as no difference, 31 do not.
        (["x", "1234567890123456789012345678901"], [1, 4]),
        (["x", "12345678901234567890123456789012"], [1, 4]),
        (["- one\n- two", "one, two"], [4, 2]),
        (["one, two", "- one\n- two"], [4, 2]),
        (["- one\n- two\n- three", "- one"], [4, 2]),
        (["# A\nb", "a b"], [1, 2]),
        (["**a** b", "a b"], [3, 2]),
        (["```\na\n```", "a"], [2, 3]),
        (["a [1]", "a"], [4, 0]),
        (["I’m unable to say", "Yes"], [0, 4]),
        (["perhaps so", "so it is"], [1, 3]),
        (["tied", &*long], [2, 2]),
    ];
    rows.extend([(["alpha", "beta"], [3, 1]), (["gamma", "delta"], [1, 3])]);
    pairs(&rows)
}

fn bars(profile: &Profile) -> &[AnswerBar] {
    match &card(profile, "bias", "shares").body {
        CardBody::Bars(_, bars) => bars,
        other => panic!("{other:?}"),
    }
}

fn found(dataset: &Dataset, text: &str) -> QueryResult {
    let query = parse(text, &Catalog::of_dataset(dataset)).expect(text);
    let known = QueryContext {
        memory: &ScanCache::default(),
        remarks: &ReviewIndex::default(),
        rules: &crate::query::FindingRules::default(),
        is_blind: false,
    };
    let (mut all, samples) = (QueryResult::default(), 0..dataset.samples());
    let _ = find(
        &query,
        dataset,
        samples,
        known,
        &|| true,
        &mut |found, _| {
            all.extend(&found);
            ControlFlow::Continue(())
        },
    );
    all
}

#[test]
fn the_best_of_a_group_are_compared_with_the_worse_ones() {
    let long = "long ".repeat(20);
    let [long, short] = [&*long, "short"];
    // Texts with their scores, whether the longer side wins, and whether the first one does.
    type Group<'g> = (&'g [(&'g str, Option<u8>)], Option<bool>, Option<bool>);
    let groups: [Group<'_>; 7] = [
        (
            &[(long, Some(7)), (short, Some(5)), (short, Some(3))],
            Some(true),
            Some(true),
        ),
        (
            &[(short, Some(1)), (long, Some(1)), (short, Some(4))],
            Some(false),
            Some(false),
        ),
        // The best are longer on average, and come first on average.
        (
            &[
                (long, Some(2)),
                (short, Some(2)),
                (short, Some(1)),
                (short, Some(0)),
            ],
            Some(true),
            Some(true),
        ),
        // Neither side comes first.
        (
            &[
                (short, Some(2)),
                (short, Some(1)),
                (short, Some(1)),
                (short, Some(2)),
            ],
            None,
            None,
        ),
        // An unrated response is on neither side.
        (
            &[(short, Some(2)), (short, Some(1)), (long, None)],
            None,
            Some(true),
        ),
        (&[(short, Some(2)), (long, Some(2))], None, None),
        (&[(short, Some(2)), (long, None), (long, None)], None, None),
    ];
    let rows = groups.iter().enumerate().map(|(at, (responses, ..))| {
        let completions = responses.iter().map(|(text, score)| {
            serde_json::json!({"model": "m", "response": text, "overall_score": score, "annotations": {}})
        });
        serde_json::json!({
            "source": "s", "instruction": format!("question {at}"), "models": ["m"],
            "completions": completions.collect::<Vec<_>>(),
        })
        .to_string()
            + "\n"
    });
    let dataset = dataset(&[rows.collect::<String>()]);
    let profile = profile_of(&dataset, None, false);
    let shares = card(&profile, "bias", "shares");
    for (key, count) in [("pairs", 5.0), ("ties", 1.0)] {
        assert_eq!(figure(shares, key).0, Ok(count), "{key}");
    }
    for figure in &shares.figures {
        let query = figure.query.as_ref().expect("a query");
        let samples = found(&dataset, query).samples.len() as f64;
        assert_eq!(Ok(samples), figure.values.whole, "{query}");
    }
    let counts = |of: fn(&Group<'_>) -> Option<bool>| {
        let decided = groups.iter().filter_map(of);
        [
            decided.clone().filter(|wins| *wins).count(),
            decided.count(),
        ]
        .map(|count| count as u64)
    };
    let bars = bars(&profile);
    assert_eq!(bars[0].whole, counts(|group| group.1));
    assert_eq!(bars[1].whole, counts(|group| group.2));
    assert!(bars.iter().all(|bar| bar.query.is_none()));
}

#[test]
fn each_bar_counts_what_its_query_finds() {
    let dataset = planted();
    let profile = profile_of(&dataset, None, false);
    let shares = card(&profile, "bias", "shares");
    assert_eq!(figure(shares, "pairs").0, Ok(16.0));
    assert_eq!(figure(shares, "ties").0, Ok(1.0));
    let counted: Vec<_> = bars(&profile)
        .iter()
        .map(|bar| (&*bar.label, bar.whole))
        .collect();
    assert_eq!(
        counted,
        [
            ("longer wins", [3, 4]),
            ("first wins", [8, 16]),
            ("list wins", [1, 2]),
            ("headers win", [0, 1]),
            ("bold wins", [1, 1]),
            ("code wins", [0, 1]),
            ("citations win", [1, 1]),
            ("refusal wins", [0, 1]),
            ("hedges win", [0, 1]),
        ]
    );
    for bar in bars(&profile) {
        let query = bar.query.as_ref().expect("a query");
        let samples = found(&dataset, query).samples.len() as u64;
        assert_eq!(samples, bar.whole[0], "{} by {query}", bar.label);
    }
    for figure in &shares.figures {
        let query = figure.query.as_ref().expect("a query");
        let samples = found(&dataset, query).samples.len() as f64;
        assert_eq!(Ok(samples), figure.values.whole, "{query}");
    }
}

#[test]
fn shown_and_all_samples_have_separate_figures() {
    let dataset = planted();
    let shown = found(&dataset, "sample<=3");
    let profile = profile_of(&dataset, Some(&shown), false);
    let longer = &bars(&profile)[0];
    assert_eq!((longer.whole, longer.shown), ([3, 4], Some([2, 3])));
    let [low, high] = longer.shown_interval.expect("an interval");
    // Wilson's for 2 of 3.
    assert!((low - 0.207_660).abs() < 1e-6 && (high - 0.938_508).abs() < 1e-6);
}

#[test]
fn hidden_tied_or_unread_data_has_no_figures() {
    let (dataset, hidden) = (planted(), planted());
    let has_bias = |profile: &Profile| profile.answer.sections().any(|of| of.key == "bias");
    assert!(!has_bias(&profile_of(&hidden, None, true)));
    let tied = pairs(&[(["a", "b"], [2, 2])]);
    assert!(!has_bias(&profile_of(&tied, None, false)));
    let catalog = Catalog::of_dataset(&tied);
    for (reads_texts, count) in [(false, 2), (true, 9), (false, 9)] {
        let request = ProfileRequest {
            dataset: &dataset,
            catalog: &catalog,
            shown: None,
            filter: None,
            hides_labels: false,
            reads_texts,
            sections: &[],
            keep_going: &|| true,
        };
        let profile = Profile::of(request).expect("not cancelled");
        assert_eq!(bars(&profile).len(), count);
    }
}

#[test]
fn a_place_that_the_layout_fixes_is_no_bias() {
    let row = |at| format!(r#"{{"prompt": "p{at}", "chosen": "so {at}", "rejected": "no"}}"#);
    let rows: Vec<_> = (0..12).map(row).collect();
    let dataset = crate::dataset::tests::dataset(&[rows.join("\n")]);
    let profile = profile_of(&dataset, None, false);
    let why = "n/a: the layout puts the chosen response first";
    let value = figure(card(&profile, "bias", "shares"), "first").0;
    assert_eq!(value.map_err(|why| why.to_string()), Err(why.to_owned()));
    assert!(bars(&profile).iter().all(|bar| bar.label != "first wins"));
}
