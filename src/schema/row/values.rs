//! Numbers of a row, and messages about invalid values.

use std::collections::BTreeSet;

use super::decode;
use super::reader::CapturedRow;
use super::slots::RatingSlot;
use crate::json::{elements_of, inside};
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
        let whole = |value: &str| decode::plain(value).0.trim().parse::<i128>().ok();
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
    let text = decode::plain(value).0;
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

#[cfg(test)]
mod tests {
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
}
