//! Explains why a query finds nothing: which term never matches, and what may have been meant.

use std::ops::ControlFlow;

use super::selection::QueriedData;
use super::texts;
use crate::query::{Expr, Pattern, Query, WordTest, find, is_quick, tally};
use crate::text::{nearest, one_line};

/// Maximum number of a column's values to list when none is similar.
const MAX_WORDS: usize = 6;

impl QueriedData<'_> {
    /// Returns explanations, one sentence each, without a full stop.
    pub(super) fn explain_no_match(&self) -> Vec<String> {
        (self.explain_words().into_iter())
            .chain(self.explain_term())
            .collect()
    }

    /// Returns the message that the filter finds nothing, with explanations.
    pub(super) fn no_match(&self, done: &str) -> String {
        let why = self.explain_no_match().into_iter();
        why.fold(texts::no_match(done), |all, why| format!("{all}; {why}"))
    }

    /// Explains words that were searched as text but may have been meant as a field or as syntax of
    /// another query language.
    fn explain_words(&self) -> Option<String> {
        let texts = self.query.texts();
        let words = texts.iter().filter_map(|text| match &text.pattern {
            Pattern::Phrase(words) => Some(&**words),
            Pattern::Regex(_) => None,
        });
        let words: Vec<_> = words.collect();
        if words.len() > 1 {
            let words = one_line(&words.join(", "), 100);
            return Some(texts::words_as_texts(words));
        }
        let field = one_line(self.catalog.likely_field(&self.query)?, 48);
        Some(texts::field_meant(field))
    }

    /// Names the first term that matches no sample by itself. A sole term is named only with a
    /// suggestion.
    fn explain_term(&self) -> Option<String> {
        // `Notes` explains that.
        if self.query.explain_no_match(&self.catalog).is_some() {
            return None;
        }
        let terms = self.query.conjuncts();
        let term = terms.iter().find(|term| self.matches_nothing(term))?;
        let spelled = |term: &Expr| one_line(&term.spelled(&self.catalog).to_string(), 60);
        let meant = self.suggest_value(term, spelled);
        match (meant, terms) {
            (Some(meant), _) => Some(texts::term_matches_nothing(spelled(term), meant)),
            (None, [_]) => None,
            (None, _) => Some(texts::term_alone(spelled(term))),
        }
    }

    /// True if the term can be answered from columns and matches no sample.
    fn matches_nothing(&self, term: &Expr) -> bool {
        let query = Query::with_conjuncts(vec![term.clone()], Vec::new());
        if !is_quick(&query, &self.dataset) {
            return false;
        }
        let mut is_found = false;
        // Stops only at the first match.
        let _ = find(
            &query,
            &self.dataset,
            0..self.dataset.samples(),
            self.context(),
            &|| true,
            &mut |found, _| {
                if found.samples.is_empty() {
                    ControlFlow::Continue(())
                } else {
                    is_found = true;
                    ControlFlow::Break(())
                }
            },
        );
        !is_found
    }

    /// Suggests values of a term's column that are similar to the one in the query.
    fn suggest_value(&self, term: &Expr, spelled: impl Fn(&Expr) -> String) -> Option<String> {
        let Expr::Word { of, test } = term else {
            return None;
        };
        let asked = match test {
            WordTest::Is(asked) => asked.first()?,
            WordTest::Contains(asked) => asked,
            WordTest::IsNot(_) | WordTest::Missing(_) | WordTest::Compare(..) => return None,
        };
        let known = tally(&self.dataset, *of);
        let words = known.iter().map(|(word, _)| &**word);
        let is_same = |word: &&str| word.to_lowercase() == asked.to_lowercase();
        let near = words.clone().find(is_same);
        if let Some(near) = near.or_else(|| nearest(asked, words.clone())) {
            let test = WordTest::Is(vec![near.to_owned()]);
            let meant = Expr::Word { of: *of, test };
            return Some(texts::term_meant(spelled(&meant)));
        }
        if known.is_empty() {
            return None;
        }
        let more = if known.len() > MAX_WORDS { ", …" } else { "" };
        let words: Vec<_> = words.take(MAX_WORDS).collect();
        let words = one_line(&words.join(", "), 100);
        Some(texts::values_are(words, more))
    }
}
