//! Query → text, in the one form that each query has.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::{
    Aggregate, Arithmetic, ColumnId, Comparison, Expr, Field, Number, NumberTest, Pattern, Query,
    SortBy, SortKey, TextTarget, TextTerm, WordTest,
};
use super::catalog::{Catalog, is_name_sign, split_view};
use super::lex::{ends_word, sign_in};
use super::words::{CHECKS, CITINGS, FEATURES, FOREIGN, KEYWORDS, aggregate_word, spelling};

/// Something of a query, as it is written: reading it again with the same catalog gives the same.
///
/// It takes a catalog because a word is written in quotes only where a field has its name.
#[derive(Debug, Clone, Copy)]
pub struct Spelled<'a, T> {
    what: &'a T,
    catalog: &'a Catalog,
}

macro_rules! spelled {
    ($($type:ty: $write:ident),*) => {$(
        impl $type {
            /// How this is written, with the names of this catalog.
            pub const fn spelled<'a>(&'a self, catalog: &'a Catalog) -> Spelled<'a, Self> {
                Spelled { what: self, catalog }
            }
        }

        impl Display for Spelled<'_, $type> {
            fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
                Printer { out, catalog: self.catalog }.$write(self.what)
            }
        }
    )*};
}

spelled!(Query: query, Expr: term, Number: number, Field: field, SortKey: sort);

struct Printer<'a, 'f> {
    out: &'a mut Formatter<'f>,
    catalog: &'a Catalog,
}

/// What stands around a number, which decides on its parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PrintContext {
    /// Where a term begins: a minus sign would negate the term.
    Start,
    /// Anywhere that a number can stand.
    Inside,
}

impl Printer<'_, '_> {
    fn query(&mut self, query: &Query) -> fmt::Result {
        if let Some(filter) = &query.filter {
            self.alternatives(filter)?;
        }
        for (number, key) in query.sort.iter().enumerate() {
            if number > 0 || query.filter.is_some() {
                self.out.write_char(' ')?;
            }
            self.sort(key)?;
        }
        Ok(())
    }

    fn alternatives(&mut self, expr: &Expr) -> fmt::Result {
        let Expr::Or(terms) = expr else {
            return self.terms(expr);
        };
        for (number, term) in terms.iter().enumerate() {
            if number > 0 {
                self.out.write_str(" or ")?;
            }
            self.terms(term)?;
        }
        Ok(())
    }

    fn terms(&mut self, expr: &Expr) -> fmt::Result {
        let Expr::And(terms) = expr else {
            return self.term(expr);
        };
        for (number, term) in terms.iter().enumerate() {
            if number > 0 {
                // A slash between blanks divides.
                self.out.write_str(if begins_like_division(term) {
                    " and "
                } else {
                    " "
                })?;
            }
            self.term(term)?;
        }
        Ok(())
    }

    /// A term that can stand between others.
    fn term(&mut self, expr: &Expr) -> fmt::Result {
        match expr {
            Expr::And(_) | Expr::Or(_) => {
                self.out.write_char('(')?;
                self.alternatives(expr)?;
                self.out.write_char(')')
            }
            Expr::Not(negated) => {
                self.out.write_str(if begins_with_literal(negated) {
                    "not "
                } else {
                    "-"
                })?;
                self.term(negated)
            }
            Expr::Number { of, test } => self.number_test(of, test),
            Expr::Compare {
                left,
                comparison,
                right,
            } => {
                self.placed(left, PrintContext::Start)?;
                write!(self.out, " {} ", comparison.sign())?;
                self.placed(right, PrintContext::Inside)
            }
            Expr::Word { of, test } => {
                self.field(of)?;
                self.word_test(test)
            }
            Expr::Text(text) => self.text(text),
            Expr::Is(flag) => self.column(*flag),
            Expr::Has(view, feature) => {
                self.view(*view)?;
                write!(self.out, "has:{}", spelling(FEATURES, *feature))
            }
            Expr::Cites(view, citing) => {
                self.view(*view)?;
                write!(self.out, "cite:{}", spelling(CITINGS, *citing))
            }
            Expr::Best(response) => write!(self.out, "best:{}", response.word()),
            Expr::Note(pattern) => self.pattern("note:", pattern),
            Expr::Check(verdict) => write!(self.out, "check:{}", spelling(CHECKS, *verdict)),
            Expr::Finding(rule) => write!(self.out, "finding:{}", rule.name()),
        }
    }

