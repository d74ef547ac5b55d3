//! Options of the screen, and of frames without a screen.

#![allow(rustdoc::invalid_html_tags)] // A doc comment of an argument is its help.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::texts;
use crate::app::PendingOpening;
use crate::config::{Config, ConfigKey};
use crate::dataset::{Loader, SampleName};
use crate::journal::Reveal;
use crate::keymap::{Key, keys};
use crate::ui::ColorDepth;

/// Settings that override the configuration for one run.
#[derive(Debug, Args)]
pub struct SettingArgs {
    /// Colour theme: auto, a built-in theme, or your own theme file
    ///
    /// auto follows the terminal's background; :theme lists all names. Your own themes are files in
    /// ~/.config/visavis/themes/, named without .toml; a value with a / or ending in .toml is a
    /// path.
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub theme: Option<String>,

    /// Number of colours
    #[arg(long)]
    #[arg(value_parser = PossibleValuesParser::new(
        [PossibleValue::new("auto").help("As many as the terminal reports")]
            .into_iter()
            .chain(choices(ColorDepth::NAMED)),
    ))]
    pub colors: Option<String>,

    /// Draw with ASCII characters only
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", hide_possible_values = true)]
    pub ascii: Option<bool>,

    /// Handle clicks and the wheel (selecting text in the terminal then needs Shift)
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", hide_possible_values = true)]
    pub mouse: Option<bool>,

    #[command(flatten)]
    pub findings: FindingArgs,
}

/// Parameters of rules of findings.
#[derive(Debug, Default, Args)]
pub struct FindingArgs {
    /// Characters of a response that training keeps; the rule identical-when-cut finds pairs that
    /// are equal up to there
    #[arg(long, value_name = "N")]
    pub max_len: Option<u32>,
}

/// Appearance, and where to show the data.
#[derive(Debug, Args)]
pub struct LookArgs {
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Start at the first sample, not at your last position in these files
    #[arg(long)]
    pub fresh: bool,

    /// Start at this sample: its number, its key as copied with `y`, or an id in its rows
    ///
    /// FILE:ROW in place of FILE starts at a row.
    #[arg(long, value_name = "N|KEY|ID")]
    pub at: Option<SampleName>,

    /// Show rows that are appended to the files while they are open; only plain JSON Lines
    #[arg(long, conflicts_with_all = ["print", "svg"])]
    pub follow: bool,

    /// Print lines of text and read keys and commands as lines, for screen readers
    #[arg(long, conflicts_with_all = ["print", "svg"])]
    pub linear: bool,

    /// Play these keys first, for instance 'jj<enter><c-d>'
    #[arg(long, value_name = "KEYS", value_parser = keys, hide = true)]
    pub keys: Option<PlayedKeys>,

    /// Print one frame as text instead of opening the screen
    #[arg(long)]
    pub print: bool,

    /// Write one frame as an SVG picture instead of opening the screen
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Size of the frame for --print and --svg
    #[arg(long, value_name = "WxH", default_value = "120x40", value_parser = size)]
    pub size: (u16, u16),
}

/// The reviewer and how to judge.
#[derive(Debug, Args)]
pub struct JudgingArgs {
    /// Save judgments in this file instead of beside the data; if repeated, all are read and the
    /// first is written
    #[arg(long, value_name = "PATH")]
    pub journal: Vec<PathBuf>,

    /// Your name in the journal [default: ask before an audit, else the user's name]
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,

    /// Hide labels, scores and verdicts until you have judged a sample
    #[arg(long)]
    pub blind: bool,

    /// When to reveal hidden labels
    #[arg(long, value_parser = one_of(Reveal::NAMED), value_name = "WHEN", requires = "blind")]
    pub reveal: Option<Reveal>,
}

