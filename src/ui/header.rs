//! The first row: the program, what is open, and how much of it.

use ratatui::style::Style;

use super::Canvas;
use super::input_line::{order_words, scope_word};
use crate::app::{Area, Loading, QueryKind};
use crate::dataset::DatasetFile;
use crate::search::{HitOrder, SearchScope};
use crate::text::{self, counted, grouped};

/// A query is not cut to fewer cells than this, but left out.
const QUERY_LEAST: usize = 6;
/// Cells of the program's name with a blank on either side.
const BRAND: usize = 10;
/// Cells below which a file's name says nothing.
const NAME_LEAST: usize = 6;
/// Cells of a reviewer's name.
const REVIEWER: usize = 24;

impl Canvas<'_> {
    pub fn header(&mut self) {
        let area = self.browser.geometry().header;
        if area.is_empty() {
            return;
        }
        let theme = self.theme;
        self.tint(area, theme.header);
        let right = self.header_right();
        let reserved = text::width(&right) as u16 + 2;
        let mut end = area.right();
        if area.width > 2 * reserved {
            end -= reserved;
            let x = end + 1;
            self.row(Area { x, ..area }).put(&right, theme.progress);
        }
        let width = self.header_query(Area { width: end, ..area });
        let names = self.file_names();
        let counted = [true, false].map(|titled| self.counted(titled));
        let mut row = self.row(Area { width, ..area });
        row.skip(1);
        row.put("visavis", theme.header_brand);
        row.skip(2);
        if !names.is_empty() && row.room() >= NAME_LEAST {
            row.cut(&names, theme.header);
            row.skip(2);
        }
        // Where not all fits, the number of samples says more than what kind they are.
        let [titled, counted] = counted;
        let fits = text::width(&titled) < row.room();
        row.put(if fits { &titled } else { &counted }, theme.dim);
    }

    /// The query in force at the right of an area that begins in the first column, with how many
    /// samples it shows; returns the column that everything else must end before.
    fn header_query(&mut self, area: Area) -> u16 {
        // Who judges is what gives way first where there is little room.
        let room = usize::from(area.width).saturating_sub(text::width(&self.file_names()) + 13);
        let style = self.theme.header_query;
        if let Some(words) = self.judging_words(room) {
            return self.header_fact(area, &words, style);
        }
        let [query, mut search] = self.both_asked();
        let filter = self.browser.filter.in_force();
        let order = self.browser.search.order;
        if let Some(search) = &mut search
            && order == HitOrder::Ranked
            && filter.is_some_and(|one| !one.query.sort.is_empty())
        {
            // What the query says of the order tells only those apart that fit alike.
            let separator = self.glyphs.separator;
            search.push_str(&format!(" {separator} {}", order_words(order)));
        }
        let mut width = area.width;
        if self.views.rate().is_some() {
            let name = self.reviewer();
            let asked = [&query, &search].into_iter().flatten();
            let asked: usize = asked.map(|words| text::width(words) + 2).sum();
            if !name.is_empty() && text::width(&name) + asked + 24 <= room {
                width = self.header_fact(area, &name, style);
            }
        }
        if query.is_none() && search.is_none() {
            return width;
        }
        let numbers = self.header_numbers();
        let plain = self.theme.text;
        width = self.header_fact(Area { width, ..area }, &numbers, plain);
        // What is shown says more than which file it is of: the name takes what the query leaves.
        let room = usize::from(width).saturating_sub(BRAND);
        if room < QUERY_LEAST {
            return width;
        }
        // Where not both fit, the search keeps its place and the query ends early: it is the longer
        // one, as a rule.
        let [mut query, search] =
            [query, search].map(|words| text::one_line(&words.unwrap_or_default(), 4000));
        let is_both = !query.is_empty() && !search.is_empty();
        let gap = if is_both { 2 } else { 0 };
        let left = room.saturating_sub(text::width(&search) + gap);
        if is_both && left < QUERY_LEAST {
            query.clear();
        }
        let query_cells = text::width(&query).min(left);
        let gap = if query.is_empty() { 0 } else { gap };
        let cells = (query_cells + gap + text::width(&search)).min(room);
        let mut row = self.row(Area { width, ..area });
        row.x = width - cells as u16;
        let behind = row.x.saturating_sub(2);
        if !query.is_empty() {
            row.column(query_cells, |row| row.cut(&query, style));
            row.skip(gap.saturating_sub(1));
        }
        row.cut(&search, style);
        behind
    }

    /// Writes a fact at the right of an area; returns the width that is left before it.
    fn header_fact(&mut self, area: Area, words: &str, style: Style) -> u16 {
        let mut row = self.row(area);
        row.end = row.end.saturating_sub(1);
        row.right(words, style);
        row.end.saturating_sub(2)
    }

    /// How many samples show, and how far it is looked for more.
    fn header_numbers(&self) -> String {
        let samples = self.browser.data.dataset.samples();
        let [shown, all] = [self.browser.shown().len(), samples].map(grouped);
        let at_work = QueryKind::ALL.into_iter().find_map(|kind| {
            let looked = self.browser.query_progress(kind).so_far()?;
            Some(match kind {
                QueryKind::Filter => ("looking", looked, samples),
                QueryKind::Search => ("searching", looked, self.browser.selection.filtered.len()),
            })
        });
        let progress = at_work.map(|(word, looked, of)| {
            let percent = (looked * 100).checked_div(of).unwrap_or(0).min(100);
            format!(" {} {word} {percent} %", self.glyphs.separator)
        });
        format!("{shown} of {all}{}", progress.unwrap_or_default())
    }

    /// The reviewer's name, which anybody chose.
    fn reviewer(&self) -> String {
        text::one_line(self.review.reviewer(), REVIEWER)
    }

    /// Who judges, where there is room for it, and how far the audit is. What was filtered by when
    /// it was drawn is not told: it may be labels.
    fn judging_words(&self, room: usize) -> Option<String> {
        let separator = self.glyphs.separator;
        let running = self.review.running()?;
        let (settled, of) = running.progress();
        let blind = if running.session.audit.blind {
            format!(" {separator} blind")
        } else {
            String::new()
        };
        let words = format!("audit {}/{}{blind}", grouped(settled), grouped(of));
        let named = format!("{} {separator} {words}", self.reviewer());
        Some(if text::width(&named) <= room {
            named
        } else {
            words
        })
    }

    /// The query and the search in force, as they are typed.
    pub fn asked(&self) -> Option<String> {
        let both: Vec<_> = self.both_asked().into_iter().flatten().collect();
        (!both.is_empty()).then(|| both.join("  "))
    }

    fn both_asked(&self) -> [Option<String>; 2] {
        let query = self.browser.filter.in_force().map(|one| one.text.clone());
        let search = self.browser.search.sought().map(|sought| {
            let place = match sought.scope {
                SearchScope::Everything | SearchScope::Sample => String::new(),
                scope => format!(" in {}", scope_word(scope)),
            };
            format!("/{}{place}", sought.needle.text())
        });
        [query, search]
    }

    /// The files, the first by name.
    pub fn file_names(&self) -> String {
        let files = self.browser.data.dataset.files();
        let Some(first) = files.first() else {
            return String::new();
        };
        let name = text::one_line(short_name(first.source.name()), 48);
        match files.len() {
            1 => name,
            2 => format!(
                "{name} + {}",
                text::one_line(short_name(files[1].source.name()), 48)
            ),
            more => format!("{name} + {} files", more - 1),
        }
    }

    fn counted(&self, titled: bool) -> String {
        let dataset = &self.browser.data.dataset;
        let mut titles: Vec<_> = dataset.files().iter().map(DatasetFile::title).collect();
        let mut seen = Vec::new();
        titles.retain(|title| {
            !seen.contains(title) && {
                seen.push(title.clone());
                true
            }
        });
        // With a query in force, both numbers stand beside it.
        let counted = (dataset.samples() > 0 && self.asked().is_none())
            .then(|| counted(dataset.samples(), "sample"));
        let titles = Some(text::one_line(&titles.join(" + "), 48))
            .filter(|titles| titled && !titles.is_empty());
        let separator = format!(" {} ", self.glyphs.separator);
        titles
            .into_iter()
            .chain(counted)
            .collect::<Vec<_>>()
            .join(&separator)
    }

    /// How far loading is, once that takes long.
    fn header_right(&self) -> String {
        let Loading::UnderWay { long: true } = self.browser.data.loading else {
            return String::new();
        };
        match self.browser.data.dataset.progress() {
            Some(done) => {
                const CELLS: usize = 10;
                let full = (done * CELLS as f64) as usize;
                let glyphs = self.glyphs;
                let bar = glyphs.progress_full.repeat(full)
                    + &glyphs.progress_empty.repeat(CELLS - full.min(CELLS));
                format!("loading {bar} {:>3.0} %", done * 100.0)
            }
            None => "loading".to_owned(),
        }
    }
}

/// The last part of a path: directories say little in a row that is short already.
fn short_name(path: &str) -> &str {
    path.rsplit(['/', '\\'])
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or(path)
}
