//! Choosing an audit: one from the journal, by the reviewer or others, a new one, or an
//! adjudication of samples on which two others disagree.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::super::menu::{Menu, MenuLine};
use super::super::perform::ViewRequest;
use super::super::update::MESSAGE_WIDTH;
use super::super::{Action, App, KeyHints, LineKind, Loading, Review, texts};
use super::audit::matches_plan;
use super::{DataCheck, Pending};
use crate::dataset::{Fingerprint, SampleKey};
use crate::journal::{Act, ActId, Audit};
use crate::query::{Completion, SampleJudgment};
use crate::review::{self, ReviewerProgress, SamplingPlan, adjudication};
use crate::text::{self, counted, grouped};

/// The action of a line in a menu of audits.
#[derive(Debug, Clone, PartialEq)]
pub enum AuditChoice {
    /// Begin or continue an audit, or open a finished one.
    Begin(ActId),
    /// Continue an audit although the data differs.
    GoOn(ActId),
    /// Draw a new audit, even if a similar one exists.
    Draw(SamplingPlan),
}

const CHOICES: KeyHints = &[
    (Action::Accept, "continue, join, open or draw"),
    (Action::Cancel, "close"),
];

/// Numbers of samples offered for a new audit.
const OFFERED: [u32; 2] = [20, 50];

impl Review {
    /// Returns audits in which the reviewer takes part (`own`), or only others, the latest first;
    /// omits those without samples in this data, and adjudications of the reviewer's own judgments.
    pub(super) fn audits_of(&self, own: bool) -> impl Iterator<Item = &Audit> {
        let (ledger, name) = (&self.ledger, self.reviewer());
        let takes_part =
            move |it: &Audit| *it.reviewer == *name || review::was_judged(it, ledger, Some(name));
        let is_here = |it: &Audit| {
            it.audit
                .queue
                .iter()
                .any(|asked| self.is_here(&asked.sample_ref.sample))
        };
        ledger
            .sessions()
            .rev()
            .filter(move |session| takes_part(session) == own && is_here(session))
            .filter(move |it| !it.audit.between.iter().flatten().any(|one| **one == *name))
    }
}

impl App {
    /// Returns the reviewer's audits that match a plan: unfinished ones first, the latest first
    /// within each group.
    pub(super) fn own_audits(&self, plan: &SamplingPlan, arguments: &str) -> Vec<ActId> {
        let mut own: Vec<_> = self
            .review
            .audits_of(true)
            .filter(|it| matches_plan(&it.audit, plan, arguments))
            .collect();
        own.sort_by_key(|session| self.progress(session).left() == 0);
        own.into_iter().map(|session| session.id.clone()).collect()
    }

    /// Continues the first requested audit that was drawn from data with the same fingerprint; if
    /// there is none, asks about the first.
    pub(super) fn take_checked(&mut self, now: &Fingerprint, check: DataCheck) {
        let DataCheck { audits, otherwise } = check;
        // Older journals have no fingerprint of the data.
        let is_of = |session: &&Audit| session.audit.data.as_ref().is_none_or(|data| data == now);
        let sessions = || audits.iter().filter_map(|id| self.review.session(id));
        if let Some(session) = sessions().find(is_of) {
            let id = session.id.clone();
            return self.begin(&id);
        }
        let Some(session) = sessions().next() else {
            return;
        };
        let samples = session.audit.data.as_ref().map_or(0, |data| data.samples);
        let from = if samples == now.samples {
            texts::drawn_from_changed(samples)
        } else {
            texts::drawn_from(samples, now.samples)
        };
        let mut lines = vec![self.line_of(session, AuditChoice::GoOn)];
        if let Some(plan) = otherwise {
            lines.extend(draws(&plan, self));
        }
        self.views.open_menu(Menu::new(&from, lines, 0, CHOICES));
    }

    /// Returns the reviewer's unfinished audits, the latest first.
    fn waiting_audits(&self) -> impl Iterator<Item = &Audit> {
        self.review
            .audits_of(true)
            .filter(|session| !self.progress(session).is_finished())
    }

