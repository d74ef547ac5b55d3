//! Converts text to UTF-8: UTF-16 from any source, and the code pages of spreadsheet tables.

use std::io::{self, Cursor, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, Encoding, UTF_16BE, UTF_16LE};

use super::spool::Spool;

/// Bytes needed to recognise UTF-16.
const HEAD: u64 = 4;
/// Raw bytes decoded at a time.
const STEP: usize = 64 << 10;
/// Bytes that a code page is guessed from, starting at the first non-ASCII byte.
const WINDOW: usize = 64 << 10;
/// This many non-ASCII characters prove UTF-8.
const PROOF: usize = 16;

/// Returns the encoding if a text is UTF-16. Without a byte order mark, the first two characters
/// must be ASCII, as in JSON and most table headers.
pub(super) fn utf16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        // UTF-32.
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] | [0, 1..=0x7f, 0, 1..=0x7f, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Returns a reader that decodes UTF-16, which it reports to `spool`, to UTF-8; passes other bytes
/// through.
///
/// # Errors
/// If the first bytes cannot be read.
pub(super) fn utf8_reader<'r>(
    mut from: impl Read + Send + 'r,
    spool: &Spool,
) -> io::Result<Box<dyn Read + Send + 'r>> {
    let mut head = Vec::new();
    (from.by_ref().take(HEAD)).read_to_end(&mut head)?;
    let encoding = utf16(&head);
    let from = Cursor::new(head).chain(from);
    let Some(encoding) = encoding else {
        return Ok(Box::new(from));
    };
    spool.charset.get_or_init(|| encoding.name());
    Ok(Box::new(Utf16Reader {
        from,
        decoder: encoding.new_decoder_with_bom_removal(),
        ready: Cursor::default(),
        ended: false,
    }))
}

struct Utf16Reader<R> {
    from: R,
    decoder: Decoder,
    /// Decoded bytes.
    ready: Cursor<Vec<u8>>,
    /// True if no more bytes follow those.
    ended: bool,
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.ready.read(buffer)?;
            if read > 0 || self.ended {
                return Ok(read);
            }
            let mut raw = [0; STEP];
            let length = self.from.read(&mut raw)?;
            self.ended = length == 0;
            let text = decoded(&mut self.decoder, &raw[..length], self.ended);
            self.ready = Cursor::new(text);
        }
    }
}

fn decoded(decoder: &mut Decoder, bytes: &[u8], ended: bool) -> Vec<u8> {
    let most = decoder.max_utf8_buffer_length(bytes.len());
    let mut text = vec![0; most.unwrap_or_default()];
    let (_, _, written, _) = decoder.decode_to_utf8(bytes, &mut text, ended);
    text.truncate(written);
    text
}

/// The text of a table as UTF-8: unchanged, or decoded from the code page that its first non-ASCII
/// bytes suggest. Invalid bytes in UTF-8 stay unchanged.
pub(super) enum TableText {
    /// Bytes since the first non-ASCII one, too few for a guess.
    Undecided(Vec<u8>),
    Utf8,
    CodePage(Decoder),
}

impl TableText {
    pub(super) fn new() -> Self {
        Self::Undecided(Vec::new())
    }

    /// Takes the next bytes (the last ones if `ended`) and returns the text decoded so far.
    pub(super) fn take<'p>(
        &mut self,
        piece: &'p [u8],
        ended: bool,
        text: &'p mut Vec<u8>,
    ) -> &'p [u8] {
        text.clear();
        match self {
            Self::Utf8 => return piece,
            Self::CodePage(decoder) => text.append(&mut decoded(decoder, piece, ended)),
            Self::Undecided(held) => {
                let ascii = if held.is_empty() {
                    Encoding::ascii_valid_up_to(piece)
                } else {
                    0
                };
                if ascii == piece.len() && held.is_empty() {
                    return piece;
                }
                text.extend_from_slice(&piece[..ascii]);
                held.extend_from_slice(&piece[ascii..]);
                if let Some(encoding) = guess(held, ended) {
                    let held = std::mem::take(held);
                    let mut decoder = encoding.new_decoder_without_bom_handling();
                    if encoding == encoding_rs::UTF_8 {
                        text.extend_from_slice(&held);
                        *self = Self::Utf8;
                    } else {
                        text.append(&mut decoded(&mut decoder, &held, ended));
                        *self = Self::CodePage(decoder);
                    }
                }
            }
        }
        text
    }

    /// Returns the name of the code page, if there is one.
    pub(super) fn code_page(&self) -> Option<&'static str> {
        match self {
            Self::CodePage(decoder) => Some(decoder.encoding().name()),
            _ => None,
        }
    }
}

