//! How far reviewers agree with the dataset, with themselves and with each other.
//!
//! What is compared with the dataset, and with other reviewers, is each reviewer's latest judgment
//! of a sample that was no repeat; repeats are compared with the first time alone. Skipped and
//! deferred samples are not judged. Nothing here reads a row.
//!
//! What was changed, withdrawn or put off after the dataset's own judgment had shown counts as it
//! was given before; figures with the later changes are counted apart, and so are those of samples
//! that a blind reviewer had seen before ([`AfterRevealFigures`]).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::annotators::{AnnotatorAgreement, annotator_agreement};
use super::judged_sample::{JudgedSample, as_given, latest, questions};
use super::locator::SampleLocator;
use super::matrix::{Answer, PairFigures, Question, RatedUnits, RatingMatrix};
use super::rating_form::RatingForm;
use super::reviewer_agreement::ReviewerAgreement;
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{ActId, AfterReveal, Ledger, Rating, RatingState};
use crate::model::{ResponseId, Verdict};
use crate::parallel::KeepGoing;
use crate::stats::{DRAWS, Figure};

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

/// Judgments that are counted apart from the main figures: those changed once the dataset's own
/// judgment had shown, and those of samples in which a blind reviewer had seen it before.
#[derive(Debug, Clone, Default)]
pub struct AfterRevealFigures {
    /// Judgments that were changed after the dataset's own had shown.
    pub changed: usize,
    /// Judgments that were withdrawn then: taken back, or the sample skipped.
    pub withdrawn: usize,
    /// Judgments that are to be given again.
    pub put_off: usize,
    /// Agreement with the dataset with all that; empty if no judgment was changed.
    pub later: Vec<PairFigures>,
    /// Judgments of samples that had been seen before.
    pub seen: usize,
    /// Agreement with the dataset of these alone; empty if there are none.
    pub of_seen: Vec<PairFigures>,
}

/// Agreement of reviewers with themselves, from samples that came back.
#[derive(Debug, Clone, Default)]
pub struct SelfConsistency {
    /// Judgments of a sample that had come back.
    pub repeats: usize,
    /// Each label and who wins: answers of the first time and of a later one.
    pub figures: Vec<PairFigures>,
    /// Verdicts, of repeats too, that are no ties.
    pub decided: u64,
    /// Those of them with the sides swapped. If zero, "left" and "A" are confounded.
    pub swapped: u64,
    /// Share of the decided ones in which the response won that was shown on the left.
    pub left: Figure,
}

/// Sums up. `draws` is how many resamples intervals are made of; 0 gives none.
pub(super) fn agreement(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    scope: &AgreementScope<'_>,
    draws: u32,
) -> Agreement {
    agreement_while(ledger, places, dataset, scope, Some(draws), &|| true).unwrap_or_default()
}

