//! Arbitrary queries: each is parsed or rejected with a reason; parsed queries print and parse
//! again to the same query, and completion never fails.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use visavis::{
    Catalog, Field, MAX_QUERY_BYTES as MAX_BYTES, Schema, built_in, complete_query as complete,
    parse_query as parse,
};

/// Parses, prints and completes a query over the fields of all built-in schemas.
pub fn query(data: &[u8]) {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    let catalog = CATALOG.get_or_init(|| {
        let schemas = built_in().into_iter().map(Schema::new);
        Catalog::of(&schemas.collect::<Vec<_>>())
    });
    let text = String::from_utf8_lossy(data);
    check_reading(&text, catalog);
    // Testing every position would take quadratic time.
    let step = text.len() / 64 + 1;
    let tags: BTreeMap<Arc<str>, usize> = BTreeMap::from(VALUES.map(|tag| (Arc::from(tag), 1)));
    for cursor in (0..=text.len() + 1).step_by(step) {
        let completions = complete(&text, cursor, catalog, &values, &tags);
        assert!(
            text.get(completions.span.clone()).is_some(),
            "{text:?} at {cursor}: {completions:?}"
        );
        assert!(completions.items.len() <= 100);
    }
}

fn check_reading(text: &str, catalog: &Catalog) {
    match parse(text, catalog) {
        Ok(query) => {
            let printed = query.spelled(catalog).to_string();
            if printed.len() <= MAX_BYTES {
                assert_eq!(
                    parse(&printed, catalog).as_ref(),
                    Ok(&query),
                    "{text:?} is printed as {printed:?}"
                );
            }
        }
        Err(error) => {
            assert!(
                text.get(error.span.clone()).is_some(),
                "{text:?}: {error:?}"
            );
            assert!(!error.message.is_empty());
        }
    }
}

/// Values for fields and tags.
const VALUES: [&str; 5] = ["3", "a b", "none", "\"", "漢"];

fn values(_: Field) -> Vec<(String, usize)> {
    VALUES.map(|value| (value.to_owned(), 1000)).to_vec()
}
