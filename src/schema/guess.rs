//! Unknown records: what their fields probably are, by their names and values, and `--map`, which says so.
//!
//! [`FieldTable`] lists what stands where in the first records, [`Family`] finds names that differ in a word
//! for one of the responses. [`definition`] then decides roles one after the other: responses, prompt,
//! ratings, verdict, texts. No field gets two.

mod annotators;
mod names;
mod ratings;
mod responses;
mod roles;
mod table;
mod verdict;
mod without_texts;

use std::collections::{BTreeMap, HashSet};
use std::str::FromStr;

use serde_json::Value;

use super::definition::{
    Definition, PromptPaths, RatingSource, ResponsePaths, RowGrouping, TurnMarker, Turns,
    VerdictRule,
};
use super::path::Path;
use super::text_path::TextPath;
use crate::model::ResponseId;
use crate::text;

use names::{Family, names, place_in};
use responses::Responses;
use table::{FieldTable, GuessField};

pub(super) use names::is_same_word;
pub(super) use ratings::deciding_score;
pub(super) use verdict::says_tie;
pub use verdict::{ResponseNames, Said};
pub(super) use without_texts::without_texts;

/// Paths given by a person: `prompt=PATH,a=PATH,b=PATH`, and what else is said of a record. The rest is
/// guessed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PathMap {
    prompt: Option<Path>,
    /// The responses in order, or one path with a step `*`.
    responses: Vec<Path>,
    winner: Option<Path>,
    /// Labels, each by its name.
    labels: Vec<(String, Path)>,
    texts: Vec<(String, Path)>,
    system: Option<Path>,
    /// Fields that are nothing of these.
    plain: Vec<Path>,
}

/// What a map can name.
const KNOWN: &str = "prompt, a, b, c …, response, responses, winner, score, label.NAME, text.NAME";

impl FromStr for PathMap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut map = Self::default();
        let mut lettered: BTreeMap<usize, Path> = BTreeMap::new();
        let parts = text.split(',').map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            let (name, path) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is not NAME=PATH"))?;
            let path = Path::from(path.trim());
            match name.trim() {
                "prompt" => map.prompt = Some(path),
                "response" | "responses" => map.responses = vec![path],
                "winner" => map.winner = Some(path),
                "score" => map.labels.push(("score".to_owned(), path)),
                name => match name.split_once('.') {
                    Some(("label", label)) => map.labels.push((label.to_owned(), path)),
                    Some(("text", text)) => map.texts.push((text.to_owned(), path)),
                    _ => {
                        let response = ResponseId::of_word(name)
                            .ok_or_else(|| format!("`{name}` is none of {KNOWN}"))?;
                        lettered.insert(response.index(), path);
                    }
                },
            }
        }
        if !lettered.keys().copied().eq(0..lettered.len()) {
            return Err("name the responses a, b, c and so on, without a gap: a=PATH".to_owned());
        }
        map.responses.extend(lettered.into_values());
        match (&map.prompt, map.responses.as_slice()) {
            (_, []) => Err("say where the left response stands: a=PATH".to_owned()),
            (None, [one]) if !one.is_of_each() => {
                Err("say where the prompt stands: prompt=PATH".to_owned())
            }
            _ => Ok(map),
        }
    }
}

impl PathMap {
    /// The schema that it describes without a look at records.
    pub(super) fn definition(&self) -> Definition {
        self.of_records(&[])
    }

    /// The schema of what a person chose, by fields; `None` where it has no response, or one and no prompt.
    pub fn chosen(choices: &[(Path, FieldChoice)], records: &[Value]) -> Option<Definition> {
        let mut map = Self::default();
        for (path, choice) in choices {
            let named = || (path.last_key().unwrap_or_default().to_owned(), path.clone());
            match choice {
                FieldChoice::Prompt => map.prompt = Some(path.clone()),
                FieldChoice::Response => map.responses.push(path.clone()),
                FieldChoice::Winner => map.winner = Some(path.clone()),
                FieldChoice::Label => map.labels.push(named()),
                FieldChoice::Text => map.texts.push(named()),
                FieldChoice::System => map.system = Some(path.clone()),
                FieldChoice::Field => map.plain.push(path.clone()),
            }
        }
        let is_sample = map.responses.len() > 1 || map.prompt.is_some();
        (is_sample && !map.responses.is_empty()).then(|| map.of_records(records))
    }

