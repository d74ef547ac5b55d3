//! Guesses which field has the verdict, and how its values name the responses.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::names::{Family, WORDS, WordSet, is_row_name, name_words, outcome, path_words};
use super::response_names::{NamedBy, NamedVerdict, ResponseNames, says_tie};
use super::survey::{GuessField, Survey, is_nothing};
use super::{Builder, UnusedField, UnusedReason};
use crate::model::Verdict;
use crate::schema::verdict::OutcomePaths;
use crate::schema::{ByValue, Definition, ResponsePaths, VerdictRule};
use crate::table::{Path, flag};

/// Returns a value as verdict rules read it (numbers equal their texts); `None` if it is missing.
pub fn word_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if is_nothing(text) && text != "none" => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(list) if list.len() == 1 => word_of(&list[0]),
        Value::Null => None,
        value => Some(value.to_string()),
    }
}

/// Parses a word for yes or no.
fn is_yes(word: &str) -> Option<bool> {
    flag(word.strip_suffix(".0").unwrap_or(word)).or_else(|| outcome(word))
}

/// True if the values are both yes and no, and nothing else.
pub fn are_flags(values: &[String]) -> bool {
    let flags: Option<HashSet<_>> = values.iter().map(|it| is_yes(it)).collect();
    flags.is_some_and(|flags| flags.len() == 2)
}

/// Returns the values of a field that are not missing.
pub fn words_at(survey: &Survey, path: &Path) -> Vec<String> {
    survey.values(path).filter_map(word_of).collect()
}

