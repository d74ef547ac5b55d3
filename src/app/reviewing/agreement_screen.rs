//! The screen of agreement: whose with whom, and the cells of its matrices, behind each of which
//! stand samples.

use std::sync::Arc;

use super::super::filtering::ActiveFilter;
use super::super::input_line::in_force;
use super::super::menu::{Menu, MenuChoices, MenuKind, MenuLine};
use super::super::{App, PaneText, StackLine, View};
use super::TextScreen;
use crate::query::{Catalog, Field};
use crate::review::{AgreementPage, CountCell, CountGrid};
use crate::table::{ColumnId, ColumnSource, Rater, Raters};
use crate::text;

/// Whose judgments are compared with what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ComparedParties {
    /// One's own with the dataset.
    #[default]
    OwnWithDataset,
    /// Another reviewer's with the dataset.
    WithDataset(Arc<str>),
    /// Everybody's with the dataset.
    AllWithDataset,
    /// Two reviewers' with each other.
    Pair([Arc<str>; 2]),
}

/// Reviewers of whom each two are offered.
const MOST_EACH: usize = 10;

/// A cell of a matrix on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenCell {
    /// Its line in the text.
    pub line: usize,
    /// The first of its cells in the line, and how many there are.
    pub x: u16,
    /// How wide it is.
    pub width: u16,
    /// Which matrix, and which of its cells.
    place: (usize, usize),
}

/// Matrices of a page, and where one is among their cells.
#[derive(Debug, Clone, Default)]
pub(super) struct ScreenGrids {
    grids: Vec<CountGrid>,
    /// Where the cells stand; those of a matrix that is not found in the text are not there.
    cells: Vec<ScreenCell>,
    /// The cell that the cursor is on, by its place among them.
    at: Option<usize>,
}

/// The screen that one left for the samples behind a cell.
#[derive(Debug)]
pub(super) struct LeftAgreement {
    screen: TextScreen,
    /// The filter in force before.
    before: Option<ActiveFilter>,
    /// The one that leads to the samples.
    text: String,
}

impl ScreenGrids {
    pub(super) fn of(grids: Vec<CountGrid>) -> Self {
        Self {
            grids,
            cells: Vec::new(),
            at: None,
        }
    }

    /// Finds the cells in the text as it is laid out, one matrix behind the other.
    pub(super) fn place(&mut self, stack: &PaneText) {
        let kept = self
            .at
            .and_then(|at| self.cells.get(at))
            .map(|cell| cell.place);
        self.cells.clear();
        let lines: Vec<String> = stack.parts(0..stack.len()).map(line_text).collect();
        let mut from = 0;
        for (grid_at, grid) in self.grids.iter().enumerate() {
            let found = |first: usize| {
                let here = lines.get(first..first + grid.lines.len())?;
                let start = here.first()?.find(grid.lines.first()?.trim_end())?;
                let is_there = here.iter().zip(&grid.lines).all(|(line, own)| {
                    line.get(start..)
                        .is_some_and(|line| line.trim_end() == own.trim_end())
                });
                is_there.then_some((first, start))
            };
            let Some((first, start)) = (from..lines.len()).find_map(found) else {
                continue;
            };
            from = first + grid.lines.len();
            for (cell_at, cell) in grid.cells.iter().enumerate() {
                let CountCell { line, span, .. } = cell;
                let own = &grid.lines[*line];
                let width = |part: &str| text::width(part) as u16;
                self.cells.push(ScreenCell {
                    line: first + line,
                    x: start as u16 + width(&own[..span.start]),
                    width: width(&own[span.clone()]),
                    place: (grid_at, cell_at),
                });
            }
        }
        let known = |place| self.cells.iter().position(|cell| cell.place == place);
        self.at = kept
            .and_then(known)
            .or((!self.cells.is_empty()).then_some(0));
    }

    /// The cell that the cursor is on.
    pub(super) fn cursor(&self) -> Option<ScreenCell> {
        self.cells.get(self.at?).copied()
    }

