//! What reviewers said of a block's samples. It is looked up among the few of which something was
//! said; no row is read for it.

use super::block::SampleBlock;
use super::facts::passes;
use super::per_response::PerResponse;
use super::rows::finder;
use crate::query::ast::{Expr, Feature, Pattern, WordTest};
use crate::query::remarks::{ReviewIndex, SampleRemark};
use crate::table::{ColumnSource, ReviewValue};
use crate::text::Finder;

/// All that was said, with what is looked for in notes made ready.
pub(super) struct PreparedReviews<'k> {
    remarks: &'k ReviewIndex,
    notes: Vec<(Pattern, Finder)>,
}

impl<'k> PreparedReviews<'k> {
    pub(super) const fn new(remarks: &'k ReviewIndex) -> Self {
        Self {
            remarks,
            notes: Vec::new(),
        }
    }

    /// All that was said.
    pub(super) const fn remarks(&self) -> &'k ReviewIndex {
        self.remarks
    }

    /// Makes ready what is looked for in notes.
    pub(super) fn prepare(&mut self, pattern: &Pattern) {
        if !self.notes.iter().any(|(known, _)| known == pattern) {
            self.notes
                .extend(finder(pattern).map(|finder| (pattern.clone(), finder)));
        }
    }

    /// Where a term holds that asks for nothing else; only samples that are `active` are looked at.
    pub(super) fn that(
        &self,
        term: &Expr,
        block: &SampleBlock<'_>,
        active: &PerResponse<bool>,
    ) -> PerResponse<bool> {
        let samples = block.samples();
        let mut holds = vec![self.passes(term, &SampleRemark::default()); block.len()];
        for (sample, remark) in self.remarks.range(samples.start as u32..samples.end as u32) {
            let place = sample as usize - samples.start;
            let mut lanes = active.lanes().iter();
            holds[place] = lanes.any(|lane| lane[place]) && self.passes(term, remark);
        }
        PerResponse::Same(holds)
    }

    fn passes(&self, term: &Expr, remark: &SampleRemark) -> bool {
        match term {
            Expr::Has(_, Feature::Note) => !remark.notes.is_empty(),
            Expr::Has(_, Feature::Tag) => remark.has(ReviewValue::Tags),
            Expr::Word { test, .. } => tags_pass(remark, test),
            Expr::Check(asked) => remark.is_checked(*asked),
            Expr::Is(flag) => match flag.source {
                ColumnSource::Review(value) => remark.has(value),
                _ => false,
            },
            Expr::Note(pattern) => {
                // Without one, it does not compile, which the parser has told.
                let mut notes = self.notes.iter();
                let finder = notes.find(|(known, _)| known == pattern);
                finder.is_some_and(|(_, finder)| remark.notes.iter().any(|note| finder.is_in(note)))
            }
            _ => false,
        }
    }
}

/// Whether a sample's tags pass a test.
fn tags_pass(remark: &SampleRemark, test: &WordTest) -> bool {
    let mut tags = remark.tags.iter();
    match test {
        WordTest::Missing(missing) => remark.tags.is_empty() == *missing,
        WordTest::Is(_) | WordTest::Contains(_) | WordTest::Compare(..) => {
            tags.any(|tag| passes(Some(tag), test))
        }
        // Where there is no tag, there is nothing that could be another one.
        WordTest::IsNot(_) => !remark.tags.is_empty() && tags.all(|tag| passes(Some(tag), test)),
    }
}
