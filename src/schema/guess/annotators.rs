//! Unknown records: where annotators say which response is best. Fields are found by what they say, and
//! by their names where a number or a single letter could mean anything.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::verdict::{ResponseNames, Said};
use crate::model::ResponseId;
use crate::schema::definition::{Definition, RatingSource, VerdictRule, VerdictTold};
use crate::schema::path::Path;
use crate::schema::values::says_nothing;
use crate::schema::vote_path::VotePaths;

/// Parts of names of fields in which annotators speak.
const ANNOTATOR: &str = "annot rater voter vote judg review worker labeler labeller expert human crowd evaluator \
                         assessor participant grader coder turk panel opinion";
/// Parts of names of fields that say which response is best, the surest first.
const CHOICE: &str =
    "overall prefer winner vote choice chosen better best verdict judg select pick label";
/// Words in names of numbers that rate or count, and name no response.
const MEASURE: &str = "score rating reward grade likert confidence time count num second age agreement length \
                       strength margin id";
/// Names of fields, in lower case and without separators, that have an annotator's name; the first ones
/// also before `id` and `name`.
const NAME: &str = "annotator rater worker labeler labeller reviewer judge evaluator assessor participant voter grader \
                    user session";
const OTHER_NAME: &str = "annotatedby completedby labeledby labelledby ratedby by";

fn has_part(name: &str, parts: &str) -> bool {
    let name = name.to_ascii_lowercase();
    parts.split(' ').any(|part| name.contains(part))
}

/// Whether a name of a field has one of these words, also as a plural.
fn has_word(name: &str, words: &str) -> bool {
    let mut separated = String::new();
    for sign in name.chars() {
        if !sign.is_alphabetic() || sign.is_uppercase() {
            separated.push(' ');
        }
        separated.extend(sign.to_lowercase().filter(|sign| sign.is_alphabetic()));
    }
    let is_one = |word: &str| words.split(' ').any(|known| known == word);
    separated
        .split(' ')
        .any(|word| is_one(word) || is_one(word.trim_end_matches('s')))
}

/// Whether a field has an annotator's name, by its own.
fn is_annotator_name(key: &str) -> bool {
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    let key = key.to_ascii_lowercase();
    let stem = key
        .strip_suffix("id")
        .or(key.strip_suffix("name"))
        .unwrap_or(&key);
    NAME.split(' ').any(|known| known == stem) || OTHER_NAME.split(' ').any(|known| known == key)
}

/// Adds the votes of annotators that records have to a definition whose responses are known, and who
/// annotated a row. Most votes decide who wins if nothing else does.
pub(super) fn add_votes(definition: &mut Definition, records: &[Value]) {
    let is_of_several = definition.responses.len() > 1 || definition.has_response_lists();
    if definition.joins_rows() || !is_of_several {
        return;
    }
    let objects: Vec<_> = records.iter().filter_map(Value::as_object).collect();
    let guess = VoteGuess::of(definition, &objects);
    let votes = guess.list().or_else(|| guess.columns());
    let annotator = guess
        .fields(false)
        .find(|path| path.last_key().is_some_and(is_annotator_name));
    if let Some(votes) = votes {
        take_votes(definition, votes);
    }
    definition.annotator = definition.annotator.take().or(annotator);
}

/// Adds votes, and drops what was taken for something else of the same fields.
fn take_votes(definition: &mut Definition, votes: VotePaths) {
    let columns = &votes.columns;
    let is_column = |path: &Path| columns.contains(path) || votes.each.as_ref() == Some(path);
    let is_taken =
        |source: &RatingSource| matches!(source, RatingSource::Path(path) if is_column(path));
    let mut labels = BTreeSet::new();
    for response in &definition.responses {
        let ratings = response
            .ratings
            .iter()
            .filter(|(_, source)| is_taken(source));
        labels.extend(ratings.map(|(name, _)| name.clone()));
    }
    definition
        .labels
        .retain(|label| !labels.contains(&label.name));
    for response in &mut definition.responses {
        response.ratings.retain(|name, _| !labels.contains(name));
    }
    let is_other = |verdict: &VerdictTold| match &verdict.rule {
        VerdictRule::ByLabel { label, .. } => !labels.contains(label),
        rule => !rule.paths().any(is_column),
    };
    let verdict = definition.verdict.take().filter(is_other);
    definition.verdict = verdict.or(Some(VerdictRule::ByVotes.into()));
    // A list that is captured whole has no places of its own inside.
    let list = votes.each.clone();
    let is_outside = |path: &Path| {
        list.as_ref()
            .is_none_or(|list| !path.steps().starts_with(list.steps()))
    };
    definition.facts.retain(|fact| is_outside(&fact.path));
    definition
        .texts
        .retain(|text| text.path.as_ref().is_none_or(is_outside));
    definition.votes.push(votes);
}

