//! The terminal as seen from outside: the real program in a PTY; every exit restores the terminal.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::program;
use crate::program::{PROGRAM, at_home, put};
use crate::pty::{Answers, Pty, Signal, piped, shell};
use flate2::Compression;
use flate2::write::GzEncoder;
use portable_pty::CommandBuilder;
use ratatui::style::Color;
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;
use visavis::{ColorDepth, Preset, Theme};

fn start() -> Pty {
    start_in(Answers::Dark)
}

fn start_in(answers: Answers) -> Pty {
    let pty = Pty::spawn_in(CommandBuilder::new(PROGRAM), 80, 24, answers);
    pty.wait_for(" 1/63");
    pty
}

/// Starts the program for drills: debug builds panic and fail on request.
fn start_drill(mouse: bool) -> Pty {
    let mut command = CommandBuilder::new(PROGRAM);
    if mouse {
        command.arg("--mouse");
    }
    command.env("RUST_BACKTRACE", "0");
    command.env("VISAVIS_DRILL", "1");
    let pty = Pty::spawn(command, 80, 24);
    pty.wait_for(" 1/63");
    pty
}

/// A shell with the program running as its foreground job.
fn start_job() -> Pty {
    let pty = Pty::spawn(shell(), 80, 24);
    pty.wait_prompt();
    pty.send(format!("{PROGRAM} --mouse\r"));
    pty.wait_for(" 1/63");
    pty
}

/// Checks that the program continues where it was.
#[track_caller]
fn alive(pty: &Pty, sample: u32) {
    pty.wait_alternate(true);
    pty.send("j");
    pty.wait_for(&format!(" {sample}/63"));
}

#[test]
fn every_way_out_by_key_gives_the_terminal_back() {
    // F9 fails, F10 panics in the loop, F11 in a worker, F12 while drawing.
    for (key, code, words) in [
        ("q", 0, ""),
        ("\x03", 0, ""),
        ("\x1b[20~", 1, "a drill"),
        ("\x1b[21~", 101, "a drill"),
        ("\x1b[23~", 1, "a drill"),
        ("\x1b[24~", 101, "a drill"),
    ] {
        eprintln!("{key:?}"); // Which one it was where the wait fails.
        let pty = start_drill(true);
        alive(&pty, 2);
        pty.send(key);
        assert_eq!(pty.wait_exit().exit_code(), code, "{key:?}");
        pty.given_back();
        assert!(pty.screen().contains(words), "{key:?}: {}", pty.screen());
        let driven = pty.raw().windows(10).any(|part| part == b"\x1b]0;driven");
        assert!(!driven, "{key:?}: what a panic quotes drives the terminal");
    }
}

#[test]
fn a_message_about_a_truncated_file_is_complete_after_the_screen() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = "{\"prompt\": \"how\", \"chosen\": \"so\", \"rejected\": \"not so\"}\n";
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(row.repeat(4).as_bytes()).expect("memory");
    let mut packed = encoder.finish().expect("memory");
    packed.truncate(packed.len() - 20);
    let file = folder.path().join("cut.jsonl.gz");
    std::fs::write(&file, packed).expect("written");
    let mut command = CommandBuilder::new(PROGRAM);
    command.arg(&file);
    let pty = Pty::spawn(command, 80, 24);
    pty.wait_for(" 1/");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
    let screen = pty.screen().replace('\n', "");
    assert!(screen.contains("visavis: "), "{screen}");
    assert!(screen.contains("is truncated"), "{screen}");
    assert!(screen.contains("fetch the file again"), "{screen}");
}

#[test]
fn one_signal_ends_it_though_the_terminal_takes_nothing() {
    for signal in [Signal::TERM, Signal::HUP] {
        let pty = start();
        pty.stop_reading();
        // More than the system buffers for a reader that is stopped.
        pty.claim_size(500, 200);
        pty.wait_stopped();
        pty.signal(signal);
        pty.wait_end();
        pty.go_on_reading();
        assert_eq!(
            pty.wait_exit().exit_code(),
            if signal == Signal::TERM { 143 } else { 129 }
        );
        pty.given_back();
    }
}

