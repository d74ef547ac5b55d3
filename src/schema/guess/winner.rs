//! Which field of unknown records names the better of two responses, and in which words.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{FieldPair, GuessNames, UntakenField, has_numbers};
use crate::schema::definition::ByValue;
use crate::schema::path::Path;
use crate::schema::values::says_nothing;
use crate::text;

/// The likeliest field that names the better response, by its key and by what it says in the first
/// records.
///
/// # Errors
/// When there is none: of the likeliest that has the name of one, if any has, a value that was not
/// understood.
pub(super) fn winner(
    records: &[Value],
    pair: &[String; 2],
    names: &GuessNames,
) -> Result<ByValue, Option<UntakenField>> {
    let number_words = WinnerWords::with_numbers(pair, names);
    let letter_words = WinnerWords::with_letters(pair, names);
    let mut untaken = None;
    for key in &names.winner {
        let values = records.iter().filter_map(|record| record.get(key));
        let values: Vec<_> = values.filter(|value| is_said(value, names)).collect();
        let mut words = std::iter::once(&letter_words).chain(&number_words);
        if let Some(words) = words.find(|words| words.fit(&values)) {
            return Ok(words.rule(Path::key(key)));
        }
        let words = number_words.as_ref().unwrap_or(&letter_words);
        let unknown = values.iter().find(|value| !words.know(value));
        if let Some(value) = unknown.or(values.first()).filter(|_| untaken.is_none()) {
            untaken = Some(UntakenField {
                path: text::one_line(&Path::key(key).to_string(), 48),
                value: text::one_line(&value.to_string(), 24),
                is_score: false,
            });
        }
    }
    Err(untaken)
}

/// The field of a joined file that names the better response, and whether it calls it chosen
/// instead of A. Numbers count only if both occur, and not beside a score that decides.
pub(super) fn without_texts(
    records: &[Value],
    is_free: &dyn Fn(&&String) -> bool,
    names: &GuessNames,
    has_deciding_score: bool,
) -> Option<(ByValue, bool)> {
    let letters = |a: &str, b: &str| WinnerWords::with_letters(&[a.into(), b.into()], names);
    let all = [
        letters("response_a", "response_b"),
        letters("chosen", "rejected"),
        WinnerWords::of_numbers(['1', '2'], names),
        WinnerWords::of_numbers(['0', '1'], names),
    ];
    let mut keys = names.winner.iter().chain(&names.winner_alone);
    keys.find_map(|name| {
        let fields = records
            .iter()
            .filter_map(Value::as_object)
            .flat_map(Map::keys);
        let is_called = |key: &&String| key.to_ascii_lowercase().ends_with(&**name) && is_free(key);
        fields.filter(is_called).find_map(|key| {
            let values = records.iter().filter_map(|record| record.get(key));
            let values: Vec<_> = values.filter(|value| is_said(value, names)).collect();
            let mut words = all
                .iter()
                .enumerate()
                .filter(|(_, it)| !(has_deciding_score && it.need_both.is_some()));
            let (place, words) = words.find(|(_, words)| words.fit(&values))?;
            Some((words.rule(Path::from(key.as_str())), place == 1))
        })
    })
}

impl FieldPair {
    /// Whether bare `chosen` and `rejected` name responses by number: always 1 and 2, or 0 and 1,
    /// in both orders. Scores would repeat or vary more.
    pub(super) fn names_responses(&self, records: &[Map<String, Value>]) -> bool {
        let number = |record: &Map<String, Value>, key: &String| record.get(key)?.as_f64();
        let [first, second] = &self.keys;
        let rows = (records.iter())
            .filter_map(|record| Some([number(record, first)?, number(record, second)?]));
        let rows: Vec<_> = rows.collect();
        let known = [[0.0, 1.0], [1.0, 2.0]].map(|[low, high]| [[low, high], [high, low]]);
        let are = |both: &[[f64; 2]; 2]| {
            rows.iter().all(|row| both.contains(row)) && both.iter().all(|row| rows.contains(row))
        };
        self.stem.is_empty() && self.is_by_outcome && known.iter().any(are)
    }

    /// The fields with those of further responses: `score_c` after `score_a` and `score_b`.
    pub(super) fn of_group(&self, records: &[Map<String, Value>]) -> Vec<String> {
        let [first, second] = &self.keys;
        let mut bytes = first.bytes().zip(second.bytes());
        let place = bytes.position(|(first, second)| first != second);
        let next = |step: u8| {
            let (at, letter) = (place?, first.as_bytes()[place?] + step);
            let (before, after) = (first.get(..at)?, first.get(at + 1..)?);
            Some(format!("{before}{}{after}", char::from(letter)))
        };
        let is_counted = next(1).as_ref() == Some(second);
        let further = (2..26).filter(|_| is_counted).map_while(next);
        let further = further.take_while(|key| has_numbers(key, records));
        self.keys.iter().cloned().chain(further).collect()
    }
}

