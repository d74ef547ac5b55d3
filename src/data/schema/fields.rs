//! Fields: all scalars of a record that have no other role in the definition.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::layout::column_paths::UseKind;
use super::layout::definition::{Definition, ResponsePaths, RowGrouping};
use super::layout::text_path::TextPath;
use super::row::path::values_at;
use super::row::reader::Schema;
use super::row::values::{scalar, unit};
use crate::json::{decoded, items};
use crate::model::{Fact, Rationale, Record, ResponseId};
use crate::table::{
    Column, ColumnId, ColumnSource, FieldForm, FieldSource, Level, NonNumbers, Path, Reveals, flag,
    is_date, plain_number,
};
use crate::text::one_line;

/// Longer lists are not fields: token ids and embeddings, for example.
const MAX_ELEMENTS: usize = 16;
/// Further members of an object are not fields.
pub const MAX_MEMBERS: usize = 10_000;
/// Maximum nesting of a field.
const MAX_DEPTH: usize = 12;
/// Minimum characters of a string with spaces to count as text rather than a word.
const TEXT: usize = 60;
/// The same for strings in lists of objects, such as criteria of a rubric.
const LISTED_TEXT: usize = 20;
/// Maximum number of displayed fields of a row.
const MAX_SHOWN: usize = 400;

/// Finds the fields of records and the kinds of their values.
#[derive(Debug, Clone)]
pub struct FieldSurvey {
    layout: Arc<FieldLayout>,
    places: HashMap<FieldKey, usize>,
    fields: Vec<(FieldKey, FieldForms)>,
}

/// Where a field is in the record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FieldKey {
    /// Its path; relative to the response if each response has its own.
    path: Path,
    /// Where the path starts.
    base: FieldBase,
    /// True if the definition uses it for another role.
    is_role: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FieldBase {
    Record,
    /// An element of this `[[response]]`, which is a list.
    Element(usize),
    /// The object that contains the text of a response.
    Object,
}

/// Counts of a field's values by form.
#[derive(Debug, Clone, Default)]
struct FieldForms {
    values: usize,
    flags: usize,
    /// Flags that are not digits.
    words_of_flags: usize,
    dates: usize,
    lists: usize,
    texts: usize,
    /// Counts of numbers by unit, which is mostly empty.
    units: BTreeMap<Box<str>, usize>,
    non_numbers: NonNumbers,
}

impl FieldForms {
    /// Adds a scalar, or a list of scalars.
    fn add(&mut self, value: &[u8], is_listed: bool) {
        if value.first() == Some(&b'[') {
            self.values += 1;
            self.lists += 1;
            return;
        }
        let Some(text) = scalar(value) else { return };
        self.values += 1;
        self.lists += usize::from(is_listed);
        self.texts += usize::from(is_text(&text, is_listed));
        let is_flag = flag(&text).is_some();
        self.flags += usize::from(is_flag);
        self.words_of_flags += usize::from(is_flag && text.starts_with(char::is_alphabetic));
        // JSON numbers may have any number of decimals.
        let (number, unit) = unit(&text).unwrap_or((&text, ""));
        match plain_number(number.trim_end()) {
            Some(_) => *self.units.entry(unit.into()).or_default() += 1,
            None => self.non_numbers.add(&text),
        }
        self.dates += usize::from(is_date(&text));
    }

    /// Returns the form; `None` if no record has a value.
    fn form(&self) -> Option<FieldForm> {
        let is_all = |count: usize| count == self.values;
        let are_few = |count: usize| self.non_numbers.are_few(count, self.values);
        let unit = self.units.iter().find(|(_, count)| are_few(**count));
        Some(match self {
            Self { values: 0, .. } => return None,
            Self { lists: 1.., .. } => FieldForm::Words,
            _ if is_all(self.flags) && self.words_of_flags > 0 => FieldForm::Flag,
            _ if is_all(self.dates) => FieldForm::Date,
            _ => unit.map_or(FieldForm::Word, |(unit, _)| FieldForm::Number(unit.clone())),
        })
    }

