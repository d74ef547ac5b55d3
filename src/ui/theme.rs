//! One style for each role on the screen, read from `assets/themes/*.toml`, so that drawing code
//! names what a thing is and never which colour it has, and a terminal with few colours or none is
//! served by the same code.

mod color_depth;
mod file;

use ratatui::style::{Modifier, Style};

pub use color_depth::ColorDepth;
pub(super) use file::ANSI;
pub use file::{ThemeFile, ThemeSide, json_schema as theme_json_schema};

use crate::app::named;
use crate::model::{ResponseId, Verdict};
use crate::query::Severity;

named! {
    /// The themes that are compiled in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Preset {
        /// For light text on a dark terminal.
        Dark "dark",
        /// For dark text on a light terminal.
        Light "light",
        /// No colour at all: reverse, bold, underline and the glyphs tell everything.
        Plain "plain",
    }
}

impl Preset {
    /// What it is for.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Dark => "for dark terminals",
            Self::Light => "for light terminals",
            Self::Plain => "no colours",
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

macro_rules! palettes {
    ($($name:literal $whose:literal,)*) => {
        /// The palettes that people know from their editors: name, file, and whose it is.
        pub static PALETTES: [(&str, &str, &str); [$($name),*].len()] = [$(
            ($name, include_str!(concat!("../../assets/themes/", $name, ".toml")), $whose),
        )*];
    };
}

palettes! {
    "catppuccin" "Mocha or Latte",
    "gruvbox" "dark or light",
    "rose-pine" "Main or Dawn",
    "solarized" "dark or light",
    "tokyo-night" "Night or Day",
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

        /// The names of all roles but the ramp.
        const ROLES: &[&str] = &[$(stringify!($role),)+];

        impl Theme {
            /// The theme whose roles have the styles that are given by their names.
            fn painted(style: impl Fn(&str) -> Style, ramp: [Style; 5]) -> Self {
                Self { $($role: style(stringify!($role)),)+ ramp }
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
    /// Response C.
    side_c,
    /// Response D.
    side_d,
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
    /// What both of two responses that are compared say.
    common,
    /// What only the left one of them says.
    only_a,
    /// What only the right one says.
    only_b,
    /// Text that a search found.
    hit,
    /// The hit on which one stands, on top of the others' style.
    hit_here,
    /// A key's name in help and empty states.
    key,
    /// How far background work has come.
    progress,
    /// The whole screen, under all else: nothing on the terminal's own background.
    screen,
}

impl Theme {
    /// The styles of `preset` in at most `depth` colours. Without colours it is `Plain`, whichever
    /// preset is asked for.
    pub fn load(preset: Preset, depth: ColorDepth) -> Self {
        let (preset, depth) = match depth {
            // The file of this one names no colours.
            ColorDepth::None => (Preset::Plain, ColorDepth::True),
            depth => (preset, depth),
        };
        ThemeFile::from(preset).side(preset).theme(depth, false)
    }

    /// How a response is told from others by its letter: A and B have colours of their own.
    pub const fn response(&self, response: ResponseId) -> Style {
        match response {
            ResponseId::A => self.side_a,
            ResponseId::B => self.side_b,
            ResponseId::C => self.side_c,
            ResponseId::D => self.side_d,
            _ => self.text,
        }
    }

    /// The colour of a verdict: that of its only best response; several share the plain text's.
    pub fn verdict(&self, verdict: Verdict) -> Style {
        match verdict {
            Verdict::Tie => self.tie,
            Verdict::Best(_) => verdict.winner().map_or(self.text, |id| self.response(id)),
        }
    }

    /// How bad a finding is.
    pub const fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Severe => self.error,
            Severity::Likely => self.finding,
            Severity::Slight => self.mark,
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

#[cfg(test)]
mod tests;
