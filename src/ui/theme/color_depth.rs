//! Detection of the number of colours, and their values.

use ratatui::style::Color;

use crate::text::named_enum;

named_enum! {
    /// Number of colours that the terminal shows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ColorDepth {
        /// No colours
        ///
        /// Or disabled by `NO_COLOR`.
        None "none",
        /// The terminal's 16 colours
        ///
        /// They have names, and their look is set in the terminal.
        Ansi16 "16",
        /// 256 colours
        ///
        /// The 6×6×6 cube and 24 greys of xterm.
        Ansi256 "256",
        /// All colours
        ///
        /// 24 bits.
        True "true",
    }
}

impl ColorDepth {
    /// Detects the number of colours from the environment: `NO_COLOR` (if not empty) first, then
    /// `TERM` if it allows no more than 16 colours, then `COLORTERM`, then `TERM`. Some terminals
    /// are recognised by name, because `ssh` forwards `TERM` but usually not `COLORTERM`. Without
    /// `TERM` there are no colours.
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

/// The 16 colours, with xterm's values.
const ANSI: [(Color, u32); 16] = {
    use Color::*;
    [
        (Black, 0x000000),
        (Red, 0xcd0000),
        (Green, 0x00cd00),
        (Yellow, 0xcdcd00),
        (Blue, 0x0000ee),
        (Magenta, 0xcd00cd),
        (Cyan, 0x00cdcd),
        (Gray, 0xe5e5e5),
        (DarkGray, 0x7f7f7f),
        (LightRed, 0xff0000),
        (LightGreen, 0x00ff00),
        (LightYellow, 0xffff00),
        (LightBlue, 0x5c5cff),
        (LightMagenta, 0xff00ff),
        (LightCyan, 0x00ffff),
        (White, 0xffffff),
    ]
};

/// Returns `None` for the terminal's default colour. Named colours are xterm's.
pub fn rgb(color: Color) -> Option<[u8; 3]> {
    let index = match color {
        Color::Rgb(red, green, blue) => return Some([red, green, blue]),
        Color::Indexed(index) => usize::from(index),
        named => ANSI.iter().position(|(known, _)| *known == named)?,
    };
    Some(match index as u8 {
        0..16 => {
            let [_, rgb @ ..] = ANSI[index].1.to_be_bytes();
            rgb
        }
        index @ 16..232 => {
            let index = index - 16;
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            [index / 36, index / 6 % 6, index % 6].map(level)
        }
        index => [8 + 10 * (index - 232); 3],
    })
}
