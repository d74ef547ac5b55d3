//! Rules of findings: named queries with a sentence for users, parsed for the fields of a dataset.
//! Where rules are stored does not matter here.

use std::sync::Arc;

use super::ast::{Aggregate, ColumnId, Expr, Number, Query, TextTarget};
use super::catalog::Catalog;
use super::found_fields::FIELD;
use super::parse::{QueryError, parse};
use super::reveals::{depends_on_remarks, reveals_labels};
use super::texts;
use super::words::{TermPrefix, is_name_sign};
use crate::table::ColumnSource;

/// Placeholder in a rule for the number of characters that training keeps of a response.
const MAX_LEN: &str = "{max-len}";

/// How serious a finding is; greater is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look.
    Slight = 1,
    /// Likely a fault of the annotation.
    Likely = 2,
    /// Cannot be right.
    Severe = 3,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Self; 3] = [Self::Severe, Self::Likely, Self::Slight];

    /// 1 to 3.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The word in a rule.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Slight => "slight",
            Self::Likely => "likely",
            Self::Severe => "severe",
        }
    }

    /// Splits a suspicion into its number of findings per severity, the worst first; see
    /// [`Self::weight`].
    pub fn counts(suspicion: u32) -> impl Iterator<Item = (Self, u32)> {
        let counts = Self::ALL.into_iter().map(move |severity| {
            let count = suspicion / severity.weight();
            let most = if severity == Self::Severe {
                u32::MAX
            } else {
                100
            };
            (severity, count % most)
        });
        counts.filter(|(_, count)| *count > 0)
    }

    /// The points that a finding adds to the suspicion of a sample: 1, 100 or 10,000. One finding
    /// outweighs 99 less severe ones, and the digits give the count of each severity.
    pub const fn weight(self) -> u32 {
        match self {
            Self::Slight => 1,
            Self::Likely => 100,
            Self::Severe => 10_000,
        }
    }
}

/// A rule as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleDefinition {
    /// The name in `finding:`: letters, digits, `_`, `.` and `-`.
    pub name: Arc<str>,
    /// What a finding means, for users, without a full stop.
    pub sentence: Arc<str>,
    /// How bad a finding is.
    pub severity: Severity,
    /// The query that fires it.
    pub query: Arc<str>,
    /// Names of the schemas that it applies to; empty for all.
    pub schemas: Vec<String>,
}

/// A rule that applies to a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingRule {
    /// The rule as written.
    pub definition: RuleDefinition,
    pub(super) filter: Expr,
    /// True if it depends on what a blind reviewer must not know.
    pub reveals_labels: bool,
    /// True if it finds rows that were repaired or malformed; reading such a row again shows the
    /// reason.
    pub asks_how_rows_were_read: bool,
    /// True if it can never fire, because it requires a winner that is no better by the deciding
    /// label.
    pub contradicts_outcome: bool,
}

/// The rules of a dataset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindingRules {
    /// Rules that apply, the worst first, then by name.
    pub rules: Vec<Arc<FindingRule>>,
    /// Rules that do not apply, with the reason.
    pub others: Vec<(RuleDefinition, String)>,
}

impl FindingRules {
    /// True if a word is the name of a rule and not an ordinary word.
    pub(super) fn names_rule(&self, word: &str) -> bool {
        let mut rules = self
            .rules
            .iter()
            .map(|rule| &rule.definition)
            .chain(self.others.iter().map(|(rule, _)| rule));
        !word.chars().all(char::is_alphanumeric) && rules.any(|rule| *rule.name == *word)
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

    /// Replaces `{max-len}` in the query and the sentence by a number of characters.
    #[must_use]
    pub fn with_max_len(&self, characters: u32) -> Self {
        let number = characters.to_string();
        Self {
            sentence: self.sentence.replace(MAX_LEN, &number).into(),
            query: self.query.replace(MAX_LEN, &number).into(),
            ..self.clone()
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
        if let Some(lack) = lacks(&filter, catalog) {
            return Err(lack.to_owned());
        }
        let asks_how_rows_were_read = asks_how_rows_were_read(&filter);
        Ok(FindingRule {
            definition: self.clone(),
            contradicts_outcome: filter.contradicts_outcome(catalog),
            asks_how_rows_were_read,
            filter,
            // The reason may name a label.
            reveals_labels: reveals_labels || asks_how_rows_were_read,
        })
    }
}

impl FindingRule {
    /// The name in `finding:`.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Names the data that the rule needs and no file has.
    pub fn lacks(&self, catalog: &Catalog) -> Option<&'static str> {
        lacks(&self.filter, catalog)
    }

    /// True if the rule applies to samples of a schema.
    pub(super) fn is_for(&self, schema: &str) -> bool {
        let schemas = &self.definition.schemas;
        schemas.is_empty() || schemas.iter().any(|name| name == schema)
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

/// True if a query uses the number of findings.
pub(super) fn asks_for_findings(query: &Query) -> bool {
    query
        .columns()
        .into_iter()
        .any(|column| matches!(column.source, ColumnSource::Findings(_)))
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

/// Names the data that an expression needs and no file has.
fn lacks(expr: &Expr, catalog: &Catalog) -> Option<&'static str> {
    expr.leaves()
        .into_iter()
        .find_map(|leaf| leaf.lacks(catalog))
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

    /// Lists the terms, including those of rules.
    pub(super) fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().flat_map(Self::leaves).collect(),
            Self::Not(not) => not.leaves(),
            Self::Finding(rule) => rule.filter.leaves(),
            leaf => vec![leaf],
        }
    }

    /// Lists the numbers that a term compares.
    pub(super) fn numbers(&self) -> Vec<&Number> {
        match self {
            Self::Compare { left, right, .. } => vec![left, right],
            Self::Number { of, .. } => vec![of],
            _ => Vec::new(),
        }
    }
}
