//! Guesses layouts of unknown records by the names and values of their fields, and applies `--map`.
//!
//! [`Survey`] lists the fields of the first records; [`Family`] finds names that differ in a
//! word for a response. [`candidates`] then assigns roles in turn: responses, prompt, ratings,
//! verdict, texts. No field gets two.

mod annotators;
mod doubt;
mod names;
mod prompt;
mod raters;
mod ratings;
mod response_names;
mod responses;
mod roles;
mod survey;
mod verdict;

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::layout::definition::{
    Definition, PromptPaths, RatingSource, ResponsePaths, RowGrouping, Turns,
};
use super::layout::text_path::TextPath;
use super::row::turns;
use crate::model::ResponseId;
use crate::schema::verdict::{ByValue, VerdictRule};
use crate::table::Path;
use crate::text;

use names::{Family, NameWords, WORDS};
use responses::Responses;
use survey::GuessField;

pub use doubt::Reading;
pub use doubt::{Doubt, UnusedField, UnusedReason};
pub use names::{is_id_name, is_same_word, is_transcript_name, outcome};
pub use prompt::{known_turns, proposed_map};
pub use raters::is_of_people;
pub use ratings::{are_scores, deciding_score, without_texts};
pub use response_names::says_tie;
pub use response_names::{NamedBy, NamedVerdict, ResponseNames};
pub use roles::{Choices, FieldChoice, FieldRole, letter};
pub use survey::{DATASETS, Survey};

impl Choices {
    /// Returns the definition of these choices; `None` if there is no response, or only one and no
    /// prompt.
    pub fn definition(&self, survey: &Survey) -> Option<Definition> {
        let responses = self.of(FieldChoice::Response).count();
        let is_sample = responses > 1 || self.of(FieldChoice::Prompt).next().is_some();
        (is_sample && responses > 0).then(|| self.of_survey(survey))
    }

    /// Creates the definition of these choices and guesses the rest from the first records. With
    /// several responses, a row is a sample; with one, adjacent rows are grouped by prompt.
    pub(super) fn of_survey(&self, survey: &Survey) -> Definition {
        let unused: Vec<_> = self.of(FieldChoice::Field).collect();
        let survey = &survey.without(&unused);
        let families = &Family::all(survey);
        let mut responses: Vec<_> = self.of(FieldChoice::Response).cloned().collect();
        let said = self.of(FieldChoice::Prompt).last();
        let mut said = said.map(|it| (it.clone(), "you said so"));
        if responses.is_empty() {
            said = said.or(Some((Path::from("prompt"), "the usual name")));
            responses.push(Path::from("response"));
        }
        let family = families.iter().find(|family| family.has(&responses[0]));
        let responses = Responses {
            joins_rows: responses.len() == 1 && !responses[0].is_of_each(),
            set: family.map(|family| family.set),
            places: family
                .map(|family| family.places.clone())
                .unwrap_or_default(),
            why: "you said so",
            paths: (responses.into_iter())
                .map(|text| of_map(survey, text))
                .collect(),
            ..Responses::default()
        };
        let builder = Builder {
            survey,
            families,
            responses,
            map: self,
        };
        Definition {
            name: "--map".to_owned(),
            ..builder.definition(said)
        }
    }
}

/// Creates the paths of a response that the user chose.
fn of_map(survey: &Survey, path: Path) -> ResponsePaths {
    let field = survey.at(&path);
    let json = field.is_some_and(GuessField::is_json);
    let is_list = field.is_some_and(GuessField::is_text_list);
    let path = if is_list { path.then("*") } else { path };
    let split = path
        .split_list()
        .filter(|(_, text)| !text.steps().is_empty());
    let (each, text) = split.map_or((None, path), |(each, text)| (Some(each), text));
    ResponsePaths {
        each,
        text,
        json,
        ..ResponsePaths::default()
    }
}

/// Details of a guess besides its definition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guess {
    /// The field that is named like a verdict but not used.
    pub unused_verdict: Option<UnusedField>,
    /// The field that is named like a score but not used.
    pub unused_score: Option<UnusedField>,
    /// True if rows have scores or a winner but no texts.
    pub is_without_texts: bool,
    /// True if field names distinguish the preferred response from the other one, instead of A from
    /// B.
    pub is_by_outcome: bool,
    /// What may be wrong, as the first rows show.
    pub doubts: Vec<Doubt>,
    /// The role of each field, and the reason.
    pub roles: Vec<FieldRole>,
}

