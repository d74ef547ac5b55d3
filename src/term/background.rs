//! Is the terminal light or dark? Asked once, before the input thread starts, and never waiting for
//! long.

use std::env;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use rustix::event::PollFlags;
use rustix::io::Errno;

use super::parser::InputParser;
use super::sequence::{self, Token};
use super::tty::{self, RawModeRequest};

/// The colour query (OSC 11), and one that every terminal answers (DA1): once the second answer is
/// there, a terminal that has not answered the first never will.
const QUERY: &[u8] = b"\x1b]11;?\x1b\\\x1b[c";
/// What the answer to the first begins with.
const COLOUR: &[u8] = b"11;";
/// A reply that has begun is on its way; leaving its rest to the event reader would type it.
const REST_OF_REPLY: Duration = Duration::from_millis(100);

/// What the terminal's background is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Luminance above one half.
    Light,
    /// All others.
    Dark,
}

/// What came of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackgroundAnswer {
    /// Nothing if the terminal does not say.
    pub background: Option<Background>,
    /// Keys typed before the answer, for the loop to take as if they came from the input thread.
    pub typed: Vec<Event>,
}

/// Finds the background: from `COLORFGBG` if it is set, else by asking the terminal, for at most
/// `timeout` and a tenth of a second. To be called before the input thread starts; before or after
/// the terminal is taken. An answer that comes later still is no key to [`InputParser`].
///
/// `/dev/tty` must be pollable, which it is not on macOS if standard input is a pipe: no answer
/// then.
pub fn background(timeout: Duration) -> BackgroundAnswer {
    if let Some(background) = env::var("COLORFGBG")
        .ok()
        .as_deref()
        .and_then(from_colorfgbg)
    {
        return BackgroundAnswer {
            background: Some(background),
            typed: Vec::new(),
        };
    }
    let dumb = env::var("TERM").map_or(true, |term| term.is_empty() || term == "dumb");
    if dumb {
        return BackgroundAnswer::default();
    }
    ask(timeout).unwrap_or_default()
}

fn ask(timeout: Duration) -> io::Result<BackgroundAnswer> {
    let keyboard = tty::open_keyboard()?;
    if !tty::is_foreground(&keyboard) {
        return Ok(BackgroundAnswer::default());
    }
    let was = tty::set_raw()?;
    let replies = exchange(&keyboard, timeout);
    if was == RawModeRequest::NotYet {
        tty::set_cooked()?;
    }
    let replies = replies?;
    let mut parser = InputParser::default();
    let mut typed = parser.feed(&replies.typed);
    typed.extend(parser.time_out());
    Ok(BackgroundAnswer {
        background: replies.background,
        typed,
    })
}

