//! What a range of text is, not how it looks: styles that `ui` maps to colours and attributes.
//!
//! A style is a set of flags (strong, in a quote, a search hit), so Markdown, sanitising and search
//! can add flags to the same bytes independently.

use std::ops::Range;

bitflags::bitflags! {
    /// A set of flags for a range of text.
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
        /// A line of a code block; fences are also `DIM`.
        const CODE_BLOCK = 1 << 4;
        /// The text of a heading; its `#` are only `DIM`.
        const HEADING = 1 << 5;
        /// The text of a block quote; its `>` are only `DIM`.
        const QUOTE = 1 << 6;
        /// The text of a link; its address is only `DIM`.
        const LINK = 1 << 7;
        /// A list bullet or number, a task box.
        const MARKER = 1 << 8;
        /// A thematic break.
        const RULE = 1 << 9;
        /// Padding of the delimiter row of a table; not part of the text.
        const TABLE = 1 << 10;
        /// A glyph that replaces a character that must not reach the screen.
        const HIDDEN = 1 << 11;
        /// A citation whose quote exists.
        const CITATION_LIVE = 1 << 12;
        /// A citation without its quote.
        const CITATION_DANGLING = 1 << 13;
        /// A search hit.
        const HIT = 1 << 14;
        /// Markup, or secondary text.
        const DIM = 1 << 15;
        /// The selected search hit.
        const HERE = 1 << 16;
        /// The name of a member of a JSON object.
        const JSON_KEY = 1 << 17;
        /// A JSON string.
        const JSON_STRING = 1 << 18;
        /// A JSON number.
        const JSON_NUMBER = 1 << 19;
        /// `true`, `false`, `null`, and other bare words of a record except numbers (`NaN`).
        const JSON_LITERAL = 1 << 20;
        /// Only in the left response.
        const ONLY_A = 1 << 21;
        /// Only in the right response.
        const ONLY_B = 1 << 22;
        /// In both responses.
        const COMMON = 1 << 23;
    }
}

impl TextStyle {
    /// Ordinary text.
    pub const NONE: Self = Self::empty();
}

/// A style over a range of bytes.
///
/// In a [`StyledText`](crate::text::StyledText), runs are sorted, not empty, disjoint, and at grapheme
/// boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledRun {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// The style; never empty.
    pub style: TextStyle,
}

/// Appends a run, merging it with the last one if it continues that.
pub fn push_run(runs: &mut Vec<StyledRun>, range: Range<usize>, style: TextStyle) {
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

/// Returns sorted, disjoint runs from ranges in any order; where ranges overlap, their styles
/// combine.
pub fn runs_of(spans: impl Iterator<Item = StyledRun>) -> Vec<StyledRun> {
    // Starts and ends of ranges, with their styles.
    let mut edges: Vec<(usize, bool, TextStyle)> = Vec::new();
    for StyledRun { range, style } in spans.filter(|span| !span.range.is_empty()) {
        edges.push((range.start, true, style));
        edges.push((range.end, false, style));
    }
    edges.sort_unstable_by_key(|(at, ..)| *at);
    let (mut runs, mut from) = (Vec::new(), 0);
    // Number of ranges with each style here.
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
