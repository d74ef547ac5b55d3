//! A sample laid out for the panes: read, sanitised and wrapped. It is built once per sample and
//! layout and drawn many times.
//!
//! [`Page::build_while`] reads rows, so only `run` calls it, directly or on a thread; `update` receives
//! the finished page.

use super::label_card::{CHARACTERS, CardRow, LabelCard};
use super::pane_text::{PaneText, Section, SectionKind};
use super::typesetter::{Layout, TextBudget, Typesetter};
use crate::app::pages::responses_page::{BOTH, ShownPair};
use crate::app::pages::responses_page::{PREVIEW, ResponseRow, ResponseTable};
use crate::dataset::{
    Buffers, Dataset, DatasetFile, LoadedSample, RowPlace, Sample, SampleBody, SampleKey,
};
use crate::export::{self, BlindMask};
use crate::findings::{Finding, findings};
use crate::model::{Outcome, Rationale, Response, ResponseId, ResponseOrder, ResponseSet, Verdict};
use crate::parallel::KeepGoing;
use crate::review;
use crate::schema::{Reduction, Schema};
use crate::table::ColumnId;
use crate::text::{self, CitationTargets, citation_targets, grouped, number};

/// Identifies a page: a sample of a generation of the dataset in a layout. Search hits are not part
/// of it: they are marked at drawing ([`PageHits`](super::hits::PageHits)) without a new layout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageKey {
    /// Generation of the dataset (its number of loads).
    pub generation: u64,
    /// Number of the sample, from 0.
    pub sample: usize,
    /// Its layout.
    pub layout: Layout,
    /// What blind judging hides.
    pub mask: BlindMask,
    /// Seed for the order of responses if neither an audit nor a judgment fixes it.
    pub coin: Option<u32>,
    /// The responses chosen for the panes; `None` for the best and the worst.
    pub pair: Option<ShownPair>,
    /// The response being rated, which must be visible in a pane.
    pub asked: Option<ResponseId>,
    /// Number of joined files.
    pub joined: usize,
}

/// The selected sample, read and laid out for the screen.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The key it was built for.
    pub key: PageKey,
    /// The places of its rows in the files.
    pub places: Vec<RowPlace>,
    /// The prompt, or the description of a malformed row.
    pub prompt: PaneText,
    /// Number of turns in the prompt; 0 without a prompt.
    pub turns: usize,
    /// Number of responses; 0 for a malformed row.
    pub responses: usize,
    /// The responses in the panes; both the same if there is only one.
    pub pair: ShownPair,
    /// The laid-out responses in the panes, left first. A malformed row has one: its raw text.
    pub sides: Vec<SidePage>,
    /// The unwrapped texts of the other responses, by their letters on the screen, for searches.
    pub others: Vec<(ResponseId, PaneText)>,
    /// The content of the page of all responses.
    pub(crate) table: ResponseTable,
    /// The rationales, each below a heading.
    pub rationales: PaneText,
    /// The dataset's verdict.
    pub outcome: Option<Outcome>,
    /// Each annotator's preference, by the letters of the screen, as the margin for A. Empty if
    /// there is none.
    pub votes: String,
    /// Labels, lengths and facts.
    pub card: LabelCard,
    /// Findings to show to the reviewer.
    pub findings: Vec<Finding>,
    /// Whether the row is malformed or could not be read.
    pub malformed: bool,
    /// The sample's key; `None` if its rows could not be read.
    pub sample_key: Option<SampleKey>,
    /// The order in which the responses are shown.
    pub order: ResponseOrder,
}

/// A laid-out response.
#[derive(Debug, Clone, Default)]
pub struct SidePage {
    /// Number of characters.
    pub characters: usize,
    /// The text with its quotes.
    pub text: PaneText,
}

