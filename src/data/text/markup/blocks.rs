//! The block structure of Markdown, line by line: which lines are code, headings, list items or
//! rows of a table.
//!
//! Lines are classified and never changed, so the displayed text and counts of its parts agree. If
//! language models deviate from CommonMark, their habits win: lists indented by four blanks are
//! lists, and indented lines after a line that ends like code are not prose.

use std::ops::Range;

use super::literal::{formula_beyond, is_of_name};
use super::style::{FenceLine, is_header, step};
use crate::text::terminal::width::width;

/// Blanks that turn a line at the start of a block into code.
const CODE_INDENT: usize = 4;
/// Most successive blank lines within indented code.
const MAX_BLANK: usize = 3;

/// The kind of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MarkdownLineKind {
    /// Only blanks and quote signs; ends a paragraph.
    #[default]
    Blank,
    /// The first or the last line of fenced code.
    Fence,
    /// A line of fenced or indented code.
    Code,
    /// A line that is probably code, though it is not marked; not parsed as Markdown.
    Unfenced,
    /// A heading with its `#`.
    Heading,
    /// A thematic break.
    Rule,
    /// The line below a heading (`===` or `---`).
    Underline,
    /// The first line of a list item.
    Item,
    /// The first row of a table, followed by [`Self::Delimiter`].
    TableHead,
    /// The delimiter row of a table.
    Delimiter,
    /// Another row of a table.
    TableRow,
    /// Any other text; continues the line before it if that is `Prose` or `Item`.
    Prose,
}

impl MarkdownLineKind {
    /// True for the rows of a table, with its delimiter.
    pub fn is_row(self) -> bool {
        matches!(self, Self::TableHead | Self::Delimiter | Self::TableRow)
    }
}

/// A line with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownLine {
    /// Its bytes, without the newline.
    pub range: Range<usize>,
    /// The byte after its quote signs.
    pub quoted: usize,
    /// The byte of its first character after quote signs and blanks; its end if there is none.
    pub content: usize,
    pub kind: MarkdownLineKind,
}

/// Iterator over the lines of a text.
#[derive(Default)]
pub struct MarkdownLines<'t> {
    text: &'t str,
    /// The next lines, read ahead.
    ahead: std::collections::VecDeque<MarkdownLine>,
    /// Start of the line after `ahead`; `None` at the end of the text.
    next: Option<usize>,
    /// The open fence: its character and length.
    fence: Option<(char, usize)>,
    /// True if the previous line is part of a quote.
    is_fence_quoted: bool,
    /// The kind of the previous line.
    before: MarkdownLineKind,
    /// True if the previous line is the only one of its paragraph.
    is_single: bool,
    /// Indentation of the text of the innermost list item, in cells.
    item: Option<usize>,
    /// Indentation of the line that started unfenced code.
    unfenced: Option<usize>,
    /// The end of the formula that continues from previous lines.
    formula: usize,
}

impl<'t> MarkdownLines<'t> {
    pub fn of(text: &'t str) -> Self {
        Self {
            text,
            next: Some(0),
            ..Self::default()
        }
    }

