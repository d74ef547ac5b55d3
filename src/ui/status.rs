//! The status line: position, current activity and key hints.

use super::Canvas;
use super::findings::QUEUE_HINTS;
use super::note::NOTE_HINTS;
use super::rating::{CLOSED_RATING_HINTS, RATING_HINTS};
use super::row::Row;
use crate::app::{
    Action, Edit, KeyHints, LayoutMode, Mode, PageContent, PageView, Pane, Scroll, text_size,
};
use crate::model::ResponseId;
use crate::text::{self, Hidden, counted, grouped};

/// Key hints in the panes, most useful first.
const HINTS: KeyHints = &[
    (Action::NextSample, "next"),
    (Action::Scroll(Scroll::PageDown), "page"),
    (Action::Filter, "filter"),
    (Action::Sort, "sort"),
    (Action::Search, "search"),
    (Action::Rate, "rate"),
    (Action::Mark, "mark"),
    (Action::LabelsPanel, "labels"),
    (Action::Statistics, "statistics"),
    (Action::Findings, "findings"),
    (Action::Export, "export"),
    (Action::Copy, "copy"),
    (Action::Command, "command"),
];
/// Key hints if no sample matches the search, or the filter.
const NOTHING_SEARCHED_HINTS: KeyHints = &[
    (Action::Help, "help"),
    (Action::Back, "quit"),
    (Action::Cancel, "drop the search"),
    (Action::Filter, "filter"),
    (Action::Search, "search"),
];
const NOTHING_HINTS: KeyHints = &[
    (Action::Help, "help"),
    (Action::Back, "quit"),
    (Action::DropFilter, "drop the filter"),
    (Action::Filter, "filter"),
    (Action::Search, "search"),
];
/// A key and a short description.
pub(super) type KeyHint = (String, &'static str);

/// Cells between words and hints.
const GAP: usize = 2;
/// Maximum width of a notice in cells.
const NOTICE: usize = 400;
/// Screen width in columns below which the status line of a judging reviewer has no figures.
const NARROW: u16 = 100;
/// Minimum width in columns to which a word is shortened.
const MIN_WORD: usize = 4;

impl Canvas<'_> {
    pub fn status(&mut self) {
        let area = self.app.geometry().status;
        if area.is_empty() {
            return;
        }
        let theme = self.theme;
        self.tint(area, theme.status);
        let hints = self.hints();
        // A notice has priority over key hints.
        let kept = match self.app.notice() {
            Some(_) => 0,
            None => hints_width(&hints[..1.min(hints.len())]) as u16,
        };
        let (words, urgent) = self.status_words();
        let mut row = self.edge(area, area.y);
        let end = row.end;
        row.end -= kept.min(area.width / 2).min(row.end);
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                if row.room() < 3 + text::width(word).min(MIN_WORD) {
                    break;
                }
                row.separate(theme.status);
            }
            let style = if urgent == Some(index) {
                theme.warning
            } else {
                theme.status
            };
            row.cut(word, style);
        }
        row.end = end;
        if !words.is_empty() {
            row.skip(GAP);
        }
        row.hints(&hints);
    }

    /// Returns the message that replaces all other words, if any, and whether it is urgent.
    fn sole_words(&self) -> Option<(String, bool)> {
        if let Some(exporting) = self
            .review
            .exporting()
            .filter(|exporting| exporting.leaving)
        {
            let (path, percent) = (text::one_line(&exporting.path, 60), exporting.percent());
            let back = self.app.key_for(Action::Back).unwrap_or_default();
            // The most important part comes first, for narrow screens.
            let words =
                format!("writing {path}{percent}, then quits; {back} aborts, another key stays");
            return Some((words, true));
        }
        if let Some(notice) = self.app.notice() {
            // A notice can quote files, so it is sanitised.
            return Some((text::one_line(notice, NOTICE), false));
        }
        if let Some(menu) = self.views.top_menu() {
            // Narrow screens do not have room for the description of the selected line.
            let words = menu
                .chosen_line()
                .filter(|_| menu.fills_screen)
                .map(|line| [&*line.note, &line.text][usize::from(line.note.is_empty())]);
            return Some((words.unwrap_or("type to find").to_owned(), false));
        }
        if self.views.page().is_some() {
            return None;
        }
        // Unsaved judgments are the most urgent message.
        self.review.unsaved().map(|words| (words, true))
    }

    /// Returns the words from the left, and the index of the urgent one.
    fn status_words(&self) -> (Vec<String>, Option<usize>) {
        if let Some((words, is_urgent)) = self.sole_words() {
            return (vec![words], is_urgent.then_some(0));
        }
        if let Some(page) = self.views.page() {
            return (page_words(page), None);
        }
        let mut words = Vec::new();
        // While judging or changing the panel, key hints are more useful than the position.
        let judging = matches!(
            self.app.mode(),
            Mode::Rate | Mode::Queue | Mode::Note | Mode::Panel
        );
        if self.app.geometry().header.is_empty() {
            // The status line replaces a missing header.
            words.extend(self.header_words());
        }
        if !self.app.shown().is_empty() {
            let elsewhere: Vec<_> = (self.app.hits_elsewhere())
                .map(ResponseId::letter)
                .collect();
            // A filter may match without a hit in the texts.
            let is_searched = self.app.search.sought().is_some();
            let hit = self
                .app
                .hit()
                .filter(|(_, hits)| *hits > 0 || is_searched || !elsewhere.is_empty());
            words.extend(hit.map(|hit| hit_words(hit, &elsewhere)));
            words.extend(self.app.search.wrapped.then(|| "search wrapped".to_owned()));
            words.extend(self.reading_words());
        }
        let writing = self.review.exporting();
        words.extend(
            writing
                .map(|one| format!("writing {}{}", text::one_line(&one.path, 40), one.percent())),
        );
        let sampling = self.review.is_sampling();
        words.extend(sampling.then(|| "preparing the audit".to_owned()));
        words.extend(self.saved_words());
        // On a narrow screen the keys for judging need the room; the agreement screen has the
        // figures.
        let in_short = &*self.review.in_short;
        let fits = !judging || self.app.layout.size.0 >= NARROW;
        let fits = fits && !self.app.layout.is_linear;
        words.extend(Some(in_short.to_owned()).filter(|words| fits && !words.is_empty()));
        if let Some(count) = self.app.status.count {
            words.push(format!("{count}_"));
        }
        words.extend(self.switched());
        let urgent = match (
            self.app.data.changed.as_deref(),
            self.app.data.troubles.last(),
            self.app.data.loading,
        ) {
            (Some(changed), ..) => {
                let key = self.app.key_for(Action::Reload).unwrap_or_default();
                Some(format!("{changed}; {key} reloads it"))
            }
            (None, Some(trouble), _) => Some(trouble.clone()),
            (None, None, _) => None,
        };
        let place = urgent.is_some().then_some(words.len());
        words.extend(urgent);
        (words, place)
    }

    /// Returns whether judgments are being saved.
    fn saved_words(&self) -> Option<String> {
        let saving = &self.review.saving;
        match (saving.waiting, saving.fresh) {
            // Only failures are read aloud.
            _ if self.app.layout.is_linear => None,
            (0, true) => Some("saved".to_owned()),
            (0, false) => None,
            _ => Some("saving…".to_owned()),
        }
    }

    /// Returns view options that differ from the defaults.
    fn switched(&self) -> Vec<String> {
        let view = self.app.settings.view;
        let is_undecided = self.review.is_undecided();
        [
            (is_undecided, "labels hidden until the audit begins"),
            (self.app.diff.is_on, "word diff"),
            (!view.locked, "A and B scroll freely"),
            (!view.markdown, "as written"),
            (view.hidden == Hidden::Shown, "hidden shown"),
        ]
        .into_iter()
        .filter(|(on, _)| *on)
        .map(|(_, words)| words.to_owned())
        .collect()
    }

    /// Returns the size of the sample while it is being read.
    fn reading_words(&self) -> Option<String> {
        if self.app.page_is_current() {
            return None;
        }
        let bytes = self
            .app
            .data
            .dataset
            .sample_bytes(self.app.selection.selected);
        Some(format!("reading {}…", text_size(bytes)))
    }

    /// Returns the key hints of the current mode; the first one is always shown.
    fn hints(&self) -> Vec<KeyHint> {
        let app = self.app;
        if app.layout.is_linear {
            // They would be read aloud again and again.
            return Vec::new();
        }
        let page = || {
            app.views
                .page()
                .map_or(&[][..], |page| page.content.hints())
        };
        let is_searched = app.search.sought().is_some();
        let hints = match app.mode() {
            Mode::Read if app.shown().is_empty() && is_searched => NOTHING_SEARCHED_HINTS,
            Mode::Read if app.shown().is_empty() => NOTHING_HINTS,
            Mode::Read => return self.reading_hints(),
            Mode::Panel => return self.panel_hints(),
            Mode::Line => {
                return self
                    .views
                    .line()
                    .map_or_else(Vec::new, |line| self.line_hints(line));
            }
            Mode::Queue => QUEUE_HINTS,
            Mode::Rate if app.is_judgment_closed() => CLOSED_RATING_HINTS,
            Mode::Rate => {
                let mut hints = self.spelled(RATING_HINTS);
                let digits = app.rating_digits().map(|digits| (digits, "rate"));
                hints.splice(1..1, digits);
                return hints;
            }
            Mode::Note => NOTE_HINTS,
            Mode::Menu | Mode::MenuSearch => {
                let hints = app.views.top_menu().map_or(&[][..], |menu| menu.hints);
                let is_key =
                    |hint: &&(Action, &str)| app.mode() == Mode::Menu || hint.0 != Action::Search;
                let hints: Vec<_> = hints.iter().filter(is_key).copied().collect();
                return self.spelled(&hints);
            }
            _ => page(),
        };
        self.spelled(hints)
    }

    /// Returns the key hints of the panes, by focus and active search.
    fn reading_hints(&self) -> Vec<KeyHint> {
        let app = self.app;
        let mut hints: Vec<(Action, &'static str)> = vec![(Action::Help, "keys")];
        if self.app.running().is_some() {
            hints.push((Action::Rate, "rate"));
        }
        if app.search.sought().is_some() {
            hints.extend([
                (Action::NextHit, "next hit"),
                (Action::Cancel, "drop the search"),
            ]);
        }
        let is_hidden = app.geometry().rationales.is_empty();
        if app.layout.zoomed {
            hints.push((Action::Zoom, "all panes"));
        } else if is_hidden && app.has_pane(Pane::Rationales) {
            hints.push((Action::NextPane, "rationales"));
        } else if app.layout.focus == Pane::List {
            hints.push((Action::Zoom, "read"));
        } else if app.geometry().shape == LayoutMode::Single {
            hints.push((Action::NextPane, "other pane"));
        }
        if app.responses() > 2 {
            let pane = match app.layout.focus {
                Pane::Left => Pane::Left,
                _ => Pane::Right,
            };
            hints.push((Action::NextResponse(pane), "other response"));
        }
        let is_new = |hint: &&(Action, &'static str)| {
            app.refusal(hint.0).is_none() && hints.iter().all(|known| known.0 != hint.0)
        };
        let more: Vec<_> = HINTS.iter().filter(is_new).copied().collect();
        hints.extend(more);
        self.spelled(&hints)
    }

    /// Adds the keys to hints; unbound actions are left out.
    pub fn spelled(&self, hints: &[(Action, &'static str)]) -> Vec<KeyHint> {
        hints
            .iter()
            .filter_map(|&(action, what)| Some((self.key(action)?, what)))
            .collect()
    }

    /// Returns the key for an action in the current context.
    pub fn key(&self, action: Action) -> Option<String> {
        // While typing in a menu, the keys of the input line perform the menu's actions.
        let action = match (self.app.mode(), action) {
            (Mode::MenuSearch, Action::Add) => Action::Complete,
            (Mode::MenuSearch, Action::Delete) => Action::Edit(Edit::Delete),
            _ => action,
        };
        self.app
            .key_in(self.app.mode().context(), action)
            .or_else(|| self.app.key_for(action))
    }
}

impl Row<'_> {
    /// Writes as many hints as fit at the end of the row, the first one last; ends the row before
    /// them.
    pub fn hints(&mut self, hints: &[KeyHint]) {
        // No gap is needed after the last hint.
        let room = self.room() + 2;
        let fits = |shown: &usize| hints_width(&hints[..*shown]) <= room;
        let shown = (0..=hints.len()).rev().find(fits).unwrap_or(0);
        let mut shown = hints[..shown].to_vec();
        if shown.is_empty() {
            return;
        }
        shown.rotate_left(1);
        let from = (self.end + 2).saturating_sub(hints_width(&shown) as u16);
        let x = std::mem::replace(&mut self.x, from);
        for (key, what) in &shown {
            self.put(key, self.theme.status_key);
            self.skip(1);
            self.put(what, self.theme.status);
            self.skip(2);
        }
        (self.x, self.end) = (x, from);
    }
}

/// Returns the title of a page, the position of the cursor, and hits.
fn page_words(page: &PageView<dyn PageContent>) -> Vec<String> {
    let (at, lines) = (grouped(page.at + 1), grouped(page.doc.lines));
    let line = (page.doc.by_line && page.doc.lines > 0).then(|| format!("line {at}/{lines}"));
    let hits = page
        .doc
        .hits
        .as_ref()
        .map(Vec::len)
        .map(|hits| match page.hit {
            Some(here) => format!("hit {}/{}", grouped(here + 1), grouped(hits)),
            None => counted(hits, "hit"),
        });
    let title = Some(page.doc.title.clone()).filter(|title| !title.is_empty());
    [title, line, hits].into_iter().flatten().collect()
}

/// Returns the width of hints with the gap after each, in cells.
fn hints_width(hints: &[KeyHint]) -> usize {
    let width = |(key, what): &KeyHint| text::width(key) + 1 + text::width(what) + 2;
    hints.iter().map(width).sum()
}

/// Returns the current hit, the number of hits in the panes, and the hidden responses with hits.
fn hit_words((at, hits): (Option<usize>, usize), elsewhere: &[&str]) -> String {
    let words = match (at, hits) {
        (_, 0) => "no hit shown".to_owned(),
        (Some(at), _) => format!("hit {}/{}", grouped(at + 1), grouped(hits)),
        (None, _) => counted(hits, "hit"),
    };
    match (elsewhere, hits) {
        ([], _) => words,
        (letters, 0) => format!("hits in {}", letters.join(" ")),
        (letters, _) => format!("{words}, also in {}", letters.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::{Buffer, Cell};
    use ratatui::layout::Rect;

    use crate::app::{
        Action, App, Blind, Help, Message, PendingOpening, ReviewEvent, ViewOptions, update,
    };
    use crate::journal::Reveal;
    use crate::text::{Hidden, TextGlyphs};
    use crate::ui::{ColorDepth, Glyphs, Look, Preset, Theme, draw};

    /// Returns the first and the last row of a new session.
    fn status(blind: Option<Blind>, audit: Option<&str>) -> String {
        let rows = rows(&app((80, 24), blind, audit));
        rows[0].clone() + &rows[23]
    }

    fn app(size: (u16, u16), blind: Option<Blind>, audit: Option<&str>) -> App {
        let view = ViewOptions {
            markdown: true,
            hidden: Hidden::Discreet,
            unfolded: false,
            locked: true,
            stacked: false,
            glyphs: TextGlyphs::UNICODE,
        };
        let mut app = App::new(size, view, Help::default());
        let opening = PendingOpening {
            filter: None,
            audit: audit.map(str::to_owned),
        };
        app.introduce("ann", blind, opening);
        app
    }

    fn rows(app: &App) -> Vec<String> {
        let (width, height) = app.layout.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        let look = Look {
            theme: Theme::load(Preset::Plain, ColorDepth::None),
            glyphs: Glyphs::UNICODE,
        };
        draw(&mut buffer, app, &look);
        let rows = buffer.content().chunks(width.into());
        rows.map(|cells| cells.iter().map(Cell::symbol).collect())
            .collect()
    }

    #[test]
    fn no_notice_or_view_hides_that_judgments_are_not_saved() {
        let views: [fn() -> Message; 5] = [
            || Message::Notice("A notice.".to_owned()),
            || Message::Action(Action::Help),
            || Message::Action(Action::Command),
            || Message::Action(Action::Filter),
            || Message::Action(Action::Statistics),
        ];
        for size in [(160, 48), (80, 24), (40, 12), (1, 1)] {
            for view in views {
                let mut app = app(size, None, None);
                let full = ReviewEvent::NotSaved("the disk is full".to_owned());
                update(&mut app, Message::Review(full));
                update(&mut app, view());
                let row = rows(&app).remove(0);
                assert!(
                    size.0 == 1 || row.ends_with(" NOT SAVED "),
                    "{size:?}: {row}"
                );
                update(&mut app, Message::Review(ReviewEvent::Saved(1)));
                assert!(!rows(&app)[0].contains("NOT SAVED"), "{size:?}");
            }
        }
    }

    #[test]
    fn labels_that_are_hidden_until_an_audit_begins_are_not_called_blind() {
        let blind = Blind {
            reveal: Reveal::After,
            strict: true,
        };
        let waiting = "labels hidden until the audit begins";
        for (blind, audit, is_waiting, is_blind) in [
            (None, None, false, false),
            (None, Some(""), true, false),
            (Some(blind), None, false, true),
            (Some(blind), Some(""), false, true),
        ] {
            let words = status(blind, audit);
            assert_eq!(words.contains(waiting), is_waiting, "{words}");
            assert_eq!(words.contains(" blind "), is_blind, "{words}");
        }
    }
}
