//! Fields: all scalars of a record that the definition does not use for something else.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::definition::{Definition, RowGrouping};
use super::json_walk::{decoded, elements, members, values_at};
use super::path::Path;
use super::reader::Schema;
use super::repair;
use super::slots::{PromptSlots, Slots};
use super::text_path::TextPath;
use crate::model::{Fact, Rationale, Record, ResponseId};
use crate::table::{
    Column, ColumnId, ColumnSource, FieldForm, FieldSource, Level, Reveals, Steps, flag, is_date,
    plain_number,
};

/// Elements of a list whose values make a field: token ids and embeddings have more.
const MOST_ELEMENTS: usize = 16;
/// Containers around a field.
const MOST_DEPTH: usize = 12;
/// Characters from which on a string with blanks is a text and not a word.
const TEXT: usize = 60;
/// The same of the strings of lists of objects, such as the criteria of a rubric.
const LISTED_TEXT: usize = 20;
/// Fields of a row that are shown.
const MOST_SHOWN: usize = 400;

/// Finds the fields of records, and what their values are.
#[derive(Debug, Clone)]
pub struct FieldSurvey {
    schema: Arc<Schema>,
    places: HashMap<FieldKey, usize>,
    fields: Vec<(FieldKey, FieldForms)>,
}

/// Where a field is in the record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FieldKey {
    /// Its path; from its response on if each response has its own.
    steps: Steps,
    /// What the path begins at.
    base: FieldBase,
    /// Whether the definition uses it for something else.
    is_role: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FieldBase {
    Record,
    /// An element of this `[[response]]`, which is a list.
    Element(usize),
    /// The object that has the text of a response.
    Object,
}

/// How many values of a field are of which form.
#[derive(Debug, Clone, Default)]
struct FieldForms {
    values: usize,
    numbers: usize,
    flags: usize,
    /// Flags that are no digits.
    words_of_flags: usize,
    dates: usize,
    lists: usize,
    texts: usize,
    units: BTreeMap<Box<str>, usize>,
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
        // A number of JSON may have as many digits behind its point as it wants.
        if plain_number(&text).is_some() {
            self.numbers += 1;
        } else if let Some((number, unit)) = unit(&text)
            && plain_number(number.trim_end()).is_some()
        {
            *self.units.entry(unit.into()).or_default() += 1;
        }
        self.dates += usize::from(is_date(&text));
    }

    /// `None` if no record has a value.
    fn form(&self) -> Option<FieldForm> {
        let is_all = |count: usize| count == self.values;
        let unit = self.units.iter().find(|(_, count)| is_all(**count));
        Some(match self {
            Self { values: 0, .. } => return None,
            Self { lists: 1.., .. } => FieldForm::Words,
            _ if is_all(self.flags) && self.words_of_flags > 0 => FieldForm::Flag,
            _ if is_all(self.numbers) => FieldForm::Number("".into()),
            _ if is_all(self.dates) => FieldForm::Date,
            _ => match unit {
                Some((unit, _)) => FieldForm::Number(unit.clone()),
                None => FieldForm::Word,
            },
        })
    }

    fn is_text(&self) -> bool {
        self.texts > 0 && self.texts * 2 >= self.values
    }
}

/// The unit of `85%` and `4/5`, with the number before it.
pub(super) fn unit(text: &str) -> Option<(&str, &str)> {
    let at = text.find(['%', '/'])?;
    let (number, unit) = text.split_at(at);
    let is_unit = unit == "%" || unit.strip_prefix('/').and_then(plain_number) > Some(0.0);
    is_unit.then_some((number, unit))
}

/// Whether a string is written to be read rather than to be compared.
fn is_text(text: &str, is_listed: bool) -> bool {
    let least = if is_listed { LISTED_TEXT } else { TEXT };
    let text = text.trim();
    text.contains('\n') || (text.len() >= least && text.contains(' '))
}

/// A scalar as text; `None` of null and of blank strings.
pub(super) fn scalar(spelled: &[u8]) -> Option<Cow<'_, str>> {
    let text = match spelled {
        b"null" => return None,
        [b'"', inside @ .., b'"'] => decoded(inside)?,
        _ => Cow::Borrowed(std::str::from_utf8(spelled).ok()?),
    };
    (!text.trim().is_empty()).then_some(text)
}

impl FieldSurvey {
    /// A survey of records of a schema, of which none was seen yet.
    pub fn new(schema: Arc<Schema>) -> Self {
        Self {
            schema,
            places: HashMap::new(),
            fields: Vec::new(),
        }
    }

