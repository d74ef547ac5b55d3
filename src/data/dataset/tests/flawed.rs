//! Rows that are read despite errors.

use super::*;

#[test]
fn an_odd_label_costs_that_label_alone() {
    for (value, what) in [
        ("5", "helpfulness is 5, outside 0 to 4"),
        ("-1", "helpfulness is -1, outside 0 to 4"),
        ("-100", "helpfulness is -100, outside 0 to 4"),
        ("1.5", "helpfulness is 1.5, not a whole number"),
        ("1e999", "helpfulness is 1e999, too large for a number"),
        ("\"5\"", "helpfulness is \"5\", outside 0 to 4"),
        (
            "\"\\u001b[31m\"",
            "helpfulness is \"\\u001b[31m\", not a number",
        ),
        ("\"\u{202e}4\"", "helpfulness is \"4\", not a number"),
        ("[3, 4]", "helpfulness is [3, 4], not a number"),
        ("{\"a\": 1}", "helpfulness is {\"a\": 1}, not a number"),
        ("true", "helpfulness is true, not a number"),
    ] {
        for (side, values) in [(ResponseId::A, [value, "2"]), (ResponseId::B, ["2", value])] {
            let file = values.map(|value| row("\"p\"", value) + "\n").concat();
            for pace in [ScanPace::default(), TINY] {
                let loaded = loaded(file.as_bytes(), pace);
                assert_eq!(
                    (loaded.samples(), loaded.dataset.malformed()),
                    (vec![vec![0, 1]], 0),
                    "{value}"
                );
                assert_eq!(loaded.dataset.lenient_rows().odd_values, 1, "{value}");
                columns::check(&loaded);
                let mut buffers = Buffers::default();
                let Some(SampleBody::Sample(sample)) = loaded
                    .dataset
                    .read(0, &mut buffers)
                    .map(|reading| reading.body)
                else {
                    panic!("{value}: no sample")
                };
                let (odd, other) = (
                    &sample.responses[side.index()],
                    &sample.responses[1 - side.index()],
                );
                assert_eq!(
                    (odd.ratings[0], other.ratings[0]),
                    (None, Some(2.0)),
                    "{value}"
                );
                assert_eq!(
                    (odd.ratings[4], &sample.outcome),
                    (Some(2.0), &None),
                    "the other labels, and no verdict"
                );
                assert_eq!(
                    sample.warnings,
                    [ReadWarning::InvalidValue {
                        response: Some(side),
                        what: what.into()
                    }]
                );
            }
        }
    }
}

#[test]
fn zero_is_one_value() {
    let file = ["0.0", "-0.0", "-0", "-0e3", "0"]
        .map(|value| row(&format!("\"{value}\""), value) + "\n")
        .concat();
    let loaded = loaded(file.as_bytes(), ScanPace::default());
    columns::check(&loaded);
    let mut buffers = Buffers::default();
    for sample in 0..5 {
        let Some(SampleBody::Sample(read)) = loaded
            .dataset
            .read(sample, &mut buffers)
            .map(|reading| reading.body)
        else {
            panic!("no sample")
        };
        let column = loaded.dataset.chunk_of(sample).and_then(|(chunk, at)| {
            let label = loaded.dataset.files()[0].schema.columns()[0].id;
            chunk.columns().numbers(label)?[0].get(at)
        });
        for value in [read.responses[0].ratings[0], column] {
            assert_eq!(
                value.map(f64::to_bits),
                Some(0.0_f64.to_bits()),
                "{}",
                read.prompt[0].text
            );
        }
    }
}

#[test]
fn flawed_rows_are_read() {
    use ReadWarning::{InvalidUtf8, LoneSurrogate, NotANumber, RawControl};
    let with = |response: &[u8], verbosity: &str| {
        let tail = format!("\", \"verbosity\": {verbosity}}}\n");
        [
            b"{\"prompt\": \"p\", \"response\": \"".as_slice(),
            response,
            tail.as_bytes(),
        ]
        .concat()
    };
    for (line, text, warnings) in [
        (with(b"fine", "1"), "fine", &[][..]),
        (with(b"r", "NaN"), "r", &[NotANumber]),
        (with(b"r", "-Infinity"), "r", &[NotANumber]),
        (with(br"a\ud83d", "1"), "a\u{fffd}", &[LoneSurrogate]),
        (with(b"a\xffb", "1"), "a\u{fffd}b", &[InvalidUtf8]),
        (with(b"a\tb\0c\x1bd", "1"), "a\tb\0c\u{1b}d", &[RawControl]),
        (
            with(b"\xe2\x82\t\\udc00", "NaN"),
            "\u{fffd}\t\u{fffd}",
            &[LoneSurrogate, NotANumber, InvalidUtf8, RawControl],
        ),
    ] {
        // Twice, so that a flawed row is also seen as the second row of a pair.
        let loaded = loaded(&[&line[..], &line[..]].concat(), TINY);
        assert_eq!(
            (loaded.samples(), loaded.dataset.malformed()),
            (vec![vec![0, 1]], 0),
            "{text}"
        );
        let mut buffers = Buffers::default();
        match loaded.dataset.read(0, &mut buffers).expect("a sample").body {
            SampleBody::Sample(sample) => {
                assert_eq!(
                    sample
                        .responses
                        .iter()
                        .map(|response| &*response.text)
                        .collect::<Vec<_>>(),
                    [text, text]
                );
                assert_eq!(sample.warnings, warnings, "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_flawed_prompt_pairs_with_its_like() {
    let flawed =
        |prompt: &[u8]| [b"{\"prompt\": \"", prompt, b"\", \"response\": \"r\"}\n"].concat();
    for (one, two, pairs) in [
        (&b"a\tb"[..], &b"a\\tb"[..], true),
        (b"a\xff", b"a\xff", true),
        (b"a\xff", b"b\xff", false),
        (br"\ud83d", br"\uD83D", true),
    ] {
        for pace in [ScanPace::default(), TINY] {
            let loaded = loaded(&[flawed(one), flawed(two)].concat(), pace);
            assert_eq!(loaded.dataset.samples() == 1, pairs, "{one:?} {two:?}");
        }
    }
}

#[test]
fn a_repeated_key_flags_its_sample() {
    let twice = row("\"p\"", "3").replacen('{', r#"{"response": "lost", "#, 1);
    let file = [twice, row("\"p\"", "2")].map(|row| row + "\n").concat();
    for pace in [ScanPace::default(), TINY] {
        let loaded = loaded(file.as_bytes(), pace);
        let lenient = loaded.dataset.lenient_rows();
        assert_eq!((lenient.odd_values, lenient.others), (0, 1));
        columns::check(&loaded);
        let mut buffers = Buffers::default();
        let reading = loaded.dataset.read(0, &mut buffers);
        let Some(SampleBody::Sample(sample)) = reading.map(|reading| reading.body) else {
            panic!("no sample")
        };
        let repeated = ReadWarning::RepeatedKey {
            response: Some(ResponseId::A),
            path: "/response".to_owned(),
        };
        assert_eq!(sample.warnings, [repeated]);
    }
}
