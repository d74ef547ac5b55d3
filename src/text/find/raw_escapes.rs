//! Escapes `\uXXXX` in raw JSON.

use memchr::memmem;

/// Bytes of one escape.
pub const LENGTH: usize = 6;

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
        escapes.any(|at| test(character(&line[at..])))
    }
}

/// Decodes an escape, or the two of a surrogate pair.
fn character(spelling: &[u8]) -> char {
    let character = match code_unit(spelling) {
        Some(high @ 0xD800..0xDC00) => spelling
            .get(LENGTH..)
            .and_then(code_unit)
            .filter(|low| (0xDC00..0xE000).contains(low))
            .and_then(|low| char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))),
        unit => unit.and_then(char::from_u32),
    };
    character.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the UTF-16 code unit of a `\uXXXX` at the beginning.
pub fn code_unit(spelling: &[u8]) -> Option<u32> {
    spelling
        .strip_prefix(br"\u")?
        .get(..4)?
        .iter()
        .try_fold(0, |unit, digit| {
            char::from(*digit)
                .to_digit(16)
                .map(|digit| unit << 4 | digit)
        })
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
