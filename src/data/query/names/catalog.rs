//! The fields that queries on a dataset can use.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use crate::dataset::{Dataset, DatasetFile, FileFields};
use crate::query::ast::{Aggregate, ColumnId, Field, FindingRules};
use crate::query::texts;
use crate::query::words::{
    self, DISAGREES, LENGTH, TermPrefix, VOCABULARY, ident, idents, is_reserved, split_prefix,
};
use crate::schema::Schema;
use crate::table::{Column, ColumnKind, ColumnSource, Requirement, Reveals, rating_range};
use crate::text::nearest;

/// The fields of a dataset.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The most responses that a sample can have.
    responses: usize,
    labels: Vec<CatalogColumn>,
    facts: Vec<CatalogColumn>,
    /// The fields that no schema describes.
    pub(super) found: Arc<FoundColumns>,
    /// Bytes of each file to search for a field that the first records lack.
    pub(super) most_searched: u64,
    /// Hides the fields that no schema describes.
    pub(crate) hides_found: bool,
    /// True while labels are hidden from the reviewer.
    pub is_blind: bool,
    pub(super) has_joined_files: bool,
    /// Whether there are raters beside the verdict: of schemas, or joined files.
    has_raters: bool,
    /// True if samples can share a prompt with another file.
    pub(crate) has_several_files: bool,
    /// Reviewers with judgments, sorted by name.
    pub(super) reviewers: Vec<CatalogReviewer>,
    /// Optional data that the files can have.
    has_quotes: bool,
    has_votes: bool,
    has_margins: bool,
    /// The names of the files' schemas.
    pub(crate) schemas: Vec<String>,
    pub(crate) rules: Arc<FindingRules>,
}

/// A column that queries can use.
#[derive(Debug, Clone)]
pub struct CatalogColumn {
    /// Its definition, merged over all schemas.
    pub def: Column,
    /// Its name in a query, with `label.` or `fact.` only if the plain name is ambiguous.
    pub spelled: String,
    pub(super) ident: String,
    /// Least and greatest value that reviewers can give, if it is a label that they rate.
    pub(super) rating: Option<[i64; 2]>,
    /// True if the greater value wins, false if the lesser one does; `None` if it does not decide
    /// the verdict in every file that has it.
    pub(crate) greater_wins: Option<bool>,
}

impl CatalogColumn {
    pub(super) fn new(def: Column, spelled: String, ident: String) -> Self {
        Self {
            def,
            spelled,
            ident,
            rating: None,
            greater_wins: None,
        }
    }
}

/// A reviewer with judgments.
#[derive(Debug, Clone)]
pub(super) struct CatalogReviewer {
    /// The name in the journal.
    pub(super) name: Arc<str>,
    /// The name as an identifier.
    pub(super) ident: String,
    /// The name in a query, with `reviewer.` only if the plain name is ambiguous.
    pub(crate) spelled: String,
}

/// The fields that no schema describes, read from the files on first use.
#[derive(Debug, Default)]
pub(super) struct FoundColumns {
    pub(super) files: Vec<Arc<FileFields>>,
    pub(super) columns: OnceLock<Vec<CatalogColumn>>,
    /// Results of searches through whole files, by name or path.
    pub(super) searched: Mutex<HashMap<String, Option<ColumnId>>>,
}

/// Columns that every dataset has.
static BUILT_IN: LazyLock<Vec<CatalogColumn>> = LazyLock::new(|| {
    let column = |id: ColumnId| {
        let def = Column {
            id,
            kind: id.kind,
            range: None,
            about: id.about.to_owned(),
            reveals: id.reveals,
        };
        CatalogColumn::new(def, id.name.to_owned(), id.name.to_owned())
    };
    ColumnId::built_in().map(column).collect()
});

/// Prefix of a field whose plain name is ambiguous.
pub(crate) const FIELD: &str = "field.";

/// Shorter words (in bytes) are not searched for inside of names.
const MIN_CONTAINED: usize = 3;

/// The column of a reviewer's verdict.
pub(super) const VERDICT: &str = "verdict";

/// Prefixes of labels and facts.
const LABEL: &str = "label.";
const FACT: &str = "fact.";

