//! Text that Markdown and HTML must not interpret.

/// Escapes Markdown and HTML in a line.
pub fn escape_markdown(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    for (at, sign) in line.char_indices() {
        let always = matches!(
            sign,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '#' | '$' | '!'
        );
        // Signs of lists and headings are special only at the start of a line.
        let here = (at == 0 && matches!(sign, '+' | '-' | '=' | ':'))
            || (digits > 0 && at == digits && matches!(sign, '.' | ')'));
        if always || here {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}
