//! Files that others append to, and files that are read again: the samples that were there stay where
//! they are, and the selection stays on its sample.

use super::update::MESSAGE_WIDTH;
use super::{Browser, Effect, Loading, Mode, Review, Views};
use crate::dataset::{Dataset, Growth, SampleName, SampleRows};
use crate::text::{self, counted};

impl Views {
    /// Rows were appended to files that are followed: they are read in the background, and shown once
    /// all are there. While somebody judges or writes, they wait.
    pub(super) fn follow_growth(&self, browser: &mut Browser, review: &Review) {
        if browser.data.loading == Loading::Done
            && browser.data.incoming.is_none()
            && self.may_grow(review)
        {
            browser.request_load(true);
        }
    }

    /// Whether samples may become more now: not in the middle of a judgment of one of them, and not
    /// while a line is typed that has one in mind.
    fn may_grow(&self, review: &Review) -> bool {
        review.running().is_none()
            && !review.is_sampling
            && !review.is_undecided()
            && self.line().is_none()
            && !matches!(self.mode(), Mode::Rate | Mode::Note)
    }

    /// Shows the rows that were read quietly behind those that were there.
    pub(super) fn take_growth(
        &mut self,
        generation: u64,
        browser: &mut Browser,
        review: &mut Review,
    ) {
        let Some(incoming) = browser.data.incoming.take() else {
            return;
        };
        browser.data.is_quiet = false;
        if !self.may_grow(review) {
            return;
        }
        let Some(growth) = incoming.grown_from(&browser.data.dataset) else {
            return browser.tell_changed("rows that were there are others now");
        };
        let before = std::mem::replace(&mut browser.data.dataset, incoming);
        browser.data.read_catalog();
        (browser.data.generation, browser.data.changed) = (generation, None);
        browser.list.forget();
        self.stay_among_grown(&before, growth, browser, review);
        browser.data.appended += growth.rows;
        let told = &mut browser.data.appended_notice;
        if growth.rows > 0 && (browser.status.notice.is_none() || browser.status.notice == *told) {
            let rows = counted(browser.data.appended, "row");
            *told = Some(format!("{rows} appended."));
            browser.status.notice.clone_from(told);
        }
    }

    /// Keeps what is shown and selected, as far as samples are what they were.
    fn stay_among_grown(
        &mut self,
        before: &Dataset,
        growth: Growth,
        browser: &mut Browser,
        review: &mut Review,
    ) {
        let is_same = growth.unchanged == before.samples();
        let selected = browser.selection.selected;
        let stands_at = |sample: usize| {
            let row = before.sample_rows(sample).map(SampleRows::first);
            let place = row.and_then(|row| before.place(row))?;
            browser.data.dataset.sample_of_row(place.file, place.row)
        };
        if !is_same {
            // Its number may be another sample's now.
            browser.selection.before_jump = None;
        }
        if selected >= growth.unchanged {
            browser.selection.anchor = stands_at(selected).or(browser.selection.anchor);
        }
        if let Some((sample, pair)) = browser.selection.pair
            && sample >= growth.unchanged
        {
            browser.selection.pair = stands_at(sample).map(|sample| (sample, pair));
        }
        if is_same {
            // What was found stays; what came is looked through behind it.
            return browser.show_all();
        }
        review.replace_samples(browser, self);
        if browser.filter.in_force().is_none() {
            browser.show_all();
            browser.search_again();
        } else if growth.unchanged + 1 == before.samples() {
            // A last sample that became whole: what is shown stays until there is an answer.
            browser.refilter();
        } else {
            browser.selection.drop_anchor();
            browser.ask_again();
        }
    }
}

impl Browser {
    /// Has the files read; quietly where the person did not ask for it.
    pub(super) fn request_load(&mut self, is_quiet: bool) {
        self.data.incoming = Some(Dataset::default());
        self.data.is_quiet = is_quiet;
        self.data.requested += 1;
        self.request(Effect::Load(self.data.requested));
    }

    /// A file is not what was read of it. What is news of the rows gives way to that.
    pub(super) fn tell_changed(&mut self, how: &str) {
        let how = Some(text::one_line(how, MESSAGE_WIDTH));
        if self.data.changed != how {
            (self.data.changed, self.status.notice) = (how, None);
        }
    }

    /// The files were read again: the sample that was selected is looked for by what it says.
    pub(super) fn seek_reloaded(&mut self) {
        if let Some(key) = self.data.reloaded.filter(|_| !self.data.is_sought) {
            self.data.is_sought = true;
            self.request(Effect::FindSample {
                generation: self.data.generation,
                sample: self.data.awaited.unwrap_or(self.selection.selected),
                key,
            });
        }
    }

    /// The sample that was selected before the files were read again stands there.
    pub(super) fn take_reloaded(&mut self, found: Option<usize>) {
        if !std::mem::take(&mut self.data.is_sought) || self.data.reloaded.take().is_none() {
            return;
        }
        if let Some(sample) = found.filter(|sample| *sample != self.selection.selected) {
            self.data.awaited = None;
            self.selection.anchor = Some(sample);
            self.reselect();
        }
    }
}

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
