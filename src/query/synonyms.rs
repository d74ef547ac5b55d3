//! Words that people write for a column before they know its name. What is written keeps standing in
//! the line; the canonical form of a query has the column's own name.

/// A word, and the columns that it may stand for: the first that the dataset has. The name of a
/// column, in any case, goes before them all.
pub(super) const SYNONYMS: &[(&str, &[&str])] = &[
    ("length", &["len.response"]),
    ("chars", &["len.response"]),
    ("characters", &["len.response"]),
    ("response_length", &["len.response"]),
    ("length.response", &["len.response"]),
    ("prompt_length", &["len.prompt"]),
    ("length.prompt", &["len.prompt"]),
    ("lines", &["lines.response"]),
    ("winner", &["verdict"]),
    ("wins", &["verdict"]),
    ("preferred", &["verdict"]),
    ("preference", &["verdict"]),
    ("chosen", &["verdict"]),
    ("strength", &["margin"]),
    ("annotators", &["votes"]),
    ("num_turns", &["turns"]),
    ("citations", &["quotes"]),
    ("references", &["quotes"]),
    ("filename", &["file"]),
    ("lineno", &["line"]),
    ("number", &["sample"]),
    ("finding", &["findings"]),
    (
        "score",
        &["overall_score", "overall", "rating", "helpfulness"],
    ),
    (
        "rating",
        &["overall_score", "overall", "score", "helpfulness"],
    ),
    (
        "quality",
        &["overall_score", "overall", "score", "rating", "helpfulness"],
    ),
    ("helpful", &["helpfulness"]),
    ("correct", &["correctness"]),
    ("coherent", &["coherence"]),
    ("complex", &["complexity"]),
    ("verbose", &["verbosity"]),
    ("safe", &["is_safe", "safety", "harmlessness"]),
];

/// Words for a value that a column of fixed words has.
pub(super) const VALUES: &[(&str, &str)] = &[("draw", "tie"), ("equal", "tie"), ("both", "tie")];

/// What SQL has behind a field, and what stands there here.
pub(super) const SIGNS_OF_SQL: &[(&str, &str)] = &[
    ("in", " in (…), with small letters"),
    (
        "is",
        "=none for what has no value, and !=none for what has one",
    ),
    ("between", ":2..4 for a range"),
    ("like", ":word for what has the word in it"),
    ("ilike", ":word for what has the word in it"),
];

/// Words that people write for the view of a field, and the view's own. They are no views: a field
/// may begin with any of them.
pub(super) const VIEW_WORDS: &[(&str, &str)] = &[
    ("chosen", "winner"),
    ("preferred", "winner"),
    ("best", "winner"),
    ("better", "winner"),
    ("wins", "winner"),
    ("rejected", "loser"),
    ("worst", "loser"),
    ("worse", "loser"),
    ("loses", "loser"),
    ("first", "a"),
    ("left", "a"),
    ("second", "b"),
    ("right", "b"),
    ("each", "both"),
    ("every", "both"),
    ("average", "mean"),
    ("avg", "mean"),
    ("diff", "gap"),
    ("difference", "gap"),
    ("spread", "gap"),
    ("delta", "margin"),
];
