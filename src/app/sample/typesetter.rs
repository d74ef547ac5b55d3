//! Texts → laid-out sections: sanitised, rendered, wrapped and coloured for one layout.

use super::pane_text::{PaneText, Section, SectionKind};
use crate::app::texts;
use crate::model::{Quote, Response, Role, Turn};
use crate::parallel::KeepGoing;
use crate::text::{
    self, Hidden, StyledText, TextGlyphs, TextLink, TextStyle, WrappedLine, citation_targets,
    citations,
};

/// Least width at which a turn's role is next to its text instead of above.
const ROLE_BESIDE_FROM: u16 = 36;
/// Cells between a role and its text, and of a gutter without a role.
const ROLE_GAP: u16 = 2;
const RULE_GUTTER: u16 = 2;

/// Wraps a text as the only section of a pane.
pub(crate) fn stack_of(block: StyledText, width: u16) -> PaneText {
    let mut stack = PaneText::default();
    stack.push(wrapped(SectionKind::Plain, block, width, &|| true));
    stack
}

/// Most bytes of text that a pane lays out, about 3,000 printed pages. A row can be as large as a
/// disk, and wrapped lines can take sixty times the memory of their text.
pub(crate) const MAX_TEXT: usize = 8 << 20;

/// The parameters of a page's layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// Columns of the prompt pane, without its border.
    pub prompt_width: u16,
    /// Columns of a single response.
    pub single_width: u16,
    /// Columns of A and of B if there are both.
    pub pair_widths: [u16; 2],
    /// Whether earlier turns of a prompt are cut to a line each unless unfolded.
    pub cuts_turns: bool,
    pub markdown: bool,
    /// Whether hidden characters are shown.
    pub hidden: Hidden,
    /// Whether reasoning, tool calls and tool results are shown unfolded.
    pub unfolded: bool,
    /// The glyphs to render Markdown with.
    pub glyphs: TextGlyphs,
}

/// The text that a pane can lay out.
#[derive(Default)]
pub(crate) struct TextBudget {
    used: usize,
    /// Bytes that exceeded the budget.
    cut: usize,
}

impl TextBudget {
    /// Returns the beginning of a text that fits the budget.
    pub fn take<'t>(&mut self, text: &'t str) -> &'t str {
        let mut end = (MAX_TEXT - self.used).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // Nothing follows a truncated text: half a text between others would mislead.
        self.used = if end < text.len() {
            MAX_TEXT
        } else {
            self.used + end
        };
        self.cut += text.len() - end;
        &text[..end]
    }
}

/// Lays out texts for one layout. Once cancelled, the result is meaningless.
#[derive(Clone, Copy)]
pub(crate) struct Typesetter<'l> {
    pub layout: &'l Layout,
    /// Whether texts are wrapped; texts that are only searched are not.
    pub wraps: bool,
    pub keep_going: &'l dyn KeepGoing,
}

