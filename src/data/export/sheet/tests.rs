//! Columns of lists: which ones a table shows, their widths, and uncut values.

use super::*;
use crate::dataset::tests::{dataset, dataset_as};
use crate::query::{Catalog, ResponseSet};
use crate::text::width;

const LEAST: usize = 16;

const ROWS: &str = concat!(
    r#"{"prompt": "p\tq", "response": "one", "helpfulness": 1, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 2}"#,
    "\n",
    r#"{"prompt": "p\tq", "response": "two\nlines", "helpfulness": 4, "correctness": null, "coherence": 4, "complexity": 1, "verbosity": 2}"#,
    "\n{\"prompt\": 7}\n",
);

fn listed(columns: &str, per_response: bool, format: ListingFormat) -> String {
    listed_of(ROWS, columns, per_response, format).0
}

/// Returns the output, and the names of omitted columns.
fn listed_of(
    rows: &str,
    columns: &str,
    per_response: bool,
    format: ListingFormat,
) -> (String, Vec<String>) {
    let data = dataset(&[rows.to_owned()]);
    let catalog = Catalog::of_dataset(&data);
    let columns: Vec<_> = match columns {
        "" => ListedColumn::default_columns(&data, &catalog, per_response),
        names => (names.split(','))
            .map(|name| ListedColumn::named(name, &catalog).expect("a column"))
            .collect(),
    };
    let listing = Listing {
        dataset: &data,
        remarks: &ReviewIndex::default(),
        columns: &columns,
        found: &QueryResult {
            samples: vec![0, 1],
            matching: vec![ResponseSet::of([1]), ResponseSet::default()],
        },
        per_response,
    };
    let mut out = Vec::new();
    let left_out = write_listing(&listing, format, &mut out).expect("written");
    (String::from_utf8(out).expect("UTF-8"), left_out)
}

#[test]
fn lines_are_samples_or_responses_that_match() {
    let table = ListingFormat::Table { width: Some(60) };
    for (columns, per_response, format, expected) in [
        (
            "sample,helpfulness,gap.helpfulness,prompt",
            false,
            ListingFormat::Tsv,
            "sample\thelpfulness\tgap.helpfulness\tprompt\n1\t1,4\t3\tp\\tq\n2\t\t\t\n",
        ),
        (
            "sample,side,correctness,response",
            true,
            ListingFormat::Json,
            concat!(
                r#"{"sample":1,"side":"b","correctness":null,"response":"two\nlines"}"#,
                "\n"
            ),
        ),
        (
            "sample,correctness,response",
            false,
            ListingFormat::Json,
            concat!(
                r#"{"sample":1,"correctness":[3,null],"response":["one","two\nlines"]}"#,
                "\n",
                r#"{"sample":2,"correctness":null,"response":[]}"#,
                "\n"
            ),
        ),
        (
            "sample,correctness,prompt",
            false,
            table,
            "sample  correctness  prompt\n1       3 –          p q\n2       –            –\n",
        ),
    ] {
        assert_eq!(listed(columns, per_response, format), expected, "{columns}");
    }
    let default_columns = listed("", false, ListingFormat::Tsv);
    let heading = "sample\trow\thelpfulness\tcorrectness\tcoherence\tcomplexity\tverbosity\tverdict\tprompt\n";
    assert!(default_columns.starts_with(heading), "{default_columns}");
    // Labels may have names of other columns.
    let label = |name: &str| format!("[[label]]\nname = \"{name}\"\n");
    let schema = format!(
        "name = \"own\"\ntitle = \"Own\"\nrows = \"inline\"\nprompt.path = \"/p\"\n\
         [[response]]\ntext = \"/a\"\nratings = {{ key = \"/k/0\", side = \"/s/0\" }}\n\
         [[response]]\ntext = \"/b\"\nratings = {{ key = \"/k/1\", side = \"/s/1\" }}\n{}{}",
        label("key"),
        label("side")
    );
    let data = dataset_as(
        &schema,
        r#"{"p": "Why?", "a": "So.", "b": "No.", "k": [1, 2], "s": [3, 4]}"#,
    );
    let catalog = Catalog::of_dataset(&data);
    let columns = ListedColumn::default_columns(&data, &catalog, true);
    let fields = columns.iter().filter_map(ListedColumn::field);
    let fields: Vec<_> = fields.map(|it| it.spelled(&catalog).to_string()).collect();
    assert_eq!(fields, ["sample", "row", "key", "side"]);
}

#[test]
fn a_table_is_as_wide_as_it_may_be() {
    let table = ListingFormat::Table { width: Some(25) };
    let listed = listed("sample,response", false, table);
    let widest = listed.lines().map(width).max();
    assert_eq!(widest, Some("1       one │ two lines".chars().count()));
    // Headings are cut if lines would break.
    let cut = ListingFormat::Table { width: Some(40) };
    let cut = self::listed("sample,helpfulness,correctness,prompt", false, cut);
    assert!(cut.starts_with("sample  helpf…  corre…  prompt\n"), "{cut}");
    assert!(cut.lines().all(|line| width(line) <= 40), "{cut}");
    // The last column gets some cells, however wide the others are.
    let narrow = ListingFormat::Table { width: Some(10) };
    let listed = self::listed("prompt,response", false, narrow);
    let widest = listed.lines().map(width).max();
    assert_eq!(widest, Some("prompt".len() + 2 + LEAST - 1), "{listed}");
}

