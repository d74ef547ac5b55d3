//! Compares the implementation with a naive one: all pairs, by their words.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization;

use super::*;
use crate::dataset::tests::{dataset, load_detected};
use crate::dataset::{Buffers, SampleBody};
use crate::model::Role;
use crate::parallel::KeepGoing;
use crate::source::Input;
use crate::table::SampleComparison;

/// A prompt of the naive implementation.
struct Prompt {
    file: usize,
    turns: Vec<String>,
    words: Vec<String>,
}

fn prompts(dataset: &Dataset) -> Vec<Option<Prompt>> {
    let mut buffers = Buffers::default();
    let read = |sample: usize| {
        let read = dataset.read(sample, &mut buffers).expect("a sample");
        let SampleBody::Sample(sample) = read.body else {
            return None;
        };
        let turns: Vec<_> = sample
            .prompt
            .iter()
            .filter(|turn| turn.role != Role::System)
            .map(|turn| turn.text.to_string())
            .collect();
        let text = turns.join(" ").nfkc().collect::<String>().to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).map(str::to_owned);
        (!text.trim().is_empty()).then(|| Prompt {
            file: read.places[0].file,
            words: words.collect(),
            turns,
        })
    };
    (0..dataset.samples()).map(read).collect()
}

fn runs(words: &[String], length: usize) -> BTreeSet<&[String]> {
    words.windows(length.min(words.len()).max(1)).collect()
}

/// Returns the Jaccard index of the shingles of two prompts.
fn similarity(one: &Prompt, other: &Prompt) -> f64 {
    let (one, other) = (runs(&one.words, 3), runs(&other.words, 3));
    let both = one.intersection(&other).count();
    both as f64 / (one.union(&other).count().max(1)) as f64
}

/// Returns for each sample the strongest match of its prompt, with the number of the other sample.
fn naive(dataset: &Dataset, scope: OverlapScope) -> Vec<Option<(PromptMatch, usize)>> {
    let prompts = prompts(dataset);
    let mut holders: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
    for prompt in prompts
        .iter()
        .flatten()
        .filter(|it| it.words.len() >= grams::GRAM_WORDS)
    {
        for run in runs(&prompt.words, grams::GRAM_WORDS) {
            holders.entry(run).or_default().insert(&prompt.words);
        }
    }
    let is_rare = |run: &[String]| holders[run].len() <= grams::MAX_PROMPTS;
    let way = |one: &Prompt, other: &Prompt| {
        if one.turns == other.turns {
            return Some((PromptMatch::Exact, 1.0));
        }
        if one.words.is_empty() || other.words.is_empty() {
            return None;
        }
        if one.words == other.words {
            return Some((PromptMatch::Normalised, 1.0));
        }
        let alike = similarity(one, other);
        if alike >= near::NEAR {
            return Some((PromptMatch::Near, alike));
        }
        let quotes = one.words.len().min(other.words.len()) >= grams::GRAM_WORDS
            && runs(&one.words, grams::GRAM_WORDS)
                .intersection(&runs(&other.words, grams::GRAM_WORDS))
                .any(|run| is_rare(run));
        quotes.then_some((PromptMatch::Gram, 1.0))
    };
    let of = |sample: usize| {
        let one = prompts[sample].as_ref()?;
        let others = prompts
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != sample);
        let others = others.filter_map(|(number, other)| {
            let other = other.as_ref()?;
            let is_same = one.file == other.file;
            let in_scope = is_same == (scope == OverlapScope::SameFile);
            way(one, other)
                .filter(|_| in_scope)
                .map(|way| (way, number))
        });
        let best = others.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        Some((best.0.0, best.1))
    };
    (0..prompts.len()).map(of).collect()
}

/// Compares the prompts of a dataset; `None` if cancelled.
fn prompts_of(dataset: &Dataset, keep_going: &dyn KeepGoing) -> Option<Arc<PromptOverlap>> {
    let dataset = Dataset {
        compared: Arc::default(),
        ..dataset.clone()
    };
    let asked = [SampleComparison::Overlap(OverlapScope::SameFile)];
    dataset.compare(&asked, keep_going).continue_value()?;
    dataset.compared.prompts.known()
}

fn responses_of(dataset: &Dataset) -> Arc<ResponseOverlap> {
    let asked = [SampleComparison::Relabelled];
    assert!(dataset.compare(&asked, &|| true).is_continue());
    dataset.compared.responses.known().expect("compared")
}

