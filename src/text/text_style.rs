//! What a stretch of text is, not how it looks: the styles that `ui` later turns into colours and
//! attributes.
//!
//! A style is a set of small facts (strong, in a quote, a search hit), so that facts from different
//! places (Markdown, sanitising, search) add up on the same bytes without knowing of each other.

use std::fmt;
use std::ops::{BitOr, Range};

/// A set of facts about a stretch of text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TextStyle(u32);

impl TextStyle {
    /// Ordinary text.
    pub const NONE: Self = Self(0);
    /// Markdown strong.
    pub const STRONG: Self = Self(1);
    /// Markdown emphasis.
    pub const EMPHASIS: Self = Self(1 << 1);
    /// Markdown strikethrough.
    pub const STRIKE: Self = Self(1 << 2);
    /// Inline code.
    pub const CODE: Self = Self(1 << 3);
    /// A line of a code block, or its language tag (which is also `DIM`).
    pub const CODE_BLOCK: Self = Self(1 << 4);
    /// A heading, with its `#` marks (which are also `DIM` and `MARKER`).
    pub const HEADING: Self = Self(1 << 5);
    /// A block quote: its bar and its text.
    pub const QUOTE: Self = Self(1 << 6);
    /// The text of a link; its address is `DIM` only.
    pub const LINK: Self = Self(1 << 7);
    /// A list bullet or number, a task box, the marks before a heading.
    pub const MARKER: Self = Self(1 << 8);
    /// A thematic break.
    pub const RULE: Self = Self(1 << 9);
    /// A border of a table.
    pub const TABLE: Self = Self(1 << 10);
    /// A glyph that stands for a character which must not reach the screen.
    pub const HIDDEN: Self = Self(1 << 11);
    /// A citation whose quote exists.
    pub const CITATION_LIVE: Self = Self(1 << 12);
    /// A citation whose number is beyond the quotes.
    pub const CITATION_DANGLING: Self = Self(1 << 13);
    /// A search hit.
    pub const HIT: Self = Self(1 << 14);
    /// Secondary text.
    pub const DIM: Self = Self(1 << 15);
    /// The search hit on which one stands.
    pub const HERE: Self = Self(1 << 16);
    /// Name of a member of a JSON object.
    pub const JSON_KEY: Self = Self(1 << 17);
    /// A JSON string.
    pub const JSON_STRING: Self = Self(1 << 18);
    /// A JSON number.
    pub const JSON_NUMBER: Self = Self(1 << 19);
    /// `true`, `false`, `null`, and what stands bare in a record besides numbers (`NaN`).
    pub const JSON_LITERAL: Self = Self(1 << 20);
    /// What only the response on the left says.
    pub const ONLY_A: Self = Self(1 << 21);
    /// What only the response on the right says.
    pub const ONLY_B: Self = Self(1 << 22);
    /// What both responses say.
    pub const COMMON: Self = Self(1 << 23);

    /// Whether every fact of `other` is in this style.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The facts of both.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether this is ordinary text.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for TextStyle {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl fmt::Debug for TextStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 24] = [
            "STRONG",
            "EMPHASIS",
            "STRIKE",
            "CODE",
            "CODE_BLOCK",
            "HEADING",
            "QUOTE",
            "LINK",
            "MARKER",
            "RULE",
            "TABLE",
            "HIDDEN",
            "CITATION_LIVE",
            "CITATION_DANGLING",
            "HIT",
            "DIM",
            "HERE",
            "JSON_KEY",
            "JSON_STRING",
            "JSON_NUMBER",
            "JSON_LITERAL",
            "ONLY_A",
            "ONLY_B",
            "COMMON",
        ];
        let set = NAMES
            .iter()
            .enumerate()
            .filter(|(bit, _)| self.0 & (1 << bit) != 0);
        let names: Vec<&str> = set.map(|(_, name)| *name).collect();
        write!(f, "Face({})", names.join("|"))
    }
}

/// A style over a range of bytes.
///
/// In a [`StyledText`](super::StyledText) the runs are sorted, not empty, do not overlap, and begin and end
/// between graphemes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledRun {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What they are; never empty.
    pub style: TextStyle,
}

/// Appends a run behind all others, growing the last one where it continues it.
pub(super) fn push_run(runs: &mut Vec<StyledRun>, range: Range<usize>, style: TextStyle) {
    if range.is_empty() || style.is_empty() {
        return;
    }
    match runs.last_mut() {
        Some(last) if last.range.end == range.start && last.style == style => {
            last.range.end = range.end;
        }
        _ => runs.push(StyledRun { range, style }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_is_a_set() {
        let both = TextStyle::STRONG | TextStyle::HIT;
        assert!(
            both.contains(TextStyle::STRONG)
                && both.contains(TextStyle::HIT)
                && both.contains(TextStyle::NONE)
        );
        assert!(!both.contains(TextStyle::STRONG | TextStyle::DIM));
        assert!(TextStyle::NONE.is_empty() && !both.is_empty());
        assert_eq!(format!("{both:?}"), "Face(STRONG|HIT)");
    }

    #[test]
    fn runs_that_continue_each_other_are_one() {
        let mut runs = Vec::new();
        push_run(&mut runs, 0..2, TextStyle::STRONG);
        push_run(&mut runs, 2..3, TextStyle::STRONG);
        push_run(&mut runs, 3..3, TextStyle::STRONG);
        push_run(&mut runs, 3..4, TextStyle::NONE);
        push_run(&mut runs, 4..5, TextStyle::STRONG);
        assert_eq!(
            runs.iter().map(|run| run.range.clone()).collect::<Vec<_>>(),
            [0..3, 4..5]
        );
    }
}
