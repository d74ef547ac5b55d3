//! Interned lists of numbers, kept for the life of the program, so that sets and orders of any
//! number of responses are small and cheap to copy.
//!
//! Only values that do not fit into a number are interned: sets with a member beyond the first 29
//! responses, and orders other than the file's.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

#[derive(Default)]
struct InternedLists {
    numbers: HashMap<&'static [u32], u32>,
    lists: Vec<&'static [u32]>,
}

static LISTS: LazyLock<RwLock<InternedLists>> = LazyLock::new(RwLock::default);
static NAMES: LazyLock<RwLock<HashMap<u32, &'static str>>> = LazyLock::new(RwLock::default);

/// Returns the number of a list; equal lists have equal numbers.
pub(super) fn number_of(list: &[u32]) -> u32 {
    let known = LISTS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(number) = known.numbers.get(list) {
        return *number;
    }
    drop(known);
    let mut all = LISTS.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have added it in the meantime.
    if let Some(number) = all.numbers.get(list) {
        return *number;
    }
    let (number, list) = (all.lists.len() as u32, &*Box::leak(Box::from(list)));
    all.lists.push(list);
    all.numbers.insert(list, number);
    number
}

/// Returns the list with a number.
pub(super) fn list_of(number: u32) -> &'static [u32] {
    LISTS
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .lists
        .get(number as usize)
        .copied()
        .unwrap_or_default()
}

/// Returns the name of response `number` (from 1) in queries and files: `r27`.
pub(super) fn name_of(number: u32) -> &'static str {
    let known = NAMES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = known.get(&number) {
        return name;
    }
    drop(known);
    NAMES
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .entry(number)
        .or_insert_with(|| format!("r{number}").leak())
}
