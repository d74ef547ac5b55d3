//! Loads a dataset, then the files that are joined to it.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::joined_columns::JoinedLabels;
use super::matching::{
    ResponseMatching, ResponseNumbering, by_content, by_key, content_hashes, have_common,
    keyed_rows,
};
use crate::dataset::load::events::report;
use crate::dataset::load::loader::{open_input, row_search};
use crate::dataset::load::sample_window::schema_of;
use crate::dataset::load::waves::ScanPace;
use crate::dataset::{
    Dataset, DatasetFile, JoinInput, JoinOn, JoinedFile, Listener, LoadError, LoadEvent, Loader,
    ScanOptions,
};
use crate::schema::{Guess, SchemaChoice, SchemaChoiceError, one_word, rates};
use crate::source::Source;
use crate::text::counted;

impl Loader {
    /// Loads everything and reports events to `listener`.
    ///
    /// # Errors
    /// If a file cannot be opened or the layout of the first records is unknown (before any rows
    /// are reported), or if there are too many rows.
    pub fn run(&self, listener: &mut dyn Listener) -> Result<(), LoadError> {
        self.run_at(ScanPace::default(), listener)
    }

    /// Like [`Self::run`], with waves of another size, for tests with small files.
    pub(in crate::dataset) fn run_at(
        &self,
        pace: ScanPace,
        listener: &mut dyn Listener,
    ) -> Result<(), LoadError> {
        let sources = (self.inputs.iter())
            .map(|input| {
                if self.follow {
                    Ok(Source::open_followed(input, row_search(&self.choice))?)
                } else {
                    open_input(input, &self.choice)
                }
            })
            .collect::<Result<Vec<_>, LoadError>>()?;
        let joins = OpenedJoin::all(&self.joins)?;
        let done = if joins.is_empty() {
            self.load_at(pace, &sources, listener)
        } else {
            let mut recorded = RecordingListener {
                dataset: Dataset::default(),
                listener,
                is_joined: false,
            };
            self.load_at(pace, &sources, &mut recorded).and_then(|()| {
                let mut joiner = Joiner {
                    loader: self,
                    dataset: recorded.dataset,
                    hashes: None,
                };
                joiner.join(joins, recorded.listener)
            })
        };
        match done {
            Err(LoadError::Stopped) => {}
            done => {
                done?;
                // The listener may have cancelled; nothing depends on it.
                let _ = listener.on_event(LoadEvent::Done);
            }
        }
        Ok(())
    }
}

/// Labels of a file, and the match of its responses.
type MatchedLabels = (JoinedLabels, ResponseMatching);

/// A joined file that is open but not read.
pub struct OpenedJoin {
    name: String,
    source: Arc<Source>,
    choice: SchemaChoice,
}

impl OpenedJoin {
    /// Opens the files and gives each a unique name.
    ///
    /// # Errors
    /// If one of them cannot be opened.
    pub fn all(inputs: &[JoinInput]) -> Result<Vec<Self>, LoadError> {
        let mut opened: Vec<Self> = Vec::new();
        for input in inputs {
            let source = open_input(&input.input, &input.choice)?;
            let plain = one_word(input.name.as_deref().unwrap_or(stem(source.name())));
            let is_free = |name: &String| opened.iter().all(|other| other.name != *name);
            let numbered = (2..).map(|number: usize| format!("{plain}_{number}"));
            let name = std::iter::once(plain.clone())
                .chain(numbered)
                .find(is_free)
                .unwrap_or(plain);
            opened.push(Self {
                name,
                source,
                choice: input.choice.clone(),
            });
        }
        Ok(opened)
    }
}

/// Returns a file's name without folders and extensions.
fn stem(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split('.')
        .find(|part| !part.is_empty())
        .unwrap_or(name)
}

/// Joins files to a dataset.
pub struct Joiner<'l> {
    pub loader: &'l Loader,
    pub dataset: Dataset,
    /// Text hashes of the dataset, computed when needed.
    pub hashes: Option<Vec<u64>>,
}

