//! The rules that there are: the built-in ones, and those of a person's own folder on top.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, include_dir};

use crate::query::{QueryError, RuleDefinition, Severity};
use crate::schema::ordinary_text;
use crate::text::one_line;
use crate::toml_file::{TomlEntry, TomlFault, TomlTable, TomlValue, no_such};

/// Every file in there has rules, each a table under its name. Their queries are not parsed each time
/// the program starts: a test looks at what is wrong with them.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/findings");

/// The keys of a rule.
const KEYS: [&str; 5] = ["sentence", "severity", "query", "schemas", "off"];

/// The rules of findings: the built-in ones by default, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSet {
    /// As they are written.
    written: Arc<[RuleDefinition]>,
    /// With the number that was said of training, if it was.
    rules: Arc<[RuleDefinition]>,
}

/// What is wrong with a file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong there, with line and key where it is a rule.
    pub what: String,
}

impl std::fmt::Display for RuleFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = one_line(&self.path.to_string_lossy(), 500);
        write!(f, "{path}: {}", self.what)
    }
}

/// What a file says of a rule: `None` switches it off.
type NamedRule = (String, Option<RuleDefinition>);

impl Default for RuleSet {
    fn default() -> Self {
        let files = BUILT_IN.files().filter_map(|file| file.contents_utf8());
        let rules = files.flat_map(|text| read(text, |_| None).0);
        Self::of(rules.collect())
    }
}

impl RuleSet {
    /// Of what is said of a rule several times the last counts.
    fn of(said: Vec<NamedRule>) -> Self {
        let mut rules: Vec<RuleDefinition> = Vec::new();
        for (name, rule) in said {
            rules.retain(|known| *known.name != *name);
            rules.extend(rule);
        }
        rules.sort_by(|a, b| a.name.cmp(&b.name));
        let rules: Arc<[RuleDefinition]> = rules.into();
        Self {
            written: Arc::clone(&rules),
            rules,
        }
    }

    /// The same rules where training keeps so many characters of a response; with `None`, or 0, those
    /// that ask for it do not apply.
    #[must_use]
    pub fn with_max_len(self, characters: Option<u32>) -> Self {
        let rules = match characters.filter(|characters| *characters > 0) {
            Some(characters) => (self.written.iter())
                .map(|rule| rule.with_max_len(characters))
                .collect(),
            None => Arc::clone(&self.written),
        };
        Self { rules, ..self }
    }

    /// These rules and one more, unless one of its name is there.
    #[must_use]
    pub fn with_rule(self, rule: &RuleDefinition) -> Self {
        let of = |rules: &Arc<[RuleDefinition]>| -> Arc<[RuleDefinition]> {
            let is_there = rules.iter().any(|known| known.name == rule.name);
            let more = (!is_there).then(|| rule.clone());
            rules.iter().cloned().chain(more).collect()
        };
        Self {
            written: of(&self.written),
            rules: of(&self.rules),
        }
    }

    /// The rules whose names are wanted.
    #[must_use]
    pub fn retain(self, is_wanted: impl Fn(&str) -> bool) -> Self {
        let of = |rules: &Arc<[RuleDefinition]>| {
            let wanted = rules.iter().filter(|rule| is_wanted(&rule.name));
            wanted.cloned().collect()
        };
        Self {
            written: of(&self.written),
            rules: of(&self.rules),
        }
    }

    /// The built-in rules and those of a folder: of each file there whose name ends in `.toml` and
    /// does not begin with a dot, in the order of their names. A rule of the folder stands in the
    /// place of one of the same name, or switches it off. No folder is an empty one.
    ///
    /// What is wrong with files of the folder comes beside; all other rules are there.
    pub fn with_folder(folder: &Path) -> (Self, Vec<RuleFault>) {
        let built_in = Self::default();
        let (mut said, mut faults): (Vec<NamedRule>, Vec<_>) = Default::default();
        said.extend(
            (built_in.rules.iter()).map(|rule| (rule.name.to_string(), Some(rule.clone()))),
        );
        let fault = |path: &Path, what: String| RuleFault {
            path: path.to_owned(),
            what,
        };
        let mut paths = match toml_files(folder) {
            Ok(paths) => paths,
            Err(error) => return (built_in, vec![fault(folder, error.to_string())]),
        };
        paths.sort();
        for path in paths {
            let text = match ordinary_text(&path) {
                Ok(text) => text,
                Err(error) => {
                    faults.push(fault(&path, error.to_string()));
                    continue;
                }
            };
            let (rules, wrong) = read(&text, RuleDefinition::fault);
            faults.extend(wrong.iter().map(|wrong| fault(&path, wrong.to_string())));
            for (name, rule) in rules {
                if rule.is_none() && !said.iter().any(|(known, _)| *known == name) {
                    let names = said.iter().map(|(name, _)| name.as_str());
                    faults.push(fault(&path, no_such("rule", &name, names)));
                }
                said.push((name, rule));
            }
        }
        (Self::of(said), faults)
    }

