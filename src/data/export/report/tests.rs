//! Reports of small audits.

use super::super::tests::{Acts, row, sample_ref_of};
use super::*;
use crate::answer::AnswerTable;
use crate::dataset::tests::dataset;
use crate::journal::Setting;
use crate::journal::{AuditItem, AuditPlan, Judgment, Reveal, StratifyBy, Stratum};
use crate::model::{ResponseId, Verdict};
use crate::review::{SampleLocator, locate};

fn report(dataset: &Dataset, ledger: &Ledger, places: &SampleLocator, spec: &ReportSpec) -> String {
    let work = Workspace {
        dataset,
        ledger,
        places,
    };
    super::report(work, spec)
}

/// Returns the audits of a ledger.
fn audits(dataset: &Dataset, ledger: &Ledger) -> AnswerTable {
    let work = Workspace {
        dataset,
        ledger,
        places: &places(dataset),
    };
    super::super::audits(work, None, |_| true)
}

fn data() -> Dataset {
    let rows: Vec<_> = (0..8)
        .flat_map(|number| {
            [
                row(&format!("p{number}"), "one ```", 1),
                row(&format!("p{number}"), &"two ".repeat(300), 4),
            ]
        })
        .collect();
    dataset(&[rows.join("\n")])
}

fn audit(dataset: &Dataset, seed: u64) -> Act {
    let item = |sample, pass| AuditItem {
        sample_ref: sample_ref_of(dataset, sample),
        pass,
        order: match pass {
            1 => crate::model::ResponseOrder::OF_FILE,
            _ => crate::model::ResponseOrder::OF_FILE.reversed(2),
        },
    };
    Act::Audit(Arc::new(AuditPlan {
        between: None,
        n: 3,
        seed,
        by: Some(StratifyBy {
            field: "helpfulness".into(),
            even: true,
        }),
        repeat: 0.1,
        blind: true,
        reveal: Reveal::After,
        filter: "len>0 `x`".into(),
        of: 8,
        data: Some(dataset.fingerprint()),
        strata: vec![Stratum {
            value: "1|4".into(),
            of: 8,
            drawn: 3,
        }],
        queue: vec![item(0, 1), item(1, 1), item(2, 1), item(0, 2)],
    }))
}

fn places(dataset: &Dataset) -> SampleLocator {
    let sample_refs: Vec<_> = (0..dataset.samples())
        .map(|sample| sample_ref_of(dataset, sample))
        .collect();
    locate(dataset, &sample_refs, &|| true).expect("found")
}

fn spec() -> ReportSpec {
    ReportSpec {
        now: "2026-11-21T12:00:00.000Z".into(),
        journals: vec!["x.review.jsonl".into()],
        full: true,
        ..ReportSpec::default()
    }
}

#[test]
fn an_empty_report_says_so() {
    let data = data();
    let text = report(&data, &Ledger::default(), &places(&data), &spec());
    assert!(
        text.contains("(schema `helpsteer2`)") && text.contains("16 rows, 8 samples"),
        "{text}"
    );
    assert!(
        text.contains("- No audit") && text.contains("**No judgments yet.**"),
        "{text}"
    );
    let missing = ReportSpec {
        audit: Some(ActId("x-1".into())),
        ..spec()
    };
    let text = report(&data, &Ledger::default(), &places(&data), &missing);
    assert!(
        text.contains("**Audit `x-1` is not in the journal `x.review.jsonl`.**"),
        "{text}"
    );
}

