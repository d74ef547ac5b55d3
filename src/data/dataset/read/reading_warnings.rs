//! Warnings about how the files are read, as sentences.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use crate::dataset::{Buffers, Chunk, Dataset, SampleBody};
use crate::schema::{Definition, Guess, Path, PathUse, SchemaCatalog, UseKind};
use crate::table::{Column, ColumnData, ColumnId, Values};
use crate::text::one_line;

impl Dataset {
    /// Returns warnings about how the files are read, each a sentence without full stop: files
    /// given twice, grouping fields without effect, paths at which a schema finds nothing, verdicts
    /// and scores that were ignored, scattered rows of one prompt, rows of one pair by several
    /// annotators.
    ///
    /// Values of the data are included only if `shows_values`, since blind reviewers must not see
    /// them. Checks run lazily; the last ones may read ten thousand samples and are skipped if rows
    /// were not kept after the scan.
    pub fn reading_warnings(&self, shows_values: bool) -> impl Iterator<Item = String> {
        let remarks: [fn(&Self, bool) -> Option<String>; 8] = [
            |dataset, _| repeated_files_warning(dataset),
            |dataset, _| grouping_warning(dataset),
            |dataset, _| empty_paths_warning(dataset),
            ignored_verdict_warning,
            ignored_score_warning,
            |dataset, _| scattered_rows_warning(dataset),
            |dataset, _| annotators_warning(dataset),
            |dataset, _| doubt_warning(dataset),
        ];
        remarks
            .into_iter()
            .filter_map(move |remark| remark(self, shows_values))
    }
}

/// Warns about files given more than once.
fn repeated_files_warning(dataset: &Dataset) -> Option<String> {
    let mut names: Vec<_> = (dataset.repeated_files().iter())
        .map(|file| one_line(file.source.name(), 80))
        .collect();
    names.dedup();
    (!names.is_empty()).then(|| {
        format!(
            "files given more than once, whose samples count repeatedly: {}",
            one_line(&names.join(", "), 200)
        )
    })
}

/// Warns if rows are grouped by fields in which no two rows agree, for example because of a typo in
/// `--group-by`.
fn grouping_warning(dataset: &Dataset) -> Option<String> {
    let group = &dataset.files().first()?.schema.definition().group;
    if group.is_empty() || dataset.rows() < 2 || dataset.samples() < dataset.rows() {
        return None;
    }
    let fields: Vec<_> = group.iter().map(ToString::to_string).collect();
    Some(format!(
        "grouping has no effect, since no two rows have the same {}",
        fields.join(" and ")
    ))
}

/// Warns about paths of a user's schema without a value in any row.
fn empty_paths_warning(dataset: &Dataset) -> Option<String> {
    let definition = dataset.files().first()?.schema.definition();
    if SchemaCatalog::default().has_paths_of(definition) {
        return None;
    }
    let empty = dataset.empty_columns();
    (!empty.is_empty()).then(|| {
        format!(
            "schema {} finds no value in any row at {}",
            one_line(&definition.name, 48),
            one_line(&empty.join(", "), 200)
        )
    })
}

/// Warns about what is doubtful in a guessed layout.
fn doubt_warning(dataset: &Dataset) -> Option<String> {
    let doubts = dataset.doubts()?;
    Some(format!(
        "the layout is guessed: {doubts}; see visavis guide schemas"
    ))
}

/// Warns about a field that is named like a verdict and was ignored, or contradicts the one that
/// was used. Quotes a value only if `shows_value`.
fn ignored_verdict_warning(dataset: &Dataset, shows_value: bool) -> Option<String> {
    let warning = guesses(dataset)
        .find_map(|guess| guess.unused_verdict.as_ref())?
        .message(shows_value);
    Some(format!("{warning}; see visavis guide schemas"))
}

