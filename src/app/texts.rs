//! The sentences that the program shows, one section per subject.

use crate::text::texts;

// Filters and search
pub(super) const NO_FILTER: &str = "No active filter.";
pub(super) const NO_FILTERED_SAMPLE: &str = "No sample matches the filter. Press f to change it.";
pub(super) const SEARCH_DROPPED: &str = "Dropped the search.";
texts! {
    no_search(key) = "No active search; press {key} to search.";
    filter_next(key, filter) = "Press {key} again to drop the filter {filter}.";
    search_dropped_filter_next(key, filter) = "Dropped the search. Press {key} again to drop the filter {filter}.";
    filter_dropped(filter, opens, earlier) = "Dropped the filter {filter}. Press {opens} {earlier} to restore it.";
    filter_invalid(error) = "Dropped the filter, which is no longer valid: {error}.";
    only_sorted(key) = "No active filter, only a sort order; press {key} to change it.";
    returns_to(key, page) = "Press {key} to return to the {page}.";
}

// Commands and the input line
pub(super) const WHOLE_NUMBER: &str = "expected a whole number of characters";
pub(super) const MAX_LEN_UNSET: &str =
    "Training length unset; :max-len N finds pairs that are equal in N characters.";
pub(super) const NOTHING_TO_SAVE: &str = "no active filter to save";
pub(super) const NAME_EXPECTED: &str = "expected a name, e.g. :save good and short";
pub(super) const NO_SUCH_FILTER: &str = "no saved filter of this name; :filters lists them";
pub(super) const NO_JOURNAL: &str =
    "Judgments last for this run only; pass --journal PATH to save them.";
texts! {
    no_arguments(command) = ":{command} takes no arguments";
    unknown_command(name, known) = "unknown command :{name}; use {known}, or a sample number";
    unknown_command_but(name, near) = "unknown command :{name}; did you mean :{near}?";
    max_len_set(characters) = "Pairs that are equal in the first {characters} characters are now findings.";
    no_saved_filters(kind) = "no saved filters for {kind}; :save NAME saves the active filter";
    no_such_filter_but(near) = "no saved filter of this name; did you mean {near}?";
    saved_filters_title(kind) = "saved filters for {kind}";
    filter_exists(name, query) = "{name} is already {query}; :save! {name} replaces it";
    saved_filter_invalid(name, error) = "Saved filter {name} is not valid for this data: {error}.";
    not_saved(acts, error) = "NOT SAVED, {acts} waiting: {error}";
    saving_to(path) = "Saving to {path}.";
    saved_as_you_go(path) = "Judgments are saved in {path} as you go; :export writes samples to a file.";
}

// Findings and spot checks
pub(super) const NO_SAMPLE_HAS: &str = "No sample matches this.";
pub(super) const NO_FILTERED_SAMPLE_HAS: &str = "None of the filtered samples matches this.";
pub(super) const QUEUE_END: &str = "End of the queue; continuing with the skipped samples.";
pub(super) const QUEUE_DONE: &str = "All samples of the queue are judged.";
texts! {
    not_judged_during_search(key) = "Not judged: a search is active ({key} drops it). Press again to judge outside the queue.";
    check_changed(before, now) = "Changed your check from {before} to {now}.";
}

// Layouts
pub(super) const SELECT_FIELD: &str = "This is a value; select a field.";
pub(super) const SELECT_VALUE: &str =
    "Select a value below the verdict field; w makes a field the verdict.";
pub(super) const CHOOSE_RESPONSES: &str =
    "Choose the response fields first, or one response and its prompt.";
pub(super) const NOT_A_RECORD_LIST: &str =
    "Only a list in a file of one JSON document can hold the records.";
pub(super) const RECORD_LIST: &str = "Its elements can be the records; press o to use them.";
pub(super) const RECORDS_IN_LIST: &str =
    " If the records are in a list of this document, select it and press o.";
pub(super) const BLIND_LAYOUT: &str = "The layout cannot be changed while you judge blind.";
pub(super) const MEANINGS: &str =
    "A letter sets the response that wins with this value, = a tie, - nothing.";
texts! {
    no_response(letter) = "The record has no response {letter}.";
    no_preview(list, error) = "No preview yet. Press r on a response field, p on the prompt.{list} {error}";
    several_layouts(file) = "The open files have different layouts; open {file} alone to change its layout.";
}
