//! Text from a file is unsafe until sanitised: nothing that controls a terminal, reorders text or
//! hides gets through.
//!
//! Characters that must not reach the screen are dropped or replaced by a visible glyph. Every
//! decision depends only on the output so far and the next character, so sanitising twice changes
//! nothing.

use std::ops::Range;

use super::classes::{Class, classify, continues_syllable, glyph, is_pictographic, is_skin_tone};
use super::width::{clusters, standalone_width, whole_graphemes, width};

/// Columns between tab stops.
const TAB: usize = 4;
/// Most combining marks on a base; more would overlap its neighbours.
const MAX_MARKS: usize = 8;
/// Most joiners in one emoji sequence; the longest in use has three.
const MAX_JOINS: usize = 8;
/// Most characters in one grapheme; the longest emoji has 11.
const MAX_CLUSTER: usize = 16;
/// Base for combining marks without one.
pub const BASE: &str = "◌";

/// Treatment of invisible characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Hidden {
    /// Dropped, and unusual spaces become plain ones: for reading.
    #[default]
    Discreet,
    /// Shown by name, and unusual spaces become plain ones: for output outside of the program.
    Named,
    /// Shown by name, with tabs and unusual spaces: for inspection.
    Shown,
}

/// Text that is safe to display: no control but `\n`, nothing invisible, nothing that reorders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SanitisedText {
    pub text: String,
    pub marks: Vec<Range<usize>>,
}

impl SanitisedText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the byte ranges of replacement glyphs, sorted and disjoint.
    pub fn marks(&self) -> &[Range<usize>] {
        &self.marks
    }
}

/// Makes text from a file safe to display; lines end in `\n` and tabs become spaces.
pub fn sanitise(raw: &str, hidden: Hidden) -> SanitisedText {
    if is_plain(raw.as_bytes()) {
        return SanitisedText {
            text: raw.to_owned(),
            marks: Vec::new(),
        };
    }
    let mut sanitiser = Sanitiser {
        hidden,
        text: String::with_capacity(raw.len()),
        ..Sanitiser::default()
    };
    sanitiser.feed(raw);
    sanitiser.finish()
}

/// True if a text has invisible characters: control characters besides tabs and line breaks, and
/// invisible ones outside of visible clusters.
pub fn hides(raw: &str) -> bool {
    // Most are ASCII, even next to one that is not.
    has_char(raw, |c| {
        if c.is_ascii() {
            c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r')
        } else {
            !is_common(c) && matches!(classify(c), Class::Hidden | Class::Control)
        }
    })
}

/// True if a character passes the test; printable ASCII and newlines are skipped.
fn has_char(text: &str, is_such: impl Fn(char) -> bool) -> bool {
    const BLOCK: usize = 64;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = bytes.len().min(at + BLOCK);
        if is_plain(&bytes[at..end]) {
            at = end;
            continue;
        }
        for c in text[at..].chars() {
            if is_such(c) {
                return true;
            }
            at += c.len_utf8();
            if at >= end {
                break;
            }
        }
    }
    false
}

/// True for the most common characters beyond ASCII: letters of European and East Asian scripts,
/// and their punctuation. None of them is hidden.
const fn is_common(c: char) -> bool {
    matches!(c, '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{370}'..='\u{52f}'
        | '\u{2010}'..='\u{2027}' | '\u{3001}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff60}')
}

/// True for printable ASCII and newlines only. Has no exit within chunks, so that it vectorises.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.chunks(1024).all(|chunk| {
        chunk.iter().fold(true, |plain, byte| {
            plain & (is_printable(*byte) | (*byte == b'\n'))
        })
    })
}

fn is_printable(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte)
}

/// The text so far, and the state for the next character.
#[derive(Default)]
struct Sanitiser {
    hidden: Hidden,
    text: String,
    marks: Vec<Range<usize>>,
    /// A byte of the text and its column, from which tabs are counted.
    column: (usize, usize),
    /// The character that takes marks; none at the start of a line.
    base: Option<char>,
    /// The last character of the line.
    last: Option<char>,
    /// Number of marks on the base.
    stacked: usize,
    /// Number of joiners in the sequence that ends here.
    joins: usize,
    /// True after a joiner that only counts if a picture follows.
    joiner_waits: bool,
    /// Number of characters in the last grapheme, or more.
    chain: usize,
}

