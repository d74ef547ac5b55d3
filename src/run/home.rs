//! The user's own folders, as in the XDG base directory specification. Tests use temporary ones.

use std::path::PathBuf;

use etcetera::base_strategy::{BaseStrategy, Xdg};

use super::environment;

/// The program's folders in the user's home, which need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Home {
    /// Settings.
    pub(super) config: PathBuf,
    /// Files the user created, such as journals.
    pub(super) data: PathBuf,
    /// Histories and positions that the program saves.
    pub(super) state: PathBuf,
}

impl Home {
    /// Returns the folders of the user; `None` for a user without a home.
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

/// Returns the folder where the tools of the Hugging Face hub keep downloads.
pub(super) fn hub_cache() -> Option<PathBuf> {
    let set = |name| environment(name).map(PathBuf::from);
    let default = || Some(Xdg::new().ok()?.cache_dir().join("huggingface"));
    set("HF_HUB_CACHE").or_else(|| Some(set("HF_HOME").or_else(default)?.join("hub")))
}
