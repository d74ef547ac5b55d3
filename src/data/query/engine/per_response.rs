//! Values per sample of a block, either per response or shared by all.

use super::ResponseSet;

/// One value per sample of a block, shared by its responses or one per response.
#[derive(Debug, Clone)]
pub(super) enum PerResponse<T> {
    /// A value per sample.
    Same(Vec<T>),
    /// A *lane* per response, A's first.
    Each(Vec<Vec<T>>),
}

impl<T: Copy> PerResponse<T> {
    /// Returns the lanes; one if the value is shared.
    pub(super) fn lanes(&self) -> &[Vec<T>] {
        match self {
            Self::Same(values) => std::slice::from_ref(values),
            Self::Each(lanes) => lanes,
        }
    }

    /// Returns the values of a response; empty if no sample of the block has it.
    pub(super) fn lane(&self, response: usize) -> &[T] {
        match self {
            Self::Same(values) => values,
            Self::Each(lanes) => lanes.get(response).map_or(&[], |lane| lane),
        }
    }

    /// Folds the lanes sample by sample; empty without lanes.
    pub(super) fn joined(&self, with: impl Fn(T, T) -> T) -> Vec<T> {
        let both = |mut all: Vec<T>, lane: Vec<T>| {
            all.iter_mut()
                .zip(lane)
                .for_each(|(value, other)| *value = with(*value, other));
            all
        };
        self.lanes()
            .iter()
            .cloned()
            .reduce(both)
            .unwrap_or_default()
    }

    /// Maps each value.
    pub(super) fn map<U>(&self, to: impl Fn(T) -> U) -> PerResponse<U> {
        let list = |values: &[T]| values.iter().map(|&value| to(value)).collect();
        match self {
            Self::Same(values) => PerResponse::Same(list(values)),
            Self::Each(lanes) => PerResponse::Each(lanes.iter().map(|lane| list(lane)).collect()),
        }
    }

    /// Combines the values of the same samples and responses. Both must belong to one block.
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

    /// Folds the values of a sample over a set of responses, or over all if none of the set has a
    /// value; `None` without values.
    pub(super) fn reduce(
        &self,
        sample: usize,
        set: ResponseSet,
        with: impl Fn(T, T) -> T,
    ) -> Option<T> {
        let lanes = self.lanes();
        let of = |is_in: &dyn Fn(usize) -> bool| {
            lanes
                .iter()
                .enumerate()
                .filter_map(|(response, lane)| {
                    lane.get(sample).copied().filter(|_| is_in(response))
                })
                .reduce(&with)
        };
        of(&set.membership()).or_else(|| of(&|_| true))
    }
}

impl PerResponse<bool> {
    /// True if all values are false.
    pub(super) fn is_empty(&self) -> bool {
        let none = |values: &Vec<bool>| !values.iter().fold(false, |any, &value| any | value);
        self.lanes().iter().all(none)
    }
}
