//! What reviewers did, one act a line, in a file beside the data that is only ever added to.
//!
//! An [`ActRecord`] is one act: a mark, a tag, a note, a check, a rating, the beginning of an audit, or that
//! another act is undone. A [`Ledger`] is what all of them come to: what is said of each sample,
//! and what an audit has still to ask. A [`JournalFile`] reads entries, and adds to them so that
//! several programs can do so side by side and nothing that was called saved is ever lost.
//!
//! Samples are known by their [`SampleKey`](crate::dataset::SampleKey) and not by their place:
//! entries outlive a file that is downloaded anew, shuffled or compressed.

mod checks;
mod file;
mod holders;
mod ledger;
mod line;
mod merge;
mod reading;
mod record;
mod time;

pub use checks::SpotCheck;
pub use file::{JournalError, JournalFile, JournalUpdate, VERSION};
pub use ledger::{AfterReveal, Audit, Ledger, Note, Rating, RatingState, SampleReview};
pub use merge::{KnownActs, merged};
pub use record::{
    Act, ActId, ActRecord, AuditItem, AuditPlan, CheckDraw, Header, Judgment, Reveal, SampleRef,
    Setting, StratifyBy, Stratum,
};
pub use time::{now, run_id};

#[cfg(test)]
mod tests;
