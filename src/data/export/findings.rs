//! Findings as a table and in formats for programs.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

use serde_json::{Value, json};

use super::ExportError;
use super::place::FilePlace;
use crate::dataset::{Buffers, Dataset, FoundFinding, SampleBody};
use crate::model::{ReadWarning, ResponseId};
use crate::query::{
    Field, FieldCell, FieldValue, FindingRule, FindingRules, ResponseSet, ReviewIndex, Severity,
    cell,
};
use crate::table::ColumnId;
use crate::text::{counted, grouped, one_line};

/// The version of the JSON document; it grows when a key changes its meaning.
const VERSION: u32 = 1;
/// Places listed for each rule in the table by default.
const PLACES: usize = 3;

/// The format of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingsFormat {
    /// A table of this width.
    Table {
        /// Width in terminal cells.
        width: usize,
    },
    /// A JSON document.
    Json,
}

/// The findings of rules in files.
#[derive(Debug)]
pub struct FindingsReport<'a> {
    /// The files.
    pub dataset: &'a Dataset,
    /// The rules that were run.
    pub rules: &'a FindingRules,
    /// The findings, in dataset order.
    pub found: &'a [FoundFinding],
    /// Number of samples.
    pub samples: usize,
    /// Maximum places listed for each rule; `None` means 3 in the table and all elsewhere.
    pub most: Option<usize>,
}

