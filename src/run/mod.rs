//! The loop: messages in, one frame a batch, requests to the terminal.

mod diff;
mod driver;
mod event_loop;
mod files;
mod frame;
mod held;
mod home;
mod indexing;
mod journal_config;
mod journal_writer;
mod linear;
mod manual;
mod outside;
mod progress_bar;
mod querying;
mod rules;
mod saved;
mod schemas;
mod screen;
mod session_keeper;
mod settings;
mod sql;
mod state_store;
mod stats;
mod subcommands;
#[cfg(test)]
mod tests;
mod turn_times;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::RefCell;
use std::fmt::Display;
use std::io::{IsTerminal, Write, stdin, stdout};
use std::panic::PanicHookInfo;
use std::process::ExitCode;

use clap::Parser;
use ratatui::buffer::Buffer;

use crate::app::{App, Blind, Help, ListDisplay, PendingOpening, ViewOptions};
use crate::cli::{
    Cli, CliCommand, ColorsName, Invocation, JournalCommand, NearestName, Output, RevealName,
    Sources,
};
use crate::commands::{self, SelectionError};
use crate::config::{self, Config, ConfigKey, ValueOrigin};
use crate::dataset::Loader;
use crate::journal::Reveal;
use crate::query::QueryError;
use crate::schema::SchemaCatalog;
use crate::source::{Input, allow_maps, is_panic_caught, pause_maps};
use crate::term;
use crate::text::{self, Hidden};
use crate::ui::{self, ColorDepth, Glyphs, Look, Preset};
use settings::ChosenTheme;
pub use turn_times::{PlayedKeys, StepTimes, time_turns};

/// The demo, compiled in: it opens without a file and without a network.
const DEMO: [(&str, &[u8]); 2] = [
    (
        "demo: helpsteer2.jsonl",
        include_bytes!("../../assets/demo/helpsteer2.jsonl"),
    ),
    (
        "demo: webgpt.jsonl",
        include_bytes!("../../assets/demo/webgpt.jsonl"),
    ),
];

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All went well.
    Success = 0,
    /// Something failed on the way.
    Failure = 1,
    /// The command line or a file is not right, and nothing was shown.
    Usage = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why the program ends early, and with which exit code.
#[derive(Debug)]
struct Failed {
    exit: u8,
    /// What to say; nothing where the one who ended it knows why.
    reason: Option<String>,
}

impl Failed {
    /// What is wrong with files: an exit code of its own has what changes while it is read, which
    /// is nobody's slip.
    fn of_files(error: &anyhow::Error) -> Self {
        if commands::is_change(error) {
            Self::on_the_way(format!("{error:#}"))
        } else {
            Self::usage(format!("{error:#}"))
        }
    }

    /// Why a query has no answer.
    fn of_selection(query: &str, error: &SelectionError) -> Self {
        match error {
            SelectionError::Files(error) => Self::of_files(error),
            SelectionError::Query(error) => Self::usage(pointed_out(query, error)),
        }
    }

    fn usage(reason: impl Display) -> Self {
        Self {
            exit: Exit::Usage as u8,
            reason: Some(reason.to_string()),
        }
    }

    fn on_the_way(reason: impl Display) -> Self {
        Self {
            exit: Exit::Failure as u8,
            reason: Some(reason.to_string()),
        }
    }

    /// Whoever ended the program knows why.
    fn silently(exit: u8) -> Self {
        Self { exit, reason: None }
    }
}

/// The exit code of a program that a signal ended, as shells count it.
fn by_signal(number: i32) -> u8 {
    128 + u8::try_from(number).unwrap_or_default()
}