#[test]
fn every_ending_signal_gives_the_terminal_back() {
    for (signal, code) in [
        (Signal::TERM, 143),
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
    ] {
        let pty = start();
        pty.signal(signal);
        assert_eq!(pty.wait_exit().exit_code(), code, "{signal:?}");
        pty.given_back();
    }
}

#[test]
fn a_fault_gives_the_terminal_back_and_keeps_its_status() {
    for (signal, name) in [
        (Signal::BUS, "Bus error"),
        (Signal::ABORT, "Aborted"),
        (Signal::XCPU, "CPU time limit exceeded"),
        (Signal::USR1, "User defined signal 1"),
        (Signal::USR2, "User defined signal 2"),
        (Signal::ALARM, "Alarm clock"),
        (Signal::VTALARM, "Virtual timer expired"),
        (Signal::PROF, "Profiling timer expired"),
        (Signal::SYS, "Bad system call"),
        (Signal::TRAP, "Trace/breakpoint trap"),
        #[cfg(target_os = "linux")]
        (Signal::IO, "I/O possible"),
        #[cfg(target_os = "linux")]
        (Signal::POWER, "Power failure"),
        #[cfg(target_os = "linux")]
        (Signal::STKFLT, "Stack fault"),
    ] {
        let pty = start_drill(true);
        alive(&pty, 2);
        pty.signal(signal);
        let exit = pty.wait_exit();
        assert_eq!(exit.signal(), Some(name), "{exit:?}");
        pty.given_back();
    }
}

/// Presses a key until the screen shows its effect: earlier input may have to time out first.
pub(crate) fn press_until(pty: &Pty, key: &str, text: &str) {
    for _ in 0..100 {
        if pty.screen().contains(text) {
            return;
        }
        pty.send(key);
        std::thread::sleep(Duration::from_millis(60));
    }
    pty.wait_for(text);
}

#[test]
fn keys_survive_what_terminals_send_unasked() {
    let pty = start_drill(true);
    let strays: [&[u8]; 12] = [
        b"\x1b[?2026;2$y",
        b"\x1b[?997;1n",
        b"\x1b[?u",
        b"\x1b[<0;10",
        b"\x1b[<0;0;0M",
        b"\x1b[M!\"",
        b"\x1b[",
        b"\x1b]11;rgb:de",
        b"\x1bP>|term",
        b"\x1b_G",
        b"\xe6\xbc",
        b"\xff\xfe\x80",
    ];
    for stray in strays {
        pty.send("g");
        pty.wait_for(" 1/63");
        pty.send(stray);
        press_until(&pty, "G", " 63/63");
        press_until(&pty, "g", " 1/63");
    }
    // An unfinished paste is delivered as far as it came.
    pty.send("/\x1b[200~pyth");
    pty.wait_for("/pyth");
    pty.send("\x1b[200~on\x1b[201~");
    pty.wait_for("/python");
    // Dropping the line, and then quitting, wait for nothing.
    pty.send("\x1b[<0;10\x03");
    pty.wait_for("? keys");
    pty.send("\x1b[<0;10\x03");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn a_lost_terminal_ends_the_program_quietly() {
    let mut pty = start();
    pty.hang_up();
    let exit = pty.wait_exit();
    assert_eq!(exit.exit_code(), 129, "{exit:?}");
}

#[test]
fn a_lost_terminal_without_a_signal_ends_the_program_too() {
    // The session's leader shields the job from SIGHUP, so only the terminal itself shows the end.
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "trap '' HUP; \"$1\"; exit $?", "sh", PROGRAM]);
    let mut pty = Pty::spawn(command, 80, 24);
    pty.wait_for(" 1/63");
    pty.hang_up();
    assert_eq!(pty.wait_exit().exit_code(), 129);
}

