//! One field of each line, as a key that rows of two files are matched by.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::decode;
use super::fast_scan::fast_scan;
use super::path::{Path, Tree};
use super::repair::repair;
use super::serde_scan::serde_scan;

/// Reads one field of lines and nothing else.
#[derive(Debug)]
pub struct FieldReader {
    tree: Tree,
}

impl FieldReader {
    /// A reader of the value at a path.
    pub fn new(path: &Path) -> Self {
        let mut tree = Tree::default();
        tree.slot(path);
        Self { tree }
    }

    /// A hash of the value on a line, of a string what it says, however that is spelled; `None`
    /// where there is none or null, and of what is no JSON. A number and the same number as a
    /// string are the same, since tools write keys both ways.
    pub fn hash(&self, line: &[u8]) -> Option<u64> {
        let captured = fast_scan(&self.tree, line).or_else(|| serde_scan(&self.tree, line).ok());
        let Some(captured) = captured else {
            // What Python writes for no number, for instance.
            return self.hash(&repair(line)?.line);
        };
        let spelling = captured.values.first()?.as_ref()?.spelling;
        let mut hasher = DefaultHasher::new();
        decode::plain(spelling).0.hash(&mut hasher);
        (spelling != "null").then(|| hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_same_however_they_are_spelled() {
        let reader = FieldReader::new(&Path::from("/meta/id"));
        let hash = |line: &str| reader.hash(line.as_bytes());
        let first = hash(r#"{"meta": {"id": "é1"}}"#);
        assert!(first.is_some());
        assert_eq!(
            first,
            hash(r#"{"x": [{}], "meta": {"y": 2, "id": "\u00e91"}}"#)
        );
        assert_eq!(
            hash(r#"{"meta": {"id": 12}}"#),
            hash(r#"{"meta": {"id": "12"}}"#)
        );
        assert_ne!(first, hash(r#"{"meta": {"id": "e1"}}"#));
        assert_eq!(hash(r#"{"r": NaN, "meta": {"id": "é1"}}"#), first);
        for line in [r#"{"meta": {}}"#, r#"{"meta": {"id": null}}"#, "{", "[]"] {
            assert_eq!(hash(line), None, "{line}");
        }
    }
}
