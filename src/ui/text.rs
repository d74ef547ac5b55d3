//! Drawing of laid-out text. Only visible lines are processed.

use std::ops::Range;

use ratatui::style::Style;

use super::card::bold;
use super::row::Row;
use super::{Canvas, Glyphs, Theme};
use crate::app::{App, Area, Pane, Section, SectionKind, StackLine};
use crate::model::Role;
use crate::text::{TextStyle, counted, width};

impl Theme {
    /// Returns the style of a span of text; nothing is set for ordinary text.
    pub fn style(&self, style: TextStyle) -> Style {
        let theme = self;
        let styles = [
            (TextStyle::CODE_BLOCK, theme.code_block),
            (TextStyle::QUOTE, theme.quote),
            (TextStyle::HEADING, theme.heading),
            (TextStyle::COMMON, theme.common),
            (TextStyle::STRONG, theme.strong),
            (TextStyle::EMPHASIS, theme.emphasis),
            (TextStyle::STRIKE, theme.strike),
            (TextStyle::CODE, theme.code),
            (TextStyle::LINK, theme.link),
            (TextStyle::MARKER, theme.marker),
            (TextStyle::RULE, theme.rule),
            (TextStyle::TABLE, theme.table),
            (TextStyle::JSON_KEY, theme.key),
            (TextStyle::JSON_STRING, theme.turn_user),
            (TextStyle::JSON_NUMBER, theme.citation_live),
            (TextStyle::JSON_LITERAL, theme.turn_assistant),
            (TextStyle::DIM, theme.dim),
            (TextStyle::CITATION_LIVE, theme.citation_live),
            (TextStyle::CITATION_DANGLING, theme.citation_dangling),
            (TextStyle::HIDDEN, theme.hidden),
            (TextStyle::ONLY_A, theme.only_a),
            (TextStyle::ONLY_B, theme.only_b),
            (TextStyle::HIT, theme.hit),
            (TextStyle::HIT.union(TextStyle::HERE), theme.hit_here),
        ];
        // Later entries have priority: a hit is visible in any text.
        styles
            .into_iter()
            .filter(|(one, _)| style.contains(*one))
            .fold(Style::default(), |style, (_, more)| style.patch(more))
    }

    const fn section(&self, kind: SectionKind) -> Style {
        match kind {
            SectionKind::QuoteTitle { cited: true } => self.strong,
            SectionKind::QuoteTitle { cited: false } | SectionKind::Quote { cited: false } => {
                self.citation_unused
            }
            SectionKind::Remark => self.dim,
            SectionKind::Reason => self.finding,
            _ => self.text,
        }
    }

    const fn role(&self, role: Role) -> Style {
        match role {
            Role::User => self.turn_user,
            Role::Assistant => self.turn_assistant,
            _ => self.turn_system,
        }
    }
}

/// Returns the visible lines of a pane's text: content, number and row.
fn shown_lines(app: &App, pane: Pane) -> impl Iterator<Item = (StackLine<'_>, usize, Area)> {
    let area = app.geometry().inside(pane);
    let (top, height) = (app.scrolled(pane), usize::from(area.height));
    app.open
        .stack(pane)
        .into_iter()
        .flat_map(move |stack| stack.parts(top..top + height))
        .zip(top..)
        .zip(area.y..)
        .map(move |((part, line), y)| (part, line, area.row(y)))
}

/// Returns the links in the visible texts: cells on one row, and URL. Empty while another view
/// covers the texts.
pub fn links(app: &App) -> Vec<(Area, String)> {
    let views = &app.views;
    let is_covered = views.page().is_some() || views.top_menu().is_some() || views.line().is_some();
    let lines = Pane::ALL
        .into_iter()
        .filter(|_| !is_covered)
        .flat_map(|pane| shown_lines(app, pane));
    let on_line = |(part, _, row): (StackLine<'_>, usize, Area)| {
        let StackLine::Line(section, line, _) = part else {
            return Vec::new();
        };
        let x = row.x.saturating_add(section.gutter);
        let on_row = |(cells, url): (Range<usize>, &str)| {
            let from = x.saturating_add(cells.start as u16);
            let to = x.saturating_add(cells.end as u16).min(row.right());
            (
                Area::new(from, row.y, to.saturating_sub(from), 1),
                url.to_owned(),
            )
        };
        section
            .block
            .links_on(line)
            .into_iter()
            .map(on_row)
            .collect()
    };
    lines.flat_map(on_line).collect()
}

