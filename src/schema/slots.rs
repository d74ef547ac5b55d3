//! Which captured value of a line is what: the paths of a definition as places in one list of
//! values.

use super::definition::{Definition, PromptPaths, RatingSource, ResponsePaths, VerdictRule};
use super::path::{Path, Tree};
use super::vote_path::VotePaths;
use crate::toml_file::TomlFault;

/// Which captured value is what.
#[derive(Debug)]
pub(super) struct Slots {
    pub(super) prompt: Option<PromptSlots>,
    /// The responses that a row can have; of a row with any number of them those that are there
    /// count, in this order.
    pub(super) responses: Vec<ResponseSlots>,
    /// What the rule for the verdict reads, in the order in which the rule names it.
    pub(super) verdict: Vec<u16>,
    /// For each fact where its values stand: one, or those of the elements of a list.
    pub(super) facts: Vec<Vec<u16>>,
    /// What must be there for the schema to be found by itself.
    pub(super) needs: Vec<u16>,
    pub(super) same: Vec<u16>,
    /// What rows of one group have in common.
    pub(super) group: Vec<u16>,
    /// Where the first elements of lists stand that are longer than there are places.
    pub(super) beyond: Vec<u16>,
    /// Where texts about the sample and its responses stand, in the order in which they are told.
    pub(super) texts: Vec<RationaleSlot>,
    /// Where the first elements of lists of annotators' texts stand that are longer than is read.
    pub(super) more_annotators: Vec<u16>,
    /// Where annotators say which response is best, for each `[[vote]]` of the definition.
    pub(super) votes: Vec<VoteSlots>,
    /// The annotator of the row.
    pub(super) annotator: Option<u16>,
}

/// Where the votes of a `[[vote]]` are.
#[derive(Debug)]
pub(super) struct VoteSlots {
    pub(super) source: VoteSource,
    /// Where the names of the responses are that votes use, by their places among the slots.
    pub(super) names: Vec<u16>,
}

/// How the votes of a row are captured.
#[derive(Debug)]
pub(super) enum VoteSource {
    /// What each of the first [`MOST_ANNOTATORS`] of a list says, and their names: for a list in which
    /// other values have slots, so that a scan goes through it anyway.
    First(Vec<(u16, Option<u16>)>),
    /// The whole list, captured unread.
    Whole(u16),
    /// Fields of the record.
    Columns(VoteColumns),
}

/// Votes in fields of the record.
#[derive(Debug)]
pub(super) struct VoteColumns {
    pub(super) scores: Vec<VotePart>,
    pub(super) annotator: Vec<VotePart>,
    /// What can say that there is no vote.
    pub(super) skip: Vec<VotePart>,
}

/// A slot, and the way on from there in its value.
#[derive(Debug)]
pub(super) struct VotePart {
    pub(super) slot: u16,
    pub(super) rest: Path,
}

/// Where a text about the sample or a response stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct RationaleSlot {
    pub(super) slot: u16,
    /// Which `[[text]]` of the definition it is.
    pub(super) text: usize,
    /// Which of the definition's [places of texts](Definition::places_of_texts) it is of.
    pub(super) place: usize,
    /// Its response among the slots; `None` where it is about the sample.
    pub(super) response: Option<usize>,
    pub(super) annotator: Option<usize>,
}

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextSlot {
    pub(super) slot: u16,
    /// Whether the text itself is JSON.
    pub(super) is_json: bool,
}

/// Where the prompt stands.
#[derive(Debug)]
pub(super) struct PromptSlots {
    /// Its texts: of several those that are there follow each other.
    pub(super) texts: Vec<TextSlot>,
    /// The system's turn.
    pub(super) system: Option<TextSlot>,
    /// Earlier turns.
    pub(super) history: Option<TextSlot>,
    /// Further values in which rows of one sample agree.
    pub(super) beside: Vec<u16>,
}

impl PromptSlots {
    /// All places at which it has a turn.
    pub(super) fn slots(&self) -> impl Iterator<Item = u16> {
        let turns = self.texts.iter().chain(&self.system).chain(&self.history);
        turns.map(|text| text.slot)
    }

    /// The only text, if it has nothing else.
    pub(super) fn only_text(&self) -> Option<TextSlot> {
        self.only_value().filter(|text| !text.is_json)
    }

