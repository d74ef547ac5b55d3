//! The user's place in the data: saved when a run ends, and restored when the same files are opened
//! again.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::filtering::ActiveFilter;
use super::following::SampleTarget;
use crate::app::sample::hits::SearchTerms;
use crate::app::{App, Loading, texts};
use crate::dataset::SampleKey;
use crate::search::{HitOrder, Needle, SearchScope};
use crate::text::{self, grouped};

/// Cells of a filter or a search quoted in the status line.
const QUOTED: usize = 40;

/// The user's place, as saved in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SessionState {
    /// Number of the selected sample, from 1.
    pub sample: NonZeroUsize,
    /// Its key, which finds it after files were appended to or sorted.
    pub key: Option<SampleKey>,
    /// The active filter, with its order, as typed.
    pub filter: Option<String>,
    /// The active search.
    pub search: Option<SavedSearch>,
}

/// A search as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSearch {
    /// The text to search for.
    pub text: String,
    /// The texts that are searched.
    pub scope: SearchScope,
    /// Whether the best matches come first.
    pub ranked: bool,
}

/// A session being restored.
#[derive(Debug, Default)]
pub struct Resumption {
    /// What is not restored yet.
    pending: Option<SessionState>,
    /// What to report when all is restored, if anything.
    restored: Option<RestoredPlace>,
    /// What could not be restored, as sentences.
    dropped: Vec<String>,
    /// The notice shown so far.
    notice: Option<String>,
}

/// The restored place.
#[derive(Debug, Default)]
struct RestoredPlace {
    /// Number of the sample, from 0.
    sample: usize,
    /// Whether the saved sample is gone and another is selected.
    is_other: bool,
    /// The restored filter and search.
    filter: Option<String>,
    search: Option<String>,
}

impl RestoredPlace {
    /// Returns a notice such as `Back at sample 214 of 'helpfulness>=3' (--fresh starts over).`
    fn words(&self) -> String {
        let number = grouped(self.sample + 1);
        if self.is_other {
            return texts::sample_gone(number);
        }
        let quoted = |before: &str, text: &Option<String>| {
            text.as_ref().map_or(String::new(), |text| {
                format!("{before}'{}'", text::one_line(text, QUOTED))
            })
        };
        let of = quoted(" of ", &self.filter);
        texts::back_at_sample(number, of, quoted(", searching ", &self.search))
    }
}

impl App {
    /// Returns the state to save, or `None` if there is none: before anything is loaded or
    /// restored, while a line is being typed, and in an audit, which is only resumed on request.
    pub fn session_state(&self) -> Option<SessionState> {
        let is_own = self.data.loading == Loading::Done
            && self.settings.resumption.pending.is_none()
            && !self.is_typing()
            && self.running().is_none()
            && !self.review.is_sampling()
            && !self.review.is_undecided()
            && self.data.dataset.samples() > 0;
        if !is_own {
            return None;
        }
        let search = self.search.sought().map(|sought| SavedSearch {
            text: sought.needle.text().to_owned(),
            scope: sought.scope,
            ranked: self.search.order == HitOrder::Ranked,
        });
        let filter = self.filter.text();
        Some(SessionState {
            sample: NonZeroUsize::MIN.saturating_add(self.selection.selected),
            key: self.current_sample_key(),
            filter: filter.or_else(|| self.settings.left_out.clone()),
            search,
        })
    }

    /// Restores what fits the rows read so far. What fails now may need a joined file and is tried
    /// again when everything is loaded.
    pub(crate) fn resume_with_rows(&mut self) {
        let Some(mut state) = self.settings.resumption.pending.take() else {
            return;
        };
        let is_last = self.data.loading == Loading::Done;
        let sample = state.sample.get() - 1;
        let is_any = sample > 0 || state.filter.is_some() || state.search.is_some();
        if self.settings.resumption.restored.is_none() {
            self.settings.resumption.restored = is_any.then(|| RestoredPlace {
                sample,
                ..RestoredPlace::default()
            });
            // Until everything is loaded the sample is identified by number.
            self.data.awaited = Some(sample).filter(|sample| *sample > 0);
        }
        self.resume_filter(&mut state, is_last);
        self.resume_search(&mut state);
        self.settings.resumption.pending = Some(state);
        if is_last {
            self.seek_resumed();
        }
    }

    /// Looks for the saved sample by its key, once everything is loaded.
    fn seek_resumed(&mut self) {
        let Some(state) = &self.settings.resumption.pending else {
            return;
        };
        // The first sample of an unread file is the default position.
        let is_restored = self.settings.resumption.restored.is_some();
        match state.key.filter(|_| is_restored) {
            Some(key) => self.seek_for(Some(SampleTarget::Keyed(key, state.sample.get() - 1))),
            None => self.end_resuming(None),
        }
    }

