//! `update`: dispatches a message to the part of the state that handles it.

use std::sync::Arc;

use super::perform::ViewRequest;
use super::shown::following::SampleTarget;
use super::shown::selection::END_SO_FAR;
use super::{
    Action, App, Edit, Effect, LayoutMode, LineKind, Loading, Message, Mode, Page, Pane, Pointer,
    RecordView, Scroll, StackLine, texts,
};
use crate::dataset::{JoinedFile, LoadEvent};
use crate::source::Source;
use crate::text;

/// Lines scrolled by one notch of the wheel.
const WHEEL: usize = 3;
/// Said until the first rows are there.
const RELOADING: &str = "Reloading the files…";
/// Most cells of an external message in the status line.
pub(super) const MESSAGE_WIDTH: usize = 300;

/// Applies a message that is known to have no effects.
pub fn apply_quietly(app: &mut App, message: Message) {
    let effects = update(app, message);
    debug_assert!(effects.is_empty(), "unhandled effects {effects:?}");
}

/// Applies a message and returns its effects.
pub fn update(app: &mut App, message: Message) -> Vec<Effect> {
    match message {
        Message::Action(action) => app.act(action),
        Message::Command(line) => app.run_bound_command(&line),
        Message::Pointer(pointer) => app.point(pointer),
        Message::Resize(width, height) => app.layout.size = (width, height),
        Message::Loaded(generation, report) if app.data.expects(generation) => {
            app.take_report(generation, report);
        }
        Message::LoadFailed(generation, reason) if app.data.expects(generation) => {
            app.load_failed(&reason);
        }
        Message::Refused(generation, reason, records) if app.data.expects(generation) => {
            app.ask_layout(reason, records);
        }
        Message::Layout(file, records) => app.show_layout(file, records),
        Message::LayoutKept(kept) => app.take_kept_layout(kept),
        Message::Apply(result) => (result.0)(app),
        Message::StillLoading => {
            if let Loading::UnderWay { long } = &mut app.data.loading {
                *long = true;
            }
        }
        Message::ThemeRefused(why) => app.refuse_theme(why),
        Message::Unbound(words) => {
            app.act(Action::Nothing);
            app.say(words);
        }
        Message::Grown => app.follow_growth(),
        Message::FileChanged(how) => app.report_changed(&how),
        Message::Paste(text) => app.paste(&text),
        Message::StillQuerying(request) => app.note_slow_query(request),
        Message::Saved(saved, notice) => {
            app.take_saved(saved, text::one_line(&notice, MESSAGE_WIDTH));
        }
        Message::Review(news) => app.take_review_event(news),
        Message::Drawn(drawn) => app.note_drawn(drawn),
        Message::CaughtUp(drawn) => app.review.drawn = drawn,
        Message::Remark(_) if app.is_blind() => {}
        Message::Remark(remark) => {
            app.say(text::one_line(&format!("Note: {remark}."), MESSAGE_WIDTH));
        }
        Message::Notice(notice) => {
            app.say(text::one_line(&notice, MESSAGE_WIDTH));
        }
        Message::Leaving => app.record_seen(),
        Message::Interrupted => app.keep_draft(),
        Message::CommandRan(run, output) => {
            if let Some(page) = app.views.page_of_mut::<RecordView>() {
                page.content.take_output(&run, output);
            }
        }
        // A report about an outdated generation.
        Message::Loaded(..) | Message::LoadFailed(..) | Message::Refused(..) => {}
    }
    app.say_kept();
    app.settle();
    app.with_views(|views, of| {
        if let Some(page) = views.page_mut() {
            page.lay(of);
        }
    });
    std::mem::take(&mut app.outbox)
}

