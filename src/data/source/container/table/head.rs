//! Detects tables and their format from the beginning of a text.

use memchr::memchr2;

use super::{BlankFilter, RecordProgress, Records, TableDialect};

/// Possible separators, the likelier first if several fit.
const SEPARATORS: [u8; 4] = [b'\t', b',', b';', b'|'];
/// Bytes searched for a header and its first records.
const MAX_HEAD: usize = 16 << 20;
/// Records compared with the header.
const MAX_LOOKED_AT: usize = 8;
/// Maximum characters of a column name, and of one that cannot be prose.
const MAX_NAME: usize = 256;
const MAX_SHORT_NAME: usize = 64;
/// Maximum words of a name that cannot be prose.
const MAX_WORDS: usize = 4;

/// Detects the format of a table: `Some(None)` if the text is not one, `None` if more text is
/// needed.
pub fn detect(text: &[u8], ended: bool) -> Option<Option<TableDialect>> {
    let is_full = text.len() >= MAX_HEAD;
    let Preamble { separator, headers } = Preamble::of(text, ended || is_full)?;
    let separators = separator.map_or(SEPARATORS.to_vec(), |separator| vec![separator]);
    let widest = |skipped: usize| -> Option<Option<(usize, TableDialect)>> {
        let mut found: Option<(usize, TableDialect)> = None;
        for &separator in &separators {
            let table = table_at(&text[skipped..], separator, (ended, is_full))?;
            let Some((columns, dialect)) = table else {
                continue;
            };
            if found.is_none_or(|(most, _)| columns > most) {
                found = Some((columns, TableDialect { skipped, ..dialect }));
            }
        }
        Some(found)
    };
    let first = headers[0];
    for skipped in headers {
        if let Some((_, dialect)) = widest(skipped)? {
            return Some(Some(dialect));
        }
    }
    // A title above the header is accepted only for a table of three columns or more.
    let Some(skipped) = after_title(&text[first..], ended || is_full)? else {
        return Some(None);
    };
    let table = widest(first + skipped)?.filter(|(columns, _)| *columns > 2);
    Some(table.map(|(_, dialect)| dialect))
}

/// Returns the position after a first line with one cell and the blank lines below it; `Some(None)`
/// without one, `None` if more text is needed.
fn after_title(text: &[u8], is_all: bool) -> Option<Option<usize>> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || SEPARATORS.contains(byte);
    let end = match memchr2(b'\n', b'\r', text) {
        None if is_all => return Some(None),
        end => end?,
    };
    let title = text[..end].trim_ascii_end();
    let cell = title
        .iter()
        .rposition(|byte| !is_blank(byte))
        .map_or(0, |last| last + 1);
    if cell == 0 || title[..cell].iter().any(|byte| SEPARATORS.contains(byte)) {
        return Some(None);
    }
    let rest = &text[end..];
    let next = rest.iter().position(|byte| !is_blank(byte));
    match next {
        None => is_all.then_some(None),
        // A line with an empty first cell is not blank.
        Some(next) => {
            let line = rest[..next]
                .iter()
                .rposition(|byte| matches!(byte, b'\n' | b'\r'));
            Some(line.map(|line| end + line + 1))
        }
    }
}

/// The lines before the header.
struct Preamble {
    /// The separator, if a line gives it.
    separator: Option<u8>,
    /// Possible positions of the header, the likelier first.
    headers: Vec<usize>,
}

impl Preamble {
    /// Reads blank lines, comments, and the line `sep=;` that Excel writes. `None` if more text is
    /// needed.
    fn of(text: &[u8], ended: bool) -> Option<Self> {
        let mut at = if text.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let (mut separator, mut comment) = (None, None);
        loop {
            let rest = &text[at..];
            let end = memchr2(b'\n', b'\r', rest);
            if end.is_none() && !ended {
                return None;
            }
            let line = &rest[..end.unwrap_or(rest.len())];
            let unquoted = line.strip_prefix(b"\"").unwrap_or(line);
            match (unquoted, line.first()) {
                (
                    [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign]
                    | [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign, b'"'],
                    _,
                ) => {
                    separator = Some(*sign);
                }
                (_, Some(b'#')) => comment = Some((at, line.starts_with(b"# "))),
                (_, None) if end.is_some() => {}
                _ => break,
            }
            at += line.len() + usize::from(end.is_some());
        }
        // A last line that looks like a comment can be the header: `#id,prompt`.
        let headers = match comment {
            None => vec![at],
            Some((comment, true)) => vec![at, comment],
            Some((comment, false)) => vec![comment, at],
        };
        Some(Self { separator, headers })
    }
}

