//! Records without texts: scores of another file's responses, and who wins.

use std::collections::HashSet;

use serde_json::Value;

use super::names::{Family, WORDS, WordSet, is_row_name};
use super::ratings::{self, deciding_rule};
use super::survey::{GuessField, Survey};
use super::{Guess, verdict};
use crate::schema::layout::definition::{Definition, ResponsePaths};
use crate::schema::verdict::{VerdictRule, VerdictSource};
use crate::table::Path;

/// Guesses a layout of records without texts: scores of the responses and the winner, or only the
/// winner if `is_winner`. `key` is the field that matches rows.
pub fn without_texts(survey: &Survey, key: Option<&Path>, is_winner: bool) -> Option<Definition> {
    let is_free = |path: &Path| key != Some(path) && !is_row_name(&path.steps().join("."));
    let mut definition = Definition {
        name: "guessed".to_owned(),
        title: "guessed layout".to_owned(),
        ..Definition::default()
    };
    let mut guess = Guess {
        is_without_texts: true,
        ..Guess::default()
    };
    if !is_winner {
        guess.is_by_outcome = add_scores(&mut definition, survey, &is_free);
    }
    let deciding = |definition: &Definition| {
        let labels: Vec<_> = definition.labels.iter().map(|it| &*it.name).collect();
        deciding_rule(&labels)
    };
    let has_each = !definition.responses.is_empty();
    let winner = verdict::without_texts(survey, &is_free, deciding(&definition).is_some());
    if is_winner {
        let (rule, _) = winner.as_ref()?;
        definition.responses = vec![ResponsePaths::of(rule.path.clone()); 2];
    } else if !has_each {
        let is_number = |it: &&GuessField| is_free(&it.path) && it.is_number() && it.is_single();
        for field in survey.fields().filter(is_number) {
            add(&mut definition, &field.name(), vec![field.path.clone()]);
        }
    }
    let rule = match winner.filter(|_| is_winner || has_each) {
        Some((rule, is_by_outcome)) => {
            guess.is_by_outcome |= is_by_outcome;
            Some(VerdictRule::ByValue(rule))
        }
        None => deciding(&definition),
    };
    definition.verdict = rule.map(VerdictSource::from);
    definition.guess = Some(guess);
    (!definition.responses.is_empty()).then_some(definition)
}

/// Adds the scores of several responses. True if field names reveal the preferred one.
fn add_scores(
    definition: &mut Definition,
    survey: &Survey,
    is_free: &dyn Fn(&Path) -> bool,
) -> bool {
    let families = Family::all(survey);
    let is_score = |family: &&Family<'_>| {
        let is_numbers = family.set == WordSet::Numbers;
        let is_rating = family.name.is_empty() || WORDS.rates(&family.name);
        let is_apart = is_numbers && family.stem.last().is_some_and(|it| it != "annotator");
        let is_strong = !is_numbers && !WORDS.is_vague(family.set);
        family.are_numbers(&GuessField::is_number)
            && (is_rating || is_strong || is_apart)
            && !is_row_name(&family.name)
            && !names_responses(survey, family)
    };
    let mut is_by_outcome = false;
    let mut seen = HashSet::new();
    for field in survey.fields().filter(|field| is_free(&field.path)) {
        let mut of_field = families.iter().filter(|it| it.fields[0].path == field.path);
        if let Some(family) = of_field.find(is_score) {
            if seen.insert(&family.name) {
                add(definition, &family.name, family.paths());
                is_by_outcome |= !family.set.is_of_places();
            }
        } else if field.is_number_list() && field.is_single() {
            add(definition, &field.name(), vec![field.path.then("*")]);
        }
    }
    is_by_outcome
}

/// True if bare `chosen` and `rejected` name responses by number: always 1 and 2, or 0 and 1, in
/// both orders. Scores would repeat or vary more.
fn names_responses(survey: &Survey, family: &Family<'_>) -> bool {
    let [first, second] = family.fields.as_slice() else {
        return false;
    };
    let number = |record: &Value, field: &GuessField| field.path.value_in(record)?.as_f64();
    let rows: Vec<_> = (survey.iter())
        .filter_map(|record| Some([number(record, first)?, number(record, second)?]))
        .collect();
    let known = [[0.0, 1.0], [1.0, 2.0]].map(|[low, high]| [[low, high], [high, low]]);
    let are = |both: &[[f64; 2]; 2]| {
        rows.iter().all(|row| both.contains(row)) && both.iter().all(|row| rows.contains(row))
    };
    family.stem.is_empty() && !family.set.is_of_places() && known.iter().any(are)
}

/// Adds a score with a path for each response; a list has one path.
fn add(definition: &mut Definition, name: &str, paths: Vec<Path>) {
    if definition.responses.is_empty() {
        definition.responses = paths.iter().cloned().map(ResponsePaths::of).collect();
    }
    let name = if name.is_empty() { "score" } else { name };
    if definition.responses.len() == paths.len() {
        ratings::add_label(definition, name, None, paths);
    }
}
