//! Which numbers of unknown records rate responses, and which texts are about them.

use serde_json::Value;

use super::names::{Family, GuessNames, WordSet, name_words, names, place_in};
use super::responses::Responses;
use super::table::{FieldTable, GuessField, value_at};
use crate::schema::definition::{Definition, Label, LabelKind, RatingSource, VerdictRule};
use crate::schema::path::Path;
use crate::schema::text_path::TextPath;

/// Adds the numbers and texts that each response has.
pub(super) fn add(
    definition: &mut Definition,
    table: &FieldTable<'_>,
    families: &[Family],
    responses: &Responses,
    known: &GuessNames,
) {
    match definition.responses.as_slice() {
        [one] if one.is_of_each() => add_of_list(definition, table, known),
        [_] if responses.joins_rows => add_of_rows(definition, table, known),
        [_] => {}
        _ => add_of_families(definition, table, families, responses.set, known),
    }
}

/// Of fields whose names tell the responses apart as the names of the responses do.
pub(super) fn add_of_families(
    definition: &mut Definition,
    table: &FieldTable<'_>,
    families: &[Family],
    set: Option<WordSet>,
    known: &GuessNames,
) {
    let count = definition.responses.len();
    let mut taken = definition.taken();
    for family in families
        .iter()
        .filter(|family| family.fields.len() <= count)
    {
        let fields: Vec<_> = family
            .fields
            .iter()
            .map(|&place| &table.fields[place])
            .collect();
        let has = |list: &[String]| {
            family
                .stem
                .iter()
                .any(|word| place_in(list, word).is_some())
        };
        let rates = known.rates(&family.name);
        // Yes for the response that wins: a verdict.
        let is_verdict =
            has(&known.winner) && !rates && fields.iter().all(|field| !field.has_ranks());
        let is_alike = set == Some(family.set)
            || rates
            || family.set != WordSet::Numbers && !known.is_vague(family.set);
        let is_taken = (fields.iter()).any(|field| taken.contains(&field.path));
        if !is_alike
            || is_taken
            || family.name.is_empty()
            || is_row_name(&family.name)
            || has(&known.annotator)
            || is_verdict
            || family.set == WordSet::Any
            || fields.iter().any(|field| field.path.is_of_each())
        {
            continue;
        }
        let is_number = |field: &&GuessField| {
            field.is_number() || field.is_empty() || rates && field.is_mostly_number()
        };
        let paths: Vec<_> = fields.iter().map(|field| field.path.clone()).collect();
        if fields.iter().all(is_number) && fields.iter().any(|field| !field.is_empty()) {
            let are_spelled = fields.iter().any(|field| field.are_spelled());
            taken.extend(paths.iter().cloned());
            add_label(definition, &family.name, are_spelled, paths);
        } else if fields
            .iter()
            .all(|field| field.is_text() && field.mean_chars() > 40.0)
        {
            add_text(definition, &family.name, paths);
        }
    }
}

/// Of the elements of a list of responses, and of lists that run together with it.
fn add_of_list(definition: &mut Definition, table: &FieldTable<'_>, known: &GuessNames) {
    let responses = &definition.responses[0];
    let (each, own) = match &responses.each {
        Some(each) => (each.clone(), responses.text.clone()),
        None => match responses.text.split_list() {
            Some(split) => split,
            None => return,
        },
    };
    let inside = each.then("*");
    let has_each = responses.each.is_some();
    for field in &table.fields {
        let Some(rest) = field
            .path
            .steps()
            .strip_prefix(inside.steps())
            .filter(|rest| !rest.is_empty())
        else {
            continue;
        };
        let onward = rest
            .iter()
            .fold(Path::default(), |path, step| path.then(step));
        if onward == own || onward.is_of_each() {
            continue;
        }
        let name = rest.join(".");
        let path = if has_each { onward } else { field.path.clone() };
        if field.is_number() && !is_row_name(&name) {
            add_label(definition, &name, field.are_spelled(), [path]);
        } else if field.is_text() && field.mean_chars() > 40.0 {
            add_text(definition, &name, [path]);
        }
    }
    if has_each {
        return;
    }
    let length = |record: &Value, path: &Path| Some(value_at(record, path)?.as_array()?.len());
    for field in &table.fields {
        let is_parallel = (field.is_number_list() || field.is_text_list())
            && field.path != each
            && !field.path.is_of_each()
            && table.records.iter().all(|record| {
                let own = length(record, &field.path);
                own.is_none() || own == length(record, &each)
            });
        if !is_parallel || definition.taken().contains(&field.path.then("*")) {
            continue;
        }
        let Some(plural) = field.path.steps().last() else {
            continue;
        };
        let one = plural.strip_suffix('s').filter(|one| known.rates(one));
        let path = [field.path.then("*")];
        if field.is_number_list() {
            add_label(definition, one.unwrap_or(plural), false, path);
        } else {
            add_text(definition, plural, path);
        }
    }
}

