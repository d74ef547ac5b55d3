//! Agreement between annotators, if files distinguish them.

use super::card::{CardBody, ProfileCard, Quantity, QuantityUnit, ShareOf};
use super::context::{ProfileColumn, ProfileContext};
use super::verdicts::{ValueRange, value_bars};
use super::with_shown::WithShown;
use crate::model::{ResponseSet, Verdict, Vote};
use crate::parallel::in_parallel;
use crate::query::{Expr, annotated_columns, each_annotation, selects_by_labels};
use crate::stats::{
    Distribution, Figure, MeasurementLevel, RatingFigures, RatingLists, SHUFFLES, Shuffled,
    Undefined, ValueCoder, shuffled_kappas,
};
use crate::table::ColumnId;

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let columns = annotated_columns(context.request.dataset);
    let cards = in_parallel(&columns, |&column| match column == ColumnId::VOTES {
        true => of_votes(context),
        false => of_label(context, column),
    });
    Some(cards.into_iter().collect::<Option<Vec<_>>>()?.concat())
}

/// Sums over the lists of annotators' values.
#[derive(Default)]
struct AnnotationSums {
    lists: RatingLists,
    /// For each list of two or more values, the range; for nominal values, the number of distinct
    /// values minus one.
    spreads: ValueCoder,
    /// Number of these lists in which two responses have a vote.
    opposite: u64,
}

impl AnnotationSums {
    fn add(&mut self, level: MeasurementLevel, sample: u32, list: &[f64]) {
        self.lists.add(sample, list);
        if list.len() < 2 {
            return;
        }
        let is_nominal = level == MeasurementLevel::Nominal;
        let spread = if is_nominal {
            others(list)
        } else {
            spread(list)
        };
        self.spreads.add(&[spread]);
        let votes = list.iter().map(|code| Vote::of_code(*code).verdict);
        let voted_for = votes.fold(ResponseSet::default(), |all, vote| match vote {
            Verdict::Best(best) => all.with(best),
            Verdict::Tie => all,
        });
        self.opposite += u64::from(voted_for.count() > 1);
    }

    fn figures(self, level: MeasurementLevel, context: &ProfileContext<'_>) -> AnnotationFigures {
        AnnotationFigures {
            agreement: (self.lists).figures(level, true, context.request.keep_going),
            opposite: Figure::share(self.opposite, self.lists.things() as u64).value,
            spreads: self.spreads.coded().distribution(None),
        }
    }
}

/// Returns the number of distinct values minus one.
fn others(list: &[f64]) -> f64 {
    let mut values = list.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    (values.len() - 1) as f64
}

