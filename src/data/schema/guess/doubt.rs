//! What is doubtful about a guess, computed from the first rows read with it, and fields that are
//! named like a verdict or a score but are not used.

use std::collections::HashSet;

use serde::de::IgnoredAny;

use super::Guess;
use super::names::{Family, WORDS, any_of, name_words};
use super::responses::whole_paths;
use super::survey::{GuessField, SHORTEST, Survey};
use crate::model::Record;
use crate::schema::{Definition, ResponsePaths, Schema};
use crate::table::Path;
use crate::text;

/// Characters that a response has at least.
const LEAST: usize = 3;
/// Characters of a word such as `yes` or `incorrect`.
const WORD: usize = 12;

/// A role that a guess may have assigned wrongly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// What the rows show, as a sentence without full stop.
    pub what: String,
    /// A field that may have the missing role.
    pub path: Option<Path>,
}

impl Guess {
    /// Returns what is doubtful, as sentences without full stop.
    pub fn doubtful(&self) -> Vec<String> {
        let doubts = self.doubts.iter().map(|doubt| doubt.what.clone());
        let unused = self.unused_verdict.iter().chain(&self.unused_score);
        doubts
            .chain(unused.map(|field| field.message(true)))
            .collect()
    }
}

impl Schema {
    /// Returns what is doubtful about it, as records read with it show.
    pub fn doubts(&self, survey: &Survey) -> Vec<Doubt> {
        let lines: Vec<_> = survey.iter().map(ToString::to_string).collect();
        let reading = Reading::new(self, lines.iter().map(String::as_bytes));
        reading.doubts(self.definition(), survey)
    }
}

/// The first lines, read with a guessed schema.
pub struct Reading {
    lines: usize,
    /// Rows with responses.
    samples: usize,
    /// Samples whose prompt is empty.
    without_prompt: usize,
    /// Samples of two or more responses, all equal.
    equal: usize,
    /// Samples of one response, shorter than [`LEAST`].
    short: usize,
    /// Samples of responses that may be words.
    words: usize,
    /// Samples whose responses are lists in texts.
    lists: usize,
    /// Number of different responses.
    different: usize,
}

impl Reading {
    /// Reads lines.
    pub fn new<'l>(schema: &Schema, lines: impl ExactSizeIterator<Item = &'l [u8]>) -> Self {
        let count_of_lines = lines.len();
        let rows: Vec<_> = lines.filter_map(|line| schema.row(line).ok()).collect();
        let samples: Vec<_> = rows.iter().filter_map(|row| row.record().ok()).collect();
        let has_no_prompt =
            |sample: &&Record<'_>| sample.prompt.iter().all(|turn| turn.text.trim().is_empty());
        let texts: Vec<Vec<&str>> = samples
            .iter()
            .map(|sample| {
                sample
                    .responses
                    .iter()
                    .map(|response| response.text.trim())
                    .collect()
            })
            .collect();
        let count = |is_it: &dyn Fn(&[&str]) -> bool| texts.iter().filter(|it| is_it(it)).count();
        let is_list = |text: &&str| serde_json::from_str::<Vec<IgnoredAny>>(text).is_ok();
        Self {
            lines: count_of_lines,
            samples: samples.len(),
            without_prompt: samples.iter().filter(has_no_prompt).count(),
            equal: count(&|it| it.len() > 1 && it.iter().all(|text| text == &it[0])),
            short: count(&|it| matches!(it, [only] if only.chars().count() < LEAST)),
            words: count(&|it| it.iter().all(|text| text.chars().count() <= WORD)),
            lists: count(&|it| it.iter().all(is_list)),
            different: texts.iter().flatten().collect::<HashSet<_>>().len(),
        }
    }

    /// True if a share of the samples is at least as large as another, 0 to 1.
    fn is_share(&self, count: usize, least: f64) -> bool {
        count > 0 && count as f64 >= least * self.samples as f64
    }

    fn are_equal(&self) -> bool {
        self.is_share(self.equal, 0.8)
    }

    /// True if responses are a letter or a word, the same in many rows: they name a choice.
    fn are_short(&self) -> bool {
        let are_repeated = |times| self.samples > 7 && self.different * times < self.samples;
        are_repeated(2) && self.is_share(self.short, 0.8)
            || are_repeated(4) && self.is_share(self.words, 0.8)
    }

    /// Returns how good the schema is, larger is better: true unless values show that the responses
    /// are other texts, the share of the lines that are rows, and that of the samples with a prompt,
    /// both in tenths.
    pub fn merit(&self) -> (bool, usize, usize) {
        let tenths = |part: usize, of: usize| 10 * part / of.max(1);
        (
            !self.are_equal() && !self.are_short(),
            tenths(self.samples, self.lines),
            tenths(self.samples - self.without_prompt, self.samples),
        )
    }

    /// Returns what is doubtful about the schema.
    pub fn doubts(&self, definition: &Definition, survey: &Survey) -> Vec<Doubt> {
        let first = || definition.responses.first().map(ResponsePaths::whole_path);
        let name = |path: &Path| text::one_line(&path.steps().join("."), 48);
        let mut found = Vec::new();
        let mut add = |what, path| found.push(Doubt { what, path });
        if self.is_share(self.without_prompt, 0.5) {
            let path = unused_sentence(definition, survey);
            let other = path.as_ref().map(|it| format!(": try {}", name(it)));
            add(
                format!("no prompt found{}", other.unwrap_or_default()),
                path,
            );
        }
        if self.are_equal() {
            add("the responses are equal".to_owned(), None);
        }
        if self.are_short() {
            add("the responses are very short".to_owned(), None);
        }
        if let Some(path) = first().filter(|_| self.is_share(self.lists, 0.5)) {
            add(format!("{} is a list in a text", name(&path)), Some(path));
        }
        if let Some(path) = other_response(definition, survey) {
            add(format!("not a response: {}", name(&path)), Some(path));
        }
        found
    }
}

