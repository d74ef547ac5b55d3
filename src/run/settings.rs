//! What the person set for good: where it is read.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::home::Home;
use super::{Failed, environment};
use crate::app::{ThemeChoice, ThemeName};
use crate::config::{Config, ConfigKey, ValueOrigin};
use crate::toml_file::{no_such, ordinary_text};
use crate::ui::{ColorDepth, PALETTES, Preset, Theme, ThemeFile, ThemeSide};

/// What is set for good; what is wrong with it is added to `faults`.
pub(crate) fn config(faults: &mut Vec<String>) -> Config {
    let path = config_path();
    let shown = path.as_deref().map(shown).unwrap_or_default();
    let file = match path.as_deref().map(ordinary_text) {
        None => String::new(),
        Some(Ok(text)) => text,
        Some(Err(error)) if error.kind() == ErrorKind::NotFound => String::new(),
        Some(Err(error)) => {
            faults.push(format!("cannot read {shown}: {error}"));
            String::new()
        }
    };
    let (config, wrong) = Config::read(&shown, &file, &environment);
    faults.extend(wrong);
    config
}

fn config_path() -> Option<PathBuf> {
    Home::of_user().map(|home| home.config.join("config.toml"))
}

/// Leaves a theme out that is set for good and not right: in words, what is wrong with it.
///
/// # Errors
/// When an option names it: that is refused.
pub(crate) fn leave_out_wrong_theme(config: &mut Config) -> Result<Option<String>, Failed> {
    let Err(wrong) = ChosenTheme::of(config) else {
        return Ok(None);
    };
    if matches!(config.origin(ConfigKey::Theme), ValueOrigin::Flag(_)) {
        return Err(Failed::usage(wrong));
    }
    config.unset(ConfigKey::Theme);
    Ok(Some(wrong))
}

/// A path of the person's own as people write it.
pub(crate) fn shown(path: &Path) -> String {
    let home = environment("HOME").filter(|home| !home.is_empty());
    let below = home.and_then(|home| path.strip_prefix(home).ok());
    below.map_or_else(
        || path.display().to_string(),
        |below| format!("~/{}", below.display()),
    )
}

/// The theme that the user chose.
pub(super) struct ChosenTheme {
    file: ThemeFile,
    /// The side that its name asks for; otherwise the terminal's background decides.
    side: Option<Preset>,
    /// Whether nothing was chosen: then the terminal keeps its background.
    is_auto: bool,
}

impl ChosenTheme {
    /// The theme that is set.
    ///
    /// # Errors
    /// When there is none of this name, or its file is not right: in words, with all that is wrong.
    pub(super) fn of(config: &Config) -> Result<Self, String> {
        let name = config.text(ConfigKey::Theme).unwrap_or(AUTO);
        let found = Self::named(name, config.origin(ConfigKey::Theme));
        found.map_err(|what| format!("{}: {what}", config.place(ConfigKey::Theme)))
    }

    /// What the terminal's background asks for; files of the user's own called `dark` and `light` go
    /// before the built-in ones.
    pub(super) fn auto() -> Self {
        let side = |preset: Preset| {
            let own = file_named(preset.name()).and_then(Result::ok);
            own.unwrap_or_else(|| preset.into())
        };
        Self {
            file: ThemeFile::pair(&side(Preset::Dark), &side(Preset::Light)),
            side: None,
            is_auto: true,
        }
    }

    /// The theme of this name, or of the path that it is: `auto`, a file of the user's own, a built-in
    /// one, or a side of one of these (`gruvbox-light`).
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(super) fn named(name: &str, origin: &ValueOrigin) -> Result<Self, String> {
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
            let whole = name.strip_suffix(side.name());
            let whole = whole.and_then(|whole| whole.strip_suffix('-'));
            let file = whole.and_then(theme_named).transpose()?;
            if let Some(file) = file.filter(ThemeFile::has_both) {
                return Ok(Self {
                    side: Some(side),
                    ..chosen(file)
                });
            }
        }
        let names = theme_choices();
        let names = names.iter().map(|theme| theme.name.as_str());
        Err(no_such("theme", name, names))
    }

    /// The built-in theme that it differs from, on a terminal of this background.
    pub(super) fn base(&self, terminal: Option<Preset>) -> Preset {
        self.side_on(terminal).base()
    }

    fn side_on(&self, terminal: Option<Preset>) -> &ThemeSide {
        let wanted = self.side.or(terminal).unwrap_or(Preset::Dark);
        self.file.side(wanted)
    }

    /// Its styles on a terminal of this background, or of an unknown one. Text has to be readable there:
    /// a theme for another background brings its own.
    pub(super) fn theme(&self, terminal: Option<Preset>, depth: ColorDepth) -> Theme {
        let side = self.side_on(terminal);
        let agrees = self.is_auto || terminal == Some(side.base());
        side.theme(depth, !agrees)
    }
}

/// The name of what the terminal's background asks for.
const AUTO: &str = "auto";

fn theme_folder() -> Option<PathBuf> {
    Some(Home::of_user()?.config.join("themes"))
}

/// A theme of the user's own of this name, if there is a file.
fn file_named(name: &str) -> Option<Result<ThemeFile, String>> {
    let file = theme_folder()?.join(format!("{name}.toml"));
    file.exists().then(|| read_theme(&file))
}

/// A theme of this name: a file of the user's own goes before the built-in one.
fn theme_named(name: &str) -> Option<Result<ThemeFile, String>> {
    file_named(name).or_else(|| ThemeFile::built_in(name).map(Ok))
}

fn read_theme(path: &Path) -> Result<ThemeFile, String> {
    let shown = shown(path);
    let text = ordinary_text(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    ThemeFile::parse(&text).map_err(|faults| {
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        format!("{shown}: {}", faults.join("; "))
    })
}

/// The themes to choose from on a screen, and the one that is set; `colorless` says why it has none.
pub(super) fn theme_choice(config: &Config, colorless: Option<String>) -> ThemeChoice {
    ThemeChoice {
        names: theme_choices(),
        chosen: config.text(ConfigKey::Theme).unwrap_or(AUTO).to_owned(),
        colorless,
        file: config_path().as_deref().map(shown).unwrap_or_default(),
        ..ThemeChoice::default()
    }
}

/// All themes to choose from, the user's own last.
fn theme_choices() -> Vec<ThemeName> {
    let choice = |name: &str, note: &str| ThemeName {
        name: name.to_owned(),
        note: note.to_owned(),
        has_both: false,
    };
    let mut choices = vec![choice(
        AUTO,
        "dark or light, as the terminal's background is",
    )];
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

/// The names of the files of the user's own, in order; none where their folder cannot be read.
fn own_themes() -> Vec<String> {
    let files = theme_folder().and_then(|folder| fs::read_dir(folder).ok());
    let own = files.into_iter().flatten().flatten().filter_map(|file| {
        let name = file.file_name();
        Some(name.to_str()?.strip_suffix(".toml")?.to_owned())
    });
    let mut own: Vec<_> = own.collect();
    own.sort();
    own
}

/// The names that `--theme` takes: `auto`, the built-in themes, and the user's own.
pub(crate) fn theme_names() -> Vec<String> {
    let choices = theme_choices().into_iter();
    choices.map(|choice| choice.name).collect()
}

/// The path that a value means: in the file of settings, from the folder of that file.
fn path_of(name: &str, origin: &ValueOrigin) -> PathBuf {
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
