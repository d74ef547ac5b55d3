//! The labels panel: a row for each label and each count, with a chart of its values and handles
//! that edit the filter.
//!
//! The panel has no filter state: handles show the active query, and moving one replaces it. So
//! typed queries show in the panel, and moved handles show as text.

use super::job::Job;
use super::pages::page_doc::{CountedState, Lazy, PageSources};
use super::perform::ViewRequest;
use super::shown::filtering::ActiveFilter;
use super::{Action, App, Area, Mode, ShownSamples, Toggle, View, texts};
use crate::dataset::Dataset;
use crate::model::ResponseId;
use crate::parallel::KeepGoing;
use crate::query::{Aggregate, Bin, Bins, Catalog, Field, histogram, shown_places};
use crate::table::Level;
use crate::text::{self, number};

/// The aggregates that a row can show, in the order of the key that cycles through them.
const VIEWS: [Aggregate; 5] = [
    Aggregate::Same,
    Aggregate::All,
    Aggregate::At(ResponseId::A),
    Aggregate::At(ResponseId::B),
    Aggregate::Gap,
];

/// The labels panel: a row with a histogram for each numeric column.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// The field of each row.
    pub rows: Vec<Field>,
    /// Number of visible rows: only labels while the counts are folded.
    pub shown: usize,
    /// Index of the selected row.
    pub chosen: usize,
    /// Row and bin where the mouse button went down.
    pub(super) drag_start: Option<(usize, usize)>,
    /// The query that was active when it was opened.
    before: Option<ActiveFilter>,
    /// The charts of its rows (`None` for a label that no sample has). The previous charts stay
    /// while new ones are counted.
    pub(super) charts: Lazy<ChartKey, Vec<Option<Chart>>>,
}

/// The query id of charts over all samples.
pub(super) const ALL_SAMPLES: (u64, usize) = (0, 0);

/// The charts of these fields for the results of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartKey {
    pub state: CountedState,
    /// One per row.
    pub fields: Vec<Field>,
}

/// The distribution of a label's values.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Assigns values to bins.
    pub bins: Bins,
    /// The counts of the bins.
    pub histogram: Vec<Bin>,
}

/// An action on the selected row.
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
    /// Show the next aggregate.
    NextView,
    /// Remove this label from the filter.
    Clear,
    /// Select the next sample.
    NextSample,
    /// Select the previous sample.
    PreviousSample,
}

/// The columns of a row's parts, in cells of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPlaces {
    /// Column of the label's name.
    pub name: u16,
    /// Column of the aggregate's name.
    pub view: u16,
    /// Column of the first bin.
    pub bins: u16,
    /// Width of a bin in columns.
    pub bin_width: u16,
    /// The smallest and largest value, if bins are too narrow to show each value.
    pub ends: Option<[String; 2]>,
}

/// Cells of the longest aggregate name and the space after it.
pub const VIEW_WIDTH: u16 = 5;
/// Cells of the longest name that is not truncated.
const NAME_WIDTH: u16 = 16;
/// Maximum number of samples that are counted before the next frame.
const BRIEF_CHARTS: usize = 50_000;
/// Rows reserved for the panes above.
const PANES_LEAST: u16 = 8;

impl ChartKey {
    /// Returns the job that counts the charts.
    pub(super) fn job(self, of: &PageSources<'_>) -> Job {
        let (shown, catalog) = (of.shown.clone(), of.data.catalog.clone());
        let is_brief = self.state.samples <= BRIEF_CHARTS;
        Job::new(
            "charts",
            of.data,
            self,
            is_brief,
            move |key, of| key.count(of.dataset, &catalog, &shown, of.keep_going),
            |app, key, charts| {
                let place = match key.state.query {
                    ALL_SAMPLES => app.views.line_mut().map(|line| &mut line.filter.charts),
                    _ => app.views.panel_mut().map(|panel| &mut panel.charts),
                };
                if let Some(place) = place {
                    place.put(key, charts);
                }
            },
        )
    }

