//! The input line: its editor and its suggestions.

pub(super) mod input_line;
pub(super) mod line_editor;
pub(super) mod readings;
pub(super) mod suggestions;