    /// Returns the text of a line after quote signs and blanks.
    fn written(&self, line: &MarkdownLine) -> &'t str {
        &self.text[line.content..line.range.end]
    }

    /// Returns the cells between quote signs and text of a line.
    fn indent(&self, line: &MarkdownLine) -> usize {
        self.text[line.quoted..line.content]
            .bytes()
            .map(|blank| if blank == b'\t' { CODE_INDENT } else { 1 })
            .sum()
    }

    /// Returns the line `count` lines after the next one.
    fn peek(&mut self, count: usize) -> Option<MarkdownLine> {
        while self.ahead.len() <= count {
            let line = self.read()?;
            self.ahead.push_back(line);
        }
        self.ahead.get(count).cloned()
    }

    fn read(&mut self) -> Option<MarkdownLine> {
        let start = self.next?;
        let end = memchr::memchr(b'\n', &self.text.as_bytes()[start..]).map(|at| start + at);
        self.next = end.map(|end| end + 1);
        let range = start..end.unwrap_or(self.text.len());
        let bytes = &self.text.as_bytes()[range.clone()];
        let [quoted, content] = prefix(bytes);
        Some(MarkdownLine {
            quoted: start + quoted,
            content: start + content,
            range,
            kind: MarkdownLineKind::Prose,
        })
    }

    fn kind(&mut self, line: &MarkdownLine) -> MarkdownLineKind {
        if line.range.start < self.formula {
            return MarkdownLineKind::Prose;
        }
        // A fence ends with its quote.
        let is_quoted = line.quoted > line.range.start;
        self.fence = self.fence.filter(|_| is_quoted || !self.is_fence_quoted);
        self.is_fence_quoted = is_quoted;
        match step(&mut self.fence, &self.text[line.quoted..line.range.end]) {
            FenceLine::Opens => return MarkdownLineKind::Fence,
            FenceLine::Inside if self.fence.is_none() => return MarkdownLineKind::Fence,
            FenceLine::Inside => return MarkdownLineKind::Code,
            FenceLine::Outside => {}
        }
        let (written, indent) = (self.written(line), self.indent(line));
        if written.is_empty() {
            return if self.is_within_code() {
                MarkdownLineKind::Code
            } else {
                MarkdownLineKind::Blank
            };
        }
        let is_item = is_item(written);
        let goes_on = |head| indent > head || written.starts_with(['}', ')', ']']);
        if self.unfenced.is_some_and(goes_on) && !is_item && !self.starts_table(line) {
            return MarkdownLineKind::Unfenced;
        }
        self.unfenced = None;
        match self.before {
            MarkdownLineKind::TableHead => return MarkdownLineKind::Delimiter,
            MarkdownLineKind::Delimiter | MarkdownLineKind::TableRow
                if written.contains('|') && !is_item =>
            {
                return MarkdownLineKind::TableRow;
            }
            _ => {}
        }
        let is_paragraph = matches!(
            self.before,
            MarkdownLineKind::Prose | MarkdownLineKind::Item
        );
        if self.is_single && self.before == MarkdownLineKind::Prose && is_underline(written) {
            return MarkdownLineKind::Underline;
        }
        if is_rule(written) {
            return MarkdownLineKind::Rule;
        }
        if is_item {
            return MarkdownLineKind::Item;
        }
        if self.is_code_indent(indent) && !is_paragraph {
            return MarkdownLineKind::Code;
        }
        if is_header(written) {
            return MarkdownLineKind::Heading;
        }
        if self.starts_table(line) {
            return MarkdownLineKind::TableHead;
        }
        if self.starts_unfenced(line, indent) {
            self.unfenced = Some(indent);
            return MarkdownLineKind::Unfenced;
        }
        MarkdownLineKind::Prose
    }

    fn is_code_indent(&self, indent: usize) -> bool {
        indent >= self.item.unwrap_or(0) + CODE_INDENT
    }

    /// True if a blank line is between lines of indented code.
    fn is_within_code(&mut self) -> bool {
        if self.before != MarkdownLineKind::Code {
            return false;
        }
        for count in 0..MAX_BLANK {
            let Some(line) = self.peek(count) else {
                return false;
            };
            if line.content < line.range.end {
                return self.is_code_indent(self.indent(&line))
                    && item_marker(self.written(&line)).is_none();
            }
        }
        false
    }

    /// True if a line and the next one are the head of a table.
    fn starts_table(&mut self, line: &MarkdownLine) -> bool {
        let columns = cells(self.text, line.content..line.range.end).count();
        let Some(next) = self.peek(0).filter(|_| self.written(line).contains('|')) else {
            return false;
        };
        let rule = self.written(&next);
        is_delimiter(rule) && cells(self.text, next.content..next.range.end).count() == columns
    }

    /// True if a line and the more indented one below look like unmarked code.
    fn starts_unfenced(&mut self, line: &MarkdownLine, indent: usize) -> bool {
        let written = self.written(line).trim_end();
        let Some(next) = self.peek(0).filter(|_| written.ends_with([':', '{', '('])) else {
            return false;
        };
        let below = self.written(&next);
        let is_markdown = below.starts_with(['`', '~', '|', '>']) || item_marker(below).is_some();
        let is_code =
            (looks_like_code(written) || looks_like_code(below)) && !written.contains("**");
        !below.is_empty() && self.indent(&next) > indent && !is_markdown && is_code
    }

    /// Updates the state for the next lines.
    fn remember(&mut self, line: &MarkdownLine) {
        let indent = self.indent(line);
        let is_paragraph = matches!(
            self.before,
            MarkdownLineKind::Prose | MarkdownLineKind::Item
        );
        match line.kind {
            MarkdownLineKind::Item => {
                self.item = Some(indent + item_marker(self.written(line)).unwrap_or_default());
            }
            MarkdownLineKind::Blank | MarkdownLineKind::Code | MarkdownLineKind::Fence => {}
            MarkdownLineKind::Prose if is_paragraph => {}
            _ => {
                let item = self.item.map(|item| item.min(indent));
                self.item = item.filter(|item| *item > 0);
            }
        }
        self.is_single = line.kind == MarkdownLineKind::Prose && !is_paragraph;
        let is_text = matches!(line.kind, MarkdownLineKind::Prose | MarkdownLineKind::Item);
        if is_text && line.range.start >= self.formula {
            self.formula = formula_beyond(self.text, line.content..line.range.end).unwrap_or(0);
        }
        self.before = line.kind;
    }
}

