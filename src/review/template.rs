//! Templates of reports in `assets/reports`, compiled in.
//!
//! Contexts are the serialised values of JSON output, plus words that only readers need.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value};
use serde::Serialize;

use super::markdown::{code, fenced, fenced_start, inline, quoted};
use crate::model::ResponseId;
use crate::text;

static TEXTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/reports");

static TEMPLATES: LazyLock<Result<Environment<'static>, Error>> = LazyLock::new(|| {
    let mut all = Environment::new();
    all.set_auto_escape_callback(|_| AutoEscape::None);
    all.set_undefined_behavior(UndefinedBehavior::Strict);
    all.set_syntax(SyntaxConfig::builder().trim_blocks(true).build()?);
    all.add_filter("counted", text::counted);
    // The date of a journal's time.
    all.add_filter("date", |time: &str| {
        inline(time.split('T').next().unwrap_or_default())
    });
    all.add_filter("inline", inline);
    all.add_filter("code", code);
    all.add_filter("quoted", quoted);
    all.add_filter("fenced", |text: &str, most: Option<usize>| match most {
        Some(most) => fenced_start(text, most),
        None => fenced(text),
    });
    all.add_filter("grouped", text::grouped);
    all.add_filter("one_line", text::one_line);
    // Aligns lines of cells that are separated by tabs.
    all.add_filter("aligned", |lines: &str, numbers: Vec<usize>| {
        let rows = lines
            .lines()
            .map(|line| line.split('\t').map(str::to_owned).collect());
        text::aligned(&rows.collect::<Vec<Vec<String>>>(), &numbers)
    });
    all.add_filter("letter", |word: &str| {
        ResponseId::of_word(word).map_or("", ResponseId::letter)
    });
    for file in TEXTS.files() {
        let name = file.path().to_str().unwrap_or_default();
        all.add_template(name, file.contents_utf8().unwrap_or_default())?;
    }
    Ok(all)
});

/// Renders a template by name. Tests render every template; if one fails nevertheless, the text is
/// the error message.
pub(crate) fn render(name: &str, context: Value) -> String {
    let rendered = match &*TEMPLATES {
        Ok(all) => all.get_template(name).and_then(|it| it.render(context)),
        Err(error) => return format!("The report cannot be written: {error:#}."),
    };
    rendered.unwrap_or_else(|error| format!("The report cannot be written: {error:#}."))
}

/// Serialises a value for a template.
pub(crate) fn serialised(value: impl Serialize) -> Value {
    Value::from(Serde(value))
}
