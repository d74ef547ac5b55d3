//! The parsed form of a query: which samples to show, and in which order.
//!
//! Two rules give every term its meaning. **A term without a prefix refers to one response, the
//! same one throughout the query**: a sample is shown if the filter holds for at least one of its
//! responses, as if rows were filtered. **If a value is missing, no comparison holds**, not even
//! `!=`; `not` inverts this, and `= none` tests for it.

use std::cmp::Ordering;
use std::sync::Arc;

use super::rule::RuleDefinition;
use crate::model::{ResponseId, SpotCheckVerdict};
pub use crate::table::{Aggregate, ColumnId, DisagreementScope, Rater, Raters, TextFlag};
use crate::table::{ColumnSource, Level};
use crate::text::shown_value;

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// The condition for showing a sample; `None` shows every sample.
    pub filter: Option<Expr>,
    /// Sort keys, the most important first; ties stay in dataset order.
    pub sort: Vec<SortKey>,
}

impl Query {
    /// Returns the texts that the filter searches for, in its order, without the negated ones.
    pub fn texts(&self) -> Vec<&TextTerm> {
        let mut texts = Vec::new();
        if let Some(filter) = &self.filter {
            filter.add_texts(true, &mut texts);
        }
        texts
    }
}

/// A condition on a response or on a sample.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// All conditions hold (two or more).
    And(Vec<Expr>),
    /// At least one condition holds (two or more).
    Or(Vec<Expr>),
    /// The condition does not hold.
    Not(Box<Expr>),
    /// `helpfulness>=3`, `helpfulness:2..4`, `helpfulness=none`.
    Number {
        /// The tested number.
        of: Number,
        /// The test.
        test: NumberTest,
    },
    /// `a.correctness > a.helpfulness`; the right side is not a literal ([`Self::compare`]).
    Compare {
        /// The left side.
        left: Number,
        /// The operator.
        comparison: Comparison,
        /// The right side.
        right: Number,
    },
    /// `dataset=eli5`, `file:validation`, `verdict=tie`, `tag:x`.
    Word {
        /// The tested field.
        of: Field,
        /// The test.
        test: WordTest,
    },
    /// `"exact phrase"`, `prompt:python`, `a.response:/def \w+/`.
    Text(TextTerm),
    /// `best:a`: the response is among the best; in a tie every rated one is.
    Best(ResponseId),
    /// `is:tie`, `b.has:code`: a flag column; `disagrees:dataset`: two judgments of the sample
    /// differ.
    Is(Field),
    /// `note:"a phrase"`: a reviewer's note on the sample contains the text.
    Note(Pattern),
    /// `check:wrong`: a reviewer's check of the dataset's label has this verdict; `None` is
    /// `check:any`.
    Check(Option<SpotCheckVerdict>),
    /// `finding:empty.wins`: the rule of this name fires.
    Finding(Arc<FindingRule>),
}

impl Expr {
    /// Compares two numbers; a literal on the right becomes a [`NumberTest`].
    pub fn compare(left: Number, comparison: Comparison, right: Number) -> Self {
        match right {
            Number::Literal(value) => Self::Number {
                of: left,
                test: NumberTest::Compare(comparison, value),
            },
            right => Self::Compare {
                left,
                comparison,
                right,
            },
        }
    }

    /// Returns the field whose value a term tests, with the test; `None` for other terms and for
    /// tests of missing values.
    pub fn field_test(&self) -> Option<(&Field, &NumberTest)> {
        match self {
            Self::Number {
                test: NumberTest::Missing(_),
                ..
            } => None,
            Self::Number {
                of: Number::Field(of),
                test,
            } => Some((of, test)),
            _ => None,
        }
    }

    /// Returns the test of a field's value, if the term has one.
    pub fn test_of(&self, field: &Field) -> Option<&NumberTest> {
        let (of, test) = self.field_test()?;
        (of == field).then_some(test)
    }

    /// Adds the texts that must occur; `holds` is false below a negation.
    fn add_texts<'e>(&'e self, holds: bool, texts: &mut Vec<&'e TextTerm>) {
        match self {
            Self::And(all) | Self::Or(all) => {
                all.iter().for_each(|one| one.add_texts(holds, texts));
            }
            Self::Not(one) => one.add_texts(!holds, texts),
            Self::Text(text) if holds => texts.push(text),
            _ => {}
        }
    }
}