fn assert_as_naive(dataset: &Dataset) {
    let overlap = prompts_of(dataset, &|| true).expect("not cancelled");
    assert_eq!(overlap.samples(), dataset.samples());
    for scope in [OverlapScope::SameFile, OverlapScope::OtherFile] {
        let found: Vec<_> = (0..dataset.samples())
            .map(|sample| Some((overlap.way(sample, scope)?, overlap.other(sample, scope)?)))
            .collect();
        assert_eq!(found, naive(dataset, scope), "{scope:?}");
    }
}

fn file(prompts: &[String]) -> String {
    let row = |prompt: &String| {
        let prompt = prompt.replace('\n', "\\n");
        format!("{{\"prompt\": \"{prompt}\", \"response\": \"r\", \"helpfulness\": 1}}\n")
    };
    prompts.iter().map(row).collect()
}

fn words(from: usize, count: usize) -> String {
    let words: Vec<_> = (from..from + count)
        .map(|word| format!("w{word}"))
        .collect();
    words.join(" ")
}

#[test]
fn each_match_is_found_within_a_file_and_across_files() {
    use PromptMatch::{Exact, Gram, Near, Normalised};
    let long = words(0, 40);
    let changed = long.replace("w20 ", "other ");
    let (quoted, quoting) = (
        words(100, 30),
        format!("{} {}", words(900, 20), words(110, 13)),
    );
    let few = format!("{} {}", words(800, 20), words(110, 12));
    for (one, other, way) in [
        ("Hello", "Hello", Some(Exact)),
        ("Hello, world!", "hello\\nWORLD", Some(Normalised)),
        ("??", "??", Some(Exact)),
        ("??", "?!", None),
        ("", "", None),
        ("a b c", "a b d", None),
        // Adjacent rows with the same prompt are one sample; a different row between them makes
        // two.
        (&long, &changed, Some(Near)),
        (&quoted, &quoting, Some(Gram)),
        (&quoted, &few, None),
    ] {
        let (one, other) = (one.to_owned(), other.to_owned());
        let between = "nothing like it".to_owned();
        let together = dataset(&[file(&[one.clone(), between, other.clone()])]);
        let apart = dataset(&[file(&[one]), file(&[other])]);
        for (dataset, scope, sample) in [
            (together, OverlapScope::SameFile, 2),
            (apart, OverlapScope::OtherFile, 1),
        ] {
            assert_as_naive(&dataset);
            let overlap = prompts_of(&dataset, &|| true).expect("not cancelled");
            assert_eq!(overlap.way(0, scope), way);
            assert_eq!(overlap.other(sample, scope), way.map(|_| 0));
        }
    }
}

/// The same question is found under another system prompt; a shared system prompt alone is not a
/// match.
#[test]
fn system_turns_are_not_compared_in_any_layout() {
    let turn = |role: &str, text: &str| json!({"role": role, "content": text});
    type Layout<'l> = &'l dyn Fn(&str, &str) -> Value;
    let layouts: [Layout<'_>; 4] = [
        &|system, ask| json!({"system": system, "prompt": ask, "chosen": "c", "rejected": "r"}),
        &|system, ask| {
            let prompt = [turn("system", system), turn("user", ask)];
            json!({"prompt": prompt, "chosen": "c", "rejected": "r"})
        },
        &|system, ask| {
            let whole = |end| {
                [
                    turn("system", system),
                    turn("user", ask),
                    turn("assistant", end),
                ]
            };
            json!({"chosen": whole("c"), "rejected": whole("r")})
        },
        &|system, ask| {
            let said = |from: &str, text: &str| json!({"from": from, "value": text});
            let prompt = [said("system", system), said("human", ask)];
            json!({"conversations": prompt, "chosen": said("gpt", "c"), "rejected": said("gpt", "r")})
        },
    ];
    let (system, other) = (words(0, 60), words(500, 60));
    for layout in layouts {
        let row = |system: &str, ask: &str| format!("{}\n", layout(system, ask));
        let first = row(&system, "Why do leaves fall?") + &row(&system, "Who drew this map?");
        let second = row(&other, "who drew THIS map") + &row(&system, " ");
        let dataset = dataset(&[first.clone(), second]);
        assert_as_naive(&dataset);
        let overlap = prompts_of(&dataset, &|| true).expect("not cancelled");
        let leaks = (0..4).map(|sample| overlap.way(sample, OverlapScope::OtherFile));
        let same = Some(PromptMatch::Normalised);
        assert_eq!(
            leaks.collect::<Vec<_>>(),
            [None, same, same, None],
            "{first}"
        );
        assert_eq!(overlap.way(0, OverlapScope::SameFile), None, "{first}");
    }
}

