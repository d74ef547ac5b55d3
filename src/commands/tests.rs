//! Counts made while rows are scanned must equal counts made by reading the rows again.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::loading::{DataSource, RowUse, load};
use super::selection::QueriedData;
use crate::dataset::Loader;
use crate::query::{Catalog, is_answered_by_scan, parse};
use crate::schema::SchemaCatalog;
use crate::source::Input;
use crate::table::{ColumnId, ColumnSource};

const QUERIES: [&str; 24] = [
    "",
    "helpfulness>=3 verbosity<=1",
    "is:tie",
    "len.response>40",
    "water",
    "prompt:water",
    "response:/[0-9]{2}/",
    "not water",
    "water or prompt:water",
    "water garden",
    "water helpfulness>=2",
    "lists.response>0",
    "is:duplicate",
    "has:code",
    "is:flagged or is:malformed",
    "winner.coherence>=3 or loser.len.response>200",
    "margin>=2",
    "verdict=a",
    "correctness=none or gap.verbosity>=1",
    "abs(helpfulness - complexity)>1 -turns>2",
    "b.helpfulness in (0, 4) row>=3",
    "margin.correctness<0 or score>0",
    "winner.response:/[a-z]{4}ing/",
    "-loser.response:water",
];

/// Queries of each column and flag that is counted from rows: `count` skips columns that a query
/// does not use.
fn queries_of_columns() -> Vec<String> {
    let of_column = |column: ColumnId| {
        let name = column.name;
        match column.source {
            ColumnSource::Response(_) => vec![
                format!("{name}>2"),
                format!("b.{name}>a.{name} or -{name}>=1"),
                format!("gap.{name}>=1 helpfulness>=2"),
            ],
            ColumnSource::Prompt(_) => vec![format!("{name}>2"), format!("{name} < len.response")],
            ColumnSource::Flag(_) => vec![name.to_string(), format!("-{name} len.prompt>20")],
            _ => Vec::new(),
        }
    };
    ColumnId::built_in().flat_map(of_column).collect()
}

fn loader(path: &Path) -> Loader {
    Loader {
        inputs: vec![Input::Path(path.to_owned())],
        ..Loader::default()
    }
}

/// Returns the counts of `count`, and those found after loading all rows without a query.
fn both(loader: &Loader, query: &str) -> [(usize, usize); 2] {
    let source = DataSource {
        loader: loader.clone(),
        ..DataSource::default()
    };
    let scanned = QueriedData::load(&source, query, RowUse::Scan).expect("a query that reads");
    let files = load("", &source, RowUse::ReadAgain).expect("loaded");
    let selection = QueriedData::over(files, &source, query).expect("a query that reads");
    let found = selection.found();
    [scanned.counts(), (found.samples.len(), found.responses())]
}

fn packed(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join("rows.jsonl.gz");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    std::fs::write(&path, encoder.finish().expect("memory")).expect("written");
    path
}

#[test]
fn what_is_scanned_once_is_counted_as_what_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in [
        "assets/demo/helpsteer2.jsonl",
        "assets/demo/webgpt.jsonl",
        "tests/samples/shp.jsonl",
    ] {
        let mut bytes = std::fs::read(file).expect("a file");
        bytes.extend_from_slice(b"{\"prompt\": \"water\n");
        let plain = folder.path().join("rows.jsonl");
        std::fs::write(&plain, &bytes).expect("written");
        for path in [plain.clone(), packed(folder.path(), &bytes)] {
            let loader = loader(&path);
            let source = DataSource {
                loader: loader.clone(),
                ..DataSource::default()
            };
            let files = load("", &source, RowUse::ReadAgain).expect("loaded");
            let catalog = Catalog::of(files.dataset.files().iter().map(|file| &*file.schema));
            let mut asked = 0;
            // Compression must not change the columns.
            let of_columns = if path == plain {
                queries_of_columns()
            } else {
                Vec::new()
            };
            for query in QUERIES.map(str::to_owned).iter().chain(&of_columns) {
                if parse(query, &catalog).is_err() {
                    continue;
                }
                let [counted, found] = both(&loader, query);
                assert_eq!(counted, found, "{query:?} in {}", path.display());
                asked += 1;
            }
            assert!(
                asked > 10 + of_columns.len() / 2,
                "{} takes the queries",
                path.display()
            );
        }
    }
}

#[test]
fn decompressed_rows_that_were_evicted_are_counted() {
    let row = |at: usize| {
        let text = "some water and more of it ".repeat(40);
        let [prompt, helpfulness] = [at / 2, at % 5];
        format!(
            "{{\"prompt\": \"{prompt}\", \"response\": \"{text}{at}\", \"helpfulness\": {helpfulness}, \"correctness\": 1, \
             \"coherence\": 1, \"complexity\": 1, \"verbosity\": 1}}\n"
        )
    };
    // Rows longer than the first waves, so that some waves that were started ahead are discarded.
    let longer = |at: usize| row(at).replacen("some ", &"and some ".repeat(at % 7 * 5_000), 1);
    let rows = (0..10_000).map(|at| if at % 400 == 399 { longer(at) } else { row(at) });
    let rows: String = rows.collect();
    let folder = tempfile::tempdir().expect("a folder");
    let loader = loader(&packed(folder.path(), rows.as_bytes()));
    for query in ["", "9999", "response:/it 1?23$/", "helpfulness=4"] {
        let [counted, found] = both(&loader, query);
        assert_eq!(counted, found, "{query:?}");
        assert!(counted.0 > 0, "{query:?}");
    }
}

#[test]
fn what_reads_rows_again_says_so() {
    let schemas = SchemaCatalog::default();
    let schema = schemas.get("helpsteer2").expect("a built-in schema");
    let catalog = Catalog::of([&*schema.schema()]);
    for (query, expected) in [
        ("", true),
        ("helpfulness>=3 verbosity<=1", true),
        ("len.response>40", true),
        ("water", true),
        ("water or not water", true),
        ("water garden", false),
        ("water helpfulness>=2", false),
        ("lists.response>0", false),
        ("is:duplicate", false),
        ("has:code", false),
        ("tag:x", false),
        ("is:marked", false),
        ("findings>0", false),
    ] {
        let query_read = parse(query, &catalog).expect("a query that reads");
        assert_eq!(
            is_answered_by_scan(&query_read, false),
            expected,
            "{query:?}"
        );
    }
}
