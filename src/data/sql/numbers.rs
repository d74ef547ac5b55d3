//! Numbers: fields, aggregates and arithmetic.

use super::columns::{Translation, identifier};
use super::dialect::SqlDialect;
use super::layout;
use super::refusal::SqlRefusal;
use crate::query::{Aggregate, Arithmetic, ColumnId, Field, Number};
use crate::schema::{Label, LabelKind, RatingSource};
use crate::table::ColumnSource;

/// The response (0 is A) of terms without a side, and the one that `any.` and `both.` currently
/// try.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResponseBinding {
    pub(super) response: usize,
    pub(super) tried: usize,
}

/// The letters of the responses.
pub(super) const LETTERS: [&str; 2] = ["a", "b"];

impl Translation<'_> {
    /// Translates a number to an expression over a sample; null if it is missing.
    pub(super) fn number(
        &mut self,
        number: &Number,
        with_roles: ResponseBinding,
    ) -> Result<String, SqlRefusal> {
        Ok(match number {
            Number::Literal(literal) => self::literal(*literal),
            Number::Field(field) => self.field(field, with_roles)?,
            Number::Negative(of) => format!("-({})", self.operand(of, with_roles)?),
            Number::Absolute(of) => format!("abs({})", self.operand(of, with_roles)?),
            Number::Binary(arithmetic, left, right) => {
                let (left, right) = (
                    self.operand(left, with_roles)?,
                    self.operand(right, with_roles)?,
                );
                match arithmetic {
                    Arithmetic::Plus => format!("({left} + {right})"),
                    Arithmetic::Minus => format!("({left} - {right})"),
                    Arithmetic::Times => format!("({left} * {right})"),
                    // Division by zero yields a missing value.
                    Arithmetic::Over => format!("({left} / nullif({right}, 0))"),
                }
            }
        })
    }

    /// Translates an operand: literals become doubles, because engines compute with small whole
    /// ones in 32 bits.
    fn operand(
        &mut self,
        number: &Number,
        with_roles: ResponseBinding,
    ) -> Result<String, SqlRefusal> {
        match number {
            Number::Literal(literal) => Ok(format!("{literal:e}")),
            other => self.number(other, with_roles),
        }
    }

    fn field(&mut self, field: &Field, with_roles: ResponseBinding) -> Result<String, SqlRefusal> {
        let spelled = field.spelled(self.catalog).to_string();
        // Their columns are not part of the file.
        if field.column.is_of_reviewers() || field.column.source.is_joined() {
            return Err(SqlRefusal::new(spelled, unsupported_reason(field.column)));
        }
        let name = match field.column.source {
            ColumnSource::Label => self.label(field.column.name)?,
            ColumnSource::Field(_) => self.add_found_field(field.column, &spelled)?,
            _ => self.built_in(field.column, &spelled)?,
        };
        self.of_view(&name, field, with_roles)
    }

    /// Applies a field's aggregate to a column.
    pub(super) fn of_view(
        &mut self,
        name: &str,
        field: &Field,
        with_roles: ResponseBinding,
    ) -> Result<String, SqlRefusal> {
        if !field.column.is_of_responses() {
            return Ok(name.to_owned());
        }
        if self.layout.most == 1 {
            // There is no response B.
            return Ok(match field.view {
                Aggregate::Same | Aggregate::Any | Aggregate::All if with_roles.tried > 0 => {
                    "null".into()
                }
                Aggregate::At(id) if id.index() > 0 => "null".into(),
                Aggregate::Gap | Aggregate::Margin | Aggregate::Winner | Aggregate::Loser => {
                    "cast(null as double)".into()
                }
                _ => format!("a_{name}"),
            });
        }
        let of = |place: usize| match LETTERS.get(place) {
            Some(letter) => format!("{letter}_{name}"),
            None => "cast(null as double)".to_owned(),
        };
        let (a, b) = (of(0), of(1));
        Ok(match field.view {
            Aggregate::Same => of(with_roles.response),
            Aggregate::At(id) => of(id.index()),
            Aggregate::Any | Aggregate::All => of(with_roles.tried),
            // Both ignore nulls.
            Aggregate::Min => format!("least({a}, {b})"),
            Aggregate::Max => format!("greatest({a}, {b})"),
            Aggregate::Mean => {
                format!(
                    "case when {a} is null then {b} when {b} is null then {a} else ({a} + {b}) / 2 end"
                )
            }
            Aggregate::Gap => format!("abs({a} - {b})"),
            Aggregate::Margin => format!("({a} - {b})"),
            Aggregate::Winner => {
                self.add_verdict()?;
                format!("case verdict when 'a' then {a} when 'b' then {b} end")
            }
            Aggregate::Loser => {
                self.add_verdict()?;
                format!("case verdict when 'a' then {b} when 'b' then {a} end")
            }
        })
    }

    /// Returns the column name of a label: the label's name, unless another column has it.
    fn label_column(&self, name: &str) -> String {
        let (column, labels) = (identifier(name), &self.definition.labels);
        let is_alike = |label: &&Label| identifier(&label.name) == column;
        let is_alone = labels.iter().filter(is_alike).count() == 1;
        let own = [
            "row",
            "line",
            "text",
            "len",
            "lines",
            "quotes",
            "wins",
            "votes_for",
        ];
        let is_taken =
            own.contains(&column.as_str()) || column.contains("_has_") || column.ends_with("_said");
        let place = labels.iter().position(|label| label.name == name);
        match place.filter(|_| !is_alone || is_taken) {
            Some(place) => format!("label_{place}_{column}"),
            _ => column,
        }
    }

    /// Returns the name of a label's column, without the letter of the response.
    pub(super) fn label(&mut self, name: &str) -> Result<String, SqlRefusal> {
        let definition = self.definition;
        let Some(label) = definition.labels.iter().find(|label| label.name == name) else {
            return Err(SqlRefusal::new(name, "the schema has no such label"));
        };
        let column = self.label_column(name);
        if label.reduce.is_some() {
            let reason = "its values are lists, one value per annotator";
            return Err(SqlRefusal::new(name, reason));
        }
        if !label.unit.is_empty() {
            return Err(SqlRefusal::new(name, "its numbers have a unit"));
        }
        for (place, letter) in LETTERS.iter().enumerate().take(definition.responses.len()) {
            if let Some(RatingSource::Path(path)) = layout::rating(definition, place, name) {
                let value = self.value(path)?;
                // Booleans count as 1 and 0 only without a scale.
                let is_scale = label.range.is_some_and(|range| range != [0.0, 1.0]);
                let number = self.dialect.number(&value, !is_scale);
                self.add_field(&format!("{letter}_{column}_said"), number);
            }
        }
        let [low, high] = label.range.unwrap_or([f64::MIN, f64::MAX]);
        let is_whole = label.kind == LabelKind::Label && !label.lenient;
        self.of_response(&column, |_, place| {
            let said = match layout::rating(definition, place, name) {
                Some(RatingSource::Constant(value)) => return Ok(format!("{value:e}")),
                None => return Ok("cast(null as double)".to_owned()),
                Some(RatingSource::Path(_)) => {
                    format!("{}_{column}_said", LETTERS.get(place).unwrap_or(&"a"))
                }
            };
            let range = match label.range {
                Some(_) => format!("{said} between {} and {}", literal(low), literal(high)),
                // Finite only: a number that overflows is missing.
                None => format!("{said} between {low:e} and {high:e}"),
            };
            let whole = if is_whole {
                format!(" and {said} = floor({said})")
            } else {
                String::new()
            };
            Ok(format!("(case when {range}{whole} then {said} end)"))
        })
    }

    fn built_in(&mut self, column: ColumnId, spelled: &str) -> Result<String, SqlRefusal> {
        let dialect = self.dialect;
        Ok(match column.name {
            "len.response" => self.of_response("len", |this, place| {
                let text = this.response_text(place)?;
                Ok(format!("cast(length({text}) as double)"))
            })?,
            "lines.response" => self.of_response("lines", |this, place| {
                let text = this.response_text(place)?;
                let breaks = dialect.without_matches(&text, r"[^\n]");
                Ok(format!(
                    "cast(length({breaks}) + case when {text} = '' or right({text}, 1) = chr(10) then 0 else 1 end as double)"
                ))
            })?,
            "quotes" => self.quote_count()?,
            "len.prompt" => {
                let turns = self.turns()?;
                self.of_sample("len_prompt", |this| {
                    let characters = match this.definition.turns {
                        Some(_) => dialect.characters(&turns),
                        None => format!("length({turns})"),
                    };
                    Ok(format!("cast({characters} as double)"))
                })?
            }
            "turns" => self.turn_count()?,
            "row" => self.place("row"),
            "line" if dialect == SqlDialect::Spark => self.place("line"),
            "line" => {
                let reason = "DuckDB skips blank lines and counts rows; use row";
                return Err(SqlRefusal::new(spelled, reason));
            }
            "sample" => {
                self.add_sample();
                "sample".to_owned()
            }
            "margin" => {
                self.add_verdict()?;
                "margin".to_owned()
            }
            "votes" | "votes.for" | "votes.excluded" => {
                self.votes(spelled)?;
                column.name.replace('.', "_")
            }
            _ => return Err(SqlRefusal::new(spelled, unsupported_reason(column))),
        })
    }

    /// Returns the column of each response's row number; the responses of one row share it.
    fn place(&mut self, of: &str) -> String {
        if !self.layout.is_joined {
            self.add_derived(
                &format!("b_{of}"),
                format!("case when responses = 2 then a_{of} end"),
            );
        }
        of.to_owned()
    }

    /// Adds the column `sample`: the sample's number, from 1.
    pub(super) fn add_sample(&mut self) {
        self.add_derived(
            "sample",
            "cast(row_number() over (order by file_index, a_row) as bigint)",
        );
    }
}

pub(super) const NEEDS_JOURNAL: &str =
    "reviews are in the journal, which the statement does not read";

/// Returns why a column has no SQL equivalent.
pub(super) fn unsupported_reason(column: ColumnId) -> &'static str {
    match &column.source {
        _ if column.is_of_reviewers() => NEEDS_JOURNAL,
        ColumnSource::Findings(_) => "rules use counts in texts that only visavis has",
        ColumnSource::Compared(_) => {
            "it compares each prompt with all others, in ways that SQL lacks"
        }
        ColumnSource::Contradictions | ColumnSource::RaterVerdictCount | ColumnSource::Rater => {
            "it compares raters, which the statement does not read"
        }
        source if source.is_joined() => {
            "it is in a file opened with --with, which the statement does not read"
        }
        source if source.reads_texts() => {
            "counting it needs Markdown and language rules that SQL lacks"
        }
        _ => "SQL has no equivalent of it",
    }
}

/// Formats a literal for comparisons, for example 3 or 5e-1, so that no engine reads a decimal.
pub(super) fn literal(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e6 {
        // The cast is exact: the value is whole and below a million.
        format!("{}", value as i64)
    } else {
        format!("{value:e}")
    }
}
