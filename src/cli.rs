//! The command line: what can be typed, and what it means.

mod check;
mod completions;
mod data;
mod diff;
mod judging;
mod man;
mod misspelt;
mod order;
mod reading;
mod refused;
mod report;
mod selection;
mod size;
mod sql;
mod stats;
mod training;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use check::CheckArgs;
pub use check::{CheckFormat, CheckTask, FailOn};
use completions::CompleteArgs;
pub use completions::CompletedName;
pub use data::{DataTask, OutputArgs};
use diff::DiffArgs;
pub use diff::DiffTask;
use judging::{AuditArgs, JudgingArgs};
pub use judging::{AuditTask, RevealName};
pub use misspelt::NearestName;
use misspelt::misspelt_subcommand;
use reading::{CatalogSource, ReadingArgs, input, within};
use refused::{reading_refused, refusal};
use report::{AgreeArgs, AuditsArgs, JournalArgs, ReportArgs};
pub use report::{AgreeTask, AuditsTask, MergeTask, ReportTask};
use selection::{CountArgs, ExportArgs, ListArgs, SampleArgs, ShowArgs};
pub use selection::{CountTask, ExportTask, ListTask, SampleTask, ShowTask};
pub use size::Size;
use sql::SqlArgs;
pub use sql::{DialectName, SqlTask};
use stats::StatsArgs;
pub use stats::{StatsFormat, StatsTask};
pub use training::{CorrectionName, TrainingTask};

use crate::config::{Config, ConfigKey};
use crate::dataset::{Loader, SampleName};
use crate::keymap::{Key, KeyRow, keys};
use crate::schema::{SchemaCatalog, SchemaChoice};
use crate::source::Input;

/// Gives what is set for good, and is asked only where it holds.
type ConfigSource<'c> = &'c mut dyn FnMut() -> Config;

const ABOUT: &str = "Read human-preference data face to face, in a terminal";

const LONG_ABOUT: &str = "\
visavis shows human-preference data face to face: a prompt, its two responses side by side, and what people said of them.

It opens HelpSteer2 and WebGPT comparisons as downloaded, and any other preference data in JSON Lines, a JSON list, CSV, TSV or Parquet: \
plain, gzip or zstd, told by content. Several files open as one dataset, in the order given. Without a file it reads standard input where that is \
a pipe, and otherwise opens a built-in demo.";

const AFTER_HELP: &str = "Type --help for examples, visavis guide for the manual, and ? inside the program for its keys.";

const AFTER_LONG_HELP: &str = "\
Examples:
  visavis                                           the built-in demo
  visavis train.jsonl.gz validation.jsonl.gz        two files as one dataset
  zcat part-*.gz | visavis                          from a pipe; the keyboard still works
  visavis --map prompt=q,a=one.text,b=two.text x.jsonl    say where things stand
  visavis --keys 'G' --print --size 120x40 FILE     the last sample as text, for scripts
  visavis train.jsonl:27                            at row 27, as `y` copies it
  visavis export 'is:tie' x.jsonl -o ties.csv       what a query finds, as a table
  visavis report x.jsonl -o audit.md                what an audit of it came to
  visavis schemas --try x.jsonl                     which schema fits a file, and why the others do not
  visavis guide filter                              a page of the manual; guide alone lists them

Keys: ? shows them all, visavis keys prints them. j k next and previous sample, Space b page through the text, Tab the next pane, Enter zoom, f filter, / \
search, 42G go to sample 42, M Markdown, X hidden characters, q quit.

Exit codes: 0 all went well; 1 something failed on the way; 2 the command line or a file is not right, and nothing was shown.";

/// Read human-preference data face to face, in a terminal.
#[derive(Debug, Parser)]
#[command(name = "visavis", version, about = ABOUT, long_about = LONG_ABOUT)]
#[command(after_help = AFTER_HELP, after_long_help = AFTER_LONG_HELP)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,

    /// Files to open, in this order; `-` is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    looks: LookArgs,

    #[command(flatten)]
    judging: JudgingArgs,
}

