//! What is wrong with texts as such: one that ends too early, one that asks for nothing, and what
//! people wrote of how helpful a text is.

use std::collections::HashSet;
use std::sync::LazyLock;

use memchr::memchr;

use super::indented::is_item;
use super::style::is_in_code;

/// Words of a line from which on it is a sentence, which ends as one.
const SENTENCE: usize = 8;

/// Whether a text ends too early, 1 or 0. It does where a fence of code is open at its end, or its
/// last line is of at least eight words and ends within a sentence or a word: in a letter, a digit, a
/// comma, a semicolon, a hyphen or an opening bracket. Headings and rows of tables end as they like,
/// an item of a list in a letter or digit.
pub fn ends_early(text: &str) -> u32 {
    let text = text.trim_end();
    if text.is_empty() {
        return 0;
    }
    let last = text.lines().next_back().unwrap_or_default().trim();
    u32::from(is_in_code(text) || ends_within(last))
}

fn ends_within(line: &str) -> bool {
    let end = line.trim_end_matches(['*', '_', '"', '\'', '”', '’']);
    let Some(sign) = end.chars().next_back() else {
        return false;
    };
    if line.starts_with(['#', '|', '`']) || line.ends_with('`') {
        return false;
    }
    let is_sentence = line.split_whitespace().nth(SENTENCE - 1).is_some();
    let breaks_off = matches!(
        sign,
        ',' | ';' | '(' | '[' | '{' | '-' | '–' | '&' | '+' | '/'
    );
    // Scripts without blanks between words have their own full stops.
    let is_open = sign.is_ascii_alphanumeric() || ('\u{c0}'..='\u{24f}').contains(&sign);
    let is_link = (line.split_whitespace().next_back()).is_some_and(|word| word.contains("://"));

    is_sentence && !is_link && (breaks_off || (is_open && !is_item(line)))
}

/// One entry a line, in lower case; lines that begin with `#` are remarks.
static REQUESTS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../assets/phrases/requests.txt").lines();
    let entries = lines.map(str::trim).filter(|line| !line.is_empty());
    entries.filter(|line| !line.starts_with('#')).collect()
});

/// Whether a text asks for something, 1 or 0: by a question mark, a place to be filled in (`___`), or
/// a word or pair of words of `assets/phrases/requests.txt`. A text with letters beyond Latin ones is
/// taken to ask: the list is of English words.
pub fn asks(text: &str) -> u32 {
    let is_beyond = |sign: char| sign.is_alphabetic() && sign > '\u{24f}';
    let has_question_mark = memchr(b'?', text.as_bytes()).is_some();
    let asks_beyond = |sign| matches!(sign, '؟' | '？') || is_beyond(sign);
    if has_question_mark || (!text.is_ascii() && text.contains(asks_beyond)) {
        return 1;
    }
    let lower = text.to_lowercase().replace('’', "'");
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '\'';
    let (mut before, mut pair) = ("", String::new());
    let asks = |word| {
        pair.clear();
        pair.extend([before, " ", word]);
        before = word;
        REQUESTS.contains(word) || REQUESTS.contains(&*pair)
    };
    let mut words = lower
        .split(|sign| !is_word(sign))
        .filter(|word| !word.is_empty());
    u32::from(text.contains("___") || words.any(asks))
}

/// The words of HelpSteer3's feedback, from 0 to 4.
const LEVELS: [&str; 5] = ["not", "slightly", "partially", "mostly", "perfectly"];

/// How helpful a text calls a response, 0 to 4, as HelpSteer3's annotators were told to begin: "The
/// response is not (slightly, partially, mostly, perfectly) helpful". The first such words count;
/// `None` where there are none.
pub fn helpful_level(text: &str) -> Option<u32> {
    let lower = text.to_lowercase();
    let words = lower.split(|sign: char| !sign.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).take(200).collect();
    words.windows(2).find_map(|pair| match pair {
        [level, "helpful"] => (LEVELS.iter().position(|known| known == level))
            .and_then(|place| u32::try_from(place).ok()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_ends_within_a_sentence_or_in_code_ends_early() {
        for (text, ends) in [
            ("", 0),
            ("Yes", 0),
            ("It is done, and all of it works as it should.", 0),
            ("It is done, and all of it works as it sho", 1),
            ("It is done, and all of it works, but,\n\n", 1),
            ("It is done, and all of it works (", 1),
            ("# A heading of more than eight words has no full stop", 0),
            ("| a | b | c | d | e | f | g | h |", 0),
            ("- an item of a list ends without a full stop now", 0),
            ("- an item of a list that ends in a comma too,", 1),
            ("See the page that says all of it: https://example.org/a", 0),
            ("Here:\n```py\nprint(1)\n```", 0),
            ("Here:\n```py\nprint(1)", 1),
            ("It is done, and **all of it works as it should**", 1),
            ("It is done, and **all of it works as it should.**", 0),
            ("これは最後の文です", 0),
        ] {
            assert_eq!(ends_early(text), ends, "{text:?}");
        }
    }

    #[test]
    fn questions_and_requests_ask() {
        for (text, asked) in [
            ("", 0),
            ("The cat sat on the mat", 0),
            ("A rewritten play", 0),
            ("Why not?", 1),
            ("WRITE a poem", 1),
            ("could you", 1),
            ("you could", 0),
            ("The sky is ___", 1),
            ("Привет", 1),
            ("I’d like tea", 1),
        ] {
            assert_eq!(asks(text), asked, "{text:?}");
        }
    }

    #[test]
    fn the_words_of_feedback_are_a_scale() {
        for (text, level) in [
            (
                "The response is mostly helpful. It is not helpful to …",
                Some(3),
            ),
            ("Not helpful at all", Some(0)),
            ("Perfectly  helpful", Some(4)),
            ("It is helpful", None),
            ("", None),
        ] {
            assert_eq!(helpful_level(text), level, "{text:?}");
        }
    }
}
