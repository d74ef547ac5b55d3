//! Parser of terms: texts, fields of words, keys such as `is:`, and sort keys.

use std::fmt::Display;
use std::ops::Range;

use super::parse::{Attempt, Expected, Operand, Parsed, Parser, QueryError, error};
use crate::model::ResponseId;
use crate::query::ast::{
    Aggregate, Expr, Field, Number, Pattern, SortBy, SortKey, TextTarget, TextTerm,
};
use crate::query::texts;
use crate::query::words::{self, TermPrefix, VOCABULARY, enumerated, sign_in, split_prefix};
use crate::table::ColumnKind;
use crate::text::nearest;

/// Most names that a message lists.
const MAX_LISTED: usize = 8;
const MAX_CHOICES: usize = 12;

impl Parser<'_> {
    pub(super) fn term(&mut self) -> Parsed<Expr> {
        match self.peek() {
            Some('"' | '/') if !self.is_at_pointer() => {
                Ok(text(TextTarget::Anywhere, self.pattern()?))
            }
            Some('(') => self.parenthesised(),
            _ => match self.key() {
                Some((view, key)) => self.keyed(view, key),
                None => self.comparison_or_word(),
            },
        }
    }

    /// Parses parentheses: a number if a comparison follows, otherwise terms.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let number = self.sum(false, 0);
        let (error, number) = match self.attempt(number)? {
            Attempt::Read(comparison) => return Ok(comparison),
            Attempt::Other(error, number) => (error, number),
        };
        self.at = start;
        // The reading that came further is likely the intended one.
        self.group().map_err(|terms| match number {
            Some(Operand { is_group: true, .. }) => terms,
            _ if error.span.start > terms.span.start => error,
            _ => terms,
        })
    }

    fn comparison_or_word(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let name = self.name();
        let plain = split_prefix(name).1;
        if self.is_compared_after(name.len()) {
            self.catalog.search_field(plain);
        }
        let column = self.catalog.find(plain);
        let left = if column.is_some_and(|column| !column.kind.is_number()) {
            let of = self.field(name);
            of.map(|of| Operand::new(Number::Field(of), start..self.at, 1))
        } else {
            self.sum(false, 0)
        };
        let (error, number) = match self.attempt(left) {
            Ok(Attempt::Read(comparison)) => return Ok(comparison),
            Ok(Attempt::Other(error, number)) => (error, number),
            Err(error) => {
                self.at = start;
                return self.text_among_numbers(name).ok_or(error);
            }
        };
        self.at = start;
        let word = self.word();
        let is_field = self.catalog.names_field(word);
        if self.is_at_function() || (is_field && error.span.start > start + word.len()) {
            Err(error)
        } else if is_field {
            self.bare_field(word)
        } else {
            self.bare_word(word, number.is_none().then_some(error))
        }
    }

    fn bare_field<T>(&self, word: &str) -> Parsed<T> {
        if let Some(error) = self.foreign_operator(word, true) {
            return Err(error);
        }
        let column = self.catalog.find(split_prefix(word).1);
        let is_number = column.is_some_and(|column| column.kind.is_number());
        let example = if is_number { ">=3" } else { "=…" };
        error(self.span(word), texts::bare_field(word, example))
    }

    /// Returns the advice if the operator after a name is from another query language.
    fn foreign_operator(&self, name: &str, is_field: bool) -> Option<QueryError> {
        let plain = split_prefix(name).1;
        let column = self.catalog.find(plain);
        let has_texts = column.is_some_and(|column| !column.kind.is_number())
            || TermPrefix::named(plain).is_some();
        let mut after = self.cursor;
        after.at += name.len();
        after.skip_blanks();
        let start = after.at;
        let is_not = after.eat_not();
        after.skip_blanks();
        let sign = match after.peek() {
            Some('~') => "~",
            _ => after.word(),
        };
        after.at += sign.len();
        // At the end of the query, it is a text search like others.
        let is_followed = sign == "~" || !after.rest().trim().is_empty();
        let lower = sign.to_lowercase();
        let of_fields = VOCABULARY.after_fields.get(&lower).filter(|_| is_field);
        let of_texts = VOCABULARY.after_texts.get(&lower);
        let write = of_fields.or(of_texts.filter(|_| has_texts && is_followed))?;
        let not = if is_not { "-" } else { "" };
        let write = write.replace("{not}", not).replace("{name}", name);
        let span = start..after.at;
        let operator = &self.text[span.clone()];
        let message = texts::unknown_operator(operator, write);
        Some(QueryError::new(span, message))
    }

    /// Parses a text search for a word. If an operator follows, returns `reason`: the error from
    /// parsing it as a number.
    fn bare_word(&mut self, word: &str, reason: Option<QueryError>) -> Parsed<Expr> {
        let (name, span) = (self.cursor.name(), self.span(word));
        let start = span.start;
        let sign = sign_in(word);
        let is_compared = sign.is_some() || self.is_compared_after(word.len());
        let is_known = self.catalog.find(split_prefix(name).1).is_some();
        if let Some(reason) = reason
            && is_compared
            && (is_known || reason.span.start > start + name.len())
        {
            return Err(reason);
        }
        match sign {
            Some(0) => return error(span, texts::NO_FIELD_BEFORE_SIGN),
            _ if is_compared => {
                let end = sign.unwrap_or(word.len());
                let has_colon = word[end..].starts_with(':');
                let hint = format!("; {}", texts::QUOTE_IT);
                return Err(self.unknown(start..start + end, has_colon, &hint));
            }
            _ => {}
        }
        if self.text[span.end..].starts_with('(') {
            let instead = match words::similar_prefix(word) {
                Some(view) => format!("use {view}.len"),
                None => texts::NO_SPACE_BEFORE_GROUP.to_owned(),
            };
            return error(start..span.end + 1, texts::unknown_function(word, instead));
        }
        if let Some(error) = self.foreign_operator(name, false) {
            return Err(error);
        }
        self.at = span.end;
        Ok(text(TextTarget::Anywhere, Pattern::Phrase(word.to_owned())))
    }

    /// Returns the error for an unknown field or, before a colon, an unknown key; `hint` is the
    /// advice if no name is similar.
    pub(super) fn unknown(&self, span: Range<usize>, has_colon: bool, hint: &str) -> QueryError {
        let whole = &self.text[span.clone()];
        let (view, name) = split_prefix(whole);
        let span = span.end - name.len()..span.end;
        if view != Aggregate::Same
            && let Some((first, rest)) = name.split_once('.')
            && words::similar_prefix(first).is_some()
            && self.catalog.takes_view(rest, has_colon)
        {
            return QueryError::new(span, texts::two_prefixes(whole));
        }
        // jq writes a dot before each name.
        let is_known = |bare: &&str| self.catalog.find(split_prefix(bare).1).is_some();
        let bare = name.strip_prefix('.').filter(is_known);
        let reviewer = self
            .catalog
            .unknown_reviewer(name)
            .filter(|_| bare.is_none());
        let compared = self.compared_after(span.end);
        // After a colon, a range is of numbers.
        let value = compared.trim_start_matches([':', ' ']);
        let is_number =
            value.starts_with(|first: char| first.is_ascii_digit() || ".-".contains(first));
        let has_colon = has_colon && !is_number;
        let fix = (bare.map(str::to_owned))
            .or_else(|| self.catalog.suggest_field(name, has_colon))
            .or_else(|| {
                self.catalog
                    .nearest_name(name, has_colon)
                    .filter(|_| reviewer.is_none())
            });
        let advice = match &fix {
            Some(near) => {
                let view = &whole[..whole.len() - name.len()];
                format!("; did you mean {view}{near}{compared}?")
            }
            None if reviewer.is_some() => String::new(),
            None => {
                let names: Vec<_> = self.catalog.names().take(MAX_LISTED).collect();
                texts::known_fields(names.join(", "), hint)
            }
        };
        let reviewer = reviewer.map(texts::no_judgments).unwrap_or_default();
        let part = match self.catalog.searched_part() {
            _ if self.catalog.is_blind => texts::WHILE_BLIND.to_owned(),
            Some(_) => texts::IN_FIRST_PART.to_owned(),
            None => String::new(),
        };
        let message = format!("{} {name}{part}{reviewer}{advice}", texts::UNKNOWN_FIELD);
        QueryError { span, message, fix }
    }

    /// Returns the operator and value after a name as typed; empty without an operator.
    fn compared_after(&self, end: usize) -> &str {
        let mut after = self.cursor;
        after.at = end;
        after.skip_blanks();
        let is_compared = after.eat(":") || after.comparison().is_some();
        after.skip_blanks();
        if is_compared {
            &self.text[end..after.at + after.word().len()]
        } else {
            ""
        }
    }

    /// Returns the prefix and key if a key with its colon is next.
    fn key(&self) -> Option<(Aggregate, TermPrefix)> {
        let name = self.cursor.name();
        let (view, key) = split_prefix(name);
        let key = TermPrefix::named(key)?;
        self.rest()[name.len()..]
            .starts_with(':')
            .then_some((view, key))
    }

    pub(super) fn is_at_sort(&self) -> bool {
        matches!(self.key(), Some((Aggregate::Same, TermPrefix::Sort)))
    }

    /// Checks that a field or key takes a prefix, and that samples can have its response.
    pub(super) fn check_prefix(
        &self,
        view: Aggregate,
        span: Range<usize>,
        is_of_responses: bool,
        name: impl Display,
    ) -> Parsed<()> {
        let responses = self.catalog.responses().max(2);
        match view {
            Aggregate::At(response) if response.index() >= responses => {
                let all: Vec<_> = ResponseId::first(responses).map(ResponseId::word).collect();
                let there = match all.get(..ResponseId::LETTERED) {
                    Some(_) => format!("a to {}", all[responses - 1]),
                    None => enumerated(&all),
                };
                let response = response.word();
                error(span, texts::no_response(response, there))
            }
            Aggregate::Same => Ok(()),
            _ if is_of_responses => Ok(()),
            _ => error(span, texts::no_prefix(name)),
        }
    }

    fn keyed(&mut self, view: Aggregate, key: TermPrefix) -> Parsed<Expr> {
        let start = self.at;
        let name = self.cursor.name();
        if key == TermPrefix::Sort {
            return error(start..start + name.len() + 1, texts::MISPLACED_SORT);
        }
        let span = start..start + name.len() - key.name().len();
        if view.is_made_of_numbers() && key.is_of_responses() {
            return error(span, texts::text_prefixes(key.name()));
        }
        self.check_prefix(
            view,
            span,
            key.is_of_responses(),
            format!("{}:", key.name()),
        )?;
        self.at += name.len() + 1;
        self.skip_blanks();
        if let Some(part) = key.text_target(view) {
            return Ok(text(part, self.pattern()?));
        }
        match key {
            TermPrefix::Note => Ok(Expr::Note(self.pattern()?)),
            _ => self.choice(view, key),
        }
    }

    /// Parses a word after a key such as `is:`, in any case.
    fn choice(&mut self, view: Aggregate, key: TermPrefix) -> Parsed<Expr> {
        self.expect(Expected::Choice(view, key));
        let word = self.plain_word();
        let (span, lower) = (self.span(word), word.to_lowercase());
        let choices = self.catalog.choices(view, key);
        let term = match key {
            TermPrefix::Disagrees => self.catalog.disagreement(word),
            // `r1` is another name of `a`.
            TermPrefix::Best => ResponseId::of_word(&lower)
                .filter(|response| response.index() < choices.len())
                .map(Expr::Best),
            _ => (choices.iter())
                .find(|choice| choice.spelled == lower || choice.spelled == word)
                .map(|choice| choice.term.clone()),
        };
        if let Some(term) = term {
            self.at = span.end;
            return Ok(term);
        }
        let mut others = self.catalog.rules().others.iter();
        let other = others.find(|(it, _)| key == TermPrefix::Finding && *it.name == *word);
        if let Some((_, why)) = other {
            return error(span, texts::rule_does_not_apply(word, why));
        }
        let names: Vec<&str> = choices.iter().map(|choice| &*choice.spelled).collect();
        let all = match names.get(..MAX_CHOICES) {
            _ if names.is_empty() => texts::NO_RULE.to_owned(),
            Some(first) if first.len() < names.len() => format!("{}, …", first.join(", ")),
            _ => enumerated(&names),
        };
        let expected = format!("expected {all}");
        let message = match nearest(word, names.iter().copied()) {
            Some(near) if names.len() > MAX_CHOICES => {
                texts::unknown_choice(key.name(), word, near)
            }
            Some(near) => texts::did_you_mean(expected, near),
            None => expected,
        };
        error(span, message)
    }

    /// Parses `"phrase"`, `/regex/`, or a bare word.
    fn pattern(&mut self) -> Parsed<Pattern> {
        let start = self.at;
        match self.peek() {
            Some('/') => self.regex(),
            Some('"') => {
                let phrase = self.quoted()?;
                if phrase.is_empty() {
                    return error(start..self.at, texts::EMPTY_QUOTES);
                }
                Ok(Pattern::Phrase(phrase))
            }
            _ if self.word().is_empty() => self.fail(texts::NO_PATTERN),
            _ => {
                let word = self.word();
                self.at += word.len();
                Ok(Pattern::Phrase(word.to_owned()))
            }
        }
    }

    pub(super) fn quoted(&mut self) -> Parsed<String> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(sign) = self.peek() {
            let at = self.at;
            self.at += sign.len_utf8();
            match sign {
                '"' => return Ok(text),
                '\\' => match self.peek() {
                    Some(escaped @ ('"' | '\\' | 'n' | 't')) => {
                        self.at += 1;
                        text.push(match escaped {
                            'n' => '\n',
                            't' => '\t',
                            itself => itself,
                        });
                    }
                    // At the end, the closing quote is missing.
                    None => break,
                    Some(_) => {
                        return error(at..self.here().end, texts::UNKNOWN_ESCAPE);
                    }
                },
                _ => text.push(sign),
            }
        }
        let begin: String = self.text[start..].chars().take(10).collect();
        self.fail(texts::no_end_of_quotes(begin))
    }

    fn regex(&mut self) -> Parsed<Pattern> {
        let start = self.at;
        self.at += 1;
        let mut regex = String::new();
        loop {
            let Some(sign) = self.peek() else {
                return self.fail(texts::NO_END_OF_REGEX);
            };
            self.at += sign.len_utf8();
            match (sign, self.peek()) {
                ('/', _) => break,
                ('\\', Some('/')) => {
                    regex.push('/');
                    self.at += 1;
                }
                ('\\', Some(escaped)) => {
                    regex.extend(['\\', escaped]);
                    self.at += escaped.len_utf8();
                }
                _ => regex.push(sign),
            }
        }
        let span = start..self.at;
        if regex.is_empty() {
            return error(span, texts::EMPTY_REGEX);
        }
        if !self.is_at_word_end() {
            let word = self.word();
            let place = self.span(word);
            return error(place, flags_advice(word));
        }
        match crate::text::regex(&regex) {
            Ok(_) => Ok(Pattern::Regex(regex)),
            Err(reason) => error(span, reason),
        }
    }

    /// Parses `sort:KEY`.
    pub(super) fn sort(&mut self) -> Parsed<SortKey> {
        self.eat("sort:");
        self.skip_blanks();
        let start = self.at;
        let descending = self.eat("-");
        self.expect(Expected::SortKey);
        let name = self.name();
        self.catalog.search_field(split_prefix(name).1);
        let is_disagreement = self.key() == Some((Aggregate::Same, TermPrefix::Disagrees));
        let column = if is_disagreement {
            self.at += name.len() + 1;
            self.choice(Aggregate::Same, TermPrefix::Disagrees)?
                .columns()
                .next()
        } else {
            self.catalog.find(name)
        };
        let by = match column {
            _ if name == "random" => self.shuffle(descending.then_some(start))?,
            Some(column) if is_disagreement || column.kind == ColumnKind::Word => {
                self.at += if is_disagreement { 0 } else { name.len() };
                SortBy::Value(Number::Field(Field::of(column)))
            }
            Some(column) if column.kind == ColumnKind::Words => {
                return error(self.span(name), texts::unsortable(name));
            }
            _ => self.sort_number()?,
        };
        if self.peek() == Some('(') || !self.is_at_word_end() {
            return error(self.here_word(), texts::AFTER_SORT);
        }
        self.refuse_direction(start)?;
        Ok(SortKey { by, descending })
    }

    /// Rejects a direction after a sort key, as in SQL: it would be searched for as text.
    fn refuse_direction(&mut self, start: usize) -> Parsed<()> {
        let sorted = self.text[start..self.at].trim_start_matches('-');
        let end = self.at;
        self.skip_blanks();
        let word = self.word();
        let span = self.span(word);
        self.at = end;
        let sign = match &*word.to_lowercase() {
            "desc" | "descending" => "-",
            "asc" | "ascending" => "",
            _ => return Ok(()),
        };
        error(
            span,
            texts::unknown_direction(word, format!("{sign}{sorted}")),
        )
    }

    fn sort_number(&mut self) -> Parsed<SortBy> {
        if self
            .peek()
            .is_none_or(|sign| sign.is_whitespace() || matches!(sign, ')' | '-' | '"'))
        {
            return self.fail(texts::NO_SORT_KEY);
        }
        let operand = self.primary()?;
        let made = [Aggregate::Any, Aggregate::All]
            .into_iter()
            .find(|view| operand.number.has_view(*view));
        match made {
            Some(view) => error(
                operand.span,
                texts::unsortable_prefix(words::aggregate_word(view)),
            ),
            None => Ok(SortBy::Value(operand.number)),
        }
    }

    fn shuffle(&mut self, minus: Option<usize>) -> Parsed<SortBy> {
        if let Some(minus) = minus {
            return error(minus..minus + 1, texts::REVERSED_SHUFFLE);
        }
        self.eat("random");
        let digits = if self.eat("(") { self.number() } else { "" };
        let Ok(seed) = digits.parse() else {
            let span = match digits {
                "" => self.here(),
                digits => self.span(digits),
            };
            return error(span, texts::NO_SEED);
        };
        self.at += digits.len();
        if self.eat(")") {
            Ok(SortBy::Random(seed))
        } else {
            self.fail(texts::NO_END_OF_SEED)
        }
    }
}

fn text(part: TextTarget, pattern: Pattern) -> Expr {
    Expr::Text(TextTerm { part, pattern })
}

/// Returns the advice for text directly after a regex.
fn flags_advice(word: &str) -> String {
    if word.chars().all(|sign| "gimsux".contains(sign)) {
        texts::regex_flags(word)
    } else {
        texts::AFTER_REGEX.to_owned()
    }
}
