//! Writes a translated query as a statement or program.

use super::columns::{FieldColumn, Translation};
use super::dialect::SqlDialect;
use super::numbers::LETTERS;
use super::reading::{SqlFile, control_character, python};
use super::refusal::SqlRefusal;
use crate::dataset::is_next_part;
use crate::query::{Catalog, Query};
use crate::schema::Definition;
use crate::source::RowContainer;

/// What a statement returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlOutput {
    /// The number of samples.
    Count,
    /// Each sample in the order of the query: its number, its file and its rows.
    List,
    /// Writes the unchanged rows of a draw to a file, in file order: the samples with the lowest
    /// hashes. A hash is the MD5, in hexadecimal digits, of the text `SEED:FILE:ROW` with the file
    /// as given and the number of the sample's first row. Malformed rows are not drawn.
    Draw {
        /// Number of samples.
        samples: u64,
        /// Seed: the start of the hashed text.
        seed: u64,
        /// The output file, overwritten if it exists.
        to: String,
    },
}

/// A query to translate.
#[derive(Debug, Clone, Copy)]
pub struct SqlRequest<'r> {
    /// The query.
    pub query: &'r Query,
    /// The catalog that the query was parsed with.
    pub catalog: &'r Catalog,
    /// The schema of all files.
    pub definition: &'r Definition,
    /// The files, in order.
    pub files: &'r [SqlFile],
    /// The engine.
    pub dialect: SqlDialect,
    /// What the statement returns.
    pub output: &'r SqlOutput,
}

/// Translates a query to a statement for DuckDB or a Python program for Spark that finds the same
/// samples. The text ends with a line break.
///
/// # Errors
/// If the schema, a file or a term of the query has no SQL equivalent.
pub fn statement(request: SqlRequest<'_>) -> Result<String, SqlRefusal> {
    let SqlRequest {
        query,
        catalog,
        definition,
        files,
        dialect,
        output,
    } = request;
    if let Some(refusal) = files.iter().find_map(|file| file.refusal(dialect)) {
        return Err(refusal);
    }
    if let SqlOutput::Draw { to, .. } = output
        && let Some(refusal) = control_character(to)
    {
        return Err(refusal);
    }
    let mut translation = Translation::new(dialect, definition, catalog, files)?;
    let holds = |translation: &mut Translation<'_>, response| match &query.filter {
        Some(filter) => translation.holds(filter, response),
        None => Ok("true".to_owned()),
    };
    let of_a = holds(&mut translation, 0)?;
    let of_b = match translation.layout.most {
        1 => "false".to_owned(),
        _ => holds(&mut translation, 1)?,
    };
    let mut order = Vec::new();
    if *output == SqlOutput::List {
        for key in &query.sort {
            order.push(translation.order(key)?);
        }
        translation.add_sample();
    }
    if let SqlOutput::Draw { samples, seed, .. } = output {
        let line = match dialect {
            SqlDialect::DuckDb => "cast(json as string)",
            SqlDialect::Spark => "line",
        };
        translation.add_lines(line);
        translation.remark(&format!(
            "Draws the {samples} of them with the lowest MD5 of '{seed}:FILE:ROW' (ROW: the sample's first row)."
        ));
    }
    let body = Statement {
        translation: &translation,
        of_a,
        of_b,
        order,
        output,
    };
    let mut remarks = vec![format!(
        "The samples that visavis finds with: {}",
        (query.spelled(catalog).to_string()).replace(char::is_control, " ")
    )];
    remarks.extend(translation.remarks.iter().cloned());
    remarks.extend(reading_differences(dialect, files));
    let mut text = String::new();
    for remark in remarks {
        text.push_str(&format!("{} {remark}\n", dialect.remark()));
    }
    match dialect {
        SqlDialect::DuckDb => text.push_str(&format!("{};\n", body.sql())),
        SqlDialect::Spark => text.push_str(&body.program()),
    }
    Ok(text)
}

