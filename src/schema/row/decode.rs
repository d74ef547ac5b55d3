//! Decodes captured JSON values to text and quotes: strictly first, then leniently for what Python
//! writes and JSON forbids.

use std::borrow::Cow;

use crate::json::{elements_of, inside, members_of, unescaped};
use crate::model::{Quote, ReadWarning};

/// A decoded value with its warning; the error is a reason to show.
pub type Decoded<T> = Result<(T, Option<ReadWarning>), String>;

/// Decodes a captured JSON string; borrows if it has no escapes.
pub fn string(spelling: &str) -> Decoded<Cow<'_, str>> {
    let inside = inside(spelling).ok_or("not a text")?;
    let (text, has_lone_surrogate) = unescaped(inside).ok_or("invalid escape")?;
    let warning = has_lone_surrogate.then_some(ReadWarning::LoneSurrogate);
    Ok((text, warning))
}

/// Decodes any scalar to plain text (strings decoded, others as spelled), for facts and verdict
/// values.
pub fn plain(spelling: &str) -> (Cow<'_, str>, Option<ReadWarning>) {
    string(spelling).unwrap_or((Cow::Borrowed(spelling), None))
}

/// Decodes quotes in either shape.
pub fn quotes(spelling: &str) -> Option<(Vec<Quote<'_>>, Option<ReadWarning>)> {
    let (mut quotes, mut warning) = (Vec::new(), None);
    for (title, extract) in spelled_quotes(spelling)? {
        let [title, extract] = [title, extract].map(|it| it.map(plain).unwrap_or_default());
        quotes.push(Quote {
            title: title.0,
            extract: extract.0,
        });
        warning = warning.or(title.1).or(extract.1);
    }
    Some((quotes, warning))
}

/// Title and extract of a quote, as spelled, if present.
type SpelledQuote<'r> = (Option<&'r str>, Option<&'r str>);

/// Returns titles and extracts of captured quotes, as spelled: from two lists, or from a list of
/// objects. `None` if a value is not a text.
pub fn spelled_quotes<'r>(spelling: &'r str) -> Option<Vec<SpelledQuote<'r>>> {
    if spelling.starts_with('{') {
        let (titles, extracts) = quote_parts(spelling)?;
        let [titles, extracts] = [elements_of(titles?)?, elements_of(extracts?)?];
        let at = |list: &[&'r str], place: usize| list.get(place).map_or(Some(None), text_or_null);
        let places = 0..titles.len().max(extracts.len());
        return places
            .map(|it| Some((at(&titles, it)?, at(&extracts, it)?)))
            .collect();
    }
    let quote = |item| {
        let (title, extract) = quote_parts(item)?;
        let part = |it: Option<&'r str>| it.as_ref().map_or(Some(None), text_or_null);
        Some((part(title)?, part(extract)?))
    };
    elements_of(spelling)?.into_iter().map(quote).collect()
}

/// Returns the members `title` and `extract` of an object; `None` if one of them repeats.
fn quote_parts(object: &str) -> Option<SpelledQuote<'_>> {
    let (mut title, mut extract) = (None, None);
    for (key, value) in members_of(object)? {
        let before = match &*key {
            "title" => title.replace(value),
            "extract" => extract.replace(value),
            _ => None,
        };
        if before.is_some() {
            return None;
        }
    }
    Some((title, extract))
}

