//! The rating strip: the questions about the selected sample, and the keys that answer them.

use std::sync::Arc;

use super::super::perform::ViewRequest;
use super::super::{Action, App, Context, Mode, Review, View, Views, texts};
use super::answers::ends_in_words;
use crate::dataset::Dataset;
use crate::journal::{Act, Judgment, Rating, RatingState, Setting};
use crate::model::{ResponseId, ResponseOrder, Verdict};
use crate::query::SampleJudgment;
use crate::review::{DatasetLabels, RatingForm, RatingQuestion};
use crate::text::{self, number};

/// The state of the open rating strip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RatingStrip {
    /// Index of the question that the next key answers.
    at: usize,
    /// The position and the sample that this index belongs to.
    shown_at: (usize, usize),
    /// Whether the judgment may be changed after the labels were revealed.
    change: ChangeStep,
}

/// Progress of changing a judgment after the labels were revealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ChangeStep {
    /// Not requested.
    #[default]
    No,
    /// Waiting for confirmation.
    Asked,
    /// Confirmed until another sample is selected.
    Yes,
}

/// A key's action in the rating strip. Letters are those on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatingAction {
    /// Decrease the value, or move towards A.
    Lower,
    /// Increase the value, or move towards B.
    Higher,
    /// The next question.
    Next,
    /// The previous question.
    Previous,
    /// This response wins.
    Wins(ResponseId),
    /// A tie.
    Tie,
    /// Clear the answer.
    Clear,
    /// Skip the sample.
    Skip,
    /// Defer the sample.
    Defer,
    /// Go to the next sample.
    GoOn,
    /// Ask to change the judgment after the labels were revealed.
    Change,
    /// Confirm a question; otherwise the key's usual action: copy.
    Yes,
}

/// A question of the strip: a label or the verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingRow {
    /// Its name.
    pub name: String,
    /// The question.
    pub question: String,
    /// The subject of the next key, such as `coherence of A`.
    pub subject: String,
    /// The possible answers: the ends of the scale, or each verdict with its digit.
    pub answers: String,
    /// Minimum width of its values, in cells.
    pub width: usize,
    /// The value of each response in screen order, or the verdict.
    pub cells: Vec<RatingValue>,
    /// Index of the value that the next key gives.
    pub asked: Option<usize>,
    /// The values of other reviewers, if visible, by name.
    pub others: Vec<(Arc<str>, String)>,
}

/// A value of the strip.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatingValue {
    /// The reviewer's value.
    pub own: Option<String>,
    /// The dataset's value, if visible.
    pub given: Option<String>,
    /// True if the values do not differ.
    pub is_same: bool,
    /// The reviewer's verdict.
    pub verdict: Option<Verdict>,
    /// True if the verdict is derived from the labels.
    pub is_derived: bool,
}

impl Review {
    /// Returns the reviewer's rating of a sample in these circumstances.
    pub(super) fn own_rating(&self, sample: usize, setting: &Setting) -> Option<&Rating> {
        self.ledger
            .rating(self.key(sample)?, &self.reviewer, setting)
    }
}

impl App {
    /// Opens or closes the rating strip.
    pub(crate) fn toggle_rate(&mut self) {
        if self.views.close(Mode::Rate).is_some() {
            self.refilter_if_pending();
            return;
        }
        if self.questions().is_empty() {
            self.say(if self.shown().is_empty() {
                "No sample to rate."
            } else {
                texts::NOTHING_TO_JUDGE
            });
            return;
        }
        self.close_panel();
        self.views.open(View::Rate(RatingStrip {
            at: 0,
            shown_at: self.shown_at(),
            change: ChangeStep::No,
        }));
        self.seek_open_question();
    }

    /// Returns the questions about the selected sample in screen order (left response first).
    fn questions(&self) -> Vec<RatingQuestion> {
        let responses = self.responses();
        let Some(scale) = self
            .scale()
            .filter(|_| responses > 0 && !self.shown().is_empty())
        else {
            return Vec::new();
        };
        let of_screen = |question| match question {
            RatingQuestion::Label(name, shown) => RatingQuestion::Label(name, self.of_file(shown)),
            RatingQuestion::Verdict => RatingQuestion::Verdict,
        };
        scale
            .questions(responses)
            .into_iter()
            .map(of_screen)
            .collect()
    }

