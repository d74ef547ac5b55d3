//! Whole samples as JSON, and as pages rendered from the same values.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use minijinja::context;
use serde_json::{Value, json};

use super::place::FilePlace;
use super::votes::{votes_json, votes_words};
use super::{BlindMask, ExportError, ExportRequest, Format, read, remark, review};
use crate::answer::{json_document, json_number_or_null};
use crate::dataset::{Buffers, Dataset, LoadedSample, Sample, SampleBody, SampleKey};
use crate::journal::{Ledger, Rating, SampleReview};
use crate::model::{Outcome, Quote, Response, ResponseId, ResponseOrder, Turn, Verdict};
use crate::review::{RatingForm, render, serialised};
use crate::schema::Schema;
use crate::text::{exact_number, html};

/// The version of [`sample_as_json`]; it grows when a key changes its meaning.
const VERSION: u32 = 1;

/// The format of a document for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Markup {
    /// Plain Markdown, for pipes and other programs.
    #[default]
    Markdown,
    /// A single HTML file, without scripts or external resources.
    Html,
}

impl Markup {
    /// Returns the format for a file name, Markdown if it has no extension. `None` for extensions of
    /// other formats.
    pub fn of_path(path: &Path) -> Option<Self> {
        match Format::of_path(path) {
            Some(Format::Html) => Some(Self::Html),
            Some(Format::Markdown) => Some(Self::Markdown),
            _ if path.extension().is_none_or(|extension| extension == "txt") => {
                Some(Self::Markdown)
            }
            _ => None,
        }
    }

    /// Returns a whole document. The title is the window title of HTML.
    pub fn document(self, title: &str, markdown: &str) -> String {
        [&*self.start(title), &*self.part(markdown), self.end()].concat()
    }

    fn start(self, title: &str) -> String {
        match self {
            Self::Markdown => String::new(),
            Self::Html => render("page.html", context! { title }),
        }
    }

    fn part(self, markdown: &str) -> Cow<'_, str> {
        match self {
            Self::Markdown => markdown.into(),
            Self::Html => html(markdown).into(),
        }
    }

    const fn end(self) -> &'static str {
        match self {
            Self::Markdown => "",
            Self::Html => "</main>\n</body>\n</html>\n",
        }
    }
}

/// Writes a page for each sample.
pub(super) fn write(
    request: &ExportRequest<'_>,
    markup: Markup,
    out: &mut dyn Write,
    keep_going: &dyn Fn(usize) -> bool,
) -> Result<usize, ExportError> {
    let own = request
        .dataset
        .files()
        .iter()
        .filter(|file| !file.is_against());
    let context = context! {
        title => request.title.trim(),
        samples => request.chosen().count(),
        files => serialised(own.map(|file| file.source.name()).collect::<Vec<_>>()),
    };
    let title = match request.title.trim() {
        "" => "Samples",
        title => title,
    };
    let heading = render("samples.md", context) + "\n";
    write!(out, "{}{}", markup.start(title), markup.part(&heading))?;
    let samples = request.each(keep_going, &mut |it| {
        let sample = WrittenSample {
            key: it.key,
            ..WrittenSample::of(request.dataset, it.number, it.reading, it.remark)
        };
        let page = format!("\n{}", sample.as_markdown());
        Ok(out.write_all(markup.part(&page).as_bytes())?)
    })?;
    out.write_all(markup.end().as_bytes())?;
    Ok(samples)
}

/// Returns a sample as Markdown, by its number from 0.
///
/// # Errors
/// If the sample does not exist, or its rows cannot be read.
pub fn sample_as_markdown(
    dataset: &Dataset,
    ledger: &Ledger,
    sample: u32,
) -> Result<String, ExportError> {
    let mut buffers = Buffers::with_fields();
    let reading = read(dataset, sample, &mut buffers)?;
    let remark = remark(ledger, &reading.body);
    Ok(WrittenSample::of(dataset, sample, &reading, remark).as_markdown())
}

