//! Arbitrary text: nothing reaches the screen that controls the terminal, hides or reorders text,
//! and nothing is wider than its space.

use visavis::{
    Hidden, StyledText, TextGlyphs, grapheme_width, one_line, sanitise, text_width as width, wrap,
};

/// Sanitises a text and lays it out, plain and as Markdown, at the width in its first bytes.
pub fn text(data: &[u8]) {
    let Some((&[how, columns], raw)) = data.split_first_chunk::<2>() else {
        return;
    };
    let raw = String::from_utf8_lossy(raw);
    let hidden = if how % 2 == 0 {
        Hidden::Discreet
    } else {
        Hidden::Shown
    };
    let clean = sanitise(&raw, hidden);
    check_safe(clean.as_str());
    assert_eq!(
        sanitise(clean.as_str(), hidden).as_str(),
        clean.as_str(),
        "a second time changes nothing"
    );
    assert!(
        clean
            .marks()
            .iter()
            .all(|mark| clean.as_str().get(mark.clone()).is_some())
    );

    let columns = u16::from(columns);
    for glyphs in [TextGlyphs::UNICODE, TextGlyphs::ASCII] {
        check_block(&StyledText::markdown(clean.clone(), glyphs), columns);
    }
    check_block(&StyledText::plain(clean), columns);

    let line = one_line(&raw, usize::from(columns));
    check_safe(&line);
    assert!(
        !line.contains('\n') && width(&line) <= usize::from(columns),
        "{line:?}"
    );
}

fn check_block(block: &StyledText, columns: u16) {
    check_safe(block.text());
    let mut end = 0;
    for line in wrap(block, columns) {
        check_skipped(&block.text()[end..line.range.start]);
        end = line.range.end;
        let text = &block.text()[line.range.clone()];
        let drawn: String = block.pieces(&line).map(|(piece, _)| piece).collect();
        check_safe(&drawn);
        let fits = width(&drawn) <= usize::from(columns.max(1));
        assert!(
            fits || grapheme_width(text) == width(text),
            "{drawn:?} in {columns} columns"
        );
        assert!(!drawn.contains('\n'), "{drawn:?}");
    }
    check_skipped(&block.text()[end..]);
}

fn check_skipped(text: &str) {
    assert!(
        text.chars().all(|c| c == ' ' || c == '\n'),
        "{text:?} is on no line"
    );
}

/// Checks for forbidden characters with a list that is independent of the tested one.
pub(crate) fn check_safe(text: &str) {
    let found = text.chars().find(|&c| is_forbidden(c));
    assert!(found.is_none(), "{found:?} in {text:?}");
}

fn is_forbidden(c: char) -> bool {
    let is_bidi = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_invisible = matches!(
        c,
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    );
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    (c.is_control() && c != '\n') || is_bidi || is_invisible || ends_line
}
