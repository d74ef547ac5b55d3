//! Reads rows by a schema: one scan of a line captures the needed values unparsed and skips the
//! rest.
//!
//! [`Schema::row`] is what the index uses on every line (it borrows, allocates one small list and
//! decodes no string); [`CapturedRow::record`] decodes the row for display.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::keys::same_text;
use super::lines::{RowReader, kind_of, missing};
use super::messages;
use super::path::Tree;
use super::path::values_at;
use super::record_scan::{CapturedValue, RecordLayout, ScannedRecord, scan_record};
use super::slots::{NestedSlot, ResponseSlots, Slots, TextSlot};
use super::turns::MarkerFinder;
use super::values::{decoded_quotes, holds_nothing, invalid_value, spelled_quotes, string};
use crate::json::items;
use crate::json::strings::text;
use crate::model::{ReadWarning, Record, Response, ResponseId, RowError, Votes};
use crate::schema::fields::FieldLayout;
use crate::schema::layout::definition::{Definition, Label, ResponsePaths, RowGrouping};
use crate::schema::verdict::SchemaRater;
use crate::table::Path;
use crate::table::{Column, CountedColumns};

/// Number of slots for a list of responses, if no list in the first records is longer.
pub const MIN_PLACES: usize = 26;

/// A definition prepared for reading lines.
#[derive(Debug)]
pub struct Schema {
    pub(in crate::schema) definition: Definition,
    pub(in crate::schema) tree: Tree,
    pub(in crate::schema) slots: Slots,
    pub(super) finder: Option<MarkerFinder>,
    counted: CountedColumns,
    columns: Box<[Column]>,
    raters: Vec<SchemaRater>,
    pub(in crate::schema) fields: Arc<FieldLayout>,
}

impl Schema {
    /// Prepares a definition.
    pub fn new(definition: Definition) -> Self {
        Self::with_places(definition, MIN_PLACES)
    }

    /// Prepares a definition with `places` slots for each list of responses.
    pub(in crate::schema) fn with_places(definition: Definition, places: usize) -> Self {
        let mut tree = Tree::default();
        Self {
            slots: Slots::of(&definition, places, &mut tree),
            finder: definition.turns.as_ref().map(MarkerFinder::new),
            counted: CountedColumns::of(|requirement| definition.meets(requirement)),
            columns: definition.columns().collect(),
            raters: definition.prepared_raters(),
            fields: Arc::new(FieldLayout::of(&definition)),
            definition,
            tree,
        }
    }

    /// Returns its columns: labels and scores, then facts, each in schema order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the raters beside its verdict, by name.
    pub fn raters(&self) -> &[SchemaRater] {
        &self.raters
    }

    /// Returns the counts that can be taken while its rows are scanned.
    pub fn counted(&self) -> &CountedColumns {
        &self.counted
    }

    /// Returns the definition that it was prepared from.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns its labels and scores, in the order of every `ratings` list.
    pub fn labels(&self) -> &[Label] {
        &self.definition.labels
    }

    /// True if a row is one response, and several rows can make a sample.
    pub fn joins_rows(&self) -> bool {
        self.definition.joins_rows()
    }

    /// Maximum number of annotators' rows in a sample; further rows begin another.
    const MAX_ROWS_OF_ANNOTATORS: usize = 1000;

    /// Returns the maximum number of rows in a sample, at least 1.
    pub fn most_rows(&self) -> usize {
        match self.definition.rows {
            RowGrouping::Inline => 1,
            RowGrouping::Adjacent => 2,
            RowGrouping::Groups => MAX_ROWS,
            RowGrouping::Annotations => Self::MAX_ROWS_OF_ANNOTATORS,
        }
    }

    /// True if a key identifies the rows of a sample, which can be anywhere in the file. Otherwise
    /// they are adjacent.
    pub fn groups_by_key(&self) -> bool {
        !self.definition.group.is_empty()
    }

    /// Captures the needed values of a line (without its line break) and checks that prompt and
    /// responses are texts.
    ///
    /// # Errors
    /// If the line is not one JSON value, or its prompt or a response is missing or not a text.
    /// Other invalid values count as missing; [`CapturedRow::record`] reports them. Some lines that
    /// are not quite JSON can be read after [`repair()`](crate::schema::repair()).
    pub fn row<'r>(&self, line: &'r [u8]) -> Result<CapturedRow<'_, 'r>, RowError> {
        RowReader::new(self).row(line)
    }

    /// Returns the index of a label in the schema.
    pub(in crate::schema) fn place_of(&self, label: &str) -> Option<usize> {
        self.definition
            .labels
            .iter()
            .position(|known| known.name == label)
    }
}

