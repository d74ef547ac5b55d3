//! The guide, compiled in: a page for each topic, found by name.
//!
//! A page's name is that of its file, its title is its heading, and its summary is the first
//! sentence below it. `index.md` defines the order of the pages.
//!
//! [`find`] looks up a [`Topic`]; [`topics`] lists them.

use include_dir::{Dir, include_dir};

use crate::answer::Answer;
use crate::query::nearest;

/// The index, and the pages that it lists.
static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/guide");

/// A page of the guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic {
    /// Name of the page: one lower-case word.
    pub name: &'static str,
    /// The page's heading.
    pub title: &'static str,
    /// One sentence on what the page is about.
    pub summary: &'static str,
    /// The Markdown source.
    pub source: &'static str,
}

impl Topic {
    fn of(path: &str) -> Option<Self> {
        let file = PAGES.get_file(path)?;
        let source = file.contents_utf8()?;
        let (heading, rest) = source.split_once('\n')?;
        let summary = rest.lines().find(|line| !line.is_empty())?;
        Some(Self {
            name: file.path().file_stem()?.to_str()?,
            title: heading.strip_prefix("# ")?,
            summary,
            source,
        })
    }

    /// Returns the page as an answer: without images, and with topic names instead of links to files.
    pub fn answer(&self) -> Answer {
        let mut text = flowing(self.source.lines().filter(|line| !line.starts_with("![")));
        for topic in topics() {
            text = text.replace(
                &format!("[{0}]({0}.md)", topic.name),
                &format!("**{}**", topic.name),
            );
        }
        Answer::of_markdown(&text)
    }
}

/// Joins the lines of each paragraph, since terminals differ in width.
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

/// Returns the list of all pages.
pub fn index() -> Option<Topic> {
    Topic::of("index.md")
}

/// Returns all pages, in the order of the index.
pub fn topics() -> Vec<Topic> {
    let lines = index().map_or("", |index| index.source).lines();
    let listed = lines.filter_map(|line| {
        let (_, link) = line.split_once("](")?;
        Topic::of(link.split_once(')')?.0)
    });
    listed.collect()
}

/// Returns the page with this name, or the only one with this prefix or with this word in its
/// summary, ignoring case.
///
/// # Errors
/// If there is none, or several have this prefix; the message lists the available ones.
pub fn find(typed: &str) -> Result<Topic, String> {
    let (name, all) = (typed.trim().to_lowercase(), topics());
    if let Some(topic) = all.iter().find(|topic| topic.name == name) {
        return Ok(*topic);
    }
    let is_word = |word: &str| word.eq_ignore_ascii_case(&name);
    let likely: Vec<_> = all
        .iter()
        .filter(|topic| {
            let mut words = topic.summary.split(|c: char| !c.is_alphanumeric());
            !name.is_empty() && (topic.name.starts_with(&name) || words.any(is_word))
        })
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
            let near = nearest(&name, all.iter().map(|topic| topic.name));
            let hint = near.map_or_else(
                || format!("use one of: {}", listed(&mut all.iter())),
                |near| format!("did you mean {near}?"),
            );
            Err(format!("unknown guide page {typed}; {hint}"))
        }
        _ => Err(format!(
            "several pages of the guide begin with {typed}: {}",
            listed(&mut likely.into_iter())
        )),
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
            ("dpo", "training"),
            ("SFT", "training"),
        ] {
            assert_eq!(find(typed).map(|topic| topic.name), Ok(found), "{typed}");
        }
        for (typed, message) in [
            ("filtre", "unknown guide page filtre; did you mean filter?"),
            (
                "fi",
                "several pages of the guide begin with fi: filter, findings, files",
            ),
            ("", "unknown guide page ; use one of: start, reading, keys"),
            (
                "bananas",
                "unknown guide page bananas; use one of: start, reading, keys",
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
            let text = topic.answer().markdown();
            assert!(
                !text.contains(".md)") && !text.contains("!["),
                "{}: {text}",
                topic.name
            );
        }
        let filter = find("filter").expect("a page").answer().markdown();
        assert!(filter.contains("What can be typed: **query**."), "{filter}");
    }
}
