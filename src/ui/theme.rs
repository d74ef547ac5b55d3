//! Themes: a style for each role on the screen, read from `assets/themes/*.toml`. Drawing code
//! names roles and not colours, so that it also works on terminals with few colours or none.

mod color_depth;
mod file;

use ratatui::style::{Modifier, Style};
use serde::Deserialize;

pub use color_depth::ColorDepth;
pub(super) use color_depth::rgb;
pub use file::{ThemeFile, ThemeSide};

use crate::model::{ResponseId, Verdict};
use crate::query::Severity;
use crate::text::named_enum;

named_enum! {
    /// The built-in themes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Preset {
        /// For dark terminals.
        Dark "dark",
        /// For light terminals.
        Light "light",
        /// Without colours: uses reverse, bold, underline and symbols only.
        Plain "plain",
    }
}

impl Preset {
    /// Returns a short description.
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
        /// Palettes known from editors: name, file, and variants.
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

/// Declares the roles once: the struct, its TOML keys, and the mapping between them.
macro_rules! roles {
    ($($(#[$doc:meta])+ $role:ident,)+) => {
        /// A style for each role. Styles leave unneeded properties unset, so that they can be
        /// combined (`side_a` over `selection`, `hit` over either).
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Theme {
            $($(#[$doc])+ pub $role: Style,)+
            /// Steps of the label ramp, lowest rating first.
            pub ramp: [Style; 5],
        }

        impl Theme {
            /// Returns all roles by name; the steps of the ramp as five `ramp`.
            pub fn roles(&self) -> Vec<(&'static str, Style)> {
                let mut roles = vec![$((stringify!($role), self.$role),)+];
                roles.extend(self.ramp.iter().map(|step| ("ramp", *step)));
                roles
            }

            /// Builds a theme from the styles of its roles.
            fn painted(style: impl Fn(&str) -> Style) -> Self {
                Self {
                    $($role: style(stringify!($role)),)+
                    ramp: std::array::from_fn(|step| style(&format!("ramp{step}"))),
                }
            }
        }
    };
}

roles! {
    /// Plain text, in the terminal's own colour.
    text,
    /// Secondary text: counts, row numbers, names of labels.
    dim,
    /// Unimportant text: placeholders, line ends.
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
    /// The border of the focused pane.
    border_focus,
    /// A pane's title.
    title,
    /// The title of the focused pane.
    title_focus,
    /// The selected row of a focused list.
    selection,
    /// The selected row while another pane is focused.
    selection_dim,
    /// Response A: its letter, verdicts for it, its part of a diff or chart.
    side_a,
    /// Response B.
    side_b,
    /// Response C.
    side_c,
    /// Response D.
    side_d,
    /// Suggestions beside the input line.
    popup,
    /// The position of an error in the input line, over the text style.
    mistake,
    /// The cursor in the input line, over the text style.
    cursor,
    /// The winner, over the style of its side.
    winner,
    /// A tie.
    tie,
    /// The empty part of a label bar.
    ramp_empty,
    /// A positive difference (`+2`).
    gain,
    /// A negative difference (`-2`).
    loss,
    /// A warning.
    warning,
    /// An error; a malformed row.
    error,
    /// A mark of the reviewer.
    mark,
    /// A finding.
    finding,
    /// Rule and name of a user's turn.
    turn_user,
    /// Rule and name of an assistant's turn.
    turn_assistant,
    /// Rule and name of a system turn, and of turns in other roles.
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
    /// A glyph in place of a character that cannot be shown.
    hidden,
    /// A citation whose quote exists.
    citation_live,
    /// A citation without a quote.
    citation_dangling,
    /// A quote without a citation.
    citation_unused,
    /// Words that both compared responses contain.
    common,
    /// Words that only the left response contains.
    only_a,
    /// Words that only the right response contains.
    only_b,
    /// A hit.
    hit,
    /// The current hit, over the style of hits.
    hit_here,
    /// A key's name in help and empty states.
    key,
    /// Progress of background work.
    progress,
    /// The whole screen, below everything else; unset on the terminal's own background.
    screen,
}

impl Theme {
    /// Loads a built-in theme in at most `depth` colours. Without colours this is always `Plain`.
    pub fn load(preset: Preset, depth: ColorDepth) -> Self {
        ThemeFile::from(preset).side(preset).theme(depth, false)
    }

    /// Returns the style of a response by its letter.
    pub const fn response(&self, response: ResponseId) -> Style {
        match response {
            ResponseId::A => self.side_a,
            ResponseId::B => self.side_b,
            ResponseId::C => self.side_c,
            ResponseId::D => self.side_d,
            _ => self.text,
        }
    }

    /// Returns the style of a verdict: that of the winner's response, or plain text if several win.
    pub fn verdict(&self, verdict: Verdict) -> Style {
        match verdict {
            Verdict::Tie => self.tie,
            Verdict::Best(_) => verdict.winner().map_or(self.text, |id| self.response(id)),
        }
    }

    /// Returns the style of a severity.
    pub const fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Severe => self.error,
            Severity::Likely => self.finding,
            Severity::Slight => self.mark,
        }
    }

    /// Combines `style` with that of its `row` (a selection). On a reversed row `style` loses its
    /// colours unless it is reversed too: coloured words would become coloured blocks.
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
