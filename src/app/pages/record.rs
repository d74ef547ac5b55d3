//! The record view: the rows of the selected sample as indented JSON, with values as written in the
//! file.
//!
//! [`RecordPage::build_while`] reads rows, so only `run` calls it, directly or on a thread;
//! `update` receives the finished page. Folds are part of the key, so that no key press lays out
//! megabytes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::page_doc::{LEFT, PageContent, PageDoc, PageSources, PageView};
use crate::app::job::{BRIEF_BYTES, Job};
use crate::app::perform::ViewRequest;
use crate::app::sample::hits::SearchTerms;
use crate::app::sample::pane_text::{PaneText, Section, SectionBytes, SectionKind, StackLine};
use crate::app::sample::typesetter::{MAX_TEXT, wrapped};
use crate::app::{Action, CommandOutput, CommandRun, KeyHints, LineKind, Toggle, text_size, texts};
use crate::dataset::{Buffers, Dataset, RowPlace, SampleBody};
use crate::model::RowError;
use crate::parallel::KeepGoing;
use crate::search::{Needle, SearchScope};
use crate::source::PART_OF_PROGRAM;
use crate::text::{
    Hidden, JsonContainer, StyledText, TextGlyphs, grouped, indented_json, one_line, plain_blanks,
    sanitise,
};

/// Rows of the screen that do not show the record.
const AROUND: u16 = 4;
/// Characters quoted before the position of an error.
const QUOTED: usize = 24;
/// Most cells of a file name.
const NAME: usize = 200;

/// The section and the [`JsonContainer::at`] of a container on a page.
type ContainerPlace = (usize, usize);

/// Which containers are folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct RecordFolds {
    /// Whether all containers inside the outermost are folded, or only long lists of numbers.
    outer: bool,
    /// Lists of more numbers than this are long.
    long: usize,
    /// Containers whose state the user has inverted.
    flipped: BTreeSet<ContainerPlace>,
}

impl RecordFolds {
    fn is_folded(&self, section: usize, container: &JsonContainer) -> bool {
        let folded = if self.outer {
            container.depth > 0
        } else {
            container.numbers && container.items > self.long
        };
        folded != self.flipped.contains(&(section, container.at))
    }
}

/// The part of a sample that is laid out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RecordSubject {
    /// Its rows.
    #[default]
    Rows,
    /// The output of a user command, once it has ended.
    Command(CommandRun, Option<Arc<CommandOutput>>),
}

/// Identifies a record and its layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordKey {
    /// Generation of the dataset.
    pub generation: u64,
    /// Number of the sample, from 0.
    pub sample: usize,
    /// The part of the sample.
    pub subject: RecordSubject,
    /// Width of its lines in columns.
    width: u16,
    glyphs: TextGlyphs,
    folds: RecordFolds,
    /// The search whose hits are marked.
    sought: Option<SearchTerms>,
}

/// The laid-out rows of a sample.
#[derive(Debug, Clone)]
pub struct RecordPage {
    key: RecordKey,
    stack: PaneText,
    /// For each paragraph of each section, the container that it belongs to.
    containers: Vec<Vec<Option<usize>>>,
    /// The search hits.
    hits: Vec<SectionBytes>,
}

/// A record that is being laid out; meaningless once cancelled.
pub(crate) struct RecordBuilder<'k> {
    page: RecordPage,
    keep_going: &'k dyn KeepGoing,
}

impl RecordPage {
    /// Reads and lays out the part of a sample that the key names. Returns `None` if the sample
    /// does not exist, or if cancelled.
    pub fn build_while(
        dataset: &Dataset,
        key: RecordKey,
        keep_going: &dyn KeepGoing,
    ) -> Option<Self> {
        let subject = key.subject.clone();
        let page = Self {
            key,
            stack: PaneText::default(),
            containers: Vec::new(),
            hits: Vec::new(),
        };
        let mut builder = RecordBuilder { page, keep_going };
        match subject {
            RecordSubject::Rows => builder.lay_out_rows(dataset)?,
            RecordSubject::Command(run, output) => builder.lay_out_output(&run, &*output?),
        }
        builder.mark();
        keep_going().then_some(builder.page)
    }
}

