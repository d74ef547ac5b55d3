//! Numbers of a block, and comparisons of them.

use super::block::SampleBlock;
use super::per_response::PerResponse;
use crate::model::{ResponseId, Verdict};
use crate::query::ast::{Aggregate, Arithmetic, ColumnId, Comparison, Field, Number, NumberTest};
use crate::table::{ColumnData, ColumnSource, FindingNumber, Level, SampleComparison, SampleLists};

/// The response substituted for `any.` and `all.`.
type TriedResponse = Option<ResponseId>;

impl SampleBlock<'_> {
    /// Evaluates a test with `any.` or `all.` by substituting each response; the rest of the test
    /// refers to the query's response.
    pub(super) fn quantified(
        &self,
        numbers: &[&Number],
        test: impl Fn(TriedResponse) -> PerResponse<bool>,
    ) -> PerResponse<bool> {
        let has = |view| numbers.iter().any(|number| number.has_view(view));
        let (any, all) = (has(Aggregate::Any), has(Aggregate::All));
        if !any && !all {
            return test(None);
        }
        // The first response is tried even if a sample has none or one.
        let is_there = |response: ResponseId| PerResponse::Same(self.has(response.index()));
        let others = ResponseId::first(self.lanes()).skip(1);
        let holds = others.fold(test(Some(ResponseId::A)), |holds, response| {
            let tried = test(Some(response));
            if all {
                // Missing responses pass.
                let passed = tried.zip(&is_there(response), |holds, there| holds | !there);
                holds.zip(&passed, |holds, also| holds & also)
            } else {
                let tried = tried.zip(&is_there(response), |holds, there| holds & there);
                holds.zip(&tried, |holds, also| holds | also)
            }
        });
        if all {
            holds.zip(&is_there(ResponseId::B), |holds, several| holds & several)
        } else {
            holds
        }
    }

    /// Compares two numbers; false if one is missing.
    pub(super) fn compare(
        &self,
        left: &Number,
        comparison: Comparison,
        right: &Number,
    ) -> PerResponse<bool> {
        self.quantified(&[left, right], |tried| {
            let (left, right) = (self.number(left, tried), self.number(right, tried));
            left.zip(&right, |left, right| comparison.holds(left, right))
        })
    }

    /// True where a number passes a test.
    pub(super) fn passes(&self, of: &Number, test: &NumberTest) -> PerResponse<bool> {
        self.quantified(&[of], |tried| {
            self.number(of, tried).map(|value| test.holds(value))
        })
    }

    /// Evaluates a number; NaN if missing.
    pub(super) fn number(&self, number: &Number, tried: TriedResponse) -> PerResponse<f64> {
        match number {
            Number::Literal(value) => PerResponse::Same(vec![*value; self.len()]),
            Number::Field(field) => self.field(field, tried),
            Number::Negative(of) => self.number(of, tried).map(|value| -value),
            Number::Absolute(of) => self.number(of, tried).map(f64::abs),
            Number::Binary(arithmetic, left, right) => {
                let (left, right) = (self.number(left, tried), self.number(right, tried));
                left.zip(
                    &right,
                    match arithmetic {
                        Arithmetic::Plus => |left, right| left + right,
                        Arithmetic::Minus => |left, right| left - right,
                        Arithmetic::Times => |left, right| left * right,
                        Arithmetic::Over => |left: f64, right: f64| {
                            if right == 0.0 { f64::NAN } else { left / right }
                        },
                    },
                )
            }
        }
    }

    fn field(&self, field: &Field, tried: TriedResponse) -> PerResponse<f64> {
        let values = self.values(field.column);
        let PerResponse::Each(lanes) = &values else {
            return values;
        };
        let view = match (field.view, tried) {
            (Aggregate::Any | Aggregate::All, Some(tried)) => Aggregate::At(tried),
            (view, _) => view,
        };
        PerResponse::Same(match view {
            // `f64::min` and `f64::max` ignore NaN.
            Aggregate::Min => values.joined(f64::min),
            Aggregate::Max => values.joined(f64::max),
            Aggregate::Mean => self.of_each(lanes, mean),
            Aggregate::Gap => self.of_each(lanes, gap),
            Aggregate::Margin => self.of_each(lanes, |values| {
                Verdict::of_values(values).map_or(f64::NAN, |(_, margin)| margin)
            }),
            view => match self.of_picked(view, lanes, f64::NAN) {
                Some(picked) => picked,
                None => return values,
            },
        })
    }

    /// Returns the numbers of any column, NaN if missing.
    pub(super) fn values(&self, id: ColumnId) -> PerResponse<f64> {
        PerResponse::Same(match &id.source {
            ColumnSource::Row => return PerResponse::Each(self.places(|place| place.row)),
            ColumnSource::Line => return PerResponse::Each(self.places(|place| place.line)),
            ColumnSource::VotesFor => {
                let lanes = 0..self.lanes();
                return PerResponse::Each(lanes.map(|response| self.votes_for(response)).collect());
            }
            ColumnSource::Rated(raters) => return PerResponse::Each(self.rated(raters, id.name)),
            ColumnSource::Disagreement(with) => self.disagreements(with),
            ColumnSource::Sample => self.samples().map(|sample| (sample + 1) as f64).collect(),
            ColumnSource::Margin => self.margins(),
            ColumnSource::Contradictions => self.contradictions(),
            ColumnSource::RaterVerdictCount => self.verdicts_of_raters(),
            ColumnSource::Rater => self.rater_margins(id),
            ColumnSource::Votes => self.votes(),
            ColumnSource::Compared(SampleComparison::OverlapWith(scope)) => {
                self.dataset.overlaps_with(self.samples(), *scope)
            }
            ColumnSource::Findings(number) => self.findings(*number),
            _ => return self.kept_values(id),
        })
    }

    /// Returns the numbers of a stored column, or counts them in the texts if they are not known
    /// yet.
    fn kept_values(&self, id: ColumnId) -> PerResponse<f64> {
        let mut lanes: Vec<_> = match self.stored(id) {
            Some(lists) => lists.iter().map(|list| self.numbers(list)).collect(),
            None if id.source.reads_texts() => {
                let read = (self.dataset).counted_now(id, self.samples(), self.keep_going);
                read.as_ref()
                    .and_then(ColumnData::numbers)
                    .unwrap_or_default()
                    .iter()
                    .map(|list| list.numbers(0..self.len()))
                    .collect()
            }
            None => Vec::new(),
        };
        match id.level {
            Level::Sample => {
                PerResponse::Same(lanes.pop().unwrap_or_else(|| self.missing_everywhere()))
            }
            Level::Response => {
                lanes.resize_with(self.lanes(), || self.missing_everywhere());
                PerResponse::Each(lanes)
            }
        }
    }

    /// Returns the places of the samples' rows. If a sample is one row, all its responses have the
    /// same place.
    fn places(&self, of: impl Fn(&crate::dataset::RowPlace) -> u64) -> Vec<Vec<f64>> {
        let place = |row: u32| {
            self.dataset
                .place(row)
                .map_or(f64::NAN, |place| of(&place) as f64)
        };
        let lane = |response: usize| {
            let row = |(within, &count): (usize, &u16)| {
                let is_there = response < usize::from(count.max(1));
                let rows = self.chunk.sample_rows(within).filter(|_| is_there);
                rows.map_or(f64::NAN, |rows| place(rows.of_response(response)))
            };
            self.within.clone().zip(self.counts()).map(row).collect()
        };
        (0..self.lanes()).map(lane).collect()
    }
}

