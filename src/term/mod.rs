//! The terminal guard: takes the terminal, draws on it, and restores it completely, exactly once,
//! on every exit.
//!
//! ```text
//!   TerminalGuard ──take, draw, suspend, leave──► tty ◄──give back── panic hook (any thread)
//!                                                  ▲ ◄──give back── second signal (watch thread)
//!                                                  ▲ ◄──give back── fault: BUS ABRT … (handler)
//!   capabilities ──ask, in raw mode────────────────┘
//!   spawn_input: bytes → sequence → parser: events   watch_signals: TERM HUP USR1 … TSTP CONT
//! ```
//!
//! The changes made to the terminal are recorded in one process-wide place (`tty`), because code
//! that must undo them (a panic on a worker, a signal while the loop hangs) has no
//! [`TerminalGuard`].

mod backend;
mod capabilities;
mod clipboard;
mod fault;
mod guard;
mod input;
mod job;
mod parser;
mod sequence;
mod signals;
mod tty;

pub use backend::ScreenLink;
pub use capabilities::{Background, capabilities};
pub use clipboard::copy_sequence;
pub use fault::{end_by, install_fault_handler, survive_file_limits};
pub use guard::{Modes, TerminalGuard, install_panic_hook};
pub use input::{InputEvent, spawn_input};
pub use parser::InputParser;
pub use signals::{Ending, Signal, pause_while_stopped, watch_signals};
pub use tty::is_gone;
