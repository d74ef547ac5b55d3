//! Agreement of ledgers made by hand; kappas and alphas are those of scikit-learn and the
//! `krippendorff` package.

use super::*;
use crate::review::agreement::Agreement;
use crate::stats::{Figure, Undefined};

/// Helpfulness in the dataset, by anna and by ben.
const OWN: [[u8; 2]; 12] = [
    [3, 2],
    [4, 4],
    [0, 1],
    [2, 3],
    [1, 1],
    [4, 0],
    [3, 3],
    [2, 0],
    [4, 3],
    [1, 4],
    [0, 0],
    [2, 2],
];
const ANNA: [[u8; 2]; 12] = [
    [3, 1],
    [4, 3],
    [0, 1],
    [2, 4],
    [1, 2],
    [4, 0],
    [2, 3],
    [2, 1],
    [3, 3],
    [2, 4],
    [0, 1],
    [2, 2],
];
const BEN: [[u8; 2]; 6] = [[3, 2], [4, 4], [1, 1], [2, 3], [0, 2], [4, 1]];

fn everything(_: &SampleKey, _: &Rating) -> bool {
    true
}

pub(super) fn of(scribe: &Scribe, dataset: &Dataset, reviewer: Option<&str>) -> Agreement {
    let scope = AgreementScope {
        reviewer,
        audit: None,
        between: true,
        has_details: true,
        counts: &everything,
    };
    agreement(&scribe.ledger, &places(dataset), dataset, &scope)
}

fn rated(values: &[(&str, &[[u8; 2]])]) -> (Dataset, Scribe) {
    let dataset = pairs(&OWN);
    let keys = keys(&dataset);
    let mut scribe = Scribe {
        setting: first(None),
        ..Scribe::default()
    };
    for (reviewer, values) in values {
        for (key, values) in keys.iter().zip(*values) {
            scribe.helpful(reviewer, *key, values.map(f64::from));
        }
    }
    (dataset, scribe)
}

fn first(audit: Option<&str>) -> Setting {
    Setting {
        audit: audit.map(|name| ActId(name.into())),
        pass: 1,
        blind: true,
        order: crate::model::ResponseOrder::OF_FILE,
        ..Setting::default()
    }
}

fn near(figure: Result<f64, Undefined>, expected: f64) {
    let figure = figure.expect("a figure");
    assert!(
        (figure - expected).abs() < 1e-9,
        "{figure} and not {expected}"
    );
}

#[test]
fn agreement_with_the_dataset() {
    let (dataset, scribe) = rated(&[("anna", &ANNA)]);
    let sums = of(&scribe, &dataset, Some("anna"));
    assert_eq!(
        (sums.samples, sums.judgments, sums.blind, sums.gone),
        (12, 12, 12, 0)
    );
    let label = &sums.labels[0];
    assert_eq!(
        (
            &*label.name,
            label.samples,
            label.confusion.total(),
            label.published
        ),
        ("helpfulness", 12, 24, Some(0.791))
    );
    near(label.kappa.value, 0.896_353_166_986_564_3);
    near(label.equal.value, 15.0 / 24.0);
    near(label.difference.value, 1.0 / 24.0);
    assert_eq!(
        (label.confusion.count(1, 0), label.confusion.count(0, 1)),
        (2, 0),
        "rows are the reviewer's"
    );
    let few = Undefined::TooFew { have: 12, need: 15 };
    assert_eq!(label.kappa.interval, Some(Err(few)));
    // The other labels were not judged.
    assert_eq!(sums.labels[1].kappa.value, Err(Undefined::Nothing));
    let verdict = sums.verdict.as_ref().expect("verdicts");
    near(verdict.kappa.value, 0.4);
    near(verdict.equal.value, 7.0 / 12.0);
    assert_eq!(
        verdict.confusion.count(1, 2),
        3,
        "B where the dataset has a tie"
    );
    assert!(sums.between.is_none());
    let scope = AgreementScope {
        reviewer: Some("anna"),
        audit: None,
        between: false,
        has_details: true,
        counts: &everything,
    };
    let (places, always) = (places(&dataset), || true);
    let quick = work(&scribe.ledger, &places, &dataset).agreement_while(&scope, false, &always);
    let quick = quick.expect("it was not cancelled");
    assert!(
        quick.labels[0].kappa.interval.is_none()
            && quick.labels[0].kappa.value == label.kappa.value
    );
}

