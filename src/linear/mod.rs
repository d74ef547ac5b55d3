//! The state in sentences, for a screen reader or a pipe: what the panes and views say, printed below
//! what was printed before. Nothing moves, and nothing is said twice.
//!
//! What may be seen is decided where it is decided for the screen: the page on screen is built for
//! what is hidden, and whatever asks the state about labels asks the same questions as `ui`.
//!
//! A [`Speaker`] reads the state and prints what is new.

mod rating;
mod views;

pub use views::prompt;

use crate::app::{App, Mode, Page, PageKey, Pane, PaneText, SectionKind, StackLine};
use crate::model::{ResponseId, Verdict};
use crate::text::{self, counted, grouped, number};

/// Cells of what comes from a file and is told in a sentence.
const TOLD: usize = 400;

/// Remembers what was said.
#[derive(Debug, Default)]
pub struct Speaker {
    /// The page that was said, and its position.
    page: Option<(PageKey, usize)>,
    /// The pane that is being read, and the line up to which it was.
    reading: Option<(Pane, usize)>,
    /// The first line that showed then.
    top: usize,
    /// Lines of texts said since the person was last asked.
    lines: usize,
    notice: Option<String>,
    /// How many samples were shown, and what was said of the one that was.
    found: usize,
    remark: String,
    /// What was said of the words of both responses.
    compared: String,
    /// What the view on top said.
    view: Option<(Mode, String)>,
    out: String,
}

impl Speaker {
    /// Whether another sample shows than the one that was said.
    pub fn is_elsewhere(&self, app: &App) -> bool {
        let browser = &app.browser;
        let now = browser
            .page()
            .filter(|_| browser.page_is_current() && !browser.shown().is_empty());
        now.is_some_and(|page| {
            !self
                .page
                .as_ref()
                .is_some_and(|said| is_same(app, said, page))
        })
    }

    /// A line was typed: what comes now is an answer to it, also where it says the same.
    pub fn answer(&mut self) {
        (self.notice, self.lines) = (None, 0);
        // A menu or a question that is still there is said again only where it is another.
    }

    /// What is to be said of what changed, in lines.
    pub fn say(&mut self, app: &App) -> String {
        let notice = app
            .browser
            .notice()
            .map(|words| text::one_line(words, TOLD));
        if let Some(words) = notice.filter(|words| self.notice.as_ref() != Some(words)) {
            self.line(&words);
            self.notice = Some(words);
        }
        if app.views.covering().is_none() {
            self.sample(app);
        }
        // A question is asked behind what it is about.
        if !self.goes_on(app) {
            let mode = app.mode();
            let said = self.view_words(app);
            let now = Some((mode, said));
            if self.view != now
                && let Some((_, said)) = &now
            {
                self.out.push_str(said);
            }
            self.view = now;
        }
        std::mem::take(&mut self.out)
    }

    /// The pane to go on with by itself: the one that was read has come to its end, and the next is
    /// so short that both are one page.
    pub fn goes_on(&self, app: &App) -> bool {
        let is_reading = matches!(app.mode(), Mode::Read | Mode::Rate);
        is_reading
            && self.is_at_end(app)
            && self.next_pane(app).is_some_and(|pane| {
                self.lines + pane_text(app, pane).map_or(0, PaneText::len) <= page_height(app)
            })
    }

    /// Whether all of the pane that is being read was said.
    pub fn is_at_end(&self, app: &App) -> bool {
        let text = pane_text(app, app.browser.layout.focus);
        let end = text.map_or(0, PaneText::len);
        self.reading
            .is_some_and(|(pane, to)| pane == app.browser.layout.focus && to >= end)
    }

    /// The pane behind the one that is being read, as far as the sample has one.
    pub fn next_pane(&self, app: &App) -> Option<Pane> {
        let panes = &Pane::ALL[app.browser.layout.focus.index() + 1..];
        panes
            .iter()
            .copied()
            .find(|pane| app.browser.has_pane(*pane))
    }

    fn line(&mut self, words: &str) {
        self.out.push_str(words);
        self.out.push('\n');
    }

