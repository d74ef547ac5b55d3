//! visavis: read human-preference data *vis-à-vis*, face to face, in a terminal.
//!
//! ```text
//!  visavis  train.jsonl.gz  HelpSteer2 · 10,162 samples                     loading ━━━━──────  40 %   header
//! ┌ samples ────────────────┐┌ prompt · 3 turns ──────────────────────────────────────────────────┐
//! │  12 4│2 explain the …   ││ ▎ user      How do I reverse a list in place?                      │
//! │▸ 13 3│3 write a mail…   ││ ▎ assistant Use list.reverse() …                                   │   panes:
//! │✗ 14 line 31: the line … ││ ▎ user      And without changing the original?                     │   List
//! │⚑ 15 0│4 c#              │├ A · row 27 · ◂ wins by 2 ───────┬ B · row 28 ──────────────────────┤   Prompt
//! │                         ││ helpfulness ▰▰▰▰ 4 +2           │ helpfulness ▰▰▱▱ 2               │   A: labels,
//! │                         ││ complexity ▰▰▱▱ 2               │ complexity ▰▰▱▱ 2                │      text
//! │                         ││                                 │                                  │   B: labels,
//! │                         ││ Use `reversed(xs)` or a slice: …│ You can call `xs.reverse()`, …   │      text
//! └─────────────────────────┘└─────────────────────────────────┴──────────────────────────────────┘
//!  13/10,162 · row 27+28 · 1 malformed line                                        ? help  q quit      status
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
//! | 10 | [`config`] | what is set for good: one table of settings, and changed keys |
//! | 10 | [`ui`] | `draw(buffer, &App, &Look)`: cells, no state |
//! | 10 | [`linear`] | the state in sentences, for a screen reader |
//! | 11 | [`term`] | the terminal's guard |
//! | 12 | [`run`] | the screen: the loop, frames, linear mode, and the user's own files |
//! | 13 | [`commands`] | the command line: a file for each subcommand |
//!
//! Everything up to floor 7 is a library that runs without a terminal. Nothing below `keymap` has
//! heard of keys; `app` cannot draw and `ui` cannot change anything; only `run` performs effects.
//!
//! # Two journeys
//!
//! *A key:* terminal event → [`keymap`] → [`app::Action`] → [`app::update`] → effects → [`run`]
//! performs them → one [`ui::draw`] a batch. What the screen lacks then is named by
//! [`app::App::needs`], so that ten queued keys read one sample.
//!
//! *A row:* file → [`source`] (mapped, read by place, or decoded once) → [`dataset`] (where each row
//! begins, which rows are a sample) → for rows on screen alone: read anew, known again by its hash,
//! read by [`schema`], sanitised and wrapped into ranges ([`app::Page`]) → cells.
//!
//! # To add a dataset
//!
//! One file, `assets/schemas/NAME.toml`; `src/schema/tests.rs` reads every one, and
//! `assets/guide/formats.md` names it. What a schema cannot say yet is a key of
//! `schema/definition.rs`, read by `schema/reader.rs` and, for the quick scan, by
//! `schema/row_stats.rs`.
//!
//! # To add a field
//!
//! A number of each response, a fact or a text of a dataset is a `[[label]]`, `[[fact]]` or `[[text]]` of
//! its schema and no Rust. What is counted of each response or of each prompt, in every dataset, is a row
//! of `table/built_in.rs`: name, level, kind, meaning, what it reveals to a blind reviewer, whether the
//! sort menu has it, and the function that counts it: while rows are scanned, or, where texts must be
//! decoded for it (`ColumnSource::ResponseText` and its like), once somebody asks. A flag (`is:…`) that is
//! made of what is known of the samples is a row there too. Scanning, storage, language, completion, `?`,
//! sort menu, list, labels panel, CSV and blindness follow the row; the naive twin
//! (`query/engine/tests/naive.rs`) is told what it says, and `assets/guide/query.md` and `export.md` name it.
//!
//! Values that are neither numbers nor words are a `ColumnSource` (`table/mod.rs`), a key of
//! `schema/definition.rs` with its path and column in `schema/column_paths.rs`, and a list in
//! `dataset/packed.rs`; readers find them there by their `ColumnId`. Words that are read differently from
//! those there also get their arm in `query/engine/facts.rs`, numbers in `query/engine/numbers.rs`.
//!
//! # To add a view
//!
//! A page in place of the panes takes four files: one of `app/` with an [`app::PageContent`], which
//! builds an [`app::PageDoc`] (text, marks at cells, spots for the cursor) and says what its own keys
//! mean; a row of `pages` in `app/views.rs`; its name in `app/mod.rs`; and a command of
//! `app/command.rs` that opens it. Scrolling, painting and speaking follow.
//!
//! A list to choose from is an [`app::Menu`], whose lines say what is to be done. Any other view is
//! a row of `others` in `app/views.rs`, a file of `app/` with its state and keys (called by
//! `App::act` in `app/update.rs`), one of `ui/` (called by `ui/mod.rs`), and its sentences in
//! `linear/views.rs`. If it has keys of its own: a `Context` in `app/views.rs`, and rows in
//! `assets/keys.toml`.
//!
//! # To add an action
//!
//! Two files: a row of `actions` in `app/action.rs` with its arm in `act_in_read` below, and a row of
//! `assets/keys.toml` (the help, `visavis keys` and `assets/guide/keys.md` are made from it). A command
//! behind `:` is a row of `app/command.rs` and an arm there. What touches a file or the terminal is an
//! `app::Effect`, asked for by `Browser::request` and performed in `run`.
//!
//! # To add a subcommand
//!
//! One file, `commands/NAME.rs`: a struct that derives `clap::Args`, whose doc comment is the help,
//! and its `run`, which does the work. A row of `subcommands` in `commands.rs` makes it known to
//! the command line, `man` and the completions. Files, a query and `-o` are
//! `commands/data.rs`; `DataArgs::source` opens the data, `QueriedData` asks it, `Notes::say`
//! reports what readers should know besides the answer, and `Failed` is the exit code.
//!
//! # To add a job
//!
//! What is read or counted of the dataset for the state: an [`app::Effect`] that asks for it, a
//! variant of `DataJobKind`, and an arm of `Views::job` (`app/data_job.rs`), which says whether it
//! takes less than a frame and makes the message that answers. `Driver::effect` hands the effect on;
//! threads, cancelling and the end of the program follow the kind.
//!
//! # To add a setting
//!
//! A row of `config.rs`: the file, the environment, `visavis config` and `assets/guide/config.md` follow.
//! Whoever acts on it asks the `Config`; an option for it is a field of `SettingArgs` in
//! `run/invocation.rs`, with a row in `SettingArgs::given`.
//!
//! # To add a finding
//!
//! A rule is a table of a file in `assets/findings/`: a sentence for people, a severity, a query; a row
//! in `findings/tests.rs` fires it, and `assets/guide/findings.md` names it. What no query can say
//! yet is a column (see above), or a word of `query/words.rs` (`has:`, `cite:`), explained in
//! `assets/query.toml`, with its meaning in `query/ast.rs`, answered in `query/engine/plan.rs` and
//! `rows.rs`.

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

