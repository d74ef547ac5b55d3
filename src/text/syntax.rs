//! Syntax highlighting of fenced code with a language.

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::blocks::{MarkdownLineKind, MarkdownLines};
use super::styled_text::StyledText;
use super::text_style::{StyledRun, TextStyle, push_run};

/// Most bytes of code to highlight in a text; the rest stays plain.
const MAX_CODE: usize = 64 << 10;
/// Longest line to highlight in bytes; a longer one ends the block, because grammars are slow on
/// minified code.
const MAX_LINE: usize = 2 << 10;

/// The grammars, unpacked on first use.
static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// Languages without a grammar, and the most similar one.
const ALIASES: &[(&str, &str)] = &[
    ("console", "bash"),
    ("csharp", "cs"),
    ("golang", "go"),
    ("jsonc", "json"),
    ("jsonl", "json"),
    ("jsx", "tsx"),
    ("node", "js"),
    ("postgresql", "sql"),
    ("python3", "py"),
    ("shell", "bash"),
];

/// Scopes of grammars with their styles. The last scope of a token that is listed decides.
const STYLES: &[(&str, TextStyle)] = &[
    ("comment", TextStyle::DIM),
    ("constant", TextStyle::VALUE),
    ("keyword.operator.word", TextStyle::STRONG),
    ("keyword.operator.logical", TextStyle::STRONG),
    ("keyword.operator", TextStyle::NONE),
    ("keyword", TextStyle::STRONG),
    ("meta.interpolation", TextStyle::NONE),
    ("storage", TextStyle::STRONG),
    ("string", TextStyle::VALUE),
    ("variable.language", TextStyle::STRONG),
];

impl StyledText {
    /// Highlights fenced code: runs are sorted, disjoint, each within a line. `None` if `keep_going`
    /// returns false; it is called for every line.
    ///
    /// The first call in a process takes about 10 ms more, the first of a language up to 100 ms:
    /// use a background job.
    pub fn syntax(&self, keep_going: &dyn Fn() -> bool) -> Option<Vec<StyledRun>> {
        let (mut runs, mut left) = (Vec::new(), MAX_CODE);
        let mut block: Option<CodeBlock> = None;
        // A block ends with its fence, or with the first line that is not code.
        for line in MarkdownLines::of(&self.text) {
            if !keep_going() {
                return None;
            }
            let text = &self.text[line.content..line.range.end];
            match (line.kind, &mut block) {
                (MarkdownLineKind::Fence, None) => block = Some(CodeBlock::of_fence(text)),
                (MarkdownLineKind::Code, Some(open)) => {
                    let text = &self.text[line.quoted..line.range.end];
                    left = left.saturating_sub(text.len() + 1);
                    if left > 0 {
                        open.line(text, line.quoted, &mut runs);
                    }
                }
                _ => block = None,
            }
        }
        Some(runs)
    }
}

/// A fenced block and the state of its grammar; `None` if the language is unknown or a line could
/// not be parsed.
struct CodeBlock(Option<(ParseState, ScopeStack)>);

impl CodeBlock {
    /// Starts the block of a fence.
    fn of_fence(fence: &str) -> Self {
        let grammar = grammar(fence.trim_start_matches(['`', '~']));
        Self(grammar.map(|grammar| (ParseState::new(grammar), ScopeStack::new())))
    }

    /// Appends the styles of the next line, which begins at byte `start` of the text.
    fn line(&mut self, line: &str, start: usize, runs: &mut Vec<StyledRun>) {
        let Some((state, scopes)) = self.0.as_mut().filter(|_| line.len() <= MAX_LINE) else {
            self.0 = None;
            return;
        };
        let Ok(changes) = state.parse_line(&format!("{line}\n"), &GRAMMARS) else {
            self.0 = None;
            return;
        };
        let mut from = 0;
        for (at, change) in changes {
            let to = at.min(line.len());
            push_run(runs, start + from..start + to, style(scopes));
            from = to;
            if scopes.apply(&change).is_err() {
                self.0 = None;
                return;
            }
        }
        push_run(runs, start + from..start + line.len(), style(scopes));
    }
}

