//! Rules of findings: built-in ones, and those of the user's folder.

use std::path::Path;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use crate::query::{QueryError, RuleDefinition, Severity};
use crate::toml_file::{self, FileFault, Spanned, TomlEntry, TomlFault, Value, unknown_name};

/// Files of built-in rules, each a table under its name. Queries are not checked at startup; a test
/// checks them.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/findings");

/// A rule in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleKeys {
    sentence: Spanned<String>,
    /// A word or a number.
    severity: Spanned<Value>,
    query: Spanned<String>,
    #[serde(default)]
    schemas: Vec<String>,
    #[serde(default, rename = "off")]
    _off: bool,
}

/// The rules of findings, sorted by name; the default is the built-in ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSet {
    /// The rules as written.
    written: Vec<RuleDefinition>,
    /// Characters of a response that training keeps; `None` if unknown.
    max_len: Option<u32>,
}

/// A rule in a file; `None` switches it off.
type NamedRule = (String, Option<RuleDefinition>);

impl Default for RuleSet {
    fn default() -> Self {
        let files = BUILT_IN.files().filter_map(|file| file.contents_utf8());
        let rules = files.flat_map(|text| read(text, |_| None).0);
        Self::of(rules.collect())
    }
}

impl RuleSet {
    /// Collects rules; the last one of a name applies.
    fn of(said: Vec<NamedRule>) -> Self {
        let mut rules: Vec<RuleDefinition> = Vec::new();
        for (name, rule) in said {
            rules.retain(|known| *known.name != *name);
            rules.extend(rule);
        }
        rules.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            written: rules,
            max_len: None,
        }
    }

    /// Sets the number of characters that training keeps of a response; with `None` or 0, rules
    /// that need it do not apply.
    #[must_use]
    pub fn with_max_len(self, characters: Option<u32>) -> Self {
        let max_len = characters.filter(|characters| *characters > 0);
        Self { max_len, ..self }
    }

    /// Keeps the rules whose names pass.
    #[must_use]
    pub fn retain(mut self, is_wanted: impl Fn(&str) -> bool) -> Self {
        self.written.retain(|rule| is_wanted(&rule.name));
        self
    }

    /// Iterates over the names of all rules, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.written.iter().map(|rule| &*rule.name)
    }

    /// Reads the built-in rules and those of a folder: files that end in `.toml` and do not begin
    /// with a dot, in order of names. A rule replaces an earlier one of its name, or switches it
    /// off. A missing folder counts as empty.
    ///
    /// Also returns the errors in these files; all valid rules are kept.
    pub fn with_folder(folder: &Path) -> (Self, Vec<FileFault>) {
        let built_in = Self::default();
        let (mut said, mut faults): (Vec<NamedRule>, Vec<_>) = Default::default();
        said.extend(
            (built_in.written.iter()).map(|rule| (rule.name.to_string(), Some(rule.clone()))),
        );
        for file in toml_file::files(folder) {
            let (path, text) = match file {
                Ok(file) => file,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            let (rules, wrong) = read(&text, RuleDefinition::fault);
            faults.extend(wrong.iter().map(|wrong| FileFault::of(&path, wrong)));
            for (name, rule) in rules {
                if rule.is_none() && !said.iter().any(|(known, _)| *known == name) {
                    let names = said.iter().map(|(name, _)| name.as_str());
                    faults.push(FileFault::of(&path, unknown_name("rule", &name, names)));
                }
                said.push((name, rule));
            }
        }
        (Self::of(said), faults)
    }

    /// Returns all rules, sorted by name.
    pub fn definitions(&self) -> Vec<RuleDefinition> {
        let definition = |rule: &RuleDefinition| match self.max_len {
            Some(characters) => rule.with_max_len(characters),
            None => rule.clone(),
        };
        self.written.iter().map(definition).collect()
    }
}

/// Parses a file into its rules and errors; `fault` checks a query.
fn read(
    text: &str,
    fault: fn(&RuleDefinition) -> Option<QueryError>,
) -> (Vec<NamedRule>, Vec<TomlFault>) {
    let entries = match toml_file::entries(text) {
        Ok(entries) => entries,
        Err(fault) => return (Vec::new(), vec![fault]),
    };
    let (mut rules, mut faults) = (Vec::new(), Vec::new());
    for entry in entries {
        match read_rule(&entry, fault) {
            Ok(rule) => rules.push((entry.name.clone(), rule)),
            Err(fault) => faults.push(fault),
        }
    }
    (rules, faults)
}

