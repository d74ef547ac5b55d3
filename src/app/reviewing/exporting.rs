//! Output of the program: copies for the clipboard, and files.

use std::path::Path;
use std::sync::Arc;

use super::super::job::Job;
use super::super::menu::{Menu, MenuLine};
use super::super::perform::ViewRequest;
use super::super::{Action, App, Context, Effect, Pane, Review, ShownSamples, texts};
use super::ReviewEffect;
use crate::export::{BlindMask, Copy, Format, Markup, TrainingFormat, training_in_words};
use crate::journal::{ActId, Reveal};
use crate::model::ResponseId;
use crate::query::ResponseSet;
use crate::text::{self, named_enum};

/// A request to copy something to the clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyRequest {
    /// Number of the sample, from 0.
    pub sample: usize,
    /// The part to copy; responses are those of the file.
    pub what: Copy,
    /// What blind judging hides.
    pub mask: BlindMask,
}

/// A request to write a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// The samples in the order in which to write them.
    pub samples: Arc<Vec<u32>>,
    /// For each sample, the responses that match the filter; empty without a filter.
    pub matching: Arc<Vec<ResponseSet>>,
    /// The kind of selection.
    pub selection: Selection,
    /// The file format.
    pub form: FileForm,
    /// The active filter as typed; empty for none.
    pub query: String,
    /// The active audit, for a report.
    pub audit: Option<ActId>,
    /// The path as typed.
    pub path: String,
    /// Whether an existing file is replaced.
    pub overwrite: bool,
    /// The command, to be edited if it fails.
    pub line: String,
}

/// The title of the export menu.
const EXPORT: &str = "export";

/// A file that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportProgress {
    /// The path as typed.
    pub path: String,
    /// Samples written, if known.
    pub written: Option<usize>,
    /// Samples to write.
    pub of: usize,
    /// Whether the program quits when it is done.
    pub leaving: bool,
}

impl ExportProgress {
    /// Returns the progress to show after the path (` 40 %`); empty if unknown.
    pub fn percent(&self) -> String {
        let percent = |written: usize| (written * 100).checked_div(self.of).unwrap_or(100).min(100);
        self.written
            .map(|written| format!(" {} %", percent(written)))
            .unwrap_or_default()
    }
}

named_enum! {
    /// Which samples to write.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Selection {
        /// The samples shown.
        Result "result",
        /// The marked samples.
        Marks "marks",
        /// The samples of the active audit.
        Session "audit",
        /// The selected sample.
        Sample "sample",
        /// No samples: the agreement report.
        Report "report",
    }
}

/// The kind of file to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileForm {
    /// Samples in a format of [`Format`].
    Samples(Format),
    /// Training data.
    Training(TrainingFormat),
    /// An audit report.
    Report(Markup),
    /// The screen as SVG.
    Picture,
}

impl FileForm {
    /// Returns the format for a path's extension.
    fn of_path(selection: Selection, path: &Path) -> Option<Self> {
        let format = Format::of_path(path);
        match (selection, format) {
            (Selection::Report, Some(Format::Markdown)) => Some(Self::Report(Markup::Markdown)),
            (Selection::Report, Some(Format::Html)) => Some(Self::Report(Markup::Html)),
            (Selection::Report, _) => None,
            (Selection::Sample, _) if path.extension()?.eq_ignore_ascii_case("svg") => {
                Some(Self::Picture)
            }
            _ => TrainingFormat::of_path(path)
                .map(Self::Training)
                .or(format.map(Self::Samples)),
        }
    }

    /// Returns its name in menus.
    fn name(self) -> String {
        match self {
            Self::Samples(format) => format.name().to_owned(),
            Self::Training(format) => format.name.to_owned(),
            form => form.extension(),
        }
    }

    /// Returns the file extension without the dot.
    fn extension(self) -> String {
        match self {
            Self::Samples(format) => format.extension().to_owned(),
            Self::Training(format) => format!("{}.jsonl", format.name),
            Self::Report(Markup::Markdown) => "md".to_owned(),
            Self::Report(Markup::Html) => "html".to_owned(),
            Self::Picture => "svg".to_owned(),
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Samples(format) => format.about(),
            Self::Training(format) => format.purpose(),
            Self::Report(Markup::Markdown) => {
                "agreement and the ten largest disagreements, Markdown"
            }
            Self::Report(Markup::Html) => {
                "agreement and the ten largest disagreements, for a browser"
            }
            Self::Picture => "a picture of the screen",
        }
    }
}

