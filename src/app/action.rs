//! What a key can ask for, and what the program is told and asks for in turn.

use std::sync::Arc;

use super::list::Entry;
use super::page::{Page, PageKey};
use crate::dataset::Report;

/// What a person asks for, whatever key said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A digit of a count.
    Digit(u8),
    /// The next sample; with a count, so many further.
    NextSample,
    /// The sample before; with a count, so many back.
    PreviousSample,
    /// The first sample; with a count, that one.
    FirstSample,
    /// The last sample; with a count, that one.
    LastSample,
    /// Scroll the focused pane; with a count, so many times.
    Scroll(Scroll),
    /// Focus the next pane.
    NextPane,
    /// Focus the pane before.
    PreviousPane,
    /// Give the focused pane the whole screen, or take it back.
    Zoom,
    /// Switch something over.
    Toggle(Toggle),
    /// Read the files again.
    Reload,
    /// Show the keys.
    Help,
    /// One level back; from the last one, quit.
    Back,
    /// Drop what is half done; never quits.
    Cancel,
    /// Stop the program and give the terminal to the shell.
    Suspend,
    /// Paint everything anew.
    Redraw,
    /// Quit, wherever one is.
    Quit,
}

/// How far to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// One line towards the end.
    LineDown,
    /// One line towards the beginning.
    LineUp,
    /// Half a page towards the end.
    HalfDown,
    /// Half a page towards the beginning.
    HalfUp,
    /// A page towards the end.
    PageDown,
    /// A page towards the beginning.
    PageUp,
    /// To the beginning.
    Top,
    /// To the end.
    Bottom,
}

/// What can be switched over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toggle {
    /// Markdown rendered, or as written.
    Markdown,
    /// Hidden characters as glyphs, or not at all.
    Hidden,
    /// A and B scroll together, or each on its own.
    Lock,
}

/// What the mouse did, in cells of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    /// The left button went down.
    Press(u16, u16),
    /// The pointer moved with the left button down.
    Drag(u16, u16),
    /// The left button came up.
    Release,
    /// The wheel turned towards the reader.
    WheelDown(u16, u16),
    /// The wheel turned away.
    WheelUp(u16, u16),
}

/// What `update` is told.
#[derive(Debug)]
pub enum Message {
    /// A person asks.
    Action(Action),
    /// The mouse.
    Pointer(Pointer),
    /// The terminal has this size now, in columns and rows.
    Resize(u16, u16),
    /// The loader of a generation reports.
    Loaded(u64, Report),
    /// The loader of a generation gave up.
    LoadFailed(u64, String),
    /// A page that was asked for.
    Page(Box<Page>),
    /// List rows that were asked for, of a generation.
    Entries(u64, Vec<Entry>),
    /// Loading has taken so long that progress is worth showing.
    StillLoading,
    /// A key that nothing is bound to, by its name.
    Unbound(String),
    /// An open file is not what it was; the words say how.
    FileChanged(String),
}

/// What `update` asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Load the files as this generation.
    Load(u64),
    /// Build a page.
    Page(PageKey),
    /// Read list rows: numbers of samples, from 0.
    Entries(Vec<usize>),
    /// Suspend the program.
    Suspend,
    /// Paint everything anew.
    Redraw,
    /// Leave.
    Quit,
    /// Leave with an error: nothing can be shown.
    Fail(Arc<str>),
}
