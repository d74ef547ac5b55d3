//! Words with tables, as Markdown and laid out for a width.

use std::ops::Range;

use super::card::AnswerSection;
use super::table::AnswerTable;
use crate::text::{StyledText, TextGlyphs, TextStyle, markdown_tables};

/// What a command or a page says: words in Markdown, with tables between them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer(Vec<AnswerPart>);

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
enum AnswerPart {
    /// Headings, paragraphs, lists and code in Markdown of our own.
    Words(String),
    Table(AnswerTable),
    /// Cards; only a page sets them side by side.
    Cards(AnswerSection),
}

/// Tables of an answer whose words are not yet written.
#[derive(Debug, Default)]
pub struct AnswerTables(Vec<AnswerTable>);

/// The mark of a table in words, before its index. Foreign words cannot have it: they are sanitised.
const PLACE: char = '\u{1}';

impl AnswerTables {
    /// Keeps a table, and returns the line that marks its place in the words; empty for an empty
    /// table.
    pub fn put(&mut self, table: AnswerTable) -> String {
        if table.is_empty() {
            return String::new();
        }
        self.0.push(table);
        format!("{PLACE}{}", self.0.len() - 1)
    }

    /// Returns an answer of Markdown of our own with these tables and those that it writes out.
    pub fn answer(mut self, markdown: &str) -> Answer {
        let (mut answer, mut at) = (Answer::default(), 0);
        for (range, table) in markdown_tables(markdown) {
            answer.add_words(&markdown[at..range.start], &mut self);
            let table = AnswerTable::of_markdown(table);
            answer.0.push(AnswerPart::Table(table));
            at = range.end;
        }
        answer.add_words(&markdown[at..], &mut self);
        answer
    }
}

/// An answer laid out for a width.
#[derive(Debug, Clone, Default)]
pub struct LaidAnswer {
    /// Its lines, to wrap at that width.
    pub text: StyledText,
    /// The bytes of cells with a query, and the query for their samples or why there is none.
    pub spots: Vec<(Range<usize>, Result<String, String>)>,
}

impl Answer {
    /// Reads Markdown of our own.
    pub fn of_markdown(markdown: &str) -> Self {
        AnswerTables::default().answer(markdown)
    }

    /// Makes an answer of sections of cards.
    pub fn of_sections(sections: Vec<AnswerSection>) -> Self {
        Self(sections.into_iter().map(AnswerPart::Cards).collect())
    }

    /// Iterates over its sections of cards.
    pub fn sections(&self) -> impl Iterator<Item = &AnswerSection> {
        self.0.iter().filter_map(|part| match part {
            AnswerPart::Cards(section) => Some(section),
            AnswerPart::Words(_) | AnswerPart::Table(_) => None,
        })
    }

    fn add_words(&mut self, markdown: &str, AnswerTables(tables): &mut AnswerTables) {
        for line in markdown.split_inclusive('\n') {
            let place = line.trim_end().strip_prefix(PLACE);
            let place = place.and_then(|place| place.parse::<usize>().ok());
            match (place.and_then(|at| tables.get_mut(at)), self.0.last_mut()) {
                (Some(table), _) => self.0.push(AnswerPart::Table(std::mem::take(table))),
                (None, Some(AnswerPart::Words(words))) => words.push_str(line),
                (None, _) => self.0.push(AnswerPart::Words(line.to_owned())),
            }
        }
    }

    /// Returns the answer in Markdown.
    pub fn markdown(&self) -> String {
        let part = |part: &AnswerPart| match part {
            AnswerPart::Words(words) => words.clone(),
            AnswerPart::Table(table) => table.markdown(),
            AnswerPart::Cards(section) => section.tables().markdown(),
        };
        self.0.iter().map(part).collect()
    }

    /// Returns the answer as plain text: each row of a table is a line, in aligned columns.
    pub fn text(&self) -> String {
        let glyphs = TextGlyphs {
            rule: "",
            ..TextGlyphs::UNICODE
        };
        let laid = self.laid(usize::MAX, glyphs);
        let lines = laid.text.text().lines();
        lines
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect()
    }

    /// Lays the answer out without the signs of Markdown, its tables for `room` terminal cells.
    pub fn laid(&self, room: usize, glyphs: TextGlyphs) -> LaidAnswer {
        let mut laid = LaidAnswer::default();
        self.lay(room, glyphs, &mut laid);
        laid
    }