/// Maximum number of rows in a sample, so that a file of rows with one prompt is not one sample of
/// millions of responses.
const MAX_ROWS: usize = u16::MAX as usize;

/// The needed values of one line, captured but not decoded.
#[derive(Debug)]
pub struct CapturedRow<'s, 'r> {
    pub(in crate::schema) schema: &'s Schema,
    line: &'r [u8],
    pub(in crate::schema) values: Vec<Option<CapturedValue<'r>>>,
    /// Warnings about values that do not match the paths.
    anomalies: Vec<ReadWarning>,
    /// For each response that the row has, its index among the response slots.
    places: Vec<usize>,
    /// Number of quotes of each response; empty if the schema has none.
    pub(super) quotes: Vec<usize>,
    /// True if any response has invalid quotes.
    has_invalid_quotes: bool,
    /// True if any of its texts may differ from the line by more than escapes.
    pub(super) is_composed: bool,
    /// True if it lacks a response that other rows have.
    lacks_response: bool,
}

impl<'s, 'r> CapturedRow<'s, 'r> {
    /// Creates an empty row, to be captured into.
    pub(super) fn of(schema: &'s Schema) -> Self {
        Self {
            schema,
            line: b"",
            values: vec![None; schema.tree.len()],
            places: Vec::new(),
            anomalies: Vec::new(),
            quotes: Vec::new(),
            has_invalid_quotes: false,
            is_composed: false,
            lacks_response: false,
        }
    }

    /// Captures the record that begins at `start`, by the layout of the previous one if possible.
    pub(super) fn scan(
        &mut self,
        layout: &mut RecordLayout,
        lines: &'r [u8],
        start: usize,
    ) -> Option<ScannedRecord> {
        let (values, anomalies) = (&mut self.values, &mut self.anomalies);
        scan_record(&self.schema.tree, layout, lines, start, values, anomalies)
    }

    /// Hashes the prompt, decoded: equal prompts have equal hashes.
    pub fn prompt_hash(&self) -> u64 {
        let prompt = self.schema.slots.prompt.iter();
        self.hash(prompt.flat_map(|prompt| prompt.slots().chain(prompt.beside.iter().copied())))
    }

    /// Hashes captured values. Strings are decoded first, so their spelling does not matter.
    pub(super) fn hash(&self, slots: impl Iterator<Item = usize>) -> u64 {
        let mut hasher = DefaultHasher::new();
        for slot in slots {
            let spelling = self.value(slot);
            match spelling.map(string) {
                Some(Ok((text, _))) => text.hash(&mut hasher),
                Some(Err(_)) | None => spelling.hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    /// Returns the slots of the responses that the row has.
    pub(in crate::schema) fn responses(&self) -> impl Iterator<Item = &ResponseSlots> {
        let slots = &self.schema.slots.responses;
        self.places.iter().filter_map(|place| slots.get(*place))
    }

    /// Converts an index among all response slots to one on the row; `None` if the row lacks the
    /// response.
    pub(super) fn place_of_response(&self, slot: usize) -> Option<usize> {
        self.places.iter().position(|place| *place == slot)
    }

    /// Number of responses that the row has, at least 1.
    pub fn response_count(&self) -> usize {
        self.places.len()
    }

    /// Counts the needed values that are not null: a measure of how well the schema fits the line.
    pub(in crate::schema) fn filled(&self) -> usize {
        self.values
            .iter()
            .flatten()
            .filter(|value| value.spelling != "null")
            .count()
    }

    /// Decodes the row.
    ///
    /// # Errors
    /// If a text or a list of messages is not of the shape that its path promises.
    pub fn record(&self) -> Result<Record<'r>, RowError> {
        let mut warnings = Vec::new();
        let (prompt, texts) = self.texts(&mut warnings)?;
        let mut responses = Vec::with_capacity(texts.len());
        for (place, (slots, text)) in self.responses().zip(texts).enumerate() {
            responses.push(self.response(place, slots, text, &mut warnings));
        }
        let lacks_response = self.lacks_response.then_some(ReadWarning::MissingResponse);
        warnings.extend(lacks_response);
        warnings.extend(self.has_more().then_some(ReadWarning::MoreResponses));
        let outcome = self.own_outcome(&responses);
        warnings.extend(self.read_verdict().err().map(ReadWarning::invalid));
        let facts = self.facts(&mut warnings);
        let rationales = self.rationales(&mut warnings);
        let votes = match self.schema.definition.has_votes() {
            true => self.named_votes(outcome.as_ref(), &mut warnings),
            false => Votes::default(),
        };
        warnings.extend(self.anomalies.iter().cloned());
        warnings.extend(
            self.has_differing_prompts()
                .then_some(ReadWarning::PromptsDiffer),
        );
        warnings.sort_unstable();
        warnings.dedup();
        Ok(Record {
            prompt,
            responses,
            outcome,
            facts,
            rationales,
            votes,
            warnings,
        })
    }

    /// Returns the row as JSON.
    pub fn line(&self) -> &'r [u8] {
        self.line
    }

    pub(in crate::schema) fn value(&self, slot: usize) -> Option<&'r str> {
        self.values[slot].map(|value| value.spelling)
    }

