//! The report of an audit, or on the agreement of several reviewers. The first page has the result
//! and the largest disagreements; a full report adds how samples were drawn and judged, all figures
//! and every judged sample.

mod judged_samples;
mod sampling;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use minijinja::{Value, context};
use serde::Serialize;

use crate::dataset::Dataset;
use crate::journal::{Act, ActId, ActRecord, AfterReveal, Audit, Ledger, Rating, SampleReview};
use crate::review::{Agreement, Workspace, no_spot, render, serialised, was_judged};

pub use sampling::in_shell;

/// What to report.
#[derive(Debug, Clone, Default)]
pub struct ReportSpec {
    /// The audit; `None` selects the latest with a judgment (by the reviewer, if one is given),
    /// otherwise the latest; without audits, judgments outside of audits.
    pub audit: Option<ActId>,
    /// The reviewers; empty for all. Several are compared with each other, on everything they
    /// judged in and outside of audits.
    pub reviewers: Vec<Arc<str>>,
    /// True to write the whole report, not only the first page.
    pub full: bool,
    /// The time of the report, in UTC.
    pub now: String,
    /// The journals that were read, in this order.
    pub journals: Vec<PathBuf>,
    /// First and last time of the judgments: [`span`] of what [`ReportSpec::session`] finds.
    pub span: Option<(String, String)>,
    /// Problems of reading that the reader should know, one sentence each.
    pub troubles: Vec<String>,
}

impl ReportSpec {
    /// Returns the audit to report: the given one, otherwise the latest with judgments; an
    /// adjudication only if no other audit has any. `None` if there is none.
    pub fn session<'l>(&self, ledger: &'l Ledger) -> Option<&'l Audit> {
        match &self.audit {
            Some(id) => ledger.sessions().find(|session| session.id == *id),
            None if self.reviewers.len() > 1 => None,
            None => {
                let own = |session: &&Audit| {
                    self.reviewer()
                        .is_none_or(|name| *name == *session.reviewer)
                };
                let latest = || ledger.sessions().rev();
                let judged = || latest().filter(|session| self.is_judged(session, ledger));
                // An adjudication covers only samples on which two reviewers differ.
                let drawn = judged().find(|session| session.audit.between.is_none());
                drawn
                    .or_else(|| judged().next())
                    .or_else(|| latest().find(own))
            }
        }
    }

    /// Returns the reviewer if exactly one is named.
    pub fn reviewer(&self) -> Option<&str> {
        match &*self.reviewers {
            [one] => Some(one),
            _ => None,
        }
    }

    fn is_judged(&self, session: &Audit, ledger: &Ledger) -> bool {
        was_judged(session, ledger, self.reviewer())
    }

    /// Returns the latest audit if it has no judgments and the report is about an earlier one.
    fn passed_over<'l>(&self, ledger: &'l Ledger, session: &Audit) -> Option<&'l Audit> {
        let last = ledger
            .sessions()
            .next_back()
            .filter(|last| self.audit.is_none() && last.id != session.id);
        last.filter(|last| !self.is_judged(last, ledger))
    }
}

/// Returns the time of the first and the last valid judgment, restricted to an audit and reviewers
/// if given.
pub fn span(
    entries: &[ActRecord],
    audit: Option<&ActId>,
    reviewers: &[Arc<str>],
) -> Option<(String, String)> {
    let mut undone = std::collections::HashSet::new();
    for entry in entries {
        match &entry.act {
            Act::Undo { entry: id } => drop(undone.insert((&entry.reviewer, id))),
            Act::Redo { entry: id } => drop(undone.remove(&(&entry.reviewer, id))),
            _ => {}
        }
    }
    let counts = |entry: &&ActRecord| {
        entry
            .act
            .setting()
            .is_some_and(|setting| audit.is_none_or(|id| setting.audit.as_ref() == Some(id)))
            && (reviewers.is_empty() || reviewers.contains(&entry.reviewer))
            && !undone.contains(&(&entry.reviewer, &entry.id))
    };
    // All times have the same format and time zone, so they compare as text.
    let times = || entries.iter().filter(counts).map(|entry| &entry.time);
    Some((times().min()?.clone(), times().max()?.clone()))
}

/// Writes the report as Markdown.
pub fn report(work: Workspace<'_>, spec: &ReportSpec) -> String {
    let Workspace {
        dataset, ledger, ..
    } = work;
    let session = spec.session(ledger);
    let scope = ReportedJudgments {
        work,
        reviewers: &spec.reviewers,
        audit: session.map(|session| &session.id),
    };
    let missing = spec.audit.as_ref().filter(|_| session.is_none());
    let is_empty = missing.is_some() || scope.samples() == 0;
    let figures = (!is_empty).then(|| work.agreement_of(scope.reviewers, scope.audit, spec.full));
    let passed_over = session.and_then(|session| spec.passed_over(ledger, session));
    let samples = judged_samples::list(&scope, spec.full);

    let context = context! {
        title => title(dataset, spec),
        version => env!("CARGO_PKG_VERSION"),
        now => &*spec.now,
        full => spec.full,
        missing => missing.map(|id| &*id.0),
        journals => shown_paths(&spec.journals),
        reviewers => serialised(&spec.reviewers),
        most_named => MAX_NAMED,
        judged => sampling::judged(&scope),
        result => figures.as_ref().map(|it| it.first_page().trim().to_owned()),
        passed_over => passed_over.map(|later| context! {
            id => &*later.id.0,
            by => &*later.reviewer,
            time => &*later.time,
        }),
        files => sampling::files(dataset),
        odd_rows => dataset.lenient_rows().odd_values,
        plan => session.map(|session| sampling::plan(&scope, session, spec.full)),
        span => serialised(&spec.span),
        troubles => serialised(&spec.troubles),
        of => samples,
        checks => match missing {
            None => work.spot_checks(&spec.reviewers).markdown(),
            Some(_) => String::new(),
        },
        ..details(spec, &scope, figures.as_ref(), session)
    };
    render("report.md", context)
}

