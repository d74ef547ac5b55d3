//! What is read, counted or looked for in the dataset because an effect asks for it: one way for a
//! thread, for what takes less than a frame, for a printed frame and for the tests of the state.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::findings::FindingsJob;
use super::following::Sought;
use super::panel::ALL_SAMPLES;
use super::word_diff::DIFF_PATIENCE;
use super::{
    App, Browser, Effect, ListRow, Message, Page, PageDiff, PageHits, PageSyntax, RecordPage,
    RecordSubject, Review, ReviewEffect, ReviewEvent, Views,
};
use crate::dataset::{Buffers, Dataset, SampleKey};
use crate::export::{TrainingFormat, training_in_words};
use crate::journal::SampleRef;
use crate::parallel::KeepGoing;
use crate::review::{self, Duplicates};

/// Samples of more bytes than this are read and laid out on a thread of their own: the slowest kind
/// of text (tables) takes some 0.2 ms a kilobyte.
const BRIEF_BYTES: u64 = 64 << 10;
/// Responses of samples of more bytes than this are compared on a thread of their own.
const BRIEF_DIFF_BYTES: u64 = 16 << 10;
/// Up to this many samples are counted for the labels panel before the next frame.
const BRIEF_CHARTS: usize = 50_000;
/// Statistics and findings of up to so many samples, of up to so many bytes in all, are counted
/// before the next frame: their texts are read for it.
const BRIEF_TEXTS: usize = 100;
const BRIEF_TEXTS_BYTES: u64 = 512 << 10;
/// Agreement of up to so many acts is counted before the next frame: some 10 ms.
const BRIEF_ACTS: usize = 500;
/// Among up to so many samples, of up to so many bytes in all, some are looked for before the next
/// frame.
const BRIEF_SAMPLES: usize = 2_000;
const BRIEF_SAMPLES_BYTES: u64 = 8 << 20;