fn spread(list: &[f64]) -> f64 {
    let greatest = list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    greatest - list.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Figures of the lists of annotators' values.
struct AnnotationFigures {
    agreement: RatingFigures,
    opposite: Result<f64, Undefined>,
    spreads: Distribution,
}

/// Sums over the lists of a column; `add` gets the index and the sample of each.
fn sums<T: Default>(
    context: &ProfileContext<'_>,
    of: ColumnId,
    add: impl Fn(&mut T, usize, u32, &[f64]),
) -> Option<WithShown<T>> {
    let (mut sums, mut place) = (context.sums(), 0);
    let dataset = context.request.dataset;
    each_annotation(
        dataset,
        of,
        context.request.keep_going,
        &mut |sample, list| {
            let shows = context.shows(of.level, place);
            sums.update(shows, |sums| add(sums, place, sample, list));
            place += 1;
        },
    )?;
    Some(sums)
}

/// Computes the figures of a column's lists; `None` if cancelled.
fn annotation_figures(
    context: &ProfileContext<'_>,
    of: ColumnId,
) -> Option<WithShown<AnnotationFigures>> {
    let level = level(context, of);
    let sums = sums(context, of, |sums: &mut AnnotationSums, _, sample, list| {
        sums.add(level, sample, list);
    })?;
    let figures = sums.into_map(|sums| sums.figures(level, context));
    // Takes some seconds for a million lists, so the result may be stale by now.
    context.keep_going().then_some(figures)
}

/// Returns the measurement level of annotators' values.
fn level(context: &ProfileContext<'_>, of: ColumnId) -> MeasurementLevel {
    match of == ColumnId::VOTES {
        true => MeasurementLevel::of_votes(context.request.dataset.most_responses()),
        false => MeasurementLevel::Ordinal,
    }
}

/// Returns the figures common to labels and votes.
fn figures(of: &WithShown<AnnotationFigures>, things: &'static str) -> Vec<Quantity> {
    use QuantityUnit::{Coefficient, Number, Share};
    let figure = |key, title, unit, figure: fn(&RatingFigures) -> Figure| {
        Quantity::with_interval(key, title, unit, of.map(|of| figure(&of.agreement)))
    };
    let count = |key, title, count: fn(&RatingFigures) -> u64| {
        Quantity::count(key, title, of.map(|of| count(&of.agreement)))
    };
    let of_spread = |key, title, unit, figure: fn(&Distribution) -> _| {
        Quantity::new(key, title, unit, of.map(|of| figure(&of.spreads)))
    };
    vec![
        figure("kappa", "kappa", Coefficient, |of| of.kappa),
        figure("alpha", "alpha", Coefficient, |of| of.alpha),
        figure("equal", "same value", Share, |of| of.equal),
        of_spread("spread_2", "spread 2 or more", Share, |of| {
            of.share(|apart| apart >= 2.0)
        }),
        of_spread("mean_spread", "mean spread", Number, Distribution::mean),
        count("things", things, |of| of.things),
        count("pairs", "pairs of annotators", |of| of.pairs),
    ]
}

const KAPPA: &str = "kappa: quadratic weights, over all pairs of annotators in both orders. alpha: Krippendorff's, \
                     ordinal. Intervals: jackknife over samples, 95 %. Bars: maximum minus minimum.";

const NOMINAL: &str = "alpha: Krippendorff's, nominal. Intervals: jackknife over samples, 95 %. Bars: number of \
                       different votes minus one.";

/// Note for the shown figures if a filter selects by annotators' values.
const SELECTED: &str =
    "The filter selects by annotators' values, which by itself can raise or lower agreement.";

/// Returns the terms of the filter that depend only on the spread of a label. If any other term
/// selects by annotators' values, which shuffling cannot reproduce, returns a note instead.
fn terms<'c>(
    context: &ProfileContext<'c>,
    spread: Option<&ProfileColumn>,
) -> (Vec<&'c Expr>, Vec<String>) {
    let is_of_spread = |term: &&Expr| {
        spread.is_some_and(|spread| term.holds_of(spread.field.column, 0.0).is_some())
    };
    let (own, others): (Vec<_>, Vec<_>) = context.terms().iter().partition(is_of_spread);
    match others.into_iter().any(selects_by_labels) {
        true => (Vec::new(), vec![SELECTED.to_owned()]),
        false => (own, Vec::new()),
    }
}

/// Computes kappa of shuffled values filtered by terms on a label's spread, for as many lists as
/// are shown.
fn shuffled_spreads(
    context: &ProfileContext<'_>,
    (label, spreads): (ColumnId, &ProfileColumn),
    terms: &[&Expr],
    shown: u64,
) -> Option<Option<Shuffled>> {
    let holds = |list: &[f64]| {
        let mut terms = terms.iter();
        terms.all(|term| term.holds_of(spreads.field.column, spread(list)) == Some(true))
    };
    let mut lists = Vec::new();
    let (dataset, keep_going) = (context.request.dataset, context.request.keep_going);
    each_annotation(dataset, label, keep_going, &mut |_, list| {
        lists.push(list.to_vec());
    })?;
    lists.retain(|list| !list.is_empty());
    // These terms keep `left` lists; other terms keep a share of those.
    let left = lists
        .iter()
        .filter(|list| list.len() > 1 && holds(list))
        .count();
    let dealt = (lists.len() as u64 * shown).div_ceil(left.max(1) as u64) as usize;
    let [kappa] = shuffled_kappas(
        &lists,
        dealt.min(lists.len()),
        keep_going,
        |list, [kept]| {
            if holds(list) {
                kept.add(0, list);
            }
        },
    );
    Some(kappa)
}

