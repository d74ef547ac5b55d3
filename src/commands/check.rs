//! `visavis check`: runs the rules of findings over files.

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::data::FilteredArgs;
use super::loading::{DataSource, RowUse};
use super::output::{put, put_if_unchanged, render_rows};
use super::selection::QueriedData;
use super::{Sources, texts};
use crate::dataset::{Dataset, FoundFinding};
use crate::export::{FindingsReport, LEAK};
use crate::findings::{FindingCounts, RuleSet};
use crate::query::{RuleDefinition, Severity, nearest};
use crate::run::{Exit, Failure};
use crate::text::one_line;

/// Report suspicious samples: which rules of findings fire, and where
///
/// Suitable for CI: visavis check train.jsonl --fail-on error. With --against, reports which
/// prompts of the files are also in another file: visavis check train.jsonl --against eval.jsonl.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    filtered: FilteredArgs,

    /// Apply only these rules (comma-separated)
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    only: Vec<String>,

    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: CheckFormat,

    /// Print JSON, like --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Show at most N samples for each rule [default: 3 in the table, otherwise all]
    #[arg(short, long, value_name = "N")]
    n: Option<usize>,

    /// Exit with code 1 if a rule of this severity fires: error (severe), warn (severe or likely)
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
}

/// The output format of `visavis check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// The rules that fire, then their first places
    Table,
    /// A JSON document
    Json,
}

/// The severity from which a check fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A severe finding
    #[value(alias = "severe")]
    Error,
    /// A severe or likely finding
    #[value(alias = "likely")]
    Warn,
}

impl CheckArgs {
    pub(super) fn run(mut self, sources: &mut Sources) -> Result<(), Failure> {
        self.filtered.add_against()?;
        let source = self.filtered.source("check", sources)?;
        let least = self.fail_on.map(|severity| match severity {
            FailOn::Error => Severity::Severe,
            FailOn::Warn => Severity::Likely,
        });
        match self.print(&source)?.zip(least) {
            Some((worst, least)) if worst >= least => Err(Failure::silent(Exit::Failure as u8)),
            _ => Ok(()),
        }
    }

    /// Prints the findings and returns the worst severity.
    fn print(&self, source: &DataSource) -> Result<Option<Severity>, Failure> {
        let is_against = source.loader.is_last_apart;
        let rules = choose_rules(source.rules.clone(), self, is_against)?;
        let query = self.filtered.query();
        let mut data = QueriedData::load(source, query, RowUse::ReadAgain)?;
        data.require_last_file(source)?;
        require_samples(&data.dataset, is_against)?;
        // Before `set_rules`, because the filter may use rules that `--only` leaves out.
        let checked = checked(&data, query, is_against);
        let is_filtered = !query.trim().is_empty();
        let no_match = (checked.is_empty() && is_filtered).then(|| data.no_match("checked"));
        data.set_rules(&rules);
        let rules = data.catalog.rules();
        if rules.rules.is_empty() {
            let others: Vec<_> = rules.others.iter().map(does_not_apply).collect();
            return Err(Failure::usage(texts::no_rule_applies(others.join("; "))));
        }
        data.find_findings();
        let all = data.dataset.findings();
        let is_checked = |found: &&FoundFinding| checked.binary_search(&found.sample).is_ok();
        let found: Vec<_> = all.all.iter().filter(is_checked).copied().collect();
        let report = FindingsReport {
            dataset: &data.dataset,
            rules,
            found: &found,
            counts: FindingCounts::of(
                &all,
                data.dataset.samples(),
                vec![None; rules.rules.len()],
                Some(&checked),
            ),
            most: self.n,
        };
        // If the reader closes the pipe early, the exit code still reports the result.
        if self.json || self.format == CheckFormat::Json {
            put_if_unchanged(&data.dataset, |out| report.write_json(out))?;
        } else {
            let text = render_rows(&report.answer());
            data.dataset.check_unchanged()?;
            put(&text)?;
        }
        let mut notes = data.notes();
        notes.remarks.extend(no_match);
        // Report inapplicable rules only if --only names them; the others are for other data.
        let others = rules.others.iter();
        let named = others.filter(|(rule, _)| self.rules().any(|name| *name == *rule.name));
        notes.remarks.extend(named.map(does_not_apply));
        notes.print("checked")?;
        Ok(report.worst())
    }

    /// Returns the rule names of `--only`; empty means all rules.
    fn rules(&self) -> impl Iterator<Item = &str> {
        self.only.iter().map(|name| name.trim())
    }
}

fn does_not_apply((rule, why): &(RuleDefinition, String)) -> String {
    texts::rule_does_not_apply(&rule.name, why)
}

/// Rejects a check without samples, or against a file without samples, so that it cannot pass.
///
/// # Errors
/// If there are no samples, or if one side of `--against` has none.
fn require_samples(dataset: &Dataset, is_against: bool) -> anyhow::Result<()> {
    let files = dataset.files();
    let blank = match own_samples(dataset, is_against) {
        0 if is_against => files.split_last().map(|(_, own)| own),
        0 => Some(files),
        own if is_against && own == own_samples(dataset, false) => files.get(files.len() - 1..),
        _ => None,
    };
    let Some(blank) = blank else {
        return Ok(());
    };
    let names: Vec<_> = blank.iter().map(|file| file.source.name()).collect();
    let names = one_line(&names.join(", "), 200);
    bail!(texts::no_samples(names))
}

/// Returns the rules of `--only`; by default all, or only the leak rules with `--against`.
fn choose_rules(rules: RuleSet, args: &CheckArgs, is_against: bool) -> anyhow::Result<RuleSet> {
    let known = || rules.names();
    for name in args.rules() {
        if !known().any(|known| known == name) {
            let near = nearest(name, known());
            let hint = near.map_or_else(|| texts::RULES_LIST.to_owned(), texts::term_meant);
            bail!(texts::unknown_rule(name, hint));
        }
    }
    let is_chosen = |name: &str| match (args.only.is_empty(), is_against) {
        (false, _) => args.rules().any(|chosen| chosen == name),
        (true, true) => name.starts_with(LEAK),
        (true, false) => true,
    };
    Ok(rules.retain(is_chosen))
}

/// Returns the number of samples, without those of the `--against` file (the last file).
fn own_samples(dataset: &Dataset, is_against: bool) -> u32 {
    if is_against {
        dataset.first_sample_of(dataset.files().len().saturating_sub(1))
    } else {
        u32::try_from(dataset.samples()).unwrap_or(u32::MAX)
    }
}

/// Returns the samples to report on, in ascending order. Samples of the `--against` file are never
/// reported.
fn checked(data: &QueriedData<'_>, query: &str, is_against: bool) -> Vec<u32> {
    let own = own_samples(&data.dataset, is_against);
    if query.trim().is_empty() {
        return (0..own).collect();
    }
    let mut samples = data.found().samples;
    samples.retain(|sample| *sample < own);
    samples.sort_unstable();
    samples
}
