//! Votes of annotators for the best response, and their values of labels.

use std::borrow::Cow;

use serde_json::Value;

use super::path::values_at;
use super::reader::CapturedRow;
use super::slots::{NestedSlot, RatingSlot, VoteSlots};
use super::values::{annotators_of, invalid_value, number, plain, says_nothing, string};
use crate::json::{elements_of, is_json, members_of};
use crate::model::{
    NamedVote, Outcome, ReadWarning, ResponseId, ResponseSet, Verdict, Vote, Votes,
};
use crate::schema::layout::definition::{Label, Reduction};
use crate::schema::layout::vote_path::VotePaths;
use crate::table::Path;

#[derive(Debug, Default)]
pub struct RowVotes {
    pub votes: Votes,
    /// Warnings about values that cannot be read as votes.
    pub warnings: Vec<ReadWarning>,
}

impl<'r> CapturedRow<'_, 'r> {
    /// Reads each annotator's vote for the best response; annotators' names only if `with_names`.
    pub(in crate::schema) fn read_votes(&self, with_names: bool) -> RowVotes {
        let mut read = RowVotes::default();
        let definition = self.schema.definition();
        for (slots, paths) in self.schema.slots.votes.iter().zip(&definition.votes) {
            read.votes.have_strengths |= !paths.names_winners();
            let mut reader = VoteReader {
                paths,
                names: self.response_names(slots),
                responses: self.response_count(),
                with_names,
                read: &mut read,
            };
            match slots.each.map(|list| self.value(list)) {
                Some(list) => {
                    let beside = [&slots.skip, &slots.annotator].map(|slots| {
                        let lists = slots.iter().map(|nested| self.found(nested).pop());
                        lists.map(Option::unwrap_or_default).collect()
                    });
                    list.into_iter()
                        .for_each(|it| reader.take_list(it, &beside));
                }
                None => self.column_votes(&mut reader, slots),
            }
        }
        read.votes.have_strengths &= !read.votes.each.is_empty();
        read
    }

    /// Reads the votes with their annotators' names. If each row is one annotator's and has no paths
    /// of votes, its own verdict is the vote.
    pub(super) fn named_votes(
        &self,
        own: Option<&Outcome>,
        warnings: &mut Vec<ReadWarning>,
    ) -> Votes {
        let mut read = self.read_votes(true);
        warnings.extend(read.warnings);
        let slots = &self.schema.slots;
        if slots.votes.is_empty() && self.schema.definition.is_row_by_annotator() {
            let annotator = slots.annotator.and_then(|slot| self.value(slot));
            read.votes.each.extend(own.map(|own| NamedVote {
                annotator: annotator.and_then(name_of),
                vote: self.vote_of(own.verdict, own.margin),
            }));
            read.votes.have_strengths = self.schema.states_strengths();
        }
        read.votes
    }

    /// Converts a verdict into a vote; a pair's margin becomes its strength if rows state one.
    pub(super) fn vote_of(&self, verdict: Verdict, margin: Option<f64>) -> Vote {
        margin
            .filter(|_| self.schema.states_strengths())
            .map_or_else(|| Vote::of(verdict), Vote::of_strength)
    }

    fn column_votes(&self, reader: &mut VoteReader<'_>, columns: &VoteSlots) {
        let paths = reader.paths;
        let mut skip = columns.skip.iter().zip(paths.skip.values());
        if skip.any(|(nested, words)| says_any(self.found(nested), words)) {
            return;
        }
        let are_alike = paths
            .columns
            .windows(2)
            .all(|pair| pair[0].last_key() == pair[1].last_key());
        for (nested, path) in columns.scores.iter().zip(&paths.columns) {
            let name = || match columns.scores.len() {
                1 => columns
                    .annotator
                    .iter()
                    .find_map(|nested| name_of(self.found(nested).first()?)),
                // In `annotator_1.preference` and `annotator_2.preference`, the first keys differ.
                _ if are_alike => path.first_key().map(str::to_owned),
                _ => path.last_key().map(str::to_owned),
            };
            reader.take(&self.found(nested), &name);
        }
    }

    /// Returns the values of a nested slot; JSON in a string is opened.
    fn found(&self, nested: &NestedSlot) -> Vec<String> {
        let Some(value) = self.value(nested.slot) else {
            return Vec::new();
        };
        match nested.rest.steps() {
            [] => vec![value.to_owned()],
            _ => spelled_at(&*opened(value), &nested.rest),
        }
    }

    /// Returns the names by which votes refer to responses, with the responses' indices.
    fn response_names(&self, slots: &VoteSlots) -> Vec<(usize, Cow<'r, str>)> {
        let names = slots.names.iter().enumerate();
        let name = |(response, &slot): (usize, &usize)| {
            let value = self
                .value(slot)
                .filter(|value| !says_nothing(value) && *value != "null")?;
            Some((self.place_of_response(response)?, plain(value).0))
        };
        names.filter_map(name).collect()
    }

    /// Returns the annotators' values of a label for a response; empty if the row has no list, or
    /// the list is invalid.
    pub(super) fn annotated(&self, slot: Option<RatingSlot>, label: &Label) -> Vec<f64> {
        let Some(RatingSlot::Value(slot)) = slot else {
            return Vec::new();
        };
        let list = self.value(slot).filter(|value| value.starts_with('['));
        list.and_then(|list| annotators_of(list, label).ok())
            .unwrap_or_default()
    }
}

