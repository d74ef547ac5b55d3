//! A text of the program's own that covers the panes: how far people agree.

use std::sync::Arc;

use super::super::typesetter::markdown_stack;
use super::super::{Action, App, Pane, PaneText, View};
use super::agreement_screen::{ComparedParties, ScreenCell, ScreenGrids};
use super::rating::responses_of;
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{ActId, Audit, Ledger, Rating, Reveal};
use crate::review::{
    AgreementPage, AgreementScope, AnnotatorAgreement, RatingForm, SampleLocator, agreement_while,
    pair_agreement,
};
use crate::stats::DRAWS;

/// A text of the program's own that covers the panes: the agreement of an audit.
#[derive(Debug, Clone, Default)]
pub struct TextScreen {
    /// Which one it is, growing by one with each that is opened.
    number: u64,
    markdown: String,
    /// Whether more of it is being counted.
    is_partial: bool,
    stack: PaneText,
    top: usize,
    /// Whose judgments are compared with what.
    comparison: ComparedParties,
    /// The matrices in the text.
    grids: ScreenGrids,
}

/// How far people agree, to be counted on any thread: all that it takes, shared with the state or
/// owned.
#[derive(Debug)]
pub struct AgreementJob {
    ledger: Arc<Ledger>,
    scope: JobScope,
    comparison: ComparedParties,
}

impl AgreementJob {
    /// The figures with their intervals; `None` once they are no longer `wanted`, which every long
    /// loop asks.
    pub fn count(&self, wanted: &(dyn Fn() -> bool + Sync)) -> Option<AgreementPage> {
        let of = &self.scope;
        let with_dataset = |reviewer: Option<&str>| {
            let counted = of.with(|scope| {
                let scope = AgreementScope { reviewer, ..*scope };
                let draws = Some(DRAWS);
                agreement_while(&self.ledger, &of.places, &of.dataset, &scope, draws, wanted)
            });
            counted.map(|mut agreement| {
                if of.is_blind {
                    // It tells what labels are like, and of few samples what they are.
                    agreement.annotators = AnnotatorAgreement::default();
                }
                agreement.page()
            })
        };
        match &self.comparison {
            ComparedParties::OwnWithDataset => with_dataset(Some(&of.reviewer)),
            ComparedParties::WithDataset(name) => with_dataset(Some(name)),
            ComparedParties::AllWithDataset => with_dataset(None),
            ComparedParties::Pair([one, other]) => {
                let (ledger, two) = (&self.ledger, [one, other]);
                let pair = pair_agreement(ledger, &of.places, &of.dataset, two, DRAWS, wanted);
                pair.map(|pair| pair.page())
            }
        }
    }

    /// Acts that are gone through.
    pub fn acts(&self) -> usize {
        self.ledger.len()
    }
}

/// Whose agreement counts: the reviewer's own, of the audit under way, as far as its labels may be
/// known.
#[derive(Debug)]
struct JobScope {
    reviewer: Arc<str>,
    audit: Option<ActId>,
    is_blind: bool,
    /// Whether every question of the audit under way was settled.
    is_settled: bool,
    /// Nothing may be known before the whole run, or the audit, is over.
    tells_nothing: bool,
    /// Audits of which nothing may be told yet.
    secret: Vec<ActId>,
    scales: Vec<RatingForm>,
    places: Arc<SampleLocator>,
    dataset: Dataset,
}