/// Warns about a field that is named like a score but has numbers with a decimal comma. Quotes a
/// value only if `shows_value`.
fn ignored_score_warning(dataset: &Dataset, shows_value: bool) -> Option<String> {
    let untaken = guesses(dataset).find_map(|guess| guess.unused_score.as_ref())?;
    Some(untaken.message(shows_value))
}

fn guesses(dataset: &Dataset) -> impl Iterator<Item = &Guess> {
    (dataset.files().iter())
        .map(|file| file.schema.definition())
        .filter_map(|definition| definition.guess.as_ref())
}

/// Warns about scattered rows of one prompt.
fn scattered_rows_warning(dataset: &Dataset) -> Option<String> {
    let prompt = dataset.prompt_of_scattered_rows()?.to_string();
    // A single key can be typed as it is; a longer path needs the pointer.
    let key = prompt.strip_prefix('/');
    let prompt = key
        .filter(|key| !key.contains(['/', '.', '~']))
        .unwrap_or(&prompt);
    Some(format!(
        "rows of one prompt are not adjacent; join them with --group-by {prompt}"
    ))
}
/// Warns about rows that rate the same pair by several annotators and count as separate samples.
/// Reads at most a thousand samples.
fn annotators_warning(dataset: &Dataset) -> Option<String> {
    const SAMPLES_READ: usize = 1000;
    let schema = &dataset.files().first()?.schema;
    let definition = schema.definition();
    let has_annotators = definition.annotator.is_some() && definition.group.is_empty();
    let [prompt] = &definition.prompt.as_ref().filter(|_| has_annotators)?.path[..] else {
        return None;
    };
    schema.grouped(&[])?;
    let keys = dataset.keys(0..dataset.samples().min(SAMPLES_READ), &|| true);
    let mut known = HashSet::new();
    let again = keys
        .iter()
        .flatten()
        .filter(|key| !known.insert(**key))
        .count();
    (again * 4 > keys.len()).then(|| {
        let prompt = one_line(&prompt.to_string(), 48);
        let prompt = prompt.trim_start_matches('/');
        format!("several annotators' rows rate the same pair; join them with --group-by {prompt}")
    })
}

impl Dataset {
    /// Returns the paths at which the schema of the first file finds no value in any sample: of a
    /// label, a fact, the verdict, votes, or texts about samples and responses, each with what it
    /// is for. Empty if there are no samples.
    pub fn empty_columns(&self) -> Vec<String> {
        let Some(first) = self.files().first() else {
            return Vec::new();
        };
        let schema = &first.schema;
        let definition = schema.definition();
        let is_of_schema = |chunk: &Chunk| {
            let file = self.files().get(chunk.file());
            file.is_some_and(|file| file.schema.definition() == definition)
        };
        let chunks: Vec<_> = self
            .chunks()
            .iter()
            .map(|chunk| &**chunk)
            .filter(|chunk| is_of_schema(chunk))
            .collect();
        if chunks.iter().all(|chunk| chunk.rows() == chunk.malformed()) {
            return Vec::new();
        }
        let (labels, facts) = schema.columns().split_at(definition.labels.len());
        let mut empty = empty_labels(definition, labels, &chunks);
        let any = |has: &dyn Fn(&Chunk) -> bool| chunks.iter().any(|chunk| has(chunk));
        let has_any =
            |id| any(&|chunk: &Chunk| chunk.columns().get(id).is_some_and(ColumnData::has_any));
        if schema.states_verdicts() && !has_any(ColumnId::VERDICT) {
            // With one for the winner, the fields only name the responses.
            let winner = definition.rule().and_then(|rule| rule.path()).is_some();
            let uses = definition.uses_of(UseKind::Verdict);
            let uses = uses.take(if winner { 1 } else { usize::MAX });
            empty.extend(uses.map(|it| format!("{} (verdict)", it.path)));
        }
        for (column, fact) in facts.iter().zip(&definition.facts) {
            if !has_any(column.id) {
                empty.push(format!("{} (fact {})", fact.path, fact.name));
            }
        }
        if definition.has_votes() && !any(&Chunk::has_votes) {
            let votes = definition.uses_of(UseKind::Vote);
            empty.extend(votes.map(|it| format!("{} (vote)", it.path)));
        }
        let is_read = |place: &usize| chunks.iter().any(|chunk| chunk.texts.contains(place));
        let texts = definition
            .places_of_texts()
            .into_iter()
            .enumerate()
            .filter(|(place, _)| !is_read(place));
        empty.extend(texts.map(|(_, (_, it))| format!("{} (text {})", it.path, it.name)));
        empty
    }
}