impl Page {
    /// Reads and lays out a sample; returns `None` if cancelled.
    pub fn build_while(
        dataset: &Dataset,
        key: PageKey,
        keep_going: &dyn KeepGoing,
    ) -> Option<Self> {
        let mut buffers = Buffers::with_fields();
        let reading = dataset.read_while(key.sample, &mut buffers, keep_going)?;
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
                    joined: if key.mask.hidden {
                        Vec::new()
                    } else {
                        dataset.joined_values(key.sample)
                    },
                    files: dataset.files(),
                };
                Self::of_sample(key, places, &shown, keep_going)
            }
            SampleBody::Malformed { .. } if key.mask.hidden => {
                let reason = "its line is hidden while you judge blind";
                Self::of_unreadable(key, places, "The row is malformed.", reason, "", keep_going)
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
                    // Lines made from a container have no byte positions in the file.
                    false => String::new(),
                };
                let at = format!("{file}, {} {}{byte}{column}", place.unit, place.line);
                let kept = if is_line {
                    "unchanged"
                } else {
                    "as far as it can be read"
                };
                let what = format!(
                    "{at}\nThe row is shown {kept}; the rows around it are paired without it."
                );
                Self::of_unreadable(
                    key,
                    vec![place],
                    &what,
                    &row_error.reason,
                    &line,
                    keep_going,
                )
            }
            SampleBody::Unreadable(error) => Self::of_unreadable(
                key,
                places,
                "The row cannot be read any more.",
                &error.to_string(),
                "",
                keep_going,
            ),
        };
        page.sample_key = sample_key;
        // Hidden data is removed here so that no later code can show it.
        if page.key.mask.hidden {
            page.places.clear();
            page.table.hide();
        }
        keep_going().then_some(page)
    }

    /// Returns the findings shown above the panes: all but citations, which the card shows.
    pub fn sentences(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| **finding != Finding::DanglingCitation)
    }

    /// Returns the text of a pane; `None` for the list.
    pub fn stack(&self, pane: crate::app::Pane) -> Option<&PaneText> {
        match pane {
            crate::app::Pane::List => None,
            crate::app::Pane::Prompt => Some(&self.prompt),
            crate::app::Pane::Rationales => Some(&self.rationales),
            crate::app::Pane::Left | crate::app::Pane::Right => {
                self.side(pane).map(|side| &side.text)
            }
        }
    }

    /// Returns the laid-out response in a pane, if there is one.
    pub fn side(&self, pane: crate::app::Pane) -> Option<&SidePage> {
        self.sides.get(pane.side()?)
    }

    /// Returns the screen letter of the response in a pane.
    pub fn letter_in(&self, pane: crate::app::Pane) -> Option<ResponseId> {
        self.pair.get(pane.side()?).copied()
    }

    /// Returns the file's letter of the response in a pane.
    pub fn response_in(&self, pane: crate::app::Pane) -> Option<ResponseId> {
        self.letter_in(pane).map(|shown| self.order.of_file(shown))
    }

    /// True if it has turns that are folded by default, even if unfolded now.
    pub(crate) fn has_folds(&self) -> bool {
        let mut sections = self
            .sides
            .iter()
            .map(|side| &side.text)
            .chain([&self.prompt])
            .flat_map(PaneText::sections);
        sections.any(
            |section| matches!(section.kind, SectionKind::Turn(role) if role.is_folded_at_first()),
        )
    }

    /// True if another page shows the same sample, in any layout.
    pub fn shows_same_sample(&self, other: &Self) -> bool {
        let is_reread = self.key.generation != other.key.generation;
        match is_reread {
            // After a reload the sample is identified by its key.
            true => self.sample_key.is_some() && self.sample_key == other.sample_key,
            false => self.key.sample == other.key.sample,
        }
    }

    fn of_sample(
        key: PageKey,
        mut places: Vec<RowPlace>,
        shown: &ShownSample<'_, '_>,
        keep_going: &dyn KeepGoing,
    ) -> Self {
        let ShownSample { sample, order, .. } = shown;
        let order = *order;
        let layout = key.layout;
        let typesetter = Typesetter {
            layout: &layout,
            wraps: true,
            keep_going,
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
        let length = |id| TextLength::of(shown.response(id), keep_going);
        let lengths = pair.map(length);
        let side = |place: usize| {
            let response = shown.response(pair[place])?;
            let room = &mut TextBudget::default();
            Some(SidePage {
                characters: lengths[place].characters,
                text: typesetter.response(response, widths[place], room),
            })
        };
        let unwrapped = Typesetter {
            wraps: false,
            ..typesetter
        };
        let (mut others, mut room) = (Vec::new(), TextBudget::default());
        for id in ResponseId::first(responses).filter(|id| !pair.contains(id)) {
            if let Some(response) = shown.response(id) {
                // Same width as the pane that will show the hit, so that positions are valid there.
                others.push((id, unwrapped.response(response, widths[1], &mut room)));
            }
        }
        let mut card = LabelCard {
            labels: shown.labels(pair),
            lengths: shown.lengths(pair, lengths),
            citations: shown.citations(pair),
            facts: shown.others(pair).into_iter().collect(),
        };
        card.labels.extend(shown.joined_labels(pair));
        if !key.mask.hidden {
            card.facts.extend(shown.rows(pair, &places));
        }
        card.facts.extend(facts(sample, order, key.mask.hidden));
        let findings = findings(sample)
            .into_iter()
            .map(|finding| finding.renamed(|response| order.shown(response)));
        Self {
            key,
            places,
            prompt: typesetter.prompt(&sample.prompt),
            turns: sample.prompt.len(),
            responses,
            pair,
            sides: (0..responses.min(2)).filter_map(side).collect(),
            others,
            table: shown.table(pair, lengths, keep_going),
            rationales: shown.rationales(&typesetter),
            outcome: shown.outcome(),
            votes: shown.votes(),
            card,
            findings: findings.collect(),
            order,
            ..Self::default()
        }
    }

    fn of_unreadable(
        key: PageKey,
        places: Vec<RowPlace>,
        what: &str,
        reason: &str,
        line: &str,
        keep_going: &dyn KeepGoing,
    ) -> Self {
        let layout = key.layout;
        let (typesetter, width) = (
            Typesetter {
                layout: &layout,
                wraps: true,
                keep_going,
            },
            layout.single_width,
        );
        let mut prompt = PaneText::default();
        prompt.push(typesetter.remark(what, layout.prompt_width));
        let (mut raw, mut room) = (PaneText::default(), TextBudget::default());
        // Above the line itself, so that it is visible even if only one pane shows.
        raw.push(typesetter.plain(SectionKind::Reason, reason, width));
        raw.push(Section {
            gap: 1,
            ..typesetter.plain(SectionKind::Plain, room.take(line), width)
        });
        typesetter.note_cut(&mut raw, &room, width);
        let side = SidePage {
            text: raw,
            ..SidePage::default()
        };
        Self {
            key,
            places,
            prompt,
            pair: BOTH,
            sides: vec![side],
            malformed: true,
            ..Self::default()
        }
    }
}

