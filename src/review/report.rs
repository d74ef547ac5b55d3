//! Agreement in words: in short for a line, and as Markdown.

use std::fmt::Display;
use std::sync::Arc;

use minijinja::{Value, context};

use super::after_reveal::AfterRevealFigures;
use super::agreement::{Agreement, SelfConsistency};
use super::annotators::AnnotatorAgreement;
use super::count_grid::{AgreementPage, CountGrid};
use super::figures::{PairFigures, VERDICT};
use super::judged_sample::VerdictCategories;
use super::reviewer_agreement::{
    MOST_EACH, PairSpread, ReviewerAgreement, ReviewerPair, ReviewerPairs,
};
use super::spread::{FEWEST_IN_COMMON, KappaSpread, PairKappa};
use super::template::render;
use crate::stats::{Confusion, FEWEST_CLUSTERS, Figure, Interval, Undefined};
use crate::text::{self, counted, two_decimals};

/// Cells that [`Agreement::in_short`] takes at most.
const SHORT: usize = 40;
/// Cells that a name takes there.
const NAME: usize = 20;
/// And in Markdown.
const LONG_NAME: usize = 60;
/// Who stands down and across where reviewers are compared with the dataset.
const WITH_DATASET: [&str; 2] = ["the reviewer", "the dataset"];

impl Agreement {
    /// For the status line: the first figures that there are, short; empty where nothing can be
    /// said yet. At most 40 cells: a label's kappa, or the share of equal values where it has none,
    /// with the number of responses (of a verdict: judgments) in parentheses. The kappa of fewer
    /// than ten judgments is a dash: it would say nothing.
    pub fn in_short(&self) -> String {
        let name = |label: &PairFigures| text::one_line(&label.name, NAME);
        let kappas = self.labels.iter().filter_map(|label| {
            let kappa = label.kappa.value.ok()?;
            if self.judgments < FEWEST_CLUSTERS {
                return Some(format!("κ {} – ({} judged)", name(label), self.judgments));
            }
            Some(format!(
                "κ {} {} ({})",
                name(label),
                two_decimals(kappa),
                label.confusion.total()
            ))
        });
        let shares = self
            .labels
            .iter()
            .filter(|label| label.kappa.value.is_err())
            .filter_map(|label| {
                let equal = label.equal.value.ok()?;
                Some(format!(
                    "{} {} equal ({})",
                    name(label),
                    two_decimals(equal),
                    label.confusion.total()
                ))
            });
        let verdict = self.verdict.iter().filter_map(|verdict| {
            let equal = verdict.equal.value.ok()?;
            Some(format!(
                "verdict {} equal ({})",
                two_decimals(equal),
                verdict.n
            ))
        });
        let mut short = String::new();
        for figure in kappas.chain(shares).chain(verdict) {
            let between = if short.is_empty() { "" } else { " · " };
            if text::width(&short) + text::width(between) + text::width(&figure) > SHORT {
                break;
            }
            short = short + between + &figure;
        }
        short
    }

    /// The result in two sentences: who wins, and the labels that stand out. Markdown.
    pub fn in_sentences(&self) -> String {
        let verdict = self.verdict.as_ref().map(|verdict| {
            context! {
                of => judgments(verdict.n, verdict.samples),
                equal => with_interval(&verdict.equal),
            }
        });
        let range = |figure: fn(&PairFigures) -> Figure, by, words: fn(Figure, u64) -> String| {
            label_range(&self.labels, figure, by, words)
        };
        let kappa = |of, _| format!("κ {}", with_interval(&of));
        let equal = |of, n| {
            let n = counted(n as usize, "value");
            format!("share of equal values {}, of {n}", with_interval(&of))
        };
        let by_kappa = range(|label| label.kappa, |value| value, kappa);
        let agreement = by_kappa.or_else(|| range(|label| label.equal, |value| value, equal));
        let difference = |of, _| with_interval(&of);
        let difference = range(|label| label.difference, |value| -value.abs(), difference);
        let even = self.even.as_ref().map(safe);
        render(
            "result.md",
            context! { verdict, range => agreement, difference, even },
        )
    }

    /// As Markdown: tables of figures with what they mean, `n/a` where there is none and the reason
    /// below. A section under a second heading, with third ones in it.
    pub fn markdown(&self) -> String {
        self.text(&mut None)
    }

