//! Finds values of a record by path. A tree of paths lets one scan of a line find all of them.

use foldhash::HashMap;
use serde_json::Value;

use super::slots::NestedSlot;
use crate::json::{decoded, items};
pub use crate::table::Path;

impl Path {
    /// Returns the record's value at this path without `*`; `None` if it is missing or null.
    pub(in crate::schema) fn value_in<'v>(&self, record: &'v Value) -> Option<&'v Value> {
        let value = self.steps().iter().try_fold(record, |at, step| match at {
            Value::Array(list) => list.get(step.parse::<usize>().ok()?),
            at => at.get(step),
        });
        value.filter(|value| !value.is_null())
    }

    /// Returns the record's values at this path, one for each element of its first list; `None` if
    /// the list is missing.
    pub(in crate::schema) fn all_in<'v>(
        &self,
        record: &'v Value,
    ) -> Option<Vec<Option<&'v Value>>> {
        let Some((list, key)) = self.split_list() else {
            return Some(vec![self.value_in(record)]);
        };
        let elements = list.value_in(record)?.as_array()?.iter();
        Some(elements.map(|it| key.value_in(it)).collect())
    }
}

/// A step of paths: further steps follow, or a slot takes the value, or both.
#[derive(Debug, Default)]
pub struct Node {
    pub path: Path,
    /// Next steps, in the order in which paths were added. A number is both a key and a list index.
    children: Vec<(Box<str>, Option<usize>, usize)>,
    /// Child of each step, if there are many: with linear search, scanning a record with as many
    /// keys would be quadratic.
    places: HashMap<Box<str>, usize>,
    /// The slot that takes the value found here.
    pub slot: Option<usize>,
}

/// Up to this many children, linear search is faster than hashing.
const FEW_CHILDREN: usize = 32;

/// All needed paths of a schema as one tree; node 0 is the record itself.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    len: usize,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
            len: 0,
        }
    }
}

impl Tree {
    /// Returns the slot for the value at `path`; equal paths share a slot.
    pub fn slot(&mut self, path: &Path) -> usize {
        let mut node = 0;
        for step in path.steps() {
            let child = self.nodes[node].by_key(step);
            node = child.unwrap_or_else(|| self.add_child(node, step));
        }
        let slot = &mut self.nodes[node].slot;
        let is_new = slot.is_none();
        let slot = *slot.get_or_insert(self.len);
        self.len += usize::from(is_new);
        slot
    }

    /// Returns the slots of several paths.
    pub fn slots<'p>(&mut self, paths: impl IntoIterator<Item = &'p Path>) -> Vec<usize> {
        paths.into_iter().map(|path| self.slot(path)).collect()
    }

    /// Returns the slot of a path, or of its first list and the path inside.
    pub fn nested_slot(&mut self, path: &Path) -> NestedSlot {
        let steps = path.steps();
        let (start, rest) = steps.split_at(path.list().map_or(steps.len(), <[_]>::len));
        let start = Path::of_steps(start);
        NestedSlot {
            slot: self.slot(&start),
            start,
            rest: Path::of_steps(rest),
        }
    }

    /// Returns the [nested slots](Self::nested_slot) of several paths.
    pub fn nested_slots<'p>(
        &mut self,
        paths: impl IntoIterator<Item = &'p Path>,
    ) -> Vec<NestedSlot> {
        paths
            .into_iter()
            .map(|path| self.nested_slot(path))
            .collect()
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    fn add_child(&mut self, node: usize, step: &str) -> usize {
        let child = self.nodes.len();
        self.nodes.push(Node {
            path: self.nodes[node].path.then(step),
            ..Node::default()
        });
        let Node {
            children, places, ..
        } = &mut self.nodes[node];
        children.push((step.into(), step.parse().ok(), child));
        if children.len() > FEW_CHILDREN {
            let known = places.len();
            let more = children[known..].iter();
            places.extend(more.map(|(step, _, child)| (step.clone(), *child)));
        }
        child
    }
}

impl Node {
    /// Returns the node for an object's key.
    pub fn by_key(&self, key: &str) -> Option<usize> {
        if self.children.len() > FEW_CHILDREN {
            return self.places.get(key).copied();
        }
        self.children
            .iter()
            .find(|(step, ..)| **step == *key)
            .map(|&(.., child)| child)
    }

    /// True if paths go on from here.
    pub fn leads_on(&self) -> bool {
        !self.children.is_empty()
    }

    /// True if some next steps are list indices.
    pub fn takes_list(&self) -> bool {
        self.children.iter().any(|(_, index, _)| index.is_some())
    }

