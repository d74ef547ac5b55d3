//! The record view: the rows of the selected sample as indented JSON, as the file spells them.
//!
//! [`RecordPage::build_while`] reads rows, so only `run` calls it, here or on a thread; `update` takes
//! the finished page. A fold is part of what a page is built for, so that no key lays out megabytes.

use std::collections::BTreeSet;
use std::ops::Range;

use super::pane_text::{PaneText, Section, SectionKind, StackLine};
use super::searching::SearchTerms;
use super::typesetter::{MOST_TEXT, wrapped};
use super::update::scrolled;
use super::{Action, App, LineKind, Scroll, Toggle, View, text_size};
use crate::dataset::{Buffers, Dataset, RowPlace, SampleBody};
use crate::model::{ResponseId, RowError};
use crate::search::{Needle, SearchScope};
use crate::source::CopyReason;
use crate::text::{
    Hidden, JsonContainer, StyledText, TextGlyphs, TextStyle, grouped, json_while, one_line,
    plain_blanks, sanitise, sanitise_while,
};

/// Rows of the screen that are not the record's.
const AROUND: u16 = 4;
/// Columns that are not.
const BESIDE: u16 = 4;
/// Characters before the place of an error that are quoted.
const QUOTED: usize = 24;
/// Cells of a file's name.
const NAME: usize = 200;

/// A container on a page: its section, and its [`JsonContainer::at`].
type ContainerPlace = (usize, usize);

/// Which containers are folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordFolds {
    /// Whether those within the outermost are, or else lists of numbers that are long.
    outer: bool,
    /// A list of more numbers is long.
    long: usize,
    /// Those that are not as these two say.
    flipped: BTreeSet<ContainerPlace>,
}

impl RecordFolds {
    fn is_folded(&self, section: usize, container: &JsonContainer) -> bool {
        let folded = match self.outer {
            true => container.depth > 0,
            false => container.numbers && container.items > self.long,
        };
        folded != self.flipped.contains(&(section, container.at))
    }
}

/// What of a sample is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecordSubject {
    /// Its rows.
    #[default]
    Rows,
    /// The tokens of a response.
    Tokens {
        /// The response of the file.
        of_file: ResponseId,
        /// Its letter on the screen.
        shown: ResponseId,
    },
}

/// Which record, and how it is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordKey {
    /// Which loading of the dataset.
    pub generation: u64,
    /// Number of the sample, from 0.
    pub sample: usize,
    /// What of it is laid out.
    pub subject: RecordSubject,
    /// Columns for its lines.
    width: u16,
    glyphs: TextGlyphs,
    folds: RecordFolds,
    /// What is marked in it.
    sought: Option<SearchTerms>,
}

/// The rows of a sample laid out.
#[derive(Debug, Clone)]
pub struct RecordPage {
    key: RecordKey,
    stack: PaneText,
    /// For each section, and each paragraph of it, the container that it is of.
    containers: Vec<Vec<Option<usize>>>,
    /// What is searched for: a section, and bytes of its text.
    hits: Vec<(usize, Range<usize>)>,
}

impl RecordPage {
    /// Reads and lays out what of a sample the key says; `None` where there is no such sample, and
    /// once it is no longer `wanted`, which is asked all along.
    pub fn build_while(
        dataset: &Dataset,
        key: RecordKey,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut page = Self {
            key,
            stack: PaneText::default(),
            containers: Vec::new(),
            hits: Vec::new(),
        };
        match page.key.subject {
            RecordSubject::Rows => page.lay_out_rows(dataset, wanted)?,
            RecordSubject::Tokens { of_file, shown } => {
                page.lay_out_tokens(dataset, [of_file, shown], wanted)?;
            }
        }
        page.mark(wanted)?;
        Some(page)
    }

