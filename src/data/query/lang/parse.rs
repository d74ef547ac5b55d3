//! Parses the structure of a query: `and`, `or`, `not`, parentheses and sort keys.
//! [`super::terms`] parses the terms, [`super::comparisons`] the comparisons, and
//! [`super::numbers`] the arithmetic in them.

use std::ops::{Deref, DerefMut, Range};

use thiserror::Error;

use super::lex::{AND, Cursor, OR};
use crate::query::ast::{Aggregate, Expr, Field, Number, Query, SortBy, SortKey};
use crate::query::words::{TermPrefix, ends_word, is_name_sign};
use crate::query::{Catalog, texts};
use crate::table::ColumnKind;
use crate::text::{char_start, grouped};

/// An error in a query, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct QueryError {
    /// The invalid bytes; empty, at the end of the query, if something is missing.
    pub span: Range<usize>,
    /// The message for users: one sentence without a full stop.
    pub message: String,
    /// The likely correction of these bytes.
    pub fix: Option<String>,
}

impl QueryError {
    /// An error without a fix.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            fix: None,
        }
    }
}

/// Longest accepted query, in bytes.
pub const MAX_BYTES: usize = 10_000;
/// Deepest nesting of parentheses, negations and arithmetic; bounds the recursion over queries.
pub const MAX_NESTED: usize = 64;

pub(super) type Parsed<T> = Result<T, QueryError>;

pub(super) fn error<T>(span: Range<usize>, message: impl Into<String>) -> Parsed<T> {
    Err(QueryError::new(span, message))
}

/// Parses a query; one without terms shows every sample.
///
/// # Errors
/// If it is malformed, names an unknown field, has more than [`MAX_BYTES`] bytes, or nests deeper
/// than [`MAX_NESTED`].
pub fn parse(text: &str, catalog: &Catalog) -> Result<Query, QueryError> {
    parse_with_sorts(text, catalog).map(|(query, _)| query)
}

/// Parses a query and returns the spans of its sort keys.
///
/// # Errors
/// As [`parse`].
fn parse_with_sorts(
    text: &str,
    catalog: &Catalog,
) -> Result<(Query, Vec<Range<usize>>), QueryError> {
    if text.len() > MAX_BYTES {
        return error(
            char_start(text, MAX_BYTES)..text.len(),
            texts::long_query(grouped(MAX_BYTES)),
        );
    }
    let mut parser = Parser::new(text, catalog);
    let filter = parser.any(true)?;
    if parser.peek().is_some() {
        return error(parser.here(), texts::NO_OPEN_GROUP);
    }
    parser.check_sorts()?;
    let (sort, spans) = parser.top.sorts.into_iter().unzip();
    Ok((Query { filter, sort }, spans))
}

/// Replaces the sort keys of a query's text by `sort`, at its end; the rest stays as typed. Returns
/// `None` if the filter would then differ from that of `query`, the parsed text.
pub fn with_sort(text: &str, query: &Query, sort: &[SortKey], catalog: &Catalog) -> Option<String> {
    let (_, spans) = parse_with_sorts(text, catalog).ok()?;
    let mut pieces = Vec::new();
    let mut at = 0;
    for span in spans {
        pieces.push(text.get(at..span.start)?.trim().to_owned());
        at = span.end;
    }
    pieces.push(text.get(at..)?.trim().to_owned());
    pieces.extend(sort.iter().map(|key| key.spelled(catalog).to_string()));
    pieces.retain(|piece| !piece.is_empty());
    let joined = pieces.join(" ");
    let (read, _) = parse_with_sorts(&joined, catalog).ok()?;
    (read.filter == query.filter && read.sort == sort).then_some(joined)
}

/// True if a term or a number can directly follow this character.
fn begins_term(last: char) -> bool {
    last.is_whitespace() || "()+-*/,!".contains(last)
}

/// What occurs outside of parentheses.
#[derive(Default)]
struct TopLevel {
    sorts: Vec<(SortKey, Range<usize>)>,
    /// Starts of terms that are not sort keys.
    terms: Vec<usize>,
    has_or: bool,
}

/// A cursor that knows the fields.
pub(super) struct Parser<'q> {
    pub(super) cursor: Cursor<'q>,
    pub(super) catalog: &'q Catalog,
    depth: usize,
    top: TopLevel,
    /// Where the last, possibly unfinished, part of the text begins, and what it can be; for
    /// completion.
    pub(super) expected: Option<(usize, Expected)>,
}

