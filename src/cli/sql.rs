//! `visavis sql`: what can be typed behind it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::data::query;
use super::reading::{SchemaChoiceArgs, Sources, inputs};
use crate::dataset::Loader;

/// Print a query as SQL for DuckDB, or as a program for Spark
///
/// What is printed finds the samples that visavis finds, with its pairs of rows and its rule for
/// missing values, where the data lies. What an engine cannot say is refused. visavis guide sql tells
/// what that is.
#[derive(Debug, Args)]
pub struct SqlArgs {
    /// The query; '' finds everything
    #[arg(allow_hyphen_values = true, value_parser = query)]
    pub query: String,

    /// The files, in this order
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// For which engine
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "duckdb")]
    pub dialect: DialectName,

    /// A statement that counts the samples instead of listing them
    #[arg(long)]
    pub count: bool,

    /// Hand the statement to the command duckdb, and print what that prints, as CSV
    #[arg(long)]
    pub run: bool,

    /// Draw so many of the samples, by a hash of --seed, and write their rows with --to
    #[arg(long, value_name = "N", requires = "to", conflicts_with = "count")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,

    /// What the draw of --sample begins with: another number, other samples
    #[arg(long, value_name = "SEED", default_value = "0", requires = "sample")]
    pub seed: u64,

    /// The file into which the engine writes the rows of the samples drawn, as they stand; one that is
    /// there is replaced
    #[arg(long, value_name = "FILE", requires = "sample")]
    pub to: Option<String>,

    #[command(flatten)]
    pub schema: SchemaChoiceArgs,
}

/// The engine that a statement is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DialectName {
    /// A statement for DuckDB
    #[value(name = "duckdb")]
    DuckDb,
    /// A program in Python for PySpark 4
    Spark,
}

impl SqlArgs {
    /// What opens the files.
    ///
    /// # Errors
    /// When no engine takes what is asked for, a folder has no data, or there is no schema of the name.
    pub fn loader(&self, sources: &mut Sources<'_>) -> anyhow::Result<Loader> {
        if self.run && self.dialect != DialectName::DuckDb {
            anyhow::bail!(
                "--run hands a statement to duckdb; save the program for Spark and give it to spark-submit"
            );
        }
        Ok(Loader {
            inputs: inputs(self.files.clone(), 0)?,
            choice: self.schema.choice(sources)?,
            ..Loader::default()
        })
    }
}