/// Makes the kinds of jobs, each with the name of its thread.
macro_rules! job_kinds {
    ($($(#[doc = $doc:literal])* $kind:ident $thread:literal,)*) => {
        /// What a job makes; of each kind one at a time.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum DataJobKind {
            $($(#[doc = $doc])* $kind,)*
        }

        impl DataJobKind {
            /// Every kind with the name of its thread, in the order of its discriminants.
            pub const ALL: [(Self, &str); 17] = [$((Self::$kind, $thread),)*];
        }
    };
}

job_kinds! {
    /// Reads and lays out a sample.
    Page "reader",
    /// Finds what is searched for in a page.
    PageHits "marker",
    /// Compares the responses of a page.
    WordDiff "differ",
    /// Highlights the code of a page.
    Syntax "highlighter",
    /// Reads rows of the list.
    ListRows "lister",
    /// Reads a raw record, or tokens.
    Record "records",
    /// Puts hits in order.
    Arrangement "arranger",
    /// Counts training rows for the export menu.
    TrainingCounts "trainer",
    /// Counts for the labels panel.
    Charts "charts",
    /// Counts statistics.
    Statistics "statistics",
    /// Looks for findings.
    Findings "findings",
    /// Runs a user command.
    Command "command",
    /// Counts how far people agree.
    Agreement "agreement",
    /// Looks for the sample that somebody was at.
    FindSample "finder",
    /// Looks for the samples that the journal speaks of.
    Locate "locator",
    /// Looks for samples that say the same.
    Duplicates "duplicates",
    /// Draws audits, and looks whether those that are there are of this data.
    Audit "sampler",
}

impl DataJobKind {
    /// The name of its thread.
    pub const fn thread_name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Whether it is for the screen alone, and goes on only as long as the screen needs it.
    pub const fn is_for_screen(self) -> bool {
        !matches!(
            self,
            Self::FindSample | Self::Locate | Self::Duplicates | Self::Audit
        )
    }
}

/// What a job knows of whoever waits for it.
pub struct JobContext<'a> {
    /// Whether the message is still wanted: every long loop asks.
    pub wanted: &'a dyn KeepGoing,
    /// Takes what is told before the end.
    pub tell: &'a (dyn Fn(Message) + Sync),
}

/// Makes the message that answers an effect; `None` where there is nothing to answer, or where it
/// is not wanted any more.
type Work = Box<dyn FnOnce(&JobContext<'_>) -> Option<Message> + Send>;

/// Makes the message that answers an effect. It holds all that it needs, so that any thread can run
/// it.
pub struct DataJob {
    /// What it makes.
    pub kind: DataJobKind,
    /// Whether it takes less than a frame.
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
            work: Box::new(move |context| work(context.wanted)),
        }
    }

    /// Makes the message; `None` where there is nothing to answer, or where it is not wanted any
    /// more.
    pub fn run(self, context: &JobContext<'_>) -> Option<Message> {
        (self.work)(context)
    }

    /// Makes the message on this thread, to its end.
    pub fn run_here(self) -> Option<Message> {
        self.run(&JobContext {
            wanted: &|| true,
            tell: &|_| (),
        })
    }
}

impl Views {
    /// Takes what a job made for a view; other messages that come here are of a generation that is no
    /// longer wanted.
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
            Message::Agreement(number, counted) => {
                if let Some(page) = self.text_screen_mut()
                    && page.content.take(number, counted)
                {
                    page.refresh();
                }
            }
            _ => {}
        }
    }

    /// What an effect asks of the dataset; `None` where it asks for something else, or where there is nothing
    /// to do.
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
                DataJob::new(DataJobKind::Page, is_brief, move |wanted| {
                    let page = Page::build_while(&dataset, key, wanted)?;
                    Some(Message::Page(Box::new(page)))
                })
            }
            Effect::PageHits(key) => {
                let (page, terms) = (browser.open.page.clone()?, key.terms.clone());
                let is_brief = dataset.sample_bytes(key.page.sample) <= BRIEF_BYTES;
                DataJob::new(DataJobKind::PageHits, is_brief, move |wanted| {
                    let found = PageHits::find(&page, terms, wanted)?;
                    Some(Message::PageHits(Box::new(found)))
                })
            }
            Effect::WordDiff(key) => {
                let page = browser.open.page.clone()?;
                let is_brief = dataset.sample_bytes(key.sample) <= BRIEF_DIFF_BYTES;
                DataJob::new(DataJobKind::WordDiff, is_brief, move |wanted| {
                    let found = PageDiff::find(&page, DIFF_PATIENCE, wanted)?;
                    Some(Message::WordDiff(Box::new(found)))
                })
            }
            Effect::Syntax(_) => {
                let page = browser.open.page.clone()?;
                DataJob::new(DataJobKind::Syntax, false, move |wanted| {
                    let found = PageSyntax::find(&page, wanted)?;
                    Some(Message::Syntax(Box::new(found)))
                })
            }
            Effect::ListRows(samples) => browser.list_rows_job(samples.clone()),
            Effect::Record(key) => {
                let key = key.clone();
                // For tokens the vocabulary has to be unpacked first, whatever size the sample has.
                let is_brief = key.subject == RecordSubject::Rows
                    && dataset.sample_bytes(key.sample) <= BRIEF_BYTES;
                DataJob::new(DataJobKind::Record, is_brief, move |wanted| {
                    let page = RecordPage::build_while(&dataset, key, wanted)?;
                    Some(Message::Record(Box::new(page)))
                })
            }
            Effect::Arrange(_) => {
                let job = browser.search.arranging.clone()?;
                // What takes less was put in order where it was found.
                DataJob::new(DataJobKind::Arrangement, false, move |wanted| {
                    let (key, shown) = job.arrange(wanted)?;
                    Some(Message::Arranged(key, shown))
                })
            }
            Effect::TrainingCounts(samples) => training_counts_job(dataset, Arc::clone(samples)),
            Effect::Charts(key) => {
                let (key, shown) = (key.clone(), browser.shown().clone());
                let is_brief = key.state.samples <= BRIEF_CHARTS;
                DataJob::new(DataJobKind::Charts, is_brief, move |wanted| {
                    let charts = key.count(&dataset, &shown, wanted)?;
                    Some(Message::Charts(key, charts))
                })
            }
            Effect::Statistics(key) => {
                let page = self.statistics()?;
                let job = page.content.job(&browser.page_sources());
                let is_brief = has_brief_texts(&dataset, key.state.samples);
                DataJob::new(DataJobKind::Statistics, is_brief, move |wanted| {
                    let (key, profile) = job.count(wanted)?;
                    Some(Message::Statistics(key, Box::new(profile)))
                })
            }
            Effect::Findings(key) => {
                browser.findings_data_job(has_brief_texts(&dataset, key.state.samples))
            }
            Effect::Agreement(number) => {
                let (job, number) = (review.agreement_job(browser, self), *number);
                let is_brief = job.acts() <= BRIEF_ACTS;
                DataJob::new(DataJobKind::Agreement, is_brief, move |wanted| {
                    Some(Message::Agreement(number, job.count(wanted)?))
                })
            }
            Effect::FindSample(generation, Sought::Keyed(key, sample)) => {
                find_sample(dataset, *generation, *sample, *key)
            }
            Effect::FindSample(generation, Sought::Named(name)) => {
                let (generation, name) = (*generation, name.clone());
                DataJob::new(DataJobKind::FindSample, false, move |wanted| {
                    let found = dataset.find_sample(&name, wanted)?;
                    Some(Message::SampleFound(generation, found))
                })
            }
            Effect::Review(effect) => browser.review_job(effect)?,
            _ => return None,
        })
    }
}

