//! Folding of texts for comparison: without hidden characters, and without case and accents unless
//! they matter.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use memchr::{memchr2, memchr2_iter};
use unicode_normalization::char::{decompose_canonical, decompose_compatible, is_combining_mark};

use crate::text::terminal::classes::is_hidden;
use crate::text::terminal::width::whole_graphemes;

/// What folding keeps of a text. Characters are always decomposed, curly quotes straightened and
/// hidden characters dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Folding {
    /// Keeps upper case.
    pub case: bool,
    /// Keeps accents.
    pub accents: bool,
    /// Keeps compatibility forms: `ﬁ` is not `fi`, `Ａ` not `A`, `①` not `1`.
    pub forms: bool,
}

impl Folding {
    /// Keeps neither case nor accents nor forms.
    pub const LOOSE: Self = Self {
        case: false,
        accents: false,
        forms: false,
    };

    /// Returns the folding for a typed text: an upper-case letter makes case matter, an accent
    /// accents, a form forms.
    pub fn of(typed: &str) -> Self {
        let [kept, without_accents, without_forms] = [(true, true), (false, true), (true, false)]
            .map(|(accents, forms)| {
                let case = true;
                Self {
                    case,
                    accents,
                    forms,
                }
                .fold(typed)
            });
        Self {
            case: typed.chars().any(char::is_uppercase),
            accents: kept != without_accents,
            forms: kept != without_forms,
        }
    }

    /// Folds a text.
    pub fn fold(self, text: &str) -> Cow<'_, str> {
        match (text.is_ascii(), self.case) {
            (true, case) if case || !text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                Cow::Borrowed(text)
            }
            (true, _) => Cow::Owned(text.to_ascii_lowercase()),
            (false, _) => {
                let mut folded = String::with_capacity(text.len());
                let mut rest = text;
                while !rest.is_empty() {
                    let plain = first_beyond_ascii(rest.as_bytes()).unwrap_or(rest.len());
                    let (run, after) = rest.split_at(plain);
                    let start = folded.len();
                    folded.push_str(run);
                    if !self.case {
                        folded[start..].make_ascii_lowercase();
                    }
                    let mut chars = after.chars();
                    if let Some(c) = chars.next() {
                        self.character(c, &mut |c| folded.push(c));
                    }
                    rest = chars.as_str();
                }
                Cow::Owned(folded)
            }
        }
    }

    /// Folds a text and records where its characters come from.
    pub fn trace(self, text: &str) -> FoldedText<'_> {
        if text.is_ascii() {
            return FoldedText {
                text: self.fold(text),
                origins: None,
            };
        }
        let (mut folded, mut origins) = (
            String::with_capacity(text.len()),
            Vec::with_capacity(text.len() + 1),
        );
        for (at, c) in text.char_indices() {
            self.character(c, &mut |c| folded.push(c));
            origins.resize(folded.len(), at);
        }
        origins.push(text.len());
        FoldedText {
            text: Cow::Owned(folded),
            origins: Some(origins),
        }
    }

    /// Passes the folded characters of a character to `put`: none, itself, or several.
    pub fn character(self, c: char, put: &mut impl FnMut(char)) {
        if c.is_ascii() {
            return put(if self.case { c } else { c.to_ascii_lowercase() });
        }
        if is_hidden(u32::from(c)) {
            return;
        }
        let part = |part| match part {
            '‘' | '’' => put('\''),
            '“' | '”' | '„' => put('"'),
            _ if !self.accents && is_accent(part) => {}
            _ if self.case => self.without_ligature(part, put),
            'ſ' => put('s'),
            'ς' => put('σ'),
            _ => part
                .to_lowercase()
                .for_each(|lower| self.without_ligature(lower, put)),
        };
        if !self.forms && is_form(c) {
            decompose_compatible(c, part);
        } else {
            decompose_canonical(c, part);
        }
    }

    /// Replaces letters with strokes and ligatures by their usual spelling without accents.
    fn without_ligature(self, c: char, put: &mut impl FnMut(char)) {
        let spelt = match c {
            _ if c.is_ascii() || self.accents => return put(c),
            'ß' => "ss",
            'æ' => "ae",
            'Æ' => "AE",
            'œ' => "oe",
            'Œ' => "OE",
            'ø' => "o",
            'Ø' => "O",
            'ł' => "l",
            'Ł' => "L",
            'đ' => "d",
            'Đ' => "D",
            'ı' => "i",
            _ => return put(c),
        };
        spelt.chars().for_each(put);
    }
}

