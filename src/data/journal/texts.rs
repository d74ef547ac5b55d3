//! The messages about journals.

use crate::text::texts;

// Files
texts! {
    FREE_SPACE = "free some space, or pass --journal PATH";
    CREATE_FOLDER = "create its folder, or pass --journal PATH";
    CHOOSE_PLACE = "pass --journal PATH to choose another place";
    END_PROGRAM = "end that program, or pass --journal PATH";
    TRY_AGAIN = "try again, or pass --journal PATH";
    NOT_A_FILE = "not a regular file";
    KEEPS_REPLACING = "another program keeps replacing it";
    LOCKED = "locked by another program";
    locked_by(owner, lock) = "locked by process {owner}; if it has ended, delete {lock}";
    lock_file(file, lock) = "{file}: the file system has no locks; {lock} is used while writing";
    gone(file) = "{file}: the journal no longer exists; the next act creates a new one";
    replaced(file) = "{file}: the journal was replaced or truncated; reading it again";
    truncated_line(file, line) = "{file}, line {line}: truncated line skipped";
    truncated_line_moved(file, line, other) = "{file}, line {line}: truncated line moved to {other}";
    not_undone(error, other) = "{error}; incomplete data could not be removed ({other})";
}

// Lines
texts! {
    NO_SAMPLE = "`sample` is missing";
    NO_RESPONSE = "`response` is not a letter from `a` to `z`";
    NO_VERDICT = "`verdict` is neither `tie` nor a letter";
    LATER_CHECK = "`check` has a value of a later version";
    NO_ORDER = "`order` does not list the first response letters, each once";
    skipped_line(file, line, why) = "{file}, line {line}: {why}; skipped";
    more_invalid_lines(file, count, last) = "{file}: {count} more invalid lines up to line {last}";
    later_acts(file, acts, names) = "{file}: {acts} of a later version of visavis ({names}) kept, but without effect here";
    invalid_time(file, line, time) = "{file}, line {line}: invalid time \"{time}\" (expected e.g. 2026-11-21T10:00:00Z); the act counts as the oldest";
    different_act(file, line, id, other, before) = "{file}, line {line}: act {id} differs from the one in {other}, line {before}; only one counts: delete one line or change its id";
    older_acts(path, reviewer) = "{path}: cannot add acts older than existing ones of {reviewer}; merge all into a new journal with -o OTHER";
    more_faulty_acts(file, count) = "{file}: {count} more acts have a duplicate id or an invalid time";
}
