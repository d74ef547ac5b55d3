//! Random acts against a model that recomputes everything from the beginning each time.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

const REVIEWERS: [&str; 3] = ["ana", "ben", "cleo"];

/// The state, computed by a direct translation of the rules without regard to speed.
#[derive(Debug, Default, PartialEq)]
struct Naive {
    marked: BTreeSet<SampleKey>,
    tags: BTreeSet<(SampleKey, String)>,
    notes: BTreeMap<(SampleKey, String), (String, Option<ResponseOrder>)>,
    checks: BTreeMap<(SampleKey, String), (SpotCheckVerdict, Vec<CheckDraw>)>,
    labels: BTreeMap<(SampleKey, String, u8, String), i64>,
    skipped: BTreeSet<(SampleKey, String, u8)>,
    sessions: Vec<String>,
    undoable: Vec<Option<String>>,
    redoable: Vec<Option<String>>,
}

fn naive(entries: &[ActRecord]) -> Naive {
    let mut distinct: Vec<&ActRecord> = Vec::new();
    let mut undone: Vec<&ActRecord> = Vec::new();
    let mut redoable: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for entry in entries {
        if distinct.iter().any(|known| known.id == entry.id) {
            continue;
        }
        let stack = redoable.entry(&entry.reviewer).or_default();
        match &entry.act {
            Act::Undo { entry: of } | Act::Redo { entry: of } => {
                let target = distinct
                    .iter()
                    .copied()
                    .find(|known| known.id == *of && known.reviewer == entry.reviewer);
                let target = target
                    .filter(|target| !matches!(target.act, Act::Undo { .. } | Act::Redo { .. }));
                if let Some(target) = target {
                    let is_undone = undone.iter().any(|known| known.id == *of);
                    if matches!(entry.act, Act::Undo { .. }) && !is_undone {
                        undone.push(target);
                        stack.push(of.to_string());
                    } else if matches!(entry.act, Act::Redo { .. }) && is_undone {
                        undone.retain(|known| known.id != *of);
                        stack.retain(|known| **known != *of.0);
                    }
                }
            }
            _ => stack.clear(),
        }
        distinct.push(entry);
    }
    let mut all = Naive::default();
    // Who set a tag, or a mark (no tag), and whether they still hold it.
    let mut set: Vec<(SampleKey, Option<String>, String, bool)> = Vec::new();
    let mut shared = |sample: SampleKey, tag: Option<String>, who: String, on: bool| {
        let count = set.len();
        set.retain(|it| (it.0, &it.1, &it.2) != (sample, &tag, &who));
        match on {
            true => set.push((sample, tag, who, true)),
            false if set.len() < count => {}
            false => set
                .iter_mut()
                .filter(|it| (it.0, &it.1) == (sample, &tag))
                .for_each(|it| it.3 = false),
        }
    };
    for entry in distinct
        .iter()
        .filter(|entry| !undone.iter().any(|known| known.id == entry.id))
    {
        let who = entry.reviewer.to_string();
        let sample = entry
            .sample_ref
            .as_ref()
            .map_or(key(99), |sample_ref| sample_ref.sample);
        match &entry.act {
            Act::Mark { on } => shared(sample, None, who, *on),
            Act::Tag { tag, on } => shared(sample, Some(tag.to_string()), who, *on),
            Act::Note { text, .. } if text.is_empty() => drop(all.notes.remove(&(sample, who))),
            Act::Note { text, order } => {
                drop(all.notes.insert((sample, who), (text.to_string(), *order)));
            }
            Act::Check { verdict: None, .. } => drop(all.checks.remove(&(sample, who))),
            Act::Check {
                verdict: Some(verdict),
                drawn,
            } => {
                let (said, draws) =
                    (all.checks.entry((sample, who))).or_insert_with(|| (*verdict, Vec::new()));
                *said = *verdict;
                draws.retain(|known| queue(known) != queue(drawn));
                draws.push(drawn.clone());
            }
            Act::Rate {
                rated: Judgment::Label { label, value, .. },
                setting,
            } => {
                let question = (sample, who.clone(), setting.pass, label.to_string());
                match value {
                    Some(value) => drop(all.labels.insert(question, *value as i64)),
                    None => drop(all.labels.remove(&question)),
                }
                all.skipped.remove(&(sample, who, setting.pass));
            }
            Act::Skip { setting } => drop(all.skipped.insert((sample, who, setting.pass))),
            Act::Audit(_) => all.sessions.push(entry.id.to_string()),
            _ => {}
        }
    }
    for (sample, tag, ..) in set.into_iter().filter(|it| it.3) {
        match tag {
            None => drop(all.marked.insert(sample)),
            Some(tag) => drop(all.tags.insert((sample, tag))),
        }
    }
    for reviewer in REVIEWERS {
        let own = distinct.iter().filter(|entry| *entry.reviewer == *reviewer);
        let mut own = own.filter(|entry| !matches!(entry.act, Act::Undo { .. } | Act::Redo { .. }));
        let last = own.rfind(|entry| !undone.iter().any(|known| known.id == entry.id));
        all.undoable.push(last.map(|entry| entry.id.to_string()));
        all.redoable.push(
            redoable
                .get(reviewer)
                .and_then(|stack| stack.last().cloned()),
        );
    }
    all
}

