//! The report of reviewers with each other: how far each two agree, and every sample on which they
//! do not, with what both say.

use std::path::PathBuf;
use std::sync::Arc;

use minijinja::{Value, context};

use super::{checks, sampling, shown_paths};
use crate::dataset::{Buffers, Dataset, SampleBody};
use crate::journal::{Ledger, Rating};
use crate::model::ResponseId;
use crate::query::SampleJudgment;
use crate::review::{
    AgreementScope, DifferingSample, PairAgreement, SampleLocator, agreement, inline,
    pair_agreement, render, serialised,
};
use crate::stats::DRAWS;
use crate::text::{exact_number, one_line};

/// Samples on which two reviewers differ that are listed.
const MOST_LISTED: usize = 500;
/// Cells of a prompt's beginning.
const PROMPT: usize = 60;

/// What to report of reviewers with each other.
#[derive(Debug, Clone, Default)]
pub struct PeopleSpec {
    /// Who: two at least.
    pub reviewers: Vec<Arc<str>>,
    /// When this is, in UTC.
    pub now: String,
    /// The journals that were read, the first first.
    pub journals: Vec<PathBuf>,
    /// What the reader should know of how things were read, one sentence each.
    pub troubles: Vec<String>,
}

/// How far reviewers agree with each other, as Markdown. `places` knows where the samples of the
/// ledger stand.
pub fn people_report(
    dataset: &Dataset,
    ledger: &Ledger,
    places: &SampleLocator,
    spec: &PeopleSpec,
) -> String {
    let names = &spec.reviewers;
    let twos = (0..names.len()).flat_map(|one| (one + 1..names.len()).map(move |two| [one, two]));
    let pairs = twos.filter_map(|two| {
        let two = two.map(|at| &names[at]);
        pair_agreement(ledger, places, dataset, two, DRAWS, &|| true)
    });
    let pairs = pairs.map(|pair| {
        let figures = pair.markdown().trim().to_owned();
        context! { figures, names => serialised(&pair.reviewers), differing => listed(dataset, &pair) }
    });
    let pairs: Vec<Value> = pairs.collect();
    let context = context! {
        version => env!("CARGO_PKG_VERSION"),
        now => &*spec.now,
        names => serialised(names),
        files => sampling::files(dataset),
        journals => shown_paths(&spec.journals),
        troubles => serialised(&spec.troubles),
        alphas => alphas(dataset, ledger, places, names),
        pairs,
        checks => checks::section(dataset, ledger, places, Some(names)),
    };
    render("people.md", context)
}

/// Krippendorff's alpha over all of these reviewers, for each label and for who wins.
fn alphas(
    dataset: &Dataset,
    ledger: &Ledger,
    places: &SampleLocator,
    names: &[Arc<str>],
) -> Option<Value> {
    let of = AgreementScope {
        reviewer: None,
        audit: None,
        between: true,
        counts: &|_, rating: &Rating| names.contains(&rating.reviewer),
    };
    let between = agreement(ledger, places, dataset, &of, DRAWS).between;
    between.map(|between| between.alphas_context())
}

/// The samples on which two differ.
fn listed(dataset: &Dataset, pair: &PairAgreement) -> Value {
    let mut buffers = Buffers::default();
    let listed = pair.differing.iter().take(MOST_LISTED).map(|it| {
        let reading = dataset.read(it.sample, &mut buffers);
        let prompt = reading.and_then(|reading| match reading.body {
            SampleBody::Sample(read) => Some(one_line(&read.opening()?.text, PROMPT)),
            _ => None,
        });
        context! {
            sample => it.sample + 1,
            place => it.sample_ref.as_ref().map(|it| serialised((&it.file, it.row))),
            distance => exact_number(it.distance),
            values => differences(it),
            prompt => prompt.unwrap_or_default(),
        }
    });
    context! {
        rows => listed.collect::<Vec<_>>(),
        left => pair.differing.len().saturating_sub(MOST_LISTED),
    }
}

/// In what two judgments differ: `helpfulness of B 4 / 1; A wins / a tie`.
fn differences(it: &DifferingSample) -> String {
    let [one, other] = &it.judgments;
    let responses = |of: &SampleJudgment| of.labels.iter().map(|(_, response, _)| *response).max();
    let is_single = [one, other].map(responses).iter().flatten().max() == Some(&ResponseId::A);
    let labels = one.labels.iter().filter_map(|(name, response, value)| {
        let second = other.label(name, *response)?;
        let of = match is_single {
            true => String::new(),
            false => format!(" of {}", response.letter()),
        };
        let values = [*value, second].map(exact_number).join(" / ");
        (*value != second).then(|| format!("{}{of} {values}", inline(name)))
    });
    let verdicts = one.verdict.zip(other.verdict);
    let verdicts = verdicts.filter(|(one, other)| one != other);
    let verdicts = verdicts.map(|(one, other)| format!("{} / {}", one.phrase(), other.phrase()));
    labels.chain(verdicts).collect::<Vec<_>>().join("; ")
}
