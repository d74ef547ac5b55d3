//! The columns that a statement needs, each once, in the order of first use.

use super::dialect::SqlDialect;
use super::layout::RowLayout;
use super::numbers::{LETTERS, unsupported_reason};
use super::refusal::SqlRefusal;
use crate::query::{Catalog, ColumnId};
use crate::schema::{Definition, Path};
use crate::table::{FieldForm, Level};

pub(super) const ENGINE_SPELLING: &str =
    "Values other than strings are compared in the engine's spelling: 1.50 equals 1.5.";

/// A column of records: an expression over the extracted values and earlier columns.
#[derive(Debug)]
pub(super) struct FieldColumn {
    pub(super) name: String,
    pub(super) expression: String,
}

/// A column of each response, by its name without `a_` or `b_`; or one of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SampleColumn {
    pub(super) name: String,
    pub(super) is_of_responses: bool,
}

/// A column of the sample, or of each response (its name without `a_` or `b_`).
pub(super) struct Translation<'r> {
    pub(super) dialect: SqlDialect,
    pub(super) definition: &'r Definition,
    pub(super) layout: RowLayout,
    pub(super) catalog: &'r Catalog,
    pub(super) files: &'r [super::SqlFile],
    /// Paths of the values extracted from each record; SQL counts them from 1.
    extracted: Vec<Path>,
    /// Condition for a row to be valid; column `is_read` of records.
    pub(super) is_read: String,
    pub(super) fields: Vec<FieldColumn>,
    /// Columns of records that samples keep.
    pub(super) kept: Vec<SampleColumn>,
    /// Columns of samples computed from other columns of samples.
    pub(super) derived: Vec<FieldColumn>,
    /// Regular expressions searched for, in the engine's syntax.
    pub(super) patterns: Vec<String>,
    /// Notes about the statement for the user, one sentence each.
    pub(super) remarks: Vec<String>,
}

impl<'r> Translation<'r> {
    pub(super) fn new(
        dialect: SqlDialect,
        definition: &'r Definition,
        catalog: &'r Catalog,
        files: &'r [super::SqlFile],
    ) -> Result<Self, SqlRefusal> {
        let mut translation = Self {
            dialect,
            definition,
            layout: RowLayout::of(definition)?,
            catalog,
            files,
            extracted: Vec::new(),
            is_read: String::new(),
            fields: Vec::new(),
            kept: Vec::new(),
            derived: Vec::new(),
            patterns: Vec::new(),
            remarks: Vec::new(),
        };
        translation.add_is_read()?;
        Ok(translation)
    }

    /// Returns the paths of the extracted values as literals.
    pub(super) fn paths(&self) -> Vec<String> {
        // Paths that Spark cannot express were refused by `extracted`.
        self.extracted
            .iter()
            .filter_map(|path| self.dialect.path(path))
            .collect()
    }

    /// Returns an extracted value as JSON.
    pub(super) fn value(&mut self, path: &Path) -> Result<String, SqlRefusal> {
        Ok(self.dialect.value(self.extracted(path)? + 1))
    }

    /// Returns the expression of the text at a path.
    pub(super) fn text_at(&mut self, path: &Path) -> Result<String, SqlRefusal> {
        let value = self.value(path)?;
        Ok(self.dialect.text(&value))
    }

    /// Returns the index of an extracted value, adding its path if it is new.
    fn extracted(&mut self, path: &Path) -> Result<usize, SqlRefusal> {
        if path.is_of_each() {
            let reason = "it means every element of a list";
            return Err(SqlRefusal::new(path.to_string(), reason));
        }
        if self.dialect.path(path).is_none() {
            let reason = "a Spark path cannot contain this key";
            return Err(SqlRefusal::new(path.to_string(), reason));
        }
        let known = self.extracted.iter().position(|known| known == path);
        Ok(known.unwrap_or_else(|| {
            self.extracted.push(path.clone());
            self.extracted.len() - 1
        }))
    }

    /// Adds a column of records unless one has that name.
    pub(super) fn add_field(&mut self, name: &str, expression: impl Into<String>) {
        add_column(&mut self.fields, name, expression.into());
    }

