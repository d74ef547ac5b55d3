//! The command line: its arguments, and one module for each subcommand.
//!
//! [`Cli`] holds the parsed arguments; [`main`] runs them and returns the exit code.

mod agree;
mod arguments;
mod audit;
mod audits;
mod check;
mod config;
mod count;
mod data;
mod destination;
mod diff;
mod export;
mod guide;
mod journal;
mod journals;
mod keys;
mod list;
mod loading;
mod no_match;
mod output;
mod progress;
mod reading;
mod report;
mod reviewed;
mod sample;
mod schemas;
mod selection;
mod shell;
mod show;
mod sql;
mod stats;
#[cfg(test)]
mod tests;
mod texts;
mod training;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ratatui::buffer::Buffer;

use crate::config::{Config, ConfigKey};
use crate::run::{
    self, Exit, Failure, Invocation, JudgingArgs, LookArgs, ignore_closed_pipe, print_stderr,
};
use crate::schema::SchemaCatalog;
use crate::source::allow_maps;
use crate::text::{self, Hidden};
use reading::ReadingArgs;

const AFTER_LONG_HELP: &str = "\
Examples:
  visavis                                        open the built-in demo
  visavis train.jsonl.gz validation.jsonl.gz     open two files as one dataset
  zcat part-*.gz | visavis                       read a pipe; keys still work
  visavis --map prompt=q,a=one.text,b=two.text x.jsonl    define where the parts are
  visavis --keys 'G' --print --size 120x40 FILE  print the last sample as text
  visavis train.jsonl:27                         open at row 27, as copied with `y`
  visavis export 'is:tie' x.jsonl -o ties.csv    write matching samples as a table
  visavis report x.jsonl -o audit.md             write the report of an audit
  visavis schemas --try x.jsonl                  show which schemas fit a file, and why
  visavis guide filter                           print a guide page (without a name: list)

Keys: ? shows all keys, visavis keys prints them. j k next and previous sample, Space b page through the text, Tab next pane, Enter zoom, f filter, / \
search, 42G go to sample 42, M Markdown, X hidden characters, q quit.

Exit codes: 0 success; 1 something failed while running; 2 the command line or a file is invalid, and nothing was shown; 3 a file changed while it was read.";

/// Read human-preference data face to face, in a terminal
///
/// visavis shows a prompt, its responses side by side, and the labels that annotators gave them.
///
/// It opens HelpSteer2 and WebGPT comparisons as downloaded, and other preference data in JSON
/// Lines, JSON, CSV, TSV or Parquet, plain or compressed with gzip or zstd (detected by content).
/// Several files open as one dataset, in the given order. Without a file, it reads standard input
/// if that is a pipe, and otherwise opens a built-in demo.
#[derive(Debug, Parser)]
#[command(name = "visavis", version, after_long_help = AFTER_LONG_HELP)]
#[command(
    after_help = "See --help for examples, visavis guide for the guide; press ? in the program for its keys."
)]
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

