//! Rows of a Parquet file as JSON, using the library's record API.
//!
//! NaN and infinities become null, decimals become numbers, dates and times become strings, and
//! maps become objects. Bytes that are not text are replaced by their length.

use std::io::Write;

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::record::{Field, Row};
use parquet::schema::types::Type;

use crate::json::push_string;

/// Days since 1970 up to which dates are written as such; later ones as their number.
const MAX_DAYS: i64 = 3_000_000;

/// How the values of a column are written, as far as the library's own types do not say it.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueForm {
    /// At most one text per row.
    Text,
    /// A time in nanoseconds, as pandas writes it, which the library reads as a number.
    Nanoseconds,
    /// A struct: the forms of its fields.
    Struct(Vec<ValueForm>),
    /// A list or a map: the form of its elements or values.
    Each(Box<ValueForm>),
    Other,
}

impl ValueForm {
    pub fn of(column: &Type) -> Self {
        match (column.get_basic_info().repetition(), Self::of_one(column)) {
            // Without an annotation that says so, a repeated field is a list, too.
            (Repetition::REPEATED, Self::Text) => Self::Other,
            (Repetition::REPEATED, one) => Self::Each(Box::new(one)),
            (_, one) => one,
        }
    }

    /// The form of one value of a column that may be repeated.
    fn of_one(column: &Type) -> Self {
        let info = column.get_basic_info();
        if column.is_primitive() {
            let is_nanoseconds = matches!(
                info.logical_type_ref(),
                Some(LogicalType::Timestamp(time)) if time.unit == TimeUnit::NANOS
            );
            return match (column.get_physical_type(), info.converted_type()) {
                (
                    PhysicalType::BYTE_ARRAY,
                    ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON,
                ) => Self::Text,
                _ if is_nanoseconds => Self::Nanoseconds,
                _ => Self::Other,
            };
        }
        let is_list = match info.converted_type() {
            ConvertedType::LIST => true,
            ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => false,
            _ => {
                return Self::Struct(
                    column
                        .get_fields()
                        .iter()
                        .map(|field| Self::of(field))
                        .collect(),
                );
            }
        };
        // A list is a group with one repeated field, which has the element as its only field or is the
        // element; in a map, the value is the second field of it.
        let Some(repeated) = column.get_fields().first() else {
            return Self::Other;
        };
        let element = match repeated.is_group().then(|| repeated.get_fields()) {
            Some([element]) if is_list => element,
            Some([_, value]) if !is_list => value,
            _ => repeated,
        };
        match Self::of_one(element) {
            Self::Text => Self::Other,
            one => Self::Each(Box::new(one)),
        }
    }
}

/// Appends a row without its braces. Bytes of text columns are written unchanged, even invalid
/// UTF-8.
pub fn push_row(row: &Row, forms: &[ValueForm], out: &mut Vec<u8>) {
    for (at, (name, field)) in row.get_column_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_string(name.as_bytes(), out);
        out.push(b':');
        match (field, forms.get(at)) {
            (Field::Bytes(text), Some(ValueForm::Text)) => push_string(text.data(), out),
            (field, form) => push_field(field, form.unwrap_or(&ValueForm::Other), out),
        }
    }
}

/// Appends items separated by commas.
fn push_each<T>(
    items: impl IntoIterator<Item = T>,
    (open, close): (u8, u8),
    out: &mut Vec<u8>,
    push: impl Fn(T, &mut Vec<u8>),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push(item, out);
    }
    out.push(close);
}

/// Appends a key of a map as a string, because JSON requires it.
fn push_key(key: &Field, out: &mut Vec<u8>) {
    let start = out.len();
    push_field(key, &ValueForm::Other, out);
    if out.get(start) != Some(&b'"') {
        let written = out.split_off(start);
        push_string(&written, out);
    }
}

/// Appends a value. Writing to memory cannot fail.
fn push_field(field: &Field, form: &ValueForm, out: &mut Vec<u8>) {
    let each = match form {
        ValueForm::Each(form) => form,
        _ => &ValueForm::Other,
    };
    match field {
        Field::Long(time) if *form == ValueForm::Nanoseconds => {
            push_field(&Field::TimestampMicros(time.div_euclid(1000)), form, out);
        }
        Field::Str(text) => push_string(text.as_bytes(), out),
        Field::Bytes(bytes) => push_bytes(bytes.data(), out),
        Field::Float16(value) => push_number(value.to_f32(), out),
        Field::Float(value) => push_number(*value, out),
        Field::Double(value) => push_number(*value, out),
        Field::Decimal(_) => {
            let spelled = field.to_string();
            out.extend_from_slice(spelled.strip_suffix('.').unwrap_or(&spelled).as_bytes());
        }
        Field::Date(days) => push_time(field, i64::from(*days), MAX_DAYS, out),
        Field::TimestampMillis(at) => push_time(field, *at, MAX_DAYS * 86_400_000, out),
        Field::TimestampMicros(at) => push_time(field, *at, MAX_DAYS * 86_400_000_000, out),
        Field::TimeMillis(_) | Field::TimeMicros(_) => {
            push_string(field.to_string().as_bytes(), out);
        }
        // Lists of tokens are long, and `write!` is slower.
        Field::Int(value) => drop(serde_json::to_writer(out, value)),
        Field::Long(value) => drop(serde_json::to_writer(out, value)),
        Field::Group(row) => {
            out.push(b'{');
            let forms = match form {
                ValueForm::Struct(forms) => &forms[..],
                _ => &[],
            };
            push_row(row, forms, out);
            out.push(b'}');
        }
        Field::ListInternal(list) => {
            push_each(list.elements(), (b'[', b']'), out, |element, out| {
                push_field(element, each, out);
            });
        }
        Field::MapInternal(map) => {
            push_each(map.entries(), (b'{', b'}'), out, |(key, value), out| {
                push_key(key, out);
                out.push(b':');
                push_field(value, each, out);
            });
        }
        // Null, booleans, and rare integer types.
        _ => drop(write!(out, "{field}")),
    }
}

/// Appends bytes as text if they are valid UTF-8, otherwise their number.
fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    match std::str::from_utf8(bytes) {
        Ok(_) => push_string(bytes, out),
        Err(_) => push_string(format!("({} bytes)", bytes.len()).as_bytes(), out),
    }
}

/// Appends a number in the fewest digits that parse as the same value of its type.
fn push_number<N: Into<f64> + Copy + std::fmt::Debug>(number: N, out: &mut Vec<u8>) {
    if number.into().is_finite() {
        drop(write!(out, "{number:?}"));
    } else {
        out.extend_from_slice(b"null");
    }
}

/// Appends a date or a time as text, or as its number if it is beyond the library's calendar.
fn push_time(field: &Field, number: i64, most: i64, out: &mut Vec<u8>) {
    if (-most..=most).contains(&number) {
        push_string(field.to_string().as_bytes(), out);
    } else {
        out.extend_from_slice(number.to_string().as_bytes());
    }
}
