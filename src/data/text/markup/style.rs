//! Markdown elements of a text, counted for style control.
//!
//! Fenced code is excluded: a comment in Python is not a header.

use memchr::memmem;

use super::blocks::is_item;

/// Counts list items: lines that begin with a bullet or a number, a blank, and something.
pub fn list_items(text: &str) -> u32 {
    prose_lines(text).map(|line| u32::from(is_item(line))).sum()
}

/// Counts headers: lines that begin with one to six `#`, a blank, and something.
pub fn headers(text: &str) -> u32 {
    if !text.contains('#') {
        return 0;
    }
    prose_lines(text)
        .map(|line| u32::from(is_header(line)))
        .sum()
}

/// Counts spans between two `**`, or two `__`, in one line, without blanks at their ends.
pub fn bold_spans(text: &str) -> u32 {
    if !has(text, "**") && !has(text, "__") {
        return 0;
    }
    prose_lines(text)
        .map(|line| spans(line, "**") + spans(line, "__"))
        .sum()
}

/// Counts fenced code blocks, including an unclosed last one.
pub fn code_blocks(text: &str) -> u32 {
    if !has_fence(text) {
        return 0;
    }
    let mut fence = None;
    let opens = |line| u32::from(step(&mut fence, line) == FenceLine::Opens);
    text.lines().map(opens).sum()
}

/// True if a text ends within fenced code, which is never closed.
pub fn is_in_code(text: &str) -> bool {
    if !has_fence(text) {
        return false;
    }
    let mut fence = None;
    for line in text.lines() {
        step(&mut fence, line);
    }
    fence.is_some()
}

pub fn is_header(line: &str) -> bool {
    let inside = line.trim_start_matches('#');
    let signs = line.len() - inside.len();
    (1..=6).contains(&signs)
        && inside.starts_with([' ', '\t'])
        && !inside.trim_matches(['#', ' ', '\t']).is_empty()
}

fn spans(line: &str, sign: &str) -> u32 {
    let (mut rest, mut count) = (line, 0);
    while let Some((_, tail)) = rest.split_once(sign) {
        let inside = tail.split_once(sign);
        let is_span = |inside: &str| {
            !inside.starts_with(char::is_whitespace)
                && !inside.ends_with(char::is_whitespace)
                && inside.contains(char::is_alphanumeric)
        };
        rest = match inside {
            Some((inside, after)) if is_span(inside) => {
                count += 1;
                after
            }
            Some(_) => tail,
            None => break,
        };
    }
    count
}

/// Position of a line relative to fenced code.
#[derive(PartialEq)]
pub enum FenceLine {
    Opens,
    Inside,
    Outside,
}

/// Returns whether a line opens a fence, is inside (including the closing line) or outside. `fence`
/// is the sign and length of the open fence.
pub fn step(fence: &mut Option<(char, usize)>, line: &str) -> FenceLine {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'));
    let run = sign.map_or(0, |sign| line.len() - line.trim_start_matches(sign).len());
    match (*fence, sign) {
        (Some((open, length)), _) => {
            let closes = sign == Some(open) && run >= length && line[run..].trim().is_empty();
            if closes {
                *fence = None;
            }
            FenceLine::Inside
        }
        // Other backticks after the opening ones make it inline code.
        (None, Some(sign)) if run >= 3 && (sign == '~' || !line[run..].contains('`')) => {
            *fence = Some((sign, run));
            FenceLine::Opens
        }
        (None, _) => FenceLine::Outside,
    }
}

/// True if a text may have fenced code; most have none, so their lines need not be checked.
fn has_fence(text: &str) -> bool {
    has(text, "```") || has(text, "~~~")
}

/// True if a text contains signs; several times as fast as `contains`, which checks each byte.
fn has(text: &str, signs: &str) -> bool {
    memmem::find(text.as_bytes(), signs.as_bytes()).is_some()
}

/// Iterates over the lines outside of fenced code, without leading blanks.
pub fn prose_lines(text: &str) -> impl Iterator<Item = &str> {
    let (has_fence, mut fence) = (has_fence(text), None);
    text.lines()
        .filter(move |line| !has_fence || step(&mut fence, line) == FenceLine::Outside)
        .map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_markdown_are_counted_outside_of_code() {
        for (text, lists, header, bold, code) in [
            ("", 0, 0, 0, 0),
            ("plain", 0, 0, 0, 0),
            ("# One\n## Two\n#hash\n####### seven\n#", 0, 2, 0, 0),
            ("- a\n* b\n+ c\n1. d\n12) e\n-f\n-", 5, 0, 0, 0),
            (
                "* * *\n- - -  \n  *  *  *  *\n***\n* *\n* **b**",
                2,
                0,
                1,
                0,
            ),
            ("##\n## \n## ##\n# C#\n## #1", 0, 2, 0, 0),
            (
                "  - deeper\n    1. deepest\n2024 was\n3.5 of it",
                2,
                0,
                0,
                0,
            ),
            ("a **b** c **d e** f\n** no ** and ****\n2**3", 0, 0, 2, 0),
            ("__b__ and snake__case", 0, 0, 1, 0),
            (
                "```py\n# no header\n- no item\n**kw\n```\n# yes",
                0,
                1,
                0,
                1,
            ),
            ("~~~\n```\n~~~\n```\nopen", 0, 0, 0, 2),
            ("````\n```\n- in\n````\n- out", 1, 0, 0, 1),
            ("```print(1)```\n- out\n# out", 1, 1, 0, 0),
        ] {
            let counted = (
                list_items(text),
                headers(text),
                bold_spans(text),
                code_blocks(text),
            );
            assert_eq!(counted, (lists, header, bold, code), "{text:?}");
        }
    }
}