    /// Whether the cursor went so many cells down (or up) or to the right (or left).
    pub(super) fn go(&mut self, down: isize, right: isize) -> bool {
        let Some(now) = self.cursor() else {
            return false;
        };
        let lines = || self.cells.iter().map(|cell| cell.line);
        let line = match down {
            0 => Some(now.line),
            1.. => lines().filter(|line| *line > now.line).min(),
            _ => lines().filter(|line| *line < now.line).max(),
        };
        let in_line = self.cells.iter().enumerate();
        let in_line = in_line.filter(|(_, cell)| Some(cell.line) == line);
        let next = match right {
            0 => in_line.min_by_key(|(_, cell)| cell.x.abs_diff(now.x)),
            1.. => in_line
                .filter(|(_, cell)| cell.x > now.x)
                .min_by_key(|(_, cell)| cell.x),
            _ => in_line
                .filter(|(_, cell)| cell.x < now.x)
                .max_by_key(|(_, cell)| cell.x),
        };
        let next = next.map(|(at, _)| at);
        self.at = next.or(self.at);
        next.is_some()
    }

    /// The matrix and the cell under the cursor.
    fn chosen(&self) -> Option<(&CountGrid, &CountCell)> {
        let (grid, cell) = self.cursor()?.place;
        let grid = self.grids.get(grid)?;
        Some((grid, grid.cells.get(cell)?))
    }
}

/// What a line of a text says.
fn line_text(line: StackLine<'_>) -> String {
    match line {
        StackLine::Line(section, line, _) => {
            let text = section.block.text();
            text.get(line.range.clone()).unwrap_or_default().to_owned()
        }
        StackLine::Gap | StackLine::Heading(_) | StackLine::Fold(_) => String::new(),
    }
}

impl ComparedParties {
    /// In words: `you and the dataset`.
    pub fn words(&self) -> String {
        match self {
            Self::OwnWithDataset => "you and the dataset".to_owned(),
            Self::WithDataset(name) => format!("{} and the dataset", text::one_line(name, 24)),
            Self::AllWithDataset => "all reviewers and the dataset".to_owned(),
            Self::Pair(two) => {
                let [one, other] = two.each_ref().map(|name| text::one_line(name, 24));
                format!("{one} and {other}")
            }
        }
    }

    /// The query that finds the samples behind a cell: with these values of a label (of who wins,
    /// without one).
    fn query(
        &self,
        catalog: &Catalog,
        reviewers: &[Arc<str>],
        label: Option<&str>,
        [first, second]: [&str; 2],
    ) -> String {
        let of = |rater: Rater, value: &str| {
            let column = match label {
                Some(label) => ColumnId::of(ColumnSource::Rated(Raters::One(rater)), label),
                None => ColumnId::of(ColumnSource::RatedVerdict(rater), ""),
            };
            format!("{}={value}", Field::of(column).spelled(catalog))
        };
        let named = |name: &Arc<str>, value| of(Rater::Named(Arc::clone(name)), value);
        let dataset = match label {
            Some(label) => {
                let column = Field::of(ColumnId::of(ColumnSource::Label, label));
                format!("{}={second}", column.spelled(catalog))
            }
            None => format!("verdict={second}"),
        };
        match self {
            Self::OwnWithDataset => format!("{} {dataset}", of(Rater::Own, first)),
            Self::WithDataset(name) => format!("{} {dataset}", named(name, first)),
            Self::AllWithDataset => {
                let each: Vec<_> = reviewers.iter().map(|name| named(name, first)).collect();
                format!("({}) {dataset}", each.join(" or "))
            }
            Self::Pair([one, other]) => {
                format!("{} {}", named(one, first), named(other, second))
            }
        }
    }
}

impl App {
    /// Whose agreement with whom can be shown; while labels are hidden, one's own alone.
    pub(super) fn comparisons(&self) -> Vec<ComparedParties> {
        let mut all = vec![ComparedParties::OwnWithDataset];
        if self.is_blind() || self.review.running().is_some() {
            return all;
        }
        let own = self.review.reviewer();
        let names = self.data.catalog.reviewer_names();
        let others: Vec<_> = names
            .iter()
            .filter(|name| ***name != *own)
            .cloned()
            .collect();
        if others.is_empty() {
            return all;
        }
        all.extend(others.iter().cloned().map(ComparedParties::WithDataset));
        all.push(ComparedParties::AllWithDataset);
        let mine = names.iter().filter(|name| ***name == *own);
        let first: Vec<_> = mine.chain(&others).take(MOST_EACH).cloned().collect();
        for (at, one) in first.iter().enumerate() {
            let others = first[at + 1..].iter();
            let pair =
                |other: &Arc<str>| ComparedParties::Pair([Arc::clone(one), Arc::clone(other)]);
            all.extend(others.map(pair));
        }
        all
    }

