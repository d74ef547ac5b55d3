//! The layout: what each field of the first records is, and why; and the picker, with which a person says it.

use std::sync::Arc;

use super::page_doc::{
    LEFT, PageContent, PageDoc, PageMark, PageSources, PageSpot, PageTone, PageView,
};
use super::update::{MESSAGE_WIDTH, scrolled};
use super::view_request::ViewRequest;
use super::{Action, Browser, KeyHints, LineKind, Loading, Mode, View, Views};
use crate::dataset::Dataset;
use crate::model::{Response, ResponseId};
use crate::schema::{Definition, FieldChoice, FieldRole, JsonRecord, Path, PathMap, Schema};
use crate::text;

/// Cells of a screen on which the preview stands beside the fields.
const WIDE: u16 = 100;
/// Cells of the name of a file.
const MOST_NAME: usize = 40;
/// Cells of a role.
const ROLE: u16 = 14;
/// Lines between the fields and the end of the page, beside the preview.
const ABOUT: usize = 5;

/// What a key does on the page of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutAction {
    /// Change what fields are.
    Edit,
    /// Take the field for this.
    Choose(FieldChoice),
    /// Guess all of it again.
    Guess,
    /// Show the next record.
    NextRecord,
    /// Show the record before.
    PreviousRecord,
}

/// What each field of a file is; with keys that change it, once a person wants that.
#[derive(Debug)]
pub struct LayoutPage {
    records: Arc<[JsonRecord]>,
    /// The name of its file, where several are open.
    file: String,
    /// Whether all files that are open have this layout.
    is_alone: bool,
    /// Why nothing shows as long as nobody says what the fields are.
    refused: Option<String>,
    /// The layout in force.
    own: Option<Definition>,
    /// The layout by the choices; `None` where they do not make one.
    definition: Option<Definition>,
    fields: Vec<FieldRole>,
    choices: Vec<(Path, FieldChoice)>,
    /// The choices before each change.
    past: Vec<Vec<(Path, FieldChoice)>>,
    is_edited: bool,
    /// Whether the choices begin with a new guess.
    is_guessed: bool,
    record: usize,
    /// The field with the cursor, and the first one on the screen.
    at: usize,
    top: usize,
    /// Whether something is to be laid out anew.
    is_changed: bool,
    /// Whether labels are hidden, and how many fields fit.
    is_blind: bool,
    rows: usize,
}

/// A record as the sample that it would be.
struct Preview {
    prompt: String,
    /// Each with its heading.
    responses: Vec<(String, String)>,
    /// What else shows of it.
    rest: String,
}

impl LayoutPage {
    /// The picker for records of which nobody knows what they are.
    pub(super) fn of_refused(reason: String, records: Arc<[JsonRecord]>) -> Self {
        let mut page = Self::new(None, records);
        (page.refused, page.is_edited) = (Some(reason), true);
        page
    }

    /// The layout of a file; `None` where it is not open any more.
    pub(super) fn of_open(
        dataset: &Dataset,
        file: usize,
        records: Arc<[JsonRecord]>,
    ) -> Option<Self> {
        let files = dataset.files();
        let definition = files.get(file)?.schema.definition().clone();
        let mut others = files.iter().map(|file| file.schema.definition());
        let is_alone = others.all(|other| *other == definition);
        let mut page = Self::new(Some(definition), records);
        if files.len() > 1 {
            page.file = text::one_line(files[file].short_name(), MOST_NAME);
        }
        page.is_alone = is_alone;
        Some(page)
    }

    fn new(own: Option<Definition>, records: Arc<[JsonRecord]>) -> Self {
        let mut page = Self {
            records,
            file: String::new(),
            is_alone: true,
            refused: None,
            choices: own.iter().flat_map(Definition::choices).collect(),
            definition: own.clone(),
            own,
            fields: Vec::new(),
            past: Vec::new(),
            is_edited: false,
            is_guessed: false,
            record: 0,
            at: 0,
            top: 0,
            is_changed: true,
            is_blind: false,
            rows: 1,
        };
        page.read_fields();
        page
    }

