//! What a text says beside its words: Markdown, links, citations, and the styles for them.

pub mod blocks;
pub mod citations;
pub mod escape;
pub mod faults;
pub mod html;
pub mod links;
pub mod literal;
pub mod markdown;
pub mod style;
pub mod styled_text;
pub mod tables;
pub mod text_style;
