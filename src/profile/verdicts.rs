//! Who wins, by how much, and on which labels responses tie.

use super::card::{CardBody, ProfileBar, ProfileCard, Quantity, QuantityUnit, ShareOf};
use super::categories::WordTally;
use super::context::{ProfileColumn, ProfileContext, bin_label};
use super::labels::is_label;
use crate::query::{Aggregate, Bins, Field};
use crate::stats::{CodedValues, Distribution};
use crate::table::{ColumnId, Level};

/// Labels whose ties are told.
const MOST_LABELS: usize = 24;

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    if context.hides_labels() || !context.response_counts().any(|count| count > 1) {
        return Some(Vec::new());
    }
    let mut cards: Vec<_> = verdicts(context)?.into_iter().collect();
    if let Some(margin) = context.known(ColumnId::MARGIN) {
        // Of more than two responses a margin is by how much the best is better than the second: it
        // has no sign.
        let pairs = context.among(margin, |responses| responses <= 2);
        let groups = context.among(margin, |responses| responses > 2);
        if pairs.whole.n() > 0 {
            cards.push(margins(context, &pairs, false));
            cards.push(strengths(context, &pairs)?);
        }
        if groups.whole.n() > 0 {
            cards.push(margins(context, &groups, true));
        }
    }
    cards.extend(ties(context)?);
    Some(cards)
}

fn verdicts(context: &ProfileContext<'_>) -> Option<Option<ProfileCard>> {
    let mut tally = WordTally::of(context, ColumnId::VERDICT)?;
    tally
        .words
        .sort_by(|(one, _), (other, _)| (one == "tie").cmp(&(other == "tie")).then(one.cmp(other)));
    let mut several = [0; 2];
    tally.words.retain(|(word, [whole, shown])| {
        let is_several = word.contains('+');
        if is_several {
            several = [several[0] + whole, several[1] + shown];
        }
        *whole > 0 && !is_several
    });
    if tally.words.is_empty() && several[0] == 0 {
        return Some(None);
    }
    let bar = |label: String, word: Option<&str>, counts| {
        tally.bar(context, ColumnId::VERDICT, (label, word), counts)
    };
    let title = |word: &str| match word {
        "tie" => "tie".to_owned(),
        word => format!("{} wins", word.to_uppercase()),
    };
    let words = tally.words.iter();
    let mut bars: Vec<_> = words
        .map(|(word, counts)| bar(title(word), Some(word), *counts))
        .collect();
    if several[0] > 0 {
        let query = Some("is:several".to_owned());
        let bar = bar("several best".to_owned(), None, several);
        bars.push(ProfileBar { query, ..bar });
    }
    if tally.missing[0] > 0 {
        bars.push(bar("not said".to_owned(), None, tally.missing));
    }
    Some(Some(ProfileCard::new(
        "verdict",
        "who wins",
        "Of all samples, by what the rows state or by the label that decides. Best are the rated responses with the \
         highest value; in a tie all rated ones are equal. Fewer than two rated responses have no verdict.",
        Vec::new(),
        CardBody::Bars(ShareOf::All, bars),
    )))
}

