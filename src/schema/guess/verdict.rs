//! Which field of unknown records says who wins, and how its values name the responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::UntakenField;
use super::names::{Family, GuessNames, name_words, names, place_in};
use super::responses::Responses;
use super::table::{FieldTable, GuessField, is_nothing, value_at};
use crate::schema::definition::{ByValue, Definition, OutcomePaths, ResponsePaths, VerdictRule};
use crate::schema::path::Path;
use crate::text;

/// What a value says about who wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The response at this place in the schema, from 0.
    Wins(usize),
    /// No response is better.
    Tie,
}

/// How values name responses: reads `A`, `[[A]]`, `response_b is better`, `Model 2`, `A>B` and the like.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResponseNames {
    /// The words of the fields of the responses.
    keys: Vec<Vec<String>>,
    /// The number of the first response, where their fields end in numbers.
    first: Option<usize>,
    /// Whether a number alone names a response.
    takes_numbers: bool,
    /// Whether only the words of the keys name responses, and no letters or places.
    has_keys_alone: bool,
}

/// Whether a word says that no response is better.
pub(in crate::schema) fn says_tie(word: &str) -> bool {
    ResponseNames::default().said(word) == Some(Said::Tie)
}

impl ResponseNames {
    /// The names of responses with these keys.
    pub(super) fn new(keys: &[String]) -> Self {
        let keys: Vec<_> = keys.iter().map(|key| name_words(key)).collect();
        let number = |words: &Vec<String>| words.last()?.parse::<usize>().ok();
        let numbers: Vec<_> = keys.iter().filter_map(number).collect();
        let first = numbers.first().copied().filter(|&first| {
            numbers.len() == keys.len()
                && (first..)
                    .zip(&numbers)
                    .all(|(count, number)| count == *number)
        });
        Self {
            keys,
            first,
            takes_numbers: false,
            has_keys_alone: false,
        }
    }

    /// The names of the responses of a definition, where numbers alone name them too: from 1 where their
    /// fields have none.
    pub(super) fn of_definition(definition: &Definition) -> Self {
        let paths: Vec<_> = definition
            .responses
            .iter()
            .map(|it| it.text.clone())
            .collect();
        let names = match definition.has_response_lists() {
            true => Self::new(&vec!["*".to_owned(); LETTERS]),
            false => Self::new(&keys_of(&paths)),
        };
        let first = names.first.unwrap_or(1);
        names.with_numbers(first)
    }

    /// The same where numbers alone, counted from `first`, name responses.
    pub(super) fn with_numbers(&self, first: usize) -> Self {
        Self {
            first: Some(first),
            takes_numbers: true,
            ..self.clone()
        }
    }

    /// What a value says; `None` where that is not sure.
    pub fn said(&self, value: &str) -> Option<Said> {
        const LONGEST: usize = 120;
        let value = value.trim();
        let words = name_words(value.strip_suffix(".0").unwrap_or(value));
        let is_it = |key: &Vec<String>| !words.is_empty() && *key == words;
        if let Some(place) = self.keys.iter().position(is_it) {
            return Some(Said::Wins(place));
        }
        if value.len() > LONGEST || value.starts_with('-') {
            return None;
        }
        if let Some(said) = self.compared(value) {
            return Some(said);
        }
        let known = names();
        let joined = words.join(" ");
        let is_tie = |word: &String| known.tie.contains(word);
        let is_judges_tie = value == "[[C]]" && self.keys.len() == 2;
        let mut sides = words.iter().filter(|word| known.side(word).is_some());
        if words.iter().any(is_tie) && sides.next().is_some() && sides.next().is_none() {
            // `B (neither is great)`
            return None;
        }
        if value == "none"
            || is_judges_tie
            || known.tie.contains(&joined)
            || words.iter().any(is_tie)
        {
            return Some(Said::Tie);
        }
        let than = words
            .iter()
            .position(|word| word == "than" || word == "over");
        let is_worse = words.iter().any(|word| word == "worse");
        let before = match than {
            Some(at) => self.sides(&words[..at])?,
            None => Vec::new(),
        };
        match (self.sides(&words)?.as_slice(), before.as_slice()) {
            ([side], []) if than.is_none() => match is_worse {
                true => (self.keys.len() == 2).then(|| Said::Wins(1 - side)),
                false => Some(Said::Wins(*side)),
            },
            // A is better than B.
            ([first, second], [subject]) if subject == first => {
                Some(Said::Wins(if is_worse { *second } else { *first }))
            }
            _ => None,
        }
    }