/// Returns the number of columns and the format of a table that begins here with this separator;
/// `Some(None)` if it is not one, `None` if more text is needed.
fn table_at(
    text: &[u8],
    separator: u8,
    (ended, is_full): (bool, bool),
) -> Option<Option<(usize, TableDialect)>> {
    let unknown = || (ended || is_full).then_some(None);
    let mut records = Records::new(separator);
    let mut rest = text;
    let mut blanks = BlankFilter::new(separator);
    // Line by line, so that the result does not depend on how much text is available.
    let mut next = |records: &mut Records, blanks: &mut BlankFilter| {
        records.clear();
        let is_bare = matches!(rest.first(), Some(b'{' | b'['));
        while !rest.is_empty() {
            let end = memchr2(b'\n', b'\r', rest).map_or(rest.len(), |end| end + 1);
            let mut line = blanks.take(&rest[..end]);
            rest = &rest[end..];
            if matches!(records.next(&mut line), RecordProgress::Record) {
                return Some(!is_bare);
            }
        }
        // The end of the text also ends the last record.
        let is_last = ended && matches!(records.next(&mut &[][..]), RecordProgress::Record);
        is_last.then_some(!is_bare)
    };
    if next(&mut records, &mut blanks).is_none() {
        return unknown();
    }
    let (columns, has_blanks) = (records.len(), blanks.is_found);
    if !is_header(&records.record(), has_blanks) {
        return Some(None);
    }
    let is_strict = is_header(&records.record(), true);
    let first: Vec<_> = records.record().map(<[u8]>::to_vec).collect();
    let mut has_header = true;
    let table = |has_header: bool, trims: bool, missing: usize| {
        let dialect = TableDialect {
            missing,
            separator,
            skipped: 0,
            trims,
            has_header,
        };
        Some(Some((columns, dialect)))
    };
    let (mut alike, mut shorter) = (0, None);
    for looked_at in 1..=MAX_LOOKED_AT {
        match next(&mut records, &mut blanks) {
            // The first record is longer than the bytes examined.
            None if is_full && !ended && looked_at == 1 && is_strict => {
                return table(true, has_blanks || blanks.is_before_quote, 0);
            }
            None => return unknown(),
            Some(false) => return Some(None),
            Some(true) => alike += usize::from(records.len_in(columns) == columns),
        }
        if looked_at == 1 {
            has_header = !is_row(&first, records.record());
        }
        // Accepted if the first record matches, or more than half do.
        if alike * 2 > looked_at {
            return table(has_header, has_blanks || blanks.is_before_quote, 0);
        }
        // Rows of many columns that all lack the last ones.
        let lacked = columns.saturating_sub(records.len());
        shorter = (looked_at == 1 || shorter == Some(lacked)).then_some(lacked);
        if let Some(missing) = shorter.filter(|it| (1..=columns / 4).contains(it))
            && looked_at > 2
        {
            return table(true, has_blanks || blanks.is_before_quote, missing);
        }
    }
    Some(None)
}

