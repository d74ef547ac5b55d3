//! What is open on top of the panes, in sentences: menus as numbered lines, help and pages as text.

use super::rating::rating_words;
use super::{Speaker, TOLD};
use crate::app::{
    Action, App, Context, FindingsRowKind, HelpLine, LineKind, Mode, PaneText, view_word,
};
use crate::model::SpotCheckVerdict;
use crate::text::{self, counted, grouped, number};

impl Speaker {
    /// What the view on top says.
    pub(super) fn view_words(&mut self, app: &App) -> String {
        match app.mode() {
            Mode::Read => String::new(),
            Mode::Rate => rating_words(app),
            Mode::Menu => menu_words(app),
            Mode::Palette => palette_words(app),
            Mode::Line => line_words(app),
            Mode::Panel => panel_words(app),
            Mode::Help | Mode::Fields => help_words(app),
            Mode::Note => note_words(app),
            Mode::TextScreen => {
                let screen = app.views().text_screen();
                let screen = screen.map(|screen| (screen.stack(), screen.top()));
                self.page_words(app, screen)
            }
            Mode::Guide => {
                let page = app.guide_page().map(|page| (page.stack(), page.top()));
                self.page_words(app, page)
            }
            Mode::Statistics => statistics_words(app),
            Mode::Findings => findings_words(app),
            Mode::Queue => queue_words(app),
            Mode::Record => {
                let view = app.record_view();
                let page = view.and_then(|view| Some((view.page()?.stack(), view.top())));
                self.page_words(app, page)
            }
        }
    }

    /// The lines of a text that would show on a screen.
    fn page_words(&mut self, app: &App, page: Option<(&PaneText, usize)>) -> String {
        let Some((text, top)) = page else {
            return "One moment …\n".to_owned();
        };
        let rows = usize::from(app.size().1.saturating_sub(4)).max(1);
        let end = (top + rows).min(text.len());
        let before = std::mem::take(&mut self.out);
        self.say_lines(text, top, end);
        let left = text.len() - end;
        let last = match left {
            0 => "(The end: q goes back.)".to_owned(),
            _ => format!(
                "({}: Space goes on, q goes back.)",
                counted(left, "more line")
            ),
        };
        self.line(&last);
        std::mem::replace(&mut self.out, before)
    }
}

/// What is asked for at the beginning of the line that is typed.
pub fn prompt(app: &App) -> &'static str {
    match app.mode() {
        Mode::Read | Mode::Panel | Mode::Queue => "visavis> ",
        Mode::Rate => "rating> ",
        Mode::Menu => "number> ",
        Mode::Palette => "palette> ",
        Mode::Note => "note> ",
        Mode::Line => match app.views().line_kind() {
            Some(LineKind::Filter) => "filter> ",
            Some(LineKind::Search | LineKind::RecordSearch) => "search> ",
            Some(LineKind::Command) => "command> ",
            _ => "type> ",
        },
        Mode::Help
        | Mode::Fields
        | Mode::TextScreen
        | Mode::Guide
        | Mode::Record
        | Mode::Statistics
        | Mode::Findings => "page> ",
    }
}

/// The bar or cell under the cursor, with what its card counts.
fn statistics_words(app: &App) -> String {
    let (Some(page), Some(open)) = (app.statistics_page(), app.statistics()) else {
        return "Counting …\n".to_owned();
    };
    let Some(spot) = page.spots.get(open.chosen()) else {
        return "There is nothing to tell of.\n".to_owned();
    };
    let section = page.sections.get(page.section_at(spot.y));
    let section = section.map_or("statistics", |(_, title)| *title);
    let label = text::one_line(&spot.label, TOLD);
    let mut out = format!("{section}: {label}: {}.\n", spot.value);
    if let Some(query) = &spot.query {
        out.push_str(&format!("Enter shows {}.\n", text::one_line(query, TOLD)));
    }
    out
}

/// The row under the cursor of the findings.
fn findings_words(app: &App) -> String {
    let (rows, chosen) = app.findings_rows();
    let Some(row) = chosen.and_then(|at| rows.get(at)) else {
        return "There are no rules.\n".to_owned();
    };
    let severity = match row.kind {
        FindingsRowKind::Rule(severity) => format!(", {}", severity.word()),
        FindingsRowKind::Other(_) => " does not apply here".to_owned(),
        _ => String::new(),
    };
    let count = match (row.count.filter(|_| !row.is_partial), &row.query) {
        (Some(count), _) if count.shown == count.whole => {
            format!(" {}.", counted(count.whole, "sample"))
        }
        (Some(count), _) => {
            format!(
                " {} shown, of {}.",
                grouped(count.shown),
                grouped(count.whole)
            )
        }
        (None, Some(_)) => " Counting …".to_owned(),
        (None, None) => String::new(),
    };
    let words = text::one_line(&format!("{}{severity}: {}", row.name, row.sentence), TOLD);
    let mut out = format!("{words}.{count}\n");
    if let Some(query) = &row.query {
        out.push_str(&format!("Enter shows {}.\n", text::one_line(query, TOLD)));
    }
    out
}