/// Whether two words have the same letters and digits, in either case: `[[A]]` is `a`, and `A>B`
/// is not `A=B`. `None` is what Python writes for a missing value, `none` is a tie; `10` is not `1.0`.
pub(crate) fn is_same_word(known: &str, word: &str) -> bool {
    let plain = |word: &str| -> (bool, String) {
        let compares = ['>', '='];
        let signs = |sign: &char| sign.is_alphanumeric() || compares.contains(sign);
        let signs: String = word.to_ascii_lowercase().chars().filter(signs).collect();
        let is_negative = word.starts_with('-');
        (is_negative, signs.trim_matches(compares).to_owned())
    };
    let is_exact = known == "none" || known.ends_with(".0");
    known == word || (!is_exact && plain(known) == plain(word))
}

/// Whether a value is not missing; `none` is a tie.
fn is_said(value: &Value, names: &GuessNames) -> bool {
    let word = word_of(value);
    names.tie.iter().any(|tie| is_same_word(tie, &word))
        || !(value.is_null() || says_nothing(&value.to_string()))
}

/// A value as a rule for the verdict reads it: numbers and texts of them are the same.
fn word_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The words for each of two responses, and for neither.
struct WinnerWords {
    a: Vec<String>,
    b: Vec<String>,
    tie: Vec<String>,
    /// The words for A and for B of which both must occur: a 1 alone may count from 0, or say yes.
    need_both: Option<[Vec<String>; 2]>,
    /// Whether the responses have numbers in their keys, so that another number is no slip but
    /// leaves in doubt what they all mean.
    are_numbered: bool,
}

impl WinnerWords {
    /// Words that say so by a letter or a place, and the responses' own keys.
    fn with_letters([a, b]: &[String; 2], names: &GuessNames) -> Self {
        let ends_in_digit = |key: &String| key.ends_with(|last: char| last.is_ascii_digit());
        let with = |words: &[String], key: &String| words.iter().chain([key]).cloned().collect();
        Self {
            a: with(&names.first, a),
            b: with(&names.second, b),
            tie: names.tie.clone(),
            need_both: None,
            are_numbered: ends_in_digit(a) && ends_in_digit(b),
        }
    }

    /// [`Self::of_numbers`] with the numbers of the responses' keys; `None` where the keys have none, or
    /// count from 0: a 1 beside a 0 says yes in many files. Joined files may use both, and their
    /// summary says how they were read.
    fn with_numbers(pair: &[String; 2], names: &GuessNames) -> Option<Self> {
        let number = |key: &String| key.chars().next_back().filter(char::is_ascii_digit);
        let [a, b] = [number(&pair[0])?, number(&pair[1])?];
        (a != '0' && b != '0').then(|| Self::of_numbers([a, b], names))
    }

    /// The words with letters, and those that end in one with a number in its place: `1`, `model_1`.
    fn of_numbers([a, b]: [char; 2], names: &GuessNames) -> Self {
        let with = |words: &[String], letter: char, number: char| {
            let letters = [letter, letter.to_ascii_uppercase()];
            let stems = words.iter().filter_map(|word| word.strip_suffix(letters));
            let mut words: Vec<_> = stems.map(|stem| format!("{stem}{number}")).collect();
            // What tables make of a column of whole numbers in which one is missing.
            words.push(format!("{number}.0"));
            words.dedup();
            words
        };
        let numbers = [with(&names.first, 'a', a), with(&names.second, 'b', b)];
        Self {
            a: [&*names.first, &*numbers[0]].concat(),
            b: [&*names.second, &*numbers[1]].concat(),
            tie: names.tie.clone(),
            need_both: Some(numbers),
            are_numbered: true,
        }
    }

    /// Whether a value is one of them.
    fn know(&self, value: &Value) -> bool {
        let word = word_of(value);
        let mut words = [&self.a, &self.b, &self.tie].into_iter().flatten();
        words.any(|known| is_same_word(known, &word))
    }

    /// Whether values, of which none is missing, are these words. One of them may be unknown, or a
    /// tenth where that is more, as long as most are known: such rows are flagged, wherever in the
    /// file they stand.
    fn fit(&self, values: &[&Value]) -> bool {
        let unknown: Vec<_> = values.iter().filter(|value| !self.know(value)).collect();
        let ends_in_number = |value: &str| value.ends_with(|last: char| last.is_ascii_digit());
        let is_other_number =
            self.are_numbered && unknown.iter().any(|value| ends_in_number(&word_of(value)));
        let has = |words: &[String]| {
            let mut values = values.iter().map(|value| word_of(value));
            values.any(|value| words.iter().any(|known| is_same_word(known, &value)))
        };
        let needed = self.need_both.iter().flatten();
        (has(&self.a) || has(&self.b))
            && needed.into_iter().all(|words| has(words))
            && !is_other_number
            && unknown.len() <= (values.len() / 10).max(1)
            && unknown.len() * 2 < values.len()
    }

    fn rule(&self, path: Path) -> ByValue {
        ByValue {
            path,
            a: self.a.clone(),
            b: self.b.clone(),
            tie: Some(self.tie.clone()),
            margins: BTreeMap::new(),
        }
    }
}