/// What can follow at a place of a query.
#[derive(Clone, Copy)]
pub(super) enum Expected {
    Term,
    /// An operator after a column of this kind.
    Sign(ColumnKind),
    SortKey,
    /// One of [`Catalog::choices`].
    Choice(Aggregate, TermPrefix),
    /// A value of a field. `takes_none` says whether `none` can follow; it is `None` in lists,
    /// which take values only.
    Value {
        of: Field,
        takes_none: Option<bool>,
    },
}

/// A parsed number.
pub(super) struct Operand {
    pub(super) number: Number,
    pub(super) span: Range<usize>,
    /// True if one pair of parentheses encloses it.
    pub(super) is_group: bool,
    /// Levels of nesting.
    pub(super) depth: usize,
}

impl Operand {
    pub(super) fn new(number: Number, span: Range<usize>, depth: usize) -> Self {
        Self {
            number,
            span,
            is_group: false,
            depth,
        }
    }

    /// Returns the field if it is one of words.
    pub(super) fn words(&self) -> Option<Field> {
        match self.number {
            Number::Field(of) if !of.column.kind.is_number() => Some(of),
            _ => None,
        }
    }
}

/// Result of parsing where a comparison may or may not follow.
pub(super) enum Attempt {
    /// A comparison.
    Read(Expr),
    /// Something else, with the error and with the number, if one begins here.
    Other(QueryError, Option<Operand>),
}

impl Expected {
    /// True if this character is a part of it.
    pub(super) fn goes_on(self, sign: char) -> bool {
        match self {
            Self::Term | Self::SortKey => is_name_sign(sign) || sign == '.',
            Self::Value {
                takes_none: None, ..
            } => !ends_word(sign) && sign != ',',
            Self::Value { .. } | Self::Choice(..) => !ends_word(sign),
            Self::Sign(_) => false,
        }
    }
}

impl<'q> Deref for Parser<'q> {
    type Target = Cursor<'q>;

    fn deref(&self) -> &Cursor<'q> {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl<'q> Parser<'q> {
    pub(super) fn new(text: &'q str, catalog: &'q Catalog) -> Self {
        Self {
            cursor: Cursor { text, at: 0 },
            catalog,
            depth: 0,
            top: TopLevel::default(),
            expected: None,
        }
    }

    /// Records what can follow if the text ends here. The last start takes precedence; at the same
    /// start, a term counts least, since numbers and values begin like terms.
    pub(super) fn expect(&mut self, expected: Expected) {
        let (at, rest) = (self.at, self.rest());
        let is_quoted = matches!(expected, Expected::Value { .. }) && rest.starts_with('"');
        let is_term = matches!(expected, Expected::Term);
        let before = self.text[..at].chars().next_back();
        if is_term && rest.is_empty() && before.is_some_and(|last| !begins_term(last)) {
            return;
        }
        let is_last = |(known, _)| known < at || (known == at && !is_term);
        if (is_quoted || rest.chars().all(|sign| expected.goes_on(sign)))
            && self.expected.is_none_or(is_last)
        {
            self.expected = Some((at, expected));
        }
    }

