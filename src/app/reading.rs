//! What the screen needs, read and counted at once: one way for the screen, a printed frame and the
//! tests of the state.

use super::word_diff::DIFF_PATIENCE;
use super::{App, Charts, Effect, ListRow, Message, Page, PageDiff, PageHits, RecordPage};
use crate::dataset::Buffers;

impl App {
    /// Reads or counts in this thread what an effect asks for, and gives the message that answers
    /// it; `None` where it asks for something else, or where there is no such sample. It may read
    /// rows, so only `run` calls it, for what takes less than a frame, and tests do.
    pub fn read_now(&self, effect: &Effect, buffers: &mut Buffers) -> Option<Message> {
        match effect {
            Effect::Page(key) => {
                let page = Page::build(self.dataset(), key.clone())?;
                Some(Message::Page(Box::new(page)))
            }
            Effect::PageHits(key) => {
                let found = PageHits::find(&*self.shared_page()?, key.terms.clone(), &|| true)?;
                Some(Message::PageHits(Box::new(found)))
            }
            Effect::WordDiff(_) => {
                let found = PageDiff::find(&*self.shared_page()?, DIFF_PATIENCE, &|| true)?;
                Some(Message::WordDiff(Box::new(found)))
            }
            Effect::ListRows(samples) => {
                let columns = self.columns();
                let read = |&sample: &usize| {
                    ListRow::read(
                        self.dataset(),
                        &self.review.remarks,
                        sample,
                        &columns,
                        buffers,
                    )
                };
                let rows = samples.iter().filter_map(read).collect();
                Some(Message::ListRows(self.generation(), rows))
            }
            Effect::Arrange(_) => {
                let (key, shown) = self.arrangement_job()?.arrange(&|| true)?;
                Some(Message::Arranged(key, shown))
            }
            Effect::Charts(key) => {
                let charts = Charts::count(self.dataset(), key.clone(), self.shown(), &|| true)?;
                Some(Message::Charts(Box::new(charts)))
            }
            Effect::Statistics(_) => {
                let (key, profile) = self.statistics_job().count(&|| true)?;
                Some(Message::Statistics(key, Box::new(profile)))
            }
            Effect::Findings(_) => {
                let (key, counts) = self.findings_job().count(&|| true)?;
                Some(Message::Findings(key, counts))
            }
            Effect::Record(key) => {
                let page = RecordPage::build_while(self.dataset(), key.clone(), &|| true)?;
                Some(Message::Record(Box::new(page)))
            }
            Effect::Agreement(number) => {
                let page = self.agreement_job().count(&|| true)?;
                Some(Message::Agreement(*number, page))
            }
            _ => None,
        }
    }
}
