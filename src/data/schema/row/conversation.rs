//! Turns of a row: of its prompt, its responses, and conversations that contain both.

use std::borrow::Cow;

use super::messages;
use super::reader::CapturedRow;
use super::slots::TextSlot;
use super::turns;
use super::values::{plain, string};
use crate::json::{elements_of, inside, is_json, members_of};
use crate::model::{ReadWarning, Response, Role, RowError, Turn};
use crate::schema::guess::is_transcript_name;
use crate::schema::layout::definition::TurnMarker;

type ReadTexts<'r> = (Vec<Turn<'r>>, Vec<Response<'r>>);

impl<'r> CapturedRow<'_, 'r> {
    /// Decodes the turns of the prompt, and only the texts of the responses.
    pub(super) fn texts(&self, warnings: &mut Vec<ReadWarning>) -> Result<ReadTexts<'r>, RowError> {
        if self.schema.slots.prompt.is_none() {
            // Only markers that fill lines leave out the first one, the user's.
            let speaker = match &self.schema.definition().turns {
                Some(turns) if turns.marker == TurnMarker::WholeLine => Role::User,
                _ => Role::Assistant,
            };
            let transcripts = (self.responses())
                .map(|response| self.turns(response.text, speaker, warnings))
                .collect::<Result<Vec<_>, _>>()?;
            let (prompt, rests) = turns::split_shared(transcripts);
            return Ok((prompt, rests.into_iter().map(Response::of_turns).collect()));
        }
        let prompt = self.prompt_turns(warnings)?;
        let responses = self
            .responses()
            .map(|response| self.response_text(response.text, warnings));
        Ok((prompt, responses.collect::<Result<_, _>>()?))
    }

    /// Decodes the turns of the prompt, if it has its own path.
    pub(super) fn prompt_turns(
        &self,
        warnings: &mut Vec<ReadWarning>,
    ) -> Result<Vec<Turn<'r>>, RowError> {
        let Some(slots) = &self.schema.slots.prompt else {
            return Ok(Vec::new());
        };
        if let Some(mut turns) = self.exchanged() {
            turns.pop();
            return Ok(turns);
        }
        let mut turns = Vec::new();
        let parts = [(slots.system, Role::System), (slots.history, Role::User)];
        for (part, speaker) in parts {
            if let Some(part) = part.filter(|part| self.is_there(part.slot)) {
                turns.extend(self.turns(part, speaker, warnings)?);
            }
        }
        turns.retain(|turn| !turn.text.is_empty());
        let several = slots.texts.len() > 1;
        let is_there = |text: &&TextSlot| !several || self.is_there(text.slot);
        for &text in slots.texts.iter().filter(is_there) {
            let onward = self.turns(text, Role::User, warnings)?;
            let onward = turns::without_cue(onward, self.schema.definition().turns.as_ref());
            if several {
                turns::join(&mut turns, onward);
            } else {
                turns.extend(onward);
            }
        }
        if let Some(mut leading) = self.instructions_in_response(&turns) {
            leading.append(&mut turns);
            turns = leading;
        }
        Ok(turns)
    }

    /// Returns the turns of a conversation in two lists of the same length, one of the user and one of
    /// the model.
    fn exchanged(&self) -> Option<Vec<Turn<'r>>> {
        let prompt = self
            .schema
            .slots
            .prompt
            .as_ref()
            .filter(|_| self.is_lenient())?;
        let ([question], [response]) = (&prompt.texts[..], &self.schema.slots.responses[..]) else {
            return None;
        };
        let list = |text: &TextSlot| texts_of(self.value(text.slot)?);
        let (asked, said) = (list(question)?, list(&response.text)?);
        if asked.len() != said.len() {
            return None;
        }
        let turns = asked.into_iter().zip(said).flat_map(|(asked, said)| {
            [
                Turn::new(Role::User, asked),
                Turn::new(Role::Assistant, said),
            ]
        });
        Some(turns.collect())
    }

    /// Returns the system turns before a prompt that the first response repeats; `None` if there
    /// are none, or the prompt has its own.
    fn instructions_in_response(&self, prompt: &[Turn<'r>]) -> Option<Vec<Turn<'r>>> {
        let first = self
            .responses()
            .next()
            .filter(|_| self.may_repeat_instructions())?;
        let mut turns = self
            .turns(first.text, Role::Assistant, &mut Vec::new())
            .ok()?;
        let leading = count_instructions(&turns);
        let is_new = prompt.iter().all(|turn| turn.role != Role::System);
        let is_repeated = leading > 0 && is_new && repeated(prompt, &turns[leading..]) > 0;
        turns.truncate(leading);
        is_repeated.then_some(turns)
    }

    /// Decodes the turns of a text. Turns without a role are `speaker`'s.
    fn turns(
        &self,
        text: TextSlot,
        speaker: Role,
        warnings: &mut Vec<ReadWarning>,
    ) -> Result<Vec<Turn<'r>>, RowError> {
        let Some(value) = self.value(text.slot) else {
            return Ok(Vec::new());
        };
        if value.starts_with(['[', '{']) {
            let is_text = speaker == Role::Assistant
                && self.is_lenient()
                && (self.schema.slots.prompt.is_some() || !self.is_exchange(value));
            if let Some(lines) = texts_of(value).filter(|_| is_text) {
                return Ok(vec![Turn::new(speaker, Cow::Owned(lines.join("\n")))]);
            }
            let read = if self.is_exchange(value) {
                messages::turns(&format!("[{value}]"), speaker)
            } else {
                messages::turns(value, speaker)
            };
            return match read {
                Err(_) if self.is_lenient() => Ok(vec![Turn::new(speaker, described(value))]),
                turns => self.noted(value, turns, warnings),
            };
        }
        if !value.starts_with('"') && self.is_lenient() {
            return Ok(vec![Turn::new(speaker, Cow::Borrowed(value))]);
        }
        let decoded = self.noted(value, string(value), warnings)?;
        if text.is_json {
            return Ok(self.turns_in(decoded, speaker, warnings));
        }
        Ok(match &self.schema.definition().turns {
            Some(markers)
                if speaker == Role::User
                    || markers.marker != TurnMarker::WholeLine
                    || self.schema.slots.prompt.is_none() =>
            {
                turns::split(decoded, markers, speaker)
            }
            _ => vec![Turn::new(speaker, decoded)],
        })
    }

    /// True if a list alternates turns of the user and the model: it is one text, or all texts of
    /// the row, or the prompt under the name of a conversation.
    pub(super) fn is_exchange(&self, value: &str) -> bool {
        let prompt = self.schema.definition().prompt.as_ref();
        let is_conversation = match prompt.map(|prompt| prompt.path.as_slice()) {
            None => self.schema.slots.responses.len() == 1,
            Some([path]) => path.last_key().is_some_and(is_transcript_name),
            Some(_) => false,
        };
        texts_of(value).is_some_and(|texts| match texts.len() {
            1 => self.is_lenient(),
            _ => is_conversation,
        })
    }

    /// Decodes the turns of a text that is itself JSON. If it is not, the text is kept, with a
    /// warning.
    fn turns_in(
        &self,
        text: Cow<'r, str>,
        speaker: Role,
        warnings: &mut Vec<ReadWarning>,
    ) -> Vec<Turn<'r>> {
        let json = Some(text.trim()).filter(|it| is_json(it.as_bytes()));
        match json.map(|json| messages::turns(json, speaker)) {
            Some(Ok((turns, found))) => {
                warnings.extend(found);
                turns
            }
            _ => {
                let what = "a text that should be JSON".to_owned();
                // Guessed schemas only require that most of these texts are JSON.
                let is_reported = !self.is_lenient();
                warnings.extend(is_reported.then_some(ReadWarning::UnknownContent { what }));
                vec![Turn::new(speaker, text)]
            }
        }
    }

    /// Removes the prompt from the start of a response that repeats its last turns, unless no turn
    /// would remain.
    fn drop_repeated_prompt(&self, turns: &mut Vec<Turn<'r>>) {
        let most = turns.len().saturating_sub(1);
        if most == 0 {
            return;
        }
        let prompt = self.prompt_turns(&mut Vec::new()).unwrap_or_default();
        // Leading system turns are in the prompt already.
        let leading = count_instructions(turns);
        let is_known = prompt.starts_with(&turns[..leading]);
        let leading = if is_known { leading } else { 0 };
        match repeated(&prompt, &turns[leading..most]) {
            0 => {}
            count => drop(turns.drain(..leading + count)),
        }
    }

    /// Decodes the text of a response, and nothing else.
    pub(super) fn response_text(
        &self,
        text: TextSlot,
        warnings: &mut Vec<ReadWarning>,
    ) -> Result<Response<'r>, RowError> {
        let Some(value) = self.value(text.slot) else {
            return Ok(Response::default());
        };
        if let Some(answer) = self.exchanged().and_then(|mut turns| turns.pop()) {
            return Ok(Response::of_text(answer.text));
        }
        let mut turns = self.turns(text, Role::Assistant, warnings)?;
        let is_json = text.is_json || value.starts_with(['[', '{']);
        if is_json || turns.len() > 1 {
            self.drop_repeated_prompt(&mut turns);
            // An answer may be a written dialogue.
            if !is_json && turns[0].role == Role::User {
                let (whole, _) = string(value).unwrap_or_default();
                return Ok(Response::of_text(whole));
            }
            return Ok(Response::of_turns(turns));
        }
        let text = turns.pop().map(|turn| turn.text);
        Ok(Response::of_text(text.unwrap_or_default()))
    }

    /// True if the inside of a JSON string is certainly one turn.
    pub(super) fn is_one_turn(&self, inside: &str) -> bool {
        let finder = self.schema.finder.as_ref();
        finder.is_none_or(|finder| finder.finds_none(inside))
    }

    /// True if a response next to a prompt may have markers of turns.
    pub(super) fn may_have_turns(&self, text: TextSlot) -> bool {
        let turns = self.schema.definition().turns.as_ref();
        turns
            .filter(|turns| turns.marker != TurnMarker::WholeLine)
            .and_then(|_| inside(self.spelled_text(text)?))
            .is_some_and(|inside| !self.is_one_turn(inside))
    }

    /// True if the first response may be a conversation that begins with a system message.
    pub(super) fn may_repeat_instructions(&self) -> bool {
        let text = self.responses().next().map(|slots| slots.text);
        let value = text.and_then(|text| self.value(text.slot));
        text.is_some_and(|text| text.is_json || self.may_have_turns(text))
            || value.is_some_and(|it| it.starts_with('[') && messages::begin_with_system(it))
    }

    /// Returns the spelling of a text that is one JSON string of the line.
    pub(super) fn spelled_text(&self, text: TextSlot) -> Option<&'r str> {
        let value = self.value(text.slot).filter(|_| !text.is_json);
        value.filter(|value| value.starts_with('"'))
    }
}

