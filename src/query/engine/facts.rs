//! Words of a block, and what is asked of them.

use super::block::SampleBlock;
use crate::dataset::DatasetFile;
use crate::query::ast::{Category, CategoryTest};
use crate::query::words::verdict_word;
use crate::table::WordColumn;

/// The words of a block's samples.
pub(super) enum WordsOf<'b> {
    /// One word for all samples; `None` where there is none.
    All(Option<&'b str>),
    /// One a sample, by its place among the different ones.
    Coded(Vec<&'b str>, &'b [u16]),
    /// The row must be read: its fact with this place.
    Unread(usize),
}

impl<'d> SampleBlock<'d> {
    pub(super) fn words(&self, of: &Category) -> WordsOf<'d> {
        match of {
            Category::File => WordsOf::All(
                self.dataset
                    .files()
                    .get(self.chunk.file())
                    .map(DatasetFile::short_name),
            ),
            Category::Verdict => WordsOf::All(None),
            Category::Fact(name) => {
                let fact = self
                    .schema
                    .definition()
                    .facts
                    .iter()
                    .position(|fact| fact.name == *name);
                match fact.and_then(|fact| Some((fact, self.columns().fact(fact)?))) {
                    Some((_, WordColumn::Codes { words, codes })) => {
                        WordsOf::Coded(words.iter().map(|word| &**word).collect(), self.part(codes))
                    }
                    Some((fact, WordColumn::Many)) => WordsOf::Unread(fact),
                    None => WordsOf::All(None),
                }
            }
        }
    }

    /// Where a word passes the test; `None` when the rows must be read for it.
    pub(super) fn category(&self, of: &Category, test: &CategoryTest) -> Option<Vec<bool>> {
        if *of == Category::Verdict {
            let words = self
                .verdicts()
                .into_iter()
                .map(|verdict| passes(verdict.map(verdict_word), test));
            return Some(words.collect());
        }
        if *of == Category::File {
            let file = self.dataset.files().get(self.chunk.file());
            return Some(vec![
                file.is_some_and(|file| is_file(file, test));
                self.len()
            ]);
        }
        match self.words(of) {
            WordsOf::All(word) => Some(vec![passes(word, test); self.len()]),
            WordsOf::Coded(words, codes) => {
                let passing: Vec<_> = words.iter().map(|word| passes(Some(word), test)).collect();
                let none = passes(None, test);
                Some(
                    codes
                        .iter()
                        .map(|&code| passing.get(usize::from(code)).copied().unwrap_or(none))
                        .collect(),
                )
            }
            WordsOf::Unread(_) => None,
        }
    }
}

/// Whether a file's name passes a test: without its folders or, as a table names it, as it was
/// opened.
fn is_file(file: &DatasetFile, test: &CategoryTest) -> bool {
    let (short, whole) = (file.short_name(), file.source.name());
    match test {
        CategoryTest::Is(_) => passes(Some(short), test) || passes(Some(whole), test),
        CategoryTest::IsNot(_) => passes(Some(short), test) && passes(Some(whole), test),
        CategoryTest::Contains(asked) => {
            passes(Some(short), test) || (asked.contains('/') && passes(Some(whole), test))
        }
        CategoryTest::Missing(missing) => !missing,
    }
}

/// Whether a word passes a test.
pub(super) fn passes(word: Option<&str>, test: &CategoryTest) -> bool {
    match (word, test) {
        (word, CategoryTest::Missing(missing)) => word.is_none() == *missing,
        (None, _) => false,
        (Some(word), CategoryTest::Is(asked)) => asked.iter().any(|asked| same(word, asked)),
        (Some(word), CategoryTest::IsNot(asked)) => !same(word, asked),
        (Some(word), CategoryTest::Contains(asked)) => match smart(asked) {
            true => word.to_lowercase().contains(&asked.to_lowercase()),
            false => word.contains(asked.as_str()),
        },
    }
}

fn same(word: &str, asked: &str) -> bool {
    if smart(asked) {
        word.to_lowercase() == asked.to_lowercase()
    } else {
        word == asked
    }
}

fn smart(asked: &str) -> bool {
    !asked.chars().any(char::is_uppercase)
}
