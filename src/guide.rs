//! The manual, compiled in: a page for each topic, found by its name.
//!
//! What a page is called and what it is about stands in the page itself: its file's name, its
//! heading, and the first sentence below that. `index.md` says in which order the pages are listed.
//!
//! [`find`] looks a [`Topic`] up; [`topics`] lists them.

use include_dir::{Dir, include_dir};
use thiserror::Error;

use crate::query::nearest;

/// Every file in there but the index is a page.
static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/guide");

const INDEX: &str = "index.md";

/// A page of the manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic {
    /// One lower-case word, by which the page is asked for.
    pub name: &'static str,
    /// The page's heading.
    pub title: &'static str,
    /// One sentence on what the page is about.
    pub summary: &'static str,
    /// The page as it stands in the file: Markdown.
    pub source: &'static str,
}

impl Topic {
    fn of(name: &'static str, source: &'static str) -> Option<Self> {
        let (heading, rest) = source.split_once('\n')?;
        let summary = rest.lines().find(|line| !line.is_empty())?;
        Some(Self {
            name,
            title: heading.strip_prefix("# ")?,
            summary,
            source,
        })
    }

    /// The page as Markdown for a terminal: without pictures, and with names of topics in place of
    /// links to their files.
    pub fn markdown(&self) -> String {
        let mut text = flowing(self.source.lines().filter(|line| !line.starts_with("![")));
        for topic in topics() {
            text = text.replace(
                &format!("[{0}]({0}.md)", topic.name),
                &format!("**{}**", topic.name),
            );
        }
        text
    }
}

/// Paragraphs without the line breaks that the file has for whoever edits it: a terminal has a
/// width of its own.
fn flowing<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let (mut out, mut is_code, mut is_text) = (String::new(), false, false);
    for line in lines {
        let is_fence = line.starts_with("```");
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let begins = ["#", "|", "- ", "* ", ">"]
            .iter()
            .any(|sign| line.starts_with(sign))
            || (numbered.len() < line.len() && numbered.starts_with(". "));
        let goes_on = is_text && !is_code && !is_fence && !line.is_empty() && !begins;
        match (goes_on, out.is_empty()) {
            (true, _) => out.push(' '),
            (false, false) => out.push('\n'),
            (false, true) => {}
        }
        out.push_str(if goes_on { line.trim_start() } else { line });
        is_code ^= is_fence;
        is_text = !is_code && !is_fence && !line.is_empty() && !line.starts_with(['#', '|']);
    }
    out
}

/// Why no page can be shown; the message says which there are.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TopicError {
    /// No page is called so, nor begins so.
    #[error("the guide has no page {typed}; {hint}")]
    Unknown {
        /// What was asked for.
        typed: String,
        /// The page that may have been meant, or all of them.
        hint: String,
    },
    /// The names of several pages begin so.
    #[error("several pages of the guide begin with {typed}: {names}")]
    Ambiguous {
        /// What was asked for.
        typed: String,
        /// The pages, separated by commas.
        names: String,
    },
}

/// All pages, in the order in which they are listed.
pub fn topics() -> Vec<Topic> {
    let index = PAGES
        .get_file(INDEX)
        .and_then(|file| file.contents_utf8())
        .unwrap_or_default();
    let topic = |path: &std::path::Path| {
        let source = PAGES.get_file(path)?.contents_utf8()?;
        let name = PAGES.get_file(path)?.path().file_stem()?.to_str()?;
        Topic::of(name, source)
    };
    let files = PAGES
        .files()
        .filter(|file| file.path().as_os_str() != INDEX);
    let mut all: Vec<_> = files.filter_map(|file| topic(file.path())).collect();
    // A page that the index forgot comes last.
    all.sort_by_key(|topic| {
        (
            index
                .find(&format!("]({}.md)", topic.name))
                .unwrap_or(usize::MAX),
            topic.name,
        )
    });
    all
}

/// The page of this name, or the only one whose name begins so; capitals do not count.
///
/// # Errors
/// When no page is called so, or several begin so.
pub fn find(typed: &str) -> Result<Topic, TopicError> {
    let (wanted, all) = (typed.trim().to_lowercase(), topics());
    if let Some(topic) = all.iter().find(|topic| topic.name == wanted) {
        return Ok(*topic);
    }
    let likely: Vec<_> = all
        .iter()
        .filter(|topic| !wanted.is_empty() && topic.name.starts_with(&wanted))
        .collect();
    let listed = |topics: &mut dyn Iterator<Item = &Topic>| {
        topics
            .map(|topic| topic.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    match likely[..] {
        [only] => Ok(*only),
        [] => {
            let near = nearest(&wanted, all.iter().map(|topic| topic.name));
            let hint = near.map_or_else(
                || format!("there are {}", listed(&mut all.iter())),
                |near| format!("did you mean {near}?"),
            );
            Err(TopicError::Unknown {
                typed: typed.to_owned(),
                hint,
            })
        }
        _ => Err(TopicError::Ambiguous {
            typed: typed.to_owned(),
            names: listed(&mut likely.into_iter()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_by_name_and_by_prefix() {
        for (typed, found) in [
            ("filter", "filter"),
            ("Filter ", "filter"),
            ("sear", "search"),
            ("q", "query"),
            ("key", "keys"),
        ] {
            assert_eq!(find(typed).map(|topic| topic.name), Ok(found), "{typed}");
        }
        for (typed, message) in [
            (
                "filtre",
                "the guide has no page filtre; did you mean filter?",
            ),
            (
                "fi",
                "several pages of the guide begin with fi: filter, findings, files",
            ),
            ("", "the guide has no page ; there are start, reading, keys"),
            (
                "bananas",
                "the guide has no page bananas; there are start, reading, keys",
            ),
        ] {
            let error = find(typed).expect_err(typed).to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn paragraphs_flow_and_everything_else_keeps_its_lines() {
        for (text, flows) in [
            (
                "# Title\none\ntwo\n\nthree\nfour",
                "# Title\none two\n\nthree four",
            ),
            ("- a\n  b\n- c\n\nd", "- a b\n- c\n\nd"),
            ("1. a\n   b\n2. c\n3 d. e", "1. a b\n2. c 3 d. e"),
            ("a\n```sh\nx\ny\n```\nb\nc", "a\n```sh\nx\ny\n```\nb c"),
            ("a:\n| x |\n|---|\n| y |\n", "a:\n| x |\n|---|\n| y |"),
        ] {
            assert_eq!(flowing(text.lines()), flows);
        }
    }

    #[test]
    fn a_page_for_a_terminal_has_no_links_to_files_and_no_pictures() {
        for topic in topics() {
            let text = topic.markdown();
            assert!(
                !text.contains(".md)") && !text.contains("!["),
                "{}: {text}",
                topic.name
            );
        }
        let filter = find("filter").expect("a page").markdown();
        assert!(filter.contains("What can be typed: **query**."), "{filter}");
    }
}
