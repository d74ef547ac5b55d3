//! Cells: `draw` paints the state and changes nothing.

mod findings;
mod glyphs;
mod header;
mod input_line;
mod label_bar;
mod list;
mod menu;
mod note;
mod nothing;
mod page;
mod panel;
mod rating;
mod status;
mod svg;
mod text;
mod theme;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::merge::MergeStrategy;
use ratatui::widgets::{Block, Widget};

pub use glyphs::{Glyphs, legend};
pub use page::statistics_picture;
pub use svg::{SvgBackground, SvgFrame, animated_svg, svg};
pub use theme::{ColorDepth, Preset, Theme, ThemeFile};

use crate::app::{
    Action, App, Area, Browser, LayoutMode, Mode, Pane, PaneText, Review, Scroll, View, Views,
};
use crate::findings::Finding;
use crate::model::{ResponseId, Verdict};
use crate::query::SampleJudgment;
use crate::text::{grouped, number, one_line, width};

/// How everything looks.
#[derive(Debug, Clone)]
pub struct Look {
    /// Styles.
    pub theme: Theme,
    /// Signs.
    pub glyphs: Glyphs,
}

/// Paints the whole screen. The buffer may have any size; what does not fit is left out.
pub fn draw(buffer: &mut Buffer, app: &App, look: &Look) {
    let mut canvas = Canvas {
        buffer,
        app,
        browser: &app.browser,
        views: &app.views,
        review: &app.review,
        theme: &look.theme,
        glyphs: &look.glyphs,
    };
    canvas.header();
    let covering = app.views.covering();
    let is_of_program = matches!(
        covering,
        Some(View::Help(_) | View::Fields(_) | View::Guide(_) | View::Layout(_))
    );
    match covering.and_then(View::page) {
        Some(page) if is_of_program || app.browser.data.dataset.samples() > 0 => canvas.page(page),
        _ if app.browser.data.dataset.samples() == 0 => canvas.nothing_yet(),
        _ => {
            canvas.panes();
            canvas.sentence();
            match app.views.below_panes() {
                Some(View::Note(pad)) => canvas.note(pad),
                Some(View::Rate(_)) => canvas.rating(),
                Some(View::Queue(_)) => canvas.queue(),
                Some(View::Panel(panel)) => canvas.panel(panel),
                _ => {}
            }
        }
    }
    if let Some(menu) = app.views.top_menu() {
        canvas.menu(menu);
    }
    if let Some(palette) = app.views.top_palette() {
        canvas.palette(palette);
    }
    match app.views.line() {
        Some(prompt) if app.mode() != Mode::Fields => canvas.prompt(prompt),
        Some(_) | None => canvas.status(),
    }
}

/// A buffer with everything that painting needs to know.
struct Canvas<'c> {
    buffer: &'c mut Buffer,
    app: &'c App,
    browser: &'c Browser,
    views: &'c Views,
    review: &'c Review,
    theme: &'c Theme,
    glyphs: &'c Glyphs,
}

