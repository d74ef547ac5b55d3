//! A schema as data: the TOML that says where things stand in a record, checked once and then never
//! doubted.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use super::path::Path;
use crate::model::ResponseId;

/// Where the prompt, the responses and what was said of them stand in a record.
///
/// The built-in ones are the files of `assets/schemas/`; a person can write their own and name it
/// with `--schema FILE`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Short name, as `--schema` takes it.
    pub name: String,
    /// The dataset's name, as the header shows it.
    pub title: String,
    /// One sentence for `--help`; see [`super::summaries`].
    #[serde(default)]
    pub about: String,
    /// How rows make samples.
    pub rows: RowGrouping,
    /// Where records are lists: how many elements they have; a row with another number of them is
    /// malformed.
    #[serde(default)]
    pub items: Option<usize>,
    /// Where the prompt stands; absent where both responses are whole transcripts that begin alike.
    #[serde(default)]
    pub prompt: Option<PromptPaths>,
    /// Paths of which all that are there must hold the same text: a row that says its prompt for
    /// each response.
    #[serde(default)]
    pub same: Vec<Path>,
    /// How turns are marked inside a text; absent where a text is one turn.
    #[serde(default)]
    pub turns: Option<Turns>,
    /// The responses of a row, left first: one or two.
    #[serde(rename = "response")]
    pub responses: Vec<ResponsePaths>,
    /// Labels and scores, in the order in which they are shown.
    #[serde(default, rename = "label")]
    pub labels: Vec<Label>,
    /// How the winner is told.
    #[serde(default)]
    pub verdict: Option<VerdictTold>,
    /// Other fields worth showing.
    #[serde(default, rename = "fact")]
    pub facts: Vec<FactPath>,
}

/// How rows make samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowGrouping {
    /// A row is one response; consecutive rows with the same prompt are the two of a sample.
    Adjacent,
    /// A row is a whole sample.
    Inline,
}

/// Where the prompt stands.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptPaths {
    /// Its path; the value is a string or a list of `{role, content}` messages.
    pub path: Path,
}

/// How turns are marked inside one text.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// Whether a marker fills its line or begins it.
    pub marker: TurnMarker,
    /// The marker before a user turn.
    pub user: String,
    /// The marker before an assistant turn.
    pub assistant: String,
}

/// How much of its line a turn marker takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TurnMarker {
    /// The whole line, and nothing else stands on it.
    WholeLine,
    /// The beginning of a line; the turn's text follows on the same line.
    LineStart,
}

/// Where one response and what belongs to it stand.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponsePaths {
    /// The text: a string or a list of `{role, content}` messages.
    pub text: Path,
    /// Quotes: `{title: [..], extract: [..]}` or `[{title, extract}, ..]`.
    #[serde(default)]
    pub quotes: Option<Path>,
    /// Token ids before the answer: a list.
    #[serde(default)]
    pub prefix_tokens: Option<Path>,
    /// Token ids of the answer: a list.
    #[serde(default)]
    pub completion_tokens: Option<Path>,
    /// Path of each label's value for this response, by the label's name.
    #[serde(default)]
    pub ratings: std::collections::BTreeMap<String, Path>,
}

/// A label or a score: what it means and what values it can have.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its name, as in the file where that has one.
    pub name: String,
    /// An integer rating or any number.
    #[serde(default)]
    pub kind: LabelKind,
    /// Least and greatest value, both included; a value outside counts as none and is told.
    #[serde(default)]
    pub range: Option<[f64; 2]>,
    /// Whether a value that is no number, or not a whole one, is as good as any and nothing to
    /// tell.
    #[serde(default)]
    pub lenient: bool,
    /// What it means in this dataset, in one sentence; can be empty.
    #[serde(default)]
    pub about: String,
    /// How far the dataset's own annotators agree on it, as published: quadratic weighted kappa, -1
    /// to 1.
    #[serde(default)]
    pub agreement: Option<f64>,
}

