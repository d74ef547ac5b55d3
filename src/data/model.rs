//! The model: responses, labels, verdicts, and samples that borrow from the rows they were read
//! from.
//!
//! Independent of file formats and of display. Margins always mean left over right (A minus B),
//! independent of the file's convention; the file's own value is kept as `native`.

mod interned;
mod read_warning;
mod response_id;
mod response_set;
mod verdict;
mod votes;

use std::borrow::Cow;
use std::ops::Range;

pub use read_warning::ReadWarning;
pub use response_id::{ResponseId, ResponseOrder};
pub use response_set::{ResponseSet, ResponseSetBuilder};
pub use verdict::{Outcome, Verdict};
pub use votes::{NamedVote, Vote, Votes, majority};

/// A reviewer's opinion of the dataset's annotation of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpotCheckVerdict {
    /// It is right.
    Right,
    /// It is wrong.
    Wrong,
    /// The reviewer cannot decide.
    Unclear,
}

impl SpotCheckVerdict {
    /// All verdicts.
    pub const ALL: [Self; 3] = [Self::Right, Self::Wrong, Self::Unclear];

    /// Returns the word in journals and queries: `right`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Unclear => "unclear",
        }
    }

    /// Parses the word of a verdict.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }
}

/// Who speaks in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user who asks.
    User,
    /// The model that answers.
    Assistant,
    /// The system message.
    System,
    /// The model's reasoning before its answer: `reasoning_content`, or `<think>` in its text.
    Reasoning,
    /// A tool call of the model, with its arguments.
    ToolCall,
    /// The result of a tool call.
    ToolResult,
    /// Any other role (unknown names).
    Other,
}

impl Role {
    /// Returns the role of a message by its `role` field (`from` in ShareGPT).
    pub fn named(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "user" | "human" | "prompter" => Self::User,
            "assistant" | "gpt" | "chatgpt" | "chatbot" | "model" | "bot" | "ai" | "agent" => {
                Self::Assistant
            }
            "system" | "developer" => Self::System,
            "reasoning" | "thinking" => Self::Reasoning,
            "tool_call" | "function_call" => Self::ToolCall,
            "tool" | "function" | "observation" | "tool_result" | "tool_response"
            | "function_response" => Self::ToolResult,
            _ => Self::Other,
        }
    }

    /// Returns the displayed name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool call",
            Self::ToolResult => "tool",
            Self::Other => "other",
        }
    }

    /// True if a turn leads to an answer without being one. Long ones are folded until opened.
    pub const fn is_folded_at_first(self) -> bool {
        matches!(self, Self::Reasoning | Self::ToolCall | Self::ToolResult)
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, Eq)]
pub struct Turn<'r> {
    /// Who speaks.
    pub role: Role,
    /// Its text, as in the file (not sanitised).
    pub text: Cow<'r, str>,
    /// The tool call that this turn is or answers.
    pub tool: ToolLink,
    /// What it continues of the turn before.
    pub continues: Continues,
}

impl<'r> Turn<'r> {
    /// Creates a turn without a tool call, of a message of its own.
    pub fn new(role: Role, text: Cow<'r, str>) -> Self {
        Self {
            role,
            text,
            tool: ToolLink::default(),
            continues: Continues::Nothing,
        }
    }
}

/// What a turn has in common with the turn before it in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Continues {
    /// Nothing: it is or begins a message.
    #[default]
    Nothing,
    /// The message: reasoning, answer and calls can be members of one.
    Message,
    /// The text, which begins with tagged reasoning; these line breaks are between the two.
    Text(String),
}

/// Turns are equal if their roles and texts are; ids of tool calls differ between conversations.
impl PartialEq for Turn<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.role, &self.text) == (other.role, &other.text)
    }
}

/// The tool call that a turn is or answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolLink {
    /// The id of the call.
    pub id: Option<String>,
    /// The name of the tool, if it is next to the text.
    pub name: Option<String>,
}

/// A passage that an answer can cite by its number (1-based, in order).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote<'r> {
    /// Title of the source page, usually with the domain in parentheses.
    pub title: Cow<'r, str>,
    /// The passage.
    pub extract: Cow<'r, str>,
}

/// A turn inside the text of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRange {
    /// Who speaks.
    pub role: Role,
    /// Byte range in the text.
    pub range: Range<usize>,
    /// As in [`Turn::tool`].
    pub tool: ToolLink,
    /// As in [`Turn::continues`].
    pub continues: Continues,
}

/// One response of a sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Response<'r> {
    /// Its text, as in the file (not sanitised). If it has several turns: all of them, separated by
    /// empty lines, except turns of one text ([`Continues::Text`]).
    pub text: Cow<'r, str>,
    /// Turns in the text, in order; empty if the text is a plain answer.
    pub turns: Vec<TurnRange>,
    /// One value for each label, in schema order; `None` if missing or null.
    pub ratings: Vec<Option<f64>>,
    /// The annotators' values for each label, such as `3 3 4`. Ends at the last label that has a
    /// list of them.
    pub annotations: Vec<Option<String>>,
    /// The passages that it can cite; `None` if the dataset has no quotes.
    pub quotes: Option<Vec<Quote<'r>>>,
}

impl<'r> Response<'r> {
    /// Creates a response from its turns alone.
    pub fn of_turns(turns: Vec<Turn<'r>>) -> Self {
        if let [Turn { role, .. }] = turns.as_slice()
            && matches!(role, Role::Assistant | Role::Other)
        {
            let text = turns.into_iter().next().map(|turn| turn.text);
            return Self::of_text(text.unwrap_or_default());
        }
        let mut text = String::new();
        let mut ranges = Vec::with_capacity(turns.len());
        for turn in turns {
            text.push_str(match &turn.continues {
                Continues::Text(between) => between,
                _ if ranges.is_empty() => "",
                _ => "\n\n",
            });
            let start = text.len();
            text.push_str(&turn.text);
            ranges.push(TurnRange {
                role: turn.role,
                range: start..text.len(),
                tool: turn.tool,
                continues: turn.continues,
            });
        }
        Self {
            text: Cow::Owned(text),
            turns: ranges,
            ..Self::default()
        }
    }

