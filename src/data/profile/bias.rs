//! Biases: what wins besides quality, by length, position and style. Shares of pairs, each with its
//! interval.

use super::context::ProfileContext;
use crate::answer::{AnswerBar, AnswerCard, CardBody, Quantity, QuantityUnit, ShareOf, WithShown};
use crate::model::{ResponseId, ResponseSet, Verdict};
use crate::parallel::in_parallel;
use crate::query::{Aggregate, Field, each_number};
use crate::stats::Undefined;
use crate::table::{ColumnId, Level};

/// Maximum difference in characters of responses that count as equally long, as in AlpacaEval's
/// analysis of its human annotations (README, "Analyzing an evaluator").
const EQUAL_LENGTHS: f64 = 30.0;

/// A feature that may win instead of the better response.
struct BiasFeature {
    /// Title of the bar.
    title: &'static str,
    /// The column of responses to compare.
    column: ColumnId,
    /// Differences up to this count as none. `None` compares presence only.
    tolerance: Option<f64>,
}

const fn has(title: &'static str, column: &str) -> BiasFeature {
    BiasFeature {
        title,
        column: ColumnId::in_table(column),
        tolerance: None,
    }
}

/// The features, in the order of the bars; coming first has no column.
static FEATURES: [BiasFeature; 8] = [
    BiasFeature {
        title: "longer wins",
        column: ColumnId::LENGTH,
        tolerance: Some(EQUAL_LENGTHS),
    },
    has("list wins", "lists.response"),
    has("headers win", "headers.response"),
    has("bold wins", "bold.response"),
    has("code wins", "code.response"),
    has("citations win", "citations.response"),
    has("refusal wins", "refusals.response"),
    has("hedges win", "hedges.response"),
];

/// Returns the columns that this section counts in texts.
pub(super) fn text_columns() -> Vec<ColumnId> {
    let columns = FEATURES
        .iter()
        .map(|feature| feature.column)
        .filter(|column| column.source.reads_texts());
    columns.chain([ColumnId::PROMPT_ID]).collect()
}

pub(super) fn cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    let samples = DecidedSamples::of(context);
    if samples.sides.is_empty() {
        return Vec::new();
    }
    let features: Vec<_> = FEATURES
        .iter()
        .filter(|feature| context.request.dataset.knows(feature.column))
        .collect();
    let values = in_parallel(&features, |feature| samples.values(context, feature));
    vec![shares(context, &samples, &features, &values)]
}

impl BiasFeature {
    /// Returns whether the best side has more of this feature; `None` if both are equal.
    fn is_of_best(&self, [best, worse]: [f32; 2]) -> Option<bool> {
        let [best, worse] = [best, worse].map(f64::from);
        match self.tolerance {
            Some(tolerance) => ((best - worse).abs() > tolerance).then_some(best > worse),
            None => ((best > 0.0) != (worse > 0.0)).then_some(best > 0.0),
        }
    }

    /// Returns the query for the pairs in which the feature wins.
    fn query(&self) -> String {
        let column = self.column.name;
        match self.tolerance {
            Some(tolerance) => {
                format!("abs(a.{column} - b.{column})>{tolerance} winner.{column} > loser.{column}")
            }
            None => format!("winner.{column}>0 loser.{column}=0"),
        }
    }
}

/// The best and the worse responses of a sample.
type Sides = [ResponseSet; 2];

/// Returns whether the best responses come first, by their mean position; `None` if neither does.
fn first_wins([best, worse]: Sides) -> Option<bool> {
    let sum = |side: ResponseSet| side.iter().map(ResponseId::index).sum::<usize>();
    // The means, multiplied by both counts.
    let [of_best, of_worse] = [sum(best) * worse.count(), sum(worse) * best.count()];
    (of_best != of_worse).then_some(of_best < of_worse)
}

/// Samples with a winner and a loser.
struct DecidedSamples {
    /// Whether each sample (by index) is decided.
    is_decided: Vec<bool>,
    /// The sides of each decided sample, and its place among samples that are not malformed.
    sides: Vec<(usize, Sides)>,
    /// Number of ties.
    ties: WithShown<u64>,
    /// Where the layout of a file puts the winner.
    fixed: Option<&'static str>,
    /// Whether all samples are pairs, since queries can compare the sides of pairs only.
    are_pairs: bool,
}

