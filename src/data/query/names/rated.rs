//! Columns of reviewers' judgments: `rated.helpfulness`, `ann.helpfulness`, `disagrees:dataset`.
//!
//! A name has two parts, the raters and the label, and is split on lookup, so the columns of
//! thousands of reviewers are never listed.

use std::sync::Arc;

use super::catalog::{Catalog, CatalogColumn, CatalogReviewer, VERDICT};
use super::help::FieldHelp;
use crate::query::ast::{Aggregate, ColumnId, DisagreementScope, Expr, Field, Rater, Raters};
use crate::query::words::{self, idents, is_reserved, split_prefix};
use crate::table::{ColumnKind, ColumnSource};

/// Raters in a query.
const RATED: &str = "rated";
const SPREAD: &str = "spread.rated";
const MINE: &str = "mine";
const REVIEWER: &str = "reviewer.";

/// Names that need the prefix `reviewer.`, besides those of fields and aggregates.
const RESERVED: [&str; 6] = [RATED, MINE, "spread", "reviewer", DATASET, REVIEWERS];

/// Values of `disagrees:`.
const DATASET: &str = "dataset";
const REVIEWERS: &str = "reviewers";
/// Before a rater who differs from all others, who agree.
const ONLY: &str = "only.";

/// Most reviewers that a message or help lists.
const MAX_NAMED: usize = 8;

impl Catalog {
    /// Replaces the reviewers with judgments.
    pub fn set_reviewers(&mut self, names: &[Arc<str>]) {
        if self.reviewers.iter().map(|known| &known.name).eq(names) {
            return;
        }
        let idents = idents(names.iter().map(|name| &**name));
        let spelled = |ident: &String| {
            if self.is_reserved_for_reviewers(ident) {
                format!("{REVIEWER}{ident}")
            } else {
                ident.clone()
            }
        };
        let reviewers = names
            .iter()
            .zip(idents)
            .map(|(name, ident)| CatalogReviewer {
                name: Arc::clone(name),
                spelled: spelled(&ident),
                ident,
            });
        self.reviewers = reviewers.collect();
    }

    /// Returns the names of the reviewers with judgments.
    pub fn reviewer_names(&self) -> Vec<Arc<str>> {
        self.reviewers
            .iter()
            .map(|known| Arc::clone(&known.name))
            .collect()
    }

    /// True if a name before a dot has another meaning than the reviewer.
    fn is_reserved_for_reviewers(&self, ident: &str) -> bool {
        let lower = ident.to_lowercase();
        let begins = |name: &str| name.split('.').next() == Some(&*lower);
        is_reserved(&lower)
            || RESERVED.contains(&&*lower)
            || words::aggregate(&lower).is_some()
            || ColumnId::built_in().any(|column| begins(column.name))
            || self
                .described_columns()
                .any(|known| begins(&known.spelled.to_lowercase()))
    }

    /// Finds a reviewer by the name in the journal or in queries; in any case if unambiguous.
    pub fn reviewer(&self, typed: &str) -> Option<Arc<str>> {
        let typed = typed.strip_prefix(REVIEWER).unwrap_or(typed);
        let is_it = |known: &&CatalogReviewer| *known.name == *typed || known.ident == typed;
        if let Some(known) = self.reviewers.iter().find(is_it) {
            return Some(Arc::clone(&known.name));
        }
        let lower = typed.to_lowercase();
        let is_alike = |known: &&CatalogReviewer| {
            known.name.to_lowercase() == lower || known.ident.to_lowercase() == lower
        };
        let mut alike = self.reviewers.iter().filter(is_alike);
        match (alike.next(), alike.next()) {
            (Some(known), None) => Some(Arc::clone(&known.name)),
            _ => None,
        }
    }

    /// Iterates over the labels that reviewers can rate.
    fn rated_labels(&self) -> impl Iterator<Item = &CatalogColumn> {
        self.labels().iter().filter(|label| label.rating.is_some())
    }

