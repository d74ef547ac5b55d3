//! Counts columns in texts on demand: all texts are read, in one pass for all requested columns.

use std::ops::{ControlFlow, Range};

use super::text_columns::TextCounts;
use super::text_pass::TextPass;
use super::{Chunk, Dataset};
use crate::parallel::KeepGoing;
use crate::table::{ColumnData, ColumnId};

impl Dataset {
    /// True if the values of a column are known for all samples: its texts were counted, its
    /// samples were compared, or it needs neither.
    pub fn knows(&self, column: ColumnId) -> bool {
        let comparison = column.source.comparison();
        comparison.is_none_or(|comparison| self.has_compared(comparison))
            && (!column.source.reads_texts() || self.has_counted_texts(&[column]))
    }

    /// True if these columns, of those counted in texts, are known for all samples.
    pub fn has_counted_texts(&self, columns: &[ColumnId]) -> bool {
        // All rows of a chunk can belong to a sample that a later chunk completes.
        let mut chunks = self.chunks.iter().filter(|chunk| chunk.samples() > 0);
        let is_known = |chunk: &Chunk, column: &ColumnId| chunk.columns.get(*column).is_some();
        chunks.all(|chunk| columns.iter().all(|column| is_known(chunk, column)))
    }

    /// Counts these columns in the texts of the chunks that contain a range of samples, on all
    /// cores, unless they are known. Cancellation is checked for every sample; columns of whole
    /// chunks counted by then are kept.
    pub fn count_texts(
        &self,
        columns: &[ColumnId],
        samples: Range<usize>,
        keep_going: &dyn KeepGoing,
    ) -> ControlFlow<()> {
        let mut pass = TextPass::new(self, columns.to_vec(), &[], samples);
        while pass.next_samples().is_some() {
            pass.read(None, keep_going)?;
        }
        ControlFlow::Continue(())
    }

    /// Reads the values of a column for samples of one chunk without storing them.
    pub fn counted_now(
        &self,
        column: ColumnId,
        samples: Range<usize>,
        keep_going: &dyn KeepGoing,
    ) -> Option<ColumnData> {
        let chunk = self
            .chunk_place(samples.start)
            .and_then(|place| self.chunks.get(place));
        let pass = TextPass::new(self, vec![column], &[], samples);
        let counts = pass.count(chunk?, keep_going);
        let mut lists = TextCounts::packed(vec![counts]);
        lists.next().map(|(_, values)| values)
    }
}
