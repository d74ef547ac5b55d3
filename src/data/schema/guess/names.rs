//! Words of field names, the words that distinguish responses, and families of names that differ in
//! one of these words.

use std::collections::{HashMap, HashSet};
use std::ops::{Deref, Range};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::UnusedReason;
use super::survey::{GuessField, Survey};
use crate::schema::layout::definition::Turns;
use crate::table::Path;
use crate::toml_file;

/// The first words for responses, which mean one before any other word.
pub const SURE_NOUNS: usize = 5;

/// The word lists of `assets/guess.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuessNames {
    /// Names of a prompt, likeliest first.
    pub prompt: NameWords,
    /// Names of a row's only response, likeliest first.
    pub response: NameWords,
    /// Words in names of responses.
    pub response_words: NameWords,
    /// Words in names of texts that are not responses.
    pub no_response: NameWords,
    /// Of those, words in names of short values about a response.
    pub metadata: NameWords,
    /// Of those, words in names of texts that are responses if a row has no others.
    pub remark: NameWords,
    /// Words in names of models.
    pub model: NameWords,
    /// Words in names of lists that may contain something other than responses.
    pub doubtful_list: NameWords,
    /// Names of the prompt that may also name a single word about it.
    pub doubtful_prompt: NameWords,
    /// Further names of a prompt of sentences.
    pub sentence_prompt: NameWords,
    /// Words in names of reference answers.
    pub reference: NameWords,
    /// Names of an answer that is a reference next to a generated one.
    pub bare: NameWords,
    /// Words in names of references, if the other text is a model's.
    pub gold_beside: NameWords,
    /// Words in names of generated texts; and those that mean so before a name of a response.
    pub generated: NameWords,
    pub producer: NameWords,
    /// Names of conversations.
    pub transcript: NameWords,
    /// Names of the parts of an agent's step.
    pub step: NameWords,
    /// Names of system messages, of earlier turns, and of texts before or after the prompt.
    pub system: NameWords,
    pub history: NameWords,
    pub context: NameWords,
    pub input: NameWords,
    /// Names of further fields that rows of one sample share.
    pub beside: NameWords,
    /// Names of numbers that rate a response as a whole, and of others; the first found decides.
    whole_rating: NameWords,
    rating: NameWords,
    /// Endings of names of such numbers. If there are several such fields, none decides.
    rating_end: NameWords,
    /// Words in these names that mean that more is better, and neutral words.
    reward: NameWords,
    /// Words in names of verdicts of people, and of programs beside those of models.
    people: NameWords,
    program: NameWords,
    rating_beside: NameWords,
    /// Words for the first response, the second and so on.
    side: Vec<Vec<String>>,
    /// Words for the preferred response and the other one.
    outcome: Vec<[String; 2]>,
    /// Similar words that count only in names of responses and ratings.
    vague_outcome: Vec<[String; 2]>,
    /// Words in names of numbers that are better when lower.
    lower: NameWords,
    /// Words in names of numbers that do not rate.
    measure: NameWords,
    /// Words in names of numbers that may rate something bad.
    adverse: NameWords,
    /// Words in names of humans and programs that judge.
    pub annotator: NameWords,
    /// Further words in names of annotators' fields, and names of fields with an annotator's name.
    annotator_beside: NameWords,
    pub annotator_name: NameWords,
    /// States of an annotation that does not count.
    pub discarded: NameWords,
    /// Words in names of lists of the best responses.
    pub accepted: NameWords,
    /// Last words of names of row ids, and of other numbers that identify rows; words of other ids.
    id: NameWords,
    row: NameWords,
    no_id: NameWords,
    /// Further words in names of flags of the better response.
    flag: NameWords,
    /// Words in names of fields that name a response other than the better one.
    no_choice: NameWords,
    /// Words in names of numbers that rate or count, and do not name a response.
    pub no_vote: NameWords,
    /// Names of a verdict field, likeliest first.
    pub winner: NameWords,
    /// Other words that such a name may contain.
    pub winner_beside: NameWords,
    /// Names of a field that is the verdict only if its values are clear and no other field is.
    pub doubtful_winner: NameWords,
    /// Further names in files without texts.
    pub winner_alone: NameWords,
    /// Words for a tie in such a field.
    pub tie: NameWords,
    /// Words in such a field that add nothing to a response's name.
    pub filler: NameWords,
    /// Words for the user and the assistant that begin turns in one text, before a colon.
    pub speakers: Vec<[String; 2]>,
    /// Other markers of turns in one text: of chat templates and of trajectories.
    pub templates: Vec<Turns>,
}

