//! Answers a query by reading every sample in full and evaluating term by term.

use regex::{Regex, RegexBuilder};
use sha2::{Digest, Sha256};

use super::*;
use crate::dataset::{Buffers, LoadedSample, Sample, SampleBody};
use crate::model::{Verdict, Votes};
use crate::query::ast::{DisagreementScope, Rater, Raters, TextFlag};
use crate::table::{ColumnSource, OverlapScope, SampleComparison, SampleTexts, Values};
use crate::text::{citation_targets, hides};

/// Built-in numbers of samples.
const OF_SAMPLES: [&str; 12] = [
    "overlap.with",
    "leak.with",
    "rm.verdicts",
    "findings",
    "suspicion",
    "len.prompt",
    "turns",
    "sample",
    "margin",
    "votes",
    "votes.excluded",
    "rm.against",
];

/// Returns the name of a built-in column; empty for one of a schema.
fn name_of(column: ColumnId) -> &'static str {
    match ColumnId::named(column.name) == Some(column) {
        true => column.name,
        false => "",
    }
}

fn is_of_samples(column: ColumnId) -> bool {
    let is_found = matches!(
        column.source,
        ColumnSource::SampleText(_) | ColumnSource::PromptId | ColumnSource::Disagreement(_)
    );
    is_found || OF_SAMPLES.contains(&name_of(column))
}

/// The data of one sample.
struct Known<'r, 'd, 'b> {
    dataset: &'d Dataset,
    number: usize,
    reading: &'r LoadedSample<'d, 'b>,
    remark: SampleRemark,
    /// The reviewer who uses the program.
    own: String,
}

/// A judgment: the judge, values of labels, and the winner.
type NaiveJudgment = (String, Vec<((String, usize), f64)>, Option<Verdict>);

/// Returns the result of a query.
pub(super) fn answer(query: &Query, dataset: &Dataset, remarks: &ReviewIndex) -> QueryResult {
    let mut found = QueryResult::default();
    let mut buffers = Buffers::default();
    for number in 0..dataset.samples() {
        let reading = dataset.read(number, &mut buffers).expect("a sample");
        let remark = remarks.get(number as u32).cloned().unwrap_or_default();
        let known = Known {
            dataset,
            number,
            reading: &reading,
            remark,
            own: remarks.name(&Rater::Own).to_owned(),
        };
        let responses = known.sample().map_or(1, |sample| sample.responses.len());
        let holds = |response| {
            query
                .filter
                .as_ref()
                .is_none_or(|f| known.holds(f, response))
        };
        let holding: Vec<_> = (0..responses).filter(|&response| holds(response)).collect();
        if !holding.is_empty() {
            found.samples.push(number as u32);
            let is_read = known.sample().is_some();
            let spoken_of = holding.into_iter().filter(|_| is_read);
            found.matching.push(ResponseSet::of(spoken_of));
        }
    }
    found
}

/// Returns the samples of a query, sorted by its one key.
pub(super) fn sorted(query: &Query, dataset: &Dataset, remarks: &ReviewIndex) -> Vec<u32> {
    let SortKey {
        by: SortBy::Value(number),
        descending,
    } = &query.sort[0]
    else {
        panic!("a number")
    };
    let mut buffers = Buffers::default();
    let mut keyed = Vec::new();
    let found = answer(query, dataset, remarks);
    for (sample, matching) in found.samples.into_iter().zip(found.matching) {
        let reading = dataset
            .read(sample as usize, &mut buffers)
            .expect("a sample");
        let known = Known {
            dataset,
            number: sample as usize,
            reading: &reading,
            remark: remarks.get(sample).cloned().unwrap_or_default(),
            own: remarks.name(&Rater::Own).to_owned(),
        };
        let of = |response| known.number(number, response, 99);
        // A malformed row has no responses.
        let of_sides =
            (0..known.count().max(1)).filter(|&side| matching.has(side) || matching.count() == 0);
        let both = of_sides.filter_map(of);
        let key = if *descending {
            both.reduce(f64::max).map(|key| -key)
        } else {
            both.reduce(f64::min)
        };
        keyed.push((key, sample));
    }
    keyed.sort_by(|(one, a), (other, b)| match (one, other) {
        (Some(one), Some(other)) => one.partial_cmp(other).expect("numbers").then(a.cmp(b)),
        (one, other) => one.is_none().cmp(&other.is_none()).then(a.cmp(b)),
    });
    keyed.into_iter().map(|(_, sample)| sample).collect()
}

