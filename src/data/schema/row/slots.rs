//! Assigns captured values to fields: the paths of a definition, as indices into one list of
//! values.

use super::path::Tree;
use crate::schema::layout::column_paths::{PathUse, UseKind};
use crate::schema::layout::definition::{Definition, PromptPaths, RatingSource, ResponsePaths};
use crate::schema::layout::vote_path::VotePaths;
use crate::table::Path;

/// The slot (index of a captured value) of every path of a definition.
#[derive(Debug)]
pub struct Slots {
    pub prompt: Option<PromptSlots>,
    /// All responses that a row can have, in order. If rows have any number of them, the present
    /// ones count.
    pub responses: Vec<ResponseSlots>,
    /// What the verdict rule reads, in the rule's order.
    pub verdict: Vec<usize>,
    pub facts: Vec<NestedSlot>,
    /// Values that a file must have for this schema to be detected.
    pub needs: Vec<usize>,
    pub same: Vec<usize>,
    /// Values that the rows of one group share.
    pub group: Vec<usize>,
    /// The first elements past the slots of lists of responses.
    pub beyond: Vec<usize>,
    /// Texts about the sample and its responses, in display order: those without a list, then list
    /// by list.
    pub texts: Vec<RationaleSlot>,
    /// Votes for the best response, for each `[[vote]]` of the definition.
    pub votes: Vec<VoteSlots>,
    /// The row's annotator.
    pub annotator: Option<usize>,
}

/// A slot, and the rest of the path inside its value: from the first `*`, since a list is captured
/// whole.
#[derive(Debug)]
pub struct NestedSlot {
    /// The path to the slot's value.
    pub start: Path,
    pub slot: usize,
    pub rest: Path,
}

impl NestedSlot {
    pub fn is_of_list(&self) -> bool {
        !self.rest.steps().is_empty()
    }
}

#[derive(Debug)]
pub struct VoteSlots {
    /// The list or object with the votes; without it, each of `scores` is one.
    pub each: Option<usize>,
    pub scores: Vec<NestedSlot>,
    /// Fields, or lists beside the votes, with the annotators' names.
    pub annotator: Vec<NestedSlot>,
    /// Likewise, with values that can mean that there is no vote.
    pub skip: Vec<NestedSlot>,
    /// Names by which votes refer to responses, by index in [`Slots::responses`].
    pub names: Vec<usize>,
}