    /// Takes the position (from 0) of a sample that was searched for, or why it was not found.
    pub(crate) fn take_sample_found(&mut self, found: Result<usize, String>) {
        match (self.settings.seeking.sought.take(), found) {
            (None, _) => {}
            (Some(SampleTarget::Named(_)), Err(reason)) => {
                self.say(format!("{reason}."));
                self.settings.seeking.wrong = Some(reason);
            }
            (Some(SampleTarget::Keyed(..)), found)
                if self.settings.resumption.pending.is_some() =>
            {
                self.end_resuming(Some(found.ok()));
            }
            (_, Ok(sample)) => self.go_to_found(sample),
            (_, Err(_)) => {}
        }
    }

    /// Finishes restoring at the sample found by its key, if it was searched for.
    fn end_resuming(&mut self, found: Option<Option<usize>>) {
        let Some(state) = self.settings.resumption.pending.take() else {
            return;
        };
        if let Some(Some(sample)) = found {
            self.go_to_found(sample);
        }
        if let Some((restored, found)) = self.settings.resumption.restored.as_mut().zip(found) {
            restored.is_other = found.is_none();
            // A shorter file may not have this number.
            let last = self.data.dataset.samples().saturating_sub(1);
            restored.sample = found.unwrap_or(last.min(state.sample.get() - 1));
        }
        self.say_resumed();
    }

    /// Reports what was restored and which audit waits, unless another notice was shown.
    pub(crate) fn say_resumed(&mut self) {
        let resumption = &self.settings.resumption;
        if resumption.pending.is_some() {
            return;
        }
        let is_free = self.status.notice.is_none() || self.status.notice == resumption.notice;
        if !is_free {
            return;
        }
        let waiting = self.review.has_begun().then(|| self.waiting_words());
        // What needs a response comes first, because narrow screens cut the rest.
        let words: Vec<_> = (waiting.flatten().into_iter())
            .chain(resumption.dropped.iter().cloned())
            .chain(resumption.restored.iter().map(RestoredPlace::words))
            .collect();
        self.status.notice = Some(words.join(" ")).filter(|words| !words.is_empty());
        self.settings.resumption.notice = self.status.notice.clone();
    }
}

impl App {
    /// Restores the place as rows arrive. Must be called before any are read.
    pub fn resume(&mut self, state: SessionState) {
        self.settings.resumption.pending = Some(state);
    }

    /// Stops restoring because the user has moved.
    pub(crate) fn stop_resuming(&mut self) {
        self.settings.resumption.pending = None;
        self.seek_for(None);
    }

    fn drop_resumed(&mut self, text: &str, reason: &str) {
        let words = texts::not_restored(text::one_line(text, QUOTED), reason);
        self.settings.resumption.dropped.push(words);
    }

    fn resume_filter(&mut self, state: &mut SessionState, is_last: bool) {
        let Some(text) = state.filter.take() else {
            return;
        };
        // What the user typed in the meantime takes precedence.
        if self.filter.active().is_some() || self.is_typing() {
            return;
        }
        match ActiveFilter::parse(&text, &self.data.catalog.with_labels()) {
            Ok(query) => match query.as_ref().and_then(|one| self.withheld(&one.query)) {
                Some(reason) => {
                    self.drop_resumed(&text, &reason);
                    self.settings.left_out = Some(text);
                }
                None => {
                    self.set_filter(query);
                    // A restored filter keeps the selected sample.
                    self.selection.to_top = false;
                    if let Some(restored) = &mut self.settings.resumption.restored {
                        restored.filter = Some(text);
                    }
                }
            },
            Err(error) if is_last => {
                self.drop_resumed(&text, &error.message);
                self.settings.left_out = Some(text);
            }
            Err(_) => state.filter = Some(text),
        }
    }

    fn resume_search(&mut self, state: &mut SessionState) {
        let Some(search) = state.search.take() else {
            return;
        };
        if self.search.sought().is_some() || self.is_typing() {
            return;
        }
        // Another version of the program may reject a search that was valid when typed.
        let Some(needle) = Needle::parse(&search.text)
            .ok()
            .filter(|needle| !needle.is_empty())
        else {
            return;
        };
        if let Some(restored) = &mut self.settings.resumption.restored {
            restored.search = Some(search.text);
        }
        let scope = self.allowed(search.scope);
        self.search.scope = scope;
        self.search.order = if search.ranked {
            HitOrder::Ranked
        } else {
            HitOrder::Dataset
        };
        self.set_search(Some(SearchTerms::new(needle, scope)), false);
    }

    /// Discards finished restoring: its notice ends with the next key.
    pub(crate) fn forget_resumed(&mut self) {
        let resumption = &mut self.settings.resumption;
        if resumption.pending.is_none() {
            *resumption = Resumption::default();
        }
    }
}
