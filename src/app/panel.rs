//! The labels panel: a row for each label and each count with a chart of its values, and handles
//! that write the filter which they mean.
//!
//! The panel keeps no filter of its own: what its handles show is read from the query in force, and
//! moving one puts another query in force. So whatever is typed shows in the panel, and whatever is
//! moved shows as text.

use std::sync::Arc;

use super::filtering::ActiveFilter;
use super::page_doc::CountedState;
use super::page_doc::{Lazy, LazyKey};
use super::perform::ViewRequest;
use super::{Action, Area, Browser, Mode, Review, Shown, View, Views};
use crate::dataset::Dataset;
use crate::model::ResponseId;
use crate::parallel::KeepGoing;
use crate::query::{Aggregate, Bins, Field, Histogram, histogram, shown_places};
use crate::table::Level;
use crate::text;

/// What a row can speak of, in the order in which a key goes through them.
const VIEWS: [Aggregate; 5] = [
    Aggregate::Same,
    Aggregate::All,
    Aggregate::At(ResponseId::A),
    Aggregate::At(ResponseId::B),
    Aggregate::Gap,
];

/// The labels panel: a row with a histogram for each column of numbers.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// The field of each row.
    pub rows: Vec<Field>,
    /// Place of the chosen row.
    pub chosen: usize,
    /// Row and bin on which the pointer went down.
    pub(super) held: Option<(usize, usize)>,
    /// The query that was in force when it was opened.
    before: Option<ActiveFilter>,
    /// The charts of its rows; those of the result before, while others are being counted.
    charts: Lazy<ChartKey, Charts>,
}

/// Which charts: of these fields, over what a query shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartKey {
    pub state: CountedState,
    /// One a row.
    pub fields: Vec<Field>,
}

impl LazyKey for ChartKey {
    fn nearly_is(&self, now: &Self) -> bool {
        self.fields == now.fields && self.state.nearly_is(&now.state)
    }
}

/// Charts for the rows of the panel.
#[derive(Debug, Clone)]
pub struct Charts {
    /// What they were made for.
    pub key: ChartKey,
    /// One a row; `None` where no sample has the label.
    pub rows: Vec<Option<Chart>>,
}

/// How often a label has which value.
#[derive(Debug, Clone)]
pub struct Chart {
    /// How values fall into bins.
    pub bins: Bins,
    /// The counts.
    pub histogram: Histogram,
}

/// What a key asks of the chosen row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelAction {
    /// Move the lower end down.
    LowDown,
    /// Move the lower end up.
    LowUp,
    /// Move the upper end down.
    HighDown,
    /// Move the upper end up.
    HighUp,
    /// Speak of another side.
    NextView,
    /// Ask nothing of this label.
    Clear,
    /// The next sample.
    NextSample,
    /// The sample before.
    PreviousSample,
}

/// Where the parts of a row stand, in cells of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPlaces {
    /// Column of the label's name.
    pub name: u16,
    /// Column of what the row speaks of.
    pub view: u16,
    /// Column of the first bin.
    pub bins: u16,
    /// Columns of a bin.
    pub bin_width: u16,
}

/// Cells of the longest word for a view, and the space behind it.
const VIEW_WIDTH: u16 = 5;
/// Cells of the longest name that is shown whole.
const NAME_WIDTH: u16 = 16;
/// Rows that are left to the panes above.
const PANES_LEAST: u16 = 8;

impl Charts {
    /// Counts what the rows of a panel show. `wanted` is asked every few thousand samples of each
    /// row; `None` once it says no.
    pub fn count(
        dataset: &Dataset,
        key: ChartKey,
        shown: &Shown,
        wanted: &dyn KeepGoing,
    ) -> Option<Self> {
        let found = shown.found();
        let mask = |level| match &found {
            Some(found) => shown_places(dataset, level, found, wanted).map(Some),
            None => Some(None),
        };
        let masks = [mask(Level::Sample)?, mask(Level::Response)?];
        let row = |field: &Field| {
            // The values of A and of B are those of any response; those of the gap are its own.
            let view = if field.view == Aggregate::Gap {
                Aggregate::Gap
            } else {
                Aggregate::Same
            };
            let mask = masks[usize::from(field.level() == Level::Response)].as_deref();
            let bins = Bins::for_field(dataset, &Field { view, ..*field }, wanted)?;
            let histogram = histogram(dataset, field, &bins, mask, wanted)?;
            Some(Chart { bins, histogram })
        };
        let rows = key
            .fields
            .iter()
            .map(|field| wanted().then(|| row(field)))
            .collect::<Option<_>>()?;
        // What stopped on the way looks like a label that no sample has.
        wanted().then_some(Self { key, rows })
    }
}

