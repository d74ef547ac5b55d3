//! Programs that are killed while they add acts: every act reported as saved is in the file.

use std::collections::HashSet;
use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::*;

const PLACE: &str = "VISAVIS_TEST_CRASHING_JOURNAL";
/// Two programs are killed in each round.
const ROUNDS: u64 = 50;

#[test]
fn saved_acts_survive_a_hundred_kills() {
    let (_folder, path) = place();
    let mut saved = Vec::new();
    let mut chance = 7_u64;
    for _ in 0..ROUNDS {
        let start = || -> Child {
            Command::new(env::current_exe().expect("this program"))
                .args([
                    "--exact",
                    "--nocapture",
                    "journal::tests::crash::adds_until_it_is_killed",
                ])
                .env(PLACE, &path)
                .stdout(Stdio::piped())
                .spawn()
                .expect("a child")
        };
        for (place, mut child) in [start(), start()].into_iter().enumerate() {
            let mut out = BufReader::new(child.stdout.take().expect("its words"));
            let mut said = String::new();
            // One of the two is killed after its first act, however slowly it starts.
            if place == 0 {
                out.read_line(&mut said).expect("text");
            }
            // Constants of Knuth's MMIX generator.
            chance = chance
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            thread::sleep(Duration::from_micros(5_000 + (chance >> 33) % 25_000));
            child.kill().expect("killed");
            out.read_to_string(&mut said).expect("text");
            child.wait().expect("its end");
            let whole = said
                .split_inclusive('\n')
                .filter_map(|line| line.strip_suffix('\n'));
            saved.extend(
                whole
                    .filter_map(|line| line.strip_prefix("saved "))
                    .map(str::to_owned),
            );
        }
    }
    let opened = JournalFile::new(path.clone()).read().expect("read");
    let found: HashSet<&str> = names(&opened.entries).into_iter().collect();
    let lost: Vec<_> = saved
        .iter()
        .filter(|name| !found.contains(name.as_str()))
        .collect();
    assert!(
        lost.is_empty(),
        "{} of {} are lost: {lost:?}",
        lost.len(),
        saved.len()
    );
    assert!(
        saved.len() as u64 > ROUNDS,
        "only {} were saved: killed too soon",
        saved.len()
    );
    assert!(
        opened
            .troubles
            .iter()
            .all(|told| told.contains("truncated")),
        "{:?}",
        opened.troubles
    );
    JournalFile::new(path)
        .add(&header(), &[mark("last", "ana", 1, true)])
        .expect("life goes on");
}

/// The child of `saved_acts_survive_a_hundred_kills`; does nothing by itself.
#[test]
fn adds_until_it_is_killed() {
    let Some(path) = env::var_os(PLACE).map(PathBuf::from) else {
        return;
    };
    let (run, mut file) = (run_id(), JournalFile::new(path));
    for number in 1.. {
        let name = format!("{run}-{number}");
        file.add(
            &header(),
            &[note(&name, "ana", number, &"word ".repeat(50))],
        )
        .expect("added");
        println!("saved {name}");
    }
}
