//! What leaves the program: copies for the clipboard, and files.

use std::path::Path;
use std::sync::Arc;

use super::super::menu::{Menu, MenuLine};
use super::super::perform::ViewRequest;
use super::super::{Action, Browser, Context, Effect, Pane, Review, Shown, Views};
use super::ReviewEffect;
use crate::export::{BlindMask, Copy, Format};
use crate::journal::Reveal;
use crate::model::ResponseId;
use crate::query::ResponseSet;
use crate::text;

/// What is handed to the clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Number of the sample, from 0.
    pub sample: usize,
    /// What of it; responses are those of the file.
    pub what: Copy,
    /// What must not be told.
    pub mask: BlindMask,
}

/// What is written into a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// The samples, in the order in which they are written.
    pub samples: Arc<Vec<u32>>,
    /// For each, the responses for which the filter holds; empty where no filter chose them.
    pub matching: Arc<Vec<ResponseSet>>,
    /// What they are.
    pub selection: Selection,
    /// How.
    pub format: Format,
    /// Where; as typed.
    pub path: String,
    /// Whether a file that is there is written over.
    pub overwrite: bool,
    /// The line that asked for it, to be typed anew where it fails.
    pub line: String,
}

/// A file that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exporting {
    /// Where; as typed.
    pub path: String,
    /// Samples written, as far as that was told.
    pub written: Option<usize>,
    /// Samples to be written.
    pub of: usize,
    /// Whether the program ends once it is written.
    pub leaving: bool,
}

impl Exporting {
    /// How far it is, for behind the path: ` 40 %`; nothing before that was told.
    pub fn percent(&self) -> String {
        let percent = |written: usize| (written * 100).checked_div(self.of).unwrap_or(100).min(100);
        self.written
            .map(|written| format!(" {} %", percent(written)))
            .unwrap_or_default()
    }
}

/// Which samples are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// What is shown.
    Result,
    /// What is marked.
    Marks,
    /// What the audit under way asks about.
    Session,
}

impl Selection {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Result, Self::Marks, Self::Session];

    /// What is typed for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Marks => "marks",
            Self::Session => "audit",
        }
    }
}

impl Review {
    /// A menu of what can be copied.
    pub(crate) fn open_copy_menu(&self, browser: &mut Browser, views: &mut Views) {
        if browser.shown().is_empty() {
            return browser.say("No sample is shown: there is nothing to copy.");
        }
        if !browser.page_is_current() {
            let key = browser.key_or_name(Context::Read, Action::Copy);
            return browser.say(format!(
                "This sample is still being read; press {key} again when it is shown."
            ));
        }
        let line =
            |what, text: &str, note: &str| MenuLine::new(text, note, ViewRequest::Copy(what));
        let (malformed, single) = (
            browser.page().is_some_and(|page| page.malformed),
            browser.is_single(),
        );
        let panes = [Pane::Left, Pane::Right].into_iter().filter(|_| !malformed);
        let shown = panes.take(if single { 1 } else { 2 });
        let shown = shown.filter_map(|pane| browser.page()?.letter_in(pane));
        let response = |shown: ResponseId| {
            let name = match single {
                true => "response".to_owned(),
                false => format!("response {}", shown.letter()),
            };
            line(
                Copy::Response(self.of_file(shown, browser)),
                &name,
                "its text",
            )
        };
        // The likeliest first.
        let mut lines: Vec<_> = shown.map(response).collect();
        let focus = browser.layout.focus;
        if focus == Pane::Right && lines.len() == 2 {
            lines.swap(0, 1);
        }
        if !malformed {
            let at = focus.side().map_or(0, |_| lines.len());
            let note = "prompt and responses as Markdown";
            lines.insert(at, line(Copy::Sample, "sample", note));
        }
        // What names rows or holds labels waits until they may be seen.
        if !self.mask(browser).hidden {
            let note = "FILE:ROW, which opens it: visavis FILE:ROW";
            lines.push(line(Copy::Link, "link", note));
            lines.push(line(Copy::Line, "raw line", "as it stands in the file"));
        }
        // It says nothing of what is hidden: the texts are part of it alone.
        let note = "opens it, wherever it is: visavis --at KEY FILE";
        lines.push(line(Copy::Key, "key", note));
        let hints = &[(Action::Accept, "copy"), (Action::Cancel, "close")];
        views.open_menu(Menu::new("copy to the clipboard", lines, 0, hints));
    }

    pub(crate) fn copy(&self, what: Copy, browser: &mut Browser) {
        browser.request(Effect::Review(ReviewEffect::Copy(Copied {
            sample: browser.selection.selected,
            what,
            mask: self.mask(browser),
        })));
    }

    /// A menu of what can be written, and how.
    pub(crate) fn open_export_menu(&self, browser: &mut Browser, views: &mut Views) {
        if self.hides_labels(browser) && browser.is_withheld() {
            return;
        }
        let line = |(selection, format): (Selection, Format)| {
            let count = self.selected_samples(selection, browser).len();
            let samples = text::counted(count, "sample");
            let note = format!("{samples}: {}", format.about());
            let name = format!("{} as {}", selection.word(), format.name());
            MenuLine::new(&name, note, browser.export_task(selection, format))
        };
        let lines: Vec<_> = self.exports(browser).into_iter().map(line).collect();
        if lines.is_empty() {
            browser.say("There is nothing to export.");
            return;
        }
        let hints = &[(Action::Accept, "name the file"), (Action::Cancel, "close")];
        views.open_menu(Menu::new("export", lines, 0, hints));
    }

