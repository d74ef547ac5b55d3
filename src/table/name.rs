//! How one speaks of a column.

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
}

impl ColumnName {
    /// Where its values stand.
    pub fn level(&self) -> Level {
        match self {
            Self::BuiltIn(column) => column.def().level,
            Self::Label(_) => Level::Response,
            Self::Fact(_) | Self::JoinedMargin(_) => Level::Sample,
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
            // A fact can be the name of the model that wrote A.
            Self::Label(_) | Self::Fact(_) | Self::JoinedMargin(_) => Reveals::Label,
        }
    }
}