    /// True if the selected sample is completely rated.
    pub(super) fn is_complete(&self, setting: &Setting) -> bool {
        let sample = self.selection.selected;
        self.review
            .own_rating(sample, setting)
            .is_some_and(|rating| self.is_complete_rating(sample, rating))
    }

    /// Returns whether keys may judge the selected sample; otherwise shows a notice.
    fn may_judge(&mut self) -> bool {
        if self.shown().is_empty() || !self.is_drawn() {
            return false;
        }
        let closed = self.is_judgment_closed();
        if closed {
            self.say(texts::JUDGED_AND_REVEALED);
        }
        !closed
    }

    /// True if the selected sample's labels were revealed after its judgment and the reviewer has
    /// not confirmed a change.
    pub fn is_judgment_closed(&self) -> bool {
        let opened = self
            .views
            .rate()
            .is_some_and(|rate| rate.change == ChangeStep::Yes && rate.shown_at == self.shown_at());
        self.exposure().is_closed && !opened
    }

    /// Requests confirmation to change a judgment after the reveal, or takes the answer.
    fn change_after_reveal(&mut self, answering: RatingAction) {
        let asked = self
            .views
            .rate()
            .is_some_and(|rate| rate.change == ChangeStep::Asked);
        match answering {
            RatingAction::Yes if asked => {
                self.views.set_change(ChangeStep::Yes);
                self.set_rate_at(0);
                self.say(texts::CHANGES_COUNT_AS_REVEALED);
            }
            RatingAction::Yes => {
                self.hand_over(ViewRequest::Act(Action::Copy), None);
            }
            _ if self.exposure().is_closed => {
                self.views.set_change(ChangeStep::Asked);
                self.say(texts::CONFIRM_CHANGE);
            }
            _ => {
                self.say(texts::NOTHING_TO_CONFIRM);
            }
        }
    }

    /// Makes the question of an undone act the current one.
    pub(super) fn ask_undone(&mut self) {
        let question = match self.review.undone_answer.take() {
            Some(Judgment::Label {
                label, response, ..
            }) => RatingQuestion::Label(label, response),
            Some(Judgment::Verdict { .. }) => RatingQuestion::Verdict,
            None => return,
        };
        if let Some(at) = self.questions().iter().position(|own| *own == question) {
            self.set_rate_at(at);
        }
    }

    /// Makes the first unanswered question the current one.
    fn seek_open_question(&mut self) {
        self.set_rate_at(self.open_question(0).unwrap_or(0));
    }

    /// Returns the first unanswered question from an index on, wrapping around.
    fn open_question(&self, from: usize) -> Option<usize> {
        let (questions, scale, setting) = (self.questions(), self.scale()?, self.setting());
        let responses = self.responses();
        let rating = self.review.own_rating(self.selection.selected, &setting);
        let is_open = |at: &usize| {
            rating.is_none_or(|rating| !scale.is_answered(&questions[*at], responses, rating))
        };
        let count = questions.len();
        (from..from + count)
            .map(|at| at % count.max(1))
            .find(is_open)
    }

    pub(crate) fn act_in_rate(&mut self, action: Action, count: Option<usize>) {
        // Any other key answers no.
        if action != Action::Answer(RatingAction::Yes)
            && self
                .views
                .rate()
                .is_some_and(|rate| rate.change == ChangeStep::Asked)
        {
            self.views.set_change(ChangeStep::No);
        }
        match action {
            Action::Digit(digit) if self.may_judge() => {
                self.answer_digit(digit);
            }
            Action::Digit(_) => {}
            Action::Answer(answering) => self.answer(answering),
            Action::Rate | Action::Cancel | Action::Back => {
                self.toggle_rate();
            }
            action => self.hand_over(ViewRequest::Act(action), count),
        }
    }

    /// Shows the questions of the selected sample if it is a new one.
    pub(crate) fn rate_selected(&mut self) {
        let is_other = |rate: &RatingStrip| rate.shown_at != self.shown_at();
        if self.views.mode() == Mode::Rate && self.views.rate().is_some_and(is_other) {
            self.refilter_if_pending();
            self.seek_open_question();
        }
    }