/// True for compatibility forms such as `ﬁ`, `Ａ` or `①`. Only if folding keeps word boundaries: `½`
/// and `㎏` are not forms.
fn is_form(c: char) -> bool {
    // Skips scripts without forms, to save time, and two Thai and Lao vowels that would be split.
    let has_none = matches!(u32::from(c),
        0xC0..=0x131 | 0x250..=0x2AF | 0x388..=0x3CF | 0x400..=0x586 | 0x5D0..=0x5EA | 0x621..=0x674 | 0x900..=0xDFF | 0xE33 | 0xEB3
        | 0x2010 | 0x2012..=0x2016 | 0x2018..=0x2023 | 0x2190..=0x222B | 0x2500..=0x27FF
        | 0x3001..=0x3035 | 0x3041..=0x3096 | 0x30A0..=0x30FE | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3
        | 0x1F300..=0x1FAFF);
    if has_none || c.is_whitespace() {
        return false;
    }
    let kind = |c: char| (is_of_word(c), is_spaceless(c));
    let (mut is_form, own) = (false, kind(c));
    let (mut first, mut alike) = (true, true);
    decompose_compatible(c, |part| {
        is_form |= first && part != c;
        alike &= part != ' ' && (kind(part) == own || (!first && is_combining_mark(part)));
        first = false;
    });
    is_form && alike
}

/// True for marks that words can be read without: accents, Hebrew points and Arabic vowels.
fn is_accent(c: char) -> bool {
    matches!(u32::from(c),
        0x300..=0x36F | 0x591..=0x5BD | 0x5BF | 0x5C1 | 0x5C2 | 0x5C4 | 0x5C5 | 0x5C7 | 0x64B..=0x65F | 0x670
        | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

/// A folded text with the origin of its characters.
#[derive(Debug, Clone)]
pub struct FoldedText<'t> {
    /// The folded text.
    pub text: Cow<'t, str>,
    /// For each of its bytes, and for its end, the byte in the original; `None` if they are equal.
    origins: Option<Vec<usize>>,
}

impl FoldedText<'_> {
    /// Returns the bytes of `original` that became this range of the folded text, widened to whole
    /// graphemes.
    pub fn origin(&self, original: &str, folded: Range<usize>) -> Range<usize> {
        let Some(origins) = &self.origins else {
            return folded;
        };
        let (start, mut end) = (origins[folded.start], origins[folded.end]);
        // The range ends within the characters of one original character.
        if folded.start < folded.end && end == origins[folded.end - 1] {
            end += original[end..].chars().next().map_or(0, char::len_utf8);
        }
        let hidden = original[start..end]
            .chars()
            .rev()
            .take_while(|c| is_hidden(u32::from(*c)));
        end -= hidden.map(char::len_utf8).sum::<usize>();
        whole_graphemes(original, start..end)
    }
}

/// A word of a text, delimited by blanks and punctuation; a single character in scripts without
/// blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextWord {
    /// Its bytes, including hidden characters inside.
    pub range: Range<usize>,
    /// Its set of [`letters`]; all bits set if it is not ASCII.
    pub letters: u64,
}

/// Returns the set of letters as bits, upper case as lower case. Characters other than ASCII
/// letters and digits share bits.
pub fn letters(folded: &str) -> u64 {
    folded.chars().fold(0, |bits, c| {
        bits | u8::try_from(c).ok().map_or(0, bit).max(other_bit(c))
    })
}

const BITS: [u64; 256] = {
    let (mut bits, mut byte) = ([0; 256], 0);
    while byte < 256 {
        bits[byte] = bit(byte as u8);
        byte += 1;
    }
    bits
};

const fn bit(byte: u8) -> u64 {
    match byte {
        b'a'..=b'z' => 1 << (byte - b'a'),
        b'A'..=b'Z' => 1 << (byte - b'A'),
        b'0'..=b'9' => 1 << (byte - b'0' + 26),
        _ => 0,
    }
}

fn other_bit(c: char) -> u64 {
    if c.is_ascii() {
        0
    } else {
        1 << (36 + u32::from(c) % 28)
    }
}