#[test]
fn agreement_with_each_other() {
    let (dataset, scribe) = rated(&[("ben", &BEN), ("anna", &ANNA)]);
    let all = of(&scribe, &dataset, None);
    assert_eq!((all.samples, all.judgments), (12, 18));
    near(all.labels[0].kappa.value, 0.901_845_637_583_892_6);
    // All reviewers are compared, even if only one is compared with the dataset.
    for sums in [&all, &of(&scribe, &dataset, Some("ben"))] {
        let between = sums.between.as_ref().expect("two reviewers");
        assert_eq!((between.reviewers, between.each.len()), (2, 6));
        let (label, verdict) = (&between.each[0], between.each.last().expect("who wins"));
        let names = label.reviewers.as_ref().expect("two");
        assert_eq!(names.each_ref().map(|name| &**name), ["anna", "ben"]);
        assert_eq!(label.confusion.total(), 12);
        near(label.kappa.value, 0.868_131_868_131_868_2);
        near(verdict.kappa.value, 0.5);
        assert_eq!(between.alphas[0].units, 12);
        near(between.alphas[0].alpha.value, 0.876_935_336_976_320_3);
        near(
            between.alphas.last().expect("who wins").alpha.value,
            0.511_111_111_111_111_1,
        );
        assert_eq!(between.alphas[1].alpha.value, Err(Undefined::Nothing));
    }
    assert_eq!(of(&scribe, &dataset, Some("ben")).samples, 6);
}

#[test]
fn the_latest_first_judgment_counts_and_repeats_measure_consistency() {
    let dataset = pairs(&OWN);
    let keys = keys(&dataset);
    let mut scribe = Scribe {
        setting: first(Some("one")),
        ..Scribe::default()
    };
    // In the audit A wins (shown left), and in the repeat (swapped) B wins: left again.
    scribe.helpful("anna", keys[0], [3.0, 1.0]);
    scribe.setting = Setting {
        pass: 2,
        order: crate::model::ResponseOrder::OF_FILE.reversed(2),
        ..first(Some("one"))
    };
    scribe.helpful("anna", keys[0], [1.0, 2.0]);
    // Another sample with the same answers both times.
    scribe.setting = first(Some("one"));
    scribe.helpful("anna", keys[1], [4.0, 4.0]);
    scribe.setting.pass = 2;
    scribe.helpful("anna", keys[1], [4.0, 4.0]);
    let sums = of(&scribe, &dataset, Some("anna"));
    assert_eq!(
        (sums.samples, sums.labels[0].confusion.total()),
        (2, 4),
        "repeats are not compared with the dataset"
    );
    let consistency = &sums.consistency;
    let verdict = consistency.figures.last().expect("who wins");
    assert_eq!((consistency.repeats, verdict.n), (2, 2));
    near(verdict.equal.value, 0.5);
    near(consistency.figures[0].equal.value, 0.5);
    near(consistency.figures[0].distance(), 0.75);
    // Pairs 3→1, 1→2, 4→4, 4→4.
    near(
        consistency.figures[0].kappa.value,
        1.0 - (5.0 / 4.0) / (52.0 / 16.0),
    );
    assert_eq!((consistency.decided, consistency.swapped), (2, 1));
    near(consistency.left.value, 1.0);
    // First with a later judgment outside the audit, then the audit only.
    scribe.setting = first(None);
    scribe.helpful("anna", keys[0], [0.0, 0.0]);
    assert_eq!(
        of(&scribe, &dataset, None).labels[0].confusion.count(0, 3),
        1
    );
    let audit = ActId("one".into());
    let scope = AgreementScope {
        reviewer: Some("anna"),
        audit: Some(&audit),
        between: true,
        has_details: true,
        counts: &everything,
    };
    let sums = agreement(&scribe.ledger, &places(&dataset), &dataset, &scope);
    assert_eq!(
        (
            sums.labels[0].confusion.count(0, 3),
            sums.labels[0].confusion.count(3, 3)
        ),
        (0, 1)
    );
}

/// A judgment of one of two samples with the same content counts once and is compared with the one
/// that was judged.
#[test]
fn duplicates_are_judged_once() {
    let pair = |a: u8, b: u8| format!("{}\n{}\n", row("p", "a", a), row("p", "b", b));
    let between = row("q", "a", 1) + "\n";
    let folder = tempfile::tempdir().expect("a folder");
    let dataset = load(&[file(&folder, "f", &(pair(4, 0) + &between + &pair(1, 3)))]);
    let keys = keys(&dataset);
    assert_eq!((keys.len(), keys[0]), (3, keys[2]));
    for (row, judged) in [(1, [4, 0]), (4, [1, 3])] {
        let mut scribe = Scribe {
            setting: first(None),
            ..Scribe::default()
        };
        scribe.helpful("anna", keys[2], [2.0, 2.0]);
        let sample_refs = [SampleRef {
            sample: keys[0],
            file: "f".into(),
            row,
        }];
        let places = locate_all(&dataset, &sample_refs, &|| true).expect("not cancelled");
        assert_eq!(places.samples(&keys[0]), [0, 2]);
        let scope = AgreementScope {
            reviewer: None,
            audit: None,
            between: true,
            has_details: true,
            counts: &everything,
        };
        let sums = agreement(&scribe.ledger, &places, &dataset, &scope);
        assert_eq!((sums.samples, sums.judgments), (1, 1));
        for value in judged {
            assert_eq!(sums.labels[0].confusion.count(2, value), 1, "{row}");
        }
    }
}

