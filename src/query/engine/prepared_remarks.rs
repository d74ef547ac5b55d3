//! What reviewers said of a block's samples. It is looked up among the few of which something was
//! said; no row is read for it.

use super::block::SampleBlock;
use super::facts::passes;
use super::per_response::PerResponse;
use super::plan::QueryPlan;
use crate::query::ast::{Expr, Feature, WordTest};
use crate::query::remarks::SampleRemark;
use crate::table::{ColumnSource, ReviewValue};

impl QueryPlan {
    /// Where a term holds that asks for nothing else; `None` for others.
    pub(super) fn said_of(
        &self,
        term: &Expr,
        block: &SampleBlock<'_>,
    ) -> Option<PerResponse<bool>> {
        let none = self.is_said(term, &SampleRemark::default())?;
        let mut holds = vec![none; block.len()];
        for (place, remark) in block.said() {
            holds[place] = self.is_said(term, remark)?;
        }
        Some(PerResponse::Same(holds))
    }

    fn is_said(&self, term: &Expr, remark: &SampleRemark) -> Option<bool> {
        Some(match term {
            Expr::Has(_, Feature::Note) => !remark.notes.is_empty(),
            Expr::Has(_, Feature::Tag) => remark.has(ReviewValue::Tags),
            Expr::Word { of, test } if matches!(of.column.source, ColumnSource::Review(_)) => {
                tags_pass(remark, test)
            }
            Expr::Check(asked) => remark.is_checked(*asked),
            Expr::Is(flag) => match flag.source {
                ColumnSource::Review(value) => remark.has(value),
                _ => return None,
            },
            Expr::Note(pattern) => {
                // Without one, it does not compile, which the parser has told.
                let mut notes = self.notes.iter();
                let finder = notes.find(|(known, _)| known == pattern);
                finder.is_some_and(|(_, finder)| remark.notes.iter().any(|note| finder.is_in(note)))
            }
            _ => return None,
        })
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
