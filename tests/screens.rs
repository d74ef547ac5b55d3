//! Keys in, screen out: whole frames of the demo, with their styles where these matter.

// A failed helper is a failed test.
use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};
use visavis::{ColorDepth, Preset, Theme, ThemeFile, plain_text, render};

const DEMO: [&str; 2] = ["assets/demo/helpsteer2.jsonl", "assets/demo/webgpt.jsonl"];

fn frame(size: &str, keys: &str, more: &[&str]) -> Buffer {
    let mut arguments = vec!["--size", size, "--keys", keys];
    arguments.extend(more);
    arguments.extend(DEMO);
    render(arguments).expect("a frame")
}

fn screen(size: &str, keys: &str) -> String {
    plain_text(&frame(size, keys, &[]))
}

/// Returns the text of a frame, followed by the same cells as letters for roles of the theme.
fn with_styles(buffer: &Buffer, theme: &Theme) -> String {
    let roles = theme.roles();
    let background = theme.screen.bg.or(Some(Color::Reset));
    let mut legend: Vec<String> = Vec::new();
    let mut letters = String::new();
    for row in buffer.content().chunks(usize::from(buffer.area.width)) {
        let mut line = String::new();
        for cell in row {
            let worn = |style: &Style| {
                let (under, own) = (&theme.screen, Color::Reset);
                style.fg.or(under.fg).unwrap_or(own) == cell.fg
                    && style.bg.or(under.bg).unwrap_or(own) == cell.bg
                    && style.add_modifier == cell.modifier
            };
            let known = roles
                .iter()
                .find(|(_, style)| worn(style))
                .map(|(name, _)| (*name).to_owned());
            let name = known
                .unwrap_or_else(|| format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier));
            let index = legend
                .iter()
                .position(|known| *known == name)
                .unwrap_or_else(|| {
                    legend.push(name);
                    legend.len() - 1
                });
            line.push(if cell.symbol() == " " && Some(cell.bg) == background {
                ' '
            } else {
                letter(index)
            });
        }
        letters.push_str(line.trim_end());
        letters.push('\n');
    }
    let mut out = plain_text(buffer);
    writeln!(out, "---\n{letters}---").expect("a string takes all");
    for (index, name) in legend.iter().enumerate() {
        writeln!(out, "{} {name}", letter(index)).expect("a string takes all");
    }
    out
}

fn letter(index: usize) -> char {
    (b'a'..=b'z')
        .chain(b'A'..=b'Z')
        .nth(index)
        .map_or('?', char::from)
}

#[test]
fn first_sample_at_every_shape() {
    for size in ["160x48", "100x30", "80x24", "60x20", "40x12"] {
        insta::assert_snapshot!(format!("first_{size}"), screen(size, ""));
    }
}

#[test]
fn first_sample_with_styles() {
    let theme = Theme::load(Preset::Dark, ColorDepth::True);
    insta::assert_snapshot!(
        "styles_dark",
        with_styles(&frame("100x24", "", &[]), &theme)
    );
    let theme = Theme::load(Preset::Plain, ColorDepth::None);
    insta::assert_snapshot!(
        "styles_plain",
        with_styles(&frame("100x24", "", &["--theme", "plain"]), &theme)
    );
    let light = frame("100x24", "37G", &["--theme", "light", "--colors", "16"]);
    let theme = ThemeFile::from(Preset::Light);
    let theme = theme.side(Preset::Light).theme(ColorDepth::Ansi16, true);
    insta::assert_snapshot!("styles_light_16_citations", with_styles(&light, &theme));
}

#[test]
fn a_background_of_the_theme_is_under_every_cell() {
    let keys = [
        "",
        "?",
        "S",
        "!",
        "v",
        "o",
        "V",
        "F",
        "r",
        "e",
        "f?",
        ":theme<enter>",
        "x",
        "fzzz<enter>",
        "f<tab>",
        "37Gd",
        ":layout<enter>",
        ":help config<enter>",
        "/the<enter>",
        "\\",
        "<enter>",
        "20G",
    ];
    for theme in ["light", "gruvbox-light"] {
        for size in ["118x32", "60x20", "9x3"] {
            for keys in keys {
                let buffer = frame(size, keys, &["--theme", theme, "--colors", "true"]);
                // The cell after a wide character is covered by it.
                let is_covered =
                    |at: usize| at > 0 && !buffer.content()[at - 1].symbol().is_ascii();
                let bare = buffer.content().iter().enumerate().filter(|(at, cell)| {
                    (cell.bg == Color::Reset || cell.fg == Color::Reset) && !is_covered(*at)
                });
                assert_eq!(bare.count(), 0, "{theme} {size} {keys}");
            }
        }
    }
}

