//! How far reviewers agree with the dataset, with themselves and with each other.
//!
//! What is compared with the dataset, and with other reviewers, is each reviewer's latest judgment
//! of a sample that was no repeat; repeats are compared with the first time alone. Skipped and
//! deferred samples are not judged. Nothing here reads a row.
//!
//! What was changed, withdrawn or put off after the dataset's own judgment had shown counts as it
//! was given before; figures with the later changes stand beside it, and so do those of samples
//! that a blind reviewer had seen before ([`AfterRevealFigures`]).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::after_reveal::{AfterRevealFigures, AfterRevealSums};
use super::annotators::{AnnotatorAgreement, annotator_agreement};
use super::figures::{CategoryPairs, PairFigures, ValuePairs, figures};
use super::judged_sample::{JudgedSample, VerdictCategories, as_given, latest, rateable};
use super::locator::SampleLocator;
use super::rating_form::{Rateable, RatingForms};
use super::reviewer_agreement::{ReviewerAgreement, ReviewerSums};
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{ActId, Ledger, Rating};
use crate::model::{ResponseId, Verdict};
use crate::parallel::KeepGoing;
use crate::stats::{Figure, Weights};

/// Whose judgments, and which of them.
#[derive(Clone, Copy)]
pub struct AgreementScope<'a> {
    /// Whose agreement with the dataset; `None`: everybody's, each judgment counted.
    pub reviewer: Option<&'a str>,
    /// Of one audit alone. What other reviewers said of the samples that were judged in it is
    /// compared wherever they said it.
    pub audit: Option<&'a ActId>,
    /// Whether reviewers are compared with each other as well.
    pub between: bool,
    /// Whether a rating counts: one whose sample a blind reviewer has not been shown yet must not
    /// tell.
    pub counts: &'a dyn Fn(&SampleKey, &Rating) -> bool,
}

/// How far judgments agree with the dataset and with each other.
#[derive(Debug, Clone, Default)]
pub struct Agreement {
    /// Those whose judgments were compared with the dataset, in the order of their names.
    pub reviewers: Vec<Arc<str>>,
    /// Samples that they judged and of which the dataset says something too.
    pub samples: usize,
    /// Their judgments, a sample by a reviewer each.
    pub judgments: usize,
    /// Those of them that were given blind.
    pub blind: usize,
    /// Samples that they judged and that are not among the places known.
    pub gone: usize,
    /// Judgments that do not count, since labels that a blind reviewer was not shown yet would
    /// tell.
    pub hidden: usize,
    /// Judgments that something became of after the dataset's own had shown, and judgments of
    /// samples that had been seen before.
    pub apart: AfterRevealFigures,
    /// How many resamples intervals are made of; 0: there are none.
    pub draws: u32,
    /// By what the audit's draw was made even, where it was: then figures are those of what was
    /// drawn, and no estimate for the dataset.
    pub even: Option<String>,
    /// Each label that can be rated, in the schemas' order.
    pub labels: Vec<PairFigures>,
    /// Who wins; `None` where no schema has anything to say of it.
    pub verdict: Option<PairFigures>,
    /// How far they agree with themselves.
    pub consistency: SelfConsistency,
    /// How far reviewers agree with each other; `None` of fewer than two.
    pub between: Option<ReviewerAgreement>,
    /// How far the annotators agree whom the files tell apart.
    pub annotators: AnnotatorAgreement,
}

/// Agreement of reviewers with themselves, from samples that came back.
#[derive(Debug, Clone, Default)]
pub struct SelfConsistency {
    /// Judgments of a sample that had come back.
    pub repeats: usize,
    /// Each label: values of the first time and of a later one.
    pub labels: Vec<PairFigures>,
    /// Verdicts that were given both times.
    pub verdicts: u64,
    /// Share of them that stayed the same.
    pub verdict: Figure,
    /// Verdicts, of repeats too, that are no ties.
    pub decided: u64,
    /// Those of them with the sides swapped: where there are none, what is left and what is A
    /// cannot be told apart.
    pub swapped: u64,
    /// Share of the decided ones in which the response won that was shown on the left.
    pub left: Figure,
}

