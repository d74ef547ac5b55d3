//! Text → query.

use std::ops::Range;

use thiserror::Error;

use super::ast::{Comparison, Expr, Field, Name, Number, Part, Pattern, Query, SortBy, SortKey, TextTerm, View};
use super::catalog::Catalog;

/// What is wrong with a query, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct QueryError {
    /// The bytes of the query to blame; empty at its end where something is missing.
    pub span: Range<usize>,
    /// What was expected there, for people, in one sentence without a full stop.
    pub message: String,
}

/// Reads a query.
///
/// # Errors
/// When it does not read, or names a field that the dataset does not have.
pub fn parse(text: &str, catalog: &Catalog) -> Result<Query, QueryError> {
    let _ = catalog;
    // A stand-in until the real one is here: `NAME>=VALUE` and `NAME<=VALUE`, words to search for, and `sort:-NAME`.
    let wrong = |span: Range<usize>, message: &str| Err(QueryError { span, message: message.to_owned() });
    let field = |name: &str| Field { view: View::One, name: Name::Label(name.to_owned()) };
    let (mut terms, mut sort, mut at) = (Vec::new(), Vec::new(), 0);
    for term in text.split(' ') {
        let start = at;
        at += term.len() + 1;
        if let Some(key) = term.strip_prefix("sort:") {
            let (key, descending) = key.strip_prefix('-').map_or((key, false), |key| (key, true));
            if !LABELS.contains(&key) {
                return wrong(at - 1 - key.len()..at - 1, "there is no such field");
            }
            sort.push(SortKey { by: SortBy::Number(Number::Field(field(key))), descending });
        } else if let Some(sign) = term.find(">=").or_else(|| term.find("<=")) {
            let (name, value) = (&term[..sign], &term[sign + 2..]);
            if !LABELS.contains(&name) {
                return wrong(start..start + sign, &format!("there is no field {name}; did you mean helpfulness?"));
            }
            let Ok(value) = value.parse() else {
                return wrong(start + sign + 2..start + term.len(), "a number was expected, or a field");
            };
            let comparison = if term[sign..].starts_with('>') { Comparison::AtLeast } else { Comparison::AtMost };
            terms.push(Expr::Compare { left: Number::Field(field(name)), comparison, right: Number::Literal(value) });
        } else if !term.is_empty() {
            let pattern = Pattern::Phrase(term.to_owned());
            terms.push(Expr::Text(TextTerm { part: Part::Anywhere, pattern }));
        }
    }
    let filter = if terms.is_empty() { None } else { Some(Expr::And(terms)) };
    Ok(Query { filter, sort })
}

const LABELS: [&str; 5] = ["helpfulness", "correctness", "coherence", "complexity", "verbosity"];
