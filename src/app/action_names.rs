//! A name for every action that a key can ask for, as files of keys write it.

use super::{
    Action, Edit, LayoutAction, Pane, PanelAction, RatingAction, Scroll, StatisticsMove, Toggle,
};
use crate::model::{ResponseId, SpotCheckVerdict};
use crate::schema::{FieldChoice, Said};

/// Writes the list once: the table of names, and the way from an action to its name. The compiler
/// says which action has none.
macro_rules! names {
    ($($name:literal => ($($action:tt)+),)* nameless: $($nameless:tt)+) => {
        /// Every action that has a name, with it.
        pub static ACTIONS: &[(&str, Action)] = &[$(($name, $($action)+),)*];

        impl Action {
            /// Its name in a file of keys; `None` for what no key is bound to: what is typed, and
            /// moves that other actions stand for.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $($($action)+ => Some($name),)*
                    $($nameless)+ => None,
                }
            }
        }
    };
}

names! {
    "next-sample" => (Action::NextSample),
    "previous-sample" => (Action::PreviousSample),
    "first-sample" => (Action::FirstSample),
    "last-sample" => (Action::LastSample),
    "jump-back" => (Action::JumpBack),
    "page-down" => (Action::Scroll(Scroll::PageDown)),
    "page-up" => (Action::Scroll(Scroll::PageUp)),
    "half-page-down" => (Action::Scroll(Scroll::HalfDown)),
    "half-page-up" => (Action::Scroll(Scroll::HalfUp)),
    "line-down" => (Action::Scroll(Scroll::LineDown)),
    "line-up" => (Action::Scroll(Scroll::LineUp)),
    "top" => (Action::Scroll(Scroll::Top)),
    "bottom" => (Action::Scroll(Scroll::Bottom)),
    "next-pane" => (Action::NextPane),
    "previous-pane" => (Action::PreviousPane),
    "next-response-right" => (Action::NextResponse(Pane::Right)),
    "previous-response-right" => (Action::PreviousResponse(Pane::Right)),
    "next-response-left" => (Action::NextResponse(Pane::Left)),
    "previous-response-left" => (Action::PreviousResponse(Pane::Left)),
    "toggle-list" => (Action::ToggleList),
    "widen-list" => (Action::WidenList),
    "narrow-list" => (Action::NarrowList),
    "zoom" => (Action::Zoom),
    "filter" => (Action::Filter),
    "drop-filter" => (Action::DropFilter),
    "labels-panel" => (Action::LabelsPanel),
    "statistics" => (Action::Statistics),
    "findings" => (Action::Findings),
    "layout-edit" => (Action::OnLayout(LayoutAction::Edit)),
    "layout-prompt" => (Action::OnLayout(LayoutAction::Choose(FieldChoice::Prompt))),
    "layout-response" => (Action::OnLayout(LayoutAction::Choose(FieldChoice::Response))),
    "layout-winner" => (Action::OnLayout(LayoutAction::Choose(FieldChoice::Winner))),
    "layout-loser" => (Action::OnLayout(LayoutAction::Choose(FieldChoice::Loser))),
    "layout-a-wins" => (Action::OnLayout(LayoutAction::Means(Said::Wins(0)))),
    "layout-b-wins" => (Action::OnLayout(LayoutAction::Means(Said::Wins(1)))),
    "layout-c-wins" => (Action::OnLayout(LayoutAction::Means(Said::Wins(2)))),
    "layout-d-wins" => (Action::OnLayout(LayoutAction::Means(Said::Wins(3)))),
    "layout-tie" => (Action::OnLayout(LayoutAction::Means(Said::Tie))),
    "layout-next-meaning" => (Action::OnLayout(LayoutAction::NextMeaning)),
    "layout-open-list" => (Action::OnLayout(LayoutAction::OpenList)),
    "layout-label" => (Action::OnLayout(LayoutAction::Choose(FieldChoice::Label))),
    "layout-text" => (Action::OnLayout(LayoutAction::Choose(FieldChoice::Text))),
    "layout-system" => (Action::OnLayout(LayoutAction::Choose(FieldChoice::System))),
    "layout-field" => (Action::OnLayout(LayoutAction::Choose(FieldChoice::Field))),
    "layout-guess" => (Action::OnLayout(LayoutAction::Guess)),
    "layout-next-record" => (Action::OnLayout(LayoutAction::NextRecord)),
    "layout-previous-record" => (Action::OnLayout(LayoutAction::PreviousRecord)),
    "check-right" => (Action::Check(SpotCheckVerdict::Right)),
    "check-wrong" => (Action::Check(SpotCheckVerdict::Wrong)),
    "check-unclear" => (Action::Check(SpotCheckVerdict::Unclear)),
    "statistics-left" => (Action::OnStatistics(StatisticsMove::Left)),
    "statistics-right" => (Action::OnStatistics(StatisticsMove::Right)),
    "statistics-next-section" => (Action::OnStatistics(StatisticsMove::NextSection)),
    "statistics-previous-section" => (Action::OnStatistics(StatisticsMove::PreviousSection)),
    "sort" => (Action::Sort),
    "search" => (Action::Search),
    "next-hit" => (Action::NextHit),
    "previous-hit" => (Action::PreviousHit),
    "command" => (Action::Command),
    "palette" => (Action::Palette),
    "rate" => (Action::Rate),
    "mark" => (Action::Mark),
    "next-mark" => (Action::NextMark),
    "tag" => (Action::Tag),
    "note" => (Action::Note),
    "undo" => (Action::Undo),
    "redo" => (Action::Redo),
    "agreement" => (Action::Agreement),
    "copy" => (Action::Copy),
    "export" => (Action::Export),
    "responses" => (Action::Responses),
    "record" => (Action::Record),
    "tokens" => (Action::Tokens),
    "word-diff" => (Action::WordDiff),
    "toggle-lock" => (Action::Toggle(Toggle::Lock)),
    "toggle-markdown" => (Action::Toggle(Toggle::Markdown)),
    "toggle-folds" => (Action::Toggle(Toggle::Folds)),
    "toggle-hidden" => (Action::Toggle(Toggle::Hidden)),
    "help" => (Action::Help),
    "reload" => (Action::Reload),
    "redraw" => (Action::Redraw),
    "suspend" => (Action::Suspend),
    "cancel" => (Action::Cancel),
    "back" => (Action::Back),
    "leave" => (Action::Leave),
    "quit" => (Action::Quit),
    "accept" => (Action::Accept),
    "complete" => (Action::Complete),
    "complete-back" => (Action::CompleteBack),
    "order" => (Action::Order),
    "earlier" => (Action::Earlier),
    "later" => (Action::Later),
    "question" => (Action::Question),
    "character-left" => (Action::Edit(Edit::Left)),
    "character-right" => (Action::Edit(Edit::Right)),
    "word-left" => (Action::Edit(Edit::WordLeft)),
    "word-right" => (Action::Edit(Edit::WordRight)),
    "line-start" => (Action::Edit(Edit::Start)),
    "line-end" => (Action::Edit(Edit::End)),
    "delete-before" => (Action::Edit(Edit::Backspace)),
    "delete-under" => (Action::Edit(Edit::Delete)),
    "delete-word" => (Action::Edit(Edit::DeleteWord)),
    "delete-to-start" => (Action::Edit(Edit::DeleteToStart)),
    "delete-to-end" => (Action::Edit(Edit::DeleteToEnd)),
    "undo-typing" => (Action::Edit(Edit::Undo)),
    "redo-typing" => (Action::Edit(Edit::Redo)),
    "panel-low-down" => (Action::Handle(PanelAction::LowDown)),
    "panel-low-up" => (Action::Handle(PanelAction::LowUp)),
    "panel-high-down" => (Action::Handle(PanelAction::HighDown)),
    "panel-high-up" => (Action::Handle(PanelAction::HighUp)),
    "panel-next-view" => (Action::Handle(PanelAction::NextView)),
    "panel-clear" => (Action::Handle(PanelAction::Clear)),
    "panel-next-sample" => (Action::Handle(PanelAction::NextSample)),
    "panel-previous-sample" => (Action::Handle(PanelAction::PreviousSample)),
    "rate-go-on" => (Action::Answer(RatingAction::GoOn)),
    "rate-next" => (Action::Answer(RatingAction::Next)),
    "rate-previous" => (Action::Answer(RatingAction::Previous)),
    "rate-lower" => (Action::Answer(RatingAction::Lower)),
    "rate-higher" => (Action::Answer(RatingAction::Higher)),
    "rate-a-wins" => (Action::Answer(RatingAction::Wins(ResponseId::A))),
    "rate-b-wins" => (Action::Answer(RatingAction::Wins(ResponseId::B))),
    "rate-tie" => (Action::Answer(RatingAction::Tie)),
    "rate-clear" => (Action::Answer(RatingAction::Clear)),
    "rate-skip" => (Action::Answer(RatingAction::Skip)),
    "rate-defer" => (Action::Answer(RatingAction::Defer)),
    "rate-change" => (Action::Answer(RatingAction::Change)),
    "rate-yes" => (Action::Answer(RatingAction::Yes)),
    "save" => (Action::Save),
    "new-line" => (Action::Edit(Edit::NewLine)),
    "outside" => (Action::Outside),
    "add-to-sort" => (Action::Add),
    "yes" => (Action::Yes),
    "no" => (Action::No),
    "delete-filter" => (Action::Delete),
    nameless: Action::Digit(_)
        | Action::NextResponse(_)
        | Action::PreviousResponse(_)
        | Action::Answer(RatingAction::Wins(_))
        | Action::OnLayout(LayoutAction::Means(Said::Wins(_)))
        | Action::Edit(Edit::Insert(_) | Edit::Up | Edit::Down)
        | Action::Nothing
}

impl Action {
    /// The action of this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = ACTIONS.iter().find(|(known, _)| *known == name)?;
        Some(found.1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_action_has_one_name_and_every_name_one_action() {
        let names: HashSet<_> = ACTIONS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), ACTIONS.len());
        for (name, action) in ACTIONS {
            assert_eq!(action.name(), Some(*name));
            assert_eq!(Action::named(name), Some(*action));
            let is_kebab = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(name.chars().all(is_kebab), "{name}");
        }
    }
}
