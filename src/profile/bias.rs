//! What wins besides being better: length, place and style. Shares of pairs, each with its interval,
//! and one regression on all differences at once.

use super::card::{
    CardBody, Grid, GridCell, ProfileBar, ProfileCard, Quantity, QuantityUnit, ShareOf,
};
use super::context::ProfileContext;
use crate::model::ResponseId;
use crate::parallel::in_parallel;
use crate::query::{Aggregate, ColumnName, Field, each_number};
use crate::stats::{
    DRAWS, LogisticCoefficient, LogisticFit, PairDifferences, RidgeReason, Undefined, wilson,
};
use crate::table::{BuiltIn, Level};
use crate::text::{counted, number};

/// Characters by which two responses differ at most that count as equally long, as in AlpacaEval's
/// analysis of its human annotations (README, "Analyzing an evaluator").
const EQUAL_LENGTHS: f64 = 30.0;

/// The seed of the resamples: the same data has the same intervals.
const SEED: u64 = 14;

/// What may win in place of the better response.
struct BiasFeature {
    /// As the bar is called.
    title: &'static str,
    /// As the row of the regression is called.
    difference: &'static str,
    /// The column of responses that is compared.
    column: &'static str,
    /// Differences up to this are none. `None`: what counts is that one has any and the other not.
    tolerance: Option<f64>,
}

const fn has(title: &'static str, difference: &'static str, column: &'static str) -> BiasFeature {
    BiasFeature {
        title,
        difference,
        column,
        tolerance: None,
    }
}

/// The features, in the order of the bars; that of coming first has no column.
static FEATURES: [BiasFeature; 8] = [
    BiasFeature {
        title: "longer wins",
        difference: "characters",
        column: "len.response",
        tolerance: Some(EQUAL_LENGTHS),
    },
    has("list wins", "list items", "lists.response"),
    has("headers win", "headers", "headers.response"),
    has("bold wins", "bold stretches", "bold.response"),
    has("code wins", "blocks of code", "code.response"),
    has("citations win", "citations", "citations.response"),
    has("refusal wins", "refusal phrases", "refusals.response"),
    has("hedges win", "hedging phrases", "hedges.response"),
];

/// The columns that are counted in texts for this.
pub(super) fn text_columns() -> Vec<BuiltIn> {
    let columns = FEATURES.iter().filter_map(BiasFeature::column);
    columns
        .filter(|column| column.def().source.reads_texts())
        .collect()
}

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    if context.hides_labels() {
        return Some(Vec::new());
    }
    let pairs = DecidedPairs::of(context)?;
    if pairs.first_wins.is_empty() {
        // Of samples that are all larger it is at least said that they were left out.
        let only_larger = (pairs.larger[0] > 0).then(|| shares(&pairs, &[], &[]));
        return Some(only_larger.into_iter().collect());
    }
    let features: Vec<_> = FEATURES
        .iter()
        .filter(|feature| feature.is_known(context))
        .collect();
    let values = in_parallel(&features, |feature| pairs.values(context, feature));
    let values = values.into_iter().collect::<Option<Vec<_>>>()?;
    let mut cards = vec![shares(&pairs, &features, &values)];
    // Without the rest the coefficient of length would be another one.
    if features.len() == FEATURES.len() {
        cards.push(regression(context, &pairs, &features, &values)?);
    }
    let note = note_of_intervals(&cards);
    cards[0].notes.extend(note);
    Some(cards)
}

/// How many intervals cards show, and how many of them would exclude the truth by chance.
fn note_of_intervals(cards: &[ProfileCard]) -> Option<String> {
    let of_card = |card: &ProfileCard| match &card.body {
        CardBody::Figures => 0,
        CardBody::Bars(_, bars) => {
            let of_bar = |bar: &ProfileBar| [bar.interval, bar.shown_interval()];
            bars.iter().flat_map(of_bar).flatten().count()
        }
        CardBody::Grid(grid) => {
            // Each row has its lower end in its second cell.
            let low = grid.cells.iter().skip(1).step_by(grid.columns.len().max(1));
            let ends = low.flat_map(|cell| [Some(cell.whole), cell.shown]);
            ends.flatten().flatten().count()
        }
    };
    let count: usize = cards.iter().map(of_card).sum();
    let by_chance = number((count as f64 * 5.0).round() / 100.0);
    (count > 0).then(|| {
        format!(
            "This section shows {} at 95 %: by chance, {by_chance} of them exclude the truth on average.",
            counted(count, "interval")
        )
    })
}

