//! Hand-made datasets and ledgers; questions, sample lookup and the progress of audits.

mod agreement;
mod checks;
mod crowd;
mod draw;
mod raters;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::{Compression, write::GzEncoder};

use super::*;
use crate::dataset::tests::load_detected;
use crate::dataset::{Buffers, Dataset, SampleKey};
use crate::journal::{
    Act, ActId, ActRecord, Audit, AuditItem, AuditPlan, Judgment, Ledger, Rating, Reveal,
    SampleRef, Setting,
};
use crate::model::{ResponseId, Verdict};
use crate::schema::{Definition, Schema, SchemaChoice};
use crate::source::Input;

const DEMO: &str = "assets/demo/helpsteer2.jsonl";
const LABELS: [&str; 5] = [
    "helpfulness",
    "correctness",
    "coherence",
    "complexity",
    "verbosity",
];

fn work<'a>(ledger: &'a Ledger, places: &'a SampleLocator, dataset: &'a Dataset) -> Workspace<'a> {
    Workspace {
        dataset,
        ledger,
        places,
    }
}

/// Computes agreement with its intervals.
fn agreement(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    scope: &AgreementScope<'_>,
) -> Agreement {
    let agreement = work(ledger, places, dataset).agreement_while(scope, true, &|| true);
    agreement.unwrap_or_default()
}

/// Loads a dataset of these files.
fn load(paths: &[PathBuf]) -> Dataset {
    load_detected(paths.iter().map(|path| Input::Path(path.clone())).collect())
}

fn demo() -> Dataset {
    load(&[DEMO.into()])
}

/// Creates a file in a temporary folder.
fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    let bytes = match name.ends_with(".gz") {
        false => text.as_bytes().to_vec(),
        true => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes()).expect("encoded");
            encoder.finish().expect("encoded")
        }
    };
    std::fs::write(&path, bytes).expect("written");
    path
}

