//! Translates a regular expression to the syntax of another engine with the same matches.
//!
//! The parsed expression is written anew without flags (case is in the classes); classes become
//! ranges of characters or general categories, and special characters become numbers. So engines
//! cannot read it differently, and what an engine does not support is rejected.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Class, ClassUnicode, Hir, HirKind, Look, Repetition};

use super::text_regex::is_case_sensitive;

/// The engine of a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegexFlavour {
    /// RE2, as in DuckDB.
    Re2,
    /// `java.util.regex`, as in Spark.
    Java,
}

/// A translated regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortableRegex {
    /// The pattern, in ASCII and without quotes.
    pub pattern: String,
    /// True if it matches the empty text.
    pub matches_empty: bool,
}

/// Most repetitions in RE2.
const MAX_REPETITIONS: u32 = 1000;

/// Classes written as general categories: the class to recognise, and the equivalent categories
/// without brackets.
const NAMED: [(&str, &str); 4] = [
    (r"\d", r"\p{Nd}"),
    (r"\w", WORD),
    (r"\D", r"^\p{Nd}"),
    (r"\W", NO_WORD),
];

/// `\w`: letters, marks, digits, letter numbers, connectors, joiners, and letters in circles and
/// squares.
const WORD: &str = r"\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}";
const NO_WORD: &str = r"^\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}";

/// Translates a regular expression of [`crate::text::regex()`] for another engine.
///
/// # Errors
/// For users: what the other engine does not support, or that the expression does not compile.
pub fn portable_regex(pattern: &str, flavour: RegexFlavour) -> Result<PortableRegex, String> {
    let hir = ParserBuilder::new()
        .case_insensitive(!is_case_sensitive(pattern))
        .build()
        .parse(pattern)
        .map_err(|_| "it does not compile".to_owned())?;
    let mut writer = PortableWriter {
        flavour,
        out: String::new(),
    };
    writer.write(&hir)?;
    Ok(PortableRegex {
        pattern: writer.out,
        matches_empty: hir.properties().minimum_len() == Some(0),
    })
}

/// Returns a regular expression that matches exactly this text.
pub fn literal_regex(text: &str) -> String {
    let mut writer = PortableWriter {
        flavour: RegexFlavour::Re2,
        out: String::new(),
    };
    text.chars().for_each(|sign| writer.sign(sign));
    writer.out
}

struct PortableWriter {
    flavour: RegexFlavour,
    out: String,
}

impl PortableWriter {
    fn write(&mut self, hir: &Hir) -> Result<(), String> {
        match hir.kind() {
            HirKind::Empty => self.out.push_str("(?:)"),
            HirKind::Literal(literal) => {
                std::str::from_utf8(&literal.0)
                    .map_err(|_| "it matches bytes that are not UTF-8".to_owned())?
                    .chars()
                    .for_each(|sign| self.sign(sign));
            }
            HirKind::Class(Class::Unicode(class)) => self.class(class),
            HirKind::Class(Class::Bytes(class)) => match class.to_unicode_class() {
                Some(class) => self.class(&class),
                None => return Err("it matches bytes that are not UTF-8".to_owned()),
            },
            HirKind::Look(look) => self.look(*look)?,
            HirKind::Repetition(repetition) => self.repetition(repetition)?,
            HirKind::Capture(Capture { sub, .. }) => self.group(sub)?,
            HirKind::Concat(parts) => {
                for part in parts {
                    match part.kind() {
                        HirKind::Alternation(_) => self.group(part)?,
                        _ => self.write(part)?,
                    }
                }
            }
            HirKind::Alternation(parts) => {
                for (place, part) in parts.iter().enumerate() {
                    if place > 0 {
                        self.out.push('|');
                    }
                    self.write(part)?;
                }
            }
        }
        Ok(())
    }

    fn group(&mut self, hir: &Hir) -> Result<(), String> {
        self.out.push_str("(?:");
        self.write(hir)?;
        self.out.push(')');
        Ok(())
    }

    fn repetition(&mut self, repetition: &Repetition) -> Result<(), String> {
        let Repetition { min, max, sub, .. } = repetition;
        let most = max.unwrap_or(*min).max(*min);
        if self.flavour == RegexFlavour::Re2 && most > MAX_REPETITIONS {
            return Err(format!(
                "it repeats {most} times, but RE2 allows at most {MAX_REPETITIONS}"
            ));
        }
        match sub.kind() {
            // In Java, each repetition of a group adds to the recursion depth.
            HirKind::Class(_) => self.write(sub)?,
            _ => self.group(sub)?,
        }
        // Greediness does not change whether there is a match.
        match (min, max) {
            (0, None) => self.out.push('*'),
            (1, None) => self.out.push('+'),
            (0, Some(1)) => self.out.push('?'),
            (min, None) => self.out.push_str(&format!("{{{min},}}")),
            (min, Some(max)) => self.out.push_str(&format!("{{{min},{max}}}")),
        }
        Ok(())
    }

