//! Adjudication: a third reviewer judges samples on which two others disagree, without seeing their
//! judgments.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::{Browser, Loading, Review, Views, texts};
use super::FollowUp;
use crate::dataset::SampleKey;
use crate::journal::{Act, Audit};
use crate::query::SampleJudgment;
use crate::review::{adjudication, pair_agreement};
use crate::text::counted;

impl Review {
    /// Runs `:adjudicate ann ben`: continues with the samples on which two reviewers disagree, or
    /// begins with the greatest disagreement.
    ///
    /// # Errors
    /// If these are not two other reviewers of the journal, or nothing remains to judge.
    pub(crate) fn adjudicate(
        &mut self,
        arguments: &str,
        browser: &mut Browser,
        views: &mut Views,
    ) -> Result<(), String> {
        if self.running.is_some() {
            return Err(texts::AUDIT_ACTIVE.to_owned());
        }
        if browser.data.loading != Loading::Done || !self.unplaced.is_empty() {
            return Err(texts::STILL_LOADING.to_owned());
        }
        let two = self.adjudicated(arguments, browser)?;
        let between = |session: &&Audit| {
            let names = session.audit.between.as_ref();
            names.is_some_and(|names| two.iter().all(|name| names.contains(name)))
                && session.reviewer == self.reviewer
        };
        let sessions: Vec<Audit> = self.ledger.sessions().filter(between).cloned().collect();
        let open = |session: &&Audit| !self.progress(session, browser).is_finished();
        if let Some(session) = sessions.iter().rev().find(open) {
            self.begin(&session.id.clone(), browser, views);
            return Ok(());
        }
        let [one, other] = &two;
        let dataset = &browser.data.dataset;
        let pair = pair_agreement(
            &self.ledger,
            &self.places,
            dataset,
            [one, other],
            false,
            &|| true,
        );
        let asked = sessions
            .iter()
            .flat_map(|session| session.audit.queue.iter());
        let known: HashSet<SampleKey> = asked.map(|item| item.sample_ref.sample).collect();
        let seed = self.free_seed();
        let plan = pair
            .as_ref()
            .and_then(|pair| adjudication(pair, dataset, &known, seed));
        match (plan, sessions.last()) {
            (Some(plan), _) => {
                browser.record_of(None, Act::Audit(Arc::new(plan)), FollowUp::Stay);
                Ok(())
            }
            // Everything is judged, so the result is shown.
            (None, Some(session)) => {
                self.begin(&session.id.clone(), browser, views);
                Ok(())
            }
            (None, None) => {
                let common = counted(pair.map_or(0, |pair| pair.samples), "sample");
                Err(texts::no_disagreement(one, other, common))
            }
        }
    }

    /// Parses the names of the two reviewers.
    fn adjudicated(&self, arguments: &str, browser: &Browser) -> Result<[Arc<str>; 2], String> {
        let names = browser.data.catalog.reviewer_names();
        let known = match names.as_slice() {
            [] => "no judgments yet".to_owned(),
            names => format!("known: {}", names.join(", ")),
        };
        let find = |word: &str| {
            let found = browser.data.catalog.reviewer(word);
            found.ok_or_else(|| format!("unknown reviewer {word} ({known})"))
        };
        let two: Vec<_> = arguments
            .split_whitespace()
            .map(find)
            .collect::<Result<_, _>>()?;
        let [one, other] = two.as_slice() else {
            return Err(texts::name_two(known));
        };
        if one == other {
            return Err(texts::same_reviewer(one, other, known));
        }
        if [one, other].contains(&&self.reviewer) {
            return Err(texts::third_reviewer(&self.reviewer));
        }
        Ok([Arc::clone(one), Arc::clone(other)])
    }

    /// Returns others' judgments of the selected sample, by screen letters; while labels are
    /// hidden, only after the reviewer's own judgment.
    pub fn judgments_of_others(&self, browser: &Browser) -> Vec<SampleJudgment> {
        let Some(key) = self
            .key(browser.selection.selected)
            .filter(|_| !self.mask(browser).hidden)
        else {
            return Vec::new();
        };
        let scope = super::ReviewScope {
            only: None,
            ..self.remark_scope(&browser.data.dataset)
        };
        let mut judgments = scope.sample_remark(key).judgments;
        judgments.retain(|judgment| judgment.reviewer != self.reviewer);
        let order = self.order(browser);
        for judgment in &mut judgments {
            let labels = judgment.labels.iter_mut();
            labels.for_each(|(_, response, _)| *response = order.shown(*response));
            judgment
                .labels
                .sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
            judgment.verdict = judgment.verdict.map(|of_file| order.shown_verdict(of_file));
        }
        judgments
    }
}
