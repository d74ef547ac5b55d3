//! The output of `visavis config --json-schema`, checked against the files that come with the
//! program.

use std::fs;
use std::path::Path;

use assert_cmd::assert::OutputAssertExt;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::program::Program;

fn schema(kind: &str) -> Value {
    let printed = Program::new(&["config", "--json-schema", kind])
        .assert()
        .success();
    serde_json::from_slice(&printed.get_output().stdout).expect("JSON")
}

fn of_toml(text: &str) -> Value {
    let table: toml::Table = text.parse().expect("TOML");
    serde_json::to_value(table).expect("JSON")
}

/// True if a value conforms to a schema, for the keywords that these schemas use.
fn fits(value: &Value, schema: &Value, root: &Value) -> bool {
    let Some(schema) = schema.as_object() else {
        return schema == &json!(true);
    };
    schema.iter().all(|(keyword, of)| match keyword.as_str() {
        "$schema" | "$defs" | "title" | "description" | "default" | "format" => true,
        "$ref" => {
            let place = of
                .as_str()
                .and_then(|of| of.strip_prefix('#'))
                .expect("a place");
            fits(value, root.pointer(place).expect("a definition"), root)
        }
        "type" => types(of).iter().any(|of| is_of(value, of)),
        "enum" => of.as_array().expect("values").contains(value),
        "const" => of == value,
        "anyOf" | "oneOf" => any(of).any(|one| fits(value, one, root)),
        "pattern" => {
            let pattern = Regex::new(of.as_str().expect("a pattern")).expect("a pattern");
            value.as_str().is_none_or(|text| pattern.is_match(text))
        }
        "minimum" => value.as_f64() >= of.as_f64(),
        "minItems" => value
            .as_array()
            .is_none_or(|list| list.len() as u64 >= of.as_u64().expect("a number")),
        "maxItems" => value
            .as_array()
            .is_none_or(|list| list.len() as u64 <= of.as_u64().expect("a number")),
        "items" => value
            .as_array()
            .into_iter()
            .flatten()
            .all(|one| fits(one, of, root)),
        "required" => any(of).all(|key| value.get(key.as_str().expect("a key")).is_some()),
        "properties" => {
            members(value).all(|(key, one)| of.get(key).is_none_or(|of| fits(one, of, root)))
        }
        "additionalProperties" => {
            let known = |key: &str| {
                schema
                    .get("properties")
                    .is_some_and(|of| of.get(key).is_some())
            };
            members(value).all(|(key, one)| known(key) || fits(one, of, root))
        }
        other => panic!("{other} is not checked here"),
    })
}

fn any(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().expect("a list").iter()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn types(of: &Value) -> Vec<&str> {
    match of {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}

/// Returns the value once per table, each time with an unknown key in that table.
fn with_unknown_keys(value: &Value) -> Vec<Value> {
    let mut places = vec![String::new()];
    let mut next = 0;
    while let Some(place) = places.get(next).cloned() {
        match value.pointer(&place) {
            Some(Value::Object(of)) => places.extend(
                of.keys()
                    .map(|key| format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))),
            ),
            Some(Value::Array(of)) => {
                places.extend((0..of.len()).map(|at| format!("{place}/{at}")));
            }
            _ => {}
        }
        next += 1;
    }
    let changed = places.iter().filter_map(|place| {
        let mut changed = value.clone();
        let table = changed.pointer_mut(place)?.as_object_mut()?;
        table.insert("no such key".to_owned(), json!({"no such key": true}));
        Some(changed)
    });
    changed.collect()
}

#[track_caller]
fn check(kind: &str, files: impl IntoIterator<Item = (String, Value)>) {
    let schema = schema(kind);
    let mut count = 0;
    for (name, value) in files {
        assert!(fits(&value, &schema, &schema), "{name}");
        for changed in with_unknown_keys(&value) {
            assert!(!fits(&changed, &schema, &schema), "{name}: {changed}");
        }
        count += 1;
    }
    assert!(count > 0);
}

fn assets(folder: &str) -> impl Iterator<Item = (String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets")
        .join(folder);
    let files = fs::read_dir(folder).expect("a folder").flatten();
    files.map(|file| {
        let text = fs::read_to_string(file.path()).expect("a file");
        (file.path().display().to_string(), of_toml(&text))
    })
}

/// Returns the examples of a guide page in this language.
fn examples(page: &str, language: &str) -> Vec<(String, Value)> {
    let text = fs::read_to_string(format!(
        "{}/assets/guide/{page}.md",
        env!("CARGO_MANIFEST_DIR")
    ));
    let text = text.expect("a page");
    let parts = text
        .split("\n```")
        .filter_map(|part| part.strip_prefix(&format!("{language}\n")));
    parts.map(|part| (page.to_owned(), of_toml(part))).collect()
}

#[test]
fn schemas_fit_and_unknown_keys_do_not() {
    check(
        "schema",
        assets("schemas").chain(examples("schemas", "toml")),
    );
}

#[test]
fn settings_and_keys_fit_and_unknown_ones_do_not() {
    let printed = Program::new(&["config"]).assert().success();
    let settings = String::from_utf8(printed.get_output().stdout.clone()).expect("text");
    let mut contexts = Map::new();
    let keys = of_toml(include_str!("../assets/keys.toml"));
    for group in any(&keys["group"]) {
        let context = group["context"].as_str().expect("a context");
        let table = contexts.entry(context).or_insert_with(|| json!({}));
        for binding in any(&group["bindings"]) {
            for key in any(&binding["keys"]) {
                table[key.as_str().expect("a key")] = binding["action"].clone();
            }
        }
    }
    let of_settings = [("settings".to_owned(), of_toml(&settings))];
    check(
        "config",
        of_settings.into_iter().chain(examples("config", "toml")),
    );
    check("config", [("keys".to_owned(), json!({ "keys": contexts }))]);
    let schema = schema("config");
    for wrong in [
        json!({"theme": 3}),
        json!({"colors": "blue"}),
        json!({"list-width": -1}),
        json!({"keys": {"read": {"J": "next"}}}),
        json!({"keys": {"line": {"<f5>": ":sort len"}}}),
        json!({"keys": {"read": {"J": true}}}),
    ] {
        assert!(!fits(&wrong, &schema, &schema), "{wrong}");
    }
}
