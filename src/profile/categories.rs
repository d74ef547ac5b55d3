//! Frequencies of facts with few distinct words.

use super::card::{CardBody, ProfileBar, ProfileCard, Quantity, ShareOf};
use super::context::ProfileContext;
use super::with_shown::WithShown;
use crate::query::{CatalogColumn, Query, has_many_words};
use crate::table::{ColumnId, ColumnKind, ColumnSource, Reveals};

/// The most frequent words have a separate bar.
const MAX_WORDS: usize = 12;

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let mut cards = Vec::new();
    let has_files = context.request.dataset.files().len() > 1;
    for column in context.request.catalog.columns() {
        let id = column.def.id;
        let is_visible = !context.request.hides_labels || column.def.reveals != Reveals::Label;
        let is_meant = match id.source {
            ColumnSource::Fact => true,
            ColumnSource::Field(_) => {
                id.kind == ColumnKind::Word && context.request.dataset.knows(id)
            }
            ColumnSource::File => has_files,
            _ => false,
        };
        // A fact that differs in every row is usually an id.
        if is_visible && is_meant && !has_many_words(context.request.dataset, id) {
            cards.extend(card(context, column)?);
        }
    }
    Some(cards)
}

/// Frequencies of words, and the number of missing values.
pub(super) struct WordTally {
    /// The words with their counts, the most frequent first.
    pub(super) words: Vec<(String, WithShown<u64>)>,
    pub(super) missing: WithShown<u64>,
    pub(super) all: WithShown<u64>,
}

/// Sums the counts of these words.
pub(super) fn total(
    context: &ProfileContext<'_>,
    words: &[(String, WithShown<u64>)],
) -> WithShown<u64> {
    let counts = words.iter().map(|(_, count)| *count);
    counts.fold(context.sums(), |sum, count| {
        sum.zip(count).map(|(sum, count)| sum + count)
    })
}

impl WordTally {
    /// Counts the words of a column of samples; `None` if cancelled.
    pub(super) fn of(context: &ProfileContext<'_>, column: ColumnId) -> Option<Self> {
        let coded = context.words(column)?;
        let mut counts = vec![context.sums(); coded.words.len()];
        let (mut missing, mut all) = (context.sums(), context.sums());
        for (place, code) in coded.codes.iter().enumerate() {
            let count = counts.get_mut(*code as usize).unwrap_or(&mut missing);
            for count in [count, &mut all] {
                count.update(context.shows(column.level, place), |count| *count += 1);
            }
        }
        let mut words: Vec<_> = coded.words.into_iter().zip(counts).collect();
        // Stable, so that equally frequent words stay in order of first occurrence.
        words.sort_by_key(|(_, count)| std::cmp::Reverse(count.whole));
        Some(Self {
            words,
            missing,
            all,
        })
    }

    /// Returns the bar of a word of the column, or of missing values, under its label.
    pub(super) fn bar(
        &self,
        context: &ProfileContext<'_>,
        column: ColumnId,
        (label, word): (String, Option<&str>),
        count: WithShown<u64>,
    ) -> ProfileBar {
        let query = Query::of_word(column, word);
        let query = query.spelled(context.request.catalog).to_string();
        let counts = count.zip(self.all).map(|&(count, all)| [count, all]);
        ProfileBar::new(label, counts, Some(query))
    }
}

fn card(context: &ProfileContext<'_>, column: &CatalogColumn) -> Option<Option<ProfileCard>> {
    let (CatalogColumn { spelled, .. }, about) = (column, &column.def.about);
    let tally = WordTally::of(context, column.def.id)?;
    if tally.words.is_empty() {
        return Some(None);
    }
    let bar = |label: &str, word: Option<&str>, counts| {
        tally.bar(context, column.def.id, (label.to_owned(), word), counts)
    };
    let (words, rest) = tally.words.split_at(MAX_WORDS.min(tally.words.len()));
    let mut bars: Vec<_> = words
        .iter()
        .map(|(word, counts)| bar(word, Some(word), *counts))
        .collect();
    if !rest.is_empty() {
        let label = format!("{} others", rest.len());
        bars.push(ProfileBar {
            query: None,
            ..bar(&label, None, total(context, rest))
        });
    }
    if tally.missing.whole > 0 {
        bars.push(bar("none", None, tally.missing));
    }
    let different = WithShown::of_whole(tally.words.len() as u64);
    let different = Quantity::count("words", "different words", different);
    Some(Some(ProfileCard::new(
        spelled.clone(),
        spelled.clone(),
        format!("{about} Shares refer to all samples.")
            .trim()
            .to_owned(),
        vec![different],
        CardBody::Bars(ShareOf::All, bars),
    )))
}