/// True if a record can be two or more column names. A name may be long (a question of a
/// questionnaire), but has no characters of JSON text and does not end in a colon (a setting with
/// its value). Columns may be unnamed, like the index in files of pandas; half of the names or more
/// have a letter. With blanks before cells, names must not read like prose.
fn is_header<'f>(
    names: &(impl ExactSizeIterator<Item = &'f [u8]> + Clone),
    has_blanks: bool,
) -> bool {
    let is_name = |name: &'f [u8]| {
        let name = String::from_utf8_lossy(name);
        let is_of_name = |sign: char| sign == '\n' || !sign.is_control() && !"{}\"".contains(sign);
        let is_short = name.chars().count() <= MAX_SHORT_NAME
            && name.split_whitespace().count() <= MAX_WORDS
            && !name.ends_with(['.', '?', '!']);
        name.chars().count() <= MAX_NAME
            && !name.ends_with(':')
            && name.chars().all(is_of_name)
            && (is_short || !has_blanks)
    };
    let has_letter = |name: &&'f [u8]| {
        String::from_utf8_lossy(name)
            .chars()
            .any(char::is_alphabetic)
    };
    let (count, lettered) = (names.len(), names.clone().filter(has_letter).count());
    count > 1 && lettered * 2 >= count && names.clone().all(is_name)
}