/// Passes the bytes of each word to `show`, in order.
pub fn words(text: &str, mut show: impl FnMut(Range<usize>)) {
    const TOGETHER: usize = 64;
    let bytes = text.as_bytes();
    // The position, and the start of a word that continues there.
    let (mut at, mut open) = (0, None);
    while let Some(block) = bytes[at..].first_chunk::<TOGETHER>() {
        let Some(of_word) = words_of_block(block) else {
            // Continue from the start of the word, up to the end of words that begin in this block.
            let end = at + TOGETHER;
            at = open.take().unwrap_or(at);
            while at < end {
                at = word_at(text, at, &mut |word| show(word.range));
            }
            continue;
        };
        // Starts and ends of words in turn. All are computed before the first is shown, to avoid
        // branch mispredictions.
        let mut borders = of_word ^ (of_word << 1 | u64::from(open.is_some()));
        let mut next = || {
            let border = at + borders.trailing_zeros() as usize;
            let is_one = borders != 0;
            borders &= borders.wrapping_sub(1);
            is_one.then_some(border)
        };
        let mut start = open.or_else(&mut next);
        while let Some(from) = start {
            let Some(end) = next() else { break };
            show(from..end);
            start = next();
        }
        (open, at) = (start, at + TOGETHER);
    }
    let mut start = open.unwrap_or(at);
    while start < bytes.len() {
        start = word_at(text, start, &mut |word| show(word.range));
    }
}

/// Returns the mask of ASCII letters and digits in a block, first byte lowest; `None` if it has
/// other than ASCII.
fn words_of_block(block: &[u8; 64]) -> Option<u64> {
    // Gathers the highest bits of eight bytes in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = block.as_chunks();
    let (mut of_word, mut all) = (0, 0);
    for (place, eight) in eights.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        all |= eight;
        of_word |= ((alphanumeric(eight) >> 7).wrapping_mul(GATHER) >> 56) << (8 * place);
    }
    (all & HIGH == 0).then_some(of_word)
}

const HIGH: u64 = 0x8080_8080_8080_8080;

/// Sets the highest bit of each byte that is an ASCII letter or digit.
fn alphanumeric(eight: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let low = eight & !HIGH;
    // Bytes below 128 carry into their highest bit only.
    let from = |bytes: u64, least: u8| bytes + EACH * u64::from(0x80 - least);
    let lower = low | (EACH * 0x20);
    let digits = from(low, b'0') & !from(low, b'9' + 1);
    let letters = from(lower, b'a') & !from(lower, b'z' + 1);
    (digits | letters) & !eight & HIGH
}

/// True if a set of [`letters`] has this ASCII letter.
pub fn has_letter(letters: u64, letter: u8) -> bool {
    letters & bit(letter) != 0
}

/// Passes to `show` each word that has an ASCII letter or digit, in either case, and each word with
/// characters beyond ASCII, which may fold to it, until it breaks. Not in order.
pub fn words_with(
    text: &str,
    letter: u8,
    show: &mut impl FnMut(TextWord) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(found) = memchr2(
        letter.to_ascii_lowercase(),
        letter.to_ascii_uppercase(),
        &bytes[from..],
    ) {
        let (end, word) = ascii_word(bytes, from + found);
        from = end;
        word.map_or(ControlFlow::Continue(()), &mut *show)?;
    }
    words_beyond_ascii(text, show)
}

/// Passes to `show` each ASCII word that contains `part`, in either case, until it breaks. Searches
/// for the letter of the part at index `rarest`.
pub fn words_with_part(
    text: &str,
    part: &str,
    rarest: usize,
    show: &mut impl FnMut(TextWord) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let bytes = text.as_bytes();
    let Some(letter) = part.as_bytes().get(rarest).map(u8::to_ascii_lowercase) else {
        return ControlFlow::Continue(());
    };
    let mut from = 0;
    for at in memchr2_iter(letter, letter.to_ascii_uppercase(), bytes) {
        let around = at
            .checked_sub(rarest)
            .and_then(|start| bytes.get(start..start + part.len()));
        if at < from || !around.is_some_and(|around| around.eq_ignore_ascii_case(part.as_bytes())) {
            continue;
        }
        let (end, word) = ascii_word(bytes, at);
        from = end;
        word.map_or(ControlFlow::Continue(()), &mut *show)?;
    }
    ControlFlow::Continue(())
}

/// Returns the end of the ASCII letters and digits around a byte, and the word, unless other
/// characters continue it.
fn ascii_word(bytes: &[u8], at: usize) -> (usize, Option<TextWord>) {
    let (before, after) = (run(bytes[..at].iter().rev()), run(bytes[at..].iter()));
    let range = at - before.0..at + after.0;
    let is_beyond = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii());
    let beside = is_beyond(bytes.get(range.end))
        || range
            .start
            .checked_sub(1)
            .is_some_and(|at| is_beyond(bytes.get(at)));
    (
        range.end,
        (!beside).then_some(TextWord {
            range,
            letters: before.1 | after.1,
        }),
    )
}

