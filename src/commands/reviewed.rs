//! Files with their journals, as `agree`, `audits` and `report` read them.

use std::sync::Arc;

use anyhow::bail;

use super::journals::LoadedJournals;
use super::loading::{DataSource, LoadedFiles, RowUse, load};
use super::selection::Notes;
use super::texts;
use crate::dataset::Dataset;
use crate::query::Catalog;
use crate::review::{SampleLocator, Workspace, locate, locate_all};

/// Files with their journals.
pub(super) struct ReviewedFiles {
    pub(super) dataset: Dataset,
    pub(super) journals: LoadedJournals,
    /// Truncated files, one sentence each.
    pub(super) troubles: Vec<String>,
}

impl ReviewedFiles {
    /// Reads files and journals. With `needs_journal`, at least one journal must exist.
    ///
    /// # Errors
    /// If the files or journals cannot be read.
    pub(super) fn load(source: &DataSource, needs_journal: bool) -> anyhow::Result<Self> {
        let LoadedFiles {
            dataset, troubles, ..
        } = load("", source, RowUse::ReadAgain)?;
        let paths = &source.journal.paths;
        if paths.is_empty() {
            bail!(texts::STDIN_JOURNAL);
        }
        if needs_journal && !paths.iter().any(|path| path.exists()) {
            let paths: Vec<_> = paths.iter().map(|it| it.display().to_string()).collect();
            bail!(texts::no_judgments(paths.join(", ")));
        }
        Ok(Self {
            dataset,
            journals: LoadedJournals::read(&source.journal)?,
            troubles,
        })
    }

    /// Locates the reviewed samples, each at all its places.
    pub(super) fn places(&self) -> SampleLocator {
        locate_all(&self.dataset, &self.journals.ledger.sample_refs(), &|| true).unwrap_or_default()
    }

    /// Locates the reviewed samples, each at its first place only.
    pub(super) fn first_places(&self) -> SampleLocator {
        locate(&self.dataset, &self.journals.ledger.sample_refs(), &|| true).unwrap_or_default()
    }

    /// Returns the files with their reviews.
    pub(super) fn workspace<'a>(&'a self, places: &'a SampleLocator) -> Workspace<'a> {
        Workspace {
            dataset: &self.dataset,
            ledger: &self.journals.ledger,
            places,
        }
    }

    /// Returns warnings about files and journals.
    pub(super) fn notes(self) -> Notes {
        let mut notes = Notes::of(&self.dataset, self.troubles);
        notes.remarks.splice(0..0, self.journals.troubles);
        notes
    }

    /// True if the text names several reviewers, separated by commas.
    pub(super) fn names_several(&self, typed: &str) -> bool {
        let known = self.journals.ledger.reviewers();
        typed.contains(',') && !known.iter().any(|name| **name == *typed)
    }

    /// Returns a reviewer's name as in the journal, ignoring case.
    ///
    /// # Errors
    /// If there is no such reviewer, or the name is ambiguous.
    fn find_reviewer(&self, name: &str) -> anyhow::Result<Arc<str>> {
        let known = self.journals.ledger.reviewers();
        let mut catalog = Catalog::of_dataset(&self.dataset);
        catalog.set_reviewers(&known);
        catalog.reviewer(name).ok_or_else(|| {
            let is_same = |one: &&Arc<str>| one.to_lowercase() == name.to_lowercase();
            let same: Vec<_> = known.iter().filter(is_same).map(|one| &**one).collect();
            if !same.is_empty() {
                return anyhow::anyhow!(texts::ambiguous_reviewer(name, same.join(" or ")));
            }
            let known = known.join(", ");
            let known = if known.is_empty() { "none" } else { &known };
            anyhow::anyhow!(texts::unknown_reviewer(name, known))
        })
    }

    /// Parses names separated by commas and returns them as in the journal.
    ///
    /// # Errors
    /// If a reviewer is unknown or ambiguous, or if several names mean one reviewer.
    pub(super) fn reviewers(&self, typed: Option<&str>) -> anyhow::Result<Vec<Arc<str>>> {
        let Some(typed) = typed else {
            return Ok(Vec::new());
        };
        if !self.names_several(typed) {
            return Ok(vec![self.find_reviewer(typed)?]);
        }
        let mut reviewers: Vec<Arc<str>> = Vec::new();
        for name in typed
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let found = self.find_reviewer(name)?;
            if !reviewers.contains(&found) {
                reviewers.push(found);
            }
        }
        match reviewers.len() {
            2.. => Ok(reviewers),
            _ => bail!(texts::two_reviewers(typed)),
        }
    }
}
