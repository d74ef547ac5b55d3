//! What rules found, as a table for people and in the formats that programs read.

use std::collections::HashMap;
use std::io::Write;

use serde_json::{Value, json};

use super::ExportError;
use super::place::FilePlace;
use crate::dataset::{Buffers, Dataset, FoundFinding, SampleBody};
use crate::model::{ReadWarning, ResponseId};
use crate::query::{
    Field, FieldCell, FieldValue, FindingRule, FindingRules, Remarks, ResponseSet, RuleDefinition,
    Severity, cell,
};
use crate::table::ColumnId;
use crate::text::{counted, grouped, one_line};

/// What the keys of the JSON document mean, as a number that grows when one means something else.
const VERSION: u32 = 1;
/// Places of a rule that the table names, where nobody says how many.
const PLACES: usize = 3;
/// Where the schema of SARIF 2.1.0 is.
const SARIF: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// As what findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingsFormat {
    /// For people, so many cells wide.
    Table {
        /// Cells of a line.
        width: usize,
    },
    /// A JSON document.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// What rules found in files.
#[derive(Debug)]
pub struct FindingsReport<'a> {
    dataset: &'a Dataset,
    rules: &'a FindingRules,
    found: &'a [FoundFinding],
    samples: usize,
    most: Option<usize>,
}

/// On how many samples rules of each severity fire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeverityCounts {
    /// Samples with a severe finding.
    pub severe: usize,
    /// Samples with a likely one.
    pub likely: usize,
    /// Samples with a slight one.
    pub slight: usize,
    /// Samples with any.
    pub any: usize,
}

impl<'a> FindingsReport<'a> {
    /// What rules found in so many samples of a dataset, in dataset order; of each rule so many
    /// places are told at most: `None` are 3 in the table, else all.
    pub fn new(
        dataset: &'a Dataset,
        rules: &'a FindingRules,
        found: &'a [FoundFinding],
        samples: usize,
        most: Option<usize>,
    ) -> Self {
        Self {
            dataset,
            rules,
            found,
            samples,
            most,
        }
    }

    /// The rules that were not asked, and why.
    pub fn not_asked(&self) -> &[(RuleDefinition, String)] {
        &self.rules.others
    }

    /// Writes the report.
    ///
    /// # Errors
    /// When a row cannot be read, or the output takes no more.
    pub fn write(&self, format: FindingsFormat, out: &mut dyn Write) -> Result<(), ExportError> {
        match format {
            FindingsFormat::Table { width } => self.write_table(width, out)?,
            FindingsFormat::Json => self.write_json(out)?,
            FindingsFormat::Sarif => self.write_sarif(out)?,
            FindingsFormat::Github => self.write_annotations(out)?,
        }
        Ok(out.flush()?)
    }

    /// How many samples are suspicious.
    pub fn counts(&self) -> SeverityCounts {
        let mut counts = SeverityCounts::default();
        for of_sample in self.found.chunk_by(|one, next| one.sample == next.sample) {
            let has = |severity| {
                of_sample
                    .iter()
                    .any(|it| self.severity(it) == Some(severity))
            };
            counts.any += 1;
            counts.severe += usize::from(has(Severity::Severe));
            counts.likely += usize::from(has(Severity::Likely));
            counts.slight += usize::from(has(Severity::Slight));
        }
        counts
    }

    fn rule(&self, found: &FoundFinding) -> Option<&FindingRule> {
        self.rules
            .rules
            .get(usize::from(found.rule))
            .map(|rule| &**rule)
    }

    fn severity(&self, found: &FoundFinding) -> Option<Severity> {
        self.rule(found).map(|rule| rule.definition.severity)
    }

    /// Each finding that is told, with its rule, in dataset order.
    fn told(&self, most: usize) -> impl Iterator<Item = (&FoundFinding, &FindingRule)> {
        let mut told = vec![0; self.rules.rules.len()];
        self.found.iter().filter_map(move |found| {
            let told = told.get_mut(usize::from(found.rule))?;
            *told += 1;
            let rule = self.rule(found)?;
            (*told <= most).then_some((found, rule))
        })
    }