    /// Returns the characters and lines of a captured string's text; `None` for other values.
    pub(super) fn text_size(&self, slot: usize) -> Option<[u32; 2]> {
        self.values[slot]?.text_size()
    }

    /// True if a captured string has a `\uXXXX` escape.
    pub(super) fn has_unicode_escape(&self, slot: usize) -> bool {
        self.values[slot].is_some_and(|value| value.has_unicode_escape)
    }

    /// Returns the byte column, from 1, of a captured value in its line.
    fn column(&self, value: &str) -> usize {
        (value.as_ptr() as usize).saturating_sub(self.line.as_ptr() as usize) + 1
    }

    /// Checks that the line has a prompt and responses; `items` is its length if it is a list.
    pub(super) fn check(&mut self, line: &'r [u8], items: Option<usize>) -> Result<(), RowError> {
        let schema = self.schema;
        let definition = &schema.definition;
        self.line = line;
        self.places.clear();
        self.quotes.clear();
        (
            self.has_invalid_quotes,
            self.is_composed,
            self.lacks_response,
        ) = (false, false, false);
        if let Some((items, count)) = items.zip(definition.items).filter(|(is, of)| is != of) {
            let reason = format!("a list of {items} elements, expected {count}");
            return Err(RowError { column: 1, reason });
        }
        if let (Some(slots), Some(prompt)) = (&schema.slots.prompt, &definition.prompt) {
            self.is_composed |= slots.only_text().is_none();
            // Of several prompt texts, some may be missing but not all.
            let mut is_missing = true;
            for (&text, path) in slots.texts.iter().zip(&prompt.path) {
                if slots.texts.len() == 1 || self.is_there(text.slot) {
                    self.check_text(text, Some(path))?;
                    is_missing = false;
                }
            }
            if is_missing {
                return Err(missing(prompt.path.first()));
            }
            if let Some(system) = slots.system.filter(|system| self.is_there(system.slot)) {
                self.check_text(system, prompt.system.as_ref())?;
            }
        }
        let has_quotes = definition.has_quotes();
        for (place, slots) in schema.slots.responses.iter().enumerate() {
            let paths = definition.responses.get(slots.table);
            if slots.is_optional && !self.is_there(slots.text.slot) {
                let is_expected = paths.is_some_and(|paths| paths.is_optional);
                self.lacks_response |= is_expected && !schema.joins_rows();
                continue;
            }
            if !self.places.is_empty() && schema.joins_rows() {
                let value = self.value(slots.text.slot).unwrap_or_default();
                let path = paths
                    .map(|paths| &paths.text)
                    .map(Path::to_string)
                    .unwrap_or_default();
                let what = format!("{path} is a second response; a row of this layout has one");
                return Err(self.row_error(value, what));
            }
            self.check_text(slots.text, paths.map(|paths| &paths.text))?;
            self.is_composed |= slots.text.is_json;
            self.places.push(place);
            if has_quotes {
                let quotes = slots
                    .quotes
                    .filter(|&slot| self.is_there(slot))
                    .and_then(|slot| self.value(slot))
                    .map(spelled_quotes);
                self.has_invalid_quotes |= quotes == Some(None);
                self.quotes.push(quotes.flatten().map_or(0, |it| it.len()));
            }
        }
        if self.places.is_empty() {
            let path = definition.responses.first().map(ResponsePaths::whole_path);
            return Err(missing(path.as_ref()));
        }
        self.check_lists();
        Ok(())
    }

