//! Answers: what a command or a page says, as words, figures and tables, with one writer for each
//! form.
//!
//! An [`Answer`] is words with [`AnswerTable`]s, which have a row for each thing; [`AnswerCard`]s have
//! figures and charts. Modules that count make them; forms are added here.

mod card;
mod document;
mod json;
mod table;

pub use card::{
    AnswerBar, AnswerCard, AnswerSection, CardBody, FEWEST, Grid, GridCell, NO_FIGURE, Quantity,
    QuantityUnit, ShareOf, WithShown, count_words, percent_words,
};
pub use document::{Answer, AnswerTables, LaidAnswer};
pub use json::{json_document, json_number, json_number_or_null};
pub use table::{AnswerCell, AnswerColumn, AnswerTable};
