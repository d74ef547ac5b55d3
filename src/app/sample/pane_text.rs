//! The laid-out text of a pane: sections below each other, addressed by line.

use std::ops::Range;

use crate::model::Role;
use crate::text::{StyledText, WrappedLine};

/// The kind of a section, which decides its gutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// Text only.
    Plain,
    /// A turn of the prompt.
    Turn(Role),
    /// A line that announces what follows.
    Divider,
    /// The title of a quote.
    QuoteTitle {
        /// Whether the response cites it.
        cited: bool,
    },
    /// A quote.
    Quote {
        /// Whether the response cites it.
        cited: bool,
    },
    /// A remark by the program, not from the file.
    Remark,
    /// Why a row is malformed.
    Reason,
}

/// A text with its wrapped lines.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its kind.
    pub kind: SectionKind,
    /// The text.
    pub block: StyledText,
    /// Its lines, wrapped at the layout's width.
    pub lines: Vec<WrappedLine>,
    /// Cells to the left of the text.
    pub gutter: u16,
    /// Empty lines above it.
    pub gap: usize,
    /// Whether a heading line above the text describes it.
    pub headed: bool,
    /// Number of folded lines; a line below the others reports it, unless the section is cut.
    pub folded: usize,
    /// Whether it is cut to one line that ends in an ellipsis.
    pub is_cut: bool,
    /// Whether it is a turn before the one that the responses answer.
    pub is_earlier: bool,
}

impl Section {
    /// Returns its number of lines with gap and heading.
    fn height(&self) -> usize {
        self.gap + usize::from(self.headed) + self.below_heading()
    }

    /// Returns the lines of text and the line that reports folded ones.
    fn below_heading(&self) -> usize {
        self.lines.len() + usize::from(self.folded > 0 && !self.is_cut)
    }

    /// Keeps only the first line.
    pub(crate) fn cut(&mut self) {
        if self.lines.len() > 1 && self.folded == 0 {
            self.folded = self.lines.len() - 1;
            self.is_cut = true;
            self.lines.truncate(1);
        }
    }

    /// Folds all lines but the first if that hides more than one line.
    pub(crate) fn fold(&mut self) {
        const LEAST: usize = 3;
        if self.lines.len() > LEAST {
            self.folded = self.lines.len() - 1;
            self.lines.truncate(1);
        }
    }
}

/// The content of one line of a pane.
#[derive(Debug, Clone, Copy)]
pub enum StackLine<'s> {
    /// An empty line.
    Gap,
    /// A section's heading.
    Heading(&'s Section),
    /// A line of text, with its index in the section.
    Line(&'s Section, &'s WrappedLine, usize),
    /// The line that replaces folded lines.
    Fold(&'s Section),
}

/// Sections under each other.
#[derive(Debug, Clone, Default)]
pub struct PaneText {
    sections: Vec<Section>,
    /// For each section, the number of lines up to its end.
    ends: Vec<usize>,
}

/// An index of a section, and a byte range of its text.
pub type SectionBytes = (usize, Range<usize>);

/// Returns the indices of the places (sorted in reading order) that overlap these bytes.
pub(crate) fn touching(
    places: &[SectionBytes],
    section: usize,
    bytes: &Range<usize>,
) -> Range<usize> {
    let from = places.partition_point(|(of, place)| (*of, place.end) <= (section, bytes.start));
    let to = places.partition_point(|(of, place)| (*of, place.start) < (section, bytes.end));
    from..to.max(from)
}

impl PaneText {
    /// Appends a section.
    pub fn push(&mut self, section: Section) {
        self.ends.push(self.len() + section.height());
        self.sections.push(section);
    }

    /// Returns the sections.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the widest gutter, in cells.
    pub fn gutter(&self) -> u16 {
        self.sections
            .iter()
            .map(|section| section.gutter)
            .max()
            .unwrap_or(0)
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// True if there are no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the contents of a range of lines, as far as they exist.
    pub fn parts(&self, range: Range<usize>) -> impl Iterator<Item = StackLine<'_>> {
        (range.start..range.end.min(self.len())).filter_map(|line| self.part(line))
    }

    /// Returns a position in the text as section and byte. It survives a new width, but is
    /// approximate if the text is rendered differently (for example as Markdown).
    pub fn anchor(&self, line: usize) -> Option<(usize, usize)> {
        let section = self.section_at(line)?;
        let byte = match self.part(line)? {
            StackLine::Line(_, line, _) => line.range.start,
            StackLine::Fold(section) => section.lines.last().map_or(0, |line| line.range.start),
            StackLine::Gap | StackLine::Heading(_) => 0,
        };
        Some((section, byte))
    }

    /// Returns the line that contains a position; its gap or heading for a section's beginning, 0
    /// for an unknown section.
    pub fn line_of(&self, (section, byte): (usize, usize)) -> usize {
        let Some(found) = self.sections.get(section) else {
            return 0;
        };
        match byte {
            0 => self.ends[section] - found.height(),
            _ => self.line_with((section, byte)),
        }
    }

    /// Returns the line of text that contains a position; 0 for an unknown section.
    pub fn line_with(&self, (section, byte): (usize, usize)) -> usize {
        let Some(found) = self.sections.get(section) else {
            return 0;
        };
        let top = self.ends[section] - found.below_heading();
        top + found
            .lines
            .partition_point(|line| line.range.start <= byte)
            .saturating_sub(1)
    }

    /// Returns the line where the last user turn (or the last section) begins, without its gap.
    pub fn last_question(&self) -> usize {
        let is_asked = |section: &Section| section.kind == SectionKind::Turn(Role::User);
        let asked = self.sections.iter().rposition(is_asked);
        let Some(last) = asked.or(self.sections.len().checked_sub(1)) else {
            return 0;
        };
        let section = &self.sections[last];
        self.ends[last] - section.height() + section.gap
    }

    /// Returns the section of a line, including its gap and heading.
    pub(crate) fn section_at(&self, line: usize) -> Option<usize> {
        let index = self.ends.partition_point(|&end| end <= line);
        (index < self.sections.len()).then_some(index)
    }

    pub(crate) fn part(&self, line: usize) -> Option<StackLine<'_>> {
        let index = self.section_at(line)?;
        let section = &self.sections[index];
        let within = line + section.height() - self.ends[index];
        let headed = usize::from(section.headed);
        Some(match within.checked_sub(section.gap) {
            None => StackLine::Gap,
            Some(0) if section.headed => StackLine::Heading(section),
            Some(below) => match section.lines.get(below - headed) {
                Some(line) => StackLine::Line(section, line, below - headed),
                None => StackLine::Fold(section),
            },
        })
    }
}
