//! Samples that a reviewer did not judge, or put off: what was said of them before counts no more,
//! and they must not go missing.

use super::super::markdown::{code, inline, row, rule};
use super::super::review::note_letters_behind;
use super::ReportedJudgments;
use crate::dataset::{Buffers, Dataset};
use crate::journal::{Note, RatingState};
use crate::model::ResponseOrder;
use crate::review::SampleLocator;

/// Lists them in the order of the dataset; those that are not there any more come last.
pub(super) fn list(
    dataset: &Dataset,
    judged: &ReportedJudgments<'_>,
    places: &SampleLocator,
) -> String {
    let mut page = String::new();
    let mut buffers = Buffers::default();
    let (mut rows, mut some_after) = (Vec::new(), false);
    for (key, remark) in judged.ledger.remarks() {
        for rating in remark
            .ratings
            .iter()
            .filter(|rating| judged.is_of(rating) && rating.state != RatingState::Open)
        {
            let sample = places.first(key);
            let reading = sample.and_then(|sample| dataset.read(sample, &mut buffers));
            let at: Vec<_> = reading
                .iter()
                .flat_map(|reading| &*reading.places)
                .map(|at| at.row.to_string())
                .collect();
            let file = reading
                .as_ref()
                .and_then(|reading| dataset.files().get(reading.places.first()?.file));
            // Rows of several files have the same numbers.
            let file = file.filter(|_| dataset.files().len() > 1);
            let file = file
                .map(|file| format!("{} ", code(file.source.name())))
                .unwrap_or_default();
            let at = if at.is_empty() {
                "gone".to_owned()
            } else {
                file + &at.join(", ")
            };
            let what = if rating.state == RatingState::Skipped {
                "skipped"
            } else {
                "deferred"
            };
            some_after |= rating.after_reveal().is_some();
            let after = if rating.after_reveal().is_some() {
                " after the labels showed"
            } else {
                ""
            };
            let again = if rating.setting.pass > 1 {
                ", when it came back"
            } else {
                ""
            };
            let what = format!("{what} by {}{after}{again}", inline(&rating.reviewer));
            let notes = remark
                .notes
                .iter()
                .filter(|note| note.reviewer == rating.reviewer);
            let responses = sample.and_then(|sample| dataset.responses_of(sample));
            let note = |note: &Note| {
                let order = ResponseOrder::OF_FILE;
                let letters = note_letters_behind(note, order, responses.unwrap_or_default());
                format!("{letters} {}", inline(&note.text))
                    .trim_start()
                    .to_owned()
            };
            let notes: Vec<_> = notes.map(note).collect();
            let order = (
                sample.unwrap_or(usize::MAX),
                key.to_string(),
                rating.setting.pass,
            );
            rows.push((order, [at, code(&key.to_string()), what, notes.join(" ")]));
        }
    }
    if rows.is_empty() {
        return page;
    }
    rows.sort();
    let but = if some_after {
        "; after the labels showed, what was given before them still counts"
    } else {
        ""
    };
    page.push_str(&format!(
        "\n## Not judged\n\nThese count in no figure, also where something was judged before{but}.\n\n"
    ));
    page.push_str(&row(["row", "key", "what", "note"]));
    page.push_str(&rule(4));
    page.extend(rows.iter().map(|(_, cells)| row(cells)));
    page
}