/// Returns the paths at which no response has a value of a label, for each `[[response]]`
/// separately if it names its response.
fn empty_labels(definition: &Definition, columns: &[Column], chunks: &[&Chunk]) -> Vec<String> {
    let is_distinct = !definition.joins_rows() && !definition.has_response_lists();
    let uses: Vec<_> = definition.uses_of(UseKind::Label).collect();
    let mut empty = Vec::new();
    for (label, column) in definition.labels.iter().zip(columns) {
        for PathUse { path, response, .. } in uses.iter().filter(|it| it.name == label.name) {
            let table = response.unwrap_or(0);
            let has_any = |chunk: &&Chunk| {
                let lists = chunk.columns().numbers(column.id).unwrap_or_default();
                let lists = if is_distinct {
                    lists.get(table..=table).unwrap_or_default()
                } else {
                    lists
                };
                lists.iter().any(Values::has_any)
            };
            if !chunks.iter().any(has_any) {
                empty.push(format!("{path} (label {})", label.name));
            }
        }
    }
    empty
}

/// Samples read. Of a million with two responses each, this many have some fifty prompts in common.
const SAMPLES_READ: usize = 10_000;
/// Minimum percentage of samples with a single response.
const SINGLE_PERCENT: usize = 90;

impl Dataset {
    /// Returns the path of the prompt by which rows can be joined to samples, if they seem to be
    /// scattered: the schema groups consecutive rows with the same prompt, nearly all samples have
    /// only one response, and about half of the prompts or more occur again elsewhere. Reads at
    /// most ten thousand samples.
    pub fn prompt_of_scattered_rows(&self) -> Option<&Path> {
        let mut schemas = self.files().iter().map(|file| &file.schema);
        if !schemas.all(|schema| schema.joins_rows() && !schema.groups_by_key()) {
            return None;
        }
        let definition = self.files().first()?.schema.definition();
        let [prompt] = &definition.prompt.as_ref()?.path[..] else {
            return None;
        };
        let samples = self.samples();
        let looked_at = (0..samples).step_by(samples.div_ceil(SAMPLES_READ).max(1));
        let is_single = |sample: &usize| {
            let rows = self.sample_rows(*sample);
            rows.is_some_and(|rows| rows.count() == 1)
        };
        if looked_at.clone().filter(is_single).count() * 100 < looked_at.len() * SINGLE_PERCENT {
            return None;
        }
        let (mut prompts, hasher, mut buffers) =
            (HashMap::new(), RandomState::new(), Buffers::default());
        let (mut read, mut again) = (0, 0);
        for sample in looked_at {
            let Some(loaded) = self.read(sample, &mut buffers) else {
                continue;
            };
            let SampleBody::Sample(sample) = loaded.body else {
                continue;
            };
            let turns: Vec<_> = sample.prompt.iter().map(|turn| &*turn.text).collect();
            if turns.iter().all(|turn| turn.trim().is_empty()) {
                continue;
            }
            read += 1;
            let times = prompts.entry(hasher.hash_one(turns)).or_insert(0_usize);
            *times += 1;
            again += usize::from(*times > 1);
        }
        // Of n samples out of N in pairs, n² / 2N have their other row among them. Half of that
        // suffices.
        (again > 0 && again * samples * 4 >= read * read).then_some(prompt)
    }
}