/// Settings for one run, in place of what is set for good.
#[derive(Debug, Args)]
struct SettingArgs {
    /// Colours: auto, dark, light, plain, or a theme file of your own
    ///
    /// auto asks the terminal for its background. A name is that of a file in
    /// ~/.config/visavis/themes/, without its .toml; what has a / or ends in .toml is a path.
    #[arg(long, value_name = "NAME|FILE.toml")]
    theme: Option<String>,

    /// How many colours to use
    #[arg(long, value_enum)]
    colors: Option<ColorsName>,

    /// Draw with ASCII signs alone
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", hide_possible_values = true)]
    ascii: Option<bool>,

    /// Take clicks and the wheel (the terminal's own selection then needs Shift)
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", hide_possible_values = true)]
    mouse: Option<bool>,

    /// Megabytes of memory for the index that makes searches fast; 0 makes none
    ///
    /// The limit includes what building the index needs. The default is a quarter of the text's
    /// size, at least 64 MB and at most 512 MB. Samples for which there is no room are found by
    /// reading their texts.
    #[arg(long, value_name = "MB")]
    search_memory: Option<u32>,

    #[command(flatten)]
    findings: FindingArgs,
}

/// What rules of findings need to know.
#[derive(Debug, Args)]
struct FindingArgs {
    /// Characters of a response that training keeps: the rule identical-when-cut finds pairs that
    /// are the same up to there
    #[arg(long, value_name = "N")]
    max_len: Option<u32>,
}

impl FindingArgs {
    /// The characters that training keeps, as said or else as set for good, which is looked up only
    /// where a query asks for findings.
    fn max_len(&self, query: &str, config: ConfigSource<'_>) -> Option<u32> {
        let query = query.to_lowercase();
        let asks = query.contains("finding") || query.contains("suspicion");
        self.max_len
            .or_else(|| asks.then(config)?.count(ConfigKey::MaxLen))
    }
}

/// How everything looks, and where it is shown.
#[derive(Debug, Args)]
struct LookArgs {
    #[command(flatten)]
    settings: SettingArgs,

    /// Begin at the first sample, not where you were when these files were open last
    #[arg(long)]
    fresh: bool,

    /// Begin at this sample: its number, its key as `y` copies it, or an id that its rows have
    ///
    /// FILE:ROW in place of FILE begins at a row.
    #[arg(long, value_name = "N|KEY|ID")]
    at: Option<SampleName>,

    /// Show rows that are appended to the files while they are open; for plain JSON Lines
    #[arg(long, conflicts_with_all = ["print", "svg"])]
    follow: bool,

    /// Say everything in lines of text, and take keys and commands as lines, as a screen reader
    /// needs it
    #[arg(long, conflicts_with_all = ["print", "svg"])]
    linear: bool,

    /// Play these keys first
    #[arg(
        long,
        value_name = "KEYS",
        help = "Play these keys first, for instance 'jj<enter><c-d>'"
    )]
    keys: Option<String>,

    /// Print one frame as text instead of opening the screen
    #[arg(long)]
    print: bool,

    /// Write one frame as an SVG picture instead of opening the screen
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Animate the picture of --svg: it shows each of the --keys being pressed
    #[arg(long, requires = "svg")]
    animate: bool,

    /// Size of the frame for --print and --svg
    #[arg(long, value_name = "WxH", default_value = "120x40")]
    size: Size,
}