    /// Describes an unfinished audit and the command that continues it, if there is one.
    pub(crate) fn waiting_words(&self) -> Option<String> {
        let waiting: Vec<_> = self.waiting_audits().collect();
        if let [session] = waiting[..] {
            return Some(texts::audit_waits(self.progress(session)));
        }
        if waiting.len() > 1 {
            return Some(texts::audits_wait(waiting.len()));
        }
        let session = self.review.audits_of(false).next()?;
        let blind = if session.audit.blind { " blind" } else { "" };
        let drew = format!("{} drew {}{blind}", session.reviewer, session.audit.drawn());
        Some(texts::joinable(drew))
    }

    /// Lets the reviewer choose an unfinished audit, another reviewer's audit, or a new one.
    pub(super) fn ask_which_audit(&mut self, plan: &SamplingPlan, arguments: &str) {
        let fits = |session: &&Audit| {
            let n = if plan.n == 0 { session.audit.n } else { plan.n };
            let counted = SamplingPlan { n, ..plan.clone() };
            arguments.is_empty() || matches_plan(&session.audit, &counted, arguments)
        };
        let mut lines: Vec<_> = self
            .waiting_audits()
            .chain(self.review.audits_of(false))
            .filter(fits)
            .map(|it| self.line_of(it, AuditChoice::Begin))
            .collect();
        lines.extend(draws(plan, self));
        let typed = format!("audit {arguments}");
        let typed = ViewRequest::Type(format!("{} ", typed.trim_end()));
        lines.push(MenuLine::new("draw …", texts::TYPE_AUDIT, typed));
        let title = texts::which_audit(counted(self.selection.filtered.len(), "sample"));
        self.views.open_menu(Menu::new(&title, lines, 0, CHOICES));
    }

