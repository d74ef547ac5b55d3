//! Findings: the strip of a queue and the line above a sample.

use super::Canvas;
use crate::app::{Action, Area, KeyHints, QueueOrder, ToldFinding};
use crate::model::SpotCheckVerdict;
use crate::text::{self, grouped};

/// Keys worth a place on the status line while the strip has them.
pub(super) const QUEUE_HINTS: KeyHints = &[
    (Action::Check(SpotCheckVerdict::Right), "right"),
    (Action::Check(SpotCheckVerdict::Wrong), "wrong"),
    (Action::Check(SpotCheckVerdict::Unclear), "unclear"),
    (Action::Cancel, "back"),
    (Action::NextSample, "next"),
    (Action::Undo, "undo"),
    (Action::NextPane, "pane"),
];
/// Cells of a severity's word.
const WORD: u16 = 7;

impl Canvas<'_> {
    /// The strip of a queue: where one is, and what is suspicious in the sample.
    pub(super) fn queue(&mut self) {
        let drawer = self.browser.geometry().drawer;
        let Some(strip) = self.views.queue().filter(|_| !drawer.is_empty()) else {
            return;
        };
        let theme = self.theme;
        let end = drawer.right();
        let x = self.begin_drawer(drawer, " findings ");
        self.queue_title(strip.order, Area { x, ..drawer });
        let rows = drawer.below(1);
        let Some(told) = self.review.told_findings(self.browser) else {
            self.put(drawer.x + 2, rows.y, end, "looking…", theme.dim);
            return;
        };
        if told.is_empty() {
            let words = match self.review.mask(self.browser).hidden {
                true => "nothing that may be told while labels are hidden",
                false => "no rule fires on this sample",
            };
            self.put(drawer.x + 2, rows.y, end, words, theme.dim);
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
            self.cut(drawer.x + 2, y, end.saturating_sub(1), &words, theme.dim);
        }
    }

    /// Behind the title of the strip: where in the queue one is, and what was judged of it.
    fn queue_title(&mut self, order: QueueOrder, area: Area) {
        let end = self.browser.layout.size.0.saturating_sub(1);
        let theme = self.theme;
        let mut said = Vec::new();
        if let Some((rank, of)) = self.views.queue_rank(self.browser) {
            let how = match (order, self.review.suspicion(self.browser)) {
                (QueueOrder::Suspicion, Some(weight)) => {
                    format!(" by suspicion, {}", grouped(weight as usize))
                }
                (QueueOrder::Suspicion, None) => String::new(),
                (QueueOrder::Random, _) => format!(" at random (seed {})", QueueOrder::SEED),
            };
            said.push((
                format!("{} of {}{how}", grouped(rank), grouped(of)),
                theme.text,
            ));
        }
        if let Some(own) = self.browser.own_check(self.browser.selection.selected) {
            let style = match own {
                SpotCheckVerdict::Right => theme.gain,
                SpotCheckVerdict::Wrong => theme.loss,
                SpotCheckVerdict::Unclear => theme.text,
            };
            said.push((format!("{}, by you", own.word()), style));
        }
        if let (judged @ 1.., wrong) = self.views.queue_judged(self.browser, self.review) {
            let words = format!("{} judged, {} wrong", grouped(judged), grouped(wrong));
            said.push((words, theme.dim));
        }
        let separator = format!(" {} ", self.glyphs.separator);
        let mut x = area.x;
        for (at, (words, style)) in said.into_iter().enumerate() {
            if at > 0 {
                x = self.put(x, area.y, end, &separator, theme.dim);
            }
            x = self.cut(x, area.y, end, &words, style);
        }
        self.put(x, area.y, end, " ", theme.dim);
    }

    /// A finding in the rows of an area: how bad it is, what is wrong and where, and by which rule.
    /// Returns how many rows it takes.
    fn finding_lines(&mut self, finding: &ToldFinding, area: Area) -> u16 {
        let end = area.right().saturating_sub(1);
        let style = self.theme.severity(finding.severity);
        let (plain, dim, faint) = {
            let theme = self.theme;
            (theme.text, theme.dim, theme.faint)
        };
        let sign = self.glyphs.severity(finding.severity);
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
        let area = self.browser.geometry().sentence;
        let told = self.review.told_findings(self.browser).unwrap_or_default();
        let Some(first) = told.first().filter(|_| !area.is_empty()) else {
            return;
        };
        let style = self.theme.severity(first.severity);
        let key = self.browser.key_for(Action::Findings);
        let mut behind = match told.len() - 1 {
            0 => String::new(),
            more => format!("  +{more} more"),
        };
        if let Some(key) = key {
            behind.push_str(&format!("  {key}"));
        }
        let end = area.right().saturating_sub(1);
        let words_end = end.saturating_sub(text::width(&behind) as u16);
        let x = self.put(
            area.x + 1,
            area.y,
            words_end,
            self.glyphs.severity(first.severity),
            style,
        );
        let words = text::one_line(&first.words(), 400);
        let x = self.cut(x + 1, area.y, words_end, &words, style);
        self.put(x, area.y, end, &behind, self.theme.dim);
    }
}
