//! visavis: read human-preference data face to face, in a terminal.

use std::process::ExitCode;

fn main() -> ExitCode {
    visavis::main()
}
