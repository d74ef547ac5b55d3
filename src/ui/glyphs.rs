//! The symbols on the screen, each with an ASCII equivalent of the same width, so that the layout
//! is the same without Unicode.

use ratatui::symbols::{border, line};

use crate::query::Severity;

/// Declares the Unicode and ASCII sets from one list.
macro_rules! glyphs {
    ($($(#[doc = $doc:literal])* $glyph:ident: $type:ty = $unicode:expr, $ascii:expr;)*) => {
        /// A set of symbols. Every symbol fills exactly one cell, in both sets.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Glyphs {
            $($(#[doc = $doc])* pub $glyph: $type,)*
        }

        impl Glyphs {
            /// For terminals with Unicode. Symbols with an emoji form are avoided, because some
            /// terminals draw them two cells wide: `◂` instead of `◀` for the winner.
            pub const UNICODE: Self = Self { $($glyph: $unicode,)* };

            /// For all other terminals.
            pub const ASCII: Self = Self { $($glyph: $ascii,)* };

            /// For lines that are read aloud: no rules and bars, and numbers for column heights.
            pub const SPOKEN: Self = Self {
                border: border::EMPTY,
                rule: BLANK_RULE,
                bar_full: " ",
                bar_half: " ",
                bar_empty: " ",
                turn_rule: " ",
                columns: ["1", "2", "3", "4", "5", "6", "7"],
                ..Self::ASCII
            };
        }
    };
}

const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
const ASCII_RULE: line::Set<'static> = line::Set {
    vertical: "|",
    horizontal: "-",
    top_right: "+",
    top_left: "+",
    bottom_right: "+",
    bottom_left: "+",
    vertical_left: "+",
    vertical_right: "+",
    horizontal_down: "+",
    horizontal_up: "+",
    cross: "+",
};

const BLANK_RULE: line::Set<'static> = line::Set {
    vertical: " ",
    horizontal: " ",
    top_right: " ",
    top_left: " ",
    bottom_right: " ",
    bottom_left: " ",
    vertical_left: " ",
    vertical_right: " ",
    horizontal_down: " ",
    horizontal_up: " ",
    cross: " ",
};

glyphs! {
    /// Corners and sides of a pane.
    border: border::Set<'static> = border::PLAIN, ASCII_BORDER;
    /// Rules between panes and their junctions.
    rule: line::Set<'static> = line::NORMAL, ASCII_RULE;
    /// A full cell of a bar. A half cell and an empty cell follow.
    bar_full: &'static str = "━", "=";
    /// See [`Self::bar_full`].
    bar_half: &'static str = "╸", "-";
    /// See [`Self::bar_full`].
    bar_empty: &'static str = "─", ".";
    /// A malformed row.
    malformed: &'static str = "✗", "x";
    /// A finding.
    finding: &'static str = "⚑", "!";
    /// Severities: slight, likely and severe.
    severities: [&'static str; 3] = ["◇", "◆", "▲"], [".", "!", "#"];
    /// A mark of the reviewer.
    mark: &'static str = "★", "*";
    /// A note or a tag of the reviewer.
    note: &'static str = "≡", "n";
    /// Completely judged.
    judged: &'static str = "✓", "v";
    /// Partly judged.
    begun: &'static str = "∙", ".";
    /// Deferred.
    deferred: &'static str = "↻", "@";
    /// Skipped.
    skipped: &'static str = "–", "-";
    /// A response that matches the query, if the other one does not.
    matching: &'static str = "✓", "+";
    /// A tie.
    tie: &'static str = "=", "=";
    /// The rule in the left margin of a turn.
    turn_rule: &'static str = "▎", "|";
    /// Before the number of lines hidden above.
    above: &'static str = "↑", "^";
    /// Before the number of lines hidden below.
    below: &'static str = "↓", "v";
    /// Shows that text was cut off.
    ellipsis: &'static str = "…", "~";
    /// Between two facts on a line.
    separator: &'static str = "·", "-";
    /// Before the selected row, for terminals that show neither colour nor reverse video.
    selected: &'static str = "▌", ">";
    /// Between the values of A and B in the list.
    divider: &'static str = ":", ":";
    /// Column heights of a chart, lowest first. A full block would run into the row above.
    columns: [&'static str; 7] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"], ["_", ".", "-", "-", "=", "=", "#"];
}

impl Glyphs {
    /// Returns the filled and the empty part of a bar, filled to `part` (0 to 1) in steps of half a
    /// cell. A part above zero fills at least half a cell.
    pub fn bar(&self, part: f64, cells: usize) -> [String; 2] {
        let halves = (part * 2.0 * cells as f64).round() as usize;
        let halves = halves.max(usize::from(part > 0.0)).min(2 * cells);
        let (full, half) = (halves / 2, halves % 2);
        let filled = self.bar_full.repeat(full) + &self.bar_half.repeat(half);
        [filled, self.bar_empty.repeat(cells - full - half)]
    }

    /// Returns the column height for `count` of `most`; a space for 0.
    pub fn column(&self, count: usize, most: usize) -> &'static str {
        match count {
            0 => " ",
            count => {
                let levels = self.columns.len();
                self.columns[(count * levels).div_ceil(most.max(1)).clamp(1, levels) - 1]
            }
        }
    }

    /// Detects the symbols that the terminal can show: Unicode in a UTF-8 locale (the first of
    /// `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty), except on the Linux console and dumb
    /// terminals, whose fonts lack most of them.
    pub fn detect(env: &dyn Fn(&str) -> Option<String>) -> Self {
        let var = |name: &str| env(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(var)
            .unwrap_or_default()
            .to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        let poor = matches!(var("TERM").as_deref(), Some("linux" | "dumb"));
        if utf8 && !poor {
            Self::UNICODE
        } else {
            Self::ASCII
        }
    }

    /// Formats a suspicion score as the number of findings of each severity: `▲1 ◇3`.
    pub(super) fn suspicion(&self, suspicion: u32) -> String {
        Severity::counts(suspicion)
            .map(|(severity, count)| format!("{}{count}", self.severity(severity)))
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(super) fn severity(&self, severity: Severity) -> &'static str {
        self.severities[usize::from(severity.number()) - 1]
    }
}

/// Replaces symbols in the program's own texts by their ASCII equivalents.
pub(super) fn to_ascii(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '…' => out.push('~'),
            '·' | '–' => out.push('-'),
            '•' => out.push('*'),
            '─' => out.push('.'),
            '━' => out.push('='),
            '●' => out.push('o'),
            '╼' => out.push('<'),
            '╾' => out.push('>'),
            '╎' => out.push('|'),
            '╋' => out.push('+'),
            '◦' => out.push('o'),
            '▸' => out.push('>'),
            '▾' => out.push('v'),
            '↑' => out.push_str("Up"),
            '↓' => out.push_str("Down"),
            '←' => out.push_str("Left"),
            '→' => out.push_str("Right"),
            other => out.push(other),
        }
    }
    out
}

/// Returns the symbols with their meanings, which the help lists after the keys.
pub fn legend(glyphs: &Glyphs) -> Vec<(String, &'static str)> {
    let bar = [0, 2, 6].map(|height| glyphs.columns[height]).concat();
    vec![
        (
            bar,
            "histogram of a label: A left, B right; the sample's own are bright",
        ),
        (
            glyphs.tie.to_owned(),
            "a tie in the deciding label or score; the margin is A minus B",
        ),
        (
            glyphs.malformed.to_owned(),
            "a malformed row: it does not match its schema",
        ),
        (
            glyphs.finding.to_owned(),
            "a finding: a citation without its quote, hidden characters, a row read leniently",
        ),
        (
            glyphs.matching.to_owned(),
            "the response that matches the filter, if only one does",
        ),
        (
            format!("{} {}", glyphs.judged, glyphs.begun),
            "in the list: you rated the sample; in an audit: completely judged, partly judged",
        ),
        (
            format!("{} {}", glyphs.skipped, glyphs.deferred),
            "in an audit: skipped; deferred",
        ),
        (
            format!("{} {}", glyphs.mark, glyphs.note),
            "you marked the sample; you added a note or a tag",
        ),
        (
            "y n ?".to_owned(),
            "in the list: you checked the sample; the dataset is right, wrong, unclear about it",
        ),
        (
            "[1]".to_owned(),
            "a citation; underlined in another colour if no quote has its number",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::text::Span;

    /// Returns all symbols by name.
    fn all(glyphs: &Glyphs) -> Vec<(&'static str, &'static str)> {
        let border = &glyphs.border;
        vec![
            ("border.top_left", border.top_left),
            ("border.top_right", border.top_right),
            ("border.bottom_left", border.bottom_left),
            ("border.bottom_right", border.bottom_right),
            ("border.vertical_left", border.vertical_left),
            ("border.vertical_right", border.vertical_right),
            ("border.horizontal_top", border.horizontal_top),
            ("border.horizontal_bottom", border.horizontal_bottom),
            ("bar_full", glyphs.bar_full),
            ("bar_empty", glyphs.bar_empty),
            ("malformed", glyphs.malformed),
            ("finding", glyphs.finding),
            ("severities.slight", glyphs.severities[0]),
            ("severities.likely", glyphs.severities[1]),
            ("severities.severe", glyphs.severities[2]),
            ("mark", glyphs.mark),
            ("matching", glyphs.matching),
            ("tie", glyphs.tie),
            ("turn_rule", glyphs.turn_rule),
            ("above", glyphs.above),
            ("below", glyphs.below),
            ("ellipsis", glyphs.ellipsis),
            ("separator", glyphs.separator),
            ("selected", glyphs.selected),
            ("divider", glyphs.divider),
            ("bar_half", glyphs.bar_half),
        ]
    }

    #[test]
    fn every_sign_fills_one_cell_in_both_sets() {
        for (name, sign) in [all(&Glyphs::UNICODE), all(&Glyphs::ASCII)].concat() {
            assert_eq!(Span::raw(sign).width(), 1, "{name} {sign:?}");
            assert_eq!(sign.chars().count(), 1, "{name} {sign:?}");
        }
        assert!(all(&Glyphs::ASCII).iter().all(|(_, sign)| sign.is_ascii()));
    }

    #[test]
    fn no_sign_has_an_emoji_form() {
        let with_emoji_selector = |sign: &str| Span::raw(format!("{sign}\u{fe0f}")).width();
        assert_eq!(
            with_emoji_selector("◀"),
            2,
            "the probe must know an emoji when it sees one"
        );
        for (name, sign) in all(&Glyphs::UNICODE) {
            assert_eq!(with_emoji_selector(sign), 1, "{name} {sign:?}");
        }
    }

    #[test]
    fn symbols_for_one_place_differ() {
        for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
            let places: [&[&str]; 4] = [
                &glyphs.severities,
                &[glyphs.bar_full, glyphs.bar_half, glyphs.bar_empty],
                &[
                    glyphs.malformed,
                    glyphs.finding,
                    glyphs.mark,
                    glyphs.selected,
                ],
                &[glyphs.tie, glyphs.matching],
            ];
            for place in places {
                for (at, sign) in place.iter().enumerate() {
                    assert!(!place[..at].contains(sign), "{sign:?} twice in {place:?}");
                }
            }
        }
    }

    #[test]
    fn bars_fill_by_half_cells_and_show_any_share_above_zero() {
        let cases = [
            (0.0, "────"),
            (0.001, "╸───"),
            (0.3, "━───"),
            (0.4, "━╸──"),
            (0.999, "━━━━"),
            (1.0, "━━━━"),
            (7.0, "━━━━"),
        ];
        for (part, bar) in cases {
            assert_eq!(Glyphs::UNICODE.bar(part, 4).concat(), bar, "{part}");
        }
        assert_eq!(Glyphs::ASCII.bar(0.4, 4).concat(), "=-..");
        assert_eq!(Glyphs::ASCII.bar(0.4, 0).concat(), "");
    }

    #[test]
    fn the_environment_decides() {
        let cases: [(&[(&str, &str)], Glyphs); 9] = [
            (&[], Glyphs::ASCII),
            (&[("LANG", "en_US.UTF-8")], Glyphs::UNICODE),
            (&[("LANG", "de_DE.utf8")], Glyphs::UNICODE),
            (&[("LANG", "C")], Glyphs::ASCII),
            (
                &[("LANG", "en_US.UTF-8"), ("LC_CTYPE", "POSIX")],
                Glyphs::ASCII,
            ),
            (
                &[("LC_CTYPE", "POSIX"), ("LC_ALL", "C.UTF-8")],
                Glyphs::UNICODE,
            ),
            (&[("LANG", "C.UTF-8"), ("LC_ALL", "")], Glyphs::UNICODE),
            (&[("LANG", "C.UTF-8"), ("TERM", "linux")], Glyphs::ASCII),
            (
                &[("LANG", "C.UTF-8"), ("TERM", "xterm-256color")],
                Glyphs::UNICODE,
            ),
        ];
        for (vars, expected) in cases {
            let env = |name: &str| {
                vars.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Glyphs::detect(&env).bar_full, expected.bar_full, "{vars:?}");
        }
    }
}
