//! A schema as data: the TOML that says where things stand in a record, checked once and then never
//! doubted.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::definition_error::{DefinitionError, KeyPath};
use super::guess::Guess;
use super::path::Path;
use super::text_path::TextPath;
use super::vote_path::VotePaths;
use crate::model::ResponseId;

/// Where the prompt, the responses and what was said of them stand in a record.
///
/// The built-in ones are the files of `assets/schemas/`; a person can write their own and name it
/// with `--schema FILE`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Short name, as `--schema` takes it.
    pub name: String,
    /// The dataset's name, as the header shows it.
    pub title: String,
    /// One sentence for the list of schemas.
    #[serde(default)]
    pub about: String,
    /// How rows make samples.
    pub rows: RowGrouping,
    /// What rows of one group have in common, wherever in the file they stand: one path or several;
    /// empty where it is the prompt, of consecutive rows.
    #[serde(default, deserialize_with = "one_or_more")]
    pub group: Vec<Path>,
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
    /// The responses of a row, left first.
    #[serde(rename = "response", alias = "responses")]
    pub responses: Vec<ResponsePaths>,
    /// Labels and scores, in the order in which they are shown.
    #[serde(default, rename = "label")]
    pub labels: Vec<Label>,
    /// How the winner is told.
    #[serde(default)]
    pub verdict: Option<VerdictTold>,
    /// Paths at which a record must have something that is not null, for the schema to be found by
    /// itself.
    #[serde(default)]
    pub needs: Vec<Path>,
    /// Other fields worth showing.
    #[serde(default, rename = "fact")]
    pub facts: Vec<FactPath>,
    /// Texts about the sample or its responses.
    #[serde(default, rename = "text")]
    pub texts: Vec<TextPath>,
    /// Lists in which each annotator says who wins.
    #[serde(default, rename = "vote")]
    pub votes: Vec<VotePaths>,
    /// What is to be known of it where it was guessed; no file says that.
    #[serde(skip)]
    pub guess: Option<Guess>,
}

/// How rows make samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowGrouping {
    /// A row is one response; consecutive rows with the same prompt are the two of a sample.
    Adjacent,
    /// A row is one response; all rows of a group are a sample, up to [`ResponseId::MOST`] of them.
    Groups,
    /// A row is a whole sample.
    Inline,
}

/// Where the prompt stands.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptPaths {
    /// Its path; the value is a string, a message or a list of `{role, content}` messages. Of a list
    /// of paths the texts follow each other on lines of their own; one of them has to be there.
    #[serde(deserialize_with = "one_or_more")]
    pub path: Vec<Path>,
    /// Where instructions to the model stand, a turn in front of the others.
    #[serde(default)]
    pub system: Option<Path>,
    /// Whether the value is a text that itself is JSON: messages, or a list of the user's texts.
    #[serde(default)]
    pub json: bool,
}

/// How turns are marked inside one text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponsePaths {
    /// The list whose elements are a response each; the other paths then lead on from an element.
    /// Where it is absent, a step `*` in them stands for each element too: `/answers/*/text`.
    #[serde(default)]
    pub each: Option<Path>,
    /// The text: a string, a message or a list of `{role, content}` messages.
    pub text: Path,
    /// Whether the text itself is JSON: messages, or a list of the model's texts.
    #[serde(default)]
    pub json: bool,
    /// Quotes: `{title: [..], extract: [..]}` or `[{title, extract}, ..]`.
    #[serde(default)]
    pub quotes: Option<Path>,
    /// Token ids before the answer: a list.
    #[serde(default)]
    pub prefix_tokens: Option<Path>,
    /// Token ids of the answer: a list.
    #[serde(default)]
    pub completion_tokens: Option<Path>,
    /// Where each label's value for this response stands, by the label's name.
    #[serde(default)]
    pub ratings: std::collections::BTreeMap<String, RatingSource>,
    /// Where texts about this response stand, by the name of their `[[text]]`. Of a response that is
    /// no element of a list, a step `*` stands for each annotator.
    #[serde(default)]
    pub texts: std::collections::BTreeMap<String, Path>,
}

