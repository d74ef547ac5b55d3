//! Numbers of a block, and how they compare.

use super::block::SampleBlock;
use super::per_response::PerResponse;
use crate::dataset::SampleKind;
use crate::query::ast::{Aggregate, Arithmetic, Comparison, Field, Number, NumberName};
use crate::table::{ColumnSource, Values};

/// The response that `any.` and `both.` are tried with, by its place.
type TriedResponse = Option<usize>;

impl SampleBlock<'_> {
    /// Whether a test on numbers holds. `any.` and `both.` are tried with each response; the rest
    /// of the test speaks of the one that the query does.
    pub(super) fn quantified(
        &self,
        numbers: &[&Number],
        test: impl Fn(TriedResponse) -> PerResponse<bool>,
    ) -> PerResponse<bool> {
        let has = |view| numbers.iter().any(|number| number.has_view(view));
        let (any, both) = (has(Aggregate::Any), has(Aggregate::Both));
        if !any && !both {
            return test(None);
        }
        let pairs = PerResponse::Same(
            self.shapes()
                .iter()
                .map(|&shape| shape == SampleKind::Pair)
                .collect(),
        );
        let of_b = test(Some(1)).zip(&pairs, |holds, pair| holds & pair);
        test(Some(0)).zip(&of_b, |a, b| if both { a & b } else { a | b })
    }

    /// Whether two numbers compare so; never where one is missing.
    pub(super) fn compare(
        &self,
        left: &Number,
        comparison: Comparison,
        right: &Number,
    ) -> PerResponse<bool> {
        match (left, right) {
            (Number::Field(field), Number::Literal(literal)) => {
                let literal = *literal;
                self.test(field, |value| comparison.holds(value, literal))
            }
            _ => self.quantified(&[left, right], |tried| {
                let (left, right) = (self.number(left, tried), self.number(right, tried));
                left.zip(&right, |left, right| comparison.holds(left, right))
            }),
        }
    }

    /// Whether a test holds of a field; never where it is missing. Values in bytes are looked up in
    /// a table of the few that there are.
    fn test(&self, field: &Field, test: impl Fn(f64) -> bool) -> PerResponse<bool> {
        let bytes = self.stored(&field.name).and_then(|[a, b]| match (a, b) {
            (
                Values::Bytes { low, codes: a },
                Values::Bytes {
                    low: same,
                    codes: b,
                },
            ) if low == same => Some((*low, [self.part(a), self.part(b)])),
            _ => None,
        });
        let Some((low, codes)) = bytes else {
            let number = Number::Field(field.clone());
            return self.quantified(&[&number], |tried| self.number(&number, tried).map(&test));
        };
        let mut table = [false; 256];
        for (code, holds) in table.iter_mut().enumerate().take(usize::from(Values::NONE)) {
            *holds = test(low + code as f64);
        }
        let lane = |side: usize| -> Vec<bool> {
            codes[side]
                .iter()
                .map(|&code| table[usize::from(code)])
                .collect()
        };
        let both = |with: fn(bool, bool) -> bool| {
            PerResponse::Same(
                lane(0)
                    .into_iter()
                    .zip(lane(1))
                    .map(|(a, b)| with(a, b))
                    .collect(),
            )
        };
        match field.view {
            Aggregate::One => PerResponse::Each([lane(0), lane(1)]),
            Aggregate::A => PerResponse::Same(lane(0)),
            Aggregate::B => PerResponse::Same(lane(1)),
            Aggregate::Any => both(|a, b| a | b),
            // A single has no value in B, which no test passes.
            Aggregate::Both => both(|a, b| a & b),
            Aggregate::Min
            | Aggregate::Max
            | Aggregate::Mean
            | Aggregate::Gap
            | Aggregate::Margin
            | Aggregate::Winner
            | Aggregate::Loser => self.field(field, None).map(test),
        }
    }

    /// Whether a number lies between two others, ends included.
    pub(super) fn within(
        &self,
        of: &Number,
        low: Option<f64>,
        high: Option<f64>,
    ) -> PerResponse<bool> {
        let test = |value: f64| {
            low.is_none_or(|low| value >= low)
                & high.is_none_or(|high| value <= high)
                & !value.is_nan()
        };
        self.numbers_that(of, test)
    }

    /// Whether a number is one of these.
    pub(super) fn among(&self, of: &Number, values: &[f64]) -> PerResponse<bool> {
        self.numbers_that(of, |value| values.contains(&value))
    }

    /// Whether a number is missing, or is there.
    pub(super) fn missing(&self, of: &Number, missing: bool) -> PerResponse<bool> {
        self.quantified(&[of], |tried| {
            self.number(of, tried)
                .map(|value| value.is_nan() == missing)
        })
    }

    fn numbers_that(&self, of: &Number, test: impl Fn(f64) -> bool) -> PerResponse<bool> {
        match of {
            Number::Field(field) => self.test(field, test),
            _ => self.quantified(&[of], |tried| self.number(of, tried).map(&test)),
        }
    }

    /// A number; NaN where it is missing.
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
        let Some(values) = self.of_responses(&field.name) else {
            return PerResponse::Same(self.of_samples(&field.name));
        };
        let both = |with: fn(f64, f64) -> f64| {
            PerResponse::Same(
                values[0]
                    .iter()
                    .zip(&values[1])
                    .map(|(&a, &b)| with(a, b))
                    .collect(),
            )
        };
        match (field.view, tried) {
            (Aggregate::A, _) | (Aggregate::Any | Aggregate::Both, Some(0)) => {
                PerResponse::Same(into(values, 0))
            }
            (Aggregate::B, _) | (Aggregate::Any | Aggregate::Both, Some(_)) => {
                PerResponse::Same(into(values, 1))
            }
            (Aggregate::One | Aggregate::Any | Aggregate::Both, _) => PerResponse::Each(values),
            // The least and the greatest of numbers leave NaN out.
            (Aggregate::Min, _) => both(f64::min),
            (Aggregate::Max, _) => both(f64::max),
            (Aggregate::Mean, _) => both(|a, b| match (a.is_nan(), b.is_nan()) {
                (false, true) => a,
                (true, false) => b,
                _ => (a + b) / 2.0,
            }),
            (Aggregate::Gap, _) => both(|a, b| (a - b).abs()),
            (Aggregate::Margin, _) => both(|a, b| a - b),
            (view @ (Aggregate::Winner | Aggregate::Loser), _) => {
                let pick = |(sample, winner): (usize, Option<usize>)| match winner {
                    Some(side) if view == Aggregate::Winner => values[side][sample],
                    Some(side) => values[1 - side][sample],
                    None => f64::NAN,
                };
                PerResponse::Same(self.winners().into_iter().enumerate().map(pick).collect())
            }
        }
    }

    /// A field of the responses; `None` for fields of samples.
    fn of_responses(&self, name: &NumberName) -> Option<[Vec<f64>; 2]> {
        if let NumberName::BuiltIn(column) = name {
            match column.def().source {
                ColumnSource::Row => return Some(self.places(|place| place.row)),
                ColumnSource::Line => return Some(self.places(|place| place.line)),
                _ if !name.is_of_responses() => return None,
                _ => {}
            }
        }
        Some(match self.stored(name) {
            Some([a, b]) => [self.numbers(a), self.numbers(b)],
            None => [self.missing_everywhere(), self.missing_everywhere()],
        })
    }

    /// Where the rows of the samples stand; a sample on one row stands there with both responses.
    fn places(&self, of: impl Fn(&crate::dataset::RowPlace) -> u64) -> [Vec<f64>; 2] {
        let rows = self.part(self.chunk.sample_rows());
        let place = |row: u32| {
            self.dataset
                .place(row)
                .map_or(f64::NAN, |place| of(&place) as f64)
        };
        let a: Vec<_> = rows.iter().map(|rows| place(rows.first)).collect();
        let second = |(sample, rows): (usize, &crate::dataset::SampleRows)| match rows.second() {
            Some(row) => place(row),
            None if self.shapes()[sample] == SampleKind::Pair => a[sample],
            None => f64::NAN,
        };
        let b = rows.iter().enumerate().map(second).collect();
        [a, b]
    }

    fn of_samples(&self, name: &NumberName) -> Vec<f64> {
        let NumberName::BuiltIn(column) = name else {
            return self.missing_everywhere();
        };
        match column.def().source {
            ColumnSource::Sample => self.samples().map(|sample| (sample + 1) as f64).collect(),
            ColumnSource::Margin => self.margins(),
            _ => self.prompts(*column),
        }
    }
}

fn into(values: [Vec<f64>; 2], side: usize) -> Vec<f64> {
    let [a, b] = values;
    if side == 0 { a } else { b }
}