/// Matches between two parts of a split count as within one file, even with other files between
/// them.
#[test]
fn parts_of_a_split_are_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let prompts = [
        ("train-00000-of-00002.jsonl", ["a", "b"]),
        ("test.jsonl", ["c", "d"]),
        ("train-00001-of-00002.jsonl", ["a", "d"]),
    ];
    let inputs = prompts.map(|(name, prompts)| {
        let path = folder.path().join(name);
        std::fs::write(&path, file(&prompts.map(str::to_owned))).expect("written");
        Input::Path(path)
    });
    let dataset = load_detected(inputs.to_vec());
    let overlap = prompts_of(&dataset, &|| true).expect("not cancelled");
    let others = |scope| -> Vec<_> { (0..6).map(|sample| overlap.other(sample, scope)).collect() };
    let (a, d) = ([0, 4], [3, 5]);
    let mut expected = [None; 6];
    (expected[a[0]], expected[a[1]]) = (Some(a[1]), Some(a[0]));
    assert_eq!(others(OverlapScope::SameFile), expected);
    let mut expected = [None; 6];
    (expected[d[0]], expected[d[1]]) = (Some(d[1]), Some(d[0]));
    assert_eq!(others(OverlapScope::OtherFile), expected);
}

#[test]
fn quotes_in_many_prompts_are_boilerplate() {
    for (count, way) in [(10, Some(PromptMatch::Gram)), (11, None)] {
        let prompts: Vec<_> = (0..count)
            .map(|n| format!("{} {}", words(0, 15), words(100 * n + 100, 30)))
            .collect();
        let dataset = dataset(&[file(&prompts)]);
        assert_as_naive(&dataset);
        let overlap = prompts_of(&dataset, &|| true).expect("not cancelled");
        assert_eq!(overlap.way(3, OverlapScope::SameFile), way);
    }
}

#[test]
fn a_template_of_very_many_prompts_is_near_for_all_of_them() {
    let prompts = |from: usize| -> Vec<_> {
        let prompt = |n: usize| format!("{} number{n} {}", words(0, 40), words(50, 40));
        (from..from + 300).map(prompt).collect()
    };
    let dataset = dataset(&[file(&prompts(0)), file(&prompts(300))]);
    let overlap = prompts_of(&dataset, &|| true).expect("not cancelled");
    for sample in 0..dataset.samples() {
        for scope in [OverlapScope::SameFile, OverlapScope::OtherFile] {
            assert_eq!(
                overlap.way(sample, scope),
                Some(PromptMatch::Near),
                "{sample}"
            );
        }
    }
}

#[test]
fn cancelled_comparisons_return_nothing() {
    let prompts: Vec<_> = (0..2000).map(|n| words(n % 700, 20)).collect();
    let dataset = dataset(&[file(&prompts)]);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let compared_with = |times: usize| {
        asked.store(0, std::sync::atomic::Ordering::Relaxed);
        let asked = &asked;
        move || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < times
    };
    let all = compared_with(usize::MAX);
    assert!(prompts_of(&dataset, &all).is_some());
    let times = asked.load(std::sync::atomic::Ordering::Relaxed);
    for times in [0, 1, times / 2, times - 1] {
        let some = compared_with(times);
        assert!(prompts_of(&dataset, &some).is_none(), "{times}");
    }
}

/// A prompt made of an earlier one or of new words.
#[derive(Debug, Clone)]
enum Made {
    New(Vec<u8>),
    Again(prop::sample::Index),
    Shouted(prop::sample::Index),
    Changed(prop::sample::Index, prop::sample::Index),
    Quoted(prop::sample::Index, Vec<u8>),
}

fn made() -> impl Strategy<Value = Made> {
    let words = || prop::collection::vec(0_u8..200, 0..60);
    let place = any::<prop::sample::Index>;
    prop_oneof![
        3 => words().prop_map(Made::New),
        1 => place().prop_map(Made::Again),
        1 => place().prop_map(Made::Shouted),
        2 => (place(), place()).prop_map(|(of, at)| Made::Changed(of, at)),
        2 => (place(), words()).prop_map(|(of, words)| Made::Quoted(of, words)),
    ]
}

