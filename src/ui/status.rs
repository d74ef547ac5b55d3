//! The last row: where one is, what is going on, and which keys help.

use super::Canvas;
use super::findings::QUEUE_HINTS;
use super::note::NOTE_HINTS;
use super::rating::{CLOSED_RATING_HINTS, RATING_HINTS};
use crate::app::{Action, KeyHints, Loading, Mode, PageContent, PageView, text_size};
use crate::dataset::DatasetFile;
use crate::model::ResponseId;
use crate::text::{self, Hidden, counted, grouped};

/// Actions whose keys are worth a place on every screen, the most useful first; the first within an
/// audit.
const HINTS: KeyHints = &[
    (Action::Rate, "rate"),
    (Action::Help, "help"),
    (Action::Back, "quit"),
    (Action::Filter, "filter"),
    (Action::Search, "search"),
    (Action::NextSample, "next"),
    (Action::NextPane, "pane"),
    (Action::Zoom, "zoom"),
];
/// Those where no sample matches the search, or the filter.
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
const PALETTE_HINTS: KeyHints = &[
    (Action::Cancel, "close"),
    (Action::Accept, "do it"),
    (Action::Later, "next"),
    (Action::Earlier, "before"),
];
/// Keys and what they do, in a word or two.
pub(super) type KeyHint = (String, &'static str);

/// Cells of a notice, at most.
const NOTICE: usize = 400;
/// Below so many columns the status line of who judges has no place for figures.
const NARROW: u16 = 100;
/// Hints that keep their place whatever else there is to say, and the columns from which on both do.
const KEPT_HINTS: usize = 2;
const KEPT_FROM: u16 = 43;
/// Columns of a word that still tell something, where there is no room for all of it.
const LEAST_WORD: usize = 4;

impl Canvas<'_> {
    pub(super) fn status(&mut self) {
        let area = self.browser.geometry().status;
        if area.is_empty() {
            return;
        }
        let (status, warning) = (self.theme.status, self.theme.warning);
        self.tint(area, status);
        let end = area.right();
        let hints = self.hints();
        // What is told until the next key needs its words more than keys need theirs.
        let kept = match area.width {
            _ if self.browser.notice().is_some() => 0,
            ..KEPT_FROM => 1,
            _ => KEPT_HINTS,
        };
        let kept = hints_width(&hints[..kept.min(hints.len())]) as u16;
        let words_end = match kept {
            0 => end,
            _ => end - (kept + 1).min(area.width / 2),
        };
        let mut x = area.x + 1;
        let (words, urgent) = self.status_words();
        let separator = format!(" {} ", self.glyphs.separator);
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                let behind =
                    usize::from(words_end.saturating_sub(x)).checked_sub(text::width(&separator));
                if behind.is_none_or(|room| room < text::width(word).min(LEAST_WORD)) {
                    break;
                }
                x = self.put(x, area.y, words_end, &separator, status);
            }
            x = self.cut(
                x,
                area.y,
                words_end,
                word,
                if urgent == Some(index) {
                    warning
                } else {
                    status
                },
            );
        }
        self.show_hints(&hints, x, area.y, end);
    }

    /// The only words that count now, where there are such, and whether they are urgent.
    fn sole_words(&self) -> Option<(String, bool)> {
        if let Some(exporting) = self
            .review
            .exporting()
            .filter(|exporting| exporting.leaving)
        {
            let (path, percent) = (text::one_line(&exporting.path, 60), exporting.percent());
            let back = self.browser.key_for(Action::Back).unwrap_or_default();
            // What counts first, for a narrow screen.
            let words =
                format!("writing {path}{percent}, then quits; {back} gives up, another key stays");
            return Some((words, true));
        }
        if let Some(notice) = self.browser.notice() {
            // It can quote what a file or a folder of filters says.
            return Some((text::one_line(notice, NOTICE), false));
        }
        if matches!(self.app.mode(), Mode::Menu | Mode::Palette) {
            return Some(Default::default());
        }
        if self.views.page().is_some() {
            return None;
        }
        // Nothing is as urgent as what would be lost.
        let saving = &self.review.saving;
        let trouble = text::one_line(saving.trouble.as_ref()?, NOTICE);
        let waiting = saving.waiting;
        Some((format!("NOT SAVED, {waiting} waiting: {trouble}"), true))
    }

    /// The words from the left, and which of them is urgent.
    fn status_words(&self) -> (Vec<String>, Option<usize>) {
        if let Some((words, is_urgent)) = self.sole_words() {
            return (vec![words], is_urgent.then_some(0));
        }
        if let Some(page) = self.views.page() {
            return (page_words(page), None);
        }
        let mut words = Vec::new();
        let dataset = &self.browser.data.dataset;
        // Who judges or moves handles has the keys for it in sight; where the sample stands is no help
        // then.
        let judging = matches!(
            self.app.mode(),
            Mode::Rate | Mode::Queue | Mode::Note | Mode::Panel
        );
        if !self.browser.shown().is_empty() {
            words.push(format!(
                "{}/{}",
                grouped(self.browser.selection.position + 1),
                grouped(self.browser.shown().len())
            ));
            let elsewhere: Vec<_> = (self.browser.hits_elsewhere())
                .map(ResponseId::letter)
                .collect();
            // A filter can find a sample by something else than a text.
            let is_searched = self.browser.search.sought().is_some();
            let hit = self.browser.hit();
            let hit = hit.filter(|(_, hits)| *hits > 0 || is_searched || !elsewhere.is_empty());
            words.extend(hit.map(|hit| hit_words(hit, &elsewhere)));
            words.extend(
                self.browser
                    .search
                    .wrapped
                    .then(|| "search wrapped".to_owned()),
            );
            words.extend(self.place().filter(|_| !judging));
        }
        let writing = self.review.exporting();
        words.extend(
            writing
                .map(|one| format!("writing {}{}", text::one_line(&one.path, 40), one.percent())),
        );
        let sampling = self.review.is_sampling;
        words.extend(sampling.then(|| "preparing the audit".to_owned()));
        words.extend(self.saved_words());
        // On a narrow screen the keys that judge need its room; A tells it.
        let in_short = &*self.review.in_short;
        let fits = !judging || self.browser.layout.size.0 >= NARROW;
        words.extend(Some(in_short.to_owned()).filter(|words| fits && !words.is_empty()));
        if let Some(count) = self.browser.status.count {
            words.push(format!("{count}_"));
        }
        words.extend(self.switched());
        match dataset.malformed() {
            _ if judging => {}
            0 => {}
            rows => {
                let unit = dataset.files().first().map_or("line", DatasetFile::unit);
                words.push(counted(rows, &format!("malformed {unit}")));
            }
        }
        // It says something of what is hidden from a blind reviewer.
        match dataset.lenient_rows().odd_values {
            _ if judging || self.browser.is_blind() => {}
            0 => {}
            rows => words.push(format!(
                "{} with values that count as none",
                counted(rows, "row")
            )),
        }
        let urgent = match (
            self.browser.data.changed.as_deref(),
            self.browser.data.troubles.last(),
            self.browser.data.loading,
        ) {
            (Some(changed), ..) => {
                let key = self.browser.key_for(Action::Reload).unwrap_or_default();
                Some(format!("{changed}: {key} reads it again"))
            }
            (None, Some(trouble), _) => Some(trouble.clone()),
            (None, None, Loading::UnderWay { .. } | Loading::Done) => None,
        };
        let place = urgent.is_some().then_some(words.len());
        words.extend(urgent);
        (words, place)
    }

    /// Whether what was done is on disk.
    fn saved_words(&self) -> Option<String> {
        let saving = &self.review.saving;
        match (saving.waiting, saving.fresh) {
            (0, true) => Some("saved".to_owned()),
            (0, false) => None,
            (_, _) => Some("saving…".to_owned()),
        }
    }

    /// What is switched from what it is at first.
    fn switched(&self) -> Vec<String> {
        let view = self.browser.settings.view;
        let review = self.review;
        let is_undecided = review.is_undecided();
        let all = [
            (is_undecided, "labels hidden until the audit begins"),
            (
                self.browser.is_blind() && !is_undecided && review.running().is_none(),
                "blind",
            ),
            (self.browser.diff.is_on, "word diff"),
            (!view.locked, "A and B scroll freely"),
            (!view.markdown, "as written"),
            (view.hidden == Hidden::Shown, "hidden shown"),
        ];
        all.into_iter()
            .filter(|(on, _)| *on)
            .map(|(_, words)| words.to_owned())
            .collect()
    }

    /// Where the sample on screen stands.
    fn place(&self) -> Option<String> {
        if !self.browser.page_is_current() {
            let bytes = self
                .browser
                .data
                .dataset
                .sample_bytes(self.browser.selection.selected);
            return Some(format!("reading {}…", text_size(bytes)));
        }
        let page = self.browser.page()?;
        let first = page.places.first()?;
        let files = self.browser.data.dataset.files();
        let file = match files.len() {
            1 => String::new(),
            _ => format!(
                "{} ",
                text::one_line(files.get(first.file)?.short_name(), 32)
            ),
        };
        let rows = row_numbers(
            &page
                .places
                .iter()
                .map(|place| place.row as usize)
                .collect::<Vec<_>>(),
        );
        Some(if page.malformed {
            format!("{file}{} {}", first.unit, grouped(first.line as usize))
        } else {
            format!("{file}row {rows}")
        })
    }

    /// What keys do where one is, the most useful first.
    fn hints(&self) -> Vec<KeyHint> {
        let app = self.app;
        let page = || {
            app.views
                .page()
                .map_or(&[][..], |page| page.content.hints())
        };
        let is_searched = app.browser.search.sought().is_some();
        let hints = match app.mode() {
            Mode::Read if app.browser.shown().is_empty() && is_searched => NOTHING_SEARCHED_HINTS,
            Mode::Read if app.browser.shown().is_empty() => NOTHING_HINTS,
            // Within an audit the strip is where one goes on.
            Mode::Read if app.review.running().is_some() => HINTS,
            Mode::Read => &HINTS[1..],
            Mode::Panel => return self.panel_hints(),
            Mode::Queue => QUEUE_HINTS,
            Mode::Rate if app.review.is_judgment_closed(&app.browser, &app.views) => {
                CLOSED_RATING_HINTS
            }
            Mode::Rate => RATING_HINTS,
            Mode::Note => NOTE_HINTS,
            Mode::Palette => PALETTE_HINTS,
            Mode::Menu => app.views.top_menu().map_or(&[][..], |menu| menu.hints),
            _ => page(),
        };
        self.spelled(hints)
    }

    /// Hints with their keys, as far as they have any here.
    pub(super) fn spelled(&self, hints: &[(Action, &'static str)]) -> Vec<KeyHint> {
        let hints = hints.iter();
        let hints = hints.filter_map(|&(action, what)| Some((self.key(action)?, what)));
        hints.collect()
    }

    /// How the key that asks for something here is written.
    pub(super) fn key(&self, action: Action) -> Option<String> {
        let own = self.browser.key_in(self.app.context(), action);
        own.or_else(|| self.browser.key_for(action))
    }

    /// As many hints as fit at the right, behind a column; returns their cells.
    pub(super) fn show_hints(&mut self, hints: &[KeyHint], from: u16, y: u16, end: u16) -> u16 {
        let room = usize::from(end.saturating_sub(from + 1));
        let fits = |shown: &usize| hints_width(&hints[..*shown]) <= room;
        let shown = (0..=hints.len()).rev().find(fits).unwrap_or(0);
        let shown = &hints[..shown];
        let width = hints_width(shown) as u16;
        let mut x = end.saturating_sub(width);
        for (key, what) in shown {
            x = self.put(x, y, end, key, self.theme.status_key);
            x = self.put(x + 1, y, end, what, self.theme.status) + 2;
        }
        width
    }
}

/// What a page is, where the cursor is on it, and what was found there.
fn page_words(page: &PageView<dyn PageContent>) -> Vec<String> {
    let (at, lines) = (grouped(page.at + 1), grouped(page.doc.lines));
    let line = (page.doc.by_line && page.doc.lines > 0).then(|| format!("line {at}/{lines}"));
    let hits = page.doc.hits.as_ref().map(Vec::len);
    let hits = hits.map(|hits| match page.hit {
        Some(here) => format!("hit {}/{}", grouped(here + 1), grouped(hits)),
        None => counted(hits, "hit"),
    });
    let title = Some(page.doc.title.clone()).filter(|title| !title.is_empty());
    [title, line, hits].into_iter().flatten().collect()
}

/// Cells of hints, with the blanks behind each.
fn hints_width(hints: &[KeyHint]) -> usize {
    let width = |(key, what): &KeyHint| text::width(key) + 1 + text::width(what) + 2;
    hints.iter().map(width).sum()
}

/// The hit on which one stands, of how many in the panes, and which responses that stand in no pane
/// have hits as well.
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

/// The numbers of the rows that make a sample, in few words: `17+18`; of more than two that follow
/// each other `17–32`, and of others the first two and how many there are.
fn row_numbers(rows: &[usize]) -> String {
    let follow = rows.windows(2).all(|pair| pair[1] == pair[0] + 1);
    match rows {
        [first, .., last] if rows.len() > 2 && follow => {
            format!("{}–{}", grouped(*first), grouped(*last))
        }
        [first, second, .., _] if rows.len() > 3 => {
            let rest = rows.len() - 2;
            format!("{}+{}+{rest} more", grouped(*first), grouped(*second))
        }
        _ => rows
            .iter()
            .map(|&row| grouped(row))
            .collect::<Vec<_>>()
            .join("+"),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::{Buffer, Cell};
    use ratatui::layout::Rect;

    use crate::app::{App, Blind, Help, PendingOpening, ViewOptions};
    use crate::journal::Reveal;
    use crate::text::{Hidden, TextGlyphs};
    use crate::ui::{ColorDepth, Glyphs, Look, Preset, Theme, draw};

    #[test]
    fn rows_in_few_words() {
        for (rows, words) in [
            (&[7][..], "7"),
            (&[7, 8], "7+8"),
            (&[1999, 2000, 2001], "1,999–2,001"),
            (&[1, 3, 5], "1+3+5"),
            (&[1, 3, 5, 6], "1+3+2 more"),
            // As who judges blind sees them.
            (&[3, 2, 1], "3+2+1"),
        ] {
            assert_eq!(super::row_numbers(rows), words, "{rows:?}");
        }
    }

    /// The last row of a program that was just started.
    fn status(blind: Option<Blind>, audit: Option<&str>) -> String {
        let view = ViewOptions {
            markdown: true,
            hidden: Hidden::Discreet,
            unfolded: false,
            locked: true,
            glyphs: TextGlyphs::UNICODE,
        };
        let mut app = App::new((80, 24), view, Help::default());
        let opening = PendingOpening {
            filter: None,
            audit: audit.map(str::to_owned),
        };
        app.introduce("ann", blind, opening);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
        let look = Look {
            theme: Theme::load(Preset::Plain, ColorDepth::None),
            glyphs: Glyphs::UNICODE,
        };
        draw(&mut buffer, &app, &look);
        let cells = &buffer.content()[23 * 80..];
        cells.iter().map(Cell::symbol).collect()
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
            assert_eq!(words.contains("blind"), is_blind, "{words}");
        }
    }
}