/// Returns the title of a report, for its document and its window.
pub fn title(dataset: &Dataset, spec: &ReportSpec) -> String {
    let names = dataset.files().iter().map(|file| file.source.name());
    let names = names.collect::<Vec<_>>().join(", ");
    match spec.reviewers.len() {
        0 | 1 => format!("Audit of {names}"),
        _ => format!("Agreement of {} on {names}", spec.reviewers.join(", ")),
    }
}

/// Returns the values that only a full report needs.
fn details(
    spec: &ReportSpec,
    scope: &ReportedJudgments<'_>,
    figures: Option<&Agreement>,
    session: Option<&Audit>,
) -> Value {
    let none = Vec::<Value>::new;
    if !spec.full || (spec.audit.is_some() && session.is_none()) {
        return context! { figures => (), pairs => none(), rows => none(), audits => none() };
    }
    let pairs = scope.work.each_pair_agreement(&spec.reviewers);
    let pairs = pairs
        .iter()
        .map(|pair| pair.answer(&no_spot).markdown().trim().to_owned());
    context! {
        figures => figures.map(|figures| figures.figures().markdown().trim().to_owned()),
        pairs => pairs.collect::<Vec<_>>(),
        rows => judged_samples::skipped(scope),
        audits => sampling::sessions(scope, session),
    }
}

/// Formats paths.
fn shown_paths(paths: &[PathBuf]) -> Vec<String> {
    let paths = paths.iter().map(|path| path.to_string_lossy());
    paths.map(Into::into).collect()
}

/// Maximum number of reviewers named in a sentence.
const MAX_NAMED: usize = 3;

/// A reviewer's judgments.
#[derive(Debug, Clone, Copy, Default)]
struct ReviewerJudgments {
    /// Samples with a judgment.
    samples: usize,
    /// How the judgments were given.
    given: BlindnessCounts,
}

/// The judgments that a report is about.
struct ReportedJudgments<'a> {
    work: Workspace<'a>,
    /// The reviewers; empty for all.
    reviewers: &'a [Arc<str>],
    audit: Option<&'a ActId>,
}

/// Number of judgments by how they were given.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct BlindnessCounts {
    /// Given blind.
    blind: usize,
    /// Given with the dataset's judgment hidden, but seen before by the reviewer.
    seen: usize,
    /// Given with the dataset's judgment visible.
    open: usize,
    /// Repeats of earlier questions.
    repeats: usize,
    /// Changed after the dataset's judgment was shown.
    changed: usize,
    /// Withdrawn after the dataset's judgment was shown.
    withdrawn: usize,
}

impl BlindnessCounts {
    fn add(&mut self, rating: &Rating) {
        match (
            rating.as_given().setting.blind,
            rating.as_given().setting.seen,
        ) {
            (true, _) => self.blind += 1,
            (false, true) => self.seen += 1,
            (false, false) => self.open += 1,
        }
        self.repeats += usize::from(rating.setting.pass > 1);
        self.changed += usize::from(rating.after_reveal() == Some(AfterReveal::Changed));
        self.withdrawn += usize::from(rating.after_reveal() == Some(AfterReveal::Withdrawn));
    }
}

impl<'a> ReportedJudgments<'a> {
    /// True if the report is about this reviewer.
    fn is_reviewer(&self, name: &str) -> bool {
        self.reviewers.is_empty() || self.reviewers.iter().any(|it| **it == *name)
    }

    /// Returns the latest first-pass rating of each reviewer, ordered by name.
    fn latest(&self, remark: &'a SampleReview) -> Vec<&'a Rating> {
        let counts = |it: &&Rating| it.setting.pass <= 1 && self.counts(it);
        let counted = remark.ratings.iter().filter(counts);
        let by_name = counted.map(|rating| (&*rating.reviewer, rating));
        by_name.collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// True if the report covers this rating, judged or not.
    fn is_of(&self, rating: &Rating) -> bool {
        self.is_reviewer(&rating.reviewer)
            && self
                .audit
                .is_none_or(|id| rating.setting.audit.as_ref() == Some(id))
    }

    /// True if it was first given as a judgment; skipping discards what was judged before.
    fn counts(&self, rating: &Rating) -> bool {
        self.is_of(rating) && rating.as_given().counts()
    }

    /// Returns the number of judged samples.
    fn samples(&self) -> usize {
        self.work
            .ledger
            .remarks()
            .filter(|(_, remark)| remark.ratings.iter().any(|rating| self.counts(rating)))
            .count()
    }

    /// Returns the judgments of each reviewer, ordered by name.
    fn by_reviewer(&self) -> BTreeMap<&'a str, ReviewerJudgments> {
        let mut all = BTreeMap::<&str, ReviewerJudgments>::new();
        for (_, remark) in self.work.ledger.remarks() {
            let mut here = BTreeSet::new();
            for rating in remark.ratings.iter().filter(|rating| self.counts(rating)) {
                let of = all.entry(&rating.reviewer).or_default();
                of.given.add(rating);
                of.samples += usize::from(here.insert(&rating.reviewer));
            }
        }
        all
    }

    /// Counts how the judgments were first given.
    fn blindness(&self) -> BlindnessCounts {
        let mut all = BlindnessCounts::default();
        let ratings = self
            .work
            .ledger
            .remarks()
            .flat_map(|(_, remark)| &remark.ratings);
        for rating in ratings.filter(|rating| self.counts(rating)) {
            all.add(rating);
        }
        all
    }
}

#[cfg(test)]
mod tests;
