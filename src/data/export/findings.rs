//! Findings as an answer for readers and as JSON for programs.

use std::collections::BTreeSet;
use std::io::Write;

use minijinja::context;
use serde_json::{Value, json};

use super::ExportError;
use super::place::FilePlace;
use crate::answer::{Answer, AnswerTable, AnswerTables};
use crate::dataset::{Buffers, Dataset, FoundFinding, SampleBody};
use crate::findings::FindingCounts;
use crate::model::{ReadWarning, ResponseId};
use crate::query::{
    Field, FieldCell, FieldValue, FindingRule, FindingRules, ResponseSet, ReviewIndex, Severity,
    cell,
};
use crate::review::render;
use crate::table::ColumnId;
use crate::text::{counted, grouped};

/// The version of the JSON document; it grows when a key changes its meaning.
const VERSION: u32 = 1;
/// Places listed for each rule by default.
const PLACES: usize = 3;

/// The findings of rules in files.
#[derive(Debug)]
pub struct FindingsReport<'a> {
    /// The files.
    pub dataset: &'a Dataset,
    /// The rules that were run.
    pub rules: &'a FindingRules,
    /// The findings, in dataset order.
    pub found: &'a [FoundFinding],
    /// Their number, of all samples and of those that were checked, which count as shown.
    pub counts: FindingCounts,
    /// Maximum places listed for each rule; `None` means 3 for readers and all in JSON.
    pub most: Option<usize>,
}

