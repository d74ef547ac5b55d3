//! A sample laid out for the panes: read, sanitised, wrapped. Built once for a sample and a layout,
//! drawn many times.
//!
//! [`Page::build`] reads rows, so only `run` calls it, here or on a thread; `update` takes the
//! finished page.

use super::label_bar::{LabelBar, LabelBarItem, MOST_BALANCE, RatingItem, SideItems, Tone};
use super::pane_text::{PaneText, Section, SectionKind};
use super::responses_page::{BOTH, ShownPair};
use super::responses_page::{PREVIEW, ResponseRow, ResponseTable};
use super::typesetter::{Layout, TextBudget, Typesetter};
use crate::dataset::{Buffers, Dataset, LoadedSample, RowPlace, Sample, SampleBody, SampleKey};
use crate::export::{self, BlindMask};
use crate::findings::{Finding, findings};
use crate::model::{Outcome, Rationale, Response, ResponseId, ResponseOrder, ResponseSet, Verdict};
use crate::parallel::KeepGoing;
use crate::review;
use crate::schema::{Reduction, Schema};
use crate::table::ColumnId;
use crate::text::{self, citing, grouped, number};

/// Which page: a sample of a generation of the dataset, in a layout. What is searched for is marked
/// when the page is drawn ([`PageHits`](super::PageHits)), and lays nothing out anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageKey {
    /// Which loading of the dataset.
    pub generation: u64,
    /// Number of the sample, from 0.
    pub sample: usize,
    /// How it is laid out.
    pub layout: Layout,
    /// What of it is not to be seen.
    pub mask: BlindMask,
    /// Seed of the coin that puts responses into an order, where no audit and no judgment says how
    /// they stand.
    pub coin: Option<u32>,
    /// The responses that were chosen for the panes; `None` for the best and the worst.
    pub pair: Option<ShownPair>,
    /// The one that is to stand in a pane in any case, since one is asked to rate it.
    pub asked: Option<ResponseId>,
    /// How many other files say something of the samples.
    pub joined: usize,
}

/// The selected sample, read and laid out for the screen.
#[derive(Debug, Clone)]
pub struct Page {
    /// What it was built for.
    pub key: PageKey,
    /// Where its rows stand.
    pub places: Vec<RowPlace>,
    /// The prompt, or what is wrong with a malformed row.
    pub prompt: PaneText,
    /// Number of turns in the prompt; 0 where there is no prompt.
    pub turns: usize,
    /// How many responses the sample has; 0 of a malformed row.
    pub responses: usize,
    /// Which of them stand in the panes; both letters are the same where there is one.
    pub pair: ShownPair,
    /// Those in the panes, left first; a malformed row has one: its raw text.
    pub sides: Vec<SidePage>,
    /// The texts of the others by their letters on the screen, without lines: a search looks through
    /// them.
    pub others: Vec<(ResponseId, PaneText)>,
    /// What the page of all responses says of them.
    pub(super) table: ResponseTable,
    /// What was written about the sample and its responses, each text below a heading.
    pub rationales: PaneText,
    /// Who wins.
    pub outcome: Option<Outcome>,
    /// What each annotator said of that, by the letters of the screen: by how much A wins. Empty where
    /// none did.
    pub votes: String,
    /// Facts for the prompt's title, sanitised.
    pub facts: Vec<String>,
    /// What a reviewer should look at.
    pub findings: Vec<Finding>,
    /// Whether the row is malformed (or could not be read).
    pub malformed: bool,
    /// The sample's key; `None` where its rows could not be read.
    pub sample_key: Option<SampleKey>,
    /// In which order the responses are shown.
    pub order: ResponseOrder,
}

/// One response laid out.
#[derive(Debug, Clone, Default)]
pub struct SidePage {
    /// Its labels and what else is said of it.
    pub strip: LabelBar,
    /// How long it is, in words.
    pub length: String,
    /// Its text, with its quotes.
    pub text: PaneText,
    /// Whether the file has its tokens.
    pub has_tokens: bool,
}

impl Page {
    /// Reads and lays out a sample; `None` when the dataset has no such sample.
    pub fn build(dataset: &Dataset, key: PageKey) -> Option<Self> {
        Self::build_while(dataset, key, &|| true)
    }

