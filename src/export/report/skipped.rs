//! Samples that a reviewer skipped or deferred. Their earlier judgments no longer count, but they
//! must not be lost.

use minijinja::{Value, context};

use super::super::review::{notes_context, state_word};
use super::ReportedJudgments;
use crate::dataset::Dataset;
use crate::journal::{Rating, RatingState, SampleReview};
use crate::model::ResponseOrder;
use crate::review::SampleLocator;

/// Lists them in dataset order, missing samples last.
pub(super) fn list(
    dataset: &Dataset,
    judged: &ReportedJudgments<'_>,
    places: &SampleLocator,
) -> Vec<Value> {
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
            state => state_word(rating.state),
            who => &*rating.reviewer,
            after => rating.after_reveal().is_some(),
            again => rating.setting.pass > 1,
            notes => notes_context(notes, ResponseOrder::OF_FILE, responses.unwrap_or_default()),
        }
    };
    let mut listed = Vec::new();
    for (key, remark) in judged.ledger.remarks() {
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