/// Runs the program as the command line says.
pub fn main() -> ExitCode {
    term::survive_file_limits();
    std::panic::set_hook(Box::new(say_panic));
    let nearest: NearestName = |typed, names| text::nearest(typed, names.iter().copied());
    let cli = match Cli::of(std::env::args_os().collect(), nearest) {
        Ok(cli) => cli,
        // --help and --version are the program's own words.
        Err(asked) if !asked.use_stderr() => asked.exit(),
        Err(wrong) => {
            // The message quotes what was typed, and a file's name can be what was typed.
            let message = text::sanitise(&wrong.to_string(), Hidden::Shown);
            let _ = write!(std::io::stderr(), "{}", message.as_str());
            return Exit::Usage.into();
        }
    };
    let mut wrong = Vec::new();
    let config = settings::config(&mut wrong);
    allow_maps(config.text(ConfigKey::Map) != Some("never"));
    // What is wrong with schemas and settings of the user's own stops nothing; where a screen opens it
    // says so too. Commands without settings do not report what is wrong with them.
    let faults = RefCell::new(Vec::new());
    let report = |found: &[String]| {
        let mut faults = faults.borrow_mut();
        for fault in found {
            if !faults.contains(fault) {
                complain(fault);
                faults.push(fault.clone());
            }
        }
    };
    let mut sources = Sources {
        catalog: &mut || {
            let mut found = Vec::new();
            let catalog = schemas::catalog(&mut found);
            report(&found);
            catalog
        },
        config: &mut || {
            report(&wrong);
            config.clone()
        },
    };
    let done = run(cli, &mut sources, &faults);
    match done {
        Ok(()) => Exit::Success.into(),
        Err(failed) => {
            if let Some(reason) = failed.reason {
                complain(&reason);
            }
            failed.exit.into()
        }
    }
}

/// Does what the command line says; `faults` are those of the user's own files that were reported so far.
fn run(cli: Cli, sources: &mut Sources<'_>, faults: &RefCell<Vec<String>>) -> Result<(), Failed> {
    let command = match cli.command {
        None => {
            let invocation = cli.invocation(sources).map_err(Failed::usage)?;
            return browse(invocation, faults.take());
        }
        Some(CliCommand::Audit(audit)) => {
            let invocation = audit.invocation(sources).map_err(Failed::usage)?;
            return browse(invocation, faults.take());
        }
        Some(command) => command,
    };
    pause_maps_while_stopped();
    match command {
        CliCommand::Audit(_) => Ok(()), // above
        CliCommand::Count(args) => subcommands::count(&args, sources),
        CliCommand::Stats(args) => stats::stats(&args, sources),
        CliCommand::Sql(args) => sql::sql(&args, sources),
        CliCommand::Export(args) => saved::export(*args, sources),
        CliCommand::List(args) => subcommands::list(&args, sources),
        CliCommand::Show(args) => subcommands::show(args, sources),
        CliCommand::Sample(args) => saved::sample(&args, sources),
        CliCommand::Check(args) => subcommands::check(*args, sources),
        CliCommand::Agree(args) => subcommands::agree(&args, sources),
        CliCommand::Audits(args) => subcommands::audits(&args, sources),
        CliCommand::Journal(args) => {
            let JournalCommand::Merge(args) = &args.command;
            subcommands::merge_journals(args)
        }
        CliCommand::Diff(args) => diff::diff(&args, sources),
        CliCommand::Report(args) => saved::report(&args, sources),
        CliCommand::Schemas(args) => schemas::tell(&args),
        CliCommand::Guide(args) => manual::guide(args.topic.as_deref()),
        CliCommand::Keys => manual::keys((sources.config)().keymap()),
        CliCommand::Config(args) if args.default => manual::put(&config::commented()),
        CliCommand::Config(args) => {
            let config = (sources.config)().with_flags(args.settings.given());
            settings::tell(config, !faults.borrow().is_empty())
        }
        CliCommand::Completions(args) => manual::put(&Cli::completions(args.shell)),
        CliCommand::Man => manual::man((sources.config)().keymap()),
        CliCommand::Complete(args) => manual::names(args.what, &args.loader(sources)),
    }
}

/// Says what is wrong on standard error. A message can quote a file's name or contents: neither may
/// control the terminal.
fn complain(reason: &str) {
    // Not `eprintln`, which panics where nobody reads it.
    let _ = writeln!(
        std::io::stderr(),
        "visavis: {}",
        text::one_line(reason, 2000)
    );
}

/// Says where and why a thread panicked. The message can quote a file, which must not control the
/// terminal.
fn say_panic(info: &PanicHookInfo<'_>) {
    if is_panic_caught() {
        return;
    }
    let thread = std::thread::current();
    let trace = match Backtrace::capture() {
        trace if trace.status() == BacktraceStatus::Captured => format!("\n{trace}"),
        _ => String::new(),
    };
    let said = format!(
        "thread '{}' {info}{trace}",
        thread.name().unwrap_or("without a name")
    );
    let said = text::sanitise(&said, Hidden::Shown);
    // Not `eprintln`, which panics where nobody reads it.
    let _ = writeln!(std::io::stderr(), "{}", said.as_str());
}