impl SampleBlock<'_> {
    /// Returns the number or weight of findings per sample; NaN before all rules are evaluated.
    fn findings(&self, number: FindingNumber) -> Vec<f64> {
        let (known, samples) = (self.dataset.findings(), self.samples());
        let mut values = self.missing_everywhere();
        let looked = known
            .complete()
            .saturating_sub(samples.start)
            .min(values.len());
        values[..looked].fill(0.0);
        for found in known.of(samples.start as u32..samples.end as u32) {
            if let Some(value) = values[..looked].get_mut(found.sample as usize - samples.start) {
                *value += match number {
                    FindingNumber::Count => f64::from(u8::from(found.weight > 0)),
                    FindingNumber::Suspicion => f64::from(found.weight),
                };
            }
        }
        values
    }
}

/// Returns the mean of the values except NaN.
pub(super) fn mean(values: &[f64]) -> f64 {
    let there = || values.iter().filter(|value| !value.is_nan());
    there().sum::<f64>() / there().count() as f64
}

/// Returns the greatest value minus the least; NaN for fewer than two.
pub(super) fn gap(values: &[f64]) -> f64 {
    let there = || values.iter().copied().filter(|value| !value.is_nan());
    let (least, greatest) = (
        there().fold(f64::INFINITY, f64::min),
        there().fold(f64::NEG_INFINITY, f64::max),
    );
    if there().count() < 2 {
        f64::NAN
    } else {
        greatest - least
    }
}