/// Returns a sample as a JSON document, by its number from 0: `version`, `sample` (from 1), `key`,
/// `rows` (`file`, `row`, `line`: null if the file is not made of lines), `schema`, `prompt`
/// (`role`, `text`), `responses` (`side`, `text`, `turns` if there are several, `labels`, `quotes`
/// if the dataset has any), `verdict` (a letter or `tie`), `margin`, `native` (the file's words for
/// the verdict), `facts`, `rationales`, `warnings`, and `review` as in reviewed rows, if there are
/// remarks. A malformed row has `malformed` (`reason`, `line`) instead of everything from `prompt`
/// on. If the dataset's judgment is hidden, only `prompt` and `responses` in the order in which
/// they are shown.
///
/// # Errors
/// If the sample does not exist, or its rows cannot be read.
pub fn sample_as_json(
    dataset: &Dataset,
    ledger: &Ledger,
    sample: u32,
    mask: BlindMask,
) -> Result<String, ExportError> {
    let mut buffers = Buffers::with_fields();
    let reading = read(dataset, sample, &mut buffers)?;
    let remark = remark(ledger, &reading.body).filter(|_| !mask.hidden);
    let mut written = WrittenSample::of(dataset, sample, &reading, remark);
    if mask.hidden {
        written.mask = mask;
    }
    let mut members = written.members();
    if mask.hidden {
        members = texts_alone(&members);
    }
    members["version"] = json!(VERSION);
    if let Some(remark) = remark {
        let scale = RatingForm::of(reading.schema);
        let asked = review::SampleForm {
            scale: Some(&scale),
            responses: written.responses(),
        };
        members["review"] = review::as_json(remark, None, asked);
    }
    Ok(json_document(&members))
}

/// Keeps the prompt and the responses, without anything that reveals which response is better.
fn texts_alone(members: &Value) -> Value {
    let kept = |from: &Value, names: &[&str]| -> Value {
        let kept = names.iter().copied();
        kept.filter_map(|name| Some((name, from.get(name)?.clone())))
            .collect()
    };
    let mut texts = kept(members, &["prompt"]);
    let responses = members["responses"].as_array().into_iter().flatten();
    let names = &["side", "text", "spoken", "turns", "quotes"];
    texts["responses"] = responses.map(|response| kept(response, names)).collect();
    texts
}

/// A sample to be written.
pub(super) struct WrittenSample<'w, 'd, 'b> {
    pub(super) dataset: &'w Dataset,
    /// The sample's number, from 0.
    pub(super) number: u32,
    pub(super) reading: &'w LoadedSample<'d, 'b>,
    pub(super) key: Option<SampleKey>,
    /// The remarks of reviewers.
    pub(super) remark: Option<&'w SampleReview>,
    pub(super) mask: BlindMask,
}

impl<'w, 'd, 'b> WrittenSample<'w, 'd, 'b> {
    /// Takes a sample without a mask.
    pub(super) fn of(
        dataset: &'w Dataset,
        number: u32,
        reading: &'w LoadedSample<'d, 'b>,
        remark: Option<&'w SampleReview>,
    ) -> Self {
        Self {
            dataset,
            number,
            reading,
            key: SampleKey::of(&reading.body),
            remark,
            mask: BlindMask::default(),
        }
    }

    /// Returns the number of responses; 0 for a malformed row.
    pub(super) fn responses(&self) -> usize {
        let sample = self.reading.body.sample();
        sample.map_or(0, |sample| sample.responses.len())
    }

    /// Returns its members as JSON, with the letters of the order in which responses are shown.
    pub(super) fn members(&self) -> Value {
        let rows = self.reading.places.iter();
        let rows = rows.map(|row| FilePlace::as_json(Some(&FilePlace::of(self.dataset, row))));
        let mut members = json!({
            "sample": u64::from(self.number) + 1,
            "key": self.key.map(|key| key.to_string()),
            "rows": rows.collect::<Value>(),
            "schema": self.reading.schema.definition().name,
        });
        match &self.reading.body {
            SampleBody::Sample(sample) => {
                let mut sample = sample.clone();
                if self.mask.hidden {
                    sample.hide_fields();
                }
                let order = self.mask.order.among(sample.responses.len());
                put_sample(self.reading.schema, &sample, order, &mut members);
            }
            SampleBody::Malformed {
                place,
                row_error,
                line,
            } => {
                members["malformed"] =
                    json!({"row": place.row, "reason": row_error.reason, "line": line});
            }
            // Already reported as an error.
            SampleBody::Unreadable(_) => {}
        }
        members
    }

    /// Returns the sample as a section. It contains no Markdown from the dataset.
    pub(super) fn as_markdown(&self) -> String {
        self.with_judgments(context! { place => (), characters => (), rows => () })
    }