/// Keys.
impl App {
    pub(super) fn act(&mut self, action: Action) {
        (self.status.notice, self.search.wrapped) = (None, false);
        self.status.ignored = false;
        self.forget_resumed();
        self.status.asked_to_drop &= action == Action::Cancel;
        (self.data.appended, self.data.appended_notice) = (0, None);
        self.review.saving.fresh &= self.review.saving.waiting > 0;
        if let Some(menu) = self.views.menu_mut() {
            menu.deleting &= matches!(action, Action::Delete | Action::Edit(Edit::Delete));
        }
        // In the panel a digit selects a value.
        if let Action::Digit(digit) = action
            && !matches!(self.views.mode(), Mode::Panel | Mode::Rate)
        {
            self.status.push_digit(digit);
            return;
        }
        if !matches!(action, Action::Back | Action::Quit | Action::Leave) {
            self.review.cancel_quit();
        }
        let count = self.status.count.take();
        // Any other key ends a walk over several hits.
        if !matches!(action, Action::NextHit | Action::PreviousHit) {
            self.search.ahead = 0;
        }
        match action {
            Action::Quit => return self.interrupt(),
            Action::Leave => return self.quit(),
            Action::Suspend => return self.request(Effect::Suspend),
            Action::Redraw => return self.request(Effect::Redraw),
            _ => {}
        }
        if self.is_past_the_end(action) {
            return;
        }
        match self.views.mode() {
            Mode::Read => self.act_in_read(action, count),
            Mode::Line => self.act_in_line(action),
            Mode::Panel => {
                self.act_in_panel(action, count);
            }
            Mode::Rate => {
                self.act_in_rate(action, count);
            }
            Mode::Note => self.act_in_note(action),
            Mode::Queue => {
                self.act_in_queue(action, count);
            }
            _ => self.act_on_top(action, count),
        }
        self.perform_requests();
    }

    /// Carries out the requests that views left.
    fn perform_requests(&mut self) {
        while let Some((task, count)) = self.status.handed_over.take() {
            let is_action = matches!(task, ViewRequest::Act(_));
            self.perform(task, count);
            if is_action {
                self.rate_selected();
            }
        }
    }

    pub(super) fn accept_command(&mut self, text: &str) {
        // A command may open a view, so its line is closed first.
        self.close_line();
        match self.run_command(text) {
            Ok(()) => {
                if !text.is_empty() {
                    self.settings.histories.remember(LineKind::Command, text);
                }
                if !matches!(self.mode(), Mode::Menu | Mode::Line) {
                    self.finish_opening();
                }
            }
            Err(error) => self.reopen_command(text, error),
        }
    }

    /// Closes an open note, input line or menu; otherwise ends what is running, which closes the
    /// page of a command; otherwise closes the page, or quits.
    fn interrupt(&mut self) {
        match self.views.mode() {
            Mode::Note => self.act_in_note(Action::Cancel),
            Mode::Line => self.leave_line(),
            Mode::Menu | Mode::MenuSearch => {
                self.perform(ViewRequest::Back, None);
                // The menu of fields is on top of the filter line.
                if self.mode() == Mode::Line {
                    self.interrupt();
                }
            }
            _ if self.stop_running() => {}
            mode if mode.is_page() => self.act_on_top(Action::Cancel, None),
            _ => self.request(Effect::Quit),
        }
    }
}

/// Most lines kept from the previous page when scrolling.
const OVERLAP: usize = 2;

/// Scrolling.
impl App {
    /// Scrolls the focused text; paging past its end or beginning moves to the next text.
    pub(super) fn scroll_or_read_on(&mut self, scroll: Scroll, times: usize) {
        let lead = self.leading(self.layout.focus);
        let (now, most) = (self.scrolled(lead), self.most_scroll(lead));
        match scroll {
            Scroll::PageDown if self.may_read_on() && now == most => self.read_on(),
            Scroll::PageUp if self.may_read_on() && now == 0 => self.read_back(),
            _ => match self.layout.focus {
                Pane::List => self.scroll_list(scroll, times),
                pane => self.scroll_pane(pane, scroll, times),
            },
        }
    }

    fn scroll_list(&mut self, scroll: Scroll, times: usize) {
        let last = self.shown().len().saturating_sub(1);
        let page = self.list_height().max(1);
        let position = scrolled(self.selection.position, scroll, times, page, last);
        match scroll {
            Scroll::Top | Scroll::Bottom => self.jump_to(position),
            _ => self.select(position),
        }
    }