impl JobScope {
    fn with<T>(&self, sum: impl FnOnce(&AgreementScope<'_>) -> T) -> T {
        let counts = |key: &SampleKey, rating: &Rating| !self.would_tell(key, rating);
        sum(&AgreementScope {
            reviewer: Some(&self.reviewer),
            audit: self.audit.as_ref(),
            between: true,
            counts: &counts,
        })
    }

    /// Whether a figure made with a rating would tell what the dataset says of a sample whose
    /// labels are hidden: until they may be known, no figure changes with it.
    fn would_tell(&self, key: &SampleKey, rating: &Rating) -> bool {
        if !self.is_blind {
            return false;
        }
        // Nor is anything told of what others say before the end.
        if *rating.reviewer != *self.reviewer && !self.is_settled {
            return true;
        }
        let waits = rating
            .setting
            .audit
            .as_ref()
            .is_some_and(|audit| self.secret.contains(audit));
        // What is half judged still hides its labels.
        self.tells_nothing || waits || !self.is_whole(key, rating)
    }

    fn is_whole(&self, key: &SampleKey, rating: &Rating) -> bool {
        let Some(sample) = self.places.first(key) else {
            return false;
        };
        let responses = responses_of(&self.dataset, sample);
        let file = self.dataset.chunk_of(sample).map(|(chunk, _)| chunk.file());
        let scale = file.and_then(|file| self.scales.get(file));
        scale.is_some_and(|scale| scale.is_complete(responses, rating))
    }
}

/// Lines above a cell that are kept in sight: what its matrix is of.
const CONTEXT: usize = 5;
/// Rows of the screen that are not the text's.
const AROUND: u16 = 4;

impl TextScreen {
    /// The lines.
    pub fn stack(&self) -> &PaneText {
        &self.stack
    }

    /// The first line that shows.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Whose judgments are compared with what.
    pub fn comparison(&self) -> &ComparedParties {
        &self.comparison
    }

    /// The matrices in the text.
    pub(super) fn grids(&self) -> &ScreenGrids {
        &self.grids
    }

    /// The cell that the cursor is on, where there is one.
    pub fn cursor(&self) -> Option<ScreenCell> {
        self.grids.cursor()
    }

    /// Its number, while more of it is being counted.
    pub(in crate::app) fn counting(&self) -> Option<u64> {
        self.is_partial.then_some(self.number)
    }
}

impl App {
    /// Shows how far one agrees with the dataset: what is known at once, and the rest once it is
    /// counted.
    pub(in crate::app) fn open_agreement(&mut self) {
        self.show_agreement(ComparedParties::OwnWithDataset);
    }

    /// Shows how far those agree who are compared, in the place of others that show.
    pub(super) fn show_agreement(&mut self, comparison: ComparedParties) {
        let known = match self.review.in_short.as_str() {
            short if comparison == ComparedParties::OwnWithDataset && !short.is_empty() => {
                format!("So far: {short}.\n\n")
            }
            _ => String::new(),
        };
        if self.views.text_screen().is_some() {
            self.views.back();
        }
        let markdown = format!(
            "## Agreement\n\n{known}Intervals, and how far reviewers agree with each other, are being counted from {} acts; Esc leaves.\n",
            self.review.ledger.len()
        );
        self.review.text_screens += 1;
        let (number, stack) = (self.review.text_screens, PaneText::default());
        self.views.open(View::TextScreen(TextScreen {
            number,
            markdown,
            is_partial: true,
            stack,
            top: 0,
            comparison,
            grids: ScreenGrids::default(),
        }));
        self.lay_out_text_screen();
    }

    /// What is to be counted for the text on screen.
    pub(in crate::app) fn agreement_job(&self) -> AgreementJob {
        let screen = self.views.text_screen();
        let comparison = screen.map(|screen| screen.comparison.clone());
        AgreementJob {
            ledger: Arc::clone(&self.review.ledger),
            scope: self.job_scope(),
            // While labels are hidden nothing of others is told, whatever is asked.
            comparison: comparison.filter(|_| !self.is_blind()).unwrap_or_default(),
        }
    }

    /// Puts what was counted in the place of what was known before, if it is still on screen.
    pub(in crate::app) fn take_agreement(&mut self, number: u64, page: AgreementPage) {
        if let Some(text_screen) = self
            .views
            .text_screen_mut()
            .filter(|text_screen| text_screen.counting() == Some(number))
        {
            text_screen.is_partial = false;
            (text_screen.markdown, text_screen.grids) = Self::grids_of(page);
            self.lay_out_text_screen();
        }
    }