    /// Reports values where facts or texts are the elements of a list, and there is none.
    fn check_lists(&mut self) {
        let Slots { facts, texts, .. } = &self.schema.slots;
        for nested in facts.iter().chain(texts.iter().map(|text| &text.nested)) {
            let value = self.value(nested.slot).filter(|_| nested.is_of_list());
            let is_wrong = |it: &&str| !it.starts_with(['[', '{']) && !holds_nothing(it);
            if let Some(value) = value.filter(is_wrong) {
                let what = invalid_value(&nested.start.to_string(), value, "not a list");
                let anomaly = ReadWarning::invalid(what);
                if !self.anomalies.contains(&anomaly) {
                    self.anomalies.push(anomaly);
                }
            }
        }
    }

    /// Calls `show` with the values of a nested slot that are there, as spelled, each with its index if
    /// they are of a list.
    pub(in crate::schema) fn nested_values(
        &self,
        nested: &NestedSlot,
        show: &mut dyn FnMut(Option<usize>, &'r str),
    ) {
        let mut show = |place, value: &'r str| {
            if self.is_value(value) {
                show(place, value);
            }
        };
        let Some((_, onward)) = nested.rest.steps().split_first() else {
            return (self.value(nested.slot).into_iter()).for_each(|value| show(None, value));
        };
        self.elements(nested, &mut |place, element| {
            let _ = values_at(element, onward, None, &mut |value| {
                (text(value).into_iter()).for_each(|value| show(Some(place), value));
            });
        });
    }

    /// Calls `show` with the elements of a list, or the members of an object, each with its index.
    pub(super) fn elements(&self, nested: &NestedSlot, show: &mut dyn FnMut(usize, &'r [u8])) {
        let list = self
            .value(nested.slot)
            .filter(|it| it.starts_with(['[', '{']));
        let all = list
            .into_iter()
            .flat_map(|list| items(list.as_bytes()))
            .flatten();
        all.enumerate()
            .for_each(|(place, (_, element))| show(place, element));
    }

    /// True if the row has more responses than slots.
    fn has_more(&self) -> bool {
        let is_there = |&slot: &usize| self.is_there(slot);
        self.schema.slots.beyond.iter().any(is_there)
    }

    /// True if a value is present and not null. Without texts, null counts: a null score keeps its
    /// place in a list.
    pub(in crate::schema) fn is_there(&self, slot: usize) -> bool {
        self.value(slot).is_some_and(|value| self.is_value(value))
    }

    pub(super) fn is_value(&self, value: &str) -> bool {
        value != "null" || !self.schema.definition.has_texts()
    }

    /// Returns a value that is not null, with its path.
    fn non_null<'p>(
        &self,
        slot: Option<usize>,
        path: Option<&'p Path>,
    ) -> Option<(&'r str, &'p Path)> {
        Some((self.value(slot?).filter(|value| *value != "null")?, path?))
    }

    fn check_text(&mut self, text: TextSlot, path: Option<&Path>) -> Result<(), RowError> {
        let named = || path.map(Path::to_string).unwrap_or_default();
        match self.value(text.slot) {
            _ if !self.schema.definition.has_texts() => Ok(()),
            // Faster than a `char` pattern, which compiles to a call.
            Some(value) if matches!(value.as_bytes(), [b'"', ..]) => Ok(()),
            Some(value) if value.starts_with(['[', '{']) => match messages::are_composed(value) {
                Some(is_composed) => {
                    self.is_composed |= is_composed;
                    Ok(())
                }
                None if self.is_lenient() || self.is_exchange(value) => {
                    self.is_composed = true;
                    Ok(())
                }
                None if value.starts_with('[') => {
                    let what = "is a list, but not of {role, content} messages";
                    Err(self.row_error(value, format!("{} {what}", named())))
                }
                None => Err(self.row_error(value, format!("{} is an object, not text", named()))),
            },
            Some(value) if self.is_lenient() && value != "null" => {
                self.is_composed = true;
                Ok(())
            }
            Some(value) => {
                let reason = format!("{} is {}, not text", named(), kind_of(value));
                Err(self.row_error(value, reason))
            }
            None => Err(missing(path)),
        }
    }