    fn is_text(&self) -> bool {
        self.texts > 0 && self.texts * 2 >= self.values
    }
}

/// True if a string is prose rather than a value to compare.
fn is_text(text: &str, is_listed: bool) -> bool {
    let least = if is_listed { LISTED_TEXT } else { TEXT };
    let text = text.trim();
    text.contains('\n') || (text.len() >= least && text.contains(' '))
}

impl FieldSurvey {
    /// Creates an empty survey for records of a layout.
    pub fn new(layout: Arc<FieldLayout>) -> Self {
        Self {
            layout,
            places: HashMap::new(),
            fields: Vec::new(),
        }
    }

    /// Adds the fields of a record. The form of the first `settled` ones does not change.
    pub fn add(&mut self, line: &[u8], settled: usize) {
        let layout = Arc::clone(&self.layout);
        layout.each_leaf(line, false, &mut |key, _, value| {
            let is_listed = key.path.is_of_each();
            let fields = &mut self.fields;
            let place = *self.places.entry(key).or_insert_with_key(|key| {
                fields.push((key.clone(), FieldForms::default()));
                fields.len() - 1
            });
            let forms = &mut fields[place].1;
            if place >= settled || forms.values == 0 {
                forms.add(value, is_listed);
            }
        });
    }

    /// Returns the number of fields.
    pub(crate) fn len(&self) -> usize {
        self.fields.len()
    }

    /// Returns the fields with a value as columns, in the order in which they were found.
    pub fn columns(&self) -> Vec<Column> {
        self.fields
            .iter()
            .filter(|(key, _)| !key.is_role)
            .filter_map(|(key, forms)| self.column(key, forms))
            .collect()
    }

    fn column(&self, key: &FieldKey, forms: &FieldForms) -> Option<Column> {
        let level = match key.base {
            FieldBase::Record => self.row_level(),
            _ => Level::Response,
        };
        column(&key.name(), level, forms, self.layout.paths_of(key))
    }

    /// Returns the level of a row's values.
    fn row_level(&self) -> Level {
        if self.layout.joins_rows {
            Level::Response
        } else {
            Level::Sample
        }
    }

    /// Returns the field at exactly this path, even if it has another role.
    pub fn at(&self, pointer: &str) -> Option<Column> {
        let path = Path::from(pointer);
        let is_here = |(key, _): &&(FieldKey, FieldForms)| {
            self.layout
                .paths_of(key)
                .iter()
                .any(|known| known.leads_to(&path))
        };
        let (key, forms) = self.fields.iter().find(is_here)?;
        if !key.is_role && self.layout.paths_of(key) == [path.clone()] {
            self.column(key, forms)
        } else {
            column(&path.to_string(), self.row_level(), forms, vec![path])
        }
    }

    /// Returns a value with another role as a field, by its name.
    pub fn role(&self, is_meant: &dyn Fn(&str) -> bool) -> Option<Column> {
        let is_it = |(key, _): &&(FieldKey, FieldForms)| {
            key.is_role && key.base == FieldBase::Record && is_meant(&key.name())
        };
        let (key, forms) = self.fields.iter().find(is_it)?;
        self.column(key, forms)
    }

    /// Returns the texts among the fields, for a guessed definition.
    pub fn texts(&self) -> Vec<TextPath> {
        let mut texts: Vec<&FieldKey> = Vec::new();
        for (key, forms) in &self.fields {
            // A text cannot contain another one: if records differ, the first counts.
            let steps = key.path.steps();
            let overlaps = |text: &&FieldKey| {
                let known = text.path.steps();
                known.starts_with(steps) || steps.starts_with(known)
            };
            let is_free = !key.is_role && key.base == FieldBase::Record;
            if is_free && forms.is_text() && !texts.iter().any(overlaps) {
                texts.push(key);
            }
        }
        texts
            .into_iter()
            .map(|key| TextPath::new(key.name(), Some(key.path.clone())))
            .collect()
    }
}

