//! Token ids → text, with the vocabulary of GPT-2.
//!
//! `assets/tokens/gpt2.zst` is that vocabulary, compressed: for each id from 0 the length of its
//! bytes as one byte, and then the bytes of all. It is data of OpenAI's GPT-2 (MIT licence), taken from
//! the table `r50k_base` of the crate tiktoken-rs (MIT licence); a test builds it anew from there.
//! It is unpacked when the first token is decoded, which takes milliseconds: not while a frame is
//! drawn.

use std::sync::LazyLock;

/// Number of ids: 0 to 50,256, the last of them the end of a text.
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
    /// Where those of each id end.
    ends: Vec<usize>,
}

impl TokenTable {
    /// The vocabulary of an unpacked file; `None` of another file.
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

    /// The bytes of a token; `None` of an id that it does not have.
    fn token(&self, id: usize) -> Option<&[u8]> {
        let end = *self.ends.get(id)?;
        let start = match id.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => IDS,
        };
        self.bytes.get(start..end)
    }
}

/// What token ids say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecodedTokens {
    /// Their text: U+FFFD for bytes that are no UTF-8, as of a character of which a part is cut off,
    /// and `⟨id⟩` for an id that the vocabulary does not have.
    pub text: String,
    /// How many ids it does not have.
    pub unknown: usize,
    /// How many ids were left out, since the text has as many bytes as were asked for.
    pub left_out: usize,
}

/// Decodes ids as a file spells them, into not much more than `most` bytes.
pub fn decode<'i>(ids: impl Iterator<Item = &'i str>, most: usize) -> DecodedTokens {
    let vocabulary = &*GPT2;
    let (mut bytes, mut unknown, mut left_out) = (Vec::new(), 0, 0);
    for id in ids {
        if bytes.len() >= most {
            left_out += 1;
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
        left_out,
    }
}

#[cfg(test)]
mod tests;