impl BiasFeature {
    fn column(&self) -> Option<BuiltIn> {
        BuiltIn::named(self.column)
    }

    /// Whether its column needs no text to be read, or was counted.
    fn is_known(&self, context: &ProfileContext<'_>) -> bool {
        self.column().is_some_and(|column| {
            !column.def().source.reads_texts() || context.dataset().has_counted_texts(&[column])
        })
    }

    /// Which of two values is of the response that should win by this feature; `None` where they are
    /// alike.
    fn favours_first(&self, [first, second]: [f32; 2]) -> Option<bool> {
        let [first, second] = [first, second].map(f64::from);
        match self.tolerance {
            Some(tolerance) => ((first - second).abs() > tolerance).then_some(first > second),
            None => ((first > 0.0) != (second > 0.0)).then_some(first > 0.0),
        }
    }

    /// The query that finds the pairs in which the feature wins.
    fn query(&self) -> String {
        let column = self.column;
        match self.tolerance {
            Some(tolerance) => {
                format!("abs(a.{column} - b.{column})>{tolerance} winner.{column} > loser.{column}")
            }
            None => format!("winner.{column}>0 loser.{column}=0"),
        }
    }
}

/// Samples with two responses of which one wins.
struct DecidedPairs {
    /// Of each place of columns of samples, whether it is one.
    is_pair: Vec<bool>,
    /// Of each of them, whether the first response wins.
    first_wins: Vec<bool>,
    /// Of each of them, whether it shows; `None` where no query chooses.
    shown: Option<Vec<bool>>,
    /// Pairs that tie, of the whole and of what is shown.
    ties: [u64; 2],
    /// Samples with more responses, of the whole and of what is shown.
    larger: [u64; 2],
    /// What a query must say so that it finds pairs alone.
    only_pairs: &'static str,
}

impl DecidedPairs {
    fn of(context: &ProfileContext<'_>) -> Option<Self> {
        let mut pairs = Self {
            is_pair: Vec::new(),
            first_wins: Vec::new(),
            shown: context.shown().map(|_| Vec::new()),
            ties: [0; 2],
            larger: [0; 2],
            only_pairs: context.only_pairs(),
        };
        let Some(verdict) = BuiltIn::named("verdict") else {
            return Some(pairs);
        };
        let verdicts = context.words(&ColumnName::BuiltIn(verdict))?;
        let code = |word: &str| {
            let place = verdicts.words.iter().position(|other| other == word);
            place.map_or(u32::MAX - 1, |place| place as u32)
        };
        let [first, second, tie] = ["a", "b", "tie"].map(code);
        let mask = context.mask(Level::Sample);
        for (place, (&code, count)) in verdicts
            .codes
            .iter()
            .zip(context.response_counts())
            .enumerate()
        {
            let shows = mask.and_then(|mask| mask.get(place)) == Some(&true);
            let is_pair = count == 2;
            if is_pair && code == tie {
                pairs.ties[0] += 1;
                pairs.ties[1] += u64::from(shows);
            }
            if count > 2 {
                pairs.larger[0] += 1;
                pairs.larger[1] += u64::from(shows);
            }
            let is_decided = is_pair && (code == first || code == second);
            pairs.is_pair.push(is_decided);
            if is_decided {
                pairs.first_wins.push(code == first);
                if let Some(shown) = &mut pairs.shown {
                    shown.push(shows);
                }
            }
        }
        Some(pairs)
    }

    /// Of each pair the values of both responses; NaN where there is none.
    fn values(&self, context: &ProfileContext<'_>, feature: &BiasFeature) -> Option<Vec<[f32; 2]>> {
        let Some(column) = feature.column() else {
            return Some(Vec::new());
        };
        let mut values = vec![[f32::NAN; 2]; self.first_wins.len()];
        for (side, response) in [ResponseId::A, ResponseId::B].into_iter().enumerate() {
            let field = Field {
                view: Aggregate::At(response),
                name: ColumnName::BuiltIn(column),
            };
            let mut is_pair = self.is_pair.iter();
            let mut free = values.iter_mut();
            let wanted = context.wanted_by();
            each_number(context.dataset(), &field, wanted, &mut |piece| {
                for (value, _) in piece
                    .iter()
                    .zip(&mut is_pair)
                    .filter(|(_, is_pair)| **is_pair)
                {
                    if let Some(values) = free.next() {
                        values[side] = *value as f32;
                    }
                }
            })?;
        }
        Some(values)
    }

