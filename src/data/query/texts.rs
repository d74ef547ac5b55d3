//! Messages about queries, each in one sentence without a full stop.

use crate::text::texts;

/// The reason why no winner is worse by the deciding label.
pub const FOLLOWS_FROM_LABEL: &str = "the verdict follows from this label";
/// What a bare word of a query searches.
pub const IN_THE_TEXTS: &str = "words in the texts";

texts! {
    // Readings of a filter.
    A_OR_B = "A or B";
    A_AND_B = "A and B";
    ANY_RESPONSE = "any response";
    ALL_RESPONSES = "all responses";
    THE_WINNER = "the winner";
    THE_LOSER = "the loser";
    ONE_HAS_BOTH = "one response has both";
    ONE_HAS_ALL = "one response has all";
    without(term) = "without {term}";
    a_and_b_differ(by) = "A and B differ by {by}";
    responses_differ(by) = "responses differ by {by}";
    one_or_other(one, other) = "{one} or {other}";
    from_to(low, high) = "{low} to {high}";
    less_than(value) = "less than {value}";
    at_most(value) = "at most {value}";
    more_than(value) = "more than {value}";
    at_least(value) = "at least {value}";
    // Numbers and comparisons.
    NO_NUMBER = "expected a number";
    NO_NUMBER_OR_FIELD = "expected a number or a field";
    NO_NUMBER_FIELD_OR_NONE = "expected a number, a field, or none";
    NO_OPERATOR = "expected a comparison after this number: = != < <= > >=";
    NO_END_OF_SUM = "expected ), or + - * / and a number";
    NO_END_OF_RANGE = "expected a number; a range needs at least one end";
    NO_START_OF_LIST = "expected ( after in";
    NO_END_OF_LIST = "expected , or )";
    NO_SPACE = "expected a space before this";
    DATE_AS_NUMBER = "a date is not a number; compare with a number, such as seconds since 1970";
    REVERSED_RANGE = "the range is reversed; write the smaller value first";
    SECOND_OPERATOR = "a comparison takes one operator; write x:0..4, or x>0 x<4";
    UNIT = "numbers take no unit, and lengths are in characters; to search for the word, quote it";
    DECIMAL_COMMA = "numbers take a decimal point; a list is x in (1, 2)";
    COMMA_IN_LIST = "write numbers without commas; in a list, put a space after each comma";
    ANY_AND_BOTH = "any. and both. cannot be combined in one comparison";
    LARGE_NUMBER = "this number is too large";
    not_numeric(expected, left) = "{expected}: {left} is a number";
    other_than_number(expected, left, word) = "{expected}: {left} is a number, {word} is not";
    none_takes(sign) = "none takes = or !=, not {sign}";
    range_takes(sign) = "a range takes = or :, not {sign}";
    did_you_mean(what, fix) = "{what}; did you mean {fix}?";
    commas(number) = "write numbers without commas: {number}";
    word_as_number(field) = "{field} is a word, not a number";

    // Words and values.
    EMPTY_WORD = "an empty word matches everything";
    DATE_FORMS = "write dates as 2024, 2024-05 or 2024-05-31";
    operators_of_words(name) = "{name} is a word; use = != : or in (…)";
    range_of_dates(name) = "write a range of dates as {name}>=2024-02 {name}<2024-05";
    no_value(name, values) = "expected a value of {name}{values}";
    none_in_list(name) = "none cannot be in a list; write {name}=none or …";
    unknown_value(name, word, values) = "unknown {name} {word}; use {values}";
    numbers_only(name, prefix) = "{name} is a word; {prefix}. takes numbers only";

    // Fields, prefixes and keys.
    /// Begins the message about an unknown field.
    UNKNOWN_FIELD = "unknown field";
    /// Ends a message about a word that may be meant as a text search.
    QUOTE_IT = "to search for it, quote it";
    NO_FIELD_BEFORE_SIGN = "expected a field before this sign; to search for it, quote it";
    NO_SPACE_BEFORE_GROUP = "put a space before a group in parentheses; to search for it, quote it";
    /// Begins the list of known fields in that message.
    KNOWN_FIELDS = "; known fields: ";
    WHILE_BLIND = " while you judge blind";
    NO_RULE = "the name of a rule, but no rule applies here";
    FLAG_AS_FIELD = "it is a flag, not a field; use it in the query";
    bare_field(word, example) = "{word} is a field: compare it ({word}{example}), or search the text for \"{word}\" in quotes";
    unknown_operator(operator, write) = "unknown operator `{operator}`; use {write}; {QUOTE_IT}";
    unknown_function(word, instead) = "unknown function {word}(); {instead}";
    unknown_choice(key, word, near) = "unknown {key}:{word}; did you mean {key}:{near}?";
    no_judgments(reviewer) = " (no judgments by {reviewer})";
    IN_FIRST_PART = " at the beginning of each file";
    known_fields(names, hint) = "{KNOWN_FIELDS}{names}, …{hint}";
    two_prefixes(name) = "{name} has two prefixes; a field takes one";
    no_prefix(name) = "{name} belongs to the sample and takes no prefix";
    text_prefixes(key) = "{key}: takes only a. b. any. both. winner. or loser. as its prefix";
    no_response(response, responses) = "samples have no response {response}; use {responses}";
    rule_does_not_apply(rule, why) = "the rule {rule} does not apply here: {why}";
    not_a_field(name) = "{name} is not a field";

    // Texts and regular expressions.
    NO_PATTERN = "expected a word, a \"phrase\" or a /regex/";
    EMPTY_QUOTES = "expected something between the quotes";
    EMPTY_REGEX = "expected something between the slashes";
    UNKNOWN_ESCAPE = "unknown escape in quotes; write \\\\ for one \\, or use \\\" \\n \\t";
    NO_END_OF_REGEX = "expected a closing / after the regex";
    AFTER_REGEX = "expected a space after the regex; write \\/ for a / in it";
    no_end_of_quotes(begin) = "expected a closing \" after {begin}";
    regex_flags(flags) = "write flags inside the regex: /(?{flags})…/; case is ignored by default";

    // Connectives and groups.
    NO_OPEN_GROUP = "unmatched )";
    NO_END_OF_GROUP = "expected ) to close the (";
    EMPTY_GROUP = "expected a term between ( and )";
    LONELY_MINUS = "write - directly before the term that it negates, or between two numbers";
    no_term_before(joint) = "expected a term before {joint}; {QUOTE_IT}: \"{joint}\"";
    no_term_after(joint) = "expected a term after {joint}; {QUOTE_IT}: \"{joint}\"";
    no_negated_term(negation) = "expected a term after {negation}";
    long_query(bytes) = "a query has at most {bytes} bytes";
    deep_query(levels) = "nested deeper than {levels} levels";

    // Sort keys.
    MISPLACED_SORT = "sort: belongs at the end of the query, not inside or, not or parentheses";
    REPEATED_SORT = "already sorted by this";
    NO_SORT_KEY = "expected a field to sort by, arithmetic in parentheses, or random(7)";
    AFTER_SORT = "expected a space; put arithmetic to sort by in parentheses";
    NO_SEED = "expected a whole number, as in random(7)";
    NO_END_OF_SEED = "expected )";
    REVERSED_SHUFFLE = "a shuffled order cannot be reversed";
    unsortable(name) = "cannot sort by {name}: a sample can have more than one {name}";
    unsortable_prefix(prefix) = "cannot sort by {prefix}. of several numbers; use min. or max. instead";
    unknown_direction(word, sort) = "unknown direction `{word}`; use sort:{sort}; {QUOTE_IT}";

    // Valid queries that cannot match, and rules that cannot fire.
    NO_QUOTES = "the responses have no quotes";
    NO_VOTES = "the files have no annotator votes";
    NO_JOINED_FILE = "no file is joined (open one --with this file)";
    NO_RATER = "there is no other rater (open a file --with this one)";
    ONE_FILE = "only one file is open";
    matches_nothing(term, why) = "{term} matches nothing: {why}";
    possible_values(low, high) = "values are {low} to {high}";
    rule_as_text(word) = "{word} names a rule, but is searched for as text; write finding:{word}";
    own_field(name) = "{name} is the field of the file; the built-in {name} has no value here";
    shadowed_field(name, meaning, field) = "{name} is {meaning}; the field of the file is {field}";

    // Rules of findings.
    RULE_NEEDS_MAX_LEN = "needs --max-len N, the characters of a response that training keeps";
    RULE_SORTS = "a rule cannot sort; remove sort:";
    RULE_IS_EMPTY = "the query of a rule cannot be empty";
    RULE_ASKS_REVIEWERS = "a rule cannot use marks, tags, notes or ratings of reviewers";
    RULE_ASKS_RULES = "a rule cannot use other rules";
    rule_of_schemas(schemas) = "only for {schemas}";
}
