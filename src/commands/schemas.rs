//! `visavis schemas`: which schemas there are, what one says, and which fit a file.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::bail;

use crate::dataset::Loader;
use crate::export::ListedSchema;
use crate::schema::{
    Definition, FieldRole, JsonRecord, KnownSchema, SchemaCatalog, SchemaChoice, SchemaChoiceError,
    SchemaOrigin, SchemaTrial, TakenSchema, records_of,
};
use crate::text::{self, counted, one_line};

/// Cells that a name or a title takes at most.
const WIDEST: usize = 60;

/// Schemas that fit no line of which it is told why.
const MISFITS: usize = 5;

/// What came of trying schemas on a file.
#[derive(Debug)]
pub struct TriedSchemas {
    /// A line for each schema, the best first.
    pub table: String,
    /// Which one is taken and why, or why none is.
    pub taken: Result<String, String>,
}

/// A line for each schema: its name, how rows group, where it comes from, its title and what it
/// is; the columns are named on the first line.
pub fn list_schemas(catalog: &SchemaCatalog) -> String {
    let rows = catalog.iter().map(|known| {
        let definition = known.definition();
        let title = one_line(&definition.title, WIDEST);
        let about = match one_line(&definition.about, 200) {
            about if about.is_empty() => title,
            about => format!("{title}: {about}"),
        };
        let (from, path) = match &known.origin {
            SchemaOrigin::BuiltIn => ("built in", String::new()),
            SchemaOrigin::User { path, replaces } => {
                let path = one_line(&path.display().to_string(), 500);
                let place = if *replaces {
                    ", in place of the built-in one"
                } else {
                    ""
                };
                ("yours", format!(" ({path}{place})"))
            }
        };
        [
            one_line(known.name(), WIDEST),
            definition.rows_word().to_owned(),
            from.to_owned(),
            format!("{about}{path}"),
        ]
    });
    let head = ["NAME", "ROWS", "FROM", "WHAT"].map(str::to_owned);
    aligned(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// All schemas as a JSON document.
pub fn schemas_as_json(catalog: &SchemaCatalog) -> String {
    let schemas = catalog.iter().map(|known| {
        let definition = known.definition();
        ListedSchema {
            name: known.name().to_owned(),
            title: definition.title.clone(),
            about: definition.about.clone(),
            rows: definition.rows_word().to_owned(),
            path: match &known.origin {
                SchemaOrigin::BuiltIn => None,
                SchemaOrigin::User { path, .. } => Some(path.clone()),
            },
        }
    });
    crate::export::schemas_as_json(schemas)
}

/// What a schema says, by its name or by the path of its file, as a page of Markdown; `folder` is
/// where a copy of it would be found, as a shell takes it.
///
/// # Errors
/// When there is none of this name, or its file does not read.
pub fn explain_schema(
    catalog: &SchemaCatalog,
    name: &str,
    folder: &str,
) -> Result<String, SchemaChoiceError> {
    let known = catalog.named(name)?;
    let by_name = catalog.get(known.name());
    let is_found = by_name.is_some_and(|found| found.origin == known.origin);
    let mut page = known.definition().explained();
    let from = match &known.origin {
        SchemaOrigin::BuiltIn => "It is built in.".to_owned(),
        SchemaOrigin::User { path, .. } if !is_found => {
            let _ = write!(
                page,
                "\n## Where it is\n\nIt is the file `{}`, which `--schema` takes. In {folder} it would \
                 be found by its name, and files that fit it be recognised.\n",
                path.display()
            );
            return Ok(page);
        }
        SchemaOrigin::User { path, replaces } => {
            let place = if *replaces {
                ", in the place of the built-in one"
            } else {
                ""
            };
            format!("It is yours: `{}`{place}.", path.display())
        }
    };
    let name = known.name();
    let _ = write!(
        page,
        "\n## A copy of your own\n\n{from} To begin one of your own with it, print its file into \
         the folder of yours, and change its name and what differs:\n\n```sh\n\
         mkdir -p {folder} && cd {folder}\nvisavis schemas {name} --toml > mine.toml\n```\n\n\
         `visavis guide schemas` tells of every key, and `visavis schemas --try FILE` whether it \
         fits.\n"
    );
    Ok(page)
}

/// The text of a schema's file, by the name of the schema or by the path of the file.
///
/// # Errors
/// When there is none of this name, or its file does not read.
pub fn schema_toml(catalog: &SchemaCatalog, name: &str) -> Result<Arc<str>, SchemaChoiceError> {
    Ok(catalog.named(name)?.definition().toml.clone())
}

/// The schema file of what is guessed of the loader's file, under this name.
///
/// # Errors
/// When the file cannot be read, has no lines, or nothing can be guessed of it.
pub fn guess_schema(loader: &Loader, name: &str) -> anyhow::Result<String> {
    let lines = loader.first_lines()?;
    if lines.is_empty() {
        bail!("there are only blank lines");
    }
    let of: Vec<_> = lines.iter().map(Vec::as_slice).collect();
    let schema = SchemaChoice::Detect(SchemaCatalog::none()).schema(&of)?;
    let definition = schema.definition();
    let fields = definition.field_roles(&records_of(&lines));
    Ok(definition.named(name).written(&fields)?)
}

/// Holds each schema against the first lines of the loader's file.
///
/// # Errors
/// When the file cannot be read, or has no lines.
pub fn try_schemas(loader: &Loader, catalog: &SchemaCatalog) -> anyhow::Result<TriedSchemas> {
    let lines = loader.first_lines()?;
    if lines.is_empty() {
        bail!("there are only blank lines");
    }
    let records = records_of(&lines);
    let lines: Vec<_> = lines.iter().map(Vec::as_slice).collect();
    let all = catalog.trials(&lines);
    let shown = (all.trials.iter())
        .filter(|trial| trial.rows > 0)
        .count()
        .max(MISFITS);
    let rows = (all.trials.iter().take(shown))
        .map(|trial| {
            let (fits, why) = outcome(trial, all.lines);
            let known = &trial.known;
            [one_line(known.name(), WIDEST), fits, origin(known), why]
        })
        .collect::<Vec<_>>();
    let head = ["NAME", "FITS", "FROM", "WHY"].map(str::to_owned);
    let mut table = aligned(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
    if let Some(others @ 1..) = all.trials.len().checked_sub(shown) {
        let _ = writeln!(table, "… and {} that fit no line", counted(others, "other"));
    }
    Ok(TriedSchemas {
        table,
        taken: match all.taken {
            Ok(taken) => {
                let fields = fields_told(&taken.definition, &records);
                Ok(format!(
                    "\n{}\n\n{fields}",
                    one_line(&decision(&taken), 2000)
                ))
            }
            Err(error) => Err(error.to_string()),
        },
    })
}

/// A line for each field: what it is taken for and why.
fn fields_told(definition: &Definition, records: &[JsonRecord]) -> String {
    let fields = definition.field_roles(records);
    let row = |it: &FieldRole| {
        [
            it.name(),
            one_line(&it.role, WIDEST),
            one_line(&it.why, 200),
            String::new(),
        ]
    };
    let head = ["FIELD", "ROLE", "WHY", ""].map(str::to_owned);
    let mut told = aligned(
        &std::iter::once(head)
            .chain(fields.iter().map(row))
            .collect::<Vec<_>>(),
    );
    let doubtful = fields.iter().filter(|it| it.is_doubtful());
    let doubtful: Vec<_> = doubtful.map(FieldRole::name).collect();
    if !doubtful.is_empty() {
        let names = doubtful.join(", ");
        let _ = writeln!(told, "\nThe guess is doubtful: no pane shows {names}.");
    }
    told
}

fn origin(known: &KnownSchema) -> String {
    match known.origin {
        SchemaOrigin::BuiltIn => "built in".to_owned(),
        SchemaOrigin::User { .. } => "yours".to_owned(),
    }
}

/// How many lines a schema fits, and what it finds or what is wrong.
fn outcome(trial: &SchemaTrial, lines: usize) -> (String, String) {
    let fits = format!("{} of {lines}", trial.rows);
    let found = (trial.rows > 0).then(|| format!("finds {}", counted(trial.values, "value")));
    let misfit = trial.misfit.as_ref().map(|(line, why)| {
        let why = one_line(why, 200);
        match lines {
            1 => why,
            _ => format!("line {line}: {why}"),
        }
    });
    let why: Vec<_> = found.into_iter().chain(misfit).collect();
    (fits, why.join("; "))
}

/// Which schema is taken and why; of a guess, what it takes for what.
fn decision(taken: &TakenSchema) -> String {
    if !taken.is_guess {
        return taken.why.clone();
    }
    let definition = &taken.definition;
    let labels: Vec<_> = (definition.labels.iter())
        .map(|label| label.name.as_str())
        .collect();
    let labels = match labels.as_slice() {
        [] => String::new(),
        labels => format!(" Labels: {}.", labels.join(", ")),
    };
    let guess = definition.guess.iter();
    let untaken = guess.flat_map(|guess| guess.untaken_verdict.iter().chain(&guess.untaken_score));
    let untaken: String = untaken
        .map(|field| format!(" {}.", field.told(true)))
        .collect();
    let map = definition.map();
    let map = map.map(|map| {
        format!(" The same prompt and responses, said by you: --map {map}. visavis guide schemas tells how to say all of it.")
    });
    format!(
        "{} {} {}{}{labels}{}",
        taken.why,
        definition.places_explained(),
        definition.verdict_explained().replace('`', ""),
        untaken,
        map.unwrap_or_default()
    )
}

/// Cells in columns, the last of any width.
fn aligned(rows: &[[String; 4]]) -> String {
    let widest = |column: usize| {
        let widths = rows.iter().map(|row| text::width(&row[column]));
        widths.max().unwrap_or(0)
    };
    let widths = [widest(0), widest(1), widest(2)];
    let mut out = String::new();
    for row in rows {
        for (cell, width) in row.iter().zip(widths) {
            let blanks = " ".repeat(width.saturating_sub(text::width(cell)));
            let _ = write!(out, "{cell}{blanks}  ");
        }
        out.push_str(row[3].trim_end());
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}
