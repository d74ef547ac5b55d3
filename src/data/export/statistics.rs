//! A profile and other answers as JSON, with unrounded figures under stable keys.

use serde_json::{Value, json};

use super::json_number::{json_document, json_number_or_null};
use crate::profile::{CardBody, GridCell, Profile, ProfileBar, ProfileCard, Quantity, WithShown};
use crate::schema::SchemaCatalog;
use crate::stats::Undefined;

/// The version of the documents; it grows when a key changes its meaning.
const VERSION: u32 = 1;

/// Returns the number of matches as a JSON document in one line: `version`, `samples`, `responses`,
/// and `malformed` (of all rows).
pub fn counts_as_json(samples: usize, responses: usize, malformed: usize) -> String {
    let document = json!({
        "version": VERSION,
        "samples": samples,
        "responses": responses,
        "malformed": malformed,
    });
    format!("{document}\n")
}

/// Returns all schemas as a JSON document: `version` and `schemas`, each with `name`, `title`,
/// `about`, `rows` and `path` (null for a built-in one).
pub fn schemas_as_json(catalog: &SchemaCatalog) -> String {
    let schemas = catalog.iter().map(|known| {
        let definition = known.definition();
        json!({
            "name": known.name(),
            "title": definition.title,
            "about": definition.about,
            "rows": definition.rows,
            "path": known.file.as_ref().map(|file| file.to_string_lossy()),
        })
    });
    json_document(&json!({"version": VERSION, "schemas": schemas.collect::<Value>()}))
}

/// Returns a profile as a JSON document: its `version`, which responses the figures of `shown`
/// cover (`covers`), and an object for each section and card. Each figure is `{"whole": …, "shown":
/// …}` (`shown` only with a query; `null` with `why` if undefined), with its 95 % `interval` and
/// `shown_interval`. Charts are `bars`, or `rows`, `columns` and `cells`; explanations of the card are `notes`.
pub fn statistics_as_json(profile: &Profile) -> String {
    let mut sections = json!({
        "version": VERSION,
        "samples": profile.samples,
        "shown": profile.shown,
    });
    if let Some(covers) = &profile.covers {
        sections["covers"] = json!(covers);
    }
    for section in &profile.sections {
        let cards = section.cards.iter();
        let cards = cards.map(|card| (&*card.key, of_card(card)));
        sections[section.key] = cards.collect();
    }
    json_document(&sections)
}

fn of_card(card: &ProfileCard) -> Value {
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

fn of_bar(bar: &ProfileBar) -> Value {
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
