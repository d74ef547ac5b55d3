//! The input line at the bottom for filters, searches and commands. Valid filters and searches are
//! applied while typing.

use std::collections::BTreeMap;

use super::line_editor::{Edit, TextEditor};
use super::readings::{CountKey, MatchCount};
use super::suggestions::Suggestions;
use crate::app::pages::page_doc::Lazy;
use crate::app::pages::responses_page::ShownPair;
use crate::app::palette::fields_menu;
use crate::app::perform::ViewRequest;
use crate::app::sample::hits::SearchTerms;
use crate::app::shown::filtering::ActiveFilter;
use crate::app::{Action, App, Effect, History, LayoutPage, Pane, RecordView, View, Views};
use crate::query::{self, Catalog, Completion, Completions, Field, QueryError};
use crate::search::{Needle, NeedleError};

/// The kind of text that is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// A filter query.
    Filter,
    /// A command.
    Command,
    /// A search in the texts.
    Search,
    /// Tags of the selected sample.
    Tag,
    /// A search in the record on screen.
    RecordSearch,
    /// A search for fields of the layout on screen.
    FieldSearch,
    /// The name of the reviewer.
    Reviewer,
}

/// The input line.
#[derive(Debug)]
pub struct InputLine {
    /// The kind of text that is typed.
    pub kind: LineKind,
    input: TextEditor,
    /// Error in the text.
    pub error: Option<QueryError>,
    /// The list of suggestions, if open.
    pub suggestions: Option<Suggestions>,
    /// Index of the recalled history line, and the draft that it replaced.
    recalled: Option<(usize, String)>,
    /// State of a filter line.
    pub filter: FilterLine,
    /// State before a search.
    origin: Option<SearchOrigin>,
    /// The selected sample, which tags are typed for.
    sample: usize,
}

/// State of a filter that is being typed.
#[derive(Debug, Default)]
pub struct FilterLine {
    /// The filter that was active before.
    before: Option<ActiveFilter>,
    /// Warning about a valid query.
    pub warning: Option<String>,
    /// True if the text is not applied yet because its end may become a name.
    pub held_back: bool,
    /// Example queries to begin with.
    pub examples: Vec<String>,
    /// How many samples the suggested queries match.
    pub(crate) counts: Lazy<CountKey, Vec<MatchCount>>,
}

/// State to restore when a search is cancelled.
#[derive(Debug)]
struct SearchOrigin {
    sought: Option<SearchTerms>,
    focus: Pane,
    scroll: [usize; Pane::ALL.len()],
    /// The chosen pair of responses and its sample.
    pair: Option<(usize, ShownPair)>,
}

impl InputLine {
    /// Returns the text and the cursor's byte offset.
    pub fn text(&self) -> (&str, usize) {
        (self.input.text(), self.input.cursor())
    }

    /// True if there is text between the error and a later byte offset.
    fn has_error_before(&self, place: usize) -> bool {
        self.error
            .as_ref()
            .map(|error| error.span.end)
            .and_then(|end| self.input.text().get(end..place))
            .is_some_and(|between| !between.trim().is_empty())
    }

    /// True if a term can begin at the cursor; a question mark there is not part of one.
    fn is_at_term_start(&self) -> bool {
        let before = &self.input.text()[..self.input.cursor()];
        !query::is_open(before) && (before.is_empty() || before.ends_with([' ', '(']))
    }

