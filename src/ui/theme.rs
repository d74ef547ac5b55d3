//! One style for each role on the screen, read from `assets/themes/*.toml`, so that drawing code
//! names what a thing is and never which colour it has, and a terminal with few colours or none is
//! served by the same code.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use crate::model::ResponseId;

/// The themes that are compiled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preset {
    /// For light text on a dark terminal.
    Dark,
    /// For dark text on a light terminal.
    Light,
    /// No colour at all: reverse, bold, underline and the glyphs tell everything.
    Plain,
}

impl Preset {
    /// All presets, in the order in which help names them.
    pub const ALL: [Self; 3] = [Self::Dark, Self::Light, Self::Plain];

    /// The word a user types for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Plain => "plain",
        }
    }

    const fn source(self) -> &'static str {
        match self {
            Self::Dark => include_str!("../../assets/themes/dark.toml"),
            Self::Light => include_str!("../../assets/themes/light.toml"),
            Self::Plain => include_str!("../../assets/themes/plain.toml"),
        }
    }
}

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColorDepth {
    /// None, or none wanted (`NO_COLOR`).
    None,
    /// The 16 named ones, whose look the user's terminal decides.
    Ansi16,
    /// The 6×6×6 cube and 24 greys of xterm.
    Ansi256,
    /// 24 bits.
    True,
}

impl ColorDepth {
    /// What the environment says: `NO_COLOR` (any text but the empty one) first, then `TERM` where
    /// it allows no more than 16 colours, then `COLORTERM`, then `TERM`. Some terminals are known
    /// by name, because `ssh` hands on `TERM` and, as a rule, not `COLORTERM`. Without `TERM` there
    /// is no colour.
    pub fn detect(env: &dyn Fn(&str) -> Option<String>) -> Self {
        let var = |name: &str| env(name).filter(|value| !value.is_empty());
        let term = var("TERM").unwrap_or_default();
        if var("NO_COLOR").is_some() || matches!(term.as_str(), "" | "dumb" | "vt100" | "vt220") {
            return Self::None;
        }
        if term == "linux" {
            return Self::Ansi16;
        }
        let direct = [
            "xterm-kitty",
            "xterm-ghostty",
            "alacritty",
            "foot",
            "wezterm",
        ];
        if matches!(var("COLORTERM").as_deref(), Some("truecolor" | "24bit"))
            || term.ends_with("-direct")
            || direct.contains(&term.as_str())
        {
            Self::True
        } else if term.ends_with("-256color") {
            Self::Ansi256
        } else {
            Self::Ansi16
        }
    }
}

