//! Correlations of labels, over responses and over the margins of pairs.

use super::columns::is_label;
use super::context::{ProfileColumn, ProfileContext};
use crate::answer::{AnswerCard, CardBody, Grid, GridCell, QuantityUnit};
use crate::parallel::in_parallel;
use crate::query::{Aggregate, Field};
use crate::stats::{Correlation, Undefined, correlation};
use crate::table::{ColumnId, Level};

/// Maximum number of columns of a matrix; the first ones are used.
const MAX_COLUMNS: usize = 12;

pub(super) fn cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    let labels: Vec<_> = context
        .columns
        .iter()
        .filter(|column| is_label(column))
        .take(MAX_COLUMNS - 1)
        .collect();
    if labels.is_empty() {
        return Vec::new();
    }
    let length = context.known(ColumnId::LENGTH);
    let columns: Vec<_> = labels.iter().copied().chain(length).collect();
    let mut cards = matrices(
        context,
        &columns,
        ["pearson", "spearman"],
        ["Pearson's r", "Spearman's rho"],
        "over responses that have both values",
    )
    .unwrap_or_default();
    let margins = margins(context, &labels);
    let margins: Vec<_> = margins.iter().collect();
    if margins.len() > 1 {
        let matrices = matrices(
            context,
            &margins,
            ["pearson_margins", "spearman_margins"],
            ["Pearson's r of margins", "Spearman's rho of margins"],
            "of A minus B, over pairs that have both",
        );
        cards.extend(matrices.into_iter().flatten());
    }
    cards
}

/// Returns the margins of A: overall, for each label, and from joined files.
fn margins(context: &ProfileContext<'_>, labels: &[&ProfileColumn]) -> Vec<ProfileColumn> {
    // For more than two responses, the margin is that of the best over the second and has no sign.
    if context.response_counts().any(|count| count > 2) {
        return Vec::new();
    }
    let mut fields = Vec::new();
    let mut files = context.request.dataset.files().iter();
    let is_stated = files.all(|file| file.schema.deciding_label().is_none());
    let stated = context.known(ColumnId::MARGIN).filter(|_| is_stated);
    fields.extend(stated.map(|column| column.field));
    let margin = |column: &&ProfileColumn| Field {
        view: Aggregate::Margin,
        ..column.field
    };
    fields.extend(labels.iter().map(margin));
    let joined = |column: &&ProfileColumn| column.field.column.source.is_of_rater();
    // The only score of a file is its margin already.
    let is_new = |column: &&ProfileColumn| {
        let of = column.spelled.strip_suffix(".margin");
        !labels.iter().any(|label| Some(&*label.spelled) == of)
    };
    let others = context.columns.iter().filter(joined).filter(is_new);
    fields.extend(others.map(|column| column.field));
    fields.truncate(MAX_COLUMNS);
    let mut columns = in_parallel(&fields, |field| context.column(*field));
    columns.retain(|column| column.values.whole.n() > 0);
    columns
}

/// Returns both coefficients for each pair of these columns, which have the same level; `None` if
/// cancelled.
fn matrices(
    context: &ProfileContext<'_>,
    columns: &[&ProfileColumn],
    keys: [&str; 2],
    titles: [&str; 2],
    over: &str,
) -> Option<Vec<AnswerCard>> {
    let level = columns
        .first()
        .map_or(Level::Sample, |column| column.field.level());
    let masks = context.masks(level);
    let pairs: Vec<_> = (0..columns.len())
        .flat_map(|row| (0..=row).map(move |column| (row, column)))
        .collect();
    let found = in_parallel(&pairs, |&(row, column)| {
        let of = |mask: &_| correlation(&columns[row].coded, &columns[column].coded, *mask);
        context.keep_going().then(|| masks.map(of))
    })
    .into_iter()
    .collect::<Option<Vec<_>>>()?;
    let of_pair = |row: usize, column: usize| {
        let (low, high) = (row.min(column), row.max(column));
        &found[high * (high + 1) / 2 + low]
    };
    let name = |column: &&ProfileColumn| {
        let label = column.spelled.strip_prefix("margin.");
        label.unwrap_or(&column.spelled).to_owned()
    };
    let names: Vec<_> = columns.iter().map(name).collect();
    let card = |at: usize| {
        let figure: fn(&Correlation) -> Result<f64, Undefined> = match at {
            0 => |of| of.pearson,
            _ => |of| of.spearman,
        };
        let cell = |row: usize, column: usize| {
            let of = of_pair(row, column);
            GridCell {
                unit: QuantityUnit::Coefficient,
                values: of.map(figure),
                n: of.whole.n,
                query: Some(query(columns[row], columns[column])),
            }
        };
        let places = (0..names.len()).flat_map(|row| (0..names.len()).map(move |at| (row, at)));
        let formula = match at {
            0 => "covariance divided by the product of the standard deviations",
            _ => "Pearson's r of ranks, with mean ranks for equal values",
        };
        AnswerCard::new(
            keys[at].to_owned(),
            titles[at].to_owned(),
            format!("{}: {formula}, {over}.", titles[at]),
            Vec::new(),
            CardBody::Grid(Grid {
                columns: names.clone(),
                rows: names.clone(),
                cells: places.map(|(row, column)| cell(row, column)).collect(),
                is_heat_map: true,
            }),
        )
    };
    Some((0..keys.len()).map(card).collect())
}

/// Returns the query for cases in which two columns are far apart: on opposite sides of their
/// medians, one at or above its upper quartile and the other at or below its lower one.
fn query(row: &ProfileColumn, column: &ProfileColumn) -> String {
    let [one, other] = [&row.spelled, &column.spelled];
    if row.field == column.field {
        return format!("{one}!=none");
    }
    let quantile = |of: &ProfileColumn, share| of.values.whole.quantile(share);
    let (Ok(high), Ok(low)) = (quantile(row, 0.75), quantile(column, 0.25)) else {
        return format!("{one}!=none {other}!=none");
    };
    format!("{one}>={high} {other}<={low}")
}
