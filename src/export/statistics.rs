//! A profile and other answers as JSON, with every figure at full precision under keys that stay.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::json_number::json_number_or_null;
use crate::profile::{CardBody, GridCell, Profile, ProfileBar, ProfileCard, Quantity};
use crate::stats::{Shuffled, Undefined};

/// What the keys of the document mean, as a number that grows when one means something else.
const VERSION: u32 = 1;

/// How much a query finds, as a JSON document in one line: `version`, `samples`, `responses`, and of
/// all rows how many are `malformed`.
pub fn counts_as_json(samples: usize, responses: usize, malformed: usize) -> String {
    let document = json!({
        "version": VERSION,
        "samples": samples,
        "responses": responses,
        "malformed": malformed,
    });
    format!("{document}\n")
}

/// A schema of a list.
#[derive(Debug)]
pub struct ListedSchema {
    /// What `--schema` calls it.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// What it is.
    pub about: String,
    /// How rows make samples.
    pub rows: String,
    /// The file that it is read from; `None` for a built-in one.
    pub path: Option<PathBuf>,
}

/// Schemas as a JSON document: `version` and `schemas`, each with `name`, `title`, `about`, `rows`
/// and `path` (null for a built-in one).
pub fn schemas_as_json(schemas: impl Iterator<Item = ListedSchema>) -> String {
    let schemas = schemas.map(|schema| {
        json!({
            "name": schema.name,
            "title": schema.title,
            "about": schema.about,
            "rows": schema.rows,
            "path": schema.path.map(|path| path.to_string_lossy().into_owned()),
        })
    });
    let document = json!({"version": VERSION, "schemas": schemas.collect::<Value>()});
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// A profile as a JSON document: its `version`, which responses figures of what is `shown` cover
/// (`covers`), and an object for each section and card; in it each figure as
/// `{"whole": …, "shown": …}` (`shown` only where a query chooses; `null` with `why` where there is
/// no figure), with its 95 % `interval` and `shown_interval`, and `shuffled` and `shown_shuffled` where
/// it is compared with shuffled values; what is drawn as `bars`, or `rows`, `columns` and `cells`; and
/// what one must know to read the card as `notes`.
pub fn statistics_as_json(profile: &Profile) -> String {
    let mut sections = Map::new();
    sections.insert("version".to_owned(), json!(VERSION));
    sections.insert("samples".to_owned(), json!(profile.samples));
    sections.insert("shown".to_owned(), json!(profile.shown));
    if let Some(covers) = &profile.covers {
        sections.insert("covers".to_owned(), json!(covers));
    }
    for section in &profile.sections {
        let cards = section
            .cards
            .iter()
            .map(|card| (card.key.clone(), of_card(card)));
        sections.insert(section.key.to_owned(), Value::Object(cards.collect()));
    }
    let mut json = serde_json::to_string_pretty(&Value::Object(sections)).unwrap_or_default();
    json.push('\n');
    json
}

fn of_card(card: &ProfileCard) -> Value {
    let figures = card.figures.iter();
    let figures = figures.map(|figure| (figure.key.to_owned(), of_figure(figure)));
    let mut members: Map<String, Value> = figures.collect();
    if !card.notes.is_empty() {
        members.insert("notes".to_owned(), json!(card.notes));
    }
    match &card.body {
        CardBody::Figures => {}
        CardBody::Bars(_, bars) => {
            members.insert("bars".to_owned(), bars.iter().map(of_bar).collect());
        }
        CardBody::Grid(grid) => {
            members.insert("columns".to_owned(), json!(grid.columns));
            members.insert("rows".to_owned(), json!(grid.rows));
            let rows = grid.cells.chunks(grid.columns.len().max(1));
            let rows = rows.map(|row| row.iter().map(of_cell).collect::<Value>());
            members.insert("cells".to_owned(), rows.collect());
        }
    }
    Value::Object(members)
}

/// A number, or why there is none.
fn of_values(
    whole: Result<f64, Undefined>,
    shown: Option<Result<f64, Undefined>>,
) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("whole".to_owned(), json_number_or_null(whole.ok()));
    if let Some(shown) = shown {
        members.insert("shown".to_owned(), json_number_or_null(shown.ok()));
    }
    if let Some(reason) = whole.err().or(shown.and_then(Result::err)) {
        members.insert("why".to_owned(), json!(reason.to_string()));
    }
    members
}

fn with_query(mut members: Map<String, Value>, query: Option<&String>) -> Value {
    members.extend(query.map(|query| ("query".to_owned(), json!(query))));
    Value::Object(members)
}

fn of_figure(figure: &Quantity) -> Value {
    let mut members = of_values(figure.whole, figure.shown);
    for (at, side) in ["", "shown_"].into_iter().enumerate() {
        let interval = figure.intervals[at].map(|interval| json!(interval));
        members.extend(interval.map(|interval| (format!("{side}interval"), interval)));
        let shuffled = figure.shuffled[at].map(|of| {
            let Shuffled {
                mean,
                least,
                greatest,
            } = of;
            json!({"mean": mean, "min": least, "max": greatest})
        });
        members.extend(shuffled.map(|shuffled| (format!("{side}shuffled"), shuffled)));
    }
    with_query(members, figure.query.as_ref())
}

fn of_bar(bar: &ProfileBar) -> Value {
    let mut members = Map::new();
    members.insert("label".to_owned(), json!(bar.label));
    members.insert("whole".to_owned(), json!(bar.whole[0]));
    members.insert("whole_of".to_owned(), json!(bar.whole[1]));
    if let Some([some, all]) = bar.shown {
        members.insert("shown".to_owned(), json!(some));
        members.insert("shown_of".to_owned(), json!(all));
    }
    if let Some(interval) = bar.interval {
        members.insert("interval".to_owned(), json!(interval));
    }
    if let Some(interval) = bar.shown_interval() {
        members.insert("shown_interval".to_owned(), json!(interval));
    }
    with_query(members, bar.query.as_ref())
}

fn of_cell(cell: &GridCell) -> Value {
    let mut members = of_values(cell.whole, cell.shown);
    members.insert("n".to_owned(), json!(cell.n));
    with_query(members, cell.query.as_ref())
}