    fn answer(&mut self, answering: RatingAction) {
        let (questions, at) = (self.questions(), self.rate_at());
        let last = questions.len().saturating_sub(1);
        match answering {
            RatingAction::Next => self.set_rate_at((at + 1).min(last)),
            RatingAction::Previous => self.set_rate_at(at.saturating_sub(1)),
            RatingAction::GoOn => self.confirm_and_go_on(),
            RatingAction::Change | RatingAction::Yes => {
                self.change_after_reveal(answering);
            }
            _ if !self.may_judge() => {}
            RatingAction::Skip | RatingAction::Defer => {
                let setting = self.setting();
                let act = if answering == RatingAction::Skip {
                    Act::Skip { setting }
                } else {
                    Act::Defer { setting }
                };
                // With four or more responses the key may have been meant as the letter D.
                let explains = answering == RatingAction::Defer && self.is_drawn();
                if self.record(act) {
                    if explains {
                        let undo = self.key_or_name(Context::Read, Action::Undo);
                        self.say(texts::deferred(undo));
                    }
                    self.go_on();
                }
            }
            RatingAction::Wins(shown) if self.is_compared() && !self.review.was_in_pane(shown) => {
                self.say(texts::in_no_pane(shown.letter()));
            }
            RatingAction::Wins(_) | RatingAction::Tie if self.is_compared() => {
                let verdict = match answering {
                    RatingAction::Wins(shown) => Verdict::wins(self.of_file(shown)),
                    _ => Verdict::Tie,
                };
                let rated = verdict_judgment(Some(verdict), None);
                self.judge(&RatingQuestion::Verdict, rated);
            }
            RatingAction::Wins(_) | RatingAction::Tie => {
                self.say(texts::ONE_RESPONSE);
            }
            RatingAction::Lower | RatingAction::Higher | RatingAction::Clear => {
                if let Some(question) = questions.get(at) {
                    self.shift(&question.clone(), answering);
                }
            }
        }
    }

    /// Goes to the next sample. A deferred rating that is complete counts as judged now.
    fn confirm_and_go_on(&mut self) {
        let setting = self.setting();
        let rating = self
            .review
            .own_rating(self.selection.selected, &setting)
            .filter(|rating| rating.state == RatingState::Deferred)
            .filter(|rating| {
                self.is_complete_rating(self.selection.selected, rating) && self.running().is_some()
            });
        let label = rating.and_then(|rating| {
            let ((label, response), value) = rating.labels.iter().next()?;
            Some(label_judgment(label, *response, Some(*value)))
        });
        let verdict = || {
            let (value, strength) = rating?.verdict?;
            Some(verdict_judgment(Some(value), strength))
        };
        match label.or_else(verdict) {
            Some(rated) if self.is_drawn() => {
                if self.record(Act::Rate { rated, setting }) {
                    self.go_on();
                }
            }
            _ => {
                let own = self
                    .review
                    .own_rating(self.selection.selected, &self.setting());
                let is_judged = own.is_some_and(|rating| self.is_settled(rating));
                let before = self.selection.position;
                self.go_on();
                if !is_judged && self.selection.position > before {
                    self.say(match self.running() {
                        Some(_) => "Not judged: that sample comes again at the end.",
                        None => "The sample before is not judged.",
                    });
                }
            }
        }
    }

    /// Returns the display order of the selected sample's responses.
    pub(crate) fn order(&self) -> ResponseOrder {
        self.setting().order.among(self.responses())
    }

    /// Returns the file's letter of a response.
    pub(super) fn of_file(&self, shown: ResponseId) -> ResponseId {
        self.order().of_file(shown)
    }

    /// Handles a digit: a value, a step on the scale from A to B, or the letter that wins.
    fn answer_digit(&mut self, digit: u8) {
        let (questions, at) = (self.questions(), self.rate_at());
        let (Some(question), Some(scale)) = (questions.get(at).cloned(), self.scale()) else {
            return;
        };
        let rated = match &question {
            RatingQuestion::Label(name, response) => {
                let Some(label) = scale.labels.iter().find(|label| label.name == *name) else {
                    return;
                };
                let [low, high] = label.range;
                if !(low..=high).contains(&i64::from(digit)) {
                    self.say(texts::out_of_range(name, low, high));
                    return;
                }
                label_judgment(name, *response, Some(digit.into()))
            }
            RatingQuestion::Verdict => {
                let steps = verdict_steps(self.responses(), scale.strengths.len());
                let Some(&(verdict, strength)) = usize::from(digit)
                    .checked_sub(1)
                    .and_then(|at| steps.get(at))
                else {
                    self.say(match self.responses() {
                        2 => texts::steps_from_a_to_b(steps.len()),
                        _ => texts::DIGIT_IS_LETTER.to_owned(),
                    });
                    return;
                };
                let verdict = self.order().verdict_of_file(verdict);
                verdict_judgment(Some(verdict), strength)
            }
        };
        self.judge(&question, rated);
    }