    /// Pairs of the whole, and of what is shown.
    fn counts(&self) -> [u64; 2] {
        let shown = self.shown.iter().flatten().filter(|shows| **shows).count();
        [self.first_wins.len() as u64, shown as u64]
    }

    /// A bar: what of each pair tells whether what it is of wins, if it speaks of it at all.
    fn bar(&self, title: &str, query: &str, wins: impl Fn(usize) -> Option<bool>) -> ProfileBar {
        let (mut whole, mut shown) = ([0; 2], [0; 2]);
        for pair in 0..self.first_wins.len() {
            let Some(wins) = wins(pair) else { continue };
            let shows = self.shown.as_ref().is_some_and(|shown| shown[pair]);
            whole[0] += u64::from(wins);
            whole[1] += 1;
            shown[0] += u64::from(wins && shows);
            shown[1] += u64::from(shows);
        }
        ProfileBar {
            label: title.to_owned(),
            whole,
            shown: self.shown.as_ref().map(|_| shown),
            interval: wilson(whole[0], whole[1]).ok().map(|of| [of.low, of.high]),
            query: Some(format!("{query}{}", self.only_pairs)),
        }
    }
}

fn shares(
    pairs: &DecidedPairs,
    features: &[&BiasFeature],
    values: &[Vec<[f32; 2]>],
) -> ProfileCard {
    let mut bars: Vec<_> = features
        .iter()
        .zip(values)
        .map(|(feature, values)| {
            pairs.bar(feature.title, &feature.query(), |pair| {
                let favoured = feature.favours_first(values[pair])?;
                Some(favoured == pairs.first_wins[pair])
            })
        })
        .collect();
    let first = pairs.bar("first wins", "verdict=a", |pair| {
        Some(pairs.first_wins[pair])
    });
    bars.insert(1.min(bars.len()), first);
    let (all, is_chosen) = (pairs.counts(), pairs.shown.is_some());
    let count = |key, title, [whole, shown]: [u64; 2]| {
        Quantity::count(key, title, whole, is_chosen.then_some(shown))
    };
    let only = pairs.only_pairs;
    let mut figures = vec![
        count("pairs", "pairs with a winner", all).found_by(format!("verdict in (a, b){only}")),
        count("ties", "ties, left out", pairs.ties).found_by(format!("is:tie{only}")),
    ];
    if pairs.larger[0] > 0 {
        let larger = count("larger", "groups, left out", pairs.larger);
        figures.push(larger.found_by("c.len.response>=0".to_owned()));
    }
    let unread = match features.len() == FEATURES.len() || all[0] == 0 {
        true => "",
        false => " The rest is being counted in the texts.",
    };
    ProfileCard::new(
        "shares",
        "what wins",
        format!(
            "Of pairs that one response wins: longer, where they differ by more than {EQUAL_LENGTHS} characters; \
             list and the others, where one response has any and the other none. 50 % is no bias; \
             intervals are Wilson's, at 95 %.{unread}"
        ),
        figures,
        CardBody::Bars(ShareOf::Each, bars),
    )
}

/// A regression of the whole, and of what is shown where that is less.
type TwoFits = (
    Result<LogisticFit, Undefined>,
    Option<Result<LogisticFit, Undefined>>,
);