    /// Returns an error at the next character, or at the end.
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        error(self.here(), message)
    }

    /// Expects an operator if the text ends with a blank after this field.
    pub(super) fn expect_sign(&mut self, name: &str, of: Field) {
        let follows_space = self.text[..self.at].ends_with(char::is_whitespace);
        if self.rest().is_empty() && follows_space && self.catalog.names_field(name) {
            self.expect(Expected::Sign(of.column.kind));
        }
    }

    /// Parses terms joined by `or` up to the end or a `)`; `None` if there are only sort keys.
    pub(super) fn any(&mut self, is_top: bool) -> Parsed<Option<Expr>> {
        let mut terms = Vec::new();
        let mut last = "";
        loop {
            let before = self.at;
            let term = self.all(is_top)?;
            let next = OR.at(self.cursor);
            match (term, next) {
                (Some(term), _) => terms.push(term),
                (None, Some(or)) => return self.lacks_term(before, true, or),
                (None, None) if !terms.is_empty() => return self.lacks_term(before, false, last),
                (None, None) => {}
            }
            let Some(or) = next else {
                return Ok(Expr::any(terms));
            };
            self.top.has_or |= is_top;
            self.at += or.len();
            last = or;
        }
    }

    /// Parses terms joined by blanks, commas or `and`; `None` if there are only sort keys.
    fn all(&mut self, is_top: bool) -> Parsed<Option<Expr>> {
        let mut terms = Vec::new();
        let mut is_begun = false;
        loop {
            self.skip_blanks();
            if self.is_at_end() {
                return Ok(Expr::all(terms));
            }
            if let Some(and) = AND.at(self.cursor) {
                if !is_begun {
                    return self.lacks_term(self.at, true, and);
                }
                self.at += and.len();
                self.skip_blanks();
                if self.is_at_end() || AND.at(self.cursor).is_some() {
                    return self.lacks_term(self.at, false, and);
                }
            }
            is_begun = true;
            let start = self.at;
            if is_top && self.is_at_sort() {
                let key = self.sort()?;
                self.add_sort(key, start..self.at)?;
                continue;
            }
            if is_top {
                self.top.terms.push(start);
            }
            terms.push(self.unary()?);
        }
    }

    /// True at the end of a conjunction; otherwise a term can begin.
    fn is_at_end(&mut self) -> bool {
        self.expect(Expected::Term);
        matches!(self.peek(), None | Some(')')) || OR.at(self.cursor).is_some()
    }

    fn lacks_term<T>(&self, before: usize, is_before: bool, joint: &str) -> Parsed<T> {
        // If sort keys precede it, they are the error: they do not count as terms.
        if let Some((_, span)) = self.top.sorts.iter().find(|(_, span)| span.start >= before) {
            return error(span.clone(), texts::MISPLACED_SORT);
        }
        if is_before {
            error(self.span(joint), texts::no_term_before(joint))
        } else {
            error(self.here(), texts::no_term_after(joint))
        }
    }

    /// Parses a term, possibly negated by `not`, `!` or `-`.
    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.at;
        if self.eat("-") {
            self.expect(Expected::Term);
            if self.is_at_number() {
                self.at = start;
                let left = self.sum(false, 0);
                if let Attempt::Read(comparison) = self.attempt(left)? {
                    return Ok(comparison);
                }
                self.at = start + 1;
            } else if self.peek().is_none_or(char::is_whitespace) {
                return error(start..start + 1, texts::LONELY_MINUS);
            }
        } else if !self.eat_not() {
            return self.term();
        }
        let negation = &self.text[start..self.at];
        self.skip_blanks();
        if self.is_at_end() || AND.at(self.cursor).is_some() {
            return self.fail(texts::no_negated_term(negation));
        }
        let negated = self.deeper(start..self.at, Self::unary)?;
        Ok(Expr::Not(Box::new(negated)))
    }

    /// Parses terms in parentheses.
    pub(super) fn group(&mut self) -> Parsed<Expr> {
        let open = self.here();
        self.at += 1;
        let terms = self.deeper(open, |parser| parser.any(false))?;
        let close = self.here();
        match terms {
            _ if !self.eat(")") => error(close, texts::NO_END_OF_GROUP),
            None => error(close, texts::EMPTY_GROUP),
            Some(terms) => Ok(terms),
        }
    }

    /// Parses one nesting level deeper.
    pub(super) fn deeper<T>(
        &mut self,
        blame: Range<usize>,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        self.check_depth(blame, 1)?;
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    pub(super) fn check_depth(&self, blame: Range<usize>, more: usize) -> Parsed<()> {
        if self.depth + more > MAX_NESTED {
            return error(blame, texts::deep_query(MAX_NESTED));
        }
        Ok(())
    }

    fn add_sort(&mut self, key: SortKey, span: Range<usize>) -> Parsed<()> {
        let is_same = |(known, _): &(SortKey, _)| match (&known.by, &key.by) {
            // A second shuffle has no effect.
            (SortBy::Random(_), SortBy::Random(_)) => true,
            (known, new) => known == new,
        };
        if self.top.sorts.iter().any(is_same) {
            return error(span, texts::REPEATED_SORT);
        }
        self.top.sorts.push((key, span));
        Ok(())
    }

    /// Checks that sort keys precede or follow all alternatives of an `or`.
    fn check_sorts(&self) -> Parsed<()> {
        let terms = self.top.terms.first().zip(self.top.terms.last());
        let is_inside = |span: &Range<usize>| {
            self.top.has_or
                && terms.is_some_and(|(first, last)| (first..last).contains(&&span.start))
        };
        match self.top.sorts.iter().find(|(_, span)| is_inside(span)) {
            Some((_, span)) => error(span.clone(), texts::MISPLACED_SORT),
            None => Ok(()),
        }
    }

    /// Returns the name at the cursor, or the path of a field that the dataset has.
    pub(super) fn name(&self) -> &'q str {
        let path = self.path();
        if !path.is_empty() && self.catalog.find_field(path).is_some() {
            path
        } else {
            self.cursor.name()
        }
    }

    /// True if the path of a field and an operator are next.
    pub(super) fn is_at_pointer(&self) -> bool {
        let path = self.path();
        if path.is_empty() || !self.is_compared_after(path.len()) {
            return false;
        }
        self.catalog.search_field(path);
        !self.name().is_empty()
    }
}
