//! Answers: what a command or a page says, as figures and tables, with one writer for each form.
//!
//! [`AnswerCard`] has figures and charts, [`AnswerTable`] a row for each thing. Modules that count
//! make them; forms are added here.

mod card;
mod json;
mod table;

pub use card::{
    AnswerBar, AnswerCard, AnswerSection, CardBody, FEWEST, Grid, GridCell, Quantity, QuantityUnit,
    ShareOf, WithShown,
};
pub use json::{json_document, json_number, json_number_or_null};
pub use table::{AnswerCell, AnswerColumn, AnswerTable};
