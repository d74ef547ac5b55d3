//! The layout page: the role of each field in the first records, with the reason; and the editor in
//! which the user changes roles.

use std::sync::Arc;

use super::layout_preview::pane;
use super::page_doc::{LEFT, PageContent, PageDoc, PageSources, PageSpot, PageTone};
use crate::app::perform::ViewRequest;
use crate::app::update::{MESSAGE_WIDTH, scrolled};
use crate::app::{Action, App, Context, Effect, KeyHints, LineKind, Loading, texts};
use crate::dataset::Dataset;
use crate::model::ResponseId;
use crate::schema::{
    Choices, Definition, FieldChoice, FieldRole, JsonRecord, NamedVerdict, Path, Schema, Survey,
};
use crate::text;

/// Screen width from which the preview is beside the fields.
const WIDE: u16 = 100;
/// Maximum width of a file name.
const MAX_NAME: usize = 40;
/// Width of a role.
const ROLE: u16 = 14;
/// Lines below the fields, beside the preview.
const ABOUT: usize = 5;

/// An action on the layout page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutAction {
    /// Start editing roles.
    Edit,
    /// Give the field this role.
    Choose(FieldChoice),
    /// Set the meaning of the selected verdict value.
    Means(NamedVerdict),
    /// Set the next meaning: A, B and so on, tie, none.
    NextMeaning,
    /// Use the elements of the selected list as records.
    OpenList,
    /// Guess the whole layout again.
    Guess,
    /// Forget the saved layout, so that the file is guessed again.
    Forget,
    /// Show the next record.
    NextRecord,
    /// Show the previous record.
    PreviousRecord,
}

/// The roles of a file's fields, which can be edited.
#[derive(Debug, Default)]
pub struct LayoutPage {
    pub(crate) records: Arc<Survey>,
    /// File name if several files are open.
    file: String,
    /// True if all open files have this layout.
    is_alone: bool,
    /// Why no samples can be shown until the user sets roles.
    pub(crate) refused: Option<String>,
    /// The layout that the file was read with.
    own: Option<Definition>,
    /// The layout from the choices; `None` if they are not sufficient.
    pub(crate) definition: Option<Definition>,
    fields: Vec<FieldRole>,
    /// Values of the verdict field, with the meaning and the number of records of each.
    values: Vec<(String, Option<NamedVerdict>, usize)>,
    choices: Choices,
    /// The choices before each change, for undo.
    past: Vec<Choices>,
    is_edited: bool,
    /// True if the choices began with a new guess.
    is_guessed: bool,
    pub(crate) record: usize,
    /// Selected line, and first visible line.
    at: usize,
    top: usize,
    /// True if the page must be laid out again.
    is_changed: bool,
    /// True if the doubts about the layout were named when it was to be saved.
    is_warned: bool,
    /// True if labels are hidden. `rows` is the number of fields that fit.
    pub(crate) is_blind: bool,
    rows: usize,
}

