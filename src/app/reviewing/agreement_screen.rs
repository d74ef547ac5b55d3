//! The agreement page: the parties compared, and matrices whose cells lead to samples.

use std::sync::Arc;

use super::super::job::Job;
use super::super::menu::{Menu, MenuLine};
use super::super::pages::page_doc::{PageContent, PageDoc, PageSources};
use super::super::perform::ViewRequest;
use super::super::{Action, App, KeyHints, Pane, texts};
use super::rating::responses_of;
use crate::answer::Answer;
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{ActId, Audit, Ledger, Rating, Reveal};
use crate::parallel::KeepGoing;
use crate::query::{Catalog, Field};
use crate::review::{
    Agreement, AgreementScope, AnnotatorAgreement, AnswerSpot, RaterFigures, RaterKind, RatingForm,
    SampleLocator, Workspace,
};
use crate::table::{ColumnId, ColumnSource, DisagreementScope, Rater, Raters};
use crate::text;

/// The parties whose judgments are compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ComparedParties {
    /// The reviewer and the dataset.
    #[default]
    OwnWithDataset,
    /// Another reviewer and the dataset.
    WithDataset(Arc<str>),
    /// All reviewers and the dataset.
    AllWithDataset,
    /// Two reviewers.
    Pair([Arc<str>; 2]),
}

/// Maximum number of acts for which agreement is computed before the next frame: about 10 ms.
const BRIEF_ACTS: usize = 500;
/// Most reviewers whose pairs are all offered.
const MAX_EACH: usize = 10;

/// The agreement page, with the cells of its matrices.
#[derive(Debug, Default)]
pub struct AgreementScreen {
    answer: Answer,
    /// Whether more figures are being computed.
    is_partial: bool,
    /// The parties compared.
    pub comparison: ComparedParties,
}

impl AgreementScreen {
    /// Returns the parties while more figures are being computed.
    fn counting(&self) -> Option<&ComparedParties> {
        Some(&self.comparison).filter(|_| self.is_partial)
    }
}

impl PageContent for AgreementScreen {
    fn name(&self) -> &'static str {
        "agreement"
    }

    fn is_of_all(&self) -> bool {
        true
    }

    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        is_new.then(|| PageDoc {
            title: self.comparison.words(),
            ..PageDoc::of_answer(&self.answer, of)
        })
    }

    fn act(&mut self, action: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        match action {
            Action::Agreement => Some(ViewRequest::call(App::ask_whose_agreement)),
            Action::NextResponse(Pane::Right) => {
                Some(ViewRequest::call(|app| app.step_agreement(true)))
            }
            Action::PreviousResponse(Pane::Right) => {
                Some(ViewRequest::call(|app| app.step_agreement(false)))
            }
            _ => None,
        }
    }

    fn hints(&self) -> KeyHints {
        let all: KeyHints = &[
            (Action::Back, "back"),
            (Action::Agreement, "compare"),
            (Action::Zoom, "show samples"),
        ];
        &all[..if self.is_partial { 2 } else { 3 }]
    }
}

impl ComparedParties {
    /// Names the parties: `you and the dataset`.
    pub fn words(&self) -> String {
        match self {
            Self::OwnWithDataset => "you and the dataset".to_owned(),
            Self::WithDataset(name) => format!("{} and the dataset", text::one_line(name, 24)),
            Self::AllWithDataset => "all reviewers and the dataset".to_owned(),
            Self::Pair(two) => {
                let [one, other] = two.each_ref().map(|name| text::one_line(name, 24));
                format!("{one} and {other}")
            }
        }
    }

