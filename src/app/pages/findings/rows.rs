//! The rows of the findings page: queues, then rules with matches, worst first, then the other
//! rules, folded.

use std::sync::Arc;

use super::queue::QueueOrder;
use crate::answer::FEWEST;
use crate::app::pages::page_doc::{PageDoc, PageMark, PageSpot, PageTone};
use crate::app::texts;
use crate::findings::{FindingCounts, SampleCount};
use crate::query::{FOLLOWS_FROM_LABEL, FindingRules, RuleDefinition, Severity};
use crate::text::{counted, grouped, width as cells};

/// Widths of a count and of a share in cells.
const COUNT: u16 = 8;
const SHARE: u16 = 8;
/// Screen width from which rules are shown as sentences instead of names.
const SENTENCES_FROM: u16 = 112;
/// Minimum width of a name or sentence, and maximum width of a bar, in cells.
const MIN_NAME: u16 = 22;
const MAX_BAR: u16 = 20;
/// Upper ends of the axis in percent; the first one that no share exceeds is used.
const AXES: [u32; 7] = [1, 2, 5, 10, 20, 50, 100];

#[derive(Debug, Clone, PartialEq, Default)]
pub struct FindingsRow {
    pub kind: FindingsRowKind,
    /// Severity of the rule, if it is one.
    pub severity: Option<Severity>,
    /// Name; empty for a note.
    pub name: Arc<str>,
    /// Description, or why the rule does not apply.
    pub sentence: String,
    /// Number of matching samples, if counted.
    pub count: Option<SampleCount>,
    /// True if not all samples were examined.
    pub is_partial: bool,
    /// True if it matches too many samples to be meaningful for one of them.
    pub is_common: bool,
    /// The first matching sample.
    pub first: Option<u32>,
    /// The query for the matching samples; `None` for rows that cannot be opened.
    pub query: Option<String>,
}

/// Kind of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FindingsRowKind {
    /// A note.
    #[default]
    Note,
    /// A queue of the samples of all rules.
    Queue(QueueOrder),
    /// A rule.
    Rule,
    /// A rule that does not apply to this dataset.
    Other,
    /// The head of folded rules; their rows follow if it is open.
    Fold(FindingsFold),
}

/// Groups of rules that are folded into one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingsFold {
    /// Rules without matches.
    Quiet,
    /// Rules that do not apply.
    Other,
}

impl FindingsRow {
    /// True if all samples were examined and none matches.
    pub fn is_quiet(&self) -> bool {
        self.count.is_some_and(|count| count.whole == 0) && !self.is_partial
    }

    /// Returns the rows for a dataset's rules. Missing data makes a rule inapplicable if the counts
    /// are of the whole dataset; the rows of folds are included if `is_open`. With `hides_labels`,
    /// rules about labels are left out.
    pub fn all(
        rules: &FindingRules,
        counts: Option<&FindingCounts>,
        is_whole: bool,
        hides_labels: bool,
        is_open: [bool; 2],
    ) -> Vec<Self> {
        // The suspicion order would reveal labels.
        let order = if hides_labels {
            String::new()
        } else {
            format!(" {}", QueueOrder::Suspicion.sort())
        };
        let row = |definition: &RuleDefinition| Self {
            kind: FindingsRowKind::Rule,
            severity: Some(definition.severity),
            name: Arc::clone(&definition.name),
            sentence: definition.sentence.to_string(),
            ..Self::default()
        };
        let other = |definition: &RuleDefinition, why: &str| Self {
            kind: FindingsRowKind::Other,
            sentence: why.to_owned(),
            ..row(definition)
        };
        let others = rules.others.iter();
        let mut others: Vec<_> = others.map(|(rule, why)| other(rule, why)).collect();
        let (mut applying, mut withheld) = (Vec::new(), 0);
        for (at, rule) in rules.rules.iter().enumerate() {
            let definition = &rule.definition;
            let known = counts.and_then(|counts| counts.rules.get(at));
            let known = known.copied().unwrap_or_default();
            let lack = known.lack.filter(|_| is_whole);
            if hides_labels && rule.reveals_labels {
                withheld += 1;
            } else if let Some(why) =
                lack.or_else(|| rule.contradicts_outcome.then_some(FOLLOWS_FROM_LABEL))
            {
                others.push(other(definition, why));
            } else {
                applying.push(Self {
                    count: known.count,
                    is_partial: known.is_partial,
                    is_common: known.is_common,
                    first: known.first,
                    query: Some(format!("finding:{}{order}", definition.name)),
                    ..row(definition)
                });
            }
        }
        let (quiet, mut fire): (Vec<_>, Vec<Self>) = applying.into_iter().partition(Self::is_quiet);
        // Partial counts do not affect the order, so that rows move only once.
        fire.sort_by_key(|row| {
            let counted = row.count.filter(|_| !row.is_partial).unwrap_or_default();
            std::cmp::Reverse((row.severity, counted.shown, counted.whole))
        });
        let mut rows = Self::queues(counts, hides_labels);
        rows.append(&mut fire);
        if withheld > 0 {
            rows.push(Self {
                sentence: format!("{withheld} rules about labels are hidden while you judge blind"),
                ..Self::default()
            });
        }
        others.sort_by_key(|row| Arc::clone(&row.name));
        rows.extend(Self::folded(FindingsFold::Quiet, quiet, is_open));
        rows.extend(Self::folded(FindingsFold::Other, others, is_open));
        rows
    }

