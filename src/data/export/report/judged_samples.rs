//! Judged samples, each once, the largest disagreements first, and skipped ones.

use std::collections::BTreeMap;

use minijinja::{Value, context};

use super::super::document::WrittenSample;
use super::super::review;
use super::ReportedJudgments;
use crate::dataset::{Buffers, Dataset, LoadedSample};
use crate::journal::{AfterReveal, Rating, RatingState, SampleReview};
use crate::model::ResponseOrder;
use crate::query::{SampleRemark, dataset_judgment};
use crate::review::{RatingForm, Workspace, judgment, serialised};
use crate::text::exact_number;

/// A disagreement is large from this distance on: different winners, or two steps of a label.
const LARGE: f64 = 2.0;
/// Maximum number of disagreements on the first page.
const MAX_FIRST: usize = 10;
/// Characters of each text on the first page of a report that is not full.
const MAX_CHARACTERS: usize = 600;

/// A sample with the judgments that count.
struct JudgedEntry<'a> {
    sample: usize,
    remark: &'a SampleReview,
    /// The latest first-pass rating of each reviewer, in its current state.
    ratings: Vec<&'a Rating>,
    /// `None` if nothing can be compared.
    apart: Option<f64>,
}

/// Returns the judged samples: those of the first page, and with `full` all others.
pub(super) fn list(judged: &ReportedJudgments<'_>, full: bool) -> Value {
    let Workspace {
        dataset,
        ledger,
        places,
    } = judged.work;
    let forms = RatingForm::of_files(dataset);
    let (mut entries, mut gone, mut unread) = (Vec::new(), 0, 0);
    for (key, remark) in ledger.remarks() {
        let ratings = judged.latest(remark);
        if ratings.is_empty() {
            continue;
        }
        let Some(sample) = places.first(key) else {
            gone += 1;
            continue;
        };
        let form = RatingForm::of_sample(&forms, dataset, sample);
        let form = form.filter(|(_, responses)| *responses > 0);
        let own = dataset_judgment(dataset, sample);
        let Some((own, form)) = own.zip(form) else {
            unread += 1;
            continue;
        };
        let given = ratings.iter().map(|it| judgment(it.as_given(), Some(form)));
        let given = SampleRemark {
            judgments: given.collect(),
            ..SampleRemark::default()
        };
        let apart = match judged.reviewers.len() {
            0 | 1 => given.farthest(&own),
            _ => given.spread(),
        };
        entries.push(JudgedEntry {
            sample,
            remark,
            ratings,
            apart,
        });
    }
    entries.sort_by(|one, other| {
        let apart = |entry: &JudgedEntry<'_>| entry.apart.unwrap_or_default();
        let by_distance = apart(other).total_cmp(&apart(one));
        by_distance.then(one.sample.cmp(&other.sample))
    });
    let count = |is: fn(f64) -> bool| {
        let apart = entries.iter().filter_map(|it| it.apart);
        apart.filter(|apart| is(*apart)).count()
    };
    let (large, any) = (count(|apart| apart >= LARGE), count(|apart| apart > 0.0));
    let first = any.min(MAX_FIRST);
    let characters = (!full).then_some(MAX_CHARACTERS);
    let mut buffers = Buffers::default();
    let mut written = |from: usize, to: usize| {
        let range = from..to;
        let samples = range.filter_map(|at| {
            let entry = entries.get(at)?;
            let reading = dataset.read(entry.sample, &mut buffers)?;
            Some(write(dataset, &reading, entry, (at + 1, characters)))
        });
        samples.collect::<Vec<_>>()
    };
    context! {
        all => entries.iter().filter(|it| it.apart.is_some()).count(),
        large,
        slight => any - large,
        least => exact_number(LARGE),
        between => judged.reviewers.len() > 1,
        alone => entries.iter().filter(|it| it.apart.is_none()).count(),
        gone,
        unread,
        first => written(0, first),
        others => written(first, if full { entries.len() } else { first }),
        left => if full { 0 } else { large.saturating_sub(first) },
    }
}