    /// What `A>B`, `A>>B`, `A<B` and `A=B` say.
    fn compared(&self, value: &str) -> Option<Said> {
        let is_sign = |sign: char| ['>', '<', '='].contains(&sign);
        let at = value.find(is_sign)?;
        let (left, rest) = value.split_at(at);
        let right = rest.trim_start_matches(is_sign);
        let signs = &rest[..rest.len() - right.len()];
        let side = |text: &str| match self.sides(&name_words(text))?.as_slice() {
            [side] => Some(*side),
            _ => None,
        };
        let (left, right) = (side(left)?, side(right)?);
        match (signs.contains('>'), signs.contains('<')) {
            (true, false) => Some(Said::Wins(left)),
            (false, true) => Some(Said::Wins(right)),
            (false, false) => Some(Said::Tie),
            (true, true) => None,
        }
    }

    /// The responses that words name, each once; `None` where a word says something else.
    fn sides(&self, words: &[String]) -> Option<Vec<usize>> {
        let known = names();
        let mut sides = Vec::new();
        for word in words {
            if words.len() > 1 && known.filler.contains(word) {
                continue;
            }
            let side = match word.parse::<usize>() {
                // With a noun, numbers count from 1 where the fields have none.
                Ok(number) if self.takes_numbers || words.len() > 1 => {
                    Some(number.checked_sub(self.first.unwrap_or(1))?)
                }
                Ok(_) => return None,
                Err(_) if self.has_keys_alone => self.key_with(word),
                Err(_) => known.side(word).or_else(|| self.key_with(word)),
            };
            match side {
                Some(side) if side >= self.keys.len() => return None,
                Some(side) if sides.contains(&side) => {}
                Some(side) => sides.push(side),
                None if self.keys.iter().any(|key| key.contains(word)) => {}
                None => return None,
            }
        }
        Some(sides)
    }

    /// The response whose key alone has a word.
    fn key_with(&self, word: &String) -> Option<usize> {
        let mut keys = self
            .keys
            .iter()
            .enumerate()
            .filter(|(_, key)| key.contains(word));
        let (place, _) = keys.next()?;
        keys.next().is_none().then_some(place)
    }

    /// Whether values, of which none is missing, name responses. One of them may be unknown, or a tenth
    /// where that is more, as long as most are known: such rows are flagged, wherever in the file they stand.
    fn fit(&self, values: &[String]) -> bool {
        let unknown: Vec<_> = values
            .iter()
            .filter(|value| self.said(value).is_none())
            .collect();
        let ends_in_number = |value: &str| value.ends_with(|last: char| last.is_ascii_digit());
        let is_other_number = (self.first.is_some() || self.takes_numbers)
            && unknown.iter().any(|value| ends_in_number(value));
        let wins = |place| {
            values
                .iter()
                .any(|value| self.said(value) == Some(Said::Wins(place)))
        };
        let winners = (0..self.keys.len()).filter(|&place| wins(place)).count();
        // A 1 alone may count from 0, or say yes.
        winners > usize::from(self.takes_numbers)
            && !is_other_number
            && unknown.len() <= (values.len() / 10).max(1)
            && unknown.len() * 2 < values.len()
    }