    /// Returns the query for the samples of a cell.
    fn query(&self, catalog: &Catalog, spot: AnswerSpot<'_>) -> Option<String> {
        let (label, [first, second]) = match spot {
            AnswerSpot::Values(label, values) => (label, values),
            AnswerSpot::Rater(rater) => return differing(catalog, rater),
        };
        let of = |rater: Rater, value: &str| {
            let column = match label {
                Some(label) => ColumnId::of(ColumnSource::Rated(Raters::One(rater)), label),
                None => ColumnId::of(ColumnSource::RatedVerdict(rater), ""),
            };
            format!("{}={value}", Field::of(column).spelled(catalog))
        };
        let named = |name: &Arc<str>, value| of(Rater::Named(Arc::clone(name)), value);
        let dataset = match label {
            Some(label) => {
                let column = Field::of(ColumnId::of(ColumnSource::Label, label));
                format!("{}={second}", column.spelled(catalog))
            }
            None => format!("verdict={second}"),
        };
        Some(match self {
            Self::OwnWithDataset => format!("{} {dataset}", of(Rater::Own, first)),
            Self::WithDataset(name) => format!("{} {dataset}", named(name, first)),
            Self::AllWithDataset => {
                let reviewers = catalog.reviewer_names();
                let each: Vec<_> = reviewers.iter().map(|name| named(name, first)).collect();
                format!("({}) {dataset}", each.join(" or "))
            }
            Self::Pair([one, other]) => {
                format!("{} {}", named(one, first), named(other, second))
            }
        })
    }
}

/// Returns the query for the samples on which a rater differs from all others, who agree, the largest
/// difference first.
fn differing(catalog: &Catalog, rater: &RaterFigures) -> Option<String> {
    let scope = match rater.kind {
        RaterKind::Dataset => None,
        RaterKind::Reviewer => Some(Rater::Named(Arc::clone(&rater.name))),
        RaterKind::People | RaterKind::Judge | RaterKind::Score => return None,
    };
    let scope = DisagreementScope::Only(scope);
    let column = ColumnId::of(ColumnSource::Disagreement(scope), "");
    let field = Field::of(column);
    let term = field.spelled(catalog);
    Some(format!("{term} sort:-{term}"))
}

impl App {
    /// Returns the possible comparisons; while labels are hidden only the reviewer's own.
    fn comparisons(&self) -> Vec<ComparedParties> {
        let mut all = vec![ComparedParties::OwnWithDataset];
        if self.is_blind() || self.running().is_some() {
            return all;
        }
        let own = self.review.reviewer();
        let names = self.data.catalog.reviewer_names();
        let others: Vec<_> = names
            .iter()
            .filter(|name| ***name != *own)
            .cloned()
            .collect();
        if others.is_empty() {
            return all;
        }
        all.extend(others.iter().cloned().map(ComparedParties::WithDataset));
        all.push(ComparedParties::AllWithDataset);
        let first: Vec<_> = names
            .iter()
            .filter(|name| ***name == *own)
            .chain(&others)
            .take(MAX_EACH)
            .cloned()
            .collect();
        for (at, one) in first.iter().enumerate() {
            let others = first[at + 1..].iter();
            let pair =
                |other: &Arc<str>| ComparedParties::Pair([Arc::clone(one), Arc::clone(other)]);
            all.extend(others.map(pair));
        }
        all
    }

    /// Opens a menu of the possible comparisons.
    pub(crate) fn ask_whose_agreement(&mut self) {
        if self.compared().0.len() < 2 && !self.is_blind_for_all() {
            // Only its own reviewer judged in a blind audit.
            self.leave_finished_audit();
        }
        let (all, at) = self.compared();
        if all.len() < 2 {
            self.say(
                if self.is_blind() {
                    texts::BLIND_AGREEMENT
                } else if self.running().is_some() {
                    texts::AUDIT_AGREEMENT
                } else {
                    texts::OWN_AGREEMENT
                }
                .to_owned(),
            );
            return;
        }
        let line = |one: ComparedParties| {
            let words = one.words();
            let show = ViewRequest::call(move |app| app.show_agreement(one.clone()));
            MenuLine::new(&words, "", show)
        };
        let lines = all.into_iter().map(line).collect();
        let hints = &[(Action::Accept, "show"), (Action::Cancel, "close")];
        self.views
            .open_menu(Menu::new("whose agreement with whom?", lines, at, hints));
    }

    /// Returns the possible comparisons, and the index of the current one.
    fn compared(&self) -> (Vec<ComparedParties>, usize) {
        let all = self.comparisons();
        let shown = self
            .views
            .page_of::<AgreementScreen>()
            .map(|screen| &screen.content.comparison);
        let at = all.iter().position(|one| Some(one) == shown);
        (all, at.unwrap_or(0))
    }

