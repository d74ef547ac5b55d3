//! Loads a dataset in the background: opens files, detects their schemas, scans and groups rows,
//! and reports events.
//!
//! Events arrive in order and suffice to build the dataset: each file, then its chunks. The first
//! chunks are small so that the user can start reading. `join/load_joined.rs` opens all files first,
//! so that wrong names are reported immediately. They are read one after the other, so that rows
//! appear while a later pipe is silent. All cores scan waves of segments ([`super::waves`]), while earlier
//! ones are joined, which is cheap.

use std::sync::Arc;

use super::events::{Listener, LoadError, LoadEvent, report};
use super::load_position::{FileCursor, LoadPosition};
use super::sample_window::schema_of;
use super::shards::{is_next_part, splits};
use super::waves::ScanPace;
use crate::dataset::{DatasetFile, FileFields, FileRelation};
use crate::schema::{Path, Schema, SchemaChoice};
use crate::source::{Input, RowSearch, Source};

/// Maximum number of files, the current one included, that are decoded at a time if there are many.
const DECODED_AHEAD: usize = 8;

/// A file to join.
#[derive(Debug, Clone)]
pub struct JoinInput {
    /// Prefix of its columns; defaults to the file name.
    pub name: Option<String>,
    /// The file.
    pub input: Input,
    /// How to choose its schema.
    pub choice: SchemaChoice,
}

/// How the rows of two files are matched.
#[derive(Debug, Clone, Default)]
pub enum JoinOn {
    /// By prompt and response, in any order of the responses.
    #[default]
    Content,
    /// By row number.
    Row,
    /// By the value of a field that exists in both files.
    Field(Path),
}

/// What to load, and how.
#[derive(Debug, Clone, Default)]
pub struct Loader {
    /// Files, in order.
    pub inputs: Vec<Input>,
    /// How to choose their schema.
    pub choice: SchemaChoice,
    /// Files to join.
    pub joins: Vec<JoinInput>,
    /// How to match joined files.
    pub join_on: JoinOn,
    /// Fields by which rows are grouped into samples, in any order of rows; an empty list means the
    /// prompt. If `None`, the schema defines which rows make a sample.
    pub group_by: Option<Vec<Path>>,
    /// Whether samples combine the rows of two inputs, grouped by [`Self::group_by`]. Otherwise
    /// each input has separate samples.
    pub is_against: bool,
    /// Whether the last input is compared with the others, which then count as one split.
    pub is_last_apart: bool,
    /// Whether the inputs grow while they are open.
    pub follow: bool,
}

impl Loader {
    /// Iterates over all inputs: files of the dataset, and joined ones.
    pub fn all_inputs(&self) -> impl Iterator<Item = &Input> {
        let joins = self.joins.iter().map(|join| &join.input);
        self.inputs.iter().chain(joins)
    }

    /// Loads open files and reports all events except [`LoadEvent::Done`].
    ///
    /// # Errors
    /// As [`Self::run`], and [`LoadError::Stopped`] if cancelled.
    pub(in crate::dataset) fn load_at(
        &self,
        pace: ScanPace,
        sources: &[Arc<Source>],
        listener: &mut dyn Listener,
    ) -> Result<(), LoadError> {
        let mut rows = LoadPosition::new(pace, listener);
        let mut splits = splits(sources.iter().map(|source| source.name()));
        if let Some((last, others)) = splits.split_last_mut().filter(|_| self.is_last_apart) {
            // A prompt has one leak; it must be into the last file.
            others.fill(0);
            *last = sources.len() as u32;
        }
        let mut first = None;
        for (place, source) in sources.iter().enumerate() {
            sources
                .iter()
                .skip(place)
                .take(DECODED_AHEAD)
                .for_each(|source| source.start_decoding());
            let chosen = self
                .schema_after(rows.open.as_ref(), source, rows.listener)
                .and_then(|schema| self.joint_schema(source, schema, &mut first));
            match chosen {
                Ok(schema) => {
                    let is_of_split = splits.get(place + 1) == splits.get(place);
                    let next = sources.get(place + 1);
                    let next = next.map_or(FileRelation::Separate, |next| {
                        self.relation(source, next, is_of_split)
                    });
                    let file = DatasetFile {
                        source: Arc::clone(source),
                        fields: FileFields::new(Arc::clone(source), &schema).into(),
                        schema,
                        relation: FileRelation::Separate,
                        split: splits.get(place).copied().unwrap_or_default(),
                    };
                    rows.take_file(file, next)?;
                }
                // Without one of the two files, no sample is complete.
                Err(error) if self.is_against || matches!(error, LoadError::Stopped) => {
                    return Err(error);
                }
                // If the file changed meanwhile, report that instead.
                Err(error) if rows.next.first_row == 0 => {
                    return Err(source.check_unchanged().map_or_else(Into::into, |()| error));
                }
                Err(error) => {
                    rows.finish()?;
                    report(rows.listener, LoadEvent::Error(error))?;
                }
            }
        }
        rows.finish()
    }

