//! The message shown if there are no samples to show, with keys that help.

use ratatui::style::Style;

use super::Canvas;
use crate::app::{Action, Area, Loading, Pane};
use crate::text::{counted, one_line, width};

/// Maximum width in cells of a sentence that quotes the filter.
const MESSAGE: usize = 120;

impl Canvas<'_> {
    /// Draws the message for a query without matches, or without matches so far.
    pub fn no_matches(&mut self) {
        let frame = match self.response_frame() {
            frame if frame.is_empty() => self.app.geometry().frame(self.app.layout.focus),
            frame => frame,
        };
        if frame.is_empty() {
            return;
        }
        let inside = frame.inside();
        let mut lines = self.why_nothing(usize::from(inside.width));
        lines.extend(self.what_to_try());
        let top = inside.y + inside.height.saturating_sub(lines.len() as u16) / 2;
        self.centred(lines, inside, top);
    }

    /// Draws lines centred in an area from row `top` on.
    fn centred(&mut self, lines: Vec<(String, Style)>, area: Area, top: u16) {
        for ((words, style), y) in lines.into_iter().zip(top..area.y + area.height) {
            let mut row = self.row(area.row(y));
            row.skip(row.room().saturating_sub(width(&words)) / 2);
            row.cut(&words, style);
        }
    }

    /// Returns the area of both responses, or of the visible one.
    pub fn response_frame(&self) -> Area {
        let geometry = self.app.geometry();
        match [Pane::Left, Pane::Right].map(|pane| geometry.frame(pane)) {
            [left, right] if right.is_empty() => left,
            [left, right] if left.is_empty() => right,
            [left, right] => Area {
                width: (right.x + right.width).saturating_sub(left.x),
                height: (right.y + right.height).saturating_sub(left.y),
                ..left
            },
        }
    }

    /// Returns lines of at most `room` cells that say what has no match.
    fn why_nothing(&self, room: usize) -> Vec<(String, Style)> {
        let (plain, strong) = (self.theme.text, self.theme.strong);
        let asked = one_line(&self.asked().unwrap_or_default(), room);
        if self.app.is_querying() {
            return vec![("No matches so far for".to_owned(), plain), (asked, strong)];
        }
        if let Some(how) = self.app.data.changed.as_deref() {
            // A changed file may contain samples that were not found.
            let reload = self.app.key_for(Action::Reload).unwrap_or_default();
            return vec![
                (one_line(how, room), strong),
                (format!("{reload} reloads it"), plain),
                (String::new(), plain),
                ("No remaining sample matches".to_owned(), plain),
                (asked, strong),
            ];
        }
        vec![("No sample matches".to_owned(), plain), (asked, strong)]
    }

    /// Returns suggestions: likely mistakes in the query, and keys that change or clear it.
    fn what_to_try(&self) -> Vec<(String, Style)> {
        let (dim, plain, warning) = (self.theme.dim, self.theme.text, self.theme.warning);
        if self.app.is_querying() {
            return Vec::new();
        }
        let (catalog, filter) = (&self.app.data.catalog, self.app.filter.active());
        let sought = self.app.search.sought();
        let mut lines = Vec::new();
        let reason = filter.and_then(|one| one.query.explain_no_match(catalog));
        lines.extend(reason.map(|why| (one_line(&why, MESSAGE), warning)));
        let meant = filter
            .and_then(|one| catalog.likely_field(&one.query))
            .map(|name| one_line(name, MESSAGE));
        lines.extend(meant.map(|name| (format!("Did you mean the field {name}?"), plain)));
        let near = sought.filter(|sought| sought.needle.takes_near_spellings());
        lines.extend(near.map(|_| ("Near spellings were tried too.".to_owned(), dim)));
        let regex = sought.filter(|sought| sought.needle.looks_like_regex());
        lines.extend(regex.map(|sought| {
            let words = format!(
                "Type /{}/ to search for a regular expression",
                sought.needle.text()
            );
            (one_line(&words, MESSAGE), plain)
        }));
        if self.views.line().is_some() || self.app.data.changed.is_some() {
            // While typing, the keys are shown beside the line.
            return lines;
        }
        lines.push((String::new(), dim));
        let key = |action| self.app.key_for(action).unwrap_or_default();
        if sought.is_some() {
            let [change, drop] = [Action::Search, Action::Cancel].map(key);
            lines.push((format!("{change} changes the search, {drop} drops it"), dim));
            let filtered = self.app.selection.filtered.len();
            if filter.is_some() && filtered > 0 {
                let within = counted(filtered, "sample");
                lines.push((format!("it searches the {within} of the filter"), dim));
            }
        }
        if filter.is_some() {
            let [change, drop] = [Action::Filter, Action::DropFilter].map(key);
            lines.push((format!("{change} changes the filter, {drop} drops it"), dim));
        }
        lines
    }

    /// Draws the message before the first sample is loaded, or for an empty file.
    pub fn no_samples(&mut self) {
        let (columns, height) = self.app.layout.size;
        let names = self.file_names();
        let key = |action| self.app.key_for(action).unwrap_or_default();
        let (quit, reload) = (key(Action::Back), key(Action::Reload));
        let (what, then) = match self.app.data.loading {
            Loading::UnderWay { .. } if names.is_empty() => (
                "Waiting for the first line…".to_owned(),
                format!("{quit} quits"),
            ),
            Loading::UnderWay { .. } | Loading::Stopping => {
                (format!("Reading {names}…"), format!("{quit} quits"))
            }
            Loading::Done => (
                format!("No samples in {names}: all lines are blank."),
                format!("{reload} reloads it   {quit} quits"),
            ),
        };
        let lines = vec![
            (what, self.theme.text),
            (String::new(), self.theme.text),
            (then, self.theme.dim),
        ];
        let body = Area::new(0, 1, columns, height.saturating_sub(2));
        self.centred(lines, body, (height / 2).max(1));
    }
}
