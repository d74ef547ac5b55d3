//! The first sample of a rule, below the rules: its prompt and its first two responses side by
//! side.

use super::rows::{COMMON, FindingsRow};
use crate::app::pages::layout_preview::{Preview, PreviewResponse};
use crate::app::pages::page_doc::{LEFT, PageDoc, PageMark, PagePane, PageSources, PageTone};
use crate::app::sample::typesetter::stack_of;
use crate::dataset::{Buffers, Dataset, SampleBody};
use crate::text::{self, Hidden, StyledText, counted, grouped};

/// Minimum rows of a preview; with less room, the rules take the whole page.
pub(super) const LEAST: usize = 8;

/// The preview of a sample.
#[derive(Debug, Clone)]
pub struct SamplePreview {
    /// Sample and row number, as shown.
    place: String,
    /// The content, or why it could not be read.
    body: Result<Preview, String>,
}

impl SamplePreview {
    pub(super) fn of(dataset: &Dataset, sample: u32) -> Option<Self> {
        let mut buffers = Buffers::default();
        let loaded = dataset.read(sample as usize, &mut buffers)?;
        let body = match &loaded.body {
            SampleBody::Sample(sample) => Ok(Preview::of(sample, loaded.schema)),
            SampleBody::Malformed { row_error, .. } => Err(row_error.reason.clone()),
            SampleBody::Unreadable(error) => Err(error.to_string()),
        };
        let row = loaded.places.first().map_or(0, |place| place.row);
        let (sample, row) = (grouped(sample as usize + 1), grouped(row as usize));
        Some(Self {
            place: format!("sample {sample} · row {row}"),
            body,
        })
    }

    /// Lays out the preview on `lines` lines from line `y` on, below a rule with the row's title.
    pub(super) fn lay(
        &self,
        doc: &mut PageDoc,
        row: &FindingsRow,
        [y, lines]: [usize; 2],
        of: &PageSources<'_>,
    ) {
        let width = of.size.0;
        doc.put(0, y, width, PageMark::Rule(PageTone::Focus));
        let shown = row.count.map_or(0, |count| count.shown);
        let common = if row.is_common { COMMON } else { "" };
        let count = format!("{}{common} ", counted(shown, "sample"));
        let room = width.saturating_sub(2);
        let name = text::one_line(row.title(width), usize::from(room.saturating_sub(2)));
        let name = format!(" {name} ");
        let cells = (text::width(&name) as u16).min(room);
        doc.put(1, y, cells, PageMark::Words(name, PageTone::Title));
        let count = PageMark::Words(count, PageTone::Name);
        doc.put(1 + cells, y, room - cells, count);
        let place = text::width(&self.place) as u16;
        doc.words(1, y + 1, room, &self.place, PageTone::Name);
        let prompt = match &self.body {
            Ok(preview) => &preview.prompt,
            Err(why) => why,
        };
        let left = room.saturating_sub(place + 2);
        doc.words(3 + place, y + 1, left, prompt, PageTone::Value);
        // Responses beside each other cannot be read aloud.
        let preview = self.body.as_ref().ok().filter(|_| !of.is_linear);
        let Some(preview) = preview else { return };
        let (y, lines) = (y + 2, lines.saturating_sub(3));
        doc.put(0, y, width, PageMark::Rule(PageTone::Faint));
        let shown = &preview.responses[..preview.responses.len().min(2)];
        let half = width / shown.len().max(1) as u16;
        for (at, response) in (0..).zip(shown) {
            let x = half * at;
            // The last response takes the remaining width.
            let cells = if at as usize + 1 == shown.len() {
                width - x
            } else {
                half
            };
            if at > 0 {
                for line in 0..=lines {
                    doc.put(x, y + line, 1, PageMark::Divider { is_top: line == 0 });
                }
            }
            let room = cells.saturating_sub(2 + LEFT);
            lay_title(doc, response, [x + 1, room], y);
            let clean = text::sanitise(&response.text, Hidden::Discreet);
            let text = stack_of(StyledText::markdown(clean, of.glyphs), room);
            doc.panes.push(PagePane {
                x: x + LEFT,
                y: y + 1,
                width: room,
                lines,
                text,
            });
        }
    }
}

/// Lays out a response's letter, `wins` if it does, and as many of its labels as fit completely.
fn lay_title(doc: &mut PageDoc, response: &PreviewResponse, [x, width]: [u16; 2], y: usize) {
    let words = format!(" {}{} ", response.id.letter(), response.wins);
    let tone = if response.wins.is_empty() {
        PageTone::Response(response.id)
    } else {
        PageTone::Winner(response.id)
    };
    let cells = text::width(&words) as u16;
    let left = width.saturating_sub(cells);
    doc.put(x, y, width, PageMark::Words(words, tone));
    let mut shown = String::from(" ");
    for rating in &response.ratings {
        // Label names come from files and are not sanitised.
        let rating = text::one_line(rating, usize::from(width));
        if text::width(&shown) + text::width(&rating) + 2 > usize::from(left) {
            break;
        }
        shown.push_str(&format!("{rating}  "));
    }
    let shown = shown.trim_end();
    if !shown.is_empty() {
        let shown = PageMark::Words(format!("{shown} "), PageTone::Name);
        doc.put(x + cells, y, left, shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ResponseId;

    #[test]
    fn names_of_labels_from_a_file_are_sanitised() {
        let response = PreviewResponse {
            id: ResponseId::A,
            wins: String::new(),
            ratings: vec!["he\u{202e}lp\u{1b}[31m 4".to_owned(), "tone 2".to_owned()],
            text: String::new(),
        };
        let mut doc = PageDoc::default();
        lay_title(&mut doc, &response, [0, 60], 0);
        let words = doc.items.iter().filter_map(|item| match &item.what {
            PageMark::Words(words, _) => Some(words.as_str()),
            _ => None,
        });
        let words: String = words.collect();
        assert!(words.ends_with("4  tone 2 "), "{words}");
        assert!(!words.contains(['\u{202e}', '\u{1b}']), "{words:?}");
    }
}