/// Where the value of a label for a response comes from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum RatingSource {
    /// It is the same on every row: the place of the response says it.
    Constant(f64),
    /// A path in the record.
    Path(Path),
}

impl ResponsePaths {
    /// Whether a row has any number of these.
    pub fn is_of_each(&self) -> bool {
        self.each.is_some() || self.text.is_of_each()
    }

    /// Whether the elements themselves are the texts.
    pub(super) fn is_bare_element(&self) -> bool {
        self.whole_path().ends_with_each()
    }

    /// The path of the text from the record on, with a step for each element.
    pub(super) fn whole_path(&self) -> Path {
        self.whole(&self.text)
    }

    /// The first of its paths that leads into a list inside a list, or into one where the text does
    /// not, and its key in the table: that cannot be said.
    fn misplaced_list(&self) -> Option<(KeyPath, &Path)> {
        let most = usize::from(self.each.is_none() && self.text.is_of_each());
        let rest = [
            ("quotes", &self.quotes),
            ("prefix_tokens", &self.prefix_tokens),
            ("completion_tokens", &self.completion_tokens),
            ("each", &self.each),
        ];
        let rest = rest.into_iter().filter_map(|(key, path)| {
            let path = path.as_ref()?;
            Some((KeyPath::of([key]), path))
        });
        let ratings = self
            .ratings
            .iter()
            .filter_map(|(name, source)| match source {
                RatingSource::Path(path) => Some((KeyPath::of(["ratings", name]), path)),
                RatingSource::Constant(_) => None,
            });
        let text = std::iter::once((KeyPath::of(["text"]), &self.text));
        let mut paths = rest.chain(ratings).chain(text);
        // A list of annotators inside one of responses cannot be said either.
        let most_in_texts = if self.is_of_each() { most } else { 1 };
        let texts = self.texts.iter();
        let mut texts = texts.map(|(name, path)| (KeyPath::of(["texts", name]), path));
        (paths.find(|(_, path)| path.lists() > most))
            .or_else(|| texts.find(|(_, path)| path.lists() > most_in_texts))
    }

    /// The paths of one element, from 0; the same for every element where it is no list.
    pub(super) fn of_element(&self, index: usize) -> Self {
        let path = |path: &Path| match &self.each {
            Some(each) => each.each_then(path).of_element(index),
            None => path.of_element(index),
        };
        let optional = |it: &Option<Path>| it.as_ref().map(path);
        let rating = |source: &RatingSource| match source {
            RatingSource::Path(it) => RatingSource::Path(path(it)),
            RatingSource::Constant(value) => RatingSource::Constant(*value),
        };
        Self {
            each: None,
            text: path(&self.text),
            json: self.json,
            quotes: optional(&self.quotes),
            prefix_tokens: optional(&self.prefix_tokens),
            completion_tokens: optional(&self.completion_tokens),
            ratings: (self.ratings.iter())
                .map(|(name, source)| (name.clone(), rating(source)))
                .collect(),
            // Theirs may have an annotator's step besides.
            texts: std::collections::BTreeMap::new(),
        }
    }
}

/// A label or a score: what it means and what values it can have.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
    /// Where the file has a list of values, one an annotator: what is made of them. A value that the
    /// label cannot have is left out of a lenient label's list, and otherwise costs all of it.
    #[serde(default)]
    pub reduce: Option<Reduction>,
    /// What it means in this dataset, in one sentence; can be empty.
    #[serde(default)]
    pub about: String,
    /// How far the dataset's own annotators agree on it, as published: quadratic weighted kappa, -1
    /// to 1.
    #[serde(default)]
    pub agreement: Option<f64>,
}

/// One number out of the values of several annotators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reduction {
    /// Their mean.
    Mean,
    /// The greatest less the least.
    Spread,
}

