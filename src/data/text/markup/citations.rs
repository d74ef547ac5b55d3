//! Citation markers in a response, and the quotes that they refer to.

use std::collections::BTreeSet;
use std::ops::Range;

/// A cited number in a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Bytes of the citation: the whole marker `[1]`, or one number of `[1, 2]`.
    pub range: Range<usize>,
    /// The number of the quote; quotes count from 1.
    pub number: usize,
}

/// Targets of the citations in a response; each list ascending and distinct.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CitationTargets {
    /// Quotes that are cited.
    pub live: Vec<usize>,
    /// Numbers that no quote has.
    pub dangling: Vec<usize>,
    /// Quotes that are never cited.
    pub unused: Vec<usize>,
}

/// Longer numbers are years and similar, not citations.
const MAX_DIGITS: usize = 3;

/// Longest marker, in bytes.
const LONGEST_MARKER: usize = 64;

/// Finds `[1]`, `[1][2]` and `[1, 2]`, in order.
pub fn citations(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    for open in memchr::memchr_iter(b'[', text.as_bytes()) {
        // Bounded, so that a megabyte of opening brackets does not cause a megabyte of searches.
        let close = text.as_bytes()[open..]
            .iter()
            .take(LONGEST_MARKER)
            .position(|&byte| byte == b']');
        found.extend(
            close
                .and_then(|length| marker(text, open, open + length))
                .unwrap_or_default(),
        );
    }
    found
}

/// Sorts the citations of a response with `quotes` quotes into valid, dangling and unused ones.
pub fn citation_targets(text: &str, quotes: usize) -> CitationTargets {
    let numbers: BTreeSet<_> = citations(text)
        .into_iter()
        .map(|citation| citation.number)
        .collect();
    let (live, dangling): (Vec<_>, Vec<_>) = numbers
        .into_iter()
        .partition(|number| (1..=quotes).contains(number));
    let unused = (1..=quotes)
        .filter(|number| live.binary_search(number).is_err())
        .collect();
    CitationTargets {
        live,
        dangling,
        unused,
    }
}

/// Returns the numbers between two brackets, if there are only numbers and commas.
fn marker(text: &str, open: usize, close: usize) -> Option<Vec<Citation>> {
    let inner = &text[open + 1..close];
    let mut at = open + 1;
    let mut found = Vec::new();
    for part in inner.split(',') {
        let digits = part.trim();
        if digits.is_empty()
            || digits.len() > MAX_DIGITS
            || !digits.bytes().all(|byte| byte.is_ascii_digit())
        {
            return None;
        }
        let start = at + (part.len() - part.trim_start().len());
        found.push(Citation {
            range: start..start + digits.len(),
            number: digits.parse().ok()?,
        });
        at += part.len() + 1;
    }
    if let [only] = found.as_mut_slice() {
        only.range = open..close + 1;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers() {
        for (text, expected) in [
            ("so [1].", &[("[1]", 1)][..]),
            ("so [1][2]", &[("[1]", 1), ("[2]", 2)]),
            ("so [1, 12]", &[("1", 1), ("12", 12)]),
            (
                "[28][29] and [x] [2019] [ ] [1",
                &[("[28]", 28), ("[29]", 29)],
            ),
            ("é[3]", &[("[3]", 3)]),
            ("[[4]]", &[("[4]", 4)]),
            ("[1,]", &[]),
            ("", &[]),
        ] {
            let found: Vec<_> = citations(text)
                .into_iter()
                .map(|c| (&text[c.range], c.number))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_they_lead_to() {
        let targets = citation_targets("a [1] b [1, 3] c [7] d [0]", 4);
        assert_eq!(
            targets,
            CitationTargets {
                live: vec![1, 3],
                dangling: vec![0, 7],
                unused: vec![2, 4]
            }
        );
    }
}