impl Joiner<'_> {
    /// Joins the files in order and reports each.
    fn join(
        &mut self,
        files: Vec<OpenedJoin>,
        listener: &mut dyn Listener,
    ) -> Result<(), LoadError> {
        for file in files {
            let joined = self.join_one(file, listener);
            if !listener.keep_going() || matches!(joined, Err(LoadError::Stopped)) {
                return Err(LoadError::Stopped);
            }
            let joined = joined.map(|file| LoadEvent::Joined(Arc::new(file)));
            report(listener, joined.unwrap_or_else(LoadEvent::Error))?;
        }
        Ok(())
    }

    /// Loads and matches one file.
    fn join_one(
        &mut self,
        file: OpenedJoin,
        listener: &mut dyn Listener,
    ) -> Result<JoinedFile, LoadError> {
        let OpenedJoin {
            name,
            source,
            choice,
        } = file;
        let choice = SchemaChoice::WithScores(Box::new(choice));
        let found = match self.load(&source, &choice, listener) {
            Ok(other) => self.match_texts(&source, &other, listener),
            Err(LoadError::Choice { error, .. }) => match *error {
                SchemaChoiceError::NothingToShow { keys, .. } => self
                    .match_scores(&source, listener)
                    .and_then(|it| it.ok_or_else(|| refused(&source, self.missing(&keys)))),
                error => Err(refused(&source, error.to_string())),
            },
            Err(error) => Err(error),
        };
        let (stated, partners) = found?;
        source.check_unchanged()?;
        let dataset = &self.dataset;
        let joined = JoinedFile::new(name, source, stated, dataset, &partners);
        Ok(JoinedFile {
            matched_on: match &self.loader.join_on {
                JoinOn::Content => None,
                JoinOn::Row => Some("row".to_owned()),
                JoinOn::Field(path) => Some(path.to_string()),
            },
            ..joined
        })
    }

    /// Loads a file as a separate dataset. If texts of the dataset contain markers of turns, those
    /// of the file are split by the same markers; otherwise the turns of equal texts would differ.
    fn load(
        &self,
        source: &Arc<Source>,
        choice: &SchemaChoice,
        listener: &mut dyn Listener,
    ) -> Result<Dataset, LoadError> {
        let mut other = RecordingListener {
            dataset: Dataset::default(),
            listener,
            is_joined: true,
        };
        let schema = schema_of(choice, source, &other)?;
        let turns = self
            .dataset
            .files()
            .first()
            .and_then(|file| file.schema.definition().turns.clone());
        let schema = schema.with_turns(turns).map_or(schema, Arc::new);
        let loader = Loader {
            choice: SchemaChoice::Ready(schema),
            ..Loader::default()
        };
        loader
            .load_at(
                ScanPace::default(),
                std::slice::from_ref(source),
                &mut other,
            )
            .map(|()| other.dataset)
    }

    /// Matches a file that has texts.
    fn match_texts(
        &mut self,
        source: &Arc<Source>,
        other: &Dataset,
        listener: &mut dyn Listener,
    ) -> Result<MatchedLabels, LoadError> {
        let keep_going = || listener.keep_going();
        // Computed once for all files.
        if self.hashes.is_none() {
            self.hashes = content_hashes(&self.dataset, &keep_going);
        }
        let others = content_hashes(other, &keep_going).unwrap_or_default();
        let own = self.hashes.as_deref().unwrap_or_default();
        // `chosen` can contain a letter or a number: a detected schema must find a text of the
        // dataset.
        if guess_of(other).is_some()
            && !have_common(own, &others)
            && let Some(found) = self.match_scores(source, listener)?
        {
            return Ok(found);
        }
        let found = self.found(source, other, [own, &others], listener)?;
        let has_place = other
            .files()
            .iter()
            .any(|file| file.schema.prefers_by_place());
        // Scores are required: the order of the responses says nothing here.
        let is_empty = found.0.is_empty();
        if is_empty && let Some(mut stated) = self.labels_beside_texts(source, other, listener) {
            stated.notes.extend(found.0.notes);
            return Ok((stated, found.1));
        }
        if let Some(reason) = single_value_reason(other, &found.0).filter(|_| has_place || is_empty)
        {
            return Err(refused(source, reason));
        }
        if is_empty && listener.keep_going() {
            let untaken = guess_of(other).and_then(|guess| guess.unused_verdict.as_ref());
            let untaken = untaken.map_or(String::new(), |untaken| {
                format!("; {}", untaken.message(true))
            });
            let nothing = format!(
                "its texts have no scores (score_a and score_b) and no winner ({WINNERS}){untaken}"
            );
            return Err(refused(source, nothing));
        }
        Ok(found)
    }

    /// Returns the labels and winners of a file with texts from fields that count only in joined
    /// files, such as a winner called 1 or 2. They refer to the responses in the file's own order.
    fn labels_beside_texts(
        &self,
        source: &Arc<Source>,
        other: &Dataset,
        listener: &mut dyn Listener,
    ) -> Option<JoinedLabels> {
        [false, true].into_iter().find_map(|is_winner| {
            let choice = SchemaChoice::WithoutTexts {
                key: None,
                is_winner,
            };
            let beside = self.load(source, &choice, listener).ok()?;
            let same = ResponseNumbering::of(&beside) == ResponseNumbering::of(other);
            let is_by_outcome = guess_of(&beside).is_some_and(|guess| guess.is_by_outcome);
            let stated = JoinedLabels::of(&beside);
            (same && !is_by_outcome && !stated.is_empty()).then_some(stated)
        })
    }

    /// Matches rows without texts by a field or by their order; `None` if they have neither scores
    /// nor a winner, or must be matched by texts.
    fn match_scores(
        &self,
        source: &Arc<Source>,
        listener: &mut dyn Listener,
    ) -> Result<Option<MatchedLabels>, LoadError> {
        let key = match &self.loader.join_on {
            JoinOn::Content => return Ok(None),
            JoinOn::Row => None,
            JoinOn::Field(path) => Some(path),
        };
        let mut first = Ok(None);
        for is_winner in [false, true] {
            let key = key.cloned();
            let choice = SchemaChoice::WithoutTexts { key, is_winner };
            let found = match self.load(source, &choice, listener) {
                Err(LoadError::Choice { .. }) => continue,
                loaded => loaded.and_then(|other| self.found(source, &other, [&[]; 2], listener)),
            };
            match found {
                Ok(found) if !found.1.is_empty() => return Ok(Some(found)),
                found if matches!(first, Ok(None)) => first = found.map(Some),
                _ => {}
            }
        }
        first
    }

    /// Matches the responses of a file; `hashes` are the text hashes of both.
    ///
    /// # Errors
    /// If no row of one of the files has the field to match by, or nothing can be matched.
    fn found(
        &self,
        source: &Source,
        other: &Dataset,
        hashes: [&[u64]; 2],
        listener: &dyn Listener,
    ) -> Result<MatchedLabels, LoadError> {
        let datasets = [&self.dataset, other];
        let slots = datasets.map(ResponseNumbering::of);
        let keep_going = || listener.keep_going();
        let mut stated = JoinedLabels::of(other);
        let field = match &self.loader.join_on {
            JoinOn::Content => {
                let partners = by_content(slots, hashes, &keep_going);
                return Ok((stated, partners.unwrap_or_default()));
            }
            JoinOn::Row => None,
            JoinOn::Field(path) => Some(path),
        };
        let rows = datasets.map(|of| keyed_rows(of, field, &keep_going));
        for (rows, of) in rows.iter().zip(datasets) {
            if let Some(field) = field.filter(|_| rows.iter().all(|row| row.key.is_none())) {
                let field = field.steps().join(".");
                let file = of.files().first().map_or("", |file| file.source.name());
                let reason =
                    format!("no row of {file} has {field}; --on needs a field of both files");
                return Err(refused(source, reason));
            }
        }
        let mut partners = by_key(slots, rows, hashes);
        let keys = counted(partners.uneven_keys, "key");
        let uneven = partners.uneven.map(|[sample, responses, values]| {
            format!(
                "{keys} without exactly one value per response (sample {} has {} and {})",
                sample + 1,
                counted(responses, "response"),
                counted(values, "value"),
            )
        });
        let mut lacks: Vec<_> = uneven.into_iter().collect();
        if guess_of(other).is_some_and(|guess| guess.is_by_outcome) && !partners.is_empty() {
            let undecided = partners.by_outcome(&self.dataset);
            let samples = counted(undecided, "sample");
            let unknown = || {
                format!(
                    "chosen and rejected are unknown for {samples} without a winner in the dataset"
                )
            };
            lacks.extend((undecided > 0).then(unknown));
        }
        if let Some(lacks) = lacks.first().filter(|_| partners.is_empty()) {
            let needed = match partners.uneven {
                Some([_, responses, 2]) if responses > 2 => {
                    "for three or more responses, write score_a, score_b, score_c and so on, or a list; winners work for pairs only"
                }
                Some(_) => "provide one per response, in the order of the responses",
                None => "write score_a and score_b, or the winner as a or b",
            };
            let reason =
                single_value_reason(other, &stated).unwrap_or_else(|| format!("{lacks}; {needed}"));
            return Err(refused(source, reason));
        }
        stated.notes.extend(lacks);
        Ok((stated, partners))
    }

    /// Describes what a file lacks, given the fields that it has.
    fn missing(&self, keys: &str) -> String {
        let lacks = match &self.loader.join_on {
            JoinOn::Content => {
                "prompt and responses to match by; match a field of both files (--on FIELD) or the order of rows (--on row)"
            }
            _ => {
                "number for each response (score_a and score_b, a list, or one row per response) and no winner (a, b or tie; 1 and 2, or 0 and 1, if both occur)"
            }
        };
        format!("its records have {keys}, but no {lacks}")
    }
}