    /// Returns how the rows of a file can relate to the samples of the previous one, judging by
    /// names and options.
    fn relation(&self, before: &Source, file: &Source, is_of_split: bool) -> FileRelation {
        if self.is_against {
            FileRelation::Against
        } else if self.group_by.is_some() || is_of_split && is_next_part(before.name(), file.name())
        {
            FileRelation::NextPart
        } else {
            FileRelation::Separate
        }
    }

    /// Returns the schema of a file: that of the previous file if this is the next part of its
    /// split and that schema can read it, otherwise its own.
    fn schema_after(
        &self,
        before: Option<&(FileCursor, FileRelation)>,
        source: &Source,
        listener: &dyn Listener,
    ) -> Result<Arc<Schema>, LoadError> {
        if let Some((before, FileRelation::NextPart)) = before {
            let choice = SchemaChoice::Named(Arc::clone(&before.file.schema));
            if let Ok(schema) = schema_of(&choice, source, listener) {
                return Ok(schema);
            }
        }
        schema_of(&self.choice, source, listener)
    }

    /// Returns the schema changed to group rows, if rows are grouped. `first` is the schema of the
    /// first file if rows of several files are grouped.
    fn joint_schema(
        &self,
        source: &Source,
        schema: Arc<Schema>,
        first: &mut Option<Arc<Schema>>,
    ) -> Result<Arc<Schema>, LoadError> {
        let Some(fields) = &self.group_by else {
            return Ok(schema);
        };
        let refused = |reason: String| LoadError::rows(source, reason);
        let title = &schema.definition().title;
        if let Some(first) = first {
            return if first.definition().title == *title {
                Ok(Arc::clone(first))
            } else {
                Err(refused(format!(
                    "its rows are {title}, but those of the other file are {}; choose one layout with --schema or --map",
                    first.definition().title
                )))
            };
        }
        let advice = if self.is_against {
            "; match rows with one response by a field (--on FIELD)"
        } else {
            "; read it without --group-by"
        };
        // Rows of two files are matched response by response.
        let can_join = !self.is_against || schema.responses() == 1;
        let joint = can_join
            .then(|| schema.grouped(fields))
            .flatten()
            .ok_or_else(|| {
                refused(format!(
                    "its rows ({title}) do not contain one response to one prompt each{advice}"
                ))
            })?;
        let joint = Arc::new(joint);
        if self.is_against {
            *first = Some(Arc::clone(&joint));
        }
        Ok(joint)
    }
}

/// Returns how to search for rows with this choice of schema.
pub fn row_search(choice: &SchemaChoice) -> RowSearch {
    let choice = choice.clone();
    RowSearch::new(move |line| choice.reads(line))
}

/// Opens an input with this choice of schema.
///
/// # Errors
/// If it cannot be opened.
pub fn open_input(input: &Input, choice: &SchemaChoice) -> Result<Arc<Source>, LoadError> {
    Ok(Source::open_rows(input, row_search(choice))?)
}