    /// Whether labels of any sample are hidden: in an audit that is done, and that reveals them,
    /// those of its own are not.
    fn hides_labels(&self, browser: &Browser) -> bool {
        let revealed = |running: &super::RunningAudit| {
            running.standing.is_settled() && running.session.audit.reveal != Reveal::Never
        };
        let strict = self
            .blind
            .is_some_and(|blind| blind.reveal == Reveal::Never);
        browser.is_blind() && (strict || !self.running().is_some_and(revealed))
    }

    fn exports(&self, browser: &Browser) -> Vec<(Selection, Format)> {
        // Of a blind audit, what lies outside of it stays hidden.
        let may = |selection: &Selection| !browser.is_blind() || *selection == Selection::Session;
        let there = Selection::ALL.into_iter().filter(may);
        let there =
            there.filter(|selection| !self.selected_samples(*selection, browser).is_empty());
        there
            .flat_map(|selection| Format::ALL.map(|format| (selection, format)))
            .collect()
    }

    /// Ends the program; while a file is being written only once that is done, or when asked a
    /// second time.
    pub(crate) fn quit(&mut self, browser: &mut Browser) {
        match &mut self.exporting {
            Some(exporting) if !exporting.leaving => {
                exporting.leaving = true;
            }
            _ => browser.request(Effect::Quit),
        }
    }

    /// Who goes on working does not want to leave.
    pub(crate) fn stay(&mut self) {
        if let Some(exporting) = &mut self.exporting {
            exporting.leaving = false;
        }
    }

    /// A file is written: the program ends where that was waited for.
    pub(super) fn exported(&mut self, words: &str, browser: &mut Browser) {
        let leaving = self
            .exporting
            .take()
            .is_some_and(|exporting| exporting.leaving);
        browser.say(text::one_line(words, 300));
        if leaving {
            browser.request(Effect::Quit);
        }
    }

    /// What is shown, or was before the audit under way.
    fn result<'b>(&self, browser: &'b Browser) -> &'b Shown {
        match self.running() {
            Some(_) => &browser.selection.filtered,
            None => browser.shown(),
        }
    }

    fn selected_samples(&self, selection: Selection, browser: &Browser) -> Vec<u32> {
        let all = |shown: &Shown| {
            shown
                .samples(0..usize::MAX)
                .map(|sample| sample as u32)
                .collect()
        };
        match selection {
            Selection::Result => all(self.result(browser)),
            Selection::Marks => {
                let marked = browser
                    .data
                    .remarks
                    .range(0..u32::MAX)
                    .filter(|(_, remark)| remark.marked);
                marked.map(|(sample, _)| sample).collect()
            }
            Selection::Session => {
                let audited = browser.selection.audited.as_ref();
                let mut samples: Vec<u32> = audited.map(all).unwrap_or_default();
                let mut seen = std::collections::BTreeSet::new();
                samples.retain(|sample| seen.insert(*sample));
                samples
            }
        }
    }

    /// `:export WHAT PATH`; the path's end says how.
    ///
    /// # Errors
    /// When it does not read, or there is nothing to write.
    pub(crate) fn export(
        &mut self,
        arguments: &str,
        overwrite: bool,
        line: &str,
        browser: &mut Browser,
    ) -> Result<(), String> {
        if self.hides_labels(browser) {
            return Err(format!(
                "{}; visavis export writes the file afterwards",
                super::blind::HIDDEN
            ));
        }
        let Some((what, path)) = arguments
            .split_once(' ')
            .map(|(what, path)| (what, path.trim()))
        else {
            return Err(
                "WHAT PATH was expected, for instance :export result good.jsonl".to_owned(),
            );
        };
        let selection = Selection::ALL
            .into_iter()
            .find(|selection| selection.word() == what);
        let selection =
            selection.ok_or_else(|| format!("{what}: result, marks or audit was expected"))?;
        let format = Format::of_path(Path::new(path)).ok_or_else(|| {
            let all: Vec<_> = Format::ALL
                .iter()
                .map(|format| format!(".{}", format.extension()))
                .collect();
            format!(
                "the name says how it is written: it ends in {}",
                all.join(", ")
            )
        })?;
        if browser.is_blind() && selection != Selection::Session {
            return Err(format!(
                "{}; only the audit itself can be exported now",
                super::blind::HIDDEN
            ));
        }
        if let Some(exporting) = &self.exporting {
            return Err(format!(
                "{} is still being written{}",
                exporting.path,
                exporting.percent()
            ));
        }
        let samples = self.selected_samples(selection, browser);
        if samples.is_empty() {
            return Err(format!("there is nothing in {what} to export"));
        }
        let of = samples.len();
        self.exporting = Some(Exporting {
            path: path.to_owned(),
            written: None,
            of,
            leaving: false,
        });
        let result = Some(self.result(browser)).filter(|_| selection == Selection::Result);
        let found = result.and_then(Shown::found);
        let matching = found.map(|found| found.matching.clone());
        let matching = Arc::new(matching.unwrap_or_default());
        let (samples, path, line) = (Arc::new(samples), path.to_owned(), line.to_owned());
        browser.request(Effect::Review(ReviewEffect::Export(Export {
            samples,
            matching,
            selection,
            format,
            path,
            overwrite,
            line,
        })));
        Ok(())
    }
}

impl Browser {
    /// Has the command typed; its path can be changed.
    fn export_task(&self, selection: Selection, format: Format) -> ViewRequest {
        let first = self
            .data
            .dataset
            .files()
            .first()
            .map(|file| file.source.name().to_owned())
            .unwrap_or_default();
        let name = first.rsplit(['/', '\\', ' ']).next().unwrap_or_default();
        let stem = name
            .split('.')
            .next()
            .filter(|stem| !stem.is_empty())
            .unwrap_or("samples");
        let path = format!("{stem}.{}.{}", selection.word(), format.extension());
        ViewRequest::Type(format!("export {} {path}", selection.word()))
    }
}
