//! The active audit: its samples replace the filter's result.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::job::{Job, is_brief_scan};
use super::super::perform::ViewRequest;
use super::super::shown::filtering::ActiveFilter;
use super::super::{Action, App, Effect, Loading, Mode, QueryKind, Review, ShownSamples, texts};
use super::{Blind, DataCheck, Pending};
use crate::dataset::SampleKey;
use crate::journal::{Act, ActId, ActRecord, Audit, AuditPlan, Reveal, Setting, StratifyBy};
use crate::query::{QueryResult, ResponseSet};
use crate::review::{self, AuditProgress, ItemStatus, SampleLocator, SamplingPlan};

/// The active audit.
#[derive(Debug)]
pub struct RunningAudit {
    /// The audit.
    pub session: Audit,
    /// The item of the audit's queue at each position; only samples that are present have one.
    items: Vec<usize>,
    /// The samples of its queue, which replace the filter's result.
    pub(in crate::app) shown: ShownSamples,
    /// The progress of its questions.
    pub progress: AuditProgress,
    /// The item to select once the positions of its samples are known.
    awaited: Option<usize>,
}

impl RunningAudit {
    /// Returns the status of the question at a position.
    pub fn status(&self, position: usize) -> Option<ItemStatus> {
        self.progress.items.get(self.item(position)?).copied()
    }

    /// Returns the number of settled questions and of all.
    pub fn settled_of_all(&self) -> (usize, usize) {
        (self.progress.settled(), self.progress.items.len())
    }

    pub fn is_done(&self, position: usize) -> bool {
        self.status(position).is_some_and(ItemStatus::is_judged)
    }

    pub fn setting(&self, position: usize) -> Setting {
        let queue = &self.session.audit.queue;
        let item = self.item(position).and_then(|item| queue.get(item));
        Setting {
            audit: Some(self.session.id.clone()),
            pass: item.map_or(1, |item| item.pass),
            blind: false,
            order: item.map(|item| item.order).unwrap_or_default(),
            ..Setting::default()
        }
    }

    /// Returns the position of a sample's question in the first or second pass.
    fn position(&self, sample: &SampleKey, pass: u8) -> Option<usize> {
        let queue = &self.session.audit.queue;
        let asked = |item: &usize| {
            queue
                .get(*item)
                .is_some_and(|asked| asked.sample_ref.sample == *sample && asked.pass == pass)
        };
        self.items.iter().position(asked)
    }

    /// Returns the queue item at a position.
    fn item(&self, position: usize) -> Option<usize> {
        self.items.get(position).copied()
    }

    /// Finds the samples that are present, and shows them in queue order.
    fn place(&mut self, places: &SampleLocator) {
        let (items, samples): (Vec<_>, Vec<_>) = self
            .session
            .audit
            .queue
            .iter()
            .enumerate()
            .filter_map(|(item, asked)| {
                Some((item, places.first(&asked.sample_ref.sample)? as u32))
            })
            .unzip();
        // All responses: an audit is about samples.
        let matching = vec![ResponseSet::ALL; samples.len()];
        self.items = items;
        self.shown = ShownSamples::Some {
            found: Arc::new(QueryResult { samples, matching }),
            sorted: true,
        };
    }

    /// Returns the position to continue with after another one, or to start with.
    pub fn next(&self, position: Option<usize>) -> Option<usize> {
        let item = position.and_then(|position| self.item(position));
        let next = self.progress.next(item)?;
        self.items.iter().position(|&item| item == next)
    }
}

impl Review {
    /// True if the command line requests an audit that has not begun.
    pub fn is_audit_requested(&self) -> bool {
        match &self.pending {
            Pending::Opening(opening) | Pending::Name(_, Some(opening)) => opening.audit.is_some(),
            _ => false,
        }
    }

    /// Returns the smallest seed that no audit has.
    pub(super) fn free_seed(&self) -> u64 {
        let taken: BTreeSet<u64> = self
            .ledger
            .sessions()
            .map(|session| session.audit.seed)
            .collect();
        (0..).find(|seed| !taken.contains(seed)).unwrap_or_default()
    }

    pub(super) fn session(&self, id: &ActId) -> Option<&Audit> {
        self.ledger.sessions().find(|session| session.id == *id)
    }

