//! What reviewers' judgments say about a dataset: which samples an audit draws, where it stands, and how far people agree.

mod agreement;
mod draw;
mod places;
mod scale;
mod standing;

pub use agreement::{Agreement, Scope, agreement};
pub use draw::{DrawError, Plan, draw};
pub use places::{Places, locate};
pub use scale::{Question, Rateable, Scale};
pub use standing::{Stand, Standing};