pub static WORDS: LazyLock<GuessNames> =
    LazyLock::new(|| toml_file::parse(include_str!("../../assets/guess.toml")).unwrap_or_default());

/// The words of all lists.
static KNOWN_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let lists = toml_file::parse(include_str!("../../assets/guess.toml"));
    let (mut words, mut rest) = (HashSet::new(), vec![lists.unwrap_or(Value::Null)]);
    while let Some(list) = rest.pop() {
        match list {
            Value::String(name) => words.extend(name.split('_').map(str::to_owned)),
            Value::Array(more) => rest.extend(more),
            Value::Object(more) => rest.extend(more.into_values()),
            _ => {}
        }
    }
    words
});

/// True if a name has a word of any list, or is a single letter. Names with a high number are not.
pub fn is_known_name(name: &str) -> bool {
    let is_known = |word: &String| {
        let one = word.strip_suffix('s').unwrap_or(word);
        let of_y = one.strip_suffix("ie").map(|stem| format!("{stem}y"));
        let spellings = [Some(&**word), Some(one), of_y.as_deref()].into_iter();
        // Letters and digits distinguish responses only next to another word.
        word.len() > 1 && spellings.flatten().any(|word| KNOWN_WORDS.contains(word))
    };
    let words = name_words(name);
    let is_high = |word: &String| {
        word.parse()
            .is_ok_and(|number: usize| number > MAX_NUMBERED)
    };
    name.len() == 1 || words.iter().any(is_known) && !words.iter().any(is_high)
}

/// Words in names of fields, likeliest first.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct NameWords(Vec<String>);

impl NameWords {
    /// Returns the index of a word or of its singular.
    pub fn place(&self, word: &str) -> Option<usize> {
        let one = word.strip_suffix('s').unwrap_or(word);
        let of_y = |it: &str| {
            it.strip_suffix('y')
                .is_some_and(|stem| one.strip_suffix("ie") == Some(stem))
        };
        self.iter()
            .position(|it| it == word || it == one || of_y(it))
    }

    /// True if it has a word or its singular.
    pub fn has(&self, word: &str) -> bool {
        self.place(word).is_some()
    }

    /// True if it has one of these words.
    pub fn any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.has(word))
    }
}

/// True if one of these words is in one of the lists.
pub fn any_of(lists: &[&NameWords], words: &[String]) -> bool {
    lists.iter().any(|list| list.any(words))
}

impl Deref for NameWords {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl GuessNames {
    /// True if a number with this name rates a response.
    pub fn rates(&self, name: &str) -> bool {
        self.rating_rank(name).is_some() || self.ends_as_rating(name)
    }

    fn ends_as_rating(&self, name: &str) -> bool {
        let name = name_words(name).join("_");
        self.rating_end.iter().any(|end| name.ends_with(&**end))
    }

    /// Returns the rank of a name among the ratings that decide the winner.
    pub fn rating_rank(&self, name: &str) -> Option<usize> {
        let name = name_words(name).join("_");
        let other = || Some(self.whole_rating.len() + self.rating.place(&name)?);
        self.whole_rating.place(&name).or_else(other)
    }

    /// True if a number with this name rates a response as a whole.
    pub fn rates_whole(&self, name: &str) -> bool {
        let is_whole = |rank| rank < self.whole_rating.len();
        self.rating_rank(name).is_some_and(is_whole) || self.is_better_lower(name)
    }

    /// True if numbers with this name are better when lower.
    pub fn is_better_lower(&self, name: &str) -> bool {
        name_words(name)
            .last()
            .is_some_and(|last| self.lower.has(last))
    }

