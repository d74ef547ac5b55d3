//! Samples that a reviewer judges otherwise than the dataset does, the greatest differences first.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use minijinja::{Value, context};

use super::super::document::WrittenSample;
use super::super::{BlindMask, review};
use super::ReportedJudgments;
use crate::dataset::{Buffers, Dataset, LoadedSample, Sample, SampleBody, SampleKey};
use crate::journal::{AfterReveal, Rating, SampleReview};
use crate::model::{ResponseId, ResponseOrder, Verdict};
use crate::review::{RatingForm, SampleLocator, serialised};
use crate::text::exact_number;

/// From this difference of a label on, it counts as one to be looked at.
const GREAT: f64 = 2.0;
/// How many are quoted.
const MOST_QUOTED: usize = 50;
/// Characters of each text that are quoted.
const MOST_CHARACTERS: usize = 600;

/// A judgment beside the dataset's own.
struct Compared<'a> {
    sample: usize,
    /// As it was first given: that is what is compared.
    rating: &'a Rating,
    /// The rating as it is now, and what became of it, where it changed after the labels showed.
    later: Option<(&'a Rating, AfterReveal)>,
    remark: &'a SampleReview,
    /// By the dataset and by the reviewer.
    verdicts: Option<[Verdict; 2]>,
    /// 2 for the other side, 1 for a tie on one side alone.
    turned: u8,
    largest: f64,
    sum: f64,
    /// Values that the dataset has too.
    values: usize,
}

impl Compared<'_> {
    /// Whether the dataset says anything of what was judged.
    fn is_any(&self) -> bool {
        self.values > 0 || self.verdicts.is_some()
    }

    fn is_great(&self) -> bool {
        self.turned > 0 || self.largest >= GREAT
    }

    /// The greater difference first.
    fn order(&self, other: &Self) -> Ordering {
        let by_size = other
            .turned
            .cmp(&self.turned)
            .then(other.largest.total_cmp(&self.largest));
        let by_size = by_size.then(other.sum.total_cmp(&self.sum));
        by_size
            .then(self.sample.cmp(&other.sample))
            .then(self.rating.reviewer.cmp(&other.rating.reviewer))
    }
}

/// Lists them. What a reviewer judged more than once counts as in the figures: the latest first
/// pass.
pub(super) fn list(
    dataset: &Dataset,
    judged: &ReportedJudgments<'_>,
    places: &SampleLocator,
) -> Value {
    let scales = RatingForm::of_files(dataset);
    let (mut compared, mut gone, mut unread) = (Vec::new(), 0, 0);
    let mut buffers = Buffers::default();
    for (key, remark) in judged.ledger.remarks() {
        let mut latest: BTreeMap<&str, &Rating> = BTreeMap::new();
        let counted = remark
            .ratings
            .iter()
            .filter(|rating| rating.setting.pass <= 1 && judged.counts(rating));
        latest.extend(counted.map(|rating| (&*rating.reviewer, rating)));
        if latest.is_empty() {
            continue;
        }
        let Some(sample) = places.first(key) else {
            gone += latest.len();
            continue;
        };
        let reading = dataset.read(sample, &mut buffers);
        match reading.as_ref().map(|reading| (reading, &reading.body)) {
            Some((reading, SampleBody::Sample(read))) => {
                let scale = reading
                    .places
                    .first()
                    .and_then(|place| scales.get(place.file));
                compared.extend(
                    latest
                        .into_values()
                        .map(|rating| compare(sample, reading, read, scale, rating, remark)),
                );
            }
            _ => unread += latest.len(),
        }
    }
    let judgments = compared.len();
    compared.retain(Compared::is_any);
    let alone = judgments - compared.len();
    compared.sort_by(Compared::order);
    let all = compared.len();
    let is_slight = |it: &&Compared<'_>| !it.is_great() && it.sum > 0.0;
    let slight = compared.iter().filter(is_slight).count();
    compared.retain(Compared::is_great);
    let quoted = compared.iter().take(MOST_QUOTED);
    let quoted =
        quoted.filter_map(|it| Some(quote(dataset, &dataset.read(it.sample, &mut buffers)?, it)));
    context! {
        all,
        slight,
        great => compared.len(),
        least => exact_number(GREAT),
        alone,
        gone,
        unread,
        quoted => quoted.collect::<Vec<_>>(),
        characters => MOST_CHARACTERS,
        left => compared.len().saturating_sub(MOST_QUOTED),
    }
}

