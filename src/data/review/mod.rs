//! Reviewers' judgments of a dataset: the samples of an audit, its progress, and agreement.
//!
//! [`AuditProgress`] is the progress of an audit; [`Workspace::agreement_while`] computes an [`Agreement`].

mod agreement;
mod audit_progress;
mod judged_sample;
mod judgment_table;
mod locator;
mod pair_agreement;
mod rater_figures;
mod rating_form;
mod report;
mod reviewer_agreement;
mod sampling;
mod spot_checks;
mod strata;
mod template;
mod workspace;

pub use crate::schema::RaterKind;
pub use agreement::{Agreement, AgreementScope, AnnotatorAgreement};
pub use audit_progress::{AuditProgress, ItemStatus, ReviewerProgress, minute, was_judged};
pub use judged_sample::{DatasetLabels, is_compared};
pub use judgment_table::PairFigures;
pub use locator::{Duplicates, SampleLocator, locate, locate_all};
pub use pair_agreement::{DifferingSample, PairAgreement};
pub use rater_figures::RaterFigures;
pub use rating_form::{Rateable, RatingForm, RatingQuestion};
pub use report::{AnswerSpot, FindSpot, no_spot};
pub use sampling::{SamplingPlan, adjudication, draw, drawn_samples, equal_chances, shown_order};
pub use strata::check_by;
pub use template::{PagePiece, page_pieces, serialised};
pub(crate) use template::{inline, render};
pub use workspace::Workspace;
pub(crate) use workspace::judgment;

#[cfg(test)]
mod tests;