#[test]
fn the_layout_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("review.jsonl");
    let row = |at: usize, pick: &str| {
        format!(
            r#"{{"uid":"p{at}","ask":"What keeps basil alive on day {at}?","response_a":"A cold fridge on day {at}.","response_b":"Sun on day {at}, and a pot with a hole.","response_c":"Water from below on day {at}.","response_d":"Later, {at}.","review":{{"pick":"{pick}","seconds":{at},"notes":"It names a cause, {at}."}}}}"#
        )
    };
    let rows = ["response_b", "response_a", "response_c"]
        .into_iter()
        .zip(40..);
    let rows: String = rows.map(|(pick, at)| row(at, pick) + "\n").collect();
    std::fs::write(&file, rows).expect("written");
    let file = file.to_str().expect("UTF-8");
    let screen = |size: &str, keys: &str, more: &[&str]| {
        let mut arguments = vec!["--size", size, "--keys", keys, file];
        arguments.extend(more);
        plain_text(&render(arguments).expect("a frame"))
    };
    for (name, keys) in [
        ("shown", ":layout<enter>"),
        ("picked", ":layout<enter>e/sec<enter>"),
        // The last two are not responses any longer, and `notes` is a text.
        ("changed", ":layout<enter>e/e_d<enter>-k-/notes<enter>t]"),
        ("undone", ":layout<enter>/e_d<enter>-uu"),
        // The first value is a tie, the second a win of D.
        ("meant", ":layout<enter>e/pick<enter>j=d"),
    ] {
        for size in ["120x36", "80x24"] {
            let name = format!("layout_{name}_{size}");
            insta::assert_snapshot!(name, screen(size, keys, &[]));
        }
    }
    let blind = screen("120x36", ":layout<enter>ejj", &["--blind"]);
    insta::assert_snapshot!("layout_blind", blind);
}

#[test]
fn the_layout_of_one_of_several_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (one, other) = (path("one.jsonl"), path("other.jsonl"));
    let row = "{\"prompt\":\"ask\",\"response_a\":\"left\",\"response_b\":\"right\"}\n";
    std::fs::write(&one, row).expect("written");
    std::fs::write(
        &other,
        row.replace("response", "reply").replace("ask", "else"),
    )
    .expect("written");
    for (keys, file, field) in [
        ("", "one.jsonl", "response_a"),
        ("G", "other.jsonl", "reply_a"),
    ] {
        let shown = |more: &str| {
            let keys = format!("{keys}:layout<enter>{more}");
            plain_text(
                &render(["--size", "100x30", "--keys", &keys, &one, &other]).expect("a frame"),
            )
        };
        let layout = shown("");
        let words = format!("layout of {file}   record 1 of the first 1");
        assert!(
            layout.contains(&words) && layout.contains(field),
            "{layout}"
        );
        let refused = format!("open {file} alone to change its layout");
        assert!(shown("e").contains(&refused), "{}", shown("e"));
    }
}

#[test]
fn kinds_of_samples() {
    for (name, keys) in [
        ("malformed", "16G"),
        ("single", "20G"),
        ("tie", "8G"),
        ("code", "2G"),
        ("table", "14G"),
        ("turns", "23G"),
        ("lenient", "30G"),
        ("comparison", "34G"),
        ("dangling_citation", "37G"),
        ("empty_answer", "47G"),
        ("right_to_left", "49G"),
    ] {
        insta::assert_snapshot!(name, screen("120x36", keys));
    }
}