    /// [`Self::build`] of a sample that may be large: `wanted` is asked all along, and once it says
    /// no this gives `None`.
    pub fn build_while(dataset: &Dataset, key: PageKey, wanted: &dyn KeepGoing) -> Option<Self> {
        let mut buffers = Buffers::with_fields();
        let reading = dataset.read_while(key.sample, &mut buffers, wanted)?;
        let LoadedSample {
            places,
            schema,
            body,
        } = reading;
        let file = dataset.files().get(places.first()?.file)?.source.name();
        let sample_key = SampleKey::of(&body);
        let mut page = match body {
            SampleBody::Sample(mut sample) => {
                if key.mask.hidden {
                    sample.hide_fields();
                }
                let responses = sample.responses.len();
                let order = match key.coin.zip(sample_key) {
                    Some((seed, sample)) => review::shown_order(u64::from(seed), sample, responses),
                    None => key.mask.order.among(responses),
                };
                let shown = ShownSample {
                    sample: &sample,
                    schema,
                    order,
                    joined: match key.mask.hidden {
                        true => Vec::new(),
                        false => dataset.joined_values(key.sample),
                    },
                };
                Self::of_sample(key, places, &shown, wanted)?
            }
            SampleBody::Malformed { .. } if key.mask.hidden => {
                let reason = "its line is hidden while you judge blind";
                Self::of_trouble(key, places, "The row is malformed.", reason, "", wanted)?
            }
            SampleBody::Malformed {
                place,
                row_error,
                line,
            } => {
                let is_line = place.unit == "line";
                let column = match row_error.column {
                    0 => String::new(),
                    column if !is_line => format!(", column {column}"),
                    column => format!(
                        ", column {column} (byte {})",
                        place.bytes.start + column as u64 - 1
                    ),
                };
                let byte = match is_line {
                    true => format!(", byte {}", place.bytes.start),
                    // Of the lines made of a container nobody counts the bytes.
                    false => String::new(),
                };
                let at = format!("{file}, {} {}{byte}{column}", place.unit, place.line);
                let kept = match is_line {
                    true => "as it stands in the file",
                    false => "with what of it can be read",
                };
                let what = format!("{at}\nThe row is kept {kept}; rows around it pair without it.");
                Self::of_trouble(key, vec![place], &what, &row_error.reason, &line, wanted)?
            }
            SampleBody::Unreadable(error) => Self::of_trouble(
                key,
                places,
                "The row cannot be read any more.",
                &error.to_string(),
                "",
                wanted,
            )?,
        };
        page.sample_key = sample_key;
        // What is not to be seen is taken away, so that nobody behind can show it.
        if page.key.mask.hidden {
            page.places.clear();
            page.table.hide();
        }
        Some(page)
    }

    /// Lines of a pane's text; the list has none.
    pub fn stack(&self, pane: super::Pane) -> Option<&PaneText> {
        match pane {
            super::Pane::List => None,
            super::Pane::Prompt => Some(&self.prompt),
            super::Pane::Rationales => Some(&self.rationales),
            super::Pane::Left | super::Pane::Right => self.side(pane).map(|side| &side.text),
        }
    }

    /// The response laid out for a pane; `None` where there is none.
    pub fn side(&self, pane: super::Pane) -> Option<&SidePage> {
        self.sides.get(pane.side()?)
    }

    /// The letter of the response in a pane; `None` in panes of something else.
    pub fn letter_in(&self, pane: super::Pane) -> Option<ResponseId> {
        self.pair.get(pane.side()?).copied()
    }

    /// The response of the file that stands in a pane; `None` in panes of something else.
    pub fn response_in(&self, pane: super::Pane) -> Option<ResponseId> {
        self.letter_in(pane).map(|shown| self.order.of_file(shown))
    }

    /// Whether it has turns that are folded at first, folded or not.
    pub(super) fn has_folds(&self) -> bool {
        let sides = self.sides.iter().map(|side| &side.text);
        let mut sections = sides.chain([&self.prompt]).flat_map(PaneText::sections);
        sections.any(
            |section| matches!(section.kind, SectionKind::Turn(role) if role.is_folded_at_first()),
        )
    }

