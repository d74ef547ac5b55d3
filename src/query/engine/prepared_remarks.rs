//! What reviewers said about a block's samples. Looked up among the samples with remarks; no rows
//! are read.

use super::block::SampleBlock;
use super::facts::passes;
use super::per_response::PerResponse;
use super::plan::QueryPlan;
use crate::query::ast::{Expr, WordTest};
use crate::query::remarks::SampleRemark;
use crate::table::ColumnSource;

impl QueryPlan {
    /// Evaluates a term about remarks; `None` for other terms.
    pub(super) fn evaluate_remark(
        &self,
        term: &Expr,
        block: &SampleBlock<'_>,
    ) -> Option<PerResponse<bool>> {
        let none = self.remark_passes(term, &SampleRemark::default())?;
        let mut holds = vec![none; block.len()];
        for (place, remark) in block.remarked_samples() {
            holds[place] = self.remark_passes(term, remark)?;
        }
        Some(PerResponse::Same(holds))
    }

    fn remark_passes(&self, term: &Expr, remark: &SampleRemark) -> Option<bool> {
        Some(match term {
            Expr::Word { of, test } if matches!(of.column.source, ColumnSource::Review(_)) => {
                tags_pass(remark, test)
            }
            Expr::Check(asked) => remark.is_checked(*asked),
            Expr::Is(of) => match of.column.source {
                ColumnSource::Review(value) => remark.has(value),
                _ => return None,
            },
            Expr::Note(pattern) => {
                // A pattern without a finder does not compile; the parser has reported it.
                let mut notes = self.notes.iter();
                let finder = notes.find(|(known, _)| known == pattern);
                finder.is_some_and(|(_, finder)| remark.notes.iter().any(|note| finder.is_in(note)))
            }
            _ => return None,
        })
    }
}

fn tags_pass(remark: &SampleRemark, test: &WordTest) -> bool {
    let mut tags = remark.tags.iter();
    match test {
        WordTest::Missing(missing) => remark.tags.is_empty() == *missing,
        WordTest::Is(_) | WordTest::Contains(_) | WordTest::Compare(..) => {
            tags.any(|tag| passes(Some(tag), test))
        }
        // Without tags, `!=` does not hold.
        WordTest::IsNot(_) => !remark.tags.is_empty() && tags.all(|tag| passes(Some(tag), test)),
    }
}
