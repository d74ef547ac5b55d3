//! A schema as data: the TOML that says where values are in a record. Checked once, then assumed to
//! be valid.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::column_paths::{PathUse, UseKind};
use super::text_path::TextPath;
use super::vote_path::VotePaths;
use crate::model::ResponseId;
use crate::schema::guess::{Guess, ResponseNames};
pub use crate::schema::row::turns::{TurnMarker, Turns};
use crate::schema::verdict::{VerdictRule, VerdictSource};
use crate::table::Path;
use crate::table::Requirement;
use crate::text::grouped;
use crate::toml_file::{self, TomlFault, unknown_name};

/// Maximum number of `[[response]]` tables, and of slots for a list of responses. Each costs time
/// and memory in every row.
pub const MAX_PLACES: usize = 1024;

/// Where the prompt, the responses, labels and verdicts are in a record.
///
/// The built-in ones are the files of `assets/schemas/`; users can write their own and pass it with
/// `--schema FILE`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Short name for `--schema`.
    pub name: String,
    /// Name of the dataset, for the header.
    pub title: String,
    /// One sentence for the list of schemas.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// How rows make samples.
    pub rows: RowGrouping,
    /// Values that the rows of one group share, anywhere in the file: one path or several. Default:
    /// the prompt, of adjacent rows.
    #[serde(
        default,
        deserialize_with = "one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub group: Vec<Path>,
    /// True if values of any kind are shown as text, and a word for a tie among names of winners is
    /// a tie.
    #[serde(default, skip_serializing_if = "is_not")]
    pub lenient: bool,
    /// If records are lists: their number of elements. A row with another number is malformed.
    pub items: Option<usize>,
    /// Where the prompt is; absent if the responses are whole transcripts that begin alike.
    pub prompt: Option<PromptPaths>,
    /// Paths whose values must be the same text if present: rows that repeat the prompt for each
    /// response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<Path>,
    /// How turns are marked inside a text; absent if a text is one turn.
    pub turns: Option<Turns>,
    /// The responses of a row, left first.
    #[serde(rename = "response", alias = "responses")]
    pub responses: Vec<ResponsePaths>,
    /// Labels and scores, in display order.
    #[serde(default, rename = "label", skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// How the winner is determined.
    pub verdict: Option<VerdictSource>,
    /// Raters beside the verdict, by name: each a label, or a field whose values name the winner.
    #[serde(default, rename = "rater", skip_serializing_if = "BTreeMap::is_empty")]
    pub raters: BTreeMap<String, VerdictSource>,
    /// Paths that must have a value other than null for this schema to be detected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Path>,
    /// Other fields worth showing.
    #[serde(default, rename = "fact", skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactPath>,
    /// Texts about the sample or its responses.
    #[serde(default, rename = "text", skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<TextPath>,
    /// The annotator of a row: of its verdict, or of its vote.
    pub annotator: Option<Path>,
    /// Annotators' votes for the best response.
    #[serde(default, rename = "vote", skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<VotePaths>,
    /// Details of a guess; not stored in files.
    #[serde(skip)]
    pub guess: Option<Guess>,
    /// The text of its file, if it has one.
    #[serde(skip)]
    pub toml: Arc<str>,
}

/// How rows are combined into samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowGrouping {
    /// A row is one response; two adjacent rows with the same prompt are a sample. Of several
    /// optional `[[response]]` tables, each row has one.
    Adjacent,
    /// A row is one response; all rows of a group are a sample.
    Groups,
    /// A row is a whole sample.
    #[default]
    Inline,
    /// A row is a whole sample judged by one annotator. Rows of a group with the same prompt and
    /// responses are one sample, and each row's verdict is a vote.
    Annotations,
}