impl Expr {
    /// Flattens a conjunction. Returns `None` if it is empty.
    pub fn all(terms: Vec<Self>) -> Option<Self> {
        let inner = |term| match term {
            Self::And(inner) => inner,
            term => vec![term],
        };
        flat(terms, inner, Self::And)
    }

    /// Flattens a disjunction. Returns `None` if it is empty.
    pub fn any(terms: Vec<Self>) -> Option<Self> {
        let inner = |term| match term {
            Self::Or(inner) => inner,
            term => vec![term],
        };
        flat(terms, inner, Self::Or)
    }
}

fn flat(
    terms: Vec<Expr>,
    inner: impl Fn(Expr) -> Vec<Expr>,
    join: impl Fn(Vec<Expr>) -> Expr,
) -> Option<Expr> {
    let mut flat: Vec<_> = terms.into_iter().flat_map(inner).collect();
    match flat.len() {
        0 | 1 => flat.pop(),
        _ => Some(join(flat)),
    }
}

impl Query {
    /// Returns the terms that must all hold. A filter with a single term or an `or` at the top is
    /// one term.
    pub fn conjuncts(&self) -> &[Expr] {
        match &self.filter {
            None => &[],
            Some(Expr::And(terms)) => terms,
            Some(term) => std::slice::from_ref(term),
        }
    }

    /// Builds a query in which all terms must hold.
    pub fn with_conjuncts(terms: Vec<Expr>, sort: Vec<SortKey>) -> Self {
        Self {
            filter: Expr::all(terms),
            sort,
        }
    }

    /// Builds a query for the samples with this word in a column; `None` finds those without a
    /// word.
    pub fn of_word(of: ColumnId, word: Option<&str>) -> Self {
        let test = match word {
            Some(word) => WordTest::Is(vec![word.to_owned()]),
            None => WordTest::Missing(true),
        };
        let of = Field::of(of);
        Self {
            filter: Some(Expr::Word { of, test }),
            sort: Vec::new(),
        }
    }

    /// Adds the terms of another query; the sort order stays.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let terms = self.conjuncts().iter().chain(other.conjuncts());
        Self::with_conjuncts(terms.cloned().collect(), self.sort.clone())
    }

    /// Replaces the first term that `matches` by `term`, or appends `term` if none does. Removes
    /// all other matching terms.
    pub fn with_conjunct(&self, matches: impl Fn(&Expr) -> bool, term: Option<Expr>) -> Self {
        let mut term = term;
        let mut terms = Vec::new();
        for conjunct in self.conjuncts() {
            if matches(conjunct) {
                terms.extend(term.take());
            } else {
                terms.push(conjunct.clone());
            }
        }
        terms.extend(term);
        Self::with_conjuncts(terms, self.sort.clone())
    }
}

/// A number of a response or of a sample.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// A finite literal.
    Literal(f64),
    /// A field. A sort key can also be a field of words.
    Field(Field),
    /// `-x`.
    Negative(Box<Number>),
    /// `abs(x)`.
    Absolute(Box<Number>),
    /// `x + y`.
    Binary(Arithmetic, Box<Number>, Box<Number>),
}

/// A column with its aggregate. Columns of a sample, and of words, always have [`Aggregate::Same`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field {
    /// The response or aggregate, as in `a.` or `max.`.
    pub view: Aggregate,
    /// The column.
    pub column: ColumnId,
}

/// A test of a number.
#[derive(Debug, Clone, PartialEq)]
pub enum NumberTest {
    /// `>=3`.
    Compare(Comparison, f64),
    /// `:2..4`, both ends included; at least one end is given.
    Within(Option<f64>, Option<f64>),
    /// ` in (0, 4)`: at least one.
    Among(Vec<f64>),
    /// `= none` (then true), `!= none`.
    Missing(bool),
}

impl NumberTest {
    /// True if the test holds for a value; NaN is a missing value. A value equals the number that is
    /// shown for it, because users see and type rounded values. Order is exact, so that each value
    /// is in one of two neighbouring ranges.
    pub fn holds(&self, value: f64) -> bool {
        match self {
            Self::Compare(comparison @ (Comparison::Equal | Comparison::NotEqual), other) => {
                comparison.holds(as_shown(value, *other), *other)
            }
            Self::Compare(comparison, other) => comparison.holds(value, *other),
            Self::Within(low, high) => {
                low.is_none_or(|low| value >= low)
                    & high.is_none_or(|high| value <= high)
                    & !value.is_nan()
            }
            Self::Among(values) => values.iter().any(|other| as_shown(value, *other) == *other),
            Self::Missing(missing) => value.is_nan() == *missing,
        }
    }
}