impl Selection {
    /// Returns the formats except those for training, the most common first.
    fn forms(self) -> Vec<FileForm> {
        let samples = Format::ALL.map(FileForm::Samples).into_iter();
        match self {
            Self::Report => [Markup::Html, Markup::Markdown]
                .map(FileForm::Report)
                .into(),
            Self::Sample => [FileForm::Samples(Format::Html), FileForm::Picture]
                .into_iter()
                .chain(samples.filter(|form| *form != FileForm::Samples(Format::Html)))
                .collect(),
            _ => samples.collect(),
        }
    }
}

impl Review {
    /// Cancels quitting after the export because the user went on working.
    pub(crate) fn cancel_quit(&mut self) {
        if let Some(exporting) = &mut self.exporting {
            exporting.leaving = false;
        }
    }
}

impl App {
    /// Returns the samples shown, or those from before the active audit.
    fn result(&self) -> &ShownSamples {
        match self.running() {
            Some(_) => &self.selection.filtered,
            None => self.shown(),
        }
    }
}

impl App {
    /// Opens the copy menu.
    pub(crate) fn open_copy_menu(&mut self) {
        if !self.page_is_current() {
            let key = self.key_or_name(Context::Read, Action::Copy);
            return self.say(texts::sample_still_read(key));
        }
        let (malformed, single) = (
            self.page().is_some_and(|page| page.malformed),
            self.is_single(),
        );
        let shown = [Pane::Left, Pane::Right]
            .into_iter()
            .filter(|_| !malformed)
            .take(if single { 1 } else { 2 })
            .filter_map(|pane| self.page()?.letter_in(pane));
        let response = |shown: ResponseId| {
            let name = if single {
                "response".to_owned()
            } else {
                format!("response {}", shown.letter())
            };
            copy_line(Copy::Response(self.of_file(shown)), &name, "its text")
        };
        // The focused response comes first.
        let mut lines: Vec<_> = shown.map(response).collect();
        let focus = self.layout.focus;
        if focus == Pane::Right && lines.len() == 2 {
            lines.swap(0, 1);
        }
        if !malformed {
            let at = focus.side().map_or(0, |_| lines.len());
            let note = "prompt and responses as Markdown";
            lines.insert(at, copy_line(Copy::Sample, "sample", note));
        }
        // What names rows or holds labels stays hidden.
        if !self.mask().hidden {
            let note = "FILE:ROW; open it with: visavis FILE:ROW";
            lines.push(copy_line(Copy::Link, "link", note));
            lines.push(copy_line(Copy::Line, "raw line", "unchanged from the file"));
        }
        // A key reveals nothing: it depends only on the texts.
        let note = "find it in any file: visavis --at KEY FILE";
        lines.push(copy_line(Copy::Key, "key", note));
        let hints = &[(Action::Accept, "copy"), (Action::Cancel, "close")];
        self.views
            .open_menu(Menu::new("copy to the clipboard", lines, 0, hints));
    }

    pub(crate) fn copy(&mut self, what: Copy) {
        self.request(Effect::Review(ReviewEffect::Copy(CopyRequest {
            sample: self.selection.selected,
            what,
            mask: self.mask(),
        })));
    }

    /// Opens the export menu.
    pub(crate) fn open_export_menu(&mut self) {
        if self.hides_labels() && self.is_withheld() {
            return;
        }
        let (lines, counted) = self.export_lines();
        if lines.is_empty() {
            self.say("Nothing to export: no sample is shown.");
            return;
        }
        let hints = &[(Action::Accept, "name the file"), (Action::Cancel, "close")];
        self.views.open_menu(Menu::new(EXPORT, lines, 0, hints));
        self.review.to_count = Some(Arc::new(counted)).filter(|samples| !samples.is_empty());
    }

