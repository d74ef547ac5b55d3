//! How far the annotators of a dataset agree with each other, by what its files say of each.

use std::sync::Arc;

use crate::dataset::Dataset;
use crate::stats::PooledPairs;

/// Agreement between the annotators that the files tell apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnnotatorAgreement {
    /// Each label of which files have a list of values, over responses, in the schemas' order.
    pub labels: Vec<(Arc<str>, PooledPairs)>,
    /// Who wins and how clearly, over samples; `None` where files have no such lists.
    pub votes: Option<PooledPairs>,
}

/// Counts the pairs of annotators of all samples; `None` once that is not `wanted` any more, which is
/// asked for each chunk of the dataset.
pub(super) fn annotator_agreement(
    dataset: &Dataset,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Option<AnnotatorAgreement> {
    let mut found = AnnotatorAgreement::default();
    for chunk in dataset.chunks() {
        if !wanted() {
            return None;
        }
        let Some(file) = dataset.files().get(chunk.file()) else {
            continue;
        };
        let columns = chunk.columns();
        for (place, label) in file.schema.labels().iter().enumerate() {
            let Some(lists) = columns.annotations(place) else {
                continue;
            };
            let pairs = found.of_label(&label.name);
            for list in lists
                .iter()
                .flat_map(|lists| (0..lists.len()).map(|at| lists.list(at)))
            {
                pairs.add(&list);
            }
        }
        if let Some(votes) = columns.votes() {
            let pairs = found.votes.get_or_insert_default();
            (0..votes.len()).for_each(|place| pairs.add(&votes.list(place)));
        }
    }
    Some(found)
}

impl AnnotatorAgreement {
    /// Whether files tell no annotators apart.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.votes.is_none()
    }

    /// The pairs of a label.
    fn of_label(&mut self, name: &str) -> &mut PooledPairs {
        let known = self.labels.iter().position(|(known, _)| **known == *name);
        let place = known.unwrap_or_else(|| {
            self.labels.push((name.into(), PooledPairs::default()));
            self.labels.len() - 1
        });
        &mut self.labels[place].1
    }
}