    /// Counts the charts of a panel. Checks for cancellation every few thousand samples of each row
    /// and returns `None` then.
    pub fn count(
        &self,
        dataset: &Dataset,
        catalog: &Catalog,
        shown: &ShownSamples,
        keep_going: &dyn KeepGoing,
    ) -> Option<Vec<Option<Chart>>> {
        // Charts over all samples need no mask.
        let found = shown.found().filter(|_| self.state.query != ALL_SAMPLES);
        let mask = |level| match found {
            Some(found) => shown_places(dataset, level, found, keep_going).map(Some),
            None => Some(None),
        };
        let masks = [mask(Level::Sample)?, mask(Level::Response)?];
        let row = |field: &Field| {
            // A and B use the same values as any response; the gap has its own.
            let view = match field.view {
                Aggregate::Gap => Aggregate::Gap,
                _ => Aggregate::Same,
            };
            let mask = masks[field.level() as usize].as_deref();
            let range = catalog.label_range(field.column);
            let bins = Bins::for_field(dataset, &Field { view, ..*field }, range, keep_going)?;
            let histogram = histogram(dataset, field, &bins, mask, keep_going)?;
            Some(Chart { bins, histogram })
        };
        let rows = self
            .fields
            .iter()
            .map(|field| keep_going().then(|| row(field)))
            .collect::<Option<_>>()?;
        // A cancelled count looks like a label that no sample has.
        keep_going().then_some(rows)
    }
}

impl Panel {
    /// Returns the number of folded rows.
    pub fn folded(&self) -> usize {
        self.rows.len() - self.shown
    }

    /// Returns the rows it needs, with its title and the fold.
    pub(super) fn height(&self) -> u16 {
        u16::try_from(self.shown + usize::from(self.folded() > 0))
            .unwrap_or(u16::MAX)
            .saturating_add(1)
    }

    /// Toggles between all rows and labels only.
    fn toggle_fold(&mut self) {
        self.shown = match self.folded() {
            0 => labels_of(&self.rows),
            _ => self.rows.len(),
        };
        self.chosen = self.chosen.min(self.shown.saturating_sub(1));
    }

    /// Returns the columns of a row's parts in the drawer.
    pub fn places(&self, drawer: Area, row: usize) -> RowPlaces {
        let name_width = self
            .rows
            .iter()
            .map(|row| text::width(row.column.name) as u16)
            .max()
            .unwrap_or(0)
            .min(NAME_WIDTH)
            .min(drawer.width / 4);
        let name = drawer.x + 2;
        let view = name + name_width + 1;
        let first = view + VIEW_WIDTH;
        let bins = self.chart(row).map_or(&[][..], |chart| &*chart.histogram);
        let room = drawer.right().saturating_sub(first + 1);
        let count = u16::try_from(bins.len().max(1)).unwrap_or(u16::MAX);
        let widest = bins
            .iter()
            .map(|bin| text::width(&number(bin.low)))
            .max()
            .unwrap_or(0) as u16;
        let (mut bins_at, mut bin_width, mut ends) = (first, room / count, None);
        if let [low, .., high] = bins
            && bin_width < widest + 3
        {
            let both = [number(low.low), number(high.high)];
            let [before, after] = both.each_ref().map(|end| text::width(end) as u16);
            bins_at += before;
            bin_width = room.saturating_sub(before + after + 2) / count;
            ends = Some(both);
        }
        RowPlaces {
            name,
            view,
            bins: bins_at,
            bin_width,
            ends,
        }
    }

    /// Returns the first visible row so that the selected one is among `height` rows.
    pub fn top(&self, height: usize) -> usize {
        (self.chosen + 1).saturating_sub(height)
    }
}

/// True if the values of a field can be charted.
pub(super) fn is_charted(field: &Field) -> bool {
    let id = field.column;
    id.kind.is_number()
        && VIEWS.contains(&field.view)
        && !id.source.is_place()
        && !id.source.is_found_on_demand()
}

/// Returns how many leading rows are labels; all if there is none.
fn labels_of(rows: &[Field]) -> usize {
    match rows.iter().filter(|row| row.column.is_rating()).count() {
        0 => rows.len(),
        labels => labels,
    }
}

/// Returns the name of a row's aggregate; empty for values of the sample.
pub fn view_word(row: &Field) -> &'static str {
    match row.view {
        _ if !row.column.is_of_responses() => "",
        Aggregate::All => "both",
        Aggregate::At(response) => response.letter(),
        Aggregate::Gap => "gap",
        _ => "any",
    }
}

impl Panel {
    /// True if charts were counted for any state.
    pub fn has_charts(&self) -> bool {
        self.charts.key().is_some()
    }

    /// Returns the bins that the active query selects in a row; `None` if it does not restrict the
    /// row.
    pub fn chosen_bins(&self, row: usize, app: &App) -> Option<Vec<bool>> {
        let (field, chart) = (self.rows.get(row)?, self.chart(row)?);
        app.filter.active()?.query.chosen(field, &chart.bins)
    }

    /// Returns the chart of a row.
    pub fn chart(&self, row: usize) -> Option<&Chart> {
        // Charts of another aggregate have other bins.
        let is_same = |key: &ChartKey| key.fields.get(row) == self.rows.get(row);
        self.charts.get(is_same)?.get(row)?.as_ref()
    }

