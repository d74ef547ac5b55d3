//! Annotators' votes for the best response.

use super::{ResponseId, ResponseOrder, ResponseSet, Verdict};

/// One annotator's vote for the best response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vote {
    /// The best responses, or a tie.
    pub verdict: Verdict,
    /// A's margin (negative: B wins) if A or B alone wins; 1 or -1 if the file only names the
    /// winner.
    strength: f64,
}

/// Codes from here on are sets of responses; strengths are kept below.
const SETS: f64 = 4_294_967_296.0;

impl Vote {
    /// Creates a vote from A's margin, negative if B wins.
    pub fn of_strength(strength: f64) -> Self {
        Self {
            verdict: Verdict::of_margin(strength),
            strength: strength.clamp(1.0 - SETS, SETS - 1.0),
        }
    }

    /// Creates a vote that only names the best responses.
    pub fn of(verdict: Verdict) -> Self {
        let strength = match verdict.winner() {
            Some(ResponseId::A) => 1.0,
            Some(ResponseId::B) => -1.0,
            _ => 0.0,
        };
        Self { verdict, strength }
    }

    /// Creates a vote for `best` among this many responses: a tie if it is all of them, `None` if
    /// empty.
    pub fn for_responses(best: ResponseSet, responses: usize) -> Option<Self> {
        let is_all = best.count() >= responses.max(2);
        let verdict = if is_all {
            Verdict::Tie
        } else {
            Verdict::Best(best)
        };
        (best.count() > 0).then(|| Self::of(verdict))
    }

    /// Returns its value in a column of votes: A's margin (negative: B wins; 0: a tie), so that
    /// votes of a pair can be ordered; from 2^32 on, a set of other responses ([`Verdict::code`]).
    pub fn code(self) -> f64 {
        match self.verdict {
            Verdict::Best(_) if self.strength == 0.0 => SETS + f64::from(self.verdict.code()),
            _ => self.strength,
        }
    }

    /// Creates the vote of a [`Self::code`].
    pub fn of_code(code: f64) -> Self {
        match Verdict::of_code(code - SETS) {
            Some(verdict) if Self::is_set(code) => Self::of(verdict),
            _ => Self::of_strength(code),
        }
    }

    /// True if a code is a set of responses, which has no place in an order from B to A.
    pub fn is_set(code: f64) -> bool {
        code >= SETS
    }

    /// True if the vote is for this response, alone or among others.
    pub fn is_for(self, response: usize) -> bool {
        matches!(self.verdict, Verdict::Best(best) if best.has(response))
    }

    /// Returns the vote by displayed letters.
    #[must_use]
    pub fn shown(self, order: ResponseOrder) -> Self {
        let verdict = order.shown_verdict(self.verdict);
        match verdict == self.verdict {
            true => self,
            false if self.strength != 0.0 && verdict == Verdict::of_margin(-self.strength) => {
                Self::of_strength(-self.strength)
            }
            false => Self::of(verdict),
        }
    }
}

/// The annotators' votes for the best response of a sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Votes {
    /// The votes in file order.
    pub each: Vec<NamedVote>,
    /// Number of annotators who consider no response worth comparing.
    pub excluded: usize,
    /// True if the file states strengths.
    pub have_strengths: bool,
}

/// A vote with its annotator.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedVote {
    /// The annotator's name, as in the file (not sanitised); `None` if it has none.
    pub annotator: Option<String>,
    /// The vote.
    pub vote: Vote,
}

impl Votes {
    /// Returns the [codes](Vote::code) of the votes.
    pub fn codes(&self) -> Vec<f64> {
        self.each.iter().map(|it| it.vote.code()).collect()
    }

    /// Returns the verdict of most annotators ([`majority`]).
    pub fn majority(&self, responses: usize) -> Option<Verdict> {
        majority(self.each.iter().map(|it| it.vote), responses)
    }

    /// Counts the votes for one of the best responses of a verdict, or for a tie.
    pub fn agreeing(&self, verdict: Verdict) -> usize {
        self.each
            .iter()
            .map(|it| it.vote.verdict)
            .filter(|vote| vote.agrees_with(verdict))
            .count()
    }
}

/// Returns the verdict of most annotators: the responses with the most votes are best. It is a tie
/// if all have the same number, or if ties have more votes than any response. `None` without votes,
/// or with fewer than two responses.
pub fn majority(votes: impl Iterator<Item = Vote>, responses: usize) -> Option<Verdict> {
    let (mut all, mut ties) = (0, 0.0);
    let mut counts = vec![0.0; responses];
    for vote in votes {
        all += 1;
        match vote.verdict {
            Verdict::Tie => ties += 1.0,
            Verdict::Best(best) => {
                counts
                    .iter_mut()
                    .enumerate()
                    .for_each(|(place, count)| *count += f64::from(u8::from(best.has(place))));
            }
        }
    }
    let (verdict, _) = Verdict::of_values(&counts).filter(|_| all > 0)?;
    let is_tie = counts.iter().all(|count| *count < ties);
    Some(if is_tie { Verdict::Tie } else { verdict })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(word: &str) -> Vote {
        let responses = word.bytes().map(|letter| usize::from(letter - b'a'));
        match word {
            "tie" => Vote::of(Verdict::Tie),
            _ => Vote::of(Verdict::Best(ResponseSet::of(responses))),
        }
    }

    #[test]
    fn the_majority_decides() {
        for (votes, responses, expected) in [
            ("", 2, None),
            ("a", 1, None),
            ("a a b", 2, Some("a")),
            ("b", 2, Some("b")),
            ("a b", 2, Some("tie")),
            ("a b tie", 2, Some("tie")),
            ("a tie", 2, Some("a")),
            ("a tie tie", 2, Some("tie")),
            ("tie", 2, Some("tie")),
            ("c a c", 3, Some("c")),
            ("a c", 3, Some("a+c")),
            ("a b c", 3, Some("tie")),
            ("ac c", 3, Some("c")),
        ] {
            let votes = votes.split_whitespace().map(vote);
            let found = majority(votes.clone(), responses).map(Verdict::word);
            assert_eq!(found.as_deref(), expected);
        }
    }

    #[test]
    fn codes_come_back_and_follow_the_letters_of_the_screen() {
        for code in [3.0, 1.0, 0.0, -1.0, -2.5] {
            assert_eq!(Vote::of_code(code).code(), code);
            assert!(!Vote::is_set(code));
        }
        for word in ["a", "b", "tie", "c", "ac", "z"] {
            assert_eq!(Vote::of_code(vote(word).code()), vote(word), "{word}");
        }
        assert!(Vote::is_set(vote("c").code()) && vote("ac").is_for(2) && !vote("tie").is_for(0));
        let order = ResponseOrder::of_word("cab").expect("an order");
        assert_eq!(vote("a").shown(order), vote("b"));
        assert_eq!(vote("b").shown(order), vote("c"));
        let swapped = ResponseOrder::of_word("ba").expect("an order");
        assert_eq!(
            Vote::of_strength(3.0).shown(swapped),
            Vote::of_strength(-3.0)
        );
        let all = ResponseSet::first(2);
        assert_eq!(Vote::for_responses(all, 2), Some(vote("tie")));
        assert_eq!(
            Vote::for_responses(all, 3).map(|it| it.verdict.word()),
            Some("a+b".into())
        );
        assert_eq!(Vote::for_responses(ResponseSet::default(), 2), None);
    }
}
