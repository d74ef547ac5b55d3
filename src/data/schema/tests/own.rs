//! The user's own schemas: how they are found next to the built-in ones, and error messages for
//! invalid ones.

use std::path::Path;

use super::record_of;
use crate::schema::{
    Definition, FieldChoice, Schema, SchemaCatalog, SchemaChoice, Survey, built_in,
};

const MINE: &str = "name = \"mine\"\ntitle = \"Mine\"\nrows = \"inline\"\nprompt.path = \"/ask\"\n\
                    [[response]]\ntext = \"/left\"\n[[response]]\ntext = \"/right\"\n";

fn put(folder: &Path, name: &str, toml: &str) {
    std::fs::write(folder.join(name), toml).expect("written");
}

fn detected(catalog: &SchemaCatalog, line: &str) -> String {
    let schema = SchemaChoice::Detect(catalog.clone()).schema(&[line.as_bytes()]);
    schema.expect("a schema").definition().name.clone()
}

#[test]
fn a_folder_adds_to_the_built_in_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let (without, errors) = SchemaCatalog::with_folder(&folder.path().join("none"));
    assert!(errors.is_empty() && without.iter().count() == built_in().len());

    put(folder.path(), "a.toml", MINE);
    // The same keys as a built-in schema, under another name and under its name.
    let helpsteer2 = SchemaCatalog::default();
    let helpsteer2 = &helpsteer2
        .get("helpsteer2")
        .expect("built in")
        .definition()
        .toml;
    put(
        folder.path(),
        "equal.toml",
        &helpsteer2.replacen("\"helpsteer2\"", "\"equal\"", 1),
    );
    let webgpt = SchemaCatalog::default();
    let webgpt = &webgpt
        .get("webgpt-flat")
        .expect("built in")
        .definition()
        .toml;
    put(
        folder.path(),
        "webgpt.toml",
        &webgpt.replacen("WebGPT comparisons\"", "My WebGPT\"", 1),
    );
    for other in [".hidden.toml", "notes.txt"] {
        put(folder.path(), other, "no TOML at all");
    }
    let (catalog, errors) = SchemaCatalog::with_folder(folder.path());
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(catalog.iter().count(), built_in().len() + 2);

    assert_eq!(
        detected(&catalog, r#"{"ask": "p", "left": "x", "right": "y"}"#),
        "mine"
    );
    assert!(catalog.named("mine").is_ok() && SchemaChoice::named("mine").is_err());
    assert_eq!(
        detected(&catalog, super::RATED),
        "equal",
        "a tie is the user's"
    );
    let replaced = catalog.get("webgpt-flat").expect("a schema");
    assert_eq!(replaced.definition().title, "My WebGPT");
    assert_eq!(replaced.file, Some(folder.path().join("webgpt.toml")));
    assert_eq!(detected(&catalog, super::FLAT), "webgpt-flat");
}

#[test]
fn invalid_files_are_reported_and_the_others_loaded() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "a.toml", MINE);
    put(folder.path(), "b.toml", "name = \"b\"\ntitle = 3\n");
    put(folder.path(), "c.toml", MINE);
    std::fs::create_dir(folder.path().join("d.toml")).expect("a folder");
    std::fs::write(folder.path().join("e.toml"), b"name = \"\xff\"").expect("written");
    let (catalog, errors) = SchemaCatalog::with_folder(folder.path());
    assert!(catalog.get("mine").is_some());
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    for (said, parts) in errors.iter().zip([
        [
            "b.toml: line 2, key title: expected text in quotes",
            "; write title = ",
        ],
        [
            "c.toml: line 1, key name: ",
            "a.toml already has the name `mine`; choose another name",
        ],
        ["d.toml: ", "not a regular file"],
        ["e.toml: ", "UTF-8"],
    ]) {
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    }
    assert_eq!(errors.len(), 4, "{errors:?}");
}