    fn lay_out_rows(&mut self, dataset: &Dataset, wanted: &dyn Fn() -> bool) -> Option<()> {
        let mut buffers = Buffers::default();
        let reading = dataset.read_while(self.key.sample, &mut buffers, wanted)?;
        let malformed = match reading.body {
            SampleBody::Malformed {
                place, row_error, ..
            } => Some((place, row_error)),
            // Reading the rows says so again.
            SampleBody::Sample(_) | SampleBody::Unreadable(_) => None,
        };
        let (mut left, mut line) = (MOST_TEXT, Vec::new());
        let mut files = BTreeSet::new();
        for row in dataset.sample_rows(self.key.sample)?.iter() {
            let place = dataset.place(row)?;
            files.insert(place.file);
            self.title(dataset, &place, wanted)?;
            match dataset.read_line(row, &mut line) {
                Err(error) => self.remark(SectionKind::Reason, &error.to_string(), wanted)?,
                Ok(()) => {
                    let raw = String::from_utf8_lossy(&line);
                    let error = malformed
                        .as_ref()
                        .filter(|(of, _)| (of.file, of.row) == (place.file, place.row));
                    if let Some((_, error)) = error {
                        self.remark(SectionKind::Reason, &in_words(error, &line), wanted)?;
                    }
                    left = self.row(&raw, error.is_none(), left, wanted)?;
                }
            }
            if !wanted() {
                return None;
            }
        }
        for file in files {
            let file = dataset.files().get(file)?;
            let how = match file.source.copy_reason() {
                None => "scanned in place, memory-mapped under a read lease".to_owned(),
                Some(CopyReason::Embedded) => continue,
                Some(reason) => format!("copied before it is scanned ({reason})"),
            };
            let words = format!("{}: {how}.", one_line(file.short_name(), NAME));
            self.remark_after(1, SectionKind::Remark, &words, wanted)?;
        }
        Some(())
    }

    /// Its lines.
    pub fn stack(&self) -> &PaneText {
        &self.stack
    }

    /// Number of its sample, from 0.
    pub(super) fn sample(&self) -> usize {
        self.key.sample
    }

    /// Columns for its lines.
    pub(super) fn width(&self) -> u16 {
        self.key.width
    }

    pub(super) fn push(&mut self, section: Section, containers: Vec<Option<usize>>) {
        self.stack.push(section);
        self.containers.push(containers);
    }

    /// Where the row stands.
    fn title(
        &mut self,
        dataset: &Dataset,
        place: &RowPlace,
        wanted: &dyn Fn() -> bool,
    ) -> Option<()> {
        let file = dataset.files().get(place.file)?.source.name();
        let words = format!(
            "{}:{} \u{b7} row {} \u{b7} {}",
            one_line(file, NAME),
            place.line,
            grouped(place.row as usize),
            text_size(place.bytes.end - place.bytes.start)
        );
        self.divider(&words, wanted)
    }

    /// What stands below, on a line of its own.
    pub(super) fn divider(&mut self, words: &str, wanted: &dyn Fn() -> bool) -> Option<()> {
        let gap = usize::from(!self.stack.is_empty());
        let block = StyledText::plain(sanitise(words, Hidden::Discreet));
        let title = wrapped(SectionKind::Divider, block, u16::MAX, wanted)?;
        self.push(Section { gap, ..title }, Vec::new());
        Some(())
    }

    pub(super) fn remark(
        &mut self,
        kind: SectionKind,
        words: &str,
        wanted: &dyn Fn() -> bool,
    ) -> Option<()> {
        self.remark_after(0, kind, words, wanted)
    }

    /// A remark below so many blank lines.
    pub(super) fn remark_after(
        &mut self,
        gap: usize,
        kind: SectionKind,
        words: &str,
        wanted: &dyn Fn() -> bool,
    ) -> Option<()> {
        let clean = sanitise(words, Hidden::Shown);
        let section = wrapped(kind, StyledText::plain(clean), self.key.width, wanted)?;
        self.push(Section { gap, ..section }, Vec::new());
        Some(())
    }

    /// A row as JSON, or as it stands where it `is_json` only in part, in so many bytes at most;
    /// returns how many are left for the next row.
    fn row(
        &mut self,
        raw: &str,
        is_json: bool,
        left: usize,
        wanted: &dyn Fn() -> bool,
    ) -> Option<usize> {
        let mut end = left.min(raw.len());
        while !raw.is_char_boundary(end) {
            end -= 1;
        }
        let (raw, mut cut) = (&raw[..end], raw.len() - end);
        let (block, containers) = if is_json {
            let clean = sanitise_while(&plain_blanks(raw), Hidden::Shown, wanted)?;
            let (section, folds) = (self.containers.len(), &self.key.folds);
            let is_folded = |container: &JsonContainer| folds.is_folded(section, container);
            let ellipsis = match self.key.glyphs == TextGlyphs::ASCII {
                true => "...",
                false => "\u{2026}",
            };
            let json = json_while(&clean, left, ellipsis, &is_folded, wanted)?;
            cut += json.cut;
            (json.block, json.containers)
        } else {
            let clean = sanitise_while(raw, Hidden::Shown, wanted)?;
            (StyledText::plain(clean), Vec::new())
        };
        let used = block.text().len().max(end);
        let body = wrapped(SectionKind::Plain, block, self.key.width, wanted)?;
        self.push(body, containers);
        if cut > 0 {
            let words = format!(
                "The other {} of this row are not laid out here; :export result FILE.jsonl writes all of it.",
                text_size(cut as u64)
            );
            self.remark(SectionKind::Remark, &words, wanted)?;
            return Some(0);
        }
        Some(left.saturating_sub(used))
    }

