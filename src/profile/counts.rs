//! How much there is: files, rows, samples, responses, and what is to be known of them.

use super::card::{CardBody, ProfileBar, ProfileCard, Quantity, ShareOf};
use super::context::ProfileContext;
use crate::dataset::DatasetFile;
use crate::table::{ColumnId, ColumnSource, Reveals};

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let mut cards = vec![totals(context)?];
    cards.extend(flags(context)?);
    cards.extend(files(context));
    Some(cards)
}

fn totals(context: &ProfileContext<'_>) -> Option<ProfileCard> {
    let dataset = context.dataset();
    let samples = dataset.samples() as u64;
    let mut by_size = [[0_u64; 2]; 3];
    let mut responses = 0;
    let mut mask = context
        .mask(crate::table::Level::Sample)
        .map(|mask| mask.iter());
    for count in context.response_counts() {
        let shows = mask.as_mut().and_then(Iterator::next).copied();
        let size = usize::from(count.min(3)) - 1;
        responses += u64::from(count);
        by_size[size][0] += 1;
        by_size[size][1] += u64::from(shows == Some(true));
    }
    let shown = context.shown();
    let of_size = |key, title, size: usize| {
        let [whole, shown_here] = by_size[size];
        Quantity::count(key, title, whole, shown.map(|_| shown_here))
    };
    let rows = |key, title, count: usize| Quantity::count(key, title, count as u64, None);
    let mut figures = vec![
        rows("files", "files", dataset.files().len()),
        rows("rows", "rows", dataset.rows()),
        Quantity::count(
            "samples",
            "samples",
            samples,
            shown.map(|found| found.samples.len() as u64),
        ),
        Quantity::count(
            "responses",
            "responses",
            responses,
            shown.map(|found| found.responses() as u64),
        ),
        of_size("pairs", "pairs", 1),
        of_size("groups", "groups of 3 or more", 2),
        of_size("singles", "singles", 0).found_by("is:single"),
    ];
    let malformed = context.figure_found_by("malformed", "malformed rows", "is:malformed")?;
    figures.extend(malformed);
    figures.push(
        rows(
            "odd_values",
            "rows with odd values",
            dataset.lenient_rows().odd_values,
        )
        .found_by("is:flagged"),
    );
    if context.hides_labels() {
        // It says something of labels.
        figures.pop();
    }
    let mut about = "What was read. A sample is a prompt with its responses; a row that does not read is a sample of its own. An odd \
         value is one that its field cannot have: it counts as none."
        .to_owned();
    if let Some(covers) = context.covers() {
        about.push_str(&format!(" Of what is shown, {covers}."));
    }
    Some(ProfileCard::new(
        "totals",
        "totals",
        &about,
        figures,
        CardBody::Figures,
    ))
}

/// A bar for each flag that columns alone tell.
fn flags(context: &ProfileContext<'_>) -> Option<Option<ProfileCard>> {
    let dataset = context.dataset();
    let all = dataset.samples() as u64;
    let shown_samples = context.shown_samples().map(|shown| shown as u64);
    let mut bars = Vec::new();
    for column in ColumnId::built_in().filter(|column| dataset.has(*column)) {
        let is_told = !context.hides_labels() || column.reveals != Reveals::Label;
        if !(matches!(column.source, ColumnSource::Flag(_)) && is_told) {
            continue;
        }
        let Some([whole, shown]) = context.found_by(column.name)? else {
            continue;
        };
        if whole > 0 {
            bars.push(ProfileBar {
                label: column.name.to_owned(),
                whole: [whole, all],
                shown: shown_samples.map(|of| [shown, of]),
                interval: None,
                query: Some(column.name.to_owned()),
            });
        }
    }
    Some((!bars.is_empty()).then(|| {
        ProfileCard::new(
            "flags",
            "flags",
            "Of how many of all samples each holds.",
            Vec::new(),
            CardBody::Bars(ShareOf::All, bars),
        )
    }))
}

/// A bar for each file, where there are several.
fn files(context: &ProfileContext<'_>) -> Option<ProfileCard> {
    let dataset = context.dataset();
    if dataset.files().len() < 2 {
        return None;
    }
    let mut rows = vec![0_u64; dataset.files().len()];
    for chunk in dataset.chunks() {
        if let Some(rows) = rows.get_mut(chunk.file()) {
            *rows += chunk.rows() as u64;
        }
    }
    let bar = |(file, &rows): (&DatasetFile, &u64)| ProfileBar {
        label: file.short_name().to_owned(),
        whole: [rows, dataset.rows() as u64],
        shown: None,
        interval: None,
        query: None,
    };
    let bars = dataset.files().iter().zip(&rows).map(bar).collect();
    Some(ProfileCard::new(
        "rows_by_file",
        "rows by file",
        "Rows of each file, malformed ones too.",
        Vec::new(),
        CardBody::Bars(ShareOf::All, bars),
    ))
}
