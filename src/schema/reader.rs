//! The one reader for all schemas: a line is walked once, the wanted values are captured unread,
//! the rest is skipped.
//!
//! [`Schema::row`] is what the index uses on every line (it borrows, allocates one small list and
//! decodes no string); [`CapturedRow::record`] decodes what a person looks at.

use std::borrow::Cow;

use super::decode::{self, Decoded};
use super::definition::{
    Definition, DefinitionError, Label, LabelKind, RowGrouping, VerdictRule, includes,
};
use super::fast_scan::skim;
use super::path::{Path, Tree};
use super::serde_scan::{Captured, CapturedValue, walk};
use super::turns::{self, MarkerFinder};
use crate::model::{
    Fact, Outcome, ReadWarning, Record, Response, ResponseId, RowError, TokenCounts, Turn, Verdict,
};
use crate::table::CountedColumns;
use crate::text;

/// A definition made ready to read lines with.
#[derive(Debug)]
pub struct Schema {
    definition: Definition,
    tree: Tree,
    slots: Slots,
    finder: Option<MarkerFinder>,
    counted: CountedColumns,
}

/// Which captured value is what.
#[derive(Debug)]
pub(super) struct Slots {
    pub(super) prompt: Option<u16>,
    pub(super) responses: Vec<ResponseSlots>,
    verdict: Option<u16>,
    pub(super) facts: Vec<u16>,
    same: Vec<u16>,
}

#[derive(Debug)]
pub(super) struct ResponseSlots {
    pub(super) text: u16,
    pub(super) quotes: Option<u16>,
    prefix: Option<u16>,
    completion: Option<u16>,
    /// One for each label of the schema, in its order.
    pub(super) ratings: Vec<Option<u16>>,
}

impl Schema {
    /// Makes a definition ready.
    ///
    /// # Errors
    /// When one of its paths lies inside another.
    pub fn new(definition: Definition) -> Result<Self, DefinitionError> {
        let mut tree = Tree::default();
        let name = definition.name.clone();
        let mut slot = |path: &Path| {
            tree.slot(path)
                .ok_or_else(|| DefinitionError::Inconsistent {
                    name: name.clone(),
                    what: format!("the path {path} lies inside another one, or contains it"),
                })
        };
        let prompt = definition
            .prompt
            .as_ref()
            .map(|prompt| slot(&prompt.path))
            .transpose()?;
        let mut responses = Vec::new();
        for paths in &definition.responses {
            responses.push(ResponseSlots {
                text: slot(&paths.text)?,
                quotes: paths.quotes.as_ref().map(&mut slot).transpose()?,
                prefix: paths.prefix_tokens.as_ref().map(&mut slot).transpose()?,
                completion: paths
                    .completion_tokens
                    .as_ref()
                    .map(&mut slot)
                    .transpose()?,
                ratings: (definition.labels.iter())
                    .map(|label| paths.ratings.get(&label.name).map(&mut slot).transpose())
                    .collect::<Result<_, _>>()?,
            });
        }
        let verdict = match definition.rule() {
            Some(VerdictRule::BySign(rule)) => Some(slot(&rule.path)?),
            Some(VerdictRule::ByValue(rule)) => Some(slot(&rule.path)?),
            Some(VerdictRule::ByLabel(_) | VerdictRule::Fixed(_)) | None => None,
        };
        let facts = definition
            .facts
            .iter()
            .map(|fact| slot(&fact.path))
            .collect::<Result<_, _>>()?;
        let same = definition
            .same
            .iter()
            .map(&mut slot)
            .collect::<Result<_, _>>()?;
        let finder = definition.turns.as_ref().map(MarkerFinder::new);
        let has_quotes = definition
            .responses
            .iter()
            .any(|response| response.quotes.is_some());
        Ok(Self {
            slots: Slots {
                prompt,
                responses,
                verdict,
                facts,
                same,
            },
            definition,
            tree,
            finder,
            counted: CountedColumns::of(has_quotes),
        })
    }

    /// What is counted of its rows while they are scanned.
    pub fn counted(&self) -> &CountedColumns {
        &self.counted
    }

    /// What it was made from.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// What finds turn markers, where texts have any.
    pub(super) fn finder(&self) -> Option<&MarkerFinder> {
        self.finder.as_ref()
    }

    /// Its labels and scores, in the order of every `ratings` list.
    pub fn labels(&self) -> &[Label] {
        &self.definition.labels
    }

