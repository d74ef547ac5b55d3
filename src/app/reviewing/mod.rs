//! What reviewers do: marks, tags, notes, ratings and audits.
//!
//! An act changes nothing here: it is a [`ReviewEffect`] for `run`, which knows the time and the sample's
//! key, hands the act back as an entry of the journal ([`ReviewEvent::Acts`]) at once, and tells later
//! when it is on disk. So what a reviewer does, what others do, and what was done in earlier runs
//! all come the same way.

mod acts;
mod adjudicating;
mod agreement_screen;
mod audit;
mod audits;
mod blind;
mod checking;
mod note;
mod out;
mod rating;
mod seen;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::browser::OpenData;
use super::{Browser, Loading, Shown, Views};
use crate::dataset::{Dataset, Fingerprint, SampleKey};
use crate::export::TrainingFormat;
use crate::journal::{Act, ActId, ActRecord, AuditPlan, Judgment, Ledger, SampleRef, SampleReview};
use crate::query::ReviewIndex;
use crate::review::{Duplicates, RemarkScope, SampleLocator, SamplingPlan};

pub use acts::ListRemark;
pub(super) use agreement_screen::ComparedParties;
pub use agreement_screen::TextScreen;
pub use audit::RunningAudit;
pub(super) use audits::AuditChoice;
pub use blind::Blind;
pub use note::NotePad;
pub use out::{Copied, Export, Exporting, FileForm, Selection};
pub use rating::{RatingAction, RatingRow, RatingStrip, step_words, verdict_steps};
pub use seen::OnScreen;

/// What `run` is asked to do for a reviewer.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewEffect {
    /// Record an act, about a sample or about none.
    Record {
        /// Number of the sample, from 0.
        sample: Option<usize>,
        /// What is done.
        act: Act,
        /// What follows once it is recorded.
        then: FollowUp,
    },
    /// Record that what the dataset says of these samples was on the screen.
    Seen(Vec<SampleKey>),
    /// Find out where samples stand, in a generation of the dataset.
    Locate {
        /// Which loading of the dataset.
        generation: u64,
        /// The samples.
        sample_refs: Arc<Vec<SampleRef>>,
    },
    /// Find out which samples of a generation of the dataset say the same.
    FindDuplicates(u64),
    /// Draw an audit from the samples that are shown, and record it.
    Draw {
        /// How.
        plan: SamplingPlan,
        /// From what.
        shown: Shown,
        /// Whether the command line asks for it: then the program ends where it cannot be.
        starts: bool,
    },
    /// Make the dataset's fingerprint: an audit goes on without a question only where it is of this
    /// data.
    CheckData {
        /// The audits that could go on, the likeliest first.
        audits: Vec<ActId>,
        /// What is drawn where none of them is to go on.
        otherwise: Option<SamplingPlan>,
    },
    /// Have the reviewer's own editor change a text.
    Edit(String),
    /// Begin as the command line says: everything is there.
    Begin,
    /// Hand something to the clipboard.
    Copy(Copied),
    /// Write a file.
    Export(Export),
}

/// What follows an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FollowUp {
    /// Nothing.
    #[default]
    Stay,
    /// The next question, or the next sample.
    Next {
        /// Whether everything was answered before already.
        complete: bool,
    },
    /// The next sample.
    GoOn,
    /// The question that an act answered which was taken back.
    Turned,
    /// The note is closed.
    Noted,
}

/// An act of one's own, as it comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnAct {
    /// Number of the sample that it is about, from 0.
    pub sample: Option<usize>,
    /// What follows.
    pub then: FollowUp,
    /// Whether it is being written: otherwise it lasts as long as the program.
    pub kept: bool,
}