/// A definition of the tasks that Label Studio exports: `inner` guesses that of their `data`, whose
/// names are anybody's; `None` if the records are no tasks.
pub(super) fn of_tasks(
    records: &[Value],
    inner: &dyn Fn(&[Value]) -> Option<Definition>,
) -> Option<Definition> {
    const TASK: &str = include_str!("../../../assets/schemas/label-studio.toml");
    let is_annotation = |value: &Value| value.get("result").is_some_and(Value::is_array);
    let data = |record: &Value| {
        let annotations = record.get("annotations")?.as_array()?;
        let is_task = annotations.iter().all(is_annotation);
        record
            .get("data")
            .filter(|data| is_task && data.is_object())
            .cloned()
    };
    let data: Vec<_> = records.iter().filter_map(data).collect();
    if data.is_empty() || data.len() * 2 < records.len() {
        return None;
    }
    let task = Definition::parse(TASK).ok()?;
    let objects: Vec<_> = data.iter().filter_map(Value::as_object).collect();
    let mut definition = inner(&data)?;
    let guess = VoteGuess::of(&definition, &objects);
    let mut votes = task.votes.into_iter().next()?;
    votes.names = guess.name_sources().into_iter().next().unwrap_or_default();
    votes.words = Some(Arc::clone(&guess.words));
    definition.each_path(&|path| *path = Path::key("data").join(path));
    votes
        .names
        .iter_mut()
        .for_each(|path| *path = Path::key("data").join(path));
    definition.title = task.title;
    take_votes(&mut definition, votes);
    Some(definition)
}

/// What votes are looked for by.
struct VoteGuess<'r> {
    definition: &'r Definition,
    records: &'r [&'r Map<String, Value>],
    /// How values name responses.
    words: Arc<ResponseNames>,
}

/// How values say which response is best.
#[derive(Default)]
struct VoteReading {
    /// Values that name a response.
    wins: usize,
    /// Values that are a word for a tie.
    ties: usize,
    /// Values that say nothing of either.
    others: usize,
    /// Whether all are numbers or single letters, which could mean anything.
    is_vague: bool,
}

impl VoteReading {
    /// Whether nearly all are votes.
    fn are_votes(&self) -> bool {
        self.wins > 0 && self.others * 4 <= self.wins + self.ties
    }
}