/// Returns notes about lines that the engine reads differently from visavis.
fn reading_differences(dialect: SqlDialect, files: &[SqlFile]) -> Vec<String> {
    if !files
        .iter()
        .any(|file| file.container == RowContainer::Lines)
    {
        return Vec::new();
    }
    let said: &[&str] = match dialect {
        SqlDialect::DuckDb => &[
            "visavis and DuckDB disagree on some invalid lines: only DuckDB reads nan and a comma before",
            "a closing bracket; only visavis reads half a surrogate pair, raw control characters, bytes that are not",
            "UTF-8 and a byte order mark. Of a repeated key DuckDB takes the first value, visavis the last.",
        ],
        SqlDialect::Spark => &[
            "visavis and Spark disagree on some invalid lines: only Spark reads text after",
            "a record; only visavis reads NaN, Infinity, half a surrogate pair, raw control characters and repeated keys.",
        ],
    };
    said.iter().map(|line| (*line).to_owned()).collect()
}

/// Formats the further columns of a `select`.
fn selected(columns: &[FieldColumn]) -> String {
    let column = |it: &FieldColumn| format!(",\n    {} as {}", it.expression, it.name);
    columns.iter().map(column).collect()
}

struct Statement<'s> {
    translation: &'s Translation<'s>,
    of_a: String,
    of_b: String,
    order: Vec<String>,
    output: &'s SqlOutput,
}

