//! Agreement in words: short for the status line, and as Markdown.

use std::fmt::Display;

use minijinja::{Value, context};

use super::agreement::{AfterRevealFigures, Agreement};
use super::judgment_table::{CategoryName, PairFigures};
use super::pair_agreement::PairAgreement;
use super::rater_figures::RaterFigures;
use super::reviewer_agreement::{Alpha, MAX_EACH, ReviewerAgreement};
use super::template::render;
use crate::answer::{Answer, AnswerCell, AnswerColumn, AnswerTable, AnswerTables, FEWEST};
use crate::stats::{FEWEST_CLUSTERS, Figure, Interval, RatingFigures};
use crate::text::{self, counted, two_decimals};

/// Maximum width of [`Agreement::in_short`], in cells.
const SHORT: usize = 40;
/// Maximum width of a name there, in cells.
const NAME: usize = 20;
/// Maximum width of a name in Markdown, in cells.
const LONG_NAME: usize = 60;
/// Maximum number of listed samples on which two reviewers differ, and of listed raters.
const MAX_LISTED: usize = 50;
/// Names of the raters when judgments are compared with the dataset.
const WITH_DATASET: [&str; 2] = ["the reviewer", "the dataset"];

impl Agreement {
    /// Returns the first figures for the status line, at most 40 cells; empty if there are none
    /// yet: a label's kappa (or the share of equal values if it has none), with the number of
    /// responses (for verdicts: judgments) in parentheses. Empty below ten judgments; kappa of fewer
    /// than 15 is shown as a dash, because it would be meaningless.
    pub fn in_short(&self) -> String {
        if self.judgments < FEWEST {
            return String::new();
        }
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
        self.result(|bars| bars.markdown())
    }

    /// Returns the result as Markdown, with its bars as `put` returns them.
    fn result(&self, put: impl FnOnce(AnswerTable) -> String) -> String {
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
                bars => main.map(|main| put(self.bars(main))),
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
    fn bars(&self, main: &PairFigures) -> AnswerTable {
        let things = if main.is_label { "response" } else { "sample" };
        let with_dataset = match &*self.reviewers {
            [one] => format!("{} · dataset", escape_name(one)),
            _ => "Reviewers · dataset".to_owned(),
        };
        let mut repeated = self.consistency.figures.iter();
        let repeated = repeated.find(|of| of.name == main.name && of.n > 0);
        let mut rows = vec![bar_row(&with_dataset, &main.equal, main.n, "judgment")];
        rows.extend(match &self.between {
            Some(between) => between.bar(main, things),
            None => {
                repeated.map(|of| bar_row("First and second judgment", &of.equal, of.n, things))
            }
        });
        let what = match main.is_label {
            true => format!("The same {}", escape_name(&main.name)),
            false => "The same verdict".to_owned(),
        };
        AnswerTable::with_heads(&[&what, "", "share", "95 % CI", "n"], rows)
    }

    /// Returns the result in words and bars, then all tables of figures, and last how to read them,
    /// below a second-level heading. Cells of matrices lead to the samples that `find` finds.
    pub fn answer(&self, find: FindSpot<'_>) -> Answer {
        let mut tables = AnswerTables::default();
        let is_judged = self.judgments > 0;
        let result = is_judged.then(|| self.result(|bars| tables.put(bars)));
        self.with_result(result, tables, find)
    }

    /// Returns the tables of figures without the result, which a report has on its first page.
    pub fn figures(&self) -> Answer {
        self.with_result(None, AnswerTables::default(), &no_spot)
    }

    fn with_result(
        &self,
        result: Option<String>,
        mut tables: AnswerTables,
        find: FindSpot<'_>,
    ) -> Answer {
        let reviewers: Vec<_> = self.reviewers.iter().map(escape_name).collect();
        let of = (&*self.labels, self.verdict.as_ref());
        let compared = compared(of, WITH_DATASET, find, &mut tables);
        let between = self.between.as_ref();
        let context = context! {
            result => result.map(|result| result.trim().to_owned()),
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
            apart => self.apart.context(&mut tables),
            question => self.raters.first().map(|rater| escape_name(&rater.question)),
            raters => tables.put(raters(&self.raters, find)),
            unlisted => self.raters.len().saturating_sub(MAX_LISTED),
            repeats => self.consistency.repeats,
            consistency => tables.put(AnswerTable::of(
                &[LABEL, N, KAPPA, KAPPA_INTERVAL, EQUAL, EQUAL_INTERVAL, DISTANCE],
                self.consistency.figures.iter().filter(|of| of.n > 0),
            )),
            swapped => self.consistency.swapped,
            left => (self.consistency.decided > 0).then(|| {
                let decided = counted(self.consistency.decided as usize, "verdict");
                share_in_words(&self.consistency.left, &decided)
            }),
            between => between.map(|between| between.context(&mut tables)),
            annotators => tables.put(AnswerTable::of(ANNOTATOR_COLUMNS, &self.annotators.0)),
            ..compared
        };
        tables.answer(&render("agreement.md", context))
    }
}

impl PairAgreement {
    /// Returns a section like [`Agreement::answer`].
    pub fn answer(&self, find: FindSpot<'_>) -> Answer {
        let mut tables = AnswerTables::default();
        let names = self.reviewers.each_ref().map(|name| &**name);
        let of = (&*self.labels, self.verdict.as_ref());
        let compared = compared(of, names, find, &mut tables);
        let [one, other] = names.map(|name| escape_name(&name));
        let context = context! {
            one,
            other,
            samples => self.samples,
            gone => self.gone,
            intervals => intervals(self.labels.iter().chain(&self.verdict)),
            differing => self.differing.len(),
            differing_samples => self.differing.iter().take(MAX_LISTED).map(|it| it.sample + 1).collect::<Vec<_>>(),
            ..compared
        };
        tables.answer(&render("pair.md", context))
    }
}

/// What a cell of an answer about agreement counts.
#[derive(Debug, Clone, Copy)]
pub enum AnswerSpot<'a> {
    /// Samples whose judgments about a label (the verdict for `None`) have these values.
    Values(Option<&'a str>, [&'a str; 2]),
    /// Samples on which a rater differs from others.
    Rater(&'a RaterFigures),
}

