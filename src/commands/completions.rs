//! Shell completion: scripts that call the program, and the candidates, from clap's engine and the
//! tables of fields, schemas, themes, topics and saved filters.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, CommandFactory};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter, complete,
};

use super::output::put;
use super::reading::input;
use super::{Cli, Sources};
use crate::dataset::{LoadEvent, Loader};
use crate::guide::topics;
use crate::query::{self, Catalog};
use crate::run::{Failure, saved_filters, theme_names};
use crate::schema::SchemaChoice;
use crate::text::one_line;

/// The scripts by shell. Each runs `visavis __complete INDEX -- WORDS` and reads one line for each
/// candidate: `+` if the word continues after it or a space, then the value, a tab and its help.
const SCRIPTS: [(&str, &str); 3] = [
    (
        "bash",
        include_str!("../../assets/completions/visavis.bash"),
    ),
    ("zsh", include_str!("../../assets/completions/_visavis")),
    (
        "fish",
        include_str!("../../assets/completions/visavis.fish"),
    ),
];

/// File extensions of data, plain and compressed.
const DATA_EXTENSIONS: [&str; 8] = [
    "jsonl", "json", "parquet", "csv", "tsv", "gz", "zst", "ndjson",
];
/// Maximum width of the help of a candidate, in cells.
const MAX_HELP: usize = 120;
/// Tag of a candidate after which the word continues.
const CONTINUES: &str = "goes on";

/// Print the completion script of a shell
///
/// It completes subcommands, options and their values, data files, names of schemas, themes and
/// guide pages, saved filters, and the fields of the files on the command line within queries.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_parser = PossibleValuesParser::new(SCRIPTS.map(|(shell, _)| shell)).map(|shell| script(&shell)))]
    shell: &'static str,
}

fn script(shell: &str) -> &'static str {
    let found = SCRIPTS.iter().find(|(name, _)| *name == shell);
    found.map_or("", |(_, script)| script)
}

impl CompletionsArgs {
    pub(super) fn run(self, _sources: &mut Sources) -> Result<(), Failure> {
        put(self.shell)
    }
}

/// List the completions at a position of a command line
#[derive(Debug, Args)]
pub struct CompleteArgs {
    /// Index of the word to complete; the program's name is 0
    index: usize,

    /// The command line, including words after the completed one
    #[arg(last = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl CompleteArgs {
    pub(super) fn run(self, _sources: &mut Sources) -> Result<(), Failure> {
        let Self { index, mut words } = self;
        let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"-");
        if let Some(word) = words.get_mut(index) {
            // Some shells include the quote that opens the word.
            let bare = word
                .to_str()
                .map(|it| it.trim_start_matches(['\'', '"']).into());
            *word = bare.unwrap_or(word.clone());
        }
        let current = words.get(index).cloned().unwrap_or_default();
        let mut command = Cli::command().mut_subcommands(|of| of.mut_args(with_values(&words)));
        command = command.mut_args(with_values(&words));
        let found = complete(&mut command, words, index, None).unwrap_or_default();
        // There are many options; they are listed only after a dash.
        let found = found
            .iter()
            .filter(|it| !it.is_hide_set() && (is_option(&current) || !is_option(it.get_value())));
        put(&found.filter_map(line).collect::<String>())
    }
}

/// Formats a candidate as a line. Returns `None` if the value is not UTF-8 or has control
/// characters, which the terminal could execute.
fn line(candidate: &CompletionCandidate) -> Option<String> {
    let value = candidate.get_value().to_str()?;
    let continues = candidate
        .get_tag()
        .is_some_and(|tag| tag.to_string() == CONTINUES);
    let sign = if continues || value.ends_with('/') {
        '+'
    } else {
        ' '
    };
    let help = candidate.get_help().map(ToString::to_string);
    let help = one_line(&help.unwrap_or_default(), MAX_HELP);
    (one_line(value, value.len().max(1)) == value).then(|| format!("{sign}{value}\t{help}\n"))
}

/// Returns the candidates for a partly typed value, given all words of the command line.
type ValueCandidates = fn(&OsStr, &[OsString]) -> Vec<CompletionCandidate>;

/// Attaches a completer to each argument that has one.
fn with_values(words: &[OsString]) -> impl Fn(Arg) -> Arg {
    let words: Arc<[OsString]> = words.into();
    move |arg| {
        let words = Arc::clone(&words);
        match completer(arg.get_id().as_str()) {
            Some(of) => arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
                of(typed, &words)
            })),
            None => arg,
        }
    }
}

