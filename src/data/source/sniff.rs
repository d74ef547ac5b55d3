//! Detects file formats by their first bytes, not by name: names can be wrong, and standard input
//! has none.

use serde_json::value::RawValue;

use super::{SourceError, lines};

/// Compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Encoding {
    /// Not compressed.
    #[default]
    Plain,
    /// gzip, with one or more members.
    Gzip,
    /// zstd, with one or more frames.
    Zstd,
}

/// Bytes examined to detect other formats.
pub(super) const HEAD_BYTES: usize = 8 << 10;

/// Bytes examined to detect the compression.
pub(super) const MAGIC_BYTES: usize = 4;

/// Logarithm of the largest accepted zstd window, in bytes: the format's limit with 64-bit
/// addresses.
pub(super) const MAX_WINDOW_LOG: u32 = if usize::BITS >= 64 { 31 } else { 30 };

/// A format that users pass by mistake.
struct ForeignFormat {
    /// Position of its signature.
    at: usize,
    mark: &'static [u8],
    what: &'static str,
    advice: &'static str,
}

const fn foreign_format(
    mark: &'static [u8],
    what: &'static str,
    advice: &'static str,
) -> ForeignFormat {
    ForeignFormat {
        at: 0,
        mark,
        what,
        advice,
    }
}

const RECODE: &str = "convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8 FILE | visavis";
const RECODE_32: &str = "convert it to UTF-8 first: iconv -f UTF-32 -t UTF-8 FILE | visavis";
const UNZIP: &str = "unpack it first: unzip FILE";
/// pandas needs openpyxl for that.
const FROM_EXCEL: &str = "convert it first: python -c \"import pandas; \
     pandas.read_excel('FILE').to_json('FILE.jsonl', orient='records', lines=True)\"";
const FROM_INSPECT: &str = "convert it first: inspect log dump FILE > FILE.json";
const FROM_ARROW: &str = "convert it first: python -c \"import datasets; \
     datasets.Dataset.from_file('FILE').to_json('FILE.jsonl')\"";
const FROM_FEATHER: &str = "convert it first: python -c \"import pandas; \
     pandas.read_feather('FILE').to_json('FILE.jsonl', orient='records', lines=True)\"";
const DECOMPRESS_ONCE: &str = "it was compressed twice; decompress it once first";

/// Tried in this order.
const FOREIGN_FORMATS: &[ForeignFormat] = &[
    foreign_format(b"ARROW1", "an Arrow file", FROM_FEATHER),
    foreign_format(b"FEA1", "an Arrow file", FROM_FEATHER),
    foreign_format(b"\xff\xff\xff\xff", "an Arrow stream", FROM_ARROW),
    foreign_format(
        b"7z\xbc\xaf\x27\x1c",
        "a 7z archive",
        "unpack it first: 7z x FILE",
    ),
    ForeignFormat {
        at: 257,
        mark: b"ustar",
        what: "a tar archive",
        advice: "unpack it first: tar -xf FILE",
    },
    foreign_format(
        b"\xfd7zXZ\0",
        "xz-compressed",
        "decompress it first: xz -dc FILE | visavis",
    ),
    foreign_format(
        b"BZh",
        "bzip2-compressed",
        "decompress it first: bzip2 -dc FILE | visavis",
    ),
    foreign_format(
        b"\x04\x22\x4d\x18",
        "lz4-compressed",
        "decompress it first: lz4 -dc FILE | visavis",
    ),
    foreign_format(
        b"\xd0\xcf\x11\xe0",
        "an Excel workbook (or another Office file)",
        FROM_EXCEL,
    ),
    foreign_format(
        b"SQLite format 3\0",
        "an SQLite database",
        "list its tables (sqlite3 FILE .tables) and read one: sqlite3 -json FILE 'select * from TABLE' | visavis",
    ),
    foreign_format(
        b"version https://git-lfs.github.com/spec/",
        "a Git LFS pointer, not the data itself",
        "fetch the data first: git lfs pull",
    ),
    foreign_format(b"\xff\xfe\0\0", "UTF-32 text", RECODE_32),
    foreign_format(b"\0\0\xfe\xff", "UTF-32 text", RECODE_32),
];

