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
    /// A line of a code block, its fences among them (which are also `DIM`).
    pub const CODE_BLOCK: Self = Self(1 << 4);
    /// The text of a heading; its `#` are `DIM` only.
    pub const HEADING: Self = Self(1 << 5);
    /// The text of a block quote; its `>` are `DIM` only.
    pub const QUOTE: Self = Self(1 << 6);
    /// The text of a link; its address is `DIM` only.
    pub const LINK: Self = Self(1 << 7);
    /// A list bullet or number, a task box.
    pub const MARKER: Self = Self(1 << 8);
    /// A thematic break.
    pub const RULE: Self = Self(1 << 9);
    /// What continues the dashes below the head of a table; no part of the text.
    pub const TABLE: Self = Self(1 << 10);
    /// A glyph that stands for a character which must not reach the screen.
    pub const HIDDEN: Self = Self(1 << 11);
    /// A citation whose quote exists.
    pub const CITATION_LIVE: Self = Self(1 << 12);
    /// A citation whose number is beyond the quotes.
    pub const CITATION_DANGLING: Self = Self(1 << 13);
    /// A search hit.
    pub const HIT: Self = Self(1 << 14);
    /// Markup, or secondary text.
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

/// Runs that are sorted and apart, from ranges in any order that may overlap: where several cover a
/// byte, it has the styles of all.
pub(super) fn runs_of(spans: impl Iterator<Item = StyledRun>) -> Vec<StyledRun> {
    // Where a range starts or ends, and its style there.
    let mut edges: Vec<(usize, bool, TextStyle)> = Vec::new();
    for StyledRun { range, style } in spans.filter(|span| !span.range.is_empty()) {
        edges.push((range.start, true, style));
        edges.push((range.end, false, style));
    }
    edges.sort_unstable_by_key(|(at, ..)| *at);
    let (mut runs, mut from) = (Vec::new(), 0);
    // How many ranges give each style here.
    let mut open = [0_u32; u32::BITS as usize];
    let mut style = TextStyle::NONE;
    for (at, starts, of_range) in edges {
        push_run(&mut runs, from..at, style);
        from = at;
        for (bit, open) in (0..u32::BITS).zip(&mut open) {
            let mask = 1 << bit;
            if of_range.0 & mask != 0 {
                *open = if starts { *open + 1 } else { *open - 1 };
                style.0 = if *open > 0 {
                    style.0 | mask
                } else {
                    style.0 & !mask
                };
            }
        }
    }
    runs
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
