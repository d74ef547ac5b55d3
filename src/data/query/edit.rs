//! Composing queries from terms, splitting them, and changing their order.

use super::ast::{ColumnId, Expr, Field, Query, SortKey, WordTest};
use super::catalog::Catalog;
use super::parse::parse_with_sorts;

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
