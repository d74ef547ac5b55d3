//! What the person set for good: where it is read.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::home::Home;
use super::{Failed, environment};
use crate::config::{Config, ConfigKey, ValueOrigin};
use crate::toml_file::{no_such, ordinary_text};
use crate::ui::{ColorDepth, Preset, Theme, ThemeFile};

/// What is set for good; what is wrong with it is added to `faults`.
pub(crate) fn config(faults: &mut Vec<String>) -> Config {
    let path = Home::of_user().map(|home| home.config.join("config.toml"));
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

/// The theme that a person chose.
pub(super) enum ChosenTheme {
    /// The one that the terminal's background asks for.
    Auto,
    /// A built-in one.
    Preset(Preset),
    /// That of a file.
    File(Box<ThemeFile>),
}

impl ChosenTheme {
    /// The theme that is set.
    ///
    /// # Errors
    /// When there is none of this name, or its file is not right: in words, with all that is wrong.
    pub(super) fn of(config: &Config) -> Result<Self, String> {
        let name = config.text(ConfigKey::Theme).unwrap_or("auto");
        if name == "auto" {
            return Ok(Self::Auto);
        }
        let is_path = name.contains('/') || name.ends_with(".toml");
        let found = if is_path {
            Self::read(&path_of(name, config.origin(ConfigKey::Theme)))
        } else {
            Self::named(name)
        };
        found.map_err(|what| format!("{}: {what}", config.place(ConfigKey::Theme)))
    }

    /// The theme of this name: a file of the person's own goes before the built-in one.
    fn named(name: &str) -> Result<Self, String> {
        let file = theme_folder().map(|folder| folder.join(format!("{name}.toml")));
        if let Some(file) = file.filter(|file| file.exists()) {
            return Self::read(&file);
        }
        let preset = Preset::ALL.into_iter().find(|preset| preset.name() == name);
        preset.map(Self::Preset).ok_or_else(|| {
            let names = theme_names();
            no_such("theme", name, names.iter().map(String::as_str))
        })
    }

    fn read(path: &Path) -> Result<Self, String> {
        let shown = shown(path);
        let text = ordinary_text(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        let file = ThemeFile::parse(&text).map_err(|faults| {
            let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
            format!("{shown}: {}", faults.join("; "))
        })?;
        Ok(Self::File(Box::new(file)))
    }

    /// The built-in theme that it is, or stands on; `None` where the background decides.
    pub(super) fn preset(&self) -> Option<Preset> {
        match self {
            Self::Auto => None,
            Self::Preset(preset) => Some(*preset),
            Self::File(file) => Some(file.base()),
        }
    }

    /// Its styles, where `auto` is what the background asks for.
    pub(super) fn theme(&self, auto: Preset, depth: ColorDepth) -> Theme {
        match self {
            // A file called dark or light goes before the built-in one here as well.
            Self::Auto => match Self::named(auto.name()) {
                Ok(Self::File(file)) => file.theme(depth),
                _ => Theme::load(auto, depth),
            },
            Self::Preset(preset) => Theme::load(*preset, depth),
            Self::File(file) => file.theme(depth),
        }
    }
}

/// Where the user's own themes are.
fn theme_folder() -> Option<PathBuf> {
    Home::of_user().map(|home| home.config.join("themes"))
}

/// The names that `--theme` takes: `auto`, the built-in themes, and the user's own.
pub(crate) fn theme_names() -> Vec<String> {
    let files = theme_folder().and_then(|folder| fs::read_dir(folder).ok());
    let own = files.into_iter().flatten().flatten().filter_map(|file| {
        let name = file.file_name();
        Some(name.to_str()?.strip_suffix(".toml")?.to_owned())
    });
    let mut own: Vec<_> = own.collect();
    own.sort();
    let presets = Preset::ALL.map(|preset| preset.name().to_owned());
    [vec!["auto".to_owned()], presets.to_vec(), own].concat()
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
