//! `visavis stats`: what the data is like.

use super::loading::RowUse;
use super::selection::QueriedData;
use super::{DataSource, Notes, SelectionError};
use crate::profile::{Profile, ProfileRequest};
use crate::query::Catalog;

/// What `visavis stats` found.
#[derive(Debug)]
pub struct Profiled {
    /// What the data is like.
    pub profile: Profile,
    /// What a person should know of the files.
    pub notes: Notes,
}

/// Counts what files are like, and with a filter what that finds in them beside it: these sections
/// by their keys, all where none is named.
///
/// # Errors
/// When a file cannot be opened or understood or is written to meanwhile, or the query does not
/// read.
pub fn stats(
    source: &DataSource,
    filter: Option<&str>,
    sections: &[String],
) -> Result<Profiled, SelectionError> {
    let query = filter.unwrap_or_default();
    let selection = QueriedData::load(source, query, RowUse::ReadAgain)?;
    let shown = filter.map(|_| selection.found());
    let request = ProfileRequest {
        dataset: &selection.dataset,
        catalog: &Catalog::of_dataset(&selection.dataset),
        shown: shown.as_ref(),
        filter: filter.map(|_| selection.query()),
        hides_labels: false,
        reads_texts: true,
        sections,
        wanted: &|| true,
    };
    let given_up = || anyhow::anyhow!("the count was broken off");
    let profile = Profile::of(request).ok_or_else(given_up)?;
    selection.check_unchanged()?;
    let mut notes = selection.notes();
    notes.remarks.extend(profile.covers.clone());
    Ok(Profiled { profile, notes })
}
