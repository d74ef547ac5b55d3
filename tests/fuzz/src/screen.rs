//! Random keys and mouse events in a terminal of any size: nothing panics, and every cell is safe.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::Event;
use ratatui::layout::Rect;
use visavis::{
    App, Chunk, ColorDepth, DatasetFile, Effect, Glyphs, Hidden, Input, InputParser, Key, Keymap,
    LoadEvent, Loader, Look, Message, Pointer, Preset, Scroll, TextGlyphs, Theme, ViewOptions,
    draw, spelled_keys as spelled, update,
};

use crate::text::check_safe;

/// Gestures beyond this many only take time.
const MAX_GESTURES: usize = 64;

/// Opens the demo in a terminal whose size comes from the first bytes, and plays the rest: as the
/// spelling of keys and, if the third byte is odd, as mouse events.
pub fn keys(data: &[u8]) {
    let Some((&[columns, rows, how], rest)) = data.split_first_chunk::<3>() else {
        return;
    };
    let size = (u16::from(columns), u16::from(rows) / 2);
    let mut screen = Screen::open(size, how);
    let keymap = Keymap::default();
    for gesture in if how % 2 == 1 {
        mouse(rest)
    } else {
        typed(rest)
    } {
        let message = match gesture {
            Gesture::Key(key) => keymap.press(key, screen.app.mode()),
            Gesture::Mouse(pointer) => Some(Message::Pointer(pointer)),
        };
        let Some(message) = message else { continue };
        update(&mut screen.app, message);
        screen.fetch();
        screen.draw();
    }
    // The terminal shrinks below the current content.
    update(&mut screen.app, Message::Resize(size.1, size.0 / 2));
    screen.draw();
    screen.fetch();
    screen.draw();
}

/// The same for events: the target here is how bytes become events.
const MAX_EVENTS: usize = 16;
/// How often the keys that leave a view are pressed: more often than there are levels.
const WAY_OUT: usize = 32;

/// Opens the demo and sends it bytes, in pieces of the length in the first byte; after a short
/// pause the program can be quit.
pub fn terminal(data: &[u8]) {
    let Some((&piece, rest)) = data.split_first() else {
        return;
    };
    let mut screen = Screen::open((80, 24), 0);
    let mut parser = InputParser::default();
    let mut events: Vec<_> = rest
        .chunks(usize::from(piece).max(1))
        .flat_map(|piece| parser.feed(piece))
        .collect();
    events.extend(parser.time_out());
    assert_eq!(parser.patience(), None, "something is still waited for");
    for event in events.into_iter().take(MAX_EVENTS) {
        screen.receive(&event);
    }
    for _ in 0..WAY_OUT {
        // An unsaved note needs confirmation first.
        for _ in 0..2 {
            parser.feed(b"\x1b");
            for event in parser.time_out() {
                screen.receive(&event);
            }
        }
        let asked = parser.feed(b"q");
        assert_eq!(asked.len(), 1, "a key is a key");
        if asked.iter().any(|event| screen.receive(event)) {
            return;
        }
    }
    panic!("q does not quit: {:?}", screen.app.mode().context());
}

/// A user's input; its meaning depends on the open view.
enum Gesture {
    Key(Key),
    Mouse(Pointer),
}

fn typed(bytes: &[u8]) -> Vec<Gesture> {
    let spelling = String::from_utf8_lossy(bytes);
    let Ok(keys) = spelled(&spelling) else {
        return Vec::new();
    };
    assert!(keys.len() <= spelling.chars().count());
    assert!(keys.iter().all(|key| !key.to_string().is_empty()));
    keys.into_iter()
        .map(Gesture::Key)
        .take(MAX_GESTURES)
        .collect()
}

fn mouse(bytes: &[u8]) -> Vec<Gesture> {
    let gestures = bytes.chunks_exact(3).map(|gesture| {
        let (x, y) = (u16::from(gesture[1]), u16::from(gesture[2]));
        Gesture::Mouse(match gesture[0] % 5 {
            0 => Pointer::Press(x, y),
            1 => Pointer::Drag(x, y),
            2 => Pointer::Release,
            3 => Pointer::Wheel(Scroll::LineDown, x, y),
            _ => Pointer::Wheel(Scroll::LineUp, x, y),
        })
    });
    gestures.take(MAX_GESTURES).collect()
}

