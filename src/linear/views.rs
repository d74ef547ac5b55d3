//! Views on top of the panes as sentences: menus as numbered lines, help and pages as text.

use super::rating::rating_words;
use super::{MAX_QUOTED, Speaker};
use crate::app::{
    Action, App, Context, LineKind, MenuLine, Mode, PageContent, PageMark, PageView, view_word,
};
use crate::model::SpotCheckVerdict;
use crate::text::{self, counted, grouped, number};

impl Speaker {
    /// Returns the text of the view on top.
    pub(super) fn view_words(&mut self, app: &App) -> String {
        match app.mode() {
            Mode::Read => String::new(),
            Mode::Rate => rating_words(app),
            Mode::Menu | Mode::MenuSearch => menu_words(app),
            Mode::Line => line_words(app),
            Mode::Panel => panel_words(app),
            Mode::Note => note_words(app),
            Mode::Queue => queue_words(app),
            _ => match app.views.page() {
                Some(page) => self.page_words(page),
                None => String::new(),
            },
        }
    }

    /// Returns what the cursor of a page is on, or the lines that a screen would show.
    fn page_words(&mut self, page: &PageView<dyn PageContent>) -> String {
        let (doc, top) = (&page.doc, page.top);
        if doc.lines == 0 {
            return "Loading …\n".to_owned();
        }
        let before = std::mem::take(&mut self.out);
        if let Some(spot) = doc.spots.get(page.at).filter(|spot| !spot.label.is_empty()) {
            let section = doc.sections.get(spot.section).unwrap_or(&"page");
            let label = text::one_line(&spot.label, MAX_QUOTED);
            let value = text::one_line(&spot.value, 1000);
            self.line(&format!("{section}: {label}: {value}."));
            if let Ok(query) = &spot.query {
                self.line(&format!(
                    "Enter shows {}.",
                    text::one_line(query, MAX_QUOTED)
                ));
            }
            return std::mem::replace(&mut self.out, before);
        }
        let end = (top + usize::from(page.area().height).max(1)).min(doc.lines);
        self.say_lines(&doc.text, top, end);
        let items = doc.items.iter();
        let items: Vec<_> = items.filter(|item| (top..end).contains(&item.y)).collect();
        for line in items.chunk_by(|item, next| item.y == next.y) {
            let words = line.iter().filter_map(|item| match &item.what {
                PageMark::Words(words, _) => Some(&**words),
                _ => None,
            });
            self.line(&words.collect::<Vec<_>>().join("  "));
        }
        let left = doc.lines - end;
        let last = match left {
            0 => "(The end: q goes back.)".to_owned(),
            _ => format!(
                "({}: Space continues, q goes back.)",
                counted(left, "more line")
            ),
        };
        self.line(&last);
        std::mem::replace(&mut self.out, before)
    }
}

/// Returns the label of the input line.
pub fn prompt(app: &App) -> &'static str {
    match app.mode() {
        Mode::Read | Mode::Panel | Mode::Queue => "visavis> ",
        Mode::Rate => "rating> ",
        Mode::Menu => "number> ",
        Mode::MenuSearch => "find> ",
        Mode::Note => "note> ",
        Mode::Line => match app.views.line_kind() {
            Some(LineKind::Filter) => "filter> ",
            Some(LineKind::Search | LineKind::RecordSearch) => "search> ",
            Some(LineKind::Command) => "command> ",
            Some(LineKind::Reviewer) => "name> ",
            _ => "type> ",
        },
        _ => "page> ",
    }
}

/// Returns the sample's position in a queue; its findings are printed with the sample.
fn queue_words(app: &App) -> String {
    match app.views.queue_rank(&app.browser) {
        Some((rank, of)) => {
            let judged = match app.views.queue_judged(&app.browser, &app.review) {
                (0, _) => String::new(),
                (judged, wrong) => {
                    format!(" {} judged, {} wrong.", grouped(judged), grouped(wrong))
                }
            };
            let (rank, of) = (grouped(rank), grouped(of));
            let key = |verdict| {
                app.browser
                    .key_in(Context::Findings, Action::Check(verdict))
            };
            let answers = SpotCheckVerdict::ALL.map(|verdict| match key(verdict) {
                Some(key) => format!("{} ({key})", verdict.word()),
                None => verdict.word().to_owned(),
            });
            let answers = answers.join(", ");
            format!("{rank} of {of} in the queue.{judged} Are the labels {answers}?\n")
        }
        None => String::new(),
    }
}