/// Where the prompt is.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PromptPaths {
    /// Its path. The value is a string, a message or a list of `{role, content}` messages. The
    /// texts of several paths follow each other on separate lines; at least one must be present.
    #[serde(deserialize_with = "one_or_more")]
    pub path: Vec<Path>,
    /// Where the system message is: the first turn.
    pub system: Option<Path>,
    /// Where earlier turns are: messages, or pairs of a question and its answer. They precede the
    /// prompt.
    pub history: Option<Path>,
    /// Further fields that rows of one sample share, such as an image.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Path>,
    /// True if the value is a text that contains JSON: messages, or a list of the user's texts.
    #[serde(default, skip_serializing_if = "is_not")]
    pub json: bool,
}

/// Where a response and its values are.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ResponsePaths {
    /// A list with a response in each element; the other paths start at the element. If absent, a
    /// step `*` in them matches each element instead: `/answers/*/text`.
    pub each: Option<Path>,
    /// The text: a string, a message or a list of `{role, content}` messages.
    pub text: Path,
    /// True if the text contains JSON: messages, or a list of the model's texts.
    #[serde(default, skip_serializing_if = "is_not")]
    pub json: bool,
    /// True if rows may lack it. Such rows are flagged, unless a row is one response.
    #[serde(default, rename = "optional", skip_serializing_if = "is_not")]
    pub is_optional: bool,
    /// Token ids before the answer, in schemas of earlier versions; ignored.
    #[serde(default, skip_serializing)]
    pub prefix_tokens: IgnoredAny,
    /// Token ids of the answer, likewise.
    #[serde(default, skip_serializing)]
    pub completion_tokens: IgnoredAny,
    /// Quotes: `{title: [..], extract: [..]}` or `[{title, extract}, ..]`.
    pub quotes: Option<Path>,
    /// Paths of the labels' values for this response, by label name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ratings: BTreeMap<String, RatingSource>,
    /// Paths of texts about this response, by the name of their `[[text]]`. A step `*`, after that
    /// of a list of responses, matches each annotator.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, Path>,
}

/// Source of a label's value for a response.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum RatingSource {
    /// The same on every row, by the position of the response.
    Constant(f64),
    /// A path in the record.
    Path(Path),
}

impl RatingSource {
    /// Returns the path; `None` for a constant.
    pub(in crate::schema) const fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Constant(_) => None,
        }
    }
}

impl ResponsePaths {
    pub(in crate::schema) fn of(text: Path) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// True if a row has any number of these responses.
    pub fn is_of_each(&self) -> bool {
        self.each.is_some() || self.text.is_of_each()
    }

    /// True if the list elements are themselves the texts.
    pub(in crate::schema) fn is_bare_element(&self) -> bool {
        self.whole_path().ends_with_each()
    }

    /// Returns the path of the text from the record, with a step `*` for list elements.
    pub(in crate::schema) fn whole_path(&self) -> Path {
        self.whole(&self.text)
    }
}

/// A label or a score: its meaning and its allowed values.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its name, as in the file if it has one there.
    pub name: String,
    /// An integer rating or any number.
    #[serde(default)]
    pub kind: LabelKind,
    /// Minimum and maximum, inclusive. Values outside count as missing and are reported.
    pub range: Option<[f64; 2]>,
    /// True if values that are not numbers (or not whole numbers) count as missing without a
    /// report.
    #[serde(default, skip_serializing_if = "is_not")]
    pub lenient: bool,
    /// The unit after each number in the file: `/5`, `%`. Other values count as missing and are
    /// reported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// How a list of annotators' values becomes one number. Invalid values are dropped if the label
    /// is lenient; otherwise the whole list is rejected.
    pub reduce: Option<Reduction>,
    /// Its meaning in this dataset, in one sentence; can be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// What its minimum and its maximum mean, in a few words.
    pub ends: Option<[String; 2]>,
    /// Published agreement of the dataset's own annotators: quadratic weighted kappa, -1 to 1.
    pub agreement: Option<f64>,
}

/// Reduces the values of several annotators to one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reduction {
    /// Their mean.
    Mean,
    /// The maximum minus the minimum.
    Spread,
}

impl Reduction {
    /// Returns the number; `None` if there are no values.
    pub(in crate::schema) fn of(self, values: &[f64]) -> Option<f64> {
        let most = values.iter().copied().reduce(f64::max)?;
        let least = values.iter().copied().reduce(f64::min)?;
        Some(match self {
            Self::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Self::Spread => most - least,
        })
    }
}

