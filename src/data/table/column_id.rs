//! Handles to columns.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::built_in::COLUMNS;
use super::{ColumnDef, ColumnSource, Level};

/// A handle to a column's description, independent of a dataset. Descriptions live as long as the
/// program, so that a query outlives the catalog that it was parsed with.
#[derive(Clone, Copy)]
pub struct ColumnId(&'static ColumnDef);

/// The reviewers whose values make a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Raters {
    /// The mean of all reviewers' values.
    Mean,
    /// The maximum minus the minimum, of two reviewers or more.
    Spread,
    /// One reviewer's value.
    One(Rater),
}

/// One reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Rater {
    /// The reviewer who runs the program.
    Own,
    /// The reviewer of this name in the journal.
    Named(Arc<str>),
}

/// The judgments to compare.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DisagreementScope {
    /// Each reviewer's with the dataset's.
    Dataset,
    /// All reviewers' with each other.
    Reviewers,
    /// One reviewer's with each other reviewer's.
    With(Rater),
    /// One reviewer's, or the dataset's for `None`, with those of all others, if these agree.
    Only(Option<Rater>),
}

impl ColumnId {
    /// Who wins.
    pub const VERDICT: Self = Self::in_table("verdict");
    /// The winner's margin.
    pub const MARGIN: Self = Self::in_table("margin");
    /// Annotators' votes for the winner.
    pub const VOTES: Self = Self::in_table("votes");
    /// Annotators who compare nothing.
    pub const EXCLUDED_VOTES: Self = Self::in_table("votes.excluded");
    /// Characters of the response.
    pub const LENGTH: Self = Self::in_table("len.response");
    /// Characters of the prompt.
    pub const PROMPT_LENGTH: Self = Self::in_table("len.prompt");
    /// Number that samples with the same prompt share.
    pub const PROMPT_ID: Self = Self::in_table("id.prompt");
    /// Turns of the prompt.
    pub const TURNS: Self = Self::in_table("turns");
    /// Quotes of the response.
    pub const QUOTES: Self = Self::in_table("quotes");

    /// Returns the table's column of this name, for constants: it must exist.
    pub const fn in_table(name: &str) -> Self {
        let mut at = 0;
        while !is_same(COLUMNS[at].name.as_bytes(), name.as_bytes()) {
            at += 1;
        }
        Self(&COLUMNS[at])
    }

    /// Iterates the columns that every dataset has, in the order of help.
    pub fn built_in() -> impl Iterator<Item = Self> + Clone {
        COLUMNS.iter().map(Self)
    }

    /// Returns the built-in column of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::built_in().find(|column| column.name == name)
    }

    /// Returns the handle of a column of a schema, a joined file or a reviewer.
    pub fn of(source: ColumnSource, name: &str) -> Self {
        static KNOWN: Mutex<BTreeMap<String, ColumnId>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let described = known.entry(format!("{source:?} {name}"));
        *described.or_insert_with(|| {
            let name = name.to_owned().leak();
            Self(Box::leak(Box::new(ColumnDef::described(source, name))))
        })
    }

    /// True if each response has its own value.
    pub fn is_of_responses(self) -> bool {
        self.level == Level::Response
    }

    /// True if it rates responses: a label or score of the dataset or of a joined file.
    pub fn is_rating(self) -> bool {
        matches!(self.source, ColumnSource::Label | ColumnSource::JoinedLabel)
    }

    /// True if its values change with reviewers' acts.
    pub fn is_of_reviewers(self) -> bool {
        matches!(
            self.source,
            ColumnSource::Rated(_)
                | ColumnSource::RatedVerdict(_)
                | ColumnSource::Disagreement(_)
                | ColumnSource::Review(_)
        )
    }
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl Deref for ColumnId {
    type Target = ColumnDef;

    fn deref(&self) -> &ColumnDef {
        self.0
    }
}

impl PartialEq for ColumnId {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for ColumnId {}

impl Hash for ColumnId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

impl Debug for ColumnId {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} {}", self.source, self.name)
    }
}