    /// The schema that it describes: with several responses a row is a sample, with one consecutive rows are
    /// grouped by their prompt. What it leaves open is guessed from the first records.
    pub(super) fn of_records(&self, records: &[Value]) -> Definition {
        let mut table = FieldTable::new(records);
        table.forget(&self.plain);
        let families = Family::all(&table, names());
        let responses = match self.responses.as_slice() {
            [] => vec![Path::from("response")],
            paths => paths.to_vec(),
        };
        let field_of = |path: &Path| {
            families.iter().find(|family| {
                family
                    .fields
                    .iter()
                    .any(|&place| table.fields[place].path == *path)
            })
        };
        let set = responses
            .first()
            .and_then(field_of)
            .map(|family| family.set);
        let responses = Responses {
            keys: verdict::keys_of(&responses),
            joins_rows: responses.len() == 1 && !responses[0].is_of_each(),
            set,
            why: "you said so".to_owned(),
            paths: responses
                .into_iter()
                .map(|text| of_map(&table, text))
                .collect(),
            ..Responses::default()
        };
        let said = (self.prompt.as_ref()).map(|path| (path.clone(), "you said so"));
        let said = match (said, self.responses.is_empty()) {
            (None, true) => Some((Path::from("prompt"), "the usual name")),
            (said, _) => said,
        };
        let definition = Builder {
            table: &table,
            families: &families,
            responses,
            map: self,
        }
        .definition(said);
        Definition {
            name: "--map".to_owned(),
            ..definition
        }
    }
}

/// A response at a path that a person gave.
fn of_map(table: &FieldTable<'_>, path: Path) -> ResponsePaths {
    let json = table.at(&path).is_some_and(GuessField::is_json);
    let is_list = table.at(&path).is_some_and(GuessField::is_text_list);
    let path = if is_list { path.then("*") } else { path };
    match path.split_list() {
        Some((each, text)) if !text.steps().is_empty() => ResponsePaths {
            each: Some(each),
            text,
            json,
            ..ResponsePaths::default()
        },
        _ => ResponsePaths {
            text: path,
            json,
            ..ResponsePaths::default()
        },
    }
}

/// What is to be known of a guess beside what it takes for what.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guess {
    /// Which field has the name of a verdict and is not taken for it.
    pub untaken_verdict: Option<UntakenField>,
    /// Which field has the name of a score and is not taken for one.
    pub untaken_score: Option<UntakenField>,
    /// Whether rows have scores or a winner and no texts.
    pub is_without_texts: bool,
    /// Whether names of fields tell the preferred response from the other one instead of A from B.
    pub is_by_outcome: bool,
    /// What each field was taken for, and why.
    pub roles: Vec<FieldRole>,
}

/// What a field was taken for.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldRole {
    /// Its path.
    pub path: Path,
    /// What it is: `prompt`, `response A`, `verdict` and so on.
    pub role: String,
    /// By what that was decided.
    pub why: String,
}

/// What a person takes a field for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldChoice {
    /// The prompt.
    Prompt,
    /// A response.
    Response,
    /// Who wins.
    Winner,
    /// A number that rates a response.
    Label,
    /// A text about the sample.
    Text,
    /// Instructions to the model.
    System,
    /// Nothing of these.
    Field,
}

/// A field that has the name of a verdict or a score and is not taken for one: its values do not say
/// for sure which response wins, or have a decimal comma, and whether `1,000` is one or a thousand
/// nobody knows.
#[derive(Debug, Clone, PartialEq)]
pub struct UntakenField {
    /// Its path, for people and safe to show.
    pub path: String,
    /// A value that was not understood, likewise: not for a reviewer who is blind.
    pub value: String,
    /// Whether it has the name of a score.
    pub is_score: bool,
}