/// Each schema has one fault; the message names the line, the key and the fix.
#[test]
fn errors_name_the_line_and_the_key() {
    let own = |rows: &str, rest: &str| {
        format!("name = \"n\"\ntitle = \"t\"\nrows = \"{rows}\"\nprompt.path = \"/p\"\n{rest}")
    };
    let two = "[[response]]\ntext = \"/a\"\n[[response]]\ntext = \"/b\"\n";
    for (toml, said) in [
        (
            "name = \"n\"\ntitle = t\n".to_owned(),
            "line 2: invalid TOML: ",
        ),
        (
            "name = \"n\"\n".to_owned(),
            "line 1, key title: this key is missing; write title = \"My ratings\"",
        ),
        (
            own("both", two),
            "line 3, key rows: unknown value `both`; use one of: adjacent, groups, inline, annotations; \
             write rows = \"inline\" if",
        ),
        (
            own("inline", &format!("{two}[[lable]]\nname = \"x\"\n")),
            "line 9, key lable: unknown key `lable`; did you mean `label`?",
        ),
        (
            own("inline", "[[response]]\ntxt = \"/a\"\n"),
            "line 6, key response.txt: unknown key `txt`; did you mean `text`?",
        ),
        (
            own("inline", "[[response]]\nquotes = \"/q\"\n"),
            "line 5, key response.text: this key is missing; write \
             text = \"/answer\"",
        ),
        (
            own("inline", &format!("{two}ratings.good = \"/g\"\n")),
            "line 9, key response.ratings.good: unknown [[label]] `good`; write",
        ),
        (
            own("inline", &format!("{two}ratings.good = true\n")),
            "line 9, key response.ratings.good: wrong type of value for this key; \
             write ratings.quality = \"/stars\"",
        ),
        (
            own(
                "inline",
                &format!("verdict.label = \"x\"\n{two}[[label]]\nname = \"y\"\n"),
            ),
            "line 5, key verdict.label: unknown [[label]] `x`; use one of: y",
        ),
        (
            own(
                "inline",
                &format!("verdict = {{ path = \"/v\", positive = \"left\" }}\n{two}"),
            ),
            "key verdict.positive: `left` is not a response; use `a`, `b`",
        ),
        (
            own("inline", "prompt = 3\n").replace("prompt.path = \"/p\"\n", ""),
            "line 4, key prompt: expected a table, found integer `3`",
        ),
        (
            own("inline", &format!("{two}[label]\nname = \"x\"\n")),
            "line 9, key label: expected a list, found a table; \
             write [[label]] with name",
        ),
        (
            own(
                "inline",
                &format!("{two}[[label]]\nname = \"x\"\nrange = [1, \"x\"]\n"),
            ),
            "line 11, key label.range: expected a number, found string \"x\"",
        ),
        (
            own(
                "inline",
                &format!("verdict = {{ path = \"/w\", names = {{ a = \"/x\" }} }}\n{two}"),
            ),
            "its keys must be a, b and so on, one for each response, and tie",
        ),
        (
            own("inline", &format!("verdict = {{ path = \"/v\" }}\n{two}")),
            "line 5, key verdict: a path needs the keys a and b; write verdict = ",
        ),
        (
            own(
                "inline",
                &format!("verdict = {{ path = \"/v\", a = [\"1\"] }}\n{two}"),
            ),
            "line 5, key verdict: a path needs the keys a and b",
        ),
        (
            own(
                "inline",
                &format!("verdict = {{ always = \"a\", strengths = 1 }}\n{two}"),
            ),
            "key verdict.strengths: expected a list, found integer `1`",
        ),
        (
            own("adjacent", two),
            "line 5, key response: adjacent rows and groups have one response each; of several",
        ),
        (
            own(
                "inline",
                "[[response]]\ntext = \"/p/*/x\"\n[[response]]\ntext = \"/b/*/x/*\"\n",
            ),
            "line 8, key response.text: the path /b/0/x/* has a `*` too many",
        ),
        (
            own("inline", &format!("needs = [\"/x/*\"]\n{two}")),
            "line 5, key needs: the path /x/* has a `*` too many",
        ),
    ] {
        let error = Schema::parse(&toml).expect_err(&toml).to_string();
        assert!(error.contains(said), "{toml}\n{error}\n{said}");
        assert!(!error.contains('\n'), "{error}");
    }
    // Only the rule is wrong; the words next to it are right.
    let toml = own(
        "inline",
        &format!("{two}[verdict]\nlabel = 3\nstrengths = [\"x\"]\n"),
    );
    let error = Definition::parse(&toml).expect_err("refused").to_string();
    assert!(error.starts_with("line 10, key verdict.label: "), "{error}");
}