/// Creates the column of a field; `None` if no record has a value.
fn column(name: &str, level: Level, forms: &FieldForms, paths: Vec<Path>) -> Option<Column> {
    let form = forms.form()?;
    let about = match &form {
        FieldForm::Number(unit) if !unit.is_empty() => format!("a number before {unit}"),
        FieldForm::Flag => "true or false".to_owned(),
        FieldForm::Date => "a date".to_owned(),
        FieldForm::Words => "a list of words".to_owned(),
        FieldForm::Number(_) => one_line(&forms.non_numbers.note(forms.values), 100),
        FieldForm::Word => String::new(),
    };
    let kind = form.kind();
    let paths = paths.into();
    let source = FieldSource { level, form, paths };
    Some(Column {
        id: ColumnId::of(ColumnSource::Field(Box::new(source)), name),
        kind,
        range: None,
        about,
        reveals: Reveals::Label,
    })
}

impl FieldKey {
    /// Returns its keys, joined by dots.
    fn name(&self) -> String {
        self.path
            .steps()
            .iter()
            .filter(|step| *step != Path::EACH)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(".")
    }
}

/// Walks through a record, with the path so far and the rests of the definition's paths from there.
struct LeafWalk<'s, 'w, 'r> {
    layout: &'s FieldLayout,
    /// True if values with other roles are skipped.
    skips_roles: bool,
    path: Vec<Cow<'r, str>>,
    show: &'w mut dyn FnMut(FieldKey, Option<usize>, &'r [u8]),
}

impl<'r> LeafWalk<'_, '_, 'r> {
    fn walk(&mut self, value: &'r [u8], onward: &[&[String]], is_role: bool) {
        let is_role = is_role || onward.contains(&&[][..]);
        if self.path.len() > MAX_DEPTH || (is_role && self.skips_roles) {
            return;
        }
        match value.first() {
            Some(b'{') => {
                let mut left = MAX_MEMBERS;
                for (key, member) in items(value).flatten() {
                    let Some(key) = decoded(key) else { continue };
                    let onward = rests_after(onward, &key);
                    if left == 0 && onward.is_empty() {
                        continue;
                    }
                    left = left.saturating_sub(1);
                    self.path.push(key);
                    self.walk(member, &onward, is_role);
                    self.path.pop();
                }
            }
            Some(b'[') => self.walk_list(value, onward, is_role),
            Some(_) => self.show(is_role, value),
            None => {}
        }
    }

    fn walk_list(&mut self, list: &'r [u8], onward: &[&[String]], is_role: bool) {
        let is_index = |step: &String| step == Path::EACH || step.parse::<usize>().is_ok();
        let is_known = onward.iter().any(|path| path.first().is_some_and(is_index));
        let is_scalar = |item: &&[u8]| !matches!(item.first(), Some(b'{' | b'['));
        let mut all = Vec::new();
        for (_, item) in items(list).flatten() {
            all.push(item);
            // More scalars than this are not a list of words.
            if !is_known && all.len() > MAX_ELEMENTS && is_scalar(&item) {
                break;
            }
        }
        if !is_known && all.iter().all(is_scalar) {
            if !all.is_empty() && all.len() <= MAX_ELEMENTS {
                self.show(is_role, list);
            }
            return;
        }
        for (place, item) in all.into_iter().enumerate() {
            let place = place.to_string();
            let mut onward =
                [rests_after(onward, Path::EACH), rests_after(onward, &place)].concat();
            onward.sort_unstable();
            if !is_known && item.first() == Some(&b'[') {
                continue;
            }
            self.path.push(if is_known {
                place.into()
            } else {
                Path::EACH.into()
            });
            self.walk(item, &onward, is_role || (is_known && onward.is_empty()));
            self.path.pop();
        }
    }

    fn show(&mut self, is_role: bool, value: &'r [u8]) {
        // A record that is a scalar has no fields.
        if self.path.is_empty() {
            return;
        }
        let (base, response, start) = self.layout.base_of(&self.path);
        let path = Path::of_steps(&self.path[start..]);
        // A label of one response is not a field of the others.
        let is_role = is_role
            || (base == FieldBase::Object
                && (self.layout.bases.iter())
                    .any(|it| self.layout.roles.contains(&it.start.join(&path))));
        let key = FieldKey {
            path,
            base,
            is_role,
        };
        (self.show)(key, response, value);
    }
}