    /// Moves a value one step up or down; without a value, starts from the opposite end.
    fn shift(&mut self, question: &RatingQuestion, answering: RatingAction) {
        let setting = self.setting();
        let rating = self.review.own_rating(self.selection.selected, &setting);
        let Some(scale) = self.scale() else {
            return;
        };
        let rated = match question {
            RatingQuestion::Label(name, response) => {
                let Some(label) = scale.labels.iter().find(|label| label.name == *name) else {
                    return;
                };
                let [low, high] = label.range.map(|end| end as f64);
                let value = rating.and_then(|rating| rating.label(name, *response));
                let next = match answering {
                    // A verdict given without a question for it; this clears it.
                    RatingAction::Clear
                        if value.is_none()
                            && rating.is_some_and(|rating| rating.verdict.is_some()) =>
                    {
                        let rated = verdict_judgment(None, None);
                        self.record(Act::Rate { rated, setting });
                        return;
                    }
                    RatingAction::Clear if value.is_none() => return,
                    RatingAction::Clear => None,
                    RatingAction::Lower => Some(value.map_or(high, |value| (value - 1.0).max(low))),
                    _ => Some(value.map_or(low, |value| (value + 1.0).min(high))),
                };
                label_judgment(name, *response, next)
            }
            RatingQuestion::Verdict => {
                let steps = verdict_steps(self.responses(), scale.strengths.len());
                let own = rating
                    .and_then(|rating| rating.verdict)
                    .map(|(own, strength)| (self.order().shown_verdict(own), strength));
                let at = own.and_then(|own| steps.iter().position(|step| *step == own));
                let middle = steps.len() / 2;
                let next = match answering {
                    RatingAction::Clear if own.is_none() => return,
                    RatingAction::Clear => None,
                    RatingAction::Lower => Some(at.unwrap_or(middle).saturating_sub(1)),
                    _ => Some((at.unwrap_or(middle) + 1).min(steps.len() - 1)),
                };
                let (verdict, strength) =
                    next.map_or((None, None), |at| (Some(steps[at].0), steps[at].1));
                let order = self.order();
                verdict_judgment(verdict.map(|it| order.verdict_of_file(it)), strength)
            }
        };
        self.record(Act::Rate { rated, setting });
    }

    /// Records an answer and moves to the next question.
    fn judge(&mut self, question: &RatingQuestion, rated: Judgment) {
        let setting = self.setting();
        let complete = self.is_complete(&setting);
        // If the verdict is derived from labels, stating it does not answer the current question.
        let moves = self.questions().contains(question);
        if self.record(Act::Rate { rated, setting }) && moves {
            self.note_answered(complete);
        }
    }

    /// Moves to the next question after an answer, or to the next sample after the last one.
    pub(super) fn note_answered(&mut self, was_complete: bool) {
        let at = self.rate_at();
        match self.open_question(at) {
            Some(open) => self.set_rate_at(open),
            None if was_complete => {
                let last = self.questions().len().saturating_sub(1);
                self.set_rate_at((at + 1).min(last));
            }
            // The dataset's labels are now visible, and the reviewer wants to see them.
            None if self.is_blind() && !self.mask().hidden => {
                self.say(texts::JUDGED);
            }
            None => self.go_on(),
        }
    }

    /// Selects the next sample to judge.
    pub(super) fn go_on(&mut self) {
        match self
            .running()
            .map(|running| running.next(Some(self.selection.position)))
        {
            Some(Some(position)) => {
                let is_back = position <= self.selection.position;
                self.select(position);
                self.seek_open_question();
                if is_back {
                    self.say_back();
                }
            }
            Some(None) => self.finish(),
            None if self.selection.position + 1 >= self.shown().len() => {
                self.say("This is the last sample shown.");
            }
            None => {
                self.select(self.selection.position + 1);
                self.refilter_if_pending();
                self.seek_open_question();
            }
        }
    }