/// True if the first record is certainly a row: it has a text, and a number or single letter where
/// the next record has one too. Numbers that are the columns' positions can be names.
fn is_row<'f>(first: &[Vec<u8>], second: impl Iterator<Item = &'f [u8]>) -> bool {
    let number = |cell: &[u8]| std::str::from_utf8(cell).ok()?.trim().parse::<f64>().ok();
    let is_text = |cell: &Vec<u8>| {
        let words = cell.split(u8::is_ascii_whitespace);
        words.filter(|word| !word.is_empty()).count() > MAX_WORDS
    };
    let is_place = |at: usize, cell: &[u8]| {
        number(cell).is_some_and(|it| it == at as f64 || it == at as f64 + 1.0)
    };
    let is_letter = |cell: &[u8]| matches!(cell, [letter] if letter.is_ascii_alphabetic());
    let are_alike = |(at, (first, second)): (usize, (&Vec<u8>, &[u8]))| {
        let are_numbers = number(first).is_some() && number(second).is_some();
        are_numbers && !is_place(at, first) || is_letter(first) && is_letter(second)
    };
    let mut pairs = first.iter().zip(second).enumerate();
    first.iter().any(is_text) && pairs.any(are_alike)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the separator of a table, the position of its header if not 0, and `~` if cells have
    /// blanks before them; an empty text if it is not a table.
    fn detected(text: &str, ended: bool) -> Option<String> {
        detect(text.as_bytes(), ended).map(|found| {
            let spell = |of: TableDialect| {
                let skipped = Some(of.skipped).filter(|at| *at > 0);
                let blanks = if of.trims { "~" } else { "" };
                let header = if of.has_header { "" } else { "-" };
                let skipped = skipped.map_or(String::new(), |at| at.to_string());
                format!("{}{skipped}{blanks}{header}", char::from(of.separator))
            };
            found.map_or(String::new(), spell)
        })
    }

    #[test]
    fn rows_may_all_lack_the_last_columns() {
        let header = "id,title,a,b,c,d,approve,reject\n";
        let rows = |cells: &str| format!("{header}{}", format!("1,t,{cells}\n").repeat(4));
        let missing = |text: &str| {
            let found = detect(text.as_bytes(), true).expect("all of it");
            found.map(|dialect| dialect.missing)
        };
        assert_eq!(missing(&rows("x,y,z,u")), Some(2));
        assert_eq!(missing(&rows("x,y,z,u,,")), Some(0));
        assert_eq!(missing(&rows("x")), None);
        let uneven = format!("{header}1,t,x,y,z,u\n1,t,x,y,z,u,v\n1,t,x,y,z,u\n1,t,x,y,z\n");
        assert_eq!(missing(&uneven), None);
    }

    #[test]
    fn tables_and_what_is_none() {
        for (text, expected) in [
            ("id,prompt\n1,p\n", ","),
            ("id\tprompt\n1\tp, q\n", "\t"),
            (",prompt\n0,p", ","),
            ("\tprompt\n0\tp", "\t"),
            ("\"id\",\"the prompt\"\r\n\"1\",\"a\nb\"\r\n", ","),
            ("id|prompt\r1|p, q; r\r", "|"),
            ("prompt;a;b\nWhy, oh why;x;y\n", ";"),
            // From questionnaires, and as this program writes them.
            (
                "Which is better?,\"Why, exactly\",is:tie,x#y,\n1,2,3,4,\n",
                ",",
            ),
            (
                "prompt;response;score\nWhy, oh why?;So.;0,5\nHow?;No, never.;1,5\n",
                ";",
            ),
            // Names that are duplicate, missing, without a letter or with a line break.
            ("prompt,a,a\np,1,2\n", ","),
            ("prompt,#\n1,2\n", ","),
            ("prompt,\"answer\nof A\"\n1,2\n", ","),
            ("a,,b\n1,2,3\n", ","),
            // Lines before the header, and a header that begins like one.
            ("sep=;\r\nid;prompt\r\n1;p\r\n", ";7"),
            ("\"sep=|\"\nid|prompt\n1|p\n", "|8"),
            ("\u{feff}sep=,\nid,prompt\n1,p\n", ",9"),
            ("# of May, by Ann\n#\n\nid,prompt\n1,p\n", ",20"),
            ("#id,prompt\n1,p\n", ","),
            ("# one\n#id,prompt\n1,p\n", ",6"),
            ("\n\nid,prompt\n1,p\n", ",2"),
            // A title above the header, and prose above a line with a comma.
            ("May 2024;;;\n\nid;prompt;a\n1;p;x\n", ";13"),
            ("Export of May\nid,prompt,a\n1,p,x\n", ",14"),
            ("Well\nyes, you do\nof, us\n", ""),
            // Rows without a header, and positions as column names.
            ("What makes bread rise at all?,x y,4\nHow so?,z,1\n", ",-"),
            ("\"Why, and how is that so?\",x,a\nHow so?,z,b\n", ",-"),
            ("What do you say to this?,Which is better?,A\nx,y,1\n", ","),
            ("What do you say to it all?,2,x y\ny,1,z w\n", ","),
            // Blanks before cells.
            ("id, prompt\n1, p\n", ",~"),
            (
                "id,prompt\n\"1\", \"p, \"\"q\"\"\", \"r\"\n\"2\", \"p\"\n\"2\", \"p\"\n\"2\", \"p\"\n",
                ",~",
            ),
            ("id,prompt\n1, p\n", ","),
            // Empty cells after the last column.
            ("id,prompt\n1,p,,\n", ","),
            ("Well; hello there\nyes you\nboth; of\nus\n", ""),
            // JSON without its brackets, and settings.
            ("\"prompt: \"\"x\"\"\",b\n1,2\n", ""),
            ("Name:\tx\nUmask:\ty\n", ""),
            // One ragged record of three.
            ("a,b\n1\n1,2\n1,2\n", ","),
            ("a,b\n1\n1\n1,2\n", ""),
            ("a,b\n", ""),
            ("a,b", ""),
            ("1,2\n3,4\n", ""),
            ("Well, now that is what I said.\nyes, you do.\n", ""),
            ("hello\nworld\n", ""),
            ("# A heading\n\nSome words.\n", ""),
            ("a,b\n{\"prompt\":\"p\",\"response\":\"r\"}\n", ""),
            ("a,b\n\"c\n", ""),
            ("", ""),
        ] {
            assert_eq!(detected(text, true).as_deref(), Some(expected), "{text}");
            for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
                if let Some(known) = detected(&text[..end], false) {
                    assert_eq!(known, expected, "{}", &text[..end]);
                }
            }
        }
        assert_eq!(detected("id,prompt\n1,", false), None);
        assert_eq!(detected("id,prompt\n1,p\n", false).as_deref(), Some(","));
        assert_eq!(detected("hello\nworld\n", false).as_deref(), Some(""));
    }

    #[test]
    fn long_headers_and_records() {
        let wide: Vec<_> = (0..20_000).map(|at| format!("feature_{at}")).collect();
        let wide = format!("{}\n{}\n", wide.join(","), ["1"; 20_000].join(","));
        let long = format!("id,prompt\n1,\"{}", "x".repeat(MAX_HEAD));
        for text in [wide, long] {
            assert_eq!(
                detected(&text, false).as_deref(),
                Some(","),
                "{}",
                &text[..20]
            );
        }
    }
}
