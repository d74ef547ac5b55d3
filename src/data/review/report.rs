//! Agreement in words: short for the status line, and as Markdown.

use std::fmt::Display;

use minijinja::{Value, context};
use serde::Serialize;

use super::agreement::{AfterRevealFigures, Agreement};
use super::count_grid::AgreementPage;
use super::matrix::PairFigures;
use super::pair_agreement::PairAgreement;
use super::reviewer_agreement::{Alpha, MAX_EACH, ReviewerAgreement};
use super::template::{render, serialised};
use crate::stats::{FEWEST_CLUSTERS, Figure, Interval, RatingFigures, Undefined};
use crate::text::{self, counted, two_decimals};

/// Maximum width of [`Agreement::in_short`], in cells.
const SHORT: usize = 40;
/// Maximum width of a name there, in cells.
const NAME: usize = 20;
/// Maximum width of a name in Markdown, in cells.
const LONG_NAME: usize = 60;
/// Maximum number of listed samples on which two reviewers differ.
const MAX_LISTED: usize = 50;
/// Names of the raters when judgments are compared with the dataset.
const WITH_DATASET: [&str; 2] = ["the reviewer", "the dataset"];

impl Agreement {
    /// Returns the first figures for the status line, at most 40 cells; empty if there are none
    /// yet: a label's kappa (or the share of equal values if it has none), with the number of
    /// responses (for verdicts: judgments) in parentheses. Kappa of fewer than ten judgments is
    /// shown as a dash, because it would be meaningless.
    pub fn in_short(&self) -> String {
        let name = |label: &PairFigures| text::one_line(&label.name, NAME);
        let kappas = self.labels.iter().filter_map(|label| {
            let kappa = label.kappa.value.ok()?;
            if self.judgments < FEWEST_CLUSTERS {
                return Some(format!("κ {} – ({} judged)", name(label), self.judgments));
            }
            let kappa = two_decimals(kappa);
            Some(format!("κ {} {kappa} ({})", name(label), label.n))
        });
        let has_no_kappa = |label: &&PairFigures| label.kappa.value.is_err();
        let shares = self
            .labels
            .iter()
            .filter(has_no_kappa)
            .chain(&self.verdict)
            .filter_map(|of| {
                let equal = two_decimals(of.equal.value.ok()?);
                Some(format!("{} {equal} equal ({})", name(of), of.n))
            });
        let mut short = String::new();
        for figure in kappas.chain(shares) {
            let between = if short.is_empty() { "" } else { " · " };
            if text::width(&short) + text::width(between) + text::width(&figure) > SHORT {
                break;
            }
            short = short + between + &figure;
        }
        short
    }

    /// Returns the result for the first page of a report as Markdown: sentences, and bars of the
    /// agreement with the dataset and between reviewers.
    pub fn first_page(&self) -> String {
        let equal = |of: &Figure, n| {
            let values = counted(n as usize, "value");
            format!("the same in {}", share_in_words(of, &values))
        };
        let agreement = self
            .label_range(0, kappa_in_words)
            .or_else(|| self.label_range(1, equal));
        let mean = |of: &Figure, n| named_figure("", of, n).replacen(", ", " (", 1) + ")";
        let difference = self.label_range(2, mean);
        let verdict = self.verdict.as_ref();
        let who = match &*self.reviewers {
            [one] => escape_name(one),
            _ => "The reviewers".to_owned(),
        };
        let main = self.main_question();
        let between = self.between.as_ref().zip(main);
        let of = |of: &PairFigures| judgments(of.n, of.samples);
        render(
            "result.md",
            context! {
                who,
                verdict => verdict.map(|it| agreement_in_words(it, &of(it))),
                range => agreement,
                difference,
                even => self.even.as_ref().map(escape_name),
                heading => main.map(|main| if main.is_label { format!("The same {}", escape_name(&main.name)) } else { "The same verdict".to_owned() }),
                bars => self.bars(main),
                ..between.map_or_else(
                    || context! { between => self.between.is_some(), pairs => Vec::<Value>::new(), alpha => () },
                    |(between, main)| between.in_words(main),
                )
            },
        )
    }

