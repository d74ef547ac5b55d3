//! What a query says, once read: which samples to show, and in which order.
//!
//! Two rules give every term its meaning. **A term without a side speaks of one response, and of
//! the same one throughout the query**: a sample is shown if the filter holds for at least one of
//! its responses, as if rows were filtered. **Where a value is missing, no comparison holds**, not
//! even `!=`; `not` turns that round, and `= none` asks for it.

use std::cmp::Ordering;
use std::sync::Arc;

use super::finding_rules::FindingRule;
use crate::model::{ResponseId, SpotCheckVerdict};
pub use crate::table::{Aggregate, ColumnId, Disagreeing, Rater, Raters};

/// A whole query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// What must hold; `None` shows everything.
    pub filter: Option<Expr>,
    /// What to sort by, the most important first; ties stay in dataset order.
    pub sort: Vec<SortKey>,
}

impl Query {
    /// The texts that a sample is found by, in the order of the filter: not those that it must lack.
    pub fn texts(&self) -> Vec<&TextTerm> {
        let mut texts = Vec::new();
        if let Some(filter) = &self.filter {
            filter.add_texts(true, &mut texts);
        }
        texts
    }
}

/// Something that holds or does not, of a response or of a sample.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// All of them (two or more).
    And(Vec<Expr>),
    /// At least one of them (two or more).
    Or(Vec<Expr>),
    /// Not this.
    Not(Box<Expr>),
    /// `helpfulness>=3`, `helpfulness:2..4`, `helpfulness=none`.
    Number {
        /// What is looked at.
        of: Number,
        /// What is asked of it.
        test: NumberTest,
    },
    /// `a.correctness > a.helpfulness`; right of the sign is no literal ([`Self::compare`]).
    Compare {
        /// Left of the sign.
        left: Number,
        /// The sign.
        comparison: Comparison,
        /// Right of it.
        right: Number,
    },
    /// `dataset=eli5`, `file:validation`, `verdict=tie`, `tag:x`.
    Word {
        /// What is looked at.
        of: Field,
        /// What is asked of it.
        test: WordTest,
    },
    /// `"exact phrase"`, `prompt:python`, `a.response:/def \w+/`.
    Text(TextTerm),
    /// `best:a`: the response is among the best; in a tie every rated one is.
    Best(ResponseId),
    /// `is:tie`, `is:marked`: a flag of the table of columns; `disagrees:dataset`: two judgments of the
    /// sample differ.
    Is(ColumnId),
    /// `has:code`, `b.has:hidden`, `has:note`.
    Has(Aggregate, Feature),
    /// `cite:dangling`.
    Cites(Aggregate, CitationTest),
    /// `note:"a phrase"`: a note of a reviewer on the sample has this.
    Note(Pattern),
    /// `check:wrong`: a reviewer says this of what the dataset says of the sample; `None` is
    /// `check:any`, whatever it is.
    Check(Option<SpotCheckVerdict>),
    /// `finding:empty.wins`: the rule of this name fires.
    Finding(Arc<FindingRule>),
}

impl Expr {
    /// A comparison.
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

    /// The field of whose value a term asks something, and what; `None` if it asks for anything else,
    /// or whether there is a value.
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

    /// What a term asks of the value of a field.
    pub fn test_of(&self, field: &Field) -> Option<&NumberTest> {
        let (of, test) = self.field_test()?;
        (of == field).then_some(test)
    }

    /// Whether this holds of a value of a column; `None` if it asks for more than how that value
    /// compares with numbers.
    pub fn holds_of(&self, column: ColumnId, value: f64) -> Option<bool> {
        match self {
            Self::Not(one) => one.holds_of(column, value).map(|holds| !holds),
            Self::Compare {
                left: Number::Literal(left),
                comparison,
                right: Number::Field(of),
            } => (*of == Field::of(column)).then(|| comparison.holds(*left, value)),
            term => Some(term.test_of(&Field::of(column))?.holds(value)),
        }
    }

    /// Adds the texts that there must be, where this must hold or must not.
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

/// A number of a response or of a sample.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// A literal; finite.
    Literal(f64),
    /// A field; to sort by, it can also be of words.
    Field(Field),
    /// `-x`.
    Negative(Box<Number>),
    /// `abs(x)`.
    Absolute(Box<Number>),
    /// `x + y`.
    Binary(Arithmetic, Box<Number>, Box<Number>),
}

/// A field. Fields of a response have a view; those of a sample, and words, always have
/// [`Aggregate::Same`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field {
    /// Of which response.
    pub view: Aggregate,
    /// What.
    pub column: ColumnId,
}

