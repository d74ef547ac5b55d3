//! Reads response names in values.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::names::{WORDS, name_words};
use super::responses::whole_paths;
use crate::model::ResponseId;
use crate::schema::{ByValue, ResponsePaths};
use crate::table::Path;

/// The verdict that a value names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedVerdict {
    /// Index of the winning response in the schema.
    Wins(usize),
    /// No response is better.
    Tie,
}

impl NamedVerdict {
    /// Parses the letter of a response, or `tie`.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        match word {
            "tie" => Some(Self::Tie),
            letter => ResponseId::of_word(letter).map(|id| Self::Wins(id.index())),
        }
    }
}

/// The words that name responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NamedBy {
    /// Only the words of the responses' fields, such as `chosen`.
    Keys,
    /// These, letters, positions, and the numbers that their fields end in.
    #[default]
    Names,
    /// As `names`; but after a noun, numbers count responses from 0: `model_0`.
    #[serde(rename = "names-from-0")]
    NamesFrom0,
    /// As `names`, and numbers count responses from 1.
    Numbers,
    /// As `names`, but they name the loser of two responses.
    Loser,
}

/// Reads names of responses in values, such as `A`, `[[A]]`, `response_b is better`, `Model 2` and
/// `A>B`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(from = "NamedBy", into = "NamedBy")]
pub struct ResponseNames {
    pub by: NamedBy,
    /// Words of the responses' fields.
    pub keys: Vec<Vec<String>>,
    /// Numbers of the responses, if their fields end in numbers.
    pub numbers: Vec<usize>,
    /// True if a bare number names a response.
    takes_numbers: bool,
}

impl From<NamedBy> for ResponseNames {
    fn from(by: NamedBy) -> Self {
        Self {
            by,
            ..Self::default()
        }
    }
}

impl From<ResponseNames> for NamedBy {
    fn from(names: ResponseNames) -> Self {
        names.by
    }
}

/// True if a word means a tie.
pub fn says_tie(word: &str) -> bool {
    ResponseNames::default().verdict_of(word) == Some(NamedVerdict::Tie)
}

impl ResponseNames {
    /// Creates the names of responses with these keys.
    pub fn new(keys: &[String]) -> Self {
        let keys: Vec<_> = keys.iter().map(|key| name_words(key)).collect();
        let number = |words: &Vec<String>| words.last()?.parse::<usize>().ok();
        let numbers = keys.iter().map(number).collect::<Option<Vec<_>>>();
        let are_sorted = |numbers: &Vec<usize>| numbers.windows(2).all(|two| two[0] < two[1]);
        Self {
            numbers: numbers.filter(are_sorted).unwrap_or_default(),
            keys,
            ..Self::default()
        }
    }

    /// Creates the names of responses from the paths of their texts.
    pub fn of(by: NamedBy, responses: &[ResponsePaths]) -> Self {
        let paths = whole_paths(responses);
        let counts = by == NamedBy::Numbers;
        let mut names = if paths.iter().any(Path::is_of_each) {
            Self::new(&vec!["*".to_owned(); LETTERS])
        } else {
            Self::new(&keys_of(&paths, counts))
        };
        names.takes_numbers = by != NamedBy::Keys && !names.numbers.is_empty();
        match by {
            NamedBy::NamesFrom0 => names.numbers = (0..names.keys.len()).collect(),
            NamedBy::Numbers => names = names.with_numbers(1),
            _ => {}
        }
        Self { by, ..names }
    }

    /// Creates names that include bare numbers, counted as the fields are, or else from 1.
    pub fn with_any_numbers(responses: &[ResponsePaths]) -> Self {
        let own = Self::of(NamedBy::Names, responses);
        if own.takes_numbers {
            own
        } else {
            Self::of(NamedBy::Numbers, responses)
        }
    }

    /// Returns these names, with bare numbers counted from `first`.
    pub fn with_numbers(&self, first: usize) -> Self {
        Self {
            numbers: (first..first + self.keys.len()).collect(),
            takes_numbers: true,
            ..self.clone()
        }
    }

    /// Returns names that count two or more responses from `first`, if all are counted by some value
    /// and their fields have no numbers.
    pub fn counting(&self, values: &[String], first: usize) -> Option<Self> {
        let is_named = !self.numbers.is_empty() || self.by == NamedBy::Keys;
        let is_number = |value: &&String| !says_tie(value);
        let numbers = values
            .iter()
            .filter(is_number)
            .map(|value| value.trim().parse());
        let numbers: BTreeSet<usize> = numbers.collect::<Result<_, _>>().ok()?;
        let all = first..first + self.keys.len();
        (!is_named && numbers.into_iter().eq(all)).then(|| self.with_numbers(first))
    }

    /// Returns the verdict that a value names; `None` if it is ambiguous.
    pub fn verdict_of(&self, value: &str) -> Option<NamedVerdict> {
        match self.named(value)? {
            NamedVerdict::Wins(place) if self.by == NamedBy::Loser => {
                (self.keys.len() == 2).then(|| NamedVerdict::Wins(1 - place))
            }
            said => Some(said),
        }
    }

