//! The rows of the page of findings: queues, rules by how bad they are, and those that do not apply.

use std::sync::Arc;

use super::super::page_doc::{PageDoc, PageMark, PageSpot, PageTone};
use super::queue::QueueOrder;
use crate::findings::{FindingCounts, SampleCount};
use crate::query::{FOLLOWS_FROM_LABEL, FindingRules, Severity};
use crate::text::{counted, grouped};

/// Cells of a severity's word, of the longest name that shows whole, of a count and of a share.
const WORD: u16 = 7;
const NAME: u16 = 29;
const COUNT: u16 = 10;
const SHARE: u16 = 8;
/// A sentence is left out where it has fewer cells than this.
const LEAST_SENTENCE: u16 = 24;

/// A row of the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FindingsRow {
    /// What it is.
    pub kind: FindingsRowKind,
    /// What it is called; of a row without a name nothing.
    pub name: Arc<str>,
    /// What it means, or why it cannot be asked.
    pub sentence: String,
    /// How many samples it leads to, where that was counted.
    pub count: Option<SampleCount>,
    /// Whether not all samples were looked at for the count.
    pub is_partial: bool,
    /// The query that shows them; `None` where it leads nowhere.
    pub query: Option<String>,
}

/// What a row of the page of findings is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FindingsRowKind {
    /// The name of what follows.
    Heading,
    /// A blank line.
    #[default]
    Gap,
    /// A queue over all rules.
    Queue(QueueOrder),
    /// A rule.
    Rule(Severity),
    /// A rule that cannot be asked here.
    Other(Severity),
}

impl FindingsRow {
    /// Whether it leads to no sample, for certain.
    pub fn is_quiet(&self) -> bool {
        self.count.is_some_and(|count| count.whole == 0) && !self.is_partial
    }

