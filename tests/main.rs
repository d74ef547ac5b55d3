//! The integration tests as one program, so that the library is linked once: `cargo test --test
//! main cli::` runs those of one module.

#![allow(clippy::expect_used, clippy::unwrap_used)] // A failed helper is a failed test.

mod architecture;
mod cli;
mod cli_help;
mod cli_stats;
mod cli_training;
mod guide;
mod hub;
mod jobs;
mod judging;
mod linear;
mod many_files;
mod old_files;
mod pages;
mod people;
mod program;
mod pty;
mod rewriting;
mod screens;
mod session;
mod shells;
mod terminal;
mod user_commands;
