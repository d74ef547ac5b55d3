//! Which sample is selected, and which one is to be once results are there.

use super::hits::Arrival;
use super::responses_page::ShownPair;
use super::{Browser, Loading, Shown};
use crate::text::grouped;

/// Said while the selection goes with the end of what is read.
pub(super) const END_SO_FAR: &str = "The end so far; it is followed until you move.";
/// The end is followed once it is farther by one part in so many.
const STRIDES: usize = 4;

/// Where one jumped from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JumpOrigin {
    /// The position among the samples shown then, from 0, where that is known: an audit shows a
    /// sample twice.
    position: Option<usize>,
    /// Number of the sample, from 0.
    sample: usize,
}

/// The selected sample among those that the filter shows.
#[derive(Debug, Default)]
pub struct ListSelection {
    /// Number of the selected sample, from 0.
    pub selected: usize,
    /// The sample for which responses were chosen to stand in the panes, and which.
    pub pair: Option<(usize, ShownPair)>,
    /// Its position among the samples shown, from 0.
    pub position: usize,
    /// What the filter shows.
    pub filtered: Shown,
    /// What the running audit shows in its place: the samples of its queue.
    pub audited: Option<Shown>,
    /// The sample to stay near while results come and go; `None` means the selected one.
    pub anchor: Option<usize>,
    /// Whether the last sample is selected whichever it becomes.
    pub following: bool,
    /// Whether the first one is, because the order is new.
    pub to_top: bool,
    /// Whether the first position was just selected because of that: a queue begins at the first sample
    /// that the reviewer has not checked.
    pub starts_anew: bool,
    /// Where one was before the last jump.
    pub before_jump: Option<JumpOrigin>,
}

impl ListSelection {
    /// Keeps in mind the sample that is selected, unless another one is in mind already.
    pub(super) fn drop_anchor(&mut self) {
        self.anchor = self.anchor.or(Some(self.selected));
    }

    /// The sample to stay near.
    pub(super) fn wanted(&self) -> usize {
        self.anchor.unwrap_or(self.selected)
    }
}

impl Browser {
    /// The samples that are shown: what the search in force found, or else what the filter shows.
    pub fn shown(&self) -> &Shown {
        let audited = self.selection.audited.as_ref();
        audited
            .or(self.search.shown())
            .unwrap_or(&self.selection.filtered)
    }

    /// Selects the sample that is wanted, or the nearest to it, among those shown now.
    pub(super) fn reselect(&mut self) {
        let wanted = self.selection.wanted();
        let last = self.shown().len().checked_sub(1);
        let position = match last {
            Some(_) if self.search.leads() => Some(0),
            Some(last) if self.selection.following => Some(self.followed_end(last)),
            Some(_) if self.selection.to_top => {
                self.selection.starts_anew = true;
                Some(0)
            }
            // An audit shows a sample twice.
            _ if self.shown().sample(self.selection.position) == Some(wanted) => {
                Some(self.selection.position)
            }
            _ => self.shown().nearest(wanted),
        };
        self.put_at(position.unwrap_or(0));
        if last.is_none() {
            // No page will come to go on from.
            self.search.ahead = 0;
        }
        if self.search.leads() {
            self.search.arrival = Some(Arrival::InSight);
            // They may have been found while somebody searched.
            if self.knows_hits() {
                self.arrive();
            }
        }
        self.selection.following &= self.is_growing() || self.data.is_followed;
        self.selection.to_top &= self.is_growing() || self.status.is_typing;
        // In a queue the first position is not known yet.
        if !self.selection.starts_anew {
            self.release_anchor();
        }
    }

    /// Where the end is followed to, of which this is the last position. While files are read it is
    /// followed in strides: a page of other texts many times a second is too much for a slow
    /// connection, and nobody reads it.
    fn followed_end(&self, last: usize) -> usize {
        let here = self.selection.position;
        let is_stride = last >= here + here / STRIDES || last < here;
        match self.data.loading == Loading::Done || is_stride {
            true => last,
            false => here,
        }
    }