    /// Whether consecutive rows with the same prompt are the two responses of a sample.
    pub fn pairs_rows(&self) -> bool {
        self.definition.rows == RowGrouping::Adjacent
    }

    /// Captures the wanted values of a line (without its line break) and checks that prompt and
    /// responses are texts.
    ///
    /// # Errors
    /// When the line is not one JSON value, or lacks the prompt or a response, or has something
    /// else than text there. What else is odd costs that value alone, and [`CapturedRow::record`] tells it.
    /// What is only nearly JSON may read once [`repair()`](super::repair()) has mended it.
    pub fn row<'r>(&self, line: &'r [u8]) -> Result<CapturedRow<'_, 'r>, RowError> {
        let (values, items) = match self.skimmed(line) {
            Some(captured) => captured,
            None => self
                .walked(line)
                .map_err(|error| syntax_fault(&error, line))?,
        };
        let mut row = CapturedRow {
            schema: self,
            line,
            values,
            quotes: Vec::new(),
            has_odd_quotes: false,
        };
        match (items, self.definition.items) {
            (Some(items), Some(wanted)) if items != wanted => Err(RowError {
                column: 1,
                reason: format!("a list of {items} where {wanted} are expected"),
            }),
            _ => row.check().map(|()| row),
        }
    }

    /// The first path to a prompt or a response at which the line, a record, has nothing.
    pub(super) fn leads_nowhere(&self, line: &[u8]) -> Option<&Path> {
        let (values, _) = self.walked(line).ok()?;
        let prompt = self
            .slots
            .prompt
            .zip(self.definition.prompt.as_ref().map(|prompt| &prompt.path));
        let responses = self.slots.responses.iter().zip(&self.definition.responses);
        let mut texts = prompt
            .into_iter()
            .chain(responses.map(|(slots, paths)| (slots.text, &paths.text)));
        texts
            .find(|&(slot, _)| values[usize::from(slot)].is_none())
            .map(|(_, path)| path)
    }

    /// What is captured of a line that is as it should be.
    pub(super) fn skimmed<'r>(&self, line: &'r [u8]) -> Option<Captured<'r>> {
        let mut values = vec![None; self.tree.slots()];
        let items = skim(&self.tree, std::str::from_utf8(line).ok()?, &mut values)?;
        Some((values, items))
    }

    /// What serde_json captures of any line.
    pub(super) fn walked<'r>(&self, line: &'r [u8]) -> Result<Captured<'r>, serde_json::Error> {
        walk(&self.tree, line)
    }

    /// Place of the label that decides who wins, where one does.
    pub fn deciding_label(&self) -> Option<usize> {
        let Some(VerdictRule::ByLabel(rule)) = self.definition.rule() else {
            return None;
        };
        self.definition
            .labels
            .iter()
            .position(|label| label.name == rule.label)
    }

    /// The verdict over the responses of a sample where a label decides it; `None` for a single, or
    /// where too few have a value ([`Verdict::of_values`]).
    pub fn outcome_by_label(&self, responses: &[Response<'_>]) -> Option<Outcome> {
        let label = self.deciding_label()?;
        let value = |response: &Response<'_>| response.ratings.get(label).copied().flatten();
        let values: Vec<_> = (responses.iter())
            .map(|response| value(response).unwrap_or(f64::NAN))
            .collect();
        let (verdict, margin) = Verdict::of_values(&values)?;
        Some(Outcome {
            verdict,
            margin: Some(margin),
            native: None,
        })
    }
}

/// The wanted values of one line, captured but not decoded.
#[derive(Debug)]
pub struct CapturedRow<'s, 'r> {
    schema: &'s Schema,
    line: &'r [u8],
    values: Vec<Option<CapturedValue<'r>>>,
    /// How many quotes each response has; empty where the schema has none.
    quotes: Vec<usize>,
    /// Whether any response has something else where its quotes are to stand.
    has_odd_quotes: bool,
}

