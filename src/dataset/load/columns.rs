//! The columns that queries use most, packed during the scan so that filters on labels never read
//! the text again.
//!
//! Each list has one entry a sample, in the order of the chunk's samples, so that comparisons are
//! vectorised. Columns of responses have one list for each response, A's first; samples with fewer
//! responses have no value in the rest. A comparison of pairs thus runs over two lists.

use std::sync::OnceLock;

use crate::table::{AnnotationColumn, ColumnData, ColumnId, Values, WordColumn};

/// The columns of the samples that a chunk completes.
#[derive(Debug, Default)]
pub struct ChunkColumns {
    /// Number of responses of each; 0 for a malformed row.
    pub responses: Box<[u16]>,
    /// Whether any text is composed, that is, not stored in its line verbatim apart from escapes.
    pub(in crate::dataset) is_composed: bool,
    /// Whether any of its rows was read leniently or has a value outside its range; false for
    /// malformed rows.
    pub flagged: Box<[bool]>,
    /// In any order.
    pub(super) columns: Box<[(ColumnId, ColumnData)]>,
    /// Fields and text counts computed on demand, and columns of joined files.
    pub(in crate::dataset) later: LaterColumns,
}

/// Columns read after the scan. Entries are added while other threads read, and never move or
/// change.
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

    /// Adds a column, unless another thread already added it (with the same values).
    pub fn add(&self, id: ColumnId, values: ColumnData) {
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
    /// Returns a column; `None` if the schema lacks it, or if it is counted in texts or of a joined
    /// file and that was not read yet.
    ///
    /// A stated winner ([`crate::model::Verdict::code`]) and margin are columns too.
    pub fn get(&self, id: ColumnId) -> Option<&ColumnData> {
        if id.source.reads_texts() || id.source.is_joined() {
            return self.later.get(id);
        }
        let (_, data) = self.columns.iter().find(|(known, _)| *known == id)?;
        // An omitted column must not pass for an empty one.
        assert!(
            !matches!(data, ColumnData::UnusedSettings),
            "{id:?} is read but was omitted from the columns"
        );
        Some(data)
    }

    /// Returns the lists of a numeric column: one for samples, or one for each response.
    pub fn numbers(&self, id: ColumnId) -> Option<&[Values]> {
        self.get(id)?.numbers()
    }

    /// Returns a numeric column of samples.
    pub fn of_samples(&self, id: ColumnId) -> Option<&Values> {
        self.numbers(id)?.first()
    }

    /// Returns the lists of a column of words: one for samples, or one for each response.
    pub fn words(&self, id: ColumnId) -> Option<&[WordColumn]> {
        match self.get(id)? {
            ColumnData::Words(lists) => Some(lists),
            _ => None,
        }
    }

    /// Returns the annotators' values: one list for samples, or one for each response.
    pub fn annotations(&self, id: ColumnId) -> Option<&[AnnotationColumn]> {
        match self.get(id)? {
            ColumnData::Annotations(lists) => Some(lists),
            _ => None,
        }
    }

    /// Iterates over the columns packed during the scan.
    pub fn all(&self) -> impl Iterator<Item = (ColumnId, &ColumnData)> {
        self.columns.iter().map(|(id, data)| (*id, data))
    }
}
