//! The program's main loop: messages in, one frame per batch, requests to the terminal.
//!
//! A [`Driver`] performs the effects of [`crate::app::update`] for a [`Frontend`]: the screen,
//! linear mode or played keys. [`browse`] opens the files and starts it.

mod driver;
mod event_loop;
mod failure;
mod files;
mod frame;
mod held_key;
mod home;
mod hub;
mod invocation;
mod journal_config;
mod journal_writer;
mod linear;
mod rules;
mod schemas;
mod screen;
mod session_keeper;
mod settings;
mod state_store;
mod subprocess;
#[cfg(test)]
mod tests;
mod texts;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{IsTerminal, Write, stdin, stdout};
use std::panic::PanicHookInfo;

use ratatui::buffer::Buffer;

use crate::app::{App, Blind, Help, ListDisplay, Message, SampleTarget, ViewOptions};
use crate::config::{ConfigKey, ValueOrigin};
use crate::dataset::Loader;
use crate::source::{Input, allow_maps, is_panic_caught, pause_maps};
use crate::term;
use crate::text::{self, Hidden};
use crate::ui::{self, ColorDepth, Glyphs, Look, Preset};
pub use driver::{Driver, LoopEvent};
pub use event_loop::{Frontend, LoopEnd, is_settled};
pub(crate) use failure::{Exit, Failure, ignore_closed_pipe, print_stderr, signal_exit_code};
pub(crate) use frame::check_picture;
pub use frame::plain_text;
pub(crate) use hub::{files_of, hub_name};
pub(crate) use invocation::{FindingArgs, Invocation, JudgingArgs, LookArgs, SettingArgs, one_of};
pub(crate) use journal_config::Journal;
pub(crate) use rules::rules_with_warnings;
pub(crate) use schemas::{catalog, name_for, schema_folder};
use settings::ChosenTheme;
pub(crate) use settings::{config, display_path, remove_invalid_theme};

/// The demo, compiled in so that it needs neither a file nor a network.
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

/// Prints where and why a thread panicked. The message is sanitised because it may quote a file.
pub(crate) fn print_panic(info: &PanicHookInfo<'_>) {
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
    // Not `eprintln`, which panics if standard error is closed.
    let _ = writeln!(std::io::stderr(), "{}", said.as_str());
}

/// Shows what the command line requests; `faults` are reported faults of the user's own files.
///
/// # Errors
/// If the command line or a file is invalid, or something fails while running.
pub(crate) fn browse(mut invocation: Invocation, mut faults: Vec<String>) -> Result<(), Failure> {
    let is_screen = invocation.is_screen();
    // The screen handles signals itself.
    if !is_screen {
        pause_maps_while_stopped();
    }
    let is_linear = is_screen
        && (invocation.looks.linear || environment("ACCESSIBLE").is_some_and(|value| value == "1"));
    if is_screen && !is_linear && !stdout().is_terminal() {
        return Err(Failure::usage(texts::NO_TERMINAL));
    }
    journal_config::check_journals(&invocation.judging.journal)?;
    if let Some(wrong) = remove_invalid_theme(&mut invocation.config)? {
        print_stderr(&wrong);
        faults.push(wrong);
    }
    let known = faults.len();
    rules::rules(None, &mut faults);
    faults[known..].iter().for_each(|fault| print_stderr(fault));
    // In linear mode, standard input is the user's input.
    if is_linear && invocation.loader.inputs.is_empty() {
        invocation.loader.inputs = demo();
    }
    let loader = loader(&mut invocation);
    match (is_screen, is_linear) {
        (_, true) => linear::run(&invocation, loader, faults),
        (true, _) => screen::run(&invocation, loader, faults),
        _ => frame::run(&invocation, loader),
    }
}

/// Returns the frame that `--print` or `--svg` would write.
///
/// # Errors
/// If there is nothing to show.
pub(crate) fn render(mut invocation: Invocation) -> Result<Buffer, Failure> {
    let loader = loader(&mut invocation);
    let (store, memory) = Default::default();
    let recorded = frame::record(&invocation, loader, store, memory, Default::default());
    recorded.map(|(frame, _)| frame)
}

/// Runs the loop with another frontend than a terminal.
///
/// # Errors
/// With the message that the program would print on standard error.
pub fn drive(mut invocation: Invocation, frontend: &mut impl Frontend) -> anyhow::Result<()> {
    let loader = loader(&mut invocation);
    let app = app(invocation.looks.size, &invocation, "");
    let (store, config) = Default::default();
    let mut driver = Driver::start(app, loader, store, config);
    match event_loop::run(&mut driver, frontend)? {
        LoopEnd::Quit | LoopEnd::Signal(_) => Ok(()),
        LoopEnd::Nothing(reason) => anyhow::bail!("{reason}"),
        LoopEnd::Panicked => anyhow::bail!("a thread panicked"),
    }
}

fn loader(invocation: &mut Invocation) -> Loader {
    let loader = std::mem::take(&mut invocation.loader);
    Loader {
        inputs: inputs_or_default(loader.inputs),
        ..loader
    }
}