/// Returns `number` if a value is shown so, otherwise the value.
fn as_shown(value: f64, number: f64) -> f64 {
    // A rounded value differs by at most half of its fourth digit.
    let is_near = (value - number).abs() <= number.abs() / 1999.0;
    if is_near && shown_value(value) == number {
        number
    } else {
        value
    }
}

/// A test of a word, or of tags. Case is ignored unless the tested word has an upper-case letter
/// (smart case).
///
/// A sample has one word and any number of tags: one passing tag is enough, but `!=` must hold for
/// all.
#[derive(Debug, Clone, PartialEq)]
pub enum WordTest {
    /// `=`: the whole word is one of these (`in (x, y)`; `=x` has one).
    Is(Vec<String>),
    /// `!=`: there is a word, and not this one.
    IsNot(String),
    /// `:`: the word contains this.
    Contains(String),
    /// `= none` (then true), `!= none`.
    Missing(bool),
    /// `>=` on dates: compares as many characters of the word as this has.
    Compare(Comparison, String),
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// True if values in this order satisfy the operator.
    pub fn holds_of(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }

    /// True if two numbers satisfy the operator; false if one is NaN.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => (left < right) | (left > right),
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Greater => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`; division by zero gives a missing value.
    Over,
}

/// A text to search for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextTerm {
    /// The texts to search in.
    pub part: TextTarget,
    /// The text to find.
    pub pattern: Pattern,
}

/// The texts that a term searches. Aggregates are [`Aggregate::Same`], `A`, `B`, `Any`, `Both`,
/// `Winner` or `Loser`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextTarget {
    /// All texts of the sample: the prompt, responses, quotes and their titles, rationales and ids;
    /// the raw line of a malformed row. While labels are hidden, without rationales and ids.
    Anywhere,
    /// The prompt. Of the sample.
    Prompt,
    /// The response.
    Response(Aggregate),
    /// A quote of the response.
    Quote(Aggregate),
    /// The title of a quote of the response.
    Title(Aggregate),
    /// Rationales that annotators wrote about the sample or its responses. Of the sample.
    Rationale,
}

/// A search pattern. Case is ignored unless the pattern has an upper-case letter (smart case).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A literal text.
    Phrase(String),
    /// A valid regular expression in the syntax of the `regex` crate.
    Regex(String),
}

/// A sort key. Samples without a value come last in either direction.
#[derive(Debug, Clone, PartialEq)]
pub struct SortKey {
    /// The sorted value.
    pub by: SortBy,
    /// True if the greatest value comes first.
    pub descending: bool,
}

/// The value to sort by.
#[derive(Debug, Clone, PartialEq)]
pub enum SortBy {
    /// A number, or a field of words in character order. For a number of responses, a sample counts
    /// with its greatest value if descending, otherwise with its least.
    Value(Number),
    /// `random(7)`: a shuffled order that depends on the seed and the dataset only. Never
    /// descending.
    Random(u64),
}

/// A rule that applies to a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingRule {
    /// The rule as written.
    pub definition: RuleDefinition,
    pub(super) filter: Expr,
    /// True if it depends on what a blind reviewer must not know.
    pub reveals_labels: bool,
    /// True if it finds rows that were repaired or malformed; reading such a row again shows the
    /// reason.
    pub asks_how_rows_were_read: bool,
    /// True if it can never fire, because it requires a winner that is no better by the deciding
    /// label.
    pub contradicts_outcome: bool,
}

impl FindingRule {
    /// The name in `finding:`.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// True if the rule applies to samples of a schema.
    pub(super) fn is_for(&self, schema: &str) -> bool {
        let schemas = &self.definition.schemas;
        schemas.is_empty() || schemas.iter().any(|name| name == schema)
    }
}

/// The rules of a dataset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindingRules {
    /// Rules that apply, the worst first, then by name.
    pub rules: Vec<Arc<FindingRule>>,
    /// Rules that do not apply, with the reason.
    pub others: Vec<(RuleDefinition, String)>,
}

impl FindingRules {
    /// True if a word is the name of a rule and not an ordinary word.
    pub(super) fn names_rule(&self, word: &str) -> bool {
        let mut rules = self
            .rules
            .iter()
            .map(|rule| &rule.definition)
            .chain(self.others.iter().map(|(rule, _)| rule));
        !word.chars().all(char::is_alphanumeric) && rules.any(|rule| *rule.name == *word)
    }
}

impl Field {
    /// A column without a prefix.
    pub const fn of(column: ColumnId) -> Self {
        let view = Aggregate::Same;
        Self { view, column }
    }

    /// Returns whether the field has one value per response or per sample.
    pub fn level(&self) -> Level {
        match self.view {
            Aggregate::Same | Aggregate::Any | Aggregate::All => self.column.level,
            _ => Level::Sample,
        }
    }

    /// True if its value may depend on a column, also through the label that decides the verdict.
    pub(super) fn asks_for(&self, column: ColumnId) -> bool {
        let is_of_rows = matches!(
            self.column.source,
            ColumnSource::Label
                | ColumnSource::Fact
                | ColumnSource::Field(_)
                | ColumnSource::Response(_)
                | ColumnSource::Prompt(_)
                | ColumnSource::Row
                | ColumnSource::Line
                | ColumnSource::Sample
        );
        // Words that are not read from rows may depend on any column.
        let may_ask = if self.column.kind.is_number() || self.column.source.field().is_some() {
            matches!(column.source, ColumnSource::Label)
        } else {
            true
        };
        self.column == column || (may_ask && (!is_of_rows || self.view.is_of_outcome()))
    }
}

impl Number {
    /// True if a field has this aggregate.
    pub fn has_view(&self, view: Aggregate) -> bool {
        self.fields().iter().any(|field| field.view == view)
    }

    pub(super) fn fields(&self) -> Vec<&Field> {
        match self {
            Self::Literal(_) => Vec::new(),
            Self::Field(field) => vec![field],
            Self::Negative(inner) | Self::Absolute(inner) => inner.fields(),
            Self::Binary(_, left, right) => [left.fields(), right.fields()].concat(),
        }
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = ColumnId> {
        self.fields().into_iter().map(|field| field.column)
    }
}

impl Expr {
    /// Lists the terms, including those of rules.
    pub(super) fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().flat_map(Self::leaves).collect(),
            Self::Not(not) => not.leaves(),
            Self::Finding(rule) => rule.filter.leaves(),
            leaf => vec![leaf],
        }
    }

    /// Lists the numbers that a term compares.
    pub(super) fn numbers(&self) -> Vec<&Number> {
        match self {
            Self::Compare { left, right, .. } => vec![left, right],
            Self::Number { of, .. } => vec![of],
            _ => Vec::new(),
        }
    }

    /// Lists the fields that a term names.
    pub(super) fn fields(&self) -> Vec<Field> {
        match self {
            Self::Word { of, .. } | Self::Is(of) => vec![*of],
            _ => self
                .numbers()
                .into_iter()
                .flat_map(Number::fields)
                .copied()
                .collect(),
        }
    }

    /// Iterates over the columns that a term names.
    pub(super) fn columns(&self) -> impl Iterator<Item = ColumnId> {
        self.fields().into_iter().map(|field| field.column)
    }
}

impl Query {
    /// Lists the columns that the query names, including those in rules and sort keys.
    pub(super) fn columns(&self) -> Vec<ColumnId> {
        self.sort_fields()
            .into_iter()
            .map(|field| field.column)
            .chain(self.leaves().into_iter().flat_map(Expr::columns))
            .collect()
    }

    /// Lists the terms of the filter, including those of rules.
    pub(super) fn leaves(&self) -> Vec<&Expr> {
        self.filter.as_ref().map_or(Vec::new(), Expr::leaves)
    }

    /// Lists the fields in sort keys.
    pub(super) fn sort_fields(&self) -> Vec<Field> {
        let fields = |key: &SortKey| match &key.by {
            SortBy::Value(number) => number.fields().into_iter().copied().collect(),
            SortBy::Random(_) => Vec::new(),
        };
        self.sort.iter().flat_map(fields).collect()
    }
}

impl SortKey {
    /// The sorted field, if the key is one.
    pub fn field(&self) -> Option<Field> {
        match &self.by {
            SortBy::Value(Number::Field(field)) => Some(*field),
            _ => None,
        }
    }
}

/// True if a query uses the number of findings.
pub(super) fn asks_for_findings(query: &Query) -> bool {
    query
        .columns()
        .into_iter()
        .any(|column| matches!(column.source, ColumnSource::Findings(_)))
}

/// True if marking, tagging, noting or rating a sample can change a query's answer.
pub fn depends_on_remarks(query: &Query) -> bool {
    let mut leaves = query.leaves().into_iter();
    query.columns().into_iter().any(ColumnId::is_of_reviewers)
        || leaves.any(|leaf| matches!(leaf, Expr::Note(_) | Expr::Check(_)))
}
