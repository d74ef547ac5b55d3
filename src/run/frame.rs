//! Frames without a terminal: `--print` and `--svg`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::driver::{Driver, LoopEvent, TerminalRequest};
use super::event_loop::{self, Frontend, KeyPlayer, LoopEnd};
use super::journal_writer::JournalConfig;
use super::state_store::StateStore;
use super::{Failure, Invocation, ThemedLook, ignore_closed_pipe, journal_config, texts};
use crate::app::{App, Loading, SavedState};
use crate::dataset::Loader;
use crate::export::{InputFile, Target, to_file};
use crate::ui::{self, Look, SvgBackground};

/// Time between two checks whether work is still running.
const PATIENCE: Duration = Duration::from_millis(100);

/// Writes the frame to standard output or a picture.
pub(super) fn run(invocation: &Invocation, loader: Loader) -> Result<(), Failure> {
    let inputs: Vec<_> = loader.all_inputs().filter_map(InputFile::of).collect();
    // Read-only: histories and filters are loaded but not saved.
    let (store, memory, _) = StateStore::open(&loader.inputs, false);
    let journals = &invocation.judging.journal;
    let config = journal_config::config(&loader.inputs, journals, invocation.reviewer(), false);
    let journals: Vec<_> = config
        .path
        .iter()
        .chain(&config.also_read)
        .cloned()
        .collect();
    let picture = invocation.looks.svg.as_deref().map(|path| Target {
        path,
        overwrite: true,
        inputs: &inputs,
        journals: &journals,
    });
    picture.as_ref().map(check_picture).transpose()?;
    let (last, background) = record(invocation, loader, store, memory, config)?;
    if invocation.looks.print {
        let mut out = std::io::stdout().lock();
        out.write_all(plain_text(&last).as_bytes())
            .and_then(|()| out.flush())
            .or_else(ignore_closed_pipe)?;
    }
    if let Some(target) = picture {
        let svg = ui::svg(&last, background, "visavis");
        to_file(&target, &mut |out| Ok(out.write_all(svg.as_bytes())?))?;
    }
    Ok(())
}

/// Rejects an existing file that is not an SVG picture, so that a typo cannot overwrite data.
pub(crate) fn check_picture(target: &Target<'_>) -> Result<(), Failure> {
    const PICTURE: &[u8] = b"<svg";
    target.check()?;
    let Ok(there) = File::open(target.path) else {
        return Ok(());
    };
    let mut first = Vec::new();
    let read = there.take(PICTURE.len() as u64).read_to_end(&mut first);
    if read.is_ok() && (first.is_empty() || first == PICTURE) {
        return Ok(());
    }
    Err(Failure::usage(texts::not_svg(target.path.display())))
}

/// Loads everything, plays the keys and draws. Returns the frame and the background of the last
/// theme.
pub(super) fn record(
    invocation: &Invocation,
    loader: Loader,
    store: StateStore,
    memory: SavedState,
    config: JournalConfig,
) -> Result<(Buffer, SvgBackground), Failure> {
    let mut app = super::app(invocation.looks.size, invocation, &config.reviewer);
    app.recall_memory(memory);
    let mut driver = Driver::start(app, loader, store, config);
    let mut printer = FramePrinter {
        player: KeyPlayer::of(invocation),
        look: ThemedLook::new(invocation, None),
    };
    // A quit ends with the frame of that moment.
    match event_loop::run(&mut driver, &mut printer).map_err(Failure::runtime)? {
        LoopEnd::Quit | LoopEnd::Signal(_) => {}
        LoopEnd::Nothing(reason) => return Err(driver.nothing_to_show(reason)),
        LoopEnd::Panicked => return Err(Failure::runtime(texts::BUG)),
    }
    if let Some(wrong) = &driver.app.settings.seeking.wrong {
        return Err(Failure::usage(wrong));
    }
    // A frame cannot be corrected later, so the files must be unchanged.
    driver.app.data.dataset.check_unchanged()?;
    let ThemedLook { look, theme, .. } = printer.look;
    let background = SvgBackground::of(&look.theme, theme.base(None));
    Ok((draw_screen(&driver.app, &look), background))
}

/// Draws the screen.
pub(super) fn draw_screen(app: &App, look: &Look) -> Buffer {
    let (width, height) = app.layout.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    ui::draw(&mut buffer, app, look);
    buffer
}

/// Draws single frames: waits until everything is done, then plays a key.
struct FramePrinter<'i> {
    player: KeyPlayer,
    look: ThemedLook<'i>,
}

impl Frontend for FramePrinter<'_> {
    fn is_drawn(&self, app: &App) -> bool {
        // Nothing is shown before loading is done.
        app.data.loading == Loading::Done
    }

    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
        // Wait for saving, so that the frame does not depend on the speed of the disk.
        let is_saving = driver.app.review.saving.waiting > 0;
        if is_saving || !event_loop::is_settled(driver) {
            return Ok(ControlFlow::Continue(driver.receive(PATIENCE)));
        }
        let next = self.player.next(driver).map(LoopEvent::Message);
        Ok(next.map_or(ControlFlow::Break(LoopEnd::Quit), |next| {
            ControlFlow::Continue(Some(next))
        }))
    }

    fn ask(&mut self, driver: &mut Driver, request: TerminalRequest) -> io::Result<()> {
        if let TerminalRequest::Theme(name) = request {
            self.look.use_theme(&name).map(|wrong| driver.handle(wrong));
        }
        Ok(())
    }
}

/// Returns a frame as lines without trailing spaces, as for `--print`.
pub fn plain_text(buffer: &Buffer) -> String {
    let mut out = String::new();
    let width = usize::from(buffer.area.width).max(1);
    for row in buffer.content().chunks(width) {
        let (mut line, mut covered) = (String::new(), 0);
        for cell in row {
            // A wide character covers the next cell.
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