#[test]
fn suspended_by_key_it_stops_and_comes_back_whole() {
    let pty = start_job();
    alive(&pty, 2);
    pty.send("\x1a");
    pty.wait_for("Stopped");
    pty.wait_prompt();
    pty.screen_given_back();
    pty.send("stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e echo | tr '\\n' ,\r");
    pty.wait_for("icanon,echo,");
    pty.send("fg\r");
    pty.wait_alternate(true);
    pty.wait_for(" 2/63"); // Drawn again unasked.
    alive(&pty, 3);
    pty.send("\x1a");
    pty.wait_prompt();
    // The terminal's colours change in the meantime.
    pty.change_answers(Answers::Light);
    pty.send("fg\r");
    pty.wait_alternate(true);
    alive(&pty, 4);
    pty.wait_raw("light colours", |raw| {
        String::from_utf8_lossy(raw).contains(&hue(Preset::Light))
    });
    pty.change_answers(Answers::Dark);
    pty.send("q");
    pty.wait_prompt();
    pty.send("exit\r");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn suspended_by_signal_it_comes_back() {
    // TSTP is caught and answered; STOP is not, and the shell draws over the screen in the
    // meantime.
    for (signal, given_back) in [(Signal::TSTP, true), (Signal::STOP, false)] {
        let pty = start_job();
        pty.signal_foreground(signal);
        pty.wait_for("Stopped");
        if given_back {
            pty.wait_prompt();
            pty.screen_given_back();
        } else {
            pty.wait_for("ready$");
        }
        pty.send("fg\r");
        pty.wait_gone("Stopped");
        pty.wait_for(" 1/63");
        alive(&pty, 2);
        pty.send("q");
        pty.wait_prompt();
        pty.send("exit\r");
        pty.wait_exit();
        pty.given_back();
    }
}

#[test]
fn with_no_shell_to_go_back_to_it_does_not_stop() {
    let pty = start();
    pty.send("\x1a");
    pty.signal(Signal::TSTP);
    alive(&pty, 2);
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn a_pipeline_stops_as_one() {
    let pty = Pty::spawn(shell(), 80, 24);
    pty.wait_prompt();
    // Another process of the job is still running: the shell would wait for it.
    pty.send(format!("sleep 600 | {PROGRAM} < /dev/tty\r"));
    pty.wait_for(" 1/63");
    pty.send("\x1a");
    pty.wait_for("Stopped");
    pty.wait_prompt();
    pty.send("fg\r");
    pty.wait_alternate(true);
    alive(&pty, 2);
    let job = pty.foreground();
    pty.send("q");
    pty.wait_alternate(false);
    rustix::process::kill_process_group(job, Signal::KILL).expect("killed");
    pty.wait_prompt();
    pty.send("exit\r");
    pty.wait_exit();
    pty.given_back();
}

#[test]
fn with_data_on_standard_input_the_keyboard_is_alive() {
    let mut data = tempfile::NamedTempFile::new().expect("a file");
    for number in 0..40 {
        writeln!(
            data,
            r#"{{"prompt": "piped {number}", "chosen": "yes", "rejected": "no"}}"#
        )
        .expect("written");
    }
    let pty = Pty::spawn(piped(PROGRAM, data.path()), 80, 24);
    pty.wait_for(" 1/40");
    pty.send("j");
    pty.wait_for(" 2/40");
    pty.resize(100, 30);
    pty.wait_for("F labels");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn rows_of_a_pipe_show_while_the_rest_is_still_to_come() {
    let row = r#"{"prompt": "first of all", "chosen": "yes", "rejected": "no"}"#;
    let mut command = CommandBuilder::new("sh");
    // The pipe stays open until the file is touched: the reader must not wait for its end.
    let gate = tempfile::NamedTempFile::new().expect("a file");
    let script =
        r#"{ echo "$1"; while [ ! -s "$2" ]; do sleep 0.05; done; echo "$1"; echo "$1"; } | "$3""#;
    command.args(["-c", script, "sh", row]);
    command.arg(gate.path());
    command.arg(PROGRAM);
    let pty = Pty::spawn(command, 80, 24);
    pty.wait_for(" 1/1");
    pty.wait_for("first of all");
    std::fs::write(gate.path(), "open").expect("written");
    pty.wait_for(" 1/3");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn a_file_that_shrinks_or_grows_is_reported_and_reloaded() {
    let rows = |count: usize| -> String {
        (0..count)
            .map(|n| {
                format!(
                    "{{\"prompt\": \"p{n}\", \"chosen\": \"{}\", \"rejected\": \"no\"}}\n",
                    "y".repeat(9000)
                )
            })
            .collect()
    };
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), rows(200)).expect("written");
    let mut command = CommandBuilder::new(PROGRAM);
    command.arg(file.path());
    let pty = Pty::spawn(command, 120, 30);
    pty.wait_for(" 1/200");
    file.as_file().set_len(5000).expect("shrunk");
    pty.wait_for("became shorter");
    pty.send("G");
    pty.wait_for("became shorter after it was opened");
    std::fs::write(file.path(), rows(3)).expect("written");
    pty.send("R");
    pty.wait_for(" 3/3");
    pty.wait_gone("shorter");
    // Appended: a file that is written anew is empty for a moment, which may be seen.
    let mut end = std::fs::OpenOptions::new()
        .append(true)
        .open(file.path())
        .expect("the file");
    end.write_all(rows(1).as_bytes()).expect("written");
    pty.wait_for("has grown");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

/// Returns the escape sequence of response A's colour.
fn hue(preset: Preset) -> String {
    match Theme::load(preset, ColorDepth::True).side_a.fg {
        Some(Color::Rgb(r, g, b)) => format!("38;2;{r};{g};{b}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_theme_follows_the_colour_scheme_of_the_terminal() {
    let pty = start();
    pty.send("\x1b[?997;2n");
    pty.wait_raw("light colours", |raw| {
        String::from_utf8_lossy(raw).contains(&hue(Preset::Light))
    });
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn escape_and_a_key_in_one_packet_are_two_keys() {
    let pty = start();
    for (keys, sample) in [(":\x1bj", 2), (":\x1bj", 3), (":x\x1b\x1b[B", 4)] {
        pty.send(keys);
        pty.wait_for(&format!(" {sample}/63"));
    }
    // ^C quits one view at a time; after Esc it is the first in the text.
    pty.send(":\x1b\x03");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn the_background_chooses_the_theme_without_waiting_for_ever() {
    for (answers, preset) in [
        (Answers::Dark, Preset::Dark),
        (Answers::Light, Preset::Light),
        (Answers::KindOnly, Preset::Dark),
        (Answers::Never, Preset::Dark),
    ] {
        let pty = start_in(answers);
        alive(&pty, 2);
        pty.send("q");
        assert_eq!(pty.wait_exit().exit_code(), 0, "{answers:?}");
        assert!(
            String::from_utf8_lossy(&pty.raw()).contains(&hue(preset)),
            "{answers:?}"
        );
        pty.given_back();
    }
}

#[test]
fn without_colours_none_are_sent() {
    let mut command = CommandBuilder::new(PROGRAM);
    command.env("NO_COLOR", "1");
    let pty = Pty::spawn(command, 80, 24);
    pty.wait_for(" 1/63");
    pty.send("q");
    pty.wait_exit();
    let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
    assert!(!raw.contains("38;2;") && !raw.contains("38;5;"), "{raw:?}");
    assert!(raw.contains("\x1b[1m"), "bold is left");
}

#[test]
fn a_page_of_the_manual_has_colours_on_a_terminal_unless_none_are_wanted() {
    for (no_color, term, has_colour, has_bold) in [
        ("", "xterm-256color", true, true),
        ("1", "xterm-256color", false, true),
        ("", "dumb", false, false),
    ] {
        let mut command = CommandBuilder::new(PROGRAM);
        command.args(["guide", "filter"]);
        command.env("NO_COLOR", no_color);
        command.env("TERM", term);
        let pty = Pty::spawn(command, 60, 100);
        assert_eq!(pty.wait_exit().exit_code(), 0);
        let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
        assert!(raw.contains("Save filters by name"), "{raw:?}");
        assert_eq!(raw.contains("\x1b[38;5;"), has_colour, "{raw:?}");
        assert_eq!(raw.contains("\x1b[1m"), has_bold, "{raw:?}");
        assert!(!raw.contains("\x1b]11"), "the terminal is asked nothing");
    }
}

#[test]
fn what_files_say_cannot_drive_a_terminal() {
    let home = tempfile::tempdir().expect("a folder");
    let schemas = home.path().join("config/visavis/schemas");
    std::fs::create_dir_all(&schemas).unwrap();
    let schema = "name = 'own'\ntitle = \"own \\u202e\\u009b7m\"\nabout = 'x'\nrows = 'inline'\n\
                  prompt.path = '/p'\n[[response]]\ntext = '/r'\n";
    std::fs::write(schemas.join("own.toml"), schema).unwrap();
    let file = program::put(
        &home,
        "rows.jsonl",
        "{\"p\": \"q\", \"r\": \"a\\tb \\u202e\\u009b7m\"}\n",
    );
    for words in [
        &["schemas", "--json"][..],
        &["schemas"],
        &["show", "1", &file, "--map", "prompt=p,a=r"],
        &[
            "export",
            "",
            &file,
            "--map",
            "prompt=p,a=r",
            "--format",
            "md",
        ],
    ] {
        let mut command = at_home(home.path());
        command.args(words);
        let pty = Pty::spawn(command, 200, 200);
        assert_eq!(pty.wait_exit().exit_code(), 0, "{words:?}");
        let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
        assert!(!raw.contains(['\u{202e}', '\u{9b}']), "{words:?} {raw:?}");
        let has_text = raw.contains("⟨9B⟩");
        assert!(
            has_text && (words[0] == "schemas" || raw.contains("⟨RLO⟩")),
            "{words:?} {raw:?}"
        );
    }
}

#[test]
fn keys_typed_before_the_answer_are_kept_and_a_late_answer_is_no_key() {
    let pty = Pty::spawn_in(CommandBuilder::new(PROGRAM), 80, 24, Answers::Never);
    pty.wait_raw("the query", |raw| raw.ends_with(b"\x1b[c"));
    pty.send("jj");
    pty.wait_for(" 3/63");
    // If typed, the digits, g, b and e would act as keys.
    pty.send("\x1b]11;rgb:dede/dede/dede\x1b\\\x1b[?62;22c");
    pty.send("j");
    pty.wait_for(" 4/63");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn right_to_left_text_stays_in_its_pane_where_the_terminal_reorders_rows() {
    for (answers, is_marked) in [(Answers::Dark, false), (Answers::Light, true)] {
        let pty = Pty::spawn_in(CommandBuilder::new(PROGRAM), 120, 30, answers);
        pty.wait_for(" 1/63");
        pty.send("18G");
        pty.wait_for(" 18/63");
        pty.send("q");
        assert_eq!(pty.wait_exit().exit_code(), 0);
        pty.given_back();
        let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
        let marks = raw.matches("\u{200e}│\u{200e}").count();
        assert_eq!(
            (marks > 0, raw.contains('\u{200e}')),
            (is_marked, is_marked),
            "{answers:?}"
        );
    }
}

#[test]
fn addresses_in_texts_are_links() {
    let folder = TempDir::new().expect("a folder");
    let row = r#"{"prompt": "p", "response": "See https://a.example/b(c), [this](http://b.example/) and [that](javascript:x).", "helpfulness": 1}"#;
    let data = put(&folder, "links.jsonl", row);
    let opened = |address: &str, text: &str| format!("\x1b]8;;{address}\x1b\\{text}");
    for (term, is_linked) in [("xterm-256color", true), ("linux", false)] {
        let mut command = CommandBuilder::new(PROGRAM);
        command.arg(&data);
        command.env("TERM", term);
        let pty = Pty::spawn(command, 120, 30);
        pty.wait_for("that");
        pty.send("q");
        assert_eq!(pty.wait_exit().exit_code(), 0);
        pty.given_back();
        let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
        for address in ["https://a.example/b(c)", "http://b.example/"] {
            assert_eq!(raw.contains(&opened(address, "")), is_linked, "{term}");
        }
        assert!(!raw.contains("\x1b]8;;javascript"));
        assert_eq!(raw.contains("\x1b]8;;\x1b"), is_linked);
    }
}

#[test]
fn copies_go_to_tmux_where_that_runs_and_to_the_terminal_otherwise() {
    let folder = TempDir::new().expect("a folder");
    let tmux = |script: &str| {
        let path = put(&folder, "tmux", format!("#!/bin/sh\n{script}"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
    };
    let copied = folder.path().join("copied");
    let takes = format!("echo \"$@\" > {0}; cat >> {0}", copied.display());
    let to_tmux = "to tmux and its clipboard.";
    let to_terminal = "sent to the terminal's clipboard.";
    let to_old_tmux = "sent; tmux needs: set -g set-clipboard on";
    for (script, is_in_tmux, expected) in [
        (takes.as_str(), true, to_tmux),
        ("exit 1", true, to_old_tmux),
        (takes.as_str(), false, to_terminal),
    ] {
        tmux(script);
        let _ = std::fs::remove_file(&copied);
        let mut command = CommandBuilder::new(PROGRAM);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", folder.path().display()));
        if is_in_tmux {
            command.env("TMUX", "/nowhere,1,0");
        }
        let pty = Pty::spawn(command, 60, 20);
        pty.wait_for("1/63");
        pty.send("y");
        pty.wait_for("copy to the clipboard");
        pty.send("\r");
        pty.wait_for(expected);
        pty.send("q");
        assert_eq!(pty.wait_exit().exit_code(), 0);
        let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
        assert_eq!(raw.contains("\x1b]52;c;"), expected != to_tmux);
        if expected == to_tmux {
            let text = std::fs::read_to_string(&copied).expect("copied");
            assert!(text.starts_with("load-buffer -w -\n**About 1.7"), "{text}");
        }
    }
}

#[test]
fn unbound_keys_and_unknown_commands_are_answered() {
    let pty = Pty::spawn(CommandBuilder::new(PROGRAM), 120, 24);
    pty.wait_for(" 1/63");
    for (keys, words) in [
        ("Q", "Q does nothing here; ? lists the keys."),
        (
            "s\x1b[20~",
            "F9 does nothing here; Enter chooses, Esc leaves the menu.",
        ),
        ("qFQ", "Q does nothing here; ? lists the keys."),
        ("qrQ", "Q does nothing here; ? lists the keys."),
        ("qvm", "m does nothing here; q goes back."),
        ("q:wq\r", "unknown command"),
    ] {
        pty.send(keys);
        pty.wait_for(words);
    }
    pty.send("\x1b:q\r");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn the_mouse_selects_and_scrolls() {
    let mut command = CommandBuilder::new(PROGRAM);
    command.arg("--mouse");
    let pty = Pty::spawn(command, 120, 30);
    pty.wait_for(" 1/63");
    pty.send("\x1b[<0;5;7M\x1b[<0;5;7m");
    pty.wait_for(" 5/63");
    pty.send("\x1b[<65;5;8M");
    pty.wait_for(" 6/63");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn any_size_is_survived() {
    let pty = start();
    for (columns, rows) in [(1, 1), (2, 1), (500, 200), (80, 24)] {
        pty.resize(columns, rows);
        pty.send("j");
    }
    pty.wait_for(" 5/63");
    alive(&pty, 6);
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn a_filter_is_typed_kept_and_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let pty = Pty::spawn(at_home(folder.path()), 100, 24);
    pty.wait_for(" 1/63");
    pty.send("fhelpfulness>=4");
    pty.wait_for("filter helpfulness>=4");
    pty.wait_for(" of 63");
    pty.send("\r");
    pty.wait_for(" 1/");
    // Words are searched for on a separate thread.
    pty.send("f python\r");
    pty.wait_for("helpfulness>=4 python");
    pty.wait_for(" 1/");
    pty.send("f\x17\r");
    pty.send(":save the best\r");
    pty.wait_for("Saved filter “the best”");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
    let history = std::fs::read_to_string(folder.path().join("state/visavis/history/demo"))
        .expect("a history");
    assert_eq!(
        history,
        "helpfulness>=4\nhelpfulness>=4 python\nhelpfulness>=4\n"
    );

    let pty = Pty::spawn(at_home(folder.path()), 100, 24);
    pty.wait_for(" 1/63");
    pty.send("f\x1b[A");
    pty.wait_for("filter helpfulness>=4");
    pty.send("\x15\x1b[200~sort:helpfulness\x1b[201~");
    pty.wait_for("filter sort:helpfulness");
    pty.wait_for("1/63");
    pty.send("\x03\x03");
    assert_eq!(pty.wait_exit().exit_code(), 0);

    let pty = Pty::spawn(at_home(folder.path()), 100, 24);
    pty.wait_for(" 1/63");
    pty.send(":filters\r");
    pty.wait_for("the best");
    pty.send("\x04\x04");
    pty.wait_for("Deleted filter “the best”");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    let filters =
        std::fs::read_to_string(folder.path().join("config/visavis/filters.toml")).expect("a file");
    assert_eq!(filters, "version = 1\n");
}

#[test]
fn a_search_is_typed_kept_and_dropped() {
    let pty = Pty::spawn(CommandBuilder::new(PROGRAM), 120, 30);
    pty.wait_for(" 1/63");
    pty.send("5j/");
    pty.wait_for("in everything");
    pty.send("python");
    pty.wait_for("/python  ");
    // Returns to the previous sample.
    pty.send("\x1b");
    pty.wait_for(" 6/63");
    pty.send("/python\r");
    pty.wait_for(" of 63");
    pty.wait_for("? keys");
    pty.send("n");
    pty.wait_for("hit ");
    pty.send("\x1b");
    pty.wait_for("f filter");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn an_unwritable_history_is_only_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("state"), "a file in the way").expect("written");
    let pty = Pty::spawn(at_home(folder.path()), 100, 24);
    pty.wait_for(" 1/63");
    pty.send("fhelpfulness>=4\r");
    pty.wait_for("cannot save the history");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn an_audit_that_cannot_be_drawn_leaves_the_terminal_untouched() {
    for (arguments, words) in [
        (&["audit", "--by", "nonsense"][..], "by=nonsense"),
        (&["audit", "--even", "nonsense"], "nonsense"),
        (&["audit", "--repeat", "200%"], "expected a share, e.g. 10%"),
        (&["audit", "-n", "5", "--filter", "nonsense>"], "the filter"),
        (
            &["--journal", "/nowhere/at/all.jsonl"],
            "folder /nowhere/at does not exist",
        ),
        (&["--journal", "/dev/null"], "not a regular file"),
        (
            &[
                "--journal",
                concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"),
            ],
            "not a visavis journal",
        ),
    ] {
        let mut command = CommandBuilder::new(PROGRAM);
        command.args(arguments);
        let pty = Pty::spawn(command, 160, 24);
        assert_eq!(pty.wait_exit().exit_code(), 2, "{arguments:?}");
        assert!(pty.screen().contains(words), "{}", pty.screen());
        assert!(
            !pty.raw().contains(&0x1b),
            "{arguments:?}: nothing was sent but the message"
        );
    }
}

#[test]
fn pipes_in_place_of_saved_files_are_reported_without_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    for (place, name) in [
        ("state/visavis/history", "demo"),
        ("config/visavis", "filters.toml"),
    ] {
        let place = folder.path().join(place);
        std::fs::create_dir_all(&place).expect("made");
        mkfifoat(CWD, place.join(name), Mode::RWXU).expect("a pipe");
    }
    let pty = Pty::spawn(at_home(folder.path()), 120, 24);
    pty.wait_for("not a regular file");
    pty.send("j");
    pty.wait_for(" 2/63");
    pty.send("fhelpfulness>=4\r");
    pty.wait_for("cannot save the history");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn what_cannot_be_opened_leaves_the_terminal_untouched() {
    for (argument, words) in [
        ("no-such-file", "no such file"),
        ("src", "is a directory"),
        ("Cargo.toml", "not JSON Lines"),
    ] {
        let mut command = CommandBuilder::new(PROGRAM);
        command.arg(argument);
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        let pty = Pty::spawn(command, 100, 24);
        assert_eq!(pty.wait_exit().exit_code(), 2, "{argument}");
        assert!(pty.screen().contains(words), "{}", pty.screen());
        assert!(
            !pty.raw().contains(&0x1b),
            "{argument}: nothing was sent but the message"
        );
    }
}

/// Records with unknown field names: one response each that differs from the others, and a field
/// that names one.
const ODD: &str = r#"{"uid":"p0","zq":"What keeps basil alive?","xalpha":"A cold fridge, at night.","kbravo":"Sun, and a pot with a hole.","mcharlie":"Water from below, and cuts above leaves.","delta9":"Ask me later, please.","review":{"pick":"kbravo","seconds":41}}
{"uid":"p1","zq":"What removes red wine?","xalpha":"Salt and cold water, at once.","kbravo":"Bleach, if it is white.","mcharlie":"A red shirt; it cannot be seen there.","delta9":"White wine, as they say.","review":{"pick":"xalpha","seconds":12}}
"#;

#[test]
fn an_unknown_file_is_mapped_saved_and_opened() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("odd.jsonl");
    std::fs::write(&file, ODD).expect("written");
    let start = || {
        let mut command = at_home(home.path());
        command.arg(&file);
        Pty::spawn(command, 120, 36)
    };
    // A user who does not know either learns why nothing is shown.
    let pty = start();
    pty.wait_for("No preview yet");
    pty.send("\x1b");
    assert_eq!(pty.wait_exit().exit_code(), 2);
    assert!(pty.screen().contains("no prompt and responses found"));
    let pty = start();
    pty.wait_for("No preview yet");
    // Seventeen keys.
    pty.send("/zq\rpjrjrjrjrjjw");
    pty.wait_for("B wins");
    pty.send("\r");
    pty.wait_for(" 1/2");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    // The schema is known from now on.
    let pty = start();
    pty.wait_for(" 1/2");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn the_list_of_a_document_that_holds_the_records_is_chosen() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("two.json");
    let row = r#"{"ask":"why?","response_a":"so it is","response_b":"not so","winner":"a"}"#;
    let text = format!("{{\n\"people\": [{{\"age\": 3}}],\n\"pairs\": [{row}]}}");
    std::fs::write(&file, text).expect("written");
    let mut command = at_home(home.path());
    command.arg(&file);
    let pty = Pty::spawn(command, 120, 36);
    // The first list is the wrong one.
    pty.wait_for("o use as records");
    pty.send("o");
    pty.wait_for("Reading records from /people");
    pty.wait_for("No preview yet");
    pty.send("u");
    pty.wait_for("o use as records");
    pty.send("/pairs\ro");
    pty.wait_for(" 1/1");
    assert!(pty.screen().contains("so it is"), "{}", pty.screen());
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn a_program_that_a_test_starts_has_a_home_of_its_own() {
    let mut command = CommandBuilder::new("sh");
    let places =
        "$HOME $XDG_CONFIG_HOME $XDG_DATA_HOME $XDG_STATE_HOME $XDG_CACHE_HOME $XDG_RUNTIME_DIR";
    command.args([
        "-c",
        &format!("for place in {places}; do case $place in \"$HOME\"*) ;; *) exit 3;; esac; done; printf %s \"$HOME\""),
    ]);
    let pty = Pty::spawn(command, 200, 24);
    assert_eq!(pty.wait_exit().exit_code(), 0);
    let home = pty.screen().trim().to_owned();
    assert_ne!(Some(home.as_ref()), std::env::var_os("HOME").as_deref());
    assert!(std::path::Path::new(&home).is_dir());
    drop(pty);
    assert!(
        !std::path::Path::new(&home).exists(),
        "{home} was not removed"
    );
}

/// Not a test: uses a home like a user, so that `.ci/run` can run the tests in it.
#[test]
#[ignore = "writes into the home that VISAVIS_USED_HOME names"]
fn use_a_home() {
    let home = std::env::var_os("VISAVIS_USED_HOME").expect("a folder in VISAVIS_USED_HOME");
    let pty = Pty::spawn(at_home(home.as_ref()), 120, 30);
    pty.wait_for(" 1/63");
    pty.send("/python\r");
    pty.wait_for("hit ");
    pty.send("fhelpfulness>=3\r");
    pty.wait_for("helpfulness>=3");
    pty.send(":save good\r");
    pty.wait_for("Saved filter “good”");
    pty.send(":audit 5 seed=1\r");
    pty.wait_for("Who is judging?");
    pty.send("\r");
    pty.wait_for("0/5");
    pty.send("\x03");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn a_terminal_that_claims_to_be_huge_is_drawn_on_in_part() {
    let pty = start();
    pty.claim_size(30_000, 30_000);
    // Far more than a frame of 80x24 has, including styles.
    pty.wait_raw("a large frame", |raw| raw.len() > 30_000);
    pty.send("j");
    pty.resize(80, 24);
    alive(&pty, 3);
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.given_back();
}

#[test]
fn the_harness_removes_its_home() {
    let pty = start();
    let pid: Pid = pty.foreground();
    drop(pty);
    let deadline = Instant::now() + Duration::from_secs(20);
    while test_kill_process(pid).is_ok() {
        assert!(Instant::now() < deadline, "still running");
        std::thread::yield_now();
    }
}