impl Statement<'_> {
    /// Returns the statement without its terminator.
    fn sql(&self) -> String {
        let mut parts = match self.translation.dialect {
            SqlDialect::DuckDb => self.rows_in_duckdb(),
            SqlDialect::Spark => self.rows_in_spark(),
        };
        parts.extend(self.samples());

        parts.push((
            "judged",
            format!(
                "select *{}\n  from samples",
                selected(&self.translation.derived)
            ),
        ));
        let of_b = if self.of_b == self.of_a {
            "responses = 2 and a_holds".to_owned()
        } else {
            format!("responses = 2 and {}", self.of_b)
        };
        parts.push((
            "found",
            format!(
                "select *,\n    {} as a_holds,\n    {of_b} as b_holds\n  from judged",
                self.of_a
            ),
        ));
        let parts: Vec<_> = (parts.into_iter())
            .map(|(name, query)| format!("{name} as (\n  {query}\n)"))
            .collect();
        let found = format!("with {}", parts.join(",\n"));
        match self.output {
            SqlOutput::Draw { samples, seed, to } => {
                self.draw_statement(&found, *samples, *seed, to)
            }
            _ => format!("{found}\n{}", self.result()),
        }
    }

    fn result(&self) -> String {
        let holding = "from found\nwhere a_holds or b_holds";
        match self.output {
            SqlOutput::Count => format!("select count(*) as samples\n{holding}"),
            _ => {
                let mut columns = vec!["sample", "file", "a_row"];
                let layout = self.translation.layout;
                columns.extend(layout.is_joined.then_some("b_row"));
                if self.has_lines() {
                    columns.push("a_line");
                    columns.extend(layout.is_joined.then_some("b_line"));
                }
                let mut order = self.order.clone();
                order.push("sample".to_owned());
                format!(
                    "select {}\n{holding}\norder by {}",
                    columns.join(", "),
                    order.join(", ")
                )
            }
        }
    }

    /// Returns the query for the rows of drawn samples and, in DuckDB, the copy into a file.
    fn draw_statement(&self, found: &str, samples: u64, seed: u64, to: &str) -> String {
        let second = if self.translation.layout.is_joined {
            "b_text"
        } else {
            "cast(null as string)"
        };
        let draw_statement = format!(
            "{found},\ndrawn as (\n  select file_index, a_row, a_text, {second} as second_text\n  from found\n  \
             where (a_holds or b_holds) and responses > 0\n  \
             order by md5(concat('{seed}:', file, ':', cast(a_row as string))), file_index, a_row\n  limit {samples}\n)"
        );
        let both = "select file_index, a_row, 0 as place, a_text as text from drawn\n  union all\n  \
                    select file_index, a_row, 1 as place, second_text as text from drawn where second_text is not null";
        let rows = format!(
            "{draw_statement}\nselect text\nfrom (\n  {both}\n) as rows_drawn\norder by file_index, a_row, place"
        );
        match self.translation.dialect {
            SqlDialect::DuckDb => format!(
                "copy (\n{rows}\n) to {} (format csv, header false, quote '', escape '', delimiter E'\\x01')",
                SqlDialect::DuckDb.literal(to)
            ),
            SqlDialect::Spark => rows,
        }
    }

    fn has_lines(&self) -> bool {
        self.translation.dialect == SqlDialect::Spark
    }

    /// Computes `is_read` in its own step: no engine lets a step refer to what can fail in it.
    fn read_rows(&self) -> String {
        format!(
            "select *,\n    {} as is_read\n  from captured",
            self.translation.is_read
        )
    }

    fn rows_in_duckdb(&self) -> Vec<(&'static str, String)> {
        let files: Vec<_> = self
            .translation
            .files
            .iter()
            .enumerate()
            .map(|(index, file)| file.rows_in_duckdb(index))
            .collect();
        vec![
            ("records", files.join("\n  union all\n  ")),
            (
                "captured",
                format!(
                    "select *, json_extract(json, [{}]) as v\n  from records",
                    self.translation.paths().join(", ")
                ),
            ),
            ("read_rows", self.read_rows()),
            (
                "fields",
                format!(
                    "select file_index, file, a_row, is_read{}\n  from read_rows",
                    selected(&self.translation.fields)
                ),
            ),
        ]
    }

    fn rows_in_spark(&self) -> Vec<(&'static str, String)> {
        let names = self.translation.files.iter();
        let names = (self.translation.dialect).literals(names.map(|file| file.name.as_str()));
        let values: Vec<_> = (self.translation.paths().into_iter().enumerate())
            .map(|(place, path)| {
                format!(
                    ",\n    try_variant_get(json, {path}, 'variant') as v{}",
                    place + 1
                )
            })
            .collect();
        vec![
            (
                "records",
                format!(
                    "select file_index, element_at(array({names}), file_index + 1) as file, block, place_in_block, line,\n    \
                     try_parse_json(line) as json\n  from visavis_lines"
                ),
            ),
            ("captured", format!("select *{}\n  from records", values.concat())),
            ("read_rows", self.read_rows()),
            (
                "all_lines",
                format!(
                    "select file_index, file, block, place_in_block, line = '' as is_blank, is_read{}\n  from read_rows",
                    selected(&self.translation.fields)
                ),
            ),
            (
                "numbered",
                "select *, cast(row_number() over w as bigint) as a_line,\n    \
                 sum(case when is_blank then 0 else 1 end) over w as a_row\n  from all_lines\n  \
                 window w as (partition by file_index order by block, place_in_block rows between unbounded preceding and current row)"
                    .to_owned(),
            ),
            ("fields", "select * from numbered where not is_blank".to_owned()),
        ]
    }

    /// Returns the steps that form samples from rows.
    fn samples(&self) -> Vec<(&'static str, String)> {
        let translation = self.translation;
        let mut of_responses = vec!["row".to_owned()];
        of_responses.extend(self.has_lines().then(|| "line".to_owned()));
        let mut kept = String::new();
        for column in &translation.kept {
            if column.is_of_responses {
                of_responses.push(column.name.clone());
            } else {
                kept.push_str(&format!(", {}", column.name));
            }
        }
        if !translation.layout.is_joined {
            for (place, letter) in LETTERS.iter().take(translation.layout.most).enumerate() {
                // Two responses of one row share its number.
                let columns: Vec<_> = of_responses
                    .iter()
                    .filter(|name| place == 0 || !OF_ROWS.contains(&name.as_str()))
                    .map(|name| format!(", {letter}_{name}"))
                    .collect();
                kept.push_str(&columns.concat());
            }
            let most = translation.layout.most;
            return vec![(
                "samples",
                format!(
                    "select file_index, file, case when is_read then {most} else 0 end as responses{kept}\n  from fields"
                ),
            )];
        }
        let (split, order) = self.split_and_order();
        let (mut next, mut both) = (String::new(), String::new());
        for name in &of_responses {
            next.push_str(&format!(", lead(a_{name}) over w as b_{name}"));
            both.push_str(&format!(", a_{name}, b_{name}"));
        }
        vec![
            (
                // A malformed row does not end a run.
                "starts",
                format!(
                    "select *, case when is_read and lag(prompt) over (partition by {split}, is_read order by {order}) = prompt then 0 else 1 end as starts_run\n  from fields"
                ),
            ),
            (
                "runs",
                format!(
                    "select *, sum(starts_run) over (partition by {split}, is_read order by {order} rows between unbounded preceding and current row) as run\n  from starts"
                ),
            ),
            (
                "pairs",
                format!(
                    "select *, row_number() over w as place{next}\n  from runs\n  window w as (partition by {split}, is_read, run order by {order})"
                ),
            ),
            (
                "samples",
                format!(
                    "select file_index, file, case when not is_read then 0 when b_row is null then 1 else 2 end as responses{both}{kept}\n  from pairs\n  where place % 2 = 1"
                ),
            ),
        ]
    }

    /// Returns the partition that forms samples and its order; parts of a split are one file.
    fn split_and_order(&self) -> (String, &'static str) {
        let files = self.translation.files;
        let (mut first, mut cases) = (0, String::new());
        for (place, pair) in files.windows(2).enumerate() {
            if is_next_part(&pair[0].name, &pair[1].name) {
                cases.push_str(&format!(" when {} then {first}", place + 1));
            } else {
                first = place + 1;
            }
        }
        if cases.is_empty() {
            ("file_index".to_owned(), "a_row")
        } else {
            (
                format!("case file_index{cases} else file_index end"),
                "file_index, a_row",
            )
        }
    }

    /// Returns the Python program.
    fn program(&self) -> String {
        let files: Vec<_> = self
            .translation
            .files
            .iter()
            .map(|file| format!("    {},\n", python(&file.name)))
            .collect();
        let is_parquet = |file: &SqlFile| matches!(file.container, RowContainer::Parquet { .. });
        let readers = self.translation.files.iter().map(|file| {
            if is_parquet(file) {
                "rows_of"
            } else {
                "lines_of"
            }
        });
        let readers: Vec<_> = (readers.enumerate())
            .map(|(index, reader)| format!("{reader}({index})"))
            .collect();
        let print = match self.output {
            SqlOutput::Draw { to, .. } => format!(
                "with open({}, \"w\", encoding=\"utf-8\", newline=\"\") as sample:\n    for row in found.toLocalIterator():\n        sample.write(row[\"text\"] + \"\\n\")\n",
                python(to)
            ),
            SqlOutput::Count => "print(found.first()[\"samples\"])\n".to_owned(),
            SqlOutput::List => "print(*found.columns, sep=\"\\t\")\nfor sample in found.toLocalIterator():\n    print(*sample, sep=\"\\t\")\n".to_owned(),
        };
        let mut functions = String::new();
        if self.translation.files.iter().any(|file| !is_parquet(file)) {
            functions.push_str(LINES_OF);
        }
        if self.translation.files.iter().any(is_parquet) {
            functions.push_str(ROWS_OF);
        }
        format!(
            "# For PySpark 4, which has VARIANT.\nfrom functools import reduce\n\nfrom pyspark.sql import SparkSession\n\n\
             spark = SparkSession.builder.getOrCreate()\nfiles = [\n{}]\n\n{functions}\n\
             lines = reduce(lambda one, next: one.unionAll(next), [{}])\n\
             lines.createOrReplaceTempView(\"visavis_lines\")\n\
             found = spark.sql(r\"\"\"\n{}\n\"\"\")\n{print}",
            files.concat(),
            readers.join(", "),
            self.sql(),
        )
    }
}

/// Columns that a row has once, regardless of its responses.
const OF_ROWS: [&str; 3] = ["row", "line", "text"];

/// Reads lines of text with their position: only LF ends a line, and splits of files come in any
/// order.
const LINES_OF: &str = r#"
def lines_of(index):
    lines = spark.read.option("lineSep", "\n").text(files[index])
    return lines.selectExpr(
        f"{index} as file_index",
        "_metadata.file_block_start as block",
        "monotonically_increasing_id() as place_in_block",
        "trim(both '\ufeff \t\r' from value) as line",
    )

"#;

/// Reads the rows of a Parquet file as JSON.
const ROWS_OF: &str = r#"
def rows_of(index):
    rows = spark.read.parquet(files[index])
    return rows.selectExpr(
        f"{index} as file_index",
        "cast(0 as bigint) as block",
        "_metadata.row_index as place_in_block",
        "to_json(struct(*)) as line",
    )

"#;
