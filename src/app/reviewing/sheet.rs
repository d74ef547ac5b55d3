//! A text of the program's own that covers the panes: how far people agree.

use super::super::page::markdown_stack;
use super::super::{Action, App, Effect, Mode, Stack};
use crate::dataset::SampleKey;
use crate::journal::{EntryId, Rating, Reveal, Session};
use crate::review::{Scale, Scope, agreement};
use crate::stats::DRAWS;

/// See the module.
#[derive(Debug, Clone)]
pub struct Sheet {
    markdown: String,
    stack: Stack,
    top: usize,
}

/// Rows of the screen that are not the text's.
const AROUND: u16 = 4;

impl Sheet {
    /// The lines.
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// The first line that shows.
    pub fn top(&self) -> usize {
        self.top
    }
}

impl App {
    /// Shows how far people agree.
    pub(in crate::app) fn open_agreement(&mut self) {
        let markdown = self.with_scope(|app, scope| {
            agreement(&app.review.ledger, &app.review.places, &app.dataset, scope, DRAWS as usize).markdown()
        });
        let stack = Stack::default();
        self.review.sheet = Some(Sheet { markdown, stack, top: 0 });
        self.mode = Mode::Sheet;
        self.lay_sheet();
    }

    /// Lays the text out for the width that there is.
    pub(in crate::app) fn lay_sheet(&mut self) {
        let (width, glyphs) = (self.size.0.saturating_sub(4), self.view.glyphs);
        if let Some(sheet) = &mut self.review.sheet {
            sheet.stack = markdown_stack(&sheet.markdown, width, glyphs);
        }
    }

    pub(in crate::app) fn act_in_sheet(&mut self, action: Action, count: Option<usize>) -> Vec<Effect> {
        let page = usize::from(self.size.1.saturating_sub(AROUND)).max(1);
        let rate = if self.review.rate.is_some() { Mode::Rate } else { self.resting_mode() };
        let Some(sheet) = &mut self.review.sheet else {
            self.mode = rate;
            return Vec::new();
        };
        if let Action::Back | Action::Cancel | Action::Agreement = action {
            (self.review.sheet, self.mode) = (None, rate);
            return Vec::new();
        }
        let most = sheet.stack.len().saturating_sub(page);
        if let Some(scroll) = action.scroll() {
            sheet.top = super::super::update::scrolled(sheet.top, scroll, count.unwrap_or(1), page, most);
        }
        Vec::new()
    }

    /// Brings the words of the status line up to date.
    pub(super) fn sum_up(&mut self) {
        self.review.in_short = self.with_scope(|app, scope| {
            agreement(&app.review.ledger, &app.review.places, &app.dataset, scope, 0).in_short()
        });
    }

    /// Whose agreement counts here: the reviewer's own, of the audit under way, as far as its labels may be known.
    fn with_scope<T>(&self, sum: impl FnOnce(&Self, &Scope<'_>) -> T) -> T {
        let audit = self.review.running().map(|running| running.id().clone());
        let secret = self.secret_audits();
        let scales: Vec<_> = self.dataset.files().iter().map(|file| Scale::of(&file.schema)).collect();
        let counts = |key: &SampleKey, rating: &Rating| !self.would_tell(key, rating, &secret, &scales);
        let scope = Scope { reviewer: Some(self.review.reviewer()), audit: audit.as_ref(), counts: &counts };
        sum(self, &scope)
    }

    /// Audits of which nothing may be told yet: that never tell, or only at the end.
    fn secret_audits(&self) -> Vec<EntryId> {
        if !self.is_blind() {
            return Vec::new();
        }
        let waits = |session: &&Session| {
            let reveals = session.audit.reveals();
            reveals == Reveal::Never || (reveals == Reveal::End && !self.standing(session).is_finished())
        };
        self.review.ledger.sessions().filter(waits).map(|session| session.id.clone()).collect()
    }

    /// Whether a figure made with a rating would tell what the dataset says of a sample whose labels are hidden: until they may be known, no
    /// figure changes with it.
    fn would_tell(&self, key: &SampleKey, rating: &Rating, secret: &[EntryId], scales: &[Scale]) -> bool {
        if !self.is_blind() {
            return false;
        }
        let is_finished = self.review.running().is_some_and(super::Running::is_finished);
        let never = self
            .review
            .blind
            .is_some_and(|blind| blind.reveal == Reveal::Never || (blind.reveal == Reveal::End && !is_finished));
        let waits = rating.setting.audit.as_ref().is_some_and(|audit| secret.contains(audit));
        // What is half judged still hides its labels.
        never || waits || !self.is_whole(key, rating, scales)
    }

    fn is_whole(&self, key: &SampleKey, rating: &Rating, scales: &[Scale]) -> bool {
        let Some(sample) = self.review.places.first(key) else { return false };
        let responses = self.responses_of(sample);
        let file = self.dataset.chunk_of(sample).map(|(chunk, _)| chunk.file());
        let scale = file.and_then(|file| scales.get(file));
        scale.is_some_and(|scale| scale.count(responses) > 0 && scale.is_complete(responses, rating))
    }
}
