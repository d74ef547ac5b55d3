//! The line at the bottom in which a filter, a search or a command is typed. Filters and searches
//! are in force while they are typed, as far as they read.

use std::collections::BTreeMap;

use super::filtering::ActiveFilter;
use super::hits::SearchTerms;
use super::line_editor::{Edit, TextEditor};
use super::perform::ViewRequest;
use super::responses_page::ShownPair;
use super::suggestions::Suggestions;
use super::{Action, Browser, Effect, HelpPage, Mode, PageView, Pane, Review, View, Views};
use crate::query::{self, Catalog, Completion, Completions, Field, QueryError};
use crate::search::{Needle, NeedleError};

/// What is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// A query.
    Filter,
    /// A command.
    Command,
    /// What to search for.
    Search,
    /// Tags of the selected sample.
    Tag,
    /// What to search for in the record on screen.
    RecordSearch,
    /// What to search for in the help on screen.
    HelpSearch,
}

/// The line at the bottom that is being typed.
#[derive(Debug)]
pub struct InputLine {
    /// What is typed.
    pub kind: LineKind,
    input: TextEditor,
    /// What is wrong with the text.
    pub error: Option<QueryError>,
    /// Whether something was typed since suggestions were last thought of.
    is_fresh: bool,
    /// What can be typed next, where that was asked for.
    pub suggestions: Option<Suggestions>,
    /// Place in the history of the line that shows, and what was typed before one was looked up.
    recalled: Option<(usize, String)>,
    /// What is known of a filter.
    pub filter: FilterLine,
    /// Where a search began.
    origin: Option<SearchOrigin>,
    /// The sample that was selected, whose tags are typed.
    sample: usize,
}

/// What a filter knows that is being typed.
#[derive(Debug, Default)]
pub struct FilterLine {
    /// The one that was in force before.
    before: Option<ActiveFilter>,
    /// What is to be said of a text that reads.
    pub warning: Option<String>,
    /// Whether the text is not in force yet, because it ends in what can become a name.
    pub held_back: bool,
    /// Queries that one can begin with.
    pub examples: Vec<String>,
}

/// Where a search began.
#[derive(Debug)]
struct SearchOrigin {
    sought: Option<SearchTerms>,
    focus: Pane,
    scroll: [usize; Pane::ALL.len()],
    /// The responses that were chosen, and for which sample.
    pair: Option<(usize, ShownPair)>,
}

impl InputLine {
    /// The text, and the byte that the cursor is at.
    pub fn text(&self) -> (&str, usize) {
        (self.input.text(), self.input.cursor())
    }

    /// Whether suggestions are to open after a moment.
    pub(super) fn waits_for_pause(&self) -> bool {
        self.is_fresh && self.suggestions.is_none() && !self.input.text().is_empty()
    }

    /// Shows what can be typed next without being asked; nothing where all of it stands there
    /// already, or where something before it is wrong: the list would cover what is said of that.
    pub(super) fn offer(&mut self, found: Completions) {
        self.is_fresh = false;
        if self.is_wrong_before(found.span.start) {
            return;
        }
        let typed = self.input.text().get(found.span.clone());
        let goes_on = |item: &Completion| Some(item.text.as_str()) != typed;
        if typed.is_some() && found.items.iter().any(goes_on) {
            self.suggestions = Suggestions::of(self.input.text(), found, true);
        }
    }

    /// Whether more stands between what is wrong and a place behind it than blanks.
    fn is_wrong_before(&self, place: usize) -> bool {
        let wrong = self.error.as_ref().map(|error| error.span.end);
        let between = wrong.and_then(|end| self.input.text().get(end..place));
        between.is_some_and(|between| !between.trim().is_empty())
    }

    /// Whether a term can begin at the cursor: a question mark there is no part of one.
    fn is_at_term_start(&self) -> bool {
        let before = &self.input.text()[..self.input.cursor()];
        !query::is_open(before)
            && before
                .chars()
                .next_back()
                .is_none_or(|last| last == ' ' || last == '(')
    }