    fn sample(&mut self, app: &App) {
        let browser = &app.browser;
        let Some(page) = browser.current_page() else {
            return;
        };
        if browser.shown().is_empty() {
            if self.page.take().is_some() {
                self.line("No sample is shown.");
            }
            return;
        }
        let now = (page.key.clone(), browser.selection.position);
        let before = self.page.replace(now.clone());
        let is_same = (before.as_ref()).is_some_and(|said| is_same(app, said, page));
        let found = std::mem::replace(&mut self.found, browser.shown().len());
        let remark = std::mem::replace(&mut self.remark, remark_words(app));
        if is_same && found != self.found {
            let (found, all) = (grouped(self.found), browser.data.dataset.samples());
            let all = counted(all, "sample");
            self.line(&format!("{found} of {all} found."));
        }
        if is_same && remark != self.remark {
            let words = match &*self.remark {
                "" => "Nothing is said of this sample any more.".to_owned(),
                words => words.to_owned(),
            };
            self.line(&words);
        }
        if !is_same {
            self.reading = None;
        }
        // Labels may show now, or no longer.
        if !is_same || before.is_some_and(|(key, _)| key.mask != now.0.mask) {
            self.line(&heading(app, page));
            self.labels(app, page);
        }
        let compared = browser.diff_in_sentences().unwrap_or_default();
        let before = std::mem::replace(&mut self.compared, compared.clone());
        if !compared.is_empty() && (!is_same || before != compared) {
            self.line(&compared);
        }
        self.texts(app, page);
    }

    /// What the labels of each response say, as far as the page tells.
    fn labels(&mut self, app: &App, page: &Page) {
        let letters = page.pair.map(ResponseId::letter);
        for (pane, letter) in (0..page.sides.len()).zip(letters) {
            let values = page.card.labels.iter().chain(&page.card.citations);
            let values = values.filter_map(|row| Some((&row.name, row.of_pane(pane)?)));
            let said = values.map(|(name, value)| format!("{name} {value}"));
            let said: Vec<_> = said.collect();
            if !said.is_empty() {
                self.line(&format!("{letter}: {}.", said.join(", ")));
            }
        }
        for finding in &page.findings {
            self.line(&format!("To look at: {}.", finding.explanation()));
        }
        for finding in app.review.told_findings(&app.browser).unwrap_or_default() {
            let words = text::one_line(&finding.words(), TOLD);
            self.line(&format!(
                "{}: {words} ({}).",
                finding.severity.word(),
                finding.name
            ));
        }
    }

    /// A page of the pane with the focus, from where it was read to.
    fn texts(&mut self, app: &App, page: &Page) {
        let browser = &app.browser;
        let (pane, top) = (browser.layout.focus, browser.scrolled(browser.layout.focus));
        let Some(text) = page.stack(pane) else {
            let is_new = self.reading.is_none_or(|(read, _)| read != pane);
            if is_new {
                self.line("The list: j and k go through the samples.");
            }
            self.reading = Some((pane, 0));
            return;
        };
        let bottom = (top + page_height(app).max(1)).min(text.len());
        let from = match self.reading {
            Some((read, to)) if read == pane && self.top <= top => {
                if self.top == top {
                    return;
                }
                to.max(top)
            }
            Some((read, _)) if read == pane => top,
            _ => {
                self.line(&pane_heading(app, page, pane, text));
                top
            }
        };
        self.say_lines(text, from.min(bottom), bottom);
        (self.reading, self.top) = (Some((pane, bottom)), top);
        let left = text.len() - bottom;
        if left > 0 {
            let more = counted(left, "more line");
            self.line(&format!("({more}: Space goes on.)"));
        }
    }

    /// Lines of a text, each section with what it is.
    fn say_lines(&mut self, text: &PaneText, from: usize, to: usize) {
        self.lines += to.saturating_sub(from);
        for part in text.parts(from..to) {
            match part {
                StackLine::Gap => {}
                StackLine::Heading(section) => {
                    if let SectionKind::Turn(role) = section.kind {
                        self.line(&format!("{}:", role.word()));
                    }
                }
                StackLine::Fold(section) => {
                    let more = counted(section.folded, "more line");
                    self.line(&format!("({more} folded: z unfolds.)"));
                }
                StackLine::Line(section, line, number) => {
                    let words: String = (section.block.pieces_over(line, &[]))
                        .map(|(piece, _)| piece)
                        .collect();
                    match section.kind {
                        SectionKind::Turn(role) if number == 0 && !section.headed => {
                            self.line(&format!("{}: {}", role.word(), words.trim_end()));
                        }
                        _ => self.line(words.trim_end()),
                    }
                }
            }
        }
    }
}

