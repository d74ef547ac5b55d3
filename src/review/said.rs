//! What reviewers said, as a query asks for it.

use super::locator::SampleLocator;
use crate::dataset::SampleKey;
use crate::journal::{Ledger, SampleReview};
use crate::query::{self, Remarks};

/// What is said of one sample.
fn said(remark: &SampleReview) -> query::SampleRemark {
    query::SampleRemark {
        marked: remark.marked,
        rated: remark
            .ratings
            .iter()
            .any(|rating| !rating.labels.is_empty() || rating.verdict.is_some()),
        tags: remark.tags.iter().cloned().collect(),
        notes: remark.notes.iter().map(|note| note.text.clone()).collect(),
    }
}

/// What is said of a sample; of one reviewer's acts alone where one is named.
pub fn said_by(ledger: &Ledger, key: &SampleKey, only: Option<&str>) -> query::SampleRemark {
    let remark = match only {
        Some(reviewer) => ledger.remark_by(key, reviewer).as_ref().map(said),
        None => ledger.remark(key).map(said),
    };
    remark.unwrap_or_default()
}

/// What is said of each sample that is there; of one reviewer's acts alone where one is named.
pub fn remarks(ledger: &Ledger, places: &SampleLocator, only: Option<&str>) -> Remarks {
    let mut remarks = Remarks::default();
    for (key, _) in ledger.remarks() {
        let said = said_by(ledger, key, only);
        for &sample in places.samples(key) {
            remarks.set(sample, said.clone());
        }
    }
    remarks
}