#[test]
fn an_audit_is_reported_with_its_disagreements() {
    let data = data();
    let mut acts = Acts::default();
    let first = acts.act("ann", None, audit(&data, 1));
    let id = acts.act("ann", None, audit(&data, 7));
    let setting = |pass| Setting {
        audit: Some(id.clone()),
        pass,
        blind: true,
        order: crate::model::ResponseOrder::OF_FILE,
        ..Setting::default()
    };
    let judge = |acts: &mut Acts, sample, values: [f64; 2], pass| {
        for (side, value) in ResponseId::first(2).zip(values) {
            acts.label("ann", (&data, sample), side, value, &setting(pass));
        }
    };
    judge(&mut acts, 0, [1.0, 3.0], 1); // differs by one
    judge(&mut acts, 1, [3.0, 4.0], 1); // by two
    judge(&mut acts, 2, [4.0, 3.0], 1); // the other wins
    judge(&mut acts, 0, [4.0, 0.0], 2); // a second pass is for consistency alone
    acts.act(
        "ann",
        Some((&data, 2)),
        Act::Note {
            text: "*why*".into(),
            order: Some(crate::model::ResponseOrder::OF_FILE.reversed(2)),
        },
    );
    acts.act(
        "bob",
        Some((&data, 2)),
        Act::Note {
            text: "not asked".into(),
            order: None,
        },
    );
    // Outside of the audit.
    let verdict = Judgment::Verdict {
        value: Some(Verdict::Tie),
        strength: None,
    };
    acts.act(
        "bob",
        Some((&data, 5)),
        Act::Rate {
            rated: verdict,
            setting: Setting {
                pass: 1,
                ..Setting::default()
            },
        },
    );
    let span = span(&acts.entries, Some(&id), &[]);
    let text = report(
        &data,
        &acts.ledger,
        &places(&data),
        &ReportSpec {
            span,
            troubles: vec!["a *b*".into()],
            ..spec()
        },
    );
    for says in [
        &*format!("- Audit `{id}`, begun by ann on 2026-11-21T10:00:02.000Z"),
        "- Drawn: 3 of 8 samples, equally for each value of `helpfulness`, seed 7; all samples are equally likely among those with the same helpfulness",
        "- Filter: `` len>0 `x` ``",
        "- Blind, with randomly swapped sides; the dataset's judgment was not shown yet, only after the whole audit",
        "\n\nann gave the dataset's verdict in 67 % of 3 samples (95 % CI n/a: too few (3, at least 15 needed)); κ 0.00, n = 3.",
        "\nAgreement with the dataset on helpfulness: κ 0.29, 95 % CI n/a: too few (3, at least 15 needed), n = 6.",
        " The mean difference of helpfulness is 0.50 (95 % CI n/a: too few (3, at least 15 needed), n = 6), the reviewer's value minus the dataset's. **The draw was even",
        "\n\nann judged 3 of the 3 drawn evenly by helpfulness from 8 samples: 4 judgments given blind (1 of them repeats). **The audit is not finished.** 2026-11-21.",
        "\n| ann · dataset | `━━━━━━━━━━━━━━━━━────────` | 67 % | n/a | 3 judgments |\n",
        "Reviewers are not resampled",
        "-n 3 --seed 7 --even helpfulness --repeat 10% --blind --filter 'len>0 `x`'",
        "- Repeats: 1 shown again later with swapped sides",
        "then type `:audit 3 seed=7 even=helpfulness repeat=10% blind`",
        "| 1\\|4 | 8 | 3 |",
        "**The draw was even: the same number for each value of helpfulness. These figures describe the draw, not the file.**",
        "- Questions of ann: 0 of 4 judged, 4 judged in part; all judgments blind\n- **The audit is not finished",
        "- Judged by: ann\n",
        "- First judgment 2026-11-21T10:00:03.000Z, last 2026-11-21T10:00:10.000Z",
        "\n- a \\*b\\*\n",
        "2 samples of 3: a reviewer and the dataset choose different winners or differ by 2 or more in a label; 1 more sample with smaller differences.",
        "### 1. Sample 3 · dataset: B wins, ann: A wins",
        "### 2. Sample 2 · dataset: B wins, ann: B wins",
        "|  | helpfulness |\n|---|---|\n| A, dataset | 1 |\n| A, ann | 4 |\n| B, dataset | 4 |\n| B, ann | 3 |\n",
        "Note of ann (its A is B here):\n\n> \\*why\\*",
        "````text\none ```\n````",
        "(this one)",
    ] {
        assert!(text.contains(says), "{says}\n---\n{text}");
    }
    assert!(!text.contains("not asked"));
    // The earlier audit, without judgments.
    let text = report(
        &data,
        &acts.ledger,
        &places(&data),
        &ReportSpec {
            audit: Some(first),
            ..spec()
        },
    );
    assert!(
        text.contains("**No judgments in this audit yet.**"),
        "{text}"
    );
    assert!(
        text.contains(" (this one) | ") && text.contains("3 left") | text.contains("4 left"),
        "{text}"
    );
}

