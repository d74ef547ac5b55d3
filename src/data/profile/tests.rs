//! Profiles of small datasets, figure by figure.

mod bias;

use super::{AnswerCard, Profile, ProfileRequest};
use crate::answer::CardBody;
use crate::dataset::Dataset;
use crate::dataset::tests::dataset;
use crate::query::{Catalog, QueryResult, ResponseSet, parse};
use crate::stats::Undefined;

fn profile_of(dataset: &Dataset, shown: Option<&QueryResult>, hides_labels: bool) -> Profile {
    let catalog = Catalog::of_dataset(dataset);
    let request = ProfileRequest {
        dataset,
        catalog: &catalog,
        shown,
        filter: None,
        hides_labels,
        reads_texts: true,
        sections: &[],
        keep_going: &|| true,
    };
    let profile = Profile::of(request).expect("not cancelled");
    // Queries of bars and cells must parse.
    for card in profile.answer.sections().flat_map(|section| &section.cards) {
        let figures = card
            .figures
            .iter()
            .filter_map(|figure| figure.query.as_ref());
        let body: Vec<_> = match &card.body {
            CardBody::Figures => Vec::new(),
            CardBody::Bars(_, bars) => bars.iter().filter_map(|bar| bar.query.as_ref()).collect(),
            CardBody::Grid(grid) => grid
                .cells
                .iter()
                .filter_map(|cell| cell.query.as_ref())
                .collect(),
        };
        for query in figures.chain(body) {
            parse(query, &catalog).unwrap_or_else(|error| panic!("{query}: {error}"));
        }
    }
    profile
}

fn card<'p>(profile: &'p Profile, section: &str, key: &str) -> &'p AnswerCard {
    let section = profile.answer.sections().find(|of| of.key == section);
    let mut cards = section.expect(key).cards.iter();
    cards.find(|card| card.key == key).expect(key)
}

fn figure(
    card: &AnswerCard,
    key: &str,
) -> (Result<f64, Undefined>, Option<Result<f64, Undefined>>) {
    let figure = card
        .figures
        .iter()
        .find(|figure| figure.key == key)
        .expect(key);
    (figure.values.whole, figure.values.shown)
}

fn bars(card: &AnswerCard) -> Vec<(&str, u64, Option<&str>)> {
    let CardBody::Bars(_, bars) = &card.body else {
        panic!("{card:?}");
    };
    bars.iter()
        .map(|bar| (&*bar.label, bar.whole[0], bar.query.as_deref()))
        .collect()
}