/// Returns the members of objects in a list as lines; other values as spelled.
fn described(value: &str) -> Cow<'_, str> {
    let described = || {
        let objects = elements_of(value)?.into_iter().map(members_of);
        let objects = objects
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .map(|members| {
                let members = members.iter().filter(|(_, value)| *value != "null");
                let lines = members.map(|(key, value)| format!("{key}: {}", plain(value).0));
                lines.collect::<Vec<_>>().join("\n")
            });
        Some(objects.collect::<Vec<_>>().join("\n\n"))
    };
    described().map_or(Cow::Borrowed(value), Cow::Owned)
}

/// Decodes a list of texts; `None` for other values, and if a text is damaged.
fn texts_of(value: &str) -> Option<Vec<Cow<'_, str>>> {
    let texts = elements_of(value.strip_prefix("[\"").map(|_| value)?)?.into_iter();
    let decoded = |text| string(text).ok().filter(|(_, warning)| warning.is_none());
    texts.map(|text| Some(decoded(text)?.0)).collect()
}

fn count_instructions(turns: &[Turn<'_>]) -> usize {
    let is_other = |turn: &Turn<'_>| turn.role != Role::System;
    turns.iter().position(is_other).unwrap_or(turns.len())
}

/// Counts the leading `turns` that repeat the end of a prompt.
fn repeated(prompt: &[Turn<'_>], turns: &[Turn<'_>]) -> usize {
    let is_repeated = |&count: &usize| prompt.ends_with(&turns[..count]);
    (1..=turns.len().min(prompt.len()))
        .rev()
        .find(is_repeated)
        .unwrap_or(0)
}
