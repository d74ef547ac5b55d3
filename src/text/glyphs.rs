//! The few glyphs that text is decorated with, so that a terminal without box characters gets twins.

/// What is drawn between the characters of a text; each takes the cells named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextGlyphs {
    /// Before the continuation of a line of code; two cells.
    pub wrapped: &'static str,
    /// What the dashes below the head of a padded table are continued with; one cell.
    pub rule: &'static str,
    /// Between a value and what it was made of; one cell.
    pub made_of: char,
}

impl TextGlyphs {
    /// For terminals that draw box characters.
    pub const UNICODE: Self = Self {
        wrapped: "↪ ",
        rule: "─",
        made_of: '←',
    };
    /// For those that do not. A dash would look as if the text had it.
    pub const ASCII: Self = Self {
        wrapped: "\\ ",
        rule: ".",
        made_of: '<',
    };
}

impl Default for TextGlyphs {
    fn default() -> Self {
        Self::UNICODE
    }
}
