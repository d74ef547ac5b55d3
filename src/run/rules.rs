//! The rules of findings, those of the user among them.

use super::complain;
use super::home::Home;
use crate::findings::RuleSet;

/// The built-in rules and the user's own, where training keeps so many characters of a response;
/// what is wrong with the user's is added to `faults`.
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

/// The rules, where what is wrong with them is said at once.
pub(crate) fn rules_or_complain(max_len: Option<u32>) -> RuleSet {
    let mut faults = Vec::new();
    let rules = rules(max_len, &mut faults);
    faults.iter().for_each(|fault| complain(fault));
    rules
}
