//! What the program talks about: responses, labels, verdicts, and a sample that borrows from the
//! rows it was read from.
//!
//! Nothing here knows where the data came from or how it is drawn. One sign holds everywhere: a
//! margin is the left response over the right (A minus B), whatever the file's own convention; the
//! native value is kept beside it.

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

/// What a reviewer says of what the dataset says of a sample: of its annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpotCheckVerdict {
    /// It is right.
    Right,
    /// It is wrong.
    Wrong,
    /// It cannot be told.
    Unclear,
}

impl SpotCheckVerdict {
    /// All that there are.
    pub const ALL: [Self; 3] = [Self::Right, Self::Wrong, Self::Unclear];

    /// The word as journals and queries spell it: `right`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Unclear => "unclear",
        }
    }

    /// The verdict of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }
}

/// Who speaks in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person who asks.
    User,
    /// The model that answers.
    Assistant,
    /// Instructions to the model.
    System,
    /// What the model thought before it answered: `reasoning_content`, or `<think>` in its text.
    Reasoning,
    /// A function that the model asks for, with its arguments.
    ToolCall,
    /// What a function gave back.
    ToolResult,
    /// Anybody else (unknown role names).
    Other,
}

impl Role {
    /// The role of a message whose `role` field (or ShareGPT `from`) says `name`.
    pub fn named(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "user" | "human" | "prompter" => Self::User,
            "assistant" | "gpt" | "chatgpt" | "chatbot" | "model" | "bot" | "ai" | "agent" => {
                Self::Assistant
            }
            "system" | "developer" => Self::System,
            "reasoning" | "thinking" => Self::Reasoning,
            "tool_call" | "function_call" => Self::ToolCall,
            "tool" | "function" | "observation" | "tool_result" | "function_response" => {
                Self::ToolResult
            }
            _ => Self::Other,
        }
    }

    /// The word shown to people.
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

    /// Whether a turn is the way to an answer and not the answer itself: long ones are folded until
    /// somebody wants to see them.
    pub const fn is_folded_at_first(self) -> bool {
        matches!(self, Self::Reasoning | Self::ToolCall | Self::ToolResult)
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, Eq)]
pub struct Turn<'r> {
    /// Who speaks.
    pub role: Role,
    /// What they say, as in the file (not sanitised).
    pub text: Cow<'r, str>,
    /// What the file says about the tool call that this turn is, or is the result of.
    pub tool: ToolLink,
}

impl<'r> Turn<'r> {
    /// A turn of which nothing else is known.
    pub fn new(role: Role, text: Cow<'r, str>) -> Self {
        let tool = ToolLink::default();
        Self { role, text, tool }
    }
}

/// Turns are equal if they say the same: each conversation has its own ids of tool calls.
impl PartialEq for Turn<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.role, &self.text) == (other.role, &other.text)
    }
}

/// How a result names the tool call that it belongs to, and a call itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolLink {
    /// The id of the call.
    pub id: Option<String>,
    /// The name of the tool, where it stands beside the text.
    pub name: Option<String>,
}

/// A passage that an answer can cite by its number (1-based, in order).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote<'r> {
    /// Title of the page it comes from, as a rule with the domain in parentheses.
    pub title: Cow<'r, str>,
    /// The passage.
    pub extract: Cow<'r, str>,
}

/// The token ids that a response carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResponseTokens<'r> {
    /// Tokens before the answer (question and quotes).
    pub prefix: TokenList<'r>,
    /// Tokens of the answer.
    pub completion: TokenList<'r>,
}

/// A list of token ids as the file spells it; the ids themselves are read only on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenList<'r> {
    /// How many there are.
    pub count: usize,
    /// A JSON list of numbers; empty where the file has none.
    pub json: &'r str,
}

impl<'r> TokenList<'r> {
    /// Each id as the file spells it.
    pub fn ids(self) -> impl Iterator<Item = &'r str> {
        let list = self.json.trim().trim_start_matches('[');
        let ids = list.trim_end_matches(']').split(',').map(str::trim);
        ids.filter(|id| !id.is_empty())
    }
}

/// A turn inside the text of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRange {
    /// Who speaks.
    pub role: Role,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// As in [`Turn::tool`].
    pub tool: ToolLink,
}

/// One response of a sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Response<'r> {
    /// Its text, as in the file (not sanitised); of several turns all of them, with an empty line
    /// between two.
    pub text: Cow<'r, str>,
    /// Where the turns stand in the text, in order; empty where it is one answer and nothing else.
    pub turns: Vec<TurnRange>,
    /// One value a label of the schema, in the schema's order; `None` where the file has none or
    /// null.
    pub ratings: Vec<Option<f64>>,
    /// What each annotator said, by label: `3 3 4`; shorter, or empty, where no further label has a
    /// list of that.
    pub annotations: Vec<Option<String>>,
    /// The passages it could cite; `None` where the dataset has no such thing.
    pub quotes: Option<Vec<Quote<'r>>>,
    /// Its tokens, where the file has some.
    pub tokens: Option<ResponseTokens<'r>>,
}