    fn scroll_pane(&mut self, pane: Pane, scroll: Scroll, times: usize) {
        // A user who reads the last sample must not be moved to a new one.
        self.selection.following = false;
        let lead = self.leading(pane);
        // Some lines of the previous page stay visible for orientation.
        let height = self.text_height(lead);
        let page = (height - (height / 4).min(OVERLAP)).max(1);
        let most = self.most_scroll(lead);
        let now = scrolled(self.scrolled(lead), scroll, times, page, most);
        self.open.scroll[lead.index()] = now;
        if self.are_panes_locked() {
            self.scroll_along(lead);
        }
    }

    /// Returns the longer of two panes that scroll together, so that no line of it is skipped.
    fn leading(&self, pane: Pane) -> Pane {
        pane.opposite()
            .filter(|_| self.are_panes_locked())
            .filter(|&other| self.most_scroll(other) > self.most_scroll(pane))
            .unwrap_or(pane)
    }

    /// Shows the ends of the responses requested by [`Self::read_back`], once they are laid out and
    /// the height of their panes is known.
    pub(super) fn show_ends(&mut self) {
        let is_there = self.current_page().is_some();
        if is_there && self.open.ends.take() == Some(self.selection.selected) {
            for pane in [Pane::Left, Pane::Right] {
                self.open.scroll[pane.index()] = self.most_scroll(pane);
            }
        }
    }

    /// True if paging can lead to another pane or sample.
    fn may_read_on(&self) -> bool {
        self.layout.focus != Pane::List
    }

    /// Moves on after the last line of the focused text: from the prompt to the responses, from a
    /// response to a hidden one, otherwise to the next sample.
    fn read_on(&mut self) {
        let is_alone = self.geometry().shape == LayoutMode::Single;
        match self.layout.focus {
            Pane::Prompt => self.focus_on(Pane::Left),
            Pane::Left if is_alone && self.has_pane(Pane::Right) => self.focus_on(Pane::Right),
            pane => {
                let position = self.selection.position;
                self.select(position.saturating_add(1));
                if is_alone && pane == Pane::Right && self.selection.position != position {
                    self.focus_on(Pane::Left);
                }
            }
        }
    }

    /// Moves back before the first line of the focused text: to the end of a hidden response,
    /// otherwise to the end of the previous sample.
    fn read_back(&mut self) {
        let is_alone = self.geometry().shape == LayoutMode::Single;
        if is_alone && self.layout.focus == Pane::Right {
            return self.focus_on(Pane::Left);
        }
        let before = self.selection.position.checked_sub(1);
        let Some(before) = before.filter(|_| self.layout.focus != Pane::Prompt) else {
            return;
        };
        self.select(before);
        self.open.ends = Some(self.selection.selected);
        if is_alone && self.layout.focus == Pane::Left {
            self.focus_on(Pane::Right);
        }
    }

    /// Makes a line the first of its pane and scrolls a locked pane along.
    pub(super) fn scroll_pane_to(&mut self, pane: Pane, line: usize) {
        self.open.scroll[pane.index()] = line.min(self.most_scroll(pane));
        if self.are_panes_locked() {
            self.scroll_along(pane);
        }
    }

    /// True if the responses scroll together: both are visible and locked.
    pub fn are_panes_locked(&self) -> bool {
        self.settings.view.locked && self.geometry().shape != LayoutMode::Single
    }

    /// Scrolls the other response proportionally.
    fn scroll_along(&mut self, lead: Pane) {
        let Some(follower) = lead.opposite() else {
            return;
        };
        let (now, most) = (self.open.scroll[lead.index()], self.most_scroll(lead));
        let others_most = self.most_scroll(follower);
        let along = (now * others_most + most / 2).checked_div(most);
        self.open.scroll[follower.index()] = along.unwrap_or(0);
    }
}

/// Returns the position after scrolling from `now`; `page` lines are visible, `most` is the last
/// position.
pub(super) fn scrolled(
    now: usize,
    scroll: Scroll,
    times: usize,
    page: usize,
    most: usize,
) -> usize {
    let down = |lines: usize| now.saturating_add(lines.saturating_mul(times));
    let up = |lines: usize| now.saturating_sub(lines.saturating_mul(times));
    let half = page.div_ceil(2);
    match scroll {
        Scroll::LineDown => down(1),
        Scroll::LineUp => up(1),
        Scroll::HalfDown => down(half),
        Scroll::HalfUp => up(half),
        Scroll::PageDown => down(page),
        Scroll::PageUp => up(page),
        Scroll::Top => 0,
        Scroll::Bottom => most,
    }
    .min(most)
}