    /// All of them, by name.
    pub fn definitions(&self) -> &[RuleDefinition] {
        &self.rules
    }
}

fn toml_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "toml") && !is_hidden {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The rules of a file, and what is wrong with others; `fault` says what is wrong with a query.
fn read(
    text: &str,
    fault: fn(&RuleDefinition) -> Option<QueryError>,
) -> (Vec<NamedRule>, Vec<TomlFault>) {
    let root = match TomlTable::parse(text) {
        Ok(root) => root,
        Err(fault) => return (Vec::new(), vec![fault]),
    };
    let (mut rules, mut faults) = (Vec::new(), Vec::new());
    for entry in root.entries() {
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
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if entry.name.is_empty() || !entry.name.chars().all(is_sign) {
        return Err(entry.fault("the name of a rule is of letters, digits, _ and -"));
    }
    let table = entry.table()?;
    if let Some(unknown) = (table.entries().iter()).find(|key| !KEYS.contains(&&*key.name)) {
        return Err(unknown.unknown("key of a rule", KEYS));
    }
    if let Some(off) = table.get("off") {
        match off.value() {
            TomlValue::Truth(true) => return Ok(None),
            TomlValue::Truth(false) => {}
            _ => {
                let kind = off.kind();
                return Err(off.fault(format!("true or false was expected here, and not {kind}")));
            }
        }
    }
    let (sentence, query) = (table.must("sentence")?, table.must("query")?);
    let schemas = match table.get("schemas") {
        Some(list) => {
            let names = list.list()?;
            let names = names.iter().map(|name| name.text().map(str::to_owned));
            names.collect::<Result<_, _>>()?
        }
        None => Vec::new(),
    };
    let definition = RuleDefinition {
        name: entry.name.as_str().into(),
        sentence: sentence.text()?.trim_end_matches('.').into(),
        severity: read_severity(&table.must("severity")?)?,
        query: query.text()?.into(),
        schemas,
    };
    if definition.sentence.trim().is_empty() {
        return Err(sentence.fault("write a sentence that says what is wrong where it fires"));
    }
    match fault(&definition) {
        Some(error) => Err(query.fault(match definition.query.get(error.span.clone()) {
            Some(place) if !place.is_empty() => format!("at {place:?}: {error}"),
            _ => error.to_string(),
        })),
        None => Ok(Some(definition)),
    }
}

fn read_severity(entry: &TomlEntry<'_>) -> Result<Severity, TomlFault> {
    let found = Severity::ALL
        .into_iter()
        .find(|severity| match entry.value() {
            TomlValue::Text(word) => word == severity.word(),
            TomlValue::Number(number) => number == Some(i64::from(severity.number())),
            _ => false,
        });
    found.ok_or_else(|| {
        let kind = entry.kind();
        entry.fault(format!(
            "severe, likely or slight (or 3, 2 or 1) was expected here, and not {kind}"
        ))
    })
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
                "line 1, key \"a b\": the name of a rule is of letters, digits, _ and -",
            ),
            (
                rule("slight", "bad"),
                "line 3, key short.severity: severe, likely or slight (or 3, 2 or 1) was expected here, and not the text \"bad\"",
            ),
            (
                rule("\"slight\"", "4"),
                "line 3, key short.severity: severe, likely or slight (or 3, 2 or 1) was expected here, and not the number 4",
            ),
            (
                rule("query = ", "quest = "),
                "line 4, key short.quest: there is no key of a rule `quest`; there are sentence, severity, query, schemas, off",
            ),
            (
                rule("query = \"len<20\"", ""),
                "line 1, key short.query: this key is missing",
            ),
            (
                rule("len<20", "len<"),
                "line 4, key short.query: expected a number, or a field",
            ),
            (
                rule("len<20", "(len<20"),
                "line 4, key short.query: expected )",
            ),
            (
                rule("len<20", "is:marked"),
                "line 4, key short.query: a rule cannot ask what reviewers said: leave marks, tags, notes and ratings out",
            ),
            (
                rule("len<20", "findings>2"),
                "line 4, key short.query: a rule cannot ask for other rules",
            ),
            (
                rule("len<20", "sort:len"),
                "line 4, key short.query: a rule says what fires it, not an order: leave sort: out",
            ),
            (
                rule("len<20", "is:odd"),
                "line 4, key short.query: at \"odd\": expected",
            ),
            (
                rule("It is short.", " "),
                "line 2, key short.sentence: write a sentence that says what is wrong where it fires",
            ),
        ] {
            let (rules, faults) = read(&text, RuleDefinition::fault);
            assert_eq!(rules, [], "{text}");
            let said = faults[0].to_string();
            assert!(said.starts_with(says), "{said}");
        }
        // A field that another dataset may have is no fault.
        let text = rule("len<20", "flavour<2 is:tie");
        let (rules, faults) = read(&text, RuleDefinition::fault);
        assert_eq!((rules.len(), faults.len()), (1, 0));
    }
}