    /// Moves the cursor to the first field, from it on, whose name contains these words.
    pub(super) fn find(&mut self, words: &str) {
        let (sought, shown) = (words.to_lowercase(), self.shown());
        let is_it = |at: &usize| shown[*at].name().to_lowercase().contains(&sought);
        let around = (self.at..shown.len()).chain(0..self.at.min(shown.len()));
        self.at = around.into_iter().find(is_it).unwrap_or(self.at);
        self.is_changed = true;
    }

    /// Takes the choices: the layout that they make, and what each field is in it.
    fn choose_anew(&mut self, choices: Vec<(Path, FieldChoice)>) {
        self.choices = choices;
        let built = PathMap::chosen(&self.choices, &self.records);
        // Of a layout that was guessed everything is found again.
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
        let is_whole = self.definition.is_some();
        for field in &mut self.fields {
            let mut choices = self.choices.iter();
            let Some((_, choice)) = choices.find(|(path, _)| *path == field.path) else {
                continue;
            };
            // The others can be of the layout before.
            if matches!(choice, FieldChoice::Label | FieldChoice::Text) {
                "you said so".clone_into(&mut field.why);
            }
            if !field.role.starts_with(choice.word()) {
                field.role = format!("{}{}", choice.word(), if is_whole { "?" } else { "" });
                field.why = match (is_whole, choice) {
                    (true, FieldChoice::Winner) => "its values name no response".to_owned(),
                    (true, FieldChoice::System) => "there is no prompt".to_owned(),
                    _ => "you said so".to_owned(),
                };
            }
        }
        self.is_changed = true;
    }

    fn choose(&mut self, choice: FieldChoice) {
        let Some(path) = self.shown().get(self.at).map(|field| field.path.clone()) else {
            return;
        };
        let is_one = matches!(
            choice,
            FieldChoice::Prompt | FieldChoice::Winner | FieldChoice::System
        );
        let mut choices = self.choices.clone();
        choices.retain(|(other, old)| *other != path && !(is_one && *old == choice));
        choices.push((path, choice));
        self.past.push(std::mem::take(&mut self.choices));
        self.choose_anew(choices);
    }

    /// What asks for the layout to be kept, or why it cannot be.
    fn kept(&self) -> ViewRequest {
        let Some(definition) = &self.definition else {
            return ViewRequest::Notice(
                "Say first which fields are responses, or a response and its prompt.".to_owned(),
            );
        };
        let schema = match Schema::new(definition.clone()) {
            Ok(schema) => schema,
            Err(fault) => return ViewRequest::Notice(fault.what),
        };
        let error = |record: &JsonRecord| schema.row(record.to_string().as_bytes()).err();
        let mut errors: Vec<_> = self.records.iter().filter_map(error).collect();
        if !errors.is_empty() && errors.len() == self.records.len() {
            return ViewRequest::Notice(errors.swap_remove(0).reason);
        }
        ViewRequest::KeepLayout(Box::new(definition.clone()), self.fields.clone())
    }

    /// The fields that show.
    fn shown(&self) -> Vec<&FieldRole> {
        let hides = self.is_blind && !self.is_edited;
        let shows = |field: &&FieldRole| !hides || self.shows_blind(field);
        self.fields.iter().filter(shows).collect()
    }

    fn shows_blind(&self, field: &FieldRole) -> bool {
        let definition = self.definition.as_ref();
        definition.is_some_and(|it| it.shows_blind(field))
    }

    /// What of a field a reviewer may know: its role, why, and its value in the record.
    fn told(&self, field: &FieldRole) -> [String; 3] {
        if self.is_blind && !self.shows_blind(field) {
            return [const { String::new() }; 3];
        }
        // A name like `chosen` beside its text says who wins.
        let shows_value = !self.is_blind || !field.role.starts_with("response");
        let record = self.records.get(self.record).filter(|_| shows_value);
        let value = record.and_then(|record| field.example(record));
        [
            field.role.clone(),
            field.why.clone(),
            value.unwrap_or_default(),
        ]
    }