    /// True if all next steps are list indices.
    pub fn takes_list_alone(&self) -> bool {
        self.children.iter().all(|(_, index, _)| index.is_some())
    }

    /// Returns the node for a list index.
    pub fn by_index(&self, index: usize) -> Option<usize> {
        let is_it = |(_, step, _): &&(Box<str>, Option<usize>, usize)| *step == Some(index);
        // Elements of a list are mostly added in order.
        self.children
            .get(index)
            .filter(is_it)
            .or_else(|| self.children.iter().find(is_it))
            .map(|&(.., child)| child)
    }
}

/// Calls `show` with the values at a path. `element` is the index for the first `*` of a list;
/// other `*`, or all without it, match all elements or members. `None` if the part of the line that
/// was read is not JSON.
pub fn values_at<'r>(
    value: &'r [u8],
    steps: &[String],
    element: Option<usize>,
    show: &mut dyn FnMut(&'r [u8]),
) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        show(value);
        return Some(());
    };
    let is_each = step == Path::EACH;
    match value.first()? {
        b'{' => {
            let mut found = None;
            for item in items(value) {
                let (key, member) = item?;
                if is_each {
                    values_at(member, rest, element, show)?;
                } else if decoded(key).is_some_and(|key| key == *step) {
                    found = Some(member);
                }
            }
            found.map_or(Some(()), |found| values_at(found, rest, element, show))
        }
        b'[' => {
            let (wanted, element) = if is_each {
                (element, None)
            } else {
                (Some(step.parse().unwrap_or(usize::MAX)), element)
            };
            for (at, item) in items(value).enumerate() {
                let (_, item) = item?;
                if wanted.is_none_or(|wanted| wanted == at) {
                    values_at(item, rest, element, show)?;
                }
                if wanted == Some(at) {
                    break;
                }
            }
            Some(())
        }
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::row::lines::repair;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_a_path() {
        for (text, shown) in [
            ("/prompt", "/prompt"),
            ("prompt", "/prompt"),
            ("question.full_text", "/question/full_text"),
            ("/0/question/full_text", "/0/question/full_text"),
            ("/a~1b/c~0d", "/a~1b/c~0d"),
            ("", ""),
        ] {
            assert_eq!(Path::from(text).to_string(), shown, "{text}");
        }
    }

    #[test]
    fn a_key_is_one_step() {
        for (key, shown) in [("a.b", "/a.b"), ("", "/"), ("/x", "/~1x"), ("~", "/~0")] {
            assert_eq!(Path::key(key).to_string(), shown, "{key}");
            assert_eq!(Path::from(shown), Path::key(key), "{key}");
        }
    }

    #[test]
    fn a_star_matches_each_element() {
        let path = Path::from("/answers").each_then(&"text".into());
        assert_eq!(path.to_string(), "/answers/*/text");
        assert!(path.is_of_each() && !Path::from("/answers/0").is_of_each());
        assert_eq!(path.of_element(3).to_string(), "/answers/3/text");
        let bare = Path::from("/texts").each_then(&"".into());
        assert_eq!(bare.of_element(0).to_string(), "/texts/0");
    }

    #[test]
    fn paths_share_their_beginnings_and_may_contain_each_other() {
        let mut tree = Tree::default();
        for (path, slot) in [
            ("/question/full_text", 0),
            ("/question/id", 1),
            ("/question/full_text", 0),
            ("/question", 2),
            ("/question/id/more", 3),
        ] {
            assert_eq!(tree.slot(&path.into()), slot, "{path}");
        }
        assert_eq!(tree.len(), 4);
        let nested = tree.nested_slot(&"/question/*/id".into());
        assert_eq!(
            (nested.slot, nested.rest.to_string()),
            (2, "/*/id".to_owned())
        );
    }

    #[test]
    fn many_keys_are_found_like_few() {
        let mut tree = Tree::default();
        for at in 0..3 * FEW_CHILDREN {
            assert_eq!(tree.slot(&Path::key(&format!("k{at}"))), at);
            for known in 0..=at {
                let node = tree.node(0).by_key(&format!("k{known}"));
                let slot = node.and_then(|node| tree.node(node).slot);
                assert_eq!(slot, Some(known));
            }
            assert_eq!(tree.node(0).by_key("k"), None);
        }
    }

    fn at(line: &str, path: &[&str], element: Option<usize>) -> Option<Vec<String>> {
        let (steps, mut found): (Vec<String>, _) =
            (path.iter().map(|step| (*step).into()).collect(), Vec::new());
        values_at(line.as_bytes(), &steps, element, &mut |value| {
            found.push(String::from_utf8_lossy(value).into_owned());
        })?;
        Some(found)
    }

    #[test]
    fn values_by_their_paths() {
        let line =
            r#"{"a\n": {"b.c" :[ {"x":1} , {"x": [2,"]"]}, 3 ]}, "d": "\"}", "d": null, "e":{}}"#;
        for (path, element, values) in [
            (
                &["a\n", "b.c", "*", "x"][..],
                None,
                &["1", r#"[2,"]"]"#][..],
            ),
            (&["a\n", "b.c", "*", "x"], Some(1), &[r#"[2,"]"]"#]),
            (&["a\n", "b.c", "*", "x"], Some(2), &[]),
            (&["a\n", "b.c", "0", "x"], None, &["1"]),
            (&["a\n", "b.c", "x"], None, &[]),
            (&["d"], None, &["null"]),
            (&["e"], None, &["{}"]),
            (&["e", "x"], None, &[]),
            (&["none"], None, &[]),
        ] {
            let found = at(line, path, element);
            assert_eq!(
                found,
                Some(values.iter().map(ToString::to_string).collect())
            );
        }
        for broken in [
            "{'a': 1}",
            r#"{"a" 1}"#,
            r#"{"a": "x"#,
            r#"{"b": 1"#,
            "{",
            r#"{"b":}"#,
        ] {
            assert_eq!(at(broken, &["a"], None), None, "{broken}");
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let key = || prop_oneof!["[ab]", r#"[ab.\\"/\n*é]{0,3}"#];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            r#"[a"\\{}\[\],:é\n]{0,6}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, move |inner| {
            let members = prop::collection::vec((key(), inner.clone()), 0..5);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                members.prop_map(|all| Value::Object(all.into_iter().collect())),
            ]
        })
    }

    /// Collects all paths of a value with their values.
    fn paths(value: &Value, path: &mut Vec<String>, all: &mut Vec<(Vec<String>, Value)>) {
        all.push((path.clone(), value.clone()));
        let children: Vec<(String, &Value)> = match value {
            Value::Object(map) => map
                .iter()
                .map(|(key, it)| (key.as_str().into(), it))
                .collect(),
            Value::Array(list) => (list.iter().enumerate())
                .map(|(at, it)| (at.to_string(), it))
                .collect(),
            _ => Vec::new(),
        };
        for (step, child) in children {
            path.push(step);
            paths(child, path, all);
            path.pop();
        }
    }

    /// Sequences of tokens and broken tokens, in an object.
    fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
        let pieces: [&[u8]; 16] = [
            b"{",
            b"}",
            b"[",
            b"]",
            b",",
            b":",
            b"\"a\":",
            b"\"a\"",
            b"\"",
            b"\\",
            b"NaN",
            b"-Infinity",
            b"\t",
            b"\xff",
            b"\xe3\x81",
            b" 1",
        ];
        let pieces = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12);
        pieces.prop_map(|pieces| [b"{\"a\":", &*pieces.concat(), b"}"].concat())
    }

    proptest! {
        /// What Python writes and JSON forbids is no obstacle, so lines are not repaired first.
        #[test]
        fn repair_makes_no_line_readable(line in nearly_json()) {
            let steps = ["a".to_owned()];
            let is_read = |line: &[u8]| values_at(line, &steps, None, &mut |_| {}).is_some();
            if let Some(repaired) = repair(&line) {
                prop_assert_eq!(is_read(&line), is_read(&repaired.line));
            }
        }

        #[test]
        fn agrees_with_serde_json(value in json(), pretty: bool, twice: bool) {
            let mut line = if pretty {
                serde_json::to_string_pretty(&value).expect("JSON")
            } else {
                value.to_string()
            };
            // Of equal keys, the last one counts.
            if twice && line.len() > 2 && line.starts_with('{') {
                line = format!("{{\"a\":[9],\"b\":\"b\",{}", &line[1..]);
            }
            let value: Value = serde_json::from_str(&line).expect("JSON");
            let mut all = Vec::new();
            paths(&value, &mut Vec::new(), &mut all);
            for (path, wanted) in all {
                let mut found = Vec::new();
                let is_read = values_at(line.as_bytes(), &path, None, &mut |it| found.push(it));
                prop_assert!(is_read.is_some());
                // A step `*` reads all elements of a list.
                if path.iter().any(|step| *step == Path::EACH) {
                    continue;
                }
                prop_assert_eq!(found.len(), 1);
                prop_assert_eq!(serde_json::from_slice::<Value>(found[0]).expect("JSON"), wanted);
            }
        }
    }
}
