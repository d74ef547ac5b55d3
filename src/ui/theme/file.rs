//! Theme files: those of `assets/themes`, and user files with changes to one of them.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::{ColorDepth, PALETTES, Preset, ROLES, Theme};
use crate::toml_file::{self, Spanned, TomlEntry, TomlFault, unknown_name};

/// Name of the role that is a list of five styles.
const RAMP: &str = "ramp";
/// Name of the role for the whole screen, used if the theme sets its own background.
const SCREEN: &str = "screen";

/// Tables of a file with both sides, and the built-in themes that they are based on.
const SIDES: [(&str, Preset); 2] = [("dark", Preset::Dark), ("light", Preset::Light)];

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
    palette: BTreeMap<String, Ink>,
    roles: BTreeMap<String, RoleStyle>,
    ramp: Vec<RoleStyle>,
}

/// A colour as RGB, and optionally one of the 16 colours that every terminal has; by default the
/// nearest one.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ink {
    rgb: Rgb,
    ansi: Option<Ansi>,
}

/// Style of a role: colours and modifiers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleStyle {
    fg: Option<Spanned<InkName>>,
    bg: Option<Spanned<InkName>>,
    #[serde(default)]
    add: Modifiers,
    /// Replaces `add` on terminals with 16 colours, which have no subtle backgrounds.
    add16: Option<Modifiers>,
}

/// Text modifiers, by ratatui's names in lower case: `bold`, `crossed-out`.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(try_from = "Vec<String>")]
struct Modifiers(Modifier);

/// A colour of a role.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
enum InkName {
    /// The palette colour of this name.
    Named(String),
    /// A literal colour.
    Own(Ink),
}

/// One of the 16 colours by ratatui's name (`light-red`), or a default of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
enum Ansi {
    Named(Color),
    /// The terminal's default colour: `default`.
    Default,
    /// The terminal's default foreground, dimmed: named greys equal the background in some
    /// terminals.
    Dim,
}

/// `#rrggbb`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Rgb(pub(super) [u8; 3]);

impl ThemeFile {
    /// Parses a user's theme or a built-in palette: changes to the built-in theme `base` (default:
    /// dark), or changes for both sides in the tables `dark` and `light`. Other tables apply to
    /// both sides.
    ///
    /// # Errors
    /// All errors in the file, in order of their lines.
    pub fn parse(text: &str) -> Result<Self, Vec<TomlFault>> {
        let read = || {
            let entries = toml_file::entries(text)?;
            let base = entries.iter().find(|entry| entry.name == "base");
            let base = base.map_or(Ok(Preset::Dark), |base| {
                let name: String = base.read()?;
                let found = Preset::named(&name);
                let names = Preset::ALL.map(Preset::name);
                found.ok_or_else(|| base.fault(unknown_name("built-in theme", &name, names)))
            });
            Ok((entries, base?))
        };
        let (entries, base) = read().map_err(|fault| vec![fault])?;
        let mut faults = Vec::new();
        let own = |name: &str| entries.iter().find(|entry| entry.name == name);
        let mut bases: Vec<_> = SIDES
            .iter()
            .filter(|(name, _)| own(name).is_some())
            .collect();
        let alone = ("", base);
        if bases.is_empty() {
            bases.push(&alone);
        }
        let mut sides = Vec::new();
        for (name, preset) in bases {
            let built_in = ThemeSide::of_preset(*preset).map_err(|fault| vec![fault])?;
            let mut side = built_in.with(
                &entries,
                &["base", "palette", "roles", "dark", "light"],
                &mut faults,
            );
            match own(name).map(TomlEntry::entries) {
                Some(Ok(entries)) => side = side.with(&entries, &["palette", "roles"], &mut faults),
                Some(Err(fault)) => faults.push(fault),
                None => {}
            }
            sides.push(side);
        }
        // Tables for both sides were read twice.
        faults.sort_by(|one, other| (one.line, &one.key).cmp(&(other.line, &other.key)));
        faults.dedup();
        match faults.is_empty() {
            true => Ok(Self { sides }),
            false => Err(faults),
        }
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
        let found = sides.find(|side| side.base == wanted);
        found.unwrap_or(&self.sides[0])
    }

