//! The keys, on the whole body of the screen.

use super::{Canvas, Glyphs};
use crate::app::HelpLine;
use crate::text;

/// Cells of the column of keys, at most.
const WIDEST_KEYS: usize = 22;

impl Canvas<'_> {
    pub(super) fn help(&mut self) {
        let (width, height) = self.app.size();
        let (help, top) = self.app.help();
        // What is wider than the column of keys takes the room of its own row.
        let most = WIDEST_KEYS.min(usize::from(width) / 3);
        let widths = help.lines.iter().map(|line| match line {
            HelpLine::Group(_) | HelpLine::Gap => 0,
            HelpLine::Keys(keys, _) => text::width(keys),
        });
        let keys_width = widths.filter(|cells| *cells <= most).max().unwrap_or(0) as u16;
        let (title, key, plain) = (
            self.look.theme.title_focus,
            self.look.theme.key,
            self.look.theme.text,
        );
        let rows = height.saturating_sub(4);
        for (line, y) in help.lines.iter().skip(top).take(usize::from(rows)).zip(2..) {
            match line {
                HelpLine::Gap => {}
                HelpLine::Group(name) => {
                    self.put(2, y, width, name, title);
                }
                HelpLine::Keys(keys, what) => {
                    let end = self.cut(4, y, width, keys, key);
                    self.cut((6 + keys_width).max(end + 2), y, width, what, plain);
                }
            }
        }
        if help.lines.len() > top + usize::from(rows) && height > 3 {
            let dim = self.look.theme.dim;
            self.put(2, height - 2, width, "j for more", dim);
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
            "A wins, B wins, a tie; the margin is A minus B",
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
