//! Finds the raters beside the verdict: fields that name the winner too, and labels that rate
//! responses as a whole.

use super::names::{WORDS, name_words};
use super::survey::GuessField;
use super::verdict::{rank, words_at};
use super::{Builder, NamedVerdict, ResponseNames, ratings};
use crate::schema::layout::column_paths::UseKind;
use crate::schema::layout::definition::{Definition, RatingSource, RowGrouping};
use crate::schema::verdict::{VerdictRule, VerdictSource};

impl Builder<'_> {
    /// Adds the raters, if rows are samples with a verdict: one source decides, and all others are
    /// raters.
    pub(super) fn add_raters(&self, definition: &mut Definition) {
        let are_several = definition.responses.len() > 1 && !definition.has_response_lists();
        let Some(rule) = definition.rule().filter(|_| are_several) else {
            return;
        };
        if definition.rows != RowGrouping::Inline {
            return;
        }
        let (used, beside) = (definition.used_paths(), self.words_of_responses());
        let decides = |label: &str| match rule {
            VerdictRule::ByLabel { label: own, .. } => own == label,
            VerdictRule::Fixed { margin, .. } => margin.as_deref() == Some(label),
            _ => false,
        };
        // Other labels of a sheet are no raters of their own.
        let deciding = ratings::deciding(definition, self.survey, self.map);
        let mut raters = Vec::new();
        for label in &definition.labels {
            let name = &*label.name;
            let mut ratings = definition.responses.iter().map(|it| it.ratings.get(name));
            let is_of_all = ratings.all(|it| matches!(it, Some(RatingSource::Path(_))));
            let own = VerdictRule::ByLabel {
                label: name.to_owned(),
                lower: WORDS.is_better_lower(name),
            };
            let is_whole = WORDS.is_rater(name);
            let is_meant = is_whole && WORDS.undecided(name).is_none();
            if is_of_all && !decides(name) && (is_meant || deciding.as_ref() == Some(&own)) {
                raters.push((name.to_owned(), own));
            }
        }
        let readings = self.readings();
        let votes: Vec<_> = definition.uses_of(UseKind::Vote).collect();
        let is_of_votes = |field: &GuessField| {
            let mut votes = votes.iter();
            votes.any(|it| field.path.steps().starts_with(it.path.steps()))
        };
        // `gpt4_judge` rates; `judge_order` and `annotator_id` do not, and `labeler` has a name.
        let is_judge = |field: &GuessField| {
            let has = |word: &String| WORDS.is_of_source(word) || word.parse::<u32>().is_ok();
            let is_clear = || {
                let values = words_at(self.survey, &field.path);
                readings[0].leaves_no_doubt(&values)
            };
            field.has_word(&WORDS.annotator)
                && field.words.iter().all(has)
                && (field.words.len() > 1 || is_clear())
        };
        let may_rate = |field: &&GuessField| {
            (rank(field, &beside).is_some() || is_judge(field))
                && !is_of_votes(field)
                && field.is_single()
                && field.is_short()
                && !used.contains(&field.path)
                && !WORDS.is_against(&field.words)
                && WORDS.undecided(&field.key()).is_none()
        };
        for field in self.survey.fields().filter(may_rate) {
            let values = words_at(self.survey, &field.path);
            // Both must win somewhere: `judge: A` on all rows may be a group of judges.
            let wins = |of: &ResponseNames, place| {
                let said = Some(NamedVerdict::Wins(place));
                values.iter().any(|value| of.verdict_of(value) == said)
            };
            let reading = readings
                .iter()
                .find(|it| it.fit(&values) && wins(it, 0) && wins(it, 1));
            if let Some(reading) = reading {
                let rule = VerdictRule::ByValue(reading.rule(&field.path, &values));
                raters.push((field.name(), rule));
            }
        }
        let named = raters.into_iter();
        definition
            .raters
            .extend(named.map(|(name, rule)| (name, VerdictSource::from(rule))));
        definition.add_facts_of_raters();
    }
}

/// True if the name of a rater says that it is people.
pub fn is_of_people(name: &str) -> bool {
    WORDS.is_of_people(&name_words(name))
}