/// Slot of a text about the sample or a response.
#[derive(Debug)]
pub struct RationaleSlot {
    pub nested: NestedSlot,
    /// Index of its `[[text]]` in the definition.
    pub text: usize,
    /// Index in the definition's [places of texts](Definition::places_of_texts).
    pub place: usize,
    /// Index of its response in [`Slots::responses`]; `None` if it is about the sample.
    pub response: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSlot {
    pub slot: usize,
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
    pub beside: Vec<usize>,
}

impl PromptSlots {
    /// Returns the slots of all its turns.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
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
    pub quotes: Option<usize>,
    /// One for each label, in the schema's order.
    pub ratings: Vec<Option<RatingSlot>>,
    /// Index of its `[[response]]` in the definition.
    pub table: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatingSlot {
    Value(usize),
    Constant(f64),
}

impl Slots {
    /// Assigns slots to all paths of a definition. `places` is the number of slots for the elements
    /// of a list of responses.
    pub fn of(definition: &Definition, places: usize, tree: &mut Tree) -> Self {
        let places_of_texts = definition.places_of_texts();
        let texts_of = |table, element, response, tree: &mut Tree| {
            let all = places_of_texts.iter().enumerate();
            let of_table = all.filter(|(_, (_, it))| it.response == table);
            let slot = |(place, (text, it)): (usize, &(usize, PathUse))| RationaleSlot {
                nested: tree.nested_slot(&element_of(&it.path, element)),
                text: *text,
                place,
                response,
            };
            of_table.map(slot).collect::<Vec<_>>()
        };
        let prompt = definition.prompt.as_ref();
        let prompt = prompt.map(|paths| PromptSlots::of(paths, tree));
        let mut texts = texts_of(None, None, None, tree);
        let (mut responses, mut beyond) = (Vec::new(), Vec::new());
        for (table, paths) in definition.responses.iter().enumerate() {
            let elements = if paths.is_of_each() { places } else { 1 };
            for element in 0..elements {
                let element = Some(element).filter(|_| paths.is_of_each());
                texts.extend(texts_of(Some(table), element, Some(responses.len()), tree));
                let labels = definition.labels.iter().map(|label| &*label.name);
                responses.push(ResponseSlots::of(paths, table, element, labels, tree));
            }
            if paths.is_of_each() {
                beyond.push(tree.slot(&paths.of_element(places).text));
            }
        }
        texts.sort_by_key(|it| it.nested.is_of_list().then_some(it.nested.slot));
        let uses = definition.uses();
        let of_kind = |kind, tree: &mut Tree| {
            let uses = uses.iter().filter(|it| it.kind == kind);
            tree.slots(uses.map(|it| &it.path))
        };
        let votes = definition.votes.iter();
        let votes = votes.map(|vote| VoteSlots::of(vote, definition, responses.len(), tree));
        Self {
            prompt,
            votes: votes.collect(),
            verdict: of_kind(UseKind::Verdict, tree),
            facts: tree.nested_slots(definition.facts.iter().map(|fact| &fact.path)),
            needs: tree.slots(&definition.needs),
            same: of_kind(UseKind::Same, tree),
            group: of_kind(UseKind::Group, tree),
            annotator: of_kind(UseKind::Annotator, tree).pop(),
            responses,
            beyond,
            texts,
        }
    }
}

/// Returns the path for an element of a list of responses.
fn element_of(path: &Path, element: Option<usize>) -> Path {
    element.map_or_else(|| path.clone(), |element| path.of_element(element))
}

impl VoteSlots {
    fn of(vote: &VotePaths, definition: &Definition, responses: usize, tree: &mut Tree) -> Self {
        let skip: Vec<_> = vote.skip.keys().map(|it| Path::from(it.as_str())).collect();
        // Otherwise, the paths start at the elements.
        let are_beside = vote.each.is_none() || vote.has_lists_beside();
        let annotator = if vote.each.is_none() && vote.annotator.is_empty() {
            definition.annotator.as_slice()
        } else {
            &vote.annotator
        };
        let names = (0..responses).filter_map(|response| {
            let path = vote.names.get(response).or(vote.names.first())?;
            Some(tree.slot(&path.of_element(response)))
        });
        Self {
            names: names.collect(),
            each: vote.each.as_ref().map(|path| tree.slot(path)),
            scores: tree.nested_slots(&vote.columns),
            annotator: tree.nested_slots(annotator.iter().filter(|_| are_beside)),
            skip: tree.nested_slots(skip.iter().filter(|_| are_beside)),
        }
    }
}

impl PromptSlots {
    fn of(paths: &PromptPaths, tree: &mut Tree) -> Self {
        let mut text = |path: &Path, is_json| TextSlot {
            slot: tree.slot(path),
            is_json,
        };
        Self {
            texts: paths
                .path
                .iter()
                .map(|path| text(path, paths.json))
                .collect(),
            system: paths.system.as_ref().map(|path| text(path, false)),
            history: paths.history.as_ref().map(|path| text(path, false)),
            beside: tree.slots(&paths.beside),
        }
    }
}

impl ResponseSlots {
    /// `element` is its place in a list of responses.
    fn of<'l>(
        paths: &ResponsePaths,
        table: usize,
        element: Option<usize>,
        labels: impl Iterator<Item = &'l str>,
        tree: &mut Tree,
    ) -> Self {
        let is_bare_element = element.is_some() && paths.is_bare_element();
        let paths = &element.map_or_else(|| paths.clone(), |element| paths.of_element(element));
        let rating = |name| match paths.ratings.get(name)? {
            RatingSource::Path(path) => Some(RatingSlot::Value(tree.slot(path))),
            RatingSource::Constant(value) => Some(RatingSlot::Constant(*value)),
        };
        Self {
            ratings: labels.map(rating).collect(),
            text: TextSlot {
                slot: tree.slot(&paths.text),
                is_json: paths.json,
            },
            is_optional: element.is_some() || paths.is_optional,
            is_bare_element,
            quotes: paths.quotes.as_ref().map(|path| tree.slot(path)),
            table,
        }
    }
}