impl<'r> CapturedRow<'_, 'r> {
    /// The prompt as it is spelled in the line, quotes and escapes included; compare with
    /// [`decode::same_text`].
    pub fn prompt_spelling(&self) -> Option<&'r str> {
        self.value(self.schema.slots.prompt?)
    }

    /// Number of wanted values that are there and not null: how well the schema fits the line.
    pub(super) fn filled(&self) -> usize {
        self.values
            .iter()
            .flatten()
            .filter(|value| value.spelling != "null")
            .count()
    }

    /// Whether any response has a value for any label, and one that the label can have.
    pub(super) fn is_rated(&self) -> bool {
        let labels = &self.schema.definition.labels;
        let mut rated = self
            .schema
            .slots
            .responses
            .iter()
            .flat_map(|response| response.ratings.iter().zip(labels));
        rated.any(|(slot, label)| {
            slot.is_some_and(|slot| matches!(self.rating(slot, label), Ok(Some(_))))
        })
    }

    /// Whether the row names its winner as the schema says, where the schema looks for that on the
    /// row.
    pub(super) fn is_judged(&self) -> bool {
        let value = self.schema.slots.verdict.and_then(|slot| self.value(slot));
        match self.schema.definition.rule() {
            Some(VerdictRule::BySign(_)) => value.is_some_and(|value| value.parse::<f64>().is_ok()),
            Some(VerdictRule::ByValue(rule)) => value.is_some_and(|value| {
                let value = decode::plain(value).0;
                rule.a
                    .iter()
                    .chain(&rule.b)
                    .chain(rule.tie.iter().flatten())
                    .any(|word| *word == value)
            }),
            Some(VerdictRule::ByLabel(_) | VerdictRule::Fixed(_)) | None => true,
        }
    }

    /// Decodes what the row says.
    ///
    /// # Errors
    /// When a text or a list of messages is not of the shape that its path promises.
    pub fn record(&self) -> Result<Record<'r>, RowError> {
        let mut flaws = Vec::new();
        let slots = &self.schema.slots;
        let mut prompt = match slots.prompt {
            Some(slot) => self.turns(slot, &mut flaws)?,
            None => Vec::new(),
        };
        let mut responses = Vec::new();
        if slots.prompt.is_none() {
            let transcripts = (slots.responses.iter())
                .map(|response| self.turns(response.text, &mut flaws))
                .collect::<Result<Vec<_>, _>>()?;
            let texts;
            (prompt, texts) = turns::split_shared(transcripts);
            for (place, text) in texts.into_iter().enumerate().take(slots.responses.len()) {
                responses.push(self.response(place, Cow::Owned(text), &mut flaws));
            }
        } else {
            for (place, response) in slots.responses.iter().enumerate() {
                let text = self.response_text(response.text, &mut flaws)?;
                responses.push(self.response(place, text, &mut flaws));
            }
        }
        let outcome = self.outcome(&responses);
        flaws.extend(self.read_verdict().err().map(|what| ReadWarning::OddValue {
            response: None,
            what,
        }));
        let facts = self.facts(&mut flaws);
        flaws.extend(
            self.has_differing_prompts()
                .then_some(ReadWarning::PromptsDiffer),
        );
        flaws.sort_unstable();
        flaws.dedup();
        Ok(Record {
            prompt,
            responses,
            outcome,
            facts,
            flaws,
        })
    }

    pub(super) fn value(&self, slot: u16) -> Option<&'r str> {
        self.values[usize::from(slot)].map(|value| value.spelling)
    }

    /// Lines of the text of a captured string; `None` for anything else.
    pub(super) fn lines(&self, slot: u16) -> Option<u32> {
        self.values[usize::from(slot)]?.lines()
    }

    /// Characters of the text of a captured string; `None` for anything else.
    pub(super) fn characters(&self, slot: u16) -> Option<u32> {
        self.values[usize::from(slot)]?.text_characters()
    }

    /// Byte column, from 1, of a captured value in its line.
    fn column(&self, value: &str) -> usize {
        (value.as_ptr() as usize).saturating_sub(self.line.as_ptr() as usize) + 1
    }

    fn check(&mut self) -> Result<(), RowError> {
        let schema = self.schema;
        let definition = &schema.definition;
        if let (Some(slot), Some(prompt)) = (schema.slots.prompt, &definition.prompt) {
            self.check_text(slot, &prompt.path)?;
        }
        for (slots, paths) in schema.slots.responses.iter().zip(&definition.responses) {
            self.check_text(slots.text, &paths.text)?;
            let quotes = self.wanted(slots.quotes, paths.quotes.as_ref());
            let count = quotes.map(|(value, _)| decode::count_quotes(value));
            self.has_odd_quotes |= count == Some(None);
            if schema.has_quotes() {
                self.quotes.push(count.flatten().unwrap_or(0));
            }
        }
        Ok(())
    }

    /// A value that is there and not null, with its path.
    fn wanted<'p>(&self, slot: Option<u16>, path: Option<&'p Path>) -> Option<(&'r str, &'p Path)> {
        Some((self.value(slot?).filter(|value| *value != "null")?, path?))
    }

    fn check_text(&self, slot: u16, path: &Path) -> Result<(), RowError> {
        match self.value(slot) {
            Some(value) if value.starts_with('"') => Ok(()),
            Some(value) if value.starts_with('[') => {
                let reason = || format!("{path} is a list, but not of {{role, content}} messages");
                decode::check_messages(value).map_err(|_| self.fault(value, reason()))
            }
            Some(value) => {
                Err(self.fault(value, format!("{path} is {}, not text", kind_of(value))))
            }
            None => Err(RowError {
                column: 0,
                reason: format!("{path} is missing"),
            }),
        }
    }

    fn fault(&self, value: &str, reason: String) -> RowError {
        RowError {
            column: self.column(value),
            reason,
        }
    }

    /// How many quotes a response has, by its place on the row; 0 where there is none.
    pub(super) fn quotes_of(&self, place: usize) -> usize {
        self.quotes.get(place).copied().unwrap_or(0)
    }

    pub(super) fn schema(&self) -> &Schema {
        self.schema
    }

    /// Whether a verdict, a list of quotes or a list of tokens is one that its field cannot have,
    /// and so counts as none.
    pub(super) fn has_odd_value_beside_labels(&self) -> bool {
        let Schema {
            slots, definition, ..
        } = self.schema;
        let has_odd_tokens =
            slots
                .responses
                .iter()
                .zip(&definition.responses)
                .any(|(slots, paths)| {
                    let lists = [
                        (slots.prefix, &paths.prefix_tokens),
                        (slots.completion, &paths.completion_tokens),
                    ];
                    let mut lists = lists
                        .into_iter()
                        .filter_map(|(slot, path)| self.wanted(slot, path.as_ref()));
                    lists.any(|(value, _)| !decode::is_list_of_numbers(value))
                });
        self.has_odd_quotes || has_odd_tokens || self.read_verdict().is_err()
    }

    /// Whether it has a prompt for each response, and they are not the same.
    pub(super) fn has_differing_prompts(&self) -> bool {
        let mut alike = self
            .schema
            .slots
            .same
            .iter()
            .filter_map(|&slot| self.value(slot));
        alike
            .next()
            .is_some_and(|first| alike.any(|other| !decode::same_text(first, other)))
    }

    /// Whether half a surrogate pair stands in anything that is read of it.
    pub(super) fn has_lone_surrogate(&self) -> bool {
        // Nearly no line has one at all; in one that does it may stand in a part of a value that
        // nothing reads.
        self.values
            .iter()
            .flatten()
            .any(|value| value.has_lone_surrogate)
            && self
                .record()
                .is_ok_and(|record| record.flaws.contains(&ReadWarning::LoneSurrogate))
    }

    /// The value of a label or score.
    ///
    /// # Errors
    /// What is odd about a value that the label cannot have, for people; it counts as none.
    pub(super) fn rating(&self, slot: u16, label: &Label) -> Result<Option<f64>, String> {
        let Some(value) = self.value(slot).filter(|value| *value != "null") else {
            return Ok(None);
        };
        let number = match value.as_bytes() {
            // Nearly every label is one digit, and whole: no general parser for those.
            [digit @ b'0'..=b'9'] if label.includes(f64::from(digit - b'0')) => {
                return Ok(Some(f64::from(digit - b'0')));
            }
            _ => number(value),
        };
        match number {
            None if label.lenient => Ok(None),
            None => Err(odd(&label.name, value, "not a number")),
            Some(number) if !number.is_finite() => {
                Err(odd(&label.name, value, "too great for a number"))
            }
            Some(number)
                if label.kind == LabelKind::Label && number.fract() != 0.0 && !label.lenient =>
            {
                Err(odd(&label.name, value, "not a whole number"))
            }
            Some(number) if !label.includes(number) => {
                Err(odd(&label.name, value, &outside(label.range)))
            }
            // Minus zero is zero: it would print as "-0", and be a value beside it.
            Some(number) => Ok(Some(number + 0.0)),
        }
    }

    pub(super) fn turns(
        &self,
        slot: u16,
        flaws: &mut Vec<ReadWarning>,
    ) -> Result<Vec<Turn<'r>>, RowError> {
        let Some(value) = self.value(slot) else {
            return Ok(Vec::new());
        };
        let decoded = if value.starts_with('[') {
            return self.noted(value, decode::messages(value), flaws);
        } else {
            self.noted(value, decode::string(value), flaws)?
        };
        Ok(match &self.schema.definition.turns {
            Some(markers) => turns::split(decoded, markers),
            None => vec![Turn {
                role: crate::model::Role::User,
                text: decoded,
            }],
        })
    }

    /// A response's text; of a list of messages the assistant's last one.
    pub(super) fn response_text(
        &self,
        slot: u16,
        flaws: &mut Vec<ReadWarning>,
    ) -> Result<Cow<'r, str>, RowError> {
        let Some(value) = self.value(slot) else {
            return Ok(Cow::Borrowed(""));
        };
        if value.starts_with('[') {
            let messages = self.noted(value, decode::messages(value), flaws)?;
            return Ok(messages
                .into_iter()
                .next_back()
                .map(|turn| turn.text)
                .unwrap_or_default());
        }
        self.noted(value, decode::string(value), flaws)
    }

    /// The response at a place of the row, with its text; what is odd about its values is added to
    /// the flaws.
    fn response(
        &self,
        place: usize,
        text: Cow<'r, str>,
        flaws: &mut Vec<ReadWarning>,
    ) -> Response<'r> {
        let Schema {
            slots, definition, ..
        } = self.schema;
        let (Some(slots), Some(paths)) =
            (slots.responses.get(place), definition.responses.get(place))
        else {
            return Response {
                text,
                ..Response::default()
            };
        };
        // Of a row with one response, whoever pairs it with another row knows which it is.
        let is_one_of_several = definition.responses.len() > 1;
        let of = ResponseId::new(place).filter(|_| is_one_of_several);
        let mut is_odd = |what| flaws.push(ReadWarning::OddValue { response: of, what });
        let mut ratings = Vec::with_capacity(definition.labels.len());
        for (slot, label) in slots.ratings.iter().zip(&definition.labels) {
            let rating = slot.map_or(Ok(None), |slot| self.rating(slot, label));
            ratings.push(rating.unwrap_or_else(|what| {
                is_odd(what);
                None
            }));
        }
        let mut count = |slot: Option<u16>, path: Option<&Path>| {
            let (value, path) = self.wanted(slot, path)?;
            if !decode::is_list_of_numbers(value) {
                is_odd(odd(&path.to_string(), value, "not a list of token ids"));
            }
            decode::is_list_of_numbers(value).then(|| decode::list_length(value))?
        };
        let prefix = count(slots.prefix, paths.prefix_tokens.as_ref());
        let tokens = match (
            prefix,
            count(slots.completion, paths.completion_tokens.as_ref()),
        ) {
            (None, None) => None,
            (prefix, completion) => Some(TokenCounts {
                prefix: prefix.unwrap_or(0),
                completion: completion.unwrap_or(0),
            }),
        };
        let quotes = self.wanted(slots.quotes, paths.quotes.as_ref());
        let quotes = quotes.and_then(|(value, path)| match decode::quotes(value) {
            Ok((quotes, flaw)) => {
                flaws.extend(flaw);
                Some(quotes)
            }
            Err(_) => {
                let shape = "neither {title, extract} lists nor a list of {title, extract}";
                flaws.push(ReadWarning::OddValue {
                    response: of,
                    what: odd(&path.to_string(), value, shape),
                });
                None
            }
        });
        Response {
            text,
            ratings,
            quotes,
            tokens,
        }
    }

    fn noted<T>(
        &self,
        value: &str,
        decoded: Decoded<T>,
        flaws: &mut Vec<ReadWarning>,
    ) -> Result<T, RowError> {
        let (decoded, flaw) = decoded.map_err(|reason| self.fault(value, reason))?;
        flaws.extend(flaw);
        Ok(decoded)
    }

    fn outcome(&self, responses: &[Response<'_>]) -> Option<Outcome> {
        let native = |path: &Path, value: &str| Some(format!("{path} {value}"));
        let (verdict, margin) = match self.schema.definition.rule() {
            Some(VerdictRule::ByLabel(_)) => return self.schema.outcome_by_label(responses),
            _ => self.stated()?,
        };
        let value = self
            .schema
            .slots
            .verdict
            .and_then(|slot| self.value(slot))
            .unwrap_or_default();
        let native = match self.schema.definition.rule() {
            Some(VerdictRule::BySign(rule)) => native(&rule.path, value),
            Some(VerdictRule::ByValue(rule)) => native(&rule.path, &decode::plain(value).0),
            _ => None,
        };
        Some(Outcome {
            verdict,
            margin,
            native,
        })
    }

    /// The verdict that the row states itself, and by how much A wins where it says so.
    pub(super) fn stated(&self) -> Option<(Verdict, Option<f64>)> {
        self.read_verdict().ok().flatten()
    }

    /// Decodes the verdict and the native margin that the row states; the error says what is odd
    /// about a value that names no winner.
    fn read_verdict(&self) -> Result<Option<(Verdict, Option<f64>)>, String> {
        let Some(rule) = self
            .schema
            .definition
            .rule()
            .filter(|_| self.schema.slots.responses.len() > 1)
        else {
            return Ok(None);
        };
        if let VerdictRule::Fixed(rule) = rule {
            return Ok(Some((Verdict::Wins(rule.always), None)));
        }
        let value = self.schema.slots.verdict.and_then(|slot| self.value(slot));
        let Some(value) = value.filter(|value| *value != "null") else {
            return Ok(None);
        };
        match rule {
            VerdictRule::ByLabel(_) | VerdictRule::Fixed(_) => Ok(None),
            VerdictRule::BySign(rule) => {
                let odd = |what: &str| Err(odd(&rule.path.to_string(), value, what));
                let native = match number(value) {
                    None => return odd("not a number"),
                    Some(native) if !native.is_finite() => return odd("too great for a number"),
                    Some(native) if !includes(rule.range, native) => {
                        return odd(&outside(rule.range));
                    }
                    Some(native) => native,
                };
                // Minus zero would print as "-0".
                let margin = if rule.positive == ResponseId::A {
                    native
                } else {
                    -native
                };
                let margin = margin + 0.0;
                Ok(Some((Verdict::of_margin(margin), Some(margin))))
            }
            VerdictRule::ByValue(rule) => {
                let word = decode::plain(value).0;
                let is_of = |words: &[String]| words.iter().any(|known| *known == word);
                if is_of(&rule.a) {
                    Ok(Some((Verdict::Wins(ResponseId::A), None)))
                } else if is_of(&rule.b) {
                    Ok(Some((Verdict::Wins(ResponseId::B), None)))
                } else if rule.tie.as_deref().is_none_or(is_of) {
                    Ok(Some((Verdict::Tie, None)))
                } else {
                    Err(odd(&rule.path.to_string(), value, "which names no winner"))
                }
            }
        }
    }

    fn facts(&self, flaws: &mut Vec<ReadWarning>) -> Vec<Fact<'r>> {
        let mut facts = Vec::new();
        for (&slot, path) in self
            .schema
            .slots
            .facts
            .iter()
            .zip(&self.schema.definition.facts)
        {
            let Some(value) = self.value(slot).filter(|value| *value != "null") else {
                continue;
            };
            let (text, flaw) = decode::plain(value);
            flaws.extend(flaw);
            facts.push(Fact {
                name: path.name.clone(),
                value: text,
            });
        }
        facts
    }
}

