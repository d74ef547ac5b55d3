//! Texts for the clipboard.

use thiserror::Error;

use super::document::WrittenSample;
use super::place::FilePlace;
use super::{ExportError, lines, remark};
use crate::dataset::{Buffers, Dataset, SampleKey};
use crate::journal::Ledger;
use crate::model::{ResponseId, ResponseOrder};
use crate::text::{Hidden, grouped, hides, one_line, sanitise};

/// The part of a sample to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// The whole sample as Markdown.
    Sample,
    /// The text of a response of the file.
    Response(ResponseId),
    /// The location of its first row, as editors and compilers write it: `train.jsonl:27`.
    Link,
    /// The key of the sample.
    Key,
    /// Its unchanged rows, one per line, with invisible characters escaped as in JSON.
    Line,
}

/// What to hide from a reviewer who judges blind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlindMask {
    /// True if the dataset's judgment is hidden, and with it the sample's location.
    pub hidden: bool,
    /// The order in which the responses are shown.
    pub order: ResponseOrder,
}

/// Why nothing is copied.
#[derive(Debug, Error)]
pub enum CopyError {
    /// The sample cannot be read.
    #[error(transparent)]
    Read(#[from] ExportError),
    /// The sample has no such response.
    #[error("the sample has no response {}", .0.letter())]
    NoResponse(ResponseId),
    /// The text would reveal what blind judging hides.
    #[error("this would reveal what blind judging hides")]
    Hidden,
    /// The text exceeds the clipboard limit of terminals.
    #[error(
        "{} bytes exceed the clipboard limit of terminals ({}); export them instead (x)",
        grouped(*bytes),
        grouped(MAX_COPIED)
    )]
    TooLong {
        /// Length of the text in bytes.
        bytes: usize,
    },
}

/// Maximum bytes for the clipboard: base64 turns them into 99,988, and terminals cut at 100,000
/// with the escape sequence.
pub const MAX_COPIED: usize = 74_991;

/// Returns the text to copy, with the remarks of one reviewer if named, otherwise of all. The text
/// contains nothing that controls a terminal or a shell's line editor, so it is safe to paste into
/// either.
///
/// # Errors
/// If the sample cannot be read or lacks the response, the part is hidden, or terminals would cut
/// the text.
pub fn copy_text(
    what: Copy,
    dataset: &Dataset,
    sample: u32,
    said: (&Ledger, Option<&str>),
    mask: BlindMask,
) -> Result<String, CopyError> {
    check_length(text_of(what, dataset, sample, said, mask)?)
}

/// Checks that terminals do not cut the text.
fn check_length(text: String) -> Result<String, CopyError> {
    match text.len() {
        ..=MAX_COPIED => Ok(text),
        bytes => Err(CopyError::TooLong { bytes }),
    }
}

fn text_of(
    what: Copy,
    dataset: &Dataset,
    sample: u32,
    (ledger, only): (&Ledger, Option<&str>),
    mask: BlindMask,
) -> Result<String, CopyError> {
    if mask.hidden && matches!(what, Copy::Link | Copy::Line) {
        return Err(CopyError::Hidden);
    }
    if what == Copy::Line {
        let rows = lines::of_sample(dataset, sample)?;
        let rows: Vec<_> = rows
            .iter()
            .map(|row| visible(&String::from_utf8_lossy(row)))
            .collect();
        return Ok(rows.join("\n"));
    }
    let mut buffers = Buffers::with_fields();
    let reading = super::read(dataset, sample, &mut buffers)?;
    match what {
        Copy::Sample => {
            let key = SampleKey::of(&reading.body);
            let own = only
                .zip(key)
                .and_then(|(name, key)| ledger.remark_by(&key, name));
            let said = match only {
                Some(_) => own.as_ref().filter(|own| super::review::has_content(own)),
                None => remark(ledger, &reading.body),
            };
            let sample = WrittenSample {
                mask,
                ..WrittenSample::of(dataset, sample, &reading, said)
            };
            Ok(plain(&sample.as_markdown()))
        }
        Copy::Link => {
            let link = |place: &crate::dataset::RowPlace| {
                let name = one_line(FilePlace::of(dataset, place).file, 2000);
                format!("{name}:{}", place.line)
            };
            Ok(reading.places.first().map(link).unwrap_or_default())
        }
        Copy::Key => {
            let key = SampleKey::of(&reading.body).map(|key| key.to_string());
            key.ok_or_else(|| super::no_sample(sample).into())
        }
        Copy::Response(response) => {
            let sample = reading.body.sample();
            let found = sample.and_then(|sample| sample.responses.get(response.index()));
            let found = found.ok_or(CopyError::NoResponse(response))?;
            Ok(plain(&found.with_roles()))
        }
        Copy::Line => Ok(String::new()), // was answered above
    }
}

/// Makes a text safe to paste: invisible characters are named; tabs stay, because code may need
/// them.
fn plain(text: &str) -> String {
    let pieces: Vec<_> = text
        .split('\t')
        .map(|piece| sanitise(piece, Hidden::Named).as_str().to_owned())
        .collect();
    pieces.join("\t")
}

/// Escapes the invisible characters of a line of JSON (`\u001b`), which keeps the meaning of
/// strings and does not control a terminal.
pub fn visible(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for sign in line.chars() {
        let shows = !sign.is_control()
            && !matches!(sign, '\u{2028}' | '\u{2029}')
            && !hides(sign.encode_utf8(&mut [0; 4]));
        match sign {
            '\t' => out.push_str("\\t"),
            _ if shows => out.push(sign),
            _ => sign
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_would_cut_is_refused() {
        assert!(check_length("x".repeat(MAX_COPIED)).is_ok());
        let error = check_length("x".repeat(MAX_COPIED + 1))
            .expect_err("too long")
            .to_string();
        assert!(
            error.contains("74,992 bytes exceed") && error.contains("74,991"),
            "{error}"
        );
    }

    #[test]
    fn nothing_hidden_is_copied() {
        assert_eq!(
            plain("a\tb\r\nc\u{1b}[0m\u{202e}\u{9b}"),
            "a\tb\nc␛[0m⟨RLO⟩⟨9B⟩"
        );
        assert_eq!(
            visible("{\"a\": \"\u{1b}\t\u{202e}\u{9b}é\u{e0041}\u{7f}\"}"),
            r#"{"a": "\u001b\t\u202e\u009bé\udb40\udc41\u007f"}"#
        );
    }
}
