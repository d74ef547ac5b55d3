//! Compares searches of raw lines with searches of the decoded texts.

use proptest::prelude::*;
use proptest::sample::select;

use crate::text::{Finder, Phrase, TextRegex};

/// Characters that break respelling: escapes, controls, characters that fold to ASCII letters or to
/// nothing, several planes, U+FFFD.
const CHARACTERS: &[char] = &[
    'a',
    'b',
    'e',
    'k',
    'n',
    's',
    'u',
    'A',
    'E',
    'K',
    'S',
    '0',
    '6',
    '9',
    '_',
    ' ',
    ' ',
    '\n',
    '\t',
    '\r',
    '\u{8}',
    '\u{c}',
    '\u{b}',
    '\u{1b}',
    '\u{7f}',
    '"',
    '\'',
    '\\',
    '/',
    '*',
    '*',
    '`',
    '[',
    '.',
    '>',
    'é',
    'É',
    'ß',
    'æ',
    'ſ',
    '\u{212a}',
    '\u{301}',
    '\u{323}',
    '\u{ad}',
    '\u{200b}',
    '\u{200d}',
    '\u{fe0f}',
    '’',
    '“',
    '…',
    '²',
    'ﬁ',
    'ａ',
    '\u{a0}',
    '\u{2028}',
    'λ',
    'Σ',
    'ς',
    'д',
    'Д',
    '漢',
    '한',
    'か',
    'ガ',
    '٣',
    '😀',
    '𝐛',
    '𝐀',
    '\u{e0041}',
    '\u{fffd}',
    '\u{10ffff}',
];

/// Half a surrogate pair alone; the first half is never before a second one.
#[derive(Debug, Clone)]
enum SpelledCharacter {
    Character(char, u8),
    Half(u16),
}

fn text() -> impl Strategy<Value = Vec<SpelledCharacter>> {
    let character = (select(CHARACTERS), 0..8_u8);
    let half = prop_oneof![Just(0xdc00_u16), Just(0xDFFF)];
    let piece = prop_oneof![
        30 => character.prop_map(|(c, how)| SpelledCharacter::Character(c, how)),
        1 => half.prop_map(SpelledCharacter::Half),
    ];
    // A file is written by one program, so its spelling is usually uniform.
    (
        prop::collection::vec(piece, 0..30),
        prop::option::of(0..8_u8),
    )
        .prop_map(|(mut pieces, all)| {
            for piece in &mut pieces {
                if let (SpelledCharacter::Character(_, how), Some(all)) = (piece, all) {
                    *how = all;
                }
            }
            pieces
        })
}

fn decoded(pieces: &[SpelledCharacter]) -> String {
    let character = |piece: &SpelledCharacter| match piece {
        SpelledCharacter::Character(c, _) => *c,
        SpelledCharacter::Half(_) => char::REPLACEMENT_CHARACTER,
    };
    pieces.iter().map(character).collect()
}

/// Returns a line of JSON with the text in a field.
fn line(pieces: &[SpelledCharacter]) -> String {
    format!(r#"{{"p": {}, "n": 3}}"#, spelling(pieces))
}

/// Returns the text as a JSON string.
fn spelling(pieces: &[SpelledCharacter]) -> String {
    let mut line = String::from("\"");
    for piece in pieces {
        match piece {
            SpelledCharacter::Character(c, how) => spell(&mut line, *c, *how),
            SpelledCharacter::Half(unit) => line += &format!("\\u{unit:04x}"),
        }
    }
    line + "\""
}

fn spell(line: &mut String, c: char, how: u8) {
    let short = match c {
        '"' => Some('"'),
        '\\' => Some('\\'),
        '\n' => Some('n'),
        '\t' => Some('t'),
        '\r' => Some('r'),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '/' if how.is_multiple_of(2) => Some('/'),
        _ => None,
    };
    match (how, short) {
        (0..=2, _) => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let digits = format!("{unit:04x}");
                let mixed = digits.char_indices().map(|(at, digit)| match how {
                    0 => digit,
                    1 => digit.to_ascii_uppercase(),
                    _ if at % 2 == 0 => digit.to_ascii_uppercase(),
                    _ => digit,
                });
                *line += "\\u";
                line.extend(mixed);
            }
        }
        (_, Some(letter)) => line.extend(['\\', letter]),
        // Raw controls are repaired when the line is read.
        _ => line.push(c),
    }
}

