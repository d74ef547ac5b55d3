//! Words of a block, and tests of them.

use std::borrow::Cow;

use super::block::SampleBlock;
use super::per_response::PerResponse;
use crate::dataset::{Dataset, DatasetFile, PromptMatch};
use crate::model::Verdict;
use crate::query::ast::{Aggregate, ColumnId, Field, WordTest};
use crate::table::{
    ColumnKind, ColumnSource, FieldForm, SampleComparison, SampleLists, WordColumn,
};

/// The distinct words of a block, and an index into them per sample; out of range if missing.
pub(super) type CodedWords<'b> = (Vec<Cow<'b, str>>, Cow<'b, [u16]>);

impl<'d> SampleBlock<'d> {
    /// Returns the words of a column, per response if it has that level; `None` if rows must be
    /// read.
    pub(super) fn word_lanes(&self, of: ColumnId) -> Option<Vec<CodedWords<'d>>> {
        if of.source.field().is_none() {
            return self.words(of).map(|words| vec![words]);
        }
        self.columns()
            .words(of)?
            .iter()
            .take(self.lanes())
            .map(|list| self.coded(list))
            .collect()
    }

    /// Returns the words of a column like [`Self::word_lanes`], and reads rows if they must be read.
    pub(super) fn read_words(&self, of: ColumnId) -> Vec<CodedWords<'d>> {
        self.word_lanes(of).unwrap_or_else(|| {
            let none: CodedWords<'_> = (Vec::new(), vec![WordColumn::NONE; self.len()].into());
            let (mut all, first) = (vec![none; self.lanes()], self.samples().start);
            self.dataset.for_each_sample(
                self.samples(),
                &|_| (self.keep_going)(),
                &mut |sample, rows| {
                    let words = rows.words_of(of, all.len());
                    for ((own, codes), word) in all.iter_mut().zip(words) {
                        if let Some(word) = word {
                            codes.to_mut()[sample - first] = own.len() as u16;
                            own.push(Cow::Owned(word));
                        }
                    }
                },
            );
            all
        })
    }

    fn coded(&self, list: &'d WordColumn) -> Option<CodedWords<'d>> {
        let WordColumn::Codes { words, codes } = list else {
            return None;
        };
        let words = words.iter().map(|word| Cow::Borrowed(&**word));
        Some((words.collect(), self.part(codes).into()))
    }

    /// Returns the words of a column of samples; `None` if rows must be read.
    fn words(&self, of: ColumnId) -> Option<CodedWords<'d>> {
        Some(match &of.source {
            // File names without folders; names of table sources as opened.
            ColumnSource::File => {
                let names = self.named_files().iter().map(DatasetFile::short_name);
                let code = |within: usize| {
                    let file = self.dataset.file_of(self.chunk, within);
                    u16::try_from(file).unwrap_or(WordColumn::NONE)
                };
                let codes = if self.dataset.spans_files() {
                    self.within.clone().map(code).collect()
                } else {
                    vec![0; self.len()].into()
                };
                (names.map(Cow::Borrowed).collect(), codes)
            }
            ColumnSource::Verdict => coded_verdicts(&self.verdicts()),
            ColumnSource::RatedVerdict(rater) => coded_verdicts(&self.rated_verdicts(rater)),
            ColumnSource::Compared(SampleComparison::Overlap(scope)) => {
                let words = PromptMatch::ALL.map(|way| way.name().into());
                let code = |way: Option<PromptMatch>| match way {
                    Some(way) => way as u16,
                    None => WordColumn::NONE,
                };
                let ways = self.dataset.overlaps(self.samples(), *scope);
                (words.into(), ways.into_iter().map(code).collect())
            }
            _ => match self.columns().words(of).and_then(<[_]>::first) {
                Some(list) => return self.coded(list),
                None => (Vec::new(), vec![WordColumn::NONE; self.len()].into()),
            },
        })
    }

    /// Returns the files that words refer to. A sample that spans files belongs to the file of its
    /// first row.
    fn named_files(&self) -> &'d [DatasetFile] {
        let (files, own) = (self.dataset.files(), self.chunk.file());
        if self.dataset.spans_files() {
            files
        } else {
            files.get(own..=own).unwrap_or_default()
        }
    }

    /// Returns a second name per file, with folders; empty for other columns.
    fn aliases(&self, of: ColumnId) -> Vec<&'d str> {
        let files = self.named_files().iter();
        let is_file = matches!(of.source, ColumnSource::File);
        files
            .filter(|_| is_file)
            .map(|file| file.source.name())
            .collect()
    }

    /// True where a word passes the test; `None` if rows must be read.
    pub(super) fn word_passes(&self, of: Field, test: &WordTest) -> Option<PerResponse<bool>> {
        let lanes = self.word_lanes(of.column)?;
        let mut lanes: Vec<_> = (lanes.into_iter())
            .map(|lane| self.lane_passes(of.column, lane, test))
            .collect();
        if !of.column.is_of_responses() {
            return lanes.pop().map(PerResponse::Same);
        }
        lanes.resize_with(self.lanes(), || vec![passes(None, test); self.len()]);
        Some(self.apply_aggregate(of.view, lanes))
    }

    /// Applies an aggregate to flags of responses.
    pub(super) fn apply_aggregate(
        &self,
        view: Aggregate,
        lanes: Vec<Vec<bool>>,
    ) -> PerResponse<bool> {
        if let Some(picked) = self.of_picked(view, &lanes, false) {
            return PerResponse::Same(picked);
        }
        let there = (0..lanes.len()).map(|response| self.has(response));
        let there = PerResponse::Each(there.collect());
        let lanes = PerResponse::Each(lanes);
        PerResponse::Same(match view {
            Aggregate::Any => {
                let holds = lanes.zip(&there, |holds, there| holds & there);
                holds.joined(|any, holds| any | holds)
            }
            Aggregate::All => {
                let holds = lanes.zip(&there, |holds, there| holds | !there);
                let all = PerResponse::Same(holds.joined(|all, holds| all & holds));
                return all.zip(&PerResponse::Same(self.has(1)), |all, several| {
                    all & several
                });
            }
            _ => return lanes,
        })
    }

    fn lane_passes(
        &self,
        of: ColumnId,
        (words, codes): CodedWords<'_>,
        test: &WordTest,
    ) -> Vec<bool> {
        let aliases = self.aliases(of);
        let passing = |(place, word): (usize, &Cow<'_, str>)| match aliases.get(place) {
            Some(alias) => either_passes(Some(word), alias, test),
            None => passes(Some(word), test),
        };
        let passing: Vec<_> = words.iter().enumerate().map(passing).collect();
        let none = passes(None, test);
        codes
            .iter()
            .map(|&code| passing.get(usize::from(code)).copied().unwrap_or(none))
            .collect()
    }
}