#[test]
fn excluded_judgments_reveal_nothing() {
    let (dataset, mut scribe) = rated(&[("anna", &ANNA), ("ben", &BEN)]);
    let keys = keys(&dataset);
    let hidden = keys[0];
    let counts = |key: &SampleKey, rating: &Rating| *key != hidden && &*rating.reviewer != "ben";
    let scope = AgreementScope {
        reviewer: None,
        audit: None,
        between: true,
        has_details: true,
        counts: &counts,
    };
    let sums = agreement(&scribe.ledger, &places(&dataset), &dataset, &scope);
    assert_eq!(
        (sums.samples, sums.judgments, sums.consistency.decided),
        (11, 11, 9)
    );
    assert!(sums.between.is_none());
    // Skipped and deferred samples do not count as judged, and missing ones are reported.
    let setting = scribe.setting.clone();
    scribe.act(
        "anna",
        Some(keys[1]),
        Act::Skip {
            setting: setting.clone(),
        },
    );
    scribe.act("anna", Some(keys[2]), Act::Defer { setting });
    let mut known = SampleLocator::default();
    (0..11).for_each(|sample| known.add(keys[sample], sample as u32));
    let scope = AgreementScope {
        reviewer: Some("anna"),
        audit: None,
        between: true,
        has_details: true,
        counts: &everything,
    };
    let sums = agreement(&scribe.ledger, &known, &dataset, &scope);
    assert_eq!((sums.samples, sums.gone), (9, 1));
}

