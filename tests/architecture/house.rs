//! The rules as data: the layer and the allowed external crates of each module, and exceptions with
//! their reasons.

/// A top-level module of `src/` or `src/data/`.
pub(crate) struct Module {
    pub(crate) name: &'static str,
    /// Its layer. It may use modules of lower layers.
    pub(crate) floor: u8,
    pub(crate) sight: Sight,
    /// External crates that it may use outside its tests.
    pub(crate) crates: &'static [&'static str],
}

/// Which of them a module may use.
pub(crate) enum Sight {
    /// All modules of lower layers.
    Below,
    /// Only these.
    Only(&'static [&'static str]),
}

const fn row(
    name: &'static str,
    floor: u8,
    sight: Sight,
    crates: &'static [&'static str],
) -> Module {
    Module {
        name,
        floor,
        sight,
        crates,
    }
}

/// All modules, from the lowest layer to the highest.
#[rustfmt::skip] // A table reads as a table.
pub(crate) const HOUSE: &[Module] = {
    use Sight::{Below, Only};
    &[
        row("lib", 0, Only(&[]), &["visavis_data"]),
        row("json", 0, Only(&[]), &["memchr", "serde", "serde_json", "simdutf8"]),
        // Exported macros are at the root.
        row("text", 1, Only(&["json", "named_enum", "one_text", "texts"]), &["bitflags", "memchr", "pulldown_cmark", "regex", "regex_automata", "regex_syntax", "serde", "similar", "strsim", "toml",
            "unicode_normalization", "unicode_segmentation", "unicode_width"]),
        row("parallel", 0, Only(&[]), &["rayon"]),
        row("model", 1, Only(&[]), &[]),
        row("toml_file", 2, Below, &["serde", "toml"]),
        row("table", 2, Only(&["model", "text"]), &["serde"]),
        row("source", 2, Below, &["byte_buffer", "chardetng", "csv_core", "encoding_rs", "flate2", "libc", "memchr", "memmap2", "parquet", "rustix", "serde_json", "tempfile", "thiserror", "zstd"]),
        row("schema", 3, Below, &["bitflags", "foldhash", "include_dir", "memchr", "serde", "serde_json", "thiserror"]),
        row("stats", 4, Only(&["parallel"]), &["rand_chacha", "serde", "thiserror"]),
        row("answer", 5, Only(&["model", "stats", "text"]), &["serde", "serde_json"]),
        row("dataset", 4, Below, &["foldhash", "memchr", "serde", "sha2", "thiserror"]),
        row("query", 5, Below, &["serde", "thiserror", "toml"]),
        row("search", 5, Below, &["foldhash", "fuzzy_matcher", "serde", "thiserror"]),
        row("journal", 5, Below, &["humantime", "rustix", "serde", "serde_json", "tempfile", "thiserror"]),
        row("guide", 6, Only(&["answer", "query"]), &["include_dir"]),
        row("profile", 6, Below, &[]),
        row("findings", 6, Below, &["include_dir", "serde"]),
        row("review", 6, Below, &["include_dir", "minijinja", "serde", "thiserror"]),
        row("sql", 6, Below, &[]),
        row("export", 7, Below, &["csv", "minijinja", "serde", "serde_json", "sha2", "tempfile", "thiserror"]),
        row("jobs", 7, Below, &[]),
        row("app", 8, Below, &["serde", "tui_textarea"]),
        row("keymap", 9, Below, &["crossterm", "serde", "thiserror"]),
        row("config", 10, Only(&["keymap", "text", "toml_file"]), &[]),
        row("ui", 10, Below, &["ratatui", "serde"]),
        // The terminal guard must work when everything else has failed: it depends on no other
        // module.
        row("term", 11, Only(&[]), &["crossterm", "libc", "ratatui", "ratatui_core", "rustix", "signal_hook"]),
        // The screen is independent of subcommands; subcommands use its code for user folders.
        row("run", 12, Below, &["anyhow", "clap", "crossbeam_channel", "crossterm", "etcetera", "ratatui", "rustix", "tempfile", "toml", "toml_edit"]),
        row("commands", 13, Below, &["anyhow", "clap", "clap_complete", "clap_mangen", "crossterm", "indicatif", "ratatui", "tempfile"]),
        row("main", 14, Only(&[]), &["visavis"]),
    ]
};