/// Codes the words of verdicts, in order of occurrence.
fn coded_verdicts<'b>(verdicts: &[Option<Verdict>]) -> CodedWords<'b> {
    let mut known: Vec<Verdict> = Vec::new();
    let code = |verdict: &Option<Verdict>| {
        let Some(verdict) = verdict else {
            return WordColumn::NONE;
        };
        let place = known.iter().position(|one| one == verdict);
        place.unwrap_or_else(|| {
            known.push(*verdict);
            known.len() - 1
        }) as u16
    };
    let codes = verdicts.iter().map(code).collect();
    let words = known.into_iter().map(|verdict| verdict.word().into());
    (words.collect(), codes)
}

/// True if a column has too many distinct words for a list of codes, so rows must be read.
pub fn has_many_words(dataset: &Dataset, of: ColumnId) -> bool {
    let is_word = matches!(of.kind, ColumnKind::Word | ColumnKind::Words);
    let mut chunks = dataset.chunks().iter();
    let is_many = |list: &WordColumn| matches!(list, WordColumn::Many);
    is_word
        && chunks.any(|chunk| {
            chunk
                .columns()
                .words(of)
                .is_some_and(|all| all.iter().any(is_many))
        })
}

/// True if a word or its alias passes a test. The alias contains folders, which count for `:` only
/// if the test has a `/`.
pub fn either_passes(word: Option<&str>, alias: &str, test: &WordTest) -> bool {
    let alias_passes = || passes(Some(alias), test);
    match test {
        WordTest::Is(_) => passes(word, test) || alias_passes(),
        WordTest::IsNot(_) => passes(word, test) && alias_passes(),
        WordTest::Contains(asked) => passes(word, test) || (asked.contains('/') && alias_passes()),
        WordTest::Missing(_) | WordTest::Compare(..) => passes(word, test),
    }
}

pub(super) fn passes(word: Option<&str>, test: &WordTest) -> bool {
    match (word, test) {
        (word, WordTest::Missing(missing)) => word.is_none() == *missing,
        (None, _) => false,
        (Some(word), WordTest::Is(asked)) => {
            parts(word).any(|word| asked.iter().any(|asked| same(word, asked)))
        }
        (Some(word), WordTest::IsNot(asked)) => parts(word).all(|word| !same(word, asked)),
        (Some(word), WordTest::Contains(asked)) => parts(word).any(|word| {
            if is_smart(asked) {
                word.to_lowercase().contains(&asked.to_lowercase())
            } else {
                word.contains(asked.as_str())
            }
        }),
        // `2024-05-31` is not after `2024-05`.
        (Some(word), WordTest::Compare(comparison, asked)) => {
            let begin = word.get(..asked.len()).unwrap_or(word);
            comparison.holds_of(begin.cmp(asked))
        }
    }
}

/// Splits a list into its words.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(FieldForm::SEPARATOR)
}

fn same(word: &str, asked: &str) -> bool {
    if is_smart(asked) {
        word.to_lowercase() == asked.to_lowercase()
    } else {
        word == asked
    }
}

/// True if letter case does not matter: the asked text has no capital letter.
pub fn is_smart(asked: &str) -> bool {
    !asked.chars().any(char::is_uppercase)
}
