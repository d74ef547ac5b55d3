//! `visavis show`: prints one sample completely.

use std::io::{IsTerminal, stdout};

use clap::Args;

use super::Sources;
use super::data::DataArgs;
use super::journals::LoadedJournals;
use super::loading::{LoadedFiles, RowUse, load};
use super::output::{print_bytes, put, render_answer, render_plain};
use super::selection::Notes;
use crate::answer::Answer;
use crate::dataset::SampleName;
use crate::export::{BlindMask, PagePiece, page_pieces, sample_as_json, sample_as_markdown};
use crate::run::Failure;

/// Print one sample completely
///
/// A sample is named by its number (as on the screen and in exports), by FILE:ROW (as copied with
/// `y`), by its key (the same in every file), or by an id in its rows: visavis show 42 train.jsonl,
/// visavis show train.jsonl:27.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Number of the sample, from 1; FILE:ROW; its key (32 hex digits, or at least the first 8); or
    /// its id
    #[arg(value_name = "N|FILE:ROW|KEY")]
    sample: SampleName,

    #[command(flatten)]
    data: DataArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ShowArgs {
    pub(super) fn run(mut self, sources: &mut Sources) -> Result<(), Failure> {
        if let SampleName::Row { file, .. } = &self.sample {
            let (file, files) = (file.into(), &mut self.data.files);
            if !files.contains(&file) {
                files.insert(0, file);
            }
        }
        let source = self.data.source("show from", sources)?;
        let LoadedFiles {
            dataset, troubles, ..
        } = load("", &source, RowUse::ReadAgain)?;
        let ledger = LoadedJournals::read(&source.journal)?.ledger;
        let found = dataset.find_sample(&self.sample, &|| true);
        let number = found.unwrap_or_else(|| Err("stopped".to_owned()));
        let number = number.map_err(Failure::usage)? as u32;
        let text = if self.json {
            sample_as_json(&dataset, &ledger, number, BlindMask::default())
        } else {
            sample_as_markdown(&dataset, &ledger, number)
        }?;
        dataset.check_unchanged()?;
        if self.json {
            print_bytes(text.as_bytes())?;
        } else {
            put(&page(&text))?;
        }
        Notes::of(&dataset, troubles).print("read")
    }
}

/// Lays out a page whose texts are not code: unchanged for a file or pipe, wrapped and sanitised
/// for a terminal.
fn page(markdown: &str) -> String {
    let mut page = String::new();
    for piece in page_pieces(markdown) {
        let piece = match piece {
            PagePiece::Text(text) if !stdout().is_terminal() => text.to_owned(),
            PagePiece::Text(text) => render_plain(text).trim_matches('\n').to_owned() + "\n",
            PagePiece::Markdown(own) => {
                render_answer(&Answer::of_markdown(own))
                    .trim_matches('\n')
                    .to_owned()
                    + "\n"
            }
        };
        if piece != "\n" {
            page.push_str(if page.is_empty() { "" } else { "\n" });
            page.push_str(&piece);
        }
    }
    page
}