#[test]
fn what_keys_do() {
    for (name, keys) in [
        ("help", "?"),
        ("guide_topics", "?<enter><down><down>"),
        ("guide_page", "?<enter><down><down><down><enter>"),
        ("zoomed", "<enter>"),
        ("zoomed_list_reads", "<tab><tab><enter>"),
        ("hidden_characters", "10GX"),
        ("as_written", "14GM"),
        ("count", "12"),
        ("prompt_focused", "<s-tab>22G<c-d>"),
        ("beyond_the_end", "999G"),
        ("record", "v"),
        ("record_folded", "vjjjj<enter>"),
    ] {
        insta::assert_snapshot!(name, screen("100x30", keys));
    }
}

#[test]
fn filters_and_commands() {
    for (name, keys) in [
        ("active_filter", "fhelpfulness>=3 verbosity<=1<enter>"),
        ("filter_typed", "fhelpfulness>=3"),
        ("filter_wrong", "fhelpfulness>=3 helpfullness>=2"),
        ("filter_unfinished", "fhelpfulness>="),
        ("filter_completions", "f<tab><tab>"),
        ("filter_fields", "f?"),
        (
            "filter_empty",
            "fhelpfulness>=3 verbosity<=1 helpfulness<=2<enter>",
        ),
        ("filter_word", "fpython<enter>"),
        ("filter_sorted", "fsort:-verbosity<enter>g"),
        ("command_wrong", ":flters<enter>"),
        ("command_completions", ":<tab>"),
        (
            "saved_filters",
            "fhelpfulness>=3<enter>:save good<enter>f<c-u>verbosity<=1<enter>:save short<enter>:filters<enter>",
        ),
        ("columns", ":columns helpfulness,verbosity<enter>"),
        ("panel", "F"),
        ("panel_moved", "Fllvvjj3vvvvl"),
        ("panel_scores", "34GFjjjjj"),
        ("sort_menu", "fsort:-gap.helpfulness<enter>s"),
    ] {
        for size in ["120x40", "60x20"] {
            insta::assert_snapshot!(format!("{name}_{size}"), screen(size, keys));
        }
    }
    let theme = Theme::load(Preset::Plain, ColorDepth::None);
    let wrong = frame(
        "80x20",
        "fhelpfulness>=3 verbosity>=x<left>",
        &["--theme", "plain"],
    );
    insta::assert_snapshot!("styles_plain_filter", with_styles(&wrong, &theme));
    let theme = Theme::load(Preset::Dark, ColorDepth::True);
    let open = frame("100x24", "fhelpfulness>=3 <tab><tab>", &[]);
    insta::assert_snapshot!("styles_dark_completions", with_styles(&open, &theme));
}

#[test]
fn searches() {
    for (name, keys) in [
        ("search_typed", "/python"),
        ("search_scope", "/python<tab><c-t>"),
        ("active_search", "/python<enter>"),
        ("search_next_hit", "/python<enter>nn"),
        ("search_and_filter", "fhelpfulness>=3<enter>/python<enter>"),
        ("search_sorted", "fsort:-row<enter>/python<enter>g"),
        ("search_nothing", "/zzzqqxx<enter>"),
        ("search_long_response", "/wrist<enter>n"),
        ("search_malformed", "/gallon<enter>"),
    ] {
        for size in ["120x40", "60x20"] {
            insta::assert_snapshot!(format!("{name}_{size}"), screen(size, keys));
        }
    }
    let theme = Theme::load(Preset::Dark, ColorDepth::True);
    let hits = frame("100x24", "/python<enter>n", &[]);
    insta::assert_snapshot!("styles_dark_search", with_styles(&hits, &theme));
    let theme = Theme::load(Preset::Plain, ColorDepth::None);
    let hits = frame("100x24", "/python<enter>n", &["--theme", "plain"]);
    insta::assert_snapshot!("styles_plain_search", with_styles(&hits, &theme));
}

