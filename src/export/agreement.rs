//! Agreement and audits as JSON, with every figure at full precision under keys that stay.

use std::sync::Arc;

use serde_json::{Value, json};

use super::json_number::{json_document, json_number};
use crate::dataset::Dataset;
use crate::journal::{Audit, Ledger, Reveal};
use crate::model::{ResponseId, Verdict};
use crate::query::SampleJudgment;
use crate::review::{
    Agreement, Alpha, DifferingSample, PairAgreement, PairFigures, SampleLocator, progress,
};
use crate::stats::{Confusion, Figure, RatingFigures};

/// What the keys of the documents mean, as a number that grows when one means something else.
const VERSION: u32 = 1;

/// How far judgments agree, as a JSON document: `version`, whose (`reviewers`), `samples`,
/// `judgments`, `blind`, `gone`; `dataset`: for each label (`labels`) and for who wins (`verdict`)
/// `n`, `samples`, `kappa` and `equal` (`value`, `low`, `high`, or `why` there is none),
/// `difference`, `published`, and `confusion` (`values`, then a row for each value of the reviewer);
/// `alpha` of all reviewers together, and `pairs` of reviewers with the same figures and each sample
/// on which they differ; `annotators` of the file: for each label and for `votes` `n`, `pairs`,
/// `kappa`, `alpha` and `equal`.
pub fn agreement_as_json(all: &Agreement, pairs: &[PairAgreement]) -> String {
    let labels = all.labels.iter().map(of_label);
    let alphas = all.between.iter();
    let alphas = alphas.flat_map(|between| &between.alphas);
    let document = json!({
        "version": VERSION,
        "reviewers": names(&all.reviewers),
        "samples": all.samples,
        "judgments": all.judgments,
        "blind": all.blind,
        "gone": all.gone,
        "dataset": {
            "labels": labels.collect::<Value>(),
            "verdict": all.verdict.as_ref().map(of_verdict),
        },
        "alpha": alphas.map(of_alpha).collect::<Value>(),
        "pairs": pairs.iter().map(of_pair).collect::<Value>(),
        "annotators": all.annotators.0.iter().map(of_annotators).collect::<Value>(),
    });
    json_document(&document)
}

/// The audits of a journal as a JSON document: `version` and `audits`, each with `id`, `reviewer`
/// (who drew it), `time`, `drawn` of how many (`of`), `seed`, what is `equally_likely`, `by`, `even`, `filter`, `repeat`,
/// `blind`, `reveal`, and for each reviewer (`reviewers`) how many questions there are and how many
/// are settled and judged.
pub fn audits_as_json(dataset: &Dataset, ledger: &Ledger, places: &SampleLocator) -> String {
    let audits = ledger.sessions();
    let audits = audits.map(|audit| of_audit(audit, dataset, ledger, places));
    json_document(&json!({"version": VERSION, "audits": audits.collect::<Value>()}))
}

fn names(reviewers: &[Arc<str>]) -> Value {
    reviewers.iter().map(|name| json!(**name)).collect()
}

fn of_audit(audit: &Audit, dataset: &Dataset, ledger: &Ledger, places: &SampleLocator) -> Value {
    let plan = &audit.audit;
    let reviewers = progress(audit, ledger, places, dataset);
    let reviewers = reviewers.iter().map(|one| {
        json!({
            "reviewer": &*one.reviewer,
            "questions": one.standing.items.len(),
            "settled": one.standing.settled(),
            "judged": one.standing.items.iter().filter(|it| it.is_judged()).count(),
        })
    });
    let reveal = match plan.reveals() {
        Reveal::After => "after",
        Reveal::End => "end",
        Reveal::Never => "never",
    };
    json!({
        "id": &*audit.id.0,
        "reviewer": &*audit.reviewer,
        "time": &*audit.time,
        "drawn": plan.drawn(),
        "of": plan.of,
        "seed": plan.seed,
        "equally_likely": "samples",
        "by": plan.by.as_ref().map(|by| &*by.field),
        "even": plan.by.as_ref().is_some_and(|by| by.even),
        "filter": &*plan.filter,
        "repeat": plan.repeat,
        "blind": plan.blind,
        "reveal": plan.blind.then_some(reveal),
        "reviewers": reviewers.collect::<Value>(),
    })
}

fn of_figure(figure: &Figure) -> Value {
    let mut members = json!({});
    put_figure(figure, &mut members);
    members
}

fn put_figure(figure: &Figure, members: &mut Value) {
    members["value"] = json!(figure.value.ok());
    if let Err(why) = figure.value {
        members["why"] = json!(why.to_string());
    }
    if let Some([low, high]) = figure.ends() {
        members["low"] = json!(low);
        members["high"] = json!(high);
    }
}

fn of_confusion(confusion: &Confusion, values: &[Value]) -> Value {
    let categories = 0..confusion.categories();
    let row = |first| -> Value {
        let counts = categories
            .clone()
            .map(|second| confusion.count(first, second));
        counts.collect::<Vec<_>>().into()
    };
    json!({"values": values, "counts": categories.clone().map(row).collect::<Value>()})
}

fn of_label(label: &PairFigures) -> Value {
    let [low, high] = label.range;
    let values: Vec<Value> = (low..=high).map(Value::from).collect();
    json!({
        "name": &*label.name,
        "n": label.confusion.total(),
        "samples": label.samples,
        "kappa": of_figure(&label.kappa),
        "equal": of_figure(&label.equal),
        "difference": of_figure(&label.difference),
        "published": label.published,
        "confusion": of_confusion(&label.confusion, &values),
    })
}

fn of_verdict(verdict: &PairFigures) -> Value {
    let categories = verdict.confusion.categories();
    let responses = ResponseId::first(categories.saturating_sub(1));
    let values = responses.map(ResponseId::word).chain(["tie"]);
    let values: Vec<Value> = values.map(Value::from).collect();
    json!({
        "n": verdict.n,
        "samples": verdict.samples,
        "several_best": verdict.several,
        "kappa": of_figure(&verdict.kappa),
        "equal": of_figure(&verdict.equal),
        "published": verdict.published,
        "confusion": of_confusion(&verdict.confusion, &values),
    })
}

fn of_alpha(alpha: &Alpha) -> Value {
    let mut members = json!({"name": *alpha.name, "units": alpha.units});
    put_figure(&alpha.alpha, &mut members);
    members
}

fn of_annotators((name, of): &(String, RatingFigures)) -> Value {
    json!({
        "name": name,
        "n": of.things,
        "pairs": of.pairs,
        "kappa": of_figure(&of.kappa),
        "alpha": of_figure(&of.alpha),
        "equal": of_figure(&of.equal),
    })
}

fn of_pair(pair: &PairAgreement) -> Value {
    json!({
        "reviewers": names(&pair.reviewers),
        "samples": pair.samples,
        "gone": pair.gone,
        "labels": pair.labels.iter().map(of_label).collect::<Value>(),
        "verdict": pair.verdict.as_ref().map(of_verdict),
        "differing": pair.differing.iter().map(of_differing).collect::<Value>(),
    })
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
