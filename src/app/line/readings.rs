//! What the filter line offers without being asked: readings of a query, the last filters, and the
//! number of samples that each of them matches.

use std::sync::Arc;

use super::suggestions::Suggestions;
use crate::app::charts::ALL_SAMPLES;
use crate::app::job::Job;
use crate::app::pages::page_doc::{CountedState, PageSources};
use crate::app::{App, InputLine, LineKind};
use crate::query::{
    self, Aggregate, Completion, Completions, Field, FilterReading, Query, QueryContext,
};

/// Number of samples that match a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MatchCount {
    /// Samples found so far.
    pub samples: usize,
    /// True if all samples were examined.
    pub is_final: bool,
}

/// The queries whose samples are counted, over all samples of the dataset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CountKey {
    state: CountedState,
    queries: Vec<Arc<Query>>,
}

/// Maximum number of samples, once for each query, that are counted before the next frame.
const BRIEF_COUNTS: usize = 1_000_000;
/// Of more samples, texts are not read for a count that was not asked for.
const MAX_READ: usize = 200_000;
/// Maximum number of samples whose values are counted for completions at each key.
const QUICK_COMPLETIONS: usize = 50_000;
/// Number of earlier filters that an empty line offers, and of lines in all.
const LAST_FILTERS: usize = 3;
const OFFERED: usize = 5;

impl InputLine {
    /// Returns how many samples the suggestion at an index matches; `None` if it is not a whole
    /// query, or not counted yet.
    pub fn count(&self, at: usize) -> Option<MatchCount> {
        let query = self.suggestions.as_ref()?.queries.get(at)?.as_ref()?;
        let counts = self.filter.counts.get(|_| true)?;
        let mut known = self.filter.counts.key()?.queries.iter();
        counts.get(known.position(|one| one == query)?).copied()
    }
}

impl App {
    /// Returns a suggestion for each reading of a query that a blind reviewer may see. `span` is the
    /// part of the line that it replaces.
    fn offer_readings(&self, text: &str, readings: Vec<FilterReading>) -> Option<Suggestions> {
        let catalog = &self.data.catalog;
        let allowed = readings
            .into_iter()
            .filter(|one| self.withheld(&one.query).is_none());
        let (items, queries) = allowed
            .map(|one| {
                let item = Completion {
                    text: one.query.spelled(catalog).to_string(),
                    note: one.meaning,
                };
                (item, Some(one.query))
            })
            .unzip();
        let found = Completions {
            span: 0..text.len(),
            items,
        };
        Some(Suggestions::of(text, found, true)?.with_queries(queries))
    }

    /// Returns the last filters, then examples, each with its meaning.
    fn last_filters(&self, examples: &[String]) -> Vec<FilterReading> {
        let catalog = &self.data.catalog;
        let lines = self.settings.histories.filters.lines();
        let last = lines.iter().rev().take(LAST_FILTERS);
        let mut readings: Vec<FilterReading> = Vec::new();
        for text in last.chain(examples) {
            let Ok(query) = query::parse(text, catalog) else {
                continue;
            };
            if !readings.iter().any(|one| one.query == query) {
                let meaning = query.meaning(catalog);
                readings.push(FilterReading { query, meaning });
            }
        }
        readings.truncate(OFFERED);
        readings
    }

    /// Returns what the word before the cursor may become, then the word as a text search.
    fn offer_names(&self, text: &str, mut found: Completions) -> Option<Suggestions> {
        let word = text.get(found.span.clone())?;
        let catalog = &self.data.catalog;
        let before = &text[..found.span.start];
        let quoted = format!("\"{word}\"");
        // The best match is followed by what it says of the winner and of both responses.
        let best = found
            .items
            .first()
            .and_then(|item| Field::named(&item.text, catalog).ok());
        // Both tell responses apart, so a blind reviewer may not filter by them.
        let is_compared = |field: &Field| {
            !self.is_blind()
                && catalog.responses() > 1
                && field.view == Aggregate::Same
                && field.column.is_of_responses()
                && field.column.kind.is_number()
        };
        let views = best.filter(is_compared).into_iter().flat_map(|field| {
            [Aggregate::Gap, Aggregate::Winner].map(|view| {
                let text = Field { view, ..field }.spelled(catalog).to_string();
                let note = query::view_note(view).to_owned();
                Completion { text, note }
            })
        });
        let at = found.items.len().min(1);
        found.items.splice(at..at, views);
        let mut queries = vec![None; found.items.len().min(OFFERED - 1)];
        found.items.truncate(queries.len());
        let is_term = before.is_empty() || before.ends_with([' ', '(']);
        let searched = query::parse(&format!("{before}{quoted}"), catalog);
        if let (true, Ok(query)) = (is_term, searched) {
            found.items.push(Completion {
                note: query::IN_THE_TEXTS.to_owned(),
                text: quoted,
            });
            queries.push(Some(query));
        }
        Some(Suggestions::of(text, found, true)?.with_queries(queries))
    }
}

