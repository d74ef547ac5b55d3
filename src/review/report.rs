//! Agreement in words: in short for a line, and as Markdown.

use std::fmt::Display;

use minijinja::{Value, context};
use serde::Serialize;

use super::agreement::{AfterRevealFigures, Agreement};
use super::count_grid::AgreementPage;
use super::matrix::PairFigures;
use super::pair_agreement::PairAgreement;
use super::reviewer_agreement::{
    Alpha, FEWEST_IN_COMMON, KappaSpread, MOST_EACH, ReviewerAgreement,
};
use super::template::{render, serialised};
use crate::stats::{FEWEST_CLUSTERS, Figure, Interval, RatingFigures, Undefined};
use crate::text::{self, counted, two_decimals};

/// Cells that [`Agreement::in_short`] takes at most.
const SHORT: usize = 40;
/// Cells that a name takes there.
const NAME: usize = 20;
/// And in Markdown.
const LONG_NAME: usize = 60;
/// What is compared with the dataset, and the dataset.
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
                label.n
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
                    label.n
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
        self.text(false)
    }

    /// The same text for a screen, where matrices are grids that one goes about in.
    pub fn page(&self) -> AgreementPage {
        let of = (&*self.labels, self.verdict.as_ref());
        page(self.text(true), of, WITH_DATASET)
    }

    fn text(&self, on_screen: bool) -> String {
        let reviewers: Vec<_> = self.reviewers.iter().map(safe).collect();
        let of = (&*self.labels, self.verdict.as_ref());
        let context = context! {
            judgments => self.judgments,
            samples => self.samples,
            several => self.judgments > self.samples,
            reviewers,
            most_each => MOST_EACH,
            fewest_in_common => FEWEST_IN_COMMON,
            blind => self.blind,
            hidden => self.hidden,
            gone => self.gone,
            draws => self.draws,
            even => self.even.as_ref().map(safe),
            apart => self.apart.context(),
            repeats => self.consistency.repeats,
            consistency => table(&self.consistency.figures, |of| {
                let distance = Cell::Value(of.distance());
                (subject(of), vec![label(of), count(of.n), kappa(of), equal(of), distance])
            }),
            decided => self.consistency.decided,
            swapped => self.consistency.swapped,
            left => with_interval(&self.consistency.left),
            between => self.between.as_ref().map(ReviewerAgreement::context),
            annotators => table(&self.annotators.0, |(name, of): &(String, RatingFigures)| {
                let figures = [of.kappa, of.equal].map(Cell::Figure);
                let counts = [Cell::Text(safe(name)), count(of.things), count(of.pairs)];
                (safe(name), counts.into_iter().chain(figures).collect())
            }),
            ..compared(of, WITH_DATASET, on_screen)
        };
        render("agreement.md", context)
    }
}

impl PairAgreement {
    /// As Markdown, a section under a second heading; as [`Agreement::markdown`] says.
    pub fn markdown(&self) -> String {
        self.text(false)
    }

    /// The same text for a screen, where matrices are grids that one goes about in.
    pub fn page(&self) -> AgreementPage {
        let of = (&*self.labels, self.verdict.as_ref());
        page(self.text(true), of, self.names())
    }

    fn text(&self, on_screen: bool) -> String {
        let of = (&*self.labels, self.verdict.as_ref());
        let [one, other] = self.names().map(|name| safe(&name));
        let context = context! {
            one,
            other,
            samples => self.samples,
            gone => self.gone,
            draws => self.draws,
            differing => self.differing.len(),
            ..compared(of, self.names(), on_screen)
        };
        render("pair.md", context)
    }

    fn names(&self) -> [&str; 2] {
        self.reviewers.each_ref().map(|name| &**name)
    }
}

/// The figures of labels, and of who wins.
type ComparedFigures<'a> = (&'a [PairFigures], Option<&'a PairFigures>);

/// Those that have a matrix, in the order of the page.
fn with_matrix<'a>(
    (labels, verdict): ComparedFigures<'a>,
) -> impl Iterator<Item = &'a PairFigures> {
    let judged = labels.iter().filter(|label| label.n > 0);
    judged.chain(verdict)
}

fn page(markdown: String, of: ComparedFigures<'_>, names: [&str; 2]) -> AgreementPage {
    let grids = with_matrix(of).map(|figures| figures.grid(names));
    AgreementPage {
        markdown,
        grids: grids.collect(),
    }
}

