//! Jobs that read, count or search the dataset for an effect. Threads, printed frames and state
//! tests run the same jobs; brief ones run before the next frame.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::difference_page::compare_versions;
use super::findings::FindingsKey;
use super::following::SampleTarget;
use super::page_diff::DIFF_PATIENCE;
use super::panel::ALL_SAMPLES;
use super::{
    App, Browser, Effect, ListRow, Message, Page, PageDiff, PageHits, RecordPage, RecordSubject,
    Review, ReviewEffect, ReviewEvent, ShownSamples, Views,
};
use crate::dataset::{Buffers, Dataset, SampleKey};
use crate::export::{TrainingFormat, training_in_words};
use crate::journal::SampleRef;
use crate::parallel::KeepGoing;
use crate::review::{self, Duplicates};
use crate::text::named_enum;

/// Samples of more bytes are read and laid out on a separate thread: the slowest text (tables)
/// takes about 0.2 ms per kilobyte.
const BRIEF_BYTES: u64 = 64 << 10;
/// Responses of samples of more bytes are compared on a separate thread.
const BRIEF_DIFF_BYTES: u64 = 16 << 10;
/// Maximum number of samples that are counted for the labels panel before the next frame.
const BRIEF_CHARTS: usize = 50_000;
/// Maximum number of samples, and of their bytes, whose texts are read for statistics and findings
/// before the next frame.
const BRIEF_TEXTS: usize = 100;
const BRIEF_TEXTS_BYTES: u64 = 512 << 10;
/// Maximum number of acts for which agreement is computed before the next frame: about 10 ms.
const BRIEF_ACTS: usize = 500;
/// Maximum number of samples, and of their bytes, that are searched before the next frame.
const BRIEF_SAMPLES: usize = 2_000;
const BRIEF_SAMPLES_BYTES: u64 = 8 << 20;

named_enum! {
    /// The kinds of jobs over the dataset, with the names of their threads.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DataJobKind {
        /// Reads and lays out a sample.
        Page "reader",
        /// Finds the hits in a page.
        PageHits "marker",
        /// Compares the responses of a page.
        WordDiff "differ",
        /// Reads rows of the list.
        ListRows "lister",
        /// Reads a raw record.
        Record "records",
        /// Sorts hits.
        Arrangement "arranger",
        /// Counts training rows for the export menu.
        TrainingCounts "trainer",
        /// Counts values for the labels panel.
        Charts "charts",
        /// Computes statistics.
        Statistics "statistics",
        /// Finds and counts findings.
        Findings "findings",
        /// Runs a user command.
        Command "command",
        /// Computes the agreement between reviewers.
        Agreement "agreement",
        /// Reads another version of the data and compares it.
        Difference "versions",
        /// Finds the sample of an earlier position.
        FindSample "finder",
        /// Finds the samples that the journal refers to.
        Locate "locator",
        /// Finds samples with equal texts.
        Duplicates "duplicates",
        /// Draws audits, and checks whether existing ones belong to this data.
        Audit "sampler",
    }
}

impl DataJobKind {
    /// True if only the screen needs the result; the job is cancelled when the screen no longer
    /// does.
    pub const fn is_for_screen(self) -> bool {
        !matches!(
            self,
            Self::FindSample | Self::Locate | Self::Duplicates | Self::Audit
        )
    }
}

/// How a running job is cancelled and reports progress.
pub struct JobContext<'a> {
    /// Returns false after cancellation; checked in every long loop.
    pub keep_going: &'a dyn KeepGoing,
    /// Receives messages before the final one.
    pub tell: &'a (dyn Fn(Message) + Sync),
}

