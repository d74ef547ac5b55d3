//! Splits a text into turns at the schema's markers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem::Finder;

use serde::{Deserialize, Serialize};

use crate::json::strings::without_escape;
use crate::model::{Role, Turn};

/// How turns are marked inside one text.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// Where markers are.
    pub marker: TurnMarker,
    /// The marker before a user turn.
    pub user: String,
    /// The marker before an assistant turn.
    pub assistant: String,
    /// Further markers, each with a role: `system`, `tool`, `tool_call`, `reasoning`, `user`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, String>,
    /// Tokens around turns, which belong to no text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
}

impl Turns {
    /// Iterates over the markers with their roles.
    pub fn markers(&self) -> impl Iterator<Item = (&str, Role)> {
        let more = self.roles.iter();
        [
            (&*self.user, Role::User),
            (&*self.assistant, Role::Assistant),
        ]
        .into_iter()
        .chain(more.map(|(marker, role)| (&**marker, Role::named(role))))
    }
}

/// How much of its line a turn marker takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TurnMarker {
    /// The whole line, with nothing else on it.
    WholeLine,
    /// The start of a line; the turn's text follows on the same line. A text that begins with no
    /// marker is one turn.
    LineStart,
    /// Anywhere in a text that begins with one. Blanks around turns are dropped.
    Token,
}

/// Splits a text at its turn markers. A text before them, or without them, is the speaker's.
pub fn split<'r>(text: Cow<'r, str>, markers: &Turns, speaker: Role) -> Vec<Turn<'r>> {
    match text {
        Cow::Borrowed(text) => cut(text, markers, speaker)
            .into_iter()
            .map(|(role, range)| Turn::new(role, Cow::Borrowed(&text[range])))
            .collect(),
        Cow::Owned(text) => match cut(&text, markers, speaker).as_slice() {
            [(role, range)] if *range == (0..text.len()) => {
                vec![Turn::new(*role, Cow::Owned(text))]
            }
            turns => (turns.iter())
                .map(|(role, range)| Turn::new(*role, Cow::Owned(text[range.clone()].to_owned())))
                .collect(),
        },
    }
}

/// Splits transcripts into their shared first turns, the prompt, and the rest of each, its
/// response. A transcript that has any turns keeps at least one.
pub fn split_shared(mut transcripts: Vec<Vec<Turn<'_>>>) -> (Vec<Turn<'_>>, Vec<Vec<Turn<'_>>>) {
    // A text next to a conversation is an answer to it.
    let asks = |turns: &&Vec<Turn<'_>>| {
        turns
            .iter()
            .any(|turn| matches!(turn.role, Role::User | Role::System | Role::Other))
    };
    let is_conversation: Vec<_> = transcripts.iter().map(|turns| asks(&turns)).collect();
    let mut conversations = transcripts.iter().filter(asks);
    let Some(first) = conversations.next() else {
        return (Vec::new(), transcripts);
    };
    let alike = |other: &Vec<Turn<'_>>| first.iter().zip(other).take_while(|(a, b)| a == b).count();
    let shortest = transcripts
        .iter()
        .filter(asks)
        .map(Vec::len)
        .min()
        .unwrap_or(0);
    // For a single conversation, the prompt is everything before its last answer. Equal
    // conversations still have one response each.
    let last_answer = first.iter().rposition(|turn| turn.role == Role::Assistant);
    let shared = (conversations.map(alike).min())
        .or(last_answer)
        .unwrap_or(first.len())
        .min(shortest.saturating_sub(1));
    // Reasoning and tool calls belong to the answer, even if two begin alike.
    let is_of_answer = |turn: &&Turn<'_>| turn.role.is_folded_at_first();
    let shared = shared
        - first[..shared]
            .iter()
            .rev()
            .take_while(is_of_answer)
            .count();
    let mut prompt = Vec::new();
    for (turns, _) in transcripts
        .iter_mut()
        .zip(is_conversation)
        .filter(|(_, it)| *it)
    {
        let rest = turns.split_off(shared);
        prompt = std::mem::replace(turns, rest);
    }
    (prompt, transcripts)
}