/// Tables and matrices of two raters; with the published figures if one of them is the dataset.
fn compared(of: ComparedFigures<'_>, names: [&str; 2], on_screen: bool) -> Value {
    let (labels, verdict) = of;
    let published = |of: &PairFigures, head: &'static str| {
        (names == WITH_DATASET).then_some(Cell::Published(of.published, head))
    };
    let matrix = |figures: &PairFigures| {
        let [down, across] = names.map(|name| safe(&name));
        context! {
            name => safe(&figures.name),
            down,
            across,
            categories => serialised(&figures.categories),
            counts => serialised(&figures.confusion),
            grid => on_screen.then(|| figures.grid(names).lines.join("\n")),
        }
    };
    context! {
        labels => table(labels, |of| {
            let cells = [label(of), count(of.n), kappa(of), equal(of), Cell::Value(of.difference.value)];
            let published = published(of, "publ. κ between single annotators");
            (subject(of), cells.into_iter().chain(published).collect())
        }),
        label_samples => labels.iter().map(|label| label.samples).max(),
        verdict => verdict.map(|of| context! { samples => of.samples, several => of.several }),
        verdicts => table(verdict, |of| {
            let published = published(of, "publ. share of single annotators");
            let cells = [count(of.n), equal(of), kappa(of)];
            (subject(of), cells.into_iter().chain(published).collect())
        }),
        matrices => with_matrix((labels, None)).map(matrix).collect::<Vec<_>>(),
        verdict_matrix => verdict.map(matrix),
    }
}

impl AfterRevealFigures {
    fn context(&self) -> Value {
        let became_of_some = self.changed + self.withdrawn + self.put_off > 0;
        let figures = |figures: &[PairFigures]| {
            table(figures, |of| {
                let values = [of.kappa.value, of.equal.value].map(Cell::Value);
                let cells = [label(of), count(of.n)].into_iter().chain(values);
                (subject(of), cells.collect())
            })
        };
        context! {
            changed => self.changed,
            withdrawn => self.withdrawn,
            put_off => self.put_off,
            later => became_of_some.then(|| figures(&self.later)),
            seen => self.seen,
            of_seen => figures(&self.of_seen),
        }
    }
}

impl ReviewerAgreement {
    /// Krippendorff's alpha for each label and for who wins, as a table.
    pub(crate) fn alphas_context(&self) -> Value {
        table(&self.alphas, |of: &Alpha| {
            let cells = vec![
                Cell::Text(safe(&of.name)),
                count(of.units),
                Cell::Figure(of.alpha),
            ];
            (safe(&of.name), cells)
        })
    }

    fn context(&self) -> Value {
        let mut spread = FigureTable::default();
        self.spreads.iter().for_each(|of| of.put(&mut spread));
        let ends = self.spreads.iter().flat_map(KappaSpread::ends);
        context! {
            reviewers => self.reviewers,
            alphas => self.alphas_context(),
            pairs => self.pairs,
            each => table(&self.each, |of| {
                let [one, other] = two(of);
                (subject(of), vec![one, other, label(of), count(of.n), kappa(of), equal(of)])
            }),
            spread => serialised(spread),
            ends => table(ends, |of| {
                let [one, other] = two(of);
                (subject(of), vec![label(of), one, other, count(of.n), kappa(of)])
            }),
        }
    }
}

impl KappaSpread {
    fn put(&self, table: &mut FigureTable) {
        let name = safe(&self.name);
        let left_out = [
            (
                self.few,
                format!("with fewer than {FEWEST_IN_COMMON} in common left out"),
            ),
            (
                self.undefined,
                "who gave one value to everything left out".to_owned(),
            ),
        ];
        for (pairs, why) in left_out.into_iter().filter(|(pairs, _)| *pairs > 0) {
            table.add(format!("{} {why}", counted(pairs, "pair")), &name);
        }
        let end = |ends: &[PairFigures]| {
            let first = ends.first().and_then(|pair| pair.kappa.value.ok());
            Cell::Text(first.map_or(NONE.to_owned(), two_decimals))
        };
        let median = self.median.map_or(NONE.to_owned(), two_decimals);
        let (lowest, highest) = (end(&self.lowest), end(&self.highest));
        let counts = [Cell::Text(name.clone()), count(self.pairs as u64)];
        let cells = [lowest, Cell::Text(median), highest];
        table.push(&name, counts.into_iter().chain(cells));
    }
}

