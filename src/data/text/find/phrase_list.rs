//! Phrases that identify kinds of texts, found in one pass: `assets/phrases.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, Match};
use serde::Deserialize;

use super::fold::is_of_word;
use crate::text::markup::citations::citations;
use crate::text::markup::style::prose_lines;

/// Counts the phrases of refusal that begin within the first 200 characters of a text, except in
/// quoted speech, code, idioms and clarifying questions.
pub fn refusals(text: &str) -> u32 {
    REFUSALS.as_ref().map_or(0, |list| list.count(text))
}

/// Counts phrases that express uncertainty.
pub fn hedges(text: &str) -> u32 {
    HEDGES.as_ref().map_or(0, |list| list.count(text))
}

/// Counts citations outside of fenced code: `[1]`, `[1][2]` and `[1, 2]` are one, two and two.
pub fn count_citations(text: &str) -> u32 {
    if !text.contains('[') {
        return 0;
    }
    let cited = |line| citations(line).len();
    prose_lines(text).map(cited).sum::<usize>() as u32
}

// `None` for an invalid list, which a test rules out.
static REFUSALS: LazyLock<Option<PhraseList>> = LazyLock::new(|| PhraseList::read("refusals"));
static HEDGES: LazyLock<Option<PhraseList>> = LazyLock::new(|| PhraseList::read("hedges"));

/// Bytes after the limit for starts that decide whether a phrase counts.
const LOOKAHEAD: usize = 400;
/// Memory for the states of a search, in bytes: the list of refusals is large, and a search without
/// room starts over.
const DFA_BYTES: usize = 32 << 20;

/// Index of the pattern that counts.
const COUNTS: usize = 1;

/// The phrases of one kind.
struct PhraseList {
    /// Finds exceptions, and phrases that count ([`COUNTS`]).
    entries: Regex,
    /// Limit for the start of a phrase, in characters.
    within: Option<usize>,
}

/// The file of phrases.
#[derive(Deserialize)]
struct PhraseFile {
    /// Alternatives that entries use by name, and these use too.
    words: BTreeMap<String, Vec<String>>,
    #[serde(flatten)]
    kinds: BTreeMap<String, PhraseEntries>,
}

/// The patterns of one kind.
#[derive(Deserialize)]
struct PhraseEntries {
    within: Option<usize>,
    phrases: Vec<String>,
    not: Vec<String>,
}

impl PhraseList {
    /// Reads a table of the file; `None` if one of its values or patterns is invalid.
    fn read(name: &str) -> Option<Self> {
        let file: PhraseFile = toml::from_str(include_str!("../../assets/phrases.toml")).ok()?;
        let kind = file.kinds.get(name)?;
        let pattern = |entries: &[String]| {
            let entries = entries.join("|");
            let mut pattern = format!(r"(?i-u)\b{{start-half}}(?:{entries})\b{{end-half}}");
            // Names may be used within the alternatives of other names.
            for _ in 0..2 {
                for (name, words) in &file.words {
                    let words = format!("(?:{})", words.join("|"));
                    pattern = pattern.replace(&format!("{{{name}}}"), &words);
                }
            }
            pattern.replace('\'', "(?:'|’)")
        };
        let entries = Regex::builder()
            .configure(Regex::config().hybrid_cache_capacity(DFA_BYTES))
            .syntax(syntax::Config::new().utf8(false))
            .build_many(&[pattern(&kind.not), pattern(&kind.phrases)])
            .ok()?;
        Some(Self {
            entries,
            within: kind.within,
        })
    }

    /// Counts the disjoint phrases in a text.
    fn count(&self, text: &str) -> u32 {
        let place = |within| text.char_indices().nth(within).map(|(place, _)| place);
        let end = self.within.and_then(place).unwrap_or(text.len());
        let bytes = &text.as_bytes()[..text.len().min(end + LOOKAHEAD)];
        let (mut at, mut count) = (0, 0);
        while let Some(found) = self.next(bytes, at, end) {
            let counts = found.pattern().as_usize() == COUNTS && found.start() < end;
            count += u32::from(counts && is_whole(text, found.start(), found.end()));
            at = found.end().max(found.start() + 1);
        }
        count
    }

    /// Finds the next entry from byte `at` on. If phrases must begin before `end`, each possible
    /// start of a word is tried alone: an unanchored search needs many more states and takes ten
    /// times as long.
    fn next(&self, bytes: &[u8], at: usize, end: usize) -> Option<Match> {
        let from = |at: usize| Input::new(bytes).range(at..);
        if self.within.is_none() {
            return self.entries.search(&from(at));
        }
        let mut starts = (at..end).filter(|at| *at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        starts.find_map(|at| self.entries.search(&from(at).anchored(Anchored::Yes)))
    }
}

/// True if no letter beyond ASCII, which the patterns ignore, continues a word at either end.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|text| text.chars().next_back());
    let after = text.get(end..).and_then(|text| text.chars().next());
    !before.is_some_and(is_of_word) && !after.is_some_and(is_of_word)
}