impl Label {
    /// Number of steps above the least value when this is an integer rating of a small range: a bar
    /// has that many cells.
    pub fn steps(&self) -> Option<u32> {
        let [low, high] = self.range?;
        let steps = high - low;
        (self.kind == LabelKind::Label && (1.0..=10.0).contains(&steps)).then_some(steps as u32)
    }

    /// Whether a number is in its range.
    pub(super) fn includes(&self, number: f64) -> bool {
        includes(self.range, number)
    }
}

/// Whether a number is in a range, where there is one.
pub(super) fn includes(range: Option<[f64; 2]>, number: f64) -> bool {
    range.is_none_or(|[low, high]| (low..=high).contains(&number))
}

/// Whether values are integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelKind {
    /// An integer rating.
    #[default]
    Label,
    /// Any number.
    Score,
}

/// How the winner of a sample is told, and what is known of that.
#[derive(Debug, Clone, Deserialize)]
pub struct VerdictTold {
    /// How it is told. Keys that neither it nor this table has are refused by it.
    #[serde(flatten)]
    pub rule: VerdictRule,
    /// Words for how strongly a response wins, one to three, the weakest first; absent where people
    /// are not to say so.
    #[serde(default)]
    pub strengths: Option<Vec<String>>,
    /// How often the dataset's own annotators agree on who wins, as published: a share, 0 to 1.
    #[serde(default)]
    pub agreement: Option<f64>,
}

impl From<VerdictRule> for VerdictTold {
    fn from(rule: VerdictRule) -> Self {
        Self {
            rule,
            strengths: None,
            agreement: None,
        }
    }
}

/// How the winner of a sample is told.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum VerdictRule {
    /// The response with the greater value of this label wins; the margin is the difference.
    ByLabel(ByLabel),
    /// A signed number on the row: its sign says who wins, its size by how much.
    BySign(BySign),
    /// A value on the row that names the winner.
    ByValue(ByValue),
    /// The place in the record decides (`chosen` before `rejected`).
    Fixed(Fixed),
}

/// The response with the higher value of a label wins ([`VerdictRule::ByLabel`]).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByLabel {
    /// The label's name.
    pub label: String,
}

/// The sign of a number names the winner ([`VerdictRule::BySign`]).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BySign {
    /// Where the number stands.
    pub path: Path,
    /// Which response a positive number prefers: `a` or `b`.
    #[serde(deserialize_with = "response")]
    pub positive: ResponseId,
    /// Least and greatest number, both included; one outside says nothing of who wins, and is told.
    #[serde(default)]
    pub range: Option<[f64; 2]>,
}

/// A value out of fixed lists names the winner ([`VerdictRule::ByValue`]).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByValue {
    /// Where the value stands.
    pub path: Path,
    /// The JSON values (as text) that mean A.
    pub a: Vec<String>,
    /// The JSON values (as text) that mean B.
    pub b: Vec<String>,
    /// The JSON values (as text) that mean neither, so that any other says nothing; absent: every
    /// other value does.
    #[serde(default)]
    pub tie: Option<Vec<String>>,
}

/// The place of a response names the winner ([`VerdictRule::Fixed`]).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// The response that always wins: `a` is the first.
    #[serde(deserialize_with = "response")]
    pub always: ResponseId,
}

/// A response by its letter, as TOML spells it.
fn response<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ResponseId, D::Error> {
    let word = String::deserialize(deserializer)?;
    ResponseId::of_word(&word)
        .ok_or_else(|| D::Error::custom(format!("`{word}` is no response: write `a`, `b` …")))
}

/// Another field worth showing.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactPath {
    /// The name to show.
    pub name: String,
    /// Where it stands; strings, numbers and booleans are shown.
    pub path: Path,
    /// What it means in this dataset, in one sentence; can be empty.
    #[serde(default)]
    pub about: String,
}

