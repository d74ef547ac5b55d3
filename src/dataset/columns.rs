//! Columns: what a query asks of samples most often, packed while the rows are scanned, so that
//! filtering by labels never touches the text again.
//!
//! Each list has one entry a sample, in the order of the chunk's samples, so that whole stretches
//! are compared at once. What is of responses has a list for each response that samples of the
//! chunk have, A's first; a sample with fewer has nothing in the rest. So a comparison over pairs
//! runs over two lists without looking up which value belongs to which sample.

use std::sync::OnceLock;

use crate::table::{AnnotationColumn, ColumnData, ColumnId, Values, WordColumn};

/// The columns of the samples that a chunk completes. What is counted in texts is added once
/// somebody asks for it, while others read the rest; what is there stays as it is.
#[derive(Debug, Default)]
pub struct ChunkColumns {
    /// How many responses each has; 0 for a malformed row.
    pub responses: Box<[u16]>,
    /// Whether any text of its samples does not stand in their lines as it is but for escapes.
    pub(super) is_composed: bool,
    /// Whether anything of its rows was read leniently, or a value is one that its field cannot
    /// have; never of malformed rows.
    pub flagged: Box<[bool]>,
    /// In any order; the slot of a column that is counted in texts is empty until somebody asks for it.
    pub(super) columns: Box<[(ColumnId, OnceLock<ColumnData>)]>,
    /// The fields that somebody asked for, in the order in which they were read.
    pub(super) fields: FieldList,
}

/// Fields with their values. Entries are added while others read, and never move or change.
#[derive(Debug, Default)]
pub struct FieldList(OnceLock<Box<FieldEntry>>);

#[derive(Debug)]
struct FieldEntry {
    id: ColumnId,
    values: ColumnData,
    rest: FieldList,
}

impl FieldList {
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

    fn add(&self, id: ColumnId, values: ColumnData) {
        let rest = Self::default();
        let (mut list, mut new) = (self, Box::new(FieldEntry { id, values, rest }));
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
    /// Room for these columns, and for those that are counted in texts.
    pub(super) fn slots(
        columns: Vec<(ColumnId, ColumnData)>,
    ) -> Box<[(ColumnId, OnceLock<ColumnData>)]> {
        let known = columns.into_iter().map(|(id, data)| (id, data.into()));
        let in_texts = ColumnId::built_in().filter(|column| column.source.reads_texts());
        let in_texts = in_texts.map(|column| (column, OnceLock::new()));
        known.chain(in_texts).collect()
    }

    /// The values of a column; `None` where rows of the schema have none, and of what is counted in
    /// texts while that was not done.
    ///
    /// Who wins is stored where rows state it ([`crate::model::Verdict::code`]), and so is by how much.
    pub fn get(&self, id: ColumnId) -> Option<&ColumnData> {
        if id.source.field().is_some() {
            return self.fields.get(id);
        }
        let data = self.slot(id)?.get();
        // What is missing counts as none: no answer may come of that.
        assert!(
            !matches!(data, Some(ColumnData::LeftOut)),
            "{id:?} was left out of the columns and is asked for"
        );
        data
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

    /// All that are known, each with its values.
    pub fn all(&self) -> impl Iterator<Item = (ColumnId, &ColumnData)> {
        let columns = self.columns.iter();
        columns.filter_map(|(id, data)| Some((*id, data.get()?)))
    }

    /// Keeps what was counted in texts; what was there before stays, which is the same.
    pub(super) fn keep(&self, id: ColumnId, counted: ColumnData) {
        if id.source.field().is_some() {
            return self.fields.add(id, counted);
        }
        // Two threads may have counted it at the same time.
        let _ = self.slot(id).map(|slot| slot.set(counted));
    }

    fn slot(&self, id: ColumnId) -> Option<&OnceLock<ColumnData>> {
        let found = self.columns.iter().find(|(known, _)| *known == id);
        found.map(|(_, slot)| slot)
    }
}
