//! A card for each column: labels, scores and counts with a histogram and moments, and facts with
//! few distinct words with frequencies.

use super::context::{ProfileColumn, ProfileContext, value_counts};
use crate::answer::{AnswerBar, AnswerCard, CardBody, Quantity, ShareOf, WithShown};
use crate::query::{CatalogColumn, Query, has_many_words};
use crate::table::{ColumnId, ColumnKind, ColumnSource, Reveals};

/// Returns cards of labels and scores, with the numbers of values and of missing ones.
pub(super) fn label_cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    let labels = context.columns.iter().filter(|column| is_label(column));
    labels.map(|column| number_card(context, column)).collect()
}

/// Returns cards of lengths, turns, quotes and other counts, with their maxima.
pub(super) fn count_cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
    let counts = context.columns.iter().filter(|column| is_count(column));
    counts.map(|column| number_card(context, column)).collect()
}

/// True if a column rates responses.
pub(super) fn is_label(column: &ProfileColumn) -> bool {
    column.field.column.is_rating()
}

/// Other sections show winners, votes and joined files.
fn is_count(column: &ProfileColumn) -> bool {
    let id = column.field.column;
    let shows_other_sample = matches!(
        id.source,
        ColumnSource::Margin
            | ColumnSource::Votes
            | ColumnSource::VotesFor
            | ColumnSource::ExcludedVotes
            | ColumnSource::Contradictions
    );
    id.kind == ColumnKind::Count && !shows_other_sample
}

fn number_card(context: &ProfileContext<'_>, column: &ProfileColumn) -> AnswerCard {
    let all = column.coded.codes().len();
    let shown = |mask: &[bool]| mask.iter().filter(|shown| **shown).count();
    let places = context
        .masks(column.field.level())
        .map(|mask| mask.map_or(all, shown) as u64);
    let mut value_counts = value_counts(column, places, format!("{}=none", column.spelled));
    let mut figures = context.moments(column);
    let unit = if is_label(column) {
        figures.retain(|of| !matches!(of.key, "p99" | "min" | "max") || of.is_detail);
        " Over responses that have a value. sd: sample standard deviation (n - 1). The median is \
             interpolated between the two nearest values."
    } else {
        value_counts = value_counts.map(Quantity::json_only);
        ". sd: sample standard deviation (n - 1). Quantiles are interpolated between the two nearest values."
    };
    figures.extend(value_counts);
    let about = format!("{}{unit}", column.about);
    let bars = CardBody::Bars(ShareOf::All, context.bars(column));
    AnswerCard::new(
        &*column.spelled,
        &*column.spelled,
        about.trim(),
        figures,
        bars,
    )
}

/// The most frequent words have a separate bar.
const MAX_WORDS: usize = 12;

pub(super) fn fact_cards(context: &ProfileContext<'_>) -> Vec<AnswerCard> {
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
            cards.extend(word_card(context, column));
        }
    }
    cards
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
    /// Counts the words of a column of samples.
    pub(super) fn of(context: &ProfileContext<'_>, column: ColumnId) -> Self {
        let coded = context.words(column);
        let counts = (context.masks(column.level)).map(|mask| coded.counts(*mask));
        let count = |code: usize| counts.map(|counts| counts[code]);
        let words = coded.values().iter().cloned();
        let mut words: Vec<_> = words.zip((0..).map(count)).collect();
        // Stable, so that equally frequent words stay in order of first occurrence.
        words.sort_by_key(|(_, count)| std::cmp::Reverse(count.whole));
        Self {
            missing: count(words.len()),
            all: counts.map(|counts| counts.iter().sum()),
            words,
        }
    }

    /// Returns the bar of a word of the column, or of missing values, under its label.
    pub(super) fn bar(
        &self,
        context: &ProfileContext<'_>,
        column: ColumnId,
        (label, word): (String, Option<&str>),
        count: WithShown<u64>,
    ) -> AnswerBar {
        let query = Query::of_word(column, word)
            .spelled(context.request.catalog)
            .to_string();
        let counts = count.zip(self.all).map(|&(count, all)| [count, all]);
        AnswerBar::new(label, counts, Some(query))
    }
}

fn word_card(context: &ProfileContext<'_>, column: &CatalogColumn) -> Option<AnswerCard> {
    let (CatalogColumn { spelled, .. }, about) = (column, &column.def.about);
    let tally = WordTally::of(context, column.def.id);
    if tally.words.is_empty() {
        return None;
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
        bars.push(AnswerBar {
            query: None,
            ..bar(&label, None, total(context, rest))
        });
    }
    if tally.missing.whole > 0 {
        bars.push(bar("none", None, tally.missing));
    }
    let different = WithShown::of_whole(tally.words.len() as u64);
    let different = Quantity::count("words", "different words", different);
    Some(AnswerCard::new(
        spelled.clone(),
        spelled.clone(),
        format!("{about} Shares refer to all samples.")
            .trim()
            .to_owned(),
        vec![different],
        CardBody::Bars(ShareOf::All, bars),
    ))
}
