//! A value of all samples beside the same value of the shown ones.

/// A value of all samples, and the same value of those that a query shows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WithShown<T> {
    /// Of all samples.
    pub whole: T,
    /// `None` where no query chooses, or where that makes no difference.
    pub shown: Option<T>,
}

impl<T> WithShown<T> {
    /// A value of all samples that is not known of the shown ones.
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

    /// Changes the value of all samples, and that of the shown ones if the sample at hand shows.
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
