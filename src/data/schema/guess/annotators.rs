//! Guesses where annotators' votes are. Fields are found by their values, and by name if a number
//! or a single letter would be ambiguous.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::names::{Family, WORDS, is_row_name, name_words};
use super::response_names::{NamedBy, NamedVerdict, ResponseNames};
use super::responses::whole_paths;
use super::survey::{GuessField, Survey};
use super::verdict::{rank, word_of};
use crate::model::ResponseId;
use crate::schema::layout::definition::Definition;
use crate::schema::layout::vote_path::VotePaths;
use crate::schema::row::votes::SEPARATORS;
use crate::schema::verdict::{VerdictRule, VerdictSource};
use crate::table::Path;

/// Maximum number of list elements to examine.
const MAX_ELEMENTS: usize = 64;

/// Returns the rank of the surest word of a name that means a choice.
fn choice_rank(name: &str) -> Option<usize> {
    WORDS.choice_rank(&name_words(name))
}

/// True if a key names an annotator.
fn is_annotator_name(key: &str) -> bool {
    let key = name_words(key).concat();
    let stem = key.strip_suffix("id").or(key.strip_suffix("name"));
    let known = &WORDS.annotator_name;
    known.iter().any(|it| *it == key || Some(&**it) == stem)
}

/// Returns the path of a field and the values that mean that there is no vote, by its last word.
fn without_vote(field: &GuessField) -> Option<(String, Vec<String>)> {
    let words = match &**field.words.last()? {
        "status" | "state" => WORDS.discarded.to_vec(),
        "valid" => vec!["false".to_owned()],
        "discarded" | "skipped" | "cancelled" => vec!["true".to_owned()],
        _ => return None,
    };
    Some((field.path.to_string(), words))
}

/// Adds the annotators' votes of records, and the row's annotator, to a definition whose responses
/// are known. The majority decides the winner unless another rule does.
pub fn add_votes(definition: &mut Definition, survey: &Survey, families: &[Family<'_>]) {
    let is_of_several = definition.responses.len() > 1 || definition.has_response_lists();
    if definition.joins_rows() || !is_of_several {
        return;
    }
    let guess = VoteGuess::new(definition, survey, families);
    let votes = guess
        .name_of_element()
        .or_else(|| guess.list())
        .or_else(|| guess.columns());
    let annotator = guess
        .fields()
        .find(|field| field.path.steps().len() == 1 && is_annotator_name(&field.path.steps()[0]))
        .map(|field| field.path.clone());
    if let Some(votes) = votes {
        take_votes(definition, votes);
    }
    definition.annotator = definition.annotator.take().or(annotator);
}

/// Adds votes, and drops other uses of the same fields.
fn take_votes(definition: &mut Definition, votes: VotePaths) {
    let is_inside = |path: &Path| {
        let mut list = votes.each.iter();
        list.any(|list| path.steps().starts_with(list.steps()))
    };
    let is_column = |path: &Path| votes.columns.contains(path) || is_inside(path);
    let labels = definition.drop_labels(&is_column);
    let is_other = |verdict: &VerdictSource| match &verdict.rule {
        VerdictRule::ByLabel { label, .. } => !labels.contains(label),
        rule => !rule.paths().iter().any(is_column),
    };
    let verdict = definition.verdict.take().filter(is_other);
    definition.verdict = verdict.or(Some(VerdictRule::ByVotes.into()));
    // Inside a list that is captured whole, no path has a slot.
    definition.facts.retain(|fact| !is_inside(&fact.path));
    (definition.texts).retain(|text| !text.path.as_ref().is_some_and(is_inside));
    definition.votes.push(votes);
}

/// Guesses a definition of tasks that Label Studio exports. `inner` guesses the definition of their
/// `data`, whose field names are arbitrary. `None` if the records are not tasks.
pub fn of_tasks(
    survey: &Survey,
    inner: &dyn Fn(&Survey) -> Option<Definition>,
) -> Option<Definition> {
    const TASK: &str = include_str!("../../assets/schemas/label-studio.toml");
    let is_annotation = |value: &Value| value.get("result").is_some_and(Value::is_array);
    let data = |record: &Value| {
        let annotations = record.get("annotations")?.as_array()?;
        let data = record.get("data").filter(|data| data.is_object())?;
        (annotations.iter().all(is_annotation)).then(|| data.clone())
    };
    let data = Survey::from(survey.iter().filter_map(data).collect::<Vec<_>>());
    if data.is_empty() || data.len() * 2 < survey.len() {
        return None;
    }
    let task = Definition::parse(TASK).ok()?;
    let mut definition = inner(&data)?;
    let families = Family::all(&data);
    let guess = VoteGuess::new(&definition, &data, &families);
    let mut votes = task.votes.into_iter().next()?;
    votes.names = guess.name_sources().into_iter().next().unwrap_or_default();
    votes.words = Some(Arc::clone(&guess.words));
    // Of several questions, the one that is named like a verdict.
    let asked = questions(survey);
    let named = asked
        .iter()
        .filter_map(|name| Some((choice_rank(name)?, name)));
    if let Some((_, name)) = named.min().filter(|_| asked.len() > 1) {
        let condition = format!("from_name={name}");
        for path in &mut votes.score {
            let mut steps = path.steps().to_vec();
            if let Some(each) = steps.iter_mut().find(|step| *step == Path::EACH) {
                each.clone_from(&condition);
            }
            *path = Path::of_steps(&steps);
        }
    }
    let to_data = |path: &mut Path| *path = Path::key("data").join(path);
    definition.each_path(&mut |_, _, _, path| to_data(path));
    definition
        .responses
        .iter_mut()
        .flat_map(|it| &mut it.each)
        .chain(&mut votes.names)
        .for_each(to_data);
    definition.title = task.title;
    take_votes(&mut definition, votes);
    Some(definition)
}

/// Returns the names of the questions of Label Studio that offer choices.
fn questions(records: &[Value]) -> BTreeSet<String> {
    fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
        value
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    }
    records
        .iter()
        .flat_map(|it| list(it, "annotations"))
        .flat_map(|it| list(it, "result"))
        .filter_map(|result| {
            result.pointer("/value/choices")?;
            Some(result.get("from_name")?.as_str()?.to_owned())
        })
        .collect()
}

