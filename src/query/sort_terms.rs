//! Changing the sort order of a typed query while the rest stays as typed.

use super::ast::{Query, SortKey};
use super::catalog::Catalog;
use super::parse::parse_with_sorts;

/// Replaces the sort keys of a query's text by `sort`, at its end; the rest stays as typed. Returns
/// `None` if the filter would then differ from that of `query`, the parsed text.
pub fn with_sort(text: &str, query: &Query, sort: &[SortKey], catalog: &Catalog) -> Option<String> {
    let (_, spans) = parse_with_sorts(text, catalog).ok()?;
    let mut pieces = Vec::new();
    let mut at = 0;
    for span in spans {
        pieces.push(text.get(at..span.start)?.trim().to_owned());
        at = span.end;
    }
    pieces.push(text.get(at..)?.trim().to_owned());
    pieces.extend(sort.iter().map(|key| key.spelled(catalog).to_string()));
    pieces.retain(|piece| !piece.is_empty());
    let joined = pieces.join(" ");
    let (read, _) = parse_with_sorts(&joined, catalog).ok()?;
    (read.filter == query.filter && read.sort == sort).then_some(joined)
}