/// ann and bob judge one audit, bob all but its last sample; a later audit has no judgments.
fn of_two(data: &Dataset) -> (Acts, ActId, ActId) {
    let mut acts = Acts::default();
    let Act::Audit(plan) = audit(data, 7) else {
        panic!("an audit")
    };
    let plan = AuditPlan {
        between: None,
        by: None,
        repeat: 0.0,
        strata: Vec::new(),
        queue: plan.queue[..3].to_vec(),
        ..(*plan).clone()
    };
    let id = acts.act("ann", None, Act::Audit(Arc::new(plan.clone())));
    let setting = Setting {
        audit: Some(id.clone()),
        pass: 1,
        blind: true,
        order: crate::model::ResponseOrder::OF_FILE,
        ..Setting::default()
    };
    for (reviewer, count) in [("ann", 3), ("bob", 2)] {
        for sample in 0..count {
            for label in [
                "helpfulness",
                "correctness",
                "coherence",
                "complexity",
                "verbosity",
            ] {
                for (side, value) in
                    ResponseId::first(2).zip([1.0, if reviewer == "bob" { 0.0 } else { 4.0 }])
                {
                    let rated = Judgment::Label {
                        label: label.into(),
                        response: side,
                        value: Some(value),
                    };
                    acts.act(
                        reviewer,
                        Some((data, sample)),
                        Act::Rate {
                            rated,
                            setting: setting.clone(),
                        },
                    );
                }
            }
        }
    }
    acts.act(
        "bob",
        Some((data, 2)),
        Act::Skip {
            setting: Setting {
                blind: false,
                ..setting
            },
        },
    );
    let later = acts.act(
        "bob",
        None,
        Act::Audit(Arc::new(AuditPlan { seed: 8, ..plan })),
    );
    (acts, id, later)
}

#[test]
fn each_reviewer_of_an_audit_has_a_line_and_figures_say_what_they_are_of() {
    let data = data();
    let (acts, id, later) = of_two(&data);
    let text = report(&data, &acts.ledger, &places(&data), &spec());
    let passed_over = format!("No judgments yet in a later audit: `{later}`, drawn by bob on ");
    for says in [
        &*format!("- Audit `{id}`, begun by ann on"),
        &passed_over,
        "\nann judged 3 and bob judged 2 of the 3 drawn at random from 8 samples: 5 judgments given blind.",
        "The reviewers gave the dataset's verdict in 60 % of 5 judgments of 3 samples (95 % CI n/a: too few (3, at least 15 needed)); κ ",
        " ann and bob gave the same verdict in 0 % of 2 samples (95 % CI n/a: too few (2, at least 15 needed)); κ ",
        "| ann · bob | `─",
        "- Questions of ann: 3 of 3 judged; all judgments blind\n- Questions of bob: 2 of 3 judged, 1 skipped; all judgments blind\n",
        "n is the number of judgments (one per reviewer) of 3 samples.",
        "- To repeat the draw in a shell: ",
        "### Reviewers",
        &*format!("\n| {later} | bob | 2026-11-21 10:00 | 3 of 8 | 8 | yes | bob 0/3 |\n"),
        &*format!(
            "\n| {id} (this one) | ann | 2026-11-21 10:00 | 3 of 8 | 7 | yes | ann 3/3, bob 3/3 |\n"
        ),
    ] {
        assert!(text.contains(says), "{says}\n---\n{text}");
    }
    assert!(
        !text.contains("not finished") && !text.contains("Not finished"),
        "{text}"
    );
    // A report on one reviewer covers everything.
    let text = report(
        &data,
        &acts.ledger,
        &places(&data),
        &ReportSpec {
            reviewers: vec!["bob".into()],
            ..spec()
        },
    );
    for says in [
        "\nbob judged 2 of the 3 drawn at random from 8 samples: 2 judgments given blind",
        "- Only judgments by bob count\n",
        "bob gave the dataset's verdict in 0 % of 2 samples",
        "- Judged by: bob\n",
        "No judgments by bob yet in a later audit",
    ] {
        assert!(text.contains(says), "{says}\n---\n{text}");
    }
    for hides in ["Questions of ann", "### Reviewers", "ann 3/3", "ann judged"] {
        assert!(!text.contains(hides), "{hides}\n---\n{text}");
    }
    let named = ReportSpec {
        audit: Some(later),
        ..spec()
    };
    let text = report(&data, &acts.ledger, &places(&data), &named);
    assert!(
        text.contains("**No judgments in this audit yet.**") && !text.contains("later audit"),
        "{text}"
    );
}

