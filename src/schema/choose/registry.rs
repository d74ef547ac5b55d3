//! Chooses the schema of a file: from the catalog by name or by the first lines, or else a guess.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use memchr::memchr;
use serde::de::IgnoredAny;
use thiserror::Error;

use super::advice;
use super::catalog::{KnownSchema, SchemaCatalog};
use crate::model::RowError;
use crate::schema::guess::{self, Choices, Guess, Reading};
use crate::schema::layout::definition::{Definition, ResponsePaths};
use crate::schema::row::reader::{CapturedRow, MIN_PLACES};
use crate::schema::row::repair::repair;
use crate::schema::row::slots::{RatingSlot, ResponseSlots, Slots, TextSlot};
use crate::schema::row::strings;
use crate::schema::{FieldSurvey, Schema};
use crate::source::lines::refusal;
use crate::table::Path;
use crate::toml_file::FileFault;

/// How the schema of a file is chosen.
#[derive(Debug, Clone)]
pub enum SchemaChoice {
    /// Detected by content, among this catalog and guesses.
    Detect(SchemaCatalog),
    /// Named by the user.
    Named(Arc<Schema>),
    /// By paths given on the command line.
    Mapped(Choices),
    /// Prepared elsewhere, and used without checking the file.
    Ready(Arc<Schema>),
    /// Another choice, with the scores next to the responses ([`Schema::with_scores`]).
    WithScores(Box<SchemaChoice>),
    /// Another choice, unless it is a doubtful guess.
    Strict(Box<SchemaChoice>),
    /// For rows without texts: scores, or only winners if `is_winner`.
    WithoutTexts {
        /// The field that matches rows.
        key: Option<Path>,
        /// True if only the winner is read.
        is_winner: bool,
    },
}

impl Default for SchemaChoice {
    fn default() -> Self {
        Self::Detect(SchemaCatalog::default())
    }
}

/// Why no schema could be chosen.
#[derive(Debug, Error)]
pub enum SchemaChoiceError {
    /// `--schema` has an unknown name; suggests similar ones.
    #[error("{0} (visavis schemas lists them; the path of a .toml file also works)")]
    Unknown(String),
    /// The schema file cannot be read or is invalid.
    #[error(transparent)]
    File(#[from] FileFault),
    /// The first records cannot be read, at least not with the named schema.
    #[error("{0}")]
    Unreadable(String),
    /// The layout is guessed, and doubtful.
    #[error("the layout is guessed and doubtful: {0}; set it with --map or --schema")]
    Doubtful(String),
    /// The records are JSON, but contain nothing that looks like a prompt with responses.
    #[error("no prompt and responses found in its records, which have {keys}; {advice}")]
    NothingToShow {
        /// The keys of the first record.
        keys: String,
        /// What to do.
        advice: String,
    },
}

impl SchemaChoice {
    /// Returns the schema if the first line is conclusive: a schema of the catalog can read it, or
    /// the named one can.
    pub fn schema_of_first_line(&self, first: &[u8]) -> Option<Arc<Schema>> {
        let first = readable(first);
        let reads = |schema: &Arc<Schema>| schema.row(&first).is_ok();
        let lines = std::slice::from_ref(&first);
        let schema = match self {
            Self::Ready(schema) => return Some(schema.clone()),
            Self::Named(schema) => Some(schema.clone()).filter(reads),
            Self::Detect(catalog) => {
                (is_record(&first).then(|| of_first(catalog, &first))).flatten()
            }
            _ => None,
        };
        schema.map(|schema| with_room(schema, lines))
    }

    /// True if a file of only this line would be a row.
    pub fn reads(&self, line: &[u8]) -> bool {
        match self {
            Self::Ready(schema) => schema.row(line).is_ok(),
            choice => !is_keyed_file(line) && choice.schema(&[line]).is_ok(),
        }
    }