/// What votes are looked for by.
struct VoteGuess<'t> {
    definition: &'t Definition,
    survey: &'t Survey,
    families: &'t [Family<'t>],
    /// How values name responses.
    words: Arc<ResponseNames>,
    /// Maximum number of responses in a record.
    count: usize,
}

impl<'t> VoteGuess<'t> {
    fn new(definition: &'t Definition, survey: &'t Survey, families: &'t [Family<'t>]) -> Self {
        let responses = &definition.responses;
        Self {
            count: survey.longest_list(responses).unwrap_or(responses.len()),
            definition,
            survey,
            families,
            words: Arc::new(ResponseNames::with_any_numbers(&definition.responses)),
        }
    }

    /// The short fields outside of lists that are neither the prompt nor a response.
    fn fields(&self) -> impl Iterator<Item = &'t GuessField> {
        self.survey.fields().filter(|field| {
            field.is_single() && field.is_short() && !self.definition.has_text_at(&field.path)
        })
    }

    /// Returns the values of a field that are not missing, each with its record.
    fn values(&self, path: &Path) -> Vec<(&'t Value, String)> {
        let of = |record| Some((record, word_of(path.value_in(record)?)?));
        self.survey.iter().filter_map(of).collect()
    }

    /// Returns paths of the names that values can use for the responses, from the record: model
    /// names or ids.
    fn name_sources(&self) -> Vec<Vec<Path>> {
        let responses = &self.definition.responses;
        let paths = whole_paths(responses);
        let lists = paths.first().and_then(Path::split_list);
        if let Some((each, _)) = lists.filter(|_| paths.len() == 1) {
            let is_member = |field: &&GuessField| {
                let list = field.path.split_list();
                let is_of_list =
                    list.is_some_and(|(list, key)| list == each && key.steps().len() == 1);
                is_of_list && field.is_short() && self.identifies_elements(field)
            };
            let mut members: Vec<_> = self
                .survey
                .fields()
                .filter(is_member)
                .map(|field| field.path.clone())
                .collect();
            // Prefer ids to names.
            members.sort_by_key(|path| !path.last_key().is_some_and(|key| key.contains("id")));
            return members.into_iter().map(|path| vec![path]).collect();
        }
        let is_whole = |family: &&Family<'_>| family.fields.len() == paths.len();
        let families = || self.families.iter().filter(is_whole);
        let of_responses = families().find(|family| paths.iter().all(|path| family.has(path)));
        let Some(of_responses) = of_responses else {
            return Vec::new();
        };
        let is_name = |family: &&Family<'_>| {
            family.set == of_responses.set
                && WORDS.choice_rank(&family.stem).is_none()
                && (family.fields.iter()).all(|it| {
                    let is_other = !self.definition.has_text_at(&it.path)
                        && !WORDS.is_of_annotators(&it.words);
                    is_other && it.is_single() && it.is_short() && it.is_text() && !it.is_number()
                })
        };
        families().filter(is_name).map(Family::paths).collect()
    }

    /// True if a field identifies the elements of a list. A rating can match the row's value by
    /// chance.
    fn identifies_elements(&self, field: &GuessField) -> bool {
        let names = [field.path.clone()];
        let mut rows = self.survey.iter().map(|record| names_in(record, &names));
        let is_name = field.is_text() || is_row_name(&field.key());
        is_name && rows.all(|names| names.iter().collect::<HashSet<_>>().len() == names.len())
    }

    /// Returns the vote that a word means. Where responses are counted from 1, 0 is for none of them.
    fn vote_of(&self, word: &str) -> Option<NamedVerdict> {
        let is_none = || self.words.numbers.first() == Some(&1) && word.trim() == "0";
        (self.words.verdict_of(word)).or_else(|| is_none().then_some(NamedVerdict::Tie))
    }

    /// Reads values with their records as votes: in common words, or by names of the responses.
    /// Numbers and single letters are ambiguous and count only if `is_named`.
    fn votes(&self, words: &[(&Value, String)], is_named: bool) -> Option<VotePaths> {
        let is_vague = |word: &str| word.trim().len() < 2 || word.parse::<f64>().is_ok();
        let are_vague = !is_named && words.iter().all(|(_, word)| is_vague(word));
        // Of three responses, 1 and 2 may be the first two or the last two.
        let numbers = words
            .iter()
            .filter_map(|(_, word)| word.trim().parse::<usize>().ok());
        let counts_from =
            self.words.by == NamedBy::Numbers && numbers.max().is_some_and(|it| it != self.count);
        let are_votes = |names: Option<&[Path]>| {
            let (mut wins, mut ties, mut others) = (0, 0, 0);
            for (record, word) in words {
                let is_name = names.is_some_and(|names| names_in(record, names).contains(word));
                match self.vote_of(word) {
                    Some(NamedVerdict::Tie) if !is_name => ties += 1,
                    said if is_name || said.is_some() && names.is_none() => wins += 1,
                    _ => others += 1,
                }
            }
            let are_votes = wins > 0
                && others * 4 <= wins + ties
                && !((are_vague || counts_from) && names.is_none());
            are_votes.then_some(others)
        };
        let sources = self.name_sources();
        let named = || sources.iter().map(|it| Some(&**it));
        // A model may be named `x`, which is also the letter of a response.
        let mut sure = named().filter(|names| are_votes(*names) == Some(0));
        let mut all = std::iter::once(None).chain(named());
        let names = sure
            .next()
            .or_else(|| all.find(|names| are_votes(*names).is_some()))?;
        let mut choices: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (_, word) in words {
            let letter = match self.vote_of(word) {
                Some(NamedVerdict::Tie) => "tie".to_owned(),
                Some(NamedVerdict::Wins(place)) if names.is_none() => {
                    ResponseId::new(place).map_or_else(String::new, |id| id.word().to_string())
                }
                _ => continue,
            };
            let known = choices.entry(letter).or_default();
            if !known.contains(word) {
                known.push(word.clone());
            }
        }
        Some(VotePaths {
            choices,
            words: Some(Arc::clone(&self.words)).filter(|_| names.is_none()),
            names: names.map(<[Path]>::to_vec).unwrap_or_default(),
            ..VotePaths::default()
        })
    }

    /// Finds votes in a list with an element for each, or in an object with a member for each
    /// annotator.
    fn list(&self) -> Option<VotePaths> {
        let mut fields = self.survey.fields().filter(|field| {
            let deepest = if field.is_object_list() { 2 } else { 1 };
            field.path.steps().len() <= deepest
                && field.is_single()
                && !self.definition.has_text_at(&field.path)
        });
        fields.find_map(|field| self.list_at(&field.path))
    }

    fn list_at(&self, path: &Path) -> Option<VotePaths> {
        let key = path.last_key()?;
        if WORDS.is_against(&name_words(key)) {
            return None;
        }
        let is_annotators =
            WORDS.is_of_annotators(&name_words(key)) || self.are_of_annotators(path);
        let is_measure = |key: &str| WORDS.no_vote.any(&name_words(key));
        let is_named = (is_annotators || choice_rank(key).is_some()) && !is_measure(key);
        let is_object = self.survey.values(path).any(Value::is_object);
        let (mut records, mut elements) = (Vec::new(), Vec::new());
        for record in self.survey.iter() {
            if let Some(value) = path.value_in(record) {
                elements.extend(elements_of(value, is_annotators)?);
                records.resize(elements.len(), record);
            }
        }
        let words_at = |elements: &[Value], path: &Path| -> Vec<_> {
            let word = |element| word_of(path.value_in(element)?);
            let words = records.iter().zip(elements);
            words
                .filter_map(|(record, element)| Some((*record, word(element)?)))
                .collect()
        };
        let each = Some(path.clone());
        if !elements.iter().any(Value::is_object) {
            if !is_annotators && self.are_of_pairs(path) {
                return None;
            }
            let votes = match is_object && self.are_counts(path) {
                // `order`, `models` and `failed` also name responses, each once.
                _ if !is_named && !self.repeats(path) => return None,
                true => VotePaths {
                    words: Some(Arc::clone(&self.words)),
                    ..VotePaths::default()
                },
                false => self.votes(&words_at(&elements, &Path::default()), is_named)?,
            };
            let fields = self.survey.fields();
            let first = name_words(key).into_iter().next();
            let is_about = |it: &&GuessField| it.words.first() == first.as_ref();
            let beside = fields.filter(|it| self.are_beside(&it.path, path));
            let is_named = |field: &&GuessField| {
                field
                    .words
                    .last()
                    .is_some_and(|word| WORDS.annotator_name.has(word))
            };
            let annotators = beside.clone().filter(is_named).map(|it| it.path.clone());
            return Some(VotePaths {
                each,
                annotator: annotators.collect(),
                skip: beside.filter(is_about).filter_map(without_vote).collect(),
                ..votes
            });
        }
        let survey = Survey::from(elements);
        let fields = survey
            .fields()
            .filter(|it| it.is_single() && it.path.steps().len() < 3);
        let last = |path: &Path| path.last_key().unwrap_or_default().to_owned();
        let mut scores: Vec<_> = fields.clone().filter(|it| it.is_short()).collect();
        scores.retain(|field| {
            !is_annotator_name(&last(&field.path)) && !WORDS.is_against(&field.words)
        });
        scores.sort_by_key(|field| choice_rank(&last(&field.path)).unwrap_or(usize::MAX));
        let (score, votes) = scores.iter().find_map(|field| {
            let key = last(&field.path);
            let is_named = choice_rank(&key).is_some() && !is_measure(&key);
            Some((
                field.path.clone(),
                self.votes(&words_at(&survey, &field.path), is_named)?,
            ))
        })?;
        let is_name = |path: &&Path| {
            let key = last(path);
            **path != score && (is_annotator_name(&key) || ["id", "name", "model"].contains(&&*key))
        };
        let skip = fields.clone().filter_map(without_vote).collect();
        let mut annotator: Vec<_> = fields
            .map(|field| &field.path)
            .filter(is_name)
            .cloned()
            .collect();
        annotator.sort_by_key(|path| !is_annotator_name(&last(path)));
        Some(VotePaths {
            each,
            score: vec![score],
            annotator,
            skip,
            ..votes
        })
    }

    /// True if each record has lists of the same length at both paths, which are not the same.
    fn are_beside(&self, path: &Path, list: &Path) -> bool {
        let lengths = |path| {
            self.survey
                .values(path)
                .map(Value::as_array)
                .map(|list| list.map(Vec::len))
                .collect::<Vec<_>>()
        };
        let here = lengths(list);
        path != list && here.iter().all(Option::is_some) && lengths(path) == here
    }

    /// True if a list has a value for each pair of three or more responses: outcomes of comparisons.
    fn are_of_pairs(&self, path: &Path) -> bool {
        let pairs = self.count * self.count.saturating_sub(1) / 2;
        let mut lists = self.survey.lists(path);
        self.count > 2 && lists.all(|list| list.len() == pairs)
    }

    /// True if a list repeats a word in some record, as votes of several annotators do.
    fn repeats(&self, path: &Path) -> bool {
        self.survey.lists(path).any(|list| {
            let mut seen = HashSet::new();
            !list
                .iter()
                .filter_map(word_of)
                .all(|word| seen.insert(word))
        })
    }

    /// True if the members of an object are numbered annotators: `w1`, `rater_2`, but not `q1`.
    fn are_of_annotators(&self, path: &Path) -> bool {
        let mut keys = self
            .survey
            .values(path)
            .filter_map(Value::as_object)
            .flat_map(|it| it.keys())
            .peekable();
        keys.peek().is_some()
            && keys.all(|key| match name_words(key).as_slice() {
                [stem, number] => {
                    number.parse::<u64>().is_ok()
                        && (stem.len() == 1 && stem != "q" || is_annotator_name(stem))
                }
                _ => false,
            })
    }

    /// True if an object has a number of votes for each response.
    fn are_counts(&self, path: &Path) -> bool {
        let mut members = self
            .survey
            .values(path)
            .filter_map(Value::as_object)
            .flatten()
            .peekable();
        members.peek().is_some()
            && members.all(|(key, value)| value.is_u64() && self.words.verdict_of(key).is_some())
    }

    /// Finds a field that is named like a verdict and names an element of the list of responses.
    fn name_of_element(&self) -> Option<VotePaths> {
        if self.definition.rule().is_some() || self.definition.responses.len() > 1 {
            return None;
        }
        let mut ranked: Vec<_> = self
            .fields()
            .filter_map(|field| Some((rank(field, &[])?, field)))
            .collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().find_map(|(_, field)| {
            let votes = self.votes(&self.values(&field.path), true);
            let votes = votes.filter(|votes| !votes.names.is_empty())?;
            let columns = vec![field.path.clone()];
            Some(VotePaths { columns, ..votes })
        })
    }

    /// Finds votes in fields of the record, one for each annotator. Their names differ in a number
    /// or in the annotator's name.
    fn columns(&self) -> Option<VotePaths> {
        let mut numbered: BTreeMap<String, (Vec<Path>, bool)> = BTreeMap::new();
        let mut others = Vec::new();
        for field in self.fields() {
            let is_number = |word: &&String| word.parse::<u64>().is_ok();
            let is_numbered = field.words.iter().any(|word| is_number(&word));
            // Two games of one judge are `g1_winner` and `g2_winner`.
            let is_game = is_numbered && choice_rank(&field.key()).is_some();
            let is_of_annotator = WORDS.is_of_annotators(&field.words) || is_game;
            let are_counts = field.is_number() && field.words.iter().any(|word| word == "votes");
            if !is_of_annotator || are_counts || WORDS.is_against(&field.words) {
                continue;
            }
            // Accepts `annotator_1` and `annotator_1_choice`, but not `annotator_1_group`.
            let is_known = |word: &String| {
                is_number(&word)
                    || WORDS.is_of_annotators(std::slice::from_ref(word))
                    || choice_rank(word).is_some()
            };
            let is_named = is_game || is_numbered && field.key_words().iter().all(is_known);
            let path = field.path.clone();
            if is_numbered {
                let mut words = field.words.clone();
                words.retain(|word| !is_number(&word));
                let (columns, are_named) = numbered.entry(words.join(" ")).or_default();
                columns.push(path);
                *are_named |= is_named;
            } else if self.votes(&self.values(&path), false).is_some() {
                others.push(path);
            }
        }
        // Columns of a family have one role, whichever values one of them has.
        let are_votes = |(columns, is_named): &(Vec<Path>, bool)| {
            let values: Vec<_> = columns.iter().flat_map(|path| self.values(path)).collect();
            columns.len() > 1 && self.votes(&values, *is_named).is_some()
        };
        let columns = numbered
            .into_values()
            .find(are_votes)
            .map(|(columns, _)| columns)
            .or((others.len() > 1).then_some(others))?;
        let values: Vec<_> = columns.iter().flat_map(|path| self.values(path)).collect();
        let votes = self.votes(&values, true)?;
        Some(VotePaths { columns, ..votes })
    }
}

/// Returns the elements of a list. For annotators, the list may be in a text or an object; other
/// objects mostly have a member for each aspect. `None` if the value is not a list.
fn elements_of(value: &Value, is_annotators: bool) -> Option<Vec<Value>> {
    match value {
        Value::Array(list) => Some(list.iter().take(MAX_ELEMENTS).cloned().collect()),
        Value::Object(members) if is_annotators => Some(members.values().cloned().collect()),
        Value::String(text) if is_annotators => match serde_json::from_str(text) {
            Ok(Value::Array(list)) => Some(list),
            _ if text.contains(SEPARATORS) => Some(
                text.split(SEPARATORS)
                    .map(|word| word.trim().into())
                    .collect(),
            ),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the names of a record's responses.
fn names_in(record: &Value, names: &[Path]) -> Vec<String> {
    names
        .iter()
        .filter_map(|path| path.all_in(record))
        .flatten()
        .flatten()
        .filter_map(word_of)
        .collect()
}
