//! What is counted of prompts and responses: lengths, turns, quotes and the like.

use super::card::{CardBody, ProfileCard, ShareOf};
use super::context::{ProfileColumn, ProfileContext};
use crate::table::{ColumnKind, ColumnSource};

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let counts = context.columns.iter().filter(|column| is_meant(column));
    Some(counts.map(|column| card(context, column)).collect())
}

/// Other sections tell of who wins, of votes and of joined files.
fn is_meant(column: &ProfileColumn) -> bool {
    let is_elsewhere = matches!(
        column.source,
        Some(
            ColumnSource::Margin
                | ColumnSource::Votes
                | ColumnSource::VotesFor
                | ColumnSource::ExcludedVotes
                | ColumnSource::Contradictions
        )
    );
    column.kind == ColumnKind::Count && !is_elsewhere
}

fn card(context: &ProfileContext<'_>, column: &ProfileColumn) -> ProfileCard {
    let [n, missing] = context.filling(column);
    let mut figures = context.moments(column);
    figures.extend([n.in_json_alone(), missing.in_json_alone()]);
    let unit =
        "sd is that of a sample (n - 1); quantiles are interpolated between the two nearest.";
    ProfileCard {
        key: column.spelled.clone(),
        title: column.spelled.clone(),
        about: format!("{}. {unit}", column.about),
        figures,
        body: CardBody::Bars(ShareOf::All, context.bars(column)),
    }
}
