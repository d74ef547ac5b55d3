//! Reads the user's settings and themes.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::home::Home;
use super::{Failure, environment, texts};
use crate::app::{ThemeChoice, ThemeName};
use crate::config::{Config, ConfigKey, ValueOrigin};
use crate::toml_file::{read_regular_file, unknown_name};
use crate::ui::{ColorDepth, PALETTES, Preset, Theme, ThemeFile, ThemeSide};

/// Returns the settings; adds faults in them to `faults`.
pub(crate) fn config(faults: &mut Vec<String>) -> Config {
    let path = config_path();
    let shown = path.as_deref().map(display_path).unwrap_or_default();
    let file = match path.as_deref().map(read_regular_file) {
        None => String::new(),
        Some(Ok(text)) => text,
        Some(Err(error)) if error.kind() == ErrorKind::NotFound => String::new(),
        Some(Err(error)) => {
            faults.push(texts::unreadable(&shown, error));
            String::new()
        }
    };
    let (config, wrong) = Config::read(&shown, &file);
    faults.extend(wrong);
    config
}

fn config_path() -> Option<PathBuf> {
    Home::of_user().map(|home| home.config.join("config.toml"))
}

/// Removes an invalid theme from the settings and returns what is wrong with it.
///
/// # Errors
/// If an option names the theme.
pub(crate) fn remove_invalid_theme(config: &mut Config) -> Result<Option<String>, Failure> {
    let Err(wrong) = ChosenTheme::of(config) else {
        return Ok(None);
    };
    if matches!(config.origin(ConfigKey::Theme), ValueOrigin::Flag(_)) {
        return Err(Failure::usage(wrong));
    }
    config.unset(ConfigKey::Theme);
    Ok(Some(wrong))
}

/// Formats a path with `~` for the home folder.
pub(crate) fn display_path(path: &Path) -> String {
    environment("HOME")
        .filter(|home| !home.is_empty())
        .and_then(|home| path.strip_prefix(home).ok())
        .map_or_else(
            || path.display().to_string(),
            |below| format!("~/{}", below.display()),
        )
}

/// The theme that the user chose.
pub(super) struct ChosenTheme {
    file: ThemeFile,
    /// Dark or light if the name says so; otherwise the terminal's background decides.
    side: Option<Preset>,
    /// True if none was chosen: then the terminal keeps its background.
    is_auto: bool,
}

impl ChosenTheme {
    /// Returns the configured theme.
    ///
    /// # Errors
    /// With a message if the theme is unknown or its file is invalid.
    pub(super) fn of(config: &Config) -> Result<Self, String> {
        let name = config.text(ConfigKey::Theme).unwrap_or(AUTO);
        Self::named(name, config.origin(ConfigKey::Theme))
            .map_err(|what| format!("{}: {what}", config.place(ConfigKey::Theme)))
    }

    /// Returns the theme for the terminal's background. The user's files `dark` and `light` replace
    /// the built-in ones.
    pub(super) fn auto() -> Self {
        let side = |preset: Preset| {
            file_named(preset.name())
                .and_then(Result::ok)
                .unwrap_or_else(|| preset.into())
        };
        Self {
            file: ThemeFile::pair(&side(Preset::Dark), &side(Preset::Light)),
            side: None,
            is_auto: true,
        }
    }

    /// Returns the theme with this name or path: `auto`, the user's own, a built-in one, or one
    /// side of these (`gruvbox-light`).
    ///
    /// # Errors
    /// As for [`Self::of`].
    pub(super) fn named(name: &str, origin: ValueOrigin) -> Result<Self, String> {
        let chosen = |file| Self {
            file,
            side: None,
            is_auto: false,
        };
        if name == AUTO {
            return Ok(Self::auto());
        }
        if name.contains('/') || name.ends_with(".toml") {
            return read_theme(&path_of(name, origin)).map(chosen);
        }
        if let Some(found) = theme_named(name) {
            return found.map(chosen);
        }
        for side in [Preset::Dark, Preset::Light] {
            let file = name
                .strip_suffix(side.name())
                .and_then(|whole| whole.strip_suffix('-'))
                .and_then(theme_named)
                .transpose()?;
            if let Some(file) = file.filter(ThemeFile::has_both) {
                return Ok(Self {
                    side: Some(side),
                    ..chosen(file)
                });
            }
        }
        let names = theme_choices();
        let names = names.iter().map(|theme| theme.name.as_str());
        Err(unknown_name("theme", name, names))
    }

