//! A split in several files.

use super::*;

const NAMES: [&str; 3] = [
    "d/train-00000-of-00003.jsonl",
    "d/train-00001-of-00003.jsonl",
    "d/train-00002-of-00003.jsonl",
];

/// Two responses to a prompt, one to another, a malformed row, and so on.
fn lines() -> Vec<String> {
    let prompts = ["a", "a", "b", "", "b", "c", "c", "c", "a", "", "", "d", "d"];
    let line = |(row, prompt): (usize, &&str)| match *prompt {
        "" => "{\n".to_owned(),
        _ => format!("{{\"prompt\":\"{prompt}\",\"response\":\"r{row}\",\"helpfulness\":1}}\n"),
    };
    prompts.iter().enumerate().map(line).collect()
}

fn files(texts: &[(&'static str, String)]) -> Vec<Input> {
    let input = |(name, text): &(&'static str, String)| Input::Embedded {
        name,
        bytes: Box::leak(text.clone().into_bytes().into()),
    };
    texts.iter().map(input).collect()
}

fn of(schema: &str, texts: &[(&'static str, String)], pace: ScanPace) -> Loaded {
    let schema = Definition::parse(schema).expect("a schema");
    let schema = Arc::new(Schema::new(schema));
    load_as(schema, files(texts), pace).expect("loaded")
}

const ADJACENT: &str = r#"
name = "adjacent"
title = "Adjacent"
rows = "adjacent"
prompt.path = "/prompt"
[[response]]
text = "/response"
ratings.helpfulness = "/helpfulness"
[[label]]
name = "helpfulness"
range = [0, 4]
"#;

#[test]
fn a_split_has_the_same_samples_however_it_is_cut() {
    let grouped = ADJACENT.replace(
        "\"adjacent\"\nprompt",
        "\"groups\"\ngroup = \"/prompt\"\nprompt",
    );
    let lines = lines();
    for schema in [ADJACENT, &grouped] {
        let whole = of(
            schema,
            &[("d/train.jsonl", lines.concat())],
            ScanPace::default(),
        );
        for (pace, first, second) in (1..lines.len() - 1)
            .flat_map(|first| (first + 1..lines.len()).map(move |second| (first, second)))
            .flat_map(|(first, second)| {
                [(TINY, first, second), (ScanPace::default(), first, second)]
            })
        {
            let parts = [&lines[..first], &lines[first..second], &lines[second..]];
            let texts = [0, 1, 2].map(|part| (NAMES[part], parts[part].concat()));
            let cut = of(schema, &texts, pace);
            assert!(cut.troubles.is_empty(), "{:?}", cut.troubles);
            assert_eq!(cut.samples(), whole.samples(), "{first} {second}");
            assert_eq!(cut.dataset.malformed(), whole.dataset.malformed());
            let files: Vec<_> = cut.places().iter().map(|place| place.file).collect();
            let expected = parts.iter().enumerate();
            let expected = expected.flat_map(|(file, part)| vec![file; part.len()]);
            assert_eq!(files, expected.collect::<Vec<_>>());
            // A sample belongs to the file of its first row.
            let chunks = cut.dataset.chunks().iter();
            let of_samples = chunks.flat_map(|chunk| {
                (0..chunk.samples()).map(|within| cut.dataset.file_of(chunk, within))
            });
            let first_rows = cut.samples();
            let first_rows = first_rows.iter().map(|rows| files[rows[0] as usize]);
            assert_eq!(
                of_samples.collect::<Vec<_>>(),
                first_rows.collect::<Vec<_>>()
            );
        }
    }
}

/// Only rows of the next part whose records are of the same kind.
#[test]
fn other_files_have_samples_of_their_own() {
    let line = lines()[0].clone();
    for (names, samples) in [
        (["d/a.jsonl", "d/b.jsonl"], 2),
        ([NAMES[1], NAMES[0]], 2),
        ([NAMES[0], NAMES[2]], 2),
        ([NAMES[0], "d/test-00001-of-00003.jsonl"], 2),
        ([NAMES[0], NAMES[1]], 1),
    ] {
        let texts = names.map(|name| (name, line.clone()));
        let loaded = of(ADJACENT, &texts, ScanPace::default());
        assert_eq!(loaded.dataset.samples(), samples, "{names:?}");
        assert_eq!(loaded.dataset.spans_files(), samples == 1);
    }
    let other = r#"{"question":"a","chosen":"b","rejected":"c"}"#;
    let texts = [(NAMES[0], line.clone()), (NAMES[1], format!("{other}\n"))];
    let loaded = load_detected(files(&texts));
    assert_eq!((loaded.samples(), loaded.spans_files()), (2, false));
}

/// A part is read with the schema of the previous part if that can read it, instead of one detected
/// from its own beginning; a part without rows may occur in between.
#[test]
fn a_part_is_read_as_the_one_before() {
    let row = |at: usize, more: &str| {
        format!(
            "{{\"prompt\":\"p{}\",\"response\":\"r{at}\",\"score\":{at}{more}}}\n",
            at / 2
        )
    };
    let (with, without) = (row(0, ",\"rating\":1"), row(1, ""));
    let texts = [
        (NAMES[0], with.clone()),
        (NAMES[1], "\n".to_owned()),
        (NAMES[2], without.clone() + &row(2, "")),
    ];
    let dataset = load_detected(files(&texts));
    let schemas: Vec<_> = dataset.files().iter().map(|file| &file.schema).collect();
    assert!(Arc::ptr_eq(schemas[0], schemas[2]));
    assert_eq!((dataset.files().len(), dataset.samples()), (3, 2));
    let apart = load_detected(files(&[("a.jsonl", with), ("b.jsonl", without)]));
    let schemas: Vec<_> = apart
        .files()
        .iter()
        .map(|file| file.schema.definition())
        .collect();
    assert!(schemas[0] != schemas[1], "the guess would differ");
}

/// A part that cannot be read does not affect the others.
#[test]
fn a_part_without_rows_follows_the_samples_before_it() {
    let texts = [
        (NAMES[0], lines()[..3].concat()),
        (NAMES[1], "nothing like it\n".to_owned()),
        (NAMES[2], lines()[4..].concat()),
    ];
    let loader = Loader {
        inputs: files(&texts),
        ..Loader::default()
    };
    let mut loaded = Loaded::default();
    let mut listener = |report| {
        loaded.take(report);
        ControlFlow::Continue(())
    };
    loader.run_at(TINY, &mut listener).expect("loaded");
    assert_eq!(loaded.troubles.len(), 1);
    assert_eq!(loaded.samples()[..3], [vec![0, 1], vec![2], vec![3]]);
}
