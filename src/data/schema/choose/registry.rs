//! Chooses the schema of a file: from the catalog by name or by the first lines, or else a guess.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use memchr::memchr;
use serde::de::IgnoredAny;
use thiserror::Error;

use super::catalog::{KnownSchema, SchemaCatalog};
use super::trial;
use crate::json::{self, push_string, strings, unescape};
use crate::schema::fields::FieldLayout;
use crate::schema::guess::{self, Choices, Guess, Reading};
use crate::schema::layout::definition::MAX_PLACES;
use crate::schema::row::lines::repair;
use crate::schema::row::reader::MIN_PLACES;
use crate::schema::row::slots::{RatingSlot, ResponseSlots, Slots, TextSlot};
use crate::schema::{CapturedRow, Definition, FieldSurvey, Schema, Survey, VerdictRule};
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
        let lines = &FirstLines::new([first]);
        let schema = match self {
            Self::Ready(schema) => return Some(schema.clone()),
            Self::Named(schema) => schema.row(&lines[0]).ok().map(|_| schema.clone()),
            Self::Detect(catalog) => of_first(catalog, &lines[0]),
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
        self.schema_of(&FirstLines::new(lines.iter().copied()))
    }

    /// [`Self::schema`] for lines that were made readable.
    fn schema_of(&self, lines: &FirstLines<'_>) -> Result<Arc<Schema>, SchemaChoiceError> {
        match self {
            Self::Named(schema) => checked(with_room(schema.clone(), lines), lines),
            Self::Mapped(map) => {
                let definition = map.of_survey(lines.survey());
                checked(prepared(definition, lines, "--map")?.into(), lines)
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
                let scored = schema.with_scores(lines.survey());
                let scored = scored.and_then(|it| prepared(it, lines, "the scores").ok());
                Ok(scored.map_or(schema, Arc::new))
            }
            Self::WithoutTexts { key, is_winner } => {
                let survey = lines.survey();
                let definition = guess::without_texts(survey, key.as_ref(), *is_winner);
                let nothing = || SchemaChoiceError::NothingToShow {
                    keys: guess::keys(survey),
                    advice: String::new(),
                };
                prepared(definition.ok_or_else(nothing)?, lines, "the guess").map(Arc::new)
            }
            Self::Detect(_) if lines.is_empty() => {
                Self::Mapped(Choices::default()).schema_of(lines)
            }
            Self::Detect(catalog) => detect(catalog, lines).map(|taken| taken.schema),
        }
    }
}

/// Returns the schema that the user named if it can read any of the lines, or else an explanation
/// of what is wrong.
fn checked(schema: Arc<Schema>, lines: &FirstLines<'_>) -> Result<Arc<Schema>, SchemaChoiceError> {
    if lines.is_empty() || lines.iter().any(|line| schema.row(line).is_ok()) {
        return Ok(schema);
    }
    let records = lines.survey();
    if let Some(error) = lines.unreadable() {
        return Err(error);
    }
    if records.is_empty() {
        return Err(not_json(lines));
    }
    let reason = lines
        .iter()
        .filter(|line| line.is_record)
        .find_map(|line| schema.row(line).err())
        .map(|row_error| row_error.reason)
        .unwrap_or_default();
    let (name, keys) = (&schema.definition().name, guess::keys(records));
    Err(SchemaChoiceError::Unreadable(format!(
        "`{name}` cannot read the first records, which have {keys}: {reason}"
    )))
}

fn not_json(lines: &FirstLines<'_>) -> SchemaChoiceError {
    let advice = trial::not_json(&lines[0]);
    SchemaChoiceError::Unreadable(format!("not JSON Lines: {advice}"))
}

/// Adds slots for lists of responses to a schema that was prepared without these lines.
fn with_room(schema: Arc<Schema>, lines: &FirstLines<'_>) -> Arc<Schema> {
    match lines.places(schema.definition()) {
        MIN_PLACES => schema,
        places => Arc::new(Schema::with_places(schema.definition().clone(), places)),
    }
}

/// Prepares a definition for a file that begins with these lines.
fn prepared(
    definition: Definition,
    lines: &FirstLines<'_>,
    path: &str,
) -> Result<Schema, SchemaChoiceError> {
    let fault = definition.misplaced_star();
    fault.map_or(Ok(()), |fault| Err(FileFault::of(path, fault)))?;
    let places = lines.places(&definition);
    Ok(Schema::with_places(definition, places))
}

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