/// [`agreement`] of some reviewers, or of everybody if none is named, with as many resamples as on the
/// screen, so that intervals are the same. Nothing counts as hidden.
pub fn agreement_of(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    reviewers: &[Arc<str>],
    audit: Option<&ActId>,
) -> Agreement {
    let reviewer = match reviewers {
        [one] => Some(&**one),
        _ => None,
    };
    // One reviewer is compared with the others of a sample, whoever they are.
    let counts =
        |_: &_, rating: &Rating| reviewers.len() < 2 || reviewers.contains(&rating.reviewer);
    let scope = AgreementScope {
        reviewer,
        audit,
        between: reviewer.is_none(),
        counts: &counts,
    };
    Agreement {
        hidden: 0,
        ..agreement(ledger, places, dataset, &scope, DRAWS)
    }
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
    let forms = RatingForm::of_files(dataset);
    let questions = questions(dataset, &forms);
    let mut sums = AgreementSums::new(&questions, ledger.reviewers());
    for (number, (key, remark)) in (0..).zip(ledger.remarks()) {
        if !wanted() {
            return None;
        }
        let in_scope = |rating: &Rating| {
            let is_own = scope.reviewer.is_none_or(|name| *rating.reviewer == *name);
            let audit = rating.setting.audit.as_ref();
            is_own && scope.audit.is_none_or(|id| audit == Some(id))
        };
        // What a rating tells is what was given; others are shared, so it does not count either.
        let may_tell = |rating: &&Rating| (scope.counts)(key, rating.as_given());
        let looked_at = remark.ratings.iter();
        let looked_at = looked_at.filter(|rating| between || in_scope(rating));
        let (told, hidden): (Vec<&Rating>, Vec<_>) = looked_at.partition(may_tell);
        let hidden = hidden.into_iter().filter(|rating| in_scope(rating));
        let counts = |rating: &&Rating| rating.as_given().counts();
        sums.of_all.hidden += hidden.filter(counts).count();
        let now: Vec<&Rating> = told.iter().copied().filter(|it| in_scope(it)).collect();
        let asked = as_given(&now);
        let Some((_, sample)) = JudgedSample::find(key, places, dataset, &forms) else {
            sums.of_all.gone += usize::from(now.iter().any(counts));
            continue;
        };
        sums.compare(number, &sample, &asked);
        sums.compare_apart(number, &sample, &now);
        if between && (scope.audit.is_none() || !asked.is_empty()) {
            sums.gather(number, &sample, &latest(&as_given(&told)));
        }
    }
    let mut sessions = ledger.sessions();
    let session = sessions.find(|session| scope.audit == Some(&session.id));
    let by = session.and_then(|session| session.audit.by.as_ref());
    sums.of_all.even = by.filter(|by| by.even).map(|by| by.field.clone());
    if let Some(draws) = draws {
        sums.of_all.annotators = annotator_agreement(dataset, draws, wanted)?;
    }
    let agreement = sums.summed_up(draws.unwrap_or(0), wanted);
    wanted().then_some(agreement)
}

/// A reviewer in an audit, or in passing.
type AuditReviewer<'r> = (&'r str, Option<&'r ActId>);

fn turn(rating: &Rating) -> AuditReviewer<'_> {
    (&rating.reviewer, rating.setting.audit.as_ref())
}

/// What is added up, sample by sample.
struct AgreementSums<'q> {
    of_all: Agreement,
    reviewers: BTreeSet<Arc<str>>,
    /// Of matrices of two: the reviewer's answer, and that of the dataset.
    with_dataset: RatingMatrix<'q>,
    later: RatingMatrix<'q>,
    seen: RatingMatrix<'q>,
    /// The answer of the first time, and that of a later one.
    again: RatingMatrix<'q>,
    /// Which side won, and the left one.
    left: RatedUnits,
    /// Agreement of single annotators of the samples whose verdicts are compared.
    published: Option<f64>,
    /// All reviewers, by name, and those who are compared with each other, by number.
    names: Vec<Arc<str>>,
    gathered: BTreeSet<u32>,
    between: RatingMatrix<'q>,
    /// Who judged each sample.
    judged: RatedUnits,
}

impl<'q> AgreementSums<'q> {
    fn new(questions: &'q [Question], names: Vec<Arc<str>>) -> Self {
        let matrix = || RatingMatrix::new(questions);
        Self {
            of_all: Agreement::default(),
            reviewers: BTreeSet::new(),
            with_dataset: matrix(),
            later: matrix(),
            seen: matrix(),
            again: matrix(),
            left: RatedUnits::default(),
            published: None,
            names,
            gathered: BTreeSet::new(),
            between: matrix(),
            judged: RatedUnits::default(),
        }
    }

