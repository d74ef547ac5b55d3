//! How long the thread that draws is at work for a key, whatever the key: the longest turn of the
//! loop, from what it takes to what it draws.
//!
//! Without a file, over made-up rows; `cargo bench --bench keys -- FILE…` opens files of one's own, and
//! `STEP=…` before it leaves only the steps whose names contain that.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::time::Duration;

use common::corpus::{Corpus, HELPSTEER2_ROWS, Script};
use visavis::{StepKeys, StepTimes, spelled_keys, time_turns, without_home};

/// Name, keys, and whether it is waited for the index behind them.
const STEPS: [(&str, &str, bool); 24] = [
    ("j", "j", false),
    ("G", "G", false),
    ("gg", "gg", false),
    ("20 j ahead", "jjjjjjjjjjjjjjjjjjjj", false),
    ("search, no index", "/schdlr", false),
    ("search dropped", "<esc><esc>", false),
    ("the index", "", true),
    ("search, few hits", "/schdlr", false),
    ("back", "<bs><bs><bs>", false),
    ("search, many hits", "<c-u>e", false),
    ("narrowed", "n", false),
    ("search dropped 2", "<esc><esc>", false),
    ("phrase", "/\"and the\"<enter>", false),
    ("n N", "nN", false),
    ("phrase dropped", "<esc><esc>", false),
    ("filter", "flen>=1<enter>", false),
    ("search in it", "/the<enter>", false),
    ("all dropped", "<esc><esc><esc>f<c-u><enter>", false),
    ("sort", "fsort:length<enter>", false),
    ("G sorted", "G", false),
    ("search sorted", "/the<enter>", false),
    ("dropped", "<esc><esc><esc>f<c-u><enter>", false),
    ("panel", "F", false),
    ("panel up, away", "jlllF", false),
];

fn main() {
    let arguments = std::env::args().skip(1);
    let files: Vec<_> = arguments
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if files.is_empty() {
        let rows = common::file(&Corpus::new(9).helpsteer2(HELPSTEER2_ROWS));
        time("made up", &rows.path().to_string_lossy());
        let long = Corpus::new(6).text(1_000_000, Script::Mixed);
        let short = serde_json::json!({ "prompt": "short", "chosen": "one", "rejected": "two" });
        let row = serde_json::json!({ "prompt": "so long", "chosen": long, "rejected": "short" });
        let rows = common::file(format!("{short}\n{row}\n").as_bytes());
        time_steps(
            "a text of 1 MB",
            &rows.path().to_string_lossy(),
            &[
                ("opened", "j", false),
                ("searched", "/ba", false),
                ("G", "<esc><esc>G", false),
            ],
        );
    }
    for file in &files {
        time(file, file);
    }
}

fn time(title: &str, file: &str) {
    let only = std::env::var("STEP").unwrap_or_default();
    let steps = STEPS.iter().filter(|(name, ..)| name.contains(&only));
    time_steps(title, file, &steps.copied().collect::<Vec<_>>());
}

fn time_steps(title: &str, file: &str, steps: &[(&str, &str, bool)]) {
    let (mut names, mut played) = (vec!["load"], Vec::new());
    for &(name, keys, awaits_index) in steps {
        names.push(name);
        let keys = spelled_keys(keys).expect("keys");
        let size = None;
        played.push(StepKeys {
            keys,
            size,
            awaits_index,
        });
    }
    for size in [(120, 40), (80, 24), (160, 48)] {
        names.push("resize");
        let (keys, awaits_index) = (Vec::new(), false);
        played.push(StepKeys {
            keys,
            size: Some(size),
            awaits_index,
        });
    }
    println!("{title}");
    println!(
        "{:20} {:>12} {:>9} {:>10} {:>7} {:>12} {:>10} {:>9}",
        "", "longest turn", "its work", "all", "turns", "first hits", "settled", "anon MB"
    );
    let mut names = names.into_iter();
    let invocation = without_home([file, "--size", "160x48"]).expect("a file");
    time_turns(invocation, played, &mut |times| {
        told(names.next().unwrap_or_default(), times);
    })
    .expect("a file that opens");
}

fn told(name: &str, times: StepTimes) {
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let hits = times.first_hits.map_or_else(String::new, ms);
    println!(
        "{name:20} {:>12} {:>9} {:>10} {:>7} {hits:>12} {:>10} {:>9}",
        ms(times.longest),
        ms(times.longest_work),
        ms(times.busy),
        times.turns,
        ms(times.settled),
        anonymous_megabytes().unwrap_or_default(),
    );
}

/// Anonymous memory of this process, in MB (2²⁰ bytes), where the system tells it.
fn anonymous_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.split_whitespace()
        .next()?
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes >> 10)
}
