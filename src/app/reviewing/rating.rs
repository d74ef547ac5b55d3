//! The rating strip: the questions about the sample on screen, and the keys that answer them.

use std::sync::Arc;

use super::super::status::HandOver;
use super::super::{Action, App, Context, Mode, View};
use super::FollowUp;
use crate::dataset::Dataset;
use crate::journal::{Act, Judgment, Rating, RatingState, Setting};
use crate::model::{ResponseId, ResponseOrder, Verdict};
use crate::query::SampleJudgment;
use crate::review::{DatasetLabels, RatingForm, RatingQuestion};

/// The rating strip, where it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RatingStrip {
    /// Place of the question that the next key answers.
    at: usize,
    /// The position and the sample that this place is for.
    shown_at: (usize, usize),
    /// Whether a judgment may be changed although the labels have shown: the reviewer was asked.
    change: ChangeStep,
}

/// How far one is with changing a judgment after the labels showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ChangeStep {
    /// Nobody wants to.
    #[default]
    No,
    /// The reviewer is asked.
    Asked,
    /// It may be changed until one leaves the sample.
    Yes,
}

/// What a key does in the rating strip. Letters are those of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatingAction {
    /// A smaller value, or more for A.
    Lower,
    /// A greater value, or more for B.
    Higher,
    /// The next question.
    Next,
    /// The question before.
    Previous,
    /// This response wins.
    Wins(ResponseId),
    /// Neither does.
    Tie,
    /// The answer is taken back.
    Clear,
    /// The sample is not judged.
    Skip,
    /// The sample is judged later.
    Defer,
    /// On to the next sample.
    GoOn,
    /// Change the judgment although the labels have shown; asks.
    Change,
    /// Yes, where one is asked; otherwise what the key does elsewhere: copy.
    Yes,
}

/// A row of the strip.
#[derive(Debug, Clone, PartialEq)]
pub enum RatingRow {
    /// A label of each response, as they stand on the screen.
    Label {
        /// Its name.
        name: Arc<str>,
        /// Least and greatest value.
        range: [i64; 2],
        /// What it means.
        about: String,
        /// The reviewer's value for each response on screen, left first.
        own: Vec<Option<f64>>,
        /// The dataset's, where they may be seen.
        given: Vec<Option<f64>>,
        /// Which of the responses the next key is about.
        asked: Option<usize>,
        /// What other reviewers gave, where that may be seen: each by name, left first.
        others: Vec<(Arc<str>, Vec<Option<f64>>)>,
    },
    /// Who wins, by the letters of the screen.
    Verdict {
        /// How many responses there are, at least two.
        responses: usize,
        /// Words for how strongly, the weakest first.
        strengths: Vec<String>,
        /// The reviewer's verdict and its strength.
        own: Option<(Verdict, Option<u8>)>,
        /// Whether it follows from the labels.
        derived: bool,
        /// The dataset's, where it may be seen.
        given: Option<Verdict>,
        /// Whether the next key is about it.
        asked: bool,
        /// Who wins as other reviewers say, where that may be seen.
        others: Vec<(Arc<str>, Verdict)>,
    },
}