    /// Whether values say so in the words of judges: `[[A]]`, `A>B`, `A is better`.
    fn are_sure(&self, values: &[String]) -> bool {
        let is_sure = |value: &String| {
            let words = name_words(value);
            let says = |word: &String| ["better", "wins", "won", "than"].contains(&&**word);
            value.contains("[[") || value.contains('>') || words.iter().any(says)
        };
        let is_read = |value: &String| match self.said(value) {
            Some(Said::Wins(_)) => is_sure(value),
            said => said.is_some(),
        };
        values.iter().all(is_read) && values.iter().any(is_sure)
    }

    /// Whether values are keys of responses.
    fn are_keys(&self, values: &[String]) -> bool {
        let is_key = |value: &String| value.len() > 1 && self.keys.contains(&name_words(value));
        values.iter().all(is_key)
    }

    /// The rule for a field with these values.
    fn rule(&self, path: Path, values: &[String]) -> ByValue {
        let of = |said: Said| -> Vec<String> {
            let mut words: Vec<String> = Vec::new();
            for value in values.iter().filter(|value| self.said(value) == Some(said)) {
                if !words.contains(value) {
                    words.push(value.clone());
                }
            }
            words
        };
        let words = (0..self.keys.len()).map(|place| match of(Said::Wins(place)) {
            seen if seen.is_empty() => vec![self.keys[place].join("_")],
            seen => seen,
        });
        ByValue {
            path,
            words: words.collect(),
            tie: Some(of(Said::Tie)),
            margins: BTreeMap::new(),
            names: Some(Arc::new(self.clone())),
        }
    }
}

/// How many responses have a letter.
const LETTERS: usize = 26;

/// The keys of responses: the first steps in which their paths differ.
pub(super) fn keys_of(paths: &[Path]) -> Vec<String> {
    let step = |path: &Path, place: usize| path.steps().get(place).cloned();
    let most = paths
        .iter()
        .map(|path| path.steps().len())
        .max()
        .unwrap_or(0);
    let differ = |place: &usize| {
        let first = paths.first().and_then(|path| step(path, *place));
        paths.iter().any(|path| step(path, *place) != first)
    };
    let place = (0..most).find(differ).unwrap_or(most.saturating_sub(1));
    paths
        .iter()
        .map(|path| step(path, place).unwrap_or_default())
        .collect()
}

/// A value as a rule for the verdict reads it, unless it is missing: numbers and texts of them are the same.
fn word_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if is_nothing(text) && text != "none" => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => match list.as_slice() {
            [one] => word_of(one),
            _ => Some(value.to_string()),
        },
        Value::Null => None,
        value => Some(value.to_string()),
    }
}

/// The values of a field that are not missing.
fn words_at(table: &FieldTable<'_>, path: &Path) -> Vec<String> {
    table.values(path).flatten().filter_map(word_of).collect()
}

