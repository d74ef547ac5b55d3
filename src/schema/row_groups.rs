//! Which rows are one sample, wherever in the file they are.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::reader::CapturedRow;

impl<'r> CapturedRow<'_, 'r> {
    /// The prompt's spelling, or the hash of its parts: compare with [`super::decode::same_text`].
    pub fn prompt_spelling(&self) -> Option<Cow<'r, str>> {
        let prompt = self.schema().slots().prompt.as_ref()?;
        if let Some(only) = prompt.only_value() {
            return self.value(only.slot).map(Cow::Borrowed);
        }
        Some(Cow::Owned(format!("{:x}", self.prompt_hash())))
    }

    /// A hash of the values that its group shares; `None` without them: it is a group of its own. Rows
    /// of annotators also share their prompt and responses, those of a pair in either order.
    pub fn group_key(&self) -> Option<u64> {
        let slots = &self.schema().slots().group;
        let is_there = slots.iter().all(|&slot| self.is_there(slot));
        let key = || self.hash(slots.iter().copied());
        is_there.then(|| match self.schema().definition().is_row_by_annotator() {
            false => key(),
            true => {
                let mut responses = self.response_hashes();
                if let [_, _] = responses[..] {
                    responses.sort_unstable();
                }
                let mut hasher = DefaultHasher::new();
                (key(), self.prompt_hash(), responses).hash(&mut hasher);
                hasher.finish()
            }
        })
    }

    /// Hashes of what its responses say.
    fn response_hashes(&self) -> Vec<u64> {
        let slots = self.responses().map(|response| response.text.slot);
        slots.map(|slot| self.hash(std::iter::once(slot))).collect()
    }

    /// Which of the two orders a pair has that annotators can see in different orders.
    pub fn is_reversed(&self) -> bool {
        matches!(self.response_hashes()[..], [a, b] if a > b)
    }
}
