//! Theme files: those of `assets/themes`, and user files with other colours for one of them.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{ColorDepth, PALETTES, Preset, Theme, rgb};
use crate::toml_file::{self, Spanned, TomlFault, Value, unknown_name};

/// Colours of earlier palettes; ignored.
const FORMER: [&str; 4] = ["bar_off", "lavender", "line_on", "sage"];

type Palette = BTreeMap<String, Spanned<Rgb>>;

/// A parsed theme file: for dark terminals, for light ones, or for both.
#[derive(Debug, Clone)]
pub struct ThemeFile {
    /// One or two sides; the first one is used if the requested side is missing.
    pub(super) sides: Vec<ThemeSide>,
}

/// A theme for one kind of background and any number of colours.
#[derive(Debug, Clone)]
pub struct ThemeSide {
    base: Preset,
    /// The colours that differ from those of the base.
    palette: Palette,
}

/// A user's theme or a built-in palette: colours for the built-in theme `base` (default: dark), or
/// for both sides in the tables `dark` and `light`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeText {
    base: Option<Preset>,
    #[serde(default)]
    palette: Palette,
    /// Set by files of earlier versions; ignored.
    roles: Option<IgnoredAny>,
    dark: Option<Box<Self>>,
    light: Option<Box<Self>>,
}

/// A built-in theme.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ThemeBase {
    palette: Palette,
    /// The palette for terminals with 16 colours, by ratatui's names. Others are the terminal's
    /// default colour; `dim` is this colour dimmed: named greys equal the background in some
    /// terminals.
    ansi: BTreeMap<String, String>,
    roles: BTreeMap<String, RoleStyle>,
}

/// Style of a role: names of colours, and modifiers by ratatui's names.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RoleStyle {
    fg: Option<String>,
    bg: Option<String>,
    add: Vec<String>,
    /// Replaces `add` on terminals with 16 colours, which have no subtle backgrounds.
    add16: Option<Vec<String>>,
}

/// `#rrggbb`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct Rgb(pub(super) [u8; 3]);

impl ThemeFile {
    /// Parses a user's theme or a built-in palette.
    ///
    /// # Errors
    /// The first error in the file.
    pub fn parse(text: &str) -> Result<Self, TomlFault> {
        let file: ThemeText = toml_file::parse(text)?;
        // Colours that only roles used are ignored with them.
        let sides = [(Preset::Dark, &file.dark), (Preset::Light, &file.light)];
        let sides = || {
            sides
                .into_iter()
                .filter_map(|(base, own)| Some((base, own.as_ref()?)))
        };
        let is_old = file.roles.is_some() || sides().any(|(_, own)| own.roles.is_some());
        let side = |base: Preset, own: Palette| {
            let known = ThemeBase::of(base).palette;
            let mut palette = file.palette.clone();
            palette.extend(own);
            let is_known = |name: &String| known.contains_key(name) || FORMER.contains(&&**name);
            let wrong = palette.iter().find(|(name, _)| !is_known(name));
            if let Some((name, color)) = wrong.filter(|_| !is_old) {
                let what = unknown_name("colour", name, known.keys().map(String::as_str));
                return Err(TomlFault::at(text, color.span().start, what));
            }
            Ok(ThemeSide { base, palette })
        };
        let mut sides = sides()
            .map(|(base, own)| side(base, own.palette.clone()))
            .collect::<Result<Vec<_>, _>>()?;
        if sides.is_empty() {
            sides.push(side(file.base.unwrap_or(Preset::Dark), Palette::new())?);
        }
        Ok(Self { sides })
    }

    /// Combines the sides of two themes.
    pub fn pair(dark: &Self, light: &Self) -> Self {
        Self {
            sides: vec![
                dark.side(Preset::Dark).clone(),
                light.side(Preset::Light).clone(),
            ],
        }
    }

    /// Returns the built-in theme of this name.
    pub fn built_in(name: &str) -> Option<Self> {
        if let Some(preset) = Preset::named(name) {
            return Some(preset.into());
        }
        let (_, text, _) = PALETTES.iter().find(|(known, ..)| *known == name)?;
        Self::parse(text).ok()
    }