/// Returns the position of the first byte beyond ASCII; checks many bytes at once.
pub fn first_beyond_ascii(bytes: &[u8]) -> Option<usize> {
    const TOGETHER: usize = 64;
    let chunk = bytes.chunks(TOGETHER).position(|chunk| !chunk.is_ascii())?;
    let start = chunk * TOGETHER;
    bytes[start..]
        .iter()
        .position(|byte| !byte.is_ascii())
        .map(|at| start + at)
}

/// Returns the number of leading ASCII letters and digits, and their set.
fn run<'b>(bytes: impl Iterator<Item = &'b u8>) -> (usize, u64) {
    let (mut count, mut seen) = (0, 0);
    for byte in bytes {
        let bit = BITS[usize::from(*byte)];
        if bit == 0 {
            break;
        }
        seen |= bit;
        count += 1;
    }
    (count, seen)
}

/// Passes to `show` the words with or next to characters beyond ASCII, until it breaks.
pub fn words_beyond_ascii(
    text: &str,
    show: &mut impl FnMut(TextWord) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let beside = at > 0
            && !bytes[at - 1].is_ascii()
            && bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let start = match first_beyond_ascii(&bytes[at..]) {
            _ if beside => at,
            Some(found) => at + found - run(bytes[at..at + found].iter().rev()).0,
            None => return ControlFlow::Continue(()),
        };
        let mut told = ControlFlow::Continue(());
        at = word_at(text, start, &mut |word| {
            if told.is_continue() {
                told = show(word);
            }
        });
        told?;
    }
}

/// Passes the word at a byte to `show`, if there is one, or the character of a script without
/// blanks. Returns where the next can begin.
fn word_at(text: &str, start: usize, show: &mut impl FnMut(TextWord)) -> usize {
    let (mut end, mut letters) = (start, 0);
    let mut show = |range: Range<usize>, letters| {
        if !range.is_empty() {
            show(TextWord { range, letters });
        }
    };
    for c in text[start..].chars() {
        let next = end + c.len_utf8();
        let bit = u8::try_from(c).map_or(0, |byte| BITS[usize::from(byte)]);
        // Hidden characters do not break a word, and do not begin one.
        let is_kept = match c.is_ascii() {
            true => bit > 0,
            false if is_hidden(u32::from(c)) => end > start,
            false => is_of_word(c) && !is_spaceless(c),
        };
        if !is_kept {
            show(start..end, letters);
            if is_spaceless(c) {
                show(end..next, u64::MAX);
            }
            return next;
        }
        letters |= if c.is_ascii() { bit } else { u64::MAX };
        end = next;
    }
    show(start..end, letters);
    end
}

/// True for characters of words.
pub fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || (!c.is_ascii() && is_combining_mark(c))
}

/// True for scripts without blanks: Han, Kana, Thai, Lao, Khmer, Myanmar.
pub fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c),
        0xE00..=0xEFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3041..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x323AF)
}

/// True if a character belongs to the one before it.
pub fn continues(c: char) -> bool {
    !c.is_ascii() && (is_combining_mark(c) || matches!(u32::from(c), 0x1160..=0x11FF))
}