/// Appends the turns of a further part of the prompt. A text of the same role continues the last
/// turn on a new line.
pub fn join<'r>(turns: &mut Vec<Turn<'r>>, onward: Vec<Turn<'r>>) {
    for turn in onward.into_iter().filter(|turn| !turn.text.is_empty()) {
        match turns.last_mut().filter(|last| last.role == turn.role) {
            Some(last) if last.text.is_empty() => last.text = turn.text,
            Some(last) => {
                let text = last.text.to_mut();
                text.push('\n');
                text.push_str(&turn.text);
            }
            None => turns.push(turn),
        }
    }
}

/// Tests if a JSON string can contain a turn marker, without decoding it.
#[derive(Debug)]
pub struct MarkerFinder {
    /// Every text with a marker contains one of these; empty if that is not certain.
    needles: Vec<Finder<'static>>,
    /// Finds escapes that may be characters of a marker.
    escape: Finder<'static>,
}

impl MarkerFinder {
    pub fn new(markers: &Turns) -> Self {
        // These characters are written as they are or as `\u00`.
        let plain = |marker: &str| {
            marker
                .bytes()
                .all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\' | b'/'))
        };
        let user = &*markers.user;
        let same = (user.bytes().zip(markers.assistant.bytes())).take_while(|(a, b)| a == b);
        let all: Vec<_> = markers
            .markers()
            .map(|(marker, _)| marker)
            .chain(markers.drop.iter().map(|it| &**it))
            .collect();
        let is_sure = all.iter().all(|word| plain(word) && !word.is_empty());
        let words = match user.get(..same.count()) {
            Some(shared) if shared.len() > 3 && all.len() == 2 => vec![shared],
            _ => all,
        };
        let needles = words
            .into_iter()
            .filter(|_| is_sure)
            .map(|word| Finder::new(word).into_owned())
            .collect();
        Self {
            needles,
            escape: Finder::new(b"\\u00"),
        }
    }

    /// True if a text, given as the inside of its JSON string, is certainly a single turn.
    pub fn finds_none(&self, inside: &str) -> bool {
        self.is_one_turn(inside) && self.escape.find(inside.as_bytes()).is_none()
    }

    /// True if a text without `\uXXXX` escapes, given as the inside of its JSON string, is
    /// certainly a single turn.
    fn is_one_turn(&self, inside: &str) -> bool {
        let found = |needle: &Finder<'_>| needle.find(inside.as_bytes()).is_some();
        !self.needles.is_empty() && !self.needles.iter().any(found)
    }

    /// Counts characters and turns (as split by [`cut`]) of a text without `\uXXXX` escapes, given
    /// as the inside of its JSON string and its number of characters. `None` if it must be decoded
    /// for that.
    pub fn size(&self, inside: &str, characters: u32, markers: &Turns) -> Option<[u32; 2]> {
        if self.is_one_turn(inside) {
            return Some([characters, 1]);
        }
        let ([needle], TurnMarker::WholeLine) = (self.needles.as_slice(), markers.marker) else {
            return None;
        };
        // Characters outside of turns, and the start of the current turn.
        let (mut turns, mut outside, mut start) = (1, 0, 0);
        let mut from = 0;
        while let Some(found) = needle.find(inside.as_bytes().get(from..)?) {
            let at = from + found;
            // Markers may overlap matches that are not markers, such as the `n` of a line break.
            from = at + 1;
            let (before, line) = inside.split_at_checked(at)?;
            if at > 0 && without_escape(before, r"\n").is_none() {
                continue;
            }
            let mut kinds = markers.markers();
            let Some([bytes, decoded]) = kinds.find_map(|(it, _)| spelled_marker(line, it)) else {
                continue;
            };
            // The line break before a marker belongs to the marker.
            let turn = before.get(start..)?;
            let (kept, breaks) = match without_escape(turn, r"\n") {
                None => (turn, 0),
                Some(turn) => match without_escape(turn, r"\r") {
                    None => (turn, 1),
                    Some(turn) => (turn, 2),
                },
            };
            // Before a marker at the very beginning, there is no turn.
            turns += u32::from(start > 0 || !kept.is_empty());
            outside += breaks + decoded;
            start = at + bytes;
            from = start;
        }
        Some([characters.checked_sub(u32::try_from(outside).ok()?)?, turns])
    }
}

