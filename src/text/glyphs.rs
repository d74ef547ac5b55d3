//! The few glyphs that laid-out text is drawn with, so that a terminal without box characters gets
//! twins.

/// Bullets, bars and borders; each takes one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextGlyphs {
    /// Bullets of outer and inner lists, which alternate.
    pub bullets: [char; 2],
    /// The bar before a quote.
    pub quote: char,
    /// What a thematic break is made of.
    pub rule: char,
    /// Horizontal border of a table.
    pub horizontal: char,
    /// Vertical border of a table.
    pub vertical: char,
    /// Between a value and what it was made of.
    pub made_of: char,
    /// Left, middle and right of the top border.
    pub table_top: [char; 3],
    /// Left, middle and right of the borders between rows.
    pub table_middle: [char; 3],
    /// Left, middle and right of the bottom border.
    pub table_bottom: [char; 3],
}

impl TextGlyphs {
    /// For terminals that draw box characters.
    pub const UNICODE: Self = Self {
        bullets: ['•', '◦'],
        quote: '▏',
        rule: '─',
        horizontal: '─',
        vertical: '│',
        made_of: '←',
        table_top: ['┌', '┬', '┐'],
        table_middle: ['├', '┼', '┤'],
        table_bottom: ['└', '┴', '┘'],
    };
    /// For those that do not.
    pub const ASCII: Self = Self {
        bullets: ['*', '-'],
        quote: '|',
        rule: '-',
        horizontal: '-',
        vertical: '|',
        made_of: '<',
        table_top: ['+'; 3],
        table_middle: ['+'; 3],
        table_bottom: ['+'; 3],
    };
}
