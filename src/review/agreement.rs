//! How far reviewers agree with the dataset, with themselves and with each other.
//!
//! What is compared with the dataset, and with other reviewers, is each reviewer's latest judgment
//! of a sample that was no repeat; repeats are compared with the first time alone. Skipped and
//! deferred samples are not judged. Nothing here reads a row.
//!
//! What was changed, withdrawn or put off after the dataset's own judgment had shown counts as it
//! was given before; figures with the later changes stand beside it, and so do those of samples
//! that a blind reviewer had seen before ([`AfterRevealFigures`]).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::after_reveal::{AfterRevealFigures, AfterRevealSums, ValuePairs};
use super::annotators::{AnnotatorAgreement, annotator_agreement};
use super::dataset_labels::DatasetLabels;
use super::figures::{CategoryPairs, PairFigures, figures, mean_distance};
use super::locator::SampleLocator;
use super::rating_form::{Rateable, RatingForm, RatingForms};
use super::reviewer_agreement::{ReviewerAgreement, ReviewerSums};
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{ActId, Ledger, Rating};
use crate::model::{ResponseId, Verdict};
use crate::stats::{Confusion, Figure, Undefined, Weights};

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
    pub labels: Vec<LabelAgreement>,
    /// Who wins; `None` where no schema has anything to say of it.
    pub verdict: Option<VerdictAgreement>,
    /// How far they agree with themselves.
    pub consistency: SelfConsistency,
    /// How far reviewers agree with each other; `None` of fewer than two.
    pub between: Option<ReviewerAgreement>,
    /// How far the annotators agree whom the files tell apart.
    pub annotators: AnnotatorAgreement,
}

/// Agreement with the dataset on a label, over responses.
#[derive(Debug, Clone)]
pub struct LabelAgreement {
    /// Its name in the schema.
    pub name: Arc<str>,
    /// Least and greatest value.
    pub range: [i64; 2],
    /// Samples with a response that both rated.
    pub samples: usize,
    /// How often the reviewer gave one value (rows, from the least) and the dataset another
    /// (columns): the total is the number of responses.
    pub confusion: Confusion,
    /// Quadratic weighted kappa; its interval is that of a bootstrap over samples.
    pub kappa: Figure,
    /// Share of responses with the same value.
    pub equal: Figure,
    /// The reviewer's value less the dataset's, on average.
    pub difference: Figure,
    /// Quadratic weighted kappa between single annotators of the dataset, as published.
    pub published: Option<f64>,
}

impl LabelAgreement {
    /// The figures of a label, from its pairs.
    pub(super) fn of(label: &Rateable, pairs: &CategoryPairs, figures: PairFigures) -> Self {
        Self {
            name: Arc::clone(&label.name),
            range: label.range,
            samples: pairs.samples(),
            kappa: figures.kappa,
            equal: figures.equal,
            difference: figures.difference,
            published: label.published,
            confusion: figures.confusion,
        }
    }
}

/// Agreement with the dataset on who wins. Categories are A, B and a tie.
#[derive(Debug, Clone)]
pub struct VerdictAgreement {
    /// Samples with a verdict of both.
    pub samples: usize,
    /// Verdicts that both have, those without a category too.
    pub n: u64,
    /// Those of them that kappa leaves out, because one side has several best responses.
    pub several: u64,
    /// How often the reviewer said one thing (rows) and the dataset another (columns).
    pub confusion: Confusion,
    /// Kappa, unweighted.
    pub kappa: Figure,
    /// Share of verdicts that agree: both a tie, or the chosen response is among the best.
    pub equal: Figure,
    /// Share of verdicts on which single annotators of the dataset agree, as published.
    pub published: Option<f64>,
}

impl VerdictAgreement {
    /// The figures of who wins, from pairs of verdicts; `None` where there is no pair.
    pub(super) fn of(
        verdicts: &CategoryPairs,
        figures: Option<PairFigures>,
        published: Option<f64>,
    ) -> Option<Self> {
        let figures = figures.filter(|of| of.n > 0)?;
        Some(Self {
            samples: verdicts.samples(),
            n: figures.n,
            several: figures.several,
            kappa: figures.kappa,
            equal: figures.equal,
            published,
            confusion: figures.confusion,
        })
    }
}

