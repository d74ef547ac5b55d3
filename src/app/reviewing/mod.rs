//! The reviewers' acts: marks, tags, notes, ratings and audits.
//!
//! A [`Recorder`] makes a journal entry of each act, which is applied like the entries of earlier
//! runs and of other programs ([`ReviewEvent::Acts`]). `run` reports later when it is on disk.

mod acts;
mod agreement_screen;
mod answers;
mod audit;
mod audits;
pub(super) mod blind;
mod exporting;

mod note;
mod rating;
mod recorder;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::job::{Job, is_brief_scan};
use super::perform::ViewRequest;
use super::state::OpenData;
use super::{App, Effect, Loading, Mode};
use crate::dataset::{Fingerprint, SampleKey};
use crate::journal::{Act, ActId, ActRecord, Judgment, Ledger, SampleRef, SampleReview};
use crate::query::{QueryError, ReviewIndex};
use crate::review::{self, Duplicates, SampleLocator, SamplingPlan, Workspace};

pub use acts::ListRemark;
#[cfg(test)]
pub(super) use agreement_screen::AgreementScreen;
pub(super) use agreement_screen::ComparedParties;
pub use audit::RunningAudit;
pub use blind::{Blind, ScreenSample};
pub use exporting::{CopyRequest, Export, ExportProgress, FileForm, Selection};
pub use note::NotePad;
pub use rating::{RatingAction, RatingStrip, RatingValue};
pub use recorder::Recorder;

/// A request to `run` for a reviewer.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewEffect {
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

/// A report of `run` on reviewing.
#[derive(Debug)]
pub enum ReviewEvent {
    /// Acts of earlier runs and of other programs, in journal order.
    Acts(Vec<ActRecord>),
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

/// What waits for data, for a job or for the reviewer before an audit begins. One thing at a time:
/// a new request takes the place of the one before.
#[derive(Debug, Default)]
pub(super) enum Pending {
    #[default]
    Nothing,
    /// The command line's requests, until everything is loaded.
    Opening(PendingOpening),
    /// The answer who judges, and what follows it: a request, or the command line's.
    Name(ViewRequest, Option<PendingOpening>),
    /// A job that draws an audit, or compares audits with the data.
    Sampling,
    /// The fingerprint of the data, with the request that it answers.
    Checked(Fingerprint, DataCheck),
    /// The audit to begin, once its samples are located.
    Begin(ActId),
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
    /// Makes entries of acts and keeps them.
    recorder: Option<Box<dyn Recorder>>,
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
    /// The sample that was selected before the active audit.
    left_for_audit: Option<usize>,
    /// The export in progress.
    exporting: Option<ExportProgress>,
    /// The samples whose training rows the export menu counts.
    to_count: Option<Arc<Vec<u32>>>,
    /// The reviewer's agreement with the dataset, for the status line.
    pub in_short: String,
    /// Number of the request to count it, and of the one it answers.
    agreement_asked: u64,
    agreement_known: u64,
    /// Whether the existing journals have been read.
    is_read: bool,
    /// What waits before an audit begins.
    pub(super) pending: Pending,
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

    /// Returns the reviewer whose acts filters are restricted to while blind.
    fn only(&self, data: &OpenData) -> Option<&str> {
        data.catalog.is_blind.then_some(&*self.reviewer)
    }

    /// True if nothing is pending: journals, positions, requested audit and exports.
    pub fn is_settled(&self) -> bool {
        self.is_read
            && self.unplaced.is_empty()
            && (self.keys.is_empty() || self.duplicates.is_some())
            && matches!(self.pending, Pending::Nothing | Pending::Name(..))
            && self.exporting.is_none()
    }

    /// True if an audit is being drawn or compared with the data.
    pub fn is_sampling(&self) -> bool {
        matches!(self.pending, Pending::Sampling)
    }

    /// True if the command line's requests were carried out; waiting audits are known from then on.
    pub(super) fn has_begun(&self) -> bool {
        let waits = matches!(
            self.pending,
            Pending::Opening(_) | Pending::Name(_, Some(_))
        );
        self.is_read && !waits
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
        let said = self.workspace(data).sample_remark(key, self.only(data));
        let remarks = Arc::make_mut(&mut data.remarks);
        for &sample in self.places.samples(key) {
            remarks.set(sample, said.clone());
        }
    }