#[test]
fn the_same_can_be_drawn_from_the_same_alone() {
    let data = data();
    let (acts, ..) = of_two(&data);
    let rows = |count: usize, label: u8| -> Vec<String> {
        let pair = |number: usize| {
            let value = if number == 5 { label } else { 1 };
            [
                row(&format!("p{number}"), "one ```", value),
                row(&format!("p{number}"), &"two ".repeat(300), 4),
            ]
        };
        (0..count).flat_map(pair).collect()
    };
    for (count, label, says) in [
        (
            7,
            1,
            "- These files give a different draw: rows 16 then, 14 now, samples 8 then, 7 now\n",
        ),
        (
            8,
            3,
            "- These files give a different draw: the numbers of rows and samples are the same, but their contents or order changed",
        ),
    ] {
        let other = dataset(&[rows(count, label).join("\n")]);
        let text = report(&other, &acts.ledger, &places(&other), &spec());
        assert!(
            text.contains(says) && !text.contains("To draw the same"),
            "{says}\n---\n{text}"
        );
    }
}

#[test]
fn a_draw_by_what_reviewers_said_is_not_promised_again() {
    let data = data();
    let mut acts = Acts::default();
    let Act::Audit(plain) = audit(&data, 1) else {
        return;
    };
    acts.act(
        "ann",
        None,
        Act::Audit(Arc::new(AuditPlan {
            between: None,
            filter: "tag=odd".into(),
            ..(*plain).clone()
        })),
    );
    let text = report(&data, &acts.ledger, &places(&data), &spec());
    assert!(
        text.contains("cannot be guaranteed") && !text.contains("To draw the same"),
        "{text}"
    );
}

#[test]
fn an_adjudication_is_reported_where_there_is_no_other_audit() {
    let data = data();
    let (mut acts, id, _) = of_two(&data);
    let Act::Audit(plan) = audit(&data, 1) else {
        panic!("an audit")
    };
    let adjudication = |acts: &mut Acts| {
        let plan = AuditPlan {
            between: Some(["ann".into(), "bob".into()]),
            queue: plan.queue[..1].to_vec(),
            ..(*plan).clone()
        };
        let id = acts.act("cyd", None, Act::Audit(Arc::new(plan)));
        let setting = Setting {
            audit: Some(id.clone()),
            blind: true,
            ..Setting::default()
        };
        acts.label("cyd", (&data, 0), ResponseId::A, 1.0, &setting);
        id
    };
    let later = adjudication(&mut acts);
    let picked = |acts: &Acts| spec().session(&acts.ledger).map(|audit| audit.id.clone());
    assert_eq!(picked(&acts), Some(id));
    let mut alone = Acts::default();
    let only = adjudication(&mut alone);
    assert_eq!(picked(&alone), Some(only));
    let of_it = ReportSpec {
        audit: Some(later),
        ..spec()
    };
    let text = report(&data, &acts.ledger, &places(&data), &of_it);
    assert!(
        text.contains("of the 1 sample on which ann and bob differed"),
        "{text}"
    );
}

#[test]
fn audits_are_listed() {
    let data = data();
    let (acts, id, later) = of_two(&data);
    let text = audits(&data, &acts.ledger).text();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split("  ").map(str::trim).collect())
        .collect();
    let cells = |line: usize| {
        lines[line]
            .iter()
            .copied()
            .filter(|cell| !cell.is_empty())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        cells(0),
        [
            "audit",
            "drawn by",
            "when (UTC)",
            "drawn",
            "seed",
            "blind",
            "settled"
        ]
    );
    assert_eq!(
        cells(1),
        [
            &*id.0,
            "ann",
            "2026-11-21 10:00",
            "3 of 8",
            "7",
            "yes",
            "ann 3/3, bob 3/3"
        ],
        "{text}"
    );
    assert_eq!(cells(2)[..2], [&*later.0, "bob"], "{text}");
    let none = audits(&data, &Ledger::default());
    assert!(none.is_empty());
}

