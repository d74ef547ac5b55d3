//! The dataset that is open, and the one that is being read to take its place.

use std::sync::Arc;

use super::Loading;
use crate::dataset::{Dataset, SampleKey};
use crate::findings::RuleSet;
use crate::query::{Catalog, Remarks};

/// The rows and samples known so far, and how far loading is.
#[derive(Debug, Default)]
pub struct OpenData {
    pub dataset: Dataset,
    /// The next generation of the dataset, until its first rows replace the old one.
    pub incoming: Option<Dataset>,
    pub generation: u64,
    pub loading: Loading,
    /// Whether it is read in the background: until all of it is there, the old one stays.
    pub is_quiet: bool,
    /// The loading that was asked for last.
    pub requested: u64,
    /// Whether others append to the files while they are open.
    pub is_followed: bool,
    /// Rows that were appended since the last key, and how that was told.
    pub appended: usize,
    pub appended_notice: Option<String>,
    /// The key of the sample that was selected before the files were read again, and whether it is
    /// looked for.
    pub reloaded: Option<SampleKey>,
    pub is_sought: bool,
    /// The sample to select once it is there.
    pub awaited: Option<usize>,
    /// Files that end before their time, one sentence each.
    pub troubles: Vec<String>,
    /// How an open file changed on disk since it was loaded.
    pub changed: Option<String>,
    /// The columns of the dataset.
    pub catalog: Catalog,
    /// What reviewers said, as far as a query may ask for it.
    pub remarks: Arc<Remarks>,
    /// True while labels are hidden from the reviewer.
    pub is_blind: bool,
    /// The rules of findings, of which the catalog has those that fit the dataset.
    pub rules: RuleSet,
}

/// Bytes of a file that are searched for a field while somebody types its name: some 20 ms.
const MOST_SEARCHED: u64 = 32 << 20;

impl OpenData {
    /// Whether a loader's report is of the loading that is under way, or of the one whose rows
    /// show.
    pub(super) fn expects(&self, generation: u64) -> bool {
        match self.incoming {
            Some(_) => generation == self.requested,
            None => generation == self.generation,
        }
    }

    /// The dataset that the loader fills: the incoming one until it is shown.
    pub(super) fn arriving(&mut self) -> &mut Dataset {
        self.incoming.as_mut().unwrap_or(&mut self.dataset)
    }

    /// Reads again which columns the dataset that shows has.
    pub(super) fn read_catalog(&mut self) {
        let reviewers = self.catalog.reviewer_names();
        let catalog = Catalog::of_dataset(&self.dataset);
        self.catalog = catalog.with_rules(&self.rules.definitions());
        self.catalog.set_reviewers(&reviewers);
        self.catalog.set_blind(self.is_blind);
        self.catalog.limit_search(MOST_SEARCHED);
    }
}
