//! The report of an audit, or of several reviewers with each other, as a document. The first page
//! gives the result and the largest disagreements; a full report adds how samples were drawn and
//! judged, all figures and every judged sample.

mod checks;
mod judged_samples;
mod list;
mod sampling;
mod skipped;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use minijinja::{Value, context};
use serde::Serialize;

use crate::dataset::Dataset;
use crate::journal::{
    Act, ActId, ActRecord, AfterReveal, Audit, Ledger, Rating, SampleReview, Setting,
};
use crate::review::{
    Agreement, SampleLocator, agreement_of, each_pair_agreement, render, serialised, was_judged,
};

pub use list::list;

/// What to report.
#[derive(Debug, Clone, Default)]
pub struct ReportSpec {
    /// Which audit; `None`: the latest with a judgment (of the reviewer, where one is given), else
    /// the latest, and without any what was judged in passing.
    pub audit: Option<ActId>,
    /// Whose judgments; nobody named: everybody's. Several are compared with each other, by what
    /// they judged in all audits and outside of audits.
    pub reviewers: Vec<Arc<str>>,
    /// Whether what follows the first page is written too.
    pub full: bool,
    /// When this is, in UTC.
    pub now: String,
    /// The journals that were read, the first first.
    pub journals: Vec<PathBuf>,
    /// Their entries' times, as [`span`] tells them for what [`ReportSpec::session`] finds.
    pub span: Option<(String, String)>,
    /// What the reader should know of how things were read, one sentence each.
    pub troubles: Vec<String>,
}

impl ReportSpec {
    /// The audit that this is about: the one of the name, else the latest in which anything was
    /// judged, and an adjudication only where no other was judged. `None` where there is none.
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
                // An adjudication tells of the samples on which two differ, and of no others.
                let drawn = judged().find(|session| session.audit.between.is_none());
                drawn
                    .or_else(|| judged().next())
                    .or_else(|| latest().find(own))
            }
        }
    }

    /// The only reviewer, if one is named.
    pub fn reviewer(&self) -> Option<&str> {
        match &*self.reviewers {
            [one] => Some(one),
            _ => None,
        }
    }

    fn is_judged(&self, session: &Audit, ledger: &Ledger) -> bool {
        was_judged(session, ledger, self.reviewer())
    }

    /// The latest audit where nothing was judged in it, and this is about one before it.
    fn passed_over<'l>(&self, ledger: &'l Ledger, session: &Audit) -> Option<&'l Audit> {
        let last = ledger
            .sessions()
            .next_back()
            .filter(|last| self.audit.is_none() && last.id != session.id);
        last.filter(|last| !self.is_judged(last, ledger))
    }
}

/// When the first and the last judgment was given that holds, of an audit and of reviewers where
/// they are given.
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
        setting(&entry.act)
            .is_some_and(|setting| audit.is_none_or(|id| setting.audit.as_ref() == Some(id)))
            && (reviewers.is_empty() || reviewers.contains(&entry.reviewer))
            && !undone.contains(&(&entry.reviewer, &entry.id))
    };
    // One clock wrote all times in one form: they compare as text.
    let times = || entries.iter().filter(counts).map(|entry| &entry.time);
    Some((times().min()?.clone(), times().max()?.clone()))
}

fn setting(act: &Act) -> Option<&Setting> {
    match act {
        Act::Rate { setting, .. } | Act::Skip { setting } | Act::Defer { setting } => Some(setting),
        _ => None,
    }
}

/// Writes the report as Markdown. `places` finds the samples of the ledger.
pub fn report(
    dataset: &Dataset,
    ledger: &Ledger,
    places: &SampleLocator,
    spec: &ReportSpec,
) -> String {
    let session = spec.session(ledger);
    let scope = ReportedJudgments {
        ledger,
        reviewers: &spec.reviewers,
        audit: session.map(|session| &session.id),
    };
    let missing = spec.audit.as_ref().filter(|_| session.is_none());
    let is_empty = missing.is_some() || scope.samples() == 0;
    let figures =
        (!is_empty).then(|| agreement_of(ledger, places, dataset, scope.reviewers, scope.audit));
    let passed_over = session.and_then(|session| spec.passed_over(ledger, session));
    let only = Some(&*spec.reviewers).filter(|names| !names.is_empty());
    let samples = judged_samples::list(dataset, &scope, places, spec.full);
    let context = context! {
        title => title(dataset, spec),
        version => env!("CARGO_PKG_VERSION"),
        now => &*spec.now,
        full => spec.full,
        missing => missing.map(|id| &*id.0),
        journals => shown_paths(&spec.journals),
        reviewers => serialised(&spec.reviewers),
        most_named => MOST_NAMED,
        judged => sampling::judged(&scope),
        result => figures.as_ref().map(|it| it.first_page().trim().to_owned()),
        passed_over => passed_over.map(|later| context! {
            id => &*later.id.0,
            by => &*later.reviewer,
            time => &*later.time,
        }),
        files => sampling::files(dataset),
        odd_rows => dataset.lenient_rows().odd_values,
        plan => session.map(|session| sampling::plan(dataset, &scope, places, session)),
        span => serialised(&spec.span),
        troubles => serialised(&spec.troubles),
        of => samples,
        checks => match missing {
            None => checks::section(dataset, ledger, places, only, spec.full),
            Some(_) => String::new(),
        },
        ..details(dataset, places, spec, (&scope, figures.as_ref(), session))
    };
    render("report.md", context)
}