/// Returns the definitions that the first records suggest, likeliest first; empty if they contain
/// nothing that looks like responses.
pub fn candidates(survey: &Survey) -> Vec<Definition> {
    let of_tasks = annotators::of_tasks(survey, &|data| of_rows(data).into_iter().next());
    of_tasks.into_iter().chain(of_rows(survey)).collect()
}

fn of_rows(survey: &Survey) -> Vec<Definition> {
    let families = &Family::all(survey);
    Responses::guess(survey, families)
        .into_iter()
        .filter_map(|responses| of_responses(survey, families, responses))
        .collect()
}

fn of_responses(
    survey: &Survey,
    families: &[Family<'_>],
    responses: Responses,
) -> Option<Definition> {
    let prompt = match responses.prompt.clone() {
        Some(path) => Some((path, "the turns before")),
        None => prompt::prompt(survey, &responses).map(|(field, why)| (field.path.clone(), why)),
    };
    // Rows are grouped by prompt, so there should be one.
    let sentences = survey.fields().filter(|field| field.are_sentences());
    let is_sure = responses.is_conversation || responses.is_named || sentences.count() == 1;
    if responses.joins_rows && prompt.is_none() && !is_sure {
        return None;
    }
    let builder = Builder {
        survey,
        families,
        responses,
        map: &Choices::default(),
    };
    let mut definition = builder.definition(prompt);
    if let Some(known) = survey.dataset() {
        definition.name.clone_from(&known.name);
        definition.title.clone_from(&known.title);
    }
    Some(definition)
}

/// Adds the scores that records have next to a preferred response and another one.
pub fn add_scores(definition: &mut Definition, survey: &Survey) {
    ratings::add_of_families(definition, &Family::all(survey), None);
    let deciding = ratings::deciding(definition, survey, &Choices::default());
    let rule = definition.verdict.as_mut().map(|verdict| &mut verdict.rule);
    if let Some(VerdictRule::Fixed { margin, .. }) = rule
        && let Some(VerdictRule::ByLabel { label, .. }) = deciding
    {
        *margin = Some(label);
    }
}

/// Builds a definition once the responses are known.
struct Builder<'t> {
    survey: &'t Survey,
    families: &'t [Family<'t>],
    responses: Responses,
    /// The user's choices.
    map: &'t Choices,
}

