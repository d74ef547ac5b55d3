//! All texts of a row, one after the other, for whoever looks through many rows.

use std::borrow::Cow;

use super::decode;
use super::path::Path;
use super::rationales::{is_blank, plain_value};
use super::reader::CapturedRow;
use super::slots::{PromptSlots, TextSlot};
use super::turns;
use super::unescape::{inside, unescape};
use crate::model::{Response, Role, reasoning_end};

/// What a text is of a row. Numbers are places of responses on the row, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowText {
    /// A turn of the prompt, and who speaks.
    Prompt(Role),
    /// The text of a response, or of one of its turns.
    Response(usize),
    /// The title of a quote of a response.
    QuoteTitle(usize),
    /// A quote of a response.
    Quote(usize),
    /// What somebody wrote about a response, or about the sample.
    Rationale(Option<usize>),
}

/// A text of a row as it stands in the line, as one string.
pub struct SpelledText<'t> {
    /// Which it is.
    pub of: RowText,
    /// As it stands there, quotes and escapes included.
    pub spelling: &'t str,
    /// Whether it is one text as the string means it, and not cut into several.
    is_whole: &'t dyn Fn() -> bool,
}

impl SpelledText<'_> {
    /// Whether it is shown as one text, which is what the string means: not where it has several turns, or
    /// reasoning before the answer.
    pub fn is_whole(&self) -> bool {
        (self.is_whole)()
    }
}

impl CapturedRow<'_, '_> {
    /// Shows each text as [`Self::record`] would tell it, in its order: the turns of the prompt,
    /// then each response with its quotes, each after its title, and then what was written about
    /// them. `scratch` is where texts with
    /// escapes are decoded; reuse one for many rows. Shows nothing of what is not of the shape that
    /// its path promises.
    pub fn passages(&self, scratch: &mut String, show: &mut dyn FnMut(RowText, &str)) {
        self.texts_where(scratch, &|_| true, show);
    }