/// Returns rows of HelpSteer2, each with a prompt, a response of this length and five labels.
fn rated(rows: &[(&str, usize, [&str; 5])]) -> Dataset {
    let names = [
        "helpfulness",
        "correctness",
        "coherence",
        "complexity",
        "verbosity",
    ];
    let row = |(prompt, length, labels): &(&str, usize, [&str; 5])| {
        let labels = names
            .iter()
            .zip(labels)
            .map(|(name, value)| format!(r#", "{name}": {value}"#));
        let labels: String = labels.collect();
        format!(
            "{{\"prompt\": \"{prompt}\", \"response\": \"{}\"{labels}}}\n",
            "x".repeat(*length)
        )
    };
    dataset(&[rows.iter().map(row).collect::<String>()])
}

/// Returns two pairs (one a tie) and a single response, with one label missing.
fn few() -> Dataset {
    rated(&[
        ("p", 10, ["4", "3", "4", "2", "2"]),
        ("p", 20, ["2", "1", "4", "2", "0"]),
        ("q", 30, ["3", "3", "4", "2", "4"]),
        ("q", 40, ["3", "null", "4", "2", "2"]),
        ("r", 50, ["0", "1", "4", "2", "1"]),
    ])
}

#[test]
fn counts_and_labels_of_a_few_rows() {
    let profile = profile_of(&few(), None, false);
    assert_eq!((profile.samples, profile.shown), (3, None));
    let totals = card(&profile, "counts", "totals");
    for (key, count) in [
        ("files", 1.0),
        ("rows", 5.0),
        ("samples", 3.0),
        ("responses", 5.0),
        ("pairs", 2.0),
        ("groups", 0.0),
        ("singles", 1.0),
        ("malformed", 0.0),
    ] {
        assert_eq!(figure(totals, key), (Ok(count), None), "{key}");
    }
    let helpfulness = card(&profile, "labels", "helpfulness");
    assert_eq!(
        bars(helpfulness),
        [
            ("0", 1, Some("helpfulness=0")),
            ("1", 0, Some("helpfulness=1")),
            ("2", 1, Some("helpfulness=2")),
            ("3", 2, Some("helpfulness=3")),
            ("4", 1, Some("helpfulness=4")),
        ]
    );
    assert_eq!(figure(helpfulness, "mean").0, Ok(2.4));
    assert_eq!(figure(helpfulness, "median").0, Ok(3.0));
    assert_eq!(figure(helpfulness, "missing").0, Ok(0.0));
    let correctness = card(&profile, "labels", "correctness");
    assert_eq!(
        (figure(correctness, "n").0, figure(correctness, "missing").0),
        (Ok(4.0), Ok(1.0))
    );
    let verdict = card(&profile, "verdicts", "verdict");
    assert_eq!(
        bars(verdict),
        [
            ("A wins", 1, Some("verdict=a")),
            ("tie", 1, Some("verdict=tie")),
            ("no verdict", 1, Some("verdict=none")),
        ]
    );
    assert_eq!(
        bars(card(&profile, "verdicts", "ties"))[0],
        ("helpfulness", 1, Some("gap.helpfulness=0"))
    );
    let lengths = card(&profile, "lengths", "len.response");
    assert_eq!(
        (figure(lengths, "mean").0, figure(lengths, "max").0),
        (Ok(30.0), Ok(50.0))
    );
}

#[test]
fn shown_and_all_samples_have_separate_figures() {
    // The second response of the first sample, and the single one.
    let shown = QueryResult {
        samples: vec![2, 0],
        matching: vec![ResponseSet::first(1), ResponseSet::of([1])],
    };
    let profile = profile_of(&few(), Some(&shown), false);
    assert_eq!(profile.shown, Some(2));
    let helpfulness = card(&profile, "labels", "helpfulness");
    assert_eq!(figure(helpfulness, "mean"), (Ok(2.4), Some(Ok(1.0))));
    assert_eq!(figure(helpfulness, "n"), (Ok(5.0), Some(Ok(2.0))));
    let totals = card(&profile, "counts", "totals");
    assert_eq!(figure(totals, "samples"), (Ok(3.0), Some(Ok(2.0))));
    assert_eq!(figure(totals, "singles"), (Ok(1.0), Some(Ok(1.0))));
    assert_eq!(figure(totals, "responses"), (Ok(5.0), Some(Ok(2.0))));
    let pearson = card(&profile, "correlations", "pearson");
    let CardBody::Grid(grid) = &pearson.body else {
        panic!("{pearson:?}");
    };
    assert_eq!(grid.cells[0].values.whole, Ok(1.0));
    assert_eq!(grid.cells[0].n, 5);
    assert!(grid.cells.iter().all(|cell| cell.values.shown.is_some()));
}

#[test]
fn without_values_without_variance_and_of_one_row_nothing_is_made_up() {
    let empty = profile_of(&Dataset::default(), None, false);
    assert_eq!(empty.samples, 0);
    let broken =
        dataset(&["{\"prompt\": \"p\", \"response\": \"r\", \"helpfulness\": 1}\n{\n".to_owned()]);
    let broken = profile_of(&broken, None, false);
    assert_eq!(
        figure(card(&broken, "counts", "totals"), "malformed").0,
        Ok(1.0)
    );
    let one = profile_of(&rated(&[("p", 3, ["4"; 5])]), None, false);
    let helpfulness = card(&one, "labels", "helpfulness");
    assert_eq!(figure(helpfulness, "mean").0, Ok(4.0));
    assert_eq!(
        figure(helpfulness, "sd").0,
        Err(Undefined::TooFew { have: 1, need: 2 })
    );
    let same = profile_of(
        &rated(&[("p", 3, ["4"; 5]), ("p", 3, ["4"; 5])]),
        None,
        false,
    );
    let CardBody::Grid(grid) = &card(&same, "correlations", "pearson").body else {
        panic!();
    };
    assert!(
        grid.cells
            .iter()
            .all(|cell| cell.values.whole == Err(Undefined::NoVariance))
    );
    let nothing = QueryResult::default();
    let none = profile_of(&few(), Some(&nothing), false);
    let shown = figure(card(&none, "labels", "helpfulness"), "mean").1;
    assert_eq!(shown, Some(Err(Undefined::Nothing)));
}

#[test]
fn hidden_labels_are_not_revealed() {
    let profile = profile_of(&few(), None, true);
    let keys: Vec<_> = profile
        .answer
        .sections()
        .map(|section| section.key)
        .collect();
    assert_eq!(keys, ["lengths", "counts"]);
    let json = format!("{profile:?}");
    for word in ["helpfulness", "verdict", "margin", "is:tie", "is:flagged"] {
        assert!(!json.contains(word), "{word}");
    }
}

#[test]
fn cancelled_profiles_end() {
    let (data, calls) = (few(), std::sync::atomic::AtomicUsize::new(0));
    let catalog = Catalog::of_dataset(&data);
    for patience in 0..12 {
        calls.store(0, std::sync::atomic::Ordering::Relaxed);
        let keep_going = || calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < patience;
        let request = ProfileRequest {
            dataset: &data,
            catalog: &catalog,
            shown: None,
            filter: None,
            hides_labels: false,
            reads_texts: true,
            sections: &[],
            keep_going: &keep_going,
        };
        assert!(Profile::of(request).is_none(), "{patience}");
    }
}

#[test]
fn annotators_of_labels_and_of_who_wins() {
    let lists = r#"{"prompt": "p", "response": "a", "helpfulness": [3, 3, 4], "correctness": [1, 4], "coherence": [2], "complexity": [2, 2], "verbosity": [2, 2]}
{"prompt": "p", "response": "b", "helpfulness": [0, 2], "correctness": [0, 0], "coherence": [2, 2], "complexity": [2, 2], "verbosity": [2, 2]}
"#;
    let profile = profile_of(&dataset(&[lists.to_owned()]), None, false);
    let helpfulness = card(&profile, "annotators", "helpfulness");
    assert_eq!(figure(helpfulness, "things").0, Ok(2.0));
    assert_eq!(figure(helpfulness, "pairs").0, Ok(4.0));
    assert_eq!(figure(helpfulness, "spread_2").0, Ok(0.5));
    assert_eq!(figure(helpfulness, "equal").0, Ok(0.25));
    assert_eq!(
        bars(helpfulness),
        [
            ("1", 1, Some("helpfulness_spread=1")),
            ("2", 1, Some("helpfulness_spread=2"))
        ]
    );
    let complexity = card(&profile, "annotators", "complexity");
    assert_eq!(figure(complexity, "kappa").0, Err(Undefined::OneValue));

    let vote = |strength: i32| format!(r#"{{"strength": {strength}, "justification": ""}}"#);
    let row = |overall: i32, votes: &[i32]| {
        let votes: Vec<_> = votes.iter().map(|of| vote(*of)).collect();
        format!(
            "{{\"split\": \"train\", \"prompt\": \"p\", \"response_1\": \"a\", \"response_2\": \"b\", \"preference_strength\": {overall}, \
             \"preference_statement\": \"\", \"preference_elaboration\": \"\", \"three_most_similar_preferences\": [], \
             \"all_preferences_unprocessed\": [{}]}}\n",
            votes.join(", ")
        )
    };
    let rows = row(-2, &[-2, -1, 3]) + &row(0, &[1, 1, 1, -100]) + &row(3, &[3, 3, 2, -3, -100]);
    let profile = profile_of(&dataset(&[rows]), None, false);
    let votes = card(&profile, "annotators", "votes");
    assert_eq!(figure(votes, "opposite").0, Ok(2.0 / 3.0));
    assert_eq!(figure(votes, "things").0, Ok(3.0));
    assert_eq!(figure(votes, "excluded").0, Ok(2.0));
    assert_eq!(figure(votes, "outvoted").0, Ok(0.0));
    // Two votes for A and one for B, with B, neither and A as stated winner; then one vote each.
    let rows =
        row(2, &[-1, -2, 1]) + &row(0, &[-1, -2, 1]) + &row(-1, &[-1, -2, 1]) + &row(1, &[-1, 1]);
    let outvoted = profile_of(&dataset(&[rows]), None, false);
    let votes = card(&outvoted, "annotators", "votes");
    assert_eq!(figure(votes, "outvoted"), (Ok(1.0), None));
    // Negative: the first in the file is preferred, which is A here.
    assert_eq!(
        figure(card(&profile, "verdicts", "margin"), "mean").0,
        Ok(-1.0 / 3.0)
    );
}

#[test]
fn a_preference_against_the_scores_is_no_strength() {
    let row = |[chosen, rejected]: [f64; 2]| {
        format!(
            r#"{{"prompt": "p{chosen} {rejected}", "chosen": "x", "rejected": "y", "score_chosen": {chosen}, "score_rejected": {rejected}}}"#
        )
    };
    let rows = |scores: &[[f64; 2]]| {
        let rows: Vec<_> = scores.iter().map(|scores| row(*scores)).collect();
        dataset(&[rows.join("\n")])
    };
    let against = rows(&[[1.0, 3.0], [4.0, 2.0], [2.0, 2.0], [5.0, 3.0]]);
    let profile = profile_of(&against, None, false);
    let strength = card(&profile, "verdicts", "strength");
    assert_eq!(figure(strength, "mean").0, Ok(0.5));
    assert_eq!(figure(strength, "negative").0, Ok(0.25));
    let lead = |value: i32| format!("(verdict=a margin={value} or verdict=b margin={})", -value);
    let tie = "(verdict=a margin=0 or verdict=b margin=0 or verdict=tie margin!=none)";
    assert_eq!(
        bars(strength),
        [
            ("-2", 1, Some(&*lead(-2))),
            ("0", 1, Some(tie)),
            ("2", 2, Some(&*lead(2)))
        ]
    );
    // Without contradictions the queries use the size, and there is no figure for them.
    let profile = profile_of(&rows(&[[4.0, 2.0], [2.0, 1.0]]), None, false);
    let strength = card(&profile, "verdicts", "strength");
    let sizes = [
        ("1", 1, Some("abs(margin)=1")),
        ("2", 1, Some("abs(margin)=2")),
    ];
    assert_eq!(bars(strength), sizes);
    assert!(
        strength
            .figures
            .iter()
            .all(|figure| figure.key != "negative")
    );
}

#[test]
fn many_strengths_have_bars_with_round_ends() {
    let row = |chosen: f64| {
        format!(
            r#"{{"prompt": "p{chosen}", "chosen": "x", "rejected": "y", "score_chosen": {chosen}, "score_rejected": 0}}"#
        )
    };
    let labels = |scores: Vec<f64>| {
        let rows: Vec<_> = scores.iter().map(|score| row(*score)).collect();
        let data = dataset(&[rows.join("\n")]);
        let profile = profile_of(&data, None, false);
        let strength = card(&profile, "verdicts", "strength");
        let bars = bars(strength);
        assert_eq!(
            bars.iter().map(|bar| bar.1).sum::<u64>(),
            scores.len() as u64
        );
        bars.iter().map(|bar| bar.0.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        labels((0..=13).map(f64::from).collect()),
        [
            "0 to 1", "2 to 3", "4 to 5", "6 to 7", "8 to 9", "10 to 11", "12 to 13"
        ]
    );
    let tenths = labels((1..=13).map(|at| f64::from(at) / 10.0).collect());
    assert_eq!(tenths[..2], ["0 to 0.2", "0.2 to 0.4"]);
    assert_eq!(tenths.len(), 7);
    let below = labels((-6..=6).map(|at| f64::from(at) * 10.0).collect());
    assert_eq!(below[..2], ["-60 to -41", "-40 to -21"]);
}
