//! Which field of unknown records says who wins, and how its values name the responses.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::names::{Family, WordSet, has_word, name_words, names, path_words, place_in};
use super::table::{FieldTable, GuessField, is_nothing};
use super::{Builder, UntakenField, UntakenReason};
use crate::model::Verdict;
use crate::schema::definition::{
    ByValue, Definition, OutcomePaths, RatingSource, ResponsePaths, VerdictRule,
};
use crate::schema::path::Path;

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
    /// The numbers of the responses, where their fields end in numbers.
    numbers: Vec<usize>,
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
        let numbers = keys.iter().map(number).collect::<Option<Vec<_>>>();
        let are_sorted = |numbers: &Vec<usize>| numbers.windows(2).all(|two| two[0] < two[1]);
        Self {
            numbers: numbers.filter(are_sorted).unwrap_or_default(),
            keys,
            ..Self::default()
        }
    }

    /// The names of the responses of a definition, where numbers alone name them too: from 1 where their
    /// fields have none.
    pub(super) fn of_definition(definition: &Definition) -> Self {
        let paths: Vec<_> = (definition.responses.iter())
            .map(|it| it.text.clone())
            .collect();
        let names = match definition.has_response_lists() {
            true => Self::new(&vec!["*".to_owned(); LETTERS]),
            false => Self::new(&keys_of(&paths)),
        };
        names
            .with_own_numbers()
            .unwrap_or_else(|| names.with_numbers(1))
    }

    /// The same where numbers alone name responses, if their fields have some.
    fn with_own_numbers(&self) -> Option<Self> {
        self.has_own_numbers().then(|| Self {
            takes_numbers: true,
            ..self.clone()
        })
    }

    /// Whether the fields of the responses have numbers.
    pub(super) fn has_own_numbers(&self) -> bool {
        let is_number =
            |key: &Vec<String>| key.last().is_some_and(|it| it.parse::<usize>().is_ok());
        !self.numbers.is_empty() && self.keys.iter().all(is_number)
    }

    /// The same where numbers alone, counted from `first`, name responses.
    pub(super) fn with_numbers(&self, first: usize) -> Self {
        Self {
            numbers: (first..first + self.keys.len()).collect(),
            takes_numbers: true,
            ..self.clone()
        }
    }

    /// What a value says; `None` where that is not sure.
    pub fn said(&self, value: &str) -> Option<Said> {
        const LONGEST: usize = 120;
        let value = value.trim();
        if value.len() > LONGEST {
            return None;
        }
        let words = name_words(value.strip_suffix(".0").unwrap_or(value));
        let is_it = |key: &Vec<String>| !words.is_empty() && *key == words;
        if let Some(place) = self.keys.iter().position(is_it) {
            return Some(Said::Wins(place));
        }
        if value.starts_with('-') {
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
        if value == "none" || is_judges_tie || is_tie(&joined) || words.iter().any(is_tie) {
            return Some(Said::Tie);
        }
        let is_than = |word: &String| word == "than" || word == "over";
        let than = words.iter().position(is_than);
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
                // `gpt3` names `summary_gpt3`.
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
        let keys = self.keys.iter().enumerate();
        let mut keys = keys.filter(|(_, key)| key.contains(word));
        let (place, _) = keys.next()?;
        keys.next().is_none().then_some(place)
    }

    /// Whether values, of which none is missing, name responses. One of them may be unknown, or a tenth
    /// where that is more, as long as most are known: such rows are flagged, wherever in the file they stand.
    fn fit(&self, values: &[String]) -> bool {
        let (mut unknown, mut winners) = (Vec::new(), HashSet::new());
        for value in values {
            match self.said(value) {
                None => unknown.push(value),
                Some(Said::Wins(place)) => _ = winners.insert(place),
                Some(Said::Tie) => {}
            }
        }
        // `2` among letters is a mistake, and `model_0` counts from 0.
        let is_counted = !self.numbers.is_empty() || self.takes_numbers;
        let ends_in_number = |value: &&String| {
            value.ends_with(|last: char| last.is_ascii_digit())
                && (is_counted || value.parse::<f64>().is_err())
        };
        let is_other_number = unknown.iter().any(ends_in_number);
        // A 1 alone may count from 0, or say yes.
        winners.len() > usize::from(self.takes_numbers)
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

    /// Whether values are keys of responses, or letters of several.
    fn are_keys(&self, values: &[String]) -> bool {
        let is_key = |value: &String| value.len() > 1 && self.keys.contains(&name_words(value));
        let is_letter = |value: &String| matches!(value.as_bytes(), [b'A'..=b'Z' | b'a'..=b'z']);
        values.iter().all(is_key)
            || values.iter().all(is_letter) && values.iter().any(|it| *it != values[0])
    }

    /// The different ones of these values that say this.
    pub(super) fn values_saying<'w>(
        &self,
        said: Said,
        values: impl IntoIterator<Item = &'w String>,
    ) -> Vec<String> {
        let mut seen = HashSet::new();
        let values = values.into_iter().filter(|it| self.said(it) == Some(said));
        values.filter(|it| seen.insert(*it)).cloned().collect()
    }

    /// The rule for a field with these values.
    fn rule(&self, path: &Path, values: &[String]) -> ByValue {
        let words = self.keys.iter().enumerate().map(|(place, key)| {
            match self.values_saying(Said::Wins(place), values) {
                seen if seen.is_empty() => vec![key.join("_")],
                seen => seen,
            }
        });
        ByValue {
            path: path.clone(),
            words: words.collect(),
            tie: Some(self.values_saying(Said::Tie, values)),
            margins: BTreeMap::new(),
            names: Some(Arc::new(self.clone())),
        }
    }
}