/// Returns the completer of the argument with this id.
fn completer(name: &str) -> Option<ValueCandidates> {
    Some(match name {
        "query" | "filter" => complete_query,
        "columns" | "sort_by" => complete_fields,
        "by" | "on" | "group_by" => |typed, words| with_prefix(typed, &field_names(words)),
        "files" | "file" | "old" | "new" | "with" | "against" | "drop_leaks" | "tried"
        | "guessed" => |typed, _| data_files(typed),
        "schema" | "name" => |typed, _| names_and_files(typed, &schema_names()),
        "theme" => |typed, _| names_and_files(typed, &theme_names()),
        "topic" => |typed, _| {
            let topics = topics().into_iter().map(|topic| topic.name.to_owned());
            with_prefix(typed, &topics.collect::<Vec<_>>())
        },
        _ => return None,
    })
}

/// Returns the names with this prefix, and .toml files.
fn names_and_files(typed: &OsStr, names: &[String]) -> Vec<CompletionCandidate> {
    let is_toml = |path: &Path| path.extension() == Some(OsStr::new("toml"));
    let files = PathCompleter::any().filter(is_toml).complete(typed);
    with_prefix(typed, names).into_iter().chain(files).collect()
}

/// Returns the names with this prefix.
fn with_prefix(typed: &OsStr, names: &[String]) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let names = names.iter().filter(|name| name.starts_with(&*typed));
    names.map(CompletionCandidate::new).collect()
}

/// Completes a query: saved filters with this prefix, the next words of the query language, and
/// files, because a file name may be given in place of the query.
fn complete_query(typed: &OsStr, words: &[OsString]) -> Vec<CompletionCandidate> {
    let mut found = Vec::new();
    if let Some(text) = typed.to_str() {
        let saved = saved_filters();
        let saved = saved.values().flatten();
        let saved = saved.map(|(name, query)| (query.clone(), format!("filter {name}")));
        let (none, no_tags) = (|_| Vec::new(), BTreeMap::new());
        let next = query::complete(text, text.len(), &catalog(words), &none, &no_tags);
        let before = &text[..next.span.start];
        let next = next
            .items
            .into_iter()
            .map(|item| (format!("{before}{}", item.text), item.note));
        let all = saved
            .chain(next)
            .filter(|(whole, _)| whole.starts_with(text));
        found.extend(all.map(|(whole, help)| {
            let help = Some(help).filter(|help| !help.is_empty());
            CompletionCandidate::new(whole)
                .help(help.map(Into::into))
                .tag(Some(CONTINUES.into()))
        }));
    }
    found.extend(data_files(typed).into_iter().map(|file| file.tag(None)));
    found
}

/// Completes the last of several field names separated by commas.
fn complete_fields(typed: &OsStr, words: &[OsString]) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let (before, last) = typed.split_at(typed.rfind(',').map_or(0, |comma| comma + 1));
    let found = with_prefix(OsStr::new(last), &field_names(words));
    found.into_iter().map(|it| it.add_prefix(before)).collect()
}

/// Returns data files and folders with this prefix, or any files if there are none.
fn data_files(typed: &OsStr) -> Vec<CompletionCandidate> {
    let has_extension = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str);
        path.is_file() && ending.is_some_and(|ending| DATA_EXTENSIONS.contains(&ending))
    };
    let found = PathCompleter::any().filter(has_extension).complete(typed);
    match found.is_empty() {
        true => PathCompleter::file().complete(typed),
        false => found,
    }
}

fn schema_names() -> Vec<String> {
    let catalog = Sources::of_user().catalog();
    catalog.iter().map(|it| it.name().to_owned()).collect()
}

fn field_names(words: &[OsString]) -> Vec<String> {
    catalog(words).names().map(str::to_owned).collect()
}

/// Returns the fields that a query of the files on the command line can name; without files, those
/// of any data. Reads the files only until their schemas are known.
fn catalog(words: &[OsString]) -> Catalog {
    let files = words
        .iter()
        .skip(1)
        .map(PathBuf::from)
        .filter(|path| path.is_file());
    let loader = Loader {
        inputs: files.map(input).collect(),
        choice: SchemaChoice::Detect(Sources::of_user().catalog()),
        ..Loader::default()
    };
    let mut schemas = Vec::new();
    if !loader.inputs.is_empty() {
        let _ = loader.run(&mut |report| {
            if let LoadEvent::File(file) = report {
                schemas.push(file);
            }
            match schemas.len() < loader.inputs.len() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
    }
    Catalog::of_files(&schemas)
}
