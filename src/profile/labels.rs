//! Each label and score: its histogram with mean, standard deviation, how many and how many missing.

use super::card::{CardBody, ProfileCard, ShareOf};
use super::context::{ProfileColumn, ProfileContext};
use crate::query::ColumnName;

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let labels = context.columns.iter().filter(|column| is_label(column));
    Some(labels.map(|column| card(context, column)).collect())
}

/// Whether a column rates responses.
pub(super) fn is_label(column: &ProfileColumn) -> bool {
    matches!(column.field.name, ColumnName::Label(_))
}

fn card(context: &ProfileContext<'_>, column: &ProfileColumn) -> ProfileCard {
    let [n, missing] = context.filling(column);
    let mut figures = context.moments(column);
    figures.retain(|figure| !matches!(figure.key, "p99" | "min" | "max") || figure.is_detail);
    figures.extend([n, missing]);
    let unit = "Over responses that have a value. sd is that of a sample (n - 1); the median is \
                interpolated between the two nearest.";
    ProfileCard {
        key: column.spelled.clone(),
        title: column.spelled.clone(),
        about: format!("{} {unit}", column.about).trim().to_owned(),
        figures,
        body: CardBody::Bars(ShareOf::All, context.bars(column)),
    }
}
