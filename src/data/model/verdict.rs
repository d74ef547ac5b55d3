//! The best responses of a sample.

use super::{ResponseId, ResponseSet};

/// The best responses of a sample.
///
/// The same rule applies to the dataset, to files opened `--with` and to exports: the best
/// responses are the rated ones with the highest value ([`Self::of_values`]). If all rated
/// responses are equal, it is a tie. With fewer than two rated responses, there is no verdict.
/// Unrated responses are neither best nor [worse](Self::worse). If a file only names the winner,
/// every response counts as rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// All rated responses are equally good.
    Tie,
    /// These responses (at least one) are better than every other rated response.
    Best(ResponseSet),
}

impl Verdict {
    /// The word for a tie in files and queries.
    pub const TIE: &'static str = "tie";

    /// Creates a verdict with a single best response.
    pub const fn wins(response: ResponseId) -> Self {
        Self::Best(ResponseSet::single(response.index()))
    }

    /// Returns the verdict on two responses by the sign of their margin (A minus B); zero is a tie.
    /// Nearly branch-free: it runs for each sample, and winners are unpredictable.
    #[inline]
    pub fn of_margin(margin: f64) -> Self {
        let code = u32::from(margin > 0.0) | u32::from(margin < 0.0) << 1;
        match code {
            0 => Self::Tie,
            code => Self::Best(ResponseSet::of_code(code)),
        }
    }

    /// Returns the verdict by a value for each response (NaN: unrated; the highest is best) and its
    /// margin: for two responses A minus B, for more the highest value minus the next lower one, 0
    /// for a tie. `None` if fewer than two responses are rated.
    #[inline]
    pub fn of_values(values: &[f64]) -> Option<(Self, f64)> {
        if let [a, b] = values {
            let margin = a - b;
            return (!margin.is_nan()).then(|| (Self::of_margin(margin), margin));
        }
        let rated = || values.iter().copied().filter(|value| !value.is_nan());
        let highest = rated().fold(f64::NEG_INFINITY, f64::max);
        let next = rated().filter(|value| *value < highest).reduce(f64::max);
        let best = ResponseSet::filtered(values.len(), |place| values[place] == highest);
        match next {
            Some(next) => Some((Self::Best(best), highest - next)),
            None => (best.count() > 1).then_some((Self::Tie, 0.0)),
        }
    }

    /// Returns the only best response; `None` for a tie or if there are several.
    pub fn winner(self) -> Option<ResponseId> {
        match self {
            Self::Best(best) => best.only(),
            Self::Tie => None,
        }
    }

    /// Returns the best of the `rated` responses; all of them for a tie.
    pub const fn best(self, rated: ResponseSet) -> ResponseSet {
        match self {
            Self::Tie => rated,
            Self::Best(best) => best,
        }
    }

    /// Returns the `rated` responses that are worse than the best ones; none for a tie.
    pub fn worse(self, rated: ResponseSet) -> ResponseSet {
        rated.without(self.best(rated))
    }

