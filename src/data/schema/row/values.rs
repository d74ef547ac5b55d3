//! Decodes captured values: texts and quotes (strictly first, then leniently for what Python writes
//! and JSON forbids), and numbers; describes invalid ones.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::reader::CapturedRow;
use super::slots::RatingSlot;
use crate::json::{decoded, elements_of, inside, members_of, unescaped};
use crate::model::{Quote, ReadWarning};
use crate::schema::guess::outcome;
use crate::schema::layout::definition::{Label, LabelKind, Reduction};
use crate::table::{flag, plain_number};
use crate::text;

/// 2^53 - 1: up to here, an `f64` represents every whole number exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;

/// The range of guessed labels whose words mean the worse or the better response.
pub const OUTCOME: [f64; 2] = [0.0, 1.0];

impl CapturedRow<'_, '_> {
    /// Returns the value of a label or score.
    ///
    /// # Errors
    /// A message about a value that the label cannot have; the value counts as missing.
    #[inline]
    pub(in crate::schema) fn rating(
        &self,
        slot: RatingSlot,
        label: &Label,
    ) -> Result<Option<f64>, String> {
        match slot {
            // Nearly every label is one digit.
            RatingSlot::Value(slot) => (self.digit(slot, label))
                .map_or_else(|| self.rated(slot, label), |digit| Ok(Some(digit))),
            RatingSlot::Constant(value) => Ok(Some(value)),
        }
    }

    /// Reads the value of a label or score from the row.
    pub(in crate::schema) fn rated(
        &self,
        slot: usize,
        label: &Label,
    ) -> Result<Option<f64>, String> {
        let Some(value) = self.value(slot).filter(|value| *value != "null") else {
            return Ok(None);
        };
        if let Some(reduction) = label.reduce.filter(|_| value.starts_with('[')) {
            let values = annotators_of(value, label);
            return values.map(|values| reduction.of(&values));
        }
        let number = match value.as_bytes() {
            _ if says_nothing(value) => return Ok(None),
            // "Yes" is not a value of a scale.
            b"true" | b"false" if label.range.is_some_and(|range| range != [0.0, 1.0]) => None,
            _ if !label.unit.is_empty() => number_before(value, &label.unit),
            _ if label.lenient && label.range == Some(OUTCOME) => {
                number(value).or_else(|| outcome(inside(value)?).map(f64::from))
            }
            _ => number(value),
        };
        match number {
            None if label.lenient => Ok(None),
            None => Err(invalid_value(&label.name, value, "not a number")),
            Some(number) if !number.is_finite() => {
                Err(invalid_value(&label.name, value, "too large for a number"))
            }
            Some(number)
                if label.kind == LabelKind::Label && number.fract() != 0.0 && !label.lenient =>
            {
                Err(invalid_value(&label.name, value, "not a whole number"))
            }
            Some(number) if !label.includes(number) => {
                Err(invalid_value(&label.name, value, &outside(label.range)))
            }
            Some(number) if number.abs() > MAX_EXACT => {
                Ok(Some(self.in_exact_order(value, label).unwrap_or(number)))
            }
            // `+ 0.0` turns minus zero into zero: it would print as "-0" and count as another
            // value.
            Some(number) => Ok(Some(number + 0.0)),
        }
    }

    /// Converts a whole number beyond [`MAX_EXACT`] to the nearest `f64` that keeps the order of
    /// this label's values in the row, so that numbers that differ by one do not tie.
    fn in_exact_order(&self, value: &str, label: &Label) -> Option<f64> {
        let whole = |value: &str| plain(value).0.trim().parse::<i128>().ok();
        let (own, place) = (whole(value)?, self.schema.place_of(&label.name)?);
        let up_to_own: BTreeSet<_> = self
            .responses()
            .filter_map(|it| match it.ratings.get(place)? {
                Some(RatingSlot::Value(slot)) => whole(self.value(*slot)?),
                _ => None,
            })
            .filter(|it| *it < own)
            .chain([own])
            .collect();
        let in_order = |below: f64, it: i128| (it as f64).max(below.next_up());
        Some(up_to_own.into_iter().fold(f64::NEG_INFINITY, in_order))
    }