impl<'r> VoteGuess<'r> {
    fn of(definition: &'r Definition, records: &'r [&'r Map<String, Value>]) -> Self {
        Self {
            definition,
            records,
            words: Arc::new(ResponseNames::of_definition(definition)),
        }
    }

    /// The scalar fields that are neither the prompt nor a response, those of the record first; with
    /// those of its objects if `is_deep`.
    fn fields(&self, is_deep: bool) -> impl Iterator<Item = Path> {
        let (mut paths, mut seen) = (Vec::new(), HashSet::new());
        let mut add = |path: Path, value: &Value| {
            let is_scalar = !value.is_array() && !value.is_object();
            let text = value.as_str().map_or(0, str::len);
            let is_new = is_scalar && text <= 80 && seen.insert(path.clone());
            if is_new && !super::is_text_of(self.definition, &path) {
                paths.push(path);
            }
        };
        for record in self.records {
            for (key, value) in *record {
                add(Path::key(key), value);
            }
        }
        for (key, value) in self.records.iter().copied().flatten().filter(|_| is_deep) {
            for (inner, value) in value.as_object().into_iter().flatten() {
                add(Path::key(key).then(inner), value);
            }
        }
        paths.into_iter()
    }

    /// Where each response has a name that values can use, from the record on: model names or ids.
    fn name_sources(&self) -> Vec<Vec<Path>> {
        let responses = &self.definition.responses;
        if let [response] = &responses[..] {
            let Some(each) = &response
                .each
                .clone()
                .or(response.text.list().map(Path::of_steps))
            else {
                return Vec::new();
            };
            let lists = self
                .records
                .iter()
                .filter_map(|record| at(record, each)?.as_array());
            let objects = lists.flatten().filter_map(Value::as_object);
            let members = objects.flatten().filter(|(_, value)| {
                value.is_number() || value.as_str().is_some_and(|text| text.len() <= 80)
            });
            let keys: BTreeSet<_> = members.map(|(key, _)| key).collect();
            // An id before a name.
            let mut keys: Vec<_> = keys.into_iter().collect();
            keys.sort_by_key(|key| !has_part(key, "id"));
            let path = |key: &String| vec![each.each_then(&Path::key(key))];
            return keys.into_iter().map(path).collect();
        }
        let sides = sides(self.definition);
        let (Some(first), false) = (sides.first(), sides.iter().any(String::is_empty)) else {
            return Vec::new();
        };
        let keys: BTreeSet<_> = self
            .records
            .iter()
            .flat_map(|record| record.keys())
            .collect();
        let of_key = |key: &&String| {
            let (before, after) = split_at_word(key, first)?;
            let all = sides.iter().map(|side| format!("{before}{side}{after}"));
            let all: Vec<_> = all.collect();
            let is_name = |key: &String| {
                let path = Path::key(key);
                let is_text = self.records.iter().any(|record| {
                    record
                        .get(key)
                        .and_then(Value::as_str)
                        .is_some_and(|text| text.len() <= 80)
                });
                is_text && !super::is_text_of(self.definition, &path)
            };
            all.iter()
                .all(is_name)
                .then(|| all.iter().map(|key| Path::key(key)).collect())
        };
        keys.iter()
            .copied()
            .filter_map(|key| of_key(&key))
            .collect()
    }

    /// Reads values, each with its record, as words or names from a source.
    fn reading(
        &self,
        values: &[(&Map<String, Value>, &Value)],
        names: Option<&[Path]>,
    ) -> VoteReading {
        let mut reading = VoteReading {
            is_vague: names.is_none(),
            ..VoteReading::default()
        };
        for (record, value) in values {
            let word = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            reading.is_vague &=
                value.is_number() || word.trim().len() < 2 || word.parse::<f64>().is_ok();
            let is_named = names.is_some_and(|names| names_in(record, names).contains(&word));
            let known = self.words.said(&word);
            match known {
                _ if is_named => reading.wins += 1,
                Some(Said::Tie) => reading.ties += 1,
                Some(_) if names.is_none() => reading.wins += 1,
                _ if value.is_null() || says_nothing(&value.to_string()) => {}
                _ => reading.others += 1,
            }
        }
        reading.is_vague &= reading.wins > 0;
        reading
    }

    /// The sources of names by which values are read, `None` first: the words that all files use.
    fn votes(&self, values: &[(&Map<String, Value>, &Value)], is_named: bool) -> Option<VotePaths> {
        let sources = self.name_sources();
        let mut sources = std::iter::once(None).chain(sources.iter().map(|it| Some(&**it)));
        let names = sources.find(|names| {
            let reading = self.reading(values, *names);
            reading.are_votes() && (is_named || !reading.is_vague)
        })?;
        let mut choices: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (_, value) in values {
            let word = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let letter = match self.words.said(&word) {
                Some(Said::Tie) => "tie".to_owned(),
                Some(Said::Wins(place)) if names.is_none() => {
                    ResponseId::new(place).map_or_else(String::new, |id| id.word().to_string())
                }
                _ => continue,
            };
            let words = choices.entry(letter).or_default();
            if !words.contains(&word) {
                words.push(word);
            }
        }
        Some(VotePaths {
            choices,
            words: Some(Arc::clone(&self.words)).filter(|_| names.is_none()),
            names: names.map(<[Path]>::to_vec).unwrap_or_default(),
            ..VotePaths::default()
        })
    }

    /// Votes in a list with an element for each, or in an object with a member for each annotator.
    fn list(&self) -> Option<VotePaths> {
        let (mut keys, mut seen) = (Vec::new(), HashSet::new());
        for key in self.records.iter().flat_map(|record| record.keys()) {
            let is_response = |response: &crate::schema::ResponsePaths| {
                let list = response
                    .each
                    .as_ref()
                    .map(Path::steps)
                    .or(response.text.list());
                list.is_some_and(|list| list == [key.clone()])
            };
            if seen.insert(key) && !self.definition.responses.iter().any(is_response) {
                keys.push(key);
            }
        }
        keys.into_iter().find_map(|key| self.list_at(key))
    }

    fn list_at(&self, key: &str) -> Option<VotePaths> {
        let is_annotators = has_part(key, ANNOTATOR);
        let is_named = (is_annotators || has_part(key, CHOICE)) && !has_word(key, MEASURE);
        let mut elements = Vec::new();
        let mut is_object = false;
        for record in self.records {
            match record.get(key) {
                Some(Value::Array(list)) => elements.extend(list.iter().map(|it| (*record, it))),
                // One member for each aspect is more usual.
                Some(Value::Object(members)) if is_annotators => {
                    is_object = true;
                    elements.extend(members.values().map(|it| (*record, it)));
                }
                Some(Value::String(text)) if is_annotators => {
                    let inner = serde_json::from_str::<Value>(text).ok();
                    let is_list = inner.is_some_and(|inner| inner.is_array());
                    let words = text.split([',', ';', '|']);
                    if is_list || words.count() > 1 {
                        return self.list_in_text(key);
                    }
                    return None;
                }
                None | Some(Value::Null) => {}
                Some(_) => return None,
            }
        }
        let each = Some(Path::key(key));
        if elements.iter().all(|(_, element)| !element.is_object()) {
            // A list of several, as of Prodigy, is one vote if they are all different.
            if !is_object && has_part(key, "accept select chosen best") {
                return self.accepted(key, &elements);
            }
            if is_object && self.are_counts(key) {
                return Some(VotePaths {
                    each,
                    words: Some(Arc::clone(&self.words)),
                    ..VotePaths::default()
                });
            }
            let votes = self.votes(&elements, is_named)?;
            return Some(VotePaths { each, ..votes });
        }
        let members = elements
            .iter()
            .filter_map(|(_, element)| element.as_object());
        let mut keys: Vec<Path> = Vec::new();
        for (key, value) in members.flatten() {
            let key = Path::key(key);
            let inner = value.as_object().into_iter().flatten();
            let inner = inner.map(|(inner, _)| key.then(inner));
            for path in std::iter::once(key.clone()).chain(inner) {
                if !keys.contains(&path) {
                    keys.push(path);
                }
            }
        }
        let last = |path: &Path| path.last_key().unwrap_or_default().to_owned();
        let hint = |path: &Path| {
            CHOICE
                .split(' ')
                .position(|part| has_part(&last(path), part))
        };
        let mut scores = keys.clone();
        scores.retain(|path| !is_annotator_name(&last(path)));
        scores.sort_by_key(|path| hint(path).unwrap_or(usize::MAX));
        let (score, votes) = scores.iter().find_map(|score| {
            let values = elements
                .iter()
                .filter_map(|(record, element)| Some((*record, at(element.as_object()?, score)?)));
            let values: Vec<_> = values.filter(|(_, value)| !value.is_object()).collect();
            let is_named = (hint(score).is_some() || is_named) && !has_word(&last(score), MEASURE);
            Some((score, self.votes(&values, is_named)?))
        })?;
        let is_name = |path: &&Path| {
            let key = last(path);
            *path != score && (is_annotator_name(&key) || ["id", "name", "model"].contains(&&*key))
        };
        let mut annotator: Vec<_> = keys.iter().filter(is_name).cloned().collect();
        annotator.sort_by_key(|path| !is_annotator_name(&last(path)));
        Some(VotePaths {
            each,
            score: vec![score.clone()],
            annotator,
            ..votes
        })
    }

    /// Votes in a text of a table that is a list: in JSON, or words with a comma between.
    fn list_in_text(&self, key: &str) -> Option<VotePaths> {
        let texts = self
            .records
            .iter()
            .filter_map(|record| Some((*record, record.get(key)?.as_str()?)));
        let lists = texts.map(|(record, text)| {
            let list = serde_json::from_str::<Value>(text)
                .ok()
                .filter(Value::is_array);
            let words = || {
                text.split([',', ';', '|'])
                    .map(|word| Value::from(word.trim()))
                    .collect()
            };
            let mut record = record.clone();
            record.insert(key.to_owned(), list.unwrap_or_else(words));
            record
        });
        let lists: Vec<_> = lists.collect();
        let lists: Vec<_> = lists.iter().collect();
        VoteGuess {
            definition: self.definition,
            records: &lists,
            words: self.words.clone(),
        }
        .list_at(key)
    }

    /// Whether an object has a number of votes for each response.
    fn are_counts(&self, key: &str) -> bool {
        let objects = self
            .records
            .iter()
            .filter_map(|record| record.get(key)?.as_object());
        let mut members = objects.flatten().peekable();
        members.peek().is_some()
            && members.all(|(key, value)| value.is_u64() && self.words.said(key).is_some())
    }

    /// One vote a row: a list of the accepted responses.
    fn accepted(&self, key: &str, elements: &[(&Map<String, Value>, &Value)]) -> Option<VotePaths> {
        let votes = self.votes(elements, true)?;
        let answer = "answer".to_owned();
        let answers = self
            .records
            .iter()
            .filter_map(|record| record.get(&answer)?.as_str());
        let mut answers = answers.peekable();
        let are_answers = answers.peek().is_some()
            && answers.all(|answer| ["accept", "reject", "ignore"].contains(&answer));
        let skip = are_answers.then(|| (answer, ["reject", "ignore"].map(str::to_owned).into()));
        Some(VotePaths {
            columns: vec![Path::key(key)],
            skip: skip.into_iter().collect(),
            ..votes
        })
    }

    /// Votes in fields of the record, one for each annotator: their names differ in a number, or in
    /// the annotator's name.
    fn columns(&self) -> Option<VotePaths> {
        let named = |path: &Path| path.steps().iter().any(|step| has_part(step, ANNOTATOR));
        let mut families: BTreeMap<String, Vec<Path>> = BTreeMap::new();
        let mut others = Vec::new();
        for path in self.fields(true).filter(named) {
            let values = self
                .records
                .iter()
                .filter_map(|record| Some((*record, at(record, &path)?)));
            let values: Vec<_> = values.collect();
            let is_measure = path.last_key().is_some_and(|key| has_word(key, MEASURE));
            if self.votes(&values, !is_measure).is_none() {
                continue;
            }
            let shown = path.to_string();
            let family = shown.replace(|sign: char| sign.is_ascii_digit(), "#");
            if family != shown {
                families.entry(family).or_default().push(path);
            } else if !self.reading(&values, None).is_vague {
                others.push(path);
            }
        }
        let family = families.into_values().find(|family| family.len() > 1);
        let columns = family.or((others.len() > 1).then_some(others))?;
        let values = columns.iter().flat_map(|path| {
            let of_record = |record: &&'r Map<String, Value>| Some((*record, at(record, path)?));
            self.records.iter().filter_map(of_record)
        });
        let votes = self.votes(&values.collect::<Vec<_>>(), true)?;
        Some(VotePaths { columns, ..votes })
    }
}

/// What is at a path of a record.
fn at<'v>(record: &'v Map<String, Value>, path: &Path) -> Option<&'v Value> {
    let (first, rest) = path.steps().split_first()?;
    rest.iter()
        .try_fold(record.get(first)?, |value, step| value.get(step))
}

