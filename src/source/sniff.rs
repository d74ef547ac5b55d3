//! What a file is, by its first bytes and not by its name.

use super::SourceError;

/// How bytes are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As they are.
    Plain,
    /// gzip, of one member or several.
    Gzip,
    /// zstd, of one frame or several.
    Zstd,
}

/// How many first bytes are looked at.
pub(super) const HEAD_BYTES: usize = 4096;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

const EXTRACT: &str = "extract it first";
const CONVERT: &str = "convert it first, for instance: python3 -c \"import pandas as p; p.read_parquet('F').to_json('F.jsonl', orient='records', lines=True)\"";
const RECODE: &str = "convert it first: iconv -f UTF-16 -t UTF-8";

/// Beginnings of what people open by mistake.
const OTHERS: &[(&[u8], &str, &str)] = &[
    (b"PAR1", "a Parquet file", CONVERT),
    (b"ARROW1", "an Arrow file", CONVERT),
    (b"PK\x03\x04", "a zip archive", EXTRACT),
    (b"7z\xbc\xaf", "a 7z archive", EXTRACT),
    (b"\xfd7zXZ", "an xz file", "decompress it first: xz -dc FILE | visavis"),
    (b"BZh", "a bzip2 file", "decompress it first: bzip2 -dc FILE | visavis"),
    (b"\xff\xfe", "UTF-16 text", RECODE),
    (b"\xfe\xff", "UTF-16 text", RECODE),
];

/// The encoding of a file that begins with these bytes.
///
/// # Errors
/// When there are none, or they are no text.
pub(super) fn encoding(name: &str, head: &[u8]) -> Result<Encoding, SourceError> {
    if head.is_empty() {
        return Err(SourceError::Empty { name: name.to_owned() });
    }
    if head.starts_with(GZIP) {
        return Ok(Encoding::Gzip);
    }
    if is_zstd(head) {
        return Ok(Encoding::Zstd);
    }
    let not_text = |what, hint| Err(SourceError::NotText { name: name.to_owned(), what, hint });
    if let Some(&(_, what, hint)) = OTHERS.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return not_text(what, hint);
    }
    if head.contains(&0) {
        return not_text("a binary file", "give the file with one JSON record a line");
    }
    Ok(Encoding::Plain)
}

/// Whether a file that begins with these bytes can still turn out to be this or that, depending on the next ones.
pub(super) fn is_undecided(head: &[u8]) -> bool {
    let begins = |magic: &[u8]| head.len() < magic.len() && magic.starts_with(head);
    // A skippable frame's first byte is any of sixteen.
    let skippable = matches!(head, [0x50..=0x5f] | [0x50..=0x5f, 0x2a] | [0x50..=0x5f, 0x2a, 0x4d]);
    skippable || begins(GZIP) || begins(ZSTD) || OTHERS.iter().any(|(magic, ..)| begins(magic))
}

/// A zstd frame, or a skippable one before it.
fn is_zstd(head: &[u8]) -> bool {
    head.starts_with(ZSTD) || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes() {
        for (head, expected) in [
            (&b"{\"a\""[..], Ok(Encoding::Plain)),
            (b"\xef\xbb\xbf{", Ok(Encoding::Plain)),
            (b"\x1f\x8b\x08", Ok(Encoding::Gzip)),
            (b"\x28\xb5\x2f\xfd", Ok(Encoding::Zstd)),
            (b"PAR1....", Err("a Parquet file")),
            (b"\xff\xfe{\0", Err("UTF-16 text")),
            (b"x\0y", Err("a binary file")),
        ] {
            let found = encoding("f", head).map_err(|error| error.to_string());
            match expected {
                Ok(encoding) => assert_eq!(found, Ok(encoding)),
                Err(what) => assert!(found.expect_err("an error").contains(what), "{what}"),
            }
        }
        assert_eq!(encoding("f", b""), Err(SourceError::Empty { name: "f".into() }));
    }
}