    /// Returns a head for these rows, followed by them if the fold is open.
    fn folded(fold: FindingsFold, rows: Vec<Self>, is_open: [bool; 2]) -> Vec<Self> {
        if rows.is_empty() {
            return Vec::new();
        }
        let rules = counted(rows.len(), "rule");
        let is_open = is_open[fold as usize];
        let sign = if is_open { "\u{25be}" } else { "\u{25b8}" };
        let words = match fold {
            FindingsFold::Quiet => format!("{rules} without hits"),
            FindingsFold::Other => {
                let mut reasons: Vec<&str> = Vec::new();
                for row in &rows {
                    if !reasons.contains(&&*row.sentence) {
                        reasons.push(&row.sentence);
                    }
                }
                format!("{rules} that do not apply: {}", reasons.join(", "))
            }
        };
        let head = Self {
            kind: FindingsRowKind::Fold(fold),
            name: sign.into(),
            sentence: words,
            ..Self::default()
        };
        [head]
            .into_iter()
            .chain(rows.into_iter().filter(|_| is_open))
            .collect()
    }

    fn queues(counts: Option<&FindingCounts>, hides_labels: bool) -> Vec<Self> {
        let queue = |order: QueueOrder, sentence: &str, count: Option<SampleCount>| Self {
            kind: FindingsRowKind::Queue(order),
            name: order.name().into(),
            sentence: sentence.to_owned(),
            count,
            query: Some(order.query()),
            ..Self::default()
        };
        let says = format!(
            "All samples at random (seed {}), for comparison",
            QueueOrder::SEED
        );
        let suspicious = Self {
            is_partial: counts.is_some_and(|counts| !counts.is_whole()),
            first: counts.and_then(|counts| counts.first),
            ..queue(
                QueueOrder::Suspicion,
                "All samples with a finding, most suspicious first",
                counts.map(|counts| counts.suspicious),
            )
        };
        let samples = counts.map(|counts| counts.samples);
        let random = queue(QueueOrder::Random, &says, samples);
        let all = [suspicious, random].into_iter();
        all.skip(usize::from(hides_labels)).collect()
    }

    /// Returns the counts with what they are of: the shown samples if a query is active, then all.
    fn shares(&self, of: SampleCount, is_chosen: bool) -> Vec<[usize; 2]> {
        let pairs = |it: SampleCount| [[it.shown, of.shown], [it.whole, of.whole]];
        let pairs = self.count.into_iter().flat_map(pairs);
        pairs.skip(usize::from(!is_chosen)).collect()
    }

    /// True for a rule with shares, which need the counts of all samples.
    fn has_bar(&self) -> bool {
        self.kind == FindingsRowKind::Rule && !self.is_partial
    }
}

fn share([some, all]: [usize; 2]) -> f64 {
    some as f64 / all.max(1) as f64
}