    /// The same text for a screen, where matrices are grids that one goes about in.
    pub fn page(&self) -> AgreementPage {
        AgreementPage::of(|grids| self.text(grids))
    }

    fn text(&self, grids: &mut Option<Vec<CountGrid>>) -> String {
        let labels = labels_context(&self.labels, WITH_DATASET, grids);
        let verdict = self.verdict.as_ref();
        let verdict = verdict.map(|verdict| verdict.context(WITH_DATASET, grids));
        let reviewers: Vec<_> = self.reviewers.iter().map(safe).collect();
        let context = context! {
            judgments => self.judgments,
            samples => self.samples,
            // Whether a sample counts more than once.
            several => self.judgments > self.samples,
            reviewers,
            most_each => MOST_EACH,
            fewest_in_common => FEWEST_IN_COMMON,
            blind => self.blind,
            hidden => self.hidden,
            gone => self.gone,
            draws => self.draws,
            even => self.even.as_ref().map(safe),
            labels,
            verdict,
            apart => self.apart.context(),
            consistency => self.consistency.context(),
            between => self.between.as_ref().map(|between| between.context(self)),
            annotators => (!self.annotators.0.is_empty()).then(|| self.annotators.context()),
        };
        render("agreement.md", context)
    }
}

/// Figures of labels, compared with the second of two; the published ones too if that is the dataset.
pub(super) fn labels_context(
    labels: &[PairFigures],
    names: [&str; 2],
    grids: &mut Option<Vec<CountGrid>>,
) -> Value {
    let mut table = FigureTable::default();
    for label in labels {
        let (name, reasons) = (safe(&label.name), &mut table.reasons);
        let mut row = vec![name.clone(), label.confusion.total().to_string()];
        row.extend(reasons.figure(&label.kappa, &name));
        row.extend(reasons.figure(&label.equal, &name));
        row.push(reasons.value(&label.difference.value, &name));
        if names == WITH_DATASET {
            row.push(reasons.stated(label.published, "publ. κ between single annotators", &name));
        }
        table.rows.push(row);
    }
    context! {
        table => table.value(),
        samples => labels.iter().map(|label| label.samples).max(),
        confusions => Counts::of_labels(labels, names, grids),
    }
}

/// The labels with the lowest and the highest figure of those that have it, in the order of these
/// values, and whether the interval of the lowest lies below those of all others; `None` if none has
/// the figure.
fn label_range(
    labels: &[PairFigures],
    figure: impl Fn(&PairFigures) -> Figure,
    by: fn(f64) -> f64,
    words: impl Fn(Figure, u64) -> String,
) -> Option<Value> {
    let figures = labels.iter().map(|label| (label, figure(label)));
    let mut figures: Vec<_> = figures.filter(|(_, figure)| figure.value.is_ok()).collect();
    let value = |figure: &Figure| figure.value.map_or(f64::NAN, by);
    figures.sort_by(|(_, one), (_, other)| value(one).total_cmp(&value(other)));
    let (lowest, others) = figures.split_first()?;
    // Where the interval has zero in it, the order of its values may turn there.
    let ends = |figure: &Figure| {
        let [low, high] = figure.ends()?;
        let ends = [low, 0.0_f64.clamp(low, high), high].map(by);
        let least = ends.into_iter().fold(f64::INFINITY, f64::min);
        Some((least, ends.into_iter().fold(f64::NEG_INFINITY, f64::max)))
    };
    let is_below = |(_, other): &(_, Figure)| {
        let ends = ends(&lowest.1).zip(ends(other));
        ends.is_some_and(|((_, high), (low, _))| high < low)
    };
    let end = |(label, figure): &(&PairFigures, Figure)| {
        let figure = words(*figure, label.confusion.total());
        context! { label => safe(&label.name), figure }
    };
    Some(context! {
        lowest => end(lowest),
        highest => others.last().map(end),
        clear => others.iter().all(is_below),
    })
}

impl PairFigures {
    /// Figures of who wins.
    pub(super) fn context(&self, names: [&str; 2], grids: &mut Option<Vec<CountGrid>>) -> Value {
        let (mut row, mut table) = (vec![self.n.to_string()], FigureTable::default());
        row.extend(table.reasons.figure(&self.equal, VERDICT));
        row.extend(table.reasons.figure(&self.kappa, VERDICT));
        if names == WITH_DATASET {
            let head = "publ. share of single annotators";
            row.push(table.reasons.stated(self.published, head, VERDICT));
        }
        table.rows.push(row);
        context! {
            samples => self.samples,
            several => self.several,
            table => table.value(),
            confusion => Counts::of_verdicts(&self.confusion, names).context(grids),
        }
    }
}