    /// On how many samples each rule fires, by its place.
    fn fires(&self) -> Vec<usize> {
        let mut fires = vec![0; self.rules.rules.len()];
        for found in self.found {
            if let Some(count) = fires.get_mut(usize::from(found.rule)) {
                *count += 1;
            }
        }
        fires
    }

    fn place(
        &self,
        found: &FoundFinding,
        rule: &FindingRule,
        buffers: &mut Buffers,
    ) -> FindingPlace<'_> {
        let dataset = self.dataset;
        let responses = dataset.responses_of(found.sample as usize).unwrap_or(0);
        let speaks = ResponseSet::filtered(responses, |response| found.responses.has(response));
        let is_all = speaks.count() == responses;
        let (reasons, odd_response) = match rule.asks_how_rows_were_read {
            true => self.reasons(found.sample as usize, buffers),
            false => Default::default(),
        };
        // A finding that speaks of some responses stands where the first of them does, if they have
        // rows of their own.
        let rows = dataset.sample_rows(found.sample as usize);
        let first = (0..responses).find(|response| speaks.has(*response));
        // Of one that speaks of all of them the first with an odd value is the one to look at.
        let first = odd_response
            .map(ResponseId::index)
            .filter(|_| is_all)
            .or(first);
        let row = rows.map(|rows| rows.of_response(first.unwrap_or_default()));
        let place = row.and_then(|row| dataset.place(row));
        FindingPlace {
            row: place.map(|place| FilePlace::of(dataset, &place)),
            letters: ResponseId::first(responses)
                .filter(|id| !is_all && speaks.has(id.index()))
                .collect(),
            reasons,
        }
    }

    /// What was wrong with the rows of a sample when they were read, and the first response with a value
    /// that its field cannot have.
    fn reasons(&self, sample: usize, buffers: &mut Buffers) -> (Vec<String>, Option<ResponseId>) {
        match self.dataset.read(sample, buffers).map(|loaded| loaded.body) {
            Some(SampleBody::Sample(sample)) => {
                let of_value = |warning: &ReadWarning| match warning {
                    ReadWarning::OddValue { response, .. }
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

    fn write_table(&self, width: usize, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut places: HashMap<u16, Vec<String>> = HashMap::new();
        let mut buffers = Buffers::default();
        for (found, rule) in self.told(self.most.unwrap_or(PLACES)) {
            let place = self.place(found, rule, &mut buffers);
            let reasons = place.reasons_suffix();
            let FindingPlace { row, letters, .. } = place;
            let letters: String = letters.iter().map(|id| id.letter()).collect();
            let of = match letters.is_empty() {
                true => String::new(),
                false => format!(" {letters}"),
            };
            let number = grouped(found.sample as usize + 1);
            let row = FilePlace::spelled(row.as_ref());
            let with = self.see_leak(found);
            let place = format!("{row} (sample {number}{of}){with}{reasons}");
            places.entry(found.rule).or_default().push(place);
        }
        let fires = self.fires();
        let firing = (0..).zip(&self.rules.rules).zip(&fires);
        let firing = firing.filter(|(_, count)| **count > 0);
        let firing: Vec<_> = firing
            .map(|((place, rule), count)| (place, rule, *count))
            .collect();
        let names = firing.iter().map(|(_, rule, _)| rule.name().len());
        let longest = names.max().unwrap_or(0);
        for (place, rule, count) in &firing {
            let severity = rule.definition.severity.word();
            let head = format!(
                "{severity:6}  {:longest$}  {:>9}  ",
                rule.name(),
                grouped(*count)
            );
            let room = width.saturating_sub(head.len()).max(30);
            let sentence = one_line(&rule.definition.sentence, room);
            writeln!(out, "{head}{sentence}")?;
            for place in places.get(place).into_iter().flatten() {
                writeln!(
                    out,
                    "        {}",
                    one_line(place, width.saturating_sub(8).max(30))
                )?;
            }
        }
        let SeverityCounts {
            severe,
            likely,
            slight,
            any,
        } = self.counts();
        let samples = counted(self.samples, "sample");
        if any == 0 {
            let rules = counted(self.rules.rules.len(), "rule");
            writeln!(out, "{samples}, {rules}: nothing is suspicious")?;
        } else {
            let [any, severe, likely, slight] = [any, severe, likely, slight].map(grouped);
            writeln!(
                out,
                "{}{samples}, {any} suspicious: {severe} with severe findings, {likely} with likely ones, {slight} with slight ones",
                if firing.is_empty() { "" } else { "\n" }
            )?;
        }
        Ok(())
    }

    /// A finding for programs; its sample's key is read anew.
    fn as_json(&self, found: &FoundFinding, rule: &FindingRule, buffers: &mut Buffers) -> Value {
        let place = self.place(found, rule, buffers);
        let key = self.dataset.key(found.sample as usize, buffers);
        let letters: Vec<_> = place.letters.iter().map(|id| id.word()).collect();
        let row = FilePlace::as_json(place.row.as_ref());
        let mut finding = json!({
            "rule": rule.name(),
            "severity": rule.definition.severity.word(),
            "file": row["file"],
            "row": row["row"],
            "line": row["line"],
            "sample": u64::from(found.sample) + 1,
            "key": key.map(|key| key.to_string()),
            "sides": letters,
        });
        if let Some(other) = self.leak(found) {
            finding["with"] = FilePlace::as_json(Some(&other));
        }
        if !place.reasons.is_empty() {
            finding["reasons"] = json!(place.reasons);
        }
        finding
    }

    fn write_json(&self, out: &mut dyn Write) -> Result<(), ExportError> {
        let counts = self.counts();
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
            "suspicious": counts.any,
            "severe": counts.severe,
            "likely": counts.likely,
            "slight": counts.slight,
            "rules": rules.collect::<Value>(),
            "not_asked": not_asked.collect::<Value>(),
        });
        let head = head.to_string();
        let open = head.strip_suffix('}').unwrap_or(&head);
        write!(out, "{open},\"findings\":[")?;
        self.write_each(out, &mut |found, rule, buffers| {
            self.as_json(found, rule, buffers)
        })?;
        Ok(writeln!(out, "]}}")?)
    }

    /// Findings one by one, a line each and commas between them.
    fn write_each(
        &self,
        out: &mut dyn Write,
        spell: &mut FindingSpeller<'_>,
    ) -> Result<(), ExportError> {
        let mut buffers = Buffers::default();
        let mut comma = "\n";
        for (found, rule) in self.told(self.most.unwrap_or(usize::MAX)) {
            let value = spell(found, rule, &mut buffers);
            write!(out, "{comma}{value}")?;
            comma = ",\n";
        }
        Ok(())
    }

    fn write_sarif(&self, out: &mut dyn Write) -> Result<(), ExportError> {
        let rules = self.rules.rules.iter().map(|rule| {
            let definition = &rule.definition;
            json!({
                "id": rule.name(),
                "shortDescription": {"text": &*definition.sentence},
                "fullDescription": {"text": format!("{}. Query: {}", definition.sentence, definition.query)},
                "defaultConfiguration": {"level": level(definition.severity).sarif()},
            })
        });
        let driver = json!({
            "name": "visavis",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules.collect::<Value>(),
        });
        write!(
            out,
            "{{\"$schema\":\"{SARIF}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"results\":["
        )?;
        self.write_each(out, &mut |found, rule, buffers| {
            let place = self.place(found, rule, buffers);
            let key = self.dataset.key(found.sample as usize, buffers);
            let mut result = json!({
                "ruleId": rule.name(),
                "ruleIndex": found.rule,
                "level": level(rule.definition.severity).sarif(),
                "message": {"text": self.message(found, rule, &place)},
                "locations": place.row.iter().map(|row| json!({"physicalLocation": sarif_location(row)})).collect::<Value>(),
                "partialFingerprints": {"sampleKey/v1": key.map(|key| key.to_string())},
            });
            if let (Some(other), Some(members)) = (self.leak(found), result.as_object_mut()) {
                let related = json!([{
                    "physicalLocation": sarif_location(&other),
                    "message": {"text": "the other prompt"},
                }]);
                members.insert("relatedLocations".to_owned(), related);
            }
            result
        })?;
        Ok(writeln!(out, "]}}]}}")?)
    }

    fn write_annotations(&self, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut buffers = Buffers::default();
        for (found, rule) in self.told(self.most.unwrap_or(usize::MAX)) {
            let place = self.place(found, rule, &mut buffers);
            let message = self.message(found, rule, &place);
            let file = place.row.map(|row| {
                let line = row.line.map(|line| format!(",line={line}"));
                let line = line.unwrap_or_default();
                format!("file={}{line},", property(row.file))
            });
            writeln!(
                out,
                "::{} {}title={}::{}",
                level(rule.definition.severity).github(),
                file.unwrap_or_default(),
                property(rule.name()),
                data(&message)
            )?;
        }
        Ok(())
    }

    fn message(
        &self,
        found: &FoundFinding,
        rule: &FindingRule,
        place: &FindingPlace<'_>,
    ) -> String {
        let letters: Vec<_> = place.letters.iter().map(|id| id.letter()).collect();
        let of = match letters.is_empty() {
            true => String::new(),
            false => format!(", response {}", letters.join(", ")),
        };
        let number = u64::from(found.sample) + 1;
        let with = self.see_leak(found);
        let reasons = place.reasons_suffix();
        format!(
            "{} (sample {number}{of}){with}{reasons}",
            rule.definition.sentence
        )
    }

    /// Where the other prompt stands, for people. Whether that is the same, nearly the same or shares
    /// words with it says the sentence of the rule.
    fn see_leak(&self, found: &FoundFinding) -> String {
        let other = self.leak(found);
        other.map_or_else(String::new, |other| format!(": see {other}"))
    }

    /// Where the other prompt stands, for a finding that tells of one in another file.
    fn leak(&self, found: &FoundFinding) -> Option<FilePlace<'_>> {
        if !self.rule(found)?.name().starts_with(LEAK) {
            return None;
        }
        // The sample in another file whose prompt is the same or like it.
        const OTHER: ColumnId = ColumnId::in_table("leak.with");
        let other = cell(
            self.dataset,
            &Remarks::default(),
            Field::of(OTHER),
            found.sample as usize,
        );
        let FieldCell::One(Some(FieldValue::Number(number))) = other else {
            return None;
        };
        FilePlace::of_sample(self.dataset, (number as usize).checked_sub(1)?)
    }
}

