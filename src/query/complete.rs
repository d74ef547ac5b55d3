//! What can be typed next.
//!
//! A query that is being typed does not parse, so this looks backwards from the cursor: which word
//! it is in, and which sign and which field stand before that.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::ast::{Aggregate, ColumnId, Field};
use super::catalog::{Catalog, is_name_sign, split_view};
use super::help::FieldHelp;
use super::lex::{ends_word, is_sign, sign_in};
use super::parse::floor;
use super::print::spell_value;
use super::words::{self, CHECKS, CITINGS, DISAGREES, KEYS, Keyword, TermPrefix, VIEWS};
use crate::model::ResponseId;
use crate::table::{ColumnKind, ColumnSource};
use crate::text::grouped;

/// What can stand at a place of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The bytes of the query that a completion takes the place of.
    pub span: Range<usize>,
    /// What can stand there, the likeliest first; at most 100.
    pub items: Vec<Completion>,
}

/// One thing that can stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What to write there.
    pub text: String,
    /// What it means, or how often it is in the dataset; can be empty.
    pub note: String,
}

/// More than that are not looked through.
const MOST_ITEMS: usize = 100;

/// What can stand at the byte `cursor` of a query. `values` gives the values of a field with their
/// counts, and `tags` those in use with theirs, as [`Remarks::tags`](super::Remarks::tags) tells
/// them.
pub fn complete(
    text: &str,
    cursor: usize,
    catalog: &Catalog,
    values: &dyn Fn(Field) -> Vec<(String, usize)>,
    tags: &BTreeMap<Arc<str>, usize>,
) -> Completions {
    let cursor = floor(text, cursor);
    let place = CompletionContext::of(&text[..cursor], catalog);
    let mut offer = FoundCompletions {
        partial: place.partial.to_owned(),
        items: Vec::new(),
    };
    match &place.wanted {
        ExpectedToken::Nothing => {}
        ExpectedToken::Term => offer.terms(catalog, place.partial),
        ExpectedToken::Sign(known) => offer.signs("", known.kind),
        ExpectedToken::SortKey => {
            offer.fields(catalog, place.partial, FieldUse::Sort);
            offer.add(
                "random(7)",
                "shuffled, always alike for the same number".to_owned(),
            );
        }
        ExpectedToken::Word(view, key) => match key {
            TermPrefix::Best => {
                for response in
                    ResponseId::first(catalog.responses().clamp(2, ResponseId::LETTERED))
                {
                    offer.add(response.word(), "is among the best".to_owned());
                }
            }
            TermPrefix::Is => offer.words(&words::flags(catalog.has_joined_files())),
            TermPrefix::Has => offer.words(words::features(*view)),
            TermPrefix::Cite => offer.words(CITINGS),
            TermPrefix::Check => offer.words(CHECKS),
            TermPrefix::Disagrees => {
                let all = catalog.disagreements().into_iter();
                all.for_each(|(word, about)| offer.add(&word, about));
            }
            TermPrefix::Finding => {
                for rule in &catalog.rules().rules {
                    offer.add(rule.name(), rule.definition.sentence.to_string());
                }
            }
            TermPrefix::Prompt
            | TermPrefix::Response
            | TermPrefix::Quote
            | TermPrefix::Title
            | TermPrefix::Rationale
            | TermPrefix::Note
            | TermPrefix::Sort => {}
        },
        ExpectedToken::Value { asked, takes_none } => {
            let (kind, partial) = (asked.column.kind, place.partial);
            match kind {
                ColumnKind::Words => offer.tags(tags, partial),
                _ => offer.values(asked.column, catalog, values(*asked), partial),
            }
            if *takes_none == Some(true) && !place.is_quoted {
                let what = if kind == ColumnKind::Words {
                    "tag"
                } else {
                    "value"
                };
                offer.add("none", format!("has no {what}"));
            }
            if takes_none.is_some() && kind.is_number() {
                offer.fields(catalog, partial, FieldUse::Operand);
            }
        }
    }
    let end = cursor + place.goes_on(&text[cursor..]);
    Completions {
        span: cursor - place.length..end,
        items: offer.ranked(),
    }
}

