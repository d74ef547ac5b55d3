//! Text on a terminal: made safe, measured, wrapped.

pub mod classes;
pub mod glyphs;
pub mod one_line;
pub mod sanitise;
pub mod width;
pub mod wrap;