    fn number_test(&mut self, of: &Number, test: &NumberTest) -> fmt::Result {
        self.placed(of, PrintContext::Start)?;
        let is_field = matches!(of, Number::Field(_));
        match test {
            NumberTest::Compare(comparison, value) => {
                let blank = if is_field { "" } else { " " };
                write!(self.out, "{blank}{}{blank}", comparison.sign())?;
                self.literal(*value)
            }
            NumberTest::Within(low, high) => {
                let has_colon = is_field || matches!(of, Number::Absolute(_));
                self.out.write_str(if has_colon { ":" } else { " = " })?;
                if let Some(low) = low {
                    self.literal(*low)?;
                }
                self.out.write_str("..")?;
                high.map_or(Ok(()), |high| self.literal(high))
            }
            NumberTest::Among(values) => {
                self.out.write_str(" in (")?;
                for (number, value) in values.iter().enumerate() {
                    self.out.write_str(if number > 0 { ", " } else { "" })?;
                    self.literal(*value)?;
                }
                self.out.write_char(')')
            }
            NumberTest::Missing(missing) => {
                let (sign, blank) = (
                    if *missing { "=" } else { "!=" },
                    if is_field { "" } else { " " },
                );
                write!(self.out, "{blank}{sign}{blank}none")
            }
        }
    }

    fn number(&mut self, number: &Number) -> fmt::Result {
        self.placed(number, PrintContext::Inside)
    }

    fn placed(&mut self, number: &Number, place: PrintContext) -> fmt::Result {
        match number {
            Number::Literal(literal) => self.literal(*literal),
            Number::Field(field) => self.field(field),
            Number::Negative(_) if place == PrintContext::Start => self.parenthesised(number),
            Number::Negative(inner) => {
                self.out.write_char('-')?;
                match &**inner {
                    // `-3` is a literal.
                    Number::Literal(literal) if literal.is_sign_positive() => {
                        self.parenthesised(inner)
                    }
                    Number::Binary(..) => self.parenthesised(inner),
                    _ => self.placed(inner, PrintContext::Inside),
                }
            }
            Number::Absolute(inner) => {
                self.out.write_str("abs")?;
                self.parenthesised(inner)
            }
            Number::Binary(operator, left, right) => {
                self.operand(left, place, operator.rank())?;
                write!(self.out, " {} ", operator.sign())?;
                // What is on the right belongs together although it would be read from the left.
                self.operand(right, PrintContext::Inside, operator.rank() + 1)
            }
        }
    }

    fn operand(&mut self, number: &Number, place: PrintContext, least: u8) -> fmt::Result {
        match number {
            Number::Binary(operator, ..) if operator.rank() < least => self.parenthesised(number),
            _ => self.placed(number, place),
        }
    }

    fn parenthesised(&mut self, number: &Number) -> fmt::Result {
        self.out.write_char('(')?;
        self.placed(number, PrintContext::Inside)?;
        self.out.write_char(')')
    }

    /// The shortest decimal that reads as the same number.
    fn literal(&mut self, literal: f64) -> fmt::Result {
        let size = literal.abs();
        match size == 0.0 || (1e-5..1e16).contains(&size) {
            true => write!(self.out, "{literal}"),
            false => write!(self.out, "{literal:e}"),
        }
    }

    fn field(&mut self, field: &Field) -> fmt::Result {
        self.view(field.view)?;
        self.column(field.column)
    }

    fn view(&mut self, view: Aggregate) -> fmt::Result {
        match aggregate_word(view) {
            "" => Ok(()),
            view => write!(self.out, "{view}."),
        }
    }

    fn column(&mut self, id: ColumnId) -> fmt::Result {
        self.out.write_str(&self.catalog.spell_column(id))
    }

    /// What is asked of a field that stands there already.
    fn word_test(&mut self, test: &WordTest) -> fmt::Result {
        match test {
            WordTest::Is(words) => match words.as_slice() {
                [word] => {
                    self.out.write_char('=')?;
                    self.value(word)
                }
                words => {
                    self.out.write_str(" in (")?;
                    for (number, word) in words.iter().enumerate() {
                        self.out.write_str(if number > 0 { ", " } else { "" })?;
                        self.value(word)?;
                    }
                    self.out.write_char(')')
                }
            },
            WordTest::IsNot(word) => {
                self.out.write_str("!=")?;
                self.value(word)
            }
            WordTest::Contains(word) => {
                self.out.write_char(':')?;
                self.value(word)
            }
            WordTest::Compare(comparison, word) => {
                self.out.write_str(comparison.sign())?;
                self.value(word)
            }
            WordTest::Missing(true) => self.out.write_str("=none"),
            WordTest::Missing(false) => self.out.write_str("!=none"),
        }
    }

    fn value(&mut self, word: &str) -> fmt::Result {
        self.out.write_str(&spell_value(word))
    }

    fn text(&mut self, text: &TextTerm) -> fmt::Result {
        let (view, key) = match text.part {
            TextTarget::Anywhere => (Aggregate::Same, ""),
            TextTarget::Prompt => (Aggregate::Same, "prompt:"),
            TextTarget::Response(view) => (view, "response:"),
            TextTarget::Quote(view) => (view, "quote:"),
            TextTarget::Title(view) => (view, "title:"),
            TextTarget::Rationale => (Aggregate::Same, "rationale:"),
        };
        self.view(view)?;
        self.pattern(key, &text.pattern)
    }

