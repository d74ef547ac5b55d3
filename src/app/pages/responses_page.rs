//! The page of all responses of a sample: letter, scores, length and first line of each.

use std::cmp::Ordering;
use std::sync::Arc;

use super::page_doc::{LEFT, PageContent, PageDoc, PageMark, PageSources, PageSpot, PageTone};
use crate::app::perform::ViewRequest;
use crate::app::sample::page::Page;
use crate::app::{Action, App, KeyHints, Pane, texts};
use crate::model::{ResponseId, ResponseSet};
use crate::query::Severity;
use crate::text::{self, counted, grouped, number};

/// The data of the page of responses, by the letters on the screen.
#[derive(Debug, Clone, Default)]
pub struct ResponseTable {
    /// Names of labels and scores, the deciding one first.
    pub labels: Vec<String>,
    /// 1 if the highest value of the first label wins, -1 if the lowest; `None` if none decides.
    pub deciding: Option<f64>,
    /// The best responses.
    pub best: ResponseSet,
    /// All responses, in order of their letters.
    pub rows: Vec<ResponseRow>,
}

#[derive(Debug, Clone)]
pub(crate) struct ResponseRow {
    pub id: ResponseId,
    /// Its values, one per label.
    pub values: Vec<Option<f64>>,
    pub characters: usize,
    /// The beginning of its text as one line.
    pub text: String,
}

/// Cells kept of a response's text.
pub(crate) const PREVIEW: usize = 400;
/// Least cells for the text: labels are omitted if they leave less.
const MIN_TEXT: usize = 24;
/// Most cells of a label's name.
const MAX_NAME: usize = 16;
/// Width of a bar in cells.
const BAR: u16 = 6;

impl ResponseTable {
    /// Removes all values and lengths.
    pub fn hide(&mut self) {
        self.labels.clear();
        (self.deciding, self.best) = (None, ResponseSet::default());
        for row in &mut self.rows {
            row.values.clear();
            row.characters = 0;
        }
    }

    fn value(&self, row: &ResponseRow, label: usize) -> f64 {
        row.values.get(label).copied().flatten().unwrap_or(f64::NAN)
    }

    /// Returns the values of a label without missing ones.
    fn values(&self, label: usize) -> Vec<f64> {
        self.rows
            .iter()
            .map(|row| self.value(row, label))
            .filter(|value| !value.is_nan())
            .collect()
    }

    /// Returns the value of a label if all responses have the same one.
    fn common_value(&self, label: usize) -> Option<f64> {
        let values = self.values(label);
        let is_same = values.len() == self.rows.len() && values.iter().all(|it| *it == values[0]);
        values
            .first()
            .copied()
            .filter(|_| is_same && self.rows.len() > 1)
    }

    /// Returns the possible orders of rows, the default first.
    fn orders(&self) -> Vec<RowOrder> {
        let mut orders: Vec<_> = (0..self.labels.len()).map(RowOrder::Label).collect();
        if self.rows.iter().any(|row| row.characters > 0) {
            orders.extend([RowOrder::Longest, RowOrder::Shortest]);
        }
        orders.push(RowOrder::Letter);
        orders
    }

    /// Returns the sorted rows; equal ones by length, then by letter.
    fn sorted(&self, order: RowOrder) -> Vec<&ResponseRow> {
        let sign = |label: usize| match label {
            0 => self.deciding.unwrap_or(1.0),
            _ => 1.0,
        };
        let compare = |a: &&ResponseRow, b: &&ResponseRow| match order {
            RowOrder::Label(label) => {
                let value = |row| sign(label) * self.value(row, label);
                let (a_value, b_value) = (value(a), value(b));
                // Missing values come last.
                let missing = a_value.is_nan().cmp(&b_value.is_nan());
                let by_value = b_value.partial_cmp(&a_value).unwrap_or(Ordering::Equal);
                missing.then(by_value).then(a.characters.cmp(&b.characters))
            }
            RowOrder::Longest => b.characters.cmp(&a.characters),
            RowOrder::Shortest => a.characters.cmp(&b.characters),
            RowOrder::Letter => Ordering::Equal,
        };
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by(compare);
        rows
    }

