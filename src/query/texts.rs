//! Messages about queries, each in one sentence without a full stop.

use crate::text::texts;

// Numbers and comparisons.
pub(super) const NO_NUMBER: &str = "expected a number";
pub(super) const NO_NUMBER_OR_FIELD: &str = "expected a number or a field";
pub(super) const NO_NUMBER_FIELD_OR_NONE: &str = "expected a number, a field, or none";
pub(super) const NO_OPERATOR: &str = "expected a comparison after this number: = != < <= > >=";
pub(super) const NO_END_OF_SUM: &str = "expected ), or + - * / and a number";
pub(super) const NO_END_OF_RANGE: &str = "expected a number; a range needs at least one end";
pub(super) const NO_START_OF_LIST: &str = "expected ( after in";
pub(super) const NO_END_OF_LIST: &str = "expected , or )";
pub(super) const NO_SPACE: &str = "expected a space before this";
pub(super) const DATE_AS_NUMBER: &str =
    "a date is not a number; compare with a number, such as seconds since 1970";
pub(super) const REVERSED_RANGE: &str = "the range is reversed; write the smaller value first";
pub(super) const SECOND_OPERATOR: &str =
    "a comparison takes one operator; write x:0..4, or x>0 x<4";
pub(super) const UNIT: &str = "numbers take no unit";
pub(super) const DECIMAL_COMMA: &str = "numbers take a decimal point; a list is x in (1, 2)";
pub(super) const COMMA_IN_LIST: &str =
    "write numbers without commas; in a list, put a space after each comma";
pub(super) const ANY_AND_BOTH: &str = "any. and both. cannot be combined in one comparison";
pub(super) const LARGE_NUMBER: &str = "this number is too large";
texts! {
    not_numeric(expected, left) = "{expected}: {left} is a number";
    other_than_number(expected, left, word) = "{expected}: {left} is a number, {word} is not";
    none_takes(sign) = "none takes = or !=, not {sign}";
    range_takes(sign) = "a range takes = or :, not {sign}";
    unit_of_length(factor, unit) = "lengths are in characters, about {factor} per {unit}";
    did_you_mean(what, fix) = "{what}; did you mean {fix}?";
    commas(number) = "write numbers without commas: {number}";
    word_as_number(field) = "{field} is a word, not a number";
}

// Words and values.
pub(super) const EMPTY_WORD: &str = "an empty word matches everything";
pub(super) const NONE_TAKES: &str = "none takes = or !=";
pub(super) const DATE_FORMS: &str = "write dates as 2024, 2024-05 or 2024-05-31";
texts! {
    operators_of_words(name) = "{name} is a word; use = != : or in (…)";
    range_of_dates(name) = "write a range of dates as {name}>=2024-02 {name}<2024-05";
    no_value(name, values) = "expected a value of {name}{values}";
    none_in_list(name) = "none cannot be in a list; write {name}=none or …";
    unknown_value(name, word, values) = "unknown {name} {word}; use {values}";
    numbers_only(name, prefix) = "{name} is a word; {prefix}. takes numbers only";
}

// Fields, prefixes and keys.
/// Begins the message about an unknown field.
pub(super) const UNKNOWN_FIELD: &str = "unknown field";
/// Ends a message about a word that may be meant as a text search.
pub(super) const QUOTE_IT: &str = "to search for it, quote it";
pub(super) const NO_FIELD_BEFORE_SIGN: &str =
    "expected a field before this sign; to search for it, quote it";
pub(super) const NO_SPACE_BEFORE_GROUP: &str =
    "put a space before a group in parentheses; to search for it, quote it";
/// Begins the list of known fields in that message.
pub(super) const KNOWN_FIELDS: &str = "; known fields: ";
pub(super) const WHILE_BLIND: &str = " while you judge blind";
pub(super) const NO_RULE: &str = "the name of a rule, but no rule applies here";
pub(super) const FLAG_AS_FIELD: &str = "it is a flag, not a field; use it in the query";
texts! {
    quote_word(word) = "{QUOTE_IT}: \"{word}\"";
    lonely_field(word, example) = "{word} is a field: compare it ({word}{example}), or search the text for \"{word}\" in quotes";
    unknown_operator(operator, write) = "unknown operator `{operator}`; use {write}; {QUOTE_IT}";
    unknown_function(word, instead) = "unknown function {word}(); {instead}";
    unknown_choice(key, word, near) = "unknown {key}:{word}; did you mean {key}:{near}?";
    no_judgments(reviewer) = " (no judgments by {reviewer})";
    in_first_part(mebibytes) = " in the first {mebibytes} MiB of each file";
    known_fields(names, hint) = "{KNOWN_FIELDS}{names}, …{hint}";
    two_prefixes(name) = "{name} has two prefixes; a field takes one";
    no_prefix(name) = "{name} belongs to the sample and takes no prefix";
    text_prefixes(key) = "{key}: takes only the prefixes a. b. any. both. winner. loser.";
    no_response(response, responses) = "samples have no response {response}; use {responses}";
    rule_does_not_apply(rule, why) = "the rule {rule} does not apply here: {why}";
    not_a_field(name) = "{name} is not a field";
}

