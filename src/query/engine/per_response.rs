//! One value a sample of a block, the same for both responses or one for each.

/// One value a sample of a block, shared by both responses or one for each.
#[derive(Debug, Clone)]
pub(super) enum PerResponse<T> {
    /// Of the sample, or the same for both responses.
    Same(Vec<T>),
    /// Of A and of B.
    Each([Vec<T>; 2]),
}

impl<T: Copy> PerResponse<T> {
    /// The values for a response, by its place.
    pub(super) fn lane(&self, side: usize) -> &[T] {
        match self {
            Self::Same(values) => values,
            Self::Each(values) => &values[side],
        }
    }

    /// Each value as something else.
    pub(super) fn map<U>(&self, to: impl Fn(T) -> U) -> PerResponse<U> {
        let list = |values: &[T]| values.iter().map(|&value| to(value)).collect();
        match self {
            Self::Same(values) => PerResponse::Same(list(values)),
            Self::Each([a, b]) => PerResponse::Each([list(a), list(b)]),
        }
    }

    /// Each value with the one of the same sample and response.
    pub(super) fn zip<U: Copy, V>(
        &self,
        other: &PerResponse<U>,
        to: impl Fn(T, U) -> V,
    ) -> PerResponse<V> {
        let list = |ours: &[T], others: &[U]| {
            ours.iter()
                .zip(others)
                .map(|(&one, &other)| to(one, other))
                .collect()
        };
        match (self, other) {
            (Self::Same(ours), PerResponse::Same(others)) => PerResponse::Same(list(ours, others)),
            _ => PerResponse::Each([0, 1].map(|side| list(self.lane(side), other.lane(side)))),
        }
    }
}

impl PerResponse<bool> {
    /// Whether it holds nowhere.
    pub(super) fn is_empty(&self) -> bool {
        let none = |values: &[bool]| !values.iter().fold(false, |any, &value| any | value);
        match self {
            Self::Same(values) => none(values),
            Self::Each([a, b]) => none(a) && none(b),
        }
    }
}
