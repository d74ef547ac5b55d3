//! The first row: the program, what is open, and how much of it.

use super::Canvas;
use super::input_line::{order_words, scope_word};
use crate::app::{Area, Loading, QueryKind};
use crate::dataset::DatasetFile;
use crate::search::{HitOrder, SearchScope};
use crate::text::{self, counted, grouped};

/// A query is not cut to fewer cells than this, but left out.
const QUERY_LEAST: u16 = 6;
/// Cells of the program's name with a blank on either side.
const BRAND: u16 = 10;
/// Cells below which a file's name says nothing.
const NAME_LEAST: u16 = 6;
/// Cells of a reviewer's name.
const REVIEWER: usize = 24;

impl Canvas<'_> {
    pub(super) fn header(&mut self) {
        let area = self.browser.geometry().header;
        if area.is_empty() {
            return;
        }
        let theme = self.theme;
        let (plain, brand, dim, progress) =
            (theme.header, theme.header_brand, theme.dim, theme.progress);
        self.tint(area, plain);
        let right = self.header_right();
        let reserved = text::width(&right) as u16 + 2;
        let mut end = area.right().saturating_sub(if area.width > 2 * reserved {
            reserved
        } else {
            0
        });
        if end < area.right() {
            let x = area.right() + 1 - reserved;
            self.put(x, area.y, area.right(), &right, progress);
        }
        end = self.header_query(Area {
            width: end - area.x,
            ..area
        });
        let mut x = self.put(area.x + 1, area.y, end, "visavis", brand);
        let names = self.file_names();
        if !names.is_empty() && end.saturating_sub(x + 2) >= NAME_LEAST {
            x = self.cut(x + 2, area.y, end, &names, plain);
        }
        let titled = self.counted(true);
        // Where not all fits, the number of samples says more than what kind they are.
        let fits = text::width(&titled) < usize::from(end.saturating_sub(x + 2));
        let counted = if fits { titled } else { self.counted(false) };
        self.put(x + 2, area.y, end, &counted, dim);
    }

    /// The query in force at the right of an area, with how many samples it shows; returns the
    /// column that everything else must end before.
    fn header_query(&mut self, area: Area) -> u16 {
        let mut end = area.right();
        // Who judges is what gives way first where there is little room.
        let room = usize::from(area.width).saturating_sub(text::width(&self.file_names()) + 13);
        if let Some(words) = self.judging_words(room) {
            let from = end.saturating_sub(text::width(&words) as u16 + 1);
            self.put(from, area.y, end, &words, self.theme.header_query);
            return from.saturating_sub(2);
        }
        let [query, mut search] = self.both_asked();
        let (filter, order) = (self.browser.filter.in_force(), self.browser.search.order);
        if let Some(search) = &mut search
            && order == HitOrder::Ranked
            && filter.is_some_and(|one| !one.query.sort.is_empty())
        {
            // What the query says of the order tells only those apart that fit alike.
            search.push_str(&format!(
                " {} {}",
                self.glyphs.separator,
                order_words(order)
            ));
        }
        if self.views.rate().is_some() {
            let name = self.reviewer();
            let asked: usize = [&query, &search]
                .into_iter()
                .flatten()
                .map(|words| text::width(words) + 2)
                .sum();
            if !name.is_empty() && text::width(&name) + asked + 24 <= room {
                let from = end.saturating_sub(text::width(&name) as u16 + 1);
                self.put(from, area.y, end, &name, self.theme.header_query);
                end = from.saturating_sub(2);
            }
        }
        if query.is_none() && search.is_none() {
            return end;
        }
        let samples = self.browser.data.dataset.samples();
        let mut numbers = format!(
            "{} of {}",
            grouped(self.browser.shown().len()),
            grouped(samples)
        );
        let at_work = QueryKind::ALL.into_iter().find_map(|kind| {
            let looked = self.browser.query_progress(kind).so_far()?;
            Some(match kind {
                QueryKind::Filter => ("looking", looked, samples),
                QueryKind::Search => ("searching", looked, self.browser.selection.filtered.len()),
            })
        });
        if let Some((word, looked, of)) = at_work {
            let percent = (looked * 100).checked_div(of).unwrap_or(0).min(100);
            numbers = format!("{numbers} {} {word} {percent} %", self.glyphs.separator);
        }
        let from = end.saturating_sub(text::width(&numbers) as u16 + 1);
        self.put(from, area.y, end, &numbers, self.theme.text);
        // What is shown says more than which file it is of: the name takes what the query leaves.
        let room = from.saturating_sub(area.x + BRAND + 2);
        if room < QUERY_LEAST {
            return from.saturating_sub(2);
        }
        // Where not both fit, the search keeps its place and the query ends early: it is the longer
        // one, as a rule.
        let [query, search] =
            [query, search].map(|words| text::one_line(&words.unwrap_or_default(), 4000));
        let cells = |words: &str| u16::try_from(text::width(words)).unwrap_or(u16::MAX);
        let gap = if query.is_empty() || search.is_empty() {
            0
        } else {
            2
        };
        let left = room.saturating_sub(cells(&search).saturating_add(gap));
        let query = if gap > 0 && left < QUERY_LEAST {
            String::new()
        } else {
            query
        };
        let (gap, query_cells) = if query.is_empty() {
            (0, 0)
        } else {
            (gap, cells(&query).min(left))
        };
        let x = from - 2 - (query_cells + gap + cells(&search)).min(room);
        self.cut(x, area.y, x + query_cells, &query, self.theme.header_query);
        self.cut(
            x + query_cells + gap,
            area.y,
            from - 2,
            &search,
            self.theme.header_query,
        );
        x.saturating_sub(2)
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
    pub(super) fn asked(&self) -> Option<String> {
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
    pub(super) fn file_names(&self) -> String {
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
