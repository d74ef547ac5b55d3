//! Sets of responses.

use std::cmp::Ordering;

use super::ResponseId;
use super::interned;

/// Some responses of a sample, by index.
///
/// A number of 30 bits. The first 29 responses are a bit each, so that sets of pairs need no
/// branch. The last bit marks sets with later members, which are stored as: the first n responses,
/// a single response, or the number of an interned list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ResponseSet(u32);

/// The members of a set.
#[derive(Clone, Copy)]
enum Members {
    Bits(u32),
    First(usize),
    Single(usize),
    /// Words of 32 bits; the last one is not 0.
    Listed(&'static [u32]),
}

impl Members {
    fn has(self, place: usize) -> bool {
        match self {
            Self::Bits(bits) => place < ResponseSet::INLINE && bits >> place & 1 == 1,
            Self::First(count) => place < count,
            Self::Single(only) => place == only,
            Self::Listed(words) => has_bit(words, place),
        }
    }

    /// Returns the index after the last member.
    const fn end(self) -> usize {
        match self {
            Self::Bits(bits) => (u32::BITS - bits.leading_zeros()) as usize,
            Self::First(count) => count,
            Self::Single(only) => only + 1,
            Self::Listed(words) => match words.last() {
                Some(last) => words.len() * 32 - last.leading_zeros() as usize,
                None => 0,
            },
        }
    }
}

fn has_bit(words: &[u32], place: usize) -> bool {
    (words.get(place / 32)).is_some_and(|word| word >> (place % 32) & 1 == 1)
}

impl ResponseSet {
    /// Number of responses with a bit of their own.
    const INLINE: usize = 29;
    /// Marks sets with later members.
    const MORE: u32 = 1 << Self::INLINE;
    /// The bits that sets use; the others are available for flags.
    pub const USED_BITS: u32 = Self::MORE | (Self::MORE - 1);
    /// For sets with later members: the bits of the number. Two further bits are the kind.
    const NUMBER: u32 = (1 << (Self::INLINE - 2)) - 1;
    const FIRST: u32 = Self::MORE | (1 << (Self::INLINE - 2));
    const SINGLE: u32 = Self::MORE | (2 << (Self::INLINE - 2));

    /// All possible responses.
    pub const ALL: Self = Self(Self::FIRST | Self::NUMBER);

    /// Returns the first `count` responses.
    pub const fn first(count: usize) -> Self {
        if count <= Self::INLINE {
            Self((1 << count) - 1)
        } else {
            Self(Self::FIRST | count as u32 & Self::NUMBER)
        }
    }

    /// Returns a set of one response.
    pub const fn single(response: usize) -> Self {
        if response < Self::INLINE {
            Self(1 << response)
        } else {
            Self(Self::SINGLE | response as u32 & Self::NUMBER)
        }
    }

    /// Creates a set of responses by index.
    pub fn of(responses: impl IntoIterator<Item = usize>) -> Self {
        let mut set = ResponseSetBuilder::default();
        (responses.into_iter()).for_each(|response| set.insert(response));
        set.build()
    }

    /// Returns those of the first `count` responses for which `holds` is true.
    #[inline]
    pub fn filtered(count: usize, holds: impl Fn(usize) -> bool) -> Self {
        if count > Self::INLINE {
            return Self::of((0..count).filter(|place| holds(*place)));
        }
        // Branch-free: this runs for each sample.
        Self((0..count).fold(0, |bits, place| bits | u32::from(holds(place)) << place))
    }

    /// Returns the rated responses: those with a value other than NaN.
    pub fn rated(values: &[f64]) -> Self {
        Self::filtered(values.len(), |place| !values[place].is_nan())
    }