fn menu_words(app: &App) -> String {
    let Some(menu) = app.views.top_menu() else {
        return String::new();
    };
    let title = text::one_line(&menu.title, MAX_QUOTED);
    let (found, all) = (menu.found(), menu.lines.len());
    let (heading, said) = match menu.typed() {
        Some(_) => (
            format!("{title}, {} of {}", grouped(found.len()), grouped(all)),
            FOUND,
        ),
        None => (title, all),
    };
    let lines = lines_to_choose(found.take(said).map(|(line, _)| line));
    format!("{heading}:\n{lines}Type a number, some letters to find a line, or <esc> to leave.\n")
}

/// Most search results of a menu that are printed.
const FOUND: usize = 20;

/// Returns numbered lines.
fn lines_to_choose<'l>(lines: impl Iterator<Item = &'l MenuLine>) -> String {
    let say = |(line, number): (&MenuLine, usize)| {
        let [words, note] = [&line.text, &line.note].map(|words| text::one_line(words, MAX_QUOTED));
        let stop = if note.is_empty() { "" } else { ": " };
        let key = match &*line.key {
            "" => String::new(),
            key => format!(" ({key})"),
        };
        format!("{number} {}{key}{stop}{note}\n", words.trim())
    };
    lines.zip(1..).map(say).collect()
}

fn line_words(app: &App) -> String {
    let Some(line) = app.views.line() else {
        return String::new();
    };
    let (typed, _) = line.text();
    let mut out = String::new();
    if let Some(error) = &line.error {
        let typed = text::one_line(typed, MAX_QUOTED);
        out.push_str(&format!(
            "Error in {typed}: {}.\n",
            text::one_line(&error.message, MAX_QUOTED)
        ));
    } else if !typed.is_empty() {
        out.push_str(&format!("Typed: {}\n", text::one_line(typed, MAX_QUOTED)));
    }
    if let Some(list) = &line.suggestions {
        let items = list.items.iter().take(20);
        let items: Vec<_> = items.map(|item| text::one_line(&item.text, 60)).collect();
        out.push_str(&format!("Suggestions: {}.\n", items.join(", ")));
    }
    out.push_str("Type the line and press Enter; <esc> cancels.\n");
    out
}

fn panel_words(app: &App) -> String {
    let Some(panel) = app.views.panel() else {
        return String::new();
    };
    let mut out = String::new();
    for (at, row) in panel.rows[..panel.shown].iter().enumerate() {
        let here = if at == panel.chosen { "Chosen: " } else { "" };
        let name = text::one_line(row.column.name, 60);
        let chart = panel.chart(at).map(|chart| {
            let bins = chart.histogram.bins.iter();
            let bins: Vec<_> = bins
                .map(|bin| format!("{} {}", number(bin.low), grouped(bin.shown)))
                .collect();
            bins.join(", ")
        });
        let counts = chart.unwrap_or_else(|| "no values".to_owned());
        out.push_str(&format!("{here}{name} {}: {counts}.\n", view_word(row)));
    }
    if let folded @ 1.. = panel.folded() {
        out.push_str(&format!(
            "{}: z shows them.\n",
            counted(folded, "more count")
        ));
    }
    out
}

fn note_words(app: &App) -> String {
    let Some(pad) = app.views.note() else {
        return String::new();
    };
    let mut out = String::new();
    for note in &pad.others {
        out.push_str(&format!("{}\n", app.review.other_note(note, &app.browser)));
    }
    let letters = pad
        .saved
        .as_ref()
        .map(|note| app.review.note_letters_suffix(note, &app.browser));
    let letters = letters.unwrap_or_default();
    let lines = pad.lines().iter().filter(|line| !line.trim().is_empty());
    for line in lines {
        out.push_str(&format!(
            "Your note{letters}: {}\n",
            text::one_line(line, 1000)
        ));
    }
    out.push_str("Type the note in one line; <esc> cancels.\n");
    out
}