impl Builder<'_> {
    fn definition(self, prompt: Option<(Path, &str)>) -> Definition {
        let Self {
            survey,
            responses,
            map,
            ..
        } = &self;
        let mut definition = Definition {
            name: "guessed".to_owned(),
            rows: if responses.joins_rows {
                RowGrouping::Groups
            } else {
                RowGrouping::Inline
            },
            lenient: true,
            responses: responses.paths.clone(),
            ..Definition::default()
        };
        let mut roles = Vec::new();
        if let Some((path, why)) = prompt {
            roles.push(FieldRole::new(&path, "prompt", why));
            // `prompt_a` and `prompt_b` must be equal, or the row is flagged.
            let count = responses.paths.len();
            let of_each = |family: &&Family<'_>| {
                family.fields.len() == count
                    && responses.set == Some(family.set)
                    && family.has(&path)
            };
            let of_each = self.families.iter().find(of_each).filter(|_| count > 1);
            definition.same = of_each.map(Family::paths).unwrap_or_default();
            definition.prompt = Some(PromptPaths {
                json: survey.at(&path).is_some_and(GuessField::is_json),
                path: vec![path],
                ..PromptPaths::default()
            });
        }
        self.add_prompt_parts(&mut definition);
        if responses.joins_rows
            && let Some(prompt) = &definition.prompt
            && prompt::are_apart(survey, &prompt.path)
        {
            definition.group.clone_from(&prompt.path);
        }
        definition.turns = self.turns(&definition);
        let are_several = responses.paths.len() > 1;
        for (place, paths) in definition.responses.iter_mut().enumerate() {
            let path = paths.whole_path();
            let is_known = survey.at(&path).is_some_and(|field| field.values > 0);
            paths.is_optional |= is_known && are_several;
            let role = format!("response{}", letter(place, responses.paths.len()));
            roles.push(FieldRole::new(&path, role, responses.why));
        }
        for (name, path) in map.named(FieldChoice::Label) {
            self.add_mapped_label(&mut definition, name, path);
        }
        ratings::add(&mut definition, survey, self.families, responses);
        let mut guess = Guess {
            unused_score: self.score_with_commas(&definition),
            roles,
            ..Guess::default()
        };
        let verdict = self.verdict(&mut definition, &mut guess);
        if verdict.is_none() && guess.unused_verdict.is_none() {
            guess.unused_verdict = ratings::undecided(&definition, survey);
        }
        if let Some((rule, why)) = verdict {
            definition.drop_labels(&|path| rule.paths().contains(path));
            let path = rule.path().into_iter();
            (guess.roles).extend(path.map(|path| FieldRole::new(path, "verdict", &*why)));
            definition.verdict = Some(rule.into());
        }
        let texts = map.named(FieldChoice::Text);
        let texts = texts.map(|(name, path)| TextPath::new(name.to_owned(), Some(path.clone())));
        definition.texts.extend(texts);
        // References may be a list.
        let used = definition.used_paths();
        let lists = survey.fields().filter(|field| {
            let is_free = field.is_text_list() && field.is_single() && !used.contains(&field.path);
            is_free && field.has_word(&WORDS.reference)
        });
        definition
            .texts
            .extend(lists.map(|it| TextPath::new(it.name(), Some(it.path.then("*")))));
        annotators::add_votes(&mut definition, survey, self.families);
        match definition.rule() {
            Some(VerdictRule::ByVotes) => guess.unused_verdict = None,
            None if guess.unused_verdict.is_none() && !responses.joins_rows => {
                guess.unused_verdict = self.candidate(&definition);
            }
            _ => {}
        }
        self.add_raters(&mut definition);
        definition.title = title(&definition);
        definition.guess = Some(guess);
        definition
    }

    /// Adds a label that the user chose, unless its path leads into a list that is not the
    /// responses' list.
    fn add_mapped_label(&self, definition: &mut Definition, name: &str, path: &Path) {
        let spelling = self.survey.at(path).and_then(GuessField::spelling);
        let count = definition.responses.len();
        let each = definition.responses.first().and_then(|it| it.each.as_ref());
        let path = match path.split_list() {
            Some((list, onward)) if each == Some(&list) => onward,
            _ => path.clone(),
        };
        // In a family, each response has its own field.
        let family = self
            .families
            .iter()
            .find(|family| family.fields.len() == count && family.has(&path));
        match family.filter(|family| !family.name.is_empty()) {
            Some(family) => {
                ratings::add_label(definition, &family.name, spelling, family.paths());
            }
            None => ratings::add_label(definition, name, spelling, vec![path; count]),
        }
    }

    /// Returns the response that is better by name; the user may have chosen it as the second.
    fn better(&self) -> ResponseId {
        let paths = &self.responses.paths;
        let is_it = |family: &&Family<'_>| {
            Some(family.set) == self.responses.set
                && paths.iter().all(|it| family.has(&it.whole_path()))
        };
        let family = self.families.iter().find(is_it);
        let first = family.and_then(|it| it.places.iter().position(|place| *place == 0));
        let place = family
            .zip(first)
            .map(|(family, at)| &family.fields[at].path)
            .and_then(|path| paths.iter().position(|it| it.whole_path() == *path));
        place.and_then(ResponseId::new).unwrap_or(ResponseId::A)
    }

    /// Returns the rule that determines the winner, and the reason. Records in `guess` which field
    /// is not used and why.
    fn verdict(
        &self,
        definition: &mut Definition,
        guess: &mut Guess,
    ) -> Option<(VerdictRule, String)> {
        let deciding = ratings::deciding(definition, self.survey, self.map);
        let of_label = |rule: VerdictRule| {
            let is_lower = matches!(rule, VerdictRule::ByLabel { lower: true, .. });
            let what = if is_lower { "lower" } else { "greater" };
            (rule, format!("the {what} value wins"))
        };
        let is_open = self.map.winner().is_none();
        let used = definition.used_paths();
        if self.responses.is_best_first() && is_open {
            let paths = &self.responses.paths;
            let are_lists = paths.iter().all(ResponsePaths::is_of_each);
            if paths.len() == 2 && (are_lists || self.responses.joins_rows) {
                return Some(of_label(better_and_worse(definition)));
            }
            // A field that names the other response as the winner is more reliable than names.
            if let Ok((VerdictRule::ByValue(rule), why)) = self.by_value(&used, false)
                && self.survey.values(&rule.path).any(|value| {
                    let word = value.as_str().unwrap_or_default();
                    rule.words.iter().skip(1).flatten().any(|it| it == word)
                })
            {
                return Some((VerdictRule::ByValue(rule), why));
            }
            let margin = deciding.and_then(|rule| match rule {
                VerdictRule::ByLabel { label, .. } => Some(label),
                _ => None,
            });
            let always = self.better();
            let why = "its name means the better response".to_owned();
            let rule = VerdictRule::Fixed { always, margin };
            guess.unused_verdict = self.contradiction(definition, &rule);
            return Some((rule, why));
        }
        if definition.responses.len() < 2 {
            return self
                .indexed_verdict(definition, used)
                .map_err(|unused| {
                    let of_label = || self.contradiction(definition, deciding.as_ref()?);
                    guess.unused_verdict = unused.or_else(of_label);
                })
                .ok()
                .or(deciding.map(of_label));
        }
        if let Some(found) = self.one_hot().filter(|_| is_open) {
            return Some(found);
        }
        match self.by_value(&used, deciding.is_none()) {
            Ok(found) => {
                guess.unused_verdict = self.contradiction(definition, &found.0);
                Some(found)
            }
            Err(unused) => {
                let rule = deciding.as_ref();
                let contradiction = rule.and_then(|rule| self.contradiction(definition, rule));
                guess.unused_verdict = contradiction.or(unused);
                let late = || {
                    self.late_verdict()
                        .filter(|_| guess.unused_verdict.is_none())
                };
                deciding.map(of_label).or_else(late)
            }
        }
    }

    /// Finds a verdict that names elements of a list of responses by letter or number. The list
    /// then becomes one table for each response.
    ///
    /// # Errors
    /// The likeliest rejected field with a verdict name, if any.
    fn indexed_verdict(
        &self,
        definition: &mut Definition,
        mut used: HashSet<Path>,
    ) -> Result<(VerdictRule, String), Option<UnusedField>> {
        // It is unknown what 0 and 1 mean in a label.
        let fields = self.survey.fields().map(|field| &field.path);
        let labels = fields.filter(|path| path.last_key() == Some("label"));
        used.extend(labels.cloned());
        let named_by = |by: NamedBy| {
            let responses = self.responses.of_elements(self.survey, by)?;
            let count = responses.paths.len();
            let builder = Builder { responses, ..*self };
            let (rule, why) = builder.by_value(&used, false).ok()?;
            Some((by, count, rule, why))
        };
        let mut found = [NamedBy::Numbers, NamedBy::Names]
            .into_iter()
            .filter_map(named_by);
        let Some((by, count, rule, why)) = found.next() else {
            return Err(self.by_value(&used, true).err().flatten());
        };
        // Of three responses, 1 and 2 may be the first two or the last two.
        if let VerdictRule::ByValue(ByValue { path, .. }) = &rule
            && self.map.values.is_empty()
        {
            let words = verdict::words_at(self.survey, path);
            let numbers = words.iter().map(|word| word.parse::<f64>().ok());
            let numbers: Vec<_> = numbers.flatten().collect();
            let end = if by == NamedBy::Names { 0 } else { count };
            if !numbers.is_empty() && !numbers.contains(&(end as f64)) {
                let reason = UnusedReason::CountsFrom;
                return Err(Some(UnusedField::new(path, &words[0], reason)));
            }
        }
        if let Some(list) = definition.responses.pop() {
            definition.responses = (0..count).map(|place| list.of_element(place)).collect();
        }
        Ok((rule, why))
    }

    /// Adds the system message, earlier turns, and texts before or after the prompt. Empty texts
    /// and null also count, since a file may leave them empty in more rows than a guess reads.
    fn add_prompt_parts(&self, definition: &mut Definition) {
        let used = definition.used_paths();
        let is_free =
            |field: &&GuessField| !used.contains(&field.path) && field.path.steps().len() == 1;
        let free = || self.survey.fields().filter(is_free);
        let named = |list: &NameWords| free().find(|field| list.has(&field.words.join("_")));
        let path = |field: &GuessField| field.path.clone();
        let text = |list| {
            named(list)
                .filter(|it| it.is_text() || it.values == 0)
                .map(path)
        };
        let Some(prompt) = &mut definition.prompt else {
            return;
        };
        prompt.path.splice(0..0, text(&WORDS.context));
        prompt.path.extend(text(&WORDS.input));
        let system = self.map.of(FieldChoice::System).next().cloned();
        prompt.system = system.or_else(|| text(&WORDS.system));
        prompt.history = named(&WORDS.history).map(path);
        if self.responses.joins_rows {
            let fields = &self.survey.fields;
            let response = fields
                .iter()
                .position(|field| self.responses.has(&field.path));
            let before = &fields[..response.unwrap_or_default()];
            let others = [
                &WORDS.no_response,
                &WORDS.reference,
                &WORDS.winner,
                &WORDS.response,
            ];
            // A text before the response is part of the prompt.
            let is_of_prompt = |field: &GuessField| {
                let is_before = || before.iter().any(|it| it.path == field.path);
                // One word like `strategy: "greedy"` describes how the response was made.
                let has_blanks = || {
                    let mut values = self.survey.values(&field.path);
                    values.all(|value| value.as_str().is_some_and(|it| it.contains(' ')))
                };
                field.is_text()
                    && (field.is_long_text() || has_blanks())
                    && !field.has_messages()
                    && is_before()
                    && !field.has_word_of(&others)
            };
            let beside =
                free().filter(|field| field.has_word(&WORDS.beside) || is_of_prompt(field));
            prompt.beside = beside.map(path).collect();
        }
    }

    /// Finds the markers of turns if most texts of the prompt or of a response are conversations.
    fn turns(&self, definition: &Definition) -> Option<Turns> {
        let prompt = definition
            .prompt
            .iter()
            .flat_map(|prompt| prompt.path.clone());
        let responses = self.responses.paths.iter().map(ResponsePaths::whole_path);
        let paths: Vec<_> = prompt.chain(responses).collect();
        let are_conversations = |markers: &Turns| {
            paths.iter().any(|path| {
                let texts = self.survey.values(path).filter_map(Value::as_str);
                let (are, others): (Vec<_>, Vec<_>) =
                    texts.partition(|text| turns::is_conversation(text, markers));
                are.len() > others.len()
            })
        };
        known_turns().find(are_conversations)
    }

    /// Finds a field that is named like a score but has decimal commas.
    fn score_with_commas(&self, definition: &Definition) -> Option<UnusedField> {
        let in_family = |field: &GuessField| {
            let mut families = self.families.iter().filter(|it| !it.name.is_empty());
            families.any(|it| it.has(&field.path))
        };
        let used = definition.used_paths();
        let is_score = |field: &&GuessField| {
            field.has_commas()
                && !used.contains(&field.path)
                && (WORDS.rates(&field.name()) || in_family(field))
        };
        let field = self.survey.fields().find(is_score)?;
        let value = field.first_comma.as_deref()?;
        Some(UnusedField::new(&field.path, value, UnusedReason::Commas))
    }
}

