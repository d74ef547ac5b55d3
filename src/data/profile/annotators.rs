//! Agreement between annotators, if files distinguish them.

use super::context::ProfileContext;
use super::verdicts::{ValueRange, value_bars};
use crate::answer::{AnswerCard, CardBody, Quantity, QuantityUnit, ShareOf, WithShown};
use crate::model::{ResponseSet, Verdict, Vote};
use crate::parallel::in_parallel;
use crate::query::{annotated_columns, each_annotation, selects_by_labels};
use crate::stats::{
    Distribution, Figure, MeasurementLevel, RatingFigures, RatingLists, Undefined, ValueCoder,
};
use crate::table::ColumnId;

pub(super) fn cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    let columns = annotated_columns(context.request.dataset);
    let cards = in_parallel(&columns, |&column| {
        if column == ColumnId::VOTES {
            of_votes(context)
        } else {
            of_label(context, column)
        }
    });
    cards.concat()
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
        let Some(values) = self.lists.add(sample, list) else {
            return;
        };
        let spread = match level {
            MeasurementLevel::Nominal => values.chunk_by(f64::eq).skip(1).count() as f64,
            _ => values[values.len() - 1] - values[0],
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

/// Figures of the lists of annotators' values.
struct AnnotationFigures {
    agreement: RatingFigures,
    opposite: Result<f64, Undefined>,
    spreads: Distribution,
}

/// Computes the figures of a column's lists.
fn annotation_figures(context: &ProfileContext<'_>, of: ColumnId) -> WithShown<AnnotationFigures> {
    let level = level(context, of);
    let (mut sums, mut place) = (context.sums(), 0);
    let (dataset, keep_going) = (context.request.dataset, context.request.keep_going);
    each_annotation(dataset, of, keep_going, &mut |sample, list| {
        let shows = context.shows(of.level, place);
        sums.update(shows, |sums: &mut AnnotationSums| {
            sums.add(level, sample, list);
        });
        place += 1;
    });
    sums.into_map(|sums| sums.figures(level, context))
}

/// Returns the measurement level of annotators' values.
fn level(context: &ProfileContext<'_>, of: ColumnId) -> MeasurementLevel {
    if of == ColumnId::VOTES {
        MeasurementLevel::of_votes(context.request.dataset.most_responses())
    } else {
        MeasurementLevel::Ordinal
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

/// Returns the notes on the figures of the filtered samples.
fn notes(context: &ProfileContext<'_>) -> Vec<String> {
    let is_selected = context.terms().iter().any(selects_by_labels);
    let note = is_selected.then(|| SELECTED.to_owned());
    note.into_iter().collect()
}

fn of_label(context: &ProfileContext<'_>, label: ColumnId) -> Vec<AnswerCard> {
    let name = label.name;
    let agreed = annotation_figures(context, label);
    if agreed.whole.agreement.things == 0 {
        return Vec::new();
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
    let bars = value_bars(&query, &agreed.into_map(|of| of.spreads));
    vec![
        AnswerCard::new(
            name,
            name,
            format!("Agreement between the annotators of a response. {KAPPA}"),
            figures,
            CardBody::Bars(ShareOf::All, bars),
        )
        .with_notes(notes(context)),
    ]
}

fn of_votes(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    let agreed = annotation_figures(context, ColumnId::VOTES);
    if agreed.whole.agreement.things == 0 {
        return Vec::new();
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
    figures.extend(context.match_count("outvoted", "winner outvoted", outvoted));
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
    let mut cards =
        vec![AnswerCard::new("votes", "votes for a winner", format!(
            "Agreement between the annotators of a sample, without votes for neither. {about}"
        ), figures, CardBody::Bars(ShareOf::All, bars)).with_notes(notes(context))];
    cards.extend(context.known(ColumnId::VOTES).map(|votes| {
        AnswerCard::new(
            "votes_per_sample",
            "votes per sample",
            "Number of annotators who voted on the winner.",
            context.moments(votes).into_iter().take(1).collect(),
            CardBody::Bars(ShareOf::All, context.bars(votes)),
        )
    }));
    cards
}

/// Returns the number of votes that exclude the comparison (-100 in HelpSteer2).
fn excluded_votes(context: &ProfileContext<'_>) -> Option<Quantity> {
    let column = context.known(ColumnId::EXCLUDED_VOTES)?;
    let votes = column.values.map(|counts| counts.sum() as u64);
    let votes = Quantity::count("excluded", "votes for neither", votes);
    Some(votes.found_by("votes.excluded>0"))
}
