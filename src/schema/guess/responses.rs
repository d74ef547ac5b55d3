//! Which fields of unknown records are the responses, and which the prompt.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::names::{Family, GuessNames, WordSet, name_words, place_in};
use super::table::{FieldTable, GuessField, value_at};
use super::verdict::keys_of;
use crate::schema::definition::ResponsePaths;
use crate::schema::path::Path;

/// Names of a response, from the first on, that are hardly those of anything else.
const SURE_NAMES: usize = 13;

/// Fields that may be the responses of a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Responses {
    /// One a response; a list of any number is one.
    pub(super) paths: Vec<ResponsePaths>,
    /// The words that tell them apart, where names do.
    pub(super) set: Option<WordSet>,
    /// The last steps of their fields, which a verdict can name.
    pub(super) keys: Vec<String>,
    /// Whether a row is one response, and rows with one prompt are a sample.
    pub(super) joins_rows: bool,
    /// How sure it is that these are the responses, by their names and values.
    pub(super) score: f64,
    /// Whether their names are those of responses, and not any.
    pub(super) is_named: bool,
    /// Why they are.
    pub(super) why: String,
}

impl Responses {
    /// Whether the names say which response is better, the first one.
    pub(super) fn is_best_first(&self) -> bool {
        self.set.is_some_and(|set| !set.is_of_places())
    }

    /// The likeliest responses of a table; `None` where nothing looks like responses.
    pub(super) fn guess(
        table: &FieldTable<'_>,
        families: &[Family],
        names: &GuessNames,
    ) -> Option<Self> {
        let mut found: Vec<_> = (families.iter())
            .filter_map(|family| Self::of_family(table, family, names))
            .collect();
        found.extend(Self::by_model(table, names));
        found.extend((table.fields.iter()).filter_map(|field| Self::of_list(table, field, names)));
        let texts = found.iter().filter(|it| !it.is_verdict(table)).count();
        if texts > 0 {
            found.retain(|it| !it.is_verdict(table));
        }
        // The first of the best ones.
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        let best = found.into_iter().next().filter(|best| best.score >= 3.0);
        // `passage_1` and `passage_2` beside an answer are none.
        if let Some(single) = Self::single(table, names, false)
            && best.as_ref().is_some_and(|best| !best.is_named)
            && single.is_named
        {
            return Some(single);
        }
        best.or_else(|| Self::single(table, names, false))
            .or_else(|| Self::transcript(table, names))
            .or_else(|| Self::single(table, names, true))
    }

    /// Fields whose names differ in a word that tells responses apart.
    fn of_family(table: &FieldTable<'_>, family: &Family, names: &GuessNames) -> Option<Self> {
        let fields: Vec<_> = family
            .fields
            .iter()
            .map(|&place| &table.fields[place])
            .collect();
        let is_outcome = !family.set.is_of_places();
        let has = |list: &[String]| {
            family
                .stem
                .iter()
                .any(|word| place_in(list, word).is_some())
        };
        let path = |field: &GuessField| -> Option<Path> {
            if field.path.is_of_each() {
                return None;
            }
            if field.is_text_list() && is_outcome {
                return Some(field.path.then("*"));
            }
            let is_number = (is_outcome && family.stem.is_empty() || has(&names.response_words))
                && field.is_number();
            (field.is_text() || field.values == 0 || is_number).then(|| field.path.clone())
        };
        let paths: Vec<_> = fields.iter().filter_map(|field| path(field)).collect();
        let has_text = |field: &&GuessField| field.values > 0;
        if paths.len() < fields.len() || fields.iter().filter(|it| has_text(it)).count() < 2 {
            return None;
        }
        // `output_model_1` is a text, and `model_1` a name.
        let is_named = has(&names.response_words);
        let mut others = family
            .stem
            .iter()
            .filter(|word| !(is_named && *word == "model"));
        let is_other = others.any(|word| place_in(&names.no_response, word).is_some());
        let name = match family.stem.iter().any(|word| word != "/") {
            _ if is_other || has(&names.reference) || has(&names.annotator) => {
                return None;
            }
            _ if family.set == WordSet::Any => 2.5,
            true if has(&names.response_words) => 4.0,
            true if names.is_vague(family.set) => return None,
            true => 0.5,
            false if is_outcome && !names.is_vague(family.set) => 4.0,
            false => 2.0,
        };
        let keys: Vec<_> = fields.iter().map(|field| field.path.clone()).collect();
        let keys = keys_of(&keys);
        let shape = if paths.iter().any(Path::is_of_each) {
            "texts and lists of texts"
        } else {
            "texts"
        };
        let lists_of_both = paths.iter().all(Path::is_of_each);
        let paths = paths.into_iter().zip(&fields);
        let paths = paths.map(|(text, field)| response(text, field)).collect();
        Some(Self {
            paths,
            set: Some(family.set).filter(|_| !lists_of_both || is_outcome),
            keys,
            joins_rows: false,
            is_named: name > 0.5,
            score: name + length_score(&fields),
            why: format!("{shape} whose names differ in one word"),
        })
    }

