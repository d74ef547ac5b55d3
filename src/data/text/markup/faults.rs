//! Truncated texts, and how helpful feedback calls a response.

use super::blocks::is_item;
use super::style::is_in_code;

/// Least words of a line that should end like a sentence.
const SENTENCE: usize = 8;

/// Returns 1 if a text ends early, otherwise 0. It does if a fence of code is open at its end, or
/// if its last line has at least eight words and ends within a sentence or word: in a letter, a
/// digit, a comma, a semicolon, a hyphen or an opening bracket. Headings and rows of tables may end
/// in anything, list items in a letter or digit.
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
    // Scripts without blanks between words have other full stops.
    let is_open = sign.is_ascii_alphanumeric() || ('\u{c0}'..='\u{24f}').contains(&sign);
    let is_link = (line.split_whitespace().next_back()).is_some_and(|word| word.contains("://"));

    is_sentence && !is_link && (breaks_off || (is_open && !is_item(line)))
}

/// The levels of HelpSteer3's feedback, from 0 to 4.
const LEVELS: [&str; 5] = ["not", "slightly", "partially", "mostly", "perfectly"];

/// Returns how helpful a text calls a response, 0 to 4. HelpSteer3's annotators had to begin with
/// "The response is not (slightly, partially, mostly, perfectly) helpful". The first such words
/// count; `None` without them.
pub fn helpful_level(text: &str) -> Option<u32> {
    let lower = text.to_lowercase();
    let words: Vec<_> = lower
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(200)
        .collect();
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