/// How the names of rules begin that tell of prompts in other files.
pub const LEAK: &str = "leak-";

/// Spells a finding for a list in JSON.
type FindingSpeller<'s> = dyn FnMut(&FoundFinding, &FindingRule, &mut Buffers) -> Value + 's;

/// Where a finding is.
struct FindingPlace<'r> {
    /// None where it is not known.
    row: Option<FilePlace<'r>>,
    /// The responses that it speaks of, where these are not all.
    letters: Vec<ResponseId>,
    /// What was wrong with its rows when they were read, for a rule that asks for that.
    reasons: Vec<String>,
}

impl FindingPlace<'_> {
    /// The reasons as they stand behind a place, with a colon; nothing where there are none.
    fn reasons_suffix(&self) -> String {
        match self.reasons.is_empty() {
            true => String::new(),
            false => format!(": {}", self.reasons.join("; ")),
        }
    }
}

/// A place as a physicalLocation of SARIF.
fn sarif_location(place: &FilePlace<'_>) -> Value {
    let mut location = json!({"artifactLocation": {"uri": uri(place.file)}});
    if let Some(line) = place.line {
        location["region"] = json!({"startLine": line});
    }
    location
}

/// How bad a finding is, in the words of checks.
#[derive(Clone, Copy)]
enum CheckLevel {
    Error,
    Warning,
    Note,
}

const fn level(severity: Severity) -> CheckLevel {
    match severity {
        Severity::Severe => CheckLevel::Error,
        Severity::Likely => CheckLevel::Warning,
        Severity::Slight => CheckLevel::Note,
    }
}

impl CheckLevel {
    const fn sarif(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }

    const fn github(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "notice",
        }
    }
}

/// The message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A path as a reference of RFC 3986: relative where it is, with all that is not unreserved spelled
/// by its bytes.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_messages_break_no_format() {
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
        assert_eq!(data("a: b, 5 %\r\n"), "a: b, 5 %25%0D%0A");
        assert_eq!(uri("../a b/ü:x.jsonl"), "../a%20b/%C3%BC%3Ax.jsonl");
    }
}
