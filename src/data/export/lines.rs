//! JSON Lines: unchanged rows, or rows with the remarks of reviewers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use serde_json::value::RawValue;

use super::{ExportError, ExportRequest, Format, no_sample, remark, review};
use crate::dataset::{Buffers, Dataset};
use crate::model::ResponseId;
use crate::review::RatingForm;
use crate::schema::{is_json, repair};

/// The member with the remarks of reviewers.
const REVIEW: &str = "review";
/// The member with the responses that match the query.
const MATCHES: &str = "matches";

pub(super) fn write(
    request: &ExportRequest<'_>,
    out: &mut dyn Write,
    keep_going: &dyn Fn(usize) -> bool,
) -> Result<usize, ExportError> {
    let &ExportRequest {
        dataset,
        ledger,
        format,
        ..
    } = request;
    let writes_matches = format == Format::Reviewed && request.skips_responses();
    let (mut samples, mut line, mut buffers) = (0, Vec::new(), Buffers::default());
    let scales = RatingForm::of_files(dataset);
    for (sample, matched) in request.chosen() {
        if !keep_going(samples) {
            return Err(ExportError::Stopped);
        }
        let rows = dataset
            .own_rows(sample as usize)
            .ok_or_else(|| no_sample(sample))?;
        let remark = match format {
            // With an empty journal no sample is read for its key.
            Format::Reviewed if !ledger.is_empty() => {
                let reading = dataset
                    .read(sample as usize, &mut buffers)
                    .ok_or_else(|| no_sample(sample))?;
                let asked = review::SampleForm {
                    scale: reading
                        .places
                        .first()
                        .and_then(|place| scales.get(place.file)),
                    responses: dataset.responses_of(sample as usize).unwrap_or(0),
                };
                remark(ledger, &reading.body).map(|remark| (remark, asked))
            }
            _ => None,
        };
        for (id, row) in ResponseId::all().zip(rows.iter()) {
            let is_response = fetch(dataset, row, sample, &mut line)?;
            let responses = request.responses_of(sample);
            // A malformed row has no response that could match.
            let is_left = match responses {
                0 => request.matching_only,
                _ => request.matching_only && is_response && !matched.has(id.index()),
            };
            if is_left {
                continue;
            }
            let mut members = Vec::new();
            if writes_matches {
                let letters: Vec<_> = matched.letters(responses).collect();
                let matches = if is_response {
                    serde_json::json!(responses == 0 || matched.has(id.index()))
                } else {
                    serde_json::json!(letters)
                };
                members.push((MATCHES, matches.to_string()));
            }
            members.extend(remark.map(|(remark, asked)| {
                let id = is_response.then_some(id);
                (REVIEW, review::as_json(remark, id, asked).to_string())
            }));
            if members.is_empty() {
                out.write_all(&line)?;
            } else {
                out.write_all(&with_members(&line, &members))?;
            }
            out.write_all(b"\n")?;
        }
        samples += 1;
    }
    Ok(samples)
}

/// Reads the line of a row; returns true if a row is one response.
fn fetch(
    dataset: &Dataset,
    row: u32,
    sample: u32,
    line: &mut Vec<u8>,
) -> Result<bool, ExportError> {
    let place = dataset.place(row).ok_or_else(|| no_sample(sample))?;
    let file = dataset
        .files()
        .get(place.file)
        .ok_or_else(|| no_sample(sample))?;
    dataset.read_line(row, line)?;
    Ok(file.schema.joins_rows())
}

/// Returns the unchanged rows of a sample.
pub(super) fn of_sample(dataset: &Dataset, sample: u32) -> Result<Vec<Vec<u8>>, ExportError> {
    let rows = dataset
        .sample_rows(sample as usize)
        .ok_or_else(|| no_sample(sample))?;
    let line = |row| {
        let mut line = Vec::new();
        fetch(dataset, row, sample, &mut line).map(|_| line)
    };
    rows.iter().map(line).collect()
}

