//! Guesses which fields are the responses.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::names::{
    Family, NameWords, SURE_NOUNS, WORDS, WordSet, any_of, is_row_name, name_words,
};
use super::prompt::prompt;
use super::response_names::NamedBy;
use super::survey::{GuessField, SHORTEST, Survey};
use super::verdict::{rank, words_at};
use crate::schema::ResponsePaths;
use crate::table::Path;

/// The first this many names in the list are rarely used for anything but a response.
const SURE_WORDS: usize = 13;

/// Maximum number of candidates that are read.
const MAX_CANDIDATES: usize = 4;

/// Score for a name of responses.
const NAMED: f64 = 4.0;

/// Candidate fields for the responses of a row.
#[derive(Debug, Clone, Default)]
pub struct Responses {
    /// One for each response, or one for a list of any length.
    pub paths: Vec<ResponsePaths>,
    /// The words that distinguish them, if their names do.
    pub set: Option<WordSet>,
    /// The positions or numbers that these words mean.
    pub places: Vec<usize>,
    /// The words by which a verdict names them.
    pub named_by: NamedBy,
    /// True if a row is one response, and rows with one prompt are a sample.
    pub joins_rows: bool,
    /// True if the prompt is the turns before the response.
    pub is_conversation: bool,
    /// The prompt, if it is part of the same list.
    pub prompt: Option<Path>,
    /// Confidence by their names and values.
    pub score: f64,
    /// True if they have names of responses.
    pub is_named: bool,
    /// True if their names are of the responses of one sample.
    pub is_pair: bool,
    /// The reason to show.
    pub why: &'static str,
}

impl Responses {
    /// Creates candidates from fields. The score is raised by their length and variety.
    pub fn of_fields(fields: &[&GuessField], score: f64, why: &'static str) -> Self {
        Self {
            paths: fields.iter().map(|field| response(field)).collect(),
            score: score + length_score(fields),
            why,
            ..Self::default()
        }
    }

    /// True if the names say that the first response is better.
    pub fn is_best_first(&self) -> bool {
        self.set.is_some_and(|set| !set.is_of_places())
    }

    /// Returns the likeliest responses of a table, likeliest first; empty if nothing looks like
    /// responses.
    pub fn guess(survey: &Survey, families: &[Family<'_>]) -> Vec<Self> {
        let mut found: Vec<_> = families
            .iter()
            .filter_map(Self::of_family)
            .map(|it| it.in_turn(survey))
            .collect();
        let only = Self::beside_gold(survey).or_else(|| Self::last_turns(survey));
        if let Some(only) = only.or_else(|| Self::exchange(survey)) {
            return vec![only];
        }
        // `answer_gpt3` and `answer_gpt4` are not all answers next to `answer_human`.
        let sets: Vec<_> = found.iter().map(|it| whole_paths(&it.paths)).collect();
        let is_part = |own: &Vec<Path>| {
            let has_all =
                |set: &Vec<Path>| set.len() > own.len() && own.iter().all(|it| set.contains(it));
            sets.iter().any(has_all)
        };
        found.retain(|it| !is_part(&whole_paths(&it.paths)));
        // A pair that is named as a pair comes before any list.
        let depth = |paths: &[ResponsePaths]| paths[0].whole_path().steps().len();
        let pair = found
            .iter()
            .filter(|it| it.is_pair)
            .map(|it| depth(&it.paths))
            .min()
            .unwrap_or(usize::MAX);
        found.extend(Self::by_model(survey));
        found.extend(Self::by_object(survey));
        found.extend(Self::by_column(survey, families));
        let lists = survey
            .fields()
            .filter(|list| list.path.steps().len() < pair);
        found.extend(lists.filter_map(|field| Self::of_list(survey, field, false)));
        let (verdicts, texts): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|it| it.is_verdict(survey));
        let mut found = if texts.is_empty() { verdicts } else { texts };
        // The sort is stable: of equal scores, the first wins.
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.retain(|candidate| candidate.score >= 3.0);
        // Next to an answer, `passage_1` and `passage_2` are not responses.
        let single = Self::single(survey, false);
        let is_doubtful = found.first().is_some_and(|best| {
            // `liked` and `disliked` may count reactions to one response.
            let is_number = |paths: &ResponsePaths| {
                (survey.at(&paths.whole_path())).is_some_and(GuessField::is_number)
            };
            if best.paths.iter().all(is_number) {
                return true;
            }
            // Prodigy writes `accept` in `answer`, and the responses in `options`.
            let is_shorter = |single: &Self| single.score + NAMED - 0.5 < best.score;
            !(best.is_named || best.set.is_none() && single.as_ref().is_some_and(is_shorter))
        });
        if is_doubtful && let Some(single) = single.clone().filter(|single| single.is_named) {
            found.insert(0, single);
        } else if found.is_empty() {
            let first = Self::transcripts(survey)
                .or(single)
                .or_else(|| Self::by_last_word(survey))
                .or_else(|| Self::transcript(survey))
                .or_else(|| Self::trajectory(survey))
                .or_else(|| Self::single(survey, true))
                .or_else(|| Self::of_list(survey, Self::only_list(survey)?, true));
            found.extend(first);
        } else {
            found.extend(single);
        }
        // What is named as a pair is one, however the texts read.
        let are_pairs = found.first().is_some_and(|it| it.is_pair);
        found.retain(|it| it.is_pair || !are_pairs);
        found.truncate(MAX_CANDIDATES);
        found
    }