    /// Returns why a number with this name cannot decide the winner; `None` if it can.
    pub fn undecided(&self, name: &str) -> Option<UnusedReason> {
        let words = name_words(name);
        if self.adverse.any(&words) {
            return Some(UnusedReason::LowerMayWin);
        }
        if self.measure.any(&words) {
            return Some(UnusedReason::Measures);
        }
        // For `nsfw_score`, it is unknown whether more is better.
        let known = self.whole_rating.iter().chain(self.rating.iter());
        let is_known = |word: &String| {
            word.len() == 1
                || word.parse::<f64>().is_ok()
                || known
                    .clone()
                    .any(|it| it.split('_').any(|part| part == word))
                || self.rating_beside.has(word)
                || self.model.has(word)
        };
        let is_doubtful =
            self.ends_as_rating(name) && !self.reward.any(&words) && !words.iter().all(is_known);
        is_doubtful.then_some(UnusedReason::LowerMayWin)
    }

    /// True if a label with this name is the score of a reward model, or rates responses as a whole.
    pub fn is_rater(&self, name: &str) -> bool {
        self.rates_whole(name) || self.reward.any(&name_words(name))
    }

    /// True if words name people.
    pub fn is_of_people(&self, words: &[String]) -> bool {
        self.people.any(words)
    }

    /// True if a word says who judges: people, a program, a model or an annotator.
    pub fn is_of_source(&self, word: &str) -> bool {
        let lists = [
            &self.people,
            &self.program,
            &self.model,
            &self.annotator,
            &self.annotator_beside,
        ];
        lists.iter().any(|list| list.has(word))
    }

    /// True if words say that a program gave a verdict: then another one decides.
    pub fn is_of_program(&self, words: &[String]) -> bool {
        self.program.any(words) || self.model.any(words)
    }

    /// True if words are of an annotator's field.
    pub fn is_of_annotators(&self, words: &[String]) -> bool {
        self.annotator.any(words) || self.annotator_beside.any(words)
    }

    /// Returns the rank of the surest word that means that a field names the best response. An
    /// overall choice ranks first.
    pub fn choice_rank(&self, words: &[String]) -> Option<usize> {
        if words.iter().any(|word| word == "overall") {
            return Some(0);
        }
        words
            .iter()
            .filter_map(|word| self.winner.place(word))
            .min()
            .map(|place| place + 1)
    }

    /// True if words mean that a flag says whether a response is the better one.
    pub fn is_flag(&self, words: &[String]) -> bool {
        let is_it = |word: &String| {
            self.flag.has(word)
                || self.winner.has(word)
                || self.accepted.has(word)
                || self.is_better(word)
        };
        words.iter().any(is_it) && !self.is_against(words)
    }

    /// True if words mean that a field names a response other than the better one.
    pub fn is_against(&self, words: &[String]) -> bool {
        let is_worse = |word: &String| {
            self.is_worse(word) || word.strip_suffix('s').is_some_and(|one| self.is_worse(one))
        };
        self.no_choice.any(words) || words.iter().any(is_worse)
    }

    /// Returns the response index that a word means, in each set that has the word.
    fn variants(&self, word: &str) -> Vec<(WordSet, usize)> {
        let mut found = Vec::new();
        match word.as_bytes() {
            [letter @ b'a'..=b'z'] => found.push((WordSet::Letters, usize::from(letter - b'a'))),
            [b'0'..=b'9', ..] => {
                found.extend(word.parse().ok().map(|number| (WordSet::Numbers, number)));
            }
            _ => {}
        }
        let place = |words: &[String]| words.iter().position(|known| known == word);
        let sides = self.side.iter().enumerate();
        found.extend(sides.filter_map(|(set, words)| Some((WordSet::Side(set), place(words)?))));
        for (set, words) in self.outcomes().enumerate() {
            found.extend(place(words).map(|place| (WordSet::Outcome(set), place)));
        }
        found
    }

    fn outcomes(&self) -> impl Iterator<Item = &[String; 2]> {
        self.outcome.iter().chain(&self.vague_outcome)
    }

    /// Returns the response index that a word means by letter or position.
    pub fn side(&self, word: &str) -> Option<usize> {
        self.variants(word).into_iter().find_map(|(set, place)| {
            (set.is_of_places() && set != WordSet::Numbers).then_some(place)
        })
    }