    /// Summarises all responses: `16 responses · mean reward 0.56 · 8 to 1,871 characters`.
    fn summary(&self, order: RowOrder) -> String {
        let mut parts = vec![counted(self.rows.len(), "response")];
        let values = self.values(0);
        if let Some(name) = self.labels.first().filter(|_| !values.is_empty()) {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            parts.push(format!("mean {name} {}", number(mean)));
        }
        if !self.best.is_empty() {
            parts.push(format!("{} best", grouped(self.best.count())));
        }
        let lengths = || self.rows.iter().map(|row| row.characters);
        if let Some((least, most)) = lengths()
            .min()
            .zip(lengths().max().filter(|most| *most > 0))
        {
            parts.push(format!(
                "{} to {} characters",
                grouped(least),
                grouped(most)
            ));
        }
        parts.push(match order {
            RowOrder::Label(label) => format!("by {}", self.labels[label]),
            RowOrder::Longest => "longest first".to_owned(),
            RowOrder::Shortest => "shortest first".to_owned(),
            RowOrder::Letter => "by letter".to_owned(),
        });
        parts.join(" \u{b7} ")
    }

    /// Lays out the rows in an order; `open` are the responses in the panes.
    fn lay(&self, order: RowOrder, open: ShownPair, width: u16) -> PageDoc {
        let mut doc = PageDoc {
            aside: self.summary(order),
            ..PageDoc::default()
        };
        if let Some(value) = self.common_value(0) {
            let words = format!("All responses have {} {}.", self.labels[0], number(value));
            doc.words(LEFT, 0, width, &words, PageTone::Severity(Severity::Likely));
            doc.lines = 2;
        }
        let columns = TableColumns::of(self, width);
        columns.head(self, &mut doc);
        for row in self.sorted(order) {
            columns.row(self, row, open, &mut doc);
        }
        doc
    }
}

/// An order of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowOrder {
    /// By the label at an index, best first.
    Label(usize),
    Longest,
    Shortest,
    Letter,
}

/// The position and width of each column.
struct TableColumns {
    letter: u16,
    best: Option<u16>,
    /// One per visible label.
    labels: Vec<LabelColumn>,
    /// The end of the lengths.
    length: Option<u16>,
    text: u16,
    width: u16,
}

struct LabelColumn {
    x: u16,
    has_bar: bool,
    /// The cell after the value.
    end: u16,
    /// The smallest and the largest value.
    range: [f64; 2],
}

impl TableColumns {
    fn of(table: &ResponseTable, width: u16) -> Self {
        let cells = |words: &str| text::width(words) as u16;
        let letter = table
            .rows
            .iter()
            .map(|row| cells(row.id.letter()))
            .max()
            .unwrap_or(1)
            + 2;
        let mut x = LEFT + letter + 1;
        let best = (!table.best.is_empty()).then_some(x);
        x += if best.is_some() { 6 } else { 0 };
        let longest = table
            .rows
            .iter()
            .map(|row| row.characters)
            .max()
            .unwrap_or(0);
        let of_length = match longest {
            0 => 0,
            longest => cells(&grouped(longest)).max(LENGTH.len() as u16) + 2,
        };
        let end = width.saturating_sub(LEFT + of_length + MIN_TEXT as u16);
        let mut labels = Vec::new();
        for (label, name) in table.labels.iter().enumerate() {
            let values = table.values(label);
            let of_value = values.iter().map(|value| cells(&number(*value)));
            let has_bar = table.labels.len() <= 2 && width >= 100;
            let bar = if has_bar { BAR + 1 } else { 0 };
            let name = cells(name).min(MAX_NAME as u16);
            let of_label = (bar + of_value.max().unwrap_or(1)).max(name);
            if x + of_label + 2 > end {
                break;
            }
            let bound = |to: fn(f64, f64) -> f64| values.iter().copied().reduce(to).unwrap_or(0.0);
            labels.push(LabelColumn {
                x,
                has_bar,
                end: x + of_label,
                range: [bound(f64::min).min(0.0), bound(f64::max)],
            });
            x += of_label + 2;
        }
        let length = (of_length > 0).then_some(x + of_length - 2);
        Self {
            letter,
            best,
            labels,
            length,
            text: x + of_length,
            width,
        }
    }

