//! Translation of queries: fragments of statements, and refusals. `tests/sql/engines.py` checks in
//! the engines that the statements find the same samples.

use super::*;
use crate::query::{Catalog, parse};
use crate::schema::{Definition, Schema, built_in};
use crate::source::{Encoding, JsonRows, RowContainer};

fn named(schema: &str) -> Definition {
    let mut all = built_in().into_iter();
    all.find(|definition| definition.name == schema)
        .expect("a schema")
}

fn file(name: &str) -> SqlFile {
    SqlFile {
        name: name.to_owned(),
        encoding: Encoding::Plain,
        container: RowContainer::Lines,
        is_utf8: true,
    }
}

fn said_of(
    query: &str,
    definition: &Definition,
    files: &[SqlFile],
    dialect: SqlDialect,
    output: &SqlOutput,
) -> Result<String, SqlRefusal> {
    let schema = Schema::new(definition.clone());
    let catalog = Catalog::of([&schema]);
    let parsed = parse(query, &catalog).expect(query);
    statement(SqlRequest {
        query: &parsed,
        catalog: &catalog,
        definition,
        files,
        dialect,
        output,
    })
}

fn said(query: &str, schema: &str, dialect: SqlDialect) -> Result<String, SqlRefusal> {
    let files = [file("x.jsonl")];
    said_of(query, &named(schema), &files, dialect, &SqlOutput::List)
}

const BOTH: [SqlDialect; 2] = [SqlDialect::DuckDb, SqlDialect::Spark];

#[test]
fn terms_are_never_null() {
    for (query, part) in [
        ("helpfulness>=3", "coalesce(a_helpfulness >= 3, false)"),
        ("helpfulness!=3", "coalesce(b_helpfulness <> 3, false)"),
        (
            "-helpfulness>=3",
            "not (coalesce(a_helpfulness >= 3, false))",
        ),
        (
            "helpfulness:2..3",
            "coalesce(a_helpfulness >= 2 and a_helpfulness <= 3, false)",
        ),
        (
            "helpfulness in (0, 4)",
            "coalesce(a_helpfulness in (0, 4), false)",
        ),
        ("helpfulness=none", "(a_helpfulness is null)"),
        ("helpfulness>0.5", "coalesce(a_helpfulness > 5e-1, false)"),
        (
            "any.helpfulness=4",
            "(coalesce(a_helpfulness = 4, false) or (responses = 2 and coalesce(b_helpfulness = 4, false)))",
        ),
        (
            "both.helpfulness=4",
            "(responses = 2 and coalesce(a_helpfulness = 4, false) and coalesce(b_helpfulness = 4, false))",
        ),
        (
            "winner.helpfulness=4",
            "coalesce(case verdict when 'a' then a_helpfulness when 'b' then b_helpfulness end = 4, false)",
        ),
        ("gap.helpfulness>1", "abs(a_helpfulness - b_helpfulness)"),
        ("margin>0", "a_helpfulness - b_helpfulness as margin"),
        ("a.len / b.len > 2", "(a_len / nullif(b_len, 0)) > 2"),
        // Engines compute whole literals in 32 bits.
        ("len > 50000 * 50000", "a_len > (5e4 * 5e4)"),
        ("len * 2 < 30", "(a_len * 2e0) < 30"),
        (
            "len > abs(1 - 3) / 0",
            "(abs((1e0 - 3e0)) / nullif(0e0, 0))",
        ),
        (
            "verdict!=tie",
            "coalesce(not (lower(verdict) = 'tie'), false)",
        ),
        ("is:malformed", "responses = 0"),
        ("is:single", "responses = 1"),
        ("file:x", "file in ('x.jsonl')"),
        ("file:y", "false as a_holds"),
        (
            "helpfulness>=3 or verbosity=0",
            "(coalesce(a_helpfulness >= 3, false) or coalesce(a_verbosity = 0, false)) as a_holds",
        ),
        (
            "sort:-helpfulness",
            "greatest(case when a_holds then a_helpfulness end, case when b_holds then b_helpfulness end) desc nulls last",
        ),
        ("sort:margin", "order by margin asc nulls last, sample"),
    ] {
        for dialect in BOTH {
            let statement = said(query, "helpsteer2", dialect).expect(query);
            assert!(statement.contains(part), "{query}: {part}\n{statement}");
        }
    }
}