    /// True if the words of a set count only in names of responses and ratings.
    pub fn is_vague(&self, set: WordSet) -> bool {
        matches!(set, WordSet::Outcome(set) if set >= self.outcome.len())
    }

    /// True if the words of a name say that a model, or a system before a noun, wrote the text.
    pub fn are_generated(&self, words: &[String]) -> bool {
        match words {
            [word, noun] if self.producer.has(word) => self.response_words.has(noun),
            words => self.generated.any(words),
        }
    }

    /// True if fields with words of a set are references next to a model's answer.
    pub fn are_references(&self, set: WordSet) -> bool {
        let of_set = |at: usize| self.outcomes().nth(at);
        matches!(set, WordSet::Outcome(at) if of_set(at).is_some_and(|[good, _]| {
            good == "best" || self.reference.has(good)
        }))
    }

    /// True if a word means the winning response, next to a field without such a word.
    pub fn is_better(&self, word: &str) -> bool {
        self.outcome.iter().any(|[better, _]| better == word)
    }

    /// True if a word means the losing response, next to a field without such a word.
    pub fn is_worse(&self, word: &str) -> bool {
        self.outcome.iter().any(|[_, worse]| worse == word)
    }
}

/// Returns whether a word means the better response or the worse one: `chosen`, `rejected`.
pub fn outcome(word: &str) -> Option<bool> {
    let word = word.trim().to_lowercase();
    let is_better = WORDS.is_better(&word);
    (is_better != WORDS.is_worse(&word)).then_some(is_better)
}

/// True if a name means a conversation.
pub fn is_transcript_name(name: &str) -> bool {
    let name = name_words(name).join("_");
    WORDS.transcript.has(&name) || WORDS.history.has(&name)
}

/// True if a name means ids of rows: `question_id`, but not `model_id`, nor `better_response_id` (a
/// verdict).
pub fn is_id_name(name: &str) -> bool {
    let words = name_words(name);
    words.split_last().is_some_and(|(last, others)| {
        WORDS.id.contains(last)
            && !any_of(&[&WORDS.annotator, &WORDS.no_id], others)
            && WORDS.choice_rank(others).is_none()
            && !others.iter().any(|word| WORDS.is_worse(word))
    })
}

/// True if numbers with this name identify rows.
pub fn is_row_name(name: &str) -> bool {
    let words = name_words(name);
    (words.last()).is_some_and(|word| WORDS.id.contains(word) || WORDS.row.contains(word))
}

/// Higher numbers are not responses but years.
const MAX_NUMBERED: usize = 100;

/// Beginnings of words that mean the opposite.
const NEGATIONS: [&str; 7] = ["un", "non", "not", "dis", "in", "im", "ir"];

/// Index of x in the alphabet.
const X: usize = 23;

/// Words that distinguish responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordSet {
    /// a, b, c
    Letters,
    /// 1, 2, 3, or counted from 0
    Numbers,
    /// left and right, first and second
    Side(usize),
    /// chosen and rejected
    Outcome(usize),
    /// Any words, such as models, next to a word for responses
    Any,
}

impl WordSet {
    /// True if the words do not say which response is better.
    pub fn is_of_places(self) -> bool {
        !matches!(self, Self::Outcome(_))
    }
}

/// Fields whose names differ in one word that distinguishes responses.
#[derive(Debug, Clone)]
pub struct Family<'t> {
    pub set: WordSet,
    /// The shared words.
    pub stem: Vec<String>,
    /// The positions or numbers that the words mean, in order.
    pub places: Vec<usize>,
    /// The fields, in the order of the words.
    pub fields: Vec<&'t GuessField>,
    /// The name without the word: `score` for `score_a` and for `/a/score`.
    pub name: String,
}

