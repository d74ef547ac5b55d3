//! Tests of themes: contrast, styles that are combined, and messages about invalid files.

use ratatui::style::Color;

use super::file::Rgb;
use super::*;

const DEPTHS: [ColorDepth; 4] = [
    ColorDepth::None,
    ColorDepth::Ansi16,
    ColorDepth::Ansi256,
    ColorDepth::True,
];
const RICH: [ColorDepth; 2] = [ColorDepth::Ansi256, ColorDepth::True];

/// Returns the sides of all built-in themes with colours.
fn sides() -> Vec<(String, ThemeSide)> {
    let presets = [Preset::Dark, Preset::Light].map(|preset| (preset.name(), preset.into()));
    let palettes = PALETTES.iter().map(|(name, text, _)| {
        let file = ThemeFile::parse(text);
        (
            *name,
            file.unwrap_or_else(|faults| panic!("{name}: {faults:?}")),
        )
    });
    let files = presets.into_iter().chain(palettes);
    let sides = files.flat_map(|(name, file): (_, ThemeFile)| {
        let own = file.sides.into_iter();
        own.map(move |side| (format!("{name} {}", side.base().name()), side))
    });
    sides.collect()
}

/// Returns the built-in themes on their own background at these depths, with the background colour.
fn painted(depths: &[ColorDepth]) -> Vec<(String, Theme, [u8; 3])> {
    let sides = sides();
    let all = sides.iter().flat_map(|(name, side)| {
        depths.iter().map(move |depth| {
            let theme = side.theme(*depth, true);
            let background = rgb(theme.screen.bg.expect("a background"));
            (format!("{name} {depth:?}"), theme, background)
        })
    });
    all.collect()
}

/// Lines and empty bars, which need less contrast than text.
const DECORATION: [&str; 4] = ["border", "border_focus", "table", "ramp_empty"];
/// Text of low importance, or bars beside a number.
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
        Color::Rgb(..) | Color::Indexed(16..) => super::rgb(color).expect("a colour"),
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

/// Returns the contrast ratio, 1 to 21, by WCAG 2.1.
fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let luminance = |rgb| {
        let [red, green, blue] = linear(rgb);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

/// The three dichromacies of Machado, Oliveira and Fernandes 2009, at full severity, as matrices
/// over linear RGB.
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

/// Returns the distance of two linear colours in OKLab (Ottosson 2020): 0.02 is just noticeable,
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
    let mut roles: Vec<_> = Theme::default()
        .roles()
        .into_iter()
        .filter(|(role, _)| *role != "ramp")
        .map(|(role, _)| role.to_owned())
        .chain((0..5).map(|step| format!("ramp{step}")))
        .collect();
    roles.sort();
    for preset in Preset::ALL {
        let name = preset.name();
        let file: toml::Table = preset.source().parse().expect("TOML");
        let styles = file["roles"].as_table().expect("a table");
        assert!(styles.keys().eq(&roles), "{name}");
        let mut names = Vec::new();
        for (key, value) in styles
            .values()
            .flat_map(|style| style.as_table().expect("a table"))
        {
            match &**key {
                "fg" | "bg" => names.push(value.as_str().expect("a name")),
                "add" | "add16" => {
                    for word in value.as_array().expect("a list") {
                        let known = word.as_str().and_then(Modifier::from_name);
                        assert!(known.is_some(), "{name} {word}");
                    }
                }
                other => panic!("{name}: {other}"),
            }
        }
        for (color, ansi) in file
            .get("ansi")
            .iter()
            .flat_map(|ansi| ansi.as_table().expect("a table"))
        {
            names.push(color);
            let ansi = ansi.as_str().expect("a name");
            assert!(
                ansi == "dim" || ansi.parse::<Color>().is_ok(),
                "{name} {ansi}"
            );
        }
        for color in names {
            assert!(file["palette"].get(color).is_some(), "{name} {color}");
        }
    }
    let names: Vec<_> = sides().into_iter().map(|(name, _)| name).collect();
    for (name, ..) in PALETTES {
        let both = ["dark", "light"].map(|side| names.contains(&format!("{name} {side}")));
        assert_eq!(both, [true; 2], "{name}");
        assert!(ThemeFile::built_in(name).is_some_and(|file| file.has_both()));
    }
}