#[test]
fn samples_that_are_gone_are_counted() {
    let (data, other) = (
        data(),
        dataset(&[[row("p", "x", 1), row("p", "y", 2)].join("\n")]),
    );
    let mut acts = Acts::default();
    acts.label(
        "ann",
        (&other, 0),
        ResponseId::A,
        4.0,
        &Setting {
            pass: 1,
            ..Setting::default()
        },
    );
    let text = report(&data, &acts.ledger, &places(&data), &spec());
    assert!(
        text.contains("Omitted: 1 judged sample not in these files."),
        "{text}"
    );
}

#[test]
fn what_was_skipped_is_no_judgment() {
    let data = data();
    let mut acts = Acts::default();
    let id = acts.act("ann", None, audit(&data, 7));
    let setting = |blind| Setting {
        audit: Some(id.clone()),
        pass: 1,
        blind,
        order: crate::model::ResponseOrder::OF_FILE,
        ..Setting::default()
    };
    for sample in 0..3 {
        acts.label(
            "ann",
            (&data, sample),
            ResponseId::A,
            4.0,
            &setting(sample > 0),
        );
        acts.label(
            "ann",
            (&data, sample),
            ResponseId::B,
            0.0,
            &setting(sample > 0),
        );
    }
    acts.act(
        "ann",
        Some((&data, 1)),
        Act::Skip {
            setting: setting(true),
        },
    );
    acts.act(
        "ann",
        Some((&data, 1)),
        Act::Note {
            text: "un|clear".into(),
            order: Some(crate::model::ResponseOrder::OF_FILE.reversed(2)),
        },
    );
    acts.act(
        "ann",
        Some((&data, 2)),
        Act::Defer {
            setting: setting(true),
        },
    );
    let text = report(&data, &acts.ledger, &places(&data), &spec());
    let key = |sample| sample_ref_of(&data, sample).sample;
    for says in [
        "1 sample of 1: ",
        "ann judged 1 of the 3 drawn evenly by helpfulness from 8 samples: 0 judgments given blind, 1 with the labels visible.",
        "; 1 judgment given after it was shown\n",
        "- Blindness: 0 judgments given blind, 1 with the labels visible\n",
        &*format!(
            "## Not judged\n\nNo figure counts these, even if they were judged before.\n\n| row | key | status | note |\n|---|---|---|---|\n| 3, 4 | `{}` | skipped by ann | (its A is B here) un\\|clear |\n| 5, 6 | `{}` | deferred by ann |  |\n",
            key(1),
            key(2)
        ),
    ] {
        assert!(text.contains(says), "{says}\n---\n{text}");
    }
    assert!(
        !text.contains("### 2.") && !text.contains("Sample 2"),
        "{text}"
    );
}

#[test]
fn what_is_changed_after_the_reveal_is_counted_and_loses_nothing() {
    let data = data();
    let mut acts = Acts::default();
    let id = acts.act("ann", None, audit(&data, 7));
    let blind = Setting {
        audit: Some(id.clone()),
        blind: true,
        ..Setting::default()
    };
    let after = Setting {
        blind: false,
        revealed: true,
        ..blind.clone()
    };
    for sample in 0..3 {
        acts.label("ann", (&data, sample), ResponseId::A, 4.0, &blind);
        acts.label("ann", (&data, sample), ResponseId::B, 0.0, &blind);
    }
    acts.label("ann", (&data, 0), ResponseId::A, 1.0, &after);
    acts.act(
        "ann",
        Some((&data, 1)),
        Act::Skip {
            setting: after.clone(),
        },
    );
    acts.act("ann", Some((&data, 2)), Act::Defer { setting: after });
    let text = report(&data, &acts.ledger, &places(&data), &spec());
    for says in [
        "ann judged 3 of the 3 drawn evenly by helpfulness from 8 samples: 3 judgments given blind; 1 changed, 1 withdrawn after the labels were shown",
        "3 samples of 3: ",
        "1 changed, 1 withdrawn after the labels were shown, 1 put off to be judged again.",
        "| A, ann | 4 |",
        "skipped by ann after the labels were shown",
        "deferred by ann after the labels were shown",
    ] {
        assert!(text.contains(says), "{says}\n---\n{text}");
    }
}