/// Writes the list of roles once: the styles, the TOML table they are read from, and the way from
/// one to the other.
macro_rules! roles {
    ($($(#[$doc:meta])+ $role:ident,)+) => {
        /// A style for every role. Styles leave unset what they do not care about, so they are
        /// meant to be laid over each other (`side_a` over `selection`, `hit` over either).
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Theme {
            $($(#[$doc])+ pub $role: Style,)+
            /// Steps of the label ramp, lowest rating first.
            pub ramp: [Style; 5],
        }

        impl Theme {
            /// Every role by name (the ramp's steps as `ramp`, five times), for legends and tests.
            pub fn roles(&self) -> Vec<(&'static str, Style)> {
                let mut roles = vec![$((stringify!($role), self.$role),)+];
                roles.extend(self.ramp.iter().map(|step| ("ramp", *step)));
                roles
            }
        }

        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Roles {
            $($role: RoleStyle,)+
            ramp: [RoleStyle; 5],
        }

        impl Roles {
            fn paint(&self, paint: &Paint<'_>) -> Result<Theme, String> {
                let mut ramp = [Style::new(); 5];
                for (step, look) in ramp.iter_mut().zip(&self.ramp) {
                    *step = paint.style(look)?;
                }
                Ok(Theme { $($role: paint.style(&self.$role)?,)+ ramp })
            }
        }
    };
}

roles! {
    /// Plain reading text: the terminal's own colour.
    text,
    /// Secondary text: counts, row numbers, names of labels.
    dim,
    /// What may be overlooked: placeholders, line ends.
    faint,
    /// The header line.
    header,
    /// The program's name in the header.
    header_brand,
    /// The query in the header.
    header_query,
    /// The status line.
    status,
    /// A key's name in the status line.
    status_key,
    /// A pane's border.
    border,
    /// The border of the pane that has the keys.
    border_focus,
    /// A pane's title.
    title,
    /// The title of the pane that has the keys.
    title_focus,
    /// The selected row of a list that has the keys.
    selection,
    /// The selected row while another pane has the keys.
    selection_dim,
    /// Response A: its letter, verdicts for it, its part of a diff or chart.
    side_a,
    /// Response B, likewise.
    side_b,
    /// What can be typed next, above the line that is typed.
    popup,
    /// The place of a mistake in the line that is typed, on top of its text.
    mistake,
    /// The cursor in the line that is typed, on top of its text.
    cursor,
    /// What the winner has on top of its side's style.
    winner,
    /// A tie.
    tie,
    /// The empty part of a label bar.
    ramp_empty,
    /// A positive difference (`+2`).
    gain,
    /// A negative difference (`-2`).
    loss,
    /// Something to know before going on.
    warning,
    /// Something that failed; a malformed row.
    error,
    /// The reviewer's own mark.
    mark,
    /// Something suspicious in a sample.
    finding,
    /// Rule and name of a user's turn.
    turn_user,
    /// Rule and name of an assistant's turn.
    turn_assistant,
    /// Rule and name of a system's turn, and of any other.
    turn_system,
    /// Markdown `**strong**`.
    strong,
    /// Markdown `*emphasis*`.
    emphasis,
    /// Markdown `~~strike~~`.
    strike,
    /// Inline code.
    code,
    /// A block of code.
    code_block,
    /// A heading.
    heading,
    /// A quoted paragraph.
    quote,
    /// A link.
    link,
    /// A list's bullet or number.
    marker,
    /// A horizontal rule.
    rule,
    /// A table's borders.
    table,
    /// A glyph that stands for a character that cannot be shown.
    hidden,
    /// A citation whose quote is there.
    citation_live,
    /// A citation without a quote.
    citation_dangling,
    /// A quote that no citation names.
    citation_unused,
    /// Text that a search found.
    hit,
    /// The hit on which one stands, on top of the others' style.
    hit_here,
    /// A key's name in help and empty states.
    key,
    /// How far background work has come.
    progress,
}

impl Theme {
    /// The styles of `preset` in at most `depth` colours. Without colours it is `Plain`, whichever
    /// preset is asked for.
    pub fn load(preset: Preset, depth: ColorDepth) -> Self {
        let preset = if depth == ColorDepth::None {
            Preset::Plain
        } else {
            preset
        };
        // A test parses every preset at every depth; were one broken all the same, unstyled text is
        // still readable.
        parse(preset.source(), depth).unwrap_or_default()
    }

    /// How a response is told from others by its letter: A and B have colours of their own.
    pub const fn response(&self, response: ResponseId) -> Style {
        match response {
            ResponseId::A => self.side_a,
            ResponseId::B => self.side_b,
            _ => self.text,
        }
    }

    /// `style` on a row that has the style `row` (a selection). Where the row is reversed, `style`
    /// loses its colour unless it is reversed itself: coloured words would otherwise become
    /// coloured blocks.
    pub fn on_row(row: Style, style: Style) -> Style {
        let mut style = style;
        if row.add_modifier.contains(Modifier::REVERSED)
            && !style.add_modifier.contains(Modifier::REVERSED)
        {
            (style.fg, style.bg) = (None, None);
            style.add_modifier.remove(Modifier::DIM);
        }
        row.patch(style)
    }
}

/// Reads a theme file. The error is a sentence for whoever wrote the file.
fn parse(source: &str, depth: ColorDepth) -> Result<Theme, String> {
    let file: ThemeFile = toml::from_str(source).map_err(|error| error.to_string())?;
    file.roles.paint(&Paint {
        palette: &file.palette,
        depth,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeFile {
    #[serde(default)]
    palette: BTreeMap<String, Ink>,
    roles: Roles,
}

/// A colour, given twice: as it should be, and as the nearest of the 16 that every terminal has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ink {
    rgb: Rgb,
    ansi: Ansi,
}

/// How a role looks: colours by their names in the palette, and what else is done to the text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleStyle {
    fg: Option<String>,
    bg: Option<String>,
    #[serde(default)]
    add: Vec<Emphasis>,
    /// Taken instead of `add` where there are only 16 colours: a subtle background has no twin
    /// among them.
    add16: Option<Vec<Emphasis>>,
}

/// What is done to the text, by ratatui's names in lower case: `bold`, `crossed-out`.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "String")]
struct Emphasis(Modifier);

impl TryFrom<String> for Emphasis {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let name = text.to_uppercase().replace('-', "_");
        Modifier::from_name(&name)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is no modifier; bold, dim and italic are some"))
    }
}

/// A colour by ratatui's name for it (`light-red`), or one of two of the terminal's own.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "String")]
enum Ansi {
    Named(Color),
    /// The terminal's own colour: `default`.
    Default,
    /// The terminal's own foreground, dimmed: the named greys are the background in some terminals'
    /// palettes.
    Dim,
}

impl TryFrom<String> for Ansi {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "default" => Ok(Self::Default),
            "dim" => Ok(Self::Dim),
            name => match name.parse() {
                Err(_) | Ok(Color::Rgb(..) | Color::Indexed(_)) => Err(format!(
                    "{name:?} is not one of the 16 colours, nor \"default\" or \"dim\""
                )),
                Ok(color) => Ok(Self::Named(color)),
            },
        }
    }
}

impl Ansi {
    const fn color(self) -> Color {
        match self {
            Self::Default | Self::Dim => Color::Reset,
            Self::Named(color) => color,
        }
    }
}

/// `#rrggbb`.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "String")]
struct Rgb([u8; 3]);

impl TryFrom<String> for Rgb {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a colour; write it as \"#rrggbb\"");
        let digits = text.strip_prefix('#').ok_or_else(wrong)?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Self([red, green, blue]))
    }
}

