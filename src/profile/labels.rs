//! Labels, scores and counts of prompts and responses, each with a histogram and moments.

use super::card::{CardBody, ProfileCard, Quantity, ShareOf};
use super::context::{ProfileColumn, ProfileContext, value_counts};
use crate::table::{ColumnKind, ColumnSource};

/// Returns cards of labels and scores, with the numbers of values and of missing ones.
pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let labels = context.columns.iter().filter(|column| is_label(column));
    Some(labels.map(|column| card(context, column)).collect())
}

/// Returns cards of lengths, turns, quotes and other counts, with their maxima.
pub(super) fn count_cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let counts = context.columns.iter().filter(|column| is_count(column));
    Some(counts.map(|column| card(context, column)).collect())
}

/// True if a column rates responses.
pub(super) fn is_label(column: &ProfileColumn) -> bool {
    column.field.column.is_rating()
}

/// Other sections show winners, votes and joined files.
fn is_count(column: &ProfileColumn) -> bool {
    let id = column.field.column;
    let shows_other_sample = matches!(
        id.source,
        ColumnSource::Margin
            | ColumnSource::Votes
            | ColumnSource::VotesFor
            | ColumnSource::ExcludedVotes
            | ColumnSource::Contradictions
    );
    id.kind == ColumnKind::Count && !shows_other_sample
}

fn card(context: &ProfileContext<'_>, column: &ProfileColumn) -> ProfileCard {
    let places = context.masks(column.field.level()).map(|mask| match mask {
        Some(mask) => mask.iter().filter(|shown| **shown).count() as u64,
        None => column.coded.codes().len() as u64,
    });
    let mut value_counts = value_counts(column, places, format!("{}=none", column.spelled));
    let mut figures = context.moments(column);
    let unit = match is_label(column) {
        true => {
            figures.retain(|of| !matches!(of.key, "p99" | "min" | "max") || of.is_detail);
            " Over responses that have a value. sd: sample standard deviation (n - 1). The median is \
             interpolated between the two nearest values."
        }
        false => {
            value_counts = value_counts.map(Quantity::json_only);
            ". sd: sample standard deviation (n - 1). Quantiles are interpolated between the two nearest values."
        }
    };
    figures.extend(value_counts);
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
