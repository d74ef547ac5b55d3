//! Agreement of reviewers with the dataset, with themselves and with each other.
//!
//! Each reviewer's latest first-pass judgment of a sample is compared with the dataset and with
//! other reviewers; repeats are compared only with the first pass. Skipped and deferred samples do
//! not count. No rows are read.
//!
//! Judgments changed, withdrawn or deferred after the dataset's labels were revealed count as first
//! given.
//! Figures with those changes are separate, and so are those of samples that a blind reviewer had
//! seen before ([`AfterRevealFigures`]).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::judged_sample::{JudgedSample, RatedBy, as_given, latest, questions};
use super::judgment_table::{
    JudgmentTable, Occasion, PairFigures, PairedRaters, Question, by_rater,
};
use super::rater_figures::{DATASET, DATASET_RATER, RaterFigures, seconds};
use super::rating_form::RatingForm;
use super::reviewer_agreement::ReviewerAgreement;
use super::workspace::Workspace;
use crate::dataset::{Dataset, DatasetRater, SampleKey};
use crate::journal::{ActId, AfterReveal, Rating, RatingState};
use crate::model::{ResponseId, Verdict};
use crate::parallel::{KeepGoing, in_parallel};
use crate::query::{annotated_columns, each_annotation};
use crate::stats::{ClusteredShare, Figure, MeasurementLevel, RatingFigures, RatingLists};
use crate::table::ColumnId;

/// Which judgments to compare.
#[derive(Clone, Copy)]
pub struct AgreementScope<'a> {
    /// The reviewer to compare with the dataset; `None`: all reviewers, each judgment counted.
    pub reviewer: Option<&'a str>,
    /// Only judgments of this audit. Other reviewers' judgments of its samples are compared even if
    /// they were given elsewhere.
    pub audit: Option<&'a ActId>,
    /// True to also compare reviewers with each other.
    pub between: bool,
    /// True to also compute figures of each rater and of the dataset's annotators, which a report's
    /// first page does not show.
    pub has_details: bool,
    /// True for ratings that count. Figures must not reveal labels that a blind reviewer has not
    /// been shown yet.
    pub counts: &'a dyn Fn(&SampleKey, &Rating) -> bool,
}

/// Agreement of judgments with the dataset and with each other.
#[derive(Debug, Clone, Default)]
pub struct Agreement {
    /// Reviewers compared with the dataset, sorted by name.
    pub reviewers: Vec<Arc<str>>,
    /// Samples that they judged and that have dataset labels.
    pub samples: usize,
    /// Their judgments: one for each reviewer and sample.
    pub judgments: usize,
    /// The number of blind judgments among them.
    pub blind: usize,
    /// Samples that they judged and that cannot be located.
    pub gone: usize,
    /// Judgments excluded because the figures would reveal labels to a blind reviewer.
    pub hidden: usize,
    /// Judgments changed after the reveal, and judgments of samples seen before.
    pub apart: AfterRevealFigures,
    /// The field whose values the audit drew equally often, if any: then figures describe the drawn
    /// samples and do not estimate the dataset.
    pub even: Option<String>,
    /// One entry for each ratable label, in schema order.
    pub labels: Vec<PairFigures>,
    /// Agreement of each reviewer with the dataset, by question, without intervals; empty without
    /// details.
    pub by_reviewer: Vec<PairFigures>,
    /// Verdicts; `None` if there are none to compare.
    pub verdict: Option<PairFigures>,
    /// Agreement of reviewers with themselves.
    pub consistency: SelfConsistency,
    /// Each rater beside the others; empty without details, or if nothing can be compared.
    pub raters: Vec<RaterFigures>,
    /// Agreement of reviewers with each other; `None` for fewer than two.
    pub between: Option<ReviewerAgreement>,
    /// Agreement of the annotators that the files distinguish; empty without details.
    pub annotators: AnnotatorAgreement,
}

/// Judgments that are counted apart from the main figures: those changed after the dataset's labels
/// were revealed, and those of samples whose labels a blind reviewer had seen before.
#[derive(Debug, Clone, Default)]
pub struct AfterRevealFigures {
    /// Judgments changed after the reveal.
    pub changed: usize,
    /// Judgments withdrawn after the reveal: removed, or the sample skipped.
    pub withdrawn: usize,
    /// Judgments deferred after the reveal.
    pub put_off: usize,
    /// Agreement with the dataset including these changes; empty if there are none.
    pub later: Vec<PairFigures>,
    /// Judgments of samples that had been seen before.
    pub seen: usize,
    /// Agreement with the dataset of those only; empty if there are none.
    pub of_seen: Vec<PairFigures>,
}

