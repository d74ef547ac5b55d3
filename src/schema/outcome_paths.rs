//! A path for each outcome of a verdict.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::path::Path;

/// Where the values of each outcome are. TOML names the responses by their letters.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "BTreeMap<String, Path>", into = "BTreeMap<String, Path>")]
pub struct OutcomePaths {
    /// The path that belongs to the win of each response; at least two.
    pub responses: Vec<Path>,
    /// The path that belongs to a tie.
    pub tie: Option<Path>,
}

impl TryFrom<BTreeMap<String, Path>> for OutcomePaths {
    type Error = &'static str;

    fn try_from(mut paths: BTreeMap<String, Path>) -> Result<Self, &'static str> {
        let tie = paths.remove("tie");
        let letters = ('a'..='z').map(String::from);
        let are_letters = paths.keys().cloned().eq(letters.take(paths.len()));
        if !are_letters || paths.len() < 2 {
            return Err("the keys are a, b and so on, one for each response, and tie");
        }
        let responses = paths.into_values().collect();
        Ok(Self { responses, tie })
    }
}

impl From<OutcomePaths> for BTreeMap<String, Path> {
    fn from(of: OutcomePaths) -> Self {
        let letters = ('a'..='z').map(String::from);
        let tie = of.tie.map(|path| ("tie".to_owned(), path));
        letters.zip(of.responses).chain(tie).collect()
    }
}
