//! Rendering of our Markdown documents as HTML. Foreign text in them stays text.

use pulldown_cmark::html::push_html;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};

use super::links::is_web_address;
use crate::text::terminal::sanitise::{Hidden, sanitise};

/// Glyphs of a [`bar`]: below the interval, within it up to the value and beyond, and above.
const BAR: [char; 4] = ['█', '▓', '▒', '░'];
/// Cells of a bar.
const BAR_CELLS: f64 = 25.0;

/// Returns a bar of text for a value between 0 and 1: dark up to it, with its interval shaded.
pub fn bar(value: f64, [low, high]: [f64; 2]) -> String {
    let cell = |share: f64| (share.clamp(0.0, 1.0) * BAR_CELLS).round() as usize;
    let value = cell(value);
    let (low, high) = (cell(low).min(value), cell(high).max(value));
    let runs = [low, value - low, high - value, BAR_CELLS as usize - high];
    BAR.iter()
        .zip(runs)
        .map(|(glyph, cells)| glyph.to_string().repeat(cells))
        .collect()
}

/// Renders Markdown as an HTML fragment without scripts, HTML of its own, images, or links other
/// than `http` and `https`; invisible characters are named. Sections of level 4 become columns,
/// side by side.
pub fn html(markdown: &str) -> String {
    let (mut events, mut is_column, mut link_is_kept) = (Vec::new(), false, false);
    for event in TextMergeStream::new(Parser::new_ext(markdown, Options::ENABLE_TABLES)) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let opened = level == HeadingLevel::H4;
                events.push(Event::Html(boundary(is_column, opened).into()));
                is_column = opened;
                events.push(event);
            }
            Event::Start(Tag::Link { ref dest_url, .. }) => {
                link_is_kept = is_web_address(dest_url);
                events.extend(link_is_kept.then_some(event));
            }
            Event::End(TagEnd::Link) => events.extend(link_is_kept.then_some(event)),
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock)
            | Event::End(TagEnd::Image | TagEnd::HtmlBlock) => {}
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                events.push(Event::Text(shown(&text).into()));
            }
            Event::Code(text) if !text.is_empty() && text.chars().all(|it| BAR.contains(&it)) => {
                events.push(Event::InlineHtml(styled_bar(&text).into()));
            }
            Event::Code(text) => events.push(Event::Code(shown(&text).into())),
            event => events.push(event),
        }
    }
    events.push(Event::Html(boundary(is_column, false).into()));
    let mut out = String::new();
    push_html(&mut out, events.into_iter());
    out
}

fn shown(text: &str) -> String {
    sanitise(text, Hidden::Named).as_str().to_owned()
}

/// Returns the tags before a heading, given whether the sections before and after are columns.
const fn boundary(was_column: bool, is_column: bool) -> &'static str {
    match (was_column, is_column) {
        (false, false) => "",
        (false, true) => "<div class=\"columns\"><section>\n",
        (true, true) => "</section><section>\n",
        (true, false) => "</section></div>\n",
    }
}

/// Returns a bar with tags for the style sheet.
fn styled_bar(bar: &str) -> String {
    let run = |glyph: char| bar.chars().filter(|it| *it == glyph).collect::<String>();
    let [filled, lower, upper, rest] = BAR.map(run);
    format!("<code class=\"bar\"><b>{filled}</b><u>{lower}</u><i>{upper}</i>{rest}</code>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_foreign_is_obeyed() {
        for (markdown, expected) in [
            (
                "<script>alert(1)</script>",
                "&lt;script&gt;alert(1)&lt;/script&gt;",
            ),
            (
                "a <b onclick='x'>c</b>",
                "<p>a &lt;b onclick='x'&gt;c&lt;/b&gt;</p>\n",
            ),
            ("[a](javascript:alert(1)) b", "<p>a b</p>\n"),
            ("[a](data:text/html,x) [b](//x.y)", "<p>a b</p>\n"),
            (
                "[a](HTTPS://x.y/?q=%22&z='\")",
                "<p><a href=\"HTTPS://x.y/?q=%22&amp;z=&#x27;%22\">a</a></p>\n",
            ),
            ("![a](https://x.y/z.png)", "<p>a</p>\n"),
            ("`<i>\u{202e}`", "<p><code>&lt;i&gt;⟨RLO⟩</code></p>\n"),
            (
                "```text\n<!-- \u{1b}\0\u{2066}\"\n```",
                "<pre><code class=\"language-text\">&lt;!-- ␛␀⟨LRI⟩\"\n</code></pre>\n",
            ),
            (
                "`█▓▒░`",
                "<p><code class=\"bar\"><b>█</b><u>▓</u><i>▒</i>░</code></p>\n",
            ),
            ("`█x`", "<p><code>█x</code></p>\n"),
        ] {
            assert_eq!(html(markdown).trim_end(), expected.trim_end(), "{markdown}");
        }
    }

    #[test]
    fn fourth_headings_are_columns() {
        let page = html("# a\n\n#### A\n\nx\n\n#### B\n\ny\n\n## c\n\n#### A\n\nz\n");
        let tags: Vec<_> = page.lines().filter(|it| !it.starts_with("<p>")).collect();
        let columns = "<div class=\"columns\"><section>";
        assert_eq!(
            tags,
            [
                "<h1>a</h1>",
                columns,
                "<h4>A</h4>",
                "</section><section>",
                "<h4>B</h4>",
                "</section></div>",
                "<h2>c</h2>",
                columns,
                "<h4>A</h4>",
                "</section></div>",
            ]
        );
    }

    #[test]
    fn bars_are_as_wide_as_any() {
        for (value, ends) in [
            (0.5, [0.0, 1.0]),
            (0.3, [0.19, 0.47]),
            (1.0, [1.0, 1.0]),
            (-0.5, [-0.5, 0.2]),
            (0.95, [0.9, 0.1]),
        ] {
            assert_eq!(bar(value, ends).chars().count(), 25, "{value} {ends:?}");
        }
        assert_eq!(bar(0.32, [0.2, 0.4]), "█████▓▓▓▒▒░░░░░░░░░░░░░░░");
        assert_eq!(bar(0.32, [0.32; 2]), "████████░░░░░░░░░░░░░░░░░");
    }
}