impl App {
    /// Opens the rating strip, or closes it.
    pub(in crate::app) fn toggle_rate(&mut self) {
        if self.views.close(Mode::Rate).is_some() {
            self.ask_unasked();
            return;
        }
        if self.questions().is_empty() {
            self.status.notice = Some(match self.shown().is_empty() {
                true => "There is no sample to rate.".to_owned(),
                false => "Of this sample nothing can be judged.".to_owned(),
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

    /// Rows that the strip wants at the bottom, its title included.
    pub(in crate::app) fn rate_height(&self) -> u16 {
        let rows = self.scale().map_or(1, |scale| scale.labels.len() + 1);
        u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(1)
    }

    /// What can be judged of the samples of the selected one's file.
    fn scale(&self) -> Option<RatingForm> {
        self.scale_of(self.selection.selected)
    }

    /// What can be judged of the samples of a sample's file.
    pub(super) fn scale_of(&self, sample: usize) -> Option<RatingForm> {
        let row = self.data.dataset.sample_rows(sample)?.first();
        let file = self.data.dataset.place(row)?.file;
        Some(RatingForm::of(&self.data.dataset.files().get(file)?.schema))
    }

    fn responses(&self) -> usize {
        self.responses_of(self.selection.selected)
    }

    pub(in crate::app) fn responses_of(&self, sample: usize) -> usize {
        responses_of(&self.data.dataset, sample)
    }

    /// What is asked about the selected sample, in the order of the screen: of the left response
    /// first.
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
        let questions = scale.questions(responses).into_iter();
        questions.map(of_screen).collect()
    }

    /// Of more than two responses the one that the next key is about, by its letter on the screen:
    /// it has to stand in a pane.
    pub(in crate::app) fn asked_response(&self) -> Option<ResponseId> {
        let responses = self.responses();
        if self.views.rate().is_none() || responses <= 2 {
            return None;
        }
        // Questions go by the letters of the screen, whichever responses of the file those are.
        let questions = self.scale()?.questions(responses);
        match questions.get(self.rate_at())? {
            RatingQuestion::Label(_, shown) => Some(*shown),
            RatingQuestion::Verdict => None,
        }
    }

    /// What the reviewer judged of the selected sample, in these circumstances.
    pub(super) fn own_rating(&self, sample: usize, setting: &Setting) -> Option<&Rating> {
        let key = self.review.key(sample)?;
        self.review
            .ledger
            .rating(key, &self.review.reviewer, setting)
    }

    /// Whether everything that is asked about the selected sample was judged.
    pub(super) fn is_complete(&self, setting: &Setting) -> bool {
        let (Some(rating), Some(scale)) = (
            self.own_rating(self.selection.selected, setting),
            self.scale(),
        ) else {
            return false;
        };
        scale.is_complete(self.responses(), rating)
    }

    /// Whether what was judged of the selected sample, as it was first given, is all that is asked:
    /// then labels show.
    pub(super) fn is_given(&self, setting: &Setting) -> bool {
        self.own_rating(self.selection.selected, setting)
            .is_some_and(|rating| self.is_whole_of(self.selection.selected, rating.as_given()))
    }

    /// Whether a key may judge the selected sample; says why not.
    fn may_judge(&mut self) -> bool {
        if self.shown().is_empty() || !self.is_drawn() {
            return false;
        }
        let closed = self.is_judgment_closed();
        if closed {
            self.status.notice = Some(
                "Judged, and the labels have shown: Enter goes on, c changes it all the same."
                    .to_owned(),
            );
        }
        !closed
    }

    /// Whether the selected sample's labels have shown after it was judged, and nobody has said
    /// that the judgment is to be changed all the same.
    pub fn is_judgment_closed(&self) -> bool {
        let opened = self
            .views
            .rate()
            .is_some_and(|rate| rate.change == ChangeStep::Yes && rate.shown_at == self.shown_at());
        self.is_closed() && !opened
    }

    fn set_change(&mut self, change: ChangeStep) {
        if let Some(rate) = self.views.rate_mut() {
            rate.change = change;
        }
    }

    /// Asks whether a judgment is to be changed although the labels have shown, or takes the
    /// answer.
    fn change_after_reveal(&mut self, answering: RatingAction) {
        let asked = self
            .views
            .rate()
            .is_some_and(|rate| rate.change == ChangeStep::Asked);
        match answering {
            RatingAction::Yes if asked => {
                self.set_change(ChangeStep::Yes);
                self.set_rate_at(0);
                self.status.notice =
                    Some("What you change, skip (s) or put off (d) now counts as after the labels showed.".to_owned());
            }
            RatingAction::Yes => {
                self.status.handed_over = Some(HandOver::Read(Action::Copy, None));
            }
            _ if self.is_closed() => {
                self.set_change(ChangeStep::Asked);
                self.status.notice =
                    Some("The labels have shown: change the judgment all the same? y".to_owned());
            }
            _ => {
                self.status.notice = Some(
                    "Nothing to ask: the labels of this sample have not shown after a judgment."
                        .to_owned(),
                );
            }
        }
    }

    /// The strip's place, which goes with the sample.
    fn rate_at(&self) -> usize {
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

    /// An audit shows a sample twice, and a filter can show another sample at the same position.
    fn shown_at(&self) -> (usize, usize) {
        (self.selection.position, self.selection.selected)
    }

    /// The question that an act answered is the next one.
    pub(super) fn ask_turned(&mut self) {
        let question = match self.review.turned.take() {
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

    /// Goes to the first question without an answer.
    pub(super) fn seek_open_question(&mut self) {
        let open = self.open_question(0).unwrap_or(0);
        self.set_rate_at(open);
    }

    /// The first question without an answer from a place on, going round.
    fn open_question(&self, from: usize) -> Option<usize> {
        let (questions, scale, setting) = (self.questions(), self.scale()?, self.setting());
        let responses = self.responses();
        let rating = self.own_rating(self.selection.selected, &setting);
        let is_open = |at: &usize| {
            rating.is_none_or(|rating| !scale.is_answered(&questions[*at], responses, rating))
        };
        let count = questions.len();
        (from..from + count)
            .map(|at| at % count.max(1))
            .find(is_open)
    }

    pub(in crate::app) fn act_in_rate(&mut self, action: Action, count: Option<usize>) {
        // Whoever is asked says yes or no.
        if action != Action::Answer(RatingAction::Yes)
            && self
                .views
                .rate()
                .is_some_and(|rate| rate.change == ChangeStep::Asked)
        {
            self.set_change(ChangeStep::No);
        }
        match action {
            Action::Digit(digit) if self.may_judge() => self.answer_digit(digit),
            Action::Digit(_) => {}
            Action::Answer(answering) => self.answer(answering),
            Action::Rate | Action::Cancel | Action::Back => {
                self.toggle_rate();
            }
            action => self.status.handed_over = Some(HandOver::Read(action, count)),
        }
    }

    /// Goes on with the sample that is selected now, where that is another one than was rated.
    pub(in crate::app) fn rate_selected(&mut self) {
        let is_other = |rate: &RatingStrip| rate.shown_at != self.shown_at();
        if self.views.mode() == Mode::Rate && self.views.rate().is_some_and(is_other) {
            self.ask_unasked();
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
            RatingAction::Change | RatingAction::Yes => self.change_after_reveal(answering),
            _ if !self.may_judge() => {}
            RatingAction::Skip | RatingAction::Defer => {
                let setting = self.setting();
                let act = if answering == RatingAction::Skip {
                    Act::Skip { setting }
                } else {
                    Act::Defer { setting }
                };
                self.record_then(act, FollowUp::GoOn);
                // Of four responses and more the key may have been meant as the letter of one.
                if answering == RatingAction::Defer && self.is_drawn() {
                    let undo = self.key_or_name(Context::Read, Action::Undo);
                    self.status.notice = Some(format!(
                        "Put off, to be judged later; {undo} takes that back."
                    ));
                }
            }
            RatingAction::Wins(shown) if self.is_compared() && !self.was_in_sight(shown) => {
                self.status.notice = Some(format!("{} stands in no pane.", shown.letter()));
            }
            RatingAction::Wins(shown) if self.is_compared() => {
                let verdict = Verdict::wins(self.of_file(shown));
                self.judge(&RatingQuestion::Verdict, Some(verdict), None);
            }
            RatingAction::Tie if self.is_compared() => {
                self.judge(&RatingQuestion::Verdict, Some(Verdict::Tie), None);
            }
            RatingAction::Wins(_) | RatingAction::Tie => {
                self.status.notice = Some("There is one response.".to_owned());
            }
            RatingAction::Lower | RatingAction::Higher | RatingAction::Clear => {
                if let Some(question) = questions.get(at) {
                    self.shift(&question.clone(), answering);
                }
            }
        }
    }

    /// The next sample; what was put off and stays as it is, is judged now.
    fn confirm_and_go_on(&mut self) {
        let setting = self.setting();
        let rating = self
            .own_rating(self.selection.selected, &setting)
            .filter(|rating| rating.state == RatingState::Deferred);
        let rating = rating.filter(|rating| {
            self.is_whole_of(self.selection.selected, rating) && self.review.running().is_some()
        });
        let label = rating.and_then(|rating| rating.labels.iter().next()).map(
            |((label, response), value)| Judgment::Label {
                label: Arc::clone(label),
                response: *response,
                value: Some(*value),
            },
        );
        let verdict = || {
            let (value, strength) = rating?.verdict?;
            Some(Judgment::Verdict {
                value: Some(value),
                strength,
            })
        };
        match label.or_else(verdict) {
            Some(rated) if self.is_drawn() => {
                self.record_then(Act::Rate { rated, setting }, FollowUp::GoOn);
            }
            _ => self.go_on(),
        }
    }

    /// In which order the responses of the selected sample are shown.
    pub(in crate::app) fn order(&self) -> ResponseOrder {
        self.setting().order.among(self.responses())
    }

    /// The response of the file that is shown under a letter.
    pub(super) fn of_file(&self, shown: ResponseId) -> ResponseId {
        self.order().of_file(shown)
    }

    /// Whether there are responses of which one can win.
    fn is_compared(&self) -> bool {
        self.responses() > 1
    }

    /// A digit is a value, or a place on the scale from A to B, or among all letters.
    fn answer_digit(&mut self, digit: u8) {
        let (questions, at) = (self.questions(), self.rate_at());
        let (Some(question), Some(scale)) = (questions.get(at).cloned(), self.scale()) else {
            return;
        };
        match &question {
            RatingQuestion::Label(name, _) => {
                let Some(label) = scale.labels.iter().find(|label| label.name == *name) else {
                    return;
                };
                let [low, high] = label.range;
                if !(low..=high).contains(&i64::from(digit)) {
                    self.status.notice = Some(format!("{name} is {low} to {high}."));
                    return;
                }
                self.rate_label(&question, Some(f64::from(digit)));
            }
            RatingQuestion::Verdict => {
                let steps = verdict_steps(self.responses(), scale.strengths.len());
                let Some(&(verdict, strength)) = usize::from(digit)
                    .checked_sub(1)
                    .and_then(|at| steps.get(at))
                else {
                    self.status.notice = Some(match self.responses() {
                        2 => format!("1 to {}: from A to B.", steps.len()),
                        _ => "A digit is the letter that wins; h and l reach the rest.".to_owned(),
                    });
                    return;
                };
                let verdict = self.order().verdict_of_file(verdict);
                self.judge(&question, Some(verdict), strength);
            }
        }
    }

    /// A step up or down from the value there is, or from the end that is farther.
    fn shift(&mut self, question: &RatingQuestion, answering: RatingAction) {
        let setting = self.setting();
        let rating = self.own_rating(self.selection.selected, &setting);
        let Some(scale) = self.scale() else {
            return;
        };
        match question {
            RatingQuestion::Label(name, response) => {
                let Some(label) = scale.labels.iter().find(|label| label.name == *name) else {
                    return;
                };
                let [low, high] = label.range.map(|end| end as f64);
                let value = rating.and_then(|rating| rating.label(name, *response));
                let next = match answering {
                    // Who was said to win without being asked is no question of its own.
                    RatingAction::Clear
                        if value.is_none()
                            && rating.is_some_and(|rating| rating.verdict.is_some()) =>
                    {
                        let rated = Judgment::Verdict {
                            value: None,
                            strength: None,
                        };
                        return self.record(Act::Rate { rated, setting });
                    }
                    RatingAction::Clear if value.is_none() => return,
                    RatingAction::Clear => None,
                    RatingAction::Lower => Some(value.map_or(high, |value| (value - 1.0).max(low))),
                    _ => Some(value.map_or(low, |value| (value + 1.0).min(high))),
                };
                self.rate_label_then(question, next, FollowUp::Stay);
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
                let rated = Judgment::Verdict {
                    value: verdict.map(|verdict| self.order().verdict_of_file(verdict)),
                    strength,
                };
                self.record(Act::Rate { rated, setting });
            }
        }
    }

    fn rate_label_then(&mut self, question: &RatingQuestion, value: Option<f64>, then: FollowUp) {
        let RatingQuestion::Label(label, response) = question else {
            return;
        };
        let rated = Judgment::Label {
            label: Arc::clone(label),
            response: *response,
            value,
        };
        self.record_then(
            Act::Rate {
                rated,
                setting: self.setting(),
            },
            then,
        );
    }

    /// Records a value and goes on to what is asked next.
    fn rate_label(&mut self, question: &RatingQuestion, value: Option<f64>) {
        let complete = self.is_complete(&self.setting());
        self.rate_label_then(question, value, FollowUp::Next { complete });
    }

    fn judge(&mut self, question: &RatingQuestion, verdict: Option<Verdict>, strength: Option<u8>) {
        let setting = self.setting();
        let complete = self.is_complete(&setting);
        // Where who wins follows from the labels, saying so is no answer to what is asked next.
        let then = if self.questions().contains(question) {
            FollowUp::Next { complete }
        } else {
            FollowUp::Stay
        };
        self.record_then(
            Act::Rate {
                rated: Judgment::Verdict {
                    value: verdict,
                    strength,
                },
                setting,
            },
            then,
        );
    }

    /// After an answer was recorded: the next question, or the next sample where this was the last
    /// one.
    pub(super) fn note_answered(&mut self, was_complete: bool) {
        let at = self.rate_at();
        match self.open_question(at) {
            Some(open) => self.set_rate_at(open),
            None if was_complete => {
                let last = self.questions().len().saturating_sub(1);
                self.set_rate_at((at + 1).min(last));
            }
            // What the dataset says shows now: whoever judged wants to see it.
            None if self.is_blind() && !self.mask().hidden => {
                self.status.notice =
                    Some("Judged; this is what the dataset says. Enter goes on.".to_owned());
            }
            None => self.go_on(),
        }
    }

    /// The next sample that is to be judged.
    pub(super) fn go_on(&mut self) {
        match self
            .review
            .running()
            .map(|running| running.next(self.selection.position))
        {
            Some(Some(position)) => {
                let is_back = position <= self.selection.position;
                self.select(position);
                self.seek_open_question();
                if is_back {
                    self.tell_back();
                }
            }
            Some(None) => self.finish(),
            None if self.selection.position + 1 >= self.shown().len() => {
                self.status.notice = Some("This is the last sample shown.".to_owned());
            }
            None => {
                self.select(self.selection.position + 1);
                self.ask_unasked();
                self.seek_open_question();
            }
        }
    }

    /// What the strip shows, row by row.
    pub fn rate_rows(&self) -> Vec<RatingRow> {
        let (Some(scale), setting) = (self.scale(), self.setting()) else {
            return Vec::new();
        };
        let rating = self
            .own_rating(self.selection.selected, &setting)
            .filter(|rating| rating.state == RatingState::Open);
        let (questions, responses) = (self.questions(), self.responses());
        let asked = questions.get(self.rate_at());
        let order = self.order();
        let of_file: Vec<_> = ResponseId::first(responses)
            .map(|shown| order.of_file(shown))
            .collect();
        let own = DatasetLabels::of(&self.data.dataset, self.selection.selected)
            .filter(|_| !self.mask().hidden);
        let others = self.judgments_of_others();
        let mut rows = Vec::new();
        for label in &scale.labels {
            let said = |judgment: &SampleJudgment| {
                let values: Vec<_> = ResponseId::first(responses)
                    .map(|shown| judgment.label(&label.name, shown))
                    .collect();
                let is_any = values.iter().any(Option::is_some);
                is_any.then(|| (Arc::clone(&judgment.reviewer), values))
            };
            rows.push(RatingRow::Label {
                name: Arc::clone(&label.name),
                range: label.range,
                about: label.about.clone(),
                own: of_file
                    .iter()
                    .map(|response| rating?.label(&label.name, *response))
                    .collect(),
                given: of_file
                    .iter()
                    .map(|response| own?.label(&label.name, *response))
                    .collect(),
                asked: of_file.iter().position(|response| {
                    asked == Some(&RatingQuestion::Label(Arc::clone(&label.name), *response))
                }),
                others: others.iter().filter_map(said).collect(),
            });
        }
        if self.is_compared() {
            let stated = rating.and_then(|rating| rating.verdict);
            let meant = rating
                .and_then(|rating| scale.verdict(responses, rating))
                .map(|verdict| (verdict, None));
            let judged = stated
                .or(meant)
                .map(|(verdict, strength)| (order.shown_verdict(verdict), strength));
            let given = own
                .and_then(|own| own.verdict())
                .map(|verdict| order.shown_verdict(verdict));
            let asked = asked == Some(&RatingQuestion::Verdict);
            rows.push(RatingRow::Verdict {
                responses,
                strengths: scale.strengths,
                own: judged,
                derived: stated.is_none(),
                given,
                asked,
                others: others
                    .iter()
                    .filter_map(|one| Some((Arc::clone(&one.reviewer), one.verdict?)))
                    .collect(),
            });
        }
        rows
    }
}

/// What can be said of who wins among so many responses: of two, from A to B by so many strengths,
/// the strongest first; of more, each letter, and then a tie.
pub fn verdict_steps(responses: usize, strengths: usize) -> Vec<(Verdict, Option<u8>)> {
    let wins = |response| move |strength| (Verdict::wins(response), strength);
    if responses > 2 {
        let letters = ResponseId::first(responses).map(|response| wins(response)(None));
        return letters.chain([(Verdict::Tie, None)]).collect();
    }
    let how: Vec<_> = match strengths as u8 {
        0 => vec![None],
        most => (1..=most).map(Some).collect(),
    };
    let of_a = how.iter().rev().copied().map(wins(ResponseId::A));
    let of_b = how.iter().copied().map(wins(ResponseId::B));
    of_a.chain([(Verdict::Tie, None)]).chain(of_b).collect()
}

/// How many responses of a sample can be judged; none of a malformed one.
pub(super) fn responses_of(dataset: &Dataset, sample: usize) -> usize {
    dataset.responses_of(sample).unwrap_or(0)
}