/// Crates that a module uses in one file only, so that they can be replaced.
pub(crate) const ONE_FILE: &[&str] = &[
    "byte_buffer",
    "crossbeam_channel",
    "csv",
    "chardetng",
    "csv_core",
    "encoding_rs",
    "etcetera",
    "flate2",
    "fuzzy_matcher",
    "include_dir",
    "memmap2",
    "rand_chacha",
    "rayon",
    "simdutf8",
    "toml_edit",
    "tui_textarea",
    "zstd",
];

/// Files that may contain `unsafe`: the memory map under a lease, the fault handler, system calls
/// that rustix rejects, instructions that some processors lack, and strings made from text that was
/// already validated.
pub(crate) const UNSAFE: &[&str] = &[
    "src/data/json/byte_block.rs",
    "src/data/json/strings.rs",
    "src/data/source/map.rs",
    "src/term/fault.rs",
    "src/term/job.rs",
];

/// Files in `tests/` that may start a process: they give it its own home folder.
pub(crate) const STARTS: &[&str] = &["tests/program/mod.rs", "tests/pty/mod.rs"];

/// Names by which code starts a process or finds the program to start.
pub(crate) const STARTING: &[&str] = &[
    "CARGO_BIN_EXE",
    "cargo_bin",
    "Command::new",
    "process::Command",
    "native_pty_system",
    "spawn_command",
];

/// A longer file usually has more than one subject.
pub(crate) const MAX_LINES: usize = 800;

/// Limit for files of tests. Higher, because another test case is not another subject.
pub(crate) const MAX_TEST_LINES: usize = 1_000;

/// Longer files, each with the reason.
pub(crate) const LONG_FILES: &[(&str, &str)] = &[];

/// Allowed names at the top level, apart from hidden files; `target` belongs to cargo and is not in
/// the repository.
pub(crate) const TOP_LEVEL: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "assets",
    "src",
    "target",
    "tests",
];

/// Returns the row of a module.
pub(crate) fn module(name: &str) -> Option<&'static Module> {
    HOUSE.iter().find(|module| module.name == name)
}

/// Groups of files and folders among which imports must not form a cycle.
pub(crate) const WITHOUT_CYCLE: &[&[&str]] = &[
    &["app::line::input_line", "app::shown::filtering"],
    &[
        "app::sample::hits",
        "app::shown::query_job",
        "app::shown::searching",
    ],
    &["app::menu", "app::reviewing", "app::shown::sorting"],
    &["app::sample::page", "app::sample::typesetter"],
    &["commands::export", "commands::training"],
    &[
        "dataset::compare",
        "dataset::join",
        "dataset::load",
        "dataset::read",
    ],
    &["query::ast", "query::engine", "query::rule"],
    &[
        "query::ast",
        "query::lang",
        "query::names",
        "query::rule",
        "query::words",
    ],
    &[
        "query::names::catalog",
        "query::names::found_fields",
        "query::names::help",
        "query::names::rated",
    ],
    &[
        "review::agreement",
        "review::judgment_table",
        "review::pair_agreement",
        "review::reviewer_agreement",
    ],
    &["schema::choose", "schema::fields"],
    &["schema::choose", "schema::guess"],
    &["schema::choose", "schema::layout"],
    &["schema::choose", "schema::row"],
    &["schema::choose", "schema::verdict"],
];

/// Most tokens of code in total, as counted by `code_tokens` in `scan.rs`. Lower it when code is
/// removed.
pub(crate) const MAX_CODE: usize = 852_425;

/// Most tokens of code of each module.
pub(crate) const CODE: &[(&str, usize)] = &[
    ("answer", 7_885),
    ("app", 159_368),
    ("commands", 35_863),
    ("config", 2_296),
    ("dataset", 61_890),
    ("export", 52_407),
    ("findings", 2_830),
    ("guide", 1_009),
    ("jobs", 990),
    ("journal", 15_353),
    ("json", 5_638),
    ("keymap", 8_285),
    ("lib", 506),
    ("main", 24),
    ("model", 9_019),
    ("parallel", 1_259),
    ("profile", 23_402),
    ("query", 70_741),
    ("review", 29_913),
    ("run", 41_095),
    ("schema", 121_317),
    ("search", 18_366),
    ("source", 42_490),
    ("sql", 16_269),
    ("stats", 9_458),
    ("table", 10_273),
    ("term", 14_800),
    ("text", 40_341),
    ("toml_file", 3_365),
    ("ui", 45_973),
];