/// Returns the rests of those paths that begin with a step. `paths` must be sorted.
fn rests_after<'p>(paths: &[&'p [String]], step: &str) -> Vec<&'p [String]> {
    let first = |path: &&'p [String]| path.first().map(String::as_str);
    let start = paths.partition_point(|path| first(path) < Some(step));
    paths[start..]
        .iter()
        .take_while(|path| first(path) == Some(step))
        .map(|path| &path[1..])
        .collect()
}

impl FieldLayout {
    /// Returns the base of a path, its response, and the index at which the rest begins.
    fn base_of(&self, path: &[Cow<'_, str>]) -> (FieldBase, Option<usize>, usize) {
        for base in &self.bases {
            let start = base.start.steps();
            if path.len() <= start.len() || !start.iter().zip(path).all(|(one, other)| one == other)
            {
                continue;
            }
            match base.table {
                None => return (FieldBase::Object, Some(base.response), start.len()),
                Some(table) => {
                    if let Ok(element) = path[start.len()].parse() {
                        return (FieldBase::Element(table), Some(element), start.len() + 1);
                    }
                }
            }
        }
        (FieldBase::Record, None, 0)
    }

    /// Calls `show` with the scalars and short lists of a record, each with its response.
    fn each_leaf<'r>(
        &self,
        line: &'r [u8],
        skips_roles: bool,
        show: &mut dyn FnMut(FieldKey, Option<usize>, &'r [u8]),
    ) {
        let onward: Vec<_> = self.roles.iter().map(Path::steps).collect();
        let mut walk = LeafWalk {
            layout: self,
            skips_roles,
            path: Vec::new(),
            show,
        };
        walk.walk(line, &onward, false);
    }

    /// Returns the paths of a field from the record: one, or one for each response.
    fn paths_of(&self, key: &FieldKey) -> Vec<Path> {
        let table = match key.base {
            FieldBase::Record => return vec![key.path.clone()],
            FieldBase::Element(table) => Some(table),
            FieldBase::Object => None,
        };
        self.bases
            .iter()
            .filter(|base| base.table == table)
            .map(|base| match table {
                Some(_) => base.start.each_then(&key.path),
                None => base.start.join(&key.path),
            })
            .collect()
    }
}

impl Schema {
    /// Returns an empty survey of the fields that its definition does not name.
    pub fn survey(&self) -> FieldSurvey {
        FieldSurvey::new(Arc::clone(&self.fields))
    }

    /// Adds the fields of a row to its record: short ones as facts, texts as rationales.
    pub fn with_fields<'r>(&self, mut record: Record<'r>, line: &'r [u8]) -> Record<'r> {
        let (facts, mut rest) = (&mut record.facts, MAX_SHOWN);
        self.fields
            .each_leaf(line, true, &mut |key, response, value| {
                if key.is_role || rest == 0 {
                    return;
                }
                let (is_listed, mut words) = (key.path.is_of_each(), Vec::new());
                each_word(value, &mut |word| words.push(word));
                let value = match words.len() {
                    0 => return,
                    1 => words.swap_remove(0),
                    _ => words.join(", ").into(),
                };
                rest -= 1;
                let mut name = key.name();
                if is_text(&value, is_listed) {
                    let response = response.or_else(|| self.joins_rows().then_some(0));
                    return record.rationales.push(Rationale {
                        name,
                        response: response.and_then(ResponseId::new),
                        annotator: None,
                        text: value,
                        is_released: false,
                    });
                }
                if let Some(response) = response.and_then(ResponseId::new) {
                    name = format!("{name} {}", response.letter());
                }
                match facts
                    .iter_mut()
                    .find(|known| is_listed && known.name == name)
                {
                    Some(known) => known.value = format!("{}, {value}", known.value).into(),
                    None => facts.push(Fact {
                        name,
                        value,
                        is_released: false,
                    }),
                }
            });
        record
    }