/// Of the one response of a row: the numbers whose names say that they rate it, and those in which rows of
/// one prompt differ.
fn add_of_rows(definition: &mut Definition, table: &FieldTable<'_>, known: &GuessNames) {
    let prompt = definition
        .prompt
        .as_ref()
        .and_then(|prompt| prompt.path.first())
        .cloned();
    let differs = |path: &Path| {
        let mut rows = table.records.windows(2);
        rows.any(|rows| match (rows, &prompt) {
            ([first, second], Some(prompt)) => {
                value_at(first, prompt) == value_at(second, prompt)
                    && value_at(first, path) != value_at(second, path)
            }
            _ => false,
        })
    };
    let taken = definition.taken();
    let is_rating = |field: &&GuessField| {
        let name = name_of(field);
        let is_free =
            !field.path.is_of_each() && !taken.contains(&field.path) && !is_row_name(&name);
        let rates = known.rates(&name)
            && (field.is_number()
                || known.rating_rank(&name).is_some() && field.is_mostly_number());
        is_free && (rates || field.is_number() && differs(&field.path))
    };
    let mut fields: Vec<_> = table.fields.iter().filter(is_rating).collect();
    fields.sort_by_key(|field| {
        let rank = known
            .rating_rank(&name_of(field))
            .filter(|_| field.has_ranks());
        rank.unwrap_or(usize::MAX)
    });
    for field in fields {
        let name = name_of(field);
        add_label(definition, &name, field.are_spelled(), [field.path.clone()]);
        let are_whole = table
            .values(&field.path)
            .flatten()
            .all(|value| value.as_f64().is_none_or(|number| number.fract() == 0.0));
        // A whole one is asked for where the label is not lenient: the first rows promise none.
        if let Some(label) = definition
            .labels
            .last_mut()
            .filter(|_| are_whole && !field.are_spelled())
        {
            label.kind = LabelKind::Label;
        }
    }
}

/// The name of a field: its path with dots.
fn name_of(field: &GuessField) -> String {
    field.path.steps().join(".")
}

/// Adds a label of the responses, by the paths of its values.
pub(super) fn add_label(
    definition: &mut Definition,
    name: &str,
    are_texts: bool,
    paths: impl IntoIterator<Item = Path>,
) {
    if definition.labels.iter().any(|label| label.name == name) {
        return;
    }
    definition.labels.push(Label {
        name: name.to_owned(),
        kind: LabelKind::Score,
        // Where texts spell it, one that is no number is told, as `1,5` is none.
        lenient: !are_texts,
        ..Label::default()
    });
    for (response, path) in definition.responses.iter_mut().zip(paths) {
        response
            .ratings
            .insert(name.to_owned(), RatingSource::Path(path));
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

/// The label that decides who wins, where one does.
pub(super) fn deciding(
    definition: &Definition,
    table: &FieldTable<'_>,
    known: &GuessNames,
) -> Option<VerdictRule> {
    // Yes and no are no ranks to win by.
    let has_ranks = |label: &&Label| {
        let mut sources = definition.responses.iter().filter_map(|paths| {
            match paths.ratings.get(&label.name)? {
                RatingSource::Path(path) => Some(paths.whole(path)),
                RatingSource::Constant(_) => None,
            }
        });
        sources.any(|path| {
            table
                .at(&path)
                .is_none_or(|field| field.has_ranks() || field.is_number_list())
        })
    };
    let labels = definition
        .labels
        .iter()
        .filter(|label| known.rates(&label.name) || known.is_better_lower(&label.name))
        .filter(has_ranks);
    let labels: Vec<_> = labels.map(|label| label.name.clone()).collect();
    let (place, sign) = deciding_score(labels.iter().map(String::as_str))?;
    Some(VerdictRule::ByLabel {
        label: labels[place].clone(),
        lower: sign < 0.0,
    })
}

/// The number that says which response is better, among numbers with these names: its place, and -1
/// where the lower one wins, otherwise 1. `None` where several could.
pub(in crate::schema) fn deciding_score<'n>(
    of: impl Iterator<Item = &'n str>,
) -> Option<(usize, f64)> {
    let known = names();
    let has = |name: &str, list: &[String]| {
        name_words(name)
            .iter()
            .any(|word| place_in(list, word).is_some())
    };
    let rates = of
        .enumerate()
        .filter(|(_, name)| !has(name, &known.measure));
    let rank = |name: &str| known.rating_rank(name).unwrap_or(usize::MAX);
    let mut rates: Vec<_> = rates
        .map(|(place, name)| (rank(name), place, name))
        .collect();
    rates.sort_unstable();
    let (rank, place, name) = *rates.first()?;
    let sign = if known.is_better_lower(name) {
        -1.0
    } else {
        1.0
    };
    (rank < usize::MAX || rates.len() == 1).then_some((place, sign))
}

/// Whether a name is that of a number that names a row.
pub(super) fn is_row_name(name: &str) -> bool {
    const NAMES: [&str; 11] = [
        "id", "idx", "index", "row", "sample", "line", "seed", "uid", "pair", "key", "hash",
    ];
    let words = name_words(name);
    words.last().is_some_and(|word| NAMES.contains(&&**word))
}
