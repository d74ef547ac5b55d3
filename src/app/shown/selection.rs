//! The shown samples, the selected one, and the one to select when results arrive. A *position* is
//! an index among the shown samples.

use std::ops::Range;
use std::sync::Arc;

use crate::app::pages::responses_page::ShownPair;
use crate::app::reviewing::RunningAudit;
use crate::app::sample::hits::Arrival;
use crate::app::{App, Loading, texts};
use crate::query::{QueryResult, ResponseSet};
use crate::text::grouped;

/// Shown while the selection follows the end of the data being read.
pub(crate) const END_SO_FAR: &str = "At the end so far; new samples are followed until you move.";
/// The end is followed in steps of at least this fraction (1/n) of the position.
const STRIDES: usize = 4;

/// The origin of a jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JumpOrigin {
    /// Its position among the samples shown then, if known: an audit shows a sample twice.
    position: Option<usize>,
    /// Number of the sample, from 0.
    sample: usize,
}

/// The selected sample among the filter's results.
#[derive(Debug, Default)]
pub struct ListSelection {
    /// Number of the selected sample, from 0.
    pub selected: usize,
    /// A sample, and the responses that the user chose for its panes.
    pub pair: Option<(usize, ShownPair)>,
    /// Its position among the samples shown, from 0.
    pub position: usize,
    /// The filter's result.
    pub filtered: ShownSamples,
    /// The active audit.
    pub(crate) audit: Option<RunningAudit>,
    /// The sample to stay near as results change; `None`: the selected one.
    pub anchor: Option<usize>,
    /// Whether the last sample stays selected as more arrive.
    pub following: bool,
    /// Whether the first sample stays selected, because the order is new.
    pub to_top: bool,
    /// Whether the first position was just selected because the order is new. A queue starts at the
    /// first sample that the reviewer has not checked.
    pub starts_anew: bool,
    /// The origin of the last jump.
    pub before_jump: Option<JumpOrigin>,
}

impl ListSelection {
    /// Makes the selected sample the anchor, unless there is one.
    pub(crate) fn drop_anchor(&mut self) {
        self.anchor = self.anchor.or(Some(self.selected));
    }

    /// Returns the sample to stay near.
    pub(crate) fn target(&self) -> usize {
        self.anchor.unwrap_or(self.selected)
    }
}

impl App {
    /// Returns the samples on display: the audit's, the search's or the filter's.
    pub fn shown(&self) -> &ShownSamples {
        self.selection
            .audit
            .as_ref()
            .map(|audit| &audit.shown)
            .or(self.search.shown())
            .unwrap_or(&self.selection.filtered)
    }

    /// Returns the active audit.
    pub fn running(&self) -> Option<&RunningAudit> {
        self.selection.audit.as_ref()
    }

    /// Selects the anchor, or the sample nearest to it, among those on display.
    pub(crate) fn reselect(&mut self) {
        let target = self.selection.target();
        let last = self.shown().len().checked_sub(1);
        let position = match last {
            Some(_) if self.search.leads() => Some(0),
            Some(last) if self.selection.following => Some(self.followed_end(last)),
            Some(_) if self.selection.to_top => {
                self.selection.starts_anew = true;
                Some(0)
            }
            // An audit shows a sample twice.
            _ if self.shown().sample(self.selection.position) == Some(target) => {
                Some(self.selection.position)
            }
            _ => self.shown().nearest(target),
        };
        self.put_at(position.unwrap_or(0));
        if last.is_none() {
            // No page will arrive to continue from.
            self.search.ahead = 0;
        }
        if self.search.leads() {
            self.search.arrival = Some(Arrival::InSight);
            // They may have been found during the search.
            if self.knows_hits() {
                self.arrive();
            }
        }
        self.selection.following &= self.is_growing() || self.data.is_followed;
        self.selection.to_top &= self.is_growing() || self.is_typing();
        // A queue's first position is not known yet.
        if !self.selection.starts_anew {
            self.release_anchor();
        }
    }

    /// Returns the position to follow to; `last` is the current end. While files are read it moves
    /// in strides: a new page many times a second is too much for a slow connection, and cannot be
    /// read.
    fn followed_end(&self, last: usize) -> usize {
        let here = self.selection.position;
        let is_stride = last >= here + here / STRIDES || last < here;
        if self.data.loading == Loading::Done || is_stride {
            last
        } else {
            here
        }
    }

