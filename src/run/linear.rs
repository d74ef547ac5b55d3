//! Linear mode: lines in, changed rows of the screen out, without an alternate screen, cursor
//! movement, colours, rules and bars, for screen readers and pipes. The frame is drawn in one column
//! and high enough for whole texts; what `ui` draws is what is printed.

use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal, Write};
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use super::driver::{Driver, LoopEvent, TerminalRequest};
use super::event_loop::{self, Frontend, LoopEnd};
use super::frame::{draw_screen, plain_text};
use super::screen;
use super::{Failure, Invocation, environment, texts};
use crate::app::{Action, App, Edit, Message, Mode, Pane, PaneText, ReviewEvent};
use crate::dataset::Loader;
use crate::keymap::{Key, Keymap, keys};
use crate::source::Input;
use crate::term::{self, Signal};
use crate::text;
use crate::ui::{ColorDepth, Glyphs, Look, Preset, Theme};

/// Time between two checks whether work is still running.
const PATIENCE: Duration = Duration::from_millis(50);
/// Time between two checks of open files while idle.
const TICK: Duration = Duration::from_secs(1);
/// Default width in columns, and rows enough for a prompt and responses below each other.
const COLUMNS: u16 = 200;
const ROWS: u16 = 1000;

/// Runs until the user quits or standard input ends.
pub(super) fn run(
    invocation: &Invocation,
    loader: Loader,
    mut faults: Vec<String>,
) -> Result<(), Failure> {
    if loader
        .inputs
        .iter()
        .any(|input| matches!(input.whole(), Input::Stdin))
    {
        return Err(Failure::usage(texts::LINES_FROM_STDIN));
    }
    let columns = environment("COLUMNS")
        .and_then(|columns| columns.parse::<u16>().ok())
        .unwrap_or(COLUMNS)
        .clamp(20, 500);
    let size = (columns, ROWS);
    let inputs = loader.inputs.len();
    let mut driver = screen::start(invocation, loader, &mut faults, size);
    driver.app.layout.is_linear = true;
    // Bars of documents would be read aloud.
    driver.app.settings.view.glyphs.bar = Some([' '; 7]);
    driver.app.review.asks_name &= io::stdin().is_terminal();
    driver.app.settings.themes.colorless = Some(texts::COLORLESS_LINES.to_owned());
    screen::wait_for_rows(&mut driver, inputs)?;
    let outbox = driver.outbox();
    term::watch_signals(move |signal| drop(outbox.send(LoopEvent::Signal(signal))))
        .map_err(Failure::runtime)?;
    let outbox = driver.outbox();
    let reader = thread::Builder::new().name("lines".into()).spawn(move || {
        // Bytes that are not UTF-8 do not end the input.
        let lines = io::stdin().lock().split(b'\n').map_while(Result::ok);
        let text = lines.map(|line| {
            let text = String::from_utf8_lossy(&line);
            text.strip_suffix('\r').unwrap_or(&text).to_owned()
        });
        for line in text.map(Some).chain([None]) {
            if outbox.send(LoopEvent::Line(line)).is_err() {
                break;
            }
        }
    });
    reader.map_err(Failure::runtime)?;
    if !faults.is_empty() {
        driver.handle(Message::Notice(faults.join("; ")));
    }
    let mut linear = Linear {
        keymap: invocation.config.keymap().clone(),
        keys: invocation.keys().iter().copied().collect(),
        echoes: !io::stdin().is_terminal(),
        ..Linear::default()
    };
    let ended = event_loop::run(&mut driver, &mut linear);
    // Ends the line of the prompt.
    let _ = writeln!(io::stdout());
    let closed = screen::close(driver, &ended);
    screen::end(&closed, ended)
}

