//! Rules of findings as written: named queries with a sentence for users. Where they are stored does
//! not matter here.

use std::sync::Arc;

/// Placeholder in a rule for the number of characters that training keeps of a response.
pub(super) const MAX_LEN: &str = "{max-len}";

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

impl RuleDefinition {
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
}