/// Agreement of reviewers with themselves, from repeated samples.
#[derive(Debug, Clone, Default)]
pub struct SelfConsistency {
    /// Number of repeated judgments.
    pub repeats: usize,
    /// For each label and for verdicts: first answers compared with later ones.
    pub figures: Vec<PairFigures>,
    /// Verdicts that are not ties, including repeats.
    pub decided: u64,
    /// Those with the sides swapped. If zero, "left" and "A" are confounded.
    pub swapped: u64,
    /// Share of the decided ones won by the response on the left.
    pub left: Figure,
}

impl Workspace<'_> {
    /// Computes agreement of some reviewers, or of all if none is named, with details if wanted. No
    /// judgment counts as hidden.
    pub fn agreement_of(
        &self,
        reviewers: &[Arc<str>],
        audit: Option<&ActId>,
        has_details: bool,
    ) -> Agreement {
        let reviewer = match reviewers {
            [one] => Some(&**one),
            _ => None,
        };
        // A single reviewer is compared with all others of a sample.
        let counts =
            |_: &_, rating: &Rating| reviewers.len() < 2 || reviewers.contains(&rating.reviewer);
        let scope = AgreementScope {
            reviewer,
            audit,
            between: reviewer.is_none(),
            has_details,
            counts: &counts,
        };
        let all = self.agreement_while(&scope, true, &|| true);
        Agreement {
            hidden: 0,
            ..all.unwrap_or_default()
        }
    }

    /// Computes agreement; returns `None` if cancelled, which is checked for each sample, reviewer and
    /// statistic. Unless it `is_whole`, it has no intervals and compares only with the dataset and with
    /// oneself: fast enough for every key press, however many reviewers there are.
    pub fn agreement_while(
        &self,
        scope: &AgreementScope<'_>,
        is_whole: bool,
        keep_going: &dyn KeepGoing,
    ) -> Option<Agreement> {
        let Self {
            dataset, ledger, ..
        } = *self;
        let forms = RatingForm::of_files(dataset);
        let questions = questions(dataset, &forms);
        let mut sums = AgreementSums::new(&questions, ledger.reviewers(), dataset.raters());
        for (number, (key, remark)) in (0..).zip(ledger.remarks()) {
            if !keep_going() {
                return None;
            }
            let in_scope = |rating: &Rating| {
                let is_own = scope.reviewer.is_none_or(|name| *rating.reviewer == *name);
                let audit = rating.setting.audit.as_ref();
                is_own && scope.audit.is_none_or(|id| audit == Some(id))
            };
            // A rating is tested as first given; a hidden one must not count between reviewers, either.
            let may_tell = |rating: &&Rating| (scope.counts)(key, rating.as_given());
            let looked_at = remark
                .ratings
                .iter()
                .filter(|rating| is_whole || in_scope(rating));
            let (visible, hidden): (Vec<&Rating>, Vec<_>) = looked_at.partition(may_tell);
            let hidden = hidden.into_iter().filter(|rating| in_scope(rating));
            let counts = |rating: &&Rating| rating.as_given().counts();
            sums.total.hidden += hidden.filter(counts).count();
            let now: Vec<&Rating> = visible.iter().copied().filter(|it| in_scope(it)).collect();
            let asked = as_given(&now);
            let Some((_, sample)) = self.judged(key, &forms) else {
                sums.total.gone += usize::from(now.iter().any(counts));
                continue;
            };
            sums.compare(number, &sample, &asked);
            sums.compare_current(number, &sample, &now);
            if is_whole && (scope.audit.is_none() || !asked.is_empty()) {
                sums.add_between(number, &sample, &latest(&as_given(&visible)));
            }
        }
        let mut sessions = ledger.sessions();
        let session = sessions.find(|session| scope.audit == Some(&session.id));
        let by = session.and_then(|session| session.audit.by.as_ref());
        sums.total.even = by.filter(|by| by.even).map(|by| by.field.clone());
        if is_whole && scope.has_details {
            sums.total.annotators = annotator_agreement(dataset, keep_going)?;
        }
        let agreement = sums.finish(scope, is_whole, keep_going);
        keep_going().then_some(agreement)
    }
}

/// A reviewer and an audit, or `None` for judgments outside audits.
type AuditReviewer<'r> = (&'r str, Option<&'r ActId>);