/// Guesses the encoding; `None` if more bytes are needed. UTF-8 if most non-ASCII characters are
/// valid.
fn guess(bytes: &[u8], ended: bool) -> Option<&'static Encoding> {
    let (mut valid, mut broken, mut rest) = (0, 0, bytes);
    let is_all = ended || bytes.len() >= WINDOW;
    while valid < PROOF || broken > 0 {
        rest = &rest[Encoding::ascii_valid_up_to(rest)..];
        if rest.is_empty() {
            break;
        }
        let length = rest.len().min(4);
        match std::str::from_utf8(&rest[..length]) {
            Err(error) if error.valid_up_to() == 0 && error.error_len().is_none() => break,
            Err(error) if error.valid_up_to() == 0 => {
                broken += 1;
                rest = &rest[1..];
            }
            _ => {
                valid += 1;
                let next = rest[1..].iter().position(|byte| byte & 0xC0 != 0x80);
                rest = next.map_or(&[][..], |next| &rest[1 + next..]);
            }
        }
    }
    if valid >= PROOF && broken == 0 {
        return Some(encoding_rs::UTF_8);
    }
    is_all.then(|| {
        if valid > broken || valid + broken == 0 && !ended {
            return encoding_rs::UTF_8;
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, ended);
        detector.guess(None, Utf8Detection::Deny)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes bytes in pieces of this size; returns the text and the code page.
    fn table(bytes: &[u8], piece: usize) -> (String, Option<&'static str>) {
        let (mut table, mut all, mut text) = (TableText::new(), Vec::new(), Vec::new());
        for piece in bytes.chunks(piece) {
            all.extend_from_slice(table.take(piece, false, &mut text));
        }
        all.extend_from_slice(table.take(b"", true, &mut text));
        (
            String::from_utf8_lossy(&all).into_owned(),
            table.code_page(),
        )
    }

    #[test]
    fn tables_are_decoded_from_their_code_page() {
        let german = "frage,eins,zwei\nWürdest du später grüßen?,Ja – natürlich.,Lieber „nicht“.\n";
        let chinese = "问题,回答一,回答二\n今天天气怎么样？,今天很热。,我不知道。\n".repeat(3);
        let russian =
            "вопрос;ответ\nКакая сегодня погода?;Сегодня очень тепло и солнечно.\n".repeat(3);
        for (text, encoding) in [
            (german, encoding_rs::WINDOWS_1252),
            (&*chinese, encoding_rs::GB18030),
            (&*russian, encoding_rs::WINDOWS_1251),
        ] {
            let (bytes, _, _) = encoding.encode(text);
            for piece in [1, 3, 1000] {
                let (read, page) = table(&bytes, piece);
                assert_eq!(read, text);
                let pages = [encoding.name(), "GBK"];
                assert!(page.is_some_and(|page| pages.contains(&page)), "{page:?}");
                assert_eq!(table(text.as_bytes(), piece), (text.to_owned(), None));
            }
        }
    }

    #[test]
    fn broken_characters_in_utf_8_stay() {
        let text = [&b"a,\xc3\xa9,\xc3\xa9\n\xff,"[..], "né à côté".as_bytes()].concat();
        for piece in [1, 4, 100] {
            let (read, page) = table(&text, piece);
            assert_eq!((read, page), ("a,é,é\n\u{fffd},né à côté".to_owned(), None));
        }
        let late = [&b"x".repeat(WINDOW)[..], b"\xe9t\xe9\n"].concat();
        assert_eq!(table(&late, 9000).1, Some("windows-1252"));
        assert_eq!(table(b"a,b\n", 2), ("a,b\n".to_owned(), None));
    }

    #[test]
    fn utf_16_is_detected_by_its_first_bytes() {
        for (head, expected) in [
            (&b"\xff\xfe{\0"[..], Some(UTF_16LE)),
            (b"\xfe\xff\0{", Some(UTF_16BE)),
            (b"{\0\"\0", Some(UTF_16LE)),
            (b"\0{\0\"", Some(UTF_16BE)),
            (b"\xff\xfe\0\0", None),
            (b"{\"a\"", None),
            (b"a\0b", None),
            (b"", None),
        ] {
            assert_eq!(utf16(head), expected, "{head:?}");
        }
    }
}