// Texts and regular expressions.
pub(super) const NO_PATTERN: &str = "expected a word, a \"phrase\" or a /regex/";
pub(super) const EMPTY_QUOTES: &str = "expected something between the quotes";
pub(super) const EMPTY_REGEX: &str = "expected something between the slashes";
pub(super) const UNKNOWN_ESCAPE: &str =
    "unknown escape in quotes; write \\\\ for one \\, or use \\\" \\n \\t";
pub(super) const NO_END_OF_REGEX: &str = "expected a closing / after the regex";
pub(super) const AFTER_REGEX: &str = "expected a space after the regex; write \\/ for a / in it";
texts! {
    no_end_of_quotes(begin) = "expected a closing \" after {begin}";
    regex_flags(flags) = "write flags inside the regex: /(?{flags})…/; case is ignored by default";
}

// Connectives and groups.
pub(super) const NO_OPEN_GROUP: &str = "unmatched )";
pub(super) const NO_END_OF_GROUP: &str = "expected ) to close the (";
pub(super) const EMPTY_GROUP: &str = "expected a term between ( and )";
pub(super) const LONELY_MINUS: &str =
    "write - directly before the term that it negates, or between two numbers";
texts! {
    no_term_before(joint) = "expected a term before {joint}; {QUOTE_IT}: \"{joint}\"";
    no_term_after(joint) = "expected a term after {joint}; {QUOTE_IT}: \"{joint}\"";
    no_negated_term(negation) = "expected a term after {negation}";
    long_query(bytes) = "a query has at most {bytes} bytes";
    deep_query(levels) = "nested deeper than {levels} levels";
}

// Sort keys.
pub(super) const MISPLACED_SORT: &str =
    "sort: belongs at the end of the query, not inside or, not or parentheses";
pub(super) const REPEATED_SORT: &str = "already sorted by this";
pub(super) const NO_SORT_KEY: &str =
    "expected a field to sort by, arithmetic in parentheses, or random(7)";
pub(super) const AFTER_SORT: &str = "expected a space; put arithmetic to sort by in parentheses";
pub(super) const NO_SEED: &str = "expected a whole number, as in random(7)";
pub(super) const NO_END_OF_SEED: &str = "expected )";
pub(super) const REVERSED_SHUFFLE: &str = "a shuffled order cannot be reversed";
texts! {
    unsortable(name) = "cannot sort by {name}: a sample can have more than one {name}";
    unsortable_prefix(prefix) = "cannot sort by {prefix}. of several numbers; use min. or max. instead";
    unknown_direction(word, sort) = "unknown direction `{word}`; use sort:{sort}; {QUOTE_IT}";
}

// Valid queries that cannot match, and rules that cannot fire.
/// The reason why no winner is worse by the deciding label.
pub const FOLLOWS_FROM_LABEL: &str = "the verdict follows from this label";
pub(super) const NO_QUOTES: &str = "the responses have no quotes";
pub(super) const NO_VOTES: &str = "the files have no votes of annotators";
pub(super) const NO_JOINED_FILE: &str = "no file is joined (open one --with this file)";
pub(super) const ONE_FILE: &str = "only one file is open";
texts! {
    matches_nothing(term, why) = "{term} matches nothing: {why}";
    possible_values(low, high) = "values are {low} to {high}";
    rule_as_text(word) = "{word} names a rule, but is searched for as text; write finding:{word}";
    shadowed_field(name, meaning, field) = "{name} is {meaning}; the field of the file is {field}";
}

// Rules of findings.
pub(super) const RULE_NEEDS_MAX_LEN: &str =
    "it needs --max-len N, the characters of a response that training keeps";
pub(super) const RULE_SORTS: &str = "a rule cannot sort; remove sort:";
pub(super) const RULE_IS_EMPTY: &str = "the query of a rule cannot be empty";
pub(super) const RULE_ASKS_REVIEWERS: &str =
    "a rule cannot use marks, tags, notes or ratings of reviewers";
pub(super) const RULE_ASKS_RULES: &str = "a rule cannot use other rules";
texts! {
    rule_of_schemas(schemas) = "it applies only to {schemas}";
}