#[test]
fn verdicts_of_a_dataset_that_states_them() {
    let rows = [("p", 1), ("q", 0), ("r", 0)].map(|(prompt, better)| {
        format!(r#"{{"prompt": "{prompt}", "response_0": "x", "response_1": "y", "better_response_id": {better}, "is_response_0_safe": true}}"#)
    });
    let dataset = crate::dataset::tests::dataset(&[rows.join("\n")]);
    let keys = keys(&dataset);
    let mut scribe = Scribe {
        setting: first(None),
        ..Scribe::default()
    };
    for (key, verdict) in keys.iter().zip([
        Verdict::wins(ResponseId::B),
        Verdict::Tie,
        Verdict::wins(ResponseId::A),
    ]) {
        scribe.verdict("anna", *key, verdict);
    }
    let sums = of(&scribe, &dataset, None);
    assert!(sums.labels.is_empty());
    near(
        sums.verdict.as_ref().expect("verdicts").equal.value,
        2.0 / 3.0,
    );
    assert_eq!(sums.in_short(), "", "of three it says nothing");
}

#[test]
fn a_choice_among_several_best_responses_agrees_and_is_left_out_of_kappa() {
    let rows = [
        "[4,4,1]", "[4,4,1]", "[4,1,1]", "[4,1,1]", "[2,2,2]", "[2,2,2]",
    ];
    let rows = rows.iter().enumerate().map(|(at, ratings)| {
        format!(
            r#"{{"instruction":"task {at}","generations":["x","y","z"],"ratings":{ratings},"model_name":"m"}}"#
        )
    });
    let dataset = crate::dataset::tests::dataset(&[rows.collect::<Vec<_>>().join("\n")]);
    let mut scribe = Scribe {
        setting: first(None),
        ..Scribe::default()
    };
    let wins = |place| Verdict::wins(ResponseId::new(place).expect("a letter"));
    let said = [wins(0), wins(2), wins(0), wins(1), Verdict::Tie, wins(0)];
    for (key, verdict) in keys(&dataset).iter().zip(said) {
        scribe.verdict("anna", *key, verdict);
    }
    let sums = of(&scribe, &dataset, None);
    let verdict = sums.verdict.as_ref().expect("verdicts");
    assert_eq!(
        (
            verdict.n,
            verdict.several,
            verdict.samples,
            verdict.confusion.total()
        ),
        (6, 2, 6, 4)
    );
    near(verdict.equal.value, 3.0 / 6.0);
    // Of the other four: observed 0.5, expected 0.375.
    near(verdict.kappa.value, 0.125 / 0.625);
    assert!(
        sums.answer(&no_spot)
            .markdown()
            .contains("2 of them have several best responses")
    );
    assert!(
        sums.answer(&no_spot)
            .markdown()
            .contains("| 6 (κ: 4) | 0.50 |")
    );
    // First answers: 3 A, 1 B, 1 C, 1 tie; second: 2 A or B, 2 A, 2 ties.
    near(
        verdict.equal_by_chance.ok_or(Undefined::Nothing),
        16.0 / 36.0,
    );
    let said = "anna gave the dataset's verdict in 50 % of 6 samples (95 % CI n/a: too few (6, at least 15 needed)), with 1 tie on \
        both sides; a shared best response counts, and chance would reach 44 %; κ 0.20, n = 4.";
    assert!(sums.first_page().contains(said), "{}", sums.first_page());
}

#[test]
fn ties_on_both_sides_are_named() {
    let dataset = pairs(&[[2, 2]; 12]);
    let mut scribe = Scribe {
        setting: first(None),
        ..Scribe::default()
    };
    for key in keys(&dataset) {
        for reviewer in ["anna", "ben"] {
            scribe.verdict(reviewer, key, Verdict::Tie);
        }
    }
    let ties = "100 % of 12 samples (95 % CI n/a: too few (12, at least 15 needed)), with 12 ties on both sides; \
        κ n/a: all ratings have the same value, so chance would agree too, n = 12.";
    let alone = of(&scribe, &dataset, Some("anna")).first_page();
    assert!(
        alone.contains(&format!("anna gave the dataset's verdict in {ties}")),
        "{alone}"
    );
    let all = of(&scribe, &dataset, None);
    assert_eq!(all.by_reviewer.len(), 2);
    let raters = all.answer(&no_spot).markdown();
    let row = "\n| dataset | 12 | n/a | n/a | 100 % | 100 % |  |\n";
    assert!(raters.contains(row), "{raters}");
    let both = all.first_page();
    assert!(
        both.contains(&format!("anna and ben gave the same verdict in {ties}")),
        "{both}"
    );
}

#[test]
fn each_rater_is_compared_with_every_other() {
    let (dataset, scribe) = rated(&[("anna", &ANNA), ("ben", &BEN)]);
    let all = of(&scribe, &dataset, None);
    let given = [&ANNA[..], &BEN[..], &OWN[..]];
    let names = ["anna", "ben", "dataset"];
    assert!(
        all.raters.iter().map(|it| &*it.name).eq(names),
        "{:?}",
        all.raters
    );
    let verdict = |[a, b]: [u8; 2]| a.cmp(&b);
    for (at, rater) in all.raters.iter().enumerate() {
        let own = given[at];
        assert_eq!((&*rater.question, rater.n), ("verdict", own.len()));
        let [mut pairs, mut equal] = [0_u64; 2];
        for (_, other) in given.iter().enumerate().filter(|(other, _)| *other != at) {
            for (one, other) in own.iter().zip(*other) {
                pairs += 1;
                equal += u64::from(verdict(*one) == verdict(*other));
            }
        }
        near(rater.equal.value, equal as f64 / pairs as f64);
        let share = |of: &dyn Fn(u8) -> bool| {
            let values: Vec<_> = own.iter().flatten().collect();
            values.iter().filter(|it| of(***it)).count() as f64 / values.len() as f64
        };
        near(rater.lowest.value, share(&|value| value == 0));
        near(rater.highest.value, share(&|value| value == 4));
        let won: Vec<_> = own.iter().filter(|[a, b]| a != b).collect();
        near(rater.ties.value, 1.0 - won.len() as f64 / own.len() as f64);
        let first = won.iter().filter(|[a, b]| a > b).count();
        near(rater.first.value, first as f64 / won.len() as f64);
        assert_eq!(rater.seconds.is_ok(), rater.kind == RaterKind::Reviewer);
    }
    let anna = ["anna".into()];
    let found = places(&dataset);
    let two = work(&scribe.ledger, &found, &dataset).agreement_of(&anna, None, true);
    let alone: Vec<_> = two.raters.iter().map(|it| (&*it.name, it.n)).collect();
    assert_eq!(alone, [("anna", 12), ("ben", 6), ("dataset", 12)]);
}

#[test]
fn figures_that_there_are_not_say_why() {
    let (dataset, scribe) = rated(&[]);
    let nothing = of(&scribe, &dataset, None);
    assert_eq!(nothing.in_short(), "");
    assert_eq!(Agreement::default().in_short(), "");
    let (dataset, scribe) = rated(&[("anna", &[[3, 2]])]);
    let one = of(&scribe, &dataset, None);
    // Both give the same value to everything.
    let dataset_of_one = pairs(&[[2, 2]]);
    let mut same = Scribe {
        setting: first(None),
        ..Scribe::default()
    };
    same.helpful("anna", keys(&dataset_of_one)[0], [2.0, 2.0]);
    let constant = of(&same, &dataset_of_one, None);
    assert_eq!(constant.labels[0].kappa.value, Err(Undefined::OneValue));
    for sums in [&nothing, &one, &constant, &Agreement::default()] {
        let markdown = sums.answer(&no_spot).markdown();
        assert!(
            !markdown.contains("NaN") && !markdown.contains("inf") && !markdown.contains("-0.00"),
            "{markdown}"
        );
        let is_reported = sums.judgments == 0 || markdown.contains("n/a: ");
        assert!(is_reported, "{markdown}");
    }
    assert!(
        constant
            .answer(&no_spot)
            .markdown()
            .contains("n/a: all ratings have the same value"),
        "{}",
        constant.answer(&no_spot).markdown()
    );
}

#[test]
fn hidden_and_missing_judgments_are_distinguished() {
    let (dataset, scribe) = rated(&[("anna", &ANNA)]);
    let never_blind = |_: &SampleKey, _: &Rating| false;
    let scope = AgreementScope {
        reviewer: Some("anna"),
        audit: None,
        between: true,
        has_details: true,
        counts: &never_blind,
    };
    let sums = agreement(&scribe.ledger, &places(&dataset), &dataset, &scope);
    assert_eq!((sums.judgments, sums.hidden), (0, 12));
    assert!(
        sums.answer(&no_spot)
            .markdown()
            .contains("n/a: results are hidden while you judge blind"),
        "{}",
        sums.answer(&no_spot).markdown()
    );
    let nothing = of(&rated(&[]).1, &dataset, None);
    assert_eq!(nothing.hidden, 0);
    assert!(
        nothing
            .answer(&no_spot)
            .markdown()
            .contains("No judgments yet. Rate samples, or run :audit 20.")
            && !nothing.answer(&no_spot).markdown().contains("Position"),
        "{}",
        nothing.answer(&no_spot).markdown()
    );
}

#[test]
fn the_result_first_page() {
    let (dataset, mut scribe) = rated(&[("anna", &ANNA)]);
    assert!(
        of(&rated(&[]).1, &dataset, None)
            .first_page()
            .contains("No judgment can be compared with the dataset.")
    );
    for (key, own) in keys(&dataset).into_iter().zip(OWN) {
        // One less throughout, where possible.
        scribe.label(
            "anna",
            key,
            "verbosity",
            ResponseId::A,
            f64::from(own[0].saturating_sub(1)),
        );
    }
    let words = of(&scribe, &dataset, None).first_page();
    for says in [
        "anna gave the dataset's verdict in 58 % of 12 samples (95 % CI n/a: too few (12, at least 15 needed)), with 1 tie on both sides; κ 0.40, n = 12.\n\nToo few samples were judged to compare labels.",
        "\n| anna · dataset | `",
    ] {
        assert!(words.contains(says), "{says}\n{words}");
    }
}

#[test]
fn judgments_after_the_labels_showed_are_counted() {
    let (dataset, mut scribe) = rated(&[("anna", &ANNA)]);
    scribe.setting.blind = false;
    scribe.helpful("anna", keys(&dataset)[0], [1.0, 1.0]);
    let markdown = of(&scribe, &dataset, None).answer(&no_spot).markdown();
    assert!(
        markdown.contains("(11 given blind, 1 after the labels were shown)"),
        "{markdown}"
    );
}

#[test]
fn in_short_it_fits_the_status_line() {
    let (dataset, scribe) = rated(&[("anna", &ANNA)]);
    let own = pairs(&[OWN, OWN].concat());
    let mut enough = Scribe {
        setting: first(None),
        ..Scribe::default()
    };
    for (key, values) in keys(&own).into_iter().zip([ANNA, ANNA].concat()) {
        enough.helpful("anna", key, values.map(f64::from));
    }
    let short = of(&enough, &own, None).in_short();
    assert_eq!(short, "κ helpfulness 0.90 (48)");
    assert_eq!(
        of(&scribe, &dataset, None).in_short(),
        "κ helpfulness – (12 judged)",
        "of fewer than 15 it says nothing"
    );
    let (_, mut more) = rated(&[("anna", &ANNA)]);
    for key in keys(&dataset) {
        for (label, value) in LABELS.iter().zip([1.0, 2.0, 3.0, 4.0, 0.0]) {
            more.label("ben", key, label, ResponseId::A, value);
        }
    }
    let short = of(&more, &dataset, None).in_short();
    assert!(crate::text::width(&short) <= 40, "{short}");
}

#[test]
fn names_are_escaped_in_markdown() {
    let (dataset, scribe) = rated(&[("a|b\n*c* \u{1b}[31m", &ANNA)]);
    let markdown = of(&scribe, &dataset, None).answer(&no_spot).markdown();
    assert!(
        markdown.contains(r"a\|b \*c\*") && !markdown.contains('\u{1b}'),
        "{markdown}"
    );
}

#[test]
fn as_markdown() {
    let (dataset, mut scribe) = rated(&[("anna", &ANNA), ("ben", &BEN)]);
    scribe.setting = Setting {
        pass: 2,
        order: crate::model::ResponseOrder::OF_FILE.reversed(2),
        ..first(None)
    };
    for (key, values) in keys(&dataset).into_iter().zip(BEN).take(3) {
        scribe.helpful("anna", key, values.map(f64::from));
    }
    let markdown = of(&scribe, &dataset, Some("anna"))
        .answer(&no_spot)
        .markdown();
    for line in [
        "## Agreement",
        "| helpfulness | 24 | 0.90 | n/a | 0.62 | n/a | 0.04 | 0.79 |",
        "helpfulness (rows: the reviewer, columns: the dataset)",
        "| **1** | 2 | **2** | 1 | · | · |",
        "| verdict | 12 | 0.58 | n/a | 0.40 | n/a | n/a |",
        "- publ. share of single annotators n/a: not published: for verdict",
        "| **tie** | 1 | · | **1** |",
        "| helpfulness | 6 | 0.87 | n/a | 0.50 | n/a | 0.50 |",
        "- 95 % n/a: too few (12, at least 15 needed): for helpfulness",
        "| verdict | 3 | 0.14 | n/a | 0.33 | n/a | n/a |",
        "Position: without ties, the left response of two won 36 % of 11 verdicts (95 % CI n/a: too few (10, at least 15 needed)); 1 of them with sides swapped.",
        "| helpfulness | 12 | 0.88 | n/a |",
        "| anna | ben | helpfulness | 12 | 0.87 | n/a | 0.50 | n/a |",
        "| anna | ben | verdict | 6 | 0.50 | n/a | 0.67 | n/a |",
    ] {
        assert!(
            markdown.lines().any(|other| other == line),
            "{line}\n\n{markdown}"
        );
    }
    // Only judged labels have a matrix.
    assert_eq!(
        markdown
            .matches("(rows: the reviewer, columns: the dataset)")
            .count(),
        2
    );
    // All rows of a table have the same number of cells.
    for table in markdown
        .split("\n\n")
        .filter(|block| block.starts_with('|'))
    {
        let cells: Vec<_> = table
            .lines()
            .map(|line| line.matches('|').count())
            .collect();
        assert!(cells.iter().all(|count| *count == cells[0]), "{table}");
        // Cells contain only figures and fit a terminal of 80 columns.
        assert!(
            table
                .lines()
                .all(|row| crate::text::width(row) <= 80 && !row.contains("n/a:")),
            "{table}"
        );
    }
}

/// Prints how long the agreement of a thousand samples with five labels takes:
/// `cargo test --release --lib review -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn how_long_it_takes() {
    let values: Vec<[u8; 2]> = (0..1000)
        .map(|at| [at % 5, (at / 5) % 5].map(|value: u16| value as u8))
        .collect();
    let dataset = pairs(&values);
    let mut scribe = Scribe {
        setting: first(None),
        ..Scribe::default()
    };
    for (at, (key, values)) in keys(&dataset).into_iter().zip(&values).enumerate() {
        for (side, value) in ResponseId::first(2).zip(values) {
            for (place, label) in LABELS.iter().enumerate() {
                let off = u8::from((at * 7 + place * 3) % 4 == 0);
                scribe.label("anna", key, label, side, f64::from((value + off).min(4)));
            }
        }
    }
    let known = places(&dataset);
    let scope = AgreementScope {
        reviewer: Some("anna"),
        audit: None,
        between: true,
        has_details: true,
        counts: &everything,
    };
    let times = (0..7).map(|_| {
        let start = std::time::Instant::now();
        let sums = agreement(&scribe.ledger, &known, &dataset, &scope);
        assert_eq!(sums.samples, 1000);
        start.elapsed()
    });
    let mut times: Vec<_> = times.collect();
    times.sort();
    println!(
        "{:?} at best, {:?} in the middle, {:?} at worst",
        times[0], times[3], times[6]
    );
    let all = keys(&dataset);
    let queue: Vec<_> = (0..10).flat_map(|_| all.clone()).collect();
    scribe.act("anna", None, Act::Audit(Arc::new(audit(&queue))));
    let mut session = scribe.ledger.sessions().next().expect("a session").clone();
    session.id = ActId("none".into());
    let start = std::time::Instant::now();
    let work = work(&scribe.ledger, &known, &dataset);
    let progress = work.progress_of(&session, &session.reviewer);
    println!(
        "progress of {} items: {:?}",
        progress.items.len(),
        start.elapsed()
    );
}

