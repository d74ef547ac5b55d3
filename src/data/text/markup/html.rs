//! Rendering of our Markdown documents as HTML. Foreign text in them stays text.

use pulldown_cmark::html::push_html;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};

use super::links::is_web_address;
use crate::text::terminal::sanitise::{Hidden, sanitise};

/// Glyphs of a [`bar`]: outside, filled or within the interval, the value, the ends of the interval,
/// and a mark outside of the interval and in it.
const BAR: [char; 7] = ['─', '━', '●', '╼', '╾', '╎', '╋'];
/// Cells of a bar in a document.
pub const BAR_CELLS: usize = 25;

/// Returns a bar of text with this many cells for a value between 0 and 1: a dot with its interval,
/// or filled up to it if the interval is only the value. `mark` is a value to compare with.
pub fn bar(value: f64, [low, high]: [f64; 2], mark: Option<f64>, cells: usize) -> String {
    let [outside, filled, dot, begin, end, beside, within] = BAR;
    let share = |share: f64, cells: usize| (share.clamp(0.0, 1.0) * cells as f64).round() as usize;
    if low >= high {
        let full = share(value, cells);
        let glyph = |at| if at < full { filled } else { outside };
        return (0..cells).map(glyph).collect();
    }
    let place = |it: f64| share(it, cells.saturating_sub(1));
    let ([low, value, high], mark) = ([low, value, high].map(place), mark.map(place));
    let glyph = |at: usize| match at {
        _ if at == value => dot,
        _ if mark == Some(at) && (low..=high).contains(&at) => within,
        _ if mark == Some(at) => beside,
        _ if at == low => begin,
        _ if at == high => end,
        _ if (low..high).contains(&at) => filled,
        _ => outside,
    };
    (0..cells).map(glyph).collect()
}

/// Replaces the glyphs of the bars in a document, which are code.
pub(super) fn with_bars_of(markdown: &str, glyphs: [char; 7]) -> String {
    let is_bar = |code: &str| !code.is_empty() && code.chars().all(|it| BAR.contains(&it));
    let drawn = |glyph| {
        let at = BAR.iter().position(|it| *it == glyph);
        at.map_or(glyph, |at| glyphs[at])
    };
    let spans = markdown.split('`').map(|span| match is_bar(span) {
        true => span.chars().map(drawn).collect(),
        false => span.to_owned(),
    });
    spans.collect::<Vec<_>>().join("`")
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
    let [outside, _, dot, _, _, beside, _] = BAR;
    let has_interval = bar.contains(dot);
    let tag = |glyph: char| match glyph {
        _ if glyph == outside || glyph == beside => "",
        _ if glyph == dot || !has_interval => "b",
        _ => "u",
    };
    let glyphs: Vec<_> = bar.chars().collect();
    let runs = glyphs.chunk_by(|one, next| tag(*one) == tag(*next));
    let runs = runs.map(|run| match (tag(run[0]), run.iter().collect::<String>()) {
        ("", glyphs) => glyphs,
        (tag, glyphs) => format!("<{tag}>{glyphs}</{tag}>"),
    });
    format!("<code class=\"bar\">{}</code>", runs.collect::<String>())
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
                "`─╼●╾─`",
                "<p><code class=\"bar\">─<u>╼</u><b>●</b><u>╾</u>─</code></p>\n",
            ),
            ("`━━─`", "<p><code class=\"bar\"><b>━━</b>─</code></p>\n"),
            ("`━x`", "<p><code>━x</code></p>\n"),
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
            assert_eq!(
                bar(value, ends, None, 25).chars().count(),
                25,
                "{value} {ends:?}"
            );
        }
        assert_eq!(bar(0.32, [0.2, 0.4], None, 25), "─────╼━━●━╾──────────────");
        assert_eq!(
            bar(0.32, [0.32, 0.4], None, 25),
            "────────●━╾──────────────"
        );
        assert_eq!(bar(0.32, [0.32; 2], None, 25), "━━━━━━━━─────────────────");
        assert_eq!(bar(0.9, [0.8, 1.0], Some(0.5), 11), "─────╎──╼●╾");
        assert_eq!(bar(0.6, [0.4, 0.8], Some(0.5), 11), "────╼╋●━╾──");
    }
}
