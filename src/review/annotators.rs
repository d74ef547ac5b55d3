//! Agreement between the annotators of a dataset.

use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};
use crate::query::{annotated_columns, each_annotation};
use crate::stats::{MeasurementLevel, RatingFigures, RatingLists};
use crate::table::ColumnId;

/// Agreement between annotators, from things that at least two rated: each label over responses, in
/// schema order, then votes over samples.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnnotatorAgreement(pub Vec<(String, RatingFigures)>);

/// Computes agreement in all columns with lists of annotators' values, with
/// intervals over samples. Returns `None` if cancelled.
pub(super) fn annotator_agreement(
    dataset: &Dataset,
    keep_going: &dyn KeepGoing,
) -> Option<AnnotatorAgreement> {
    let columns = annotated_columns(dataset);
    let counted = in_parallel(&columns, |&column| {
        let mut lists = RatingLists::default();
        each_annotation(dataset, column, keep_going, &mut |sample, list| {
            lists.add(sample, list);
        })?;
        let level = match column == ColumnId::VOTES {
            true => MeasurementLevel::of_votes(dataset.most_responses()),
            false => MeasurementLevel::Ordinal,
        };
        let figures = lists.figures(level, true, keep_going);
        keep_going().then(|| (figures.things > 0).then(|| (column.name.to_owned(), figures)))
    });
    let counted = counted.into_iter().collect::<Option<Vec<_>>>()?;
    Some(AnnotatorAgreement(counted.into_iter().flatten().collect()))
}
