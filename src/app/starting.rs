//! The sample that the command line names to begin at.

use super::{Browser, Effect, Loading};
use crate::dataset::SampleName;

/// Where to begin; nothing once that is known, or the user went somewhere.
#[derive(Debug, Default)]
pub struct StartingSample {
    name: Option<SampleName>,
    /// Whether all rows are searched for it.
    is_sought: bool,
    /// Why there is no such sample.
    wrong: Option<String>,
}

impl Browser {
    /// Begins at this sample once it is there. To be called before any are.
    pub fn begin_at(&mut self, name: SampleName) {
        self.settings.starting.name = Some(name);
    }

    /// True while it is not known yet where to begin.
    pub fn is_beginning(&self) -> bool {
        self.settings.starting.name.is_some()
    }

    /// Why the sample to begin at was not found.
    pub fn wrong_start(&self) -> Option<&str> {
        self.settings.starting.wrong.as_deref()
    }

    /// The user went somewhere.
    pub(super) fn stop_beginning(&mut self) {
        self.settings.starting.name = None;
    }

    /// Rows came, or all are there.
    pub(super) fn seek_start(&mut self) {
        let Some(name) = &self.settings.starting.name else {
            return;
        };
        if let Some(sample) = self.data.dataset.sample_at(name) {
            return self.take_start(Ok(sample));
        }
        if self.data.loading == Loading::Done && !self.settings.starting.is_sought {
            let (generation, name) = (self.data.generation, name.clone());
            self.settings.starting.is_sought = true;
            self.request(Effect::FindNamed { generation, name });
        }
    }

    /// Takes the answer of a search in a generation of the dataset; it is asked again if the files were read
    /// again meanwhile.
    pub(super) fn take_named(&mut self, generation: u64, found: Result<usize, String>) {
        self.settings.starting.is_sought = false;
        match generation == self.data.generation {
            true => self.take_start(found),
            false => self.seek_start(),
        }
    }

    /// Takes the sample to begin at, from 0, or why there is none.
    fn take_start(&mut self, found: Result<usize, String>) {
        if self.settings.starting.name.take().is_none() {
            return;
        }
        match found {
            Ok(sample) => {
                self.data.awaited = None;
                self.selection.anchor = Some(sample);
                self.reselect();
            }
            Err(reason) => {
                self.say(format!("{reason}."));
                self.settings.starting.wrong = Some(reason);
            }
        }
    }
}