    /// Returns the response that a value names as better.
    fn named(&self, value: &str) -> Option<NamedVerdict> {
        const LONGEST: usize = 120;
        let value = value.trim();
        // Such as `A is better (2)`.
        let aside = value.strip_suffix(')').and_then(|it| it.rsplit_once('('));
        let value = aside
            .filter(|(_, aside)| aside.parse::<f64>().is_ok())
            .map_or(value, |(value, _)| value.trim_end());
        if value.len() > LONGEST {
            return None;
        }
        let words = name_words(value.strip_suffix(".0").unwrap_or(value));
        let is_it = |key: &Vec<String>| !words.is_empty() && *key == words;
        if let Some(place) = self.keys.iter().position(is_it) {
            return Some(NamedVerdict::Wins(place));
        }
        if value.starts_with('-') {
            return None;
        }
        if let Some(said) = self.compared(value) {
            return Some(said);
        }
        let joined = words.join(" ");
        let is_tie = |word: &String| WORDS.tie.contains(word);
        let is_judges_tie = value == "[[C]]" && self.keys.len() == 2;
        let mut sides = words.iter().filter(|word| WORDS.side(word).is_some());
        if words.iter().any(is_tie) && sides.next().is_some() && sides.next().is_none() {
            // Such as `B (neither is great)`.
            return None;
        }
        if value == "none" || is_judges_tie || is_tie(&joined) || words.iter().any(is_tie) {
            return Some(NamedVerdict::Tie);
        }
        let is_than = |word: &String| word == "than" || word == "over";
        let than = words.iter().position(is_than);
        let is_worse = words.iter().any(|word| word == "worse");
        let before = match than {
            Some(at) => self.sides(&words[..at])?,
            None => Vec::new(),
        };
        match (self.sides(&words)?.as_slice(), before.as_slice()) {
            ([side], []) if than.is_none() => {
                if is_worse {
                    (self.keys.len() == 2).then(|| NamedVerdict::Wins(1 - side))
                } else {
                    Some(NamedVerdict::Wins(*side))
                }
            }
            // Such as "A is better than B".
            ([first, second], [subject]) if subject == first => {
                Some(NamedVerdict::Wins(if is_worse { *second } else { *first }))
            }
            _ => None,
        }
    }