fn audit_reviewer(rating: &Rating) -> AuditReviewer<'_> {
    (&rating.reviewer, rating.setting.audit.as_ref())
}

/// Sums over samples.
struct AgreementSums<'q> {
    total: Agreement,
    reviewers: BTreeSet<Arc<str>>,
    /// All answers that are compared.
    table: JudgmentTable<'q>,
    /// Whether the left side won, for each decided verdict with its sample.
    left: Vec<(u32, bool)>,
    /// Published agreement of annotators on verdicts, from the schema.
    published: Option<f64>,
    /// All reviewers, sorted by name.
    names: Vec<Arc<str>>,
    /// Indices of those compared with each other.
    compared: BTreeSet<u32>,
    /// The raters of schemas and the joined files.
    others: Vec<DatasetRater>,
    /// When each reviewer gave their latest judgments.
    times: BTreeMap<u32, Vec<f64>>,
}

impl<'q> AgreementSums<'q> {
    fn new(questions: &'q [Question], names: Vec<Arc<str>>, others: Vec<DatasetRater>) -> Self {
        Self {
            total: Agreement::default(),
            reviewers: BTreeSet::new(),
            table: JudgmentTable::new(questions),
            left: Vec::new(),
            published: None,
            names,
            compared: BTreeSet::new(),
            others,
            times: BTreeMap::new(),
        }
    }

    /// Adds a sample's ratings as first given, to compare them with the dataset and with repeats.
    fn compare(&mut self, number: u32, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        let before = self.total.judgments;
        for rating in latest(ratings) {
            if sample.verdict(rating).and(sample.own.verdict()).is_some() {
                self.published = self.published.or(sample.scale.published);
            }
            if self.add(Occasion::First, number, sample, rating) {
                self.total.judgments += 1;
                self.total.blind += usize::from(rating.setting.blind);
                self.reviewers.insert(Arc::clone(&rating.reviewer));
            }
        }
        self.total.samples += usize::from(self.total.judgments > before);
        let mut first_times = HashMap::new();
        for rating in ratings.iter().filter(|rating| rating.setting.pass == 1) {
            first_times.entry(audit_reviewer(rating)).or_insert(*rating);
        }
        for rating in ratings {
            let first = first_times.get(&audit_reviewer(rating));
            if let Some(first) = first.filter(|_| rating.setting.pass > 1) {
                self.total.consistency.repeats += 1;
                let both = [first, rating].map(|rating| (0, RatedBy::Reviewer(rating)));
                self.table.add(Occasion::Again, number, sample, &both);
            }
            let decided = sample.verdict(rating).filter(|_| sample.responses == 2);
            if let Some(response) = decided.and_then(Verdict::winner) {
                let order = rating.setting.order.among(sample.responses);
                let consistency = &mut self.total.consistency;
                consistency.decided += 1;
                consistency.swapped += u64::from(!order.is_of_file());
                let is_left = order.shown(response) == ResponseId::A;
                self.left.push((number, is_left));
            }
        }
    }

    /// Adds a sample's current ratings: changes after the reveal, and samples seen before.
    fn compare_current(&mut self, number: u32, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        let apart = &mut self.total.apart;
        for rating in ratings.iter().filter(|rating| rating.setting.pass == 1) {
            match rating.after_reveal() {
                Some(AfterReveal::Changed) => apart.changed += 1,
                Some(AfterReveal::Withdrawn) => apart.withdrawn += 1,
                Some(AfterReveal::PutOff) => apart.put_off += 1,
                None => {}
            }
        }
        let is_seen = |rating: &&Rating| rating.as_given().setting.seen;
        let (seen, mut now): (Vec<&Rating>, Vec<_>) = ratings.iter().copied().partition(is_seen);
        now.retain(|rating| rating.state == RatingState::Open && rating.is_judged());
        for rating in latest(&now) {
            self.add(Occasion::Later, number, sample, rating);
        }
        let mut seen: Vec<&Rating> = seen.into_iter().map(Rating::as_given).collect();
        seen.retain(|rating| rating.counts());
        for rating in latest(&seen) {
            let is_compared = self.add(Occasion::Seen, number, sample, rating);
            self.total.apart.seen += usize::from(is_compared);
        }
    }

