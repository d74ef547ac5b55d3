//! JSON as bytes, for every reader of records: its tokens, the items of an object or a list, the
//! text of a string.
//!
//! Nothing here builds a tree of values. Most of it is tolerant: it finds its way by quotes,
//! brackets and commas, so `NaN`, raw control characters and invalid UTF-8 do not stop it.
//! [`strings::scan`] is strict, because it also validates.

mod byte_block;
mod escapes;
mod lexer;
pub mod strings;
mod walk;
mod write;

pub use escapes::{ESCAPE_LENGTH, escaped, inside, unescape, unescaped};
pub use lexer::{after_blanks, is_blank, is_json, is_of_word, token, token_end};
pub use walk::{decoded, elements_of, items, members_of};
pub use write::push_string;
