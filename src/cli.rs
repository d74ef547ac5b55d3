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

pub use check::{CheckArgs, CheckFormat, FailOn};
pub use completions::{CompleteArgs, CompletedName};
pub use data::{DataTask, OutputArgs, SelectionArgs};
pub use diff::DiffArgs;
use judging::JudgingArgs;
pub use judging::{AuditArgs, AuditTask, RevealName};
pub use misspelt::NearestName;
use misspelt::misspelt_subcommand;
pub use reading::Sources;
use reading::{ReadingArgs, input, within};
use refused::{reading_refused, refusal};
pub use report::{AgreeArgs, AuditsArgs, JournalArgs, JournalCommand, MergeArgs, ReportArgs};
pub use selection::{CountArgs, ExportArgs, ListArgs, SampleArgs, SamplingArgs, ShowArgs};
pub use size::Size;
pub use sql::{DialectName, SqlArgs};
pub use stats::{StatsArgs, StatsFormat};
pub use training::{CorrectionName, TrainerName};

use crate::config::{Config, ConfigKey};
use crate::dataset::{Loader, SampleName};
use crate::keymap::{Key, KeyRow, keys};
use crate::schema::SchemaChoice;
use crate::source::Input;

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
    pub(crate) command: Option<CliCommand>,

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
pub struct SettingArgs {
    /// Colours: auto, dark, light, plain, or a theme file of your own
    ///
    /// auto asks the terminal for its background. A name is that of a file in
    /// ~/.config/visavis/themes/, without its .toml; what has a / or ends in .toml is a path.
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub theme: Option<String>,

    /// How many colours to use
    #[arg(long, value_enum)]
    pub colors: Option<ColorsName>,

    /// Draw with ASCII signs alone
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", hide_possible_values = true)]
    pub ascii: Option<bool>,

    /// Take clicks and the wheel (the terminal's own selection then needs Shift)
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", hide_possible_values = true)]
    pub mouse: Option<bool>,

    /// Megabytes of memory for the index that makes searches fast; 0 makes none
    ///
    /// The limit includes what building the index needs. The default is a quarter of the text's
    /// size, at least 64 MB and at most 512 MB. Samples for which there is no room are found by
    /// reading their texts.
    #[arg(long, value_name = "MB")]
    pub search_memory: Option<u32>,

    #[command(flatten)]
    pub findings: FindingArgs,
}

/// What rules of findings need to know.
#[derive(Debug, Default, Args)]
pub struct FindingArgs {
    /// Characters of a response that training keeps: the rule identical-when-cut finds pairs that
    /// are the same up to there
    #[arg(long, value_name = "N")]
    pub max_len: Option<u32>,
}

impl FindingArgs {
    /// The characters that training keeps, as said or else as set for good, which is looked up only
    /// where a query asks for findings.
    fn max_len(&self, query: &str, sources: &mut Sources<'_>) -> Option<u32> {
        let query = query.to_lowercase();
        let asks = query.contains("finding") || query.contains("suspicion");
        self.max_len
            .or_else(|| asks.then(|| (sources.config)())?.count(ConfigKey::MaxLen))
    }
}

/// How everything looks, and where it is shown.
#[derive(Debug, Args)]
pub struct LookArgs {
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Begin at the first sample, not where you were when these files were open last
    #[arg(long)]
    pub fresh: bool,

    /// Begin at this sample: its number, its key as `y` copies it, or an id that its rows have
    ///
    /// FILE:ROW in place of FILE begins at a row.
    #[arg(long, value_name = "N|KEY|ID")]
    at: Option<SampleName>,

    /// Show rows that are appended to the files while they are open; for plain JSON Lines
    #[arg(long, conflicts_with_all = ["print", "svg"])]
    pub follow: bool,

    /// Say everything in lines of text, and take keys and commands as lines, as a screen reader
    /// needs it
    #[arg(long, conflicts_with_all = ["print", "svg"])]
    pub linear: bool,

    /// Play these keys first
    #[arg(
        long,
        value_name = "KEYS",
        help = "Play these keys first, for instance 'jj<enter><c-d>'"
    )]
    pub keys: Option<String>,

    /// Print one frame as text instead of opening the screen
    #[arg(long)]
    pub print: bool,

    /// Write one frame as an SVG picture instead of opening the screen
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Animate the picture of --svg: it shows each of the --keys being pressed
    #[arg(long, requires = "svg")]
    pub animate: bool,

    /// Size of the frame for --print and --svg
    #[arg(long, value_name = "WxH", default_value = "120x40")]
    pub size: Size,
}