    /// Candidate: of exactly two texts besides the prompt, the one that is named as generated, next to a
    /// bare `answer` or a reference.
    fn beside_gold(survey: &Survey) -> Option<Self> {
        let prompt = prompt(survey, &Self::default()).map(|(field, _)| &field.path);
        let aside = [
            &WORDS.system,
            &WORDS.history,
            &WORDS.context,
            &WORDS.input,
            &WORDS.beside,
        ];
        let is_aside = |field: &GuessField| {
            let name = field.key();
            aside.iter().any(|list| list.has(&name)) || is_row_name(&name) && !field.are_sentences()
        };
        // `ref_text`, but not `ref_1`.
        let is_ref = |words: &[String]| matches!(words, [first, noun] if first == "ref" && noun.parse::<u64>().is_err());
        let is_gold = |field: &GuessField| {
            WORDS.reference.any(&field.key_words()) || is_ref(&field.key_words())
        };
        let is_bare = |field: &GuessField| matches!(field.key_words().as_slice(), [word] if WORDS.bare.has(word));
        let is_generated = |field: &GuessField| WORDS.are_generated(&field.key_words());
        let is_left = |field: &&GuessField| {
            (field.is_text() && field.is_single() && !field.is_empty())
                && field.mean_chars() >= SHORTEST
                && prompt != Some(&field.path)
                && (is_gold(field) || is_generated(field) || !field.has_word(&WORDS.no_response))
                && !field.has_word(&WORDS.annotator)
                && !is_aside(field)
        };
        let mut left = survey.fields().filter(is_left);
        let (Some(one), Some(two), None) = (left.next(), left.next(), left.next()) else {
            return None;
        };
        prompt?;
        let has =
            |field: &GuessField, of: &dyn Fn(&String) -> bool| field.key_words().iter().any(of);
        let is_beside = |field: &GuessField, other: &GuessField| {
            let are_opposite = has(other, &|word| WORDS.is_better(word))
                && has(field, &|word| WORDS.is_worse(word));
            let is_of_model = is_generated(field) || WORDS.model.any(&field.key_words());
            !are_opposite
                && (is_gold(other) && !is_gold(field)
                    || is_bare(other) && is_generated(field)
                    || is_of_model && WORDS.gold_beside.any(&other.key_words()))
        };
        let field = match (is_beside(one, two), is_beside(two, one)) {
            (true, false) => one,
            (false, true) => two,
            _ => return None,
        };
        Some(Self {
            is_named: true,
            joins_rows: true,
            ..Self::of_fields(&[field], 0.0, "a generated text next to a reference")
        })
    }