/// Measures a marker that fills a line, with the line's break, at the start of `rest` (the rest of
/// the inside of a JSON string): bytes as spelled, and characters. The marker must not have
/// escapes.
fn spelled_marker(rest: &str, marker: &str) -> Option<[usize; 2]> {
    let after = rest.strip_prefix(marker)?;
    let breaks = [(r"\n", 1), (r"\r\n", 2)];
    let (spelling, characters) = match after {
        "" => ("", 0),
        _ => *breaks
            .iter()
            .find(|(spelling, _)| after.starts_with(spelling))?,
    };
    Some([spelling.len(), characters].map(|length| marker.len() + length))
}

/// Returns the turns of a text: role and byte range.
pub fn cut(text: &str, markers: &Turns, speaker: Role) -> Vec<(Role, Range<usize>)> {
    let headers = headers(text, markers);
    let (mut turns, mut role, mut start) = (Vec::new(), speaker, 0);
    // Markers in the middle are part of an ordinary text.
    if markers.marker != TurnMarker::WholeLine && !begin(&headers, text, markers) {
        return vec![(speaker, 0..without_end(text, &markers.drop).len())];
    }
    for header in headers {
        let is_system = header.role == Role::System;
        close(&mut turns, role, start..header.range.start, text, markers);
        // `[INST] <<SYS>>` begins a system turn.
        turns.pop_if(|(role, range)| is_system && *role == Role::User && range.start == range.end);
        (role, start) = (header.role, header.range.end);
    }
    close(&mut turns, role, start..text.len(), text, markers);
    turns
}

/// A marker in a text.
struct TurnHeader<'m> {
    marker: &'m str,
    role: Role,
    range: Range<usize>,
}

/// True if nothing but blanks and tokens precedes the first marker.
fn begin(headers: &[TurnHeader<'_>], text: &str, markers: &Turns) -> bool {
    let before = headers.first().map(|first| &text[..first.range.start]);
    before.is_some_and(|before| trimmed(before, &markers.drop).is_empty())
}

/// Finds the markers of turns. Words among texts are markers only between blanks, and if they
/// change the speaker.
fn headers<'m>(text: &str, markers: &'m Turns) -> Vec<TurnHeader<'m>> {
    let is_word = |marker: &str| {
        markers.marker == TurnMarker::Token && marker.starts_with(char::is_alphanumeric)
    };
    let found = markers.markers().flat_map(|(marker, role)| {
        let header = move |(at, _): (usize, &str)| {
            let (before, after) = (text[..at].chars().next_back(), &text[at + marker.len()..]);
            let begins_line = before.is_none_or(|sign| sign == '\n') && at < text.len();
            let is_blank = |sign: Option<char>| sign.is_none_or(char::is_whitespace);
            let rest = match markers.marker {
                TurnMarker::Token => {
                    let is_apart = is_blank(before) && is_blank(after.chars().next());
                    (!marker.is_empty() && (is_apart || !is_word(marker))).then_some(after)
                }
                _ if !begins_line => None,
                TurnMarker::LineStart => Some(after.strip_prefix(' ').unwrap_or(after)),
                TurnMarker::WholeLine if after.is_empty() => Some(after),
                TurnMarker::WholeLine => after.strip_prefix("\r\n").or(after.strip_prefix('\n')),
            };
            let range = at..text.len() - rest?.len();
            Some(TurnHeader {
                marker,
                role,
                range,
            })
        };
        text.match_indices(marker).filter_map(header)
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|it| (it.range.start, std::cmp::Reverse(it.range.end)));
    let (mut end, mut speaker) = (0, None);
    found.retain(|header| {
        let is_it =
            header.range.start >= end && !(is_word(header.marker) && speaker == Some(header.role));
        if is_it {
            (end, speaker) = (header.range.end, Some(header.role));
        }
        is_it
    });
    found
}

/// True if a text begins with a marker and the markers alternate. A word alone is not enough.
pub fn is_conversation(text: &str, markers: &Turns) -> bool {
    // Nearly all texts are ruled out by their beginning.
    let start = trimmed(text, &markers.drop).trim_start();
    if !markers
        .markers()
        .any(|(marker, _)| start.starts_with(marker))
    {
        return false;
    }
    let headers = headers(text, markers);
    let is_token = !markers.user.starts_with(char::is_alphanumeric);
    begin(&headers, text, markers)
        && (is_token || headers.len() > 1)
        && headers
            .windows(2)
            .all(|pair| pair[0].marker != pair[1].marker)
}

