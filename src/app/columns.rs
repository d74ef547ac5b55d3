//! What the list shows of each sample between its number and its prompt.

use super::{Browser, Pane};
use crate::dataset::Dataset;
use crate::model::{ResponseId, Verdict};
use crate::query::{self, Field, FieldValue, QueryError, ReviewIndex, SortKey};
use crate::table::{ColumnKind, ColumnSource, FindingNumber};
use crate::text::{self, number};

/// A column of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListColumn {
    /// Its heading: the field as a query spells it.
    pub name: String,
    /// What it shows.
    pub asked: Field,
}

/// What a column shows of a sample, made safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListCell {
    /// Nothing.
    Nothing,
    /// One value.
    One(String),
    /// A value of each of two responses, "–" where there is none; and the one with the greater
    /// number.
    Pair([String; 2], Option<ResponseId>),
    /// How suspicious the sample is, as the severities' weights sum up.
    Suspicion(u32),
    /// Who wins, and by how much where that is known.
    Winner(Verdict, String),
}

impl ListCell {
    /// What a column shows of a sample. Can read the sample's rows.
    pub fn of(
        dataset: &Dataset,
        remarks: &ReviewIndex,
        column: &ListColumn,
        sample: usize,
    ) -> Self {
        let shown = |value: Option<FieldValue>| {
            value.map(|value| match value {
                FieldValue::Number(value) => number(value),
                FieldValue::Word(word) => text::one_line(&word, MOST_CELLS),
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

    /// Of more than two numbers the greatest and the least; of as many words how many there are.
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

/// Whether a column is shown by its severities.
const fn is_suspicion(source: &ColumnSource) -> bool {
    matches!(source, ColumnSource::Findings(FindingNumber::Suspicion))
}

/// Cells that a word takes at most.
const MOST_CELLS: usize = 24;
/// From this many cells on the list shows more than the first label.
const ROOMY: u16 = 56;
/// Rows of the list from which on one names its columns.
const HEADED_FROM: u16 = 3;
/// Columns that a roomy list shows of its own accord, besides the summary.
const OWN: usize = 2;

impl Browser {
    /// The columns of the list, besides the summary.
    pub fn columns(&self) -> Vec<ListColumn> {
        let mut columns = match &self.settings.columns {
            Some(chosen) => chosen.clone(),
            None if self.geometry().list.width < ROOMY => Vec::new(),
            // The labels after the first, which the summary shows.
            None => self.labels(1, OWN),
        };
        // What decides the order shows, unless it does already.
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

    /// Whether the list shows the labels at a glance: as long as nobody chose columns.
    pub fn shows_summary(&self) -> bool {
        self.settings.columns.is_none() && !self.is_blind()
    }

    /// The label that the summary shows of samples of the first file, as a column; `None` where it
    /// shows who wins.
    pub fn summarised(&self) -> Option<ListColumn> {
        self.labels(0, 1).pop()
    }

    /// Whether there is room for a row above the list that names its columns.
    pub fn has_list_heading(&self) -> bool {
        self.geometry().inside(Pane::List).height >= HEADED_FROM
    }

    /// Chooses the columns by their names, with commas between them; no name means as at first.
    ///
    /// # Errors
    /// When a name is no field's.
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
        self.settings.left_out.columns.clear();
        self.settings.columns = Some(chosen).filter(|chosen| !chosen.is_empty());
        Ok(())
    }

    /// The column of a field, under the name that a query gives it.
    fn column(&self, asked: Field) -> ListColumn {
        ListColumn {
            name: asked.spelled(&self.data.catalog).to_string(),
            asked,
        }
    }

    /// Labels of the first file's schema, as columns.
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
