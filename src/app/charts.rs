//! Histograms of labels, scores and counts over all samples: those of the label card, the labels
//! panel and the filter line are counted once, by one job.

use super::App;
use super::job::Job;
use super::pages::page_doc::{CountedState, PageSources};
use super::panel::is_charted;
use super::sample::label_card::{CHARACTERS, CardRow, MISSING};
use crate::dataset::Dataset;
use crate::model::ResponseId;
use crate::parallel::KeepGoing;
use crate::query::{self, Aggregate, Bins, Catalog, Field, FieldCell, FieldValue, each_number};
use crate::table::ColumnId;
use crate::text;

/// The query id of what is counted over all samples.
pub(super) const ALL_SAMPLES: (u64, usize) = (0, 0);

/// The charts of these fields, over all samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChartKey {
    state: CountedState,
    fields: Vec<Field>,
}

/// The distribution of a field's values over all samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Assigns values to bins.
    pub bins: Bins,
    /// Number of values in each bin: of the sample, or of all responses.
    pub counts: Vec<usize>,
    /// The counts of A and of B; `None` if there are more responses, and for fields of samples.
    pub sides: Option<[Vec<usize>; 2]>,
    /// Number of pairs by the bin of A, then the bin of B.
    pub(crate) pairs: Vec<usize>,
}

/// The charts that were counted.
#[derive(Debug, Default)]
pub struct Charts {
    state: Option<CountedState>,
    /// `None` for a field without values.
    known: Vec<(Field, Option<Chart>)>,
}

/// Maximum number of values that each have a slot.
const FEW_VALUES: usize = 5;
/// Maximum number of samples that are counted before the next frame.
const BRIEF_CHARTS: usize = 50_000;

impl Chart {
    /// Counts the values of a field, whose column has this range if it is a label. Returns `None` if
    /// no sample has a value, or if cancelled.
    fn count(
        dataset: &Dataset,
        field: &Field,
        range: Option<[f64; 2]>,
        are_pairs: bool,
        keep_going: &dyn KeepGoing,
    ) -> Option<Self> {
        let bins = Bins::for_field(dataset, field, range, keep_going)?;
        let count = bins.count();
        // One byte for each place: there are at most a dozen bins.
        let places = |view: Aggregate| {
            let (field, mut places) = (Field { view, ..*field }, Vec::new());
            each_number(dataset, &field, keep_going, &mut |piece| {
                let bin = |value: &f64| bins.of(*value).and_then(|bin| u8::try_from(bin).ok());
                places.extend(piece.iter().map(|value| bin(value).unwrap_or(u8::MAX)));
            })?;
            Some(places)
        };
        let mut counts = vec![0; count];
        for at in places(field.view)? {
            counts
                .get_mut(usize::from(at))
                .into_iter()
                .for_each(|of| *of += 1);
        }
        if counts.iter().all(|count| *count == 0) {
            return None;
        }
        let (mut sides, mut pairs) = (None, Vec::new());
        if are_pairs && field.column.is_of_responses() && field.view == Aggregate::Same {
            let first = places(Aggregate::At(ResponseId::A))?;
            let second = places(Aggregate::At(ResponseId::B))?;
            let mut of_sides = [vec![0; count], vec![0; count]];
            pairs = vec![0; count * count];
            for (a, b) in first.into_iter().zip(second) {
                let [a, b] = [a, b].map(usize::from);
                for (side, at) in of_sides.iter_mut().zip([a, b]) {
                    side.get_mut(at).into_iter().for_each(|of| *of += 1);
                }
                if a.max(b) < count {
                    pairs[a * count + b] += 1;
                }
            }
            sides = Some(of_sides);
        }
        Some(Self {
            bins,
            counts,
            sides,
            pairs,
        })
    }

    /// True if each value has a slot with a glyph for each side, also where there is little room.
    pub fn has_slots(&self) -> bool {
        self.bins.count() <= FEW_VALUES
    }

    /// Returns the cells of a slot where there is little room.
    pub fn narrow_slot(&self) -> u16 {
        if self.has_slots() { 3 } else { 1 }
    }

    /// Returns the number of pairs with values in these two bins, in either order, and of all pairs.
    pub fn like(&self, [one, other]: [usize; 2]) -> (usize, usize) {
        let count = |a: usize, b: usize| self.pairs.get(a * self.bins.count() + b).copied();
        let both = count(one, other).unwrap_or(0);
        let turned = Some(count(other, one).unwrap_or(0)).filter(|_| one != other);
        (both + turned.unwrap_or(0), self.pairs.iter().sum())
    }
}

impl Charts {
    fn has(&self, state: CountedState, field: &Field) -> bool {
        self.state == Some(state) && self.known.iter().any(|(known, _)| known == field)
    }
}

impl ChartKey {
    /// Counts the charts. Checks for cancellation every few thousand samples of each field and
    /// returns `None` then.
    pub(crate) fn count(
        &self,
        dataset: &Dataset,
        catalog: &Catalog,
        keep_going: &dyn KeepGoing,
    ) -> Option<Vec<Option<Chart>>> {
        let chart = |field: &Field| {
            let range = catalog.label_range(field.column);
            Chart::count(dataset, field, range, catalog.responses() == 2, keep_going)
        };
        let all = self
            .fields
            .iter()
            .map(|field| keep_going().then(|| chart(field)))
            .collect::<Option<_>>()?;
        // A cancelled count looks like a label that no sample has.
        keep_going().then_some(all)
    }
}