    /// Adds the fields of a record; the form of the first `settled` ones stays as it is.
    pub fn add(&mut self, line: &[u8], settled: usize) {
        let schema = Arc::clone(&self.schema);
        schema.each_leaf(line, false, &mut |key, _, value| {
            let is_listed = key.is_listed();
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

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// The fields that have any value, as columns, in the order in which they were found.
    pub fn columns(&self) -> Vec<Column> {
        let fields = self.fields.iter().filter(|(key, _)| !key.is_role);
        let columns = fields.filter_map(|(key, forms)| self.column(key, forms));
        columns.collect()
    }

    fn column(&self, key: &FieldKey, forms: &FieldForms) -> Option<Column> {
        let level = match key.base {
            FieldBase::Record => self.row_level(),
            _ => Level::Response,
        };
        column(&key.name(), level, forms, self.schema.paths_of(key))
    }

    /// The level of a value of a row.
    fn row_level(&self) -> Level {
        match self.schema.joins_rows() {
            true => Level::Response,
            false => Level::Sample,
        }
    }

    /// The field at exactly this path, whatever the definition uses it for.
    pub fn at(&self, pointer: &str) -> Option<Column> {
        let path = Path::from(pointer);
        let steps = boxed(path.steps());
        let is_here = |(key, _): &&(FieldKey, FieldForms)| {
            let paths = self.schema.paths_of(key);
            paths.iter().any(|known| leads_to(known, &steps))
        };
        let (key, forms) = self.fields.iter().find(is_here)?;
        match !key.is_role && self.schema.paths_of(key) == [steps.clone()] {
            true => self.column(key, forms),
            false => column(&path.to_string(), self.row_level(), forms, vec![steps]),
        }
    }

    /// The value with a name that the definition uses for something else, as a field.
    pub fn role(&self, is_meant: &dyn Fn(&str) -> bool) -> Option<Column> {
        let is_it = |(key, _): &&(FieldKey, FieldForms)| {
            key.is_role && key.base == FieldBase::Record && is_meant(&key.name())
        };
        let (key, forms) = self.fields.iter().find(is_it)?;
        self.column(key, forms)
    }

    /// The texts among the fields, as a definition has them, for one that was guessed.
    pub fn texts(&self) -> Vec<TextPath> {
        let mut texts: Vec<&FieldKey> = Vec::new();
        for (key, forms) in &self.fields {
            // A text cannot contain another one: where records differ, the first one counts.
            let overlaps = |text: &&FieldKey| {
                text.steps.starts_with(&key.steps) || key.steps.starts_with(&text.steps)
            };
            let is_free = !key.is_role && key.base == FieldBase::Record;
            if is_free && forms.is_text() && !texts.iter().any(overlaps) {
                texts.push(key);
            }
        }
        let path = |key: &FieldKey| Some(Path::of_steps(key.steps.iter()));
        let texts = texts.into_iter();
        texts
            .map(|key| TextPath::new(key.name(), path(key)))
            .collect()
    }
}

/// `None` if no record has a value.
fn column(name: &str, level: Level, forms: &FieldForms, paths: Vec<Steps>) -> Option<Column> {
    let form = forms.form()?;
    let about = match &form {
        FieldForm::Number(unit) if !unit.is_empty() => format!("a number before {unit}"),
        FieldForm::Flag => "true or false".to_owned(),
        FieldForm::Date => "a date".to_owned(),
        FieldForm::Words => "a list of words".to_owned(),
        _ => String::new(),
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

/// Whether a path that can have `*` leads to another one.
fn leads_to(path: &[Box<str>], steps: &[Box<str>]) -> bool {
    let mut both = path.iter().zip(steps);
    path.len() == steps.len()
        && both.all(|(known, step)| {
            known == step || (**known == *"*" && step.parse::<usize>().is_ok())
        })
}

impl FieldKey {
    /// Its keys with dots between them.
    fn name(&self) -> String {
        let keys = self.steps.iter().filter(|step| ***step != *"*");
        keys.map(|step| &**step).collect::<Vec<_>>().join(".")
    }

    /// Whether it is of the elements of a list.
    fn is_listed(&self) -> bool {
        self.steps.iter().any(|step| **step == *"*")
    }
}

/// Goes over a record: the path so far, and what the schema's tree has there.
struct LeafWalk<'s, 'w, 'r> {
    schema: &'s Schema,
    roles: &'s HashSet<u16>,
    /// Whether values that the definition uses are passed over.
    skips_roles: bool,
    path: Vec<Cow<'r, str>>,
    show: &'w mut dyn FnMut(FieldKey, Option<usize>, &'r [u8]),
}

impl<'r> LeafWalk<'_, '_, 'r> {
    fn walk(&mut self, value: &'r [u8], node: Option<usize>, is_role: bool) {
        let tree = self.schema.tree();
        let slot = node.and_then(|node| tree.node(node).slot);
        let is_role = is_role || slot.is_some_and(|slot| self.roles.contains(&slot));
        if self.path.len() > MOST_DEPTH || (is_role && self.skips_roles) {
            return;
        }
        match value.first() {
            Some(b'{') => {
                members(value, &mut |key, member| {
                    let Some(key) = decoded(key) else { return };
                    let child = node.and_then(|node| tree.node(node).by_key(&key));
                    self.path.push(key);
                    self.walk(member, child, is_role);
                    self.path.pop();
                });
            }
            Some(b'[') => self.walk_list(value, node, is_role),
            Some(_) => self.show(is_role, value),
            None => {}
        }
    }

    fn walk_list(&mut self, list: &'r [u8], node: Option<usize>, is_role: bool) {
        let tree = self.schema.tree();
        let node = node.filter(|node| tree.node(*node).takes_list());
        let is_scalar = |item: &&[u8]| !matches!(item.first(), Some(b'{' | b'['));
        let mut all = Vec::new();
        elements(list, &mut |item| {
            all.push(item);
            // Enough to see that it is none of words.
            node.is_some() || all.len() <= MOST_ELEMENTS || !is_scalar(&item)
        });
        if node.is_none() && all.iter().all(is_scalar) {
            if !all.is_empty() && all.len() <= MOST_ELEMENTS {
                self.show(is_role, list);
            }
            return;
        }
        for (place, item) in all.into_iter().enumerate() {
            let (step, child) = match node {
                Some(node) => (place.to_string().into(), tree.node(node).by_index(place)),
                None if item.first() == Some(&b'[') => continue,
                None => (Cow::Borrowed("*"), None),
            };
            // More responses than a sample can have.
            let is_role = is_role || (node.is_some() && child.is_none());
            self.path.push(step);
            self.walk(item, child, is_role);
            self.path.pop();
        }
    }

    /// Whether the definition uses the value of any response at this path, which begins at a place of
    /// the response.
    fn is_role_of_any(&self, start: usize) -> bool {
        let (tree, rest) = (self.schema.tree(), &self.path[start..]);
        let mut bases = self.schema.fields().bases.iter();
        bases.any(|base| {
            let base = base.start.iter().map(|step| &**step);
            let mut steps = base.chain(rest.iter().map(|step| &**step));
            let node = steps.try_fold(0, |node, step| tree.node(node).by_key(step));
            let slot = node.and_then(|node| tree.node(node).slot);
            slot.is_some_and(|slot| self.roles.contains(&slot))
        })
    }

    fn show(&mut self, is_role: bool, value: &'r [u8]) {
        // A record that is a scalar has no fields.
        if self.path.is_empty() {
            return;
        }
        let (base, response, start) = self.schema.base_of(&self.path);
        let is_role = is_role || (base == FieldBase::Object && self.is_role_of_any(start));
        let steps = self.path[start..].iter().map(|step| (**step).into());
        let key = FieldKey {
            steps: steps.collect(),
            base,
            is_role,
        };
        (self.show)(key, response, value);
    }
}

impl Schema {
    /// Shows the scalars and short lists of a record, with the response that they are of.
    fn each_leaf<'r>(
        &self,
        line: &'r [u8],
        skips_roles: bool,
        show: &mut dyn FnMut(FieldKey, Option<usize>, &'r [u8]),
    ) {
        let mut walk = LeafWalk {
            schema: self,
            roles: &self.fields().roles,
            skips_roles,
            path: Vec::new(),
            show,
        };
        walk.walk(line, Some(0), false);
    }

    /// What a path begins at: the response that it is of, and where the rest begins.
    fn base_of(&self, path: &[Cow<'_, str>]) -> (FieldBase, Option<usize>, usize) {
        let is_at = |start: &[Box<str>]| {
            path.len() > start.len() && start.iter().zip(path).all(|(one, other)| **one == **other)
        };
        for base in &self.fields().bases {
            if is_at(&base.start) {
                match base.table {
                    None => return (FieldBase::Object, Some(base.response), base.start.len()),
                    Some(table) => {
                        if let Ok(element) = path[base.start.len()].parse() {
                            let rest = base.start.len() + 1;
                            return (FieldBase::Element(table), Some(element), rest);
                        }
                    }
                }
            }
        }
        (FieldBase::Record, None, 0)
    }

    /// The paths of a field from the record on: one, or one for each response.
    fn paths_of(&self, key: &FieldKey) -> Vec<Steps> {
        let table = match key.base {
            FieldBase::Record => return vec![key.steps.clone()],
            FieldBase::Element(table) => Some(table),
            FieldBase::Object => None,
        };
        let bases = self.fields().bases.iter();
        let paths = bases.filter(|base| base.table == table).map(|base| {
            let each = table.map(|_| "*".into());
            let start = base.start.iter().cloned().chain(each);
            start.chain(key.steps.iter().cloned()).collect()
        });
        paths.collect()
    }

    /// Adds the fields of a row to its record: short ones as facts, texts as rationales.
    pub fn with_fields<'r>(&self, mut record: Record<'r>, line: &'r [u8]) -> Record<'r> {
        let (facts, mut rest) = (&mut record.facts, MOST_SHOWN);
        self.each_leaf(line, true, &mut |key, response, value| {
            if key.is_role || rest == 0 {
                return;
            }
            let (is_listed, mut words) = (key.is_listed(), Vec::new());
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

    /// Reads the values of a field of a sample, from its rows: calls with the response, 0 for what is
    /// of the sample, and each value as text.
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
            if values_at(line, path, element, &mut show).is_none()
                && let Some(mended) = repair(line)
            {
                values_at(&mended.line, path, element, &mut show);
            }
        }
    }
}

/// Shows a scalar as text, or the scalars of a list.
fn each_word<'r>(value: &'r [u8], show: &mut dyn FnMut(Cow<'r, str>)) {
    match value.first() {
        Some(b'[') => drop(elements(value, &mut |item| {
            if !matches!(item.first(), Some(b'{' | b'[')) {
                scalar(item).into_iter().for_each(&mut *show);
            }
            true
        })),
        Some(b'{') | None => {}
        Some(_) => scalar(value).into_iter().for_each(show),
    }
}

/// Which values of records are fields, and of which response.
#[derive(Debug)]
pub(super) struct FieldLayout {
    /// The slots whose values the definition uses for something else.
    roles: HashSet<u16>,
    /// Where fields of responses begin, if each has a place of its own.
    bases: Vec<ResponseBase>,
}

/// Where fields of a response begin: its element of a list, or the object with its text.
#[derive(Debug)]
struct ResponseBase {
    start: Steps,
    /// Its `[[response]]` if that is a list.
    table: Option<usize>,
    response: usize,
}

impl FieldLayout {
    pub(super) fn of(definition: &Definition, slots: &Slots) -> Self {
        let mut bases = list_bases(definition);
        if bases.is_empty()
            && definition.responses.len() > 1
            && definition.rows == RowGrouping::Inline
        {
            bases = object_bases(definition);
        }
        let roles = slots.roles();
        Self { roles, bases }
    }
}

fn list_bases(definition: &Definition) -> Vec<ResponseBase> {
    let tables = definition.responses.iter().enumerate();
    let lists = tables.filter_map(|(table, paths)| {
        let whole = paths.whole_path();
        Some(ResponseBase {
            start: boxed(whole.list().filter(|_| paths.is_of_each())?),
            table: Some(table),
            response: 0,
        })
    });
    lists.collect()
}

/// The objects with the texts of responses; none unless they are separate.
fn object_bases(definition: &Definition) -> Vec<ResponseBase> {
    let tables = definition.responses.iter().enumerate();
    let objects = tables.map(|(response, paths)| {
        let steps = paths.text.steps();
        ResponseBase {
            start: boxed(steps.split_last().map_or(&[][..], |(_, start)| start)),
            table: None,
            response,
        }
    });
    let bases: Vec<_> = objects.collect();
    let is_separate = bases.iter().all(|base| {
        let others = bases.iter().filter(|other| other.response != base.response);
        let mut starts = others.map(|other| &other.start);
        starts.all(|start| !base.start.starts_with(start))
    });
    if is_separate { bases } else { Vec::new() }
}

fn boxed(steps: &[String]) -> Steps {
    steps.iter().map(|step| step.as_str().into()).collect()
}

impl Slots {
    /// The slots whose values the definition uses, but for the key of a group and for what only
    /// tells which schema a file has: these are fields too.
    fn roles(&self) -> HashSet<u16> {
        let prompt = self.prompt.iter();
        let mut roles: HashSet<u16> = prompt.flat_map(PromptSlots::slots).collect();
        for response in &self.responses {
            roles.insert(response.text.slot);
            let others = [response.quotes, response.prefix, response.completion];
            roles.extend(others.iter().flatten());
            let ratings = response.ratings.iter().flatten();
            roles.extend(ratings.filter_map(|rating| rating.slot()));
        }
        let lists = [
            &self.verdict,
            &self.same,
            &self.beyond,
            &self.more_annotators,
        ];
        roles.extend(lists.into_iter().flatten());
        roles.extend(self.facts.iter().flatten());
        roles.extend(self.texts.iter().map(|text| text.slot));
        roles.extend(self.votes.iter().flat_map(|votes| votes.source.slots()));
        roles
    }
}