    /// [`Self::passages`] of which some are left out undecoded: `wanted` is asked of what stands in
    /// the line as one string.
    pub fn texts_where(
        &self,
        scratch: &mut String,
        wanted: &dyn Fn(&SpelledText<'_>) -> bool,
        show: &mut dyn FnMut(RowText, &str),
    ) {
        let Some(prompt) = &self.schema().slots().prompt else {
            self.transcripts(show);
            return self.show_decoded_rationales(scratch, show);
        };
        let is_wanted = |of: RowText, text: TextSlot| {
            let spelling = self.value(text.slot).filter(|_| !text.is_json);
            let Some(spelling) = spelling.filter(|spelling| inside(spelling).is_some()) else {
                return true;
            };
            wanted(&SpelledText {
                of,
                spelling,
                is_whole: &|| self.is_one_text(of, text.slot),
            })
        };
        if !prompt.is_simple() || is_wanted(RowText::Prompt(Role::User), prompt.first) {
            self.show_prompt(scratch, &mut |role, text| show(RowText::Prompt(role), text));
        }
        for (place, response) in self.responses().enumerate() {
            if is_wanted(RowText::Response(place), response.text) {
                self.show_response(response.text, scratch, &mut |text| {
                    show(RowText::Response(place), text);
                });
            }
            let Some(quotes) = response.quotes.and_then(|slot| self.value(slot)) else {
                continue;
            };
            let mut text = |of: RowText, spelling: Option<&str>| match spelling {
                Some(spelling) => {
                    let is_whole = &|| true;
                    let spelled = SpelledText {
                        of,
                        spelling,
                        is_whole,
                    };
                    if wanted(&spelled) {
                        with_text(spelling, scratch, |text| show(of, text));
                    }
                }
                None => show(of, ""),
            };
            decode::spelled_quotes(quotes, &mut |title, extract| {
                text(RowText::QuoteTitle(place), title);
                text(RowText::Quote(place), extract);
            });
        }
        self.show_decoded_rationales(scratch, show);
    }

    /// Returns the path of the first prompt or response that is a list of messages, or one message,
    /// and not a text.
    pub fn message_path(&self) -> Option<Path> {
        let definition = self.schema().definition();
        let prompt = self.schema().slots().prompt.iter();
        let prompt = prompt.flat_map(PromptSlots::texts);
        let paths = definition.prompt.iter();
        let paths = paths.flat_map(|prompt| prompt.path.clone());
        let responses = self.responses();
        let responses = responses.filter_map(|slots| {
            let paths = definition.responses.get(slots.table)?;
            Some((slots.text, paths.whole_path()))
        });
        let is_messages = |text: TextSlot| {
            let value = self.value(text.slot);
            value.is_some_and(|value| value.starts_with(['[', '{']))
        };
        (prompt.zip(paths).chain(responses))
            .find_map(|(text, path)| is_messages(text).then_some(path))
    }

    /// Whether a captured string is one text and not cut into several, as far as that is known undecoded.
    fn is_one_text(&self, of: RowText, slot: u16) -> bool {
        let Some(inside) = self.value(slot).and_then(inside) else {
            return false;
        };
        match of {
            RowText::Prompt(_) => {
                let finder = self.schema().finder();
                finder.is_none_or(|finder| finder.finds_none(inside))
            }
            // What reasoning ends with, as it stands or in any other spelling.
            _ => !self.has_unicode_escape(slot) && !inside.contains("think>"),
        }
    }

    /// Shows what was written about the sample and its responses.
    fn show_decoded_rationales(&self, scratch: &mut String, show: &mut dyn FnMut(RowText, &str)) {
        self.show_rationales(&mut |response, spelling| {
            let mut see = |text: &str| {
                if !is_blank(text) {
                    show(RowText::Rationale(response), text);
                }
            };
            match inside(spelling) {
                Some(_) => with_text(spelling, scratch, see),
                None => see(&plain_value(spelling)),
            }
        });
    }

    /// Shows the texts of a response, turn by turn.
    fn show_response(&self, text: TextSlot, scratch: &mut String, show: &mut dyn FnMut(&str)) {
        let spelling = self.value(text.slot).filter(|_| !text.is_json);
        match spelling.filter(|spelling| inside(spelling).is_some()) {
            Some(spelling) => with_text(spelling, scratch, |text| match reasoning_end(text) {
                Some(_) => Response::of_text(Cow::Borrowed(text))
                    .texts()
                    .for_each(show),
                None => show(text),
            }),
            None => {
                if let Ok(response) = self.response_text(text, &mut Vec::new()) {
                    response.texts().for_each(show);
                }
            }
        }
    }

    /// Shows each turn of the prompt with who speaks, as [`Self::passages`] does.
    pub fn prompt_texts(&self, scratch: &mut String, show: &mut dyn FnMut(Role, &str)) {
        match self.schema().slots().prompt {
            Some(_) => self.show_prompt(scratch, show),
            None => {
                let record = self.record().unwrap_or_default();
                let turns = record.prompt.iter();
                turns.for_each(|turn| show(turn.role, &turn.text));
            }
        }
    }

    /// Shows the turns of the prompt.
    pub(super) fn show_prompt(&self, scratch: &mut String, show: &mut dyn FnMut(Role, &str)) {
        let schema = self.schema();
        let slots = schema.slots().prompt.as_ref();
        let simple = slots.filter(|slots| slots.is_simple());
        let spelling = simple.and_then(|slots| self.value(slots.first.slot));
        let Some(spelling) = spelling.filter(|value| value.starts_with('"')) else {
            let turns = self.prompt_turns(&mut Vec::new()).unwrap_or_default();
            return (turns.iter()).for_each(|turn| show(turn.role, &turn.text));
        };
        let one_turn = schema
            .finder()
            .is_none_or(|finder| inside(spelling).is_some_and(|inside| finder.finds_none(inside)));
        with_text(spelling, scratch, |text| match &schema.definition().turns {
            Some(markers) if !one_turn => {
                for (role, range) in turns::cut_prompt(text, markers) {
                    show(role, &text[range]);
                }
            }
            _ => show(Role::User, text),
        });
    }

    /// Where the prompt is what the transcripts share.
    fn transcripts(&self, show: &mut dyn FnMut(RowText, &str)) {
        let record = self.record().unwrap_or_default();
        for turn in &record.prompt {
            show(RowText::Prompt(turn.role), &turn.text);
        }
        for (place, response) in record.responses.iter().enumerate() {
            for text in response.texts() {
                show(RowText::Response(place), text);
            }
            for quote in response.quotes.iter().flatten() {
                show(RowText::QuoteTitle(place), &quote.title);
                show(RowText::Quote(place), &quote.extract);
            }
        }
    }
}

/// Hands over the text that a captured string means, if it means one.
fn with_text(spelling: &str, scratch: &mut String, take: impl FnOnce(&str)) {
    let Some(inside) = inside(spelling) else {
        return;
    };
    if !inside.contains('\\') {
        return take(inside);
    }
    scratch.clear();
    if unescape(inside, scratch).is_some() {
        take(scratch);
    } else if let Ok((text, _)) = decode::string(spelling) {
        take(&text);
    }
}
