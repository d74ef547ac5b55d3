//! Loads the files that are joined to a dataset, once that is there.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::join::{JoinInput, JoinedFile, StatedLabel, Statements, one_word};
use super::load::{Listener, LoadError, LoadEvent, Loader, wait_beyond};
use super::matching::{
    JoinOn, KeyedRow, Partners, ResponseNumbering, by_content, by_key, content_hashes, keyed_rows,
};
use super::scan_pace::ScanOptions;
use super::{Dataset, DatasetFile};
use crate::schema::{FieldReader, SchemaChoice, SchemaChoiceError, ScoreRows, repair};
use crate::source::{Input, Piece, Source, lines};
use crate::table::ColumnKind;

/// How many lines tell which numbers rows without texts have.
const SAMPLE_LINES: usize = 32;

/// A joined file that was opened and is still to be read.
pub(super) struct OpenedJoin {
    name: String,
    source: Arc<Source>,
    choice: SchemaChoice,
}

impl OpenedJoin {
    /// Opens the files, each under a name that no other has.
    ///
    /// # Errors
    /// When one of them cannot be opened.
    pub(super) fn all(
        inputs: &[JoinInput],
        open: impl Fn(&Input, &SchemaChoice) -> Result<Arc<Source>, LoadError>,
    ) -> Result<Vec<Self>, LoadError> {
        let mut opened: Vec<Self> = Vec::new();
        for input in inputs {
            let source = open(&input.input, &input.choice)?;
            let plain = one_word(input.name.as_deref().unwrap_or(stem(source.name())));
            let is_free = |name: &String| opened.iter().all(|other| other.name != *name);
            let numbered = (2..).map(|number: usize| format!("{plain}_{number}"));
            let mut names = std::iter::once(plain.clone()).chain(numbered);
            let name = names.find(is_free).unwrap_or(plain);
            opened.push(Self {
                name,
                source,
                choice: input.choice.clone(),
            });
        }
        Ok(opened)
    }
}

/// A file's name without folders and endings.
fn stem(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split('.')
        .find(|part| !part.is_empty())
        .unwrap_or(name)
}

/// A dataset whose files are to be joined to.
pub(super) struct Joiner<'l> {
    loader: &'l Loader,
    dataset: Dataset,
    /// Hashes of its texts, once they were needed.
    hashes: Option<Vec<u64>>,
}

impl<'l> Joiner<'l> {
    /// For a dataset that is loaded whole.
    pub(super) fn new(loader: &'l Loader, dataset: Dataset) -> Self {
        Self {
            loader,
            dataset,
            hashes: None,
        }
    }

    /// Joins the files in order, and reports each.
    pub(super) fn join(
        &mut self,
        files: Vec<OpenedJoin>,
        listener: &mut dyn Listener,
    ) -> ControlFlow<()> {
        for file in files {
            let report = match self.join_one(file, listener) {
                Ok(Some(joined)) => LoadEvent::Joined(Arc::new(joined)),
                Ok(None) => return ControlFlow::Break(()),
                Err(error) => LoadEvent::Trouble(error),
            };
            listener.tell(report)?;
        }
        ControlFlow::Continue(())
    }

    /// One file, matched; `None` once nobody wants it.
    fn join_one(
        &mut self,
        file: OpenedJoin,
        listener: &mut dyn Listener,
    ) -> Result<Option<JoinedFile>, LoadError> {
        let OpenedJoin {
            name,
            source,
            choice,
        } = file;
        let mut other = Recorded {
            dataset: Dataset::default(),
            listener: &mut Troubles(listener),
        };
        let loaded = self.load(&source, choice, &mut other);
        let other = other.dataset;
        if !listener.wanted() {
            return Ok(None);
        }
        let (stated, partners) = match loaded {
            Ok(()) => match self.partners(&other, &|| listener.wanted()) {
                Some(partners) => (Statements::of(&other), partners),
                None => return Ok(None),
            },
            // Rows of numbers and no texts say by a key what they are of.
            Err(LoadError::Choice { name, error }) => match self.scores(&source, listener)? {
                Some(found) => found,
                None => {
                    let reason = match (*error, &self.loader.join_on) {
                        (SchemaChoiceError::NothingToShow { keys, .. }, JoinOn::Content) => {
                            format!(
                                "no prompt and responses to match its records by, which have {keys}; rows of numbers \
                                 are matched by a field that rows of both files have, --on FIELD, or by their \
                                 numbers, --on row"
                            )
                        }
                        (SchemaChoiceError::NothingToShow { keys, .. }, _) => format!(
                            "its records have {keys}, and none of these is a number for each response, as \
                             score_a and score_b, a list of numbers, or one number a row where rows are responses"
                        ),
                        (error, _) => error.to_string(),
                    };
                    return Err(LoadError::JoinedTexts { name, reason });
                }
            },
            Err(error) => return Err(error),
        };
        if !listener.wanted() {
            return Ok(None);
        }
        source.check_unchanged()?;
        let dataset = &self.dataset;
        let joined = JoinedFile::new(name, source, &stated, dataset, &partners);
        Ok(Some(JoinedFile {
            matched_on: match &self.loader.join_on {
                JoinOn::Content => None,
                JoinOn::Row => Some("row".to_owned()),
                JoinOn::Field(path) => Some(path.to_string()),
            },
            ..joined
        }))
    }