/// What is asked of a number.
#[derive(Debug, Clone, PartialEq)]
pub enum NumberTest {
    /// `>=3`.
    Compare(Comparison, f64),
    /// `:2..4`, both ends included; at least one end is there.
    Within(Option<f64>, Option<f64>),
    /// ` in (0, 4)`: at least one.
    Among(Vec<f64>),
    /// `= none` (then true), `!= none`.
    Missing(bool),
}

impl NumberTest {
    /// The same with every value multiplied.
    pub(super) fn times(&self, factor: f64) -> Self {
        match self {
            Self::Compare(comparison, value) => Self::Compare(*comparison, value * factor),
            Self::Within(low, high) => {
                let [low, high] = [low, high].map(|end| end.map(|value| value * factor));
                Self::Within(low, high)
            }
            Self::Among(values) => Self::Among(values.iter().map(|value| value * factor).collect()),
            Self::Missing(_) => self.clone(),
        }
    }

    /// Whether it holds of a value, NaN where there is none.
    pub fn holds(&self, value: f64) -> bool {
        match self {
            Self::Compare(comparison, other) => comparison.holds(value, *other),
            Self::Within(low, high) => {
                low.is_none_or(|low| value >= low)
                    & high.is_none_or(|high| value <= high)
                    & !value.is_nan()
            }
            Self::Among(values) => values.contains(&value),
            Self::Missing(missing) => value.is_nan() == *missing,
        }
    }
}

/// What is asked of a word, or of tags. Letters match in both cases unless the asked word has an
/// upper-case one (smart case).
///
/// A sample has one word and any number of tags: one tag that passes is enough, but for `!=`, which
/// none may fail.
#[derive(Debug, Clone, PartialEq)]
pub enum WordTest {
    /// `=` one of these, whole (`in (x, y)`; `=x` has one).
    Is(Vec<String>),
    /// `!=`: something, and not this.
    IsNot(String),
    /// `:` this is in it.
    Contains(String),
    /// `= none` (then true), `!= none`.
    Missing(bool),
    /// `>=` this, of dates: as much of the word as this has compares so.
    Compare(Comparison, String),
}

/// How two numbers compare.
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
    /// Whether two values that compare like this do so.
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

    /// Whether two numbers compare so; never where one is NaN.
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

/// What is made of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`; by zero: missing.
    Over,
}

/// A text to be found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextTerm {
    /// Where.
    pub part: TextTarget,
    /// What.
    pub pattern: Pattern,
}

/// Where a text is looked for. Views are [`Aggregate::Same`], `A`, `B`, `Any`, `Both`, `Winner` or
/// `Loser`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextTarget {
    /// In the prompt, any response, its quotes and their titles; in a malformed row: in the raw
    /// line. Of the sample. What was written about them tells of labels, and is not among these.
    Anywhere,
    /// In the prompt. Of the sample.
    Prompt,
    /// In the response.
    Response(Aggregate),
    /// In a quote of the response.
    Quote(Aggregate),
    /// In the title of a quote of the response.
    Title(Aggregate),
    /// In what somebody wrote about the sample or its responses. Of the sample.
    Rationale,
}

/// What is looked for. Letters match in both cases unless the pattern has an upper-case one (smart
/// case).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// These characters, in this order.
    Phrase(String),
    /// A regular expression in the syntax of the `regex` crate, known to compile.
    Regex(String),
}

/// `has:…`. Notes and tags are of the sample: their view is always [`Aggregate::Same`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A fenced code block in the response.
    Code,
    /// Characters that do not show, in the response or its quotes; without a side, in the prompt
    /// too.
    Hidden,
    /// Completion tokens of the response that are not its answer.
    OtherTokens,
    /// A reviewer wrote a note on the sample.
    Note,
    /// A reviewer gave the sample a tag.
    Tag,
}

/// `cite:…`, of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CitationTest {
    /// It cites a quote that it does not have.
    Dangling,
    /// It has a quote that it does not cite.
    Unused,
}

/// One thing to sort by. Samples without a value come last in either direction.
#[derive(Debug, Clone, PartialEq)]
pub struct SortKey {
    /// By what.
    pub by: SortBy,
    /// Whether the greatest comes first.
    pub descending: bool,
}

/// What to sort by.
#[derive(Debug, Clone, PartialEq)]
pub enum SortBy {
    /// A number, or a field of words, in the order of their characters. Of a number that each response
    /// has, the greater of the two counts where the greatest comes first, and the smaller one
    /// otherwise.
    Value(Number),
    /// `random(7)`: shuffled, always alike for the same seed and dataset, whatever the filter.
    /// Never descending.
    Random(u64),
}