#[cfg(test)]
mod tests {
    use toml::{Table, Value};

    use super::*;

    #[test]
    fn the_lists_are_read() {
        assert!(REFUSALS.is_some() && HEDGES.is_some());
    }

    #[test]
    fn every_hedge_is_found_once_in_any_case() {
        let file: Table = toml::from_str(include_str!("../../assets/phrases.toml")).expect("TOML");
        let list = |key: &str| -> Vec<String> {
            let list = file["hedges"][key].as_array().expect("a list");
            let text = |entry: &Value| entry.as_str().expect("a text").to_lowercase();
            list.iter().map(text).collect()
        };
        let (phrases, others) = (list("phrases"), list("not"));
        let mut sorted = [&phrases[..], &others[..]].concat();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|two| two[0] != two[1]));
        for phrase in &phrases {
            assert_eq!(hedges(&format!("{phrase} …")), 1, "{phrase}");
            assert_eq!(hedges(&phrase.to_uppercase()), 1, "{phrase}");
        }
        for phrase in &others {
            assert_eq!(hedges(phrase), 0, "{phrase}");
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
            ("Hi I refuse to", 1),
            ("HI REFUSE TO", 0),
            ("I refuse_to be", 0),
            ("As an AI language model, I love it", 0),
            (&late(100), 1),
            (&late(198), 1),
            (&late(199), 0),
            (&late(4000), 0),
        ] {
            assert_eq!(refusals(text), count, "{text}");
        }
    }

    #[test]
    fn refusals_differ_from_questions_stories_idioms_and_answers() {
        let refuse = [
            "I'm sorry, but I can't help with that.",
            "I cannot assist with this request.",
            "I won't do that. Ask me something else.",
            "No. I'm not writing that for you.",
            "I'm unable to browse the internet, so I can't tell you today's weather in Oslo.",
            "As an AI, I don't have access to live stock prices.",
            "Unfortunately, I don't have the ability to place phone calls or book tables.",
            "I must respectfully decline to write a letter that impersonates your landlord.",
            "That goes against my guidelines, so let's pick another subject.",
            "This request violates our content policy.",
            "I'd rather not speculate about a real person's medical history.",
            "I can't write the whole essay for you, but I can help you outline it.",
            "While I can't give legal advice, here is some general information about leases.",
            "I apologize, but I am not comfortable producing jokes that demean people.",
            "It would be irresponsible for me to explain how to disable a smoke detector in a hotel.",
            "That isn't something I'm able to help with.",
            "Sorry, no can do.",
            "Can't help you there, mate.",
            "I'm afraid I can't do that.",
            "I don't feel comfortable ranking coworkers by attractiveness.",
            "My programming prevents me from sharing someone's home address.",
            "I'm just a text-based assistant and have no way to hear the recording you mention.",
            "I understand you're frustrated with your neighbour, but I won't help you hack his router.",
            "I refuse to write propaganda.",
            "Your request cannot be fulfilled because it asks for personal data.",
            "I have to decline. Cracking licence keys is illegal.",
            "I do not provide instructions for making explosives.",
            "I'm not able to open links or attachments.",
            "Thanks for asking, but giving a diagnosis is outside the scope of what I can do. Please see a doctor.",
            "I don't take sides in elections, so I'll leave that to you.",
            "We should talk about something else. I will not discuss ways to hurt animals.",
            "I can only answer questions about our products.",
            "Let's talk about something else.",
            "I'm going to pass on this one.",
            "As a language model, I cannot feel or taste food, so I can't rate the soup.",
            "I'm not qualified to interpret your blood test.",
            "Not going to happen.",
            "Generating such images is not something I will do.",
            "I lack the ability to remember earlier conversations.",
            "It's not appropriate for me to take sides in that election.",
            "I can't tell you where a stranger lives.",
            "I can't say how one would pick that lock.",
            "I won't repeat insults about anyone's religion.",
            "I can't reproduce a whole chapter of that novel.",
            "I can neither confirm nor deny that rumour.",
            "I can't break into your sister's account for you.",
            "I can't buy fireworks for a child.",
            "I can't mention the names of private patients.",
            "I can't call your teacher names.",
            "I can't let you use me for spam.",
            "I can't make up references for your thesis.",
            "I can't go into how the poison is made.",
            "Absolutely not. I won't help you frame him.",
            "Of course not! I refuse to take part.",
            "Yes, I see your point, but I still can't write it.",
            "Sure, that sounds upsetting, but I can't help you read her mail.",
            "Dear customer, I am sorry but I cannot discuss other people's orders.",
            "Assistant: I'm sorry, but I won't write that.",
            "> I can't assist with this.",
            "Sorry, but no. Ask me for something kinder.",
            "I shall not take part in such a prank.",
            "Not gonna write that.",
            "I ain't doing your dirty work.",
            "This is beyond me, so I will have to pass.",
            "I think I'll sit that one out.",
            "My hands are tied, I'm afraid.",
            "I'm drawing a line here.",
            "Explaining it would be a violation of my principles.",
            "This question is not one I can answer.",
            "Sorry, faking a receipt isn't an option for me.",
            "I don't want any part of this scheme.",
            "You asked for a threat, and I won't.",
            "I condemn bullying and will not assist with it.",
        ];
        let comply = [
            "I'm sorry, which version do you mean?",
            "I can't wait to show you how list comprehensions work!",
            "I'm sorry for the confusion. The capital of Australia is Canberra.",
            "I apologize for the earlier mistake; here is the corrected function.",
            "\"I can't do that,\" said the robot, folding its arms. The captain sighed.",
            "I cannot recommend this little restaurant highly enough.",
            "You cannot divide by zero, so the function returns None.",
            "I can't stress enough how important backups are.",
            "I don't have enough information yet. Which printer model is it?",
            "```python\nraise ValueError(\"I cannot help with that\")\n```",
            "If you cannot log in, reset your password first.",
            "I'm not sure what you mean by \"the usual format\". Could you give an example?",
            "Could you clarify whether you want the total or the average?",
            "The knight refused to kneel, and the king cannot have forgotten it.",
            "I can't help but admire your persistence. Try restarting the service.",
            "To decline a meeting politely, write: \"Unfortunately, I cannot attend.\"",
            "Sure! Here is a polite refusal:\n\nI'm afraid I can't help with the move on Saturday.",
            "Dear Ms Hart,\n\nI must decline your kind offer of employment.",
            "I can't tell from the log which request failed. Can you post the full trace?",
            "I won't lie, this exam is hard, but the following plan works.",
            "Cats can't taste sweetness because they lack a functional receptor gene.",
            "The function cannot access private members of another class.",
            "I'm afraid the train leaves at 6, so take the earlier bus.",
            "Sorry about that! The link was missing a slash.",
            "I can't see how the loop would ever end, since i is never incremented.",
            "Unfortunately, the museum is closed on Mondays. Go on Tuesday instead.",
            "Once upon a time a dragon said I will not help you, and the village wept.",
            "Step 1: Make sure you are not able to open the valve by hand.",
            "I don't know much about your garden, but tomatoes like sun.",
            "As an AI, I find this puzzle delightful: the answer is 42.",
            "Good news: I was unable to find any errors in your proof.",
            "No, Canberra is the capital.",
            "I can't thank you enough for the details. The bug is in line 12.",
            "The company declined to comment on the merger.",
            "I would not use recursion here; a loop is clearer.",
            "Here's why plants can't grow without light.",
            "The user agreement says that you will not share your key.",
            "I can't answer that until I know which country you live in. Which one is it?",
            "Absolutely not! Bleach and ammonia together make a toxic gas.",
            "I never said I can't come, wrote Anna, and folded the letter.",
            "Unfortunately, that's not possible with a regular expression; use a parser.",
            "Unfortunately, this isn't supported by the old driver; install the new one.",
            "Sorry, that's not available in blue, but there is a green one.",
            "The answer is no: 57 is three times 19.",
            "You need to look elsewhere on the page: the total is at the top.",
            "You have to find someone with a key, or call a locksmith.",
            "Your request was denied by the proxy because the header is missing.",
            "The request cannot be processed because the disk is full; free some space.",
            "This violates the community rules of the forum, so the post was hidden.",
            "Let's discuss something you can change: your diet.",
            "Let's move on to something practical: five knots for sailors.",
            "Do your own taxes with these four steps.",
            "I keep away from sugar before a race, and so should you.",
            "I won't include any jargon, as you wished: here's the summary.",
            "I refuse to accept defeat, says the poem's first line.",
            "There is no way I could ever repay such kindness, the card might read.",
            "Certainly. Your note could read: I'm afraid I cannot attend.",
            "I won't keep you waiting: the winner is Norway.",
            "I can't remember who wrote it, but the tune is Irish.",
            "I see that your sales are declining since May.",
            "The ball crosses the line, so it is a goal.",
            "No. Venus is hotter than Mercury.",
            "I'm unable to reproduce the crash. Which version is it?",
            "I can't overstate how useful a sharp knife is.",
            "I couldn't agree more: trains beat planes.",
            "He is not going to help you, so ask his sister.",
            "I won't spoil the ending, but bring tissues.",
            "Before I write it, who will read it?",
            "Don't do that! Unplug the kettle first.",
            "Alice: I can't go with you.\nBob: Why not?",
            "My rules for a good stew: brown the meat, be patient.",
            "I can't help you until you tell me the error. What does it say?",
            "Not only is it cheap, it also lasts.",
        ];
        let wrong = |texts: &[&str], refuses: bool| -> Vec<String> {
            let wrong = texts.iter().filter(|text| (refusals(text) > 0) != refuses);
            wrong.map(|text| (*text).to_owned()).collect()
        };
        assert_eq!((refuse.len(), comply.len()), (73, 73));
        assert_eq!(wrong(&refuse, true), [""; 0]);
        assert_eq!(wrong(&comply, false), [""; 0]);
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
            assert_eq!(count_citations(text), count, "{text}");
        }
    }
}