    /// Writes the fields from a line on, so many, on so many cells.
    fn lay_fields(&mut self, doc: &mut PageDoc, width: u16, rows: usize) {
        let shown = self.shown();
        let selected = self.at.min(shown.len().saturating_sub(1));
        let top = self.top.min(selected);
        let top = top.max((selected + 1).saturating_sub(rows));
        let name_width = (width / 3).clamp(12, 32);
        let role_x = LEFT + name_width;
        let value_x = role_x + ROLE;
        let room = width.saturating_sub(value_x);
        // With room for both, the reason stands beside the value.
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
        for (y, (at, field)) in (1..).zip(lines) {
            let steps = field.path.steps().iter();
            let steps: Vec<_> = steps.filter(|step| *step != "*").collect();
            let depth = steps.len().saturating_sub(1).min(6) * 2;
            let name = steps.last().map_or("(record)", |step| step.as_str());
            let [role, why, value] = self.told(field);
            let tone = match &*role {
                "field" | "" => PageTone::Name,
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
                let cells = width.saturating_sub(LEFT);
                doc.spots.push(PageSpot::new(LEFT, y, cells));
            }
        }
        (self.at, self.top) = (selected, top);
    }

    /// Writes which field has the cursor, and why it is what it is.
    fn lay_about(&self, doc: &mut PageDoc, y: usize, width: u16, lines: usize) {
        let Some(field) = self.shown().get(self.at).copied() else {
            return;
        };
        let [role, why, _] = self.told(field);
        let (title, cells) = (
            format!("{} {role}", field.name()),
            [LEFT, width.saturating_sub(LEFT)],
        );
        pane(doc, cells, y, lines + 1, [&title, &why], PageTone::Name);
    }

    /// The sample that the record is, or why it is none: its prompt, its responses, and what is said of them.
    fn preview(&self) -> Result<Preview, String> {
        let definition = self.definition.clone().ok_or_else(|| {
            let reason = self.refused.as_deref().unwrap_or_default();
            format!("Nothing to show yet: r says that the field is a response, p that it is the prompt. {reason}")
        })?;
        let record = self
            .records
            .get(self.record)
            .ok_or("There is no record.")?
            .to_string();
        let schema = Schema::new(definition).map_err(|fault| fault.what)?;
        let row = schema
            .row(record.as_bytes())
            .map_err(|error| error.reason)?;
        let sample = row.record().map_err(|error| error.reason)?;
        let mut sample = schema.with_fields(sample, record.as_bytes());
        if self.is_blind {
            sample.hide_fields();
        }
        let prompt = sample.prompt.iter();
        let prompt: Vec<_> = prompt
            .map(|it| format!("{} {}", it.role.word(), it.text))
            .collect();
        let outcome = sample.outcome.clone();
        let outcome = outcome.or_else(|| schema.outcome_by_label(&sample.responses));
        let winner = outcome.and_then(|outcome| outcome.verdict.winner());
        let response = |(id, response): (ResponseId, &Response<'_>)| {
            let wins = if winner == Some(id) { " wins" } else { "" };
            let ratings = schema.labels().iter().zip(&response.ratings);
            let ratings = ratings.filter_map(|(label, value)| {
                Some(format!("  {} {}", label.name, text::number((*value)?)))
            });
            let ratings: String = ratings.collect();
            let title = format!("{}{wins}{ratings}", id.letter());
            (title, response.text.to_string())
        };
        let texts = sample.rationales.iter();
        let texts = texts.map(|it| format!("{}: {}", it.name, it.text));
        let facts = sample.facts.iter();
        let facts = facts.map(|fact| format!("{} {}", fact.name, fact.value));
        let rest: Vec<_> = texts.chain(facts).collect();
        Ok(Preview {
            prompt: prompt.join(" "),
            responses: ResponseId::all()
                .zip(&sample.responses)
                .map(response)
                .collect(),
            rest: rest.join("   "),
        })
    }

