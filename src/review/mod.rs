//! What reviewers' judgments say about a dataset: which samples an audit draws, where it stands,
//! and how far people agree.

mod agreement;
mod apart;
mod between;
mod draw;
mod figures;
mod own;
mod places;
mod progress;
mod report;
mod said;
mod scale;
mod spread;
mod standing;
mod strata;

pub use agreement::{
    Agreement, Consistency, LabelAgreement, LabelConsistency, Scope, VerdictAgreement, agreement,
    agreement_while, agreement_with_dataset,
};
pub use apart::{Apart, ApartFigure};
pub use between::{Alpha, Between, MOST_EACH, PairSpread, ReviewerPair, ReviewerPairs, Shared};
pub use draw::{DrawError, Plan, draw, is_swapped};
pub use figures::Figure;
pub use own::Own;
pub use places::{Duplicates, Places, locate, locate_all};
pub use progress::{ReviewerProgress, minute, participants, progress, was_judged};
pub use said::{remarks, said_by};
pub use scale::{Question, Rateable, Scale};
pub use spread::{FEWEST_IN_COMMON, KappaSpread, MOST_ENDS, PairKappa};
pub use standing::{Stand, Standing};
pub use strata::check_by;

#[cfg(test)]
mod tests;
