//! Printer of queries, in their canonical form.

use std::fmt::{self, Display, Formatter};

use super::lex::Cursor;
use crate::query::Catalog;
use crate::query::ast::{
    Aggregate, Arithmetic, Comparison, Expr, Field, Number, NumberTest, Pattern, Query, SortBy,
    SortKey, TextTarget, TextTerm, WordTest,
};
use crate::query::words::{
    CHECKS, TermPrefix, VOCABULARY, aggregate_word, ends_word, is_keyword, is_name_sign, sign_in,
    spelling, split_prefix,
};

/// Displays a part of a query; parsing the text with the same catalog gives the same part.
///
/// The catalog is needed because a searched word is quoted only if a field has its name.
#[derive(Debug, Clone, Copy)]
pub struct DisplayWith<'a, T> {
    what: &'a T,
    catalog: &'a Catalog,
}

macro_rules! spelled {
    ($($type:ty: $print:ident),*) => {$(
        impl $type {
            /// Displays this with the names of a catalog.
            pub const fn spelled<'a>(&'a self, catalog: &'a Catalog) -> DisplayWith<'a, Self> {
                DisplayWith { what: self, catalog }
            }
        }

        impl Display for DisplayWith<'_, $type> {
            fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
                out.write_str(&Printer { catalog: self.catalog }.$print(self.what))
            }
        }
    )*};
}

spelled!(Query: query, Expr: term, Number: number, Field: field, SortKey: sort);

struct Printer<'a> {
    catalog: &'a Catalog,
}

impl Printer<'_> {
    fn query(&self, query: &Query) -> String {
        let filter = query.filter.iter().map(|filter| self.alternatives(filter));
        let sorts = query.sort.iter().map(|key| self.sort(key));
        filter.chain(sorts).collect::<Vec<_>>().join(" ")
    }

    fn alternatives(&self, expr: &Expr) -> String {
        match expr {
            Expr::Or(terms) => joined(terms, " or ", |term| self.terms(term)),
            expr => self.terms(expr),
        }
    }

    fn terms(&self, expr: &Expr) -> String {
        let Expr::And(terms) = expr else {
            return self.term(expr);
        };
        let mut all = String::new();
        for term in terms.iter().map(|term| self.term(term)) {
            // A slash between blanks would divide.
            let is_like_division = term
                .strip_prefix('/')
                .unwrap_or_default()
                .starts_with(char::is_whitespace);
            let joint = if is_like_division { " and " } else { " " };
            all += if all.is_empty() { "" } else { joint };
            all += &term;
        }
        all
    }

    /// Prints a term that can be joined with others.
    fn term(&self, expr: &Expr) -> String {
        match expr {
            Expr::And(_) | Expr::Or(_) => format!("({})", self.alternatives(expr)),
            Expr::Not(negated) => {
                let term = self.term(negated);
                // A minus sign would make a negative literal.
                let is_literal = term
                    .strip_prefix('-')
                    .unwrap_or(&term)
                    .starts_with(|first: char| first.is_ascii_digit());
                format!("{}{term}", if is_literal { "not " } else { "-" })
            }
            Expr::Number { of, test } => self.number_test(of, test),
            Expr::Compare {
                left,
                comparison,
                right,
            } => {
                let (left, right) = (self.number_at(true, left), self.number(right));
                format!("{left} {} {right}", comparison.sign())
            }
            Expr::Word { of, test } => format!("{}{}", self.field(of), word_test(test)),
            Expr::Text(text) => self.text(text),
            Expr::Is(of) => self.field(of),
            Expr::Best(response) => format!("best:{}", response.word()),
            Expr::Note(pattern) => self.pattern("note:", pattern),
            Expr::Check(verdict) => format!("check:{}", spelling(CHECKS, *verdict)),
            Expr::Finding(rule) => format!("finding:{}", rule.name()),
        }
    }

    fn number_test(&self, of: &Number, test: &NumberTest) -> String {
        let left = self.number_at(true, of);
        let is_field = matches!(of, Number::Field(_));
        let blank = if is_field { "" } else { " " };
        match test {
            NumberTest::Compare(comparison, value) => {
                let (sign, value) = (comparison.sign(), literal(value));
                format!("{left}{blank}{sign}{blank}{value}")
            }
            NumberTest::Within(low, high) => {
                let has_colon = is_field || matches!(of, Number::Absolute(_));
                let sign = if has_colon { ":" } else { " = " };
                let [low, high] =
                    [low, high].map(|end| end.as_ref().map(literal).unwrap_or_default());
                format!("{left}{sign}{low}..{high}")
            }
            NumberTest::Among(values) => format!("{left} in ({})", joined(values, ", ", literal)),
            NumberTest::Missing(missing) => {
                format!("{left}{blank}{}{blank}none", equality(*missing))
            }
        }
    }

    fn number(&self, number: &Number) -> String {
        self.number_at(false, number)
    }

    /// Prints a number; `is_start` if a term begins here, where a minus sign would negate it.
    fn number_at(&self, is_start: bool, number: &Number) -> String {
        match number {
            Number::Literal(value) => literal(value),
            Number::Field(field) => self.field(field),
            Number::Negative(_) if is_start => format!("({})", self.number(number)),
            Number::Negative(inner) => match &**inner {
                // `-3` is a literal.
                Number::Literal(value) if value.is_sign_positive() => {
                    format!("-({})", literal(value))
                }
                Number::Binary(..) => format!("-({})", self.number(inner)),
                inner => format!("-{}", self.number(inner)),
            },
            Number::Absolute(inner) => format!("abs({})", self.number(inner)),
            Number::Binary(operator, left, right) => {
                let left = self.operand(left, operator.rank(), is_start);
                // Operators associate to the left, so the right operand needs parentheses.
                let right = self.operand(right, operator.rank() + 1, false);
                format!("{left} {} {right}", operator.sign())
            }
        }
    }

    fn operand(&self, number: &Number, least: u8, is_start: bool) -> String {
        match number {
            Number::Binary(operator, ..) if operator.rank() < least => {
                format!("({})", self.number(number))
            }
            _ => self.number_at(is_start, number),
        }
    }

    fn field(&self, field: &Field) -> String {
        format!(
            "{}{}",
            view(field.view),
            self.catalog.spell_column(field.column)
        )
    }

    fn text(&self, text: &TextTerm) -> String {
        let of = match text.part {
            TextTarget::Response(of) | TextTarget::Quote(of) | TextTarget::Title(of) => of,
            _ => Aggregate::Same,
        };
        let key = TermPrefix::ALL
            .into_iter()
            .find(|key| key.text_target(of) == Some(text.part));
        let key = key.map_or_else(String::new, |key| format!("{}:", key.name()));
        view(of) + &self.pattern(&key, &text.pattern)
    }

    /// Prints a pattern after a key; an empty key prints the pattern alone.
    fn pattern(&self, key: &str, pattern: &Pattern) -> String {
        let pattern = match pattern {
            Pattern::Regex(regex) => slashed(regex),
            Pattern::Phrase(phrase) => match key.is_empty() {
                true if self.is_bare_alone(phrase) => phrase.clone(),
                false if is_bare(phrase) => phrase.clone(),
                _ => quote(phrase),
            },
        };
        format!("{key}{pattern}")
    }

    /// True if a bare word parses as a text search for itself, before any further text.
    fn is_bare_alone(&self, word: &str) -> bool {
        let name = word
            .split(|sign: char| !is_name_sign(sign) && sign != '.')
            .next()
            .unwrap_or_default()
            .trim_end_matches('.');
        let is_number = word.starts_with(|first: char| {
            first.is_ascii_digit() || matches!(first, '.' | '-' | '*' | '+')
        });
        is_bare(word)
            && !is_number
            && !word.starts_with('!')
            && !is_keyword(word)
            && !(Cursor { text: word, at: 0 }).is_at_joint()
            && !VOCABULARY.units.contains(&word.to_lowercase())
            && sign_in(word).is_none()
            && self.catalog.find(name).is_none()
            && self.catalog.find(split_prefix(name).1).is_none()
    }

    fn sort(&self, key: &SortKey) -> String {
        let by = match &key.by {
            SortBy::Value(number @ (Number::Field(_) | Number::Absolute(_))) => self.number(number),
            SortBy::Value(Number::Literal(value)) if value.is_sign_positive() => literal(value),
            SortBy::Value(number) => format!("({})", self.number(number)),
            SortBy::Random(seed) => format!("random({seed})"),
        };
        format!("sort:{}{by}", if key.descending { "-" } else { "" })
    }
}

