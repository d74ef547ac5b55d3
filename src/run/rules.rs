//! The rules of findings, those of the user among them.

use super::complain;
use super::home::Home;
use crate::findings::RuleSet;

/// The built-in rules and the user's own; what is wrong with those is added to `faults`.
pub(super) fn rules(faults: &mut Vec<String>) -> RuleSet {
    let Some(home) = Home::of_user() else {
        return RuleSet::default();
    };
    let (rules, wrong) = RuleSet::with_folder(&home.config.join("findings"));
    faults.extend(wrong.iter().map(ToString::to_string));
    rules
}

/// The rules, where what is wrong with them is said at once.
pub(super) fn rules_or_complain() -> RuleSet {
    let mut faults = Vec::new();
    let rules = rules(&mut faults);
    faults.iter().for_each(|fault| complain(fault));
    rules
}