fn of_label(context: &ProfileContext<'_>, label: ColumnId) -> Option<Vec<ProfileCard>> {
    let name = label.name;
    let agreed = annotation_figures(context, label)?;
    if agreed.whole.agreement.things == 0 {
        return Some(Vec::new());
    }
    let spelled = format!("{name}_spread");
    let mut columns = context.columns.iter();
    let spread = columns.find(|column| column.spelled == spelled);
    let query = |range: ValueRange| spread.map(|_| range.query(&spelled));
    let mut figures = figures(&agreed, "responses by 2+ annotators");
    if spread.is_some()
        && let Some(far) = figures.iter_mut().find(|figure| figure.key == "spread_2")
    {
        far.query = Some(format!("{spelled}>=2"));
    }
    let (terms, mut notes) = terms(context, spread);
    if let (Some(shown), Some(spread), false) = (&agreed.shown, spread, terms.is_empty()) {
        let things = shown.agreement.things;
        figures[0].shuffled[1] = shuffled_spreads(context, (label, spread), &terms, things)?;
        notes.push(format!(
            "The filter selects responses by the spread of their annotators' values, which changes agreement by itself. \
             Shuffled: mean and range of kappa in {SHUFFLES} shuffles of the votes over the responses, with the same filter."
        ));
    }
    let bars = value_bars(&query, &agreed.into_map(|of| of.spreads));
    Some(vec![
        ProfileCard::new(
            name,
            name,
            format!("Agreement between the annotators of a response. {KAPPA}"),
            figures,
            CardBody::Bars(ShareOf::All, bars),
        )
        .with_notes(notes),
    ])
}

fn of_votes(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let agreed = annotation_figures(context, ColumnId::VOTES)?;
    if agreed.whole.agreement.things == 0 {
        return Some(Vec::new());
    }
    let mut figures = figures(&agreed, "samples by 2+ annotators");
    let opposite = Quantity::new(
        "opposite",
        "votes for different responses",
        QuantityUnit::Share,
        agreed.map(|of| of.opposite),
    );
    figures.insert(3, opposite.found_by("is:contested"));
    let outvoted = "winner.votes.for < max.votes.for";
    figures.extend(context.match_count("outvoted", "winner outvoted", outvoted)?);
    figures.extend(excluded_votes(context));
    let is_nominal = level(context, ColumnId::VOTES) == MeasurementLevel::Nominal;
    if is_nominal {
        figures.retain(|figure| !["spread_2", "mean_spread"].contains(&figure.key));
        // Undefined, with the reason.
        let kappa = figures.iter_mut().filter(|figure| figure.key == "kappa");
        kappa.for_each(|figure| figure.is_detail = true);
    }
    let about = if is_nominal { NOMINAL } else { KAPPA };
    let bars = value_bars(&|_| None, &agreed.into_map(|of| of.spreads));
    let notes = terms(context, None).1;
    let mut cards =
        vec![ProfileCard::new("votes", "votes for a winner", format!(
            "Agreement between the annotators of a sample, without votes for neither. {about}"
        ), figures, CardBody::Bars(ShareOf::All, bars)).with_notes(notes.clone())];
    cards.extend(context.known(ColumnId::VOTES).map(|votes| {
        ProfileCard::new(
            "votes_per_sample",
            "votes per sample",
            "Number of annotators who voted on the winner.",
            context.moments(votes).into_iter().take(1).collect(),
            CardBody::Bars(ShareOf::All, context.bars(votes)),
        )
    }));
    cards.extend(nearest_three(context, notes)?);
    Some(cards)
}

/// Returns the number of votes that exclude the comparison (-100 in HelpSteer2).
fn excluded_votes(context: &ProfileContext<'_>) -> Option<Quantity> {
    let column = context.known(ColumnId::EXCLUDED_VOTES)?;
    let votes = column.values.map(|counts| {
        let votes = counts.each().map(|(value, n)| value as u64 * n);
        votes.sum()
    });
    let votes = Quantity::count("excluded", "votes for neither", votes);
    Some(votes.found_by("votes.excluded>0"))
}

/// Number of votes that HelpSteer2 keeps of a sample.
const KEPT_VOTES: usize = 3;
/// Maximum spread of these votes.
const MAX_SPREAD: f64 = 2.0;

/// Sorts the votes (from B to A) and returns the three nearest to each other, the first ones if
/// there are several.
fn nearest(votes: &mut [f64]) -> Option<&[f64]> {
    votes.sort_unstable_by(f64::total_cmp);
    let apart = |three: &&[f64]| three[KEPT_VOTES - 1] - three[0];
    let three = votes.windows(KEPT_VOTES);
    three.min_by(|one, other| apart(one).total_cmp(&apart(other)))
}

/// Sums over the three votes nearest to each other.
#[derive(Default)]
struct NearestVotes {
    /// All votes of each sample.
    votes: Vec<Vec<f64>>,
    spreads: ValueCoder,
    all: RatingLists,
    kept: RatingLists,
}

