//! What is suspicious in a sample: rules as data ([`RuleSet`]), and what a page tells of its own accord.
//!
//! [`RuleSet`] holds the rules, [`findings`] is what a sample's page says without one ([`Finding`]).

mod counts;
mod rules;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use counts::{FindingCounts, SampleCount};
pub use rules::RuleSet;

use crate::dataset::Sample;
use crate::model::{ReadWarning, Response, ResponseId};
use crate::text::{self, citing};

/// One suspicious thing about a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// An answer cites a quote that it does not have.
    DanglingCitation,
    /// A text holds characters that do not show.
    HiddenCharacters,
    /// The row was read leniently.
    Lenient(ReadWarning),
}

impl Finding {
    /// What to tell a person, without a full stop; safe to show.
    pub fn explanation(&self) -> Cow<'static, str> {
        match self {
            Self::DanglingCitation => "a citation without its quote".into(),
            Self::HiddenCharacters => "hidden characters: X shows them".into(),
            Self::Lenient(warning) => warning.explanation(),
        }
    }

    /// Whether it says something of what the dataset says itself of a sample, which a blind
    /// reviewer is not to see.
    pub const fn tells_of_labels(&self) -> bool {
        matches!(self, Self::Lenient(warning) if warning.tells_of_labels())
    }

    /// The finding as it reads of the sample with its responses under other letters.
    #[must_use]
    pub fn renamed(self, to: impl Fn(ResponseId) -> ResponseId) -> Self {
        match self {
            Self::Lenient(warning) => Self::Lenient(warning.renamed(to)),
            other => other,
        }
    }
}

/// Everything suspicious about a sample, the worst first.
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
    let Some(quotes) = &response.quotes else {
        return false;
    };
    !citing(&response.text, quotes.len()).dangling.is_empty()
}