#[test]
fn changes_after_the_reveal_are_reported_separately() {
    let (dataset, mut scribe) = rated(&[("anna", &ANNA)]);
    let keys = keys(&dataset);
    let blind = of(&scribe, &dataset, Some("anna"));
    scribe.setting = Setting {
        blind: false,
        revealed: true,
        ..first(None)
    };
    scribe.helpful("anna", keys[0], [3.0, 2.0]);
    let setting = scribe.setting.clone();
    scribe.act(
        "anna",
        Some(keys[4]),
        Act::Skip {
            setting: setting.clone(),
        },
    );
    scribe.act("anna", Some(keys[6]), Act::Defer { setting });
    let sums = of(&scribe, &dataset, Some("anna"));
    assert_eq!((sums.judgments, sums.blind), (12, 12), "none is lost");
    assert_eq!(sums.labels[0].confusion, blind.labels[0].confusion);
    let apart = &sums.apart;
    assert_eq!(
        (apart.changed, apart.withdrawn, apart.put_off, apart.seen),
        (1, 1, 1, 0)
    );
    assert_eq!(apart.later[0].n, 20, "two samples less");
    let equal = blind.labels[0].confusion.count(3, 3) + 1;
    assert!(
        equal > 0 && apart.later[0].equal.value.expect("a share") > 0.6,
        "{:?}",
        apart.later[0]
    );
    let told = sums.answer(&no_spot).markdown();
    assert!(
        told.contains("1 changed, 1 withdrawn after the labels were shown, 1 put off"),
        "{told}"
    );
}