    /// Loads a file as a dataset of its own. Where texts of the dataset mark their turns, those of
    /// the file are taken to mark them alike: without that, one text would have another as its turns.
    fn load(
        &self,
        source: &Arc<Source>,
        choice: SchemaChoice,
        listener: &mut dyn Listener,
    ) -> Result<(), LoadError> {
        let loader = Loader {
            choice,
            ..Loader::default()
        };
        let Some(schema) = loader.schema_of(source, listener)? else {
            return Ok(());
        };
        let own = self.dataset.files().first();
        let turns = own.and_then(|file| file.schema.definition().turns.clone());
        let schema = schema.with_turns(turns).map_or(schema, Arc::new);
        let loader = Loader {
            choice: SchemaChoice::Ready(schema),
            ..Loader::default()
        };
        loader
            .load_sources(std::slice::from_ref(source), listener)
            .map(|_| ())
    }

    /// Which responses of a dataset are which of this one; `None` once that is no longer wanted.
    fn partners(&mut self, other: &Dataset, wanted: &dyn Fn() -> bool) -> Option<Partners> {
        let dataset = &self.dataset;
        // Those of the dataset are the same for every file.
        if self.hashes.is_none() {
            self.hashes = Some(content_hashes(dataset, wanted)?);
        }
        let others = content_hashes(other, wanted)?;
        let hashes = [self.hashes.as_deref()?, &others];
        let slots = [dataset, other].map(ResponseNumbering::of);
        let field = match &self.loader.join_on {
            JoinOn::Content => return by_content(slots, hashes, wanted),
            JoinOn::Row => None,
            JoinOn::Field(path) => Some(FieldReader::new(path)),
        };
        let rows = [dataset, other].map(|of| keyed_rows(of, field.as_ref(), wanted));
        let [slots, other_slots] = slots;
        Some(by_key(slots.count(), rows, other_slots, Some(hashes)))
    }

    /// What rows of numbers state, matched by a field or by their numbers; `None` where they have
    /// none, or would have to be matched by texts.
    fn scores(
        &self,
        source: &Source,
        listener: &dyn Listener,
    ) -> Result<Option<(Statements, Partners)>, LoadError> {
        let field = match &self.loader.join_on {
            JoinOn::Content => return Ok(None),
            JoinOn::Row => None,
            JoinOn::Field(path) => Some(path),
        };
        let mut head: Vec<Vec<u8>> = Vec::new();
        each_line(source, listener, &mut |line| {
            head.push(line.to_vec());
            match head.len() {
                SAMPLE_LINES => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        })?;
        let head: Vec<_> = head.iter().map(Vec::as_slice).collect();
        let Some(scores) = ScoreRows::of(&head, field) else {
            return Ok(None);
        };
        let reader = field.map(FieldReader::new);
        let mut table = ScoreTable {
            columns: vec![Vec::new(); scores.names().count()],
            rows: Vec::new(),
            malformed: 0,
        };
        each_line(source, listener, &mut |line| {
            let number = table.rows.len() as u64;
            let mut numbers = scores.read(line);
            let mut repaired = None;
            if numbers.is_none() {
                // What Python writes for no number, for instance.
                repaired = repair(line);
                numbers = repaired.as_ref().and_then(|it| scores.read(&it.line));
            }
            let line = repaired.as_ref().map_or(line, |it| &it.line);
            let key = match &reader {
                Some(reader) => reader.hash(line),
                None => Some(number),
            };
            table.push(key, numbers.as_deref());
            ControlFlow::Continue(())
        })?;
        let rows = keyed_rows(&self.dataset, reader.as_ref(), &|| listener.wanted());
        let others =
            ResponseNumbering::of_counts(table.rows.iter().map(|row| row.slots.len() as u32));
        let slots = ResponseNumbering::of(&self.dataset).count();
        let own_rows = std::mem::take(&mut table.rows);
        let partners = by_key(slots, [rows, own_rows], others, None);
        Ok(Some((table.statements(&scores), partners)))
    }
}

/// The numbers of rows without texts.
struct ScoreTable {
    /// One list for each column, with a number for each slot.
    columns: Vec<Vec<f64>>,
    rows: Vec<KeyedRow>,
    /// How many rows do not read.
    malformed: usize,
}

impl ScoreTable {
    /// Adds a row with the numbers of each column.
    fn push(&mut self, key: Option<u64>, numbers: Option<&[Vec<f64>]>) {
        let last = self.rows.last().map(|row| row.slots.clone());
        let start = last.as_ref().map_or(0, |slots| slots.end);
        self.malformed += usize::from(numbers.is_none());
        // A row that does not read stands in its place with no numbers: those behind it are not its.
        let before = last.map_or(1, |slots| slots.len());
        let numbers = numbers.unwrap_or_default();
        let count = numbers.iter().map(Vec::len).max().unwrap_or(before);
        for (place, column) in self.columns.iter_mut().enumerate() {
            let numbers = numbers.get(place).map_or(&[][..], |numbers| numbers);
            column.extend((0..count).map(|at| numbers.get(at).copied().unwrap_or(f64::NAN)));
        }
        let slots = start..start + count;
        let sample = self.rows.len();
        self.rows.push(KeyedRow { key, sample, slots });
    }