#[test]
fn words_of_two_responses_are_compared() {
    let frame = |size: &str, keys: &str, more: &[&str]| {
        let mut arguments = vec!["--size", size, "--keys", keys];
        arguments.extend(more);
        arguments.push("tests/word_diff.jsonl");
        render(arguments).expect("a frame")
    };
    let dark = Theme::load(Preset::Dark, ColorDepth::True);
    let plain = Theme::load(Preset::Plain, ColorDepth::None);
    for size in ["160x48", "80x24"] {
        let of =
            |keys: &str, more: &[&str], theme: &Theme| with_styles(&frame(size, keys, more), theme);
        insta::assert_snapshot!(format!("diff_dark_{size}"), of("d", &[], &dark));
        let colourless = of("d", &["--theme", "plain"], &plain);
        insta::assert_snapshot!(format!("diff_plain_{size}"), colourless);
        let ascii = plain_text(&frame(size, "d", &["--ascii"]));
        insta::assert_snapshot!(format!("diff_ascii_{size}"), ascii);
    }
    let scrolled = plain_text(&frame("100x24", "d<c-d>", &[]));
    insta::assert_snapshot!("diff_scrolled", scrolled);
    let off = frame("100x24", "dd", &[]);
    assert!(!plain_text(&off).contains("in common"));
    let single = screen("100x30", "20Gd");
    assert!(single.contains("Nothing to compare: the sample has one response."));
}

#[test]
fn what_was_written_about_responses_has_a_pane() {
    let frame = |size: &str, keys: &str, more: &[&str]| {
        let mut arguments = vec!["--size", size, "--keys", keys];
        arguments.extend(more);
        arguments.push("tests/samples/helpsteer3-annotated.jsonl");
        plain_text(&render(arguments).expect("a frame"))
    };
    for (name, size, keys, more) in [
        ("rationales_160x48", "160x48", "<tab><tab>", &[][..]),
        ("rationales_80x24", "80x24", "", &[]),
        ("rationales_focused_80x24", "80x24", "<tab><tab>", &[]),
        ("rationales_searched", "120x40", "/syllables<enter>n", &[]),
        (
            "rationales_filtered",
            "120x40",
            "frationale:ferry or rationale:haiku<enter>",
            &[],
        ),
        ("rationales_blind", "120x40", "/haiku<enter>", &["--blind"]),
    ] {
        insta::assert_snapshot!(name, frame(size, keys, more));
    }
}

/// How the sample of each layout is shown first.
#[test]
fn every_layout_on_a_screen() {
    let mut files: Vec<_> = std::fs::read_dir("tests/samples")
        .expect("samples")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let frame = |file: &std::path::PathBuf| {
        let file = file.to_str().expect("a name");
        plain_text(&render(["--size", "110x24", file]).expect(file))
    };
    let frames: Vec<_> = files.iter().map(frame).collect();
    insta::assert_snapshot!("layouts", frames.join("\n"));
}

#[test]
fn the_list_is_shown_hidden_and_resized() {
    let listed = |size: &str, keys: &str| screen(size, keys).contains("  prompt  ");
    for (size, keys, is_there) in [
        ("80x24", "", false),
        ("80x24", "\\", true),
        ("80x24", "\\\\", false),
        // Only while the list has the keys.
        ("80x24", "<s-tab><s-tab>", true),
        ("80x24", "<s-tab><s-tab><enter>", false),
        ("120x36", "", true),
        ("120x36", "\\", false),
        ("120x36", "\\>", true),
    ] {
        assert_eq!(listed(size, keys), is_there, "{size} {keys}");
    }
    let asked = ":columns helpfulness,correctness,coherence,complexity,verbosity<enter>";
    let narrow = screen("120x36", asked);
    assert!(narrow.contains("columns hidden: >"), "{narrow}");
    let wide = screen("120x36", &format!("{asked}9>"));
    assert!(!wide.contains("hidden: >"), "{wide}");
    insta::assert_snapshot!("list_shown_80x24", screen("80x24", "\\jjj"));
}

#[test]
fn one_side_is_never_rated_without_the_other_in_sight() {
    for size in ["80x24", "60x20", "40x12"] {
        let open = screen(size, "r4");
        let rows = |letter: &str| open.lines().filter(|line| line.starts_with(letter)).count();
        assert_eq!((rows(" A  "), rows(" B  ")), (1, 1), "{open}");
    }
}

