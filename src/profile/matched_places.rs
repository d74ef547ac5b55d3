//! Matches equal responses in two orders.

/// The index in the second order of each response of the first.
pub(super) type MatchedPlaces = Box<[usize]>;

/// Finds the index in another order of each response, by key. Of responses with equal texts, those
/// with equal values are preferred.
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
        // Responses with equal texts are matched by equal values, otherwise arbitrarily.
        let says = |old: usize, new: usize| [1, 2, 3][old] == [3, 2, 1][new];
        assert_eq!(*order_of(&[7, 7, 9], &[9, 7, 7], says), [2, 1, 0]);
        assert_eq!(*order_of(&[7, 7, 9], &[9, 7, 7], |_, _| false), [1, 2, 0]);
    }
}
