//! The person's own folders, as the XDG base directories name them. Tests make a home of their own.

use std::path::PathBuf;

use etcetera::base_strategy::{BaseStrategy, Xdg};

/// The program's folders in somebody's home; none needs to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Home {
    /// What the person sets.
    pub(super) config: PathBuf,
    /// What the person made.
    pub(super) data: PathBuf,
    /// What the program remembers.
    pub(super) state: PathBuf,
}

impl Home {
    /// The home of whoever runs the program; `None` for a user without one.
    pub(super) fn of_user() -> Option<Self> {
        let xdg = Xdg::new().ok()?;
        let of_program = |folder: PathBuf| folder.join("visavis");
        Some(Self {
            config: of_program(xdg.config_dir()),
            data: of_program(xdg.data_dir()),
            state: of_program(xdg.state_dir()?),
        })
    }
}
