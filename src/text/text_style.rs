//! What a stretch of text is, not how it looks: the styles that `ui` later turns into colours and
//! attributes.
//!
//! A style is a set of small facts (strong, in a quote, a search hit), so that facts from different
//! places (Markdown, sanitising, search) add up on the same bytes without knowing of each other.

use std::ops::Range;

bitflags::bitflags! {
    /// A set of facts about a stretch of text.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct TextStyle: u32 {
        /// Markdown strong.
        const STRONG = 1;
        /// Markdown emphasis.
        const EMPHASIS = 1 << 1;
        /// Markdown strikethrough.
        const STRIKE = 1 << 2;
        /// Inline code.
        const CODE = 1 << 3;
        /// A line of a code block, its fences among them (which are also `DIM`).
        const CODE_BLOCK = 1 << 4;
        /// The text of a heading; its `#` are `DIM` only.
        const HEADING = 1 << 5;
        /// The text of a block quote; its `>` are `DIM` only.
        const QUOTE = 1 << 6;
        /// The text of a link; its address is `DIM` only.
        const LINK = 1 << 7;
        /// A list bullet or number, a task box.
        const MARKER = 1 << 8;
        /// A thematic break.
        const RULE = 1 << 9;
        /// What continues the dashes below the head of a table; no part of the text.
        const TABLE = 1 << 10;
        /// A glyph that stands for a character which must not reach the screen.
        const HIDDEN = 1 << 11;
        /// A citation whose quote exists.
        const CITATION_LIVE = 1 << 12;
        /// A citation whose number is beyond the quotes.
        const CITATION_DANGLING = 1 << 13;
        /// A search hit.
        const HIT = 1 << 14;
        /// Markup, or secondary text.
        const DIM = 1 << 15;
        /// The search hit on which one stands.
        const HERE = 1 << 16;
        /// The name of a member of a JSON object.
        const JSON_KEY = 1 << 17;
        /// A JSON string.
        const JSON_STRING = 1 << 18;
        /// A JSON number; a string, a number or a constant of code.
        const VALUE = 1 << 19;
        /// `true`, `false`, `null`, and other bare words of a record that are no numbers (`NaN`).
        const JSON_LITERAL = 1 << 20;
        /// What only the response on the left says.
        const ONLY_A = 1 << 21;
        /// What only the response on the right says.
        const ONLY_B = 1 << 22;
        /// What both responses say.
        const COMMON = 1 << 23;
    }
}

impl TextStyle {
    /// Ordinary text.
    pub const NONE: Self = Self::empty();
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
        for one in of_range.iter() {
            let open = &mut open[one.bits().trailing_zeros() as usize];
            *open = if starts { *open + 1 } else { *open - 1 };
            style.set(one, *open > 0);
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
