//! Lists that are indented as CommonMark indents code. Models write them so and mean lists.
//!
//! They are read without that indentation; ranges of what is read lead back to the text as it
//! stands.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Blanks that make code of a line.
const INDENT: usize = 4;
/// How many times lists are looked for: one that was taken out can have another one in it.
const MOST_ROUNDS: usize = 4;

/// What is read of Markdown besides CommonMark.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// A text without the blanks that would make code of its lists.
pub(super) struct Dedented<'s> {
    text: Cow<'s, str>,
    /// What is missing, as ranges of the source, ascending.
    missing: Vec<Range<usize>>,
    /// For each of them its place in `text`, and how many bytes are missing with it and before it.
    places: Vec<(usize, usize)>,
}

impl<'s> Dedented<'s> {
    /// The text without them; the source itself where there are none. `None` once `wanted` says no.
    pub(super) fn of(source: &'s str, wanted: &dyn Fn() -> bool) -> Option<Self> {
        let mut dedented = Self {
            text: Cow::Borrowed(source),
            missing: Vec::new(),
            places: Vec::new(),
        };
        for _ in 0..MOST_ROUNDS {
            if !may_be_indented(&dedented.text) {
                break;
            }
            let blanks = indents_of_lists(&dedented.text, wanted)?;
            if blanks.is_empty() {
                break;
            }
            let in_source = blanks.into_iter().map(|blanks| {
                let start = dedented.range(blanks.start..blanks.start).start;
                start..start + blanks.len()
            });
            let in_source: Vec<_> = in_source.collect();
            dedented.missing.extend(in_source);
            dedented.missing.sort_unstable_by_key(|range| range.start);
            dedented.rebuild(source);
        }
        Some(dedented)
    }

    /// What is to be read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where a range of it stands in the source.
    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        // What begins where something is missing begins behind that, and what ends there ends
        // before it.
        let before = |count: usize| count.checked_sub(1).map_or(0, |last| self.places[last].1);
        let start = range.start + before(self.places.partition_point(|(at, _)| *at <= range.start));
        let end = range.end + before(self.places.partition_point(|(at, _)| *at < range.end));
        start..end.max(start)
    }

    fn rebuild(&mut self, source: &str) {
        let mut text = String::with_capacity(source.len());
        let (mut end, mut sum) = (0, 0);
        self.places.clear();
        for range in &self.missing {
            text.push_str(&source[end..range.start]);
            sum += range.len();
            self.places.push((text.len(), sum));
            end = range.end;
        }
        text.push_str(&source[end..]);
        self.text = Cow::Owned(text);
    }
}

/// Returns whether a text has a block of code: fenced, or indented and no list.
pub fn has_code(text: &str) -> bool {
    let has_block = || {
        Dedented::of(text, &|| true).is_some_and(|dedented| {
            Parser::new_ext(dedented.text(), options())
                .any(|event| matches!(event, Event::Start(Tag::CodeBlock(_))))
        })
    };
    has_backtick_block(text) || ((text.contains("~~~") || may_be_indented(text)) && has_block())
}

/// Returns whether backticks fence code of several lines. CommonMark has a fence begin its line;
/// models also write "Use:```python" and go on below. "Use ```x``` here" is a word of a sentence.
fn has_backtick_block(text: &str) -> bool {
    const FENCE: &str = "```";
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(FENCE) {
        let inside = after.trim_start_matches('`');
        let Some((inside, after)) = inside.split_once(FENCE) else {
            let line = text[..text.len() - rest.len() + before.len()]
                .rsplit('\n')
                .next();
            let (info, code) = inside.split_once('\n').unwrap_or((inside, ""));
            let begins_line = line.is_some_and(|line| line.trim().is_empty());
            let is_info = !info.trim().contains(char::is_whitespace);
            return begins_line || (is_info && !code.trim().is_empty());
        };
        if inside.contains('\n') {
            return true;
        }
        rest = after.trim_start_matches('`');
    }
    false
}

/// Whether there are blanks enough to make code of any line.
fn may_be_indented(text: &str) -> bool {
    text.contains("    ") || text.contains('\t')
}

