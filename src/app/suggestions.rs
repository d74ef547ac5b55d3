//! What can be typed next in the line at the bottom, as a list to choose from.

use std::ops::Range;

use crate::query::{Completion, Completions};

/// What can be typed next, as a list to choose from.
#[derive(Debug, Clone)]
pub struct Suggestions {
    /// The text before anything was chosen.
    base: String,
    /// The bytes of it that the chosen one takes the place of.
    span: Range<usize>,
    /// What there is to choose from; never empty.
    pub items: Vec<Completion>,
    /// Place of the chosen one.
    pub chosen: Option<usize>,
    /// Whether the list opened by itself: then it takes no key but the one that chooses.
    by_itself: bool,
}

impl Suggestions {
    /// What can be typed next in this text; `None` where nothing that the line takes is known.
    pub(super) fn of(base: &str, mut found: Completions, by_itself: bool) -> Option<Self> {
        // The line takes no control characters: what has some could not be written there.
        found
            .items
            .retain(|item| !item.text.contains(char::is_control));
        let is_there = !found.items.is_empty() && base.get(found.span.clone()).is_some();
        is_there.then(|| Self {
            base: base.to_owned(),
            span: found.span,
            items: found.items,
            chosen: None,
            by_itself,
        })
    }

    /// Byte of the text at which a chosen one begins.
    pub fn start(&self) -> usize {
        self.span.start
    }

    /// Whether the keys that go up and down choose from the list: it was asked for, or chosen from.
    pub(super) fn has_keys(&self) -> bool {
        !self.by_itself
    }

    /// Chooses the next item, or the one before; behind the last one comes none. Gives the text with
    /// it, and the byte at which the cursor stands then.
    pub(super) fn step(&mut self, forward: bool) -> (String, usize) {
        self.by_itself = false;
        let last = self.items.len() - 1;
        self.chosen = match (self.chosen, forward) {
            (None, true) => Some(0),
            (None, false) => Some(last),
            (Some(chosen), true) => Some(chosen + 1).filter(|next| *next <= last),
            (Some(chosen), false) => chosen.checked_sub(1),
        };
        match self.chosen {
            Some(chosen) => self.applied(&self.items[chosen].text),
            None => self.original(),
        }
    }

    /// Takes in what all items have in common; gives the text with it and the byte at which the
    /// cursor stands then, where that is more than was typed or there is one item alone.
    pub(super) fn take_common(&mut self) -> Option<(String, usize)> {
        let typed = &self.base[self.span.clone()];
        let common = self.common();
        let extends = common.len() > typed.len() && common.starts_with(typed);
        if !extends && self.items.len() > 1 {
            return None;
        }
        let (text, cursor) = self.applied(common);
        (self.base, self.span.end) = (text.clone(), cursor);
        Some((text, cursor))
    }

    /// The text before anything was chosen, and the byte at which the cursor stood.
    pub(super) fn original(&self) -> (String, usize) {
        (self.base.clone(), self.span.end)
    }

    /// The text with the chosen item in it, and the byte behind that item.
    fn applied(&self, item: &str) -> (String, usize) {
        let text = format!(
            "{}{item}{}",
            &self.base[..self.span.start],
            &self.base[self.span.end..]
        );
        (text, self.span.start + item.len())
    }

    /// What all items begin with.
    fn common(&self) -> &str {
        let Some(first) = self.items.first() else {
            return "";
        };
        let shared = |other: &Completion| {
            let pairs = first.text.char_indices().zip(other.text.chars());
            pairs
                .take_while(|((_, one), other)| one == other)
                .map(|((at, one), _)| at + one.len_utf8())
                .last()
        };
        let length = self
            .items
            .iter()
            .map(|item| shared(item).unwrap_or(0))
            .min()
            .unwrap_or(0);
        &first.text[..length]
    }
}