#[derive(Default)]
struct Linear {
    /// What was printed last of the sample and of each view on it.
    printed: Vec<PrintedView>,
    keymap: Keymap,
    /// Remaining keys of the command line.
    keys: VecDeque<Key>,
    /// Lines not started yet; `None` is the end of the input.
    lines: VecDeque<Option<String>>,
    /// The rest of the current line.
    rest: Option<String>,
    /// The last key of that line.
    pressed: Option<Key>,
    /// Messages to send before continuing.
    queue: VecDeque<Message>,
    /// True to print lines after their prompt, because they were not typed on a terminal.
    echoes: bool,
    /// True if the prompt is shown.
    is_asked: bool,
    /// True while a line has no answer yet.
    is_answering: bool,
    /// True after a key that opens a line or a note.
    opens: bool,
}

impl Frontend for Linear {
    fn is_shown(&self) -> bool {
        // Intermediate states of a line are not spoken.
        self.rest.is_none() && self.queue.is_empty() && self.keys.is_empty()
    }

    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
        if !event_loop::is_settled(driver) {
            return Ok(ControlFlow::Continue(driver.receive(PATIENCE)));
        }
        if let Some(message) = self.next_message(driver) {
            return Ok(ControlFlow::Continue(Some(LoopEvent::Message(message))));
        }
        self.print_changes(&driver.app)?;
        match self.lines.pop_front() {
            Some(None) => return Ok(ControlFlow::Break(LoopEnd::Quit)),
            Some(Some(line)) => {
                self.show_prompt(&driver.app, self.echoes.then_some(&*line))?;
                // A notice is an answer, so it is printed again.
                if driver.app.notice().is_some() {
                    self.printed.last_mut().map(|view| view.rows.pop());
                }
                (self.is_asked, self.is_answering, self.rest) = (false, true, Some(line));
                self.empty_line(driver);
                return Ok(ControlFlow::Continue(None));
            }
            None => {}
        }
        if !self.is_asked {
            self.show_prompt(&driver.app, None)?;
        }
        let event = driver.receive(TICK);
        if event.is_none() {
            driver.check_journal();
            driver.save_session();
            driver.check_files();
        }
        Ok(ControlFlow::Continue(event))
    }

    fn take(&mut self, driver: &mut Driver, event: LoopEvent) -> io::Result<ControlFlow<LoopEnd>> {
        let message = match event {
            LoopEvent::Message(message) => message,
            // Handled at once, because a command that does not end would block the queue of lines.
            LoopEvent::Line(Some(line))
                if !self.echoes && line.trim() == "<esc>" && driver.app.is_running_command() =>
            {
                Message::Action(Action::Cancel)
            }
            LoopEvent::Line(line) => {
                self.lines.push_back(line);
                return Ok(ControlFlow::Continue(()));
            }
            LoopEvent::Panicked => return Ok(ControlFlow::Break(LoopEnd::Panicked)),
            LoopEvent::Signal(Signal::Terminate(number)) => {
                return Ok(ControlFlow::Break(LoopEnd::Signal(number)));
            }
            LoopEvent::Event(_) | LoopEvent::Signal(_) => return Ok(ControlFlow::Continue(())),
        };
        let requests = driver.handle(message);
        if let Some(key) = self.pressed.filter(|_| driver.app.status.ignored) {
            driver.handle(self.keymap.unbound_key(key, driver.app.mode()));
            // What follows was meant for it.
            self.rest = None;
        }
        self.perform(driver, requests)
    }

    fn ask(&mut self, driver: &mut Driver, request: TerminalRequest) -> io::Result<()> {
        match request {
            TerminalRequest::Edit(_) => {
                let refused = Err(texts::NOTE_AS_LINE.to_owned());
                driver.handle(Message::Review(ReviewEvent::Edited(refused)));
            }
            TerminalRequest::Send(bytes, words) => {
                if io::stdout().is_terminal() {
                    io::stdout().write_all(&bytes)?;
                }
                driver.handle(Message::Notice(words));
            }
            TerminalRequest::ToggleMouse | TerminalRequest::Suspend | TerminalRequest::Redraw => {
                driver.handle(Message::Notice(texts::SCREEN_ONLY.to_owned()));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Linear {
    /// Prints the rows that changed since this view was printed last; all rows of a new view, or of
    /// another sample.
    fn print_changes(&mut self, app: &App) -> io::Result<()> {
        let look = Look {
            theme: Theme::load(Preset::Plain, ColorDepth::None),
            glyphs: Glyphs::SPOKEN,
        };
        let now = PrintedView::new(app, &plain_text(&draw_screen(app, &look)));
        let at = self.printed.iter().position(|view| view.is_like(&now));
        match at {
            // The views on top of this one were closed.
            Some(at) => self.printed.truncate(at + 1),
            None if now.mode == Mode::Read => self.printed.clear(),
            None => {}
        }
        let mut words = now.news(at.and_then(|at| self.printed.get(at)));
        if std::mem::take(&mut self.is_answering) && words.is_empty() {
            words = texts::NOTHING_NEW.to_owned() + "\n";
        }
        match at {
            Some(at) => self.printed[at] = now,
            None => self.printed.push(now),
        }
        if words.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        // Unrequested output starts below the waiting prompt.
        if std::mem::take(&mut self.is_asked) {
            writeln!(out)?;
        }
        out.write_all(words.as_bytes())?;
        out.flush()
    }

    /// Shows the prompt, and the line if it was not typed on a terminal.
    fn show_prompt(&mut self, app: &App, line: Option<&str>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if !self.is_asked {
            let name = match app.mode() {
                mode if mode.is_page() => "page",
                Mode::Read | Mode::Panel | Mode::Queue => "visavis",
                mode => mode.context().name(),
            };
            if app.review.saving.trouble.is_some() {
                out.write_all(b"NOT SAVED ")?;
            }
            write!(out, "{name}> ")?;
        }
        if let Some(line) = line {
            writeln!(out, "{}", text::one_line(line, 400))?;
        }
        self.is_asked = true;
        out.flush()
    }

    /// Handles an empty line as the key that continues: next page of a text, chosen line of a menu.
    fn empty_line(&mut self, driver: &Driver) {
        let is_empty = self
            .rest
            .as_deref()
            .is_some_and(|rest| rest.trim().is_empty());
        if is_empty {
            let key = match driver.app.mode() {
                Mode::Line | Mode::Menu | Mode::MenuSearch | Mode::Rate | Mode::Note => "<enter>",
                _ => "<space>",
            };
            self.rest = None;
            self.press(driver, key);
        }
    }

    /// Returns the next message of the current line or played keys.
    fn next_message(&mut self, driver: &Driver) -> Option<Message> {
        if let Some(key) = self.keys.pop_front() {
            self.pressed = None;
            return self
                .keymap
                .press(key, driver.app.mode())
                .or(Some(Message::Drawn(None)));
        }
        loop {
            if let Some(message) = self.queue.pop_front() {
                return Some(message);
            }
            let rest = self.rest.take()?;
            self.pressed = None;
            // The text of a line that did not open is not keys.
            if std::mem::take(&mut self.opens) && driver.app.mode().is_base_or_drawer() {
                continue;
            }
            match driver.app.mode() {
                Mode::Line => self.typed_line(driver, &rest, Action::Accept),
                Mode::Note => self.typed_line(driver, &rest, Action::Save),
                Mode::Menu | Mode::MenuSearch => self.typed_in_menu(driver, rest.trim()),
                _ => {
                    // Users of other programs type these words; as keys they would write a note.
                    let rest = match rest.trim() {
                        "help" => "?",
                        "exit" | "quit" => "q",
                        _ => &rest,
                    };
                    let (key, left) = first_key(rest);
                    self.rest = Some(left.to_owned()).filter(|left| !left.is_empty());
                    // If this key opens an input line and nothing follows it, the next line is its
                    // text.
                    self.press(driver, key);
                    let opens = self.queue.iter().any(|message| {
                        use Action::{Command, Filter, Note, Search, Tag};
                        matches!(
                            message,
                            Message::Action(Filter | Search | Command | Tag | Note)
                        )
                    });
                    self.opens = opens && self.rest.is_some();
                }
            }
        }
    }

    fn press(&mut self, driver: &Driver, spelling: &str) {
        let spelling = if spelling == "<" { "<lt>" } else { spelling };
        for key in keys(spelling).unwrap_or_default() {
            self.pressed = Some(key);
            self.queue.extend(self.keymap.press(key, driver.app.mode()));
        }
    }

    /// Handles text for an input line: a single key in angle brackets is that key; anything else
    /// replaces the line.
    fn typed_line(&mut self, driver: &Driver, rest: &str, is_done: Action) {
        let text = rest.strip_prefix(' ').unwrap_or(rest);
        let is_key = text.starts_with('<') && text.ends_with('>');
        if is_key && keys(text).is_ok_and(|keys| keys.len() == 1) {
            self.press(driver, text);
            if text == "<c-u>" {
                self.queue.push_back(Message::Action(Action::Accept));
            }
            return;
        }
        self.clear_line();
        self.queue.push_back(Message::Paste(text.to_owned()));
        self.queue.push_back(Message::Action(is_done));
    }

    /// Deletes the content of an input line, independent of key bindings.
    fn clear_line(&mut self) {
        let edits = [Edit::DeleteToStart, Edit::DeleteToEnd];
        self.queue
            .extend(edits.map(|edit| Message::Action(Action::Edit(edit))));
    }

    /// Handles text for a menu: a key in angle brackets or a single letter is that key, anything
    /// else searches the menu.
    fn typed_in_menu(&mut self, driver: &Driver, text: &str) {
        let is_search = driver.app.mode() == Mode::MenuSearch;
        let is_key = text.starts_with('<') && keys(text).is_ok_and(|keys| keys.len() == 1);
        if is_key || (!is_search && text.chars().count() == 1) {
            self.press(driver, text);
        } else {
            self.clear_line();
            self.queue.push_back(Message::Paste(text.to_owned()));
        }
    }
}

/// The rows of a view as they were printed.
struct PrintedView {
    mode: Mode,
    /// Generation of the dataset and number of the sample, and its position, which an audit can
    /// show twice; the title of another view.
    place: (u64, usize, usize, String),
    /// First line of each text on the screen.
    scrolled: [usize; Pane::ALL.len()],
    rows: Vec<(ScreenPart, String)>,
}

/// What a row of the screen belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScreenPart {
    /// The labels, which are printed together: their first row names the responses.
    Card,
    /// A text, whose lines differ by their number: they can repeat.
    Text(Pane),
    Other,
}

impl PrintedView {
    fn new(app: &App, screen: &str) -> Self {
        // A drawer and a note are below the sample.
        let mode = match app.mode() {
            mode if mode.is_base_or_drawer() || mode == Mode::Note => Mode::Read,
            mode => mode,
        };
        let geometry = app.geometry();
        let is_list = app.layout.focus == Pane::List;
        let is_of_sample = mode == Mode::Read && app.page().is_some() && !is_list;
        let part = |y: u16| match is_of_sample {
            true if geometry.card.contains(geometry.card.x, y) => ScreenPart::Card,
            true => {
                let has =
                    |pane: &Pane| geometry.inside(*pane).contains(1, y) && *pane != Pane::List;
                Pane::ALL
                    .into_iter()
                    .find(has)
                    .map_or(ScreenPart::Other, ScreenPart::Text)
            }
            false => ScreenPart::Other,
        };
        let row = |(y, row): (u16, &str)| match part(y) {
            part @ ScreenPart::Text(pane) => {
                let gutter = app.open.stack(pane).map_or(0, PaneText::gutter);
                let margin = " ".repeat(1 + usize::from(gutter));
                let words = row.strip_prefix(&*margin).unwrap_or(row.trim_start());
                (part, words.trim_end().to_owned())
            }
            part => (part, squeezed(row)),
        };
        let rows: Vec<_> = (0..)
            .zip(screen.lines())
            .map(row)
            .filter(|(part, row)| matches!(part, ScreenPart::Text(_)) || !row.is_empty())
            .collect();
        let place = match app.page().filter(|_| is_of_sample) {
            Some(page) => {
                let is_audit = app.running().is_some();
                let position = if is_audit { app.selection.position } else { 0 };
                (
                    page.key.generation,
                    page.key.sample,
                    position,
                    String::new(),
                )
            }
            None if mode == Mode::Read => (0, 0, 0, String::new()),
            None => (
                0,
                0,
                0,
                rows.first().map_or(String::new(), |(_, row)| row.clone()),
            ),
        };
        Self {
            mode,
            place,
            scrolled: Pane::ALL.map(|pane| app.scrolled(pane)),
            rows,
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        self.mode == other.mode && self.place == other.place
    }

    fn rows_of(&self, part: ScreenPart) -> Vec<&str> {
        self.rows
            .iter()
            .filter(|(of, _)| *of == part)
            .map(|(_, row)| &**row)
            .collect()
    }

    /// Returns the rows that are not in this view as it was before, as lines.
    fn news(&self, before: Option<&Self>) -> String {
        let texts = Pane::ALL.map(ScreenPart::Text);
        let parts = [&texts[..], &[ScreenPart::Card, ScreenPart::Other]].concat();
        let mut news: Vec<_> = parts
            .iter()
            .map(|&part| self.news_of(part, before).into_iter())
            .collect();
        let mut out = String::new();
        for (part, row) in &self.rows {
            let is_new = parts
                .iter()
                .position(|known| known == part)
                .and_then(|at| news[at].next())
                .unwrap_or(true);
            if is_new && !row.is_empty() {
                out += row;
                out.push('\n');
            }
        }
        out
    }

    /// Returns whether each row of a part is new.
    fn news_of(&self, part: ScreenPart, before: Option<&Self>) -> Vec<bool> {
        let now = self.rows_of(part);
        let Some(before) = before else {
            return vec![true; now.len()];
        };
        let old = before.rows_of(part);
        let scrolled = |view: &Self| match part {
            ScreenPart::Text(pane) => view.scrolled[pane.index()],
            _ => 0,
        };
        let (top, old_top) = (scrolled(self), scrolled(before));
        let mut news = vec![false; now.len()];
        if top != old_top {
            for (at, is_new) in news.iter_mut().enumerate() {
                *is_new = !(old_top..old_top + old.len()).contains(&(top + at));
            }
            return news;
        }
        if part == ScreenPart::Card {
            return vec![now != old; now.len()];
        }
        let mark = Glyphs::SPOKEN.selected;
        for at in text::new_lines(&old, &now) {
            // The row that the cursor left says nothing new.
            let was = old.get(at).and_then(|row| row.strip_prefix(mark));
            news[at] = was.is_none_or(|words| words.trim_start() != now[at]);
        }
        news
    }
}

/// Returns a row with at most two spaces between words.
fn squeezed(row: &str) -> String {
    row.split("  ")
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("  ")
}

/// Splits the first key off a line.
fn first_key(rest: &str) -> (&str, &str) {
    let bracketed = rest.find('>').filter(|_| rest.starts_with('<'));
    if let Some(end) = bracketed
        && keys(&rest[..=end]).is_ok_and(|keys| keys.len() == 1)
    {
        return rest.split_at(end + 1);
    }
    let first = rest.chars().next().map_or(0, char::len_utf8);
    rest.split_at(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_split_off_one_by_one() {
        for (rest, expected) in [
            ("10j", ("1", "0j")),
            ("<space>j", ("<space>", "j")),
            ("<c-d>", ("<c-d>", "")),
            ("<3", ("<", "3")),
            ("é", ("é", "")),
            ("", ("", "")),
        ] {
            assert_eq!(first_key(rest), expected, "{rest}");
        }
    }
}
