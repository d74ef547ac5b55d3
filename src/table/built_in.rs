//! The columns that every dataset has, one row each.

use std::borrow::Cow;

use super::ColumnKind::{Count, Word, Words};
use super::Level::{Response, Sample};
use super::{
    Aggregate, ColumnDef, ColumnKind, ColumnSource, CountOfPrompt, CountOfResponse, Level, Reveals,
};

/// A column that every dataset has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuiltIn(u8);

impl BuiltIn {
    /// All of them, in the order in which help lists them.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        (0..).take(COLUMNS.len()).map(Self)
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|column| column.def().name == name)
    }

    /// What it is.
    pub fn def(self) -> &'static ColumnDef {
        &COLUMNS[usize::from(self.0)]
    }
}

/// What is counted while the rows of one schema are scanned, and how.
#[derive(Debug)]
pub struct CountedColumns {
    /// Of each response.
    pub of_responses: Vec<(BuiltIn, CountOfResponse)>,
    /// Of each prompt.
    pub of_prompts: Vec<(BuiltIn, CountOfPrompt)>,
}

impl CountedColumns {
    /// What is counted where responses have quotes, or have none.
    pub fn of(has_quotes: bool) -> Self {
        let (mut of_responses, mut of_prompts) = (Vec::new(), Vec::new());
        for column in BuiltIn::all() {
            match column.def().source {
                ColumnSource::Response(count) => of_responses.push((column, count)),
                ColumnSource::Quotes(count) if has_quotes => of_responses.push((column, count)),
                ColumnSource::Prompt(count) => of_prompts.push((column, count)),
                _ => {}
            }
        }
        Self {
            of_responses,
            of_prompts,
        }
    }
}

/// Not in the sort menu.
const NO_SORT: &[Aggregate] = &[];
const SORT: &[Aggregate] = &[Aggregate::Same];
const SORT_AND_GAP: &[Aggregate] = &[Aggregate::Same, Aggregate::Gap];

/// The table. What is counted of a response or of a prompt is one row; nothing else has to know of
/// it.
#[rustfmt::skip] // A table reads as a table.
static COLUMNS: [ColumnDef; 12] = [
    column("len.response", Response, Count, "characters of the response",
        Reveals::WhichResponse, SORT_AND_GAP, ColumnSource::Response(|response| response.characters())),
    column("len.prompt", Sample, Count, "characters of the whole prompt",
        Reveals::Nothing, SORT, ColumnSource::Prompt(|prompt| prompt.characters())),
    column("turns", Sample, Count, "turns of the prompt",
        Reveals::Nothing, SORT, ColumnSource::Prompt(|prompt| prompt.turns())),
    column("quotes", Response, Count, "how many quotes the response has",
        Reveals::WhichResponse, SORT, ColumnSource::Quotes(|response| response.quotes())),
    column("lines.response", Response, Count, "lines of the response, empty ones included",
        Reveals::WhichResponse, NO_SORT, ColumnSource::Response(|response| response.lines())),
    column("row", Response, Count, "row number in its file, from 1",
        Reveals::Label, NO_SORT, ColumnSource::Row),
    column("line", Response, Count, "line number in its file, from 1",
        Reveals::Label, NO_SORT, ColumnSource::Line),
    column("sample", Sample, Count, "number of the sample, from 1",
        Reveals::Nothing, NO_SORT, ColumnSource::Sample),
    column("margin", Sample, Count, "by how much A wins (negative: B), where the dataset says so",
        Reveals::Label, SORT, ColumnSource::Margin),
    column("verdict", Sample, Word, "who wins",
        Reveals::Label, SORT, ColumnSource::Verdict),
    column("file", Sample, Word, "the file's name, as opened",
        Reveals::Nothing, NO_SORT, ColumnSource::File),
    column("tag", Sample, Words, "the tags that reviewers gave the sample",
        Reveals::Nothing, NO_SORT, ColumnSource::Review),
];

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
        name: Cow::Borrowed(name),
        level,
        kind,
        range: None,
        about: Cow::Borrowed(about),
        reveals,
        in_sort_menu,
        source,
    }
}