/// Lays out the rows. `samples` is the number of samples counted; with `is_chosen` there is a
/// second column for the samples that match the active query.
pub(super) fn lay_rows(
    rows: &[FindingsRow],
    samples: Option<SampleCount>,
    width: u16,
    is_chosen: bool,
) -> PageDoc {
    let of = samples.unwrap_or_default();
    let with_bars = rows.iter().filter(|row| row.has_bar());
    let shares = with_bars.flat_map(|row| row.shares(of, is_chosen));
    let most = shares.map(share).fold(0.0, f64::max);
    let axis = AXES
        .into_iter()
        .find(|axis| most <= f64::from(*axis) / 100.0);
    let columns = RowColumns::of(width, is_chosen, axis.unwrap_or(100));
    let mut doc = PageDoc {
        lines: rows.len(),
        ..PageDoc::default()
    };
    columns.put_heads(&mut doc);
    for (y, row) in rows.iter().enumerate() {
        columns.put_row(&mut doc, y, row, of);
        if row.kind != FindingsRowKind::Note {
            doc.spots.push(row.spot(y, width.saturating_sub(2)));
        }
    }
    doc
}

impl FindingsRow {
    /// Returns what the row does not show at this width: the rule's name or its sentence.
    pub(super) fn title(&self, width: u16) -> &str {
        if width >= SENTENCES_FROM {
            &self.name
        } else {
            &self.sentence
        }
    }

    fn spot(&self, y: usize, marked: u16) -> PageSpot {
        let (name, sentence) = (&self.name, &self.sentence);
        let label = match self.kind {
            FindingsRowKind::Rule => {
                let severity = self.severity.map_or("", Severity::word);
                format!("{name}, {severity}")
            }
            FindingsRowKind::Other => format!("{name} does not apply here"),
            FindingsRowKind::Fold(FindingsFold::Quiet) => "without hits".to_owned(),
            FindingsRowKind::Fold(FindingsFold::Other) => "not applying".to_owned(),
            _ => name.to_string(),
        };
        let count = self.count.filter(|_| !self.is_partial);
        let mut value = match count {
            Some(SampleCount { shown, whole }) if shown == whole => {
                format!("{sentence}. {}", counted(whole, "sample"))
            }
            Some(SampleCount { shown, whole }) => {
                let (shown, whole) = (grouped(shown), grouped(whole));
                format!("{sentence}. {shown} of {whole} samples shown")
            }
            None => sentence.clone(),
        };
        if self.is_common {
            value.push_str(COMMON);
        }
        let query = match (&self.query, self.count) {
            (None, _) => Err(format!("{label}: {sentence}.")),
            (_, Some(SampleCount { whole: 0, .. })) => Err(texts::NO_SAMPLE_HAS.to_owned()),
            (_, Some(SampleCount { shown: 0, .. })) => {
                Err(texts::NO_FILTERED_SAMPLE_HAS.to_owned())
            }
            (Some(query), _) => Ok(query.clone()),
        };
        PageSpot {
            label,
            value,
            query,
            ..PageSpot::new(1, y, marked)
        }
    }
}

/// Appended to the sentence of a rule that matches most samples.
pub(super) const COMMON: &str =
    "; more than half of all samples, so not shown above samples and not counted as suspicion";

/// Columns of the page.
#[derive(Clone, Copy)]
struct RowColumns {
    /// True if rules are shown as sentences.
    has_sentences: bool,
    /// Widths of a name or sentence, and of a bar, in cells.
    name: u16,
    bar: u16,
    /// Width of a share in cells; 0 if there is no room.
    share: u16,
    is_chosen: bool,
    /// Upper end of the axis in percent.
    axis: u32,
}

/// Screen column of the names.
const NAME_AT: u16 = 3;

impl RowColumns {
    fn of(width: u16, is_chosen: bool, axis: u32) -> Self {
        // If there is not enough room, counts are shown without shares.
        let share = match width >= if is_chosen { 76 } else { 56 } {
            true => SHARE,
            false => 0,
        };
        let numbers = (1 + u16::from(is_chosen)) * (COUNT + share);
        let room = width.saturating_sub(NAME_AT + 2 + numbers);
        let bar = (room / 3).min(MAX_BAR);
        let bar = if room - bar >= MIN_NAME { bar } else { 0 };
        Self {
            has_sentences: width >= SENTENCES_FROM,
            name: room - bar,
            bar,
            share,
            is_chosen,
            axis,
        }
    }

    /// Returns the screen column of the first count.
    fn counts(self) -> u16 {
        NAME_AT + self.name + 1 + self.bar
    }