impl Known<'_, '_, '_> {
    fn sample(&self) -> Option<&Sample<'_>> {
        match &self.reading.body {
            SampleBody::Sample(sample) => Some(sample),
            SampleBody::Malformed { .. } => None,
            SampleBody::Unreadable(error) => panic!("{error}"),
        }
    }

    /// Returns the number of responses.
    fn count(&self) -> usize {
        self.sample().map_or(0, |sample| sample.responses.len())
    }

    fn holds(&self, expr: &Expr, response: usize) -> bool {
        match expr {
            Expr::And(all) => all.iter().all(|one| self.holds(one, response)),
            Expr::Or(any) => any.iter().any(|one| self.holds(one, response)),
            Expr::Not(not) => !self.holds(not, response),
            Expr::Compare {
                left,
                comparison,
                right,
            } => self.quantified(&[left, right], &|tried| {
                let (Some(left), Some(right)) = (
                    self.number(left, response, tried),
                    self.number(right, response, tried),
                ) else {
                    return false;
                };
                compares(left, *comparison, right)
            }),
            Expr::Number { of, test } => self.quantified(&[of], &|tried| {
                let value = self.number(of, response, tried);
                match (test, value) {
                    (NumberTest::Missing(missing), value) => value.is_none() == *missing,
                    (_, None) => false,
                    (NumberTest::Compare(comparison, right), Some(value)) => {
                        compares(value, *comparison, *right)
                    }
                    (NumberTest::Within(low, high), Some(value)) => {
                        low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
                    }
                    (NumberTest::Among(values), Some(value)) => values.contains(&value),
                }
            }),
            Expr::Word { of, test } => self.word(of.column, test),
            Expr::Text(term) => self.text(term, response),
            Expr::Finding(_) => panic!("rules are asked of their own tests"),
            Expr::Best(response) => self.best().contains(&response.index()),
            Expr::Is(Field { view, column }) => match column.source {
                ColumnSource::Text(flag) => self.of_view(*view, response, &|response| {
                    let response = self
                        .sample()
                        .and_then(|sample| sample.responses.get(response));
                    response.is_some_and(|response| {
                        let quotes = response.quotes.as_deref();
                        let targets =
                            || citation_targets(&response.text, quotes.map_or(0, <[_]>::len));
                        match flag {
                            TextFlag::Code => crate::text::code_blocks(&response.text) > 0,
                            TextFlag::Hidden => {
                                let quotes = quotes.into_iter().flatten();
                                let mut texts =
                                    quotes.flat_map(|quote| [&quote.title, &quote.extract]);
                                hides(&response.text) || texts.any(|text| hides(text))
                            }
                            TextFlag::Dangling => {
                                quotes.is_some() && !targets().dangling.is_empty()
                            }
                            TextFlag::Unused => quotes.is_some() && !targets().unused.is_empty(),
                        }
                    })
                }),
                _ => self.is(*column),
            },
            Expr::Note(pattern) => self
                .remark
                .notes
                .iter()
                .any(|note| regex(pattern).is_match(note)),
            Expr::Check(asked) => {
                let mut said = self.remark.checks.iter();
                said.any(|(_, verdict)| match asked {
                    Some(asked) => verdict == asked,
                    None => true,
                })
            }
        }
    }

    fn name<'n>(&'n self, rater: &'n Rater) -> &'n str {
        match rater {
            Rater::Own => &self.own,
            Rater::Named(name) => name,
        }
    }

    fn all_said(&self) -> Vec<NaiveJudgment> {
        let judgments = self.remark.judgments.iter();
        let said = judgments.map(|judgment| {
            let labels = judgment.labels.iter();
            let labels = labels
                .map(|(name, response, value)| ((name.to_string(), response.index()), *value));
            (
                judgment.reviewer.to_string(),
                labels.collect(),
                judgment.verdict,
            )
        });
        said.collect()
    }

    /// Returns the greatest distance of the compared judgments.
    fn apart(&self, with: &DisagreementScope) -> Option<f64> {
        let said = self.all_said();
        let distance = |one: &NaiveJudgment, other: &NaiveJudgment| {
            let mut most: Option<f64> = None;
            for (question, value) in &one.1 {
                for (_, other) in other.1.iter().filter(|(asked, _)| asked == question) {
                    most = Some(most.unwrap_or(0.0).max((value - other).abs()));
                }
            }
            if let (Some(one), Some(other)) = (one.2, other.2) {
                let ties = [one, other]
                    .iter()
                    .filter(|it| **it == Verdict::Tie)
                    .count();
                let apart = if one.agrees_with(other) {
                    0.0
                } else {
                    2.0 - ties as f64
                };
                most = Some(most.unwrap_or(0.0).max(apart));
            }
            most
        };
        let dataset = || {
            let mut values = Vec::new();
            let responses = self.sample().map(|sample| sample.responses.as_slice());
            for (place, response) in responses.unwrap_or_default().iter().enumerate() {
                let labels = self.reading.schema.labels().iter().zip(&response.ratings);
                let labels = labels
                    .filter_map(|(label, value)| Some(((label.name.clone(), place), (*value)?)));
                values.extend(labels);
            }
            (String::new(), values, self.verdict())
        };
        let mut found = Vec::new();
        match with {
            DisagreementScope::Dataset => {
                found.extend(said.iter().filter_map(|one| distance(one, &dataset())));
            }
            DisagreementScope::Reviewers => {
                for one in &said {
                    let others = said.iter().filter(|other| other.0 != one.0);
                    found.extend(others.filter_map(|other| distance(one, other)));
                }
            }
            DisagreementScope::With(rater) => {
                let name = self.name(rater);
                let (of, others): (Vec<_>, Vec<_>) = said.iter().partition(|one| one.0 == name);
                for one in of {
                    found.extend(others.iter().filter_map(|other| distance(one, other)));
                }
            }
            DisagreementScope::Only(rater) => {
                let name = rater
                    .as_ref()
                    .map_or(String::new(), |it| self.name(it).to_owned());
                let mut all = said.clone();
                all.push(dataset());
                let (own, others): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.0 == name);
                let own = own.first()?;
                let apart = others.iter().filter_map(|other| distance(own, other));
                let apart = apart.reduce(f64::min)?;
                let differ = others.iter().any(|one| {
                    let mut all = others.iter();
                    all.any(|other| distance(one, other).is_some_and(|it| it > 0.0))
                });
                return Some(if differ { 0.0 } else { apart });
            }
        }
        found.into_iter().reduce(f64::max)
    }

    /// Returns what reviewers rated a label for a response.
    fn rated(&self, raters: &Raters, label: &str, response: usize) -> Option<f64> {
        if response >= self.count() {
            return None;
        }
        let said = self.all_said();
        let is_one = |name: &str| match raters {
            Raters::One(rater) => self.name(rater) == name,
            Raters::Mean | Raters::Spread => true,
        };
        let asked = (label.to_owned(), response);
        let mut values = Vec::new();
        for (_, labels, _) in said.iter().filter(|(name, ..)| is_one(name)) {
            values.extend(
                labels
                    .iter()
                    .filter(|(of, _)| *of == asked)
                    .map(|(_, value)| *value),
            );
        }
        match raters {
            Raters::Mean if values.is_empty() => None,
            Raters::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
            Raters::Spread if values.len() < 2 => None,
            Raters::Spread => {
                values.sort_by(f64::total_cmp);
                Some(values[values.len() - 1] - values[0])
            }
            Raters::One(_) => values.first().copied(),
        }
    }

    fn quantified(&self, numbers: &[&Number], test: &dyn Fn(usize) -> bool) -> bool {
        let printed = format!("{numbers:?}");
        if printed.contains("view: All") {
            self.count() > 1 && (0..self.count()).all(test)
        } else if printed.contains("view: Any") {
            (0..self.count().max(1)).any(test)
        } else {
            test(99)
        }
    }

    fn of_view(&self, view: Aggregate, response: usize, of: &dyn Fn(usize) -> bool) -> bool {
        match view {
            Aggregate::Same => of(response),
            Aggregate::At(id) => of(id.index()),
            Aggregate::Any => (0..self.count()).any(of),
            Aggregate::All => self.count() > 1 && (0..self.count()).all(of),
            Aggregate::Winner => self.winner().is_some_and(of),
            Aggregate::Loser => self.loser().is_some_and(of),
            _ => unreachable!(),
        }
    }

    fn verdict(&self) -> Option<Verdict> {
        Some(self.sample()?.outcome.as_ref()?.verdict)
    }

    /// Returns each rated response with its value of the deciding label, greater is better. With a
    /// stated verdict, the winner has 1 and the other 0.
    fn deciding(&self) -> Vec<(usize, f64)> {
        let Some(sample) = self.sample() else {
            return Vec::new();
        };
        let Some(label) = self.reading.schema.deciding_label() else {
            let code = self.verdict().map(Verdict::code);
            let value = |place: usize| code.map(|code| f64::from(code >> place & 1));
            let places = 0..sample.responses.len();
            return places
                .filter_map(|place| Some((place, value(place)?)))
                .collect();
        };
        let responses = sample.responses.iter().enumerate();
        responses
            .filter_map(|(place, response)| {
                Some((place, response.ratings[label.place]? * label.sign))
            })
            .collect()
    }

    /// Returns the rated responses with the best value, or the worst for a `sign` of -1; empty if
    /// fewer than two are rated.
    fn extreme(&self, sign: f64) -> Vec<usize> {
        let rated = self.deciding();
        let is_it = |value: f64| rated.iter().all(|(_, other)| other * sign <= value * sign);
        let found = rated
            .iter()
            .filter(|(_, value)| is_it(*value) && rated.len() > 1);
        found.map(|(place, _)| *place).collect()
    }

    fn best(&self) -> Vec<usize> {
        self.extreme(1.0)
    }

    fn winner(&self) -> Option<usize> {
        self.best()
            .into_iter()
            .next()
            .filter(|_| self.best().len() == 1)
    }

    fn loser(&self) -> Option<usize> {
        let worst = self.extreme(-1.0);
        worst.first().copied().filter(|_| worst.len() == 1)
    }

    /// Returns the word of the verdict.
    fn verdict_word(&self) -> Option<String> {
        let best = self.best();
        let letter = |place: &usize| char::from(b'a' + *place as u8).to_string();
        match best.len() {
            0 => None,
            all if all == self.deciding().len() => Some("tie".to_owned()),
            _ => Some(best.iter().map(letter).collect::<Vec<_>>().join("+")),
        }
    }

    fn number(&self, number: &Number, response: usize, tried: usize) -> Option<f64> {
        match number {
            Number::Literal(value) => Some(*value),
            Number::Negative(of) => self.number(of, response, tried).map(|value| -value),
            Number::Absolute(of) => self.number(of, response, tried).map(f64::abs),
            Number::Binary(arithmetic, left, right) => {
                let (left, right) = (
                    self.number(left, response, tried)?,
                    self.number(right, response, tried)?,
                );
                let value = match arithmetic {
                    Arithmetic::Plus => left + right,
                    Arithmetic::Minus => left - right,
                    Arithmetic::Times => left * right,
                    Arithmetic::Over if right == 0.0 => return None,
                    Arithmetic::Over => left / right,
                };
                (!value.is_nan()).then_some(value)
            }
            Number::Field(Field { view, column }) => {
                let of = |response: usize| self.field(*column, response);
                let mut values: Vec<f64> = (0..self.count()).filter_map(of).collect();
                values.sort_by(f64::total_cmp);
                // Both values of a pair must exist.
                let compared = values.len() > 1;
                let last = |back: usize| values[values.len() - back];
                match view {
                    _ if is_of_samples(*column) => of(0),
                    Aggregate::Same => of(response),
                    Aggregate::At(id) => of(id.index()),
                    Aggregate::Any | Aggregate::All => of(tried),
                    // A malformed row has a row number too.
                    Aggregate::Min | Aggregate::Max | Aggregate::Mean if self.count() == 0 => of(0),
                    Aggregate::Min => values.first().copied(),
                    Aggregate::Max => values.last().copied(),
                    Aggregate::Mean => (!values.is_empty()).then(|| {
                        let each = (0..self.count()).filter_map(of);
                        each.sum::<f64>() / values.len() as f64
                    }),
                    Aggregate::Gap => compared.then(|| last(1) - values[0]),
                    Aggregate::Margin if self.count() == 2 => Some(of(0)? - of(1)?),
                    Aggregate::Margin => compared.then(|| {
                        let lower = values.iter().rfind(|value| **value < last(1));
                        lower.map_or(0.0, |lower| last(1) - lower)
                    }),
                    Aggregate::Winner => of(self.winner()?),
                    Aggregate::Loser => of(self.loser()?),
                }
            }
        }
    }

    fn field(&self, column: ColumnId, response: usize) -> Option<f64> {
        let places = &self.reading.places;
        let there = self.sample().map_or(1, |sample| sample.responses.len());
        let text = || Some(&*self.sample()?.responses.get(response)?.text);
        if let ColumnSource::Label = column.source {
            let mut labels = self.reading.schema.labels().iter();
            let label = labels.position(|label| label.name == column.name)?;
            return self.sample()?.responses.get(response)?.ratings[label];
        }
        // Counting texts has its own tests; this checks only the places.
        if column.source.reads_texts() {
            return self.counted(column, response);
        }
        match &column.source {
            ColumnSource::Rated(raters) => return self.rated(raters, column.name, response),
            ColumnSource::Disagreement(with) => return self.apart(with),
            _ => {}
        }
        match name_of(column) {
            "overlap.with" => self.shared(OverlapScope::SameFile).1,
            "leak.with" => self.shared(OverlapScope::OtherFile).1,
            "sample" => Some((self.number + 1) as f64),
            "row" if response < there => Some(places[response.min(places.len() - 1)].row as f64),
            "line" if response < there => Some(places[response.min(places.len() - 1)].line as f64),
            "row" | "line" => None,
            "margin" => self.sample()?.outcome.as_ref()?.margin,
            "votes" | "votes.excluded" => {
                let has_votes = self.reading.schema.definition().has_votes();
                let votes = &self.sample()?.votes;
                let no_votes = votes.each.is_empty() && votes.excluded == 0;
                let count = match name_of(column) {
                    "votes" if no_votes => return None,
                    "votes" => votes.each.len(),
                    _ => votes.excluded,
                };
                has_votes.then_some(count as f64)
            }
            "votes.for" => {
                let has_votes = self.reading.schema.definition().has_votes();
                let sample = self.sample().filter(|_| has_votes)?;
                if sample.votes.each.is_empty() && sample.votes.excluded == 0 {
                    return None;
                }
                sample.responses.get(response)?;
                Some(voted_for(&sample.votes, response) as f64)
            }
            "turns" => Some(self.sample()?.prompt.len() as f64),
            "len.prompt" => Some(
                self.sample()?
                    .prompt
                    .iter()
                    .map(|turn| turn.text.chars().count())
                    .sum::<usize>() as f64,
            ),
            "len.response" => Some(text()?.chars().count() as f64),
            "lines.response" => {
                let text = text()?;
                let ends = text.matches('\n').count();
                Some((ends + usize::from(!text.is_empty() && !text.ends_with('\n'))) as f64)
            }
            "rm.verdicts" => self.sample().map(|_| 0.0),
            // These datasets have no rules.
            "findings" | "suspicion" => Some(0.0),
            // No file is joined.
            "rm.against" => None,
            "quotes" => {
                // If the dataset has quotes, a response without them counts zero.
                let has_quotes = self
                    .reading
                    .schema
                    .definition()
                    .responses
                    .iter()
                    .any(|paths| paths.quotes.is_some());
                let response = self.sample()?.responses.get(response)?;
                has_quotes.then(|| response.quotes.as_ref().map_or(0, Vec::len) as f64)
            }
            other => panic!("say here what {other} counts, without the table"),
        }
    }

    fn counted(&self, column: ColumnId, response: usize) -> Option<f64> {
        let sample = self.sample()?;
        let prompt = (sample.prompt.iter()).map(|turn| (turn.role, turn.text.to_string()));
        let texts = SampleTexts {
            prompt: prompt.collect(),
            responses: (sample.responses.iter())
                .map(|response| response.texts().map(str::to_owned).collect())
                .collect(),
            last_speakers: (sample.responses.iter())
                .filter_map(|response| response.spoken().last().map(|(role, _)| role))
                .collect(),
            rationales: Vec::new(),
        };
        let count = match column.source {
            ColumnSource::ResponseText(count) => count(texts.responses.get(response)?),
            ColumnSource::RationaleText(count) => {
                texts.responses.get(response)?;
                count(texts.rationales.get(response).map_or(&[], Vec::as_slice))
            }
            ColumnSource::SampleText(count) => count(&texts),
            ColumnSource::PromptId => {
                let turns = texts.prompt.iter();
                let turns = turns.map(|(_, turn)| [turn.as_bytes(), b"\xff"].concat());
                let hash = Sha256::digest(turns.collect::<Vec<_>>().concat());
                let number = u32::from_str_radix(&format!("{hash:x}")[..8], 16);
                number.expect("hex").min(Values::NO_COUNT - 1)
            }
            ColumnSource::AmongResponses(count) => *count(&texts).get(response)?,
            _ => return None,
        };
        (count != Values::NO_COUNT).then_some(f64::from(count))
    }

    fn word(&self, of: ColumnId, test: &WordTest) -> bool {
        let word = match (name_of(of), &of.source) {
            ("tag", _) => return self.tags(test),
            ("file", _) => {
                let name = self.dataset.files()[self.reading.places[0].file]
                    .source
                    .name();
                // With or without its folders.
                let asked_whole = match test {
                    WordTest::Is(asked) => asked.iter().any(|asked| finds(name, asked, true)),
                    WordTest::IsNot(asked) if finds(name, asked, true) => return false,
                    _ => false,
                };
                if asked_whole {
                    return true;
                }
                Some(name.rsplit('/').next().expect("a name").to_owned())
            }
            ("verdict", _) => self.verdict_word(),
            ("overlap", _) => self.shared(OverlapScope::SameFile).0,
            ("leak", _) => self.shared(OverlapScope::OtherFile).0,
            (_, ColumnSource::Fact) => self
                .sample()
                .and_then(|sample| sample.facts.iter().find(|fact| fact.name == of.name))
                .map(|fact| fact.value.to_string()),
            (_, ColumnSource::RatedVerdict(rater)) => {
                let said = self.all_said().into_iter();
                let mut of = said.filter(|(name, ..)| name == self.name(rater));
                of.next()
                    .and_then(|(.., verdict)| verdict)
                    .map(Verdict::word)
            }
            other => panic!("say here what word {other:?} is, without the table"),
        };
        let finds =
            |asked: &String, whole: bool| finds(word.as_deref().expect("a word"), asked, whole);
        match test {
            WordTest::Missing(missing) => word.is_none() == *missing,
            _ if word.is_none() => false,
            WordTest::Is(asked) => asked.iter().any(|asked| finds(asked, true)),
            WordTest::IsNot(asked) => !finds(asked, true),
            WordTest::Contains(asked) => finds(asked, false),
            WordTest::Compare(..) => panic!("no date"),
        }
    }

    /// Returns how the prompt is shared and with which sample. Overlaps have their own naive test;
    /// this checks only that each sample gets its own.
    fn shared(&self, scope: OverlapScope) -> (Option<String>, Option<f64>) {
        let comparison = SampleComparison::Overlap(scope);
        assert!(self.dataset.compare(&[comparison], &|| true).is_continue());
        let way = self.dataset.overlaps(0..self.dataset.samples(), scope)[self.number];
        let with = self.dataset.overlaps_with(0..self.dataset.samples(), scope)[self.number];
        let word = way.map(|way| way.name().to_owned());
        (word, Some(with).filter(|with| !with.is_nan()))
    }

    /// Returns a comparison of samples; see [`Self::shared`].
    fn compared(&self, comparison: SampleComparison) -> bool {
        assert!(self.dataset.compare(&[comparison], &|| true).is_continue());
        let all = self
            .dataset
            .compared_flags(0..self.dataset.samples(), comparison);
        all[self.number]
    }

    fn tags(&self, test: &WordTest) -> bool {
        let one = |asked: &String, whole: bool| {
            self.remark.tags.iter().any(|tag| finds(tag, asked, whole))
        };
        match test {
            WordTest::Missing(missing) => self.remark.tags.is_empty() == *missing,
            WordTest::Is(asked) => asked.iter().any(|asked| one(asked, true)),
            WordTest::IsNot(asked) => !self.remark.tags.is_empty() && !one(asked, true),
            WordTest::Contains(asked) => one(asked, false),
            WordTest::Compare(..) => panic!("no date"),
        }
    }

    fn text(&self, term: &TextTerm, response: usize) -> bool {
        let regex = regex(&term.pattern);
        let Some(sample) = self.sample() else {
            let SampleBody::Malformed { line, .. } = &self.reading.body else {
                return false;
            };
            return term.part == TextTarget::Anywhere && regex.is_match(line);
        };
        let prompt = || sample.prompt.iter().any(|turn| regex.is_match(&turn.text));
        let answer = |response: usize| {
            sample
                .responses
                .get(response)
                .is_some_and(|r| regex.is_match(&r.text))
        };
        let quotes = |response: usize, title: bool| {
            let quotes = sample
                .responses
                .get(response)
                .and_then(|response| response.quotes.as_ref());
            quotes
                .into_iter()
                .flatten()
                .any(|q| regex.is_match(if title { &q.title } else { &q.extract }))
        };
        let rationales = || {
            let mut texts = sample.rationales.iter();
            texts.any(|rationale| regex.is_match(&rationale.text))
        };
        match term.part {
            TextTarget::Anywhere => {
                prompt()
                    || rationales()
                    || (0..self.count()).any(|r| answer(r) || quotes(r, true) || quotes(r, false))
            }
            TextTarget::Prompt => prompt(),
            TextTarget::Rationale => rationales(),
            TextTarget::Response(view) => self.of_view(view, response, &answer),
            TextTarget::Quote(view) => {
                self.of_view(view, response, &|response| quotes(response, false))
            }
            TextTarget::Title(view) => {
                self.of_view(view, response, &|response| quotes(response, true))
            }
        }
    }

    fn is(&self, flag: ColumnId) -> bool {
        if let ColumnSource::Disagreement(with) = &flag.source {
            return self.apart(with).is_some_and(|apart| apart > 0.0);
        }
        match flag.name {
            // No file is joined here.
            "is:unmatched" => false,
            "is:contradicted" => self.compared(SampleComparison::Contradicted),
            "is:relabelled" => self.compared(SampleComparison::Relabelled),
            "has:note" => !self.remark.notes.is_empty(),
            "has:tag" => !self.remark.tags.is_empty(),
            "is:marked" => self.remark.marked,
            "is:rated" => self.remark.rated,
            "is:tie" => self.verdict_word().as_deref() == Some("tie"),
            "is:several" => self.verdict_word().is_some_and(|word| word.contains('+')),
            "is:malformed" => self.sample().is_none(),
            "is:contested" => self.sample().is_some_and(|sample| {
                let voted_for = |place: &usize| voted_for(&sample.votes, *place) > 0;
                (0..sample.responses.len()).filter(voted_for).count() > 1
            }),
            "is:flagged" => self
                .sample()
                .is_some_and(|sample| !sample.warnings.is_empty()),
            "is:single" => self
                .sample()
                .is_some_and(|sample| sample.responses.len() == 1),
            "is:multiturn" => self.sample().is_some_and(|sample| sample.prompt.len() > 1),
            "is:duplicate" => {
                let texts = |number: usize| {
                    let mut buffers = Buffers::default();
                    let reading = self.dataset.read(number, &mut buffers)?;
                    let SampleBody::Sample(sample) = reading.body else {
                        return None;
                    };
                    let prompt: Vec<_> = sample
                        .prompt
                        .iter()
                        .map(|turn| turn.text.to_string())
                        .collect();
                    let responses: Vec<_> = sample
                        .responses
                        .iter()
                        .map(|r| r.text.to_string())
                        .collect();
                    Some((prompt, responses))
                };
                let ours = texts(self.number);
                ours.is_some()
                    && (0..self.dataset.samples())
                        .any(|other| other != self.number && texts(other) == ours)
            }
            other => panic!("say here where {other} holds, without the table"),
        }
    }
}

fn compares(left: f64, comparison: Comparison, right: f64) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::Less => left < right,
        Comparison::AtMost => left <= right,
        Comparison::Greater => left > right,
        Comparison::AtLeast => left >= right,
    }
}

fn finds(word: &str, asked: &str, whole: bool) -> bool {
    let upper = asked.chars().any(char::is_uppercase);
    let word = if upper {
        word.to_owned()
    } else {
        word.to_lowercase()
    };
    if whole {
        word == asked
    } else {
        word.contains(asked)
    }
}

fn regex(pattern: &Pattern) -> Regex {
    let source = match pattern {
        Pattern::Phrase(phrase) => regex::escape(phrase),
        Pattern::Regex(source) => source.clone(),
    };
    let regex = RegexBuilder::new(&source)
        .case_insensitive(!source.chars().any(char::is_uppercase))
        .build();
    regex.expect("a regex")
}

/// Counts the annotators who vote for a response.
fn voted_for(votes: &Votes, response: usize) -> usize {
    let letter = char::from(b'a' + response as u8);
    let words = votes.each.iter().map(|it| it.vote.verdict.word());
    words
        .filter(|word| word != "tie" && word.contains(letter))
        .count()
}