#[test]
fn a_file_sets_colours_that_differ_from_its_base() {
    let file = "base = \"light\"\n[palette]\nblue = \"#0000ff\"\nteal = \"#00FF00\"\n";
    let file = ThemeFile::parse(file).expect("a theme");
    let side = file.side(Preset::Dark);
    assert_eq!((side.base(), file.has_both()), (Preset::Light, false));
    let own = side.theme(ColorDepth::True, false);
    let light = Theme::load(Preset::Light, ColorDepth::True);
    assert_eq!(own.side_a.fg, Some(Color::Rgb(0, 0, 255)));
    assert_eq!(own.mark.fg, Some(Color::Rgb(0, 255, 0)));
    assert_eq!((own.side_b, own.ramp), (light.side_b, light.ramp));
    let few = side.theme(ColorDepth::Ansi16, false);
    assert_eq!(few, Theme::load(Preset::Light, ColorDepth::Ansi16));
    let none = side.theme(ColorDepth::None, true);
    assert_eq!(none, Theme::load(Preset::Plain, ColorDepth::None));
    let dark = ThemeFile::parse("").expect("a theme");
    let dark = dark.side(Preset::Light).theme(ColorDepth::True, false);
    assert_eq!(dark, Theme::load(Preset::Dark, ColorDepth::True));
}

#[test]
fn keys_of_earlier_versions_are_ignored() {
    let file = "base = \"light\"\n[palette]\nblue = \"#0000ff\"\nlime = { rgb = \"#00ff00\", \
                ansi = \"green\" }\nmine = \"#00fe00\"\n[roles]\nmark = \"lime\"\nlink = \"mine\"\n\
                tie = { fg = \"#ff0000\", add = [\"bold\"] }\nramp = [\"blue\"]\n";
    let own = ThemeFile::parse(file).expect("a theme");
    let own = own.side(Preset::Light).theme(ColorDepth::True, false);
    assert_eq!(own.side_d.fg, Some(Color::Rgb(0, 255, 0)));
    let light = Theme::load(Preset::Light, ColorDepth::True);
    let ours = (own.mark, own.link, own.tie, own.ramp);
    assert_eq!(ours, (light.mark, light.link, light.tie, light.ramp));
    let former = ThemeFile::parse("[palette]\nbar_off = \"#ffd700\"\n");
    assert!(former.is_ok(), "{former:?}");
    let typo = "# The roles of colours\n[palette]\nglod = \"#ffd700\"\n";
    assert!(ThemeFile::parse(typo).is_err());
}

#[test]
fn a_file_can_have_two_sides_and_what_both_have() {
    let file = "[palette]\nteal = \"#030303\"\n[dark.palette]\ngold = \"#010101\"\n\
                [light.palette]\ngold = \"#020202\"\nteal = \"#040404\"\n";
    let file = ThemeFile::parse(file).expect("a theme");
    assert!(file.has_both());
    let theme = |preset| file.side(preset).theme(ColorDepth::True, false);
    let (dark, light) = (theme(Preset::Dark), theme(Preset::Light));
    let grey = |grey| Some(Color::Rgb(grey, grey, grey));
    assert_eq!((dark.hit.fg, light.hit.fg), (grey(1), grey(2)));
    assert_eq!((dark.mark.fg, light.mark.fg), (grey(3), grey(4)));
    let base = Theme::load(Preset::Light, ColorDepth::True);
    assert_eq!(light.side_a, base.side_a);
}

#[test]
fn a_background_of_its_own_is_the_whole_screens() {
    for (name, side) in sides() {
        for depth in [ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True] {
            assert_eq!(side.theme(depth, false).screen, Style::new(), "{name}");
            let theme = side.theme(depth, true);
            assert!(
                theme.screen.fg.is_some() && theme.screen.bg.is_some(),
                "{name}"
            );
            // The terminal's default colour could be that of the background.
            for (role, style) in theme.roles() {
                assert_ne!(style.fg, Some(Color::Reset), "{name} {depth:?} {role}");
                assert_ne!(style.bg, Some(Color::Reset), "{name} {depth:?} {role}");
            }
        }
        let few = side.theme(ColorDepth::Ansi16, true).screen;
        let expected = match side.base() {
            Preset::Light => (Some(Color::Black), Some(Color::White)),
            _ => (Some(Color::Gray), Some(Color::Black)),
        };
        assert_eq!((few.fg, few.bg), expected, "{name}");
    }
}

#[test]
fn errors_in_a_file_are_reported() {
    for (file, says) in [
        (
            "base = \"drak\"",
            "line 1, key base: unknown value `drak`; did you mean `dark`?",
        ),
        (
            "[palete]\nmark = \"#ffd700\"",
            "line 1, key palete: unknown key `palete`; did you mean `palette`?",
        ),
        (
            "[light.palete]\ngold = \"#ffd700\"",
            "line 1, key light.palete: unknown key `palete`; did you mean `palette`?",
        ),
        (
            "[palette]\nglod = \"#ffd700\"\n[dark]\n[light]",
            "line 2, key palette.glod: unknown colour `glod`; did you mean `gold`?",
        ),
        (
            "[palette]\nsparkle = \"#ffd700\"",
            "line 2, key palette.sparkle: unknown colour `sparkle`; use one of: background, blue, \
             body, bright, dim, faint, gold, lime, line, orange, ramp0, ramp1, ramp2, ramp3, ramp4, \
             red, rose, slab, teal, violet",
        ),
        (
            "[light.palette]\ngold = \"#ff00f\"",
            "line 2, key light.palette.gold: \"#ff00f\" is not a colour; write it as \"#rrggbb\"",
        ),
        (
            "[palette]\ngold = \"red\"",
            "line 2, key palette.gold: \"red\" is not a colour; write it as \"#rrggbb\"",
        ),
        (
            "[palette]\ngold = 7",
            "line 2, key palette.gold: 7 is not a colour; write it as \"#rrggbb\"",
        ),
    ] {
        let fault = ThemeFile::parse(file).expect_err(says);
        assert_eq!(fault.to_string(), says);
    }
}

