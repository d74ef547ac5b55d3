//! Web addresses in texts. Only http and https, for safe clicks.

use std::ops::Range;

use crate::text::find::fold::is_spaceless;

/// Longest address that terminals accept in OSC 8, in bytes.
const LONGEST: usize = 2_083;

/// A range of text that links to a web address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLink {
    /// Its bytes.
    pub range: Range<usize>,
    /// The address, in printable ASCII.
    pub url: String,
}

impl TextLink {
    /// Creates a link; `None` if the address is not http or https, or too long.
    pub(super) fn to(range: Range<usize>, address: &str) -> Option<Self> {
        let url = is_web_address(address).then(|| encoded(address))?;
        (url.len() <= LONGEST).then_some(Self { range, url })
    }

    /// Iterates over the addresses in a text.
    pub fn within(text: &str) -> impl Iterator<Item = Self> {
        let mut from = 0;
        memchr::memmem::find_iter(text.as_bytes(), "://").filter_map(move |at| {
            let named = &text[from.min(at)..at];
            let is_end = |scheme: &&str| {
                named
                    .len()
                    .checked_sub(scheme.len())
                    .and_then(|start| named.get(start..))
                    .is_some_and(|end| end.eq_ignore_ascii_case(scheme))
            };
            let start = at
                - ["https", "http"]
                    .iter()
                    .find(|scheme| is_end(scheme))?
                    .len();
            if text[..start].ends_with(|c: char| c.is_ascii_alphanumeric()) {
                return None;
            }
            from = start + end_of(&text[start..]);
            Self::to(start..from, &text[start..from])
        })
    }
}

/// True for an http or https address with something after the scheme.
pub fn is_web_address(address: &str) -> bool {
    address.split_once("://").is_some_and(|(scheme, rest)| {
        let known = ["http", "https"].iter();
        !rest.is_empty()
            && known
                .into_iter()
                .any(|known| scheme.eq_ignore_ascii_case(known))
    })
}

/// Returns the end of an address at the beginning of a text. Punctuation at its end, or an unopened
/// closing bracket, belongs to the sentence.
fn end_of(text: &str) -> usize {
    let is_of_address = |c: char| {
        if c.is_ascii() {
            c.is_ascii_graphic() && !"<>\"`\\^{|}".contains(c)
        } else {
            c.is_alphanumeric() && !is_spaceless(c)
        }
    };
    let most = text.len().min(LONGEST + 1);
    let window = &text[..crate::text::char_start(text, most)];
    let end = window.find(|c| !is_of_address(c)).unwrap_or(window.len());
    let mut address = &text[..end];
    let count = |sign: char| address.matches(sign).count();
    let unopened = |open, close| count(close).saturating_sub(count(open));
    let (mut round, mut square) = (unopened('(', ')'), unopened('[', ']'));
    while let Some(last) = address.chars().next_back() {
        match last {
            ')' if round > 0 => round -= 1,
            ']' if square > 0 => square -= 1,
            _ if "'*,.:;!?_~".contains(last) => {}
            _ => break,
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    address.len()
}

/// Encodes an address as printable ASCII for OSC 8: other bytes as `%XX`.
fn encoded(address: &str) -> String {
    let mut url = String::with_capacity(address.len());
    for byte in address.bytes() {
        if byte.is_ascii_graphic() {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_where_the_sentence_goes_on() {
        let cases: &[(&str, &[&str])] = &[
            (
                "See https://a.example/b, and HTTP://c.example.",
                &["https://a.example/b", "HTTP://c.example"],
            ),
            ("(https://a.example/x_(y))", &["https://a.example/x_(y)"]),
            (
                "[t](http://a.example/?q=1&r=2#s)",
                &["http://a.example/?q=1&r=2#s"],
            ),
            ("**https://a.example/**", &["https://a.example/"]),
            (
                "https://a.example/?u=http://b.example",
                &["https://a.example/?u=http://b.example"],
            ),
            ("見https://a.example/x。次", &["https://a.example/x"]),
            ("https://a.example/Köln", &["https://a.example/K%C3%B6ln"]),
            ("javascript://x ftp://y xhttp://z http:// https://", &[]),
            ("https://a.example/\u{202e}x", &["https://a.example/"]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = TextLink::within(text).map(|link| link.url).collect();
            assert_eq!(found, *expected, "{text}");
        }
        let long = format!("https://a.example/{}", "x".repeat(LONGEST));
        assert_eq!(TextLink::within(&long).count(), 0);
    }
}
