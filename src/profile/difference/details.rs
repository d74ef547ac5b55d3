//! What two datasets say of a sample beside its texts, labels and who wins: what annotators said
//! one by one, facts, quotes and rationales. It is read from the rows of a sample.

use std::collections::{BTreeMap, BTreeSet};

use crate::dataset::{Dataset, LoadedSample, Sample, SampleBody};
use crate::model::{NamedVote, ResponseId, Votes};
use crate::schema::Schema;
use crate::table::{ColumnId, ColumnSource};
use crate::text::exact_number;

/// What is said in it, of a sample or of one of its responses, by the letters of the first dataset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SampleDetail {
    /// What each annotator said of a label of a response.
    Annotations(String, ResponseId),
    /// What each annotator said of who wins: by how much A does, negative where B does.
    Votes,
    /// A fact; of a response where its rows do not say the same.
    Fact(String, Option<ResponseId>),
    /// The passages that a response can cite.
    Quotes(ResponseId),
    /// What was written, under this name.
    Rationale(String, Option<ResponseId>),
}

/// Everything that is said of a sample, as text.
pub(super) type SampleDetails = BTreeMap<SampleDetail, String>;

/// What both datasets can say.
#[derive(Debug, Default)]
pub(super) struct ComparedDetails {
    both: PossibleDetails,
    of_one: PossibleDetails,
}

/// What a dataset can say, by its schemas.
#[derive(Debug, Default)]
struct PossibleDetails {
    /// Labels of which it has what each annotator said.
    annotations: BTreeSet<String>,
    /// Facts, and fields that no schema names.
    facts: BTreeSet<String>,
    rationales: BTreeSet<String>,
    /// [`VOTES`] and [`QUOTES`], where it can have them.
    others: BTreeSet<&'static str>,
}

const VOTES: &str = "votes";
const QUOTES: &str = "quotes";

impl PossibleDetails {
    fn of(dataset: &Dataset) -> Self {
        let mut all = Self::default();
        for (at, file) in dataset.files().iter().enumerate() {
            let definition = file.schema.definition();
            let facts = definition.facts.iter();
            all.facts.extend(facts.map(|fact| fact.name.clone()));
            let fields = file.fields.columns().into_iter();
            all.facts
                .extend(fields.map(|field| field.id.name.to_owned()));
            let texts = definition.texts.iter();
            all.rationales.extend(texts.map(|text| text.name.clone()));
            all.others
                .extend(file.schema.has_quotes().then_some(QUOTES));
            let mut chunks = dataset.chunks().iter();
            let Some(chunk) = chunks.find(|chunk| chunk.file() == at) else {
                continue;
            };
            let columns = chunk.columns();
            all.others
                .extend(columns.get(ColumnId::VOTES).map(|_| VOTES));
            let lists = columns.all().map(|(id, _)| id);
            let lists = lists.filter(|id| matches!(id.source, ColumnSource::Annotations));
            all.annotations.extend(lists.map(|id| id.name.to_owned()));
        }
        all
    }
}

impl ComparedDetails {
    pub(super) fn of(datasets: [&Dataset; 2]) -> Self {
        let [old, new] = datasets.map(PossibleDetails::of);
        let both = PossibleDetails {
            annotations: &old.annotations & &new.annotations,
            facts: &old.facts & &new.facts,
            rationales: &old.rationales & &new.rationales,
            others: &old.others & &new.others,
        };
        let of_one = PossibleDetails {
            annotations: &old.annotations ^ &new.annotations,
            facts: &old.facts ^ &new.facts,
            rationales: &old.rationales ^ &new.rationales,
            others: &old.others ^ &new.others,
        };
        Self { both, of_one }
    }

    /// Whether there is anything to compare.
    pub(super) fn any(&self) -> bool {
        let both = &self.both;
        let named = [&both.annotations, &both.facts, &both.rationales];
        named.iter().any(|names| !names.is_empty()) || !both.others.is_empty()
    }

