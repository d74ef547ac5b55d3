//! Frames without a terminal: `--print`, `--svg` and `--animate`.

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
use crate::ui::{self, Look, SvgBackground, SvgFrame};

/// Time between two checks whether work is still running.
const PATIENCE: Duration = Duration::from_millis(100);
/// Seconds that a frame of an animation is shown: one to read, one while typing, and the last.
const READ_FRAME: f64 = 1.4;
const TYPED_FRAME: f64 = 0.12;
const LAST_FRAME: f64 = 4.0;

/// Writes the frame to standard output or a picture.
pub(super) fn run(invocation: &Invocation, loader: Loader) -> Result<(), Failure> {
    let inputs: Vec<_> = loader.all_inputs().filter_map(InputFile::of).collect();
    // Read-only: histories and filters are loaded but not saved.
    let (store, memory, _) = StateStore::open(&loader.inputs, false);
    let journals = &invocation.judging.journal;
    let config = journal_config::config(&loader.inputs, journals, invocation.reviewer(), false);
    let journals = config.path.iter().chain(&config.also_read);
    let journals: Vec<_> = journals.cloned().collect();
    let picture = invocation.looks.svg.as_deref().map(|path| Target {
        path,
        overwrite: true,
        inputs: &inputs,
        journals: &journals,
    });
    picture.as_ref().map(check_picture).transpose()?;
    let (mut frames, last, background) = record(invocation, loader, store, memory, config)?;
    if invocation.looks.print {
        let mut out = std::io::stdout().lock();
        out.write_all(plain_text(&last).as_bytes())
            .and_then(|()| out.flush())
            .or_else(ignore_closed_pipe)?;
    }
    if let Some(target) = picture {
        let svg = if invocation.looks.animate {
            frames.push(SvgFrame {
                buffer: last,
                seconds: LAST_FRAME,
            });
            ui::animated_svg(&frames, background, "visavis")
        } else {
            ui::svg(&last, background, "visavis")
        };
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

/// Loads everything, plays the keys and draws. Returns the frames of an animation before each key,
/// the last frame, and the background of the last theme.
pub(super) fn record(
    invocation: &Invocation,
    loader: Loader,
    store: StateStore,
    memory: SavedState,
    config: JournalConfig,
) -> Result<(Vec<SvgFrame>, Buffer, SvgBackground), Failure> {
    let size = invocation.looks.size;
    let mut app = super::app(size, invocation, &config.reviewer);
    app.recall_memory(memory);
    let mut driver = Driver::start(app, loader, store, config, invocation.search_memory());
    let mut printer = FramePrinter {
        player: KeyPlayer::of(invocation),
        look: ThemedLook::new(invocation, None),
        frames: invocation.looks.animate.then(Vec::new),
    };
    // A quit ends with the frame of that moment.
    match event_loop::run(&mut driver, &mut printer).map_err(Failure::runtime)? {
        LoopEnd::Quit | LoopEnd::Signal(_) => {}
        LoopEnd::Nothing(reason) => return Err(driver.nothing_to_show(reason)),
        LoopEnd::Panicked => return Err(Failure::runtime(texts::BUG)),
    }
    if let Some(wrong) = &driver.app.browser.settings.seeking.wrong {
        return Err(Failure::usage(wrong));
    }
    // A frame cannot be corrected later, so the files must be unchanged.
    driver.app.browser.data.dataset.check_unchanged()?;
    let frames = printer.frames.unwrap_or_default();
    let ThemedLook { look, theme, .. } = printer.look;
    let background = SvgBackground::of(&look.theme, theme.base(None));
    Ok((frames, draw_screen(&driver.app, &look), background))
}

/// Draws the screen.
pub(super) fn draw_screen(app: &App, look: &Look) -> Buffer {
    let (width, height) = app.browser.layout.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    ui::draw(&mut buffer, app, look);
    buffer
}

/// Adds the frame before a key. While typing it is shown shorter.
fn add_frame(frames: &mut Vec<SvgFrame>, buffer: Buffer, app: &App) {
    let seconds = match app.mode().context().is_typing() {
        true => TYPED_FRAME,
        false => READ_FRAME,
    };
    match frames.last_mut() {
        Some(last) if last.buffer == buffer => last.seconds += seconds,
        _ => frames.push(SvgFrame { buffer, seconds }),
    }
}

/// Draws single frames: waits until everything is done, then plays a key.
struct FramePrinter<'i> {
    player: KeyPlayer,
    look: ThemedLook<'i>,
    /// The frames of an animation so far.
    frames: Option<Vec<SvgFrame>>,
}

impl Frontend for FramePrinter<'_> {
    fn is_drawn(&self, app: &App) -> bool {
        // Nothing is shown before loading is done.
        app.browser.data.loading == Loading::Done
    }

    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
        // Wait for saving, so that the frame does not depend on the speed of the disk.
        let is_saving = driver.app.review.saving.waiting > 0;
        if is_saving || !event_loop::is_settled(driver) {
            return Ok(ControlFlow::Continue(driver.receive(PATIENCE)));
        }
        if let Some(frames) = &mut self.frames
            && !self.player.keys.is_empty()
        {
            add_frame(
                frames,
                draw_screen(&driver.app, &self.look.look),
                &driver.app,
            );
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