impl Sanitiser {
    /// Returns the text with its marks.
    fn finish(mut self) -> SanitisedText {
        self.drop_joiner();
        let mut marks: Vec<Range<usize>> = Vec::with_capacity(self.marks.len());
        for mark in self.marks {
            // Marks that join a glyph belong to it.
            let mark = whole_graphemes(&self.text, mark);
            match marks.last_mut() {
                Some(last) if last.end > mark.start => last.end = mark.end,
                _ => marks.push(mark),
            }
        }
        SanitisedText {
            text: self.text,
            marks,
        }
    }

    fn feed(&mut self, raw: &str) {
        let mut rest = raw;
        loop {
            let plain = rest
                .bytes()
                .position(|byte| !is_printable(byte))
                .unwrap_or(rest.len());
            let (run, after) = rest.split_at(plain);
            self.plain(run);
            let mut chars = after.chars();
            let Some(c) = chars.next() else { return };
            rest = chars.as_str();
            if c != '\r' || !rest.starts_with('\n') {
                self.take(c);
            }
        }
    }

    /// Appends printable ASCII.
    fn plain(&mut self, run: &str) {
        let Some(last) = run.chars().next_back() else {
            return;
        };
        self.drop_joiner();
        self.text.push_str(run);
        self.set_base(last);
    }

    /// Handles any other character.
    fn take(&mut self, c: char) {
        let class = if c == '\n' {
            Class::LineEnd
        } else {
            classify(c)
        };
        if self.joiner_waits && !(class == Class::Visible && is_pictographic(c)) {
            self.drop_joiner();
        }
        match class {
            Class::Visible => self.visible(c),
            Class::Control if c == '\t' => self.tab(),
            Class::Control if c == '\r' => self.line_end(c),
            Class::LineEnd => self.line_end(c),
            Class::Control => self.substitute(&glyph(c)),
            Class::Space(cells) => self.blanks("⍽", cells),
            Class::Hidden => self.hide(c),
            Class::Mark => self.mark(c),
            Class::Selector => self.selector(c),
            Class::Joiner => self.joiner(c),
            Class::Jamo => self.jamo(c),
        }
    }

    fn visible(&mut self, c: char) {
        if self.joiner_waits && self.overflows(&['\u{200D}', c]) {
            self.drop_joiner();
        }
        if std::mem::take(&mut self.joiner_waits) {
            self.append('\u{200D}');
            self.append(c);
            self.joins += 1;
        } else if self.push(c) {
            self.joins *= usize::from(is_skin_tone(c));
        } else {
            return;
        }
        // A skin tone belongs to the picture before it; the next joiner needs that as its base.
        if !is_skin_tone(c) || self.base.is_none() {
            self.base = Some(c);
            self.stacked = 0;
        }
    }

    fn mark(&mut self, c: char) {
        if self.base.is_none() {
            self.substitute(BASE);
        }
        if self.stacked < MAX_MARKS {
            self.stacked += usize::from(self.push(c));
        } else {
            self.hide(c);
            self.stacked = MAX_MARKS; // later marks are named too, although the name reset the count
        }
    }

    fn selector(&mut self, c: char) {
        // Letters and spaces have no variations; a selector could only carry a hidden message.
        let fits = self
            .base
            .is_some_and(|base| base != ' ' && !base.is_ascii_alphabetic());
        if fits && self.stacked == 0 && self.last == self.base {
            self.stacked += usize::from(self.push(c));
        } else {
            self.hide(c);
        }
    }

    fn joiner(&mut self, c: char) {
        if self.joins < MAX_JOINS && self.base.is_some_and(is_pictographic) {
            self.joiner_waits = true;
        } else {
            self.hide(c);
        }
    }

    /// Drops a joiner that no picture follows.
    fn drop_joiner(&mut self) {
        if std::mem::take(&mut self.joiner_waits) {
            self.hide('\u{200D}');
        }
    }

    fn jamo(&mut self, c: char) {
        let joins = self.last.is_some_and(|last| continues_syllable(last, c));
        if joins && self.stacked < MAX_MARKS {
            self.stacked += usize::from(self.push(c));
        } else {
            // It is text without a width of its own, so it is always named.
            self.substitute(&glyph(c));
        }
    }

