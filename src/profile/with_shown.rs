//! A value for all samples and for the shown ones.

/// A value for all samples, and the same value for those that the query shows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WithShown<T> {
    /// The value for all samples.
    pub whole: T,
    /// `None` without a query, or if it makes no difference.
    pub shown: Option<T>,
}

impl<T> WithShown<T> {
    /// Wraps a value for all samples that is unknown for the shown ones.
    pub(super) const fn of_whole(whole: T) -> Self {
        Self { whole, shown: None }
    }

    pub(super) fn map<U>(&self, make: impl Fn(&T) -> U) -> WithShown<U> {
        WithShown {
            whole: make(&self.whole),
            shown: self.shown.as_ref().map(make),
        }
    }

    pub(super) fn into_map<U>(self, make: impl Fn(T) -> U) -> WithShown<U> {
        WithShown {
            whole: make(self.whole),
            shown: self.shown.map(make),
        }
    }

    /// Changes the value for all samples, and that for the shown ones if `shows`.
    pub(super) fn update(&mut self, shows: bool, change: impl Fn(&mut T)) {
        change(&mut self.whole);
        self.shown.as_mut().filter(|_| shows).map(change);
    }
}

impl<T: Copy> WithShown<T> {
    pub(super) fn zip<U: Copy>(self, other: WithShown<U>) -> WithShown<(T, U)> {
        WithShown {
            whole: (self.whole, other.whole),
            shown: self.shown.zip(other.shown),
        }
    }
}