/// Ranks a field among names of verdicts; the flag is true for an exact name. `beside` are words of
/// the responses, which the name may contain: `better_review`.
pub fn rank(field: &GuessField, beside: &[String]) -> Option<(usize, bool)> {
    let list = &WORDS.winner;
    if let Some(rank) = list.place(&field.key()) {
        return Some((rank, true));
    }
    let last = name_words(field.path.last_key()?);
    if WORDS.is_against(&field.words) {
        return None;
    }
    // Accepts `human_winner`, but neither `worst_choice` nor `preferred_language`.
    let aside = [
        &WORDS.winner_beside,
        &WORDS.response_words,
        &WORDS.annotator,
        &WORDS.model,
    ];
    let is_aside = |word: &String| {
        aside.iter().any(|list| list.has(word))
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

impl Builder<'_> {
    /// Returns the words of the responses.
    pub(super) fn words_of_responses(&self) -> Vec<String> {
        let paths = &self.responses.paths;
        ResponseNames::of(NamedBy::Keys, paths)
            .keys
            .into_iter()
            .filter(|_| paths.len() > 1)
            .flatten()
            .collect()
    }

    /// Returns the field that the user chose, or else all fields without a role, with their ranks;
    /// the likeliest verdict names first.
    fn ranked(&self, used: &HashSet<Path>) -> Vec<(Option<(usize, bool)>, &GuessField)> {
        let beside = self.words_of_responses();
        let is_free = |field: &&GuessField| match self.map.winner() {
            Some(winner) => *winner == field.path,
            None => !used.contains(&field.path),
        };
        let fields = self.survey.fields().filter(is_free);
        // Choices of single annotators are votes.
        let shape = |field: &'_ GuessField| match field.path.steps() {
            [first, _, rest @ ..] if !rest.is_empty() => Some((first.clone(), rest.to_vec())),
            _ => None,
        };
        let mut alike: HashMap<_, usize> = HashMap::new();
        for shape in self.survey.fields().filter_map(shape) {
            *alike.entry(shape).or_default() += 1;
        }
        let is_one_of_several =
            |field: &GuessField| shape(field).is_some_and(|shape| alike.get(&shape) > Some(&1));
        let fields = fields.filter(|field| field.is_single() && !is_one_of_several(field));
        // The user's choice ranks like an exact name.
        let is_said = |field: &GuessField| self.map.winner() == Some(&field.path);
        let said = |field| is_said(field).then_some((0, true));
        let mut fields: Vec<_> = fields
            .map(|field| (said(field).or_else(|| rank(field, &beside)), field))
            .collect();
        let order = |(rank, field): &(Option<(usize, bool)>, &GuessField)| {
            let rank = rank.map_or(usize::MAX, |(rank, _)| rank);
            (WORDS.is_of_program(&field.words), rank)
        };
        fields.sort_by_key(order);
        fields
    }

    /// Finds the field that says who wins: the user's choice, or a field without a role. Also
    /// returns the reason.
    ///
    /// # Errors
    /// The likeliest rejected field with an exact verdict name; or, if `with_loose`, one that seems
    /// to name responses.
    pub fn by_value(
        &self,
        used: &HashSet<Path>,
        with_loose: bool,
    ) -> Result<(VerdictRule, String), Option<UnusedField>> {
        let readings = self.readings();
        let is_said = |field: &GuessField| self.map.winner() == Some(&field.path);
        let (mut unused, mut loose, mut doubtful) = (None, None, Vec::new());
        for (rank, field) in self.ranked(used) {
            let path = &field.path;
            let values = words_at(self.survey, path);
            if values.is_empty() {
                continue;
            }
            if is_said(field) && !self.map.values.is_empty() {
                let rule = readings[0].rule_of(path, &self.map.values);
                return Ok((VerdictRule::ByValue(rule), "you said so".to_owned()));
            }
            let is_index = field
                .words
                .last()
                .is_some_and(|word| ["idx", "index"].contains(&&**word));
            let counting = (rank.and(readings.first()))
                .and_then(|reading| reading.counting(&values, usize::from(!is_index)));
            let fitting = readings
                .iter()
                .find(|reading| reading.fit(&values))
                .or(counting.as_ref());
            // In a field of any name, a response's key may name the loser, or the longer response.
            let is_against = WORDS.is_against(&field.words) && !self.map.is_loser();
            if is_against && is_said(field) {
                return Err(Some(UnusedField::new(path, "", UnusedReason::NamesLoser)));
            }
            let may_decide = !is_against && WORDS.undecided(&field.key()).is_none();
            let is_sure = rank.is_some()
                || may_decide
                    && fitting.is_some_and(|it| {
                        let is_judge = field.has_word(&WORDS.annotator);
                        it.are_sure(&values)
                            || is_judge && it.leaves_no_doubt(&values) && it.are_keys(&values)
                    });
            let is_doubtful = rank.is_none()
                && may_decide
                && with_loose
                && field.is_named(&WORDS.doubtful_winner);
            let are_keys = |it: &&ResponseNames| is_doubtful || it.are_keys(&values);
            if let Some(reading) = fitting.filter(|it| !is_sure && are_keys(it)) {
                loose = loose.or_else(|| Some(explain_unused(self.survey, path, reading, &values)));
            }
            if let Some(reading) = fitting {
                let why = "its values name responses".to_owned();
                let found = (VerdictRule::ByValue(reading.rule(path, &values)), why);
                match is_sure {
                    true => return Ok(found),
                    false if is_doubtful && reading.leaves_no_doubt(&values) => {
                        doubtful.push(found);
                    }
                    false => {}
                }
            } else if let Some(found) = self.by_flag(field, &values, &readings[0]) {
                return Ok(found);
            } else if is_doubtful && !field.has_word(&WORDS.reference) {
                doubtful.extend(self.by_names(path));
            }
            let Some((_, is_exact)) = rank else { continue };
            if let Some(found) = self.by_names(path) {
                return Ok(found);
            }
            if !values[0].starts_with(['[', '{'])
                && field.is_short()
                && let Some(last) = readings.last()
            {
                let explained = || Some(explain_unused(self.survey, path, last, &values));
                if is_exact {
                    unused = unused.or_else(explained);
                } else {
                    loose = loose.or_else(explained);
                }
            }
        }
        let with_loose = with_loose && unused.is_none() && self.late_verdict().is_none();
        if let Some(found) = doubtful.pop().filter(|_| doubtful.is_empty() && with_loose) {
            return Ok(found);
        }
        Err(unused.or(loose.filter(|_| with_loose)))
    }

    /// Returns the ways in which values can name the responses.
    pub(super) fn readings(&self) -> Vec<ResponseNames> {
        let by = match self.responses.is_best_first() {
            _ if self.map.is_loser() => NamedBy::Loser,
            // In `chosen` and `rejected`, the letter `A` has no meaning.
            true => NamedBy::Keys,
            false => self.responses.named_by,
        };
        let reading = |by| ResponseNames::of(by, &self.responses.paths);
        let count = self.responses.paths.len();
        let plain = reading(by);
        if by != NamedBy::Names || !plain.numbers.is_empty() || count < 2 {
            return vec![plain];
        }
        // `model_0` and `model_1` next to `response_a` and `response_b` count from 0.
        let mut counted = self.families.iter().filter(|family| {
            let is_noun = |word: &String| WORDS.filler.contains(word);
            family.set == WordSet::Numbers
                && family.places.iter().copied().eq(0..count)
                && matches!(family.stem.as_slice(), [word] if is_noun(word))
        });
        let from_0 = reading(NamedBy::NamesFrom0);
        match counted.next() {
            Some(_) => vec![from_0],
            None => vec![plain, from_0],
        }
    }

    /// Returns a field that contradicts the rule in some record: one with a name of a verdict or
    /// reference answer, or (unless a field names the winner) a label that rates responses as a
    /// whole and contradicts at least a quarter.
    pub fn contradiction(
        &self,
        definition: &Definition,
        rule: &VerdictRule,
    ) -> Option<UnusedField> {
        let winner = |record: &Value| match rule {
            VerdictRule::Fixed { always, .. } => Some(always.index()),
            VerdictRule::ByValue(rule) => {
                place_of(rule.verdict_of(&word_of(rule.path.value_in(record)?)?)?)
            }
            VerdictRule::ByLabel { label, lower } => winner_by(definition, record, label, *lower),
            _ => None,
        };
        // Counts records in which both name different winners, and in which both name one.
        let against = |other: &dyn Fn(&Value) -> Option<usize>| {
            let both = |record| Some((winner(record)?, other(record)?));
            let both: Vec<_> = self.survey.iter().filter_map(both).collect();
            (both.iter().filter(|(a, b)| a != b).count(), both.len())
        };
        let (used, readings, beside) = (
            definition.used_paths(),
            self.readings(),
            self.words_of_responses(),
        );
        let contradicts = |field: &&GuessField| {
            let is_meant = rank(field, &beside).is_some() || field.has_word(&WORDS.reference);
            if !is_meant
                || !field.is_single()
                || WORDS.is_against(&field.words)
                || used.contains(&field.path)
                || rule.paths().contains(&field.path)
                // A program may differ from people.
                || rule.path().is_some_and(|own| {
                    let is_of_program = |words: &[String]| WORDS.is_of_program(words);
                    is_of_program(&path_words(own)) != is_of_program(&field.words)
                })
            {
                return false;
            }
            let values = words_at(self.survey, &field.path);
            let reading = readings
                .iter()
                .find(|it| !values.is_empty() && it.fit(&values));
            let other = |record: &Value| {
                place_of(reading?.verdict_of(&word_of(field.path.value_in(record)?)?)?)
            };
            against(&other).0 > 0
        };
        let label_contradicts = |name: &&String| {
            let lower = WORDS.is_better_lower(name);
            let (others, all) = against(&|record| winner_by(definition, record, name, lower));
            let is_meant = WORDS.rates_whole(name) && WORDS.undecided(name).is_none();
            is_meant && others > 0 && others * 4 >= all
        };
        let field = self.survey.fields().find(contradicts);
        let is_named = matches!(rule, VerdictRule::ByValue(_) | VerdictRule::ByField { .. });
        let path = field.map(|field| field.path.clone()).or_else(|| {
            let mut labels = definition
                .labels
                .iter()
                .map(|label| &label.name)
                .filter(|_| !is_named);
            let first = definition.responses.first()?;
            let source = first.ratings.get(labels.find(label_contradicts)?)?;
            Some(first.whole(source.path()?))
        });
        Some(UnusedField::new(&path?, "", UnusedReason::Contradicts))
    }

    /// Returns a field with the exact name of a verdict but without values in the first records.
    pub fn late_verdict(&self) -> Option<(VerdictRule, String)> {
        let fields = self
            .survey
            .fields()
            .filter(|field| field.is_single() && field.is_empty());
        let beside = self.words_of_responses();
        let exact = fields
            .filter_map(|field| Some((rank(field, &beside)?, field)))
            .filter(|((_, is_exact), _)| *is_exact);
        let (_, field) = exact.min_by_key(|(rank, _)| *rank)?;
        let rule = self.readings()[0].rule(&field.path, &[]);
        let why = "its name; the first records have no value for it".to_owned();
        Some((VerdictRule::ByValue(rule), why))
    }

    /// Reads a flag that is true if the response in the field's name wins, else the other one.
    fn by_flag(
        &self,
        field: &GuessField,
        values: &[String],
        reading: &ResponseNames,
    ) -> Option<(VerdictRule, String)> {
        let wins = WORDS.choice_rank(&field.words).is_some() && !WORDS.is_against(&field.words);
        let Some(NamedVerdict::Wins(place)) = reading.verdict_of(&field.key()).filter(|_| wins)
        else {
            return None;
        };
        // False may also mean a tie.
        let has_tie = self.survey.fields().any(|it| it.has_word(&WORDS.tie));
        if self.responses.paths.len() != 2 || has_tie || !are_flags(values) {
            return None;
        }
        let said = |word: &String| match is_yes(word) {
            Some(true) => NamedVerdict::Wins(place),
            _ => NamedVerdict::Wins(1 - place),
        };
        let different: BTreeSet<_> = values.iter().collect();
        let means: Vec<_> = different
            .into_iter()
            .map(|it| (it.clone(), Some(said(it))))
            .collect();
        let why = "it is true if the response in its name wins".to_owned();
        Some((
            VerdictRule::ByValue(reading.rule_of(&field.path, &means)),
            why,
        ))
    }

    /// Returns a field that may be the verdict if nothing else is: annotators' choices, or numbers
    /// that are named like a choice or rating, have both signs, or may count the responses.
    pub fn candidate(&self, definition: &Definition) -> Option<UnusedField> {
        let used = definition.used_paths();
        let paths = &self.responses.paths;
        let count = self.survey.longest_list(paths).unwrap_or(paths.len()) as f64;
        let may_be = |field: &GuessField| {
            let is_choice = WORDS.choice_rank(&field.words).is_some();
            if !field.is_short() {
                let is_named = is_choice || WORDS.is_of_annotators(&field.words);
                return is_named && !field.is_empty() && !field.is_long_text();
            }
            let numbers: Option<Vec<f64>> = words_at(self.survey, &field.path)
                .iter()
                .map(|it| it.parse().ok())
                .collect();
            let numbers = numbers
                .filter(|it| !it.is_empty())
                .unwrap_or(vec![f64::NAN]);
            let has = |is_it: &dyn Fn(f64) -> bool| numbers.iter().any(|it| is_it(*it));
            let may_count = !has(&|it| !(0.0..=count).contains(&it) || it.fract() != 0.0);
            // Such as `preference_strength`, or one `score` for both responses.
            let is_meant = is_choice || WORDS.rates(&field.key());
            let is_other =
                field.has_word(&WORDS.no_vote) || field.has_word(&WORDS.no_response) && !is_choice;
            field.is_number() && is_meant && field.has_ranks()
                || has(&|it| it < 0.0) && has(&|it| it > 0.0)
                || may_count && !is_other && has(&|it| it != numbers[0])
        };
        let is_it = |field: &&GuessField| {
            field.is_single()
                && !used.contains(&field.path)
                && !WORDS.is_against(&field.words)
                && !is_row_name(&field.key())
                && WORDS.undecided(&field.key()).is_none()
                && !self.families.iter().any(|family| family.has(&field.path))
                && may_be(field)
        };
        let field = self.survey.fields().find(is_it)?;
        let (value, reason) = if field.is_short() {
            (String::new(), UnusedReason::RatesOrNames)
        } else {
            let value = self.survey.values(&field.path).next()?;
            (value.to_string(), UnusedReason::Unsure)
        };
        Some(UnusedField::new(&field.path, &value, reason))
    }

    /// Finds fields that flag, for each response, whether it wins.
    pub fn one_hot(&self) -> Option<(VerdictRule, String)> {
        let says = |value: &Value| is_yes(&word_of(value)?);
        // `label_a` may be any flag, and `worse_a` flags the loser.
        let says_who_wins = |family: &Family<'_>| {
            let is_meant = |word: &String| WORDS.winner.contains(word) && word != "label";
            family.stem.iter().any(is_meant)
                && !WORDS.is_against(&family.stem)
                && WORDS.undecided(&family.name).is_none()
        };
        let is_it = |family: &&Family<'_>| {
            let wins = |record: &Value| {
                let said = family
                    .fields
                    .iter()
                    .map(|field| says(field.path.value_in(record)?))
                    .collect::<Option<Vec<_>>>()?;
                Some(said.into_iter().filter(|it| *it).count())
            };
            let mut counts = self.survey.iter().map(wins);
            family.fields.len() == self.responses.paths.len()
                && self.responses.set == Some(family.set)
                && says_who_wins(family)
                && counts.all(|count| count.is_some_and(|count| count < 2))
        };
        let family = self.families.iter().find(is_it)?;
        let of_tie = self.survey.fields().find(|field| {
            let mut words = field.words.clone();
            let at = words.iter().position(|word| WORDS.tie.contains(word));
            at.map(|at| words.remove(at)).is_some() && (words.is_empty() || words == family.stem)
        });
        let fields = OutcomePaths {
            responses: family.paths(),
            tie: of_tie.map(|field| field.path.clone()),
        };
        let why = "it is true if the response wins".to_owned();
        Some((VerdictRule::ByField { path: None, fields }, why))
    }

    /// Finds the fields (one for each response, or the responses themselves) that contain, in each
    /// record, the value at this path.
    fn by_names(&self, path: &Path) -> Option<(VerdictRule, String)> {
        let own = &self.responses.paths;
        if own.len() < 2 || own.iter().any(ResponsePaths::is_of_each) {
            return None;
        }
        let fit = |paths: &Vec<Path>| {
            let (mut known, mut unknown) = (0, 0);
            let values = |record| Some((record, path.value_in(record)?));
            let values = self.survey.iter().filter_map(values);
            for (record, value) in values.filter(|(_, value)| word_of(value).is_some()) {
                // Numbers and flags are not names; they can be equal by chance.
                let is_it = |path: &Path| path.value_in(record) == Some(value);
                let is_tie = value.as_str().is_some_and(says_tie);
                if value.is_string() && paths.iter().any(is_it) {
                    known += 1;
                } else {
                    unknown += usize::from(!is_tie);
                }
            }
            let all = known + unknown;
            known > 0 && unknown <= (all / 10).max(1) && unknown * 2 < all
        };
        let texts = own.iter().map(|paths| paths.text.clone()).collect();
        // `chosen_model` and `rejected_model` may be ordered differently than `response_a` and
        // `response_b`.
        let is_in_order = |family: &&Family<'_>| {
            family.fields.len() == own.len()
                // `expected_a` may name any model.
                && !WORDS.reference.any(&family.stem)
                && self.responses.set.is_some_and(|set| {
                    set == family.set || set.is_of_places() && family.set.is_of_places()
                })
        };
        let mut lists = self
            .families
            .iter()
            .filter(is_in_order)
            .map(Family::paths)
            .chain([texts]);
        let is_it =
            |paths: &Vec<Path>| paths.len() == own.len() && !paths.contains(path) && fit(paths);
        let responses = lists.find(is_it)?;
        let shown: Vec<_> = responses.iter().map(ToString::to_string).collect();
        let why = format!("its values equal those of {}", shown.join(", "));
        let path = Some(path.clone());
        let tie = None;
        let fields = OutcomePaths { responses, tie };
        Some((VerdictRule::ByField { path, fields }, why))
    }
}

