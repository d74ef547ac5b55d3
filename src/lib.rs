//! visavis: read human-preference data *vis-à-vis*, face to face, in a terminal.
//!
//! ```text
//! f helpfulness>3                        13/2,104 · 10,162      train.jsonl.gz:27 · HelpSteer2   header
//!    12  4│2 explain the …  │ user      How do I reverse a list in place?                         List, Prompt
//! ▸  13  3│3 write a mail…  │ A wins by 2 ─────────────────────┬ B ─────────────────────────────
//!    14  ✗ not valid JSON   │ Use `reversed(xs)` or a slice: … │ You can call `xs.reverse()`, …   A, B: texts
//! helpfulness   4  2   +2   │                                  │
//! complexity    2  2        │                                  │                                  label card
//! j k sample  Space read on  / search  f filter  ? help                                           keys
//! ```
//!
//! # Floors
//!
//! A module imports from lower floors only; neighbours on a floor do not see each other.
//! `tests/architecture` checks it, and where a foreign crate may be named.
//!
//! | floor | module | duty |
//! |---|---|---|
//! | 0 | [`text`] | sanitise, measure, wrap, Markdown: strings in, ranges out |
//! | 0 | [`parallel`] | work on all cores |
//! | 1 | [`model`] | responses, roles, verdicts, and what a row says, borrowed from it |
//! | 1 | [`tokens`] | token ids → text, by the vocabulary of GPT-2 |
//! | 1 | [`toml_file`] | files that a person writes: values with their lines, and what is wrong there |
//! | 2 | [`table`] | columns: what values there are, at which level, what they mean and reveal |
//! | 2 | [`source`] | open, map, decompress, read by place, tell whether it changed, lines |
//! | 3 | [`schema`] | where things stand in a record, as data; one reader for all |
//! | 4 | [`dataset`] | files → rows → samples, and what other files say of them |
//! | 5 | [`query`] | which samples to show, and in which order: the filter language and its columns |
//! | 5 | [`search`](mod@search) | which samples say what was typed, the likeliest first |
//! | 5 | [`stats`] | how far ratings agree, and how sure that is |
//! | 5 | [`journal`] | what reviewers did, kept beside the data |
//! | 6 | [`guide`] | the manual: a page for each topic, found by name |
//! | 6 | [`profile`] | what the data is like: figures, histograms, correlations; how two versions differ |
//! | 6 | [`findings`] | rules of what is suspicious in a sample, as data |
//! | 6 | [`review`] | audits: what they draw, where they stand, how far people agree |
//! | 6 | [`sql`] | the same query as a statement for DuckDB, or a program for Spark |
//! | 7 | [`export`] | samples, what trainers read, reports and the clipboard out |
//! | 7 | [`jobs`] | background jobs: one of a kind at a time, newest wins, cancel, join |
//! | 8 | [`app`] | the state; `update(&mut App, Message) -> Vec<Effect>` |
//! | 9 | [`keymap`] | keys → actions, by one table |
//! | 10 | [`config`], [`ui`], [`linear`] | settings · `draw(buffer, &App, &Look)` · the state in sentences |
//! | 11 | [`term`] | what the terminal can do, its events, its restoration |
//! | 12 | [`run`] | the screen: the loop, frames, linear mode, and the user's own files |
//! | 13 | [`commands`] | the command line: a file for each subcommand |
//!
//! *A key:* terminal event → [`keymap`] → [`app::Action`] → [`app::update`] → effects, which only
//! [`run`] performs → one [`ui::draw`] a batch. What the screen lacks then is named by
//! [`app::App::needs`], so that ten queued keys read one sample.
//!
//! *A row:* file → [`source`] (mapped, or decoded once) → [`dataset`] (where each row begins, which
//! rows are a sample) → for rows on screen alone: read anew, known again by its hash, read by
//! [`schema`], sanitised and wrapped into ranges ([`app::Page`]) → cells.
//!
//! # Recipes
//!
//! Paths are below `src/`, or in `assets/`. Tests fail until the guide names what is new.
//!
//! - **A dataset:** `schemas/NAME.toml`. What a schema cannot say is a key of `schema/definition.rs`, read by
//!   `schema/reader.rs` and, for the quick scan, by `schema/row_stats.rs`.
//! - **A field:** a `[[label]]`, `[[fact]]` or `[[text]]` of a schema. Counted in every dataset: a row of
//!   `table/built_in.rs` (scanned, or a `ColumnSource` that is decoded once asked for); filters, menus, panels,
//!   CSV and blindness follow; the twin in `query/engine/tests/naive.rs` says it once more. Lists of a new type:
//!   `ColumnSource` (`table/mod.rs`), `schema/column_paths.rs`, `dataset/packed.rs`, `query/engine/facts.rs`.
//! - **A view:** a page is a file of `app/` with an [`app::PageContent`], a row of `pages` in `app/views.rs`, its
//!   name in `app/mod.rs`, a command of `app/command.rs`. A list to choose from is an [`app::Menu`]. Others are a
//!   row of `others` in `app/views.rs`, with state in `app/`, painting in `ui/`, sentences in `linear/views.rs`.
//! - **An action:** a row of `actions` and an arm of `act_in_read` in `app/action.rs`, a row of `keys.toml`.
//!   What touches a file or the terminal is an [`app::Effect`], performed by `run`.
//! - **A subcommand:** `commands/NAME.rs` (`clap::Args` and `run`; files and a query are `commands/data.rs`),
//!   and a row of `subcommands` in `commands.rs`.
//! - **A job:** an effect that asks, a variant of `DataJobKind`, an arm of `Views::job` (`app/data_job.rs`).
//! - **A setting:** a row of `config.rs`; an option for it is a field and a row in `run/invocation.rs`.
//! - **A finding:** a table of a file in `findings/`, a row in `findings/tests.rs`. What no query can say is a
//!   column, or a word of `query/words.rs` and `query.toml`, answered in `query/engine/plan.rs` and `rows.rs`.

