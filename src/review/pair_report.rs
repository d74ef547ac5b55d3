//! Agreement of two reviewers in words, as Markdown.

use minijinja::{Value, context};

use super::count_grid::{AgreementPage, CountGrid};
use super::pair_agreement::PairAgreement;
use super::report::{Counts, FigureTable, VERDICT, safe};
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
        let labels = self.labels_context(grids);
        let verdict = self.verdict_context(grids);
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

    fn labels_context(&self, grids: &mut Option<Vec<CountGrid>>) -> Value {
        let mut table = FigureTable::default();
        for label in &self.labels {
            let (name, reasons) = (safe(&label.name), &mut table.reasons);
            let [kappa, sure] = reasons.figure(&label.kappa, &name);
            let [equal, equal_sure] = reasons.figure(&label.equal, &name);
            let difference = reasons.value(&label.difference, &name);
            let n = label.confusion.total().to_string();
            table
                .rows
                .push(vec![name, n, kappa, sure, equal, equal_sure, difference]);
        }
        let confusions = Counts::of_labels(&self.labels, self.names(), grids);
        context! { table => table.value(), confusions }
    }

    fn verdict_context(&self, grids: &mut Option<Vec<CountGrid>>) -> Option<Value> {
        let verdict = self.verdict.as_ref()?;
        let mut table = FigureTable::default();
        let [equal, equal_sure] = table.reasons.figure(&verdict.equal, VERDICT);
        let [kappa, sure] = table.reasons.figure(&verdict.kappa, VERDICT);
        let n = verdict.n.to_string();
        table.rows.push(vec![n, equal, equal_sure, kappa, sure]);
        let confusion = Counts::of_verdicts(&verdict.confusion, self.names()).context(grids);
        let several = verdict.several;
        Some(context! { table => table.value(), confusion, several })
    }
}