/// A vote; `None` if the schema excludes it. The error describes an invalid value.
type ReadVote = Result<Option<Vote>, String>;

struct VoteReader<'v> {
    paths: &'v VotePaths,
    /// Names of the responses, with their indices on the row.
    names: Vec<(usize, Cow<'v, str>)>,
    responses: usize,
    with_names: bool,
    read: &'v mut RowVotes,
}

impl VoteReader<'_> {
    /// Adds an annotator's vote: the first of these values that is readable. If none is, only this
    /// vote is lost.
    fn take(&mut self, values: &[impl AsRef<str>], annotator: &dyn Fn() -> Option<String>) {
        let votes = values.iter().filter_map(|value| self.vote(value.as_ref()));
        match votes.min_by_key(Result::is_err) {
            None => {}
            Some(Ok(None)) => self.read.votes.excluded += 1,
            Some(Ok(Some(vote))) => {
                let annotator = self.with_names.then(annotator).flatten();
                self.read.votes.each.push(NamedVote { annotator, vote });
            }
            Some(Err(what)) => self.warn(what),
        }
    }

    fn warn(&mut self, what: String) {
        self.read.warnings.push(ReadWarning::invalid(what));
    }

    /// Adds the votes of a whole list or object, unless a list beside it says that there is none.
    fn take_list(&mut self, value: &str, beside: &[Vec<String>; 2]) {
        let beside = beside.each_ref().map(|lists| {
            let lists = lists.iter().map(|list| opened(list));
            lists.collect::<Vec<_>>()
        });
        let [skip, annotators] = beside.each_ref().map(|lists| {
            let lists = lists.iter().map(|list| list_elements(list));
            lists.map(Option::unwrap_or_default).collect::<Vec<_>>()
        });
        let each = self.paths.each.clone().unwrap_or_default().to_string();
        let value = &*opened(value);
        if let Some(elements) = list_elements(value).filter(|_| self.is_listed(value)) {
            for (place, element) in elements.iter().enumerate() {
                let is_none = skip
                    .iter()
                    .zip(self.paths.skip.values())
                    .any(|(list, words)| says_any(list.get(place), words));
                if !is_none {
                    let named = annotators.iter().find_map(|list| name_of(list.get(place)?));
                    self.take_element(element, named.as_deref(), &|| format!("{each}/{place}"));
                }
            }
        } else if let Some(members) = members_of(value) {
            for (key, element) in members {
                let count = element.parse().ok().filter(|_| self.paths.score.is_empty());
                match count.zip(self.named(&key).map(Vote::of)) {
                    Some((count, vote)) => self.take_counted(count, vote, &each),
                    None => self.take_element(element, Some(&key), &|| format!("{each}/{key}")),
                }
            }
        } else if value != "null" && !says_nothing(value) {
            self.warn(invalid_value(&each, value, "not a list"));
        }
    }

    /// True if a value is a list, also as tables write it.
    fn is_listed(&self, value: &str) -> bool {
        value.starts_with('[') || (self.paths.score.is_empty() && value.contains(SEPARATORS))
    }

    /// Takes the number of votes for a response.
    fn take_counted(&mut self, count: u64, vote: Vote, each: &str) {
        let votes = &mut self.read.votes.each;
        let room = MAX_COUNTED.saturating_sub(votes.len() as u64);
        let named = |_| NamedVote {
            annotator: None,
            vote,
        };
        votes.extend((0..count.min(room)).map(named));
        if count > room {
            let what = format!("more than {MAX_COUNTED} votes in total");
            self.warn(invalid_value(each, &count.to_string(), &what));
        }
    }

    fn take_element(&mut self, element: &str, key: Option<&str>, path: &dyn Fn() -> String) {
        let paths = self.paths;
        if element == "null" {
            return;
        }
        if paths.score.is_empty() {
            return self.take(&[element], &|| key.map(str::to_owned));
        }
        let goes_on = |path: &Path| {
            path.steps()
                .first()
                .is_some_and(|step| step == Path::EACH || step.parse::<usize>().is_ok())
        };
        let is_list = element.starts_with('[') && paths.score.iter().any(goes_on);
        if !(element.starts_with('{') || is_list) {
            return self.warn(invalid_value(&path(), element, "not an object"));
        }
        let find = |path: &Path| spelled_at(element, path);
        let mut skip = paths.skip.iter();
        if skip.any(|(path, words)| says_any(find(&Path::from(path.as_str())), words)) {
            return;
        }
        let scores: Vec<_> = paths.score.iter().flat_map(find).collect();
        let name = || {
            paths
                .annotator
                .iter()
                .flat_map(find)
                .find_map(|value| name_of(&value))
                .or_else(|| key.map(str::to_owned))
        };
        self.take(&scores, &name);
    }

    /// Reads a value as spelled in the file; `None` if it means that there is no vote.
    fn vote(&self, value: &str) -> Option<ReadVote> {
        let unread = |why| {
            Some(Err(invalid_value(
                &self.paths.whole_path().to_string(),
                value,
                why,
            )))
        };
        if value == "null" {
            return None;
        }
        if self.paths.names_winners() {
            return match self.choice(value) {
                Some(vote) => Some(Ok(Some(vote))),
                None if says_nothing(value) || value == "[]" => None,
                None => unread("not a vote"),
            };
        }
        let VotePaths {
            values,
            none,
            positive,
            ..
        } = self.paths;
        let known = (!values.is_empty()).then(|| values.get(&*plain(value).0).copied());
        match known.flatten().or_else(|| number(value)) {
            Some(number) if none.contains(&number) => Some(Ok(None)),
            Some(number) if number.is_finite() => {
                let sign = if *positive == ResponseId::A {
                    1.0
                } else {
                    -1.0
                };
                // `+ 0.0`, since minus zero would print as "-0".
                Some(Ok(Some(Vote::of_strength(number * sign + 0.0))))
            }
            _ if says_nothing(value) => None,
            _ if values.is_empty() => unread("not a number"),
            _ => unread("not a vote"),
        }
    }

    /// Reads a value that names the best response, or a list that names several.
    fn choice(&self, value: &str) -> Option<Vote> {
        if !value.starts_with('[') {
            return self.named(&plain(value).0).map(Vote::of);
        }
        let mut best = ResponseSet::default();
        for name in elements_of(value)? {
            match self.named(&plain(name).0)? {
                Verdict::Tie => return Some(Vote::of(Verdict::Tie)),
                Verdict::Best(named) => best = best.with(named),
            }
        }
        Vote::for_responses(best, self.responses)
    }

    /// Returns the response that a word names, or a tie.
    fn named(&self, word: &str) -> Option<Verdict> {
        let mut named = self.names.iter().filter(|(_, name)| *name == word);
        if let Some((place, _)) = named.next() {
            // A name that two responses share is ambiguous.
            return ResponseId::new(*place)
                .filter(|_| named.next().is_none())
                .map(Verdict::wins);
        }
        let verdict = self.paths.choice(word)?;
        verdict
            .winner()
            .is_none_or(|id| id.index() < self.responses)
            .then_some(verdict)
    }
}