impl Reduction {
    /// The number; `None` of no values.
    pub(super) fn of(self, values: &[f64]) -> Option<f64> {
        let most = values.iter().copied().reduce(f64::max)?;
        let least = values.iter().copied().reduce(f64::min)?;
        Some(match self {
            Self::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Self::Spread => most - least,
        })
    }
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
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum VerdictRule {
    /// The response with the greater value of this label wins; the margin is the difference.
    ByLabel(ByLabel),
    /// A signed number on the row: its sign says who wins, its size by how much.
    BySign(BySign),
    /// A value on the row that names the winner.
    ByValue(ByValue),
    /// A word on the row that says who wins and how clearly.
    ByStrength(ByStrength),
    /// A field for each outcome, of which one is true.
    OneHot(OneHotRule),
    /// A value on the row that is the same as one that belongs to the winner, as a model's name.
    ByName(ByName),
    /// The place in the record decides (`chosen` before `rejected`).
    Fixed(Fixed),
}

/// The response with the higher value of a label wins, or with the lower one
/// ([`VerdictRule::ByLabel`]).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByLabel {
    /// The label's name.
    pub label: String,
    /// Whether the lower value wins, as of ranks.
    #[serde(default)]
    pub lower: bool,
}

/// The sign of a number names the winner ([`VerdictRule::BySign`]).
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
    /// The number that means a tie; 0 where it is absent.
    #[serde(default)]
    pub midpoint: f64,
}

/// A value out of fixed lists names the winner ([`VerdictRule::ByValue`]).
#[derive(Debug, Clone, PartialEq, Deserialize)]
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

/// A word names the winner and how clearly it wins ([`VerdictRule::ByStrength`]).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByStrength {
    /// Where the word stands.
    pub path: Path,
    /// By how much A wins for each word: negative where B does, 0 for a tie.
    pub values: std::collections::BTreeMap<String, f64>,
}

/// One of several fields is true ([`VerdictRule::OneHot`]).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneHotRule {
    /// The fields: that of the winner is true or 1. Without one for ties a row on which neither of the
    /// others is true says nothing.
    pub one_hot: OutcomePaths,
}

/// A value that belongs to one of the responses names the winner ([`VerdictRule::ByName`]).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByName {
    /// Where the winner's name stands.
    pub path: Path,
    /// Where the names of the responses stand; that for ties is a field that is true where neither
    /// wins.
    pub names: OutcomePaths,
}

/// Where the values stand that belong to each outcome of a pair.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomePaths {
    /// To the win of A.
    pub a: Path,
    /// To the win of B.
    pub b: Path,
    /// To a tie.
    #[serde(default)]
    pub tie: Option<Path>,
}

impl OutcomePaths {
    fn iter(&self) -> impl Iterator<Item = &Path> {
        [&self.a, &self.b].into_iter().chain(&self.tie)
    }
}

/// The place of a response names the winner ([`VerdictRule::Fixed`]).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// The response that always wins: `a` is the first.
    #[serde(deserialize_with = "response")]
    pub always: ResponseId,
    /// The label whose difference (A minus B) says by how much.
    #[serde(default)]
    pub margin: Option<String>,
}

/// A path, or a list of them.
fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Path>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(Path),
        More(Vec<Path>),
    }
    let paths = match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(path) => vec![path],
        OneOrMore::More(paths) => paths,
    };
    if paths.is_empty() {
        return Err(D::Error::custom("a list of no paths leads nowhere"));
    }
    Ok(paths)
}

/// A response by its letter, as TOML spells it.
pub(super) fn response<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ResponseId, D::Error> {
    let word = String::deserialize(deserializer)?;
    ResponseId::of_word(&word)
        .ok_or_else(|| D::Error::custom(format!("`{word}` is no response: write `a`, `b` …")))
}

/// Another field worth showing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactPath {
    /// The name to show.
    pub name: String,
    /// Where it stands; strings, numbers and booleans are shown. A step `*` stands for each of the
    /// first ten elements of a list, which are then one fact.
    pub path: Path,
    /// What it means in this dataset, in one sentence; can be empty.
    #[serde(default)]
    pub about: String,
}

