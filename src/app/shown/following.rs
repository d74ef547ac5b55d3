//! Following files that grow, and reloading files: unchanged samples keep their numbers, and the
//! selection stays on its sample.

use crate::app::job::{BRIEF_BYTES, Job, JobContext};
use crate::app::update::MESSAGE_WIDTH;
use crate::app::{App, Effect, Loading, Mode};
use crate::dataset::{Buffers, Dataset, Growth, SampleKey, SampleName, SampleRows};
use crate::journal::SampleRef;
use crate::review;
use crate::text::{self, counted};

impl App {
    /// Reads appended rows in the background, to show them when all are read. They wait while the
    /// user judges or types.
    pub(crate) fn follow_growth(&mut self) {
        if self.data.loading == Loading::Done && self.data.incoming.is_none() && self.may_grow() {
            self.request_load(true);
        }
    }

    /// True if new samples can be shown: not during a judgment, and not while a line is typed,
    /// which may refer to a sample.
    fn may_grow(&self) -> bool {
        self.running().is_none()
            && !self.review.is_sampling()
            && !self.review.is_undecided()
            && self.views.line().is_none()
            && !matches!(self.views.mode(), Mode::Rate | Mode::Note)
    }

    /// Shows the appended rows after a background load.
    pub(crate) fn take_growth(&mut self, generation: u64) {
        let Some(incoming) = self.data.incoming.take() else {
            return;
        };
        self.data.is_quiet = false;
        if !self.may_grow() {
            return;
        }
        let Some(growth) = incoming.grown_from(&self.data.dataset) else {
            return self.report_changed("rows loaded before have changed");
        };
        let data = &mut self.data;
        let keeps_numbers = growth.unchanged == data.dataset.samples();
        let before = data.replace(incoming, generation, keeps_numbers);
        self.list.forget();
        self.stay_among_grown(&before, growth);
        self.data.appended += growth.rows;
        let told = &mut self.data.appended_notice;
        if growth.rows > 0 && (self.status.notice.is_none() || self.status.notice == *told) {
            let rows = counted(self.data.appended, "row");
            *told = Some(format!("{rows} appended."));
            self.status.notice.clone_from(told);
        }
    }

    /// Keeps the shown samples and the selection as far as samples are unchanged.
    fn stay_among_grown(&mut self, before: &Dataset, growth: Growth) {
        let is_same = growth.unchanged == before.samples();
        let selected = self.selection.selected;
        let is_at = |sample: usize| {
            let place = before
                .sample_rows(sample)
                .map(SampleRows::first)
                .and_then(|row| before.place(row))?;
            self.data.dataset.sample_of_row(place.file, place.row)
        };
        if !is_same {
            // The number may now belong to another sample.
            self.selection.before_jump = None;
        }
        if selected >= growth.unchanged {
            self.selection.anchor = is_at(selected).or(self.selection.anchor);
        }
        if let Some((sample, pair)) = self.selection.pair
            && sample >= growth.unchanged
        {
            self.selection.pair = is_at(sample).map(|sample| (sample, pair));
        }
        if is_same {
            // The result stays valid; only new samples are filtered.
            return self.show_all();
        }
        self.replace_samples();
        if self.filter.active().is_none() {
            self.show_all();
            self.search_again();
        } else if growth.unchanged + 1 == before.samples() {
            // The last sample was completed: the old result stays until the new one arrives.
            self.refilter();
        } else {
            self.selection.drop_anchor();
            self.query_again();
        }
    }
}

impl App {
    /// Requests a load; `is_quiet` for one that the user did not request.
    pub(crate) fn request_load(&mut self, is_quiet: bool) {
        self.data.incoming = Some(Dataset::default());
        self.data.is_quiet = is_quiet;
        self.data.requested += 1;
        self.request(Effect::Load(self.data.requested));
    }

    /// Reports that a file no longer matches what was read. Replaces notices about rows.
    pub(crate) fn report_changed(&mut self, how: &str) {
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
    pub(crate) sought: Option<SampleTarget>,
    /// The generation whose rows are all searched for it.
    pub(crate) asked: Option<u64>,
    /// Why the sample named on the command line was not found.
    pub wrong: Option<String>,
}

impl App {
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
    pub(crate) fn seek(&mut self) -> Option<usize> {
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
            app.take_sample_found(found);
        };
        Job::new("finder", &self.data, sought, is_brief, find, take).kept()
    }

    /// Selects the sample that was found.
    pub(crate) fn go_to_found(&mut self, sample: usize) {
        if sample != self.selection.selected {
            self.data.awaited = None;
            self.selection.anchor = Some(sample);
            self.reselect();
        }
    }
}