impl<'t> Family<'t> {
    /// Finds all families of a table, in the order of their first fields.
    pub fn all(survey: &'t Survey) -> Vec<Self> {
        let mut order = Vec::new();
        // The response that a name means, its field, and the index of the distinguishing word.
        let mut groups: HashMap<_, Vec<(usize, &GuessField, usize)>> = HashMap::new();
        for field in &survey.fields {
            for (at, word) in field.words.iter().enumerate() {
                for (set, variant) in WORDS.variants(word) {
                    let mut stem = field.words.clone();
                    stem[at].clear();
                    let key = (set, stem);
                    groups
                        .entry(key.clone())
                        .or_insert_with(|| {
                            order.push(key);
                            Vec::new()
                        })
                        .push((variant, field, at));
                }
            }
        }
        let of_key = |key| {
            let mut members = groups.remove(&key)?;
            let (set, stem) = key;
            members.sort_by_key(|&(variant, ..)| variant);
            members.dedup_by_key(|&mut (variant, ..)| variant);
            let &(first, of_first, at) = members.first()?;
            let stem: Vec<_> = stem.into_iter().filter(|word| !word.is_empty()).collect();
            // `response_1`, `_2` and `_4` are a family whose third field was dropped.
            let has_gaps = set == WordSet::Numbers
                && WORDS.response_words.any(&stem)
                && members.iter().all(|&(number, ..)| number < MAX_NUMBERED);
            // x and y, but not the axes of a plot.
            let is_xy = set == WordSet::Letters && first == X && !stem.is_empty();
            let is_first =
                has_gaps || is_xy || first == 0 || (first == 1 && set == WordSet::Numbers);
            let run = (first..)
                .zip(&members)
                .take_while(|(count, (variant, ..))| has_gaps || count == variant);
            let (places, fields) = run
                .map(|(_, &(variant, field, _))| (variant, field))
                .unzip();
            let family = Self {
                set,
                stem,
                places,
                fields,
                name: name_without(&of_first.path, at),
            };
            (is_first && family.fields.len() > 1).then_some(family)
        };
        let mut families: Vec<_> = order.into_iter().filter_map(of_key).collect();
        families.extend(Self::with_bare(survey));
        let any = Self::with_any_word(survey, &families);
        families.extend(any);
        families
    }

    pub fn paths(&self) -> Vec<Path> {
        self.fields.iter().map(|field| field.path.clone()).collect()
    }

    pub fn has(&self, path: &Path) -> bool {
        self.fields.iter().any(|field| field.path == *path)
    }

    /// True if all fields are numbers or empty, and at least one is not empty.
    pub fn are_numbers(&self, is_number: &dyn Fn(&GuessField) -> bool) -> bool {
        let mut fields = self.fields.iter();
        fields.all(|field| field.is_empty() || is_number(field))
            && self.fields.iter().any(|field| !field.is_empty())
    }

