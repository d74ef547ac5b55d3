//! The terminal's capabilities and appearance, queried in one write before the input thread starts,
//! with a time limit.

use std::env;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use rustix::event::PollFlags;
use rustix::io::Errno;

use super::parser::InputParser;
use super::tty;

/// Background colour (OSC 11), kitty keyboard protocol, modes 1007 and 8 (BDSM, ECMA-48), and a
/// query that every terminal answers (DA1): after its reply, no others follow.
const QUERY: &[u8] = b"\x1b]11;?\x1b\\\x1b[?u\x1b[?1007$p\x1b[8$p\x1b[c";
/// Extra time for a reply that has begun; the event reader would take its rest for typed text.
const REST_OF_REPLY: Duration = Duration::from_millis(100);

/// The brightness of the terminal's background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Luminance above one half.
    Light,
    /// All others.
    Dark,
}

/// The terminal's capabilities and appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// `None` if unknown.
    pub background: Option<Background>,
    /// Whether it has the kitty keyboard protocol.
    pub has_keyboard_protocol: bool,
    /// Whether it sends arrow keys for the wheel (mode 1007); `None` if unknown.
    pub wheel_sends_arrows: Option<bool>,
    /// Whether it reorders right-to-left text of a row itself; `None` if unknown.
    pub reorders_rows: Option<bool>,
    /// Events typed before the reply, in order.
    pub typed: Vec<Event>,
}

/// Queries the terminal for at most `timeout` and a tenth of a second; `COLORFGBG` overrides its
/// background. Must be called before the terminal is taken and the input thread starts.
/// [`InputParser`] does not take a later reply for a key.
///
/// `/dev/tty` must be pollable, which it is not on macOS if standard input is a pipe: then nothing
/// is known.
pub fn capabilities(timeout: Duration) -> Capabilities {
    let mut known = if is_dumb() {
        Capabilities::default()
    } else {
        ask(timeout).unwrap_or_default()
    };
    let named = env::var("COLORFGBG")
        .ok()
        .as_deref()
        .and_then(from_colorfgbg);
    known.background = named.or(known.background);
    // Konsole and Apple's terminal reorder without reporting it; programs in tmux inherit their
    // variables.
    let is_apple = env::var("TERM_PROGRAM").is_ok_and(|name| name == "Apple_Terminal");
    let is_known = is_apple || env::var_os("KONSOLE_VERSION").is_some();
    let is_known = is_known && env::var_os("TMUX").is_none();
    known.reorders_rows = known.reorders_rows.or(is_known.then_some(true));
    known
}

fn ask(timeout: Duration) -> io::Result<Capabilities> {
    let keyboard = tty::open_keyboard()?;
    if !tty::is_foreground(&keyboard) {
        return Ok(Capabilities::default());
    }
    let was_raw = tty::set_raw()?;
    let replies = exchange(&keyboard, timeout);
    if !was_raw {
        tty::set_cooked()?;
    }
    replies
}