#[test]
fn samples_seen_before_are_counted_separately() {
    let (dataset, mut scribe) = rated(&[("anna", &ANNA[..8])]);
    let keys = keys(&dataset);
    let before = of(&scribe, &dataset, Some("anna"));
    scribe.setting = Setting {
        blind: false,
        seen: true,
        ..first(None)
    };
    for at in 8..12 {
        scribe.helpful("anna", keys[at], OWN[at].map(f64::from));
    }
    let sums = of(&scribe, &dataset, Some("anna"));
    assert_eq!((sums.judgments, sums.blind, sums.apart.seen), (8, 8, 4));
    assert_eq!(sums.labels[0].confusion, before.labels[0].confusion);
    assert_eq!(
        (sums.apart.of_seen[0].n, sums.apart.of_seen[0].equal.value),
        (8, Ok(1.0))
    );
    let told = sums.answer(&no_spot).markdown();
    assert!(
        told.contains("4 of 12 judgments are of samples that the reviewer had seen before"),
        "{told}"
    );
}

#[test]
fn annotators_of_the_file_are_compared_with_each_other() {
    let files = ["helpsteer2-disagreements", "helpsteer3-annotated"];
    let texts = files.map(|name| {
        std::fs::read_to_string(format!("../../tests/samples/{name}.jsonl")).expect("rows")
    });
    let data = crate::dataset::tests::dataset(&texts);
    let found = of(&Scribe::default(), &data, None);
    let (name, helpfulness) = &found.annotators.0[0];
    // Both orders of four pairs of 4 3 4 and 1 0; the squared differences sum to 3.
    assert_eq!(
        (&**name, helpfulness.things, helpfulness.pairs),
        ("helpfulness", 2, 4)
    );
    let kappa = helpfulness.kappa.value.expect("a figure");
    // Values of the pairs: 4 3 4 4 3 4 1 0, and chance gives 2 (8·83 − 23²) in 8².
    assert!((kappa - (1.0 - 2.0 * 3.0 * 8.0 / (2.0 * (8.0 * 83.0 - 23.0 * 23.0)))).abs() < 1e-12);
    let (name, votes) = found.annotators.0.last().expect("votes");
    assert_eq!(
        (&**name, votes.things, votes.pairs, votes.equal.value),
        ("votes", 2, 4, Ok(0.25))
    );
    let page = found.answer(&no_spot).markdown();
    let (_, section) = page
        .split_once("### Annotators of the file")
        .expect("a section");
    assert!(
        section.contains("| helpfulness | 2 | 4 | 0.82 | n/a | 0.25 | n/a |"),
        "{section}"
    );
    assert!(section.contains("| votes | 2 | 4 |"), "{section}");
    let (dataset, scribe) = rated(&[("anna", &ANNA)]);
    let none = of(&scribe, &dataset, None);
    assert!(
        none.annotators.0.is_empty()
            && !none
                .answer(&no_spot)
                .markdown()
                .contains("Annotators of the file")
    );
}

