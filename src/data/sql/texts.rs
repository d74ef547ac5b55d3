//! Terms on texts: lengths, turns, quotes, regular expressions.
//!
//! They are evaluated per row, so that window functions carry only the prompt that joins rows.

use super::columns::Translation;
use super::dialect::SqlDialect;
use super::refusal::SqlRefusal;
use crate::query::{Aggregate, Expr, Pattern, TextTarget};

/// The part of a record that a regular expression searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchedPart {
    Prompt,
    Response,
    Extracts,
    Titles,
}

impl SearchedPart {
    const fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Response => "response",
            Self::Extracts => "quote",
            Self::Titles => "title",
        }
    }
}

impl Translation<'_> {
    /// Returns a response's text.
    pub(super) fn response_text(&mut self, place: usize) -> Result<String, SqlRefusal> {
        let path = self.response_path(place)?;
        self.text_at(&path)
    }

    /// Adds the column of the prompt's turns, a list of texts (its whole text without known
    /// markers), and returns its name.
    pub(super) fn turns(&mut self) -> Result<String, SqlRefusal> {
        let path = self.prompt_path()?;
        let text = self.text_at(&path)?;
        let (cut, turns) = ("prompt_cut", "prompt_turns");
        match &self.definition.turns {
            None => self.add_field(turns, format!("case when is_read then {text} end")),
            Some(marks) => {
                let lines = self.dialect.marker_lines([&marks.user, &marks.assistant]);
                let split = self.dialect.split(&text, &lines);
                self.add_field(cut, format!("case when is_read then {split} end"));
                // A marker at the very start has no turn before it.
                self.add_field(turns, self.dialect.without_empty_first(cut));
            }
        }
        Ok(turns.to_owned())
    }

    /// Returns the column with the number of turns of the prompt.
    pub(super) fn turn_count(&mut self) -> Result<String, SqlRefusal> {
        let turns = self.turns()?;
        self.of_sample("turns", |this| {
            Ok(match this.definition.turns {
                Some(_) => format!("cast({} as double)", this.dialect.size(&turns)),
                None => "1e0".to_owned(),
            })
        })
    }

    /// Returns the column with the number of quotes of each response.
    pub(super) fn quote_count(&mut self) -> Result<String, SqlRefusal> {
        self.of_response("quotes", |this, place| {
            let path = this.quotes_path(place);
            Ok(match path {
                Some(path) => {
                    let value = this.value(&path)?;
                    format!("cast({} as double)", this.dialect.quotes(&value))
                }
                None => "0e0".to_owned(),
            })
        })
    }

    fn quotes_path(&self, place: usize) -> Option<crate::schema::Path> {
        self.definition.responses.get(place)?.quotes.clone()
    }

    fn has_quotes(&self) -> bool {
        self.definition
            .responses
            .iter()
            .any(|response| response.quotes.is_some())
    }

    /// Translates a text search for the bound response.
    pub(super) fn text(
        &mut self,
        term: &Expr,
        part: TextTarget,
        pattern: &Pattern,
        response: usize,
    ) -> Result<String, SqlRefusal> {
        let spelled = term.spelled(self.catalog).to_string();
        let Pattern::Regex(source) = pattern else {
            let reason = "a phrase ignores case and accents, which SQL cannot; use a regex: /…/";
            return Err(SqlRefusal::new(spelled, reason));
        };
        let refuse = |reason: String| SqlRefusal::new(&spelled, reason);
        let regex = self.dialect.regex(source).map_err(refuse)?;
        if regex.matches_empty && matches!(part, TextTarget::Quote(_) | TextTarget::Title(_)) {
            let reason = "it matches the empty text, which SQL cannot search for in quotes";
            return Err(SqlRefusal::new(spelled, reason));
        }
        Ok(match part {
            TextTarget::Prompt => {
                let prompt = self.search(SearchedPart::Prompt, &regex.pattern)?;
                format!("coalesce({prompt}, false)")
            }
            TextTarget::Response(view) | TextTarget::Quote(view) | TextTarget::Title(view) => {
                let part = match part {
                    TextTarget::Quote(_) => SearchedPart::Extracts,
                    TextTarget::Title(_) => SearchedPart::Titles,
                    _ => SearchedPart::Response,
                };
                let name = self.search(part, &regex.pattern)?;
                self.aggregated(&name, view, response)?
            }
            TextTarget::Anywhere if !self.definition.texts.is_empty() => {
                let reason = "it searches rationales, which are in many places of a record; name a part: response:/…/";
                return Err(SqlRefusal::new(spelled, reason));
            }
            TextTarget::Anywhere => {
                self.remark("Ids of rows are not searched.");
                let prompt = self.search(SearchedPart::Prompt, &regex.pattern)?;
                let mut places = vec![format!("coalesce({prompt}, false)")];
                let mut parts = vec![SearchedPart::Response];
                if self.has_quotes() {
                    if regex.matches_empty {
                        let reason = "it matches the empty text, and so every sample";
                        return Err(SqlRefusal::new(spelled, reason));
                    }
                    parts.extend([SearchedPart::Extracts, SearchedPart::Titles]);
                }
                for part in parts {
                    let name = self.search(part, &regex.pattern)?;
                    places.push(self.aggregated(&name, Aggregate::Any, response)?);
                }
                places.push(self.raw_line(&prompt, &regex.pattern));
                format!("({})", places.join(" or "))
            }
            TextTarget::Rationale => {
                let reason = "texts about a sample are in many places of its record";
                return Err(SqlRefusal::new(spelled, reason));
            }
        })
    }

    /// Tests if the line of a malformed row matches a regular expression.
    fn raw_line(&mut self, prompt: &str, pattern: &str) -> String {
        let line = match self.dialect {
            SqlDialect::DuckDb => {
                self.remark("Malformed lines that are not JSON are not searched: DuckDB reads them as null.");
                "cast(json as varchar)"
            }
            SqlDialect::Spark => "line",
        };
        let matches = self.dialect.matches(line, pattern);
        let column = prompt.replacen("prompt", "line", 1);
        let expression = format!("case when not is_read then {matches} end");
        let column = self.of_any_row(&column, expression);
        format!("coalesce({column}, false)")
    }

    /// Returns the column that is true if a part of a record matches a regular expression: of the
    /// sample or, without its letter, of each response.
    fn search(&mut self, part: SearchedPart, pattern: &str) -> Result<String, SqlRefusal> {
        let known = self.patterns.iter().position(|known| known == pattern);
        let number = known.unwrap_or(self.patterns.len()) + 1;
        if known.is_none() {
            self.patterns.push(pattern.to_owned());
        }
        let name = format!("{}_has_{number}", part.word());
        let dialect = self.dialect;
        if part == SearchedPart::Prompt {
            let turns = self.turns()?;
            let has_turns = self.definition.turns.is_some();
            return self.of_sample(&name, |_| {
                Ok(if has_turns {
                    format!(
                        "{} > 0",
                        dialect.count_where(&turns, &dialect.matches("x", pattern))
                    )
                } else {
                    dialect.matches(&turns, pattern)
                })
            });
        }
        self.of_response(&name, |this, place| {
            if part == SearchedPart::Response {
                let text = this.response_text(place)?;
                return Ok(dialect.matches(&text, pattern));
            }
            let Some(path) = this.quotes_path(place) else {
                return Ok("false".to_owned());
            };
            let value = this.value(&path)?;
            let key = match part {
                SearchedPart::Titles => "title",
                _ => "extract",
            };
            let texts = dialect.quote_texts(&value, key);
            let count = dialect.count_where(&texts, &dialect.matches("x", pattern));
            // Searched only if the value is a list of quotes.
            Ok(format!("{} > 0 and {count} > 0", dialect.quotes(&value)))
        })
    }

    /// Applies an aggregate to a column of responses, given by its name without the letter.
    fn aggregated(
        &mut self,
        name: &str,
        view: Aggregate,
        response: usize,
    ) -> Result<String, SqlRefusal> {
        let of = |place: usize| match (place, self.layout.most) {
            (0, _) => format!("coalesce(a_{name}, false)"),
            (1, 2) => format!("coalesce(b_{name}, false)"),
            _ => "false".to_owned(),
        };
        let (a, b) = (of(0), of(1));
        Ok(match view {
            Aggregate::Same => of(response),
            Aggregate::At(id) => of(id.index()),
            Aggregate::Any => format!("({a} or {b})"),
            Aggregate::All => format!("(responses = 2 and {a} and {b})"),
            Aggregate::Winner | Aggregate::Loser => {
                self.add_verdict()?;
                let (of_a, of_b) = match view {
                    Aggregate::Winner => (a, b),
                    _ => (b, a),
                };
                format!("case verdict when 'a' then {of_a} when 'b' then {of_b} else false end")
            }
            _ => return Err(SqlRefusal::new(name, "a text has no minimum or maximum")),
        })
    }
}