fn read_rule(
    entry: &TomlEntry<'_>,
    fault: fn(&RuleDefinition) -> Option<QueryError>,
) -> Result<Option<RuleDefinition>, TomlFault> {
    if !toml_file::is_bare_key(&entry.name) {
        return Err(entry.fault("a rule name has only letters, digits, _ and -"));
    }
    let mut switches = entry.entries()?.into_iter();
    if switches.any(|key| key.name == "off" && key.read() == Ok(true)) {
        return Ok(None);
    }
    let keys: RuleKeys = entry.read()?;
    let stated = keys.severity.get_ref();
    let severity = Severity::ALL.into_iter().find(|severity| {
        let number = i64::from(severity.number());
        [Value::from(severity.word()), Value::from(number)].contains(stated)
    });
    let no_severity = || {
        let what = "expected severe, likely or slight (or 3, 2 or 1), found";
        entry.fault_in(&keys.severity, format!("{what} {stated}"))
    };
    let definition = RuleDefinition {
        name: entry.name.as_str().into(),
        sentence: keys.sentence.get_ref().trim_end_matches('.').into(),
        severity: severity.ok_or_else(no_severity)?,
        query: keys.query.get_ref().as_str().into(),
        schemas: keys.schemas,
    };
    if definition.sentence.trim().is_empty() {
        let what = "write a sentence that says what a finding means";
        return Err(entry.fault_in(&keys.sentence, what));
    }
    match fault(&definition) {
        Some(error) => {
            let what = match definition.query.get(error.span.clone()) {
                Some(place) if !place.is_empty() => format!("at {place:?}: {error}"),
                _ => error.to_string(),
            };
            Err(entry.fault_in(&keys.query, what))
        }
        None => Ok(Some(definition)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_file_reads_and_no_rule_is_there_twice() {
        let mut names = Vec::new();
        for file in BUILT_IN.files() {
            let text = file.contents_utf8().expect("text");
            let (rules, faults) = read(text, RuleDefinition::fault);
            assert_eq!(faults, [], "{}", file.path().display());
            names.extend(rules.into_iter().map(|(name, _)| name));
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(RuleSet::default().definitions().len(), count);
    }

    #[test]
    fn what_is_wrong_says_where_and_what_to_write() {
        let rule = |change: &str, to: &str| {
            let text =
                "[short]\nsentence = \"It is short.\"\nseverity = \"slight\"\nquery = \"len<20\"\n";
            text.replace(change, to)
        };
        for (text, says) in [
            (
                rule("[short]", "[\"a b\"]"),
                "line 1, key \"a b\": a rule name has only letters, digits, _ and -",
            ),
            (
                rule("slight", "bad"),
                "line 3, key short.severity: expected severe, likely or slight (or 3, 2 or 1), found \"bad\"",
            ),
            (
                rule("\"slight\"", "4"),
                "line 3, key short.severity: expected severe, likely or slight (or 3, 2 or 1), found 4",
            ),
            (
                rule("query = ", "quest = "),
                "line 4, key short.quest: unknown key `quest`; use one of: sentence, severity, query, schemas, off",
            ),
            (
                rule("query = \"len<20\"", ""),
                "line 1, key short.query: this key is missing",
            ),
            (
                rule("len<20", "len<"),
                "line 4, key short.query: expected a number or a field",
            ),
            (
                rule("len<20", "(len<20"),
                "line 4, key short.query: expected )",
            ),
            (
                rule("len<20", "is:marked"),
                "line 4, key short.query: a rule cannot use marks, tags, notes or ratings of reviewers",
            ),
            (
                rule("len<20", "findings>2"),
                "line 4, key short.query: a rule cannot use other rules",
            ),
            (
                rule("len<20", "sort:len"),
                "line 4, key short.query: a rule cannot sort; remove sort:",
            ),
            (
                rule("len<20", "is:odd"),
                "line 4, key short.query: at \"odd\": expected",
            ),
            (
                rule("It is short.", " "),
                "line 2, key short.sentence: write a sentence that says what a finding means",
            ),
        ] {
            let (rules, faults) = read(&text, RuleDefinition::fault);
            assert_eq!(rules, [], "{text}");
            let said = faults[0].to_string();
            assert!(said.starts_with(says), "{said}");
        }
        // An unknown field is accepted, because another dataset may have it.
        let text = rule("len<20", "flavour<2 is:tie");
        let (rules, faults) = read(&text, RuleDefinition::fault);
        assert_eq!((rules.len(), faults.len()), (1, 0));
    }
}