/// A label with the name of another column gets a distinct name.
#[test]
fn labels_have_separate_columns() {
    for (name, column) in [
        ("votes_for", "a_label_0_votes_for >= 3"),
        ("len", "a_label_0_len >= 3"),
        ("votes", "a_votes >= 3"),
    ] {
        let mut definition = named("helpsteer2");
        definition.labels[0].name = name.to_owned();
        let query = format!("label.{name}>=3");
        let files = [file("x.jsonl")];
        let said = said_of(
            &query,
            &definition,
            &files,
            SqlDialect::DuckDb,
            &SqlOutput::List,
        );
        let said = said.expect("a statement");
        assert!(said.contains(column), "{said}");
    }
}

#[test]
fn each_engine_has_its_own_words() {
    for (query, schema, dialect, part) in [
        (
            "response:/Sorry\\d/",
            "helpsteer2",
            SqlDialect::DuckDb,
            r"regexp_matches(json_extract_string(v[2], '$'), 'Sorry[\p{Nd}]')",
        ),
        (
            "response:/Sorry\\d/",
            "helpsteer2",
            SqlDialect::Spark,
            r"try_variant_get(v2, '$', 'string') rlike r'Sorry[\p{Nd}]'",
        ),
        (
            "dataset=\"it's\"",
            "webgpt-raw",
            SqlDialect::DuckDb,
            "lower(fact_0_dataset) = 'it''s'",
        ),
        (
            "dataset=\"it's\"",
            "webgpt-raw",
            SqlDialect::Spark,
            r"lower(fact_0_dataset) = 'it\'s'",
        ),
        (
            "score>0",
            "webgpt-raw",
            SqlDialect::DuckDb,
            "json_array_length(json) = 2",
        ),
        (
            "score>0",
            "webgpt-raw",
            SqlDialect::Spark,
            r#"try_variant_get(json, '$[0][\"question\"][\"full_text\"]', 'variant') as v1"#,
        ),
        ("line=3", "helpsteer2", SqlDialect::Spark, "a_line = 3"),
        (
            "margin>0",
            "helpsteer2-preference",
            SqlDialect::DuckDb,
            "-stated as margin",
        ),
    ] {
        let statement = said(query, schema, dialect).expect(query);
        assert!(statement.contains(part), "{query}: {part}\n{statement}");
    }
}

#[test]
fn pairs_go_on_in_the_next_part_of_a_split() {
    let names = [
        "a.jsonl",
        "d/t-0-of-3.jsonl",
        "d/t-1-of-3.jsonl",
        "d/t-2-of-3.jsonl",
        "b.jsonl",
    ];
    let files = names.map(file);
    let definition = named("helpsteer2");
    for dialect in [SqlDialect::DuckDb, SqlDialect::Spark] {
        let list = |files: &[SqlFile]| {
            said_of("", &definition, files, dialect, &SqlOutput::List).expect("a statement")
        };
        let split = "(partition by case file_index when 2 then 1 when 3 then 1 else file_index end, \
                     is_read, run order by file_index, a_row)";
        assert!(list(&files).contains(split), "{}", list(&files));
        let apart = "(partition by file_index, is_read, run order by a_row)";
        assert!(list(&files[..2]).contains(apart));
    }
}

#[test]
fn files_keep_their_order_and_their_packing() {
    let packed = |name: &str, encoding| SqlFile {
        encoding,
        ..file(name)
    };
    let files = [
        packed("z.jsonl.gz", Encoding::Gzip),
        file("it's.jsonl"),
        packed("b.zst", Encoding::Zstd),
    ];
    let definition = named("helpsteer2");
    let count =
        |files: &[SqlFile], dialect| said_of("", &definition, files, dialect, &SqlOutput::Count);
    let statement = count(&files, SqlDialect::DuckDb).expect("a statement");
    let places = [
        "select 0 as file_index, 'z.jsonl.gz' as file",
        "read_ndjson_objects('z.jsonl.gz', compression = 'gzip'",
        "select 1 as file_index, 'it''s.jsonl' as file",
        "compression = 'uncompressed'",
        "read_ndjson_objects('b.zst', compression = 'zstd'",
        "select count(*) as samples",
    ];
    let places = places.map(|part| statement.find(part).expect(part));
    assert!(places.is_sorted(), "{statement}");
    let program = count(&files[..2], SqlDialect::Spark).expect("a program");
    assert!(
        program.contains("    \"z.jsonl.gz\",\n    \"it's.jsonl\",\n")
            && program.contains("print(found.first()[\"samples\"])"),
        "{program}"
    );
    assert!(
        !said("len>1", "helpsteer2", SqlDialect::Spark)
            .is_ok_and(|it| it.matches("\"\"\"").count() != 2)
    );
    for (file, dialect, why) in [
        (
            packed("b.zst", Encoding::Zstd),
            SqlDialect::Spark,
            "decompress it",
        ),
        (
            packed("b", Encoding::Gzip),
            SqlDialect::Spark,
            "rename it to .gz",
        ),
        (file("b.gz"), SqlDialect::Spark, "not compressed"),
        (file("a*.jsonl"), SqlDialect::DuckDb, "as a pattern"),
        (
            SqlFile {
                container: RowContainer::Json(JsonRows::Values),
                ..file("a.json")
            },
            SqlDialect::DuckDb,
            "visavis export",
        ),
    ] {
        let refused = count(&[file], dialect).expect_err(why);
        assert!(refused.reason.contains(why), "{refused}");
    }
}