    /// Reads `A>B`, `A>>B`, `A<B` and `A=B`.
    fn compared(&self, value: &str) -> Option<NamedVerdict> {
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
            (true, false) => Some(NamedVerdict::Wins(left)),
            (false, true) => Some(NamedVerdict::Wins(right)),
            (false, false) => Some(NamedVerdict::Tie),
            (true, true) => None,
        }
    }

    /// Returns the responses that words name, without repeats; `None` if a word has another
    /// meaning.
    fn sides(&self, words: &[String]) -> Option<Vec<usize>> {
        let mut sides = Vec::new();
        for word in words {
            if words.len() > 1 && WORDS.filler.contains(word) {
                continue;
            }
            let side = match word.parse::<usize>() {
                // `gpt3` names `summary_gpt3`. Otherwise, numbers after a noun count from 1 if the
                // fields have none.
                Ok(_) if self.numbers.is_empty() && self.key_with(word).is_some() => {
                    self.key_with(word)
                }
                Ok(number) if self.takes_numbers || words.len() > 1 => {
                    let mut numbers = self.numbers.iter();
                    match numbers.position(|it| *it == number) {
                        None if self.numbers.is_empty() => Some(number.checked_sub(1)?),
                        place => Some(place?),
                    }
                }
                Ok(_) => return None,
                Err(_) if self.by == NamedBy::Keys => self.key_with(word),
                // X is the first of X and Y, but may be the third of several.
                Err(_) => match WORDS.side(word) {
                    Some(side) if side < self.keys.len() => Some(side),
                    side => self.key_with(word).or(side),
                },
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

    /// Returns the response whose key has a word that no other key has.
    fn key_with(&self, word: &String) -> Option<usize> {
        let mut keys = self
            .keys
            .iter()
            .enumerate()
            .filter(|(_, key)| key.contains(word));
        let (place, _) = keys.next()?;
        keys.next().is_none().then_some(place)
    }

    /// True if values (none missing) name responses. One unknown value or a tenth is allowed,
    /// whichever is more, but fewer than half; such rows are flagged anywhere in the file.
    pub fn fit(&self, values: &[String]) -> bool {
        let (mut unknown, mut winners) = (Vec::new(), HashSet::new());
        for value in values {
            match self.verdict_of(value) {
                None => unknown.push(value),
                Some(NamedVerdict::Wins(place)) => _ = winners.insert(place),
                Some(NamedVerdict::Tie) => {}
            }
        }
        // `2` among letters is a mistake, and `model_0` counts from 0.
        let is_counted = !self.numbers.is_empty() || self.takes_numbers;
        let ends_in_number = |value: &&String| {
            value.ends_with(|last: char| last.is_ascii_digit())
                && (is_counted || value.parse::<f64>().is_err())
        };
        let is_other_number = unknown.iter().any(ends_in_number);
        // If all values are 1, they may count from 0, or mean yes.
        let are_numbers = values
            .iter()
            .all(|value| value.trim().parse::<f64>().is_ok());
        winners.len() > usize::from(self.takes_numbers && are_numbers)
            && !is_other_number
            && unknown.len() <= (values.len() / 10).max(1)
            && unknown.len() * 2 < values.len()
    }

    /// True if values use the words of judges: `[[A]]`, `A>B`, `A is better`.
    pub fn are_sure(&self, values: &[String]) -> bool {
        let is_sure = |value: &String| {
            let words = name_words(value);
            let says = |word: &String| ["better", "wins", "won", "than"].contains(&&**word);
            value.contains("[[") || value.contains('>') || words.iter().any(says)
        };
        let is_read = |value: &String| match self.verdict_of(value) {
            Some(NamedVerdict::Wins(_)) => is_sure(value),
            said => said.is_some(),
        };
        values.iter().all(is_read) && values.iter().any(is_sure)
    }

    /// True if no value names a response by a single letter or number.
    pub fn leaves_no_doubt(&self, values: &[String]) -> bool {
        let is_clear = |it: &String| it.trim().len() > 2 && it.parse::<f64>().is_err();
        values
            .iter()
            .filter(|it| matches!(self.verdict_of(it), Some(NamedVerdict::Wins(_))))
            .all(is_clear)
    }

    /// True if values are keys of responses, or letters of several.
    pub fn are_keys(&self, values: &[String]) -> bool {
        let is_key = |value: &String| value.len() > 1 && self.keys.contains(&name_words(value));
        let is_letter = |value: &String| matches!(value.as_bytes(), [b'A'..=b'Z' | b'a'..=b'z']);
        let is_place = |value: &String| WORDS.side(&value.to_lowercase()).is_some();
        let wins = |value: &&String| self.verdict_of(value) != Some(NamedVerdict::Tie);
        let winners: Vec<_> = values.iter().filter(wins).collect();
        winners
            .iter()
            .all(|value| is_key(value) || is_place(value) && value.len() > 1)
            || winners.iter().all(|value| is_letter(value))
                && winners.iter().any(|it| *it != winners[0])
    }

    /// Returns the rule for a field whose values a user has mapped to verdicts. Other values are
    /// read by these names if the names agree with the mapping.
    pub fn rule_of(&self, path: &Path, values: &[(String, Option<NamedVerdict>)]) -> ByValue {
        let of = |said: NamedVerdict| {
            values
                .iter()
                .filter(|(_, means)| *means == Some(said))
                .map(|(value, _)| value.clone())
                .collect()
        };
        let mut values = values.iter();
        let fit =
            values.all(|(value, means)| self.verdict_of(value).is_none_or(|it| Some(it) == *means));
        ByValue {
            path: path.clone(),
            words: (0..self.keys.len())
                .map(|place| of(NamedVerdict::Wins(place)))
                .collect(),
            tie: Some(of(NamedVerdict::Tie)),
            margins: BTreeMap::new(),
            names: fit.then(|| Arc::new(self.clone())),
        }
    }

    /// Returns the rule for a field with these values.
    pub fn rule(&self, path: &Path, values: &[String]) -> ByValue {
        let saying = |said: NamedVerdict| -> Vec<String> {
            let mut seen = HashSet::new();
            let own = values.iter().filter(|it| self.verdict_of(it) == Some(said));
            own.filter(|it| seen.insert(*it)).cloned().collect()
        };
        let words = (0..self.keys.len()).map(|place| match saying(NamedVerdict::Wins(place)) {
            seen if seen.is_empty() && self.by != NamedBy::Loser => {
                vec![self.keys[place].join("_")]
            }
            seen => seen,
        });
        ByValue {
            path: path.clone(),
            words: words.collect(),
            tie: Some(saying(NamedVerdict::Tie)),
            margins: BTreeMap::new(),
            names: Some(Arc::new(self.clone())),
        }
    }
}

/// Number of responses that have a letter.
const LETTERS: usize = 26;

/// Returns the keys of responses: the first steps in which their paths differ, with the step before
/// if they are numbers. `counts` numbers those from 1.
pub fn keys_of(paths: &[Path], counts: bool) -> Vec<String> {
    let keys = |place: usize| -> Vec<_> {
        let step = |path: &Path| path.steps().get(place).cloned().unwrap_or_default();
        paths.iter().map(step).collect()
    };
    let most = paths
        .iter()
        .map(|path| path.steps().len())
        .max()
        .unwrap_or(0);
    let differ = |place: &usize| keys(*place).windows(2).any(|two| two[0] != two[1]);
    let place = (0..most)
        .find(differ)
        .unwrap_or_else(|| most.saturating_sub(1));
    let keys = keys(place);
    let before = place.checked_sub(1).and_then(|it| paths[0].steps().get(it));
    let Some(before) = before.filter(|_| keys.iter().all(|key| key.parse::<usize>().is_ok()))
    else {
        return keys;
    };
    let numbers = (1..)
        .map(|number: usize| number.to_string())
        .zip(keys)
        .map(|(number, key)| if counts { number } else { key });
    numbers.map(|number| format!("{before}_{number}")).collect()
}