    /// Asks whose agreement with whom is to be shown.
    pub(super) fn ask_whose_agreement(&mut self) {
        let all = self.comparisons();
        let shown = self
            .views
            .text_screen()
            .map(|screen| screen.comparison().clone());
        let chosen = all.iter().position(|one| Some(one) == shown.as_ref());
        if all.len() < 2 {
            self.status.notice = Some(
                if self.is_blind() {
                    "Labels are hidden while you judge blind: of others nothing shows."
                } else if self.review.running().is_some() {
                    "While an audit is under way your own agreement alone shows."
                } else {
                    "Nobody else judged anything: there is your own agreement alone."
                }
                .to_owned(),
            );
            return;
        }
        let line = |one: &ComparedParties| MenuLine {
            text: one.words(),
            note: String::new(),
        };
        let lines = all.iter().map(line).collect();
        let title = "whose agreement with whom?";
        let menu = Menu::new(MenuKind::Agreement, title, lines, chosen.unwrap_or(0));
        self.open_menu(menu.with(MenuChoices::Agreements(all)));
    }

    /// Shows the agreement that the chosen line of the menu names.
    pub(in crate::app) fn choose_agreement(&mut self, menu: Menu) {
        let MenuChoices::Agreements(all) = menu.choices else {
            return;
        };
        if let Some(chosen) = all.into_iter().nth(menu.chosen) {
            self.show_agreement(chosen);
        }
    }

    /// Shows the agreement before or behind the one that shows.
    pub(super) fn step_agreement(&mut self, forwards: bool) {
        let all = self.comparisons();
        let shown = self
            .views
            .text_screen()
            .map(|screen| screen.comparison().clone());
        let at = all
            .iter()
            .position(|one| Some(one) == shown.as_ref())
            .unwrap_or(0);
        let step = if forwards { 1 } else { all.len() - 1 };
        if all.len() > 1 {
            self.show_agreement(all[(at + step) % all.len()].clone());
        }
    }

    /// Shows the samples behind the cell under the cursor; what leads back is kept.
    pub(super) fn show_behind_cell(&mut self) {
        if self.review.running().is_some() || self.is_withheld() {
            self.is_auditing();
            return;
        }
        let Some(screen) = self.views.text_screen() else {
            return;
        };
        let Some((grid, cell)) = screen.grids().chosen() else {
            return;
        };
        if cell.count == 0 {
            self.status.notice = Some("No sample is behind this cell.".to_owned());
            return;
        }
        let [first, second] = cell.categories.map(|at| grid.values.get(at));
        let values = [first, second].map(|value| value.map_or("", String::as_str));
        let reviewers = self.data.catalog.reviewer_names();
        let label = grid.label.as_deref();
        let catalog = &self.data.catalog;
        let text = screen
            .comparison()
            .query(catalog, &reviewers, label, values);
        let query = match in_force(&text, catalog) {
            Ok(query) => query,
            Err(error) => {
                self.status.notice = Some(format!("{text}: {error}."));
                return;
            }
        };
        let before = self.filter.in_force().cloned();
        if let Some(View::TextScreen(screen)) = self.views.back() {
            self.review.left_agreement = Some(LeftAgreement {
                screen,
                before,
                text: text.clone(),
            });
        }
        self.set_filter(query);
        let back = self.key_for(crate::app::Action::Cancel).unwrap_or_default();
        self.status.notice = Some(format!("{text}: {back} goes back to the agreement."));
    }

    /// Goes back to the agreement from whose cell one came, where the filter still is the cell's.
    pub(in crate::app) fn back_to_agreement(&mut self) -> bool {
        let Some(left) = self.review.left_agreement.take() else {
            return false;
        };
        let in_force = self.filter.in_force().map(|one| one.text.as_str());
        if in_force != Some(left.text.as_str()) {
            return false;
        }
        self.set_filter(left.before);
        self.views.open(View::TextScreen(left.screen));
        self.lay_out_text_screen();
        true
    }

    /// An agreement that was counted.
    pub(super) fn grids_of(page: AgreementPage) -> (String, ScreenGrids) {
        (page.markdown, ScreenGrids::of(page.grids))
    }
}