/// Finds the grammar for the info string of a fence: `rust`, `{.rust}`, `rust,ignore`.
fn grammar(info: &str) -> Option<&'static SyntaxReference> {
    let is_end = |sign: char| !sign.is_alphanumeric() && !"+#-_".contains(sign);
    let name = info.split(is_end).find(|word| !word.is_empty())?;
    let name = name.to_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    GRAMMARS.find_syntax_by_token(alias.map_or(&name, |(_, known)| known))
}

fn style(scopes: &ScopeStack) -> TextStyle {
    static KNOWN: LazyLock<Vec<(Scope, TextStyle)>> = LazyLock::new(|| {
        let known = STYLES.iter();
        known
            .filter_map(|(scope, style)| Some((Scope::new(scope).ok()?, *style)))
            .collect()
    });
    let known = |scope: &Scope| KNOWN.iter().find(|(known, _)| known.is_prefix_of(*scope));
    let found = scopes.as_slice().iter().rev().find_map(known);
    found.map_or(TextStyle::NONE, |(_, style)| *style)
}

#[cfg(test)]
mod tests {
    use super::super::{Hidden, TextGlyphs, sanitise};
    use super::*;

    fn highlighted(text: &str) -> Vec<(String, TextStyle)> {
        let clean = sanitise(text, Hidden::Discreet);
        let block = StyledText::markdown(clean, TextGlyphs::UNICODE);
        let runs = block.syntax(&|| true).expect("not cancelled");
        let words = runs
            .into_iter()
            .map(|run| (block.text()[run.range].to_owned(), run.style));
        words.filter(|(word, _)| !word.trim().is_empty()).collect()
    }

    #[test]
    fn a_fence_with_a_language_is_highlighted() {
        let (value, keyword) = (TextStyle::VALUE, TextStyle::STRONG);
        let cases: &[(&str, &[(&str, TextStyle)])] = &[
            (
                "```python\ndef f(x):\n    return 'a' * 12  # twice\n```\nreturn 1",
                &[
                    ("def", keyword),
                    ("return", keyword),
                    ("'a'", value),
                    ("12", value),
                    ("# twice", TextStyle::DIM),
                ],
            ),
            (
                "> ~~~ {.rust}\n> let x = 1;\n> ~~~",
                &[("let", keyword), ("1", value)],
            ),
            ("1. Run:\n   ```sh\n   if x\n   ```", &[("if", keyword)]),
            (
                "```ts\nconst a = true\n```",
                &[("const", keyword), ("true", value)],
            ),
            ("```\nreturn 1\n```", &[]),
            ("```nothing\nreturn 1\n```", &[]),
            ("    return 1", &[]),
            ("```js,x\nnull", &[("null", value)]),
        ];
        for (text, expected) in cases {
            let found = highlighted(text);
            let found: Vec<_> = found
                .iter()
                .map(|(word, style)| (word.as_str(), *style))
                .collect();
            assert_eq!(found, *expected, "{text}");
        }
    }

    #[test]
    fn a_long_line_ends_the_highlighting_of_its_block_and_much_code_that_of_its_text() {
        let long = format!(
            "```py\n1\n{}\n2\n```\n```py\n3\n```",
            "x".repeat(MAX_LINE + 1)
        );
        let words: Vec<_> = highlighted(&long)
            .into_iter()
            .map(|(word, _)| word)
            .collect();
        assert_eq!(words, ["1", "3"]);
        let much = format!("```py\n{}```", "1\n".repeat(MAX_CODE));
        let found = highlighted(&much).len();
        assert!(
            (MAX_CODE / 2 - 2..=MAX_CODE / 2).contains(&found),
            "{found}"
        );
    }

    #[test]
    fn what_is_not_wanted_any_more_stops() {
        let block = StyledText::markdown(
            sanitise("```py\n1\n```", Hidden::Discreet),
            TextGlyphs::UNICODE,
        );
        assert_eq!(block.syntax(&|| false), None);
    }
}