    /// Appends blanks, the first as a sign if hidden characters are shown.
    fn blanks(&mut self, sign: &str, cells: usize) {
        let mut spaces = &"    "[..cells];
        if self.hidden == Hidden::Shown {
            self.substitute(sign);
            spaces = &spaces[1..];
        }
        self.plain(spaces);
    }

    fn tab(&mut self) {
        let (from, column) = self.column;
        let column = column + width(&self.text[from..]);
        let cells = TAB - column % TAB;
        self.blanks("→", cells);
        self.column = (self.text.len(), column + cells);
    }

    fn line_end(&mut self, c: char) {
        if c != '\n' && self.hidden == Hidden::Shown {
            self.substitute(&glyph(c));
        }
        self.text.push('\n');
        self.column = (self.text.len(), 0);
        self.base = None;
        self.last = None;
        self.stacked = 0;
        self.joins = 0;
        self.chain = 0;
    }

    fn hide(&mut self, c: char) {
        if self.hidden != Hidden::Discreet {
            self.substitute(&glyph(c));
        }
    }

    fn substitute(&mut self, glyph: &str) {
        let start = self.text.len();
        self.text.push_str(glyph);
        self.marks.push(start..self.text.len());
        self.set_base(glyph.chars().next_back().unwrap_or(' '));
    }

    /// Records that the text ends in a character that joins nothing before it.
    fn set_base(&mut self, last: char) {
        self.base = Some(last);
        self.last = Some(last);
        self.stacked = 0;
        self.joins = 0;
        self.chain = 1;
    }

    /// Appends a character, or its glyph and returns false if the grapheme would get too long.
    fn push(&mut self, c: char) -> bool {
        if standalone_width(c).is_none() && self.overflows(&[c]) {
            self.substitute(&glyph(c));
            return false;
        }
        self.append(c);
        true
    }

    fn append(&mut self, c: char) {
        self.text.push(c);
        self.last = Some(c);
        self.chain = if standalone_width(c).is_some() {
            1
        } else {
            self.chain + 1
        };
    }