    /// Finds what is searched for.
    fn mark(&mut self, wanted: &dyn Fn() -> bool) -> Option<()> {
        let Some(sought) = &self.key.sought else {
            return Some(());
        };
        let sections = self.stack.sections().iter().enumerate();
        for (place, section) in sections.filter(|(_, one)| one.kind == SectionKind::Plain) {
            let marks = sought.marker.marks_while(section.block.text(), wanted)?;
            self.hits
                .extend(marks.into_iter().map(|mark| (place, mark)));
        }
        Some(())
    }

    /// The container of a line: that which opens there, or else the one that the line is in.
    fn container(&self, line: usize) -> Option<ContainerPlace> {
        let (section, _) = self.stack.anchor(line)?;
        let Some(StackLine::Line(_, wrapped, _)) = self.stack.parts(line..line + 1).next() else {
            return None;
        };
        let paragraphs = self.containers.get(section)?;
        let at = (*paragraphs.get(wrapped.paragraph as usize)?)?;
        Some((section, at))
    }

    /// The line on which a container opens; where it is folded away, that of one before.
    fn line_of_container(&self, (section, at): ContainerPlace) -> Option<usize> {
        let paragraphs = self.containers.get(section)?;
        let same = paragraphs.iter().position(|one| *one == Some(at));
        let paragraph = same.or_else(|| {
            paragraphs
                .iter()
                .rposition(|one| one.is_some_and(|one| one < at))
        })?;
        let text = &self.stack.sections().get(section)?.block;
        let start = text.paragraphs().nth(paragraph)?.start;
        Some(self.stack.line_with((section, start)))
    }

    fn line_of_hit(&self, hit: usize) -> Option<usize> {
        let (section, bytes) = self.hits.get(hit)?;
        Some(self.stack.line_with((*section, bytes.start)))
    }
}

/// What is wrong with a row, and where in it.
fn in_words(error: &RowError, line: &[u8]) -> String {
    let place = match error.column {
        0 => String::new(),
        column => {
            let before = &line[..(column - 1).min(line.len())];
            let before = String::from_utf8_lossy(before);
            let skipped = before.chars().count().saturating_sub(QUOTED);
            let dots = if skipped > 0 { "\u{2026}" } else { "" };
            let quoted: String = before.chars().skip(skipped).collect();
            match quoted.is_empty() {
                true => "\nThe error is at the beginning, column 1.".to_owned(),
                false => format!("\nThe error is at column {column}, behind {dots}{quoted}"),
            }
        }
    };
    format!("This row is malformed: {}{place}", error.reason)
}

/// A record on screen.
#[derive(Debug, Default)]
pub struct RecordView {
    subject: RecordSubject,
    folds: RecordFolds,
    page: Option<RecordPage>,
    /// The line that a fold is made at.
    cursor: usize,
    /// The first line that shows.
    top: usize,
    /// The container to stand at once it is laid out anew.
    stay: Option<ContainerPlace>,
    /// What was searched for in here; else what the search in force looks for is marked.
    sought: Option<SearchTerms>,
    /// The hit on which one stands.
    hit: Option<usize>,
    /// Whether to go to a hit once they are known.
    arrives: bool,
}

impl RecordView {
    /// What of the sample it is.
    pub fn subject(&self) -> RecordSubject {
        self.subject
    }

    /// What is laid out of it; `None` while it is being read.
    pub fn page(&self) -> Option<&RecordPage> {
        self.page.as_ref()
    }

    /// The line of the cursor, from 0.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The first line that shows, from 0.
    pub fn top(&self) -> usize {
        self.top
    }

