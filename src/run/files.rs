//! Writes exported files.

use std::path::{Path, PathBuf};

use super::frame::draw_screen;
use super::texts;
use crate::app::{App, Export, FileForm, Selection};
use crate::dataset::Dataset;
use crate::export::{
    ExportError, ExportRequest, Format, InputFile, Markup, ProvenanceSource, ReportSpec, Target,
    TrainingFormat, TrainingRequest, report, title, to_file, to_two_files, write, write_training,
};
use crate::journal::{self, Ledger};
use crate::review::{Workspace, locate_all};
use crate::source::provenance_path;
use crate::text::counted;
use crate::ui::{self, ColorDepth, Glyphs, Look, Preset, SvgBackground, Theme};

/// A file to write, with its sources.
pub(super) struct FileJob<'a> {
    pub(super) export: &'a Export,
    pub(super) dataset: &'a Dataset,
    pub(super) ledger: &'a Ledger,
    pub(super) inputs: &'a [InputFile],
    pub(super) journals: &'a [PathBuf],
}

impl FileJob<'_> {
    fn target<'t>(&'t self, path: &'t Path) -> Target<'t> {
        Target {
            path,
            overwrite: self.export.overwrite,
            inputs: self.inputs,
            journals: self.journals,
        }
    }

    /// Writes the file and returns a notice. Before each sample, and once after the last,
    /// `keep_going` gets the number of written ones; it returns false to cancel.
    ///
    /// # Errors
    /// With a message for the user; no file was changed.
    pub(super) fn write(&self, keep_going: &dyn Fn(usize) -> bool) -> Result<String, String> {
        let path = expand_home(&self.export.path);
        let target = self.target(&path);
        let written = match self.export.form {
            FileForm::Samples(format) => self.samples(format, &target, keep_going),
            FileForm::Training(format) => self.training(format, &target, keep_going),
            FileForm::Report(markup) => self.report(markup, &target, keep_going),
            FileForm::Picture => return Err(texts::PICTURE.to_owned()),
        };
        let written = written.map_err(|error| error.to_string())?;
        Ok(written.replacen("written", &format!("written to {}", path.display()), 1))
    }

    fn samples(
        &self,
        format: Format,
        target: &Target<'_>,
        keep_going: &dyn Fn(usize) -> bool,
    ) -> Result<String, ExportError> {
        let title = match self.export.selection {
            Selection::Result | Selection::Report => "Samples",
            Selection::Sample => "Sample",
            Selection::Marks => "Marked samples",
            Selection::Session => "Samples of an audit",
        };
        let request = ExportRequest {
            dataset: self.dataset,
            samples: &self.export.samples,
            matching: &self.export.matching,
            matching_only: false,
            ledger: self.ledger,
            format,
            title: title.to_owned(),
        };
        let written = to_file(target, &mut |out| {
            let written = write(&request, out, keep_going)?;
            // From here on it cannot be cancelled; only the disk takes time.
            keep_going(written);
            Ok(written)
        })?;
        Ok(format!("{} written.", counted(written, "sample")))
    }

    fn training(
        &self,
        format: TrainingFormat,
        target: &Target<'_>,
        keep_going: &dyn Fn(usize) -> bool,
    ) -> Result<String, ExportError> {
        let source = ProvenanceSource {
            query: &self.export.query,
            output: Some(target.path.to_owned()),
            ..ProvenanceSource::default()
        };
        let beside = provenance_path(target.path);
        let beside = Target {
            path: &beside,
            ..*target
        };
        let request =
            TrainingRequest::without_corrections(self.dataset, &self.export.samples, format);
        let counts = to_two_files(target, &beside, &mut |out, beside| {
            let counts = write_training(request, &source, out, Some(beside), keep_going)?;
            match counts.rows {
                0 => Err(ExportError::NoRows(Box::new(counts))),
                _ => Ok(counts),
            }
        })?;
        Ok(counts.in_words(format).replacen(" of", " written of", 1) + ".")
    }

    /// Writes the first page of the report of the current audit, else of the latest.
    fn report(
        &self,
        markup: Markup,
        target: &Target<'_>,
        keep_going: &dyn Fn(usize) -> bool,
    ) -> Result<String, ExportError> {
        let spec = ReportSpec {
            audit: self.export.audit.clone(),
            now: journal::now(),
            journals: self.journals.to_vec(),
            ..ReportSpec::default()
        };
        let places = locate_all(self.dataset, &self.ledger.sample_refs(), &|| true);
        let work = Workspace {
            dataset: self.dataset,
            ledger: self.ledger,
            places: &places.unwrap_or_default(),
        };
        let text = report(work, &spec);
        if !keep_going(0) {
            return Err(ExportError::Stopped);
        }
        let document = markup.document(&title(self.dataset, &spec), &text);
        to_file(target, &mut |out| Ok(out.write_all(document.as_bytes())?))?;
        Ok(texts::REPORT_WRITTEN.to_owned())
    }

    /// Writes the screen as SVG and returns a notice.
    ///
    /// # Errors
    /// With a message for the user; no file was changed.
    pub(super) fn picture(&self, app: &App) -> Result<String, String> {
        let path = expand_home(&self.export.path);
        let look = Look {
            theme: Theme::load(Preset::Dark, ColorDepth::True),
            glyphs: Glyphs::UNICODE,
        };
        let screen = draw_screen(app, &look);
        let svg = ui::svg(&screen, SvgBackground::default(), "visavis");
        let target = self.target(&path);
        to_file(&target, &mut |out| Ok(out.write_all(svg.as_bytes())?))
            .map_err(|error| error.to_string())?;
        Ok(texts::picture_written(path.display()))
    }
}

/// Expands `~` to the user's home folder.
fn expand_home(path: &str) -> PathBuf {
    path.strip_prefix("~/")
        .and_then(|rest| Some(PathBuf::from(super::environment("HOME")?).join(rest)))
        .unwrap_or_else(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use super::*;
    use crate::dataset::Loader;
    use crate::source::Input;

    #[test]
    fn progress_counts_every_written_sample() {
        let rows: String = (0..6)
            .map(|at| {
                format!(
                    "{{\"prompt\": \"{}\", \"response\": \"x\", \"helpfulness\": 1}}\n",
                    at / 2
                )
            })
            .collect();
        let loader = Loader {
            inputs: vec![Input::Embedded {
                name: "rows",
                bytes: rows.into_bytes().leak(),
            }],
            ..Loader::default()
        };
        let mut data = Dataset::default();
        let mut take = |event| {
            data.add(&event);
            ControlFlow::Continue(())
        };
        loader.run(&mut take).expect("loaded");
        let folder = tempfile::tempdir().expect("a folder");
        for (format, name) in [
            (Format::Original, "x.jsonl"),
            (Format::Csv, "x.csv"),
            (Format::Markdown, "x.md"),
        ] {
            let path = folder.path().join(name).to_string_lossy().into_owned();
            let samples = Arc::new(vec![0, 1, 2]);
            let (selection, line) = (Selection::Result, String::new());
            let export = Export {
                matching: Arc::default(),
                samples,
                selection,
                form: FileForm::Samples(format),
                query: String::new(),
                audit: None,
                path,
                overwrite: false,
                line,
            };
            let counts = RefCell::new(Vec::new());
            let keep_going = |written| {
                counts.borrow_mut().push(written);
                true
            };
            let job = FileJob {
                export: &export,
                dataset: &data,
                ledger: &Ledger::default(),
                inputs: &[],
                journals: &[],
            };
            job.write(&keep_going).expect("written");
            assert_eq!(counts.into_inner(), [0, 1, 2, 3], "{name}");
        }
    }
}