impl Label {
    /// Number of steps above the minimum, if it is an integer rating with 1 to 10 of them. A bar
    /// has that many cells.
    pub fn steps(&self) -> Option<u32> {
        let [low, high] = self.range?;
        let steps = high - low;
        (self.kind == LabelKind::Label && (1.0..=10.0).contains(&steps)).then_some(steps as u32)
    }

    pub(in crate::schema) fn includes(&self, number: f64) -> bool {
        includes(self.range, number)
    }
}

/// True if a number is in the range, or there is no range.
pub fn includes(range: Option<[f64; 2]>, number: f64) -> bool {
    range.is_none_or(|[low, high]| (low..=high).contains(&number))
}

/// Whether values are integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelKind {
    /// An integer rating.
    #[default]
    Label,
    /// Any number.
    Score,
}

/// Skips flags that are not set in TOML output.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

/// A path, or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// A path.
    One(Path),
    /// A list of them.
    More(Vec<Path>),
}

/// Reads [`OneOrMore`].
pub fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Path>, D::Error> {
    let paths = match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(path) => vec![path],
        OneOrMore::More(paths) => paths,
    };
    if paths.is_empty() {
        return Err(D::Error::custom("the list has no paths"));
    }
    Ok(paths)
}

/// Parses a response's letter in TOML.
pub fn response<'de, D: Deserializer<'de>, R: From<ResponseId>>(
    deserializer: D,
) -> Result<R, D::Error> {
    let word = String::deserialize(deserializer)?;
    let response = ResponseId::of_word(&word).map(R::from);
    response.ok_or_else(|| D::Error::custom(format!("`{word}` is not a response; use `a`, `b` …")))
}

/// The inverse of [`response`].
pub fn letter<S: Serializer, R: Copy + Into<Option<ResponseId>>>(
    response: &R,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let response: Option<ResponseId> = (*response).into();
    response.map(ResponseId::word).serialize(serializer)
}

/// Another field worth showing.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FactPath {
    /// The displayed name.
    pub name: String,
    /// Its path; strings, numbers and booleans are shown. A step `*` matches the first ten elements
    /// of a list, which are shown as one field.
    pub path: Path,
    /// Its meaning in this dataset, in one sentence; can be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Whether blind reviewers see it.
    #[serde(default, skip_serializing_if = "is_hidden")]
    pub blind: BlindDisplay,
}

/// Whether blind reviewers see a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlindDisplay {
    /// It is hidden, like every field that the schema does not release.
    #[default]
    Hide,
    /// It is shown, since it does not reveal which response is better.
    Show,
}

pub fn is_hidden(display: &BlindDisplay) -> bool {
    *display == BlindDisplay::Hide
}

impl Definition {
    /// Parses and checks a schema file.
    ///
    /// # Errors
    /// If it is not TOML of this shape, uses an undefined label, has too few or too many responses,
    /// or has an impossible verdict, agreement or list of strengths. The error names the line, the
    /// key and the fix.
    pub fn parse(toml: &str) -> Result<Self, TomlFault> {
        let read: Result<Self, _> = toml_file::parse(toml);
        let mut definition = read.map_err(with_example)?;
        definition.toml = toml.into();
        definition.name_responses();
        definition.add_texts_of_votes();
        definition.add_facts_of_raters();
        definition.inconsistency().map_or(Ok(definition), Err)
    }

    /// Resolves the names of its responses, if values use names.
    fn name_responses(&mut self) {
        let renewed = |names: &mut Option<Arc<ResponseNames>>| {
            if let Some(names) = names {
                *names = Arc::new(ResponseNames::of(names.by, &self.responses));
            }
        };
        self.votes
            .iter_mut()
            .for_each(|vote| renewed(&mut vote.words));
        for source in self.verdict.iter_mut().chain(self.raters.values_mut()) {
            if let VerdictRule::ByValue(rule) = &mut source.rule {
                renewed(&mut rule.names);
                if rule.names.is_some() && rule.words.is_empty() {
                    rule.words = vec![Vec::new(); self.responses.len()];
                }
            }
        }
    }

