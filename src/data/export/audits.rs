//! The audits of a journal.

use serde_json::{Value, json};

use crate::answer::{AnswerCell, AnswerColumn, AnswerTable};
use crate::journal::{Audit, AuditPlan, Reveal};
use crate::review::{ReviewerProgress, Workspace, minute};

/// An audit with the progress of its reviewers.
struct ListedAudit<'a> {
    audit: &'a Audit,
    plan: &'a AuditPlan,
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
    work: Workspace<'_>,
    this: Option<&Audit>,
    is_listed: impl Fn(&str) -> bool,
) -> AnswerTable {
    let audits = work.ledger.sessions().map(|audit| {
        let mut reviewers = work.progress(audit);
        reviewers.retain(|one| is_listed(&one.reviewer));
        ListedAudit {
            audit,
            plan: &audit.audit,
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
        ("kind", "", |it| it.plan.kind().into()),
        ("between", "", |it| AnswerCell::of(&it.plan.between)),
        ("drawn", "drawn", drawn),
        ("of", "", |it| AnswerCell::of(it.plan.of)),
        ("seed", "seed", |it| it.plan.seed.into()),
        ("equally_likely", "", |_| "samples".into()),
        ("by", "", |it| AnswerCell::of(it.plan.by.as_ref().map(|by| &*by.field))),
        ("even", "", |it| it.plan.by.as_ref().is_some_and(|by| by.even).into()),
        ("filter", "", |it| (&*it.plan.filter).into()),
        ("repeat", "", |it| AnswerCell::of(it.plan.repeat)),
        ("blind", "blind", blind),
        ("reveal", "", |it| AnswerCell::of(it.plan.blind.then(|| it.plan.reveals()))),
        ("reviewers", "settled", settled),
    ]
}

fn name(it: &ListedAudit<'_>) -> AnswerCell {
    let id = &*it.audit.id.0;
    let this = if it.is_this { " (this one)" } else { "" };
    AnswerCell::new(id, format!("{id}{this}"))
}

fn drawn(it: &ListedAudit<'_>) -> AnswerCell {
    let plan = it.plan;
    let words = match &plan.between {
        Some([one, other]) => format!("{} ({} {one}, {other})", plan.drawn(), plan.kind()),
        None => format!("{} of {}", plan.drawn(), plan.of),
    };
    AnswerCell::new(json!(plan.drawn()), words)
}

fn blind(it: &ListedAudit<'_>) -> AnswerCell {
    let plan = it.plan;
    let words = match plan.reveals() {
        _ if !plan.blind => "no",
        Reveal::After => "yes",
        Reveal::End => "until the end",
        Reveal::Never => "always",
    };
    AnswerCell::new(plan.blind, words)
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