    /// Forgets which sample was selected before, once nothing can bring it back but
    /// [`Self::jump_back`].
    pub(super) fn release_anchor(&mut self) {
        if self.status.is_typing || self.is_working() {
            return;
        }
        let anchor = self.selection.anchor.take();
        self.search.leading = false;
        // While files are read, and in an audit, nobody chose to leave it.
        let is_left = self.data.loading == Loading::Done
            && self.data.awaited.is_none()
            && self.selection.audited.is_none();
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

    /// Selects the sample at a position, or the last one, and keeps in mind where one was.
    pub(super) fn jump_to(&mut self, position: usize) {
        let here = self.here();
        self.select(position);
        if self.here() != here {
            self.selection.before_jump = Some(here);
        }
    }

    /// Goes to a sample by its number, from 1, or to the nearest one shown, and says so where it is
    /// not there.
    pub(super) fn go_to(&mut self, number: usize) {
        if self.selection.audited.is_some() {
            // An audit counts its own.
            self.jump_to(number.saturating_sub(1));
            return;
        }
        let samples = self.data.dataset.samples();
        let wanted = number.saturating_sub(1);
        let Some(position) = self.shown().nearest(wanted) else {
            return;
        };
        self.jump_to(position);
        if number <= samples {
            if self.selection.selected != wanted && number > 0 {
                self.tell_nearest(wanted);
            }
            return;
        }
        let all = grouped(samples);
        let words = match self.data.loading {
            Loading::Done if self.shown().len() < samples => {
                format!("There are {all} samples; this is the last one shown.")
            }
            Loading::Done => format!("There are {all} samples; this is the last."),
            Loading::UnderWay { .. } => {
                self.data.awaited = Some(wanted);
                let number = grouped(number);
                format!("Sample {number} is not loaded yet; it will be shown when it is.")
            }
        };
        self.say(words);
    }

    /// Goes to the last sample; while loading goes on, to each that becomes the last, until the
    /// person moves.
    pub(super) fn go_to_end(&mut self) {
        self.jump_to(usize::MAX);
        if self.data.loading != Loading::Done || self.data.is_followed {
            self.selection.following = true;
            self.say(END_SO_FAR);
        }
    }

    /// Selects the sample at a position, or the last one.
    pub(super) fn select(&mut self, position: usize) {
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

    /// Selects the sample at a position; where there is none, that from before is remembered.
    pub(super) fn put_at(&mut self, position: usize) {
        self.selection.position = position;
        if let Some(sample) = self.shown().sample(position) {
            self.selection.selected = sample;
        }
    }

    pub(super) fn follow(&mut self) {
        let (height, samples) = (self.list_height(), self.shown().len());
        // A list that is not on screen is brought up to date when it comes back.
        if height > 0 {
            self.list.follow(self.selection.position, height, samples);
        }
    }

    /// Goes back to where one was before the last jump, which is one as well; where that sample is
    /// not shown, to the nearest.
    pub(super) fn jump_back(&mut self) {
        let Some(origin) = self.selection.before_jump else {
            self.say("There is no jump to come back from.");
            return;
        };
        let shown = self.shown();
        let is_there = |position: &usize| shown.sample(*position) == Some(origin.sample);
        let position = origin.position.filter(is_there);
        let Some(position) = position.or_else(|| shown.nearest(origin.sample)) else {
            return;
        };
        self.jump_to(position);
        // An audit does not tell where its samples stand.
        if self.selection.selected != origin.sample && self.selection.audited.is_none() {
            self.tell_nearest(origin.sample);
        }
    }

    /// Tells that another sample is selected than the wanted one, numbers from 0.
    fn tell_nearest(&mut self, wanted: usize) {
        self.say(format!(
            "Sample {} is not among those shown; {} is the nearest.",
            grouped(wanted + 1),
            grouped(self.selection.selected + 1)
        ));
    }
}
