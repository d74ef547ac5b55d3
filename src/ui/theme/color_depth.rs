//! Detection of the number of colours.

/// Number of colours that the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColorDepth {
    /// None, or disabled by `NO_COLOR`.
    None,
    /// The 16 named colours, whose look is set in the terminal.
    Ansi16,
    /// The 6×6×6 cube and 24 greys of xterm.
    Ansi256,
    /// 24 bits.
    True,
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