impl DecidedSamples {
    fn of(context: &ProfileContext<'_>) -> Self {
        let mut samples = Self {
            is_decided: Vec::new(),
            sides: Vec::new(),
            ties: context.sums(),
            fixed: (context.request.dataset.files().iter())
                .find_map(|file| file.schema.place_of_winner()),
            are_pairs: context.only_pairs().is_empty(),
        };
        let dataset = context.request.dataset;
        for chunk in dataset.chunks() {
            let Some(file) = dataset
                .files()
                .get(chunk.file())
                .filter(|_| context.keep_going())
            else {
                break;
            };
            let schema = &file.schema;
            let responses = chunk.columns().responses.iter().enumerate();
            for (within, _) in responses.filter(|(_, count)| **count > 0) {
                let place = samples.is_decided.len();
                let shows = context.shows(Level::Sample, place);
                let verdict = chunk.verdict(within, schema);
                if verdict == Some(Verdict::Tie) {
                    samples.ties.update(shows, |ties| *ties += 1);
                }
                let sides = verdict
                    .map(|verdict| {
                        let rated = chunk.rated(within, schema);
                        [verdict.best(rated), verdict.worse(rated)]
                    })
                    .filter(|[_, worse]| worse.count() > 0);
                samples.is_decided.push(sides.is_some());
                samples.sides.extend(sides.map(|sides| (place, sides)));
            }
        }
        samples
    }

    /// Returns for each decided sample the means of its best and of its worse responses.
    fn values(&self, context: &ProfileContext<'_>, feature: &BiasFeature) -> Vec<[f32; 2]> {
        let mut values = vec![[0.0; 2]; self.sides.len()];
        for response in ResponseId::first(context.request.dataset.most_responses()) {
            let field = Field {
                view: Aggregate::At(response),
                column: feature.column,
            };
            let mut is_decided = self.is_decided.iter();
            let mut means = values.iter_mut().zip(&self.sides);
            let keep_going = context.request.keep_going;
            each_number(context.request.dataset, &field, keep_going, &mut |piece| {
                let decided = piece.iter().zip(&mut is_decided);
                for (value, _) in decided.filter(|(_, is_decided)| **is_decided) {
                    let Some((means, (_, sides))) = means.next() else {
                        return;
                    };
                    for (mean, side) in means.iter_mut().zip(sides) {
                        if side.has(response.index()) {
                            *mean += *value as f32 / side.count() as f32;
                        }
                    }
                }
            });
        }
        values
    }

    /// Returns a bar; `wins` says whether a sample's best responses have the feature, `None` if
    /// both sides are equal.
    fn bar(
        &self,
        context: &ProfileContext<'_>,
        title: &str,
        query: String,
        wins: impl Fn(usize) -> Option<bool>,
    ) -> AnswerBar {
        let trials = self.sides.iter().enumerate();
        let share = context.share(trials.map(|(sample, (place, _))| (*place, wins(sample))));
        let query = self.are_pairs.then_some(query);
        AnswerBar::of_share(title.to_owned(), share, query)
    }
}

fn shares(
    context: &ProfileContext<'_>,
    samples: &DecidedSamples,
    features: &[&BiasFeature],
    values: &[Vec<[f32; 2]>],
) -> AnswerCard {
    let mut bars: Vec<_> = features
        .iter()
        .zip(values)
        .map(|(feature, values)| {
            samples.bar(context, feature.title, feature.query(), |sample| {
                feature.is_of_best(values[sample])
            })
        })
        .collect();
    if samples.fixed.is_none() {
        let first = samples.bar(context, "first wins", "verdict=a".to_owned(), |sample| {
            first_wins(samples.sides[sample].1)
        });
        bars.insert(1.min(bars.len()), first);
    }
    let mut pairs: WithShown<u64> = context.sums();
    for (place, _) in &samples.sides {
        pairs.update(context.shows(Level::Sample, *place), |pairs| *pairs += 1);
    }
    let mut figures = vec![
        Quantity::count("pairs", "samples with a winner", pairs).found_by("verdict!=none -is:tie"),
        Quantity::count("ties", "ties, excluded", samples.ties).found_by("is:tie"),
    ];
    figures.extend(samples.fixed.map(|place| {
        let first = pairs.map(|_| Err(Undefined::FixedSides(place)));
        Quantity::new("first", "first wins", QuantityUnit::Share, first)
    }));
    let unread = if features.len() == FEATURES.len() && context.knows_prompts() {
        ""
    } else {
        " More bars and intervals follow once the texts are counted."
    };
    AnswerCard::new(
        "shares",
        "what wins",
        format!(
            "Best against worse responses of a sample. longer: over samples whose sides differ by more than \
             {EQUAL_LENGTHS} characters; list and the others: over those with any on one side and none on the other. \
             Several responses count by their mean, so each sample counts once. 50 %: no bias. Intervals: 95 %, \
             comparisons of one prompt together.{unread}"
        ),
        figures,
        CardBody::Bars(ShareOf::Each, bars),
    )
}