impl Panel {
    /// Rows that it wants, its title included.
    pub(super) fn height(&self) -> u16 {
        u16::try_from(self.rows.len())
            .unwrap_or(u16::MAX)
            .saturating_add(1)
    }

    /// Where the parts of a row with so many bins stand in the drawer.
    pub fn places(&self, drawer: Area, bins: usize) -> RowPlaces {
        let longest = self
            .rows
            .iter()
            .map(|row| text::width(row.column.name) as u16)
            .max()
            .unwrap_or(0);
        let name_width = longest.min(NAME_WIDTH).min(drawer.width / 4);
        let name = drawer.x + 2;
        let view = name + name_width + 1;
        let first = view + VIEW_WIDTH;
        let room = drawer.right().saturating_sub(first + 1);
        let bin_width = room / u16::try_from(bins.max(1)).unwrap_or(u16::MAX);
        RowPlaces {
            name,
            view,
            bins: first,
            bin_width,
        }
    }

    /// The first row on screen, so that the chosen one is among `height` of them.
    pub fn top(&self, height: usize) -> usize {
        (self.chosen + 1).saturating_sub(height)
    }
}

/// What a row speaks of, in a word; nothing where it is of the sample.
pub fn view_word(row: &Field) -> &'static str {
    match row.view {
        _ if !row.column.is_of_responses() => "",
        Aggregate::All => "both",
        Aggregate::At(response) => response.letter(),
        Aggregate::Gap => "gap",
        _ => "any",
    }
}

impl Views {
    /// The charts of the panel; those of the result before, while others are being counted.
    pub fn charts(&self) -> Option<&Charts> {
        self.panel()?.charts.get(|_| true)
    }

    /// The bins that the query in force asks for in a row of the panel; `None` where it asks for
    /// none in particular.
    pub fn chosen_bins(&self, row: usize, browser: &Browser) -> Option<Vec<bool>> {
        let (field, chart) = (self.panel()?.rows.get(row)?, self.chart(row)?);
        browser.filter.in_force()?.query.chosen(field, &chart.bins)
    }

    /// The chart of a row.
    pub fn chart(&self, row: usize) -> Option<&Chart> {
        let panel = self.panel()?;
        // Charts of another view have other bins.
        let is_same = |key: &ChartKey| key.fields.get(row) == panel.rows.get(row);
        panel.charts.get(is_same)?.rows.get(row)?.as_ref()
    }

    /// The charts that the panel needs and does not have.
    pub(super) fn charts_needed(&self, browser: &Browser) -> Option<ChartKey> {
        let panel = self.panel()?;
        let of = browser.page_sources();
        let key = ChartKey {
            state: of.state,
            fields: panel.rows.clone(),
        };
        panel.charts.need(key, of.is_growing())
    }

    pub(super) fn take_charts(&mut self, charts: Charts, browser: &Browser) {
        if charts.key.state.generation != browser.data.generation {
            return;
        }
        if let Some(panel) = self.panel_mut() {
            panel.charts.put(charts.key.clone(), charts);
        }
    }

    /// Opens the panel, or closes it.
    pub(super) fn close_panel(&mut self, browser: &mut Browser, review: &mut Review) {
        if self.panel().is_some() {
            self.toggle_panel(browser, review);
        }
    }

    pub(super) fn toggle_panel(&mut self, browser: &mut Browser, review: &mut Review) {
        if self.close(Mode::Panel).is_none() {
            if self.rate().is_some() {
                review.toggle_rate(browser, self);
            }
            let columns = browser.number_columns().into_iter();
            let ids = columns.map(|column| column.id);
            let ids = ids.filter(|id| !id.source.is_place() && !id.source.is_found_on_demand());
            let mut rows: Vec<_> = ids.map(Field::of).collect();
            // A row begins with what the query asks for already.
            let asked = browser
                .filter
                .in_force()
                .map(|one| Arc::clone(&one.query))
                .unwrap_or_default();
            for row in &mut rows {
                if !row.column.is_of_responses() {
                    continue;
                }
                let mut fields = VIEWS.iter().map(|&view| Field { view, ..*row });
                *row = fields.find(|field| asked.speaks_of(field)).unwrap_or(*row);
            }
            let before = browser.filter.in_force().cloned();
            self.open(View::Panel(Panel {
                rows,
                before,
                ..Panel::default()
            }));
        }
    }