/// What to show, and how.
#[derive(Debug)]
pub struct Invocation {
    /// Loads the files; without inputs, standard input or the demo is opened.
    pub loader: Loader,
    /// The settings and key bindings.
    pub config: Config,
    /// Appearance, and where to show the data.
    pub looks: LookArgs,
    /// The reviewer and how to judge.
    pub judging: JudgingArgs,
    /// What to open once everything is loaded.
    pub opening: PendingOpening,
}

/// The keys of one option. An alias, because clap would expect a `Vec` to be several options.
pub type PlayedKeys = Vec<Key>;

impl SettingArgs {
    /// Returns the settings that were given.
    pub fn given(&self) -> Vec<(ConfigKey, String)> {
        [
            (ConfigKey::Theme, self.theme.clone()),
            (ConfigKey::Colors, self.colors.clone()),
            (ConfigKey::Ascii, self.ascii.map(|is| is.to_string())),
            (ConfigKey::Mouse, self.mouse.map(|is| is.to_string())),
            (
                ConfigKey::MaxLen,
                self.findings.max_len.map(|count| count.to_string()),
            ),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
    }
}

impl Invocation {
    /// Combines the arguments with the configuration.
    pub fn new(loader: Loader, config: Config, looks: LookArgs, judging: JudgingArgs) -> Self {
        let mut flags = looks.settings.given();
        flags.extend((judging.reviewer.clone()).map(|name| (ConfigKey::Reviewer, name)));
        flags.extend((judging.reveal).map(|reveal| (ConfigKey::Reveal, reveal.name().to_owned())));
        Self {
            loader,
            config: config.with_flags(flags),
            looks,
            judging,
            opening: PendingOpening::default(),
        }
    }

    /// Returns the keys to play first.
    pub fn keys(&self) -> &[Key] {
        self.looks.keys.as_deref().unwrap_or_default()
    }

    /// True for the interactive screen, false for a single frame.
    pub fn is_screen(&self) -> bool {
        !self.looks.print && self.looks.svg.is_none()
    }

    /// Returns the requested number of colours; `None` for as many as the terminal reports.
    pub fn colors(&self) -> Option<ColorDepth> {
        ColorDepth::named(self.config.text(ConfigKey::Colors)?)
    }

    /// Returns when hidden labels are revealed.
    pub fn reveal(&self) -> Reveal {
        let word = self.config.text(ConfigKey::Reveal).unwrap_or_default();
        Reveal::named(word).unwrap_or_default()
    }

    /// Returns the reviewer's name, if given.
    pub fn reviewer(&self) -> Option<&str> {
        self.config.text(ConfigKey::Reviewer)
    }

    /// Returns the memory limit of the search index in bytes; `None` chooses automatically.
    pub fn search_memory(&self) -> Option<u64> {
        let megabytes = self.config.count(ConfigKey::SearchMemory)?;
        Some(u64::from(megabytes) * 1_000_000)
    }
}

/// Values of an enum with their names and their help.
type NamedValues<T> = &'static [(T, &'static str, &'static str)];

/// Parses the name of a value.
pub(crate) fn one_of<T>(values: NamedValues<T>) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync,
{
    PossibleValuesParser::new(choices(values)).try_map(move |typed| {
        let found = values.iter().find(|it| it.1 == typed);
        found.map(|it| it.0).ok_or("unknown name")
    })
}

/// Returns names for the help and for completions.
fn choices<T>(values: NamedValues<T>) -> impl Iterator<Item = PossibleValue> {
    let values = values.iter();
    values.map(|(_, name, about)| PossibleValue::new(*name).help(about.trim()))
}

/// Parses the size of a frame. Larger sizes are typos, and their buffers would use much memory.
fn size(text: &str) -> Result<(u16, u16), &'static str> {
    text.split_once(['x', 'X'])
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)))
        .filter(|(width, height)| (1..=1000).contains(width) && (1..=1000).contains(height))
        .ok_or(texts::FRAME_SIZE)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        assert_eq!(size("80x24"), Ok((80, 24)));
        for text in ["80", "x24", "0x5", "80x1001", "a x b"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
