//! Runs other programs: the user's editor, and commands of the configuration.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{environment, texts};
use crate::app::{CommandOutput, UserCommand, text_size};
use crate::parallel::locked;
use crate::text::one_line;

/// Edits a text in the editor named by the environment; the terminal must be restored before.
///
/// # Errors
/// With a message for the user if there is no editor, it fails, or the result is not text.
pub(super) fn edit(text: &str) -> Result<String, String> {
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(environment)
        .find(|editor| !editor.trim().is_empty())
        .unwrap_or_else(|| "vi".to_owned());
    let wrong = |error: &dyn std::fmt::Display| texts::editor_failed(&editor, error);
    let mut file = tempfile::Builder::new()
        .prefix("visavis-note-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| wrong(&error))?;
    // Text files end with a line break; notes do not.
    let text = if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    };
    file.write_all(text.as_bytes())
        .and_then(|()| file.flush())
        .map_err(|error| wrong(&error))?;
    // Through the shell, because the variable may contain arguments: `code --wait`.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("visavis")
        .arg(file.path())
        .status()
        .map_err(|error| wrong(&error))?;
    if !status.success() {
        return Err(wrong(&status));
    }
    // Reopened by name, because some editors replace the file.
    std::fs::read_to_string(file.path()).map_err(|error| wrong(&error))
}

/// Maximum number of bytes kept of standard output, and of standard error.
const MAX_OUTPUT: usize = 1_000_000;
const MAX_ERRORS: usize = 64 << 10;
/// Time between two checks whether a command has ended or is cancelled.
const POLL: Duration = Duration::from_millis(10);
/// Time to continue reading after the program has ended: its background processes may keep its
/// output open forever.
const LEFT_OPEN: Duration = Duration::from_millis(200);

/// Runs a user command with `input` on its standard input. Returns `None` if cancelled.
pub(super) fn run_command(
    command: &UserCommand,
    input: &[u8],
    keep_going: &dyn Fn() -> bool,
) -> Option<CommandOutput> {
    pipe(&command.run, input, keep_going).unwrap_or_else(|error| {
        let program = command.run.first().map(String::as_str).unwrap_or_default();
        let program = one_line(program, 200);
        Some(CommandOutput::failed(match error.kind() {
            io::ErrorKind::NotFound => texts::command_not_found(program, &command.name),
            _ => texts::command_failed(program, error),
        }))
    })
}

/// Runs a program with `input` on its standard input; `run` is its name and arguments. Uses no
/// shell, and a separate process group that is killed at the end. Returns `None` if cancelled.
///
/// # Errors
/// If it cannot be started, or its pipes fail.
pub(super) fn pipe(
    run: &[impl AsRef<OsStr>],
    input: &[u8],
    keep_going: &dyn Fn() -> bool,
) -> io::Result<Option<CommandOutput>> {
    let (program, arguments) = run.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let mut group = ProcessGroup(child, None);
    let (stdin, input) = (group.0.stdin.take(), input.to_vec());
    // The program need not read all of its input.
    thread::Builder::new()
        .name("command input".into())
        .spawn(move || stdin.map(|mut pipe| pipe.write_all(&input)))?;
    let stdout = OutputPipe::read(group.0.stdout.take(), MAX_OUTPUT)?;
    let stderr = OutputPipe::read(group.0.stderr.take(), MAX_ERRORS)?;
    let mut ended: Option<Instant> = None;
    while !stdout.is_full() {
        if !keep_going() {
            return Ok(None);
        }
        if ended.is_none() && group.has_ended()? {
            ended = Some(Instant::now());
        }
        let is_closed = stdout.thread.is_finished() && stderr.thread.is_finished();
        if ended.is_some_and(|at| is_closed || at.elapsed() >= LEFT_OPEN) {
            break;
        }
        thread::sleep(POLL);
    }
    let status = group.kill()?;
    let failure = match (stdout.is_full(), status.code()) {
        (true, _) => Some(texts::output_cut(text_size(MAX_OUTPUT as u64))),
        (false, Some(0)) => None,
        _ => Some(texts::program_failed(status)),
    };
    Ok(Some(CommandOutput {
        text: stdout.text(),
        errors: stderr.text(),
        failure,
    }))
}

/// A process group that is killed when this is dropped. The status is set once the program is
/// reaped, because its id may then belong to another process.
struct ProcessGroup(Child, Option<ExitStatus>);

impl ProcessGroup {
    fn id(&self) -> io::Result<Pid> {
        i32::try_from(self.0.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// True if the program has ended. It is not reaped yet, so that its id stays reserved.
    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.id()?), options)?.is_some())
    }

    fn kill(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.1 {
            return Ok(status);
        }
        // Fails only if the whole group has ended.
        let _ = kill_process_group(self.id()?, Signal::KILL);
        let status = self.0.wait()?;
        self.1 = Some(status);
        Ok(status)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// The output of a program, up to a limit, which a thread reads.
struct OutputPipe {
    kept: Arc<Mutex<Vec<u8>>>,
    most: usize,
    thread: JoinHandle<()>,
}

impl OutputPipe {
    fn read(pipe: Option<impl Read + Send + 'static>, most: usize) -> io::Result<Self> {
        let kept = Arc::<Mutex<Vec<u8>>>::default();
        let shared = Arc::clone(&kept);
        let read = move || {
            let mut part = [0; 64 << 10];
            let Some(mut pipe) = pipe else { return };
            loop {
                match pipe.read(&mut part) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => return,
                    Ok(read) => {
                        let mut kept = locked(&shared);
                        // Reads on beyond the limit, so that the program does not wait.
                        let room = most - kept.len();
                        kept.extend_from_slice(&part[..read.min(room)]);
                    }
                }
            }
        };
        Ok(Self {
            kept,
            most,
            thread: thread::Builder::new()
                .name("command output".into())
                .spawn(read)?,
        })
    }

    fn is_full(&self) -> bool {
        locked(&self.kept).len() >= self.most
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&locked(&self.kept)).into_owned()
    }
}
