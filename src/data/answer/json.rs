//! Answers as JSON, with unrounded figures under stable keys.

use serde_json::{Value, json};

use super::card::{AnswerBar, AnswerCard, AnswerSection, CardBody, GridCell, Quantity, WithShown};
use crate::stats::Undefined;

/// Converts a number; whole ones become integers, as 3.0 would make a column of floats.
pub fn json_number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        (value as i64).into()
    } else {
        value.into()
    }
}

/// Converts a number like [`json_number`]; null if it is missing.
pub fn json_number_or_null(value: Option<f64>) -> Value {
    value.map_or(Value::Null, json_number)
}

/// Formats a document with indentation and a final line break.
pub fn json_document(document: &Value) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

impl AnswerSection {
    /// Returns an object for each card. Each figure is `{"whole": …, "shown": …}` (`shown` only
    /// with a query; `null` with `why` if undefined), with its 95 % `interval` and
    /// `shown_interval`. Charts are `bars`, or `rows`, `columns` and `cells`; explanations of the
    /// card are `notes`.
    pub fn json(&self) -> Value {
        let cards = self.cards.iter();
        cards.map(|card| (&*card.key, of_card(card))).collect()
    }
}

fn of_card(card: &AnswerCard) -> Value {
    let figures = card.figures.iter();
    let figures = figures.map(|figure| (figure.key, of_figure(figure)));
    let mut members: Value = figures.collect();
    if !card.notes.is_empty() {
        members["notes"] = json!(card.notes);
    }
    match &card.body {
        CardBody::Figures => {}
        CardBody::Bars(_, bars) => members["bars"] = bars.iter().map(of_bar).collect(),
        CardBody::Grid(grid) => {
            members["columns"] = json!(grid.columns);
            members["rows"] = json!(grid.rows);
            let rows = grid.cells.chunks(grid.columns.len().max(1));
            let rows = rows.map(|row| row.iter().map(of_cell).collect::<Value>());
            members["cells"] = rows.collect();
        }
    }
    members
}

/// Converts a number, or the reason why it is undefined.
fn of_values(WithShown { whole, shown }: WithShown<Result<f64, Undefined>>) -> Value {
    let mut members = json!({"whole": json_number_or_null(whole.ok())});
    if let Some(shown) = shown {
        members["shown"] = json_number_or_null(shown.ok());
    }
    if let Some(reason) = whole.err().or(shown.and_then(Result::err)) {
        members["why"] = json!(reason.to_string());
    }
    members
}

fn with_query(mut members: Value, query: Option<&String>) -> Value {
    if let Some(query) = query {
        members["query"] = json!(query);
    }
    members
}

fn of_figure(figure: &Quantity) -> Value {
    let mut members = of_values(figure.values);
    for (at, side) in ["", "shown_"].into_iter().enumerate() {
        if let Some(interval) = figure.intervals[at] {
            members[format!("{side}interval")] = json!(interval);
        }
    }
    with_query(members, figure.query.as_ref())
}

fn of_bar(bar: &AnswerBar) -> Value {
    let [some, all] = bar.whole;
    let mut members = json!({"label": bar.label, "whole": some, "whole_of": all});
    if let Some([some, all]) = bar.shown {
        members["shown"] = json!(some);
        members["shown_of"] = json!(all);
    }
    if let Some(interval) = bar.interval {
        members["interval"] = json!(interval);
    }
    if let Some(interval) = bar.shown_interval {
        members["shown_interval"] = json!(interval);
    }
    with_query(members, bar.query.as_ref())
}

fn of_cell(cell: &GridCell) -> Value {
    let mut members = of_values(cell.values);
    members["n"] = json!(cell.n);
    with_query(members, cell.query.as_ref())
}