#[test]
fn a_judgment_that_was_changed_is_listed_with_both_values() {
    let data = data();
    let mut acts = Acts::default();
    let id = acts.act("ann", None, audit(&data, 7));
    let setting = Setting {
        audit: Some(id),
        pass: 1,
        blind: true,
        ..Setting::default()
    };
    let revealed = Setting {
        revealed: true,
        blind: false,
        ..setting.clone()
    };
    let values = [(0, [4.0, 1.0]), (1, [4.0, 2.0]), (2, [3.0, 1.0])];
    for (sample, values) in values {
        for (side, value) in ResponseId::first(2).zip(values) {
            acts.label("ann", (&data, sample), side, value, &setting);
        }
    }
    for (side, value) in ResponseId::first(2).zip([1.0, 3.0]) {
        acts.label("ann", (&data, 0), side, value, &revealed);
    }
    acts.act("ann", Some((&data, 1)), Act::Skip { setting: revealed });
    let text = report(&data, &acts.ledger, &places(&data), &spec());
    for says in [
        "### 1. Sample 1 · dataset: B wins, ann: A wins\n",
        "The judgment of ann was changed after the labels were shown, to B wins; figures use the earlier one.\n",
        "| A, dataset | 1 |\n| A, ann | 4 |\n| A, ann, changed | 1 |\n| B, dataset | 4 |\n| B, ann | 1 |\n| B, ann, changed | 3 |\n",
        "Sample 2 · dataset: B wins, ann: A wins\n",
        "The judgment of ann was withdrawn after the labels were shown; figures use the earlier one.\n",
        "Sample 3 · dataset: B wins, ann: A wins\n",
        "(as first given: all given blind; 1 changed, 1 withdrawn after the labels were shown)",
    ] {
        assert!(text.contains(says), "{says}\n---\n{text}");
    }
    assert_eq!(
        text.matches(", changed |").count(),
        2,
        "of what was changed alone:\n{text}"
    );
}

#[test]
fn missing_values_are_reported() {
    let report_of = |label: &str| {
        let rows =
            row("p", "one", 1) + "\n" + &row("p", "two", 4).replace("\"helpfulness\": 4", label);
        let data = dataset(&[rows]);
        report(&data, &Ledger::default(), &places(&data), &spec())
    };
    let odd = report_of("\"helpfulness\": 40");
    assert!(
        odd.contains("- 1 row has a value outside the range of its field; the value counts as missing (is:flagged finds it)\n"),
        "{odd}"
    );
    let plain = report_of("\"helpfulness\": 4");
    assert!(!plain.contains("outside the range"), "{plain}");
}

#[test]
fn checked_samples_of_other_files_are_counted_apart() {
    let data = data();
    let mut acts = Acts::default();
    for (place, verdict) in crate::model::SpotCheckVerdict::ALL.into_iter().enumerate() {
        let drawn = crate::journal::CheckDraw::Chosen;
        let verdict = Some(verdict);
        acts.act("ann", Some((&data, place)), Act::Check { verdict, drawn });
    }
    let mut here = SampleLocator::default();
    here.add(sample_ref_of(&data, 1).sample, 1);
    let text = report(&data, &acts.ledger, &here, &spec());
    assert!(
        text.contains("2 checked samples omitted: not in these files.")
            && text.contains("| chosen | – | 1 | 0 (0 %) |"),
        "{text}"
    );
}

/// Returns the tags of a page, without line breaks within a text.
fn tags(page: &str) -> Vec<&str> {
    let tags = page
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split_once('>'));
    tags.map(|(tag, _)| tag)
        .filter(|tag| *tag != "br /")
        .collect()
}