    /// Returns the key of the charts that must be counted.
    pub(super) fn needed(&self, of: &PageSources<'_>) -> Option<ChartKey> {
        let key = ChartKey {
            state: of.state,
            fields: self.rows[..self.shown].to_vec(),
        };
        self.charts.need(key)
    }

    /// Returns the first and the last selected bin of a row, and the number of bins.
    fn ends(&self, row: usize, app: &App) -> Option<(usize, usize, usize)> {
        let count = self.chart(row)?.bins.count();
        let chosen = self
            .chosen_bins(row, app)
            .unwrap_or_else(|| vec![true; count]);
        let first = chosen.iter().position(|&chosen| chosen);
        let last = chosen.iter().rposition(|&chosen| chosen);
        Some((first.unwrap_or(0), last.unwrap_or(count - 1), count))
    }
}

impl App {
    /// Opens or closes the panel.
    pub(super) fn close_panel(&mut self) {
        if self.views.panel().is_some() {
            self.toggle_panel();
        }
    }

    pub(super) fn toggle_panel(&mut self) {
        if self.views.close(Mode::Panel).is_none() {
            if self.views.rate().is_some() {
                self.toggle_rate();
            }
            let fields = self
                .number_columns()
                .into_iter()
                .map(|column| Field::of(column.id));
            let mut rows: Vec<_> = fields.filter(is_charted).collect();
            rows.sort_by_key(|row| !row.column.is_rating());
            // A row starts with the aggregate that the query already uses.
            let asked = self.filter.query();
            for row in &mut rows {
                if !row.column.is_of_responses() {
                    continue;
                }
                let mut fields = VIEWS.iter().map(|&view| Field { view, ..*row });
                *row = fields
                    .find(|field| asked.tests_field(field))
                    .unwrap_or(*row);
            }
            let labels = labels_of(&rows);
            let is_asked = rows[labels..].iter().any(|row| asked.tests_field(row));
            let before = self.filter.active().cloned();
            self.views.open(View::Panel(Panel {
                shown: if is_asked { rows.len() } else { labels },
                rows,
                before,
                ..Panel::default()
            }));
        }
    }

    pub(super) fn act_in_panel(&mut self, action: Action, count: Option<usize>) {
        let Some(panel) = self.views.panel_mut() else {
            return;
        };
        let last = panel.shown.saturating_sub(1);
        match action {
            Action::Toggle(Toggle::Folds) => panel.toggle_fold(),
            Action::NextSample => {
                if panel.chosen == last && panel.folded() > 0 {
                    panel.toggle_fold();
                }
                panel.chosen = (panel.chosen + 1).min(panel.shown.saturating_sub(1));
            }
            Action::PreviousSample => panel.chosen = panel.chosen.saturating_sub(1),
            Action::FirstSample => panel.chosen = 0,
            Action::LastSample => panel.chosen = last,
            Action::Digit(digit) => self.choose_value(digit),
            Action::Handle(handle) => self.move_handle(handle, count),
            Action::LabelsPanel | Action::Back | Action::Zoom | Action::Accept => {
                self.toggle_panel();
            }
            Action::Cancel => {
                let before = panel.before.clone();
                self.toggle_panel();
                self.set_filter(before);
                self.release_anchor();
            }
            other => self.hand_over(ViewRequest::Act(other), count),
        }
    }

    fn move_handle(&mut self, handle: PanelAction, count: Option<usize>) {
        let Some(panel) = self.views.panel_mut() else {
            return;
        };
        let row = panel.chosen;
        let field = &mut panel.rows[row];
        match handle {
            PanelAction::NextSample => {
                self.hand_over(ViewRequest::Act(Action::NextSample), count);
            }
            PanelAction::PreviousSample => {
                self.hand_over(ViewRequest::Act(Action::PreviousSample), count);
            }
            PanelAction::NextView if !field.column.is_of_responses() => {
                let words = texts::has_no_sides(field.column.name);
                self.say(words);
            }
            PanelAction::NextView => {
                let at = VIEWS.iter().position(|view| *view == field.view);
                field.view = VIEWS[(at.unwrap_or(0) + 1) % VIEWS.len()];
            }
            PanelAction::Clear => {
                let field = *field;
                self.change_query(|query| query.without(&field));
            }
            PanelAction::LowDown
            | PanelAction::LowUp
            | PanelAction::HighDown
            | PanelAction::HighUp => {
                let ends = self.views.panel().and_then(|panel| panel.ends(row, self));
                let Some((low, high, count)) = ends else {
                    return self.say_still_counting();
                };
                let (low, high) = match handle {
                    PanelAction::LowDown => (low.saturating_sub(1), high),
                    PanelAction::LowUp => ((low + 1).min(high), high),
                    PanelAction::HighDown => (low, high.saturating_sub(1).max(low)),
                    _ => (low, (high + 1).min(count - 1)),
                };
                self.choose_bins(row, low, high);
            }
        }
    }

