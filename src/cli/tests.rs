//! The command line.

use clap::CommandFactory;

use super::*;

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn sizes() {
    assert_eq!(
        "80x24".parse(),
        Ok(Size {
            width: 80,
            height: 24
        })
    );
    for text in ["80", "x24", "0x5", "80x1001", "a x b"] {
        assert!(text.parse::<Size>().is_err(), "{text}");
    }
}