    /// Whether another page is of the same sample, in whatever layout.
    pub fn shows_the_same_as(&self, other: &Self) -> bool {
        let is_reread = self.key.generation != other.key.generation;
        match is_reread {
            // What files say that were read again is known by its key.
            true => self.sample_key.is_some() && self.sample_key == other.sample_key,
            false => self.key.sample == other.key.sample,
        }
    }

    fn of_sample(
        key: PageKey,
        mut places: Vec<RowPlace>,
        shown: &ShownSample<'_, '_>,
        wanted: &dyn KeepGoing,
    ) -> Option<Self> {
        let ShownSample { sample, order, .. } = shown;
        let order = *order;
        let layout = key.layout;
        let typesetter = Typesetter {
            layout: &layout,
            wraps: true,
            wanted,
        };
        let responses = sample.responses.len();
        if places.len() > 1 && !order.is_of_file() {
            let shown = ResponseId::first(places.len()).map(|shown| order.of_file(shown));
            places = shown
                .filter_map(|id| places.get(id.index()).cloned())
                .collect();
        }
        let pair = key.pair_among(responses, &places, shown);
        let widths = match responses {
            0 | 1 => [layout.single_width; 2],
            _ => layout.pair_widths,
        };
        let letters = shown.letters(pair);
        let length = |id| TextLength::of(shown.response(id), wanted);
        let lengths = [length(pair[0])?, length(pair[1])?];
        let items = |place: usize| {
            let response = shown.response(pair[place])?;
            let other = shown.response(pair[1 - place]).filter(|_| responses > 1);
            let of_pair = PairedResponse {
                place,
                response,
                other,
            };
            let mut ratings = ratings(shown.schema, &of_pair, &layout);
            ratings.extend(shown.joined_ratings(pair, place));
            let mut notes = notes(response);
            // What there is besides is told once, above the left one.
            notes.splice(0..0, letters.iter().filter(|_| place == 0).cloned());
            Some(SideItems {
                ratings,
                length: Some(lengths[place].item(other.map(|_| lengths[1 - place]))),
                notes,
                width: usize::from(widths[place]),
            })
        };
        let items: Vec<_> = (0..responses.min(2)).filter_map(items).collect();
        let strips = LabelBar::of_sides(&items, layout.label_rows);
        let mut sides = Vec::new();
        for (place, strip) in strips.into_iter().enumerate() {
            let response = shown.response(pair[place])?;
            let width = widths[place];
            sides.push(SidePage {
                strip,
                length: lengths[place].in_short(),
                text: typesetter.response(response, width, &mut TextBudget::default())?,
                has_tokens: response.tokens.is_some(),
            });
        }
        let unwrapped = Typesetter {
            wraps: false,
            ..typesetter
        };
        let (mut others, mut room) = (Vec::new(), TextBudget::default());
        for id in ResponseId::first(responses).filter(|id| !pair.contains(id)) {
            if let Some(response) = shown.response(id) {
                // As wide as the pane in which a hit is shown: what is found here is found there.
                others.push((id, unwrapped.response(response, widths[1], &mut room)?));
            }
        }
        if !wanted() {
            return None;
        }
        let facts = facts(sample, order, key.mask.hidden);
        let findings = findings(sample).into_iter();
        let findings = findings.map(|finding| finding.renamed(|response| order.shown(response)));
        Some(Self {
            key,
            places,
            prompt: typesetter.prompt(&sample.prompt)?,
            turns: sample.prompt.len(),
            responses,
            pair,
            sides,
            others,
            table: shown.table(pair, lengths, wanted)?,
            rationales: shown.rationales(&typesetter)?,
            outcome: shown.outcome(),
            votes: shown.votes(),
            facts,
            findings: findings.collect(),
            malformed: false,
            sample_key: None,
            order,
        })
    }