impl NearestVotes {
    fn add(&mut self, sample: u32, votes: &[f64], overall: Option<f64>) {
        let mut votes = votes.to_vec();
        if let Some(three) = nearest(&mut votes) {
            let apart = spread(three);
            self.spreads.add(&[apart]);
            self.all.add(sample, three);
            if apart <= MAX_SPREAD && overall.is_some_and(|overall| overall != 0.0) {
                self.kept.add(sample, three);
            }
        }
        self.votes.push(votes);
    }

    /// Returns the kappas of the three votes and of those kept, and if `shuffles` the same for
    /// shuffled votes. For those, the overall preference is the rounded mean of the three, as in
    /// HelpSteer2-Preference.
    fn kappas(&self, of: &ProfileContext<'_>, shuffles: bool) -> [(Figure, Option<Shuffled>); 2] {
        let lists: &[_] = if shuffles { &self.votes } else { &[] };
        let keep_going = of.request.keep_going;
        let shuffled = shuffled_kappas(lists, lists.len(), keep_going, |votes, [all, kept]| {
            let Some(three) = nearest(votes) else { return };
            all.add(0, three);
            let mean = three.iter().sum::<f64>() / KEPT_VOTES as f64;
            if spread(three) <= MAX_SPREAD && mean.round() != 0.0 {
                kept.add(0, three);
            }
        });
        let [all, kept] = [&self.all, &self.kept].map(|lists| {
            lists
                .figures(MeasurementLevel::Ordinal, true, keep_going)
                .kappa
        });
        [(all, shuffled[0]), (kept, shuffled[1])]
    }
}

/// The preference filter of HelpSteer2: the three votes nearest to each other, dropped if their
/// spread exceeds 2 or the overall preference is a tie.
fn nearest_three(
    context: &ProfileContext<'_>,
    mut notes: Vec<String>,
) -> Option<Option<ProfileCard>> {
    let is_nominal = level(context, ColumnId::VOTES) == MeasurementLevel::Nominal;
    let Some(margin) = context.known(ColumnId::MARGIN).filter(|_| !is_nominal) else {
        return Some(None);
    };
    let add = |of: &mut NearestVotes, place: usize, sample, list: &[f64]| {
        of.add(sample, list, margin.coded.get(place));
    };
    let nearest = sums(context, ColumnId::VOTES, add)?;
    if nearest.whole.all.things() == 0 {
        return Some(None);
    }
    let count = |key, title, of: fn(&NearestVotes) -> &RatingLists| {
        Quantity::count(key, title, nearest.map(|votes| of(votes).things() as u64))
    };
    let mut figures = vec![
        count("samples", "samples with three votes", |of| &of.all),
        count("kept", "kept", |of| &of.kept),
    ];
    // Votes selected by a filter, as a note says, cannot be compared with shuffled ones.
    let of_shown = |shown: &NearestVotes| shown.kappas(context, notes.is_empty());
    let kappas = WithShown {
        whole: nearest.whole.kappas(context, true),
        shown: nearest.shown.as_ref().map(of_shown),
    };
    let titles = [
        ("kappa_nearest", "kappa of the three"),
        ("kappa_kept", "kappa of those kept"),
    ];
    figures.extend(titles.iter().enumerate().map(|(at, (key, title))| {
        let kappas = kappas.map(|kappas| kappas[at]);
        let (unit, figures) = (QuantityUnit::Coefficient, kappas.map(|of| of.0));
        Quantity {
            shuffled: [kappas.whole.1, kappas.shown.and_then(|of| of.1)],
            ..Quantity::with_interval(key, title, unit, figures)
        }
    }));
    let spreads = nearest.into_map(|of| of.spreads.coded().distribution(None));
    let bars = value_bars(&|_| None, &spreads);
    notes.insert(0, format!(
        "Keeping the nearest votes raises kappa by itself. Shuffled: mean and range of {SHUFFLES} shuffles of all votes over \
         the samples, filtered alike."
    ));
    context.keep_going().then_some(Some(ProfileCard::new("nearest_three", "the three nearest votes", "As HelpSteer2-Preference filters: of each sample the three votes nearest to each other; of \
                several that are equally near, those that lean most to B; kept where they are at most 2 apart and the \
                overall preference is not 0 (of shuffled votes: the mean of the three, rounded). Bars: how far they are \
                apart.", figures, CardBody::Bars(ShareOf::All, bars)).with_notes(notes)))
}