/// A sample with the display order of its responses. Letters are those on the screen.
struct ShownSample<'s, 'b> {
    sample: &'s Sample<'b>,
    schema: &'s Schema,
    order: ResponseOrder,
    /// Columns of joined files, with a value per response (in file order) or one per sample.
    joined: Vec<(ColumnId, Vec<Option<f64>>)>,
    files: &'s [DatasetFile],
}

impl<'b> ShownSample<'_, 'b> {
    fn response(&self, shown: ResponseId) -> Option<&Response<'b>> {
        self.sample.responses.get(self.order.of_file(shown).index())
    }

    /// Returns the outcome by screen letters, with the file's own words sanitised.
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

    /// Returns all responses with values, lengths and texts. `lengths` are those in the panes.
    fn table(
        &self,
        pair: ShownPair,
        lengths: [TextLength; 2],
        keep_going: &dyn KeepGoing,
    ) -> ResponseTable {
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
                None => TextLength::of(Some(response), keep_going),
            };
            Some(ResponseRow {
                id,
                values: places.iter().map(value).collect(),
                characters: length.characters,
                text: text::one_line(&response.text, PREVIEW),
            })
        };
        let all = ResponseId::first(self.sample.responses.len());
        ResponseTable {
            labels: places.iter().map(name).collect(),
            deciding: deciding.map(|deciding| deciding.sign),
            best: self.best(),
            rows: all.filter_map(row).collect(),
        }
    }

    /// Lays out the rationales, by screen letters.
    fn rationales(&self, typesetter: &Typesetter<'_>) -> PaneText {
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

    /// Returns -1 if a pair is swapped on the screen, otherwise 1.
    fn sign(&self) -> f64 {
        if self.sample.responses.len() == 2 && !self.order.is_of_file() {
            -1.0
        } else {
            1.0
        }
    }

    /// Describes each annotator's preference and the number who gave none.
    fn votes(&self) -> String {
        let responses = self.sample.responses.len();
        let order = self.order.among(responses);
        export::votes_words(&self.sample.votes, order, responses, number)
    }

    /// Returns a response's value of the label that decides the winner.
    fn deciding(&self, shown: ResponseId) -> Option<f64> {
        let deciding = self.schema.deciding_label()?;
        *self.response(shown)?.ratings.get(deciding.place)?
    }

    /// Returns the default pair of the panes: both of two; of more the best and the worst, or the
    /// first two without values.
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
        // Reversed because `max_by` returns the last of equal elements.
        let greatest = || valued().rev().max_by(|a, b| value(a).total_cmp(&value(b)));
        let best = self
            .best()
            .iter()
            .next()
            .or_else(greatest)
            .unwrap_or(ResponseId::A);
        let others = || valued().filter(|id| *id != best);
        let worst = others()
            .min_by(|a, b| value(a).total_cmp(&value(b)))
            .or_else(|| all().find(|id| *id != best));
        [best, worst.unwrap_or(ResponseId::B)]
    }

    fn labels(&self, pair: ShownPair) -> Vec<CardRow> {
        let responses = self.in_panes(pair);
        let labels = self.schema.labels().iter().enumerate();
        // The spread is visible in the annotators' values shown below their mean.
        let labels = labels.filter(|(_, label)| label.reduce != Some(Reduction::Spread));
        let rows = labels.flat_map(|(index, label)| {
            let value = |place: usize| *responses[place]?.ratings.get(index)?;
            // Means are rounded to two decimals; other values are shown unchanged.
            let shown = |value: f64| match label.reduce {
                Some(_) => number((value * 100.0).round() / 100.0),
                None => number(value),
            };
            let values = [value(0), value(1)];
            let said = |place: usize| responses[place]?.annotations.get(index)?.clone();
            let each = [said(0), said(1)].map(Option::unwrap_or_default);
            let has_each = each.iter().any(|said| !said.is_empty());
            let row = CardRow::of_values(&label.name, values, shown);
            let each = has_each.then(|| CardRow::of_each("", each));
            row.into_iter().chain(each)
        });
        rows.collect()
    }

    /// Returns joined columns: first those of the responses in the panes, then of the sample.
    fn joined_labels(&self, pair: ShownPair) -> Vec<CardRow> {
        let place = |pane: usize| self.order.of_file(pair[pane]).index();
        let (of_responses, of_sample): (Vec<_>, Vec<_>) = self
            .joined
            .iter()
            .partition(|(column, _)| column.is_of_responses());
        let each = of_responses.into_iter().filter_map(|(column, values)| {
            let value = |pane: usize| values.get(place(pane)).copied().flatten();
            let right = value(1).filter(|_| pair[0] != pair[1]);
            CardRow::of_values(column.name, [value(0), right], number)
        });
        let sample = of_sample.into_iter().filter_map(|(column, values)| {
            // The margin is for A of the screen, which may be B of the file.
            let margin = values.first().copied().flatten()? * self.sign();
            Some(CardRow::of_sample(column.name, number(margin)))
        });
        each.chain(sample).collect()
    }

    /// Returns the responses in the panes; a single one is on the left.
    fn in_panes(&self, pair: ShownPair) -> [Option<&Response<'b>>; 2] {
        let right = Some(pair[1]).filter(|right| *right != pair[0]);
        [Some(pair[0]), right].map(|id| self.response(id?))
    }

    fn counts(&self, pair: ShownPair, name: &str, counts: [usize; 2]) -> CardRow {
        match self.in_panes(pair) {
            [Some(_), Some(_)] => CardRow::of_counts(name, counts),
            _ => CardRow::of_sample(name, grouped(counts[0])),
        }
    }

    fn lengths(&self, pair: ShownPair, lengths: [TextLength; 2]) -> Vec<CardRow> {
        let count = |name, of: fn(&TextLength) -> usize| {
            self.counts(pair, name, [of(&lengths[0]), of(&lengths[1])])
        };
        vec![
            count(CHARACTERS, |length| length.characters),
            count("words", |length| length.words),
        ]
    }

    /// Returns rows of quotes and citations of the responses in the panes.
    fn citations(&self, pair: ShownPair) -> Vec<CardRow> {
        let panes = self.in_panes(pair);
        let cited = panes.map(|response| {
            let quotes = response?.quotes.as_ref()?;
            Some((
                quotes.len(),
                citation_targets(&response?.text, quotes.len()),
            ))
        });
        let mut rows = Vec::new();
        if cited.iter().any(Option::is_some) {
            let count = |of: fn(&(usize, CitationTargets)) -> usize| {
                cited.each_ref().map(|it| it.as_ref().map_or(0, of))
            };
            rows.push(self.counts(pair, "quotes", count(|(quotes, _)| *quotes)));
            rows.push(self.counts(pair, "cited", count(|(_, targets)| targets.live.len())));
            let numbers = |of: fn(&CitationTargets) -> &Vec<usize>| {
                cited.each_ref().map(|it| {
                    it.as_ref()
                        .map(|(_, targets)| of(targets))
                        .into_iter()
                        .flatten()
                        .map(|number| format!("[{number}]"))
                        .collect::<Vec<_>>()
                        .join(" ")
                })
            };
            let dangling = numbers(|targets| &targets.dangling);
            if dangling.iter().any(|numbers| !numbers.is_empty()) {
                rows.push(CardRow {
                    is_finding: true,
                    ..CardRow::of_each("dangling", dangling)
                });
            }
            // Without any citation all quotes are unused, so listing their numbers is pointless.
            let has_cited = cited
                .iter()
                .flatten()
                .any(|(_, targets)| !targets.live.is_empty());
            let unused = numbers(|targets| &targets.unused);
            if has_cited && unused.iter().any(|numbers| !numbers.is_empty()) {
                rows.push(CardRow::of_each("unused", unused));
            }
        }
        rows
    }

    /// Lists the responses that are in neither pane, with the value that decides.
    fn others(&self, pair: ShownPair) -> Option<CardRow> {
        let best = self.best();
        let others: Vec<_> = ResponseId::first(self.sample.responses.len())
            .filter(|id| !pair.contains(id))
            .map(|id| {
                let value = self.deciding(id).map(|value| format!(" {}", number(value)));
                let wins = if best.has(id.index()) { " best" } else { "" };
                format!("{}{}{wins}", id.letter(), value.unwrap_or_default())
            })
            .collect();
        (!others.is_empty()).then(|| CardRow::of_sample("others", others.join(", ")))
    }

    /// Returns the file positions of the responses in the panes and the file's own verdict.
    fn rows(&self, pair: ShownPair, places: &[RowPlace]) -> Vec<CardRow> {
        let place = |pane: usize| places.get(pair[pane].index()).or(places.first());
        let [Some(left), Some(right)] = [place(0), place(1)] else {
            return Vec::new();
        };
        let row = |place: &RowPlace| grouped(place.row as usize);
        let mut rows = Vec::new();
        if left.file != right.file {
            let name = |place: &RowPlace| {
                let file = self.files.get(place.file).map(DatasetFile::short_name);
                text::one_line(file.unwrap_or_default(), 24)
            };
            rows.push(CardRow::of_each("file", [name(left), name(right)]));
        }
        rows.push(if left == right {
            CardRow::of_sample("row", row(left))
        } else {
            CardRow::of_each("row", [row(left), row(right)])
        });
        let native = self.outcome().and_then(|outcome| outcome.native);
        rows.extend(native.map(|native| CardRow::of_sample("verdict", native)));
        let votes = Some(self.votes()).filter(|votes| !votes.is_empty());
        rows.extend(votes.map(|votes| CardRow::of_sample("votes", votes)));
        rows
    }

    /// Returns the best responses; empty for a tie or an unknown verdict.
    fn best(&self) -> ResponseSet {
        match self.outcome().map(|outcome| outcome.verdict) {
            Some(Verdict::Best(best)) => best,
            _ => ResponseSet::default(),
        }
    }
}