/// Sums up. `draws` is how many resamples intervals are made of; 0 gives none.
pub fn agreement(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    scope: &AgreementScope<'_>,
    draws: u32,
) -> Agreement {
    agreement_while(ledger, places, dataset, scope, Some(draws), &|| true).unwrap_or_default()
}

/// [`agreement`], for as long as it is `wanted`, which is asked for each sample, each resample and
/// each reviewer; `None` once it is not. Without `draws`, agreement with the dataset and with oneself
/// alone: quick enough for each key, however many reviewers there are.
pub fn agreement_while(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    scope: &AgreementScope<'_>,
    draws: Option<u32>,
    wanted: &dyn KeepGoing,
) -> Option<Agreement> {
    let between = draws.is_some() && scope.between;
    let scales = RatingForms::of(dataset);
    let labels = rateable(scales.all());
    let categories = VerdictCategories::of(dataset);
    let mut sums = AgreementSums::new(&labels, categories, draws.unwrap_or(0));
    for (key, remark) in ledger.remarks() {
        if !wanted() {
            return None;
        }
        let in_scope = |rating: &Rating| {
            scope
                .reviewer
                .is_none_or(|reviewer| *rating.reviewer == *reviewer)
                && scope
                    .audit
                    .is_none_or(|audit| rating.setting.audit.as_ref() == Some(audit))
        };
        let may_tell = |rating: &&Rating| (scope.counts)(key, rating.as_given());
        let looked_at = remark
            .ratings
            .iter()
            .filter(|rating| between || in_scope(rating));
        let (told, hidden): (Vec<&Rating>, Vec<_>) = looked_at.partition(may_tell);
        sums.of_all.hidden += hidden
            .into_iter()
            .filter(|rating| rating.as_given().counts() && in_scope(rating))
            .count();
        let now: Vec<&Rating> = told
            .iter()
            .copied()
            .filter(|rating| in_scope(rating))
            .collect();
        let (ratings, asked) = (as_given(&told), as_given(&now));
        let Some((_, sample)) = JudgedSample::find(key, places, dataset, &scales) else {
            sums.of_all.gone += usize::from(now.iter().any(|rating| rating.as_given().counts()));
            continue;
        };
        sums.add(&sample, &asked);
        sums.apart.add(&sample, &now);
        if between && (scope.audit.is_none() || !asked.is_empty()) {
            sums.gathered.add(&sample, &latest(&ratings));
        }
    }
    let mut sessions = ledger.sessions();
    let session = sessions.find(|session| scope.audit == Some(&session.id));
    let by = session.and_then(|session| session.audit.by.as_ref());
    sums.of_all.even = by.filter(|by| by.even).map(|by| by.field.clone());
    if let Some(draws) = draws {
        sums.of_all.annotators = annotator_agreement(dataset, draws, wanted)?;
    }
    let agreement = sums.summed_up(wanted);
    wanted().then_some(agreement)
}

/// Who judged in which audit.
type AuditReviewer<'r> = (&'r str, Option<&'r ActId>);

/// Of ratings among which there are repeats, each reviewer's first one of each audit.
fn first_times<'r>(ratings: &[&'r Rating]) -> HashMap<AuditReviewer<'r>, &'r Rating> {
    let mut first_times = HashMap::new();
    if ratings.iter().any(|rating| rating.setting.pass > 1) {
        for rating in ratings.iter().filter(|rating| rating.setting.pass == 1) {
            first_times.entry(turn(rating)).or_insert(*rating);
        }
    }
    first_times
}

fn turn(rating: &Rating) -> AuditReviewer<'_> {
    (&rating.reviewer, rating.setting.audit.as_ref())
}