/// What to do instead of opening the screen.
#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Draw samples and judge them
    Audit(Box<AuditArgs>),
    /// Print how many samples a query finds
    Count(CountArgs),
    /// Print what the data is like: figures, histograms and correlations
    Stats(Box<StatsArgs>),
    /// Print a query as SQL for DuckDB, or as a program for Spark
    Sql(Box<SqlArgs>),
    /// Write the samples that a query finds: rows, reviews, a table, a document, or what trainers read
    Export(Box<ExportArgs>),
    /// Tell how two versions of a dataset differ: samples added, removed, relabelled, edited
    Diff(Box<DiffArgs>),
    /// List the samples that a query finds: a line each, with the columns that you choose
    List(ListArgs),
    /// Print one sample with all that is known of it
    Show(ShowArgs),
    /// Draw samples by a seed and write them
    Sample(SampleArgs),
    /// Tell what is suspicious: which rules of findings fire, and where
    Check(Box<CheckArgs>),
    /// Tell how far reviewers agree: with the dataset, with each other and with themselves
    Agree(AgreeArgs),
    /// List the audits of a journal: who drew what and when, and how far each reviewer is
    Audits(AuditsArgs),
    /// Work on journals themselves
    Journal(JournalArgs),
    /// Write the report of an audit as Markdown
    Report(ReportArgs),
    /// List schemas, explain one, or tell which of them fits a file
    Schemas(SchemasArgs),
    /// Print a page of the manual, or the list of its topics
    Guide(Guide),
    /// Print all keys and commands
    Keys,
    /// Print what is set for good, and where it comes from
    Config(ConfigArgs),
    /// Print a script that completes what is typed in a shell
    Completions(CompletionsArgs),
    /// Print the page for man
    Man,
    /// List what a script of completions asks for, a line each
    #[command(name = "__complete", hide = true)]
    Complete(CompleteArgs),
}

/// Print a script that completes what is typed in a shell
///
/// It completes subcommands, options, files of data, names of schemas, topics of the manual, and in
/// queries the fields of the files that stand on the line.
#[derive(Debug, Args)]
struct CompletionsArgs {
    /// Which shell
    shell: ShellName,
}

/// A shell that completions are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

/// Print what is set for good, and where it comes from
///
/// What is printed is TOML and can be saved as ~/.config/visavis/config.toml.
#[derive(Debug, Args)]
struct ConfigArgs {
    /// Print a file with every setting at its default instead, to begin one of your own with
    #[arg(long)]
    default: bool,

    #[command(flatten)]
    settings: SettingArgs,
}

impl SettingArgs {
    /// The settings that were given.
    fn given(&self) -> Vec<(ConfigKey, String)> {
        let colors = self.colors.and_then(|colors| colors.to_possible_value());
        let given = [
            (ConfigKey::Theme, self.theme.clone()),
            (
                ConfigKey::Colors,
                colors.map(|colors| colors.get_name().to_owned()),
            ),
            (ConfigKey::Ascii, self.ascii.map(|is| is.to_string())),
            (ConfigKey::Mouse, self.mouse.map(|is| is.to_string())),
            (
                ConfigKey::SearchMemory,
                self.search_memory.map(|count| count.to_string()),
            ),
            (
                ConfigKey::MaxLen,
                self.findings.max_len.map(|count| count.to_string()),
            ),
        ];
        let given = given.into_iter();
        given
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }
}

/// List schemas, explain one, or tell which of them fits a file
///
/// A schema says where prompt, responses and labels stand in a record. There are built-in ones and
/// your own: each .toml file in ~/.config/visavis/schemas/.
#[derive(Debug, Args)]
struct SchemasArgs {
    /// Explain this one, by its name or the path of its file; without, all are listed
    #[arg(value_name = "NAME|FILE.toml")]
    name: Option<String>,

    /// Print the file of the schema instead, to begin one of your own with
    #[arg(long, requires = "name")]
    toml: bool,

    /// List all as a JSON document
    #[arg(long, conflicts_with_all = ["name", "toml", "tried"])]
    json: bool,

    /// Tell for each schema why it does or does not fit this file; `-` is standard input
    #[arg(long = "try", group = "file", value_name = "FILE", conflicts_with_all = ["name", "toml"])]
    tried: Option<PathBuf>,

    /// Print the guess of what stands where in this file as a schema file, to change and keep
    #[arg(long = "guess", group = "file", value_name = "FILE", conflicts_with_all = ["name", "toml", "json"])]
    guessed: Option<PathBuf>,