    /// Returns, for each sample, the responses whose list has true for it.
    pub fn of_response_columns(lanes: &[Vec<bool>]) -> Vec<Self> {
        let samples = lanes.first().map_or(0, Vec::len);
        let mut sets = vec![Self::default(); samples];
        // Branch-free: this runs for each sample.
        for (response, lane) in lanes.iter().take(Self::INLINE).enumerate() {
            sets.iter_mut()
                .zip(lane)
                .for_each(|(set, &holds)| set.0 |= u32::from(holds) << response);
        }
        let more = lanes.get(Self::INLINE..).unwrap_or_default();
        for (sample, set) in sets.iter_mut().enumerate() {
            if more.iter().any(|lane| lane[sample]) {
                *set = Self::of((0..lanes.len()).filter(|response| lanes[*response][sample]));
            }
        }
        sets
    }

    /// Returns the set as a number.
    pub const fn code(self) -> u32 {
        self.0
    }

    /// Returns the set of a [`Self::code`].
    pub const fn of_code(code: u32) -> Self {
        Self(code)
    }

    fn members(self) -> Members {
        let number = (self.0 & Self::NUMBER) as usize;
        match self.0 & !Self::NUMBER {
            _ if self.0 & Self::MORE == 0 => Members::Bits(self.0),
            Self::FIRST => Members::First(number),
            Self::SINGLE => Members::Single(number),
            _ => Members::Listed(interned::list_of(number as u32)),
        }
    }

    /// True if each member is one bit, so that codes can be combined bit by bit.
    pub const fn is_inline(self) -> bool {
        self.0 & Self::MORE == 0
    }

    /// True if the response at this index is in the set.
    pub fn has(self, response: usize) -> bool {
        self.members().has(response)
    }

    /// [`Self::has`] for many indices, with one lookup of the members.
    pub fn membership(self) -> impl Fn(usize) -> bool + Copy {
        let members = self.members();
        move |response| members.has(response)
    }

    /// Returns the number of responses in the set.
    pub fn count(self) -> usize {
        match self.members() {
            Members::Bits(bits) => bits.count_ones() as usize,
            Members::First(count) => count,
            Members::Single(_) => 1,
            Members::Listed(words) => words.iter().map(|word| word.count_ones() as usize).sum(),
        }
    }

    /// True if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the only response of the set; `None` if it has several or none.
    pub fn only(self) -> Option<ResponseId> {
        match self.members() {
            Members::Bits(bits) if bits.is_power_of_two() => {
                ResponseId::new(bits.trailing_zeros() as usize)
            }
            Members::Single(only) => ResponseId::new(only),
            _ => None,
        }
    }

    /// True if both sets have a response in common.
    pub fn meets(self, other: Self) -> bool {
        if self.is_inline() && other.is_inline() {
            return self.0 & other.0 != 0;
        }
        let other = other.members();
        self.iter().any(|id| other.has(id.index()))
    }

    /// Returns the union of both sets.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        if self.is_inline() && other.is_inline() {
            return Self(self.0 | other.0);
        }
        Self::of(self.iter().chain(other.iter()).map(ResponseId::index))
    }

    /// Returns the responses that are not in another set.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        if self.is_inline() && other.is_inline() {
            return Self(self.0 & !other.0);
        }
        let other = other.members();
        let places = self.iter().map(ResponseId::index);
        Self::of(places.filter(|place| !other.has(*place)))
    }

    /// Iterates the responses in file order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = ResponseId> + Clone {
        let members = self.members();
        ResponseId::first(members.end()).filter(move |id| members.has(id.index()))
    }
}

/// Orders sets by the last response that is in only one of them.
impl Ord for ResponseSet {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.is_inline() && other.is_inline() {
            self.0.cmp(&other.0)
        } else {
            self.iter().rev().cmp(other.iter().rev())
        }
    }
}

impl PartialOrd for ResponseSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Builds a set response by response.
#[derive(Debug, Clone, Default)]
pub struct ResponseSetBuilder {
    /// Bits of the first 32 responses.
    low: u32,
    /// Bits of the others.
    more: Vec<u32>,
}