    pub(super) fn act_in_panel(
        &mut self,
        action: Action,
        count: Option<usize>,
        browser: &mut Browser,
        review: &mut Review,
    ) {
        let Some(panel) = self.panel_mut() else {
            return;
        };
        let last = panel.rows.len() - 1;
        match action {
            Action::NextSample => panel.chosen = (panel.chosen + 1).min(last),
            Action::PreviousSample => panel.chosen = panel.chosen.saturating_sub(1),
            Action::FirstSample => panel.chosen = 0,
            Action::LastSample => panel.chosen = last,
            Action::Digit(digit) => self.choose_value(digit, browser),
            Action::Handle(handle) => self.move_handle(handle, count, browser),
            Action::LabelsPanel | Action::Back | Action::Zoom | Action::Accept => {
                self.toggle_panel(browser, review);
            }
            Action::Cancel => {
                let before = panel.before.clone();
                self.toggle_panel(browser, review);
                browser.set_filter(before);
                browser.release_anchor();
            }
            other => browser.hand_over(ViewRequest::Act(other), count),
        }
    }

    fn move_handle(&mut self, handle: PanelAction, count: Option<usize>, browser: &mut Browser) {
        let Some(panel) = self.panel_mut() else {
            return;
        };
        let row = panel.chosen;
        match handle {
            PanelAction::NextSample => {
                browser.hand_over(ViewRequest::Act(Action::NextSample), count);
            }
            PanelAction::PreviousSample => {
                browser.hand_over(ViewRequest::Act(Action::PreviousSample), count);
            }
            PanelAction::NextView => {
                let field = &mut panel.rows[row];
                if !field.column.is_of_responses() {
                    let words = format!("{} is of the sample: it has no sides.", field.column.name);
                    browser.say(words);
                    return;
                }
                let at = VIEWS
                    .iter()
                    .position(|view| *view == field.view)
                    .unwrap_or(0);
                field.view = VIEWS[(at + 1) % VIEWS.len()];
            }
            PanelAction::Clear => {
                let field = panel.rows[row];
                browser.change_query(|query| query.without(&field));
            }
            PanelAction::LowDown
            | PanelAction::LowUp
            | PanelAction::HighDown
            | PanelAction::HighUp => {
                let Some((low, high, count)) = self.ends(row, browser) else {
                    self.say_still_counting(browser);
                    return;
                };
                let (low, high) = match handle {
                    PanelAction::LowDown => (low.saturating_sub(1), high),
                    PanelAction::LowUp => ((low + 1).min(high), high),
                    PanelAction::HighDown => (low, high.saturating_sub(1).max(low)),
                    _ => (low, (high + 1).min(count - 1)),
                };
                self.choose_bins(row, low, high, browser);
            }
        }
    }

    fn say_still_counting(&self, browser: &mut Browser) {
        let counted = self.charts_needed(browser).is_none();
        let words = if counted {
            "No sample has a value there."
        } else {
            "Its values are still being counted."
        };
        browser.say(words);
    }

    /// The first and the last chosen bin of a row, and how many there are.
    fn ends(&self, row: usize, browser: &Browser) -> Option<(usize, usize, usize)> {
        let count = self.chart(row)?.bins.count();
        let chosen = self
            .chosen_bins(row, browser)
            .unwrap_or_else(|| vec![true; count]);
        let first = chosen.iter().position(|&chosen| chosen).unwrap_or(0);
        let last = chosen
            .iter()
            .rposition(|&chosen| chosen)
            .unwrap_or(count - 1);
        Some((first, last, count))
    }

