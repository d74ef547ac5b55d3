//! The rows of the page of findings: queues, rules by how bad they are, and those that do not apply.

use std::sync::Arc;

use super::queue::QueueOrder;
use crate::findings::{FindingCounts, SampleCount};
use crate::query::{FOLLOWS_FROM_LABEL, FindingRules, Severity};

/// A row of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingsRow {
    /// What it is.
    pub kind: FindingsRowKind,
    /// What it is called; of a row without a name nothing.
    pub name: Arc<str>,
    /// What it means, or why it cannot be asked.
    pub sentence: String,
    /// How many samples it leads to, where that was counted.
    pub count: Option<SampleCount>,
    /// Whether not all samples were looked at for the count.
    pub is_partial: bool,
    /// The query that shows them; `None` where it leads nowhere.
    pub query: Option<String>,
}

/// What a row of the page of findings is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingsRowKind {
    /// The name of what follows.
    Heading,
    /// A blank line.
    Gap,
    /// A queue over all rules.
    Queue(QueueOrder),
    /// A rule.
    Rule(Severity),
    /// A rule that cannot be asked here.
    Other(Severity),
}

impl FindingsRow {
    /// The name of the first heading, beside which the columns are named.
    pub const QUEUES: &'static str = "queues";

    /// Whether the cursor can stand on it.
    pub fn can_be_chosen(&self) -> bool {
        !matches!(self.kind, FindingsRowKind::Heading | FindingsRowKind::Gap)
    }

    /// Whether it leads to no sample, for certain.
    pub fn is_quiet(&self) -> bool {
        self.count.is_some_and(|count| count.whole == 0) && !self.is_partial
    }

    /// The rows for the rules of a dataset, by what was counted of them and what they ask for that no
    /// sample has. Rules that tell of labels are withheld where those are hidden.
    pub(super) fn all(
        rules: &FindingRules,
        counts: Option<&FindingCounts>,
        lacks: &[Option<&'static str>],
        hides_labels: bool,
    ) -> Vec<Self> {
        let mut rows = vec![Self::heading(Self::QUEUES)];
        rows.extend(Self::queues(counts, hides_labels));
        // An order by suspicion would tell labels.
        let order = match hides_labels {
            true => String::new(),
            false => format!(" {}", QueueOrder::Suspicion.sort()),
        };
        let told: Vec<_> = (rules.rules.iter().enumerate())
            .filter(|(_, rule)| !(hides_labels && rule.reveals_labels))
            .collect();
        let withheld = rules.rules.len() - told.len();
        let (mut impossible, mut can_fire) = (Vec::new(), Vec::new());
        for (at, rule) in told {
            let lack = lacks.get(at).copied().flatten();
            match lack.or_else(|| rule.contradicts_outcome.then_some(FOLLOWS_FROM_LABEL)) {
                Some(why) => impossible.push((&rule.definition, why)),
                None => can_fire.push((at, rule)),
            }
        }
        let mut fire: Vec<_> = (can_fire.into_iter())
            .map(|(at, rule)| {
                let definition = &rule.definition;
                let counted = counts.and_then(|counts| counts.of_rule(at));
                Self {
                    kind: FindingsRowKind::Rule(definition.severity),
                    name: Arc::clone(&definition.name),
                    sentence: definition.sentence.to_string(),
                    count: counted.map(|(count, _)| count),
                    is_partial: counted.is_some_and(|(_, is_whole)| !is_whole),
                    query: Some(format!("finding:{}{order}", definition.name)),
                }
            })
            .collect();
        let others = rules
            .others
            .iter()
            .map(|(definition, why)| (definition, &**why));
        let mut others: Vec<_> = impossible.into_iter().chain(others).collect();
        others.sort_by_key(|(definition, _)| Arc::clone(&definition.name));
        fire.sort_by_key(|row| {
            // Rows change places once, when they are counted.
            let counted = row.count.filter(|_| !row.is_partial);
            let count = counted.unwrap_or_default();
            let FindingsRowKind::Rule(severity) = row.kind else {
                return Default::default();
            };
            (
                // What fires nowhere is quiet, and stands behind the others.
                row.is_quiet(),
                std::cmp::Reverse((severity.number(), count.shown, count.whole)),
            )
        });
        if !fire.is_empty() {
            rows.extend([Self::gap(), Self::heading("rules")]);
            rows.extend(fire);
        }
        if withheld > 0 {
            let words =
                format!("{withheld} rules that tell of labels are withheld while you judge blind");
            rows.extend([Self::gap(), Self::heading(&words)]);
        }
        if !others.is_empty() {
            rows.extend([Self::gap(), Self::heading("rules that do not apply here")]);
            rows.extend(others.into_iter().map(|(definition, why)| Self {
                kind: FindingsRowKind::Other(definition.severity),
                name: Arc::clone(&definition.name),
                sentence: why.to_owned(),
                count: None,
                is_partial: false,
                query: None,
            }));
        }
        rows
    }

    fn queues(counts: Option<&FindingCounts>, hides_labels: bool) -> Vec<Self> {
        let queue = |order: QueueOrder, sentence: &str, count: Option<SampleCount>| Self {
            kind: FindingsRowKind::Queue(order),
            name: order.name().into(),
            sentence: sentence.to_owned(),
            count,
            is_partial: false,
            query: Some(order.query()),
        };
        let mut all = Vec::new();
        if !hides_labels {
            let suspicious = counts.map(|counts| counts.suspicious);
            let says = "every sample with a finding";
            all.push(Self {
                is_partial: counts.is_some_and(|counts| !counts.is_whole()),
                ..queue(QueueOrder::Suspicion, says, suspicious)
            });
        }
        let samples = counts.map(|counts| counts.samples);
        let says = "all that is shown, shuffled: what the suspicious ones are to be compared with";
        all.push(queue(QueueOrder::Random, says, samples));
        all
    }

    fn heading(words: &str) -> Self {
        Self {
            kind: FindingsRowKind::Heading,
            name: words.into(),
            sentence: String::new(),
            count: None,
            is_partial: false,
            query: None,
        }
    }

    fn gap() -> Self {
        Self {
            kind: FindingsRowKind::Gap,
            ..Self::heading("")
        }
    }
}