/// A line of the page.
#[derive(Clone, Copy)]
enum LayoutLine<'p> {
    Field(&'p FieldRole),
    /// A value of the verdict, listed below its field.
    Value(&'p (String, Option<NamedVerdict>, usize)),
}

impl LayoutPage {
    /// Opens the editor for records of an unknown layout.
    fn of_refused(reason: String, records: Arc<Survey>) -> Self {
        let mut page = Self::new(None, records);
        (page.refused, page.is_edited) = (Some(reason), true);
        let mut lines = page.lines().into_iter();
        page.at = lines
            .position(|line| page.list_at(line).is_some())
            .unwrap_or(0);
        page
    }

    /// Returns the layout page of a file; `None` if the file is no longer open.
    pub(crate) fn of_open(dataset: &Dataset, file: usize, records: Arc<Survey>) -> Option<Self> {
        let files = dataset.files();
        let definition = files.get(file)?.schema.definition().clone();
        let mut others = files.iter().map(|file| file.schema.definition());
        let is_alone = others.all(|other| *other == definition);
        let mut page = Self::new(Some(definition), records);
        if files.len() > 1 {
            page.file = text::one_line(files[file].short_name(), MAX_NAME);
        }
        page.is_alone = is_alone;
        Some(page)
    }

    /// Begins to edit a doubtful guess, at the field that is doubtful.
    fn edit_doubt(&mut self) {
        let guess = self.own.as_ref().and_then(|own| own.guess.as_ref());
        let Some(doubt) = guess.and_then(|guess| guess.doubts.first()) else {
            return;
        };
        let mut fields = self.fields.iter();
        let at = fields.position(|field| Some(&field.path) == doubt.path.as_ref());
        self.at = at.unwrap_or_default();
        self.is_edited = self.is_alone;
    }

    fn new(own: Option<Definition>, records: Arc<Survey>) -> Self {
        let mut page = Self {
            records,
            is_alone: true,
            choices: own.as_ref().map(Definition::choices).unwrap_or_default(),
            definition: own.clone(),
            own,
            rows: 1,
            ..Self::default()
        };
        page.read_fields();
        page
    }

    /// Selects the next field, from the cursor on, whose name contains these words.
    pub(crate) fn find(&mut self, words: &str) {
        let (sought, shown) = (words.to_lowercase(), self.lines());
        let is_it = |at: &usize| match shown[*at] {
            LayoutLine::Field(field) => field.name().to_lowercase().contains(&sought),
            LayoutLine::Value(_) => false,
        };
        let around = (self.at..shown.len()).chain(0..self.at.min(shown.len()));
        self.at = around.into_iter().find(is_it).unwrap_or(self.at);
        self.is_changed = true;
    }

    /// Applies choices: rebuilds the layout and the roles.
    fn choose_anew(&mut self, choices: Choices) {
        self.is_warned = false;
        self.choices = choices;
        let built = self.choices.definition(&self.records);
        // A guessed layout is built anew.
        let named = self
            .own
            .as_ref()
            .filter(|own| own.guess.is_none() && !self.is_guessed);
        self.definition = match (named, built) {
            (Some(own), _) if own.choices() == self.choices => Some(own.clone()),
            (Some(own), Some(built)) => Some(own.edited(built, &self.choices)),
            (_, built) => built,
        };
        self.read_fields();
    }

    fn read_fields(&mut self) {
        let none = Definition::default();
        let definition = self.definition.as_ref().unwrap_or(&none);
        self.fields = definition.field_roles(&self.records);
        let values = self
            .verdict_field()
            .map(|path| definition.values_of_verdict(path, &self.records));
        self.values = values.unwrap_or_default();
        for (value, said, _) in &mut self.values {
            let mut chosen = self.choices.values.iter();
            *said = chosen
                .find(|(it, _)| it == value)
                .map_or(*said, |(_, said)| *said);
        }
        let untaken = definition
            .guess
            .as_ref()
            .and_then(|it| it.unused_verdict.as_ref());
        let is_whole = self.definition.is_some();
        for field in &mut self.fields {
            let mut choices = self.choices.fields.iter();
            let Some((_, choice)) = choices.find(|(path, _)| *path == field.path) else {
                continue;
            };
            // Other choices may come from the previous layout.
            if matches!(choice, FieldChoice::Label | FieldChoice::Text) {
                "you said so".clone_into(&mut field.why);
            }
            if !field.role.starts_with(choice.word()) {
                field.role = format!("{}{}", choice.word(), if is_whole { "?" } else { "" });
                field.why = match (is_whole, choice) {
                    (true, FieldChoice::Winner | FieldChoice::Loser) => {
                        let why = untaken
                            .filter(|it| it.path == field.path.to_string())
                            .map(|it| format!("{}; ", it.message(!self.is_blind)));
                        let what = if self.values.is_empty() {
                            "its values do not name a response"
                        } else {
                            "set the meaning of each value below"
                        };
                        format!("{}{what}", why.unwrap_or_default())
                    }
                    (true, FieldChoice::System) => "needs a prompt field".to_owned(),
                    _ => "you said so".to_owned(),
                };
            }
        }
        self.is_changed = true;
    }

    /// Returns the field that names the winner or the loser.
    fn verdict_field(&self) -> Option<&Path> {
        let mut fields = self.choices.fields.iter();
        fields.find(|(_, it)| it.is_verdict()).map(|(path, _)| path)
    }

    /// Returns the pointer to the list at a line, if it can hold the records: in a document of one
    /// record.
    fn list_at(&self, line: LayoutLine<'_>) -> Option<String> {
        let ([record], LayoutLine::Field(field)) = (&**self.records, line) else {
            return None;
        };
        field.is_list(record).then(|| field.path.to_string())
    }

    fn choose(&mut self, choice: FieldChoice) -> ViewRequest {
        let path = match (self.lines().get(self.at), choice) {
            (None, _) => return ViewRequest::Done,
            (Some(LayoutLine::Field(field)), _) => field.path.clone(),
            (_, FieldChoice::Text) => return self.take_meaning(Some(NamedVerdict::Tie)),
            (_, FieldChoice::Field) => return self.take_meaning(None),
            _ => return ViewRequest::Notice(texts::SELECT_FIELD.to_owned()),
        };
        let is_one = matches!(choice, FieldChoice::Prompt | FieldChoice::System);
        let mut choices = self.choices.clone();
        if choice.is_verdict() || self.verdict_field() == Some(&path) {
            choices.values.clear();
        }
        choices.fields.retain(|(other, old)| {
            let is_replaced = is_one && *old == choice || old.is_verdict() && choice.is_verdict();
            *other != path && !is_replaced
        });
        choices.fields.push((path, choice));
        self.take(choices)
    }

    fn take(&mut self, choices: Choices) -> ViewRequest {
        self.past.push(std::mem::take(&mut self.choices));
        self.choose_anew(choices);
        ViewRequest::Done
    }

    /// Returns the number of responses of the record, or of the layout without a preview.
    fn responses(&self) -> usize {
        let tables = self.definition.iter().map(|it| it.responses.len()).sum();
        self.preview().map_or(tables, |it| it.responses.len())
    }

    /// Sets the meaning of the selected verdict value and selects the next one.
    fn take_meaning(&mut self, said: Option<NamedVerdict>) -> ViewRequest {
        let lines = self.lines();
        let Some(LayoutLine::Value((word, ..))) = lines.get(self.at) else {
            return ViewRequest::Notice(texts::SELECT_VALUE.to_owned());
        };
        if let Some(NamedVerdict::Wins(place)) = said
            && place >= self.responses()
        {
            let letter = ResponseId::new(place).map_or("", ResponseId::letter);
            return ViewRequest::Notice(texts::no_response(letter));
        }
        let goes_on = matches!(lines.get(self.at + 1), Some(LayoutLine::Value(_)));
        let mut choices = self.choices.clone();
        // Other values keep their meaning.
        let values = self.values.iter().map(|(value, old, _)| {
            let said = if value == word { said } else { *old };
            (value.clone(), said)
        });
        choices.values = values.collect();
        self.at += usize::from(goes_on);
        self.take(choices)
    }

    /// Returns the meaning after the selected value's current one.
    fn next_meaning(&self) -> Option<NamedVerdict> {
        let said = match self.lines().get(self.at)? {
            LayoutLine::Value((_, said, _)) => *said,
            LayoutLine::Field(_) => None,
        };
        match said {
            None => Some(NamedVerdict::Wins(0)),
            Some(NamedVerdict::Wins(place)) if place + 1 < self.responses() => {
                Some(NamedVerdict::Wins(place + 1))
            }
            Some(NamedVerdict::Wins(_)) => Some(NamedVerdict::Tie),
            Some(NamedVerdict::Tie) => None,
        }
    }

    fn act_on_layout(&mut self, action: LayoutAction, last: usize) -> ViewRequest {
        self.is_changed = true;
        match action {
            LayoutAction::Edit => {}
            LayoutAction::Choose(choice) => return self.choose(choice),
            LayoutAction::Means(said) => return self.take_meaning(Some(said)),
            LayoutAction::NextMeaning => return self.take_meaning(self.next_meaning()),
            LayoutAction::OpenList => {
                let list = self
                    .lines()
                    .get(self.at)
                    .and_then(|line| self.list_at(*line));
                return match list {
                    Some(pointer) => ViewRequest::Effect(Box::new(Effect::OpenList(pointer))),
                    None => ViewRequest::Notice(texts::NOT_A_RECORD_LIST.to_owned()),
                };
            }
            LayoutAction::Guess => {
                self.is_guessed = true;
                self.take(Choices::default());
                if let Some(guess) = Definition::guessed(&self.records) {
                    self.choices = guess.choices();
                    self.definition = Some(guess);
                    self.read_fields();
                }
            }
            LayoutAction::Forget => {
                let name = self.own.as_ref().map(|own| own.name.clone());
                return ViewRequest::Effect(Box::new(Effect::ForgetLayout(
                    name.unwrap_or_default(),
                )));
            }
            LayoutAction::NextRecord => self.record = (self.record + 1).min(last),
            LayoutAction::PreviousRecord => self.record = self.record.saturating_sub(1),
        }
        ViewRequest::Done
    }

    /// Requests to save the layout, or returns why that is not possible.
    fn kept(&mut self) -> ViewRequest {
        let Some(definition) = &self.definition else {
            return ViewRequest::Notice(texts::CHOOSE_RESPONSES.to_owned());
        };
        let schema = Schema::new(definition.clone());
        let error = |record: &JsonRecord| schema.row(record.to_string().as_bytes()).err();
        let mut errors: Vec<_> = self.records.iter().filter_map(error).collect();
        if !errors.is_empty() && errors.len() == self.records.len() {
            return ViewRequest::Notice(errors.swap_remove(0).reason);
        }
        let doubts: Vec<_> = schema
            .doubts(&self.records)
            .into_iter()
            .map(|doubt| doubt.what)
            .collect();
        if !doubts.is_empty() && !std::mem::replace(&mut self.is_warned, true) {
            return ViewRequest::Notice(texts::doubtful_layout(doubts.join("; ")));
        }
        let mut definition = Box::new(definition.clone());
        // An earlier layout of one's own is replaced.
        if let Some(own) = &self.own {
            definition.name.clone_from(&own.name);
        }
        ViewRequest::Effect(Box::new(Effect::KeepLayout(
            definition,
            self.fields.clone(),
        )))
    }

    /// Returns the visible lines.
    fn lines(&self) -> Vec<LayoutLine<'_>> {
        let hides = self.is_blind && !self.is_edited;
        let shows = |field: &&FieldRole| !hides || self.shows_blind(field);
        let verdict = self
            .verdict_field()
            .filter(|_| self.is_edited && !self.is_blind);
        self.fields
            .iter()
            .filter(shows)
            .flat_map(|field| {
                let has_values = verdict == Some(&field.path);
                let values = self.values.iter().filter(move |_| has_values);
                std::iter::once(LayoutLine::Field(field)).chain(values.map(LayoutLine::Value))
            })
            .collect()
    }

    fn shows_blind(&self, field: &FieldRole) -> bool {
        self.definition
            .as_ref()
            .is_some_and(|it| it.shows_blind(field))
    }

    /// Returns name, role, reason and value of a line; parts that a blind reviewer may not see are
    /// empty.
    fn line_cells(&self, line: LayoutLine<'_>) -> [String; 4] {
        match line {
            LayoutLine::Field(field) => {
                let [role, why, value] = self.field_cells(field);
                [field.name(), role, why, value]
            }
            LayoutLine::Value((value, said, records)) => {
                let role = match said {
                    Some(NamedVerdict::Tie) => "tie".to_owned(),
                    Some(NamedVerdict::Wins(place)) => {
                        let letter = ResponseId::new(*place).map_or("", ResponseId::letter);
                        format!("{letter} wins")
                    }
                    None => "?".to_owned(),
                };
                let of = text::counted(self.records.len(), "record");
                [
                    value.clone(),
                    role,
                    texts::MEANINGS.to_owned(),
                    format!("in {records} of {of}"),
                ]
            }
        }
    }

    fn field_cells(&self, field: &FieldRole) -> [String; 3] {
        if self.is_blind && !self.shows_blind(field) {
            return [const { String::new() }; 3];
        }
        // A name such as `chosen` beside its text would reveal the winner.
        let shows_value = !self.is_blind || !field.role.starts_with("response");
        let value = self
            .records
            .get(self.record)
            .filter(|_| shows_value)
            .and_then(|record| field.example(record));
        [
            field.role.clone(),
            field.why.clone(),
            value.unwrap_or_default(),
        ]
    }

    /// Lays out at most `rows` fields on `width` columns.
    fn lay_fields(&mut self, doc: &mut PageDoc, width: u16, rows: usize) {
        let shown = self.lines();
        let selected = self.at.min(shown.len().saturating_sub(1));
        let top = self
            .top
            .min(selected)
            .max((selected + 1).saturating_sub(rows));
        let name_width = (width / 3).clamp(12, 32);
        let role_x = LEFT + name_width;
        let value_x = role_x + ROLE;
        let room = width.saturating_sub(value_x);
        // If there is room, the reason is beside the value.
        let value_width = if self.is_edited { room } else { room / 2 };
        let columns = [
            (LEFT, name_width - 1, "field"),
            (role_x, ROLE - 1, "role"),
            (value_x, value_width.saturating_sub(1), "value"),
            (value_x + value_width, room - value_width, "why"),
        ];
        let columns = &columns[..if self.is_edited { 3 } else { 4 }];
        for (x, cells, head) in columns {
            doc.words(*x, 0, *cells, head, PageTone::Name);
        }
        let lines = shown.iter().enumerate().skip(top).take(rows);
        for (y, (at, line)) in (1..).zip(lines) {
            let [whole, role, why, value] = self.line_cells(*line);
            let path = match line {
                LayoutLine::Field(field) => Some(&field.path),
                LayoutLine::Value(_) => self.verdict_field(),
            };
            let steps: Vec<_> = path
                .into_iter()
                .flat_map(Path::steps)
                .filter(|step| *step != "*")
                .collect();
            let (depth, name) = match line {
                LayoutLine::Value(_) => (steps.len(), &*whole),
                LayoutLine::Field(_) => {
                    let name = steps.last().map_or("(record)", |step| step.as_str());
                    (steps.len().saturating_sub(1), name)
                }
            };
            let depth = depth.min(6) * 2;
            let tone = match &*role {
                "field" | "" | "?" => PageTone::Name,
                _ => PageTone::Shown,
            };
            let cells = [
                (name, PageTone::Value),
                (&role, tone),
                (&value, PageTone::Value),
                (&why, PageTone::Name),
            ];
            let depths = [depth as u16, 0, 0, 0];
            for (((words, tone), depth), (x, width, _)) in cells.iter().zip(depths).zip(columns) {
                doc.words(x + depth, y, width.saturating_sub(depth), words, *tone);
            }
            if at == selected {
                doc.spots
                    .push(PageSpot::new(LEFT, y, width.saturating_sub(LEFT)));
            }
        }
        (self.at, self.top) = (selected, top);
    }

    /// Lays out the selected field and the reason for its role.
    fn lay_selected_field(&self, doc: &mut PageDoc, y: usize, width: u16, lines: usize) {
        let Some(line) = self.lines().get(self.at).copied() else {
            return;
        };
        let [name, role, why, _] = self.line_cells(line);
        let why = match self.list_at(line) {
            Some(_) => texts::RECORD_LIST,
            None => &why,
        };
        let (title, cells) = (format!("{name} {role}"), [LEFT, width.saturating_sub(LEFT)]);
        pane(doc, cells, y, lines + 1, [&title, why], PageTone::Name);
    }
}