/// Mouse and terminal.
impl App {
    fn point(&mut self, pointer: Pointer) {
        let hides_panes = self.views.page().is_some() || self.views.top_menu().is_some();
        let is_taken = match pointer {
            Pointer::Wheel(scroll, ..) => self.wheel_over_panes(scroll),
            _ => false,
        };
        if is_taken || hides_panes {
            return;
        }
        let is_chosen = self.mode() == Mode::Panel;
        match pointer {
            Pointer::Press(column, row)
                if is_chosen && self.geometry().panel().contains(column, row) =>
            {
                self.point_at_panel(column, row, true);
            }
            Pointer::Press(column, row) => self.press(column, row),
            Pointer::Drag(column, row) => self.point_at_panel(column, row, false),
            Pointer::Release => {
                if let Some(panel) = self.views.panel_mut() {
                    panel.drag_start = None;
                }
            }
            Pointer::Wheel(scroll, column, row) => self.wheel(column, row, scroll),
        }
    }

    /// Scrolls the view on top of the panes with the wheel. Returns false if there is none.
    fn wheel_over_panes(&mut self, scroll: Scroll) -> bool {
        // A menu covers a page and takes the wheel; an input line leaves it to the page.
        match (self.mode(), self.views.page_mut()) {
            (Mode::Menu | Mode::MenuSearch, _) => self.act_on_top(Action::Scroll(scroll), None),
            (_, Some(page)) => page.scroll(scroll, WHEEL),
            _ => return false,
        }
        true
    }
}

impl App {
    pub(super) fn press(&mut self, column: u16, row: u16) {
        let geometry = self.geometry();
        if let Some(pane) = geometry.pane_at(column, row) {
            self.focus_on(pane);
            let inside = geometry.inside(pane);
            let first = inside.y + u16::from(self.has_list_heading());
            let clicked = self.list.top + usize::from(row.saturating_sub(first));
            if pane == Pane::List
                && inside.contains(column, row)
                && row >= first
                && clicked < self.shown().len()
            {
                self.jump_to(clicked);
            }
        }
    }

    pub(super) fn wheel(&mut self, column: u16, row: u16, scroll: Scroll) {
        match self.geometry().pane_at(column, row) {
            Some(Pane::List) => self.scroll_list(scroll, 1),
            Some(pane) => self.scroll_pane(pane, scroll, WHEEL),
            None => {}
        }
    }
}

/// Data.
impl App {
    pub(super) fn reload(&mut self) {
        // A pipe has no size, and can be read only once.
        let is_piped = |source: &&Arc<Source>| source.progress().of.is_none();
        let piped = self
            .data
            .dataset
            .sources()
            .find(is_piped)
            .map(|source| text::one_line(source.name(), MESSAGE_WIDTH));
        if let Some(name) = piped {
            self.say(texts::read_only_once(name));
            return;
        }
        if self.data.loading != Loading::Done {
            self.say("Still reading; reload the files when it is done.");
            return;
        }
        let key = self.current_sample_key();
        self.seek_for(key.map(|key| SampleTarget::Keyed(key, self.selection.selected)));
        self.data.loading = Loading::UnderWay { long: false };
        self.data.troubles.clear();
        self.say(RELOADING);
        self.request_load(false);
    }

    /// True if there are no samples, nor any being loaded.
    pub(super) fn has_no_data(&self) -> bool {
        self.data.incoming.is_none() && self.data.dataset.samples() == 0
    }

    pub(super) fn load_failed(&mut self, reason: &str) {
        if self.data.is_quiet {
            (self.data.incoming, self.data.is_quiet) = (None, false);
            return self.report_changed(reason);
        }
        let reason = text::one_line(reason, MESSAGE_WIDTH);
        self.data.loading = Loading::Done;
        let has_no_data = self.has_no_data();
        self.data.incoming = None;
        if has_no_data {
            return self.request(Effect::Fail(reason.into()));
        }
        self.say(format!("{reason}; the old data is still shown."));
    }

