//! Spot checks, as a section: what share of what is suspicious is wrong, and of what was drawn at
//! random.

use std::collections::BTreeSet;
use std::sync::Arc;

use minijinja::{Value, context};

use crate::dataset::Dataset;
use crate::journal::Ledger;
use crate::query::{self, Catalog, RuleDefinition, Severity};
use crate::review::{
    CheckTally, CheckedQueue, SampleLocator, SpotChecks, code, inline, render, spot_checks,
};
use crate::stats::Interval;
use crate::text::{counted, grouped};

/// The section with what these reviewers checked, or all; empty where nothing was. `places` knows
/// where the samples of the ledger stand.
pub(super) fn section(
    dataset: &Dataset,
    ledger: &Ledger,
    places: &SampleLocator,
    only: Option<&[Arc<str>]>,
) -> String {
    let checks = spot_checks(ledger, only, places);
    if checks.is_empty() {
        return String::new();
    }
    let catalog = catalog(dataset, ledger, &checks);
    let queues = checks.queues.iter();
    let context = context! {
        queues => queues.clone().map(|it| queue(it, &checks, &catalog)).collect::<Vec<_>>(),
        rows => queues.clone().flat_map(rows).collect::<Vec<_>>(),
        suspicious => queues.clone().any(|queue| !queue.is_random),
        several => queues.clone().any(|queue| queue.reviewers.len() > 1),
        compared => queues.clone().any(|queue| {
            let random = checks.random_for(queue, &catalog).filter(|_| !queue.is_random);
            random.is_some_and(|random| queue.all.times(&random.all).is_some())
        }),
        chosen => tally(&checks.chosen),
        elsewhere => (checks.elsewhere > 0)
            .then(|| counted(checks.elsewhere as usize, "sample")),
    };
    let section = render("checks.md", context);
    format!("\n{}\n", section.trim())
}

/// What the filters of queues were written with: the fields of the dataset, the reviewers, and rules
/// of these names, whatever they ask. A report has no rules of its own, and need not know them: none
/// may ask what reviewers said.
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
    let unread = asks.is_err();
    let moving = asks.is_ok_and(|filter| query::depends_on_remarks(&filter));
    let random = checks
        .random_for(queue, catalog)
        .filter(|_| !queue.is_random);
    let times = random.and_then(|random| Some((random, queue.all.times(&random.all)?)));
    let [fewest, most] = queue.range.map(|count| grouped(count as usize));
    let has_grown = fewest != most;
    let is_said = queue.is_random && !unread && !moving && !has_grown;
    let estimate = is_said
        .then(|| queue.all.estimate(queue.range[1]))
        .flatten();
    context! {
        random => queue.is_random,
        filter => filter(queue),
        of => match has_grown {
            true => format!("{fewest} to {most} samples"),
            false => counted(queue.range[1] as usize, "sample"),
        },
        all => tally(&queue.all),
        whole => queue.all.judged() >= queue.range[1],
        estimate => estimate.map(|estimate| context! {
            about => grouped(estimate.about as usize),
            least => grouped(estimate.least as usize),
            most => grouped(estimate.most as usize),
        }),
        compared => random.is_some(),
        times => times.map(|(random, (ratio, Interval { low, high, .. }))| context! {
            filter => filter(random),
            ratio => format!("{ratio:.1}"),
            interval => format!("{low:.1} to {high:.1}"),
        }),
        unread,
        moving,
        moved => queue.has_moved,
        grown => has_grown,
    }
}

fn filter(queue: &CheckedQueue) -> Option<String> {
    let filter = queue.filter.trim();
    (!filter.is_empty()).then(|| code(filter))
}

fn tally(tally: &CheckTally) -> Value {
    let (judged, [share, interval]) = (tally.judged(), share(tally));
    context! {
        places => tally.places,
        judged,
        right => tally.right,
        wrong => tally.wrong,
        unclear => tally.unclear,
        share,
        interval,
        left => tally.places.saturating_sub(judged),
        part => percent(judged as f64 / tally.places.max(1) as f64) + " %",
    }
}

/// The share that is wrong and its interval, in percent with a decimal, or why there is none.
fn share(tally: &CheckTally) -> [String; 2] {
    let figure = tally.share();
    let share = match figure.value {
        Ok(share) => percent(share) + " %",
        Err(undefined) => undefined.to_string(),
    };
    let interval = match figure.interval {
        Some(Ok(Interval { low, high, .. })) => {
            format!("{}–{} %", percent(low), percent(high))
        }
        Some(Err(undefined)) => undefined.to_string(),
        None => String::new(),
    };
    [share, interval]
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// A row for each reviewer and, where there are several, one for all.
fn rows(queue: &CheckedQueue) -> Vec<Vec<String>> {
    let drawn = match (queue.is_random, queue.seeds) {
        (false, _) => "most suspicious".to_owned(),
        (true, 1) => "at random".to_owned(),
        (true, seeds) => format!("at random, {seeds} times"),
    };
    let from = filter(queue).unwrap_or_else(|| "all samples".to_owned());
    let row = |who: String, tally: &CheckTally| {
        let [share, interval] = share(tally);
        let counts = [
            tally.places,
            tally.judged(),
            tally.right,
            tally.wrong,
            tally.unclear,
        ];
        let head = [drawn.clone(), from.clone(), who];
        let counts = counts.iter().map(u64::to_string);
        head.into_iter()
            .chain(counts)
            .chain([share, interval])
            .collect()
    };
    let each = queue.reviewers.iter();
    let mut rows: Vec<_> = each.map(|(name, tally)| row(inline(name), tally)).collect();
    if queue.reviewers.len() > 1 {
        rows.push(row("**all**".to_owned(), &queue.all));
    }
    rows
}
