//! Strings in, ranges out: makes text from files safe, measures it, wraps it and parses its
//! Markdown.
//!
//! The path of a text: [`sanitise()`] turns a raw `&str` into
//! [`SanitisedText`](sanitise::SanitisedText); [`StyledText::plain`] or [`StyledText::markdown`]
//! adds [runs](text_style::StyledRun) of [`TextStyle`]s; [`wrap()`] cuts it into [`WrappedLine`]s,
//! which are ranges and can be cached per width; and [`StyledText::pieces`] returns a line as
//! styled strings, for lines on screen only. Nothing else of this module is displayed, so unsafe
//! text cannot be.

mod aligned;
mod blocks;
pub(crate) mod byte_block;
mod citations;
mod classes;
mod faults;
mod fold;
mod glyphs;
mod html;
mod json;
mod links;
mod literal;
mod markdown;
mod named_enum;
mod nearest;
mod number;
mod one_line;
mod phrase;
mod phrase_list;
mod portable_regex;
mod raw_escapes;
mod raw_phrase;
mod raw_regex;
mod sanitise;
mod style;
mod styled_text;
#[cfg(test)]
mod tests;
mod text_regex;
mod text_style;
mod texts;
mod width;
mod word_diff;
mod wrap;

pub use aligned::aligned;
pub use citations::{CitationTargets, citation_targets, citations};
pub use faults::{ends_early, helpful_level};
pub use fold::{
    Folding, TextWord, continues, has_letter, is_of_word, is_spaceless, is_unseen, letters, words,
    words_beyond_ascii, words_with, words_with_part,
};
pub use glyphs::TextGlyphs;
pub use html::{bar, html};
pub use json::{JsonContainer, indented_json, is_json_blank, json_string_end, plain_blanks};
pub use links::TextLink;
pub(crate) use named_enum::named_enum;
pub use nearest::nearest;
pub use number::{counted, exact_number, grouped, number, shown_value, two_decimals};
pub use one_line::{folded, one_line};
pub use phrase::{Finder, Phrase};
pub use phrase_list::{count_citations, hedges, refusals};
pub use portable_regex::{PortableRegex, RegexFlavour, literal_regex, portable_regex};
pub use raw_escapes::code_unit;
pub use sanitise::{Hidden, hides, sanitise};
pub use style::{bold_spans, code_blocks, headers, list_items};
pub use styled_text::StyledText;
pub use text_regex::{TextRegex, regex};
pub use text_style::TextStyle;
pub(crate) use texts::{one_text, texts};
pub use width::{char_start, grapheme_width, graphemes, is_right_to_left, width};
pub use word_diff::{ComparedText, new_lines, word_diff};
pub use wrap::{WrappedLine, wrap};
