//! User commands: programs that receive the selected sample on standard input. The record view
//! shows their output.

use std::sync::Arc;

use super::pages::record::RecordBuilder;
use super::sample::pane_text::SectionKind;
use crate::export::BlindMask;
use crate::text::{grouped, one_line};

/// Most cells of a program and its arguments.
const WORDS: usize = 200;

/// A user command from `[commands]` of the config file; commands never come from data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCommand {
    /// The name to type.
    pub name: String,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// A description for users; empty if not configured.
    pub help: String,
}

impl UserCommand {
    /// Returns how it is typed.
    pub fn usage(&self) -> String {
        format!(":{}", self.name)
    }

    /// Returns its description, or the program that it runs.
    pub fn about(&self) -> String {
        match &*self.help {
            "" => format!("run {}", one_line(&self.run.join(" "), WORDS)),
            help => one_line(help, WORDS),
        }
    }
}

/// A command and the sample that it receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// The command.
    pub command: Arc<UserCommand>,
    /// Number of the sample, from 0.
    pub sample: usize,
    /// What blind judging hides from the program.
    pub mask: BlindMask,
}

/// The output of a program, and how it ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// Standard output, possibly truncated.
    pub text: String,
    /// Standard error, likewise.
    pub errors: String,
    /// Why it was stopped or failed, as a sentence; `None` on success.
    pub failure: Option<String>,
}

impl CommandOutput {
    /// Creates the output of a program that could not be run.
    pub fn failed(why: String) -> Self {
        Self {
            failure: Some(why),
            ..Self::default()
        }
    }
}

impl RecordBuilder<'_> {
    /// Lays out the output of a program.
    pub(super) fn lay_out_output(&mut self, run: &CommandRun, output: &CommandOutput) {
        let usage = run.command.usage();
        let program = one_line(&run.command.run.join(" "), WORDS);
        let number = grouped(run.sample + 1);
        self.divider(&format!("{usage} \u{b7} {program} \u{b7} sample {number}"));
        if let Some(failure) = &output.failure {
            self.remark(0, SectionKind::Reason, failure);
        }
        let [text, errors] = [&output.text, &output.errors].map(|text| text.trim_end());
        if text.is_empty() && errors.is_empty() && output.failure.is_none() {
            self.remark(0, SectionKind::Remark, "The program printed nothing.");
        }
        if !text.is_empty() {
            self.remark(0, SectionKind::Plain, text);
        }
        if !errors.is_empty() {
            self.divider("standard error");
            self.remark(0, SectionKind::Plain, errors);
        }
    }
}
