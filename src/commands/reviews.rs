//! `visavis agree` and `audits`: what reviewers said, without the report around it.

use std::sync::Arc;

use anyhow::anyhow;

use super::journals::LoadedJournal;
use super::loading::{LoadedFiles, RowUse, load};
use super::saved::{one_reviewer, several};
use super::{DataSource, Notes};
use crate::dataset::Dataset;
use crate::export::{self, PeopleSpec, agreement_as_json, audits_as_json, people_report};
use crate::journal::{self, Rating};
use crate::review::{
    Agreement, AgreementScope, PairAgreement, SampleLocator, agreement, locate, locate_all,
    pair_agreement,
};
use crate::stats::DRAWS;

/// Reviewers whose pairs are all told in JSON: 45 pairs.
const MOST_REVIEWERS: usize = 10;

/// What reviewers said, and where the samples stand that they said it of.
struct ReviewedFiles {
    dataset: Dataset,
    said: LoadedJournal,
    troubles: Vec<String>,
}

impl ReviewedFiles {
    fn load(source: &DataSource) -> anyhow::Result<Self> {
        let LoadedFiles {
            dataset, troubles, ..
        } = load("", source, RowUse::ReadAgain)?;
        let journals = source.journal.path.iter().chain(&source.journal.also_read);
        let places: Vec<_> = journals.collect();
        if !places.is_empty() && !places.iter().any(|path| path.exists()) {
            let places: Vec<_> = places
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            return Err(anyhow!(
                "there is no journal {}: nobody said anything of these files yet (--journal PATH names another)",
                places.join(", ")
            ));
        }
        let said = LoadedJournal::read(&source.journal)?;
        if said.path.is_none() {
            return Err(anyhow!(
                "standard input has no journal beside it; name one: --journal PATH"
            ));
        }
        Ok(Self {
            dataset,
            said,
            troubles,
        })
    }

    /// What a person should know.
    fn notes(self) -> Notes {
        let mut notes = Notes::of(&self.dataset, self.troubles);
        notes.remarks.splice(0..0, self.said.troubles);
        notes
    }
}

/// The audits of a journal, as a table or as a JSON document.
///
/// # Errors
/// When the files or the journal do not read.
pub fn audits(source: &DataSource, as_json: bool) -> anyhow::Result<(String, Notes)> {
    let files = ReviewedFiles::load(source)?;
    let (dataset, ledger) = (&files.dataset, &files.said.ledger);
    let places = locate(dataset, &ledger.sample_refs(), &|| true).unwrap_or_default();
    let list = match as_json {
        true => audits_as_json(dataset, ledger, &places),
        false => export::list(dataset, ledger, &places),
    };
    dataset.check_unchanged()?;
    Ok((list, files.notes()))
}

/// How far reviewers agree, as Markdown or as a JSON document: one of them or everybody with the
/// dataset, or several, with commas between their names, with each other.
///
/// # Errors
/// When the files or the journal do not read, or somebody who is named said nothing.
pub fn agree(
    source: &DataSource,
    reviewer: Option<&str>,
    as_json: bool,
) -> anyhow::Result<(String, Notes)> {
    let files = ReviewedFiles::load(source)?;
    let (dataset, said) = (&files.dataset, &files.said);
    let places = locate_all(dataset, &said.ledger.sample_refs(), &|| true).unwrap_or_default();
    let named = several(reviewer, said, dataset)?;
    let known = said.ledger.reviewers();
    let one = match (reviewer, &named) {
        (Some(name), None) => Some(one_reviewer(name, said, dataset)?),
        _ => None,
    };
    let all = with_dataset(&files, &places, one.as_deref(), named.as_deref());
    let text = match (as_json, named) {
        (false, None) => all.markdown(),
        (false, Some(reviewers)) => {
            let journals = said.path.iter().chain(&source.journal.also_read);
            let spec = PeopleSpec {
                reviewers,
                now: journal::now(),
                journals: journals.cloned().collect(),
                troubles: said.troubles.clone(),
            };
            people_report(dataset, &said.ledger, &places, &spec)
        }
        (true, named) => {
            let of = named.unwrap_or_else(|| match reviewer {
                None if known.len() <= MOST_REVIEWERS => known,
                _ => Vec::new(),
            });
            agreement_as_json(&all, &pairs(&files, &places, &of))
        }
    };
    dataset.check_unchanged()?;
    Ok((text, files.notes()))
}

fn with_dataset(
    files: &ReviewedFiles,
    places: &SampleLocator,
    reviewer: Option<&str>,
    named: Option<&[Arc<str>]>,
) -> Agreement {
    let counts =
        |_: &_, rating: &Rating| named.is_none_or(|names| names.contains(&rating.reviewer));
    let scope = AgreementScope {
        reviewer,
        audit: None,
        between: reviewer.is_none(),
        counts: &counts,
    };
    agreement(&files.said.ledger, places, &files.dataset, &scope, DRAWS)
}

/// Each two of some reviewers who judged a sample in common.
fn pairs(
    files: &ReviewedFiles,
    places: &SampleLocator,
    reviewers: &[Arc<str>],
) -> Vec<PairAgreement> {
    let twos = reviewers.iter().enumerate();
    let twos = twos.flat_map(|(at, one)| reviewers.iter().skip(at + 1).map(move |two| [one, two]));
    let pairs = twos.filter_map(|two| {
        let ledger = &files.said.ledger;
        pair_agreement(ledger, places, &files.dataset, two, DRAWS, &|| true)
    });
    pairs.filter(|pair| pair.samples > 0).collect()
}