/// Returns the keys that a table accepts, as the TOML parser lists them.
fn keys_known(toml: &str) -> Vec<String> {
    let error = toml::from_str::<Definition>(toml).expect_err("a key that is none");
    let known = error.message().split_once("expected one of ");
    let known = known.expect("a list").1.split(',');
    let known = known.map(|key| key.trim().trim_matches('`').to_owned());
    let earlier = ["responses", "prefix_tokens", "completion_tokens"];
    known.filter(|key| !earlier.contains(&&**key)).collect()
}

#[test]
fn every_key_has_an_example() {
    let definition = Definition::default();
    let example = |table: &str, keys: &[&str]| {
        let fault = definition.fault(table, 0, keys, "odd").to_string();
        fault
            .split_once("; write ")
            .map(|(_, text)| text.to_owned())
    };
    let keys = keys_known("no = 1");
    assert!(keys.len() > 10, "{keys:?}");
    for key in &keys {
        assert!(example(key, &[]).is_some(), "{key}");
    }
    for key in keys_known("[[response]]\nno = 1") {
        assert!(
            example("response", &[&key]) != example("response", &[]),
            "{key}"
        );
    }
}

/// A list of responses gets twice as many slots as the longest list in the first records has
/// elements.
#[test]
fn lists_have_room_for_as_many_responses_as_the_first_records_have() {
    let toml = "name = \"list\"\ntitle = \"List\"\nrows = \"inline\"\nprompt.path = \"/p\"\n\
                [[response]]\neach = \"/in/r\"\ntext = \"/t\"\n";
    let schema = Schema::new(Definition::parse(toml).expect("a definition"));
    let choice = SchemaChoice::Named(schema.into());
    let row = |count: usize| {
        let texts: Vec<_> = (0..count)
            .map(|at| format!(r#"{{"t": "text {at}"}}"#))
            .collect();
        format!(r#"{{"p": "p", "in": {{"r": [{}]}}}}"#, texts.join(", "))
    };
    for (first, places) in [
        (8, 26),
        (13, 32),
        (17, 64),
        (30, 64),
        (64, 128),
        (3000, 1024),
    ] {
        let lines = [row(1), row(first)];
        let lines: Vec<_> = lines.iter().map(String::as_bytes).collect();
        let schema = choice.schema(&lines).expect("a schema");
        assert_eq!(schema.responses(), places, "{first}");
        for count in [1, places, places + 1] {
            let line = row(count);
            let record = schema
                .row(line.as_bytes())
                .expect("a row")
                .record()
                .expect("a record");
            assert_eq!(record.responses.len(), count.min(places), "{first}");
            assert_eq!(!record.warnings.is_empty(), count > places, "{first}");
            assert_eq!(
                &*record.responses[count.min(places) - 1].text,
                format!("text {}", count.min(places) - 1)
            );
        }
    }
    let schema = choice
        .schema_of_first_line(row(30).as_bytes())
        .expect("a schema");
    assert_eq!(schema.responses(), 64);
}

#[test]
fn an_edited_schema_keeps_what_was_not_edited() {
    let toml = "name = \"own\"\ntitle = \"Own\"\nabout = \"mine\"\nrows = \"inline\"\nprompt.path = \"/q\"\n\
        verdict = { label = \"stars\", lower = true, strengths = [\"better\"], agreement = 0.7 }\n\
        [[response]]\ntext = \"/a\"\nratings.stars = \"/sa\"\nquotes = \"/qa\"\n\
        [[response]]\ntext = \"/b\"\nratings.stars = \"/sb\"\n\
        [[label]]\nname = \"stars\"\nrange = [1, 5]\nabout = \"how good\"\nagreement = 0.5\n\
        [[fact]]\nname = \"topic\"\npath = \"/t\"\nblind = \"show\"\n\
        [[text]]\nname = \"why\"\ntitle = \"Why\"\npath = \"/w\"\n";
    let own = Definition::parse(toml).expect("a schema");
    let record = serde_json::json!({
        "q": "why?", "a": "so it is, and so on", "b": "not so, but so", "sa": 1, "sb": 2, "t": "x",
        "w": "it says why", "n": "another text", "p": "a"
    });
    let mut other = record.clone();
    other["p"] = "b".into();
    let records = Survey::from([record, other]);
    let edited = |path: &str, choice: FieldChoice| {
        let mut choices = own.choices();
        let path = crate::schema::Path::from(path);
        choices
            .fields
            .retain(|(_, known)| choice != FieldChoice::Winner || *known != choice);
        choices.fields.push((path, choice));
        let built = choices.definition(&records).expect("a layout");
        let edited = own.edited(built, &choices);
        let toml = edited.named("own").to_toml(&[]).expect("a schema");
        Definition::parse(&toml).expect("a schema")
    };
    let same = |edited: &Definition| {
        assert_eq!(edited.labels, own.labels);
        assert_eq!(edited.responses, own.responses);
        assert_eq!((&edited.about, &edited.prompt), (&own.about, &own.prompt));
    };
    let with_text = edited("n", FieldChoice::Text);
    same(&with_text);
    assert_eq!(
        (&with_text.facts, &with_text.verdict),
        (&own.facts, &own.verdict)
    );
    assert_eq!(with_text.texts.len(), 2);
    assert_eq!(with_text.texts[0], own.texts[0]);
    let with_winner = edited("p", FieldChoice::Winner);
    same(&with_winner);
    let verdict = &with_winner.verdict;
    assert!(verdict.is_some() && *verdict != own.verdict, "{verdict:?}");
    let without_fact = edited("t", FieldChoice::Field);
    same(&without_fact);
    assert_eq!(
        (without_fact.facts.len(), &without_fact.texts),
        (0, &own.texts)
    );
}

/// Returns the verdicts of pairs with these values of `pick`, by a map and by its schema file.
fn verdicts(map: &str, picks: &[&str]) -> String {
    let rows = picks.iter().map(|pick| {
        format!(r#"{{"q": "why?", "left": "so it is", "right": "it is not so", "pick": "{pick}"}}"#)
    });
    let rows: Vec<_> = rows.collect();
    let lines: Vec<_> = rows.iter().map(String::as_bytes).collect();
    let map = format!("prompt=q,a=left,b=right,{map}")
        .parse()
        .expect("a map");
    let mapped = SchemaChoice::Mapped(map).schema(&lines).expect("a schema");
    let toml = mapped
        .definition()
        .named("own")
        .to_toml(&[])
        .expect("a schema");
    let written = Schema::parse(&toml).expect("a schema");
    let read = [&*mapped, &written].map(|schema| {
        let verdict = |row: &String| {
            let record = record_of(schema, row);
            let outcome = record.outcome.map(|it| it.verdict.word());
            outcome.unwrap_or_else(|| "-".to_owned())
        };
        rows.iter().map(verdict).collect::<Vec<_>>().join(" ")
    });
    assert_eq!(read[0], read[1], "{toml}");
    read[0].clone()
}

#[test]
fn a_map_says_what_values_of_the_verdict_mean() {
    for (map, picks, expected) in [
        ("winner=pick", &["left", "right", "B"][..], "a b b"),
        ("loser=pick", &["left", "right", "tie"], "b a tie"),
        (
            "winner=pick,winner.a=0,winner.b=1,winner.tie=2",
            &["0", "1", "2", "3"],
            "a b tie -",
        ),
        (
            "winner=pick,winner.b=甲,winner.a=乙",
            &["甲", "乙", "tie"],
            "b a tie",
        ),
        // Later words are read by the names of the responses only if the first ones agree with
        // these.
        (
            "winner=pick,winner.b=left,winner.a=right",
            &["left", "right", "A"],
            "b a -",
        ),
    ] {
        assert_eq!(verdicts(map, picks), expected, "{map}");
    }
}

#[test]
fn keys_of_earlier_versions_are_ignored() {
    let now = include_str!("../../assets/schemas/webgpt-flat.toml");
    let earlier = "[[response]]\nprefix_tokens = \"/a\"\ncompletion_tokens = \"/b\"\n";
    let earlier = now.replace("[[response]]\n", earlier);
    assert_ne!(now, earlier);
    let [now, earlier] = [now, &earlier].map(|toml| Definition::parse(toml).expect("a schema"));
    assert_eq!(now.responses, earlier.responses);
}
