//! Who wins, by how much, and on which labels responses tie.

use super::card::{CardBody, ProfileBar, ProfileCard, Quantity, QuantityUnit, ShareOf};
use super::categories::WordTally;
use super::context::{ProfileColumn, ProfileContext, range_label};
use super::labels::is_label;
use crate::query::{Aggregate, ColumnName, Field};
use crate::stats::Distribution;
use crate::table::{BuiltIn, ColumnKind, ColumnSource};
use crate::text::number;

/// Labels whose ties are told.
const MOST_LABELS: usize = 24;

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    if context.hides_labels() || !context.response_counts().any(|count| count > 1) {
        return Some(Vec::new());
    }
    let mut cards: Vec<_> = verdicts(context)?.into_iter().collect();
    let margin = |column: &&ProfileColumn| matches!(column.source, Some(ColumnSource::Margin));
    if let Some(margin) = context.columns.iter().find(margin) {
        cards.push(margins(context, margin));
        cards.push(strengths(margin));
    }
    cards.extend(ties(context)?);
    Some(cards)
}

fn verdicts(context: &ProfileContext<'_>) -> Option<Option<ProfileCard>> {
    let Some(column) = BuiltIn::named("verdict") else {
        return Some(None);
    };
    let name = ColumnName::BuiltIn(column);
    let mut tally = WordTally::of(context, &name)?;
    tally
        .words
        .sort_by(|(one, _), (other, _)| (one == "tie").cmp(&(other == "tie")).then(one.cmp(other)));
    tally.words.retain(|(_, [whole, _])| *whole > 0);
    if tally.words.is_empty() {
        return Some(None);
    }
    let bar = |label: String, word: Option<&str>, counts| {
        tally.bar(context, &name, (label, word), counts)
    };
    let title = |word: &str| match word {
        "tie" => "tie".to_owned(),
        word => format!("{} wins", word.to_uppercase()),
    };
    let words = tally.words.iter();
    let mut bars: Vec<_> = words
        .map(|(word, counts)| bar(title(word), Some(word), *counts))
        .collect();
    if tally.missing[0] > 0 {
        bars.push(bar("not said".to_owned(), None, tally.missing));
    }
    Some(Some(ProfileCard {
        key: "verdict".to_owned(),
        title: "who wins".to_owned(),
        about: "Of all samples, by what the rows state or by the label that decides; a single has no verdict.".to_owned(),
        figures: Vec::new(),
        body: CardBody::Bars(ShareOf::All, bars),
    }))
}

fn margins(context: &ProfileContext<'_>, margin: &ProfileColumn) -> ProfileCard {
    let mut figures = context.moments(margin);
    figures.retain(|figure| matches!(figure.key, "mean" | "sd") || figure.is_detail);
    figures.extend(context.filling(margin));
    ProfileCard {
        key: "margin".to_owned(),
        title: "margin".to_owned(),
        about: "By how much A wins (negative: B), in the unit of what decides, over samples that say so. sd is that of a \
                sample (n - 1)."
            .to_owned(),
        figures,
        body: CardBody::Bars(ShareOf::All, context.bars(margin)),
    }
}

/// How clearly one wins, whichever it is.
fn strengths(margin: &ProfileColumn) -> ProfileCard {
    let size = |of: &Distribution| of.of_sizes();
    let (whole, shown) = (size(&margin.whole), margin.shown.as_ref().map(size));
    let of = (&whole, shown.as_ref());
    let quantity = |key, title, figure: fn(&Distribution) -> _| {
        Quantity::of(key, title, QuantityUnit::Number, of, figure)
    };
    let figures = vec![
        quantity("mean", "mean", Distribution::mean),
        quantity("median", "median", |of| of.quantile(0.5)),
        quantity("p90", "p90", |of| of.quantile(0.9)),
    ];
    ProfileCard {
        key: "strength".to_owned(),
        title: "strength of preference".to_owned(),
        about: "The size of the margin, whichever response wins; 0 is a tie.".to_owned(),
        figures,
        body: CardBody::Bars(
            ShareOf::All,
            size_bars("abs(margin)", &whole, shown.as_ref()),
        ),
    }
}

/// Bars that a strength has at most.
const MOST_BARS: usize = 11;

/// A bar for each size, or for each tenth of the greatest where there are many.
pub(super) fn size_bars(
    spelled: &str,
    whole: &Distribution,
    shown: Option<&Distribution>,
) -> Vec<ProfileBar> {
    let all = [Some(whole), shown].map(|of| of.map_or(0, Distribution::n));
    let bar = |label: String, query: String, is_meant: &dyn Fn(f64) -> bool| ProfileBar {
        label,
        whole: [whole.count(is_meant), all[0]],
        shown: shown.map(|of| [of.count(is_meant), all[1]]),
        interval: None,
        query: Some(query),
    };
    if whole.each().count() <= MOST_BARS {
        let values = whole.each();
        return values
            .map(|(value, _)| {
                bar(number(value), format!("{spelled}={value}"), &|other| {
                    other == value
                })
            })
            .collect();
    }
    let greatest = whole.greatest().unwrap_or(0.0);
    let end = |tenth: u32| {
        // A query writes decimal numbers: 0.3, and not 0.30000000000000004.
        let end = greatest * f64::from(tenth) / 10.0;
        format!("{end:.6e}").parse().unwrap_or(end)
    };
    let tenth = |at: u32| {
        let (low, high) = (end(at), if at == 9 { f64::INFINITY } else { end(at + 1) });
        let label = range_label(low, end(at + 1));
        let query = match at {
            9 => format!("{spelled}>={low}"),
            _ => format!("{spelled}>={low} {spelled}<{high}"),
        };
        bar(label, query, &|value| value >= low && value < high)
    };
    (0..10).map(tenth).collect()
}

/// The share of pairs that tie on each label.
fn ties(context: &ProfileContext<'_>) -> Option<Option<ProfileCard>> {
    let mut bars = Vec::new();
    for label in context
        .columns
        .iter()
        .filter(|column| is_label(column))
        .take(MOST_LABELS)
    {
        let field = Field {
            view: Aggregate::Gap,
            name: label.field.name.clone(),
        };
        let gap = context.column(field, ColumnKind::Label)?;
        let count = |of: &Distribution| [of.count(|gap| gap == 0.0), of.n()];
        if gap.whole.n() > 0 {
            bars.push(ProfileBar {
                label: label.spelled.clone(),
                whole: count(&gap.whole),
                shown: gap.shown.as_ref().map(count),
                interval: None,
                query: Some(format!("{}=0", gap.spelled)),
            });
        }
    }
    Some((!bars.is_empty()).then(|| ProfileCard {
        key: "ties".to_owned(),
        title: "ties by label".to_owned(),
        about: "The share of samples whose responses all have the same value, of those that have one for each."
            .to_owned(),
        figures: Vec::new(),
        body: CardBody::Bars(ShareOf::Each, bars),
    }))
}