fn text_or_null<'r>(spelling: &&'r str) -> Option<Option<&'r str>> {
    match *spelling {
        "null" => Some(None),
        text => text.starts_with('"').then_some(Some(text)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::value::RawValue;

    use super::*;

    /// JSON that is quotes or nearly.
    fn nearly_quotes() -> impl Strategy<Value = String> {
        let blank = || proptest::sample::select(vec!["", "", " ", "\n\t", "\r "]);
        let text = proptest::sample::select(vec![
            r#""""#,
            r#""t""#,
            r#""a \"b\" \\""#,
            r#""\\""#,
            r#""é \n \ud83d""#,
            r#""], [{}""#,
            "null",
            "null",
        ]);
        let odd = proptest::sample::select(vec![
            "1",
            "true",
            "[]",
            "{}",
            r#"["t"]"#,
            r#"{"title": "t"}"#,
        ]);
        let value = || prop_oneof![30 => text.clone(), 1 => odd.clone()];
        let key = || {
            let both = vec![r#""title""#, r#""extract""#];
            let odd = vec![r#""t\u0069tle""#, r#""link""#, r#""""#, r#""\"title""#];
            prop_oneof![12 => proptest::sample::select(both), 1 => proptest::sample::select(odd)]
        };
        fn joined(parts: &[String], open: &str, close: &str, blank: &str) -> String {
            format!(
                "{blank}{open}{blank}{}{blank}{close}",
                parts.join(&format!("{blank},{blank}"))
            )
        }
        let texts = move || {
            let list = proptest::collection::vec(value(), 0..4);
            (list, blank()).prop_map(|(list, blank)| {
                joined(
                    &list.into_iter().map(str::to_owned).collect::<Vec<_>>(),
                    "[",
                    "]",
                    blank,
                )
            })
        };
        let member = |value: BoxedStrategy<String>| {
            (key(), blank(), value)
                .prop_map(|(key, blank, value)| format!("{key}{blank}:{blank}{value}"))
        };
        let object = |value: BoxedStrategy<String>| {
            (proptest::collection::vec(member(value), 0..4), blank())
                .prop_map(|(members, blank)| joined(&members, "{", "}", blank))
        };
        let columns = (texts(), texts(), blank(), any::<bool>()).prop_map(
            |(title, extract, blank, turned)| {
                let mut members = vec![
                    format!("\"title\"{blank}:{title}"),
                    format!("\"extract\":{blank}{extract}"),
                ];
                if turned {
                    members.reverse();
                }
                joined(&members, "{", "}", blank)
            },
        );
        let one = object(value().prop_map(str::to_owned).boxed());
        let list = (proptest::collection::vec(one, 0..4), blank())
            .prop_map(|(items, blank)| joined(&items, "[", "]", blank));
        let any_object = object(prop_oneof![texts(), value().prop_map(str::to_owned)].boxed());
        prop_oneof![3 => columns, 3 => list, 2 => any_object, 1 => texts()]
            .prop_map(|spelling| spelling.trim().to_owned())
    }

    #[derive(Deserialize)]
    struct QuoteColumns<'r> {
        #[serde(borrow)]
        title: Vec<Option<&'r RawValue>>,
        extract: Vec<Option<&'r RawValue>>,
    }

    #[derive(Deserialize)]
    struct ListedQuote<'r> {
        #[serde(borrow)]
        title: Option<&'r RawValue>,
        extract: Option<&'r RawValue>,
    }

    fn by_serde(spelling: &str) -> Option<Vec<SpelledQuote<'_>>> {
        let (titles, extracts): (Vec<_>, Vec<_>) = if spelling.starts_with('{') {
            let columns = serde_json::from_str::<QuoteColumns<'_>>(spelling).ok()?;
            let length = columns.title.len().max(columns.extract.len());
            let [title, extract] = [columns.title, columns.extract].map(|mut list| {
                list.resize(length, None);
                list
            });
            (title, extract)
        } else {
            let list = serde_json::from_str::<Vec<ListedQuote<'_>>>(spelling).ok()?;
            list.into_iter().map(|it| (it.title, it.extract)).unzip()
        };
        let is_text = |value: &&RawValue| value.get().starts_with('"');
        let are_texts = titles.iter().chain(&extracts).flatten().all(is_text);
        let pairs = titles.into_iter().zip(extracts);
        let spelled =
            pairs.map(|(title, extract)| (title.map(RawValue::get), extract.map(RawValue::get)));
        are_texts.then(|| spelled.collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

        #[test]
        fn quotes_are_those_of_serde(
            spelling in nearly_quotes(),
        ) {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&spelling.replace(r"\ud83d", "")).is_ok());
            prop_assert_eq!(spelled_quotes(&spelling), by_serde(&spelling), "{}", spelling);
        }
    }

    #[test]
    fn strings() {
        for (spelling, text, warning) in [
            (r#""plain""#, "plain", None),
            (r#""a\nb""#, "a\nb", None),
            (r#""\u00b0""#, "°", None),
            (r#""\ud83d\ude00""#, "😀", None),
            (
                r#""cut \ud83d here""#,
                "cut \u{fffd} here",
                Some(ReadWarning::LoneSurrogate),
            ),
            (
                r#""\ude00\ud83d""#,
                "\u{fffd}\u{fffd}",
                Some(ReadWarning::LoneSurrogate),
            ),
            (
                r#""\\ud83d \ud83d""#,
                "\\ud83d \u{fffd}",
                Some(ReadWarning::LoneSurrogate),
            ),
            (
                r#""\ud83d\ud83d\ude00""#,
                "\u{fffd}😀",
                Some(ReadWarning::LoneSurrogate),
            ),
        ] {
            assert_eq!(
                string(spelling),
                Ok((Cow::Borrowed(text), warning)),
                "{spelling}"
            );
        }
        assert!(string(r#""\q""#).is_err());
    }

    #[test]
    fn quotes_in_both_shapes() {
        let quote = |title: &'static str, extract: &'static str| Quote {
            title: title.into(),
            extract: extract.into(),
        };
        for (spelling, expected) in [
            (
                r#"{"title": ["t", "u"], "extract": ["x", "y"]}"#,
                vec![quote("t", "x"), quote("u", "y")],
            ),
            (r#"[{"title": "t", "extract": "x"}]"#, vec![quote("t", "x")]),
            (r#"{"title": [], "extract": []}"#, vec![]),
            (r#"[]"#, vec![]),
            (
                r#"{"title": ["t"], "extract": ["x", null]}"#,
                vec![quote("t", "x"), quote("", "")],
            ),
            (
                r#"[{"title": "\ud83d", "extract": "x"}]"#,
                vec![quote("\u{fffd}", "x")],
            ),
        ] {
            assert_eq!(
                quotes(spelling).map(|(quotes, _)| quotes),
                Some(expected),
                "{spelling}"
            );
        }
    }

    #[test]
    fn quotes_are_counted_without_decoding() {
        for (spelling, are) in [
            (r#"{"title": ["t", null], "extract": ["\ud83d"]}"#, true),
            (r#"[{"title": "t"}, {}]"#, true),
            ("[]", true),
            ("{}", false),
            ("[1]", false),
            (r#"{"title": "t", "extract": ["x"]}"#, false),
            (r#"{"title": [1], "extract": ["x"]}"#, false),
            (r#"[["t"], ["x"]]"#, false),
            (r#"[{"title": ["t"], "extract": "x"}]"#, false),
            (r#"[{"title": "t", "title": "u"}]"#, false),
        ] {
            let decoded = quotes(spelling).map(|(quotes, _)| quotes.len());
            let spelled = spelled_quotes(spelling).map(|quotes| quotes.len());
            assert_eq!((spelled, decoded.is_some()), (decoded, are), "{spelling}");
        }
    }
}