fn joined<T>(items: &[T], joint: &str, print: impl Fn(&T) -> String) -> String {
    items.iter().map(print).collect::<Vec<_>>().join(joint)
}

/// Returns the prefix of a field, with its dot.
pub(super) fn view(view: Aggregate) -> String {
    match aggregate_word(view) {
        "" => String::new(),
        view => format!("{view}."),
    }
}

const fn equality(is_equal: bool) -> &'static str {
    if is_equal { "=" } else { "!=" }
}

/// Returns the shortest decimal that parses as the same number.
fn literal(literal: &f64) -> String {
    let size = literal.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) {
        format!("{literal}")
    } else {
        format!("{literal:e}")
    }
}

/// Prints the test after a field.
fn word_test(test: &WordTest) -> String {
    match test {
        WordTest::Is(words) => match words.as_slice() {
            [word] => format!("={}", spell_value(word)),
            words => format!(" in ({})", joined(words, ", ", |word| spell_value(word))),
        },
        WordTest::IsNot(word) => format!("!={}", spell_value(word)),
        WordTest::Contains(word) => format!(":{}", spell_value(word)),
        WordTest::Compare(comparison, word) => comparison.sign().to_owned() + &spell_value(word),
        WordTest::Missing(missing) => format!("{}none", equality(*missing)),
    }
}

fn slashed(regex: &str) -> String {
    let mut slashed = String::from("/");
    let mut signs = regex.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '/' => slashed.push_str("\\/"),
            '\\' => slashed.extend([sign].into_iter().chain(signs.next())),
            _ => slashed.push(sign),
        }
    }
    slashed + "/"
}

/// True if a text needs no quotes where a pattern is expected.
fn is_bare(word: &str) -> bool {
    let is_odd = |sign: char| ends_word(sign) || sign.is_control();
    !word.is_empty() && !word.starts_with('/') && !word.ends_with(',') && !word.contains(is_odd)
}

/// Prints a word as a value, in quotes if needed.
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
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n").replace('\t', "\\t"))
}

impl Comparison {
    /// Its spelling.
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
    pub(super) const ALL: [Self; 4] = [Self::Plus, Self::Minus, Self::Times, Self::Over];

    /// Its spelling.
    pub const fn sign(self) -> char {
        match self {
            Self::Plus => '+',
            Self::Minus => '-',
            Self::Times => '*',
            Self::Over => '/',
        }
    }

    /// Binding strength; greater binds tighter.
    pub(super) const fn rank(self) -> u8 {
        match self {
            Self::Plus | Self::Minus => 0,
            Self::Times | Self::Over => 1,
        }
    }
}
