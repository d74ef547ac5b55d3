//! Parser of the rules of findings, for the fields of a dataset.

use std::sync::Arc;

use super::parse::{QueryError, parse};
use crate::query::ast::{
    Aggregate, ColumnId, Expr, FindingRule, FindingRules, Number, Query, TextTarget,
    asks_for_findings, depends_on_remarks,
};
use crate::query::names::catalog::{Catalog, FIELD};
use crate::query::names::reveals::reveals_labels;
use crate::query::rule::{MAX_LEN, RuleDefinition};
use crate::query::texts;
use crate::query::words::{TermPrefix, is_name_sign};

impl Catalog {
    /// Adds the rules of findings that these fields allow.
    #[must_use]
    pub fn with_rules(mut self, definitions: &[RuleDefinition]) -> Self {
        // Rules are parsed whenever a file is opened; reading its records for that is too slow.
        let mut described = self.clone();
        described.hides_found = true;
        self.rules = Arc::new(FindingRules::of(definitions, &described, &self));
        self
    }
}

impl RuleDefinition {
    /// Returns the error in the rule's query that occurs with any dataset. Unknown fields are not
    /// errors here.
    pub fn fault(&self) -> Option<QueryError> {
        let catalog = Catalog::default();
        // Any number will do.
        let query = &self.with_max_len(1).query;
        match parse(query, &catalog) {
            Ok(query) => rule_fault(&query),
            Err(error) => (!is_unknown_field(query, &error)).then_some(error),
        }
    }

    /// Parses the rule for the fields of a dataset.
    fn read(&self, catalog: &Catalog) -> Result<FindingRule, String> {
        if !self.schemas.is_empty()
            && !self
                .schemas
                .iter()
                .any(|name| catalog.schemas.contains(name))
        {
            return Err(texts::rule_of_schemas(self.schemas.join(", ")));
        }
        if self.query.contains(MAX_LEN) {
            return Err(texts::RULE_NEEDS_MAX_LEN.to_owned());
        }
        let query = parse(&self.query, catalog).map_err(|error| {
            // The list of known fields does not help here.
            error
                .message
                .split(texts::KNOWN_FIELDS)
                .next()
                .unwrap_or_default()
                .to_owned()
        })?;
        if let Some(error) = rule_fault(&query) {
            return Err(error.message);
        }
        let is_bare =
            |leaf: &&Expr| matches!(leaf, Expr::Text(it) if it.part == TextTarget::Anywhere);
        // A bare text finds rationales.
        let reveals_labels = reveals_labels(&query, catalog) || query.leaves().iter().any(is_bare);
        let filter = query.filter.ok_or(texts::RULE_IS_EMPTY)?;
        let asks_how_rows_were_read = asks_how_rows_were_read(&filter);
        let rule = FindingRule {
            definition: self.clone(),
            contradicts_outcome: filter.contradicts_outcome(catalog),
            asks_how_rows_were_read,
            filter,
            // The reason may name a label.
            reveals_labels: reveals_labels || asks_how_rows_were_read,
        };
        match rule.lacks(catalog) {
            Some(lack) => Err(lack.to_owned()),
            None => Ok(rule),
        }
    }
}

impl FindingRule {
    /// Names the data that the rule needs and no file has.
    pub fn lacks(&self, catalog: &Catalog) -> Option<&'static str> {
        let mut leaves = self.filter.leaves().into_iter();
        leaves.find_map(|leaf| leaf.lacks(catalog))
    }
}

impl FindingRules {
    /// Parses rules for the fields that schemas describe; rules with `field.NAME` may use all
    /// fields.
    pub fn of(definitions: &[RuleDefinition], described: &Catalog, all_fields: &Catalog) -> Self {
        let mut all = Self::default();
        for definition in definitions {
            let catalog = if definition.query.contains(FIELD) {
                all_fields
            } else {
                described
            };
            match definition.read(catalog) {
                Ok(rule) => all.rules.push(Arc::new(rule)),
                Err(why) => all.others.push((definition.clone(), why)),
            }
        }
        all.rules.sort_by(|a, b| {
            let (a, b) = (&a.definition, &b.definition);
            b.severity
                .cmp(&a.severity)
                .then_with(|| a.name.cmp(&b.name))
        });
        all
    }
}

/// True if a filter finds rows that were repaired or malformed.
fn asks_how_rows_were_read(filter: &Expr) -> bool {
    let flags = ["is:flagged", "is:malformed"].map(ColumnId::named);
    filter
        .leaves()
        .into_iter()
        .any(|leaf| matches!(leaf, Expr::Is(of) if flags.contains(&Some(of.column))))
}

/// Returns the reason if a query cannot be a rule.
fn rule_fault(query: &Query) -> Option<QueryError> {
    let message = if !query.sort.is_empty() {
        texts::RULE_SORTS
    } else if query.filter.is_none() {
        texts::RULE_IS_EMPTY
    } else if depends_on_remarks(query) {
        texts::RULE_ASKS_REVIEWERS
    } else if asks_for_findings(query) {
        texts::RULE_ASKS_RULES
    } else {
        return None;
    };
    Some(QueryError::new(0..0, message))
}

/// True if an error is only that the catalog lacks a field.
fn is_unknown_field(query: &str, error: &QueryError) -> bool {
    let name = query.get(error.span.clone()).unwrap_or_default();
    name.chars().all(|sign| is_name_sign(sign) || sign == '.')
        && !name.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && TermPrefix::named(name).is_none()
        && error.message.starts_with(texts::UNKNOWN_FIELD)
}

impl Expr {
    /// Names the data that a term needs and no file has.
    pub(super) fn lacks(&self, catalog: &Catalog) -> Option<&'static str> {
        let lacks = |column: ColumnId| {
            let is_alone = column.source.is_across_files() && !catalog.has_several_files;
            is_alone
                .then_some(texts::ONE_FILE)
                .or_else(|| catalog.lacks(column.requires))
        };
        self.columns().find_map(lacks)
    }

    /// True if no sample can match, because the term requires a winner that is no better by the
    /// deciding label.
    pub(super) fn contradicts_outcome(&self, catalog: &Catalog) -> bool {
        let (left, comparison, right) = match self {
            Self::And(all) => return all.iter().any(|one| one.contradicts_outcome(catalog)),
            Self::Or(any) => return any.iter().all(|one| one.contradicts_outcome(catalog)),
            Self::Compare {
                left: Number::Field(left),
                comparison,
                right: Number::Field(right),
            } => (left, comparison, right),
            _ => return false,
        };
        let Some(greater_wins) = catalog.greater_wins(left.column) else {
            return false;
        };
        let best_value = if greater_wins {
            Aggregate::Max
        } else {
            Aggregate::Min
        };
        let [left_value, right_value] = match (left.view, right.view) {
            (Aggregate::Winner, Aggregate::Loser) => [1.0, 0.0],
            (Aggregate::Loser, Aggregate::Winner) => [0.0, 1.0],
            // No response has a better value than the winner.
            (Aggregate::Winner, best) | (best, Aggregate::Winner) if best == best_value => {
                [1.0, 1.0]
            }
            _ => return false,
        };
        let sign = if greater_wins { 1.0 } else { -1.0 };
        left.column == right.column && !comparison.holds(sign * left_value, sign * right_value)
    }
}
