//! Finds the names in a file by its tokens, so that comments and strings are ignored and macro
//! bodies are included.
//!
//! Paths are enough: `use` groups are paths with a common prefix, and no item of another module or
//! crate can be used without one. (A syntax tree, as `syn` builds it, stops at macros.)

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, LexError, TokenStream, TokenTree};

/// The names found in a file.
#[derive(Default)]
pub(crate) struct Scan {
    pub(crate) mentions: Vec<Mention>,
    /// Lines with the word `unsafe`.
    pub(crate) unsafe_lines: Vec<usize>,
    /// Lines where a public module has an inline body.
    pub(crate) public_inline: Vec<usize>,
    /// Paths to modules and items of ours, from the root, outside tests.
    pub(crate) paths: Vec<Vec<String>>,
    /// Types defined in the file, with their lines; associated types are excluded.
    pub(crate) types: Vec<(String, usize)>,
}

/// A name with its location.
pub(crate) struct Mention {
    pub(crate) named: Named,
    pub(crate) line: usize,
    /// Whether only tests see it.
    pub(crate) in_test: bool,
}

/// The target of a path.
pub(crate) enum Named {
    /// A top-level module of ours.
    Ours(String),
    /// The crate root.
    Whole,
    /// Another crate.
    Foreign(String),
}

impl Scan {
    /// Scans the text of the module with that path, from the root.
    pub(crate) fn of(
        text: &str,
        module: &[String],
        in_test: bool,
        crates: &BTreeSet<String>,
    ) -> Result<Self, LexError> {
        let mut walk = Walk {
            crates,
            module: module.to_vec(),
            in_test,
            in_impl: false,
            scan: Self::default(),
        };
        walk.tokens(text.parse()?);
        Ok(walk.scan)
    }
}

/// The state of the scan of a file.
struct Walk<'c> {
    crates: &'c BTreeSet<String>,
    module: Vec<String>,
    in_test: bool,
    /// Whether the tokens are inside an `impl` or a trait, where `type` defines an associated type.
    in_impl: bool,
    scan: Scan,
}

/// Keywords before the name of a type.
const TYPE_WORDS: [&str; 5] = ["enum", "struct", "trait", "type", "union"];