impl AfterRevealFigures {
    fn context(&self) -> Value {
        let became_of_some = self.changed + self.withdrawn + self.put_off > 0;
        context! {
            changed => self.changed,
            withdrawn => self.withdrawn,
            put_off => self.put_off,
            later => became_of_some.then(|| Self::figures(&self.later)),
            seen => self.seen,
            of_seen => Self::figures(&self.of_seen),
        }
    }

    fn figures(figures: &[PairFigures]) -> Value {
        let mut table = FigureTable::default();
        for figure in figures {
            let name = safe(&figure.name);
            let kappa = table.reasons.value(&figure.kappa.value, &name);
            let equal = table.reasons.value(&figure.equal.value, &name);
            table
                .rows
                .push(vec![name, figure.n.to_string(), kappa, equal]);
        }
        table.value()
    }
}

impl SelfConsistency {
    fn context(&self) -> Value {
        let mut table = FigureTable::default();
        for label in &self.labels {
            let (name, reasons) = (safe(&label.name), &mut table.reasons);
            let [kappa, sure] = reasons.figure(&label.kappa, &name);
            let [equal, equal_sure] = reasons.figure(&label.equal, &name);
            let distance = reasons.value(&label.distance(), &name);
            let n = label.confusion.total().to_string();
            table
                .rows
                .push(vec![name, n, kappa, sure, equal, equal_sure, distance]);
        }
        let [equal, sure] = table.reasons.figure(&self.verdict, VERDICT);
        let of_labels = "n/a: κ and distance are of labels only".to_owned();
        table.reasons.add(of_labels, VERDICT);
        let (name, n, none) = (VERDICT.to_owned(), self.verdicts.to_string(), || {
            NONE.to_owned()
        });
        table
            .rows
            .push(vec![name, n, none(), none(), equal, sure, none()]);
        context! {
            repeats => self.repeats,
            table => table.value(),
            decided => self.decided,
            swapped => self.swapped,
            left => with_interval(&self.left),
        }
    }
}

impl AnnotatorAgreement {
    fn context(&self) -> Value {
        let mut table = FigureTable::default();
        for (name, of) in &self.0 {
            let (name, reasons) = (safe(name), &mut table.reasons);
            let [n, pairs] = [of.things, of.pairs].map(|count| count.to_string());
            let mut row = vec![name.clone(), n, pairs];
            for figure in [of.kappa, of.equal] {
                row.extend(reasons.figure(&figure, &name));
            }
            table.rows.push(row);
        }
        table.value()
    }
}

impl ReviewerAgreement {
    /// Krippendorff's alpha for each label and for who wins, as a table.
    pub(crate) fn alphas_context(&self) -> Value {
        let mut alphas = FigureTable::default();
        for alpha in &self.alphas {
            let name = safe(&alpha.name);
            let [figure, sure] = alphas.reasons.figure(&alpha.alpha, &name);
            alphas
                .rows
                .push(vec![name, alpha.units.to_string(), figure, sure]);
        }
        alphas.value()
    }

    fn context(&self, agreement: &Agreement) -> Value {
        let names = agreement.labels.iter().map(|label| safe(&label.name));
        let names: Vec<_> = names.chain([VERDICT.to_owned()]).collect();
        let (any, pairs) = match &self.pairs {
            ReviewerPairs::Each(pairs) => (!pairs.is_empty(), each_pair(pairs)),
            ReviewerPairs::Spread(spread) => (spread.pairs > 0, spread.context(&names)),
        };
        context! { reviewers => self.reviewers.len(), alphas => self.alphas_context(), any, ..pairs }
    }
}

/// What each two said of the labels and the verdict.
fn each_pair(pairs: &[ReviewerPair]) -> Value {
    let mut table = FigureTable::default();
    for pair in pairs {
        let [one, other] = pair.reviewers.each_ref().map(safe);
        for shared in &pair.figures {
            let name = safe(&shared.name);
            let of = format!("{name} of {one} and {other}");
            let [kappa, sure] = table.reasons.figure(&shared.kappa, &of);
            let [equal, equal_sure] = table.reasons.figure(&shared.equal, &of);
            let n = shared.confusion.total().to_string();
            let [one, other] = [&one, &other].map(String::clone);
            let row = vec![one, other, name, n, kappa, sure, equal, equal_sure];
            table.rows.push(row);
        }
    }
    context! { each => table.value() }
}

