//! Details of a sample besides its texts, labels and winner: annotators' values, facts, quotes and
//! rationales. They are read from the rows of a sample.

use std::collections::{BTreeMap, BTreeSet};

use super::{PartKind, SamplePart};
use crate::dataset::{ChunkColumns, Dataset, LoadedSample, Sample, SampleBody};
use crate::model::{NamedVote, ResponseId, Votes};
use crate::schema::Schema;
use crate::table::{ColumnId, ColumnSource};
use crate::text::exact_number;

/// All details of a sample, as text.
pub(super) type SampleDetails = BTreeMap<SamplePart, String>;

/// Details that both datasets can have, and those that only one can have, by kind and name.
#[derive(Debug, Default)]
pub(super) struct ComparedDetails {
    both: BTreeSet<(PartKind, String)>,
    of_one: BTreeSet<(PartKind, String)>,
}

/// Returns the details that a dataset can have, by its schemas: facts, fields that no schema names,
/// texts, quotes, votes, and labels with annotators' values.
fn possible(dataset: &Dataset) -> BTreeSet<(PartKind, String)> {
    let mut all = BTreeSet::new();
    for (at, file) in dataset.files().iter().enumerate() {
        let definition = file.schema.definition();
        let facts = definition.facts.iter().map(|fact| fact.name.clone());
        let fields = file.fields.columns().into_iter();
        let facts = facts.chain(fields.map(|field| field.id.name.to_owned()));
        all.extend(facts.map(|name| (PartKind::Fact, name)));
        let texts = definition.texts.iter();
        all.extend(texts.map(|text| (PartKind::Rationale, text.name.clone())));
        let has_quotes = definition.has_quotes();
        all.extend(has_quotes.then_some((PartKind::Quotes, String::new())));
        // Annotators' verdicts and labels are known only from the rows read.
        let chunk = dataset.chunks_of_file(at).first();
        let columns = chunk.map(|chunk| chunk.columns());
        for (id, _) in columns.into_iter().flat_map(ChunkColumns::all) {
            match id.source {
                _ if id == ColumnId::VOTES => all.insert((PartKind::Votes, String::new())),
                ColumnSource::Annotations => all.insert((PartKind::Annotators, id.name.to_owned())),
                _ => false,
            };
        }
    }
    all
}

impl ComparedDetails {
    pub(super) fn of(datasets: [&Dataset; 2]) -> Self {
        let [old, new] = datasets.map(possible);
        Self {
            both: &old & &new,
            of_one: &old ^ &new,
        }
    }

    /// True if there are details to compare.
    pub(super) fn any(&self) -> bool {
        !self.both.is_empty()
    }

    fn has(&self, kind: PartKind, name: &str) -> bool {
        let mut both = self.both.iter();
        both.any(|(known, of)| *known == kind && of == name)
    }

    /// Returns the names of the details that only one dataset can have, facts and texts first.
    pub(super) fn of_one(&self) -> Vec<String> {
        let mut parts: Vec<_> = self.of_one.iter().collect();
        parts.sort_by_key(|(kind, _)| !matches!(kind, PartKind::Fact | PartKind::Rationale));
        let names = parts.into_iter();
        names.map(|(kind, name)| kind.described(name)).collect()
    }

    /// Returns the details of a sample, with its responses lettered in the order of the other
    /// dataset; `None` for malformed rows.
    pub(super) fn of_sample(
        &self,
        loaded: &LoadedSample<'_, '_>,
        order: Option<&[usize]>,
    ) -> Option<SampleDetails> {
        let SampleBody::Sample(sample) = &loaded.body else {
            return None;
        };
        let letter = |id: ResponseId| {
            let place = order.and_then(|order| order.iter().position(|at| *at == id.index()));
            place.and_then(ResponseId::new).unwrap_or(id)
        };
        let mut details = SampleDetails::new();
        self.put_responses(sample, loaded.schema, &letter, &mut details);
        if self.has(PartKind::Votes, "") {
            let votes = votes(&sample.votes, &letter);
            details.extend(votes.map(|votes| (part(PartKind::Votes, "", None), votes)));
        }
        for fact in &sample.facts {
            details.extend(
                self.fact(&fact.name, &letter)
                    .map(|it| (it, fact.value.to_string())),
            );
        }
        for it in &sample.rationales {
            // A field that no schema names can be a text in some rows.
            if self.has(PartKind::Rationale, &it.name) || self.has(PartKind::Fact, &it.name) {
                let part = part(PartKind::Rationale, &it.name, it.response.map(letter));
                // Those of several annotators are concatenated.
                push_part(details.entry(part).or_default(), &it.text);
            }
        }
        Some(details)
    }

