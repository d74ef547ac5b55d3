//! `visavis schemas`: lists schemas, prints one, and tries which fit a file.

use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

use clap::Args;

use super::output::{print_bytes, put};
use super::reading::{input, one_file, within};
use super::{Sources, texts};
use crate::answer::{AnswerCell, AnswerColumn, AnswerTable};
use crate::dataset::{first_lines, open_input};
use crate::export::{in_shell, table_as_json};
use crate::run::{self, Failure, name_for, schema_folder};
use crate::schema::{
    ChosenSchema, FieldRole, KnownSchema, SchemaCatalog, SchemaChoice, SchemaChoiceError,
    SchemaTrial, records_of,
};
use crate::source::Input;
use crate::text::{counted, one_line};

/// Maximum width of a name or title, in cells.
const WIDEST: usize = 60;

/// List schemas, print one, or test which of them fits a file
///
/// A schema defines where prompt, responses and labels are in a record. Besides the built-in
/// schemas, each .toml file in ~/.config/visavis/schemas/ is one of your own.
#[derive(Debug, Args)]
pub struct SchemasArgs {
    /// Schema to print as a file, by name or path [default: list all]
    #[arg(value_name = "NAME|FILE.toml")]
    name: Option<String>,

    /// List all schemas as JSON
    #[arg(long, conflicts_with_all = ["name", "tried"])]
    json: bool,

    /// Show the schema that fits this file best, and the chosen layout; `-` is standard input
    #[arg(
        long = "try",
        group = "file",
        value_name = "FILE",
        conflicts_with = "name"
    )]
    tried: Option<PathBuf>,

    /// Print the guessed layout of this file as a schema file, to edit and save
    #[arg(long = "guess", group = "file", value_name = "FILE", conflicts_with_all = ["name", "json"])]
    guessed: Option<PathBuf>,

    /// Read rows from this list in a JSON document, for instance /examples
    #[arg(long, value_name = "PATH", requires = "file")]
    rows_at: Option<String>,
}

impl SchemasArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let catalog = sources.catalog();
        if let Some(file) = self.tried.as_ref().or(self.guessed.as_ref()) {
            let input = within(input(one_file(file)?), self.rows_at.as_ref());
            return match self.guessed {
                Some(_) => guess(&input),
                None => try_all(&input, &catalog),
            };
        }
        let Some(name) = self.name.as_deref() else {
            let table = AnswerTable::of(&schema_columns(), catalog.iter());
            return if self.json {
                print_bytes(table_as_json("schemas", &table).as_bytes())
            } else {
                list(table)
            };
        };
        let known = catalog
            .named(name)
            .map_err(|error| unknown_schema(name, error))?;
        print_bytes(known.definition().toml.as_bytes())
    }
}

/// Prints a line for each schema, and on a terminal what to do next.
fn list(schemas: AnswerTable) -> Result<(), Failure> {
    print_bytes(schemas.text().as_bytes())?;
    // Programs that read a pipe need only the lines.
    if stdout().is_terminal() {
        put(&format!("\n{}\n", texts::your_schemas(shown_folder())))?;
    }
    Ok(())
}

/// The columns of the list: name, how rows group, origin, title and description.
#[rustfmt::skip] // A table reads as a table.
fn schema_columns<'a>() -> [AnswerColumn<&'a KnownSchema>; 7] {
    [
        ("name", "name", |it| AnswerCell::new(it.name(), one_line(it.name(), WIDEST))),
        ("title", "", |it| (&*it.definition().title).into()),
        ("about", "", |it| (&*it.definition().about).into()),
        ("rows", "rows", |it| AnswerCell::of(it.definition().rows)),
        ("", "from", |it| origin(it).into()),
        ("", "what", |it| what(it).into()),
        ("path", "", |it| AnswerCell::of(it.file.as_ref().map(|file| file.to_string_lossy()))),
    ]
}

/// Describes a schema: its title and description, and the file of the user's own.
fn what(known: &KnownSchema) -> String {
    let definition = known.definition();
    let title = one_line(&definition.title, WIDEST);
    let about = match one_line(&definition.about, 200) {
        about if about.is_empty() => title,
        about => format!("{title}: {about}"),
    };
    let Some(path) = &known.file else {
        return about;
    };
    let path = one_line(&path.display().to_string(), 500);
    let is_replacing = SchemaCatalog::default().get(known.name()).is_some();
    let place = if is_replacing {
        ", replacing the built-in one"
    } else {
        ""
    };
    format!("{about} ({path}{place})")
}

/// Returns the error for an unknown schema. If the name is a data file, suggests `--try`.
fn unknown_schema(name: &str, error: SchemaChoiceError) -> Failure {
    let is_data = matches!(error, SchemaChoiceError::Unknown(_)) && Path::new(name).is_file();
    if is_data {
        Failure::usage(texts::not_a_schema(name))
    } else {
        Failure::usage(error)
    }
}