    fn look(&mut self, look: Look) -> Result<(), String> {
        const WORD_OF_ASCII: &str = "0-9A-Z_a-z";
        use RegexFlavour::{Java, Re2};
        match (look, self.flavour) {
            (Look::Start, _) => self.out.push_str(r"\A"),
            (Look::End, _) => self.out.push_str(r"\z"),
            // By default, Java also matches at other line breaks.
            (Look::StartLF, Re2) => self.out.push_str("(?m:^)"),
            (Look::StartLF, Java) => self.out.push_str(r"(?:\A|(?<=\x{a}))"),
            (Look::EndLF, Re2) => self.out.push_str("(?m:$)"),
            (Look::EndLF, Java) => self.out.push_str(r"(?=\x{a}|\z)"),
            (Look::WordAscii, Re2) => self.out.push_str(r"\b"),
            (Look::WordAsciiNegate, Re2) => self.out.push_str(r"\B"),
            // The meaning of \b in Java depends on its version.
            (Look::WordAscii, Java) => self.boundary(WORD_OF_ASCII, false),
            (Look::WordAsciiNegate, Java) => self.boundary(WORD_OF_ASCII, true),
            (Look::WordUnicode, Java) => self.boundary(WORD, false),
            (Look::WordUnicodeNegate, Java) => self.boundary(WORD, true),
            (Look::WordUnicode | Look::WordUnicodeNegate, Re2) => {
                return Err(
                    r"\b knows letters beyond ASCII here, but not in RE2; write (?-u:\b)"
                        .to_owned(),
                );
            }
            _ => {
                return Err("it has an anchor or word boundary that the engine lacks".to_owned());
            }
        }
        Ok(())
    }

    /// Writes a word boundary, or its negation, for these word characters.
    fn boundary(&mut self, word: &str, negated: bool) {
        let [after, other] = if negated { ["=", "!"] } else { ["!", "="] };
        self.out.push_str(&format!(
            "(?:(?<=[{word}])(?{after}[{word}])|(?<![{word}])(?{other}[{word}]))"
        ));
    }

    fn class(&mut self, class: &ClassUnicode) {
        if class.ranges().is_empty() {
            // A class that never matches.
            return self.out.push_str(match self.flavour {
                RegexFlavour::Re2 => r"[^\x{0}-\x{10ffff}]",
                RegexFlavour::Java => "(?!)",
            });
        }
        let named = NAMED.iter().find(|(known, _)| is_class(known, class));
        self.out.push('[');
        match named {
            Some((_, categories)) => self.out.push_str(categories),
            None => {
                for range in class.ranges() {
                    self.sign(range.start());
                    if range.start() < range.end() {
                        self.out.push('-');
                        self.sign(range.end());
                    }
                }
            }
        }
        self.out.push(']');
    }

    /// Writes a literal character.
    fn sign(&mut self, sign: char) {
        if sign.is_ascii_alphanumeric() || matches!(sign, ' ' | '_') {
            self.out.push(sign);
        } else {
            self.out.push_str(&format!("\\x{{{:x}}}", u32::from(sign)));
        }
    }
}

/// True if a pattern is this class.
fn is_class(pattern: &str, class: &ClassUnicode) -> bool {
    regex_syntax::parse(pattern).is_ok_and(
        |known| matches!(known.kind(), HirKind::Class(Class::Unicode(known)) if known == class),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_the_classes_that_they_stand_for() {
        for (class, categories) in NAMED {
            let parsed = |pattern: &str| regex_syntax::parse(pattern).expect("a class");
            assert_eq!(parsed(class), parsed(&format!("[{categories}]")), "{class}");
        }
    }

    #[test]
    fn written_for_each_engine() {
        use RegexFlavour::{Java, Re2};
        for (pattern, flavour, written) in [
            ("Ab c", Re2, "Ab c"),
            ("ab", Re2, "[Aa][Bb]"),
            (r"A\.b'", Java, r"A\x{2e}b\x{27}"),
            ("^Sorry$", Re2, r"\ASorry\z"),
            ("(?m)^A$", Re2, r"(?m:^)A(?m:$)"),
            ("(?m)^A$", Java, r"(?:\A|(?<=\x{a}))A(?=\x{a}|\z)"),
            (r"A\d+", Re2, r"A[\p{Nd}]+"),
            ("A.", Java, r"A[\x{0}-\x{9}\x{b}-\x{10ffff}]"),
            ("A(B|CD)?e{2,5}", Re2, r"A(?:(?:B|CD))?(?:e){2,5}"),
            (r"(?-u:\b)A", Re2, r"\bA"),
            (
                r"(?-u:\b)A",
                Java,
                "(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))A",
            ),
            ("É", Java, r"\x{c9}"),
            ("[^A]", Re2, r"[\x{0}-\x{40}B-\x{10ffff}]"),
        ] {
            let portable = portable_regex(pattern, flavour).map(|regex| regex.pattern);
            assert_eq!(portable.as_deref(), Ok(written), "{pattern}");
        }
    }

    #[test]
    fn what_an_engine_cannot_say_is_refused() {
        for (pattern, why) in [
            (r"\bA", "(?-u:"),
            ("A{1001}", "at most 1000"),
            ("(?Rm)^A", "anchor"),
            ("(", "does not compile"),
        ] {
            let refused = portable_regex(pattern, RegexFlavour::Re2);
            assert!(
                refused.clone().is_err_and(|said| said.contains(why)),
                "{pattern}: {refused:?}"
            );
        }
        assert!(portable_regex(r"\bA", RegexFlavour::Java).is_ok());
        assert!(portable_regex("A*", RegexFlavour::Java).is_ok_and(|regex| regex.matches_empty));
    }
}