    /// Candidates: fields whose names differ in one word that distinguishes responses.
    fn of_family(family: &Family<'_>) -> Option<Self> {
        let Family { set, stem, .. } = family;
        let fields = &family.fields;
        let is_outcome = !set.is_of_places();
        let has = |list: &NameWords| list.any(stem);
        let are_turns = fields.iter().any(|field| field.has_messages()) && has(&WORDS.transcript);
        let is_named =
            has(&WORDS.response_words) || are_turns || stem.iter().any(|word| word == "solution");
        let path = |field: &&GuessField| -> Option<Path> {
            if !field.is_single() {
                return None;
            }
            if field.is_text_list() {
                // Under a numbered name, they are the lines of a text.
                return if is_outcome {
                    Some(field.path.then("*"))
                } else {
                    is_named.then(|| field.path.clone())
                };
            }
            let is_likely = is_outcome && stem.is_empty() || is_named;
            let is_shown = is_likely && field.is_shown_as_text();
            (field.is_text() || field.values == 0 || is_shown).then(|| field.path.clone())
        };
        let paths: Vec<_> = fields.iter().filter_map(path).collect();
        let filled = fields.iter().filter(|field| field.values > 0).count();
        if paths.len() < fields.len() || filled < 2 {
            return None;
        }
        // `output_model_1` is a text, but `model_1` is a name.
        let is_usual = |word: &&String| is_named && *word == "model" || WORDS.remark.has(word);
        let mut others = stem.iter().filter(|word| !is_usual(word));
        // `version_a` is a text if it has sentences, and otherwise a name.
        let are_sentences = fields.iter().all(|field| field.are_sentences());
        let is_other = others.any(|word| {
            WORDS.no_response.has(word) && !(are_sentences && WORDS.metadata.has(word))
        });
        // One solution is a reference, but two are responses.
        let is_reference = stem
            .iter()
            .filter(|word| *word != "solution")
            .any(|word| WORDS.reference.has(word));
        let name = match stem.iter().any(|word| word != "/") {
            _ if is_other || is_reference || has(&WORDS.annotator) => return None,
            _ if *set == WordSet::Any => 2.5,
            // Reviews are about responses, unless nothing else can be a response.
            _ if has(&WORDS.remark) && WORDS.is_vague(*set) => return None,
            _ if has(&WORDS.remark) => 1.0,
            true if is_named => NAMED,
            true if WORDS.is_vague(*set) => return None,
            true => 0.5,
            false if is_outcome && !WORDS.is_vague(*set) => NAMED,
            false => 2.0,
        };
        let lists_of_both = paths.iter().all(Path::is_of_each);
        // A correct and an incorrect answer, or several best ones, next to a model's answer are
        // references.
        let are_references = WORDS.are_references(*set)
            || set.is_of_places() && stem.iter().any(|word| WORDS.is_better(word));
        let paths = paths.into_iter().zip(fields);
        Some(Self {
            paths: paths
                .map(|(text, field)| ResponsePaths {
                    text,
                    ..response(field)
                })
                .collect(),
            set: Some(*set).filter(|_| !lists_of_both || is_outcome),
            places: family.places.clone(),
            is_named: name > 1.0 && !are_references,
            is_pair: !(are_references && set.is_of_places())
                && (name >= NAMED || *set == WordSet::Any && fields.len() > 2)
                && !has(&WORDS.doubtful_list),
            score: name + length_score(fields) - strangeness(stem),
            why: "texts whose names differ in one word",
            ..Self::default()
        })
    }

    /// A row is one response if each record has either the better text or the worse one.
    fn in_turn(mut self, survey: &Survey) -> Self {
        let count = |record: &Value| {
            self.paths
                .iter()
                .map(|paths| &paths.text)
                .filter(|text| text.value_in(record).is_some())
                .count()
        };
        self.joins_rows = self.is_best_first()
            && self.paths.len() == 2
            && !self.paths.iter().any(ResponsePaths::is_of_each)
            && survey.iter().all(|record| count(record) == 1);
        self
    }

    /// Candidates: texts by model name, in an object that is named like responses.
    fn by_model(survey: &Survey) -> Option<Self> {
        let mut parents: BTreeMap<&String, Vec<&GuessField>> = BTreeMap::new();
        for field in survey.fields().filter(|field| field.is_text()) {
            if let [parent, child] = field.path.steps()
                && child != Path::EACH
                && !field.is_named(&WORDS.no_response)
            {
                parents.entry(parent).or_default().push(field);
            }
        }
        let mut parents = parents.into_iter().filter(|(parent, children)| {
            let words = name_words(parent);
            // One response may have parts: `response.text`.
            let is_part = |field: &&GuessField| {
                field.is_named(&WORDS.response_words) || field.is_named(&WORDS.response)
            };
            let are_several = parent.ends_with(['s', 'S'])
                || children.iter().all(|it| it.are_sentences() && !is_part(it));
            let is_named = WORDS.response.has(&words.join("_")) || WORDS.are_generated(&words);
            children.len() > 1 && are_several && is_named
        });
        let (_, children) = parents.next()?;
        Some(Self {
            is_named: true,
            ..Self::of_fields(&children, 3.0, "texts by model in one object")
        })
    }