#[test]
fn intervals_of_shares_know_that_reviewers_share_samples() {
    // All reviewers agree on each of 30 samples, so there are only 30 independent answers.
    let own: Vec<[u8; 2]> = (0..30).map(|at| [at % 5, 2]).collect();
    let dataset = pairs(&own);
    let keys = keys(&dataset);
    let mut scribe = Scribe {
        setting: first(None),
        ..Scribe::default()
    };
    for reviewer in ["anna", "ben", "cat", "dan"] {
        for (at, (key, own)) in keys.iter().zip(&own).enumerate() {
            let values = if at % 3 == 0 {
                [(own[0] + 1) % 5, 2]
            } else {
                *own
            };
            scribe.helpful(reviewer, *key, values.map(f64::from));
        }
    }
    let width = |figure: Figure| {
        figure
            .ends()
            .map(|[low, high]| high - low)
            .expect("an interval")
    };
    let (all, one) = (
        of(&scribe, &dataset, None),
        of(&scribe, &dataset, Some("anna")),
    );
    let verdicts = [&all, &one].map(|sums| sums.verdict.clone().expect("verdicts"));
    let [all_equal, one_equal] = verdicts.each_ref().map(|verdict| verdict.equal);
    assert_eq!(all_equal.value, one_equal.value);
    assert_eq!(
        one_equal,
        Figure::share(
            verdicts[1].confusion.count(0, 0)
                + verdicts[1].confusion.count(1, 1)
                + verdicts[1].confusion.count(2, 2),
            30
        ),
        "one judgment of each sample: Wilson's"
    );
    let times = width(all_equal) / width(one_equal);
    assert!((0.85..1.15).contains(&times), "{times}");
    // Each pair agrees on everything; the interval depends on the number of samples.
    let between = all.between.as_ref().expect("four");
    assert_eq!(between.each.len(), 36);
    for pair in between.each.iter().step_by(6) {
        let equal = pair.equal;
        assert_eq!(equal.value, Ok(1.0));
        assert_eq!(equal.ends(), Figure::share(30, 30).ends());
    }
    let pair = &of(&scribe, &dataset, None).between.expect("four");
    let alpha = pair.alphas[0].alpha;
    assert!(alpha.value.is_ok() && alpha.interval.is_some());
}

