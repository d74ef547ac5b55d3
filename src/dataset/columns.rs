//! Columns: what a query asks of samples most often, packed while the rows are scanned, so that
//! filtering by labels never touches the text again.
//!
//! Each list has one entry a sample, in the order of the chunk's samples, so that whole stretches
//! are compared at once. What is of responses has a list for each response that samples of the
//! chunk have, A's first; a sample with fewer has nothing in the rest. So a comparison over pairs
//! runs over two lists without looking up which value belongs to which sample.

use std::sync::OnceLock;

use crate::table::{AnnotationColumn, ColumnData, ColumnId, Values, WordColumn};

/// The columns of the samples that a chunk completes.
#[derive(Debug, Default)]
pub struct ChunkColumns {
    /// How many responses each has; 0 for a malformed row.
    pub responses: Box<[u16]>,
    /// Whether any text of its samples does not stand in their lines as it is but for escapes.
    pub(super) is_composed: bool,
    /// Whether anything of its rows was read leniently, or a value is one that its field cannot
    /// have; never of malformed rows.
    pub flagged: Box<[bool]>,
    /// In any order.
    pub(super) columns: Box<[(ColumnId, ColumnData)]>,
    /// The fields and text counts that were asked for.
    pub(super) later: LaterColumns,
}

/// Columns that are read after the scan. Entries are added while other threads read, and never
/// move or change.
#[derive(Debug, Default)]
pub struct LaterColumns(OnceLock<Box<LaterColumn>>);

#[derive(Debug)]
struct LaterColumn {
    id: ColumnId,
    values: ColumnData,
    rest: LaterColumns,
}

impl LaterColumns {
    fn get(&self, id: ColumnId) -> Option<&ColumnData> {
        let mut list = self;
        while let Some(entry) = list.0.get() {
            if entry.id == id {
                return Some(&entry.values);
            }
            list = &entry.rest;
        }
        None
    }

    /// Adds a column, unless another thread already did: its values are the same.
    pub(super) fn add(&self, id: ColumnId, values: ColumnData) {
        let rest = Self::default();
        let (mut list, mut new) = (self, Box::new(LaterColumn { id, values, rest }));
        while let Err(refused) = list.0.set(new) {
            match list.0.get() {
                Some(entry) if entry.id != id => list = &entry.rest,
                _ => return,
            }
            new = refused;
        }
    }
}

impl ChunkColumns {
    /// The values of a column; `None` where rows of the schema have none, and of what is counted in
    /// texts while that was not done.
    ///
    /// Who wins is stored where rows state it ([`crate::model::Verdict::code`]), and so is by how much.
    pub fn get(&self, id: ColumnId) -> Option<&ColumnData> {
        if id.source.reads_texts() {
            return self.later.get(id);
        }
        let (_, data) = self.columns.iter().find(|(known, _)| *known == id)?;
        // What is missing counts as none: no answer may come of that.
        assert!(
            !matches!(data, ColumnData::UnusedSettings),
            "{id:?} was left out of the columns and is asked for"
        );
        Some(data)
    }

    /// Numbers: one list of what is of samples, or else one for each response.
    pub fn numbers(&self, id: ColumnId) -> Option<&[Values]> {
        self.get(id)?.numbers()
    }

    /// Numbers of samples.
    pub fn of_samples(&self, id: ColumnId) -> Option<&Values> {
        self.numbers(id)?.first()
    }

    /// Words: one list of what is of samples, or else one for each response.
    pub fn words(&self, id: ColumnId) -> Option<&[WordColumn]> {
        match self.get(id)? {
            ColumnData::Words(lists) => Some(lists),
            _ => None,
        }
    }

    /// What each annotator said: one list of what is of samples, or else one for each response.
    pub fn annotations(&self, id: ColumnId) -> Option<&[AnnotationColumn]> {
        match self.get(id)? {
            ColumnData::Annotations(lists) => Some(lists),
            _ => None,
        }
    }

    /// Those that the scan packed, each with its values.
    pub fn all(&self) -> impl Iterator<Item = (ColumnId, &ColumnData)> {
        self.columns.iter().map(|(id, data)| (*id, data))
    }
}