    /// True if values of any kind are shown as text.
    pub(super) fn is_lenient(&self) -> bool {
        self.schema.definition.lenient
    }

    fn row_error(&self, value: &str, reason: String) -> RowError {
        RowError {
            column: self.column(value),
            reason,
        }
    }

    /// True if the verdict, a list of quotes, or a text about the sample is invalid and
    /// counts as missing. Votes are checked by [`Self::read_votes`].
    pub(in crate::schema) fn has_invalid_value_except_labels(&self) -> bool {
        let is_misplaced = |warning| matches!(warning, &ReadWarning::InvalidValue { .. });
        self.anomalies.iter().any(is_misplaced)
            || self.has_invalid_quotes
            || self.read_verdict().is_err()
            || !self.invalid_rationales().is_empty()
    }

    /// True if [`Self::record`] has a warning, provided that no value is invalid. Decodes only rows
    /// with assembled texts or lone surrogates.
    pub(super) fn has_warning(&self) -> bool {
        self.lacks_response
            || self.has_more()
            || self.has_differing_prompts()
            || !self.anomalies.is_empty()
            || (self.is_composed || self.values.iter().flatten().any(|it| it.has_lone_surrogate))
                && self
                    .record()
                    .is_ok_and(|record| !record.warnings.is_empty())
    }

    /// True if it has a prompt for each response, and these differ.
    pub(in crate::schema) fn has_differing_prompts(&self) -> bool {
        let mut alike = self
            .schema
            .slots
            .same
            .iter()
            .filter_map(|&slot| self.value(slot));
        alike
            .next()
            .is_some_and(|first| alike.any(|other| !same_text(first, other)))
    }

    /// Completes a response with its other values. Adds warnings about invalid ones.
    fn response(
        &self,
        place: usize,
        slots: &ResponseSlots,
        text: Response<'r>,
        warnings: &mut Vec<ReadWarning>,
    ) -> Response<'r> {
        let definition = &self.schema.definition;
        let Some(paths) = definition.responses.get(slots.table) else {
            return text;
        };
        // With one response on the row, its number is only known once rows are paired.
        let is_one_of_several = self.response_count() > 1;
        let of = ResponseId::new(place).filter(|_| is_one_of_several);
        let mut is_odd = |what| warnings.push(ReadWarning::InvalidValue { response: of, what });
        let mut ratings = Vec::with_capacity(definition.labels.len());
        let mut annotations = Vec::new();
        for (&slot, label) in slots.ratings.iter().zip(&definition.labels) {
            annotations.push(self.annotations(slot, label));
            let rating = slot.map_or(Ok(None), |slot| self.rating(slot, label));
            ratings.push(rating.unwrap_or_else(|what| {
                is_odd(what);
                None
            }));
        }
        let quotes = self.non_null(slots.quotes, paths.quotes.as_ref());
        let quotes = quotes.and_then(|(value, path)| match decoded_quotes(value) {
            Some((quotes, warning)) => {
                warnings.extend(warning);
                Some(quotes)
            }
            None => {
                let shape = "neither {title, extract} lists nor a list of {title, extract}";
                let what = invalid_value(&path.to_string(), value, shape);
                warnings.push(ReadWarning::InvalidValue { response: of, what });
                None
            }
        });
        annotations.truncate(
            annotations
                .iter()
                .rposition(Option::is_some)
                .map_or(0, |at| at + 1),
        );
        Response {
            ratings,
            annotations,
            quotes,
            ..text
        }
    }

    /// Adds the warnings of a decoded value; returns the value, or the error with its column.
    pub(super) fn noted<T>(
        &self,
        value: &str,
        decoded: Result<(T, impl IntoIterator<Item = ReadWarning>), String>,
        warnings: &mut Vec<ReadWarning>,
    ) -> Result<T, RowError> {
        let (decoded, found) = decoded.map_err(|reason| self.row_error(value, reason))?;
        warnings.extend(found);
        Ok(decoded)
    }
}