fn spelled(words: &[u8]) -> String {
    let word = |word: &u8| match word {
        0..5 => "É\u{fb01}".to_owned(),
        5..8 => "？!".to_owned(),
        8..10 => "naïve".to_owned(),
        word => format!("w{word}"),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matches_agree_with_the_naive_implementation(
        made in prop::collection::vec((made(), 0_usize..3), 1..25),
    ) {
        let (mut all, mut files) = (vec![String::new()], vec![Vec::new(); 3]);
        for (made, in_file) in made {
            let prompt = match made {
                Made::New(words) => spelled(&words),
                Made::Again(of) => of.get(&all).clone(),
                Made::Shouted(of) => format!("{}!", of.get(&all).to_uppercase()),
                Made::Changed(of, at) => {
                    let prompt = of.get(&all);
                    let words: Vec<_> = prompt.split(' ').collect();
                    let changed = at.index(words.len());
                    let each = words.iter().enumerate();
                    let each = each.map(|(place, word)| if place == changed { "new" } else { word });
                    each.collect::<Vec<_>>().join(" ")
                }
                Made::Quoted(of, words) => format!("{} {}", spelled(&words), of.get(&all)),
            };
            files[in_file].push(prompt.clone());
            all.push(prompt);
        }
        let files: Vec<_> = files.iter().map(|prompts| file(prompts)).collect();
        let files: Vec<_> = files.into_iter().filter(|file| !file.is_empty()).collect();
        assert_as_naive(&dataset(&files));
    }
}

/// Returns which samples are contradicted and which are relabelled, by comparing all pairs.
fn naive_responses(dataset: &Dataset) -> (Vec<bool>, Vec<bool>) {
    let mut buffers = Buffers::default();
    type Read = (Vec<String>, Vec<(String, Vec<Option<f64>>)>, Option<usize>);
    let read = |sample: usize| -> Option<Read> {
        let read = dataset.read(sample, &mut buffers).expect("a sample");
        let SampleBody::Sample(sample) = read.body else {
            return None;
        };
        let turns = sample.prompt.iter().map(|turn| turn.text.to_string());
        let responses = sample.responses.iter();
        let responses = responses.map(|it| (it.text.to_string(), it.ratings.clone()));
        let winner = sample
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.verdict.winner());
        let winner = winner.map(crate::model::ResponseId::index);
        Some((turns.collect(), responses.collect(), winner))
    };
    let all: Vec<_> = (0..dataset.samples()).map(read).collect();
    let texts = |read: &Read| {
        let mut texts: Vec<_> = read.1.iter().map(|(text, _)| text.clone()).collect();
        texts.sort();
        texts
    };
    let winner = |read: &Read| read.2.map(|winner| read.1[winner].0.clone());
    let pairs = |holds: &dyn Fn(&Read, &Read) -> bool| -> Vec<bool> {
        let any = |one: &Option<Read>| {
            let one = one.as_ref()?;
            Some(all.iter().flatten().any(|other| holds(one, other)))
        };
        all.iter().map(|one| any(one).unwrap_or_default()).collect()
    };
    let contradicts = |one: &Read, other: &Read| {
        let both = winner(one).zip(winner(other));
        one.0 == other.0 && texts(one) == texts(other) && both.is_some_and(|(a, b)| a != b)
    };
    let is_relabelled = |one: &Read, other: &Read| {
        let labels = |text: &String, ratings: &[Option<f64>]| {
            let same = other.1.iter().filter(|(again, _)| again == text);
            let differs = |(one, other): (&Option<f64>, &Option<f64>)| {
                one.zip(*other).is_some_and(|(one, other)| one != other)
            };
            let mut same = same.map(|(_, again)| ratings.iter().zip(again).any(differs));
            same.any(|differs| differs)
        };
        one.0 == other.0 && one.1.iter().any(|(text, ratings)| labels(text, ratings))
    };
    (pairs(&contradicts), pairs(&is_relabelled))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn contradictions_agree_with_the_naive_implementation(
        samples in prop::collection::vec((0_u8..3, [0_u8..3, 0..3], [0_u8..5, 0..5]), 0..14),
        cut in any::<prop::sample::Index>(),
    ) {
        let row = |prompt: u8, response: u8, label: u8| {
            let label = match label {
                4 => "null".to_owned(),
                label => (label % 3).to_string(),
            };
            format!("{{\"prompt\": \"p{prompt}\", \"response\": \"r{response}\", \"helpfulness\": {label}, \"verbosity\": 1}}\n")
        };
        let rows: Vec<_> = samples
            .iter()
            .map(|(prompt, responses, labels)| {
                let rows = responses.iter().zip(labels);
                rows.map(|(response, label)| row(*prompt, *response, *label)).collect::<String>()
            })
            .collect();
        let (one, other) = rows.split_at(cut.index(rows.len() + 1));
        let files: Vec<_> = [one, other].iter().map(|rows| rows.concat()).filter(|it| !it.is_empty()).collect();
        let dataset = dataset(&files);
        let (contradicted, relabelled) = naive_responses(&dataset);
        let found = responses_of(&dataset);
        let all = 0..dataset.samples();
        prop_assert_eq!(found.flags(SampleComparison::Contradicted, all.clone()), contradicted);
        prop_assert_eq!(found.flags(SampleComparison::Relabelled, all), relabelled);
    }
}
