//! Counting in texts, once somebody asks: all texts must be read for it, in one pass for all columns
//! that are asked for.

use std::ops::{ControlFlow, Range};

use super::text_columns::TextCounts;
use super::text_pass::TextPass;
use super::{Chunk, Dataset};
use crate::parallel::KeepGoing;
use crate::table::{ColumnData, ColumnId};

impl Dataset {
    /// True if the values of a column are there for all samples: its texts were counted, its samples compared,
    /// or it needs neither.
    pub fn knows(&self, column: ColumnId) -> bool {
        let comparison = column.source.comparison();
        comparison.is_none_or(|comparison| self.has_compared(comparison))
            && (!column.source.reads_texts() || self.has_counted_texts(&[column]))
    }

    /// Whether these columns, of those that are counted in texts, are known of all samples.
    pub fn has_counted_texts(&self, columns: &[ColumnId]) -> bool {
        // The rows of a chunk can all belong to the sample before.
        let mut chunks = self.chunks.iter().filter(|chunk| chunk.samples() > 0);
        let is_known = |chunk: &Chunk, column: &ColumnId| chunk.columns.get(*column).is_some();
        chunks.all(|chunk| columns.iter().all(|column| is_known(chunk, column)))
    }

    /// Counts these columns in the texts of some samples (numbers from 0), and of all others in
    /// their chunks, where they are not known yet, on all cores. Breaks off once it is not `wanted`
    /// any more, which is asked for every sample; what was counted by then of whole chunks is kept.
    pub fn count_texts(
        &self,
        columns: &[ColumnId],
        samples: Range<usize>,
        wanted: &dyn KeepGoing,
    ) -> ControlFlow<()> {
        let mut pass = TextPass::new(self, columns.to_vec(), &[], samples);
        while pass.next_samples().is_some() {
            pass.read(None, wanted)?;
        }
        ControlFlow::Continue(())
    }

    /// The values of a column of some samples of one chunk, read now and not kept.
    pub fn counted_now(
        &self,
        column: ColumnId,
        samples: Range<usize>,
        wanted: &dyn KeepGoing,
    ) -> Option<ColumnData> {
        let chunk = self
            .chunk_place(samples.start)
            .and_then(|place| self.chunks.get(place));
        let pass = TextPass::new(self, vec![column], &[], samples);
        let counts = pass.count(chunk?, wanted);
        let mut lists = TextCounts::packed(vec![counts]);
        lists.next().map(|(_, values)| values)
    }
}