impl FindingsReport<'_> {
    /// Returns the severity of the worst finding, even if its rule is too common to count.
    pub fn worst(&self) -> Option<Severity> {
        let rules = self.found.iter().filter_map(|found| self.rule(found));
        rules.map(|rule| rule.definition.severity).max()
    }

    /// Counts the samples with findings of each severity, the worst first. Rules that are too common
    /// weigh nothing, as in `findings>=1`.
    fn severities(&self) -> [usize; 3] {
        let counted = self.found.iter().filter(|found| found.weight > 0);
        let severities = counted.filter_map(|found| {
            let severity = self.rule(found)?.definition.severity;
            Some((found.sample, severity))
        });
        let severities: BTreeSet<_> = severities.collect();
        Severity::ALL.map(|of| severities.iter().filter(|(_, it)| *it == of).count())
    }

    fn rule(&self, found: &FoundFinding) -> Option<&FindingRule> {
        self.rules
            .rules
            .get(usize::from(found.rule))
            .map(|rule| &**rule)
    }

    /// Returns the reported findings with their rules, in dataset order.
    fn reported(&self, most: usize) -> impl Iterator<Item = (&FoundFinding, &FindingRule)> {
        let mut listed = vec![0; self.rules.rules.len()];
        self.found.iter().filter_map(move |found| {
            let listed = listed.get_mut(usize::from(found.rule))?;
            *listed += 1;
            Some((found, self.rule(found)?)).filter(|_| *listed <= most)
        })
    }

    fn place_finding(
        &self,
        found: &FoundFinding,
        rule: &FindingRule,
        buffers: &mut Buffers,
    ) -> PlacedFinding<'_> {
        let dataset = self.dataset;
        let responses = dataset.responses_of(found.sample as usize).unwrap_or(0);
        let speaks = ResponseSet::filtered(responses, |response| found.responses.has(response));
        let is_all = speaks.count() == responses;
        let (reasons, odd_response) = if rule.asks_how_rows_were_read {
            self.reasons(found.sample as usize, buffers)
        } else {
            Default::default()
        };
        // A finding about some responses is placed at the first of them, if they have separate
        // rows; one about all of them at the first with an out-of-range value.
        let rows = dataset.sample_rows(found.sample as usize);
        let first = (0..responses).find(|response| speaks.has(*response));
        let first = odd_response
            .map(ResponseId::index)
            .filter(|_| is_all)
            .or(first);
        let row = rows.map(|rows| rows.of_response(first.unwrap_or_default()));
        let place = row.and_then(|row| dataset.place(row));
        PlacedFinding {
            sample: found.sample as usize + 1,
            place: place.map(|place| FilePlace::of(dataset, &place)),
            letters: ResponseId::first(responses)
                .filter(|id| !is_all && speaks.has(id.index()))
                .collect(),
            with: self.leak(found, rule),
            reasons,
        }
    }

    /// Returns the warnings from reading the rows of a sample, and the first response with an
    /// out-of-range value.
    fn reasons(&self, sample: usize, buffers: &mut Buffers) -> (Vec<String>, Option<ResponseId>) {
        match self.dataset.read(sample, buffers).map(|loaded| loaded.body) {
            Some(SampleBody::Sample(sample)) => {
                let of_value = |warning: &ReadWarning| match warning {
                    ReadWarning::InvalidValue { response, .. }
                    | ReadWarning::RepeatedKey { response, .. } => *response,
                    _ => None,
                };
                let explained = sample.warnings.iter().map(ReadWarning::explanation);
                let first = sample.warnings.iter().find_map(of_value);
                (explained.map(Into::into).collect(), first)
            }
            Some(SampleBody::Malformed { row_error, .. }) => (vec![row_error.reason], None),
            Some(SampleBody::Unreadable(_)) | None => Default::default(),
        }
    }

    /// Returns the findings for readers: a row for each rule that fires, then one for each place.
    ///
    /// Places are sorted by rule; their rows are read for the reasons.
    pub fn answer(&self) -> Answer {
        let counts = &self.counts;
        let rules = self.rules.rules.iter().zip(&counts.rules);
        let firing = rules.filter(|(_, known)| known.shown() > 0);
        let rules = firing.map(|(rule, known)| {
            let (definition, count) = (&rule.definition, counted(known.shown(), "sample"));
            let common = if known.is_common {
                "Not counted, in more than half: "
            } else {
                ""
            };
            vec![
                format!("{} {}, {count}", definition.severity.word(), rule.name()).into(),
                format!("{common}{}", definition.sentence).into(),
            ]
        });
        let mut tables = AnswerTables::default();
        let mut put = |head, rows| tables.put(AnswerTable::with_heads(&[head, "finding"], rows));
        let rules = put("rule", rules.collect());
        let most = self.most.unwrap_or(PLACES);
        let mut reported: Vec<_> = self.reported(most).collect();
        let is_cut = reported.len() < self.reported(usize::MAX).count();
        reported.sort_by_key(|(found, _)| found.rule);
        let mut buffers = Buffers::default();
        let places = reported.into_iter().map(|(found, rule)| {
            let it = self.place_finding(found, rule, &mut buffers);
            let place = FilePlace::spelled(it.place.as_ref());
            let letters: String = it.letters.iter().map(|id| id.letter()).collect();
            let sample = format!("{place} (sample {} {letters}", grouped(it.sample));
            let with = it.with.map(|other| format!("see {other}"));
            let reasons: Vec<_> = with.into_iter().chain(it.reasons).collect();
            let finding = format!("{}: {}", rule.name(), reasons.join("; "));
            vec![
                format!("{})", sample.trim_end()).into(),
                finding.trim_end_matches(": ").into(),
            ]
        });
        let context = context! {
            rules,
            places => put("place", places.collect()),
            samples => counts.samples.shown,
            any => counts.suspicious.shown,
            severities => self.severities(),
            asked => counts.rules.len(),
            most => is_cut.then_some(most),
        };
        tables.answer(&render("findings.md", context))
    }

    /// Writes the findings as a JSON document, with a line for each finding.
    ///
    /// # Errors
    /// If the output fails.
    pub fn write_json(&self, out: &mut dyn Write) -> Result<(), ExportError> {
        let counts = &self.counts;
        let [severe, likely, slight] = self.severities();
        let files = self.dataset.files().iter();
        let files: Vec<_> = files.map(|file| file.source.name()).collect();
        let rules = self
            .rules
            .rules
            .iter()
            .zip(&counts.rules)
            .map(|(rule, known)| {
                let definition = &rule.definition;
                json!({
                    "name": rule.name(),
                    "severity": definition.severity.word(),
                    "sentence": &*definition.sentence,
                    "query": &*definition.query,
                    "samples": known.shown(),
                })
            });
        let not_asked = self.rules.others.iter();
        let not_asked = not_asked.map(|(rule, why)| json!({"name": &*rule.name, "why": why}));
        let head = json!({
            "version": VERSION,
            "files": files,
            "samples": counts.samples.shown,
            "suspicious": counts.suspicious.shown,
            "severe": severe,
            "likely": likely,
            "slight": slight,
            "rules": rules.collect::<Value>(),
            "not_asked": not_asked.collect::<Value>(),
        });
        let head = head.to_string();
        let open = head.strip_suffix('}').unwrap_or(&head);
        write!(out, "{open},\"findings\":[")?;
        let (mut comma, mut buffers) = ("\n", Buffers::default());
        for (found, rule) in self.reported(self.most.unwrap_or(usize::MAX)) {
            let it = self.place_finding(found, rule, &mut buffers);
            let key = self.dataset.key(it.sample - 1, &mut buffers);
            let row = FilePlace::as_json(it.place.as_ref());
            let sides = it.letters.iter().map(|id| id.word());
            let mut finding = json!({
                "rule": rule.name(),
                "severity": rule.definition.severity.word(),
                "file": row["file"],
                "row": row["row"],
                "line": row["line"],
                "sample": it.sample,
                "key": key.map(|key| key.to_string()),
                "sides": sides.collect::<Vec<_>>(),
            });
            if it.with.is_some() {
                finding["with"] = FilePlace::as_json(it.with.as_ref());
            }
            if !it.reasons.is_empty() {
                finding["reasons"] = json!(it.reasons);
            }
            write!(out, "{}{finding}", std::mem::replace(&mut comma, ",\n"))?;
        }
        Ok(writeln!(out, "]}}")?)
    }

    /// Returns the place of the prompt in the other file, for a finding about a leak.
    fn leak(&self, found: &FoundFinding, rule: &FindingRule) -> Option<FilePlace<'_>> {
        if !rule.name().starts_with(LEAK) {
            return None;
        }
        // The sample in another file with the same or a similar prompt.
        const OTHER: ColumnId = ColumnId::in_table("leak.with");
        let (remarks, sample) = (ReviewIndex::default(), found.sample as usize);
        match cell(self.dataset, &remarks, Field::of(OTHER), sample) {
            FieldCell::One(Some(FieldValue::Number(number))) => {
                FilePlace::of_sample(self.dataset, (number as usize).checked_sub(1)?)
            }
            _ => None,
        }
    }
}

/// Prefix of the rules about prompts in other files.
pub const LEAK: &str = "leak-";

/// A finding with its place.
struct PlacedFinding<'d> {
    /// Number of the sample, from 1.
    sample: usize,
    /// `None` if unknown.
    place: Option<FilePlace<'d>>,
    /// The responses it is about; empty if all.
    letters: Vec<ResponseId>,
    /// The place of the other prompt, for a rule about leaks. The rule's sentence says if the
    /// prompts are equal or similar.
    with: Option<FilePlace<'d>>,
    /// Warnings from reading its rows, for a rule about them.
    reasons: Vec<String>,
}