    /// Creates an error at a key of a table; `place` is the index in a list of tables.
    pub(in crate::schema) fn fault(
        &self,
        table: &str,
        place: usize,
        keys: &[&str],
        what: impl Into<String>,
    ) -> TomlFault {
        with_example(TomlFault::at_key(&self.toml, table, place, keys, what))
    }

    /// Returns keys that every readable record has: the first keys of the paths of the prompt and
    /// the responses, unless there are alternatives.
    pub(in crate::schema) fn required_keys(&self) -> impl Iterator<Item = &str> {
        let prompt = self.prompt.as_ref().filter(|prompt| prompt.path.len() == 1);
        let prompt = prompt.into_iter().flat_map(|prompt| &prompt.path);
        // One of several lists or optional responses may be missing.
        let is_alone = self.responses.len() == 1;
        let may_lack = |paths: &&ResponsePaths| paths.is_of_each() || paths.is_optional;
        let responses = self
            .responses
            .iter()
            .filter(move |paths| is_alone || !may_lack(paths))
            .map(|paths| paths.each.as_ref().unwrap_or(&paths.text));
        prompt.chain(responses).filter_map(Path::first_key)
    }

    /// True if a row is one response, and several rows can make a sample.
    pub fn joins_rows(&self) -> bool {
        matches!(self.rows, RowGrouping::Adjacent | RowGrouping::Groups)
    }

    /// True if a row is a sample judged by one annotator ([`RowGrouping::Annotations`]).
    pub fn is_row_by_annotator(&self) -> bool {
        self.rows == RowGrouping::Annotations
    }

    /// True if its rows have votes.
    pub fn has_votes(&self) -> bool {
        !self.votes.is_empty() || self.is_row_by_annotator()
    }

    /// True if responses can have quotes.
    pub fn has_quotes(&self) -> bool {
        self.responses.iter().any(|paths| paths.quotes.is_some())
    }

    /// True if rows can have the values of columns with this requirement.
    pub(in crate::schema) fn meets(&self, requirement: Requirement) -> bool {
        match requirement {
            Requirement::Nothing => true,
            Requirement::Quotes => self.has_quotes(),
            // Rows have no counts of joined files.
            Requirement::JoinedFiles => false,
            Requirement::Raters => !self.raters.is_empty(),
            Requirement::Votes => self.has_votes(),
        }
    }

    /// True if records have texts, not only scores or a winner.
    pub(in crate::schema) fn has_texts(&self) -> bool {
        let mut guess = self.guess.iter();
        guess.all(|guess| !guess.is_without_texts)
    }

    /// True if a row can have any number of responses.
    pub fn has_response_lists(&self) -> bool {
        self.responses.iter().any(ResponsePaths::is_of_each)
    }

    fn inconsistency(&self) -> Option<TomlFault> {
        let at = |table, place, what: &str| Some(self.fault(table, place, &[], what));
        let responses = self.responses.len();
        if !(1..=MAX_PLACES).contains(&responses) {
            let most = grouped(MAX_PLACES);
            let what = format!("found {responses} [[response]] tables; a schema needs 1 to {most}");
            return at("response", 0, &what);
        }
        let needed = self.responses.iter().position(|paths| !paths.is_optional);
        if let Some(place) = needed.filter(|_| self.joins_rows() && responses > 1) {
            let what = "adjacent rows and groups have one response each; of several [[response]] tables, each needs optional = true";
            return at("response", place, what);
        }
        let is_grouped = matches!(self.rows, RowGrouping::Groups | RowGrouping::Annotations);
        if !is_grouped && !self.group.is_empty() {
            return at(
                "group",
                0,
                "`group` needs rows = \"groups\" or \"annotations\"",
            );
        }
        if self.joins_rows() && self.has_response_lists() {
            return at("rows", 0, "a list of responses needs rows = \"inline\"");
        }
        self.misplaced_star()
            .or_else(|| self.unknown_label())
            .or_else(|| self.inconsistent_vote())
            .or_else(|| self.inconsistent_text())
            .or_else(|| self.impossible_label())
            .or_else(|| self.impossible_verdict())
            .or_else(|| self.impossible_rater())
    }

