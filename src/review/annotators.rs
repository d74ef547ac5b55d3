//! How far the annotators of a dataset agree with each other, by what its files say of each.

use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};
use crate::query::{annotated_columns, each_annotation};
use crate::stats::{MeasurementLevel, RatingFigures, RatingLists};
use crate::table::ColumnId;

/// Agreement between the annotators that the files tell apart: of each label over responses, in the
/// schemas' order, and of votes over samples. Only what two annotators of one thing rated is here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnnotatorAgreement(pub Vec<(String, RatingFigures)>);

/// Counts agreement in all columns of a dataset that have lists of annotators' values; intervals are
/// of so many resamples of samples. `None` once `wanted` says no, which is asked for each block of
/// samples and each resample.
pub(super) fn annotator_agreement(
    dataset: &Dataset,
    draws: u32,
    wanted: &dyn KeepGoing,
) -> Option<AnnotatorAgreement> {
    let columns = annotated_columns(dataset);
    let counted = in_parallel(&columns, |&column| {
        let mut lists = RatingLists::default();
        each_annotation(dataset, column, wanted, &mut |sample, list| {
            lists.add(sample, list);
        })?;
        let level = match column == ColumnId::VOTES {
            true => MeasurementLevel::of_votes(dataset.most_responses()),
            false => MeasurementLevel::Ordinal,
        };
        let figures = lists.figures(level, draws, wanted);
        wanted().then(|| (figures.things > 0).then(|| (column.name.to_owned(), figures)))
    });
    let counted = counted.into_iter().collect::<Option<Vec<_>>>()?;
    Some(AnnotatorAgreement(counted.into_iter().flatten().collect()))
}