    /// Texts by the names of their models, in an object whose name is that of responses.
    fn by_model(table: &FieldTable<'_>, names: &GuessNames) -> Option<Self> {
        let parents: BTreeSet<_> = (table.fields.iter())
            .filter(|field| field.path.steps().len() == 2 && !field.path.is_of_each())
            .map(|field| field.path.steps()[0].clone())
            .collect();
        let of_parent = |parent: &String| {
            let is_response = place_in(&names.response, &name_words(parent).join("_")).is_some();
            let children = table.fields.iter().filter(|field| {
                let steps = field.path.steps();
                steps.len() == 2 && steps[0] == *parent && field.is_text()
            });
            let children: Vec<_> = children.collect();
            let is_plural = parent.ends_with(['s', 'S']);
            (is_response && is_plural && children.len() > 1).then(|| Self {
                paths: children
                    .iter()
                    .map(|field| response(field.path.clone(), field))
                    .collect(),
                keys: children
                    .iter()
                    .map(|field| field.path.steps()[1].clone())
                    .collect(),
                is_named: true,
                score: 3.0 + length_score(&children),
                why: format!("the texts in {parent}"),
                ..Self::default()
            })
        };
        parents.iter().find_map(of_parent)
    }

    /// A list of texts, or of objects that have one.
    fn of_list(table: &FieldTable<'_>, list: &GuessField, names: &GuessNames) -> Option<Self> {
        let name = list.words.iter().rev().find(|word| *word != "/")?;
        let is_named = place_in(&names.response_words, name).is_some() || name == "option";
        let mut lists = table
            .values(&list.path)
            .flatten()
            .filter_map(Value::as_array);
        let are_several = lists.any(|list| list.len() > 1);
        if list.path.is_of_each() || !are_several || !is_named {
            return None;
        }
        let (paths, text) = if list.is_text_list() {
            let text = list.path.then("*");
            (
                ResponsePaths {
                    text,
                    json: false,
                    ..ResponsePaths::default()
                },
                list,
            )
        } else if list.is_object_list() {
            let each = list.path.then("*");
            let inside = |field: &&GuessField| {
                let steps = field.path.steps();
                steps.len() == each.steps().len() + 1
                    && steps.starts_with(each.steps())
                    && field.is_text()
            };
            let key = |field: &GuessField| field.path.steps().last().cloned().unwrap_or_default();
            let rank = |field: &&GuessField| {
                let name = name_words(&key(field)).join("_");
                place_in(&names.response, &name).unwrap_or(usize::MAX)
            };
            let text = table.fields.iter().filter(inside).min_by_key(rank)?;
            let is_text = rank(&text) < usize::MAX;
            let paths = ResponsePaths {
                each: Some(list.path.clone()),
                text: Path::key(&key(text)),
                json: text.is_json(),
                ..ResponsePaths::default()
            };
            (paths, is_text.then_some(text)?)
        } else {
            return None;
        };
        Some(Self {
            paths: vec![paths],
            is_named: true,
            score: 4.0 + length_score(&[text]),
            why: "a list of texts".to_owned(),
            ..Self::default()
        })
    }