    /// Returns the labels with the lowest and the highest kappa, share of equal values, or size of
    /// the mean difference (place 0, 1 or 2), and whether there are too `few` samples for intervals.
    /// `None` if no label has the figure.
    fn label_range(&self, place: usize, words: impl Fn(&Figure, u64) -> String) -> Option<Value> {
        let figure = |of: &PairFigures| [of.kappa, of.equal, of.difference][place];
        let of_label = self.labels.iter().map(|label| (label, figure(label)));
        let mut figures: Vec<_> = of_label
            .filter(|(_, figure)| figure.value.is_ok())
            .collect();
        let order = |figure: &Figure| {
            let value = figure.value.unwrap_or(f64::NAN);
            if place == 2 { -value.abs() } else { value }
        };
        figures.sort_by(|(_, one), (_, other)| order(one).total_cmp(&order(other)));
        let (lowest, others) = figures.split_first()?;
        let end = |(label, figure): &(&PairFigures, Figure)| {
            let figure = words(figure, label.n);
            context! { label => escape_name(&label.name), figure }
        };
        Some(context! {
            lowest => end(lowest),
            highest => others.last().map(end),
            few => lowest.1.ends().is_none(),
        })
    }

    /// Returns the most important question: the verdict, or else the label with the lowest kappa.
    fn main_question(&self) -> Option<&PairFigures> {
        let kappa = |of: &PairFigures| of.kappa.value.unwrap_or(f64::INFINITY);
        let judged = self.labels.iter().filter(|label| label.n > 0);
        let lowest = judged.min_by(|one, other| kappa(one).total_cmp(&kappa(other)));
        self.verdict.as_ref().or(lowest)
    }

    /// Returns bars of the agreement with the dataset and between reviewers (for one reviewer, with
    /// themself).
    fn bars(&self, main: Option<&PairFigures>) -> Vec<Value> {
        let Some(main) = main else { return Vec::new() };
        let things = if main.is_label { "response" } else { "sample" };
        let with_dataset = match &*self.reviewers {
            [one] => format!("{} and the dataset", escape_name(one)),
            _ => "Reviewers and the dataset".to_owned(),
        };
        let mut repeated = self.consistency.figures.iter();
        let repeated = repeated.find(|of| of.name == main.name && of.n > 0);
        let mut all = vec![bar_row(&with_dataset, &main.equal, main.n, "judgment")];
        all.extend(match &self.between {
            Some(between) => between.bar(main, things),
            None => {
                repeated.map(|of| bar_row("First and second judgment", &of.equal, of.n, things))
            }
        });
        all
    }

    /// Returns tables of figures with explanations as Markdown; missing figures are `n/a`, with the
    /// reason below the table. Begins with a second-level heading.
    pub fn markdown(&self) -> String {
        self.text(false)
    }

    /// Returns the same text for the screen, with matrices as grids.
    pub fn page(&self) -> AgreementPage {
        let of = (&*self.labels, self.verdict.as_ref());
        page(self.text(true), of, WITH_DATASET)
    }

    fn text(&self, on_screen: bool) -> String {
        let reviewers: Vec<_> = self.reviewers.iter().map(escape_name).collect();
        let of = (&*self.labels, self.verdict.as_ref());
        let context = context! {
            judgments => self.judgments,
            samples => self.samples,
            several => self.judgments > self.samples,
            reviewers,
            most_each => MAX_EACH,
            blind => self.blind,
            hidden => self.hidden,
            gone => self.gone,
            intervals => intervals(
                self.labels.iter().chain(&self.verdict).chain(&self.consistency.figures)
                    .chain(self.between.iter().flat_map(|between| &between.each)),
            ),
            even => self.even.as_ref().map(escape_name),
            apart => self.apart.context(),
            by_reviewer => serialised(&self.by_reviewer),
            repeats => self.consistency.repeats,
            consistency => table(&self.consistency.figures, |of| {
                let distance = Cell::Value(of.distance());
                (subject(of), vec![label(of), n_of(of), kappa(of), equal(of), distance])
            }),
            swapped => self.consistency.swapped,
            left => (self.consistency.decided > 0).then(|| {
                let decided = counted(self.consistency.decided as usize, "verdict");
                share_in_words(&self.consistency.left, &decided)
            }),
            between => self.between.as_ref().map(ReviewerAgreement::context),
            annotators => table(&self.annotators.0, |(name, of): &(String, RatingFigures)| {
                let figures = [of.kappa, of.equal].map(Cell::Figure);
                let counts = [Cell::Text(escape_name(name)), count(of.things), count(of.pairs)];
                (escape_name(name), counts.into_iter().chain(figures).collect())
            }),
            ..compared(of, WITH_DATASET, on_screen)
        };
        render("agreement.md", context)
    }
}

impl PairAgreement {
    /// Returns a section of Markdown like [`Agreement::markdown`].
    pub fn markdown(&self) -> String {
        self.text(false)
    }