/// A cell of a table; two, with the interval, for a figure.
enum Cell {
    Text(String),
    Figure(Figure),
    Value(Result<f64, Undefined>),
    /// A published figure, and what the column is called.
    Published(Option<f64>, &'static str),
}

fn label(of: &PairFigures) -> Cell {
    Cell::Text(safe(&of.name))
}

fn count(count: u64) -> Cell {
    Cell::Text(count.to_string())
}

fn kappa(of: &PairFigures) -> Cell {
    Cell::Figure(of.kappa)
}

fn equal(of: &PairFigures) -> Cell {
    Cell::Figure(of.equal)
}

fn two(of: &PairFigures) -> [Cell; 2] {
    let names = of.reviewers.as_ref().map(|two| two.each_ref().map(safe));
    names.unwrap_or_default().map(Cell::Text)
}

/// What figures are about, where it is said why there are none.
fn subject(of: &PairFigures) -> String {
    let name = safe(&of.name);
    match &of.reviewers {
        Some([one, other]) => format!("{name} of {} and {}", safe(one), safe(other)),
        None => name,
    }
}

/// The contents of a cell without a figure.
const NONE: &str = "n/a";

/// A table of figures. Why a cell has none is said once below it, with the rows that it is about:
/// within cells it would make columns too wide for a terminal.
#[derive(Default, Serialize)]
struct FigureTable {
    rows: Vec<Vec<String>>,
    reasons: Vec<(String, Vec<String>)>,
}

/// A table of what `cells` makes of each item: what it is about, and its cells.
fn table<'t, T: 't>(
    items: impl IntoIterator<Item = &'t T>,
    cells: impl Fn(&T) -> (String, Vec<Cell>),
) -> Value {
    let mut table = FigureTable::default();
    for item in items {
        let (of, cells) = cells(item);
        table.push(&of, cells);
    }
    serialised(table)
}

impl FigureTable {
    fn push(&mut self, of: &str, cells: impl IntoIterator<Item = Cell>) {
        let mut row = Vec::new();
        for cell in cells {
            match cell {
                Cell::Text(text) => row.push(text),
                Cell::Value(value) => row.push(self.value(value, of)),
                Cell::Figure(figure) => {
                    let sure = self.interval(&figure, of);
                    row.extend([self.value(figure.value, of), sure]);
                }
                Cell::Published(Some(figure), _) => row.push(two_decimals(figure)),
                Cell::Published(None, head) => {
                    row.push(self.none(format!("{head} n/a: none is stated"), of));
                }
            }
        }
        self.rows.push(row);
    }

    fn add(&mut self, reason: String, of: &str) {
        let known = self.reasons.iter().position(|(known, _)| *known == reason);
        let at = known.unwrap_or_else(|| {
            self.reasons.push((reason, Vec::new()));
            self.reasons.len() - 1
        });
        let rows = &mut self.reasons[at].1;
        if !rows.iter().any(|row| row == of) {
            rows.push(of.to_owned());
        }
    }

    fn none(&mut self, reason: String, of: &str) -> String {
        self.add(reason, of);
        NONE.to_owned()
    }

    fn value(&mut self, figure: Result<f64, Undefined>, of: &str) -> String {
        figure.map_or_else(|why| self.none(why.to_string(), of), two_decimals)
    }

    /// The interval of a figure. What has no figure needs no reason why it has no interval.
    fn interval(&mut self, figure: &Figure, of: &str) -> String {
        match &figure.interval {
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
            Some(Err(why)) => self.none(format!("95 % {why}"), of),
            None => self.none("95 % n/a: no resamples were asked for".to_owned(), of),
        }
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
        let figure = words(*figure, label.n);
        context! { label => safe(&label.name), figure }
    };
    Some(context! {
        lowest => end(lowest),
        highest => others.last().map(end),
        clear => others.iter().all(is_below),
    })
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
fn safe(name: &impl Display) -> String {
    let mut safe = String::new();
    for sign in text::one_line(&name.to_string(), LONG_NAME).chars() {
        if "\\`*[]<>|~#".contains(sign) {
            safe.push('\\');
        }
        safe.push(sign);
    }
    safe
}