mod app;
mod commands;
mod config;
mod dataset;
mod export;
mod findings;
mod guide;
mod jobs;
mod journal;
mod keymap;
mod linear;
mod model;
mod parallel;
mod profile;
mod query;
mod review;
mod run;
mod schema;
mod search;
mod source;
mod sql;
mod stats;
mod table;
mod term;
mod text;
mod tokens;
mod toml_file;
mod ui;

// Public for the program, tests, benches and fuzz targets. The rest is private, so that the
// compiler reports unused code.
pub use app::{
    Action, App, COMMANDS, DataJob, Effect, Loading, Message, Pointer, QueryJob, QueryKind, Scroll,
    ViewOptions, update,
};
pub use commands::{Cli, main, render, without_home};
pub use config::{Config, effective as effective_config};
pub use dataset::{Buffers, Chunk, Dataset, DatasetFile, LoadEvent, Loader, SampleBody, SampleKey};
pub use findings::RuleSet;
pub use guide::{Topic, find as find_topic, topics as guide_topics};
pub use journal::{
    Act, ActId, ActRecord, Header, JournalFile, Judgment, Ledger, SampleRef, Setting,
    VERSION as JOURNAL_VERSION,
};
pub use keymap::{Key, Keymap, keys as spelled_keys};
pub use model::{ResponseId, Verdict};
pub use query::{
    Catalog, Field, FindingRules, MOST_BYTES as MOST_QUERY_BYTES, Query, QueryContext, QueryResult,
    ReviewIndex, SampleRemark, ScanCache, complete as complete_query, find as find_samples,
    parse as parse_query, sort as sort_samples,
};
pub use run::{Driver, Frontend, LoopEnd, LoopEvent, drive, is_settled, plain_text};
pub use schema::{Definition, RowStats, Schema, SchemaChoice, built_in, repair};
pub use search::{Index, Needle, SearchRequest, SearchScope, search};
pub use source::{Input, lines};
pub use stats::{
    ClusteredCounts, Confusion, DRAWS as BOOTSTRAP_DRAWS, SeededRng, Undefined, Weights, kappa,
};
pub use term::InputParser;
pub use text::{
    ComparedText, Finder, Hidden, Phrase, RawMatch, StyledText, TextGlyphs, TextRegex,
    grapheme_width, one_line, sanitise, width as text_width, word_diff, wrap,
};
pub use ui::{ColorDepth, Glyphs, Look, Preset, Theme, ThemeFile, draw};
