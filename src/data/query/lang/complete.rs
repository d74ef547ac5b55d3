//! Completion of queries.
//!
//! The parser records what it expects at the end of the text; this module lists it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::parse::{Expected, Parser};
use super::print::{self, spell_value};
use crate::query::Catalog;
use crate::query::ast::{Aggregate, ColumnId, Field};
use crate::query::names::help::FieldHelp;
use crate::query::words::{self, DISAGREES, TermPrefix, VIEWS, VOCABULARY, split_prefix};
use crate::table::{ColumnKind, ColumnSource};
use crate::text::{char_start, grouped};

/// Completions at one place of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The bytes of the query that a completion replaces.
    pub span: Range<usize>,
    /// The completions, the likeliest first; at most 100.
    pub items: Vec<Completion>,
}

/// One completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// Its meaning, or its count in the dataset; can be empty.
    pub note: String,
}

const MAX_ITEMS: usize = 100;

/// Lists completions at the byte `cursor`. `values` returns the values of a field with their
/// counts; `tags` is [`ReviewIndex::tags`](crate::query::ReviewIndex::tags).
pub fn complete(
    text: &str,
    cursor: usize,
    catalog: &Catalog,
    values: &dyn Fn(Field) -> Vec<(String, usize)>,
    tags: &BTreeMap<Arc<str>, usize>,
) -> Completions {
    let cursor = char_start(text, cursor);
    let (typed, after) = text.split_at(cursor);
    let Some((start, expected)) = expected_at_end(typed, catalog) else {
        return Completions {
            span: cursor..cursor,
            items: Vec::new(),
        };
    };
    let quoted = typed[start..].strip_prefix('"');
    let partial = quoted.unwrap_or(&typed[start..]);
    let mut offer = FoundCompletions {
        partial: partial.to_lowercase(),
        items: Vec::new(),
    };
    match expected {
        Expected::Term => offer.terms(catalog, partial),
        Expected::Sign(kind) => offer.signs("", kind),
        Expected::SortKey => {
            offer.fields(catalog, partial, FieldUse::Sort);
            let about = "shuffled; the same number gives the same order";
            offer.add("random(7)", about.to_owned());
        }
        Expected::Choice(view, key) => {
            for choice in catalog.choices(view, key) {
                offer.add(&choice.spelled, choice.about);
            }
        }
        Expected::Value { of, takes_none } => {
            let kind = of.column.kind;
            let what = match kind {
                ColumnKind::Words => {
                    offer.tags(tags);
                    "tag"
                }
                _ => {
                    offer.values(of.column, catalog, values(of));
                    "value"
                }
            };
            if takes_none == Some(true) && quoted.is_none() {
                offer.add("none", format!("has no {what}"));
            }
            if takes_none.is_some() && kind.is_number() {
                offer.fields(catalog, partial, FieldUse::Operand);
            }
        }
    }
    let goes_on = match quoted {
        Some(_) => usize::from(after.starts_with('"')),
        None => after
            .find(|sign| sign == ',' || !expected.goes_on(sign))
            .unwrap_or(after.len()),
    };
    Completions {
        span: start..cursor + goes_on,
        items: offer.ranked(),
    }
}

/// Returns what the parser expects at the end of a text, and where that part begins.
fn expected_at_end(text: &str, catalog: &Catalog) -> Option<(usize, Expected)> {
    let mut expected = None;
    let mut start = 0;
    loop {
        let mut parser = Parser::new(text, catalog);
        (parser.at, parser.expected) = (start, expected);
        let end = match parser.any(true) {
            Ok(_) => parser.at,
            Err(error) => error.span.end.max(start),
        };
        expected = parser.expected;
        // The text after an error is parsed separately.
        let rest = &text[end..];
        let Some(blank) = rest.find(char::is_whitespace) else {
            break;
        };
        start = text.len() - rest[blank..].trim_start().len();
    }
    let is_quoted = |at: usize| text[at..].starts_with('"');
    expected.filter(|(at, _)| match open(text) {
        Some((start, _)) => start == *at && is_quoted(start),
        None => !is_quoted(*at),
    })
}

/// Whether a text ends inside quotes or a regular expression.
pub fn is_open(text: &str) -> bool {
    open(text).is_some()
}

/// Returns the quote or slash that is still open at the end, with its position.
fn open(before: &str) -> Option<(usize, char)> {
    let mut open: Option<(usize, char)> = None;
    let mut last = ' ';
    let mut signs = before.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        match open {
            Some((_, delimiter)) if sign == delimiter => open = None,
            Some(_) if sign == '\\' => {
                signs.next();
            }
            Some(_) => {}
            None if sign == '"' => open = Some((at, sign)),
            None if sign == '/' => {
                let begins =
                    last.is_whitespace() || matches!(last, '(' | ')' | '"' | ':' | '-' | '!' | ',');
                let divides = signs.peek().is_none_or(|(_, next)| next.is_whitespace())
                    && last.is_whitespace();
                if begins && !divides {
                    open = Some((at, sign));
                }
            }
            None => {}
        }
        last = sign;
    }
    open
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldUse {
    Term,
    Operand,
    Sort,
}

