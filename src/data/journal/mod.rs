//! The journal of reviewers' acts: an append-only file beside the data, one act per line.
//!
//! An [`ActRecord`] is one act: a mark, tag, note, check or rating, the beginning of an audit, or
//! an undo. A [`Ledger`] is the state that results from all acts. A [`JournalFile`] reads and
//! appends acts; several programs can append at the same time, and saved acts are never lost.
//!
//! Acts refer to samples by [`SampleKey`](crate::dataset::SampleKey), not by position, so that they
//! stay valid if the file is downloaded again, shuffled or compressed.

mod file;
mod ledger;
mod line;
mod merge;
mod reading;
mod record;
mod sample_review;
mod texts;
mod time;

pub use file::{JournalError, JournalFile, JournalUpdate, VERSION};
pub use ledger::{Audit, Ledger};
pub use merge::{KnownActs, merged, missing};
pub use record::{
    Act, ActId, ActRecord, AuditItem, AuditPlan, CheckDraw, Header, Judgment, Reveal, SampleRef,
    Setting, StratifyBy, Stratum,
};
pub use sample_review::{AfterReveal, Note, Rating, RatingState, SampleReview, SpotCheck};
pub use time::{now, parse_time, run_id};

#[cfg(test)]
mod tests;