impl RecordBuilder<'_> {
    fn lay_out_rows(&mut self, dataset: &Dataset) -> Option<()> {
        let (mut buffers, sample) = (Buffers::default(), self.page.key.sample);
        let reading = dataset.read_while(sample, &mut buffers, self.keep_going)?;
        let malformed = match reading.body {
            SampleBody::Malformed {
                place, row_error, ..
            } => Some((place, row_error)),
            // Reading the rows reports the error again.
            SampleBody::Sample(_) | SampleBody::Unreadable(_) => None,
        };
        let (mut left, mut line) = (MAX_TEXT, Vec::new());
        let mut files = BTreeSet::new();
        for row in dataset.sample_rows(sample)?.iter() {
            if !(self.keep_going)() {
                return None;
            }
            let place = dataset.place(row)?;
            files.insert(place.file);
            self.title(dataset, &place)?;
            if let Err(error) = dataset.read_line(row, &mut line) {
                self.remark(0, SectionKind::Reason, &error.to_string());
                continue;
            }
            let error = malformed
                .as_ref()
                .filter(|(of, _)| (of.file, of.row) == (place.file, place.row));
            if let Some((_, error)) = error {
                self.remark(0, SectionKind::Reason, &describe_error(error, &line));
            }
            left = self.row(&String::from_utf8_lossy(&line), error.is_none(), left);
        }
        for file in files {
            let file = dataset.files().get(file)?;
            let how = match file.source.copy_reason() {
                None => "read in place (memory-mapped under a read lease)".to_owned(),
                Some(PART_OF_PROGRAM) => continue,
                Some(reason) => format!("copied before reading ({reason})"),
            };
            let words = format!("{}: {how}.", one_line(file.short_name(), NAME));
            self.remark(1, SectionKind::Remark, &words);
        }
        Some(())
    }

    /// Adds a title with the row's position in its file.
    fn title(&mut self, dataset: &Dataset, place: &RowPlace) -> Option<()> {
        let file = dataset.files().get(place.file)?.source.name();
        let words = format!(
            "{}:{} \u{b7} row {} \u{b7} {}",
            one_line(file, NAME),
            place.line,
            grouped(place.row as usize),
            text_size(place.bytes.end - place.bytes.start)
        );
        self.divider(&words);
        Some(())
    }

    /// Adds a divider line.
    pub(crate) fn divider(&mut self, words: &str) {
        let gap = usize::from(!self.page.stack.is_empty());
        let block = StyledText::plain(sanitise(words, Hidden::Discreet));
        self.push(gap, SectionKind::Divider, block, u16::MAX, Vec::new());
    }

    /// Adds a remark, or a text of another kind, below `gap` blank lines.
    pub(crate) fn remark(&mut self, gap: usize, kind: SectionKind, words: &str) {
        let block = StyledText::plain(sanitise(words, Hidden::Shown));
        self.push(gap, kind, block, self.page.key.width, Vec::new());
    }

    fn push(
        &mut self,
        gap: usize,
        kind: SectionKind,
        block: StyledText,
        width: u16,
        containers: Vec<Option<usize>>,
    ) {
        let section = wrapped(kind, block, width, self.keep_going);
        self.page.stack.push(Section { gap, ..section });
        self.page.containers.push(containers);
    }

    /// Adds a row, as JSON or (if not `is_json`) as written, of at most `left` bytes. Returns the
    /// bytes left for the next row.
    fn row(&mut self, raw: &str, is_json: bool, left: usize) -> usize {
        let mut end = left.min(raw.len());
        while !raw.is_char_boundary(end) {
            end -= 1;
        }
        let (raw, mut cut) = (&raw[..end], raw.len() - end);
        let key = &self.page.key;
        let (block, containers) = if is_json {
            let clean = sanitise(&plain_blanks(raw), Hidden::Shown);
            let (section, folds) = (self.page.containers.len(), &key.folds);
            let is_folded = |container: &JsonContainer| folds.is_folded(section, container);
            let ellipsis = if key.glyphs == TextGlyphs::ASCII {
                "..."
            } else {
                "\u{2026}"
            };
            let json = indented_json(&clean, left, ellipsis, &is_folded);
            cut += json.cut;
            (json.block, json.containers)
        } else {
            (StyledText::plain(sanitise(raw, Hidden::Shown)), Vec::new())
        };
        let used = block.text().len().max(end);
        self.push(0, SectionKind::Plain, block, key.width, containers);
        if cut > 0 {
            let words = texts::row_cut(text_size(cut as u64));
            self.remark(0, SectionKind::Remark, &words);
            return 0;
        }
        left.saturating_sub(used)
    }

    /// Finds the search hits.
    fn mark(&mut self) {
        let RecordPage {
            key, stack, hits, ..
        } = &mut self.page;
        let Some(sought) = &key.sought else { return };
        let sections = stack.sections().iter().enumerate();
        for (place, section) in sections.filter(|(_, one)| one.kind == SectionKind::Plain) {
            let marks = sought.marker.marks(section.block.text()).into_iter();
            hits.extend(marks.map(|mark| (place, mark)));
        }
    }
}

