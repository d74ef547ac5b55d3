//! What reviewers' judgments say about a dataset: which samples an audit draws, where it stands,
//! and how far people agree.

mod after_reveal;
mod agreement;
mod audit_progress;
mod dataset_labels;
mod figures;
mod locator;
mod progress;
mod rating_form;
mod report;
mod reviewer_agreement;
mod said;
mod sampling;
mod spread;
mod strata;
mod template;

pub use after_reveal::{AfterRevealFigures, DatasetAgreementFigure};
pub use agreement::{
    Agreement, AgreementScope, LabelAgreement, LabelConsistency, SelfConsistency, VerdictAgreement,
    agreement, agreement_while, agreement_with_dataset,
};
pub use audit_progress::{AuditProgress, ItemStatus};
pub use dataset_labels::DatasetLabels;
pub use figures::Figure;
pub use locator::{Duplicates, SampleLocator, locate, locate_all};
pub use progress::{ReviewerProgress, minute, participants, progress, was_judged};
pub use rating_form::{Rateable, RatingForm, RatingQuestion};
pub use reviewer_agreement::{
    Alpha, MOST_EACH, PairCounts, PairSpread, ReviewerAgreement, ReviewerPair, ReviewerPairs,
};
pub use said::{remarks, said_by};
pub use sampling::{SamplingError, SamplingPlan, draw, is_swapped};
pub use spread::{FEWEST_IN_COMMON, KappaSpread, MOST_ENDS, PairKappa};
pub use strata::check_by;
pub(crate) use template::render;

#[cfg(test)]
mod tests;