impl Canvas<'_> {
    /// Writes the program's own words from a cell on, at most up to column `end`; returns the
    /// column behind them.
    fn put(&mut self, x: u16, y: u16, end: u16, words: &str, style: Style) -> u16 {
        if *self.glyphs == Glyphs::ASCII && !words.is_ascii() {
            return self.put_text(x, y, end, &glyphs::ascii_twins(words), style);
        }
        self.put_text(x, y, end, words, style)
    }

    /// Says on a line that more stands below, and the key that shows it.
    fn put_more(&mut self, x: u16, y: u16) {
        let actions = [Action::NextSample, Action::Scroll(Scroll::LineDown)];
        let key = actions
            .into_iter()
            .find_map(|action| self.browser.key_for(action));
        let words = key.map_or_else(|| "more below".to_owned(), |key| format!("{key} for more"));
        self.put(x, y, self.browser.layout.size.0, &words, self.theme.dim);
    }

    /// Writes text from a file, as it is.
    fn put_text(&mut self, x: u16, y: u16, end: u16, text: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        let end = end.min(area.right());
        if x >= end || y >= area.bottom() || y < area.top() {
            return x;
        }
        self.buffer
            .set_stringn(x, y, text, usize::from(end - x), style)
            .0
    }

    /// Styles a whole area.
    fn tint(&mut self, area: Area, style: Style) {
        self.buffer.set_style(rect(area), style);
    }

    /// The borders of a frame, joined to those that are there.
    fn borders(&mut self, frame: Area) {
        let block = Block::bordered()
            .border_set(self.glyphs.border)
            .border_style(self.theme.border)
            .merge_borders(MergeStrategy::Exact);
        block.render(rect(frame).intersection(self.buffer.area), self.buffer);
    }

    /// Sets off the borders of the frame that has the keys.
    fn brighten(&mut self, frame: Area) {
        let Area {
            x,
            y,
            width,
            height,
        } = frame;
        let (right, bottom) = (x + width.saturating_sub(1), y + height.saturating_sub(1));
        for line in [
            Area::new(x, y, width, 1),
            Area::new(x, bottom, width, 1),
            Area::new(x, y, 1, height),
            Area::new(right, y, 1, height),
        ] {
            self.tint(line, Style::reset().patch(self.theme.border_focus));
        }
    }

    fn panes(&mut self) {
        let geometry = self.browser.geometry();
        let shown = Pane::ALL
            .into_iter()
            .filter(|&pane| !geometry.frame(pane).is_empty());
        let is_empty = self.browser.shown().is_empty();
        for pane in shown.clone() {
            // That nothing is found stands across both responses.
            self.borders(match pane {
                Pane::Left | Pane::Right if is_empty => self.response_frame(),
                _ => geometry.frame(pane),
            });
        }
        self.brighten(geometry.frame(self.browser.layout.focus));
        if geometry.shape == LayoutMode::Single && !geometry.tabs.is_empty() {
            self.tabs(geometry.tabs);
        }
        if is_empty {
            self.nothing_found();
            return;
        }
        for pane in shown {
            self.title(pane);
            match pane {
                Pane::List => self.list(),
                Pane::Prompt | Pane::Rationales => self.pane_text(pane),
                Pane::Left | Pane::Right => {
                    self.strip(pane);
                    self.pane_text(pane);
                }
            }
        }
    }

    /// The names of all panes, where only one shows.
    fn tabs(&mut self, area: Area) {
        let mut x = area.x + 1;
        let app = self.app;
        for pane in Pane::ALL
            .into_iter()
            .filter(|pane| app.browser.has_pane(*pane))
        {
            let theme = self.theme;
            let style = if pane == self.browser.layout.focus {
                theme.title_focus
            } else {
                theme.dim
            };
            let name = pane_name(pane);
            // Brackets mark the open one where colours do not.
            let name = if pane == self.browser.layout.focus {
                format!("[{name}]")
            } else {
                format!(" {name} ")
            };
            x = self.put(x, area.y, area.right(), &name, style) + 1;
        }
    }

    fn title(&mut self, pane: Pane) {
        let frame = self.browser.geometry().frame(pane);
        if frame.width < 6 || frame.height < 2 {
            return;
        }
        let theme = self.theme;
        let focused = pane == self.browser.layout.focus;
        let name_style = self.name_style(pane);
        let end = self.title_end(pane, frame);
        let separator = format!(" {} ", self.glyphs.separator);
        // The pane with the keys is told by a sign: borders alone are hard to tell apart, and
        // colours may be missing.
        let lead = if focused { self.glyphs.selected } else { " " };
        let mut x = self.put(frame.x + 1, frame.y, end, lead, name_style);
        for (index, (words, style)) in self.title_words(pane).into_iter().enumerate() {
            // A number is there whole or not at all.
            let is_aside = style == theme.dim && pane.side().is_some();
            let needed = width(&words) + width(&separator);
            if is_aside && usize::from(x) + needed > usize::from(end) {
                continue;
            }
            if index > 0 {
                x = self.put(x, frame.y, end, &separator, theme.dim);
            }
            x = self.cut(x, frame.y, end, &words, style);
        }
        self.put(x, frame.y, end, " ", name_style);
    }

    /// Writes at the right of a pane's upper border which lines of how many show, where not all do;
    /// returns the column that the title must end before.
    fn title_end(&mut self, pane: Pane, frame: Area) -> u16 {
        let end = frame.right() - 1;
        let lines = self
            .browser
            .page()
            .and_then(|page| page.stack(pane))
            .map_or(0, PaneText::len);
        let (top, shown) = (self.browser.scrolled(pane), self.browser.text_height(pane));
        if lines <= shown || shown == 0 || frame.width < 40 {
            return end;
        }
        let words = format!(
            " {}-{}/{} ",
            grouped(top + 1),
            grouped(top + shown),
            grouped(lines)
        );
        let x = end.saturating_sub(words.len() as u16);
        self.put(x, frame.y, end, &words, self.theme.dim);
        x
    }

    /// How long the response in a pane is, where that does not stand among its labels.
    fn length_words(&self, pane: Pane) -> Option<(String, Style)> {
        let side = self.browser.page()?.side(pane)?;
        let said = Some(side.length.clone()).filter(|said| !said.is_empty());
        said.filter(|_| !side.strip.has_length())
            .map(|said| (said, self.theme.dim))
    }

    fn title_words(&self, pane: Pane) -> Vec<(String, Style)> {
        let name = |name: &str| vec![(name.to_owned(), self.name_style(pane))];
        let Some(page) = self.browser.page() else {
            return name(pane_name(pane));
        };
        match pane {
            Pane::List | Pane::Rationales => name(pane_name(pane)),
            Pane::Prompt if page.malformed => {
                vec![(
                    format!("{} malformed row", self.glyphs.malformed),
                    self.theme.finding,
                )]
            }
            Pane::Prompt => {
                let mut words = name(pane_name(pane));
                words.extend(self.remark_words());
                if page.turns > 1 {
                    words.push((format!("{} turns", page.turns), self.theme.dim));
                }
                words.extend(self.hidden_rationales());
                words.extend(page.facts.iter().map(|fact| (fact.clone(), self.theme.dim)));
                let finding = self.glyphs.finding;
                // A dangling citation is named above its answer.
                let found = page
                    .findings
                    .iter()
                    .filter(|found| **found != Finding::DanglingCitation);
                let found = found.map(|found| format!("{finding} {}", found.explanation()));
                words.splice(1..1, found.map(|found| (found, self.theme.finding)));
                words
            }
            Pane::Left if page.malformed => name("the line as it stands in the file"),
            Pane::Left | Pane::Right => {
                let mut words = self.response_title(pane);
                let compared = self.browser.diff_title(pane).into_iter();
                words.extend(compared.map(|said| (said, self.theme.dim)));
                words.extend(self.length_words(pane));
                words
            }
        }
    }

    /// That there are rationales, where other panes leave them no room.
    fn hidden_rationales(&self) -> Option<(String, Style)> {
        let geometry = self.browser.geometry();
        let is_hidden = self.browser.has_pane(Pane::Rationales)
            && geometry.shape != LayoutMode::Single
            && geometry.frame(Pane::Rationales).is_empty();
        let key = self
            .browser
            .key_for(Action::NextPane)
            .filter(|_| is_hidden)?;
        Some((format!("rationales: {key}"), self.theme.dim))
    }

    /// What reviewers said of the sample on screen.
    fn remark_words(&self) -> Vec<(String, Style)> {
        let Some(remark) = self
            .review
            .known_remark(self.browser.selection.selected, self.browser)
            .filter(|_| self.browser.page_is_current())
        else {
            return Vec::new();
        };
        let mut words = Vec::new();
        let mut say = |said: String, style| words.push((one_line(&said, 60), style));
        let (dim, mark) = (self.theme.dim, self.theme.mark);
        let each = self.review.judgments_of_others(self.browser);
        let each: Vec<_> = each.iter().filter_map(judged_words).collect();
        if !each.is_empty() {
            say(each.join(", "), dim);
        }
        if remark.marked {
            say(format!("{} marked", self.glyphs.mark), mark);
        }
        let checks = self.review.checks_told(&remark, self.browser, self.views);
        if !checks.is_empty() {
            say(format!("checked: {}", checks.join(", ")), mark);
        }
        if !remark.tags.is_empty() {
            let tags: Vec<_> = remark.tags.iter().map(|tag| format!("#{tag}")).collect();
            say(tags.join(" "), mark);
        }
        for note in &remark.notes {
            let (sign, letters) = (
                self.glyphs.note,
                self.review.note_letters_behind(note, self.browser),
            );
            say(format!("{sign}{letters} {}", note.text), mark);
        }
        words
    }

    fn response_title(&self, pane: Pane) -> Vec<(String, Style)> {
        let (Some(page), Some(response)) = (self.browser.page(), self.browser.shown_in(pane))
        else {
            return Vec::new();
        };
        let single = self.browser.is_single();
        let name = if single {
            "single response"
        } else {
            response.letter()
        };
        let mut words = vec![(
            name.to_owned(),
            if single {
                self.name_style(pane)
            } else {
                self.pane_style(pane)
            },
        )];
        if let Some(place) = page
            .places
            .get(if page.places.len() > 1 {
                response.index()
            } else {
                0
            })
            .filter(|_| page.places.len() > 1 || pane == Pane::Left)
        {
            // Of responses from several files it is told of which each is.
            let is_of_one_file = page.places.iter().all(|other| other.file == place.file);
            let files = self.browser.data.dataset.files().iter();
            let file = files.skip(place.file).take(usize::from(!is_of_one_file));
            let file: String = file
                .map(|file| format!("{} ", one_line(file.short_name(), 24)))
                .collect();
            words.push((
                format!("{file}row {}", grouped(place.row as usize)),
                self.theme.dim,
            ));
        }
        if self.is_matching(response) {
            let sign = self.glyphs.matching;
            words.push((format!("{sign} matches"), self.theme.header_query));
        }
        let votes = match page.votes.as_str() {
            "" => String::new(),
            votes => format!(" {} {votes}", page.key.layout.glyphs.made_of),
        };
        let Some(outcome) = &page.outcome else {
            let is_said = pane == Pane::Left && !votes.is_empty();
            words.extend(is_said.then(|| (format!("votes{votes}"), self.theme.dim)));
            return words;
        };
        match outcome.verdict {
            Verdict::Best(best) if best.has(response.index()) => {
                let sign = match pane {
                    Pane::Right => self.glyphs.winner_b,
                    _ => self.glyphs.winner_a,
                };
                let wins = match best.count() {
                    1 => "wins".to_owned(),
                    _ => outcome.verdict.phrase(),
                };
                let by = outcome.lead_words(page.responses, number);
                words.push((format!("{sign} {wins}{by}{votes}"), self.pane_style(pane)));
            }
            Verdict::Best(_) => {}
            Verdict::Tie => {
                let votes = if pane == Pane::Left { &*votes } else { "" };
                words.push((format!("{} tie{votes}", self.glyphs.tie), self.theme.tie));
            }
        }
        if let Some(native) = outcome.native.as_ref().filter(|_| pane == Pane::Left) {
            words.push((native.clone(), self.theme.dim));
        }
        words
    }

    /// Whether the query in force speaks of this response of the sample on screen, and not of every
    /// one.
    fn is_matching(&self, shown: ResponseId) -> bool {
        let found = self
            .browser
            .shown()
            .matching(self.browser.selection.position)
            .filter(|_| self.browser.page_is_current());
        // Responses of a query are the file's: which one stands where is not to be told to who is
        // blind.
        let (mask, responses) = (
            self.review.mask(self.browser),
            self.browser.page().map_or(0, |page| page.responses),
        );
        let response = mask.order.among(responses).of_file(shown);
        !mask.hidden
            && found.is_some_and(|found| found.has(response.index()) && found.count() < responses)
            && !self.browser.is_single()
    }

    fn name_style(&self, pane: Pane) -> Style {
        match pane == self.browser.layout.focus {
            true => self.theme.title_focus,
            false => self.theme.title,
        }
    }

    /// How the response in a pane is told from the other one.
    const fn pane_style(&self, pane: Pane) -> Style {
        match pane {
            Pane::Right => self.theme.side_b,
            _ => self.theme.side_a,
        }
    }
}

/// What a pane is called.
fn pane_name(pane: Pane) -> &'static str {
    match pane {
        Pane::List => "samples",
        Pane::Prompt => "prompt",
        Pane::Left => "A",
        Pane::Right => "B",
        Pane::Rationales => "rationales",
    }
}

fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

/// What a reviewer judged, short: a label of each response, or who wins; `None` where nothing is
/// said.
fn judged_words(judgment: &SampleJudgment) -> Option<String> {
    let name = one_line(&judgment.reviewer, 12);
    let first = judgment.labels.first().map(|(label, ..)| label);
    let values = judgment
        .labels
        .iter()
        .filter(|(label, ..)| Some(label) == first);
    let values: Vec<_> = values.map(|(.., value)| number(*value)).collect();
    Some(match (first, judgment.verdict) {
        (Some(label), _) => format!("{name} {label} {}", values.join("|")),
        (None, Some(verdict)) => format!("{name} {}", verdict.phrase()),
        (None, None) => return None,
    })
}
