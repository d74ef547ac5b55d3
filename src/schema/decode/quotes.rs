//! A quick look over captured quotes in the spelling that the datasets have: two lists under
//! `title` and `extract`, or a list of objects with these keys. Nothing is decoded or kept.
//!
//! Anything else (another key, one twice, a value that is no text, a key with an escape) is left to
//! serde_json, which tells whether those are quotes. A property test holds the two together.

use memchr::memchr;

/// What is said of a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuotePart {
    Title,
    Extract,
}

/// Shows each part of each quote, by the quote's place in the list, as spelled or as the null that
/// stands there; gives how many quotes there are. `None` where the spelling is out of the ordinary,
/// of which a beginning may have been shown. The spelling is known to be JSON.
pub(super) fn scan<'r>(
    spelling: &'r str,
    show: &mut impl FnMut(usize, QuotePart, Option<&'r str>),
) -> Option<usize> {
    let mut scan = QuoteScan { spelling, at: 0 };
    let count = match spelling.as_bytes().first()? {
        b'{' => scan.columns(show)?,
        _ => scan.list(show)?,
    };
    (scan.at == spelling.len()).then_some(count)
}

struct QuoteScan<'r> {
    spelling: &'r str,
    /// How far it was looked at.
    at: usize,
}

impl<'r> QuoteScan<'r> {
    fn columns(
        &mut self,
        show: &mut impl FnMut(usize, QuotePart, Option<&'r str>),
    ) -> Option<usize> {
        let (mut titles, mut extracts) = (None, None);
        self.expect(b'{')?;
        loop {
            let part = self.key()?;
            let length = match part {
                QuotePart::Title => &mut titles,
                QuotePart::Extract => &mut extracts,
            };
            if length.is_some() {
                return None;
            }
            *length = Some(self.texts(part, show)?);
            if !self.goes_on(b'}')? {
                return Some(titles?.max(extracts?));
            }
        }
    }

    /// The list of a column; gives its length.
    fn texts(
        &mut self,
        part: QuotePart,
        show: &mut impl FnMut(usize, QuotePart, Option<&'r str>),
    ) -> Option<usize> {
        self.expect(b'[')?;
        if self.take(b']') {
            return Some(0);
        }
        for place in 0.. {
            show(place, part, self.text()?);
            if !self.goes_on(b']')? {
                return Some(place + 1);
            }
        }
        None
    }

    fn list(&mut self, show: &mut impl FnMut(usize, QuotePart, Option<&'r str>)) -> Option<usize> {
        self.expect(b'[')?;
        if self.take(b']') {
            return Some(0);
        }
        for place in 0.. {
            self.quote(place, show)?;
            if !self.goes_on(b']')? {
                return Some(place + 1);
            }
        }
        None
    }

    /// A quote of a list.
    fn quote(
        &mut self,
        place: usize,
        show: &mut impl FnMut(usize, QuotePart, Option<&'r str>),
    ) -> Option<()> {
        self.expect(b'{')?;
        if self.take(b'}') {
            return Some(());
        }
        let mut first = None;
        loop {
            let part = self.key()?;
            // There are two parts: a third is one of them again.
            if first == Some(part) {
                return None;
            }
            show(place, part, self.text()?);
            if !self.goes_on(b'}')? {
                return Some(());
            }
            if first.replace(part).is_some() {
                return None;
            }
        }
    }

    /// A key and its colon.
    fn key(&mut self) -> Option<QuotePart> {
        let part = match self.string()? {
            "\"title\"" => QuotePart::Title,
            "\"extract\"" => QuotePart::Extract,
            _ => return None,
        };
        self.expect(b':')?;
        Some(part)
    }

    /// A string as spelled, or null.
    fn text(&mut self) -> Option<Option<&'r str>> {
        self.blanks();
        if self.spelling.as_bytes().get(self.at) == Some(&b'"') {
            return self.string().map(Some);
        }
        self.spelling.get(self.at..)?.strip_prefix("null")?;
        self.at += "null".len();
        Some(None)
    }

    fn string(&mut self) -> Option<&'r str> {
        self.blanks();
        let bytes = self.spelling.as_bytes();
        let start = self.at;
        if bytes.get(start) != Some(&b'"') {
            return None;
        }
        let mut end = start + 1;
        loop {
            end += memchr(b'"', bytes.get(end..)?)?;
            let inside = &bytes[start + 1..end];
            let escapes = inside.iter().rev().take_while(|&&byte| byte == b'\\');
            end += 1;
            if escapes.count() % 2 == 0 {
                self.at = end;
                return self.spelling.get(start..end);
            }
        }
    }

    /// Whether a comma stands here, and not the end of what began with the other bracket.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        if self.take(b',') {
            return Some(true);
        }
        self.expect(end).map(|()| false)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_there = self.spelling.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn blanks(&mut self) {
        let bytes = self.spelling.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
    }
}
