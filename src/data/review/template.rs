//! Templates of reports in `assets/reports`, compiled in.
//!
//! Contexts are the serialised values of JSON output, plus words that only readers need.
//! Foreign text is escaped, so that none of it is interpreted as Markdown.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value};
use serde::Serialize;

use crate::model::ResponseId;
use crate::text::{self, Hidden, escape_markdown, one_line, sanitise};

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
pub fn serialised(value: impl Serialize) -> Value {
    Value::from(Serde(value))
}

/// Formats a text as a fenced block, byte for byte; the fence is longer than any run of backticks
/// in it. A quotation is not safe: its link definitions apply to the whole document, and its HTML
/// is HTML.
pub(crate) fn fenced(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let end = if text.ends_with('\n') || text.is_empty() {
        ""
    } else {
        "\n"
    };
    format!("{fence}text\n{text}{end}{fence}\n")
}

/// A piece of a page whose texts are [`fenced`].
#[derive(Debug, PartialEq, Eq)]
pub enum PagePiece<'p> {
    /// Markdown of our own.
    Markdown(&'p str),
    /// A foreign text, without its fence.
    Text(&'p str),
}

/// Splits a page into pieces, in order, without the fences.
pub fn page_pieces(page: &str) -> Vec<PagePiece<'_>> {
    let (mut pieces, mut fence) = (Vec::new(), None);
    let (mut start, mut at) = (0, 0);
    for line in page.split_inclusive('\n') {
        let piece = page.get(start..at).unwrap_or_default();
        at += line.len();
        let line = line.trim_end_matches('\n');
        match fence {
            None => {
                let marks = line.strip_suffix("text");
                let is_fence = |marks: &&str| marks.len() > 2 && marks.bytes().all(|b| b == b'`');
                if let Some(marks) = marks.filter(is_fence) {
                    pieces.push(PagePiece::Markdown(piece));
                    (fence, start) = (Some(marks), at);
                }
            }
            Some(marks) if line == marks => {
                pieces.push(PagePiece::Text(piece));
                (fence, start) = (None, at);
            }
            Some(_) => {}
        }
    }
    pieces.push(PagePiece::Markdown(page.get(start..).unwrap_or_default()));
    pieces.retain(|piece| *piece != PagePiece::Markdown(""));
    pieces
}

/// Formats the first `most` characters of a text as a fenced block. If the text is cut, adds its
/// length.
fn fenced_start(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => fenced(text),
        Some((end, _)) => {
            let all = text.chars().count();
            format!(
                "{}*The first {most} of {all} characters.*\n",
                fenced(&text[..end]) + "\n"
            )
        }
    }
}

/// Formats a text as one line for a sentence or a table cell.
pub(crate) fn inline(text: &str) -> String {
    escape_markdown(&one_line(text, MAX_CELLS))
}

/// Formats a text as a quotation, line by line.
pub(crate) fn quoted(text: &str) -> String {
    let clean = sanitise(text, Hidden::Discreet);
    let lines: Vec<_> = clean
        .as_str()
        .trim_end()
        .lines()
        .map(|line| escape_markdown(line.trim()))
        .collect();
    // A trailing backslash is a line break; an empty line starts a paragraph.
    let mut out = String::new();
    for (place, line) in lines.iter().enumerate() {
        let breaks = !line.is_empty() && lines.get(place + 1).is_some_and(|next| !next.is_empty());
        out.push_str(format!("> {line}{}", if breaks { "\\" } else { "" }).trim_end());
        out.push('\n');
    }
    out
}

/// Formats a text as a code span.
pub(crate) fn code(text: &str) -> String {
    let text = one_line(text, MAX_CELLS);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let mark = "`".repeat(longest_run(&text) + 1);
    // Markdown strips one space on each side, which separates backticks of the text from the marks.
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{mark}{pad}{text}{pad}{mark}")
}

/// Maximum width of a text in one line, in cells.
const MAX_CELLS: usize = 2000;

fn longest_run(text: &str) -> usize {
    let runs = text.split(|sign| sign != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_split_at_its_texts() {
        use PagePiece::{Markdown, Text};
        let page = format!("# a\n\n{}\nb\n{}", fenced("x\n```text\ny"), fenced(""));
        let expected = [
            Markdown("# a\n\n"),
            Text("x\n```text\ny\n"),
            Markdown("\nb\n"),
            Text(""),
        ];
        assert_eq!(page_pieces(&page), expected);
        assert_eq!(page_pieces("a\n```sh\nb\n"), [Markdown("a\n```sh\nb\n")]);
        assert_eq!(page_pieces(""), []);
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(fenced("a\n```\nb"), "````text\na\n```\nb\n````\n");
        assert_eq!(fenced(""), "```text\n```\n");
        assert_eq!(
            fenced("\ta\u{1b}[0m\u{200b}\r\n"),
            "```text\n\ta\u{1b}[0m\u{200b}\r\n```\n"
        );
        assert_eq!(fenced_start("abcd", 4), fenced("abcd"));
        assert_eq!(
            fenced_start("abcd", 2),
            "```text\nab\n```\n\n*The first 2 of 4 characters.*\n"
        );
        assert_eq!(inline("a|b\n<c> *d* \u{1b}"), "a\\|b \\<c\\> \\*d\\* ␛");
        assert_eq!(inline("12. x"), "12\\. x");
        assert_eq!(quoted("# a\nb\n\n- c\n"), "> \\# a\\\n> b\n>\n> \\- c\n");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
    }
}