    /// One response a row; a reference answer only where there is no other text.
    fn single(table: &FieldTable<'_>, names: &GuessNames, is_reference: bool) -> Option<Self> {
        let is_transcript = |field: &GuessField| {
            let name = field
                .path
                .steps()
                .last()
                .map(|name| name_words(name).join("_"));
            field.has_messages()
                && name.is_some_and(|name| place_in(&names.transcript, &name).is_some())
        };
        // Beside a conversation the answer is the right one.
        let has_transcript = table.fields.iter().any(is_transcript);
        let rank = |field: &GuessField| {
            let steps = field.path.steps();
            let words: Vec<_> = field.words.iter().filter(|word| *word != "/").collect();
            let has = |list: &[String]| words.iter().any(|word| place_in(list, word).is_some());
            let is_free = field.is_text()
                && field.values > 0
                && !field.path.is_of_each()
                && steps.len() < 4
                && !is_transcript(field);
            let name = name_words(steps.last()?).join("_");
            let is_free = is_free && !(has_transcript && name == "answer");
            let exact = place_in(&names.response, &name).map(|rank| rank * 2);
            let last = name
                .rsplit('_')
                .next()
                .and_then(|word| place_in(&names.response_words, word));
            let loose = last.filter(|_| !has(&names.no_response));
            let loose = loose.map(|rank| (names.response.len() + rank) * 2 + 1);
            let rank = exact.or(loose).or(is_reference.then_some(usize::MAX));
            rank.filter(|_| is_free && has(&names.reference) == is_reference)
        };
        let fields = table
            .fields
            .iter()
            .filter_map(|field| Some((rank(field)?, field)));
        let (rank, field) = fields.min_by_key(|(rank, _)| *rank)?;
        Some(Self {
            paths: vec![response(field.path.clone(), field)],
            is_named: rank < 2 * SURE_NAMES,
            joins_rows: true,
            why: "one text a row, by its name".to_owned(),
            ..Self::default()
        })
    }

    /// A conversation a row: what the assistant says last is the response.
    fn transcript(table: &FieldTable<'_>, names: &GuessNames) -> Option<Self> {
        let rank = |field: &GuessField| place_in(&names.transcript, &field.words.last()?.clone());
        let is_free = |field: &&GuessField| field.has_messages() && !field.path.is_of_each();
        let of_list = |field: &GuessField| {
            // Messages inside the elements of a list: the first list.
            let at = field.path.steps().iter().position(|step| step == "*")?;
            (field.has_messages() && at + 1 < field.path.steps().len()).then_some(())?;
            let (each, text) = field.path.split_list()?;
            Some(ResponsePaths {
                each: Some(each),
                text,
                ..ResponsePaths::default()
            })
        };
        let fields = table.fields.iter().filter(is_free);
        let plain = fields.min_by_key(|field| rank(field).unwrap_or(usize::MAX));
        let path = match plain {
            Some(field) => response(field.path.clone(), field),
            None => table.fields.iter().find_map(of_list)?,
        };
        Some(Self {
            paths: vec![path],
            why: "a conversation: what the assistant says last is the response".to_owned(),
            ..Self::default()
        })
    }

    /// The same with one table for each element, where all lists have the same number of them and a verdict
    /// counts them from `first`.
    pub(super) fn of_elements(&self, table: &FieldTable<'_>, first: usize) -> Option<Self> {
        let [list] = self.paths.as_slice() else {
            return None;
        };
        let each = list
            .each
            .clone()
            .or_else(|| Some(list.text.split_list()?.0))?;
        let mut lengths = table
            .values(&each)
            .flatten()
            .map(|it| it.as_array().map_or(0, Vec::len));
        let count = lengths.next().filter(|count| (2..=26).contains(count))?;
        let key = each.steps().last()?;
        lengths.all(|length| length == count).then(|| Self {
            paths: (0..count).map(|place| list.of_element(place)).collect(),
            keys: (first..)
                .take(count)
                .map(|number| format!("{key}_{number}"))
                .collect(),
            ..self.clone()
        })
    }

    /// Whether the values name responses, as `A` or the name of another field or the value of one: these
    /// fields say who wins.
    fn is_verdict(&self, table: &FieldTable<'_>) -> bool {
        let own: HashSet<_> = self.paths.iter().map(ResponsePaths::whole_path).collect();
        let is_key = |word: &str| {
            let word = name_words(word);
            let mut fields = table
                .fields
                .iter()
                .filter(|field| !own.contains(&field.path));
            word.len() <= 4 && fields.any(|field| field.words == word)
        };
        let is_letter =
            |word: &str| matches!(name_words(word).as_slice(), [word] if word.len() == 1);
        let mut count = 0;
        for record in table.records {
            for path in self.paths.iter().map(|paths| &paths.text) {
                let Some(value) = value_at(record, path) else {
                    continue;
                };
                let Some(word) = value.as_str().filter(|word| word.len() < 200) else {
                    return false;
                };
                let is_value = || {
                    let mut others = table
                        .fields
                        .iter()
                        .filter(|field| !own.contains(&field.path));
                    others.any(|field| {
                        field.is_text() && value_at(record, &field.path) == Some(value)
                    })
                };
                if !is_letter(word) && !is_key(word) && !is_value() {
                    return false;
                }
                count += 1;
            }
        }
        count > 0
    }