impl Canvas<'_> {
    /// Draws the text of a pane.
    pub fn pane_text(&mut self, pane: Pane) {
        let app = self.app;
        for (part, line, row) in shown_lines(app, pane) {
            let over = app.highlights(pane, line);
            self.part(part, row, &over);
            if *self.glyphs != Glyphs::UNICODE && app.diff.is_on {
                self.bracket(part, row, &over);
            }
        }
        let Some(stack) = app.open.stack(pane) else {
            return;
        };
        let area = app.geometry().inside(pane);
        let (top, height) = (app.scrolled(pane), usize::from(area.height));
        if pane == Pane::Prompt {
            let hidden = [top, stack.len().saturating_sub(top + height)];
            self.hidden_lines(area, stack.gutter(), hidden);
        }
    }

    /// Shows the numbers of lines hidden above and below the prompt: in its margin if they fit,
    /// otherwise at the end of its last row.
    fn hidden_lines(&mut self, area: Area, gutter: u16, [above, below]: [usize; 2]) {
        let (dim, glyphs) = (self.theme.dim, self.glyphs);
        let words = [(above, glyphs.above), (below, glyphs.below)]
            .into_iter()
            .filter(|(lines, _)| *lines > 0)
            .map(|(lines, sign)| format!("{sign}{lines}"))
            .collect::<Vec<_>>()
            .join(" ");
        let cells = width(&words) as u16;
        let (x, y) = match area.height {
            2.. if cells < gutter => (area.x, area.y + 1),
            height => (
                area.right().saturating_sub(cells),
                area.y + height.max(1) - 1,
            ),
        };
        if !area.is_empty() && (x..x + cells).all(|x| self.is_blank(x, y)) {
            self.row(Area::new(x, y, cells, 1)).put(&words, dim);
        }
    }

    /// Draws a line of laid-out text; `over` has additional styles for byte ranges.
    pub fn part(&mut self, part: StackLine<'_>, area: Area, over: &[(Range<usize>, TextStyle)]) {
        let (theme, ellipsis) = (self.theme, self.glyphs.ellipsis);
        match part {
            StackLine::Gap => {}
            StackLine::Heading(section) => {
                let mut row = self.gutter(section, true, area);
                if let SectionKind::Turn(role) = section.kind {
                    row.put(role.word(), theme.role(role));
                }
            }
            StackLine::Fold(section) => {
                let more = counted(section.folded, "more line");
                let words = format!("{ellipsis} {more}, z unfolds");
                self.gutter(section, false, area).put(&words, theme.dim);
            }
            StackLine::Line(section, ..) if section.kind == SectionKind::Divider => {
                let rule = self.glyphs.border.horizontal_top;
                let mut row = self.row(area);
                row.put(&rule.repeat(row.room()), theme.faint);
                row.x = area.x + 2;
                row.put(&format!(" {} ", section.block.text()), theme.dim);
            }
            StackLine::Line(section, line, number) => {
                let is_first = number == 0 && !section.headed;
                let mut row = self.gutter(section, is_first, area);
                let mut base = theme.section(section.kind);
                if section.is_earlier {
                    base = base.patch(theme.dim);
                }
                if section.block.is_code(line) {
                    // A code block includes the cells left and right of the text.
                    let x = row.x.saturating_sub(1);
                    let width = (row.end + 1).saturating_sub(x);
                    row.tint(Area { x, width, ..area }, theme.code_block);
                }
                for (piece, style) in section.block.pieces_over(line, over) {
                    row.text(piece, base.patch(theme.style(style)));
                }
                if section.is_cut {
                    row.x = row.x.min(row.end.saturating_sub(1));
                    row.put(ellipsis, theme.dim);
                }
            }
        }
    }

    /// Puts brackets around words unique to the response on this line, if there are spaces for
    /// them: a terminal without Unicode may not show colours or underlines either.
    fn bracket(&mut self, part: StackLine<'_>, area: Area, over: &[(Range<usize>, TextStyle)]) {
        let StackLine::Line(section, line, _) = part else {
            return;
        };
        let is_only = |style: TextStyle| {
            style.contains(TextStyle::ONLY_A) || style.contains(TextStyle::ONLY_B)
        };
        let mut x = area.x + section.gutter;
        let mut marked: Vec<Range<u16>> = Vec::new();
        for (piece, style) in section.block.pieces_over(line, over) {
            let end = x + u16::try_from(width(piece)).unwrap_or(u16::MAX - x);
            if is_only(style) {
                // Include adjacent punctuation, up to the next space.
                let start = (area.x..x)
                    .rev()
                    .take_while(|x| !self.is_blank(*x, area.y))
                    .last()
                    .unwrap_or(x);
                let end = (end..area.right())
                    .take_while(|x| !self.is_blank(*x, area.y))
                    .last()
                    .map_or(end, |x| x + 1);
                match marked.last_mut() {
                    Some(last) if start <= last.end + 1 => last.end = end,
                    _ => marked.push(start..end),
                }
            }
            x = end;
        }
        for Range { start, end } in marked {
            // Brackets may also use the pane's margin, but not its border.
            for (x, sign) in [(start.saturating_sub(1), "["), (end, "]")] {
                if self.is_blank(x, area.y) {
                    let dim = self.theme.dim;
                    self.row(Area::new(x, area.y, 1, 1)).put(sign, dim);
                }
            }
        }
    }

    /// True if a cell is blank, and not the second half of a wide character.
    fn is_blank(&self, x: u16, y: u16) -> bool {
        let symbol = |x: u16| self.buffer.cell((x, y)).map_or("", |cell| cell.symbol());
        let is_covered = x.checked_sub(1).is_some_and(|x| width(symbol(x)) > 1);
        symbol(x) == " " && !is_covered
    }

    /// Draws the gutter left of a section's text. Returns the rest of the row.
    fn gutter(&mut self, section: &Section, first: bool, area: Area) -> Row<'_> {
        let (theme, rule) = (self.theme, self.glyphs.turn_rule);
        let mut row = self.row(area);
        let text = area.x + section.gutter;
        row.end = text;
        match section.kind {
            SectionKind::Turn(role) if section.gutter <= 2 => row.put(rule, theme.role(role)),
            SectionKind::Turn(role) if first => {
                let style = if section.is_earlier {
                    theme.dim
                } else {
                    bold(theme.role(role))
                };
                row.put(role.word(), style);
            }
            SectionKind::Quote { .. } => row.put(rule, theme.faint),
            _ => {}
        }
        if !matches!(section.kind, SectionKind::QuoteTitle { .. }) {
            row.x = text;
        }
        row.end = area.right();
        row
    }
}