/// What `run` tells of it.
#[derive(Debug)]
pub enum ReviewEvent {
    /// Acts that hold from now on, in the order of the journal; with one's own comes what it is
    /// about.
    Acts(Vec<ActRecord>, Option<OwnAct>),
    /// What was there at first has been read.
    Read,
    /// Everything is there to begin with.
    Begin,
    /// Where samples stand in a generation of the dataset.
    Located(u64, SampleLocator),
    /// Which samples of a generation of the dataset say the same.
    Duplicates(u64, Duplicates),
    /// So many acts, the oldest of those that wait, are on disk.
    Saved(usize),
    /// They are not, for this reason; they are tried again.
    NotSaved(String),
    /// What the reviewer's own editor made of a text; or why there was none.
    Edited(Result<String, String>),
    /// The dataset's fingerprint, with what was asked.
    DataChecked {
        /// Of which generation.
        generation: u64,
        /// The fingerprint.
        now: Fingerprint,
        /// The audits that could go on, the likeliest first.
        audits: Vec<ActId>,
        /// What is drawn where none of them is to go on.
        otherwise: Option<SamplingPlan>,
    },
    /// An audit is drawn.
    Drawn {
        /// From which generation of the dataset.
        generation: u64,
        /// What is drawn; or why nothing can be.
        drawn: Result<Arc<AuditPlan>, String>,
        /// Whether the command line had asked for it.
        starts: bool,
    },
    /// So many samples of the file under way are written.
    Written(usize),
    /// The file is written; in words.
    Exported(String),
    /// What each training format would write of these samples, and skip; in words.
    TrainingCounted(Arc<Vec<u32>>, [String; TrainingFormat::ALL.len()]),
    /// Which command made the `:` line open again, with what is wrong.
    Refused(String, String),
}

/// What is done once everything is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingOpening {
    /// The filter to put in force, where there is one.
    pub filter: Option<String>,
    /// What is typed behind `:audit`; `None`: no audit is begun, and one that waits is told of.
    pub audit: Option<String>,
}

/// How far what was done is on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaveState {
    /// Acts that are not on disk yet.
    pub waiting: usize,
    /// Why not, where something is in the way.
    pub trouble: Option<String>,
    /// Whether anything was saved since the last key.
    pub fresh: bool,
}

/// What is known of reviewers' acts, and what is going on.
#[derive(Debug, Default)]
pub struct Review {
    reviewer: Arc<str>,
    /// Everything that was done. Shared with who counts agreement meanwhile.
    pub ledger: Arc<Ledger>,
    /// Where samples stand. Shared as well.
    pub places: Arc<SampleLocator>,
    /// Keys of samples that somebody spoke of.
    keys: BTreeMap<u32, SampleKey>,
    /// What is known of samples that say the same: what is said of one holds for all of them.
    duplicates: DuplicateScan,
    /// Samples whose place is not known.
    unplaced: Vec<SampleRef>,
    /// How many of them somebody is looking for.
    locating: Option<usize>,
    /// Whether a filter is to be asked again once nobody rates.
    unasked: bool,
    /// What an act answered that is being taken back.
    turned: Option<Judgment>,
    /// How far it is on disk.
    pub saving: SaveState,
    blind: Option<Blind>,
    /// Seed of the coin that puts responses into an order where no audit does.
    coin: u32,
    /// The sample that the last frame showed.
    pub(super) drawn: Option<OnScreen>,
    /// Samples of which the screen of this run told what the dataset says.
    shown: BTreeSet<SampleKey>,
    /// Those of them that are not recorded yet.
    untold: BTreeSet<SampleKey>,
    running: Option<RunningAudit>,
    /// The sample that was selected before the audit under way.
    left_for_audit: Option<usize>,
    /// The audit to begin with once its samples are found.
    resuming: Option<ActId>,
    /// Whether an audit is being drawn, or somebody looks whether one is of this data.
    pub is_sampling: bool,
    /// The fingerprint of the data that was asked for, with what was asked.
    checked: Option<(Fingerprint, Vec<ActId>, Option<SamplingPlan>)>,
    /// How many text screens were opened.
    text_screens: u64,
    /// The file that is being written.
    exporting: Option<Exporting>,
    /// The samples whose training rows the export menu counts.
    to_count: Option<Arc<Vec<u32>>>,
    /// How far the reviewer agrees with the dataset, for the status line.
    pub in_short: String,
    /// Whether what was there at first has been read.
    is_read: bool,
    /// What is done once everything is there.
    opening: Option<PendingOpening>,
    /// Whether no other key came since the audit under way was finished than the one that had gone
    /// on from sample to sample.
    just_finished: bool,
    /// Whether the command line asks for an audit, and it is not decided yet which one that is:
    /// labels are hidden until then, since what is drawn was seen.
    undecided: bool,
}