impl PairSpread {
    fn context(&self, names: &[String]) -> Value {
        let (mut table, mut ends) = (FigureTable::default(), FigureTable::default());
        for (name, spread) in names.iter().zip(&self.spreads) {
            table.rows.push(spread.row(name, &mut table.reasons));
            let named = spread.ends(name, &mut ends.reasons);
            ends.rows.extend(named);
        }
        context! {
            each => (),
            pairs => self.pairs,
            spread => table.value(),
            ends => ends.value(),
        }
    }
}

impl KappaSpread {
    fn row(&self, name: &str, reasons: &mut MissingReasons) -> Vec<String> {
        if self.few > 0 {
            let few = counted(self.few, "pair");
            reasons.add(
                format!("{few} with fewer than {FEWEST_IN_COMMON} in common left out"),
                name,
            );
        }
        if self.undefined > 0 {
            let undefined = counted(self.undefined, "pair");
            reasons.add(
                format!("{undefined} who gave one value to everything left out"),
                name,
            );
        }
        let end = |ends: &[PairKappa]| {
            ends.first()
                .map_or(NONE.to_owned(), |pair| two_decimals(pair.kappa))
        };
        let median = self.median.map_or(NONE.to_owned(), two_decimals);
        vec![
            name.to_owned(),
            self.pairs.to_string(),
            end(&self.lowest),
            median,
            end(&self.highest),
        ]
    }

    /// The pairs with the lowest and the highest kappas, from the lowest; of few pairs, each once.
    fn ends(&self, name: &str, reasons: &mut MissingReasons) -> Vec<Vec<String>> {
        let highest = self
            .highest
            .iter()
            .rev()
            .filter(|pair| !self.lowest.contains(pair));
        let row = |pair: &PairKappa| {
            let [one, other] = pair.reviewers.each_ref().map(safe);
            let figure = Figure {
                value: Ok(pair.kappa),
                interval: pair.interval,
            };
            let of = format!("{name} of {one} and {other}");
            let [kappa, sure] = reasons.figure(&figure, &of);
            vec![
                name.to_owned(),
                one,
                other,
                pair.count.to_string(),
                kappa,
                sure,
            ]
        };
        self.lowest.iter().chain(highest).map(row).collect()
    }
}

/// The rows of a table, and why cells of it have no figure.
#[derive(Default)]
pub(super) struct FigureTable {
    pub(super) rows: Vec<Vec<String>>,
    pub(super) reasons: MissingReasons,
}

impl FigureTable {
    pub(super) fn value(self) -> Value {
        context! { rows => self.rows, reasons => self.reasons.0 }
    }
}

/// The counts of two raters, and whose stand where.
pub(super) struct Counts<'a> {
    /// What they are of, as Markdown.
    name: String,
    /// Of which label; `None` for who wins.
    label: Option<&'a Arc<str>>,
    /// What each category is called.
    values: Vec<String>,
    /// Who stands down and across.
    names: [&'a str; 2],
    /// How often which came together.
    counts: &'a Confusion,
}

impl<'a> Counts<'a> {
    /// Those of labels that were judged, in their order, each as a table or as a grid.
    pub(super) fn of_labels(
        labels: &'a [PairFigures],
        names: [&'a str; 2],
        grids: &mut Option<Vec<CountGrid>>,
    ) -> Vec<Value> {
        let judged = labels.iter().filter(|it| it.confusion.total() > 0);
        let counts = judged.map(|label| {
            let values = (label.range[0]..=label.range[1]).map(|value| value.to_string());
            let counts = Counts {
                name: safe(&label.name),
                label: Some(&label.name),
                values: values.collect(),
                names,
                counts: &label.confusion,
            };
            counts.context(grids)
        });
        counts.collect()
    }

    /// Those of who wins.
    pub(super) fn of_verdicts(counts: &'a Confusion, names: [&'a str; 2]) -> Self {
        Self {
            name: VERDICT.to_owned(),
            label: None,
            values: VerdictCategories::names(counts.categories()),
            names,
            counts,
        }
    }