    /// Fast path for values of one digit.
    fn digit(&self, slot: usize, label: &Label) -> Option<f64> {
        let [digit @ b'0'..=b'9'] = self.value(slot)?.as_bytes() else {
            return None;
        };
        Some(f64::from(digit - b'0')).filter(|&digit| label.includes(digit))
    }

    /// Formats the annotators' values, such as `3 3 4`; `None` if the row has no list of them.
    pub(super) fn annotations(&self, slot: Option<RatingSlot>, label: &Label) -> Option<String> {
        let (Some(RatingSlot::Value(slot)), Some(Reduction::Mean)) = (slot, label.reduce) else {
            return None;
        };
        let values: Vec<_> = votes(self.value(slot)?)?
            .into_iter()
            .map(text::number)
            .collect();
        Some(values.join(" "))
    }
}

/// A decoded value with its warning; the error is a reason to show.
type Decoded<T> = Result<(T, Option<ReadWarning>), String>;

/// Decodes a captured JSON string; borrows if it has no escapes.
pub fn string(spelling: &str) -> Decoded<Cow<'_, str>> {
    let inside = inside(spelling).ok_or("not a text")?;
    let (text, has_lone_surrogate) = unescaped(inside).ok_or("invalid escape")?;
    let warning = has_lone_surrogate.then_some(ReadWarning::LoneSurrogate);
    Ok((text, warning))
}

/// Decodes any scalar to plain text (strings decoded, others as spelled), for facts and verdict
/// values.
pub fn plain(spelling: &str) -> (Cow<'_, str>, Option<ReadWarning>) {
    string(spelling).unwrap_or((Cow::Borrowed(spelling), None))
}

/// Decodes quotes in either shape.
pub fn decoded_quotes(spelling: &str) -> Option<(Vec<Quote<'_>>, Option<ReadWarning>)> {
    let (mut quotes, mut warning) = (Vec::new(), None);
    for (title, extract) in spelled_quotes(spelling)? {
        let [title, extract] = [title, extract].map(|it| it.map(plain).unwrap_or_default());
        quotes.push(Quote {
            title: title.0,
            extract: extract.0,
        });
        warning = warning.or(title.1).or(extract.1);
    }
    Some((quotes, warning))
}

/// Title and extract of a quote, as spelled, if present.
type SpelledQuote<'r> = (Option<&'r str>, Option<&'r str>);

/// Returns titles and extracts of captured quotes, as spelled: from two lists, or from a list of
/// objects. `None` if a value is not a text.
pub fn spelled_quotes<'r>(spelling: &'r str) -> Option<Vec<SpelledQuote<'r>>> {
    if spelling.starts_with('{') {
        let (titles, extracts) = quote_parts(spelling)?;
        let [titles, extracts] = [elements_of(titles?)?, elements_of(extracts?)?];
        let at = |list: &[&'r str], place: usize| list.get(place).map_or(Some(None), text_or_null);
        let places = 0..titles.len().max(extracts.len());
        return places
            .map(|it| Some((at(&titles, it)?, at(&extracts, it)?)))
            .collect();
    }
    let quote = |item| {
        let (title, extract) = quote_parts(item)?;
        let part = |it: Option<&'r str>| it.as_ref().map_or(Some(None), text_or_null);
        Some((part(title)?, part(extract)?))
    };
    elements_of(spelling)?.into_iter().map(quote).collect()
}

/// Returns the members `title` and `extract` of an object; `None` if one of them repeats.
fn quote_parts(object: &str) -> Option<SpelledQuote<'_>> {
    let (mut title, mut extract) = (None, None);
    for (key, value) in members_of(object)? {
        let before = match &*key {
            "title" => title.replace(value),
            "extract" => extract.replace(value),
            _ => None,
        };
        if before.is_some() {
            return None;
        }
    }
    Some((title, extract))
}

fn text_or_null<'r>(spelling: &&'r str) -> Option<Option<&'r str>> {
    match *spelling {
        "null" => Some(None),
        text => text.starts_with('"').then_some(Some(text)),
    }
}

