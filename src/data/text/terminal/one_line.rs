//! Any text as one safe line, for lists, titles, messages and stdout.

use super::sanitise::{BASE, Hidden, sanitise};
use super::width::{char_start, clusters, width};

/// Returns one line of at most `max_width` cells: sanitised, with runs of white space as one space,
/// truncated with `…`. Reads no more of `raw` than it shows, so megabytes cost nothing.
pub fn one_line(raw: &str, max_width: usize) -> String {
    // Only contrived texts have this many bytes in so few cells.
    let enough = max_width.saturating_mul(64).saturating_add(256);
    let raw = raw.trim();
    let (read, rest) = raw.split_at(char_start(raw, enough));
    let clean = sanitise(read, Hidden::Discreet);
    let words = clean.as_str().split([' ', '\n']);
    let mut line = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        match word.chars().next() {
            _ if !line.is_empty() => line.push(' '),
            // A mark upon a space.
            Some(first) if width(first.encode_utf8(&mut [0; 4])) == 0 => line.push_str(BASE),
            _ => {}
        }
        line.push_str(word);
        if line.len() > max_width && width(&line) > max_width {
            break;
        }
    }
    if !rest.is_empty() || width(&line) > max_width {
        cut(&mut line, max_width);
    }
    line
}

/// Truncates to `max_width` cells, including an ellipsis.
fn cut(line: &mut String, max_width: usize) {
    let mut end = 0;
    let mut cells = 0;
    for cluster in clusters(line) {
        cells += cluster.cells;
        if cells >= max_width {
            break;
        }
        end = cluster.range.end;
    }
    line.truncate(end);
    line.truncate(line.trim_end().len());
    if max_width > 0 {
        line.push('…');
    }
}

/// Breaks words at blanks into at most `lines` lines of `max_width` cells; the last line takes the
/// rest.
pub fn folded(words: &str, max_width: usize, lines: usize) -> Vec<String> {
    let mut out = vec![String::new()];
    for word in words.split(' ') {
        let fits_all = out.len() >= lines;
        if let Some(line) = out.last_mut() {
            let is_first = line.is_empty();
            if is_first || fits_all || width(line) + 1 + width(word) <= max_width {
                line.push_str(if is_first { "" } else { " " });
                line.push_str(word);
                continue;
            }
        }
        out.push(word.to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_collapses_and_cuts() {
        let cases = [
            ("", 10, ""),
            ("  a \n\n\t b  ", 10, "a b"),
            ("hello world", 11, "hello world"),
            ("hello world\n\n", 11, "hello world"),
            ("hello world", 10, "hello wor…"),
            ("hello world", 7, "hello…"),
            ("漢字漢字", 5, "漢字…"),
            ("漢字漢字", 4, "漢…"),
            ("漢", 1, "…"),
            ("abc", 0, ""),
            ("a\u{1b}]0;x\u{7}", 20, "a␛]0;x␇"),
            (" \u{301}b", 3, "◌\u{301}b"),
            ("\u{202e}abc\u{200b}", 3, "abc"),
        ];
        for (raw, max_width, expected) in cases {
            assert_eq!(one_line(raw, max_width), expected, "{raw:?} at {max_width}");
        }
    }

    #[test]
    fn one_line_reads_across_its_steps() {
        for pad in 250..260 {
            let raw = format!("{}e\u{301}👩\u{200d}💻 \r\n z", "x".repeat(pad));
            assert_eq!(
                one_line(&raw, 1000),
                format!("{}e\u{301}👩\u{200d}💻 z", "x".repeat(pad)),
                "{pad}"
            );
        }
        let long = "word ".repeat(200_000);
        assert_eq!(one_line(&long, 9), "word wor…");
    }

    #[test]
    fn words_are_folded_at_blanks_and_what_is_too_much_stays_on_the_last_line() {
        for (words, width, lines, expected) in [
            ("", 5, 2, &[""][..]),
            ("one two three", 7, 3, &["one two", "three"]),
            ("one two three", 3, 2, &["one", "two three"]),
            ("one two three", 7, 1, &["one two three"]),
            ("longer than", 3, 9, &["longer", "than"]),
            ("日本 語", 4, 2, &["日本", "語"]),
        ] {
            assert_eq!(folded(words, width, lines), expected, "{words} {width}");
        }
    }
}
