//! Findings: what is suspicious about samples.
//!
//! [`RuleSet`] has rules as data; [`findings`] returns those that need no rule ([`Finding`]).

mod counts;
mod rules;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use counts::{FindingCounts, RuleCounts, SampleCount};
pub use rules::RuleSet;

use crate::dataset::Sample;
use crate::model::{ReadWarning, Response, ResponseId};
use crate::text::{self, citation_targets};

/// A finding that needs no rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A response cites a quote that it does not have.
    DanglingCitation,
    /// A text contains invisible characters.
    HiddenCharacters,
    /// The row had to be repaired.
    Lenient(ReadWarning),
}

impl Finding {
    /// Returns a sentence for users, sanitised and without a full stop.
    pub fn explanation(&self) -> Cow<'static, str> {
        match self {
            Self::DanglingCitation => "a citation of a missing quote".into(),
            Self::HiddenCharacters => "hidden characters (press X to show them)".into(),
            Self::Lenient(warning) => warning.explanation(),
        }
    }

    /// True if it reveals labels, so it is hidden from a blind reviewer.
    pub const fn reveals_labels(&self) -> bool {
        matches!(self, Self::Lenient(warning) if warning.reveals_labels())
    }

    /// Renames the responses that the finding mentions.
    #[must_use]
    pub fn renamed(self, to: impl Fn(ResponseId) -> ResponseId) -> Self {
        match self {
            Self::Lenient(warning) => Self::Lenient(warning.renamed(to)),
            other => other,
        }
    }
}

/// Returns the findings of a sample, the worst first.
pub fn findings(sample: &Sample<'_>) -> Vec<Finding> {
    let mut found: Vec<_> = sample
        .warnings
        .iter()
        .cloned()
        .map(Finding::Lenient)
        .collect();
    if hides_something(sample) {
        found.push(Finding::HiddenCharacters);
    }
    if sample.responses.iter().any(has_dangling_citation) {
        found.push(Finding::DanglingCitation);
    }
    found
}

fn hides_something(sample: &Sample<'_>) -> bool {
    let prompt = sample.prompt.iter().map(|turn| &*turn.text);
    let responses = sample.responses.iter().flat_map(|response| {
        let quotes = response
            .quotes
            .iter()
            .flatten()
            .flat_map(|quote| [&*quote.title, &*quote.extract]);
        std::iter::once(&*response.text).chain(quotes)
    });
    prompt.chain(responses).any(text::hides)
}

fn has_dangling_citation(response: &Response<'_>) -> bool {
    let quotes = response.quotes.as_ref().map(Vec::len);
    quotes.is_some_and(|count| !citation_targets(&response.text, count).dangling.is_empty())
}
