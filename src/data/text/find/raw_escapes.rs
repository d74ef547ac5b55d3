//! Escapes `\uXXXX` in raw JSON.

use memchr::memmem;

use crate::json::escaped;

/// Finds `\uXXXX`.
#[derive(Debug)]
pub struct EscapeFinder(memmem::Finder<'static>);

impl EscapeFinder {
    pub fn new() -> Self {
        Self(memmem::Finder::new(r"\u"))
    }

    /// True if an escaped character of a line passes a test. Half a surrogate pair, or an invalid
    /// escape, counts as U+FFFD, as in decoded text.
    pub fn any(&self, line: &[u8], test: impl Fn(char) -> bool) -> bool {
        // The second half of a pair is also tested alone; this matters only for U+FFFD.
        let mut escapes = self.0.find_iter(line);
        escapes.any(|at| {
            let character = escaped(&line[at..]).and_then(|(character, _)| character);
            test(character.unwrap_or(char::REPLACEMENT_CHARACTER))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_in_any_spelling() {
        for (line, expected) in [
            (r"a\u0065b", 'e'),
            (r"\u00E9", 'é'),
            (r"\u00e9", 'é'),
            (r"\uD83D\ude00", '😀'),
            (r"\\\u20ac", '€'),
            (r"\ud83d x", '\u{FFFD}'),
            (r"\udE00", '\u{FFFD}'),
            (r"\ud83d\u0041", 'A'),
            (r"\u12", '\u{FFFD}'),
            (r"\u+123", '\u{FFFD}'),
        ] {
            let finder = EscapeFinder::new();
            assert!(finder.any(line.as_bytes(), |c| c == expected), "{line}");
            assert!(!finder.any(line.as_bytes(), |c| c == 'u'), "{line}");
        }
    }
}
