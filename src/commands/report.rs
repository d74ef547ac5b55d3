//! `visavis report`: writes an audit as Markdown or HTML.

use clap::Args;

use super::data::{DataArgs, OutputArgs};
use super::destination::Destination;
use super::loading::DataSource;
use super::reviewed::ReviewedFiles;
use super::selection::Notes;
use super::{Sources, texts};
use crate::export::{Markup, ReportSpec, report, span, title};
use crate::journal::{self, ActId};
use crate::run::{Failure, inputs_or_default};

/// Write the report of an audit, as Markdown or HTML
///
/// One page: what was judged and by whom, the agreement of the reviewers with the dataset and with
/// each other, and the ten largest disagreements. --full adds everything else. -o audit.html writes
/// HTML.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Audit to report [default: the latest with judgments]
    #[arg(long, value_name = "ID")]
    audit: Option<String>,

    /// Reviewers to include [default: all]; with several (ann,ben), report their agreement and
    /// where they differ
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,

    /// Add the plan of the draw, all figures and matrices, and every judged sample
    #[arg(long)]
    full: bool,

    #[command(flatten)]
    saving: OutputArgs,
}

impl ReportArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let mut loader = self.data.reading.loader(&self.data.files, sources)?;
        // An audit of the demo can be reported, too.
        loader.inputs = inputs_or_default(loader.inputs);
        let source = self.data.with_loader(loader, None, None);
        let destination = Destination::of(&source, &self.saving);
        let written = self.write(&source, &destination);
        destination.finish(written.and_then(|notes| notes.print("written")))
    }

    fn write(&self, source: &DataSource, destination: &Destination<'_>) -> Result<Notes, Failure> {
        destination.check(None)?;
        let markup = match destination.output {
            Some(path) => Markup::of_path(path)
                .ok_or_else(|| Failure::usage(texts::report_extension(path.display())))?,
            None => Markup::default(),
        };
        let mut files = ReviewedFiles::load(source, false)?;
        let joined = files.dataset.joined().iter();
        files
            .journals
            .troubles
            .extend(joined.map(|file| file.summary()));
        let remarks = files.journals.troubles.clone();
        // The report mentions truncated files, and `say` repeats it on standard error.
        files
            .journals
            .troubles
            .extend(files.troubles.iter().cloned());
        let reviewer = self.reviewer.as_deref();
        if let (Some(id), true) = (
            &self.audit,
            reviewer.is_some_and(|it| files.names_several(it)),
        ) {
            return Err(Failure::usage(texts::reviewers_of_audit(id)));
        }
        let spec = self.spec(source, &files)?;
        let text = report(files.workspace(&files.places()), &spec);
        let text = markup.document(&title(&files.dataset, &spec), &text);
        files.dataset.check_unchanged()?;
        destination.write(&mut |out| Ok(out.write_all(text.as_bytes())?))?;
        Ok(Notes {
            remarks,
            troubles: files.troubles,
        })
    }

    /// Returns what to report on, after checking that the audit and the reviewers exist.
    ///
    /// # Errors
    /// If the journal has no such audit or reviewer.
    fn spec(&self, source: &DataSource, files: &ReviewedFiles) -> Result<ReportSpec, Failure> {
        let journals = &files.journals;
        let reviewers = files.reviewers(self.reviewer.as_deref())?;
        let mut spec = ReportSpec {
            audit: self.audit.as_deref().map(|id| ActId(id.into())),
            reviewers,
            full: self.full,
            now: journal::now(),
            journals: source.journal.paths.clone(),
            span: None,
            troubles: journals.troubles.clone(),
        };
        let session = spec
            .session(&journals.ledger)
            .map(|session| session.id.clone());
        if let (Some(id), None) = (&self.audit, &session) {
            let known = journals.ledger.sessions().map(|known| known.id.to_string());
            let known = known.collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none" } else { &known };
            let path = source.journal.paths.first().map(|path| path.display());
            let path = path.map_or_else(String::new, |path| path.to_string());
            return Err(Failure::usage(texts::unknown_audit(id, path, known)));
        }
        spec.span = span(&journals.entries, session.as_ref(), &spec.reviewers);
        Ok(spec)
    }
}
