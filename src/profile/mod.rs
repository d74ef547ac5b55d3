//! What the data is like: figures, histograms and correlations of a dataset, of the whole beside
//! what a query shows.
//!
//! A [`Profile`] is a list of sections of cards, made of the columns of the table: a column that a
//! schema describes, or a row of `table/built_in.rs`, has its card by itself. To add a section: a
//! file here with a function that makes its cards, and a row in [`SECTIONS`]; the screen, the text,
//! the JSON and the picture follow. Each card says in a sentence what it counts and by which
//! formula; `assets/guide/statistics.md` says it at length.
//!
//! Sums go in a fixed order within a column, whatever the number of threads. Long loops ask whether
//! they are still wanted.

mod annotators;
mod bias;
mod card;
mod categories;
mod context;
mod correlations;
mod counts;
mod difference;
mod labels;
mod matched_places;
mod models;
mod verdicts;
mod with_shown;

#[cfg(test)]
mod tests;

pub use card::{
    CardBody, FEWEST, Grid, GridCell, ProfileBar, ProfileCard, Quantity, QuantityUnit, ShareOf,
};
pub use context::ProfileRequest;
pub use difference::{Difference, PartKind, SampleChange, StatedValue, ValueMatrix};
pub use with_shown::WithShown;

use crate::dataset::Dataset;
use crate::parallel::in_parallel;
use context::ProfileContext;

/// What the data is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Samples of the dataset, malformed rows among them.
    pub samples: usize,
    /// Samples that are shown; `None` where no query chooses.
    pub shown: Option<usize>,
    /// Which responses the figures of what is shown cover, in a sentence; `None` where no query chooses.
    pub covers: Option<String>,
    /// Those that have anything to say, in the order of the page.
    pub sections: Vec<ProfileSection>,
}

/// Cards that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileSection {
    /// What JSON calls it.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// At least one.
    pub cards: Vec<ProfileCard>,
}

/// Makes the cards of a section; none where the data has nothing for it, `None` once they are not
/// wanted any more.
type SectionMaker = fn(&ProfileContext<'_>) -> Option<Vec<ProfileCard>>;

/// The section that texts are read for.
const BIAS: &str = "bias";

/// The sections: what JSON calls them, what people do, whether all of it reveals labels, and what
/// makes their cards.
#[rustfmt::skip] // A table reads as a table.
static SECTIONS: &[(&str, &str, bool, SectionMaker)] = &[
    ("counts", "counts", false, counts::cards),
    ("verdicts", "who wins", true, verdicts::cards),
    (BIAS, "bias", true, bias::cards),
    ("labels", "labels", false, labels::cards),
    ("correlations", "correlations", true, correlations::cards),
    ("annotators", "annotators", true, annotators::cards),
    ("models", "files joined --with", true, models::cards),
    ("lengths", "lengths and counts", false, labels::count_cards),
    ("categories", "categories", false, categories::cards),
];

/// Whether everything that texts must be read for was counted already.
pub fn has_counted_texts(dataset: &Dataset) -> bool {
    dataset.has_counted_texts(&bias::text_columns())
}

/// What JSON calls the sections, in the order of the page.
pub fn section_keys() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|(key, ..)| *key)
}

impl Profile {
    /// Counts everything; `None` once that is not wanted any more. It reads columns and, where the
    /// request says so and they were not counted yet, the texts of all rows.
    pub fn of(request: ProfileRequest<'_>) -> Option<Self> {
        if request.reads_texts && request.has_section(BIAS) {
            let (dataset, all) = (request.dataset, 0..request.dataset.samples());
            let counted = dataset.count_texts(&bias::text_columns(), all, request.wanted);
            if counted.is_break() {
                return None;
            }
        }
        let context = ProfileContext::new(request)?;
        let is_asked = |(key, _, reveals, _): &&(&str, _, _, _)| {
            request.has_section(key) && !(*reveals && request.hides_labels)
        };
        let asked: Vec<_> = SECTIONS.iter().filter(is_asked).collect();
        let made = in_parallel(&asked, |(.., make)| make(&context));
        let mut sections = Vec::new();
        for (&&(key, title, ..), cards) in asked.iter().zip(made) {
            let cards = cards?;
            if !cards.is_empty() {
                sections.push(ProfileSection { key, title, cards });
            }
        }
        Some(Self {
            samples: context.dataset().samples(),
            shown: request.shown.map(|found| found.samples.len()),
            covers: context.covers(),
            sections,
        })
    }
}
