//! The keys, on the whole body of the screen.

use super::{Canvas, Glyphs};
use crate::app::HelpLine;
use crate::text;

impl Canvas<'_> {
    pub(super) fn help(&mut self) {
        let (width, height) = self.app.size();
        let (help, top) = self.app.help();
        let keys_width = help.lines.iter().map(|line| match line {
            HelpLine::Group(_) | HelpLine::Gap => 0,
            HelpLine::Keys(keys, _) => text::width(keys),
        });
        let keys_width = keys_width.max().unwrap_or(0).min(usize::from(width) / 3) as u16;
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
                    self.put(4, y, 4 + keys_width, keys, key);
                    self.put(6 + keys_width, y, width, what, plain);
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
