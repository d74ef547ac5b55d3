//! Merges the acts of several journals.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::file::JournalUpdate;
use super::record::{Act, ActId, ActRecord};
use super::texts;
use super::time::parse_time;

/// Maximum number of faulty acts that are reported one by one.
const MAX_REPORTED: usize = 8;

/// Returns the acts of several journals by time, each id once. The acts of one journal keep their
/// order, because one may undo another. The order of the journals does not matter.
pub fn merged(journals: impl IntoIterator<Item = Vec<ActRecord>>) -> Vec<ActRecord> {
    let mut known = HashSet::new();
    let mut rest: Vec<_> = journals
        .into_iter()
        .map(|acts| acts.into_iter().peekable())
        .collect();
    let mut all: Vec<ActRecord> = Vec::new();
    loop {
        // Known acts are dropped from all journals at once: otherwise the order of the journals would
        // decide which act is next.
        let heads = rest.iter_mut().enumerate().filter_map(|(at, acts)| {
            while acts.next_if(|act| known.contains(&act.id)).is_some() {}
            Some((acts.peek()?, at))
        });
        let next = heads.min_by(|(one, _), (other, _)| {
            (one.when(), &one.id)
                .cmp(&(other.when(), &other.id))
                .then_with(|| one.line().cmp(&other.line()))
        });
        let Some((_, at)) = next else {
            return all;
        };
        all.extend(rest[at].next());
        known.extend(all.last().map(|act| act.id.clone()));
    }
}

/// Returns the acts that a journal lacks, to be added to it.
///
/// # Errors
/// If one is older than an act of the same reviewer in the journal, where the last act counts. Acts
/// about seen labels may be in any order.
pub fn missing(
    path: &Path,
    there: &[ActRecord],
    mut acts: Vec<ActRecord>,
) -> Result<Vec<ActRecord>, String> {
    let known: HashSet<_> = there.iter().map(|act| &act.id).collect();
    acts.retain(|act| !known.contains(&act.id));
    let is_ordered = |act: &&ActRecord| !matches!(act.act, Act::Seen { .. });
    let mut latest = HashMap::new();
    for act in there.iter().filter(is_ordered) {
        let last = latest.entry(&*act.reviewer).or_default();
        *last = act.when().max(*last);
    }
    let is_early =
        |act: &&ActRecord| act.when() < latest.get(&*act.reviewer).copied().unwrap_or_default();
    match acts.iter().filter(is_ordered).find(is_early) {
        None => Ok(acts),
        Some(act) => Err(texts::older_acts(path.display(), &act.reviewer)),
    }
}

impl ActRecord {
    /// Returns the time as a sort key: the parsed time, or else the text, which sorts first.
    pub fn when(&self) -> (Option<SystemTime>, &str) {
        match parse_time(&self.time) {
            Some(time) => (Some(time), ""),
            None => (None, &self.time),
        }
    }
}

/// The acts read so far, with file and line, to find different acts with the same id.
#[derive(Debug, Default)]
pub struct KnownActs(HashMap<ActId, (ActRecord, Arc<str>, u64)>);