fn regression(
    context: &ProfileContext<'_>,
    pairs: &DecidedPairs,
    features: &[&BiasFeature],
    values: &[Vec<[f32; 2]>],
) -> Option<ProfileCard> {
    let fit = |of_shown: bool| {
        let mut differences = PairDifferences::new(features.len());
        let mut row = vec![0.0; features.len()];
        for (pair, &first_wins) in pairs.first_wins.iter().enumerate() {
            let shows = pairs.shown.as_ref().is_some_and(|shown| shown[pair]);
            if of_shown && !shows {
                continue;
            }
            for (cell, values) in row.iter_mut().zip(values) {
                let [first, second] = values[pair].map(f64::from);
                *cell = first - second;
            }
            differences.push(&row, first_wins);
        }
        differences.fit(DRAWS, SEED, context.wanted_by())
    };
    let shown = pairs.shown.is_some().then(|| fit(true));
    let fits: TwoFits = (fit(false), shown);
    let is_cancelled = |fit: &Result<_, _>| matches!(fit, Err(Undefined::Cancelled));
    if is_cancelled(&fits.0) || fits.1.as_ref().is_some_and(is_cancelled) {
        return None;
    }
    let rows = features.iter().map(|feature| feature.difference);
    let rows: Vec<_> = ["coming first"].into_iter().chain(rows).collect();
    let only = pairs.only_pairs;
    let queries = features.iter().map(|BiasFeature { column, .. }| {
        format!("a.{column}!=b.{column} verdict in (a, b){only}")
    });
    let queries = [format!("verdict in (a, b){only}")]
        .into_iter()
        .chain(queries);
    let cells = queries.enumerate().flat_map(|(row, query)| {
        COEFFICIENT_COLUMNS.map(|(name, figure)| GridCell {
            unit: match name {
                "sd" => QuantityUnit::Number,
                _ => QuantityUnit::Coefficient,
            },
            ..cell(&fits, row, figure, query.clone())
        })
    });
    let n = |fit: &Result<LogisticFit, Undefined>| match fit {
        Ok(fit) => Ok(fit.pairs as f64),
        Err(error) => Err(*error),
    };
    let (whole, shown) = (n(&fits.0), fits.1.as_ref().map(n));
    let ridge = |fit: &Result<LogisticFit, Undefined>| fit.as_ref().ok()?.ridge;
    let ridges = [ridge(&fits.0), fits.1.as_ref().and_then(ridge)];
    let with_ridge = ridges.map(|ridge| u64::from(ridge.is_some()));
    Some(ProfileCard::new(
        "regression",
        match ridges {
            [None, None] => "all differences at once".to_owned(),
            _ => "all differences at once, with a ridge".to_owned(),
        },
        about_regression(ridges),
        vec![
            Quantity::new("pairs", "pairs", QuantityUnit::Count, whole, shown),
            Quantity::count(
                "ridges",
                "with a ridge",
                with_ridge[0],
                fits.1.as_ref().map(|_| with_ridge[1]),
            )
            .in_json_alone(),
        ],
        CardBody::Grid(Grid {
            columns: COEFFICIENT_COLUMNS
                .map(|(name, _)| name.to_owned())
                .to_vec(),
            rows: rows.into_iter().map(str::to_owned).collect(),
            cells: cells.collect(),
            is_heat_map: false,
        }),
    ))
}

/// What the regression is, and why there is a ridge: of the whole, or else of what is shown.
fn about_regression(ridges: [Option<RidgeReason>; 2]) -> String {
    let (of, reason) = match ridges {
        [Some(reason), _] => ("", Some(reason)),
        [None, reason] => (" Of what is shown:", reason),
    };
    let ridge = reason.map(|reason| match reason {
        RidgeReason::Separation => {
            " Some difference tells the winner without exception, so that there is no greatest likelihood: \
             a ridge of weight 1 bounds the coefficients."
        }
        RidgeReason::Collinear => {
            " Some differences follow from others, so that there is no greatest likelihood: a ridge of \
             weight 1 shares the effect out."
        }
    });
    let ridge = ridge.map_or_else(String::new, |ridge| format!("{of}{ridge}"));
    format!(
        "Logistic regression: by how much the log odds of A winning rise with one standard deviation (sd) more in A than in B, \
         all else being equal; low and high are a bootstrap's 95 % interval, se is the standard error.{ridge}"
    )
}

/// What is told of a coefficient.
type CoefficientFigure = fn(&LogisticCoefficient) -> Result<f64, Undefined>;

static COEFFICIENT_COLUMNS: [(&str, CoefficientFigure); 5] = [
    ("coef.", |of| Ok(of.value)),
    ("low", |of| of.interval.map(|interval| interval.low)),
    ("high", |of| of.interval.map(|interval| interval.high)),
    ("se", |of| Ok(of.standard_error)),
    ("sd", |of| Ok(of.sd)),
];

/// A figure of the coefficient in a row: the intercept, then the features.
fn cell(fits: &TwoFits, row: usize, figure: CoefficientFigure, query: String) -> GridCell {
    let of_fit = |fit: &Result<LogisticFit, Undefined>| {
        let fit = fit.as_ref().map_err(|error| *error)?;
        let Some(feature) = row.checked_sub(1) else {
            return figure(&fit.intercept);
        };
        let coefficient = fit.coefficients.get(feature);
        figure(&coefficient.copied().unwrap_or(Err(Undefined::Nothing))?)
    };
    GridCell {
        unit: QuantityUnit::Coefficient,
        whole: of_fit(&fits.0),
        shown: fits.1.as_ref().map(of_fit),
        n: fits.0.as_ref().map_or(0, |fit| fit.pairs as u64),
        query: Some(query),
    }
}