    /// Writes the preview into a part of the page.
    fn lay_preview(&self, doc: &mut PageDoc, x: u16, y: usize, width: u16, lines: usize) {
        let tone = PageTone::Value;
        let sample = self.preview();
        let Ok(Preview {
            prompt,
            responses,
            rest,
        }) = &sample
        else {
            let words = sample.err().unwrap_or_default();
            fold(doc, [x, width], y + 1, lines.max(2) - 1, &words, tone);
            return;
        };
        let of_rest = if rest.is_empty() || lines < 12 { 0 } else { 3 };
        // Beside each other as far as they fit.
        let most = if lines < 12 { 4 } else { 2 };
        let columns = (width / 18).min(responses.len() as u16).clamp(1, most);
        let rows = responses.len().div_ceil(usize::from(columns)).max(1);
        let of_prompt = (lines / (rows + 1)).clamp(1, 6);
        let titled = ["preview", prompt];
        let first = y + 1 + pane(doc, [x, width], y, of_prompt + 1, titled, tone);
        let end = y + lines - of_rest;
        let height = (end.saturating_sub(first) / rows).max(2);
        let cells = width / columns;
        let fit = usize::from(columns) * (end.saturating_sub(first) / height);
        for (at, (title, words)) in responses.iter().enumerate().take(fit) {
            let (row, column) = (at / usize::from(columns), at % usize::from(columns));
            let (column, y) = (cells * column as u16, first + row * height);
            // The last one takes what is left.
            let is_last = width - column < 2 * cells;
            let room = if is_last { width - column } else { cells - 1 };
            pane(doc, [x + column, room], y, height, [title, words], tone);
        }
        if of_rest > 0 {
            pane(doc, [x, width], end, of_rest, ["fields", rest], tone);
        }
    }
}

impl Browser {
    /// A person can be asked what the fields of a file are, of which nobody knows it.
    pub fn offer_layouts(&mut self) {
        self.settings.offers_layouts = true;
    }
}

impl Views {
    /// Asks what the fields of records are of which nobody knows it, where a person can be asked and nothing
    /// else shows.
    pub(super) fn ask_layout(
        &mut self,
        reason: String,
        records: Arc<[JsonRecord]>,
        browser: &mut Browser,
    ) {
        if !browser.settings.offers_layouts || !browser.is_bare() {
            return browser.load_failed(&reason);
        }
        browser.data.loading = Loading::Done;
        self.open(View::Layout(PageView::new(LayoutPage::of_refused(
            reason, records,
        ))));
    }

    /// Shows the layout of a file that is open.
    pub(super) fn show_layout(
        &mut self,
        file: usize,
        records: Arc<[JsonRecord]>,
        browser: &Browser,
    ) {
        if let Some(page) = LayoutPage::of_open(&browser.data.dataset, file, records) {
            self.open(View::Layout(PageView::new(page)));
        }
    }

    /// Has the files read by a layout that was kept.
    pub(super) fn take_kept_layout(&mut self, kept: Result<String, String>, browser: &mut Browser) {
        if kept.is_ok() {
            self.close(Mode::Layout);
            browser.reload();
        }
        let (Ok(words) | Err(words)) = kept;
        browser.say(text::one_line(&words, MESSAGE_WIDTH));
    }
}

/// A heading with a rule up to a column.
fn rule(doc: &mut PageDoc, x: u16, y: usize, end: u16, title: &str) {
    let cells = end.saturating_sub(x);
    let title = text::one_line(title, usize::from(cells.saturating_sub(4)));
    let rest = usize::from(cells).saturating_sub(text::width(&title) + 4);
    doc.put(x, y, cells, PageMark::Words("─".repeat(2), PageTone::Faint));
    doc.words(x + 3, y, cells.saturating_sub(3), &title, PageTone::Title);
    let behind = x + 4 + text::width(&title) as u16;
    doc.put(
        behind,
        y,
        rest as u16,
        PageMark::Words("─".repeat(rest), PageTone::Faint),
    );
}

