//! Theme files: those of `assets/themes`, and a person's own, which say what differs from one of them.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};

use super::{ColorDepth, Preset, ROLES, Theme};
use crate::toml_file::{TomlEntry, TomlFault, TomlTable, TomlValue, no_such};

/// Name of the role that is a list of five.
const RAMP: &str = "ramp";

/// A theme as its file says it, for any number of colours.
#[derive(Debug, Clone)]
pub struct ThemeFile {
    base: Preset,
    palette: BTreeMap<String, Ink>,
    roles: BTreeMap<String, RoleStyle>,
    ramp: Vec<RoleStyle>,
}

/// A colour, given twice: as it should be, and as the nearest of the 16 that every terminal has.
#[derive(Debug, Clone, Copy)]
struct Ink {
    rgb: Rgb,
    ansi: Ansi,
}

/// How a role looks: colours, and what else is done to the text.
#[derive(Debug, Clone, Default)]
struct RoleStyle {
    fg: Option<InkName>,
    bg: Option<InkName>,
    add: Modifier,
    /// Taken instead of `add` where there are only 16 colours: a subtle background has no twin
    /// among them.
    add16: Option<Modifier>,
}

/// A colour of a role.
#[derive(Debug, Clone)]
enum InkName {
    /// That of the palette with this name.
    Named(String),
    /// This one.
    Own(Ink),
}

/// A colour by ratatui's name for it (`light-red`), or one of two of the terminal's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ansi {
    Named(Color),
    /// The terminal's own colour: `default`.
    Default,
    /// The terminal's own foreground, dimmed: the named greys are the background in some terminals'
    /// palettes.
    Dim,
}

/// `#rrggbb`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rgb(pub(super) [u8; 3]);

impl ThemeFile {
    /// A built-in theme.
    ///
    /// # Errors
    /// When its file does not read, or leaves a role out.
    pub(super) fn of_preset(preset: Preset) -> Result<Self, TomlFault> {
        let empty = Self {
            base: preset,
            palette: BTreeMap::new(),
            roles: BTreeMap::new(),
            ramp: Vec::new(),
        };
        let root = TomlTable::parse(preset.source())?;
        let mut faults = Vec::new();
        let file = empty.with(&root, &mut faults);
        let roles = root.must("roles")?.table()?;
        for role in ROLES.iter().copied().chain([RAMP]) {
            roles.must(role)?;
        }
        faults.into_iter().next().map_or(Ok(file), Err)
    }

    /// A person's own theme: what it says in place of the built-in one of `base`, which is dark where
    /// nothing is said.
    ///
    /// # Errors
    /// All that is wrong in it, from above.
    pub fn parse(text: &str) -> Result<Self, Vec<TomlFault>> {
        let root = TomlTable::parse(text).map_err(|fault| vec![fault])?;
        let base = root.get("base").map_or(Ok(Preset::Dark), |base| {
            let name = base.text()?;
            let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
            let names = Preset::ALL.map(Preset::name);
            found.ok_or_else(|| base.fault(no_such("built-in theme", name, names)))
        });
        let base = base.map_err(|fault| vec![fault])?;
        let whole = Self::of_preset(base).map_err(|fault| vec![fault])?;
        let mut faults = Vec::new();
        let file = whole.with(&root, &mut faults);
        faults.sort_by_key(|fault| fault.line);
        if faults.is_empty() {
            Ok(file)
        } else {
            Err(faults)
        }
    }

    /// The built-in theme that it stands on.
    pub const fn base(&self) -> Preset {
        self.base
    }

    /// The theme in at most `depth` colours; without any, the built-in one that needs none.
    pub fn theme(&self, depth: ColorDepth) -> Theme {
        if depth == ColorDepth::None {
            return Theme::load(Preset::Plain, depth);
        }
        self.painted(depth)
    }

    pub(super) fn painted(&self, depth: ColorDepth) -> Theme {
        let paint = Paint {
            palette: &self.palette,
            depth,
        };
        let mut ramp = [Style::new(); 5];
        for (step, look) in ramp.iter_mut().zip(&self.ramp) {
            *step = paint.style(look);
        }
        let style = |role: &str| self.roles.get(role).map(|look| paint.style(look));
        Theme::painted(|role| style(role).unwrap_or_default(), ramp)
    }