/// How many responses have a letter.
const LETTERS: usize = 26;

/// The keys of responses: the first steps in which their paths differ.
pub(super) fn keys_of(paths: &[Path]) -> Vec<String> {
    let keys = |place: usize| -> Vec<_> {
        let step = |path: &Path| path.steps().get(place).cloned().unwrap_or_default();
        paths.iter().map(step).collect()
    };
    let most = paths.iter().map(|path| path.steps().len()).max();
    let mut all = (0..most.unwrap_or(0)).map(keys);
    let differ = |keys: &Vec<String>| keys.windows(2).any(|two| two[0] != two[1]);
    let differing = all.find(differ);
    differing.unwrap_or_else(|| keys(most.unwrap_or(0).saturating_sub(1)))
}

/// A value as a rule for the verdict reads it, unless it is missing: numbers and texts of them are the same.
pub(super) fn word_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if is_nothing(text) && text != "none" => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(list) if list.len() == 1 => word_of(&list[0]),
        Value::Null => None,
        value => Some(value.to_string()),
    }
}

/// The values of a field that are not missing.
pub(super) fn words_at(table: &FieldTable<'_>, path: &Path) -> Vec<String> {
    table.values(path).flatten().filter_map(word_of).collect()
}

/// The rank of a field among those with the name of a verdict, and whether it has the very name. `beside` are
/// words of the responses, which it may have as well: `better_review`.
pub(super) fn rank(field: &GuessField, beside: &HashSet<String>) -> Option<(usize, bool)> {
    let known = names();
    let list = &known.winner;
    if let Some(rank) = place_in(list, &field.key()) {
        return Some((rank, true));
    }
    let last = name_words(field.path.last_key()?);
    if known.is_against(&field.words) {
        return None;
    }
    // `human_winner`, but neither `worst_choice` nor `preferred_language`.
    let aside = [
        &known.winner_beside,
        &known.response_words,
        &known.annotator,
        &known.model,
    ];
    let is_aside = |word: &String| {
        aside.iter().any(|list| place_in(list, word).is_some())
            || beside.contains(word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let loose = list.iter().position(|name| {
        let has = |word: &String| name.split('_').any(|of_name| of_name == word);
        name.split('_').all(|word| last.iter().any(|it| it == word))
            && last.iter().all(|word| has(word) || is_aside(word))
    });
    Some((loose? + list.len(), false))
}

impl Builder<'_, '_> {
    /// The words of the responses.
    fn beside(&self) -> HashSet<String> {
        let keys = self.responses.keys.iter();
        keys.flat_map(|key| name_words(key)).collect()
    }

    /// The field that says who wins, of those that a person named or no role has, and why it is the one.
    ///
    /// # Errors
    /// When there is none: the likeliest field that has the very name of one, if any has, or if `tells_any` one
    /// that seems to name responses.
    pub(super) fn by_value(
        &self,
        taken: &HashSet<Path>,
        tells_any: bool,
    ) -> Result<(VerdictRule, String), Option<UntakenField>> {
        let (readings, beside) = (self.readings(), self.beside());
        let is_free = |field: &&GuessField| match &self.map.winner {
            Some(winner) => *winner == field.path,
            None => !taken.contains(&field.path),
        };
        let fields = self.table.fields.iter().filter(is_free);
        // What each annotator chose is a vote.
        let shape = |field: &'_ GuessField| match field.path.steps() {
            [first, _, rest @ ..] if !rest.is_empty() => Some((first.clone(), rest.to_vec())),
            _ => None,
        };
        let mut alike: HashMap<_, usize> = HashMap::new();
        for shape in self.table.fields.iter().filter_map(shape) {
            *alike.entry(shape).or_default() += 1;
        }
        let is_one_of_several =
            |field: &GuessField| shape(field).is_some_and(|shape| alike.get(&shape) > Some(&1));
        let fields = fields.filter(|field| field.is_single() && !is_one_of_several(field));
        // What a person calls the winner has the very name of one.
        let is_said = |field: &GuessField| self.map.winner.as_ref() == Some(&field.path);
        let said = |field| is_said(field).then_some((0, true));
        let mut fields: Vec<_> = fields
            .map(|field| (said(field).or_else(|| rank(field, &beside)), field))
            .collect();
        fields.sort_by_key(|(rank, _)| rank.map_or(usize::MAX, |(rank, _)| rank));
        let (mut untaken, mut loose) = (None, None);
        for (rank, field) in fields {
            let path = &field.path;
            let values = words_at(self.table, path);
            if values.is_empty() {
                continue;
            }
            let reading = readings.iter().find(|reading| reading.fit(&values));
            // The key of a response in a field of any name may be that of the loser, or of the longer one.
            let is_against = names().is_against(&field.words);
            if is_against && is_said(field) {
                return Err(Some(UntakenField::new(path, "", UntakenReason::NamesLoser)));
            }
            let may_decide = !is_against && names().undecided(&field.key()).is_none();
            let is_sure =
                rank.is_some() || may_decide && reading.is_some_and(|it| it.are_sure(&values));
            if let Some(reading) = reading.filter(|it| !is_sure && it.are_keys(&values)) {
                loose = loose.or_else(|| Some(not_taken(self.table, path, reading, &values)));
            }
            if let Some(reading) = reading.filter(|_| is_sure) {
                let why = "its values name responses".to_owned();
                return Ok((VerdictRule::ByValue(reading.rule(path, &values)), why));
            }
            let Some((_, is_exact)) = rank else {
                // `preference_strength`, and one `score` of both.
                let is_meant =
                    names().choice_rank(&field.words).is_some() || names().rates(&field.key());
                let is_alone = !self.families.iter().any(|family| family.has(path));
                if is_meant && is_alone && field.is_number() && field.has_ranks() {
                    let reason = UntakenReason::RatesOrNames;
                    loose = loose.or_else(|| Some(UntakenField::new(path, "", reason)));
                }
                continue;
            };
            if let Some(found) = self.by_names(path) {
                return Ok(found);
            }
            if !values[0].starts_with(['[', '{'])
                && field.is_short()
                && let Some(last) = readings.last()
            {
                let told = || Some(not_taken(self.table, path, last, &values));
                match is_exact {
                    true => untaken = untaken.or_else(told),
                    false => loose = loose.or_else(told),
                }
            }
        }
        let tells_any = tells_any && untaken.is_none() && self.late_verdict().is_none();
        Err(untaken.or(loose.filter(|_| tells_any)))
    }

    /// How values can name the responses: without numbers alone, and with them where the fields have some.
    fn readings(&self) -> Vec<ResponseNames> {
        let mut plain = ResponseNames {
            // `A` is no place in `chosen` and `rejected`.
            has_keys_alone: self.responses.is_best_first(),
            ..ResponseNames::new(&self.responses.keys)
        };
        // `model_0` and `model_1` beside `response_a` and `response_b` are counted from 0.
        let count = self.responses.paths.len();
        let mut counted = self.families.iter().filter(|family| {
            let is_noun = |word: &String| names().filler.contains(word);
            let is_of_all = family.set == WordSet::Numbers && family.fields.len() == count;
            is_of_all && matches!(family.stem.as_slice(), [word] if is_noun(word))
        });
        if let Some(family) = counted
            .next()
            .filter(|_| plain.numbers.is_empty() && count > 1)
        {
            plain.numbers.clone_from(&family.places);
        }
        let from_0 = plain.numbers.is_empty().then(|| ResponseNames {
            numbers: (0..count).collect(),
            ..plain.clone()
        });
        let numbers = plain.with_own_numbers();
        std::iter::once(plain)
            .chain(numbers)
            .chain(from_0)
            .collect()
    }

    /// A field that names another winner than a rule does in some record, of those whose names are those
    /// of verdicts or of right answers; or a label that rates responses as a whole and does so in a quarter,
    /// unless a field names the winner.
    pub(super) fn contradiction(
        &self,
        definition: &Definition,
        rule: &VerdictRule,
    ) -> Option<UntakenField> {
        let winner = |record: &Value| match rule {
            VerdictRule::Fixed { always, .. } => Some(always.index()),
            VerdictRule::ByValue(rule) => {
                let word = word_of(rule.path.value_in(record)?)?;
                rule.words.iter().position(|words| words.contains(&word))
            }
            VerdictRule::ByLabel { label, lower } => winner_by(definition, record, label, *lower),
            _ => None,
        };
        // In how many records both name a winner, and not the same one.
        let against = |other: &dyn Fn(&Value) -> Option<usize>| {
            let both = |record| Some((winner(record)?, other(record)?));
            let both: Vec<_> = self.table.records.iter().filter_map(both).collect();
            (both.iter().filter(|(a, b)| a != b).count(), both.len())
        };
        let (taken, readings, beside) = (definition.taken(), self.readings(), self.beside());
        let contradicts = |field: &&GuessField| {
            let is_meant = rank(field, &beside).is_some() || field.has_word(&names().reference);
            if !is_meant
                || !field.is_single()
                || names().is_against(&field.words)
                || taken.contains(&field.path)
                || rule.paths().any(|path| *path == field.path)
            {
                return false;
            }
            let values = words_at(self.table, &field.path);
            let mut readings = readings.iter();
            let reading = readings.find(|it| !values.is_empty() && it.fit(&values));
            let other = |record: &Value| {
                let word = word_of(field.path.value_in(record)?)?;
                match reading?.said(&word)? {
                    Said::Wins(place) => Some(place),
                    Said::Tie => None,
                }
            };
            against(&other).0 > 0
        };
        let label_contradicts = |name: &&String| {
            let lower = names().is_better_lower(name);
            let (others, all) = against(&|record| winner_by(definition, record, name, lower));
            let is_meant = names().rates_whole(name) && names().undecided(name).is_none();
            is_meant && others > 0 && others * 4 >= all
        };
        let field = self.table.fields.iter().find(contradicts);
        let is_named = matches!(rule, VerdictRule::ByValue(_) | VerdictRule::ByField { .. });
        let path = field.map(|field| field.path.clone()).or_else(|| {
            let labels = definition.labels.iter().map(|label| &label.name);
            let mut labels = labels.filter(|_| !is_named);
            let first = definition.responses.first()?;
            match first.ratings.get(labels.find(label_contradicts)?)? {
                RatingSource::Path(path) => Some(first.whole(path)),
                RatingSource::Constant(_) => None,
            }
        });
        Some(UntakenField::new(&path?, "", UntakenReason::Contradicts))
    }

    /// The field with the very name of a verdict that has no value in the first records.
    pub(super) fn late_verdict(&self) -> Option<(VerdictRule, String)> {
        let fields = self.table.fields.iter();
        let fields = fields.filter(|field| field.is_single() && field.is_empty());
        let beside = self.beside();
        let ranked = fields.filter_map(|field| Some((rank(field, &beside)?, field)));
        let exact = ranked.filter(|((_, is_exact), _)| *is_exact);
        let (_, field) = exact.min_by_key(|(rank, _)| *rank)?;
        let names = ResponseNames::new(&self.responses.keys);
        let why = "its name; the first records have no value of it".to_owned();
        Some((VerdictRule::ByValue(names.rule(&field.path, &[])), why))
    }

    /// Fields that say of each response whether it wins: yes for the winner, or 1.
    pub(super) fn one_hot(&self) -> Option<(VerdictRule, String)> {
        let says = |value: &Value| match value {
            Value::Bool(is_true) => Some(*is_true),
            Value::String(text) => (text == "1" || text == "0").then_some(text == "1"),
            value => (value.as_f64().filter(|it| *it == 0.0 || *it == 1.0)).map(|it| it == 1.0),
        };
        // `label_a` may be any flag, and `worse_a` is one of the loser.
        let says_who_wins = |family: &Family<'_>| {
            let names = names();
            let is_meant = |word: &String| names.winner.contains(word) && word != "label";
            family.stem.iter().any(is_meant)
                && !names.is_against(&family.stem)
                && names.undecided(&family.name).is_none()
        };
        let is_it = |family: &&Family<'_>| {
            let wins = |record: &Value| {
                let fields = family.fields.iter();
                let said = fields.map(|field| says(field.path.value_in(record)?));
                let said = said.collect::<Option<Vec<_>>>()?;
                Some(said.into_iter().filter(|it| *it).count())
            };
            let mut counts = self.table.records.iter().map(wins);
            family.fields.len() == self.responses.paths.len()
                && self.responses.set == Some(family.set)
                && says_who_wins(family)
                && counts.all(|count| count.is_some_and(|count| count < 2))
        };
        let family = self.families.iter().find(is_it)?;
        let of_tie = self.table.fields.iter().find(|field| {
            let mut words = field.words.clone();
            let at = words.iter().position(|word| names().tie.contains(word));
            at.map(|at| words.remove(at)).is_some() && (words.is_empty() || words == family.stem)
        });
        let fields = OutcomePaths {
            responses: family.paths(),
            tie: of_tie.map(|field| field.path.clone()),
        };
        let why = "it is true where the response wins".to_owned();
        Some((VerdictRule::ByField { path: None, fields }, why))
    }

    /// Fields with one for each response, or the responses themselves, if in each record one of them has the
    /// value of the field at this path.
    fn by_names(&self, path: &Path) -> Option<(VerdictRule, String)> {
        let own = &self.responses.paths;
        if own.len() < 2 || own.iter().any(ResponsePaths::is_of_each) {
            return None;
        }
        let fit = |paths: &Vec<Path>| {
            let (mut known, mut unknown) = (0, 0);
            let values = |record| Some((record, path.value_in(record)?));
            let values = self.table.records.iter().filter_map(values);
            for (record, value) in values.filter(|(_, value)| word_of(value).is_some()) {
                // Numbers and flags name nothing: they are equal by chance.
                let is_it = |path: &Path| path.value_in(record) == Some(value);
                let is_tie = value.as_str().is_some_and(says_tie);
                match value.is_string() && paths.iter().any(is_it) {
                    true => known += 1,
                    false => unknown += usize::from(!is_tie),
                }
            }
            let all = known + unknown;
            known > 0 && unknown <= (all / 10).max(1) && unknown * 2 < all
        };
        let texts = own.iter().map(|paths| paths.text.clone()).collect();
        // `chosen_model` and `rejected_model` are in another order than `response_a` and `response_b`.
        let is_in_order = |family: &&Family<'_>| {
            family.fields.len() == own.len()
                // `expected_a` may name any model.
                && !has_word(&family.stem, &names().reference)
                && self.responses.set.is_some_and(|set| {
                    set == family.set || set.is_of_places() && family.set.is_of_places()
                })
        };
        let lists = self.families.iter().filter(is_in_order);
        let mut lists = lists.map(Family::paths).chain([texts]);
        let is_it =
            |paths: &Vec<Path>| paths.len() == own.len() && !paths.contains(path) && fit(paths);
        let responses = lists.find(is_it)?;
        let shown: Vec<_> = responses.iter().map(ToString::to_string).collect();
        let why = format!("its values are those of {}", shown.join(", "));
        let path = Some(path.clone());
        let tie = None;
        let fields = OutcomePaths { responses, tie };
        Some((VerdictRule::ByField { path, fields }, why))
    }
}

