//! Finds phrases and expressions in texts and in undecoded lines.

pub mod fold;
pub mod phrase;
pub mod phrase_list;
pub mod portable_regex;
pub mod raw_escapes;
pub mod raw_phrase;
pub mod raw_regex;
pub mod text_regex;