impl UntakenField {
    /// That it is not taken, and why; with or without its value.
    pub fn told(&self, tells_value: bool) -> String {
        let Self { path, value, .. } = self;
        let (what, why) = match (self.is_score, tells_value) {
            (true, true) => (
                "a score",
                format!(": {value} has no decimal point but a comma"),
            ),
            (true, false) => ("a score", ": it has decimal commas".to_owned()),
            (false, true) => (
                "the verdict",
                format!(": {value} does not say for sure which response wins"),
            ),
            (false, false) => ("the verdict", String::new()),
        };
        format!("{path} is not taken for {what}{why}")
    }
}

/// Guesses from the first records; `None` when they hold nothing that looks like responses.
pub(super) fn definition(records: &[Value]) -> Option<Definition> {
    annotators::of_tasks(records, &of_records).or_else(|| of_records(records))
}

fn of_records(records: &[Value]) -> Option<Definition> {
    let table = FieldTable::new(records);
    let families = Family::all(&table, names());
    let responses = Responses::guess(&table, &families, names())?;
    let prompt = responses::prompt(&table, &responses, names());
    let prompt = prompt.map(|(field, why)| (field.path.clone(), why));
    // Rows are grouped by their prompt: without one there is nothing to group by.
    if responses.joins_rows && prompt.is_none() {
        return None;
    }
    let map = &PathMap::default();
    Some(
        Builder {
            table: &table,
            families: &families,
            responses,
            map,
        }
        .definition(prompt),
    )
}

/// Adds the scores that records have beside a preferred response and another one.
pub(super) fn add_scores(definition: &mut Definition, records: &[Value]) {
    let table = FieldTable::new(records);
    let families = Family::all(&table, names());
    ratings::add_of_families(definition, &table, &families, None, names());
    let margin = ratings::deciding(definition, &table, names());
    if let (Some(VerdictRule::Fixed { margin, .. }), Some(VerdictRule::ByLabel { label, .. })) = (
        definition.verdict.as_mut().map(|verdict| &mut verdict.rule),
        margin,
    ) {
        *margin = Some(label);
    }
}

/// Puts a definition together once the responses are known.
struct Builder<'t, 'v> {
    table: &'t FieldTable<'v>,
    families: &'t [Family],
    responses: Responses,
    /// What a person says of the rest.
    map: &'t PathMap,
}

impl Builder<'_, '_> {
    fn definition(self, prompt: Option<(Path, &str)>) -> Definition {
        let Self {
            table,
            responses,
            map,
            ..
        } = &self;
        let mut definition = Definition {
            name: "guessed".to_owned(),
            rows: match responses.joins_rows {
                true => RowGrouping::Groups,
                false => RowGrouping::Inline,
            },
            prompt: prompt.as_ref().map(|(path, _)| PromptPaths {
                json: table.at(path).is_some_and(GuessField::is_json),
                path: vec![path.clone()],
                ..PromptPaths::default()
            }),
            responses: responses.paths.clone(),
            ..Definition::default()
        };
        let mut guess = Guess::default();
        let role = |path: &Path, role: String, why: &str| FieldRole {
            path: path.clone(),
            role,
            why: why.to_owned(),
        };
        guess
            .roles
            .extend(prompt.map(|(path, why)| role(&path, "prompt".to_owned(), why)));
        self.add_prompt_parts(&mut definition);
        if definition.prompt.is_none() {
            definition.turns = self.turns();
        }
        for (place, paths) in definition.responses.iter_mut().enumerate() {
            let is_known = table
                .at(&paths.whole_path())
                .is_some_and(|field| field.values > 0);
            paths.is_optional = is_known && responses.paths.len() > 1;
            let letter =
                ResponseId::new(place).map_or(String::new(), |id| format!(" {}", id.letter()));
            let letter = if responses.paths.len() > 1 {
                letter
            } else {
                String::new()
            };
            guess.roles.push(role(
                &paths.whole_path(),
                format!("response{letter}"),
                &responses.why,
            ));
        }
        for (name, path) in &map.labels {
            self.add_mapped_label(&mut definition, name, path);
        }
        ratings::add(&mut definition, table, self.families, responses, names());
        guess.untaken_score = self.score_with_commas(&definition);
        let verdict = self.verdict(&mut definition, &mut guess);
        if let Some((rule, why)) = verdict {
            // What says who wins is no label besides.
            let is_rule = |source: &RatingSource| match source {
                RatingSource::Path(path) => rule.paths().any(|of_rule| of_rule == path),
                RatingSource::Constant(_) => false,
            };
            let responses = &definition.responses;
            definition.labels.retain(|label| {
                let mut sources = responses
                    .iter()
                    .filter_map(|it| it.ratings.get(&label.name));
                !sources.any(is_rule)
            });
            let labels = &definition.labels;
            let is_label = |name: &String| labels.iter().any(|label| label.name == *name);
            for response in &mut definition.responses {
                response.ratings.retain(|name, _| is_label(name));
            }
            let path = rule.path().cloned();
            guess
                .roles
                .extend(path.map(|path| role(&path, "verdict".to_owned(), &why)));
            definition.verdict = Some(rule.into());
        }
        let texts = map.texts.iter();
        let texts = texts.map(|(name, path)| TextPath::new(name.clone(), Some(path.clone())));
        definition.texts.extend(texts);
        annotators::add_votes(&mut definition, table.records);
        definition.title = title(&definition);
        definition.guess = Some(guess);
        definition
    }