    /// Returns the rows of the strip.
    pub fn rate_rows(&self) -> Vec<RatingRow> {
        let (Some(scale), setting) = (self.scale(), self.setting()) else {
            return Vec::new();
        };
        let selected = self.selection.selected;
        let rating = self.review.own_rating(selected, &setting);
        let rating = rating.filter(|rating| rating.state == RatingState::Open);
        let (questions, responses) = (self.questions(), self.responses());
        let asked = questions.get(self.rate_at());
        let order = self.order();
        let of_file: Vec<_> = ResponseId::first(responses)
            .map(|shown| order.of_file(shown))
            .collect();
        let given = DatasetLabels::of(&self.data.dataset, selected);
        let given = given.filter(|_| !self.mask().hidden);
        let others = self.judgments_of_others();
        let mut rows = Vec::new();
        for label in &scale.labels {
            let said = |judgment: &SampleJudgment| {
                let values: Vec<_> = ResponseId::first(responses)
                    .map(|shown| judgment.label(&label.name, shown))
                    .collect();
                let is_any = values.iter().any(Option::is_some);
                let words = values
                    .into_iter()
                    .map(|value| value.map_or("–".into(), number))
                    .collect::<Vec<_>>()
                    .join(" ");
                is_any.then(|| (Arc::clone(&judgment.reviewer), words))
            };
            let cells = of_file.iter().map(|response| {
                let own = rating.and_then(|rating| rating.label(&label.name, *response));
                let given = given.and_then(|given| given.label(&label.name, *response));
                RatingValue {
                    own: own.map(number),
                    given: given.map(number),
                    is_same: own.is_none_or(|own| given == Some(own)),
                    ..RatingValue::default()
                }
            });
            let asked = of_file.iter().position(|response| {
                asked == Some(&RatingQuestion::Label(Arc::clone(&label.name), *response))
            });
            let name = text::one_line(&label.name, 60);
            let of = asked
                .filter(|_| responses > 1)
                .and_then(ResponseId::new)
                .map(|of| format!(" of {}", of.letter()));
            rows.push(RatingRow {
                question: if label.about.is_empty() {
                    name.clone()
                } else {
                    text::one_line(&label.about, 400)
                },
                subject: format!("{name}{}", of.unwrap_or_default()),
                answers: ends_in_words(label),
                width: 5,
                cells: cells.collect(),
                asked,
                others: others.iter().filter_map(said).collect(),
                name,
            });
        }
        if self.is_compared() {
            let stated = rating.and_then(|rating| rating.verdict);
            let meant = rating.and_then(|rating| scale.verdict(responses, rating));
            let judged = stated
                .or(meant.map(|verdict| (verdict, None)))
                .map(|(verdict, strength)| (order.shown_verdict(verdict), strength));
            let own = judged.map(|(verdict, _)| verdict);
            let given = given
                .and_then(|given| given.verdict())
                .map(|verdict| order.shown_verdict(verdict));
            let strength = |how: u8| scale.strengths.get(usize::from(how).checked_sub(1)?);
            let words = judged.map(|(verdict, how)| {
                let how = how.and_then(strength).map(|how| text::one_line(how, 24));
                verdict.letters() + &how.map(|how| format!(" {how}")).unwrap_or_default()
            });
            let said =
                |one: &SampleJudgment| Some((Arc::clone(&one.reviewer), one.verdict?.letters()));
            rows.push(RatingRow {
                name: "winner".to_owned(),
                question: "Who wins?".to_owned(),
                subject: "who wins".to_owned(),
                answers: self.verdict_answers(&scale.strengths, responses),
                width: 12,
                cells: vec![RatingValue {
                    own: words,
                    given: given.map(Verdict::short_letters),
                    is_same: given
                        .is_some_and(|given| own.is_none_or(|own| own.agrees_with(given))),
                    verdict: own,
                    is_derived: own.is_some() && stated.is_none(),
                }],
                asked: (asked == Some(&RatingQuestion::Verdict)).then_some(0),
                others: others.iter().filter_map(said).collect(),
            });
        }
        rows
    }
}