/// What is expected somewhere.
enum ExpectedToken {
    Nothing,
    Term,
    /// What is to be asked of this.
    Sign(ColumnId),
    SortKey,
    /// One of the words behind `is:` or the like, before which this view stands.
    Word(Aggregate, TermPrefix),
    /// A value of a field; whether `none` can stand there, and `None` in lists, where only values
    /// can.
    Value {
        asked: Field,
        takes_none: Option<bool>,
    },
}

struct CompletionContext<'t> {
    wanted: ExpectedToken,
    /// What is there of it already.
    partial: &'t str,
    /// Bytes before the cursor that a completion takes the place of: those of `partial`, and a
    /// quote before it.
    length: usize,
    is_quoted: bool,
}

impl<'t> CompletionContext<'t> {
    fn of(before: &'t str, catalog: &Catalog) -> Self {
        let nothing = Self {
            wanted: ExpectedToken::Nothing,
            partial: "",
            length: 0,
            is_quoted: false,
        };
        match open(before) {
            Some((_, '/')) => nothing,
            Some((start, _)) => Self {
                is_quoted: true,
                ..Self::behind_quote(before, start, catalog)
            }
            .or(nothing),
            None => Self::bare(before, catalog),
        }
    }

    fn or(self, other: Self) -> Self {
        if matches!(self.wanted, ExpectedToken::Value { .. }) {
            self
        } else {
            other
        }
    }

    fn behind_quote(before: &'t str, start: usize, catalog: &Catalog) -> Self {
        let wanted = behind_sign(&before[..start], catalog).unwrap_or(ExpectedToken::Nothing);
        Self {
            wanted,
            partial: &before[start + 1..],
            length: before.len() - start,
            is_quoted: true,
        }
    }

    fn bare(before: &'t str, catalog: &Catalog) -> Self {
        let list = list(before);
        let is_in_list = list.is_some();
        let run = last_run(before, |sign| {
            !(ends_word(sign) || is_in_list && sign == ',')
        });
        let at = |wanted, partial: &'t str| Self {
            wanted,
            partial,
            length: partial.len(),
            is_quoted: false,
        };
        if let Some(left) = list {
            return at(
                value_of(left, None, catalog).unwrap_or(ExpectedToken::Nothing),
                run,
            );
        }
        if let Some(sign) = sign_in(run) {
            let signs: usize = run[sign..]
                .chars()
                .take_while(|sign| is_sign(*sign) || *sign == '!')
                .map(char::len_utf8)
                .sum();
            let (left, partial) = before.split_at(before.len() - run.len() + sign + signs);
            let wanted = behind_sign(left, catalog).unwrap_or(ExpectedToken::Nothing);
            return match wanted {
                ExpectedToken::SortKey => at(wanted, partial.trim_start_matches('-')),
                _ => at(wanted, partial),
            };
        }
        let left = &before[..before.len() - run.len()];
        if let Some(wanted) = behind_sign(left, catalog) {
            return at(wanted, run);
        }
        let name = last_run(run, |sign| is_name_sign(sign) || sign == '.');
        if run.is_empty()
            && let Some(known) = field_behind(left, catalog)
        {
            return at(ExpectedToken::Sign(known), "");
        }
        let begins_name = run[..run.len() - name.len()]
            .chars()
            .next_back()
            .is_none_or(|sign| "+-*/".contains(sign));
        at(
            if begins_name {
                ExpectedToken::Term
            } else {
                ExpectedToken::Nothing
            },
            name,
        )
    }

    /// How many bytes behind the cursor belong to what is completed.
    fn goes_on(&self, behind: &str) -> usize {
        let end = match self.wanted {
            ExpectedToken::Nothing | ExpectedToken::Sign(_) => Some(0),
            _ if self.is_quoted => return usize::from(behind.starts_with('"')),
            ExpectedToken::Term | ExpectedToken::SortKey => {
                behind.find(|sign| !is_name_sign(sign) && sign != '.')
            }
            ExpectedToken::Word(..) | ExpectedToken::Value { .. } => {
                behind.find(|sign| ends_word(sign) || sign == ',')
            }
        };
        end.unwrap_or(behind.len())
    }
}

