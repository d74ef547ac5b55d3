//! Themes as they are shown: contrasts, pairs that meet, and what is said of a file.

use ratatui::style::Color;

use super::file::{CUBE, Rgb};
use super::*;

const DEPTHS: [ColorDepth; 4] = [
    ColorDepth::None,
    ColorDepth::Ansi16,
    ColorDepth::Ansi256,
    ColorDepth::True,
];
/// The presets with colours, and the terminal background each is judged against.
const COLOURED: [(Preset, [u8; 3]); 2] = [(Preset::Dark, [0x1c; 3]), (Preset::Light, [0xff; 3])];
/// Lines and empty bars: seen, not read.
const DECORATION: [&str; 4] = ["border", "border_focus", "table", "ramp_empty"];
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
fn every_preset_reads_and_is_whole() {
    for preset in Preset::ALL {
        if let Err(fault) = ThemeFile::of_preset(preset) {
            panic!("{}: {fault}", preset.name());
        }
    }
}

#[test]
fn a_file_says_what_differs_from_its_base() {
    let file = "base = \"light\"\n[palette]\nblue = \"#0000ff\"\nlime = { rgb = \"#00ff00\", \
                ansi = \"green\" }\n[roles]\nmark = \"lime\"\ntie = { fg = \"#ff0000\", add = \
                [\"bold\"] }\n";
    let file = ThemeFile::parse(file).expect("a theme");
    assert_eq!(file.base(), Preset::Light);
    let own = file.theme(ColorDepth::True);
    let light = Theme::load(Preset::Light, ColorDepth::True);
    assert_eq!(own.mark.fg, Some(Color::Rgb(0, 255, 0)));
    assert_eq!(
        own.tie,
        Style::new()
            .fg(Color::Rgb(255, 0, 0))
            .add_modifier(Modifier::BOLD)
    );
    assert_eq!(own.side_a.fg, Some(Color::Rgb(0, 0, 255)), "of the palette");
    assert_eq!((own.side_b, own.ramp), (light.side_b, light.ramp));
    let few = file.theme(ColorDepth::Ansi16);
    assert_eq!(few.mark.fg, Some(Color::Green));
    assert_eq!(few.tie.fg, Some(Color::LightRed), "the nearest");
    let none = file.theme(ColorDepth::None);
    assert_eq!(none, Theme::load(Preset::Plain, ColorDepth::None));
    let dark = ThemeFile::parse("")
        .expect("a theme")
        .theme(ColorDepth::True);
    assert_eq!(dark, Theme::load(Preset::Dark, ColorDepth::True));
}

#[test]
fn mistakes_in_a_file_are_told() {
    for (file, says) in [
        (
            "base = \"drak\"",
            "line 1, key base: there is no built-in theme `drak`; did you mean `dark`?",
        ),
        (
            "[role]\nmark = \"gold\"",
            "line 1, key role: there is no table `role`; did you mean `roles`?",
        ),
        (
            "[roles]\nsparkle = \"gold\"",
            "line 2, key roles.sparkle: there is no role `sparkle`; there are text, dim, faint, \
             header, header_brand, header_query, status, status_key, border, border_focus, \
             title, title_focus, selection, selection_dim, side_a, side_b, side_c, side_d, popup, mistake, \
             cursor, winner, tie, ramp_empty, gain, loss, warning, error, mark, finding, \
             turn_user, turn_assistant, turn_system, strong, emphasis, strike, code, code_block, \
             heading, quote, link, marker, rule, table, hidden, citation_live, \
             citation_dangling, citation_unused, common, only_a, only_b, hit, hit_here, key, \
             progress, ramp",
        ),
        (
            "[roles]\nside-a = \"gold\"",
            "line 2, key roles.side-a: there is no role `side-a`; did you mean `side_a`?",
        ),
        (
            "[roles]\nmark = \"glod\"",
            "line 2, key roles.mark: there is no colour of the palette `glod`; did you mean \
             `gold`?; or write one as \"#rrggbb\"",
        ),
        (
            "[roles]\nmark = { fg = \"#ff00f\" }",
            "line 2, key roles.mark.fg: \"#ff00f\" is not a colour; write it as \"#rrggbb\"",
        ),
        (
            "[roles]\nmark = { add = [\"bald\"] }",
            "line 2, key roles.mark.add: there is no modifier `bald`; did you mean `bold`?",
        ),
        (
            "[roles]\nmark = { color = \"gold\" }",
            "line 2, key roles.mark.color: there is no key `color`; there are fg, bg, add, add16",
        ),
        (
            "[roles]\nramp = [\"gold\"]",
            "line 2, key roles.ramp: expected five steps, the lowest rating first, found 1",
        ),
        (
            "[palette]\ngold = { rgb = \"#+08cb4\" }",
            "line 2, key palette.gold.rgb: \"#+08cb4\" is not a colour; write it as \"#rrggbb\"",
        ),
        (
            "[palette]\ngold = { rgb = \"#ffd700\", ansi = \"ligth-red\" }",
            "line 2, key palette.gold.ansi: there is no colour among the 16 `ligth-red`; did you \
             mean `light-red`?",
        ),
        (
            "[palette]\ngold = 7",
            "line 2, key palette.gold: expected a table, found integer `7`",
        ),
    ] {
        let faults = ThemeFile::parse(file).expect_err(says);
        let said: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(said, [says]);
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
                let [on, under] = [row.fg, row.bg].map(|color| rgb(color.expect("a colour")));
                let ratio = contrast(on, under);
                assert!(ratio >= least, "{} {depth:?}: {ratio:.2}", preset.name());
                assert!(
                    contrast(under, background) > 1.1,
                    "{} {depth:?}",
                    preset.name()
                );
            }
        }
        let few = Theme::load(preset, ColorDepth::Ansi16);
        for row in [few.selection, few.selection_dim] {
            assert!(row.add_modifier.contains(Modifier::REVERSED));
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
        Color::LightGreen,
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
                "selection"
                    | "selection_dim"
                    | "code"
                    | "code_block"
                    | "hit"
                    | "popup"
                    | "header"
                    | "status"
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
