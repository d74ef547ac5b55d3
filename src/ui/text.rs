//! Laid-out text: only the lines on screen are looked at.

use std::ops::Range;

use ratatui::style::Style;

use super::{Canvas, Glyphs, Theme};
use crate::app::{Area, Pane, Section, SectionKind, StackLine};
use crate::model::Role;
use crate::text::{TextStyle, counted, width};

impl Theme {
    /// How a stretch of text with this style looks; nothing is set for ordinary text.
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
        // Later ones weigh more: a hit shows through everything.
        let worn = styles.into_iter().filter(|(one, _)| style.contains(*one));
        worn.fold(Style::default(), |style, (_, more)| style.patch(more))
    }
}

impl Canvas<'_> {
    /// The text of a pane below its strip, and its scroll bar.
    pub(super) fn pane_text(&mut self, pane: Pane) {
        let app = self.app;
        let Some(stack) = app.browser.page().and_then(|page| page.stack(pane)) else {
            return;
        };
        let area = app
            .browser
            .geometry()
            .inside(pane)
            .below(app.browser.strip_height(pane));
        let (top, height) = (app.browser.scrolled(pane), usize::from(area.height));
        let parts = stack.parts(top..top + height);
        for ((part, line), y) in parts.zip(top..).zip(area.y..) {
            let row = area.row(y);
            let over = app.browser.highlights(pane, line);
            self.part(part, row, &over);
            if *self.glyphs == Glyphs::ASCII && app.browser.diff.is_on {
                self.bracket(part, row, &over);
            }
        }
        self.scroll_bar(pane, top, stack.len(), app.browser.text_height(pane));
    }

    /// A line of laid-out text, with more styles `over` bytes of it.
    pub(super) fn part(
        &mut self,
        part: StackLine<'_>,
        area: Area,
        over: &[(Range<usize>, TextStyle)],
    ) {
        let end = area.right();
        match part {
            StackLine::Gap => {}
            StackLine::Heading(section) => {
                let x = self.gutter(section, true, area);
                if let SectionKind::Turn(role) = section.kind {
                    let style = self.role_style(role);
                    self.put(x, area.y, end, role.word(), style);
                }
            }
            StackLine::Fold(section) => {
                let x = self.gutter(section, false, area);
                let more = counted(section.folded, "more line");
                let words = format!("{} {more}, z unfolds", self.glyphs.ellipsis);
                self.put(x, area.y, end, &words, self.theme.dim);
            }
            StackLine::Line(section, line, number) => {
                if section.kind == SectionKind::Divider {
                    self.divider(section, area);
                    return;
                }
                let mut x = self.gutter(section, number == 0 && !section.headed, area);
                let base = self.section_style(section.kind);
                if section.block.is_code(line) {
                    // Flush with what is left and right of the text, as a block.
                    let shade = Area {
                        x: x.saturating_sub(1),
                        width: end + 1 - x.saturating_sub(1),
                        ..area
                    };
                    self.tint(shade, self.theme.code_block);
                }
                for (piece, style) in section.block.pieces_over(line, over) {
                    let style = base.patch(self.theme.style(style));
                    x = self.put_text(x, area.y, end, piece, style);
                }
            }
        }
    }

    /// Puts brackets around what the response on this line has alone, where blanks leave room for
    /// them: a terminal without these signs may show no colours either, and no underlines.
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
                // With the signs that touch them, up to the next blank.
                let start = (area.x..x).rev().take_while(|x| !self.is_blank(*x, area.y));
                let start = start.last().unwrap_or(x);
                let behind = (end..area.right()).take_while(|x| !self.is_blank(*x, area.y));
                let end = behind.last().map_or(end, |x| x + 1);
                match marked.last_mut() {
                    Some(last) if start <= last.end + 1 => last.end = end,
                    _ => marked.push(start..end),
                }
            }
            x = end;
        }
        for Range { start, end } in marked {
            // The air beside a text is a blank as well, its border is none.
            for (x, sign) in [(start.saturating_sub(1), "["), (end, "]")] {
                if self.is_blank(x, area.y) {
                    self.put(x, area.y, x + 1, sign, self.theme.dim);
                }
            }
        }
    }

    /// Whether a cell is empty, and no half of a wide character.
    fn is_blank(&self, x: u16, y: u16) -> bool {
        let symbol = |x: u16| self.buffer.cell((x, y)).map_or("", |cell| cell.symbol());
        let is_covered = x.checked_sub(1).is_some_and(|x| width(symbol(x)) > 1);
        symbol(x) == " " && !is_covered
    }

    /// What stands left of a section's text; returns where the text begins.
    fn gutter(&mut self, section: &Section, first: bool, area: Area) -> u16 {
        let text = area.x + section.gutter;
        match section.kind {
            SectionKind::Turn(role) => {
                let (style, rule) = (self.role_style(role), self.glyphs.turn_rule);
                let x = self.put(area.x, area.y, text, rule, style);
                if first && section.gutter > 2 {
                    self.put(x + 1, area.y, text, role.word(), style);
                }
            }
            SectionKind::Quote { .. } => {
                let rule = self.glyphs.turn_rule;
                self.put(area.x, area.y, text, rule, self.theme.faint);
            }
            SectionKind::Plain
            | SectionKind::Divider
            | SectionKind::QuoteTitle { .. }
            | SectionKind::Remark
            | SectionKind::Reason => {}
        }
        if matches!(section.kind, SectionKind::QuoteTitle { .. }) {
            area.x
        } else {
            text
        }
    }

    fn divider(&mut self, section: &Section, area: Area) {
        let line = self.glyphs.border.horizontal_top;
        let end = area.right();
        self.put(
            area.x,
            area.y,
            end,
            &line.repeat(usize::from(area.width)),
            self.theme.faint,
        );
        self.put(
            area.x + 2,
            area.y,
            end,
            &format!(" {} ", section.block.text()),
            self.theme.dim,
        );
    }

    fn section_style(&self, kind: SectionKind) -> Style {
        let theme = self.theme;
        match kind {
            SectionKind::Plain | SectionKind::Turn(_) | SectionKind::Divider => theme.text,
            SectionKind::QuoteTitle { cited: true } => theme.strong,
            SectionKind::Quote { cited: true } => theme.text,
            SectionKind::QuoteTitle { cited: false } | SectionKind::Quote { cited: false } => {
                theme.citation_unused
            }
            SectionKind::Remark => theme.dim,
            SectionKind::Reason => theme.finding,
        }
    }

    fn role_style(&self, role: Role) -> Style {
        let theme = self.theme;
        match role {
            Role::User => theme.turn_user,
            Role::Assistant => theme.turn_assistant,
            Role::System | Role::Reasoning | Role::ToolCall | Role::ToolResult | Role::Other => {
                theme.turn_system
            }
        }
    }

    /// A thumb on the right border, where there is more than fits.
    pub(super) fn scroll_bar(&mut self, pane: Pane, top: usize, lines: usize, shown: usize) {
        let frame = self.browser.geometry().frame(pane);
        let inside = frame.inside();
        if lines <= shown || inside.height == 0 || shown == 0 {
            return;
        }
        let track = usize::from(inside.height);
        let length = (track * shown / lines).clamp(1, track);
        let most = lines - shown;
        let start = (track - length) * top.min(most) / most;
        let (style, sign) = (self.theme.dim, self.glyphs.scroll_thumb);
        let x = frame.right() - 1;
        for row in start..start + length {
            self.put(x, inside.y + row as u16, x + 1, sign, style);
        }
    }
}