    /// Lays out the headings and the ends of the axis.
    fn put_heads(self, doc: &mut PageDoc) {
        let (mut head, name) = (PageDoc::default(), PageTone::Name);
        head.words(NAME_AT, 0, self.name, "rule", name);
        if self.bar > 0 {
            let (x, end) = (NAME_AT + self.name, format!("{} %", self.axis));
            head.words(x, 0, 2, "0", name);
            head.put(x + 2, 0, self.bar - 1, PageMark::Right(end, name));
        }
        let names: &[_] = if self.is_chosen {
            &[("shown", PageTone::Shown), ("of all", name)]
        } else {
            &[("samples", name)]
        };
        let starts = (self.counts()..).step_by((COUNT + self.share).into());
        for (&(name, tone), x) in names.iter().zip(starts) {
            head.put(x, 0, COUNT, PageMark::Right(name.to_owned(), tone));
        }
        doc.heading = head.items;
    }

    fn put_row(self, doc: &mut PageDoc, y: usize, row: &FindingsRow, of: SampleCount) {
        let tone = match row.kind {
            FindingsRowKind::Other => PageTone::Faint,
            FindingsRowKind::Rule if row.is_quiet() => PageTone::Name,
            FindingsRowKind::Rule | FindingsRowKind::Queue(_) => PageTone::Value,
            _ => PageTone::Name,
        };
        if let Some(severity) = row.severity {
            let tone = match tone {
                PageTone::Value => PageTone::Severity(severity),
                quiet => quiet,
            };
            doc.put(1, y, 1, PageMark::Sign(severity, tone));
        }
        let rest = self.name + 1 + self.bar + COUNT + self.share;
        match row.kind {
            FindingsRowKind::Fold(_) | FindingsRowKind::Note => {
                doc.words(1, y, 1, &row.name, tone);
                doc.words(NAME_AT, y, rest, &row.sentence, tone);
            }
            // The reason takes the place of the counts.
            FindingsRowKind::Other => {
                let name = cells(&row.name) as u16;
                doc.words(NAME_AT, y, self.name, &row.name, tone);
                doc.words(
                    NAME_AT + name + 2,
                    y,
                    rest.saturating_sub(name + 2),
                    &row.sentence,
                    tone,
                );
            }
            _ => {
                let words = if self.has_sentences {
                    &*row.sentence
                } else {
                    &row.name
                };
                doc.words(NAME_AT, y, self.name.saturating_sub(1), words, tone);
                self.put_counts(doc, y, row, of, tone);
            }
        }
    }

    fn put_counts(
        self,
        doc: &mut PageDoc,
        y: usize,
        row: &FindingsRow,
        of: SampleCount,
        tone: PageTone,
    ) {
        let shares = row.shares(of, self.is_chosen);
        let scaled = |it: &[usize; 2]| share(*it) * 100.0 / f64::from(self.axis);
        if let Some(first) = shares.first().filter(|_| row.has_bar()) {
            let bar = PageMark::Bar {
                part: scaled(first),
                mark: shares.get(1).map(scaled),
                tone: if first[0] < FEWEST {
                    PageTone::Name
                } else {
                    PageTone::Value
                },
            };
            doc.put(NAME_AT + self.name, y, self.bar, bar);
        }
        let mut x = self.counts();
        let mut right = |width: u16, words: String, tone| {
            doc.put(x, y, width, PageMark::Right(words, tone));
            x += width;
        };
        if shares.is_empty() {
            return right(COUNT, "…".to_owned(), PageTone::Name);
        }
        // The share of all samples is always 100 %.
        let is_all = row.kind == FindingsRowKind::Queue(QueueOrder::Random);
        for (at, [some, all]) in shares.into_iter().enumerate() {
            let tone = if at == 0 { tone } else { PageTone::Name };
            let mark = if row.is_partial { "…" } else { "" };
            right(COUNT, grouped(some) + mark, tone);
            let share = if is_all || row.is_partial {
                String::new()
            } else {
                share_words(some, all)
            };
            right(self.share, share, PageTone::Name);
        }
    }
}

/// Formats a share as a percentage with one decimal.
fn share_words(some: usize, all: usize) -> String {
    match (some as f64 / all as f64 * 100.0, all) {
        (_, 0) => "–".to_owned(),
        (percent, _) if some > 0 && percent < 0.1 => "<0.1 %".to_owned(),
        (percent, _) => format!("{percent:.1} %"),
    }
}
