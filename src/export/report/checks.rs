//! The section on spot checks: the share of wrong samples among suspicious and among random ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use minijinja::{Value, context};

use crate::dataset::Dataset;
use crate::journal::Ledger;
use crate::query::{self, Catalog, RuleDefinition, Severity};
use crate::review::{
    CheckTally, CheckedQueue, SampleLocator, SpotChecks, render, serialised, spot_checks,
};
use crate::stats::Interval;

/// Returns the section on the checks of these reviewers, or of all; empty without checks. `places`
/// finds the samples of the ledger.
pub(super) fn section(
    dataset: &Dataset,
    ledger: &Ledger,
    places: &SampleLocator,
    only: Option<&[Arc<str>]>,
    full: bool,
) -> String {
    let checks = spot_checks(dataset, ledger, only, places);
    if checks.is_empty() {
        return String::new();
    }
    let catalog = catalog(dataset, ledger, &checks);
    let queues = checks.queues.iter();
    let context = context! {
        full,
        queues => queues.map(|it| queue(it, &checks, &catalog)).collect::<Vec<_>>(),
        chosen => tally(&checks.chosen),
        elsewhere => checks.elsewhere,
    };
    let section = render("checks.md", context);
    format!("\n{}\n", section.trim())
}

/// Returns a catalog that parses the filters of queues: the dataset's fields, the reviewers, and
/// rules with these names. The rules' queries do not matter, because rules may not refer to
/// reviewers.
fn catalog(dataset: &Dataset, ledger: &Ledger, checks: &SpotChecks) -> Catalog {
    let is_of_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.' | '-');
    let names: BTreeSet<&str> = checks
        .queues
        .iter()
        .flat_map(|queue| queue.filter.split("finding:").skip(1))
        .filter_map(|rest| rest.split(|sign| !is_of_name(sign)).next())
        .collect();
    let rule = |name: &str| RuleDefinition {
        name: name.into(),
        sentence: "".into(),
        severity: Severity::Slight,
        query: "sample>=1".into(),
        schemas: Vec::new(),
    };
    let rules: Vec<_> = names.into_iter().map(rule).collect();
    let mut catalog = Catalog::of_dataset(dataset).with_rules(&rules);
    catalog.set_reviewers(&ledger.reviewers());
    catalog
}

fn queue(queue: &CheckedQueue, checks: &SpotChecks, catalog: &Catalog) -> Value {
    let asks = query::parse(&queue.filter, catalog);
    let compared = checks.random_for(queue, catalog);
    let compared = compared.filter(|_| !queue.is_random).map(|random| {
        let times = queue.all.times(&random.all);
        let times = times.map(|(ratio, Interval { low, high })| [ratio, low, high]);
        context! { filter => random.filter.trim(), times }
    });
    let reviewers = queue.reviewers.iter();
    let reviewers = reviewers.map(|(who, own)| (&**who, tally(own)));
    context! {
        filter => queue.filter.trim(),
        random => queue.is_random,
        seeds => queue.seeds,
        range => queue.range.to_vec(),
        moved => queue.has_moved,
        reviewers => reviewers.map(|(who, own)| context! { who, own }).collect::<Vec<_>>(),
        several => queue.reviewers.len() > 1,
        all => tally(&queue.all),
        unread => asks.is_err(),
        moving => asks.is_ok_and(|filter| query::depends_on_remarks(&filter)),
        estimate => queue.all.estimate(queue.range[1]).map(serialised),
        compared,
    }
}

fn tally(tally: &CheckTally) -> Value {
    let (judged, share) = (tally.judged(), serialised(tally.share()));
    context! { judged, share, ..serialised(tally) }
}