    /// True if the word at the end of the text may become a field name or a keyword. Words after an
    /// operator are operands.
    fn ends_in_a_name(&self, catalog: &Catalog) -> bool {
        let text = self.input.text();
        let word = text.rsplit([' ', '(']).next().unwrap_or_default();
        let is_operand = text[..text.len() - word.len()]
            .trim_end()
            .ends_with(['=', '<', '>', '≤', '≥', '≠', '+', '-', '*', '/']);
        let word = word.trim_start_matches(['-', '!']);
        let is_name = !word.is_empty()
            && word
                .chars()
                .all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '.'));
        let known =
            || query::complete(word, word.len(), catalog, &|_| Vec::new(), &BTreeMap::new()).items;
        is_name
            && !is_operand
            && self.input.cursor() == text.len()
            && known().iter().any(|item| item.text.starts_with(word))
    }

    /// Selects the next or previous suggestion; after the last one, the original text returns.
    fn choose(&mut self, forward: bool) {
        if let Some(list) = &mut self.suggestions {
            let (text, cursor) = list.step(forward);
            self.input.replace(&text, cursor);
        }
    }

    /// Opens the list, or completes at once if there is only one suggestion.
    fn suggest(&mut self, found: Completions) {
        self.suggestions = Suggestions::of(self.input.text(), found, false);
        let Some(list) = &mut self.suggestions else {
            return;
        };
        if let Some((text, cursor)) = list.take_common() {
            self.input.replace(&text, cursor);
        }
        if list.items.len() == 1 {
            self.suggestions = None;
        }
    }

    /// Restores the original text and closes the list; returns false if none was open.
    fn close_suggestions(&mut self) -> bool {
        let Some(list) = self.suggestions.take().filter(Suggestions::has_keys) else {
            return false;
        };
        if list.chosen.is_some() {
            let (text, cursor) = list.original();
            self.input.replace(&text, cursor);
        }
        true
    }

    /// Recalls an older or newer line of the history. Returns false if there is none.
    fn recall(&mut self, back: bool, history: &History) -> bool {
        self.suggestions = None;
        let history = history.lines();
        let at = self.recalled.as_ref().map_or(history.len(), |(at, _)| *at);
        let next = if back {
            at.checked_sub(1)
        } else {
            Some(at + 1)
        };
        let Some(next) = next.filter(|next| *next <= history.len()) else {
            return false;
        };
        let draft = self
            .recalled
            .take()
            .map_or_else(|| self.input.text().to_owned(), |(_, draft)| draft);
        match history.get(next) {
            Some(line) => {
                self.input.replace(line, line.len());
                self.recalled = Some((next, draft));
            }
            None => self.input.replace(&draft, draft.len()),
        }
        true
    }

    /// Changes the text. Returns whether a list that the user opened follows it.
    fn change(&mut self, change: impl FnOnce(&mut TextEditor)) -> bool {
        let listed = self.suggestions.take();
        let before = self.input.text().len();
        change(&mut self.input);
        self.recalled = None;
        let longer = self.input.text().len() > before;
        longer && listed.is_some_and(|list| list.has_keys() && list.queries.is_empty())
    }

    /// Returns the completions of a word that can go on.
    pub(super) fn completions_going_on(&self, app: &App) -> Option<Completions> {
        let found = self.completions(app);
        let typed = self.input.text().get(found.span.clone())?;
        let is_word = !typed.is_empty() && typed.parse::<f64>().is_err();
        let goes_on = |item: &Completion| item.text != typed;
        (is_word && found.items.iter().any(goes_on)).then_some(found)
    }

    /// Returns the completions of a text that is not finished; `None` if an earlier part is invalid.
    pub(super) fn completions_of_error(&self, app: &App) -> Option<Completions> {
        let found = self.completions(app);
        (!self.has_error_before(found.span.start)).then_some(found)
    }

    /// Returns the text with the suggested replacement for its invalid part.
    pub(super) fn repaired(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        let (fix, span) = (error.fix.as_ref()?, error.span.clone());
        let text = self.input.text();
        let (before, after) = (text.get(..span.start)?, text.get(span.end..)?);
        Some(format!("{before}{fix}{after}"))
    }

    /// Returns the suggested replacement for the invalid part.
    fn fix(&self) -> Option<Completions> {
        let error = self.error.as_ref()?;
        let item = Completion {
            text: error.fix.clone()?,
            note: String::new(),
        };
        Some(Completions {
            span: error.span.clone(),
            items: vec![item],
        })
    }

    /// Returns the completions at the cursor.
    pub(crate) fn completions(&self, app: &App) -> Completions {
        let (text, cursor) = self.text();
        match self.kind {
            LineKind::Filter => app.query_completions(text, cursor),
            LineKind::Command => app.command_completions(text, cursor),
            LineKind::Tag => app.tag_completions(text, cursor),
            LineKind::Reviewer => Completions {
                span: 0..cursor,
                items: app.names(&text[..cursor]),
            },
            LineKind::Search | LineKind::RecordSearch | LineKind::FieldSearch => {
                Completions::default()
            }
        }
    }
}