    /// Releases the anchor unless typing or a query may still restore it. If its sample was left,
    /// [`Self::jump_back`] returns there.
    pub(crate) fn release_anchor(&mut self) {
        if self.is_typing() || self.is_working() {
            return;
        }
        let anchor = self.selection.anchor.take();
        self.search.leading = false;
        // While files are read, and in an audit, the user did not choose to leave it.
        let is_left = self.data.loading == Loading::Done
            && self.data.awaited.is_none()
            && self.selection.audit.is_none();
        if let Some(sample) = anchor.filter(|anchor| is_left && *anchor != self.selection.selected)
        {
            self.selection.before_jump = Some(JumpOrigin {
                position: None,
                sample,
            });
        }
    }

    fn here(&self) -> JumpOrigin {
        JumpOrigin {
            position: Some(self.selection.position),
            sample: self.selection.selected,
        }
    }

    /// Selects the sample at a position (at most the last) and remembers where the user was.
    pub(crate) fn jump_to(&mut self, position: usize) {
        let here = self.here();
        self.select(position);
        if self.here() != here {
            self.selection.before_jump = Some(here);
        }
    }

    /// Selects a sample by number, from 1, or the nearest one shown, with a notice.
    pub(crate) fn go_to(&mut self, number: usize) {
        if self.selection.audit.is_some() {
            // An audit numbers its own samples.
            self.jump_to(number.saturating_sub(1));
            return;
        }
        let samples = self.data.dataset.samples();
        let target = number.saturating_sub(1);
        let Some(position) = self.shown().nearest(target) else {
            return;
        };
        self.jump_to(position);
        if number <= samples {
            if self.selection.selected != target && number > 0 {
                self.say_nearest(target);
            }
            return;
        }
        let all = grouped(samples);
        let words = match self.data.loading {
            Loading::Done if self.shown().len() < samples => texts::last_shown(all),
            Loading::Done => texts::last_sample(all),
            Loading::UnderWay { .. } | Loading::Stopping => {
                self.data.awaited = Some(target);
                texts::not_loaded_yet(grouped(number))
            }
        };
        self.say(words);
    }

    /// Selects the last sample; during loading, follows the end until the user moves.
    pub(crate) fn go_to_end(&mut self) {
        self.jump_to(usize::MAX);
        if self.data.loading != Loading::Done || self.data.is_followed {
            self.selection.following = true;
            self.say(END_SO_FAR);
        }
    }

    /// Selects the sample at a position, at most the last one.
    pub(crate) fn select(&mut self, position: usize) {
        self.stop_resuming();
        (
            self.data.awaited,
            self.selection.following,
            self.selection.to_top,
            self.selection.anchor,
        ) = (None, false, false, None);
        self.selection.starts_anew = false;
        (self.search.leading, self.search.arrival, self.search.left) = (false, None, None);
        self.put_at(position.min(self.shown().len().saturating_sub(1)));
    }

    /// Selects the sample at a position; without one, the old sample is remembered.
    pub(crate) fn put_at(&mut self, position: usize) {
        self.selection.position = position;
        if let Some(sample) = self.shown().sample(position) {
            self.selection.selected = sample;
        }
    }

    pub(crate) fn follow(&mut self) {
        let (height, samples) = (self.list_height(), self.shown().len());
        // A hidden list is updated when it is shown again.
        if height > 0 {
            self.list.follow(self.selection.position, height, samples);
        }
    }

    /// Returns to the origin of the last jump (or the nearest sample shown), which is a jump too.
    pub(crate) fn jump_back(&mut self) {
        let Some(origin) = self.selection.before_jump else {
            self.say("No jump to return from.");
            return;
        };
        let shown = self.shown();
        let is_there = |position: &usize| shown.sample(*position) == Some(origin.sample);
        let position = origin.position.filter(is_there);
        let Some(position) = position.or_else(|| shown.nearest(origin.sample)) else {
            return;
        };
        self.jump_to(position);
        // An audit does not reveal the numbers of its samples.
        if self.selection.selected != origin.sample && self.selection.audit.is_none() {
            self.say_nearest(origin.sample);
        }
    }

    /// Reports that the nearest sample was selected instead of `target` (from 0).
    fn say_nearest(&mut self, target: usize) {
        let nearest = grouped(self.selection.selected + 1);
        self.say(texts::nearest(grouped(target + 1), nearest));
    }
}

/// The samples that the list shows, by position.
#[derive(Debug, Clone, PartialEq)]
pub enum ShownSamples {
    /// All samples, this many.
    All(usize),
    /// The results of a query, in its order.
    Some {
        /// The results; a clone shares them.
        found: Arc<QueryResult>,
        /// Whether the order differs from the dataset's.
        sorted: bool,
    },
}

