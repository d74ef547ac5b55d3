//! Strings in, ranges out: the floor that makes text from a file safe, measures it, wraps it and
//! reads its Markdown.
//!
//! The way of a text: a raw `&str` goes through [`sanitise`] and is [`Clean`]; [`Block::plain`] or
//! [`Block::markdown`] gives it paragraphs and [`Run`]s of [`Face`]s; [`wrap`] cuts it into
//! [`Line`]s, which are ranges and can be cached for a width; and [`Block::pieces`] hands out a
//! line as strings with faces, for the lines on screen only. Nothing else of this floor is drawn,
//! so nothing unsafe can be.

mod block;
mod builder;
mod citations;
mod classes;
mod face;
mod fold;
mod glyphs;
mod indented;
mod markdown;
mod one_line;
mod phrase;
mod sanitise;
mod signs;
mod table;
#[cfg(test)]
mod tests;
mod width;
mod wrap;

pub use block::{Block, Pieces};
pub use citations::{Citation, Citing, citations, citing};
pub use face::{Face, Run};
pub use fold::{
    Folding, Traced, Word, continues, has_letter, is_of_word, is_spaceless, is_unseen, letters,
    words, words_beyond_ascii, words_with, words_with_part,
};
pub use glyphs::Glyphs;
pub use indented::has_code;
pub use one_line::one_line;
pub use phrase::{Finder, Phrase, regex};
pub use sanitise::{Clean, Hidden, hides, hides_while, sanitise, sanitise_while};
pub use signs::{Seen, inner_emphasis, is_sign, seen_words, without_signs};
pub use width::{grapheme_width, graphemes, width};
pub use wrap::{Line, wrap, wrap_while};
