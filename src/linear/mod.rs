//! The state as sentences, for a screen reader or a pipe. Contents of panes and views are printed
//! line by line; nothing moves, and nothing is repeated.
//!
//! What may be seen is decided as for the screen: the page is built without hidden data, and
//! queries about labels use the same functions as `ui`.
//!
//! A [`Speaker`] reads the state and prints what is new.

mod rating;
mod views;

pub use views::prompt;

use crate::app::{App, Mode, Page, PageKey, Pane, PaneText, SectionKind, StackLine};
use crate::model::{ResponseId, Verdict};
use crate::text::{self, counted, grouped, number};

/// Most cells of text from a file in a sentence.
const MAX_QUOTED: usize = 400;

/// Prints what is new, and remembers what was printed.
#[derive(Debug, Default)]
pub struct Speaker {
    /// The last page printed, and its position.
    page: Option<(PageKey, usize)>,
    /// The pane being read, and the line reached.
    reading: Option<(Pane, usize)>,
    /// The first visible line at that time.
    top: usize,
    /// Lines of text printed since the user was last prompted.
    lines: usize,
    notice: Option<String>,
    /// Number of samples shown, and the heading of the last one.
    found: usize,
    remark: String,
    /// The last sentence about the comparison of responses.
    compared: String,
    /// The last text of the view on top.
    view: Option<(Mode, String)>,
    out: String,
}

impl Speaker {
    /// True if another sample is shown than the one printed last.
    pub fn shows_other_sample(&self, app: &App) -> bool {
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

    /// Starts an answer to a typed line, which is printed even if it repeats.
    pub fn answer(&mut self) {
        (self.notice, self.lines) = (None, 0);
        // A menu or a question that is still open is repeated only if it changed.
    }

    /// Returns what is new, as lines.
    pub fn say(&mut self, app: &App) -> String {
        let notice = app
            .browser
            .notice()
            .map(|words| text::one_line(words, MAX_QUOTED));
        if let Some(words) = notice.filter(|words| self.notice.as_ref() != Some(words)) {
            self.line(&words);
            self.notice = Some(words);
        }
        if app.views.covering().is_none() {
            self.sample(app);
        }
        // The prompt for the user comes last.
        if !self.continues(app) {
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

    /// True if printing continues with the next pane: the current one is finished, and the next
    /// fits on the same page.
    pub fn continues(&self, app: &App) -> bool {
        let is_reading = matches!(app.mode(), Mode::Read | Mode::Rate);
        is_reading
            && self.is_at_end(app)
            && self.next_pane(app).is_some_and(|pane| {
                self.lines + app.browser.open.stack(pane).map_or(0, PaneText::len)
                    <= page_height(app)
            })
    }

    /// True if the pane being read was printed to its end.
    pub fn is_at_end(&self, app: &App) -> bool {
        let text = app.browser.open.stack(app.browser.layout.focus);
        let end = text.map_or(0, PaneText::len);
        self.reading
            .is_some_and(|(pane, to)| pane == app.browser.layout.focus && to >= end)
    }

    /// Returns the pane after the one being read, if the sample has one.
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
                "" => "This sample has no marks, tags or notes now.".to_owned(),
                words => words.to_owned(),
            };
            self.line(&words);
        }
        if !is_same {
            self.reading = None;
        }
        // Labels may be visible now, or hidden.
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

    /// Prints the labels of each response that the page contains.
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
            self.line(&format!("Finding: {}.", finding.explanation()));
        }
        for finding in app
            .review
            .visible_findings(&app.browser)
            .unwrap_or_default()
        {
            let words = text::one_line(&finding.words(), MAX_QUOTED);
            self.line(&format!(
                "{}: {words} ({}).",
                finding.severity.word(),
                finding.name
            ));
        }
    }

    /// Prints a page of the focused pane, from the line reached.
    fn texts(&mut self, app: &App, page: &Page) {
        let browser = &app.browser;
        let (pane, top) = (browser.layout.focus, browser.scrolled(browser.layout.focus));
        let Some(text) = page.stack(pane) else {
            let is_new = self.reading.is_none_or(|(read, _)| read != pane);
            if is_new {
                self.line("List: j and k move through the samples.");
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
            self.line(&format!("({more}: Space continues.)"));
        }
    }

    /// Prints lines of a text, and what each section is.
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

/// True if a page is of the sample printed last; an audit shows a sample twice.
fn is_same(app: &App, (key, position): &(PageKey, usize), page: &Page) -> bool {
    (key.generation, key.sample) == (page.key.generation, page.key.sample)
        && (*position == app.browser.selection.position || app.review.running().is_none())
}

/// Returns the lines printed at a time.
fn page_height(app: &App) -> usize {
    app.browser.text_height(app.browser.layout.focus)
}

/// Returns for example `Sample 14 of 214, row 27. A wins by 2.`
fn heading(app: &App, page: &Page) -> String {
    let browser = &app.browser;
    let of = grouped(browser.shown().len());
    let mut words = match app.review.running() {
        Some(running) => {
            let (settled, all) = running.settled_of_all();
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

/// Returns for example `Marked. Tagged rude. 1 note.`, as far as the reviewer may see it.
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
    let checks = app.review.check_words(&remark, browser, &app.views);
    let checks = (!checks.is_empty()).then(|| format!("Spot checks: {}.", checks.join(", ")));
    let words: Vec<_> = [marked, checks, tags, notes]
        .into_iter()
        .flatten()
        .collect();
    words.join(" ")
}

/// Returns for example `Prompt, 3 turns.` or `Response A, 312 characters.`
fn pane_heading(app: &App, page: &Page, pane: Pane, text: &PaneText) -> String {
    let name = match pane {
        Pane::List => "List".to_owned(),
        Pane::Prompt if page.malformed => "Malformed row".to_owned(),
        Pane::Prompt => format!("Prompt, {}", counted(page.turns, "turn")),
        Pane::Left | Pane::Right => {
            let at = pane.side().unwrap_or(0);
            let length = page.side(pane).map_or(0, |side| side.characters);
            let length = counted(length, "character");
            format!("Response {}, {length}", page.pair[at].letter())
        }
        Pane::Rationales => "Rationales".to_owned(),
    };
    let top = app.browser.scrolled(pane);
    if top > 0 {
        let (line, of) = (grouped(top + 1), grouped(text.len()));
        return format!("{name}. From line {line} of {of} on; b goes back.");
    }
    format!("{name}.")
}