/// The message of a query's error with the place that it speaks of.
fn pointed_out(query: &str, error: &QueryError) -> String {
    let at = query
        .get(..error.span.start)
        .map_or(1, |before| before.chars().count() + 1);
    match query
        .get(error.span.clone())
        .filter(|place| !place.is_empty())
    {
        Some(place) => format!("the query, at character {at} ({place}): {error}"),
        None => format!("the query, at its character {at}: {error}"),
    }
}

/// The frame that `--print` or `--svg` would write for these arguments (without the program's
/// name).
///
/// # Errors
/// As the program would say it on standard error.
pub fn render<'a>(arguments: impl IntoIterator<Item = &'a str>) -> anyhow::Result<Buffer> {
    let program = std::iter::once("visavis");
    let mut invocation = without_home(program.chain(["--print"]).chain(arguments))?;
    let loader = loader(&mut invocation);
    let (store, memory) = Default::default();
    frame::render(
        &invocation,
        loader,
        store,
        memory,
        journal_writer::JournalConfig::default(),
    )
    .map_err(|failed| anyhow::anyhow!(failed.reason.unwrap_or_default()))
}

/// What is shown for these arguments, without the user's own schemas and settings.
fn without_home<'a>(arguments: impl Iterator<Item = &'a str>) -> anyhow::Result<Invocation> {
    let cli = Cli::try_parse_from(arguments)?;
    if cli.command.is_some() {
        anyhow::bail!("a subcommand has no frame");
    }
    cli.invocation(&mut Sources {
        catalog: &mut SchemaCatalog::default,
        config: &mut Config::default,
    })
}

/// The cells of a frame as lines, without the blanks at their ends: what `--print` writes.
pub fn plain_text(buffer: &Buffer) -> String {
    frame::plain_text(buffer)
}

fn browse(mut invocation: Invocation, mut faults: Vec<String>) -> Result<(), Failed> {
    // A screen watches signals itself.
    if invocation.output != Output::Screen {
        pause_maps_while_stopped();
    }
    let is_linear = invocation.output == Output::Screen && linear::is_wanted(&invocation);
    if invocation.output == Output::Screen && !is_linear && !stdout().is_terminal() {
        return Err(Failed::usage(
            "standard output is not a terminal; --print writes one frame as text, --svg FILE as a picture",
        ));
    }
    journal_config::check_journals(&invocation.journal)?;
    if let Some(wrong) = settings::leave_out_wrong_theme(&mut invocation.config)? {
        complain(&wrong);
        faults.push(wrong);
    }
    let known = faults.len();
    rules::rules(None, &mut faults);
    faults[known..].iter().for_each(|fault| complain(fault));
    // There standard input is what is typed.
    if is_linear && invocation.loader.inputs.is_empty() {
        invocation.loader.inputs = demo();
    }
    let loader = loader(&mut invocation);
    match invocation.output.clone() {
        Output::Screen if is_linear => linear::run(&invocation, loader, faults),
        Output::Screen => screen::run(&invocation, loader, faults),
        Output::Frame { text, svg } => frame::run(&invocation, loader, text, svg.as_deref()),
    }
}

fn loader(invocation: &mut Invocation) -> Loader {
    let loader = std::mem::take(&mut invocation.loader);
    Loader {
        inputs: inputs_or_default(loader.inputs),
        ..loader
    }
}

/// A loader of the files named, else of standard input. Never of the demo: a script whose file name
/// is empty would get its number, or its rows, all the same.
///
/// # Errors
/// When nothing is named and nothing comes from standard input; `to` says what files are named for.
fn loader_or_stdin(loader: Loader, to: &str) -> Result<Loader, Failed> {
    let inputs = match loader.inputs {
        none if none.is_empty() && !stdin_has_data() => {
            return Err(Failed::usage(format!(
                "name the files to {to}, or send one to standard input"
            )));
        }
        none if none.is_empty() => vec![Input::Stdin],
        named => named,
    };
    Ok(Loader { inputs, ..loader })
}

/// Lets `^Z` stop a process without a screen only while it holds no lease: writers would wait for it.
fn pause_maps_while_stopped() {
    if term::pause_while_stopped(pause_maps).is_err() {
        allow_maps(false);
    }
}

/// Without a named file: standard input where something comes from it, else the demo.
fn inputs_or_default(named: Vec<Input>) -> Vec<Input> {
    if !named.is_empty() {
        return named;
    }
    if !stdin().is_terminal() && stdin_has_data() {
        return vec![Input::Stdin];
    }
    demo()
}

fn demo() -> Vec<Input> {
    DEMO.iter()
        .map(|&(name, bytes)| Input::Embedded { name, bytes })
        .collect()
}