/// Defines the subcommands from a table of variants and argument types. The doc comment of the
/// arguments is the help text; their `run` does the work.
macro_rules! subcommands {
    ($($(#[$attribute:meta])* $name:ident: $args:ty,)*) => {
        /// A subcommand.
        #[derive(Debug, Subcommand)]
        enum CliCommand {
            $($(#[$attribute])* $name(Box<$args>),)*
        }

        impl CliCommand {
            fn run(self, sources: &mut Sources) -> Result<(), Failure> {
                match self {
                    $(Self::$name(args) => args.run(sources),)*
                }
            }
        }
    };
}

// In the order of --help; `GROUPS` names the first subcommand of each group.
subcommands! {
    List: list::ListArgs,
    Show: show::ShowArgs,
    Stats: stats::StatsArgs,
    Diff: diff::DiffArgs,
    Audit: audit::AuditArgs,
    Sample: sample::SampleArgs,
    Check: check::CheckArgs,
    Agree: agree::AgreeArgs,
    Report: report::ReportArgs,
    Audits: audits::AuditsArgs,
    Journal: journal::JournalArgs,
    Count: count::CountArgs,
    Export: export::ExportArgs,
    Sql: sql::SqlArgs,
    Schemas: schemas::SchemasArgs,
    Guide: guide::GuideArgs,
    Keys: keys::KeysArgs,
    Config: config::ConfigArgs,
    Completions: shell::CompletionsArgs,
    Man: shell::ManArgs,
}

/// Headings of --help, each with the first subcommand below it.
const GROUPS: [(&str, &str); 4] = [
    ("Browse", "list"),
    ("Spot-check", "audit"),
    ("Filter", "count"),
    ("Guide and settings", "schemas"),
];

/// Groups the subcommands in --help, because clap can group only options.
fn with_groups(mut command: clap::Command) -> clap::Command {
    let list = command.clone().help_template("{subcommands}").render_help();
    let heading = *command.get_styles().get_header();
    let usage = command.render_usage().ansi().to_string();
    let mut template = format!("{{about-with-newline}}\n{usage}\n");
    for line in list.ansi().to_string().lines() {
        let is_first = |(_, first): &&(&str, &str)| line.contains(&format!("{first}\u{1b}"));
        if let Some((title, _)) = GROUPS.iter().find(is_first) {
            template += &format!("\n{heading}{title}:{heading:#}\n");
        }
        template += &format!("{line}\n");
    }
    template += "\n{all-args}{after-help}";
    let hidden = command.mut_subcommands(|subcommand| subcommand.hide(true));
    hidden.help_template(template)
}

/// The user's own schemas and settings. Faults in them are reported when they are first used, and
/// are not fatal.
#[derive(Debug, Default)]
struct Sources {
    /// True if the user's own schemas are loaded.
    has_home: bool,
    config: Config,
    /// Faults in the settings that are not reported yet.
    wrong: Vec<String>,
    /// Reported faults, which the screen shows again.
    faults: Vec<String>,
}

impl Sources {
    fn of_user() -> Self {
        let mut wrong = Vec::new();
        Self {
            has_home: true,
            config: run::config(&mut wrong),
            wrong,
            faults: Vec::new(),
        }
    }

    /// Returns all schemas and reports faults in the user's own.
    fn catalog(&mut self) -> SchemaCatalog {
        if !self.has_home {
            return SchemaCatalog::default();
        }
        let mut found = Vec::new();
        let catalog = run::catalog(&mut found);
        self.report(found);
        catalog
    }

    /// Returns the settings and reports faults in them.
    fn config(&mut self) -> Config {
        let wrong = std::mem::take(&mut self.wrong);
        self.report(wrong);
        self.config.clone()
    }

    fn report(&mut self, found: Vec<String>) {
        for fault in found {
            if !self.faults.contains(&fault) {
                print_stderr(&fault);
                self.faults.push(fault);
            }
        }
    }
}

impl Cli {
    /// Parses a command line that starts with the program's name. Options may precede or follow the
    /// subcommand.
    ///
    /// # Errors
    /// If it cannot be parsed, or if it requests help.
    fn of(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let arguments = arguments::subcommand_first(&command, arguments)?;
        let mut matches =
            (command.try_get_matches_from_mut(&arguments)).map_err(|error| match error.kind() {
                ErrorKind::DisplayHelp => {
                    let grouped = with_groups(Self::command()).try_get_matches_from(&arguments);
                    grouped.err().unwrap_or(error)
                }
                _ => arguments::explain_option(&mut command, &arguments).unwrap_or(error),
            })?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    }

    fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        match self.command {
            None => {
                let invocation = self.invocation(sources)?;
                run::browse(invocation, std::mem::take(&mut sources.faults))
            }
            Some(command) => {
                // The screen handles signals itself.
                if !matches!(command, CliCommand::Audit(_)) {
                    run::pause_maps_while_stopped();
                }
                command.run(sources)
            }
        }
    }

    /// Returns what to open if no subcommand is given.
    fn invocation(self, sources: &mut Sources) -> anyhow::Result<Invocation> {
        self.reading
            .invocation(self.files, self.looks, self.judging, sources)
    }
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    crate::term::survive_file_limits();
    std::panic::set_hook(Box::new(run::print_panic));
    let cli = match Cli::of(std::env::args_os().collect()) {
        Ok(cli) => cli,
        // --help and --version contain only our own text.
        Err(asked) if !asked.use_stderr() => {
            let printed = asked.print().and_then(|()| std::io::stdout().flush());
            return exit_code(printed.or_else(ignore_closed_pipe));
        }
        Err(wrong) => {
            // The message quotes the arguments, which may contain a file name with escape
            // sequences.
            let message = text::sanitise(&wrong.to_string(), Hidden::Shown);
            let _ = write!(std::io::stderr(), "{}", message.as_str());
            return Exit::Usage.into();
        }
    };
    let mut sources = Sources::of_user();
    allow_maps(sources.config.text(ConfigKey::Map) != Some("never"));
    exit_code(cli.run(&mut sources))
}

/// Prints why the program failed, if it did.
fn exit_code(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => Exit::Success.into(),
        Err(failed) => {
            failed.reason.iter().for_each(|reason| print_stderr(reason));
            failed.exit.into()
        }
    }
}

/// Parses arguments (without the program's name), ignoring the user's schemas and settings.
///
/// # Errors
/// If they cannot be parsed, or name a subcommand.
pub fn without_home<'a>(
    arguments: impl IntoIterator<Item = &'a str>,
) -> anyhow::Result<Invocation> {
    let program = ["visavis", "--print"].into_iter();
    let cli = Cli::try_parse_from(program.chain(arguments))?;
    if cli.command.is_some() {
        anyhow::bail!(texts::SUBCOMMAND_FRAME);
    }
    cli.invocation(&mut Sources::default())
}

/// Renders the frame that `--print` or `--svg` writes for these arguments (without the program's
/// name).
///
/// # Errors
/// With the message that the program would print on standard error.
pub fn render<'a>(arguments: impl IntoIterator<Item = &'a str>) -> anyhow::Result<Buffer> {
    run::render(without_home(arguments)?)
        .map_err(|failed| anyhow::anyhow!(failed.reason.unwrap_or_default()))
}