/// How far it is known which samples say the same.
#[derive(Debug, Default)]
enum DuplicateScan {
    /// Nobody has looked: that takes a pass over the files, and is not needed before something is
    /// said.
    #[default]
    No,
    /// Somebody is looking.
    Soon,
    /// It is known.
    Yes(Duplicates),
}

impl Review {
    /// Who does what is done.
    pub fn reviewer(&self) -> &str {
        &self.reviewer
    }

    /// What is said of a sample, by its number.
    pub fn remark(&self, sample: usize) -> Option<&SampleReview> {
        self.ledger.remark(self.key(sample)?)
    }

    /// The file that is being written, if one is.
    pub fn exporting(&self) -> Option<&Exporting> {
        self.exporting.as_ref()
    }

    /// Whether labels are hidden for no other reason than that it is not decided yet which audit
    /// begins: that one may be blind.
    pub fn is_undecided(&self) -> bool {
        self.undecided && self.blind.is_none()
    }

    /// Whether labels are hidden, and what other reviewers said with them.
    pub(super) fn is_blind(&self) -> bool {
        self.blind.is_some()
            || self.undecided
            || self
                .running
                .as_ref()
                .is_some_and(|running| running.session.audit.blind)
    }

    /// Whose acts alone a filter can ask for.
    fn only(&self) -> Option<&str> {
        self.is_blind().then_some(&*self.reviewer)
    }

    /// Whether nothing is awaited: everything was read and found, begun as asked, and written.
    pub fn is_settled(&self) -> bool {
        self.is_read
            && self.locating.is_none()
            && self.unplaced.is_empty()
            && (self.keys.is_empty() || matches!(self.duplicates, DuplicateScan::Yes(_)))
            && self.opening.is_none()
            && self.resuming.is_none()
            && !self.is_sampling
            && self.checked.is_none()
            && self.exporting.is_none()
    }

    /// Notes that this is being done: it is not asked for once more.
    pub(super) fn note_begun(&mut self, effect: &ReviewEffect) {
        match effect {
            ReviewEffect::Locate { .. } => self.locating = Some(self.unplaced.len()),
            ReviewEffect::FindDuplicates(_) => self.duplicates = DuplicateScan::Soon,
            _ => {}
        }
    }

    /// Whether what the command line asks for was done: from then on it is known what waits.
    pub(super) fn has_begun(&self) -> bool {
        self.is_read && self.opening.is_none()
    }

    /// Whether nothing is said of any sample, as far as the reviewer may know it.
    pub(super) fn is_empty(&self, remarks: &ReviewIndex) -> bool {
        self.running.is_none()
            && match self.is_blind() {
                true => remarks.is_empty(),
                false => self.keys.is_empty(),
            }
    }

    /// The audit that is under way.
    pub fn running(&self) -> Option<&RunningAudit> {
        self.running.as_ref()
    }

    fn key(&self, sample: usize) -> Option<&SampleKey> {
        self.keys.get(&u32::try_from(sample).ok()?)
    }

    /// Learns where a sample stands that somebody spoke of, and with it those that say the same.
    fn learn(&mut self, key: SampleKey, sample: u32) {
        let others = match &self.duplicates {
            DuplicateScan::Yes(known) => Some(known.samples(&key)),
            DuplicateScan::No | DuplicateScan::Soon => None,
        };
        for sample in std::iter::once(sample).chain(others.into_iter().flatten()) {
            Arc::make_mut(&mut self.places).learn(key, sample);
            self.keys.insert(sample, key);
        }
    }