/// Reads a list of annotators' values, keeping those that the label can have.
pub fn annotators_of(list: &str, label: &Label) -> Result<Vec<f64>, String> {
    let values =
        votes(list).ok_or_else(|| invalid_value(&label.name, list, "not a list of numbers"))?;
    let all = values.len();
    let values: Vec<_> = (values.into_iter())
        .filter(|value| value.is_finite() && label.includes(*value))
        .collect();
    if values.len() < all && !label.lenient {
        return Err(invalid_value(&label.name, list, &outside(label.range)));
    }
    Ok(values)
}

/// Reads the numbers of a list, skipping placeholders; `None` if an element is anything else.
fn votes(list: &str) -> Option<Vec<f64>> {
    elements_of(list)?
        .into_iter()
        .filter(|value| *value != "null" && !says_nothing(value))
        .map(number)
        .collect()
}

/// True if a value means "none", as tables and annotation tools write it.
pub fn says_nothing(value: &str) -> bool {
    let Some(word) = value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return false;
    };
    let word = word.trim();
    ["", "n/a", "na", "nan", "none", "null"]
        .iter()
        .any(|nothing| word.eq_ignore_ascii_case(nothing))
}

/// True if an empty cell of a table may be spelled so, in place of a list or an object.
pub fn holds_nothing(value: &str) -> bool {
    let text = inside(value).map(str::trim);
    value == "null" || matches!(text, Some("[]" | "{}")) || says_nothing(value)
}

/// Splits `85%` and `4/5` into the number and its unit.
pub fn unit(text: &str) -> Option<(&str, &str)> {
    let at = text.find(['%', '/'])?;
    let (number, unit) = text.split_at(at);
    let is_unit = unit == "%" || unit.strip_prefix('/').and_then(plain_number) > Some(0.0);
    is_unit.then_some((number, unit))
}