fn needle_error(NeedleError { span, message }: NeedleError) -> Option<QueryError> {
    Some(QueryError::new(span, message))
}

impl Views {
    /// Moves to the matching field of the layout page while its name is typed.
    fn find_as_typed(&mut self) {
        let words = self
            .line()
            .filter(|line| line.kind == LineKind::FieldSearch)
            .map(|line| line.input.text().to_owned());
        if let (Some(words), Some(page)) = (words, self.page_of_mut::<LayoutPage>()) {
            page.content.find(&words);
        }
    }
}

impl App {
    /// Changes the text of the input line. An open list follows the text, but completes nothing by
    /// itself.
    fn change_line(&mut self, change: impl FnOnce(&mut TextEditor)) {
        let Some(line) = self.views.line_mut() else {
            return;
        };
        let follows = line.change(change);
        self.read_line();
        let found = self.views.line().filter(|_| follows);
        let found = found.map(|line| line.completions(self));
        if let (Some(found), Some(line)) = (found, self.views.line_mut()) {
            line.suggestions = Suggestions::of(line.input.text(), found, false);
        }
    }

    /// Parses the text of the input line: applies it if valid, otherwise stores the error.
    fn read_line(&mut self) {
        let Some(line) = self.views.line_mut() else {
            return;
        };
        line.error = None;
        match line.kind {
            LineKind::Filter => self.read_filter(),
            LineKind::Search => match Needle::parse(line.input.text()) {
                Ok(needle) => self.search_for(needle),
                Err(error) => line.error = needle_error(error),
            },
            _ => {}
        }
    }

    fn read_filter(&mut self) {
        let Some(line) = self.views.line() else {
            return;
        };
        let catalog = &self.data.catalog;
        let text = line.input.text();
        let mut read = ActiveFilter::parse(text, catalog);
        let mut warning = None;
        if let Ok(Some(one)) = &read {
            let query = &one.query;
            match self.withheld(query) {
                Some(message) => read = Err(QueryError::new(0..text.len(), message)),
                None => {
                    warning = query
                        .explain_no_match(catalog)
                        .or_else(|| query.field_note(catalog));
                }
            }
        }
        // The beginning of a field name is not yet a word to search for.
        let held_back = read.is_ok() && line.ends_in_a_name(catalog);
        let warning = warning.filter(|_| !held_back);
        if let Some(line) = self.views.line_mut() {
            (line.filter.held_back, line.filter.warning) = (held_back, warning);
            line.error = read.as_ref().err().cloned();
        }
        match read {
            _ if held_back => {}
            Ok(query) => self.set_filter(query),
            Err(_) => self.drop_incomplete_word(),
        }
    }

    /// The active filter may end in the beginning of a word that turned out to be a field
    /// (`helpfull` of `helpfull>=3`); then only the part before that word stays active.
    fn drop_incomplete_word(&mut self) {
        let (Some(one), Some(line)) = (self.filter.active(), self.views.line()) else {
            return;
        };
        let typed = line.input.text().trim_start();
        let Some(rest) = typed.strip_prefix(one.text.as_str()) else {
            return;
        };
        if rest.is_empty() || rest.starts_with(' ') || one.text.ends_with(['"', '/', ')']) {
            return;
        }
        let at = one.text.rfind([' ', '(']).unwrap_or(0);
        if one.text[at..].contains(['=', '>', '<', ':']) {
            return;
        }
        if let Ok(query) = ActiveFilter::parse(&one.text[..at], &self.data.catalog) {
            self.set_filter(query);
        }
    }

    /// Completes the text at the cursor, or selects the next suggestion.
    fn complete_line(&mut self, forward: bool) {
        let Some(line) = self.views.line() else {
            return;
        };
        let listed = line.suggestions.as_ref();
        let found = listed.is_none_or(Suggestions::is_only_as_typed).then(|| {
            let found = line.completions(self);
            match found.items.is_empty() {
                true => line.fix().unwrap_or_default(),
                false => found,
            }
        });
        if found.as_ref().is_some_and(|found| found.items.is_empty()) {
            self.say("No completions here.");
        }
        let Some(line) = self.views.line_mut() else {
            return;
        };
        match found {
            None => line.choose(forward),
            Some(found) => line.suggest(found),
        }
        self.read_line();
    }

