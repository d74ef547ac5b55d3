//! The note editor at the bottom of the screen.

use super::super::line::line_editor::{Edit, TextEditor};
use super::super::{Action, App, Context, Effect, Mode, View, Views, texts};
use super::ReviewEffect;
use crate::export;
use crate::journal::{Act, Note};
use crate::model::ResponseOrder;
use crate::text;

/// The note being edited.
#[derive(Debug, Clone)]
pub struct NotePad {
    /// Number of the sample.
    pub sample: usize,
    /// Generation of the dataset.
    generation: u64,
    pad: TextEditor,
    /// The display order of the responses when it was opened, if they were shown.
    order: Option<ResponseOrder>,
    /// The reviewer's saved note.
    pub saved: Option<Note>,
    /// Notes of other reviewers.
    pub others: Vec<Note>,
}

/// Most characters shown of another reviewer's note.
const MAX_CHARACTERS: usize = 1000;
/// Height of the editor without its title, if there is room.
const ROWS: u16 = 8;

impl NotePad {
    /// Returns its lines.
    pub fn lines(&self) -> &[String] {
        self.pad.lines()
    }

    /// Returns the line of the cursor, from 0, and its byte offset there.
    pub fn cursor(&self) -> (usize, usize) {
        self.pad.place()
    }

    /// Returns the rows it needs, with its title and the notes of others.
    pub(crate) fn height(&self) -> u16 {
        ROWS + 1 + self.others.len().min(3) as u16
    }

    fn is_changed(&self) -> bool {
        self.pad.whole() != self.before()
    }

    fn before(&self) -> &str {
        self.saved.as_ref().map_or("", |note| &note.text)
    }
}

impl App {
    /// Explains the letters in a note if they differ from those on the screen. `None` while labels
    /// are hidden, because that would reveal the random order.
    pub fn note_letters(&self, note: &Note) -> Option<String> {
        if self.mask().hidden {
            return None;
        }
        let sample = self.selection.selected;
        export::note_letters(note, self.shown_order(sample)?, self.responses_of(sample))
    }

    /// Returns [`Self::note_letters`] in parentheses after a space; empty if there is nothing to
    /// explain.
    pub fn note_letters_suffix(&self, note: &Note) -> String {
        self.note_letters(note)
            .map_or_else(String::new, |letters| format!(" ({letters})"))
    }

    /// Returns another reviewer's note as one line.
    pub fn other_note(&self, note: &Note) -> String {
        let letters = self.note_letters_suffix(note);
        text::one_line(
            &format!("{}{letters}: {}", note.reviewer, note.text),
            MAX_CHARACTERS,
        )
    }

    /// Opens the note of the selected sample.
    pub(crate) fn open_note(&mut self) {
        let sample = self.selection.selected;
        let generation = self.data.generation;
        if let Some(draft) = self.views.drafts.remove(&(generation, sample)) {
            return self.views.open(View::Note(draft));
        }
        let remark = self.known_remark(sample).unwrap_or_default().into_owned();
        let is_own = |note: &&Note| *note.reviewer == *self.review.reviewer();
        let saved = remark.notes.iter().find(is_own).cloned();
        let others = remark.notes.iter().filter(|note| !is_own(note));
        let letters = saved.as_ref().and_then(|note| self.note_letters(note));
        self.status.notice = letters.map(texts::note_letters);
        self.views.open(View::Note(Box::new(NotePad {
            sample,
            generation,
            pad: TextEditor::pad(saved.as_ref().map_or("", |note| &note.text)),
            order: self.shown_order(sample),
            others: others.cloned().collect(),
            saved,
        })));
    }
}

impl App {
    /// Returns the display order of a sample's responses; `None` if it is not shown yet.
    pub(super) fn shown_order(&self, sample: usize) -> Option<ResponseOrder> {
        let page = self.current_page()?;
        (page.key.sample == sample).then_some(page.order)
    }
}

impl Views {
    /// Pastes into the note. Returns false if none is open.
    pub(crate) fn paste_note(&mut self, text: &str) -> bool {
        let Some(pad) = self.note_mut() else {
            return false;
        };
        pad.pad.insert(text);
        true
    }
}

impl App {
    pub(crate) fn act_in_note(&mut self, action: Action) {
        let Some(pad) = self.views.note_mut() else {
            return;
        };
        match action {
            Action::Edit(edit) => pad.pad.edit(edit),
            Action::Earlier => pad.pad.edit(Edit::Up),
            Action::Later => pad.pad.edit(Edit::Down),
            Action::Save => self.save_note(),
            Action::Outside => {
                let text = pad.pad.whole();
                self.request(Effect::Review(ReviewEffect::Edit(text)));
            }
            Action::Cancel => {
                if let Some(View::Note(note)) = self.views.close(Mode::Note)
                    && note.is_changed()
                    && note.generation == self.data.generation
                {
                    let key = self.key_or_name(Context::Read, Action::Note);
                    self.say(texts::note_discarded(key));
                    self.views
                        .drafts
                        .insert((note.generation, note.sample), note);
                }
            }
            _ => {}
        }
    }

    /// Saves the note being edited when its author cannot. Unconfirmed text is appended to a saved
    /// note and never replaces it.
    pub(crate) fn keep_draft(&mut self) {
        let Some(note) = self.views.note_mut() else {
            return;
        };
        let (typed, before) = (note.pad.whole(), note.before().trim_end());
        if typed.trim().is_empty() {
            return;
        }
        if !typed.contains(before) {
            note.pad = TextEditor::pad(&format!("{before}\n{typed}"));
        }
        self.save_note();
    }

    fn save_note(&mut self) {
        let Some(pad) = self.views.note() else {
            return;
        };
        if !pad.is_changed() {
            self.views.close(Mode::Note);
            return;
        }
        if pad.generation != self.data.generation {
            let key = self.key_or_name(Context::Note, Action::Cancel);
            self.say(texts::note_outdated(key));
            return;
        }
        // Closed only once recorded, so that a failure loses nothing.
        let act = Act::Note {
            text: pad.pad.whole().trim_end().into(),
            order: pad.order.or_else(|| self.shown_order(pad.sample)),
        };
        let sample = pad.sample;
        if self.record_of(Some(sample), act) {
            self.views.close(Mode::Note);
        }
    }

    /// Takes the text from the external editor.
    pub(super) fn take_edited(&mut self, edited: Result<String, String>) {
        match (edited, self.views.note_mut()) {
            (Ok(text), Some(pad)) => pad.pad.replace_all(text.trim_end()),
            (Err(reason), _) => self.say(reason),
            (Ok(_), None) => {}
        }
    }
}
