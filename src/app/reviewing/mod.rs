//! The reviewers' acts: marks, tags, notes, ratings and audits.
//!
//! An act changes nothing here. It is a [`ReviewEffect`] for `run`, which knows the time and the
//! sample's key, returns the act as a journal entry ([`ReviewEvent::Acts`]) at once, and reports
//! later when it is on disk. So acts of this run, of earlier runs and of other programs take the
//! same path.

mod acts;
mod agreement_screen;
mod audit;
mod audits;
mod blind;
mod exporting;

mod note;
mod rating;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::browser::OpenData;
use super::job::{Job, is_brief_scan};
use super::perform::ViewRequest;
use super::{Browser, Effect, Loading, Mode, Views};
use crate::dataset::{Fingerprint, SampleKey};
use crate::journal::{Act, ActId, ActRecord, Judgment, Ledger, SampleRef, SampleReview};
use crate::query::{QueryError, ReviewIndex};
use crate::review::{self, Duplicates, SampleLocator, SamplingPlan, Workspace};

pub use acts::ListRemark;
#[cfg(test)]
pub(super) use agreement_screen::AgreementScreen;
pub(super) use agreement_screen::ComparedParties;
pub use audit::RunningAudit;
pub(super) use audits::AuditChoice;
pub use blind::{Blind, ScreenSample};
pub use exporting::{CopyRequest, Export, ExportProgress, FileForm, Selection};
pub use note::NotePad;
pub use rating::{RatingAction, RatingStrip, RatingValue};

/// A request to `run` for a reviewer.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewEffect {
    /// Record an act about a sample or about none.
    Record {
        /// Number of the sample, from 0.
        sample: Option<usize>,
        /// The act.
        act: Act,
        /// What to do once it is recorded.
        then: FollowUp,
    },
    /// Record that the labels of these samples were shown.
    Seen(Vec<SampleKey>),
    /// Edit a text in the reviewer's external editor.
    Edit(String),
    /// Begin as the command line requests; everything is loaded.
    Begin,
    /// Copy something to the clipboard.
    Copy(CopyRequest),
    /// Write a file.
    Export(Export),
}

/// Audits to compare with the dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct DataCheck {
    /// The audits that could continue, the most likely first.
    pub(super) audits: Vec<ActId>,
    /// The plan to draw if none of them continues.
    pub(super) otherwise: Option<SamplingPlan>,
}

/// What to do after an act is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FollowUp {
    /// Nothing.
    #[default]
    Stay,
    /// Go to the next question or sample.
    Next {
        /// Whether all questions had answers before the act.
        complete: bool,
    },
    /// Go to the next sample.
    GoOn,
    /// Show the question whose answer was undone.
    Undone,
    /// Close the note.
    Noted,
}

/// The reviewer's own act, as reported back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnAct {
    /// Number of its sample, from 0.
    pub sample: Option<usize>,
    /// What to do next.
    pub then: FollowUp,
    /// Whether it is queued for writing; otherwise it is lost when the program ends.
    pub kept: bool,
}

/// A report of `run` on reviewing.
#[derive(Debug)]
pub enum ReviewEvent {
    /// New acts in journal order; for an own act also its sample and what to do next.
    Acts(Vec<ActRecord>, Option<OwnAct>),
    /// The existing journals have been read.
    Read,
    /// Everything needed to begin is loaded.
    Begin,
    /// This many of the oldest waiting acts are on disk.
    Saved(usize),
    /// Acts could not be saved, for this reason; `run` will try again.
    NotSaved(String),
    /// The text from the external editor, or why there is none.
    Edited(Result<String, String>),
    /// This many samples of the export are written.
    Written(usize),
    /// The export is complete; a message.
    Exported(String),
    /// A failed command, which is opened for editing, and its error.
    Refused(String, String),
}

/// What to do once everything is loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingOpening {
    /// The filter to apply, if any.
    pub filter: Option<String>,
    /// The arguments of `:audit`; `None`: no audit begins, and a waiting one is reported.
    pub audit: Option<String>,
}

/// Progress of saving acts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaveState {
    /// Number of acts that are not on disk yet.
    pub waiting: usize,
    /// Why they cannot be saved, if so.
    pub trouble: Option<String>,
    /// Whether acts were saved since the last key.
    pub fresh: bool,
}

