//! The sort menu. Like the labels panel it has no state: it edits the `sort:` terms of the active
//! query.

use crate::app::menu::{Menu, MenuLine};
use crate::app::perform::ViewRequest;
use crate::app::{Action, App, KeyHints};
use crate::query::{Aggregate, Field, Number, Query, SortBy, SortKey};
use crate::table::{Column, ColumnKind, ColumnSource};

const HINTS: KeyHints = &[
    (Action::Accept, "sort, again reverse"),
    (Action::Add, "add key"),
    (Action::Cancel, "close"),
];

/// A line of the menu: a sort key, or `None` for file order.
pub(crate) type SortMenuLine = Option<SortBy>;

impl App {
    /// Opens the sort menu.
    pub(crate) fn show_sort_menu(&mut self) {
        let keys = &self.filter.query().sort;
        let lines = self.sort_lines();
        let is_active = |by: &SortMenuLine| {
            by.as_ref()
                .map_or(keys.is_empty(), |by| place_of(by, keys) == Some(0))
        };
        let chosen = lines.iter().position(is_active).unwrap_or(0);
        let line = |by: SortMenuLine| {
            let name = match &by {
                None => "file order".to_owned(),
                Some(SortBy::Random(seed)) => format!("random({seed})"),
                Some(SortBy::Value(value)) => value.spelled(&self.data.catalog).to_string(),
            };
            MenuLine::new(&name, sort_state(&by, keys), ViewRequest::Sort(by))
        };
        let lines = lines.into_iter().map(line).collect();
        self.views
            .open_menu(Menu::new("sort by", lines, chosen, HINTS));
    }

    /// Adds a line's key to the sort order, or reverses it if present; the menu stays open.
    pub(crate) fn add_sort_line(&mut self, place: usize) {
        let line = (self.views.menu()).and_then(|menu| menu.lines.get(place));
        let Some(ViewRequest::Sort(Some(by))) = line.map(|line| &line.task) else {
            return;
        };
        let by = by.clone();
        self.change_query(|query| {
            let mut sort = query.sort.clone();
            let shuffle =
                |key: &SortKey| matches!((&key.by, &by), (SortBy::Random(_), SortBy::Random(_)));
            match place_of(&by, &sort).or_else(|| sort.iter().position(shuffle)) {
                // A new seed replaces the old one.
                Some(known) if shuffle(&sort[known]) => sort[known] = default_direction(by),
                Some(known) => sort[known] = reversed(&sort[known]),
                None => sort.push(default_direction(by)),
            }
            Query {
                filter: query.filter.clone(),
                sort,
            }
        });
        for line in self
            .views
            .menu_mut()
            .into_iter()
            .flat_map(|menu| &mut menu.lines)
        {
            if let ViewRequest::Sort(by) = &line.task {
                line.note = sort_state(by, &self.filter.query().sort);
            }
        }
    }
}

/// Describes how the list is sorted by a line's key; empty if it is not.
fn sort_state(line: &SortMenuLine, keys: &[SortKey]) -> String {
    let Some(by) = line else {
        return if keys.is_empty() { "active" } else { "" }.to_owned();
    };
    match place_of(by, keys) {
        None => String::new(),
        Some(place) if keys.len() > 1 => format!("key {}, {}", place + 1, direction(&keys[place])),
        Some(place) => direction(&keys[place]).to_owned(),
    }
}

impl App {
    /// Returns all sort keys, labels first.
    fn sort_lines(&self) -> Vec<SortMenuLine> {
        let numbers = self.number_columns();
        let of = |rates: bool| {
            numbers
                .iter()
                .filter(move |column| (column.kind != ColumnKind::Count) == rates)
        };
        let line = |column: &Column, view| {
            let column = column.id;
            Some(SortBy::Value(Number::Field(Field { view, column })))
        };
        let mut lines: Vec<SortMenuLine> = vec![None];
        // The values of all labels come before the gaps of any.
        for view in [Aggregate::Same, Aggregate::Gap] {
            let ratings = of(true).filter(|column| column.id.in_sort_menu.contains(&view));
            lines.extend(ratings.map(|column| line(column, view)));
        }
        let words = self
            .data
            .catalog
            .columns()
            .map(|column| &column.def)
            .filter(|column| column.kind == ColumnKind::Word);
        for column in of(false).copied().chain(words) {
            let views = column.id.in_sort_menu.iter();
            lines.extend(views.map(|&view| line(column, view)));
        }
        lines.push(Some(SortBy::Random(self.next_seed())));
        lines
    }

    /// Returns the numeric columns that the dataset can have: labels and scores, margins, counts.
    pub(crate) fn number_columns(&self) -> Vec<&Column> {
        let mut columns: Vec<_> = self
            .data
            .catalog
            .columns()
            .map(|column| &column.def)
            .filter(|column| column.kind.is_number() && self.data.dataset.has(column.id))
            .collect();
        let order = |column: &Column| match (column.kind, &column.id.source) {
            (ColumnKind::Count, ColumnSource::Margin) => 1,
            (ColumnKind::Count, _) => 2,
            _ => 0,
        };
        columns.sort_by_key(|column| order(column));
        columns
    }

    /// Returns the seed of the current shuffle plus one, so that choosing it again reshuffles.
    fn next_seed(&self) -> u64 {
        self.filter
            .query()
            .sort
            .iter()
            .find_map(|key| match key.by {
                SortBy::Random(seed) => Some(seed),
                SortBy::Value(_) => None,
            })
            .map_or(1, |seed| seed.wrapping_add(1))
    }

    /// Sorts by the chosen line alone; if it is already the sort key, reverses the order.
    pub(crate) fn sort_by_line(&mut self, line: SortMenuLine) {
        self.change_query(|query| {
            let sort = line.map(|by| match query.sort.as_slice() {
                [only] if only.by == by => reversed(only),
                _ => default_direction(by),
            });
            Query {
                filter: query.filter.clone(),
                sort: sort.into_iter().collect(),
            }
        });
    }
}

fn place_of(by: &SortBy, keys: &[SortKey]) -> Option<usize> {
    keys.iter().position(|key| key.by == *by)
}

/// True if a key sorts texts.
fn is_of_words(by: &SortBy) -> bool {
    matches!(by, SortBy::Value(Number::Field(field)) if !field.column.kind.is_number())
}

/// Returns the default direction: numbers descending, texts ascending.
fn default_direction(by: SortBy) -> SortKey {
    let descending = matches!(by, SortBy::Value(_)) && !is_of_words(&by);
    SortKey { by, descending }
}

fn reversed(key: &SortKey) -> SortKey {
    SortKey {
        by: key.by.clone(),
        descending: !key.descending && !matches!(key.by, SortBy::Random(_)),
    }
}

fn direction(key: &SortKey) -> &'static str {
    match (&key.by, is_of_words(&key.by), key.descending) {
        (SortBy::Random(_), ..) => "active",
        (_, false, true) => "greatest first",
        (_, false, false) => "least first",
        (_, true, true) => "last first",
        (_, true, false) => "in order",
    }
}
