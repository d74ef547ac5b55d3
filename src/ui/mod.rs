//! Drawing: `draw` paints the state into cells and changes nothing.
//!
//! [`draw`] is the entry point; a [`Look`] holds its [`Theme`] and its [`Glyphs`].

mod candidates;
mod card;
mod empty_state;
mod findings;
mod glyphs;
mod header;
mod histogram;
mod input_line;
mod list;
mod menu;
mod note;
mod page;
mod panel;
mod rating;
mod row;
mod status;
mod svg;
mod text;
mod theme;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

pub use glyphs::{Glyphs, legend};
pub use page::statistics_picture;
use row::Row;
pub use svg::{SvgBackground, svg};
pub use text::links;
pub use theme::{ColorDepth, PALETTES, Preset, Theme, ThemeFile, ThemeSide};

use crate::app::{App, Area, Geometry, LayoutMode, Page, Pane, PaneText, Review, View, Views};
use crate::model::{ResponseId, Verdict};
use crate::query::SampleJudgment;
use crate::text::{counted, grouped, is_right_to_left, number, one_line, width};

/// Shown in the corner, over every view, while judgments cannot be saved.
const UNSAVED: &str = " NOT SAVED ";

/// Theme and symbols.
#[derive(Debug, Clone)]
pub struct Look {
    /// Colours and text styles.
    pub theme: Theme,
    /// Symbols.
    pub glyphs: Glyphs,
}

/// Paints the whole screen into a buffer of any size; content that does not fit is left out.
/// Returns the cell of the cursor while the user types; it is drawn reversed.
pub fn draw(buffer: &mut Buffer, app: &App, look: &Look) -> Option<Position> {
    let mut canvas = Canvas {
        buffer,
        app,
        views: &app.views,
        review: &app.review,
        theme: &look.theme,
        glyphs: &look.glyphs,
        caret: None,
    };
    let area = canvas.buffer.area;
    canvas.buffer.set_style(area, look.theme.screen);
    // Where rows are printed, a menu or a line says nothing else.
    let is_alone =
        app.layout.is_linear && (app.views.top_menu().is_some() || app.views.line().is_some());
    if !is_alone {
        canvas.header();
    }
    let has_samples = app.data.dataset.samples() > 0;
    match app.views.page() {
        _ if is_alone => {}
        Some(page) if has_samples || page.content.is_of_program() => canvas.page(page),
        _ if !has_samples => canvas.no_samples(),
        _ => {
            canvas.panes();
            match app.views.below_panes() {
                Some(View::Note(pad)) => canvas.note(pad),
                Some(View::Rate(_)) => canvas.rating(),
                Some(View::Queue(strip)) => canvas.queue(strip.order),
                Some(View::Panel(panel)) => canvas.panel(panel),
                _ => {}
            }
        }
    }
    match app.views.line() {
        Some(prompt) if app.views.top_menu().is_none() => {
            if canvas.is_in_header(prompt) {
                canvas.status();
            }
            canvas.prompt(prompt);
        }
        _ => canvas.status(),
    }
    if let Some(menu) = app.views.top_menu() {
        canvas.menu(menu);
    }
    if app.review.saving.trouble.is_some() {
        let mut top = canvas.row(Area::new(0, 0, area.width, 1));
        top.right(UNSAVED, look.theme.error);
    }
    canvas.caret
}

/// Inserts direction marks around the rules between panes, for terminals that reorder right-to-left
/// text across a row. Without them, right-to-left text at the end of A and at the start of B would
/// be one run, with B's part first.
pub fn isolate_directions(buffer: &mut Buffer, app: &App) {
    const LEFT_TO_RIGHT: &str = "\u{200e}";
    let geometry = app.geometry();
    let area = buffer.area;
    for y in area.top()..area.bottom() {
        let row = Rect::new(area.x, y, area.width, 1).positions();
        let is_marked = |position| is_right_to_left(buffer[position].symbol());
        if !row.into_iter().any(is_marked) {
            continue;
        }
        let below = |above: Area, height| y >= above.y && y < above.bottom() + height;
        let is_list = below(geometry.list, geometry.card.height);
        let rules = [
            Some(geometry.list.right()).filter(|_| is_list),
            Some(geometry.a.right()).filter(|_| below(geometry.a, 0)),
        ];
        let hides_rules = app.views.page().is_some() || app.views.top_menu().is_some();
        let rules = rules.into_iter().flatten().filter(|_| !hides_rules);
        for x in [area.x].into_iter().chain(rules) {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                let marked = format!("{LEFT_TO_RIGHT}{}{LEFT_TO_RIGHT}", cell.symbol());
                cell.set_symbol(&marked);
            }
        }
    }
}

