//! Rules of what is suspicious: named queries with a sentence for people, read for the fields of a
//! dataset. Where they come from is no matter of the language.

use std::sync::Arc;

use super::ast::{Aggregate, ColumnId, Expr, Number, Query};
use super::catalog::{Catalog, is_name_sign};
use super::found_fields::FIELD;
use super::parse::{QueryError, parse};
use super::reveals::{depends_on_remarks, reveals_labels};
use super::terms::UNKNOWN_FIELD;
use super::words::TermPrefix;
use crate::table::{ColumnSource, Requirement};

/// What stands in a rule for the number of characters that training keeps of a response.
const MAX_LEN: &str = "{max-len}";

/// How bad it is if a rule is right: the greater the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look.
    Slight = 1,
    /// Likely a fault of the annotation.
    Likely = 2,
    /// It cannot be right as it is.
    Severe = 3,
}

impl Severity {
    /// All of them, the worst first.
    pub const ALL: [Self; 3] = [Self::Severe, Self::Likely, Self::Slight];

    /// 1 to 3.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// How a rule spells it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Slight => "slight",
            Self::Likely => "likely",
            Self::Severe => "severe",
        }
    }

    /// How many findings of each severity a suspicion is made of, the worst first; see [`Self::weight`].
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

    /// How much a finding adds to the suspicion of a sample: 1, 100 or 10,000, so that one that is
    /// worse weighs more than 99 that are less so, and the digits tell how many there are of each.
    pub const fn weight(self) -> u32 {
        match self {
            Self::Slight => 1,
            Self::Likely => 100,
            Self::Severe => 10_000,
        }
    }
}

/// A rule as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleDefinition {
    /// What `finding:` calls it: letters, digits, `_`, `.` and `-`.
    pub name: Arc<str>,
    /// What it means where it fires, for people, without a full stop.
    pub sentence: Arc<str>,
    /// How bad it is.
    pub severity: Severity,
    /// What fires it, in the filter language.
    pub query: Arc<str>,
    /// The schemas whose samples it looks at, by name; of all where there is none.
    pub schemas: Vec<String>,
}

/// A rule that can be asked of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingRule {
    /// As it was written.
    pub definition: RuleDefinition,
    pub(super) filter: Expr,
    /// Whether it tells of what a blind reviewer must not know.
    pub reveals_labels: bool,
    /// Whether it asks for rows that were read leniently or not at all: reading one again tells why.
    pub asks_how_rows_were_read: bool,
    /// Whether it can hold for nothing: it asks that a winner is no better by the label that decides.
    pub contradicts_outcome: bool,
}

/// The rules that there are for a dataset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindingRules {
    /// Those that can be asked, the worst first and then by name.
    pub rules: Vec<Arc<FindingRule>>,
    /// The others, and why not.
    pub others: Vec<(RuleDefinition, String)>,
}

impl FindingRules {
    /// Whether a word is the name of a rule and no ordinary word.
    pub(super) fn names_rule(&self, word: &str) -> bool {
        let rules = self.rules.iter().map(|rule| &rule.definition);
        let mut rules = rules.chain(self.others.iter().map(|(rule, _)| rule));
        !word.chars().all(char::is_alphanumeric) && rules.any(|rule| *rule.name == *word)
    }
}

impl RuleDefinition {
    /// What is wrong with the query whatever the dataset, as far as that can be told without one: a
    /// field that no dataset is known to have is none of it.
    pub fn fault(&self) -> Option<QueryError> {
        let catalog = Catalog::default();
        // Any number reads as well as another.
        let query = &self.with_max_len(1).query;
        match parse(query, &catalog) {
            Ok(query) => refused(&query),
            Err(error) => (!is_unknown_field(query, &error)).then_some(error),
        }
    }

    /// The rule where training keeps so many characters of a response: `{max-len}` in its query and
    /// its sentence is that number.
    #[must_use]
    pub fn with_max_len(&self, characters: u32) -> Self {
        let number = characters.to_string();
        Self {
            sentence: self.sentence.replace(MAX_LEN, &number).into(),
            query: self.query.replace(MAX_LEN, &number).into(),
            ..self.clone()
        }
    }

    /// The rule for the fields of a dataset.
    fn read(&self, catalog: &Catalog) -> Result<FindingRule, String> {
        if !self.schemas.is_empty() && !self.schemas.iter().any(|name| catalog.has_schema(name)) {
            return Err(format!("it is for {} only", self.schemas.join(", ")));
        }
        if self.query.contains(MAX_LEN) {
            let how =
                "it needs to know how many characters of a response training keeps: --max-len N";
            return Err(how.to_owned());
        }
        let query = parse(&self.query, catalog).map_err(|error| {
            // That a field is not there is enough: which others there are is no help here.
            let why = error.message.split("; there are ").next();
            why.unwrap_or_default().to_owned()
        })?;
        if let Some(error) = refused(&query) {
            return Err(error.message);
        }
        let reveals_labels = reveals_labels(&query, catalog);
        let filter = query.filter.ok_or("it asks nothing")?;
        if let Some(lack) = lacks(&filter, catalog) {
            return Err(lack.to_owned());
        }
        Ok(FindingRule {
            definition: self.clone(),
            contradicts_outcome: filter.contradicts_outcome(catalog),
            asks_how_rows_were_read: asks_how_rows_were_read(&filter),
            filter,
            reveals_labels,
        })
    }
}

