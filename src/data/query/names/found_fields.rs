//! Fields that no schema describes: their names in queries, and how they are found.

use super::catalog::{Catalog, CatalogColumn, FIELD, FoundColumns};
use crate::parallel::locked;
use crate::query::ast::{Aggregate, ColumnId};
use crate::query::texts;
use crate::query::words::{
    self, ends_word, idents, is_name_sign, is_reserved, is_sign, split_prefix,
};
use crate::table::{Column, FieldForm};

impl FoundColumns {
    /// The distinct columns of all files.
    fn all(&self) -> Vec<Column> {
        let mut all: Vec<Column> = Vec::new();
        for column in self.files.iter().flat_map(|file| file.columns()) {
            if !all.iter().any(|known| known.id == column.id) {
                all.push(column);
            }
        }
        all
    }
}

impl Catalog {
    /// Returns the fields that no schema describes, in record order.
    pub fn found_fields(&self) -> &[CatalogColumn] {
        if self.hides_found {
            return &[];
        }
        let read = || {
            let columns = self.found.all();
            let names: Vec<_> = columns
                .iter()
                .map(|column| dotted(column.id.name))
                .collect();
            let idents = idents(names.iter().map(String::as_str));
            // A dot alone does not count as a change of the name.
            let idents = names.iter().zip(idents).map(|(name, ident)| {
                let is_renamed = ident != words::ident(name);
                if is_renamed { ident } else { name.clone() }
            });
            columns
                .iter()
                .zip(idents)
                .map(|(def, ident)| {
                    let spelled = self.spelled_field(&def.id, &ident);
                    CatalogColumn::new(def.clone(), spelled, ident)
                })
                .collect()
        };
        self.found.columns.get_or_init(read)
    }

    /// Explains a column that is not what its name suggests: a built-in one that hides a field of the
    /// file, a field that replaces a built-in one, or a number with a few other texts.
    pub(crate) fn field_note(&self, column: ColumnId) -> Option<String> {
        let built_in = ColumnId::named(column.name);
        if built_in != Some(column) {
            let field = self.column(column)?;
            let is_own = built_in.is_some_and(|of| self.replacement(of).is_some());
            let form = column.source.field().map(|field| &field.form);
            let is_number = matches!(form, Some(FieldForm::Number(unit)) if unit.is_empty())
                && !field.def.about.is_empty();
            return if is_own {
                Some(texts::own_field(column.name))
            } else {
                is_number.then(|| format!("{}: {}", field.spelled, field.def.about))
            };
        }
        let field = self
            .found_fields()
            .iter()
            .find(|field| field.ident == column.name)?;
        Some(texts::shadowed_field(
            column.name,
            column.about,
            &field.spelled,
        ))
    }

    /// Returns the name of a field in a query: its plain name, or its path if that name is
    /// ambiguous.
    fn spelled_field(&self, id: &ColumnId, ident: &str) -> String {
        let is_described = self
            .described_columns()
            .any(|column| column.spelled == ident);
        if !(is_described || is_reserved(ident) || split_prefix(ident).0 != Aggregate::Same) {
            return ident.to_owned();
        }
        let paths = id.source.field().map_or(&[][..], |field| &field.paths);
        match paths {
            [path] if !path.is_of_each() => spelled_pointer(&path.to_string()),
            _ => format!("{FIELD}{ident}"),
        }
    }

    /// Returns the name in a query of a field that was searched for.
    pub(super) fn spell_field(&self, id: ColumnId) -> String {
        if id.name.starts_with('/') {
            spelled_pointer(id.name)
        } else {
            self.spelled_field(&id, &dotted(id.name))
        }
    }

    /// Finds a field that no schema describes by its name, or by its path if `spelled` begins with
    /// `/` or `"/`.
    pub(crate) fn find_field(&self, spelled: &str) -> Option<ColumnId> {
        if self.hides_found {
            return None;
        }
        if let Some(pointer) = pointer(spelled) {
            let known = self
                .found_fields()
                .iter()
                .find(|column| column.spelled == spelled)
                .map(|column| column.def.id);
            let at = || self.found.files.iter().find_map(|file| file.at(&pointer));
            return known.or_else(|| at().map(|column| column.id));
        }
        let ident = spelled.strip_prefix(FIELD);
        let is_meant =
            |column: &&CatalogColumn| column.spelled == spelled || ident == Some(&*column.ident);
        let known = self.found_fields().iter().find(is_meant);
        let searched = || locked(&self.found.searched).get(spelled).copied().flatten();
        known.map(|column| column.def.id).or_else(searched)
    }

    /// Finds a value that a schema uses for another purpose, by its name in the file.
    pub(super) fn find_role(&self, spelled: &str) -> Option<ColumnId> {
        let is_meant = |name: &str| dotted(name) == spelled;
        self.found
            .files
            .iter()
            .filter(|_| !self.hides_found)
            .find_map(|file| file.role(&is_meant))
            .map(|column| column.id)
    }

    /// Returns how many bytes of each file are searched for a field, if not all.
    pub(crate) fn searched_part(&self) -> Option<u64> {
        let most = self.most_searched;
        self.found
            .files
            .iter()
            .any(|file| file.is_longer_than(most))
            .then_some(most)
    }

    /// Searches the files for a field with an unknown name.
    pub(crate) fn search_field(&self, name: &str) {
        let is_searched = || locked(&self.found.searched).contains_key(name);
        if name.is_empty() || self.hides_found || self.find(name).is_some() || is_searched() {
            return;
        }
        let (mut found, pointer) = (None, pointer(name));
        for file in &self.found.files {
            let key = pointer.as_deref().unwrap_or(name);
            file.search(key, self.most_searched, &mut |survey| {
                let is_meant = |column: &Column| dotted(column.id.name) == name;
                let column = match &pointer {
                    Some(pointer) => survey.at(pointer),
                    None => survey.columns().into_iter().find(is_meant),
                };
                found = found.or(column.map(|column| column.id));
                found.is_some()
            });
        }
        locked(&self.found.searched).insert(name.to_owned(), found);
    }
}

/// Replaces characters that names cannot have; dots between parts stay.
fn dotted(name: &str) -> String {
    let sign = |sign: char| {
        if is_name_sign(sign) || sign == '.' {
            sign
        } else {
            '_'
        }
    };
    let mut dotted: String = name.chars().map(sign).collect();
    if dotted.is_empty() || dotted.starts_with(|first: char| first.is_ascii_digit() || first == '.')
    {
        dotted.insert(0, '_');
    }
    while dotted.contains("..") || dotted.ends_with('.') {
        dotted = dotted.replace("..", "._.");
        if dotted.ends_with('.') {
            dotted.push('_');
        }
    }
    dotted
}

/// Returns a path as query text, in quotes if needed.
fn spelled_pointer(pointer: &str) -> String {
    let is_plain =
        |sign: char| !ends_word(sign) && !is_sign(sign) && !matches!(sign, '!' | ',' | '\\');
    if pointer.chars().all(is_plain) {
        pointer.to_owned()
    } else {
        format!("\"{}\"", pointer.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Parses a path in a query.
fn pointer(spelled: &str) -> Option<String> {
    let quoted = spelled
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let path = match quoted {
        Some(quoted) => quoted.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => spelled.to_owned(),
    };
    path.starts_with('/').then_some(path)
}