    /// Adds a label that a person names, unless its path leads into a list that the responses are not of.
    fn add_mapped_label(&self, definition: &mut Definition, name: &str, path: &Path) {
        let are_spelled = self.table.at(path).is_some_and(GuessField::are_spelled);
        let each = definition.responses.first().and_then(|it| it.each.clone());
        let path = match each.and_then(|each| path.steps().strip_prefix(each.then("*").steps())) {
            Some(rest) => rest
                .iter()
                .fold(Path::default(), |path, step| path.then(step)),
            None => path.clone(),
        };
        let paths = vec![path; definition.responses.len()];
        // Of a family each response has its own.
        let family = self.families.iter().find(|family| {
            let mut fields = family.fields.iter();
            family.fields.len() == paths.len()
                && fields.any(|at| self.table.fields[*at].path == paths[0])
        });
        let Some(family) =
            family.filter(|family| family.fields.len() > 1 && !family.name.is_empty())
        else {
            return ratings::add_label(definition, name, are_spelled, paths);
        };
        let paths = family
            .fields
            .iter()
            .map(|at| self.table.fields[*at].path.clone());
        ratings::add_label(definition, &family.name, are_spelled, paths);
    }

    /// Who wins and why, and what is to be known of a field that does not say it.
    fn verdict(
        &self,
        definition: &mut Definition,
        guess: &mut Guess,
    ) -> Option<(VerdictRule, String)> {
        let Self {
            table,
            families,
            responses,
            map,
        } = self;
        let deciding = ratings::deciding(definition, table, names());
        let of_label = |rule: VerdictRule| (rule, "the greater value wins".to_owned());
        if responses.is_best_first() && map.winner.is_none() {
            let lists = responses.paths.iter().all(ResponsePaths::is_of_each);
            if lists && responses.paths.len() == 2 {
                return Some(of_label(better_and_worse(definition)));
            }
            // A field that names the other one knows better than the names.
            let taken = definition.taken();
            let is_free = |path: &Path| !taken.contains(path);
            if let Ok((VerdictRule::ByValue(rule), why)) = verdict::verdict(
                table,
                families,
                responses,
                &is_free,
                map.winner.as_ref(),
                names(),
            ) && table.values(&rule.path).flatten().any(|value| {
                let word = value.as_str().unwrap_or_default();
                rule.words.iter().skip(1).flatten().any(|it| it == word)
            }) {
                return Some((VerdictRule::ByValue(rule), why));
            }
            let margin = deciding.and_then(|rule| match rule {
                VerdictRule::ByLabel { label, .. } => Some(label),
                _ => None,
            });
            let always = ResponseId::A;
            let why = "its name says that it is the better one".to_owned();
            return Some((VerdictRule::Fixed { always, margin }, why));
        }
        if definition.responses.len() < 2 {
            let indexed = self.indexed_verdict(definition);
            return indexed.or(deciding.map(of_label));
        }
        let taken = definition.taken();
        let is_free = |path: &Path| match &map.winner {
            Some(winner) => winner == path,
            None => !taken.contains(path),
        };
        let one_hot = || verdict::one_hot(table, families, responses, names());
        if let Some(found) = one_hot().filter(|_| map.winner.is_none()) {
            return Some(found);
        }
        match verdict::verdict(
            table,
            families,
            responses,
            &is_free,
            map.winner.as_ref(),
            names(),
        ) {
            Ok(found) => Some(found),
            Err(untaken) => {
                guess.untaken_verdict = untaken;
                deciding.map(of_label)
            }
        }
    }

