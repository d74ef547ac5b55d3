//! Following files that grow, and reloading files: unchanged samples keep their numbers, and the
//! selection stays on its sample.

use super::job::{BRIEF_BYTES, Job, JobContext};
use super::update::MESSAGE_WIDTH;
use super::{App, Browser, Effect, Loading, Mode, Review, Views};
use crate::dataset::{Buffers, Dataset, Growth, SampleKey, SampleName, SampleRows};
use crate::journal::SampleRef;
use crate::review;
use crate::text::{self, counted};

impl Views {
    /// Reads appended rows in the background, to show them when all are read. They wait while the
    /// user judges or types.
    pub(super) fn follow_growth(&self, browser: &mut Browser, review: &Review) {
        if browser.data.loading == Loading::Done
            && browser.data.incoming.is_none()
            && self.may_grow(review)
        {
            browser.request_load(true);
        }
    }

    /// True if new samples can be shown: not during a judgment, and not while a line is typed,
    /// which may refer to a sample.
    fn may_grow(&self, review: &Review) -> bool {
        review.running().is_none()
            && !review.is_sampling
            && !review.is_undecided()
            && self.line().is_none()
            && !matches!(self.mode(), Mode::Rate | Mode::Note)
    }

    /// Shows the appended rows after a background load.
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
            return browser.report_changed("rows loaded before have changed");
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

    /// Keeps the shown samples and the selection as far as samples are unchanged.
    fn stay_among_grown(
        &mut self,
        before: &Dataset,
        growth: Growth,
        browser: &mut Browser,
        review: &mut Review,
    ) {
        let is_same = growth.unchanged == before.samples();
        let selected = browser.selection.selected;
        let is_at = |sample: usize| {
            let place = before
                .sample_rows(sample)
                .map(SampleRows::first)
                .and_then(|row| before.place(row))?;
            browser.data.dataset.sample_of_row(place.file, place.row)
        };
        if !is_same {
            // The number may now belong to another sample.
            browser.selection.before_jump = None;
        }
        if selected >= growth.unchanged {
            browser.selection.anchor = is_at(selected).or(browser.selection.anchor);
        }
        if let Some((sample, pair)) = browser.selection.pair
            && sample >= growth.unchanged
        {
            browser.selection.pair = is_at(sample).map(|sample| (sample, pair));
        }
        if is_same {
            // The result stays valid; only new samples are filtered.
            return browser.show_all();
        }
        review.replace_samples(browser, self);
        if browser.filter.active().is_none() {
            browser.show_all();
            browser.search_again();
        } else if growth.unchanged + 1 == before.samples() {
            // The last sample was completed: the old result stays until the new one arrives.
            browser.refilter();
        } else {
            browser.selection.drop_anchor();
            browser.query_again();
        }
    }
}

impl Browser {
    /// Requests a load; `is_quiet` for one that the user did not request.
    pub(super) fn request_load(&mut self, is_quiet: bool) {
        self.data.incoming = Some(Dataset::default());
        self.data.is_quiet = is_quiet;
        self.data.requested += 1;
        self.request(Effect::Load(self.data.requested));
    }

    /// Reports that a file no longer matches what was read. Replaces notices about rows.
    pub(super) fn report_changed(&mut self, how: &str) {
        let how = Some(text::one_line(how, MESSAGE_WIDTH));
        if self.data.changed != how {
            (self.data.changed, self.status.notice) = (how, None);
        }
    }
}

/// How a sample is identified.
#[derive(Debug, Clone, PartialEq)]
pub enum SampleTarget {
    /// By the name given on the command line.
    Named(SampleName),
    /// By its key, with its number when it was last seen.
    Keyed(SampleKey, usize),
}

/// The sample to select once its position is known; cleared when the user moves.
#[derive(Debug, Default)]
pub struct PendingTarget {
    pub(super) sought: Option<SampleTarget>,
    /// The generation whose rows are all searched for it.
    pub(super) asked: Option<u64>,
    /// Why the sample named on the command line was not found.
    pub wrong: Option<String>,
}

impl Browser {
    /// Sets the sample to select once it is loaded.
    pub fn seek_for(&mut self, sought: Option<SampleTarget>) {
        let seeking = &mut self.settings.seeking;
        (seeking.sought, seeking.asked) = (sought, None);
    }

    /// True until the position of the sample that the command line names is known.
    pub fn is_beginning(&self) -> bool {
        matches!(self.settings.seeking.sought, Some(SampleTarget::Named(_)))
    }

    /// Looks up the sample among the loaded rows and returns it if found; when loading is complete,
    /// requests a search of all rows.
    pub(super) fn seek(&mut self) -> Option<usize> {
        let sought = self.settings.seeking.sought.clone()?;
        let found = match &sought {
            SampleTarget::Named(name) => self.data.dataset.sample_at(name),
            SampleTarget::Keyed(..) => None,
        };
        let is_due = found.is_none() && self.data.loading == Loading::Done;
        let now = Some(self.data.generation);
        if is_due && self.settings.seeking.asked.replace(self.data.generation) != now {
            self.request(Effect::Job(self.find_job(sought)));
        }
        found
    }

    /// Returns the job that finds a sample: first at its old position, then among all samples.
    fn find_job(&self, sought: SampleTarget) -> Job {
        let is_there = |dataset: &Dataset, key, sample| {
            dataset.key(sample, &mut Buffers::default()) == Some(key)
        };
        let dataset = &self.data.dataset;
        // The sample is usually at its old position, which takes reading one row.
        let is_brief = matches!(
            sought,
            SampleTarget::Keyed(key, sample)
                if dataset.sample_bytes(sample) <= BRIEF_BYTES && is_there(dataset, key, sample)
        );
        let find = move |sought: &SampleTarget, of: &JobContext<'_, _>| match sought {
            SampleTarget::Named(name) => of.dataset.find_sample(name, of.keep_going),
            &SampleTarget::Keyed(key, sample) if is_there(of.dataset, key, sample) => {
                Some(Ok(sample))
            }
            SampleTarget::Keyed(key, _) => {
                let sought = SampleRef {
                    sample: *key,
                    file: "".into(),
                    row: 0,
                };
                let found = review::locate(of.dataset, &[sought], of.keep_going)?;
                Some(found.first(key).ok_or_else(String::new))
            }
        };
        let take = |app: &mut App, _, found| {
            app.review.take_sample_found(found, &mut app.browser);
        };
        Job::new("finder", &self.data, sought, is_brief, find, take).kept()
    }

    /// Selects the sample that was found.
    pub(super) fn go_to_found(&mut self, sample: usize) {
        if sample != self.selection.selected {
            self.data.awaited = None;
            self.selection.anchor = Some(sample);
            self.reselect();
        }
    }
}
