//! How far people agree: what is counted for the page of agreement.

use std::sync::Arc;

use super::super::page_doc::PageView;
use super::super::{Browser, Review, View, Views};
use super::agreement_screen::{ComparedParties, TextScreen};
use super::rating::responses_of;
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{ActId, Audit, Ledger, Rating, Reveal};
use crate::parallel::KeepGoing;
use crate::review::{
    AgreementPage, AgreementScope, AnnotatorAgreement, RatingForm, SampleLocator, agreement_while,
    pair_agreement,
};
use crate::stats::DRAWS;

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
    pub fn count(&self, wanted: &dyn KeepGoing) -> Option<AgreementPage> {
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

impl Review {
    /// Shows how far those agree who are compared, in the place of others that show.
    pub(crate) fn show_agreement(&mut self, comparison: ComparedParties, views: &mut Views) {
        let known = match self.in_short.as_str() {
            short if comparison == ComparedParties::OwnWithDataset && !short.is_empty() => {
                format!("So far: {short}.\n\n")
            }
            _ => String::new(),
        };
        if views.text_screen().is_some() {
            views.back();
        }
        let markdown = format!(
            "## Agreement\n\n{known}Intervals, and how far reviewers agree with each other, are being counted from {} acts; Esc leaves.\n",
            self.ledger.len()
        );
        self.text_screens += 1;
        let screen = TextScreen::new(self.text_screens, markdown, comparison);
        views.open(View::TextScreen(PageView::new(screen)));
    }

    /// What is to be counted for the text on screen.
    pub(crate) fn agreement_job(&self, browser: &Browser, views: &Views) -> AgreementJob {
        let screen = views.text_screen();
        let comparison = screen.map(|screen| screen.content.comparison.clone());
        AgreementJob {
            ledger: Arc::clone(&self.ledger),
            scope: self.job_scope(browser),
            // While labels are hidden nothing of others is told, whatever is asked.
            comparison: comparison
                .filter(|_| !browser.is_blind())
                .unwrap_or_default(),
        }
    }

    /// Brings the words of the status line up to date.
    pub(super) fn refresh_agreement(&mut self, browser: &Browser) {
        let of = self.job_scope(browser);
        let known = of.with(|scope| {
            agreement_while(&self.ledger, &of.places, &of.dataset, scope, None, &|| true)
        });
        self.in_short = known.unwrap_or_default().in_short();
    }

    fn job_scope(&self, browser: &Browser) -> JobScope {
        let is_settled = self
            .running()
            .is_some_and(|running| running.standing.is_settled());
        let never = |blind: super::Blind| {
            blind.reveal == Reveal::Never || (blind.reveal == Reveal::End && !is_settled)
        };
        JobScope {
            reviewer: Arc::clone(&self.reviewer),
            audit: self.running().map(|running| running.session.id.clone()),
            is_blind: browser.is_blind(),
            is_settled,
            tells_nothing: self.blind.is_some_and(never),
            secret: self.secret_audits(browser),
            scales: RatingForm::of_files(&browser.data.dataset),
            places: Arc::clone(&self.places),
            dataset: browser.data.dataset.clone(),
        }
    }

    /// Audits of which nothing may be told yet: that never tell, or only at the end.
    fn secret_audits(&self, browser: &Browser) -> Vec<ActId> {
        if !browser.is_blind() {
            return Vec::new();
        }
        let waits = |session: &&Audit| {
            let reveals = session.audit.reveals();
            reveals == Reveal::Never
                || (reveals == Reveal::End && !self.standing(session, browser).is_settled())
        };
        self.ledger
            .sessions()
            .filter(waits)
            .map(|session| session.id.clone())
            .collect()
    }
}
