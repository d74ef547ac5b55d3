//! Finds values of a record by path. A tree of paths lets one scan of a line find all of them.

use foldhash::HashMap;
use serde_json::Value;

use super::slots::Part;

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
    pub fn part(&mut self, path: &Path) -> Part {
        let steps = path.steps();
        let (start, rest) = steps.split_at(path.list().map_or(steps.len(), <[_]>::len));
        let start = Path::of_steps(start);
        Part {
            slot: self.slot(&start),
            start,
            rest: Path::of_steps(rest),
        }
    }

    /// Returns the [parts](Self::part) of several paths.
    pub fn parts<'p>(&mut self, paths: impl IntoIterator<Item = &'p Path>) -> Vec<Part> {
        paths.into_iter().map(|path| self.part(path)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let part = tree.part(&"/question/*/id".into());
        assert_eq!((part.slot, part.rest.to_string()), (2, "/*/id".to_owned()));
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
}