impl Walk<'_> {
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        // Whether a `use` has begun, and whether the current item is only for tests.
        let (mut in_use, mut marked) = (false, false);
        // Whether the next braces belong to an `impl` or a trait.
        let mut opens_impl = false;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let outside = (self.in_test, self.in_impl);
            self.in_test |= marked;
            if let TokenTree::Ident(word) = token {
                opens_impl |= word == "impl" || word == "trait";
                self.type_name(&word.to_string(), tokens.get(at + 1));
            }
            match token {
                TokenTree::Group(group) => {
                    marked |= is_test_mark(&tokens[..at], group.stream());
                    let is_body = group.delimiter() == Delimiter::Brace;
                    self.in_impl = is_body && opens_impl;
                    self.tokens(group.stream());
                    // Braces end an item.
                    marked &= !is_body;
                    opens_impl &= !is_body;
                    at += 1;
                }
                TokenTree::Ident(word) => match word.to_string().as_str() {
                    "use" => (in_use, at) = (true, at + 1),
                    "as" if in_use => at += 2,
                    "pub" if is_group(tokens.get(at + 1), Delimiter::Parenthesis) => at += 2,
                    "mod" => {
                        at = self.module(&tokens, at);
                        marked = false;
                    }
                    "extern" if is_word(tokens.get(at + 1), "crate") => {
                        (in_use, at) = (true, at + 2);
                    }
                    "unsafe" => {
                        self.scan.unsafe_lines.push(word.span().start().line);
                        at += 1;
                    }
                    // A field or method does not begin a path.
                    _ if is_punct(at.checked_sub(1).and_then(|before| tokens.get(before)), '.') => {
                        at += 1;
                    }
                    _ => at = self.path(&tokens, at, &[], in_use),
                },
                TokenTree::Punct(punct) => {
                    if punct.as_char() == ';' {
                        (in_use, marked, opens_impl) = (false, false, false);
                    }
                    at += 1;
                }
                TokenTree::Literal(_) => at += 1,
            }
            (self.in_test, self.in_impl) = outside;
        }
    }

    /// Records the name after a keyword that defines a type, outside tests.
    fn type_name(&mut self, word: &str, next: Option<&TokenTree>) {
        let is_own = !(self.in_test || word == "type" && self.in_impl);
        if let Some(TokenTree::Ident(name)) = next
            && is_own
            && TYPE_WORDS.contains(&word)
        {
            let line = name.span().start().line;
            self.scan.types.push((name.to_string(), line));
        }
    }

    /// Scans a module with an inline body; returns the index after it.
    fn module(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
            (tokens.get(at + 1), tokens.get(at + 2))
        else {
            return at + 2;
        };
        if is_word(
            at.checked_sub(1).and_then(|before| tokens.get(before)),
            "pub",
        ) {
            self.scan.public_inline.push(name.span().start().line);
        }
        self.module.push(name.to_string());
        self.tokens(body.stream());
        self.module.pop();
        at + 3
    }

    /// Follows a path, and those of the group at its end; returns the index after it.
    fn path(
        &mut self,
        tokens: &[TokenTree],
        mut at: usize,
        prefix: &[String],
        in_use: bool,
    ) -> usize {
        let Some(first) = tokens.get(at) else {
            return at;
        };
        let line = first.span().start().line;
        let mut path = prefix.to_vec();
        loop {
            match tokens.get(at) {
                Some(TokenTree::Ident(word)) => path.push(word.to_string()),
                Some(TokenTree::Punct(star)) if star.as_char() == '*' && !path.is_empty() => {
                    path.push("*".to_owned());
                }
                Some(TokenTree::Group(group))
                    if group.delimiter() == Delimiter::Brace && !path.is_empty() =>
                {
                    self.group(group.stream(), &path);
                    return at + 1;
                }
                _ => break,
            }
            at += 1;
            if !(is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')) {
                break;
            }
            at += 2;
        }
        if let Some(named) = self.lead(&path, in_use) {
            self.scan.mentions.push(Mention {
                named,
                line,
                in_test: self.in_test,
            });
        }
        at
    }

    /// Follows the paths of a `use` group.
    fn group(&mut self, tokens: TokenStream, prefix: &[String]) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.path(&tokens, at, prefix, true).max(at + 1);
            while at < tokens.len() && !is_punct(tokens.get(at - 1), ',') {
                at += 1;
            }
        }
    }

    /// Returns where a path leads, unless that is in its own module or the standard library.
    fn lead(&mut self, path: &[String], in_use: bool) -> Option<Named> {
        let words = path
            .iter()
            .filter(|word| *word != "self")
            .map(String::as_str);
        let words: Vec<_> = words.collect();
        let ups = words.iter().take_while(|word| **word == "super").count();
        let from_root: Vec<&str> = match words.first() {
            Some(&"crate") => words[1..].to_vec(),
            Some(&"super") => {
                let kept = self.module.len().saturating_sub(ups);
                self.module[..kept]
                    .iter()
                    .map(String::as_str)
                    .chain(words[ups..].iter().copied())
                    .collect()
            }
            Some(name) if self.crates.contains(*name) && (in_use || words.len() > 1) => {
                return Some(Named::Foreign((*name).to_owned()));
            }
            _ => {
                // It can begin with a module below this one.
                if !self.in_test && (in_use || words.len() > 1) {
                    let below = words.iter().map(|word| (*word).to_owned());
                    let path = self.module.iter().cloned().chain(below);
                    self.scan.paths.push(path.collect());
                }
                return None;
            }
        };
        if !self.in_test {
            let path = from_root.iter().map(|word| (*word).to_owned());
            self.scan.paths.push(path.collect());
        }
        Some(match from_root.first() {
            None | Some(&"*") => Named::Whole,
            Some(name) => Named::Ours((*name).to_owned()),
        })
    }
}

/// True if a group is the inside of `#[cfg(test)]`.
#[allow(clippy::needless_pass_by_value)] // Reading a token stream consumes it.
fn is_test_mark(before: &[TokenTree], inside: TokenStream) -> bool {
    is_punct(before.last(), '#') && inside.to_string().replace(' ', "") == "cfg(test)"
}

fn is_punct(token: Option<&TokenTree>, character: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == word)
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

/// Counts the tokens of code, without comments and test modules: a name, a number, a string or a sign is one.
pub(crate) fn code_tokens(text: &str) -> Result<usize, LexError> {
    Ok(count_tokens(text.parse()?))
}

fn count_tokens(tokens: TokenStream) -> usize {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let (mut at, mut count) = (0, 0);
    while let Some(token) = tokens.get(at) {
        if let Some(end) = test_module_end(&tokens, at).or_else(|| doc_comment_end(&tokens, at)) {
            at = end;
            continue;
        }
        count += match token {
            TokenTree::Group(group) => 2 + count_tokens(group.stream()),
            _ => 1,
        };
        at += 1;
    }
    count
}

