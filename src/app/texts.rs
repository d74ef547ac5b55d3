//! The sentences that the program shows, one section per subject.

use crate::text::texts;

// Filters and search
texts! {
    NO_FILTER = "No active filter.";
    NO_FILTERED_SAMPLE = "No sample matches the filter. Press f to change it.";
    NO_SAMPLE_SHOWN = "No sample is shown.";
    no_sample_shown(key) = "No sample is shown; {key} drops the filter.";
    LOADING_STOPPED = "Stopped reading; the rows so far are kept.";
    SEARCH_DROPPED = "Dropped the search.";
    no_search(key) = "No active search; press {key} to search.";
    filter_next(key, filter) = "Press {key} again to drop the filter {filter}.";
    search_dropped_filter_next(key, filter) = "Dropped the search. Press {key} again to drop the filter {filter}.";
    filter_dropped(filter, opens, earlier) = "Dropped the filter {filter}. Press {opens} {earlier} to restore it.";
    filter_invalid(error) = "Dropped the filter, which is no longer valid: {error}.";
    only_sorted(key) = "No active filter, only a sort order; press {key} to change it.";
    index_full(known, samples, megabytes) = "The search index is full: {known} of {samples} samples in {megabytes} MB; the others are searched more slowly. The setting search-memory sets the limit.";
    returns_to(key, page) = "Press {key} to return to the {page}.";
}

// Commands and the input line
texts! {
    WHOLE_NUMBER = "expected a whole number of characters";
    MAX_LEN_UNSET = "Training length unset; :max-len N finds pairs equal in their first N characters.";
    NOTHING_TO_SAVE = "no active filter to save";
    NAME_EXPECTED = "expected a name, e.g. :save good and short";
    NO_SUCH_FILTER = "no saved filter of this name; :filters lists them";
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
}

// Findings and spot checks
texts! {
    NO_SAMPLE_HAS = "No sample matches this.";
    NO_FILTERED_SAMPLE_HAS = "None of the filtered samples matches this.";
    QUEUE_END = "End of the queue; continuing with the skipped samples.";
    QUEUE_DONE = "All samples of the queue are judged.";
    not_judged_during_search(key) = "Not judged: a search is active ({key} drops it). Press again to judge outside the queue.";
    check_changed(before, now) = "Changed your check from {before} to {now}.";
}

// Layouts
texts! {
    SELECT_FIELD = "This is a value; select a field.";
    SELECT_VALUE = "Select a value below the verdict field; w makes a field the verdict.";
    CHOOSE_RESPONSES = "Choose the response fields first, or one response and its prompt.";
    NOT_A_RECORD_LIST = "Only a list in a file of one JSON document can hold the records.";
    RECORD_LIST = "Its elements can be the records; press o to use them.";
    RECORDS_IN_LIST = " If the records are in a list of this document, select it and press o.";
    BLIND_LAYOUT = "The layout cannot be changed while you judge blind.";
    MEANINGS = "A letter sets the response that wins with this value, = a tie, - nothing.";
    no_response(letter) = "The record has no response {letter}.";
    no_preview(list, error) = "No preview yet. Press r on a response field, p on the prompt.{list} {error}";
    doubtful_layout(doubts) = "Something may be wrong: {doubts}. Enter saves it all the same.";
    several_layouts(file) = "The open files have different layouts; open {file} alone to change its layout.";
}

// Blind judging and rating
texts! {
    NOT_IN_AUDIT = "Not available during an audit; :audit off leaves it, and :audit resumes it.";
    BLIND_RUN = "Labels stay hidden until you quit (started with --blind).";
    BLIND_FIXED = "Blind judging cannot be changed during an audit; :audit off leaves it.";
    LABELS_SHOWN = "Labels are shown again.";
    LABELS_HIDDEN = "Labels are hidden until you judge a sample (r); :blind shows them again.";
    FILTER_REVEALS = "The filter reveals labels: drop it (f), or draw an audit from it (:audit 20 blind).";
    NOT_SHOWN = "Ignored: typed before this sample was shown.";
    NOTHING_TO_JUDGE = "This sample has nothing to judge.";
    ONE_RESPONSE = "This sample has only one response.";
    JUDGED = "Judged; these are the dataset's labels. Enter continues.";
    JUDGED_AND_REVEALED = "Already judged, and the labels were revealed: Enter goes on, c changes the judgment.";
    CONFIRM_CHANGE = "The labels were revealed. Press y to change the judgment anyway.";
    NOTHING_TO_CONFIRM = "Nothing to confirm: no labels were revealed after a judgment of this sample.";
    CHANGES_COUNT_AS_REVEALED = "Changes, skips (s) and deferrals (d) now count as made after the labels were revealed.";
    REVEALED_SINCE = "The labels were revealed since; press c in the rating strip to change the judgment.";
    DIGIT_IS_LETTER = "Press the digit of the winning letter (1 is A); h and l reach the others.";
    deferred(key) = "Deferred; you will judge this sample later. Press {key} to undo.";
    in_no_pane(letter) = "Response {letter} is not in a pane; show it before you choose it.";
    out_of_range(label, low, high) = "{label} must be {low} to {high}.";
    steps_from_a_to_b(steps) = "Press 1 to {steps}, from A to B.";
    expected_verdict(verdicts, off) = "expected {verdicts}, or {off} to withdraw your check";
    checked(verdict) = "You checked the dataset's labels as {verdict}.";
}