/// Prints a schema file with the guessed layout of a file.
fn guess(input: &Input) -> Result<(), Failure> {
    let name = name_for(input);
    let lines = lines_of(input)?;
    let of: Vec<_> = lines.iter().map(Vec::as_slice).collect();
    let schema = SchemaChoice::Detect(SchemaCatalog::none())
        .schema(&of)
        .map_err(anyhow::Error::from)?;
    let definition = schema.definition();
    let fields = definition.field_roles(&records_of(&lines));
    let toml = definition.named(&name).to_toml(&fields);
    print_bytes(toml.map_err(Failure::usage)?.as_bytes())
}

/// Reads the first lines of a file.
fn lines_of(input: &Input) -> anyhow::Result<Vec<Vec<u8>>> {
    let lines = first_lines(&*open_input(input, &SchemaChoice::default())?)?;
    anyhow::ensure!(!lines.is_empty(), texts::BLANK_LINES);
    Ok(lines)
}

/// Tries the schemas on the first lines of a file. Prints the one that fits best, then which one is
/// chosen and why.
fn try_all(input: &Input, catalog: &SchemaCatalog) -> Result<(), Failure> {
    let lines = lines_of(input)?;
    let records = records_of(&lines);
    let lines: Vec<_> = lines.iter().map(Vec::as_slice).collect();
    let (best, chosen) = catalog.trial(&lines);
    let tried = best.iter().map(|trial| (trial, lines.len()));
    print_bytes(AnswerTable::of(&trial_columns(), tried).text().as_bytes())?;
    let taken = chosen.map_err(Failure::usage)?;
    let fields = AnswerTable::of(FIELDS, taken.schema.definition().field_roles(&records)).text();
    let decision = explain_choice(&taken);
    print_bytes(format!("\n{}\n\n{fields}", one_line(&decision, 2000)).as_bytes())
}

/// The columns of the schemas that fit best, with the number of lines tried.
#[rustfmt::skip] // A table reads as a table.
fn trial_columns<'a>() -> [AnswerColumn<(&'a SchemaTrial, usize)>; 4] {
    [
        ("", "name", |it| one_line(it.0.known.name(), WIDEST).into()),
        ("", "fits", |it| format!("{} of {}", it.0.rows, it.1).into()),
        ("", "from", |it| origin(&it.0.known).into()),
        ("", "why", |it| outcome(it.0, it.1).into()),
    ]
}

/// The columns of a field of a record: its role and the reason.
const FIELDS: &[AnswerColumn<FieldRole>] = &[
    ("", "field", |it| it.name().into()),
    ("", "role", |it| one_line(&it.role, WIDEST).into()),
    ("", "why", |it| one_line(&it.why, 200).into()),
];

fn origin(known: &KnownSchema) -> &'static str {
    match known.file {
        Some(_) => "yours",
        None => "built in",
    }
}

/// Returns what a schema finds or why it does not fit.
fn outcome(trial: &SchemaTrial, lines: usize) -> String {
    let found = (trial.rows > 0).then(|| format!("finds {}", counted(trial.values, "value")));
    let mismatch = trial.mismatch.as_ref().map(|(line, why)| {
        let why = one_line(why, 200);
        match lines {
            1 => why,
            _ => format!("line {line}: {why}"),
        }
    });
    let why: Vec<_> = found.into_iter().chain(mismatch).collect();
    why.join("; ")
}

/// Explains which schema is chosen and why; for a guess, with the roles of the fields.
fn explain_choice(taken: &ChosenSchema) -> String {
    if !taken.is_guess {
        return taken.why.clone();
    }
    let definition = taken.schema.definition();
    let labels: Vec<_> = (definition.labels.iter())
        .map(|label| label.name.as_str())
        .collect();
    let labels = match labels.as_slice() {
        [] => String::new(),
        labels => format!(" Labels: {}.", labels.join(", ")),
    };
    let guess = definition.guess.iter();
    let unused = guess.flat_map(|guess| guess.unused_verdict.iter().chain(&guess.unused_score));
    let unused: String = unused
        .map(|field| format!(" {}.", field.message(true)))
        .collect();
    let unnamed = definition
        .guess
        .iter()
        .flat_map(|guess| &guess.unused_verdict);
    let winner: String = unnamed
        .filter(|field| field.is_unnamed())
        .map(|field| format!(",winner={}", field.path))
        .collect();
    let map = definition.map();
    let map = map.map(|map| {
        format!(" To set the same prompt and responses yourself: --map {map}{winner}. See visavis guide schemas for the rest.")
    });
    format!(
        "{} {}{}{labels}{}",
        taken.why,
        definition.explain_verdict(),
        unused,
        map.unwrap_or_default()
    )
}

/// Returns the folder of the user's own schemas, quoted for a shell.
fn shown_folder() -> String {
    let Some(folder) = schema_folder() else {
        return "~/.config/visavis/schemas".to_owned();
    };
    let path = run::display_path(&folder);
    let is_plain = |c: char| c.is_alphanumeric() || "~/._-+".contains(c);
    if path.chars().all(is_plain) {
        return path;
    }
    in_shell(&one_line(&folder.display().to_string(), 500))
}