impl Typesetter<'_> {
    pub fn prompt(&self, turns: &[Turn<'_>]) -> PaneText {
        let width = self.layout.prompt_width;
        let (mut stack, mut room) = (PaneText::default(), TextBudget::default());
        let gutter = role_gutter(turns.iter().map(|turn| turn.role));
        let asked = turns.iter().rposition(|turn| turn.role == Role::User);
        for (number, turn) in turns.iter().enumerate() {
            // Blank lines at the end of a prompt, as in WebGPT, would take rows of the responses.
            let text = match self.layout.hidden {
                Hidden::Shown => &turn.text,
                _ => turn.text.trim_end(),
            };
            let text = room.take(text);
            if text.is_empty() && room.cut > 0 {
                continue;
            }
            let mut section = self.turn(turn.role, text, width, gutter);
            let is_earlier = asked.is_some_and(|asked| number < asked);
            if is_earlier && self.layout.cuts_turns && !self.layout.unfolded {
                section.cut();
            }
            section.is_earlier = is_earlier;
            stack.push(section);
        }
        self.note_cut(&mut stack, &room, width);
        stack
    }

    /// Lays out one of several turns, with the role beside or above its text.
    fn turn(&self, role: Role, text: &str, width: u16, gutter: u16) -> Section {
        let beside = width >= ROLE_BESIDE_FROM;
        let gutter = if beside { gutter } else { RULE_GUTTER };
        let kind = SectionKind::Turn(role);
        let mut section = self.section(kind, text, width.saturating_sub(gutter));
        if role.is_folded_at_first() && !self.layout.unfolded {
            section.fold();
        }
        Section {
            gutter,
            headed: !beside,
            ..section
        }
    }

    /// Adds the text of a response, as a whole or turn by turn.
    fn response_text(
        &self,
        stack: &mut PaneText,
        response: &Response<'_>,
        room: &mut TextBudget,
        width: u16,
    ) {
        let mut sections = Vec::new();
        if response.turns.is_empty() {
            sections.push(self.section(SectionKind::Plain, room.take(&response.text), width));
        }
        let gutter = role_gutter(response.turns.iter().map(|turn| turn.role));
        for turn in &response.turns {
            let text = response.text.get(turn.range.clone()).unwrap_or_default();
            let text = room.take(text);
            if text.is_empty() && room.cut > 0 {
                continue;
            }
            let gap = usize::from(!sections.is_empty());
            let section = self.turn(turn.role, text, width, gutter);
            sections.push(Section { gap, ..section });
        }
        for mut section in sections {
            if let Some(quotes) = &response.quotes {
                colour_citations(&mut section.block, quotes);
            }
            stack.push(section);
        }
    }

    pub fn response(&self, response: &Response<'_>, width: u16, room: &mut TextBudget) -> PaneText {
        let mut stack = PaneText::default();
        if response.text.trim().is_empty() {
            stack.push(self.remark(
                if response.text.is_empty() {
                    "(empty)"
                } else {
                    "(only whitespace)"
                },
                width,
            ));
        }
        if !response.text.is_empty() {
            self.response_text(&mut stack, response, room, width);
        }
        if let Some(quotes) = response
            .quotes
            .as_deref()
            .filter(|quotes| !quotes.is_empty() && room.cut == 0)
        {
            self.quotes(&mut stack, quotes, &response.text, room, width);
        } else {
            room.cut += response
                .quotes
                .iter()
                .flatten()
                .map(|quote| quote.title.len() + quote.extract.len())
                .sum::<usize>();
        }
        self.note_cut(&mut stack, room, width);
        stack
    }

    fn quotes(
        &self,
        stack: &mut PaneText,
        quotes: &[Quote<'_>],
        answer: &str,
        room: &mut TextBudget,
        width: u16,
    ) {
        let live = citation_targets(answer, quotes.len()).live;
        // If nothing is cited, no quote is marked as unused.
        let cites = !live.is_empty();
        let divider = Section {
            gap: 1,
            ..self.remark("quotes", width)
        };
        stack.push(Section {
            kind: SectionKind::Divider,
            ..divider
        });
        let narrow = width.saturating_sub(RULE_GUTTER);
        for (number, quote) in (1..).zip(quotes) {
            let cited = !cites || live.contains(&number);
            let unused = if cited { "" } else { " (unused)" };
            let title = room.take(&quote.title);
            if room.cut > 0 {
                room.cut += quote.extract.len();
                continue;
            }
            let title = format!("[{number}] {title}{unused}");
            let title = Section {
                gutter: RULE_GUTTER,
                ..self.plain(SectionKind::QuoteTitle { cited }, &title, narrow)
            };
            stack.push(Section {
                gap: usize::from(number > 1),
                ..title
            });
            let extract = self.plain(
                SectionKind::Quote { cited },
                room.take(&quote.extract),
                narrow,
            );
            stack.push(Section {
                gutter: RULE_GUTTER,
                ..extract
            });
        }
    }

    /// Lays out texts below each other, each with a title.
    pub fn rationales<'t>(&self, texts: impl Iterator<Item = (String, &'t str)>) -> PaneText {
        let width = self.layout.prompt_width;
        let (mut stack, mut room) = (PaneText::default(), TextBudget::default());
        for (title, text) in texts {
            let text = room.take(text);
            if text.is_empty() {
                continue;
            }
            let gap = usize::from(!stack.is_empty());
            stack.push(Section {
                gap,
                ..self.plain(SectionKind::Divider, &title, width)
            });
            stack.push(self.section(SectionKind::Plain, text, width));
        }
        self.note_cut(&mut stack, &room, width);
        stack
    }

    /// Adds a remark on the amount of text that was cut off, if any.
    pub fn note_cut(&self, stack: &mut PaneText, room: &TextBudget, width: u16) {
        if room.cut > 0 {
            let words = texts::text_cut(crate::app::text_size(room.cut as u64));
            stack.push(Section {
                gap: 1,
                ..self.remark(&words, width)
            });
        }
    }

    pub fn remark(&self, words: &str, width: u16) -> Section {
        self.plain(SectionKind::Remark, words, width)
    }

    fn section(&self, kind: SectionKind, raw: &str, width: u16) -> Section {
        if !self.layout.markdown {
            return self.plain(kind, raw, width);
        }
        let clean = text::sanitise(raw, self.layout.hidden);
        let block = StyledText::markdown_while(clean, self.layout.glyphs, self.keep_going);
        self.set(kind, block.unwrap_or_default(), width)
    }

    pub fn plain(&self, kind: SectionKind, raw: &str, width: u16) -> Section {
        let clean = text::sanitise(raw, self.layout.hidden);
        self.set(kind, StyledText::plain(clean), width)
    }

    fn set(&self, kind: SectionKind, block: StyledText, width: u16) -> Section {
        if self.wraps {
            wrapped(kind, block, width, self.keep_going)
        } else {
            section(kind, block, Vec::new())
        }
    }
}

/// Wraps a text, unless cancelled.
pub(crate) fn wrapped(
    kind: SectionKind,
    block: StyledText,
    width: u16,
    keep_going: &dyn KeepGoing,
) -> Section {
    let lines = if keep_going() {
        text::wrap(&block, width.max(1))
    } else {
        Vec::new()
    };
    section(kind, block, lines)
}

fn section(kind: SectionKind, block: StyledText, lines: Vec<WrappedLine>) -> Section {
    Section {
        kind,
        block,
        lines,
        gutter: 0,
        gap: 0,
        headed: false,
        folded: 0,
        is_cut: false,
        is_earlier: false,
    }
}

/// Returns the width of the longest role and the gap after it, in cells.
fn role_gutter(roles: impl Iterator<Item = Role>) -> u16 {
    let widest = roles.map(|role| text::width(role.word())).max();
    widest.unwrap_or(0) as u16 + ROLE_GAP
}

fn colour_citations(block: &mut StyledText, quotes: &[Quote<'_>]) {
    let found: Vec<_> = citations(block.text());
    for citation in found {
        let quote = citation.number.checked_sub(1).and_then(|at| quotes.get(at));
        if let Some(link) = quote.and_then(|quote| TextLink::within(&quote.title).next()) {
            block.link(citation.range.clone(), &link.url);
        }
        block.overlay(
            citation.range,
            if quote.is_some() {
                TextStyle::CITATION_LIVE
            } else {
                TextStyle::CITATION_DANGLING
            },
        );
    }
}