/// Returns a text without tokens at its end, and blanks before and after them.
fn without_end<'t>(text: &'t str, drop: &[String]) -> &'t str {
    let end = text.trim_end();
    let kept = drop.iter().find_map(|token| end.strip_suffix(&**token));
    kept.map_or(text, |kept| without_end(kept, drop).trim_end())
}

/// Returns a text without tokens and blanks around it; indentation after a line break stays.
fn trimmed<'t>(text: &'t str, drop: &[String]) -> &'t str {
    let mut text = without_end(text, drop).trim_end();
    let rest = |text: &'t str| (drop.iter()).find_map(|it| text.trim_start().strip_prefix(&**it));
    while let Some(rest) = rest(text) {
        text = rest;
    }
    text.strip_prefix(' ')
        .unwrap_or(text)
        .trim_start_matches(['\n', '\r'])
}

/// Removes a final assistant marker without text, which prompts the model to answer.
pub fn without_cue<'r>(mut turns: Vec<Turn<'r>>, markers: Option<&Turns>) -> Vec<Turn<'r>> {
    if turns.len() > 1 && markers.is_some_and(|it| it.marker != TurnMarker::WholeLine) {
        turns.pop_if(|last| last.role == Role::Assistant && last.text.is_empty());
    }
    turns
}