    /// A verdict that names an element of a list of responses by a letter or a number, which then are a
    /// response each.
    fn indexed_verdict(&self, definition: &mut Definition) -> Option<(VerdictRule, String)> {
        let Self {
            table,
            families,
            responses,
            map,
        } = self;
        let taken = definition.taken();
        let is_free = |path: &Path| match &map.winner {
            Some(winner) => winner == path,
            // Nobody knows what 0 and 1 mean there.
            None => !taken.contains(path) && path.last_key() != Some("label"),
        };
        let mut counted = [0, 1]
            .into_iter()
            .filter_map(|first| responses.of_elements(table, first));
        let (elements, found) = counted.find_map(|elements| {
            let found = verdict::verdict(
                table,
                families,
                &elements,
                &is_free,
                map.winner.as_ref(),
                names(),
            )
            .ok()?;
            Some((elements, found))
        })?;
        let list = definition.responses.pop()?;
        let count = elements.paths.len();
        definition.responses = (0..count).map(|place| list.of_element(place)).collect();
        Some(found)
    }

    /// Adds instructions to the model, earlier turns, and texts before or after the prompt. A file may leave
    /// them empty in more rows than a guess reads, so an empty text or null counts too.
    fn add_prompt_parts(&self, definition: &mut Definition) {
        let taken = definition.taken();
        let is_free =
            |field: &&GuessField| !taken.contains(&field.path) && field.path.steps().len() == 1;
        let named = |list: &[String]| {
            let has_name = |field: &&GuessField| place_in(list, &field.words.join("_")).is_some();
            self.table.fields.iter().filter(is_free).find(has_name)
        };
        let text = |list: &[String]| named(list).filter(|it| it.is_text() || it.values == 0);
        let system = text(&names().system).map(|field| field.path.clone());
        let history = named(&names().history).map(|field| field.path.clone());
        let context = text(&names().context).map(|field| field.path.clone());
        let input = text(&names().input).map(|field| field.path.clone());
        let beside = (self.table.fields.iter()).filter(is_free).filter(|field| {
            field
                .words
                .iter()
                .any(|word| place_in(&names().beside, word).is_some())
        });
        let beside = beside.map(|field| field.path.clone()).collect();
        if let Some(prompt) = &mut definition.prompt {
            prompt.path.splice(0..0, context);
            prompt.path.extend(input);
            prompt.system = self.map.system.clone().or(system);
            prompt.history = history;
            if self.responses.joins_rows {
                prompt.beside = beside;
            }
        }
    }

    /// How turns are marked where the texts are whole transcripts.
    fn turns(&self) -> Option<Turns> {
        let begins = |paths: &ResponsePaths, marker: &str| {
            let mut values = self.table.values(&paths.text).flatten();
            let first = values.find_map(Value::as_str);
            first.is_some_and(|text| text.trim_start().starts_with(marker))
        };
        let [user, assistant] = (names().markers.iter())
            .find(|[user, _]| self.responses.paths.iter().all(|paths| begins(paths, user)))?;
        Some(Turns {
            marker: TurnMarker::LineStart,
            user: user.clone(),
            assistant: assistant.clone(),
        })
    }

    /// A field that has the name of a score and numbers with a decimal comma.
    fn score_with_commas(&self, definition: &Definition) -> Option<UntakenField> {
        let in_family = |field: &GuessField| {
            let mut families = self.families.iter().filter(|it| !it.name.is_empty());
            families.any(|it| {
                it.fields
                    .iter()
                    .any(|&place| self.table.fields[place].path == field.path)
            })
        };
        let taken = definition.taken();
        let is_score = |field: &&GuessField| {
            let name = field.path.steps().join(".");
            field.has_commas()
                && !taken.contains(&field.path)
                && (names().rates(&name) || in_family(field))
        };
        let field = self.table.fields.iter().find(is_score)?;
        Some(UntakenField {
            path: text::one_line(&field.path.to_string(), 48),
            value: text::one_line(field.first_comma.as_deref()?, 24),
            is_score: true,
        })
    }
}