    fn say_still_counting(&mut self) {
        let needed = |panel: &Panel| panel.needed(&self.page_sources()).is_some();
        self.say(match self.views.panel().is_some_and(needed) {
            false => "No sample has a value for this field.",
            true => "The values are still being counted; try again.",
        });
    }

    /// Selects only the value of a digit; pressed again, all values.
    fn choose_value(&mut self, digit: u8) {
        let Some(panel) = self.views.panel() else {
            return;
        };
        let row = panel.chosen;
        let Some(chart) = panel.chart(row) else {
            return self.say_still_counting();
        };
        let are_values = chart.bins.are_values();
        match chart.bins.of(f64::from(digit)).filter(|_| are_values) {
            Some(bin) => self.choose_only(row, bin),
            None if are_values => self.say(format!("This row does not have the value {digit}.")),
            None => self.say("This row has ranges; ← → and H L move the ends."),
        }
    }

    /// Selects only this bin, or all if it is the only one.
    fn choose_only(&mut self, row: usize, bin: usize) {
        let ends = self.views.panel().and_then(|panel| panel.ends(row, self));
        let (first, last) = match ends {
            Some((first, last, count)) if (first, last) == (bin, bin) => (0, count - 1),
            _ => (bin, bin),
        };
        self.choose_bins(row, first, last);
    }

    fn choose_bins(&mut self, row: usize, first: usize, last: usize) {
        let Some(panel) = self.views.panel() else {
            return;
        };
        let Some((field, chart)) = panel.rows.get(row).copied().zip(panel.chart(row)) else {
            return;
        };
        let before = panel.chosen_bins(row, self).unwrap_or_default();
        let bins = chart.bins.clone();
        self.change_query(|query| query.with_bins(&field, &bins, first, last));
        // A selection with a hole becomes a range, which the user may not have meant.
        let mut runs = before.chunk_by(|one, next| one == next);
        if runs.any(|run| run[0]) && runs.any(|run| run[0]) {
            self.say("The selected values are now one range; f shows the query.");
        }
    }

    /// Handles the mouse button going down, or a drag, in the panel's drawer.
    pub(super) fn point_at_panel(&mut self, column: u16, line: u16, pressed: bool) {
        let drawer = self.geometry().drawer;
        let Some(panel) = self.views.panel_mut() else {
            return;
        };
        let height = usize::from(drawer.height.saturating_sub(1));
        let on_row = line
            .checked_sub(drawer.y + 1)
            .map(|line| panel.top(height) + usize::from(line));
        let row = if pressed {
            on_row.filter(|row| *row < panel.shown)
        } else {
            panel.drag_start.map(|(row, _)| row)
        };
        let Some(row) = row else { return };
        let count = panel.chart(row).map_or(0, |chart| chart.bins.count());
        let places = panel.places(drawer, row);
        let bin = column
            .checked_sub(places.bins)
            .filter(|_| places.bin_width > 0 && count > 0)
            .map(|within| usize::from(within / places.bin_width).min(count - 1));
        match (pressed, bin, panel.drag_start) {
            (true, Some(bin), _) => {
                (panel.chosen, panel.drag_start) = (row, Some((row, bin)));
                self.choose_only(row, bin);
            }
            (true, None, _) => {
                let again = panel.chosen == row && column >= places.view;
                panel.chosen = row;
                if again {
                    self.move_handle(PanelAction::NextView, None);
                }
            }
            (false, Some(bin), Some((_, start))) => {
                self.choose_bins(row, start.min(bin), start.max(bin));
            }
            (false, ..) => {}
        }
    }

    /// Returns the drawer's rows for a panel: at most a third of the screen, or as many as its
    /// labels need.
    pub(super) fn panel_height(&self, panel: &Panel) -> u16 {
        let least = u16::try_from(labels_of(&panel.rows) + 2).unwrap_or(u16::MAX);
        let third = self.layout.size.1 / 3;
        self.fitting_drawer(panel.height().min(third.max(least)))
    }

    /// Limits a number of rows to what a drawer may have.
    pub(super) fn fitting_drawer(&self, requested: u16) -> u16 {
        let (_, height) = self.layout.size;
        // On a low screen one of its rows is more useful than a row of text.
        requested
            .min(height.saturating_sub(2 + PANES_LEAST).max(2))
            .min(height.saturating_sub(2))
    }
}