    /// As a table or, where grids are drawn, as one.
    pub(super) fn context(self, grids: &mut Option<Vec<CountGrid>>) -> Value {
        let (values, counts) = (self.values, self.counts);
        let rows = values.iter().enumerate().map(|(first, value)| {
            let counts = (0..values.len()).map(|second| counts.count(first, second).to_string());
            let row = [format!("**{value}**")].into_iter().chain(counts);
            row.collect::<Vec<_>>()
        });
        let rows: Vec<_> = rows.collect();
        let grid = grids.as_mut().map(|grids| {
            let values = values.iter().map(|value| value.to_lowercase()).collect();
            let grid = CountGrid::of(self.label.cloned(), values, self.names, counts);
            let lines = grid.lines.join("\n");
            grids.push(grid);
            lines
        });
        let [down, across] = self.names.map(|name| safe(&name));
        context! { name => self.name, down, across, values, rows, grid }
    }
}

/// A figure with its interval behind it, for a sentence.
fn with_interval(figure: &Figure) -> String {
    match (&figure.value, &figure.interval) {
        (Err(undefined), _) => undefined.to_string(),
        (Ok(value), None) => two_decimals(*value),
        (Ok(value), Some(Err(undefined))) => {
            let reason = undefined.to_string();
            format!("{} (95 % {})", two_decimals(*value), reason)
        }
        (Ok(value), Some(Ok(Interval { low, high, .. }))) => {
            format!(
                "{} (95 %: {} to {})",
                two_decimals(*value),
                two_decimals(*low),
                two_decimals(*high)
            )
        }
    }
}

/// What stands in a cell where there is no figure.
const NONE: &str = "n/a";

/// Why cells of a table have no figure. It is told once below the table, with the rows that it is
/// about: within cells it would make columns too wide for a terminal.
#[derive(Default)]
pub(super) struct MissingReasons(Vec<(String, Vec<String>)>);

impl MissingReasons {
    fn add(&mut self, reason: String, of: &str) {
        let at = self
            .0
            .iter()
            .position(|(known, _)| *known == reason)
            .unwrap_or_else(|| {
                self.0.push((reason, Vec::new()));
                self.0.len() - 1
            });
        let rows = &mut self.0[at].1;
        if !rows.iter().any(|row| row == of) {
            rows.push(of.to_owned());
        }
    }

    /// The cell of a figure.
    pub(super) fn value(&mut self, figure: &Result<f64, Undefined>, of: &str) -> String {
        figure.map_or_else(
            |undefined| {
                self.add(undefined.to_string(), of);
                NONE.to_owned()
            },
            two_decimals,
        )
    }

    /// The cells of a figure and its interval. What has no figure needs no reason why it has no
    /// interval.
    pub(super) fn figure(&mut self, figure: &Figure, of: &str) -> [String; 2] {
        let sure = match &figure.interval {
            Some(Ok(Interval {
                low,
                high,
                left_out,
            })) => {
                if *left_out > 0 {
                    self.add(format!("95 %: {left_out} resamples left out"), of);
                }
                format!("{}–{}", two_decimals(*low), two_decimals(*high))
            }
            _ if figure.value.is_err() => NONE.to_owned(),
            Some(Err(undefined)) => {
                let reason = undefined.to_string();
                self.add(format!("95 % {reason}"), of);
                NONE.to_owned()
            }
            None => {
                self.add("95 % n/a: no resamples were asked for".to_owned(), of);
                NONE.to_owned()
            }
        };
        [self.value(&figure.value, of), sure]
    }

    /// The cell of a figure that was published or not.
    fn stated(&mut self, figure: Option<f64>, head: &str, of: &str) -> String {
        figure.map_or_else(
            || {
                self.add(format!("{head} n/a: none is stated"), of);
                NONE.to_owned()
            },
            two_decimals,
        )
    }
}

/// So many judgments of so many samples: where each was judged once, samples.
fn judgments(judgments: u64, samples: usize) -> String {
    match judgments == samples as u64 {
        true => counted(judgments as usize, "sample"),
        false => format!(
            "{} of {}",
            counted(judgments as usize, "judgment"),
            counted(samples, "sample")
        ),
    }
}

/// A name that somebody chose, as one line that means nothing in Markdown.
pub(super) fn safe(name: &impl Display) -> String {
    let mut safe = String::new();
    for sign in text::one_line(&name.to_string(), LONG_NAME).chars() {
        if "\\`*[]<>|~#".contains(sign) {
            safe.push('\\');
        }
        safe.push(sign);
    }
    safe
}