    /// Returns the section for a report, with reviewers' judgments next to the dataset's labels.
    pub(super) fn with_judgments(&self, judged: minijinja::Value) -> String {
        let mask = self.mask;
        let unit = match &self.reading.body {
            SampleBody::Malformed { place, .. } => format!("{} {}", place.unit, place.line),
            _ => String::new(),
        };
        let remark = self.remark.map(|remark| {
            let is_exported = |rating: &&Rating| !mask.hidden && review::is_exported(rating);
            let ratings = remark.ratings.iter().filter(is_exported).map(|rating| {
                let circumstances = review::circumstances(rating.as_given(), self.responses());
                let said = review::given_in_words(rating, mask.order);
                (&*rating.reviewer, circumstances, said)
            });
            let checks = remark.checks.iter().filter(|_| !mask.hidden);
            let checks = checks.map(|check| (&*check.reviewer, check.verdict.word()));
            context! {
                marked => remark.marked,
                tags => serialised(&remark.tags),
                checks => serialised(checks.collect::<Vec<_>>()),
                ratings => serialised(ratings.collect::<Vec<_>>()),
                notes => review::notes_context(&remark.notes, mask.order, self.responses()),
            }
        });
        let context = context! {
            judged,
            hidden => mask.hidden,
            unit,
            remark,
            ..serialised(self.members())
        };
        render("sample.md", context)
    }
}

/// Adds the content of a sample, with the letters of an order.
fn put_sample(schema: &Schema, sample: &Sample<'_>, order: ResponseOrder, members: &mut Value) {
    members["prompt"] = turns(&sample.prompt);
    let count = sample.responses.len();
    let shown = ResponseId::first(count);
    let responses = shown.filter_map(|id| {
        let response = sample.responses.get(order.of_file(id).index())?;
        Some(of_response(schema, id, response))
    });
    members["responses"] = responses.collect();
    let outcome = sample.outcome.as_ref();
    let verdict = outcome.map(|outcome| order.shown_verdict(outcome.verdict));
    members["verdict"] = json!(verdict.map(Verdict::word));
    let margin = outcome.and_then(|outcome| outcome.margin);
    members["margin"] = json_number_or_null(margin);
    let phrase = |outcome: &Outcome| {
        let by = outcome.lead_words(count, exact_number);
        format!("{}{by}", order.shown_verdict(outcome.verdict).phrase())
    };
    members["outcome"] = json!(outcome.map(phrase));
    if let Some(native) = outcome.and_then(|outcome| outcome.native.as_ref()) {
        members["native"] = json!(native);
    }
    if schema.definition().has_votes() {
        members["votes"] = votes_json(&sample.votes, order, count);
        members["votes"]["words"] = json!(votes_words(&sample.votes, order, count, exact_number));
    }
    let facts = sample.facts.iter();
    let facts = facts.map(|fact| (fact.name.clone(), json!(fact.value)));
    members["facts"] = facts.collect();
    let rationales = sample.rationales.iter().map(|it| {
        json!({
            "name": it.name,
            "title": schema.definition().title_of_text(&it.name),
            "side": it.response.map(|response| order.shown(response).word()),
            "annotator": it.annotator.map(|who| who + 1),
            "text": it.text,
        })
    });
    members["rationales"] = rationales.collect();
    let warnings = sample.warnings.iter().cloned();
    let warnings = warnings.map(|it| it.renamed(|response| order.shown(response)));
    members["warnings"] = warnings.map(|it| json!(it.explanation())).collect();
}

fn of_response(schema: &Schema, id: ResponseId, response: &Response<'_>) -> Value {
    let mut members =
        json!({"side": id.word(), "text": response.text, "spoken": response.with_roles()});
    if !response.turns.is_empty() {
        let turns = response.turns.iter().map(|turn| {
            let text = response.text.get(turn.range.clone());
            json!({"role": turn.role.word(), "text": text})
        });
        members["turns"] = turns.collect();
    }
    let labels = schema.labels().iter().zip(&response.ratings);
    let labels = labels.map(|(label, value)| (label.name.clone(), json_number_or_null(*value)));
    members["labels"] = labels.collect();
    if let Some(quotes) = &response.quotes {
        let quote = |quote: &Quote<'_>| json!({"title": quote.title, "extract": quote.extract});
        members["quotes"] = quotes.iter().map(quote).collect();
    }
    members
}

fn turns(turns: &[Turn<'_>]) -> Value {
    let turn = |turn: &Turn<'_>| json!({"role": turn.role.word(), "text": turn.text});
    turns.iter().map(turn).collect()
}