    pub(super) fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }

    /// Adds a computed column of samples unless one has that name.
    pub(super) fn add_derived(&mut self, name: &str, expression: impl Into<String>) {
        add_column(&mut self.derived, name, expression.into());
    }

    /// Copies a column of records to samples.
    fn keep(&mut self, name: &str, is_of_responses: bool) {
        let column = SampleColumn {
            name: name.to_owned(),
            is_of_responses,
        };
        if !self.kept.contains(&column) {
            self.kept.push(column);
        }
    }

    /// A column of samples, null in malformed rows: its expression over a record. Gives its name.
    pub(super) fn of_sample(
        &mut self,
        name: &str,
        expression: impl FnOnce(&mut Self) -> Result<String, SqlRefusal>,
    ) -> Result<String, SqlRefusal> {
        if !self.has_field(name) {
            let expression = expression(self)?;
            self.add_field(name, format!("case when is_read then {expression} end"));
        }
        self.keep(name, false);
        Ok(name.to_owned())
    }

    /// Adds a column of samples, null in malformed rows, and returns its name.
    pub(super) fn of_any_row(&mut self, name: &str, expression: String) -> String {
        self.add_field(name, expression);
        self.keep(name, false);
        name.to_owned()
    }

    /// Adds a column of samples that malformed rows have too, and returns its name.
    pub(super) fn of_response(
        &mut self,
        name: &str,
        mut expression: impl FnMut(&mut Self, usize) -> Result<String, SqlRefusal>,
    ) -> Result<String, SqlRefusal> {
        for (place, letter) in LETTERS.iter().enumerate() {
            let column = format!("{letter}_{name}");
            if place < self.definition.responses.len() && !self.has_field(&column) {
                let expression = expression(self, place)?;
                self.add_field(&column, format!("case when is_read then {expression} end"));
            }
        }
        self.keep(name, true);
        Ok(name.to_owned())
    }

    /// Adds a column for a field found in the data; returns its name without the letter.
    pub(super) fn add_found_field(
        &mut self,
        of: ColumnId,
        spelled: &str,
    ) -> Result<String, SqlRefusal> {
        let refuse = |why| Err(SqlRefusal::new(spelled, why));
        let Some(field) = of.source.field() else {
            return refuse(unsupported_reason(of));
        };
        match &field.form {
            FieldForm::Words => return refuse("its values are lists"),
            FieldForm::Number(unit) if !unit.is_empty() => {
                return refuse("its numbers have a unit");
            }
            _ => {}
        }
        let path = |place: usize| {
            field
                .paths
                .get(place)
                .or(field.paths.first())
                .cloned()
                .unwrap_or_default()
        };
        let value = |this: &mut Self, place: usize| {
            let value = this.value(&path(place))?;
            let text = this.dialect.text(&value);
            Ok(match field.form {
                FieldForm::Number(_) => this.dialect.number(&value, true),
                FieldForm::Flag => format!(
                    "case when {text} in ('true', 'True', 'TRUE', '1') then 'true' when {text} in ('false', 'False', 'FALSE', '0') then 'false' else {text} end"
                ),
                _ => text,
            })
        };
        self.remark(ENGINE_SPELLING);
        // The number keeps names apart that map to the same identifier.
        let name = format!(
            "field_{}_{}",
            self.extracted(&path(0))?,
            identifier(of.name)
        );
        match field.level {
            Level::Sample => self.of_sample(&name, |this| value(this, 0)),
            Level::Response => self.of_response(&name, value),
        }
    }

    /// Keeps the unchanged rows of samples; `line` is an expression over a record.
    pub(super) fn add_lines(&mut self, line: &str) {
        self.add_field("a_text", line);
        self.keep("text", true);
    }

    /// Returns the path of a response's text.
    pub(super) fn response_path(&self, place: usize) -> Result<Path, SqlRefusal> {
        let response = self.definition.responses.get(place);
        let response = response.map(|response| response.text.clone());
        response.ok_or_else(|| {
            SqlRefusal::new(format!("response {}", place + 1), "the schema has none")
        })
    }

    pub(super) fn prompt_path(&self) -> Result<Path, SqlRefusal> {
        self.definition
            .prompt
            .iter()
            .flat_map(|prompt| &prompt.path)
            .next()
            .cloned()
            .ok_or_else(|| SqlRefusal::new("the prompt", "the schema has none"))
    }

    /// Adds the condition for a valid row: texts are strings, and a list has the schema's length.
    fn add_is_read(&mut self) -> Result<(), SqlRefusal> {
        let mut texts = vec![self.prompt_path()?];
        for place in 0..self.definition.responses.len() {
            texts.push(self.response_path(place)?);
        }
        let dialect = self.dialect;
        let mut conditions = Vec::new();
        if let Some(items) = self.definition.items {
            conditions.push(match dialect {
                SqlDialect::DuckDb => {
                    format!("(json_type(json) <> 'ARRAY' or json_array_length(json) = {items})")
                }
                // A record that is not a list lacks these paths.
                SqlDialect::Spark => format!(
                    "coalesce(size(try_variant_get(json, '$', 'array<variant>')), {items}) = {items}"
                ),
            });
        }
        for path in texts {
            let value = self.value(&path)?;
            let what = format!(": {path} contains messages, but this statement reads only text");
            let message = format!("concat(file, {})", dialect.literal(&what));
            conditions.push(format!(
                "case when {} then true when {} then {} else false end",
                dialect.is_text(&value),
                dialect.is_messages(&value),
                dialect.fail(&message)
            ));
        }
        let is_read = conditions.join("\n      and ");
        self.is_read = format!("coalesce({is_read}, false)");
        if self.layout.is_joined {
            let prompt = self.prompt_path()?;
            let prompt = self.text_at(&prompt)?;
            self.add_field("prompt", format!("case when is_read then {prompt} end"));
        }
        Ok(())
    }

    /// Adds a note about the statement, once.
    pub(super) fn remark(&mut self, remark: &str) {
        if !self.remarks.iter().any(|known| known == remark) {
            self.remarks.push(remark.to_owned());
        }
    }
}

/// Converts a name to an SQL identifier.
pub(super) fn identifier(name: &str) -> String {
    let is_other = |sign: char| !sign.is_ascii_alphanumeric();
    name.to_ascii_lowercase().replace(is_other, "_")
}

/// Adds a column if there is none with this name.
fn add_column(columns: &mut Vec<FieldColumn>, name: &str, expression: String) {
    let known = columns.iter().find(|column| column.name == name);
    debug_assert!(
        known.is_none_or(|known| known.expression == expression),
        "two columns are called {name}"
    );
    if known.is_none() {
        let name = name.to_owned();
        columns.push(FieldColumn { name, expression });
    }
}