/// Produces the message that answers an effect; `None` if there is none or the job was cancelled.
type Work = Box<dyn FnOnce(&JobContext<'_>) -> Option<Message> + Send>;

/// Produces the message that answers an effect. It owns its inputs, so that any thread can run it.
pub struct DataJob {
    /// The kind of result.
    pub kind: DataJobKind,
    /// True if it takes less than a frame.
    pub is_brief: bool,
    work: Work,
}

impl DataJob {
    fn new(
        kind: DataJobKind,
        is_brief: bool,
        work: impl FnOnce(&dyn KeepGoing) -> Option<Message> + Send + 'static,
    ) -> Self {
        Self {
            kind,
            is_brief,
            work: Box::new(move |context| work(context.keep_going)),
        }
    }

    /// Returns the message; `None` if there is none or the job was cancelled.
    pub fn run(self, context: &JobContext<'_>) -> Option<Message> {
        (self.work)(context)
    }

    /// Runs the job to its end on the current thread.
    pub fn run_here(self) -> Option<Message> {
        self.run(&JobContext {
            keep_going: &|| true,
            tell: &|_| (),
        })
    }
}

impl Views {
    /// Stores the result of a job in its view. Results of an old generation are ignored.
    pub(super) fn take_made(&mut self, made: Message, browser: &Browser) {
        let of = browser.page_sources();
        match made {
            Message::Charts(key, charts) => {
                let is_current = key.state.generation == browser.data.generation;
                let place = match key.state.query {
                    ALL_SAMPLES => self.line_mut().map(|line| &mut line.filter.charts),
                    _ => self.panel_mut().map(|panel| &mut panel.charts),
                };
                if let Some(place) = place.filter(|_| is_current) {
                    place.put(key, charts);
                }
            }
            Message::Statistics(key, profile) => {
                if let Some(page) = self.statistics_mut() {
                    page.content.take(key, *profile, &of);
                }
            }
            Message::Findings(key, counts) => {
                if let Some(page) = self.findings_mut() {
                    page.content.take(key, *counts, &of);
                }
            }
            Message::Record(record) => {
                if let Some(page) = self.record_mut() {
                    page.take(*record, &of);
                }
            }
            Message::CommandRan(run, output) => {
                if let Some(page) = self.record_mut() {
                    page.content.take_output(&run, output);
                }
            }
            Message::Difference(old, answer) => {
                if let Some(page) = self.difference_mut()
                    && page.content.take(&old, answer)
                {
                    page.refresh();
                }
            }
            Message::Agreement(parties, counted) => {
                if let Some(page) = self.agreement_screen_mut()
                    && page.content.take(&parties, counted)
                {
                    page.refresh();
                }
            }
            _ => {}
        }
    }

    /// Returns the dataset job for an effect; `None` if the effect is of another kind or there is
    /// nothing to do.
    pub(super) fn job(
        &self,
        effect: &Effect,
        browser: &Browser,
        review: &Review,
    ) -> Option<DataJob> {
        let dataset = browser.data.dataset.clone();
        Some(match effect {
            Effect::Page(key) => {
                let key = key.clone();
                let is_brief = dataset.sample_bytes(key.sample) <= BRIEF_BYTES;
                DataJob::new(DataJobKind::Page, is_brief, move |keep_going| {
                    let page = Page::build_while(&dataset, key, keep_going)?;
                    Some(Message::Page(Box::new(page)))
                })
            }
            Effect::PageHits(key) => {
                let (page, terms) = (browser.open.page.clone()?, key.terms.clone());
                let is_brief = dataset.sample_bytes(key.page.sample) <= BRIEF_BYTES;
                DataJob::new(DataJobKind::PageHits, is_brief, move |keep_going| {
                    let found = PageHits::find(&page, terms, keep_going)?;
                    Some(Message::PageHits(Box::new(found)))
                })
            }
            Effect::WordDiff(key) => {
                let page = browser.open.page.clone()?;
                let is_brief = dataset.sample_bytes(key.sample) <= BRIEF_DIFF_BYTES;
                DataJob::new(DataJobKind::WordDiff, is_brief, move |keep_going| {
                    let found = PageDiff::find(&page, DIFF_PATIENCE)?;
                    keep_going().then_some(Message::WordDiff(Box::new(found)))
                })
            }
            Effect::ListRows(samples) => browser.list_rows_job(samples.clone()),
            Effect::Record(key) => {
                let key = key.clone();
                let is_brief = key.subject == RecordSubject::Rows
                    && dataset.sample_bytes(key.sample) <= BRIEF_BYTES;
                DataJob::new(DataJobKind::Record, is_brief, move |keep_going| {
                    let page = RecordPage::build_while(&dataset, key, keep_going)?;
                    Some(Message::Record(Box::new(page)))
                })
            }
            Effect::Arrange(_) => {
                let job = browser.search.arranging.clone()?;
                // Smaller jobs were done where the hits were found.
                DataJob::new(DataJobKind::Arrangement, false, move |keep_going| {
                    let (key, shown) = job.arrange(keep_going)?;
                    Some(Message::ArrangedHits(key, shown))
                })
            }
            Effect::TrainingCounts(samples) => training_counts_job(dataset, Arc::clone(samples)),
            Effect::Charts(key) => {
                let (key, catalog) = (key.clone(), browser.data.catalog.clone());
                let shown = browser.shown().clone();
                let is_brief = key.state.samples <= BRIEF_CHARTS;
                DataJob::new(DataJobKind::Charts, is_brief, move |keep_going| {
                    let charts = key.count(&dataset, &catalog, &shown, keep_going)?;
                    Some(Message::Charts(key, charts))
                })
            }
            Effect::Statistics(key) => {
                let (key, catalog) = (key.clone(), browser.data.catalog.clone());
                let (shown, filter) = (browser.shown().clone(), browser.filter.active().cloned());
                let is_brief = has_brief_texts(&dataset, key.state.samples);
                DataJob::new(DataJobKind::Statistics, is_brief, move |keep_going| {
                    let filter = filter.as_ref().map(|active| &*active.query);
                    let profile = key.count(&dataset, &catalog, &shown, filter, keep_going)?;
                    Some(Message::Statistics(key, Box::new(profile)))
                })
            }
            Effect::Findings(key) => findings_job(key.clone(), dataset, browser.shown().clone()),
            Effect::Agreement(parties) => {
                let (job, parties) = (review.agreement_job(parties, browser), parties.clone());
                let is_brief = job.acts() <= BRIEF_ACTS;
                DataJob::new(DataJobKind::Agreement, is_brief, move |keep_going| {
                    Some(Message::Agreement(parties, job.count(keep_going)?))
                })
            }
            Effect::Difference(old) => {
                let old = old.clone();
                DataJob::new(DataJobKind::Difference, false, move |keep_going| {
                    let answer = compare_versions(&old, &dataset, keep_going)?;
                    Some(Message::Difference(old, answer))
                })
            }
            Effect::FindSample(generation, SampleTarget::Keyed(key, sample)) => {
                find_sample(dataset, *generation, *sample, *key)
            }
            Effect::FindSample(generation, SampleTarget::Named(name)) => {
                let (generation, name) = (*generation, name.clone());
                DataJob::new(DataJobKind::FindSample, false, move |keep_going| {
                    let found = dataset.find_sample(&name, keep_going)?;
                    Some(Message::SampleFound(generation, found))
                })
            }
            Effect::Review(effect) => browser.review_job(effect)?,
            _ => return None,
        })
    }
}

fn findings_job(key: FindingsKey, dataset: Dataset, shown: ShownSamples) -> DataJob {
    DataJob {
        kind: DataJobKind::Findings,
        is_brief: has_brief_texts(&dataset, key.state.samples),
        work: Box::new(move |context| {
            let message = |key, counts| Message::Findings(key, Box::new(counts));
            let tell = |key, counts| (context.tell)(message(key, counts));
            let counts = key.count(&dataset, &shown, context.keep_going, &tell)?;
            Some(message(key, counts))
        }),
    }
}

fn training_counts_job(dataset: Dataset, samples: Arc<Vec<u32>>) -> DataJob {
    DataJob::new(DataJobKind::TrainingCounts, false, move |keep_going| {
        let count = |format| training_in_words(&dataset, &samples, format, keep_going);
        let words = TrainingFormat::ALL.map(count);
        let counted = ReviewEvent::TrainingCounted(Arc::clone(&samples), words);
        keep_going().then_some(Message::Review(counted))
    })
}

impl Browser {
    fn list_rows_job(&self, samples: Vec<usize>) -> DataJob {
        let (dataset, generation) = (self.data.dataset.clone(), self.data.generation);
        let (remarks, columns) = (Arc::clone(&self.data.remarks), self.columns());
        DataJob::new(DataJobKind::ListRows, true, move |_| {
            let mut buffers = Buffers::default();
            let read =
                |&sample: &usize| ListRow::read(&dataset, &remarks, sample, &columns, &mut buffers);
            let rows = samples.iter().filter_map(read).collect();
            Some(Message::ListRows(generation, rows))
        })
    }

    fn review_job(&self, effect: &ReviewEffect) -> Option<DataJob> {
        let (dataset, generation) = (self.data.dataset.clone(), self.data.generation);
        let samples = dataset.samples();
        let is_brief =
            samples <= BRIEF_SAMPLES && bytes_of(&dataset, samples) <= BRIEF_SAMPLES_BYTES;
        Some(match effect {
            ReviewEffect::Locate {
                generation,
                sample_refs,
            } => {
                let (generation, sample_refs) = (*generation, Arc::clone(sample_refs));
                DataJob::new(DataJobKind::Locate, is_brief, move |keep_going| {
                    let places = review::locate(&dataset, &sample_refs, keep_going)?;
                    Some(Message::Review(ReviewEvent::Located(generation, places)))
                })
            }
            ReviewEffect::FindDuplicates(generation) => {
                let generation = *generation;
                DataJob::new(DataJobKind::Duplicates, is_brief, move |keep_going| {
                    let duplicates = Duplicates::find(&dataset, keep_going)?;
                    Some(Message::Review(ReviewEvent::Duplicates(
                        generation, duplicates,
                    )))
                })
            }
            ReviewEffect::Draw { plan, starts } => {
                let (plan, starts) = (plan.clone(), *starts);
                let shown = self.selection.filtered.clone();
                DataJob::new(DataJobKind::Audit, is_brief, move |keep_going| {
                    let samples = shown.ascending(0..usize::MAX);
                    let drawn = review::draw(&plan, &dataset, &samples, keep_going);
                    let drawn = ReviewEvent::Drawn {
                        generation,
                        drawn: drawn.map(Arc::new).map_err(|error| error.to_string()),
                        starts,
                    };
                    keep_going().then_some(Message::Review(drawn))
                })
            }
            ReviewEffect::CheckData(check) => {
                let check = check.clone();
                DataJob::new(DataJobKind::Audit, is_brief, move |keep_going| {
                    let now = dataset.fingerprint();
                    let checked = ReviewEvent::DataChecked(generation, now, check);
                    keep_going().then_some(Message::Review(checked))
                })
            }
            _ => return None,
        })
    }
}

/// True if the texts of this number of samples can be read within a frame.
fn has_brief_texts(dataset: &Dataset, samples: usize) -> bool {
    samples <= BRIEF_TEXTS && bytes_of(dataset, samples) <= BRIEF_TEXTS_BYTES
}

/// Returns the total size of the first `samples` samples.
fn bytes_of(dataset: &Dataset, samples: usize) -> u64 {
    (0..samples)
        .map(|sample| dataset.sample_bytes(sample))
        .sum()
}

/// Finds a sample: first at its old position, then among all samples.
fn find_sample(dataset: Dataset, generation: u64, sample: usize, key: SampleKey) -> DataJob {
    let is_there =
        move |dataset: &Dataset| dataset.key(sample, &mut Buffers::default()) == Some(key);
    // The sample is usually at its old position, which takes reading one row.
    let is_brief = dataset.sample_bytes(sample) <= BRIEF_BYTES && is_there(&dataset);
    DataJob::new(DataJobKind::FindSample, is_brief, move |keep_going| {
        if is_brief || is_there(&dataset) {
            return Some(Message::SampleFound(generation, Ok(sample)));
        }
        let sought = SampleRef {
            sample: key,
            file: "".into(),
            row: 0,
        };
        let found = review::locate(&dataset, &[sought], keep_going)?
            .first(&key)
            .ok_or_else(String::new);
        Some(Message::SampleFound(generation, found))
    })
}

/// Maximum number of rounds of reading before a frame is drawn: a query's result decides which page
/// is read, a hit in the page can put another response into it, and the list can change once.
const ROUNDS: usize = 9;

/// Performs effects: `run` with threads and files, tests without either.
pub trait Performer {
    fn app(&self) -> &App;

    /// True if a thread is already working on this need.
    fn is_at_work(&self, need: &Effect) -> bool;

    /// Performs an effect that the screen needs; breaks if no other need is worth performing.
    fn perform(&mut self, need: Effect) -> ControlFlow<()>;
}

/// Performs the effects that the screen needs until none are left or threads are working on the
/// rest. Call once after a batch of messages.
pub fn fetch(performer: &mut impl Performer) {
    for _ in 0..ROUNDS {
        let mut needs = performer.app().needs();
        needs.retain(|need| !performer.is_at_work(need));
        if needs.is_empty() {
            return;
        }
        for need in needs {
            if performer.perform(need).is_break() {
                return;
            }
        }
    }
}
