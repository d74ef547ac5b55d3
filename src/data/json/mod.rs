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
mod write;

pub use escapes::{ESCAPE_LENGTH, escaped, inside, unescape, unescaped};
pub use lexer::{
    after_blanks, decoded, elements_of, is_blank, is_json, is_of_word, items, members_of, token,
    token_end,
};
pub use write::push_string;