impl KnownActs {
    /// Adds the acts of a journal. Warns of each act that differs from another one with its id, or
    /// has no valid time.
    pub fn add(&mut self, path: &Path, opened: &mut JournalUpdate) {
        let file: Arc<str> = path.display().to_string().into();
        let acts = || opened.entries.iter().zip(&opened.lines);
        let untimed = acts().filter(|(act, _)| act.when().0.is_none());
        let untimed =
            untimed.map(|(act, line)| texts::invalid_time(&file, line, act.time.escape_debug()));
        let mut faulty: Vec<_> = acts()
            .filter_map(|(act, line)| match self.0.entry(act.id.clone()) {
                Vacant(free) => {
                    free.insert((act.clone(), Arc::clone(&file), *line));
                    None
                }
                Occupied(known) => {
                    let (other, at, before) = known.get();
                    let text = || texts::different_act(&file, line, &act.id, at, before);
                    (act != other).then(text)
                }
            })
            .chain(untimed)
            .collect();
        if let Some(more @ 1..) = faulty.len().checked_sub(MAX_REPORTED) {
            faulty.truncate(MAX_REPORTED);
            faulty.push(texts::more_faulty_acts(&file, more));
        }
        opened.troubles.append(&mut faulty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(id: &str, time: &str) -> ActRecord {
        ActRecord {
            id: ActId(id.into()),
            time: match time.len() {
                1 => format!("2026-11-21T10:00:0{time}Z"),
                _ => time.to_owned(),
            },
            reviewer: "ann".into(),
            sample_ref: None,
            act: Act::Undo {
                entry: ActId("x".into()),
            },
        }
    }

    #[test]
    fn different_acts_with_one_id_are_reported() {
        let opened = |entries: Vec<ActRecord>| JournalUpdate {
            lines: (2..).take(entries.len()).collect(),
            entries,
            ..JournalUpdate::default()
        };
        let mut known = KnownActs::default();
        let mut add = |path: &str, mut opened: JournalUpdate| {
            known.add(Path::new(path), &mut opened);
            opened.troubles
        };
        let ann = opened(vec![act("a", "1"), act("b", "2"), act("b", "2")]);
        assert!(add("ann.jsonl", ann).is_empty());
        let ben = opened(vec![act("c", "1"), act("a", "1"), act("b", "3")]);
        assert_eq!(
            add("ben.jsonl", ben),
            [
                "ben.jsonl, line 4: act b differs from the one in ann.jsonl, line 3; only one counts: \
                 delete one line or change its id"
            ]
        );
        let many = opened((0..10).map(|_| act("a", "9")).collect());
        let told = add("many.jsonl", many);
        assert_eq!(told.len(), 9);
        assert_eq!(
            told[8],
            "many.jsonl: 2 more acts have a duplicate id or an invalid time"
        );
        assert_eq!(
            add("old.jsonl", opened(vec![act("o", "yesterday")])),
            [
                "old.jsonl, line 2: invalid time \"yesterday\" (expected e.g. 2026-11-21T10:00:00Z); the act counts as the oldest"
            ]
        );
    }

    #[test]
    fn acts_are_merged_once_by_time_and_file() {
        let one = vec![act("a", "2"), act("b", "1"), act("c", "5")];
        let two = vec![act("d", "3"), act("a", "2"), act("e", "6")];
        let order = |journals| {
            let acts = merged(journals);
            acts.iter()
                .map(|act| act.id.to_string())
                .collect::<String>()
        };
        // The clock of the first went back; its acts keep their order.
        assert_eq!(order(vec![one.clone(), two.clone()]), "abdce");
        assert_eq!(order(vec![two, one]), "abdce");
        // The order of journals does not decide between equal times or different acts with one id.
        let (one, two) = (
            vec![act("b", "1"), act("x", "2")],
            vec![act("a", "1"), act("x", "3")],
        );
        assert_eq!(
            merged([one.clone(), two.clone()]),
            [act("a", "1"), act("b", "1"), act("x", "2")]
        );
        assert_eq!(merged([one.clone(), two.clone()]), merged([two, one]));
        // Nor do acts that several journals share, if a clock went back after them.
        let (one, two) = (
            vec![act("a", "5"), act("b", "1")],
            vec![act("a", "5"), act("c", "2")],
        );
        assert_eq!(order(vec![one.clone(), two.clone()]), "abc");
        assert_eq!(order(vec![two, one]), "abc");
        assert_eq!(order(Vec::new()), "");
        // Times are compared as times, not as texts.
        for (earlier, later) in [
            ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.500Z"),
            ("2026-11-21T12:00:00+02:00", "2026-11-21T10:30:00Z"),
            ("yesterday", "2026-11-21T10:30:00Z"),
        ] {
            let (one, two) = (vec![act("z", earlier)], vec![act("a", later)]);
            assert_eq!(order(vec![two, one]), "za", "{earlier} {later}");
        }
    }
}
