//! What comparing the samples with each other tells, kept for one loading: whoever asks first has it
//! worked out, and all who have the dataset see it from then on.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, TryLockError};
use std::thread;
use std::time::Duration;

use super::overlap::{OverlapReader, PromptOverlap, ResponseOverlap};
use super::{Dataset, PromptMatch, TextPass};
use crate::parallel::{KeepGoing, locked};
use crate::table::{OverlapScope, SampleComparison};

/// How long it is waited before it is asked again whether another thread has worked it out.
const PAUSE: Duration = Duration::from_millis(5);

/// What is known of one loading by now.
#[derive(Debug, Default)]
pub(super) struct ComparedSamples {
    pub(super) prompts: KeptComparison<PromptOverlap>,
    pub(super) responses: KeptComparison<ResponseOverlap>,
    /// Held by the thread that compares.
    at_work: Mutex<()>,
}

/// A comparison of all samples that there were when it was asked for. Locked for an instant only, since
/// cells of a list ask for it between two frames.
#[derive(Debug, Default)]
pub(super) struct KeptComparison<T>(Mutex<Option<Arc<T>>>);

impl<T> KeptComparison<T> {
    pub(super) fn known(&self) -> Option<Arc<T>> {
        locked(&self.0).clone()
    }

    /// Keeps it, unless one of more samples is known: two can be at work while rows arrive.
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
    /// Whether a comparison is known of all samples.
    pub fn has_compared(&self, comparison: SampleComparison) -> bool {
        let samples = match comparison {
            SampleComparison::Overlap(_) | SampleComparison::OverlapWith(_) => {
                self.compared.prompts.known().map(|known| known.samples())
            }
            SampleComparison::Duplicate
            | SampleComparison::Contradicted
            | SampleComparison::Relabelled => {
                self.compared.responses.known().map(|known| known.samples())
            }
        };
        samples.is_some_and(|samples| samples >= self.samples())
    }

    /// Has these comparisons worked out, where they are not known of all samples; reads all texts of
    /// the dataset, on all cores. Breaks off once it is not `wanted` any more, which is asked every
    /// few milliseconds.
    pub fn compare(
        &self,
        comparisons: &[SampleComparison],
        wanted: &dyn KeepGoing,
    ) -> ControlFlow<()> {
        let _at_work = loop {
            if comparisons.iter().all(|it| self.has_compared(*it)) {
                return ControlFlow::Continue(());
            }
            if !wanted() {
                return ControlFlow::Break(());
            }
            match self.compared.at_work.try_lock() {
                Ok(guard) => break guard,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        };
        let mut pass = TextPass::new(self, Vec::new(), comparisons, 0..self.samples());
        while pass.next_samples().is_some() {
            pass.read(None, wanted)?;
        }
        pass.finish(wanted)
    }

    /// Works out and keeps what the texts of all samples were read for. Breaks off as
    /// [`Self::compare`] does.
    pub(super) fn keep_overlap(
        &self,
        read: OverlapReader,
        wanted: &dyn KeepGoing,
    ) -> ControlFlow<()> {
        let Some((prompts, responses)) = read.compared(self, wanted) else {
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

    /// Of consecutive samples the strongest way in which each shares its prompt; `None` where it
    /// shares it in none, and while that is not worked out.
    pub fn overlaps(
        &self,
        samples: std::ops::Range<usize>,
        scope: OverlapScope,
    ) -> Vec<Option<PromptMatch>> {
        let known = self.compared.prompts.known();
        let way = |sample| known.as_ref()?.way(sample, scope);
        samples.map(way).collect()
    }

    /// Of consecutive samples with which other one each shares its prompt in that way, by its number
    /// from 1; NaN for none.
    pub fn overlaps_with(&self, samples: std::ops::Range<usize>, scope: OverlapScope) -> Vec<f64> {
        let known = self.compared.prompts.known();
        let other = |sample| known.as_ref()?.other(sample, scope);
        let number = |sample| other(sample).map_or(f64::NAN, |other| (other + 1) as f64);
        samples.map(number).collect()
    }

    /// Of consecutive samples whether a comparison of what is said of them holds; `false` while that
    /// is not worked out, and for comparisons that are no flags.
    pub fn compared_flags(
        &self,
        samples: std::ops::Range<usize>,
        comparison: SampleComparison,
    ) -> Vec<bool> {
        let known = self.compared.responses.known();
        known.unwrap_or_default().flags(comparison, samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_knows_of_fewer_samples_takes_the_place_of_nothing() {
        let kept = KeptComparison::<Vec<u8>>::default();
        for (samples, known) in [(3, 3), (2, 3), (4, 4)] {
            kept.keep(vec![0; samples], Vec::len);
            assert_eq!(kept.known().map(|list| list.len()), Some(known));
        }
    }
}
