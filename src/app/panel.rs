//! The labels panel: a row for each label and each count, with a chart of its values and handles
//! that edit the filter.
//!
//! The panel has no filter state: handles show the active query, and moving one replaces it. So
//! typed queries show in the panel, and moved handles show as text.

use super::perform::ViewRequest;
use super::shown::filtering::ActiveFilter;
use super::{Action, App, Area, Chart, Mode, Toggle, View, texts};
use crate::model::ResponseId;
use crate::query::{self, Aggregate, Field};
use crate::text;

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

/// Rows reserved for the panes above.
const PANES_LEAST: u16 = 8;

impl Panel {
    /// Returns the number of folded rows.
    pub fn folded(&self) -> usize {
        self.rows.len() - self.shown
    }

    /// Returns the rows it needs, with its title, a row of heads or words, and the fold.
    pub(super) fn height(&self) -> u16 {
        u16::try_from(self.shown + usize::from(self.folded() > 0))
            .unwrap_or(u16::MAX)
            .saturating_add(2)
    }

    /// Toggles between all rows and labels only.
    fn toggle_fold(&mut self) {
        self.shown = match self.folded() {
            0 => labels_of(&self.rows),
            _ => self.rows.len(),
        };
        self.chosen = self.chosen.min(self.shown.saturating_sub(1));
    }

    /// Returns the first visible row, so that the selected one is on the screen.
    pub fn top(&self, area: Area) -> usize {
        (self.chosen + 1).saturating_sub(usize::from(area.height.saturating_sub(2)))
    }
}

/// Where the parts of a row about a label are, in columns of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelPlaces {
    /// The label's name.
    pub name: u16,
    /// The values of the responses in the panes.
    pub pair: u16,
    /// Whose values the filter tests; `None` where there is no room.
    pub side: Option<u16>,
    /// The first slot of the histogram. A cell for a bracket is before it.
    pub slots: u16,
    /// The column after the last one.
    pub end: u16,
}

/// Width from which rows of labels have all columns.
const WIDE_LABELS: u16 = 72;
/// Cells of the longest name that is not truncated, and of the column of pairs.
const NAME: usize = 16;
const PAIR: u16 = 9;
/// Cells of the shortest column of names, and of the slots, where rows have all columns.
const NARROWEST: usize = 7;
const SLOTS: u16 = 25;

/// Widths of the columns of rows of labels, in cells.
#[derive(Debug, Clone, Copy)]
pub struct LabelWidths {
    /// The longest name.
    pub names: usize,
    /// The longest values of a pair.
    pub pairs: usize,
    /// The longest name of an aggregate, and the longest lower end of a histogram; `None` if they get
    /// no columns.
    pub wide: Option<[usize; 2]>,
}

impl LabelPlaces {
    /// Returns the places in an area for contents of these widths.
    pub fn of(area: Area, widths: LabelWidths) -> Self {
        let (name, end) = (area.x + 1, area.right());
        let LabelWidths { names, pairs, wide } = widths;
        let names = names
            .clamp(NARROWEST, NAME)
            .min(usize::from(area.width) / 2) as u16;
        if let Some([sides, low]) = wide.filter(|_| area.width >= WIDE_LABELS) {
            let pair = name + names + 2;
            let side = pair + (pairs as u16).max(PAIR) + 2;
            let slots = side + (sides + 2 + low + 2) as u16 + 1;
            if slots + SLOTS <= end {
                return Self {
                    name,
                    pair,
                    side: Some(side),
                    slots,
                    end,
                };
            }
        }
        let pair = name + names + 1;
        Self {
            name,
            pair,
            side: None,
            slots: pair + pairs as u16 + 1,
            end,
        }
    }

    /// Returns the width of a slot of a chart: the glyphs of A and B or one for both, then a cell
    /// for a bracket, if there is room.
    pub fn slot_width(&self, chart: &Chart) -> u16 {
        let count = chart.bins.count() as u16;
        let most = match self.side {
            Some(_) if chart.has_slots() => 5,
            Some(_) => 3,
            None => chart.narrow_slot(),
        };
        let room = self.end.saturating_sub(self.slots);
        most.min(room / count.max(1)).max(1)
    }

    /// Returns the line of the first row: below the title, and below the heads where they are wide.
    pub fn first_row(&self, area: Area) -> u16 {
        area.y + 1 + u16::from(self.side.is_some())
    }
}

/// Where the histogram of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistogramPlace {
    /// The first slot, in columns of the screen.
    pub start: u16,
    /// Cells of a slot.
    pub slot: u16,
    /// Cells of the label's name.
    pub name: usize,
    /// False if the histogram takes the place of the pair's values.
    pub shows_pair: bool,
}