    fn refresh_all(&self, data: &mut OpenData) {
        let remarks = self
            .workspace(data)
            .remarks(self.only(data), &self.reviewer);
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

impl App {
    /// Sets the reviewer, whether labels are hidden, and what to open first.
    pub fn introduce(&mut self, reviewer: &str, blind: Option<Blind>, opening: PendingOpening) {
        let (review, data) = (&mut self.review, &mut self.data);
        review.undecided = opening.audit.as_ref().is_some_and(|words| words != "off");
        (review.reviewer, review.blind) = (reviewer.into(), blind);
        review.pending = Pending::Opening(opening);
        data.remarks = Arc::new(ReviewIndex::of(reviewer));
        let is_blind = self.must_hide_labels();
        self.data.catalog.set_blind(is_blind);
        self.settle();
    }

    /// True if the run or the active audit hides labels and other reviewers' judgments; the catalog
    /// knows, since queries depend on it.
    fn must_hide_labels(&self) -> bool {
        let audit = self.running().map(|running| &running.session.audit);
        let hidden_by_run = self.review.blind.is_some() || self.review.undecided;
        hidden_by_run || audit.is_some_and(|audit| audit.blind)
    }

    /// True if any sample has a review that the reviewer may see.
    pub fn has_reviews(&self) -> bool {
        let is_empty = match self.is_blind() {
            true => self.data.remarks.is_empty(),
            false => self.review.keys.is_empty(),
        };
        self.running().is_some() || !is_empty
    }

    /// Returns the review of a sample, by its number, without what the reviewer may not see: blind
    /// reviewers see others' acts only after their own judgment.
    pub fn known_remark(&self, sample: usize) -> Option<Cow<'_, SampleReview>> {
        let is_revealed = sample == self.selection.selected && !self.mask().hidden;
        match self.review.only(&self.data).filter(|_| !is_revealed) {
            Some(reviewer) => self
                .review
                .ledger
                .remark_by(self.review.key(sample)?, reviewer)
                .map(Cow::Owned),
            None => self.review.remark(sample).map(Cow::Borrowed),
        }
    }

    /// Updates the state after labels were hidden or shown.
    pub(super) fn blindness_changed(&mut self) {
        let was_blind = self.is_blind();
        self.data.catalog.set_blind(self.must_hide_labels());
        self.review.in_short.clear();
        self.refresh_agreement();
        // Not to return to a page that shows labels, or whose filter belongs to another audit.
        self.views.left = None;
        self.review.refresh_all(&mut self.data);
        self.drop_withheld_search();
        // Whether rationales and malformed rows are searched may have changed.
        self.search_again();
        self.refilter_by_remarks(was_blind != self.is_blind());
    }

    /// Returns what reviewing needs without a key: the positions of samples with acts, samples with
    /// the same content, and to begin as the command line requests.
    pub(super) fn review_needs(&self) -> Vec<Effect> {
        let (data, mut needs) = (&self.data, Vec::new());
        if data.loading != Loading::Done {
            return needs;
        }
        if !self.review.unplaced.is_empty() {
            let refs = Arc::clone(&self.review.unplaced);
            let locate = Job::new(
                "locator",
                data,
                self.review.located,
                is_brief_scan(&data.dataset),
                move |_, of| {
                    let places = review::locate(of.dataset, &refs, of.keep_going)?;
                    Some((refs.len(), places))
                },
                |app, _, (asked, places)| {
                    app.take_places(asked, &places);
                },
            );
            needs.push(Effect::Job(locate.kept()));
        }
        if self.review.duplicates.is_none() && !self.review.keys.is_empty() {
            let find = Job::new(
                "duplicates",
                data,
                (),
                is_brief_scan(&data.dataset),
                |(), of| Duplicates::find(of.dataset, of.keep_going),
                |app, (), found| {
                    app.take_duplicates(found);
                },
            );
            needs.push(Effect::Job(find.kept()));
        }
        let ready = self.review.is_read && self.review.unplaced.is_empty();
        let asked = matches!(
            self.review.pending,
            Pending::Opening(_) | Pending::Checked(..) | Pending::Begin(_)
        );
        // Typing is not interrupted.
        let resting = self.views.mode().is_base_or_drawer();
        if ready && asked && resting && !self.is_working() {
            needs.push(Effect::Review(ReviewEffect::Begin));
        }
        needs
    }

    /// Handles a report of `run`.
    pub(super) fn take_review_event(&mut self, news: ReviewEvent) {
        match news {
            ReviewEvent::Acts(entries) => self.take_read(&entries),
            ReviewEvent::Read => self.review.is_read = true,
            ReviewEvent::Begin => self.begin_requested(),
            ReviewEvent::Saved(count) => {
                let saving = &mut self.review.saving;
                saving.waiting = saving.waiting.saturating_sub(count);
                saving.fresh = true;
                if saving.waiting == 0 {
                    saving.trouble = None;
                }
            }
            ReviewEvent::NotSaved(reason) => self.review.saving.trouble = Some(reason),
            ReviewEvent::Edited(edited) => self.take_edited(edited),
            ReviewEvent::Written(samples) => {
                if let Some(exporting) = &mut self.review.exporting {
                    exporting.written = Some(samples);
                }
            }
            ReviewEvent::Exported(words) => self.finish_export(&words),
            ReviewEvent::Refused(line, reason) => {
                self.review.exporting = None;
                if self.views.mode() != Mode::Read {
                    return self.say(reason);
                }
                let start = line.rfind(' ').map_or(0, |at| at + 1);
                let error = QueryError::new(start..line.len(), reason);
                self.reopen_command(&line, error);
            }
        }
    }

    /// Applies an own act, about a sample or about none. An audit begins at once.
    fn take_own(&mut self, entry: &ActRecord, sample: Option<usize>) {
        let own = sample.and_then(|sample| u32::try_from(sample).ok());
        Arc::make_mut(&mut self.review.ledger).apply_own(entry);
        self.take_acts(std::slice::from_ref(entry), own);
        if let Act::Audit(_) = &entry.act {
            self.begin(&entry.id);
        }
    }

    /// Applies acts from journals.
    fn take_read(&mut self, entries: &[ActRecord]) {
        let waiting = self.review.saving.waiting;
        Arc::make_mut(&mut self.review.ledger).apply_before(entries, waiting);
        self.take_acts(entries, None);
    }

    /// Updates the state after acts were applied: those of journals, or one about the reviewer's
    /// `own` sample.
    fn take_acts(&mut self, entries: &[ActRecord], own: Option<u32>) {
        let (mut all, mut judged) = (false, false);
        let mut sample_refs = BTreeMap::new();
        for entry in entries {
            if let Some((sample_ref, sample)) = entry.sample_ref.as_ref().zip(own) {
                self.review.add_position(sample_ref.sample, sample);
                if entry.act.setting().is_some() {
                    Arc::make_mut(&mut self.review.places).add_judged(sample_ref.sample, sample);
                }
            }
            match &entry.act {
                Act::Audit(_) => judged = true,
                Act::Undo { .. } | Act::Redo { .. } => all = true,
                act => judged |= act.setting().is_some(),
            }
            // Of several acts about one sample, the last and most recent reference is used.
            let unknown = entry
                .sample_refs()
                .filter(|sample_ref| self.review.places.samples(&sample_ref.sample).is_empty());
            sample_refs.extend(unknown.map(|sample_ref| (sample_ref.sample, sample_ref.clone())));
            if let Some(sample_ref) = entry.sample_ref.as_ref().filter(|_| entries.len() == 1) {
                self.review.refresh(&mut self.data, &sample_ref.sample);
            }
        }
        self.review
            .unplaced
            .iter()
            .for_each(|sample_ref| drop(sample_refs.remove(&sample_ref.sample)));
        Arc::make_mut(&mut self.review.unplaced).extend(sample_refs.into_values());
        if all || entries.len() > 1 {
            self.review.refresh_all(&mut self.data);
        }
        self.remarks_changed(all || judged);
    }

    fn take_places(&mut self, asked: usize, places: &SampleLocator) {
        // Samples added in the meantime remain to be located.
        self.review.unplaced = Arc::new(self.review.unplaced.iter().skip(asked).cloned().collect());
        self.review.located += asked;
        for (key, sample) in places.iter() {
            self.review.add_position(*key, sample);
        }
        self.review.refresh_all(&mut self.data);
        if self.review.unplaced.is_empty() {
            self.replace_running();
        }
        self.remarks_changed(true);
    }

    fn take_duplicates(&mut self, duplicates: Duplicates) {
        self.review.duplicates = Some(duplicates);
        let was_known = self.review.key(self.selection.selected).is_some();
        let before = self.review.keys.len();
        for (sample, key) in self.review.keys.clone() {
            self.review.add_position(key, sample);
        }
        if self.review.keys.len() > before {
            let is_new = self.review.key(self.selection.selected).is_some() && !was_known;
            self.review.refresh_all(&mut self.data);
            self.remarks_changed(false);
            if is_new {
                self.go_on_past_duplicate();
            }
        }
    }

    /// Locates samples again in a new dataset.
    pub(super) fn replace_samples(&mut self) {
        (self.review.places, self.review.keys, self.review.duplicates) = Default::default();
        self.data.remarks = Arc::new(ReviewIndex::of(&self.review.reviewer));
        self.review.drawn = None;
        self.review.unplaced = self.review.ledger.sample_refs().into();
        self.unplace_running();
        if let Pending::Sampling | Pending::Checked(..) = self.review.pending {
            self.review.pending = Pending::Nothing;
            self.say("The samples changed; no audit was drawn.");
            self.finish_opening();
        }
    }

    /// Lets queries refer to the reviewers in the journal.
    fn name_reviewers(&mut self) {
        self.data
            .catalog
            .set_reviewers(&self.review.ledger.reviewers());
        // List columns of reviewers' judgments are read again.
        let is_of_reviewers = |column: &super::ListColumn| column.asked.column.is_of_reviewers();
        if self.columns().iter().any(is_of_reviewers) {
            self.list.forget();
        }
    }

    /// Updates the active filter after reviews changed.
    fn remarks_changed(&mut self, judged: bool) {
        self.name_reviewers();
        self.refresh_progress();
        if judged {
            self.refresh_agreement();
        }
        self.review.is_refilter_pending = true;
        // A sample must not disappear while it is rated.
        if self.views.rate().is_none() {
            self.refilter_if_pending();
        }
    }

    /// Evaluates a filter again whose reviews have changed.
    fn refilter_if_pending(&mut self) {
        if std::mem::take(&mut self.review.is_refilter_pending) {
            self.refilter_by_remarks(false);
        }
    }
}