struct FoundCompletions {
    /// The text typed so far, in lower case.
    partial: String,
    /// With their rank; 0 is an exact match.
    items: Vec<(u8, Completion)>,
}

impl FoundCompletions {
    fn terms(&mut self, catalog: &Catalog, partial: &str) {
        self.fields(catalog, partial, FieldUse::Term);
        let (view, _) = split_prefix(partial);
        if view.is_made_of_numbers() {
            return;
        }
        let takes_view = |key: &TermPrefix| view == Aggregate::Same || key.is_of_responses();
        for key in TermPrefix::ALL.into_iter().filter(takes_view) {
            let key = key.name();
            let about = words::about("keys", key).to_owned();
            self.add(&format!("{}{key}:", print::view(view)), about);
        }
        if view == Aggregate::Same {
            self.views();
            self.add("abs(", "absolute value".to_owned());
        }
    }

    fn fields(&mut self, catalog: &Catalog, partial: &str, place: FieldUse) {
        let (view, rest) = split_prefix(partial);
        let takes = |field: &FieldHelp| match view {
            Aggregate::Same => match field.kind {
                ColumnKind::Label | ColumnKind::Score | ColumnKind::Count => true,
                ColumnKind::Word => place != FieldUse::Operand,
                ColumnKind::Words => place == FieldUse::Term,
                ColumnKind::Flag => false,
            },
            Aggregate::Any | Aggregate::All if place == FieldUse::Sort => false,
            _ => field.is_of_responses,
        };
        let rated = catalog.rated_fields(rest);
        for field in catalog.fields().into_iter().chain(rated).filter(takes) {
            let name = format!("{}{}", print::view(view), field.name);
            self.add_as(
                &field.name,
                &rest.to_lowercase(),
                name.clone(),
                field.note(),
            );
            if place == FieldUse::Term && name == partial {
                // A complete name is followed by an operator.
                if let Some(known) = catalog.find(&field.name) {
                    self.signs(&name, known.kind);
                }
            }
        }
        if place == FieldUse::Sort && view == Aggregate::Same {
            for choice in catalog.choices(view, TermPrefix::Disagrees) {
                self.add(&format!("{DISAGREES}:{}", choice.spelled), choice.about);
            }
        }
        if place != FieldUse::Term && view == Aggregate::Same {
            self.views();
        }
    }

    fn views(&mut self) {
        for (view, _) in VIEWS {
            let about = words::about("views", view).to_owned();
            self.add(&format!("{view}."), about);
        }
    }

    fn signs(&mut self, field: &str, kind: ColumnKind) {
        let group = match kind {
            ColumnKind::Word => "word",
            ColumnKind::Words => "words",
            _ => "number",
        };
        for (sign, note) in VOCABULARY.signs.get(group).into_iter().flatten() {
            let text = format!("{field}{sign}").trim_start().to_owned();
            let note = note.clone();
            self.items.push((0, Completion { text, note }));
        }
    }

    fn values(&mut self, of: ColumnId, catalog: &Catalog, known: Vec<(String, usize)>) {
        if known.is_empty() {
            catalog
                .fixed_words(of)
                .into_iter()
                .flatten()
                .for_each(|(word, about)| self.add(word, about));
        }
        if let ColumnSource::Rated(raters) = &of.source
            && let Some([low, high]) = catalog.rated_range(raters, of.name)
        {
            let values = low.ceil() as i64..=high.floor() as i64;
            values.for_each(|value| self.add(&value.to_string(), String::new()));
        }
        for (value, count) in known {
            let spelled = if of.kind.is_number() {
                value.clone()
            } else {
                spell_value(&value)
            };
            self.add_named(&value, spelled, grouped(count));
        }
    }

    fn tags(&mut self, tags: &BTreeMap<Arc<str>, usize>) {
        let mut tags: Vec<_> = tags.iter().collect();
        tags.sort_by_key(|(_, count)| Reverse(**count));
        for (tag, count) in tags {
            self.add_named(tag, spell_value(tag), grouped(*count));
        }
    }

    fn add(&mut self, text: &str, note: String) {
        self.add_named(text, text.to_owned(), note);
    }

    fn add_named(&mut self, name: &str, text: String, note: String) {
        let partial = self.partial.clone();
        self.add_as(name, &partial, text, note);
    }

    /// Adds a completion if its name contains `partial`.
    fn add_as(&mut self, name: &str, partial: &str, text: String, note: String) {
        let name = name.to_lowercase();
        let rank = match () {
            () if name == partial => 0,
            () if name.starts_with(partial) => 1,
            () if name.contains(partial) => 2,
            () => return,
        };
        self.items.push((rank, Completion { text, note }));
    }

    fn ranked(mut self) -> Vec<Completion> {
        self.items.sort_by_key(|(rank, _)| *rank);
        self.items
            .into_iter()
            .map(|(_, item)| item)
            .take(MAX_ITEMS)
            .collect()
    }
}
