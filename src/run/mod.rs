//! The loop: messages in, one frame a batch, requests to the terminal.
//!
//! A [`Driver`] performs the effects of [`crate::app::update`] for a [`Frontend`]: the screen, the
//! linear mode or played keys. [`browse`] opens the files and starts it.

mod driver;
mod event_loop;
mod failed;
mod files;
mod frame;
mod held;
mod home;
mod indexing;
mod invocation;
mod journal_config;
mod journal_writer;
mod linear;
mod outside;
mod querying;
mod rules;
mod schemas;
mod screen;
mod session_keeper;
mod settings;
mod state_store;
#[cfg(test)]
mod tests;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{IsTerminal, Write, stdin, stdout};
use std::panic::PanicHookInfo;

use ratatui::buffer::Buffer;

use crate::app::{App, Blind, Help, ListDisplay, Message, Sought, ViewOptions};
use crate::config::{ConfigKey, ValueOrigin};
use crate::dataset::Loader;
use crate::source::{Input, allow_maps, is_panic_caught, pause_maps};
use crate::term;
use crate::text::{self, Hidden};
use crate::ui::{self, ColorDepth, Glyphs, Look, Preset};
pub use driver::{Driver, LoopEvent};
pub use event_loop::{Frontend, LoopEnd, is_settled};
pub(crate) use failed::{Exit, Failed, by_signal, closed_pipe, complain};
pub(crate) use frame::check_picture;
pub use frame::plain_text;
use invocation::ColorsName;
pub(crate) use invocation::{FindingArgs, Invocation, JudgingArgs, LookArgs, SettingArgs, word};
pub(crate) use journal_config::Journal;
pub(crate) use rules::rules_or_complain;
pub(crate) use schemas::{catalog, name_for, schema_folder};
use settings::ChosenTheme;
pub(crate) use settings::{config, leave_out_wrong_theme, shown, theme_names};
pub(crate) use state_store::saved_filters;

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

/// Says where and why a thread panicked. The message can quote a file, which must not control the
/// terminal.
pub(crate) fn say_panic(info: &PanicHookInfo<'_>) {
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

/// Shows what the command line asks for; `faults` are those of the user's own files that were said.
///
/// # Errors
/// When what it names is not right, or something fails on the way.
pub(crate) fn browse(mut invocation: Invocation, mut faults: Vec<String>) -> Result<(), Failed> {
    let is_screen = invocation.is_screen();
    // A screen watches signals itself.
    if !is_screen {
        pause_maps_while_stopped();
    }
    let is_linear = is_screen && linear::is_wanted(&invocation);
    if is_screen && !is_linear && !stdout().is_terminal() {
        return Err(Failed::usage(
            "standard output is not a terminal; --print writes one frame as text, --svg FILE as a picture",
        ));
    }
    journal_config::check_journals(&invocation.judging.journal)?;
    if let Some(wrong) = leave_out_wrong_theme(&mut invocation.config)? {
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
    match (is_screen, is_linear) {
        (_, true) => linear::run(&invocation, loader, faults),
        (true, _) => screen::run(&invocation, loader, faults),
        _ => frame::run(&invocation, loader),
    }
}

/// The frame that `--print` or `--svg` would write.
///
/// # Errors
/// When there is nothing to show.
pub(crate) fn render(mut invocation: Invocation) -> Result<Buffer, Failed> {
    let loader = loader(&mut invocation);
    let (store, memory) = Default::default();
    let recorded = frame::record(&invocation, loader, store, memory, Default::default());
    recorded.map(|(_, last, _)| last)
}

/// Runs the loop behind something other than a terminal.
///
/// # Errors
/// As the program would say it on standard error.
pub fn drive(mut invocation: Invocation, frontend: &mut impl Frontend) -> anyhow::Result<()> {
    let loader = loader(&mut invocation);
    let app = app(invocation.looks.size, &invocation, "");
    let (store, config) = Default::default();
    let mut driver = Driver::start(app, loader, store, config, invocation.search_memory());
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

/// A loader of the files named, else of standard input. Never of the demo: a script whose file name
/// is empty would get its number, or its rows, all the same.
///
/// # Errors
/// When nothing is named and nothing comes from standard input; `to` says what files are named for.
pub(crate) fn loader_or_stdin(loader: Loader, to: &str) -> Result<Loader, Failed> {
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
pub(crate) fn pause_maps_while_stopped() {
    if term::pause_while_stopped(pause_maps).is_err() {
        allow_maps(false);
    }
}

/// Without a named file: standard input where something comes from it, else the demo.
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

pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A program without data for a person who is introduced to it.
fn app(size: (u16, u16), invocation: &Invocation, reviewer: &str) -> App {
    let mut app = App::new(size, view(invocation), help(invocation));
    // What is wrong with them was said when the program began.
    let config = &invocation.config;
    let max_len = config.count(ConfigKey::MaxLen);
    app.set_rules(rules::rules(max_len, &mut Vec::new()));
    if let Some(name) = &invocation.looks.at {
        app.browser.seek_for(Some(Sought::Named(name.clone())));
    }
    let list = config.text(ConfigKey::List).and_then(ListDisplay::named);
    let columns = config.count(ConfigKey::ListWidth);
    app.browser.set_list(
        list.unwrap_or_default(),
        columns.map(|columns| columns.try_into().unwrap_or(u16::MAX)),
    );
    let blind = invocation.judging.blind.then_some(Blind {
        reveal: invocation.reveal(),
        strict: true,
    });
    app.offer_themes(settings::theme_choice(config, colorless(invocation)));
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

/// The keys and the signs.
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

/// How many colours a frame has.
fn depth(invocation: &Invocation) -> ColorDepth {
    let is_screen = invocation.is_screen();
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

/// The look of a theme on a terminal.
struct ThemedLook<'i> {
    invocation: &'i Invocation,
    theme: ChosenTheme,
    /// What the terminal's background asks for; `None` if that is unknown.
    terminal: Option<Preset>,
    look: Look,
}

impl<'i> ThemedLook<'i> {
    /// That of the theme which is set; what is wrong with it was said when the run began.
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

    /// Takes the theme of this name, or says why it cannot.
    fn use_theme(&mut self, name: &str) -> Option<Message> {
        let config = &self.invocation.config;
        let is_set = config.text(ConfigKey::Theme) == Some(name);
        // What is set is a path from the folder of the file that says it.
        let origin = match is_set {
            true => config.origin(ConfigKey::Theme),
            false => &ValueOrigin::Default,
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

    /// Follows the terminal's background.
    fn repaint(&mut self, terminal: Option<Preset>) {
        self.terminal = terminal;
        self.look.theme = self.theme.theme(terminal, depth(self.invocation));
    }
}

/// Why `:theme` has nothing to choose from.
fn colorless(invocation: &Invocation) -> Option<String> {
    let is_colorless = depth(invocation) == ColorDepth::None;
    is_colorless.then(|| match invocation.config.origin(ConfigKey::Colors) {
        ValueOrigin::Default => "this terminal has no colours".to_owned(),
        _ => format!(
            "colours are off ({})",
            invocation.config.place(ConfigKey::Colors)
        ),
    })
}
