//! Columns: what a query asks of samples most often, packed while the rows are scanned, so that
//! filtering by labels never touches the text again.
//!
//! Each list has one entry a sample, in the order of the chunk's samples, so that whole stretches
//! are compared at once. What is of responses has a list for each response that samples of the
//! chunk have, A's first; a sample with fewer has nothing in the rest. So a comparison over pairs
//! runs over two lists without looking up which value belongs to which sample.

use crate::table::{AnnotationColumn, BuiltIn, Values, WordColumn};

/// The columns of the samples that a chunk completes.
#[derive(Debug, Clone, Default)]
pub struct ChunkColumns {
    /// How many responses each has; 0 for a malformed row.
    pub responses: Box<[u8]>,
    /// Whether any text of its samples does not stand in their lines as it is but for escapes.
    pub(super) is_composed: bool,
    /// Whether anything of its rows was read leniently, or a value is one that its field cannot
    /// have; never of malformed rows.
    pub flagged: Box<[bool]>,
    /// The columns of the table, in any order.
    pub(super) columns: Box<[(StoredId, StoredColumn)]>,
}

/// Which column is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoredId {
    /// A label or score, by its place in the schema.
    Label(usize),
    /// What is counted while rows are scanned.
    Counted(BuiltIn),
    /// The best responses, where rows state them ([`crate::model::Verdict::code`]).
    Verdict,
    /// By how much, where rows state it: A minus B.
    Margin,
    /// A fact, by its place in the schema.
    Fact(usize),
    /// What annotators said of a label, by its place in the schema.
    Annotations(usize),
    /// What annotators said of who wins.
    Votes,
    /// How many of them said that nothing is to be compared.
    ExcludedVotes,
}

/// A stored column, by its level.
#[derive(Debug, Clone)]
pub(super) enum StoredColumn {
    /// Numbers, one a sample.
    Sample(Values),
    /// Numbers, a list for each response.
    Response(Box<[Values]>),
    /// Words, one a sample: of its first row.
    Words(WordColumn),
    /// Numbers, one an annotator: a list for each response.
    Annotations(Box<[AnnotationColumn]>),
    /// Nothing: nobody was to ask for it.
    LeftOut,
}

impl ChunkColumns {
    /// A label or score, by its place in the schema: a list for each response.
    pub fn label(&self, place: usize) -> Option<&[Values]> {
        self.of_responses(StoredId::Label(place))
    }

    /// All labels and scores, in the schema's order.
    pub fn labels(&self) -> impl Iterator<Item = &[Values]> {
        (0..).map_while(|place| self.label(place))
    }

    /// What is counted of responses, a list for each; `None` for what is counted of prompts, and
    /// where the schema has nothing to count.
    pub fn counted_of_responses(&self, column: BuiltIn) -> Option<&[Values]> {
        self.of_responses(StoredId::Counted(column))
    }

    /// What is counted of prompts; `None` for what is counted of responses.
    pub fn counted_of_prompts(&self, column: BuiltIn) -> Option<&Values> {
        self.of_samples(StoredId::Counted(column))
    }

    /// The best responses, where rows state them ([`crate::model::Verdict::code`]); `None` where a
    /// label decides or nothing does.
    pub fn stated_verdicts(&self) -> Option<&Values> {
        self.of_samples(StoredId::Verdict)
    }

    /// By how much A wins over B, where rows state it.
    pub fn stated_margins(&self) -> Option<&Values> {
        self.of_samples(StoredId::Margin)
    }

    /// A fact of the sample's first row, by its place in the schema.
    pub fn fact(&self, place: usize) -> Option<&WordColumn> {
        match self.find(StoredId::Fact(place))? {
            StoredColumn::Words(words) => Some(words),
            _ => None,
        }
    }

    /// All facts, in the schema's order.
    pub fn facts(&self) -> impl Iterator<Item = &WordColumn> {
        (0..).map_while(|place| self.fact(place))
    }

    /// What the annotators of each response said of a label, by its place in the schema; `None` of
    /// labels that are no lists.
    pub fn annotations(&self, label: usize) -> Option<&[AnnotationColumn]> {
        match self.find(StoredId::Annotations(label))? {
            StoredColumn::Annotations(lists) => Some(lists),
            _ => None,
        }
    }

    /// By how much A wins for each annotator; `None` where files have no such lists.
    pub fn votes(&self) -> Option<&AnnotationColumn> {
        match self.find(StoredId::Votes)? {
            StoredColumn::Annotations(lists) => lists.first(),
            _ => None,
        }
    }

    /// How many annotators say that nothing is to be compared; `None` where files have no votes.
    pub fn excluded_votes(&self) -> Option<&Values> {
        self.of_samples(StoredId::ExcludedVotes)
    }

    fn of_samples(&self, id: StoredId) -> Option<&Values> {
        match self.find(id)? {
            StoredColumn::Sample(values) => Some(values),
            _ => None,
        }
    }

    fn of_responses(&self, id: StoredId) -> Option<&[Values]> {
        match self.find(id)? {
            StoredColumn::Response(values) => Some(values),
            _ => None,
        }
    }

    fn find(&self, id: StoredId) -> Option<&StoredColumn> {
        let found = self.columns.iter().find(|(stored, _)| *stored == id);
        let column = found.map(|(_, column)| column);
        // What is missing counts as none: no answer may come of that.
        assert!(
            !matches!(column, Some(StoredColumn::LeftOut)),
            "{id:?} was left out of the columns and is asked for"
        );
        column
    }
}