impl Catalog {
    /// Builds the catalog of a dataset and the files joined to it.
    pub fn of_dataset(dataset: &Dataset) -> Self {
        let mut catalog = Self::of_files(dataset.files());
        for column in dataset.joined().iter().flat_map(|file| &file.columns) {
            catalog.add(column.clone(), None);
        }
        catalog.has_joined_files = !dataset.joined().is_empty();
        catalog.has_raters |= catalog.has_joined_files;
        catalog.has_several_files = dataset.files().len() > 1;
        catalog.spell();
        catalog
    }

    /// Builds the catalog of a fully loaded dataset, without votes if no row has any.
    pub fn of_loaded(dataset: &Dataset) -> Self {
        let mut catalog = Self::of_dataset(dataset);
        let mut chunks = dataset.chunks().iter();
        catalog.has_votes = catalog.has_votes && chunks.any(|chunk| chunk.has_votes());
        catalog
    }

    /// Builds the catalog of these files.
    pub fn of_files<'f>(files: impl IntoIterator<Item = &'f DatasetFile> + Clone) -> Self {
        let schemas = files.clone().into_iter().map(|file| &*file.schema);
        let files = files.into_iter().map(|file| Arc::clone(&file.fields));
        Self {
            found: Arc::new(FoundColumns {
                files: files.collect(),
                ..FoundColumns::default()
            }),
            most_searched: u64::MAX,
            ..Self::of(schemas)
        }
    }

    /// Builds the catalog of the columns that these schemas describe.
    pub fn of<'s>(schemas: impl IntoIterator<Item = &'s Schema>) -> Self {
        let mut catalog = Self::default();
        for schema in schemas {
            let deciding = schema.deciding_label();
            for (place, column) in schema.columns().iter().enumerate() {
                let deciding = deciding.filter(|deciding| deciding.place == place);
                catalog.add(column.clone(), deciding.map(|deciding| deciding.sign > 0.0));
            }
            for rater in schema.raters() {
                catalog.add(rater.margin.clone(), None);
                catalog.has_raters = true;
            }
            catalog.responses = catalog.responses.max(schema.most_responses());
            catalog.has_quotes |= schema.definition().has_quotes();
            catalog.has_votes |= schema.definition().has_votes();
            catalog.has_margins |= deciding.is_some() || schema.states_margins();
            catalog.schemas.push(schema.definition().name.clone());
        }
        catalog.spell();
        catalog
    }

    /// Returns true if the greater value of a label wins, false if the lesser one does; `None` if
    /// the label does not decide the verdict in every file that has it.
    pub(crate) fn greater_wins(&self, label: ColumnId) -> Option<bool> {
        self.column(label)?.greater_wins
    }

    /// Hides the fields of the data from a blind reviewer, except those that the schemas release:
    /// names and types alone can reveal values.
    pub fn set_blind(&mut self, is_blind: bool) {
        (self.is_blind, self.hides_found) = (is_blind, is_blind);
    }

    /// Returns this catalog with the fields that are hidden while judging blind, to parse queries
    /// that were written before: the filter of an audit, or an active one.
    #[must_use]
    pub fn with_labels(&self) -> Self {
        Self {
            is_blind: false,
            ..self.clone()
        }
    }

    /// Limits the bytes of each file that are searched for an unknown field, because the user waits
    /// at every key.
    pub fn limit_search(&mut self, bytes: u64) {
        self.most_searched = bytes;
    }

    /// The rules of findings for this catalog.
    pub fn rules(&self) -> &Arc<FindingRules> {
        &self.rules
    }

    /// Names the data that a column requires and no file has.
    pub(crate) fn lacks(&self, required: Requirement) -> Option<&'static str> {
        match required {
            Requirement::Quotes if !self.has_quotes => Some(texts::NO_QUOTES),
            Requirement::Votes if !self.has_votes => Some(texts::NO_VOTES),
            Requirement::JoinedFiles if !self.has_joined_files => Some(texts::NO_JOINED_FILE),
            Requirement::Raters if !self.has_raters => Some(texts::NO_RATER),
            _ => None,
        }
    }

    /// The most responses that a sample of the dataset can have.
    pub fn responses(&self) -> usize {
        self.responses
    }

    /// Labels and scores, in the order of the schemas.
    pub fn labels(&self) -> &[CatalogColumn] {
        &self.labels
    }

    /// Facts, in the order of the schemas.
    pub fn facts(&self) -> &[CatalogColumn] {
        &self.facts
    }

    /// Adds a column of a schema, or merges it into the one with this name.
    fn add(&mut self, def: Column, greater_wins: Option<bool>) {
        let columns = if def.kind.is_number() {
            &mut self.labels
        } else {
            &mut self.facts
        };
        let is_rated = def.kind == ColumnKind::Label && !def.id.source.is_joined();
        let rating = def.range.filter(|_| is_rated).and_then(rating_range);
        let Some(known) = columns.iter_mut().find(|known| known.def.id == def.id) else {
            return columns.push(CatalogColumn {
                rating,
                greater_wins,
                ..CatalogColumn::new(def, String::new(), String::new())
            });
        };
        if known.greater_wins != greater_wins {
            known.greater_wins = None;
        }
        known.rating = match (known.rating, rating) {
            (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].max(b[1])]),
            (one, other) => one.or(other),
        };
        let known = &mut known.def;
        let both = known.range.zip(def.range);
        known.range = both.map(|(a, b)| [a[0].min(b[0]), a[1].max(b[1])]);
        if def.kind == ColumnKind::Score {
            known.kind = ColumnKind::Score;
        }
        if known.about.is_empty() {
            known.about = def.about;
        }
        if known.reveals != def.reveals {
            known.reveals = Reveals::Label;
        }
    }

    fn spell(&mut self) {
        let labels = idents(self.labels.iter().map(|label| label.def.id.name));
        let facts = idents(self.facts.iter().map(|fact| fact.def.id.name));
        let spell = |column: &mut CatalogColumn, prefix: &str, ident: String, is_reserved: bool| {
            let prefix = if is_reserved { prefix } else { "" };
            column.spelled = format!("{prefix}{ident}");
            column.ident = ident;
        };
        for (label, ident) in self.labels.iter_mut().zip(labels) {
            let id = label.def.id;
            // Names of columns of raters are already valid identifiers joined by dots.
            let ident = if id.source.is_joined() || id.source.is_of_rater() {
                id.name.to_owned()
            } else {
                ident
            };
            let is_reserved = split_prefix(&ident).0 != Aggregate::Same || is_reserved(&ident);
            spell(label, LABEL, ident, is_reserved);
        }
        for (fact, ident) in self.facts.iter_mut().zip(facts) {
            // A label takes precedence, because most queries are about numbers.
            let is_label = self.labels.iter().any(|label| label.spelled == ident);
            let is_reserved = is_label || is_reserved(&ident);
            spell(fact, FACT, ident, is_reserved);
        }
    }

    /// Finds the column of a name without a prefix: exactly, in any case, or by a synonym.
    pub(crate) fn find(&self, spelled: &str) -> Option<ColumnId> {
        self.find_exact(spelled).or_else(|| {
            let lower = spelled.to_lowercase();
            self.find_in_any_case(&lower)
                .or_else(|| self.find_rated(spelled))
                .or_else(|| {
                    VOCABULARY
                        .columns
                        .get(&lower)?
                        .iter()
                        .find_map(|column| self.find_exact(column))
                })
                .or_else(|| self.find_role(spelled))
        })
    }

    /// Finds a field in any case, if only one matches.
    fn find_in_any_case(&self, lower: &str) -> Option<ColumnId> {
        if lower == LENGTH {
            return self.find_exact(LENGTH);
        }
        let mut alike = self.names().filter(|name| name.to_lowercase() == lower);
        match (alike.next(), alike.next()) {
            (Some(name), None) => self.find_exact(name),
            _ => None,
        }
    }

    /// Finds a column by its exact name without a prefix. Flags are excluded; they are written
    /// `is:…`.
    fn find_exact(&self, spelled: &str) -> Option<ColumnId> {
        if spelled == LENGTH {
            return Some(ColumnId::LENGTH);
        }
        let built_in = ColumnId::named(spelled);
        let own = built_in.and_then(|column| self.replacement(column));
        let column = own.map(|own| own.def.id).or(built_in).or_else(|| {
            let with_prefix = |columns: &[CatalogColumn], prefix: &str| {
                let ident = spelled.strip_prefix(prefix);
                let is_meant = |column: &&CatalogColumn| {
                    self.is_offered(&column.def)
                        && (column.spelled == spelled || ident == Some(&*column.ident))
                };
                columns.iter().find(is_meant).map(|column| column.def.id)
            };
            with_prefix(&self.labels, LABEL)
                .or_else(|| with_prefix(&self.facts, FACT))
                .or_else(|| self.find_field(spelled))
        });
        column.filter(|column| column.kind != ColumnKind::Flag)
    }

    /// Returns the field of the file that has the name of a built-in column without any value.
    pub(super) fn replacement(&self, built_in: ColumnId) -> Option<&CatalogColumn> {
        let is_empty = match built_in.source {
            ColumnSource::Margin => !self.has_margins,
            _ => self.lacks(built_in.requires).is_some(),
        };
        is_empty
            .then(|| self.found_fields())
            .into_iter()
            .flatten()
            .find(|column| column.ident == built_in.name)
    }

    /// True if this is the whole name of a field, with or without a prefix.
    pub(crate) fn names_field(&self, word: &str) -> bool {
        let (view, name) = split_prefix(word);
        let column = self.find_exact(name).or_else(|| self.find_rated(name));
        column.is_some_and(|column| view == Aggregate::Same || column.is_of_responses())
    }

    /// Returns the name of a column in a query, without its prefix.
    pub(crate) fn spell_column(&self, id: ColumnId) -> String {
        if let Some(known) = self.column(id) {
            return known.spelled.clone();
        }
        match &id.source {
            ColumnSource::Field(_) => self.spell_field(id),
            ColumnSource::Label => format!("{LABEL}{}", ident(id.name)),
            ColumnSource::Fact => format!("{FACT}{}", ident(id.name)),
            ColumnSource::Rated(raters) => self.spell_rated(raters, id.name),
            ColumnSource::RatedVerdict(rater) => format!("{}.{VERDICT}", self.spell_rater(rater)),
            ColumnSource::Disagreement(with) => {
                format!("{DISAGREES}:{}", self.spell_disagreeing(with))
            }
            _ => id.name.to_owned(),
        }
    }

    /// Iterates over all columns, labels first. Reads the files for fields without a schema only if
    /// iteration gets that far.
    pub fn columns(&self) -> impl Iterator<Item = &CatalogColumn> {
        let found = std::iter::once_with(|| self.found_fields());
        self.described_columns().chain(found.flatten())
    }

    /// Iterates over the built-in columns and those of schemas.
    pub(super) fn described_columns(&self) -> impl Iterator<Item = &CatalogColumn> {
        let is_there = |column: &&CatalogColumn| self.offers_source(column.def.id);
        let built_in = BUILT_IN.iter().filter(is_there);
        self.labels.iter().chain(built_in).chain(&self.facts)
    }

    /// False for columns of joined files and raters that the data lacks.
    pub(super) fn offers_source(&self, column: ColumnId) -> bool {
        match column.requires {
            Requirement::JoinedFiles => self.has_joined_files,
            Requirement::Raters => self.has_raters,
            _ => true,
        }
    }

    /// Finds a column by its id, except columns of reviewers.
    pub fn column(&self, id: ColumnId) -> Option<&CatalogColumn> {
        let is_it = |column: &&CatalogColumn| column.def.id == id;
        match id.source.field() {
            Some(_) => self.found_fields().iter().find(is_it),
            None => self.described_columns().find(is_it),
        }
    }

    /// Returns the range of a label, also a joined one; `None` for other columns.
    pub fn label_range(&self, id: ColumnId) -> Option<[f64; 2]> {
        let column = &self.column(id)?.def;
        column.range.filter(|_| column.kind == ColumnKind::Label)
    }

    /// True if a field must be hidden from a blind reviewer.
    pub fn hides(&self, field: &Field) -> bool {
        let id = field.column;
        let described = self.described_columns().find(|column| column.def.id == id);
        match described.map_or(id.reveals, |column| column.def.reveals) {
            Reveals::Nothing => field.view.is_of_outcome(),
            Reveals::WhichResponse => field.view.reveals_response(),
            Reveals::Label => true,
        }
    }

    /// Returns the words that a column can have with their meanings, if they are known without
    /// reading rows.
    pub(crate) fn fixed_words(&self, of: ColumnId) -> Option<Vec<(&'static str, String)>> {
        words::fixed(&of.source, self.responses)
    }

    /// Iterates over the names of all fields, labels first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.offered_columns().map(|column| &*column.spelled)
    }

    /// Suggests a field for an unknown name: with a corrected prefix, with its parts swapped, for a
    /// bare prefix the deciding label, or the first field that begins with the name. With
    /// `has_colon`, also suggests a searched text that takes prefixes.
    pub(crate) fn suggest_field(&self, name: &str, has_colon: bool) -> Option<String> {
        let name = name.to_lowercase();
        let Some((first, rest)) = name.split_once('.') else {
            let family = format!("{name}.");
            return self
                .names()
                .filter(|_| !has_colon)
                .find(|known| known.starts_with(&family))
                .map(str::to_owned)
                .or_else(|| self.with_default_field(&name, has_colon));
        };
        let with_view = |view: &str, field: &str| {
            let view = words::similar_prefix(view).filter(|_| self.takes_view(field, has_colon))?;
            Some(format!("{view}.{field}"))
        };
        let turned = || {
            let turned = format!("{rest}.{first}");
            self.names_field(&turned).then_some(turned)
        };
        let found = with_view(first, rest).or_else(|| with_view(rest, first));
        found.or_else(turned).filter(|found| *found != name)
    }

    /// Completes a bare prefix with its most likely field.
    fn with_default_field(&self, view: &str, has_colon: bool) -> Option<String> {
        let view = words::prefix_named(view)?;
        let meant = words::aggregate(view)?;
        let is_there = match meant {
            Aggregate::At(response) => response.index() < self.responses.max(2),
            _ => true,
        };
        let labels = || self.labels.iter().filter(|it| self.is_offered(&it.def));
        let label = labels()
            .find(|label| label.greater_wins.is_some())
            .or_else(|| labels().next());
        let field = if has_colon && !meant.is_made_of_numbers() {
            "response"
        } else {
            label.map_or(LENGTH, |label| &label.spelled)
        };
        is_there.then(|| format!("{view}.{field}"))
    }

    /// Returns the field or key with the nearest name, or else one that contains the name: first
    /// one that begins with it, then the deciding label. With `has_colon`, only words and keys can
    /// contain it.
    pub(crate) fn nearest_name(&self, name: &str, has_colon: bool) -> Option<String> {
        let keys = || {
            TermPrefix::ALL
                .map(TermPrefix::name)
                .into_iter()
                .filter(|_| has_colon)
        };
        if let Some(near) = nearest(name, self.names().chain(keys())) {
            return Some(near.to_owned());
        }
        let lower = name.to_lowercase();
        let fields = self
            .offered_columns()
            .filter(|it| !has_colon || !it.def.kind.is_number())
            .map(|it| (&*it.spelled, it.greater_wins.is_none()));
        let containing = fields
            .chain(keys().map(|key| (key, true)))
            .filter(|(known, _)| {
                let known = known.to_lowercase();
                known.starts_with(&lower)
                    || (lower.len() >= MIN_CONTAINED && known.contains(&lower))
            });
        containing
            .min_by_key(|(known, no_decision)| {
                (!known.to_lowercase().starts_with(&lower), *no_decision)
            })
            .map(|(known, _)| known.to_owned())
    }

    /// True if a field, or with a colon a searched text, can have a prefix.
    pub(crate) fn takes_view(&self, field: &str, has_colon: bool) -> bool {
        let key = TermPrefix::named(field).filter(|_| has_colon);
        match self.find(field) {
            Some(column) => column.is_of_responses(),
            None => key.is_some_and(TermPrefix::is_of_responses),
        }
    }

    /// Iterates over the columns except flags; for a blind reviewer, without those that reveal
    /// labels.
    pub(super) fn offered_columns(&self) -> impl Iterator<Item = &CatalogColumn> {
        self.columns()
            .filter(|it| it.def.kind != ColumnKind::Flag && self.is_offered(&it.def))
    }

    fn is_offered(&self, column: &Column) -> bool {
        !self.is_blind || column.reveals != Reveals::Label
    }
}