/// Returns what identifies the queue of a draw.
fn queue(drawn: &CheckDraw) -> (Option<u64>, Option<&str>) {
    match drawn {
        CheckDraw::Suspicion { filter, .. } => (None, Some(&**filter)),
        CheckDraw::Random { seed, filter, .. } => (Some(*seed), Some(&**filter)),
        CheckDraw::Chosen => (None, None),
    }
}

/// Returns the state of a ledger in the form of the model.
fn state_of(ledger: &Ledger) -> Naive {
    let mut all = Naive::default();
    for (sample, remark) in ledger.remarks() {
        if remark.marked {
            all.marked.insert(*sample);
        }
        all.tags
            .extend(remark.tags.iter().map(|tag| (*sample, tag.to_string())));
        all.notes.extend(remark.notes.iter().map(|note| {
            let who = (*sample, note.reviewer.to_string());
            (who, (note.text.to_string(), note.order))
        }));
        all.checks.extend(remark.checks.iter().map(|check| {
            let draws = check.draws.iter().cloned();
            let said = (check.verdict, draws.collect());
            ((*sample, check.reviewer.to_string()), said)
        }));
        for rating in &remark.ratings {
            let (who, pass) = (rating.reviewer.to_string(), rating.setting.pass);
            for ((label, _), value) in &rating.labels {
                all.labels.insert(
                    (*sample, who.clone(), pass, label.to_string()),
                    *value as i64,
                );
            }
            if rating.state == RatingState::Skipped {
                all.skipped.insert((*sample, who, pass));
            }
        }
    }
    let name = |entry: Option<&ActRecord>| entry.map(|entry| entry.id.to_string());
    all.sessions = ledger
        .sessions()
        .map(|session| session.id.to_string())
        .collect();
    all.undoable = REVIEWERS
        .iter()
        .map(|reviewer| name(ledger.undoable(reviewer)))
        .collect();
    all.redoable = REVIEWERS
        .iter()
        .map(|reviewer| name(ledger.redoable(reviewer)))
        .collect();
    all
}

/// Returns an act; undos and redos are those of a program (the next one) or of others (any).
fn step(
    ledger: &Ledger,
    number: usize,
    (kind, who, sample, what): (u8, usize, u64, u8),
) -> ActRecord {
    let (name, reviewer) = (format!("{number}"), REVIEWERS[who]);
    let (on, word) = (
        what.is_multiple_of(2),
        ["", "x", "y"][usize::from(what) % 3],
    );
    let setting = Setting {
        pass: 1 + what % 2,
        ..Setting::default()
    };
    let of = (number * usize::from(what) / 40).to_string();
    let next = |entry: Option<&ActRecord>| {
        entry.map_or("nothing".to_owned(), |entry| entry.id.to_string())
    };
    match kind {
        0 => mark(&name, reviewer, sample, on),
        1 => tag(&name, reviewer, sample, word, on),
        2 => {
            let order = note_orders()[usize::from(what / 3) % 4];
            note_of_order(&name, reviewer, sample, word, order)
        }
        3 | 4 => {
            let value = (what % 5 > 0).then(|| f64::from(what % 5));
            let rated = Judgment::Label {
                label: word.into(),
                response: ResponseId::A,
                value,
            };
            entry(&name, reviewer, sample, Act::Rate { rated, setting })
        }
        5 => entry(&name, reviewer, sample, Act::Skip { setting }),
        6 => bare(&name, reviewer, Act::Audit(audit())),
        7 => undo(&name, reviewer, &of),
        8 => redo(&name, reviewer, &of),
        9..=11 => undo(&name, reviewer, &next(ledger.undoable(reviewer))),
        12 | 13 => redo(&name, reviewer, &next(ledger.redoable(reviewer))),
        14 => {
            let verdict = SpotCheckVerdict::ALL.get(usize::from(what) % 4).copied();
            let rank = u64::from(what) + 1;
            let drawn = match what / 4 {
                0..3 => suspicion(rank),
                seed @ 3..8 => random(u64::from(seed) % 2, rank),
                _ => CheckDraw::Chosen,
            };
            check(&name, reviewer, sample, verdict, drawn)
        }
        _ => mark(&of, reviewer, sample, on),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(120) })]

    #[test]
    fn a_ledger_is_the_fold_of_the_acts_that_hold(
        plan in proptest::collection::vec((0_u8..16, 0..REVIEWERS.len(), 0_u64..3, 0_u8..40), 0..60),
    ) {
        let (mut ledger, mut entries) = (Ledger::default(), Vec::new());
        for (number, choice) in plan.into_iter().enumerate() {
            let entry = step(&ledger, number, choice);
            ledger.apply(&entry);
            entries.push(entry);
            prop_assert_eq!(state_of(&ledger), naive(&entries));
        }
        // Whole reviews, with orders: they equal those of a ledger without the undone acts.
        let holding = holding(&ledger);
        let (mut held, mut known) = (Ledger::default(), BTreeSet::new());
        for entry in &entries {
            if known.insert(entry.id.clone()) && holding.contains(&entry.id) {
                held.apply(entry);
            }
        }
        let (all, only): (Vec<_>, Vec<_>) = (ledger.remarks().collect(), held.remarks().collect());
        prop_assert_eq!(all, only);
    }
}