#[test]
fn the_help_is_searched() {
    insta::assert_snapshot!("help_searched", screen("100x24", "?/a value"));
    let all = |keys: &str| screen("100x24", keys);
    assert_eq!(all("?/a value<esc>"), all("?"), "Esc shows all again");
    let none = all("?/no such words");
    assert!(none.contains("No match; try fewer letters."), "{none}");
    // The chosen key is pressed in its own mode.
    assert_eq!(all("?sort<enter>"), all("s"));
    let reading = ("Samples", "In the rating strip (digits are values)");
    for (keys, of_mode, of_another) in [("", reading.0, reading.1), ("r", reading.1, "In a menu")] {
        let shown = screen("200x60", &format!("{keys}?"));
        assert!(
            shown.contains(of_mode) && !shown.contains(of_another),
            "{shown}"
        );
    }
    assert!(
        all("r?judge it later<enter>").contains("2/63"),
        "the next one"
    );
    assert!(all("?smaller value<enter>").contains("elsewhere: in the rating strip"));
    assert_eq!(
        all("?<enter>"),
        all("?/guide <enter><esc>/guide "),
        "the first line does no harm"
    );
    assert_eq!(
        all("S?:max<enter>"),
        all(":max-len "),
        "commands are of the samples"
    );
    let typed = all("fhelpfulness>=3<home>?<enter>");
    assert!(
        typed.contains("filter helpfulness helpfulness>=3"),
        "{typed}"
    );
    // Every line can be reached.
    assert_ne!(screen("60x20", "?<end>"), screen("60x20", "?"));
}

/// Returns three groups of forty responses; the last has equal scores.
fn groups() -> String {
    let row = |at: usize| {
        let score = if at < 80 {
            (at * 7 % 5) as f64 / 4.0
        } else {
            0.0
        };
        let words = "turn the pot each week ".repeat(at * 5 % 11);
        format!(
            "{{\"input\": \"How do I keep basil alive, part {}?\", \"output\": \"Answer {at}: {words}water it.\", \
             \"score\": {score}, \"gts\": \"x\", \"step\": 7}}\n",
            at / 40 + 1
        )
    };
    (0..120).map(row).collect()
}

#[test]
fn groups_of_forty_responses() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("groups.jsonl");
    std::fs::write(&file, groups()).expect("written");
    for (name, size, keys, more) in [
        ("groups_160x48", "160x48", "", None),
        ("groups_80x24", "80x24", "}", None),
        ("responses_118x32", "118x32", "ojj", None),
        ("responses_equal_80x24", "80x24", "2Go", None),
        ("responses_equal_60x20", "60x20", "3Gos", None),
        ("responses_blind_80x24", "80x24", "o", Some("--blind")),
    ] {
        let file = file.to_str().expect("a path");
        let arguments = ["--size", size, "--keys", keys, file]
            .into_iter()
            .chain(more);
        let frame = render(arguments.collect::<Vec<_>>()).expect("a frame");
        insta::assert_snapshot!(name, plain_text(&frame));
    }
}

#[test]
fn a_blind_page_is_laid_out_alike_whatever_its_labels_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pairs.jsonl");
    let row = |prompt: &str, ratings: [u8; 5]| {
        let [a, b, c, d, e] = ratings;
        format!(
            "{{\"prompt\": \"{prompt}\", \"response\": \"the same words\", \"helpfulness\": {a}, \
             \"correctness\": {b}, \"coherence\": {c}, \"complexity\": {d}, \"verbosity\": {e}}}\n"
        )
    };
    let rows = [
        row("one", [4; 5]),
        row("one", [4; 5]),
        row("two", [0, 1, 2, 3, 4]),
        row("two", [4, 3, 2, 1, 0]),
    ];
    std::fs::write(&file, rows.concat()).expect("written");
    let file = file.to_str().expect("a path");
    // Without the list, which shows the selected sample.
    for size in ["110x48", "104x40", "100x40", "80x24", "60x20", "40x12"] {
        let of = |keys: &str| plain_text(&frame(size, keys, &["--blind", file]));
        let responses = |screen: &str| {
            let lines = screen.lines().skip(3).map(str::to_owned);
            let lines =
                lines.filter(|line| line.contains("the same words") || line.contains("chars"));
            lines.collect::<Vec<_>>()
        };
        assert_eq!(responses(&of("")), responses(&of("j")), "{size}");
    }
}

