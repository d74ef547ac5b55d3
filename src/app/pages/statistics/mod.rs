//! Statistics of the data: a page with a cursor on bars and cells that lead to their samples.
//!
//! [`Statistics`] is the page, [`Statistics::job`] computes its figures.

mod page;

use std::sync::Arc;

use self::page::ONE_COLUMN;
use super::page_doc::{CountedState, Lazy, PageContent, PageDoc, PageSources};
use crate::app::job::{BRIEF_TEXTS, Job, is_small};
use crate::app::perform::ViewRequest;
use crate::app::{Action, Context, KeyHints};
use crate::profile::{Profile, ProfileRequest, has_counted_texts};

/// Most samples whose texts are read before anything is shown; this is not noticeable.
const MAX_AT_ONCE: usize = 2_000;

/// The page of statistics.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// The profile with its key. The previous one stays until a new one is counted.
    pub counted: Lazy<StatisticsKey, Arc<Profile>>,
}

/// The input that statistics depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsKey {
    pub state: CountedState,
    /// Whether labels are hidden.
    hides_labels: bool,
    /// Whether it includes figures about texts.
    reads_texts: bool,
}

/// A cursor movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatisticsMove {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// To the next section.
    NextSection,
    /// To the previous section.
    PreviousSection,
}

impl Statistics {
    fn key(&self, of: &PageSources<'_>) -> StatisticsKey {
        let (state, hides_labels, dataset) = (of.state, of.is_blind, &of.data.dataset);
        let shows_rest = |counted: &StatisticsKey| {
            (counted.state, counted.hides_labels) == (state, hides_labels)
        };
        // Texts are read if that is quick or was done before, or after all other figures are shown.
        let reads_texts = !of.is_growing
            && (dataset.samples() <= MAX_AT_ONCE
                || self.counted.key().is_some_and(shows_rest)
                || has_counted_texts(dataset));
        StatisticsKey {
            state,
            hides_labels,
            reads_texts,
        }
    }

    /// Returns the key of the statistics that must be counted.
    fn needed(&self, of: &PageSources<'_>) -> Option<StatisticsKey> {
        self.counted.need(self.key(of))
    }
}

impl PageContent for Statistics {
    fn name(&self) -> &'static str {
        "statistics"
    }

    fn context(&self) -> Context {
        Context::Statistics
    }

    fn job(&self, of: &PageSources<'_>) -> Option<Job> {
        let key = self.needed(of)?;
        let is_brief = is_small(&of.data.dataset, key.state.samples, BRIEF_TEXTS);
        let (catalog, shown) = (of.data.catalog.clone(), of.shown.clone());
        let filter = of.filter.map(|active| Arc::clone(&active.query));
        Some(Job::new(
            "statistics",
            of.data,
            key,
            is_brief,
            move |key, of| {
                Profile::of(ProfileRequest {
                    dataset: of.dataset,
                    catalog: &catalog,
                    shown: shown.found(),
                    filter: filter.as_deref(),
                    hides_labels: key.hides_labels,
                    reads_texts: key.reads_texts,
                    sections: &[],
                    keep_going: of.keep_going,
                })
            },
            |app, key, profile| {
                let is_blind = app.is_blind();
                if let Some(page) = app.views.page_of_mut::<Self>()
                    && key.hides_labels == is_blind
                {
                    page.content.counted.put(key, Arc::new(profile));
                }
            },
        ))
    }

    fn lay(&mut self, of: &PageSources<'_>, _is_new: bool) -> Option<PageDoc> {
        // Figures from before labels were hidden are not shown.
        let counted = self.counted.get(|key| key.hides_labels || !of.is_blind);
        let width = of.size.0.saturating_sub(2);
        let width = if of.is_linear {
            width.min(ONE_COLUMN)
        } else {
            width
        };
        let doc = counted.map(|profile| PageDoc {
            head: page::head(profile),
            ..PageDoc::of_profile(profile, 1, width)
        });
        let is_counting = self.needed(of).is_some();
        let progress = if is_counting { "counting…" } else { "" };
        Some(PageDoc {
            progress: progress.to_owned(),
            ..doc.unwrap_or_default()
        })
    }

    fn act(&mut self, action: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        ViewRequest::on_samples(action, Action::Statistics)
    }

    fn hints(&self) -> KeyHints {
        &[
            (Action::Cancel, "back"),
            (Action::Zoom, "show these"),
            (Action::OnStatistics(StatisticsMove::NextSection), "section"),
            (Action::NextSample, "down"),
            (Action::OnStatistics(StatisticsMove::Right), "right"),
            (Action::Filter, "filter"),
            (Action::Help, "help"),
        ]
    }
}
