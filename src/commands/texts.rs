//! The messages of subcommands, one section per module.

use crate::text::texts;

// Command line (commands, typed, data, reading)
texts! {
    SUBCOMMAND_FRAME = "a subcommand has no frame";
    TRY_HELP = "run `visavis --help` or `visavis guide`";
    STDIN_TWICE = "standard input (-) can be read only once";
    DIFF_JOINS = "not supported by diff, which compares two files; omit it: visavis diff OLD NEW";
    SQL_JOINS = "statements cannot match rows of several files; omit it, or use count, list or export";
    SQL_ROWS_AT = "engines cannot read rows from a list in a document; export them first: visavis export FILE --rows-at PATH -o rows.jsonl";
    CHECK_ON = "--on does not apply to check --against, which compares prompts; omit it";
    ON_ALONE = "--on needs --with or --against, whose rows it matches";
    ROWS_AT_ALONE = "--rows-at needs a file; `-` is standard input";
    DROP_LEAKS_ALONE = "--drop-leaks: name the file to export; `-` is standard input";
    AGAINST_ROW = "--against cannot match by row number; pass --on FIELD, or omit it to match prompts";
    FOLLOW_ALONE = "--follow needs a file; rows of a pipe are shown as they arrive without it";
    did_you_mean(near) = "did you mean `visavis {near}`?";
    no_subcommand(typed, meant) = "no subcommand or file named {typed}; {meant}";
    misplaced_query(term, file) = "{term}: no such file; write the query before the files: '{term}' {file}";
    unknown_option(option, body) = "unknown option {option} (see --help); to exclude a word, write 'not {body}'";
    one_file_to_check(count) = "--against: name one file to compare with it, not {count}; check several one by one";
    one_of_files(name, count, file) = "{name} has {count} files; name one of them, for example {file}";
    one_file_to_pair(count) = "--against compares two files: name one file before it, not {count}";
}

// Files, queries and their results (loading, selection, no_match)
texts! {
    NO_FILES = "nothing to read";
    NO_COLUMNS = "--columns: name at least one column";
    VALUE_OUT_OF_RANGE = "has a value outside the range of its field, which counts as missing";
    VALUES_OUT_OF_RANGE = "have values outside the range of their fields, which count as missing";
    wrong_column(name, error) = "--columns {name}: {error}";
    rows_before(done) = "the rows before that were {done}";
    uncomparable(why) = "nothing was compared, because the file to compare with cannot be read: {why}";
    no_leaks(file) = "--drop-leaks: {file} has no samples; name another file";
    unread_leaks(rows, file, were) = "{rows} of {file} could not be read and {were} not compared";
    malformed(rows, verb, them) = "{rows} {verb} not match the schema; is:malformed finds {them}";
    query_error(at, error) = "query, character {at}: {error}";
    query_error_in(at, place, error) = "query, character {at} ({place}): {error}";
    missing_samples(samples) = "the journal has judgments of {samples} not in this file: rows removed, texts changed or responses swapped";
    no_match(done) = "no sample matches the filter, so none was {done}";
    words_as_texts(words) = "these words were searched as texts of the same sample: {words}";
    field_meant(field) = "did you mean the field {field}?";
    term_meant(term) = "did you mean {term}?";
    term_matches_nothing(term, hint) = "{term} matches nothing: {hint}";
    term_alone(term) = "{term} alone matches nothing";
    values_are(words, more) = "its values are {words}{more}";
}

// Journals and reviewers (journal, journals, reviewed, report)
texts! {
    MERGED = "the rest was merged";
    NOTHING_TO_MERGE = "nothing to merge: all of these journals are empty";
    STDIN_JOURNAL = "standard input has no journal; pass --journal PATH";
    no_journal(path) = "{path}: no such journal; check the spelling and the folder";
    no_judgments(paths) = "no judgments yet: {paths} does not exist; judge samples first, or pass --journal PATH";
    later_journal(path) = "{path} was written by a later version of visavis; update visavis to merge it";
    other_data(first, other) = "{first} and {other} were created for different data";
    added(acts, path) = "added {acts} to {path}";
    ambiguous_reviewer(name, same) = "{name} is ambiguous: {same}; write the name as in the journal";
    unknown_reviewer(name, known) = "unknown reviewer {name}; known: {known}";
    two_reviewers(typed) = "--reviewer {typed}: name two different reviewers, e.g. ann,ben";
    reviewers_of_audit(id) = "--audit {id}: agreement of reviewers covers all audits; omit it, or name one reviewer";
    unknown_audit(id, path, known) = "unknown audit {id} in {path}; known: {known}";
    AUDIT_START = "an audit starts at its first sample; omit --at and :ROW";
}