/// Returns the index of the winning response.
const fn place_of(said: NamedVerdict) -> Option<usize> {
    match said {
        NamedVerdict::Wins(place) => Some(place),
        NamedVerdict::Tie => None,
    }
}

/// Returns the index of the response that wins by a label, if all have a number.
fn winner_by(
    definition: &Definition,
    record: &Value,
    label: &str,
    is_lower: bool,
) -> Option<usize> {
    let mut numbers = Vec::new();
    for paths in &definition.responses {
        let path = paths.ratings.get(label)?.path()?;
        for value in paths.whole(path).all_in(record)? {
            let number = word_of(value?)?.parse::<f64>().ok()?;
            numbers.push(if is_lower { -number } else { number });
        }
    }
    Some(Verdict::of_values(&numbers)?.0.winner()?.index())
}

/// Explains why a field is not used as the verdict, with a value that was not understood if there
/// is one.
fn explain_unused(
    survey: &Survey,
    path: &Path,
    reading: &ResponseNames,
    values: &[String],
) -> UnusedField {
    let unknown = values
        .iter()
        .find(|value| reading.verdict_of(value).is_none());
    let value = unknown.unwrap_or(&values[0]);
    let value = survey
        .values(path)
        .find(|it| word_of(it).as_ref() == Some(value))
        .map_or_else(|| value.clone(), Value::to_string);
    let is_loser = path_words(path).iter().any(|word| WORDS.is_worse(word));
    let reason = match unknown {
        _ if is_loser => UnusedReason::NamesLoser,
        None if reading.fit(values) => UnusedReason::Unnamed,
        _ => UnusedReason::Unsure,
    };
    UnusedField::new(path, &value, reason)
}

/// Returns the rule by the field of a joined file that names the better response, and true if
/// values are "chosen" rather than "A". Numbers count only if both occur, and no score decides.
pub fn without_texts(
    survey: &Survey,
    is_free: &dyn Fn(&Path) -> bool,
    has_deciding_score: bool,
) -> Option<(ByValue, bool)> {
    let of = |keys: [&str; 2]| ResponseNames::new(&keys.map(str::to_owned));
    let letters = of(["response_a", "response_b"]);
    let mut all = vec![letters.clone(), of(["chosen", "rejected"])];
    if !has_deciding_score {
        all.extend([1, 0].map(|first| letters.with_numbers(first)));
    }
    let mut keys = [&WORDS.winner, &WORDS.winner_alone]
        .into_iter()
        .flat_map(|list| list.iter());
    keys.find_map(|name| {
        let is_called = |it: &&GuessField| it.key().ends_with(&**name) && is_free(&it.path);
        survey.fields().filter(is_called).find_map(|field| {
            let values = words_at(survey, &field.path);
            let place = all.iter().position(|it| it.fit(&values))?;
            Some((all[place].rule(&field.path, &values), place == 1))
        })
    })
}