    /// Finds texts whose names have the same word for a response: `human_answer` and `model_answer`,
    /// `output` and `titan_output`. If one of two names means the better or the worse one, it says
    /// who wins: `preferred_answer` and `other_answer`.
    fn with_any_word(survey: &'t Survey, families: &[Self]) -> Vec<Self> {
        let is_member = |field: &GuessField| {
            // The numbers of `answer_gpt3` and `answer_gpt4` are of models.
            let is_it =
                |it: &&Self| WORDS.response_words.any(&it.stem) && !WORDS.model.any(&it.stem);
            families
                .iter()
                .filter(is_it)
                .any(|family| family.has(&field.path))
        };
        let is_response = |word: &String| WORDS.response_words.has(word);
        let is_bare = |word: &String| {
            survey
                .fields()
                .any(|field| matches!(field.words.as_slice(), [only] if only == word))
        };
        let mut found: Vec<Self> = Vec::new();
        for field in survey
            .fields()
            .filter(|it| it.is_text() && it.is_single() && !is_member(it))
        {
            let words = field.key_words();
            let (word, rest) = match words.as_slice() {
                [rest @ .., last] if is_response(last) => (last, rest),
                // `summary_gpt3`, `titan_output_v2`; but `response_style` describes `response`.
                words => match words.iter().rposition(is_response) {
                    Some(0) if !is_bare(&words[0]) => (&words[0], &words[1..]),
                    Some(at) if at > 0 => (&words[at], &words[..at]),
                    _ => continue,
                },
            };
            // The answer to a prompt is no prompt: `first_prompt_answer`.
            let place = WORDS.response_words.place(word);
            let is_answer = place.is_some_and(|place| place < SURE_NOUNS);
            let is_asked = |it: &&String| is_answer && ["prompt", "question"].contains(&&***it);
            let rest: Vec<_> = rest.iter().filter(|it| !is_asked(it)).cloned().collect();
            let lists = [&WORDS.prompt, &WORDS.annotator];
            let is_better = |word: &String| WORDS.is_better(word);
            // `ai_answer` may be a model's, and `correct_answer` one of two.
            let is_known = WORDS.no_response.any(&rest) && rest[0] != "model"
                || any_of(&lists, &rest)
                || WORDS.reference.any(&rest) && !rest.iter().any(is_better);
            let is_word = field.distinct_share() < 0.3 || field.mean_chars() < 3.0;
            if is_known || !field.are_sentences() && (rest.is_empty() || is_word) {
                continue;
            }
            let parent = field
                .path
                .steps()
                .split_last()
                .map_or(&[][..], |(_, parent)| parent);
            let is_it = |it: &&mut Self| {
                it.name == *word
                    && it.fields[0].path.steps().starts_with(parent)
                    && it.fields[0].path.steps().len() == parent.len() + 1
            };
            match found.iter_mut().find(is_it) {
                Some(family) => family.fields.push(field),
                None => found.push(Self {
                    set: WordSet::Any,
                    stem: vec![word.clone()],
                    places: Vec::new(),
                    fields: vec![field],
                    name: word.clone(),
                }),
            }
        }
        // Of longer names, two have sentences: `answer_gpt4`, but not `response_style_id`.
        let counts = |field: &&&GuessField| {
            let words = field.key_words();
            field.are_sentences() || words.len() == 2 && is_response(&words[1])
        };
        found.retain(|family| family.fields.iter().filter(counts).count() > 1);
        for family in &mut found {
            family.order_by_outcome();
        }
        found
    }

    /// Puts the better of two fields first if exactly one name says which it is.
    pub fn order_by_outcome(&mut self) {
        let [first, second] = self.fields[..] else {
            return;
        };
        // A negation, also of an unknown word: `helpful` and `unhelpful`.
        let is_negated = |negated: &GuessField, plain: &GuessField| {
            let is_it = |word: &String| {
                NEGATIONS
                    .iter()
                    .filter_map(|start| word.strip_prefix(start))
                    .any(|stem| plain.words.iter().any(|word| word == stem))
            };
            negated.words.iter().any(is_it)
        };
        let both = [first, second];
        let says = |place: usize| {
            both.map(|field| {
                WORDS
                    .outcomes()
                    .any(|words| field.words.contains(&words[place]))
            })
        };
        let are_bare = both.iter().any(|field| field.key_words().len() == 1);
        let is_second = match (says(0), says(1)) {
            _ if is_negated(second, first) => false,
            _ if is_negated(first, second) => true,
            ([one, two], worse) if one != two && worse == [two, one] => two,
            ([one, two], [false, false]) if one != two && !are_bare => two,
            ([false, false], [one, two]) if one != two => one,
            _ => return,
        };
        self.fields.swap(0, usize::from(is_second));
        (self.set, self.places) = (WordSet::Outcome(0), vec![0, 1]);
    }

    /// Finds a name next to the same name with a word for a worse response: `response`,
    /// `rejected_response`.
    fn with_bare(survey: &'t Survey) -> Option<Self> {
        let of_worse = survey.fields().find_map(|field| {
            let at = field.words.iter().position(|word| WORDS.is_worse(word))?;
            let mut stem = field.words.clone();
            stem.remove(at);
            Some((field, stem, at))
        });
        let (worse, stem, at) = of_worse?;
        let bare = survey.fields().find(|field| field.words == stem);
        let is_transcript = |field: &&GuessField| {
            let name = field.words.join("_");
            field.has_messages() && WORDS.transcript.has(&name)
        };
        // Next to `chosen_response` and `rejected_response`, a conversation is the prompt.
        let is_sibling = |field: &GuessField| {
            let without = |at: usize| [&field.words[..at], &field.words[at + 1..]].concat() == stem;
            field.path != worse.path && (0..field.words.len()).any(without)
        };
        let has_sibling = survey.fields().any(is_sibling);
        let mut transcripts = survey.fields().filter(is_transcript);
        let bare = bare.or_else(|| transcripts.next().filter(|_| !has_sibling));
        let is_of_responses = |stem: &[String]| {
            WORDS.response_words.any(stem) || WORDS.transcript.has(&stem.join("_"))
        };
        let bare = bare.filter(|_| is_of_responses(&stem))?;
        Some(Self {
            set: WordSet::Outcome(0),
            places: vec![0, 1],
            fields: vec![bare, worse],
            name: name_without(&worse.path, at),
            stem,
        })
    }
}