    fn right(doc: &mut PageDoc, y: usize, [x, end]: [u16; 2], words: &str, tone: PageTone) {
        let words = text::one_line(words, usize::from(end.saturating_sub(x)));
        doc.put(x, y, end.saturating_sub(x), PageMark::Right(words, tone));
    }

    /// Adds the column names.
    fn head(&self, table: &ResponseTable, doc: &mut PageDoc) {
        let y = doc.lines;
        for (column, name) in self.labels.iter().zip(&table.labels) {
            Self::right(doc, y, [column.x, column.end], name, PageTone::Name);
        }
        if let Some(end) = self.length {
            let start = end - LENGTH.len() as u16;
            Self::right(doc, y, [start, end], LENGTH, PageTone::Name);
        }
        let room = self.width.saturating_sub(self.text);
        let left_out = table.labels.len() - self.labels.len();
        let more = match left_out {
            0 => "text".to_owned(),
            count => format!("text ({} not shown)", counted(count, "label")),
        };
        doc.words(self.text, y, room, &more, PageTone::Name);
        doc.lines += 1;
    }

    fn row(&self, table: &ResponseTable, row: &ResponseRow, open: ShownPair, doc: &mut PageDoc) {
        let y = doc.lines;
        let letter = row.id.letter();
        // Brackets also mark it without colours.
        let (words, tone) = if open.contains(&row.id) {
            (format!("[{letter}]"), PageTone::Key)
        } else {
            (format!(" {letter} "), PageTone::Title)
        };
        doc.put(LEFT, y, self.letter, PageMark::Words(words, tone));
        if let Some(x) = self.best.filter(|_| table.best.has(row.id.index())) {
            doc.words(x, y, 4, "best", PageTone::Shown);
        }
        let mut said = Vec::new();
        for (label, (column, name)) in self.labels.iter().zip(&table.labels).enumerate() {
            let value = table.value(row, label);
            if value.is_nan() {
                continue;
            }
            said.push(format!("{name} {}", number(value)));
            let [low, high] = column.range;
            if column.has_bar && high > low {
                let bar = PageMark::Bar {
                    part: (value - low) / (high - low),
                    mark: None,
                    tone: PageTone::Value,
                };
                doc.put(column.x, y, BAR, bar);
            }
            let cells = [column.x, column.end];
            Self::right(doc, y, cells, &number(value), PageTone::Value);
        }
        if let Some(end) = self.length {
            said.push(counted(row.characters, "character"));
            let cells = [end - LENGTH.len() as u16, end];
            Self::right(doc, y, cells, &grouped(row.characters), PageTone::Name);
        }
        let room = self.width.saturating_sub(self.text + 1);
        doc.words(self.text, y, room, &row.text, PageTone::Value);
        said.push(row.text.clone());
        doc.spots.push(PageSpot {
            label: letter.to_owned(),
            value: said.join(" \u{b7} "),
            ..PageSpot::new(LEFT, y, self.width.saturating_sub(LEFT))
        });
        doc.lines += 1;
    }
}

/// The name of the column of lengths.
const LENGTH: &str = "characters";

/// The page of all responses of the selected sample.
#[derive(Debug, Default)]
pub struct ResponsesPage {
    /// Index of the current order.
    order: usize,
    /// The sample on the page, and the index of its order.
    laid: Option<(Arc<Page>, usize)>,
}