/// Agreement of reviewers with themselves, from samples that came back.
#[derive(Debug, Clone)]
pub struct SelfConsistency {
    /// Judgments of a sample that had come back.
    pub repeats: usize,
    /// Each label.
    pub labels: Vec<LabelConsistency>,
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

/// Agreement of reviewers with themselves on a label, over responses.
#[derive(Debug, Clone)]
pub struct LabelConsistency {
    /// Its name in the schema.
    pub name: Arc<str>,
    /// Values of the first time (rows) and of a later one (columns).
    pub confusion: Confusion,
    /// Quadratic weighted kappa.
    pub kappa: Figure,
    /// Share of responses with the same value both times.
    pub equal: Figure,
    /// How far the values are apart on average.
    pub distance: Result<f64, Undefined>,
}

impl Default for SelfConsistency {
    fn default() -> Self {
        let nothing = Figure::share(0, 0);
        Self {
            repeats: 0,
            labels: Vec::new(),
            verdicts: 0,
            verdict: nothing,
            decided: 0,
            swapped: 0,
            left: nothing,
        }
    }
}

/// Sums up. `draws` is how many resamples intervals are made of; 0 gives none.
pub fn agreement(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    scope: &AgreementScope<'_>,
    draws: usize,
) -> Agreement {
    agreement_while(ledger, places, dataset, scope, draws, &|| true).unwrap_or_default()
}

/// [`agreement`], for as long as it is `wanted`, which is asked for each sample, each resample and
/// each reviewer; `None` once it is not.
pub fn agreement_while(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    scope: &AgreementScope<'_>,
    draws: usize,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Option<Agreement> {
    let depth = AgreementDepth {
        draws: u32::try_from(draws).unwrap_or(u32::MAX),
        between: true,
        annotators: true,
    };
    summed_up(ledger, places, dataset, scope, depth, wanted)
}

/// Agreement with the dataset and with oneself alone, without intervals: quick enough for each key,
/// however many reviewers there are.
pub fn agreement_with_dataset(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    scope: &AgreementScope<'_>,
) -> Agreement {
    summed_up(
        ledger,
        places,
        dataset,
        scope,
        AgreementDepth {
            draws: 0,
            between: false,
            annotators: false,
        },
        &|| true,
    )
    .unwrap_or_default()
}

/// How much is counted.
#[derive(Clone, Copy)]
struct AgreementDepth {
    /// How many resamples intervals are made of.
    draws: u32,
    /// Whether reviewers are compared with each other.
    between: bool,
    /// Whether annotators of the files are.
    annotators: bool,
}

fn summed_up(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    scope: &AgreementScope<'_>,
    depth: AgreementDepth,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Option<Agreement> {
    let depth = AgreementDepth {
        between: depth.between && scope.between,
        ..depth
    };
    let scales = RatingForms::of(dataset);
    let labels = rateable(scales.all());
    let mut sums = AgreementSums::new(&labels, VerdictCategories::of(dataset), depth.draws);
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
            .filter(|rating| depth.between || in_scope(rating));
        let (told, hidden): (Vec<&Rating>, Vec<_>) = looked_at.partition(may_tell);
        sums.hidden += hidden
            .into_iter()
            .filter(|rating| rating.as_given().counts() && in_scope(rating))
            .count();
        let now: Vec<&Rating> = told
            .iter()
            .copied()
            .filter(|rating| in_scope(rating))
            .collect();
        let (ratings, asked) = (as_given(&told), as_given(&now));
        let found = places.first(key).and_then(|sample| {
            Some((
                DatasetLabels::of(dataset, sample)?,
                scales
                    .of_sample(dataset, sample)
                    .filter(|(_, responses)| *responses > 0)?,
            ))
        });
        let Some((own, (scale, responses))) = found else {
            sums.gone += usize::from(now.iter().any(|rating| rating.as_given().counts()));
            continue;
        };
        let sample = JudgedSample {
            scale,
            responses,
            own,
        };
        sums.add(&sample, &asked);
        sums.apart.add(&sample, &now);
        if depth.between && (scope.audit.is_none() || !asked.is_empty()) {
            sums.gathered.add(&sample, &latest(&ratings));
        }
    }
    let session = scope
        .audit
        .and_then(|id| ledger.sessions().find(|session| session.id == *id));
    let even = session
        .and_then(|session| session.audit.by.as_ref())
        .filter(|by| by.even)
        .map(|by| by.field.clone());
    let annotators = match depth.annotators {
        true => annotator_agreement(dataset, depth.draws, wanted)?,
        false => AnnotatorAgreement::default(),
    };
    let agreement = Agreement {
        even,
        annotators,
        ..sums.summed_up(wanted)
    };
    wanted().then_some(agreement)
}

/// The labels of all schemas that can be rated, by their names.
pub(super) fn rateable(scales: &[RatingForm]) -> Vec<Rateable> {
    let mut labels: Vec<Rateable> = Vec::new();
    for label in scales.iter().flat_map(|scale| &scale.labels) {
        match labels.iter_mut().find(|known| known.name == label.name) {
            None => labels.push(label.clone()),
            Some(known) => {
                known.range = [
                    known.range[0].min(label.range[0]),
                    known.range[1].max(label.range[1]),
                ];
                known.published = known.published.or(label.published);
            }
        }
    }
    labels
}

/// Judgments before anything was changed in them after a reveal; those of samples that had been
/// seen before are counted apart.
pub(super) fn as_given<'r>(ratings: &[&'r Rating]) -> Vec<&'r Rating> {
    let compared = ratings.iter().filter(|rating| is_compared(rating));
    compared.map(|rating| rating.as_given()).collect()
}