/// Returns the words of a path in lower case, with `/` between steps and `*` for elements.
pub fn path_words(path: &Path) -> Vec<String> {
    let steps: Vec<_> = path.steps().iter().map(|step| step_words(step)).collect();
    steps.join(&"/".to_owned())
}

fn step_words(step: &str) -> Vec<String> {
    match step {
        "*" => vec![step.to_owned()],
        step => name_words(step),
    }
}

/// Returns the words of a name in lower case. A negation is part of the next word: `non_preferred`.
pub fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut negation = String::new();
    for range in word_ranges(name) {
        let word = name[range].to_lowercase();
        if ["non", "not", "dis", "un"].contains(&&*word) {
            negation = word;
            continue;
        }
        words.push(std::mem::take(&mut negation) + &word);
    }
    words.extend((!negation.is_empty()).then_some(negation));
    words
}

/// Finds the words of a name: they end at other characters, at digits, and before capitals.
fn word_ranges(name: &str) -> Vec<Range<usize>> {
    let kind = |sign: char| match sign {
        _ if sign.is_numeric() => 1,
        _ if sign.is_uppercase() => 2,
        _ => 3 * u8::from(sign.is_alphabetic()),
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut before = 0;
    for (at, sign) in name.char_indices() {
        let (kind, end) = (kind(sign), at + sign.len_utf8());
        let is_capitalised =
            (before, kind) == (2, 3) && words.last().is_some_and(|word| word.len() < 3);
        match words
            .last_mut()
            .filter(|_| kind == before || is_capitalised)
        {
            _ if kind == 0 => {}
            Some(word) => word.end = end,
            None => words.push(at..end),
        }
        before = kind;
    }
    words
}

/// Returns a name without the word at an index of its path: the steps after the word's step, or the
/// rest of that step, or the steps before it.
fn name_without(path: &Path, at: usize) -> String {
    let (mut step, mut at) = (0, at);
    for name in path.steps() {
        let count = step_words(name).len();
        if at < count {
            break;
        }
        at -= count + 1;
        step += 1;
    }
    let steps = path.steps();
    if step + 1 < steps.len() {
        return steps[step + 1..].join(".");
    }
    let Some(name) = steps.get(step) else {
        return String::new();
    };
    let is_sign = |sign: char| !sign.is_alphanumeric();
    let left = word_ranges(name).get(at).map(|word| {
        let (before, after) = (&name[..word.start], &name[word.end..]);
        [before, after].map(|it| it.trim_matches(is_sign)).join("_")
    });
    match left.unwrap_or_default().trim_matches('_') {
        "" => steps[..step].join("."),
        left => left.to_owned(),
    }
}

/// True if two words have the same letters and digits, in any case: `[[A]]` is `a`, but `A>B` is
/// not `A=B`. Python writes `None` for a missing value, while `none` is a tie.
pub fn is_same_word(known: &str, word: &str) -> bool {
    let plain = |word: &str| -> (bool, String) {
        let compares = ['>', '='];
        let signs = |sign: &char| sign.is_alphanumeric() || compares.contains(sign);
        let signs: String = word.to_ascii_lowercase().chars().filter(signs).collect();
        let is_negative = word.starts_with('-');
        (is_negative, signs.trim_matches(compares).to_owned())
    };
    known == word || (known != "none" && plain(known) == plain(word))
}
