//! Agreement of raters, such as files joined with `--with`, with the dataset's winners.

use super::context::{ProfileColumn, ProfileContext, range_label};
use super::verdicts::ValueRange;
use crate::answer::{AnswerBar, AnswerCard, CardBody, Quantity, QuantityUnit, ShareOf, WithShown};
use crate::query::Bins;
use crate::stats::{ClusteredShare, CodedValues, Distribution, Figure};
use crate::table::{ColumnId, Level};

pub(super) fn cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    if context.request.dataset.raters().is_empty() {
        return Vec::new();
    }
    let signs = winner_signs(context);
    let is_margin = |column: &&ProfileColumn| column.field.column.source.is_of_rater();
    let margins = context.columns.iter().filter(is_margin);
    let mut cards = Vec::new();
    for margin in margins {
        if !context.keep_going() {
            break;
        }
        cards.push(model(context, margin, &gains(margin, &signs)));
    }
    const AGAINST: ColumnId = ColumnId::in_table("rm.against");
    cards.extend(context.known(AGAINST).map(|against| {
        AnswerCard::new(
            "contradicted_by",
            "contradicting raters",
            "Number of raters that prefer the loser, over pairs with a winner that any rater has a \
                preference for. Ties do not contradict.",
            context.moments(against).into_iter().take(1).collect(),
            CardBody::Bars(ShareOf::All, context.bars(against)),
        )
    }));
    cards
}

/// Returns for each sample 1 if A wins, -1 if B wins, else 0; only pairs have a sign.
fn winner_signs(context: &ProfileContext<'_>) -> Vec<f64> {
    let coded = context.words(ColumnId::VERDICT);
    let sign = |(place, count): (usize, u16)| match coded.get(place).map(String::as_str) {
        Some("a") if count == 2 => 1.0,
        Some("b") if count == 2 => -1.0,
        _ => 0.0,
    };
    context.response_counts().enumerate().map(sign).collect()
}

/// Returns by how much a model prefers the dataset's winner; NaN if either has no preference.
fn gains(margin: &ProfileColumn, signs: &[f64]) -> Vec<f64> {
    let gain = |(value, sign): (f64, &f64)| match *sign {
        0.0 => f64::NAN,
        sign => value * sign,
    };
    margin.coded.numbers().zip(signs).map(gain).collect()
}

fn model(context: &ProfileContext<'_>, margin: &ProfileColumn, gains: &[f64]) -> AnswerCard {
    use QuantityUnit::{Number, Share};
    let coded = CodedValues::of(gains);
    let of_samples = gains;
    let gains = &context.distributions(&coded, Level::Sample);
    let share = |key, title, is_meant: fn(f64) -> bool| {
        let share = share(context, of_samples, is_meant);
        Quantity::with_interval(key, title, Share, share.map(|(_, figure)| *figure))
    };
    let name = &margin.spelled;
    let only_pairs = context.only_pairs();
    let against = format!("(verdict=a {name}<0 or verdict=b {name}>0){only_pairs}");
    let figures = vec![
        share("accuracy", "accuracy, ties as wrong", f64::is_finite),
        share("accuracy_decided", "accuracy, ties excluded", |gain| {
            gain.is_finite() && gain != 0.0
        }),
        Quantity::of("negative", "against the dataset", Share, gains, |of| {
            of.share(|gain| gain < 0.0)
        })
        .found_by(against),
        Quantity::of("ties", "ties of the rater", Share, gains, |of| {
            of.share(|gain| gain == 0.0)
        }),
        Quantity::of("mean", "mean margin", Number, gains, Distribution::mean),
        Quantity::of("sd", "sd", Number, gains, Distribution::sd),
        Quantity::count("n", "n", gains.map(Distribution::n)),
    ];
    AnswerCard::new(
        name.clone(),
        name.strip_suffix(".margin").unwrap_or(name).to_owned(),
        "Over pairs with a winner in the dataset and a margin of the rater. accuracy: share with the same preference, \
                with the rater's ties as wrong and without them. margin: winner over loser. Intervals: 95 %, \
                comparisons of one prompt together. Bars: \
                accuracy by tenths of the absolute margin, least confident first, without ties.",
        figures,
        CardBody::Bars(
            ShareOf::Each,
            calibration(context, name, (of_samples, &gains.whole)),
        ),
    )
}

/// Returns the share of gains above 0 among those that are meant.
fn share(
    context: &ProfileContext<'_>,
    gains: &[f64],
    is_meant: impl Fn(f64) -> bool,
) -> WithShown<(ClusteredShare, Figure)> {
    let gains = gains.iter().enumerate();
    context.share(gains.map(|(place, gain)| (place, is_meant(*gain).then_some(*gain > 0.0))))
}

/// Returns the share of correct preferences by tenths of confidence, without the model's ties.
fn calibration(
    context: &ProfileContext<'_>,
    name: &str,
    (gains, whole): (&[f64], &Distribution),
) -> Vec<AnswerBar> {
    let Some(bins) = tenths(&whole.absolute().without(0.0)) else {
        return Vec::new();
    };
    let only_pairs = context.only_pairs();
    let bar = |bin: usize| {
        let (low, high) = bins.ends(bin);
        let range = ValueRange::of(&bins, bin).query(&format!("abs({name})"));
        let query = format!("{range} verdict!=none verdict!=tie{only_pairs}");
        let share = share(context, gains, |gain| {
            gain != 0.0 && bins.of(gain.abs()) == Some(bin)
        });
        AnswerBar::of_share(range_label(low, high), share, Some(query))
    };
    (0..bins.count()).map(bar).collect()
}

/// Returns borders of ten bins with about equally many values; `None` if all values are equal.
fn tenths(values: &Distribution) -> Option<Bins> {
    let mut ends = (0..=10)
        .map(|tenth| values.quantile(f64::from(tenth) / 10.0))
        .collect::<Result<Vec<_>, _>>()
        .ok()?;
    ends.dedup();
    (ends.len() > 1).then_some(Bins::Borders(ends))
}
