//! Warnings about how the files are read, as sentences.

use std::collections::HashSet;

use super::Dataset;
use crate::schema::{Guess, SchemaCatalog};
use crate::text::one_line;

impl Dataset {
    /// Returns warnings about how the files are read, each a sentence without full stop: files
    /// given twice, grouping fields without effect, paths at which a schema finds nothing, verdicts
    /// and scores that were ignored, scattered rows of one prompt, rows of one pair by several
    /// annotators.
    ///
    /// Values of the data are included only if `shows_values`, since blind reviewers must not see
    /// them. Checks run lazily; the last ones may read ten thousand samples and are skipped if rows
    /// were not kept after the scan.
    pub fn reading_warnings(&self, shows_values: bool) -> impl Iterator<Item = String> {
        let remarks: [fn(&Self, bool) -> Option<String>; 8] = [
            |dataset, _| repeated_files_warning(dataset),
            |dataset, _| grouping_warning(dataset),
            |dataset, _| empty_paths_warning(dataset),
            ignored_verdict_warning,
            ignored_score_warning,
            |dataset, _| scattered_rows_warning(dataset),
            |dataset, _| annotators_warning(dataset),
            |dataset, _| doubt_warning(dataset),
        ];
        let remarks = remarks.into_iter();
        remarks.filter_map(move |remark| remark(self, shows_values))
    }
}

/// Warns about files given more than once.
fn repeated_files_warning(dataset: &Dataset) -> Option<String> {
    let mut names: Vec<_> = (dataset.repeated_files().iter())
        .map(|file| one_line(file.source.name(), 80))
        .collect();
    names.dedup();
    (!names.is_empty()).then(|| {
        format!(
            "files given more than once, whose samples count repeatedly: {}",
            one_line(&names.join(", "), 200)
        )
    })
}

/// Warns if rows are grouped by fields in which no two rows agree, for example because of a typo in
/// `--group-by`.
fn grouping_warning(dataset: &Dataset) -> Option<String> {
    let group = &dataset.files().first()?.schema.definition().group;
    if group.is_empty() || dataset.rows() < 2 || dataset.samples() < dataset.rows() {
        return None;
    }
    let fields: Vec<_> = group.iter().map(ToString::to_string).collect();
    Some(format!(
        "grouping has no effect, since no two rows have the same {}",
        fields.join(" and ")
    ))
}

/// Warns about paths of a user's schema without a value in any row.
fn empty_paths_warning(dataset: &Dataset) -> Option<String> {
    let definition = dataset.files().first()?.schema.definition();
    if SchemaCatalog::default().has_paths_of(definition) {
        return None;
    }
    let empty = dataset.empty_columns();
    (!empty.is_empty()).then(|| {
        format!(
            "schema {} finds no value in any row at {}",
            one_line(&definition.name, 48),
            one_line(&empty.join(", "), 200)
        )
    })
}

/// Warns about what is doubtful in a guessed layout.
fn doubt_warning(dataset: &Dataset) -> Option<String> {
    let doubts = dataset.doubts()?;
    Some(format!(
        "the layout is guessed: {doubts}; see visavis guide schemas"
    ))
}

/// Warns about a field that is named like a verdict and was ignored, or contradicts the one that
/// was used. Quotes a value only if `shows_value`.
fn ignored_verdict_warning(dataset: &Dataset, shows_value: bool) -> Option<String> {
    let untaken = guesses(dataset).find_map(|guess| guess.unused_verdict.as_ref())?;
    let warning = untaken.message(shows_value);
    Some(format!("{warning}; see visavis guide schemas"))
}

/// Warns about a field that is named like a score but has numbers with a decimal comma. Quotes a
/// value only if `shows_value`.
fn ignored_score_warning(dataset: &Dataset, shows_value: bool) -> Option<String> {
    let untaken = guesses(dataset).find_map(|guess| guess.unused_score.as_ref())?;
    Some(untaken.message(shows_value))
}

fn guesses(dataset: &Dataset) -> impl Iterator<Item = &Guess> {
    let definitions = (dataset.files().iter()).map(|file| file.schema.definition());
    definitions.filter_map(|definition| definition.guess.as_ref())
}

/// Warns about scattered rows of one prompt.
fn scattered_rows_warning(dataset: &Dataset) -> Option<String> {
    let prompt = dataset.prompt_of_scattered_rows()?.to_string();
    // A single key can be typed as it is; a longer path needs the pointer.
    let key = prompt.strip_prefix('/');
    let prompt = key
        .filter(|key| !key.contains(['/', '.', '~']))
        .unwrap_or(&prompt);
    Some(format!(
        "rows of one prompt are not adjacent; join them with --group-by {prompt}"
    ))
}
/// Warns about rows that rate the same pair by several annotators and count as separate samples.
/// Reads at most a thousand samples.
fn annotators_warning(dataset: &Dataset) -> Option<String> {
    const SAMPLES_READ: usize = 1000;
    let schema = &dataset.files().first()?.schema;
    let definition = schema.definition();
    let has_annotators = definition.annotator.is_some() && definition.group.is_empty();
    let [prompt] = &definition.prompt.as_ref().filter(|_| has_annotators)?.path[..] else {
        return None;
    };
    schema.grouped(&[])?;
    let keys = dataset.keys(0..dataset.samples().min(SAMPLES_READ), &|| true);
    let mut known = HashSet::new();
    let again = keys
        .iter()
        .flatten()
        .filter(|key| !known.insert(**key))
        .count();
    (again * 4 > keys.len()).then(|| {
        let prompt = one_line(&prompt.to_string(), 48);
        let prompt = prompt.trim_start_matches('/');
        format!("several annotators' rows rate the same pair; join them with --group-by {prompt}")
    })
}