    /// Brings what a filter can ask for up to date, of the samples with a key.
    fn refresh(&self, data: &mut OpenData, key: &SampleKey) {
        let said = self.remark_scope(&data.dataset).said_of(key);
        let remarks = Arc::make_mut(&mut data.remarks);
        for &sample in self.places.samples(key) {
            remarks.set(sample, said.clone());
        }
    }

    fn refresh_all(&self, data: &mut OpenData) {
        data.remarks = Arc::new(self.remark_scope(&data.dataset).remarks());
    }

    /// What a query can ask for, as far as the reviewer may know it.
    fn remark_scope<'a>(&'a self, dataset: &'a Dataset) -> RemarkScope<'a> {
        RemarkScope {
            ledger: &self.ledger,
            places: &self.places,
            dataset,
            only: self.only(),
            own: &self.reviewer,
        }
    }
}

impl Review {
    /// Says who does what is done from now on, whether labels are hidden, and what is done first.
    pub(super) fn introduce(
        &mut self,
        reviewer: &str,
        blind: Option<Blind>,
        opening: PendingOpening,
        data: &mut OpenData,
    ) {
        self.undecided = opening.audit.as_ref().is_some_and(|words| words != "off");
        (self.reviewer, self.blind, self.opening) = (reviewer.into(), blind, Some(opening));
        data.remarks = Arc::new(ReviewIndex::of(reviewer));
        data.is_blind = self.is_blind();
        data.catalog.set_blind(data.is_blind);
    }

    /// Sets the seed of the coin that puts responses into an order.
    pub(super) fn set_coin(&mut self, seed: u32) {
        self.coin = seed;
    }