/// True for invisible characters.
pub fn is_unseen(c: char) -> bool {
    !c.is_ascii() && is_hidden(u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_keeps_what_was_asked_for() {
        for (typed, text, folded) in [
            ("ecole", "École", "ecole"),
            ("École", "École", "E\u{301}cole"),
            ("école", "École", "e\u{301}cole"),
            ("Ecole", "École", "Ecole"),
            ("x", "e\u{301}tude", "etude"),
            ("x", "ze\u{200b}ro\u{ad}", "zero"),
            ("x", "Straße Øre œuvre", "strasse ore oeuvre"),
            ("x", "don’t “so”", "don't \"so\""),
            ("x", "İstanbul \u{212a}", "istanbul k"),
            ("x", "ΟΔΟΣ οδος", "οδοσ οδοσ"),
            ("x", "שָׁלוֹם", "שלום"),
            (
                "x",
                "ﬁle ＡＢＣ ① m² 𝐛𝐨𝐥𝐝 ｶﾞ",
                "file abc 1 m2 bold カ\u{3099}",
            ),
            ("x", "so… ，？ ſ", "so... ,? s"),
            // Characters outside of words stay, and those that would become words of several kinds.
            ("x", "™ ½ ⑴ ㎏ ℃ ´ น\u{e33}", "™ ½ ⑴ ㎏ ℃ ´ น\u{e33}"),
            ("ﬁ", "ﬁle file", "ﬁle file"),
            ("Ａ", "Ａ", "Ａ"),
            ("É", "Éﬁ", "E\u{301}fi"),
        ] {
            assert_eq!(Folding::of(typed).fold(text), folded, "{typed} {text}");
        }
    }

    #[test]
    fn words_are_between_blanks_and_punctuation() {
        for (text, expected) in [
            ("", &[][..]),
            ("a_b, c2!", &["a", "b", "c2"]),
            ("École d’été", &["École", "d", "été"]),
            ("ze\u{200b}ro \u{200b}x", &["ze\u{200b}ro", "x"]),
            ("e\u{301}t", &["e\u{301}t"]),
            ("ab漢字cd。", &["ab", "漢", "字", "cd"]),
            ("漢\u{200b}字", &["漢", "字"]),
            ("한국어 말", &["한국어", "말"]),
            ("— “so”\u{2014}x…", &["so", "x"]),
            ("x\u{200b}", &["x\u{200b}"]),
            ("x\u{200b}漢", &["x\u{200b}", "漢"]),
            ("\u{200b}", &[]),
        ] {
            let mut found = Vec::new();
            words(text, |word| found.push(&text[word]));
            assert_eq!(found, expected, "{text:?}");
            // Long enough for blocks, and at every offset within eight bytes.
            for before in 0..9 {
                let (longer, mut found) =
                    (format!("{}{text} ________", "-".repeat(before)), Vec::new());
                words(&longer, |word| found.push(longer[word].to_owned()));
                assert_eq!(found, expected, "{longer:?}");
            }
            for letter in *b"aAeox2" {
                let mut with = Vec::new();
                let _ = words_with(text, letter, &mut |word| {
                    with.push(word.range.start);
                    ControlFlow::Continue(())
                });
                with.sort_unstable();
                let mut expected = Vec::new();
                words(text, |word| {
                    let is_beyond = |c: char| !c.is_ascii();
                    let beside = text[..word.start].ends_with(is_beyond)
                        || text[word.end..].starts_with(is_beyond);
                    let written = text[word.clone()].to_ascii_lowercase();
                    if written.contains(char::from(letter.to_ascii_lowercase()))
                        || !written.is_ascii()
                    {
                        expected.push(word.start);
                    } else if beside {
                        // Allowed, but not required.
                        with.retain(|start| *start != word.start);
                    }
                });
                assert_eq!(with, expected, "{text:?} {letter}");
            }
        }
    }

    #[test]
    fn origins_are_whole_graphemes() {
        for (text, needle, origin) in [
            ("an e\u{301}tude", "e", "e\u{301}"),
            ("Straße", "ras", "raß"),
            ("Straße", "se", "ße"),
            ("ze\u{200b}ro", "zero", "ze\u{200b}ro"),
            ("ze\u{200b}ro", "ze", "ze"),
            ("École", "ecole", "École"),
            ("a ﬁle", "ile", "ﬁle"),
            ("a ﬁle", "f", "ﬁ"),
        ] {
            let traced = Folding::LOOSE.trace(text);
            let start = traced.text.find(needle).expect("there");
            assert_eq!(
                &text[traced.origin(text, start..start + needle.len())],
                origin,
                "{text} {needle}"
            );
        }
    }

    #[test]
    fn words_are_the_same_many_bytes_at_a_time() {
        const PARTS: [&str; 14] = [
            "a",
            "tea",
            " ",
            ", ",
            "don't",
            "0",
            "\n",
            "é",
            "e\u{301}",
            "漢字",
            "\u{200b}",
            "—",
            "°C",
            "scheduler",
        ];
        let mut state = 1_u64;
        for plain in [0, 1, 6, 60] {
            for _ in 0..500 {
                let mut text = String::new();
                while text.len() < 300 {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let (part, odd) = (
                        (state >> 33) as usize % PARTS.len(),
                        ((state >> 50) as usize).is_multiple_of(plain + 1),
                    );
                    text.push_str(if odd || PARTS[part].is_ascii() {
                        PARTS[part]
                    } else {
                        "x"
                    });
                }
                for text in [
                    text.as_str(),
                    &text[text.char_indices().nth(7).map_or(0, |(at, _)| at)..],
                ] {
                    let (mut one_by_one, mut together, mut at) = (Vec::new(), Vec::new(), 0);
                    while at < text.len() {
                        at = word_at(text, at, &mut |word| one_by_one.push(word.range));
                    }
                    words(text, |word| together.push(word));
                    assert_eq!(together, one_by_one, "{text:?}");
                }
            }
        }
    }
}