/// Returns the index after a doc comment, which is an attribute, if one begins here.
fn doc_comment_end(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let at = at + usize::from(is_punct(tokens.get(at), '#'));
    let at = at + usize::from(is_punct(tokens.get(at), '!'));
    let TokenTree::Group(group) = tokens.get(at)? else {
        return None;
    };
    let mut inner = group.stream().into_iter();
    let is_doc = group.delimiter() == Delimiter::Bracket
        && is_word(inner.next().as_ref(), "doc")
        && is_punct(inner.next().as_ref(), '=');
    is_doc.then_some(at + 1)
}

/// Returns the index after a test module, if one begins here with its attributes.
fn test_module_end(tokens: &[TokenTree], mut at: usize) -> Option<usize> {
    let mut is_marked = false;
    while is_punct(tokens.get(at), '#') {
        let TokenTree::Group(group) = tokens.get(at + 1)? else {
            return None;
        };
        is_marked |= is_test_mark(&tokens[..=at], group.stream());
        at += 2;
    }
    if is_word(tokens.get(at), "pub") {
        at += 1 + usize::from(is_group(tokens.get(at + 1), Delimiter::Parenthesis));
    }
    let is_module = is_marked && is_word(tokens.get(at), "mod");
    let has_body = is_group(tokens.get(at + 2), Delimiter::Brace);
    (is_module && has_body).then_some(at + 3)
}

/// The words of code, without comments, tests, `use` and fields.
#[derive(Default)]
pub(crate) struct Words {
    /// How often each word occurs.
    pub(crate) counts: BTreeMap<String, usize>,
    /// How often each word is the name of a definition.
    pub(crate) defined: BTreeMap<String, usize>,
    /// Public names that the code defines.
    pub(crate) public: Vec<String>,
}

/// Keywords before a name that is defined.
const DEFINING: [&str; 7] = ["const", "enum", "fn", "static", "struct", "trait", "type"];

impl Words {
    /// Adds the words of a file.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), LexError> {
        self.tokens(text.parse()?);
        Ok(())
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        // Whether the item is public, and whether it is only for tests.
        let (mut at, mut is_public, mut is_marked) = (0, false, false);
        while let Some(token) = tokens.get(at) {
            if let Some(end) = doc_comment_end(&tokens, at) {
                at = end;
                continue;
            }
            let before = at.checked_sub(1).and_then(|it| tokens.get(it));
            match token {
                TokenTree::Group(group) => {
                    let is_body = group.delimiter() == Delimiter::Brace;
                    is_public &= group.delimiter() == Delimiter::Parenthesis;
                    is_marked |= is_test_mark(&tokens[..at], group.stream());
                    if !is_marked {
                        self.tokens(group.stream());
                    }
                    is_marked &= !is_body;
                }
                // Not the bounds of `impl Trait + use<'a>`.
                TokenTree::Ident(word) if word == "use" && !is_punct(tokens.get(at + 1), '<') => {
                    while !is_punct(tokens.get(at), ';') && at < tokens.len() {
                        at += 1;
                    }
                    (is_public, is_marked) = (false, false);
                }
                TokenTree::Ident(word) if !is_marked => {
                    let word = word.to_string();
                    let is_keyword = DEFINING.contains(&&*word) || word == "unsafe";
                    let is_name = !is_keyword && DEFINING.iter().any(|it| is_word(before, it));
                    if is_name {
                        *self.defined.entry(word.clone()).or_default() += 1;
                    }
                    if is_public && is_name {
                        self.public.push(word.clone());
                    }
                    is_public = word == "pub" || is_public && is_keyword;
                    let [after, next] = [1, 2].map(|on| tokens.get(at + on));
                    let is_path = is_punct(after, ':') && is_punct(next, ':');
                    let is_called = is_path || is_group(after, Delimiter::Parenthesis);
                    // Not the rest of a struct: `..REST`.
                    let is_rest = at > 1 && is_punct(tokens.get(at - 2), '.');
                    let is_value = is_punct(before, '.') && !is_rest && !is_called;
                    let is_typed = is_punct(after, ':') && !is_path && !is_name;
                    *self.counts.entry(word).or_default() += usize::from(!is_value && !is_typed);
                }
                TokenTree::Ident(_) => {}
                TokenTree::Punct(punct) => {
                    is_public = false;
                    is_marked &= punct.as_char() != ';';
                }
                // Attributes of serde name functions in strings.
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let word = text.trim_matches('"').rsplit(':').next();
                    let word = word.unwrap_or_default().to_owned();
                    *self.counts.entry(word).or_default() += 1;
                }
            }
            at += 1;
        }
    }
}