/// Rule for better and worse texts in lists or in rows of their own: each of the first is better
/// than each of the second.
fn better_and_worse(definition: &mut Definition) -> VerdictRule {
    let name = "chosen".to_owned();
    ratings::add_label(definition, &name, None, []);
    for (response, value) in definition.responses.iter_mut().zip([1.0, 0.0]) {
        let source = RatingSource::Constant(value);
        response.ratings.insert(name.clone(), source);
    }
    VerdictRule::ByLabel {
        label: name,
        lower: false,
    }
}

impl Definition {
    /// Drops labels whose values are part of the verdict. Returns their names.
    fn drop_labels(&mut self, is_verdict: &dyn Fn(&Path) -> bool) -> BTreeSet<String> {
        let ratings = self.responses.iter().flat_map(|it| &it.ratings);
        let dropped = ratings.filter(|(_, source)| source.path().is_some_and(is_verdict));
        let names: BTreeSet<_> = dropped.map(|(name, _)| name.clone()).collect();
        self.labels.retain(|label| !names.contains(&label.name));
        for response in &mut self.responses {
            response.ratings.retain(|name, _| !names.contains(name));
        }
        names
    }
}

/// Summarises the guess, for the header.
fn title(definition: &Definition) -> String {
    let prompt = definition.prompt.iter().flat_map(|prompt| &prompt.path);
    let responses = definition.responses.iter().map(ResponsePaths::whole_path);
    let name = |path: String| path.trim_start_matches('/').replace('/', ".");
    let names = |paths: Vec<String>| paths.into_iter().map(name).collect::<Vec<_>>().join(" ");
    let prompt = names(prompt.map(Path::to_string).collect());
    let responses = names(responses.map(|path| path.to_string()).collect());
    let of = if prompt.is_empty() { "" } else { ": " };
    text::one_line(&format!("guess {prompt}{of}{responses}"), 48)
}

/// True if a field is named like a rating.
pub fn rates(key: &str) -> bool {
    WORDS.rates(key)
}

/// Lists the keys of the first record, for a message.
pub fn keys(records: &[Value]) -> String {
    let keys: Vec<_> = match records.iter().find_map(Value::as_object) {
        Some(object) => object.keys().take(12).map(String::as_str).collect(),
        None => return "no names (they are lists)".to_owned(),
    };
    if keys.is_empty() {
        "no fields".to_owned()
    } else {
        keys.join(", ")
    }
}
