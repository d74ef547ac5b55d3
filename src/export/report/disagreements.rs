//! Samples that a reviewer judges otherwise than the dataset does, the greatest differences first.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::super::markdown::{code, fenced_start, inline, quoted, row, rule};
use super::super::{page, review};
use super::ReportedJudgments;
use crate::dataset::{Buffers, Dataset, LoadedSample, Sample, SampleBody, SampleKey};
use crate::journal::{AfterReveal, Rating, SampleReview};
use crate::model::{ResponseId, ResponseOrder, Verdict};
use crate::review::{RatingForm, SampleLocator};
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
) -> String {
    let mut page = String::new();
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
    let slight = compared
        .iter()
        .filter(|it| !it.is_great() && it.sum > 0.0)
        .count();
    compared.retain(Compared::is_great);
    page.push_str("\n## Disagreements\n\n");
    page.push_str(&format!(
        "Of {all} judgments compared with the dataset, {} differ in who wins or by {} or more in a label, {slight} by less in some label, and {} in nothing. \
         The greatest come first: another winner, a tie on one side alone, then the largest difference of a label.\n",
        compared.len(),
        exact_number(GREAT),
        all - slight - compared.len(),
    ));
    for (count, what) in [
        (alone, "about what the dataset says nothing of"),
        (gone, "about samples that are not in these files"),
        (unread, "about rows that do not read"),
    ] {
        match count {
            0 => {}
            1 => page.push_str(&format!("1 judgment is {what}.\n")),
            count => page.push_str(&format!("{count} judgments are {what}.\n")),
        }
    }
    for (place, it) in (1..).zip(compared.iter().take(MOST_QUOTED)) {
        if let Some(reading) = dataset.read(it.sample, &mut buffers) {
            quote(&mut page, place, dataset, &reading, it);
        }
    }
    if let Some(left @ 1..) = compared.len().checked_sub(MOST_QUOTED) {
        page.push_str(&format!("\n{left} more are left out.\n"));
    }
    page
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

fn quote(
    page: &mut String,
    place: usize,
    dataset: &Dataset,
    reading: &LoadedSample<'_, '_>,
    it: &Compared<'_>,
) {
    let SampleBody::Sample(read) = &reading.body else {
        return;
    };
    let who = inline(&it.rating.reviewer);
    let verdicts = match it.verdicts {
        Some([own, theirs]) if own == theirs => format!("both say {}", own.phrase()),
        Some([own, theirs]) => format!(
            "the dataset says {}, {who} says {}",
            own.phrase(),
            theirs.phrase()
        ),
        None => "no verdicts to compare".to_owned(),
    };
    let became = it.later.map(|(_, what)| review::became_word(what));
    let mark = became
        .map(|became| format!(" ({became} after the labels showed)"))
        .unwrap_or_default();
    page.push_str(&format!(
        "\n### {place}. Sample {}: {verdicts}{mark}\n\n",
        it.sample + 1
    ));
    let key = SampleKey::of(&reading.body);
    page.push_str(&format!("{}\n\n", page::origin(dataset, reading, key)));
    if let Some(became) = became {
        page.push_str(&format!(
            "What {who} said before the labels showed is compared; then it was {became}.{}\n\n",
            changed_verdict(it, reading, &who)
        ));
    }
    values(page, reading, read, it, &who);
    if !it.remark.tags.is_empty() {
        let tags: Vec<_> = it.remark.tags.iter().map(|tag| inline(tag)).collect();
        page.push_str(&format!("Tags: {}\n\n", tags.join(", ")));
    }
    for note in it
        .remark
        .notes
        .iter()
        .filter(|note| note.reviewer == it.rating.reviewer)
    {
        let letters =
            review::note_letters_behind(note, ResponseOrder::OF_FILE, read.responses.len());
        page.push_str(&format!(
            "Note of {who}{letters}:\n\n{}\n",
            quoted(&note.text)
        ));
    }
    for turn in &read.prompt {
        page.push_str(&format!(
            "Prompt, {}:\n\n{}\n",
            turn.role.word(),
            fenced_start(&turn.text, MOST_CHARACTERS)
        ));
    }
    let texts = ResponseId::all().zip(&read.responses);
    let texts = texts.map(|(id, response)| {
        format!(
            "Response {}:\n\n{}",
            id.letter(),
            fenced_start(&response.spoken(), MOST_CHARACTERS)
        )
    });
    page.push_str(&texts.collect::<Vec<_>>().join("\n"));
}

/// The judgment as it is now, where it was changed.
fn changed<'a>(it: &Compared<'a>) -> Option<&'a Rating> {
    it.later
        .filter(|(_, what)| *what == AfterReveal::Changed)
        .map(|(now, _)| now)
}

/// Who wins by a judgment that was changed, as a sentence behind a blank; nothing where that is the
/// same, or is not said.
fn changed_verdict(it: &Compared<'_>, reading: &LoadedSample<'_, '_>, who: &str) -> String {
    let scale = RatingForm::of(reading.schema);
    let responses = match &reading.body {
        SampleBody::Sample(read) => read.responses.len(),
        _ => 0,
    };
    let says = |rating: &Rating| scale.verdict(responses, rating);
    let verdict = changed(it).and_then(says);
    let verdict = verdict.filter(|&now| says(it.rating) != Some(now));
    verdict
        .map(|now| format!(" By that, {who} says {}.", now.phrase()))
        .unwrap_or_default()
}

/// The labels that the reviewer judged, the dataset's beside them.
fn values(
    page: &mut String,
    reading: &LoadedSample<'_, '_>,
    read: &Sample<'_>,
    it: &Compared<'_>,
    who: &str,
) {
    // In the schema's order, and behind them what it does not have.
    let place = |name: &str| {
        reading
            .schema
            .labels()
            .iter()
            .position(|label| label.name == name)
            .unwrap_or(usize::MAX)
    };
    let ratings = [Some(it.rating), changed(it)].into_iter().flatten();
    let rated = ratings.flat_map(|rating| rating.labels.keys());
    let mut names: Vec<&str> = rated.map(|(name, _)| &**name).collect();
    names.sort_by_key(|&name| (place(name), name));
    names.dedup();
    if names.is_empty() {
        return;
    }
    page.push_str(&row(
        std::iter::once(String::new()).chain(names.iter().map(|name| inline(name)))
    ));
    page.push_str(&rule(names.len() + 1));
    for id in ResponseId::first(read.responses.len()) {
        let cell = |value: Option<f64>| value.map_or("–".to_owned(), exact_number);
        let own = names
            .iter()
            .map(|name| cell(stated(reading, read, name, id)));
        let said = |rating: &Rating| {
            let value = |name: &str| rating.label(name, id);
            names
                .iter()
                .map(|&name| cell(value(name)))
                .collect::<Vec<_>>()
        };
        page.push_str(&row(
            std::iter::once(format!("{}, dataset", id.letter())).chain(own)
        ));
        page.push_str(&row(
            std::iter::once(format!("{}, {who}", id.letter())).chain(said(it.rating))
        ));
        if let Some(now) = changed(it) {
            page.push_str(&row(std::iter::once(format!(
                "{}, {who}, changed",
                id.letter()
            ))
            .chain(said(now))));
        }
    }
    if let Some((verdict, Some(strength))) = it
        .rating
        .verdict
        .filter(|(verdict, _)| *verdict != Verdict::Tie)
    {
        page.push_str(&format!(
            "\n{} by {who} with strength {}\n",
            verdict.phrase(),
            code(&strength.to_string())
        ));
    }
    page.push('\n');
}
