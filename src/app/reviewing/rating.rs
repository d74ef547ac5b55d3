//! The rating strip: the questions about the selected sample, and the keys that answer them.

use std::sync::Arc;

use super::super::perform::ViewRequest;
use super::super::{Action, Browser, Context, Mode, Review, View, Views, texts};
use super::FollowUp;
use crate::dataset::Dataset;
use crate::journal::{Act, Judgment, Rating, RatingState, Setting};
use crate::model::{ResponseId, ResponseOrder, Verdict};
use crate::query::SampleJudgment;
use crate::review::{DatasetLabels, Rateable, RatingForm, RatingQuestion};
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
    /// Opens or closes the rating strip.
    pub(crate) fn toggle_rate(&mut self, browser: &mut Browser, views: &mut Views) {
        if views.close(Mode::Rate).is_some() {
            self.refilter_if_pending(browser);
            return;
        }
        if self.questions(browser).is_empty() {
            browser.say(if browser.shown().is_empty() {
                "No sample to rate."
            } else {
                texts::NOTHING_TO_JUDGE
            });
            return;
        }
        views.close_panel(browser, self);
        views.open(View::Rate(RatingStrip {
            at: 0,
            shown_at: browser.shown_at(),
            change: ChangeStep::No,
        }));
        self.seek_open_question(browser, views);
    }

    /// Returns the questions about the selected sample in screen order (left response first).
    fn questions(&self, browser: &Browser) -> Vec<RatingQuestion> {
        let responses = browser.responses();
        let Some(scale) = browser
            .scale()
            .filter(|_| responses > 0 && !browser.shown().is_empty())
        else {
            return Vec::new();
        };
        let of_screen = |question| match question {
            RatingQuestion::Label(name, shown) => {
                RatingQuestion::Label(name, self.of_file(shown, browser))
            }
            RatingQuestion::Verdict => RatingQuestion::Verdict,
        };
        scale
            .questions(responses)
            .into_iter()
            .map(of_screen)
            .collect()
    }

    /// Returns the reviewer's rating of a sample in these circumstances.
    pub(super) fn own_rating(&self, sample: usize, setting: &Setting) -> Option<&Rating> {
        self.ledger
            .rating(self.key(sample)?, &self.reviewer, setting)
    }

    /// True if the selected sample is completely rated.
    pub(super) fn is_complete(&self, setting: &Setting, browser: &Browser) -> bool {
        let sample = browser.selection.selected;
        self.own_rating(sample, setting)
            .is_some_and(|rating| browser.is_complete_rating(sample, rating))
    }

    /// Returns whether keys may judge the selected sample; otherwise shows a notice.
    fn may_judge(&self, browser: &mut Browser, views: &Views) -> bool {
        if browser.shown().is_empty() || !self.is_drawn(browser, views) {
            return false;
        }
        let closed = self.is_judgment_closed(browser, views);
        if closed {
            browser.say(texts::JUDGED_AND_REVEALED);
        }
        !closed
    }

    /// True if the selected sample's labels were revealed after its judgment and the reviewer has
    /// not confirmed a change.
    pub fn is_judgment_closed(&self, browser: &Browser, views: &Views) -> bool {
        let opened = views.rate().is_some_and(|rate| {
            rate.change == ChangeStep::Yes && rate.shown_at == browser.shown_at()
        });
        self.is_closed(browser) && !opened
    }

    /// Requests confirmation to change a judgment after the reveal, or takes the answer.
    fn change_after_reveal(
        &self,
        answering: RatingAction,
        browser: &mut Browser,
        views: &mut Views,
    ) {
        let asked = views
            .rate()
            .is_some_and(|rate| rate.change == ChangeStep::Asked);
        match answering {
            RatingAction::Yes if asked => {
                views.set_change(ChangeStep::Yes);
                views.set_rate_at(0, browser);
                browser.say(texts::CHANGES_COUNT_AS_REVEALED);
            }
            RatingAction::Yes => {
                browser.hand_over(ViewRequest::Act(Action::Copy), None);
            }
            _ if self.is_closed(browser) => {
                views.set_change(ChangeStep::Asked);
                browser.say(texts::CONFIRM_CHANGE);
            }
            _ => {
                browser.say(texts::NOTHING_TO_CONFIRM);
            }
        }
    }

    /// Makes the question of an undone act the current one.
    pub(super) fn ask_undone(&mut self, browser: &Browser, views: &mut Views) {
        let question = match self.undone_answer.take() {
            Some(Judgment::Label {
                label, response, ..
            }) => RatingQuestion::Label(label, response),
            Some(Judgment::Verdict { .. }) => RatingQuestion::Verdict,
            None => return,
        };
        if let Some(at) = self
            .questions(browser)
            .iter()
            .position(|own| *own == question)
        {
            views.set_rate_at(at, browser);
        }
    }

    /// Makes the first unanswered question the current one.
    fn seek_open_question(&self, browser: &Browser, views: &mut Views) {
        views.set_rate_at(self.open_question(0, browser).unwrap_or(0), browser);
    }

    /// Returns the first unanswered question from an index on, wrapping around.
    fn open_question(&self, from: usize, browser: &Browser) -> Option<usize> {
        let (questions, scale, setting) = (
            self.questions(browser),
            browser.scale()?,
            self.setting(browser),
        );
        let responses = browser.responses();
        let rating = self.own_rating(browser.selection.selected, &setting);
        let is_open = |at: &usize| {
            rating.is_none_or(|rating| !scale.is_answered(&questions[*at], responses, rating))
        };
        let count = questions.len();
        (from..from + count)
            .map(|at| at % count.max(1))
            .find(is_open)
    }

    pub(crate) fn act_in_rate(
        &mut self,
        action: Action,
        count: Option<usize>,
        browser: &mut Browser,
        views: &mut Views,
    ) {
        // Any other key answers no.
        if action != Action::Answer(RatingAction::Yes)
            && views
                .rate()
                .is_some_and(|rate| rate.change == ChangeStep::Asked)
        {
            views.set_change(ChangeStep::No);
        }
        match action {
            Action::Digit(digit) if self.may_judge(browser, views) => {
                self.answer_digit(digit, browser, views);
            }
            Action::Digit(_) => {}
            Action::Answer(answering) => self.answer(answering, browser, views),
            Action::Rate | Action::Cancel | Action::Back => {
                self.toggle_rate(browser, views);
            }
            action => browser.hand_over(ViewRequest::Act(action), count),
        }
    }

    /// Shows the questions of the selected sample if it is a new one.
    pub(crate) fn rate_selected(&mut self, browser: &mut Browser, views: &mut Views) {
        let is_other = |rate: &RatingStrip| rate.shown_at != browser.shown_at();
        if views.mode() == Mode::Rate && views.rate().is_some_and(is_other) {
            self.refilter_if_pending(browser);
            self.seek_open_question(browser, views);
        }
    }

    fn answer(&mut self, answering: RatingAction, browser: &mut Browser, views: &mut Views) {
        let (questions, at) = (self.questions(browser), views.rate_at(browser));
        let last = questions.len().saturating_sub(1);
        match answering {
            RatingAction::Next => views.set_rate_at((at + 1).min(last), browser),
            RatingAction::Previous => views.set_rate_at(at.saturating_sub(1), browser),
            RatingAction::GoOn => self.confirm_and_go_on(browser, views),
            RatingAction::Change | RatingAction::Yes => {
                self.change_after_reveal(answering, browser, views);
            }
            _ if !self.may_judge(browser, views) => {}
            RatingAction::Skip | RatingAction::Defer => {
                let setting = self.setting(browser);
                let act = if answering == RatingAction::Skip {
                    Act::Skip { setting }
                } else {
                    Act::Defer { setting }
                };
                browser.record_then(act, FollowUp::GoOn);
                // With four or more responses the key may have been meant as the letter D.
                if answering == RatingAction::Defer && self.is_drawn(browser, views) {
                    let undo = browser.key_or_name(Context::Read, Action::Undo);
                    browser.say(texts::deferred(undo));
                }
            }
            RatingAction::Wins(shown) if browser.is_compared() && !self.was_in_pane(shown) => {
                browser.say(texts::in_no_pane(shown.letter()));
            }
            RatingAction::Wins(_) | RatingAction::Tie if browser.is_compared() => {
                let verdict = match answering {
                    RatingAction::Wins(shown) => Verdict::wins(self.of_file(shown, browser)),
                    _ => Verdict::Tie,
                };
                let rated = verdict_judgment(Some(verdict), None);
                self.judge(&RatingQuestion::Verdict, rated, browser);
            }
            RatingAction::Wins(_) | RatingAction::Tie => {
                browser.say(texts::ONE_RESPONSE);
            }
            RatingAction::Lower | RatingAction::Higher | RatingAction::Clear => {
                if let Some(question) = questions.get(at) {
                    self.shift(&question.clone(), answering, browser);
                }
            }
        }
    }

    /// Goes to the next sample. A deferred rating that is complete counts as judged now.
    fn confirm_and_go_on(&mut self, browser: &mut Browser, views: &mut Views) {
        let setting = self.setting(browser);
        let rating = self
            .own_rating(browser.selection.selected, &setting)
            .filter(|rating| rating.state == RatingState::Deferred)
            .filter(|rating| {
                browser.is_complete_rating(browser.selection.selected, rating)
                    && self.running().is_some()
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
            Some(rated) if self.is_drawn(browser, views) => {
                browser.record_then(Act::Rate { rated, setting }, FollowUp::GoOn);
            }
            _ => self.go_on(browser, views),
        }
    }

    /// Returns the display order of the selected sample's responses.
    pub(crate) fn order(&self, browser: &Browser) -> ResponseOrder {
        self.setting(browser).order.among(browser.responses())
    }

    /// Returns the file's letter of a response.
    pub(super) fn of_file(&self, shown: ResponseId, browser: &Browser) -> ResponseId {
        self.order(browser).of_file(shown)
    }

    /// Handles a digit: a value, a step on the scale from A to B, or the letter that wins.
    fn answer_digit(&self, digit: u8, browser: &mut Browser, views: &Views) {
        let (questions, at) = (self.questions(browser), views.rate_at(browser));
        let (Some(question), Some(scale)) = (questions.get(at).cloned(), browser.scale()) else {
            return;
        };
        let rated = match &question {
            RatingQuestion::Label(name, response) => {
                let Some(label) = scale.labels.iter().find(|label| label.name == *name) else {
                    return;
                };
                let [low, high] = label.range;
                if !(low..=high).contains(&i64::from(digit)) {
                    browser.say(texts::out_of_range(name, low, high));
                    return;
                }
                label_judgment(name, *response, Some(digit.into()))
            }
            RatingQuestion::Verdict => {
                let steps = verdict_steps(browser.responses(), scale.strengths.len());
                let Some(&(verdict, strength)) = usize::from(digit)
                    .checked_sub(1)
                    .and_then(|at| steps.get(at))
                else {
                    browser.say(match browser.responses() {
                        2 => texts::steps_from_a_to_b(steps.len()),
                        _ => texts::DIGIT_IS_LETTER.to_owned(),
                    });
                    return;
                };
                let verdict = self.order(browser).verdict_of_file(verdict);
                verdict_judgment(Some(verdict), strength)
            }
        };
        self.judge(&question, rated, browser);
    }

    /// Moves a value one step up or down; without a value, starts from the opposite end.
    fn shift(&self, question: &RatingQuestion, answering: RatingAction, browser: &mut Browser) {
        let setting = self.setting(browser);
        let rating = self.own_rating(browser.selection.selected, &setting);
        let Some(scale) = browser.scale() else {
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
                        return browser.record(Act::Rate { rated, setting });
                    }
                    RatingAction::Clear if value.is_none() => return,
                    RatingAction::Clear => None,
                    RatingAction::Lower => Some(value.map_or(high, |value| (value - 1.0).max(low))),
                    _ => Some(value.map_or(low, |value| (value + 1.0).min(high))),
                };
                label_judgment(name, *response, next)
            }
            RatingQuestion::Verdict => {
                let steps = verdict_steps(browser.responses(), scale.strengths.len());
                let own = rating
                    .and_then(|rating| rating.verdict)
                    .map(|(own, strength)| (self.order(browser).shown_verdict(own), strength));
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
                let order = self.order(browser);
                verdict_judgment(verdict.map(|it| order.verdict_of_file(it)), strength)
            }
        };
        browser.record(Act::Rate { rated, setting });
    }

    /// Records an answer and moves to the next question.
    fn judge(&self, question: &RatingQuestion, rated: Judgment, browser: &mut Browser) {
        let setting = self.setting(browser);
        let complete = self.is_complete(&setting, browser);
        // If the verdict is derived from labels, stating it does not answer the current question.
        let then = if self.questions(browser).contains(question) {
            FollowUp::Next { complete }
        } else {
            FollowUp::Stay
        };
        browser.record_then(Act::Rate { rated, setting }, then);
    }

    /// Moves to the next question after an answer, or to the next sample after the last one.
    pub(super) fn note_answered(
        &mut self,
        was_complete: bool,
        browser: &mut Browser,
        views: &mut Views,
    ) {
        let at = views.rate_at(browser);
        match self.open_question(at, browser) {
            Some(open) => views.set_rate_at(open, browser),
            None if was_complete => {
                let last = self.questions(browser).len().saturating_sub(1);
                views.set_rate_at((at + 1).min(last), browser);
            }
            // The dataset's labels are now visible, and the reviewer wants to see them.
            None if browser.is_blind() && !self.mask(browser).hidden => {
                browser.say(texts::JUDGED);
            }
            None => self.go_on(browser, views),
        }
    }

    /// Selects the next sample to judge.
    pub(super) fn go_on(&mut self, browser: &mut Browser, views: &mut Views) {
        match self
            .running()
            .map(|running| running.next(Some(browser.selection.position)))
        {
            Some(Some(position)) => {
                let is_back = position <= browser.selection.position;
                browser.select(position);
                self.seek_open_question(browser, views);
                if is_back {
                    self.say_back(browser);
                }
            }
            Some(None) => self.finish(browser, views),
            None if browser.selection.position + 1 >= browser.shown().len() => {
                browser.say("This is the last sample shown.");
            }
            None => {
                browser.select(browser.selection.position + 1);
                self.refilter_if_pending(browser);
                self.seek_open_question(browser, views);
            }
        }
    }

    /// Returns the rows of the strip.
    pub fn rate_rows(&self, browser: &Browser, views: &Views) -> Vec<RatingRow> {
        let (Some(scale), setting) = (browser.scale(), self.setting(browser)) else {
            return Vec::new();
        };
        let rating = self
            .own_rating(browser.selection.selected, &setting)
            .filter(|rating| rating.state == RatingState::Open);
        let (questions, responses) = (self.questions(browser), browser.responses());
        let asked = questions.get(views.rate_at(browser));
        let order = self.order(browser);
        let of_file: Vec<_> = ResponseId::first(responses)
            .map(|shown| order.of_file(shown))
            .collect();
        let given = DatasetLabels::of(&browser.data.dataset, browser.selection.selected)
            .filter(|_| !self.mask(browser).hidden);
        let others = self.judgments_of_others(browser);
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
        if browser.is_compared() {
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
                answers: steps_in_words(&scale.strengths, responses),
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

impl Browser {
    /// Returns the height of the strip below the responses: question, names, a row per response in
    /// a pane, and the ends of the scale.
    pub(crate) fn rate_height(&self) -> u16 {
        3 + self.responses().clamp(1, 2) as u16
    }

    /// Returns the rating form of the selected sample's file.
    fn scale(&self) -> Option<RatingForm> {
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
    /// Returns the response that the next key rates, by its screen letter, if there are more than
    /// two: it must be visible in a pane.
    pub(crate) fn asked_response(&self, browser: &Browser) -> Option<ResponseId> {
        let responses = browser.responses();
        if self.rate().is_none() || responses <= 2 {
            return None;
        }
        // Questions use screen letters.
        let questions = browser.scale()?.questions(responses);
        match questions.get(self.rate_at(browser))? {
            RatingQuestion::Label(_, shown) => Some(*shown),
            RatingQuestion::Verdict => None,
        }
    }

    fn set_change(&mut self, change: ChangeStep) {
        if let Some(rate) = self.rate_mut() {
            rate.change = change;
        }
    }

    /// Returns the index of the current question, or 0 for another sample.
    fn rate_at(&self, browser: &Browser) -> usize {
        self.rate()
            .filter(|rate| rate.shown_at == browser.shown_at())
            .map_or(0, |rate| rate.at)
    }

    fn set_rate_at(&mut self, at: usize, browser: &Browser) {
        let shown_at = browser.shown_at();
        if let Some(rate) = self.rate_mut() {
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
fn verdict_steps(responses: usize, strengths: usize) -> Vec<(Verdict, Option<u8>)> {
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

/// Describes the ends of a label's scale.
fn ends_in_words(label: &Rateable) -> String {
    let [low, high] = label.range;
    match &label.ends {
        Some(ends) => {
            let [lowest, highest] = ends.each_ref().map(|end| text::one_line(end, 400));
            format!("{low} {lowest} … {high} {highest}")
        }
        None => format!("{low} to {high}"),
    }
}

/// Lists the possible verdicts with their digits.
fn steps_in_words(strengths: &[String], responses: usize) -> String {
    verdict_steps(responses, strengths.len())
        .into_iter()
        .map(|step| step_words(step, strengths, responses))
        .zip(1..)
        .map(|(words, at)| match at {
            digit @ 1..10 => format!("{digit} {words}"),
            _ => words,
        })
        .collect::<Vec<_>>()
        .join("  ")
}

/// Returns the name of a step: the winner and the name of the strength.
fn step_words(
    (verdict, strength): (Verdict, Option<u8>),
    strengths: &[String],
    responses: usize,
) -> String {
    let how = strength.and_then(|strength| strengths.get(usize::from(strength).checked_sub(1)?));
    match how {
        Some(how) if verdict != Verdict::Tie => {
            format!("{} {}", verdict.letters(), text::one_line(how, 24))
        }
        _ if responses > 2 => verdict.letters(),
        _ => verdict.phrase(),
    }
}

/// Returns the number of a sample's responses; 0 for a malformed one.
pub(super) fn responses_of(dataset: &Dataset, sample: usize) -> usize {
    dataset.responses_of(sample).unwrap_or(0)
}