/// The program without threads and terminal.
struct Screen {
    app: App,
    look: Look,
}

impl Screen {
    fn open(size: (u16, u16), how: u8) -> Self {
        let ascii = how & 2 != 0;
        let view = ViewOptions {
            markdown: true,
            hidden: if how & 4 == 0 {
                Hidden::Discreet
            } else {
                Hidden::Shown
            },
            unfolded: false,
            locked: how & 8 == 0,
            stacked: how & 16 != 0,
            glyphs: if ascii {
                TextGlyphs::ASCII
            } else {
                TextGlyphs::UNICODE
            },
        };
        let mut app = App::new(size, view, Keymap::default().help());
        let (files, chunks) = demo();
        for report in files
            .iter()
            .cloned()
            .map(LoadEvent::File)
            .chain(chunks.iter().cloned().map(LoadEvent::Chunk))
        {
            update(&mut app, Message::Loaded(0, report));
        }
        update(&mut app, Message::Loaded(0, LoadEvent::Done));
        let glyphs = if ascii {
            Glyphs::ASCII
        } else {
            Glyphs::UNICODE
        };
        let mut screen = Self {
            app,
            look: Look {
                theme: Theme::load(Preset::Dark, ColorDepth::True),
                glyphs,
            },
        };
        screen.fetch();
        screen
    }

    /// Handles a terminal event. Returns whether that ends the program.
    fn receive(&mut self, event: &Event) -> bool {
        let Some(message) = Keymap::default().message(event, self.app.mode()) else {
            return false;
        };
        let effects = update(&mut self.app, message);
        self.fetch();
        self.draw();
        effects.contains(&Effect::Quit)
    }

    /// Reads what the screen needs; a few rounds are enough.
    fn fetch(&mut self) {
        for _ in 0..6 {
            for effect in self.app.needs() {
                self.perform(effect);
            }
        }
        assert_eq!(self.app.needs(), [], "the screen is never content");
        let drawn = self.app.on_screen();
        update(&mut self.app, Message::Drawn(drawn));
        update(&mut self.app, Message::CaughtUp(drawn));
    }

    fn perform(&mut self, effect: Effect) {
        let results = match effect {
            Effect::Job(job) => {
                let parts = RefCell::new(Vec::new());
                let last = job.run(&|| true, &|part| parts.borrow_mut().push(part));
                parts.borrow_mut().extend(last);
                parts.into_inner()
            }
            _ => Vec::new(),
        };
        assert!(!results.is_empty(), "what the screen needs can be read");
        for result in results {
            update(&mut self.app, Message::Apply(result));
        }
    }

    fn draw(&self) {
        let (columns, rows) = self.app.layout.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        draw(&mut buffer, &self.app, &self.look);
        for cell in buffer.content() {
            check_safe(cell.symbol());
        }
    }
}

/// Returns the demo's files and rows.
fn demo() -> &'static (Vec<DatasetFile>, Vec<Arc<Chunk>>) {
    static DEMO: OnceLock<(Vec<DatasetFile>, Vec<Arc<Chunk>>)> = OnceLock::new();
    DEMO.get_or_init(|| {
        let inputs = [
            (
                "helpsteer2",
                &include_bytes!("../../../assets/demo/helpsteer2.jsonl")[..],
            ),
            (
                "webgpt",
                include_bytes!("../../../assets/demo/webgpt.jsonl"),
            ),
        ];
        let inputs = inputs
            .map(|(name, bytes)| Input::Embedded { name, bytes })
            .to_vec();
        let (mut files, mut chunks) = (Vec::new(), Vec::new());
        let mut listener = |report| {
            match report {
                LoadEvent::File(file) => files.push(file),
                LoadEvent::Chunk(chunk) => chunks.push(chunk),
                LoadEvent::Joined(_) | LoadEvent::Error(_) | LoadEvent::Done => {}
            }
            ControlFlow::Continue(())
        };
        Loader {
            inputs,
            ..Loader::default()
        }
        .run(&mut listener)
        .expect("the demo");
        (files, chunks)
    })
}
