//! Glyphs for decorating text, with ASCII variants.

/// Glyphs between the characters of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextGlyphs {
    /// Before the continuation of a line of code; two cells.
    pub wrapped: &'static str,
    /// Continues the rule of a table; one cell, or empty for no rule.
    pub rule: &'static str,
    /// Instead of the glyphs of a bar, if they cannot be drawn; one cell each.
    pub bar: Option<[char; 7]>,
    /// Between a value and its original form; one cell.
    pub made_of: char,
    /// Whether headings of a document keep their signs, because there are no styles.
    pub heading_signs: bool,
}

impl TextGlyphs {
    /// For terminals that draw box characters.
    pub const UNICODE: Self = Self {
        wrapped: "↪ ",
        rule: "─",
        bar: None,
        made_of: '←',
        heading_signs: false,
    };
    /// For other terminals. Not a dash, which could be mistaken for text.
    pub const ASCII: Self = Self {
        wrapped: "\\ ",
        rule: ".",
        bar: Some(['.', '=', 'o', '<', '>', '|', '+']),
        made_of: '<',
        heading_signs: false,
    };
}

impl Default for TextGlyphs {
    fn default() -> Self {
        Self::UNICODE
    }
}