#[test]
fn untranslatable_terms_are_refused_by_name() {
    for (query, of, why) in [
        ("python", "python", "a phrase"),
        ("prompt:\"two words\"", "prompt:\"two words\"", "a phrase"),
        ("helpfulness>2 is:duplicate", "is:duplicate", "compares"),
        ("is:marked", "is:marked", "journal"),
        ("is:flagged", "is:flagged", "repaired"),
        ("not (tag=x or helpfulness=1)", "tag=x", "journal"),
        ("has:code", "has:code", "Markdown"),
        ("a.has:hidden", "a.has:hidden", "invisible"),
        ("lists.response>2", "lists.response", "Markdown"),
        ("overlap=near", "overlap=near", "compares"),
        ("overlap.with>3", "overlap.with", "compares"),
        ("findings>1", "findings", "rules use counts"),
        ("rated.helpfulness>1", "rated.helpfulness", "journal"),
        ("disagrees:dataset", "disagrees:dataset", "journal"),
        ("sort:random(7)", "sort:random(7)", "shuffle"),
        ("response:/(?Rm)^x/", "response:/(?Rm)^x/", "anchor"),
    ] {
        for dialect in BOTH {
            let refused = said(query, "helpsteer2", dialect).expect_err(query);
            assert!(
                refused.of == of && refused.reason.contains(why),
                "{query}: {refused}"
            );
        }
    }
    let refused = said("line=3", "helpsteer2", SqlDialect::DuckDb).expect_err("no lines");
    assert_eq!(
        refused.to_string(),
        "line cannot be translated to SQL: DuckDB skips blank lines and counts rows; use row"
    );
}

#[test]
fn ratings_of_a_label_are_not_its_column() {
    let text = r#"
name = "own"
title = "Own"
about = "two responses with a label that has the name of a column"
rows = "inline"
prompt.path = "/p"
[[response]]
text = "/a"
ratings.turns = "/ta"
[[response]]
text = "/b"
ratings.turns = "/tb"
[[label]]
name = "turns"
range = [0, 4]
"#;
    let definition = Definition::parse(text).expect("a schema");
    for query in ["mine.turns>1", "rated.turns>1"] {
        for dialect in BOTH {
            let files = [file("x.jsonl")];
            let refused = said_of(query, &definition, &files, dialect, &SqlOutput::List);
            let refused = refused.expect_err(query);
            assert!(refused.reason.contains("journal"), "{query}: {refused}");
        }
    }
}

/// Every built-in schema is translated for some term, or refused by name.
#[test]
fn schemas_are_translated_or_refused() {
    let refused: Vec<_> = built_in()
        .iter()
        .filter_map(|definition| {
            let files = [file("x.jsonl")];
            let count = |query: &str, dialect| {
                said_of(query, definition, &files, dialect, &SqlOutput::Count)
            };
            let results = BOTH.map(|dialect| count("len>3 margin!=0 is:tie", dialect));
            let refused = results[0].as_ref().err().map(|refused| refused.of.clone());
            assert_eq!(
                results[0].is_ok(),
                results[1].is_ok(),
                "{}",
                definition.name
            );
            refused
        })
        .collect();
    for name in [
        "helpsteer2",
        "helpsteer2-preference",
        "webgpt-flat",
        "webgpt-raw",
        "shp",
        "pku-saferlhf",
        "alpacaeval",
    ] {
        let named = format!("the schema {name}");
        assert!(!refused.contains(&named), "{name}");
    }
    for name in [
        "prism",
        "ultrafeedback",
        "arena-55k",
        "helpsteer3-edit-quality",
    ] {
        let named = format!("the schema {name}");
        assert!(refused.contains(&named), "{name}: {refused:?}");
    }
    // Its labels are lists.
    assert!(refused.contains(&"helpfulness".to_owned()), "{refused:?}");
}
