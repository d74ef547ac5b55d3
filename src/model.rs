//! What the program talks about: responses, labels, verdicts, and a sample that borrows from the
//! rows it was read from.
//!
//! Nothing here knows where the data came from or how it is drawn. One sign holds everywhere: a
//! margin is the left response over the right (A minus B), whatever the file's own convention; the
//! native value is kept beside it.

mod read_warning;
mod verdict;
mod votes;

use std::borrow::Cow;
use std::ops::Range;

pub use read_warning::ReadWarning;
pub use verdict::{Outcome, ResponseSet, Verdict};
pub use votes::{NamedVote, Vote, Votes, majority};

/// One of the responses of a sample, by its place in the file: A is the first, Z the last that there
/// can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResponseId(u8);

/// A letter for each response that a sample can have.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The same letters as files and queries spell them.
const WORDS: &str = "abcdefghijklmnopqrstuvwxyz";

impl ResponseId {
    /// The first response.
    pub const A: Self = Self(0);
    /// The second response.
    pub const B: Self = Self(1);
    /// How many responses a sample can have.
    pub const MOST: usize = LETTERS.len();

    /// The response at a place, from 0; `None` from [`Self::MOST`] on.
    pub const fn new(place: usize) -> Option<Self> {
        if place < Self::MOST {
            Some(Self(place as u8))
        } else {
            None
        }
    }

    /// The first so many responses, at most all that there can be.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..count.min(Self::MOST) as u8).map(Self)
    }

    /// Its place among the responses of the sample, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The letter shown to people: `A`.
    pub fn letter(self) -> &'static str {
        let at = self.index();
        LETTERS.get(at..=at).unwrap_or_default()
    }

    /// The letter as files and queries spell it: `a`.
    pub fn word(self) -> &'static str {
        let at = self.index();
        WORDS.get(at..=at).unwrap_or_default()
    }

    /// The response whose letter this is in a file or a query: `a`, not `A`.
    pub fn of_word(word: &str) -> Option<Self> {
        let at = WORDS.find(word).filter(|_| word.len() == 1)?;
        Self::new(at)
    }
}

/// In which order the responses of a sample are shown, as who judges blind is to see them: A on the
/// screen is not always A of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResponseOrder {
    /// For each place on the screen that of the file; all places there can be.
    of_file: [u8; ResponseId::MOST],
}

impl Default for ResponseOrder {
    fn default() -> Self {
        Self::OF_FILE
    }
}

impl ResponseOrder {
    /// As they stand in the file.
    pub const OF_FILE: Self = {
        let mut of_file = [0; ResponseId::MOST];
        let mut place = 0;
        while place < of_file.len() {
            of_file[place] = place as u8;
            place += 1;
        }
        Self { of_file }
    };

    /// Of the first responses this order, and then those that it does not name as in the file;
    /// `None` where it names one that it would have to leave out, or one twice.
    pub fn new(responses: &[ResponseId]) -> Option<Self> {
        let is_there = |wanted: ResponseId| responses.contains(&wanted);
        let is_whole = ResponseId::first(responses.len()).all(is_there);
        let mut order = Self::OF_FILE;
        for (place, response) in order.of_file.iter_mut().zip(responses) {
            *place = response.0;
        }
        (is_whole && responses.len() <= ResponseId::MOST).then_some(order)
    }

    /// The order that shows the first so many responses the other way round, from last to first.
    #[must_use]
    pub fn reversed(self, responses: usize) -> Self {
        let mut order = self;
        order.of_file[..responses.min(ResponseId::MOST)].reverse();
        order
    }

    /// Whether it is that of the file.
    pub fn is_of_file(&self) -> bool {
        *self == Self::OF_FILE
    }

    /// The order as far as a sample with so many responses has them: that of the file where it names
    /// one that the sample lacks.
    #[must_use]
    pub fn among(self, responses: usize) -> Self {
        let named = self.named().len();
        if named <= responses {
            self
        } else {
            Self::OF_FILE
        }
    }

    /// The response of the file that is shown under a letter.
    pub const fn of_file(self, shown: ResponseId) -> ResponseId {
        ResponseId(self.of_file[shown.index()])
    }

    /// The letter under which a response of the file is shown.
    pub fn shown(self, response: ResponseId) -> ResponseId {
        let place = self.of_file.iter().position(|place| *place == response.0);
        place.and_then(ResponseId::new).unwrap_or(response)
    }

