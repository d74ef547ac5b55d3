//! Filters as conditions that are true or false, never null.

use super::columns::{ENGINE_SPELLING, Translation, identifier};
use super::numbers::{NEEDS_JOURNAL, ResponseBinding, literal, unsupported_reason};
use super::refusal::SqlRefusal;
use crate::query::{
    Aggregate, ColumnId, Comparison, Expr, Field, Number, NumberTest, SortBy, SortKey, WordTest,
    is_smart,
};
use crate::table::ColumnSource;

impl Translation<'_> {
    /// Translates a filter for one response of a sample.
    ///
    /// # Errors
    /// The first term that has no SQL equivalent.
    pub(super) fn holds(&mut self, expr: &Expr, response: usize) -> Result<String, SqlRefusal> {
        let spelled = expr.spelled(self.catalog).to_string();
        let refuse = |reason: &str| Err(SqlRefusal::new(&spelled, reason));
        match expr {
            Expr::And(terms) => self.join_terms(terms, response, " and "),
            Expr::Or(terms) => self.join_terms(terms, response, " or "),
            Expr::Not(negated) => Ok(format!("not ({})", self.holds(negated, response)?)),
            Expr::Compare {
                left,
                comparison,
                right,
            } => self.quantified(&[left, right], response, |this, with_roles| {
                let (left, right) = (
                    this.number(left, with_roles)?,
                    this.number(right, with_roles)?,
                );
                let sign = sign(*comparison);
                Ok(format!("coalesce({left} {sign} {right}, false)"))
            }),
            Expr::Number { of, test } => self.quantified(&[of], response, |this, with_roles| {
                let number = this.number(of, with_roles)?;
                let holds = match test {
                    NumberTest::Compare(comparison, value) => {
                        let is_of_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                        if is_of_equality && value.fract() != 0.0 {
                            this.remark("Values compare exactly; in visavis a value also equals the number it is shown as.");
                        }
                        format!("{number} {} {}", sign(*comparison), literal(*value))
                    }
                    NumberTest::Within(low, high) => {
                        let end = |(end, sign): (&Option<f64>, _)| {
                            Some(format!("{number} {sign} {}", literal((*end)?)))
                        };
                        let ends = [(low, ">="), (high, "<=")].into_iter().filter_map(end);
                        ends.collect::<Vec<_>>().join(" and ")
                    }
                    NumberTest::Among(values) => {
                        let values: Vec<_> = values.iter().map(|value| literal(*value)).collect();
                        format!("{number} in ({})", values.join(", "))
                    }
                    NumberTest::Missing(missing) => {
                        let not = if *missing { "" } else { "not " };
                        return Ok(format!("({number} is {not}null)"));
                    }
                };
                Ok(format!("coalesce({holds}, false)"))
            }),
            Expr::Word { of, test } => {
                let column = self.word_column(of.column, &spelled)?;
                self.quantified(&[&Number::Field(*of)], response, |this, with_roles| {
                    this.word(&column, of, with_roles, test)
                })
            }
            Expr::Text(term) => self.text(expr, term.part, &term.pattern, response),
            Expr::Best(response) => {
                self.add_verdict()?;
                // In a tie both responses are best.
                let (word, place) = (response.word(), response.index());
                Ok(format!(
                    "coalesce(verdict in ('{word}', 'tie') and responses > {place}, false)"
                ))
            }
            Expr::Is(flag) => match flag.column.name {
                "is:tie" => {
                    self.add_verdict()?;
                    Ok("coalesce(verdict = 'tie', false)".to_owned())
                }
                // SQL covers samples of at most two responses.
                "is:several" => Ok("false".to_owned()),
                "is:single" => Ok("responses = 1".to_owned()),
                "is:malformed" => Ok("responses = 0".to_owned()),
                "is:multiturn" => {
                    let column = self.turn_count()?;
                    Ok(format!("coalesce({column} > 1, false)"))
                }
                "is:contested" => {
                    self.votes(&spelled)?;
                    Ok("coalesce(a_votes_for > 0 and b_votes_for > 0, false)".to_owned())
                }
                "is:flagged" => refuse(
                    "only visavis knows which rows were repaired or have values out of range",
                ),
                "is:duplicate" => refuse("it compares all texts of each sample with all others"),
                "has:code" => refuse("finding code blocks needs Markdown rules that SQL lacks"),
                "has:hidden" => refuse("SQL has no table of invisible characters"),
                name if name.starts_with("cite:") => {
                    refuse("finding citations needs rules that SQL lacks")
                }
                _ => refuse(unsupported_reason(flag.column)),
            },
            Expr::Note(_) | Expr::Check(_) => refuse(NEEDS_JOURNAL),
            Expr::Finding(_) => refuse("rules use counts in texts that only visavis has"),
        }
    }

    fn join_terms(
        &mut self,
        terms: &[Expr],
        response: usize,
        between: &str,
    ) -> Result<String, SqlRefusal> {
        let terms = terms.iter().map(|term| self.holds(term, response));
        let terms = terms.collect::<Result<Vec<_>, _>>()?;
        Ok(format!("({})", terms.join(between)))
    }

    /// Translates a test on numbers: `any.` and `both.` try each response, other terms use the
    /// bound one.
    fn quantified(
        &mut self,
        numbers: &[&Number],
        response: usize,
        mut test: impl FnMut(&mut Self, ResponseBinding) -> Result<String, SqlRefusal>,
    ) -> Result<String, SqlRefusal> {
        let has = |view: Aggregate| numbers.iter().any(|number| number.has_view(view));
        let (all, any) = (has(Aggregate::All), has(Aggregate::Any));
        let mut tried = |tried: usize| test(self, ResponseBinding { response, tried });
        let first = tried(0)?;
        if !all && !any {
            return Ok(first);
        }
        let second = tried(1)?;
        Ok(match all {
            true => format!("(responses = 2 and {first} and {second})"),
            // Malformed rows and single responses try only the first.
            false => format!("({first} or (responses = 2 and {second}))"),
        })
    }

    fn word(
        &mut self,
        column: &str,
        of: &Field,
        with_roles: ResponseBinding,
        test: &WordTest,
    ) -> Result<String, SqlRefusal> {
        if !matches!(of.column.source, ColumnSource::File) {
            let column = self.of_view(column, of, with_roles)?;
            return Ok(self.word_condition(&column, test));
        }
        let names = self
            .files
            .iter()
            .filter(|file| file.passes(test))
            .map(|file| file.name.as_str());
        Ok(match self.dialect.literals(names).as_str() {
            "" => "false".to_owned(),
            names => format!("file in ({names})"),
        })
    }

    /// Returns the name of a column of words, without the letter if each response has one.
    fn word_column(&mut self, of: ColumnId, spelled: &str) -> Result<String, SqlRefusal> {
        match of.source {
            ColumnSource::Verdict => {
                self.add_verdict()?;
                Ok("verdict".to_owned())
            }
            ColumnSource::File => Ok("file_name".to_owned()),
            ColumnSource::Fact => {
                let mut facts = self.definition.facts.iter().enumerate();
                let Some((place, fact)) = facts.find(|(_, fact)| fact.name == of.name) else {
                    return Err(SqlRefusal::new(spelled, "the schema has no such fact"));
                };
                if fact.path.is_of_each() {
                    return Err(SqlRefusal::new(
                        spelled,
                        "it is built from the elements of a list",
                    ));
                }
                let text = self.text_at(&fact.path)?;
                self.remark(ENGINE_SPELLING);
                self.of_sample(&format!("fact_{place}_{}", identifier(of.name)), |_| {
                    Ok(text)
                })
            }
            _ => self.add_found_field(of, spelled),
        }
    }

    fn word_condition(&self, column: &str, test: &WordTest) -> String {
        let is = |word: &String| {
            if is_smart(word) {
                format!(
                    "lower({column}) = {}",
                    self.dialect.literal(&word.to_lowercase())
                )
            } else {
                format!("{column} = {}", self.dialect.literal(word))
            }
        };
        match test {
            WordTest::Is(words) => {
                let words: Vec<_> = words.iter().map(is).collect();
                format!("coalesce({}, false)", words.join(" or "))
            }
            WordTest::IsNot(word) => format!("coalesce(not ({}), false)", is(word)),
            WordTest::Contains(word) => {
                let contains = if is_smart(word) {
                    (self.dialect).contains(&format!("lower({column})"), &word.to_lowercase())
                } else {
                    self.dialect.contains(column, word)
                };
                format!("coalesce({contains}, false)")
            }
            WordTest::Compare(comparison, word) => {
                let (length, word) = (word.chars().count(), self.dialect.literal(word));
                let sign = comparison.sign();
                format!("coalesce(substr({column}, 1, {length}) {sign} {word}, false)")
            }
            WordTest::Missing(true) => format!("({column} is null)"),
            WordTest::Missing(false) => format!("({column} is not null)"),
        }
    }

    /// Returns the `order by` term of a sort key. For values of each response it uses the greatest
    /// one found by the filter if descending, and the least one otherwise.
    pub(super) fn order(&mut self, key: &SortKey) -> Result<String, SqlRefusal> {
        let spelled = key.spelled(self.catalog).to_string();
        let direction = if key.descending { "desc" } else { "asc" };
        let by = match &key.by {
            SortBy::Random(_) => {
                let reason = "engines cannot repeat visavis's shuffle; --sample draws by a hash that they have";
                return Err(SqlRefusal::new(spelled, reason));
            }
            SortBy::Value(Number::Field(Field { column: of, .. })) if !of.kind.is_number() => {
                let column = self.word_column(*of, &spelled)?;
                if matches!(of.source, ColumnSource::File) {
                    self.add_derived("file_name", "regexp_replace(file, '^.*/', '')");
                }
                column
            }
            SortBy::Value(number) => {
                // The parser rejects `any.` and `both.` here.
                let mut of = |response| self.number(number, ResponseBinding { response, tried: 0 });
                let (a, b) = (of(0)?, of(1)?);
                match (a == b || self.layout.most == 1, key.descending) {
                    (true, _) => a,
                    (false, is_descending) => {
                        let of_two = if is_descending { "greatest" } else { "least" };
                        format!(
                            "{of_two}(case when a_holds then {a} end, case when b_holds then {b} end)"
                        )
                    }
                }
            }
        };
        Ok(format!("{by} {direction} nulls last"))
    }
}

const fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::NotEqual => "<>",
        other => other.sign(),
    }
}