fn refused(source: &Source, reason: String) -> LoadError {
    let name = source.name().to_owned();
    LoadError::JoinedTexts { name, reason }
}

/// Accepted winners, for messages.
const WINNERS: &str = "a, b or tie; 1 and 2, or 0 and 1, if both occur";

/// Explains that rows of two responses have a single score, with its values if they are few.
fn single_value_reason(other: &Dataset, stated: &JoinedLabels) -> Option<String> {
    let schema = &other.files().first()?.schema;
    let definition = schema.definition();
    let field = if guess_of(other).is_some_and(|guess| guess.is_without_texts) {
        definition
            .labels
            .first()
            .filter(|_| schema.responses() == 1)?
            .name
            .as_str()
    } else {
        let fields = other.files().first()?.fields.columns();
        fields
            .iter()
            .map(|field| field.id.name)
            .find(|name| definition.labels.is_empty() && schema.responses() > 1 && rates(name))?
    };
    let values = stated
        .labels
        .iter()
        .find(|(label, _)| label.id.name == field)
        .into_iter()
        .flat_map(|(_, values)| values)
        .filter(|value| !value.is_nan())
        .map(f64::to_string);
    let values: Vec<_> = values.collect::<BTreeSet<_>>().into_iter().collect();
    let values = match values.len() {
        1..4 => format!(" (here {})", values.join(", ")),
        _ => String::new(),
    };
    Some(format!(
        "{field} has one number per pair{values}, not one per response; write score_a and score_b (score_c and so on for more), a list, one row per response, or the winner of a pair ({WINNERS})"
    ))
}

fn guess_of(dataset: &Dataset) -> Option<&Guess> {
    dataset.files().first()?.schema.definition().guess.as_ref()
}

/// Builds a dataset from events and forwards them; of a joined file, only errors.
pub struct RecordingListener<'l> {
    pub dataset: Dataset,
    pub listener: &'l mut dyn Listener,
    pub is_joined: bool,
}

impl Listener for RecordingListener<'_> {
    fn on_event(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self.dataset.add(&report);
        match report {
            report if !self.is_joined || matches!(report, LoadEvent::Error(_)) => {
                self.listener.on_event(report)
            }
            _ if self.keep_going() => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn scan_options(&mut self, file: &DatasetFile) -> ScanOptions {
        let options = if self.is_joined {
            ScanOptions::default()
        } else {
            self.listener.scan_options(file)
        };
        // Rows are matched by their texts.
        ScanOptions {
            is_read_again: true,
            ..options
        }
    }

    fn keep_going(&self) -> bool {
        self.listener.keep_going()
    }
}
