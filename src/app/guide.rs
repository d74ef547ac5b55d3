//! The manual inside the program: from the keys to the list of topics, to a page, and back the same
//! way.

use super::page_doc::{PageContent, PageDoc, PageSources};
use super::view_request::ViewRequest;
use super::{Action, KeyHints, Menu, MenuLine};
use crate::guide::{self, Topic};
use crate::query;

/// A page of the manual.
#[derive(Debug)]
pub struct GuidePage(pub Topic);

impl PageContent for GuidePage {
    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        is_new.then(|| PageDoc {
            title: format!("guide: {}", self.0.name),
            ..PageDoc::of_markdown(&self.0.markdown(), of)
        })
    }

    fn act(&mut self, action: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        (action == Action::Help).then_some(ViewRequest::Rest)
    }

    fn hints(&self) -> KeyHints {
        &[(Action::Cancel, "topics"), (Action::Help, "close")]
    }
}

/// The topics of the manual, with the chosen one by its name.
pub(super) fn topics_menu(chosen: &str) -> Menu {
    let topics = guide::topics();
    let at = topics.iter().position(|topic| topic.name == chosen);
    let line =
        |topic: Topic| MenuLine::new(topic.name, topic.summary, ViewRequest::Guide(topic.name));
    let lines = topics.into_iter().map(line).collect();
    let hints = &[(Action::Accept, "open"), (Action::Cancel, "keys")];
    Menu::new("the guide", lines, at.unwrap_or(0), hints)
}

/// Topics whose names begin so, for a command line.
pub(super) fn topic_completions(typed: &str) -> Vec<query::Completion> {
    let topics = guide::topics()
        .into_iter()
        .filter(|topic| topic.name.starts_with(typed));
    let item = |topic: Topic| query::Completion {
        text: topic.name.to_owned(),
        note: topic.summary.to_owned(),
    };
    topics.map(item).collect()
}