    /// Adds the ratings of a sample as they were given: those compared with the dataset, and repeats.
    fn compare(&mut self, number: u32, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        let before = self.of_all.judgments;
        for rating in latest(ratings) {
            if sample.verdict(rating).and(sample.own.verdict()).is_some() {
                self.published = self.published.or(sample.scale.published);
            }
            if add(&mut self.with_dataset, number, sample, rating, None) {
                self.of_all.judgments += 1;
                self.of_all.blind += usize::from(rating.setting.blind);
                self.reviewers.insert(Arc::clone(&rating.reviewer));
            }
        }
        self.of_all.samples += usize::from(self.of_all.judgments > before);
        let consistency = &mut self.of_all.consistency;
        let mut first_times = HashMap::new();
        for rating in ratings.iter().filter(|rating| rating.setting.pass == 1) {
            first_times.entry(turn(rating)).or_insert(*rating);
        }
        for rating in ratings {
            let first = first_times.get(&turn(rating));
            if let Some(first) = first.filter(|_| rating.setting.pass > 1) {
                consistency.repeats += 1;
                add(&mut self.again, number, sample, first, Some(rating));
            }
            let decided = sample.verdict(rating).filter(|_| sample.responses == 2);
            if let Some(response) = decided.and_then(Verdict::winner) {
                let order = rating.setting.order.among(sample.responses);
                consistency.decided += 1;
                consistency.swapped += u64::from(!order.is_of_file());
                let sides = [order.shown(response), ResponseId::A];
                let sides = sides.map(|side| (0, Answer::Verdict(Verdict::wins(side))));
                self.left.push(number, sides);
            }
        }
    }

    /// Adds the ratings of a sample as they are now: what became of them, and samples seen before.
    fn compare_apart(&mut self, number: u32, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        let apart = &mut self.of_all.apart;
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
            add(&mut self.later, number, sample, rating, None);
        }
        let mut seen: Vec<&Rating> = seen.into_iter().map(Rating::as_given).collect();
        seen.retain(|rating| rating.counts());
        for rating in latest(&seen) {
            apart.seen += usize::from(add(&mut self.seen, number, sample, rating, None));
        }
    }

    /// Adds the latest rating of a sample by each reviewer, to be compared with those of the others.
    fn gather(&mut self, number: u32, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        let rater =
            |rating: &&Rating| self.names.binary_search(&rating.reviewer).unwrap_or(0) as u32;
        let mut raters: Vec<_> = (ratings.iter())
            .map(|rating| (rater(rating), Some(*rating)))
            .collect();
        raters.sort_by_key(|(rater, _)| *rater);
        self.gathered.extend(raters.iter().map(|(rater, _)| *rater));
        self.between.add(number, sample, &raters);
        let judged = raters.iter().map(|(rater, _)| (*rater, Answer::Place(0)));
        self.judged.push(number, judged);
    }

    fn summed_up(self, draws: u32, wanted: &dyn KeepGoing) -> Agreement {
        let mut all = self.of_all;
        let (names, rated) = (&*self.names, self.gathered.len());
        all.between =
            ReviewerAgreement::of(&self.between, &self.judged, (names, rated), draws, wanted);
        all.draws = draws;
        all.reviewers = self.reviewers.into_iter().collect();
        all.labels = self.with_dataset.figures(None, draws, wanted);
        all.verdict = all.labels.pop().filter(|of| of.n > 0);
        if let Some(verdict) = &mut all.verdict {
            verdict.published = self.published;
        }
        all.consistency.figures = self.again.figures(None, draws, wanted);
        if let Some(verdict) = self.again.questions.last() {
            all.consistency.left = self.left.figures(verdict, None, draws, wanted).equal;
        }
        let apart = |matrix: RatingMatrix<'_>| {
            let mut figures = matrix.figures(None, 0, wanted);
            figures.retain(|figures| figures.n > 0);
            figures
        };
        all.apart.of_seen = apart(self.seen);
        if all.apart.changed + all.apart.withdrawn + all.apart.put_off > 0 {
            all.apart.later = apart(self.later);
        }
        all
    }
}

/// Adds a rating and another one, or what the dataset says; returns whether they are comparable.
fn add(
    matrix: &mut RatingMatrix<'_>,
    number: u32,
    sample: &JudgedSample<'_>,
    rating: &Rating,
    other: Option<&Rating>,
) -> bool {
    matrix.add(number, sample, &[(0, Some(rating)), (1, other)])
}