// What the program, the tests, the benches and the fuzz targets call; the rest is private, so that the
// compiler tells what nobody uses.
pub use app::{
    Action, App, COMMANDS, DataJob, Effect, Loading, Message, Pointer, QueryJob, QueryKind, Scroll,
    ViewOptions, update,
};
pub use commands::{Cli, main, render, without_home};
pub use config::{Config, effective as effective_config, markdown as settings_as_markdown};
pub use dataset::{Buffers, Chunk, Dataset, DatasetFile, LoadEvent, Loader, SampleBody, SampleKey};
pub use findings::RuleSet;
pub use guide::{Topic, find as find_topic, topics as guide_topics};
pub use journal::{
    Act, ActId, ActRecord, Header, JournalFile, Judgment, Ledger, SampleRef, Setting,
    VERSION as JOURNAL_VERSION,
};
pub use keymap::{
    Key, Keymap, actions_as_markdown, help as help_of_keys, keys as spelled_keys,
    markdown as keys_as_markdown, table as table_of_keys,
};
pub use model::{ResponseId, Verdict};
pub use query::{
    Catalog, Field, FindingRules, MOST_BYTES as MOST_QUERY_BYTES, Query, QueryContext, QueryResult,
    Remarks, SampleRemark, ScanCache, complete as complete_query, find as find_samples,
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