    /// Candidates: texts of the same name in several objects, one for each model.
    fn by_object(survey: &Survey) -> Option<Self> {
        let mut groups: BTreeMap<(&[String], &String), Vec<&GuessField>> = BTreeMap::new();
        for field in survey
            .fields()
            .filter(|field| field.are_sentences() && field.is_single())
        {
            let [around @ .., parent, key] = field.path.steps() else {
                continue;
            };
            let parent = name_words(parent);
            let lists = [
                &WORDS.no_response,
                &WORDS.prompt,
                &WORDS.reference,
                &WORDS.context,
            ];
            if !any_of(&lists, &parent) && !WORDS.no_response.any(&field.key_words()) {
                groups.entry((around, key)).or_default().push(field);
            }
        }
        let groups = groups.into_values().filter(|fields| fields.len() > 1);
        let rank = |fields: &Vec<&GuessField>| {
            let is_named = fields[0].is_named(&WORDS.response_words);
            (is_named, fields.len(), fields[0].mean_chars() as usize)
        };
        let fields = groups.max_by_key(rank)?;
        let is_model = |field: &&GuessField| field.has_word(&WORDS.model);
        Some(Self {
            is_named: fields.len() > 2 || fields.iter().any(is_model) || rank(&fields).0,
            ..Self::of_fields(&fields, 2.0, "texts of the same name, one for each object")
        })
    }