    fn lay(&self, room: usize, glyphs: TextGlyphs, laid: &mut LaidAnswer) {
        for part in &self.0 {
            match part {
                AnswerPart::Words(words) => {
                    let words = StyledText::document(words, glyphs);
                    laid.text.add(&words, TextStyle::NONE);
                }
                AnswerPart::Table(table) => table.lay(room, glyphs, laid),
                AnswerPart::Cards(section) => section.tables().lay(room, glyphs, laid),
            }
        }
    }
}

impl AnswerTable {
    /// Returns the rows below their headings as plain text, a line each.
    pub fn text(self) -> String {
        Answer(vec![AnswerPart::Table(self)]).text()
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{AnswerCell, AnswerColumn};
    use super::*;
    use crate::text::wrap;

    #[test]
    fn an_answer_is_read_without_the_signs_of_markdown() {
        let columns: [AnswerColumn<u32>; 1] = [("", "n", |n| {
            AnswerCell::from(*n).found_by(Some(Ok(format!("len={n}"))))
        })];
        let mut tables = AnswerTables::default();
        assert_eq!(tables.put(AnswerTable::default()), "");
        let place = tables.put(AnswerTable::of(&columns, [7]));
        let markdown = format!(
            "# A *b*\n\n- `c|d` \\*e\\* [f](https://g.h/i)\n\n\\[j\\] \\$k\\$\\\nl\n{place}\n```sh\n# k  **l**\n```\n\n\
             | x |\n|--:|\n| **1** |\n\nend"
        );
        let answer = tables.answer(&markdown);
        let laid = answer.laid(40, TextGlyphs::UNICODE);
        assert_eq!(
            laid.text.text(),
            "A b\n\n- c|d *e* f\n\n[j] $k$\nl\nn\n─\n7\n# k  **l**\n\nx\n─\n1\n\nend"
        );
        let lines = wrap(&laid.text, 40);
        let styled = |text: &str| {
            let pieces = lines.iter().flat_map(|line| laid.text.pieces(line));
            let of_text = pieces.filter(|(piece, _)| piece.trim() == text);
            of_text.map(|(_, style)| style).collect::<Vec<_>>()
        };
        assert_eq!(styled("A"), [TextStyle::HEADING]);
        assert_eq!(styled("c|d"), [TextStyle::CODE]);
        assert_eq!(styled("f"), [TextStyle::LINK]);
        assert_eq!(styled("# k  **l**"), [TextStyle::CODE_BLOCK]);
        assert_eq!(styled("1"), [TextStyle::STRONG]);
        let link = lines
            .iter()
            .flat_map(|line| laid.text.links_on(line))
            .next();
        assert_eq!(link, Some((10..11, "https://g.h/i")));
        let [(bytes, query)] = &*laid.spots else {
            panic!("{:?}", laid.spots)
        };
        assert_eq!(
            (&laid.text.text()[bytes.clone()], query),
            ("7", &Ok("len=7".to_owned()))
        );
        assert!(answer.markdown().contains("| n |\n| ---: |\n| 7 |\n"));
    }

    #[test]
    fn foreign_words_on_cards_stay_words() {
        use super::super::card::{AnswerBar, AnswerCard, CardBody, ShareOf, WithShown};

        let hostile = "# a\n\u{1}0\n1. `b|c`\u{1b}[31m";
        let bars = WithShown::of_whole([1, 2]);
        let bars = vec![AnswerBar::new(hostile.to_owned(), bars, None)];
        let body = CardBody::Bars(ShareOf::All, bars);
        let notes = vec![hostile.to_owned()];
        let card = AnswerCard::new("x", hostile, hostile, Vec::new(), body).with_notes(notes);
        let (key, title, cards) = ("x", "x", vec![card]);
        let answer = Answer::of_sections(vec![AnswerSection { key, title, cards }]);
        let markdown = answer.markdown();
        let lines: Vec<_> = markdown.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), 7, "{markdown}");
        assert!(!markdown.contains(['\u{1}', '\u{1b}']), "{markdown}");
        assert_eq!(lines[6].matches(" | ").count(), 3, "{markdown}");
        let code = AnswerCell::markdown("`a|b`");
        let table = AnswerTable::with_heads(&["x|y"], vec![vec![code]]);
        assert_eq!(table.markdown(), "| x\\|y |\n| --- |\n| `a\\|b` |\n");
    }
}
