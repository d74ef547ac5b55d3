//! What a blind reviewer sees, and what the journal records, must depend on the texts only.

use std::path::Path;

use clap::Parser;

use super::frame::{plain_text, record};
use super::{Invocation, JudgingArgs, LookArgs, journal_config, loader};
use crate::config::Config;
use crate::dataset::Loader;
use crate::source::Input;

/// Two files whose rows have the same texts and different other values.
struct FilePair {
    name: &'static str,
    /// Returns the row of a sample, in the first or the second file.
    row: fn(usize, bool) -> String,
}

const REASON: &str =
    "Because the first one says what has to be done, and in which order it is done.";

const TWINS: [FilePair; 6] = [
    FilePair {
        name: "odd pairs",
        row: odd_pair,
    },
    FilePair {
        name: "bare group",
        row: bare_group,
    },
    FilePair {
        name: "pairs",
        row: pair,
    },
    FilePair {
        name: "lists",
        row: list_of_five,
    },
    FilePair {
        name: "groups",
        row: group_of_five,
    },
    FilePair {
        name: "votes",
        row: pair_with_votes,
    },
];

fn pair(at: usize, is_first: bool) -> String {
    let other = at + usize::from(!is_first);
    let (winner, model) = match other % 2 {
        0 => ("a", "\"falcon\""),
        _ => ("b", "17"),
    };
    let reason = if is_first { REASON } else { "short" };
    let tags = if is_first { "[\"x\", \"y\"]" } else { "null" };
    format!(
        "{{\"prompt\": \"ask {at}\", \"response_a\": \"left {at}\", \"response_b\": \"right {at}\", \
         \"winner\": \"{winner}\", \"score_a\": {other}, \"score_b\": {at}, \"model\": {model}, \
         \"meta\": {{\"topic\": \"t{other}\", \"n\": {other}}}, \"tags\": {tags}, \
         \"reason\": \"{reason}\", \"created\": \"202{other}-01-01\"}}\n"
    )
}

fn list_of_five(at: usize, is_first: bool) -> String {
    let texts: Vec<_> = (0..5)
        .map(|of| format!("\"answer {of} to {at}\""))
        .collect();
    let scores: Vec<_> = (0..5)
        .map(|of| match is_first {
            true => format!("{of}"),
            false => format!("0.{}", (of * 7 + at) % 10),
        })
        .collect();
    let models: Vec<_> = (0..5)
        .map(|of| format!("\"model {}\"", if is_first { of } else { 9 - of }))
        .collect();
    let source = if is_first { "\"web\"" } else { "3" };
    format!(
        "{{\"prompt\": \"ask {at}\", \"responses\": [{}], \"scores\": [{}], \"models\": [{}], \
         \"source\": {source}, \"seconds\": {}}}\n",
        texts.join(", "),
        scores.join(", "),
        models.join(", "),
        if is_first { "null" } else { "4.5" },
    )
}

fn group_of_five(at: usize, is_first: bool) -> String {
    let row = |of: usize| {
        let reward = match is_first {
            true => format!("0.{of}"),
            false => format!("{}", 5 - of),
        };
        format!(
            "{{\"prompt\": \"ask {at}\", \"response\": \"answer {of} to {at}\", \"reward\": {reward}, \
             \"model\": \"{}\", \"annotator_id\": {}, \"critique\": \"{}\"}}\n",
            if is_first { "falcon" } else { "eagle" },
            if is_first { of } else { 40 },
            if is_first { REASON } else { "" },
        )
    };
    (0..5).map(row).collect()
}

fn pair_with_votes(at: usize, is_first: bool) -> String {
    let votes = match (is_first, at % 3) {
        (true, 0) => "[\"A\", \"B\", \"A\"]",
        (true, _) => "[\"A\", \"A\", \"A\"]",
        (false, 0) => "[\"B\", \"B\"]",
        (false, _) => "[\"B\", \"tie\"]",
    };
    let who = if is_first { "ann" } else { "bob" };
    format!(
        "{{\"prompt\": \"ask {at}\", \"response_a\": \"left {at}\", \"response_b\": \"right {at}\", \
         \"votes\": {votes}, \"checked_by\": \"{who}\", \"ok\": {is_first}}}\n"
    )
}