/// Whether a text ends inside quotes or a regular expression.
pub fn is_open(text: &str) -> bool {
    open(text).is_some()
}

/// The quote or the slash that is open at the end, and where.
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
                let begins = last.is_whitespace() || matches!(last, '(' | ')' | '"' | ':' | '-');
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

/// The end of a text as far as its characters are such.
fn last_run(text: &str, is_in: impl Fn(char) -> bool) -> &str {
    let start = text
        .char_indices()
        .rev()
        .find(|(_, sign)| !is_in(*sign))
        .map_or(0, |(at, sign)| at + sign.len_utf8());
    &text[start..]
}

/// What stands before `in` where its list is open at the end.
fn list(before: &str) -> Option<&str> {
    let open = before
        .rfind('(')
        .filter(|open| !before[*open..].contains(')'))?;
    let left = before[..open].trim_end().strip_suffix("in")?;
    left.ends_with(char::is_whitespace).then(|| left.trim_end())
}

/// What is wanted if a sign stands at the end of this.
fn behind_sign(left: &str, catalog: &Catalog) -> Option<ExpectedToken> {
    if let Some(left) = list(left) {
        return value_of(left, None, catalog);
    }
    let left = left.trim_end();
    let named = left.trim_end_matches(|sign| is_sign(sign) || sign == '!');
    let sign = &left[named.len()..];
    if sign.is_empty() {
        return None;
    }
    if sign == ":" {
        let (view, key) = split_view(last_run(named, |sign| is_name_sign(sign) || sign == '.'));
        match words::meaning(KEYS, key) {
            Some(TermPrefix::Sort) => return Some(ExpectedToken::SortKey),
            Some(key) => return Some(ExpectedToken::Word(view, key)),
            None => {}
        }
    }
    let takes_none = matches!(sign, ":" | "=" | "==" | "!=" | "<>" | "≠");
    value_of(named.trim_end(), Some(takes_none), catalog)
}

fn value_of(left: &str, takes_none: Option<bool>, catalog: &Catalog) -> Option<ExpectedToken> {
    let (view, name) = split_view(last_run(left, |sign| is_name_sign(sign) || sign == '.'));
    let column = catalog.find(name)?;
    let asked = Field { view, column };
    Some(ExpectedToken::Value { asked, takes_none })
}

/// The field that stands at the end, a blank behind it, if nothing compares it yet.
fn field_behind(left: &str, catalog: &Catalog) -> Option<ColumnId> {
    let trimmed = left.trim_end();
    let name = last_run(trimmed, |sign| is_name_sign(sign) || sign == '.');
    let compared = trimmed[..trimmed.len() - name.len()]
        .trim_end()
        .ends_with(is_sign);
    if trimmed.len() == left.len() || compared || !catalog.names_field(name) {
        return None;
    }
    catalog.find(split_view(name).1)
}

/// Where a field is to stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldUse {
    Term,
    Operand,
    Sort,
}

/// What is found to offer.
struct FoundCompletions {
    /// What is there already.
    partial: String,
    /// With how well they fit: the less, the better.
    items: Vec<(u8, Completion)>,
}

impl FoundCompletions {
    fn terms(&mut self, catalog: &Catalog, partial: &str) {
        self.fields(catalog, partial, FieldUse::Term);
        let (view, _) = split_view(partial);
        if view.is_made_of_numbers() {
            return;
        }
        for key in KEYS
            .iter()
            .filter(|key| view == Aggregate::Same || key.means.is_of_responses())
        {
            self.add(
                &format!("{}{}:", prefix(view), key.spelled),
                key.about.to_owned(),
            );
        }
        if view == Aggregate::Same {
            self.views();
            self.add("abs(", "a number without its sign".to_owned());
        }
    }