/// Returns report and sample document as HTML, with this text for every text, file name and
/// reviewer.
fn pages_of(text: &'static str) -> [String; 2] {
    use crate::export::{ExportRequest, Format, Markup, write};
    let encoded = |text: &str| serde_json::to_string(text).expect("JSON");
    let line = |value: u8| {
        row("p", "r", value)
            .replace("\"p\"", &encoded(text))
            .replace("\"r\"", &encoded(&text.repeat(1 + usize::from(value))))
    };
    let rows: &'static str = Box::leak((line(1) + "\n" + &line(4)).into_boxed_str());
    let loader = crate::dataset::Loader {
        inputs: vec![crate::source::Input::Embedded {
            name: text,
            bytes: rows.as_bytes(),
        }],
        ..crate::dataset::Loader::default()
    };
    let data = crate::dataset::tests::load_with(&loader);
    let mut acts = Acts::default();
    let plan = AuditPlan {
        between: None,
        n: 1,
        seed: 7,
        by: Some(StratifyBy {
            field: text.into(),
            even: true,
        }),
        repeat: 0.0,
        blind: true,
        reveal: Reveal::After,
        filter: text.into(),
        of: 1,
        data: None,
        strata: vec![Stratum {
            value: text.into(),
            of: 1,
            drawn: 1,
        }],
        queue: Vec::new(),
    };
    let setting = Setting {
        audit: Some(acts.act(text, None, Act::Audit(Arc::new(plan)))),
        blind: true,
        ..Setting::default()
    };
    for (side, value) in ResponseId::first(2).zip([4.0, 0.0]) {
        acts.label(text, (&data, 0), side, value, &setting);
    }
    let note = Act::Note {
        text: text.into(),
        order: None,
    };
    acts.act(text, Some((&data, 0)), note);
    acts.act(
        text,
        Some((&data, 0)),
        Act::Tag {
            tag: text.into(),
            on: true,
        },
    );
    let spec = ReportSpec {
        troubles: vec![text.into()],
        audit: setting.audit,
        ..spec()
    };
    let markdown = report(&data, &acts.ledger, &places(&data), &spec);
    let request = ExportRequest {
        dataset: &data,
        samples: &[0],
        matching: &[],
        matching_only: false,
        ledger: &acts.ledger,
        format: Format::Html,
        title: text.into(),
    };
    let mut card = Vec::new();
    write(&request, &mut card, &|_| true).expect("written");
    let card = String::from_utf8(card).expect("text");
    [Markup::Html.document(&title(&data, &spec), &markdown), card]
}

#[test]
fn no_foreign_text_becomes_markup() {
    let plain = pages_of("plain");
    for hostile in [
        "<script>alert(1)</script>",
        "</title></style></pre><img src=x onerror=alert(1)>",
        "[x](javascript:alert(1)) <javascript:alert(1)> ![x](http://x.y/z.png)",
        "\" onmouseover=\"alert(1)\" x='",
        "a\u{202e}b\u{2066}c\u{200b}d",
        "n\0\u{1b}[31m\u{7}\u{9b}x",
        "`a` ``` ~~~ ***b*** _c_ | d | &lt; &#60; \\",
        "``` --> {{ title }} {% raw %} ]]>",
    ] {
        for (page, plain) in pages_of(hostile).iter().zip(&plain) {
            assert_eq!(tags(page), tags(plain), "{hostile}\n{page}");
            let body = page.split_once("<main>").expect("a body").1;
            for never in [
                "<script", "href=", "src=\"", "\u{202e}", "\u{2066}", "\u{200b}", "\0", "\u{1b}",
                "\u{9b}",
            ] {
                assert!(!body.contains(never), "{never:?} of {hostile:?}:\n{body}");
            }
        }
    }
    assert!(
        plain
            .iter()
            .all(|page| !page.contains("http://") && !page.contains("https://"))
    );
}

#[test]
fn the_first_page_comes_alone_unless_all_is_asked_for() {
    let data = data();
    let (acts, ..) = of_two(&data);
    let of = |full| {
        report(
            &data,
            &acts.ledger,
            &places(&data),
            &ReportSpec { full, ..spec() },
        )
    };
    let (page, full) = (of(false), of(true));
    for only_full in [
        "## What was judged",
        "## Agreement",
        "### Verdict",
        "## Audits in this journal",
        "`x.review.jsonl`",
    ] {
        assert!(
            !page.contains(only_full) && full.contains(only_full),
            "{only_full}\n---\n{full}"
        );
    }
    assert!(
        page.contains("*The first 600 of 1200 characters.*"),
        "{page}"
    );
    assert!(!full.contains("*The first 600"), "{full}");
    // Each sample once, even if two reviewers disagree on it.
    for sample in 1..=3 {
        let heading = format!(". Sample {sample} · ");
        assert_eq!(full.matches(&heading).count(), 1, "{heading}\n---\n{full}");
    }
    assert!(
        full.contains("1. Sample 1 · dataset: B wins, ann: A wins, bob: a tie")
            || full.contains(", bob: "),
        "{full}"
    );
}
