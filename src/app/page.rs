//! A sample laid out for the panes: read, sanitised, wrapped. Built once for a sample and a layout,
//! drawn many times.
//!
//! [`Page::build`] reads rows, so only `run` calls it, here or on a thread; `update` takes the
//! finished page.

use super::label_bar::{LabelBar, LabelBarItem, Tone};
use super::pane_text::{PaneText, Section, SectionKind};
use super::responses::{BOTH, ShownPair};
use crate::dataset::{Buffers, Dataset, LoadedSample, RowPlace, Sample, SampleBody, SampleKey};
use crate::export::{self, BlindMask};
use crate::findings::{Finding, findings_while};
use crate::model::{Outcome, Quote, Response, ResponseId, ResponseOrder, Turn, Verdict};
use crate::review;
use crate::schema::{Label, Schema};
use crate::text::{self, Hidden, StyledText, TextGlyphs, TextStyle, citations, citing, number};

/// What the layout of a page depends on, besides the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Columns of the prompt pane, border excluded.
    pub prompt_width: u16,
    /// Columns of the only response.
    pub single_width: u16,
    /// Columns of A and of B where there are both.
    pub pair_widths: [u16; 2],
    /// Rows of labels above a response that are not too many.
    pub strip_rows: usize,
    /// Whether Markdown is rendered.
    pub markdown: bool,
    /// Whether hidden characters show.
    pub hidden: Hidden,
    /// The glyphs to render Markdown with.
    pub glyphs: TextGlyphs,
}

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
    pub veil: BlindMask,
    /// Seed of the coin that puts responses into an order, where no audit and no judgment says how
    /// they stand.
    pub coin: Option<u32>,
    /// The responses that were chosen for the panes; `None` for the best and the worst.
    pub pair: Option<ShownPair>,
    /// The one that is to stand in a pane in any case, since one is asked to rate it.
    pub asked: Option<ResponseId>,
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
    /// Who wins.
    pub outcome: Option<Outcome>,
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
    /// Its text, with its quotes.
    pub text: PaneText,
}

/// From this width on the role of a turn stands beside its text, otherwise above it.
const ROLE_BESIDE_FROM: u16 = 56;
/// Cells of a gutter with the role, and of one with the rule alone.
const ROLE_GUTTER: u16 = 12;
const RULE_GUTTER: u16 = 2;

impl Page {
    /// Reads and lays out a sample; `None` when the dataset has no such sample.
    pub fn build(dataset: &Dataset, key: PageKey) -> Option<Self> {
        Self::build_while(dataset, key, &|| true)
    }

