//! Fields that are not in the schema: their paths and forms.

use std::collections::BTreeMap;

use super::{ColumnKind, Level, Path};

/// A field found in the records of a file. Its values are read on demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSource {
    /// Whether samples or responses have its values.
    pub level: Level,
    /// How its values are read.
    pub form: FieldForm,
    /// One path, or one for each response of a row. In a field of responses, the first `*` is the
    /// index of the response; others match all elements.
    pub paths: Box<[Path]>,
}

/// How the values of a field are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldForm {
    /// As a number before these characters: `%` in `85%`, `/5` in `4/5`, mostly empty.
    Number(Box<str>),
    /// As `true` or `false`.
    Flag,
    /// As a date that begins with `YYYY-MM`.
    Date,
    /// As text.
    Word,
    /// As a list of words.
    Words,
}

impl FieldForm {
    /// Separates the words of a list in a column of words; practically never in a file's text.
    pub const SEPARATOR: char = '\u{1f}';

    /// Returns the kind of the values.
    pub const fn kind(&self) -> ColumnKind {
        match self {
            Self::Number(_) => ColumnKind::Count,
            Self::Flag | Self::Date | Self::Word => ColumnKind::Word,
            Self::Words => ColumnKind::Words,
        }
    }

    /// Parses a text as a number of this form; NaN if it is not one.
    pub fn number(&self, text: &str) -> f64 {
        let Self::Number(unit) = self else {
            return f64::NAN;
        };
        let text = text.trim();
        let number = text.strip_suffix(&**unit).unwrap_or(text).trim_end();
        plain_number(number).unwrap_or_else(|| flag(text).map_or(f64::NAN, f64::from))
    }

    /// Returns a value as a word of this form.
    pub fn word<'t>(&self, text: &'t str) -> &'t str {
        match self {
            Self::Flag => match flag(text) {
                Some(true) => "true",
                Some(false) => "false",
                None => text,
            },
            _ => text,
        }
    }
}

/// Parses a text as a number without leading zeros and with at most 15 digits before the point, so
/// that ids are not numbers.
pub fn plain_number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    let is_exact = match digits.as_bytes() {
        [b'0', next, ..] => !next.is_ascii_digit(),
        // `inf` and `nan` are words; `.5` is a number.
        [first, ..] => first.is_ascii_digit() || *first == b'.',
        [] => false,
    };
    let number = text.parse().ok().filter(|_| is_exact && whole <= 15);
    number.filter(|number: &f64| number.is_finite())
}

/// The texts of a field that are not numbers, with their counts.
#[derive(Debug, Clone, Default)]
pub struct NonNumbers(BTreeMap<Box<str>, usize>);

impl NonNumbers {
    /// Words for a missing number, in lower case.
    const MISSING: [&str; 12] = [
        "n/a", "na", "-", "?", "nan", "none", "null", "unknown", "missing", "error", "inf", "-inf",
    ];
    /// A field with more different texts has words. Its records in a survey are few.
    const MAX_TEXTS: usize = 64;

    /// Adds a text; only the start of a long one is kept.
    pub fn add(&mut self, text: &str) {
        if self.0.len() <= Self::MAX_TEXTS {
            let text = text.trim();
            *(self.0.entry(text.get(..64).unwrap_or(text).into())).or_default() += 1;
        }
    }

    /// True if a field with this many numbers among `values` is numeric: more than half are numbers,
    /// and the other texts mean a missing value, or occur once each and in at most a tenth.
    pub fn are_few(&self, numbers: usize, values: usize) -> bool {
        let is_other = |text: &str| {
            !Self::MISSING
                .iter()
                .any(|word| text.eq_ignore_ascii_case(word))
        };
        let is_code = |text: &str| !text.contains(|sign| !matches!(sign, '-' | '.' | '0'..='9'));
        let mut others = self
            .0
            .iter()
            .map(|(text, count)| (&**text, *count))
            .filter(|(text, _)| is_other(text));
        numbers * 2 > values
            && numbers + self.0.values().sum::<usize>() == values
            && others.clone().count() * 10 <= values
            && others.all(|(text, count)| count == 1 && !is_code(text))
    }