    /// True if it has both sides.
    pub fn has_both(&self) -> bool {
        self.sides.len() > 1
    }
}

impl From<Preset> for ThemeFile {
    fn from(preset: Preset) -> Self {
        // A test parses every preset; if one were invalid, unstyled text would still be readable.
        let side = ThemeSide::of_preset(preset).unwrap_or_else(|_| ThemeSide::empty(preset));
        Self { sides: vec![side] }
    }
}

impl ThemeSide {
    const fn empty(base: Preset) -> Self {
        Self {
            base,
            palette: BTreeMap::new(),
            roles: BTreeMap::new(),
            ramp: Vec::new(),
        }
    }

    /// Parses a built-in theme.
    ///
    /// # Errors
    /// If its file is invalid or a role is missing.
    pub(super) fn of_preset(preset: Preset) -> Result<Self, TomlFault> {
        let entries = toml_file::entries(preset.source())?;
        let mut faults = Vec::new();
        let side = Self::empty(preset).with(&entries, &["palette", "roles"], &mut faults);
        let mut missing = ROLES.iter().filter(|role| !side.roles.contains_key(**role));
        faults.extend(missing.next().map(|role| TomlFault {
            key: format!("roles.{role}"),
            what: format!("the role {role} is missing"),
            ..TomlFault::default()
        }));
        faults.into_iter().next().map_or(Ok(side), Err)
    }

    /// Returns the built-in theme that it is based on.
    pub const fn base(&self) -> Preset {
        self.base
    }

    /// Returns the theme in at most `depth` colours; without colours, the plain one.
    /// `has_background` if the theme sets its own background.
    pub fn theme(&self, depth: ColorDepth, has_background: bool) -> Theme {
        if depth == ColorDepth::None {
            return Theme::load(Preset::Plain, depth);
        }
        let paint = Paint {
            palette: &self.palette,
            depth,
            default: match self.base {
                _ if !has_background => Color::Reset,
                Preset::Light => Color::Black,
                Preset::Dark | Preset::Plain => Color::Gray,
            },
        };
        let mut ramp = [Style::new(); 5];
        for (step, look) in ramp.iter_mut().zip(&self.ramp) {
            *step = paint.style(look);
        }
        let look = |role: &str| {
            let look = self.roles.get(role);
            look.filter(|_| has_background || role != SCREEN)
        };
        Theme::painted(
            |role| look(role).map_or(Style::new(), |look| paint.style(look)),
            ramp,
        )
    }