    fn put_responses(
        &self,
        sample: &Sample<'_>,
        schema: &Schema,
        letter: &dyn Fn(ResponseId) -> ResponseId,
        details: &mut SampleDetails,
    ) {
        for (id, response) in ResponseId::all().zip(&sample.responses) {
            let labels = schema
                .labels()
                .iter()
                .zip(&response.annotations)
                .filter(|(label, _)| self.has(PartKind::Annotators, &label.name));
            details.extend(labels.filter_map(|(label, said)| {
                let part = part(PartKind::Annotators, &label.name, Some(letter(id)));
                Some((part, said.clone()?))
            }));
            let quotes = response.quotes.iter().flatten();
            for quote in quotes.filter(|_| self.has(PartKind::Quotes, "")) {
                let part = part(PartKind::Quotes, "", Some(letter(id)));
                let text = details.entry(part).or_default();
                [&quote.title, &quote.extract]
                    .into_iter()
                    .for_each(|it| push_part(text, it));
            }
        }
    }

    /// Returns the part for a fact's name in a sample, which ends in a letter if its rows differ.
    fn fact(&self, name: &str, letter: &dyn Fn(ResponseId) -> ResponseId) -> Option<SamplePart> {
        if self.has(PartKind::Fact, name) {
            return Some(part(PartKind::Fact, name, None));
        }
        let (name, of) = name.rsplit_once(' ')?;
        let response = ResponseId::of_letter(of)?;
        let is_compared = self.has(PartKind::Fact, name);
        is_compared.then(|| part(PartKind::Fact, name, Some(letter(response))))
    }
}

impl PartKind {
    /// Returns a description with its name.
    fn described(self, name: &str) -> String {
        match self {
            Self::Annotators => format!("annotators of {name}"),
            Self::Verdict => "who wins".to_owned(),
            Self::Margin => "margin".to_owned(),
            Self::Votes => "votes".to_owned(),
            Self::Quotes => "quotes".to_owned(),
            Self::Label | Self::Fact | Self::Rationale => name.to_owned(),
        }
    }
}

pub(super) fn part(kind: PartKind, name: &str, response: Option<ResponseId>) -> SamplePart {
    let name = name.to_owned();
    SamplePart {
        kind,
        name,
        response,
    }
}

/// Appends a length-prefixed text (texts may contain any character).
fn push_part(text: &mut String, part: &str) {
    text.push_str(&format!("{} ", part.len()));
    text.push_str(part);
}

/// Returns the annotators' votes with the letters of the first dataset; `None` if there are none.
fn votes(votes: &Votes, letter: &dyn Fn(ResponseId) -> ResponseId) -> Option<String> {
    let word = |it: &NamedVote| match it.vote.verdict.renamed(|id| Some(letter(id))) {
        // Zero without a sign.
        Some(verdict) if votes.have_strengths && verdict != it.vote.verdict => {
            exact_number(0.0 - it.vote.code())
        }
        _ if votes.have_strengths => exact_number(it.vote.code()),
        verdict => verdict.unwrap_or(it.vote.verdict).word(),
    };
    let mut words: Vec<_> = votes.each.iter().map(word).collect();
    words.extend((votes.excluded > 0).then(|| format!("({} left out)", votes.excluded)));
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the details that differ, in order.
pub(super) fn changes(
    old: SampleDetails,
    new: SampleDetails,
) -> impl Iterator<Item = (SamplePart, [Option<String>; 2])> {
    let mut all: BTreeMap<SamplePart, [Option<String>; 2]> = BTreeMap::new();
    for (side, details) in [old, new].into_iter().enumerate() {
        for (part, value) in details {
            all.entry(part).or_default()[side] = Some(value);
        }
    }
    all.into_iter().filter(|(_, [before, now])| before != now)
}
