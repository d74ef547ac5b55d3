//! Winners, margins, and ties of each label.

use super::columns::{WordTally, is_label, total};
use super::context::{ProfileColumn, ProfileContext, bars_of, value_counts};
use crate::answer::{AnswerBar, AnswerCard, CardBody, Quantity, QuantityUnit, ShareOf, WithShown};
use crate::model::ResponseId;
use crate::query::{Aggregate, Bins, Field};
use crate::stats::{CodedValues, Distribution};
use crate::table::{ColumnId, Level};

/// Number of responses with distinct colours.
const HUES: usize = 4;
/// Maximum number of labels whose ties are shown.
const MAX_LABELS: usize = 24;

pub(super) fn cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    if !context.response_counts().any(|count| count > 1) {
        return Vec::new();
    }
    let mut cards: Vec<_> = verdicts(context).into_iter().collect();
    if let Some(margin) = context.known(ColumnId::MARGIN) {
        // For more than two responses, the margin is that of the best over the second and has no
        // sign.
        let pairs = context.among(margin, |responses| responses <= 2);
        let groups = context.among(margin, |responses| responses > 2);
        if pairs.values.whole.n() > 0 {
            cards.push(margins(context, &pairs, false));
            cards.push(strengths(context, &pairs));
        }
        if groups.values.whole.n() > 0 {
            cards.push(margins(context, &groups, true));
        }
    }
    cards.extend(ties(context));
    cards
}

fn verdicts(context: &ProfileContext<'_>) -> Option<AnswerCard> {
    let mut tally = WordTally::of(context, ColumnId::VERDICT);
    let words = std::mem::take(&mut tally.words).into_iter();
    let (several, mut words): (Vec<_>, Vec<_>) = words
        .filter(|(_, count)| count.whole > 0)
        .partition(|(word, _)| word.contains('+'));
    words
        .sort_by(|(one, _), (other, _)| (one == "tie").cmp(&(other == "tie")).then(one.cmp(other)));
    let several = total(context, &several);
    if words.is_empty() && several.whole == 0 {
        return None;
    }
    let bar = |label: String, word: Option<&str>, counts| {
        tally.bar(context, ColumnId::VERDICT, (label, word), counts)
    };
    let title = |word: &str| match word {
        "tie" => "tie".to_owned(),
        word => format!("{} wins", word.to_uppercase()),
    };
    let mut bars: Vec<_> = words
        .iter()
        .map(|(word, counts)| AnswerBar {
            response: ResponseId::first(HUES).find(|id| id.letter().eq_ignore_ascii_case(word)),
            ..bar(title(word), Some(word), *counts)
        })
        .collect();
    if several.whole > 0 {
        let query = Some("is:several".to_owned());
        let bar = bar("several best".to_owned(), None, several);
        bars.push(AnswerBar { query, ..bar });
    }
    if tally.missing.whole > 0 {
        bars.push(bar("no verdict".to_owned(), None, tally.missing));
    }
    Some(AnswerCard::new(
        "verdict",
        "who wins",
        "Verdicts on all samples, as stated or by the deciding label. Best responses have the highest value; in a tie \
         all rated responses are equal. With fewer than two rated responses there is no verdict.",
        Vec::new(),
        CardBody::Bars(ShareOf::All, bars),
    ))
}

/// Returns the card of the margins of pairs, or of larger groups.
fn margins(context: &ProfileContext<'_>, margin: &ProfileColumn, is_of_groups: bool) -> AnswerCard {
    let (key, title, what, only) = if is_of_groups {
        (
            "margin_of_groups",
            "margin of groups",
            "Margin of the best response over the second, over samples with three or more responses",
            " c.len.response>=0",
        )
    } else {
        (
            "margin",
            "margin",
            "Margin of A (negative: B wins), over pairs",
            context.only_pairs(),
        )
    };
    let is_meant = |responses: f64| (responses > 2.0) == is_of_groups;
    let places = context.responses.map(|of| of.count(is_meant));
    let mut figures = context.moments(margin);
    figures.retain(|figure| matches!(figure.key, "mean" | "sd") || figure.is_detail);
    figures.extend(value_counts(margin, places, format!("margin=none{only}")));
    let mut bars = context.bars(margin);
    let queries = bars.iter_mut().filter_map(|bar| bar.query.as_mut());
    queries.for_each(|query| query.push_str(only));
    let about = format!(
        "{what} with a margin, in the unit of the deciding value. sd: sample standard deviation (n - 1)."
    );
    AnswerCard::new(
        key,
        title,
        about,
        figures,
        CardBody::Bars(ShareOf::All, bars),
    )
}

