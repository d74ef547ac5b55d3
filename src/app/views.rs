//! The stack of views on top of the panes, each with its own state.
//!
//! With an empty stack the panes have the keys. An opened view goes on top and receives the keys;
//! going back removes it. The labels panel, the rating strip and the strip of a queue are drawers:
//! at most one is open, at the bottom of the stack, so that it stays while a line, a menu, a note
//! or a page is on top of it. A page that was left for the samples of its selected row is kept, to
//! return to it with the previous filter.

use std::any::Any;
use std::collections::BTreeMap;

use super::pages::page_doc::{AnyPage, PageContent, PageView};
use super::shown::filtering::ActiveFilter;
use super::{
    Action, App, InputLine, LineKind, Menu, NotePad, Panel, QueueStrip, RatingStrip, texts,
};
use crate::query::{self, Query};
use crate::text::named_enum;

/// Where a view is drawn, and how long it stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// Instead of the panes.
    Page,
    /// Below the panes, at the bottom of the stack, until closed explicitly.
    Drawer,
    /// Below the panes, until left.
    Pad,
    /// On top of the other content.
    Overlay,
}

/// Defines the views other than pages: each row names the state, its accessors, the key context and
/// the placement.
macro_rules! views {
    ($(
        $(#[doc = $doc:literal])*
        $view:ident($state:ty), $get:ident $($get_mut:ident)?, $context:ident, $placement:ident;
    )*) => {
        /// A view with its state.
        #[derive(Debug)]
        pub enum View {
            /// A page instead of the panes.
            Page(Box<dyn AnyPage>),
            $($(#[doc = $doc])* $view($state),)*
        }

        /// The kind of view on top.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Mode {
            /// None: the panes have the keys.
            Read,
            /// A menu with text input.
            MenuSearch,
            /// A page, with its context.
            Page(Context),
            $($(#[doc = $doc])* $view,)*
        }

        impl View {
            /// Returns its kind.
            pub fn mode(&self) -> Mode {
                match self {
                    Self::Page(page) => Mode::Page(page.view().content.context()),
                    $(Self::$view(_) => Mode::$view,)*
                }
            }
        }

        impl Mode {
            /// Returns the context of keys while it is on top.
            pub const fn context(self) -> Context {
                match self {
                    Self::Read => Context::Read,
                    Self::MenuSearch => Context::Line,
                    Self::Page(context) => context,
                    $(Self::$view => Context::$context,)*
                }
            }

            /// Returns where it is drawn; `None` if the panes themselves have the keys.
            const fn placement(self) -> Option<Placement> {
                match self {
                    Self::Read => None,
                    Self::MenuSearch => Some(Placement::Overlay),
                    Self::Page(_) => Some(Placement::Page),
                    $(Self::$view => Some(Placement::$placement),)*
                }
            }
        }

        impl Views {
            $(
                #[doc = concat!(
                    "Returns the state of [`View::", stringify!($view), "`] if it is open."
                )]
                pub fn $get(&self) -> Option<&$state> {
                    self.stack.iter().rev().find_map(|view| match view {
                        View::$view(state) => Some(state),
                        _ => None,
                    })
                }

$(pub(super) fn $get_mut(&mut self) -> Option<&mut $state> {
                    self.stack.iter_mut().rev().find_map(|view| match view {
                        View::$view(state) => Some(state),
                        _ => None,
                    })
                })?
            )*
        }
    };
}

views! {
    /// The input line.
    Line(Box<InputLine>), line line_mut, Line, Overlay;
    /// A menu.
    Menu(Menu), menu menu_mut, Menu, Overlay;
    /// The labels panel.
    Panel(Panel), panel panel_mut, Panel, Drawer;
    /// The rating strip.
    Rate(RatingStrip), rate rate_mut, Rate, Drawer;
    /// The note editor.
    Note(Box<NotePad>), note note_mut, Note, Pad;
    /// The sample's findings and spot check in a queue.
    Queue(QueueStrip), queue queue_mut, Findings, Drawer;
}

named_enum! {
    /// A context that decides what keys do.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Context {
        /// Reading samples or a page.
        Read "read",
        /// Typing.
        Line "line",
        /// Choosing from a menu.
        Menu "menu",
        /// Moving handles in the labels panel.
        Panel "panel",
        /// Rating.
        Rate "rate",
        /// Writing a note.
        Note "note",
        /// Viewing statistics.
        Statistics "statistics",
        /// Checking findings.
        Findings "findings",
        /// Assigning fields of the records.
        Layout "layout",
    }
}

impl Context {
    /// True if keys enter or edit text.
    pub const fn is_typing(self) -> bool {
        matches!(self, Self::Line | Self::Note)
    }
}

impl View {
    /// True if it stays below views that are opened later, until closed explicitly.
    fn is_drawer(&self) -> bool {
        self.mode().placement() == Some(Placement::Drawer)
    }
}

impl Mode {
    /// True if it is a page instead of the panes.
    pub fn is_page(self) -> bool {
        matches!(self, Self::Page(_))
    }

    /// True if the user does not have to leave a view first.
    pub fn is_base_or_drawer(self) -> bool {
        matches!(self.placement(), None | Some(Placement::Drawer))
    }
}

/// The open views, the one with the keys last.
#[derive(Debug, Default)]
pub struct Views {
    pub(super) stack: Vec<View>,
    /// The page that was left to show its samples, to return to.
    pub(super) left: Option<Box<PreviousPage>>,
    /// Notes that were not saved, by generation of the dataset and sample.
    pub(super) drafts: BTreeMap<(u64, usize), Box<NotePad>>,
}

impl Views {
    /// Returns the view with the keys; `None` if the panes have them.
    pub fn top(&self) -> Option<&View> {
        self.stack.last()
    }

    /// Returns the menu if it has the keys.
    pub fn top_menu(&self) -> Option<&Menu> {
        match self.top()? {
            View::Menu(menu) => Some(menu),
            _ => None,
        }
    }

    /// Returns the kind of the view with the keys.
    pub fn mode(&self) -> Mode {
        match self.top() {
            None => Mode::Read,
            Some(View::Menu(menu)) if menu.typed().is_some() => Mode::MenuSearch,
            Some(view) => view.mode(),
        }
    }

    /// Returns the kind of input line if it has the keys.
    pub fn line_kind(&self) -> Option<LineKind> {
        match self.top()? {
            View::Line(line) => Some(line.kind),
            _ => None,
        }
    }

    /// Returns the open pages, the topmost first.
    pub(super) fn pages(&self) -> impl Iterator<Item = &dyn AnyPage> {
        self.stack.iter().rev().filter_map(|view| match view {
            View::Page(page) => Some(&**page),
            _ => None,
        })
    }

    fn pages_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn AnyPage>> {
        self.stack.iter_mut().rev().filter_map(|view| match view {
            View::Page(page) => Some(page),
            _ => None,
        })
    }

    /// Returns the topmost page, which hides the panes, even if an overlay is on top.
    pub fn page(&self) -> Option<&PageView<dyn PageContent>> {
        self.pages().next().map(AnyPage::view)
    }

    pub(super) fn page_mut(&mut self) -> Option<&mut PageView<dyn PageContent>> {
        self.pages_mut().next().map(|page| page.view_mut())
    }

    /// Returns the page with this content, if it is open.
    pub fn page_of<C: PageContent>(&self) -> Option<&PageView<C>> {
        self.pages()
            .find_map(|page| (page as &dyn Any).downcast_ref())
    }

    pub(super) fn page_of_mut<C: PageContent>(&mut self) -> Option<&mut PageView<C>> {
        self.pages_mut()
            .find_map(|page| (&mut **page as &mut dyn Any).downcast_mut())
    }

    /// Opens a page on top.
    pub(super) fn open_content(&mut self, content: impl PageContent) {
        self.open(View::Page(PageView::new(content)));
    }

    /// Closes the page with this content.
    pub(super) fn close_page<C: PageContent>(&mut self) {
        self.stack.retain(|view| match view {
            View::Page(page) => !(&**page as &dyn Any).is::<PageView<C>>(),
            _ => true,
        });
    }

    /// Returns the view below the panes: a drawer or a note.
    pub fn below_panes(&self) -> Option<&View> {
        let takes_rows = |view: &&View| {
            let placement = view.mode().placement();
            matches!(placement, Some(Placement::Drawer | Placement::Pad))
        };
        self.stack.iter().rev().find(takes_rows)
    }

    /// Opens a view: on top, or a drawer at the bottom, replacing the open one.
    pub(super) fn open(&mut self, view: View) {
        if view.is_drawer() {
            self.stack.retain(|open| !open.is_drawer());
            self.stack.insert(0, view);
        } else {
            self.stack.push(view);
        }
    }

    /// Closes and returns the view with the keys.
    pub(super) fn back(&mut self) -> Option<View> {
        self.stack.pop()
    }

    /// Closes all views except a drawer.
    pub(super) fn close_overlays(&mut self) {
        self.stack.retain(View::is_drawer);
    }

    /// Closes and returns the topmost view of a kind.
    pub(super) fn close(&mut self, mode: Mode) -> Option<View> {
        let at = self.stack.iter().rposition(|view| view.mode() == mode)?;
        Some(self.stack.remove(at))
    }

    /// Closes and returns the input line.
    pub(super) fn take_line(&mut self) -> Option<Box<InputLine>> {
        match self.close(Mode::Line)? {
            View::Line(line) => Some(line),
            _ => None,
        }
    }
}

/// A page to return to.
#[derive(Debug)]
pub struct PreviousPage {
    page: View,
    /// The previous filter, and the one that shows the samples.
    before: Option<ActiveFilter>,
    chosen: ActiveFilter,
}

impl App {
    /// Opens a page with a cursor.
    pub(super) fn open_page(&mut self, content: impl PageContent) {
        self.views.left = None;
        self.close_panel();
        self.views.open_content(content);
    }

    /// Leaves the focused page to show the samples of a query; [`Self::back_to_page`] returns.
    pub(super) fn show_samples_of_page(&mut self, text: &str) {
        let Some(View::Page(page)) = self.views.top() else {
            return;
        };
        let content = &page.view().content;
        let (name, opens_queue) = (content.name(), content.opens_queue());
        let is_of_all = content.is_of_all();
        let chosen = match is_of_all {
            true if self.is_auditing() => None,
            true if self.is_blind_for_all() && self.is_withheld() => None,
            true => {
                self.leave_finished_audit();
                ActiveFilter::parse(text, &self.data.catalog).unwrap_or_default()
            }
            false => self.combined_with_filter(text),
        };
        let Some((chosen, page)) = chosen.and_then(|chosen| Some((chosen, self.views.back()?)))
        else {
            return;
        };
        self.views.left = Some(Box::new(PreviousPage {
            page,
            before: self.filter.active().cloned(),
            chosen: chosen.clone(),
        }));
        self.set_filter(Some(chosen.clone()));
        self.release_anchor();
        if opens_queue {
            return self.open_queue(text, chosen);
        }
        let key = self.key_for(Action::Cancel).unwrap_or_default();
        self.say(texts::returns_to(key, name));
    }

    /// Returns to the page with the previous filter. Returns false if there is none or the filter
    /// has changed since.
    pub(super) fn back_to_page(&mut self) -> bool {
        let Some(left) = self.views.left.take() else {
            return false;
        };
        if self.filter.active() != Some(&left.chosen) {
            return false;
        }
        self.views.open(left.page);
        if let Some(page) = self.views.page_mut() {
            page.refresh();
        }
        self.set_filter(left.before);
        self.release_anchor();
        true
    }
}

impl App {
    /// Combines a query with the active filter; the query's sort order takes precedence. Shows a
    /// notice and returns `None` if the query is invalid or withheld.
    fn combined_with_filter(&mut self, text: &str) -> Option<ActiveFilter> {
        let old = (*self.filter.query()).clone();
        let asked = match query::parse(text, &self.data.catalog) {
            Ok(asked) => asked,
            Err(error) => {
                self.say(format!("{text}: {error}."));
                return None;
            }
        };
        // Terms of the active filter are not repeated.
        let terms = asked
            .conjuncts()
            .iter()
            .filter(|term| !old.conjuncts().contains(term));
        let mut both = old.and(&Query::with_conjuncts(terms.cloned().collect(), Vec::new()));
        if !asked.sort.is_empty() {
            both.sort = asked.sort;
        }
        if let Some(reason) = self.withheld(&both) {
            self.say(format!("{reason}."));
            return None;
        }
        let text = both.spelled(&self.data.catalog).to_string();
        Some(ActiveFilter::new(text, both))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a page without anything on it.
    fn open_page(views: &mut Views) {
        views.open_content(crate::app::FindingsPage::default());
    }

    #[test]
    fn going_back_returns_to_what_was_below() {
        let mut views = Views::default();
        assert_eq!(views.mode(), Mode::Read);
        views.open(View::Rate(RatingStrip::default()));
        open_page(&mut views);
        views.open_content(crate::app::Statistics::default());
        assert_eq!(views.mode(), Mode::Page(Context::Statistics));
        assert!(views.rate().is_some() && views.below_panes().is_some());
        views.back();
        assert_eq!(views.mode(), Mode::Page(Context::Read));
        views.back();
        assert_eq!(views.mode(), Mode::Rate);
    }

    #[test]
    fn a_drawer_takes_the_place_of_the_other_under_what_is_open() {
        let mut views = Views::default();
        views.open(View::Panel(Panel::default()));
        open_page(&mut views);
        views.open(View::Rate(RatingStrip::default()));
        assert!(views.mode().is_page(), "what is on top stays there");
        assert!(views.panel().is_none());
        views.close_overlays();
        assert_eq!(views.mode(), Mode::Rate);
        assert!(views.close(Mode::Rate).is_some() && views.close(Mode::Rate).is_none());
        assert_eq!(views.mode(), Mode::Read);
    }
}