    fn statements(self, scores: &ScoreRows) -> Statements {
        // The only number that each response has says which is better.
        let deciding = (self.columns.len() == 1).then_some((0, 1.0));
        let label = |(name, values): (&str, Vec<f64>)| StatedLabel {
            name: name.to_owned(),
            kind: ColumnKind::Score,
            range: None,
            about: String::new(),
            values,
        };
        Statements {
            deciding,
            labels: scores.names().zip(self.columns).map(label).collect(),
            verdicts: Vec::new(),
            malformed: self.malformed,
        }
    }
}

/// Puts a dataset together of what is reported, and reports it on.
pub(super) struct Recorded<'l> {
    pub(super) dataset: Dataset,
    pub(super) listener: &'l mut dyn Listener,
}

impl Listener for Recorded<'_> {
    fn tell(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self.dataset.add(&report);
        self.listener.tell(report)
    }

    fn scan_options(&mut self, file: &DatasetFile) -> ScanOptions {
        // Rows are matched by their texts.
        ScanOptions {
            is_read_again: true,
            ..self.listener.scan_options(file)
        }
    }

    fn wanted(&self) -> bool {
        self.listener.wanted()
    }
}

/// Reports on what goes wrong with a joined file and nothing else.
struct Troubles<'l>(&'l mut dyn Listener);

impl Listener for Troubles<'_> {
    fn tell(&mut self, report: LoadEvent) -> ControlFlow<()> {
        match report {
            LoadEvent::Trouble(_) => self.0.tell(report),
            _ if self.0.wanted() => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn wanted(&self) -> bool {
        self.0.wanted()
    }
}

/// Shows each line of a source that is not blank, without what surrounds it, until `show` breaks it
/// off or nobody wants more.
fn each_line(
    source: &Source,
    listener: &dyn Listener,
    show: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), LoadError> {
    const PIECE: u64 = 1 << 20;
    let (mut piece, mut at, mut length) = (Piece::new(), 0, PIECE);
    while let Some(extent) = wait_beyond(source, at, listener)? {
        if extent.complete && at >= extent.len || !listener.wanted() {
            break;
        }
        let end = extent.len.min(at + length);
        piece.read(source, at..end)?;
        let bytes = piece.bytes();
        let is_last = extent.complete && end == extent.len;
        let whole = match memchr::memrchr(b'\n', bytes) {
            _ if is_last => bytes.len(),
            Some(last) => last + 1,
            None if end < extent.len => {
                // A line longer than a piece.
                length *= 2;
                continue;
            }
            None => {
                // Its end is still to come.
                let Some(_) = wait_beyond(source, extent.len, listener)? else {
                    break;
                };
                length = length.max(end - at + PIECE);
                continue;
            }
        };
        let rows = bytes[..whole].split(|&byte| byte == b'\n').map(lines::trim);
        for line in rows.filter(|line| !line.is_empty()) {
            if show(line).is_break() {
                return Ok(());
            }
        }
        at += whole as u64;
        length = PIECE;
    }
    Ok(())
}
