//! Decodes token ids with the vocabulary of GPT-2.
//!
//! `assets/tokens/gpt2.zst` is that vocabulary, compressed: for each id from 0, the length of its
//! bytes as one byte; then all bytes. It is data of OpenAI's GPT-2 (MIT licence), taken from the
//! table `r50k_base` of the crate tiktoken-rs (MIT licence); a test rebuilds it from there. It is
//! unpacked when the first token is decoded, which takes milliseconds, not while a frame is drawn.

use std::sync::LazyLock;

/// Number of ids: 0 to 50,256. The last is the end of a text.
pub const IDS: usize = 50_257;

static PACKED: &[u8] = include_bytes!("../assets/tokens/gpt2.zst");

static GPT2: LazyLock<TokenTable> = LazyLock::new(|| {
    let unpacked = zstd::decode_all(PACKED).unwrap_or_default();
    TokenTable::of(unpacked).unwrap_or_default()
});

/// The bytes of each token.
#[derive(Debug, Default)]
struct TokenTable {
    bytes: Vec<u8>,
    /// End of the bytes of each id.
    ends: Vec<usize>,
}

impl TokenTable {
    /// Parses an unpacked vocabulary; `None` if the file is not one.
    fn of(unpacked: Vec<u8>) -> Option<Self> {
        let lengths = unpacked.get(..IDS)?;
        let mut end = IDS;
        let ends = lengths.iter().map(|length| {
            end += usize::from(*length);
            end
        });
        let ends: Vec<_> = ends.collect();
        (end == unpacked.len()).then_some(Self {
            bytes: unpacked,
            ends,
        })
    }

    /// Returns the bytes of a token; `None` for an unknown id.
    fn token(&self, id: usize) -> Option<&[u8]> {
        let end = *self.ends.get(id)?;
        let start = match id.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => IDS,
        };
        self.bytes.get(start..end)
    }
}

/// Decoded token ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecodedTokens {
    /// Their text, with U+FFFD for bytes that are not UTF-8 (such as part of a character) and
    /// `⟨id⟩` for unknown ids.
    pub text: String,
    /// Number of unknown ids.
    pub unknown: usize,
    /// Number of ids that were not decoded, since the text reached its limit.
    pub not_decoded: usize,
}

/// Decodes ids as spelled in a file, to little more than `most` bytes.
pub fn decode<'i>(ids: impl Iterator<Item = &'i str>, most: usize) -> DecodedTokens {
    let vocabulary = &*GPT2;
    let (mut bytes, mut unknown, mut not_decoded) = (Vec::new(), 0, 0);
    for id in ids {
        if bytes.len() >= most {
            not_decoded += 1;
            continue;
        }
        match id.parse().ok().and_then(|id| vocabulary.token(id)) {
            Some(token) => bytes.extend_from_slice(token),
            None => {
                unknown += 1;
                bytes.extend_from_slice(format!("\u{27e8}{id}\u{27e9}").as_bytes());
            }
        }
    }
    DecodedTokens {
        text: String::from_utf8_lossy(&bytes).into_owned(),
        unknown,
        not_decoded,
    }
}

#[cfg(test)]
mod tests;