/// Limit for votes that a row states as counts.
const MAX_COUNTED: u64 = 100_000;
/// Separators of list elements in table cells.
pub const SEPARATORS: [char; 3] = [',', ';', '|'];

/// Returns a captured value; if it is a string that contains a JSON list or object, its contents.
fn opened(value: &str) -> Cow<'_, str> {
    string(value)
        .ok()
        .map(|(text, _)| text.trim().to_owned())
        .filter(|text| text.starts_with(['[', '{']) && is_json(text.as_bytes()))
        .map_or(Cow::Borrowed(value), Cow::Owned)
}

/// Returns the elements of an [`opened`] list as spelled in JSON, also of one with separators.
fn list_elements(value: &str) -> Option<Vec<Cow<'_, str>>> {
    if let Some(elements) = elements_of(value) {
        return Some(elements.into_iter().map(Cow::Borrowed).collect());
    }
    let (words, _) = value.starts_with('"').then(|| plain(value))?;
    let spelled = |word: &str| Cow::Owned(Value::from(word.trim()).to_string());
    Some(words.split(SEPARATORS).map(spelled).collect())
}

/// Returns the values at a path inside `value`, as spelled in JSON. The step `name=word` matches
/// the elements of a list that have this word.
fn spelled_at(value: impl AsRef<[u8]>, path: &Path) -> Vec<String> {
    let steps = path.steps();
    let split = |step: &String| {
        let (name, word) = step.split_once('=')?;
        Some((Path::key(name), vec![word.to_owned()]))
    };
    let condition = steps.iter().position(|step| step.contains('='));
    if let Some((at, (name, words))) = condition.and_then(|at| Some((at, split(&steps[at])?))) {
        let lists = spelled_at(value, &Path::of_steps(&steps[..at]));
        let meant = lists
            .iter()
            .filter_map(|list| elements_of(list))
            .flatten()
            .filter(|it| says_any(spelled_at(it, &name), &words));
        let rest = Path::of_steps(&steps[at + 1..]);
        return meant.flat_map(|it| spelled_at(it, &rest)).collect();
    }
    let mut found = Vec::new();
    let _ = values_at(value.as_ref(), path.steps(), None, &mut |value| {
        found.push(String::from_utf8_lossy(value).into_owned());
    });
    found
}

fn says_any<V: AsRef<str>>(values: impl IntoIterator<Item = V>, words: &[String]) -> bool {
    let says = |value: V| words.iter().any(|word| plain(value.as_ref()).0 == **word);
    values.into_iter().any(says)
}

/// Returns the text of a value that is a name; `None` if it is not a name.
fn name_of(value: &str) -> Option<String> {
    let is_name = value != "null" && !value.starts_with(['[', '{']) && !says_nothing(value);
    is_name.then(|| plain(value).0.into_owned())
}

impl Label {
    /// True if files have a list of annotators' values for this label itself (not statistics of
    /// another label).
    pub fn is_list(&self) -> bool {
        self.reduce == Some(Reduction::Mean)
    }
}