    /// The verdict by the letters of the screen, from one by those of the file.
    pub fn shown_verdict(self, verdict: Verdict) -> Verdict {
        let shown = verdict.renamed(|response| Some(self.shown(response)));
        shown.unwrap_or(verdict)
    }

    /// The verdict by the letters of the file, from one by those of the screen.
    pub fn verdict_of_file(self, verdict: Verdict) -> Verdict {
        let of_file = verdict.renamed(|shown| Some(self.of_file(shown)));
        of_file.unwrap_or(verdict)
    }

    /// The letters as a journal spells them, without those at the end that stand as in the file:
    /// `ba`. Empty where all do.
    pub fn word(&self) -> String {
        self.named()
            .iter()
            .map(|id| ResponseId(*id).word())
            .collect()
    }

    /// The same letters for so many responses, whether they stand as in the file or not: `ab`.
    pub fn whole_word(&self, responses: usize) -> String {
        let ids = ResponseId::first(responses);
        ids.map(|shown| self.of_file(shown).word()).collect()
    }

    /// The order that a word of letters tells; `None` where it tells none.
    pub fn of_word(word: &str) -> Option<Self> {
        let letters = word
            .char_indices()
            .map(|(at, letter)| &word[at..at + letter.len_utf8()]);
        let responses: Option<Vec<_>> = letters.map(ResponseId::of_word).collect();
        Self::new(&responses?)
    }

    /// The places up to the last one that does not stand as in the file.
    fn named(&self) -> &[u8] {
        let moved = |(place, id): (usize, &u8)| usize::from(*id) != place;
        let last = self.of_file.iter().enumerate().rposition(moved);
        &self.of_file[..last.map_or(0, |last| last + 1)]
    }
}

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
        match name {
            "user" | "human" | "prompter" => Self::User,
            "assistant" | "gpt" | "model" | "bot" => Self::Assistant,
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
    /// The turn by which people recognise it: the first in which the user says anything, else the first.
    pub fn opening(&self) -> Option<&Turn<'_>> {
        let mut turns = self.prompt.iter();
        let asked = turns.find(|turn| turn.role == Role::User && !turn.text.trim().is_empty());
        asked.or_else(|| self.prompt.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_words_go_both_ways() {
        let all: Vec<_> = ResponseId::first(99).collect();
        assert_eq!(all.len(), ResponseId::MOST);
        assert_eq!((all[0].letter(), all[25].letter()), ("A", "Z"));
        for (place, id) in all.into_iter().enumerate() {
            assert_eq!(ResponseId::new(place), Some(id));
            assert_eq!(ResponseId::of_word(id.word()), Some(id));
        }
        for word in ["", "A", "ab", "é", "tie"] {
            assert_eq!(ResponseId::of_word(word), None, "{word}");
        }
        assert_eq!(ResponseId::new(26), None);
    }

    #[test]
    fn orders_are_permutations_and_go_both_ways() {
        for (word, whole, back) in [
            ("", "abcd", ""),
            ("ba", "bacd", "ba"),
            ("cab", "cabd", "bca"),
            ("dcba", "dcba", "dcba"),
        ] {
            let order = ResponseOrder::of_word(word).expect("an order");
            assert_eq!(
                (order.word(), order.whole_word(4)),
                (word.into(), whole.into())
            );
            assert_eq!(order.is_of_file(), word.is_empty());
            for id in ResponseId::first(26) {
                assert_eq!(order.shown(order.of_file(id)), id);
            }
            let shown: String = ResponseId::first(4)
                .map(|id| order.shown(id).word())
                .collect();
            assert!(shown.starts_with(back), "{word}: {shown}");
        }
        assert_eq!(ResponseOrder::of_word("ab"), Some(ResponseOrder::OF_FILE));
        for word in ["b", "aa", "ac", "Ba", "b a"] {
            assert_eq!(ResponseOrder::of_word(word), None, "{word}");
        }
        let swapped = ResponseOrder::OF_FILE.reversed(2);
        assert_eq!(
            swapped.among(1),
            ResponseOrder::OF_FILE,
            "a single has no other"
        );
        assert_eq!(
            (swapped.among(2), swapped.reversed(2)),
            (swapped, ResponseOrder::OF_FILE)
        );
    }
}
