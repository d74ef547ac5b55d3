//! Statistics of a dataset: figures, histograms and correlations, for all samples and for the shown
//! ones.
//!
//! A [`Profile`] is a list of sections of cards, computed from the columns of the table. A column
//! that a schema describes, or a row of `table/built_in.rs`, gets a card automatically. To add a
//! section, add a file here with a function that makes its cards, and a row in [`SECTIONS`]; the
//! screen, the text, the JSON and the picture follow. Each card explains in a sentence what it
//! counts and by which formula; `assets/guide/statistics.md` has the details.
//!
//! Sums within a column are in a fixed order, independent of the number of threads. Long loops
//! check for cancellation.

mod annotators;
mod bias;
mod columns;
mod context;
mod correlations;
mod counts;
mod difference;
mod models;
mod verdicts;

#[cfg(test)]
mod tests;

pub use context::ProfileRequest;
pub use difference::{Difference, PartKind, SampleChange, StatedValue, ValueMatrix};

use crate::answer::{Answer, AnswerCard, AnswerSection};
use crate::dataset::Dataset;
use crate::parallel::in_parallel;
use crate::table::ColumnId;
use context::ProfileContext;

/// The statistics of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Number of samples, including malformed rows.
    pub samples: usize,
    /// Number of shown samples; `None` without a query.
    pub shown: Option<usize>,
    /// Which responses the shown figures cover, in a sentence; `None` without a query.
    pub covers: Option<String>,
    /// Sections with any card, in page order.
    pub answer: Answer,
}

/// Makes the cards of a section, possibly none; meaningless if cancelled.
type SectionMaker = fn(&ProfileContext<'_>) -> Vec<AnswerCard>;

/// The sections that read texts.
const BIAS: &str = "bias";
const MODELS: &str = "models";

/// The sections: key in JSON, title, whether all of it reveals labels, and the function that makes
/// its cards.
#[rustfmt::skip] // A table reads as a table.
static SECTIONS: &[(&str, &str, bool, SectionMaker)] = &[
    ("verdicts", "who wins", true, verdicts::cards),
    (BIAS, "bias", true, bias::cards),
    ("labels", "labels", false, columns::label_cards),
    ("lengths", "lengths and counts", false, columns::count_cards),
    ("correlations", "correlations", true, correlations::cards),
    ("annotators", "annotators", true, annotators::cards),
    (MODELS, "raters", true, models::cards),
    ("categories", "categories", false, columns::fact_cards),
    ("counts", "counts", false, counts::cards),
];

/// True if all columns that need texts were counted.
pub fn has_counted_texts(dataset: &Dataset) -> bool {
    dataset.has_counted_texts(&bias::text_columns())
}

/// Returns the JSON keys of the sections, in page order.
pub fn section_keys() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|(key, ..)| *key)
}

impl Profile {
    /// Computes the profile; `None` if cancelled. Reads columns and, if requested and not yet
    /// counted, the texts of all rows.
    pub fn of(request: ProfileRequest<'_>) -> Option<Self> {
        let is_of_bias = request.has_section(BIAS);
        let is_of_models = request.has_section(MODELS) && !request.dataset.raters().is_empty();
        if request.reads_texts && (is_of_bias || is_of_models) {
            let (dataset, all) = (request.dataset, 0..request.dataset.samples());
            let columns = if is_of_bias {
                bias::text_columns()
            } else {
                vec![ColumnId::PROMPT_ID]
            };
            let _ = dataset.count_texts(&columns, all, request.keep_going);
        }
        let context = ProfileContext::new(request);
        let is_asked = |(key, _, reveals, _): &&(&str, _, _, _)| {
            request.has_section(key) && !(*reveals && request.hides_labels)
        };
        let asked: Vec<_> = SECTIONS.iter().filter(is_asked).collect();
        let made = in_parallel(&asked, |(.., make)| make(&context));
        let mut sections = Vec::new();
        for (&&(key, title, ..), cards) in asked.iter().zip(made) {
            if !cards.is_empty() {
                sections.push(AnswerSection { key, title, cards });
            }
        }
        context.keep_going().then(|| Self {
            samples: context.request.dataset.samples(),
            shown: request.shown.map(|found| found.samples.len()),
            covers: context.covers(),
            answer: Answer::of_sections(sections),
        })
    }
}
