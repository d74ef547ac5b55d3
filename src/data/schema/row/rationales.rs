//! Facts of a row, and its rationales: texts about the sample and its responses.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::path::values_at;
use super::reader::CapturedRow;
use super::slots::RationaleSlot;
use super::values::{invalid_value, plain};
use crate::json::elements_of;
use crate::json::strings::text;
use crate::model::{Fact, Rationale, ReadWarning, ResponseId};
use crate::schema::layout::definition::BlindDisplay;

/// Maximum number of list elements in a fact.
const MAX_IN_FACT: usize = 10;

/// See [`CapturedRow::spelled_rationales`].
type ShowRationale<'v, 'r> = dyn FnMut(&RationaleSlot, Option<usize>, Option<usize>, &'r str) + 'v;

impl<'r> CapturedRow<'_, 'r> {
    /// Returns a fact by its index in the schema: a value as text, or the values of a list joined
    /// by commas.
    pub(super) fn fact(&self, place: usize) -> Option<(Cow<'r, str>, Option<ReadWarning>)> {
        let mut values = Vec::new();
        self.nested_values(self.schema.slots.facts.get(place)?, &mut |place, value| {
            if place.is_none_or(|place| place < MAX_IN_FACT) {
                values.push(plain(value));
            }
        });
        let mut values = values.into_iter();
        let (first, warning) = values.next()?;
        let rest: Vec<_> = values.collect();
        if rest.is_empty() {
            return Some((first, warning));
        }
        let warning = warning.or_else(|| rest.iter().find_map(|(_, warning)| warning.clone()));
        let joined = std::iter::once(&*first)
            .chain(rest.iter().map(|(text, _)| &**text))
            .collect::<Vec<_>>()
            .join(", ");
        Some((Cow::Owned(joined), warning))
    }

    pub(super) fn facts(&self, warnings: &mut Vec<ReadWarning>) -> Vec<Fact<'r>> {
        let mut facts = Vec::new();
        let paths = &self.schema.definition().facts;
        for (place, path) in paths.iter().enumerate() {
            let Some((value, warning)) = self.fact(place) else {
                continue;
            };
            warnings.extend(warning);
            facts.push(Fact {
                name: path.name.clone(),
                value,
                is_released: path.blind == BlindDisplay::Show,
            });
        }
        facts
    }

    /// Calls `show` with the texts of the row: the slot, the index of the response, the annotator,
    /// and the text as spelled, a string or another scalar value. Of a list, with all that one
    /// annotator wrote, then the next.
    pub fn spelled_rationales(&self, show: &mut ShowRationale<'_, 'r>) {
        self.each_text_value(&mut |it, annotator, value| {
            if let Some(response) = self.subject(it) {
                for spelling in spelled(value).unwrap_or_default() {
                    show(it, response, annotator, spelling);
                }
            }
        });
    }

    /// Calls `show` with the values of all texts that are there, as spelled. Each text is looked up
    /// in the elements of its list on its own: one walk over their keys for all texts was a sixth
    /// faster, and three times as long.
    fn each_text_value(&self, show: &mut dyn FnMut(&RationaleSlot, Option<usize>, &'r str)) {
        let texts = &self.schema.slots.texts;
        for list in texts.chunk_by(|a, b| a.nested.is_of_list() && a.nested.slot == b.nested.slot) {
            let own = &list[0].nested;
            if !own.is_of_list() {
                self.nested_values(own, &mut |annotator, value| {
                    show(&list[0], annotator, value);
                });
                continue;
            }
            self.elements(own, &mut |annotator, element| {
                for it in list {
                    let onward = it.nested.rest.steps().get(1..).unwrap_or_default();
                    let _ = values_at(element, onward, None, &mut |value| {
                        let value = text(value).filter(|value| self.is_value(value));
                        (value.into_iter()).for_each(|value| show(it, Some(annotator), value));
                    });
                }
            });
        }
    }

    /// Returns the index of the response that a text is about; `Some(None)` if it is about the
    /// sample, `None` if the row lacks that response.
    fn subject(&self, text: &RationaleSlot) -> Option<Option<usize>> {
        match text.response {
            // A row with one response has texts only about that response.
            _ if self.schema.joins_rows() => Some(Some(0)),
            None => Some(None),
            Some(slot) => self.place_of_response(slot).map(Some),
        }
    }

    /// Reads the texts about the sample and its responses. Adds warnings about invalid ones.
    pub(super) fn rationales(&self, warnings: &mut Vec<ReadWarning>) -> Vec<Rationale<'r>> {
        let texts = &self.schema.definition().texts;
        let mut rationales = Vec::new();
        self.spelled_rationales(&mut |it, response, annotator, spelling| {
            let (text, warning) = plain(spelling);
            warnings.extend(warning);
            if !is_blank(&text) {
                let of = texts.get(it.text);
                rationales.push(Rationale {
                    name: of.map_or_else(String::new, |text| text.name.clone()),
                    is_released: of.is_some_and(|text| text.blind == BlindDisplay::Show),
                    response: response.and_then(ResponseId::new),
                    annotator,
                    text,
                });
            }
        });
        warnings.extend(
            self.invalid_rationales()
                .into_iter()
                .map(ReadWarning::invalid),
        );
        rationales
    }

    /// Describes values that are not texts.
    pub(super) fn invalid_rationales(&self) -> Vec<String> {
        let mut invalid = Vec::new();
        self.each_text_value(&mut |it, _, value| {
            let name = self
                .schema
                .definition()
                .texts
                .get(it.text)
                .map(|of| &*of.name);
            let may_be_invalid = value.starts_with(['{', '[']);
            if let (true, Some(name)) = (may_be_invalid && spelled(value).is_none(), name) {
                invalid.push(invalid_value(name, value, "not text"));
            }
        });
        invalid
    }

    /// Adds the [places of texts](crate::schema::Definition::places_of_texts) at which this row has a text.
    pub fn find_texts(&self, found: &mut BTreeSet<usize>) {
        let mut texts = self.schema.slots.texts.iter();
        if texts.all(|it| found.contains(&it.place)) {
            return;
        }
        self.spelled_rationales(&mut |it, _, _, text| {
            if !found.contains(&it.place) && !is_blank(&plain(text).0) {
                found.insert(it.place);
            }
        });
    }
}

/// Returns the texts of a captured value as spelled: the value itself, or those of a list. `None`
/// if it is neither.
fn spelled(value: &str) -> Option<Vec<&str>> {
    match value.as_bytes().first()? {
        b'{' => None,
        b'[' => {
            let mut there = elements_of(value)?;
            there.retain(|spelling| *spelling != "null");
            let is_plain = |spelling: &&str| !spelling.starts_with(['[', '{']);
            there.iter().all(is_plain).then_some(there)
        }
        _ => Some(vec![value]),
    }
}

pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