/// The rank of a field among those with the name of a verdict, and whether it has the very name.
fn rank(field: &GuessField, list: &[String]) -> Option<(usize, bool)> {
    let last = name_words(field.path.steps().last()?);
    let exact = place_in(list, &last.join("_"));
    // `human_winner`, but neither `worst_choice` nor `preferred_language`.
    let known = names();
    let is_aside = |word: &String| {
        let mut lists = [
            &known.winner_beside,
            &known.response_words,
            &known.annotator,
        ]
        .into_iter();
        lists.any(|list| place_in(list, word).is_some())
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let loose = || {
        list.iter().position(|name| {
            let has = |word: &String| name.split('_').any(|of_name| of_name == word);
            name.split('_').all(|word| last.iter().any(|it| it == word))
                && last.iter().all(|word| has(word) || is_aside(word))
        })
    };
    exact
        .map(|rank| (rank, true))
        .or_else(|| Some((loose()? + list.len(), false)))
}

/// The field that says who wins, and why it is the one.
///
/// # Errors
/// When there is none: the likeliest field that has the name of one, if any has.
pub(super) fn verdict(
    table: &FieldTable<'_>,
    families: &[Family],
    responses: &Responses,
    is_free: &dyn Fn(&Path) -> bool,
    said: Option<&Path>,
    known: &GuessNames,
) -> Result<(VerdictRule, String), Option<UntakenField>> {
    let plain = ResponseNames {
        // `A` is no place in `chosen` and `rejected`.
        has_keys_alone: responses.is_best_first(),
        ..ResponseNames::new(&responses.keys)
    };
    let fields = table
        .fields
        .iter()
        .filter(|field| !field.path.is_of_each() && is_free(&field.path));
    let mut fields: Vec<_> = fields
        .map(|field| {
            let said = said.filter(|said| **said == field.path).map(|_| (0, true));
            (said.or_else(|| rank(field, &known.winner)), field)
        })
        .collect();
    fields.sort_by_key(|(rank, _)| rank.map_or(usize::MAX, |(rank, _)| rank));
    let mut untaken = None;
    for (rank, field) in fields {
        let values = words_at(table, &field.path);
        if values.is_empty() {
            continue;
        }
        let numbers = plain.first.map(|first| plain.with_numbers(first));
        let mut readings = std::iter::once(&plain).chain(&numbers);
        let reading = readings.find(|reading| reading.fit(&values));
        // The key of a response in a field of any name may be that of the loser, or of the longer one.
        let is_sure = rank.is_some() || reading.is_some_and(|it| it.are_sure(&values));
        if let Some(reading) = reading.filter(|it| !is_sure && it.are_keys(&values)) {
            untaken = untaken.or_else(|| Some(not_taken(table, field, reading, &values)));
        }
        let reading = reading.filter(|_| is_sure);
        let path = || field.path.clone();
        if let Some(reading) = reading {
            let why = "its values name responses".to_owned();
            return Ok((VerdictRule::ByValue(reading.rule(path(), &values)), why));
        }
        let Some((_, is_exact)) = rank else {
            continue;
        };
        if let Some((fields, why)) = by_names(table, families, responses, field) {
            let path = Some(path());
            return Ok((VerdictRule::ByField { path, fields }, why));
        }
        let reading = numbers.as_ref().unwrap_or(&plain);
        if is_exact && untaken.is_none() {
            untaken = Some(not_taken(table, field, reading, &values));
        }
    }
    Err(untaken)
}

/// A field that is not taken for the verdict, with a value that was not understood if there is one.
fn not_taken(
    table: &FieldTable<'_>,
    field: &GuessField,
    reading: &ResponseNames,
    values: &[String],
) -> UntakenField {
    let unknown = values.iter().find(|value| reading.said(value).is_none());
    let value = unknown.unwrap_or(&values[0]);
    let mut quoted = table.values(&field.path).flatten();
    let quoted = quoted.find(|it| word_of(it).as_ref() == Some(value));
    let value = quoted.map_or_else(|| value.clone(), Value::to_string);
    UntakenField {
        path: text::one_line(&field.path.to_string(), 48),
        value: text::one_line(&value, 24),
        is_score: false,
    }
}

/// Fields that say of each response whether it wins: yes for the winner, or 1.
pub(super) fn one_hot(
    table: &FieldTable<'_>,
    families: &[Family],
    responses: &Responses,
    known: &GuessNames,
) -> Option<(VerdictRule, String)> {
    let is_it = |family: &&Family| {
        let fields: Vec<_> = family
            .fields
            .iter()
            .map(|&place| &table.fields[place])
            .collect();
        let says = |value: Option<&Value>| match value {
            Some(Value::Bool(is_true)) => Some(*is_true),
            Some(Value::String(text)) if text == "1" || text == "0" => Some(text == "1"),
            value => value?
                .as_f64()
                .filter(|it| *it == 0.0 || *it == 1.0)
                .map(|it| it == 1.0),
        };
        let wins = |record: &Value| {
            let said = fields
                .iter()
                .map(|field| says(value_at(record, &field.path)));
            Some(
                said.collect::<Option<Vec<_>>>()?
                    .into_iter()
                    .filter(|it| *it)
                    .count(),
            )
        };
        let mut counts = table.records.iter().map(wins);
        let is_named = family.stem.iter().any(|word| known.winner.contains(word));
        family.fields.len() == responses.paths.len()
            && responses.set == Some(family.set)
            && is_named
            && counts.all(|count| count.is_some_and(|count| count < 2))
    };
    let family = families.iter().find(is_it)?;
    let paths = family
        .fields
        .iter()
        .map(|&place| table.fields[place].path.clone());
    let of_tie = table.fields.iter().find(|field| {
        let mut words = field.words.clone();
        let at = words.iter().position(|word| known.tie.contains(word));
        at.map(|at| words.remove(at)).is_some() && words == family.stem
    });
    let fields = OutcomePaths {
        responses: paths.collect(),
        tie: of_tie.map(|field| field.path.clone()),
    };
    let why = "it is true where the response wins".to_owned();
    Some((VerdictRule::ByField { path: None, fields }, why))
}

/// The fields of the responses, among them the responses themselves, one of which has the same value as
/// this one in each record.
fn by_names(
    table: &FieldTable<'_>,
    families: &[Family],
    responses: &Responses,
    field: &GuessField,
) -> Option<(OutcomePaths, String)> {
    let count = responses.paths.len();
    if count < 2 || responses.paths.iter().any(ResponsePaths::is_of_each) {
        return None;
    }
    let of_family = |family: &Family| -> Vec<Path> {
        family
            .fields
            .iter()
            .map(|&place| table.fields[place].path.clone())
            .collect()
    };
    let own = responses
        .paths
        .iter()
        .map(|paths| paths.text.clone())
        .collect();
    let mut lists = families.iter().map(of_family).chain([own]);
    let fit = |paths: &Vec<Path>| {
        let mut known = 0;
        let mut unknown = 0;
        for record in table.records {
            let Some(value) = value_at(record, &field.path).filter(|it| word_of(it).is_some())
            else {
                continue;
            };
            // Numbers and flags name nothing: they are equal by chance.
            let is_it = |path: &Path| value.is_string() && value_at(record, path) == Some(value);
            let is_tie = value.as_str().is_some_and(says_tie);
            match paths.iter().any(is_it) {
                true => known += 1,
                false => unknown += usize::from(!is_tie),
            }
        }
        let all = known + unknown;
        known > 0 && unknown <= (all / 10).max(1) && unknown * 2 < all
    };
    let paths =
        lists.find(|paths| paths.len() == count && !paths.contains(&field.path) && fit(paths))?;
    let shown: Vec<_> = paths.iter().map(ToString::to_string).collect();
    let why = format!("its values are those of {}", shown.join(", "));
    Some((
        OutcomePaths {
            responses: paths,
            tie: None,
        },
        why,
    ))
}

/// The field of a joined file that names the better response, and whether it calls it chosen
/// instead of A. Numbers count only if both occur, and not beside a score that decides.
pub(super) fn without_texts(
    table: &FieldTable<'_>,
    is_free: &dyn Fn(&Path) -> bool,
    known: &GuessNames,
    has_deciding_score: bool,
) -> Option<(ByValue, bool)> {
    let of = |keys: [&str; 2]| ResponseNames::new(&keys.map(str::to_owned));
    let letters = of(["response_a", "response_b"]);
    let numbered = |first| letters.with_numbers(first);
    let all = [
        letters.clone(),
        of(["chosen", "rejected"]),
        numbered(1),
        numbered(0),
    ];
    let lists = [&known.winner, &known.winner_alone];
    let mut keys = lists.into_iter().flatten();
    keys.find_map(|name| {
        let is_called = |field: &&GuessField| {
            let key = field
                .path
                .steps()
                .last()
                .map(|key| name_words(key).join("_"));
            key.is_some_and(|key| key.ends_with(&**name)) && is_free(&field.path)
        };
        table.fields.iter().filter(is_called).find_map(|field| {
            let values = words_at(table, &field.path);
            let mut readings = all.iter().enumerate();
            let (place, reading) = readings
                .find(|(_, it)| !(has_deciding_score && it.takes_numbers) && it.fit(&values))?;
            Some((reading.rule(field.path.clone(), &values), place == 1))
        })
    })
}