/// Describes a zip archive, and what to do next, by the names of its first members.
fn zip_archive(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const MEMBER: &[u8] = b"PK\x03\x04";
    /// Offsets of the length of a member's name, and of the name.
    const LENGTH: usize = 26;
    const NAME: usize = 30;
    if !head.starts_with(MEMBER) {
        return None;
    }
    let name = |at: usize| {
        let member = &head[at..];
        let length = member.get(LENGTH..)?.first_chunk()?;
        let rest = member.get(NAME..)?;
        Some(&rest[..rest.len().min(usize::from(u16::from_le_bytes(*length)))])
    };
    let mut names = memchr::memmem::find_iter(head, MEMBER).filter_map(name);
    let of_name = |name: &[u8]| match name {
        b"[Content_Types].xml" => Some(("an Excel workbook (or another Office file)", FROM_EXCEL)),
        name if name.starts_with(b"xl/") => Some(("an Excel workbook", FROM_EXCEL)),
        b"header.json" => Some(("an Inspect log", FROM_INSPECT)),
        name if name.starts_with(b"_journal/") || name.starts_with(b"samples/") => {
            Some(("an Inspect log", FROM_INSPECT))
        }
        _ => None,
    };
    let known = names.find_map(of_name);
    Some(known.unwrap_or(("a zip archive", UNZIP)))
}

/// Detects the compression; [`MAGIC_BYTES`] are enough.
pub(super) fn encoding(head: &[u8]) -> Encoding {
    match head {
        [0x1f, 0x8b, ..] => Encoding::Gzip,
        // A frame, or a skippable frame (0x184D2A50 to 5F) before one.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Encoding::Zstd,
        _ => Encoding::Plain,
    }
}

/// Checks that decoded bytes begin like text.
///
/// # Errors
/// [`SourceError::NotText`] with the format found.
pub(super) fn require_text(name: &str, head: &[u8]) -> Result<(), SourceError> {
    let head = &head[..head.len().min(HEAD_BYTES)];
    let refuse = |what, advice| {
        Err(SourceError::NotText {
            name: name.to_owned(),
            what,
            advice,
        })
    };
    if encoding(head) != Encoding::Plain {
        return refuse("still compressed after decoding", DECOMPRESS_ONCE);
    }
    if let Some((what, advice)) = zip_archive(head) {
        return refuse(what, advice);
    }
    if let Some(known) = FOREIGN_FORMATS.iter().find(|known| known.is(head)) {
        return refuse(known.what, known.advice);
    }
    match memchr::memchr(0, head) {
        None => Ok(()),
        // JSON begins with two ASCII characters, each with a zero byte in UTF-16.
        Some(0 | 1) => refuse("binary, or UTF-16 text without a byte order mark", RECODE),
        // A zero byte in a row costs only that row, here as well as after these first bytes.
        Some(_) if begins_with_object(head) => Ok(()),
        Some(_) => refuse("a binary file", "name a file with one JSON record per line"),
    }
}

/// True if the first line, as far as it is available, is a JSON object apart from zero bytes.
fn begins_with_object(head: &[u8]) -> bool {
    let head = lines::trim_start(head);
    let end = memchr::memchr(b'\n', head);
    let line = &head[..end.unwrap_or(head.len())];
    let line: Vec<u8> = (line.iter())
        .map(|&byte| if byte == 0 { b' ' } else { byte })
        .collect();
    line.starts_with(b"{")
        && match serde_json::from_slice::<&RawValue>(&line) {
            Ok(_) => true,
            Err(error) => end.is_none() && error.is_eof(),
        }
}

/// Returns the error if the message of a zstd decoder is about the window.
pub(super) fn too_large_window(name: &str, said: &str) -> Option<SourceError> {
    let what = match said {
        _ if said.contains("requires too much memory") => {
            "zstd-compressed with a window of more than 2 GB"
        }
        _ if said.contains("Allocation error") => {
            "zstd-compressed with a window that exceeds memory"
        }
        _ => return None,
    };
    let advice = "compress it again with a smaller one first: zstd -dc --long=31 --memory=4GB FILE | zstd > SMALLER.zst";
    Some(SourceError::NotText {
        name: name.to_owned(),
        what,
        advice,
    })
}