    /// What is said of a sample, by its number, as far as the reviewer may know it: who judges
    /// blind is told nothing of others before the judgment.
    pub fn known_remark(&self, sample: usize, browser: &Browser) -> Option<Cow<'_, SampleReview>> {
        let told = sample == browser.selection.selected && !self.mask(browser).hidden;
        match self.only().filter(|_| !told) {
            Some(reviewer) => self
                .ledger
                .remark_by(self.key(sample)?, reviewer)
                .map(Cow::Owned),
            None => self.remark(sample).map(Cow::Borrowed),
        }
    }

    /// What others said may be known from now on, or no longer.
    pub(super) fn blindness_changed(&self, browser: &mut Browser, views: &mut Views) {
        // What one could come back to by a key shows labels, and the filter it would set is of
        // another audit.
        browser.data.is_blind = self.is_blind();
        browser.data.catalog.set_blind(browser.data.is_blind);
        views.left = None;
        self.refresh_all(&mut browser.data);
        browser.drop_withheld_search();
        // What was written about the responses is searched or not.
        browser.search_again();
        browser.refilter_by_remarks();
    }

    /// What is to be done for the reviewer without a key, if anything.
    pub(super) fn review_need(&self, browser: &Browser, views: &Views) -> Option<ReviewEffect> {
        let due = browser.data.loading == Loading::Done
            && self.locating.is_none()
            && !self.unplaced.is_empty();
        if due {
            return Some(ReviewEffect::Locate {
                generation: browser.data.generation,
                sample_refs: Arc::new(self.unplaced.clone()),
            });
        }
        if browser.data.loading == Loading::Done
            && matches!(self.duplicates, DuplicateScan::No)
            && !self.keys.is_empty()
        {
            return Some(ReviewEffect::FindDuplicates(browser.data.generation));
        }
        let ready =
            browser.data.loading == Loading::Done && self.is_read && self.unplaced.is_empty();
        let asked = self.opening.is_some() || self.resuming.is_some() || self.checked.is_some();
        // A user who types is not interrupted.
        let resting = views.mode().is_resting();
        (ready && asked && resting && !browser.is_working()).then_some(ReviewEffect::Begin)
    }

    /// Takes what `run` tells.
    pub(super) fn take_news(
        &mut self,
        news: ReviewEvent,
        browser: &mut Browser,
        views: &mut Views,
    ) {
        let now = browser.data.generation;
        match news {
            ReviewEvent::Acts(entries, done) => self.take_acts(&entries, done, browser, views),
            ReviewEvent::Located(generation, places) if generation == now => {
                self.take_places(&places, browser, views);
            }
            ReviewEvent::Duplicates(generation, duplicates) if generation == now => {
                self.take_duplicates(duplicates, browser, views);
            }
            ReviewEvent::Read => self.is_read = true,
            ReviewEvent::Begin => self.begin_as_asked(browser, views),
            ReviewEvent::Saved(count) => {
                let saving = &mut self.saving;
                saving.waiting = saving.waiting.saturating_sub(count);
                saving.fresh = true;
                if saving.waiting == 0 {
                    saving.trouble = None;
                }
            }
            ReviewEvent::NotSaved(reason) => self.saving.trouble = Some(reason),
            ReviewEvent::Edited(edited) => views.take_edited(edited, browser),
            ReviewEvent::Drawn {
                generation,
                drawn,
                starts,
            } if generation == now => self.take_drawn(drawn, starts, browser, views),
            ReviewEvent::DataChecked {
                generation,
                now: fingerprint,
                audits,
                otherwise,
            } if generation == now => {
                self.is_sampling = false;
                self.checked = Some((fingerprint, audits, otherwise));
                // A user who types is not interrupted.
                if views.mode().is_resting() {
                    self.take_checked(browser, views);
                }
            }
            ReviewEvent::Written(samples) => {
                if let Some(exporting) = &mut self.exporting {
                    exporting.written = Some(samples);
                }
            }
            ReviewEvent::Exported(words) => self.exported(&words, browser),
            ReviewEvent::TrainingCounted(samples, words) => {
                self.take_training_counts(&samples, words, views);
            }
            ReviewEvent::Refused(line, reason) => {
                self.exporting = None;
                views.reopen_command(&line, &reason, browser);
            }
            // Of a generation that is no longer shown.
            _ => {}
        }
    }

    fn take_acts(
        &mut self,
        entries: &[ActRecord],
        done: Option<OwnAct>,
        browser: &mut Browser,
        views: &mut Views,
    ) {
        let own = done.and_then(|done| u32::try_from(done.sample?).ok());
        self.saving.waiting += usize::from(done.is_some_and(|done| done.kept));
        let (mut all, mut judged, mut begun) = (false, false, None);
        let mut sample_refs = std::collections::BTreeMap::new();
        match done {
            Some(_) => {
                let ledger = Arc::make_mut(&mut self.ledger);
                entries.iter().for_each(|entry| ledger.apply_own(entry));
            }
            None => Arc::make_mut(&mut self.ledger).apply_before(entries, self.saving.waiting),
        }
        for entry in entries {
            if let Some((sample_ref, sample)) = entry.sample_ref.as_ref().zip(own) {
                self.learn(sample_ref.sample, sample);
                if entry.act.setting().is_some() {
                    Arc::make_mut(&mut self.places).learn_judged(sample_ref.sample, sample);
                }
            }
            match &entry.act {
                Act::Audit(_) => begun = Some(entry.id.clone()),
                Act::Undo { .. } | Act::Redo { .. } => all = true,
                act => judged |= act.setting().is_some(),
            }
            // Of many that stand at one place, as in a long journal, the last knows best.
            let unknown = entry
                .sample_refs()
                .filter(|sample_ref| self.places.samples(&sample_ref.sample).is_empty());
            sample_refs.extend(unknown.map(|sample_ref| (sample_ref.sample, sample_ref.clone())));
            if let Some(sample_ref) = entry.sample_ref.as_ref().filter(|_| entries.len() == 1) {
                self.refresh(&mut browser.data, &sample_ref.sample);
            }
        }
        self.unplaced
            .iter()
            .for_each(|sample_ref| drop(sample_refs.remove(&sample_ref.sample)));
        self.unplaced.extend(sample_refs.into_values());
        if all || entries.len() > 1 {
            self.refresh_all(&mut browser.data);
        }
        self.remarks_changed(all || judged || begun.is_some(), browser, views);
        if own.is_some_and(|own| own as usize != browser.selection.selected) {
            views.go_on_past_duplicate(browser, self);
        }
        match (begun, done.map(|done| done.then)) {
            // One's own begins at once.
            (Some(id), Some(_)) => self.begin(&id, browser, views),
            (_, Some(FollowUp::Next { complete })) => self.note_answered(complete, browser, views),
            (_, Some(FollowUp::GoOn)) => self.go_on(browser, views),
            (_, Some(FollowUp::Turned)) => {
                self.ask_turned(browser, views);
            }
            (_, Some(FollowUp::Noted)) => {
                views.close(super::Mode::Note);
            }
            (_, Some(FollowUp::Stay) | None) => {}
        }
    }

    fn take_places(&mut self, places: &SampleLocator, browser: &mut Browser, views: &mut Views) {
        // Those that came meanwhile are still to be looked for.
        let asked = self.locating.take().unwrap_or(self.unplaced.len());
        self.unplaced.drain(..asked.min(self.unplaced.len()));
        for (key, sample) in places.iter() {
            self.learn(*key, sample);
        }
        self.refresh_all(&mut browser.data);
        if self.unplaced.is_empty() {
            self.replace_running(browser);
        }
        self.remarks_changed(true, browser, views);
    }

    fn take_duplicates(
        &mut self,
        duplicates: Duplicates,
        browser: &mut Browser,
        views: &mut Views,
    ) {
        self.duplicates = DuplicateScan::Yes(duplicates);
        let was_known = self.key(browser.selection.selected).is_some();
        let before = self.keys.len();
        for (sample, key) in self.keys.clone() {
            self.learn(key, sample);
        }
        if self.keys.len() > before {
            let is_new = self.key(browser.selection.selected).is_some() && !was_known;
            self.refresh_all(&mut browser.data);
            self.remarks_changed(false, browser, views);
            if is_new {
                views.go_on_past_duplicate(browser, self);
            }
        }
    }

    /// In another dataset samples stand elsewhere.
    pub(super) fn replace_samples(&mut self, browser: &mut Browser, views: &mut Views) {
        (self.places, self.keys, self.duplicates) = Default::default();
        browser.data.remarks = Arc::new(ReviewIndex::of(&self.reviewer));
        self.drawn = None;
        (self.locating, self.unplaced) = (None, self.ledger.sample_refs());
        self.unplace_running(browser);
        if std::mem::take(&mut self.is_sampling) || self.checked.take().is_some() {
            browser.say("The samples are others now: no audit is drawn.");
            self.decide(browser, views);
        }
    }

    /// Queries can ask for the judgments of those who are in the journal.
    fn name_reviewers(&self, browser: &mut Browser) {
        let reviewers = self.ledger.reviewers();
        browser.data.catalog.set_reviewers(&reviewers);
        // Columns of the list that show what reviewers judged are read again.
        let is_of_reviewers = |column: &super::ListColumn| column.asked.column.is_of_reviewers();
        if browser.columns().iter().any(is_of_reviewers) {
            browser.list.forget();
        }
    }

    /// What a filter asks for may have another answer now.
    fn remarks_changed(&mut self, judged: bool, browser: &mut Browser, views: &mut Views) {
        self.name_reviewers(browser);
        self.refresh_progress(browser);
        if judged {
            self.refresh_agreement(browser);
        }
        self.unasked = true;
        // A sample must not go away while it is rated.
        if views.rate().is_none() {
            self.ask_unasked(browser);
        }
    }

    /// Asks a filter again that is about what reviewers said, where that is another now.
    fn ask_unasked(&mut self, browser: &mut Browser) {
        if std::mem::take(&mut self.unasked) {
            browser.refilter_by_remarks();
        }
    }
}