/// Parses the number before a unit in a captured text.
fn number_before(value: &str, unit: &str) -> Option<f64> {
    let text = plain(value).0;
    let number = text.trim().strip_suffix(unit)?.trim_end();
    number
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// Parses a captured number, also inside a string. True is 1, false is 0; too large numbers are
/// infinite.
pub fn number(value: &str) -> Option<f64> {
    let text = inside(value).map_or(value, str::trim);
    if let Some(flag) = flag(text) {
        return Some(f64::from(flag));
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    matches!(text.as_bytes(), [b'-' | b'0'..=b'9' | b'.', ..]).then(|| text.parse().ok())?
}

/// Describes a number outside of its range.
pub fn outside(range: Option<[f64; 2]>) -> String {
    let [low, high] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    format!("outside {low} to {high}")
}

/// Describes an invalid value, safe to show: its field, the value as in the file, and the reason.
pub fn invalid_value(field: &str, value: &str, why: &str) -> String {
    const VALUE: usize = 24;
    let value = text::one_line(value, VALUE);
    format!("{} is {value}, {why}", shown_path(field))
}

/// Shortens a field name or path to show, and makes it safe.
pub fn shown_path(field: &str) -> String {
    const FIELD: usize = 48;
    text::one_line(field, FIELD)
}

/// Returns a scalar as text; `None` for null and blank strings.
pub fn scalar(spelled: &[u8]) -> Option<Cow<'_, str>> {
    let text = match spelled {
        b"null" => return None,
        [b'"', inside @ .., b'"'] => decoded(inside)?,
        _ => Cow::Borrowed(std::str::from_utf8(spelled).ok()?),
    };
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn numbers_as_files_spell_them() {
        for (value, expected) in [
            ("3", Some(3.0)),
            ("-0.5", Some(-0.5)),
            ("true", Some(1.0)),
            ("false", Some(0.0)),
            ("\"5\"", Some(5.0)),
            ("\" 4.5 \"", Some(4.5)),
            ("\"+2\"", Some(2.0)),
            ("\"True\"", Some(1.0)),
            ("\"five\"", None),
            ("\"inf\"", None),
            ("\"-inf\"", Some(f64::NEG_INFINITY)),
            ("\"\"", None),
            ("[1]", None),
            ("null", None),
        ] {
            assert_eq!(number(value), expected, "{value}");
        }
        for nothing in ["\"\"", "\" \"", "\"N/A\"", "\"NaN\"", "\"None\""] {
            assert!(says_nothing(nothing), "{nothing}");
        }
        assert!(!says_nothing("0") && !says_nothing("\"0\"") && !says_nothing("\"nay\""));
    }

    /// JSON that is quotes or nearly.
    fn nearly_quotes() -> impl Strategy<Value = String> {
        let blank = || proptest::sample::select(vec!["", "", " ", "\n\t", "\r "]);
        let text = proptest::sample::select(vec![
            r#""""#,
            r#""t""#,
            r#""a \"b\" \\""#,
            r#""\\""#,
            r#""é \n \ud83d""#,
            r#""], [{}""#,
            "null",
            "null",
        ]);
        let odd = proptest::sample::select(vec![
            "1",
            "true",
            "[]",
            "{}",
            r#"["t"]"#,
            r#"{"title": "t"}"#,
        ]);
        let value = || prop_oneof![30 => text.clone(), 1 => odd.clone()];
        let key = || {
            let both = vec![r#""title""#, r#""extract""#];
            let odd = vec![r#""t\u0069tle""#, r#""link""#, r#""""#, r#""\"title""#];
            prop_oneof![12 => proptest::sample::select(both), 1 => proptest::sample::select(odd)]
        };
        fn joined(parts: &[String], open: &str, close: &str, blank: &str) -> String {
            format!(
                "{blank}{open}{blank}{}{blank}{close}",
                parts.join(&format!("{blank},{blank}"))
            )
        }
        let texts = move || {
            let list = proptest::collection::vec(value(), 0..4);
            (list, blank()).prop_map(|(list, blank)| {
                joined(
                    &list.into_iter().map(str::to_owned).collect::<Vec<_>>(),
                    "[",
                    "]",
                    blank,
                )
            })
        };
        let member = |value: BoxedStrategy<String>| {
            (key(), blank(), value)
                .prop_map(|(key, blank, value)| format!("{key}{blank}:{blank}{value}"))
        };
        let object = |value: BoxedStrategy<String>| {
            (proptest::collection::vec(member(value), 0..4), blank())
                .prop_map(|(members, blank)| joined(&members, "{", "}", blank))
        };
        let columns = (texts(), texts(), blank(), any::<bool>()).prop_map(
            |(title, extract, blank, turned)| {
                let mut members = vec![
                    format!("\"title\"{blank}:{title}"),
                    format!("\"extract\":{blank}{extract}"),
                ];
                if turned {
                    members.reverse();
                }
                joined(&members, "{", "}", blank)
            },
        );
        let one = object(value().prop_map(str::to_owned).boxed());
        let list = (proptest::collection::vec(one, 0..4), blank())
            .prop_map(|(items, blank)| joined(&items, "[", "]", blank));
        let any_object = object(prop_oneof![texts(), value().prop_map(str::to_owned)].boxed());
        prop_oneof![3 => columns, 3 => list, 2 => any_object, 1 => texts()]
            .prop_map(|spelling| spelling.trim().to_owned())
    }

    #[derive(Deserialize)]
    struct QuoteColumns<'r> {
        #[serde(borrow)]
        title: Vec<Option<&'r RawValue>>,
        extract: Vec<Option<&'r RawValue>>,
    }

    #[derive(Deserialize)]
    struct ListedQuote<'r> {
        #[serde(borrow)]
        title: Option<&'r RawValue>,
        extract: Option<&'r RawValue>,
    }

    fn by_serde(spelling: &str) -> Option<Vec<SpelledQuote<'_>>> {
        let (titles, extracts): (Vec<_>, Vec<_>) = if spelling.starts_with('{') {
            let columns = serde_json::from_str::<QuoteColumns<'_>>(spelling).ok()?;
            let length = columns.title.len().max(columns.extract.len());
            let [title, extract] = [columns.title, columns.extract].map(|mut list| {
                list.resize(length, None);
                list
            });
            (title, extract)
        } else {
            let list = serde_json::from_str::<Vec<ListedQuote<'_>>>(spelling).ok()?;
            list.into_iter().map(|it| (it.title, it.extract)).unzip()
        };
        let is_text = |value: &&RawValue| value.get().starts_with('"');
        let are_texts = titles.iter().chain(&extracts).flatten().all(is_text);
        let pairs = titles.into_iter().zip(extracts);
        let spelled =
            pairs.map(|(title, extract)| (title.map(RawValue::get), extract.map(RawValue::get)));
        are_texts.then(|| spelled.collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

        #[test]
        fn quotes_are_those_of_serde(
            spelling in nearly_quotes(),
        ) {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&spelling.replace(r"\ud83d", "")).is_ok());
            prop_assert_eq!(spelled_quotes(&spelling), by_serde(&spelling), "{}", spelling);
        }
    }

    #[test]
    fn strings() {
        for (spelling, text, warning) in [
            (r#""plain""#, "plain", None),
            (r#""a\nb""#, "a\nb", None),
            (r#""\u00b0""#, "°", None),
            (r#""\ud83d\ude00""#, "😀", None),
            (
                r#""cut \ud83d here""#,
                "cut \u{fffd} here",
                Some(ReadWarning::LoneSurrogate),
            ),
            (
                r#""\ude00\ud83d""#,
                "\u{fffd}\u{fffd}",
                Some(ReadWarning::LoneSurrogate),
            ),
            (
                r#""\\ud83d \ud83d""#,
                "\\ud83d \u{fffd}",
                Some(ReadWarning::LoneSurrogate),
            ),
            (
                r#""\ud83d\ud83d\ude00""#,
                "\u{fffd}😀",
                Some(ReadWarning::LoneSurrogate),
            ),
        ] {
            assert_eq!(
                string(spelling),
                Ok((Cow::Borrowed(text), warning)),
                "{spelling}"
            );
        }
        assert!(string(r#""\q""#).is_err());
    }

    #[test]
    fn quotes_in_both_shapes() {
        let quote = |title: &'static str, extract: &'static str| Quote {
            title: title.into(),
            extract: extract.into(),
        };
        for (spelling, expected) in [
            (
                r#"{"title": ["t", "u"], "extract": ["x", "y"]}"#,
                vec![quote("t", "x"), quote("u", "y")],
            ),
            (r#"[{"title": "t", "extract": "x"}]"#, vec![quote("t", "x")]),
            (r#"{"title": [], "extract": []}"#, vec![]),
            (r#"[]"#, vec![]),
            (
                r#"{"title": ["t"], "extract": ["x", null]}"#,
                vec![quote("t", "x"), quote("", "")],
            ),
            (
                r#"[{"title": "\ud83d", "extract": "x"}]"#,
                vec![quote("\u{fffd}", "x")],
            ),
        ] {
            assert_eq!(
                decoded_quotes(spelling).map(|(quotes, _)| quotes),
                Some(expected),
                "{spelling}"
            );
        }
    }

    #[test]
    fn quotes_are_counted_without_decoding() {
        for (spelling, are) in [
            (r#"{"title": ["t", null], "extract": ["\ud83d"]}"#, true),
            (r#"[{"title": "t"}, {}]"#, true),
            ("[]", true),
            ("{}", false),
            ("[1]", false),
            (r#"{"title": "t", "extract": ["x"]}"#, false),
            (r#"{"title": [1], "extract": ["x"]}"#, false),
            (r#"[["t"], ["x"]]"#, false),
            (r#"[{"title": ["t"], "extract": "x"}]"#, false),
            (r#"[{"title": "t", "title": "u"}]"#, false),
        ] {
            let decoded = decoded_quotes(spelling).map(|(quotes, _)| quotes.len());
            let spelled = spelled_quotes(spelling).map(|quotes| quotes.len());
            assert_eq!((spelled, decoded.is_some()), (decoded, are), "{spelling}");
        }
    }
}