    /// The hit on which one stands, from 0, and how many there are; `None` without a search.
    pub fn hits(&self) -> Option<(Option<usize>, usize)> {
        let page = self.page.as_ref()?;
        page.key.sought.as_ref()?;
        Some((self.hit, page.hits.len()))
    }

    /// What is searched for in a line, as bytes of its section's text.
    pub fn highlights(&self, line: usize) -> Vec<(Range<usize>, TextStyle)> {
        let Some(page) = &self.page else {
            return Vec::new();
        };
        let (Some((section, _)), Some(StackLine::Line(_, wrapped, _))) = (
            page.stack.anchor(line),
            page.stack.parts(line..line + 1).next(),
        ) else {
            return Vec::new();
        };
        let first = page
            .hits
            .partition_point(|(of, hit)| (*of, hit.end) <= (section, wrapped.range.start));
        let shown = page.hits[first..]
            .iter()
            .enumerate()
            .take_while(|(_, (of, hit))| *of == section && hit.start < wrapped.range.end);
        let style = |at: usize| match self.hit == Some(first + at) {
            true => TextStyle::HIT | TextStyle::HERE,
            false => TextStyle::HIT,
        };
        shown
            .map(|(at, (_, hit))| (hit.clone(), style(at)))
            .collect()
    }

    /// Folds the container at the cursor, or unfolds it.
    fn fold(&mut self) {
        let Some(place) = self
            .page
            .as_ref()
            .and_then(|page| page.container(self.cursor))
        else {
            return;
        };
        if !self.folds.flipped.remove(&place) {
            self.folds.flipped.insert(place);
        }
        self.stay = Some(place);
    }

    /// Folds all but the outermost containers, or unfolds them.
    fn fold_all(&mut self) {
        let page = self.page.as_ref();
        self.stay = page.and_then(|page| page.container(self.cursor));
        self.folds.outer = !self.folds.outer;
        self.folds.flipped.clear();
    }

    /// Moves the cursor, where `rows` lines show.
    fn scroll(&mut self, scroll: Scroll, times: usize, rows: usize) {
        let lines = self.page.as_ref().map_or(0, |page| page.stack.len());
        let (last, most) = (lines.saturating_sub(1), lines.saturating_sub(rows));
        self.cursor = scrolled(self.cursor, scroll, times, rows, last);
        if !matches!(scroll, Scroll::LineDown | Scroll::LineUp) {
            self.top = scrolled(self.top, scroll, times, rows, most);
        }
        self.follow(rows);
    }

    /// Shows the cursor's line.
    fn follow(&mut self, rows: usize) {
        let lines = self.page.as_ref().map_or(0, |page| page.stack.len());
        self.cursor = self.cursor.min(lines.saturating_sub(1));
        let least = (self.cursor + 1).saturating_sub(rows);
        self.top = self.top.clamp(least, self.cursor);
        self.top = self.top.min(lines.saturating_sub(rows));
    }

    /// Goes so many hits on, or back, around the end.
    fn step_hit(&mut self, forward: bool, times: usize, rows: usize) {
        let Some(page) = &self.page else { return };
        let hits = page.hits.len();
        if hits == 0 {
            return;
        }
        let times = times % hits;
        let at_cursor = (0..hits).find(|hit| page.line_of_hit(*hit) >= Some(self.cursor));
        let next = match (self.hit, forward) {
            (Some(at), true) => at + times,
            (Some(at), false) => at + hits - times,
            (None, true) => at_cursor.unwrap_or(0) + (times + hits - 1) % hits,
            (None, false) => at_cursor.unwrap_or(hits) + hits - times,
        } % hits;
        self.hit = Some(next);
        self.cursor = page.line_of_hit(next).unwrap_or(self.cursor);
        self.follow(rows);
    }
}

impl App {
    /// The record on screen; `None` where it must not be seen.
    pub fn record_view(&self) -> Option<&RecordView> {
        let view = self.views.record()?;
        // Of tokens nothing tells of labels.
        let is_secret = view.subject == RecordSubject::Rows && self.mask().hidden;
        (!is_secret).then_some(&**view)
    }

    /// What of the sample is on top of the panes, or would be if it were not hidden.
    pub fn record_subject(&self) -> RecordSubject {
        let view = self.views.record();
        view.map(|view| view.subject).unwrap_or_default()
    }

