//! The same responses in two orders.

/// Where the second has each response of the first.
pub(super) type MatchedPlaces = Box<[usize]>;

/// Where the responses of a sample stand in another order of them, by their keys. Of those that say
/// the same, one of which the same is said.
pub(super) fn order_of(
    old: &[u128],
    new: &[u128],
    is_same: impl Fn(usize, usize) -> bool,
) -> MatchedPlaces {
    let mut left: Vec<_> = (0..new.len()).collect();
    let place = |(place, key): (usize, &u128)| {
        let has_key = |at: &usize| new.get(*at) == Some(key);
        let same = left
            .iter()
            .position(|at| has_key(at) && is_same(place, *at));
        let at = same.or_else(|| left.iter().position(has_key))?;
        Some(left.remove(at))
    };
    old.iter().enumerate().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_response_is_found_in_the_other_order() {
        // Of twins each is the one of which the same is said, and otherwise any.
        let says = |old: usize, new: usize| [1, 2, 3][old] == [3, 2, 1][new];
        assert_eq!(*order_of(&[7, 7, 9], &[9, 7, 7], says), [2, 1, 0]);
        assert_eq!(*order_of(&[7, 7, 9], &[9, 7, 7], |_, _| false), [1, 2, 0]);
    }
}
