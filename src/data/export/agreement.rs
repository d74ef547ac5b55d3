//! Agreement as JSON, with unrounded figures under stable keys.

use serde_json::{Value, json};

use crate::answer::{json_document, json_number};
use crate::model::Verdict;
use crate::query::SampleJudgment;
use crate::review::{Agreement, DifferingSample, PairAgreement, PairFigures};

/// The version of the document; it grows when a key changes its meaning.
const VERSION: u32 = 2;

/// Returns the agreement of judgments as a JSON document: `version`, `reviewers`, `raters` (each with
/// `name` and `kind`), `samples`,
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
        "raters": all.raters,
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