    /// Whether what is being typed, at the end, can become the name of a field or another word of
    /// the language, where a term begins: behind an operator it is no text to search for.
    fn ends_in_a_name(&self, catalog: &Catalog) -> bool {
        let text = self.input.text();
        let word = text.rsplit([' ', '(']).next().unwrap_or_default();
        let before = text[..text.len() - word.len()].trim_end();
        let is_operand = before.ends_with(['=', '<', '>', '≤', '≥', '≠', '+', '-', '*', '/']);
        let word = word.strip_prefix('-').unwrap_or(word);
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

    /// Chooses the next suggestion, or the one before; behind the last one comes the text as it
    /// was.
    fn choose(&mut self, forward: bool) {
        if let Some(list) = &mut self.suggestions {
            let (text, cursor) = list.step(forward);
            self.input.replace(&text, cursor);
        }
    }

    /// Opens the list, or completes at once where there is no choice.
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

    /// Takes back what was chosen and closes the list; whether there was one.
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

    /// Shows a line of the history, further back or less far.
    fn recall(&mut self, history: &[String], back: bool) {
        let at = self.recalled.as_ref().map_or(history.len(), |(at, _)| *at);
        let next = if back {
            at.checked_sub(1)
        } else {
            Some(at + 1)
        };
        let Some(next) = next.filter(|next| *next <= history.len()) else {
            return;
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
    }
}

impl Views {
    /// The line that is being typed.
    pub fn input_line(&self) -> Option<&InputLine> {
        self.line().map(|line| &**line)
    }

    /// Begins to type; a filter begins as the one in force.
    pub(super) fn open_line(&mut self, kind: LineKind, browser: &mut Browser) {
        let in_force = browser.filter.in_force();
        let text = in_force
            .filter(|_| kind == LineKind::Filter)
            .map_or("", |one| one.text.as_str());
        let mut line = InputLine {
            kind,
            input: TextEditor::line(text),
            error: None,
            is_fresh: false,
            suggestions: None,
            recalled: None,
            filter: FilterLine::default(),
            origin: (kind == LineKind::Search).then(|| SearchOrigin {
                sought: browser.search.sought().cloned(),
                focus: browser.layout.focus,
                scroll: browser.open.scroll,
                pair: browser.selection.pair,
            }),
            sample: browser.selection.selected,
        };
        if kind == LineKind::Filter {
            line.filter.before = in_force.cloned();
            line.filter.examples = browser.filter_examples();
        }
        self.open(View::Line(Box::new(line)));
        browser.status.is_typing = true;
        browser.selection.drop_anchor();
    }

    pub(super) fn act_in_line(
        &mut self,
        action: Action,
        browser: &mut Browser,
        review: &mut Review,
    ) {
        let Some(line) = self.line_mut() else {
            return;
        };
        let kind = line.kind;
        match action {
            Action::Edit(edit) => self.type_in(|input| input.edit(edit), browser, review),
            Action::Question if kind == LineKind::Filter && line.is_at_term_start() => {
                let fields = HelpPage::of_fields(&browser.data.catalog);
                self.open(View::Fields(PageView::new(fields)));
            }
            Action::Question => {
                self.type_in(|input| input.edit(Edit::Insert('?')), browser, review);
            }
            Action::Complete | Action::CompleteBack if kind == LineKind::Search => {
                browser.cycle_scope(action == Action::Complete);
                self.read_text(browser);
            }
            Action::Order if kind == LineKind::Search => browser.toggle_order(),
            Action::Complete => self.complete(true, browser, review),
            Action::CompleteBack => self.complete(false, browser, review),
            Action::Earlier | Action::Later
                if line.suggestions.as_ref().is_some_and(Suggestions::has_keys) =>
            {
                self.complete(action == Action::Later, browser, review);
            }
            Action::Earlier | Action::Later => self.recall(action == Action::Earlier, browser),
            Action::Accept => self.accept(browser, review),
            Action::Cancel if line.close_suggestions() => self.read_text(browser),
            Action::Cancel => self.leave_line(browser, review),
            _ => {}
        }
    }

    /// What comes from the clipboard.
    pub(super) fn paste(&mut self, text: &str, browser: &mut Browser, review: &Review) {
        if self.paste_note(text) {
            return;
        }
        match (self.mode(), self.palette_mut()) {
            (Mode::Palette, Some(palette)) => palette.insert(text),
            (Mode::Line, _) => self.type_in(|input| input.insert(text), browser, review),
            _ => {}
        }
    }

    fn type_in(
        &mut self,
        change: impl FnOnce(&mut TextEditor),
        browser: &mut Browser,
        review: &Review,
    ) {
        let Some(line) = self.line_mut() else {
            return;
        };
        let listed = line.suggestions.take();
        line.is_fresh = true;
        browser.status.typed += 1;
        let before = line.input.text().len();
        change(&mut line.input);
        line.recalled = None;
        let longer = line.input.text().len() > before;
        self.read_text(browser);
        // A list that is open follows what is typed, but completes nothing by itself.
        if let Some(listed) = listed.filter(|_| longer) {
            let found = self.completions(browser, review);
            if let Some(line) = self.line_mut() {
                if listed.has_keys() {
                    line.suggestions = Suggestions::of(line.input.text(), found, false);
                } else {
                    line.offer(found);
                }
            }
        }
    }

    /// Reads the text: what reads is in force, and what does not is said to be wrong.
    fn read_text(&mut self, browser: &mut Browser) {
        let Some(line) = self.line_mut() else {
            return;
        };
        line.error = None;
        match line.kind {
            LineKind::Command | LineKind::Tag | LineKind::RecordSearch => {}
            LineKind::HelpSearch => {
                let words = line.input.text().to_owned();
                self.search_help(&words);
            }
            LineKind::Filter => self.read_filter(browser),
            LineKind::Search => self.read_search(browser),
        }
    }

    /// Reads a filter again that did not read: there are columns now that there were none of.
    pub(super) fn read_filter_again(&mut self, browser: &mut Browser) {
        let examples = browser.filter_examples();
        if let Some(line) = self.line_mut().filter(|line| line.kind == LineKind::Filter) {
            line.filter.examples = examples;
            if line.error.is_some() {
                self.read_text(browser);
            }
        }
    }

    fn read_search(&mut self, browser: &mut Browser) {
        let Some(line) = self.line_mut() else {
            return;
        };
        match Needle::parse(line.input.text()) {
            Ok(needle) => browser.search_for(needle),
            Err(NeedleError { span, message }) => line.error = Some(QueryError { span, message }),
        }
    }

    fn read_filter(&mut self, browser: &mut Browser) {
        let catalog = &browser.data.catalog;
        let Some(line) = self.line() else {
            return;
        };
        let text = line.input.text();
        let read = ActiveFilter::parse(text, catalog);
        // The beginning of a field's name is not yet a word to search for.
        let held_back = read.is_ok() && line.ends_in_a_name(catalog);
        let query = read.as_ref().ok().and_then(Option::as_ref);
        let query = query.filter(|_| !held_back);
        let withheld = query.and_then(|one| browser.withheld(&one.query));
        let warning = query.and_then(|one| {
            let impossible = one.query.impossible(catalog);
            impossible.or_else(|| one.query.shadowed_field(catalog))
        });
        let Some(line) = self.line_mut() else {
            return;
        };
        (line.filter.warning, line.filter.held_back) = (None, held_back);
        if held_back {
            return;
        }
        match (read, withheld) {
            (Ok(query), None) => {
                line.filter.warning = warning;
                browser.set_filter(query);
            }
            (Ok(_), Some(message)) => {
                line.error = Some(QueryError {
                    span: 0..line.input.text().len(),
                    message,
                });
            }
            (Err(error), _) => {
                line.error = Some(error);
                self.drop_the_broken_word(browser);
            }
        }
    }

    /// What is in force may end in the beginning of a word that turned out to be no word to search
    /// for (`helpfull` of `helpfull>=3`): then what stands before that word is in force.
    fn drop_the_broken_word(&mut self, browser: &mut Browser) {
        let (Some(line), Some(one)) = (self.line(), browser.filter.in_force()) else {
            return;
        };
        let Some(rest) = line
            .input
            .text()
            .trim_start()
            .strip_prefix(one.text.as_str())
        else {
            return;
        };
        if rest.is_empty() || rest.starts_with(' ') || one.text.ends_with(['"', '/', ')']) {
            return;
        }
        let before = one
            .text
            .rfind([' ', '('])
            .map_or("", |at| &one.text[..at])
            .to_owned();
        if one.text[before.len()..].contains(['=', '>', '<', ':']) {
            return;
        }
        if let Ok(query) = ActiveFilter::parse(&before, &browser.data.catalog) {
            browser.set_filter(query);
        }
    }

    fn complete(&mut self, forward: bool, browser: &mut Browser, review: &Review) {
        let Some(line) = self.line_mut() else {
            return;
        };
        if line.suggestions.is_some() {
            line.choose(forward);
        } else {
            let found = self.completions(browser, review);
            if found.items.is_empty() {
                browser.say("Nothing known can stand here.");
            }
            if let Some(line) = self.line_mut() {
                line.suggest(found);
            }
        }
        self.read_text(browser);
    }

    /// What can stand at the cursor.
    pub(super) fn completions(&self, browser: &Browser, review: &Review) -> Completions {
        let Some(line) = self.line() else {
            return Completions::default();
        };
        let (text, cursor) = line.text();
        match line.kind {
            LineKind::Filter => browser.query_completions(text, cursor),
            LineKind::Command => browser.command_completions(text, cursor),
            LineKind::Tag => review.tag_completions(text, cursor, browser),
            LineKind::Search | LineKind::RecordSearch | LineKind::HelpSearch => {
                Completions::default()
            }
        }
    }

    fn recall(&mut self, back: bool, browser: &mut Browser) {
        let Some(line) = self.line_mut() else {
            return;
        };
        let Some(history) = browser.settings.histories.of(line.kind) else {
            return;
        };
        line.suggestions = None;
        line.recall(history.lines(), back);
        self.read_text(browser);
    }

    fn accept(&mut self, browser: &mut Browser, review: &Review) {
        let Some(line) = self.line_mut() else {
            return;
        };
        if line
            .suggestions
            .take()
            .is_some_and(|list| list.chosen.is_some())
        {
            // Enter takes what was chosen; the line goes on.
            return;
        }
        let text = line.input.text().trim().to_owned();
        match line.kind {
            LineKind::Filter | LineKind::Search if line.error.is_some() => {}
            LineKind::Filter => {
                if let Ok(query) = ActiveFilter::parse(&text, &browser.data.catalog) {
                    browser.set_filter(query);
                }
                browser.settings.left_out.filter = None;
                self.close_line(browser);
                if text.is_empty() {
                    return;
                }
                browser.explain_negation();
                browser.settings.histories.remember(LineKind::Filter, &text);
                browser.request(Effect::Remember(LineKind::Filter, text));
            }
            LineKind::Command => browser.hand_over(ViewRequest::Submit(text), None),
            LineKind::Tag => self.accept_tags(&text, browser, review),
            LineKind::HelpSearch => self.close_line(browser),
            LineKind::RecordSearch => match Needle::parse(&text) {
                Ok(needle) => {
                    self.close_line(browser);
                    if let Some(page) = self.record_mut() {
                        page.search(needle, &browser.page_sources());
                    }
                }
                Err(NeedleError { span, message }) => {
                    line.error = Some(QueryError { span, message });
                }
            },
            LineKind::Search => self.accept_search(&text, browser),
        }
    }

    /// Opens a line again whose command did not run.
    pub(super) fn reopen_line(
        &mut self,
        mut line: Box<InputLine>,
        text: &str,
        error: QueryError,
        browser: &mut Browser,
    ) {
        (line.input, line.error) = (TextEditor::line(text), Some(error));
        self.open(View::Line(line));
        browser.status.is_typing = true;
    }

    /// Opens the line for commands again, with what is wrong with what it says.
    pub(super) fn reopen_command(&mut self, text: &str, reason: &str, browser: &mut Browser) {
        if self.mode() != Mode::Read {
            browser.say(reason);
            return;
        }
        self.open_line(LineKind::Command, browser);
        if let Some(line) = self.line_mut() {
            line.input = TextEditor::line(text);
            let start = text.rfind(' ').map_or(0, |at| at + 1);
            line.error = Some(QueryError {
                span: start..text.len(),
                message: reason.to_owned(),
            });
        }
    }

    fn accept_tags(&mut self, text: &str, browser: &mut Browser, review: &Review) {
        let Some(line) = self.line_mut() else {
            return;
        };
        match review.accept_tags(line.sample, text, browser) {
            Ok(()) => self.close_line(browser),
            Err(error) => (line.input, line.error) = (TextEditor::line(text), Some(error)),
        }
    }

    fn accept_search(&mut self, text: &str, browser: &mut Browser) {
        self.close_line(browser);
        if text.is_empty() {
            browser.drop_search();
            return;
        }
        browser.settings.histories.remember(LineKind::Search, text);
        browser.request(Effect::Remember(LineKind::Search, text.to_owned()));
    }

    /// Goes back to the query before, and to the sample that was selected.
    pub(super) fn leave_line(&mut self, browser: &mut Browser, review: &mut Review) {
        // What a filter can ask for stands on top of its line.
        if self.mode() == Mode::Fields {
            self.back();
        }
        let Some(line) = self.take_line() else {
            return;
        };
        browser.status.is_typing = false;
        match line.kind {
            LineKind::Tag | LineKind::RecordSearch => {}
            LineKind::Command => review.decide(browser, self),
            LineKind::HelpSearch => self.search_help(""),
            LineKind::Filter => {
                browser.set_filter(line.filter.before);
                review.decide(browser, self);
                // Back to the sample that was selected, whatever order was tried meanwhile.
                browser.selection.to_top = false;
            }
            LineKind::Search => line
                .origin
                .into_iter()
                .for_each(|left| browser.leave_search(left)),
        }
        browser.release_anchor();
    }

    fn close_line(&mut self, browser: &mut Browser) {
        self.take_line();
        browser.status.is_typing = false;
        browser.release_anchor();
    }
}

impl Browser {
    /// Completions at a byte of a query.
    pub(super) fn query_completions(&self, text: &str, cursor: usize) -> Completions {
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
        let sample = self.selection.wanted();
        if let Some(sought) = &left.sought {
            self.search.scope = sought.scope;
        }
        let same = self.search.sought() == left.sought.as_ref();
        self.set_search(left.sought, false);
        // A hit may have put another response into a pane.
        self.selection.pair = left.pair;
        self.focus_on(left.focus);
        if same {
            // What is shown may still follow the first match.
            self.reselect();
        } else {
            self.search.arrival = None;
            if sample == self.selection.selected
                && self
                    .open
                    .page
                    .as_ref()
                    .is_some_and(|page| page.key == self.page_key())
            {
                // No page will come to scroll.
                self.open.scroll = left.scroll;
            } else {
                self.search.left = Some((sample, left.scroll));
            }
        }
    }
}