impl Rgb {
    /// The nearest entry of xterm's 256 colours, among its cube and its greys (the first 16 differ
    /// between terminals).
    fn indexed(self) -> u8 {
        let cube = self.0.map(|channel| nearest(&CUBE, channel));
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

    fn distance(self, other: [u8; 3]) -> u32 {
        self.0
            .iter()
            .zip(other)
            .map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2))
            .sum()
    }
}

/// The levels of one channel in xterm's colour cube.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn nearest(levels: &[u8; 6], channel: u8) -> u8 {
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
    fn style(&self, look: &RoleStyle) -> Result<Style, String> {
        let fg = self.ink(look.fg.as_deref())?;
        let bg = self.ink(look.bg.as_deref())?;
        let few = self.depth == ColorDepth::Ansi16;
        let add = look.add16.as_ref().filter(|_| few).unwrap_or(&look.add);
        let mut style = add.iter().fold(Style::new(), |style, emphasis| {
            style.add_modifier(emphasis.0)
        });
        style.fg = fg.and_then(|ink| self.color(ink));
        // Resetting the background would wipe out the one below; leaving it unset lets that shine
        // through.
        style.bg = bg
            .and_then(|ink| self.color(ink))
            .filter(|color| *color != Color::Reset);
        Ok(match fg {
            Some(Ink {
                ansi: Ansi::Dim, ..
            }) if few => style.add_modifier(Modifier::DIM),
            // A colour laid over a dimmed one is not dimmed.
            Some(_) if few => style.remove_modifier(Modifier::DIM),
            _ => style,
        })
    }

    fn ink(&self, name: Option<&str>) -> Result<Option<&Ink>, String> {
        let find = |name| {
            self.palette
                .get(name)
                .ok_or_else(|| format!("the palette has no colour {name:?}"))
        };
        name.map(find).transpose()
    }

    fn color(&self, ink: &Ink) -> Option<Color> {
        let Rgb([red, green, blue]) = ink.rgb;
        match self.depth {
            ColorDepth::None => None,
            ColorDepth::Ansi16 => Some(ink.ansi.color()),
            ColorDepth::Ansi256 => Some(Color::Indexed(ink.rgb.indexed())),
            ColorDepth::True => Some(Color::Rgb(red, green, blue)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTHS: [ColorDepth; 4] = [
        ColorDepth::None,
        ColorDepth::Ansi16,
        ColorDepth::Ansi256,
        ColorDepth::True,
    ];
    /// The presets with colours, and the terminal background each is judged against.
    const COLOURED: [(Preset, [u8; 3]); 2] =
        [(Preset::Dark, [0x1c; 3]), (Preset::Light, [0xff; 3])];
    /// Lines and empty bars: seen, not read.
    const DECORATION: [&str; 5] = ["border", "border_focus", "rule", "table", "ramp_empty"];
    /// Read only by those who look for it, or bars beside their number.
    const QUIET: [&str; 6] = [
        "dim",
        "faint",
        "hidden",
        "strike",
        "citation_unused",
        "ramp",
    ];

    fn rgb(color: Color) -> [u8; 3] {
        match color {
            Color::Rgb(red, green, blue) => [red, green, blue],
            Color::Indexed(index @ 232..) => [8 + 10 * (index - 232); 3],
            Color::Indexed(index @ 16..) => {
                let index = index - 16;
                [index / 36, index / 6 % 6, index % 6].map(|step| CUBE[usize::from(step)])
            }
            other => panic!("{other:?} has no colour of its own"),
        }
    }

    fn linear(rgb: [u8; 3]) -> [f64; 3] {
        rgb.map(|channel| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// Contrast ratio, 1 to 21, by WCAG 2.1.
    fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
        let luminance = |rgb| {
            let [red, green, blue] = linear(rgb);
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    /// The three dichromacies of Machado, Oliveira and Fernandes 2009, at full severity, as
    /// matrices over linear RGB.
    const DICHROMACIES: [(&str, [[f64; 3]; 3]); 3] = [
        (
            "protanopia",
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
        ),
        (
            "tritanopia",
            [
                [1.255528, -0.076749, -0.178779],
                [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900],
            ],
        ),
    ];

    /// Distance of two linear colours in OKLab (Ottosson 2020), where 0.02 is just noticeable and
    /// black to white is 1.
    fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
        let lab = |[r, g, b]: [f64; 3]| {
            let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
                .max(0.0)
                .cbrt();
            let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
                .max(0.0)
                .cbrt();
            let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
                .max(0.0)
                .cbrt();
            [
                0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
            ]
        };
        let (one, other) = (lab(one), lab(other));
        one.iter()
            .zip(other)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    #[test]
    fn every_preset_parses_at_every_depth() {
        for preset in Preset::ALL {
            for depth in DEPTHS {
                if let Err(error) = parse(preset.source(), depth) {
                    panic!("{}: {error}", preset.name());
                }
            }
        }
    }

    #[test]
    fn mistakes_in_a_file_are_named() {
        let dark = Preset::Dark.source();
        let cases = [
            (dark.replace("[roles]", "[roles]\nsparkle = {}"), "sparkle"),
            (dark.replace("mark              =", "# mark ="), "mark"),
            (dark.replace("fg = \"rose\"", "fg = \"pink\""), "pink"),
            (dark.replace("#f08cb4", "#f08cb"), "#rrggbb"),
            (dark.replace("#f08cb4", "#+08cb4"), "#rrggbb"),
            (dark.replace("\"reversed\"", "\"inverted\""), "no modifier"),
            (
                dark.replace("ansi = \"light-red\"", "ansi = \"scarlet\""),
                "not one of the 16",
            ),
            (
                dark.replace("ansi = \"light-red\"", "ansi = \"#ff0000\""),
                "not one of the 16",
            ),
        ];
        for (source, expected) in cases {
            let error = parse(&source, ColorDepth::True).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn text_can_be_read_where_it_stands() {
        for (preset, background) in COLOURED {
            for depth in [ColorDepth::Ansi256, ColorDepth::True] {
                let theme = Theme::load(preset, depth);
                for (role, style) in theme.roles() {
                    let Some(fg) = style.fg else { continue };
                    let least = match role {
                        _ if DECORATION.contains(&role) => 1.7,
                        _ if QUIET.contains(&role) => 3.0,
                        _ => 4.5,
                    };
                    let own = style.bg.map_or(background, rgb);
                    let ratio = contrast(rgb(fg), own);
                    assert!(
                        ratio >= least,
                        "{} {depth:?} {role}: {ratio:.2}",
                        preset.name()
                    );
                }
            }
        }
    }

    #[test]
    fn the_selected_row_stands_out_from_the_screen() {
        for (preset, background) in COLOURED {
            for depth in [ColorDepth::Ansi256, ColorDepth::True] {
                let theme = Theme::load(preset, depth);
                for (row, least) in [(theme.selection, 7.0), (theme.selection_dim, 4.5)] {
                    // Reversed: the bar has the colour, and what is written on it the screen's.
                    assert!(row.add_modifier.contains(Modifier::REVERSED));
                    let ratio = contrast(rgb(row.fg.expect("a colour")), background);
                    assert!(ratio >= least, "{} {depth:?}: {ratio:.2}", preset.name());
                }
            }
        }
    }

    #[test]
    fn a_ramp_rises_in_contrast() {
        for (preset, background) in COLOURED {
            for depth in [ColorDepth::Ansi256, ColorDepth::True] {
                let ramp = Theme::load(preset, depth).ramp;
                let ratios = ramp.map(|step| contrast(rgb(step.fg.expect("a colour")), background));
                assert!(
                    ratios.is_sorted_by(|low, high| low * 1.1 < *high),
                    "{} {depth:?} {ratios:.2?}",
                    preset.name()
                );
            }
        }
    }

    #[test]
    fn colour_blind_readers_tell_the_pairs_apart() {
        for (preset, _) in COLOURED {
            for depth in [ColorDepth::Ansi256, ColorDepth::True] {
                let theme = Theme::load(preset, depth);
                let pairs = [
                    ("sides", theme.side_a, theme.side_b, 0.15),
                    ("change", theme.gain, theme.loss, 0.05),
                    ("turns", theme.turn_user, theme.turn_assistant, 0.05),
                ];
                for (name, one, other, least) in pairs {
                    let [one, other] =
                        [one, other].map(|style| linear(rgb(style.fg.expect("a colour"))));
                    for (sight, matrix) in DICHROMACIES {
                        let seen = |color: [f64; 3]| {
                            matrix.map(|row| row.iter().zip(color).map(|(a, b)| a * b).sum::<f64>())
                        };
                        let apart = distance(seen(one), seen(other));
                        assert!(
                            apart >= least,
                            "{} {depth:?} {name} {sight}: {apart:.3}",
                            preset.name()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn sixteen_colours_suit_their_background() {
        let on_white = [Color::Reset, Color::Red, Color::Blue, Color::Magenta];
        let on_black = [
            Color::Reset,
            Color::Green,
            Color::Yellow,
            Color::Cyan,
            Color::White,
            Color::LightRed,
            Color::LightBlue,
            Color::LightMagenta,
            Color::LightYellow,
            Color::LightCyan,
        ];
        for (preset, readable) in [
            (Preset::Light, &on_white[..]),
            (Preset::Dark, &on_black[..]),
        ] {
            for (role, style) in Theme::load(preset, ColorDepth::Ansi16).roles() {
                assert!(
                    style.fg.is_none_or(|fg| readable.contains(&fg)),
                    "{} {role}",
                    preset.name()
                );
                assert_eq!(
                    style.bg,
                    None,
                    "{} {role}: no two terminals show a background alike",
                    preset.name()
                );
            }
        }
    }

    #[test]
    fn a_colour_over_a_dimmed_one_is_not_dimmed() {
        for preset in [Preset::Dark, Preset::Light] {
            let theme = Theme::load(preset, ColorDepth::Ansi16);
            assert!(theme.header.add_modifier.contains(Modifier::DIM));
            let brand = theme.header.patch(theme.header_brand);
            assert!(
                !brand.add_modifier.contains(Modifier::DIM),
                "{}",
                preset.name()
            );
        }
    }

    #[test]
    fn a_reversed_row_keeps_one_colour_but_shows_hits() {
        for (preset, depth) in [
            (Preset::Dark, ColorDepth::Ansi16),
            (Preset::Light, ColorDepth::Ansi16),
            (Preset::Plain, ColorDepth::None),
        ] {
            let theme = Theme::load(preset, depth);
            let side = Theme::on_row(theme.selection, theme.side_a);
            assert_eq!(
                (side.fg, side.bg),
                (theme.selection.fg, theme.selection.bg),
                "{}",
                preset.name()
            );
            assert_ne!(
                Theme::on_row(theme.selection, theme.hit),
                side,
                "{}",
                preset.name()
            );
        }
    }

    #[test]
    fn backgrounds_are_few() {
        for (preset, _) in COLOURED {
            for (role, style) in Theme::load(preset, ColorDepth::True).roles() {
                let may = matches!(
                    role,
                    "selection" | "selection_dim" | "code_block" | "hit" | "popup"
                );
                assert!(
                    style.bg.is_none() || (may && style.fg.is_some()),
                    "{} {role}",
                    preset.name()
                );
            }
        }
    }

    #[test]
    fn what_meets_on_one_spot_differs_at_every_depth() {
        for preset in Preset::ALL {
            for depth in DEPTHS {
                let theme = Theme::load(preset, depth);
                let pairs = [
                    ("selected or not", theme.text, theme.selection),
                    (
                        "list with or without keys",
                        theme.selection,
                        theme.selection_dim,
                    ),
                    (
                        "hit on the selected row",
                        theme.selection,
                        Theme::on_row(theme.selection, theme.hit),
                    ),
                    (
                        "hit in a heading",
                        theme.heading,
                        theme.heading.patch(theme.hit),
                    ),
                    (
                        "pane with or without keys",
                        theme.border,
                        theme.border_focus,
                    ),
                    ("title with or without keys", theme.title, theme.title_focus),
                    (
                        "bar full or empty",
                        theme.ramp[0].add_modifier(Modifier::HIDDEN),
                        theme.ramp_empty,
                    ),
                    ("citations", theme.citation_live, theme.citation_dangling),
                    ("winner", theme.side_a, theme.side_a.patch(theme.winner)),
                    ("turns", theme.turn_user, theme.turn_assistant),
                ];
                for (name, one, other) in pairs {
                    assert_ne!(one, other, "{} {depth:?} {name}", preset.name());
                }
            }
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        for preset in Preset::ALL {
            for (preset, depth) in [
                (preset, ColorDepth::None),
                (Preset::Plain, ColorDepth::True),
            ] {
                let theme = Theme::load(preset, depth);
                assert_eq!(theme, Theme::load(Preset::Plain, ColorDepth::True));
                assert!(
                    theme
                        .roles()
                        .iter()
                        .all(|(_, style)| style.fg.is_none() && style.bg.is_none())
                );
            }
        }
    }

    #[test]
    fn the_environment_decides_the_depth() {
        let cases: [(&[(&str, &str)], ColorDepth); 14] = [
            (&[], ColorDepth::None),
            (
                &[("TERM", "dumb"), ("COLORTERM", "truecolor")],
                ColorDepth::None,
            ),
            (
                &[("TERM", "xterm-256color"), ("NO_COLOR", "1")],
                ColorDepth::None,
            ),
            (
                &[("TERM", "xterm-256color"), ("NO_COLOR", "")],
                ColorDepth::Ansi256,
            ),
            (
                &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")],
                ColorDepth::True,
            ),
            (
                &[("TERM", "xterm-256color"), ("COLORTERM", "24bit")],
                ColorDepth::True,
            ),
            (
                &[("TERM", "xterm-256color"), ("COLORTERM", "yes")],
                ColorDepth::Ansi256,
            ),
            (&[("TERM", "tmux-256color")], ColorDepth::Ansi256),
            (&[("TERM", "xterm-direct")], ColorDepth::True),
            (&[("TERM", "xterm-kitty")], ColorDepth::True),
            (&[("TERM", "xterm")], ColorDepth::Ansi16),
            (&[("TERM", "screen")], ColorDepth::Ansi16),
            (
                &[("TERM", "linux"), ("COLORTERM", "truecolor")],
                ColorDepth::Ansi16,
            ),
            (&[("TERM", "vt100")], ColorDepth::None),
        ];
        for (vars, expected) in cases {
            let env = |name: &str| {
                vars.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(ColorDepth::detect(&env), expected, "{vars:?}");
        }
    }

    #[test]
    fn the_nearest_of_256_is_the_nearest() {
        let all: Vec<(u8, [u8; 3])> = (16..=255)
            .map(|index| (index, rgb(Color::Indexed(index))))
            .collect();
        for number in (0..0x0100_0000_u32).step_by(65_521) {
            let [_, red, green, blue] = number.to_be_bytes();
            let color = Rgb([red, green, blue]);
            let best = all.iter().map(|(_, rgb)| color.distance(*rgb)).min();
            let chosen = color.distance(rgb(Color::Indexed(color.indexed())));
            assert_eq!(Some(chosen), best, "{:?}", color.0);
        }
    }
}