impl PageKey {
    /// Returns the responses for the panes of a sample with this many.
    fn pair_among(
        &self,
        responses: usize,
        places: &[RowPlace],
        shown: &ShownSample<'_, '_>,
    ) -> ShownPair {
        let chosen = self
            .pair
            .filter(|pair| pair.iter().all(|id| id.index() < responses));
        let pair = (chosen.or_else(|| pair_of_files(places))).unwrap_or_else(|| shown.first_pair());
        match self.asked {
            Some(asked) if !pair.contains(&asked) => [pair[0], asked],
            _ => pair,
        }
    }
}

/// Returns the sample's other facts, after the order of its responses unless hidden.
fn facts(sample: &Sample<'_>, order: ResponseOrder, is_hidden: bool) -> Vec<CardRow> {
    let facts = sample
        .facts
        .iter()
        .map(|fact| CardRow::of_sample(&fact.name, text::one_line(&fact.value, 80)));
    let order = export::order_in_words(order, sample.responses.len());
    // Facts may name the file's A and B, which can be swapped on the screen.
    order
        .filter(|_| !is_hidden)
        .map(|order| CardRow::of_sample("in the file", order))
        .into_iter()
        .chain(facts)
        .collect()
}

/// Returns the first response and the first from another file, if there are several files.
fn pair_of_files(places: &[RowPlace]) -> Option<ShownPair> {
    let file = places.first()?.file;
    let other = places.iter().position(|place| place.file != file)?;
    Some([ResponseId::A, ResponseId::new(other)?])
}

/// The length of a text.
#[derive(Debug, Clone, Copy)]
struct TextLength {
    characters: usize,
    /// Separated by whitespace, as `wc -w` counts.
    words: usize,
}

impl TextLength {
    /// Counts a response's characters and words, until cancelled.
    fn of(response: Option<&Response<'_>>, keep_going: &dyn KeepGoing) -> Self {
        const LOOK: usize = 1 << 16;
        let text = response.map_or("", |response| &*response.text);
        let (mut characters, mut words, mut is_between) = (0, 0, true);
        for character in text.chars() {
            if characters % LOOK == 0 && !keep_going() {
                break;
            }
            let is_blank = character.is_whitespace();
            words += usize::from(is_between && !is_blank);
            (characters, is_between) = (characters + 1, is_blank);
        }
        Self { characters, words }
    }
}