    /// Applies a file to this side. Invalid entries and unknown tables are skipped and reported.
    fn with(
        mut self,
        entries: &[TomlEntry<'_>],
        known: &[&'static str],
        faults: &mut Vec<TomlFault>,
    ) -> Self {
        // Roles refer to colours of the palette, which may come later in the file.
        let is_roles = |entry: &&TomlEntry<'_>| entry.name == "roles";
        let (roles, rest): (Vec<_>, Vec<_>) = entries.iter().partition(is_roles);
        for table in rest.into_iter().chain(roles) {
            let name = table.name.as_str();
            let read = match name {
                _ if !known.contains(&name) => Err(table.unknown("table", known.iter().copied())),
                "palette" | "roles" => table.entries(),
                _ => Ok(Vec::new()),
            };
            let entries = read.map_err(|fault| faults.push(fault));
            for entry in entries.into_iter().flatten() {
                let read = match name {
                    "roles" => self.read_role(&entry),
                    _ => read_ink(&entry).map(|ink| self.take_ink(entry.name, ink)),
                };
                faults.extend(read.err());
            }
        }
        self
    }

    /// Sets a palette colour. A colour of the base keeps its value among the 16 unless the file
    /// sets one: those are legible on the base's background with any terminal palette.
    fn take_ink(&mut self, name: String, ink: Ink) {
        let ansi = ink.ansi.or_else(|| self.palette.get(&name)?.ansi);
        self.palette.insert(name, Ink { ansi, ..ink });
    }

    fn read_role(&mut self, entry: &TomlEntry<'_>) -> Result<(), TomlFault> {
        if entry.name == RAMP {
            let steps = entry.entries()?;
            if steps.len() != 5 {
                let found = steps.len();
                let what = format!("expected five steps, the lowest rating first, found {found}");
                return Err(entry.fault(what));
            }
            let steps = steps.iter().map(|step| self.read_style(step));
            self.ramp = steps.collect::<Result<_, _>>()?;
            return Ok(());
        }
        if !ROLES.contains(&entry.name.as_str()) {
            return Err(entry.unknown("role", ROLES.iter().copied().chain([RAMP])));
        }
        let style = self.read_style(entry)?;
        self.roles.insert(entry.name.clone(), style);
        Ok(())
    }

    /// Reads the style of a role; a colour alone is the text colour.
    fn read_style(&self, entry: &TomlEntry<'_>) -> Result<RoleStyle, TomlFault> {
        let style = match entry.is_text() {
            true => RoleStyle {
                fg: Some(entry.read()?),
                ..RoleStyle::default()
            },
            false => entry.read()?,
        };
        for color in style.fg.iter().chain(&style.bg) {
            if let InkName::Named(name) = color.get_ref()
                && !self.palette.contains_key(name)
            {
                let names: Vec<_> = self.palette.keys().map(String::as_str).collect();
                let what = unknown_name("palette colour", name, names);
                let what = format!("{what}; or write one as \"#rrggbb\"");
                return Err(entry.fault_in(color, what));
            }
        }
        Ok(style)
    }
}

/// Reads `"#rrggbb"`, or a table that also sets one of the 16 colours.
fn read_ink(entry: &TomlEntry<'_>) -> Result<Ink, TomlFault> {
    match entry.is_text() {
        true => Ok(Ink::of(entry.read()?)),
        false => entry.read(),
    }
}

impl Ink {
    const fn of(rgb: Rgb) -> Self {
        Self { rgb, ansi: None }
    }

    fn ansi(self) -> Ansi {
        self.ansi.unwrap_or_else(|| self.rgb.ansi())
    }
}

impl TryFrom<String> for InkName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match name.starts_with('#') {
            true => Rgb::try_from(name).map(|rgb| Self::Own(Ink::of(rgb))),
            false => Ok(Self::Named(name)),
        }
    }
}

impl TryFrom<Vec<String>> for Modifiers {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Self, String> {
        let modifier = |word: &String| {
            let name = word.to_uppercase().replace('-', "_");
            Modifier::from_name(&name).ok_or_else(|| {
                let names = modifier_names();
                unknown_name("modifier", word, names.iter().map(String::as_str))
            })
        };
        words
            .iter()
            .map(modifier)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn modifier_names() -> Vec<String> {
    let names = Modifier::all().iter_names();
    let names = names.map(|(name, _)| name.to_lowercase().replace('_', "-"));
    names.collect()
}

/// The 16 colours by name, with xterm's values.
pub(crate) const ANSI: [(&str, Color, [u8; 3]); 16] = [
    ("black", Color::Black, [0, 0, 0]),
    ("red", Color::Red, [205, 0, 0]),
    ("green", Color::Green, [0, 205, 0]),
    ("yellow", Color::Yellow, [205, 205, 0]),
    ("blue", Color::Blue, [0, 0, 238]),
    ("magenta", Color::Magenta, [205, 0, 205]),
    ("cyan", Color::Cyan, [0, 205, 205]),
    ("gray", Color::Gray, [229, 229, 229]),
    ("dark-gray", Color::DarkGray, [127, 127, 127]),
    ("light-red", Color::LightRed, [255, 0, 0]),
    ("light-green", Color::LightGreen, [0, 255, 0]),
    ("light-yellow", Color::LightYellow, [255, 255, 0]),
    ("light-blue", Color::LightBlue, [92, 92, 255]),
    ("light-magenta", Color::LightMagenta, [255, 0, 255]),
    ("light-cyan", Color::LightCyan, [0, 255, 255]),
    ("white", Color::White, [255, 255, 255]),
];

fn ansi_names() -> impl Iterator<Item = (&'static str, Ansi)> + Clone {
    let named = (ANSI.iter()).map(|(known, color, _)| (*known, Ansi::Named(*color)));
    named.chain([("default", Ansi::Default), ("dim", Ansi::Dim)])
}

impl TryFrom<String> for Ansi {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let known = ansi_names();
        let found = known.clone().find(|(known, _)| *known == name);
        let names = known.map(|(known, _)| known);
        (found.map(|(_, ansi)| ansi)).ok_or_else(|| unknown_name("ANSI colour", &name, names))
    }
}

impl TryFrom<String> for Rgb {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| {
            digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let wrong = || format!("{text:?} is not a colour; write it as \"#rrggbb\"");
        let [_, red, green, blue] = number.ok_or_else(wrong)?.to_be_bytes();
        Ok(Self([red, green, blue]))
    }
}

impl Rgb {
    /// Returns the nearest of the 16 colours.
    fn ansi(self) -> Ansi {
        let near = ANSI.iter().min_by_key(|(_, _, rgb)| self.distance(*rgb));
        near.map_or(Ansi::Default, |(_, color, _)| Ansi::Named(*color))
    }

