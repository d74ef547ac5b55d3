//! What a person should know of how files are read, in sentences.

use std::collections::HashSet;

use super::Dataset;
use crate::schema::SchemaCatalog;
use crate::text::one_line;

impl Dataset {
    /// What a person should know of how the files are read, a sentence each without its full stop:
    /// files named twice, fields by which nothing is joined, paths at which a schema of theirs reads
    /// nothing, verdicts and scores that are not taken, rows of one prompt that stand apart, rows of one
    /// pair by several annotators. Values
    /// of the data stand in them only where `tells_values`: they are not for a reviewer who is
    /// blind. Each is looked for when it is asked for; the last may read ten thousand samples, and
    /// is not found where rows were scanned once and not kept.
    pub fn reading_remarks(&self, tells_values: bool) -> impl Iterator<Item = String> {
        let remarks: [fn(&Self, bool) -> Option<String>; 7] = [
            |dataset, _| repeated_remark(dataset),
            |dataset, _| ungrouped_remark(dataset),
            |dataset, _| absent_remark(dataset),
            untaken_verdict_remark,
            untaken_score_remark,
            |dataset, _| apart_remark(dataset),
            |dataset, _| annotated_remark(dataset),
        ];
        let remarks = remarks.into_iter();
        remarks.filter_map(move |remark| remark(self, tells_values))
    }
}

/// What a person should know where files are named more than once; nothing where none is.
fn repeated_remark(dataset: &Dataset) -> Option<String> {
    let mut names: Vec<_> = (dataset.repeated_files().iter())
        .map(|file| one_line(file.source.name(), 80))
        .collect();
    names.dedup();
    (!names.is_empty()).then(|| {
        format!(
            "read more than once, so that samples count as often: {}",
            one_line(&names.join(", "), 200)
        )
    })
}

/// What a person should know where rows are to be grouped by fields in which no two of them agree, as
/// where `--group-by` has a slip; nothing where some do.
fn ungrouped_remark(dataset: &Dataset) -> Option<String> {
    let group = &dataset.files().first()?.schema.definition().group;
    if group.is_empty() || dataset.rows() < 2 || dataset.samples() < dataset.rows() {
        return None;
    }
    let fields: Vec<_> = group.iter().map(ToString::to_string).collect();
    Some(format!(
        "no two rows have the same {}, by which they were to be joined",
        fields.join(" and ")
    ))
}

/// What a person should know of a schema of their own where it reads nothing at a path in any row.
fn absent_remark(dataset: &Dataset) -> Option<String> {
    let definition = dataset.files().first()?.schema.definition();
    if SchemaCatalog::default().has_paths_of(definition) {
        return None;
    }
    let empty = dataset.empty_columns();
    (!empty.is_empty()).then(|| {
        format!(
            "the schema {} reads nothing in any row at {}",
            one_line(&definition.name, 48),
            one_line(&empty.join(", "), 200)
        )
    })
}

/// Which field has the name of a verdict and is not taken for it, or contradicts the one that is; nothing
/// without one. A value of it is not for a reviewer who is blind.
fn untaken_verdict_remark(dataset: &Dataset, tells_value: bool) -> Option<String> {
    let definitions = (dataset.files().iter()).map(|file| file.schema.definition());
    let mut guesses = definitions.filter_map(|definition| definition.guess.as_ref());
    let untaken = guesses.find_map(|guess| guess.untaken_verdict.as_ref())?;
    let told = untaken.told(tells_value);
    Some(format!(
        "{told}; visavis guide schemas tells how to say what it means"
    ))
}

/// What a person should know where a field has the name of a score and numbers with a comma; nothing
/// where none has. A value of it is not for a reviewer who is blind.
fn untaken_score_remark(dataset: &Dataset, tells_value: bool) -> Option<String> {
    let definitions = (dataset.files().iter()).map(|file| file.schema.definition());
    let mut guesses = definitions.filter_map(|definition| definition.guess.as_ref());
    let untaken = guesses.find_map(|guess| guess.untaken_score.as_ref())?;
    Some(untaken.told(tells_value))
}

/// What a person should know where rows of one prompt stand apart; nothing where they do not.
fn apart_remark(dataset: &Dataset) -> Option<String> {
    let prompt = dataset.prompt_of_rows_apart()?.to_string();
    // A key alone is typed as it is, a longer path as the pointer.
    let key = prompt.strip_prefix('/');
    let prompt = key
        .filter(|key| !key.contains(['/', '.', '~']))
        .unwrap_or(&prompt);
    Some(format!(
        "rows of one prompt stand apart: --group-by {prompt} joins them"
    ))
}
/// What to do with rows that are one pair by several annotators each, which count as samples of their
/// own; nothing if there are none. Reads a thousand samples at most.
fn annotated_remark(dataset: &Dataset) -> Option<String> {
    const LOOKED_AT: usize = 1000;
    let schema = &dataset.files().first()?.schema;
    let definition = schema.definition();
    let has_annotators = definition.annotator.is_some() && definition.group.is_empty();
    let [prompt] = &definition.prompt.as_ref().filter(|_| has_annotators)?.path[..] else {
        return None;
    };
    schema.grouped(&[])?;
    let keys = dataset.keys(0..dataset.samples().min(LOOKED_AT), &|| true);
    let mut known = HashSet::new();
    let again = keys
        .iter()
        .flatten()
        .filter(|key| !known.insert(**key))
        .count();
    (again * 4 > keys.len()).then(|| {
        let prompt = one_line(&prompt.to_string(), 48);
        let prompt = prompt.trim_start_matches('/');
        format!(
            "rows are one pair by several annotators: --group-by {prompt} makes one sample of them"
        )
    })
}