/// Returns a loader of the named files, or else of standard input. Never of the demo, because a
/// script whose file name is empty would silently get results of the demo.
///
/// # Errors
/// If there is neither a file nor piped input; `to` says what the files are for.
pub(crate) fn loader_or_stdin(loader: Loader, to: &str) -> Result<Loader, Failure> {
    let inputs = match loader.inputs {
        none if none.is_empty() && !stdin_has_data() => {
            return Err(Failure::usage(texts::no_input(to)));
        }
        none if none.is_empty() => vec![Input::Stdin],
        named => named,
    };
    Ok(Loader { inputs, ..loader })
}

/// On `^Z`, releases file leases before a process without a screen stops: writers would wait for
/// them.
pub(crate) fn pause_maps_while_stopped() {
    if term::pause_while_stopped(pause_maps).is_err() {
        allow_maps(false);
    }
}

/// Returns the named files; without any, standard input if it has data, else the demo.
pub(crate) fn inputs_or_default(named: Vec<Input>) -> Vec<Input> {
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

/// True if standard input is a pipe, a socket or a file (not `/dev/null` or closed).
fn stdin_has_data() -> bool {
    use rustix::fs::{FileType, fstat};
    fstat(stdin()).is_ok_and(|stat| {
        matches!(
            FileType::from_raw_mode(stat.st_mode),
            FileType::Fifo | FileType::Socket | FileType::RegularFile
        )
    })
}

pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns the initial state, without data.
fn app(size: (u16, u16), invocation: &Invocation, reviewer: &str) -> App {
    let mut app = App::new(size, view(invocation), help(invocation));
    // Faults in the bindings were reported at start.
    let config = &invocation.config;
    let max_len = config.count(ConfigKey::MaxLen);
    app.data.rules = rules::rules(max_len, &mut Vec::new());
    app.data.word_index.memory = invocation.search_memory();
    if let Some(name) = &invocation.looks.at {
        app.seek_for(Some(SampleTarget::Named(name.clone())));
    }
    let list = config.text(ConfigKey::List).and_then(ListDisplay::named);
    let columns = config.count(ConfigKey::ListWidth);
    app.layout.list = list.unwrap_or_default();
    app.layout.list_width = columns.map(|columns| columns.try_into().unwrap_or(u16::MAX));
    let blind = invocation.judging.blind.then_some(Blind {
        reveal: invocation.reveal(),
        strict: true,
    });
    app.settings.themes = settings::theme_choice(config, colorless(invocation));
    app.introduce(reviewer, blind, invocation.opening.clone());
    app
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
        stacked: config.is_on(ConfigKey::Stacked),
        glyphs,
    }
}

/// Returns the content of the help page: keys and symbols.
fn help(invocation: &Invocation) -> Help {
    let mut help = invocation.config.keymap().help();
    help.signs = ui::legend(glyphs(invocation));
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
        || (invocation.is_screen() && Glyphs::detect(&environment) == Glyphs::ASCII)
}

/// Returns the colour depth of a frame.
fn depth(invocation: &Invocation) -> ColorDepth {
    let is_screen = invocation.is_screen();
    invocation.colors().unwrap_or_else(|| match is_screen {
        true => ColorDepth::detect(&environment),
        // A picture has all colours, independent of the terminal.
        false => ColorDepth::True,
    })
}

/// The look of a theme on a terminal.
struct ThemedLook<'i> {
    invocation: &'i Invocation,
    theme: ChosenTheme,
    /// The preset for the terminal's background; `None` if unknown.
    terminal: Option<Preset>,
    look: Look,
}

impl<'i> ThemedLook<'i> {
    /// Returns the look of the configured theme; faults in it were reported at start.
    fn new(invocation: &'i Invocation, terminal: Option<Preset>) -> Self {
        let theme = ChosenTheme::of(&invocation.config).unwrap_or_else(|_| ChosenTheme::auto());
        Self {
            look: Look {
                theme: theme.theme(terminal, depth(invocation)),
                glyphs: *glyphs(invocation),
            },
            invocation,
            theme,
            terminal,
        }
    }

    /// Switches to the theme of this name; returns a message if that fails.
    fn use_theme(&mut self, name: &str) -> Option<Message> {
        let config = &self.invocation.config;
        let is_set = config.text(ConfigKey::Theme) == Some(name);
        // A configured path is relative to the file that sets it.
        let origin = if is_set {
            config.origin(ConfigKey::Theme)
        } else {
            ValueOrigin::Default
        };
        match ChosenTheme::named(name, origin) {
            Ok(theme) => {
                self.theme = theme;
                self.repaint(self.terminal);
                None
            }
            Err(words) => Some(Message::ThemeRefused(words)),
        }
    }

    /// Adapts to a new background of the terminal.
    fn repaint(&mut self, terminal: Option<Preset>) {
        self.terminal = terminal;
        self.look.theme = self.theme.theme(terminal, depth(self.invocation));
    }
}

/// Returns why there are no themes to choose from, if colours are disabled.
fn colorless(invocation: &Invocation) -> Option<String> {
    let is_colorless = depth(invocation) == ColorDepth::None;
    is_colorless.then(|| match invocation.config.origin(ConfigKey::Colors) {
        ValueOrigin::Default => texts::COLORLESS_TERMINAL.to_owned(),
        _ => texts::colors_off(invocation.config.place(ConfigKey::Colors)),
    })
}