    /// Chooses the schema for a file that begins with these lines (none of them blank).
    ///
    /// # Errors
    /// If none can be chosen; see [`SchemaChoiceError`].
    pub fn schema(&self, lines: &[&[u8]]) -> Result<Arc<Schema>, SchemaChoiceError> {
        let lines: Vec<_> = lines.iter().map(|line| readable(line)).collect();
        self.schema_of(&lines)
    }

    /// [`Self::schema`] for lines that were made readable.
    fn schema_of(&self, lines: &[Cow<'_, [u8]>]) -> Result<Arc<Schema>, SchemaChoiceError> {
        self.chosen(lines).map(|schema| with_room(schema, lines))
    }

    /// Chooses the schema, with the usual number of slots for lists of responses.
    fn chosen(&self, lines: &[Cow<'_, [u8]>]) -> Result<Arc<Schema>, SchemaChoiceError> {
        match self {
            Self::Named(schema) => checked(schema.clone(), lines),
            Self::Mapped(map) => {
                checked(prepared(map.of_records(&records(lines)), "--map")?, lines)
            }
            Self::Ready(schema) => Ok(schema.clone()),
            Self::Strict(choice) => {
                let schema = choice.schema_of(lines)?;
                let doubts: Vec<_> = schema
                    .definition()
                    .guess
                    .iter()
                    .flat_map(Guess::doubtful)
                    .collect();
                if doubts.is_empty() {
                    Ok(schema)
                } else {
                    Err(SchemaChoiceError::Doubtful(doubts.join("; ")))
                }
            }
            Self::WithScores(choice) => {
                let schema = choice.schema_of(lines)?;
                let scored = schema.with_scores(&records(lines));
                Ok(scored.map_or(schema, Arc::new))
            }
            Self::WithoutTexts { key, is_winner } => {
                let records = records(lines);
                let definition = guess::without_texts(&records, key.as_ref(), *is_winner);
                let nothing = || SchemaChoiceError::NothingToShow {
                    keys: guess::keys(&records),
                    advice: String::new(),
                };
                prepared(definition.ok_or_else(nothing)?, "the guess")
            }
            Self::Detect(_) if lines.is_empty() => {
                prepared(Choices::default().of_records(&[]), "an empty file")
            }
            Self::Detect(catalog) => detect(catalog, lines).map(|taken| taken.schema),
        }
    }
}

/// Returns the schema that the user named if it can read any of the lines, or else an explanation
/// of what is wrong.
fn checked(schema: Arc<Schema>, lines: &[Cow<'_, [u8]>]) -> Result<Arc<Schema>, SchemaChoiceError> {
    if lines.is_empty() || lines.iter().any(|line| schema.row(line).is_ok()) {
        return Ok(schema);
    }
    let records = records(lines);
    if let Some(error) = unreadable_records(lines, &records) {
        return Err(error);
    }
    if records.is_empty() {
        return Err(not_json(lines));
    }
    let reason = lines
        .iter()
        .filter(|line| is_record(line))
        .find_map(|line| schema.row(line).err())
        .map(|row_error| row_error.reason)
        .unwrap_or_default();
    let (name, keys) = (&schema.definition().name, guess::keys(&records));
    Err(SchemaChoiceError::Unreadable(format!(
        "`{name}` cannot read the first records, which have {keys}: {reason}"
    )))
}

fn not_json(lines: &[Cow<'_, [u8]>]) -> SchemaChoiceError {
    let advice = advice::not_json(lines);
    SchemaChoiceError::Unreadable(format!("not JSON Lines: {advice}"))
}

/// Adds slots for lists of responses up to twice as long as in these lines: a longer list in a
/// later row is mostly only a little longer.
fn with_room(schema: Arc<Schema>, lines: &[Cow<'_, [u8]>]) -> Arc<Schema> {
    let definition = schema.definition();
    if !definition.has_response_lists() {
        return schema;
    }
    let longest = longest_list(&definition.responses, &records(lines));
    let places = (2 * longest.unwrap_or(0))
        .next_power_of_two()
        .min(MAX_PLACES);
    if places <= MIN_PLACES {
        return schema;
    }
    Arc::new(Schema::with_places(definition.clone(), places))
}

/// Returns the length of the longest list of responses in the records; `None` if they have no list.
pub fn longest_list(responses: &[ResponsePaths], records: &[JsonRecord]) -> Option<usize> {
    responses
        .iter()
        .map(ResponsePaths::whole_path)
        .filter_map(|path| path.list().map(Path::of_steps))
        .flat_map(|list| {
            records
                .iter()
                .filter_map(move |record| Some(list.value_in(record)?.as_array()?.len()))
        })
        .max()
}

/// Maximum number of slots for a list of responses. Each costs time and memory in every row.
pub const MAX_PLACES: usize = 1024;

fn prepared(definition: Definition, path: &str) -> Result<Arc<Schema>, SchemaChoiceError> {
    let fault = definition.misplaced_star();
    fault.map_or(Ok(()), |fault| Err(FileFault::of(path, fault)))?;
    Ok(Arc::new(Schema::new(definition)))
}

/// How well a schema fits: number of readable rows, then of values found in them.
pub type Fit = (usize, usize);

/// The chosen schema of a file.
#[derive(Debug)]
pub struct ChosenSchema {
    /// The schema.
    pub schema: Arc<Schema>,
    /// Why it was chosen, as a sentence.
    pub why: String,
    /// True if no schema of the catalog fits, so it was guessed.
    pub is_guess: bool,
}

/// Number of lines for trying known schemas. Guesses examine more.
const MAX_TRIED: usize = 32;

/// Chooses the schema for one or more lines that were made readable.
pub fn detect(
    catalog: &SchemaCatalog,
    lines: &[Cow<'_, [u8]>],
) -> Result<ChosenSchema, SchemaChoiceError> {
    // A line that is not JSON fits no schema, and may be too long to test it against each.
    let valid: Vec<Option<&[u8]>> = lines
        .iter()
        .map(|line| is_record(line).then_some(&**line))
        .collect();
    if valid.iter().all(Option::is_none) {
        return Err(not_json(lines));
    }
    let taken = |schema: Arc<Schema>, why: &str| ChosenSchema {
        why: format!("{} is used: {why}", schema.definition().name),
        schema,
        is_guess: false,
    };
    if let Some(schema) = valid[0].and_then(|line| of_first(catalog, line)) {
        let why = "it finds the most values of all schemas that fit the first line.";
        return Ok(taken(schema, why));
    }
    let first: Vec<&[u8]> = valid.into_iter().take(MAX_TRIED).flatten().collect();
    // Most rows must fit: a schema that reads a few of them is the wrong one, while one invalid row
    // must not matter.
    if let Some((_, schema)) = best(catalog, &first).filter(|((rows, _), _)| rows * 2 > first.len())
    {
        let count = lines.len();
        let why = format!("no schema fits the first line, and it fits most of all {count} lines.");
        return Ok(taken(schema, &why));
    }
    Ok(ChosenSchema {
        schema: guessed(lines)?,
        why: "No schema fits most of the lines, so the layout is guessed from the names of fields."
            .to_owned(),
        is_guess: true,
    })
}

/// Returns the catalog's best schema for the first line. If it fits, further lines are not read, so
/// that the result is the same for every caller.
fn of_first(catalog: &SchemaCatalog, line: &[u8]) -> Option<Arc<Schema>> {
    let ((rows, _), schema) = best(catalog, &[line])?;
    (rows == 1).then_some(schema)
}

/// Returns the catalog's best schema for these lines.
fn best(catalog: &SchemaCatalog, lines: &[&[u8]]) -> Option<(Fit, Arc<Schema>)> {
    // Without the top-level keys of a line, every schema is tried.
    let keys: Vec<Option<HashMap<String, IgnoredAny>>> = lines
        .iter()
        .map(|line| serde_json::from_slice(line).ok())
        .collect();
    // A line can have megabytes, so only schemas whose fields it has are tried.
    let may_fit = |known: &&KnownSchema| {
        let has_fields_of = |keys: &HashMap<String, _>| {
            known
                .definition()
                .required_keys()
                .all(|field| keys.contains_key(field))
        };
        keys.iter()
            .any(|keys| keys.as_ref().is_none_or(has_fields_of))
    };
    (catalog.iter().filter(may_fit))
        .map(|known| (fit(&known.schema(), lines), known.schema()))
        .max_by_key(|(fit, _)| *fit)
}

fn guessed(lines: &[Cow<'_, [u8]>]) -> Result<Arc<Schema>, SchemaChoiceError> {
    let records = records(lines);
    if let Some(error) = unreadable_records(lines, &records) {
        return Err(error);
    }
    let nothing = || SchemaChoiceError::NothingToShow {
        keys: guess::keys(&records),
        advice: advice_for(lines, &records),
    };
    // Of equally good ones, the last is chosen: the likeliest.
    let best = guess::candidates(&records)
        .into_iter()
        .rev()
        .filter_map(|definition| prepared(definition, "the guess").ok())
        .max_by_key(|schema| Reading::new(schema, lines).merit());
    let schema = with_texts(best.ok_or_else(nothing)?, lines);
    let doubts = Reading::new(&schema, lines).doubts(&records);
    let mut definition = schema.definition().clone();
    match &mut definition.guess {
        Some(guess) if !doubts.is_empty() => guess.doubts = doubts,
        _ => return Ok(schema),
    }
    prepared(definition, "the guess")
}

/// Returns advice for records without a guess. Every proposed option was tried and opens the file.
fn advice_for(lines: &[Cow<'_, [u8]>], records: &[serde_json::Value]) -> String {
    if guess::are_scores(records) {
        return "they look like scores; show them with a dataset: visavis DATASET --with FILE"
            .to_owned();
    }
    let opens = |map: &String| {
        let map: Result<Choices, _> = map.parse();
        let schema = map
            .ok()
            .and_then(|map| prepared(map.of_records(records), "--map").ok());
        schema.is_some_and(|schema| lines.iter().any(|line| schema.row(line).is_ok()))
    };
    let keys = records.first().and_then(serde_json::Value::as_object);
    let is_sentence = |key: &String| key.split_whitespace().count() > 4;
    if keys.is_some_and(|keys| keys.len() > 1 && keys.keys().all(is_sentence)) {
        return "its first line looks like a row; add a line of column names above it: \
                sed '1i prompt,response_a,response_b' FILE"
            .to_owned();
    }
    match guess::proposed_map(records).filter(opens) {
        Some(map) if map.contains(' ') => {
            format!("name the fields, for example --map '{map}'")
        }
        Some(map) => format!("name the fields, for example --map {map}"),
        None => "name the fields: --map prompt=PATH,a=PATH,b=PATH".to_owned(),
    }
}

/// Adds the long texts of the records that are neither prompt nor response.
fn with_texts(schema: Arc<Schema>, lines: &[Cow<'_, [u8]>]) -> Arc<Schema> {
    let mut survey = FieldSurvey::new(Arc::clone(&schema));
    lines
        .iter()
        .filter(|line| refusal(line).is_none())
        .for_each(|line| survey.add(line, 0));
    let mut definition = schema.definition().clone();
    definition.texts.extend(survey.texts());
    match definition.texts == schema.definition().texts {
        true => schema,
        // Fails if a text in one record has the key of another's object.
        false => prepared(definition, "the guess").unwrap_or(schema),
    }
}

/// True if a line is an object of records with the same keys: a file by key, not a row.
fn is_keyed_file(line: &[u8]) -> bool {
    let members: Option<HashMap<String, HashMap<String, IgnoredAny>>> =
        serde_json::from_slice(line).ok();
    let mut members = members.iter().flat_map(HashMap::values);
    let Some(first) = members.next().filter(|first| first.len() > 1) else {
        return false;
    };
    let is_alike = |other: &HashMap<String, IgnoredAny>| {
        other.len() == first.len() && other.keys().all(|key| first.contains_key(key))
    };
    let mut others = members.peekable();
    others.peek().is_some() && others.all(is_alike)
}

/// Returns an error for an empty list of records, or for lines that look like JSON but cannot be
/// parsed.
fn unreadable_records(
    lines: &[Cow<'_, [u8]>],
    records: &[serde_json::Value],
) -> Option<SchemaChoiceError> {
    let is_empty_list = |record: &serde_json::Value| record.as_array().is_some_and(Vec::is_empty);
    if let [record] = records
        && lines.len() == 1
        && is_empty_list(record)
    {
        let what = "it is an empty list, without records".to_owned();
        return Some(SchemaChoiceError::Unreadable(what));
    }
    if !records.is_empty() {
        return None;
    }
    let line = lines.iter().find(|line| is_record(line))?;
    let error = serde_json::from_slice::<serde_json::Value>(line).err()?;
    let column = error.column();
    let reason = match error.to_string() {
        error if error.starts_with("number out of range") => {
            format!("the number that ends at column {column} is too large")
        }
        error => format!("column {column}: {error}"),
    };
    let what = format!("none of its first records can be read: {reason}");
    Some(SchemaChoiceError::Unreadable(what))
}

/// A fully parsed record.
pub type JsonRecord = serde_json::Value;

/// Parses the records of lines, skipping unreadable ones.
pub fn records_of(lines: &[Vec<u8>]) -> Vec<JsonRecord> {
    records(&lines.iter().map(|line| readable(line)).collect::<Vec<_>>())
}

pub fn records(lines: &[Cow<'_, [u8]>]) -> Vec<serde_json::Value> {
    lines
        .iter()
        .filter(|line| is_record(line))
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

/// Returns the line with its giant texts cut, repaired if that makes it JSON.
pub fn readable(line: &[u8]) -> Cow<'_, [u8]> {
    let line = abridged(line);
    if is_json(&line) {
        return line;
    }
    repair(&line).map_or(line, |mended| Cow::Owned(mended.line))
}

/// Lines of more bytes are abridged, since choosing a schema reads a line many times.
const MAX_LINE: usize = if cfg!(test) { 64 << 10 } else { 16 << 20 };
/// Bytes that abridging keeps of a text.
const MAX_TEXT: usize = if cfg!(test) { 4 << 10 } else { 1 << 20 };
/// Bytes of the longest escape, a pair of surrogates.
const ESCAPE: usize = 12;

/// Cuts the long strings of a giant line, except JSON in strings. Other lines stay as they are, also
/// those with an invalid string.
fn abridged(line: &[u8]) -> Cow<'_, [u8]> {
    let (mut kept, mut copied, mut at) = (Vec::new(), 0, 0);
    if line.len() <= MAX_LINE || !matches!(line.first(), Some(b'{' | b'[')) {
        return Cow::Borrowed(line);
    }
    while let Some(quote) = memchr(b'"', &line[at..]) {
        let start = at + quote;
        let Some(text) = strings::scan(&line[start..]).and_then(|scan| scan.spelling) else {
            return Cow::Borrowed(line);
        };
        at = start + text.len();
        if text.len() > MAX_TEXT && !text[1..].trim_start().starts_with(['{', '[']) {
            let whole = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at));
            let before = &text[..whole.unwrap_or_default()];
            // Not within an escape.
            let last = &before.as_bytes()[before.len() - ESCAPE..];
            let escape = last.iter().position(|byte| *byte == b'\\');
            let before = &before[..before.len() - escape.map_or(0, |at| ESCAPE - at)];
            // Nor within a pair of surrogates.
            let half = before.len().saturating_sub(ESCAPE / 2);
            let before = match before.as_bytes()[half..] {
                [
                    b'\\',
                    b'u',
                    b'd' | b'D',
                    b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
                    ..,
                ] => &before[..half],
                _ => before,
            };
            let slashes = before.len() - before.trim_end_matches('\\').len();
            kept.extend_from_slice(&line[copied..start]);
            kept.extend_from_slice(&before.as_bytes()[..before.len() - slashes % 2]);
            kept.push(b'"');
            copied = at;
        }
    }
    kept.extend_from_slice(&line[copied..]);
    Cow::Owned(kept)
}

/// True if the line is one JSON value in UTF-8 (serde_json does not check UTF-8 in values that it
/// ignores).
pub fn is_json(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| serde_json::from_str::<IgnoredAny>(line).is_ok())
}

pub fn is_record(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'{' | b'[')) && is_json(line)
}

/// Why detection rejects a schema for a line.
pub enum SchemaMismatch {
    /// The line is not a row of the schema.
    Unread(RowError),
    /// A value that detection requires is missing.
    LacksNeeds,
    /// It does not name the winner in the schema's form.
    Unjudged,
    /// No response has a value for any label.
    Unrated,
}

/// Tests a schema against a line for detection: returns the row or the reason for rejection.
pub fn match_line<'s, 'r>(
    schema: &'s Schema,
    line: &'r [u8],
) -> Result<CapturedRow<'s, 'r>, SchemaMismatch> {
    let row = schema.row(line).map_err(SchemaMismatch::Unread)?;
    if !row.has_needs() {
        Err(SchemaMismatch::LacksNeeds)
    } else if !row.states_winner() {
        Err(SchemaMismatch::Unjudged)
    } else if !row.is_rated() && !schema.labels().is_empty() {
        Err(SchemaMismatch::Unrated)
    } else {
        Ok(row)
    }
}

pub fn fit(schema: &Schema, lines: &[impl AsRef<[u8]>]) -> Fit {
    let mut fit = (0, 0);
    for row in (lines.iter()).filter_map(|line| match_line(schema, line.as_ref()).ok()) {
        fit.0 += 1;
        fit.1 += row.filled();
    }
    fit
}

impl CapturedRow<'_, '_> {
    /// True if it has all values that detection requires.
    pub(super) fn has_needs(&self) -> bool {
        let Slots { needs, prompt, .. } = &self.schema.slots;
        let texts = prompt
            .iter()
            .filter_map(|prompt| prompt.texts.first().copied())
            .chain(self.responses().map(|response| response.text));
        let is_json = |text: TextSlot| {
            let value = self.value(text.slot);
            value.is_some_and(|value| value.starts_with("\"[") || value.starts_with("\"{"))
        };
        // A list of messages is one response, not a list of responses.
        let is_text = |response: &ResponseSlots| {
            let value = self.value(response.text.slot);
            !response.is_bare_element || value.is_some_and(|value| value.starts_with('"'))
        };
        needs.iter().all(|&slot| self.is_there(slot))
            && texts.filter(|text| text.is_json).all(is_json)
            && self.responses().all(is_text)
    }

    /// True if any response has a valid value for any label.
    pub(super) fn is_rated(&self) -> bool {
        let labels = &self.schema.definition().labels;
        let mut rated = self
            .responses()
            .flat_map(|response| response.ratings.iter().zip(labels));
        rated.any(|(slot, label)| match slot {
            Some(RatingSlot::Value(slot)) => {
                let is_list = self
                    .value(*slot)
                    .is_some_and(|value| value.starts_with('['));
                is_list == label.reduce.is_some() && matches!(self.rated(*slot, label), Ok(Some(_)))
            }
            // Constants are the same in every row.
            Some(RatingSlot::Constant(_)) => true,
            None => false,
        })
    }
}
