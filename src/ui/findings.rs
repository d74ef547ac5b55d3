//! Findings: the queue strip, and the line above a sample.

use ratatui::style::Style;

use super::Canvas;
use crate::app::{Action, Area, KeyHints, Page, QueueOrder, ReportedFinding};
use crate::model::SpotCheckVerdict;
use crate::text::{self, grouped};

/// Key hints while the queue strip is focused.
pub(super) const QUEUE_HINTS: KeyHints = &[
    (Action::Check(SpotCheckVerdict::Right), "right"),
    (Action::Check(SpotCheckVerdict::Wrong), "wrong"),
    (Action::Check(SpotCheckVerdict::Unclear), "unclear"),
    (Action::Cancel, "back"),
    (Action::NextSample, "next"),
    (Action::Undo, "undo"),
    (Action::NextPane, "pane"),
];
/// Width of the longest severity word, in cells.
const WORD: usize = 6;

impl Canvas<'_> {
    /// Draws the queue strip: the position in the queue and the findings of the sample.
    pub fn queue(&mut self, order: QueueOrder) {
        let drawer = self.app.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let (theme, findings) = (self.theme, self.app.visible_findings());
        let (said, is_hidden) = (self.queue_words(order), self.app.mask().hidden);
        let mut row = self.begin_drawer(drawer, " findings: is the dataset right? ");
        row.end = row.end.saturating_sub(1);
        for (at, (words, style)) in said.into_iter().enumerate() {
            if at > 0 {
                row.separate(theme.dim);
            }
            row.cut(&words, style);
        }
        row.put(" ", theme.dim);
        let rows = drawer.below(1);
        let nothing = match &findings {
            None => "looking…",
            Some(findings) if !findings.is_empty() => "",
            _ if is_hidden => "no findings to show while labels are hidden",
            _ => "no rule matches this sample",
        };
        row = self.row(rows);
        row.skip(2);
        row.put(nothing, theme.dim);
        let findings = findings.unwrap_or_default();
        let fitting = usize::from(rows.height);
        // The last row shows how many findings do not fit.
        let shown = if findings.len() > fitting {
            fitting.saturating_sub(1)
        } else {
            findings.len()
        };
        // Remaining rows are used to wrap long sentences.
        let mut spare = fitting.saturating_sub(findings.len());
        let mut y = rows.y;
        for finding in findings.iter().take(shown) {
            let height = 1 + spare as u16;
            let used = self.finding_lines(finding, Area { y, height, ..rows });
            spare -= usize::from(used).saturating_sub(1).min(spare);
            y += used.max(1);
        }
        let rest = &findings[shown..];
        if !rest.is_empty() && rows.height > 0 {
            let names: Vec<_> = rest.iter().map(|one| &*one.name).collect();
            let words = format!("+{} more: {}", rest.len(), names.join(", "));
            let mut row = self.edge(rows, y);
            row.skip(1);
            row.cut(&words, theme.dim);
        }
    }

    /// Returns the position in the queue and the reviewer's answer, shown after the strip's title.
    fn queue_words(&self, order: QueueOrder) -> Vec<(String, Style)> {
        let theme = self.theme;
        let mut said = Vec::new();
        if let Some((rank, of)) = self.app.queue_rank() {
            let how = match (order, self.app.suspicion()) {
                (QueueOrder::Suspicion, Some(weight)) => {
                    format!(" by suspicion, {}", self.glyphs.suspicion(weight))
                }
                (QueueOrder::Suspicion, None) => String::new(),
                (QueueOrder::Random, _) => format!(" at random (seed {})", QueueOrder::SEED),
            };
            let words = format!("{} of {}{how}", grouped(rank), grouped(of));
            said.push((words, theme.text));
        }
        if let Some(own) = self.app.own_check(self.app.selection.selected) {
            let (_, style) = self.check_sign(own.verdict);
            said.push((format!("{}, by you", own.verdict.word()), style));
        }
        said
    }

    /// Returns the sign and the style of a spot check.
    pub fn check_sign(&self, verdict: SpotCheckVerdict) -> (&'static str, Style) {
        match verdict {
            SpotCheckVerdict::Right => ("y", self.theme.gain),
            SpotCheckVerdict::Wrong => ("n", self.theme.loss),
            SpotCheckVerdict::Unclear => ("?", self.theme.dim),
        }
    }

    /// Draws severity, sentence and rule of a finding. Returns the number of rows used.
    fn finding_lines(&mut self, finding: &ReportedFinding, area: Area) -> u16 {
        let (theme, severity) = (self.theme, finding.severity);
        let style = theme.severity(severity);
        let mut row = self.edge(area, area.y);
        row.skip(1);
        row.put(row.glyphs.severity(severity), style);
        row.skip(1);
        if area.width >= 76 {
            row.column(WORD, 1, |row| row.put(severity.word(), style));
        }
        let words = text::one_line(&finding.words(), 400);
        let lines = text::folded(&words, row.room(), usize::from(area.height));
        let from = row.x;
        for (line, y) in lines.iter().zip(area.y..) {
            (row.x, row.y) = (from, y);
            row.cut(line, theme.text);
        }
        for (words, style) in [(&finding.name, theme.dim), (&finding.query, theme.faint)] {
            let words = text::one_line(words, 200);
            row.skip(2);
            if row.room() < text::width(&words) {
                break;
            }
            row.text(&words, style);
        }
        lines.len() as u16
    }

    /// Draws the line above a sample with what is doubtful about the layout, findings and review data.
    pub fn sentence(&mut self) {
        let area = self.app.geometry().sentence;
        if area.is_empty() {
            return;
        }
        let findings = match self.views.queue() {
            // The strip shows the findings.
            Some(_) => Vec::new(),
            None => self.app.visible_findings().unwrap_or_default(),
        };
        let reading = self
            .app
            .page()
            .into_iter()
            .flat_map(Page::sentences)
            .map(|found| {
                (
                    self.glyphs.finding,
                    found.explanation().into_owned(),
                    self.theme.finding,
                )
            });
        let by_rules = findings.iter().map(|found| {
            let sign = self.glyphs.severity(found.severity);
            let words = text::one_line(&found.words(), 400);
            (sign, words, self.theme.severity(found.severity))
        });
        let doubts = self.app.data.dataset.doubts();
        let findings: Vec<(&str, String, Style)> = doubts
            .map(|doubts| ("guessed:", doubts.to_owned(), self.theme.finding))
            .into_iter()
            .chain(reading)
            .chain(by_rules)
            .collect();
        let mut remarks = self.remark_words();
        let mut row = self.edge(area, area.y);
        let half = row.room() / 2;
        while let Some((words, style)) = remarks.pop() {
            if row.room() < text::width(&words) + half && !findings.is_empty() {
                break;
            }
            row.right(&words, style);
            row.end = row.end.saturating_sub(2);
        }
        let end = row.end;
        let Some((sign, words, style)) = findings.first() else {
            return;
        };
        let mut suffix = match findings.len() - 1 {
            0 => String::new(),
            more => format!("  +{more} more"),
        };
        let (action, name) = match doubts {
            Some(_) => (Action::Layout, " correct"),
            None => (Action::Findings, ""),
        };
        if let Some(key) = self.app.key_for(action) {
            suffix.push_str(&format!("  {key}{name}"));
        }
        let dim = self.theme.dim;
        let mut row = self.edge(area, area.y);
        row.end = end.saturating_sub(text::width(&suffix) as u16);
        row.put(sign, *style);
        row.skip(1);
        row.cut(words, *style);
        row.end = end;
        row.put(&suffix, dim);
    }
}