    /// This theme with what a file says on top; what is wrong there is left out, and said.
    fn with(mut self, root: &TomlTable<'_>, faults: &mut Vec<TomlFault>) -> Self {
        let mut tables = BTreeMap::new();
        for entry in root.entries() {
            match entry.name.as_str() {
                "base" => {}
                "palette" | "roles" => match entry.table() {
                    Ok(table) => drop(tables.insert(entry.name, table)),
                    Err(fault) => faults.push(fault),
                },
                _ => faults.push(entry.unknown("table", ["base", "palette", "roles"])),
            }
        }
        for entry in tables
            .get("palette")
            .into_iter()
            .flat_map(TomlTable::entries)
        {
            match Ink::read(&entry) {
                Ok(ink) => drop(self.palette.insert(entry.name, ink)),
                Err(fault) => faults.push(fault),
            }
        }
        for entry in tables.get("roles").into_iter().flat_map(TomlTable::entries) {
            if let Err(fault) = self.read_role(&entry) {
                faults.push(fault);
            }
        }
        self
    }

    fn read_role(&mut self, entry: &TomlEntry<'_>) -> Result<(), TomlFault> {
        if entry.name == RAMP {
            let steps = entry.list()?;
            if steps.len() != 5 {
                return Err(entry.fault(format!(
                    "five steps were expected here, the lowest rating first, and not {}",
                    steps.len()
                )));
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

    /// The style of a role; a colour alone is that of its text.
    fn read_style(&self, entry: &TomlEntry<'_>) -> Result<RoleStyle, TomlFault> {
        let mut style = RoleStyle::default();
        if let TomlValue::Text(_) = entry.value() {
            style.fg = Some(self.read_color(entry)?);
            return Ok(style);
        }
        for key in entry.table()?.entries() {
            match key.name.as_str() {
                "fg" => style.fg = Some(self.read_color(&key)?),
                "bg" => style.bg = Some(self.read_color(&key)?),
                "add" => style.add = read_modifiers(&key)?,
                "add16" => style.add16 = Some(read_modifiers(&key)?),
                _ => return Err(key.unknown("key", ["fg", "bg", "add", "add16"])),
            }
        }
        Ok(style)
    }

    fn read_color(&self, entry: &TomlEntry<'_>) -> Result<InkName, TomlFault> {
        let name = entry.text()?;
        if name.starts_with('#') {
            return Ink::read(entry).map(InkName::Own);
        }
        if self.palette.contains_key(name) {
            return Ok(InkName::Named(name.to_owned()));
        }
        let names: Vec<_> = self.palette.keys().map(String::as_str).collect();
        let what = no_such("colour of the palette", name, names);
        Err(entry.fault(format!("{what}; or write one as \"#rrggbb\"")))
    }
}

/// What is done to the text, by ratatui's names in lower case: `bold`, `crossed-out`.
fn read_modifiers(entry: &TomlEntry<'_>) -> Result<Modifier, TomlFault> {
    let mut modifiers = Modifier::empty();
    for word in entry.list()? {
        let text = word.text()?;
        let name = text.to_uppercase().replace('-', "_");
        let Some(modifier) = Modifier::from_name(&name) else {
            let names = Modifier::all().iter_names();
            let names: Vec<_> = names
                .map(|(name, _)| name.to_lowercase().replace('_', "-"))
                .collect();
            let names = names.iter().map(String::as_str);
            return Err(word.fault(no_such("modifier", text, names)));
        };
        modifiers |= modifier;
    }
    Ok(modifiers)
}

impl Ink {
    /// `"#rrggbb"`, or a table that says also which of 16 it is.
    fn read(entry: &TomlEntry<'_>) -> Result<Self, TomlFault> {
        if let TomlValue::Text(_) = entry.value() {
            let rgb = Rgb::read(entry)?;
            let ansi = rgb.ansi();
            return Ok(Self { rgb, ansi });
        }
        let table = entry.table()?;
        let rgb = Rgb::read(&table.must("rgb")?)?;
        let mut ansi = rgb.ansi();
        for key in table.entries() {
            match key.name.as_str() {
                "rgb" => {}
                "ansi" => ansi = Ansi::read(&key)?,
                _ => return Err(key.unknown("key", ["rgb", "ansi"])),
            }
        }
        Ok(Self { rgb, ansi })
    }
}

/// The 16 colours by name, with what xterm shows for them.
const ANSI: [(&str, Color, [u8; 3]); 16] = [
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

impl Ansi {
    fn read(entry: &TomlEntry<'_>) -> Result<Self, TomlFault> {
        let name = entry.text()?;
        match name {
            "default" => return Ok(Self::Default),
            "dim" => return Ok(Self::Dim),
            _ => {}
        }
        let named = ANSI.iter().find(|(known, ..)| *known == name);
        named
            .map(|(_, color, _)| Self::Named(*color))
            .ok_or_else(|| {
                let names = ANSI.iter().map(|(known, ..)| *known);
                let names: Vec<_> = names.chain(["default", "dim"]).collect();
                entry.fault(no_such("colour among the 16", name, names))
            })
    }

    const fn color(self) -> Color {
        match self {
            Self::Default | Self::Dim => Color::Reset,
            Self::Named(color) => color,
        }
    }
}

impl Rgb {
    fn read(entry: &TomlEntry<'_>) -> Result<Self, TomlFault> {
        let text = entry.text()?;
        let digits = text.strip_prefix('#').filter(|digits| {
            digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let number = number.ok_or_else(|| {
            entry.fault(format!("{text:?} is not a colour; write it as \"#rrggbb\""))
        })?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Self([red, green, blue]))
    }

    /// The nearest of the 16, where a file names none.
    fn ansi(self) -> Ansi {
        let near = ANSI.iter().min_by_key(|(_, _, rgb)| self.distance(*rgb));
        near.map_or(Ansi::Default, |(_, color, _)| Ansi::Named(*color))
    }

    /// The nearest entry of xterm's 256 colours, among its cube and its greys (the first 16 differ
    /// between terminals).
    pub(super) fn indexed(self) -> u8 {
        let cube = self.0.map(|channel| nearest_level(&CUBE, channel));
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

/// The levels of one channel in xterm's colour cube.
pub(super) const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn nearest_level(levels: &[u8; 6], channel: u8) -> u8 {
    (0u8..)
        .zip(levels)
        .min_by_key(|(_, level)| level.abs_diff(channel))
        .map_or(0, |(step, _)| step)
}

/// What turns a look into a style: the file's palette, and how many colours there are.
struct Paint<'p> {
    palette: &'p BTreeMap<String, Ink>,
    depth: ColorDepth,
}

impl Paint<'_> {
    fn style(&self, look: &RoleStyle) -> Style {
        let fg = self.ink(look.fg.as_ref());
        let bg = self.ink(look.bg.as_ref());
        let few = self.depth == ColorDepth::Ansi16;
        let add = look.add16.filter(|_| few).unwrap_or(look.add);
        let mut style = Style::new().add_modifier(add);
        style.fg = fg.and_then(|ink| self.color(ink));
        // Resetting the background would wipe out the one below; leaving it unset lets that shine
        // through.
        style.bg = bg
            .and_then(|ink| self.color(ink))
            .filter(|color| *color != Color::Reset);
        match fg {
            Some(Ink {
                ansi: Ansi::Dim, ..
            }) if few => style.add_modifier(Modifier::DIM),
            // A colour laid over a dimmed one is not dimmed.
            Some(_) if few => style.remove_modifier(Modifier::DIM),
            _ => style,
        }
    }

    fn ink(&self, name: Option<&InkName>) -> Option<Ink> {
        match name? {
            InkName::Named(name) => self.palette.get(name).copied(),
            InkName::Own(ink) => Some(*ink),
        }
    }

    fn color(&self, ink: Ink) -> Option<Color> {
        let Rgb([red, green, blue]) = ink.rgb;
        match self.depth {
            ColorDepth::None => None,
            ColorDepth::Ansi16 => Some(ink.ansi.color()),
            ColorDepth::Ansi256 => Some(Color::Indexed(ink.rgb.indexed())),
            ColorDepth::True => Some(Color::Rgb(red, green, blue)),
        }
    }
}