    /// Candidates: texts in fields that a verdict names, or that are named after models.
    fn by_column(survey: &Survey, families: &[Family<'_>]) -> Option<Self> {
        let is_verdict =
            |field: &&GuessField| rank(field, &[]).is_some_and(|(_, is_exact)| is_exact);
        let named: HashSet<_> = survey
            .fields()
            .filter(is_verdict)
            .flat_map(|field| words_at(survey, &field.path))
            .filter(|word| word.len() < 80)
            .map(|word| name_words(&word))
            .collect();
        let is_text = |field: &&GuessField| {
            field.is_text() && !field.is_empty() && field.path.steps().len() == 1
        };
        let is_other = |field: &GuessField| field.has_word(&WORDS.no_response);
        let is_column = |field: &&GuessField| {
            let is_model = field.has_word(&WORDS.model) && !is_other(field);
            is_model || named.contains(&field.words)
        };
        let texts = survey.fields().filter(is_text);
        let (columns, rest): (Vec<_>, Vec<_>) = texts.partition(is_column);
        // Another text of this length might be a response that never won.
        let least = columns.iter().map(|it| it.mean_chars());
        let least = least.fold(f64::INFINITY, f64::min) / 2.0;
        let is_prompt = |it: &&GuessField| it.is_named(&WORDS.prompt);
        let has_prompt = rest.iter().any(is_prompt);
        let rest = rest.iter().filter(|it| !is_other(it) && !is_prompt(it));
        if rest.filter(|it| it.mean_chars() >= least).count() > usize::from(!has_prompt) {
            return None;
        }
        let is_family = |family: &Family<'_>| columns.iter().all(|it| family.has(&it.path));
        (columns.len() > 1 && !families.iter().any(is_family)).then(|| Self {
            is_named: true,
            ..Self::of_fields(&columns, 2.0, "texts named after models")
        })
    }

    /// Candidates: texts whose names end in the same unknown word, or with one name that negates
    /// the other.
    fn by_last_word(survey: &Survey) -> Option<Self> {
        let lists = [
            &WORDS.no_response,
            &WORDS.prompt,
            &WORDS.reference,
            &WORDS.context,
            &WORDS.beside,
            &WORDS.annotator,
        ];
        let mut groups: BTreeMap<(&[String], String), Vec<&GuessField>> = BTreeMap::new();
        for field in &survey.fields {
            let Some((key, around)) = field.path.steps().split_last() else {
                continue;
            };
            let mut words = name_words(key);
            let is_it = field.is_text()
                && field.is_single()
                && !field.has_constant_text()
                && !field.is_named(&WORDS.sentence_prompt)
                && !any_of(&lists, &words);
            if let Some(last) = words.pop().filter(|_| is_it && !words.is_empty()) {
                groups.entry((around, last)).or_default().push(field);
            }
        }
        let families = groups.into_iter().map(|((_, last), fields)| {
            let mut family = Family {
                set: WordSet::Any,
                stem: vec![last.clone()],
                places: Vec::new(),
                fields,
                name: last,
            };
            family.order_by_outcome();
            family
        });
        let family = families
            .filter(|Family { fields, set, .. }| {
                let are_sentences = fields.iter().all(|field| field.are_sentences());
                fields.len() > 1 && (are_sentences || !set.is_of_places())
            })
            .max_by_key(|family| family.fields.len())?;
        Some(Self {
            set: Some(family.set),
            places: family.places,
            ..Self::of_fields(
                &family.fields,
                0.0,
                "texts whose names end in the same word",
            )
        })
    }

    /// Candidates: a list of texts, or of objects with a text.
    fn of_list(survey: &Survey, list: &GuessField, is_only: bool) -> Option<Self> {
        let name = list.words.iter().rev().find(|word| *word != "/")?;
        // Chat completions mostly have only one.
        let are_choices = list.words.last().is_some_and(|word| word == "choices");
        let is_named = WORDS.response_words.has(name) || are_choices;
        // Without a prompt, a conversation is a list of turns, not of responses.
        let are_turns = WORDS.transcript.has(name)
            && !survey
                .fields()
                .any(|field| field.is_named(&WORDS.prompt) && field.path != list.path);
        // Accepts a list of any name if another field names one of its elements.
        let is_judged = || {
            let is_verdict = |it: &GuessField| rank(it, &[]).is_some_and(|it| it.1);
            !is_other_list(list)
                && list.is_object_list()
                && survey.fields().any(|it| it.is_single() && is_verdict(it))
        };
        let path = only_elements(survey, &list.path)?;
        let is_other = || have_prompts(survey, &path) || are_lines(survey, list);
        if are_turns || !(is_named || is_only || is_judged()) || is_other() {
            return None;
        }
        let mut lists = survey.lists(&path);
        if !are_choices && !lists.any(|list| list.len() > 1) {
            return None;
        }
        let each = path.then("*");
        let is_doubtful = !is_named || WORDS.doubtful_list.has(name);
        let (paths, text) = if list.is_text_list() {
            (ResponsePaths::of(each), list)
        } else if list.is_object_list() {
            let of_name = |field: &'_ GuessField| {
                let is_inside = field.is_text() && field.is_member_of(&list.path);
                let key = field.key();
                let rank = WORDS
                    .response
                    .place(&key)
                    .or((key == "message").then_some(0));
                // `responseText`, or any text; a long one if the list may not be of responses.
                let words = name_words(&key);
                let is_other = any_of(&[&WORDS.no_response, &WORDS.annotator], &words);
                let is_any = !is_other && (field.is_long_text() || !is_doubtful);
                let any = usize::MAX - usize::from(WORDS.response_words.any(&words));
                rank.or(is_any.then_some(any)).filter(|_| is_inside)
            };
            let texts = survey.fields().filter_map(|field| {
                let length = std::cmp::Reverse(field.mean_chars() as usize);
                Some((of_name(field)?, length, field))
            });
            let (.., text) = texts.min_by_key(|(rank, length, _)| (*rank, *length))?;
            let paths = ResponsePaths {
                each: Some(path.clone()),
                text: Path::key(text.path.last_key()?),
                ..response(text)
            };
            (paths, text)
        } else {
            return None;
        };
        Some(Self {
            paths: vec![paths],
            is_named: is_named && !is_doubtful,
            score: if is_named { NAMED } else { 1.0 } + length_score(&[text]),
            why: "a list of texts",
            ..Self::default()
        })
    }

    /// Returns the only list of long texts, or of objects with one, if another field is named like a
    /// prompt.
    fn only_list(survey: &Survey) -> Option<&GuessField> {
        let is_prompt = |it: &GuessField| it.is_text() && it.is_named(&WORDS.prompt);
        let are_long = |field: &GuessField| {
            let mut texts = survey
                .lists(&field.path)
                .flatten()
                .filter_map(Value::as_str)
                .peekable();
            texts.peek().is_some() && texts.all(|text| text.trim().contains(' '))
        };
        let has_texts = |field: &GuessField| {
            let is_text = |it: &GuessField| it.is_long_text() && it.is_member_of(&field.path);
            field.is_object_list() && survey.fields().any(is_text)
        };
        let is_it = |field: &&GuessField| {
            !is_other_list(field) && (field.is_text_list() && are_long(field) || has_texts(field))
        };
        let mut lists = survey.fields().filter(is_it);
        let has_prompt = survey.fields().any(is_prompt);
        lists
            .next()
            .filter(|_| has_prompt && lists.next().is_none())
    }

