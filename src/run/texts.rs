//! The messages of the main loop, one section per subject.

use crate::text::texts;

// Start and end of the program
texts! {
    NO_TERMINAL = "standard output is not a terminal; --print writes one frame as text, --svg FILE as a picture";
    LINES_FROM_STDIN = "linear mode reads commands from standard input; name the file to open";
    BUG = "stopped by a bug in the program";
    FRAME_SIZE = "expected COLUMNSxROWS, 1 to 1000 each, e.g. 120x40";
    SLOW_EXPORT_DISK = "the disk does not respond; check for a leftover .part file beside it";
    terminal_unusable(error) = "cannot use the terminal: {error}";
    no_thread(error) = "cannot start a thread: {error}";
    no_thread_for(job) = "No thread available for {job}; close other programs and try again.";
    no_input(to) = "name the files to {to}, or pipe one to standard input";
    not_svg(path) = "{path} exists and is not an SVG picture; choose another name";
    still_running(seconds, jobs) = "abandoned after {seconds} s, still running: {jobs}";
    not_written(path) = "{path} was not written";
    not_written_because(path, reason) = "{path} was not written: {reason}";
}

// Journal
texts! {
    NO_JOURNAL_FOLDER = "Judgments last for this run only: no home folder; pass --journal PATH to save them.";
    SAMPLE_UNREADABLE = "Nothing was recorded: the sample cannot be read. Press R to reload the files.";
    SLOW_DISK = "the disk does not respond";
    WRITER_FAILED = "the writer failed";
    NO_SUCH_JOURNAL = "no such journal; only the first --journal is created";
    NOT_A_FILE = "not a regular file; choose another place";
    no_journal_thread(error) = "Judgments last for this run only: cannot start a thread ({error}).";
    no_folder(folder) = "folder {folder} does not exist; create it, or choose another place";
    not_a_folder(folder) = "{folder} is not a folder; choose another place";
    saved_in(place) = "Judgments are saved in {place}.";
    saved_elsewhere(what, name, place) = "{what} {name} is not writable; judgments are saved in {place}.";
    unsaved_in(acts, journal, reason, place) = "{acts} could not be written to {journal} ({reason}); the next start offers them, or: visavis journal merge {place} -o {journal}";
    unsaved_above(acts, journal, reason) = "{acts} could not be written to {journal} ({reason}); copy the lines above to FILE, then: visavis journal merge FILE -o {journal}";
    ADD_NOW = "Add them now? [Y/n] ";
    unsaved(acts, journal, place) = "{acts} of an earlier run are not in {journal}; visavis journal merge {place} -o {journal} adds them";
}

// Files, layouts and state
texts! {
    TRUNCATED = "became shorter";
    REPLACED = "was replaced by another file";
    GONE = "no longer exists";
    PICTURE = "a picture needs a screen";
    REPORT_WRITTEN = "Report written; visavis report --full writes all figures and samples.";
    LAYOUT_NOT_SAVED = "The layout is used for this run only: no home folder to save it in.";
    WHOLE_FILE = "Reading records from the whole file again.";
    NOTHING_TO_UNDO = "Nothing to undo.";
    NOT_SAVED = "nothing was saved";
    picture_written(path) = "Picture written to {path}.";
    NOT_A_SAVED_LAYOUT = "Only a layout of your own can be forgotten; g guesses all fields again.";
    layout_forgotten(path) = "Forgot the layout; its file is now {path}.";
    layout_saved(path) = "Saved the layout as {path}.";
    layout_unwritable(path, error) = "The layout is used for this run only: cannot write {path}: {error}.";
    list_opened(list) = "Reading records from {list}; --rows-at {list} does so at start.";
    open_list_alone(list) = "Open the file alone with --rows-at {list}.";
    filter_saved(name, until) = "Saved filter “{name}”{until}. :filters lists saved filters.";
    filter_deleted(name) = "Deleted filter “{name}”.";
    not_saved_in(path) = "nothing was saved in {path}";
    history_unwritable(path) = "cannot save the history in {path}";
    later_filters(path, version) = "{path} was written by a later visavis (version {version}) and is left alone; update this one";
    file_unchanged(path, fault) = "{path}: {fault}; the file was not changed";
    not_a_table(schema) = "`{schema}` is not a table";
    invalid_session(path) = "{path} is not valid TOML and will be replaced at exit";
    unreadable(path, error) = "cannot read {path}: {error}";
    unreadable_file(path) = "cannot read {path}";
    unwritable_file(path) = "cannot write {path}";
}

// Datasets of the Hugging Face hub
texts! {
    SPLIT_ALONE = "--split needs a dataset of the Hugging Face hub, e.g. visavis ORG/NAME --split train";
    DOWNLOAD_NOW = "Run it now? [y/N] ";
    WHICH_ONE = "Number or name [1]: ";
    not_in_cache(name, command) = "{name}: no such file, and not in the local cache of the Hugging Face hub; download it with: {command}";
    configurations(name, list, last) = "{name} has the configurations {list}; choose one, e.g. {name}:{last}";
    opened_default(message) = "{message} (opened the default)";
    no_split(name, splits) = "{name} has no such split; choose from {splits}";
}

// Keys, the clipboard and other programs
texts! {
    HELD_KEY = "A held key judges one sample; release it first.";
    MOUSE_ON = "Mouse on; hold Shift to select text. :mouse turns it off.";
    MOUSE_OFF = "Mouse off.";
    AUTO_THEME = "dark or light, like the terminal's background";
    COLORLESS_TERMINAL = "this terminal has no colours";
    COLORLESS_LINES = "linear mode has no colours";
    SCREEN_ONLY = "Not available in linear mode.";
    NOTHING_NEW = "Nothing changed.";
    NOTE_AS_LINE = "type the note as a line";
    colors_off(place) = "colours are off ({place})";
    not_copied(error) = "Nothing was copied: {error}.";
    copied_by_tmux(characters) = "Copied {characters} to tmux and its clipboard.";
    sent_to_tmux(characters) = "{characters} sent; tmux needs: set -g set-clipboard on";
    sent(characters) = "{characters} sent to the terminal's clipboard.";
    editor_failed(editor, error) = "{editor}: {error}; the note is unchanged.";
    command_not_found(program, name) = "{program} was not found. Install it, or change commands.{name} in the config file.";
    command_failed(program, error) = "{program} cannot be run: {error}.";
    no_command_thread(error) = "Cannot start a thread: {error}.";
    output_cut(most) = "Stopped after {most} of output; the rest is not shown.";
    program_failed(status) = "The program failed: {status}.";
}
