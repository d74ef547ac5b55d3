//! The program under test, and a home of its own for every process that a test starts: nothing that
//! a person keeps is read, and nothing is left behind. No other test may start a process
//! (`tests/architecture` looks).

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

/// The path of a new file with these bytes.
pub(crate) fn put(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    path.to_str().expect("a name in UTF-8").to_owned()
}

/// What names a place of the person's own, and the folder of a home where it is.
const PLACES: [(&str, &str); 6] = [
    ("HOME", ""),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_RUNTIME_DIR", "runtime"),
];

/// The variables that make `folder` the home of a process.
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

/// The program at home in `folder`, to be run in a terminal; several runs can have the same home.
pub(crate) fn at_home(folder: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(PROGRAM);
    for (name, place) in places(folder) {
        command.env(name, place);
    }
    command
}

/// A script of the shell at home in `folder`, whose `$0` is the program.
pub(crate) fn shell_at_home(folder: &Path, script: &str) -> CommandBuilder {
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", script, PROGRAM]);
    for (name, place) in places(folder) {
        command.env(name, place);
    }
    command
}

/// Gives a home in `folder` to a command that is to be run in a terminal, as far as the test chose
/// none itself.
pub(crate) fn seal(command: &mut CommandBuilder, folder: &Path) {
    for (name, place) in places(folder) {
        // What the test set differs from what every command takes over from the environment.
        if command
            .get_env(name)
            .is_none_or(|value| Some(value) == std::env::var_os(name).as_deref())
        {
            command.env(name, place);
        }
    }
}

/// The program without a terminal and with nothing on standard input, in a home that goes with it.
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

    /// As the user of this number, which only root can do: a copy, because the build folder may be
    /// closed to others.
    pub(crate) fn of_user(user: u32, args: &[&str]) -> Self {
        let home = TempDir::new().expect("a folder");
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(home.path(), open).expect("set");
        let copy = home.path().join("visavis");
        // By another process: a descriptor for writing that a fork of another test inherits would keep the
        // copy from being started (ETXTBSY).
        let copied = Command::new("cp").arg(PROGRAM).arg(&copy).status();
        assert!(copied.expect("cp").success());
        let mut program = Self::at(&copy, home, args);
        program.uid(user);
        program
    }

    /// Another program in a home of its own, with the one under test first in its PATH; `None`, and a
    /// word on it, where it is not installed.
    pub(crate) fn other(name: &str, args: &[&str]) -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        if !std::env::split_paths(&path).any(|folder| folder.join(name).is_file()) {
            eprintln!("skipped: {name} is not installed");
            return None;
        }
        let own = Path::new(PROGRAM).parent().map(Path::to_owned);
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)));
        let home = TempDir::new().expect("a folder");
        let mut command = Command::new(name);
        command
            .args(args)
            .stdin(Stdio::null())
            .env("PATH", path.expect("a PATH"))
            .envs(places(home.path()));
        Some(Self { command, home })
    }

    /// Runs it as a job of its own, which can be stopped even where the tests lead their session.
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