/// What is wrong with a schema file.
#[derive(Debug, Error)]
pub enum DefinitionError {
    /// Not TOML, or not the fields of a schema.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// The fields contradict each other.
    #[error("schema `{name}`: {what}")]
    Inconsistent {
        /// The schema's name.
        name: String,
        /// What to mend.
        what: String,
    },
}

impl Definition {
    /// Reads and checks a schema file's text.
    ///
    /// # Errors
    /// When it is not TOML of this shape, or names a label that it does not define, or has none
    /// or too many responses, or a verdict that does not fit them, or states an agreement or strengths that there cannot be.
    pub fn parse(toml: &str) -> Result<Self, DefinitionError> {
        let definition: Self = toml::from_str(toml)?;
        match definition.inconsistency() {
            None => Ok(definition),
            Some(what) => Err(DefinitionError::Inconsistent {
                name: definition.name,
                what,
            }),
        }
    }

    /// How the winner is told, where it is.
    pub fn rule(&self) -> Option<&VerdictRule> {
        self.verdict.as_ref().map(|verdict| &verdict.rule)
    }

    fn inconsistency(&self) -> Option<String> {
        let wanted = match self.rows {
            RowGrouping::Adjacent => 1..=1,
            RowGrouping::Inline => 1..=ResponseId::MOST,
        };
        if !wanted.contains(&self.responses.len()) {
            return Some(format!(
                "{} [[response]] tables; adjacent rows have 1, inline rows 1 to {}",
                self.responses.len(),
                ResponseId::MOST
            ));
        }
        if self.rows == RowGrouping::Adjacent && self.prompt.is_none() {
            return Some("adjacent rows are paired by their prompt: give [prompt] a path".into());
        }
        let known = |name: &str| self.labels.iter().any(|label| label.name == name);
        let named = self
            .responses
            .iter()
            .flat_map(|response| response.ratings.keys());
        if let Some(name) = named.into_iter().find(|name| !known(name)) {
            return Some(format!(
                "ratings of `{name}`, but no [[label]] has that name"
            ));
        }
        match self.rule() {
            Some(VerdictRule::ByLabel(rule)) if !known(&rule.label) => Some(format!(
                "the verdict goes by `{}`, but no [[label]] has that name",
                rule.label
            )),
            Some(VerdictRule::BySign(_) | VerdictRule::ByValue(_)) if self.responses.len() > 2 => {
                Some(
                    "a signed number, or a value for `a` or `b`, tells the winner of two responses: \
                     of more, let a label decide"
                        .into(),
                )
            }
            Some(VerdictRule::BySign(rule)) if rule.positive.index() > 1 => Some(format!(
                "a positive number prefers `a` or `b`, not `{}`",
                rule.positive.word()
            )),
            Some(VerdictRule::Fixed(rule)) if rule.always.index() >= self.responses.len().max(2) => {
                Some(format!(
                    "`{}` always wins, but there is no such response",
                    rule.always.word()
                ))
            }
            _ => self.impossible(),
        }
    }

    /// What is stated of how people judge and cannot be.
    fn impossible(&self) -> Option<String> {
        // These refuse NaN too, which TOML has.
        let beyond = |label: &&Label| {
            label
                .agreement
                .is_some_and(|kappa| !(-1.0..=1.0).contains(&kappa))
        };
        if let Some(label) = self.labels.iter().find(beyond) {
            return Some(format!(
                "the agreement on `{}` is a kappa, which lies between -1 and 1",
                label.name
            ));
        }
        let verdict = self.verdict.as_ref()?;
        if verdict
            .agreement
            .is_some_and(|share| !(0.0..=1.0).contains(&share))
        {
            return Some(
                "the agreement on the verdict is a share, which lies between 0 and 1".into(),
            );
        }
        let strengths = verdict.strengths.as_ref()?;
        if !(1..=3).contains(&strengths.len())
            || strengths.iter().any(|word| word.trim().is_empty())
        {
            return Some("strengths are one to three words, the weakest first".into());
        }
        None
    }
}