    /// Creates a response from one text. If that begins with reasoning in `<think>` tags, the
    /// reasoning becomes a separate turn, tags included.
    pub fn of_text(text: Cow<'r, str>) -> Self {
        let turn = |role, range, continues| TurnRange {
            role,
            range,
            tool: ToolLink::default(),
            continues,
        };
        let turns = split_reasoning(&text).map_or_else(Vec::new, |(reasoning, between, answer)| {
            let answer = text.len() - answer.len()..text.len();
            let between = Continues::Text(between.to_owned());
            vec![
                turn(Role::Reasoning, 0..reasoning.len(), Continues::Nothing),
                turn(Role::Assistant, answer, between),
            ]
        });
        Self {
            text,
            turns,
            ..Self::default()
        }
    }

    /// Iterates the texts of its turns; a plain answer is one text.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.spoken().map(|(_, text)| text)
    }

    /// Iterates its turns: who speaks, and the text; a plain answer is one turn of the assistant.
    pub fn spoken(&self) -> impl Iterator<Item = (Role, &str)> {
        let whole = (Role::Assistant, &*self.text);
        let whole = self.turns.is_empty().then_some(whole);
        let turns = self
            .turns
            .iter()
            .filter_map(|it| Some((it.role, self.text.get(it.range.clone())?)));
        whole.into_iter().chain(turns)
    }

    /// Returns its text with the role before each turn, for pages without headings. Plain answers
    /// are unchanged.
    pub fn with_roles(&self) -> Cow<'_, str> {
        // Its tags already mark reasoning.
        let is_tagged =
            matches!(&*self.turns, [_, answer] if matches!(answer.continues, Continues::Text(_)));
        if self.turns.is_empty() || is_tagged {
            return Cow::Borrowed(&self.text);
        }
        let turns = self.turns.iter().map(|turn| {
            let text = self.text.get(turn.range.clone()).unwrap_or_default();
            format!("{}: {text}", turn.role.word())
        });
        Cow::Owned(turns.collect::<Vec<_>>().join("\n\n"))
    }
}

/// Splits a text that begins with reasoning in `<think>` tags: the reasoning with its tags, line
/// breaks, and the answer. `None` if there is no reasoning, or nothing else.
pub fn split_reasoning(text: &str) -> Option<(&str, &str, &str)> {
    const END: &str = "</think>";
    text.trim_start().strip_prefix("<think>")?;
    let (reasoning, rest) = text.split_at(text.find(END)? + END.len());
    let answer = rest.trim_start_matches(['\n', '\r']);
    let between = &rest[..rest.len() - answer.len()];
    (!answer.trim().is_empty()).then_some((reasoning, between, answer))
}

/// Why a row cannot be read by its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// Byte column in the line, from 1; 0 if there is no single place.
    pub column: usize,
    /// The reason to show: one sentence without a full stop.
    pub reason: String,
}

/// A named fact of a sample other than its labels (`dataset` eli5, `id`, `split`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<'r> {
    /// Its name in the schema.
    pub name: String,
    /// Its value as text.
    pub value: Cow<'r, str>,
    /// True if the schema releases it, so that blind reviewers see it.
    pub is_released: bool,
}

/// A text about a sample or a response: why one is better, a critique, feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rationale<'r> {
    /// Its name in the schema.
    pub name: String,
    /// The response that it is about; `None` if it is about the sample.
    pub response: Option<ResponseId>,
    /// Index of its annotator, if the file has a list of such texts.
    pub annotator: Option<usize>,
    /// The text, as in the file (not sanitised); never blank.
    pub text: Cow<'r, str>,
    /// True if the schema releases it, so that blind reviewers see it.
    pub is_released: bool,
}

/// The content of one row: a whole sample, or one response of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record<'r> {
    /// The turns of the prompt in order; empty only if the dataset has no prompt.
    pub prompt: Vec<Turn<'r>>,
    /// The responses on this row, at least one.
    pub responses: Vec<Response<'r>>,
    /// The row's own verdict, if it states one.
    pub outcome: Option<Outcome>,
    /// Other fields worth showing.
    pub facts: Vec<Fact<'r>>,
    /// Texts about the sample and its responses. If the row is one response, all are about that.
    pub rationales: Vec<Rationale<'r>>,
    /// The annotators' votes for the best response.
    pub votes: Votes,
    /// Warnings of lenient reading; sorted, without repeats.
    pub warnings: Vec<ReadWarning>,
}

impl Record<'_> {
    /// Removes everything that blind reviewers must not see: all but the prompt, the responses and
    /// released fields.
    pub fn hide_fields(&mut self) {
        self.outcome = None;
        self.facts.retain(|fact| fact.is_released);
        self.rationales.retain(|text| text.is_released);
        self.votes = Votes::default();
        self.warnings.retain(|warning| !warning.reveals_labels());
        for response in &mut self.responses {
            response.ratings.clear();
            response.annotations.clear();
        }
    }

    /// Returns the most recognisable turn: the user's first non-empty one, else the first.
    pub fn opening(&self) -> Option<&Turn<'_>> {
        self.prompt
            .iter()
            .find(|turn| turn.role == Role::User && !turn.text.trim().is_empty())
            .or_else(|| self.prompt.first())
    }
}