    /// Returns the first visible line of a pane: the same text as before if the same sample was
    /// laid out again.
    pub(super) fn first_line(&self, pane: Pane, same: Option<&Page>) -> usize {
        let Some(stack) = self.open.stack(pane) else {
            return 0;
        };
        let before = self.open.scroll[pane.index()];
        // With more than two responses the pane may show another one now.
        let is_kept = |old: &&Page| {
            let now = self.open.page.as_ref();
            pane.side().is_none()
                || now.is_some_and(|now| old.response_in(pane) == now.response_in(pane))
        };
        match same.filter(is_kept).and_then(|old| old.stack(pane)) {
            Some(old) if before > 0 => {
                let is_text = matches!(old.part(before), Some(StackLine::Line(..)));
                let line = |place| match is_text {
                    true => stack.line_with(place),
                    // A gap or heading stays the first line.
                    false => stack.line_of(place),
                };
                old.anchor(before).map_or(0, line)
            }
            Some(_) => 0,
            // The responses answer the last turn of a conversation.
            None if pane == Pane::Prompt => stack.last_question().min(self.most_scroll(pane)),
            None => 0,
        }
    }
}

impl App {
    fn take_report(&mut self, generation: u64, report: LoadEvent) {
        let is_done = matches!(report, LoadEvent::Done);
        let is_file = matches!(report, LoadEvent::File(_));
        let has_rows = matches!(&report, LoadEvent::Chunk(chunk) if chunk.samples() > 0);
        let first_rows = is_done || has_rows;
        match report {
            LoadEvent::File(file) => self.data.arriving().add_file(file),
            LoadEvent::Chunk(chunk) => self.data.arriving().add_chunk(chunk),
            LoadEvent::Joined(file) => self.take_joined(file),
            LoadEvent::Error(error) => {
                let words = text::one_line(&error.to_string(), MESSAGE_WIDTH);
                if !self.data.troubles.contains(&words) {
                    self.data.troubles.push(words);
                }
            }
            LoadEvent::Done => {
                self.data.loading = Loading::Done;
                let notice = &mut self.status.notice;
                notice.take_if(|words| words == END_SO_FAR && !self.data.is_followed);
            }
        }
        // The catalog describes all files; reading it for each of very many would take too long.
        let files = self.data.arriving().files().len();
        if is_done || is_file && (files < 64 || files.is_power_of_two()) {
            self.data.read_catalog();
        }
        if self.data.is_quiet && is_done {
            self.take_growth(generation);
        } else if first_rows && !self.data.is_quiet {
            self.replace_dataset(generation);
            self.resume_with_rows();
        }
        self.show_all();
        let there = |&sample: &usize| {
            sample < self.data.dataset.samples() || self.data.loading == Loading::Done
        };
        if let Some(sample) = self.data.awaited.filter(there) {
            self.data.awaited = None;
            // The anchor keeps it as the target until the running query has an answer.
            self.selection.anchor = Some(sample);
            self.reselect();
        }
        if first_rows && let Some(sample) = self.seek() {
            self.seek_for(None);
            self.go_to_found(sample);
        }
    }

    /// Adds the columns of a joined file.
    fn take_joined(&mut self, file: Arc<JoinedFile>) {
        let dataset = self.data.arriving();
        dataset.add_joined(file);
        let summaries: Vec<_> = dataset.joined().iter().map(|file| file.summary()).collect();
        if !self.data.is_quiet {
            self.say(text::one_line(&summaries.join("; "), MESSAGE_WIDTH));
        }
        if self.data.incoming.is_none() {
            self.data.read_catalog();
            self.selection.drop_anchor();
            self.query_again();
            self.list.forget();
            self.reparse_filter_line();
        }
    }

    /// Replaces the old dataset with the incoming one, at the same sample.
    fn replace_dataset(&mut self, generation: u64) {
        if let Some(incoming) = self.data.incoming.take() {
            self.data.awaited = Some(self.data.awaited.unwrap_or(self.selection.selected));
            self.data.replace(incoming, generation, false);
            // Its number may belong to another sample now.
            self.selection.before_jump = None;
            self.query_again();
            // What the user was told for another reason stays.
            self.status.notice.take_if(|words| words == RELOADING);
            self.list.forget();
            self.replace_samples();
        }
    }
}
