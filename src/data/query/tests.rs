//! Tests of the language: parsing, printing, errors and completion.

mod columns;
mod complete;
mod errors;
mod fields;
mod generated;
mod lenient;
mod parse;
mod rated;
mod readings;
mod reveals;

use super::ast::Query;
use super::lang::parse::{QueryError, parse};
use super::names::catalog::Catalog;
use crate::schema::{Definition, Schema, built_in};

/// Labels and facts with valid names and with others.
const ODD: &str = r#"
name = "odd"
title = "Odd"
rows = "inline"
prompt.path = "/prompt"

[[response]]
text = "/a"

[[response]]
text = "/b"

[[label]]
name = "chosen - score"
kind = "score"

[[label]]
name = "chosen___score"

[[label]]
name = "turns"
range = [0, 9]

[[label]]
name = "3D"

[[fact]]
name = "domain"
path = "/domain"

[[fact]]
name = "helpfulness"
path = "/h"

[[fact]]
name = "model A"
path = "/m"
about = "Which model wrote A."
"#;

fn catalog() -> Catalog {
    let definition = built_in()
        .into_iter()
        .find(|definition| definition.name == "helpsteer2")
        .unwrap();
    let odd = Definition::parse(ODD).unwrap();
    let schemas: Vec<_> = [definition, odd].into_iter().map(Schema::new).collect();
    let mut catalog = Catalog::of(&schemas);
    catalog.set_reviewers(&["Ann", "Lee J.", "a", "rated"].map(Into::into));
    catalog
}

fn read(text: &str) -> Result<Query, QueryError> {
    parse(text, &catalog())
}

/// Returns the printed query, which must parse to the same query.
#[track_caller]
fn canonical(text: &str) -> String {
    let query = read(text)
        .unwrap_or_else(|error| panic!("{text}\n{}{}\n{error}", " ".repeat(error.span.start), "^"));
    let printed = query.spelled(&catalog()).to_string();
    assert_eq!(read(&printed), Ok(query), "{text} is printed as {printed}");
    printed
}
