//! The README says what the program does.

// A helper that fails is a failed test.
#![allow(clippy::expect_used)]

const README: &str = include_str!("../README.md");

fn between(start: &str, end: &str) -> &'static str {
    let from = README.find(start).expect(start) + start.len();
    let length = README[from..].find(end).expect(end);
    &README[from..from + length]
}

#[test]
fn its_keys_are_those_of_the_table() {
    let listed = between("<!-- keys -->\n", "<!-- /keys -->");
    let table = visavis::keymap::markdown();
    assert_eq!(listed, table, "put this between the two comments:\n{table}");
}

#[test]
fn it_names_every_built_in_schema() {
    let table = between("## Formats\n", "\n\nFiles are");
    for definition in visavis::schema::built_in() {
        assert!(table.contains(&format!("`{}`", definition.name)), "{}", definition.name);
    }
}

#[test]
fn its_schema_is_one() {
    let toml = between("```toml\n", "```");
    let definition = visavis::schema::Definition::parse(toml).expect("a schema");
    visavis::schema::Schema::new(definition).expect("paths that do not contain each other");
}

#[test]
fn its_pictures_are_there() {
    for picture in README.split("](assets/").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(std::path::Path::new("assets").join(picture).exists(), "assets/{picture}");
    }
}

#[test]
fn its_queries_read() {
    let schemas: Vec<_> = visavis::schema::built_in()
        .into_iter()
        .map(|definition| visavis::schema::Schema::new(definition).expect("a schema"))
        .collect();
    let catalog = visavis::query::Catalog::of(&schemas);
    let rows = between("| Form | Examples | Meaning |\n|---|---|---|\n", "\n\n").lines();
    let mut read = 0;
    for row in rows {
        let examples = row.split(" | ").nth(1).expect("three columns");
        for example in
            examples.split('`').skip(1).step_by(2).filter(|example| example.contains(['=', ':', '>', '<', ' ']))
        {
            let query = visavis::query::parse(example, &catalog);
            assert!(query.is_ok(), "{example}: {}", query.expect_err("an error"));
            read += 1;
        }
    }
    assert!(read > 40, "{read}");
}