/// Returns the card of margins in favour of the winner.
fn strengths(context: &ProfileContext<'_>, margin: &ProfileColumn) -> AnswerCard {
    let leads = CodedValues::of(&leads(context, margin));
    let leads = context.distributions(&leads, Level::Sample);
    let quantity = |key, title, figure: fn(&Distribution) -> _| {
        Quantity::of(key, title, QuantityUnit::Number, &leads, figure)
    };
    let mut figures = vec![
        quantity("mean", "mean", Distribution::mean),
        quantity("median", "median", |of| of.quantile(0.5)),
        quantity("p90", "p90", |of| of.quantile(0.9)),
    ];
    let mut about = "Margin of the winner over the loser, over pairs; 0 is a tie.".to_owned();
    let is_contradicted = leads.whole.least().is_ok_and(|least| least < 0.0);
    if is_contradicted {
        about.push_str(" Negative: the preferred response has the lower value.");
        let share = |of: &Distribution| of.share(|lead| lead < 0.0);
        let against = Quantity::of(
            "negative",
            "winner has lower value",
            QuantityUnit::Share,
            &leads,
            share,
        );
        let only_pairs = context.only_pairs();
        figures.push(against.found_by(format!(
            "(verdict=a margin<0 or verdict=b margin>0){only_pairs}"
        )));
    }
    // Without contradictions, queries can use the absolute margin.
    let is_size = !is_contradicted && leads.whole == margin.values.whole.absolute();
    let query = |from: ValueRange| {
        let query = if is_size {
            from.query("abs(margin)")
        } else {
            from.lead_query()
        };
        Some(query + context.only_pairs())
    };
    AnswerCard::new(
        "strength",
        "strength of preference",
        about,
        figures,
        CardBody::Bars(ShareOf::All, value_bars(&query, &leads)),
    )
}

/// Returns the margin in favour of the winner for each sample: 0 for a tie, NaN without a winner or
/// margin.
fn leads(context: &ProfileContext<'_>, margin: &ProfileColumn) -> Vec<f64> {
    let coded = context.words(ColumnId::VERDICT);
    let lead = |(place, margin): (usize, f64)| match coded.get(place).map(String::as_str) {
        None => f64::NAN,
        Some("tie") => margin.abs() * 0.0,
        Some("b") => 0.0 - margin,
        Some(_) => margin,
    };
    margin.coded.numbers().enumerate().map(lead).collect()
}

/// The values of a bar: from the first up to the second, which is included if they are equal, or if
/// this is the last bar.
#[derive(Clone, Copy)]
pub(super) struct ValueRange(f64, f64, bool);

impl ValueRange {
    /// Returns the values of a bin.
    pub(super) fn of(bins: &Bins, bin: usize) -> Self {
        let (low, high) = bins.ends(bin);
        Self(low, high, bin + 1 == bins.count())
    }

    /// Returns the query for values in this range; `spelled` is the column's name in queries.
    pub(super) fn query(self, spelled: &str) -> String {
        match self {
            Self(low, high, _) if low == high => format!("{spelled}={low}"),
            Self(low, high, true) => format!("{spelled}>={low} {spelled}<={high}"),
            Self(low, high, false) => format!("{spelled}>={low} {spelled}<{high}"),
        }
    }

    /// Returns the query for pairs whose winner leads by a value in this range.
    fn lead_query(self) -> String {
        let a = self.query("margin");
        // 0 - x turns both zeros into +0.
        let back = |value: f64| 0.0 - value;
        let (b, has_tie) = match self {
            Self(low, high, _) if low == high => (format!("margin={}", back(low)), low == 0.0),
            Self(low, high, is_last) => {
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

/// Returns a bar for each value, or for round ranges if there are many values.
pub(super) fn value_bars(
    query: &dyn Fn(ValueRange) -> Option<String>,
    of: &WithShown<Distribution>,
) -> Vec<AnswerBar> {
    let values: Vec<f64> = of.whole.each().map(|(value, _)| value).collect();
    let Some(bins) = Bins::for_values(false, &values) else {
        return Vec::new();
    };
    bars_of(&bins, of, &|bin| query(ValueRange::of(&bins, bin)))
}

/// Returns the share of pairs that tie on each label.
fn ties(context: &ProfileContext<'_>) -> Option<AnswerCard> {
    let mut bars = Vec::new();
    for label in context
        .columns
        .iter()
        .filter(|column| is_label(column))
        .take(MAX_LABELS)
    {
        let field = Field {
            view: Aggregate::Gap,
            ..label.field
        };
        let gap = context.column(field);
        let count = |of: &Distribution| [of.count(|gap| gap == 0.0), of.n()];
        if gap.values.whole.n() > 0 {
            let query = Some(format!("{}=0", gap.spelled));
            let counts = gap.values.map(count);
            bars.push(AnswerBar::new(label.spelled.clone(), counts, query));
        }
    }
    (!bars.is_empty()).then(|| AnswerCard::new("ties", "ties by label", "Share of samples whose responses all have the same value, among those with a value for each response.", Vec::new(), CardBody::Bars(ShareOf::Each, bars)))
}
