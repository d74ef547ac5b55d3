//! `visavis sql`: what can be typed behind it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::data::query;
use super::reading::{CatalogSource, SchemaChoiceArgs, inputs};
use crate::dataset::Loader;

/// Print a query as SQL for DuckDB, or as a program for Spark
///
/// What is printed finds the samples that visavis finds, with its pairs of rows and its rule for
/// missing values, where the data lies. What an engine cannot say is refused. visavis guide sql tells
/// what that is.
#[derive(Debug, Args)]
pub(super) struct SqlArgs {
    /// The query; '' finds everything
    #[arg(allow_hyphen_values = true, value_parser = query)]
    query: String,

    /// The files, in this order
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// For which engine
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "duckdb")]
    dialect: DialectName,

    /// A statement that counts the samples instead of listing them
    #[arg(long)]
    count: bool,

    /// Hand the statement to the command duckdb, and print what that prints, as CSV
    #[arg(long)]
    run: bool,

    /// Draw so many of the samples, by a hash of --seed, and write their rows with --to
    #[arg(long, value_name = "N", requires = "to", conflicts_with = "count")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// What the draw of --sample begins with: another number, other samples
    #[arg(long, value_name = "SEED", default_value = "0", requires = "sample")]
    seed: u64,

    /// The file into which the engine writes the rows of the samples drawn, as they stand; one that is
    /// there is replaced
    #[arg(long, value_name = "FILE", requires = "sample")]
    to: Option<String>,

    #[command(flatten)]
    schema: SchemaChoiceArgs,
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

/// What is to be said in SQL.
#[derive(Debug)]
pub struct SqlTask {
    /// What opens the files.
    pub loader: Loader,
    /// The query, not yet read.
    pub query: String,
    /// For which engine.
    pub dialect: DialectName,
    /// Whether samples are counted.
    pub counts: bool,
    /// What is drawn, where that is asked for.
    pub draw: Option<SqlDraw>,
    /// Whether the statement is handed to DuckDB.
    pub runs: bool,
}

/// A draw that an engine is to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlDraw {
    /// How many samples.
    pub samples: u64,
    /// What their hashes begin with.
    pub seed: u64,
    /// Where their rows go.
    pub to: String,
}

impl SqlArgs {
    pub(super) fn task(self, catalog: CatalogSource<'_>) -> anyhow::Result<SqlTask> {
        if self.run && self.dialect != DialectName::DuckDb {
            anyhow::bail!(
                "--run hands a statement to duckdb; save the program for Spark and give it to spark-submit"
            );
        }
        let draw = self.sample.zip(self.to).map(|(samples, to)| SqlDraw {
            samples,
            seed: self.seed,
            to,
        });
        Ok(SqlTask {
            draw,
            loader: Loader {
                inputs: inputs(self.files, 0)?,
                choice: self.schema.choice(catalog)?,
                ..Loader::default()
            },
            query: self.query,
            dialect: self.dialect,
            counts: self.count,
            runs: self.run,
        })
    }
}
