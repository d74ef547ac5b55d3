//! Paths into records.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A path into a record: `/0/question/full_text`, as in JSON pointers (RFC 6901). `a.b` and a bare
/// key are also accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(from = "String", into = "String")]
pub struct Path(Vec<String>);

impl Path {
    /// Creates a path of one step; the key may contain any character.
    pub fn key(key: &str) -> Self {
        Self(vec![key.to_owned()])
    }

    /// Creates a path of these steps.
    pub fn of_steps(steps: impl IntoIterator<Item = impl ToString>) -> Self {
        Self(steps.into_iter().map(|step| step.to_string()).collect())
    }

    /// True if it matches another path, in which a number may take the place of a step `*` of this
    /// one.
    pub fn leads_to(&self, other: &Self) -> bool {
        let is_same = |(step, of): (&String, &String)| {
            step == of || (step == Self::EACH && of.parse::<usize>().is_ok())
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(is_same)
    }

    /// Returns this path followed by another one.
    pub fn join(&self, onward: &Self) -> Self {
        Self([&*self.0, &*onward.0].concat())
    }

    /// Returns its steps: keys, and indices of elements (which may also be keys).
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// Returns its first key; `None` if that is an element of a list.
    pub fn first_key(&self) -> Option<&str> {
        self.0
            .first()
            .map(String::as_str)
            .filter(|step| *step != Self::EACH && step.parse::<usize>().is_err())
    }

    /// Returns its last key.
    pub fn last_key(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }

    /// The step that matches every element of a list.
    pub const EACH: &'static str = "*";

    /// True if it continues from each element of a list: `/answers/*/text`.
    pub fn is_of_each(&self) -> bool {
        self.list().is_some()
    }

    /// True if it ends at the elements of a list.
    pub fn ends_with_each(&self) -> bool {
        self.last_key() == Some(Self::EACH)
    }

    /// Returns the path of its first list with a step `*`.
    pub fn list(&self) -> Option<&[String]> {
        let end = self.0.iter().position(|step| step == Self::EACH)?;
        self.0.get(..end)
    }

    /// Returns this path with one more step.
    pub fn then(&self, step: &str) -> Self {
        let step = std::iter::once(step.to_owned());
        Self(self.0.iter().cloned().chain(step).collect())
    }

    /// Splits at the first list: returns its path, and the path from an element.
    pub fn split_list(&self) -> Option<(Self, Self)> {
        let list = self.list()?;
        let onward = self.0[list.len() + 1..].to_vec();
        Some((Self(list.to_vec()), Self(onward)))
    }

    /// Returns the path of one element, from 0, of its first list.
    pub fn of_element(&self, index: usize) -> Self {
        let mut path = self.clone();
        if let Some(each) = path.0.iter_mut().find(|step| *step == Self::EACH) {
            *each = index.to_string();
        }
        path
    }

    /// Returns this path (a list) followed by a path from its elements.
    pub fn each_then(&self, onward: &Self) -> Self {
        self.then(Self::EACH).join(onward)
    }
}

impl From<String> for Path {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Path> for String {
    fn from(path: Path) -> Self {
        path.to_string()
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