/// Margins of pairs, or of groups.
fn margins(
    context: &ProfileContext<'_>,
    margin: &ProfileColumn,
    is_of_groups: bool,
) -> ProfileCard {
    let (key, title, what, only) = match is_of_groups {
        true => (
            "margin_of_groups",
            "margin of groups",
            "By how much the best response is better than the second, over samples of three or more responses",
            " c.len.response>=0",
        ),
        false => (
            "margin",
            "margin",
            "By how much A wins (negative: B), over pairs",
            context.only_pairs(),
        ),
    };
    let mut places = [0_u64; 2];
    let mask = context.mask(Level::Sample);
    for (place, responses) in context.response_counts().enumerate() {
        let is_meant = (responses > 2) == is_of_groups;
        let shows = mask.and_then(|mask| mask.get(place)) == Some(&true);
        places[0] += u64::from(is_meant);
        places[1] += u64::from(is_meant && shows);
    }
    let mut figures = context.moments(margin);
    figures.retain(|figure| matches!(figure.key, "mean" | "sd") || figure.is_detail);
    let (n, shown) = (margin.whole.n(), margin.shown.as_ref().map(Distribution::n));
    let missing = Quantity::count(
        "missing",
        "missing",
        places[0] - n,
        shown.map(|n| places[1] - n),
    );
    figures.push(Quantity::count("n", "n", n, shown));
    figures.push(missing.found_by(format!("margin=none{only}")));
    let mut bars = context.bars(margin);
    let queries = bars.iter_mut().filter_map(|bar| bar.query.as_mut());
    queries.for_each(|query| query.push_str(only));
    let about =
        format!("{what} that say so, in the unit of what decides. sd is that of a sample (n - 1).");
    ProfileCard::new(
        key,
        title,
        about,
        figures,
        CardBody::Bars(ShareOf::All, bars),
    )
}

/// How clearly one wins, whichever it is.
fn strengths(context: &ProfileContext<'_>, margin: &ProfileColumn) -> Option<ProfileCard> {
    let leads = CodedValues::of(&leads(context, margin)?);
    let (whole, shown) = context.distributions(&leads, Level::Sample);
    let of = (&whole, shown.as_ref());
    let quantity = |key, title, figure: fn(&Distribution) -> _| {
        Quantity::of(key, title, QuantityUnit::Number, of, figure)
    };
    let mut figures = vec![
        quantity("mean", "mean", Distribution::mean),
        quantity("median", "median", |of| of.quantile(0.5)),
        quantity("p90", "p90", |of| of.quantile(0.9)),
    ];
    let mut about =
        "Over pairs, by how much the winner leads, whichever response that is; 0 is a tie."
            .to_owned();
    let is_contradicted = whole.least().is_ok_and(|least| least < 0.0);
    if is_contradicted {
        about.push_str(" Negative: the response that is preferred has less.");
        let share = |of: &Distribution| of.share(|lead| lead < 0.0);
        let against = Quantity::of(
            "negative",
            "winner has less",
            QuantityUnit::Share,
            of,
            share,
        );
        let only_pairs = context.only_pairs();
        figures.push(against.found_by(format!(
            "(verdict=a margin<0 or verdict=b margin>0){only_pairs}"
        )));
    }
    // Where nothing is contradicted, the size alone says it.
    let is_size =
        leads.values().iter().all(|lead| *lead >= 0.0) && whole == margin.whole.of_sizes();
    let query = |from: ValueRange| {
        let query = match is_size {
            true => from.query("abs(margin)"),
            false => from.lead_query(),
        };
        Some(query + context.only_pairs())
    };
    Some(ProfileCard::new(
        "strength",
        "strength of preference",
        about,
        figures,
        CardBody::Bars(ShareOf::All, value_bars(&query, &whole, shown.as_ref())),
    ))
}

/// By how much the winner leads, at each place of columns of samples: the margin as it is from the
/// winner, 0 of a tie, NaN where nobody says who wins or by how much.
fn leads(context: &ProfileContext<'_>, margin: &ProfileColumn) -> Option<Vec<f64>> {
    let coded = context.words(ColumnId::VERDICT)?;
    let values = margin.coded.values();
    let lead = |(verdict, margin): (&u32, &u32)| {
        let margin = values.get(*margin as usize).copied().unwrap_or(f64::NAN);
        match coded.words.get(*verdict as usize).map(String::as_str) {
            None => f64::NAN,
            Some("tie") => margin.abs() * 0.0,
            Some("b") => 0.0 - margin,
            Some(_) => margin,
        }
    };
    Some(
        coded
            .codes
            .iter()
            .zip(margin.coded.codes())
            .map(lead)
            .collect(),
    )
}

/// The values of a bar.
#[derive(Clone, Copy)]
pub(super) enum ValueRange {
    /// One.
    Only(f64),
    /// From the first up to the second, which belongs to it where it is the last.
    Between(f64, f64, bool),
}

