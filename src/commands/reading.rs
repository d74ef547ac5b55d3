//! Arguments that select input files and how to read them.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;

use super::{Sources, texts};
use crate::dataset::{JoinInput, JoinOn, Loader, SampleName};
use crate::run::{Invocation, JudgingArgs, LookArgs, files_of};
use crate::schema::{Choices, Path, SchemaChoice};
use crate::source::{Input, journal_path, provenance_path};

/// Help heading of these options, which many subcommands share; it comes after their own options.
pub(super) const READING: &str = "Reading";

/// The schema of records.
#[derive(Debug, Default, Args)]
pub struct SchemaChoiceArgs {
    /// Read records with this schema instead of detecting it
    ///
    /// visavis schemas lists the names, including your own. A path may name any .toml file.
    #[arg(long, value_name = "NAME|FILE.toml", conflicts_with = "map", help_heading = READING)]
    pub schema: Option<String>,

    /// Define where prompt and responses are: prompt=PATH,a=PATH,b=PATH
    ///
    /// A PATH is a key, keys joined by dots, or a JSON pointer like /0/question/full_text. Without
    /// b, a row is one response, and consecutive rows with the same prompt form a sample. Further
    /// parts are c=, d= and so on, responses=LIST.*.KEY, winner=, loser=, score=, label.NAME= and
    /// text.NAME=, each with a PATH; and winner.a=VALUE, winner.b=VALUE, winner.tie=VALUE for the
    /// values of the winner. Missing parts are guessed.
    #[arg(long, value_name = "NAME=PATH,…", help_heading = READING)]
    pub map: Option<Choices>,

    /// Fail if the layout is guessed and something about it is doubtful
    #[arg(long, help_heading = READING)]
    pub strict: bool,
}

impl SchemaChoiceArgs {
    /// Returns the given schema, or that schemas are to be detected.
    ///
    /// # Errors
    /// If no schema has this name.
    pub(super) fn choice(&self, sources: &mut Sources) -> anyhow::Result<SchemaChoice> {
        let choice = match (&self.schema, &self.map) {
            (Some(name), _) => SchemaChoice::Named(sources.catalog().named(name)?.schema()),
            (None, Some(map)) => SchemaChoice::Mapped(map.clone()),
            (None, None) => SchemaChoice::Detect(sources.catalog()),
        };
        Ok(if self.strict {
            SchemaChoice::Strict(Box::new(choice))
        } else {
            choice
        })
    }
}

/// How records are read.
#[derive(Debug, Default, Args)]
pub struct RecordArgs {
    #[command(flatten)]
    pub schema: SchemaChoiceArgs,

    /// Read rows from this list in a JSON document, for instance /examples
    ///
    /// PATH is a JSON pointer; / is the whole document. It may also lead to an object of records by
    /// key. Without this option, rows are detected in lists under names like examples, data or
    /// train, in columns, or by key: see visavis guide formats.
    #[arg(long, value_name = "PATH", help_heading = READING)]
    pub rows_at: Option<String>,

    /// Read one split of a dataset of the Hugging Face hub: `train`
    #[arg(long, value_name = "NAME", help_heading = READING)]
    pub split: Option<String>,

    /// Group all rows with the same value of this field into a sample, even if they are not
    /// adjacent: `prompt` for a shuffled file
    ///
    /// For files with one response per row. Can be repeated: then rows must agree in all fields.
    #[arg(long, value_name = "FIELD", help_heading = READING)]
    pub group_by: Vec<String>,
}

impl RecordArgs {
    /// Returns a loader of these files, in order; `stdins` other inputs are standard input.
    ///
    /// # Errors
    /// If options conflict or name an unknown schema.
    pub(super) fn loader(
        &self,
        files: Vec<PathBuf>,
        stdins: usize,
        sources: &mut Sources,
    ) -> anyhow::Result<Loader> {
        if self.rows_at.is_some() && files.is_empty() {
            anyhow::bail!(texts::ROWS_AT_ALONE);
        }
        let inputs = inputs(files, stdins, self.split.as_deref())?.into_iter();
        let inputs = inputs.map(|input| within(input, self.rows_at.as_ref()));
        Ok(Loader {
            inputs: inputs.collect(),
            choice: self.schema.choice(sources)?,
            group_by: group_by(&self.group_by),
            ..Loader::default()
        })
    }
}

/// How records are read, and which other files are joined to them.
#[derive(Debug, Default, Args)]
pub struct ReadingArgs {
    #[command(flatten)]
    pub records: RecordArgs,

    /// Join another file with scores, verdicts or ratings of the same samples
    ///
    /// Its labels become columns named after the file or NAME: rm.skywork if it has one,
    /// team.helpfulness if it has several. Rows are matched by content, in any order of responses.
    /// Can be repeated.
    #[arg(long, value_name = "[NAME=]FILE", help_heading = READING)]
    pub with: Vec<String>,

    /// Pair this file's responses with those of FILE to the same prompts; with `check`, report
    /// prompts of FILE that are also in FILE2
    ///
    /// For two checkpoints, or two versions of a dataset, with one response per row. The responses
    /// of FILE come first; samples that only one file has are singles (is:single).
    #[arg(long, value_name = "FILE2", help_heading = READING, conflicts_with = "group_by")]
    pub against: Option<PathBuf>,

    /// Match rows by this field of both files instead of by content; for --with also by `row`
    #[arg(long, value_name = "FIELD|row", help_heading = READING)]
    pub on: Option<String>,

    /// A further file to compare the others with, from `--against` or `--drop-leaks`.
    #[arg(skip)]
    pub last_apart: Option<PathBuf>,
}