    /// Shows the next or previous comparison.
    pub(crate) fn step_agreement(&mut self, forwards: bool) {
        let (all, at) = self.compared();
        let step = if forwards { 1 } else { all.len() - 1 };
        if all.len() > 1 {
            self.show_agreement(all[(at + step) % all.len()].clone());
        }
    }
}

/// A job that computes agreement on any thread; its data is shared or owned. The reviewer's own
/// judgments in the active audit count, unless that would reveal labels.
#[derive(Debug)]
pub struct AgreementJob {
    ledger: Arc<Ledger>,
    comparison: ComparedParties,
    reviewer: Arc<str>,
    audit: Option<ActId>,
    is_blind: bool,
    /// Whether every question of the active audit is settled.
    is_settled: bool,
    /// Whether nothing may be revealed before the end of the run or audit.
    reveals_nothing: bool,
    places: Arc<SampleLocator>,
    dataset: Dataset,
    catalog: Catalog,
}

impl AgreementJob {
    /// Computes the figures with their intervals. Returns `None` if cancelled, which every long
    /// loop checks.
    pub fn count(&self, keep_going: &dyn KeepGoing) -> Option<Answer> {
        let find = |spot: AnswerSpot<'_>| self.comparison.query(&self.catalog, spot);
        let with_dataset = |reviewer: Option<&str>| {
            self.with_dataset(reviewer, true, keep_going)
                .map(|mut agreement| {
                    if self.is_blind {
                        // These figures reveal the distribution of labels, or even the labels of a few
                        // samples.
                        agreement.annotators = AnnotatorAgreement::default();
                    }
                    agreement.answer(&find)
                })
        };
        match &self.comparison {
            ComparedParties::OwnWithDataset => with_dataset(Some(&self.reviewer)),
            ComparedParties::WithDataset(name) => with_dataset(Some(name)),
            ComparedParties::AllWithDataset => with_dataset(None),
            ComparedParties::Pair([one, other]) => {
                let pair = (self.workspace()).pair_agreement([one, other], true, keep_going);
                pair.map(|pair| pair.answer(&find))
            }
        }
    }

    /// Compares a reviewer, or all, with the dataset.
    fn with_dataset(
        &self,
        reviewer: Option<&str>,
        is_whole: bool,
        keep_going: &dyn KeepGoing,
    ) -> Option<Agreement> {
        let work = self.workspace();
        let (secret, forms) = (
            self.secret_audits(&work),
            RatingForm::of_files(work.dataset),
        );
        let scope = AgreementScope {
            reviewer,
            audit: self.audit.as_ref(),
            between: true,
            has_details: true,
            counts: &|key, rating| !self.would_reveal(key, rating, &secret, &forms),
        };
        work.agreement_while(&scope, is_whole, keep_going)
    }

    fn workspace(&self) -> Workspace<'_> {
        Workspace {
            dataset: &self.dataset,
            ledger: &self.ledger,
            places: &self.places,
        }
    }

    /// True if a figure that includes a rating would reveal hidden labels; such ratings are
    /// excluded.
    fn would_reveal(
        &self,
        key: &SampleKey,
        rating: &Rating,
        secret: &[&ActId],
        forms: &[RatingForm],
    ) -> bool {
        if !self.is_blind {
            return false;
        }
        // Others' judgments are hidden until the end as well.
        if *rating.reviewer != *self.reviewer && !self.is_settled {
            return true;
        }
        let waits = rating
            .setting
            .audit
            .as_ref()
            .is_some_and(|audit| secret.contains(&audit));
        // A partial judgment does not reveal labels yet.
        self.reveals_nothing || waits || !self.is_complete_rating(key, rating, forms)
    }

    fn is_complete_rating(&self, key: &SampleKey, rating: &Rating, forms: &[RatingForm]) -> bool {
        let Some(sample) = self.places.first(key) else {
            return false;
        };
        let responses = responses_of(&self.dataset, sample);
        self.dataset
            .chunk_of(sample)
            .map(|(chunk, _)| chunk.file())
            .and_then(|file| forms.get(file))
            .is_some_and(|form| form.is_complete(responses, rating))
    }

    /// Returns the audits whose results may not be shown yet: never, or only at the end.
    fn secret_audits(&self, work: &Workspace<'_>) -> Vec<&ActId> {
        if !self.is_blind {
            return Vec::new();
        }
        let waits = |session: &&Audit| {
            let reveals = session.audit.reveals();
            reveals == Reveal::Never
                || (reveals == Reveal::End
                    && !work.progress_of(session, &self.reviewer).is_settled())
        };
        let sessions = self.ledger.sessions().filter(waits);
        sessions.map(|session| &session.id).collect()
    }
}