/// Sends the query and reads until the last answer or the timeout.
fn exchange(keyboard: impl AsFd, timeout: Duration) -> io::Result<Capabilities> {
    // A terminal that accepts no output is not queried.
    if tty::wait_ready(&keyboard, PollFlags::OUT, Some(timeout))?.is_empty() {
        return Ok(Capabilities::default());
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
    let (mut parser, mut typed) = (InputParser::default(), Vec::new());
    while !parser.is_identified {
        let more = parser.patience().map_or(Duration::ZERO, |_| REST_OF_REPLY);
        let left = (deadline + more).saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        if tty::wait_ready(&keyboard, PollFlags::IN, Some(left))?.is_empty() {
            continue; // Timed out, unless a reply has begun.
        }
        let mut chunk = [0; 512];
        match rustix::io::read(&keyboard, &mut chunk) {
            Ok(0) => break,
            Ok(read) => typed.extend(parser.feed(&chunk[..read])),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    typed.extend(parser.time_out());
    Ok(Capabilities {
        typed,
        ..parser.known
    })
}

/// Parses a reply to the query for the background (OSC 11).
pub(super) fn background_of(reply: &[u8]) -> Option<Background> {
    luminance(reply.strip_prefix(b"11;")?).map(from_luminance)
}

/// Returns the query for the background, which may have changed while the program was stopped;
/// [`InputParser`] reads the reply. Empty if `COLORFGBG` or the kind of terminal decides.
pub(super) fn background_query() -> &'static [u8] {
    let is_known = env::var("COLORFGBG").is_ok_and(|named| from_colorfgbg(&named).is_some());
    if is_known || is_dumb() {
        b""
    } else {
        b"\x1b]11;?\x1b\\"
    }
}

fn is_dumb() -> bool {
    env::var("TERM").map_or(true, |term| term.is_empty() || term == "dumb")
}

/// Returns the relative luminance, 0 to 1, of `rgb:RRRR/GGGG/BBBB` or `rgba:…` with one to four
/// digits per part, with the weights of ITU-R BT.709 and without gamma correction (not needed for a
/// theme).
fn luminance(colour: &[u8]) -> Option<f64> {
    let colour = std::str::from_utf8(colour).ok()?;
    let mut parts = colour
        .strip_prefix("rgb:")
        .or_else(|| colour.strip_prefix("rgba:"))?
        .split('/')
        .map(|part| {
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

/// Parses `15;0` or `15;default;0`: the last number is the background among the sixteen colours. 7
/// and the bright ones except grey (8) are light.
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
    use crossterm::event::KeyCode;

    use super::*;

    #[test]
    fn replies_are_separated_from_keys() {
        let known = |background, has_keyboard_protocol, wheel_sends_arrows| Capabilities {
            background,
            has_keyboard_protocol,
            wheel_sends_arrows,
            ..Capabilities::default()
        };
        let reordering = |setting| Capabilities {
            reorders_rows: Some(setting),
            ..Capabilities::default()
        };
        let (dark, light) = (Some(Background::Dark), Some(Background::Light));
        let nothing = Capabilities::default();
        // Bytes, result, whether complete, whether something has begun, typed characters.
        type Case<'b> = (&'b str, Capabilities, bool, bool, &'b str);
        let cases: [Case<'_>; 16] = [
            ("", nothing.clone(), false, false, ""),
            ("\x1b[8;1$y\x1b[?1;2c", reordering(true), true, false, ""),
            ("\x1b[8;2$y\x1b[?1;2c", reordering(false), true, false, ""),
            (
                "\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\\x1b[?62;4c",
                known(dark, false, None),
                true,
                false,
                "",
            ),
            (
                "\x1b]11;rgb:ff/ff/ee\x07\x1b[?0u\x1b[?1007;2$y\x1b[?6c",
                known(light, true, Some(false)),
                true,
                false,
                "",
            ),
            (
                "\x1b[?1007;1$y\x1b[?1;2c",
                known(None, false, Some(true)),
                true,
                false,
                "",
            ),
            ("\x1b[?1007;0$y\x1b[?1;2c", nothing.clone(), true, false, ""),
            ("\x1b[?1;2c", nothing.clone(), true, false, ""),
            (
                "j\x1b]11;rgba:ffff/ffff/ffff/ffff\x07k\x1b[?6cq",
                known(light, false, None),
                true,
                false,
                "jkq",
            ),
            ("\x1b]11;rgb:1c1c/1c", nothing.clone(), false, true, ""),
            (
                "\x1b]11;rgb:1c1c/1c1c/1c1c\x1b",
                nothing.clone(),
                false,
                true,
                "",
            ),
            ("j\x1b[", nothing.clone(), false, true, "j"),
            ("\x1b[?62;", nothing.clone(), false, true, ""),
            ("\x1b", nothing.clone(), false, true, ""),
            ("\x1b[?2026;2$y\x1b[?1c", nothing.clone(), true, false, ""),
            ("\x1b]11;nonsense\x07\x1b[?1c", nothing, true, false, ""),
        ];
        for (bytes, capabilities, complete, begun, typed) in cases {
            let mut parser = InputParser::default();
            let keys = typed.chars().map(|key| KeyCode::Char(key).into());
            let keys: Vec<_> = keys.map(Event::Key).collect();
            assert_eq!(parser.feed(bytes.as_bytes()), keys, "{bytes:?}");
            assert_eq!(parser.known, capabilities, "{bytes:?}");
            let state = (parser.is_identified, parser.patience().is_some());
            assert_eq!(state, (complete, begun), "{bytes:?}");
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
        for (colour, expected) in cases {
            let got = luminance(colour.as_bytes());
            match (got, expected) {
                (Some(got), Some(expected)) => {
                    assert!((got - expected).abs() < 1e-6, "{colour}: {got}");
                }
                _ => assert_eq!(got, expected, "{colour}"),
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
        for (value, expected) in cases {
            assert_eq!(from_colorfgbg(value), expected, "{value:?}");
        }
    }
}
