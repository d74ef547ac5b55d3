//! Words that differ from what was typed in one letter: one wrong, one extra or one missing.
//!
//! With two neighbours in the other order, which is told elsewhere, these are the words at a
//! Damerau–Levenshtein distance (optimal string alignment) of one. To be tolerant is to find more
//! of what was not meant, the more so the shorter the word: what is asked of it is below.

/// Letters from which on a term may be mistyped. Of four letters most have half a dozen neighbours
/// that are words too.
pub(super) const EDIT_FROM: usize = 5;
/// Letters from which on its first letter may be the wrong one: people mistype it least, and
/// `could` would find `would`.
const FIRST_FROM: usize = 6;
/// Letters from which on the beginning of a longer word may be mistyped, which is how it stands
/// while one is typing.
const BEGINNING_FROM: usize = 6;
/// Letters behind the mistyped one that such a beginning must have: without them it would be any
/// word that begins like the rest.
const BEHIND: usize = 2;

/// How many letters of a word, from its first, a term is with one letter wrong, extra or missing;
/// `None` where it takes more than that, or nothing. Of a long enough term that can be the
/// beginning of the word, otherwise it is all of it.
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
        let may_begin = term.len() >= BEGINNING_FROM && term_rest.len() >= BEHIND;
        let fits = word_rest == term_rest || (may_begin && word_rest.starts_with(term_rest));
        fits.then_some(word_at + term_rest.len())
    };
    let [wrong, extra, missing] = [(same + 1, same + 1), (same, same + 1), (same + 1, same)];
    [wrong, extra, missing]
        .into_iter()
        .find_map(|(word_at, term_at)| goes_on(word_at, term_at))
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
            // Not yet typed to its end.
            ("seperat", "separate", Some(7)),
            ("seperat", "separately", Some(7)),
            ("seper", "separate", None),
            ("separe", "separately", None),
            ("separo", "separately", None),
            // Two letters, none, and what is the word's beginning as it is.
            ("seperete", "separate", None),
            ("separate", "separate", None),
            ("separ", "separate", None),
            ("separately", "separate", None),
            // The first letter of a short word is meant.
            ("could", "would", None),
            ("coulds", "woulds", Some(6)),
            ("could", "couls", Some(5)),
        ] {
            assert_eq!(edit(word, term), letters, "{term} {word}");
        }
    }

    /// The number of edits, letter by letter, by the book: without neighbours in the other order,
    /// which are not told here.
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