    /// Returns a fault for the first `*` that is not a list of responses, and not in the path of a
    /// fact, a text or a vote.
    pub fn misplaced_star(&self) -> Option<TomlFault> {
        let need = |path: &Path| PathUse {
            path: path.clone(),
            kind: UseKind::Need,
            name: String::new(),
            response: None,
        };
        let needs = self.needs.iter().map(need);
        self.uses().into_iter().chain(needs).find_map(|it| {
            let (table, key) = it.kind.key_without_lists()?;
            let place = it.response.unwrap_or(0);
            let is_listed = it.response.is_some_and(|it| self.responses[it].is_of_each());
            let path = if is_listed { it.path.of_element(0) } else { it.path };
            let keys: Vec<_> = [key, &it.name].into_iter().filter(|it| !it.is_empty()).collect();
            let what = || format!("the path {path} has a `*` too many; `*` matches the elements of a list of responses, and of lists in the path of a fact, a text or a vote");
            (path.is_of_each()).then(|| self.fault(table, place, &keys, what()))
        })
    }

    /// Returns a fault for the first use of an undefined label.
    pub(super) fn unknown_label(&self) -> Option<TomlFault> {
        let names = self.labels.iter().map(|label| &*label.name);
        let unknown = |name: &str, table: &str, place: usize, keys: &[&str]| {
            let what = || unknown_name("[[label]]", name, names.clone());
            let is_known = names.clone().any(|known| known == name);
            (!is_known).then(|| self.fault(table, place, keys, what()))
        };
        let mut responses = self.responses.iter().enumerate();
        let of_response = |(place, response): (usize, &ResponsePaths)| {
            response
                .ratings
                .keys()
                .find_map(|name| unknown(name, "response", place, &["ratings", name]))
        };
        responses
            .find_map(of_response)
            .or_else(|| match self.rule()? {
                VerdictRule::ByLabel { label, .. } => unknown(label, "verdict", 0, &["label"]),
                VerdictRule::Fixed { margin, .. } => {
                    unknown(margin.as_ref()?, "verdict", 0, &["margin"])
                }
                _ => None,
            })
    }

    /// Returns a fault in a label's agreement or range. NaN, which TOML allows, fails these tests
    /// too.
    fn impossible_label(&self) -> Option<TomlFault> {
        self.labels.iter().enumerate().find_map(|(place, label)| {
            let at = |key, what| Some(self.fault("label", place, &[key], what));
            match label.agreement {
                Some(kappa) if !(-1.0..=1.0).contains(&kappa) => at(
                    "agreement",
                    "an agreement on a label is a kappa, from -1 to 1",
                ),
                _ if is_reversed(label.range) => at("range", REVERSED),
                _ => None,
            }
        })
    }
}

pub const REVERSED: &str = "a range is the minimum and the maximum, in this order";

/// True if a range contains no value.
pub fn is_reversed(range: Option<[f64; 2]>) -> bool {
    // Also true if an end is NaN, which TOML allows.
    !range.is_none_or(|[low, high]| low <= high)
}

/// Appends an example for the fault's key from `assets/schema_keys.toml`.
fn with_example(mut fault: TomlFault) -> TomlFault {
    if fault.what.starts_with("unknown key ") {
        return fault;
    }
    let examples: BTreeMap<String, String> =
        toml_file::parse(include_str!("../../assets/schema_keys.toml")).unwrap_or_default();
    // The key of a list of tables may be the plural.
    let name = match fault.key.strip_prefix("responses") {
        Some(rest) => format!("response{rest}"),
        None => fault.key.clone(),
    };
    let mut key = Some(&*name);
    while let Some(known) = key {
        if let Some(example) = examples.get(known) {
            fault.what.push_str("; write ");
            fault.what.push_str(example);
            break;
        }
        key = known.rsplit_once('.').map(|(table, _)| table);
    }
    fault
}
