//! Text → terms: texts, fields that are words, `is:` and the like, and what to sort by.

use std::ops::Range;
use std::sync::Arc;

use super::ast::{
    Aggregate, ColumnId, Expr, Feature, Field, Number, Pattern, SortBy, SortKey, TextTarget,
    TextTerm,
};
use super::catalog::split_view;
use super::finding_rules::FindingRule;
use super::lex::{Cursor, ends_word, sign_in};
use super::numbers::{Attempt, Operand};
use super::parse::{MISPLACED_SORT, Parsed, Parser, QueryError, error};
use super::words::{
    self, CHECKS, CITINGS, DISAGREES, FEATURES, KEYS, Keyword, TermPrefix, enumerated, listed,
};
use crate::model::ResponseId;
use crate::table::{ColumnKind, ColumnSource};
use crate::text::nearest;

const NO_SIGN: &str = "expected a comparison behind this number: = != < <= > >=";
/// Names in a message are a hint, not a manual.
const MOST_LISTED: usize = 8;

impl Parser<'_> {
    pub(super) fn term(&mut self) -> Parsed<Expr> {
        match self.cursor.peek() {
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

    /// What stands in parentheses: a number, if a comparison follows, or else terms.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let start = self.cursor.at;
        let number = match self.attempt()? {
            Attempt::Read(comparison) => return Ok(comparison),
            Attempt::NoSign(Operand { is_group: true, .. }) => None,
            Attempt::NoSign(_) => Some(QueryError {
                span: self.cursor.here(),
                message: NO_SIGN.to_owned(),
            }),
            Attempt::NoNumber(error) => Some(error),
        };
        self.cursor.at = start;
        let terms = self.group();
        // Whichever reading came further is likely what was meant.
        match number {
            Some(number) => terms.map_err(|terms| {
                if number.span.start > terms.span.start {
                    number
                } else {
                    terms
                }
            }),
            None => terms,
        }
    }

    fn comparison_or_word(&mut self) -> Parsed<Expr> {
        let start = self.cursor.at;
        let name = self.name();
        let (view, plain) = split_view(name);
        self.search_if_compared(name);
        if let Some(column) = self.catalog.find(plain)
            && !column.kind.is_number()
            && (view == Aggregate::Same || column.is_of_responses())
            && let Some(test) = self.word_test(name, column)?
        {
            self.check_response(view, start..start + name.len() - plain.len())?;
            if view.is_made_of_numbers() {
                let view = words::aggregate_word(view);
                let message = format!("{plain} is a word: {view}. cannot stand before it");
                return error(start..start + name.len(), message);
            }
            let of = Field { view, column };
            return Ok(Expr::Word { of, test });
        }
        self.cursor.at = start;
        let attempt = self.attempt()?;
        let behind = self.cursor.here();
        if let Attempt::Read(comparison) = attempt {
            return Ok(comparison);
        }
        self.cursor.at = start;
        let word = self.cursor.word();
        let is_function = self.cursor.is_at_function();
        let is_field = self.catalog.names_field(word);
        match attempt {
            Attempt::NoNumber(error)
                if is_function || (is_field && error.span.start >= start + word.len()) =>
            {
                Err(error)
            }
            Attempt::NoSign(operand)
                if is_function || (is_field && !matches!(operand.number, Number::Field(_))) =>
            {
                error(behind, NO_SIGN)
            }
            _ if is_field => self.lonely_field(word),
            Attempt::NoNumber(error) => self.bare_word(word, Some(error)),
            _ => self.bare_word(word, None),
        }
    }

    fn lonely_field<T>(&self, word: &str) -> Parsed<T> {
        let column = self.catalog.find(split_view(word).1);
        let is_number = column.is_some_and(|column| column.kind.is_number());
        let example = if is_number { ">=3" } else { "=…" };
        let start = self.cursor.at;
        let mut before = self.cursor.text[..start].split_whitespace().rev();
        let is =
            |word: &str, wanted: &[&str]| wanted.iter().any(|it| word.eq_ignore_ascii_case(it));
        let is_ordered = before.next().is_some_and(|word| is(word, &["by"]))
            && before
                .next()
                .is_some_and(|word| is(word, &["order", "sort"]));
        if is_ordered {
            return error(
                start..start + word.len(),
                format!(
                    "write sort:{word} for an order, and sort:-{word} for the greatest first; or search the text for \"{word}\" in quotes"
                ),
            );
        }
        let behind = self.cursor.text[start + word.len()..].trim_start();
        let sign = behind.split([' ', '(']).next().unwrap_or_default();
        let list = behind.strip_prefix(sign).unwrap_or_default().trim_start();
        let is_list = list.strip_prefix("in").or_else(|| list.strip_prefix("IN"));
        if sign.eq_ignore_ascii_case("not")
            && is_list.is_some_and(|it| it.trim_start().starts_with('('))
        {
            let at = self.cursor.text.len() - behind.len();
            let message = format!("not stands before the field: write not {word} in (…)");
            return error(at..at + sign.len(), message);
        }
        if let Some(ours) = words::sign_of_sql(sign) {
            let at = self.cursor.text.len() - behind.len();
            return error(
                at..at + sign.len(),
                format!("{sign} is no sign here: write {word}{ours}"),
            );
        }
        error(
            self.cursor.span(word),
            format!(
                "{word} is a field: compare it ({word}{example}), or search the text for \"{word}\" in quotes"
            ),
        )
    }

    /// A word, unless a sign says that it is meant as a number, which it is not for this reason.
    fn bare_word(&mut self, word: &str, reason: Option<QueryError>) -> Parsed<Expr> {
        let start = self.cursor.at;
        let mut behind = Cursor {
            at: start + word.len(),
            ..self.cursor
        };
        behind.skip_blanks();
        let is_compared =
            sign_in(word).is_some() || behind.is_at_list() || behind.comparison().is_some();
        let is_known = self
            .catalog
            .find(split_view(self.cursor.name()).1)
            .is_some();
        if let Some(reason) = reason
            && is_compared
            && (is_known || reason.span.start > start + self.cursor.name().len())
        {
            return Err(reason);
        }
        if let Some(behind) = word.strip_prefix('!').filter(|behind| !behind.is_empty()) {
            return error(
                start..start + 1,
                format!("write -{behind} for what must not hold"),
            );
        }
        match sign_in(word) {
            Some(0) => {
                return error(
                    start..start + word.len(),
                    "expected a field before this sign; in quotes, it is a text to search for",
                );
            }
            Some(end) => {
                return Err(self.no_term(start..start + end, word[end..].starts_with(':')));
            }
            None if is_compared => return Err(self.no_term(start..start + word.len(), false)),
            None => {}
        }
        let is_called = self.cursor.text[start + word.len()..].starts_with('(');
        if is_called {
            let view = words::view_called(word);
            let instead = match view {
                Some(view) if view == word => format!("a dot stands behind it, as in {word}.len"),
                Some(view) => format!("write {view} and a dot, as in {view}.len"),
                None => "a blank stands before a group in brackets; in quotes, it is a text to search for".to_owned(),
            };
            return error(
                start..start + word.len() + 1,
                format!("{word} is no function: {instead}"),
            );
        }
        if let Some(error) = self.foreign_term() {
            return Err(error);
        }
        self.cursor.at += word.len();
        Ok(text(TextTarget::Anywhere, Pattern::Phrase(word.to_owned())))
    }

    /// What to say of a name that is no field, where a text may stand too; before a colon, a keyword.
    fn no_term(&self, span: Range<usize>, has_colon: bool) -> QueryError {
        self.unknown(span, has_colon, "; in quotes, it is a text to search for")
    }

    /// What to say of a name that is no field, where a number must stand.
    pub(super) fn no_field(&self, span: Range<usize>) -> QueryError {
        self.unknown(span, false, "")
    }

    /// What to say of a name that is no field, and before a colon no keyword; `hint` is what else it may
    /// be where nothing is near to it.
    fn unknown(&self, span: Range<usize>, has_colon: bool, hint: &str) -> QueryError {
        let whole = &self.cursor.text[span.clone()];
        let (view, name) = split_view(whole);
        let span = span.end - name.len()..span.end;
        let bare = name.strip_prefix('.');
        let is_field = |bare: &&str| self.catalog.find(split_view(bare).1).is_some();
        if let Some(bare) = bare.filter(is_field) {
            // As jq has it.
            let message = format!("fields are written without a dot in front: {bare}");
            return QueryError { span, message };
        }
        let is_second_view = |(first, rest): (&str, &str)| {
            view != Aggregate::Same
                && words::view_meant(first).is_some()
                && self.catalog.takes_view(rest, has_colon)
        };
        if name.split_once('.').is_some_and(is_second_view) {
            let message = format!("one view alone stands before a field, and {whole} has two");
            return QueryError { span, message };
        }
        let suggested = self.catalog.suggested_field(name, has_colon);
        let nobody = self.catalog.unknown_reviewer(name);
        let nobody = nobody.map(|whose| format!("no reviewer {whose} judged anything, and "));
        let keys = KEYS.iter().map(|key| key.spelled).filter(|_| has_colon);
        let near = || nearest(name, self.catalog.names().chain(keys)).map(str::to_owned);
        let suggested = suggested.or_else(|| near().filter(|_| nobody.is_none()));
        let behind = match suggested {
            Some(near) => format!("; did you mean {near}?"),
            None if nobody.is_some() => String::new(),
            None => {
                let names: Vec<_> = self.catalog.names().take(MOST_LISTED).collect();
                format!("; there are {}, …{hint}", names.join(", "))
            }
        };
        let nobody = nobody.unwrap_or_default();
        let part = match self.catalog.searched_part() {
            _ if self.catalog.is_blind() => " that shows while you judge blind".to_owned(),
            Some(bytes) => format!(" in the first {} MiB of each file", bytes >> 20),
            None => String::new(),
        };
        let message = format!("{nobody}there is no field {name}{part}{behind}");
        QueryError { span, message }
    }

    /// What stands before a colon here, if it is no field.
    fn key(&self) -> Option<(Aggregate, TermPrefix)> {
        let name = self.cursor.name();
        let (view, key) = split_view(name);
        let key = words::meaning(KEYS, key)?;
        self.cursor.rest()[name.len()..]
            .starts_with(':')
            .then_some((view, key))
    }

    /// Whether `sort:` is next.
    pub(super) fn is_at_sort(&self) -> bool {
        matches!(self.key(), Some((Aggregate::Same, TermPrefix::Sort)))
    }

    /// Whether the samples of the dataset can have the response that an aggregate names.
    pub(super) fn check_response(&self, view: Aggregate, span: Range<usize>) -> Parsed<()> {
        let responses = self.catalog.responses().max(2);
        match view {
            Aggregate::At(response) if response.index() >= responses => {
                let all: Vec<_> = ResponseId::first(responses).map(ResponseId::word).collect();
                let there = match all.get(..ResponseId::LETTERED) {
                    Some(_) => format!("there is a to {}", all[responses - 1]),
                    None => format!("there is {}", enumerated(&all)),
                };
                let response = response.word();
                error(
                    span,
                    format!("samples have no response {response}: {there}"),
                )
            }
            _ => Ok(()),
        }
    }

    fn keyed(&mut self, view: Aggregate, key: TermPrefix) -> Parsed<Expr> {
        let start = self.cursor.at;
        let name = self.cursor.name();
        let spelled = split_view(name).1;
        self.check_response(view, start..start + name.len() - spelled.len())?;
        if key == TermPrefix::Sort {
            return error(start..start + name.len() + 1, MISPLACED_SORT);
        }
        if view != Aggregate::Same && (!key.is_of_responses() || view.is_made_of_numbers()) {
            let view_span = start..start + name.len() - spelled.len();
            return match key.is_of_responses() {
                true => error(
                    view_span,
                    format!("{spelled}: can have a. b. any. both. winner. or loser. before it"),
                ),
                false => error(
                    view_span,
                    format!("{spelled}: is of the sample: nothing can stand before it"),
                ),
            };
        }
        self.cursor.at += name.len() + 1;
        self.cursor.skip_blanks();
        Ok(match key {
            TermPrefix::Prompt => text(TextTarget::Prompt, self.pattern()?),
            TermPrefix::Response => text(TextTarget::Response(view), self.pattern()?),
            TermPrefix::Quote => text(TextTarget::Quote(view), self.pattern()?),
            TermPrefix::Title => text(TextTarget::Title(view), self.pattern()?),
            TermPrefix::Rationale => text(TextTarget::Rationale, self.pattern()?),
            TermPrefix::Best => Expr::Best(self.response()?),
            TermPrefix::Is => {
                Expr::Is(self.one_of(&words::flags(self.catalog.has_joined_files()))?)
            }
            TermPrefix::Has => Expr::Has(view, self.feature(view, start)?),
            TermPrefix::Cite => Expr::Cites(view, self.one_of(CITINGS)?),
            TermPrefix::Note => Expr::Note(self.pattern()?),
            TermPrefix::Check => Expr::Check(self.one_of(CHECKS)?),
            TermPrefix::Disagrees => Expr::Is(self.disagreement()?),
            TermPrefix::Finding => Expr::Finding(self.rule()?),
            TermPrefix::Sort => return error(start..self.cursor.at, MISPLACED_SORT),
        })
    }

    /// The letter of a response that samples have.
    fn response(&mut self) -> Parsed<ResponseId> {
        let word = self.cursor.word();
        let span = self.cursor.span(word);
        let Some(response) = ResponseId::of_word(&word.to_lowercase()) else {
            return error(span, "expected the letter of a response, such as best:a");
        };
        self.check_response(Aggregate::At(response), span.clone())?;
        self.cursor.at = span.end;
        Ok(response)
    }

    /// Whose judgments differ, which stands behind `disagrees:`.
    fn disagreement(&mut self) -> Parsed<ColumnId> {
        let name = self.cursor.name();
        let word = if name.is_empty() {
            self.cursor.word()
        } else {
            name
        };
        let span = self.cursor.span(word);
        match self.catalog.disagreeing(word) {
            Some(with) => {
                self.cursor.at = span.end;
                Ok(ColumnId::of(ColumnSource::Disagreement(with), ""))
            }
            None => {
                let words = self.catalog.disagreeing_words();
                error(span, format!("there is {words} to disagree with"))
            }
        }
    }

    /// What stands behind `has:`, before which this view does, from `start` on.
    fn feature(&mut self, view: Aggregate, start: usize) -> Parsed<Feature> {
        let word = self.cursor.word();
        match words::meaning(FEATURES, word) {
            Some(feature) if view != Aggregate::Same && !feature.is_of_responses() => {
                let view = words::aggregate_word(view);
                let message =
                    format!("has:{word} is of the sample: {view}. cannot stand before it");
                error(start..start + view.len() + 1, message)
            }
            _ => self.one_of(words::features(view)),
        }
    }

    /// A rule by its name.
    fn rule(&mut self) -> Parsed<Arc<FindingRule>> {
        let word = self.cursor.word();
        let span = self.cursor.span(word);
        let rules = self.catalog.rules();
        if let Some(rule) = rules.get(word) {
            self.cursor.at = span.end;
            return Ok(Arc::clone(rule));
        }
        if let Some((_, why)) = (rules.others.iter()).find(|(other, _)| *other.name == *word) {
            return error(span, format!("the rule {word} does not apply here: {why}"));
        }
        let names = || rules.rules.iter().map(|rule| rule.name());
        match nearest(word, names()) {
            Some(near) => error(
                span,
                format!("there is no rule {word}; did you mean {near}?"),
            ),
            None => {
                let names: Vec<_> = names().take(MOST_LISTED).collect();
                match names.as_slice() {
                    [] => error(span, "no rule of findings applies to this dataset"),
                    names => error(
                        span,
                        format!("expected the name of a rule: {}, …", names.join(", ")),
                    ),
                }
            }
        }
    }

    /// One of a table's words.
    fn one_of<T: Copy>(&mut self, table: &[Keyword<T>]) -> Parsed<T> {
        let word = self.cursor.word();
        let span = self.cursor.span(word);
        if let Some(means) = words::meaning(table, word) {
            self.cursor.at = span.end;
            return Ok(means);
        }
        let all = listed(table);
        match nearest(word, table.iter().map(|known| known.spelled)) {
            Some(near) => error(span, format!("expected {all}; did you mean {near}?")),
            None => error(span, format!("expected {all}")),
        }
    }

    /// `"phrase"`, `/regex/`, or a bare word whatever it contains.
    fn pattern(&mut self) -> Parsed<Pattern> {
        let start = self.cursor.at;
        match self.cursor.peek() {
            Some('/') => self.regex(),
            Some('"') => {
                let phrase = self.quoted()?;
                if phrase.is_empty() {
                    return error(
                        start..self.cursor.at,
                        "expected something between the quotes",
                    );
                }
                Ok(Pattern::Phrase(phrase))
            }
            None | Some('(' | ')') => error(
                self.cursor.here(),
                "expected a word, a \"phrase\" or a /regex/",
            ),
            Some(_) => {
                let word = self.cursor.word();
                self.cursor.at += word.len();
                Ok(Pattern::Phrase(word.to_owned()))
            }
        }
    }

    pub(super) fn quoted(&mut self) -> Parsed<String> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let mut text = String::new();
        while let Some(sign) = self.cursor.peek() {
            let at = self.cursor.at;
            self.cursor.at += sign.len_utf8();
            match sign {
                '"' => return Ok(text),
                '\\' => match self.cursor.peek() {
                    Some(escaped @ ('"' | '\\' | 'n' | 't')) => {
                        self.cursor.at += 1;
                        text.push(match escaped {
                            'n' => '\n',
                            't' => '\t',
                            itself => itself,
                        });
                    }
                    // What is missing at the very end is the quote.
                    None => break,
                    Some(_) => {
                        return error(
                            at..self.cursor.here().end,
                            "in quotes, \\ stands before \", \\, n or t alone; \\\\ is one \\",
                        );
                    }
                },
                _ => text.push(sign),
            }
        }
        let begin: String = self.cursor.text[start..].chars().take(10).collect();
        error(
            self.cursor.here(),
            format!("expected \" at the end of what begins with {begin}"),
        )
    }

    fn regex(&mut self) -> Parsed<Pattern> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let mut regex = String::new();
        loop {
            let Some(sign) = self.cursor.peek() else {
                return error(self.cursor.here(), "expected / at the end of the regex");
            };
            self.cursor.at += sign.len_utf8();
            match (sign, self.cursor.peek()) {
                ('/', _) => break,
                ('\\', Some('/')) => {
                    regex.push('/');
                    self.cursor.at += 1;
                }
                ('\\', Some(escaped)) => {
                    regex.extend(['\\', escaped]);
                    self.cursor.at += escaped.len_utf8();
                }
                _ => regex.push(sign),
            }
        }
        let span = start..self.cursor.at;
        if regex.is_empty() {
            return error(span, "expected something between the slashes");
        }
        if self.cursor.peek().is_some_and(|sign| !ends_word(sign)) {
            let word = self.cursor.word();
            let place = self.cursor.span(word);
            return error(place, flags_advice(word));
        }
        match crate::text::regex(&regex) {
            Ok(_) => Ok(Pattern::Regex(regex)),
            Err(reason) => error(span, reason),
        }
    }

    /// `sort:KEY`, which is next.
    pub(super) fn sort(&mut self) -> Parsed<SortKey> {
        self.cursor.eat("sort:");
        self.cursor.skip_blanks();
        let start = self.cursor.at;
        let descending = self.cursor.eat("-");
        let name = self.name();
        self.catalog.search_field(split_view(name).1);
        let by = if name == "random" {
            self.shuffle(descending.then_some(start))?
        } else if name == DISAGREES && self.cursor.rest()[name.len()..].starts_with(':') {
            self.cursor.at += name.len() + 1;
            SortBy::Value(Number::Field(Field::of(self.disagreement()?)))
        } else {
            let column = self.catalog.find(name);
            match column.map(|column| (column.kind, column)) {
                Some((ColumnKind::Word, column)) => {
                    self.cursor.at += name.len();
                    SortBy::Value(Number::Field(Field::of(column)))
                }
                Some((ColumnKind::Words, _)) => {
                    let message = format!(
                        "a sample can have more than one {name}: nothing can be put in order by it"
                    );
                    return error(self.cursor.span(name), message);
                }
                _ => self.sort_number()?,
            }
        };
        if self
            .cursor
            .peek()
            .is_some_and(|sign| !ends_word(sign) || sign == '(')
        {
            let word = self.cursor.word();
            let span = if word.is_empty() {
                self.cursor.here()
            } else {
                self.cursor.span(word)
            };
            return error(
                span,
                "expected a blank; arithmetic to sort by stands in parentheses",
            );
        }
        self.refuse_direction(start)?;
        Ok(SortKey { by, descending })
    }

    /// Refuses a word for a direction behind a sort that began at a place, as SQL has them: it
    /// would be a text to search for.
    fn refuse_direction(&mut self, start: usize) -> Parsed<()> {
        let sorted = self.cursor.text[start..self.cursor.at].trim_start_matches('-');
        let end = self.cursor.at;
        self.cursor.skip_blanks();
        let word = self.cursor.word();
        let span = self.cursor.span(word);
        self.cursor.at = end;
        let sign = match &*word.to_lowercase() {
            "desc" | "descending" => "-",
            "asc" | "ascending" => "",
            _ => return Ok(()),
        };
        error(
            span,
            format!(
                "{word} is no word here: write sort:{sign}{sorted}; in quotes, it is a text to search for"
            ),
        )
    }

    fn sort_number(&mut self) -> Parsed<SortBy> {
        if self
            .cursor
            .peek()
            .is_none_or(|sign| sign.is_whitespace() || matches!(sign, ')' | '-' | '"'))
        {
            return error(
                self.cursor.here(),
                "expected a field to sort by, arithmetic in parentheses, or random(7)",
            );
        }
        let operand = self.primary(false)?;
        let made = [Aggregate::Any, Aggregate::All]
            .into_iter()
            .find(|view| operand.number.has_view(*view));
        match made {
            Some(view) => error(
                operand.span,
                format!(
                    "{}. is no number to sort by; min. and max. are",
                    words::aggregate_word(view)
                ),
            ),
            None => Ok(SortBy::Value(operand.number)),
        }
    }

    fn shuffle(&mut self, minus: Option<usize>) -> Parsed<SortBy> {
        if let Some(minus) = minus {
            return error(minus..minus + 1, "a shuffled order has no other way round");
        }
        self.cursor.eat("random");
        let digits = if self.cursor.eat("(") {
            self.cursor.number()
        } else {
            ""
        };
        let span = self.cursor.span(digits);
        match digits.parse() {
            Ok(seed) => {
                self.cursor.at = span.end;
                match self.cursor.eat(")") {
                    true => Ok(SortBy::Random(seed)),
                    false => error(self.cursor.here(), "expected )"),
                }
            }
            Err(_) if digits.is_empty() => error(
                self.cursor.here(),
                "expected a whole number, as in random(7)",
            ),
            Err(_) => error(
                span,
                "expected a whole number from 0 to 18446744073709551615",
            ),
        }
    }
}

fn text(part: TextTarget, pattern: Pattern) -> Expr {
    Expr::Text(TextTerm { part, pattern })
}

/// What to write in place of what stands right behind a regex.
fn flags_advice(word: &str) -> String {
    let has_all = |signs: &str| word.chars().all(|sign| signs.contains(sign));
    if has_all("giu") {
        "nothing stands behind a regex: letters match in both cases anyway, (?-i) within it takes them as typed".to_owned()
    } else if has_all("gimsux") {
        format!("flags go into the regex: /(?{word})…/")
    } else {
        "expected a blank behind the regex; a / within it is \\/, and in quotes it is itself"
            .to_owned()
    }
}
