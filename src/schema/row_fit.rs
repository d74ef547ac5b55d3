//! Whether a row is what a schema is for: asked where the schema of a file is chosen.

use super::reader::CapturedRow;
use super::slots::{RatingSlot, ResponseSlots, Slots, TextSlot};

impl CapturedRow<'_, '_> {
    /// Whether it has all that its schema must have to be found by itself.
    pub(super) fn has_needs(&self) -> bool {
        let Slots { needs, prompt, .. } = self.schema().slots();
        let prompt = prompt
            .iter()
            .filter_map(|prompt| prompt.texts.first().copied());
        let texts = prompt.chain(self.responses().map(|response| response.text));
        let is_json = |text: TextSlot| {
            let value = self.value(text.slot);
            value.is_some_and(|value| value.starts_with("\"[") || value.starts_with("\"{"))
        };
        // A list of messages is one response, and not a list of any number of them.
        let is_text = |response: &ResponseSlots| {
            let value = self.value(response.text.slot);
            !response.is_bare_element || value.is_some_and(|value| value.starts_with('"'))
        };
        needs.iter().all(|&slot| self.is_there(slot))
            && texts.filter(|text| text.is_json).all(is_json)
            && self.responses().all(is_text)
    }

    /// Whether any response has a value for any label, and one that the label can have.
    pub(super) fn is_rated(&self) -> bool {
        let labels = &self.schema().definition().labels;
        let mut rated = self
            .responses()
            .flat_map(|response| response.ratings.iter().zip(labels));
        rated.any(|(slot, label)| match slot {
            Some(RatingSlot::Value(slot)) => {
                let is_list = self
                    .value(*slot)
                    .is_some_and(|value| value.starts_with('['));
                is_list == label.reduce.is_some() && matches!(self.rated(*slot, label), Ok(Some(_)))
            }
            // Each response of the table has it, whatever stands on the row.
            Some(RatingSlot::Constant(_)) => true,
            None => false,
        })
    }
}