/// A buffer with the state and the look to draw.
struct Canvas<'c> {
    buffer: &'c mut Buffer,
    app: &'c App,
    views: &'c Views,
    review: &'c Review,
    theme: &'c Theme,
    glyphs: &'c Glyphs,
    /// The cell of the cursor, where the next typed character appears.
    caret: Option<Position>,
}

impl Canvas<'_> {
    /// Returns a writer for the first row of an area.
    fn row(&mut self, area: Area) -> Row<'_> {
        Row {
            buffer: self.buffer,
            theme: self.theme,
            glyphs: self.glyphs,
            base: Style::default(),
            x: area.x,
            y: area.y,
            end: area.right(),
        }
    }

    /// Returns a writer for the first row of an area, which gets a base style.
    fn tinted(&mut self, area: Area, base: Style) -> Row<'_> {
        self.tint(area, base);
        Row {
            base,
            ..self.row(area)
        }
    }

    /// Returns a writer for a row of a frame, without the columns of its border.
    fn edge(&mut self, frame: Area, y: u16) -> Row<'_> {
        let width = frame.width.saturating_sub(2);
        self.row(Area::new(frame.x + 1, y, width, 1))
    }

    /// Returns the header without the corner that reports unsaved judgments.
    fn header_area(&self) -> Area {
        let mut area = self.app.geometry().header;
        if self.review.saving.trouble.is_some() {
            area.width = area.width.saturating_sub(UNSAVED.len() as u16);
        }
        area
    }

    /// Styles a whole area.
    fn tint(&mut self, area: Area, style: Style) {
        self.buffer.set_style(rect(area), style);
    }

    /// Draws a horizontal rule over the first row of an area. Returns a writer that starts one cell
    /// in.
    fn rule(&mut self, area: Area, style: Style) -> Row<'_> {
        let cells = self.glyphs.rule.horizontal.repeat(usize::from(area.width));
        self.row(area).put(&cells, style);
        let mut row = self.row(area);
        row.skip(1);
        row
    }

    /// Draws a symbol in a column over a range of rows.
    fn vertical(&mut self, x: u16, rows: std::ops::Range<u16>, sign: &str, style: Style) {
        for y in rows {
            self.row(Area::new(x, y, 1, 1)).put(sign, style);
        }
    }

    /// Draws the list and the texts.
    fn panes(&mut self) {
        let geometry = self.app.geometry();
        let is_empty = self.app.shown().is_empty();
        if is_empty {
            self.no_matches();
        } else {
            self.pane_text(Pane::Prompt);
            self.labels_row();
            for pane in [Pane::Left, Pane::Right, Pane::Rationales] {
                self.title(pane);
                self.pane_text(pane);
            }
            self.sentence();
            self.rule_between_responses(&geometry);
        }
        if !is_empty {
            self.card();
        }
        if geometry.list.is_empty() {
            return;
        }
        if geometry.is_list_on_top() {
            let width = geometry.list.width + 1;
            self.clear_area(Area {
                width,
                ..geometry.list
            });
        }
        self.list();
        self.rule_beside_list(&geometry);
    }

    /// Draws the rule between A and B, joined to the rules above and below.
    fn rule_between_responses(&mut self, geometry: &Geometry) {
        let (a, b) = (geometry.a, geometry.b);
        if geometry.shape != LayoutMode::Wide || b.is_empty() {
            return;
        }
        let (x, rule) = (a.right(), &self.glyphs.rule);
        self.vertical(x, a.y + 1..a.bottom(), rule.vertical, self.theme.border);
        let style = self.rule_style(Pane::Left);
        self.vertical(x, a.y..a.y + 1, rule.horizontal_down, style);
        if !geometry.rationales.is_empty() {
            let (y, style) = (geometry.rationales.y, self.rule_style(Pane::Rationales));
            self.vertical(x, y..y + 1, rule.horizontal_up, style);
        }
    }

    /// Draws the rule between the list and the texts, joined to the rules on both sides.
    fn rule_beside_list(&mut self, geometry: &Geometry) {
        let (list, card) = (geometry.list, geometry.card);
        let (rule, style) = (&self.glyphs.rule, self.theme.border);
        let titles = [geometry.a.y, geometry.b.y, geometry.rationales.y];
        for y in list.y..list.bottom() + card.height {
            let is_title = y > 0 && titles.contains(&y) && !geometry.is_list_on_top();
            let is_card = !card.is_empty() && y == card.y;
            let sign = match (is_card, is_title) {
                (true, true) => rule.cross,
                (true, false) => rule.vertical_left,
                (false, true) => rule.vertical_right,
                (false, false) => rule.vertical,
            };
            self.vertical(list.right(), y..y + 1, sign, style);
        }
    }

    /// Returns the style of the rule above a pane: panes that scroll together are focused together.
    fn rule_style(&self, pane: Pane) -> Style {
        let focus = self.app.layout.focus;
        let is_linked = self.app.are_panes_locked() && focus.opposite() == Some(pane);
        if pane == focus || is_linked {
            self.theme.border_focus
        } else {
            self.theme.border
        }
    }

    /// Draws the rule above a text with its title and the visible lines. With little room, asides
    /// are left out first, then the line numbers.
    fn title(&mut self, pane: Pane) {
        let frame = self.app.geometry().frame(pane);
        if frame.is_empty() {
            return;
        }
        let (words, range) = (self.title_words(pane), self.shown_range(pane));
        let (dim, style) = (self.theme.dim, self.rule_style(pane));
        let mut row = self.rule(frame.top(1), style);
        let cells = |asides: bool| -> usize {
            words
                .iter()
                .filter(|word| asides || !word.is_aside)
                .map(|word| width(&word.text) + 2)
                .sum()
        };
        row.end = row.end.saturating_sub(1);
        if let Some(range) = range.filter(|range| cells(false) + width(range) + 2 <= row.room()) {
            row.right(&format!(" {range} "), dim);
        }
        let fits = cells(true) <= row.room();
        let mut lead = " ";
        for word in words.iter().filter(|word| fits || !word.is_aside) {
            let is_chip = word.style.add_modifier.contains(Modifier::REVERSED);
            // The spaces around a chip have its colour.
            lead = if is_chip { " " } else { lead };
            row.cut(&format!("{lead}{} ", word.text), word.style);
            lead = if is_chip { " " } else { "" };
        }
    }

    /// Returns the visible lines of a pane and their total; `None` if all are visible.
    fn shown_range(&self, pane: Pane) -> Option<String> {
        let lines = self.app.page()?.stack(pane).map_or(0, PaneText::len);
        let (top, shown) = (self.app.scrolled(pane), self.app.text_height(pane));
        let last = grouped(top + shown);
        (lines > shown && shown > 0)
            .then(|| format!("{}-{last}/{}", grouped(top + 1), grouped(lines)))
    }

    fn title_words(&self, pane: Pane) -> Vec<TitleWord> {
        match self.app.page().filter(|_| pane.side().is_some()) {
            None => vec![TitleWord::new(pane.name(), self.name_style(pane))],
            Some(page) if page.malformed => {
                let sign = self.glyphs.malformed;
                let words = format!("{sign} malformed row, as in the file");
                vec![TitleWord::new(words, self.theme.error)]
            }
            Some(page) => self.response_title(page, pane),
        }
    }

    /// Returns letter, outcome and length of a response.
    fn response_title(&self, page: &Page, pane: Pane) -> Vec<TitleWord> {
        let dim = self.theme.dim;
        let geometry = self.app.geometry();
        // If only one response is shown, the other one is named too.
        let is_alone = geometry.shape == LayoutMode::Single && !self.app.is_single();
        let length = page.side(pane).map_or(0, |side| side.characters);
        let unit = if geometry.prompt.width < LONG_WORDS_FROM {
            "char"
        } else {
            "character"
        };
        let length = TitleWord {
            is_aside: true,
            ..TitleWord::new(counted(length, unit), dim)
        };
        let mut words = vec![self.verdict_word(page, pane), length];
        if is_alone && !self.app.layout.zoomed {
            let other = if pane == Pane::Left {
                Pane::Right
            } else {
                Pane::Left
            };
            let mut word = self.verdict_word(page, other);
            if !word.style.add_modifier.contains(Modifier::REVERSED) {
                word.style = dim;
                word.text = format!("{} {}", self.glyphs.separator, word.text);
            }
            words.push(word);
        }
        if page.letter_in(pane).is_some_and(|id| self.is_matching(id)) {
            words.push(TitleWord::new(
                format!("{} matches", self.glyphs.matching),
                self.theme.header_query,
            ));
        }
        words.extend(
            self.file_word(page, pane)
                .map(|name| TitleWord::new(name, dim)),
        );
        let compared = self.app.diff_title(pane);
        let separator = self.glyphs.separator;
        words.extend(compared.map(|said| TitleWord::new(format!("{separator} {said}"), dim)));
        words
    }

    /// Returns the file of the response in a pane, if the shown responses are from different files.
    fn file_word(&self, page: &Page, pane: Pane) -> Option<String> {
        let place = |pane: Pane| page.places.get(page.letter_in(pane)?.index());
        let (own, other) = (place(pane)?, place(pane.opposite()?)?);
        let file = self
            .app
            .data
            .dataset
            .files()
            .get(own.file)
            .filter(|_| own.file != other.file)?;
        Some(one_line(file.short_name(), 24))
    }

    /// Returns the letter of the response in a pane, highlighted as a chip if it wins.
    fn verdict_word(&self, page: &Page, pane: Pane) -> TitleWord {
        let (Some(id), false) = (page.letter_in(pane), self.app.is_single()) else {
            return TitleWord::new("response", self.name_style(pane));
        };
        let style = card::bold(self.response_style(id));
        let letter = id.letter();
        let Some(outcome) = &page.outcome else {
            return TitleWord::new(letter, style);
        };
        match outcome.verdict {
            Verdict::Best(best) if best.has(id.index()) => {
                let wins = match best.count() {
                    1 => format!("{letter} wins"),
                    _ => format!("{letter} {}", outcome.verdict.phrase()),
                };
                let by = outcome.lead_words(page.responses, number);
                TitleWord::new(
                    format!("{wins}{by}"),
                    style.add_modifier(Modifier::REVERSED),
                )
            }
            Verdict::Best(_) => TitleWord::new(letter, style),
            Verdict::Tie => TitleWord::new(format!("{letter} tie"), style),
        }
    }

    /// Returns the colour of a response: that of its letter, or with more than four responses that
    /// of its pane.
    fn response_style(&self, id: ResponseId) -> Style {
        let theme = self.theme;
        let Some(page) = self.app.page().filter(|page| page.responses > 4) else {
            return theme.response(id);
        };
        match page.pair.iter().position(|shown| *shown == id) {
            Some(0) => theme.side_a,
            Some(_) => theme.side_b,
            None => theme.text,
        }
    }

    /// Returns the review data of the sample on screen.
    fn remark_words(&self) -> Vec<(String, Style)> {
        let Some(remark) = self
            .app
            .known_remark(self.app.selection.selected)
            .filter(|_| self.app.page_is_current())
        else {
            return Vec::new();
        };
        let mut words = Vec::new();
        let mut say = |said: String, style| words.push((one_line(&said, 60), style));
        let (dim, mark) = (self.theme.dim, self.theme.mark);
        let each: Vec<_> = self
            .app
            .judgments_of_others()
            .iter()
            .filter_map(judged_words)
            .collect();
        if !each.is_empty() {
            say(each.join(", "), dim);
        }
        if remark.marked {
            say(format!("{} marked", self.glyphs.mark), mark);
        }
        let checks = self.app.check_words(&remark);
        if !checks.is_empty() {
            say(format!("checked: {}", checks.join(", ")), mark);
        }
        if !remark.tags.is_empty() {
            let tags: Vec<_> = remark.tags.iter().map(|tag| format!("#{tag}")).collect();
            say(tags.join(" "), mark);
        }
        for note in &remark.notes {
            let (sign, letters) = (self.glyphs.note, self.app.note_letters_suffix(note));
            say(format!("{sign}{letters} {}", note.text), mark);
        }
        words
    }

    /// True if the active query matches this response of the sample on screen, but not every
    /// response.
    fn is_matching(&self, shown: ResponseId) -> bool {
        let found = self
            .app
            .shown()
            .matching(self.app.selection.position)
            .filter(|_| self.app.page_is_current());
        // A query numbers responses as the file does. Their places must not be revealed to a blind
        // reviewer.
        let (mask, responses) = (
            self.app.mask(),
            self.app.page().map_or(0, |page| page.responses),
        );
        let response = mask.order.among(responses).of_file(shown);
        !mask.hidden
            && found.is_some_and(|found| found.has(response.index()) && found.count() < responses)
            && !self.app.is_single()
    }

    fn name_style(&self, pane: Pane) -> Style {
        if pane == self.app.layout.focus {
            self.theme.title_focus
        } else {
            self.theme.title
        }
    }
}

/// Pane width from which units are not abbreviated, in columns.
const LONG_WORDS_FROM: u16 = 84;

/// A part of a title.
struct TitleWord {
    text: String,
    style: Style,
    /// True if it is left out first if there is little room.
    is_aside: bool,
}

impl TitleWord {
    fn new(text: impl Into<String>, style: Style) -> Self {
        Self {
            text: text.into(),
            style,
            is_aside: false,
        }
    }
}

fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

/// Returns a short form of a reviewer's judgment: a label of each response, or the winner; `None`
/// without a judgment.
fn judged_words(judgment: &SampleJudgment) -> Option<String> {
    let name = one_line(&judgment.reviewer, 12);
    let first = judgment.labels.first().map(|(label, ..)| label);
    let values: Vec<_> = judgment
        .labels
        .iter()
        .filter(|(label, ..)| Some(label) == first)
        .map(|(.., value)| number(*value))
        .collect();
    Some(match (first, judgment.verdict) {
        (Some(label), _) => format!("{name} {label} {}", values.join("|")),
        (None, Some(verdict)) => format!("{name} {}", verdict.phrase()),
        (None, None) => return None,
    })
}