    fn of_trouble(
        key: PageKey,
        places: Vec<RowPlace>,
        what: &str,
        reason: &str,
        line: &str,
        wanted: &dyn KeepGoing,
    ) -> Option<Self> {
        let layout = key.layout;
        let (typesetter, width) = (
            Typesetter {
                layout: &layout,
                wraps: true,
                wanted,
            },
            layout.single_width,
        );
        let mut prompt = PaneText::default();
        prompt.push(typesetter.remark(what, layout.prompt_width)?);
        let (mut raw, mut room) = (PaneText::default(), TextBudget::default());
        // Above the line itself, so that it is in sight also where one pane shows at a time.
        raw.push(typesetter.plain(SectionKind::Reason, reason, width)?);
        raw.push(Section {
            gap: 1,
            ..typesetter.plain(SectionKind::Plain, room.take(line), width)?
        });
        typesetter.rest(&mut raw, &room, width)?;
        let side = SidePage {
            text: raw,
            ..SidePage::default()
        };
        Some(Self {
            key,
            places,
            prompt,
            turns: 0,
            responses: 0,
            pair: BOTH,
            sides: vec![side],
            others: Vec::new(),
            table: ResponseTable::default(),
            rationales: PaneText::default(),
            outcome: None,
            votes: String::new(),
            facts: Vec::new(),
            findings: Vec::new(),
            malformed: true,
            sample_key: None,
            order: ResponseOrder::OF_FILE,
        })
    }
}

/// A sample with the order in which its responses are shown. Letters are those of the screen.
struct ShownSample<'s, 'b> {
    sample: &'s Sample<'b>,
    schema: &'s Schema,
    order: ResponseOrder,
    /// What other files say of it: their columns, with a value for each response of the file or one
    /// of the sample.
    joined: Vec<(ColumnId, Vec<Option<f64>>)>,
}