impl ReadingArgs {
    /// Returns a loader of these files, in order.
    pub(super) fn loader(
        &self,
        files: &[PathBuf],
        sources: &mut Sources,
    ) -> anyhow::Result<Loader> {
        if self.on.is_some() && self.with.is_empty() && self.against.is_none() {
            anyhow::bail!(texts::ON_ALONE);
        }
        let mut files = files.to_vec();
        let (is_against, is_last_apart) = (self.against.is_some(), self.last_apart.is_some());
        if is_last_apart && files.is_empty() {
            anyhow::bail!(texts::DROP_LEAKS_ALONE);
        }
        files.extend(self.last_apart.as_deref().map(one_file).transpose()?);
        if let Some(other) = &self.against {
            if files.len() != 1 {
                anyhow::bail!(texts::one_file_to_pair(files.len()));
            }
            if self.on.as_deref() == Some("row") {
                anyhow::bail!(texts::AGAINST_ROW);
            }
            files.push(one_file(other)?);
        }
        let mut joins = Vec::new();
        for word in &self.with {
            joins.push(join(word, SchemaChoice::Detect(sources.catalog()))?);
        }
        let is_stdin = |join: &&JoinInput| matches!(join.input, Input::Stdin);
        let stdins = joins.iter().filter(is_stdin).count();
        let join_on = match self.on.as_deref() {
            None => JoinOn::Content,
            Some("row") => JoinOn::Row,
            Some(field) => JoinOn::Field(field.into()),
        };
        let loader = self.records.loader(files, stdins, sources)?;
        let group_by = match is_against {
            // By content if no field is named.
            true => group_by(self.on.as_slice()).or(Some(Vec::new())),
            false => loader.group_by,
        };
        Ok(Loader {
            joins,
            join_on,
            group_by,
            is_against,
            is_last_apart,
            ..loader
        })
    }

    /// Returns how to show these files; `FILE:ROW` opens FILE at a row.
    pub(super) fn invocation(
        &self,
        mut files: Vec<PathBuf>,
        mut looks: LookArgs,
        judging: JudgingArgs,
        sources: &mut Sources,
    ) -> anyhow::Result<Invocation> {
        for path in &mut files {
            let name = path.to_str().and_then(SampleName::of_row);
            if let Some(SampleName::Row { file, .. }) = &name {
                *path = file.into();
            }
            looks.at = looks.at.or(name);
        }
        let mut loader = self.loader(&files, sources)?;
        loader.follow = looks.follow;
        if looks.follow && loader.inputs.is_empty() {
            anyhow::bail!(texts::FOLLOW_ALONE);
        }
        let config = sources.config();
        Ok(Invocation::new(loader, config, looks, judging))
    }
}

/// Returns the fields by which rows are grouped; `None` if there are none.
fn group_by(fields: &[String]) -> Option<Vec<Path>> {
    (!fields.is_empty()).then(|| fields.iter().map(|field| (&**field).into()).collect())
}

/// Parses `[NAME=]FILE`. An existing file whose name contains `=` is taken as it is.
fn join(word: &str, choice: SchemaChoice) -> anyhow::Result<JoinInput> {
    let is_name = |name: &str| {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "_-".contains(sign);
        !name.is_empty() && name.chars().all(is_sign)
    };
    let named = word.split_once('=').filter(|(name, _)| is_name(name));
    let (name, path) = match named {
        Some((name, path)) if !std::path::Path::new(word).exists() => (Some(name.to_owned()), path),
        _ => (None, word),
    };
    Ok(JoinInput {
        name,
        input: input(one_file(path.as_ref())?),
        choice,
    })
}

/// Returns the input, or the list at a pointer in it.
pub(super) fn within(input: Input, pointer: Option<&String>) -> Input {
    match pointer {
        Some(pointer) => Input::Within {
            document: Box::new(input),
            pointer: pointer.clone(),
        },
        None => input,
    }
}

/// Returns the input for a path; `-` is standard input.
pub(super) fn input(path: PathBuf) -> Input {
    if path.as_os_str() == "-" {
        Input::Stdin
    } else {
        Input::Path(path)
    }
}

/// Returns the file that a path, a folder or a dataset of the hub names.
///
/// # Errors
/// If it has several files, or if the user has to choose.
pub(super) fn one_file(named: &std::path::Path) -> anyhow::Result<PathBuf> {
    let mut files = files_of(named.to_owned(), None)?;
    let file = files.swap_remove(0);
    if !files.is_empty() {
        let files = (files.len() + 1, file.display());
        anyhow::bail!(texts::one_of_files(named.display(), files.0, files.1));
    }
    Ok(file)
}

/// Returns the named files and the data files of named folders and datasets of the hub, in order.
/// Skips journals and provenance files of these inputs, which patterns like `*.jsonl` also match.
/// `stdins` counts uses of standard input elsewhere.
pub(super) fn inputs(
    named: Vec<PathBuf>,
    stdins: usize,
    split: Option<&str>,
) -> anyhow::Result<Vec<Input>> {
    let mut files = Vec::new();
    for path in named {
        files.extend(files_of(path, split)?);
    }
    let own = files
        .iter()
        .flat_map(|path| [journal_path(path), provenance_path(path)]);
    let own: HashSet<_> = own.collect();
    let inputs = files.into_iter().filter(|path| !own.contains(path));
    let inputs: Vec<_> = inputs.map(input).collect();
    let is_stdin = |input: &&Input| matches!(input, Input::Stdin);
    if inputs.iter().filter(is_stdin).count() + stdins > 1 {
        anyhow::bail!(texts::STDIN_TWICE);
    }
    Ok(inputs)
}