    /// True if a sample of an audit is in this data.
    pub(super) fn is_here(&self, sample: &SampleKey) -> bool {
        self.places.first(sample).is_some()
    }
}

impl App {
    /// Runs `:audit`: begins or continues an audit, or leaves the active one; without a number of
    /// samples, asks. `starts` is true if it comes from the command line.
    ///
    /// # Errors
    /// If the arguments are invalid, or no audit can begin now.
    pub(crate) fn audit(&mut self, arguments: &str, starts: bool) -> Result<(), String> {
        if arguments == "off" {
            self.leave_audit();
            return Ok(());
        }
        if self.selection.audit.is_some() {
            return Err(texts::AUDIT_ACTIVE.to_owned());
        }
        if self.review.is_sampling() {
            return Err(texts::AUDIT_IN_PREPARATION.to_owned());
        }
        // A draw from incomplete data could not be repeated. Searches do not affect it.
        if self.data.loading != Loading::Done {
            return Err(texts::STILL_LOADING.to_owned());
        }
        if self.is_open(QueryKind::Filter) {
            return Err(texts::FILTER_RUNNING.to_owned());
        }
        let plan = self.plan(arguments)?;

        if plan.n == 0 {
            self.ask_which_audit(&plan, arguments);
            return Ok(());
        }
        // Repeating a command continues the audit, or shows its result.
        let own = self.own_audits(&plan, arguments);
        if !own.is_empty() {
            self.check_data(own, Some(plan));
            return Ok(());
        }
        let is_asked = |session: &&Audit| matches_plan(&session.audit, &plan, arguments);
        let other = self.review.audits_of(false).find(is_asked);
        if other.is_some() {
            self.ask_which_audit(&plan, arguments);
            return Ok(());
        }
        self.draw_audit(plan, starts);
        Ok(())
    }

    /// Requests a new audit of the filter's result.
    pub(super) fn draw_audit(&mut self, plan: SamplingPlan, starts: bool) {
        let shown = self.selection.filtered.clone();
        let job = Job::new(
            "sampler",
            &self.data,
            (plan, starts),
            is_brief_scan(&self.data.dataset),
            move |(plan, _), of| {
                let samples = shown.ascending(0..usize::MAX);
                let drawn = review::draw(plan, of.dataset, &samples, of.keep_going);
                let drawn = drawn.map(Arc::new).map_err(|error| error.to_string());
                (of.keep_going)().then_some(drawn)
            },
            |app, (_, starts), drawn| {
                app.take_drawn(drawn, starts);
            },
        );
        self.prepare_audit(job);
    }

    /// Requests a comparison of audits with the dataset: an audit continues without confirmation
    /// only if its fingerprint matches. If none of them continues, an audit is drawn by the plan.
    pub(super) fn check_data(&mut self, audits: Vec<ActId>, otherwise: Option<SamplingPlan>) {
        let job = Job::new(
            "sampler",
            &self.data,
            DataCheck { audits, otherwise },
            is_brief_scan(&self.data.dataset),
            |_, of| {
                let now = of.dataset.fingerprint();
                (of.keep_going)().then_some(now)
            },
            |app, check, now| {
                if !app.review.is_sampling() {
                    return;
                }
                app.review.pending = Pending::Checked(now, check);
                // Typing is not interrupted.
                if app.views.mode().is_base_or_drawer() {
                    app.begin_requested();
                }
            },
        );
        self.prepare_audit(job);
    }

    /// Requests what an audit needs to begin; keys keep working in the meantime.
    fn prepare_audit(&mut self, job: Job) {
        self.review.pending = Pending::Sampling;
        self.request(Effect::Job(job.kept()));
    }

    /// Takes a drawn audit and records it, which begins it.
    fn take_drawn(&mut self, drawn: Result<Arc<AuditPlan>, String>, starts: bool) {
        if self.review.is_sampling() {
            self.review.pending = Pending::Nothing;
        }
        match drawn {
            Ok(audit) => {
                self.record_of(None, Act::Audit(audit));
            }
            Err(reason) if starts => {
                self.request(Effect::Fail(format!("audit: {reason}").into()));
            }
            Err(reason) => {
                self.say(format!("{reason}."));
                self.finish_opening();
                self.drop_withheld();
            }
        }
    }

