//! Runs the program under test. Every process that a test starts gets its own home, so that no user
//! file is read and nothing is left over. No other test may start a process (checked by
//! `tests/architecture`).

use std::ffi::OsString;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::assert::Assert;
use portable_pty::CommandBuilder;
use tempfile::TempDir;

/// The built program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_visavis");

/// Writes a new file with these bytes and returns its path.
pub(crate) fn put(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    path.to_str().expect("a name in UTF-8").to_owned()
}

/// Variables for a user's folders, and the corresponding folders of a test home.
const PLACES: [(&str, &str); 7] = [
    ("HOME", ""),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_RUNTIME_DIR", "runtime"),
    ("HF_HOME", "cache/huggingface"),
];

/// Returns the variables that make `folder` the home of a process.
fn places(folder: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> {
    PLACES.into_iter().map(|(name, place)| {
        (
            name,
            if place.is_empty() {
                folder.into()
            } else {
                folder.join(place)
            },
        )
    })
}

/// Returns the program with its home in `folder`, to run in a terminal; several runs can share a
/// home.
pub(crate) fn at_home(folder: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(PROGRAM);
    for (name, place) in places(folder) {
        command.env(name, place);
    }
    command
}

/// Returns a shell script with its home in `folder`, whose `$0` is the program.
pub(crate) fn shell_at_home(folder: &Path, script: &str) -> CommandBuilder {
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", script, PROGRAM]);
    for (name, place) in places(folder) {
        command.env(name, place);
    }
    command
}

/// Sets the home of a command for a terminal to `folder`, except for variables set by the test.
pub(crate) fn seal(command: &mut CommandBuilder, folder: &Path) {
    for (name, place) in places(folder) {
        // Variables set by the test differ from the ones that every command inherits.
        if command
            .get_env(name)
            .is_none_or(|value| Some(value) == std::env::var_os(name).as_deref())
        {
            command.env(name, place);
        }
    }
}

/// Returns PATH with the folder of the program under test first.
fn path_to_program() -> OsString {
    let own = Path::new(PROGRAM).parent().map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = own.into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(all).expect("a PATH")
}

/// Returns a shell script that runs in its home, finds the program under test in PATH, and has no
/// standard input.
pub(crate) fn script(home: &Path, script: &str) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .current_dir(home)
        .stdin(Stdio::null())
        .env_remove("NO_COLOR")
        .env("PATH", path_to_program())
        .envs(places(home))
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_CONFIG_HOME", home.join(".config"));
    command
}

/// The program without a terminal and with empty standard input, in a temporary home.
pub(crate) struct Program {
    command: Command,
    home: TempDir,
}

impl Program {
    pub(crate) fn new(args: &[&str]) -> Self {
        Self::at(Path::new(PROGRAM), TempDir::new().expect("a folder"), args)
    }

    fn at(program: &Path, home: TempDir, args: &[&str]) -> Self {
        let mut command = Command::new(program);
        command
            .args(args)
            .stdin(Stdio::null())
            .env_remove("NO_COLOR")
            .envs(places(home.path()));
        Self { command, home }
    }

    /// Runs as the user with this number, which only root can do. Uses a copy, because others may
    /// not have access to the build folder.
    pub(crate) fn of_user(user: u32, args: &[&str]) -> Self {
        let home = TempDir::new().expect("a folder");
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(home.path(), open).expect("set");
        let copy = home.path().join("visavis");
        // Copied by another process: a fork of another test could inherit a descriptor for writing,
        // and the copy could not be started (ETXTBSY).
        let copied = Command::new("cp").arg(PROGRAM).arg(&copy).status();
        assert!(copied.expect("cp").success());
        let mut program = Self::at(&copy, home, args);
        program.uid(user);
        program
    }

    /// Another program with its own home and with the program under test first in PATH; `None`,
    /// with a message, if it is not installed.
    pub(crate) fn other(name: &str, args: &[&str]) -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        if !std::env::split_paths(&path).any(|folder| folder.join(name).is_file()) {
            eprintln!("skipped: {name} is not installed");
            return None;
        }
        let home = TempDir::new().expect("a folder");
        let mut command = Command::new(name);
        command
            .args(args)
            .stdin(Stdio::null())
            .env("PATH", path_to_program())
            .envs(places(home.path()));
        Some(Self { command, home })
    }

    /// Runs it as a separate job, which can be stopped even if the tests lead their session.
    pub(crate) fn in_own_group(mut self) -> Self {
        self.process_group(0);
        self
    }

    /// Runs it with these bytes in a pipe on standard input.
    pub(crate) fn piped(self, bytes: impl Into<Vec<u8>>) -> Assert {
        let Self { command, home } = self;
        let assert = assert_cmd::Command::from_std(command)
            .write_stdin(bytes)
            .assert();
        drop(home);
        assert
    }
}

impl Deref for Program {
    type Target = Command;

    fn deref(&self) -> &Command {
        &self.command
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Command {
        &mut self.command
    }
}