impl Definition {
    /// Reads and checks a schema file's text.
    ///
    /// # Errors
    /// When it is not TOML of this shape, or names a label that it does not define, or has none
    /// or too many responses, or a verdict that does not fit them, or states an agreement or strengths that there cannot be.
    /// The error names the line and the key.
    pub fn parse(toml: &str) -> Result<Self, DefinitionError> {
        let mut definition: Self =
            toml::from_str(toml).map_err(|error| DefinitionError::of_toml(&error, toml))?;
        definition.add_texts_of_votes();
        match definition.inconsistency() {
            None => Ok(definition),
            Some(error) => Err(error.within(toml)),
        }
    }

    /// How the winner is told, where it is.
    pub fn rule(&self) -> Option<&VerdictRule> {
        self.verdict.as_ref().map(|verdict| &verdict.rule)
    }

    /// Keys that every record has which it reads: those with which the paths of the prompt and of the
    /// responses begin, as far as no other can stand for them.
    pub(super) fn required_keys(&self) -> impl Iterator<Item = &str> {
        let prompt = self.prompt.as_ref().filter(|prompt| prompt.path.len() == 1);
        let prompt = prompt.into_iter().flat_map(|prompt| &prompt.path);
        // Of several lists one can be absent.
        let is_alone = self.responses.len() == 1;
        let responses = self.responses.iter();
        let responses = responses.filter(move |paths| is_alone || !paths.is_of_each());
        let responses = responses.map(|paths| paths.each.as_ref().unwrap_or(&paths.text));
        prompt.chain(responses).filter_map(Path::first_key)
    }

    /// Whether a row is one response, and several can make a sample.
    pub fn joins_rows(&self) -> bool {
        matches!(self.rows, RowGrouping::Adjacent | RowGrouping::Groups)
    }

    /// Whether a row can have any number of responses.
    pub fn has_response_lists(&self) -> bool {
        self.responses.iter().any(ResponsePaths::is_of_each)
    }

    /// The paths whose values a verdict needs, in the order in which a rule reads them; those of a
    /// field that may be absent last.
    pub(super) fn verdict_paths(&self) -> Vec<&Path> {
        match self.rule() {
            Some(VerdictRule::BySign(rule)) => vec![&rule.path],
            Some(VerdictRule::ByValue(rule)) => vec![&rule.path],
            Some(VerdictRule::ByStrength(rule)) => vec![&rule.path],
            Some(VerdictRule::OneHot(rule)) => rule.one_hot.iter().collect(),
            Some(VerdictRule::ByName(rule)) => std::iter::once(&rule.path)
                .chain(rule.names.iter())
                .collect(),
            Some(VerdictRule::ByLabel(_) | VerdictRule::Fixed(_)) | None => Vec::new(),
        }
    }

    /// The first path that leads to each element of a list where there is one value, and its key.
    fn misplaced_list(&self) -> Option<(KeyPath, &Path)> {
        let prompt = self.prompt.iter().flat_map(|prompt| {
            let system = prompt.system.iter().map(|path| ("system", path));
            let paths = prompt.path.iter().map(|path| ("path", path));
            let keyed = |(key, path)| (KeyPath::of(["prompt", key]), path);
            paths.chain(system).map(keyed)
        });
        let whole = |key: &'static str| move |path| (KeyPath::of([key]), path);
        let single = prompt
            .chain(self.same.iter().map(whole("same")))
            .chain(self.needs.iter().map(whole("needs")))
            .chain(self.group.iter().map(whole("group")));
        let mut single = single.chain(self.verdict_paths().into_iter().map(whole("verdict")));
        let mut responses = self.responses.iter().enumerate();
        let mut facts = self.facts.iter().enumerate();
        (responses.find_map(|(place, paths)| {
            let (key, path) = paths.misplaced_list()?;
            Some((key.below("response", place), path))
        }))
        .or_else(|| single.find(|(_, path)| path.is_of_each()))
        .or_else(|| {
            let (place, fact) = facts.find(|(_, fact)| fact.path.lists() > 1)?;
            Some((KeyPath::of(["path"]).below("fact", place), &fact.path))
        })
        .or_else(|| {
            let mut texts = self.texts.iter().enumerate();
            texts.find_map(|(place, text)| {
                let path = text.path.as_ref().filter(|path| path.lists() > 1)?;
                Some((KeyPath::of(["path"]).below("text", place), path))
            })
        })
    }