impl ForeignFormat {
    fn is(&self, head: &[u8]) -> bool {
        // "BZh" alone could begin a text; the block size follows it.
        let digit_follows = |bytes: &[u8]| bytes.get(3).is_some_and(u8::is_ascii_digit);
        head.get(self.at..).is_some_and(|at| {
            at.starts_with(self.mark) && (self.mark != b"BZh" || digit_follows(at))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        for (head, expected) in [
            (&b""[..], Encoding::Plain),
            (b"{\"a\"", Encoding::Plain),
            (b"\x1f", Encoding::Plain),
            (b"\x1f\x8b\x08", Encoding::Gzip),
            (b"\x28\xb5\x2f\xfd", Encoding::Zstd),
            (b"\x28\xb5\x2f", Encoding::Plain),
            (b"\x5e\x2a\x4d\x18\x04", Encoding::Zstd),
        ] {
            assert_eq!(encoding(head), expected, "{head:?}");
        }
    }

    #[test]
    fn text_and_what_is_not() {
        let mut tar = b"data/train.jsonl".to_vec();
        tar.resize(257, 0);
        tar.extend(b"ustar\0");
        let zip = |name: &str| {
            let mut member = vec![0; 30];
            member[..4].copy_from_slice(b"PK\x03\x04");
            member[26] = name.len() as u8;
            [&member, name.as_bytes(), b"{}"].concat()
        };
        let mut late_nul = vec![b' '; HEAD_BYTES];
        late_nul.push(0);
        for (head, expected) in [
            (&b"{}\n"[..], None),
            (b"\xef\xbb\xbf{}", None),
            ("{\"é\": 1}".as_bytes(), None),
            (b"BZhang wrote:", None),
            (b"Perhaps", None),
            (&late_nul, None),
            (b"ARROW1\0\0", Some("an Arrow file")),
            (b"\xff\xff\xff\xff\x10\0", Some("an Arrow stream")),
            (
                b"PK\x03\x04\x14",
                Some("a zip archive; unpack it first: unzip f"),
            ),
            (
                &zip("train.jsonl"),
                Some("a zip archive; unpack it first: unzip f"),
            ),
            (&zip("[Content_Types].xml"), Some("pandas.read_excel('f')")),
            (
                &[zip("docProps/app.xml"), zip("xl/workbook.xml")].concat(),
                Some("an Excel workbook"),
            ),
            (
                &zip("samples/1_epoch_1.json"),
                Some("inspect log dump f > f.json"),
            ),
            (&zip("_journal/start.json"), Some("inspect log dump")),
            (b"7z\xbc\xaf\x27\x1c", Some("a 7z archive")),
            (&tar, Some("a tar archive")),
            (b"\xfd7zXZ\0", Some("xz")),
            (b"BZh91AY&SY", Some("bzip2")),
            (
                b"version https://git-lfs.github.com/spec/v1\n",
                Some("Git LFS"),
            ),
            (b"\xff\xfe\0\0{\0\0\0", Some("UTF-32 text; convert")),
            (b"\xd0\xcf\x11\xe0\xa1", Some("an Excel workbook")),
            (b"SQLite format 3\0", Some("sqlite3 f .tables")),
            (b"{\0\"\0", Some("without a byte order mark")),
            (b"ab\0", Some("a binary file")),
            (b"{\"a\": 1}\n{\"a\": \"x\0\"}\n", None),
            (b"\xef\xbb\xbf\n{\"a\": \"x\0\"}\r\n", None),
            // The rest of the line is beyond the first bytes.
            (b"{\"a\": \"x\0", None),
            (b"{ab\0\n", Some("a binary file")),
            (b"{\"a\": 1}\x01\0\n", Some("a binary file")),
            (b"\x1f\x8b\x08", Some("compressed twice")),
        ] {
            let message = require_text("f", head).err().map(|error| error.to_string());
            match expected {
                None => assert_eq!(message, None),
                Some(part) => assert!(
                    message.as_ref().is_some_and(|m| m.contains(part)),
                    "{part}: {message:?}"
                ),
            }
        }
    }
}