    /// Take the elements of this list in a JSON document for rows, for instance /examples
    #[arg(long, value_name = "PATH", requires = "file")]
    rows_at: Option<String>,
}

impl SchemasArgs {
    fn task(self) -> SchemasTask {
        if let Some(path) = self.guessed {
            return SchemasTask::Guess(within(input(path), self.rows_at.as_ref()));
        }
        match (self.tried, self.name) {
            (Some(path), _) => SchemasTask::Try(within(input(path), self.rows_at.as_ref())),
            (None, Some(name)) if self.toml => SchemasTask::Toml(name),
            (None, Some(name)) => SchemasTask::Explain(name),
            (None, None) => SchemasTask::List { json: self.json },
        }
    }
}

/// Print a page of the manual, or the list of its topics
#[derive(Debug, Args)]
struct Guide {
    /// Which page, by its name or the beginning of that; without it, all topics are listed
    topic: Option<String>,
}

/// How many colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorsName {
    /// As many as the terminal says it has
    #[default]
    Auto,
    /// None
    None,
    /// The terminal's own 16
    #[value(name = "16")]
    Sixteen,
    /// 256
    #[value(name = "256")]
    TwoHundredFiftySix,
    /// All
    True,
}

/// Where the frame goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Onto the terminal, until the person quits.
    Screen,
    /// One frame, onto standard output (text) and into a file (SVG).
    Frame {
        /// As text onto standard output.
        text: bool,
        /// As SVG into this file.
        svg: Option<PathBuf>,
    },
}

/// What the command line asks for.
#[derive(Debug)]
pub enum Task {
    /// Show the data.
    Browse(Box<Invocation>),
    /// Print a number.
    Count(Box<CountTask>),
    /// Tell what the data is like.
    Stats(Box<StatsTask>),
    /// Say a query in SQL.
    Sql(Box<SqlTask>),
    /// Write samples.
    Export(Box<ExportTask>),
    /// List samples.
    List(Box<ListTask>),
    /// Print a sample.
    Show(Box<ShowTask>),
    /// Draw samples.
    Sample(Box<SampleTask>),
    /// Tell what is suspicious.
    Check(Box<CheckTask>),
    /// Tell how far reviewers agree.
    Agree(Box<AgreeTask>),
    /// List audits.
    Audits(Box<AuditsTask>),
    /// Merge journals.
    MergeJournals(MergeTask),
    /// Tell how two files differ.
    Diff(Box<DiffTask>),
    /// Write the report of an audit.
    Report(Box<ReportTask>),
    /// Tell of schemas.
    Schemas(SchemasTask),
    /// Print the page of this topic, or the list of topics.
    Guide(Option<String>),
    /// Print all keys and commands that are in force in this configuration.
    Keys(Box<Config>),
    /// Print this configuration.
    Config(Box<Config>),
    /// Print a configuration to begin with.
    DefaultConfig,
    /// Print a script that completes what is typed in this shell.
    Completions(ShellName),
    /// Print the page for man with the keys in force in this configuration.
    Man(Box<Config>),
    /// List names for a script of completions; of fields, those of what this loads.
    Complete(CompletedName, Box<Loader>),
}

/// What to tell of schemas.
#[derive(Debug)]
pub enum SchemasTask {
    /// All of them, a line each.
    List {
        /// Whether as a JSON document instead.
        json: bool,
    },
    /// What the one of this name says, in words.
    Explain(String),
    /// The file of the one of this name.
    Toml(String),
    /// Which fit this file, and why the others do not.
    Try(Input),
    /// The guess of this file as the file of a schema.
    Guess(Input),
}