/// Whether standard input is a pipe, a socket or a file, and not `/dev/null` or closed.
fn stdin_has_data() -> bool {
    use rustix::fs::{FileType, fstat};
    fstat(stdin()).is_ok_and(|stat| {
        matches!(
            FileType::from_raw_mode(stat.st_mode),
            FileType::Fifo | FileType::Socket | FileType::RegularFile
        )
    })
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A program without data for a person who is introduced to it.
fn app(size: (u16, u16), invocation: &Invocation, reviewer: &str) -> App {
    let mut app = App::new(size, view(invocation), help(invocation));
    // What is wrong with them was said when the program began.
    let config = &invocation.config;
    let max_len = config.count(ConfigKey::MaxLen);
    app.set_rules(rules::rules(max_len, &mut Vec::new()));
    if let Some(name) = &invocation.at {
        app.browser_mut().begin_at(name.clone());
    }
    let list = config.text(ConfigKey::List).and_then(ListDisplay::named);
    let columns = config.count(ConfigKey::ListWidth);
    app.browser_mut().set_list(
        list.unwrap_or_default(),
        columns.map(|columns| columns.try_into().unwrap_or(u16::MAX)),
    );
    let blind = invocation.blind.then_some(Blind {
        reveal: reveal(invocation),
        strict: true,
    });
    let asked = invocation.audit.clone();
    let filter = asked
        .as_ref()
        .map(|audit| audit.filter.clone())
        .filter(|filter| !filter.is_empty());
    app.introduce(
        reviewer,
        blind,
        PendingOpening {
            filter,
            audit: asked.map(|audit| audit.words),
        },
    );
    app
}

fn reveal(invocation: &Invocation) -> Reveal {
    match invocation.reveal() {
        RevealName::After => Reveal::After,
        RevealName::End => Reveal::End,
        RevealName::Never => Reveal::Never,
    }
}

fn view(invocation: &Invocation) -> ViewOptions {
    let glyphs = if is_ascii(invocation) {
        text::TextGlyphs::ASCII
    } else {
        text::TextGlyphs::UNICODE
    };
    let config = &invocation.config;
    ViewOptions {
        markdown: config.is_on(ConfigKey::Markdown),
        hidden: if config.is_on(ConfigKey::Hidden) {
            Hidden::Shown
        } else {
            Hidden::Discreet
        },
        unfolded: !config.is_on(ConfigKey::Folds),
        locked: config.is_on(ConfigKey::Lock),
        glyphs,
    }
}

/// The keys and the signs.
fn help(invocation: &Invocation) -> Help {
    let mut help = invocation.config.keymap().help();
    help.groups.push(ui::legend(glyphs(invocation)));
    help
}

fn glyphs(invocation: &Invocation) -> &'static Glyphs {
    if is_ascii(invocation) {
        &Glyphs::ASCII
    } else {
        &Glyphs::UNICODE
    }
}

fn is_ascii(invocation: &Invocation) -> bool {
    invocation.config.is_on(ConfigKey::Ascii)
        || (invocation.output == Output::Screen && Glyphs::detect(&environment) == Glyphs::ASCII)
}

/// How many colours a frame has.
fn depth(invocation: &Invocation) -> ColorDepth {
    let is_screen = invocation.output == Output::Screen;
    // What NO_COLOR says of the terminal says nothing of a picture.
    let is_of_terminal = *invocation.config.origin(ConfigKey::Colors)
        == ValueOrigin::Environment("NO_COLOR".to_owned());
    match invocation.colors() {
        ColorsName::None if !is_screen && is_of_terminal => ColorDepth::True,
        // A picture has all colours, whatever terminal it is made from.
        ColorsName::Auto if !is_screen => ColorDepth::True,
        ColorsName::Auto => ColorDepth::detect(&environment),
        ColorsName::None => ColorDepth::None,
        ColorsName::Sixteen => ColorDepth::Ansi16,
        ColorsName::TwoHundredFiftySix => ColorDepth::Ansi256,
        ColorsName::True => ColorDepth::True,
    }
}

/// The look for a screen with this background where the person did not choose.
fn look(invocation: &Invocation, auto: Preset) -> Look {
    Look {
        theme: chosen_theme(invocation).theme(auto, depth(invocation)),
        glyphs: *glyphs(invocation),
    }
}

/// The theme that the person chose; what is wrong with it was said when the run began.
fn chosen_theme(invocation: &Invocation) -> ChosenTheme {
    ChosenTheme::of(&invocation.config).unwrap_or(ChosenTheme::Auto)
}
