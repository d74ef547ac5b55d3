//! Facts of a row: other fields worth showing.

use std::borrow::Cow;

use super::decode;
use super::definition::BlindDisplay;
use super::reader::CapturedRow;
use crate::model::{Fact, ReadWarning};

impl<'r> CapturedRow<'_, 'r> {
    /// A fact by its place in the schema: a value as text, or the values of a list with commas
    /// between; `None` where there is none.
    pub(super) fn fact(&self, place: usize) -> Option<(Cow<'r, str>, Option<ReadWarning>)> {
        let slots = self.schema().slots().facts.get(place)?;
        let there = slots.iter().filter(|&&slot| self.is_there(slot));
        let mut values = there
            .filter_map(|&slot| self.value(slot))
            .map(decode::plain);
        let (first, warning) = values.next()?;
        let rest: Vec<_> = values.collect();
        if rest.is_empty() {
            return Some((first, warning));
        }
        let warning = warning.or_else(|| rest.iter().find_map(|(_, warning)| warning.clone()));
        let texts = std::iter::once(&*first).chain(rest.iter().map(|(text, _)| &**text));
        let joined = texts.collect::<Vec<_>>().join(", ");
        Some((Cow::Owned(joined), warning))
    }

    pub(super) fn facts(&self, warnings: &mut Vec<ReadWarning>) -> Vec<Fact<'r>> {
        let mut facts = Vec::new();
        let paths = &self.schema().definition().facts;
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
}
