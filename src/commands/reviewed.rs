//! What reviewers said of files, as `agree`, `audits` and `report` read it.

use std::sync::Arc;

use anyhow::bail;

use super::journals::LoadedJournals;
use super::loading::{DataSource, LoadedFiles, RowUse, load};
use super::selection::Notes;
use crate::dataset::Dataset;
use crate::query::Catalog;
use crate::review::{SampleLocator, locate, locate_all};

/// Files, and what reviewers said of their samples.
pub(super) struct ReviewedFiles {
    pub(super) dataset: Dataset,
    pub(super) said: LoadedJournals,
    /// Files that end before their time, one sentence each.
    pub(super) troubles: Vec<String>,
}

impl ReviewedFiles {
    /// Reads both; `needs_journal`: of files of which nobody said anything there is nothing to tell.
    ///
    /// # Errors
    /// When the files or the journal do not read.
    pub(super) fn load(source: &DataSource, needs_journal: bool) -> anyhow::Result<Self> {
        let LoadedFiles {
            dataset, troubles, ..
        } = load("", source, RowUse::ReadAgain)?;
        let paths = &source.journal.paths;
        if paths.is_empty() {
            bail!("standard input has no journal beside it; name one: --journal PATH");
        }
        if needs_journal && !paths.iter().any(|path| path.exists()) {
            let paths: Vec<_> = paths.iter().map(|it| it.display().to_string()).collect();
            bail!(
                "there is no journal {}: nobody said anything of these files yet (--journal PATH names another)",
                paths.join(", ")
            );
        }
        Ok(Self {
            dataset,
            said: LoadedJournals::read(&source.journal)?,
            troubles,
        })
    }

    /// Where the reviewed samples are.
    pub(super) fn places(&self) -> SampleLocator {
        locate_all(&self.dataset, &self.said.ledger.sample_refs(), &|| true).unwrap_or_default()
    }

    /// The same, each at its first place.
    pub(super) fn first_places(&self) -> SampleLocator {
        locate(&self.dataset, &self.said.ledger.sample_refs(), &|| true).unwrap_or_default()
    }

    /// What a person should know.
    pub(super) fn notes(self) -> Notes {
        let mut notes = Notes::of(&self.dataset, self.troubles);
        notes.remarks.splice(0..0, self.said.troubles);
        notes
    }

    /// Whether several reviewers are named, with commas between them.
    pub(super) fn names_several(&self, typed: &str) -> bool {
        let known = self.said.ledger.reviewers();
        typed.contains(',') && !known.iter().any(|name| **name == *typed)
    }

    /// The reviewer of a name, as the journal has it: letters match in both cases.
    ///
    /// # Errors
    /// When nobody of that name said anything, or it could be two.
    pub(super) fn one_reviewer(&self, name: &str) -> anyhow::Result<Arc<str>> {
        let known = self.said.ledger.reviewers();
        let mut catalog = Catalog::of_dataset(&self.dataset);
        catalog.set_reviewers(&known);
        catalog.reviewer(name).ok_or_else(|| {
            let is_same = |one: &&Arc<str>| one.to_lowercase() == name.to_lowercase();
            let same: Vec<_> = known.iter().filter(is_same).map(|one| &**one).collect();
            if !same.is_empty() {
                let same = same.join(" or ");
                return anyhow::anyhow!(
                    "{name} could be {same}: write the name as the journal has it"
                );
            }
            let known = known.join(", ");
            let known = if known.is_empty() { "nobody" } else { &known };
            anyhow::anyhow!("{name} has said nothing in the journal; there is {known}")
        })
    }

    /// The reviewers who are named with commas between them, each as the journal has the name; `None`
    /// where one is named, or none.
    ///
    /// # Errors
    /// When one of them said nothing or could be two.
    pub(super) fn several(&self, reviewer: Option<&str>) -> anyhow::Result<Option<Vec<Arc<str>>>> {
        let Some(typed) = reviewer.filter(|typed| self.names_several(typed)) else {
            return Ok(None);
        };
        let mut reviewers: Vec<Arc<str>> = Vec::new();
        for name in typed
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let found = self.one_reviewer(name)?;
            if !reviewers.contains(&found) {
                reviewers.push(found);
            }
        }
        match reviewers.as_slice() {
            [_, _, ..] => Ok(Some(reviewers)),
            _ => bail!("--reviewer {typed}: two different names were expected, as in ann,ben"),
        }
    }
}
