//! visavis
pub mod app;
pub mod cli;
pub mod dataset;
pub mod findings;
pub mod keymap;
pub mod model;
pub mod run;
pub mod schema;
pub mod source;
pub mod term;
pub mod text;
pub mod ui;
pub mod worker;
