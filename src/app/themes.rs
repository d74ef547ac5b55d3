//! The theme menu, which previews its selected line, and `:theme NAME`.

use super::menu::{Menu, MenuLine};
use super::perform::ViewRequest;
use super::{Action, App, Effect};
use crate::query;

/// A theme to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeName {
    /// The name to type.
    pub name: String,
    /// A description.
    pub note: String,
    /// Whether it has a dark and a light variant, which can also be chosen: `NAME-dark`.
    pub has_both: bool,
}

/// All themes, and the one in use.
#[derive(Debug, Clone, Default)]
pub struct ThemeChoice {
    /// All themes.
    pub names: Vec<ThemeName>,
    /// The name of the chosen theme.
    pub chosen: String,
    /// The name of the theme chosen before.
    pub before: String,
    /// Why the screen has no colours, in which case themes cannot be chosen.
    pub colorless: Option<String>,
    /// The file that saves the choice, as named in messages.
    pub file: String,
    /// The theme previewed by the menu, if it differs.
    pub shown: Option<String>,
}

impl ThemeChoice {
    /// Returns the names that can be typed, including variants, with notes.
    pub(super) fn typed_names(&self) -> impl Iterator<Item = (String, &str)> + Clone {
        self.names.iter().flat_map(|theme| {
            let sides = ["-dark", "-light"]
                .into_iter()
                .filter(|_| theme.has_both)
                .map(|side| (format!("{}{side}", theme.name), "only this variant"));
            [(theme.name.clone(), &*theme.note)]
                .into_iter()
                .chain(sides)
        })
    }
}

impl App {
    /// Uses a theme until the program ends.
    pub(super) fn use_theme(&mut self, name: &str) {
        let themes = &mut self.settings.themes;
        themes.before = std::mem::replace(&mut themes.chosen, name.to_owned());
        let words = format!(
            "Theme {name} until you quit; to keep it: theme = \"{name}\" in {}",
            themes.file
        );
        self.say(words);
    }

    /// Restores the previous theme because the file of the chosen one is unusable.
    pub(super) fn refuse_theme(&mut self, why: String) {
        let themes = &mut self.settings.themes;
        if themes.shown.take().as_ref() == Some(&themes.chosen) {
            themes.chosen.clone_from(&themes.before);
        }
        self.say(why);
    }

    /// Previews the theme of the menu's selected line, or shows the chosen one.
    pub(super) fn show_theme(&mut self) {
        let themes = &mut self.settings.themes;
        let previewed = self.views.top_menu().and_then(Menu::previewed_theme);
        let target = previewed.unwrap_or(&themes.chosen);
        if themes.shown.as_ref().unwrap_or(&themes.chosen) != target {
            let target = target.to_owned();
            themes.shown = Some(target.clone());
            self.request(Effect::Theme(target));
        }
    }
}

impl App {
    /// Runs `:theme NAME`; without a name, opens a menu of themes.
    ///
    /// # Errors
    /// If the theme does not exist, or the screen has no colours.
    pub(super) fn choose_theme(&mut self, name: &str) -> Result<(), String> {
        let themes = &self.settings.themes;
        if let Some(why) = &themes.colorless {
            return Err(why.clone());
        }
        if name.is_empty() {
            let line = |name: &str, note: &str| {
                MenuLine::new(name, note, ViewRequest::Theme(name.to_owned()))
            };
            let mut lines: Vec<_> = themes
                .names
                .iter()
                .map(|theme| line(&theme.name, &theme.note))
                .collect();
            let is_chosen = |line: &MenuLine| line.text == themes.chosen;
            let chosen = lines.iter().position(is_chosen);
            if chosen.is_none() {
                // A path, or a variant of a theme.
                lines.insert(0, line(&themes.chosen, "in use"));
            }
            let chosen = chosen.unwrap_or(0);
            let hints = &[(Action::Accept, "use"), (Action::Cancel, "cancel")];
            self.views
                .open_menu(Menu::new("theme", lines, chosen, hints));
            return Ok(());
        }
        let names: Vec<_> = themes.typed_names().map(|(name, _)| name).collect();
        let is_path = name.contains('/') || name.ends_with(".toml");
        if !is_path && names.iter().all(|known| known != name) {
            let near = query::nearest(name, names.iter().map(String::as_str)).map_or_else(
                || ":theme lists them".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            return Err(format!("unknown theme {name}; {near}"));
        }
        // Its file may have changed.
        self.settings.themes.shown = Some(String::new());
        self.use_theme(name);
        Ok(())
    }
}