impl App {
    /// Returns the columns of the panel's rows.
    pub fn label_places(&self, panel: &Panel, area: Area) -> LabelPlaces {
        let shown = &panel.rows[..panel.shown];
        let responses = self.data.catalog.responses();
        let width = |row: &Field| text::width(row.column.name);
        let pair = |row: &Field| text::width(&self.pair_words(*row));
        let sides = |row: &Field| {
            let of =
                VIEWS.map(|view| text::width(&side_of_row(&Field { view, ..*row }, responses)));
            of.into_iter().max().unwrap_or(0)
        };
        let low = |row: &Field| {
            let chart = self.chart(*row);
            chart.map_or(0, |chart| text::width(&text::number(chart.bins.ends(0).0)))
        };
        let widest = |of: &dyn Fn(&Field) -> usize| shown.iter().map(of).max().unwrap_or(0);
        let wide = LabelPlaces::of(
            area,
            LabelWidths {
                names: widest(&width),
                pairs: widest(&pair),
                wide: Some([widest(&sides), widest(&low)]),
            },
        );
        if wide.side.is_some() {
            return wide;
        }
        // Where there is little room, only labels with few values are above each other.
        let has_slots =
            |row: &&Field| row.column.is_rating() && self.chart(**row).is_none_or(Chart::has_slots);
        let labels = shown.iter().filter(|row| row.column.is_rating());
        let pairs = shown.iter().filter(has_slots).map(pair).max().unwrap_or(0);
        LabelPlaces::of(
            area,
            LabelWidths {
                names: labels.map(width).max().unwrap_or(0),
                pairs: pairs.max(3),
                wide: None,
            },
        )
    }

    /// Returns where the histogram of a field is.
    pub fn histogram_place(&self, field: Field, places: &LabelPlaces) -> HistogramPlace {
        let chart = self.chart(field);
        let slot = chart.map_or(1, |chart| places.slot_width(chart));
        let cells = chart.map_or(0, |chart| slot * chart.bins.count() as u16);
        let names = usize::from(places.pair - places.name - 1);
        let name = match places.side.is_some() || field.column.is_rating() {
            true => names,
            false => names.max(text::width(field.column.name).min(NAME)),
        };
        let start = match places.side {
            Some(_) => places.slots,
            // With little room the slots come after a long pair, or in its place.
            None => {
                let pair = text::width(&self.pair_words(field)) as u16;
                let after = places.name + name as u16 + 1 + pair + 1 + u16::from(slot == 1);
                places.slots.max(after)
            }
        };
        let shows_pair = start + cells <= places.end;
        HistogramPlace {
            start: if shows_pair { start } else { places.slots },
            slot,
            name,
            shows_pair,
        }
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

/// Says whose values a row tests: `A or B`; empty for values of the sample.
pub fn side_of_row(row: &Field, responses: usize) -> String {
    match row.view {
        _ if !row.column.is_of_responses() => String::new(),
        Aggregate::At(response) => response.letter().to_owned(),
        Aggregate::Gap => "gap".to_owned(),
        side => query::side_in_words(side, responses),
    }
}

impl Panel {
    /// Returns the bins that the active query selects in a row; `None` if it does not restrict the
    /// row.
    pub fn chosen_bins(&self, row: usize, app: &App) -> Option<Vec<bool>> {
        let field = self.rows.get(row)?;
        let chart = app.chart(*field)?;
        app.filter.active()?.query.chosen(field, &chart.bins)
    }

    /// Returns the first and the last selected bin of a row, and the number of bins.
    fn ends(&self, row: usize, app: &App) -> Option<(usize, usize, usize)> {
        let count = app.chart(*self.rows.get(row)?)?.bins.count();
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
        let is_counted = |panel: &Panel| self.is_charted(panel.rows[panel.chosen]);
        self.say(match self.views.panel().is_some_and(is_counted) {
            true => "No sample has a value for this field.",
            false => "The values are still being counted; try again.",
        });
    }

    /// Selects only the value of a digit; pressed again, all values.
    fn choose_value(&mut self, digit: u8) {
        let Some(panel) = self.views.panel() else {
            return;
        };
        let row = panel.chosen;
        let Some(chart) = self.chart(panel.rows[row]) else {
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
        let Some(&field) = panel.rows.get(row) else {
            return;
        };
        let Some(chart) = self.chart(field) else {
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
        let area = self.geometry().panel();
        let Some(panel) = self.views.panel() else {
            return;
        };
        let places = self.label_places(panel, area);
        let on_row = line
            .checked_sub(places.first_row(area))
            .map(|line| panel.top(area) + usize::from(line));
        let row = if pressed {
            on_row.filter(|row| *row < panel.shown)
        } else {
            panel.drag_start.map(|(row, _)| row)
        };
        let Some(row) = row else { return };
        let count = self
            .chart(panel.rows[row])
            .map_or(0, |chart| chart.bins.count());
        let HistogramPlace { start, slot, .. } = self.histogram_place(panel.rows[row], &places);
        // The cell before a slot is for its bracket.
        let bin = (column + u16::from(slot > 1))
            .checked_sub(start)
            .filter(|_| count > 0)
            .map(|within| usize::from(within / slot))
            .filter(|bin| *bin < count || !pressed)
            .map(|bin| bin.min(count - 1));
        let Some(panel) = self.views.panel_mut() else {
            return;
        };
        match (pressed, bin, panel.drag_start) {
            (true, Some(bin), _) => {
                (panel.chosen, panel.drag_start) = (row, Some((row, bin)));
                self.choose_only(row, bin);
            }
            (true, None, _) => {
                let again = panel.chosen == row && column >= places.side.unwrap_or(places.pair);
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
        let least = u16::try_from(labels_of(&panel.rows) + 3).unwrap_or(u16::MAX);
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
