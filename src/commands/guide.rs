//! `visavis guide`: pages of the guide.

use std::fmt::Write as _;

use clap::Args;

use super::Sources;
use super::output::{put, render_answer};
use crate::guide;
use crate::run::Failure;

/// Print a page of the guide, or list its topics
#[derive(Debug, Args)]
pub struct GuideArgs {
    /// Page to print, by its name or the beginning of its name [default: list all topics]
    topic: Option<String>,
}

impl GuideArgs {
    pub(super) fn run(self, _sources: &mut Sources) -> Result<(), Failure> {
        match self.topic {
            None => put(&topics()),
            Some(name) => {
                let page = guide::find(&name).map_err(Failure::usage)?;
                put(&render_answer(&page.answer()))
            }
        }
    }
}

fn topics() -> String {
    let topics = guide::topics();
    let width = topics.iter().map(|topic| topic.name.len()).max();
    let width = width.unwrap_or(0);
    let mut out =
        String::from("visavis guide TOPIC prints a page; ? and Enter open it in the program.\n\n");
    for topic in topics {
        let _ = writeln!(out, "  {:width$}  {}", topic.name, topic.summary);
    }
    out
}
