//! Results of comparing samples with each other, stored for one load. The first request computes
//! them; then all snapshots share them.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, TryLockError};
use std::thread;
use std::time::Duration;

use super::overlap::{OverlapReader, PromptOverlap, ResponseOverlap};
use crate::dataset::{Dataset, PromptMatch, TextPass};
use crate::parallel::{KeepGoing, locked};
use crate::table::{OverlapScope, SampleComparison};

/// Poll interval while another thread computes the result.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The comparisons of one load so far.
#[derive(Debug, Default)]
pub struct ComparedSamples {
    pub prompts: KeptComparison<PromptOverlap>,
    pub responses: KeptComparison<ResponseOverlap>,
    /// Held by the comparing thread.
    at_work: Mutex<()>,
}

/// A comparison of all samples that existed when it was requested. Locked only briefly, since cells
/// of a list read it between two frames.
#[derive(Debug, Default)]
pub struct KeptComparison<T>(Mutex<Option<Arc<T>>>);

impl<T> KeptComparison<T> {
    pub fn known(&self) -> Option<Arc<T>> {
        locked(&self.0).clone()
    }

    /// Stores a result, unless one of more samples is known: two can be in progress while rows
    /// arrive.
    fn keep(&self, worked_out: T, samples: impl Fn(&T) -> usize) {
        let mut known = locked(&self.0);
        if known
            .as_ref()
            .is_none_or(|known| samples(known) <= samples(&worked_out))
        {
            *known = Some(Arc::new(worked_out));
        }
    }
}

impl Dataset {
    /// True if a comparison is known for all samples.
    pub fn has_compared(&self, comparison: SampleComparison) -> bool {
        let samples = if comparison.is_of_prompts() {
            self.compared.prompts.known().map(|it| it.samples())
        } else {
            self.compared.responses.known().map(|it| it.samples())
        };
        samples.is_some_and(|samples| samples >= self.samples())
    }

    /// Computes these comparisons unless they are known for all samples. Reads all texts of the
    /// dataset, on all cores. Cancellation is checked every few milliseconds.
    pub fn compare(
        &self,
        comparisons: &[SampleComparison],
        keep_going: &dyn KeepGoing,
    ) -> ControlFlow<()> {
        let _at_work = loop {
            if comparisons.iter().all(|it| self.has_compared(*it)) {
                return ControlFlow::Continue(());
            }
            if !keep_going() {
                return ControlFlow::Break(());
            }
            match self.compared.at_work.try_lock() {
                Ok(guard) => break guard,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => thread::sleep(POLL_INTERVAL),
            }
        };
        let mut pass = TextPass::new(self, Vec::new(), comparisons, 0..self.samples());
        while pass.next_samples().is_some() {
            pass.read(None, keep_going)?;
        }
        pass.finish(keep_going)
    }

    /// Computes and stores the comparisons of a complete reader. Cancellation as in
    /// [`Self::compare`].
    pub fn keep_overlap(&self, read: OverlapReader, keep_going: &dyn KeepGoing) -> ControlFlow<()> {
        let Some((prompts, responses)) = read.compared(self, keep_going) else {
            return ControlFlow::Break(());
        };
        if let Some(read) = prompts {
            self.compared.prompts.keep(read, PromptOverlap::samples);
        }
        if let Some(read) = responses {
            self.compared.responses.keep(read, ResponseOverlap::samples);
        }
        ControlFlow::Continue(())
    }

    /// Returns the strongest match of each sample's prompt; `None` if there is none or it is not
    /// computed yet.
    pub fn overlaps(
        &self,
        samples: std::ops::Range<usize>,
        scope: OverlapScope,
    ) -> Vec<Option<PromptMatch>> {
        let known = self.compared.prompts.known();
        let way = |sample| known.as_ref()?.way(sample, scope);
        samples.map(way).collect()
    }

    /// Returns the number, from 1, of the sample with that match; NaN if there is none.
    pub fn overlaps_with(&self, samples: std::ops::Range<usize>, scope: OverlapScope) -> Vec<f64> {
        let known = self.compared.prompts.known();
        let other = |sample| known.as_ref()?.other(sample, scope);
        let number = |sample| other(sample).map_or(f64::NAN, |other| (other + 1) as f64);
        samples.map(number).collect()
    }

    /// Returns whether a comparison holds for each sample; `false` if it is not computed yet or is
    /// not a flag.
    pub fn compared_flags(
        &self,
        samples: std::ops::Range<usize>,
        comparison: SampleComparison,
    ) -> Vec<bool> {
        self.compared
            .responses
            .known()
            .unwrap_or_default()
            .flags(comparison, samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_fewer_samples_replace_nothing() {
        let kept = KeptComparison::<Vec<u8>>::default();
        for (samples, known) in [(3, 3), (2, 3), (4, 4)] {
            kept.keep(vec![0; samples], Vec::len);
            assert_eq!(kept.known().map(|list| list.len()), Some(known));
        }
    }
}
