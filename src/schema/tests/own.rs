//! Schemas of a person's own: how they are found beside the built-in ones, and what is said of
//! those that are none.

use std::path::Path;

use super::super::{Definition, Schema, SchemaCatalog, SchemaChoice, SchemaOrigin, built_in};

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
    // The same keys as a built-in one, under another name and under its own.
    let helpsteer2 = SchemaCatalog::default();
    let helpsteer2 = &helpsteer2.get("helpsteer2").expect("built in").toml;
    put(
        folder.path(),
        "equal.toml",
        &helpsteer2.replacen("\"helpsteer2\"", "\"equal\"", 1),
    );
    let webgpt = SchemaCatalog::default();
    let webgpt = &webgpt.get("webgpt-flat").expect("built in").toml;
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
    assert!(matches!(
        replaced.origin,
        SchemaOrigin::User { replaces: true, .. }
    ));
    assert_eq!(detected(&catalog, super::FLAT), "webgpt-flat");
}

#[test]
fn broken_files_are_told_and_the_others_are_there() {
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
            "b.toml is not a schema: line 2, column 9, key title: ",
            "in `title = 3`; write title = ",
        ],
        [
            "c.toml is not a schema: line 1, column 1, key name: ",
            "a.toml has the name `mine`",
        ],
        ["d.toml: ", "this is no ordinary file"],
        ["e.toml: ", "UTF-8"],
    ]) {
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    }
    assert_eq!(errors.len(), 4, "{errors:?}");
}

/// A schema with one thing wrong: what is said names line, column and key, quotes the line, and
/// says what to write.
#[test]
fn errors_name_the_line_and_the_key() {
    let own = |rows: &str, rest: &str| {
        format!("name = \"n\"\ntitle = \"t\"\nrows = \"{rows}\"\nprompt.path = \"/p\"\n{rest}")
    };
    let two = "[[response]]\ntext = \"/a\"\n[[response]]\ntext = \"/b\"\n";
    for (toml, said) in [
        (
            "name = \"n\"\ntitle = t\n".to_owned(),
            "line 2, column 9, no TOML: ",
        ),
        (
            "name = \"n\"\n".to_owned(),
            "line 1, column 1, key title: missing field `title`, in `name = \"n\"`; write title = \"My ratings\"",
        ),
        (
            own("both", two),
            "line 3, column 8, key rows: unknown variant `both`, expected one of `adjacent`, `groups`, `inline`, \
             in `rows = \"both\"`; write rows = \"inline\" where",
        ),
        (
            own("inline", &format!("{two}[[lable]]\nname = \"x\"\n")),
            "line 9, column 3, key lable: unknown field `lable`, expected one of",
        ),
        (
            own("inline", "[[response]]\ntxt = \"/a\"\n"),
            "line 6, column 1, key response.txt: unknown field `txt`",
        ),
        (
            own("inline", "[[response]]\nquotes = \"/q\"\n"),
            "line 5, column 1, key response.text: missing field `text`, in `[[response]]`; write \
             text = \"/answer\"",
        ),
        (
            own("inline", &format!("{two}ratings.good = \"/g\"\n")),
            "line 9, column 9, key response.ratings.good: ratings of `good`, but no [[label]] has \
             that name; there is none: add [[label]] with name = \"good\", in `ratings.good = \
             \"/g\"`",
        ),
        (
            own("inline", &format!("{two}ratings.good = true\n")),
            "line 9, column 16, key response.ratings.good: this is of another kind than the key \
             takes, in `ratings.good = true`; write ratings.quality = \"/stars\"",
        ),
        (
            own(
                "inline",
                &format!("verdict.label = \"x\"\n{two}[[label]]\nname = \"y\"\n"),
            ),
            "line 5, column 9, key verdict.label: the verdict goes by `x`, but no [[label]] has \
             that name; there are y",
        ),
        (
            own(
                "inline",
                &format!("verdict = {{ path = \"/v\", positive = \"left\" }}\n{two}"),
            ),
            "key verdict.positive: `left` is no response: write `a`, `b`",
        ),
        (
            own("inline", "prompt = 3\n").replace("prompt.path = \"/p\"\n", ""),
            "line 4, column 10, key prompt: invalid type: integer `3`, expected a table",
        ),
        (
            own("inline", &format!("{two}[label]\nname = \"x\"\n")),
            "line 9, column 1, key label: invalid type: a table, expected a list, in `[label]`; \
             write [[label]] with name",
        ),
        (
            own(
                "inline",
                &format!("{two}[[label]]\nname = \"x\"\nrange = [1, \"x\"]\n"),
            ),
            "line 11, column 13, key label.range: invalid type: string \"x\", expected a number",
        ),
        (
            own(
                "inline",
                &format!("verdict = {{ path = \"/w\", names = {{ a = \"/x\" }} }}\n{two}"),
            ),
            "key verdict.names.b: missing field `b`",
        ),
        (
            own("inline", &format!("verdict = {{ path = \"/v\" }}\n{two}")),
            "line 5, column 1, key verdict: its keys say of no rule who wins, in `verdict = ",
        ),
        (
            own(
                "inline",
                &format!("verdict = {{ path = \"/v\", a = [\"1\"] }}\n{two}"),
            ),
            "line 5, column 11, key verdict.b: missing field `b`",
        ),
        (
            own(
                "inline",
                &format!("verdict = {{ always = \"a\", strengths = 1 }}\n{two}"),
            ),
            "key verdict.strengths: invalid type: integer `1`, expected a list",
        ),
        (
            own("adjacent", two),
            "line 5, column 3, key response: 2 [[response]] tables; adjacent rows and groups have 1",
        ),
        (
            own(
                "inline",
                "[[response]]\ntext = \"/p/x\"\n[[response]]\ntext = \"/b\"\n",
            ),
            "line 6, column 1, key response.text: the path /p/x lies inside another one, or \
             contains it",
        ),
        (
            own(
                "inline",
                &format!("{two}[[fact]]\nname = \"é\"\npath = \"/x/*/y/*\"\n"),
            ),
            "line 11, column 1, key fact.path: /x/*/y/* has a `*` too many",
        ),
    ] {
        let error = Schema::parse(&toml).expect_err(&toml).to_string();
        assert!(error.contains(said), "{toml}\n{error}\n{said}");
        assert!(!error.contains('\n'), "{error}");
    }
    // The rule alone is wrong, where the words beside it are right.
    let toml = own(
        "inline",
        &format!("{two}[verdict]\nlabel = 3\nstrengths = [\"x\"]\n"),
    );
    let error = Definition::parse(&toml).expect_err("refused").to_string();
    assert!(
        error.starts_with("line 10, column 9, key verdict.label: "),
        "{error}"
    );
}