    fn inconsistency(&self) -> Option<DefinitionError> {
        let wanted = match self.rows {
            RowGrouping::Adjacent | RowGrouping::Groups => 1..=1,
            RowGrouping::Inline => 1..=ResponseId::MOST,
        };
        let at = |key: KeyPath, what: String| Some(DefinitionError::at(key, what));
        if !wanted.contains(&self.responses.len()) {
            return at(
                KeyPath::of(["response"]),
                format!(
                    "{} [[response]] tables; adjacent rows and groups have 1, inline rows 1 to {}",
                    self.responses.len(),
                    ResponseId::MOST
                ),
            );
        }
        let is_one_path = |prompt: &PromptPaths| prompt.path.len() == 1 && prompt.system.is_none();
        let is_joined_by_prompt = self.joins_rows() && self.group.is_empty();
        if is_joined_by_prompt && !self.prompt.as_ref().is_some_and(is_one_path) {
            return at(
                KeyPath::of(["prompt"]),
                "adjacent rows are joined by their prompt: give [prompt] one path, or say with \
                 `rows = \"groups\"` and `group` what they have in common"
                    .into(),
            );
        }
        if self.joins_rows() && self.prompt.is_none() {
            return at(
                KeyPath::of(["prompt"]),
                "rows that are one response each have a [prompt]".into(),
            );
        }
        if self.rows != RowGrouping::Groups && !self.group.is_empty() {
            return at(
                KeyPath::of(["group"]),
                "`group` tells which rows are a sample: rows = \"groups\"".into(),
            );
        }
        if let Some((key, path)) = self.misplaced_list() {
            return at(
                key,
                format!(
                    "{path} has a `*` too many: one for each element of a list of responses, of a fact, or of a text's annotators"
                ),
            );
        }
        if self.joins_rows() && self.has_response_lists() {
            return at(
                KeyPath::of(["rows"]),
                "a row with any number of responses is a sample: rows = \"inline\"".into(),
            );
        }
        self.unknown_label()
            .or_else(|| self.inconsistent_vote())
            .or_else(|| self.inconsistent_text())
            .or_else(|| self.unfit_verdict(self.has_response_lists()))
            .or_else(|| self.impossible())
            .or_else(|| self.reversed_range())
    }

    /// The first name of a label that no label has.
    fn unknown_label(&self) -> Option<DefinitionError> {
        let known = |name: &str| self.labels.iter().any(|label| label.name == name);
        let at = |key: KeyPath, what: &str, name: &str| {
            let names: Vec<_> = self.labels.iter().map(|label| &*label.name).collect();
            let what = match names.as_slice() {
                [] => format!(
                    "{what} `{name}`, but no [[label]] has that name; there is none: \
                     add [[label]] with name = \"{name}\""
                ),
                names => format!(
                    "{what} `{name}`, but no [[label]] has that name; there are {}",
                    names.join(", ")
                ),
            };
            Some(DefinitionError::at(key, what))
        };
        for (place, response) in self.responses.iter().enumerate() {
            if let Some(name) = response.ratings.keys().find(|name| !known(name)) {
                let key = KeyPath::of(["ratings", name]).below("response", place);
                return at(key, "ratings of", name);
            }
        }
        match self.rule() {
            Some(VerdictRule::ByLabel(rule)) if !known(&rule.label) => {
                let key = KeyPath::of(["verdict", "label"]);
                at(key, "the verdict goes by", &rule.label)
            }
            Some(VerdictRule::Fixed(Fixed {
                margin: Some(label),
                ..
            })) if !known(label) => {
                let key = KeyPath::of(["verdict", "margin"]);
                at(key, "the margin goes by", label)
            }
            _ => None,
        }
    }