    /// Candidate: one response in each row. A reference answer counts only without other texts.
    fn single(survey: &Survey, is_reference: bool) -> Option<Self> {
        let is_transcript =
            |field: &GuessField| field.has_messages() && field.is_named(&WORDS.transcript);
        // Next to a conversation, the answer is a reference.
        let has_transcript = survey.fields().any(is_transcript);
        let rank = |field: &GuessField| {
            let name = field.key();
            let exact = WORDS.response.place(&name).map(|rank| rank * 2);
            let is_shown = exact.is_some() && field.is_shown_as_text() && !field.is_number();
            let is_free = (field.is_text() || is_shown || are_lines(survey, field))
                && field.values > 0
                && field.is_single()
                && field.path.steps().len() < 4
                && !is_transcript(field)
                && !(has_transcript && name == "answer")
                && (field.has_word(&WORDS.reference) && !field.has_word(&WORDS.generated))
                    == is_reference;
            let last = name.rsplit('_').next();
            let loose = last
                .and_then(|word| WORDS.response_words.place(word))
                .filter(|_| {
                    !field.has_word(&WORDS.no_response) || WORDS.are_generated(&name_words(&name))
                })
                .filter(|_| field.mean_chars() >= 3.0)
                .map(|rank| (WORDS.response.len() + rank) * 2 + 1);
            // Sentences: `response_post`, but not `response_style`.
            let first = name.split('_').next().filter(|_| field.are_sentences());
            let first = first
                .and_then(|word| WORDS.response_words.place(word))
                .filter(|place| *place < SURE_NOUNS && !field.has_word(&WORDS.no_response))
                .map(|place| (WORDS.response.len() + WORDS.response_words.len() + place) * 2);
            exact
                .or(loose)
                .or(first)
                .or(is_reference.then_some(usize::MAX))
                .filter(|_| is_free)
        };
        let fields = survey
            .fields()
            .filter_map(|field| Some((rank(field)?, field)));
        let (rank, field) = fields.min_by_key(|(rank, _)| *rank)?;
        Some(Self {
            is_named: rank < 2 * SURE_WORDS,
            joins_rows: true,
            ..Self::of_fields(&[field], 0.0, "one text per row, by its name")
        })
    }

    /// Splits a list into one table for each element, if all lists have the same length and a
    /// verdict names elements like this.
    pub fn of_elements(&self, survey: &Survey, named_by: NamedBy) -> Option<Self> {
        let [list] = self.paths.as_slice() else {
            return None;
        };
        let (each, _) = list.whole_path().split_list()?;
        let mut lengths = survey
            .values(&each)
            .map(|it| it.as_array().map_or(0, Vec::len));
        let count = lengths.next().filter(|count| (2..=26).contains(count))?;
        lengths.all(|length| length == count).then(|| Self {
            paths: (0..count).map(|place| list.of_element(place)).collect(),
            named_by,
            ..self.clone()
        })
    }

    /// True if the values name responses (by letter, by field or by value). Then these fields are
    /// verdicts.
    fn is_verdict(&self, survey: &Survey) -> bool {
        let own = whole_paths(&self.paths);
        let others = || (survey.fields()).filter(|field| !own.contains(&field.path));
        let mut count = 0;
        for record in survey.iter() {
            let values: HashSet<_> = others()
                .filter(|field| field.is_text())
                .filter_map(|field| field.path.value_in(record)?.as_str())
                .collect();
            for value in self.paths.iter().filter_map(|it| it.text.value_in(record)) {
                let Some(word) = value.as_str().filter(|word| word.len() < 200) else {
                    return false;
                };
                let words = name_words(word);
                let is_letter = matches!(words.as_slice(), [word] if word.len() == 1);
                let is_named =
                    |field: &GuessField| field.words == words || field.key_words() == words;
                let is_key = || words.len() <= 4 && others().any(is_named);
                if !is_letter && !is_key() && !values.contains(word) {
                    return false;
                }
                count += 1;
            }
        }
        count > 0
    }