/// How to show the data.
#[derive(Debug)]
pub struct Invocation {
    /// What loads the files; none are named for standard input or the demo.
    pub loader: Loader,
    /// What is set, and the keys in force.
    pub config: Config,
    /// The journals, where they are named: all are read, the first is written.
    pub journal: Vec<PathBuf>,
    /// Whether labels are hidden.
    pub blind: bool,
    /// Words of the audit to begin with, as behind `:audit`; `None`: none.
    pub audit: Option<AuditTask>,
    /// Whether to say everything in lines.
    pub linear: bool,
    /// Whether to begin anew in files that were open before.
    pub fresh: bool,
    /// The sample to begin at.
    pub at: Option<SampleName>,
    /// Keys to play first.
    pub keys: Vec<Key>,
    /// Where the frame goes.
    pub output: Output,
    /// Whether the picture shows all keys, one after the other.
    pub animates: bool,
    /// Size of a frame that is not on the terminal.
    pub size: Size,
}

impl Invocation {
    /// The colours asked for.
    pub fn colors(&self) -> ColorsName {
        let word = self.config.text(ConfigKey::Colors).unwrap_or_default();
        ColorsName::from_str(word, false).unwrap_or_default()
    }

    /// When hidden labels show.
    pub fn reveal(&self) -> RevealName {
        let word = self.config.text(ConfigKey::Reveal).unwrap_or_default();
        RevealName::from_str(word, false).unwrap_or_default()
    }

    /// Who judges, where that is said.
    pub fn reviewer(&self) -> Option<&str> {
        self.config.text(ConfigKey::Reviewer)
    }

    /// Bytes that an index for searches may take; `None`: as many as seem right.
    pub fn search_memory(&self) -> Option<u64> {
        let megabytes = self.config.count(ConfigKey::SearchMemory)?;
        Some(u64::from(megabytes) * 1_000_000)
    }
}

impl CliCommand {
    fn task(self, catalog: CatalogSource<'_>, config: ConfigSource<'_>) -> anyhow::Result<Task> {
        Ok(match self {
            Self::Audit(audit) => {
                let task = AuditTask {
                    words: audit.words(),
                    filter: audit.filter,
                };
                return browse(
                    audit.files,
                    audit.reading,
                    audit.looks,
                    audit.judging,
                    Some(task),
                    catalog,
                    config,
                );
            }
            Self::Count(count) => Task::Count(Box::new(count.task(catalog, config)?)),
            Self::Stats(stats) => Task::Stats(Box::new(stats.task(catalog, config)?)),
            Self::Sql(sql) => Task::Sql(Box::new(sql.task(catalog)?)),
            Self::Export(export) => Task::Export(Box::new(export.task(catalog, config)?)),
            Self::List(list) => Task::List(Box::new(list.task(catalog, config)?)),
            Self::Show(show) => Task::Show(Box::new(show.task(catalog)?)),
            Self::Sample(sample) => Task::Sample(Box::new(sample.task(catalog, config)?)),
            Self::Check(check) => Task::Check(Box::new(check.task(catalog, config)?)),
            Self::Agree(agree) => Task::Agree(Box::new(agree.task(catalog)?)),
            Self::Audits(audits) => Task::Audits(Box::new(audits.task(catalog)?)),
            Self::Journal(journal) => Task::MergeJournals(journal.task()),
            Self::Diff(diff) => Task::Diff(Box::new(diff.task(catalog)?)),
            Self::Report(report) => Task::Report(Box::new(report.task(catalog)?)),
            Self::Schemas(schemas) => Task::Schemas(schemas.task()),
            Self::Guide(Guide { topic }) => Task::Guide(topic),
            Self::Keys => Task::Keys(Box::new(config())),
            Self::Completions(CompletionsArgs { shell }) => Task::Completions(shell),
            Self::Man => Task::Man(Box::new(config())),
            Self::Complete(asked) => {
                let loader = Loader {
                    inputs: asked.files.into_iter().map(input).collect(),
                    choice: SchemaChoice::Detect(catalog()),
                    ..Loader::default()
                };
                Task::Complete(asked.what, Box::new(loader))
            }
            Self::Config(ConfigArgs { default: true, .. }) => Task::DefaultConfig,
            Self::Config(asked) => {
                Task::Config(Box::new(config().with_flags(asked.settings.given())))
            }
        })
    }
}

