//! The columns of the list between the sample number and the prompt.

use super::{Browser, Pane};
use crate::dataset::Dataset;
use crate::model::{ResponseId, Verdict};
use crate::query::{self, Field, FieldValue, QueryError, ReviewIndex, SortKey};
use crate::table::{ColumnKind, ColumnSource, FindingNumber};
use crate::text::{self, number};

/// A column of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListColumn {
    /// Heading: the field as written in a query.
    pub name: String,
    /// The field to show.
    pub asked: Field,
}

/// The content of a list cell, sanitised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListCell {
    /// An empty cell.
    Nothing,
    /// One value.
    One(String),
    /// The values of two responses, "–" if missing, and the response with the greater number.
    Pair([String; 2], Option<ResponseId>),
    /// The suspicion score: the sum of the severities' weights.
    Suspicion(u32),
    /// The winner, and the margin if it is known.
    Winner(Verdict, String),
}

impl ListCell {
    /// Returns the cell of a sample. May read the sample's rows.
    pub fn of(
        dataset: &Dataset,
        remarks: &ReviewIndex,
        column: &ListColumn,
        sample: usize,
    ) -> Self {
        let shown = |value: Option<FieldValue>| {
            value.map(|value| match value {
                FieldValue::Number(value) => number(value),
                FieldValue::Word(word) => text::one_line(&word, MAX_CELLS),
            })
        };
        let or_dash = |value| shown(value).unwrap_or_else(|| "–".to_owned());
        match query::cell(dataset, remarks, column.asked, sample) {
            query::FieldCell::One(Some(FieldValue::Number(value)))
                if is_suspicion(&column.asked.column.source) =>
            {
                Self::Suspicion(value as u32)
            }
            query::FieldCell::One(value) => shown(value).map_or(Self::Nothing, Self::One),
            query::FieldCell::Responses(values) if values.iter().all(Option::is_none) => {
                Self::Nothing
            }
            query::FieldCell::Responses(values) if values.len() > 2 => Self::of_many(&values),
            query::FieldCell::Responses(values) => {
                let greater = match &*values {
                    [Some(FieldValue::Number(a)), Some(FieldValue::Number(b))] if a > b => {
                        Some(ResponseId::A)
                    }
                    [Some(FieldValue::Number(a)), Some(FieldValue::Number(b))] if b > a => {
                        Some(ResponseId::B)
                    }
                    _ => None,
                };
                let mut values = values.into_iter().map(or_dash);
                let mut next = || values.next().unwrap_or_default();
                Self::Pair([next(), next()], greater)
            }
        }
    }

    /// Summarises more than two values: the greatest and the least number, or the number of words.
    fn of_many(values: &[Option<FieldValue>]) -> Self {
        let numbers = values.iter().flatten().filter_map(|value| match value {
            FieldValue::Number(number) => Some(*number),
            FieldValue::Word(_) => None,
        });
        let ends = numbers.fold(None, |ends: Option<(f64, f64)>, number| {
            let (greatest, least) = ends.unwrap_or((number, number));
            Some((greatest.max(number), least.min(number)))
        });
        match ends {
            Some((greatest, least)) => Self::One(format!("{}…{}", number(greatest), number(least))),
            None => Self::One(text::counted(values.iter().flatten().count(), "word")),
        }
    }
}

/// True if the column is shown as severities.
const fn is_suspicion(source: &ColumnSource) -> bool {
    matches!(source, ColumnSource::Findings(FindingNumber::Suspicion))
}

/// Maximum width of a word in cells.
const MAX_CELLS: usize = 24;
/// List width in cells from which default columns for labels are shown.
const WIDE_LIST: u16 = 56;
/// List height in rows from which a heading is shown.
const HEADED_FROM: u16 = 3;
/// Number of default columns besides the summary.
const DEFAULT_COLUMNS: usize = 2;

impl Browser {
    /// Returns the columns of the list except the summary.
    pub fn columns(&self) -> Vec<ListColumn> {
        let mut columns = match &self.settings.columns {
            Some(chosen) => chosen.clone(),
            None if self.geometry().list.width < WIDE_LIST => Vec::new(),
            // The summary shows the first label.
            None => self.labels(1, DEFAULT_COLUMNS),
        };
        // Fields of the sort order are always shown.
        let summarised = self
            .summarised()
            .filter(|_| self.shows_summary())
            .map(|column| column.asked);
        for asked in self.filter.query().sort.iter().filter_map(SortKey::field) {
            let sorted = self.column(asked);
            if Some(&sorted.asked) != summarised.as_ref()
                && !columns.iter().any(|column| column.asked == sorted.asked)
            {
                columns.push(sorted);
            }
        }
        columns.retain(|column| self.withheld_field(&column.asked).is_none());
        columns
    }

    /// True if the list shows the label summary: until the user chooses columns, and unless blind.
    pub fn shows_summary(&self) -> bool {
        self.settings.columns.is_none() && !self.is_blind()
    }

    /// Returns the label shown in the summary of the first file's samples; `None` if it shows the
    /// winner.
    pub fn summarised(&self) -> Option<ListColumn> {
        self.labels(0, 1).pop()
    }

    /// True if there is room for a heading row above the list.
    pub fn has_list_heading(&self) -> bool {
        self.geometry().inside(Pane::List).height >= HEADED_FROM
    }

    /// Chooses the columns by their comma-separated names; no name restores the default.
    ///
    /// # Errors
    /// If a name is not a field.
    pub(super) fn choose_columns(&mut self, names: &str) -> Result<(), QueryError> {
        let mut chosen = Vec::new();
        let mut at = 0;
        for piece in names.split(',') {
            let name = piece.trim();
            let start = at + piece.len() - piece.trim_start().len();
            at += piece.len() + 1;
            if name.is_empty() {
                continue;
            }
            let wrong = |message: String| QueryError::new(start..start + name.len(), message);
            let asked = Field::named(name, &self.data.catalog);
            let asked = asked.map_err(|error| wrong(error.message))?;
            if let Some(reason) = self.withheld_field(&asked) {
                return Err(wrong(reason.to_owned()));
            }
            chosen.push(ListColumn {
                name: name.to_owned(),
                asked,
            });
        }
        self.settings.columns = Some(chosen).filter(|chosen| !chosen.is_empty());
        Ok(())
    }

    /// Returns the column of a field, named as in a query.
    fn column(&self, asked: Field) -> ListColumn {
        ListColumn {
            name: asked.spelled(&self.data.catalog).to_string(),
            asked,
        }
    }

    /// Returns at most `most` labels of the first file's schema from index `from` on, as columns.
    fn labels(&self, from: usize, most: usize) -> Vec<ListColumn> {
        let Some(file) = self.data.dataset.files().first() else {
            return Vec::new();
        };
        let labels = file.schema.columns().iter().skip(from).take(most);
        let labels = labels.filter(|column| column.kind == ColumnKind::Label);
        let fields = labels.map(|column| Field::of(column.id));
        fields.map(|asked| self.column(asked)).collect()
    }
}