impl App {
    /// Opens what a filter line or a command line offers for its text, unless a list is open.
    pub(crate) fn offer_in_line(&mut self) {
        let Some(line) = self.views.line() else {
            return;
        };
        if line.suggestions.is_some() {
            return;
        }
        let list = match line.kind {
            LineKind::Filter => self.offer_in_filter_line(line),
            LineKind::Command if line.error.is_none() => {
                Suggestions::of(line.text().0, line.completions(self), true)
            }
            _ => return,
        };
        if let Some(line) = self.views.line_mut() {
            line.suggestions = list;
        }
    }

    fn offer_in_filter_line(&self, line: &InputLine) -> Option<Suggestions> {
        let catalog = &self.data.catalog;
        let (text, _) = line.text();
        let is_quick = self.data.dataset.samples() <= QUICK_COMPLETIONS;
        let is_unfinished = line.error.as_ref().is_some_and(|error| error.fix.is_none());
        if text.trim().is_empty() {
            self.offer_readings(text, self.last_filters(&line.filter.examples))
        } else if line.filter.held_back {
            self.offer_names(text, line.completions(self))
        } else if is_unfinished {
            let found = is_quick.then(|| line.completions_of_error(self)).flatten();
            found.and_then(|found| Suggestions::of(text, found, true))
        } else {
            let repaired = line.repaired();
            let query = query::parse(repaired.as_deref().unwrap_or(text), catalog);
            let readings = query.map(|query| query.readings(catalog));
            let list = readings
                .ok()
                .and_then(|readings| self.offer_readings(text, readings));
            match repaired {
                None if is_quick && list.as_ref().is_some_and(|list| list.items.len() == 1) => {
                    let going_on = line.completions_going_on(self);
                    let list = list.map(|list| list.with_first_as_typed(text));
                    going_on.map_or(list, |found| self.offer_names(text, found))
                }
                None => list.map(|list| list.with_first_as_typed(text)),
                Some(_) => list,
            }
        }
    }

    /// Returns the job that counts the samples of suggested queries.
    pub(crate) fn match_count_job(&self, of: &PageSources<'_>) -> Option<Job> {
        let line = self.views.line()?;
        let list = line.suggestions.as_ref()?;
        let data = &self.data;
        let reads_little = |query: &&Arc<Query>| {
            data.dataset.samples() <= MAX_READ || query::is_quick(query, &data.dataset)
        };
        let key = CountKey {
            // Over all samples, so that typing does not change them.
            state: CountedState {
                query: ALL_SAMPLES,
                ..of.state
            },
            queries: (list.queries.iter().flatten())
                .filter(reads_little)
                .cloned()
                .collect(),
        };
        let is_counted = |counts: &Vec<MatchCount>| counts.iter().all(|count| count.is_final);
        let known = line.filter.counts.get(|known| *known == key);
        if key.queries.is_empty() || known.is_some_and(is_counted) {
            return None;
        }
        let is_brief = data.dataset.samples() * key.queries.len() <= BRIEF_COUNTS
            && (key.queries.iter()).all(|query| query::is_quick(query, &data.dataset));
        let (memory, remarks) = (Arc::clone(&data.scanned), Arc::clone(&data.remarks));
        let (rules, is_blind) = (Arc::clone(data.catalog.rules()), of.is_blind);
        Some(Job::new(
            "match-counts",
            data,
            key,
            is_brief,
            move |key, of| {
                let known = QueryContext {
                    memory: &memory,
                    remarks: &remarks,
                    rules: &rules,
                    is_blind,
                };
                let mut counts = vec![MatchCount::default(); key.queries.len()];
                for (at, query) in key.queries.iter().enumerate() {
                    let samples = 0..of.dataset.samples();
                    let found = query::find(
                        query,
                        of.dataset,
                        samples,
                        known,
                        of.keep_going,
                        &mut |mut found, _| {
                            if is_blind {
                                // As in the list: a malformed row may contain labels.
                                found.retain(|sample| {
                                    of.dataset.responses_of(sample as usize) != Some(0)
                                });
                            }
                            counts[at].samples += found.samples.len();
                            (of.tell)(counts.clone());
                            std::ops::ControlFlow::Continue(())
                        },
                    );
                    found.continue_value()?;
                    counts[at].is_final = true;
                }
                Some(counts)
            },
            |app, key, counts| {
                if let Some(line) = app.views.line_mut() {
                    line.filter.counts.put(key, counts);
                }
            },
        ))
    }
}
