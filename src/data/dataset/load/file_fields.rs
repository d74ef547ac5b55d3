//! The fields of a file that its schema does not name. They are detected on demand in its first
//! records, and in the others if a name is missing.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use memchr::memmem;

use super::sample_window::{SAMPLE_LINES, SampleWindow};
use crate::parallel::locked;
use crate::schema::{FieldSurvey, Schema};
use crate::source::{Source, lines};
use crate::table::Column;

/// Records sampled from the rest of the file, which can add fields.
const SPREAD: u64 = 64;
/// Bytes read for each of them.
const SPREAD_BYTES: u64 = 64 << 10;
/// Bytes searched at a time.
const PIECE: u64 = 4 << 20;

/// The fields of a file.
#[derive(Debug)]
pub struct FileFields {
    source: Arc<Source>,
    found: Mutex<FoundFields>,
}

#[derive(Debug)]
struct FoundFields {
    survey: FieldSurvey,
    /// Number of records surveyed, and whether more cannot change the result.
    records: usize,
    is_settled: bool,
    /// Names searched for in the whole file.
    searched: HashSet<String>,
}

impl FileFields {
    /// Creates the fields of a file; nothing is read yet.
    pub fn new(source: Arc<Source>, schema: &Schema) -> Self {
        let found = FoundFields {
            survey: schema.survey(),
            records: 0,
            is_settled: false,
            searched: HashSet::new(),
        };
        Self {
            source,
            found: Mutex::new(found),
        }
    }

    /// Returns the fields of the first records and of a few spread over the file, plus those found
    /// by [`Self::search`].
    pub fn columns(&self) -> Vec<Column> {
        self.with(|found| found.survey.columns())
    }

    /// Returns the field at exactly this path.
    pub fn at(&self, pointer: &str) -> Option<Column> {
        self.with(|found| found.survey.at(pointer))
    }

    /// Returns as a field a value whose name the schema uses for something else.
    pub fn role(&self, is_meant: &dyn Fn(&str) -> bool) -> Option<Column> {
        self.with(|found| found.survey.role(is_meant))
    }

    /// True if the file has more bytes than this, or may get more.
    pub fn is_longer_than(&self, bytes: u64) -> bool {
        self.source.extent().len > bytes
    }

    /// Searches at most the first `most` bytes of the file for records with a name, until `is_found`
    /// is true. Each name is searched for once.
    pub fn search(&self, name: &str, most: u64, is_found: &mut dyn FnMut(&FieldSurvey) -> bool) {
        self.with(|found| {
            let last = name.rsplit(['.', '/']).next().unwrap_or_default();
            // Characters that a name cannot contain are written as `_`.
            let needle = last.split(['_', '"', '~']).max_by_key(|part| part.len());
            let needle = needle.filter(|needle| !needle.is_empty());
            if let Some(needle) = needle
                && !is_found(&found.survey)
                && !found.searched.contains(needle)
            {
                if self.source.extent().complete {
                    found.searched.insert(needle.to_owned());
                }
                self.search_all(needle, most, &mut found.survey, is_found);
            }
        });
    }

    /// Stops surveying records, whose bytes will be released.
    pub fn settle(&self) {
        locked(&self.found).is_settled = true;
    }

    fn with<T>(&self, see: impl FnOnce(&mut FoundFields) -> T) -> T {
        let mut found = locked(&self.found);
        if !found.is_settled {
            self.survey(&mut found);
        }
        see(&mut found)
    }

    /// Surveys the first records available, and some of the others.
    fn survey(&self, found: &mut FoundFields) {
        let (extent, mut buffer) = (self.source.extent(), Vec::new());
        let mut window = SampleWindow::default();
        let records = loop {
            let seen = window.within(extent);
            if self.source.read_at(0..seen.bytes, &mut buffer).is_err() {
                return;
            }
            let records = seen.lines(&buffer);
            found.is_settled = window.is_enough(seen, &records);
            if found.is_settled || !window.widen(seen) {
                break records;
            }
        };
        let is_record = |line: &&&[u8]| lines::refusal(line).is_none();
        for record in records.iter().skip(found.records).filter(is_record) {
            found.survey.add(record, 0);
        }
        found.records = records.len();
        // Only a plain file has its other records available.
        if !found.is_settled || !self.source.is_as_stored() {
            return;
        }
        let settled = found.survey.len();
        let read = records.last().map_or(0, |last| {
            (last.as_ptr() as usize + last.len()) - buffer.as_ptr() as usize
        });
        self.spread(read as u64..extent.len, &mut found.survey, settled);
    }

    fn spread(&self, rest: std::ops::Range<u64>, survey: &mut FieldSurvey, settled: usize) {
        let (mut buffer, step) = (Vec::new(), (rest.end - rest.start) / SPREAD);
        for place in 0..if step == 0 { 0 } else { SPREAD } {
            let start = rest.start + place * step;
            let end = rest.end.min(start + SPREAD_BYTES);
            if self.source.read_at(start..end, &mut buffer).is_err() {
                return;
            }
            let mut records = buffer.split(|&byte| byte == b'\n').skip(1);
            let record = records.next().filter(|_| records.next().is_some());
            record
                .iter()
                .for_each(|record| survey.add(lines::trim(record), settled));
        }
    }

    fn search_all(
        &self,
        needle: &str,
        most: u64,
        survey: &mut FieldSurvey,
        is_found: &mut dyn FnMut(&FieldSurvey) -> bool,
    ) {
        let (finder, settled) = (memmem::Finder::new(needle), survey.len());
        let (mut buffer, mut line) = (Vec::new(), Vec::new());
        let (len, mut start, mut more) = (self.source.extent().len.min(most), 0, None);
        while start < len {
            let end = len.min(start + PIECE);
            if self.source.read_at(start..end, &mut buffer).is_err() {
                return;
            }
            start = end;
            // Prepends the incomplete line of the previous piece.
            line.append(&mut buffer);
            let whole = match memchr::memrchr(b'\n', &line) {
                _ if end == len => line.len(),
                Some(at) => at + 1,
                None => continue,
            };
            let mut at = 0;
            while let Some(hit) = finder.find(&line[at..whole]) {
                let from = memchr::memrchr(b'\n', &line[..at + hit]).map_or(0, |at| at + 1);
                let to = memchr::memchr(b'\n', &line[at + hit..whole]);
                let to = to.map_or(whole, |to| at + hit + to);
                survey.add(lines::trim(&line[from..to]), settled);
                at = to;
                // Read as many more records as decide the form of other fields.
                if more.is_none() && is_found(survey) {
                    more = Some(SAMPLE_LINES);
                }
                if let Some(more) = &mut more {
                    *more -= 1;
                    if *more == 0 {
                        return;
                    }
                }
            }
            line.drain(..whole);
        }
    }
}
