//! One value a sample of a block, the same for all responses or one for each.

use super::ResponseSet;

/// One value a sample of a block, shared by its responses or one for each.
#[derive(Debug, Clone)]
pub(super) enum PerResponse<T> {
    /// Of the sample, or the same for all responses.
    Same(Vec<T>),
    /// A *lane* for each response that samples of the block have: A's first.
    Each(Vec<Vec<T>>),
}

impl<T: Copy> PerResponse<T> {
    /// The lanes: one where it is the same for all responses.
    pub(super) fn lanes(&self) -> &[Vec<T>] {
        match self {
            Self::Same(values) => std::slice::from_ref(values),
            Self::Each(lanes) => lanes,
        }
    }

    /// The values for a response, by its place; none for a response that no sample of the block
    /// has.
    pub(super) fn lane(&self, response: usize) -> &[T] {
        match self {
            Self::Same(values) => values,
            Self::Each(lanes) => lanes.get(response).map_or(&[], |lane| lane),
        }
    }

    /// What the values of its lanes come to, sample by sample; empty of none.
    pub(super) fn joined(&self, with: impl Fn(T, T) -> T) -> Vec<T> {
        let both = |mut all: Vec<T>, lane: Vec<T>| {
            let each = all.iter_mut().zip(lane);
            each.for_each(|(value, other)| *value = with(*value, other));
            all
        };
        let lanes = self.lanes().iter().cloned();
        lanes.reduce(both).unwrap_or_default()
    }

    /// Each value as something else.
    pub(super) fn map<U>(&self, to: impl Fn(T) -> U) -> PerResponse<U> {
        let list = |values: &[T]| values.iter().map(|&value| to(value)).collect();
        match self {
            Self::Same(values) => PerResponse::Same(list(values)),
            Self::Each(lanes) => PerResponse::Each(lanes.iter().map(|lane| list(lane)).collect()),
        }
    }

    /// Each value with the one of the same sample and response. Both are of one block.
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
        let lanes = match (self, other) {
            (Self::Same(ours), PerResponse::Same(others)) => {
                return PerResponse::Same(list(ours, others));
            }
            (Self::Each(lanes), _) => lanes.len(),
            (_, PerResponse::Each(lanes)) => lanes.len(),
        };
        let lane = |response| list(self.lane(response), other.lane(response));
        PerResponse::Each((0..lanes).map(lane).collect())
    }

    /// What the values of a sample, by its place in the block, come to: of those of the responses
    /// in a set, or of all where none of them is in it; `None` where there is no value.
    pub(super) fn reduce(
        &self,
        sample: usize,
        set: ResponseSet,
        with: impl Fn(T, T) -> T,
    ) -> Option<T> {
        let lanes = self.lanes();
        let of = |is_in: &dyn Fn(usize) -> bool| {
            let values = lanes.iter().enumerate();
            let values = values.filter_map(|(response, lane)| {
                lane.get(sample).copied().filter(|_| is_in(response))
            });
            values.reduce(&with)
        };
        of(&set.membership()).or_else(|| of(&|_| true))
    }
}

impl PerResponse<bool> {
    /// Whether it holds nowhere.
    pub(super) fn is_empty(&self) -> bool {
        let none = |values: &Vec<bool>| !values.iter().fold(false, |any, &value| any | value);
        self.lanes().iter().all(none)
    }
}