impl App {
    /// Opens the editor for records of an unknown layout, if the user can be asked and no samples
    /// are shown.
    pub(crate) fn ask_layout(&mut self, reason: String, records: Arc<Survey>) {
        let is_bare = self
            .data
            .incoming
            .iter()
            .chain([&self.data.dataset])
            .all(|it| it.samples() == 0);
        if !self.settings.offers_layouts || !is_bare {
            return self.load_failed(&reason);
        }
        (self.data.loading, self.data.incoming) = (Loading::Done, None);
        self.views
            .open_content(LayoutPage::of_refused(reason, records));
    }

    /// Opens the layout page of an open file.
    pub(crate) fn show_layout(&mut self, file: usize, records: Arc<Survey>) {
        if let Some(mut page) = LayoutPage::of_open(&self.data.dataset, file, records) {
            // Editing shows the sample as the file has it.
            if !self.is_blind() {
                page.edit_doubt();
            }
            self.views.open_content(page);
        }
    }

    /// Reads the files again after a layout was saved.
    pub(crate) fn take_kept_layout(&mut self, kept: Result<String, String>) {
        if kept.is_ok() {
            self.views.close_page::<LayoutPage>();
            self.reload();
        }
        let (Ok(words) | Err(words)) = kept;
        self.say(text::one_line(&words, MESSAGE_WIDTH));
    }
}