    /// Carries out the command line's requests: a filter first, then (once that is answered) an
    /// audit.
    pub(super) fn begin_requested(&mut self) {
        let mut opening = match std::mem::take(&mut self.review.pending) {
            Pending::Begin(id) => return self.begin(&id),
            Pending::Checked(now, check) => return self.take_checked(&now, check),
            Pending::Opening(opening) => opening,
            other => {
                self.review.pending = other;
                return;
            }
        };
        if let Some(filter) = opening.filter.take() {
            match ActiveFilter::parse(&filter, &self.data.catalog.with_labels()) {
                Ok(query) => self.set_filter_while_blind(query),
                Err(error) => {
                    return self.request(Effect::Fail(format!("the filter: {error}").into()));
                }
            }
            self.review.pending = Pending::Opening(opening);
            return;
        }
        if opening.audit.is_some() && self.review.asks_name {
            self.review.pending = Pending::Opening(opening);
            self.asks_who(ViewRequest::Done);
            return;
        }
        match opening.audit.map(|words| self.audit(&words, true)) {
            Some(Ok(())) => {}
            Some(Err(reason)) => {
                self.request(Effect::Fail(format!("audit: {reason}").into()));
            }
            None => self.say_resumed(),
        }
    }

    /// Returns an error in the command line's filter or audit, as far as schemas show it. Must be
    /// called when all files are known, because fields depend on them.
    pub fn opening_error(&self) -> Option<String> {
        let Pending::Opening(opening) = &self.review.pending else {
            return None;
        };
        let filter = opening
            .filter
            .as_deref()
            .map(|filter| ActiveFilter::parse(filter, &self.data.catalog.with_labels()));
        if let Some(Err(error)) = filter {
            return Some(format!("the filter: {error}"));
        }
        let words = opening.audit.as_deref().filter(|words| *words != "off")?;
        let mut plan = default_plan(String::new(), self.review.blind);
        words
            .split_whitespace()
            .try_for_each(|word| plan_word(&mut plan, word))
            .and_then(|()| match &plan.by {
                Some(by) => review::check_by(by, &self.data.catalog.with_labels())
                    .map_err(|error| error.to_string()),
                None => Ok(()),
            })
            .err()
            .map(|reason| format!("audit: {reason}"))
    }

    fn plan(&self, arguments: &str) -> Result<SamplingPlan, String> {
        let mut plan = default_plan(self.filter.text().unwrap_or_default(), self.review.blind);
        // By default, a new audit draws other samples than earlier ones.
        plan.seed = self.review.free_seed();
        for word in arguments.split_whitespace() {
            plan_word(&mut plan, word)?;
        }
        Ok(plan)
    }

    pub(super) fn progress(&self, session: &Audit) -> AuditProgress {
        let work = self.review.workspace(&self.data);
        work.progress_of(session, &self.review.reviewer)
    }

    /// Begins or continues an audit at the first open question.
    pub(crate) fn begin(&mut self, id: &ActId) {
        let Some(session) = self.review.session(id).cloned() else {
            return;
        };
        // Typing is not interrupted.
        if !self.review.unplaced.is_empty() || !self.views.mode().is_base_or_drawer() {
            self.review.pending = Pending::Begin(id.clone());
            return;
        }
        if self.selection.audit.is_some() {
            self.leave_audit();
        }
        let progress = self.progress(&session);
        let mut running = RunningAudit {
            session,
            items: Vec::new(),
            shown: ShownSamples::nothing(),
            progress,
            awaited: None,
        };
        running.place(&self.review.places);
        if running.items.is_empty() {
            self.finish_opening();
            self.say("None of the audit's samples is in this data.");
            return;
        }
        self.drop_search();
        self.close_panel();
        self.review.left_for_audit = Some(self.selection.selected);
        // A count typed before does not apply to the audit.
        self.status.count = None;
        self.layout.zoomed = false;
        self.list.forget();
        let has_ended = running.progress.left() == 0;
        let seed = running.session.audit.seed;
        let first = running.next(None);
        self.selection.audit = Some(running);
        self.review.undecided = false;
        self.blindness_changed();
        self.select(first.unwrap_or(0));
        // Outside the audit, samples are shown with numbers and labels.
        self.selection.before_jump = None;
        self.views.close(Mode::Rate);
        if has_ended {
            self.finish();
            if self.review.just_finished {
                self.say(texts::audit_was_done(seed.wrapping_add(1)));
            }
        } else {
            self.toggle_rate();
            let running = self.running();
            if running.is_some_and(|running| self.reveals_labels(&running.session.audit.filter)) {
                self.say(texts::AUDIT_FILTER_REVEALS);
            }
        }
        if self.is_blind() {
            self.record_seen();
        }
    }

