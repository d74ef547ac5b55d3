//! Words that differ from a term by one wrong, extra or missing letter.
//!
//! Together with swapped neighbours, which [`super::word`] handles, these are the words at a
//! Damerau–Levenshtein distance (optimal string alignment) of one. Tolerance also finds unintended
//! words, the more so the shorter the term, hence the limits below.

/// Least letters of a term that may be mistyped. Most terms of four letters have half a dozen
/// neighbours that are words too.
pub(super) const EDIT_FROM: usize = 5;
/// Least letters of a term whose first letter may be wrong: it is mistyped least often, and `could`
/// would find `would`.
const FIRST_FROM: usize = 6;
/// Least letters of a term that may be a mistyped beginning of a longer word, as occurs while
/// typing.
const BEGINNING_FROM: usize = 6;
/// Least letters after the mistyped one in such a beginning: without them, any word with the same
/// start would match.
const MIN_AFTER: usize = 2;

/// Returns the number of letters of a word that equal a term after exactly one edit; `None` if it
/// takes none or more. Only terms of [`BEGINNING_FROM`] letters can match the beginning of a word,
/// others the whole word.
pub(super) fn one_edit<T: PartialEq>(word: &[T], term: &[T]) -> Option<usize> {
    let same = word
        .iter()
        .zip(term)
        .take_while(|(one, other)| one == other)
        .count();
    if same == term.len() || (same == 0 && term.len() < FIRST_FROM) {
        return None;
    }
    let goes_on = |word_at: usize, term_at: usize| {
        let (word_rest, term_rest) = (word.get(word_at..)?, &term[term_at..]);
        let may_begin = term.len() >= BEGINNING_FROM && term_rest.len() >= MIN_AFTER;
        let fits = word_rest == term_rest || (may_begin && word_rest.starts_with(term_rest));
        fits.then_some(word_at + term_rest.len())
    };
    // A wrong letter, or an extra or a missing one.
    goes_on(same + 1, same + 1)
        .or_else(|| goes_on(same, same + 1))
        .or_else(|| goes_on(same + 1, same))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(word: &str, term: &str) -> Option<usize> {
        one_edit(word.as_bytes(), term.as_bytes())
    }

    #[test]
    fn one_letter_may_be_wrong_extra_or_missing() {
        for (term, word, letters) in [
            ("seperate", "separate", Some(8)),
            ("definately", "definitely", Some(10)),
            ("neccessary", "necessary", Some(9)),
            ("calender", "calendar", Some(8)),
            ("calendars", "calendar", Some(8)),
            ("calendr", "calendar", Some(8)),
            ("xcalendar", "calendar", Some(8)),
            ("kalendar", "calendar", Some(8)),
            // Not completely typed.
            ("seperat", "separate", Some(7)),
            ("seperat", "separately", Some(7)),
            ("seper", "separate", None),
            ("separe", "separately", None),
            ("separo", "separately", None),
            // Two letters, no letter, and unchanged beginnings.
            ("seperete", "separate", None),
            ("separate", "separate", None),
            ("separ", "separate", None),
            ("separately", "separate", None),
            // The first letter of a short word must match.
            ("could", "would", None),
            ("coulds", "woulds", Some(6)),
            ("could", "couls", Some(5)),
        ] {
            assert_eq!(edit(word, term), letters, "{term} {word}");
        }
    }

    /// Textbook edit distance, without swapped neighbours.
    fn levenshtein(one: &[u8], other: &[u8]) -> usize {
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (at, letter) in one.iter().enumerate() {
            let mut before = std::mem::replace(&mut row[0], at + 1);
            for (place, with) in other.iter().enumerate() {
                let change = before + usize::from(letter != with);
                before = row[place + 1];
                row[place + 1] = change.min(before + 1).min(row[place] + 1);
            }
        }
        row[other.len()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_the_distance_of_the_book(word in "[abc]{0,9}", term in "[abc]{6,9}") {
            let (word, term) = (word.as_bytes(), term.as_bytes());
            match one_edit(word, term) {
                Some(letters) => prop_assert_eq!(levenshtein(&word[..letters], term), 1),
                None => prop_assert!(levenshtein(word, term) != 1 || word.starts_with(term), "{:?} {:?}", word, term),
            }
        }
    }
}
