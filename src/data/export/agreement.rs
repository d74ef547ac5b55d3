//! Agreement and audits as JSON, with unrounded figures under stable keys.

use serde_json::{Value, json};

use super::json_number::{json_document, json_number};
use crate::dataset::Dataset;
use crate::journal::{Audit, Ledger};
use crate::model::Verdict;
use crate::query::SampleJudgment;
use crate::review::{
    Agreement, DifferingSample, PairAgreement, PairFigures, SampleLocator, progress,
};

/// The version of the documents; it grows when a key changes its meaning.
const VERSION: u32 = 1;

/// Returns the agreement of judgments as a JSON document: `version`, `reviewers`, `samples`,
/// `judgments`, `blind`, `gone`; `dataset`: for each label (`labels`) and for the verdict
/// (`verdict`) `n`, `samples`, `kappa` and `equal` (`value`, `low`, `high`, and `why` if one is
/// undefined), `difference`, `published`, and `confusion` (`values`, then a row for each value of
/// the reviewer), and the same figures of each reviewer (`by_reviewer`); `alpha` of all reviewers
/// together, and `pairs` of reviewers with the same figures and each sample on which they differ;
/// `annotators` of the file: for each label and for `votes` `n`, `pairs`, `kappa`, `alpha` and
/// `equal`.
pub fn agreement_as_json(all: &Agreement, pairs: &[PairAgreement]) -> String {
    let between = all.between.as_ref();
    let annotators = all.annotators.0.iter().map(|(name, figures)| {
        let mut members = json!(figures);
        members["name"] = json!(name);
        members
    });
    let document = json!({
        "version": VERSION,
        "reviewers": all.reviewers,
        "samples": all.samples,
        "judgments": all.judgments,
        "blind": all.blind,
        "gone": all.gone,
        "dataset": {
            "labels": all.labels.iter().map(of_figures).collect::<Value>(),
            "verdict": all.verdict.as_ref().map(of_figures),
            "by_reviewer": all.by_reviewer,
        },
        "alpha": between.map(|between| &between.alphas[..]).unwrap_or_default(),
        "pairs": pairs.iter().map(of_pair).collect::<Value>(),
        "annotators": annotators.collect::<Value>(),
    });
    json_document(&document)
}

/// Returns the audits of a journal as a JSON document: `version` and `audits`, each with `id`,
/// `reviewer` (who drew it), `time`, `drawn`, `of` (samples it was drawn from), `seed`,
/// `equally_likely`, `by`, `even`, `filter`, `repeat`, `blind`, `reveal`, and for each reviewer
/// (`reviewers`) the number of questions, and how many are settled, judged, and not in the dataset.
pub fn audits_as_json(dataset: &Dataset, ledger: &Ledger, places: &SampleLocator) -> String {
    let audits = ledger.sessions();
    let audits = audits.map(|audit| of_audit(audit, dataset, ledger, places));
    json_document(&json!({"version": VERSION, "audits": audits.collect::<Value>()}))
}

fn of_audit(audit: &Audit, dataset: &Dataset, ledger: &Ledger, places: &SampleLocator) -> Value {
    let plan = &audit.audit;
    let reviewers = progress(audit, ledger, places, dataset);
    let reviewers = reviewers.iter().map(|one| {
        json!({
            "reviewer": &*one.reviewer,
            "questions": one.progress.items.len(),
            "settled": one.progress.settled(),
            "missing": one.progress.gone(),
            "judged": one.progress.items.iter().filter(|it| it.is_judged()).count(),
        })
    });
    json!({
        "id": &*audit.id.0,
        "reviewer": &*audit.reviewer,
        "time": &*audit.time,
        "kind": plan.kind(),
        "between": plan.between,
        "drawn": plan.drawn(),
        "of": plan.of,
        "seed": plan.seed,
        "equally_likely": "samples",
        "by": plan.by.as_ref().map(|by| &*by.field),
        "even": plan.by.as_ref().is_some_and(|by| by.even),
        "filter": &*plan.filter,
        "repeat": plan.repeat,
        "blind": plan.blind,
        "reveal": plan.blind.then(|| plan.reveals()),
        "reviewers": reviewers.collect::<Value>(),
    })
}

fn of_figures(figures: &PairFigures) -> Value {
    let mut members = json!(figures);
    members["confusion"] = json!({"values": figures.categories, "counts": figures.confusion});
    members
}

fn of_pair(pair: &PairAgreement) -> Value {
    let mut members = json!(pair);
    members["labels"] = pair.labels.iter().map(of_figures).collect();
    members["verdict"] = json!(pair.verdict.as_ref().map(of_figures));
    members["differing"] = pair.differing.iter().map(of_differing).collect();
    members
}

fn of_differing(it: &DifferingSample) -> Value {
    let place = it.sample_ref.as_ref();
    json!({
        "sample": it.sample + 1,
        "key": place.map(|place| place.sample.to_string()),
        "file": place.map(|place| &*place.file),
        "row": place.map(|place| place.row),
        "distance": it.distance,
        "judgments": it.judgments.iter().map(of_judgment).collect::<Value>(),
    })
}

fn of_judgment(judgment: &SampleJudgment) -> Value {
    let mut labels = json!({});
    for (name, response, value) in &judgment.labels {
        labels[response.word()][&**name] = json_number(*value);
    }
    json!({
        "reviewer": &*judgment.reviewer,
        "labels": labels,
        "verdict": judgment.verdict.map(Verdict::word),
    })
}
