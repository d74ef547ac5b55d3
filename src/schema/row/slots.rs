//! Assigns captured values to fields: the paths of a definition, as indices into one list of
//! values.

use super::path::Tree;
use crate::schema::layout::definition::{
    Definition, PromptPaths, RatingSource, ResponsePaths, VerdictRule,
};
use crate::schema::layout::vote_path::VotePaths;
use crate::table::Path;
use crate::toml_file::TomlFault;

/// The slot (index of a captured value) of every path of a definition.
#[derive(Debug)]
pub struct Slots {
    pub prompt: Option<PromptSlots>,
    /// All responses that a row can have, in order. If rows have any number of them, the present
    /// ones count.
    pub responses: Vec<ResponseSlots>,
    /// What the verdict rule reads, in the rule's order.
    pub verdict: Vec<u16>,
    /// For each fact, the slots of its value or of the elements of its list.
    pub facts: Vec<Vec<u16>>,
    /// Values that a file must have for this schema to be detected.
    pub needs: Vec<u16>,
    pub same: Vec<u16>,
    /// Values that the rows of one group share.
    pub group: Vec<u16>,
    /// The first elements past the slots of lists of responses.
    pub beyond: Vec<u16>,
    /// Texts about the sample and its responses, in display order.
    pub texts: Vec<RationaleSlot>,
    /// The first elements past the annotators that are read, in lists of annotators' texts.
    pub more_annotators: Vec<u16>,
    /// Votes for the best response, for each `[[vote]]` of the definition.
    pub votes: Vec<VoteSlots>,
    /// The row's annotator.
    pub annotator: Option<u16>,
}

#[derive(Debug)]
pub struct VoteSlots {
    pub source: VoteSource,
    /// Names by which votes refer to responses, by index in [`Slots::responses`].
    pub names: Vec<u16>,
}

#[derive(Debug)]
pub enum VoteSource {
    /// Votes and names of the first [`MAX_ANNOTATORS`] of a list. Used if other values in the list
    /// have slots, so that it is scanned anyway.
    First(Vec<(u16, Option<u16>)>),
    /// The whole list, captured unparsed, and lists beside it: of values that can mean that the vote
    /// in the same place is none, and of annotators.
    Whole {
        list: u16,
        skip: Vec<VotePart>,
        annotator: Vec<VotePart>,
    },
    /// Fields of the record, one vote each.
    Columns(VoteColumns),
}

#[derive(Debug)]
pub struct VoteColumns {
    pub scores: Vec<VotePart>,
    pub annotator: Vec<VotePart>,
    /// Values that can mean that there is no vote.
    pub skip: Vec<VotePart>,
}

/// A slot, and the rest of the path inside its value.
#[derive(Debug)]
pub struct VotePart {
    pub slot: u16,
    pub rest: Path,
}

/// Slot of a text about the sample or a response.
#[derive(Debug, Clone, Copy)]
pub struct RationaleSlot {
    pub slot: u16,
    /// Index of its `[[text]]` in the definition.
    pub text: usize,
    /// Index in the definition's [places of texts](Definition::places_of_texts).
    pub place: usize,
    /// Index of its response in [`Slots::responses`]; `None` if it is about the sample.
    pub response: Option<usize>,
    pub annotator: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSlot {
    pub slot: u16,
    /// True if the text itself is JSON.
    pub is_json: bool,
}

#[derive(Debug)]
pub struct PromptSlots {
    /// Its texts, which follow each other; missing ones are skipped.
    pub texts: Vec<TextSlot>,
    pub system: Option<TextSlot>,
    pub history: Option<TextSlot>,
    /// Further values that rows of one sample share.
    pub beside: Vec<u16>,
}

impl PromptSlots {
    /// Returns the slots of all its turns.
    pub fn slots(&self) -> impl Iterator<Item = u16> {
        self.texts
            .iter()
            .chain(&self.system)
            .chain(&self.history)
            .map(|text| text.slot)
    }

    /// Returns its text if it consists of nothing else.
    pub fn only_text(&self) -> Option<TextSlot> {
        self.only_value().filter(|text| !text.is_json)
    }