    /// The rows for the rules of a dataset, by what was counted of them and what they ask for that no
    /// sample has. Rules that tell of labels are withheld where those are hidden.
    pub fn all(
        rules: &FindingRules,
        counts: Option<&FindingCounts>,
        lacks: &[Option<&'static str>],
        hides_labels: bool,
    ) -> Vec<Self> {
        let mut rows = vec![Self::heading("queues")];
        rows.extend(Self::queues(counts, hides_labels));
        // An order by suspicion would tell labels.
        let order = match hides_labels {
            true => String::new(),
            false => format!(" {}", QueueOrder::Suspicion.sort()),
        };
        let told: Vec<_> = (rules.rules.iter().enumerate())
            .filter(|(_, rule)| !(hides_labels && rule.reveals_labels))
            .collect();
        let withheld = rules.rules.len() - told.len();
        let (mut impossible, mut can_fire) = (Vec::new(), Vec::new());
        for (at, rule) in told {
            let lack = lacks.get(at).copied().flatten();
            match lack.or_else(|| rule.contradicts_outcome.then_some(FOLLOWS_FROM_LABEL)) {
                Some(why) => impossible.push((&rule.definition, why)),
                None => can_fire.push((at, rule)),
            }
        }
        let mut fire: Vec<_> = (can_fire.into_iter())
            .map(|(at, rule)| {
                let definition = &rule.definition;
                let counted = counts.and_then(|counts| counts.of_rule(at));
                Self {
                    kind: FindingsRowKind::Rule(definition.severity),
                    name: Arc::clone(&definition.name),
                    sentence: definition.sentence.to_string(),
                    count: counted.map(|(count, _)| count),
                    is_partial: counted.is_some_and(|(_, is_whole)| !is_whole),
                    query: Some(format!("finding:{}{order}", definition.name)),
                }
            })
            .collect();
        let others = rules
            .others
            .iter()
            .map(|(definition, why)| (definition, &**why));
        let mut others: Vec<_> = impossible.into_iter().chain(others).collect();
        others.sort_by_key(|(definition, _)| Arc::clone(&definition.name));
        fire.sort_by_key(|row| {
            // Rows change places once, when they are counted.
            let counted = row.count.filter(|_| !row.is_partial);
            let count = counted.unwrap_or_default();
            let FindingsRowKind::Rule(severity) = row.kind else {
                return Default::default();
            };
            (
                // What fires nowhere is quiet, and stands behind the others.
                row.is_quiet(),
                std::cmp::Reverse((severity.number(), count.shown, count.whole)),
            )
        });
        if !fire.is_empty() {
            rows.extend([Self::default(), Self::heading("rules")]);
            rows.extend(fire);
        }
        if withheld > 0 {
            let words =
                format!("{withheld} rules that tell of labels are withheld while you judge blind");
            rows.extend([Self::default(), Self::heading(&words)]);
        }
        if !others.is_empty() {
            rows.extend([
                Self::default(),
                Self::heading("rules that do not apply here"),
            ]);
            rows.extend(others.into_iter().map(|(definition, why)| Self {
                kind: FindingsRowKind::Other(definition.severity),
                name: Arc::clone(&definition.name),
                sentence: why.to_owned(),
                ..Self::default()
            }));
        }
        rows
    }

    fn queues(counts: Option<&FindingCounts>, hides_labels: bool) -> Vec<Self> {
        let queue = |order: QueueOrder, sentence: &str, count: Option<SampleCount>| Self {
            kind: FindingsRowKind::Queue(order),
            name: order.name().into(),
            sentence: sentence.to_owned(),
            count,
            is_partial: false,
            query: Some(order.query()),
        };
        let mut all = Vec::new();
        if !hides_labels {
            let suspicious = counts.map(|counts| counts.suspicious);
            let says = "every sample with a finding";
            all.push(Self {
                is_partial: counts.is_some_and(|counts| !counts.is_whole()),
                ..queue(QueueOrder::Suspicion, says, suspicious)
            });
        }
        let samples = counts.map(|counts| counts.samples);
        let says = format!(
            "all that is shown, shuffled (seed {}): what the suspicious ones are to be compared with",
            QueueOrder::SEED
        );
        all.push(queue(QueueOrder::Random, &says, samples));
        all
    }

    fn heading(words: &str) -> Self {
        Self {
            kind: FindingsRowKind::Heading,
            name: words.into(),
            ..Self::default()
        }
    }
}

/// Lays the rows out. `counted` is the number of samples counted; with `is_chosen` a second column counts
/// the samples that a query chose.
pub(super) fn lay_rows(
    rows: &[FindingsRow],
    samples: Option<SampleCount>,
    width: u16,
    is_chosen: bool,
) -> PageDoc {
    let columns = RowColumns::of(width, is_chosen);
    let mut doc = PageDoc {
        sections: vec![(0, "findings")],
        lines: rows.len(),
        ..PageDoc::default()
    };
    columns.put_names(&mut doc);
    // The first of a section is seen with its heading.
    let mut card_line = 0;
    for (y, row) in rows.iter().enumerate() {
        match row.kind {
            FindingsRowKind::Gap => continue,
            FindingsRowKind::Heading => {
                doc.words(1, y, width.saturating_sub(2), &row.name, PageTone::Heading);
                continue;
            }
            _ => {}
        }
        columns.put_row(&mut doc, y, row, samples);
        let marked = (columns.counts - 3).min(width.saturating_sub(3));
        doc.spots.push(row.spot(y, marked, card_line));
        card_line = y + 1;
    }
    doc
}

impl FindingsRow {
    fn spot(&self, y: usize, marked: u16, card_line: usize) -> PageSpot {
        let (name, sentence) = (&self.name, &self.sentence);
        let label = match self.kind {
            FindingsRowKind::Rule(severity) => format!("{name}, {}", severity.word()),
            FindingsRowKind::Other(_) => format!("{name} does not apply here"),
            _ => name.to_string(),
        };
        let count = self.count.filter(|_| !self.is_partial);
        let value = match count {
            Some(SampleCount { shown, whole }) if shown == whole => {
                format!("{sentence}. {}", counted(whole, "sample"))
            }
            Some(SampleCount { shown, whole }) => {
                format!(
                    "{sentence}. {} shown, of {}",
                    grouped(shown),
                    grouped(whole)
                )
            }
            None => sentence.clone(),
        };
        let query = match (&self.query, self.count) {
            (None, _) => Err(format!("{label}: {sentence}.")),
            (_, Some(SampleCount { whole: 0, .. })) => Err("There is no such sample.".to_owned()),
            (_, Some(SampleCount { shown: 0, .. })) => {
                Err("Among those that are shown there is no such sample.".to_owned())
            }
            (Some(query), _) => Ok(query.clone()),
        };
        PageSpot {
            card_line,
            label,
            value,
            query,
            ..PageSpot::new(2, y, marked)
        }
    }
}

/// Positions of the page's columns.
#[derive(Clone, Copy)]
struct RowColumns {
    /// The column after the last.
    end: u16,
    /// Cells of a severity's word, and of a share; 0 where there is no room for it.
    word: u16,
    share: u16,
    /// Where the counts begin, and the sentences.
    counts: u16,
    sentence: u16,
    is_chosen: bool,
}

impl RowColumns {
    fn of(width: u16, is_chosen: bool) -> Self {
        let word = if width >= 76 { WORD } else { 0 };
        // Two counts say it where there is no room for four numbers.
        let has_share = width >= if is_chosen { 76 } else { 56 };
        let share = if has_share { SHARE } else { 0 };
        let counts = 4 + NAME + word;
        Self {
            end: width.saturating_sub(1),
            word,
            share,
            counts,
            sentence: counts + (1 + u16::from(is_chosen)) * (COUNT + share) + 2,
            is_chosen,
        }
    }

