//! Time of a frame, and from a key to the next sample on screen.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use common::corpus::{Corpus, Script};
use criterion::Criterion;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use visavis::{
    Action, App, ColorDepth, Effect, Glyphs, Hidden, Keymap, LoadEvent, Look, Message, Preset,
    Scroll, TextGlyphs, Theme, ViewOptions, draw, update,
};

/// A wide terminal.
const SIZE: (u16, u16) = (160, 48);

fn main() {
    let mut criterion = common::criterion();
    let usual = Corpus::new(5).helpsteer2(2000);
    let mut screen = Screen::open(&usual);
    frame(&mut criterion, "draw/usual", &mut screen);
    next_sample(&mut criterion, &mut screen);

    let mut screen = Screen::open(&one_long());
    screen.act(Action::Scroll(Scroll::Bottom));
    frame(&mut criterion, "draw/end-of-1MB", &mut screen);

    let mut screen = Screen::open(&Corpus::new(7).short(1_000_000));
    screen.act(Action::LastSample);
    frame(&mut criterion, "draw/list-of-1M", &mut screen);
    criterion.final_summary();
}

fn frame(criterion: &mut Criterion, name: &str, screen: &mut Screen) {
    criterion.bench_function(name, |bencher| bencher.iter(|| screen.draw()));
}

/// Does all work of the loop for a key: the state, the page and the list rows that it needs, and
/// the frame.
fn next_sample(criterion: &mut Criterion, screen: &mut Screen) {
    criterion.bench_function("draw/next-sample", |bencher| {
        bencher.iter(|| {
            let last = screen.app.selection.selected + 1 == screen.app.data.dataset.samples();
            screen.act(if last {
                Action::FirstSample
            } else {
                Action::NextSample
            });
            screen.draw();
        });
    });
}

/// Returns a sample with a response of 1 MB.
fn one_long() -> Vec<u8> {
    let long = Corpus::new(6).text(1_000_000, Script::Mixed);
    let row = serde_json::json!({ "prompt": "so long", "chosen": long, "rejected": "short" });
    format!("{row}\n").into_bytes()
}

/// The program without threads and terminal.
struct Screen {
    app: App,
    buffer: Buffer,
    look: Look,
    /// Kept because rows are read from it.
    _file: tempfile::NamedTempFile,
}

impl Screen {
    fn open(bytes: &[u8]) -> Self {
        let view = ViewOptions {
            markdown: true,
            hidden: Hidden::Discreet,
            unfolded: false,
            locked: true,
            stacked: false,
            glyphs: TextGlyphs::UNICODE,
        };
        let file = common::file(bytes);
        let mut app = App::new(SIZE, view, Keymap::default().help());
        let mut listener = |report: LoadEvent| {
            update(&mut app, Message::Loaded(0, report));
            std::ops::ControlFlow::Continue(())
        };
        common::loader(&file)
            .run(&mut listener)
            .expect("a file that loads");
        let look = Look {
            theme: Theme::load(Preset::Dark, ColorDepth::True),
            glyphs: Glyphs::UNICODE,
        };
        let buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
        let mut screen = Self {
            app,
            buffer,
            look,
            _file: file,
        };
        screen.fetch();
        screen
    }

    fn act(&mut self, action: Action) {
        update(&mut self.app, Message::Action(action));
        self.fetch();
    }

    /// Reads what the screen needs until it needs no more.
    fn fetch(&mut self) {
        loop {
            let effects = self.app.needs();
            if effects.is_empty() {
                return;
            }
            for effect in effects {
                self.perform(effect);
            }
        }
    }

    fn perform(&mut self, effect: Effect) {
        let result = match effect {
            Effect::Job(job) => job.run(&|| true, &|_| ()),
            _ => None,
        };
        let result = result.expect("what the screen needs can be read");
        update(&mut self.app, Message::Apply(result));
    }

    fn draw(&mut self) {
        self.buffer.reset();
        draw(&mut self.buffer, &self.app, &self.look);
    }
}