fn pattern() -> impl Strategy<Value = String> {
    let literal = prop::collection::vec(select(CHARACTERS), 1..4)
        .prop_map(|characters| regex::escape(&characters.iter().collect::<String>()));
    let class = select(vec![
        ".",
        "(?s:.)",
        r"\w",
        r"\W",
        r"\d",
        r"\D",
        r"\s",
        r"\S",
        "[a-k]",
        "[^a]",
        "[^é]",
        r"[^\x00-\x7F]",
        r"\p{Greek}",
        r"\p{L}",
        r"\PL",
        r"\p{Han}",
        "[é-ü]",
        "[😀-😎]",
        "[a😀]",
        r"(?-u:\w)",
        "[[:punct:]]",
        r"[\x00-\x1F]",
        r"[[:cntrl:]]",
        r"\x{FFFD}",
        r#"["\\/]"#,
        r"[^\s\S]",
        r"[\w&&[^a]]",
        "[ﬀ-ﬆ]",
    ]);
    let look = select(vec![
        "^",
        "$",
        r"\A",
        r"\z",
        r"\b",
        r"\B",
        "(?m:^)",
        "(?m:$)",
        "(?R:$)",
        r"\b{start}",
        r"\b{end-half}",
        r"(?-u:\b)",
    ]);
    let leaf = prop_oneof![
        4 => literal,
        3 => class.prop_map(str::to_owned),
        1 => look.prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let times = select(vec!["*", "+", "?", "{2}", "{1,3}", "{0}", "+?", "{2,}"]);
        let flags = select(vec!["", "?:", "?i:", "?-i:", "?s:", "?m:", "?x:"]);
        let several = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            4 => several.clone().prop_map(|parts| parts.concat()),
            2 => (flags, several).prop_map(|(flags, ways)| format!("({flags}{})", ways.join("|"))),
            2 => (inner, times).prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}

fn phrase() -> impl Strategy<Value = String> {
    prop::collection::vec(select(CHARACTERS), 1..5).prop_map(|typed| typed.into_iter().collect())
}

/// A text with a phrase or nearly so: it is made of typed pieces.
fn text_with_phrase() -> impl Strategy<Value = (Vec<SpelledCharacter>, String)> {
    let cut = (0..30_usize, 1..8_usize, 0..4_u8);
    (text(), cut).prop_map(|(pieces, (from, length, case))| {
        let text: Vec<char> = decoded(&pieces).chars().collect();
        let part = text.iter().skip(from % (text.len() + 1)).take(length);
        let typed: String = part
            .filter(|c| case & 1 == 0 || c.is_ascii_graphic() || **c == ' ')
            .filter(|c| case & 2 == 0 || **c != '*')
            .collect();
        let folded = crate::text::Folding::LOOSE.fold(&typed).into_owned();
        (pieces, if case & 1 == 0 { typed } else { folded })
    })
}

fn check(finder: &Finder, pieces: &[SpelledCharacter], sought: &str) -> Result<(), TestCaseError> {
    if finder.is_in(&decoded(pieces)) {
        prop_assert!(
            finder.may_be_in(line(pieces).as_bytes()),
            "{:?} {}",
            sought,
            line(pieces)
        );
        let spelling = spelling(pieces);
        prop_assert!(
            finder.may_be_in(spelling.as_bytes()),
            "{:?} {}",
            sought,
            spelling
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn a_regex_is_never_passed_over(pattern in pattern(), texts in prop::collection::vec(text(), 4)) {
        if let Ok(regex) = TextRegex::new(&pattern) {
            let finder = Finder::Regex(Box::new(regex));
            for text in texts {
                check(&finder, &text, &pattern)?;
            }
        }
    }

    #[test]
    fn a_phrase_is_never_passed_over(typed in phrase(), texts in prop::collection::vec(text(), 4)) {
        let finder = Finder::Phrase(Box::new(Phrase::new(&typed)));
        for text in texts {
            check(&finder, &text, &typed)?;
        }
    }

    #[test]
    fn a_phrase_of_the_text_is_never_passed_over((text, typed) in text_with_phrase()) {
        let finder = Finder::Phrase(Box::new(Phrase::new(&typed)));
        check(&finder, &text, &typed)?;
    }

    #[test]
    fn lines_that_are_no_utf_8_are_not_passed_over(pattern in pattern(), pieces in text(), byte in 0x80..=0xFF_u8, at in 0..30_usize) {
        let mut line = line(&pieces).into_bytes();
        line.insert(at % line.len(), byte);
        if let Ok(regex) = TextRegex::new(&pattern) {
            // A malformed row is one text.
            let text = String::from_utf8_lossy(&line);
            prop_assert!(!regex.is_in(&text) || regex.may_be_in(&line), "{:?} {}", pattern, text);
        }
    }
}

#[test]
fn lines_that_cannot_match_are_passed_over() {
    for (pattern, line, may) in [
        ("error|panic", r#"{"p": "an ERROR"}"#, true),
        (
            "error|panic",
            r#"{"p": "fine — zürich \u00fc \n \/"}"#,
            false,
        ),
        ("error|panic", r#"{"p": "\u0065rror"}"#, true),
        ("[0-9]{4}", r#"{"p": "in 1984"}"#, true),
        ("[0-9]{4}", r#"{"p": "in 198 \u003c \u00e9"}"#, false),
        ("[0-9]{4}", r#"{"p": "in 198\u0034"}"#, true),
        (r"\d{4}", r#"{"p": "in 198 — 東京"}"#, false),
        ("Café", r#"{"p": "Café"}"#, true),
        ("Café", r#"{"p": "Caf\u00E9"}"#, true),
        ("Café", r#"{"p": "Cafe \u2014"}"#, false),
        ("a\nb", r#"{"p": "a\nb"}"#, true),
        ("a\nb", r#"{"p": "a b"}"#, false),
        ("https?://", r#"{"p": "http:\/\/"}"#, true),
        (r#"say "\w+""#, r#"{"p": "say \"so\""}"#, true),
        (r#"say "\w+""#, r#"{"p": "say so"}"#, false),
        (r"C:\\\w", r#"{"p": "C:\\x"}"#, true),
        ("a.c", r#"{"p": "a\ud83d\ude00c"}"#, true),
        ("a.c", r#"{"p": "a😀c"}"#, true),
        ("a.c", r#"{"p": "abbc"}"#, false),
        ("^tea$", r#"{"p": "tea"}"#, true),
        (r"\btea\b", r#"{"p": "coffee"}"#, false),
        ("x*", "{}", true),
        ("(?:x+)?.", r#"{"p": "\u0009"}"#, true),
        ("(?:x{2})?y", r#"{"p": "y"}"#, true),
    ] {
        let regex = TextRegex::new(pattern).expect("a regex");
        assert_eq!(regex.may_be_in(line.as_bytes()), may, "{pattern} {line}");
    }
    for (phrase, line, may) in [
        ("perenniale", r#"{"p": "résumé, café, naïve, ❤‍ 👩‍💻"}"#, false),
        ("perenniale", r#"{"p": "per\u00e9nniale"}"#, true),
        ("perenniale", r#"{"p": "perénniale"}"#, true),
        ("perenniale", r#"{"p": "peren\u200bniale"}"#, true),
        (
            "perenniale",
            r#"{"p": "peren\u200b \u00e9t\u00e9, r\u00e9sum\u00e9"}"#,
            true,
        ),
        ("perenniale", r#"{"p": "p\u0065\u0301renniale"}"#, true),
        ("perenniale", r#"{"p": "peren\u{200b}niale"}"#, false),
        ("perenniale", "{\"p\": \"peren\u{200b}niale\"}", true),
        ("perenniale", "{\"p\": \"x\u{200b}y e\u{301}\"}", false),
        ("perenniale", r#"{"p": "**per**enniale"}"#, false),
        ("perenniale", r#"{"p": "a**b and **c**"}"#, false),
        ("привет", r#"{"p": "Привет"}"#, true),
        ("привет", r#"{"p": "Пора, тревога"}"#, false),
        (
            "привет",
            r#"{"p": "\u041f\u0440\u0438\u0432\u0435\u0442"}"#,
            true,
        ),
        ("漢字", r#"{"p": "東京、日本語"}"#, false),
        ("漢字", r#"{"p": "漢**字"}"#, false),
        ("école", r#"{"p": "École"}"#, true),
        ("école", "{\"p\": \"E\u{301}cole\"}", true),
        ("école", r#"{"p": "ecole"}"#, false),
    ] {
        assert_eq!(
            Phrase::new(phrase).may_be_in(line.as_bytes()),
            may,
            "{phrase} {line}"
        );
    }
}
