//! What is open on top of the panes: a stack of views, each with its own state.
//!
//! With nothing on the stack one reads. A view that is opened goes on top and has the keys; going
//! back takes it off, and the one below has them again. The labels panel, the rating strip and the
//! strip of a queue are drawers: of these at most one is open, at the bottom of the stack, so that
//! it stays while a line, a menu, a note or a page is on top of it.

use super::left_page::PreviousPage;
use super::page_doc::{PageContent, PageView};
use super::{
    FindingsPage, GuidePage, InputLine, LayoutPage, LineKind, Menu, NotePad, Panel, QueueStrip,
    RatingStrip, RecordView, ResponsesPage, Statistics, TextScreen,
};

/// Where a view is painted, and how long it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// In place of the panes.
    Page,
    /// On the screen below the panes, at the bottom of the stack, until it is closed itself.
    Drawer,
    /// On the screen below the panes, until it is left.
    Pad,
    /// On top of what is there.
    Overlay,
}

/// Makes the views of two tables: of pages, with what each is about, and of others, with their
/// state. Each row says how the state is asked for and changed, and which keys the view has.
macro_rules! views {
    (
        pages {$(
            $(#[doc = $page_doc:literal])*
            $page:ident($content:ty), $page_get:ident $($page_get_mut:ident)?, $page_context:ident;
        )*}
        others {$(
            $(#[doc = $doc:literal])*
            $view:ident($state:ty), $get:ident $($get_mut:ident)?, $context:ident, $placement:ident;
        )*}
    ) => {
        views! {@all $(
            $(#[doc = $page_doc])*
            $page(Box<PageView<$content>>), $page_get $($page_get_mut)?, $page_context, Page;
        )* $(
            $(#[doc = $doc])*
            $view($state), $get $($get_mut)?, $context, $placement;
        )*}

        impl View {
            /// The page that it is; `None` for other views.
            pub fn page(&self) -> Option<&PageView<dyn PageContent>> {
                match self {
                    $(Self::$page(page) => Some(&**page),)*
                    _ => None,
                }
            }

            fn page_mut(&mut self) -> Option<&mut PageView<dyn PageContent>> {
                match self {
                    $(Self::$page(page) => Some(&mut **page),)*
                    _ => None,
                }
            }
        }
    };
    (@all $(
        $(#[doc = $doc:literal])*
        $view:ident($state:ty), $get:ident $($get_mut:ident)?, $context:ident, $placement:ident;
    )*) => {
        /// A view with its state.
        #[derive(Debug)]
        pub enum View {
            $($(#[doc = $doc])* $view($state),)*
        }

        /// Which view is on top.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Mode {
            /// None: one reads.
            Read,
            /// A menu in which one types.
            MenuSearch,
            $($(#[doc = $doc])* $view,)*
        }

        impl View {
            /// Its kind.
            pub const fn mode(&self) -> Mode {
                match self {
                    $(Self::$view(_) => Mode::$view,)*
                }
            }
        }

        impl Mode {
            /// Which keys mean what while it is on top.
            pub const fn context(self) -> Context {
                match self {
                    Self::Read => Context::Read,
                    Self::MenuSearch => Context::Line,
                    $(Self::$view => Context::$context,)*
                }
            }

            /// `None` where the panes themselves have the keys.
            const fn placement(self) -> Option<Placement> {
                match self {
                    Self::Read => None,
                    Self::MenuSearch => Some(Placement::Overlay),
                    $(Self::$view => Some(Placement::$placement),)*
                }
            }
        }

        impl Views {
            $(
                #[doc = concat!(
                    "The state of [`View::", stringify!($view), "`], where it is open, on top or below."
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
    pages {
        /// How far people agree.
        TextScreen(TextScreen), text_screen text_screen_mut, Read;
        /// A page of the manual.
        Guide(GuidePage), guide, Read;
        /// The raw record of the sample.
        Record(RecordView), record record_mut, Read;
        /// What the data is like.
        Statistics(Statistics), statistics statistics_mut, Statistics;
        /// Where things stand in the records, and what each field is.
        Layout(LayoutPage), layout layout_mut, Layout;
        /// What is suspicious in the data.
        Findings(FindingsPage), findings findings_mut, Read;
        /// All responses of the sample.
        Responses(ResponsesPage), responses, Read;
    }
    others {
        /// The line that is typed.
        Line(Box<InputLine>), line line_mut, Line, Overlay;
        /// A menu.
        Menu(Menu), menu menu_mut, Menu, Overlay;
        /// The labels panel.
        Panel(Panel), panel panel_mut, Panel, Drawer;
        /// The rating strip.
        Rate(RatingStrip), rate rate_mut, Rate, Drawer;
        /// The note that is written.
        Note(Box<NotePad>), note note_mut, Note, Pad;
        /// What is suspicious in the sample, and a judgment of that.
        Queue(QueueStrip), queue queue_mut, Findings, Drawer;
    }
}

named! {
    /// Which keys mean what.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Context {
        /// One reads samples, or a page.
        Read "read",
        /// One types.
        Line "line",
        /// One chooses from a menu.
        Menu "menu",
        /// One sets handles in the labels panel.
        Panel "panel",
        /// One rates.
        Rate "rate",
        /// One writes a note.
        Note "note",
        /// One looks at statistics.
        Statistics "statistics",
        /// One judges what findings say.
        Findings "findings",
        /// One says what each field of the records is.
        Layout "layout",
    }
}

impl Context {
    /// Whether keys are text, or change it.
    pub const fn is_typing(self) -> bool {
        matches!(self, Self::Line | Self::Note)
    }
}

impl View {
    /// Whether it stays under what is opened, until it is closed itself.
    fn stays(&self) -> bool {
        self.mode().placement() == Some(Placement::Drawer)
    }
}

impl Mode {
    /// Whether it is a page in place of the panes.
    pub fn is_page(self) -> bool {
        self.placement() == Some(Placement::Page)
    }

    /// Whether nothing is on top of the panes that a person has to leave first.
    pub fn is_resting(self) -> bool {
        matches!(self.placement(), None | Some(Placement::Drawer))
    }

    /// Whether nothing scrolls there that arrow keys do not move: several at once are keys, whoever
    /// sent them.
    pub fn moves_by_arrows(self) -> bool {
        matches!(self.placement(), Some(Placement::Overlay | Placement::Pad))
    }
}

/// The views that are open, the one with the keys on top.
#[derive(Debug, Default)]
pub struct Views {
    pub(super) stack: Vec<View>,
    /// The page that one left for the samples behind something on it, to come back to.
    pub(super) left: Option<Box<PreviousPage>>,
}

impl Views {
    /// The view with the keys; `None` while one reads.
    pub fn top(&self) -> Option<&View> {
        self.stack.last()
    }

    /// The menu, where it has the keys.
    pub fn top_menu(&self) -> Option<&Menu> {
        match self.top()? {
            View::Menu(menu) => Some(menu),
            _ => None,
        }
    }

    /// Which view has the keys.
    pub fn mode(&self) -> Mode {
        match self.top() {
            None => Mode::Read,
            Some(View::Menu(menu)) if menu.typed().is_some() => Mode::MenuSearch,
            Some(view) => view.mode(),
        }
    }

    /// What is typed, while the line has the keys.
    pub fn line_kind(&self) -> Option<LineKind> {
        match self.top()? {
            View::Line(line) => Some(line.kind),
            _ => None,
        }
    }

    /// The page that hides the panes, if one does: the topmost, whatever floats on top of it.
    pub fn covering(&self) -> Option<&View> {
        self.stack.iter().rev().find(|view| view.mode().is_page())
    }

    /// The topmost page, whatever floats on top of it.
    pub fn page(&self) -> Option<&PageView<dyn PageContent>> {
        self.covering()?.page()
    }

    pub(super) fn page_mut(&mut self) -> Option<&mut PageView<dyn PageContent>> {
        self.stack.iter_mut().rev().find_map(View::page_mut)
    }

    /// What is open below the panes: a drawer, or a note.
    pub fn below_panes(&self) -> Option<&View> {
        let takes_rows = |view: &&View| {
            let placement = view.mode().placement();
            matches!(placement, Some(Placement::Drawer | Placement::Pad))
        };
        self.stack.iter().rev().find(takes_rows)
    }

    /// Opens a view: on top, or at the bottom in place of the other where it is one that stays.
    pub(super) fn open(&mut self, view: View) {
        if view.stays() {
            self.stack.retain(|open| !open.stays());
            self.stack.insert(0, view);
        } else {
            self.stack.push(view);
        }
    }

    /// Takes the view off that has the keys.
    pub(super) fn back(&mut self) -> Option<View> {
        self.stack.pop()
    }

    /// Closes everything but a view that stays.
    pub(super) fn rest(&mut self) {
        self.stack.retain(View::stays);
    }

    /// Closes the topmost view of a kind and gives it back.
    pub(super) fn close(&mut self, mode: Mode) -> Option<View> {
        let at = self.stack.iter().rposition(|view| view.mode() == mode)?;
        Some(self.stack.remove(at))
    }

    /// Closes the line that is typed and gives it back.
    pub(super) fn take_line(&mut self) -> Option<Box<InputLine>> {
        match self.close(Mode::Line)? {
            View::Line(line) => Some(line),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> View {
        View::Findings(PageView::new(FindingsPage::default()))
    }

    #[test]
    fn going_back_returns_to_what_was_below() {
        let mut views = Views::default();
        assert_eq!(views.mode(), Mode::Read);
        views.open(View::Rate(RatingStrip::default()));
        views.open(page());
        views.open(View::TextScreen(PageView::new(TextScreen::default())));
        assert_eq!(views.mode(), Mode::TextScreen);
        assert!(views.rate().is_some() && views.below_panes().is_some());
        views.back();
        assert_eq!(views.mode(), Mode::Findings);
        views.back();
        assert_eq!(views.mode(), Mode::Rate);
    }

    #[test]
    fn a_drawer_takes_the_place_of_the_other_under_what_is_open() {
        let mut views = Views::default();
        views.open(View::Panel(Panel::default()));
        views.open(page());
        views.open(View::Rate(RatingStrip::default()));
        assert_eq!(views.mode(), Mode::Findings, "what is on top stays there");
        assert!(views.panel().is_none());
        views.rest();
        assert_eq!(views.mode(), Mode::Rate);
        assert!(views.close(Mode::Rate).is_some() && views.close(Mode::Rate).is_none());
        assert_eq!(views.mode(), Mode::Read);
    }
}
