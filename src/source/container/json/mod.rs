//! JSON documents: lists, columns and values that span several lines.

pub mod columns;
pub mod document;
pub mod list_lines;

/// Where the rows of a JSON document are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonRows {
    /// The elements of the list (or the values of the object) at this JSON pointer; an empty
    /// pointer is the whole document.
    At(String),
    /// The elements of all lists named after a split (`train`, `test_prefs`) in the object at this
    /// JSON pointer.
    Splits(String),
    /// The elements of all lists of an object.
    Lists,
    /// The lists of an object, or objects by row number, as columns.
    Columns,
    /// Consecutive values that span several lines each.
    Values,
}