/// Describes what is wrong with a row, and where.
fn describe_error(error: &RowError, line: &[u8]) -> String {
    let place = match error.column {
        0 => String::new(),
        column => {
            let before = &line[..(column - 1).min(line.len())];
            let before = String::from_utf8_lossy(before);
            let skipped = before.chars().count().saturating_sub(QUOTED);
            let dots = if skipped > 0 { "\u{2026}" } else { "" };
            let quoted: String = before.chars().skip(skipped).collect();
            if quoted.is_empty() {
                "\nThe error is at the beginning, column 1.".to_owned()
            } else {
                format!("\nThe error is at column {column}, after {dots}{quoted}")
            }
        }
    };
    format!("This row is malformed: {}{place}", error.reason)
}

/// The record of a sample, or the output of a command.
#[derive(Debug, Default)]
pub struct RecordView {
    subject: RecordSubject,
    folds: RecordFolds,
    /// The key of the current page; `None` while it is being read.
    key: Option<RecordKey>,
    containers: Vec<Vec<Option<usize>>>,
    /// The container to return to after a new layout.
    anchor: Option<ContainerPlace>,
    /// The search made on this page; otherwise hits of the active search are marked.
    sought: Option<SearchTerms>,
    /// Whether to select a hit once they are known.
    selects_hit: bool,
}

impl RecordView {
    /// Creates a page for a terminal of `rows` rows.
    pub(crate) fn page(subject: RecordSubject, rows: u16) -> Box<PageView<Self>> {
        let view = Self {
            subject,
            folds: RecordFolds {
                long: usize::from(rows.saturating_sub(AROUND)).max(1),
                ..RecordFolds::default()
            },
            ..Self::default()
        };
        let mut page = PageView::new(view);
        // The line below the title.
        page.at = 1;
        page
    }

    /// Returns the part of the sample that it shows.
    pub fn subject(&self) -> &RecordSubject {
        &self.subject
    }

    /// Returns the user command that is running.
    pub(crate) fn running(&self) -> Option<&CommandRun> {
        match &self.subject {
            RecordSubject::Command(run, None) => Some(run),
            _ => None,
        }
    }

    /// Stores the output of a user command.
    pub(crate) fn take_output(&mut self, run: &CommandRun, output: CommandOutput) {
        if self.running() == Some(run) {
            self.subject = RecordSubject::Command(run.clone(), Some(Arc::new(output)));
        }
    }

    /// True if labels must be hidden here; not in the output of a command that got a sample without
    /// them.
    fn is_secret(&self, of: &PageSources<'_>) -> bool {
        let has_labels = match &self.subject {
            RecordSubject::Rows => true,
            RecordSubject::Command(run, _) => !run.mask.hidden,
        };
        has_labels && of.is_hidden
    }

    /// Returns the key of the record that must be built.
    fn needed(&self, of: &PageSources<'_>) -> Option<RecordKey> {
        let key = RecordKey {
            generation: of.data.generation,
            sample: of.sample,
            subject: self.subject.clone(),
            width: of.size.0.saturating_sub(2 * LEFT).max(1),
            glyphs: of.glyphs,
            folds: self.folds.clone(),
            sought: self.sought.as_ref().or(of.sought).cloned(),
        };
        let is_there = !self.is_secret(of) && self.running().is_none();
        (is_there && self.key.as_ref() != Some(&key)).then_some(key)
    }

    /// Returns the container that opens on a line, or else the one around it.
    fn container(&self, text: &PaneText, line: usize) -> Option<ContainerPlace> {
        let (section, _) = text.anchor(line)?;
        let StackLine::Line(_, wrapped, _) = text.part(line)? else {
            return None;
        };
        let paragraphs = self.containers.get(section)?;
        let at = (*paragraphs.get(wrapped.paragraph as usize)?)?;
        Some((section, at))
    }

    /// Returns the line on which a container opens, or that of a container around it if folded.
    fn line_of(&self, text: &PaneText, (section, at): ContainerPlace) -> Option<usize> {
        let paragraphs = self.containers.get(section)?;
        let same = paragraphs.iter().position(|one| *one == Some(at));
        let before = |one: &Option<usize>| one.is_some_and(|one| one < at);
        let paragraph = same.or_else(|| paragraphs.iter().rposition(before))?;
        let start = text
            .sections()
            .get(section)?
            .block
            .paragraphs()
            .nth(paragraph)?
            .start;
        Some(text.line_with((section, start)))
    }
}