    /// Lays the text out for the width that there is.
    pub(in crate::app) fn lay_out_text_screen(&mut self) {
        let (width, glyphs) = (
            self.layout.size.0.saturating_sub(4),
            self.settings.view.glyphs,
        );
        if let Some(text_screen) = self.views.text_screen_mut() {
            text_screen.stack = markdown_stack(&text_screen.markdown, width, glyphs);
            text_screen.grids.place(&text_screen.stack);
        }
    }

    pub(in crate::app) fn act_in_text_screen(&mut self, action: Action, count: Option<usize>) {
        let page = usize::from(self.layout.size.1.saturating_sub(AROUND)).max(1);
        let Some(text_screen) = self.views.text_screen_mut() else {
            return;
        };
        let most = text_screen.stack.len().saturating_sub(page);
        let step = match action {
            Action::Back | Action::Cancel => {
                self.views.back();
                return;
            }
            Action::Agreement => return self.ask_whose_agreement(),
            Action::NextResponse(Pane::Right) => return self.step_agreement(true),
            Action::PreviousResponse(Pane::Right) => return self.step_agreement(false),
            Action::Zoom => return self.show_behind_cell(),
            Action::NextSample => Some((1, 0)),
            Action::PreviousSample => Some((-1, 0)),
            Action::NextPane => Some((0, 1)),
            Action::PreviousPane => Some((0, -1)),
            _ => None,
        };
        if let Some((down, right)) = step {
            let steps = (0..count.unwrap_or(1)).take_while(|_| text_screen.grids.go(down, right));
            let gone = steps.count() > 0;
            // Cells lead the text; behind the last of them, and where there are none, it scrolls.
            if let Some(cell) = text_screen.grids.cursor().filter(|_| gone) {
                let title = cell.line.saturating_sub(CONTEXT);
                text_screen.top = text_screen
                    .top
                    .min(title)
                    .max((cell.line + 2).saturating_sub(page));
                return;
            }
            if right != 0 {
                return;
            }
        }
        match action.scroll() {
            Some(scroll) => {
                text_screen.top = super::super::update::scrolled(
                    text_screen.top,
                    scroll,
                    count.unwrap_or(1),
                    page,
                    most,
                );
            }
            None => self.ignore(action),
        }
    }

    /// Brings the words of the status line up to date.
    pub(super) fn refresh_agreement(&mut self) {
        let of = self.job_scope();
        let known = of.with(|scope| {
            let ledger = &self.review.ledger;
            agreement_while(ledger, &of.places, &of.dataset, scope, None, &|| true)
        });
        self.review.in_short = known.unwrap_or_default().in_short();
    }

    fn job_scope(&self) -> JobScope {
        let is_settled = self
            .review
            .running()
            .is_some_and(super::RunningAudit::is_settled);
        let never = |blind: super::Blind| {
            blind.reveal == Reveal::Never || (blind.reveal == Reveal::End && !is_settled)
        };
        JobScope {
            reviewer: Arc::clone(&self.review.reviewer),
            audit: self.review.running().map(|running| running.id().clone()),
            is_blind: self.is_blind(),
            is_settled,
            tells_nothing: self.review.blind.is_some_and(never),
            secret: self.secret_audits(),
            scales: self
                .data
                .dataset
                .files()
                .iter()
                .map(|file| RatingForm::of(&file.schema))
                .collect(),
            places: Arc::clone(&self.review.places),
            dataset: self.data.dataset.clone(),
        }
    }

    /// Audits of which nothing may be told yet: that never tell, or only at the end.
    fn secret_audits(&self) -> Vec<ActId> {
        if !self.is_blind() {
            return Vec::new();
        }
        let waits = |session: &&Audit| {
            let reveals = session.audit.reveals();
            reveals == Reveal::Never
                || (reveals == Reveal::End && !self.standing(session).is_settled())
        };
        self.review
            .ledger
            .sessions()
            .filter(waits)
            .map(|session| session.id.clone())
            .collect()
    }
}