impl App {
    /// Shows a comparison, replacing another one.
    pub(crate) fn show_agreement(&mut self, comparison: ComparedParties) {
        let known = match self.review.in_short.as_str() {
            short if comparison == ComparedParties::OwnWithDataset && !short.is_empty() => {
                format!("So far: {}.\n\n", text::escape_markdown(short))
            }
            _ => String::new(),
        };
        if self.views.page_of::<AgreementScreen>().is_some() {
            self.views.back();
        }
        let markdown = format!(
            "## Agreement\n\n{known}Computing intervals and the agreement of reviewers from {} acts. Esc leaves.\n",
            self.review.ledger.len()
        );
        let screen = AgreementScreen {
            answer: Answer::of_markdown(&markdown),
            is_partial: true,
            comparison,
        };
        self.views.open_content(screen);
    }

    /// Returns the job that counts for the page on screen.
    pub(crate) fn agreement_needed(&self) -> Option<Job> {
        let parties = self
            .views
            .page_of::<AgreementScreen>()?
            .content
            .counting()?
            .clone();
        let job = self.agreement_job(&parties);
        Some(Job::new(
            "agreement",
            &self.data,
            parties,
            self.review.ledger.len() <= BRIEF_ACTS,
            move |_, of| job.count(of.keep_going),
            |app, parties, answer| {
                if let Some(page) = app.views.page_of_mut::<AgreementScreen>()
                    && page.content.counting() == Some(&parties)
                {
                    (page.content.answer, page.content.is_partial) = (answer, false);
                    page.refresh();
                }
            },
        ))
    }

    /// Has the agreement in the status line counted again.
    pub(super) fn refresh_agreement(&mut self) {
        self.review.agreement_asked += 1;
    }

    /// Returns the job that counts the agreement in the status line; the old figure stays until
    /// then.
    pub(in crate::app) fn short_agreement_job(&self) -> Option<Job> {
        let asked = self.review.agreement_asked;
        (asked != self.review.agreement_known).then(|| {
            let job = self.agreement_job(&ComparedParties::default());
            Job::new(
                "agreement-in-short",
                &self.data,
                asked,
                self.review.ledger.len() <= BRIEF_ACTS,
                move |_, of| job.with_dataset(Some(&job.reviewer), false, of.keep_going),
                |app, asked, known| {
                    // A newer request may hide what this one counted.
                    if asked == app.review.agreement_asked {
                        app.review.agreement_known = asked;
                        app.review.in_short = known.in_short();
                    }
                },
            )
        })
    }

    /// Returns the job that compares these parties. While labels are hidden, other reviewers'
    /// judgments are never shown.
    fn agreement_job(&self, parties: &ComparedParties) -> AgreementJob {
        let is_settled = self
            .running()
            .is_some_and(|running| running.progress.is_settled());
        let never = |blind: super::Blind| {
            blind.reveal == Reveal::Never || (blind.reveal == Reveal::End && !is_settled)
        };
        AgreementJob {
            ledger: Arc::clone(&self.review.ledger),
            comparison: if self.is_blind() {
                ComparedParties::default()
            } else {
                parties.clone()
            },
            reviewer: Arc::clone(&self.review.reviewer),
            audit: self.running().map(|running| running.session.id.clone()),
            is_blind: self.is_blind(),
            is_settled,
            reveals_nothing: self.review.blind.is_some_and(never),
            places: Arc::clone(&self.review.places),
            dataset: self.data.dataset.clone(),
            catalog: self.data.catalog.clone(),
        }
    }
}