// Audits and adjudication
texts! {
    AUDIT_ACTIVE = "an audit is already active; :audit off leaves it";
    AUDIT_IN_PREPARATION = "an audit is already being prepared; wait for it";
    STILL_LOADING = "the samples are still loading; try again when they are loaded";
    FILTER_RUNNING = "the filter is still running; wait for it, or drop it";
    AUDIT_FILTER_REVEALS = "The filter of this audit reveals labels: judging is not blind if you know it.";
    AUDIT_LEFT = "Left the finished audit; visavis report writes a report.";
    TYPE_AUDIT = "type a number and options: seed= by= even= repeat= blind reveal=";
    audit_done(samples) = "Audit of {samples} done: Enter shows the result, x exports.";
    audit_was_done(seed) = "Audit done: Enter shows the result, x exports; seed={seed} draws others.";
    audit_incomplete(progress) = "Nothing left to judge here: {progress}. :audit off leaves the audit.";
    audit_left_at(progress) = "Left the audit at {progress}; :audit resumes it.";
    back_at(open, of, at) = "{open} of {of} samples not judged yet; back at {at}/{of}.";
    audit_waits(progress) = "Unfinished audit at {progress}; :audit resumes it.";
    audits_wait(audits) = "{audits} unfinished audits; :audit resumes one.";
    joinable(audit) = "{audit}; :audit joins.";
    who_judges(names) = "Who is judging? {names}, or a new name";
    which_audit(shown) = "which audit? new ones are drawn from the {shown} shown";
    drawn_from(samples, now) = "drawn from {samples} samples, there are {now} now: continue it?";
    drawn_from_changed(samples) = "drawn from {samples} samples, some of them have changed: continue it?";
    name_two(known) = "name two reviewers, e.g. :adjudicate ann ben ({known})";
    same_reviewer(one, other, known) = "{one} and {other} are the same reviewer ({known})";
    third_reviewer(name) = "you are {name}, one of the two; a third reviewer adjudicates (--reviewer NAME)";
    no_disagreement(one, other, common) = "{one} and {other} agree on everything: {common} judged by both";
}

// Agreement
texts! {
    BLIND_AGREEMENT = "Other reviewers' judgments are hidden while you judge blind.";
    AUDIT_AGREEMENT = "During an audit only your own agreement is shown.";
    OWN_AGREEMENT = "Only your own agreement is available: no other reviewer has judged a sample yet.";
}

// Versions of the data
texts! {
    BLIND_DIFFERENCE = "Versions are not compared while you judge blind: their labels differ.";
    comparing_versions(file) = "Reading {file} and comparing it with the open data…";
    version_unreadable(error) = "The other version cannot be read: {error}";
}

// Marks, tags and notes
texts! {
    TAG_LENGTH = "a tag has 1 to 64 characters; -TAG removes one";
    TAG_CHARACTERS = "a tag contains letters, digits and signs like - _ . / #";
    mark_remains(key) = "Removed your mark; another reviewer's remains. Press {key} again to remove it too.";
    no_marks(key) = "No marked samples; press {key} to mark one.";
    no_marks_shown(key) = "No marked sample among those shown; press {key} to mark one.";
    tag_remains(tag) = "Removed your tag {tag}; another reviewer's remains. Type -{tag} again to remove it too.";
    not_tagged(has) = "the sample does not have this tag; {has}";
    note_letters(letters) = "Written in another order: {letters}. When you save, its letters mean those shown here.";
    note_discarded(key) = "Note not saved; {key} brings its text back.";
    note_outdated(key) = "The files were reloaded. Copy your text, press {key}, and open the note again.";
}

// Copies and exports
texts! {
    EXPORT_EXPECTED = "expected WHAT PATH (result, marks, audit, sample or report), e.g. :export result good.jsonl";
    sample_still_read(key) = "This sample is still being read; press {key} again when it is shown.";
    unknown_selection(name) = "unknown selection {name}; use result, marks, audit, sample or report";
    unknown_file_type(extensions) = "unknown file type; the name must end in {extensions}";
}

// The selected sample and the panes
texts! {
    has_no_sides(field) = "{field} belongs to the sample, not to a response.";
    is_being_rated(letter, keys) = "Response {letter} stays here while you rate it; {keys} change the other pane.";
    last_shown(all) = "The data has {all} samples; this is the last one shown.";
    last_sample(all) = "The data has {all} samples; this is the last.";
    not_loaded_yet(number) = "Sample {number} is not loaded yet; it will be shown when it is.";
    nearest(number, nearest) = "Sample {number} is not shown; {nearest} is the nearest.";
    negation(query) = "At least one response fails this; to require all: not {query}";
    row_cut(size) = "The other {size} of this row are not shown; :export result FILE.jsonl writes all of it.";
    text_cut(size) = "The other {size} of this text are not shown; :export result FILE.jsonl writes all of it.";
    confirm_deletion(key, name) = "Press {key} again to delete {name}; any other key keeps it.";
}

// Loading and sessions
texts! {
    read_only_once(name) = "{name} can be read only once; its data is still shown.";
    sample_gone(number) = "The saved sample is gone; this is sample {number} (--fresh starts over).";
    back_at_sample(number, filter, search) = "Back at sample {number}{filter}{search} (--fresh starts over).";
    not_restored(text, reason) = "The filter '{text}' was not restored: {reason}.";
}
