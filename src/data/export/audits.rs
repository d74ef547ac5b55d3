//! The audits of a journal.

use serde_json::{Value, json};

use crate::answer::{AnswerCell, AnswerColumn, AnswerTable};
use crate::dataset::Dataset;
use crate::journal::{Audit, Ledger, Reveal};
use crate::review::{ReviewerProgress, SampleLocator, minute, progress};

/// An audit with the progress of its reviewers.
struct ListedAudit<'a> {
    audit: &'a Audit,
    reviewers: Vec<ReviewerProgress>,
    /// Whether it is the audit of the report.
    is_this: bool,
}

/// Returns a row for each audit, the oldest first: its name, who drew it and when, the number of
/// samples drawn and available, how they were drawn, whether it is blind and when labels are shown,
/// and how many questions each reviewer has settled (judged or skipped); in JSON also how many are
/// judged, and how many are missing from the dataset. Names `this` audit, and lists reviewers for
/// whom `is_listed`.
pub fn audits(
    dataset: &Dataset,
    ledger: &Ledger,
    places: &SampleLocator,
    this: Option<&Audit>,
    is_listed: impl Fn(&str) -> bool,
) -> AnswerTable {
    let audits = ledger.sessions().map(|audit| {
        let mut reviewers = progress(audit, ledger, places, dataset);
        reviewers.retain(|one| is_listed(&one.reviewer));
        ListedAudit {
            audit,
            reviewers,
            is_this: this.is_some_and(|this| this.id == audit.id),
        }
    });
    AnswerTable::of(&columns(), audits)
}

#[rustfmt::skip] // A table reads as a table.
fn columns<'a>() -> [AnswerColumn<ListedAudit<'a>>; 16] {
    [
        ("id", "audit", name),
        ("reviewer", "drawn by", |it| (&*it.audit.reviewer).into()),
        ("time", "when (UTC)", |it| AnswerCell::new(&*it.audit.time, minute(&it.audit.time))),
        ("kind", "", |it| it.audit.audit.kind().into()),
        ("between", "", |it| AnswerCell::of(&it.audit.audit.between)),
        ("drawn", "drawn", drawn),
        ("of", "", |it| AnswerCell::of(it.audit.audit.of)),
        ("seed", "seed", |it| it.audit.audit.seed.into()),
        ("equally_likely", "", |_| "samples".into()),
        ("by", "", |it| AnswerCell::of(it.audit.audit.by.as_ref().map(|by| &*by.field))),
        ("even", "", |it| it.audit.audit.by.as_ref().is_some_and(|by| by.even).into()),
        ("filter", "", |it| (&*it.audit.audit.filter).into()),
        ("repeat", "", |it| AnswerCell::of(it.audit.audit.repeat)),
        ("blind", "blind", blind),
        ("reveal", "", |it| AnswerCell::of(it.audit.audit.blind.then(|| it.audit.audit.reveals()))),
        ("reviewers", "settled", settled),
    ]
}

fn name(it: &ListedAudit<'_>) -> AnswerCell {
    let id = &*it.audit.id.0;
    let this = if it.is_this { " (this one)" } else { "" };
    AnswerCell::new(id, format!("{id}{this}"))
}

fn drawn(it: &ListedAudit<'_>) -> AnswerCell {
    let audit = &it.audit.audit;
    let words = match &audit.between {
        Some([one, other]) => format!("{} ({} {one}, {other})", audit.drawn(), audit.kind()),
        None => format!("{} of {}", audit.drawn(), audit.of),
    };
    AnswerCell::new(json!(audit.drawn()), words)
}

fn blind(it: &ListedAudit<'_>) -> AnswerCell {
    let audit = &it.audit.audit;
    let words = match audit.reveals() {
        _ if !audit.blind => "no",
        Reveal::After => "yes",
        Reveal::End => "until the end",
        Reveal::Never => "always",
    };
    AnswerCell::new(audit.blind, words)
}

fn settled(it: &ListedAudit<'_>) -> AnswerCell {
    let words = |one: &ReviewerProgress| format!("{} {}", one.reviewer, one.progress);
    let words: Vec<_> = it.reviewers.iter().map(words).collect();
    let value = it.reviewers.iter().map(|one| {
        let progress = &one.progress;
        json!({
            "reviewer": &*one.reviewer,
            "questions": progress.items.len(),
            "settled": progress.settled(),
            "missing": progress.gone(),
            "judged": progress.items.iter().filter(|it| it.is_judged()).count(),
        })
    });
    AnswerCell::new(value.collect::<Value>(), words.join(", "))
}