    /// Returns the nearest of xterm's cube and greys; the first 16 of its 256 colours differ
    /// between terminals.
    pub(super) fn indexed(self) -> u8 {
        let cube = self.0.map(|channel| {
            let steps = (0_u8..).zip(CUBE);
            let near = steps.min_by_key(|(_, level)| level.abs_diff(channel));
            near.map_or(0, |(step, _)| step)
        });
        let mean = self
            .0
            .iter()
            .map(|&channel| u16::from(channel))
            .sum::<u16>()
            / 3;
        let grey = mean.saturating_sub(3) / 10;
        let grey = grey.min(23) as u8;
        let cube_rgb = cube.map(|step| CUBE[usize::from(step)]);
        if self.distance([8 + 10 * grey; 3]) < self.distance(cube_rgb) {
            232 + grey
        } else {
            16 + 36 * cube[0] + 6 * cube[1] + cube[2]
        }
    }

    pub(super) fn distance(self, other: [u8; 3]) -> u32 {
        self.0
            .iter()
            .zip(other)
            .map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2))
            .sum()
    }
}

/// Levels of a channel in xterm's colour cube.
pub(super) const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Converts role styles for a palette and a number of colours.
struct Paint<'p> {
    palette: &'p BTreeMap<String, Ink>,
    depth: ColorDepth,
    /// The terminal's default colour among the 16.
    default: Color,
}

impl Paint<'_> {
    fn style(&self, look: &RoleStyle) -> Style {
        let fg = self.ink(look.fg.as_ref());
        let bg = self.ink(look.bg.as_ref());
        let few = self.depth == ColorDepth::Ansi16;
        let add = look.add16.filter(|_| few).unwrap_or(look.add);
        let mut style = Style::new().add_modifier(add.0);
        style.fg = fg.and_then(|ink| self.color(ink));
        // Resetting the background would erase the one below; an unset background leaves it
        // visible.
        style.bg = bg
            .filter(|ink| !few || matches!(ink.ansi(), Ansi::Named(_)))
            .and_then(|ink| self.color(ink));
        match fg {
            Some(ink) if few && ink.ansi() == Ansi::Dim => style.add_modifier(Modifier::DIM),
            // A colour over a dimmed one must not be dimmed.
            Some(_) if few => style.remove_modifier(Modifier::DIM),
            _ => style,
        }
    }

    fn ink(&self, name: Option<&Spanned<InkName>>) -> Option<Ink> {
        match name?.get_ref() {
            InkName::Named(name) => self.palette.get(name).copied(),
            InkName::Own(ink) => Some(*ink),
        }
    }

    fn color(&self, ink: Ink) -> Option<Color> {
        let Rgb([red, green, blue]) = ink.rgb;
        match self.depth {
            ColorDepth::None => None,
            ColorDepth::Ansi16 => Some(match ink.ansi() {
                Ansi::Default | Ansi::Dim => self.default,
                Ansi::Named(color) => color,
            }),
            ColorDepth::Ansi256 => Some(Color::Indexed(ink.rgb.indexed())),
            ColorDepth::True => Some(Color::Rgb(red, green, blue)),
        }
    }
}