/// Adds members (name and JSON) to a row. An object gets them at its end and keeps every other
/// byte, even if it is not strict JSON (`NaN`, invalid UTF-8), so it stays as strict or lenient as
/// it was. A list, or an object that already has one of these members, becomes the member `row` of
/// a new object; a line that is not JSON becomes a string there.
pub(super) fn with_members(line: &[u8], added: &[(&str, String)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len() + 64);
    // `is_json` does not check for UTF-8.
    let readable = if is_json(line) && std::str::from_utf8(line).is_ok() {
        Some(Cow::Borrowed(line))
    } else {
        repair(line)
            .map(|mended| mended.line.into())
            .filter(|line: &Cow<'_, [u8]>| is_json(line))
    };
    let members = (readable.as_deref()).and_then(|line| other_members(line, added));
    match (members, line.strip_suffix(b"}")) {
        (Some(others), Some(open)) => {
            out.extend_from_slice(open);
            out.extend_from_slice(if others == 0 { b"" } else { b"," });
        }
        _ => {
            out.extend_from_slice(b"{\"row\":");
            match readable {
                Some(_) => out.extend_from_slice(line),
                None => {
                    out.extend_from_slice(
                        serde_json::json!(String::from_utf8_lossy(line))
                            .to_string()
                            .as_bytes(),
                    );
                }
            }
            out.push(b',');
        }
    }
    for (at, (name, value)) in added.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        out.extend_from_slice(format!("{comma}\"{name}\":{value}").as_bytes());
    }
    out.push(b'}');
    out
}

/// Returns the number of members of an object; `None` if it is not an object, or already has one of
/// the added members.
fn other_members(json: &[u8], added: &[(&str, String)]) -> Option<usize> {
    // Values stay raw, so that a lone surrogate in one is harmless; in a name it fails, and the row
    // is wrapped.
    let members: BTreeMap<String, &RawValue> = serde_json::from_slice(json).ok()?;
    let is_taken = |(name, _): &(&str, String)| members.contains_key(*name);
    (!added.iter().any(is_taken)).then_some(members.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_goes_where_it_breaks_nothing() {
        for (line, expected) in [
            (&br#"{"a": 1}"#[..], &br#"{"a": 1,"review":R}"#[..]),
            (b"{}", br#"{"review":R}"#),
            (b"{ }", br#"{ "review":R}"#),
            (
                br#"{"a": {"review": 1} }"#,
                br#"{"a": {"review": 1} ,"review":R}"#,
            ),
            (br#"{"a": "\ud83d"}"#, br#"{"a": "\ud83d","review":R}"#),
            (br#"{"a": NaN}"#, br#"{"a": NaN,"review":R}"#),
            (b"{\"a\": \"\xff\"}", b"{\"a\": \"\xff\",\"review\":R}"),
            (b"{\"a\": \"\t}\"}", b"{\"a\": \"\t}\",\"review\":R}"),
            (br#"{"review": 1}"#, br#"{"row":{"review": 1},"review":R}"#),
            (
                br#"{"revi\u0065w": 1}"#,
                br#"{"row":{"revi\u0065w": 1},"review":R}"#,
            ),
            (br#"{"\ud83d": 1}"#, br#"{"row":{"\ud83d": 1},"review":R}"#),
            (br#"[{"a": 1}]"#, br#"{"row":[{"a": 1}],"review":R}"#),
            (b"[NaN]", br#"{"row":[NaN],"review":R}"#),
            (b"7", br#"{"row":7,"review":R}"#),
            (br#"{"a": "}"#, br#"{"row":"{\"a\": \"}","review":R}"#),
            (
                b"{\"a\": \x1b\xff}",
                "{\"row\":\"{\\\"a\\\": \\u001b\u{fffd}}\",\"review\":R}".as_bytes(),
            ),
        ] {
            let out = with_members(line, &[(REVIEW, "R".to_owned())]);
            assert_eq!(
                String::from_utf8_lossy(&out),
                String::from_utf8_lossy(expected)
            );
            assert_eq!(out, expected);
        }
    }
}
