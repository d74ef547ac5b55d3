//! How one speaks of a column.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::built_in::COLUMNS;
use super::{ColumnDef, ColumnSource, Level};

/// A column, whichever dataset has it: a handle to what is known of it without one. Descriptions live
/// as long as the program, so that a query outlives the catalog that it was read with.
#[derive(Clone, Copy)]
pub struct ColumnId(&'static ColumnDef);

/// Of whose values a number is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Raters {
    /// The mean of what all reviewers gave.
    Mean,
    /// The greatest value minus the least, of two reviewers or more.
    Spread,
    /// What one gave.
    One(Rater),
}

/// One reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Rater {
    /// The reviewer who runs the program.
    Own,
    /// The one of this name in the journal.
    Named(Arc<str>),
}

/// Whose judgments are compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Disagreeing {
    /// Those of each reviewer with what the dataset says.
    Dataset,
    /// Those of all reviewers with each other.
    Reviewers,
    /// Those of one reviewer with those of each other one.
    With(Rater),
}

impl ColumnId {
    /// Who wins.
    pub const VERDICT: Self = Self::in_table("verdict");
    /// By how much.
    pub const MARGIN: Self = Self::in_table("margin");
    /// What annotators say of who wins.
    pub const VOTES: Self = Self::in_table("votes");
    /// How many of them compare nothing.
    pub const EXCLUDED_VOTES: Self = Self::in_table("votes.excluded");
    /// Characters of the response.
    pub const LENGTH: Self = Self::in_table("len.response");
    /// Characters of the prompt.
    pub const PROMPT_LENGTH: Self = Self::in_table("len.prompt");
    /// Turns of the prompt.
    pub const TURNS: Self = Self::in_table("turns");
    /// Quotes of the response.
    pub const QUOTES: Self = Self::in_table("quotes");

    /// The row of the table with this name, for constants: there must be one.
    pub const fn in_table(name: &str) -> Self {
        let mut at = 0;
        while !is_same(COLUMNS[at].name.as_bytes(), name.as_bytes()) {
            at += 1;
        }
        Self(&COLUMNS[at])
    }

    /// Those that every dataset has, in the order in which help lists them.
    pub fn built_in() -> impl Iterator<Item = Self> + Clone {
        COLUMNS.iter().map(Self)
    }

    /// The one of them with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::built_in().find(|column| column.name == name)
    }

    /// One that a schema, a joined file or a reviewer has under this name.
    pub fn of(source: ColumnSource, name: &str) -> Self {
        static KNOWN: Mutex<BTreeMap<String, ColumnId>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let described = known.entry(format!("{source:?} {name}"));
        *described.or_insert_with(|| {
            let name = name.to_owned().leak();
            Self(Box::leak(Box::new(ColumnDef::described(source, name))))
        })
    }

    /// Whether each response has its own value.
    pub fn is_of_responses(self) -> bool {
        self.level == Level::Response
    }

    /// Whether it rates responses: a label or a score of the dataset or of a joined file.
    pub fn is_rating(self) -> bool {
        matches!(self.source, ColumnSource::Label | ColumnSource::JoinedLabel)
    }

    /// Whether its values change with what reviewers do.
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