    /// Returns the built-in theme that it is based on, for a terminal with this background.
    pub(super) fn base(&self, terminal: Option<Preset>) -> Preset {
        self.side_on(terminal).base()
    }

    fn side_on(&self, terminal: Option<Preset>) -> &ThemeSide {
        self.file
            .side(self.side.or(terminal).unwrap_or(Preset::Dark))
    }

    /// Returns its styles for a terminal with this background, or an unknown one. A theme for
    /// another background also sets the background, so that text is readable.
    pub(super) fn theme(&self, terminal: Option<Preset>, depth: ColorDepth) -> Theme {
        let side = self.side_on(terminal);
        let agrees = self.is_auto || terminal == Some(side.base());
        side.theme(depth, !agrees)
    }
}

/// Name of the theme that follows the terminal's background.
const AUTO: &str = "auto";

fn theme_folder() -> Option<PathBuf> {
    Some(Home::of_user()?.config.join("themes"))
}

/// Reads the user's own theme with this name, if there is one.
fn file_named(name: &str) -> Option<Result<ThemeFile, String>> {
    let file = theme_folder()?.join(format!("{name}.toml"));
    file.exists().then(|| read_theme(&file))
}

/// Returns the theme with this name; the user's own replaces a built-in one.
fn theme_named(name: &str) -> Option<Result<ThemeFile, String>> {
    file_named(name).or_else(|| ThemeFile::built_in(name).map(Ok))
}

fn read_theme(path: &Path) -> Result<ThemeFile, String> {
    let shown = display_path(path);
    let text = read_regular_file(path).map_err(|error| texts::unreadable(&shown, error))?;
    ThemeFile::parse(&text).map_err(|fault| format!("{shown}: {fault}"))
}

/// Returns the themes to choose from, and the current one; `colorless` says why there is no choice.
pub(super) fn theme_choice(config: &Config, colorless: Option<String>) -> ThemeChoice {
    ThemeChoice {
        names: theme_choices(),
        chosen: config.text(ConfigKey::Theme).unwrap_or(AUTO).to_owned(),
        colorless,
        file: config_path()
            .as_deref()
            .map(display_path)
            .unwrap_or_default(),
        ..ThemeChoice::default()
    }
}

/// Returns all themes, the user's own last.
fn theme_choices() -> Vec<ThemeName> {
    let choice = |name: &str, note: &str| ThemeName {
        name: name.to_owned(),
        note: note.to_owned(),
        has_both: false,
    };
    let mut choices = vec![choice(AUTO, texts::AUTO_THEME)];
    let palettes = PALETTES.iter().map(|(name, _, sides)| ThemeName {
        has_both: true,
        ..choice(name, sides)
    });
    choices.extend(palettes);
    choices.extend(Preset::ALL.map(|preset| choice(preset.name(), preset.about())));
    for name in own_themes() {
        if choices.iter().all(|known| known.name != name) {
            let file = file_named(&name).and_then(Result::ok);
            choices.push(ThemeName {
                has_both: file.is_some_and(|file| file.has_both()),
                ..choice(&name, "your own")
            });
        }
    }
    choices
}

/// Returns the sorted names of the user's own themes; empty if their folder cannot be read.
fn own_themes() -> Vec<String> {
    let mut own: Vec<_> = theme_folder()
        .and_then(|folder| fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
        .collect();
    own.sort();
    own
}

/// Resolves a path; in the configuration it is relative to the folder of that file.
fn path_of(name: &str, origin: ValueOrigin) -> PathBuf {
    if let Some(below) = name.strip_prefix("~/")
        && let Some(home) = environment("HOME")
    {
        return PathBuf::from(home).join(below);
    }
    match (origin, Home::of_user()) {
        (ValueOrigin::File(_), Some(home)) => home.config.join(name),
        _ => PathBuf::from(name),
    }
}