/// Counts what each training format would write of some samples.
fn training_counts_job(dataset: Dataset, samples: Arc<Vec<u32>>) -> DataJob {
    DataJob::new(DataJobKind::TrainingCounts, false, move |wanted| {
        let count = |format| training_in_words(&dataset, &samples, format, wanted);
        let words = TrainingFormat::ALL.map(count);
        let counted = ReviewEvent::TrainingCounted(Arc::clone(&samples), words);
        wanted().then_some(Message::Review(counted))
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

    fn findings_data_job(&self, is_brief: bool) -> DataJob {
        let job = FindingsJob::of(&self.page_sources());
        DataJob {
            kind: DataJobKind::Findings,
            is_brief,
            work: Box::new(move |context| {
                let tell = |key, counts| (context.tell)(Message::Findings(key, Box::new(counts)));
                let (key, counts) = job.count(context.wanted, &tell)?;
                Some(Message::Findings(key, Box::new(counts)))
            }),
        }
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
                DataJob::new(DataJobKind::Locate, is_brief, move |wanted| {
                    let places = review::locate(&dataset, &sample_refs, wanted)?;
                    Some(Message::Review(ReviewEvent::Located(generation, places)))
                })
            }
            ReviewEffect::FindDuplicates(generation) => {
                let generation = *generation;
                DataJob::new(DataJobKind::Duplicates, is_brief, move |wanted| {
                    let duplicates = Duplicates::find(&dataset, wanted)?;
                    Some(Message::Review(ReviewEvent::Duplicates(
                        generation, duplicates,
                    )))
                })
            }
            ReviewEffect::Draw {
                plan,
                shown,
                starts,
            } => {
                let (plan, shown, starts) = (plan.clone(), shown.clone(), *starts);
                DataJob::new(DataJobKind::Audit, is_brief, move |wanted| {
                    let samples = shown.ascending(0..usize::MAX);
                    let drawn = review::draw(&plan, &dataset, &samples, wanted);
                    let drawn = ReviewEvent::Drawn {
                        generation,
                        drawn: drawn.map(Arc::new).map_err(|error| error.to_string()),
                        starts,
                    };
                    wanted().then_some(Message::Review(drawn))
                })
            }
            ReviewEffect::CheckData { audits, otherwise } => {
                let (audits, otherwise) = (audits.clone(), otherwise.clone());
                DataJob::new(DataJobKind::Audit, is_brief, move |wanted| {
                    let checked = ReviewEvent::DataChecked {
                        generation,
                        now: dataset.fingerprint(),
                        audits,
                        otherwise,
                    };
                    wanted().then_some(Message::Review(checked))
                })
            }
            _ => return None,
        })
    }
}

/// Whether the texts of so many samples are read within a frame.
fn has_brief_texts(dataset: &Dataset, samples: usize) -> bool {
    samples <= BRIEF_TEXTS && bytes_of(dataset, samples) <= BRIEF_TEXTS_BYTES
}

/// Bytes of the first samples, so many.
fn bytes_of(dataset: &Dataset, samples: usize) -> u64 {
    (0..samples)
        .map(|sample| dataset.sample_bytes(sample))
        .sum()
}

/// Looks for a sample: where it stood, and else among all.
fn find_sample(dataset: Dataset, generation: u64, sample: usize, key: SampleKey) -> DataJob {
    let is_there =
        move |dataset: &Dataset| dataset.key(sample, &mut Buffers::default()) == Some(key);
    // As a rule it is where it was, which one row tells.
    let is_brief = dataset.sample_bytes(sample) <= BRIEF_BYTES && is_there(&dataset);
    DataJob::new(DataJobKind::FindSample, is_brief, move |wanted| {
        if is_brief || is_there(&dataset) {
            return Some(Message::SampleFound(generation, Ok(sample)));
        }
        let sought = SampleRef {
            sample: key,
            file: "".into(),
            row: 0,
        };
        let found = review::locate(&dataset, &[sought], wanted)?;
        let found = found.first(&key).ok_or_else(String::new);
        Some(Message::SampleFound(generation, found))
    })
}

/// Rounds of reading before a frame is drawn with what is there: an answer decides what is read, in
/// a page something is found, which can put another response into it, and it can change what the list
/// shows, once.
const ROUNDS: usize = 9;

/// What performs effects: `run`, which has threads and files, or a test, which has neither and
/// stands in for them.
pub trait Performer {
    /// The state.
    fn app(&self) -> &App;

    /// Whether a thread is at work on what the screen needs already.
    fn is_at_work(&self, need: &Effect) -> bool;

    /// Has something done that the screen needs; breaks where nothing else is worth doing.
    fn perform(&mut self, need: Effect) -> ControlFlow<()>;
}

/// Has everything done that the screen needs, until it needs nothing else or others are at work on
/// it; call once after a batch of messages.
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