/// Formats a sample with its judgments as Markdown; `place` is its number in the report.
fn write(
    dataset: &Dataset,
    reading: &LoadedSample<'_, '_>,
    entry: &JudgedEntry<'_>,
    (place, characters): (usize, Option<usize>),
) -> String {
    let written = WrittenSample::of(dataset, entry.sample as u32, reading, None);
    let responses = written.responses();
    let form = RatingForm::of(reading.schema);
    let says = |rating: &Rating| {
        let verdict = form.verdict(responses, rating)?;
        let strength = rating.verdict.and_then(|(_, strength)| strength);
        let strength = strength.map(|strength| format!(" (strength {strength})"));
        Some(format!(
            "{}{}",
            verdict.phrase(),
            strength.unwrap_or_default()
        ))
    };
    let outcome = reading
        .body
        .sample()
        .and_then(|sample| sample.outcome.as_ref());
    let own = outcome.map(|own| ("dataset", own.verdict.phrase()));
    let mut verdicts: Vec<(&str, String)> = own.into_iter().collect();
    let (mut rows, mut became) = (Vec::new(), Vec::new());
    for &rating in &entry.ratings {
        let (who, given) = (&*rating.reviewer, rating.as_given());
        verdicts.extend(says(given).map(|says| (who, says)));
        rows.push((who.to_owned(), review::labels_as_json(given, responses)));
        let Some(what) = rating.after_reveal() else {
            continue;
        };
        let is_changed = what == AfterReveal::Changed;
        let now = says(rating).filter(|now| is_changed && says(given).as_ref() != Some(now));
        became.push((who, review::change_word(what), now));
        if is_changed {
            rows.push((
                format!("{who}, changed"),
                review::labels_as_json(rating, responses),
            ));
        }
    }
    let is_judge = |who: &str| entry.ratings.iter().any(|it| *it.reviewer == *who);
    let notes = entry.remark.notes.iter();
    let notes = notes.filter(|note| is_judge(&note.reviewer));
    written.with_judgments(context! {
        place,
        characters,
        verdicts => serialised(verdicts),
        became => serialised(became),
        names => label_names(reading, &entry.ratings),
        rows => serialised(rows),
        tags => serialised(&entry.remark.tags),
        notes => review::notes_context(notes, ResponseOrder::OF_FILE, responses),
    })
}

/// Returns the labels that reviewers rated, in the order of the schema.
fn label_names(reading: &LoadedSample<'_, '_>, ratings: &[&Rating]) -> Value {
    let known: BTreeMap<&str, usize> = (reading.schema.labels().iter().enumerate())
        .map(|(at, label)| (label.name.as_str(), at))
        .collect();
    let rated = ratings.iter().flat_map(|rating| {
        let both = [rating.as_given(), *rating].into_iter();
        both.flat_map(|rating| rating.labels.keys())
    });
    let mut names: Vec<&str> = rated.map(|(name, _)| &**name).collect();
    names.sort_by_key(|&name| (known.get(name).copied().unwrap_or(usize::MAX), name));
    names.dedup();
    serialised(names)
}

/// Returns the samples that a reviewer skipped or deferred, in dataset order, missing ones last.
/// Their earlier judgments no longer count, but they must not be lost.
pub(super) fn skipped(judged: &ReportedJudgments<'_>) -> Vec<Value> {
    let Workspace {
        dataset,
        ledger,
        places,
    } = judged.work;
    let row = |sample: Option<usize>, key: &str, rating: &Rating, remark: &SampleReview| {
        let rows = sample.and_then(|sample| dataset.sample_rows(sample));
        let rows = rows.iter().flat_map(|rows| rows.iter());
        let rows: Vec<_> = rows.filter_map(|row| dataset.place(row)).collect();
        let file = rows.first().and_then(|row| dataset.files().get(row.file));
        // Row numbers are ambiguous with several files.
        let file = file.filter(|_| dataset.files().len() > 1);
        let responses = sample.and_then(|sample| dataset.responses_of(sample));
        let notes = remark.notes.iter();
        let notes = notes.filter(|note| note.reviewer == rating.reviewer);
        context! {
            file => file.map(|file| file.source.name()),
            rows => rows.iter().map(|row| row.row).collect::<Vec<_>>(),
            key,
            state => review::state_word(rating.state),
            who => &*rating.reviewer,
            after => rating.after_reveal().is_some(),
            again => rating.setting.pass > 1,
            notes => review::notes_context(notes, ResponseOrder::OF_FILE, responses.unwrap_or_default()),
        }
    };
    let mut listed = Vec::new();
    for (key, remark) in ledger.remarks() {
        let ratings = remark.ratings.iter().filter(|rating| judged.is_of(rating));
        for rating in ratings.filter(|rating| rating.state != RatingState::Open) {
            let (sample, key) = (places.first(key), key.to_string());
            let order = (sample.unwrap_or(usize::MAX), rating.setting.pass);
            listed.push((order, row(sample, &key, rating, remark)));
        }
    }
    listed.sort_by_key(|(order, _)| *order);
    listed.into_iter().map(|(_, row)| row).collect()
}
