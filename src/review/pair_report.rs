//! Agreement of two reviewers in words, as Markdown.

use minijinja::context;

use super::count_grid::{AgreementPage, CountGrid};
use super::pair_agreement::PairAgreement;
use super::report::{labels_context, safe};
use super::template::render;

impl PairAgreement {
    /// As Markdown: a section under a second heading, with third ones in it.
    pub fn markdown(&self) -> String {
        self.text(&mut None)
    }

    /// The same text for a screen, where matrices are grids that one goes about in.
    pub fn page(&self) -> AgreementPage {
        AgreementPage::of(|grids| self.text(grids))
    }

    fn text(&self, grids: &mut Option<Vec<CountGrid>>) -> String {
        let [one, other] = self.reviewers.each_ref().map(safe);
        let labels = labels_context(&self.labels, self.names(), grids);
        let verdict = self.verdict.as_ref();
        let verdict = verdict.map(|verdict| verdict.context(self.names(), grids));
        let context = context! {
            one,
            other,
            samples => self.samples,
            gone => self.gone,
            draws => self.draws,
            differing => self.differing.len(),
            labels,
            verdict,
        };
        render("pair.md", context)
    }

    fn names(&self) -> [&str; 2] {
        self.reviewers.each_ref().map(|name| &**name)
    }
}