    /// Only the value of a digit; once more: all of them.
    fn choose_value(&mut self, digit: u8, browser: &mut Browser) {
        let Some(row) = self.panel().map(|panel| panel.chosen) else {
            return;
        };
        let Some(bins) = self.chart(row).map(|chart| chart.bins.clone()) else {
            return self.say_still_counting(browser);
        };
        let (bin, count) = (
            bins.of(f64::from(digit)).filter(|_| bins.are_values()),
            bins.count(),
        );
        match bin {
            Some(bin) if self.ends(row, browser) == Some((bin, bin, count)) => {
                self.choose_bins(row, 0, count - 1, browser);
            }
            Some(bin) => self.choose_bins(row, bin, bin, browser),
            None if bins.are_values() => {
                browser.say(format!("No value in this row is {digit}."));
            }
            None => {
                let words = "This row has ranges: ← → and H L move their ends.";
                browser.say(words);
            }
        }
    }

    fn choose_bins(&mut self, row: usize, first: usize, last: usize, browser: &mut Browser) {
        let Some(field) = self.panel().and_then(|panel| panel.rows.get(row)).cloned() else {
            return;
        };
        let Some(bins) = self.chart(row).map(|chart| chart.bins.clone()) else {
            return;
        };
        let before = self.chosen_bins(row, browser);
        browser.change_query(|query| query.choosing(&field, &bins, first, last));
        // What has a hole in it becomes a range, which may not be what was meant.
        let runs = before
            .iter()
            .flatten()
            .fold((0, false), |(runs, last), &chosen| {
                (runs + usize::from(chosen && !last), chosen)
            });
        if runs.0 > 1 {
            browser.say("The values that were listed are a range now; f shows the query.");
        }
    }

    /// The pointer went down in the drawer, or moved there while it was down.
    pub(super) fn point_at_panel(
        &mut self,
        column: u16,
        line: u16,
        pressed: bool,
        browser: &mut Browser,
    ) {
        let drawer = browser.geometry().drawer;
        let Some(panel) = self.panel() else {
            return;
        };
        let height = usize::from(drawer.height.saturating_sub(1));
        let on_row = line
            .checked_sub(drawer.y + 1)
            .map(|line| panel.top(height) + usize::from(line));
        let row = match (pressed, panel.held) {
            (true, _) => on_row.filter(|row| *row < panel.rows.len()),
            (false, held) => held.map(|(row, _)| row),
        };
        let Some(row) = row else { return };
        let count = self.chart(row).map_or(0, |chart| chart.bins.count());
        let places = panel.places(drawer, count);
        let bin = column
            .checked_sub(places.bins)
            .filter(|_| places.bin_width > 0 && count > 0);
        let bin = bin.map(|within| usize::from(within / places.bin_width).min(count - 1));
        let Some(panel) = self.panel_mut() else {
            return;
        };
        match (pressed, bin, panel.held) {
            (true, Some(bin), _) => {
                (panel.chosen, panel.held) = (row, Some((row, bin)));
                let only = self.ends(row, browser) == Some((bin, bin, count));
                // Once more on the only value: all of them.
                let (first, last) = if only { (0, count - 1) } else { (bin, bin) };
                self.choose_bins(row, first, last, browser);
            }
            (true, None, _) => {
                let again = panel.chosen == row && column >= places.view;
                panel.chosen = row;
                if again {
                    self.move_handle(PanelAction::NextView, None, browser);
                }
            }
            (false, Some(bin), Some((_, start))) => {
                self.choose_bins(row, start.min(bin), start.max(bin), browser);
            }
            (false, ..) => {}
        }
    }
}

impl Browser {
    /// Rows of the drawer for a panel: at most a third of the screen, or as many as its labels need.
    pub(super) fn panel_height(&self, panel: &Panel) -> u16 {
        let labels = panel.rows.iter();
        let labels = labels.filter(|row| row.column.is_rating());
        let least = u16::try_from(labels.count() + 1).unwrap_or(u16::MAX);
        let third = self.layout.size.1 / 3;
        self.fitting_drawer(panel.height().min(third.max(least)))
    }

    /// As many of these rows as a drawer may have.
    pub(super) fn fitting_drawer(&self, wanted: u16) -> u16 {
        let (_, height) = self.layout.size;
        // On a low screen one row of it is more useful than a row of text.
        wanted
            .min(height.saturating_sub(2 + PANES_LEAST).max(2))
            .min(height.saturating_sub(2))
    }
}