/// The reviewers' acts and the state of reviewing.
#[derive(Debug, Default)]
pub struct Review {
    reviewer: Arc<str>,
    /// Whether the name is a default: then the first audit asks who judges.
    pub asks_name: bool,
    /// What waits for the answer.
    unnamed: Option<ViewRequest>,
    /// All acts. Shared with jobs that compute agreement.
    pub ledger: Arc<Ledger>,
    /// Positions of samples. Also shared.
    pub places: Arc<SampleLocator>,
    /// Keys of samples with acts, by sample number.
    keys: BTreeMap<u32, SampleKey>,
    /// Samples with the same content, which share their reviews.
    /// `None` until they are searched for, which is not needed before the first act.
    duplicates: Option<Duplicates>,
    /// Samples whose position is not known. Shared with the job that locates them.
    unplaced: Arc<Vec<SampleRef>>,
    /// Number of samples that were looked for so far.
    located: usize,
    /// Whether a filter must be evaluated again after rating ends.
    is_refilter_pending: bool,
    /// The answer of the act being undone.
    undone_answer: Option<Judgment>,
    /// Progress of saving.
    pub saving: SaveState,
    blind: Option<Blind>,
    /// Seed for the order of responses outside audits.
    pub(super) coin: u32,
    /// The sample shown by the last frame.
    pub(super) drawn: Option<ScreenSample>,
    /// Samples whose labels were shown on the screen in this run.
    shown: BTreeSet<SampleKey>,
    /// The ones that are not recorded yet.
    unrecorded: BTreeSet<SampleKey>,
    running: Option<RunningAudit>,
    /// The sample that was selected before the active audit.
    left_for_audit: Option<usize>,
    /// The audit to begin once its samples are located.
    resuming: Option<ActId>,
    /// Whether an audit is being drawn or checked against the data.
    pub is_sampling: bool,
    /// The fingerprint of the data, with the request it answers.
    checked: Option<(Fingerprint, DataCheck)>,
    /// The export in progress.
    exporting: Option<ExportProgress>,
    /// The samples whose training rows the export menu counts.
    to_count: Option<Arc<Vec<u32>>>,
    /// The reviewer's agreement with the dataset, for the status line.
    pub in_short: String,
    /// Whether the existing journals have been read.
    is_read: bool,
    /// What to do once everything is loaded.
    opening: Option<PendingOpening>,
    /// Whether the active audit was just finished by the key that moves from sample to sample, and
    /// no other key followed.
    just_finished: bool,
    /// Whether the audit requested on the command line is not chosen yet. Labels stay hidden until
    /// then, because shown samples count as seen.
    undecided: bool,
}

impl Review {
    /// Returns the name of the reviewer.
    pub fn reviewer(&self) -> &str {
        &self.reviewer
    }

    /// Returns the review of a sample, by its number.
    pub fn remark(&self, sample: usize) -> Option<&SampleReview> {
        self.ledger.remark(self.key(sample)?)
    }

    /// Returns the export in progress.
    pub fn exporting(&self) -> Option<&ExportProgress> {
        self.exporting.as_ref()
    }

    /// True if labels are hidden only because the audit to begin, which may be blind, is not chosen
    /// yet.
    pub fn is_undecided(&self) -> bool {
        self.undecided && self.blind.is_none()
    }

    /// True if labels and other reviewers' judgments are hidden.
    pub(super) fn is_blind(&self) -> bool {
        self.blind.is_some()
            || self.undecided
            || self
                .running
                .as_ref()
                .is_some_and(|running| running.session.audit.blind)
    }

    /// Returns the reviewer whose acts filters are restricted to while blind.
    fn only(&self) -> Option<&str> {
        self.is_blind().then_some(&*self.reviewer)
    }

    /// True if nothing is pending: journals, positions, requested audit and exports.
    pub fn is_settled(&self) -> bool {
        self.is_read
            && self.unplaced.is_empty()
            && (self.keys.is_empty() || self.duplicates.is_some())
            && (self.opening.is_none() || self.unnamed.is_some())
            && self.resuming.is_none()
            && !self.is_sampling
            && self.checked.is_none()
            && self.exporting.is_none()
    }

    /// True if the command line's requests were carried out; waiting audits are known from then on.
    pub(super) fn has_begun(&self) -> bool {
        self.is_read && self.opening.is_none()
    }

    /// True if no sample has a review that the reviewer may see.
    pub(super) fn is_empty(&self, remarks: &ReviewIndex) -> bool {
        self.running.is_none()
            && if self.is_blind() {
                remarks.is_empty()
            } else {
                self.keys.is_empty()
            }
    }

    /// Returns the active audit.
    pub fn running(&self) -> Option<&RunningAudit> {
        self.running.as_ref()
    }

