//! What reviewers said, as a query asks for it.

use super::places::Places;
use crate::journal::{Ledger, Remark};
use crate::query::{self, Remarks};

/// What is said of one sample.
pub fn said(remark: &Remark) -> query::Remark {
    query::Remark {
        marked: remark.marked,
        rated: remark.ratings.iter().any(|rating| !rating.labels.is_empty() || rating.verdict.is_some()),
        tags: remark.tags.iter().cloned().collect(),
        notes: remark.notes.iter().map(|note| note.text.clone()).collect(),
    }
}

/// What is said of each sample that is there.
pub fn remarks(ledger: &Ledger, places: &Places) -> Remarks {
    let mut remarks = Remarks::default();
    for (key, remark) in ledger.remarks() {
        for &sample in places.samples(key) {
            remarks.set(sample, said(remark));
        }
    }
    remarks
}
