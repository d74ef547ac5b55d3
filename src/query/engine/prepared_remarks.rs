//! What reviewers said of a block's samples. It is looked up among the few of which something was
//! said; no row is read for it.

use super::block::SampleBlock;
use super::facts::passes;
use super::per_response::PerResponse;
use super::rows::finder;
use crate::query::ast::{Pattern, WordTest};
use crate::query::remarks::{Remarks, SampleRemark};
use crate::text::Finder;

/// All that was said, with what is looked for in notes made ready.
pub(super) struct PreparedRemarks<'k> {
    remarks: &'k Remarks,
    notes: Vec<(Pattern, Finder)>,
}

impl<'k> PreparedRemarks<'k> {
    pub(super) const fn new(remarks: &'k Remarks) -> Self {
        Self {
            remarks,
            notes: Vec::new(),
        }
    }

    /// All that was said.
    pub(super) const fn remarks(&self) -> &'k Remarks {
        self.remarks
    }

    /// Makes ready what is looked for in notes.
    pub(super) fn prepare(&mut self, pattern: &Pattern) {
        if !self.notes.iter().any(|(known, _)| known == pattern) {
            self.notes
                .extend(finder(pattern).map(|finder| (pattern.clone(), finder)));
        }
    }

    /// Where a test passes; only samples that are `active` are tested.
    pub(super) fn that(
        &self,
        block: &SampleBlock<'_>,
        active: &PerResponse<bool>,
        test: impl Fn(&SampleRemark) -> bool,
    ) -> PerResponse<bool> {
        let samples = block.samples();
        let mut holds = vec![test(&SampleRemark::default()); block.len()];
        for (sample, remark) in self.remarks.range(samples.start as u32..samples.end as u32) {
            let place = sample as usize - samples.start;
            let mut lanes = active.lanes().iter();
            holds[place] = lanes.any(|lane| lane[place]) && test(remark);
        }
        PerResponse::Same(holds)
    }

    /// Where a note has what is looked for.
    pub(super) fn note(
        &self,
        pattern: &Pattern,
        block: &SampleBlock<'_>,
        active: &PerResponse<bool>,
    ) -> PerResponse<bool> {
        // Without one, it does not compile, which the parser has told.
        let finder = self
            .notes
            .iter()
            .find(|(known, _)| known == pattern)
            .map(|(_, finder)| finder);
        self.that(block, active, |remark| {
            finder.is_some_and(|finder| remark.notes.iter().any(|note| finder.is_in(note)))
        })
    }
}

/// Whether a sample's tags pass a test.
pub(super) fn tags_pass(remark: &SampleRemark, test: &WordTest) -> bool {
    let mut tags = remark.tags.iter();
    match test {
        WordTest::Missing(missing) => remark.tags.is_empty() == *missing,
        WordTest::Is(_) | WordTest::Contains(_) => tags.any(|tag| passes(Some(tag), test)),
        // Where there is no tag, there is nothing that could be another one.
        WordTest::IsNot(_) => !remark.tags.is_empty() && tags.all(|tag| passes(Some(tag), test)),
    }
}