#[test]
fn text_is_legible_on_its_background() {
    for (name, theme, background) in painted(&RICH) {
        for (role, style) in theme.roles() {
            let Some(fg) = style.fg else { continue };
            let least = match role {
                _ if DECORATION.contains(&role) => 1.7,
                _ if QUIET.contains(&role) => 3.0,
                _ => 4.5,
            };
            let own = style.bg.map_or(background, rgb);
            let ratio = contrast(rgb(fg), own);
            assert!(ratio >= least, "{name} {role}: {ratio:.2}");
        }
        // Secondary text must be legible on the screen and in the header.
        for under in [background, rgb(theme.header.bg.expect("a slab"))] {
            let ratio = contrast(rgb(theme.dim.fg.expect("a colour")), under);
            assert!(ratio >= 4.5, "{name} dim: {ratio:.2}");
        }
    }
}

#[test]
fn the_selected_row_differs_from_the_screen() {
    for (name, theme, background) in painted(&RICH) {
        for (row, least) in [(theme.selection, 7.0), (theme.selection_dim, 4.5)] {
            let [on, under] = [row.fg, row.bg].map(|color| rgb(color.expect("a colour")));
            let ratio = contrast(on, under);
            assert!(ratio >= least, "{name}: {ratio:.2}");
            assert!(contrast(under, background) > 1.1, "{name}");
        }
    }
    for (name, side) in sides() {
        let few = side.theme(ColorDepth::Ansi16, false);
        for row in [few.selection, few.selection_dim] {
            assert!(row.add_modifier.contains(Modifier::REVERSED), "{name}");
        }
    }
}

#[test]
fn a_ramp_rises_in_contrast() {
    for (name, theme, background) in painted(&RICH) {
        let contrast = |step: Style| contrast(rgb(step.fg.expect("a colour")), background);
        let ratios = theme.ramp.map(contrast);
        let rises = ratios.is_sorted_by(|low, high| low * 1.1 < *high);
        assert!(rises, "{name} {ratios:.2?}");
    }
}

#[test]
fn colour_blind_readers_tell_the_pairs_apart() {
    for (theme_name, theme, _) in painted(&RICH) {
        let pairs = [
            ("sides", theme.side_a, theme.side_b, 0.15),
            ("change", theme.gain, theme.loss, 0.05),
        ];
        for (name, one, other, least) in pairs {
            let [one, other] = [one, other].map(|style| linear(rgb(style.fg.expect("a colour"))));
            for (sight, matrix) in DICHROMACIES {
                let seen = |color: [f64; 3]| {
                    matrix.map(|row| row.iter().zip(color).map(|(a, b)| a * b).sum::<f64>())
                };
                let apart = distance(seen(one), seen(other));
                assert!(apart >= least, "{theme_name} {name} {sight}: {apart:.3}");
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
    for (name, side) in sides() {
        let readable = match side.base() {
            Preset::Light => &on_white[..],
            _ => &on_black[..],
        };
        for (role, style) in side.theme(ColorDepth::Ansi16, false).roles() {
            assert!(
                style.fg.is_none_or(|fg| readable.contains(&fg)),
                "{name} {role}"
            );
            let why = "no two terminals show a background alike";
            assert_eq!(style.bg, None, "{name} {role}: {why}");
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
    for (name, theme, _) in painted(&[ColorDepth::True]) {
        for (role, style) in theme.roles() {
            let may = matches!(
                role,
                "screen"
                    | "selection"
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
                "{name} {role}"
            );
        }
    }
}

#[test]
fn what_meets_on_one_spot_differs_at_every_depth() {
    let plain = (
        Preset::Plain.name().to_owned(),
        ThemeFile::from(Preset::Plain).side(Preset::Plain).clone(),
    );
    for (theme_name, side) in sides().into_iter().chain([plain]) {
        for depth in DEPTHS {
            let theme = side.theme(depth, true);
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
                assert_ne!(one, other, "{theme_name} {depth:?} {name}");
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
