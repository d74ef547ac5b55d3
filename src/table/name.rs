//! How one speaks of a column.

use std::sync::Arc;

use super::{BuiltIn, ColumnKind, Level, Reveals};

/// A described column, by reference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ColumnName {
    /// One that every dataset has.
    BuiltIn(BuiltIn),
    /// A label or score that schemas describe, by its name there.
    Label(String),
    /// A fact that schemas describe, by its name there.
    Fact(String),
    /// By how much A wins as a joined file has it, by the column's name.
    JoinedMargin(String),
    /// What reviewers gave as the value of a label, by the label's name.
    Rated(Raters, String),
    /// Who wins as one reviewer says.
    RatedVerdict(Rater),
    /// How far judgments of a sample are apart at most, in steps of a label; 1 where one says tie
    /// and the other not, 2 where both say that another response wins. Missing where no two of
    /// them are about the same thing.
    Disagreement(Disagreeing),
}

/// Of whose values a number is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Raters {
    /// The mean of what all reviewers gave.
    Mean,
    /// The greatest value minus the least, of two reviewers or more.
    Spread,
    /// What one gave.
    One(Rater),
}

/// One reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Rater {
    /// Whoever runs the program.
    Own,
    /// The one of this name in the journal.
    Named(Arc<str>),
}

/// Whose judgments are compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Disagreeing {
    /// Those of each reviewer with what the dataset says.
    Dataset,
    /// Those of all reviewers with each other.
    Reviewers,
    /// Those of one reviewer with those of each other one.
    With(Rater),
}

impl ColumnName {
    /// Where its values stand.
    pub fn level(&self) -> Level {
        match self {
            Self::BuiltIn(column) => column.def().level,
            Self::Label(_) | Self::Rated(..) => Level::Response,
            Self::Fact(_)
            | Self::JoinedMargin(_)
            | Self::RatedVerdict(_)
            | Self::Disagreement(_) => Level::Sample,
        }
    }

    /// Whether each response has its own value.
    pub fn is_of_responses(&self) -> bool {
        self.level() == Level::Response
    }

    /// Whether its values are counted or measured, and so have no bounds.
    pub fn is_counted(&self) -> bool {
        matches!(self, Self::BuiltIn(column) if column.def().kind == ColumnKind::Count)
    }

    /// What it tells a blind reviewer.
    pub fn reveals(&self) -> Reveals {
        match self {
            Self::BuiltIn(column) => column.def().reveals,
            // One's own values are known, but not of which response of the file they are.
            Self::Rated(Raters::One(Rater::Own), _) => Reveals::WhichResponse,
            // A fact can be the name of the model that wrote A.
            Self::Label(_)
            | Self::Fact(_)
            | Self::JoinedMargin(_)
            | Self::Rated(..)
            | Self::RatedVerdict(_)
            | Self::Disagreement(_) => Reveals::Label,
        }
    }

    /// Whether its values change with what reviewers do.
    pub const fn is_of_reviewers(&self) -> bool {
        match self {
            Self::Rated(..) | Self::RatedVerdict(_) | Self::Disagreement(_) => true,
            Self::BuiltIn(_) | Self::Label(_) | Self::Fact(_) | Self::JoinedMargin(_) => false,
        }
    }
}
