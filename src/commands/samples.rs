//! `visavis list`, `show` and `sample`: samples one by one.

use std::cell::Cell;
use std::io::Write;

use anyhow::{anyhow, bail};

use super::journals::LoadedJournal;
use super::loading::{RowUse, load};
use super::saved::{ChosenSamples, write_samples};
use super::selection::QueriedData;
use super::{DataSource, Notes, SaveError};
use crate::cli::{ExportArgs, ListArgs, SampleArgs, SamplingArgs, SelectionArgs};
use crate::dataset::SampleName;
use crate::export::{
    ListedColumn, Listing, ListingFormat, sample_as_json, sample_as_markdown, write_listing,
};
use crate::journal::StratifyBy;
use crate::parallel::KeepGoing;
use crate::query::QueryResult;
use crate::review::{SamplingPlan, drawn_samples, equal_chances};
use crate::text::{counted, grouped};

/// Lists what a query finds; a table is so many cells wide, or with `None` as wide as it needs.
///
/// # Errors
/// When the files, the journal, the query or the columns do not read, or `out` takes no more.
pub fn list(
    source: &DataSource,
    args: &ListArgs,
    width: Option<usize>,
    out: &mut dyn Write,
) -> Result<Notes, SaveError> {
    let query = &args.selection.query;
    let mut selection = QueriedData::load(source, query, RowUse::ReadAgain)?;
    let columns = match args.columns.as_deref() {
        Some(names) => selection.columns(source, names)?,
        None => ListedColumn::usual(&selection.dataset, &selection.catalog, args.rows),
    };
    let mut found = selection.found();
    let all = found.samples.len();
    found.truncate(args.n.unwrap_or(usize::MAX));
    let listing = Listing {
        dataset: &selection.dataset,
        remarks: &selection.remarks,
        columns: &columns,
        found: &found,
        per_response: args.rows,
    };
    let format = match (args.tsv, args.json) {
        (true, _) => ListingFormat::Tsv,
        (_, true) => ListingFormat::Json,
        _ => ListingFormat::Table { width },
    };
    let left_out = write_listing(&listing, format, out).map_err(SaveError::Export)?;
    selection.check_unchanged()?;
    let mut notes = selection.notes_where(all);
    notes
        .remarks
        .extend(no_room_remark(&left_out, args.columns.is_some()));
    Ok(notes)
}

/// What a person should know of columns that a table has no room for, and that somebody named or
/// not; nothing where there are none.
fn no_room_remark(names: &[String], is_named: bool) -> Option<String> {
    let verb = match names {
        [] => return None,
        [_] => "is",
        _ => "are",
    };
    let advice = match is_named {
        true => "name fewer or widen the terminal",
        false => "--columns NAMES chooses",
    };
    Some(format!(
        "{} {verb} not shown, as the table has no room: {}; {advice}, --tsv shows all",
        counted(names.len(), "column"),
        names.join(", ")
    ))
}

/// A sample as Markdown or as a JSON document, with what a person should know of the files.
///
/// # Errors
/// When the files or the journal do not read, or there is no such sample.
pub fn show(
    source: &DataSource,
    sample: &SampleName,
    as_json: bool,
) -> Result<(String, Notes), SaveError> {
    let files = load("", source, RowUse::ReadAgain)?;
    let ledger = LoadedJournal::read(&source.journal)?.ledger;
    let found = files.dataset.find_sample(sample, &|| true);
    let number = found.unwrap_or_else(|| Err("stopped".to_owned()));
    let number = number.map_err(|reason| anyhow!(reason))? as u32;
    let write = if as_json {
        sample_as_json
    } else {
        sample_as_markdown
    };
    let text = write(&files.dataset, &ledger, number).map_err(SaveError::Export)?;
    files
        .dataset
        .check_unchanged()
        .map_err(anyhow::Error::from)?;
    Ok((text, Notes::of(&files.dataset, files.troubles)))
}

/// Draws samples by a seed and writes them, in the order of the draw; as long as it is `wanted`.
///
/// # Errors
/// When the files, the journal or the filter do not read, there is nothing to draw from, or the
/// output cannot be written.
pub fn sample(
    source: &DataSource,
    args: &SampleArgs,
    seed: u64,
    out: &mut dyn Write,
    wanted: &dyn KeepGoing,
) -> Result<Notes, SaveError> {
    let SamplingArgs { n, by, even, .. } = &args.sampling;
    let by = by.as_ref().or(even.as_ref()).map(|field| StratifyBy {
        field: field.clone(),
        even: even.is_some(),
    });
    let plan = SamplingPlan {
        n: *n,
        seed,
        by,
        filter: args.filtered.query().to_owned(),
        ..SamplingPlan::default()
    };
    let fewer = Cell::new(None);
    let choose = |data: &QueriedData<'_>, mut found: QueryResult| {
        if found.samples.is_empty() && !plan.filter.trim().is_empty() {
            let told = data.nothing_found("drawn");
            match data.query().impossible(&data.catalog) {
                Some(why) => bail!("{told}; {why}"),
                None => bail!("{told}"),
            }
        }
        // A draw is from samples in dataset order, whatever the filter sorts by.
        found.sort_by_sample();
        let drawn = drawn_samples(&plan, &data.dataset, &found.samples, &|| true)
            .map_err(|error| anyhow!("{error}"))?;
        let matching = drawn.iter().filter_map(|sample| {
            let at = found.samples.binary_search(sample).ok()?;
            found.matching.get(at).copied()
        });
        fewer.set(Some(drawn.len()).filter(|drawn| *drawn < *n as usize));
        Ok(ChosenSamples {
            samples: QueryResult {
                matching: matching.collect(),
                samples: drawn,
            },
            title: format!("Samples drawn by seed {seed}"),
        })
    };
    let export = ExportArgs {
        selection: SelectionArgs {
            query: plan.filter.clone(),
            ..SelectionArgs::default()
        },
        format: args.format,
        saving: args.saving.clone(),
        ..ExportArgs::default()
    };
    let mut notes = write_samples(source, &export, out, wanted, &choose)?;
    notes.remarks.push(equal_chances(plan.by.as_ref()));
    notes.remarks.extend(fewer.get().map(|drawn| {
        format!(
            "{} drawn, not {}: there are no more that can be judged and say something else",
            counted(drawn, "sample"),
            grouped(*n as usize)
        )
    }));
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::no_room_remark;

    #[test]
    fn what_is_not_shown_is_told_with_advice_that_helps() {
        let names = ["row", "len"].map(str::to_owned);
        assert_eq!(no_room_remark(&[], true), None);
        for (is_named, expected) in [
            (
                false,
                "2 columns are not shown, as the table has no room: row, len; --columns NAMES chooses, --tsv shows all",
            ),
            (
                true,
                "2 columns are not shown, as the table has no room: row, len; name fewer or widen the terminal, --tsv shows all",
            ),
        ] {
            let remark = no_room_remark(&names, is_named);
            assert_eq!(remark.as_deref(), Some(expected));
        }
    }
}
