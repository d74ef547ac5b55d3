//! Paths into a JSON record, and the tree that many of them make so that a line is walked only
//! once.

use std::fmt;

use serde::Deserialize;

/// A path into a record: `/0/question/full_text`, as in JSON pointers (RFC 6901); `a.b` and a bare
/// key mean the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub struct Path(Vec<String>);

impl Path {
    /// The path of one step, whatever signs the key has.
    pub fn key(key: &str) -> Self {
        Self(vec![key.to_owned()])
    }
}

impl From<String> for Path {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&str> for Path {
    fn from(text: &str) -> Self {
        Self(match text.strip_prefix('/') {
            Some(pointer) => pointer
                .split('/')
                .map(|step| step.replace("~1", "/").replace("~0", "~"))
                .collect(),
            None => text
                .split('.')
                .filter(|step| !step.is_empty())
                .map(str::to_owned)
                .collect(),
        })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|step| write!(f, "/{}", step.replace('~', "~0").replace('/', "~1")))
    }
}

/// What stands at a step: further steps, or a slot to be filled.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Steps onward, in the order in which paths were added; a number is both a key and a list
    /// index.
    children: Vec<(Box<str>, Option<usize>, u16)>,
    /// The slot that takes the value found here.
    pub(super) slot: Option<u16>,
}

/// All wanted paths of a schema as one tree; node 0 is the record itself.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    slots: u16,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
            slots: 0,
        }
    }
}

impl Tree {
    /// The slot that will hold the value at `path`; the same path gets the same slot. `None` where
    /// one wanted path would lie inside another, since a value is captured whole.
    pub(super) fn slot(&mut self, path: &Path) -> Option<u16> {
        let mut node = 0;
        for step in &path.0 {
            if self.nodes[node].slot.is_some() {
                return None;
            }
            node = match self.child_of(node, step) {
                Some(child) => child,
                None => self.add_child(node, step),
            };
        }
        if !self.nodes[node].children.is_empty() {
            return None;
        }
        if self.nodes[node].slot.is_none() {
            self.nodes[node].slot = Some(self.slots);
            self.slots += 1;
        }
        self.nodes[node].slot
    }

    /// Number of slots given out.
    pub(super) fn slots(&self) -> usize {
        usize::from(self.slots)
    }

    pub(super) fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    fn child_of(&self, node: usize, step: &str) -> Option<usize> {
        self.nodes[node].by_key(step)
    }

    fn add_child(&mut self, node: usize, step: &str) -> usize {
        let child = self.nodes.len();
        self.nodes.push(Node::default());
        self.nodes[node]
            .children
            .push((step.into(), step.parse().ok(), child as u16));
        child
    }
}

impl Node {
    /// The node behind an object's key.
    pub(super) fn by_key(&self, key: &str) -> Option<usize> {
        self.children
            .iter()
            .find(|(step, ..)| **step == *key)
            .map(|&(.., child)| usize::from(child))
    }

    /// The node behind a list's index.
    pub(super) fn by_index(&self, index: usize) -> Option<usize> {
        self.children
            .iter()
            .find(|(_, step, _)| *step == Some(index))
            .map(|&(.., child)| usize::from(child))
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
    fn paths_share_their_beginnings_and_may_not_contain_each_other() {
        let mut tree = Tree::default();
        let first = tree.slot(&"/question/full_text".into());
        assert_eq!(tree.slot(&"/question/id".into()), Some(1));
        assert_eq!(tree.slot(&"/question/full_text".into()), first);
        assert_eq!(tree.slot(&"/question".into()), None);
        assert_eq!(tree.slot(&"/question/id/more".into()), None);
        assert_eq!(tree.slots(), 2);
    }
}
