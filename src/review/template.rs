//! The texts of reports: templates in `assets/reports`, compiled in.
//!
//! Numbers, tables and names come made up for Markdown; what is said around them stands in the
//! templates.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value};

use crate::text;

static TEXTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/reports");

static TEMPLATES: LazyLock<Result<Environment<'static>, Error>> = LazyLock::new(|| {
    let mut all = Environment::new();
    all.set_auto_escape_callback(|_| AutoEscape::None);
    all.set_undefined_behavior(UndefinedBehavior::Strict);
    all.set_syntax(SyntaxConfig::builder().trim_blocks(true).build()?);
    all.add_filter("counted", |count: u64, noun: &str| {
        text::counted(count as usize, noun)
    });
    for file in TEXTS.files() {
        let name = file.path().to_str().unwrap_or_default();
        all.add_template(name, file.contents_utf8().unwrap_or_default())?;
    }
    Ok(all)
});

/// A text by the name of its template. Tests render every template; were one broken all the same,
/// the text says what is wrong.
pub(crate) fn render(name: &str, context: Value) -> String {
    let rendered = match &*TEMPLATES {
        Ok(all) => all.get_template(name).and_then(|it| it.render(context)),
        Err(error) => return format!("The report cannot be written: {error:#}."),
    };
    rendered.unwrap_or_else(|error| format!("The report cannot be written: {error:#}."))
}