fn close(
    turns: &mut Vec<(Role, Range<usize>)>,
    role: Role,
    range: Range<usize>,
    text: &str,
    markers: &Turns,
) {
    let turn = &text[range.clone()];
    let last = range.end == text.len();
    let kept = match markers.marker {
        // The line break before a marker belongs to the marker; all others are part of the turn.
        TurnMarker::WholeLine if !last => turn
            .strip_suffix('\n')
            .map_or(turn, |turn| turn.strip_suffix('\r').unwrap_or(turn)),
        TurnMarker::WholeLine => turn,
        TurnMarker::LineStart => turn.trim_end_matches('\n'),
        TurnMarker::Token => trimmed(turn, &markers.drop),
    };
    // Before a marker at the very beginning, there is no turn.
    if range.start > 0 || !kept.is_empty() || last {
        let start = kept.as_ptr() as usize - text.as_ptr() as usize;
        turns.push((role, start..start + kept.len()));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_prompt_ends_before_the_marker_that_asks_a_model_to_speak() {
        let words = |marker| markers(marker, "Human:", "Assistant:");
        let lines = words(TurnMarker::LineStart);
        for (text, turns) in [
            ("\n\nHuman: Why?\n\nAssistant: ", 1),
            ("\n\nHuman: Why?\n\nAssistant:", 1),
            ("Human: Why?\nAssistant: So.\nHuman: How?\nAssistant:\n", 3),
            ("Human: Why?\nAssistant: So.", 2),
            ("Human: Why?\nAssistant: So.\nHuman:", 3),
            ("Assistant:", 1),
        ] {
            let split = split(Cow::Borrowed(text), &lines, Role::User);
            assert_eq!(without_cue(split, Some(&lines)).len(), turns, "{text:?}");
        }
        // A missing response is an empty one.
        let whole = "Human:\nWhy?\nAssistant:";
        let markers = words(TurnMarker::WholeLine);
        let split = split(Cow::Borrowed(whole), &markers, Role::User);
        assert_eq!(without_cue(split, Some(&markers)).len(), 2);
        assert_eq!(cut("Human: Why?\nAssistant:", &lines, Role::User).len(), 2);
    }

    fn markers(marker: TurnMarker, user: &str, assistant: &str) -> Turns {
        Turns {
            marker,
            user: user.into(),
            assistant: assistant.into(),
            roles: BTreeMap::new(),
            drop: Vec::new(),
        }
    }

    fn split_to(text: &str, kind: TurnMarker) -> Vec<(Role, String)> {
        let (user, assistant) = match kind {
            TurnMarker::WholeLine => ("<extra_id_1>User", "<extra_id_1>Assistant"),
            _ => ("Human:", "Assistant:"),
        };
        let markers = markers(kind, user, assistant);
        let both = [
            split(Cow::Borrowed(text), &markers, Role::User),
            split(Cow::Owned(text.to_owned()), &markers, Role::User),
        ];
        assert_eq!(both[0], both[1]);
        both[0]
            .iter()
            .map(|turn| (turn.role, turn.text.to_string()))
            .collect()
    }

    #[test]
    fn whole_lines() {
        use Role::{Assistant, User};
        for (text, expected) in [
            ("c#", vec![(User, "c#")]),
            ("", vec![(User, "")]),
            ("keeps its end\n", vec![(User, "keeps its end\n")]),
            (
                "one\n<extra_id_1>Assistant\ntwo\n\n<extra_id_1>User\nthree\n",
                vec![(User, "one"), (Assistant, "two\n"), (User, "three\n")],
            ),
            (
                "says <extra_id_1>User\nhere",
                vec![(User, "says <extra_id_1>User\nhere")],
            ),
            ("<extra_id_1>Users\nx", vec![(User, "<extra_id_1>Users\nx")]),
            (
                "a\r\n<extra_id_1>Assistant\r\nb",
                vec![(User, "a"), (Assistant, "b")],
            ),
            (
                "a\n<extra_id_1>Assistant\n",
                vec![(User, "a"), (Assistant, "")],
            ),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(role, text)| (role, text.to_owned()))
                .collect();
            assert_eq!(split_to(text, TurnMarker::WholeLine), expected, "{text:?}");
        }
    }

    #[test]
    fn a_marker_may_begin_like_the_line_break_before_it() {
        let markers = markers(TurnMarker::WholeLine, "nnnnA", "nnnnB");
        let size = MarkerFinder::new(&markers).size(r"\nnnnnB", 6, &markers);
        assert_eq!(size, Some([0, 1]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn the_size_of_a_spelled_text_is_that_of_its_turns(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "<extra_id_1>User", "<extra_id_1>Assistant", "<extra_id_1>", "Human:", "\n", "\n", "\n", "\r\n", "\r", "\\",
                "\"", "a", "é\n", "n", " ",
            ]), 0..12),
            line_start in any::<bool>(),
        ) {
            let (marker, user, assistant) = if line_start {
                (TurnMarker::LineStart, "Human:", "Assistant:")
            } else {
                (TurnMarker::WholeLine, "<extra_id_1>User", "<extra_id_1>Assistant")
            };
            let markers = markers(marker, user, assistant);
            let text = pieces.concat();
            let spelling = serde_json::to_string(&text).expect("a string");
            let inside = &spelling[1..spelling.len() - 1];
            let turns = cut(&text, &markers, Role::User);
            let lengths = turns.iter().map(|(_, range)| text[range.clone()].chars().count());
            let expected = [lengths.sum::<usize>() as u32, turns.len() as u32];
            let size = MarkerFinder::new(&markers).size(inside, text.chars().count() as u32, &markers);
            prop_assert!(size.is_none_or(|size| size == expected), "{:?}: {:?}, {:?}", text, size, expected);
            prop_assert!(size.is_some() || line_start);
        }
    }

    #[test]
    fn line_starts() {
        use Role::{Assistant, User};
        for (text, expected) in [
            (
                "\n\nHuman: hi\n\nAssistant: yo\nHow?",
                vec![(User, "hi"), (Assistant, "yo\nHow?")],
            ),
            (
                "\n\nHuman: a\n\nAssistant:",
                vec![(User, "a"), (Assistant, "")],
            ),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(role, text)| (role, text.to_owned()))
                .collect();
            assert_eq!(split_to(text, TurnMarker::LineStart), expected, "{text:?}");
        }
    }

    #[test]
    fn what_transcripts_share_is_the_prompt() {
        let turn = |role, text: &'static str| Turn::new(role, Cow::Borrowed(text));
        let ask = turn(Role::User, "q");
        let rest = |turns: &[(Role, &'static str)]| {
            let turn = |&(role, text)| turn(role, text);
            turns.iter().map(turn).collect::<Vec<_>>()
        };
        let (prompt, rests) = split_shared(vec![
            vec![ask.clone(), turn(Role::Assistant, "good")],
            vec![
                ask.clone(),
                turn(Role::Assistant, "bad"),
                turn(Role::User, "why?"),
            ],
        ]);
        assert_eq!(prompt, std::slice::from_ref(&ask));
        let (assistant, user) = (Role::Assistant, Role::User);
        let expected = [
            rest(&[(assistant, "good")]),
            rest(&[(assistant, "bad"), (user, "why?")]),
        ];
        assert_eq!(rests, expected);
        let same = vec![ask, turn(Role::Assistant, "x")];
        let last = rest(&[(assistant, "x")]);
        assert_eq!(
            split_shared(vec![same.clone(), same]).1,
            [last.clone(), last]
        );
    }
}