    /// True if these characters would make a grapheme longer than `MAX_CLUSTER`.
    ///
    /// `chain` is at least the length of the last grapheme; if it is greater, it is corrected here.
    fn overflows(&mut self, joined: &[char]) -> bool {
        if self.chain + joined.len() <= MAX_CLUSTER {
            return false;
        }
        let kept = MAX_CLUSTER - joined.len();
        let start = self
            .text
            .char_indices()
            .rev()
            .nth(kept)
            .map_or(0, |(at, _)| at);
        let tail: String = self.text[start..]
            .chars()
            .chain(joined.iter().copied())
            .collect();
        let last = clusters(&tail)
            .last()
            .map_or(0, |cluster| cluster.range.start);
        let overflows = last == 0 && tail.chars().count() > MAX_CLUSTER;
        if !overflows {
            self.chain = tail[last..].chars().count().saturating_sub(joined.len());
        }
        overflows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discreet(raw: &str) -> String {
        sanitise(raw, Hidden::Discreet).text
    }

    #[test]
    fn one_hidden_character_is_found_anywhere() {
        for before in ["a", "é", "漢", "a\nb", "👩\u{200d}🔬"] {
            for count in [0, 1, 20, 31, 32, 63, 64, 65, 200] {
                let plain = before.repeat(count);
                assert!(!super::hides(&plain), "{count} {before}");
                let text = format!("{plain}\u{200b}{plain}");
                assert!(super::hides(&text), "{count} {before}");
            }
        }
    }

    #[test]
    fn no_common_character_is_hidden() {
        for c in ('\0'..=char::MAX).filter(|c| is_common(*c)) {
            let class = classify(c);
            assert!(!matches!(class, Class::Hidden | Class::Control), "{c:?}");
        }
    }

    #[test]
    fn each_rule_in_both_ways() {
        // raw, discreet, shown
        let cases = [
            ("plain\ntext", "plain\ntext", "plain\ntext"),
            ("a\r\nb\rc", "a\nb\nc", "a\nb␍\nc"),
            ("\tx\n a\tb", "    x\n a  b", "→   x\n a→ b"),
            ("abcd\te", "abcd    e", "abcd→   e"),
            ("漢\tx\ty", "漢  x   y", "漢→ x→  y"),
            ("\u{1b}[31m\u{7}\u{7f}\u{85}", "␛[31m␇␡⟨85⟩", "␛[31m␇␡⟨85⟩"),
            ("a\u{200b}b\u{feff}\u{202e}c", "abc", "a⟨ZWSP⟩b⟨BOM⟩⟨RLO⟩c"),
            ("a\u{a0}b\u{2003}c", "a b c", "a⍽b⍽c"),
            ("\u{3000}x", "  x", "⍽ x"),
            ("a\u{2028}b\u{2029}c", "a\nb\nc", "a⟨LS⟩\nb⟨PS⟩\nc"),
            ("soft\u{ad}hyphen", "softhyphen", "soft⟨SHY⟩hyphen"),
            ("👩\u{200d}💻", "👩\u{200d}💻", "👩\u{200d}💻"),
            ("👩🏽\u{200d}💻", "👩🏽\u{200d}💻", "👩🏽\u{200d}💻"),
            ("👩\u{200d}a\u{200d}b", "👩ab", "👩⟨ZWJ⟩a⟨ZWJ⟩b"),
            ("👩\u{200d}", "👩", "👩⟨ZWJ⟩"),
            ("👩\u{200d}\u{200b}💻", "👩💻", "👩⟨ZWJ⟩⟨ZWSP⟩💻"),
            (
                "❤\u{fe0f} 1\u{fe0f}\u{20e3}",
                "❤\u{fe0f} 1\u{fe0f}\u{20e3}",
                "❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            ),
            (
                "a\u{fe0f} \u{fe0e}❤\u{fe0f}\u{fe0f}",
                "a ❤\u{fe0f}",
                "a⟨VS16⟩ ⟨VS15⟩❤\u{fe0f}⟨VS16⟩",
            ),
            ("🏴\u{e0067}\u{e007f}", "🏴", "🏴⟨TAG g⟩⟨U+E007F⟩"),
            ("e\u{301}", "e\u{301}", "e\u{301}"),
            (
                "\u{301}a\n\u{301}",
                "◌\u{301}a\n◌\u{301}",
                "◌\u{301}a\n◌\u{301}",
            ),
            ("a\u{200b}\u{301}", "a\u{301}", "a⟨ZWSP⟩\u{301}"),
            (
                "\u{1112}\u{1161}\u{11ab}",
                "\u{1112}\u{1161}\u{11ab}",
                "\u{1112}\u{1161}\u{11ab}",
            ),
            ("a\u{1161}", "a⟨U+1161⟩", "a⟨U+1161⟩"),
            ("\u{fffd}\u{e000}", "\u{fffd}\u{e000}", "\u{fffd}\u{e000}"),
        ];
        for (raw, expected, shown) in cases {
            assert_eq!(discreet(raw), expected, "discreet {raw:?}");
            assert_eq!(sanitise(raw, Hidden::Shown).text, shown, "shown {raw:?}");
        }
    }

    #[test]
    fn marks_are_the_substituted_glyphs() {
        let clean = sanitise("a\u{1b}b\tc\u{200b}", Hidden::Shown);
        let marked: Vec<_> = clean
            .marks()
            .iter()
            .map(|range| &clean.as_str()[range.clone()])
            .collect();
        assert_eq!(marked, ["␛", "→", "⟨ZWSP⟩"]);
        assert!(
            sanitise("a\u{200b}\tb", Hidden::Discreet)
                .marks()
                .is_empty()
        );
    }

    #[test]
    fn marks_do_not_climb() {
        let zalgo = format!("a{}b", "\u{301}".repeat(100));
        assert_eq!(
            discreet(&zalgo),
            format!("a{}b", "\u{301}".repeat(MAX_MARKS))
        );
        let shown = sanitise(&zalgo, Hidden::Shown).text;
        assert_eq!(shown.matches("⟨U+0301⟩").count(), 100 - MAX_MARKS);
    }

    #[test]
    fn no_grapheme_is_endless() {
        for unit in [
            "\u{1100}",
            "क\u{94d}",
            "👩\u{200d}",
            "\u{1F3FD}",
            "\u{903}",
            "\u{d4e}",
            "\u{ff9e}",
            "🇩",
        ] {
            let text = discreet(&unit.repeat(500));
            let longest = clusters(&text)
                .map(|cluster| text[cluster.range].chars().count())
                .max();
            assert!(longest <= Some(MAX_CLUSTER), "{unit:?}: {longest:?}");
            assert_eq!(discreet(&text), text, "{unit:?}");
        }
    }
}