/// Sends the query and reads until the second answer or the end of the time.
fn exchange(keyboard: impl AsFd, timeout: Duration) -> io::Result<Replies> {
    // A terminal that takes nothing is not asked.
    if tty::wait_ready(&keyboard, PollFlags::OUT, Some(timeout))?.is_empty() {
        return Ok(Replies {
            complete: true,
            ..Replies::default()
        });
    }
    let mut query = QUERY;
    while !query.is_empty() {
        match rustix::io::write(&keyboard, query) {
            Ok(written) => query = &query[written..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let deadline = Instant::now() + timeout;
    let mut bytes = Vec::new();
    loop {
        let replies = Replies::parse(&bytes);
        let deadline = if replies.begun {
            deadline + REST_OF_REPLY
        } else {
            deadline
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if replies.complete || left.is_zero() {
            return Ok(replies);
        }
        let ready = tty::wait_ready(&keyboard, PollFlags::IN, Some(left))?;
        if ready.is_empty() {
            continue; // Out of time, unless a reply has begun.
        }
        let mut chunk = [0; 512];
        match rustix::io::read(&keyboard, &mut chunk) {
            Ok(0) => return Ok(replies),
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The bytes read so far, told apart.
#[derive(Debug, Default, PartialEq, Eq)]
struct Replies {
    background: Option<Background>,
    /// The second answer is there.
    complete: bool,
    /// The bytes end in the middle of a reply.
    begun: bool,
    typed: Vec<u8>,
}

impl Replies {
    fn parse(mut bytes: &[u8]) -> Replies {
        let mut replies = Replies::default();
        while let Some((token, length)) = sequence::first(bytes) {
            let (read, rest) = bytes.split_at(length);
            match token {
                Token::String(text) if text.starts_with(COLOUR) => {
                    let colour = text[COLOUR.len()..].split(|byte| matches!(byte, 0x07 | 0x1b));
                    let colour = colour.into_iter().next().and_then(luminance);
                    replies.background = colour.map(from_luminance);
                }
                Token::Control([b'?', ..], b'c') => replies.complete = true,
                _ => replies.typed.extend_from_slice(read),
            }
            bytes = rest;
        }
        replies.begun = bytes.len() > 1 && bytes.starts_with(b"\x1b");
        if !replies.begun {
            replies.typed.extend_from_slice(bytes);
        }
        replies
    }
}

/// Relative luminance, 0 to 1, of `rgb:RRRR/GGGG/BBBB` or `rgba:…` with one to four digits a part,
/// by the weights of ITU-R BT.709 on the values as they are (a theme needs no gamma).
fn luminance(colour: &[u8]) -> Option<f64> {
    let colour = std::str::from_utf8(colour).ok()?;
    let parts = colour
        .strip_prefix("rgb:")
        .or_else(|| colour.strip_prefix("rgba:"))?;
    let mut parts = parts.split('/').map(|part| {
        let digits = u32::try_from(part.len())
            .ok()
            .filter(|n| (1..=4).contains(n))?;
        let value = u32::from_str_radix(part, 16).ok()?;
        Some(f64::from(value) / f64::from(16u32.pow(digits) - 1))
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    Some(0.2126 * red + 0.7152 * green + 0.0722 * blue)
}

fn from_luminance(luminance: f64) -> Background {
    if luminance > 0.5 {
        Background::Light
    } else {
        Background::Dark
    }
}

/// `15;0` or `15;default;0`: the last number is the background among the sixteen colours. 7 and the
/// bright ones but grey (8) are light.
fn from_colorfgbg(value: &str) -> Option<Background> {
    let (_, last) = value.rsplit_once(';')?;
    match last.parse::<u8>().ok()? {
        7 | 9..=15 => Some(Background::Light),
        0..=6 | 8 => Some(Background::Dark),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case = (&'static [u8], Option<Background>, bool, bool, &'static [u8]);

    #[test]
    fn replies_are_told_from_keys() {
        use Background::{Dark, Light};
        // bytes, background, complete, begun, typed
        let cases: [Case; 13] = [
            (b"", None, false, false, b""),
            (
                b"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\\x1b[?62;4c",
                Some(Dark),
                true,
                false,
                b"",
            ),
            (
                b"\x1b]11;rgb:ff/ff/ee\x07\x1b[?6c",
                Some(Light),
                true,
                false,
                b"",
            ),
            (b"\x1b[?1;2c", None, true, false, b""),
            (
                b"j\x1b]11;rgba:ffff/ffff/ffff/ffff\x07k\x1b[?6cq",
                Some(Light),
                true,
                false,
                b"jkq",
            ),
            (b"\x1b]11;rgb:1c1c/1c", None, false, true, b""),
            (b"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b", None, false, true, b""),
            (b"j\x1b[", None, false, true, b"j"),
            (b"\x1b[?62;", None, false, true, b""),
            (b"\x1b", None, false, false, b"\x1b"),
            (b"\x1b[A\x1b[?1;2c", None, true, false, b"\x1b[A"),
            (
                b"\x1b[?2026;2$y\x1b[?1c",
                None,
                true,
                false,
                b"\x1b[?2026;2$y",
            ),
            (b"\x1b]11;nonsense\x07\x1b[?1c", None, true, false, b""),
        ];
        for (bytes, background, complete, begun, typed) in cases {
            let replies = Replies::parse(bytes);
            let wanted = Replies {
                background,
                complete,
                begun,
                typed: typed.to_vec(),
            };
            assert_eq!(replies, wanted, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn luminance_reads_every_width() {
        let cases = [
            ("rgb:0/0/0", Some(0.0)),
            ("rgb:f/f/f", Some(1.0)),
            ("rgb:ff/ff/ff", Some(1.0)),
            ("rgb:fff/fff/fff", Some(1.0)),
            ("rgb:0000/ffff/0000", Some(0.7152)),
            ("rgba:8000/8000/8000/ffff", Some(0.500_007_6)),
            ("rgb:fffff/0/0", None),
            ("rgb:12/34", None),
            ("rgb:zz/00/00", None),
            ("#1c1c1c", None),
        ];
        for (colour, wanted) in cases {
            let got = luminance(colour.as_bytes());
            match (got, wanted) {
                (Some(got), Some(wanted)) => {
                    assert!((got - wanted).abs() < 1e-6, "{colour}: {got}");
                }
                _ => assert_eq!(got, wanted, "{colour}"),
            }
        }
    }

    #[test]
    fn colorfgbg_names_the_background_last() {
        use Background::{Dark, Light};
        let cases = [
            ("15;0", Some(Dark)),
            ("0;15", Some(Light)),
            ("0;default;15", Some(Light)),
            ("12;8", Some(Dark)),
            ("0;7", Some(Light)),
            ("15;default", None),
            ("15", None),
            ("", None),
            ("15;200", None),
        ];
        for (value, wanted) in cases {
            assert_eq!(from_colorfgbg(value), wanted, "{value:?}");
        }
    }
}