    fn rater(&self, spelled: &str) -> Option<Rater> {
        match spelled.to_lowercase().as_str() {
            MINE => Some(Rater::Own),
            // An ambiguous name needs the prefix.
            lower if !lower.starts_with(REVIEWER) && self.is_reserved_for_reviewers(lower) => None,
            lower => {
                let is_after = lower.starts_with(REVIEWER);
                let name = if is_after {
                    &spelled[REVIEWER.len()..]
                } else {
                    spelled
                };
                self.reviewer(name).map(Rater::Named)
            }
        }
    }

    /// Finds a column of judgments.
    pub(super) fn find_rated(&self, spelled: &str) -> Option<ColumnId> {
        let (whose, what) = spelled.rsplit_once('.')?;
        let raters = match whose.to_lowercase().as_str() {
            RATED => Raters::Mean,
            SPREAD => Raters::Spread,
            _ => Raters::One(self.rater(whose)?),
        };
        let of_label =
            |is_it: &dyn Fn(&str) -> bool| self.rated_labels().find(|label| is_it(&label.ident));
        let lower = what.to_lowercase();
        let label = of_label(&|ident| ident == what)
            .or_else(|| of_label(&|ident| ident.to_lowercase() == lower));
        match (label, raters) {
            (Some(label), raters) => {
                let source = ColumnSource::Rated(raters);
                Some(ColumnId::of(source, label.def.id.name))
            }
            (None, Raters::One(rater)) if lower == VERDICT => {
                Some(ColumnId::of(ColumnSource::RatedVerdict(rater), ""))
            }
            _ => None,
        }
    }

    /// Parses the word after `disagrees:`.
    pub(crate) fn disagreement(&self, spelled: &str) -> Option<Expr> {
        let lower = spelled.to_lowercase();
        let with = match (&*lower, lower.strip_prefix(ONLY)) {
            (DATASET, _) => DisagreementScope::Dataset,
            (REVIEWERS, _) => DisagreementScope::Reviewers,
            (_, Some(DATASET)) => DisagreementScope::Only(None),
            (_, Some(_)) => DisagreementScope::Only(Some(self.rater(&spelled[ONLY.len()..])?)),
            _ => DisagreementScope::With(self.rater(spelled)?),
        };
        Some(Expr::Is(Field::of(ColumnId::of(
            ColumnSource::Disagreement(with),
            "",
        ))))
    }

    /// Lists the words after `disagrees:` with their meanings.
    pub(super) fn disagreements(&self) -> Vec<(String, String)> {
        let fixed = [
            (DATASET, "a reviewer's judgment differs from the dataset's"),
            (REVIEWERS, "the judgments of two reviewers differ"),
            (MINE, "another reviewer's judgment differs from yours"),
            (
                "only.dataset",
                "all reviewers agree and differ from the dataset; likewise only.ann",
            ),
        ];
        self.with_reviewers(fixed, |name| {
            format!("another reviewer's judgment differs from {name}'s")
        })
    }

    /// Lists the raters in queries with their meanings.
    pub(super) fn raters(&self) -> Vec<(String, String)> {
        let fixed = [
            (RATED, "the mean of the reviewers' ratings"),
            (SPREAD, "the greatest rating of reviewers minus the least"),
            (MINE, "your rating"),
        ];
        self.with_reviewers(fixed, |name| format!("{name}'s rating"))
    }

    /// Appends the reviewers to fixed words.
    fn with_reviewers<const N: usize>(
        &self,
        fixed: [(&str, &str); N],
        about: impl Fn(&str) -> String,
    ) -> Vec<(String, String)> {
        let fixed = fixed.map(|(word, about)| (word.to_owned(), about.to_owned()));
        let named = self
            .reviewers
            .iter()
            .map(|known| (known.spelled.clone(), about(&known.name)));
        fixed.into_iter().chain(named).collect()
    }

