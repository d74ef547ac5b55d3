//! The columns that every dataset has.

use super::ColumnKind::{Count, Flag, Word, Words};
use super::Level::{Response, Sample};
use super::OverlapScope::{OtherFile, SameFile};
use super::{
    Aggregate, ColumnDef, ColumnId, ColumnKind, ColumnSource, CountOfPrompt, CountOfResponse,
    FindingNumber, Level, Requirement, Reveals, ReviewValue, SampleComparison, SampleLists,
    SampleTexts, TextFlag, Values,
};
use crate::model::{Role, Verdict};
use crate::text;

/// What is counted while the rows of a schema are scanned, and how.
#[derive(Debug, Clone, Default)]
pub struct CountedColumns {
    /// For each response.
    pub of_responses: Vec<(ColumnId, CountOfResponse)>,
    /// For each prompt.
    pub of_prompts: Vec<(ColumnId, CountOfPrompt)>,
}

impl CountedColumns {
    /// Returns the counts that a schema supports.
    pub fn of(has: impl Fn(Requirement) -> bool) -> Self {
        let mut counted = Self::default();
        for column in ColumnId::built_in().filter(|column| has(column.requires)) {
            match column.source {
                ColumnSource::Response(count) => counted.of_responses.push((column, count)),
                ColumnSource::Prompt(count) => counted.of_prompts.push((column, count)),
                _ => {}
            }
        }
        counted
    }

    /// Returns the columns.
    pub fn ids(&self) -> impl Iterator<Item = ColumnId> {
        self.of_responses
            .iter()
            .map(|(column, _)| *column)
            .chain(self.of_prompts.iter().map(|(column, _)| *column))
    }

    /// Returns the counts of the requested columns.
    #[must_use]
    pub fn only(&self, is_asked: impl Fn(ColumnId) -> bool) -> Self {
        let mut asked = self.clone();
        asked.of_responses.retain(|(column, _)| is_asked(*column));
        asked.of_prompts.retain(|(column, _)| is_asked(*column));
        asked
    }
}

/// Not in the sort menu.
pub(super) const NO_SORT: &[Aggregate] = &[];
pub(super) const SORT: &[Aggregate] = &[Aggregate::Same];
const SORT_AND_GAP: &[Aggregate] = &[Aggregate::Same, Aggregate::Gap];

