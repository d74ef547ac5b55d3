//! Facts with few words: how often each comes.

use super::card::{CardBody, ProfileBar, ProfileCard, Quantity, ShareOf};
use super::context::ProfileContext;
use crate::query::{CatalogColumn, Query, has_many_words};
use crate::table::{ColumnId, ColumnKind, ColumnSource, Reveals};

/// Words that have a bar of their own: the most frequent.
const MOST_WORDS: usize = 12;

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let mut cards = Vec::new();
    let has_files = context.dataset().files().len() > 1;
    for column in context.catalog().columns() {
        let id = column.def.id;
        let is_told = !context.hides_labels() || id.reveals != Reveals::Label;
        let is_meant = match id.source {
            ColumnSource::Fact => true,
            ColumnSource::Field(_) => id.kind == ColumnKind::Word && context.dataset().knows(id),
            ColumnSource::File => has_files,
            _ => false,
        };
        // Where every row says another it is an id, as a rule.
        if is_told && is_meant && !has_many_words(context.dataset(), id) {
            cards.extend(card(context, column)?);
        }
    }
    Some(cards)
}

/// How often words come, and how many places have none: of the whole, and of what is shown.
pub(super) struct WordTally {
    /// The words with their counts, the most frequent first.
    pub(super) words: Vec<(String, [u64; 2])>,
    pub(super) missing: [u64; 2],
    pub(super) all: [u64; 2],
}

impl WordTally {
    /// Of a column of samples; `None` once that is not wanted any more.
    pub(super) fn of(context: &ProfileContext<'_>, column: ColumnId) -> Option<Self> {
        let coded = context.words(column)?;
        let mask = context.mask(column.level);
        let mut counts = vec![[0_u64; 2]; coded.words.len()];
        let (mut missing, mut all) = ([0; 2], [0; 2]);
        for (place, code) in coded.codes.iter().enumerate() {
            let shows = mask.and_then(|mask| mask.get(place)) == Some(&true);
            let one = [1, u64::from(shows)];
            let count = counts.get_mut(*code as usize).unwrap_or(&mut missing);
            for (count, one) in [count, &mut all]
                .into_iter()
                .flat_map(|of| of.iter_mut().zip(one))
            {
                *count += one;
            }
        }
        let mut words: Vec<_> = coded.words.into_iter().zip(counts).collect();
        // Words that come as often stand in the order in which they first come.
        words.sort_by_key(|(_, [whole, _])| std::cmp::Reverse(*whole));
        Some(Self {
            words,
            missing,
            all,
        })
    }

    /// The bar of a word of the column, or of having none, under its label: how many of the whole
    /// and of what is shown have it.
    pub(super) fn bar(
        &self,
        context: &ProfileContext<'_>,
        column: ColumnId,
        (label, word): (String, Option<&str>),
        [whole, shown]: [u64; 2],
    ) -> ProfileBar {
        let query = Query::of_word(column, word);
        ProfileBar {
            label,
            whole: [whole, self.all[0]],
            shown: (context.shown().is_some()).then_some([shown, self.all[1]]),
            interval: None,
            query: Some(query.spelled(context.catalog()).to_string()),
        }
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
    let words = tally.words.iter().take(MOST_WORDS);
    let mut bars: Vec<_> = words
        .map(|(word, counts)| bar(word, Some(word), *counts))
        .collect();
    let rest = tally.words.iter().skip(MOST_WORDS);
    let rest = rest.fold([0; 2], |sum, (_, of)| [sum[0] + of[0], sum[1] + of[1]]);
    if rest[0] > 0 {
        let others = tally.words.len() - MOST_WORDS;
        let label = format!("{others} others");
        bars.push(ProfileBar {
            query: None,
            ..bar(&label, None, rest)
        });
    }
    if tally.missing[0] > 0 {
        bars.push(bar("none", None, tally.missing));
    }
    let different = Quantity::count("words", "different words", tally.words.len() as u64, None);
    Some(Some(ProfileCard::new(
        spelled.clone(),
        spelled.clone(),
        format!("{about} Shares are of all samples.")
            .trim()
            .to_owned(),
        vec![different],
        CardBody::Bars(ShareOf::All, bars),
    )))
}