impl Default for ShownSamples {
    fn default() -> Self {
        Self::All(0)
    }
}

impl ShownSamples {
    /// Returns an empty result.
    pub(crate) fn nothing() -> Self {
        Self::Some {
            found: Arc::default(),
            sorted: false,
        }
    }

    /// Returns the results of a query; `None` if all samples are shown.
    pub fn found(&self) -> Option<&QueryResult> {
        match self {
            Self::All(_) => None,
            Self::Some { found, .. } => Some(found),
        }
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::All(samples) => *samples,
            Self::Some { found, .. } => found.samples.len(),
        }
    }

    /// True if nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the order differs from the dataset's.
    pub(crate) fn is_sorted(&self) -> bool {
        matches!(self, Self::Some { sorted: true, .. })
    }

    /// Returns the sample at a position.
    pub fn sample(&self, position: usize) -> Option<usize> {
        match self {
            Self::All(samples) => (position < *samples).then_some(position),
            Self::Some { found, .. } => found.samples.get(position).map(|it| *it as usize),
        }
    }

    /// Returns the samples at a range of positions, as far as they exist.
    pub fn samples(&self, positions: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let end = positions.end.min(self.len());
        (positions.start.min(end)..end).filter_map(|position| self.sample(position))
    }

    /// Returns the samples at a range of positions in ascending order.
    pub fn ascending(&self, positions: Range<usize>) -> Vec<u32> {
        let mut samples: Vec<_> = self
            .samples(positions)
            .map(|sample| sample as u32)
            .collect();
        if self.is_sorted() {
            samples.sort_unstable();
        }
        samples
    }

    /// Returns the position of a sample, or of the nearest one in dataset order (the later one of
    /// two); `None` if nothing is shown.
    pub fn nearest(&self, sample: usize) -> Option<usize> {
        let found = match self {
            Self::All(samples) => return samples.checked_sub(1).map(|last| sample.min(last)),
            Self::Some { found, .. } => &found.samples,
        };
        let sample = sample as u32;
        let distance = |at: &usize| (sample.abs_diff(found[*at]), found[*at] < sample);
        if self.is_sorted() {
            return (0..found.len()).min_by_key(distance);
        }
        let after = found.partition_point(|other| *other < sample);
        (after.saturating_sub(1)..found.len().min(after + 1)).min_by_key(distance)
    }

    /// Returns the responses that match the query, of the sample at a position; `None` without a
    /// query.
    pub fn matching(&self, position: usize) -> Option<ResponseSet> {
        self.found()?.matching.get(position).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(samples: &[u32], sorted: bool) -> ShownSamples {
        let found = QueryResult {
            samples: samples.to_vec(),
            matching: vec![ResponseSet::default(); samples.len()],
        };
        ShownSamples::Some {
            found: found.into(),
            sorted,
        }
    }

    #[test]
    fn the_nearest_in_dataset_order() {
        for (shown, sample, expected) in [
            (ShownSamples::All(0), 3, None),
            (ShownSamples::All(5), 3, Some(3)),
            (ShownSamples::All(5), 9, Some(4)),
            (some(&[], false), 3, None),
            (some(&[2, 4, 9], false), 4, Some(1)),
            (some(&[2, 4, 9], false), 3, Some(1)),
            (some(&[2, 4, 9], false), 5, Some(1)),
            (some(&[2, 4, 9], false), 99, Some(2)),
            (some(&[2, 4, 9], false), 0, Some(0)),
            (some(&[], true), 3, None),
            (some(&[9, 2, 4], true), 4, Some(2)),
            (some(&[9, 2, 4], true), 3, Some(2)),
            (some(&[9, 2, 4], true), 7, Some(0)),
            (some(&[9, 2, 4], true), 1, Some(1)),
        ] {
            assert_eq!(shown.nearest(sample), expected, "{shown:?} {sample}");
        }
    }

    #[test]
    fn positions() {
        let shown = some(&[7, 3, 5], true);
        assert_eq!(shown.samples(1..9).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(shown.samples(4..9).count(), 0);
        assert_eq!(shown.ascending(1..9), [3, 5]);
        assert_eq!(shown.ascending(0..2), [3, 7]);
        assert_eq!(ShownSamples::All(3).ascending(1..9), [1, 2]);
        assert_eq!(
            (shown.sample(0), shown.sample(3), shown.len()),
            (Some(7), None, 3)
        );
        assert_eq!(ShownSamples::All(3).samples(1..2).collect::<Vec<_>>(), [1]);
    }
}
