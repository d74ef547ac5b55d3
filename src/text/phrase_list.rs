//! Phrases by which texts of a kind are known, all looked for at once: `assets/phrases.toml`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use toml::{Table, Value};

use super::citations;
use super::fold::is_of_word;
use super::style::prose_lines;

/// Refusals near the beginning of a text: phrases that begin within its first 200 characters.
pub fn refusals(text: &str) -> u32 {
    count(&LISTS.refusals, text)
}

/// Phrases that leave open how sure the text is.
pub fn hedges(text: &str) -> u32 {
    count(&LISTS.hedges, text)
}

/// Quotes that a text cites outside of fenced code: `[1]`, `[1][2]` and `[1, 2]` are one, two and
/// two.
pub fn cited(text: &str) -> u32 {
    if !text.contains('[') {
        return 0;
    }
    let cited = |line| citations(line).len();
    prose_lines(text).map(cited).sum::<usize>() as u32
}

/// The lists; one that cannot be read is `None` (the tests say that there is none such).
struct Lists {
    refusals: Option<PhraseList>,
    hedges: Option<PhraseList>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let file: Option<Table> = toml::from_str(include_str!("../../assets/phrases.toml")).ok();
    let list = |name| PhraseList::read(file.as_ref()?.get(name)?.as_table()?);
    Lists {
        refusals: list("refusals"),
        hedges: list("hedges"),
    }
});

fn count(list: &Option<PhraseList>, text: &str) -> u32 {
    list.as_ref().map_or(0, |list| list.count(text))
}

/// Phrases, and how many of them a text has.
struct PhraseList {
    phrases: AhoCorasick,
    /// The phrases with a greater number count as nothing.
    counting: usize,
    /// A phrase begins within so many characters.
    within: Option<usize>,
    /// Bytes of the longest one.
    longest: usize,
}

impl PhraseList {
    /// Reads a table of the file; `None` where something in it is not as it must be.
    fn read(table: &Table) -> Option<Self> {
        let counting = spellings(table.get("phrases")?)?;
        let others = table.get("not").map_or(Some(Vec::new()), spellings)?;
        let all = || counting.iter().chain(&others);
        Some(Self {
            phrases: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                // A table for each state, a megabyte in all: four times as fast as what it takes by
                // itself for so many phrases.
                .kind(Some(AhoCorasickKind::DFA))
                .build(all())
                .ok()?,
            counting: counting.len(),
            within: match table.get("within") {
                Some(within) => Some(usize::try_from(within.as_integer()?).ok()?),
                None => None,
            },
            longest: all().map(String::len).max()?,
        })
    }

    /// How many phrases a text has, none within another.
    fn count(&self, text: &str) -> u32 {
        let end = self.within.and_then(|within| {
            let (end, _) = text.char_indices().nth(within)?;
            Some(end)
        });
        // Nothing behind this can be of a phrase that counts, but for the sign after its last.
        let bytes = end.map_or(text.len(), |end| text.len().min(end + self.longest));
        let found = self
            .phrases
            .find_overlapping_iter(&text.as_bytes()[..bytes]);
        let mut found: Vec<_> = found
            .filter(|found| end.is_none_or(|end| found.start() < end))
            .filter(|found| is_whole(text, found.start(), found.end()))
            .map(|found| (found.start(), found.end(), found.pattern().as_usize()))
            .collect();
        // The first to begin, and of those the longest.
        found.sort_unstable_by_key(|&(start, end, _)| (start, usize::MAX - end));
        let (mut count, mut behind) = (0, 0);
        for (start, end, phrase) in found {
            if start >= behind {
                behind = end;
                count += u32::from(phrase < self.counting);
            }
        }
        count
    }
}

/// The phrases of a list in the file, each as it can be typed: with straight apostrophes, and with
/// curly ones.
fn spellings(list: &Value) -> Option<Vec<String>> {
    let phrases = list.as_array()?.iter().map(Value::as_str);
    let mut spelled = Vec::new();
    for phrase in phrases {
        let phrase = phrase.filter(|phrase| !phrase.trim().is_empty())?;
        spelled.push(phrase.to_owned());
        if phrase.contains('\'') {
            spelled.push(phrase.replace('\'', "’"));
        }
    }
    Some(spelled)
}

/// Whether no word goes on beyond the ends of a stretch, which are those of characters.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let goes_on = |c: char| is_of_word(c) || c == '_';
    let (before, behind) = (
        text[..start].chars().next_back(),
        text[end..].chars().next(),
    );
    !before.is_some_and(goes_on) && !behind.is_some_and(goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_read() {
        assert!(LISTS.refusals.is_some() && LISTS.hedges.is_some());
    }

    #[test]
    fn no_phrase_stands_twice_and_every_one_is_found() {
        let file: Table = toml::from_str(include_str!("../../assets/phrases.toml")).expect("TOML");
        for (name, count) in [
            ("refusals", refusals as fn(&str) -> u32),
            ("hedges", hedges),
        ] {
            let table = file[name].as_table().expect("a table");
            let [phrases, others] =
                ["phrases", "not"].map(|key| spellings(&table[key]).expect("phrases"));
            let mut sorted: Vec<_> = phrases
                .iter()
                .chain(&others)
                .map(|p| p.to_lowercase())
                .collect();
            sorted.sort_unstable();
            assert!(sorted.windows(2).all(|two| two[0] != two[1]), "{name}");
            for phrase in &phrases {
                assert_eq!(count(&format!("{phrase} …")), 1, "{phrase}");
                assert_eq!(count(&phrase.to_uppercase()), 1, "{phrase}");
            }
            for phrase in &others {
                assert_eq!(count(phrase), 0, "{phrase}");
            }
        }
    }

    #[test]
    fn refusals_are_near_the_beginning() {
        let late = |blanks: usize| format!("{}I must decline", "é".repeat(blanks) + " ");
        for (text, count) in [
            ("", 0),
            ("Sure! Here it is.", 0),
            ("I'm sorry, but I can't help with that.", 1),
            ("I’m sorry, but I can’t help with that.", 1),
            ("i CANNOT assist you", 1),
            ("I can't help but laugh", 0),
            ("I can't helpfully say", 0),
            ("Hi I refuse to", 1),
            ("HI REFUSE TO", 0),
            ("I refuse to_be", 0),
            ("As an AI language model, I love it", 1),
            (&late(100), 1),
            (&late(198), 1),
            (&late(199), 0),
            (&late(4000), 0),
        ] {
            assert_eq!(refusals(text), count, "{text}");
        }
    }

    #[test]
    fn hedges_are_whole_words_anywhere() {
        for (text, count) in [
            ("It is so.", 0),
            ("Perhaps, perhaps not. Mighty maybes might.", 3),
            ("As far as I know, it’s possible. I think I don't know", 4),
            ("some kind of magic is kind of odd", 1),
            ("perhapsé ęmaybe", 0),
        ] {
            assert_eq!(hedges(text), count, "{text}");
        }
        let long = format!("{} maybe", "x ".repeat(10_000));
        assert_eq!(hedges(&long), 1);
    }

    #[test]
    fn citations_count_outside_of_code() {
        for (text, count) in [
            ("so [1] and [2, 3], [1].\n", 4),
            ("none", 0),
            ("```\na[1] = b[2]\n```\nsee [1]", 1),
            ("[x] [2024]", 0),
        ] {
            assert_eq!(cited(text), count, "{text}");
        }
    }
}