    /// Opens the record of the selected sample, unless that would tell its labels.
    pub(super) fn open_record(&mut self) {
        if self.shown().is_empty() {
            return;
        }
        if self.mask().hidden {
            self.status.notice = Some("The record is hidden while you judge blind.".to_owned());
            return;
        }
        self.open_record_view(RecordSubject::Rows);
    }

    pub(super) fn open_record_view(&mut self, subject: RecordSubject) {
        let folds = RecordFolds {
            long: self.record_rows(),
            ..RecordFolds::default()
        };
        self.views.open(View::Record(Box::new(RecordView {
            subject,
            folds,
            // The line below the title.
            cursor: 1,
            ..RecordView::default()
        })));
    }

    /// The record that should be on screen and is not.
    pub(super) fn record_needed(&self) -> Option<RecordKey> {
        let view = self.record_view()?;
        let key = self.record_key(view);
        let is_there = view.page.as_ref().is_some_and(|page| page.key == key);
        (!is_there).then_some(key)
    }

    fn record_key(&self, view: &RecordView) -> RecordKey {
        RecordKey {
            generation: self.data.generation,
            sample: self.selection.selected,
            subject: view.subject,
            width: self.layout.size.0.saturating_sub(BESIDE).max(1),
            glyphs: self.settings.view.glyphs,
            folds: view.folds.clone(),
            sought: view.sought.as_ref().or(self.search.sought()).cloned(),
        }
    }

    /// Takes a record that was asked for, if it is still to be on screen.
    pub(super) fn take_record(&mut self, page: RecordPage) {
        let rows = self.record_rows();
        if self.record_needed().is_none_or(|key| key != page.key) {
            return;
        }
        let Some(view) = self.views.record_mut() else {
            return;
        };
        let place = view
            .page
            .as_ref()
            .filter(|old| old.key.sample == page.key.sample);
        let place = place.and_then(|old| old.stack.anchor(view.cursor));
        let stay = view.stay.take();
        let line = stay
            .and_then(|stay| page.line_of_container(stay))
            .or_else(|| place.map(|place| page.stack.line_of(place)));
        (view.cursor, view.hit) = (line.unwrap_or(view.cursor), None);
        view.page = Some(page);
        view.follow(rows);
        if std::mem::take(&mut view.arrives) {
            view.step_hit(true, 1, rows);
        }
    }

    /// Searches the record on screen, from the cursor on; what an empty needle looks for is what the
    /// search in force does.
    pub(super) fn search_record(&mut self, needle: Needle) {
        let rows = self.record_rows();
        let Some(view) = self.views.record_mut() else {
            return;
        };
        view.sought =
            (!needle.is_empty()).then(|| SearchTerms::new(needle, SearchScope::Everything));
        (view.hit, view.arrives) = (None, view.sought.is_some());
        let is_there = self.record_needed().is_none();
        if let Some(view) = self.views.record_mut().filter(|_| is_there)
            && std::mem::take(&mut view.arrives)
        {
            view.step_hit(true, 1, rows);
        }
    }

    pub(super) fn act_in_record(&mut self, action: Action, count: Option<usize>) {
        let (rows, times) = (self.record_rows(), count.unwrap_or(1));
        let Some(view) = self.views.record_mut() else {
            return;
        };
        match action {
            Action::Back | Action::Cancel => drop(self.views.back()),
            Action::Record | Action::Tokens => {
                let is_own = (view.subject == RecordSubject::Rows) == (action == Action::Record);
                self.views.back();
                match action {
                    _ if is_own => {}
                    Action::Record => self.open_record(),
                    _ => self.open_tokens(),
                }
            }
            Action::Help => self.open_help(),
            Action::Search => self.open_line(LineKind::RecordSearch),
            Action::Zoom => view.fold(),
            Action::Toggle(Toggle::Folds) => view.fold_all(),
            Action::NextHit => view.step_hit(true, times, rows),
            Action::PreviousHit => view.step_hit(false, times, rows),
            _ => match action.scroll() {
                Some(scroll) => view.scroll(scroll, times, rows),
                None => self.ignore(action),
            },
        }
    }

    pub(super) fn scroll_record(&mut self, scroll: Scroll, times: usize) {
        let rows = self.record_rows();
        if let Some(view) = self.views.record_mut() {
            view.scroll(scroll, times, rows);
        }
    }

    /// Rows of the screen that show it.
    fn record_rows(&self) -> usize {
        usize::from(self.layout.size.1.saturating_sub(AROUND)).max(1)
    }
}