    /// Returns its value if that alone identifies the prompt.
    pub fn only_value(&self) -> Option<TextSlot> {
        let is_alone = self.system.is_none() && self.history.is_none() && self.beside.is_empty();
        match self.texts[..] {
            [only] if is_alone => Some(only),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub struct ResponseSlots {
    pub text: TextSlot,
    /// True if rows may lack it, as an element of a list of any length.
    pub is_optional: bool,
    /// True if the element of the list is the text itself.
    pub is_bare_element: bool,
    pub quotes: Option<u16>,
    /// One for each label, in the schema's order.
    pub ratings: Vec<Option<RatingSlot>>,
    /// Index of its `[[response]]` in the definition.
    pub table: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatingSlot {
    Value(u16),
    Constant(f64),
}

/// Maximum number of list elements in a fact.
const MAX_IN_FACT: usize = 10;
/// Annotators of a list that have slots. Texts of further annotators are not read.
pub const MAX_ANNOTATORS: usize = 16;

impl Slots {
    /// Assigns slots to all paths of a definition. `places` is the number of slots for the elements
    /// of a list of responses.
    ///
    /// # Errors
    /// If one of its paths is inside another.
    pub fn of(definition: &Definition, places: usize, tree: &mut Tree) -> Result<Self, TomlFault> {
        let mut builder = SlotBuilder { definition, tree };
        let prompt = definition.prompt.as_ref();
        let prompt = prompt.map(|paths| builder.prompt(paths)).transpose()?;
        let (mut responses, mut beyond) = (Vec::new(), Vec::new());
        for (table, paths) in definition.responses.iter().enumerate() {
            let is_optional = paths.is_of_each();
            let count = if is_optional { places } else { 1 };
            for element in 0..count {
                let paths = if is_optional {
                    &paths.of_element(element)
                } else {
                    paths
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
                    MAX_IN_FACT
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

struct NamedText {
    path: Path,
    text: usize,
    /// Index in the definition's [places of texts](Definition::places_of_texts).
    place: usize,
    /// Indices of its response in [`Slots::responses`] and of its `[[response]]`.
    response: Option<(usize, usize)>,
}

struct SlotBuilder<'d, 't> {
    definition: &'d Definition,
    tree: &'t mut Tree,
}

impl SlotBuilder<'_, '_> {
    /// Returns the slot of a path without lists. The other arguments locate it in the definition
    /// for the error.
    fn slot(
        &mut self,
        path: &Path,
        table: &str,
        place: usize,
        keys: &[&str],
    ) -> Result<u16, TomlFault> {
        let slot = if path.is_of_each() {
            Err(
                "has a `*` too many; `*` matches the elements of a list of responses, of a fact, or of a text's annotators",
            )
        } else {
            self.tree
                .slot(path)
                .ok_or("is inside another path, or contains one")
        };
        slot.map_err(|why| {
            let what = format!("the path {path} {why}");
            self.definition.fault(table, place, keys, what)
        })
    }

    /// Orders texts for display: those without a list, about the sample first; then, for each list,
    /// what each annotator wrote.
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
            for annotator in 0..MAX_ANNOTATORS {
                let text = self.rationale(one, Some(annotator))?;
                texts.push((Some((list, annotator)), text));
            }
            more.push(self.text_slot(one, MAX_ANNOTATORS)?);
        }
        texts.sort_by_key(|(order, _)| *order);
        Ok((texts.into_iter().map(|(_, text)| text).collect(), more))
    }

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
        let skip: Vec<_> = vote
            .skip
            .keys()
            .map(|path| Path::from(path.as_str()))
            .collect();
        let Some(each) = &vote.each else {
            let annotator = if vote.annotator.is_empty() {
                self.definition.annotator.as_slice()
            } else {
                &vote.annotator
            };
            return Ok(VoteSource::Columns(VoteColumns {
                scores: self.vote_parts(&vote.columns, place, "columns")?,
                annotator: self.vote_parts(annotator, place, "annotator")?,
                skip: self.vote_parts(&skip, place, "skip")?,
            }));
        };
        let is_plain = |paths: &[Path]| paths.len() < 2 && !paths.iter().any(Path::is_of_each);
        let has_lists = vote.has_lists_beside();
        let is_split = is_plain(&vote.score) && is_plain(&vote.annotator) && skip.is_empty();
        if has_lists || !is_split || !self.tree.leads_through(each) {
            let [annotator, skip] = if has_lists {
                [&*vote.annotator, &skip]
            } else {
                [&[], &[][..]]
            };
            return Ok(VoteSource::Whole {
                list: self.slot(each, "vote", place, &["each"])?,
                skip: self.vote_parts(skip, place, "skip")?,
                annotator: self.vote_parts(annotator, place, "annotator")?,
            });
        }
        let (score, annotator) = (vote.whole_path(), vote.annotator.first());
        let annotator = annotator.map(|path| each.each_then(path));
        let slots = (0..MAX_ANNOTATORS).map(|one| {
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
            // Schemas cannot express a list of annotators inside a list of responses.
            Some((_, table)) if self.definition.responses[table].is_of_each() => {
                self.slot(&one.path, "response", table, &["texts", name])
            }
            Some((_, table)) => self.slot(&path, "response", table, &["texts", name]),
            None => self.slot(&path, "text", one.text, &["path"]),
        }
    }

    /// Returns all texts of the definition, those about the sample first, with one for each element
    /// of a list of responses. A remaining step `*` matches annotators.
    fn named_texts(&self, responses: &[ResponseSlots]) -> Vec<NamedText> {
        let places = self.definition.places_of_texts();
        let places = || places.iter().enumerate();
        let mut all: Vec<_> = places()
            .filter(|(_, it)| it.response.is_none())
            .map(|(place, it)| NamedText {
                path: it.path.clone(),
                text: it.number,
                place,
                response: None,
            })
            .collect();
        let mut element = 0;
        for (slot, slots) in responses.iter().enumerate() {
            let is_next = slot > 0 && responses[slot - 1].table == slots.table;
            element = if is_next { element + 1 } else { 0 };
            let Some(table) = self.definition.responses.get(slots.table) else {
                continue;
            };
            let of_table = places().filter(|(_, it)| it.response == Some(slots.table));
            all.extend(of_table.map(|(place, it)| NamedText {
                path: if table.is_of_each() {
                    it.path.of_element(element)
                } else {
                    it.path.clone()
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
        let texts = paths
            .path
            .iter()
            .map(|path| text(path, paths.json, &["path"]));
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
        let slot = |path| self.slot(path, "response", table, &["quotes"]);
        let quotes = paths.quotes.as_ref().map(slot).transpose()?;
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
            ratings,
            table,
        })
    }
}
