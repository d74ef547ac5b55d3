//! visavis: read human-preference data *vis-à-vis*, face to face, in a terminal.
//!
//! ```text
//! 13/10,162                              ✗ 1 malformed line  train.jsonl.gz:27 · HelpSteer2       header
//!    12  3:3 explain the …  │ user  How do I reverse a list in place?                             List, Prompt
//! ▌  13  4:2 write a mail…  │ A wins by 2 ─────────────────────┬ B ─────────────────────────────
//!  ✗ 14  not valid JSON     │ Use `reversed(xs)` or a slice: … │ You can call `xs.reverse()`, …   A, B: texts
//! helpfulness   4  2   +2   │                                  │
//! complexity    2  2        │                                  │                                  label card
//! j next  Space page  f filter  s sort  / search  r rate  ? keys                                  keys
//! ```
//!
//! # Layers
//!
//! A module imports from lower layers only; modules of one layer do not import each other.
//! `tests/architecture` checks this, and which modules may use which external crates.
//!
//! | layer | module | purpose |
//! |---|---|---|
//! | 0 | [`json`](visavis_data::json) | JSON as bytes: tokens, items, escapes |
//! | 0 | [`parallel`] | work on all cores |
//! | 1 | [`text`] | sanitise, measure, wrap, Markdown: strings in, ranges out |
//! | 1 | [`model`] | responses, roles, verdicts, and the contents of a row, borrowed from it |
//! | 2 | [`toml_file`] | files written by users: values with their lines, and errors |
//! | 2 | [`table`] | columns: their values, level, meaning, and what they reveal |
//! | 2 | [`source`] | open, map, decompress, read at offsets, detect changes, lines |
//! | 3 | [`schema`] | the layout of records, as data; one reader for all layouts |
//! | 4 | [`stats`] | agreement of ratings, and its uncertainty |
//! | 4 | [`dataset`] | files → rows → samples, and joined files |
//! | 5 | [`answer`] | what a command or a page says: figures and tables, a writer for each form |
//! | 5 | [`query`] | which samples to show, and in which order: the filter language and its columns |
//! | 5 | [`search`](mod@search) | text search, best matches first |
//! | 5 | [`journal`] | the acts of reviewers, stored beside the data |
//! | 6 | [`guide`] | the manual: a page for each topic, found by name |
//! | 6 | [`profile`] | statistics: figures, histograms, correlations; differences between two versions |
//! | 6 | [`findings`] | rules for suspicious samples, as data |
//! | 6 | [`review`] | audits: sampling, progress, agreement between reviewers |
//! | 6 | [`sql`] | a query as a statement for DuckDB, or a program for Spark |
//! | 7 | [`export`] | output: samples, training formats, reports, clipboard |
//! | 7 | [`jobs`] | background jobs: one of a kind at a time, newest wins, cancel, join |
//! | 8 | [`app`] | the state; `update(&mut App, Message) -> Vec<Effect>` |
//! | 9 | [`keymap`] | keys → actions, by one table |
//! | 10 | [`config`], [`ui`] | settings · `draw(buffer, &App, &Look)` |
//! | 11 | [`term`] | terminal capabilities, events and restoration |
//! | 12 | [`run`] | the screen: the loop, frames, linear mode, and the user's files |
//! | 13 | [`commands`] | the command line: a file for each subcommand |
//!
//! *A key:* terminal event → [`keymap`] → [`app::Action`] → [`app::update`] → effects, which only
//! [`run`] performs → one [`ui::draw`] per batch of messages. [`app::App::needs`] lists the data
//! that the screen lacks once per batch, so ten queued `j` read one sample, not ten.
//!
//! *A row:* file → [`source`] (mapped, or decoded once) → [`dataset`] (offsets of rows, rows of each
//! sample) → for rows on screen only: read again, verified by hash, parsed by [`schema`], sanitised
//! and wrapped into ranges ([`app::Page`]) → cells.
//!
//! # Recipes
//!
//! Paths are below `src/` or `src/data/` (layers up to 7, apart from `guide` and `jobs`), or in
//! `assets/`. Tests fail until the guide mentions the addition.
//!
//! - **A dataset:** `schemas/NAME.toml`. If schemas cannot express it, add a key to
//!   `schema/layout/definition.rs`, read by `schema/row/reader.rs` and, while a file is scanned, by
//!   `schema/row/stats.rs`.
//! - **A field:** a `[[label]]`, `[[fact]]` or `[[text]]` of a schema. If counted in every dataset:
//!   a row of `table/built_in.rs` (scanned, or a `ColumnSource` decoded on demand); filters, menus,
//!   panels, CSV and blind review follow; add it to the naive implementation in
//!   `query/engine/tests/naive.rs`. SQL refuses it without an arm in `sql/filter.rs`; with
//!   `--against`, a CSV has its value for the joined sample unless `export/sheet/columns.rs` has an
//!   arm. For a new type of list: `ColumnSource` (`table/mod.rs`),
//!   `schema/layout/column_paths.rs`, `dataset/load/row_batch.rs`, `query/engine/facts.rs`.
//! - **A verdict rule:** a file of `schema/verdict/`, its variant, keys and arms in
//!   `schema/verdict/mod.rs`, and its translation in `sql/verdicts.rs`.
//! - **A compression or an archive:** `source/sniff.rs` recognises it, `source/decode.rs` decodes it.
//!   A container of rows: a module of `source/container/`, its variant and arms in its `mod.rs` and
//!   in `sql/reading.rs`; if it was refused until now, its row in `sniff.rs` goes.
//! - **Votes:** of one row, `schema/row/votes.rs`, by the keys of `schema/layout/vote_path.rs`; of the
//!   rows of a sample, `dataset/read/sample.rs` and, while a file is scanned,
//!   `dataset/load/row_batch.rs`; their majority, `model/votes.rs`.
//! - **A followed file:** noticed by `run/driver.rs`, compared by `dataset/load/growth.rs`, shown by
//!   `app/shown/following.rs`.
//! - **A page:** a file of `app/pages/` (and its name in `mod.rs`) with an [`app::PageContent`]: its
//!   keys, job and lines. An action or a command opens it with `App::open_page`.
//! - **Another view:** a list to choose from is an [`app::Menu`]. Others are a row of `views` in
//!   `app/views.rs`, with state in `app/` and painting in `ui/`. Linear mode prints what is painted.
//! - **A rater:** a `[rater.NAME]` of a schema. What guesses find is in `schema/guess/raters.rs`.
//! - **An action:** a row of `actions` and an arm of `act_in_read` in `app/action.rs`, a row of
//!   `keys.toml`; one that is not of the panes, an arm of `is_of_panes`; when it does nothing, a row
//!   of `App::refusal`. Access to a file or the terminal is an [`app::Effect`], performed by `run`.
//! - **A subcommand:** `commands/NAME.rs` (`clap::Args` and `run`; files and a query are in
//!   `commands/data.rs`), and a row of `subcommands` in `commands.rs`.
//! - **A statistic:** a file of `profile/` with a function that makes its cards, and a row of
//!   `SECTIONS` in `profile/mod.rs`; the page, text, Markdown, JSON and picture follow.
//! - **A training format:** a file of `export/training/` and its row in `TrainingFormat::ALL`
//!   (`export/training.rs`).
//! - **A job:** a function that returns an `app::job::Job` in the file whose data it makes (a name,
//!   a key, the work, and a closure that applies the result), and a line of `App::needs`, unless a
//!   page has it.
//! - **A setting:** a row of `config.rs`; an option for it is a field and a row in
//!   `run/invocation.rs`.
//! - **A finding:** a table of a file in `findings/`, a row in `findings/tests.rs`. If queries
//!   cannot express it, add a column, or a word of `query/words.rs` and `query.toml`, evaluated in
//!   `query/engine/plan.rs` and `rows.rs`.