    /// Names the counts, beside the first heading.
    fn put_names(self, doc: &mut PageDoc) {
        let names: &[_] = match self.is_chosen {
            true => &[("shown", PageTone::Shown), ("of all", PageTone::Name)],
            false => &[("samples", PageTone::Name)],
        };
        for (&(name, tone), x) in names
            .iter()
            .zip((self.counts..).step_by((COUNT + self.share).into()))
        {
            doc.put(x, 0, COUNT, PageMark::Right(name.to_owned(), tone));
        }
    }

    fn put_row(self, doc: &mut PageDoc, y: usize, row: &FindingsRow, samples: Option<SampleCount>) {
        let (severity, tone) = match row.kind {
            FindingsRowKind::Other(severity) => (Some(severity), PageTone::Faint),
            FindingsRowKind::Rule(severity) if row.is_quiet() => (Some(severity), PageTone::Name),
            FindingsRowKind::Rule(severity) => (Some(severity), PageTone::Value),
            _ => (None, PageTone::Value),
        };
        if let Some(severity) = severity {
            let tone = match tone {
                PageTone::Value => PageTone::Severity(severity),
                quiet => quiet,
            };
            doc.put(2, y, 1, PageMark::Sign(severity, tone));
            doc.words(4, y, self.word, severity.word(), tone);
        }
        doc.words(4 + self.word, y, NAME - 1, &row.name, tone);
        // What does not apply has no counts: why takes their place.
        let (from, tone) = match row.kind {
            FindingsRowKind::Other(_) => (self.counts, PageTone::Faint),
            _ => {
                self.put_counts(doc, y, row, samples);
                (self.sentence, PageTone::Name)
            }
        };
        let room = self.end.saturating_sub(from);
        if room >= LEAST_SENTENCE {
            doc.words(from, y, room, &row.sentence, tone);
        }
    }

    fn put_counts(
        self,
        doc: &mut PageDoc,
        y: usize,
        row: &FindingsRow,
        samples: Option<SampleCount>,
    ) {
        let mut x = self.counts;
        let mut right = |width: u16, words: String, tone| {
            doc.put(x, y, width, PageMark::Right(words, tone));
            x += width;
        };
        let Some((count, of)) = row.count.zip(samples) else {
            return right(COUNT, "…".to_owned(), PageTone::Name);
        };
        let pairs = match self.is_chosen {
            true => vec![(count.shown, of.shown), (count.whole, of.whole)],
            false => vec![(count.whole, of.whole)],
        };
        // Of all that shows everything shows.
        let is_all = row.kind == FindingsRowKind::Queue(QueueOrder::Random);
        for (at, (some, all)) in pairs.into_iter().enumerate() {
            let is_plain = at == 0 && !row.is_quiet();
            let tone = if is_plain {
                PageTone::Value
            } else {
                PageTone::Name
            };
            let mark = if row.is_partial { "…" } else { "" };
            right(COUNT, grouped(some) + mark, tone);
            let share = match is_all || row.is_partial {
                true => String::new(),
                false => share_words(some, all),
            };
            right(self.share, share, PageTone::Name);
        }
    }
}

/// A part of a whole in percent, as coarse as the page has room for.
fn share_words(some: usize, all: usize) -> String {
    match (some as f64 / all as f64 * 100.0, all) {
        (_, 0) => "n/a".to_owned(),
        (percent, _) if some > 0 && percent < 0.1 => "<0.1 %".to_owned(),
        (percent, _) => format!("{percent:.1} %"),
    }
}