impl PageContent for LayoutPage {
    fn context(&self) -> Context {
        Context::Layout
    }

    fn is_of_program(&self) -> bool {
        true
    }

    fn lay(&mut self, of: &PageSources<'_>, is_new: bool) -> Option<PageDoc> {
        let is_changed = std::mem::take(&mut self.is_changed) || self.is_blind != of.is_blind;
        if !is_new && !is_changed {
            return None;
        }
        self.is_blind = of.is_blind;
        let (width, height) = of.size;
        let lines = usize::from(height.saturating_sub(4)).max(1);
        let mut doc = PageDoc {
            title: "layout".to_owned(),
            lines,
            ..PageDoc::default()
        };
        let (at, count) = (self.record + 1, self.records.len());
        let of = if self.file.is_empty() { "" } else { " of " };
        doc.aside = format!("layout{of}{}   record {at} of the first {count}", self.file);
        if self.is_blind && !self.is_edited {
            doc.aside += "   other fields are hidden while you judge blind";
        }
        let is_wide = width >= WIDE && self.is_edited;
        let fields = if is_wide { width * 46 / 100 } else { width };
        let about = match (is_wide, self.is_edited) {
            (true, _) => ABOUT,
            (false, true) => lines / 2,
            (false, false) => 0,
        };
        self.rows = lines
            .saturating_sub(1 + about)
            .clamp(1, self.lines().len().max(1));
        self.lay_fields(&mut doc, fields, self.rows);
        let below = 1 + self.rows;
        if is_wide {
            self.lay_selected_field(&mut doc, below, fields, ABOUT - 1);
            self.lay_preview(&mut doc, fields + 1, 0, width - fields - 2, lines);
        } else if self.is_edited {
            self.lay_selected_field(&mut doc, below, width - 1, 1);
            self.lay_preview(
                &mut doc,
                LEFT,
                below + 2,
                width - LEFT - 1,
                lines.saturating_sub(below + 2),
            );
        }
        Some(doc)
    }