impl PageContent for ResponsesPage {
    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        let Some(page) = of.page else {
            self.laid = None;
            return Some(PageDoc {
                progress: "reading the responses \u{2026}".to_owned(),
                ..PageDoc::default()
            });
        };
        let is_laid =
            |(laid, order): &(Arc<Page>, usize)| Arc::ptr_eq(laid, page) && *order == self.order;
        if !is_new && self.laid.as_ref().is_some_and(is_laid) {
            return None;
        }
        self.laid = Some((Arc::clone(page), self.order));
        let orders = page.table.orders();
        let order = orders[self.order % orders.len()];
        Some(page.table.lay(order, page.pair, of.size.0))
    }

    fn act(&mut self, action: Action, doc: &PageDoc, at: usize) -> Option<ViewRequest> {
        let response = doc
            .spots
            .get(at)
            .and_then(|spot| ResponseId::of_letter(&spot.label));
        // By its letter on the screen, in a pane; or next to the response shown last, with both
        // visible.
        let put = |pane: Option<Pane>| {
            let response = response?;
            Some(ViewRequest::call(move |app| {
                app.put_response(response, pane);
                if pane.is_none() {
                    app.views.back();
                }
            }))
        };
        match action {
            Action::Responses => Some(ViewRequest::Back),
            Action::Zoom | Action::Accept => put(None),
            Action::NextResponse(pane) | Action::PreviousResponse(pane) => put(Some(pane)),
            Action::Sort => {
                self.order += 1;
                Some(ViewRequest::Done)
            }
            Action::Help => Some(ViewRequest::Act(action)),
            _ => None,
        }
    }

    fn hints(&self) -> KeyHints {
        &[
            (Action::Cancel, "back"),
            (Action::Zoom, "show next to the last"),
            (Action::NextResponse(Pane::Right), "right pane"),
            (Action::NextResponse(Pane::Left), "left pane"),
            (Action::Sort, "sort"),
        ]
    }
}

impl App {
    /// Shows a response in a pane. Without a pane, in the right one, whose response moves left.
    pub(crate) fn put_response(&mut self, response: ResponseId, pane: Option<Pane>) {
        let Some(page) = self.current_page() else {
            return;
        };
        let [left, right] = page.pair;
        let pair = match pane {
            None if right == response => [left, right],
            None => [right, response],
            Some(Pane::Left) if right == response => [response, left],
            Some(Pane::Left) => [response, right],
            Some(_) if left == response => [right, response],
            Some(_) => [left, response],
        };
        self.selection.pair = Some((self.selection.selected, pair));
    }
}

/// The responses in the left and in the right pane, by their letters on the screen.
pub type ShownPair = [ResponseId; 2];

/// The pair of a sample with two responses.
pub(crate) const BOTH: ShownPair = [ResponseId::A, ResponseId::B];

impl App {
    /// Shows the next or previous response in a pane, wrapping around and skipping the one in the
    /// other pane.
    pub(crate) fn step_response(&mut self, pane: Pane, forward: bool) {
        let page = self.current_page();
        let Some((page, place)) = page.zip(pane.side()) else {
            return;
        };
        let (responses, mut pair) = (page.responses, page.pair);
        if responses <= 2 {
            let words = match responses {
                2 => "This sample has two responses, and both are shown.",
                _ => texts::ONE_RESPONSE,
            };
            self.say(words);
            return;
        }
        if self.asked_response() == Some(pair[place]) {
            let other_keys = match pane {
                Pane::Right => "{ and }",
                _ => "[ and ]",
            };
            self.say(texts::is_being_rated(pair[place].letter(), other_keys));
            return;
        }
        let other = pair[1 - place];
        let all: Vec<_> = ResponseId::first(responses)
            .filter(|id| *id != other)
            .collect();
        let here = all.iter().position(|id| *id == pair[place]).unwrap_or(0);
        let step = if forward { 1 } else { all.len() - 1 };
        pair[place] = all[(here + step) % all.len()];
        self.selection.pair = Some((self.selection.selected, pair));
    }
}
