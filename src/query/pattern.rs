//! Regular expressions: what compiles, and why something does not.

use regex::{Regex, RegexBuilder};

/// Bytes that one may take when compiled.
const MOST_BYTES: usize = 4 << 20;

/// Compiles a regular expression that matches letters in both cases unless it has an upper-case one itself.
///
/// # Errors
/// A reason for people where it does not compile, or would take too much room.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    let builder = RegexBuilder::new(pattern).case_insensitive(!has_capital(pattern)).size_limit(MOST_BYTES).build();
    builder.map_err(|error| match &error {
        regex::Error::CompiledTooBig(_) => "this regex is too big".to_owned(),
        _ => {
            let text = error.to_string();
            let reason = text.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it does not compile");
            format!("this is no regex: {reason}")
        }
    })
}

/// Whether there is an upper-case letter that stands for itself: that of `\W` does not.
fn has_capital(pattern: &str) -> bool {
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => match signs.next() {
                Some('p' | 'P') => skip_class(&mut signs),
                _ => continue,
            },
            _ if sign.is_uppercase() => return true,
            _ => {}
        }
    }
    false
}

/// Goes over the name of a Unicode class: `L`, `{Greek}`.
fn skip_class(signs: &mut std::str::Chars<'_>) {
    if signs.next() == Some('{') {
        signs.find(|sign| *sign == '}');
    }
}