    /// Shows no samples of the audit until their positions in the new dataset are known.
    pub(super) fn unplace_running(&mut self) {
        let position = self.selection.position;
        if let Some(running) = &mut self.selection.audit {
            running.awaited = running.item(position).or(running.awaited);
            (running.items, running.shown) = (Vec::new(), ShownSamples::nothing());
        }
    }

    /// Shows the audit's samples at their new positions and keeps the selection.
    pub(super) fn replace_running(&mut self) {
        let Some(running) = self
            .selection
            .audit
            .as_mut()
            .filter(|running| running.items.is_empty())
        else {
            return;
        };
        running.place(&self.review.places);
        let awaited = running.awaited.take();
        let position = running
            .items
            .iter()
            .position(|item| Some(*item) == awaited)
            .unwrap_or(0);
        self.select(position);
    }

    /// Updates the progress of the active audit.
    pub(super) fn refresh_progress(&mut self) {
        if let Some(mut running) = self.selection.audit.take() {
            running.progress = self.progress(&running.session);
            self.selection.audit = Some(running);
        }
    }

    /// Reports that an open question of the audit is selected again, and how many are left.
    pub(super) fn say_back(&mut self) {
        let Some(running) = self.running() else {
            return;
        };
        let (open, of, at) = (
            running.progress.left(),
            running.progress.items.len(),
            self.selection.position + 1,
        );
        self.say(texts::back_at(open, of, at));
    }

    /// Closes the strip: no question remains.
    pub(super) fn finish(&mut self) {
        self.views.close(Mode::Rate);
        if let Some(running) = &self.selection.audit {
            let progress = &running.progress;
            self.review.just_finished = progress.is_finished();
            self.say(if self.review.just_finished {
                texts::audit_done(progress.items.len())
            } else {
                texts::audit_incomplete(progress)
            });
        }
    }

    /// Handles the key that moved from sample to sample during an audit that is now finished: it
    /// opens the result.
    pub(crate) fn is_past_the_end(&mut self, action: Action) -> bool {
        let is_past = action == Action::Zoom
            && self.review.just_finished
            && self.mode() == Mode::Read
            && self.selection.audit.is_some();
        self.review.just_finished &= is_past;
        if is_past {
            self.act_in_read(Action::Agreement, None);
        }
        is_past
    }

    pub(super) fn leave_audit(&mut self) {
        let Some(running) = self.selection.audit.take() else {
            self.say("No active audit.");
            return;
        };
        self.views.close(Mode::Rate);
        self.list.forget();
        self.blindness_changed();
        self.drop_withheld();
        // The audit's sample must not be shown with labels: the reviewer may return and judge it
        // blind.
        if let Some(before) = self.review.left_for_audit.take() {
            self.selection.anchor = Some(before);
        }
        self.reselect();
        self.selection.before_jump = None;
        self.say(if running.progress.is_finished() {
            texts::AUDIT_LEFT.to_owned()
        } else {
            texts::audit_left_at(running.progress)
        });
    }

    /// Returns the position of the question that an act answered in the active audit, or of its
    /// sample elsewhere.
    pub(super) fn position_of(&self, entry: &ActRecord) -> Option<usize> {
        let key = &entry.sample_ref.as_ref()?.sample;
        if let Some(running) = self.running() {
            let asked = entry
                .act
                .setting()
                .filter(|setting| setting.audit.as_ref() == Some(&running.session.id))
                .and_then(|setting| running.position(key, setting.pass));
            if asked.is_some() {
                return asked;
            }
        }
        let sample = self.review.places.first(key)?;
        let shown = self.shown();
        if shown.sample(self.selection.position) == Some(sample) {
            return None;
        }
        let position = shown.nearest(sample)?;
        (shown.sample(position) == Some(sample)).then_some(position)
    }
}

impl App {
    /// Drops the filter if it reveals labels to a blind reviewer.
    fn drop_withheld(&mut self) {
        if self
            .filter
            .active()
            .is_some_and(|one| self.withheld(&one.query).is_some())
        {
            self.set_filter_while_blind(None);
        }
    }
}