#[test]
fn labels_with_the_lowest_and_the_highest_agreement_are_named_unless_they_are_equal() {
    let own: Vec<[u8; 2]> = (0..40).map(|at| [at % 5, (at / 5) % 5]).collect();
    for (wrong, unlike) in [(2, false), (40, true)] {
        let dataset = pairs(&own);
        let keys = keys(&dataset);
        let mut scribe = Scribe {
            setting: first(None),
            ..Scribe::default()
        };
        for (at, (key, own)) in keys.iter().zip(&own).enumerate() {
            for (response, own) in [ResponseId::A, ResponseId::B].into_iter().zip(own) {
                let off = |is_off: bool| f64::from(if is_off { (own + 2) % 5 } else { *own });
                scribe.label("anna", *key, "helpfulness", response, off(at < 2));
                scribe.label("anna", *key, "correctness", response, off(at < wrong));
            }
        }
        let said = of(&scribe, &dataset, Some("anna")).first_page();
        assert_eq!(said.contains("lowest for correctness ("), unlike, "{said}");
        assert_eq!(said.contains("highest for helpfulness ("), unlike, "{said}");
        assert_eq!(said.contains("is lowest for"), unlike, "{said}");
    }
}

#[test]
fn a_mark_brings_no_rater() {
    let input = |name, bytes: &'static str| Input::Embedded {
        name,
        bytes: bytes.as_bytes(),
    };
    let rows = r#"{"prompt": "bird?", "chosen": "wren", "rejected": "trout"}"#;
    let scores = r#"{"prompt": "bird?", "chosen": "trout", "rejected": "wren", "score_chosen": 2, "score_rejected": 0.5}"#;
    let dataset = crate::dataset::tests::load_with(&crate::dataset::Loader {
        inputs: vec![input("pairs", rows)],
        joins: vec![crate::dataset::JoinInput {
            name: Some("judge".to_owned()),
            input: input("scores", scores),
            choice: SchemaChoice::default(),
        }],
        ..crate::dataset::Loader::default()
    });
    let key = dataset.key(0, &mut Buffers::default()).expect("a key");
    let mut scribe = Scribe::default();
    let raters = |scribe: &Scribe| -> Vec<_> {
        let places = locate(&dataset, &scribe.ledger.sample_refs(), &|| true);
        let places = places.unwrap_or_default();
        let all = work(&scribe.ledger, &places, &dataset).agreement_of(&[], None, true);
        all.raters
            .iter()
            .map(|rater| rater.name.to_string())
            .collect()
    };
    scribe.act("ann", Some(key), Act::Mark { on: true });
    assert_eq!(raters(&scribe), [""; 0]);
    scribe.verdict("ann", key, Verdict::wins(ResponseId::A));
    assert_eq!(raters(&scribe), ["ann", "judge", "dataset"]);
}

#[test]
fn agreement_is_compared_with_chance() {
    // The dataset's winner is A in every second sample; the reviewer's answers, and what is said.
    let own: Vec<_> = (0..20).map(|at| [at % 2 * 3, 1]).collect();
    for (wins, words) in [
        (own.clone(), "better than chance"),
        // Half are equal, as many as by chance.
        (vec![[3, 1]; 20], "not clearly better than chance"),
    ] {
        let dataset = pairs(&own);
        let mut scribe = Scribe {
            setting: first(None),
            ..Scribe::default()
        };
        for (key, [a, b]) in keys(&dataset).iter().zip(wins) {
            let best = if a > b { ResponseId::A } else { ResponseId::B };
            scribe.verdict("anna", *key, Verdict::wins(best));
        }
        let sums = of(&scribe, &dataset, Some("anna"));
        let text = sums.answer(&no_spot).markdown();
        let told = text.lines().find(|line| line.contains("than chance"));
        let told = told.unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            told.contains("not clearly"),
            words.starts_with("not"),
            "{told}"
        );
    }
}