impl<'b> ShownSample<'_, 'b> {
    fn response(&self, shown: ResponseId) -> Option<&Response<'b>> {
        self.sample.responses.get(self.order.of_file(shown).index())
    }

    /// The outcome by the letters of the screen, with the file's own words made safe to show.
    fn outcome(&self) -> Option<Outcome> {
        let outcome = self.sample.outcome.clone()?;
        let sign = self.sign();
        Some(Outcome {
            verdict: self.order.shown_verdict(outcome.verdict),
            rated: outcome.rated,
            margin: outcome.margin.map(|margin| margin * sign),
            native: outcome.native.map(|native| text::one_line(&native, 40)),
        })
    }

    /// All responses with their values, lengths and texts; the lengths of those in the panes are
    /// counted already.
    fn table(
        &self,
        pair: ShownPair,
        lengths: [TextLength; 2],
        wanted: &dyn KeepGoing,
    ) -> Option<ResponseTable> {
        let deciding = self.schema.deciding_label();
        let mut places: Vec<_> = (0..self.schema.labels().len()).collect();
        if let Some(deciding) = &deciding {
            places[..=deciding.place].rotate_right(1);
        }
        let name = |place: &usize| text::one_line(&self.schema.labels()[*place].name, 40);
        let row = |id: ResponseId| {
            let response = self.response(id)?;
            let value = |place: &usize| response.ratings.get(*place).copied().flatten();
            let length = match pair.iter().position(|in_pane| *in_pane == id) {
                Some(pane) => lengths[pane],
                None => TextLength::of(Some(response), wanted)?,
            };
            Some(ResponseRow {
                id,
                values: places.iter().map(value).collect(),
                characters: length.characters,
                text: text::one_line(&response.text, PREVIEW),
            })
        };
        let best = self.best();
        let all = ResponseId::first(self.sample.responses.len());
        Some(ResponseTable {
            labels: places.iter().map(name).collect(),
            deciding: deciding.map(|deciding| deciding.sign),
            best,
            rows: all.map(row).collect::<Option<_>>()?,
        })
    }

    /// What was written about the sample and its responses, by the letters of the screen.
    fn rationales(&self, typesetter: &Typesetter<'_>) -> Option<PaneText> {
        let responses = self.sample.responses.len();
        let title = |rationale: &Rationale<'_>| {
            let mut words = vec![
                self.schema
                    .definition()
                    .title_of_text(&rationale.name)
                    .to_owned(),
            ];
            let of = rationale.response.filter(|_| responses > 1);
            words.extend(of.map(|of| self.order.shown(of).letter().to_owned()));
            words.extend(rationale.annotator.map(|who| format!("no. {}", who + 1)));
            text::one_line(&words.join(" \u{b7} "), 60)
        };
        let texts = self.sample.rationales.iter();
        typesetter.rationales(texts.map(|rationale| (title(rationale), &*rationale.text)))
    }

    /// 1 where A of the screen is A of the file, of pairs -1 where it is B.
    fn sign(&self) -> f64 {
        match self.sample.responses.len() == 2 && !self.order.is_of_file() {
            true => -1.0,
            false => 1.0,
        }
    }

    /// What each annotator said of who wins, and how many had nothing to say of that.
    fn votes(&self) -> String {
        let responses = self.sample.responses.len();
        let order = self.order.among(responses);
        export::votes_words(&self.sample.votes, order, responses, number)
    }

    /// What decides who wins, of one response.
    fn deciding(&self, shown: ResponseId) -> Option<f64> {
        let deciding = self.schema.deciding_label()?;
        *self.response(shown)?.ratings.get(deciding.place)?
    }

    /// The responses that stand in the panes at first: of two both; of more the best and the worst,
    /// or the first two where nothing is known of that.
    fn first_pair(&self) -> ShownPair {
        let responses = self.sample.responses.len();
        match responses {
            0 | 1 => return [ResponseId::A; 2],
            2 => return BOTH,
            _ => {}
        }
        let all = || ResponseId::first(responses);
        let sign = self.schema.deciding_label().map_or(1.0, |it| it.sign);
        let value = |id: &ResponseId| self.deciding(*id).map_or(f64::NAN, |value| value * sign);
        let valued = || all().filter(|id| !value(id).is_nan());
        // Of equal ones the first: `max_by` would take the last.
        let greatest = || valued().rev().max_by(|a, b| value(a).total_cmp(&value(b)));
        let best = self.best().iter().next().or_else(greatest);
        let best = best.unwrap_or(ResponseId::A);
        let others = || valued().filter(|id| *id != best);
        let worst = others().min_by(|a, b| value(a).total_cmp(&value(b)));
        let worst = worst.or_else(|| all().find(|id| *id != best));
        [best, worst.unwrap_or(ResponseId::B)]
    }

    /// What joined files say of a response beside what they say of the other one in the panes; what
    /// they say of the sample stands above the left one.
    fn joined_ratings(&self, pair: ShownPair, place: usize) -> Vec<RatingItem> {
        let responses = self.sample.responses.len();
        let in_pane = |place: usize| self.order.of_file(pair[place]).index();
        let is_reversed = responses == 2 && !self.order.is_of_file();
        let ratings = self.joined.iter().filter_map(|(column, values)| {
            let value = |place: usize| values.get(in_pane(place)).copied().flatten();
            let values = match column.is_of_responses() {
                false if place > 0 => return None,
                // By how much A wins: another response is called so here.
                false => {
                    let margin = values.first().copied().flatten();
                    [
                        margin.map(|margin| if is_reversed { -margin } else { margin }),
                        None,
                    ]
                }
                _ if responses > 1 => [value(place), value(1 - place)],
                _ => [value(place), None],
            };
            rating(column.name, values, &number, None, None)
        });
        // What is said of the sample has no column on the right: it comes last.
        let is_of_sample = |item: &RatingItem| {
            let mut columns = self.joined.iter().map(|(column, _)| column);
            columns.any(|column| !column.is_of_responses() && *column.name == *item.name)
        };
        let (last, mut first): (Vec<_>, Vec<_>) = ratings.partition(is_of_sample);
        first.extend(last);
        first
    }

    /// The best responses; none of a tie, and where nothing is known of that.
    fn best(&self) -> ResponseSet {
        match self.outcome().map(|outcome| outcome.verdict) {
            Some(Verdict::Best(best)) => best,
            _ => ResponseSet::default(),
        }
    }

    /// Of more than two responses the letter of each with what decides who wins; those in the panes
    /// stand out.
    fn letters(&self, pair: ShownPair) -> Vec<LabelBarItem> {
        let responses = self.sample.responses.len();
        let best = self.best();
        let word = if best.count() > 1 { " best" } else { " wins" };
        let item = |id: ResponseId| {
            let value = self.deciding(id).map(|value| format!(" {}", number(value)));
            let wins = if best.has(id.index()) { word } else { "" };
            LabelBarItem::Letter {
                id,
                said: format!("{}{wins}", value.unwrap_or_default()),
                shown: pair.contains(&id),
            }
        };
        let all = ResponseId::first(responses).filter(|_| responses > 2);
        all.map(item).collect()
    }
}

