//! Dictionary encoding of words: each distinct word is stored once, and each row has its code.

use std::collections::HashMap;
use std::ops::Range;

use crate::table::WordColumn;

/// Words in row order, at most one a row.
#[derive(Debug, Clone, Default)]
pub struct WordList {
    words: Vec<Box<str>>,
    places: HashMap<Box<str>, u16>,
    codes: Vec<u16>,
    /// Bytes of all distinct words.
    bytes: usize,
    /// Set after too many distinct words; nothing is kept then.
    many: bool,
}

impl WordList {
    /// Adds the word of the next row.
    pub fn push(&mut self, word: Option<&str>) {
        if self.many {
            return;
        }
        let code = word.map_or(WordColumn::NONE, |word| self.code(word));
        self.codes.push(code);
    }

    /// Sets the word of a row after all that have one.
    pub fn put(&mut self, row: usize, word: Option<&str>) {
        self.pad(row);
        self.push(word);
    }

    /// Adds rows without a word up to this number of rows.
    pub fn pad(&mut self, rows: usize) {
        if !self.many && self.codes.len() < rows {
            self.codes.resize(rows, WordColumn::NONE);
        }
    }

    /// Returns the number of rows; 0 if there are too many words.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    pub fn append(&mut self, other: &Self, rows: Range<usize>) {
        if self.many || other.many {
            return self.give_up();
        }
        let mut codes = vec![None; other.words.len()];
        for &code in other.codes.get(rows).unwrap_or_default() {
            let known = codes.get_mut(usize::from(code));
            let code = match (known, other.words.get(usize::from(code))) {
                (Some(known), Some(word)) => *known.get_or_insert_with(|| self.code(word)),
                _ => WordColumn::NONE,
            };
            self.codes.push(code);
        }
    }

    /// Returns the column of some rows.
    pub fn gather(&self, rows: &[u32]) -> WordColumn {
        if self.many {
            return WordColumn::Many;
        }
        // Renumbered, so that words are in sample order and all of them are used.
        let (mut places, mut words) = (vec![WordColumn::NONE; self.words.len()], Vec::new());
        let mut renumbered = |code: u16| {
            let Some(place) = places.get_mut(usize::from(code)) else {
                return WordColumn::NONE;
            };
            if *place == WordColumn::NONE {
                *place = words.len() as u16;
                words.push(self.words[usize::from(code)].clone());
            }
            *place
        };
        let codes = rows
            .iter()
            .map(|&row| renumbered(self.codes[row as usize]))
            .collect();
        WordColumn::Codes {
            words: words.into(),
            codes,
        }
    }

    fn code(&mut self, word: &str) -> u16 {
        if let Some(&code) = self.places.get(word) {
            return code;
        }
        self.bytes += word.len();
        if self.many || self.words.len() == WordColumn::MOST || self.bytes > WordColumn::MAX_BYTES {
            self.give_up();
            return WordColumn::NONE;
        }
        let code = self.words.len() as u16;
        self.words.push(word.into());
        self.places.insert(word.into(), code);
        code
    }

    fn give_up(&mut self) {
        *self = Self {
            many: true,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> WordList {
        let mut list = WordList::default();
        for word in words {
            list.push((!word.is_empty()).then_some(word));
        }
        list
    }

    fn spelled(words: &WordColumn) -> Option<Vec<&str>> {
        let WordColumn::Codes { words, codes } = words else {
            return None;
        };
        Some(
            codes
                .iter()
                .map(|&code| words.get(usize::from(code)).map_or("", |word| word))
                .collect(),
        )
    }

    #[test]
    fn words_come_back() {
        let mut all = list(&["b", "a", "", "a"]);
        all.append(&list(&["c", "b", ""]), 0..3);
        let before = all.clone();
        all.append(&before, 4..5);
        assert_eq!(
            spelled(&all.gather(&[0, 1, 2, 3, 4, 5, 6, 7])),
            Some(vec!["b", "a", "", "a", "c", "b", "", "c"])
        );
        let some = all.gather(&[7, 2, 3]);
        assert_eq!(spelled(&some), Some(vec!["c", "", "a"]));
        assert!(
            matches!(some, WordColumn::Codes { words, .. } if *words == ["c".into(), "a".into()])
        );
    }

    #[test]
    fn too_many_are_not_kept() {
        let numbers: Vec<String> = (0..=WordColumn::MOST)
            .map(|number| number.to_string())
            .collect();
        let mut words: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let long = "x".repeat(WordColumn::MAX_BYTES + 1);
        assert!(matches!(list(&words).gather(&[]), WordColumn::Many));
        assert!(matches!(list(&[&long]).gather(&[0]), WordColumn::Many));
        let last = words.pop().unwrap_or_default();
        let mut most = list(&words);
        assert!(
            matches!(most.gather(&[0, 1]), WordColumn::Codes { words, .. } if words.len() == 2)
        );
        most.append(&list(&[last]), 0..1);
        assert!(matches!(most.gather(&[0, 1]), WordColumn::Many));
        let mut few = list(&["a"]);
        few.append(&most, 0..1);
        assert!(matches!(few.gather(&[0]), WordColumn::Many));
    }
}