impl Iterator for MarkdownLines<'_> {
    type Item = MarkdownLine;

    fn next(&mut self) -> Option<MarkdownLine> {
        let mut line = match self.ahead.pop_front() {
            Some(line) => line,
            None => self.read()?,
        };
        line.kind = self.kind(&line);
        self.remember(&line);
        Some(line)
    }
}

/// Returns where the quote signs of a line end, and where its text starts.
pub fn prefix(line: &[u8]) -> [usize; 2] {
    let (mut quoted, mut at) = (0, 0);
    while let Some(byte) = line.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' => at += 1,
            // After four blanks the sign is code.
            b'>' if at - quoted < CODE_INDENT => {
                at += 1;
                quoted = at + usize::from(line.get(at) == Some(&b' '));
                at = quoted;
            }
            _ => break,
        }
    }
    [quoted, at]
}

/// True if a line has characters that are common in programs only, or starts with a keyword.
fn looks_like_code(written: &str) -> bool {
    const WORDS: [&str; 14] = [
        "if", "elif", "else", "for", "while", "try", "except", "with", "return", "pass", "print",
        "class", "raise", "import",
    ];
    let words = written
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .is_some_and(|word| WORDS.contains(&word) && written.starts_with(word));
    words
        || written.contains(['=', '{', '}', ';', '<'])
        || written.contains("()")
        || is_call(written)
}

/// True if a bracket follows a name directly, as in `f(x)` and `a[0]`.
fn is_call(written: &str) -> bool {
    written
        .as_bytes()
        .windows(2)
        .into_iter()
        .any(|pair| is_of_name(pair[0]) && matches!(pair[1], b'(' | b'['))
}

/// Returns the length of the marker of a list item in bytes, with the blanks after it; `None` for
/// other lines.
pub fn item_marker(written: &str) -> Option<usize> {
    let digits = written.len()
        - written
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let rest = match digits {
        0 => written.strip_prefix(['-', '*', '+', '•']),
        1..=9 => written[digits..].strip_prefix(['.', ')']),
        _ => None,
    }?;
    let text = rest.trim_start_matches(' ');
    (rest.starts_with(' ') && !text.trim_start().is_empty()).then(|| written.len() - text.len())
}

/// True for a thematic break: three or more of one sign, possibly with blanks.
pub fn is_rule(written: &str) -> bool {
    let mut signs = written.chars().filter(|c| !c.is_whitespace());
    match signs.next() {
        Some(first @ ('-' | '*' | '_')) => {
            signs.clone().count() >= 2 && signs.all(|sign| sign == first)
        }
        _ => false,
    }
}

/// True if a line can make the one above a heading.
fn is_underline(written: &str) -> bool {
    let signs = written.trim_end();
    signs.len() > 1
        && ['=', '-']
            .iter()
            .any(|sign| signs.trim_matches(*sign).is_empty())
}

/// True for the delimiter row of a table.
fn is_delimiter(written: &str) -> bool {
    let is_cell = |cell: &str| {
        let dashes = cell.trim().trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    written.contains(['|', ':'])
        && cells(written, 0..written.len()).all(|cell| is_cell(&written[cell]))
}

/// Iterates over the positions of unescaped `|` in a row.
pub fn bars(row: &str) -> impl Iterator<Item = usize> {
    let bytes = row.as_bytes();
    memchr::memchr_iter(b'|', bytes).filter(|bar| *bar == 0 || bytes[bar - 1] != b'\\')
}

/// Iterates over the cells of a row, with their blanks and without `|`.
pub fn cells(text: &str, row: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = row.start + text[row.clone()].trim_end().len();
    let mut at = row.start + usize::from(text[row].starts_with('|'));
    std::iter::from_fn(move || {
        let start = at;
        if start >= end {
            return None;
        }
        let bar = bars(&text[start..end]).next();
        let cell = start..bar.map_or(end, |bar| start + bar);
        at = cell.end + 1;
        Some(cell)
    })
}

/// Returns the greatest width of a cell in each column, in terminal cells.
pub fn column_widths<'r>(
    text: &str,
    columns: usize,
    rows: impl IntoIterator<Item = &'r Vec<Range<usize>>>,
) -> Vec<usize> {
    let mut widths = vec![0; columns];
    for cells in rows {
        for (widest, cell) in widths.iter_mut().zip(cells) {
            *widest = width(&text[cell.clone()]).max(*widest);
        }
    }
    widths
}

/// True if a line starts a list item.
pub fn is_item(written: &str) -> bool {
    item_marker(written).is_some() && !is_rule(written)
}