/// What is added up, sample by sample.
struct AgreementSums<'a> {
    /// What is counted, as far as it is.
    of_all: Agreement,
    reviewers: BTreeSet<Arc<str>>,
    with_dataset: ValuePairs<'a>,
    published: Option<f64>,
    again: ValuePairs<'a>,
    /// Verdicts of pairs that are no ties: 1 if the left response wins, else 0, beside a 1.
    left: CategoryPairs,
    gathered: ReviewerSums<'a>,
    apart: AfterRevealSums<'a>,
}

impl<'a> AgreementSums<'a> {
    fn new(rateable: &'a [Rateable], categories: VerdictCategories, draws: u32) -> Self {
        Self {
            of_all: Agreement {
                draws,
                ..Agreement::default()
            },
            reviewers: BTreeSet::new(),
            with_dataset: ValuePairs::new(rateable, categories, draws),
            published: None,
            again: ValuePairs::new(rateable, categories, draws),
            left: CategoryPairs::new(2, Weights::Unweighted, draws),
            gathered: ReviewerSums::new(rateable, categories, draws),
            apart: AfterRevealSums::new(rateable, categories),
        }
    }

    /// Adds what was said of a sample.
    fn add(&mut self, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        self.with_dataset.begin();
        self.again.begin();
        self.left.begin();
        let before = self.of_all.judgments;
        latest(ratings)
            .into_iter()
            .for_each(|rating| self.compare(sample, rating));
        self.of_all.samples += usize::from(self.of_all.judgments > before);
        let first_times = first_times(ratings);
        for rating in ratings {
            let first = (rating.setting.pass > 1)
                .then(|| first_times.get(&turn(rating)))
                .flatten();
            if let Some(first) = first {
                self.of_all.consistency.repeats += 1;
                self.again.add(sample, first, Some(rating));
            }
            let decided = sample.verdict(rating).filter(|_| sample.responses == 2);
            if let Some(response) = decided.and_then(Verdict::winner) {
                let order = rating.setting.order.among(sample.responses);
                self.of_all.consistency.swapped += u64::from(!order.is_of_file());
                self.left
                    .add(usize::from(order.shown(response) == ResponseId::A), 1);
            }
        }
    }

    /// Adds a rating beside what the dataset says.
    fn compare(&mut self, sample: &JudgedSample<'_>, rating: &Rating) {
        let compared = self.with_dataset.add(sample, rating, None);
        if sample.verdict(rating).and(sample.own.verdict()).is_some() {
            self.published = self.published.or(sample.scale.published);
        }
        if compared {
            self.of_all.judgments += 1;
            self.of_all.blind += usize::from(rating.setting.blind);
            self.reviewers.insert(Arc::clone(&rating.reviewer));
        }
    }

    fn summed_up(self, wanted: &dyn KeepGoing) -> Agreement {
        let pairs = self.with_dataset.all().chain(self.again.all());
        let every: Vec<&CategoryPairs> = pairs.chain([&self.left]).collect();
        let mut all = self.of_all;
        let mut figures = figures(&every, all.draws, wanted).into_iter();
        // One of each label, and one of the verdict.
        let count = self.with_dataset.all().count() - 1;
        all.labels = figures.by_ref().take(count).collect();
        all.verdict = figures.next().filter(|of| of.n > 0);
        if let Some(verdict) = &mut all.verdict {
            verdict.published = self.published;
        }
        let own = &mut all.consistency;
        own.labels = figures.by_ref().take(count).collect();
        let mut share = || {
            figures
                .next()
                .map(|of| (of.n, of.equal))
                .unwrap_or_default()
        };
        (own.verdicts, own.verdict) = share();
        (own.decided, own.left) = share();
        Agreement {
            reviewers: self.reviewers.into_iter().collect(),
            apart: self.apart.summed_up(),
            between: self.gathered.summed_up(wanted),
            ..all
        }
    }
}
