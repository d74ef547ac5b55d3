//! Strings in, ranges out: makes text from files safe, measures it, wraps it and parses its
//! Markdown.
//!
//! The path of a text: [`sanitise()`] turns a raw `&str` into
//! [`SanitisedText`](terminal::sanitise::SanitisedText); [`StyledText::plain`] or [`StyledText::markdown`]
//! adds [runs](markup::text_style::StyledRun) of [`TextStyle`]s; [`wrap()`] cuts it into [`WrappedLine`]s,
//! which are ranges and can be cached per width; and [`StyledText::pieces`] returns a line as
//! styled strings, for lines on screen only. Nothing else of this module is displayed, so unsafe
//! text cannot be.

mod find;
mod json;
mod markup;
mod named_enum;
mod nearest;
mod number;
mod terminal;
#[cfg(test)]
mod tests;
mod texts;
mod word_diff;

pub use crate::{named_enum, texts};
pub use find::fold::{
    Folding, TextWord, continues, has_letter, is_of_word, is_spaceless, is_unseen, letters, words,
    words_beyond_ascii, words_with, words_with_part,
};
pub use find::phrase::{Finder, Phrase};
pub use find::phrase_list::{count_citations, hedges, refusals};
pub use find::portable_regex::{PortableRegex, RegexFlavour, literal_regex, portable_regex};
pub use find::text_regex::{TextRegex, regex};
pub use json::{JsonContainer, indented_json, plain_blanks};
pub use markup::citations::{CitationTargets, citation_targets, citations};
pub use markup::escape::escape_markdown;
pub use markup::faults::{ends_early, helpful_level};
pub use markup::html::{BAR_CELLS, bar, html};
pub use markup::links::TextLink;
pub use markup::style::{bold_spans, code_blocks, headers, list_items};
pub use markup::styled_text::StyledText;
pub use markup::tables::{LaidTable, MarkdownTable, lay_table, markdown_tables};
pub use markup::text_style::TextStyle;
pub use nearest::nearest;
pub use number::{counted, exact_number, grouped, number, shown_value, two_decimals};
pub use terminal::glyphs::TextGlyphs;
pub use terminal::one_line::{folded, one_line};
pub use terminal::sanitise::{Hidden, hides, sanitise};
pub use terminal::width::{char_start, grapheme_width, graphemes, is_right_to_left, width};
pub use terminal::wrap::{WrappedLine, wrap};
pub use word_diff::{ComparedText, new_lines, word_diff};