fn compare<'a>(
    sample: usize,
    reading: &LoadedSample<'_, '_>,
    read: &Sample<'_>,
    scale: Option<&RatingForm>,
    now: &'a Rating,
    remark: &'a SampleReview,
) -> Compared<'a> {
    let rating = now.as_given();
    let own = read.outcome.as_ref().map(|outcome| outcome.verdict);
    let verdicts = own
        .zip(scale.and_then(|scale| scale.verdict(read.responses.len(), rating)))
        .map(|(own, theirs)| [own, theirs]);
    let turned = match verdicts {
        Some([own, theirs]) if own.agrees_with(theirs) => 0,
        Some([Verdict::Best(_), Verdict::Best(_)]) => 2,
        Some(_) => 1,
        None => 0,
    };
    let differences = rating
        .labels
        .iter()
        .filter_map(|((name, response), value)| {
            Some((value - stated(reading, read, name, *response)?).abs())
        });
    let (largest, sum, values) = differences
        .fold((0.0_f64, 0.0, 0), |(largest, sum, values), it| {
            (largest.max(it), sum + it, values + 1)
        });
    // A verdict alone that differs is a difference too.
    let later = now.after_reveal().map(|what| (now, what));
    Compared {
        sample,
        rating,
        later,
        remark,
        verdicts,
        turned,
        largest,
        sum,
        values,
    }
}

/// What the dataset says of a label of a response.
fn stated(
    reading: &LoadedSample<'_, '_>,
    read: &Sample<'_>,
    name: &str,
    response: ResponseId,
) -> Option<f64> {
    let place = reading
        .schema
        .labels()
        .iter()
        .position(|label| label.name == name)?;
    *read.responses.get(response.index())?.ratings.get(place)?
}

/// A judgment for the template, with its sample as a page for people has it.
fn quote(dataset: &Dataset, reading: &LoadedSample<'_, '_>, it: &Compared<'_>) -> Value {
    let written = WrittenSample {
        dataset,
        number: it.sample as u32,
        reading,
        key: SampleKey::of(&reading.body),
        remark: None,
        mask: BlindMask::default(),
    };
    let responses = written.responses();
    let became = it.later.map(|(_, what)| review::became_word(what));
    let changed = it.later.filter(|(_, what)| *what == AfterReveal::Changed);
    let changed = changed.map(|(now, _)| now);
    let scale = RatingForm::of(reading.schema);
    let says = |rating: &Rating| scale.verdict(responses, rating);
    let new = changed
        .and_then(says)
        .filter(|now| says(it.rating) != Some(*now));
    let place = |name: &str| {
        let mut labels = reading.schema.labels().iter();
        labels
            .position(|label| label.name == name)
            .unwrap_or(usize::MAX)
    };
    let ratings = [Some(it.rating), changed].into_iter().flatten();
    let rated = ratings.flat_map(|rating| rating.labels.keys());
    let mut names: Vec<&str> = rated.map(|(name, _)| &**name).collect();
    names.sort_by_key(|&name| (place(name), name));
    names.dedup();
    let won = it
        .rating
        .verdict
        .filter(|(verdict, _)| *verdict != Verdict::Tie);
    let notes = it.remark.notes.iter();
    let notes = notes.filter(|note| note.reviewer == it.rating.reviewer);
    context! {
        sample => serialised(written.members()),
        who => &*it.rating.reviewer,
        verdicts => it.verdicts.map(|verdicts| verdicts.map(Verdict::phrase)),
        became,
        new => new.map(Verdict::phrase),
        names => serialised(names),
        given => serialised(review::labels_as_json(it.rating, responses)),
        changed => changed.map(|now| serialised(review::labels_as_json(now, responses))),
        strength => won.and_then(|(verdict, strength)| Some((verdict.phrase(), strength?))),
        tags => serialised(&it.remark.tags),
        notes => review::notes_context(notes, ResponseOrder::OF_FILE, responses),
    }
}