impl PageContent for RecordView {
    fn job(&self, of: &PageSources<'_>) -> Option<Job> {
        let key = self.needed(of)?;
        let is_brief = key.subject == RecordSubject::Rows
            && of.data.dataset.sample_bytes(key.sample) <= BRIEF_BYTES;
        Some(Job::new(
            "records",
            of.data,
            key,
            is_brief,
            |key, of| RecordPage::build_while(of.dataset, key.clone(), of.keep_going),
            |app, _, page| {
                app.with_views(|views, of| {
                    if let Some(view) = views.page_of_mut::<Self>() {
                        view.take(page, of);
                    }
                });
            },
        ))
    }

    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        let is_secret = self.is_secret(of);
        if is_secret {
            self.key = None;
        }
        let progress = match &self.subject {
            _ if is_secret => String::new(),
            RecordSubject::Rows => "reading the record …".to_owned(),
            RecordSubject::Command(run, _) => {
                format!("running {} … Esc cancels it", run.command.usage())
            }
        };
        (is_secret || (is_new && self.key.is_none())).then(|| PageDoc {
            progress,
            by_line: true,
            ..PageDoc::default()
        })
    }

    fn act(&mut self, action: Action, doc: &PageDoc, at: usize) -> Option<ViewRequest> {
        let own = match &self.subject {
            RecordSubject::Rows => Some(Action::Record),
            RecordSubject::Command(..) => None,
        };
        match action {
            _ if own == Some(action) => return Some(ViewRequest::Back),
            Action::Record => return Some(ViewRequest::CloseThen(action)),
            Action::Help => return Some(ViewRequest::Act(action)),
            Action::Search => return Some(ViewRequest::Line(LineKind::RecordSearch)),
            Action::Zoom => {
                self.anchor = Some(self.container(&doc.text, at)?);
                if let Some(place) = self
                    .anchor
                    .filter(|place| !self.folds.flipped.remove(place))
                {
                    self.folds.flipped.insert(place);
                }
            }
            Action::Toggle(Toggle::Folds) => {
                self.anchor = self.container(&doc.text, at);
                self.folds.outer = !self.folds.outer;
                self.folds.flipped.clear();
            }
            _ => return None,
        }
        Some(ViewRequest::Done)
    }

    fn hints(&self) -> KeyHints {
        match self.subject {
            RecordSubject::Rows => &[
                (Action::Back, "back"),
                (Action::Zoom, "fold"),
                (Action::Search, "search"),
            ],
            RecordSubject::Command(..) => &[(Action::Back, "back"), (Action::Search, "search")],
        }
    }
}

impl PageView<RecordView> {
    /// Shows a record that was built, unless it is outdated.
    fn take(&mut self, page: RecordPage, of: &PageSources<'_>) {
        if self.content.needed(of).as_ref() != Some(&page.key) {
            return;
        }
        let is_same = |old: &&RecordKey| old.sample == page.key.sample;
        let place = self
            .content
            .key
            .as_ref()
            .filter(is_same)
            .and_then(|_| self.doc.text.anchor(self.at));
        let hits = page.key.sought.is_some().then_some(page.hits);
        self.content.containers = page.containers;
        self.content.key = Some(page.key);
        self.doc = PageDoc {
            lines: page.stack.len(),
            text: page.stack,
            by_line: true,
            hits,
            ..PageDoc::default()
        };
        let (text, stay) = (&self.doc.text, self.content.anchor.take());
        let line = stay
            .and_then(|stay| self.content.line_of(text, stay))
            .or_else(|| place.map(|place| text.line_of(place)));
        (self.at, self.hit) = (line.unwrap_or(self.at), None);
        self.scroll_to_cursor();
        if std::mem::take(&mut self.content.selects_hit) {
            self.step_hit(true, 1);
        }
    }

    /// Searches the record from the cursor on; an empty needle repeats the active search.
    pub(crate) fn search(&mut self, needle: Needle, of: &PageSources<'_>) {
        self.content.sought =
            (!needle.is_empty()).then(|| SearchTerms::new(needle, SearchScope::Everything));
        (self.hit, self.content.selects_hit) = (None, self.content.sought.is_some());
        if self.content.needed(of).is_none() && std::mem::take(&mut self.content.selects_hit) {
            self.step_hit(true, 1);
        }
    }
}
