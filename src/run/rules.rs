//! Loads the rules of findings, including the user's own.

use super::home::Home;
use super::print_stderr;
use crate::findings::RuleSet;

/// Returns the built-in rules and the user's own; adds faults in the latter to `faults`. `max_len`
/// is the number of characters of a response that training keeps.
pub(super) fn rules(max_len: Option<u32>, faults: &mut Vec<String>) -> RuleSet {
    let rules = match Home::of_user() {
        Some(home) => {
            let (rules, wrong) = RuleSet::with_folder(&home.config.join("findings"));
            faults.extend(wrong.iter().map(ToString::to_string));
            rules
        }
        None => RuleSet::default(),
    };
    rules.with_max_len(max_len)
}

/// Returns the rules and prints faults in them.
pub(crate) fn rules_with_warnings(max_len: Option<u32>) -> RuleSet {
    let mut faults = Vec::new();
    let rules = rules(max_len, &mut faults);
    faults.iter().for_each(|fault| print_stderr(fault));
    rules
}