    fn key(&self, sample: usize) -> Option<&SampleKey> {
        self.keys.get(&u32::try_from(sample).ok()?)
    }

    /// Stores the position of a sample with acts, and of those with the same content.
    fn add_position(&mut self, key: SampleKey, sample: u32) {
        let others = self.duplicates.as_ref().map(|known| known.samples(&key));
        for sample in std::iter::once(sample).chain(others.into_iter().flatten()) {
            Arc::make_mut(&mut self.places).add(key, sample);
            self.keys.insert(sample, key);
        }
    }

    /// Updates the review index for the samples with a key.
    fn refresh(&self, data: &mut OpenData, key: &SampleKey) {
        let said = self.workspace(data).sample_remark(key, self.only());
        let remarks = Arc::make_mut(&mut data.remarks);
        for &sample in self.places.samples(key) {
            remarks.set(sample, said.clone());
        }
    }

    fn refresh_all(&self, data: &mut OpenData) {
        let remarks = self.workspace(data).remarks(self.only(), &self.reviewer);
        data.remarks = Arc::new(remarks);
    }

    /// Returns a dataset with its reviews.
    fn workspace<'a>(&'a self, data: &'a OpenData) -> Workspace<'a> {
        Workspace {
            dataset: &data.dataset,
            ledger: &self.ledger,
            places: &self.places,
        }
    }
}