/// The names of the responses of a record.
fn names_in(record: &Map<String, Value>, names: &[Path]) -> Vec<String> {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let of_path = |path: &Path| match path.list() {
        None => at(record, path).into_iter().map(text).collect::<Vec<_>>(),
        Some(list) => {
            let list_path = Path::of_steps(list);
            let elements = at(record, &list_path).and_then(Value::as_array);
            let key = path.last_key().unwrap_or_default();
            elements
                .into_iter()
                .flatten()
                .filter_map(|it| it.get(key))
                .map(text)
                .collect()
        }
    };
    names.iter().flat_map(of_path).collect()
}

/// What is different in the keys of the responses: `a` and `b` of `response_a` and `response_b`.
fn sides(definition: &Definition) -> Vec<String> {
    let keys: Vec<_> = definition
        .responses
        .iter()
        .filter_map(|it| it.text.last_key())
        .collect();
    let [first, ..] = &keys[..] else {
        return Vec::new();
    };
    let shared = |signs: &dyn Fn(&str) -> Vec<char>| {
        let first = signs(first);
        let same = |place: usize| {
            keys.iter()
                .all(|key| signs(key).get(place) == first.get(place))
        };
        (0..first.len()).take_while(|place| same(*place)).count()
    };
    let before = shared(&|key| key.chars().collect());
    let after = shared(&|key| key.chars().rev().collect());
    let side = |key: &&str| {
        let count = key.chars().count();
        let after = after.min(count.saturating_sub(before + 1));
        key.chars()
            .skip(before)
            .take(count.saturating_sub(before + after))
            .collect()
    };
    keys.iter().map(side).collect()
}

/// The parts before and after a word in a name.
fn split_at_word<'k>(key: &'k str, word: &str) -> Option<(&'k str, &'k str)> {
    let mut places = key
        .match_indices(word)
        .collect::<Vec<_>>()
        .into_iter()
        .rev();
    places.find_map(|(at, _)| {
        let (before, after) = (&key[..at], &key[at + word.len()..]);
        let is_end = |sign: Option<char>| sign.is_none_or(|sign| !sign.is_alphanumeric());
        let is_digit = word.chars().all(|sign| sign.is_ascii_digit());
        let begins = is_digit || is_end(before.chars().next_back());
        (begins && is_end(after.chars().next())).then_some((before, after))
    })
}