    /// [`Self::build`] of a sample that may be large: `wanted` is asked all along, and once it says
    /// no this gives `None`.
    pub fn build_while(dataset: &Dataset, key: PageKey, wanted: &dyn Fn() -> bool) -> Option<Self> {
        let mut buffers = Buffers::default();
        let reading = dataset.read_while(key.sample, &mut buffers, wanted)?;
        let LoadedSample {
            places,
            schema,
            body,
        } = reading;
        let file = dataset.files().get(places.first()?.file)?.source.name();
        let sample_key = SampleKey::of(&body);
        let mut page = match body {
            SampleBody::Sample(sample) => {
                let responses = sample.responses.len();
                let order = match key.coin.zip(sample_key) {
                    Some((seed, sample)) => review::shown_order(u64::from(seed), sample, responses),
                    None => key.veil.order.among(responses),
                };
                let shown = ShownSample {
                    sample: &sample,
                    schema,
                    order,
                };
                Self::of_sample(key, places, &shown, wanted)?
            }
            SampleBody::Malformed { .. } if key.veil.hidden => {
                let reason = "its line is hidden while you judge blind";
                Self::of_trouble(key, places, "The row is malformed.", reason, "", wanted)?
            }
            SampleBody::Malformed { place, fault, line } => {
                let column = match fault.column {
                    0 => String::new(),
                    column => format!(
                        ", column {column} (byte {})",
                        place.bytes.start + column as u64 - 1
                    ),
                };
                let at = format!(
                    "{file}, line {}, byte {}{column}",
                    place.line, place.bytes.start
                );
                let what = format!(
                    "{at}\nThe row is kept as it stands in the file; rows around it pair without it."
                );
                Self::of_trouble(key, vec![place], &what, &fault.reason, &line, wanted)?
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
        page.draw_veil();
        Some(page)
    }

    /// Lines of a pane's text; the list has none.
    pub fn stack(&self, pane: super::Pane) -> Option<&PaneText> {
        match pane {
            super::Pane::List => None,
            super::Pane::Prompt => Some(&self.prompt),
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

    /// Whether another page is of the same sample, in whatever layout.
    pub fn shows_the_same_as(&self, other: &Self) -> bool {
        (self.key.generation, self.key.sample) == (other.key.generation, other.key.sample)
    }

    /// Takes away what is not to be seen, so that nobody behind can show it.
    fn draw_veil(&mut self) {
        if self.key.veil.hidden {
            (self.outcome, self.places) = (None, Vec::new());
            self.facts.clear();
            self.findings.retain(|finding| !finding.tells_of_labels());
            for side in &mut self.sides {
                side.strip.hide_ratings();
            }
        }
    }

    fn of_sample(
        key: PageKey,
        mut places: Vec<RowPlace>,
        shown: &ShownSample<'_, '_>,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let ShownSample { sample, order, .. } = *shown;
        let layout = key.layout;
        let typesetter = Typesetter {
            layout: &layout,
            wanted,
        };
        let responses = sample.responses.len();
        let pair = key
            .pair
            .filter(|pair| pair.iter().all(|id| id.index() < responses))
            .unwrap_or_else(|| shown.first_pair(key.veil.hidden));
        let pair = match key.asked {
            Some(asked) if !pair.contains(&asked) => [pair[0], asked],
            _ => pair,
        };
        let widths = match responses {
            0 | 1 => [layout.single_width; 2],
            _ => layout.pair_widths,
        };
        let letters = shown.letters(pair, key.veil.hidden);
        let side = |place: usize| {
            let response = shown.response(pair[place])?;
            let other = shown.response(pair[1 - place]).filter(|_| responses > 1);
            let width = widths[place];
            let mut notes = notes(response);
            // What there is besides is told once, above the left one.
            notes.splice(0..0, letters.iter().filter(|_| place == 0).cloned());
            Some(SidePage {
                strip: strip(
                    shown.schema.labels(),
                    [Some(response), other],
                    &notes,
                    usize::from(width),
                    layout.strip_rows,
                ),
                text: typesetter.response(response, width)?,
            })
        };
        let sides: Vec<_> = (0..responses.min(2)).filter_map(side).collect();
        if !wanted() {
            return None;
        }
        let facts = sample
            .facts
            .iter()
            .map(|fact| text::one_line(&format!("{} {}", fact.name, fact.value), 40));
        // What the file itself says is about its own order.
        let facts = export::order_in_words(order, responses)
            .into_iter()
            .chain(facts);
        if places.len() == 2 && !order.is_of_file() {
            places.swap(0, 1);
        }
        let findings = findings_while(sample, wanted)?.into_iter();
        let findings = findings.map(|finding| finding.renamed(|response| order.shown(response)));
        Some(Self {
            key,
            places,
            prompt: typesetter.prompt(&sample.prompt)?,
            turns: sample.prompt.len(),
            responses,
            pair,
            sides,
            outcome: shown.outcome(),
            facts: facts.collect(),
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
        wanted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let layout = key.layout;
        let (typesetter, width) = (
            Typesetter {
                layout: &layout,
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
            strip: LabelBar::default(),
            text: raw,
        };
        Some(Self {
            key,
            places,
            prompt,
            turns: 0,
            responses: 0,
            pair: BOTH,
            sides: vec![side],
            outcome: None,
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
}

impl<'b> ShownSample<'_, 'b> {
    fn response(&self, shown: ResponseId) -> Option<&Response<'b>> {
        self.sample.responses.get(self.order.of_file(shown).index())
    }

    /// The outcome by the letters of the screen, with the file's own words made safe to show.
    fn outcome(&self) -> Option<Outcome> {
        let outcome = self.sample.outcome.clone()?;
        let is_swapped = self.sample.responses.len() == 2 && !self.order.is_of_file();
        let sign = if is_swapped { -1.0 } else { 1.0 };
        Some(Outcome {
            verdict: self.order.shown_verdict(outcome.verdict),
            margin: outcome.margin.map(|margin| margin * sign),
            native: outcome.native.map(|native| text::one_line(&native, 40)),
        })
    }

    /// What decides who wins, of one response.
    fn deciding(&self, shown: ResponseId) -> Option<f64> {
        let label = self.schema.deciding_label()?;
        *self.response(shown)?.ratings.get(label)?
    }

    /// The responses that stand in the panes at first: of two both; of more the best and the worst,
    /// or the first two where that is hidden or not known.
    fn first_pair(&self, hidden: bool) -> ShownPair {
        let responses = self.sample.responses.len();
        match responses {
            0 | 1 => return [ResponseId::A; 2],
            2 => return BOTH,
            _ if hidden => return BOTH,
            _ => {}
        }
        let all = || ResponseId::first(responses);
        let value = |id: &ResponseId| self.deciding(*id).unwrap_or(f64::NAN);
        let valued = || all().filter(|id| !value(id).is_nan());
        // Of equal ones the first: `max_by` would take the last.
        let greatest = || valued().rev().max_by(|a, b| value(a).total_cmp(&value(b)));
        let best = match self.outcome().map(|outcome| outcome.verdict) {
            Some(Verdict::Wins(best)) => Some(best),
            _ => greatest(),
        };
        let best = best.unwrap_or(ResponseId::A);
        let others = || valued().filter(|id| *id != best);
        let worst = others().min_by(|a, b| value(a).total_cmp(&value(b)));
        let worst = worst.or_else(|| all().find(|id| *id != best));
        [best, worst.unwrap_or(ResponseId::B)]
    }

    /// Of more than two responses the letter of each with what decides who wins; those in the panes
    /// stand out.
    fn letters(&self, pair: ShownPair, hidden: bool) -> Vec<LabelBarItem> {
        let responses = self.sample.responses.len();
        let winner = match self.outcome().map(|outcome| outcome.verdict) {
            Some(Verdict::Wins(winner)) if !hidden => Some(winner),
            _ => None,
        };
        let item = |id: ResponseId| {
            let value = self.deciding(id).filter(|_| !hidden);
            let value = value.map(|value| format!(" {}", number(value)));
            let wins = if winner == Some(id) { " wins" } else { "" };
            let tone = if pair.contains(&id) {
                Tone::Shown
            } else {
                Tone::Dim
            };
            LabelBarItem::Note {
                text: format!("{}{}{wins}", id.letter(), value.unwrap_or_default()),
                tone,
            }
        };
        let all = ResponseId::first(responses).filter(|_| responses > 2);
        all.map(item).collect()
    }
}

/// A text of the program's own in Markdown, laid out for so many columns.
pub(super) fn markdown_stack(markdown: &str, width: u16, glyphs: TextGlyphs) -> PaneText {
    let clean = text::sanitise(markdown, Hidden::Discreet);
    let mut stack = PaneText::default();
    let block = StyledText::markdown(&clean, width.max(1), glyphs);
    wrapped(SectionKind::Plain, block, width, &|| true)
        .into_iter()
        .for_each(|section| stack.push(section));
    stack
}

/// Bytes of text that a pane lays out: three thousand printed pages. What lines take in memory can
/// be sixty times their text, and a row can be as large as a disk.
const MOST_TEXT: usize = 8 << 20;

/// How much more text a pane has room for.
struct TextBudget {
    left: usize,
    /// Bytes that found none.
    cut: usize,
}

impl Default for TextBudget {
    fn default() -> Self {
        Self {
            left: MOST_TEXT,
            cut: 0,
        }
    }
}

impl TextBudget {
    /// As much of the beginning of a text as there is room for.
    fn take<'t>(&mut self, text: &'t str) -> &'t str {
        let mut end = self.left.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // What is cut off once is not gone on with: half a text in the middle of others would
        // mislead.
        self.left = if end < text.len() { 0 } else { self.left - end };
        self.cut += text.len() - end;
        &text[..end]
    }
}

/// Lays out texts for one layout, as long as they are wanted: everything gives `None` once they are
/// not.
struct Typesetter<'l> {
    layout: &'l Layout,
    wanted: &'l dyn Fn() -> bool,
}

impl Typesetter<'_> {
    fn prompt(&self, turns: &[Turn<'_>]) -> Option<PaneText> {
        let width = self.layout.prompt_width;
        let (mut stack, mut room) = (PaneText::default(), TextBudget::default());
        for (number, turn) in turns.iter().enumerate() {
            let text = room.take(&turn.text);
            if text.is_empty() && room.cut > 0 {
                continue;
            }
            let section = if turns.len() == 1 {
                self.section(SectionKind::Plain, text, width)?
            } else {
                let beside = width >= ROLE_BESIDE_FROM;
                let gutter = if beside { ROLE_GUTTER } else { RULE_GUTTER };
                let section = self.section(
                    SectionKind::Turn(turn.role),
                    text,
                    width.saturating_sub(gutter),
                )?;
                Section {
                    gutter,
                    gap: usize::from(number > 0),
                    headed: !beside,
                    ..section
                }
            };
            stack.push(section);
        }
        self.rest(&mut stack, &room, width)?;
        Some(stack)
    }

    fn response(&self, response: &Response<'_>, width: u16) -> Option<PaneText> {
        let (mut stack, mut room) = (PaneText::default(), TextBudget::default());
        if response.text.trim().is_empty() {
            stack.push(self.remark(
                if response.text.is_empty() {
                    "(empty)"
                } else {
                    "(only white space)"
                },
                width,
            )?);
        }
        if !response.text.is_empty() {
            let mut section = self.section(SectionKind::Plain, room.take(&response.text), width)?;
            if let Some(quotes) = &response.quotes {
                colour_citations(&mut section.block, quotes.len());
            }
            stack.push(section);
        }
        if let Some(quotes) = response
            .quotes
            .as_deref()
            .filter(|quotes| !quotes.is_empty() && room.cut == 0)
        {
            self.quotes(&mut stack, quotes, &response.text, &mut room, width)?;
        } else {
            room.cut += response
                .quotes
                .iter()
                .flatten()
                .map(|quote| quote.title.len() + quote.extract.len())
                .sum::<usize>();
        }
        self.rest(&mut stack, &room, width)?;
        Some(stack)
    }

    fn quotes(
        &self,
        stack: &mut PaneText,
        quotes: &[Quote<'_>],
        answer: &str,
        room: &mut TextBudget,
        width: u16,
    ) -> Option<()> {
        let live = citing(answer, quotes.len()).live;
        let divider = Section {
            gap: 1,
            ..self.remark("quotes", width)?
        };
        stack.push(Section {
            kind: SectionKind::Divider,
            ..divider
        });
        let narrow = width.saturating_sub(RULE_GUTTER);
        for (number, quote) in (1..).zip(quotes) {
            let cited = live.contains(&number);
            let unused = if cited { "" } else { " · unused" };
            let title = room.take(&quote.title);
            if room.cut > 0 {
                room.cut += quote.extract.len();
                continue;
            }
            let title = format!("[{number}] {title}{unused}");
            let title = Section {
                gutter: RULE_GUTTER,
                ..self.plain(SectionKind::QuoteTitle { cited }, &title, narrow)?
            };
            stack.push(Section {
                gap: usize::from(number > 1),
                ..title
            });
            let extract = self.plain(
                SectionKind::Quote { cited },
                room.take(&quote.extract),
                narrow,
            )?;
            stack.push(Section {
                gutter: RULE_GUTTER,
                ..extract
            });
        }
        Some(())
    }

    /// Says how much of the texts there was no room for, if any was.
    fn rest(&self, stack: &mut PaneText, room: &TextBudget, width: u16) -> Option<()> {
        if room.cut > 0 {
            let size = super::text_size(room.cut as u64);
            let words = format!(
                "The other {size} of this text are not laid out here; :export result FILE.jsonl writes all of it."
            );
            stack.push(Section {
                gap: 1,
                ..self.remark(&words, width)?
            });
        }
        Some(())
    }

    fn remark(&self, words: &str, width: u16) -> Option<Section> {
        self.plain(SectionKind::Remark, words, width)
    }

    fn section(&self, kind: SectionKind, raw: &str, width: u16) -> Option<Section> {
        if !self.layout.markdown {
            return self.plain(kind, raw, width);
        }
        let clean = text::sanitise_while(raw, self.layout.hidden, self.wanted)?;
        let block =
            StyledText::markdown_while(&clean, width.max(1), self.layout.glyphs, self.wanted)?;
        // One copy of the text is enough from here on.
        drop(clean);
        wrapped(kind, block, width, self.wanted)
    }

    fn plain(&self, kind: SectionKind, raw: &str, width: u16) -> Option<Section> {
        let clean = text::sanitise_while(raw, self.layout.hidden, self.wanted)?;
        wrapped(kind, StyledText::plain(clean), width, self.wanted)
    }
}

fn wrapped(
    kind: SectionKind,
    block: StyledText,
    width: u16,
    wanted: &dyn Fn() -> bool,
) -> Option<Section> {
    let lines = text::wrap_while(&block, width.max(1), wanted)?;
    Some(Section {
        kind,
        block,
        lines,
        gutter: 0,
        gap: 0,
        headed: false,
    })
}

fn colour_citations(block: &mut StyledText, quotes: usize) {
    let found: Vec<_> = citations(block.text());
    for citation in found {
        let live = (1..=quotes).contains(&citation.number);
        block.overlay(
            citation.range,
            if live {
                TextStyle::CITATION_LIVE
            } else {
                TextStyle::CITATION_DANGLING
            },
        );
    }
}

/// The labels of a response beside those of the other one in the panes, and what else is said.
fn strip(
    labels: &[Label],
    [response, other]: [Option<&Response<'_>>; 2],
    notes: &[LabelBarItem],
    width: usize,
    most: usize,
) -> LabelBar {
    let value_of = |response: Option<&Response<'_>>, label: usize| {
        response.and_then(|response| response.ratings.get(label).copied().flatten())
    };
    let ratings = labels.iter().enumerate().filter_map(|(index, label)| {
        let (value, others) = (value_of(response, index), value_of(other, index));
        // A label that neither response has is not a label of this sample.
        value.or(others)?;
        let lead = match (value, others) {
            (Some(value), Some(others)) if value > others => format!("+{}", number(value - others)),
            _ => String::new(),
        };
        let low = label.range.map_or(0.0, |[low, _]| low);
        Some(LabelBarItem::Rating {
            name: text::one_line(&label.name, 24),
            value: value.map_or_else(|| "–".to_owned(), number),
            bar: label
                .steps()
                .map(|of| (value.map_or(0, |value| (value - low) as u32), of)),
            lead: if lead.is_empty() {
                lead
            } else {
                format!(" {lead}")
            },
        })
    });
    let ratings: Vec<_> = ratings.collect();
    LabelBar::flow(&ratings, notes, width, most)
}

/// What is said of an answer with quotes or tokens.
fn notes(response: &Response<'_>) -> Vec<LabelBarItem> {
    let note = |text: String, tone| LabelBarItem::Note { text, tone };
    let mut notes = Vec::new();
    if let Some(quotes) = &response.quotes {
        let citing = citing(&response.text, quotes.len());
        notes.push(note(format!("quotes {}", quotes.len()), Tone::Dim));
        for (word, numbers, tone) in [
            ("cites", &citing.live, Tone::Dim),
            ("dangling", &citing.dangling, Tone::Finding),
            ("unused", &citing.unused, Tone::Dim),
        ] {
            if !numbers.is_empty() {
                let numbers: Vec<_> = numbers.iter().map(usize::to_string).collect();
                notes.push(note(format!("{word} {}", numbers.join(" ")), tone));
            }
        }
    }
    if let Some(tokens) = response.tokens {
        notes.push(note(
            format!("tokens {}+{}", tokens.prefix, tokens.completion),
            Tone::Dim,
        ));
    }
    notes
}