    /// The only place at which rows with one prompt have the same value.
    pub(super) fn only_value(&self) -> Option<TextSlot> {
        let is_alone = self.system.is_none() && self.history.is_none() && self.beside.is_empty();
        match self.texts[..] {
            [only] if is_alone => Some(only),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct ResponseSlots {
    pub(super) text: TextSlot,
    /// Whether a row may lack it: one of a list of any length.
    pub(super) is_optional: bool,
    /// Whether it is itself an element of such a list.
    pub(super) is_bare_element: bool,
    pub(super) quotes: Option<u16>,
    pub(super) prefix: Option<u16>,
    pub(super) completion: Option<u16>,
    /// One for each label of the schema, in its order.
    pub(super) ratings: Vec<Option<RatingSlot>>,
    /// Which `[[response]]` of the definition it is of.
    pub(super) table: usize,
}

/// Where the value of a label comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RatingSlot {
    Value(u16),
    Constant(f64),
}

/// How many elements of a list make a fact.
const MOST_IN_FACT: usize = 10;
/// Annotators of a list that have a place of their own: of texts, no more are read.
pub(super) const MOST_ANNOTATORS: usize = 16;

impl Slots {
    /// The places of all paths of a definition.
    ///
    /// `places` is how many elements of a list of responses have a place of their own.
    ///
    /// # Errors
    /// When one of its paths lies inside another.
    pub(super) fn of(
        definition: &Definition,
        places: usize,
        tree: &mut Tree,
    ) -> Result<Self, TomlFault> {
        let mut builder = SlotBuilder { definition, tree };
        let prompt = definition.prompt.as_ref();
        let prompt = prompt.map(|paths| builder.prompt(paths)).transpose()?;
        let (mut responses, mut beyond) = (Vec::new(), Vec::new());
        for (table, paths) in definition.responses.iter().enumerate() {
            let is_optional = paths.is_of_each();
            let count = if is_optional { places } else { 1 };
            for element in 0..count {
                let paths = match is_optional {
                    true => &paths.of_element(element),
                    false => paths,
                };
                responses.push(builder.response(paths, table, is_optional)?);
            }
            if is_optional {
                let path = paths.of_element(places).text;
                beyond.push(builder.slot(&path, "response", table, &["text"])?);
            }
        }
        let verdict = definition.rule().into_iter().flat_map(VerdictRule::paths);
        let verdict = builder.slots(verdict, "verdict")?;
        let facts = (definition.facts.iter().enumerate())
            .map(|(place, fact)| {
                let count = if fact.path.is_of_each() {
                    MOST_IN_FACT
                } else {
                    1
                };
                (0..count)
                    .map(|element| {
                        let path = fact.path.of_element(element);
                        builder.slot(&path, "fact", place, &["path"])
                    })
                    .collect()
            })
            .collect::<Result<_, _>>()?;
        let needs = builder.slots(&definition.needs, "needs")?;
        let same = builder.slots(&definition.same, "same")?;
        let group = builder.slots(&definition.group, "group")?;
        let (texts, more_annotators) = builder.texts(&responses)?;
        let annotator = builder.slots(&definition.annotator, "annotator")?;
        let votes = builder.votes(responses.len())?;
        Ok(Self {
            prompt,
            responses,
            verdict,
            facts,
            needs,
            same,
            group,
            beyond,
            texts,
            more_annotators,
            votes,
            annotator: annotator.first().copied(),
        })
    }
}

/// A text that a definition names, and where.
struct NamedText {
    path: Path,
    text: usize,
    /// Which of the definition's [places of texts](Definition::places_of_texts) it is of.
    place: usize,
    /// Its response among the slots, and which `[[response]]` that is of.
    response: Option<(usize, usize)>,
}

struct SlotBuilder<'d, 't> {
    definition: &'d Definition,
    tree: &'t mut Tree,
}

impl SlotBuilder<'_, '_> {
    /// The place of a path without lists; the rest is where the definition says it, for the error.
    fn slot(
        &mut self,
        path: &Path,
        table: &str,
        place: usize,
        keys: &[&str],
    ) -> Result<u16, TomlFault> {
        let slot = match path.is_of_each() {
            true => Err(
                "has a `*` too many: one for each element of a list of responses, of a fact, or of a text's annotators",
            ),
            false => self
                .tree
                .slot(path)
                .ok_or("lies inside another one, or contains it"),
        };
        slot.map_err(|why| {
            let what = format!("the path {path} {why}");
            self.definition.fault(table, place, keys, what)
        })
    }

    /// Texts as they are told: those of no list, those about the sample first; then list by list what
    /// each annotator wrote.
    fn texts(
        &mut self,
        responses: &[ResponseSlots],
    ) -> Result<(Vec<RationaleSlot>, Vec<u16>), TomlFault> {
        let all = self.named_texts(responses);
        let lists: Vec<_> = all.iter().map(|one| one.path.list()).collect();
        let (mut texts, mut more) = (Vec::new(), Vec::new());
        for (one, list) in all.iter().zip(&lists) {
            if list.is_none() {
                texts.push((None, self.rationale(one, None)?));
                continue;
            }
            let list = lists.iter().position(|other| other == list);
            for annotator in 0..MOST_ANNOTATORS {
                let text = self.rationale(one, Some(annotator))?;
                texts.push((Some((list, annotator)), text));
            }
            more.push(self.text_slot(one, MOST_ANNOTATORS)?);
        }
        texts.sort_by_key(|(order, _)| *order);
        Ok((texts.into_iter().map(|(_, text)| text).collect(), more))
    }

    /// Votes, `[[vote]]` by `[[vote]]`, about so many responses.
    fn votes(&mut self, responses: usize) -> Result<Vec<VoteSlots>, TomlFault> {
        let votes = self.definition.votes.iter().enumerate();
        let slots = |(place, vote): (usize, &VotePaths)| {
            let name = |response: usize| {
                let path = vote.names.get(response).or(vote.names.first())?;
                Some(path.of_element(response))
            };
            let source = self.vote_source(vote, place)?;
            let names = (0..responses).filter_map(name);
            let names = names.map(|path| self.slot(&path, "vote", place, &["names"]));
            let names = names.collect::<Result<_, _>>()?;
            Ok(VoteSlots { source, names })
        };
        votes.map(slots).collect()
    }

    fn vote_source(&mut self, vote: &VotePaths, place: usize) -> Result<VoteSource, TomlFault> {
        let Some(each) = &vote.each else {
            let annotator = match vote.annotator.is_empty() {
                true => self.definition.annotator.as_slice(),
                false => &vote.annotator,
            };
            let skip = vote.skip.keys().map(|path| Path::from(path.as_str()));
            return Ok(VoteSource::Columns(VoteColumns {
                scores: self.vote_parts(&vote.columns, place, "columns")?,
                annotator: self.vote_parts(annotator, place, "annotator")?,
                skip: self.vote_parts(&skip.collect::<Vec<_>>(), place, "skip")?,
            }));
        };
        let is_plain = |paths: &[Path]| paths.len() < 2 && !paths.iter().any(Path::is_of_each);
        let is_split = is_plain(&vote.score) && is_plain(&vote.annotator) && vote.skip.is_empty();
        if !is_split || !self.tree.leads_through(each) {
            let slot = self.slot(each, "vote", place, &["each"]);
            return slot.map(VoteSource::Whole);
        }
        let (score, annotator) = (vote.whole_path(), vote.annotator.first());
        let annotator = annotator.map(|path| each.each_then(path));
        let slots = (0..MOST_ANNOTATORS).map(|one| {
            let score = self.slot(&score.of_element(one), "vote", place, &["score"])?;
            let annotator = annotator
                .as_ref()
                .map(|path| self.slot(&path.of_element(one), "vote", place, &["annotator"]));
            Ok((score, annotator.transpose()?))
        });
        Ok(VoteSource::First(slots.collect::<Result<_, _>>()?))
    }

    fn vote_parts(
        &mut self,
        paths: &[Path],
        place: usize,
        key: &str,
    ) -> Result<Vec<VotePart>, TomlFault> {
        let part = |path: &Path| {
            let before = path.list().unwrap_or(path.steps());
            let slot = self.slot(&Path::of_steps(before), "vote", place, &[key])?;
            let rest = Path::of_steps(&path.steps()[before.len()..]);
            Ok(VotePart { slot, rest })
        };
        paths.iter().map(part).collect()
    }

    fn rationale(
        &mut self,
        one: &NamedText,
        annotator: Option<usize>,
    ) -> Result<RationaleSlot, TomlFault> {
        Ok(RationaleSlot {
            slot: self.text_slot(one, annotator.unwrap_or(0))?,
            text: one.text,
            place: one.place,
            response: one.response.map(|(slot, _)| slot),
            annotator,
        })
    }

    fn text_slot(&mut self, one: &NamedText, annotator: usize) -> Result<u16, TomlFault> {
        let texts = &self.definition.texts;
        let name = texts.get(one.text).map_or("", |text| &*text.name);
        let path = one.path.of_element(annotator);
        match one.response {
            // A list of annotators inside one of responses cannot be said.
            Some((_, table)) if self.definition.responses[table].is_of_each() => {
                self.slot(&one.path, "response", table, &["texts", name])
            }
            Some((_, table)) => self.slot(&path, "response", table, &["texts", name]),
            None => self.slot(&path, "text", one.text, &["path"]),
        }
    }

    /// The texts of the definition, those about the sample first, each of a list of responses for
    /// itself. A step `*` that is left in a path is an annotator's.
    fn named_texts(&self, responses: &[ResponseSlots]) -> Vec<NamedText> {
        let places = self.definition.places_of_texts();
        let places = || places.iter().enumerate();
        let of_sample = places().filter(|(_, it)| it.response.is_none());
        let of_sample = of_sample.map(|(place, it)| NamedText {
            path: it.path.clone(),
            text: it.number,
            place,
            response: None,
        });
        let mut all: Vec<_> = of_sample.collect();
        let mut element = 0;
        for (slot, slots) in responses.iter().enumerate() {
            let is_next = slot > 0 && responses[slot - 1].table == slots.table;
            element = if is_next { element + 1 } else { 0 };
            let Some(table) = self.definition.responses.get(slots.table) else {
                continue;
            };
            let of_table = places().filter(|(_, it)| it.response == Some(slots.table));
            all.extend(of_table.map(|(place, it)| NamedText {
                path: match table.is_of_each() {
                    true => table.whole(it.path).of_element(element),
                    false => it.path.clone(),
                },
                text: it.number,
                place,
                response: Some((slot, slots.table)),
            }));
        }
        all
    }

    fn slots<'p>(
        &mut self,
        paths: impl IntoIterator<Item = &'p Path>,
        key: &str,
    ) -> Result<Vec<u16>, TomlFault> {
        let slot = |path| self.slot(path, key, 0, &[]);
        paths.into_iter().map(slot).collect()
    }

    fn prompt(&mut self, paths: &PromptPaths) -> Result<PromptSlots, TomlFault> {
        let mut text = |path: &Path, is_json: bool, keys: &[&str]| {
            let slot = self.slot(path, "prompt", 0, keys)?;
            Ok(TextSlot { slot, is_json })
        };
        let texts = paths.path.iter();
        let texts = texts.map(|path| text(path, paths.json, &["path"]));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        if texts.is_empty() {
            let what = "[prompt] has no path";
            return Err(self.definition.fault("prompt", 0, &["path"], what));
        }
        let mut turn = |path: &Option<Path>, key| {
            let path = path.as_ref();
            path.map(|path| text(path, false, &[key])).transpose()
        };
        Ok(PromptSlots {
            system: turn(&paths.system, "system")?,
            history: turn(&paths.history, "history")?,
            beside: self.slots(&paths.beside, "prompt")?,
            texts,
        })
    }

    fn response(
        &mut self,
        paths: &ResponsePaths,
        table: usize,
        is_optional: bool,
    ) -> Result<ResponseSlots, TomlFault> {
        let text = TextSlot {
            slot: self.slot(&paths.text, "response", table, &["text"])?,
            is_json: paths.json,
        };
        let mut optional = |path: &Option<Path>, key| {
            let slot = |path| self.slot(path, "response", table, &[key]);
            path.as_ref().map(slot).transpose()
        };
        let quotes = optional(&paths.quotes, "quotes")?;
        let prefix = optional(&paths.prefix_tokens, "prefix_tokens")?;
        let completion = optional(&paths.completion_tokens, "completion_tokens")?;
        let definition = self.definition;
        let mut ratings = Vec::with_capacity(definition.labels.len());
        for label in &definition.labels {
            let name = &label.name;
            ratings.push(match paths.ratings.get(name) {
                Some(RatingSource::Path(path)) => {
                    let slot = self.slot(path, "response", table, &["ratings", name])?;
                    Some(RatingSlot::Value(slot))
                }
                Some(RatingSource::Constant(value)) => Some(RatingSlot::Constant(*value)),
                None => None,
            });
        }
        Ok(ResponseSlots {
            text,
            is_optional: is_optional || paths.is_optional,
            is_bare_element: is_optional && definition.responses[table].is_bare_element(),
            quotes,
            prefix,
            completion,
            ratings,
            table,
        })
    }
}
