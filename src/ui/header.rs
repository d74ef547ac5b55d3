//! The header row: query, order and count at the left, above the list; the open files at the right.

use ratatui::style::Style;

use super::Canvas;
use super::input_line::{order_words, scope_word};
use super::row::Row;
use crate::app::{Action, Loading, PageTone, QueryKind};
use crate::dataset::DatasetFile;
use crate::query::IN_THE_TEXTS;
use crate::search::{HitOrder, SearchScope};
use crate::text::{self, counted, grouped};

/// Minimum width of a query in cells; it is hidden if there is less room.
const QUERY_LEAST: usize = 6;
/// Cells between two parts.
const GAP: usize = 2;
/// Maximum widths of a reviewer's name and of the progress bar of an audit, in cells.
const REVIEWER: usize = 24;
const PROGRESS: usize = 8;

/// A part of the header.
#[derive(Debug, Clone)]
pub(super) struct Part {
    words: String,
    style: Style,
    /// Cells after the words.
    gap: usize,
}

impl Part {
    fn new(words: &str, style: Style) -> Self {
        Self {
            words: text::one_line(words, 400),
            style,
            gap: GAP,
        }
    }
}

impl Canvas<'_> {
    pub fn header(&mut self) {
        let area = self.header_area();
        if area.is_empty() {
            return;
        }
        self.tint(area, self.theme.header);
        let room = usize::from(area.width.saturating_sub(2));
        let numbers = match self.page_title() {
            Some(_) => Vec::new(),
            None => self.header_numbers(),
        };
        let mut asked = match (self.judging_parts(), self.page_title()) {
            (None, Some(parts)) => parts,
            (Some(parts), _) => parts,
            (None, None) => self.query_parts(),
        };
        // The query takes precedence over the file name, up to three quarters of the row.
        let needed = cells(&numbers) + cells(&asked).min(room * 3 / 4);
        let open = self.open_parts(room.saturating_sub(needed));
        if self.app.layout.is_linear {
            let parts = [self.outcome_parts(numbers), asked, open].concat();
            return self.edge(area, area.y).parts(&parts);
        }
        if asked.is_empty() {
            let offers = self.offers();
            let fits = cells(&offers) + needed + cells(&open) <= room;
            asked = if fits { offers } else { asked };
        }
        let mut row = self.edge(area, area.y);
        if !open.is_empty() {
            let (x, end) = (row.x, row.end);
            row.x = (end + GAP as u16).saturating_sub(cells(&open) as u16);
            row.end = row.x.saturating_sub(GAP as u16);
            let left = row.end;
            row.end = end;
            row.parts(&open);
            (row.x, row.end) = (x, left);
        }
        let end = row.end;
        row.end = end.saturating_sub(cells(&numbers) as u16).max(row.x);
        row.parts(&asked);
        row.end = end;
        row.parts(&numbers);
    }

    /// Returns the position, if any, and the winner of the sample.
    fn outcome_parts(&self, mut numbers: Vec<Part>) -> Vec<Part> {
        let page = self
            .app
            .current_page()
            .filter(|_| self.views.page().is_none() && !self.app.shown().is_empty());
        if let Some((page, outcome)) = page.and_then(|page| Some((page, page.outcome.as_ref()?))) {
            let by = outcome.lead_words(page.responses, text::number);
            let words = format!("{}{by}", outcome.verdict.phrase());
            numbers.push(Part::new(&words, self.theme.strong));
        }
        numbers
    }

    /// Returns the title of a page followed by the query; `None` without a page that has a title.
    fn page_title(&self) -> Option<Vec<Part>> {
        let mut parts: Vec<_> = self
            .views
            .page()?
            .doc
            .head
            .iter()
            .map(|(words, tone)| {
                let style = self.theme.tone(*tone);
                match tone {
                    PageTone::Severity(severity) => Part {
                        gap: 1,
                        ..Part::new(
                            &format!("{}{words}", self.glyphs.severity(*severity)),
                            style,
                        )
                    },
                    _ => Part::new(words, style),
                }
            })
            .collect();
        if let [.., last, _] = &mut *parts {
            last.gap = GAP;
        }
        if parts.is_empty() {
            return None;
        }
        parts.extend(self.query_parts());
        Some(parts)
    }

    /// Returns warnings and the open files, as far as they fit into `room` cells.
    fn open_parts(&self, room: usize) -> Vec<Part> {
        let (theme, separator) = (self.theme, self.glyphs.separator);
        let name = self.place_name();
        let titled = match self.titles() {
            titles if titles.is_empty() => name.clone(),
            titles => format!("{name} {separator} {titles}"),
        };
        let mut parts = self.header_warnings();
        let left = room.saturating_sub(cells(&parts) + GAP);
        let open = [titled, name]
            .into_iter()
            .find(|words| text::width(words) <= left);
        parts.extend(open.map(|words| Part::new(&words, theme.header)));
        while cells(&parts) > room {
            parts.pop();
        }
        parts
    }

    /// Returns the progress of loading, if it takes long, and the number of malformed rows and
    /// unusable values.
    fn header_warnings(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        if let Some(words) = self.loading_words() {
            parts.push(Part::new(&words, self.theme.progress));
        }
        let dataset = &self.app.data.dataset;
        // The cut-off line of the demo is there to be seen in the list; nothing is wrong.
        let is_demo = dataset.sources().all(|source| source.is_of_demo());
        if let rows @ 1.. = dataset.malformed()
            && !is_demo
        {
            let unit = dataset.files().first().map_or("line", DatasetFile::unit);
            let words = counted(rows, &format!("malformed {unit}"));
            parts.push(Part::new(
                &format!("{} {words}", self.glyphs.malformed),
                self.theme.error,
            ));
        }
        // It would reveal labels.
        let odd = dataset.lenient_rows().odd_values;
        if odd > 0 && !self.app.is_blind() {
            let words = format!("{} with unusable values", counted(odd, "row"));
            parts.push(Part::new(&words, self.theme.warning));
        }
        parts
    }

    /// Returns the position among the shown samples, and their number.
    pub fn header_numbers(&self) -> Vec<Part> {
        let (shown, samples) = (self.app.shown().len(), self.app.data.dataset.samples());
        let is_linear = self.app.layout.is_linear;
        if samples == 0 || (self.app.running().is_some() && !is_linear) {
            return Vec::new();
        }
        let position = match shown {
            0 => "0".to_owned(),
            _ => grouped(self.app.selection.position + 1),
        };
        let name = if is_linear { "sample " } else { "" };
        let mut numbers = format!("{name}{position}/{}", grouped(shown));
        if self.asked().is_some() {
            numbers = format!("{numbers} of {}", grouped(samples));
        }
        let mut parts = vec![Part::new(&numbers, self.theme.strong)];
        let at_work = QueryKind::ALL.into_iter().find_map(|kind| {
            let looked = self.app.looked_so_far(kind)?;
            Some(match kind {
                QueryKind::Filter => ("filtering", looked, samples),
                QueryKind::Search => ("searching", looked, self.app.selection.filtered.len()),
            })
        });
        if let Some((word, looked, of)) = at_work {
            let percent = (looked * 100).checked_div(of).unwrap_or(0).min(100);
            parts.push(Part::new(
                &format!("{word} {percent} %"),
                self.theme.progress,
            ));
        }
        parts
    }

    /// Returns query and search, preceded by their keys.
    fn query_parts(&self) -> Vec<Part> {
        let theme = self.theme;
        let [query, search] = self.query_and_search();
        let mut parts = Vec::new();
        if self.is_blind() {
            parts.push(Part::new("blind", theme.header_query));
        }
        if let Some(query) = query {
            parts.push(self.key_part(Action::Filter));
            parts.push(Part::new(&query, theme.header_query));
            // Whose values a filter tests is easily taken for granted.
            let active = self.app.filter.active();
            let meaning = active.map(|one| one.query.meaning(&self.app.data.catalog));
            let meaning = meaning.filter(|words| !words.is_empty() && words != IN_THE_TEXTS);
            parts.extend(meaning.map(|words| Part::new(&words, theme.header)));
        }
        let is_searched = search.is_some();
        parts.extend(search.map(|search| Part::new(&search, theme.header_query)));
        let order = self.app.search.order;
        if is_searched && order == HitOrder::Ranked && self.is_sorted() {
            // In a ranked search, the query's sort order applies only to equal ranks.
            parts.push(Part::new(order_words(order), theme.header));
        }
        if self.views.rate().is_some() {
            parts.push(Part::new(&self.reviewer(), theme.header));
        }
        parts
    }

    /// Returns the keys for query and order, shown if neither is set.
    fn offers(&self) -> Vec<Part> {
        let words = |words: &str| Part::new(words, self.theme.header);
        vec![
            self.key_part(Action::Filter),
            words("filter"),
            self.key_part(Action::Sort),
            words("file order"),
        ]
    }

    /// Returns a key, placed close to what it changes.
    fn key_part(&self, action: Action) -> Part {
        let key = self.app.key_for(action).unwrap_or_default();
        Part {
            gap: 1,
            ..Part::new(&key, self.theme.status_key)
        }
    }

    /// True if the query has a sort order.
    fn is_sorted(&self) -> bool {
        self.app
            .filter
            .active()
            .is_some_and(|one| !one.query.sort.is_empty())
    }

    /// Returns the reviewer's name. The user chose it, so it is sanitised.
    fn reviewer(&self) -> String {
        let name = text::one_line(self.review.reviewer(), REVIEWER);
        format!("reviewer {name}")
    }

    /// Returns the progress of the audit and the reviewer. The filter of the audit is not shown: it
    /// may reveal labels.
    fn judging_parts(&self) -> Option<Vec<Part>> {
        let running = self.app.running()?;
        let (settled, of) = running.settled_of_all();
        let theme = self.theme;
        let done = settled as f64 / of.max(1) as f64;
        let bar = self.glyphs.bar(done, PROGRESS).concat();
        let mut parts = vec![
            Part::new(running.session.audit.kind(), theme.header),
            Part::new(&bar, theme.progress),
            Part::new(&running.progress.to_string(), theme.strong),
        ];
        if self.is_blind() {
            parts.push(Part::new("blind", theme.header_query));
        }
        parts.push(Part::new(&self.reviewer(), theme.header));
        Some(parts)
    }

    /// True if labels are hidden from the reviewer.
    fn is_blind(&self) -> bool {
        match self.app.running() {
            Some(running) => running.session.audit.blind,
            None => self.app.is_blind() && !self.review.is_undecided(),
        }
    }

    /// Returns the words of the header for screens without one: position or progress, `blind`, and
    /// the query.
    pub fn header_words(&self) -> Vec<String> {
        let progress = self
            .app
            .running()
            .map(|running| running.progress.to_string());
        let numbers = self.header_numbers().into_iter().map(|part| part.words);
        let blind = self.is_blind().then(|| "blind".to_owned());
        // The filter of an audit may reveal labels.
        let asked = self.asked().filter(|_| progress.is_none());
        progress
            .into_iter()
            .chain(numbers)
            .chain(blind)
            .chain(asked)
            .collect()
    }

    /// Returns the active query and search as typed.
    pub fn asked(&self) -> Option<String> {
        let both: Vec<_> = self.query_and_search().into_iter().flatten().collect();
        (!both.is_empty()).then(|| both.join("  "))
    }

    fn query_and_search(&self) -> [Option<String>; 2] {
        let query = self.app.filter.text();
        let search = self.app.search.sought().map(|sought| {
            let place = match sought.scope {
                SearchScope::Everything | SearchScope::Sample => String::new(),
                scope => format!(" in {}", scope_word(scope)),
            };
            format!("/{}{place}", sought.needle.text())
        });
        [query, search]
    }

    /// Returns the name of the first file and the number of others.
    pub fn file_names(&self) -> String {
        match self.app.data.dataset.files() {
            [] => String::new(),
            [one] => file_name(one),
            [one, other] => format!("{} + {}", file_name(one), file_name(other)),
            [first, more @ ..] => format!("{} + {} files", file_name(first), more.len()),
        }
    }

    /// Returns file and line of the sample on screen, in the form that `y` copies; only the files
    /// if the line is not available.
    fn place_name(&self) -> String {
        let place = self.app.current_page().and_then(|page| page.places.first());
        let files = self.app.data.dataset.files();
        let Some((place, file)) = place.and_then(|place| Some((place, files.get(place.file)?)))
        else {
            return self.file_names();
        };
        let line = match place.unit {
            "line" => place.line,
            _ => place.row,
        };
        let more = match files.len() {
            1 => String::new(),
            files => format!(" (of {files} files)"),
        };
        format!("{}:{line}{more}", file_name(file))
    }

    /// Returns the kinds of the open files, without repetition.
    fn titles(&self) -> String {
        let files = self.app.data.dataset.files().iter();
        let mut titles: Vec<_> = Vec::new();
        for title in files.map(DatasetFile::title) {
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        text::one_line(&titles.join(" + "), 48)
    }

    /// Returns the progress of loading if it takes long.
    fn loading_words(&self) -> Option<String> {
        let Loading::UnderWay { long: true } = self.app.data.loading else {
            return None;
        };
        let Some(done) = self.app.data.dataset.progress() else {
            return Some("loading".to_owned());
        };
        const CELLS: usize = 10;
        let bar = self.glyphs.bar(done, CELLS).concat();
        Some(format!("loading {bar} {:>3.0} %", done * 100.0))
    }
}

impl Row<'_> {
    /// Draws parts, each followed by its gap.
    pub fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            if self.room() < text::width(&part.words).min(QUERY_LEAST) {
                break;
            }
            self.cut(&part.words, part.style);
            self.skip(part.gap);
        }
    }
}

/// Returns the width of parts with their gaps, in cells.
pub(super) fn cells(parts: &[Part]) -> usize {
    parts
        .iter()
        .map(|part| text::width(&part.words) + part.gap)
        .sum()
}

/// Returns the file's name without its folder, to save room.
fn file_name(file: &DatasetFile) -> String {
    text::one_line(file.short_name(), 48)
}