fn odd_pair(at: usize, is_first: bool) -> String {
    let fields = match (is_first, at % 3) {
        (true, 0) => {
            "\"winner\": \"a\", \"score_a\": 4, \"score_b\": 2, \"model\": \"m\", \"tags\": [\"x\"], \"why\": \"because\""
        }
        (true, _) => {
            "\"winner\": \"maybe\", \"score_a\": NaN, \"score_b\": \"x\", \"model\": \"m2\", \"tags\": [], \"why\": \"\""
        }
        (false, _) => {
            "\"winner\": null, \"score_a\": null, \"score_b\": null, \"model\": 7, \"tags\": {\"x\": 1}, \"why\": 5"
        }
    };
    format!(
        "{{\"prompt\": \"ask {at}\", \"response_a\": \"left {at}\", \"response_b\": \"right {at}\", {fields}}}\n"
    )
}

fn bare_group(at: usize, is_first: bool) -> String {
    let row = |of: usize| {
        let more = match is_first {
            true => format!(
                ", \"score\": {}, \"model\": \"m\", \"id\": \"{at}-{of}\"",
                of % 4 + 1
            ),
            false => ", \"score\": null, \"model\": null, \"id\": null".to_owned(),
        };
        format!("{{\"prompt\": \"ask {at}\", \"response\": \"answer {of} to {at}\"{more}}}\n",)
    };
    (0..5).map(row).collect()
}

const KEYS: [&str; 96] = [
    "j",
    "k",
    "G",
    "g",
    "3G",
    "<enter>",
    "<esc>",
    "<tab>",
    "M",
    "X",
    "L",
    "F",
    "s",
    "S",
    "?",
    "m",
    "A",
    "B",
    "x",
    "y",
    "y<enter>",
    "yj<enter>",
    "yjj<enter>",
    "yjjj<enter>",
    "R",
    "r",
    "rla",
    "rl<tab>l",
    "l",
    "a",
    "1",
    "4",
    "u",
    "n",
    "N",
    "'",
    "w",
    "z",
    "v",
    "t",
    "tword<enter>",
    "eword<c-s>",
    "C",
    "D",
    "d",
    "]",
    "o",
    "oj<enter>",
    "os",
    "oss",
    "o]",
    "o?",
    "<space>",
    ":",
    "/",
    "f",
    "<c-p>",
    "<c-p>model",
    "<c-p>sco",
    "<c-p>lay<enter>",
    "<c-p>score<enter>",
    ":layout<enter>",
    ":layout<enter>j",
    ":layout<enter>e",
    ":layout<enter>ejjr",
    ":layout<enter>el<enter>",
    ":layout<enter>g",
    ":layout<enter>/mod<enter>",
    ":layout<enter>]",
    ":stats<enter>",
    ":stats<enter>j<enter>",
    ":columns model<enter>",
    ":columns score<enter>",
    ":sort model<enter>",
    ":sort -score<enter>",
    ":sort meta.n<enter>",
    "fmodel=falcon<enter>",
    "fmeta.n>3<enter>",
    "fmodel<tab>",
    "fmeta.<tab>",
    "fsco<tab><tab><enter>",
    "freward=<tab>",
    "f/meta/topic=t1<enter>",
    "ftags=x<enter>",
    "f<tab><tab>",
    "frationale:first<enter>",
    "/falcon<enter>",
    "/order<enter>",
    "/left<enter>",
    "fscore>3<enter>",
    "fcreated>=2024<enter>",
    "fvotes>1<enter>",
    ":audit 3 seed=1<enter>",
    ":record<enter>",
    ":copy<enter>",
    ":export result nowhere/out.csv<enter>",
];

