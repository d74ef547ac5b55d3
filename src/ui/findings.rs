//! Findings: the page of rules, the strip of a queue, and the line above a sample.

use ratatui::style::Style;

use super::Canvas;
use super::status::KeyHint;
use crate::app::{Action, Area, Context, FindingsRow, FindingsRowKind, QueueOrder, ToldFinding};
use crate::findings::SampleCount;
use crate::model::SpotCheckVerdict;
use crate::query::Severity;
use crate::text::{self, grouped};

/// Keys worth a place on the status line while the page has them.
const PAGE_HINTS: &[(Action, &str)] = &[
    (Action::Cancel, "back"),
    (Action::Zoom, "show these"),
    (Action::NextSample, "down"),
    (Action::Filter, "filter"),
    (Action::Help, "help"),
];
/// Those while the strip has them.
const QUEUE_HINTS: &[(Action, &str)] = &[
    (Action::Check(SpotCheckVerdict::Right), "right"),
    (Action::Check(SpotCheckVerdict::Wrong), "wrong"),
    (Action::Check(SpotCheckVerdict::Unclear), "unclear"),
    (Action::Cancel, "back"),
    (Action::NextSample, "next"),
    (Action::Undo, "undo"),
    (Action::NextPane, "pane"),
];
/// Cells of a severity's word, of the longest name that shows whole, of a count and of a share.
const WORD: u16 = 7;
const NAME: u16 = 29;
const COUNT: u16 = 10;
const SHARE: u16 = 8;
/// A sentence is left out where it has fewer cells than this.
const LEAST_SENTENCE: u16 = 24;

/// Where the columns of the page begin.
#[derive(Clone, Copy)]
struct PageColumns {
    has_word: bool,
    has_share: bool,
    /// Whether what is shown stands beside the whole.
    is_chosen: bool,
}

impl PageColumns {
    fn of(width: u16, is_chosen: bool) -> Self {
        Self {
            has_word: width >= 76,
            // Two counts say it where there is no room for four numbers.
            has_share: width >= if is_chosen { 76 } else { 56 },
            is_chosen,
        }
    }

    /// The column behind the name.
    fn counts(self) -> u16 {
        4 + NAME + if self.has_word { WORD } else { 0 }
    }

    /// The column behind all counts.
    fn end(self) -> u16 {
        let counts = if self.is_chosen { 2 } else { 1 };
        self.counts() + counts * (COUNT + self.share())
    }

    /// Cells of the share behind each count.
    fn share(self) -> u16 {
        if self.has_share { SHARE } else { 0 }
    }
}

