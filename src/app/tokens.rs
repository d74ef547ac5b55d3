//! The tokens of a response as text: the input that a model read, and its completion. A page of the
//! record view, which scrolls and searches it.

use super::pane_text::SectionKind;
use super::record::{RecordBuilder, RecordSubject};
use super::typesetter::MAX_TEXT;
use super::{Page, Pane, texts};
use crate::dataset::{Buffers, Dataset, SampleBody};
use crate::model::{ResponseId, TokenList};
use crate::text::{counted, grouped, one_line};
use crate::tokens::{self, DecodedTokens};

/// Characters quoted where two texts differ.
const QUOTED: usize = 32;

impl RecordBuilder<'_> {
    /// Decodes and lays out the tokens of a response, given its letters in the file and on the
    /// screen. Returns `None` if cancelled.
    pub(super) fn lay_out_tokens(
        &mut self,
        dataset: &Dataset,
        [of_file, shown]: [ResponseId; 2],
    ) -> Option<()> {
        let mut buffers = Buffers::default();
        let reading = dataset.read_while(self.sample(), &mut buffers, self.keep_going)?;
        let (response, is_only) = match &reading.body {
            SampleBody::Sample(sample) => (
                sample.responses.get(of_file.index()),
                sample.responses.len() == 1,
            ),
            SampleBody::Malformed { .. } => (None, false),
            SampleBody::Unreadable(error) => {
                self.remark(0, SectionKind::Reason, &error.to_string());
                return Some(());
            }
        };
        let Some((response, lists)) = response.and_then(|it| Some((it, it.tokens.as_ref()?)))
        else {
            let words = "The file changed; it does not contain these tokens any longer.";
            self.remark(0, SectionKind::Reason, words);
            return Some(());
        };
        let letter = if is_only {
            String::new()
        } else {
            format!("{} \u{b7} ", shown.letter())
        };
        let prefix = tokens::decode(lists.prefix.ids(), MAX_TEXT);
        self.tokens_of(&format!("{letter}prefix"), lists.prefix, &prefix);
        let left = MAX_TEXT.saturating_sub(prefix.text.len());
        let completion = tokens::decode(lists.completion.ids(), left);
        self.tokens_of(
            &format!("{letter}completion"),
            lists.completion,
            &completion,
        );
        if completion.not_decoded == 0 {
            let (kind, words) = compare_with_response(&completion.text, &response.text);
            self.remark(1, kind, &words);
        }
        Some(())
    }

    /// Adds a token list: its name, its lengths, its text, and any problems with it.
    fn tokens_of(&mut self, name: &str, list: TokenList<'_>, decoded: &DecodedTokens) {
        let words = format!(
            "{name} \u{b7} {} \u{b7} {}",
            counted(list.count, "token"),
            counted(decoded.text.chars().count(), "character"),
        );
        self.divider(&words);
        if decoded.text.is_empty() {
            self.remark(0, SectionKind::Remark, "(empty)");
        } else {
            self.remark(0, SectionKind::Plain, &decoded.text);
        }
        if decoded.unknown > 0 {
            let words = texts::unknown_tokens(counted(decoded.unknown, "id"));
            self.remark(1, SectionKind::Reason, &words);
        }
        if decoded.not_decoded > 0 {
            let words = format!(
                "The other {} are not shown.",
                counted(decoded.not_decoded, "token")
            );
            self.remark(1, SectionKind::Remark, &words);
        }
    }
}

/// Describes whether the decoded completion equals the response, and where it starts to differ.
fn compare_with_response(completion: &str, answer: &str) -> (SectionKind, String) {
    if completion == answer {
        return (SectionKind::Remark, texts::SAME_COMPLETION.to_owned());
    }
    if completion.trim() == answer.trim() {
        return (SectionKind::Reason, texts::SAME_BUT_SPACE.to_owned());
    }
    let same = completion
        .chars()
        .zip(answer.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let rest = |text: &str| {
        let rest: String = text.chars().skip(same).take(QUOTED).collect();
        if rest.is_empty() {
            "ends".to_owned()
        } else {
            format!("has \u{201c}{}\u{201d}", one_line(&rest, QUOTED))
        }
    };
    let words = texts::other_completion(grouped(same + 1), rest(completion), rest(answer));
    (SectionKind::Reason, words)
}

/// Returns the tokens of the response in the focused pane, or else in the left one; an error says
/// why there are none. Tokens reveal no labels.
pub(super) fn subject_of(page: &Page, focus: Pane) -> Result<RecordSubject, String> {
    let pane = match focus {
        Pane::Right => Pane::Right,
        Pane::List | Pane::Prompt | Pane::Rationales | Pane::Left => Pane::Left,
    };
    let there = (
        page.side(pane),
        page.response_in(pane),
        page.letter_in(pane),
    );
    let (Some(side), Some(of_file), Some(shown)) = there else {
        return Err("This sample has no response.".to_owned());
    };
    if side.has_tokens {
        return Ok(RecordSubject::Tokens { of_file, shown });
    }
    let which = match page.responses {
        0 | 1 => "It",
        _ => shown.letter(),
    };
    Err(format!("{which} has no tokens in the file."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completion_that_differs_from_the_response_is_reported() {
        for (completion, answer, said) in [
            ("so [1]", "so [1]", "equals the response."),
            (" so\n", "so", "except for whitespace at its ends."),
            (
                "so it is",
                "so it was",
                "at character 7: it has “is”, the response has “was”.",
            ),
            (
                "so",
                "so it is",
                "at character 3: it ends, the response has “it is”.",
            ),
            (
                "né",
                "ne",
                "at character 2: it has “é”, the response has “e”.",
            ),
            ("", "x", "at character 1: it ends, the response has “x”."),
        ] {
            let (kind, words) = compare_with_response(completion, answer);
            assert!(words.contains(said), "{words}");
            assert_eq!(kind == SectionKind::Remark, completion == answer, "{words}");
        }
    }
}