impl ValueRange {
    /// What finds the samples of which a number, as a query spells it, is one of them.
    pub(super) fn query(self, spelled: &str) -> String {
        match self {
            Self::Only(value) => format!("{spelled}={value}"),
            Self::Between(low, high, true) => format!("{spelled}>={low} {spelled}<={high}"),
            Self::Between(low, high, false) => format!("{spelled}>={low} {spelled}<{high}"),
        }
    }

    /// What finds the pairs of which the winner leads by one of them.
    fn lead_query(self) -> String {
        let a = self.query("margin");
        // Adding zero makes one of zero and minus zero.
        let back = |value: f64| 0.0 - value;
        let (b, has_tie) = match self {
            Self::Only(value) => (format!("margin={}", back(value)), value == 0.0),
            Self::Between(low, high, is_last) => {
                let end = if is_last { ">=" } else { ">" };
                let b = format!("margin<={} margin{end}{}", back(low), back(high));
                (b, low <= 0.0 && high > 0.0)
            }
        };
        let ties = if has_tie {
            " or verdict=tie margin!=none"
        } else {
            ""
        };
        format!("(verdict=a {a} or verdict=b {b}{ties})")
    }
}

/// Bars that there are at most.
const MOST_BARS: usize = 11;

/// A bar for each value, or for stretches of them with round ends where there are many.
pub(super) fn value_bars(
    query: &dyn Fn(ValueRange) -> Option<String>,
    whole: &Distribution,
    shown: Option<&Distribution>,
) -> Vec<ProfileBar> {
    let all = [Some(whole), shown].map(|of| of.map_or(0, Distribution::n));
    let values: Vec<f64> = whole.each().map(|(value, _)| value).collect();
    let (Some(least), Some(greatest)) = (values.first(), values.last()) else {
        return Vec::new();
    };
    let are_whole = values.iter().all(|value| value.fract() == 0.0);
    let bins = match values.len() <= MOST_BARS {
        true => Bins::Values(values.clone()),
        false => Bins::Borders(round_borders(*least, *greatest, are_whole)),
    };
    let bar = |bin: usize| {
        let count = |of: &Distribution| of.count(|value| bins.of(value) == Some(bin));
        let (low, high) = bins.ends(bin);
        let range = match bins.are_values() {
            true => ValueRange::Only(low),
            false => ValueRange::Between(low, high, bin + 1 == bins.count()),
        };
        ProfileBar {
            label: bin_label(&bins, bin, are_whole),
            whole: [count(whole), all[0]],
            shown: shown.map(|of| [count(of), all[1]]),
            interval: None,
            query: query(range),
        }
    };
    (0..bins.count()).map(bar).collect()
}

/// Borders of at most eleven stretches whose ends are multiples of 1, 2 or 5 times a power of ten.
fn round_borders(least: f64, greatest: f64, are_whole: bool) -> Vec<f64> {
    let width = (greatest - least) / 10.0;
    let power = 10.0_f64.powf(width.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    let step = steps.into_iter().find(|step| *step >= width);
    let step = step.unwrap_or(width);
    let (first, last) = ((least / step).floor(), (greatest / step).floor() + 1.0);
    let border = |at: i32| {
        // A query writes decimal numbers: 0.3, and not 0.30000000000000004.
        let border = (first + f64::from(at)) * step;
        format!("{border:.12e}").parse().unwrap_or(border)
    };
    let mut borders: Vec<f64> = (0..=(last - first) as i32).map(border).collect();
    if let Some(end) = borders.last_mut().filter(|_| are_whole) {
        // The last one belongs to its stretch.
        *end -= 1.0;
    }
    borders
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
            ..label.field
        };
        let gap = context.column(field)?;
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
    Some((!bars.is_empty()).then(|| ProfileCard::new("ties", "ties by label", "The share of samples whose responses all have the same value, of those that have one for each.", Vec::new(), CardBody::Bars(ShareOf::Each, bars))))
}
