//! One frame without a terminal: `--print` and `--svg`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::driver::{Driver, LoopEvent};
use super::event_loop::{self, Frontend, KeyPlayer, LoopEnd};
use super::journal_writer::JournalConfig;
use super::saved::not_written;
use super::state_store::StateStore;
use super::{Failed, chosen_preset, journal_config, look};
use crate::app::{App, Loading, SavedState};
use crate::cli::Invocation;
use crate::dataset::Loader;
use crate::export::{InputFile, Target, to_file};
use crate::ui::{self, Preset, SvgBackground};

/// How long to wait before looking again whether anything is still under way.
const PATIENCE: Duration = Duration::from_millis(100);

/// Writes the frame where the command line wants it.
pub(super) fn run(
    invocation: &Invocation,
    loader: Loader,
    text: bool,
    svg: Option<&Path>,
) -> Result<(), Failed> {
    let inputs: Vec<_> = loader.all_inputs().filter_map(InputFile::of).collect();
    // What was kept is read, and nothing is written.
    let (store, memory, _) = StateStore::open(&loader.inputs, false);
    let journal = invocation.journal.as_deref();
    let config = journal_config::config(&loader.inputs, journal, invocation.reviewer(), false);
    let journals: Vec<_> = config.path.iter().chain(&config.beside).cloned().collect();
    let picture = svg.map(|path| Target {
        path,
        overwrite: true,
        inputs: &inputs,
        journals: &journals,
    });
    picture.as_ref().map(check_picture).transpose()?;
    let buffer = render(invocation, loader, store, memory, config)?;
    if text {
        let mut out = std::io::stdout().lock();
        out.write_all(plain_text(&buffer).as_bytes())
            .and_then(|()| out.flush())
            .or_else(closed_pipe)?;
    }
    if let Some(target) = picture {
        let background = if chosen_preset(invocation) == Some(Preset::Light) {
            SvgBackground::Light
        } else {
            SvgBackground::Dark
        };
        let svg = ui::svg(&buffer, background, "visavis");
        to_file(&target, &mut |out| Ok(out.write_all(svg.as_bytes())?)).map_err(not_written)?;
    }
    Ok(())
}

/// A slip of the hand must not cost anybody their data: only a picture is written over.
fn check_picture(target: &Target<'_>) -> Result<(), Failed> {
    const PICTURE: &[u8] = b"<svg";
    target.check().map_err(not_written)?;
    let Ok(there) = File::open(target.path) else {
        return Ok(());
    };
    let mut first = Vec::new();
    let read = there.take(PICTURE.len() as u64).read_to_end(&mut first);
    if read.is_ok() && (first.is_empty() || first == PICTURE) {
        return Ok(());
    }
    Err(Failed::usage(format!(
        "{} is there and is no SVG; give another name",
        target.path.display()
    )))
}

/// Loads everything, plays the keys, and draws.
pub(super) fn render(
    invocation: &Invocation,
    loader: Loader,
    store: StateStore,
    memory: SavedState,
    config: JournalConfig,
) -> Result<Buffer, Failed> {
    let size = (invocation.size.width, invocation.size.height);
    let mut app = super::app(size, invocation, &config.reviewer);
    app.recall_memory(memory);
    let mut driver = Driver::start(app, loader, store, config, invocation.search_memory());
    let mut printed = Printed(KeyPlayer {
        keys: invocation.keys.iter().copied().collect(),
        keymap: invocation.config.keymap.clone(),
    });
    // Quitting early leaves the frame as it was then.
    match event_loop::run(&mut driver, &mut printed).map_err(Failed::on_the_way)? {
        LoopEnd::Quit | LoopEnd::Signal(_) => {}
        LoopEnd::Nothing(reason) => return Err(driver.nothing(reason)),
        LoopEnd::Panicked => return Err(Failed::on_the_way("stopped by a bug in the program")),
    }
    // What a frame says is said for good.
    driver
        .app
        .dataset()
        .check_unchanged()
        .map_err(Failed::on_the_way)?;
    let look = look(invocation, Preset::Dark);
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.0, size.1));
    ui::draw(&mut buffer, &driver.app, &look);
    Ok(buffer)
}

/// A frame of which only the last is looked at: it waits for everything, then plays a key.
struct Printed(KeyPlayer);

impl Frontend for Printed {
    fn is_drawn(&self, app: &App) -> bool {
        // Before everything is there nobody looks.
        app.loading() == Loading::Done
    }

    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
        if !event_loop::is_settled(driver) {
            return Ok(ControlFlow::Continue(driver.receive(PATIENCE)));
        }
        let next = self.0.next(driver).map(LoopEvent::Message);
        Ok(next.map_or(ControlFlow::Break(LoopEnd::Quit), |next| {
            ControlFlow::Continue(Some(next))
        }))
    }
}

/// The cells as lines, without the blanks at their ends.
pub(super) fn plain_text(buffer: &Buffer) -> String {
    let mut out = String::new();
    let width = usize::from(buffer.area.width).max(1);
    for row in buffer.content().chunks(width) {
        let (mut line, mut covered) = (String::new(), 0);
        for cell in row {
            // The cell behind a wide character is covered by it.
            if covered > 0 {
                covered -= 1;
                continue;
            }
            line.push_str(cell.symbol());
            covered = crate::text::width(cell.symbol()).saturating_sub(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Whoever reads us may stop reading: that is no failure.
fn closed_pipe(error: std::io::Error) -> Result<(), Failed> {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(Failed::on_the_way(error)),
    }
}