#[test]
fn a_wide_list_shows_more_labels() {
    insta::assert_snapshot!("wide_list", screen("240x30", "5G"));
}

#[test]
fn ascii_twins() {
    let text = plain_text(&frame("100x30", "16G", &["--ascii"]));
    let chrome: String = text
        .chars()
        .filter(|character| !character.is_ascii())
        .collect();
    // Only the data contains other characters: the list shows prompts unchanged.
    assert!(
        !chrome.contains(['│', '─', '▰', '▸', '✗', '⚑', '·', '┃']),
        "{text}"
    );
    insta::assert_snapshot!("ascii", text);
}

#[test]
fn labels_stay_while_the_text_scrolls() {
    let top = screen("100x20", "17G");
    let end = screen("100x20", "17G<end>");
    assert_ne!(top, end);
    for frame in [&top, &end] {
        assert!(frame.contains("help"), "{frame}");
    }
}

#[test]
fn locked_panes_end_together_and_free_ones_do_not() {
    // Sample 17 has a long B: A scrolls to its own end with it, unless unlocked.
    let side = |keys: &str, columns: std::ops::Range<usize>| -> String {
        let buffer = frame("120x24", keys, &[]);
        let rows = buffer.content().chunks(120).take(23).skip(8);
        rows.map(|row| {
            row[columns.clone()]
                .iter()
                .map(ratatui::buffer::Cell::symbol)
                .collect::<String>()
                + "\n"
        })
        .collect()
    };
    let (a, b) = (25..72, 74..119);
    let focus_b = "17G<tab>";
    assert_ne!(
        side("17G", a.clone()),
        side(&format!("{focus_b}<end>"), a.clone()),
        "locked: A moves with B"
    );
    assert_eq!(
        side("17G", a.clone()),
        side(&format!("{focus_b}L<end>"), a),
        "free: A stays"
    );
    assert_ne!(side("17G", b.clone()), side(&format!("{focus_b}L<end>"), b));
}

#[test]
fn every_size_survives() {
    // The layout's own tests cover every size; these start the program each time.
    for width in [1, 2, 3, 5, 8, 20, 59, 60, 79, 80, 99, 100] {
        for height in [1, 2, 3, 6, 16] {
            for keys in [
                "16G",
                "34G<tab>",
                "?",
                "fwrong>=",
                "f<tab><tab>",
                "fzzz<enter>",
                "f?",
                ":columns row<enter>",
                "/py",
                "/py<enter>n",
            ] {
                frame(&format!("{width}x{height}"), keys, &[]);
            }
        }
    }
}

/// Returns the last row.
fn status(screen: &str) -> &str {
    screen.trim_end().lines().last().unwrap_or_default()
}

#[test]
fn hints_name_what_keys_do_where_one_is() {
    let blind = |size: &str, keys: &str| plain_text(&frame(size, keys, &["--blind"]));
    let open = blind("100x30", "r");
    for says in [
        "Enter next sample",
        "p pane",
        "s skip",
        "d later",
        "Esc close",
    ] {
        assert!(status(&open).contains(says), "{says}\n{open}");
    }
    // Once the labels are visible, only moving on and changing are offered.
    let closed = blind("100x30", "r4444444444k");
    assert!(
        status(&closed).contains("Enter next sample  c change") && closed.contains("Esc close"),
        "{closed}"
    );
    assert!(
        !closed.contains("skip") && !closed.contains("later"),
        "{closed}"
    );
    for keys in ["r", "r4444444444k"] {
        let narrow = blind("60x20", keys);
        for says in ["Esc close", "Enter next sample"] {
            assert!(status(&narrow).contains(says), "{narrow}");
        }
    }
    assert_ne!(
        blind("60x20", "r"),
        blind("60x20", "rp"),
        "p goes to the next pane"
    );
    // Within an audit, the way back to the strip.
    let left = plain_text(&frame("60x20", ":audit 3<enter><esc>jk", &[]));
    assert!(status(&left).contains("r rate"), "{left}");
    assert!(!status(&screen("60x20", "")).contains("r rate"));
}