    /// Lists the columns of judgments that begin with `typed`; before it names a rater, lists the
    /// raters.
    pub(crate) fn rated_fields(&self, typed: &str) -> Vec<FieldHelp> {
        let lower = typed.to_lowercase();
        let raters = self
            .raters()
            .into_iter()
            .map(|(word, about)| (format!("{word}."), about));
        let (whole, open): (Vec<_>, Vec<_>) =
            raters.partition(|(word, _)| lower.starts_with(&word.to_lowercase()));
        let mut fields = Vec::new();
        for (word, about) in whole {
            for label in self.rated_labels() {
                let [low, high] = label.rating.unwrap_or_default();
                fields.push(FieldHelp {
                    name: format!("{word}{}", label.ident),
                    kind: ColumnKind::Label,
                    range: format!("{low} to {high}"),
                    about: about.clone(),
                    is_of_responses: true,
                });
            }
            if self.find_rated(&format!("{word}{VERDICT}")).is_some() {
                fields.push(FieldHelp {
                    name: format!("{word}{VERDICT}"),
                    kind: ColumnKind::Word,
                    range: words::enumerated(&words::verdicts(self.responses())),
                    about: "the winner by that judgment".to_owned(),
                    is_of_responses: false,
                });
            }
        }
        let has_labels = self.rated_labels().next().is_some();
        let begun = open.into_iter().filter(|_| has_labels);
        fields.extend(begun.map(|(word, about)| FieldHelp {
            name: word,
            kind: ColumnKind::Label,
            range: String::new(),
            about: format!("and a label: {about}"),
            is_of_responses: true,
        }));
        fields
    }

    /// Returns the help on columns of judgments.
    pub(super) fn rated_help(&self) -> Vec<(String, String)> {
        let Some(label) = self.rated_labels().next() else {
            return Vec::new();
        };
        let fields = self
            .raters()
            .into_iter()
            .take(3 + MAX_NAMED)
            .map(|(word, about)| (format!("{word}.{}", label.ident), about));
        let disagreeing = self.disagreements().into_iter().take(3 + MAX_NAMED);
        let verdict = (
            format!("{MINE}.{VERDICT}=a"),
            "your verdict is A; likewise for other reviewers".to_owned(),
        );
        let terms = disagreeing.map(|(word, about)| (format!("disagrees:{word}"), about));
        fields.chain([verdict]).chain(terms).collect()
    }

    pub(super) fn spell_rater(&self, rater: &Rater) -> String {
        let Rater::Named(name) = rater else {
            return MINE.to_owned();
        };
        let known = self.reviewers.iter().find(|known| known.name == *name);
        known.map_or_else(
            || format!("{REVIEWER}{}", words::ident(name)),
            |known| known.spelled.clone(),
        )
    }

    /// Returns the name in a query of a label that reviewers rated.
    pub(super) fn spell_rated(&self, raters: &Raters, label: &str) -> String {
        let whose = match raters {
            Raters::Mean => RATED.to_owned(),
            Raters::Spread => SPREAD.to_owned(),
            Raters::One(rater) => self.spell_rater(rater),
        };
        let label = self
            .labels()
            .iter()
            .find(|column| column.def.id.name == label)
            .map_or_else(|| words::ident(label), |it| it.ident.clone());
        format!("{whose}.{label}")
    }

    /// Returns the word after `disagrees:`.
    pub(super) fn spell_disagreeing(&self, with: &DisagreementScope) -> String {
        match with {
            DisagreementScope::Dataset => DATASET.to_owned(),
            DisagreementScope::Reviewers => REVIEWERS.to_owned(),
            DisagreementScope::With(rater) => self.spell_rater(rater),
            DisagreementScope::Only(None) => format!("{ONLY}{DATASET}"),
            DisagreementScope::Only(Some(rater)) => ONLY.to_owned() + &self.spell_rater(rater),
        }
    }

    /// Returns the least and greatest value of a label rated by reviewers.
    pub(crate) fn rated_range(&self, raters: &Raters, label: &str) -> Option<[f64; 2]> {
        let column = self
            .labels()
            .iter()
            .find(|column| column.def.id.name == label)?;
        let [low, high] = column.rating?.map(|end| end as f64);
        Some(match raters {
            Raters::Spread => [0.0, high - low],
            Raters::Mean | Raters::One(_) => [low, high],
        })
    }

    /// Returns the reviewer of a name that is formed like a reviewer's column, but has no reviewer
    /// in the journal.
    pub(crate) fn unknown_reviewer<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (whose, what) = name.rsplit_once('.')?;
        let is_label = self.rated_labels().any(|label| label.ident == what) || what == VERDICT;
        let (view, _) = split_prefix(name);
        let is_unknown = is_label && view == Aggregate::Same && self.rater(whose).is_none();
        is_unknown.then_some(whose)
    }
}
