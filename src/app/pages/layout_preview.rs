//! The preview on the layout page: the sample that a record becomes with the user's choices.

use super::layout_page::LayoutPage;
use super::page_doc::{PageDoc, PageMark, PageTone};
use crate::app::texts;
use crate::dataset::Sample;
use crate::model::{Response, ResponseId};
use crate::schema::Schema;
use crate::text;

/// Maximum characters of a text that are stored: more than a screen shows.
const MAX_TEXT: usize = 6_000;

/// The beginning of a sample, for the layout page or the findings page.
#[derive(Debug, Clone)]
pub(crate) struct Preview {
    /// The turns, each preceded by its role.
    pub prompt: String,
    /// The responses, in the order of the file.
    pub responses: Vec<PreviewResponse>,
    /// Rationales and facts.
    rest: String,
}

#[derive(Debug, Clone)]
pub(crate) struct PreviewResponse {
    pub id: ResponseId,
    /// ` wins by 2`, or empty.
    pub wins: String,
    /// Its labels with their values.
    pub ratings: Vec<String>,
    pub text: String,
}

impl PreviewResponse {
    /// Returns its letter, `wins` if it does, and its labels.
    pub fn title(&self) -> String {
        let wins = if self.wins.is_empty() { "" } else { " wins" };
        let ratings: String = self.ratings.iter().map(|one| format!("  {one}")).collect();
        format!("{}{wins}{ratings}", self.id.letter())
    }
}

impl Preview {
    /// Builds the preview of a sample of a schema.
    pub fn of(sample: &Sample<'_>, schema: &Schema) -> Self {
        let prompt: Vec<_> = sample
            .prompt
            .iter()
            .map(|it| format!("{} {}", it.role.word(), start(&it.text)))
            .collect();
        let outcome = sample
            .outcome
            .clone()
            .or_else(|| schema.outcome_by_label(&sample.responses));
        let responses = sample.responses.len();
        let wins = |id: ResponseId| {
            outcome
                .as_ref()
                .filter(|it| it.verdict.winner() == Some(id))
                .map(|outcome| format!(" wins{}", outcome.lead_words(responses, text::number)))
        };
        let response = |(id, response): (ResponseId, &Response<'_>)| {
            let ratings =
                schema
                    .labels()
                    .iter()
                    .zip(&response.ratings)
                    .filter_map(|(label, value)| {
                        Some(format!("{} {}", label.name, text::number((*value)?)))
                    });
            PreviewResponse {
                id,
                wins: wins(id).unwrap_or_default(),
                ratings: ratings.collect(),
                text: start(&response.text).to_owned(),
            }
        };
        let texts = sample
            .rationales
            .iter()
            .map(|it| format!("{}: {}", it.name, start(&it.text)));
        let facts = sample
            .facts
            .iter()
            .map(|fact| format!("{} {}", fact.name, start(&fact.value)));
        let rest: Vec<_> = texts.chain(facts).collect();
        Self {
            prompt: prompt.join(" "),
            responses: ResponseId::first(responses)
                .zip(&sample.responses)
                .map(response)
                .collect(),
            rest: rest.join("   "),
        }
    }
}

/// Returns the first [`MAX_TEXT`] characters.
fn start(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_TEXT);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

impl LayoutPage {
    /// Returns the preview of the current record, or why there is none.
    pub(crate) fn preview(&self) -> Result<Preview, String> {
        let definition = self.definition.clone().ok_or_else(|| {
            let reason = self.refused.as_deref().unwrap_or_default();
            let several = match self.records.len() {
                1 => texts::RECORDS_IN_LIST,
                _ => "",
            };
            texts::no_preview(several, reason)
        })?;
        let record = self
            .records
            .get(self.record)
            .ok_or("The file has no records.")?
            .to_string();
        let schema = Schema::new(definition);
        let sample = schema
            .row(record.as_bytes())
            .map_err(|error| error.reason)?
            .record()
            .map_err(|error| error.reason)?;
        let mut sample = schema.with_fields(sample, record.as_bytes());
        if self.is_blind {
            sample.hide_fields();
        }
        Ok(Preview::of(&sample, &schema))
    }

    /// Lays out the preview in a part of the page.
    pub(crate) fn lay_preview(
        &self,
        doc: &mut PageDoc,
        x: u16,
        y: usize,
        width: u16,
        lines: usize,
    ) {
        let tone = PageTone::Value;
        let sample = self.preview();
        let Ok(Preview {
            prompt,
            responses,
            rest,
        }) = &sample
        else {
            let words = sample.err().unwrap_or_default();
            fold(doc, [x, width], y + 1, lines.max(2) - 1, &words, tone);
            return;
        };
        let of_rest = if rest.is_empty() || lines < 12 { 0 } else { 3 };
        // Responses are side by side as far as they fit.
        let most = if lines < 12 { 4 } else { 2 };
        let columns = (width / 18).min(responses.len() as u16).clamp(1, most);
        let rows = responses.len().div_ceil(usize::from(columns)).max(1);
        let of_prompt = (lines / (rows + 1)).clamp(1, 6);
        let titled = ["preview", prompt];
        let first = y + 1 + pane(doc, [x, width], y, of_prompt + 1, titled, tone);
        let end = y + lines - of_rest;
        let height = (end.saturating_sub(first) / rows).max(2);
        let cells = width / columns;
        let fit = usize::from(columns) * (end.saturating_sub(first) / height);
        for (at, response) in responses.iter().enumerate().take(fit) {
            let (row, column) = (at / usize::from(columns), at % usize::from(columns));
            let (column, y) = (cells * column as u16, first + row * height);
            // The last response takes the remaining width.
            let is_last = width - column < 2 * cells;
            let room = if is_last { width - column } else { cells - 1 };
            let titled = [&response.title(), &*response.text];
            pane(doc, [x + column, room], y, height, titled, tone);
        }
        if of_rest > 0 {
            pane(doc, [x, width], end, of_rest, ["fields", rest], tone);
        }
    }
}

/// Lays out a heading with a rule up to column `end`.
fn rule(doc: &mut PageDoc, x: u16, y: usize, end: u16, title: &str) {
    let cells = end.saturating_sub(x);
    let title = text::one_line(title, usize::from(cells.saturating_sub(4)));
    let words = format!(" {title} ");
    let taken = text::width(&words) as u16;
    doc.put(x, y, cells, PageMark::Rule(PageTone::Faint));
    doc.put(x + 2, y, taken, PageMark::Words(words, PageTone::Title));
}

/// Lays out a title with a rule and a text below it, on at most `lines` lines in all. Returns the
/// lines of the text.
pub(crate) fn pane(
    doc: &mut PageDoc,
    [x, width]: [u16; 2],
    y: usize,
    lines: usize,
    [title, words]: [&str; 2],
    tone: PageTone,
) -> usize {
    rule(doc, x, y, x + width, title);
    let room = width.saturating_sub(1);
    fold(doc, [x, room], y + 1, lines.saturating_sub(1), words, tone)
}

/// Wraps a text to the width and at most `lines` lines. Returns the number of lines.
fn fold(
    doc: &mut PageDoc,
    [x, width]: [u16; 2],
    y: usize,
    lines: usize,
    words: &str,
    tone: PageTone,
) -> usize {
    let cells = usize::from(width.max(1));
    let folded = text::folded(&text::one_line(words, cells * lines), cells, lines);
    for (line, y) in folded.iter().zip(y..) {
        doc.words(x, y, width, line, tone);
    }
    folded.len()
}
