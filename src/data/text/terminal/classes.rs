//! Classes of characters for terminals: the tables of `sanitise`.
//!
//! Every format character and default ignorable of Unicode is listed here or has no width, except
//! the few Arabic number signs (U+0600..0605, 06DD, 08E2 …), which are visible and hide nothing.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::width::standalone_width;

/// How a character is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Visible on its own: kept.
    Visible,
    /// A control character except the newline: replaced by its glyph.
    Control,
    /// U+2028 and U+2029: ends the line.
    LineEnd,
    /// A space other than the plain one, with its width in cells.
    Space(usize),
    /// Invisible: dropped, or shown by name.
    Hidden,
    /// A combining mark: kept after a base.
    Mark,
    /// A text or emoji presentation selector: kept after a base.
    Selector,
    /// The zero-width joiner: kept inside an emoji sequence.
    Joiner,
    /// A Hangul vowel or final consonant: kept inside a syllable.
    Jamo,
}

pub fn classify(c: char) -> Class {
    if standalone_width(c).is_some() {
        return Class::Visible;
    }
    match u32::from(c) {
        0..=0x1F | 0x7F..=0x9F => Class::Control,
        0x2028 | 0x2029 => Class::LineEnd,
        0xA0 | 0x1680 | 0x2000..=0x200A | 0x202F | 0x205F => Class::Space(1),
        0x3000 => Class::Space(2),
        0x200D => Class::Joiner,
        0xFE0E | 0xFE0F => Class::Selector,
        0x300..=0x34E | 0x350..=0x36F => Class::Mark,
        code if is_hidden(code) => Class::Hidden,
        0x1161..=0x11FF | 0xD7B0..=0xD7C6 | 0xD7CB..=0xD7FB => Class::Jamo,
        _ if c.width().unwrap_or(0) > 0 => Class::Visible,
        _ if "a"
            .chars()
            .chain([c])
            .collect::<String>()
            .graphemes(true)
            .count()
            == 1 =>
        {
            Class::Mark
        }
        _ => Class::Hidden,
    }
}