/// What to do instead of opening the screen.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
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
    Guide(GuideArgs),
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
pub struct CompletionsArgs {
    /// Which shell
    pub shell: ShellName,
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
pub struct ConfigArgs {
    /// Print a file with every setting at its default instead, to begin one of your own with
    #[arg(long)]
    pub default: bool,

    #[command(flatten)]
    pub settings: SettingArgs,
}

impl SettingArgs {
    /// The settings that were given.
    pub fn given(&self) -> Vec<(ConfigKey, String)> {
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
pub struct SchemasArgs {
    /// Explain this one, by its name or the path of its file; without, all are listed
    #[arg(value_name = "NAME|FILE.toml")]
    pub name: Option<String>,

    /// Print the file of the schema instead, to begin one of your own with
    #[arg(long, requires = "name")]
    pub toml: bool,

    /// List all as a JSON document
    #[arg(long, conflicts_with_all = ["name", "toml", "tried"])]
    pub json: bool,

    /// Tell for each schema why it does or does not fit this file; `-` is standard input
    #[arg(long = "try", group = "file", value_name = "FILE", conflicts_with_all = ["name", "toml"])]
    pub tried: Option<PathBuf>,

    /// Print the guessed layout of this file as a schema file, to change and keep
    #[arg(long = "guess", group = "file", value_name = "FILE", conflicts_with_all = ["name", "toml", "json"])]
    pub guessed: Option<PathBuf>,

    /// Take the elements of this list in a JSON document for rows, for instance /examples
    #[arg(long, value_name = "PATH", requires = "file")]
    pub rows_at: Option<String>,
}

/// Print a page of the manual, or the list of its topics
#[derive(Debug, Args)]
pub struct GuideArgs {
    /// Which page, by its name or the beginning of that; without it, all topics are listed
    pub topic: Option<String>,
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

    /// What is shown where no subcommand is named.
    ///
    /// # Errors
    /// When `--keys` names no key, `--schema` names no schema, or standard input is named twice.
    pub fn invocation(self, sources: &mut Sources<'_>) -> anyhow::Result<Invocation> {
        let (looks, judging) = (self.looks, self.judging);
        browse(self.files, &self.reading, looks, judging, None, sources)
    }
}

impl AuditArgs {
    /// What is shown, and the audit that it begins with.
    ///
    /// # Errors
    /// As of [`Cli::invocation`].
    pub fn invocation(self, sources: &mut Sources<'_>) -> anyhow::Result<Invocation> {
        let task = AuditTask {
            words: self.words(),
            filter: self.filter,
        };
        let (looks, judging) = (self.looks, self.judging);
        browse(
            self.files,
            &self.reading,
            looks,
            judging,
            Some(task),
            sources,
        )
    }
}

impl SchemasArgs {
    /// The file that schemas are tried on, or guessed from.
    pub fn input(&self) -> Option<Input> {
        let file = self.tried.as_ref().or(self.guessed.as_ref())?;
        Some(within(input(file.clone()), self.rows_at.as_ref()))
    }
}

impl CompleteArgs {
    /// What loads the files whose fields are asked for.
    pub fn loader(self, sources: &mut Sources<'_>) -> Loader {
        Loader {
            inputs: self.files.into_iter().map(input).collect(),
            choice: SchemaChoice::Detect((sources.catalog)()),
            ..Loader::default()
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
    reading: &ReadingArgs,
    looks: LookArgs,
    judging: JudgingArgs,
    audit: Option<AuditTask>,
    sources: &mut Sources<'_>,
) -> anyhow::Result<Invocation> {
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
    let mut loader = reading.loader(&files, sources)?;
    loader.follow = looks.follow;
    if looks.follow && loader.inputs.is_empty() {
        anyhow::bail!(
            "--follow needs a file to which rows are appended; a pipe is read as its rows come"
        );
    }
    Ok(Invocation {
        loader,
        config: (sources.config)().with_flags(flags),
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
    })
}

#[cfg(test)]
mod tests;