/// The blanks that make code of lists, ascending; `None` once `wanted` says no.
fn indents_of_lists(text: &str, wanted: &dyn Fn() -> bool) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut lines: Option<Vec<Range<usize>>> = None;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        if !wanted() {
            return None;
        }
        match (event, &mut lines) {
            (Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)), _) => lines = Some(Vec::new()),
            (Event::Text(_), Some(lines)) => lines.push(range),
            (Event::End(TagEnd::CodeBlock), Some(block)) => {
                found.extend(indents_of_list(text, block));
                lines = None;
            }
            _ => {}
        }
    }
    Some(found)
}

/// Of a block of code the blanks that make code of a list, or nothing where its first line is no
/// item of one. `lines` begin behind the blanks that CommonMark takes.
fn indents_of_list(text: &str, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let lines: Vec<_> = lines
        .iter()
        .filter(|line| !text[(*line).clone()].trim().is_empty())
        .collect();
    let least = lines
        .iter()
        .map(|line| blanks(&text[(*line).clone()]))
        .min()
        .unwrap_or(0);
    let is_list = lines.first().is_some_and(|line| {
        let first = &text[(*line).clone()];
        blanks(first) == least && is_item(first.trim_start_matches(' '))
    });
    if !is_list {
        return Vec::new();
    }
    let indents = lines.into_iter().map(|line| {
        let before = &text[..line.start];
        let taken = match before.strip_suffix('\t') {
            Some(_) => 1,
            None => (before.len() - before.trim_end_matches(' ').len()).min(INDENT),
        };
        line.start - taken..line.start + least
    });
    indents.filter(|indent| !indent.is_empty()).collect()
}

/// Whether a line begins as an item of a list does: a bullet or a number, a blank, and something. A
/// thematic break such as `* * *` is no item.
pub(super) fn is_item(line: &str) -> bool {
    let is_break = |sign: char| {
        line.matches(sign).count() >= 3 && line.trim_matches([sign, ' ', '\t']).is_empty()
    };
    if is_break('-') || is_break('*') {
        return false;
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+', '•']),
        1..=9 => line[digits..].strip_prefix(['.', ')']),
        _ => None,
    };
    rest.is_some_and(|rest| rest.starts_with(' ') && !rest.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_texts_have_code() {
        for (text, has) in [
            ("plain", false),
            ("```\nx\n```", true),
            ("Use:```python\nx```", true),
            ("Use:```python\nx\n```\n", true),
            ("Use:```python\nx", true),
            ("Use: ```x = 1\ny = 2```", true),
            ("- one\n  ```\n  x", true),
            ("```x", true),
            ("use ```x``` here", false),
            ("```x``` begins a line", false),
            ("use ```x``` here\nand ````y```` there\n", false),
            ("say ```x```,\nor ``` with blanks\nbelow", false),
            ("use ```x``` here:\n\n    y = 1\n", true),
            ("ends in ```", false),
            ("~~~\nx\n~~~", true),
            ("~~~ sh\nls", true),
            ("about ~~~ 3 and ~~struck~~", false),
            ("text:\n\n    x = 1\n", true),
            ("text:\n\n\tx = 1\n", true),
            ("text\n    goes on", false),
            ("1. one\n\n       x = 1\n", true),
            ("- one\n    - two\n        - three", false),
            ("text:\n\n    - one\n    - two\n", false),
            ("text:\n\n    1. one\n    2. two\n", false),
            ("text:\n\n\t* one\n\t* two\n", false),
            ("    - one\n\n          x = 1\n", true),
            ("    -x\n", true),
            ("wide    blanks", false),
        ] {
            assert_eq!(has_code(text), has, "{text:?}");
        }
    }

    #[test]
    fn ranges_lead_back_to_the_source() {
        for (source, read) in [
            ("a\n\n    - b\n    - c\n", "a\n\n- b\n- c\n"),
            ("     - b\n       - c\n\n     - d", "- b\n  - c\n\n- d"),
            ("- a\n\n      - b\n", "- a\n\n  - b\n"),
            ("\t- b\n\t- c", "- b\n- c"),
            ("    x\n    - b\n", "    x\n    - b\n"),
            ("    - é\n\n              - c\n", "- é\n\n  - c\n"),
        ] {
            let dedented = Dedented::of(source, &|| true).expect("wanted");
            assert_eq!(dedented.text(), read, "{source:?}");
            for (at, sign) in read
                .char_indices()
                .filter(|(_, sign)| !sign.is_whitespace())
            {
                let range = dedented.range(at..at + sign.len_utf8());
                assert_eq!(
                    source.get(range),
                    read.get(at..at + sign.len_utf8()),
                    "{source:?} {at}"
                );
            }
        }
    }
}