/// The number that a captured value spells; infinite where it is too great.
fn number(value: &str) -> Option<f64> {
    matches!(value.as_bytes(), [b'-' | b'0'..=b'9', ..]).then(|| value.parse().ok())?
}

/// What is wrong with a number that is not in its range.
fn outside(range: Option<[f64; 2]>) -> String {
    let [low, high] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    format!("outside {low} to {high}")
}

/// What is odd about a value, for people and safe to show: its field, how it stands in the file,
/// and why it counts as none.
fn odd(field: &str, value: &str, why: &str) -> String {
    const FIELD: usize = 48;
    const VALUE: usize = 24;
    format!(
        "{} is {}, {why}",
        text::one_line(field, FIELD),
        text::one_line(value, VALUE)
    )
}

/// The JSON type of a value, for people.
fn kind_of(value: &str) -> &'static str {
    match value.as_bytes().first() {
        Some(b'"') => "text",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// What serde_json says of a line, in words for people who see the line beside it.
fn syntax_fault(error: &serde_json::Error, line: &[u8]) -> RowError {
    let said = error.to_string();
    // serde_json appends " at line 1 column 17"; the place is shown separately.
    let said = said
        .rsplit_once(" at line ")
        .map_or(said.as_str(), |(what, _)| what);
    let reason = if error.is_eof() {
        format!("the line ends too early ({said}): cut off?")
    } else if line
        .first()
        .is_some_and(|first| !matches!(first, b'{' | b'['))
    {
        "not a JSON object".to_owned()
    } else {
        format!("not JSON: {said}")
    };
    RowError {
        column: error.column(),
        reason,
    }
}