/// Returns the single fields with sentences.
fn sentences(survey: &Survey) -> impl Iterator<Item = &GuessField> {
    survey
        .fields()
        .filter(|field| field.is_text() && field.is_single())
        .filter(|field| field.are_sentences() && field.mean_chars() >= SHORTEST)
}

/// Returns a field with sentences that has no role.
fn unused_sentence(definition: &Definition, survey: &Survey) -> Option<Path> {
    let used = definition.used_paths();
    sentences(survey)
        .find(|field| !used.contains(&field.path))
        .map(|field| field.path.clone())
}

/// Returns a text that is named like a response but is none: its name ends in the same noun, or it is
/// one of several numbered texts next to a single response.
fn other_response(definition: &Definition, survey: &Survey) -> Option<Path> {
    if definition.has_response_lists() {
        return None;
    }
    let families = Family::all(survey);
    let noun = |words: &[String]| -> Option<String> {
        words
            .iter()
            .rfind(|word| WORDS.response_words.has(word))
            .cloned()
    };
    let paths = whole_paths(&definition.responses);
    let nouns: Vec<_> = paths
        .iter()
        .filter_map(|path| noun(&name_words(path.last_key()?)))
        .collect();
    let prompts: Vec<_> = definition.prompt.iter().flat_map(|it| &it.path).collect();
    let is_taken = |path: &Path| paths.contains(path) || prompts.contains(&path);
    // Edited versions of all responses are about them.
    let is_of_each = |path: &Path| {
        families
            .iter()
            .filter(|family| family.set.is_of_places())
            .any(|family| family.has(path) && family.fields.len() >= paths.len())
    };
    let mut named = sentences(survey).filter(|field| {
        let words = field.key_words();
        let lists = [
            &WORDS.reference,
            &WORDS.no_response,
            &WORDS.bare,
            &WORDS.annotator,
            &WORDS.gold_beside,
        ];
        words.len() > 1
            && noun(&words).is_some_and(|noun| nouns.contains(&noun))
            && !any_of(&lists, &words)
            && !is_taken(&field.path)
            && !is_of_each(&field.path)
    });
    let are_several = |family: &&Family<'_>| {
        let lists = [
            &WORDS.no_response,
            &WORDS.reference,
            &WORDS.prompt,
            &WORDS.context,
        ];
        family.set.is_of_places()
            && family
                .fields
                .iter()
                .all(|it| it.are_sentences() && it.is_single() && !is_taken(&it.path))
            && !any_of(&lists, &family.stem)
    };
    let several = || {
        families
            .iter()
            .find(are_several)
            .filter(|_| paths.len() == 1)
    };
    let field = named.next().or_else(|| Some(several()?.fields[0]))?;
    Some(field.path.clone())
}

/// A field that is named like a verdict or a score but is not used.
#[derive(Debug, Clone, PartialEq)]
pub struct UnusedField {
    /// Its path, safe to show.
    pub path: String,
    /// A value that was not understood, safe to show, but not to a blind reviewer.
    pub value: String,
    /// Why it is not used.
    pub reason: UnusedReason,
}

/// Why a field is not used as the verdict or a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusedReason {
    /// Its values do not clearly say which response wins.
    Unsure,
    /// Its values name responses, but its name does not say that they are the winners.
    Unnamed,
    /// Its numbers may count responses from 0 or from 1.
    CountsFrom,
    /// Its numbers may either rate the responses or name some of them.
    RatesOrNames,
    /// Its numbers have a comma: `1,000` is ambiguous.
    Commas,
    /// Its name says that it names the losing response.
    NamesLoser,
    /// It contradicts the field that is used.
    Contradicts,
    /// It is named after something bad.
    LowerMayWin,
    /// It is named after a measure, such as the length.
    Measures,
    /// It is one of several ratings, none of the whole response.
    OneOfSeveral,
}

impl UnusedField {
    pub fn new(path: &Path, value: &str, reason: UnusedReason) -> Self {
        Self {
            path: text::one_line(&path.to_string(), 48),
            value: text::one_line(value, 24),
            reason,
        }
    }

    /// True if only the field's name does not say that its values are winners.
    pub fn is_unnamed(&self) -> bool {
        self.reason == UnusedReason::Unnamed
    }

    /// Returns the message that it is not used, and why.
    pub fn message(&self, with_value: bool) -> String {
        let Self { path, value, .. } = self;
        let what = match self.reason {
            UnusedReason::Commas => "a score",
            _ => "the verdict",
        };
        let why = match self.reason {
            UnusedReason::Commas if with_value => {
                &*format!(": {value} has a decimal comma instead of a point")
            }
            UnusedReason::Unsure if with_value => {
                &format!(": {value} does not clearly name a winner")
            }
            UnusedReason::Unnamed => {
                &format!(": its name does not mean a winner; add winner={path} to --map")
            }
            UnusedReason::Unsure => "",
            UnusedReason::CountsFrom => ": its numbers may count from 0 or from 1",
            UnusedReason::RatesOrNames => ": its numbers may rate the responses or name them",
            UnusedReason::Commas => ": it has decimal commas",
            UnusedReason::NamesLoser => ": its name means the losing response",
            UnusedReason::Contradicts => ": it names a different winner in some rows",
            UnusedReason::LowerMayWin => ": lower may be better",
            UnusedReason::Measures => ": higher is not always better",
            UnusedReason::OneOfSeveral => ": other fields also rate the responses",
        };
        format!("{path} is not used as {what}{why}")
    }
}