    fn fields(&mut self, catalog: &Catalog, partial: &str, place: FieldUse) {
        let (view, rest) = split_view(partial);
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
            let name = format!("{}{}", prefix(view), field.name);
            self.add_as(&field.name, rest, name.clone(), field.note());
            if place == FieldUse::Term && name == partial {
                // Who has typed all of it goes on with a sign.
                if let Some(known) = catalog.find(&field.name) {
                    self.signs(&name, known.kind);
                }
            }
        }
        if place == FieldUse::Sort && view == Aggregate::Same {
            for (word, about) in catalog.disagreements() {
                self.add(&format!("{DISAGREES}:{word}"), about);
            }
        }
        if place != FieldUse::Term && view == Aggregate::Same {
            self.views();
        }
    }

    fn views(&mut self) {
        for view in VIEWS {
            self.add(&prefix(view.means), view.about.to_owned());
        }
    }

    fn signs(&mut self, field: &str, kind: ColumnKind) {
        let signs = match kind {
            ColumnKind::Word => WORD_SIGNS,
            ColumnKind::Words => TAG_SIGNS,
            _ => NUMBER_SIGNS,
        };
        for (sign, note) in signs {
            let text = if field.is_empty() {
                sign.trim_start().to_owned()
            } else {
                format!("{field}{sign}")
            };
            self.items.push((
                0,
                Completion {
                    text,
                    note: (*note).to_owned(),
                },
            ));
        }
    }

    fn words<T>(&mut self, table: &[Keyword<T>]) {
        for word in table {
            self.add(word.spelled, word.about.to_owned());
        }
    }

    fn values(
        &mut self,
        of: ColumnId,
        catalog: &Catalog,
        known: Vec<(String, usize)>,
        partial: &str,
    ) {
        if known.is_empty() {
            let fixed = catalog.fixed_words(of).into_iter().flatten();
            fixed.for_each(|(word, about)| self.add(word, about));
        }
        if let ColumnSource::Rated(raters) = &of.source
            && let Some([low, high]) = catalog.rated_range(raters, of.name)
        {
            let values = low.ceil() as i64..=high.floor() as i64;
            values.for_each(|value| self.add(&value.to_string(), String::new()));
        }
        for (value, count) in known {
            let spelled = match of.kind.is_number() {
                true => value.clone(),
                false => spell_value(&value),
            };
            self.add_as(&value, partial, spelled, grouped(count));
        }
    }

    fn tags(&mut self, tags: &BTreeMap<Arc<str>, usize>, partial: &str) {
        let mut tags: Vec<_> = tags.iter().collect();
        tags.sort_by_key(|(_, count)| Reverse(**count));
        for (tag, count) in tags {
            self.add_as(tag, partial, spell_value(tag), grouped(*count));
        }
    }

    fn add(&mut self, text: &str, note: String) {
        let partial = self.partial.clone();
        self.add_as(text, &partial, text.to_owned(), note);
    }

    /// Adds what goes by this name, if that fits what is there of it already.
    fn add_as(&mut self, name: &str, partial: &str, text: String, note: String) {
        let (name, partial) = (name.to_lowercase(), partial.to_lowercase());
        let rank = match () {
            () if name == partial => 0,
            () if name.starts_with(&partial) => 1,
            () if name.contains(&partial) => 2,
            () => return,
        };
        self.items.push((rank, Completion { text, note }));
    }

    fn ranked(mut self) -> Vec<Completion> {
        self.items.sort_by_key(|(rank, _)| *rank);
        self.items
            .into_iter()
            .map(|(_, item)| item)
            .take(MOST_ITEMS)
            .collect()
    }
}

const NUMBER_SIGNS: &[(&str, &str)] = &[
    (">=", "at least"),
    ("<=", "at most"),
    ("=", "is"),
    ("!=", "is something else"),
    (">", "more than"),
    ("<", "less than"),
    (":", "in a range, as in 2..4"),
    (" in (", "one of these"),
];

const WORD_SIGNS: &[(&str, &str)] = &[
    ("=", "is"),
    (":", "has this within it"),
    ("!=", "is something else"),
    (" in (", "one of these"),
];

const TAG_SIGNS: &[(&str, &str)] = &[
    ("=", "has exactly this"),
    (":", "has one with this within it"),
    ("!=", "has some, and not this"),
    (" in (", "has one of these"),
];

fn prefix(view: Aggregate) -> String {
    match words::aggregate_word(view) {
        "" => String::new(),
        view => format!("{view}."),
    }
}
