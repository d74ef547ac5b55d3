//! Formulas and identifiers in a text, in which nothing is markup.

use std::ops::Range;

use memchr::memmem;

/// Longest formula, in bytes; beyond that, two delimiters are unrelated.
const MAX_FORMULA: usize = 2000;
/// Longest inline code, in bytes.
const MAX_CODE: usize = 64 << 10;
/// Longest formula between single dollars, in bytes.
const MAX_DOLLARS: usize = 300;

/// Delimiters of formulas, longer ones first.
const DELIMITERS: [(&str, &str); 5] = [
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("\\begin{", "\\end{"),
    ("$$", "$$"),
    ("$", "$"),
];

/// A range of a paragraph without markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiteralSpan {
    /// A formula with its delimiters.
    Formula {
        range: Range<usize>,
        inside: Range<usize>,
    },
    /// An identifier such as `__init__` or `snake_case`, or a multiplication sign.
    Name(Range<usize>),
}

impl LiteralSpan {
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Formula { range, .. } | Self::Name(range) => range.clone(),
        }
    }
}

/// Returns the literals of a paragraph outside of code, in order.
pub fn literals(text: &str) -> Vec<LiteralSpan> {
    literals_from(text, 0..text.len())
}

/// Returns the end of a formula that starts in a line and ends after it.
pub fn formula_beyond(text: &str, line: Range<usize>) -> Option<usize> {
    let last = text[line.clone()]
        .contains(['\\', '$'])
        .then(|| literals_from(text, line.clone()).pop())??;
    Some(last.range().end).filter(|end| *end > line.end)
}

/// Returns the literals that start in a part of a text.
fn literals_from(text: &str, part: Range<usize>) -> Vec<LiteralSpan> {
    let bytes = &text.as_bytes()[..part.end];
    let (mut found, mut at) = (Vec::new(), part.start);
    while let Some(&byte) = bytes.get(at) {
        let next = match byte {
            b'`' => after_code(bytes, at),
            b'\\' | b'$' => match formula(text, at) {
                Some(formula) => {
                    let end = formula.range().end;
                    found.push(formula);
                    end
                }
                // Skip a sign escaped by a backslash.
                None => {
                    at + 1
                        + usize::from(
                            byte == b'\\'
                                && bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation),
                        )
                }
            },
            b'*' => {
                let end = at + run(bytes, at);
                if multiplies(bytes, at..end) {
                    found.push(LiteralSpan::Name(at..end));
                }
                end
            }
            _ if is_of_name(byte) => {
                let end = at
                    + bytes[at..]
                        .iter()
                        .take_while(|byte| is_of_name(**byte))
                        .count();
                if is_name(text, at..end) {
                    found.push(LiteralSpan::Name(at..end));
                }
                end
            }
            _ => at + 1,
        };
        at = next;
    }
    found
}

/// Returns the number of repetitions of the byte at a position.
fn run(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .take_while(|byte| **byte == bytes[at])
        .count()
}

/// Returns the end of inline code; of backticks that are not closed soon, their end.
fn after_code(bytes: &[u8], at: usize) -> usize {
    let ticks = run(bytes, at);
    let mut next = at + ticks;
    // Bounded, so that many unclosed backticks do not cause as many searches of the whole text.
    let until = bytes.len().min(next + MAX_CODE);
    while let Some(found) = memchr::memchr(b'`', bytes.get(next..until).unwrap_or_default()) {
        let start = next + found;
        next = start + run(bytes, start);
        if next - start == ticks {
            return next;
        }
    }
    at + ticks
}

fn formula(text: &str, at: usize) -> Option<LiteralSpan> {
    let rest = &text[at..];
    let (open, close) = DELIMITERS
        .into_iter()
        .find(|(open, _)| rest.starts_with(open))?;
    let most = if open == "$" {
        MAX_DOLLARS
    } else {
        MAX_FORMULA
    };
    let inside = at + open.len();
    let window = &text.as_bytes()[inside..text.len().min(inside + most)];
    let end = inside + memmem::find(window, close.as_bytes())?;
    let written = text.get(inside..end)?;
    // `$5 and $10` are prices.
    let is_price = || {
        let after = text.as_bytes().get(end + 1);
        written.starts_with(char::is_whitespace)
            || written.ends_with(char::is_whitespace)
            || written.contains('\n')
            || after.is_some_and(u8::is_ascii_alphanumeric)
    };
    (!written.is_empty() && (open != "$" || !is_price())).then(|| LiteralSpan::Formula {
        range: at..end + close.len(),
        inside: inside..end,
    })
}

/// True if a star has operands on both sides.
fn multiplies(bytes: &[u8], star: Range<usize>) -> bool {
    let is_operand = |byte: u8, bracket: u8| byte.is_ascii_alphanumeric() || byte == bracket;
    let before = star.start.checked_sub(1).map(|at| bytes[at]);
    let next = bytes.get(star.end).copied();
    let digits = [before, next].iter().flatten().any(u8::is_ascii_digit);
    // Two stars between letters are emphasis inside a word, next to digits a power.
    (star.len() == 1 || (star.len() == 2 && digits))
        && before.is_some_and(|byte| is_operand(byte, b')'))
        && next.is_some_and(|byte| is_operand(byte, b'('))
}

pub fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// True if a word with underscores is an identifier and not emphasised.
fn is_name(text: &str, word: Range<usize>) -> bool {
    let written = &text[word.clone()];
    let inner = written.trim_matches('_');
    let is_dunder = || {
        written.starts_with("__")
            && written.ends_with("__")
            && !inner.contains(|c: char| c.is_ascii_uppercase())
    };
    let is_called = text[word.end..].starts_with('(');
    written.contains('_') && (inner.contains('_') || is_called || is_dunder())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_names_are_literal() {
        for (text, expected) in [
            (r"area \(\pi r^2\) and", vec![r"\(\pi r^2\)"]),
            ("\\[ a_1\n = b_2 \\]", vec!["\\[ a_1\n = b_2 \\]"]),
            ("so $a*b$, $$x_1$$", vec!["$a*b$", "$$x_1$$"]),
            ("costs $5 and $10 or $3/$4", vec![]),
            (r"\$a$ and \\(b\\)", vec![]),
            ("`$a$ __b__` _c_", vec![]),
            ("2*3*4 and 2**8 and (a)*(b)", vec!["*", "*", "**", "*"]),
            ("*a* **b**c **b**", vec![]),
            (
                "def __init__(self) of my_module_name",
                vec!["__init__", "my_module_name"],
            ),
            ("_private_name_ and _f(x)", vec!["_private_name_", "_f"]),
            ("__Bold__ and _it_", vec![]),
        ] {
            let found: Vec<_> = literals(text)
                .into_iter()
                .map(|one| &text[one.range()])
                .collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