// Checks, lists, draws and statistics (check, list, sample, stats, schemas)
texts! {
    RULES_LIST = "visavis guide findings lists the rules";
    COUNT_CANCELLED = "the count was cancelled";
    BLANK_LINES = "no rows, only blank lines";
    no_rule_applies(others) = "nothing was checked: {others}";
    rule_does_not_apply(rule, why) = "{rule} does not apply here: {why}";
    no_samples(files) = "nothing was checked: no samples in {files}, only blank lines";
    unknown_rule(name, hint) = "--only: unknown rule {name}; {hint}";
    hidden_columns(columns, names, advice) = "{columns} did not fit into the table: {names}; {advice}, or pass --tsv to show all";
    same_draw(seed) = "--seed {seed} repeats this draw";
    fewer_drawn(drawn, n) = "{drawn} drawn instead of {n}: no other distinct samples can be judged";
    not_a_schema(name) = "{name} is not a schema file (.toml); visavis schemas --try FILE shows which schemas fit it";
    your_schemas(folder) = "visavis schemas NAME explains one. Your own are the .toml files in {folder}.";
}

// Exports, training data and SQL (export, training, sql)
texts! {
    ROWS_IN_DOCUMENT = "--rows does not work with documents; use --format jsonl, reviewed or csv";
    NO_AUDITS = "No audits yet. Draw one with visavis audit FILE -n 20 or :audit 20.";
    ADJUDICATE = "where two reviewers disagree, :adjudicate lets a third one decide";
    NO_JOURNAL_TO_APPLY = "--apply needs review decisions, but these files have no journal; pass --journal PATH";
    RUN_SPARK = "--run works only with duckdb; save the Spark program and run it with spark-submit";
    SQL_NOT_A_FILE = "not a regular file, which can be read again";
    SQL_STDIN = "statements read named files; save it to a file first";
    SQL_NO_FILES = "name the files to read: visavis sql QUERY FILE";
    NO_DUCKDB = "duckdb was not found; install DuckDB, or omit --run and run the printed statement elsewhere";
    report_extension(path) = "{path}: reports are .html or .md; a browser prints .html as PDF";
    unknown_extension(path) = "{path}: unknown extension; use --format jsonl, reviewed, csv, md or html";
    unknown_trainer(pairs, ratings) = "--to names a trainer's format: {pairs} for preference pairs (DPO, RM); {ratings} for ratings (RM, SFT)";
    no_pairs(format, others) = "--pairs-per-sample: {format} has no pairs; use it with {others}";
    not_json_lines(path) = "{path}: training data is JSON Lines; choose a name ending in .jsonl";
    provenance_is_output(path) = "--provenance {path}: this is the output file; choose another name";
    no_labels(format) = "--apply relabel: {format} has no labels; use flip, which also follows the reviewers' labels";
    no_winner(format) = "--apply flip: {format} has labels instead of a winner; use relabel";
    no_journal_to_apply(path) = "--apply needs review decisions, but {path} does not exist; judge samples first, or pass --journal PATH";
    left_as_is(samples, why) = "unchanged: {samples}{why}";
    doubtful_rows(rows, what) = "written anyway: {rows} in which {what} finds them";
    not_paired(responses) = "not paired: {responses}";
    exported(samples, place) = "wrote {samples}{place}";
    rows_of_few_prompts(rows, prompts, few) = "{rows:.0} % of the rows come from {prompts:.0} % of the prompts, those with more than {few} rows each";
    wrote_provenance(path) = "wrote the source of each row to {path}";
    wrote(rows, samples, found, most) = "wrote {rows} from {samples} of {found}{most}";
    duckdb_path(to) = "--to {to}: DuckDB interprets a leading ~ or file:/; write the full path, or ./ in front";
    other_schema(first, schema, other, its) = "{first} has the schema {schema}, but {other} has {its}; run visavis sql for each separately";
    message_lists(file) = "{file} has lists of messages there, but statements read only texts; export the samples first: visavis export '' {file} -o rows.csv";
    duckdb_start(error) = "cannot run duckdb: {error}";
    duckdb_failed(error) = "duckdb: {error}";
}