/// The table. A count of a response or a prompt is one row, and so is a flag computed from known
/// values; no other code needs to know of it.
#[rustfmt::skip] // A table reads as a table.
pub(super) static COLUMNS: [ColumnDef; 55] = [
    column("len.response", Response, Count, "characters of the response",
        Reveals::WhichResponse, SORT_AND_GAP, ColumnSource::Response(|response| response.characters)),
    column("len.prompt", Sample, Count, "characters of the whole prompt",
        Reveals::Nothing, SORT, ColumnSource::Prompt(|prompt| prompt.characters)),
    column("turns", Sample, Count, "turns of the prompt",
        Reveals::Nothing, SORT, ColumnSource::Prompt(|prompt| prompt.turns)),
    column("id.prompt", Sample, Count, "number that samples with the same prompt share, a hash of its texts",
        Reveals::Nothing, NO_SORT, ColumnSource::PromptId),
    column("quotes", Response, Count, "quotes of the response",
        Reveals::WhichResponse, SORT, ColumnSource::Response(|response| response.quotes))
        .requiring(Requirement::Quotes),
    column("lines.response", Response, Count, "lines of the response, including empty ones",
        Reveals::WhichResponse, NO_SORT, ColumnSource::Response(|response| response.lines)),
    column("lists.response", Response, Count, "list items in the response",
        Reveals::WhichResponse, NO_SORT, ColumnSource::ResponseText(|texts| total(texts, text::list_items))),
    column("headers.response", Response, Count, "Markdown headers in the response",
        Reveals::WhichResponse, NO_SORT, ColumnSource::ResponseText(|texts| total(texts, text::headers))),
    column("bold.response", Response, Count, "bold passages in the response, as in Markdown",
        Reveals::WhichResponse, NO_SORT, ColumnSource::ResponseText(|texts| total(texts, text::bold_spans))),
    column("code.response", Response, Count, "fenced code blocks in the response",
        Reveals::WhichResponse, NO_SORT, ColumnSource::ResponseText(|texts| total(texts, text::code_blocks))),
    column("citations.response", Response, Count, "citations in the response: [1] is one, [1, 2] are two",
        Reveals::WhichResponse, NO_SORT, ColumnSource::ResponseText(|texts| total(texts, text::count_citations))),
    column("refusals.response", Response, Count, "refusal phrases near the beginning of the response",
        Reveals::WhichResponse, NO_SORT, ColumnSource::ResponseText(|texts| total(texts, text::refusals))),
    column("hedges.response", Response, Count, "hedging phrases in the response, such as “perhaps”",
        Reveals::WhichResponse, NO_SORT, ColumnSource::ResponseText(|texts| total(texts, text::hedges))),
    column("truncated.response", Response, Count, "1 if the response is cut off: in a sentence or a code block",
        Reveals::WhichResponse, NO_SORT, ColumnSource::ResponseText(|texts| texts.last().map_or(0, |text| text::ends_early(text)))),
    column("identical", Response, Count, "other responses of the sample with the same text, ignoring white space",
        Reveals::Nothing, NO_SORT, ColumnSource::AmongResponses(identical)),
    column("unanswered", Response, Count, "1 if the response does not end with a turn of the assistant",
        Reveals::WhichResponse, NO_SORT, ColumnSource::AmongResponses(unanswered)),
    column("feedback.level", Response, Count, "0 to 4: not, slightly, partially, mostly, perfectly helpful; the median of the levels in feedback",
        Reveals::Label, NO_SORT, ColumnSource::RationaleText(feedback_level)),
    column("row", Response, Count, "row number in its file, from 1",
        Reveals::Label, NO_SORT, ColumnSource::Row),
    column("line", Response, Count, "line number in its file, from 1",
        Reveals::Label, NO_SORT, ColumnSource::Line),
    column("sample", Sample, Count, "number of the sample, from 1",
        Reveals::Nothing, NO_SORT, ColumnSource::Sample),
    column("margin", Sample, Count, "A's margin (negative: B wins), if the dataset states it",
        Reveals::Label, SORT, ColumnSource::Margin),
    column("verdict", Sample, Word, "the winner",
        Reveals::Label, SORT, ColumnSource::Verdict),
    column("votes", Sample, Count, "annotators who vote",
        Reveals::Label, SORT, ColumnSource::Votes).requiring(Requirement::Votes),
    column("votes.for", Response, Count, "annotators who vote for the response",
        Reveals::Label, NO_SORT, ColumnSource::VotesFor).requiring(Requirement::Votes),
    column("votes.excluded", Sample, Count, "annotators who consider no response worth comparing",
        Reveals::Label, NO_SORT, ColumnSource::ExcludedVotes).requiring(Requirement::Votes),
    column("file", Sample, Word, "the file's name, as opened",
        Reveals::Nothing, NO_SORT, ColumnSource::File),
    column("rm.against", Sample, Count, "raters that contradict the verdict",
        Reveals::Label, SORT, ColumnSource::Contradictions).requiring(Requirement::Raters),
    column("rm.verdicts", Sample, Count, "raters that have a verdict",
        Reveals::Label, NO_SORT, ColumnSource::RaterVerdictCount).requiring(Requirement::Raters),
    column("findings", Sample, Count, "rules of findings that fire",
        Reveals::Label, SORT, ColumnSource::Findings(FindingNumber::Count)),
    column("suspicion", Sample, Count, "weight of the findings: severe 10,000, likely 100, slight 1",
        Reveals::Label, SORT, ColumnSource::Findings(FindingNumber::Suspicion)),
    column("overlap", Sample, Word, "how the prompt matches another sample of the same file",
        Reveals::Nothing, NO_SORT, ColumnSource::Compared(SampleComparison::Overlap(SameFile))),
    column("overlap.with", Sample, Count, "number of the first sample of the same file with that prompt",
        Reveals::Nothing, NO_SORT, ColumnSource::Compared(SampleComparison::OverlapWith(SameFile))),
    column("leak", Sample, Word, "how the prompt matches a sample of another file",
        Reveals::Nothing, NO_SORT, ColumnSource::Compared(SampleComparison::Overlap(OtherFile))),
    column("leak.with", Sample, Count, "number of the first sample of another file with that prompt",
        Reveals::Nothing, NO_SORT, ColumnSource::Compared(SampleComparison::OverlapWith(OtherFile))),
    column("same.prefix", Sample, Count, "characters of the longest common beginning of two responses",
        Reveals::Nothing, NO_SORT, ColumnSource::SampleText(same_prefix)),
    column("tag", Sample, Words, "reviewers' tags of the sample",
        Reveals::Nothing, NO_SORT, ColumnSource::Review(ReviewValue::Tags)),
    flag("is:tie", "all rated responses are equally good", Reveals::Label,
        ColumnSource::Flag(|of| each(&of.verdicts(), |verdict| *verdict == Some(Verdict::Tie)))),
    flag("is:several", "several responses are best, others are worse", Reveals::Label,
        ColumnSource::Flag(|of| each(&of.verdicts(), |verdict| {
            matches!(verdict, Some(Verdict::Best(best)) if best.count() > 1)
        }))),
    flag("is:single", "there is one response", Reveals::Nothing,
        ColumnSource::Flag(|of| each(of.responses(), |&count| count == 1))),
    flag("is:multiturn", "the prompt has more than one turn", Reveals::Nothing,
        ColumnSource::Flag(|of| each(&of.numbers(ColumnId::TURNS), |&turns| turns > 1.0))),
    flag("is:malformed", "the row does not match its schema", Reveals::Nothing,
        ColumnSource::Flag(|of| each(of.responses(), |&count| count == 0))),
    // The reason is mostly a label.
    flag("is:flagged", "a value is outside its allowed range, or the row had to be repaired",
        Reveals::Label, ColumnSource::Flag(|of| of.read_warnings().to_vec())),
    flag("is:duplicate", "another sample has the same prompt and responses", Reveals::Nothing,
        ColumnSource::Compared(SampleComparison::Duplicate)),
    flag("is:unmatched", "a file opened --with has nothing about it", Reveals::Nothing,
        ColumnSource::Flag(|of| of.unmatched())).requiring(Requirement::JoinedFiles),
    flag("is:marked", "a reviewer marked it", Reveals::Nothing,
        ColumnSource::Review(ReviewValue::Marked)),
    flag("is:rated", "a reviewer rated it", Reveals::Nothing,
        ColumnSource::Review(ReviewValue::Rated)),
    flag("is:contested", "annotators vote for different responses", Reveals::Label,
        ColumnSource::Flag(contested)).requiring(Requirement::Votes),
    flag("is:contradicted", "another sample has the same prompt and responses, but a different winner",
        Reveals::Label, ColumnSource::Compared(SampleComparison::Contradicted)),
    flag("is:relabelled", "the same response to the same prompt has another label elsewhere",
        Reveals::Label, ColumnSource::Compared(SampleComparison::Relabelled)),
    text_flag("has:code", "a fenced code block", TextFlag::Code),
    text_flag("has:hidden", "invisible characters", TextFlag::Hidden),
    flag("has:note", "a reviewer's note", Reveals::Nothing, ColumnSource::Review(ReviewValue::Notes)),
    flag("has:tag", "a reviewer's tag", Reveals::Nothing, ColumnSource::Review(ReviewValue::Tags)),
    text_flag("cite:dangling", "cites a quote that it does not have", TextFlag::Dangling)
        .requiring(Requirement::Quotes),
    text_flag("cite:unused", "has a quote that it does not cite", TextFlag::Unused)
        .requiring(Requirement::Quotes),
];