/// Writes a title with a rule, and below it words, on a number of lines in all; how many the words take.
fn pane(
    doc: &mut PageDoc,
    [x, width]: [u16; 2],
    y: usize,
    lines: usize,
    [title, words]: [&str; 2],
    tone: PageTone,
) -> usize {
    rule(doc, x, y, x + width, title);
    let room = width.saturating_sub(1);
    fold(doc, [x, room], y + 1, lines.saturating_sub(1), words, tone)
}

/// Writes words from a column on, with a number of cells and lines at most; how many lines they take.
fn fold(
    doc: &mut PageDoc,
    [x, width]: [u16; 2],
    y: usize,
    lines: usize,
    words: &str,
    tone: PageTone,
) -> usize {
    let cells = usize::from(width.max(1));
    let folded = text::folded(&text::one_line(words, cells * lines), cells, lines);
    for (line, y) in folded.iter().zip(y..) {
        doc.words(x, y, width, line, tone);
    }
    folded.len()
}

impl PageContent for LayoutPage {
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
            .clamp(1, self.fields.len().max(1));
        self.lay_fields(&mut doc, fields, self.rows);
        let below = 1 + self.rows;
        if is_wide {
            self.lay_about(&mut doc, below, fields, ABOUT - 1);
            self.lay_preview(&mut doc, fields + 1, 0, width - fields - 2, lines);
        } else if self.is_edited {
            self.lay_about(&mut doc, below, width - 1, 1);
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
            Action::OnLayout(LayoutAction::Edit | LayoutAction::Choose(_) | LayoutAction::Guess)
        );
        if changes && self.is_blind && self.refused.is_none() {
            return Some(ViewRequest::Notice(
                "The layout is as it is while you judge blind.".to_owned(),
            ));
        }
        if changes && !self.is_alone {
            return Some(ViewRequest::Notice(format!(
                "The open files have several layouts: open {} alone to change its own.",
                self.file
            )));
        }
        self.is_edited |= changes;
        match action {
            Action::OnLayout(LayoutAction::Edit) => {}
            Action::OnLayout(LayoutAction::Choose(choice)) => self.choose(choice),
            Action::OnLayout(LayoutAction::Guess) => {
                self.past.push(self.choices.clone());
                self.is_guessed = true;
                self.choose_anew(Vec::new());
                if let Some(guess) = Definition::guessed(&self.records) {
                    self.choices = guess.choices();
                    self.definition = Some(guess);
                    self.read_fields();
                }
            }
            Action::OnLayout(LayoutAction::NextRecord) => self.record = (self.record + 1).min(last),
            Action::OnLayout(LayoutAction::PreviousRecord) => {
                self.record = self.record.saturating_sub(1);
            }
            Action::Undo => match self.past.pop() {
                Some(choices) => self.choose_anew(choices),
                None => return Some(ViewRequest::Notice("There is nothing to undo.".to_owned())),
            },
            Action::Search => return Some(ViewRequest::Line(LineKind::HelpSearch)),
            Action::Zoom | Action::Accept if self.is_edited => return Some(self.kept()),
            Action::Zoom | Action::Accept => {}
            Action::Back | Action::Cancel => {
                if let Some(reason) = &self.refused {
                    return Some(ViewRequest::Fail(reason.clone()));
                }
                if !self.is_edited {
                    return None;
                }
                let (file, is_alone) = (std::mem::take(&mut self.file), self.is_alone);
                *self = Self::new(self.own.clone(), Arc::clone(&self.records));
                (self.file, self.is_alone) = (file, is_alone);
            }
            _ => {
                let most = self.shown().len().saturating_sub(1);
                self.at = scrolled(self.at, action.scroll()?, 1, self.rows, most);
            }
        }
        self.is_changed = true;
        Some(ViewRequest::Done)
    }

    fn hints(&self) -> KeyHints {
        if self.is_edited { EDITING } else { READING }
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
    (choose(FieldChoice::System), "system"),
    (Action::Undo, "undo"),
    (Action::OnLayout(LayoutAction::NextRecord), "record"),
    (Action::Cancel, "leave"),
    (Action::Search, "find"),
];

const fn choose(choice: FieldChoice) -> Action {
    Action::OnLayout(LayoutAction::Choose(choice))
}
