//! `visavis check`: what rules find in files.

use std::io::{ErrorKind, Write};

use anyhow::bail;

use super::loading::RowUse;
use super::selection::QueriedData;
use super::{DataSource, Notes, SaveError};
use crate::cli::{CheckArgs, CheckFormat, FailOn};
use crate::dataset::{Dataset, FoundFinding};
use crate::export::{ExportError, FindingsFormat, FindingsReport, LEAK, SeverityCounts};
use crate::findings::RuleSet;
use crate::query::{RuleDefinition, Severity, nearest};
use crate::text::one_line;

/// What a check came to.
#[derive(Debug)]
pub struct CheckSummary {
    /// How many samples are suspicious.
    pub counts: SeverityCounts,
    /// What a person should know of the files and of rules that could not be asked.
    pub notes: Notes,
}

impl CheckSummary {
    /// Whether that is a failure.
    pub const fn fails(&self, on: FailOn) -> bool {
        match on {
            FailOn::Error => self.counts.severe > 0,
            FailOn::Warn => self.counts.severe + self.counts.likely > 0,
        }
    }
}

/// Tells what rules find, in a table of so many cells or as a program reads it.
///
/// # Errors
/// When the files, the filter or the names of rules do not read, or `out` takes no more.
pub fn check(
    source: &DataSource,
    args: &CheckArgs,
    width: usize,
    out: &mut dyn Write,
) -> Result<CheckSummary, SaveError> {
    let is_against = source.loader.is_last_apart;
    let rules = source.rules.clone().with_rule(malformed());
    let rules = chosen(rules, args, is_against)?;
    let query = args.filtered.query();
    let mut data = QueriedData::load(source, query, RowUse::ReadAgain)?;
    data.require_last_file(source)?;
    require_samples(&data.dataset, is_against)?;
    // The filter may ask for rules that are not told of.
    let looked_at = looked_at(&data, args, is_against);
    let is_filtered = !query.trim().is_empty();
    let nothing_found =
        (looked_at.count() == 0 && is_filtered).then(|| data.nothing_found("checked"));
    data.set_rules(&rules);
    if data.catalog.rules().rules.is_empty() {
        let others = data.catalog.rules().others.iter();
        let others = others.map(|(rule, why)| format!("{} does not apply here: {why}", rule.name));
        let others: Vec<_> = others.collect();
        return Err(anyhow::anyhow!("nothing was checked: {}", others.join("; ")).into());
    }
    data.find_findings();
    let all = data.dataset.findings();
    let is_looked_at = |found: &&FoundFinding| looked_at.has(found.sample);
    let found: Vec<_> = all.all.iter().filter(is_looked_at).copied().collect();
    let rules = data.catalog.rules();
    let report = FindingsReport::new(&data.dataset, rules, &found, looked_at.count(), args.n);
    let format = match args.format {
        _ if args.json => FindingsFormat::Json,
        CheckFormat::Table => FindingsFormat::Table { width },
        CheckFormat::Json => FindingsFormat::Json,
        CheckFormat::Sarif => FindingsFormat::Sarif,
        CheckFormat::Github => FindingsFormat::Github,
    };
    match report.write(format, out) {
        // Whoever stops reading still learns from the exit code what was found.
        Err(ExportError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.map_err(SaveError::Export)?,
    }
    data.check_unchanged()?;
    let mut notes = data.notes();
    notes.remarks.extend(nothing_found);
    // Rules that somebody named and that cannot be asked are told; all others are for other data.
    let others = report.not_asked().iter();
    let named = others.filter(|(rule, _)| args.rules().any(|name| *name == *rule.name));
    let named = named.map(|(rule, why)| format!("{} does not apply here: {why}", rule.name));
    notes.remarks.extend(named);
    Ok(CheckSummary {
        counts: report.counts(),
        notes,
    })
}

/// A check that looked at nothing passes nothing, nor one against nothing; an empty file is an error,
/// too.
///
/// # Errors
/// When there are no samples, or none in one of the files where they are held against the last.
fn require_samples(dataset: &Dataset, is_against: bool) -> anyhow::Result<()> {
    let files = dataset.files();
    let all = u32::try_from(dataset.samples()).unwrap_or(u32::MAX);
    let own = match is_against {
        true => dataset.first_sample_of(files.len().saturating_sub(1)),
        false => all,
    };
    let blank = match own {
        0 if is_against => files.split_last().map(|(_, own)| own),
        0 => Some(files),
        _ if is_against && own == all => files.get(files.len() - 1..),
        _ => None,
    };
    let Some(blank) = blank else {
        return Ok(());
    };
    let names: Vec<_> = blank.iter().map(|file| file.source.name()).collect();
    let names = one_line(&names.join(", "), 200);
    bail!("nothing was checked: there are no samples in {names}, only blank lines")
}

/// Rows that do not read are no suspicion on screen, where they have a sign of their own; a check
/// passes none.
fn malformed() -> RuleDefinition {
    RuleDefinition {
        name: "malformed".into(),
        sentence: "The row does not read as its schema says".into(),
        severity: Severity::Severe,
        query: "is:malformed".into(),
        schemas: Vec::new(),
    }
}

/// The rules that are asked for: those of leaks where files are held against another one and nobody
/// says which.
fn chosen(rules: RuleSet, args: &CheckArgs, is_against: bool) -> anyhow::Result<RuleSet> {
    let known = || rules.names();
    for name in args.rules() {
        if !known().any(|known| known == name) {
            let near = nearest(name, known());
            let hint = near.map_or_else(
                || "visavis guide findings lists them".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            bail!("--only {name}: there is no such rule; {hint}");
        }
    }
    let is_chosen = |name: &str| match (args.only.is_empty(), is_against) {
        (false, _) => args.rules().any(|chosen| chosen == name),
        (true, true) => name.starts_with(LEAK),
        (true, false) => true,
    };
    Ok(rules.retain(is_chosen))
}

/// The samples that findings are told of.
enum LookedAt {
    /// The first so many.
    First(u32),
    /// These, in ascending order.
    Some(Vec<u32>),
}

impl LookedAt {
    fn has(&self, sample: u32) -> bool {
        match self {
            Self::First(count) => sample < *count,
            Self::Some(samples) => samples.binary_search(&sample).is_ok(),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::First(count) => *count as usize,
            Self::Some(samples) => samples.len(),
        }
    }
}

/// Of a file that others are held against nothing is told for itself.
fn looked_at(data: &QueriedData<'_>, args: &CheckArgs, is_against: bool) -> LookedAt {
    let dataset = &data.dataset;
    let last = dataset.files().len().saturating_sub(1);
    let own = match is_against {
        true => dataset.first_sample_of(last),
        false => u32::try_from(dataset.samples()).unwrap_or(u32::MAX),
    };
    if args.filtered.query().trim().is_empty() {
        return LookedAt::First(own);
    }
    let mut samples = data.found().samples;
    samples.retain(|sample| *sample < own);
    samples.sort_unstable();
    LookedAt::Some(samples)
}
