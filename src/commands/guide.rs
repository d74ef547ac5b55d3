//! `visavis guide`: pages of the guide.

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
        let page = match self.topic {
            None => guide::index(),
            Some(name) => Some(guide::find(&name).map_err(Failure::usage)?),
        };
        put(&page.map_or(String::new(), |page| render_answer(&page.answer())))
    }
}