impl FindingRule {
    /// What `finding:` calls it.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// What it asks for that the files of a catalog do not have.
    pub fn lacks(&self, catalog: &Catalog) -> Option<&'static str> {
        lacks(&self.filter, catalog)
    }

    /// Whether samples of the schema of this name can have it.
    pub(super) fn is_for(&self, schema: &str) -> bool {
        let schemas = &self.definition.schemas;
        schemas.is_empty() || schemas.iter().any(|name| name == schema)
    }
}

impl FindingRules {
    /// The rules for the fields of a dataset as its schemas describe them; one that asks for
    /// `field.NAME` has all fields.
    pub fn of(definitions: &[RuleDefinition], described: &Catalog, all_fields: &Catalog) -> Self {
        let mut all = Self::default();
        for definition in definitions {
            let catalog = match definition.query.contains(FIELD) {
                true => all_fields,
                false => described,
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

/// Whether a filter asks for rows that were read leniently or not at all.
fn asks_how_rows_were_read(filter: &Expr) -> bool {
    let flags = ["is:flagged", "is:malformed"].map(ColumnId::named);
    let mut leaves = filter.leaves().into_iter();
    leaves.any(|leaf| matches!(leaf, Expr::Is(flag) if flags.contains(&Some(*flag))))
}

/// Whether a query asks how many rules fire.
pub(super) fn asks_for_findings(query: &Query) -> bool {
    let mut columns = query.columns().into_iter();
    columns.any(|column| matches!(column.source, ColumnSource::Findings(_)))
}

/// What a rule may not ask.
fn refused(query: &Query) -> Option<QueryError> {
    let message = if !query.sort.is_empty() {
        "a rule says what fires it, not an order: leave sort: out"
    } else if query.filter.is_none() {
        "a rule asks something: write what fires it"
    } else if depends_on_remarks(query) {
        "a rule cannot ask what reviewers said: leave marks, tags, notes and ratings out"
    } else if asks_for_findings(query) {
        "a rule cannot ask for other rules"
    } else {
        return None;
    };
    Some(QueryError::new(0..0, message))
}

/// Whether an error is that the catalog does not have a field of the name that is blamed.
fn is_unknown_field(query: &str, error: &QueryError) -> bool {
    let name = query.get(error.span.clone()).unwrap_or_default();
    name.chars().all(|sign| is_name_sign(sign) || sign == '.')
        && !name.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && TermPrefix::named(name).is_none()
        && error.message.starts_with(UNKNOWN_FIELD)
}

/// Why nothing holds for which the winner is no better by the label that decides.
pub const FOLLOWS_FROM_LABEL: &str = "who wins follows from this label here";

/// What an expression asks for that no file has.
fn lacks(expr: &Expr, catalog: &Catalog) -> Option<&'static str> {
    let mut leaves = expr.leaves().into_iter();
    leaves.find_map(|leaf| leaf.lacks(catalog))
}

impl Expr {
    /// What a term asks for that no file has.
    pub(super) fn lacks(&self, catalog: &Catalog) -> Option<&'static str> {
        if let Self::Cites(..) = self {
            return catalog.lacks(Requirement::Quotes);
        }
        let lacks = |column: ColumnId| {
            let is_alone = column.source.is_across_files() && !catalog.has_several_files();
            let alone = is_alone.then_some("one file alone is open");
            alone.or_else(|| catalog.lacks(column.requires))
        };
        self.columns().find_map(lacks)
    }

    /// Whether it can hold for nothing, since it asks that the winner is no better by the label that
    /// decides who wins.
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
        let best_value = match greater_wins {
            true => Aggregate::Max,
            false => Aggregate::Min,
        };
        let [left_value, right_value] = match (left.view, right.view) {
            (Aggregate::Winner, Aggregate::Loser) => [1.0, 0.0],
            (Aggregate::Loser, Aggregate::Winner) => [0.0, 1.0],
            // None has a better value than the winner.
            (Aggregate::Winner, best) | (best, Aggregate::Winner) if best == best_value => {
                [1.0, 1.0]
            }
            _ => return false,
        };
        let sign = if greater_wins { 1.0 } else { -1.0 };
        left.column == right.column && !comparison.holds(sign * left_value, sign * right_value)
    }

    /// The terms that it is made of, those of rules too.
    pub(super) fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().flat_map(Self::leaves).collect(),
            Self::Not(not) => not.leaves(),
            Self::Finding(rule) => rule.filter.leaves(),
            leaf => vec![leaf],
        }
    }

    /// The numbers that a term compares.
    pub(super) fn numbers(&self) -> Vec<&Number> {
        match self {
            Self::Compare { left, right, .. } => vec![left, right],
            Self::Number { of, .. } => vec![of],
            _ => Vec::new(),
        }
    }
}