/// Sums a count over texts.
fn total(texts: &[String], count: fn(&str) -> u32) -> u32 {
    texts.iter().map(|text| count(text)).sum()
}

/// Returns the length in characters (Unicode scalar values) of the longest common prefix of two
/// responses, with their turns concatenated. Missing with fewer than two responses.
fn same_prefix(texts: &SampleTexts) -> u32 {
    let mut responses: Vec<String> = texts.responses.iter().map(|turns| turns.concat()).collect();
    // After sorting, those with the longest common prefix are adjacent.
    responses.sort_unstable();
    let common = |pair: &[String]| {
        let both = pair[0].chars().zip(pair[1].chars());
        both.take_while(|(one, other)| one == other).count() as u32
    };
    responses
        .windows(2)
        .map(common)
        .max()
        .unwrap_or(Values::NO_COUNT)
}

/// Returns, for each response, the number of others with the same text, ignoring white space.
fn identical(texts: &SampleTexts) -> Vec<u32> {
    let words = |at: usize| {
        texts.responses[at]
            .iter()
            .flat_map(|text| text.split_whitespace())
    };
    let places = 0..texts.responses.len();
    // Most differ in their first words.
    let is_alike = |one: usize, other: usize| words(one).eq(words(other));
    let alike = |one: usize| {
        let others = places
            .clone()
            .filter(|&other| other != one && is_alike(one, other));
        others.count() as u32
    };
    places.clone().map(alike).collect()
}

