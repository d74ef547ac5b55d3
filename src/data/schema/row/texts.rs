//! A visitor for the texts of a row, for scans over many rows.

use std::borrow::Cow;

use super::keys::each_id;
use super::rationales::is_blank;
use super::reader::CapturedRow;
use super::slots::{PromptSlots, TextSlot};
use super::turns;
use super::values::{plain, spelled_quotes};
use crate::json::{inside, unescape};
use crate::model::{Response, Role, Turn};
use crate::table::Path;

bitflags::bitflags! {
    /// A set of kinds of texts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TextKinds: u8 {
        /// A turn of the prompt.
        const PROMPT = 1;
        /// A response, or a turn of one.
        const RESPONSE = 1 << 1;
        /// A quote that a response can cite.
        const QUOTE = 1 << 2;
        /// A text about a response or about the sample.
        const RATIONALE = 1 << 3;
        /// The title of a quote.
        const TITLE = 1 << 4;
        /// The line of a malformed row.
        const MALFORMED = 1 << 5;
        /// An id of the row.
        const ID = 1 << 6;
    }
}

impl TextKinds {
    /// Quotes and their titles.
    pub const QUOTES: Self = Self::QUOTE.union(Self::TITLE);
    /// What a blind reviewer may search: rationales and ids can reveal labels.
    pub const BLIND: Self = Self::PROMPT.union(Self::RESPONSE).union(Self::QUOTES);
}

/// What a text is in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowText {
    /// Its kind: exactly one.
    pub kind: TextKinds,
    /// Who speaks, in a turn of the prompt or a response.
    pub role: Role,
    /// Index on the row of the response that it belongs to, from 0.
    pub response: Option<usize>,
    /// Number of quotes of that response; `None` if the schema has none.
    pub quotes: Option<usize>,
}

impl RowText {
    /// Creates a text of a kind that belongs to this response.
    pub const fn new(kind: TextKinds, response: Option<usize>) -> Self {
        Self {
            kind,
            role: Role::User,
            response,
            quotes: None,
        }
    }
}

/// A text that is one JSON string of the line.
#[derive(Clone, Copy)]
pub struct RawText<'t> {
    /// The kind of text.
    pub of: RowText,
    /// The string with its quotes and escapes.
    pub spelling: &'t str,
    row: &'t CapturedRow<'t, 't>,
    /// Its slot; `None` for an element of a captured list.
    slot: Option<usize>,
}

impl RawText<'_> {
    /// Returns the characters and lines of the decoded text.
    pub(super) fn size(self) -> Option<[u32; 2]> {
        self.row.text_size(self.slot?)
    }

    /// Returns the characters and turns of a prompt, if they can be counted without decoding it.
    pub(super) fn turns(self) -> Option<[u32; 2]> {
        let (schema, [characters, _]) = (self.row.schema, self.size()?);
        let (inside, slot) = (inside(self.spelling)?, self.slot?);
        match (&schema.finder, &schema.definition().turns) {
            (Some(finder), Some(markers)) if !self.row.has_unicode_escape(slot) => {
                finder.size(inside, characters, markers)
            }
            _ => (self.row.is_one_turn(inside)).then_some([characters, 1]),
        }
    }
}

/// Receives the texts of rows.
pub trait TextVisitor {
    /// Returns true if a text is to be decoded and visited.
    fn wants(&mut self, _text: RawText<'_>) -> bool {
        true
    }

    /// Visits a response; by default the text of each of its turns.
    fn response(&mut self, of: RowText, response: &Response<'_>) {
        for (role, text) in response.spoken() {
            self.text(RowText { role, ..of }, text);
        }
    }

    /// Visits a text.
    fn text(&mut self, of: RowText, text: &str);
}

impl<F: FnMut(RowText, &str)> TextVisitor for F {
    fn text(&mut self, of: RowText, text: &str) {
        self(of, text);
    }
}