impl Cli {
    /// Reads a command line, the program's name first; options may stand before a subcommand or
    /// behind it. Of a subcommand that is misspelt `nearest` tells which one is meant.
    ///
    /// # Errors
    /// When it does not read, and where it asks for help.
    pub fn of(arguments: Vec<OsString>, nearest: NearestName) -> Result<Self, clap::Error> {
        let command = Self::command();
        if let Some(misspelt) = misspelt_subcommand(&command, &arguments, nearest) {
            return Err(misspelt);
        }
        let arguments = order::subcommand_first(&command, arguments);
        let mut command = reading_refused(command);
        let mut matches = command.try_get_matches_from_mut(arguments)?;
        if let Some(refused) = refusal(&mut command, &matches) {
            return Err(refused);
        }
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    }

    /// A script that completes what is typed in a shell.
    pub fn completions(shell: ShellName) -> String {
        completions::script(shell, &mut Self::command())
    }

    /// The page for man, in roff: the keys that are listed, in their groups, and the files of the
    /// page of the manual that tells of them.
    pub fn man(keys: &[KeyRow], files: &str) -> std::io::Result<String> {
        man::page(Self::command(), keys, files)
    }

    /// What was typed, as what it means. The schemas that there are come from `catalog`, which is
    /// asked where files are read; what is set for good from `config`, which is asked where it holds.
    ///
    /// # Errors
    /// When `--keys` names no key, `--schema` names no schema, or standard input is named twice.
    pub fn task(
        self,
        catalog: &mut dyn FnMut() -> SchemaCatalog,
        config: &mut dyn FnMut() -> Config,
    ) -> anyhow::Result<Task> {
        match self.command {
            Some(command) => command.task(catalog, config),
            None => {
                let (looks, judging) = (self.looks, self.judging);
                let (files, reading) = (self.files, self.reading);
                browse(files, reading, looks, judging, None, catalog, config)
            }
        }
    }
}

/// The row that `FILE:ROW` means; then only the file is left.
fn row_of(path: &mut PathBuf) -> Option<SampleName> {
    let name = SampleName::of_row(path.to_str()?)?;
    if let SampleName::Row { file, .. } = &name {
        *path = file.into();
    }
    Some(name)
}

fn browse(
    mut files: Vec<PathBuf>,
    reading: ReadingArgs,
    looks: LookArgs,
    judging: JudgingArgs,
    audit: Option<AuditTask>,
    catalog: CatalogSource<'_>,
    config: ConfigSource<'_>,
) -> anyhow::Result<Task> {
    let mut flags = looks.settings.given();
    flags.extend(judging.reviewer.map(|name| (ConfigKey::Reviewer, name)));
    let reveal = judging.reveal.and_then(|reveal| reveal.to_possible_value());
    flags.extend(reveal.map(|word| (ConfigKey::Reveal, word.get_name().to_owned())));
    let output = match (looks.print, looks.svg) {
        (false, None) => Output::Screen,
        (text, svg) => Output::Frame { text, svg },
    };
    let rows = files.iter_mut().filter_map(row_of);
    let at = rows.fold(looks.at, |at, row| at.or(Some(row)));
    if audit.is_some() && at.is_some() {
        anyhow::bail!("an audit begins with its first sample; leave out --at and :ROW");
    }
    let mut loader = reading.loader(files, catalog)?;
    loader.follow = looks.follow;
    if looks.follow && loader.inputs.is_empty() {
        anyhow::bail!(
            "--follow needs a file to which rows are appended; a pipe is read as its rows come"
        );
    }
    Ok(Task::Browse(Box::new(Invocation {
        loader,
        config: config().with_flags(flags),
        journal: judging.journal,
        blind: judging.blind,
        audit,
        linear: looks.linear,
        fresh: looks.fresh,
        at,
        keys: looks
            .keys
            .as_deref()
            .map(keys)
            .transpose()?
            .unwrap_or_default(),
        output,
        animates: looks.animate,
        size: looks.size,
    })))
}

#[cfg(test)]
mod tests;