/// Whether a judgment is compared with the dataset and with others: as it was first given.
pub fn is_compared(rating: &Rating) -> bool {
    let given = rating.as_given();
    given.counts() && !given.setting.seen
}

/// Each reviewer's latest rating that is no repeat.
pub(super) fn latest<'r>(ratings: &[&'r Rating]) -> Vec<&'r Rating> {
    let mut known = HashSet::with_capacity(ratings.len());
    let first_times = ratings
        .iter()
        .rev()
        .filter(|rating| rating.setting.pass == 1);
    first_times
        .filter(|rating| known.insert(&*rating.reviewer))
        .copied()
        .collect()
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

/// A sample that was judged.
#[derive(Clone, Copy)]
pub(super) struct JudgedSample<'a> {
    pub(super) scale: &'a RatingForm,
    pub(super) responses: usize,
    pub(super) own: DatasetLabels<'a>,
}

impl JudgedSample<'_> {
    /// Who wins by a rating.
    pub(super) fn verdict(&self, rating: &Rating) -> Option<Verdict> {
        (self.responses > 1)
            .then(|| self.scale.verdict(self.responses, rating))
            .flatten()
    }

    /// Calls with the place of each label that a rating has a value of, the response, and the
    /// value.
    pub(super) fn each_label(
        &self,
        labels: &[Rateable],
        rating: &Rating,
        mut call: impl FnMut(usize, ResponseId, f64),
    ) {
        for ((name, response), &value) in &rating.labels {
            let label = labels.iter().position(|label| label.name == *name);
            if let Some(label) = label.filter(|_| response.index() < self.responses) {
                call(label, *response, value);
            }
        }
    }
}

/// What verdicts there can be, as categories: a win of each response, and a tie.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerdictCategories {
    /// The most responses that a sample has, at least two.
    responses: usize,
}

impl VerdictCategories {
    /// Those of a dataset.
    pub(super) fn of(dataset: &Dataset) -> Self {
        Self {
            responses: dataset.most_responses().max(2),
        }
    }

    /// How many there are.
    pub(super) const fn count(self) -> usize {
        self.responses + 1
    }

    /// The category of a verdict, from 0; `None` if several responses are best.
    pub(super) fn place(self, verdict: Verdict) -> Option<usize> {
        match verdict {
            Verdict::Tie => Some(self.responses),
            Verdict::Best(_) => Some(verdict.winner()?.index().min(self.responses - 1)),
        }
    }

    /// What so many categories are called.
    pub(super) fn names(count: usize) -> Vec<String> {
        let letters = ResponseId::first(count.saturating_sub(1));
        let letters = letters.map(|response| response.letter().to_owned());
        letters.chain(["tie".to_owned()]).collect()
    }
}

/// What is added up, sample by sample.
struct AgreementSums<'a> {
    rateable: &'a [Rateable],
    draws: u32,
    reviewers: BTreeSet<Arc<str>>,
    samples: usize,
    judgments: usize,
    blind: usize,
    gone: usize,
    hidden: usize,
    with_dataset: ValuePairs,
    published: Option<f64>,
    repeats: usize,
    again: ValuePairs,
    /// Verdicts of pairs that are no ties: 1 if the left response wins, else 0, beside a 1.
    left: CategoryPairs,
    /// Those of them with sides swapped.
    swapped: u64,
    gathered: ReviewerSums<'a>,
    apart: AfterRevealSums<'a>,
}