/// Whether a page is of the sample that was said; an audit asks about a sample twice.
fn is_same(app: &App, (key, position): &(PageKey, usize), page: &Page) -> bool {
    (key.generation, key.sample) == (page.key.generation, page.key.sample)
        && (*position == app.browser.selection.position || app.review.running().is_none())
}

/// Lines of a pane that are said at a time.
fn page_height(app: &App) -> usize {
    app.browser.text_height(app.browser.layout.focus)
}

fn pane_text(app: &App, pane: Pane) -> Option<&PaneText> {
    app.browser.page().and_then(|page| page.stack(pane))
}

/// `Sample 14 of 214, row 27. A wins by 2.`
fn heading(app: &App, page: &Page) -> String {
    let browser = &app.browser;
    let of = grouped(browser.shown().len());
    let mut words = match app.review.running() {
        Some(running) => {
            let (settled, all) = running.progress();
            let blind = if running.session.audit.blind {
                ", blind"
            } else {
                ""
            };
            let at = grouped(browser.selection.position + 1);
            format!("Sample {at} of {of} in the audit{blind}, {settled} of {all} judged")
        }
        None if browser.shown().len() < browser.data.dataset.samples() => {
            let (at, number) = (
                grouped(browser.selection.position + 1),
                grouped(browser.selection.selected + 1),
            );
            format!("Sample {number}, {at} of {of} found")
        }
        None => format!("Sample {} of {of}", grouped(browser.selection.position + 1)),
    };
    let rows: Vec<_> = (page.places.iter())
        .map(|place| grouped(usize::try_from(place.row).unwrap_or(usize::MAX)))
        .collect();
    if !rows.is_empty() {
        words.push_str(&format!(", row {}", rows.join(" and ")));
    }
    words.push('.');
    if let Some(outcome) = &page.outcome {
        let by = outcome.lead_words(page.responses, number);
        words.push_str(&match outcome.verdict {
            verdict @ Verdict::Best(_) => format!(" {}{by}.", verdict.phrase()),
            Verdict::Tie => " A tie.".to_owned(),
        });
    }
    if app.review.mask(browser).hidden {
        words.push_str(" Labels are hidden.");
    }
    let remark = remark_words(app);
    if !remark.is_empty() {
        words.push_str(&format!(" {remark}"));
    }
    words
}

/// `Marked. Tagged rude. 1 note.`, as far as the reviewer may know it.
fn remark_words(app: &App) -> String {
    let browser = &app.browser;
    let Some(remark) = app.review.known_remark(browser.selection.selected, browser) else {
        return String::new();
    };
    let tags: Vec<_> = remark
        .tags
        .iter()
        .map(|tag| text::one_line(tag, 60))
        .collect();
    let tags = (!tags.is_empty()).then(|| format!("Tagged {}.", tags.join(", ")));
    let notes = remark.notes.len();
    let notes = (notes > 0).then(|| format!("{}.", counted(notes, "note")));
    let marked = remark.marked.then(|| "Marked.".to_owned());
    let checks = app.review.checks_told(&remark, browser, &app.views);
    let checks = (!checks.is_empty()).then(|| format!("Spot checks: {}.", checks.join(", ")));
    let words: Vec<_> = [marked, checks, tags, notes]
        .into_iter()
        .flatten()
        .collect();
    words.join(" ")
}

/// `Prompt, 3 turns.`, `Response A, 312 characters.`
fn pane_heading(app: &App, page: &Page, pane: Pane, text: &PaneText) -> String {
    let name = match pane {
        Pane::List => "List".to_owned(),
        Pane::Prompt if page.malformed => "A row that does not read".to_owned(),
        Pane::Prompt => format!("Prompt, {}", counted(page.turns, "turn")),
        Pane::Left | Pane::Right => {
            let at = pane.side().unwrap_or(0);
            let length = page.side(pane).map_or(0, |side| side.characters);
            let length = counted(length, "character");
            format!("Response {}, {length}", page.pair[at].letter())
        }
        Pane::Rationales => "What was written about them".to_owned(),
    };
    let top = app.browser.scrolled(pane);
    if top > 0 {
        let (line, of) = (grouped(top + 1), grouped(text.len()));
        return format!("{name}. From line {line} of {of} on; b goes back.");
    }
    format!("{name}.")
}