    /// What one of them alone can say, by name.
    pub(super) fn of_one(&self) -> Vec<String> {
        let PossibleDetails {
            annotations,
            facts,
            rationales,
            others,
        } = &self.of_one;
        let named = facts.iter().chain(rationales).cloned();
        let each = annotations
            .iter()
            .map(|label| format!("annotators of {label}"));
        let others = others.iter().map(|&name| name.to_owned());
        named.chain(each).chain(others).collect()
    }

    /// What is said of a sample, of its responses by the letters of another order, which has each at a
    /// place here; `None` of what is no sample.
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
        if self.both.others.contains(VOTES) {
            let votes = votes(&sample.votes, &letter);
            details.extend(votes.map(|votes| (SampleDetail::Votes, votes)));
        }
        for fact in &sample.facts {
            details.extend(
                self.fact(&fact.name, &letter)
                    .map(|it| (it, fact.value.to_string())),
            );
        }
        for it in &sample.rationales {
            // A field that no schema names can be a text in some rows.
            let names = [&self.both.rationales, &self.both.facts];
            if names.iter().any(|names| names.contains(&it.name)) {
                let detail = SampleDetail::Rationale(it.name.clone(), it.response.map(letter));
                // Those of several annotators, one after the other.
                push_part(details.entry(detail).or_default(), &it.text);
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
            let labels = schema.labels().iter().zip(&response.annotations);
            let said = labels.filter(|(label, _)| self.both.annotations.contains(&label.name));
            details.extend(said.filter_map(|(label, said)| {
                let detail = SampleDetail::Annotations(label.name.clone(), letter(id));
                Some((detail, said.clone()?))
            }));
            if let Some(quotes) = (response.quotes.as_ref())
                .filter(|quotes| !quotes.is_empty() && self.both.others.contains(QUOTES))
            {
                let quotes = quotes
                    .iter()
                    .flat_map(|quote| [&quote.title, &quote.extract]);
                let text = details.entry(SampleDetail::Quotes(letter(id))).or_default();
                quotes.for_each(|part| push_part(text, part));
            }
        }
    }

    /// A fact by the name that a sample has for it, which ends in a letter where its rows do not say
    /// the same.
    fn fact(&self, name: &str, letter: &dyn Fn(ResponseId) -> ResponseId) -> Option<SampleDetail> {
        if self.both.facts.contains(name) {
            return Some(SampleDetail::Fact(name.to_owned(), None));
        }
        let (name, of) = name.rsplit_once(' ')?;
        let response = ResponseId::of_letter(of)?;
        let is_compared = self.both.facts.contains(name);
        is_compared.then(|| SampleDetail::Fact(name.to_owned(), Some(letter(response))))
    }
}

/// Adds one of several texts, told from the next by its length: any character can stand in them.
fn push_part(text: &mut String, part: &str) {
    text.push_str(&format!("{} ", part.len()));
    text.push_str(part);
}

/// What annotators said of who wins, by the letters of the first dataset; `None` where none did.
fn votes(votes: &Votes, letter: &dyn Fn(ResponseId) -> ResponseId) -> Option<String> {
    let word = |it: &NamedVote| match it.vote.verdict.renamed(|id| Some(letter(id))) {
        // A nought has no sign.
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

/// What is not the same, in the order of what it is.
pub(super) fn changes(
    old: SampleDetails,
    mut new: SampleDetails,
) -> impl Iterator<Item = (SampleDetail, [Option<String>; 2])> {
    let mut all: BTreeMap<SampleDetail, [Option<String>; 2]> = BTreeMap::new();
    for (detail, before) in old {
        let now = new.remove(&detail);
        all.insert(detail, [Some(before), now]);
    }
    all.extend(
        new.into_iter()
            .map(|(detail, now)| (detail, [None, Some(now)])),
    );
    all.into_iter().filter(|(_, [before, now])| before != now)
}