    /// What is looked for, behind a key or, where that is empty, alone.
    fn pattern(&mut self, key: &str, pattern: &Pattern) -> fmt::Result {
        self.out.write_str(key)?;
        match pattern {
            Pattern::Regex(regex) => self.regex(regex),
            Pattern::Phrase(phrase) if key.is_empty() && !self.is_bare_alone(phrase) => {
                self.quoted(phrase)
            }
            Pattern::Phrase(phrase) if !is_bare(phrase) => self.quoted(phrase),
            Pattern::Phrase(phrase) => self.out.write_str(phrase),
        }
    }

    /// Whether a word that stands alone reads as itself, whatever stands behind it.
    fn is_bare_alone(&self, word: &str) -> bool {
        let name = word
            .split(|sign: char| !is_name_sign(sign) && sign != '.')
            .next()
            .unwrap_or_default();
        let is_number = word.starts_with(|first: char| {
            first.is_ascii_digit() || matches!(first, '.' | '-' | '*' | '+')
        });
        is_bare(word)
            && !is_number
            && !word.starts_with('!')
            && !KEYWORDS.contains(&word)
            && !FOREIGN.iter().any(|(sign, _)| *sign == word)
            && sign_in(word).is_none()
            && !self.catalog.names_field(name.trim_end_matches('.'))
            && self.catalog.find(name.trim_end_matches('.')).is_none()
            && self
                .catalog
                .find(split_view(name).1.trim_end_matches('.'))
                .is_none()
    }

    fn quoted(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(&quote(text))
    }

    fn regex(&mut self, regex: &str) -> fmt::Result {
        self.out.write_char('/')?;
        let mut signs = regex.chars();
        while let Some(sign) = signs.next() {
            match sign {
                '/' => self.out.write_str("\\/")?,
                '\\' => {
                    self.out.write_char(sign)?;
                    signs
                        .next()
                        .map_or(Ok(()), |escaped| self.out.write_char(escaped))?;
                }
                _ => self.out.write_char(sign)?,
            }
        }
        self.out.write_char('/')
    }

    fn sort(&mut self, key: &SortKey) -> fmt::Result {
        self.out
            .write_str(if key.descending { "sort:-" } else { "sort:" })?;
        match &key.by {
            SortBy::Value(number @ (Number::Field(_) | Number::Absolute(_))) => self.number(number),
            SortBy::Value(number @ Number::Literal(literal)) if literal.is_sign_positive() => {
                self.number(number)
            }
            SortBy::Value(number) => self.parenthesised(number),
            SortBy::Random(seed) => write!(self.out, "random({seed})"),
        }
    }
}

/// Whether a text reads as one bare word where only a text can stand.
fn is_bare(word: &str) -> bool {
    let is_odd = |sign: char| ends_word(sign) || sign.is_control();
    !word.is_empty() && !word.starts_with('/') && !word.contains(is_odd)
}

/// A word as the value of a field: bare where that reads as the same, else in quotes.
pub(super) fn spell_value(word: &str) -> String {
    let is_plain =
        is_bare(word) && word != "none" && !word.contains(',') && sign_in(word) != Some(0);
    if is_plain {
        word.to_owned()
    } else {
        quote(word)
    }
}

fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for sign in text.chars() {
        match sign {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ => quoted.push(sign),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a term is a regex that begins with a blank, which alone could be a slash between two
/// numbers.
fn begins_like_division(term: &Expr) -> bool {
    let Expr::Text(TextTerm {
        part: TextTarget::Anywhere,
        pattern: Pattern::Regex(regex),
    }) = term
    else {
        return false;
    };
    regex.starts_with(char::is_whitespace)
}

/// Whether a term's first sign is a literal's, of which `-` would make another literal.
fn begins_with_literal(term: &Expr) -> bool {
    let (Expr::Compare { left: number, .. } | Expr::Number { of: number, .. }) = term else {
        return false;
    };
    let mut first = number;
    while let Number::Binary(_, left, _) = first {
        first = left;
    }
    matches!(first, Number::Literal(_))
}

impl Comparison {
    /// How it is written.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }
}

impl Arithmetic {
    /// How it is written.
    pub const fn sign(self) -> char {
        match self {
            Self::Plus => '+',
            Self::Minus => '-',
            Self::Times => '*',
            Self::Over => '/',
        }
    }

    /// How tightly it binds.
    const fn rank(self) -> u8 {
        match self {
            Self::Plus | Self::Minus => 0,
            Self::Times | Self::Over => 1,
        }
    }
}