#[test]
fn hints_beside_a_line_say_what_enter_does() {
    for (keys, says) in [
        ("fis:tie", "Enter apply"),
        (":", "Enter run"),
        (":export result x.csv", "Enter write the file"),
        ("tgood", "Enter tag"),
    ] {
        let shown = screen("120x30", keys);
        assert!(status(&shown).contains(says), "{says}\n{shown}");
    }
}

#[test]
fn a_sample_that_a_filter_finds_by_a_label_lacks_no_hit() {
    let said = |text: &str| {
        let screen = screen("100x30", &format!("fhelpfulness>=0 or \"{text}\"<enter>"));
        status(&screen).contains("hit")
    };
    assert!(said("the"));
    assert!(!said("zzzqq"), "another reason brought it");
}

#[test]
fn a_search_that_finds_nothing_says_what_was_tried() {
    let near = "Near spellings were tried too.";
    let regex = "Type /qq.*zz/ to search for a regular expression";
    for (keys, said) in [
        ("/qqqqzzzzq<enter>", [true, false]),
        ("/'qqqqzzzzq<enter>", [false, false]),
        ("f\"qqqqzzzzq\"<enter>", [false, false]),
        ("/qq.*zz<enter>", [true, true]),
        ("/'qq.*zz<enter>", [false, false]),
        ("/\"qq.*zz\"<enter>", [false, false]),
        ("/ /qq.*zz/<enter>", [false, false]),
    ] {
        let shown = screen("100x30", keys);
        assert!(shown.contains("No sample matches"), "{shown}");
        let is_said = [near, regex].map(|words| shown.contains(words));
        assert_eq!(is_said, said, "{keys}\n{shown}");
    }
}

#[test]
fn the_palette_finds_what_can_be_done() {
    for (name, size, keys) in [
        ("palette_80x24", "80x24", "<c-p>"),
        ("palette_mark_80x24", "80x24", "<c-p>mark<down>"),
        ("palette_helpf_60x20", "60x20", "<c-p>helpf"),
        ("palette_none_60x20", "60x20", "<c-p>qqqq"),
    ] {
        insta::assert_snapshot!(name, screen(size, keys));
    }
    // The line has no maximum length.
    let shown = screen("40x12", &format!("<c-p>{}end", "word ".repeat(30)));
    assert!(shown.contains("word end"), "{shown}");
}

#[test]
fn findings() {
    for (name, size, keys) in [
        ("findings_160x48", "160x48", "!"),
        ("findings_80x24", "80x24", "!jjj"),
        ("findings_60x20", "60x20", "!jjj"),
        ("findings_filtered", "80x24", "fhelpfulness=0<enter>!jj"),
        (
            "findings_nowhere",
            "80x24",
            "fhelpfulness=0 is:tie<enter>!jj<enter>",
        ),
        ("findings_blind", "80x24", ":blind<enter>!"),
        ("findings_queue_160x48", "160x48", "!<enter>j"),
        ("findings_queue_80x24", "80x24", "!jj<enter>"),
        ("findings_queue_60x20", "60x20", "!<enter>"),
        ("findings_sentence_160x48", "160x48", "!<esc>16G"),
        ("findings_sentence_80x24", "80x24", "!<enter><esc><esc>"),
    ] {
        insta::assert_snapshot!(name, screen(size, keys));
    }
    let ascii = frame("80x24", "!jj", &["--ascii", "--theme", "plain"]);
    insta::assert_snapshot!("findings_ascii", plain_text(&ascii));
}

#[test]
fn statistics() {
    for (name, size, keys) in [
        ("statistics_160x48", "160x48", "S"),
        ("statistics_80x24", "80x24", "S<tab><tab>jj"),
        ("statistics_60x20", "60x20", "S<tab><tab><tab><tab>jl"),
        (
            "statistics_filtered",
            "120x40",
            "fhelpfulness<lt>=2<enter>S<tab><tab>",
        ),
        ("samples_of_a_bar", "100x24", "S<tab><tab>jjj<enter>"),
        ("statistics_blind", "80x24", ":blind<enter>S"),
    ] {
        insta::assert_snapshot!(name, screen(size, keys));
    }
    let ascii = frame("80x24", "S", &["--ascii", "--theme", "plain"]);
    insta::assert_snapshot!("statistics_ascii", plain_text(&ascii));
}
