//! Spot checks: how many of the checked samples reviewers found right, wrong or unclear.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use minijinja::context;

use super::template::{code, render};
use super::workspace::Workspace;
use crate::answer::{Answer, AnswerCell, AnswerTable, AnswerTables, QuantityUnit};
use crate::journal::SpotCheck;
use crate::model::SpotCheckVerdict;
use crate::stats::ClusteredShare;
use crate::text::grouped;

impl Workspace<'_> {
    /// Formats the spot checks of these reviewers, or of all if none is named, as a section of a page;
    /// empty without checks. A sample counts once for each kind of draw and filter, with the verdict of
    /// most reviewers. Samples without a location are only counted, because their population was
    /// another one. Reads the checked samples.
    pub fn spot_checks(&self, reviewers: &[Arc<str>]) -> Answer {
        let mut draws = BTreeMap::<_, BTreeMap<_, Vec<_>>>::new();
        let (mut samples, mut elsewhere) = (BTreeSet::new(), 0);
        for (key, remark) in self.ledger.remarks() {
            let is_named =
                |check: &&SpotCheck| reviewers.is_empty() || reviewers.contains(&check.reviewer);
            let mut checks = remark.checks.iter().filter(is_named).peekable();
            let Some(sample) = self.places.first(key) else {
                elsewhere += u64::from(checks.peek().is_some());
                continue;
            };
            let sample = sample as u32;
            let kind = |(seed, filter): (Option<u64>, _)| (seed.is_some(), filter);
            let checks: Vec<_> = checks.collect();
            let is_drawn = checks
                .iter()
                .flat_map(|check| &check.draws)
                .any(|it| it.queue().is_some());
            for check in checks {
                let drawn = check.draws.iter().map(|drawn| drawn.queue().map(kind));
                samples.insert(sample);
                // Chosen samples are those that no queue drew.
                for queue in BTreeSet::from_iter(drawn.filter(|queue| queue.is_some() || !is_drawn))
                {
                    let checked = draws.entry(queue).or_default();
                    checked.entry(sample).or_default().push(check.verdict);
                }
            }
        }
        if draws.is_empty() && elsewhere == 0 {
            return Answer::default();
        }
        // Samples of one prompt depend on each other.
        let mut firsts = HashMap::new();
        let parts = self.dataset.parts(&Vec::from_iter(samples)).into_iter();
        let parts =
            parts.map(|(parts, sample)| (sample, *firsts.entry(parts.prompt).or_insert(sample)));
        let prompts: HashMap<u32, u32> = parts.collect();
        let row = |(queue, checked): (Option<(bool, &str)>, BTreeMap<u32, Vec<_>>)| {
            let of = |verdict| {
                let trials = checked.iter().map(|(sample, said)| {
                    let prompt = prompts.get(sample).unwrap_or(sample);
                    (*prompt, majority(said) == verdict)
                });
                ClusteredShare::of(trials.collect())
            };
            let count = |count| AnswerCell::number(grouped(count));
            let mut cells = vec![
                AnswerCell::markdown(match queue {
                    None => "chosen",
                    Some((true, _)) => "at random",
                    Some((false, _)) => "most suspicious",
                }),
                AnswerCell::markdown(match queue {
                    None => "–".to_owned(),
                    Some((_, "")) => "all samples".to_owned(),
                    Some((_, filter)) => code(filter),
                }),
                count(checked.len()),
            ];
            for share in [SpotCheckVerdict::Right, SpotCheckVerdict::Wrong].map(of) {
                let figure = share.figure();
                let words = QuantityUnit::Share.words(figure.value);
                let count = grouped(share.successes as usize);
                cells.push(AnswerCell::number(format!("{count} ({words})")));
                cells.push(match figure.interval {
                    Some(Err(why)) => AnswerCell::missing(&why),
                    _ => QuantityUnit::Share.interval_cell(figure.ends()),
                });
            }
            cells.push(count(of(SpotCheckVerdict::Unclear).successes as usize));
            cells
        };
        let heads = [
            "drawn", "from", "samples", "right", "95 %", "wrong", "95 %", "unclear",
        ];
        let rows = draws.into_iter().map(row).collect();
        let mut tables = AnswerTables::default();
        let table = tables.put(AnswerTable::with_heads(&heads, rows));
        let section = render("checks.md", context! { table, elsewhere });
        tables.answer(&format!("\n{}\n", section.trim()))
    }
}

/// Returns the most frequent verdict, or unclear if there is no single one.
fn majority(said: &[SpotCheckVerdict]) -> SpotCheckVerdict {
    let count = |verdict| said.iter().filter(|it| **it == verdict).count();
    let mut counts = SpotCheckVerdict::ALL.map(|verdict| (count(verdict), verdict));
    counts.sort_unstable();
    match counts {
        [_, (second, _), (most, verdict)] if most > second => verdict,
        _ => SpotCheckVerdict::Unclear,
    }
}