/// Chooses the schema for one or more lines.
pub fn detect(
    catalog: &SchemaCatalog,
    lines: &FirstLines<'_>,
) -> Result<ChosenSchema, SchemaChoiceError> {
    if !lines.iter().any(|line| line.is_record) {
        return Err(not_json(lines));
    }
    let taken = |schema: Arc<Schema>, why: &str| ChosenSchema {
        why: format!("{} is used: {why}", schema.definition().name),
        schema: with_room(schema, lines),
        is_guess: false,
    };
    if let Some(schema) = of_first(catalog, &lines[0]) {
        let why = "it finds the most values of all schemas that fit the first line.";
        return Ok(taken(schema, why));
    }
    let first = lines.iter().take(MAX_TRIED).filter(|line| line.is_record);
    let first: Vec<&[u8]> = first.map(|line| &**line).collect();
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
fn of_first(catalog: &SchemaCatalog, line: &FirstLine<'_>) -> Option<Arc<Schema>> {
    // A line that is not JSON fits no schema, and may be too long to test it against each.
    let ((rows, _), schema) = best(catalog, line.is_record.then_some(&[&**line])?)?;
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

fn guessed(lines: &FirstLines<'_>) -> Result<Arc<Schema>, SchemaChoiceError> {
    let survey = lines.survey();
    if let Some(error) = lines.unreadable() {
        return Err(error);
    }
    // Of equally good ones, the last is chosen: the likeliest.
    let best = guess::candidates(survey)
        .into_iter()
        .rev()
        .filter_map(|definition| with_texts(definition, lines))
        .map(|schema| {
            (
                Reading::new(&schema, lines.iter().map(|line| &**line)),
                schema,
            )
        })
        .max_by_key(|(reading, _)| reading.merit());
    let nothing = || SchemaChoiceError::NothingToShow {
        keys: guess::keys(survey),
        advice: advice_for(lines),
    };
    let (reading, mut schema) = best.ok_or_else(nothing)?;
    let doubts = reading.doubts(schema.definition(), survey);
    if let Some(guess) = &mut schema.definition.guess {
        guess.doubts = doubts;
    }
    Ok(Arc::new(schema))
}

/// Returns advice for records without a guess. Every proposed option was tried and opens the file.
fn advice_for(lines: &FirstLines<'_>) -> String {
    let survey = lines.survey();
    if guess::are_scores(survey) {
        return "they look like scores; show them with a dataset: visavis DATASET --with FILE"
            .to_owned();
    }
    let opens = |map: &String| {
        let map: Result<Choices, _> = map.parse();
        let schema = map
            .ok()
            .and_then(|map| prepared(map.of_survey(survey), lines, "--map").ok());
        schema.is_some_and(|schema| lines.iter().any(|line| schema.row(line).is_ok()))
    };
    let keys = survey.first().and_then(JsonRecord::as_object);
    let is_sentence = |key: &String| key.split_whitespace().count() > 4;
    if keys.is_some_and(|keys| keys.len() > 1 && keys.keys().all(is_sentence)) {
        return "its first line looks like a row; add a line of column names above it: \
                sed '1i prompt,response_a,response_b' FILE"
            .to_owned();
    }
    match guess::proposed_map(survey).filter(opens) {
        Some(map) if map.contains(' ') => {
            format!("name the fields, for example --map '{map}'")
        }
        Some(map) => format!("name the fields, for example --map {map}"),
        None => "name the fields: --map prompt=PATH,a=PATH,b=PATH".to_owned(),
    }
}

/// Prepares a guess with the long texts of the records that are neither prompt nor response.
fn with_texts(mut definition: Definition, lines: &FirstLines<'_>) -> Option<Schema> {
    let mut found = FieldSurvey::new(FieldLayout::of(&definition).into());
    lines
        .iter()
        .filter(|line| refusal(line).is_none())
        .for_each(|line| found.add(line, 0));
    definition.texts.extend(found.texts());
    prepared(definition, lines, "the guess").ok()
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

/// Tests a schema against a line for detection: returns the row or why the schema is rejected.
pub fn match_line<'s, 'r>(
    schema: &'s Schema,
    line: &'r [u8],
) -> Result<CapturedRow<'s, 'r>, String> {
    let row = schema.row(line).map_err(|error| error.reason)?;
    let definition = schema.definition();
    if !row.has_needs() {
        let mut needs = definition.needs.iter().zip(&schema.slots.needs);
        let is_absent = |slot: usize| row.value(slot).is_none_or(|value| value == "null");
        Err(match needs.find(|(_, slot)| is_absent(**slot)) {
            Some((path, _)) => format!("{path} is missing or null"),
            None => "its texts are of another kind than the schema expects".to_owned(),
        })
    } else if !row.states_winner() {
        let paths = definition.rule().into_iter().flat_map(VerdictRule::paths);
        let paths: Vec<_> = paths.map(|path| path.to_string()).collect();
        Err(format!("{} does not name a winner", paths.join(", ")))
    } else if !row.is_rated() && !schema.labels().is_empty() {
        let names: Vec<_> = schema.labels().iter().map(|label| &*label.name).collect();
        Err(format!("no response has a value for {}", names.join(", ")))
    } else {
        Ok(row)
    }
}

/// How well a schema fits: number of readable rows, then of values found in them.
type Fit = (usize, usize);

/// Returns how well a schema fits the lines.
pub fn fit(schema: &Schema, lines: &[impl Deref<Target = [u8]>]) -> Fit {
    let mut fit = (0, 0);
    for row in (lines.iter()).filter_map(|line| match_line(schema, line).ok()) {
        fit.0 += 1;
        fit.1 += row.filled();
    }
    fit
}

impl CapturedRow<'_, '_> {
    /// True if it has all values that detection requires.
    fn has_needs(&self) -> bool {
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
    fn is_rated(&self) -> bool {
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

/// A fully parsed record.
pub type JsonRecord = serde_json::Value;

/// A first line with its giant texts cut, repaired if that makes it JSON.
pub struct FirstLine<'l> {
    text: Cow<'l, [u8]>,
    /// True if it is an object or a list in JSON.
    pub is_record: bool,
}

impl Deref for FirstLine<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.text
    }
}

/// The first lines of a file, without blank ones.
pub struct FirstLines<'l> {
    lines: Vec<FirstLine<'l>>,
    survey: OnceCell<Survey>,
}

impl<'l> Deref for FirstLines<'l> {
    type Target = [FirstLine<'l>];

    fn deref(&self) -> &Self::Target {
        &self.lines
    }
}

impl<'l> FirstLines<'l> {
    pub fn new(lines: impl IntoIterator<Item = &'l [u8]>) -> Self {
        Self {
            lines: lines.into_iter().map(readable).collect(),
            survey: OnceCell::new(),
        }
    }

    /// Returns their records, without unreadable ones. They are parsed when first needed, since
    /// few files need a guess.
    pub fn survey(&self) -> &Survey {
        let parsed = |line: &FirstLine<'_>| serde_json::from_slice(line).ok();
        let records = self.lines.iter().filter(|line| line.is_record);
        self.survey
            .get_or_init(|| records.filter_map(parsed).collect::<Vec<_>>().into())
    }

    /// Returns the number of slots for lists of responses: enough for lists twice as long as in
    /// these lines, since a longer list in a later row is mostly only a little longer.
    fn places(&self, definition: &Definition) -> usize {
        if !definition.has_response_lists() {
            return MIN_PLACES;
        }
        let longest = self.survey().longest_list(&definition.responses);
        (2 * longest.unwrap_or(0))
            .next_power_of_two()
            .clamp(MIN_PLACES, MAX_PLACES)
    }

    /// Returns an error for an empty list of records, or for lines that look like JSON but cannot be
    /// parsed.
    fn unreadable(&self) -> Option<SchemaChoiceError> {
        let what = match &**self.survey() {
            [JsonRecord::Array(list)] if self.lines.len() == 1 && list.is_empty() => {
                "it is an empty list, without records".to_owned()
            }
            [] => {
                let line = self.lines.iter().find(|line| line.is_record)?;
                let error = serde_json::from_slice::<JsonRecord>(line).err()?;
                let column = error.column();
                let reason = match error.to_string() {
                    error if error.starts_with("number out of range") => {
                        format!("the number that ends at column {column} is too large")
                    }
                    error => format!("column {column}: {error}"),
                };
                format!("none of its first records can be read: {reason}")
            }
            _ => return None,
        };
        Some(SchemaChoiceError::Unreadable(what))
    }
}

/// Parses the records of lines, skipping unreadable ones.
pub fn records_of(lines: &[Vec<u8>]) -> Survey {
    let lines = FirstLines::new(lines.iter().map(Vec::as_slice));
    lines.survey().clone()
}

/// Makes a first line readable.
pub fn readable(line: &[u8]) -> FirstLine<'_> {
    let mut text = abridged(line);
    let mut is_json = json::is_json(&text);
    if !is_json && let Some(mended) = repair(&text) {
        // It may have other faults.
        is_json = json::is_json(&mended.line);
        text = Cow::Owned(mended.line);
    }
    FirstLine {
        is_record: is_json && matches!(text.first(), Some(b'{' | b'[')),
        text,
    }
}

/// Lines of more bytes are abridged, since choosing a schema reads a line many times.
const MAX_LINE: usize = if cfg!(test) { 64 << 10 } else { 16 << 20 };
/// Bytes that abridging keeps of a text.
const MAX_TEXT: usize = if cfg!(test) { 4 << 10 } else { 1 << 20 };

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
            let end = (1..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at));
            let mut short = String::new();
            // An escape that is cut is left out; half a pair of surrogates becomes U+FFFD.
            let _ = unescape(&text[1..end.unwrap_or(1)], &mut short);
            kept.extend_from_slice(&line[copied..start]);
            push_string(short.as_bytes(), &mut kept);
            copied = at;
        }
    }
    kept.extend_from_slice(&line[copied..]);
    Cow::Owned(kept)
}