    /// True if both are ties, or have a best response in common.
    pub fn agrees_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Tie, Self::Tie) => true,
            (Self::Best(one), Self::Best(other)) => one.meets(other),
            _ => false,
        }
    }

    /// Returns the distance of two verdicts: 0 if they agree, 1 if one is a tie, 2 if each names
    /// other responses.
    pub fn distance(self, other: Self) -> f64 {
        match (self, other) {
            _ if self.agrees_with(other) => 0.0,
            (Self::Tie, _) | (_, Self::Tie) => 1.0,
            (Self::Best(_), Self::Best(_)) => 2.0,
        }
    }

    /// Returns the verdict with other letters for its responses; `None` if one of them has none.
    pub fn renamed(self, name: impl Fn(ResponseId) -> Option<ResponseId>) -> Option<Self> {
        let Self::Best(best) = self else {
            return Some(self);
        };
        let names: Option<Vec<_>> = best.iter().map(|id| Some(name(id)?.index())).collect();
        names.map(|names| Self::Best(ResponseSet::of(names)))
    }

    /// Returns the word in queries, lists and journals: `tie`, `a`, or `a+r30` for several best
    /// responses.
    pub fn word(self) -> String {
        self.spelled(ResponseId::word)
    }

    /// Returns the displayed letters: `tie`, `A` or `A+30`.
    pub fn letters(self) -> String {
        self.spelled(ResponseId::letter)
    }

    fn spelled(self, name: impl Fn(ResponseId) -> &'static str) -> String {
        match self {
            Self::Tie => Self::TIE.to_owned(),
            Self::Best(best) => best.iter().map(name).collect::<Vec<_>>().join("+"),
        }
    }

    /// Returns short letters for narrow places: `4 best` instead of more than three.
    pub fn short_letters(self) -> String {
        match self {
            Self::Best(best) if best.count() > 3 => format!("{} best", best.count()),
            _ => self.letters(),
        }
    }

    /// Returns the verdict in words: `tie`, `A wins`, `A and D are best` or `7 are best`.
    pub fn phrase(self) -> String {
        let letters = self.letters();
        match letters.rsplit_once('+') {
            Some((rest, _)) if rest.matches('+').count() > 3 => {
                format!("{} are best", rest.matches('+').count() + 2)
            }
            Some((rest, last)) => format!("{} and {last} are best", rest.replace('+', ", ")),
            None if self == Self::Tie => letters,
            None => letters + " wins",
        }
    }

    /// Parses a verdict of journals and reviewers: `tie` or the letter of the best response.
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            Self::TIE => Some(Self::Tie),
            letter => ResponseId::of_word(letter).map(Self::wins),
        }
    }

    /// Returns its value in a column of verdicts: 0 for a tie, else the [code](ResponseSet::code)
    /// of the set.
    pub const fn code(self) -> u32 {
        match self {
            Self::Tie => 0,
            Self::Best(best) => best.code(),
        }
    }

    /// Returns the verdict of a [`Self::code`]; `None` for NaN.
    pub fn of_code(code: f64) -> Option<Self> {
        match code as u32 {
            _ if code.is_nan() => None,
            0 => Some(Self::Tie),
            code => Some(Self::Best(ResponseSet::of_code(code))),
        }
    }
}

/// The verdict of a sample with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The best responses.
    pub verdict: Verdict,
    /// The rated responses; all of them if the file only names a winner.
    pub rated: ResponseSet,
    /// A minus B, or for more than two responses the highest value minus the next lower one, in the
    /// unit of the deciding value (label points, score); `None` if the file only names a winner.
    pub margin: Option<f64>,
    /// The value in the file, with its own sign and spelling, unless it is simply the two ratings.
    pub native: Option<String>,
}

impl Outcome {
    /// Returns the winner's lead among `responses`, in the unit of the deciding value; negative if
    /// the file's numbers contradict its verdict. `None` for a tie, and if the file only names a
    /// winner.
    pub fn lead(&self, responses: usize) -> Option<f64> {
        match self.verdict.winner() {
            _ if self.verdict == Verdict::Tie => None,
            Some(ResponseId::B) if responses == 2 => self.margin.map(|margin| 0.0 - margin),
            _ => self.margin,
        }
    }

