//! Records the reviewer's acts: each becomes an entry of the journal, and changes the state, at
//! once.

use std::fmt::Debug;

use super::super::App;
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{Act, ActRecord};

/// Maximum number of samples in one journal line about seen samples.
const SEEN: usize = 1000;

/// Makes entries of acts, which needs the time and the samples' keys, and keeps them: the journal,
/// or a replacement in tests.
pub trait Recorder: Debug + Send {
    /// Returns the entry of an act about a sample (from 0) or about none, and whether it is queued
    /// for writing; otherwise it is lost when the program ends.
    ///
    /// # Errors
    /// If the sample cannot be read.
    fn record(
        &mut self,
        dataset: &Dataset,
        reviewer: &str,
        sample: Option<usize>,
        act: Act,
    ) -> Result<(ActRecord, bool), String>;

    /// Returns a notice about where acts are kept, once.
    fn notice(&mut self) -> Option<String>;
}

impl App {
    /// Sets what records acts.
    pub fn set_recorder(&mut self, recorder: impl Recorder + 'static) {
        self.review.recorder = Some(Box::new(recorder));
    }

    /// Records an act about the selected sample. Returns false, with a notice, if it cannot be
    /// recorded.
    pub(super) fn record(&mut self, act: Act) -> bool {
        let sample = self.selection.selected;
        !self.shown().is_empty() && self.record_of(Some(sample), act)
    }

    /// Likewise, about a sample or about none.
    pub(super) fn record_of(&mut self, sample: Option<usize>, act: Act) -> bool {
        match self.kept(sample, act) {
            Ok(entry) => self.take_own(&entry, sample),
            Err(reason) => {
                self.say(reason);
                return false;
            }
        }
        true
    }

    fn kept(&mut self, sample: Option<usize>, act: Act) -> Result<ActRecord, String> {
        let review = &mut self.review;
        let recorder = review.recorder.as_mut().ok_or_else(String::new)?;
        let dataset = &self.data.dataset;
        let (entry, is_kept) = recorder.record(dataset, &review.reviewer, sample, act)?;
        review.saving.waiting += usize::from(is_kept);
        Ok(entry)
    }

    /// Records the samples seen since the last call, unless the journal has them already.
    pub(crate) fn record_seen(&mut self) {
        let mut keys: Vec<SampleKey> = std::mem::take(&mut self.review.unrecorded)
            .into_iter()
            .collect();
        let review = &self.review;
        keys.retain(|key| !review.ledger.has_seen(&review.reviewer, key));
        for some in keys.chunks(SEEN) {
            let seen = Act::Seen {
                samples: some.into(),
            };
            if let Ok(entry) = self.kept(None, seen) {
                self.take_own(&entry, None);
            }
        }
    }

    /// Shows the recorder's notice.
    pub(in crate::app) fn say_kept(&mut self) {
        let recorder = self.review.recorder.as_mut();
        if let Some(words) = recorder.and_then(|recorder| recorder.notice()) {
            self.say(words);
        }
    }
}