impl ResponseSetBuilder {
    /// Adds the response at an index.
    pub fn insert(&mut self, response: usize) {
        let bit = 1 << (response % 32);
        match (response / 32).checked_sub(1) {
            None => self.low |= bit,
            Some(word) => {
                if self.more.len() <= word {
                    self.more.resize(word + 1, 0);
                }
                self.more[word] |= bit;
            }
        }
    }

    /// True if the response at this index was added.
    pub fn has(&self, response: usize) -> bool {
        match (response / 32).checked_sub(1) {
            None => self.low >> response & 1 == 1,
            Some(_) => has_bit(&self.more, response - 32),
        }
    }

    /// Adds the responses of a set, each `later` indices further.
    pub fn insert_all(&mut self, set: ResponseSet, later: usize) {
        set.iter().for_each(|id| self.insert(id.index() + later));
    }

    /// Returns the set. Equal members give equal sets.
    pub fn build(&self) -> ResponseSet {
        if self.more.is_empty() && self.low < ResponseSet::MORE {
            return ResponseSet(self.low);
        }
        let words = [&[self.low], self.more.as_slice()].concat();
        let members: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        let last = words.len() * 32 - words.last().map_or(0, |last| last.leading_zeros() as usize);
        match members {
            1 => ResponseSet::single(last - 1),
            all if all == last => ResponseSet::first(last),
            _ => ResponseSet(ResponseSet::MORE | interned::number_of(&words) & ResponseSet::NUMBER),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::btree_set;
    use proptest::prelude::*;

    use super::*;

    fn places(set: ResponseSet) -> Vec<usize> {
        set.iter().map(ResponseId::index).collect()
    }

    fn some_places() -> impl Strategy<Value = BTreeSet<usize>> {
        let within = |most: usize| btree_set(0..most, 0..most);
        let first = |most: usize| (0..most).prop_map(|count| (0..count).collect());
        prop_oneof![
            within(4),
            within(40),
            within(100),
            first(70),
            (0..900_usize).prop_map(|it| [it].into())
        ]
    }

    proptest! {
        /// Sets behave like sets of the standard library in every representation.
        #[test]
        fn sets_of_any_size(one in some_places(), other in some_places()) {
            let [a, b] = [&one, &other].map(|it| ResponseSet::of(it.iter().copied()));
            prop_assert_eq!(places(a), Vec::from_iter(one.iter().copied()));
            prop_assert_eq!(a.count(), one.len());
            prop_assert_eq!(a.is_empty(), one.is_empty());
            prop_assert_eq!(a == b, one == other);
            prop_assert_eq!(a.cmp(&b), one.iter().rev().cmp(other.iter().rev()));
            prop_assert_eq!(a.meets(b), !one.is_disjoint(&other));
            prop_assert_eq!(places(a.with(b)), Vec::from_iter(&one | &other));
            prop_assert_eq!(places(a.without(b)), Vec::from_iter(&one - &other));
            prop_assert_eq!(ResponseSet::of_code(a.code()), a);
            prop_assert_eq!(a.code() & !ResponseSet::USED_BITS, 0);
            let lanes: Vec<_> = (0..1000).map(|at| vec![one.contains(&at), other.contains(&at)]).collect();
            prop_assert_eq!(ResponseSet::of_response_columns(&lanes), [a, b]);
            let mut built = ResponseSetBuilder::default();
            for (at, place) in one.iter().enumerate() {
                prop_assert!(!built.has(*place));
                built.insert(*place);
                prop_assert!(built.has(*place), "{}", at);
            }
            for count in [0, 1, 2, 28, 29, 30, 31, 32, 33, 64, 65] {
                prop_assert_eq!(places(ResponseSet::first(count)), Vec::from_iter(0..count));
                prop_assert_eq!(ResponseSet::of(0..count), ResponseSet::first(count));
            }
        }
    }
}