    /// Runs `:audits`: opens a menu of all audits in the journal, the latest first.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn list_audits(&mut self) -> Result<(), String> {
        let lines: Vec<_> = (self.review.ledger.sessions().rev())
            .map(|session| self.line_of(session, AuditChoice::Begin))
            .collect();
        if lines.is_empty() {
            return Err("the journal contains no audits; :audit draws one".to_owned());
        }
        let title = "audits in this journal, latest first";
        self.views.open_menu(Menu::new(title, lines, 0, CHOICES));
        Ok(())
    }

    fn line_of(&self, session: &Audit, choice: fn(ActId) -> AuditChoice) -> MenuLine {
        let time = review::minute(&session.time);
        let text = format!("{}  {}  {time}", session.id, session.reviewer);
        let seed = session.audit.seed;
        let words = audit_words(session);
        let note = format!("{words}, seed {seed}; {}", self.progress_words(session));
        line(&text, note, choice(session.id.clone()))
    }

    /// Carries out the chosen line of a menu of audits.
    pub(crate) fn choose_audit(&mut self, choice: AuditChoice) {
        match choice {
            AuditChoice::Begin(id) => self.check_data(vec![id], None),
            AuditChoice::GoOn(id) => self.begin(&id),
            AuditChoice::Draw(plan) => self.draw_audit(plan, false),
        }
    }

    /// Asks who judges if the name is a default: several people may share a login. Then a request
    /// waits for the answer. Returns whether it does.
    pub(crate) fn asks_who(&mut self, request: ViewRequest) -> bool {
        if self.review.asks_name {
            let opening = match std::mem::take(&mut self.review.pending) {
                Pending::Opening(opening) => Some(opening),
                _ => None,
            };
            self.review.pending = Pending::Name(request, opening);
            let words = |it: Completion| format!("{} {}", it.text, it.note).trim_end().to_owned();
            let names: Vec<_> = self.names("").into_iter().map(words).collect();
            let question = texts::who_judges(names.join(", "));
            self.say(text::one_line(&question, MESSAGE_WIDTH));
            self.open_line(LineKind::Reviewer);
        }
        self.review.asks_name
    }

    /// Returns the default name, then those in the journal, that begin with a text; each with its
    /// progress in its latest audit.
    pub(crate) fn names(&self, typed: &str) -> Vec<Completion> {
        let mut names = BTreeMap::new();
        let mut add = |name: Arc<str>, note| {
            let text = name.to_string();
            names.insert(
                (name != self.review.reviewer, name),
                Completion { text, note },
            );
        };
        for name in [Arc::clone(&self.review.reviewer)]
            .into_iter()
            .chain(self.review.ledger.reviewers())
        {
            add(name, String::new());
        }
        let work = self.review.workspace(&self.data);
        for session in self.review.ledger.sessions() {
            for one in work.progress(session) {
                add(one.reviewer, one.progress.to_string());
            }
        }
        names
            .into_values()
            .filter(|name| name.text.starts_with(typed))
            .collect()
    }

    /// Takes the answer, none being the default name, and carries out what waits for it.
    pub(crate) fn take_name(&mut self, typed: &str) {
        self.review.asks_name = false;
        if !typed.is_empty() {
            self.review.reviewer = typed.into();
            self.blindness_changed();
        }
        if let Pending::Name(request, opening) = std::mem::take(&mut self.review.pending) {
            self.review.pending = opening.map_or(Pending::Nothing, Pending::Opening);
            self.hand_over(request, None);
        }
    }

    /// Describes the progress of all reviewers: `you 3/20, ben 20/20`. Blind reviewers only see
    /// their own.
    fn progress_words(&self, session: &Audit) -> String {
        let all = if self.is_blind() {
            vec![ReviewerProgress {
                reviewer: Arc::clone(&self.review.reviewer),
                progress: self.progress(session),
            }]
        } else {
            self.review.workspace(&self.data).progress(session)
        };
        all.iter()
            .map(|one| {
                let who = if one.reviewer == self.review.reviewer {
                    "you"
                } else {
                    &*one.reviewer
                };
                format!("{who} {}", one.progress)
            })
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Returns lines for new audits of a plan; without a number, of the offered sizes, at most the
/// number of samples, blind first.
fn draws(plan: &SamplingPlan, app: &App) -> Vec<MenuLine> {
    let all = u32::try_from(app.selection.filtered.len()).unwrap_or(u32::MAX);
    let (mut sizes, mut blinds) = (vec![plan.n], vec![plan.blind]);
    if plan.n == 0 {
        sizes = OFFERED.map(|n| n.min(all.max(1))).to_vec();
        sizes.dedup();
        blinds.insert(0, true);
        blinds.dedup();
    }
    blinds
        .iter()
        .flat_map(|blind| sizes.iter().map(move |n| (*blind, *n)))
        .map(|(blind, n)| {
            let (how, note) = if blind {
                (" blind", "labels hidden")
            } else {
                ("", "labels shown")
            };
            let plan = SamplingPlan {
                n,
                blind,
                ..plan.clone()
            };
            line(&format!("draw {n}{how}"), note, AuditChoice::Draw(plan))
        })
        .collect()
}

fn line(text: &str, note: impl Into<String>, choice: AuditChoice) -> MenuLine {
    let choose = ViewRequest::call(move |app| app.choose_audit(choice.clone()));
    MenuLine::new(text, note, choose)
}

/// Returns for example `20 of 10,162 blind`. Its filter is omitted because it may reveal labels.
fn audit_words(session: &Audit) -> String {
    let audit = &session.audit;
    let blind = if audit.blind { " blind" } else { "" };
    let filtered = if audit.filter.trim().is_empty() {
        ""
    } else {
        ", filtered"
    };
    if let Some([one, other]) = &audit.between {
        let (kind, drawn) = (audit.kind(), audit.drawn());
        return format!("{kind} of {drawn} where {one} and {other} disagree{blind}");
    }
    format!(
        "{} of {}{blind}{filtered}",
        audit.drawn(),
        grouped(audit.of as usize)
    )
}

impl App {
    /// Runs `:adjudicate ann ben`: continues with the samples on which two reviewers disagree, or
    /// begins with the greatest disagreement.
    ///
    /// # Errors
    /// If these are not two other reviewers of the journal, or nothing remains to judge.
    pub(crate) fn adjudicate(&mut self, arguments: &str) -> Result<(), String> {
        if self.selection.audit.is_some() {
            return Err(texts::AUDIT_ACTIVE.to_owned());
        }
        if self.data.loading != Loading::Done || !self.review.unplaced.is_empty() {
            return Err(texts::STILL_LOADING.to_owned());
        }
        let two = self.adjudicated(arguments)?;
        let between = |session: &&Audit| {
            session
                .audit
                .between
                .as_ref()
                .is_some_and(|names| two.iter().all(|name| names.contains(name)))
                && session.reviewer == self.review.reviewer
        };
        let sessions: Vec<Audit> = self
            .review
            .ledger
            .sessions()
            .filter(between)
            .cloned()
            .collect();
        let open = |session: &&Audit| !self.progress(session).is_finished();
        if let Some(session) = sessions.iter().rev().find(open) {
            self.begin(&session.id.clone());
            return Ok(());
        }
        let [one, other] = &two;
        let dataset = &self.data.dataset;
        let work = self.review.workspace(&self.data);
        let pair = work.pair_agreement([one, other], false, &|| true);
        let known: HashSet<SampleKey> = sessions
            .iter()
            .flat_map(|session| session.audit.queue.iter())
            .map(|item| item.sample_ref.sample)
            .collect();
        let seed = self.review.free_seed();
        let plan = pair
            .as_ref()
            .and_then(|pair| adjudication(pair, dataset, &known, seed));
        match (plan, sessions.last()) {
            (Some(plan), _) => {
                self.record_of(None, Act::Audit(Arc::new(plan)));
                Ok(())
            }
            // Everything is judged, so the result is shown.
            (None, Some(session)) => {
                self.begin(&session.id.clone());
                Ok(())
            }
            (None, None) => {
                let common = counted(pair.map_or(0, |pair| pair.samples), "sample");
                Err(texts::no_disagreement(one, other, common))
            }
        }
    }

    /// Parses the names of the two reviewers.
    fn adjudicated(&self, arguments: &str) -> Result<[Arc<str>; 2], String> {
        let names = self.data.catalog.reviewer_names();
        let known = match names.as_slice() {
            [] => "no judgments yet".to_owned(),
            names => format!("known: {}", names.join(", ")),
        };
        let find = |word: &str| {
            self.data
                .catalog
                .reviewer(word)
                .ok_or_else(|| format!("unknown reviewer {word} ({known})"))
        };
        let two: Vec<_> = arguments
            .split_whitespace()
            .map(find)
            .collect::<Result<_, _>>()?;
        let [one, other] = two.as_slice() else {
            return Err(texts::name_two(known));
        };
        if one == other {
            return Err(texts::same_reviewer(one, other, known));
        }
        if [one, other].contains(&&self.review.reviewer) {
            return Err(texts::third_reviewer(&self.review.reviewer));
        }
        Ok([Arc::clone(one), Arc::clone(other)])
    }

    /// Returns others' judgments of the selected sample, by screen letters; while labels are
    /// hidden, only after the reviewer's own judgment.
    pub fn judgments_of_others(&self) -> Vec<SampleJudgment> {
        let Some(key) = self
            .review
            .key(self.selection.selected)
            .filter(|_| !self.mask().hidden)
        else {
            return Vec::new();
        };
        let work = self.review.workspace(&self.data);
        let mut judgments = work.sample_remark(key, None).judgments;
        judgments.retain(|judgment| judgment.reviewer != self.review.reviewer);
        let order = self.order();
        for judgment in &mut judgments {
            judgment
                .labels
                .iter_mut()
                .for_each(|(_, response, _)| *response = order.shown(*response));
            judgment
                .labels
                .sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
            judgment.verdict = judgment.verdict.map(|of_file| order.shown_verdict(of_file));
        }
        judgments
    }
}