/// True for format characters, default ignorables, fillers and other invisible characters.
pub fn is_hidden(code: u32) -> bool {
    matches!(code,
        0xAD | 0x34F | 0x61C | 0x70F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
        | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D159 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// Returns the visible replacement of a character: `␛`, `⟨85⟩`, `⟨ZWSP⟩`, `⟨U+2065⟩`.
pub fn glyph(c: char) -> String {
    let code = u32::from(c);
    match code {
        0..=0x1F => char::from_u32(0x2400 + code)
            .unwrap_or(char::REPLACEMENT_CHARACTER)
            .to_string(),
        0x7F => "␡".to_owned(),
        0x80..=0x9F => format!("⟨{code:02X}⟩"),
        0xFE00..=0xFE0F => format!("⟨VS{}⟩", code - 0xFE00 + 1),
        0xE0100..=0xE01EF => format!("⟨VS{}⟩", code - 0xE0100 + 17),
        0xE0021..=0xE007E => format!("⟨TAG {}⟩", char::from_u32(code - 0xE0000).unwrap_or(' ')),
        _ => short_name(code).map_or_else(|| format!("⟨U+{code:04X}⟩"), |name| format!("⟨{name}⟩")),
    }
}

/// Returns the abbreviation in the Unicode charts.
fn short_name(code: u32) -> Option<&'static str> {
    Some(match code {
        0xAD => "SHY",
        0x34F => "CGJ",
        0x61C => "ALM",
        0x180E => "MVS",
        0x200B => "ZWSP",
        0x200C => "ZWNJ",
        0x200D => "ZWJ",
        0x200E => "LRM",
        0x200F => "RLM",
        0x2028 => "LS",
        0x2029 => "PS",
        0x202A => "LRE",
        0x202B => "RLE",
        0x202C => "PDF",
        0x202D => "LRO",
        0x202E => "RLO",
        0x2060 => "WJ",
        0x2066 => "LRI",
        0x2067 => "RLI",
        0x2068 => "FSI",
        0x2069 => "PDI",
        0xFEFF => "BOM",
        _ => return None,
    })
}

/// True if a joiner between two of these makes one picture (Unicode property
/// Extended_Pictographic).
///
/// Uses the segmentation tables, so both always agree on where an emoji sequence ends.
pub fn is_pictographic(c: char) -> bool {
    standalone_width(c).is_none()
        && ['a', c, '\u{200D}', c]
            .iter()
            .collect::<String>()
            .graphemes(true)
            .count()
            == 2
}

/// True for a skin tone, which recolours the picture before it.
pub fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

/// True if a Hangul vowel or final `c` joins the character before it (rules GB6 to GB8 of UAX 29).
pub fn continues_syllable(before: char, c: char) -> bool {
    let is_lead = matches!(before, '\u{1100}'..='\u{115E}' | '\u{A960}'..='\u{A97C}');
    let is_vowel = |c| matches!(c, '\u{1161}'..='\u{11A7}' | '\u{D7B0}'..='\u{D7C6}');
    let is_final = matches!(before, '\u{11A8}'..='\u{11FF}' | '\u{D7CB}'..='\u{D7FB}');
    let is_syllable = matches!(before, '\u{AC00}'..='\u{D7A3}');
    let is_open = is_syllable && (u32::from(before) - 0xAC00).is_multiple_of(28);
    if is_vowel(c) {
        is_lead || is_vowel(before) || is_open
    } else {
        is_vowel(before) || is_final || is_syllable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_class() {
        let cases = [
            ('a', Class::Visible),
            ('漢', Class::Visible),
            ('\u{FFFD}', Class::Visible),
            ('\u{E000}', Class::Visible),
            ('\u{6DD}', Class::Visible),
            ('\u{1B}', Class::Control),
            ('\u{85}', Class::Control),
            ('\u{2028}', Class::LineEnd),
            ('\u{A0}', Class::Space(1)),
            ('\u{3000}', Class::Space(2)),
            ('\u{AD}', Class::Hidden),
            ('\u{E0041}', Class::Hidden),
            ('\u{3164}', Class::Hidden),
            ('\u{301}', Class::Mark),
            ('\u{20E3}', Class::Mark),
            ('\u{FE0F}', Class::Selector),
            ('\u{200D}', Class::Joiner),
            ('\u{1161}', Class::Jamo),
        ];
        for (c, class) in cases {
            assert_eq!(classify(c), class, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn whatever_passes_has_a_width() {
        for c in '\0'..=char::MAX {
            match classify(c) {
                Class::Visible => assert!(c.width().unwrap_or(0) > 0, "U+{:04X}", u32::from(c)),
                Class::Jamo => assert!(
                    c.width() == Some(0) || c.width() == Some(1),
                    "U+{:04X}",
                    u32::from(c)
                ),
                _ => {}
            }
        }
    }

    #[test]
    fn glyphs_name_what_they_stand_for() {
        let cases = [
            ('\u{1B}', "␛"),
            ('\u{7F}', "␡"),
            ('\u{85}', "⟨85⟩"),
            ('\u{200B}', "⟨ZWSP⟩"),
            ('\u{FEFF}', "⟨BOM⟩"),
            ('\u{202E}', "⟨RLO⟩"),
            ('\u{FE00}', "⟨VS1⟩"),
            ('\u{E0100}', "⟨VS17⟩"),
            ('\u{E0041}', "⟨TAG A⟩"),
            ('\u{2065}', "⟨U+2065⟩"),
        ];
        for (c, expected) in cases {
            assert_eq!(glyph(c), expected);
        }
    }

    #[test]
    fn pictures_and_syllables() {
        for (c, expected) in [
            ('👩', true),
            ('❤', true),
            ('a', false),
            ('\u{1F3FD}', false),
            ('क', false),
            ('漢', false),
        ] {
            assert_eq!(is_pictographic(c), expected, "{c}");
        }
        for (before, c, expected) in [
            ('\u{1100}', '\u{1161}', true),
            ('\u{1161}', '\u{11A8}', true),
            ('가', '\u{11A8}', true),
            ('a', '\u{1161}', false),
        ] {
            assert_eq!(continues_syllable(before, c), expected, "{before}{c}");
        }
    }
}
