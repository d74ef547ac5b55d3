//! One value a sample of a block, the same for both responses or one for each.

/// See the module.
#[derive(Debug, Clone)]
pub(super) enum Lanes<T> {
    /// Of the sample, or the same for both responses.
    Same(Vec<T>),
    /// Of A and of B.
    Each([Vec<T>; 2]),
}

impl<T: Copy> Lanes<T> {
    /// The values for a response, by its place.
    pub(super) fn lane(&self, side: usize) -> &[T] {
        match self {
            Self::Same(values) => values,
            Self::Each(values) => &values[side],
        }
    }

    /// Each value as something else.
    pub(super) fn map<U>(&self, to: impl Fn(T) -> U) -> Lanes<U> {
        let list = |values: &[T]| values.iter().map(|&value| to(value)).collect();
        match self {
            Self::Same(values) => Lanes::Same(list(values)),
            Self::Each([a, b]) => Lanes::Each([list(a), list(b)]),
        }
    }

    /// Each value with the one of the same sample and response.
    pub(super) fn zip<U: Copy, V>(&self, other: &Lanes<U>, to: impl Fn(T, U) -> V) -> Lanes<V> {
        let list = |ours: &[T], others: &[U]| {
            ours.iter()
                .zip(others)
                .map(|(&one, &other)| to(one, other))
                .collect()
        };
        match (self, other) {
            (Self::Same(ours), Lanes::Same(others)) => Lanes::Same(list(ours, others)),
            _ => Lanes::Each([0, 1].map(|side| list(self.lane(side), other.lane(side)))),
        }
    }
}

impl Lanes<bool> {
    /// Whether it holds nowhere.
    pub(super) fn is_empty(&self) -> bool {
        let none = |values: &[bool]| !values.iter().fold(false, |any, &value| any | value);
        match self {
            Self::Same(values) => none(values),
            Self::Each([a, b]) => none(a) && none(b),
        }
    }
}