impl App {
    /// Returns the chart of a field, whose side does not matter; `None` until it is counted, and if
    /// no sample has a value.
    pub fn chart(&self, field: Field) -> Option<&Chart> {
        self.counted(field)?.as_ref()
    }

    /// True if the values of a field were counted.
    pub fn is_charted(&self, field: Field) -> bool {
        self.counted(field).is_some()
    }

    /// Returns what was counted for a field of this dataset; nothing while labels are hidden, since
    /// the sides of lengths tell which response is which.
    fn counted(&self, field: Field) -> Option<&Option<Chart>> {
        let (field, state) = (charted(field), self.charts.state?);
        let is_visible = state.generation == self.data.generation && !self.is_blind();
        let mut known = self.charts.known.iter();
        let (_, chart) = known.find(|(known, _)| is_visible && *known == field)?;
        Some(chart)
    }

    /// True if the left pane has a later response of the file than the right one, as in some audits.
    pub fn are_sides_swapped(&self) -> bool {
        self.current_page().is_some_and(|page| {
            let [left, right] = page.pair.map(|shown| page.order.of_file(shown).index());
            left > right
        })
    }

    /// Returns the job that counts the charts on the screen that are not known; none while labels
    /// are hidden.
    pub(super) fn charts_job(&self, of: &PageSources<'_>) -> Option<Job> {
        if self.is_blind() {
            return None;
        }
        let asked = self.views.panel().map(|panel| panel.rows.clone());
        let asked = asked.or_else(|| Some(self.views.line()?.charted_fields(self)));
        let is_urgent = asked.is_some();
        let mut fields = asked.unwrap_or_default();
        if !of.is_growing {
            fields.extend(self.charted_rows_of_card());
        }
        let state = CountedState {
            query: ALL_SAMPLES,
            ..of.state
        };
        let mut missing = Vec::new();
        for field in fields.into_iter().map(charted) {
            if !self.charts.has(state, &field) && !missing.contains(&field) {
                missing.push(field);
            }
        }
        if missing.is_empty() {
            return None;
        }
        let key = ChartKey {
            state,
            fields: missing,
        };
        let catalog = of.data.catalog.clone();
        let job = Job::new(
            "charts",
            of.data,
            key,
            is_urgent && state.samples <= BRIEF_CHARTS,
            move |key, of| key.count(of.dataset, &catalog, of.keep_going),
            |app, key, charts| {
                let known = &mut app.charts;
                if known.state != Some(key.state) {
                    known.known.clear();
                }
                known.state = Some(key.state);
                known.known.extend(key.fields.iter().copied().zip(charts));
            },
        );
        Some(job)
    }
}

impl App {
    /// Returns the values of a field for the responses in the panes, left first, or the value of the
    /// sample; none until the sample is read.
    pub fn values_in_panes(&self, field: Field) -> Vec<Option<f64>> {
        let Some(page) = self.current_page() else {
            return Vec::new();
        };
        let cell = query::cell(
            &self.data.dataset,
            &self.data.remarks,
            charted(field),
            page.key.sample,
        );
        let number = |value: &Option<FieldValue>| value.as_ref().and_then(FieldValue::number);
        match cell {
            FieldCell::One(value) => vec![number(&value)],
            FieldCell::Responses(values) => {
                let panes = page.pair.iter().take(page.sides.len());
                let places = panes.map(|shown| page.order.of_file(*shown).index());
                let value = |place: usize| values.get(place).and_then(number);
                places.map(value).collect()
            }
        }
    }

    /// Returns the chart of a field by its name in queries.
    pub fn chart_named(&self, name: &str) -> Option<&Chart> {
        let field = Field::named(name, &self.data.catalog).ok()?;
        self.chart(field).filter(|_| is_charted(&field))
    }

    /// Returns the letters of the responses in the panes, as values are written: `A:B`.
    pub fn pair_words_of_panes(&self) -> String {
        let Some(page) = self.page() else {
            return String::new();
        };
        let letters = page.pair.iter().take(page.sides.len());
        letters.map(|id| id.letter()).collect::<Vec<_>>().join(":")
    }

    /// Returns the values of a field in the panes, `2:4`; empty if all are missing.
    pub fn pair_words(&self, field: Field) -> String {
        let values = self.values_in_panes(field);
        if values.iter().all(Option::is_none) {
            return String::new();
        }
        let words = values
            .into_iter()
            .map(|value| value.map_or(MISSING.to_owned(), text::number));
        words.collect::<Vec<_>>().join(":")
    }

    /// Returns the fields of the rows in the label card that can be charted.
    fn charted_rows_of_card(&self) -> Vec<Field> {
        let Some(page) = self.page().filter(|_| !self.geometry().card.is_empty()) else {
            return Vec::new();
        };
        let rows = page.card.labels.iter().chain(&page.card.lengths);
        rows.filter_map(|row| self.field_of_row(row)).collect()
    }

    /// Returns the field of a row in the label card, if its values can be charted.
    pub fn field_of_row(&self, row: &CardRow) -> Option<Field> {
        if row.name == CHARACTERS {
            return Some(Field::of(ColumnId::LENGTH));
        }
        let mut columns = self.data.catalog.columns().map(|column| &column.def);
        let column = columns.find(|column| column.id.name == row.name && column.id.is_rating())?;
        Some(Field::of(column.id)).filter(is_charted)
    }
}

/// Returns the field whose chart is drawn: A, B, any and both have the same values, the gap its own.
fn charted(field: Field) -> Field {
    let view = match field.view {
        Aggregate::Gap => Aggregate::Gap,
        _ => Aggregate::Same,
    };
    Field { view, ..field }
}