    /// Returns the side for dark or light terminals, or the only one.
    pub fn side(&self, wanted: Preset) -> &ThemeSide {
        let mut sides = self.sides.iter();
        sides
            .find(|side| side.base == wanted)
            .unwrap_or(&self.sides[0])
    }

    /// True if it has both sides.
    pub fn has_both(&self) -> bool {
        self.sides.len() > 1
    }
}

impl From<Preset> for ThemeFile {
    fn from(base: Preset) -> Self {
        let palette = Palette::new();
        Self {
            sides: vec![ThemeSide { base, palette }],
        }
    }
}

impl ThemeSide {
    /// Returns the built-in theme that it is based on.
    pub const fn base(&self) -> Preset {
        self.base
    }

    /// Returns the theme in at most `depth` colours; without colours, the plain one.
    /// `has_background` if the theme sets its own background.
    pub fn theme(&self, depth: ColorDepth, has_background: bool) -> Theme {
        let mut base = ThemeBase::of(match depth {
            ColorDepth::None => Preset::Plain,
            _ => self.base,
        });
        base.palette.extend(self.palette.clone());
        let default = match self.base {
            _ if !has_background => Color::Reset,
            Preset::Light => Color::Black,
            Preset::Dark | Preset::Plain => Color::Gray,
        };
        Theme::painted(|role| {
            base.roles
                .get(role)
                .filter(|_| has_background || role != "screen")
                .map_or(Style::new(), |look| base.style(look, depth, default))
        })
    }
}

impl ThemeBase {
    /// Reads a built-in theme.
    fn of(preset: Preset) -> Self {
        // A test reads every preset; if one were invalid, unstyled text would still be readable.
        toml_file::parse(preset.source()).unwrap_or_default()
    }

    /// Converts the style of a role; `default` is the terminal's default colour.
    fn style(&self, look: &RoleStyle, depth: ColorDepth, default: Color) -> Style {
        let few = depth == ColorDepth::Ansi16;
        let color = |name: &String| match depth {
            ColorDepth::Ansi16 => self.ansi.get(name)?.parse().ok(),
            ColorDepth::Ansi256 => {
                Some(Color::Indexed(self.palette.get(name)?.get_ref().indexed()))
            }
            ColorDepth::None | ColorDepth::True => {
                let Rgb([red, green, blue]) = *self.palette.get(name)?.get_ref();
                Some(Color::Rgb(red, green, blue))
            }
        };
        let add = look
            .add16
            .as_ref()
            .filter(|_| few)
            .unwrap_or(&look.add)
            .iter()
            .filter_map(|name| Modifier::from_name(name));
        let mut style = Style::new().add_modifier(add.collect());
        style.fg = look.fg.as_ref().map(|name| color(name).unwrap_or(default));
        // Resetting the background would erase the one below; an unset background leaves it
        // visible.
        style.bg = look.bg.as_ref().and_then(color);
        match &look.fg {
            Some(name) if few && self.ansi.get(name).is_some_and(|ansi| ansi == "dim") => {
                style.add_modifier(Modifier::DIM)
            }
            // A colour over a dimmed one must not be dimmed.
            Some(_) if few => style.remove_modifier(Modifier::DIM),
            _ => style,
        }
    }
}

impl TryFrom<Value> for Rgb {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        // Files of earlier versions can have tables with `rgb` and `ansi`.
        let text = value.get("rgb").unwrap_or(&value);
        match text.as_str().map(str::parse) {
            Some(Ok(Color::Rgb(red, green, blue))) => Ok(Self([red, green, blue])),
            _ => Err(format!("{text} is not a colour; write it as \"#rrggbb\"")),
        }
    }
}

impl Rgb {
    /// Returns the nearest of xterm's cube and greys; the first 16 of its 256 colours differ
    /// between terminals.
    pub(super) fn indexed(self) -> u8 {
        let distance = |index: &u8| self.distance(rgb(Color::Indexed(*index)).unwrap_or_default());
        (16..232)
            .chain((232..=255).rev())
            .min_by_key(distance)
            .unwrap_or_default()
    }

    pub(super) fn distance(self, other: [u8; 3]) -> u32 {
        self.0
            .iter()
            .zip(other)
            .map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2))
            .sum()
    }
}