    /// Returns ` by 2`, or ` by 2 over the next` if it is ahead of several others; `spelled`
    /// formats the number. Empty without a [lead](Self::lead).
    pub fn lead_words(&self, responses: usize, spelled: impl Fn(f64) -> String) -> String {
        let over = self
            .verdict
            .winner()
            .filter(|_| responses > 2)
            .map_or("", |_| " over the next");
        self.lead(responses)
            .map(|lead| format!(" by {}{over}", spelled(lead)))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ResponseOrder;
    use super::*;

    #[test]
    fn a_lead_is_the_winners_and_can_be_none() {
        let [a, b] = [ResponseId::A, ResponseId::B].map(Verdict::wins);
        for (verdict, margin, responses, words) in [
            (a, Some(2.0), 2, " by 2"),
            (b, Some(-2.0), 2, " by 2"),
            // The file's number contradicts its verdict.
            (a, Some(-6.5), 2, " by -6.5"),
            (b, Some(6.5), 2, " by -6.5"),
            (b, Some(3.0), 3, " by 3 over the next"),
            (
                Verdict::Best(ResponseSet::of([0, 2])),
                Some(1.0),
                4,
                " by 1",
            ),
            (b, None, 2, ""),
            (Verdict::Tie, Some(0.0), 2, ""),
        ] {
            let outcome = Outcome {
                verdict,
                rated: ResponseSet::first(responses),
                margin,
                native: None,
            };
            let words_of_lead = outcome.lead_words(responses, |lead| lead.to_string());
            assert_eq!(words_of_lead, words, "{outcome:?}");
        }
    }

    #[test]
    fn the_best_responses_are_the_rated_ones_with_the_highest_value() {
        const NONE: f64 = f64::NAN;
        let tie = Some(("tie", 0.0));
        for (values, expected, best, worse) in [
            (&[][..], None, "", ""),
            (&[1.0], None, "", ""),
            (&[3.0, 1.0], Some(("a", 2.0)), "a", "b"),
            (&[1.0, 3.0], Some(("b", -2.0)), "b", "a"),
            (&[2.0, 2.0], tie, "ab", ""),
            (&[2.0, NONE], None, "", ""),
            (&[1.0, 4.0, 3.0], Some(("b", 1.0)), "b", "ac"),
            // Several best responses are not a tie.
            (&[4.0, 1.0, 4.0], Some(("a+c", 3.0)), "ac", "b"),
            (&[1.0, 1.0, 0.0, 0.0], Some(("a+b", 1.0)), "ab", "cd"),
            (&[4.0, 4.0, 4.0], tie, "abc", ""),
            // An unrated response is neither best nor worse.
            (&[NONE, 1.0, 2.0, NONE], Some(("c", 1.0)), "c", "b"),
            (&[2.5, NONE, 2.5], tie, "ac", ""),
            (&[NONE, 1.0, NONE], None, "", ""),
            (&[-1.0, -3.0, -2.0], Some(("a", 1.0)), "a", "bc"),
        ] {
            let found = Verdict::of_values(values);
            let words = found.map(|(verdict, margin)| (verdict.word(), margin));
            let expected = expected.map(|(word, margin): (&str, f64)| (word.to_owned(), margin));
            assert_eq!(words, expected, "{values:?}");
            let Some((verdict, _)) = found else { continue };
            let rated = ResponseSet::rated(values);
            let letters = |set: ResponseSet| set.iter().map(ResponseId::word).collect::<String>();
            let sets = (letters(verdict.best(rated)), letters(verdict.worse(rated)));
            assert_eq!(sets, (best.into(), worse.into()), "{values:?}");
            assert_eq!(Verdict::of_code(f64::from(verdict.code())), Some(verdict));
        }
    }

    #[test]
    fn verdicts_in_words_and_which_of_them_agree() {
        let best = |places: &[usize]| Verdict::Best(ResponseSet::of(places.iter().copied()));
        let all = [
            (Verdict::Tie, "tie", "tie"),
            (best(&[1]), "B", "B wins"),
            (best(&[0, 3]), "A+D", "A and D are best"),
            (best(&[0, 1, 39]), "A+B+40", "A, B and 40 are best"),
            (best(&[29]), "30", "30 wins"),
            (best(&[0, 1, 2, 3, 4, 40]), "A+B+C+D+E+41", "6 are best"),
        ];
        for (verdict, letters, phrase) in all {
            assert_eq!((&*verdict.letters(), &*verdict.phrase()), (letters, phrase));
            assert!(verdict.agrees_with(verdict), "{letters}");
        }
        for (one, other, agree) in [
            (best(&[0]), best(&[0, 3]), true),
            (best(&[3]), best(&[0, 3]), true),
            (best(&[1]), best(&[0, 3]), false),
            (best(&[0]), Verdict::Tie, false),
        ] {
            assert_eq!(one.agrees_with(other), agree, "{one:?} {other:?}");
            assert_eq!(other.agrees_with(one), agree, "{other:?} {one:?}");
        }
        assert_eq!(Verdict::of_word("d"), Some(best(&[3])));
        assert_eq!(Verdict::of_word("r30"), Some(best(&[29])));
        assert_eq!(best(&[0, 29]).word(), "a+r30");
        let short = [&[0, 30, 40][..], &[0, 1, 2, 3]].map(|it| best(it).short_letters());
        assert_eq!(short, ["A+31+41", "4 best"]);
        assert_eq!(
            (best(&[3]).winner(), best(&[0, 3]).winner()),
            (ResponseId::new(3), None)
        );
        let order = ResponseOrder::of_word("bca").expect("an order");
        let shown = order.shown_verdict(best(&[0, 1]));
        assert_eq!(shown, best(&[0, 2]));
        assert_eq!(order.verdict_of_file(shown), best(&[0, 1]));
    }
}