#[cfg(test)]
mod tests {
    use crate::dataset::tests::{dataset, dataset_as};

    #[test]
    fn paths_without_any_value_are_found() {
        let schema = |label: &str, fact: &str, verdict: &str| {
            format!(
                "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                 verdict = {{ path = '{verdict}', a = ['1'], b = ['2'] }}\n\
                 [[response]]\ntext = '/a'\nratings.good = '/r/0'\n\
                 [[response]]\ntext = '/b'\nratings.good = '{label}'\n\
                 [[label]]\nname = 'good'\nkind = 'score'\nabout = 'x'\n\
                 [[fact]]\nname = 'tags'\npath = '{fact}'\n"
            )
        };
        let text = concat!(
            r#"{"p": "p", "a": "a", "b": "b", "w": 1, "r": [1, 2], "tags": []}"#,
            "\n",
            r#"{"p": "p", "a": "a", "b": "b", "w": 2, "r": [null, 2], "tags": ["t"]}"#,
            "\nno JSON\n",
        );
        let empty = |schema: String, text: &str| dataset_as(&schema, text).empty_columns();
        assert_eq!(empty(schema("/r/1", "/tags/*", "/w"), text), [""; 0]);
        // The other response has a value of the label.
        let slip = empty(schema("/r/7", "/tags/*", "/w"), text);
        assert_eq!(slip, ["/r/7 (label good)"]);
        let slips = schema("/r/1", "/tag/*", "/v").replace("/r/", "/s/");
        assert_eq!(
            empty(slips.clone(), text),
            [
                "/s/0 (label good)",
                "/s/1 (label good)",
                "/v (verdict)",
                "/tag/* (fact tags)"
            ]
        );
        assert_eq!(empty(slips, "no JSON\n"), [""; 0]);
    }

    #[test]
    fn paths_start_at_the_record() {
        let listed = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                      [[response]]\neach = '/answers'\ntext = 'text'\nratings.rank = 'ranks'\n\
                      [[label]]\nname = 'rank'\nkind = 'score'\nabout = 'x'\n";
        let text = r#"{"p": "p", "answers": [{"text": "a", "rank": 1}, {"text": "b", "rank": 2}]}"#;
        let empty = |schema: &str| dataset_as(schema, text).empty_columns();
        assert_eq!(empty(listed), ["/answers/*/ranks (label rank)"]);
        assert_eq!(empty(&listed.replace("ranks", "rank")), [""; 0]);
    }