    /// What a verdict says of responses that there cannot be.
    fn unfit_verdict(&self, is_of_each: bool) -> Option<DefinitionError> {
        let (key, what) = match self.rule()? {
            VerdictRule::BySign(_)
            | VerdictRule::ByValue(_)
            | VerdictRule::ByStrength(_)
            | VerdictRule::OneHot(_)
            | VerdictRule::ByName(_)
                if self.responses.len() > 2 || is_of_each =>
            {
                let what = "a signed number, or a value for `a` or `b`, tells the winner of two \
                            responses: of more, let a label decide";
                (KeyPath::of(["verdict"]), what.to_owned())
            }
            VerdictRule::BySign(rule) if rule.positive.index() > 1 => {
                let what = format!(
                    "a positive number prefers `a` or `b`, not `{}`",
                    rule.positive.word()
                );
                (KeyPath::of(["verdict", "positive"]), what)
            }
            VerdictRule::Fixed(rule) if rule.always.index() >= self.responses.len().max(2) => {
                let what = format!(
                    "`{}` always wins, but there is no such response",
                    rule.always.word()
                );
                (KeyPath::of(["verdict", "always"]), what)
            }
            _ => return None,
        };
        Some(DefinitionError::at(key, what))
    }

    /// What is stated of how people judge and cannot be.
    fn impossible(&self) -> Option<DefinitionError> {
        let at = |key: KeyPath, what: String| Some(DefinitionError::at(key, what));
        // These refuse NaN too, which TOML has.
        let beyond = |label: &Label| {
            label
                .agreement
                .is_some_and(|kappa| !(-1.0..=1.0).contains(&kappa))
        };
        let mut labels = self.labels.iter().enumerate();
        if let Some((place, label)) = labels.find(|(_, label)| beyond(label)) {
            return at(
                KeyPath::of(["agreement"]).below("label", place),
                format!(
                    "the agreement on `{}` is a kappa, which lies between -1 and 1",
                    label.name
                ),
            );
        }
        let verdict = self.verdict.as_ref()?;
        if verdict
            .agreement
            .is_some_and(|share| !(0.0..=1.0).contains(&share))
        {
            return at(
                KeyPath::of(["verdict", "agreement"]),
                "the agreement on the verdict is a share, which lies between 0 and 1".into(),
            );
        }
        let strengths = verdict.strengths.as_ref()?;
        if !(1..=3).contains(&strengths.len())
            || strengths.iter().any(|word| word.trim().is_empty())
        {
            return at(
                KeyPath::of(["verdict", "strengths"]),
                "strengths are one to three words, the weakest first".into(),
            );
        }
        None
    }

    /// A range that no value is in.
    fn reversed_range(&self) -> Option<DefinitionError> {
        let of_label = |place: usize| KeyPath::of(["range"]).below("label", place);
        let of_labels = self.labels.iter().enumerate();
        let of_labels = of_labels.map(|(place, label)| (of_label(place), label.range));
        let of_verdict = match self.rule() {
            Some(VerdictRule::BySign(rule)) => rule.range,
            _ => None,
        };
        let mut ranges = of_labels.chain([(KeyPath::of(["verdict", "range"]), of_verdict)]);
        // NaN, which TOML has, is no end.
        let is_range = |[low, high]: [f64; 2]| low <= high;
        let is_reversed = |range: Option<[f64; 2]>| range.is_some_and(|range| !is_range(range));
        let (key, _) = ranges.find(|(_, range)| is_reversed(*range))?;
        let what = "the ends of a range are the least value and the greatest, in this order";
        Some(DefinitionError::at(key, what))
    }
}
