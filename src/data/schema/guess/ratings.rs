//! Guesses which numbers rate responses, and which texts are about them; and layouts of records without
//! texts, which have scores of another file's responses.

use std::collections::HashSet;

use serde_json::Value;

use super::names::{Family, WORDS, WordSet, is_row_name, name_words, outcome};
use super::prompt::turns_before_last;
use super::responses::{Responses, whole_paths};
use super::survey::{GuessField, Survey};
use super::{Choices, FieldChoice, Guess, UnusedField, UnusedReason, verdict};
use crate::schema::layout::definition::{
    Definition, Label, LabelKind, RatingSource, ResponsePaths,
};
use crate::schema::layout::text_path::TextPath;
use crate::schema::row::values::OUTCOME;
use crate::schema::verdict::{VerdictRule, VerdictSource};
use crate::table::Path;

/// Adds the numbers and texts of each response.
pub fn add(
    definition: &mut Definition,
    survey: &Survey,
    families: &[Family<'_>],
    responses: &Responses,
) {
    match definition.responses.as_slice() {
        [one] if one.is_of_each() => add_of_list(definition, survey),
        [_] if responses.joins_rows => add_of_rows(definition, survey),
        [_] => {}
        _ => {
            add_of_objects(definition, survey);
            add_of_families(definition, families, Some(responses));
        }
    }
}

/// Adds fields whose names differ like the names of the responses.
pub fn add_of_families(
    definition: &mut Definition,
    families: &[Family<'_>],
    responses: Option<&Responses>,
) {
    let set = responses.and_then(|responses| responses.set);
    let count = definition.responses.len();
    let mut used = definition.used_paths();
    for family in families.iter().filter(|it| it.fields.len() <= count) {
        let Family {
            fields, stem, name, ..
        } = family;
        let rates = WORDS.rates(name);
        // A flag for the winner is a verdict.
        let is_verdict =
            WORDS.winner.any(stem) && !rates && fields.iter().all(|field| !field.has_ranks());
        // `better` and `worse` fields need not be in the order of the responses.
        let is_by_outcome = !family.set.is_of_places()
            && responses.is_some_and(|responses| !responses.is_best_first());
        let is_alike = set == Some(family.set)
            || rates
            || family.set != WordSet::Numbers && !WORDS.is_vague(family.set);
        let is_other = |field: &&GuessField| used.contains(&field.path) || !field.is_single();
        // `num_correct` counts the correct responses.
        let is_count = !family.set.is_of_places()
            && matches!(&**stem, [one] if ["n", "num", "number", "count"].contains(&&**one));
        // Without a number for one response, the next number is not the next response's.
        let are_others = (set == Some(family.set) || family.places.first() > Some(&1))
            && responses.is_some_and(|it| !it.places.starts_with(&family.places));
        if !is_alike
            || is_by_outcome
            || is_verdict
            || is_count
            || are_others
            || name.is_empty()
            || is_row_name(name)
            || stem
                .iter()
                .any(|word| word != "votes" && WORDS.annotator.has(word))
            || family.set == WordSet::Any
            || fields.iter().any(is_other)
        {
            continue;
        }
        let is_number = |it: &GuessField| it.is_number() || rates && it.is_mostly_number();
        let is_empty = || rates && fields.iter().all(|field| field.is_empty());
        let filled = || fields.iter().filter(|field| !field.is_empty());
        let units: HashSet<_> = filled().map(|field| field.unit()).collect();
        if units.len() < 2 && family.are_numbers(&is_number) || is_empty() {
            let spelling = filled().find_map(|field| field.spelling());
            used.extend(family.paths());
            add_label(definition, name, spelling, family.paths());
        } else if fields.iter().all(|field| field.is_long_text()) {
            add_text(definition, name, family.paths());
        }
    }
}

/// Adds objects with the same keys as the object that has the responses.
fn add_of_objects(definition: &mut Definition, survey: &Survey) {
    let paths = whole_paths(&definition.responses);
    let key = |path: &Path| match path.steps() {
        [_, key] => Some(key.clone()),
        _ => None,
    };
    let Some(keys) = paths.iter().map(key).collect::<Option<Vec<_>>>() else {
        return;
    };
    let is_number = |path: &Path| survey.at(path).is_some_and(GuessField::is_number);
    for field in survey.fields().filter(|field| field.is_number()) {
        let [parent, first] = field.path.steps() else {
            continue;
        };
        let of_all: Vec<_> = keys.iter().map(|key| Path::key(parent).then(key)).collect();
        if *first == keys[0] && of_all.iter().all(is_number) {
            add_label(definition, parent, None, of_all);
        }
    }
}

/// Adds fields of the elements of a list of responses, and lists that are parallel to it.
fn add_of_list(definition: &mut Definition, survey: &Survey) {
    let responses = &definition.responses[0];
    let Some((each, own)) = responses.whole_path().split_list() else {
        return;
    };
    let has_each = responses.each.is_some();
    for field in &survey.fields {
        let (list, onward) = field.path.split_list().unwrap_or_default();
        if list != each || onward.steps().is_empty() || onward == own || onward.is_of_each() {
            continue;
        }
        let name = onward.steps().join(".");
        let path = if has_each { onward } else { field.path.clone() };
        if (field.is_number() || says_outcome(survey, field)) && !is_row_name(&name) {
            add_label(definition, &name, field.spelling(), [path]);
            let mut labels = definition.labels.iter_mut().filter(|_| !field.is_number());
            if let Some(label) = labels.find(|label| label.name == name) {
                label.range = Some(OUTCOME);
            }
        } else if field.is_long_text() {
            add_text(definition, &name, [path]);
        }
    }
    if has_each {
        return;
    }
    let length = |record: &Value, path: &Path| Some(path.value_in(record)?.as_array()?.len());
    for field in &survey.fields {
        let is_parallel = (field.is_number_list() || field.is_text_list())
            && field.path != each
            && field.is_single()
            && survey.iter().all(|record| {
                let own = length(record, &field.path);
                own.is_none() || own == length(record, &each)
            });
        let path = field.path.then("*");
        if !is_parallel || definition.used_paths().contains(&path) {
            continue;
        }
        let plural = field.path.last_key().unwrap_or_default();
        if field.is_number_list() {
            let one = plural.strip_suffix('s').filter(|one| WORDS.rates(one));
            add_label(definition, one.unwrap_or(plural), None, [path]);
        } else {
            add_text(definition, plural, [path]);
        }
    }
}

/// True if all values mean that the response is the better or the worse one.
fn says_outcome(survey: &Survey, field: &GuessField) -> bool {
    let mut values = survey.all_values(&field.path).peekable();
    values.peek().is_some()
        && values.all(|value| value.as_str().is_some_and(|word| outcome(word).is_some()))
}

/// Adds the row's numbers that rate its one response: by name, or because they differ between rows
/// with one prompt.
fn add_of_rows(definition: &mut Definition, survey: &Survey) {
    let prompt = definition.prompt.as_ref().and_then(|it| it.path.first());
    let have_same_prompt = |rows: &[Value]| match prompt {
        Some(prompt) => prompt.value_in(&rows[0]) == prompt.value_in(&rows[1]),
        None => {
            let path = &definition.responses[0].text;
            let before = turns_before_last(path, &rows[0]);
            before.is_some() && before == turns_before_last(path, &rows[1])
        }
    };
    let differs = |path: &Path| {
        let mut rows = survey.windows(2);
        rows.any(|rows| {
            have_same_prompt(rows) && path.value_in(&rows[0]) != path.value_in(&rows[1])
        })
    };
    let used = definition.used_paths();
    let rank = |field: &GuessField| WORDS.rating_rank(&field.name());
    let is_rating = |field: &&GuessField| {
        let name = field.name();
        let is_number = field.is_number();
        let is_free = field.is_single() && !used.contains(&field.path) && !is_row_name(&name);
        let is_rated = rank(field).is_some() && field.is_mostly_number();
        let rates = WORDS.rates(&name) && (is_number || is_rated);
        is_free && (rates || is_number && differs(&field.path))
    };
    let mut fields: Vec<_> = survey.fields().filter(is_rating).collect();
    fields.sort_by_key(|field| {
        rank(field)
            .filter(|_| field.has_ranks())
            .unwrap_or(usize::MAX)
    });
    for field in fields {
        let paths = [field.path.clone()];
        add_label(definition, &field.name(), field.spelling(), paths);
        let mut numbers = survey.values(&field.path).filter_map(Value::as_f64);
        // Lenient labels may have fractions, since the first rows do not guarantee whole numbers.
        if let Some(label) = definition.labels.last_mut()
            && field.spelling().is_none()
            && numbers.all(|number| number.fract() == 0.0)
        {
            label.kind = LabelKind::Label;
        }
    }
}

/// Adds a label of the responses by the paths of its values. `spelling` is the unit after the
/// numbers, if they are in texts.
pub fn add_label(
    definition: &mut Definition,
    name: &str,
    spelling: Option<&str>,
    paths: impl IntoIterator<Item = Path>,
) {
    if definition.labels.iter().any(|label| label.name == name) {
        return;
    }
    definition.labels.push(Label {
        name: name.to_owned(),
        kind: LabelKind::Score,
        // In texts, values that are not numbers (such as `1,5`) are reported.
        lenient: spelling.is_none(),
        unit: spelling.unwrap_or_default().to_owned(),
        ..Label::default()
    });
    for (response, path) in definition.responses.iter_mut().zip(paths) {
        let source = RatingSource::Path(path);
        response.ratings.insert(name.to_owned(), source);
    }
}

/// Adds a text about each response.
fn add_text(definition: &mut Definition, name: &str, paths: impl IntoIterator<Item = Path>) {
    if definition.texts.iter().any(|text| text.name == name) {
        return;
    }
    let name = name.to_owned();
    for (response, path) in definition.responses.iter_mut().zip(paths) {
        response.texts.insert(name.clone(), path);
    }
    definition.texts.push(TextPath::new(name, None));
}

/// Returns the first label that is named like a deciding rating, but may be better when lower or is
/// one of several.
pub fn undecided(definition: &Definition, survey: &Survey) -> Option<UnusedField> {
    let rating = |label: &&Label| WORDS.rates(&label.name);
    let are_several = definition.labels.iter().filter(rating).count() > 1;
    let of_label = |label: &Label| {
        let mut sources = definition
            .responses
            .iter()
            .map(|it| (it, it.ratings.get(&label.name)));
        sources.find_map(|(response, source)| {
            let path = source?.path()?;
            let reason = WORDS
                .undecided(&label.name)
                .or(is_order(path, survey).then_some(UnusedReason::RatesOrNames))
                .or((are_several && rating(&label)).then_some(UnusedReason::OneOfSeveral))?;
            Some(UnusedField::new(&response.whole(path), "", reason))
        })
    };
    definition.labels.iter().find_map(of_label)
}

/// True if a list of numbers may contain either ranks, or the responses from best to worst. Ranks
/// with ties are no order.
fn is_order(path: &Path, survey: &Survey) -> bool {
    let has_tie = |record: &Value| {
        let values = path
            .all_in(record)
            .unwrap_or_default()
            .into_iter()
            .flatten();
        let mut seen = HashSet::new();
        !values.map(Value::to_string).all(|value| seen.insert(value))
    };
    let words = || path.steps().iter().flat_map(|step| name_words(step));
    let has = |list: &[&str]| words().any(|word| list.contains(&&*word));
    let are_ranks = || survey.iter().any(has_tie);
    path.ends_with_each()
        && (has(&["vote", "votes"]) || has(&["ranking", "rankings", "order"]) && !are_ranks())
}

/// Returns the label that decides the winner, if one does.
pub fn deciding(definition: &Definition, survey: &Survey, map: &Choices) -> Option<VerdictRule> {
    // Flags have no ranks, unless the user names them a score: true is 1.
    let has_ranks = |paths: &ResponsePaths, name: &str| match paths.ratings.get(name) {
        Some(RatingSource::Path(path)) if is_order(path, survey) => false,
        Some(RatingSource::Path(path)) => (survey.at(&paths.whole(path))).is_none_or(|field| {
            let is_mapped = map.of(FieldChoice::Label).any(|path| *path == field.path);
            field.has_ranks() || is_mapped || field.is_number_list() || field.is_empty()
        }),
        _ => false,
    };
    let mut labels: Vec<_> = definition.labels.iter().map(|label| &*label.name).collect();
    // A flag for the better rows of a prompt.
    let wins = |name: &&&str| {
        let are_alike = definition.joins_rows() || definition.has_response_lists();
        let field = definition
            .responses
            .first()
            .filter(|_| are_alike)
            .and_then(|it| Some(it.whole(it.ratings.get(**name)?.path()?)))
            .and_then(|path| survey.at(&path));
        field.is_some_and(|field| {
            let values: Vec<_> = survey
                .all_values(&field.path)
                .filter_map(verdict::word_of)
                .collect();
            WORDS.is_flag(&field.key_words()) && verdict::are_flags(&values)
        })
    };
    let flag = labels.iter().find(wins).copied();
    let of_flag = |name: &str| VerdictRule::ByLabel {
        label: name.to_owned(),
        lower: false,
    };
    labels.retain(|name| {
        let mut responses = definition.responses.iter();
        (WORDS.rates(name) || WORDS.is_better_lower(name))
            && responses.any(|paths| has_ranks(paths, name))
    });
    let is_said = |name: &&str| !name.eq_ignore_ascii_case("label");
    flag.filter(is_said)
        .map(of_flag)
        .or_else(|| deciding_rule(&labels))
        .or(flag.map(of_flag))
}

/// Returns the rule by the one of these labels that decides the winner.
pub fn deciding_rule(labels: &[&str]) -> Option<VerdictRule> {
    let (place, sign) = deciding_score(labels.iter().copied())?;
    Some(VerdictRule::ByLabel {
        label: labels[place].to_owned(),
        lower: sign < 0.0,
    })
}

/// Returns which of the numbers with these names decides the winner: its index, and 1, or -1 if
/// lower is better. `None` if several could.
pub fn deciding_score<'n>(of: impl Iterator<Item = &'n str>) -> Option<(usize, f64)> {
    let rates = of
        .enumerate()
        .filter(|(_, name)| WORDS.undecided(name).is_none());
    let rank = |name: &str| WORDS.rating_rank(name).unwrap_or(usize::MAX);
    let rates: Vec<_> = rates
        .map(|(place, name)| (rank(name), place, name))
        .collect();
    let (rank, place, name) = *rates.iter().min()?;
    let sign = if WORDS.is_better_lower(name) {
        -1.0
    } else {
        1.0
    };
    (rank < usize::MAX || rates.len() == 1).then_some((place, sign))
}

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
            add_score(&mut definition, &field.name(), vec![field.path.clone()]);
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
                add_score(definition, &family.name, family.paths());
                is_by_outcome |= !family.set.is_of_places();
            }
        } else if field.is_number_list() && field.is_single() {
            add_score(definition, &field.name(), vec![field.path.then("*")]);
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
fn add_score(definition: &mut Definition, name: &str, paths: Vec<Path>) {
    if definition.responses.is_empty() {
        definition.responses = paths.iter().cloned().map(ResponsePaths::of).collect();
    }
    let name = if name.is_empty() { "score" } else { name };
    if definition.responses.len() == paths.len() {
        add_label(definition, name, None, paths);
    }
}

/// True if records have numbers or words but no texts that could be responses: they belong to a
/// dataset in another file.
pub fn are_scores(survey: &Survey) -> bool {
    let is_text = |field: &GuessField| field.is_text() && field.mean_chars() > 24.0;
    let rates = |field: &GuessField| field.is_number() && WORDS.rates(&field.name());
    survey.fields().any(rates) && !survey.fields().any(is_text)
}