/// The title of a report: of its document, and of the window that shows it.
pub fn title(dataset: &Dataset, spec: &ReportSpec) -> String {
    let names = dataset.files().iter().map(|file| file.source.name());
    let names = names.collect::<Vec<_>>().join(", ");
    match spec.reviewers.len() {
        0 | 1 => format!("Audit of {names}"),
        _ => format!("Agreement of {} on {names}", spec.reviewers.join(", ")),
    }
}

/// What only a full report contains.
fn details(
    dataset: &Dataset,
    places: &SampleLocator,
    spec: &ReportSpec,
    (scope, figures, session): (&ReportedJudgments<'_>, Option<&Agreement>, Option<&Audit>),
) -> Value {
    let none = Vec::<Value>::new;
    if !spec.full || (spec.audit.is_some() && session.is_none()) {
        return context! { figures => (), pairs => none(), rows => none(), audits => none() };
    }
    let pairs = each_pair_agreement(scope.ledger, places, dataset, &spec.reviewers);
    let pairs = pairs.iter().map(|pair| pair.markdown().trim().to_owned());
    context! {
        figures => figures.map(|figures| figures.markdown().trim().to_owned()),
        pairs => pairs.collect::<Vec<_>>(),
        rows => skipped::list(dataset, scope, places),
        audits => sampling::sessions(dataset, scope, places, session),
    }
}

/// Paths as they are shown.
fn shown_paths(paths: &[PathBuf]) -> Vec<String> {
    let paths = paths.iter().map(|path| path.to_string_lossy());
    paths.map(Into::into).collect()
}

/// Reviewers who are named in a sentence, at most.
const MOST_NAMED: usize = 3;

/// What a reviewer judged.
#[derive(Debug, Clone, Copy, Default)]
struct OfReviewer {
    /// Samples with a judgment.
    samples: usize,
    /// How they were given.
    given: Blindness,
}

/// The judgments that a report is about.
struct ReportedJudgments<'a> {
    ledger: &'a Ledger,
    /// Whose; nobody named: everybody's.
    reviewers: &'a [Arc<str>],
    audit: Option<&'a ActId>,
}

/// How judgments were given: how many of them.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Blindness {
    /// Blind.
    blind: usize,
    /// With the dataset's own judgment hidden that the reviewer had seen before.
    seen: usize,
    /// With the dataset's own judgment in sight.
    open: usize,
    /// Of samples that had come back.
    repeats: usize,
    /// Changed after the dataset's own had shown.
    changed: usize,
    /// Withdrawn then.
    withdrawn: usize,
}

impl Blindness {
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
    /// Whether it is about this reviewer.
    fn is_reviewer(&self, name: &str) -> bool {
        self.reviewers.is_empty() || self.reviewers.iter().any(|it| **it == *name)
    }

    /// The latest judgment of each reviewer that was no repeat, in the order of their names.
    fn latest(&self, remark: &'a SampleReview) -> Vec<&'a Rating> {
        let counts = |it: &&Rating| it.setting.pass <= 1 && self.counts(it);
        let counted = remark.ratings.iter().filter(counts);
        let by_name = counted.map(|rating| (&*rating.reviewer, rating));
        by_name.collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// Whether it is one of those asked for, judged or not.
    fn is_of(&self, rating: &Rating) -> bool {
        self.is_reviewer(&rating.reviewer)
            && self
                .audit
                .is_none_or(|id| rating.setting.audit.as_ref() == Some(id))
    }

    /// Whether it is a judgment, as it was first given. What was judged before a skip is none any
    /// more.
    fn counts(&self, rating: &Rating) -> bool {
        self.is_of(rating) && rating.as_given().counts()
    }

    /// How many samples were judged.
    fn samples(&self) -> usize {
        self.ledger
            .remarks()
            .filter(|(_, remark)| remark.ratings.iter().any(|rating| self.counts(rating)))
            .count()
    }

    /// What each reviewer judged, in the order of their names.
    fn by_reviewer(&self) -> BTreeMap<&'a str, OfReviewer> {
        let mut all = BTreeMap::<&str, OfReviewer>::new();
        for (_, remark) in self.ledger.remarks() {
            let mut here = BTreeSet::new();
            for rating in remark.ratings.iter().filter(|rating| self.counts(rating)) {
                let of = all.entry(&rating.reviewer).or_default();
                of.given.add(rating);
                of.samples += usize::from(here.insert(&rating.reviewer));
            }
        }
        all
    }

    /// How the judgments were first given.
    fn blindness(&self) -> Blindness {
        let mut all = Blindness::default();
        let ratings = self
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