    /// Opens the input line; a filter line begins with the active filter.
    pub(crate) fn open_line(&mut self, kind: LineKind) {
        let before = self
            .filter
            .active()
            .filter(|_| kind == LineKind::Filter)
            .cloned();
        let mut line = InputLine {
            kind,
            input: TextEditor::line(before.as_ref().map_or("", |one| &one.text)),
            error: None,
            suggestions: None,
            recalled: None,
            filter: FilterLine::default(),
            origin: (kind == LineKind::Search).then(|| SearchOrigin {
                sought: self.search.sought().cloned(),
                focus: self.layout.focus,
                scroll: self.open.scroll,
                pair: self.selection.pair,
            }),
            sample: self.selection.selected,
        };
        if kind == LineKind::Filter {
            line.filter.before = before;
            line.filter.examples = self.filter_examples();
        }
        self.views.open(View::Line(Box::new(line)));
        self.selection.drop_anchor();
        self.offer_in_line();
    }

    pub(crate) fn act_in_line(&mut self, action: Action) {
        let Some(line) = self.views.line_mut() else {
            return;
        };
        let is_search = line.kind == LineKind::Search;
        let has_list = line.suggestions.as_ref().is_some_and(Suggestions::has_keys);
        match action {
            Action::Edit(edit) => self.change_line(|input| input.edit(edit)),
            Action::Question if line.kind == LineKind::Filter && line.is_at_term_start() => {
                return self.views.open(View::Menu(fields_menu(&self.data.catalog)));
            }
            Action::Question => {
                self.change_line(|input| input.edit(Edit::Insert('?')));
            }
            Action::Complete | Action::CompleteBack if is_search => {
                self.cycle_scope(action == Action::Complete);
                self.read_line();
            }
            Action::Order if is_search => self.toggle_order(),
            Action::Complete => self.complete_line(true),
            Action::CompleteBack => self.complete_line(false),
            Action::Earlier | Action::Later if has_list => {
                self.complete_line(action == Action::Later);
            }
            Action::Earlier | Action::Later => {
                let history = self.settings.histories.of(line.kind);
                let back = action == Action::Earlier;
                if history.is_some_and(|history| line.recall(back, history)) {
                    self.read_line();
                }
            }
            Action::Accept => return self.accept(),
            Action::Cancel if line.close_suggestions() => self.read_line(),
            Action::Cancel => return self.leave_line(),
            _ => return,
        }
        self.views.find_as_typed();
        self.offer_in_line();
    }

    /// Inserts text from the clipboard.
    pub(crate) fn paste(&mut self, text: &str) {
        if self.views.paste_note(text) {
            return;
        }
        match self.views.stack.last_mut() {
            Some(View::Menu(menu)) => menu.type_text(text),
            Some(View::Line(_)) => {
                self.change_line(|input| input.insert(text));
                self.views.find_as_typed();
                self.offer_in_line();
            }
            _ => {}
        }
    }

    /// Parses an invalid filter again after the columns changed.
    pub(crate) fn reparse_filter_line(&mut self) {
        let examples = self.filter_examples();
        let is_filter = |line: &&mut Box<InputLine>| line.kind == LineKind::Filter;
        if let Some(line) = self.views.line_mut().filter(is_filter) {
            line.filter.examples = examples;
            line.suggestions = None;
            if line.error.is_some() {
                self.read_line();
            }
            self.offer_in_line();
        }
    }