/// Where in a queue the sample stands; what is wrong with it is said with the sample.
fn queue_words(app: &App) -> String {
    match app.queue_rank() {
        Some((rank, of)) => {
            let judged = match app.queue_judged() {
                (0, _) => String::new(),
                (judged, wrong) => {
                    format!(" {} judged, {} wrong.", grouped(judged), grouped(wrong))
                }
            };
            let (rank, of) = (grouped(rank), grouped(of));
            let key = |verdict| app.key_in(Context::Findings, Action::Check(verdict));
            let answers = SpotCheckVerdict::ALL.map(|verdict| match key(verdict) {
                Some(key) => format!("{} ({key})", verdict.word()),
                None => verdict.word().to_owned(),
            });
            let answers = answers.join(", ");
            format!("{rank} of {of} in the queue.{judged} Is it {answers}?\n")
        }
        None => String::new(),
    }
}

fn menu_words(app: &App) -> String {
    let Some(menu) = app.menu() else {
        return String::new();
    };
    let mut out = format!("{}:\n", text::one_line(&menu.title, TOLD));
    for (at, line) in menu.lines.iter().enumerate() {
        let (words, note) = (
            text::one_line(&line.text, TOLD),
            text::one_line(&line.note, TOLD),
        );
        let stop = if note.is_empty() { "" } else { ": " };
        out.push_str(&format!("{} {}{stop}{note}\n", at + 1, words.trim()));
    }
    out.push_str("Type a number, or <esc> to leave.\n");
    out
}

/// Lines of the palette that are said.
const FOUND: usize = 20;

fn palette_words(app: &App) -> String {
    let Some(palette) = app.palette() else {
        return String::new();
    };
    let (found, all) = palette.counts();
    let mut out = format!("{} of {} found.\n", grouped(found), grouped(all));
    for (at, (entry, _)) in palette.found().take(FOUND).enumerate() {
        let key = if entry.key.is_empty() {
            String::new()
        } else {
            format!(" ({})", entry.key)
        };
        out.push_str(&format!("{} {}{key}: {}\n", at + 1, entry.name, entry.note));
    }
    out.push_str("Type some letters, a number, or <esc> to leave.\n");
    out
}

fn line_words(app: &App) -> String {
    let Some(line) = app.input_line() else {
        return String::new();
    };
    let (typed, _) = line.text();
    let mut out = String::new();
    if let Some(error) = line.error() {
        let typed = text::one_line(typed, TOLD);
        out.push_str(&format!(
            "Not understood: {typed}: {}.\n",
            text::one_line(&error.message, TOLD)
        ));
    } else if !typed.is_empty() {
        out.push_str(&format!("So far: {}\n", text::one_line(typed, TOLD)));
    }
    if let Some(list) = line.suggestions() {
        let items = list.items().iter().take(20);
        let items: Vec<_> = items.map(|item| text::one_line(&item.text, 60)).collect();
        out.push_str(&format!("Can follow: {}.\n", items.join(", ")));
    }
    out.push_str("Type the line and Enter; <esc> leaves it.\n");
    out
}

fn panel_words(app: &App) -> String {
    let Some(panel) = app.views().panel() else {
        return String::new();
    };
    let mut out = String::new();
    for (at, row) in panel.rows().iter().enumerate() {
        let here = if at == panel.chosen() { "Chosen: " } else { "" };
        let name = text::one_line(row.column.name, 60);
        let chart = app.chart(at).map(|chart| {
            let bins = chart.histogram.bins.iter();
            let bins: Vec<_> = bins
                .map(|bin| format!("{} {}", number(bin.low), grouped(bin.shown)))
                .collect();
            bins.join(", ")
        });
        let counts = chart.unwrap_or_else(|| "no values".to_owned());
        out.push_str(&format!("{here}{name} {}: {counts}.\n", view_word(row)));
    }
    out
}

fn help_words(app: &App) -> String {
    let Some(layout) = app.help_layout() else {
        return String::new();
    };
    let mut out = String::new();
    for line in layout.columns.iter().flatten() {
        match line {
            HelpLine::Gap => {}
            HelpLine::Group(name) => out.push_str(&format!("{name}:\n")),
            HelpLine::Keys(keys, what) => out.push_str(&format!("{keys}  {what}\n")),
        }
    }
    out.push_str("q goes back.\n");
    out
}

fn note_words(app: &App) -> String {
    let Some(pad) = app.views().note() else {
        return String::new();
    };
    let mut out = String::new();
    for note in pad.others() {
        out.push_str(&format!("{}\n", app.other_note(note)));
    }
    let letters = pad.saved().map(|note| app.note_letters_behind(note));
    let letters = letters.unwrap_or_default();
    let lines = pad.lines().iter().filter(|line| !line.trim().is_empty());
    for line in lines {
        out.push_str(&format!(
            "Your note{letters}: {}\n",
            text::one_line(line, 1000)
        ));
    }
    out.push_str("Type the note in one line; <esc> leaves it as it is.\n");
    out
}