impl PageKey {
    /// The responses that stand in the panes, of so many.
    fn pair_among(
        &self,
        responses: usize,
        places: &[RowPlace],
        shown: &ShownSample<'_, '_>,
    ) -> ShownPair {
        let chosen = self.pair;
        let chosen = chosen.filter(|pair| pair.iter().all(|id| id.index() < responses));
        let pair = (chosen.or_else(|| pair_of_files(places))).unwrap_or_else(|| shown.first_pair());
        match self.asked {
            Some(asked) if !pair.contains(&asked) => [pair[0], asked],
            _ => pair,
        }
    }
}

/// Facts in short, and the order of the responses unless that is hidden.
fn facts(sample: &Sample<'_>, order: ResponseOrder, is_hidden: bool) -> Vec<String> {
    let facts = sample.facts.iter();
    let mut facts: Vec<_> = facts
        .map(|fact| text::one_line(&format!("{} {}", fact.name, fact.value), 40))
        .collect();
    let order = export::order_in_words(order, sample.responses.len());
    if let Some(order) = order.filter(|_| !is_hidden) {
        // A model that the file calls B's stands in the other pane.
        if let Some(first) = facts.first_mut() {
            first.insert_str(0, "in the file: ");
        }
        facts.insert(0, order);
    }
    facts
}

/// Of responses from several files the first one and the first one of another file: those are to be
/// seen face to face.
fn pair_of_files(places: &[RowPlace]) -> Option<ShownPair> {
    let file = places.first()?.file;
    let other = places.iter().position(|place| place.file != file)?;
    Some([ResponseId::A, ResponseId::new(other)?])
}

/// A response in a pane beside the one in the other pane.
struct PairedResponse<'r, 'b> {
    /// 0 in the left pane, 1 in the right one.
    place: usize,
    response: &'r Response<'b>,
    other: Option<&'r Response<'b>>,
}

/// The labels of a response beside those of the other one in the panes.
fn ratings(schema: &Schema, compared: &PairedResponse<'_, '_>, layout: &Layout) -> Vec<RatingItem> {
    let value_of =
        |response: &Response<'_>, label: usize| response.ratings.get(label).copied().flatten();
    // Where the least value wins, as of a rank, more is no gain.
    let least_wins = (schema.deciding_label()).filter(|deciding| deciding.sign < 0.0);
    let labels = schema.labels().iter().enumerate();
    let ratings = labels.filter_map(|(index, label)| {
        // How far annotators lie apart is seen in what they said, beside their mean.
        if label.reduce == Some(Reduction::Spread) {
            return None;
        }
        let value = value_of(compared.response, index);
        let others = compared.other.and_then(|other| value_of(other, index));
        // Of a mean two digits are enough; any other value stands as it is.
        let shown = |value: f64| match label.reduce {
            Some(_) => number((value * 100.0).round() / 100.0),
            None => number(value),
        };
        let low = label.range.map_or(0.0, |[low, _]| low);
        let steps = label.steps();
        let bar = steps.map(|of| (value.map_or(0, |value| (value - low) as u32), of));
        // The bar that leans to A or to B is of both: it stands above the left one.
        let lead = value.zip(others).filter(|_| compared.place == 0);
        let lead = lead.map(|(value, others)| value - others);
        let annotations = compared.response.annotations.get(index);
        let annotations = annotations.and_then(Option::as_deref);
        let annotations = annotations.map(|said| format!(" {} {said}", layout.glyphs.made_of));
        let mut item = rating(&label.name, [value, others], &shown, bar, annotations)?;
        item.is_gain ^= least_wins
            .as_ref()
            .is_some_and(|least| least.place == index);
        item.balance = lead.zip(steps).map(|(lead, steps)| balance(lead, steps));
        let is_compared = compared.other.is_some() && label.reduce.is_none();
        let steps = steps.filter(|_| is_compared);
        item.widest_difference = steps.map_or(0, |steps| 1 + steps.to_string().len());
        Some(item)
    });
    ratings.collect()
}