/// Returns the query for the samples of a cell; `None` if it does not lead to any.
pub type FindSpot<'a> = &'a dyn Fn(AnswerSpot<'_>) -> Option<String>;

/// Finds no samples, for answers that are only read.
pub const fn no_spot(_: AnswerSpot<'_>) -> Option<String> {
    None
}

/// The figures of labels and of the verdict.
type ComparedFigures<'a> = (&'a [PairFigures], Option<&'a PairFigures>);

/// Returns tables and matrices of two raters, with published figures if one is the dataset.
fn compared(
    (labels, verdict): ComparedFigures<'_>,
    names: [&str; 2],
    find: FindSpot<'_>,
    tables: &mut AnswerTables,
) -> Value {
    let mut label_columns = vec![
        LABEL,
        N,
        KAPPA,
        KAPPA_INTERVAL,
        EQUAL,
        EQUAL_INTERVAL,
        DIFFERENCE,
    ];
    let mut verdict_columns = vec![OF_VERDICT, N, EQUAL, EQUAL_INTERVAL, KAPPA, KAPPA_INTERVAL];
    if names == WITH_DATASET {
        label_columns.push(PUBLISHED_KAPPA);
        verdict_columns.push(PUBLISHED_SHARE);
    }
    let [down, across] = names.map(|name| escape_name(&name));
    let mut matrix = |figures: &PairFigures| {
        context! {
            name => escape_name(&figures.name),
            down => &*down,
            across => &*across,
            matrix => tables.put(figures.matrix(find)),
        }
    };
    let judged = labels.iter().filter(|label| label.n > 0);
    let matrices: Vec<_> = judged.clone().map(&mut matrix).collect();
    let verdict_matrix = verdict.map(matrix);
    context! {
        labels => tables.put(AnswerTable::of(&label_columns, judged)),
        label_samples => labels.iter().map(|label| label.samples).max(),
        verdict => verdict.map(|of| context! { samples => of.samples, several => of.several }),
        verdicts => tables.put(AnswerTable::of(&verdict_columns, verdict)),
        matrices,
        verdict_matrix,
    }
}

impl PairFigures {
    /// Returns the counts of answers: the first rater's down, the other's across, those that agree
    /// in bold.
    fn matrix(&self, find: FindSpot<'_>) -> AnswerTable {
        let label = self.is_label.then_some(&*self.name);
        let spelled = |category: &CategoryName| match category {
            CategoryName::Value(value) => value.to_string(),
            CategoryName::Word(word) => (*word).to_owned(),
        };
        let values: Vec<_> = self.categories.iter().map(spelled).collect();
        let shown = values.iter().map(|value| match &**value {
            "tie" => value.clone(),
            response => response.to_uppercase(),
        });
        let shown: Vec<_> = shown.collect();
        let cell = |first: usize, second: usize| {
            let count = self.confusion.count(first, second);
            let words = match count {
                0 => "·".to_owned(),
                _ if first == second => format!("**{count}**"),
                _ => count.to_string(),
            };
            let cell = AnswerCell::number(words);
            let spot = AnswerSpot::Values(label, [&values[first], &values[second]]);
            match count {
                0 => cell.found_by(Some(Err(NO_SAMPLE.to_owned()))),
                _ => cell.found_by(find(spot).map(Ok)),
            }
        };
        let rows = (0..values.len()).map(|first| {
            let head = AnswerCell::markdown(format!("**{}**", shown[first]));
            let cells = (0..values.len()).map(|second| cell(first, second));
            [head].into_iter().chain(cells).collect()
        });
        let rows = rows.collect();
        let heads: Vec<_> = [String::new()].into_iter().chain(shown).collect();
        AnswerTable::with_heads(&heads, rows)
    }
}

/// Returns a row for each rater, whose name leads to the samples on which they differ from others.
fn raters(raters: &[RaterFigures], find: FindSpot<'_>) -> AnswerTable {
    let heads = [
        "", "n", "κ", "95 %", "equal", "ties", "A", "lowest", "highest", "seconds",
    ];
    let row = |of: &RaterFigures| {
        let name = AnswerCell::markdown(escape_name(&of.name));
        let share = |of: &Figure| AnswerCell::number(of.value.map_or(String::new(), percent));
        let seconds = of
            .seconds
            .map_or(String::new(), |seconds| format!("{seconds:.0}"));
        vec![
            name.found_by(find(AnswerSpot::Rater(of)).map(Ok)),
            AnswerCell::number(of.n.to_string()),
            AnswerCell::figure(of.kappa.value),
            AnswerCell::interval(&of.kappa),
            share(&of.equal),
            share(&of.ties),
            share(&of.first),
            share(&of.lowest),
            share(&of.highest),
            AnswerCell::number(seconds),
        ]
    };
    let mut listed: Vec<_> = raters.iter().collect();
    if listed.len() > MAX_LISTED {
        let kappa = |of: &&RaterFigures| of.kappa.value.unwrap_or(f64::INFINITY);
        listed.sort_by(|one, other| kappa(one).total_cmp(&kappa(other)));
        listed.truncate(MAX_LISTED);
    }
    AnswerTable::with_heads(&heads, listed.into_iter().map(row).collect())
}

/// The notice for a cell of a matrix that counts nothing.
const NO_SAMPLE: &str = "No sample is in this cell.";

type PairColumn = AnswerColumn<PairFigures>;

const LABEL: PairColumn = ("", "label", |of| {
    AnswerCell::markdown(escape_name(&of.name))
});
const OF_VERDICT: PairColumn = ("", "", LABEL.2);
/// The number of pairs, with that of kappa if it skips some.
const N: PairColumn = ("", "n", |of| {
    AnswerCell::number(match of.several {
        0 => of.n.to_string(),
        _ => format!("{} (κ: {})", of.n, of.n_of_kappa()),
    })
});
const KAPPA: PairColumn = ("", "κ", |of| AnswerCell::figure(of.kappa.value));
const KAPPA_INTERVAL: PairColumn = ("", "95 %", |of| AnswerCell::interval(&of.kappa));
const EQUAL: PairColumn = ("", "equal", |of| AnswerCell::figure(of.equal.value));
const EQUAL_INTERVAL: PairColumn = ("", "95 %", |of| AnswerCell::interval(&of.equal));
const DIFFERENCE: PairColumn = ("", "diff", |of| AnswerCell::figure(of.difference.value));
const DISTANCE: PairColumn = ("", "dist", |of| AnswerCell::figure(of.distance()));
const PUBLISHED_KAPPA: PairColumn = ("", "publ. κ", |of| published(of, "publ. κ"));
const PUBLISHED_SHARE: PairColumn = ("", "publ.", |of| published(of, "publ. share"));
const ONE: PairColumn = ("", "one", |of| reviewer(of, 0));
const OTHER: PairColumn = ("", "other", |of| reviewer(of, 1));

fn published(of: &PairFigures, what: &str) -> AnswerCell {
    let why = || AnswerCell::missing(&format!("{what} of single annotators n/a: not published"));
    of.published
        .map_or_else(why, |figure| AnswerCell::figure(Ok(figure)))
}

fn reviewer(of: &PairFigures, at: usize) -> AnswerCell {
    let name = of.reviewers.as_ref().map(|two| escape_name(&two[at]));
    AnswerCell::markdown(name.unwrap_or_default())
}

#[rustfmt::skip] // A table reads as a table.
const ANNOTATOR_COLUMNS: &[AnswerColumn<(String, RatingFigures)>] = &[
    ("", "label", |(name, _)| AnswerCell::markdown(escape_name(name))),
    ("", "n", |(_, of)| AnswerCell::number(of.things.to_string())),
    ("", "pairs", |(_, of)| AnswerCell::number(of.pairs.to_string())),
    ("", "κ", |(_, of)| AnswerCell::figure(of.kappa.value)),
    ("", "95 %", |(_, of)| AnswerCell::interval(&of.kappa)),
    ("", "equal", |(_, of)| AnswerCell::figure(of.equal.value)),
    ("", "95 %", |(_, of)| AnswerCell::interval(&of.equal)),
];

#[rustfmt::skip] // A table reads as a table.
const ALPHA_COLUMNS: &[AnswerColumn<Alpha>] = &[
    ("", "label", |of| AnswerCell::markdown(escape_name(&of.name))),
    ("", "n", |of| AnswerCell::number(of.units.to_string())),
    ("", "α", |of| AnswerCell::figure(of.alpha.value)),
    ("", "95 %", |of| AnswerCell::interval(&of.alpha)),
];

impl AfterRevealFigures {
    fn context(&self, tables: &mut AnswerTables) -> Value {
        let became_of_some = self.changed + self.withdrawn + self.put_off > 0;
        let mut figures = |figures| tables.put(AnswerTable::of(&[LABEL, N, KAPPA, EQUAL], figures));
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
    fn bar(&self, main: &PairFigures, things: &str) -> Option<Vec<AnswerCell>> {
        let pairs: Vec<_> = self.pairs_of(main).collect();
        if let [of] = &*pairs {
            let [one, other] = of.reviewers.as_ref()?.each_ref().map(escape_name);
            let what = format!("{one} · {other}");
            return Some(bar_row(&what, &of.equal, of.n, things));
        }
        let Alpha { equal, units, .. } = self.alpha_of(main)?;
        Some(bar_row("Reviewers and each other", equal, *units, things))
    }

    fn context(&self, tables: &mut AnswerTables) -> Value {
        let columns = [
            ONE,
            OTHER,
            LABEL,
            N,
            KAPPA,
            KAPPA_INTERVAL,
            EQUAL,
            EQUAL_INTERVAL,
        ];
        let alphas = self.alphas.iter().filter(|of| of.units > 0);
        let each = self.each.iter().filter(|of| of.n > 0);
        context! {
            reviewers => self.reviewers,
            alphas => tables.put(AnswerTable::of(ALPHA_COLUMNS, alphas)),
            each => tables.put(AnswerTable::of(&columns, each)),
        }
    }
}

/// Words for a missing figure.
const NONE: &str = "n/a";

/// Says if two raters agree more than by chance: if the interval of their share of equal answers is
/// above the share that their frequencies of answers would reach. `None` without an interval.
fn better_than_chance(of: &PairFigures) -> Option<&'static str> {
    let ([low, _], chance) = of.equal.ends().zip(of.chance())?;
    Some(match low > chance {
        true => "better than chance",
        false => "not clearly better than chance",
    })
}

/// Returns a row of the bars on the first page.
fn bar_row(what: &str, figure: &Figure, n: u64, noun: &str) -> Vec<AnswerCell> {
    let value = figure.value.ok();
    let number = |words: Option<String>| AnswerCell::number(words.unwrap_or(NONE.to_owned()));
    vec![
        AnswerCell::markdown(what),
        AnswerCell::bar(figure.value, figure.ends()),
        number(value.map(percent)),
        number(figure.ends().map(range_of_shares)),
        number(Some(counted(n as usize, noun))),
    ]
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
        better => better_than_chance(of),
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
