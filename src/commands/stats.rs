//! `visavis stats`: what the data is like.

use std::ops::ControlFlow;

use super::{
    CountError, Journal, LoadedFiles, ReadQueryError, joined_remarks, load, malformed_remark,
    read_query, remarks_for,
};
use crate::dataset::Loader;
use crate::findings::RuleSet;
use crate::profile::{Profile, ProfileRequest};
use crate::query::{Catalog, QueryContext, QueryResult, ScanCache, find};

/// What `visavis stats` found.
#[derive(Debug)]
pub struct Profiled {
    /// What the data is like.
    pub profile: Profile,
    /// What a person should know of the files, one sentence each.
    pub remarks: Vec<String>,
    /// Files that end before their time, one sentence each: what came before is counted.
    pub troubles: Vec<String>,
}

/// Counts what files are like, and what a query finds in them beside that: these sections by their
/// keys, all where none is named.
///
/// # Errors
/// When a file cannot be opened or understood or is written to meanwhile, or the query does not
/// read.
pub fn stats(
    loader: &Loader,
    filter: Option<&str>,
    sections: &[String],
    journal: &Journal,
    rules: &RuleSet,
) -> Result<Profiled, CountError> {
    let LoadedFiles {
        dataset, troubles, ..
    } = load(loader).map_err(CountError::Files)?;
    let catalog = Catalog::of_dataset(&dataset);
    let mut shown = None;
    if let Some(filter) = filter {
        let (query, ruled) =
            read_query(filter, &dataset, journal, rules).map_err(|error| match error {
                ReadQueryError::Query(error) => CountError::Query(error),
                ReadQueryError::Journal(error) => CountError::Files(error),
            })?;
        let remarks = remarks_for(&query, &dataset, journal).map_err(CountError::Files)?;
        let known = QueryContext {
            memory: &ScanCache::default(),
            remarks: &remarks,
            rules: ruled.rules(),
        };
        let (mut all, samples) = (QueryResult::default(), 0..dataset.samples());
        // Nothing breaks it off but what ends the program.
        let _ = find(
            &query,
            &dataset,
            samples,
            known,
            &|| true,
            &mut |found, _| {
                all.extend(&found);
                ControlFlow::Continue(())
            },
        );
        shown = Some(all);
    }
    let request = ProfileRequest {
        dataset: &dataset,
        catalog: &catalog,
        shown: shown.as_ref(),
        hides_labels: false,
        reads_texts: true,
        sections,
        wanted: &|| true,
    };
    let given_up = || CountError::Files(anyhow::anyhow!("the count was broken off"));
    let profile = Profile::of(request).ok_or_else(given_up)?;
    let unchanged = dataset.check_unchanged();
    unchanged.map_err(|error| CountError::Files(error.into()))?;
    let mut remarks = joined_remarks(&dataset);
    remarks.extend(malformed_remark(dataset.malformed()));
    Ok(Profiled {
        profile,
        remarks,
        troubles,
    })
}