impl FindingsReport<'_> {
    /// Writes the report.
    ///
    /// # Errors
    /// If a row cannot be read, or the output fails.
    pub fn write(&self, format: FindingsFormat, out: &mut dyn Write) -> Result<(), ExportError> {
        match format {
            FindingsFormat::Table { width } => self.write_table(width, out)?,
            FindingsFormat::Json => self.write_json(out)?,
        }
        Ok(out.flush()?)
    }

    /// Returns the severity of the worst finding, even if its rule is too common to count.
    pub fn worst(&self) -> Option<Severity> {
        let rules = self.found.iter().filter_map(|found| self.rule(found));
        rules.map(|rule| rule.definition.severity).max()
    }

    /// Counts the samples with findings as `findings>=1` does, where rules that are too common
    /// weigh nothing: all of them, and those with findings of each severity, the worst first.
    fn counts(&self) -> [usize; 4] {
        let counted = self.found.iter().filter(|found| found.weight > 0);
        let severities = counted.filter_map(|found| {
            let severity = self.rule(found)?.definition.severity;
            Some((found.sample, severity))
        });
        let severities: BTreeSet<_> = severities.collect();
        let samples: BTreeSet<_> = severities.iter().map(|(sample, _)| sample).collect();
        let count = |of: Severity| severities.iter().filter(|(_, it)| *it == of).count();
        let [severe, likely, slight] = Severity::ALL.map(count);
        [samples.len(), severe, likely, slight]
    }

    fn rule(&self, found: &FoundFinding) -> Option<&FindingRule> {
        self.rules
            .rules
            .get(usize::from(found.rule))
            .map(|rule| &**rule)
    }

    /// Passes each reported finding to `report`, in dataset order.
    fn for_each_reported(
        &self,
        most: usize,
        report: &mut dyn FnMut(&PlacedFinding<'_>, &mut Buffers) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut listed = vec![0; self.rules.rules.len()];
        let mut buffers = Buffers::default();
        for found in self.found {
            let (Some(listed), Some(rule)) =
                (listed.get_mut(usize::from(found.rule)), self.rule(found))
            else {
                continue;
            };
            *listed += 1;
            if *listed <= most {
                let finding = self.place_finding(found, rule, &mut buffers);
                report(&finding, &mut buffers)?;
            }
        }
        Ok(())
    }

    /// Counts the samples of each rule.
    fn fires(&self) -> Vec<usize> {
        let mut fires = vec![0; self.rules.rules.len()];
        for found in self.found {
            if let Some(count) = fires.get_mut(usize::from(found.rule)) {
                *count += 1;
            }
        }
        fires
    }

    fn place_finding<'r>(
        &'r self,
        found: &FoundFinding,
        rule: &'r FindingRule,
        buffers: &mut Buffers,
    ) -> PlacedFinding<'r> {
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
            rule,
            index: found.rule,
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

    fn write_table(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut places: HashMap<u16, Vec<String>> = HashMap::new();
        self.for_each_reported(self.most.unwrap_or(PLACES), &mut |it, _| {
            places.entry(it.index).or_default().push(it.spelled());
            Ok(())
        })?;
        let firing = (0..).zip(self.rules.rules.iter().zip(self.fires()));
        let firing: Vec<_> = firing.filter(|(_, (_, count))| *count > 0).collect();
        let names = firing.iter().map(|(_, (rule, _))| rule.name().len());
        let longest = names.max().unwrap_or(0);
        let room = |taken: usize| width.saturating_sub(taken).max(30);
        for (index, (rule, count)) in &firing {
            let (name, count) = (rule.name(), grouped(*count));
            let head = format!(
                "{:6}  {name:longest$}  {count:>9}  ",
                rule.definition.severity.word()
            );
            let counts = |found: &FoundFinding| found.rule == *index && found.weight > 0;
            let common = if self.found.iter().any(counts) {
                ""
            } else {
                "Not counted, in more than half: "
            };
            let sentence = format!("{common}{}", rule.definition.sentence);
            writeln!(out, "{head}{}", one_line(&sentence, room(head.len())))?;
            for place in places.get(index).into_iter().flatten() {
                writeln!(out, "        {}", one_line(place, room(8)))?;
            }
        }
        let samples = counted(self.samples, "sample");
        if firing.is_empty() {
            let rules = counted(self.rules.rules.len(), "rule");
            writeln!(out, "{samples}, {rules}: no findings")?;
        } else {
            let [any, severe, likely, slight] = self.counts().map(grouped);
            writeln!(
                out,
                "\n{samples}, {any} suspicious: {severe} with severe findings, {likely} with likely ones, {slight} with slight ones"
            )?;
        }
        Ok(())
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let [any, severe, likely, slight] = self.counts();
        let files = self.dataset.files().iter();
        let files: Vec<_> = files.map(|file| file.source.name()).collect();
        let rules = self
            .rules
            .rules
            .iter()
            .zip(self.fires())
            .map(|(rule, fires)| {
                let definition = &rule.definition;
                json!({
                    "name": rule.name(),
                    "severity": definition.severity.word(),
                    "sentence": &*definition.sentence,
                    "query": &*definition.query,
                    "samples": fires,
                })
            });
        let not_asked = self.rules.others.iter();
        let not_asked = not_asked.map(|(rule, why)| json!({"name": &*rule.name, "why": why}));
        let head = json!({
            "version": VERSION,
            "files": files,
            "samples": self.samples,
            "suspicious": any,
            "severe": severe,
            "likely": likely,
            "slight": slight,
            "rules": rules.collect::<Value>(),
            "not_asked": not_asked.collect::<Value>(),
        });
        let head = head.to_string();
        let open = head.strip_suffix('}').unwrap_or(&head);
        write!(out, "{open},\"findings\":[")?;
        let mut comma = "\n";
        self.for_each_reported(self.most.unwrap_or(usize::MAX), &mut |it, buffers| {
            let key = self.dataset.key(it.sample - 1, buffers);
            let row = FilePlace::as_json(it.place.as_ref());
            let sides = it.letters.iter().map(|id| id.word());
            let mut finding = json!({
                "rule": it.rule.name(),
                "severity": it.rule.definition.severity.word(),
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
            write!(out, "{}{finding}", std::mem::replace(&mut comma, ",\n"))
        })?;
        writeln!(out, "]}}")
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
struct PlacedFinding<'r> {
    rule: &'r FindingRule,
    /// Index of the rule.
    index: u16,
    /// Number of the sample, from 1.
    sample: usize,
    /// `None` if unknown.
    place: Option<FilePlace<'r>>,
    /// The responses it is about; empty if all.
    letters: Vec<ResponseId>,
    /// The place of the other prompt, for a rule about leaks. The rule's sentence says if the
    /// prompts are equal or similar.
    with: Option<FilePlace<'r>>,
    /// Warnings from reading its rows, for a rule about them.
    reasons: Vec<String>,
}

impl PlacedFinding<'_> {
    /// Formats the finding for the table.
    fn spelled(&self) -> String {
        let place = FilePlace::spelled(self.place.as_ref());
        let letters: String = self.letters.iter().map(|id| id.letter()).collect();
        let blank = if letters.is_empty() { "" } else { " " };
        let sample = grouped(self.sample);
        let with = self.with.map(|other| format!(": see {other}"));
        let with = with.unwrap_or_default();
        let colon = if self.reasons.is_empty() { "" } else { ": " };
        let reasons = self.reasons.join("; ");
        format!("{place} (sample {sample}{blank}{letters}){with}{colon}{reasons}")
    }
}