/// Returns, for each response, 1 if its last turn is not the assistant's.
fn unanswered(texts: &SampleTexts) -> Vec<u32> {
    let is_answer = |role: &Role| matches!(role, Role::Assistant | Role::ToolCall);
    texts
        .last_speakers
        .iter()
        .map(|role| u32::from(!is_answer(role)))
        .collect()
}

/// Returns the median of the named levels (the upper one of two in the middle); missing if none is
/// named.
fn feedback_level(texts: &[String]) -> u32 {
    let mut levels: Vec<_> = texts
        .iter()
        .filter_map(|text| text::helpful_level(text))
        .collect();
    levels.sort_unstable();
    levels
        .get(levels.len() / 2)
        .copied()
        .unwrap_or(Values::NO_COUNT)
}

/// Returns, for each sample, whether two of its responses have a vote.
fn contested(of: &dyn SampleLists) -> Vec<bool> {
    let responses = of.responses().iter().max().copied().unwrap_or_default();
    let mut voted_for = vec![0; of.responses().len()];
    for response in 0..usize::from(responses) {
        let votes = of.votes_for(response).into_iter().zip(&mut voted_for);
        votes.for_each(|(votes, count)| *count += u8::from(votes > 0.0));
    }
    each(&voted_for, |count| *count > 1)
}

/// Maps each entry of a list to a flag.
fn each<T>(list: &[T], holds: impl Fn(&T) -> bool) -> Vec<bool> {
    list.iter().map(holds).collect()
}

/// A flag of responses that is found by reading their texts.
const fn text_flag(name: &'static str, about: &'static str, of: TextFlag) -> ColumnDef {
    let source = ColumnSource::Text(of);
    column(
        name,
        Response,
        Flag,
        about,
        Reveals::WhichResponse,
        NO_SORT,
        source,
    )
}

/// A flag of samples. Its name is a query.
const fn flag(
    name: &'static str,
    about: &'static str,
    reveals: Reveals,
    source: ColumnSource,
) -> ColumnDef {
    column(name, Sample, Flag, about, reveals, NO_SORT, source)
}

const fn column(
    name: &'static str,
    level: Level,
    kind: ColumnKind,
    about: &'static str,
    reveals: Reveals,
    in_sort_menu: &'static [Aggregate],
    source: ColumnSource,
) -> ColumnDef {
    ColumnDef {
        name,
        level,
        kind,
        about,
        reveals,
        in_sort_menu,
        requires: Requirement::Nothing,
        source,
    }
}

impl ColumnDef {
    /// Returns this column for schemas with a requirement.
    const fn requiring(mut self, requires: Requirement) -> Self {
        self.requires = requires;
        self
    }
}
