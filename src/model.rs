//! What the program talks about: responses, labels, verdicts, and a sample that borrows from the
//! rows it was read from.
//!
//! Nothing here knows where the data came from or how it is drawn. One sign holds everywhere: a
//! margin is the left response over the right (A minus B), whatever the file's own convention; the
//! native value is kept beside it.

use std::borrow::Cow;

/// One of the two responses of a sample: A stands left, B right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The first response in file order.
    A,
    /// The second response in file order.
    B,
}

impl Side {
    /// Both sides, in reading order.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// 0 for A, 1 for B: the place of this side's response in a sample.
    pub const fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
        }
    }

    /// The letter shown to people.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// The other side.
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// Who wins a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// One side is better.
    Wins(Side),
    /// Neither is.
    Tie,
}

impl Verdict {
    /// The verdict that a margin (A minus B) means: its sign, and a tie at zero.
    pub fn of_margin(margin: f64) -> Self {
        if margin > 0.0 {
            Self::Wins(Side::A)
        } else if margin < 0.0 {
            Self::Wins(Side::B)
        } else {
            Self::Tie
        }
    }
}

/// The verdict of a sample with the numbers behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Who wins.
    pub verdict: Verdict,
    /// A minus B in the unit of what decides (label points, score); `None` where the file only
    /// names a winner.
    pub margin: Option<f64>,
    /// What the file itself says, in its own sign and spelling, where that is not simply the two
    /// ratings.
    pub native: Option<String>,
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
    /// Anybody else (tools, functions, unknown role names).
    Other,
}

impl Role {
    /// The role of a message whose `role` field (or ShareGPT `from`) says `name`.
    pub fn named(name: &str) -> Self {
        match name {
            "user" | "human" | "prompter" => Self::User,
            "assistant" | "gpt" | "model" | "bot" => Self::Assistant,
            "system" | "developer" => Self::System,
            _ => Self::Other,
        }
    }

    /// The word shown to people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Other => "other",
        }
    }
}

/// One turn of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn<'r> {
    /// Who speaks.
    pub role: Role,
    /// What they say, as in the file (not sanitised).
    pub text: Cow<'r, str>,
}

/// A passage that an answer can cite by its number (1-based, in order).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote<'r> {
    /// Title of the page it comes from, as a rule with the domain in parentheses.
    pub title: Cow<'r, str>,
    /// The passage.
    pub extract: Cow<'r, str>,
}

/// How many token ids a response carries; the ids themselves are read only on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenCounts {
    /// Tokens before the answer (question and quotes).
    pub prefix: usize,
    /// Tokens of the answer.
    pub completion: usize,
}

/// One response of a sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Response<'r> {
    /// Its text, as in the file (not sanitised).
    pub text: Cow<'r, str>,
    /// One value a label of the schema, in the schema's order; `None` where the file has none or
    /// null.
    pub ratings: Vec<Option<f64>>,
    /// The passages it could cite; `None` where the dataset has no such thing.
    pub quotes: Option<Vec<Quote<'r>>>,
    /// Its token counts, where the file has tokens.
    pub tokens: Option<TokenCounts>,
}

/// Something about a row that was read in spite of it, and that the reviewer should know.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadWarning {
    /// A `\ud83d` escape without its other half, read as U+FFFD.
    LoneSurrogate,
    /// `NaN` or `Infinity` where JSON has no such number, read as null.
    NotANumber,
    /// Bytes that are not UTF-8, read as U+FFFD.
    InvalidUtf8,
    /// A control character inside a string that JSON wants escaped.
    RawControl,
    /// A prompt for each response, and they are not the same.
    PromptsDiffer,
    /// A label, score, verdict, list of quotes or list of tokens that its field cannot have: it
    /// counts as none.
    OddValue {
        /// Whose value it is, where it is one response's of two.
        side: Option<Side>,
        /// Field, value and what is odd about it, for people and safe to show.
        what: String,
    },
}

impl ReadWarning {
    /// What to tell a person, without a full stop; safe to show.
    pub fn explanation(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::LoneSurrogate => "half a surrogate pair (\\ud83d alone), shown as \u{fffd}",
            Self::NotANumber => "NaN or Infinity, which JSON does not have, read as no value",
            Self::InvalidUtf8 => "bytes that are not UTF-8, shown as \u{fffd}",
            Self::RawControl => "a raw control character inside a string",
            Self::PromptsDiffer => "the two prompts differ, and the first is shown",
            Self::OddValue { side: None, what } => {
                return format!("{what}: read as no value").into();
            }
            Self::OddValue {
                side: Some(side),
                what,
            } => {
                return format!("{}: {what}: read as no value", side.letter()).into();
            }
        })
    }

    /// Whether it says something of what the dataset says itself of a sample, which a blind
    /// reviewer is not to see.
    pub const fn tells_of_labels(&self) -> bool {
        matches!(self, Self::NotANumber | Self::OddValue { .. })
    }

    /// The warning as it reads where the responses of the sample are shown the other way round.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::OddValue { side, what } => Self::OddValue {
                side: side.map(Side::other),
                what,
            },
            other => other,
        }
    }

    /// The warning of a row that turned out to be one response of a pair.
    #[must_use]
    pub fn of_side(self, of: Side) -> Self {
        match self {
            Self::OddValue { side: None, what } => Self::OddValue {
                side: Some(of),
                what,
            },
            other => other,
        }
    }
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
}

/// What one row says: a whole sample, or one response of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record<'r> {
    /// The prompt, first turn first; empty only where the dataset has no prompt.
    pub prompt: Vec<Turn<'r>>,
    /// The responses on this row: one or two.
    pub responses: Vec<Response<'r>>,
    /// The row's own verdict, where it states one.
    pub outcome: Option<Outcome>,
    /// Other fields worth showing.
    pub facts: Vec<Fact<'r>>,
    /// What was read leniently; sorted, without repeats.
    pub flaws: Vec<ReadWarning>,
}