    /// Whether a path leads to one of the responses, or into the list of them.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.paths.iter().any(|paths| {
            let whole = paths.whole_path();
            let list = whole.list().filter(|list| path.steps().starts_with(list));
            whole == *path || list.is_some()
        })
    }
}

/// The paths of a response at a field.
fn response(text: Path, field: &GuessField) -> ResponsePaths {
    ResponsePaths {
        text,
        json: field.is_json(),
        ..ResponsePaths::default()
    }
}

/// What the lengths of texts, and how different they are, say for responses: 0 to about 4.
fn length_score(fields: &[&GuessField]) -> f64 {
    let all = fields.len().max(1) as f64;
    let mean = fields.iter().map(|field| field.mean_chars()).sum::<f64>() / all;
    let distinct = fields
        .iter()
        .map(|field| field.distinct_share())
        .sum::<f64>()
        / all;
    mean.max(1.0).log10() + distinct
}

/// The field of the prompt and why it is the one; `None` where there is none, or conversations have it.
pub(super) fn prompt<'t>(
    table: &'t FieldTable<'_>,
    responses: &Responses,
    names: &GuessNames,
) -> Option<(&'t GuessField, &'static str)> {
    let is_free = |field: &&GuessField| {
        field.is_text()
            && field.values > 0
            && !field.path.is_of_each()
            && !responses.has(&field.path)
    };
    let free = || table.fields.iter().filter(is_free);
    let rank = |field: &&GuessField| {
        let words: Vec<_> = field
            .words
            .iter()
            .filter(|word| *word != "/")
            .map(String::as_str)
            .collect();
        let whole = words.join("_");
        let mut parts = [&names.system, &names.history].into_iter();
        if parts.any(|list| place_in(list, &whole).is_some()) && whole != "history" {
            return None;
        }
        let of = |list: &[String]| {
            let mut others = words
                .iter()
                .filter(|word| place_in(&names.prompt, word).is_none());
            others.any(|word| place_in(list, word).is_some())
        };
        let last = name_words(field.path.steps().last()?).join("_");
        let deep = field.path.steps().len();
        let exact = place_in(&names.prompt, &last).map(|rank| (0, rank, deep));
        let mut loose = names.prompt.iter().enumerate();
        let loose = loose.find(|(_, name)| words.contains(&name.as_str()));
        let loose = loose.filter(|_| !of(&names.no_response) && !of(&names.reference));
        // `question.full_text` before `question.dataset`.
        let is_last = name_words(&last)
            .iter()
            .any(|word| place_in(&names.prompt, word).is_some());
        let class = if is_last { 1 } else { 2 };
        exact.or(loose.map(|(rank, _)| (class, rank, deep)))
    };
    let named = free().filter_map(|field| Some((rank(&field)?, field)));
    if let Some((_, field)) = named.min_by_key(|(rank, _)| *rank) {
        return Some((field, "by its name"));
    }
    // A conversation begins with what was asked.
    let mut texts = responses
        .paths
        .iter()
        .filter_map(|paths| table.at(&paths.text));
    if responses.joins_rows || texts.any(GuessField::has_messages) {
        return None;
    }
    let is_likely = |field: &&GuessField| {
        let of = |list: &[String]| {
            field
                .words
                .iter()
                .any(|word| place_in(list, word).is_some())
        };
        field.mean_chars() >= 12.0
            && field.distinct_share() > 0.5
            && !of(&names.no_response)
            && !of(&names.reference)
            && !of(&names.response_words)
            && !of(&names.winner)
            && !of(&names.system)
            && !of(&names.context)
    };
    let first = table
        .fields
        .iter()
        .position(|field| responses.has(&field.path))?;
    let before = table.fields[..first].iter().filter(is_free).find(is_likely);
    before.map(|field| (field, "the first long text before the responses"))
}
