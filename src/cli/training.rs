//! Options of `visavis export` for what trainers read.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::data::WRITTEN;

/// What a trainer is to get.
#[derive(Debug, Default, Args)]
pub struct TrainingArgs {
    /// Write what this trainer reads, as JSON Lines
    #[arg(long, value_enum, value_name = "TRAINER", conflicts_with_all = ["format", "rows"])]
    pub to: Option<TrainerName>,

    /// Apply these corrections of reviewers, with commas between them; visavis guide training says
    /// which judgments count
    #[arg(
        long,
        value_enum,
        value_name = "CORRECTIONS",
        value_delimiter = ',',
        requires = "to"
    )]
    pub apply: Vec<CorrectionName>,

    /// Write at most so many pairs of a sample, drawn by the seed of sort:random(SEED) in the query
    #[arg(long, value_name = "N", requires = "to")]
    pub pairs_per_sample: Option<NonZeroUsize>,

    /// Write where each row comes from into this file [default: OUT.provenance.jsonl beside --output
    /// OUT]
    #[arg(long, value_name = "FILE", requires = "to", group = WRITTEN)]
    pub provenance: Option<PathBuf>,
}

/// Who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TrainerName {
    /// TRL: prompt, chosen and rejected as messages
    Trl,
    /// OpenAI and Azure: preference fine-tuning
    #[value(name = "openai")]
    OpenAi,
    /// NeMo RL: a context and two ranked completions
    Nemo,
    /// LLaMA-Factory: preferences in ShareGPT's layout
    LlamaFactory,
    /// HelpSteer2: a response a row with its five labels
    #[value(name = "helpsteer2")]
    HelpSteer2,
}

impl TrainerName {
    /// As it is typed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Trl => "trl",
            Self::OpenAi => "openai",
            Self::Nemo => "nemo",
            Self::LlamaFactory => "llama-factory",
            Self::HelpSteer2 => "helpsteer2",
        }
    }
}

/// What reviewers correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CorrectionName {
    /// Another response wins where reviewers say so
    Flip,
    /// What was checked as wrong, or tagged drop, is left out
    Drop,
    /// Labels get the values that reviewers gave; of helpsteer2
    Relabel,
}
