//! The list of a journal's audits.

use crate::dataset::Dataset;
use crate::journal::{Audit, Ledger, Reveal};
use crate::review::{SampleLocator, minute, progress};
use crate::text;

/// The column headings.
const HEADS: [&str; 7] = [
    "audit",
    "drawn by",
    "when (UTC)",
    "drawn",
    "blind",
    "seed",
    "settled",
];
/// Maximum width of a column, in cells.
const CELLS: usize = 200;

/// Returns a line for each audit, the oldest first: its name, who drew it and when, the number of
/// samples drawn and available, whether it is blind and when labels are shown, the seed, and how
/// many questions each reviewer has settled (judged or skipped).
pub fn list(dataset: &Dataset, ledger: &Ledger, places: &SampleLocator) -> String {
    let mut rows = vec![HEADS.map(str::to_owned)];
    rows.extend(
        ledger
            .sessions()
            .map(|session| row(session, dataset, ledger, places)),
    );
    if rows.len() == 1 {
        return "No audits yet. Draw one with visavis audit FILE -n 20 or :audit 20.\n".to_owned();
    }
    text::aligned(&rows, &[])
}

fn row(
    session: &Audit,
    dataset: &Dataset,
    ledger: &Ledger,
    places: &SampleLocator,
) -> [String; HEADS.len()] {
    let audit = &session.audit;
    let blind = match audit.reveals() {
        _ if !audit.blind => "no",
        Reveal::After => "yes",
        Reveal::End => "until the end",
        Reveal::Never => "always",
    };
    let far = progress(session, ledger, places, dataset);
    let far = far
        .iter()
        .map(|one| format!("{} {}", one.reviewer, one.progress));
    [
        session.id.to_string(),
        session.reviewer.to_string(),
        minute(&session.time),
        match &audit.between {
            Some([one, other]) => format!("{} ({} {one}, {other})", audit.drawn(), audit.kind()),
            None => format!("{} of {}", audit.drawn(), audit.of),
        },
        blind.to_owned(),
        audit.seed.to_string(),
        far.collect::<Vec<_>>().join(", "),
    ]
    .map(|cell| text::one_line(&cell, CELLS))
}