impl App {
    /// Returns the height of the strip below the responses: question, names, a row per response in
    /// a pane, and the ends of the scale.
    pub(crate) fn rate_height(&self) -> u16 {
        3 + self.responses().clamp(1, 2) as u16
    }

    /// Returns the rating form of the selected sample's file.
    pub(super) fn scale(&self) -> Option<RatingForm> {
        self.scale_of(self.selection.selected)
    }

    /// Returns the rating form of a sample's file.
    pub(super) fn scale_of(&self, sample: usize) -> Option<RatingForm> {
        let row = self.data.dataset.sample_rows(sample)?.first();
        let file = self.data.dataset.place(row)?.file;
        Some(RatingForm::of(&self.data.dataset.files().get(file)?.schema))
    }

    /// Returns the number of responses of the selected sample.
    pub fn responses(&self) -> usize {
        self.responses_of(self.selection.selected)
    }

    pub(crate) fn responses_of(&self, sample: usize) -> usize {
        responses_of(&self.data.dataset, sample)
    }

    /// Returns the position and the sample: an audit shows a sample twice, and a filter can show
    /// another sample at the same position.
    fn shown_at(&self) -> (usize, usize) {
        (self.selection.position, self.selection.selected)
    }

    /// True if the sample has at least two responses, so that one can win.
    fn is_compared(&self) -> bool {
        self.responses() > 1
    }
}

impl Views {
    fn set_change(&mut self, change: ChangeStep) {
        if let Some(rate) = self.rate_mut() {
            rate.change = change;
        }
    }
}

impl App {
    /// Returns the response that the next key rates, by its screen letter, if there are more than
    /// two: it must be visible in a pane.
    pub(crate) fn asked_response(&self) -> Option<ResponseId> {
        let responses = self.responses();
        if self.views.rate().is_none() || responses <= 2 {
            return None;
        }
        // Questions use screen letters.
        let questions = self.scale()?.questions(responses);
        match questions.get(self.rate_at())? {
            RatingQuestion::Label(_, shown) => Some(*shown),
            RatingQuestion::Verdict => None,
        }
    }

    /// Returns the index of the current question, or 0 for another sample.
    pub(super) fn rate_at(&self) -> usize {
        self.views
            .rate()
            .filter(|rate| rate.shown_at == self.shown_at())
            .map_or(0, |rate| rate.at)
    }

    fn set_rate_at(&mut self, at: usize) {
        let shown_at = self.shown_at();
        if let Some(rate) = self.views.rate_mut() {
            let change = if rate.shown_at == shown_at {
                rate.change
            } else {
                ChangeStep::No
            };
            *rate = RatingStrip {
                at,
                shown_at,
                change,
            };
        }
    }
}

fn label_judgment(label: &Arc<str>, response: ResponseId, value: Option<f64>) -> Judgment {
    Judgment::Label {
        label: Arc::clone(label),
        response,
        value,
    }
}

const fn verdict_judgment(value: Option<Verdict>, strength: Option<u8>) -> Judgment {
    Judgment::Verdict { value, strength }
}

/// Returns the possible verdicts: of two responses from A to B with all strengths, the extremes
/// first and last; of more, each letter and then a tie.
pub(super) fn verdict_steps(responses: usize, strengths: usize) -> Vec<(Verdict, Option<u8>)> {
    let wins = |response| move |strength| (Verdict::wins(response), strength);
    if responses > 2 {
        return ResponseId::first(responses)
            .map(|response| wins(response)(None))
            .chain([(Verdict::Tie, None)])
            .collect();
    }
    let how: Vec<_> = match strengths as u8 {
        0 => vec![None],
        most => (1..=most).map(Some).collect(),
    };
    let of_a = how.iter().rev().copied().map(wins(ResponseId::A));
    let of_b = how.iter().copied().map(wins(ResponseId::B));
    of_a.chain([(Verdict::Tie, None)]).chain(of_b).collect()
}

/// Returns the number of a sample's responses; 0 for a malformed one.
pub(super) fn responses_of(dataset: &Dataset, sample: usize) -> usize {
    dataset.responses_of(sample).unwrap_or(0)
}