impl<'r> Response<'r> {
    /// The response that consists of these turns, with nothing else known of it.
    pub fn of_turns(turns: Vec<Turn<'r>>) -> Self {
        if let [Turn { role, .. }] = turns.as_slice()
            && matches!(role, Role::Assistant | Role::User | Role::Other)
        {
            let text = turns.into_iter().next().map(|turn| turn.text);
            return Self::of_text(text.unwrap_or_default());
        }
        let mut text = String::new();
        let mut ranges = Vec::with_capacity(turns.len());
        for turn in turns {
            if !ranges.is_empty() {
                text.push_str("\n\n");
            }
            let start = text.len();
            text.push_str(&turn.text);
            ranges.push(TurnRange {
                role: turn.role,
                range: start..text.len(),
                tool: turn.tool,
            });
        }
        Self {
            text: Cow::Owned(text),
            turns: ranges,
            ..Self::default()
        }
    }

    /// The response that is one text: where that begins with reasoning in `<think>` tags, the
    /// reasoning is a turn of its own, tags included.
    pub fn of_text(text: Cow<'r, str>) -> Self {
        let turns = match reasoning_end(&text) {
            None => Vec::new(),
            Some(end) => vec![
                TurnRange {
                    role: Role::Reasoning,
                    range: 0..end,
                    tool: ToolLink::default(),
                },
                TurnRange {
                    role: Role::Assistant,
                    range: text.len() - text[end..].trim_start_matches(['\n', '\r']).len()
                        ..text.len(),
                    tool: ToolLink::default(),
                },
            ],
        };
        Self {
            text,
            turns,
            ..Self::default()
        }
    }

    /// The texts of its turns in order; of one answer the text alone.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let whole = self.turns.is_empty().then_some(&*self.text);
        let turns = self.turns.iter();
        whole
            .into_iter()
            .chain(turns.filter_map(|turn| self.text.get(turn.range.clone())))
    }

    /// Its text with the name of who speaks before each turn, for a page without headings; of one
    /// answer the text alone.
    pub fn spoken(&self) -> Cow<'_, str> {
        // The tags of reasoning say by themselves what it is.
        let is_tagged = self.turns.len() == 2 && reasoning_end(&self.text).is_some();
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

/// Where the reasoning ends with which a text begins, closing tag included; `None` where it begins
/// otherwise, or the reasoning is all there is.
pub fn reasoning_end(text: &str) -> Option<usize> {
    const END: &str = "</think>";
    text.trim_start().strip_prefix("<think>")?;
    let end = text.find(END)? + END.len();
    (!text[end..].trim().is_empty()).then_some(end)
}

/// Why a row could not be read as its schema says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// Byte column in the line, from 1; 0 where no single place is to blame.
    pub column: usize,
    /// What is wrong, for people, in one sentence without a full stop.
    pub reason: String,
}

/// A named fact of a sample besides its labels (`dataset` eli5, `id`, `split`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<'r> {
    /// The name that the schema gives it.
    pub name: String,
    /// Its value as text.
    pub value: Cow<'r, str>,
    /// Whether the schema releases it: a blind reviewer sees it.
    pub is_released: bool,
}

/// A text that somebody wrote about a sample or about one of its responses: why one is better, a
/// critique, feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rationale<'r> {
    /// The name that the schema gives it.
    pub name: String,
    /// The response that it is about; `None` where it is about the sample.
    pub response: Option<ResponseId>,
    /// Which annotator wrote it, from 0, where the file has a list of that.
    pub annotator: Option<usize>,
    /// The text, as in the file (not sanitised); never blank.
    pub text: Cow<'r, str>,
    /// Whether the schema releases it: a blind reviewer sees it.
    pub is_released: bool,
}

/// What one row says: a whole sample, or one response of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record<'r> {
    /// The prompt, first turn first; empty only where the dataset has no prompt.
    pub prompt: Vec<Turn<'r>>,
    /// The responses on this row, at least one.
    pub responses: Vec<Response<'r>>,
    /// The row's own verdict, where it states one.
    pub outcome: Option<Outcome>,
    /// Other fields worth showing.
    pub facts: Vec<Fact<'r>>,
    /// What was written about them. Of a row that is one response all of it is about that response.
    pub rationales: Vec<Rationale<'r>>,
    /// What each annotator said of who wins.
    pub votes: Votes,
    /// What was read leniently; sorted, without repeats.
    pub warnings: Vec<ReadWarning>,
}

impl Record<'_> {
    /// Removes all that a blind reviewer must not know: everything but the prompt, the responses and
    /// what the schema releases.
    pub fn hide_fields(&mut self) {
        self.outcome = None;
        self.facts.retain(|fact| fact.is_released);
        self.rationales.retain(|text| text.is_released);
        self.votes = Votes::default();
        self.warnings.retain(|warning| !warning.tells_of_labels());
        for response in &mut self.responses {
            response.ratings.clear();
            response.annotations.clear();
        }
    }

    /// The turn by which people recognise it: the first in which the user says anything, else the first.
    pub fn opening(&self) -> Option<&Turn<'_>> {
        let mut turns = self.prompt.iter();
        let asked = turns.find(|turn| turn.role == Role::User && !turn.text.trim().is_empty());
        asked.or_else(|| self.prompt.first())
    }
}
