//! Files that leave the program.

use std::io::Write;
use std::path::PathBuf;

use crate::app::{Export, Selection};
use crate::dataset::Dataset;
use crate::export::{ExportRequest, InputFile, Target, to_file, write};
use crate::journal::Ledger;
use crate::text::counted;

/// Writes what was asked for; gives what to say of it. Before each sample, and once behind the
/// last, `wanted` is told how many are written.
///
/// # Errors
/// In words for people; then no file was changed.
pub(super) fn export(
    export: &Export,
    dataset: &Dataset,
    ledger: &Ledger,
    inputs: &[InputFile],
    journals: &[PathBuf],
    wanted: &dyn Fn(usize) -> bool,
) -> Result<String, String> {
    let path = at_home(&export.path);
    let target = Target {
        path: &path,
        overwrite: export.overwrite,
        inputs,
        journals,
    };
    let title = match export.selection {
        Selection::Result => "Samples".to_owned(),
        Selection::Marks => "Marked samples".to_owned(),
        Selection::Session => "Samples of an audit".to_owned(),
    };
    let request = ExportRequest {
        dataset,
        samples: &export.samples,
        matching: &export.matching,
        matching_only: false,
        ledger,
        format: export.format,
        title,
    };
    let fill = &mut |out: &mut dyn Write| {
        let written = write(&request, out, wanted)?;
        // What takes time now is the disk; nobody stops it any more.
        wanted(written.samples);
        Ok(written)
    };
    let written = to_file(&target, fill).map_err(|error| error.to_string())?;
    let samples = counted(written.samples, "sample");
    Ok(format!("{samples} written to {}.", path.display()))
}

/// A path as a shell would have it: `~` is the user's own folder.
fn at_home(path: &str) -> PathBuf {
    let home = path
        .strip_prefix("~/")
        .and_then(|rest| Some(PathBuf::from(super::environment("HOME")?).join(rest)));
    home.unwrap_or_else(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use super::*;
    use crate::dataset::tests::dataset;
    use crate::export::Format;

    #[test]
    fn how_many_samples_are_written_is_told_to_the_last() {
        let rows: String = (0..6)
            .map(|at| {
                format!(
                    "{{\"prompt\": \"{}\", \"response\": \"x\", \"helpfulness\": 1}}\n",
                    at / 2
                )
            })
            .collect();
        let data = dataset(&[rows]);
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
                format,
                path,
                overwrite: false,
                line,
            };
            let told = RefCell::new(Vec::new());
            let wanted = |written| {
                told.borrow_mut().push(written);
                true
            };
            super::export(&export, &data, &Ledger::default(), &[], &[], &wanted).expect("written");
            assert_eq!(told.into_inner(), [0, 1, 2, 3], "{name}");
        }
    }
}