/// Lists of better and of worse texts: each of the first is better than each of the second.
fn better_and_worse(definition: &mut Definition) -> VerdictRule {
    let name = "chosen".to_owned();
    ratings::add_label(definition, &name, false, []);
    for (response, value) in definition.responses.iter_mut().zip([1.0, 0.0]) {
        response
            .ratings
            .insert(name.clone(), RatingSource::Constant(value));
    }
    VerdictRule::ByLabel {
        label: name,
        lower: false,
    }
}

impl Definition {
    /// The paths that have a role: they lead to the prompt, a response or what belongs to them, or to
    /// something around these.
    pub(super) fn taken(&self) -> HashSet<Path> {
        let prompt = self.prompt.iter().flat_map(PromptPaths::all);
        let texts = self.texts.iter().filter_map(|text| text.path.as_ref());
        let rule = self.rule().and_then(VerdictRule::path);
        let mut taken: HashSet<_> = prompt.chain(texts).chain(rule).cloned().collect();
        for paths in &self.responses {
            let ratings = paths.ratings.values().filter_map(|source| match source {
                RatingSource::Path(path) => Some(paths.whole(path)),
                RatingSource::Constant(_) => None,
            });
            let texts = paths.texts.values().map(|path| paths.whole(path));
            for path in ratings.chain(texts).chain([paths.whole_path()]) {
                let steps = path.steps();
                taken.extend((1..steps.len()).map(|end| Path::of_steps(&steps[..end])));
                taken.insert(path);
            }
        }
        taken
    }
}

/// Whether a path leads to the prompt or to a response.
fn is_text_of(definition: &Definition, path: &Path) -> bool {
    let prompt = definition.prompt.iter().flat_map(PromptPaths::all);
    let mut responses = definition.responses.iter();
    prompt.into_iter().any(|own| own == path) || responses.any(|own| own.whole_path() == *path)
}

/// What was taken for what, for the header.
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

/// A `--map` for records that could not be guessed: the field with the name of a prompt, or else the first
/// text, and the texts that are about as long as the longest. `None` where there are too few.
pub(super) fn proposed_map(records: &[Value]) -> Option<String> {
    let table = FieldTable::new(records);
    let path = |field: &GuessField| field.path.steps().join(".");
    let is_plain = |field: &GuessField| {
        path(field)
            .chars()
            .all(|sign| sign.is_alphanumeric() || "_-.".contains(sign))
    };
    let texts = table
        .fields
        .iter()
        .filter(|field| field.is_text() && field.values > 0 && is_plain(field));
    let texts: Vec<_> = texts.collect();
    let named =
        responses::prompt(&table, &Responses::default(), names()).map(|(field, _)| &field.path);
    let first = texts
        .iter()
        .find(|field| named.is_none_or(|named| *named == field.path))?;
    let others = || texts.iter().filter(|field| field.path != first.path);
    let longest = others().map(|field| field.mean_chars()).fold(0.0, f64::max);
    let is_long = |field: &&&GuessField| field.mean_chars() * 2.0 >= longest;
    let letters = ('a'..='z').zip(others().filter(is_long));
    let responses: Vec<_> = letters
        .map(|(letter, field)| format!(",{letter}={}", path(field)))
        .collect();
    (!responses.is_empty()).then(|| format!("prompt={}{}", path(first), responses.concat()))
}

/// Whether records have numbers or words but no texts that could be responses: they say something of a
/// dataset in another file.
pub(super) fn are_scores(records: &[Value]) -> bool {
    let table = FieldTable::new(records);
    let is_text = |field: &GuessField| field.is_text() && field.mean_chars() > 24.0;
    let rates =
        |field: &GuessField| field.is_number() && names().rates(&field.path.steps().join("."));
    table.fields.iter().any(rates) && !table.fields.iter().any(is_text)
}

/// Whether a field has the name of a rating.
pub fn rates(key: &str) -> bool {
    names().rates(key)
}

/// The keys of the first record, for a message.
pub(super) fn keys(records: &[Value]) -> String {
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