    #[test]
    fn texts_are_read_where_any_row_has_one() {
        let schema = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                      [[response]]\ntext = '/a'\ntexts.critique = '/of/*/a'\n\
                      [[response]]\ntext = '/b'\ntexts.critique = '/of/*/c'\n\
                      [[text]]\nname = 'critique'\n[[text]]\nname = 'note'\npath = '/note'\n";
        let row = |of: &str, note: &str| {
            format!(r#"{{"p": "p", "a": "a", "b": "b", "of": {of}, "note": {note}}}"#) + "\n"
        };
        let plain = row(r#"[{"a": null}]"#, "null");
        let all = row(r#"[{"a": "x"}, {"c": "y"}]"#, r#""n""#);
        let empty = |text: &str| dataset_as(schema, text).empty_columns();
        assert_eq!(
            empty(&plain),
            [
                "/of/*/a (text critique)",
                "/of/*/c (text critique)",
                "/note (text note)"
            ]
        );
        let one = row(r#"[{}, {"a": "x"}]"#, r#""n""#);
        assert_eq!(empty(&one.repeat(2)), ["/of/*/c (text critique)"]);
        for rows in [[&all, &plain], [&plain, &all]] {
            assert_eq!(empty(&rows.map(String::as_str).concat()), [""; 0]);
        }
        let other = row(r#"[{"c": "y"}]"#, "null");
        assert_eq!(empty(&(one.clone() + &other)), [""; 0]);
        // Values that are not texts, or are blank, are ignored.
        for note in [r#"{"text": "n"}"#, r#""""#, r#"" ""#, "[]", "[null]"] {
            assert_eq!(
                empty(&row(r#"[{"a": "x", "c": "y"}]"#, note)),
                ["/note (text note)"],
                "{note}"
            );
        }
    }

    #[test]
    fn texts_of_any_number_of_responses() {
        let schema = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                      [[response]]\neach = '/answers'\ntext = 'text'\ntexts.note = 'notes'\n\
                      [[text]]\nname = 'note'\n";
        let text = r#"{"p": "p", "answers": [{"text": "a"}, {"text": "b", "note": "n"}]}"#;
        let empty = |schema: &str| dataset_as(schema, text).empty_columns();
        assert_eq!(empty(schema), ["/answers/*/notes (text note)"]);
        assert_eq!(empty(&schema.replace("notes", "note")), [""; 0]);
    }

    /// However many there are, each is listed.
    #[test]
    fn each_of_many_texts() {
        let texts = (0..70).map(|n| format!("[[text]]\nname = 't{n}'\npath = '/t{n}'\n"));
        let schema = format!(
            "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
             [[response]]\ntext = '/a'\n{}",
            texts.collect::<String>()
        );
        let there = (0..70).filter(|n| ![0, 63, 66].contains(n));
        let there: String = there.map(|n| format!(r#", "t{n}": "x""#)).collect();
        let text = format!(r#"{{"p": "p", "a": "a"{there}}}"#);
        assert_eq!(
            dataset_as(&schema, &text).empty_columns(),
            ["/t0 (text t0)", "/t63 (text t63)", "/t66 (text t66)"]
        );
    }

    /// Annotators' values count, including exclusions.
    #[test]
    fn votes_that_exclude_a_sample_are_votes() {
        let schema = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                      [[response]]\ntext = '/a'\n[[response]]\ntext = '/b'\n\
                      [[vote]]\neach = '/v'\nscore = 's'\nnone = [-100]\n";
        let row = |score: &str| format!(r#"{{"p": "p", "a": "a", "b": "b", "v": [{score}]}}"#);
        for (score, empty) in [
            (r#"{"s": -100}"#, false),
            (r#"{"s": 1}"#, false),
            ("", true),
        ] {
            let found = dataset_as(schema, &row(score)).empty_columns();
            assert_eq!(found.is_empty(), !empty, "{score} {found:?}");
        }
    }

    fn rows(prompts: impl Iterator<Item = usize>) -> String {
        let row =
            |prompt| format!("{{\"prompt\":\"p{prompt}\",\"response\":\"r\",\"helpfulness\":1}}\n");
        prompts.map(row).collect()
    }

    #[test]
    fn shuffled_rows_differ_from_pairs_and_singles() {
        let shuffled = || (0..200).chain(0..200);
        for (text, is_apart) in [
            (rows(shuffled()), true),
            (rows((0..400).map(|row| row / 2)), false),
            (rows(0..400), false),
            // Some prompts repeat.
            (rows((0..400).map(|row| row % 390)), false),
            // A few scattered rows are not suspicious.
            (rows((0..400).map(|row| row / 2).chain(0..40)), false),
            (
                String::from("{\"prompt\":\"\",\"response\":\"r\",\"helpfulness\":1}\n"),
                false,
            ),
        ] {
            let dataset = dataset(&[text]);
            let prompt = dataset.prompt_of_scattered_rows().map(ToString::to_string);
            assert_eq!(prompt.as_deref(), is_apart.then_some("/prompt"));
        }
        let pairs = "{\"prompt\":\"p\",\"chosen\":\"a\",\"rejected\":\"b\"}\n".repeat(3);
        assert!(dataset(&[pairs]).prompt_of_scattered_rows().is_none());
    }
}