    /// True if a path is one of the responses, or inside the list of them.
    pub fn has(&self, path: &Path) -> bool {
        self.paths.iter().any(|paths| {
            let whole = paths.whole_path();
            let list = whole.list().filter(|list| path.steps().starts_with(list));
            whole == *path || list.is_some()
        })
    }
}

/// Returns a path with 0 for each list that has exactly one element in all records; `None` if one
/// has more.
fn only_elements(survey: &Survey, path: &Path) -> Option<Path> {
    let Some((list, _)) = path.split_list() else {
        return Some(path.clone());
    };
    survey
        .lists(&list)
        .all(|list| list.len() == 1)
        .then(|| only_elements(survey, &path.of_element(0)))?
}

/// True if the elements of a list of texts are lines of one text: they begin with list marks, or the
/// list has the name of one text and any length, and no list of numbers is parallel to it.
fn are_lines(survey: &Survey, field: &GuessField) -> bool {
    if !field.is_text_list() || !field.is_single() {
        return false;
    }
    let lists = || survey.lists(&field.path);
    let is_marked = |text: &str| {
        let text = text.trim_start();
        let rest = text.trim_start_matches(|sign: char| sign.is_ascii_digit());
        rest.starts_with(['-', '*', '•']) || rest.len() < text.len() && rest.starts_with(['.', ')'])
    };
    let are_marked = || {
        let texts = || lists().flatten().filter_map(Value::as_str);
        texts().filter(|text| is_marked(text)).count() * 2 > texts().count()
    };
    let key = field.key();
    let is_one = || key == "summary" || !key.ends_with('s') && !WORDS.response_words.has(&key);
    let own = survey.lengths(&field.path);
    let is_parallel = |it: &GuessField| it.is_number_list() && survey.lengths(&it.path) == own;
    are_marked()
        || is_one()
            && own.iter().any(|length| *length != own[0])
            && !survey.fields().any(is_parallel)
}

/// True if elements of a list have prompts of their own: such records are rows.
fn have_prompts(survey: &Survey, list: &Path) -> bool {
    let differ = |field: &GuessField| {
        let is_prompt = field.is_named(&WORDS.prompt) && !field.is_named(&WORDS.doubtful_prompt);
        let mut all = survey.iter().filter_map(|record| field.path.all_in(record));
        is_prompt
            && field.is_member_of(list)
            && field.is_text()
            && all.any(|texts| texts.windows(2).any(|two| two[0] != two[1]))
    };
    survey.fields().any(differ)
}

/// True if a list is named after something other than responses.
fn is_other_list(list: &GuessField) -> bool {
    let others = [
        &WORDS.context,
        &WORDS.beside,
        &WORDS.reference,
        &WORDS.no_response,
        &WORDS.transcript,
    ];
    list.has_word_of(&others) || WORDS.is_of_annotators(&list.words)
}

/// Returns the paths of the texts of responses from the record.
pub fn whole_paths(responses: &[ResponsePaths]) -> Vec<Path> {
    responses.iter().map(ResponsePaths::whole_path).collect()
}

pub fn response(field: &GuessField) -> ResponsePaths {
    ResponsePaths {
        json: field.is_json(),
        ..ResponsePaths::of(field.path.clone())
    }
}

/// Penalty for a shared name that is unlike names of responses: 0 to 1 for its best word (`summary`
/// before `caption`), plus 1 for each further word (`edited_response`).
fn strangeness(stem: &[String]) -> f64 {
    let words = stem.iter().filter(|word| *word != "/");
    let place = words
        .clone()
        .filter_map(|word| WORDS.response_words.place(word))
        .min()
        .unwrap_or(0);
    (place as f64 * 0.08).min(1.0) + words.count().saturating_sub(1) as f64
}

/// Scores fields by length and variety of their texts: 0 to about 4.
fn length_score(fields: &[&GuessField]) -> f64 {
    let mean = |of: &dyn Fn(&GuessField) -> f64| {
        let sum: f64 = fields.iter().map(|field| of(field)).sum();
        sum / fields.len().max(1) as f64
    };
    mean(&GuessField::mean_chars).max(1.0).log10() + mean(&GuessField::distinct_share)
}
