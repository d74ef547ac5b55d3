//! What a person should know where a query finds nothing: which of its terms is to blame, and what
//! may have been meant.

use std::ops::ControlFlow;

use super::selection::QueriedData;
use crate::query::{Expr, Pattern, Query, WordTest, find, is_quick, tally};
use crate::text::{nearest, one_line};

/// Words of a column that are named where none was meant for certain.
const MOST_WORDS: usize = 6;

impl QueriedData<'_> {
    /// One sentence each, without a full stop.
    pub(super) fn nothing_found_remarks(&self) -> Vec<String> {
        (self.words_remark().into_iter())
            .chain(self.term_remark())
            .collect()
    }

    /// That the filter finds nothing, so that nothing was done, and what may be to blame.
    pub(super) fn nothing_found(&self, done: &str) -> String {
        let told = format!("the filter finds no sample, so none was {done}");
        let why = self.nothing_found_remarks().into_iter();
        why.fold(told, |told, why| format!("{told}; {why}"))
    }

    /// Of words that nothing has, where they may have been meant otherwise: as a field, or as signs of
    /// another language.
    fn words_remark(&self) -> Option<String> {
        let texts = self.query().texts();
        let words = texts.iter().filter_map(|text| match &text.pattern {
            Pattern::Phrase(words) => Some(&**words),
            Pattern::Regex(_) => None,
        });
        let words: Vec<_> = words.collect();
        if words.len() > 1 {
            let words = one_line(&words.join(", "), 100);
            let told = format!("these words were taken as texts that stand in one sample: {words}");
            return Some(told);
        }
        let field = one_line(self.catalog.meant_field(self.query())?, 48);
        Some(format!("was the field {field} meant?"))
    }

    /// Of the first term that holds for no sample, whatever the others ask; of a term that stands alone
    /// only where something else may have been meant.
    fn term_remark(&self) -> Option<String> {
        // Notes say why that is.
        if self.query().impossible(&self.catalog).is_some() {
            return None;
        }
        let terms = self.query().conjuncts();
        let term = terms.iter().find(|term| self.holds_for_nothing(term))?;
        let spelled = |term: &Expr| one_line(&term.spelled(&self.catalog).to_string(), 60);
        let meant = self.meant_instead(term, spelled);
        match (meant, terms) {
            (Some(meant), _) => Some(format!("{} finds nothing: {meant}", spelled(term))),
            (None, [_]) => None,
            (None, _) => Some(format!("{} alone finds nothing", spelled(term))),
        }
    }

    /// Whether a term that columns answer holds for no sample.
    fn holds_for_nothing(&self, term: &Expr) -> bool {
        let query = Query::with_conjuncts(vec![term.clone()], Vec::new());
        if !is_quick(&query, &self.dataset) {
            return false;
        }
        let mut is_found = false;
        // Nothing else breaks it off.
        let _ = find(
            &query,
            &self.dataset,
            0..self.dataset.samples(),
            self.context(),
            &|| true,
            &mut |found, _| match found.samples.is_empty() {
                true => ControlFlow::Continue(()),
                false => {
                    is_found = true;
                    ControlFlow::Break(())
                }
            },
        );
        !is_found
    }

    /// Which words a column has in the place of the one that a term asks for.
    fn meant_instead(&self, term: &Expr, spelled: impl Fn(&Expr) -> String) -> Option<String> {
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
            return Some(format!("was {} meant?", spelled(&meant)));
        }
        if known.is_empty() {
            return None;
        }
        let more = if known.len() > MOST_WORDS {
            ", …"
        } else {
            ""
        };
        let words: Vec<_> = words.take(MOST_WORDS).collect();
        let words = one_line(&words.join(", "), 100);
        Some(format!("values are {words}{more}"))
    }
}