/// A program that appends to a file on a thread, whose messages arrive later, in order.
#[derive(Default)]
struct Program {
    ledger: Ledger,
    /// Acts that are not yet known to be in the file.
    waiting: Vec<ActRecord>,
    /// Acts that the thread has not written yet.
    queue: Vec<ActRecord>,
    /// Length of the file that the thread has read.
    read: usize,
    messages: std::collections::VecDeque<ThreadMessage>,
    /// Length of the file that the program knows.
    known: usize,
}

enum ThreadMessage {
    Acts(Vec<ActRecord>, usize),
    Saved(usize, usize),
}

impl Program {
    fn record(&mut self, entry: ActRecord) {
        self.ledger.apply_own(&entry);
        self.waiting.push(entry.clone());
        self.queue.push(entry);
    }

    /// The thread reads what is new and writes what is queued.
    fn read_and_write(&mut self, file: &mut Vec<ActRecord>, adds: bool) {
        let others = file[self.read..].to_vec();
        self.messages
            .push_back(ThreadMessage::Acts(others, file.len()));
        if adds {
            let count = self.queue.len();
            file.append(&mut self.queue);
            self.messages
                .push_back(ThreadMessage::Saved(count, file.len()));
        }
        self.read = file.len();
    }

    fn receive(&mut self) -> bool {
        match self.messages.pop_front() {
            Some(ThreadMessage::Acts(entries, known)) => {
                self.ledger.apply_before(&entries, self.waiting.len());
                self.known = known;
            }
            Some(ThreadMessage::Saved(count, known)) => {
                self.waiting.drain(..count);
                self.known = known;
            }
            None => return false,
        }
        true
    }

    /// Checks that the program shows the result of the known file followed by its unsaved acts.
    fn check(&self, file: &[ActRecord]) -> Result<(), TestCaseError> {
        let mut expected = Ledger::default();
        file[..self.known]
            .iter()
            .chain(&self.waiting)
            .for_each(|entry| expected.apply(entry));
        prop_assert_eq!(state_of(&self.ledger), state_of(&expected));
        let (shown, expected): (Vec<_>, Vec<_>) = (
            self.ledger.remarks().collect(),
            expected.remarks().collect(),
        );
        prop_assert_eq!(shown, expected);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn two_programs_come_to_what_the_file_says(
        plan in proptest::collection::vec(
            (0..2_usize, 0_u8..10, (0_u8..15, 0..REVIEWERS.len(), 0_u64..3, 0_u8..40)), 0..80,
        ),
    ) {
        let (mut file, mut programs) = (Vec::new(), [Program::default(), Program::default()]);
        for (number, (who, what, choice)) in plan.into_iter().enumerate() {
            let program = &mut programs[who];
            match what {
                0..5 => {
                    let entry = step(&program.ledger, number, choice);
                    program.record(entry);
                }
                5 | 6 => program.read_and_write(&mut file, true),
                7 => program.read_and_write(&mut file, false),
                _ => {
                    program.receive();
                }
            }
            program.check(&file)?;
        }
        for _ in 0..2 {
            for program in &mut programs {
                program.read_and_write(&mut file, true);
                while program.receive() {}
            }
        }
        for program in &programs {
            prop_assert!(program.waiting.is_empty() && program.known == file.len());
            program.check(&file)?;
        }
    }
}

/// Returns the active acts, found by letting the reviewers undo everything.
fn holding(ledger: &Ledger) -> BTreeSet<ActId> {
    let (mut ledger, mut holding) = (ledger.clone(), BTreeSet::new());
    for reviewer in REVIEWERS {
        while let Some(next) = ledger.undoable(reviewer).map(|entry| entry.id.clone()) {
            ledger.apply(&undo(&format!("undo {next}"), reviewer, &next.0));
            holding.insert(next);
        }
    }
    holding
}