    /// Returns the lines of the export menu, and the samples whose training rows must be counted
    /// for it.
    fn export_lines(&self) -> (Vec<MenuLine>, Vec<u32>) {
        let (mut lines, mut training) = (Vec::new(), Vec::new());
        for selection in self.exports() {
            let samples = self.selected_samples(selection);
            let count = text::counted(samples.len(), "sample");
            let mut put = |form: FileForm, note: String| {
                let name = format!("{} as {}", selection.name(), form.name());
                let task = self.export_task(selection, &form.extension());
                lines.push(MenuLine::new(&name, note, task));
            };
            let most = if selection == Selection::Sample {
                2
            } else {
                usize::MAX
            };
            for form in selection.forms().into_iter().take(most) {
                match selection {
                    Selection::Sample => put(form, format!("this sample: {}", form.about())),
                    Selection::Report => put(form, form.about().to_owned()),
                    _ => put(form, format!("{count}: {}", form.about())),
                }
            }
            let is_main = matches!(selection, Selection::Result | Selection::Session);
            if is_main && training.is_empty() {
                for format in TrainingFormat::ALL {
                    let form = FileForm::Training(format);
                    put(
                        form,
                        format!("{}: {count}; counting skipped ones …", form.about()),
                    );
                }
                training = samples;
            }
        }
        if !self.mask().hidden && !self.shown().is_empty() {
            let note = "copy FILE:ROW; open it with: visavis FILE:ROW";
            lines.push(copy_line(Copy::Link, "link", note));
        }
        (lines, training)
    }

    /// Returns the job that counts training rows while the menu is open, and adds the counts to it.
    pub(crate) fn training_job(&self) -> Option<Job> {
        let is_open = self
            .views
            .top_menu()
            .is_some_and(|menu| menu.title == EXPORT);
        let samples = self.review.to_count.clone().filter(|_| is_open)?;
        Some(Job::new(
            "trainer",
            &self.data,
            samples,
            false,
            |samples, of| {
                let count = |format| training_in_words(of.dataset, samples, format, of.keep_going);
                let words = TrainingFormat::ALL.map(count);
                (of.keep_going)().then_some(words)
            },
            |app, samples, words| {
                let counted = app.review.to_count.take_if(|counted| *counted == samples);
                let menu = app.views.menu_mut().filter(|menu| menu.title == EXPORT);
                let Some((menu, _)) = menu.zip(counted) else {
                    return;
                };
                for (format, words) in TrainingFormat::ALL.into_iter().zip(words) {
                    let end = format!(" as {}", format.name);
                    if let Some(line) = menu.lines.iter_mut().find(|it| it.text.ends_with(&end)) {
                        line.note = format!("{}: {words}", format.purpose());
                    }
                }
            },
        ))
    }

    /// True if labels of any exported sample are hidden. A finished audit that reveals labels shows
    /// those of its samples.
    fn hides_labels(&self) -> bool {
        let revealed = |running: &super::RunningAudit| {
            running.progress.is_settled() && running.session.audit.reveal != Reveal::Never
        };
        let strict = self
            .review
            .blind
            .is_some_and(|blind| blind.reveal == Reveal::Never);
        self.is_blind() && (strict || !self.running().is_some_and(revealed))
    }

    fn exports(&self) -> impl Iterator<Item = Selection> {
        let there = move |selection: &Selection| match selection {
            Selection::Report => !self.review.ledger.is_empty(),
            _ => !self.selected_samples(*selection).is_empty(),
        };
        Selection::ALL
            .into_iter()
            .filter(move |it| self.may_export(*it))
            .filter(there)
    }

    /// True if a selection contains nothing hidden. After a blind audit, samples outside it stay
    /// hidden.
    fn may_export(&self, selection: Selection) -> bool {
        !self.is_blind()
            || match selection {
                Selection::Session | Selection::Report => true,
                Selection::Sample => !self.mask().hidden,
                Selection::Result | Selection::Marks => false,
            }
    }

    /// Quits the program. While a file is being written, waits for it; a second request quits at
    /// once.
    pub(crate) fn quit(&mut self) {
        match &mut self.review.exporting {
            Some(exporting) if !exporting.leaving => {
                exporting.leaving = true;
            }
            _ => self.request(Effect::Quit),
        }
    }

    /// Reports a written file, and quits if that was waiting for it.
    pub(super) fn finish_export(&mut self, words: &str) {
        let leaving = self
            .review
            .exporting
            .take()
            .is_some_and(|exporting| exporting.leaving);
        self.say(text::one_line(words, 300));
        if leaving {
            self.request(Effect::Quit);
        }
    }