impl<'r> CapturedRow<'_, 'r> {
    /// Visits the texts of some kinds in the order of [`Self::record`]: the turns of the prompt,
    /// each response with its quotes (the title first), the rationales, and the ids. Skips texts
    /// that cannot be read. `scratch` is a buffer for decoded texts; reuse it for many rows.
    pub fn for_each_text<V: TextVisitor>(
        &self,
        kinds: TextKinds,
        scratch: &mut String,
        visitor: &mut V,
    ) {
        let prompt = self.schema.slots.prompt.as_ref();
        // The shared prompt of transcripts is only known when all are read.
        let is_read =
            prompt.is_none() && kinds.intersects(TextKinds::PROMPT.union(TextKinds::RESPONSE));
        let transcripts = is_read
            .then(|| self.texts(&mut Vec::new()))
            .map(Result::unwrap_or_default);
        if kinds.intersects(TextKinds::PROMPT) {
            let turns = transcripts.as_ref().map(|(turns, _)| &**turns);
            self.visit_prompt(prompt, turns, scratch, visitor);
        }
        for (place, slots) in self.responses().enumerate() {
            let of = RowText {
                quotes: self.quotes.get(place).copied(),
                ..RowText::new(TextKinds::RESPONSE, Some(place))
            };
            if kinds.intersects(TextKinds::RESPONSE) {
                let read = transcripts
                    .as_ref()
                    .map(|(_, responses)| responses.get(place));
                let plain = Some(slots.text).filter(|text| !self.may_have_turns(*text));
                match (read, plain.and_then(|text| self.spelled_text(text))) {
                    (Some(response), _) => {
                        response.iter().for_each(|it| visitor.response(of, it));
                    }
                    (None, Some(spelling)) => {
                        let raw = self.raw(of, spelling, Some(slots.text.slot));
                        visit_raw(raw, scratch, visitor, |visitor, text| {
                            visitor.response(of, &Response::of_text(Cow::Borrowed(text)));
                        });
                    }
                    (None, None) => {
                        let response = self.response_text(slots.text, &mut Vec::new());
                        response.iter().for_each(|it| visitor.response(of, it));
                    }
                }
            }
            let quotes = slots
                .quotes
                .and_then(|slot| self.value(slot))
                .filter(|_| kinds.intersects(TextKinds::QUOTES))
                .and_then(spelled_quotes);
            for (title, extract) in quotes.into_iter().flatten() {
                let parts = [(TextKinds::TITLE, title), (TextKinds::QUOTE, extract)];
                for (kind, spelling) in parts.into_iter().filter(|it| kinds.intersects(it.0)) {
                    let of = RowText { kind, ..of };
                    match spelling {
                        Some(spelling) => {
                            let raw = self.raw(of, spelling, None);
                            visit_raw(raw, scratch, visitor, |visitor, text| {
                                visitor.text(of, text);
                            });
                        }
                        None => visitor.text(of, ""),
                    }
                }
            }
        }
        if kinds.intersects(TextKinds::RATIONALE) {
            self.spelled_rationales(&mut |_, response, _, spelling| {
                let of = RowText::new(TextKinds::RATIONALE, response);
                let text = visitor
                    .wants(self.raw(of, spelling, None))
                    .then(|| plain(spelling).0);
                if let Some(text) = text.filter(|text| !is_blank(text)) {
                    visitor.text(of, &text);
                }
            });
        }
        if kinds.intersects(TextKinds::ID) {
            each_id(self.line(), &mut |id| {
                visitor.text(RowText::new(TextKinds::ID, None), id);
            });
        }
    }

    /// True if its texts are certainly stored verbatim in the line, apart from escapes.
    pub fn is_verbatim(&self) -> bool {
        !self.is_composed && self.schema.definition().prompt.is_some()
    }

    /// Visits the turns of the prompt; `turns` has them if they were read already.
    fn visit_prompt<V: TextVisitor>(
        &self,
        slots: Option<&PromptSlots>,
        turns: Option<&[Turn<'_>]>,
        scratch: &mut String,
        visitor: &mut V,
    ) {
        let of = |role| RowText {
            role,
            ..RowText::new(TextKinds::PROMPT, None)
        };
        let only = slots
            .and_then(PromptSlots::only_text)
            .filter(|_| !self.may_repeat_instructions());
        let spelled = only.and_then(|only| Some((self.spelled_text(only)?, only.slot)));
        let Some((spelling, slot)) = spelled else {
            let read = || self.prompt_turns(&mut Vec::new()).unwrap_or_default();
            let turns = turns.map_or_else(|| Cow::Owned(read()), Cow::Borrowed);
            return (turns.iter()).for_each(|turn| visitor.text(of(turn.role), &turn.text));
        };
        let raw = self.raw(of(Role::User), spelling, Some(slot));
        let markers = self.schema.definition().turns.as_ref();
        // Searches for markers only if the visitor needs the text.
        let is_one_turn = || inside(spelling).is_none_or(|it| self.is_one_turn(it));
        visit_raw(raw, scratch, visitor, |visitor, text| match markers {
            Some(markers) if !is_one_turn() => {
                let turns = turns::split(Cow::Borrowed(text), markers, Role::User);
                for turn in turns::without_cue(turns, Some(markers)) {
                    visitor.text(of(turn.role), &turn.text);
                }
            }
            _ => visitor.text(of(Role::User), text),
        });
    }

    fn raw<'t>(&'t self, of: RowText, spelling: &'t str, slot: Option<usize>) -> RawText<'t> {
        RawText {
            of,
            spelling,
            row: self,
            slot,
        }
    }

    /// Returns the path of the first prompt or response that is messages instead of text.
    pub fn message_path(&self) -> Option<Path> {
        let definition = self.schema.definition();
        let prompt = self.schema.slots.prompt.iter();
        let prompt = prompt.flat_map(|prompt| prompt.texts.iter().copied());
        let paths = definition
            .prompt
            .iter()
            .flat_map(|prompt| prompt.path.clone());
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
}

/// Decodes a text if the visitor wants it.
fn visit_raw<V: TextVisitor>(
    raw: RawText<'_>,
    scratch: &mut String,
    visitor: &mut V,
    visit: impl FnOnce(&mut V, &str),
) {
    let Some(inside) = inside(raw.spelling).filter(|_| visitor.wants(raw)) else {
        return;
    };
    if !inside.contains('\\') {
        return visit(visitor, inside);
    }
    scratch.clear();
    if unescape(inside, scratch).is_some() {
        visit(visitor, scratch);
    }
}
