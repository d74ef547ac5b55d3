//! The expressions that differ between the two engines, one function each.
//!
//! Values extracted from a record are numbered from 1. DuckDB keeps them in a list `v` of JSON,
//! filled by a single call; Spark in columns `v1`, `v2` … of VARIANT, which distinguishes strings
//! from numbers, unlike a column of strings.

use crate::schema::Path;
use crate::text::{PortableRegex, RegexFlavour, literal_regex, named_enum, portable_regex};

named_enum! {
    /// The engine that runs the statement.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SqlDialect {
        /// A statement for DuckDB
        DuckDb "duckdb",
        /// A Python program for PySpark 4
        Spark "spark",
    }
}

/// A number, alone or inside a string, with an optional plus sign before it.
const NUMBER: &str =
    r"\A[ \t\n\r]*[+]?(-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?)[ \t\n\r]*\z";

impl SqlDialect {
    /// Returns the start of a comment line.
    pub(super) const fn remark(self) -> &'static str {
        match self {
            Self::DuckDb => "--",
            Self::Spark => "#",
        }
    }

    /// Quotes a text as a literal.
    pub(super) fn literal(self, text: &str) -> String {
        let mut literal = String::from("'");
        for sign in text.chars() {
            match (self, sign) {
                (Self::DuckDb, '\'') => literal.push_str("''"),
                // The statement is inside a triple-quoted raw string of Python.
                (Self::Spark, '\'' | '"' | '\\') => literal.extend(['\\', sign]),
                (Self::Spark, '\n') => literal.push_str("\\n"),
                (Self::Spark, '\r') => literal.push_str("\\r"),
                _ => literal.push(sign),
            }
        }
        literal.push('\'');
        literal
    }

    /// Returns the literals of several texts, separated by commas.
    pub(super) fn literals<'t>(self, texts: impl IntoIterator<Item = &'t str>) -> String {
        let literals: Vec<_> = (texts.into_iter()).map(|text| self.literal(text)).collect();
        literals.join(", ")
    }

    /// Quotes a regular expression that contains no quotes.
    fn raw(self, pattern: &str) -> String {
        match self {
            Self::DuckDb => format!("'{pattern}'"),
            Self::Spark => format!("r'{pattern}'"),
        }
    }

    /// Translates a regular expression of the query language to the engine's syntax.
    pub(super) fn regex(self, pattern: &str) -> Result<PortableRegex, String> {
        let flavour = match self {
            Self::DuckDb => RegexFlavour::Re2,
            Self::Spark => RegexFlavour::Java,
        };
        portable_regex(pattern, flavour)
    }

    /// Tests if a text matches a regular expression in the engine's syntax.
    pub(super) fn matches(self, text: &str, pattern: &str) -> String {
        let pattern = self.raw(pattern);
        match self {
            Self::DuckDb => format!("regexp_matches({text}, {pattern})"),
            Self::Spark => format!("{text} rlike {pattern}"),
        }
    }

    /// Returns a path as a literal; `None` if the engine cannot express a key.
    pub(super) fn path(self, path: &Path) -> Option<String> {
        match self {
            Self::DuckDb => Some(self.literal(&path.to_string())),
            Self::Spark => {
                let mut spelled = String::from("$");
                for step in path.steps() {
                    if step.parse::<u32>().is_ok() {
                        spelled.push_str(&format!("[{step}]"));
                    } else if !step.contains(['"', '\\', ']', '\n']) {
                        spelled.push_str(&format!("[\"{step}\"]"));
                    } else {
                        return None;
                    }
                }
                Some(self.literal(&spelled))
            }
        }
    }

    /// Returns an extracted value as JSON.
    pub(super) fn value(self, place: usize) -> String {
        match self {
            Self::DuckDb => format!("v[{place}]"),
            Self::Spark => format!("v{place}"),
        }
    }

    /// Returns a value as text: the content of a string, otherwise its JSON; null if it is absent
    /// or null.
    pub(super) fn text(self, value: &str) -> String {
        match self {
            Self::DuckDb => format!("json_extract_string({value}, '$')"),
            Self::Spark => format!("try_variant_get({value}, '$', 'string')"),
        }
    }

    /// Tests if a value is a string; null if it is absent.
    pub(super) fn is_text(self, value: &str) -> String {
        match self {
            Self::DuckDb => format!("json_type({value}) = 'VARCHAR'"),
            Self::Spark => format!("schema_of_variant({value}) = 'STRING'"),
        }
    }

    /// Tests if a value is a message or a list of messages, which these statements cannot read.
    pub(super) fn is_messages(self, value: &str) -> String {
        match self {
            Self::DuckDb => format!(
                "(json_type({value}) = 'ARRAY' and coalesce(json_type({value}, '$[0]'), 'OBJECT') = 'OBJECT' \
                 or json_type({value}) = 'OBJECT' and (json_exists({value}, '$.role') or json_exists({value}, '$.from') or json_exists({value}, '$.parts')))"
            ),
            Self::Spark => format!(
                "(schema_of_variant({value}) rlike r'\\AARRAY<(OBJECT<|VOID>\\z)' or schema_of_variant({value}) rlike r'\\AOBJECT<(.*, )?(role|from|parts): ')"
            ),
        }
    }

    /// Returns an expression that fails with a message.
    pub(super) fn fail(self, text: &str) -> String {
        match self {
            Self::DuckDb => format!("error({text})"),
            Self::Spark => format!("cast(raise_error({text}) as boolean)"),
        }
    }

    /// Converts a value to a number as visavis does; infinite or null if it is too large. Without
    /// `bare_booleans`, true and false count only if they are strings.
    pub(super) fn number(self, value: &str, bare_booleans: bool) -> String {
        let text = self.text(value);
        let only = if bare_booleans {
            String::new()
        } else {
            format!(" and {}", self.is_text(value))
        };
        let word = |words: &str| format!("trim({text}) in ({words}){only}");
        let spelled = self.number_of_text(&text);
        // Numbers first: they are most common, and a regular expression is slow.
        let plain = match self {
            Self::DuckDb => format!(
                "json_type({value}) in ('UBIGINT', 'BIGINT', 'DOUBLE') then try_cast(cast({value} as string) as double)"
            ),
            Self::Spark => format!(
                "schema_of_variant({value}) in ('BIGINT', 'DOUBLE') then try_variant_get({value}, '$', 'double')"
            ),
        };
        format!(
            "case when {plain} when {} then 1 when {} then 0 else {spelled} end",
            word("'true', 'True', 'TRUE'"),
            word("'false', 'False', 'FALSE'"),
        )
    }

    /// Splits a text at matches of a regular expression.
    pub(super) fn split(self, text: &str, pattern: &str) -> String {
        let pattern = self.raw(pattern);
        match self {
            Self::DuckDb => format!("string_split_regex({text}, {pattern})"),
            Self::Spark => format!("split({text}, {pattern}, -1)"),
        }
    }

    /// Drops the first element of a list if it is empty and not the only one.
    pub(super) fn without_empty_first(self, list: &str) -> String {
        let size = self.size(list);
        match self {
            Self::DuckDb => {
                format!("case when {size} > 1 and {list}[1] = '' then {list}[2:] else {list} end")
            }
            Self::Spark => {
                format!(
                    "case when {size} > 1 and {list}[0] = '' then slice({list}, 2, {size}) else {list} end"
                )
            }
        }
    }

    /// Returns the length of a list.
    pub(super) fn size(self, list: &str) -> String {
        match self {
            Self::DuckDb => format!("len({list})"),
            Self::Spark => format!("size({list})"),
        }
    }

    /// Counts the elements of a list for which a condition on `x` holds.
    pub(super) fn count_where(self, list: &str, holds: &str) -> String {
        match self {
            Self::DuckDb => format!("len(list_filter({list}, lambda x: {holds}))"),
            Self::Spark => format!("size(filter({list}, x -> {holds}))"),
        }
    }

    /// Returns the total number of characters in a list of texts.
    pub(super) fn characters(self, list: &str) -> String {
        match self {
            Self::DuckDb => format!("list_sum(list_transform({list}, lambda x: length(x)))"),
            Self::Spark => format!("aggregate({list}, 0, (sum, x) -> sum + length(x))"),
        }
    }

    /// Removes all matches of a regular expression.
    pub(super) fn without_matches(self, text: &str, pattern: &str) -> String {
        let pattern = self.raw(pattern);
        match self {
            Self::DuckDb => format!("regexp_replace({text}, {pattern}, '', 'g')"),
            Self::Spark => format!("regexp_replace({text}, {pattern}, '')"),
        }
    }

    /// Returns the pattern of a turn marker that fills a line, including the line break before it.
    pub(super) fn marker_lines(self, markers: [&str; 2]) -> String {
        let [one, other] = markers.map(literal_regex);
        let start = match self {
            Self::DuckDb => r"(?m:^)",
            Self::Spark => r"(?:\A|(?<=\n))",
        };
        format!(r"(?:\r?\n)?{start}(?:{one}|{other})(?:\r?\n|\z)")
    }

    /// Returns the number of quotes of a value, in either of their shapes; 0 for other values.
    pub(super) fn quotes(self, value: &str) -> String {
        match self {
            Self::DuckDb => {
                let odd = |path: &str, kinds: &str| {
                    self.count_where(
                        &format!("json_type({value}, '{path}')"),
                        &format!("x not in ({kinds})"),
                    )
                };
                let text = "'VARCHAR', 'NULL'";
                format!(
                    "case when json_type({value}) = 'OBJECT' and json_type({value}, '/title') = 'ARRAY' and json_type({value}, '/extract') = 'ARRAY' \
                     and {} = 0 and {} = 0 then greatest(json_array_length({value}, '/title'), json_array_length({value}, '/extract')) \
                     when json_type({value}) = 'ARRAY' and {} = 0 and {} = 0 and {} = 0 then json_array_length({value}) else 0 end",
                    odd("$.title[*]", text),
                    odd("$.extract[*]", text),
                    odd("$[*]", "'OBJECT'"),
                    odd("$[*].title", text),
                    odd("$[*].extract", text),
                )
            }
            Self::Spark => {
                let size = |path: &str, of: &str| {
                    format!("size(try_variant_get({value}, '{path}', 'array<{of}>'))")
                };
                let shape = format!("schema_of_variant({value})");
                format!(
                    "case when {shape} rlike r'\\AOBJECT<' and {shape} rlike r'[<, ]title: ARRAY<(STRING|VOID)>' and {shape} rlike r'[<, ]extract: ARRAY<(STRING|VOID)>' \
                     then greatest({}, {}) when {shape} rlike r'\\AARRAY<OBJECT<' and not {shape} rlike r'[<, ](title|extract): (?!STRING|VOID)' then {} else 0 end",
                    size("$.title", "string"),
                    size("$.extract", "string"),
                    size("$", "variant"),
                )
            }
        }
    }

    /// Returns the titles or extracts of quotes, in either of their shapes, as a list of texts;
    /// null if there are none.
    pub(super) fn quote_texts(self, value: &str, key: &str) -> String {
        match self {
            Self::DuckDb => format!(
                "case json_type({value}) when 'OBJECT' then json_extract_string({value}, '$.{key}[*]') when 'ARRAY' then json_extract_string({value}, '$[*].{key}') end"
            ),
            Self::Spark => format!(
                "coalesce(try_variant_get({value}, '$.{key}', 'array<string>'), transform(try_variant_get({value}, '$', 'array<struct<{key} string>>'), x -> x.{key}))"
            ),
        }
    }

    /// Returns the text at `key` of each element of a list; null if an element lacks it.
    pub(super) fn elements(self, value: &str, key: &str) -> String {
        match self {
            Self::DuckDb => format!("json_extract_string({value}, '$[*].{key}')"),
            Self::Spark => format!(
                "transform(try_variant_get({value}, '$', 'array<struct<{key} string>>'), x -> x.{key})"
            ),
        }
    }

    /// Converts a text to a number.
    pub(super) fn number_of_text(self, text: &str) -> String {
        format!(
            "try_cast(nullif(regexp_extract({text}, {}, 1), '') as double)",
            self.raw(NUMBER)
        )
    }

    /// Tests if a text contains another.
    pub(super) fn contains(self, text: &str, part: &str) -> String {
        format!("contains({text}, {})", self.literal(part))
    }
}
