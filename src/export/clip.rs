//! What is copied, and how it gets into a clipboard through a terminal.

use thiserror::Error;

use super::{ExportError, lines, page, remark};
use crate::dataset::{Buffers, Dataset, SampleBody, SampleKey};
use crate::journal::Ledger;
use crate::model::Side;
use crate::text::{Hidden, hides, sanitise};

/// What to copy of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// All of it, as Markdown.
    Sample,
    /// The text of a response; sides are the file's.
    Response(Side),
    /// Where it stands, as editors and compilers write it: `train.jsonl:27 train.jsonl:28`.
    Link,
    /// Its rows as they stand, a line each, but for characters that do not show: those are escaped
    /// as JSON does.
    Line,
}

/// What must not be told to somebody who judges blind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlindMask {
    /// Whether the dataset's own judgment is hidden, and with it where the sample stands.
    pub hidden: bool,
    /// Whether A and B are shown the other way round.
    pub swapped: bool,
}

/// Why something is not copied.
#[derive(Debug, Error)]
pub enum CopyError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ExportError),
    /// There is no such response.
    #[error("there is no response {}", .0.letter())]
    NoResponse(Side),
    /// It would tell what is hidden.
    #[error("that would tell what is hidden while you judge blind")]
    Hidden,
    /// More than terminals take.
    #[error(
        "{bytes} bytes are more than terminals take into the clipboard ({MOST_COPIED}); export them instead (x)"
    )]
    TooLong {
        /// How many.
        bytes: usize,
    },
}

/// Bytes that go into a clipboard: base64 makes 99,992 of them, and terminals cut at 100,000 with
/// what is around.
pub const MOST_COPIED: usize = 74_994;

/// The text to copy, with what reviewers said; with what one reviewer said alone, where one is
/// named. Nothing in it can drive a terminal or a shell's line editor: it may be pasted into
/// either.
///
/// # Errors
/// When the sample cannot be read, or has no such response, or what is asked for is hidden.
pub fn copy_text(
    what: Copy,
    dataset: &Dataset,
    sample: u32,
    (ledger, only): (&Ledger, Option<&str>),
    veil: BlindMask,
) -> Result<String, CopyError> {
    if veil.hidden && matches!(what, Copy::Link | Copy::Line) {
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
    let mut buffers = Buffers::default();
    let reading = dataset
        .read(sample as usize, &mut buffers)
        .ok_or_else(|| super::no_sample(sample))?;
    if let SampleBody::Unreadable(error) = &reading.body {
        return Err(ExportError::Read(error.clone()).into());
    }
    match what {
        Copy::Sample => {
            let own = only
                .zip(SampleKey::of(&reading.body))
                .and_then(|(name, key)| ledger.remark_by(&key, name));
            let said = match only {
                Some(_) => own
                    .as_ref()
                    .filter(|own| super::review::says_something(own)),
                None => remark(ledger, &reading.body),
            };
            Ok(page::sample(dataset, sample, &reading, said, veil))
        }
        Copy::Link => {
            let link = |place: &crate::dataset::RowPlace| {
                let name = dataset
                    .files()
                    .get(place.file)
                    .map_or("", |file| file.source.name());
                format!("{}:{}", crate::text::one_line(name, 2000), place.line)
            };
            Ok(reading
                .places
                .iter()
                .map(link)
                .collect::<Vec<_>>()
                .join(" "))
        }
        Copy::Response(side) => match &reading.body {
            SampleBody::Sample(sample) => {
                let response = sample
                    .responses
                    .get(side.index())
                    .ok_or(CopyError::NoResponse(side))?;
                Ok(plain(&response.text))
            }
            _ => Err(CopyError::NoResponse(side)),
        },
        Copy::Line => Ok(String::new()), // was answered above
    }
}

/// A text as it is on the screen, but for its tabs, which code can need.
fn plain(text: &str) -> String {
    let pieces: Vec<_> = text
        .split('\t')
        .map(|piece| sanitise(piece, Hidden::Discreet).as_str().to_owned())
        .collect();
    pieces.join("\t")
}

/// A line of JSON with `\u001b` for what does not show: in a string of it this means the same, and
/// no terminal obeys it.
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

/// The bytes that ask a terminal to put a text into the clipboard (OSC 52). Under tmux they come
/// twice: for tmux itself, which takes them if `set-clipboard` is on, and wrapped for the terminal
/// around it, which gets them if `allow-passthrough` is.
///
/// # Errors
/// When terminals would cut the text.
pub fn osc52(text: &str, tmux: bool) -> Result<Vec<u8>, CopyError> {
    if text.len() > MOST_COPIED {
        return Err(CopyError::TooLong { bytes: text.len() });
    }
    let plain = format!("\x1b]52;c;{}\x07", base64(text.as_bytes()));
    let wrapped = if tmux {
        format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b"))
    } else {
        String::new()
    };
    Ok((plain + &wrapped).into_bytes())
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let group = three
            .iter()
            .fold(0_u32, |group, &byte| group << 8 | u32::from(byte))
            << (8 * (3 - three.len()));
        for place in 0..4 {
            let sign = SIGNS[(group >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= three.len() {
                char::from(sign)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
            ("é\u{1b}", "w6kb"),
            ("\u{fffd}?>", "77+9Pz4="),
        ] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }

    #[test]
    fn a_terminal_is_asked() {
        assert_eq!(osc52("foo", false).expect("short"), b"\x1b]52;c;Zm9v\x07");
        let both = b"\x1b]52;c;Zm9v\x07\x1bPtmux;\x1b\x1b]52;c;Zm9v\x07\x1b\\";
        assert_eq!(osc52("foo", true).expect("short"), both);
        let most = osc52(&"x".repeat(MOST_COPIED), false).expect("just short enough");
        assert_eq!(most.len(), 100_000);
        let error = osc52(&"x".repeat(MOST_COPIED + 1), true)
            .expect_err("too long")
            .to_string();
        assert!(
            error.contains("74995 bytes are more") && error.contains("74994"),
            "{error}"
        );
    }

    #[test]
    fn nothing_hidden_is_copied() {
        assert_eq!(plain("a\tb\r\nc\u{1b}[0m\u{202e}\u{9b}"), "a\tb\nc␛[0m⟨9B⟩");
        assert_eq!(
            visible("{\"a\": \"\u{1b}\t\u{202e}\u{9b}é\u{e0041}\u{7f}\"}"),
            r#"{"a": "\u001b\t\u202e\u009bé\udb40\udc41\u007f"}"#
        );
    }
}