impl<'a> AgreementSums<'a> {
    fn new(rateable: &'a [Rateable], categories: VerdictCategories, draws: u32) -> Self {
        Self {
            rateable,
            draws,
            reviewers: BTreeSet::new(),
            samples: 0,
            judgments: 0,
            blind: 0,
            gone: 0,
            hidden: 0,
            with_dataset: ValuePairs::new(rateable, categories, draws),
            published: None,
            repeats: 0,
            again: ValuePairs::new(rateable, categories, draws),
            left: CategoryPairs::new(2, Weights::Unweighted, draws),
            swapped: 0,
            gathered: ReviewerSums::new(rateable, categories, draws),
            apart: AfterRevealSums::new(rateable, categories),
        }
    }

    /// Adds what was said of a sample.
    fn add(&mut self, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        self.with_dataset.begin();
        self.again.begin();
        self.left.begin();
        let before = self.judgments;
        latest(ratings)
            .into_iter()
            .for_each(|rating| self.compare(sample, rating));
        self.samples += usize::from(self.judgments > before);
        let first_times = first_times(ratings);
        for rating in ratings {
            let first = (rating.setting.pass > 1)
                .then(|| first_times.get(&turn(rating)))
                .flatten();
            if let Some(first) = first {
                self.repeats += 1;
                self.again.add_two(self.rateable, sample, [first, rating]);
            }
            let decided = sample.verdict(rating).filter(|_| sample.responses == 2);
            if let Some(response) = decided.and_then(Verdict::winner) {
                let order = rating.setting.order.among(sample.responses);
                self.swapped += u64::from(!order.is_of_file());
                self.left
                    .add(usize::from(order.shown(response) == ResponseId::A), 1);
            }
        }
    }

    /// Adds a rating beside what the dataset says.
    fn compare(&mut self, sample: &JudgedSample<'_>, rating: &Rating) {
        let compared = self.with_dataset.add(self.rateable, sample, rating);
        if sample.verdict(rating).and(sample.own.verdict()).is_some() {
            self.published = self.published.or(sample.scale.published);
        }
        if compared {
            self.judgments += 1;
            self.blind += usize::from(rating.setting.blind);
            self.reviewers.insert(Arc::clone(&rating.reviewer));
        }
    }

    fn summed_up(self, wanted: &(dyn Fn() -> bool + Sync)) -> Agreement {
        let every: Vec<&CategoryPairs> = self
            .with_dataset
            .labels
            .iter()
            .chain(&self.again.labels)
            .chain([
                &self.with_dataset.verdicts,
                &self.again.verdicts,
                &self.left,
            ])
            .collect();
        let mut figures = figures(&every, self.draws, wanted).into_iter();
        let labels = self.rateable.iter().zip(&self.with_dataset.labels);
        let labels = labels.zip(&mut figures);
        let labels = labels.map(|((label, pairs), of)| LabelAgreement::of(label, pairs, of));
        let labels = labels.collect();
        let again = self
            .rateable
            .iter()
            .zip(&self.again.labels)
            .zip(&mut figures);
        let again = again.map(|((label, _), of)| LabelConsistency {
            name: Arc::clone(&label.name),
            kappa: of.kappa,
            equal: of.equal,
            distance: mean_distance(&of.confusion),
            confusion: of.confusion,
        });
        let again = again.collect();
        let verdict =
            VerdictAgreement::of(&self.with_dataset.verdicts, figures.next(), self.published);
        let mut share = || {
            let of = figures.next().map(|of| (of.n, of.equal));
            of.unwrap_or_else(|| (0, Figure::share(0, 0)))
        };
        let ((verdicts, verdict_again), (decided, left)) = (share(), share());
        Agreement {
            reviewers: self.reviewers.into_iter().collect(),
            samples: self.samples,
            judgments: self.judgments,
            blind: self.blind,
            gone: self.gone,
            hidden: self.hidden,
            apart: self.apart.summed_up(),
            draws: self.draws,
            even: None,
            labels,
            verdict,
            consistency: SelfConsistency {
                repeats: self.repeats,
                labels: again,
                verdicts,
                verdict: verdict_again,
                decided,
                swapped: self.swapped,
                left,
            },
            between: self.gathered.summed_up(wanted),
            annotators: AnnotatorAgreement::default(),
        }
    }
}