// The data half, under the names that its modules have there.
use visavis_data::{
    answer, dataset, export, findings, journal, model, parallel, profile, query, review, schema,
    search, source, sql, stats, table, text, toml_file,
};

mod app;
mod commands;
mod config;
mod guide;
mod jobs;
mod keymap;
mod run;
mod term;
mod ui;

// Public for the program, tests, benches and fuzz targets. The rest is private, so that the
// compiler reports unused code; in the data half, `tests/architecture` does.
pub use app::{
    Action, App, COMMANDS, Effect, Loading, Message, Pointer, QueryKind, Scroll, ViewOptions,
    update,
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
    Catalog, Field, FindingRules, MAX_BYTES as MAX_QUERY_BYTES, Query, QueryContext, QueryResult,
    ReviewIndex, SampleRemark, ScanCache, complete as complete_query, find as find_samples,
    parse as parse_query, sort as sort_samples,
};
pub use run::{Driver, Frontend, LoopEnd, LoopEvent, drive, is_settled, plain_text};
pub use schema::{Definition, RowStats, Schema, SchemaChoice, built_in, repair};
pub use search::{Index, Needle, SearchRequest, SearchScope, search};
pub use source::{Input, lines};
pub use stats::{ClusteredCounts, Confusion, Scale, SeededRng, Undefined, Weights, kappa};
pub use term::InputParser;
pub use text::{
    ComparedText, Finder, Hidden, Phrase, StyledText, TextGlyphs, TextRegex, grapheme_width,
    one_line, sanitise, width as text_width, word_diff, wrap,
};
pub use ui::{ColorDepth, Glyphs, Look, Preset, Theme, ThemeFile, draw};
