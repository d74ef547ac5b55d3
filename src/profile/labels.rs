//! Each label and score, and what is counted of prompts and responses: a histogram with moments.

use super::card::{CardBody, ProfileCard, Quantity, ShareOf};
use super::context::{ProfileColumn, ProfileContext, filling};
use crate::table::{ColumnKind, ColumnSource};

/// Cards of labels and scores, with how many there are and are missing.
pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let labels = context.columns.iter().filter(|column| is_label(column));
    Some(labels.map(|column| card(context, column)).collect())
}

/// Cards of lengths, turns, quotes and the like, with their greatest values.
pub(super) fn count_cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let counts = context.columns.iter().filter(|column| is_count(column));
    Some(counts.map(|column| card(context, column)).collect())
}

/// Whether a column rates responses.
pub(super) fn is_label(column: &ProfileColumn) -> bool {
    column.field.column.is_rating()
}

/// Other sections tell of who wins, of votes and of joined files.
fn is_count(column: &ProfileColumn) -> bool {
    let id = column.field.column;
    let is_elsewhere = matches!(
        id.source,
        ColumnSource::Margin
            | ColumnSource::Votes
            | ColumnSource::VotesFor
            | ColumnSource::ExcludedVotes
            | ColumnSource::Contradictions
    );
    id.kind == ColumnKind::Count && !is_elsewhere
}

fn card(context: &ProfileContext<'_>, column: &ProfileColumn) -> ProfileCard {
    let places = context.masks(column.field.level()).map(|mask| match mask {
        Some(mask) => mask.iter().filter(|shown| **shown).count() as u64,
        None => column.coded.len() as u64,
    });
    let mut filling = filling(column, places, format!("{}=none", column.spelled));
    let mut figures = context.moments(column);
    let unit = match is_label(column) {
        true => {
            figures.retain(|of| !matches!(of.key, "p99" | "min" | "max") || of.is_detail);
            " Over responses that have a value. sd is that of a sample (n - 1); the median is \
             interpolated between the two nearest."
        }
        false => {
            filling = filling.map(Quantity::in_json_alone);
            ". sd is that of a sample (n - 1); quantiles are interpolated between the two nearest."
        }
    };
    figures.extend(filling);
    let about = format!("{}{unit}", column.about);
    let bars = CardBody::Bars(ShareOf::All, context.bars(column));
    ProfileCard::new(
        &*column.spelled,
        &*column.spelled,
        about.trim(),
        figures,
        bars,
    )
}