/// The response that wins in a record by a label, if each one has a number.
fn winner_by(
    definition: &Definition,
    record: &Value,
    label: &str,
    is_lower: bool,
) -> Option<usize> {
    let mut numbers = Vec::new();
    for paths in &definition.responses {
        let RatingSource::Path(path) = paths.ratings.get(label)? else {
            return None;
        };
        let path = paths.whole(path);
        let values: Vec<_> = match path.split_list() {
            Some((list, key)) => (list.value_in(record)?.as_array()?.iter())
                .map(|element| key.value_in(element))
                .collect::<Option<_>>()?,
            None => vec![path.value_in(record)?],
        };
        for value in values {
            let number = word_of(value)?.parse::<f64>().ok()?;
            numbers.push(if is_lower { -number } else { number });
        }
    }
    Some(Verdict::of_values(&numbers)?.0.winner()?.index())
}

/// A field that is not taken for the verdict, with a value that was not understood if there is one.
fn not_taken(
    table: &FieldTable<'_>,
    path: &Path,
    reading: &ResponseNames,
    values: &[String],
) -> UntakenField {
    let unknown = values.iter().find(|value| reading.said(value).is_none());
    let value = unknown.unwrap_or(&values[0]);
    let mut quoted = table.values(path).flatten();
    let quoted = quoted.find(|it| word_of(it).as_ref() == Some(value));
    let value = quoted.map_or_else(|| value.clone(), Value::to_string);
    let is_loser = path_words(path).iter().any(|word| names().is_worse(word));
    let reason = match is_loser {
        true => UntakenReason::NamesLoser,
        false => UntakenReason::Unsure,
    };
    UntakenField::new(path, &value, reason)
}

/// The field of a joined file that names the better response, and whether it calls it chosen
/// instead of A. Numbers count only if both occur, and not beside a score that decides.
pub(super) fn without_texts(
    table: &FieldTable<'_>,
    is_free: &dyn Fn(&Path) -> bool,
    has_deciding_score: bool,
) -> Option<(ByValue, bool)> {
    let of = |keys: [&str; 2]| ResponseNames::new(&keys.map(str::to_owned));
    let letters = of(["response_a", "response_b"]);
    let mut all = vec![letters.clone(), of(["chosen", "rejected"])];
    if !has_deciding_score {
        all.extend([1, 0].map(|first| letters.with_numbers(first)));
    }
    let lists = [&names().winner, &names().winner_alone];
    let mut keys = lists.into_iter().flatten();
    keys.find_map(|name| {
        let is_called = |it: &&GuessField| it.key().ends_with(&**name) && is_free(&it.path);
        table.fields.iter().filter(is_called).find_map(|field| {
            let values = words_at(table, &field.path);
            let place = all.iter().position(|it| it.fit(&values))?;
            Some((all[place].rule(&field.path, &values), place == 1))
        })
    })
}
