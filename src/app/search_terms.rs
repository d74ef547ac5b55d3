//! What a search looks for, and at which of its hits it arrives.

use std::sync::Arc;

use crate::query::{Pattern, TextTarget, TextTerm};
use crate::search::{HitMarker, Needle, SearchScope};

/// What is looked for, and where.
#[derive(Debug, Clone)]
pub struct SearchTerms {
    /// What; never an empty needle.
    pub needle: Arc<Needle>,
    /// In which texts.
    pub scope: SearchScope,
    /// The needle made ready once for all texts that are marked.
    pub(super) marker: Arc<HitMarker>,
}

impl PartialEq for SearchTerms {
    fn eq(&self, other: &Self) -> bool {
        (&self.needle, self.scope) == (&other.needle, other.scope)
    }
}

impl Eq for SearchTerms {}

impl SearchTerms {
    /// What `needle`, which is not empty, looks for in the texts of `scope`.
    pub fn new(needle: Needle, scope: SearchScope) -> Self {
        let marker = Arc::new(HitMarker::new(&needle));
        Self {
            needle: Arc::new(needle),
            scope,
            marker,
        }
    }

    /// What marks these texts of a filter; `None` without any.
    pub(super) fn of_texts(texts: &[&TextTerm]) -> Option<Self> {
        let scope = |target: TextTarget| match target {
            TextTarget::Anywhere => SearchScope::Sample,
            TextTarget::Prompt => SearchScope::Prompt,
            TextTarget::Response(_) => SearchScope::Responses,
            TextTarget::Quote(_) | TextTarget::Title(_) => SearchScope::Quotes,
            TextTarget::Rationale => SearchScope::Rationales,
        };
        let first = scope(texts.first()?.part);
        let is_one = texts.iter().all(|text| scope(text.part) == first);
        let needle = (texts.iter()).fold(Needle::default(), |needle, text| match &text.pattern {
            Pattern::Phrase(phrase) => needle.and_phrase(phrase),
            Pattern::Regex(regex) => needle.and_regex(regex),
        });
        let scope = match is_one {
            true => first,
            false => SearchScope::Everything,
        };
        Some(Self::new(needle, scope))
    }
}

/// Which hit of a page to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The first, with the focus.
    First,
    /// The last, with the focus.
    Last,
    /// The first is to be seen, and the focus stays where it is.
    InSight,
}