    /// Returns the same text for the screen, with matrices as grids.
    pub fn page(&self) -> AgreementPage {
        let of = (&*self.labels, self.verdict.as_ref());
        page(self.text(true), of, self.names())
    }

    fn text(&self, on_screen: bool) -> String {
        let of = (&*self.labels, self.verdict.as_ref());
        let [one, other] = self.names().map(|name| escape_name(&name));
        let context = context! {
            one,
            other,
            samples => self.samples,
            gone => self.gone,
            intervals => intervals(self.labels.iter().chain(&self.verdict)),
            differing => self.differing.len(),
            differing_samples => self.differing.iter().take(MAX_LISTED).map(|it| it.sample + 1).collect::<Vec<_>>(),
            ..compared(of, self.names(), on_screen)
        };
        render("pair.md", context)
    }

    fn names(&self) -> [&str; 2] {
        self.reviewers.each_ref().map(|name| &**name)
    }
}

/// The figures of labels and of the verdict.
type ComparedFigures<'a> = (&'a [PairFigures], Option<&'a PairFigures>);

/// Returns the figures that have a matrix, in the order of the page.
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

/// Returns tables and matrices of two raters, with published figures if one is the dataset.
fn compared(of: ComparedFigures<'_>, names: [&str; 2], on_screen: bool) -> Value {
    let (labels, verdict) = of;
    let published = |of: &PairFigures, head: &'static str| {
        (names == WITH_DATASET).then_some(Cell::Published(of.published, head))
    };
    let matrix = |figures: &PairFigures| {
        let [down, across] = names.map(|name| escape_name(&name));
        context! {
            name => escape_name(&figures.name),
            down,
            across,
            categories => serialised(&figures.categories),
            counts => serialised(&figures.confusion),
            grid => on_screen.then(|| figures.grid(names).lines.join("\n")),
        }
    };
    context! {
        labels => table(labels, |of| {
            let cells = [label(of), n_of(of), kappa(of), equal(of), Cell::Value(of.difference.value)];
            let published = published(of, "publ. κ of single annotators");
            (subject(of), cells.into_iter().chain(published).collect())
        }),
        label_samples => labels.iter().map(|label| label.samples).max(),
        verdict => verdict.map(|of| context! { samples => of.samples, several => of.several }),
        verdicts => table(verdict, |of| {
            let published = published(of, "publ. share of single annotators");
            let cells = [n_of(of), equal(of), kappa(of)];
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
                let cells = [label(of), n_of(of)].into_iter().chain(values);
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

/// Maximum number of pairs of reviewers with one sentence each.
const MAX_SENTENCES: usize = 3;

impl ReviewerAgreement {
    /// Returns the figures about the question for each pair with answers in common.
    fn pairs_of<'a>(&'a self, main: &'a PairFigures) -> impl Iterator<Item = &'a PairFigures> {
        let is_of = |of: &&PairFigures| of.name == main.name && of.is_label == main.is_label;
        self.each.iter().filter(is_of).filter(|of| of.n > 0)
    }

    fn alpha_of(&self, main: &PairFigures) -> Option<&Alpha> {
        // The verdict is last, even if a label has the same name.
        let of = |alpha: &&Alpha| alpha.name == main.name && alpha.units > 0;
        if main.is_label {
            self.alphas.iter().find(of)
        } else {
            self.alphas.iter().rfind(of)
        }
    }

    /// Returns the agreement of reviewers with each other about a question, for sentences.
    fn in_words(&self, main: &PairFigures) -> Value {
        let pairs: Vec<_> = self.pairs_of(main).collect();
        let is_each = (1..=MAX_SENTENCES).contains(&pairs.len());
        let sentence = |of: &&PairFigures| {
            let [one, other] = of.reviewers.as_ref()?.each_ref().map(escape_name);
            let things = if of.is_label { "response" } else { "sample" };
            Some(context! {
                one, other, what => escape_name(&of.name),
                agreement => agreement_in_words(of, &counted(of.n as usize, things)),
            })
        };
        let alpha = self.alpha_of(main).filter(|_| !is_each);
        let pairs = pairs.iter().filter(|_| is_each).filter_map(sentence);
        context! {
            between => true,
            pairs => pairs.collect::<Vec<_>>(),
            alpha => alpha.map(|alpha| context! {
                reviewers => self.reviewers,
                what => if main.is_label { escape_name(&main.name) } else { "who wins".to_owned() },
                figure => named_figure("Krippendorff's α ", &alpha.alpha, alpha.units),
            }),
        }
    }

    /// Returns a bar of all reviewers about a question.
    fn bar(&self, main: &PairFigures, things: &str) -> Option<Value> {
        let pairs: Vec<_> = self.pairs_of(main).collect();
        if let [of] = &*pairs {
            let [one, other] = of.reviewers.as_ref()?.each_ref().map(escape_name);
            let what = format!("{one} and {other}");
            return Some(bar_row(&what, &of.equal, of.n, things));
        }
        let Alpha { equal, units, .. } = self.alpha_of(main)?;
        Some(bar_row("Reviewers and each other", equal, *units, things))
    }

    fn context(&self) -> Value {
        context! {
            reviewers => self.reviewers,
            alphas => table(&self.alphas, |of| {
                let name = escape_name(&of.name);
                (name.clone(), vec![Cell::Text(name), count(of.units), Cell::Figure(of.alpha)])
            }),
            each => table(&self.each, |of| {
                let names = of.reviewers.iter().flatten().map(|name| Cell::Text(escape_name(name)));
                (subject(of), names.chain([label(of), n_of(of), kappa(of), equal(of)]).collect())
            }),
        }
    }
}

/// A table cell; a figure becomes two, with its interval.
enum Cell {
    Text(String),
    Figure(Figure),
    Value(Result<f64, Undefined>),
    /// A published figure, and the heading of its column.
    Published(Option<f64>, &'static str),
}

fn label(of: &PairFigures) -> Cell {
    Cell::Text(escape_name(&of.name))
}

fn count(count: u64) -> Cell {
    Cell::Text(count.to_string())
}

/// Returns the number of pairs, with that of kappa if it skips some.
fn n_of(of: &PairFigures) -> Cell {
    Cell::Text(match of.several {
        0 => of.n.to_string(),
        _ => format!("{} (κ: {})", of.n, of.n_of_kappa()),
    })
}

fn kappa(of: &PairFigures) -> Cell {
    Cell::Figure(of.kappa)
}

fn equal(of: &PairFigures) -> Cell {
    Cell::Figure(of.equal)
}

/// Returns the name of figures in explanations of missing values.
fn subject(of: &PairFigures) -> String {
    let name = escape_name(&of.name);
    match &of.reviewers {
        Some([one, other]) => format!("{name} of {} and {}", escape_name(one), escape_name(other)),
        None => name,
    }
}

/// Content of a cell without a figure.
const NONE: &str = "n/a";

/// A table of figures. Reasons for missing figures are listed below it with their rows, because
/// they would make columns too wide for a terminal.
#[derive(Default, Serialize)]
struct FigureTable {
    rows: Vec<Vec<String>>,
    reasons: Vec<(String, Vec<String>)>,
}

/// Returns a table with a row for each item: its subject and its cells.
fn table<'t, T: 't>(
    items: impl IntoIterator<Item = &'t T>,
    cells: impl Fn(&T) -> (String, Vec<Cell>),
) -> Value {
    let mut table = FigureTable::default();
    for item in items {
        let ((of, cells), mut row) = (cells(item), Vec::new());
        for cell in cells {
            match cell {
                Cell::Text(text) => row.push(text),
                Cell::Value(value) => row.push(table.value(value, &of)),
                Cell::Figure(figure) => {
                    let sure = table.interval(&figure, &of);
                    row.extend([table.value(figure.value, &of), sure]);
                }
                Cell::Published(Some(figure), _) => row.push(two_decimals(figure)),
                Cell::Published(None, head) => {
                    row.push(table.none(format!("{head} n/a: not published"), &of));
                }
            }
        }
        table.rows.push(row);
    }
    serialised(table)
}

impl FigureTable {
    /// Adds a reason for a missing figure; returns the content of its cell.
    fn none(&mut self, reason: String, of: &str) -> String {
        let known = self.reasons.iter().position(|(known, _)| *known == reason);
        let at = known.unwrap_or_else(|| {
            self.reasons.push((reason, Vec::new()));
            self.reasons.len() - 1
        });
        let rows = &mut self.reasons[at].1;
        if !rows.iter().any(|row| row == of) {
            rows.push(of.to_owned());
        }
        NONE.to_owned()
    }

    fn value(&mut self, figure: Result<f64, Undefined>, of: &str) -> String {
        figure.map_or_else(|why| self.none(why.to_string(), of), two_decimals)
    }

    /// Formats the interval of a figure. Without a figure, no reason is given.
    fn interval(&mut self, figure: &Figure, of: &str) -> String {
        match &figure.interval {
            Some(Ok(Interval { low, high })) => format!(
                "{}{}{}",
                two_decimals(*low),
                if *low < 0.0 { " to " } else { "–" },
                two_decimals(*high)
            ),
            Some(Err(why)) if figure.value.is_ok() => self.none(format!("95 % {why}"), of),
            _ => NONE.to_owned(),
        }
    }
}

/// Returns a row of the bars on the first page.
fn bar_row(what: &str, figure: &Figure, n: u64, noun: &str) -> Value {
    let value = figure.value.ok();
    let ends = figure.ends();
    let of_value = value.unwrap_or_default();
    context! {
        what,
        bar => text::bar(of_value, ends.unwrap_or([of_value; 2])),
        share => value.map_or(NONE.to_owned(), percent),
        interval => ends.map_or(NONE.to_owned(), range_of_shares),
        n => counted(n as usize, noun),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn range_of_shares([low, high]: [f64; 2]) -> String {
    format!("{:.0}–{:.0} %", low * 100.0, high * 100.0)
}

/// Formats a number for a sentence, with a minus sign instead of a hyphen.
fn with_minus_sign(value: f64) -> String {
    two_decimals(value).replace('-', "−")
}

/// Counts the figures of a page with an interval.
fn intervals<'f>(figures: impl IntoIterator<Item = &'f PairFigures>) -> usize {
    let both = figures.into_iter().flat_map(|of| [of.kappa, of.equal]);
    both.filter(|figure| figure.ends().is_some()).count()
}

/// Formats a share for a sentence: `32 % of 38 judgments (95 % CI 19–47 %)`.
fn share_in_words(figure: &Figure, of: &str) -> String {
    let Ok(value) = figure.value else {
        return format!("{NONE} of {of}");
    };
    let sure = interval_in_words(figure, range_of_shares);
    let sure = sure.map(|sure| format!(" ({sure})")).unwrap_or_default();
    format!("{} of {of}{sure}", percent(value))
}

/// Returns equal answers for a sentence, with the ties among them, the share that chance would reach
/// if several responses are best, and kappa, which skips those.
fn agreement_in_words(of: &PairFigures, things: &str) -> Value {
    // The same reason twice in a sentence says no more.
    let has_own_interval = |interval: &_| of.equal.interval != Some(*interval);
    let interval = of.kappa.interval.filter(has_own_interval);
    let kappa = Figure {
        interval,
        ..of.kappa
    };
    context! {
        equal => share_in_words(&of.equal, things),
        ties => of.ties(),
        chance => of.equal_by_chance.map(percent),
        kappa => kappa_in_words(&kappa, of.n_of_kappa()),
    }
}

fn kappa_in_words(figure: &Figure, n: u64) -> String {
    named_figure("κ ", figure, n)
}

/// Formats a figure for a sentence: `κ 0.52, 95 % CI 0.20–0.81, n = 20`.
fn named_figure(name: &str, figure: &Figure, n: u64) -> String {
    let value = figure
        .value
        .map_or_else(|why| why.to_string(), with_minus_sign);
    let sure = interval_in_words(figure, |ends| {
        let between = if ends[0] < 0.0 { " to " } else { "–" };
        ends.map(with_minus_sign).join(between)
    });
    let sure = sure.map(|sure| format!(", {sure}")).unwrap_or_default();
    format!("{name}{value}{sure}, n = {}", text::grouped(n as usize))
}

/// Formats `95 % CI` with its ends, or the reason why there is none. `None` without a figure, or if
/// no interval was requested.
fn interval_in_words(figure: &Figure, ends: impl Fn([f64; 2]) -> String) -> Option<String> {
    figure.value.ok()?;
    Some(match figure.interval.as_ref()? {
        Ok(Interval { low, high }) => format!("95 % CI {}", ends([*low, *high])),
        Err(why) => format!("95 % CI {why}"),
    })
}

/// Formats the number of judgments and samples; only samples if each was judged once.
fn judgments(judgments: u64, samples: usize) -> String {
    if judgments == samples as u64 {
        counted(judgments as usize, "sample")
    } else {
        format!(
            "{} of {}",
            counted(judgments as usize, "judgment"),
            counted(samples, "sample")
        )
    }
}

/// Formats a user-defined name as one line, escaped for Markdown.
fn escape_name(name: &impl Display) -> String {
    text::escape_markdown(&text::one_line(&name.to_string(), LONG_NAME))
}