    /// Adds a rating and the dataset's labels. Returns true if they are comparable.
    fn add(
        &mut self,
        occasion: Occasion,
        number: u32,
        sample: &JudgedSample<'_>,
        rating: &Rating,
    ) -> bool {
        let both = [
            (self.rater(rating), RatedBy::Reviewer(rating)),
            (DATASET_RATER, RatedBy::Dataset),
        ];
        self.table.add(occasion, number, sample, &both)
    }

    /// Returns the index of the reviewer.
    fn rater(&self, rating: &Rating) -> u32 {
        self.names.binary_search(&rating.reviewer).unwrap_or(0) as u32
    }

    /// Adds a sample's latest rating by each reviewer, to compare all raters with each other.
    fn add_between(&mut self, number: u32, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        // Without a judgment, figures would be about labels that a blind reviewer must not see.
        if ratings.is_empty() {
            return;
        }
        let mut raters = Vec::new();
        for rating in ratings {
            let rater = self.rater(rating);
            raters.push((rater, RatedBy::Reviewer(rating)));
            let times = self.times.entry(rater).or_default();
            times.extend(seconds(rating));
        }
        raters.sort_by_key(|(rater, _)| *rater);
        self.compared.extend(raters.iter().map(|(rater, _)| *rater));
        let first = self.names.len() as u32;
        let others = (first..).zip(&self.others);
        raters.extend(others.map(|(rater, it)| (rater, RatedBy::Column(it.margin))));
        raters.push((DATASET_RATER, RatedBy::Dataset));
        self.table.add(Occasion::All, number, sample, &raters);
    }

    fn finish(
        self,
        scope: &AgreementScope<'_>,
        is_whole: bool,
        keep_going: &dyn KeepGoing,
    ) -> Agreement {
        let (mut all, table, names) = (self.total, &self.table, &*self.names);
        let figures = |occasion, has_intervals| {
            table.figures(occasion, PairedRaters::First, has_intervals, keep_going)
        };
        if is_whole && scope.between {
            all.between = ReviewerAgreement::of(table, names, &self.compared, keep_going);
        }
        all.reviewers = self.reviewers.into_iter().collect();
        all.labels = figures(Occasion::First, is_whole);
        all.verdict = all.labels.pop().filter(|of| of.n > 0);
        if is_whole && scope.has_details {
            all.raters = RaterFigures::all(table, (names, &self.others), &self.times, keep_going);
            for (question, units) in table.select(Occasion::First) {
                let mut raters = by_rater(&units);
                raters.remove(&DATASET_RATER);
                let raters = raters.iter().take_while(|_| keep_going());
                let each = raters.map(|(rater, units)| PairFigures {
                    reviewers: Some([Arc::clone(&names[*rater as usize]), DATASET.into()]),
                    ..question.figures(units, PairedRaters::First, false, keep_going)
                });
                all.by_reviewer.extend(each);
            }
        }
        if let Some(verdict) = &mut all.verdict {
            verdict.published = self.published;
        }
        all.consistency.figures = figures(Occasion::Again, is_whole);
        all.consistency.left = ClusteredShare::of(self.left).figure();
        let apart = |occasion| {
            let mut figures = figures(occasion, false);
            figures.retain(|figures| figures.n > 0);
            figures
        };
        all.apart.of_seen = apart(Occasion::Seen);
        if all.apart.changed + all.apart.withdrawn + all.apart.put_off > 0 {
            all.apart.later = apart(Occasion::Later);
        }
        all
    }
}

/// Agreement between annotators, from things that at least two rated: each label over responses, in
/// schema order, then votes over samples.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnnotatorAgreement(pub Vec<(String, RatingFigures)>);

/// Computes agreement in all columns with lists of annotators' values, with
/// intervals over samples. Returns `None` if cancelled.
fn annotator_agreement(
    dataset: &Dataset,
    keep_going: &dyn KeepGoing,
) -> Option<AnnotatorAgreement> {
    let columns = annotated_columns(dataset);
    let counted = in_parallel(&columns, |&column| {
        let mut lists = RatingLists::default();
        each_annotation(dataset, column, keep_going, &mut |sample, list| {
            lists.add(sample, list);
        })?;
        let level = if column == ColumnId::VOTES {
            MeasurementLevel::of_votes(dataset.most_responses())
        } else {
            MeasurementLevel::Ordinal
        };
        let figures = lists.figures(level, true, keep_going);
        keep_going().then(|| (figures.things > 0).then(|| (column.name.to_owned(), figures)))
    })
    .into_iter()
    .collect::<Option<Vec<_>>>()?;
    Some(AnnotatorAgreement(counted.into_iter().flatten().collect()))
}