/// Returns a HelpSteer2 row with the same value for all labels.
fn row(prompt: &str, response: &str, value: u8) -> String {
    let labels: String = LABELS
        .iter()
        .map(|label| format!(r#", "{label}": {value}"#))
        .collect();
    format!(r#"{{"prompt": "{prompt}", "response": "{response}"{labels}}}"#)
}

/// Returns pairs with these values of A and B, each with different texts.
fn pairs(values: &[[u8; 2]]) -> Dataset {
    crate::dataset::tests::dataset(&[rows(values)])
}

/// Returns their rows.
fn rows(values: &[[u8; 2]]) -> String {
    let pair = |(at, [a, b]): (usize, &[u8; 2])| {
        format!(
            "{}\n{}\n",
            row(&format!("p{at}"), &format!("a{at}"), *a),
            row(&format!("p{at}"), &format!("b{at}"), *b)
        )
    };
    values.iter().enumerate().map(pair).collect()
}

fn keys(dataset: &Dataset) -> Vec<SampleKey> {
    dataset
        .keys(0..dataset.samples(), &|| true)
        .into_iter()
        .map(|key| key.expect("a key"))
        .collect()
}

fn places(dataset: &Dataset) -> SampleLocator {
    let mut places = SampleLocator::default();
    keys(dataset)
        .into_iter()
        .enumerate()
        .for_each(|(sample, key)| places.add(key, sample as u32));
    places
}

/// Builds a ledger.
#[derive(Default)]
struct Scribe {
    ledger: Ledger,
    acts: usize,
    setting: Setting,
}

impl Scribe {
    fn act(&mut self, reviewer: &str, sample: Option<SampleKey>, act: Act) {
        self.acts += 1;
        let sample_ref = sample.map(|sample| SampleRef {
            sample,
            file: "f".into(),
            row: 1,
        });
        let id = ActId(format!("00000000-{}", self.acts).into());
        let entry = ActRecord {
            id,
            time: "2026-01-01T00:00:00.000Z".into(),
            reviewer: reviewer.into(),
            sample_ref,
            act,
        };
        self.ledger.apply(&entry);
    }

    fn label(
        &mut self,
        reviewer: &str,
        sample: SampleKey,
        label: &str,
        response: ResponseId,
        value: f64,
    ) {
        let rated = Judgment::Label {
            label: label.into(),
            response,
            value: Some(value),
        };
        let setting = self.setting.clone();
        self.act(reviewer, Some(sample), Act::Rate { rated, setting });
    }

    fn helpful(&mut self, reviewer: &str, sample: SampleKey, values: [f64; 2]) {
        for (side, value) in ResponseId::first(2).zip(values) {
            self.label(reviewer, sample, "helpfulness", side, value);
        }
    }

    fn verdict(&mut self, reviewer: &str, sample: SampleKey, verdict: Verdict) {
        let rated = Judgment::Verdict {
            value: Some(verdict),
            strength: None,
        };
        let setting = self.setting.clone();
        self.act(reviewer, Some(sample), Act::Rate { rated, setting });
    }
}

fn scale(name: &str) -> RatingForm {
    RatingForm::of(
        &SchemaChoice::named(name)
            .expect("built in")
            .schema(&[])
            .expect("a schema"),
    )
}

#[test]
fn what_is_asked_of_the_datasets_we_know() {
    let rated = scale("helpsteer2");
    assert_eq!(
        rated
            .labels
            .iter()
            .map(|label| &*label.name)
            .collect::<Vec<_>>(),
        LABELS
    );
    assert_eq!(
        (rated.labels[0].range, rated.labels[0].published),
        ([0, 4], Some(0.791))
    );
    assert_eq!(
        (rated.deciding.as_deref(), rated.asks_verdict),
        (Some("helpfulness"), false)
    );
    assert_eq!(
        [0, 1, 2].map(|responses| rated.questions(responses).len()),
        [0, 5, 10]
    );
    assert_eq!(
        rated.questions(2)[1],
        RatingQuestion::Label("helpfulness".into(), ResponseId::B)
    );
    let web = scale("webgpt-raw");
    assert_eq!(web.strengths, ["better", "much better"]);
    // Its score decides but is not ratable, so reviewers cannot give it.
    assert_eq!(
        (
            web.labels.len(),
            web.deciding.as_deref(),
            web.asks_verdict,
            web.published
        ),
        (0, None, true, Some(0.73))
    );
    assert_eq!(
        [0, 1, 2].map(|responses| web.questions(responses)),
        [vec![], vec![], vec![RatingQuestion::Verdict]]
    );
    for scale in ["helpsteer2", "webgpt-raw", "arena-55k", "shp", "helpsteer3"].map(scale) {
        assert!((0..=3).all(
            |responses| scale.asks_anything(responses) != scale.questions(responses).is_empty()
        ));
    }
}

#[test]
fn labels_that_can_be_rated_have_a_few_whole_values() {
    let of = |label: &str| {
        let toml = format!(
            "name = \"x\"\ntitle = \"X\"\nrows = \"inline\"\nprompt.path = \"/p\"\n[[response]]\ntext = \"/a\"\n\
             ratings.good = \"/g\"\n[[label]]\nname = \"good\"\n{label}"
        );
        RatingForm::of(&Schema::new(Definition::parse(&toml).expect("TOML")))
            .labels
            .pop()
    };
    let range = |label| of(label).map(|label| label.range);
    assert_eq!(range("range = [1, 10]"), Some([1, 10]));
    assert_eq!(range("range = [0, 1]"), Some([0, 1]));
    assert_eq!(range("range = [-2.5, 2.5]"), Some([-2, 2]));
    for none in [
        "range = [0, 10]",
        "range = [3, 3]",
        "range = [0.2, 1.9]",
        "range = [-1e300, 1e300]",
        "",
        "kind = \"score\"\nrange = [0, 4]",
    ] {
        assert_eq!(range(none), None, "{none}");
    }
    let label = of("range = [1, 5]").expect("a label");
    assert_eq!(
        [0.0, 1.0, 2.5, 5.0, 6.0, f64::NAN].map(|value| label.place(value)),
        [None, Some(0), None, Some(4), None, None]
    );
}

#[test]
fn who_wins_by_a_rating() {
    let dataset = pairs(&[[3, 2]]);
    let (key, rated) = (keys(&dataset)[0], scale("helpsteer2"));
    let mut scribe = Scribe::default();
    scribe.label("anna", key, "helpfulness", ResponseId::A, 1.0);
    let verdict = |scribe: &Scribe| {
        let rating = scribe
            .ledger
            .rating(
                &key,
                "anna",
                &Setting {
                    pass: 1,
                    ..Setting::default()
                },
            )
            .or_else(|| {
                scribe
                    .ledger
                    .remark(&key)
                    .and_then(|remark| remark.ratings.first())
            });
        rated.verdict(2, rating.expect("a rating"))
    };
    assert_eq!(verdict(&scribe), None, "nothing is known of B");
    scribe.label("anna", key, "helpfulness", ResponseId::B, 2.0);
    assert_eq!(verdict(&scribe), Some(Verdict::wins(ResponseId::B)));
    scribe.verdict("anna", key, Verdict::Tie);
    assert_eq!(
        verdict(&scribe),
        Some(Verdict::Tie),
        "what is said comes before what follows"
    );
}

#[test]
fn samples_are_found_where_they_went() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: Vec<String> = (0..40).map(|at| row(&format!("p{at}"), "r", 1)).collect();
    let text = |order: &mut dyn Iterator<Item = usize>| {
        order.map(|at| lines[at].clone() + "\n").collect::<String>()
    };
    let first = load(&[file(&folder, "a.jsonl", &text(&mut (0..40)))]);
    let drawn: Vec<usize> = vec![3, 17, 31];
    let all = keys(&first);
    let sample_refs = |drawn: &[usize]| -> Vec<SampleRef> {
        drawn
            .iter()
            .map(|&at| SampleRef {
                sample: all[at],
                file: "a.jsonl".into(),
                row: at as u64 + 1,
            })
            .collect()
    };
    let found = |dataset: &Dataset, drawn: &[usize]| -> Vec<Vec<u32>> {
        let places = locate(dataset, &sample_refs(drawn), &|| true).expect("not cancelled");
        drawn
            .iter()
            .map(|&at| places.samples(&all[at]).to_vec())
            .collect()
    };
    assert_eq!(found(&first, &drawn), [[3], [17], [31]]);
    let shuffled = load(&[file(&folder, "b.jsonl", &text(&mut (0..40).rev()))]);
    assert_eq!(found(&shuffled, &drawn), [[36], [22], [8]]);
    let packed = load(&[file(&folder, "a.jsonl.gz", &text(&mut (0..40)))]);
    assert_eq!(found(&packed, &drawn), [[3], [17], [31]]);
    // A file with the same name in another folder precedes it and matches the hint as well.
    std::fs::create_dir(folder.path().join("sub")).expect("a folder");
    let other = file(&folder, "sub/a.jsonl", &text(&mut (20..40)));
    let two = load(&[other, folder.path().join("a.jsonl")]);
    assert_eq!(found(&two, &[3, 17]), [[23], [37]]);
    // Many samples are searched in the whole dataset, so all with the same content are found.
    let many: Vec<usize> = (0..40).collect();
    let everywhere = found(&two, &many);
    assert_eq!(
        (&everywhere[3], &everywhere[31]),
        (&vec![23], &vec![11, 51])
    );
    // After one is removed, the others are still found.
    let fewer = load(&[file(
        &folder,
        "c.jsonl",
        &text(&mut (0..40).filter(|&at| at != 17)),
    )]);
    assert_eq!(found(&fewer, &drawn), [vec![3], vec![], vec![30]]);
}

/// Close together and far apart, in other chunks and in another file.
#[test]
fn duplicates_are_found_anywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "x".repeat(4000);
    // Rows of 4 kB: the first chunk has about 60.
    let lines = |names: &mut dyn Iterator<Item = String>| {
        names
            .map(|name| row(&name, &long, 1) + "\n")
            .collect::<String>()
    };
    let name = |at: usize| match at {
        3 | 4 | 390 => "thrice".to_owned(),
        7 | 200 => "twice".to_owned(),
        at => format!("p{at}"),
    };
    let one = file(&folder, "one.jsonl", &lines(&mut (0..400).map(name)));
    let two = file(
        &folder,
        "two.jsonl",
        &lines(&mut ["q", "twice", "p5"].map(str::to_owned).into_iter()),
    );
    let dataset = load(&[one, two]);
    assert!(
        dataset.chunks().len() > 3,
        "{} chunks",
        dataset.chunks().len()
    );
    let all = keys(&dataset);
    // Rows 4 and 5 are a pair.
    assert_eq!(all.len(), 402);
    let found = Duplicates::find(&dataset, &|| true).expect("not cancelled");
    let of = |sample: usize| found.samples(&all[sample]).collect::<Vec<_>>();
    let naive = |sample: usize| -> Vec<u32> {
        let same: Vec<_> = (0..all.len())
            .filter(|&other| all[other] == all[sample])
            .map(|at| at as u32)
            .collect();
        if same.len() > 1 { same } else { Vec::new() }
    };
    for sample in 0..all.len() {
        assert_eq!(of(sample), naive(sample), "{sample}");
    }
    assert_eq!((of(6), of(4)), (vec![6, 199, 400], vec![4, 401]));
    assert!(Duplicates::find(&dataset, &|| false).is_none());
    // Rows can be large, so it can be cancelled between rows, not only before the first.
    let asked = AtomicUsize::new(0);
    let once = || asked.fetch_add(1, Ordering::Relaxed) == 0;
    assert!(Duplicates::find(&dataset, &once).is_none());
    let home = |at: usize| SampleRef {
        sample: all[at],
        file: "one.jsonl".into(),
        row: at as u64 + 2,
    };
    let forty: Vec<_> = (20..60).map(home).collect();
    for (looks, is_found) in [(usize::MAX, true), (40, false), (20, false), (1, false)] {
        let asked = AtomicUsize::new(0);
        let keep_going = || asked.fetch_add(1, Ordering::Relaxed) < looks;
        assert_eq!(locate(&dataset, &forty, &keep_going).is_some(), is_found);
        assert!(asked.into_inner() > 40.min(looks), "each is a row to read");
    }
    // The referenced sample is the first of its key, even if others precede it.
    let sample_ref = SampleRef {
        sample: all[199],
        file: "one.jsonl".into(),
        row: 201,
    };
    for places in [
        locate(&dataset, std::slice::from_ref(&sample_ref), &|| true),
        locate_all(&dataset, &[sample_ref], &|| true),
    ] {
        assert_eq!(places.expect("not cancelled").first(&all[6]), Some(199));
    }
    let sample_ref = SampleRef {
        sample: all[400],
        file: "two.jsonl".into(),
        row: 2,
    };
    let places = locate_all(&dataset, &[sample_ref], &|| true).expect("not cancelled");
    assert_eq!(
        (places.samples(&all[6]), places.first(&all[6])),
        (&[6, 199, 400][..], Some(400))
    );
}

#[test]
fn a_cancelled_search_ends() {
    let dataset = demo();
    let gone: SampleKey = "00000000000000000000000000000000".parse().expect("a key");
    let sample_refs = [SampleRef {
        sample: gone,
        file: "f".into(),
        row: 1,
    }];
    assert!(locate(&dataset, &sample_refs, &|| false).is_none());
    assert_eq!(
        locate(&dataset, &sample_refs, &|| true)
            .expect("not cancelled")
            .first(&gone),
        None
    );
    assert!(locate(&dataset, &[], &|| false).is_none_or(|places| places.first(&gone).is_none()));
}

fn audit(keys: &[SampleKey]) -> AuditPlan {
    let item = |&sample: &SampleKey| AuditItem {
        sample_ref: SampleRef {
            sample,
            file: "f".into(),
            row: 1,
        },
        pass: 1,
        order: crate::model::ResponseOrder::OF_FILE,
    };
    AuditPlan {
        between: None,
        n: keys.len() as u32,
        seed: 1,
        by: None,
        repeat: 0.0,
        blind: true,
        reveal: Reveal::After,
        filter: String::new(),
        of: keys.len() as u64,
        data: None,
        strata: Vec::new(),
        queue: keys.iter().map(item).collect(),
    }
}

#[test]
fn the_progress_of_an_audit() {
    let dataset = pairs(&[[1, 2], [3, 4], [0, 0], [1, 1], [2, 2]]);
    let mut keys = keys(&dataset);
    keys.push("00000000000000000000000000000000".parse().expect("a key"));
    let mut plan = audit(&keys);
    plan.queue.push(AuditItem {
        pass: 2,
        order: crate::model::ResponseOrder::OF_FILE.reversed(2),
        ..plan.queue[0].clone()
    });
    let mut scribe = Scribe::default();
    scribe.act("anna", None, Act::Audit(Arc::new(plan)));
    let session: Audit = scribe.ledger.sessions().next().expect("a session").clone();
    scribe.setting = Setting {
        audit: Some(session.id.clone()),
        pass: 1,
        blind: true,
        order: crate::model::ResponseOrder::OF_FILE,
        ..Setting::default()
    };
    let progress_of = |scribe: &Scribe| {
        work(&scribe.ledger, &places(&dataset), &dataset).progress_of(&session, "anna")
    };
    use ItemStatus::{Begun, Deferred, Done, Gone, Open, Skipped};
    assert_eq!(
        progress_of(&scribe).items,
        [Open, Open, Open, Open, Open, Gone, Open]
    );
    assert_eq!(progress_of(&scribe).next(Some(4)), Some(6));
    for label in LABELS {
        scribe.label("anna", keys[0], label, ResponseId::A, 1.0);
        scribe.label("anna", keys[0], label, ResponseId::B, 1.0);
    }
    scribe.label("anna", keys[1], "helpfulness", ResponseId::A, 1.0);
    let setting = scribe.setting.clone();
    scribe.act(
        "anna",
        Some(keys[2]),
        Act::Skip {
            setting: setting.clone(),
        },
    );
    scribe.act("anna", Some(keys[3]), Act::Defer { setting });
    // Judgments of others and judgments outside the audit do not count.
    scribe.helpful("ben", keys[4], [1.0, 1.0]);
    scribe.setting.audit = None;
    scribe.helpful("anna", keys[4], [1.0, 1.0]);
    let progress = progress_of(&scribe);
    assert_eq!(
        progress.items,
        [Done, Begun, Skipped, Deferred, Open, Gone, Open]
    );
    assert_eq!(
        (
            progress.settled(),
            progress.is_finished(),
            progress.next(None)
        ),
        (2, false, Some(1))
    );
    assert_eq!(
        (progress.to_string().as_str(), progress.left()),
        ("2/7, 1 not in this file", 4)
    );
}

#[test]
fn what_is_done_after_the_reveal_leaves_an_audit_judged() {
    let dataset = pairs(&[[1, 2], [3, 4], [0, 0]]);
    let keys = keys(&dataset);
    let mut scribe = Scribe::default();
    scribe.act("anna", None, Act::Audit(Arc::new(audit(&keys))));
    let session: Audit = scribe.ledger.sessions().next().expect("a session").clone();
    scribe.setting = Setting {
        audit: Some(session.id.clone()),
        blind: true,
        ..Setting::default()
    };
    for key in &keys {
        for label in LABELS {
            ResponseId::first(2).for_each(|side| scribe.label("anna", *key, label, side, 1.0));
        }
    }
    let progress_of = |scribe: &Scribe| {
        work(&scribe.ledger, &places(&dataset), &dataset).progress_of(&session, "anna")
    };
    assert!(progress_of(&scribe).is_finished());
    let setting = Setting {
        blind: false,
        revealed: true,
        ..scribe.setting.clone()
    };
    scribe.act(
        "anna",
        Some(keys[1]),
        Act::Skip {
            setting: setting.clone(),
        },
    );
    scribe.act(
        "anna",
        Some(keys[2]),
        Act::Defer {
            setting: setting.clone(),
        },
    );
    let progress = progress_of(&scribe);
    assert_eq!(
        progress.items,
        [ItemStatus::Done, ItemStatus::Withdrawn, ItemStatus::Again]
    );
    assert_eq!(
        (
            progress.settled(),
            progress.is_finished(),
            progress.next(Some(0))
        ),
        (3, false, Some(2)),
        "it comes back"
    );
    scribe.setting = setting;
    scribe.label("anna", keys[2], LABELS[0], ResponseId::A, 1.0);
    assert!(progress_of(&scribe).is_finished());
}
