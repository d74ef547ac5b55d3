//! The keys, on the whole body of the screen.

use super::{Canvas, Glyphs};
use crate::app::HelpLine;

/// The column of the names of groups, and that of the keys, in a column of help.
const GROUP: u16 = 2;
const KEYS: u16 = 4;

impl Canvas<'_> {
    pub(super) fn help(&mut self) {
        let (width, height) = self.app.size();
        let Some(layout) = self.app.help_layout() else {
            return;
        };
        let theme = &self.look.theme;
        let (title, key, plain, dim) = (theme.title_focus, theme.key, theme.text, theme.dim);
        let rows = usize::from(height.saturating_sub(4));
        for (column, place) in layout.columns.iter().zip(0..) {
            let left = place * layout.width;
            let end = (left + layout.width + 1).min(width);
            for (line, y) in column.iter().skip(layout.top).take(rows).zip(2..) {
                match line {
                    HelpLine::Gap => {}
                    HelpLine::Group(name) => {
                        self.cut(left + GROUP, y, end, name, title);
                    }
                    HelpLine::Keys(keys, what) => {
                        self.cut(left + KEYS, y, end, keys, key);
                        self.cut(left + KEYS + layout.keys + 2, y, end, what, plain);
                    }
                }
            }
        }
        if layout.rows() == 0 {
            self.put(GROUP, 2, width, "Nothing here has all these words.", dim);
        }
        if layout.rows() > layout.top + rows && height > 3 {
            self.put_more(GROUP, height - 2);
        }
    }
}

/// What the signs on the screen mean: the part of the help that belongs to the look.
pub fn legend(glyphs: &Glyphs) -> Vec<HelpLine> {
    let bar = glyphs.bar_full.repeat(3) + glyphs.bar_empty;
    let signs = [
        (
            bar,
            "a label: 3 of 4; +2 behind the number: two more than the other response",
        ),
        (
            format!("{} {} {}", glyphs.winner_a, glyphs.winner_b, glyphs.tie),
            "A wins, B wins, a tie; by how much of the label or score that decides; the margin is A minus B",
        ),
        (
            glyphs.malformed.to_owned(),
            "a row that does not read as its schema says",
        ),
        (
            glyphs.finding.to_owned(),
            "something to look at: a citation without its quote, hidden characters, a row read leniently",
        ),
        (
            glyphs.matching.to_owned(),
            "the response that the filter is about, where it is not both",
        ),
        (
            format!("{} {}", glyphs.judged, glyphs.begun),
            "in the list: you rated the sample; in an audit: all that is asked of it, or a part",
        ),
        (
            format!("{} {}", glyphs.skipped, glyphs.deferred),
            "in an audit: skipped; to be judged later",
        ),
        (
            format!("{} {}", glyphs.mark, glyphs.note),
            "you marked the sample; you wrote a note about it or tagged it",
        ),
        (
            "y n ?".to_owned(),
            "in the list: you checked the sample, and what the dataset says of it is right, wrong, unclear",
        ),
        (
            "[1]".to_owned(),
            "a citation; underlined and coloured otherwise when no quote has its number",
        ),
    ];
    let lines = signs
        .into_iter()
        .map(|(sign, meaning)| HelpLine::Keys(sign, meaning.to_owned()));
    [HelpLine::Gap, HelpLine::Group("Signs".to_owned())]
        .into_iter()
        .chain(lines)
        .collect()
}