    fn selected_samples(&self, selection: Selection) -> Vec<u32> {
        let all = |shown: &ShownSamples| {
            shown
                .samples(0..usize::MAX)
                .map(|sample| sample as u32)
                .collect()
        };
        match selection {
            Selection::Result => all(self.result()),
            Selection::Marks => self
                .data
                .remarks
                .range(0..u32::MAX)
                .filter(|(_, remark)| remark.marked)
                .map(|(sample, _)| sample)
                .collect(),
            Selection::Sample if self.shown().is_empty() => Vec::new(),
            Selection::Sample => vec![self.selection.selected as u32],
            Selection::Report => Vec::new(),
            Selection::Session => {
                let running = self.running();
                let mut samples = running.map(|it| all(&it.shown)).unwrap_or_default();
                let mut seen = std::collections::BTreeSet::new();
                samples.retain(|sample| seen.insert(*sample));
                samples
            }
        }
    }

    /// Runs `:export WHAT PATH`; the path's extension selects the format.
    ///
    /// # Errors
    /// If the arguments are invalid, or there is nothing to write.
    pub(crate) fn export(
        &mut self,
        arguments: &str,
        overwrite: bool,
        line: &str,
    ) -> Result<(), String> {
        if self.hides_labels() {
            return Err(format!(
                "{}; use visavis export afterwards",
                super::blind::HIDDEN
            ));
        }
        let Some((what, path)) = arguments
            .split_once(' ')
            .map(|(what, path)| (what, path.trim()))
        else {
            return Err(texts::EXPORT_EXPECTED.to_owned());
        };
        let selection = Selection::named(what).ok_or_else(|| texts::unknown_selection(what))?;
        let form = FileForm::of_path(selection, Path::new(path)).ok_or_else(|| {
            let all: Vec<_> = selection
                .forms()
                .into_iter()
                .map(|form| format!(".{}", form.extension()))
                .collect();
            texts::unknown_file_type(all.join(", "))
        })?;
        if !self.may_export(selection) {
            return Err(format!(
                "{}; only the audit can be exported now",
                super::blind::HIDDEN
            ));
        }
        if let Some(exporting) = &self.review.exporting {
            return Err(format!(
                "{} is still being written{}",
                exporting.path,
                exporting.percent()
            ));
        }
        let samples = self.selected_samples(selection);
        if samples.is_empty() && (selection != Selection::Report || self.review.ledger.is_empty()) {
            return Err(format!("nothing to export: {what} is empty"));
        }
        let of = samples.len();
        // A picture is written at once and must not show its own export.
        self.review.exporting = (form != FileForm::Picture).then(|| ExportProgress {
            path: path.to_owned(),
            written: None,
            of,
            leaving: false,
        });
        let result_is_written = selection == Selection::Result;
        let matching = Some(self.result())
            .filter(|_| result_is_written)
            .and_then(ShownSamples::found)
            .map(|found| found.matching.clone());
        let matching = Arc::new(matching.unwrap_or_default());
        let query = self.filter.text().filter(|_| result_is_written);
        let (samples, path, line) = (Arc::new(samples), path.to_owned(), line.to_owned());
        self.request(Effect::Review(ReviewEffect::Export(Export {
            samples,
            matching,
            selection,
            form,
            query: query.unwrap_or_default(),
            audit: self.running().map(|running| running.session.id.clone()),
            path,
            overwrite,
            line,
        })));
        Ok(())
    }
}

fn copy_line(what: Copy, text: &str, note: &str) -> MenuLine {
    let copy = ViewRequest::call(move |app| app.copy(what));
    MenuLine::new(text, note, copy)
}

impl App {
    /// Opens the command line with the export command, so that the path can be changed.
    fn export_task(&self, selection: Selection, extension: &str) -> ViewRequest {
        let first = self
            .data
            .dataset
            .files()
            .first()
            .map(|file| file.source.name().to_owned())
            .unwrap_or_default();
        let stem = first
            .rsplit(['/', '\\', ' '])
            .next()
            .unwrap_or_default()
            .split('.')
            .next()
            .filter(|stem| !stem.is_empty())
            .unwrap_or("samples");
        let path = format!("{stem}.{}.{extension}", selection.name());
        ViewRequest::Type(format!("export {} {path}", selection.name()))
    }
}