    /// Calls `show` with each value of a field in a sample's rows, as text, with the index of its
    /// response (0 for values of the sample).
    pub fn field_values(
        &self,
        field: &FieldSource,
        lines: &[&[u8]],
        responses: usize,
        show: &mut dyn FnMut(usize, &str),
    ) {
        let responses = match field.level {
            Level::Sample => 1,
            Level::Response => responses,
        };
        for response in 0..responses {
            let (row, element) = match field.level {
                Level::Response if !self.joins_rows() => (0, Some(response)),
                _ => (response, None),
            };
            let path = field.paths.get(response).or(field.paths.first());
            let Some((line, path)) = lines.get(row).zip(path) else {
                return;
            };
            let mut show = |value: &[u8]| each_word(value, &mut |word| show(response, &word));
            let _ = values_at(line, path.steps(), element, &mut show);
        }
    }
}

/// Calls `show` with a scalar as text, or with the scalars of a list.
fn each_word<'r>(value: &'r [u8], show: &mut dyn FnMut(Cow<'r, str>)) {
    match value.first() {
        Some(b'[') => {
            items(value)
                .flatten()
                .map(|(_, item)| item)
                .filter(|item| !matches!(item.first(), Some(b'{' | b'[')))
                .filter_map(scalar)
                .for_each(show);
        }
        Some(b'{') | None => {}
        Some(_) => scalar(value).into_iter().for_each(show),
    }
}

/// Which values of records are fields, and the response that they belong to.
#[derive(Debug)]
pub struct FieldLayout {
    /// Paths of values with another role.
    roles: BTreeSet<Path>,
    /// Where fields of responses begin, if each has its own place.
    bases: Vec<ResponseBase>,
    joins_rows: bool,
}

/// Where the fields of a response begin: its element of a list, or the object with its text.
#[derive(Debug)]
struct ResponseBase {
    start: Path,
    /// Index of its `[[response]]` if that is a list.
    table: Option<usize>,
    response: usize,
}

impl FieldLayout {
    pub fn of(definition: &Definition) -> Self {
        let responses = || definition.responses.iter().enumerate();
        let of_list = |(table, paths): (usize, &ResponsePaths)| {
            let (start, _) = paths.whole_path().split_list()?;
            Some(ResponseBase {
                start,
                table: Some(table),
                response: 0,
            })
        };
        let mut bases: Vec<_> = responses().filter_map(of_list).collect();
        if bases.is_empty() && definition.rows == RowGrouping::Inline {
            let of_object = |(response, paths): (usize, &ResponsePaths)| {
                let around = paths.text.steps().split_last().map(|(_, around)| around);
                ResponseBase {
                    start: Path::of_steps(around.unwrap_or_default()),
                    table: None,
                    response,
                }
            };
            bases = responses().map(of_object).collect();
            let is_inside = |one: &ResponseBase, other: &ResponseBase| {
                one.response != other.response && one.start.steps().starts_with(other.start.steps())
            };
            // One response has no object of its own, and neither have texts in one object.
            let has_shared = |one| bases.iter().any(|other| is_inside(one, other));
            if bases.len() < 2 || bases.iter().any(has_shared) {
                bases.clear();
            }
        }
        let uses = definition.uses();
        let is_inside = |list: &Path| {
            uses.iter()
                .filter(|it| it.kind != UseKind::Vote)
                .any(|it| it.path.steps().starts_with(list.steps()))
        };
        // A list that contains only votes has no fields.
        let votes: Vec<_> = definition
            .votes
            .iter()
            .filter_map(|vote| vote.each.clone())
            .filter(|list| !is_inside(list))
            .collect();
        // Uses that capture no value.
        let others = [UseKind::BesidePrompt, UseKind::Annotator, UseKind::Group];
        let roles = uses.into_iter().filter(|it| !others.contains(&it.kind));
        Self {
            roles: roles.map(|it| it.path).chain(votes).collect(),
            bases,
            joins_rows: definition.joins_rows(),
        }
    }
}
