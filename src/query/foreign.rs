//! What people write who know other query languages, and what to write here instead.

use std::ops::Range;

use super::catalog::split_view;
use super::parse::{Parser, QueryError, error};
use super::words::{self, FOREIGN, KEYS};

/// Words between a field and what is in it, in SQL and elsewhere.
const MATCHES: [&str; 3] = ["like", "ilike", "contains"];

impl Parser<'_> {
    /// What to write instead where the next word, or what stands behind it, is of another language.
    pub(super) fn foreign_term(&self) -> Option<QueryError> {
        let (start, word) = (self.cursor.at, self.cursor.word());
        let name = self.cursor.name();
        if let Some(sign) = self.sign_of_match(name) {
            let spelled = &self.cursor.text[sign.clone()];
            let is_not = spelled.starts_with(['!', 'n', 'N']);
            let not = if is_not { "-" } else { "" };
            let message = format!(
                "{spelled} is no sign here: write {not}{name}:word for what has the word in it; in quotes, it is a text to search for"
            );
            return error::<()>(sign, message).err();
        }
        let mut behind = self.cursor;
        behind.at += word.len();
        behind.skip_blanks();
        // Before anything but a field it is a text of code.
        let is_first = self.cursor.text[..start].trim().is_empty();
        let is_clause =
            word == "WHERE" && is_first && self.catalog.find(split_view(behind.name()).1).is_some();
        // Behind words alone it is one of them: "speed limit 30".
        let is_behind_condition = self.cursor.text[..start].contains([':', '<', '>', '=']);
        let is_number = behind.peek().is_some_and(|sign| sign.is_ascii_digit());
        let is_limit = word.eq_ignore_ascii_case("limit") && is_behind_condition && is_number;
        let foreign = FOREIGN.iter().find(|(sign, _)| *sign == word);
        let ours = match foreign {
            Some((_, ours)) => ours,
            None if is_clause => "the conditions alone",
            None if is_limit => "-n N on the command line, where so many are to be told",
            None => return None,
        };
        let message =
            format!("{word} is no sign here: write {ours}; in quotes, it is a text to search for");
        error::<()>(start..start + word.len(), message).err()
    }

    /// Where `~`, `!~`, `like` or `contains` stands behind the next name, if that is one of words or
    /// texts, with a view or without.
    fn sign_of_match(&self, name: &str) -> Option<Range<usize>> {
        let (_, of) = split_view(name);
        let column = self.catalog.find(of);
        let is_word = column.is_some_and(|column| !column.kind.is_number());
        if !is_word && words::meaning(KEYS, of).is_none() {
            return None;
        }
        let mut behind = self.cursor;
        behind.at += name.len();
        behind.skip_blanks();
        let start = behind.at;
        if behind.word().eq_ignore_ascii_case("not") {
            behind.at += behind.word().len();
            behind.skip_blanks();
        }
        let word = behind.word();
        if MATCHES.iter().any(|it| it.eq_ignore_ascii_case(word)) {
            behind.at += word.len();
            // Alone, it is a text like others.
            let is_followed = !behind.text[behind.at..].trim().is_empty();
            return is_followed.then_some(start..behind.at);
        }
        behind.at = start;
        behind.eat("!");
        behind.eat("~").then_some(start..behind.at)
    }
}
