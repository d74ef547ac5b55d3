//! Syntax highlighting of the code on the page. A background job computes it for a page already on
//! screen; it is applied when the text is drawn.

use std::ops::Range;

use super::page::{Page, PageKey};
use super::pane_text::{PaneText, SectionBytes, touching};
use super::{Browser, Pane};
use crate::parallel::KeepGoing;
use crate::text::TextStyle;

/// The styles of the code on a page.
#[derive(Debug)]
pub struct PageSyntax {
    /// The page.
    pub key: PageKey,
    /// Code bytes by [`Pane::index`], in reading order.
    places: [Vec<SectionBytes>; Pane::ALL.len()],
    /// The style of each of these byte ranges.
    styles: [Vec<TextStyle>; Pane::ALL.len()],
}

impl PageSyntax {
    /// Highlights the code of a page. Returns `None` if cancelled.
    pub fn find(page: &Page, keep_going: &dyn KeepGoing) -> Option<Self> {
        let mut found = Self {
            key: page.key.clone(),
            places: Default::default(),
            styles: Default::default(),
        };
        for pane in Pane::ALL {
            let sections = page.stack(pane).map_or(&[][..], PaneText::sections);
            for (number, section) in sections.iter().enumerate() {
                for run in section.block.syntax(keep_going)? {
                    let range = section.block.whole_graphemes(run.range);
                    found.places[pane.index()].push((number, range));
                    found.styles[pane.index()].push(run.style);
                }
            }
        }
        Some(found)
    }
}

impl Browser {
    /// Returns the page whose code must be highlighted.
    pub(super) fn syntax_needed(&self) -> Option<PageKey> {
        let page = self.laid_page().filter(|page| page.has_code)?;
        let is_known = (self.open.syntax.as_ref()).is_some_and(|found| found.key == page.key);
        (!is_known).then(|| page.key.clone())
    }

    /// Stores the styles of a page.
    pub(super) fn take_syntax(&mut self, found: PageSyntax) {
        if self.syntax_needed().as_ref() == Some(&found.key) {
            self.open.syntax = Some(found);
        }
    }

    /// Returns the styles of code that overlap some bytes of a section. Empty while responses are
    /// compared, because colours then mean differences.
    pub(super) fn syntax_over(
        &self,
        pane: Pane,
        section: usize,
        bytes: &Range<usize>,
    ) -> Vec<(Range<usize>, TextStyle)> {
        let page = self.open.page.as_ref().filter(|_| !self.diff.is_on);
        let found = self.open.syntax.as_ref();
        let Some(found) = found.filter(|found| page.is_some_and(|page| page.key == found.key))
        else {
            return Vec::new();
        };
        let (places, styles) = (&found.places[pane.index()], &found.styles[pane.index()]);
        let touched = touching(places, section, bytes);
        touched
            .map(|at| (places[at].1.clone(), styles[at]))
            .collect()
    }
}
