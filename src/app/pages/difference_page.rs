//! The difference between another version of the data and the open one, as a page.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::page_doc::{PageContent, PageDoc, PageSources};
use crate::answer::Answer;
use crate::app::job::Job;
use crate::app::perform::ViewRequest;
use crate::app::{Action, App, KeyHints, Loading, texts};
use crate::dataset::{Dataset, LoadError, LoadEvent, Loader};
use crate::export::difference_answer;
use crate::parallel::KeepGoing;
use crate::profile::Difference;
use crate::schema::SchemaChoice;
use crate::source::Input;
use crate::text::{escape_markdown, one_line};

/// Most samples listed of each kind of change.
const MAX_LISTED: usize = 100;

/// The page.
#[derive(Debug, Default)]
pub struct DifferencePage {
    /// The file of the other version.
    old: PathBuf,
    answer: Answer,
    is_reading: bool,
    /// Whether labels were hidden when it was last laid out.
    was_blind: bool,
}

impl DifferencePage {
    /// Opens the difference from the version in a file.
    ///
    /// # Errors
    /// If labels are hidden.
    pub(crate) fn open(file: &str, app: &mut App) -> Result<(), String> {
        if app.is_blind() {
            return Err(texts::BLIND_DIFFERENCE.to_owned());
        }
        let page = Self {
            old: PathBuf::from(file),
            answer: words(&texts::comparing_versions(file)),
            is_reading: true,
            was_blind: false,
        };
        app.open_page(page);
        Ok(())
    }
}

impl PageContent for DifferencePage {
    fn name(&self) -> &'static str {
        "difference"
    }

    fn is_of_all(&self) -> bool {
        true
    }

    fn job(&self, of: &PageSources<'_>) -> Option<Job> {
        let is_due = self.is_reading && of.data.loading == Loading::Done;
        is_due.then(|| {
            Job::new(
                "versions",
                of.data,
                self.old.clone(),
                false,
                |old, of| compare_versions(old, of.dataset, of.keep_going),
                |app, old, answer| {
                    if let Some(page) = app.views.page_of_mut::<Self>()
                        && page.content.is_reading
                        && page.content.old == old
                    {
                        (page.content.answer, page.content.is_reading) = (answer, false);
                        page.refresh();
                    }
                },
            )
        })
    }

    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        let is_new = is_new || self.was_blind;
        self.was_blind = of.is_blind;
        if of.is_blind {
            return Some(PageDoc::default());
        }
        is_new.then(|| PageDoc {
            title: one_line(&format!("difference from {}", self.old.display()), 200),
            ..PageDoc::of_answer(&self.answer, of)
        })
    }

    fn act(&mut self, _: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        None
    }

    fn hints(&self) -> KeyHints {
        &[(Action::Back, "back"), (Action::Zoom, "show sample")]
    }
}

fn words(words: &str) -> Answer {
    Answer::of_markdown(&escape_markdown(&one_line(words, 1000)))
}

/// Reads a version of the data and compares it with the open one, which counts as the new version;
/// `None` if cancelled. An answer about a file that cannot be read says why.
fn compare_versions(old: &Path, new: &Dataset, keep_going: &dyn KeepGoing) -> Option<Answer> {
    let read = |choice: SchemaChoice| {
        let loader = Loader {
            inputs: vec![Input::Path(old.to_owned())],
            choice,
            ..Loader::default()
        };
        let (mut dataset, mut trouble) = (Dataset::default(), None);
        let done = loader.run(&mut |event: LoadEvent| {
            dataset.add(&event);
            if let LoadEvent::Error(error) = event {
                trouble = Some(error);
            }
            if keep_going() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        done.and(trouble.map_or(Ok(dataset), Err))
    };
    // Versions usually have the same layout.
    let same = new
        .files()
        .first()
        .map(|file| SchemaChoice::Named(file.schema.clone()));
    let version: Result<_, LoadError> = same
        .map_or_else(|| read(SchemaChoice::default()), read)
        .or_else(|_| read(SchemaChoice::default()));
    keep_going().then(|| match version {
        Ok(old) => difference_answer(&Difference::of(&old, new), MAX_LISTED),
        Err(error) => words(&texts::version_unreadable(error)),
    })
}