    fn act(&mut self, action: Action, _: &PageDoc, _: usize) -> Option<ViewRequest> {
        let last = self.records.len().saturating_sub(1);
        let changes = matches!(
            action,
            Action::OnLayout(action) if !matches!(action, LayoutAction::NextRecord | LayoutAction::PreviousRecord)
        );
        if changes && self.is_blind && self.refused.is_none() {
            return Some(ViewRequest::Notice(texts::BLIND_LAYOUT.to_owned()));
        }
        if changes && !self.is_alone {
            return Some(ViewRequest::Notice(texts::several_layouts(&self.file)));
        }
        self.is_edited |= changes && action != Action::OnLayout(LayoutAction::Forget);
        if let Action::OnLayout(action) = action {
            return Some(self.act_on_layout(action, last));
        }
        match action {
            Action::Undo => match self.past.pop() {
                Some(choices) => self.choose_anew(choices),
                // A list of the file may have been opened; go back to the document.
                None => {
                    return Some(ViewRequest::Effect(Box::new(Effect::OpenList(
                        String::new(),
                    ))));
                }
            },
            Action::Search => return Some(ViewRequest::Line(LineKind::FieldSearch)),
            Action::Zoom | Action::Accept if self.is_edited => return Some(self.kept()),
            Action::Zoom | Action::Accept => {}
            Action::Back | Action::Cancel => {
                if let Some(reason) = &self.refused {
                    return Some(ViewRequest::Effect(Box::new(Effect::Fail(
                        reason.as_str().into(),
                    ))));
                }
                if !self.is_edited {
                    return None;
                }
                let (file, is_alone) = (std::mem::take(&mut self.file), self.is_alone);
                *self = Self::new(self.own.clone(), Arc::clone(&self.records));
                (self.file, self.is_alone) = (file, is_alone);
            }
            _ => {
                let most = self.lines().len().saturating_sub(1);
                self.at = scrolled(self.at, action.scroll()?, 1, self.rows, most);
            }
        }
        self.is_changed = true;
        Some(ViewRequest::Done)
    }