#[test]
fn no_line_of_a_table_is_wider_than_a_terminal_of_forty_cells_or_more() {
    // Characters of two cells, and graphemes of several characters.
    let wide = ROWS.replace(
        "one",
        "\u{65e5}\u{672c}\u{8a9e} \u{1f469}\u{200d}\u{1f680}\u{1f44d}\u{1f3fd} ",
    );
    let long = wide.replace("two", &"\u{5b57}\u{1f600}x".repeat(40));
    let long = long.replace("p\\tq", &"\u{6f22}".repeat(50));
    let chosen = "prompt,response,key,gap.helpfulness,prompt";
    for columns in ["", "prompt", "prompt,response", "response,len", chosen] {
        for (width, per_response) in [40, 41, 47, 60, 61, 80, 119]
            .into_iter()
            .flat_map(|it| [(it, false), (it, true)])
        {
            let format = ListingFormat::Table { width: Some(width) };
            let (listed, left_out) = listed_of(&long, columns, per_response, format);
            let widest = listed.lines().map(crate::text::width).max();
            assert!(
                widest <= Some(width),
                "{columns} in {width}: {widest:?}\n{listed}"
            );
            assert!(left_out.is_empty() || width < 120, "{columns} in {width}");
        }
    }
    let format = ListingFormat::Table { width: Some(60) };
    let (table, left_out) = listed_of(ROWS, "", false, format);
    let heading = "sample  row  helpf…  corre…  coher…  prompt\n";
    assert!(table.starts_with(heading), "{table}");
    assert_eq!(left_out, ["complexity", "verbosity", "verdict"]);
    for format in [ListingFormat::Tsv, ListingFormat::Json] {
        assert!(listed_of(ROWS, "", false, format).1.is_empty());
    }
}

#[test]
fn texts_share_the_line() {
    let words = ["p", "one", "two"].map(|word| format!("{word} {}", "x".repeat(200)));
    let [prompt, one, two] = words;
    let long = ROWS.replace("p\\tq", &prompt);
    let long = long.replace("one", &one).replace("two\\nlines", &two);
    let cells_of = |columns: &str, width: usize| {
        let format = ListingFormat::Table { width: Some(width) };
        let (table, left_out) = listed_of(&long, columns, false, format);
        assert!(left_out.is_empty(), "{columns} in {width}: {left_out:?}");
        let line = table.lines().nth(1).expect("a sample").to_owned();
        let cells: Vec<_> = (line.split("  ").filter(|cell| !cell.is_empty()))
            .map(crate::text::width)
            .collect();
        (cells, crate::text::width(&line))
    };
    // The verdict with its heading needs seven cells.
    assert_eq!(
        cells_of("prompt,response,verdict", 80),
        (vec![34, 35, 1], 74)
    );
    assert_eq!(cells_of("prompt,response", 80), (vec![39, 39], 80));
    // A text that needs less width leaves it to the other.
    let short = ROWS.replace("one", &one);
    let format = ListingFormat::Table { width: Some(80) };
    let (table, _) = listed_of(&short, "prompt,response,verdict", false, format);
    let line = table.lines().nth(1).expect("a sample");
    assert!(
        line.starts_with("p q     one ") && width(line) == 74,
        "{table}"
    );
    // A key is cut before a column is omitted.
    let (cells, all) = cells_of("key,row,prompt,response", 60);
    assert_eq!((cells, all), (vec![19, 3, 16, 16], 60));
    // If that is not enough, it gets the width of the omitted column.
    let format = ListingFormat::Table { width: Some(40) };
    let (table, left_out) = listed_of(&long, "key,prompt,response,verdict", false, format);
    assert_eq!(left_out, ["response"]);
    let key = table.lines().nth(1).and_then(|line| line.find('…'));
    assert_eq!(key, Some(12), "{table}");
}

#[test]
fn a_table_without_a_width_is_whole() {
    let long = ROWS.replace("one", &"x".repeat(300));
    let columns = [
        "prompt,response,key,verdict",
        "row",
        &["response"; 9].join(","),
    ];
    for columns in columns {
        let format = ListingFormat::Table { width: None };
        let (table, left_out) = listed_of(&long, columns, false, format);
        assert!(left_out.is_empty() && !table.contains('…'), "{table}");
        let texts = columns.matches("response").count();
        assert_eq!(table.matches(&"x".repeat(300)).count(), texts, "{table}");
    }
    let format = ListingFormat::Table { width: None };
    let (table, _) = listed_of(ROWS, "prompt,response,verdict", false, format);
    assert_eq!(
        table,
        "prompt  response         verdict\np q     one │ two lines  b\n–                        –\n"
    );
}

#[test]
fn unknown_fields_are_reported() {
    let data = dataset(&[ROWS.to_owned()]);
    let error = ListedColumn::named("helpfullness", &Catalog::of_dataset(&data));
    let error = error.expect_err("no field").message;
    assert!(error.contains("did you mean helpfulness?"), "{error}");
}
