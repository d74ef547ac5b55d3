//! Counts: files, rows, samples, responses and flags.

use super::context::ProfileContext;
use crate::answer::{AnswerBar, AnswerCard, CardBody, Quantity, ShareOf, WithShown};
use crate::dataset::DatasetFile;
use crate::table::{ColumnId, ColumnSource, Reveals};

pub(super) fn cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    let mut cards = vec![totals(context)];
    cards.extend(flags(context));
    cards.extend(files(context));
    cards
}

fn totals(context: &ProfileContext<'_>) -> AnswerCard {
    let dataset = context.request.dataset;
    let responses = WithShown {
        whole: context.responses.whole.sum() as u64,
        shown: context.request.shown.map(|found| found.responses() as u64),
    };
    let rows =
        |key, title, count: usize| Quantity::count(key, title, WithShown::of_whole(count as u64));
    let of_size = |key, title, is_meant: fn(f64) -> bool| {
        Quantity::count(key, title, context.responses.map(|of| of.count(is_meant)))
    };
    let mut figures = vec![
        rows("files", "files", dataset.files().len()),
        rows("rows", "rows", dataset.rows()),
        Quantity::count("samples", "samples", context.samples()),
        Quantity::count("responses", "responses", responses),
        of_size("pairs", "pairs", |responses| responses == 2.0),
        of_size("groups", "groups of 3 or more", |responses| responses > 2.0),
        of_size("singles", "singles", |responses| responses == 1.0).found_by("is:single"),
    ];
    let malformed = context.match_count("malformed", "malformed rows", "is:malformed");
    figures.extend(malformed);
    if !context.request.hides_labels {
        let odd_values = dataset.lenient_rows().odd_values;
        let odd_values = rows("odd_values", "rows with invalid values", odd_values);
        figures.push(odd_values.found_by("is:flagged"));
    }
    let mut about = "What was read. A sample is a prompt with its responses; each malformed row is a separate sample. \
                     Invalid values are outside their allowed range and count as missing."
        .to_owned();
    if let Some(covers) = context.covers() {
        about.push_str(&format!(" Shown: {covers}."));
    }
    AnswerCard::new("totals", "totals", &about, figures, CardBody::Figures)
}

/// Returns a bar for each flag that needs columns only.
fn flags(context: &ProfileContext<'_>) -> Option<AnswerCard> {
    let dataset = context.request.dataset;
    let mut bars = Vec::new();
    for column in ColumnId::built_in().filter(|column| dataset.has(*column)) {
        let is_visible = !context.request.hides_labels || column.reveals != Reveals::Label;
        if !(matches!(column.source, ColumnSource::Flag(_)) && is_visible) {
            continue;
        }
        let found = context.count_matches(column.name);
        if let Some(count) = found.filter(|count| count.whole > 0) {
            let counts = count
                .zip(context.samples())
                .map(|&(count, all)| [count, all]);
            let name = column.name.to_owned();
            bars.push(AnswerBar::new(name.clone(), counts, Some(name)));
        }
    }
    (!bars.is_empty()).then(|| {
        AnswerCard::new(
            "flags",
            "flags",
            "Share of all samples with this flag.",
            Vec::new(),
            CardBody::Bars(ShareOf::All, bars),
        )
    })
}

/// Returns a bar for each file if there are several.
fn files(context: &ProfileContext<'_>) -> Option<AnswerCard> {
    let dataset = context.request.dataset;
    if dataset.files().len() < 2 {
        return None;
    }
    let mut rows = vec![0_u64; dataset.files().len()];
    for chunk in dataset.chunks() {
        if let Some(rows) = rows.get_mut(chunk.file()) {
            *rows += chunk.rows() as u64;
        }
    }
    let bar = |(file, &rows): (&DatasetFile, &u64)| {
        let counts = WithShown::of_whole([rows, dataset.rows() as u64]);
        AnswerBar::new(file.short_name().to_owned(), counts, None)
    };
    let bars = dataset.files().iter().zip(&rows).map(bar).collect();
    Some(AnswerCard::new(
        "rows_by_file",
        "rows by file",
        "Rows of each file, including malformed ones.",
        Vec::new(),
        CardBody::Bars(ShareOf::All, bars),
    ))
}
