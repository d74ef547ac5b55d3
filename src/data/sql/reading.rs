//! How each engine reads the files: every line once, in order.
//!
//! DuckDB reads objects (`read_ndjson_objects`) without inferring types; a malformed line becomes
//! null and keeps its place. `read_csv` with one column would also keep blank lines and the text of
//! malformed ones, but it splits lines at CR, counts CRLF as two lines in files with both line
//! ends, and aborts the query at a byte that is not UTF-8 (seen with DuckDB 2.0.0); it is not
//! faster. Spark reads text and identifies a line by its file, its block and its position there,
//! because splits of several files are ordered by size, not by name.

use super::dialect::SqlDialect;
use super::refusal::SqlRefusal;
use crate::dataset::DatasetFile;
use crate::query::{WordTest, either_passes};
use crate::source::{Encoding, RowContainer};

/// A file that a statement reads.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlFile {
    /// Its name as given by the user.
    pub name: String,
    /// Its compression.
    pub encoding: Encoding,
    /// Its container of rows.
    pub container: RowContainer,
    /// True if the text is UTF-8 and needs no conversion.
    pub is_utf8: bool,
}

impl SqlFile {
    /// Describes a file of a dataset.
    pub fn of(file: &DatasetFile) -> Self {
        Self {
            name: match file.source.path() {
                Some(path) => path.to_string_lossy().into_owned(),
                None => file.source.name().to_owned(),
            },
            encoding: file.source.encoding(),
            container: file.source.container(),
            is_utf8: file.source.charset().is_none(),
        }
    }

    /// Returns the name without folders.
    fn short_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Tests its name, with and without folders.
    pub(super) fn passes(&self, test: &WordTest) -> bool {
        either_passes(Some(self.short_name()), &self.name, test)
    }

    /// Returns why an engine cannot read the file; `None` if it can.
    pub(super) fn refusal(&self, dialect: SqlDialect) -> Option<SqlRefusal> {
        let refuse = |reason: &str| Some(SqlRefusal::new(&self.name, reason));
        match &self.container {
            RowContainer::Lines if !self.is_utf8 => {
                return refuse("it is not UTF-8; visavis export writes its rows as JSON Lines");
            }
            RowContainer::Lines | RowContainer::Parquet { .. } => {}
            RowContainer::Json(_) => {
                return refuse(
                    "it is a JSON document; visavis export writes its rows as JSON Lines",
                );
            }
            RowContainer::Table(_) => {
                return refuse("it is a table; visavis export writes its rows as JSON Lines");
            }
        }
        if self.name.contains(['*', '?', '[', ']', '{', '}', '\\']) {
            return refuse("engines read *, ?, [, { and \\ in a name as a pattern: rename it");
        }
        if let Some(refusal) = control_character(&self.name) {
            return Some(refusal);
        }
        if dialect == SqlDialect::Spark && self.container == RowContainer::Lines {
            match self.encoding {
                Encoding::Zstd => {
                    return refuse(
                        "Spark reads zstd only if Hadoop was built with it: decompress it",
                    );
                }
                Encoding::Gzip if !self.name.ends_with(".gz") => {
                    return refuse("Spark detects gzip by name: rename it to .gz");
                }
                Encoding::Plain
                    if [".gz", ".zst", ".bz2", ".deflate", ".lz4", ".snappy"]
                        .iter()
                        .any(|end| self.name.ends_with(end)) =>
                {
                    return refuse(
                        "it is not compressed, but Spark would decompress it because of its name: rename it",
                    );
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the DuckDB query for its rows: their numbers and records as JSON.
    pub(super) fn rows_in_duckdb(&self, index: usize) -> String {
        let name = SqlDialect::DuckDb.literal(&self.name);
        let select =
            format!("select {index} as file_index, {name} as file, row_number() over () as a_row");
        if let RowContainer::Parquet { .. } = self.container {
            return format!("{select}, to_json(t) as json from read_parquet({name}) as t");
        }
        let compression = match self.encoding {
            Encoding::Plain => "uncompressed",
            Encoding::Gzip => "gzip",
            Encoding::Zstd => "zstd",
        };
        format!(
            "{select}, json\n  from read_ndjson_objects({name}, compression = '{compression}', ignore_errors = true, maximum_object_size = 134217728)"
        )
    }
}

/// Returns the refusal of a name whose control characters could break a line of the program.
pub(super) fn control_character(name: &str) -> Option<SqlRefusal> {
    let has_any = name.chars().any(char::is_control);
    let shown: String = name.escape_debug().collect();
    has_any.then(|| SqlRefusal::new(shown, "its name has a control character: rename it"))
}

/// Quotes a text without control characters (see [`control_character`]) as a Python string.
pub(super) fn python(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