/// True if an audit matches a plan; without a seed in the arguments, any seed matches.
pub(super) fn matches_plan(audit: &AuditPlan, plan: &SamplingPlan, arguments: &str) -> bool {
    let mut words = arguments.split_whitespace();
    let has_seed = words.any(|word| word.starts_with("seed="));
    let drawn = SamplingPlan {
        n: audit.n,
        seed: if has_seed { audit.seed } else { plan.seed },
        by: audit.by.clone(),
        repeat: audit.repeat,
        blind: audit.blind,
        reveal: audit.reveal,
        filter: audit.filter.clone(),
    };
    audit.between.is_none() && drawn == *plan
}

/// Returns the default plan, without samples.
fn default_plan(filter: String, blind: Option<Blind>) -> SamplingPlan {
    SamplingPlan {
        blind: blind.is_some(),
        reveal: blind.map(|blind| blind.reveal).unwrap_or_default(),
        filter,
        ..SamplingPlan::default()
    }
}

fn plan_word(plan: &mut SamplingPlan, word: &str) -> Result<(), String> {
    let number = |value: &str| value.parse::<u32>().ok().filter(|number| *number > 0);
    let wrong = |what: &str| format!("{word}: {what}");
    let by = |field: &str, even| {
        Some(StratifyBy {
            field: field.to_owned(),
            even,
        })
    };
    match word.split_once('=') {
        None if word == "blind" => plan.blind = true,
        None => {
            plan.n = number(word).ok_or_else(|| {
                wrong("expected a number of samples, or seed= by= even= repeat= blind reveal=")
            })?;
        }
        Some(("n", value)) => {
            plan.n = number(value).ok_or_else(|| wrong("expected a number of samples"))?;
        }
        Some(("seed", value)) => {
            plan.seed = value
                .parse()
                .map_err(|_| wrong("expected a whole number"))?;
        }
        Some(("by", field)) if !field.is_empty() => plan.by = by(field, false),
        Some(("even", field)) if !field.is_empty() => plan.by = by(field, true),
        Some(("blind", "yes" | "true" | "1")) => plan.blind = true,
        Some(("reveal", "never")) => (plan.blind, plan.reveal) = (true, Reveal::Never),
        Some(("reveal", "end")) => (plan.blind, plan.reveal) = (true, Reveal::End),
        Some(("reveal", "after")) => plan.reveal = Reveal::After,
        Some(("reveal", _)) => return Err(wrong("expected after, end or never")),
        Some(("repeat", value)) => {
            plan.repeat = share(value).ok_or_else(|| wrong("expected a share, e.g. 10%"))?;
        }
        Some(_) => {
            return Err(wrong(
                "unknown option; use seed= by= even= repeat= blind or reveal=",
            ));
        }
    }
    Ok(())
}

/// Parses a share: `10%`, or `10` or `0.1` for the same; at most 100 %.
fn share(text: &str) -> Option<f64> {
    let share = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().ok()? / 100.0,
        // Numbers below 1 are fractions, others percentages: shares of 100 % or of 0.1 % are not
        // useful.
        None => match text.parse::<f64>().ok()? {
            share if share < 1.0 => share,
            percent => percent / 100.0,
        },
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_plan() {
        let plan = |words: &str| {
            let words: Vec<_> = words
                .split(' ')
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect();
            let mut plan = default_plan(String::new(), None);
            words
                .iter()
                .try_for_each(|word| plan_word(&mut plan, word))
                .map(|()| plan)
        };
        let read = plan("100 seed=7 by=helpfulness repeat=10% blind reveal=never").expect("a plan");
        let by = Some(StratifyBy {
            field: "helpfulness".to_owned(),
            even: false,
        });
        let expected = SamplingPlan {
            n: 100,
            seed: 7,
            by,
            repeat: 0.1,
            blind: true,
            reveal: Reveal::Never,
            filter: String::new(),
        };
        assert_eq!(read, expected);
        assert_eq!(plan("blind").expect("a plan").n, 0, "without a number");
        for wrong in [
            "0",
            "-3",
            "x",
            "seed=x",
            "by=",
            "repeat=200%",
            "repeat=x",
            "reveal=maybe",
            "colour=red",
        ] {
            assert!(plan(wrong).is_err(), "{wrong}");
        }
    }
}