    fn hints(&self) -> KeyHints {
        match self.lines().get(self.at) {
            _ if !self.is_edited => READING,
            Some(LayoutLine::Value(_)) => MEANING,
            Some(line) if self.list_at(*line).is_some() => LISTING,
            _ => EDITING,
        }
    }
}

const READING: KeyHints = &[
    (Action::Back, "close"),
    (Action::OnLayout(LayoutAction::Edit), "change"),
    (Action::Search, "find"),
];

const EDITING: KeyHints = &[
    (Action::Zoom, "save"),
    (choose(FieldChoice::Prompt), "prompt"),
    (choose(FieldChoice::Response), "response"),
    (choose(FieldChoice::Winner), "winner"),
    (choose(FieldChoice::Label), "label"),
    (choose(FieldChoice::Text), "text"),
    (choose(FieldChoice::Field), "none"),
    (choose(FieldChoice::Loser), "loser"),
    (Action::Undo, "undo"),
    (Action::Cancel, "leave"),
    (choose(FieldChoice::System), "system"),
    (Action::OnLayout(LayoutAction::NextRecord), "record"),
    (Action::Search, "find"),
];

const LISTING: KeyHints = &[
    (Action::OnLayout(LayoutAction::OpenList), "use as records"),
    (choose(FieldChoice::Response), "responses"),
    (Action::Undo, "undo"),
    (Action::Cancel, "leave"),
    (Action::Search, "find"),
];

const MEANING: KeyHints = &[
    (Action::Zoom, "save"),
    (means(NamedVerdict::Wins(0)), "A wins"),
    (means(NamedVerdict::Wins(1)), "B wins"),
    (means(NamedVerdict::Tie), "tie"),
    (choose(FieldChoice::Field), "nothing"),
    (Action::OnLayout(LayoutAction::NextMeaning), "next meaning"),
    (Action::Undo, "undo"),
    (Action::Cancel, "leave"),
];

const fn means(said: NamedVerdict) -> Action {
    Action::OnLayout(LayoutAction::Means(said))
}

const fn choose(choice: FieldChoice) -> Action {
    Action::OnLayout(LayoutAction::Choose(choice))
}