impl Canvas<'_> {
    /// The page of findings, as far as it shows, with its cursor.
    pub(super) fn findings(&mut self) {
        let (width, height) = self.app.size();
        let (rows, chosen) = self.app.findings_rows();
        let Some(page) = self.app.views().findings() else {
            return;
        };
        let area = self.app.findings_area();
        let is_chosen =
            self.app.filter().in_force().is_some() || self.app.search().sought().is_some();
        let columns = PageColumns::of(width, is_chosen);
        self.findings_head(columns);
        let shown = rows.iter().enumerate().skip(page.top());
        for ((at, row), y) in shown.zip(area.y..area.y + area.height) {
            self.findings_row(row, y, columns, chosen == Some(at));
        }
        if let Some(row) = chosen.and_then(|at| rows.get(at)) {
            let top = area.y + area.height;
            let blank = u16::from(height >= 16);
            if blank > 0 && rows.len() > page.top() + usize::from(area.height) {
                self.put_more(2, top);
            }
            self.told_of_row(
                row,
                Area::new(
                    2,
                    top + blank,
                    width.saturating_sub(3),
                    height.saturating_sub(top + blank + 1),
                ),
            );
        }
    }

    /// How many samples there are and have findings, how far that is counted, and what the columns
    /// are.
    fn findings_head(&mut self, columns: PageColumns) {
        let (width, _) = self.app.size();
        let (strong, dim) = (self.look.theme.title_focus, self.look.theme.dim);
        let mut end = width.saturating_sub(1);
        if let Some(looked) = self.app.counting_findings() {
            let all = grouped(self.app.dataset().samples());
            let words = match looked {
                0 => "counting…".to_owned(),
                _ if looked >= self.app.dataset().samples() => "comparing samples…".to_owned(),
                _ if width < 80 => format!("counting… {} of {all}", grouped(looked)),
                _ => format!("counting… looked at {} of {all} samples", grouped(looked)),
            };
            let x = end.saturating_sub(text::width(&words) as u16);
            self.put(x, 1, end, &words, self.look.theme.progress);
            end = x.saturating_sub(2);
        }
        let x = self.put(1, 1, end, "[findings]", strong);
        // How many have a finding tells of labels.
        let counts = self.app.finding_counts().filter(|_| !self.app.is_blind());
        if let Some(counts) = counts {
            let (all, found) = (counts.samples, counts.suspicious);
            let (found, all, which) = match columns.is_chosen {
                true => (found.shown, all.shown, "shown"),
                false => (found.whole, all.whole, "samples"),
            };
            let so_far = if counts.is_whole() { "" } else { " so far" };
            let (found, all) = (grouped(found), grouped(all));
            let words = format!("{found} of {all} {which} have one{so_far}");
            self.cut(x + 2, 1, end, &words, dim);
        }
    }

    fn findings_row(&mut self, row: &FindingsRow, y: u16, columns: PageColumns, is_here: bool) {
        let (width, _) = self.app.size();
        let end = width.saturating_sub(1);
        let theme = &self.look.theme;
        let (dim, faint, plain, heading) = (theme.dim, theme.faint, theme.text, theme.heading);
        let is_quiet = row.is_quiet();
        let (severity, name_style) = match row.kind {
            FindingsRowKind::Gap => return,
            FindingsRowKind::Heading => {
                let x = self.cut(1, y, end, &row.name, heading);
                if &*row.name == FindingsRow::QUEUES {
                    self.column_names(x, y, columns);
                }
                return;
            }
            FindingsRowKind::Queue(_) => (None, plain),
            FindingsRowKind::Rule(severity) if !is_quiet => (Some(severity), plain),
            FindingsRowKind::Rule(severity) => (Some(severity), dim),
            FindingsRowKind::Other(severity) => (Some(severity), faint),
        };
        let is_off = matches!(row.kind, FindingsRowKind::Other(_));
        let mut x = 2;
        if let Some(severity) = severity {
            let style = match is_off || is_quiet {
                true => name_style,
                false => self.severity_style(severity),
            };
            self.put(x, y, end, self.severity_sign(severity), style);
            if columns.has_word {
                self.put(x + 2, y, end, severity.word(), style);
            }
        }
        x += 2 + if columns.has_word { WORD } else { 0 };
        let name = match row.kind {
            FindingsRowKind::Queue(QueueOrder::Random) => {
                format!("{} (seed {})", row.name, QueueOrder::SEED)
            }
            _ => row.name.to_string(),
        };
        let name_end = (columns.counts() - 1).min(end);
        self.cut(x, y, name_end, &text::one_line(&name, 200), name_style);
        if is_here {
            let sign = (self.look.glyphs.selected, self.look.theme.key);
            self.put(1, y, 2, sign.0, sign.1);
            let selection = self.look.theme.selection;
            self.tint(Area::new(x, y, name_end.saturating_sub(x), 1), selection);
        }
        // What does not apply has no counts: why takes their place.
        let behind = match is_off {
            true => columns.counts(),
            false => {
                self.row_counts(row, y, columns);
                columns.end() + 2
            }
        };
        if end.saturating_sub(behind) >= LEAST_SENTENCE {
            let style = if is_off { faint } else { dim };
            self.cut(behind, y, end, &text::one_line(&row.sentence, 400), style);
        }
    }

    fn column_names(&mut self, from: u16, y: u16, columns: PageColumns) {
        let dim = self.look.theme.dim;
        let shown = self.look.theme.header_query;
        let mut x = columns.counts();
        let names = match columns.is_chosen {
            true => vec![("shown", shown), ("of all", dim)],
            false => vec![("samples", dim)],
        };
        for (name, style) in names {
            let at = x + COUNT - text::width(name) as u16;
            if at > from {
                self.put(at, y, x + COUNT, name, style);
            }
            x += COUNT + columns.share();
        }
    }

    fn row_counts(&mut self, row: &FindingsRow, y: u16, columns: PageColumns) {
        let (width, _) = self.app.size();
        let (plain, dim) = (self.look.theme.text, self.look.theme.dim);
        let samples = self.app.finding_counts().map(|counts| counts.samples);
        let pairs = |count: SampleCount, of: SampleCount| match columns.is_chosen {
            true => vec![(count.shown, of.shown), (count.whole, of.whole)],
            false => vec![(count.whole, of.whole)],
        };
        let mut x = columns.counts();
        let Some((count, of)) = row.count.zip(samples) else {
            let words = "…";
            self.put(x + COUNT - 1, y, width, words, dim);
            return;
        };
        let is_quiet = row.is_quiet();
        // Of all that shows everything shows.
        let is_all = row.kind == FindingsRowKind::Queue(QueueOrder::Random);
        for (at, (some, all)) in pairs(count, of).into_iter().enumerate() {
            let style = if is_quiet || at > 0 { dim } else { plain };
            let mark = if row.is_partial { "…" } else { "" };
            let words = grouped(some) + mark;
            let from = (x + COUNT).saturating_sub(text::width(&words) as u16);
            self.put(from, y, width, &words, style);
            x += COUNT;
            if columns.has_share {
                let words = if is_all || row.is_partial {
                    String::new()
                } else {
                    share_words(some, all)
                };
                let from = (x + SHARE).saturating_sub(text::width(&words) as u16);
                self.put(from, y, width, &words, dim);
                x += SHARE;
            }
        }
    }

    /// What the row under the cursor means, and which query shows its samples.
    fn told_of_row(&mut self, row: &FindingsRow, area: Area) {
        let end = area.x + area.width;
        let theme = &self.look.theme;
        let (plain, dim, query_style) = (theme.text, theme.dim, theme.header_query);
        let words = match row.kind {
            FindingsRowKind::Other(_) => {
                format!("{} does not apply here: {}", row.name, row.sentence)
            }
            FindingsRowKind::Rule(severity) => {
                format!("{}, {}: {}", row.name, severity.word(), row.sentence)
            }
            _ => format!("{}: {}", row.name, row.sentence),
        };
        let words = text::one_line(&words, 1000);
        let rows = area
            .height
            .saturating_sub(u16::from(row.query.is_some()))
            .max(1);
        let lines = text::folded(&words, usize::from(area.width), usize::from(rows));
        let mut y = area.y;
        for line in &lines {
            self.cut(area.x, y, end, line, plain);
            y += 1;
        }
        if let Some(query) = row.query.as_ref().filter(|_| y < area.y + area.height) {
            let key = self.app.key_for(Action::Zoom).unwrap_or_default();
            let x = self.put(area.x, y, end, &format!("{key} shows "), dim);
            self.cut(x, y, end, &text::one_line(query, 400), query_style);
        }
    }

    /// The strip of a queue: where one is, and what is suspicious in the sample.
    pub(super) fn queue(&mut self) {
        let drawer = self.app.geometry().drawer;
        let Some(strip) = self.app.views().queue().filter(|_| !drawer.is_empty()) else {
            return;
        };
        self.wipe(drawer);
        let theme = &self.look.theme;
        let (line, title, dim) = (theme.border_focus, theme.title_focus, theme.dim);
        let end = drawer.x + drawer.width;
        let rule = self.look.glyphs.border.horizontal_top;
        let rule = rule.repeat(usize::from(drawer.width));
        self.put(drawer.x, drawer.y, end, &rule, line);
        let x = self.put(drawer.x + 1, drawer.y, end, " findings ", title);
        self.queue_title(strip.order(), Area { x, ..drawer });
        let rows = drawer.below(1);
        let Some(told) = self.app.told_findings() else {
            self.put(drawer.x + 2, rows.y, end, "looking…", dim);
            return;
        };
        if told.is_empty() {
            let words = match self.app.mask().hidden {
                true => "nothing that may be told while labels are hidden",
                false => "no rule fires on this sample",
            };
            self.put(drawer.x + 2, rows.y, end, words, dim);
            return;
        }
        let fitting = usize::from(rows.height);
        // The last row tells how many do not fit.
        let shown = if told.len() > fitting {
            fitting.saturating_sub(1)
        } else {
            told.len()
        };
        // What is left of the rows is for sentences that are longer than one.
        let mut spare = fitting.saturating_sub(told.len());
        let mut y = rows.y;
        for finding in told.iter().take(shown) {
            let height = 1 + spare as u16;
            let used = self.finding_lines(finding, Area { y, height, ..rows });
            spare -= usize::from(used).saturating_sub(1).min(spare);
            y += used.max(1);
        }
        let rest = &told[shown..];
        if !rest.is_empty() && rows.height > 0 {
            let names: Vec<_> = rest.iter().map(|one| &*one.name).collect();
            let words = format!("+{} more: {}", rest.len(), names.join(", "));
            self.cut(drawer.x + 2, y, end.saturating_sub(1), &words, dim);
        }
    }

    /// Behind the title of the strip: where in the queue one is, and what was judged of it.
    fn queue_title(&mut self, order: QueueOrder, area: Area) {
        let end = self.app.size().0.saturating_sub(1);
        let theme = &self.look.theme;
        let (plain, dim) = (theme.text, theme.dim);
        let (gain, loss) = (theme.gain, theme.loss);
        let mut said = Vec::new();
        if let Some((rank, of)) = self.app.queue_rank() {
            let how = match (order, self.app.suspicion()) {
                (QueueOrder::Suspicion, Some(weight)) => {
                    format!(" by suspicion, {}", grouped(weight as usize))
                }
                (QueueOrder::Suspicion, None) => String::new(),
                (QueueOrder::Random, _) => format!(" at random (seed {})", QueueOrder::SEED),
            };
            said.push((format!("{} of {}{how}", grouped(rank), grouped(of)), plain));
        }
        if let Some(own) = self.app.own_check(self.app.selected()) {
            let style = match own {
                SpotCheckVerdict::Right => gain,
                SpotCheckVerdict::Wrong => loss,
                SpotCheckVerdict::Unclear => plain,
            };
            said.push((format!("{}, by you", own.word()), style));
        }
        if let (judged @ 1.., wrong) = self.app.queue_judged() {
            let words = format!("{} judged, {} wrong", grouped(judged), grouped(wrong));
            said.push((words, dim));
        }
        let separator = format!(" {} ", self.look.glyphs.separator);
        let mut x = area.x;
        for (at, (words, style)) in said.into_iter().enumerate() {
            if at > 0 {
                x = self.put(x, area.y, end, &separator, dim);
            }
            x = self.cut(x, area.y, end, &words, style);
        }
        self.put(x, area.y, end, " ", dim);
    }

    /// A finding in the rows of an area: how bad it is, what is wrong and where, and by which rule.
    /// Returns how many rows it takes.
    fn finding_lines(&mut self, finding: &ToldFinding, area: Area) -> u16 {
        let end = (area.x + area.width).saturating_sub(1);
        let style = self.severity_style(finding.severity);
        let (plain, dim, faint) = {
            let theme = &self.look.theme;
            (theme.text, theme.dim, theme.faint)
        };
        let sign = self.severity_sign(finding.severity);
        let mut from = self.put(area.x + 2, area.y, end, sign, style) + 1;
        if area.width >= 76 {
            self.put(from, area.y, end, finding.severity.word(), style);
            from += WORD;
        }
        let words = text::one_line(&finding.words(), 400);
        let room = usize::from(end.saturating_sub(from));
        let lines = text::folded(&words, room, usize::from(area.height));
        let (mut x, mut y) = (from, area.y);
        for (line, at) in lines.iter().zip(area.y..) {
            x = self.cut(from, at, end, line, plain);
            y = at;
        }
        for (words, style) in [(&finding.name, dim), (&finding.query, faint)] {
            let words = text::one_line(words, 200);
            if usize::from(end.saturating_sub(x + 2)) < text::width(&words) {
                break;
            }
            x = self.put_text(x + 2, y, end, &words, style);
        }
        lines.len() as u16
    }

    /// The line above a sample that says what is suspicious in it.
    pub(super) fn sentence(&mut self) {
        let area = self.app.geometry().sentence;
        let told = self.app.told_findings().unwrap_or_default();
        let Some(first) = told.first().filter(|_| !area.is_empty()) else {
            return;
        };
        let dim = self.look.theme.dim;
        let style = self.severity_style(first.severity);
        let key = self.app.key_for(Action::Findings);
        let mut behind = match told.len() - 1 {
            0 => String::new(),
            more => format!("  +{more} more"),
        };
        if let Some(key) = key {
            behind.push_str(&format!("  {key}"));
        }
        let end = (area.x + area.width).saturating_sub(1);
        let words_end = end.saturating_sub(text::width(&behind) as u16);
        let x = self.put(
            area.x + 1,
            area.y,
            words_end,
            self.severity_sign(first.severity),
            style,
        );
        let words = text::one_line(&first.words(), 400);
        let x = self.cut(x + 1, area.y, words_end, &words, style);
        self.put(x, area.y, end, &behind, dim);
    }

    fn severity_sign(&self, severity: Severity) -> &'static str {
        self.look.glyphs.severities[usize::from(severity.number()) - 1]
    }

    fn severity_style(&self, severity: Severity) -> Style {
        let theme = &self.look.theme;
        match severity {
            Severity::Severe => theme.error,
            Severity::Likely => theme.finding,
            Severity::Slight => theme.mark,
        }
    }

    /// What keys do on the page, how to leave it first.
    pub(super) fn findings_hints(&self) -> Vec<KeyHint> {
        let hints = PAGE_HINTS.iter();
        let hints = hints.filter_map(|&(action, what)| Some((self.app.key_for(action)?, what)));
        hints.collect()
    }

    /// What keys do in the strip.
    pub(super) fn queue_hints(&self) -> Vec<KeyHint> {
        let key = |action| {
            let own = self.app.key_in(Context::Findings, action);
            own.or_else(|| self.app.key_for(action))
        };
        let hints = QUEUE_HINTS.iter();
        let hints = hints.filter_map(|&(action, what)| Some((key(action)?, what)));
        hints.collect()
    }
}

/// A part of a whole in percent, as coarse as the page has room for.
fn share_words(some: usize, all: usize) -> String {
    match (some as f64 / all as f64 * 100.0, all) {
        (_, 0) => "n/a".to_owned(),
        (percent, _) if some > 0 && percent < 0.1 => "<0.1 %".to_owned(),
        (percent, _) => format!("{percent:.1} %"),
    }
}