/// A lead out of so many steps in cells of one side of a two-sided bar: no lead looks like none.
fn balance(lead: f64, steps: u32) -> (i32, u32) {
    let cells = steps.min(MOST_BALANCE);
    let full = (lead.abs() * f64::from(cells) / f64::from(steps.max(1))).ceil();
    let full = full.min(f64::from(cells)) as i32;
    (if lead < 0.0 { -full } else { full }, cells)
}

/// A label of a response with by how much it exceeds the other one; `None` where neither has it: that
/// is not a label of the sample.
fn rating(
    name: &str,
    [value, others]: [Option<f64>; 2],
    shown: &dyn Fn(f64) -> String,
    bar: Option<(u32, u32)>,
    annotations: Option<String>,
) -> Option<RatingItem> {
    value.or(others)?;
    let difference = match (value, others) {
        (Some(value), Some(others)) if value > others => format!("+{}", shown(value - others)),
        (Some(value), Some(others)) if value < others => shown(value - others),
        _ => String::new(),
    };
    Some(RatingItem {
        name: text::one_line(name, 24),
        value: value.map_or_else(|| "–".to_owned(), shown) + &annotations.unwrap_or_default(),
        bar,
        is_gain: !difference.starts_with('-'),
        difference,
        balance: None,
        widest_difference: 0,
    })
}

/// How long a text is.
#[derive(Debug, Clone, Copy)]
struct TextLength {
    characters: usize,
    /// What blanks set apart, as `wc -w` counts.
    words: usize,
}

impl TextLength {
    /// Of a text that may be long: `None` once it is not wanted any more.
    fn of(response: Option<&Response<'_>>, wanted: &dyn KeepGoing) -> Option<Self> {
        const LOOK: usize = 1 << 16;
        let text = response.map_or("", |response| &*response.text);
        let (mut characters, mut words, mut is_between) = (0, 0, true);
        for character in text.chars() {
            if characters % LOOK == 0 && !wanted() {
                return None;
            }
            let is_blank = character.is_whitespace();
            words += usize::from(is_between && !is_blank);
            (characters, is_between) = (characters + 1, is_blank);
        }
        Some(Self { characters, words })
    }

    fn in_short(self) -> String {
        text::counted(self.characters, "char")
    }

    /// Beside the other response's.
    fn item(self, other: Option<Self>) -> LabelBarItem {
        let difference = match other {
            Some(other) if self.characters > other.characters => {
                format!("+{}", grouped(self.characters - other.characters))
            }
            Some(other) if self.characters < other.characters => {
                format!("-{}", grouped(other.characters - self.characters))
            }
            _ => String::new(),
        };
        LabelBarItem::Length {
            characters: self.in_short(),
            difference,
            words: text::counted(self.words, "word"),
        }
    }
}

/// What is said of an answer with quotes or tokens.
fn notes(response: &Response<'_>) -> Vec<LabelBarItem> {
    let note = |text: String, tone| LabelBarItem::Note { text, tone };
    let mut notes = Vec::new();
    if let Some(quotes) = &response.quotes {
        let citing = citing(&response.text, quotes.len());
        notes.push(note(format!("quotes {}", quotes.len()), Tone::Dim));
        // Where nothing is cited, that no quote is needs no numbers.
        let unused = match citing.live.is_empty() {
            true => &Vec::new(),
            false => &citing.unused,
        };
        if citing.live.is_empty() && !quotes.is_empty() {
            notes.push(note("cites none".to_owned(), Tone::Dim));
        }
        for (word, numbers, tone) in [
            ("cites", &citing.live, Tone::Dim),
            ("dangling", &citing.dangling, Tone::Finding),
            ("unused", unused, Tone::Dim),
        ] {
            if !numbers.is_empty() {
                let numbers: Vec<_> = numbers.iter().map(|number| format!("[{number}]")).collect();
                notes.push(note(format!("{word} {}", numbers.join(" ")), tone));
            }
        }
    }
    if let Some(tokens) = response.tokens {
        notes.push(note(
            format!("tokens {}+{}", tokens.prefix.count, tokens.completion.count),
            Tone::Dim,
        ));
    }
    notes
}
