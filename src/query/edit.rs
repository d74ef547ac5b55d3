//! Putting queries together from terms, and taking them apart again.

use super::ast::{ColumnId, Expr, Field, Query, SortKey, WordTest};

impl Expr {
    /// All of these: one level, whatever they are; `None` of none.
    pub fn all(terms: Vec<Self>) -> Option<Self> {
        let inner = |term| match term {
            Self::And(inner) => inner,
            term => vec![term],
        };
        flat(terms, inner, Self::And)
    }

    /// At least one of these: one level, whatever they are; `None` of none.
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
    /// The terms that must all hold; of a query that is one term, or one `or`, that.
    pub fn conjuncts(&self) -> &[Expr] {
        match &self.filter {
            None => &[],
            Some(Expr::And(terms)) => terms,
            Some(term) => std::slice::from_ref(term),
        }
    }

    /// A query for which all these terms must hold.
    pub fn with_conjuncts(terms: Vec<Expr>, sort: Vec<SortKey>) -> Self {
        Self {
            filter: Expr::all(terms),
            sort,
        }
    }

    /// A query for the samples whose word of a column is this one; for those without a word where
    /// it is absent.
    pub fn of_word(of: ColumnId, word: Option<&str>) -> Self {
        let test = match word {
            Some(word) => WordTest::Is(vec![word.to_owned()]),
            None => WordTest::Missing(true),
        };
        Self::with_conjuncts(
            vec![Expr::Word {
                of: Field::of(of),
                test,
            }],
            Vec::new(),
        )
    }

    /// This query with the terms of another, all of which must hold; its order stays.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let terms = self.conjuncts().iter().chain(other.conjuncts());
        Self::with_conjuncts(terms.cloned().collect(), self.sort.clone())
    }

    /// This query with another term in the place of the first one that is `wanted`, or behind the
    /// others where none is; without a term, the wanted ones go. Further wanted ones go in any
    /// case.
    pub fn with_conjunct(&self, wanted: impl Fn(&Expr) -> bool, term: Option<Expr>) -> Self {
        let mut term = term;
        let mut terms = Vec::new();
        for conjunct in self.conjuncts() {
            match wanted(conjunct) {
                true => terms.extend(term.take()),
                false => terms.push(conjunct.clone()),
            }
        }
        terms.extend(term);
        Self::with_conjuncts(terms, self.sort.clone())
    }
}