    fn accept(&mut self) {
        let Some(line) = self.views.line_mut() else {
            return;
        };
        let list = line.suggestions.take();
        if list.is_some_and(|list| list.chosen.is_some() && !list.is_whole()) {
            // Enter inserts the selected suggestion; the line stays open.
            return;
        }
        let (kind, text) = (line.kind, line.input.text().trim().to_owned());
        match kind {
            LineKind::Filter | LineKind::Search if line.error.is_some() => return,
            LineKind::Filter => {
                if let Ok(query) = ActiveFilter::parse(&text, &self.data.catalog) {
                    self.set_filter(query);
                }
                self.settings.left_out = None;
            }
            LineKind::Command => return self.hand_over(ViewRequest::Submit(text), None),
            LineKind::Tag => {
                let sample = line.sample;
                if let Err(error) = self.accept_tags(sample, &text) {
                    if let Some(line) = self.views.line_mut() {
                        (line.input, line.error) = (TextEditor::line(&text), Some(error));
                    }
                    return;
                }
            }
            LineKind::RecordSearch => match Needle::parse(&text) {
                Ok(needle) => self.with_views(|views, of| {
                    if let Some(page) = views.page_of_mut::<RecordView>() {
                        page.search(needle, of);
                    }
                }),
                Err(error) => {
                    line.error = needle_error(error);
                    return;
                }
            },
            LineKind::Search | LineKind::FieldSearch | LineKind::Reviewer => {}
        }
        self.close_line();
        match kind {
            LineKind::Reviewer => self.take_name(&text),
            LineKind::Filter | LineKind::Search if !text.is_empty() => {
                if kind == LineKind::Filter {
                    self.explain_negation();
                }
                self.remember(kind, text);
            }
            LineKind::Search => self.drop_search(),
            _ => {}
        }
    }

    /// Opens the command line again, with the error of a failed command.
    pub(crate) fn reopen_command(&mut self, text: &str, error: QueryError) {
        self.open_line(LineKind::Command);
        if let Some(line) = self.views.line_mut() {
            (line.input, line.error) = (TextEditor::line(text), Some(error));
            line.suggestions = None;
        }
    }

    /// Restores the previous query and the sample that was selected.
    pub(crate) fn leave_line(&mut self) {
        let Some(line) = self.views.take_line() else {
            return;
        };
        match line.kind {
            LineKind::Tag | LineKind::RecordSearch => {}
            LineKind::Command | LineKind::Reviewer => self.finish_opening(),
            LineKind::FieldSearch => {
                if let Some(page) = self.views.page_of_mut::<LayoutPage>() {
                    page.content.find("");
                }
            }
            LineKind::Filter => {
                self.set_filter(line.filter.before);
                self.finish_opening();
                // The selected sample stays, even if other sort orders were tried.
                self.selection.to_top = false;
            }
            LineKind::Search => {
                if let Some(left) = line.origin {
                    self.leave_search(left);
                }
            }
        }
        self.release_anchor();
    }

    pub(crate) fn close_line(&mut self) {
        self.views.take_line();
        self.release_anchor();
    }
}

impl App {
    /// Adds a line to the history of its kind, also on disk.
    pub(crate) fn remember(&mut self, kind: LineKind, line: String) {
        self.settings.histories.remember(kind, &line);
        self.request(Effect::Remember(kind, line));
    }

    /// Returns the completions at a byte offset of a query.
    pub(crate) fn query_completions(&self, text: &str, cursor: usize) -> Completions {
        let values = |asked: Field| {
            if self.withheld_field(&asked).is_some() {
                Vec::new()
            } else {
                query::tally(&self.data.dataset, asked)
            }
        };
        query::complete(
            text,
            cursor,
            &self.data.catalog,
            &values,
            &self.data.remarks.tags(),
        )
    }

    fn leave_search(&mut self, left: SearchOrigin) {
        let sample = self.selection.target();
        if let Some(sought) = &left.sought {
            self.search.scope = sought.scope;
        }
        let same = self.search.sought() == left.sought.as_ref();
        self.set_search(left.sought, false);
        // A hit may have changed the responses in the panes.
        self.selection.pair = left.pair;
        self.focus_on(left.focus);
        if same {
            // The selection may still follow the first match.
            self.reselect();
        } else {
            self.search.arrival = None;
            if sample == self.selection.selected && self.laid_page().is_some() {
                // No new page will arrive to restore the scroll position.
                self.open.scroll = left.scroll;
            } else {
                self.search.left = Some((sample, left.scroll));
            }
        }
    }
}