    /// Counts and names the texts; empty if there are none.
    pub fn note(&self, values: usize) -> String {
        let count: usize = self.0.values().sum();
        let texts = self
            .0
            .keys()
            .map(|text| &**text)
            .collect::<Vec<_>>()
            .join(", ");
        match count {
            0 => texts,
            _ => format!("no number in {count} of {values} values: {texts}"),
        }
    }
}

/// Parses a text as a boolean.
pub fn flag(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" | "1" => Some(true),
        "false" | "False" | "FALSE" | "0" => Some(false),
        _ => None,
    }
}

/// True if a text begins with an ISO 8601 date: `2024-05`, `2024-05-03T10:00:00Z`.
pub fn is_date(text: &str) -> bool {
    let number = |range: std::ops::Range<usize>| {
        let digits = text.get(range)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|_| is_number)
    };
    let sign = |at: usize| text.as_bytes().get(at).copied();
    let has_day = || sign(7) == Some(b'-') && matches!(number(8..10), Some(1..=31));
    let is_end = || matches!(sign(10), None | Some(b'T' | b't' | b' '));
    number(0..4).is_some()
        && sign(4) == Some(b'-')
        && matches!(number(5..7), Some(1..=12))
        && (text.len() == 7 || (has_day() && is_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_no_numbers() {
        for (text, number) in [
            ("0", Some(0.0)),
            ("-12", Some(-12.0)),
            ("0.5", Some(0.5)),
            (".5", Some(0.5)),
            ("1e3", Some(1000.0)),
            ("0.7310585786300049", Some(0.731_058_578_630_004_9)),
            ("123456789012345", Some(123_456_789_012_345.0)),
            ("1234567890123456", None),
            ("007", None),
            ("1.2.3", None),
            ("inf", None),
            ("NaN", None),
            ("1e999", None),
            ("+1", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(plain_number(text), number, "{text}");
        }
    }

    #[test]
    fn a_few_texts_leave_a_field_numeric() {
        for (texts, numbers, are_few) in [
            (&[][..], 1, true),
            (
                &["N/A", "?", "-", "unknown", "NaN", "error", "Missing", "inf"],
                9,
                true,
            ),
            (&["N/A", "n/a"], 2, false),
            (&["pending"], 9, true),
            (&["pending"], 8, false),
            (&["tie", "tie"], 90, false),
            (&["tie", "both"], 18, true),
            (&["007"], 90, false),
            (&["1.2.3"], 90, false),
            (&["1234567890123456"], 90, false),
        ] {
            let mut found = NonNumbers::default();
            texts.iter().for_each(|text| found.add(text));
            let values = numbers + texts.len();
            assert_eq!(found.are_few(numbers, values), are_few, "{texts:?}");
        }
        let mut found = NonNumbers::default();
        assert_eq!(found.note(3), "");
        found.add("?");
        assert_eq!(found.note(3), "no number in 1 of 3 values: ?");
        found.add("-");
        assert_eq!(found.note(3), "no number in 2 of 3 values: -, ?");
    }

    #[test]
    fn units_are_part_of_the_form() {
        let percent = FieldForm::Number("%".into());
        assert_eq!(percent.number("85%"), 85.0);
        assert_eq!(percent.number("85 %"), 85.0);
        assert_eq!(FieldForm::Number("/5".into()).number("4/5"), 4.0);
        assert!(percent.number("much").is_nan());
    }

    #[test]
    fn dates() {
        for (text, is) in [
            ("2024-05", true),
            ("2024-05-03", true),
            ("2024-05-03T10:00:00Z", true),
            ("2024-05-03 10:00", true),
            ("2024-13", false),
            ("2024-05-32", false),
            ("2024-05-03x", false),
            ("2024", false),
            ("é024-05", false),
        ] {
            assert_eq!(is_date(text), is, "{text}");
        }
    }
}
