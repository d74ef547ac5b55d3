//! Paths into a record.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A path into a record: `/0/question/full_text`, as in JSON pointers (RFC 6901); `a.b` and a bare
/// key mean the same.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
#[serde(from = "String", into = "String")]
pub struct Path(Vec<String>);

impl Path {
    /// The path of one step, whatever signs the key has.
    pub fn key(key: &str) -> Self {
        Self(vec![key.to_owned()])
    }

    /// The path of these steps.
    pub fn of_steps(steps: impl IntoIterator<Item = impl ToString>) -> Self {
        Self(steps.into_iter().map(|step| step.to_string()).collect())
    }

    /// Whether it leads to another path, of which a number is an element of the list at a step `*` of this one.
    pub fn leads_to(&self, other: &Self) -> bool {
        let is_same = |(step, of): (&String, &String)| {
            step == of || (step == Self::EACH && of.parse::<usize>().is_ok())
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(is_same)
    }

    /// The path that leads on from this one.
    pub fn join(&self, onward: &Self) -> Self {
        Self([&*self.0, &*onward.0].concat())
    }

    /// Its steps: keys, and numbers of elements, which can be keys too.
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// The key with which it begins; `None` where that is the element of a list.
    pub fn first_key(&self) -> Option<&str> {
        let first = self.0.first().map(String::as_str);
        first.filter(|step| *step != Self::EACH && step.parse::<usize>().is_err())
    }

    /// The key with which it ends.
    pub fn last_key(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }

    /// The step that means every element of a list.
    pub const EACH: &'static str = "*";

    /// Whether it leads to something of each element of a list: `/answers/*/text`.
    pub fn is_of_each(&self) -> bool {
        self.list().is_some()
    }

    /// Whether it leads to the elements of a list themselves.
    pub fn ends_with_each(&self) -> bool {
        self.last_key() == Some(Self::EACH)
    }

    /// The path of the first list to each of whose elements it leads.
    pub fn list(&self) -> Option<&[String]> {
        let end = self.0.iter().position(|step| step == Self::EACH)?;
        self.0.get(..end)
    }

    /// The path that goes one step on.
    pub fn then(&self, step: &str) -> Self {
        let step = std::iter::once(step.to_owned());
        Self(self.0.iter().cloned().chain(step).collect())
    }

    /// The path of its first list, and the path onward from an element.
    pub fn split_list(&self) -> Option<(Self, Self)> {
        let list = self.list()?;
        let onward = self.0[list.len() + 1..].to_vec();
        Some((Self(list.to_vec()), Self(onward)))
    }

    /// The path of one element, from 0, of its first list.
    pub fn of_element(&self, index: usize) -> Self {
        let mut path = self.clone();
        let mut steps = path.0.iter_mut();
        if let Some(each) = steps.find(|step| *step == Self::EACH) {
            *each = index.to_string();
        }
        path
    }

    /// The path that leads on from the elements of the list at this one.
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