impl Review {
    /// Sets the reviewer, whether labels are hidden, and what to do first.
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
        data.catalog.set_blind(self.is_blind());
    }

    /// Returns the review of a sample, by its number, without what the reviewer may not see: blind
    /// reviewers see others' acts only after their own judgment.
    pub fn known_remark(&self, sample: usize, browser: &Browser) -> Option<Cow<'_, SampleReview>> {
        let is_revealed = sample == browser.selection.selected && !self.mask(browser).hidden;
        match self.only().filter(|_| !is_revealed) {
            Some(reviewer) => self
                .ledger
                .remark_by(self.key(sample)?, reviewer)
                .map(Cow::Owned),
            None => self.remark(sample).map(Cow::Borrowed),
        }
    }

    /// Updates the state after labels were hidden or shown.
    pub(super) fn blindness_changed(&self, browser: &mut Browser, views: &mut Views) {
        let was_blind = browser.is_blind();
        browser.data.catalog.set_blind(self.is_blind());
        // Not to return to a page that shows labels, or whose filter belongs to another audit.
        views.left = None;
        self.refresh_all(&mut browser.data);
        browser.drop_withheld_search();
        // Whether rationales and malformed rows are searched may have changed.
        browser.search_again();
        browser.refilter_by_remarks(was_blind != browser.is_blind());
    }

    /// Returns what reviewing needs without a key: the positions of samples with acts, samples with
    /// the same content, and to begin as the command line requests.
    pub(super) fn needs(&self, browser: &Browser, views: &Views) -> Vec<Effect> {
        let (data, mut needs) = (&browser.data, Vec::new());
        if data.loading != Loading::Done {
            return needs;
        }
        if !self.unplaced.is_empty() {
            let refs = Arc::clone(&self.unplaced);
            let locate = Job::new(
                "locator",
                data,
                self.located,
                is_brief_scan(&data.dataset),
                move |_, of| {
                    let places = review::locate(of.dataset, &refs, of.keep_going)?;
                    Some((refs.len(), places))
                },
                |app, _, (asked, places)| {
                    app.review.take_places(asked, &places, &mut app.browser, &mut app.views);
                },
            );
            needs.push(Effect::Job(locate.kept()));
        }
        if self.duplicates.is_none() && !self.keys.is_empty() {
            let find = Job::new(
                "duplicates",
                data,
                (),
                is_brief_scan(&data.dataset),
                |(), of| Duplicates::find(of.dataset, of.keep_going),
                |app, (), found| {
                    app.review.take_duplicates(found, &mut app.browser, &mut app.views);
                },
            );
            needs.push(Effect::Job(find.kept()));
        }
        let ready = self.is_read && self.unplaced.is_empty();
        let asked = self.opening.is_some() || self.resuming.is_some() || self.checked.is_some();
        // Typing is not interrupted.
        let resting = views.mode().is_base_or_drawer();
        if ready && asked && resting && !browser.is_working() {
            needs.push(Effect::Review(ReviewEffect::Begin));
        }
        needs
    }

    /// Handles a report of `run`.
    pub(super) fn take_review_event(
        &mut self,
        news: ReviewEvent,
        browser: &mut Browser,
        views: &mut Views,
    ) {
        match news {
            ReviewEvent::Acts(entries, done) => self.take_acts(&entries, done, browser, views),
            ReviewEvent::Read => self.is_read = true,
            ReviewEvent::Begin => self.begin_requested(browser, views),
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
            ReviewEvent::Written(samples) => {
                if let Some(exporting) = &mut self.exporting {
                    exporting.written = Some(samples);
                }
            }
            ReviewEvent::Exported(words) => self.finish_export(&words, browser),
            ReviewEvent::Refused(line, reason) => {
                self.exporting = None;
                if views.mode() != Mode::Read {
                    return browser.say(reason);
                }
                let start = line.rfind(' ').map_or(0, |at| at + 1);
                let error = QueryError::new(start..line.len(), reason);
                views.reopen_command(&line, error, browser);
            }
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
                self.add_position(sample_ref.sample, sample);
                if entry.act.setting().is_some() {
                    Arc::make_mut(&mut self.places).add_judged(sample_ref.sample, sample);
                }
            }
            match &entry.act {
                Act::Audit(_) => begun = Some(entry.id.clone()),
                Act::Undo { .. } | Act::Redo { .. } => all = true,
                act => judged |= act.setting().is_some(),
            }
            // Of several acts about one sample, the last and most recent reference is used.
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
        Arc::make_mut(&mut self.unplaced).extend(sample_refs.into_values());
        if all || entries.len() > 1 {
            self.refresh_all(&mut browser.data);
        }
        self.remarks_changed(all || judged || begun.is_some(), browser, views);
        if own.is_some_and(|own| own as usize != browser.selection.selected) {
            views.go_on_past_duplicate(browser, self);
        }
        match (begun, done.map(|done| done.then)) {
            // The reviewer's own audit begins at once.
            (Some(id), Some(_)) => self.begin(&id, browser, views),
            (_, Some(FollowUp::Next { complete })) => self.note_answered(complete, browser, views),
            (_, Some(FollowUp::GoOn)) => self.go_on(browser, views),
            (_, Some(FollowUp::Undone)) => {
                self.ask_undone(browser, views);
            }
            (_, Some(FollowUp::Noted)) => {
                views.close(Mode::Note);
            }
            (_, Some(FollowUp::Stay) | None) => {}
        }
    }

    fn take_places(
        &mut self,
        asked: usize,
        places: &SampleLocator,
        browser: &mut Browser,
        views: &mut Views,
    ) {
        // Samples added in the meantime remain to be located.
        self.unplaced = Arc::new(self.unplaced.iter().skip(asked).cloned().collect());
        self.located += asked;
        for (key, sample) in places.iter() {
            self.add_position(*key, sample);
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
        self.duplicates = Some(duplicates);
        let was_known = self.key(browser.selection.selected).is_some();
        let before = self.keys.len();
        for (sample, key) in self.keys.clone() {
            self.add_position(key, sample);
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

    /// Locates samples again in a new dataset.
    pub(super) fn replace_samples(&mut self, browser: &mut Browser, views: &mut Views) {
        (self.places, self.keys, self.duplicates) = Default::default();
        browser.data.remarks = Arc::new(ReviewIndex::of(&self.reviewer));
        self.drawn = None;
        self.unplaced = self.ledger.sample_refs().into();
        self.unplace_running(browser);
        if std::mem::take(&mut self.is_sampling) || self.checked.take().is_some() {
            browser.say("The samples changed; no audit was drawn.");
            self.finish_opening(browser, views);
        }
    }

    /// Lets queries refer to the reviewers in the journal.
    fn name_reviewers(&self, browser: &mut Browser) {
        browser.data.catalog.set_reviewers(&self.ledger.reviewers());
        // List columns of reviewers' judgments are read again.
        let is_of_reviewers = |column: &super::ListColumn| column.asked.column.is_of_reviewers();
        if browser.columns().iter().any(is_of_reviewers) {
            browser.list.forget();
        }
    }

    /// Updates the active filter after reviews changed.
    fn remarks_changed(&mut self, judged: bool, browser: &mut Browser, views: &mut Views) {
        self.name_reviewers(browser);
        self.refresh_progress(browser);
        if judged {
            self.refresh_agreement(browser);
        }
        self.is_refilter_pending = true;
        // A sample must not disappear while it is rated.
        if views.rate().is_none() {
            self.refilter_if_pending(browser);
        }
    }

    /// Evaluates a filter again whose reviews have changed.
    fn refilter_if_pending(&mut self, browser: &mut Browser) {
        if std::mem::take(&mut self.is_refilter_pending) {
            browser.refilter_by_remarks(false);
        }
    }
}
