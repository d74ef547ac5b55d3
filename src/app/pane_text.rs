//! Laid-out text of a pane: sections under each other, addressed by line.

use std::ops::Range;

use crate::model::Role;
use crate::text::{StyledText, WrappedLine};

/// What a section is, which decides its gutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// Text alone.
    Plain,
    /// A turn of the prompt.
    Turn(Role),
    /// A line that says what follows.
    Divider,
    /// Title of a quote.
    QuoteTitle {
        /// Whether the answer cites it.
        cited: bool,
    },
    /// A quote.
    Quote {
        /// Whether the answer cites it.
        cited: bool,
    },
    /// A remark of the program's own, not from the file.
    Remark,
    /// What is wrong with a row.
    Reason,
}

/// A text with its wrapped lines.
#[derive(Debug, Clone)]
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// The text.
    pub block: StyledText,
    /// Its lines at the width it was laid out for.
    pub lines: Vec<WrappedLine>,
    /// Cells left of the text.
    pub gutter: u16,
    /// Empty lines above it.
    pub gap: usize,
    /// Whether a line of its own above the text says what it is.
    pub headed: bool,
    /// How many of its lines are folded away; a line below the others reports it, unless the section
    /// is cut.
    pub folded: usize,
    /// Whether its only line ends in an ellipsis for the rest.
    pub is_cut: bool,
    /// Whether it is a turn before the one that the responses answer.
    pub is_earlier: bool,
}

impl Section {
    /// Lines that it takes, with the gap and the heading.
    fn height(&self) -> usize {
        self.gap + usize::from(self.headed) + self.below_heading()
    }

    /// Lines of text, and the one that tells of folded ones.
    fn below_heading(&self) -> usize {
        self.lines.len() + usize::from(self.folded > 0 && !self.is_cut)
    }

    /// Keeps the first line alone.
    pub(super) fn cut(&mut self) {
        if self.lines.len() > 1 && self.folded == 0 {
            self.folded = self.lines.len() - 1;
            self.is_cut = true;
            self.lines.truncate(1);
        }
    }

    /// Folds all lines but the first, where that leaves out so many that it is worth a line.
    pub(super) fn fold(&mut self) {
        const LEAST: usize = 3;
        if self.lines.len() > LEAST {
            self.folded = self.lines.len() - 1;
            self.lines.truncate(1);
        }
    }
}

/// What stands on one line of a stack.
#[derive(Debug, Clone, Copy)]
pub enum StackLine<'s> {
    /// Nothing.
    Gap,
    /// The section's heading.
    Heading(&'s Section),
    /// A line of the section's text, with its number in the section, from 0.
    Line(&'s Section, &'s WrappedLine, usize),
    /// What stands for the lines of the section that are folded away.
    Fold(&'s Section),
}

/// Sections under each other.
#[derive(Debug, Clone, Default)]
pub struct PaneText {
    sections: Vec<Section>,
    /// For each section the number of lines up to its end.
    ends: Vec<usize>,
}

/// A section, and bytes of its text.
pub type SectionBytes = (usize, Range<usize>);

/// Which of some places, in reading order, touch these bytes of a section.
pub(super) fn touching(
    places: &[SectionBytes],
    section: usize,
    bytes: &Range<usize>,
) -> Range<usize> {
    let from = places.partition_point(|(of, place)| (*of, place.end) <= (section, bytes.start));
    let to = places.partition_point(|(of, place)| (*of, place.start) < (section, bytes.end));
    from..to.max(from)
}

impl PaneText {
    /// Adds a section below.
    pub fn push(&mut self, section: Section) {
        self.ends.push(self.len() + section.height());
        self.sections.push(section);
    }

    /// The sections.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The widest gutter of its sections, in cells.
    pub fn gutter(&self) -> u16 {
        let gutters = self.sections.iter().map(|section| section.gutter);
        gutters.max().unwrap_or(0)
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What stands on the lines of a range, as far as there are lines.
    pub fn parts(&self, range: Range<usize>) -> impl Iterator<Item = StackLine<'_>> {
        (range.start..range.end.min(self.len())).filter_map(|line| self.part(line))
    }

    /// A place in the text: section, and byte in its text. It survives a new width; where the text
    /// itself is rendered anew (as Markdown, say), it is about the same place.
    pub fn anchor(&self, line: usize) -> Option<(usize, usize)> {
        let section = self.section_at(line)?;
        let byte = match self.part(line)? {
            StackLine::Line(_, line, _) => line.range.start,
            StackLine::Fold(section) => section.lines.last().map_or(0, |line| line.range.start),
            StackLine::Gap | StackLine::Heading(_) => 0,
        };
        Some((section, byte))
    }

    /// The line that holds a place; 0 at its section's beginning and for a section that is not
    /// there.
    pub fn line_of(&self, (section, byte): (usize, usize)) -> usize {
        let Some(found) = self.sections.get(section) else {
            return 0;
        };
        match byte {
            0 => self.ends[section] - found.height(),
            _ => self.line_with((section, byte)),
        }
    }

    /// The line of text that holds a place, also at its section's beginning; 0 for a section that
    /// is not there.
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

    /// The line on which the last turn of a user begins, without the gap above it; that of the last
    /// section where no turn is one.
    pub fn last_question(&self) -> usize {
        let is_asked = |section: &Section| section.kind == SectionKind::Turn(Role::User);
        let asked = self.sections.iter().rposition(is_asked);
        let Some(last) = asked.or(self.sections.len().checked_sub(1)) else {
            return 0;
        };
        let section = &self.sections[last];
        self.ends[last] - section.height() + section.gap
    }

    /// Which section a line belongs to, also its gap and its heading.
    pub(super) fn section_at(&self, line: usize) -> Option<usize> {
        let index = self.ends.partition_point(|&end| end <= line);
        (index < self.sections.len()).then_some(index)
    }

    pub(super) fn part(&self, line: usize) -> Option<StackLine<'_>> {
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