/// Returns a pseudorandom number.
fn chance(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

/// Returns a frame of these inputs with options of the screen.
pub(super) fn invocation(options: &[&str], inputs: Vec<Input>) -> Invocation {
    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        looks: LookArgs,
        #[command(flatten)]
        judging: JudgingArgs,
    }
    let typed = ["visavis", "--print"].iter().chain(options);
    let Options { looks, judging } = Options::parse_from(typed);
    let loader = Loader {
        inputs,
        ..Loader::default()
    };
    Invocation::new(loader, Config::default(), looks, judging)
}

/// Returns the screen after some keys, and the journal.
fn shown(folder: &Path, size: &str, keys: &str, is_blind: bool) -> [String; 2] {
    let folder = folder.to_str().expect("a name");
    let file = format!("{folder}/twin.jsonl");
    let mut options = vec!["--size", size, "--keys", keys];
    if is_blind {
        options.extend(["--blind", "--reveal", "never"]);
    }
    let mut invocation = invocation(&options, vec![Input::Path(file.into())]);
    let loader = loader(&mut invocation);
    let journal = Path::new(folder).join("journal.jsonl");
    drop(std::fs::remove_file(&journal));
    let journals = [journal.clone()];
    let config = journal_config::config(&loader.inputs, &journals, Some("ann"), true);
    let (store, memory) = Default::default();
    let frame = record(&invocation, loader, store, memory, config).map(|(frame, _)| frame);
    let frame = frame.map_err(|failed| failed.reason);
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    // Time, run and file differ.
    let entries = ["time", "id", "data_hash"].iter().fold(text, |text, key| {
        let start = format!("\"{key}\":\"");
        let mut pieces = text.split(&*start);
        let first = pieces.next().unwrap_or_default().to_owned();
        let rest = pieces.map(|piece| piece.split_once('"').map_or(piece, |(_, rest)| rest));
        rest.fold(first, |all, rest| all + &start + rest)
    });
    let screen = plain_text(&frame.expect("a frame"));
    [screen.replace(folder, "HERE"), entries]
}

#[test]
fn a_blind_screen_and_its_journal_are_the_same_whatever_the_fields_are() {
    let home = tempfile::tempdir().expect("a folder");
    let (mut journals, mut differences) = (0, Vec::new());
    for (FilePair { name, row }, seeds) in TWINS.iter().zip((0..102_u64).step_by(17)) {
        let twins = [true, false].map(|is_first| {
            let folder = home
                .path()
                .join(name)
                .join(if is_first { "1" } else { "2" });
            std::fs::create_dir_all(&folder).expect("a folder");
            let rows: String = (0..6).map(|at| row(at, is_first)).collect();
            std::fs::write(folder.join("twin.jsonl"), rows).expect("written");
            folder
        });
        let open = twins.each_ref().map(|it| shown(it, "160x48", "", false));
        assert_ne!(open[0], open[1], "{name} differ where nothing is hidden");
        for seed in seeds..seeds + 17 {
            let length = 2 + chance(seed) % 6;
            let key = |at| KEYS[(chance(seed * 64 + at + 1000) % KEYS.len() as u64) as usize];
            let keys: String = (0..length).map(key).collect();
            let size = ["160x48", "100x30", "60x20"][(seed % 3) as usize];
            let [one, other] = twins.each_ref().map(|it| shown(it, size, &keys, true));
            let lines = one.iter().zip(&other).flat_map(|(one, other)| {
                let differ = one
                    .lines()
                    .zip(other.lines())
                    .find(|(one, other)| one != other);
                let (one, other) = differ.or((one != other).then_some(("", "more lines")))?;
                Some(format!("{keys} at {size} of {name}:\n{one}\n{other}\n"))
            });
            differences.extend(lines);
            journals += usize::from(!one[1].is_empty());
        }
    }
    assert!(differences.is_empty(), "{}", differences.concat());
    assert!(journals > 10, "{journals} journals");
}
