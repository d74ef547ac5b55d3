//! The manual inside the program: from the keys to the list of topics, to a page, and back the same
//! way.

use super::typesetter::markdown_stack;
use super::update::scrolled;
use super::{Action, App, Menu, MenuKind, MenuLine, Mode, PaneText, Scroll, View};
use crate::guide::{self, Topic, TopicError};
use crate::query;

/// Rows of the screen that are not the page's.
const AROUND: u16 = 4;

/// A page of the manual, laid out for the screen.
#[derive(Debug, Clone)]
pub struct GuidePage {
    topic: Topic,
    stack: PaneText,
    top: usize,
}

impl GuidePage {
    /// The page.
    pub fn topic(&self) -> &Topic {
        &self.topic
    }

    /// Its lines.
    pub fn stack(&self) -> &PaneText {
        &self.stack
    }

    /// The first line that shows, from 0.
    pub fn top(&self) -> usize {
        self.top
    }
}

impl App {
    /// The page of the manual on screen.
    pub fn guide_page(&self) -> Option<&GuidePage> {
        self.views.guide()
    }

    /// Lists the topics of the manual.
    pub(super) fn open_topics(&mut self, chosen: usize) {
        let line = |topic: Topic| MenuLine {
            text: topic.name.to_owned(),
            note: topic.summary.to_owned(),
        };
        let lines = guide::topics().into_iter().map(line).collect();
        self.open_menu(Menu::new(MenuKind::Guide, "the guide", lines, chosen));
    }

    /// Opens the page that was asked for by name; the topics are below it, and the keys below them.
    ///
    /// # Errors
    /// When there is none, or several may be meant.
    pub(super) fn open_guide(&mut self, name: &str) -> Result<(), TopicError> {
        let topic = guide::find(name)?;
        if self.views.mode() != Mode::Menu {
            let topics = guide::topics();
            let chosen = topics.iter().position(|known| known.name == topic.name);
            self.open_help();
            self.open_topics(chosen.unwrap_or(0));
        }
        self.views.open(View::Guide(GuidePage {
            topic,
            stack: PaneText::default(),
            top: 0,
        }));
        self.lay_guide();
        Ok(())
    }

    /// Lays the page out for the width that there is; what stood at the top stays there.
    pub(super) fn lay_guide(&mut self) {
        let (width, glyphs) = (
            self.layout.size.0.saturating_sub(4),
            self.settings.view.glyphs,
        );
        if let Some(page) = self.views.guide_mut() {
            let top = page.stack.anchor(page.top);
            page.stack = markdown_stack(&page.topic.markdown(), width, glyphs);
            page.top = top.map_or(0, |place| page.stack.line_of(place));
        }
    }

    pub(super) fn act_in_guide(&mut self, action: Action, count: Option<usize>) {
        match action {
            Action::Back | Action::Cancel => drop(self.views.back()),
            Action::Help => self.views.rest(),
            _ => match action.scroll() {
                Some(scroll) => self.scroll_guide(scroll, count.unwrap_or(1)),
                None => self.ignore(action),
            },
        }
    }

    pub(super) fn scroll_guide(&mut self, scroll: Scroll, times: usize) {
        let page = usize::from(self.layout.size.1.saturating_sub(AROUND)).max(1);
        if let Some(open) = self.views.guide_mut() {
            let most = open.stack.len().saturating_sub(page);
            open.top = scrolled(open.top, scroll, times, page, most);
        }
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
}
