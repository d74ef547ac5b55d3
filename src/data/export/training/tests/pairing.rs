//! Pairing of a sample's responses for a trainer.

use serde_json::Value;

use super::*;

/// Samples of UltraFeedback whose responses have these scores.
fn scored(samples: &[&[Option<f64>]]) -> Dataset {
    let rows = samples.iter().enumerate().map(|(at, scores)| {
        let completions = ('a'..).zip(scores.iter()).map(|(letter, score)| {
            json!({"model": "m", "response": letter.to_string(), "overall_score": score,
                "annotations": {}})
        });
        let completions: Vec<_> = completions.collect();
        json!({"source": "s", "instruction": format!("task {at}"), "models": ["m"],
            "completions": completions})
        .to_string()
    });
    dataset(&rows.collect::<Vec<_>>().join("\n"))
}

/// Returns the chosen and rejected letters of each row of a sample: `ab` if A is chosen over B.
fn sides(lines: &[Value], sample: usize) -> Vec<String> {
    let is_own = |line: &&Value| line["row"].is_u64() && line["sample"] == json!(sample);
    let letter = |line: &Value, side: &str| line[side].as_str().expect("a letter").to_owned();
    let own = lines.iter().filter(is_own);
    own.map(|line| letter(line, "chosen") + &letter(line, "rejected"))
        .collect()
}

#[test]
fn every_best_response_is_paired_with_every_worse_one_and_none_that_is_unrated() {
    let [one, two, half] = [Some(1.0), Some(2.0), Some(2.5)];
    let five = Some(5.0);
    type Group<'g> = (&'g [Option<f64>], &'g [&'g str], Option<&'g str>);
    let groups: [Group<'_>; 8] = [
        (&[two, two, one, one], &["ac", "ad", "bc", "bd"], None),
        (&[half, five, None], &["ba"], None),
        (&[None, one, None, five, five], &["db", "eb"], None),
        (&[five, half, two], &["ab", "ac"], None),
        (&[two, two, None], &[], Some("tie")),
        (&[two, None, None], &[], Some("no_verdict")),
        (&[two, None], &[], Some("no_verdict")),
        (&[None, two, two, one], &["bd", "cd"], None),
    ];
    let dataset = scored(&groups.map(|(scores, ..)| scores));
    for format in TrainingFormat::ALL
        .into_iter()
        .filter(|it| it.is_pairwise())
    {
        let (text, lines, counts) = plain(&dataset, format);
        for (sample, (scores, pairs, reason)) in (1..).zip(&groups) {
            assert_eq!(sides(&lines, sample), *pairs, "{scores:?}");
            let own = lines.iter().filter(|line| line["sample"] == json!(sample));
            let left_out = own.filter_map(|line| line["left_out"].as_str()).next();
            assert_eq!(left_out, *reason, "{scores:?}");
        }
        let rows = text.lines().count();
        assert_eq!(
            (counts.rows, counts.most_rows, counts.unrated),
            (rows, 4, 4)
        );
        assert_eq!(read_back(&text, format), expected(&dataset, format, &lines));
    }
}

#[test]
fn pairs_of_a_sample_are_drawn_by_the_seed() {
    let group = [2.0, 2.0, 1.0, 1.0].map(Some);
    let dataset = scored(&[&group[..]; 300]);
    let draw = |most: usize, seed: u64| {
        let of = (trl::FORMAT, Some(most), seed);
        written_of(&dataset, of, &Ledger::default(), &[])
    };
    let (rows, lines, counts) = draw(2, 7);
    assert_eq!((counts.rows, counts.most_rows), (600, 2));
    let mut often = BTreeMap::new();
    for sample in 1..=300 {
        *often.entry(sides(&lines, sample).join(" ")).or_insert(0) += 1;
    }
    // Each of the six sets is drawn, in order, 50 times within 5 standard deviations.
    assert_eq!(often.len(), 6, "{often:?}");
    assert!(
        often.values().all(|often| (18..=82).contains(often)),
        "{often:?}"
    );
    assert_eq!(draw(2, 7).0, rows);
    assert_ne!(draw(2, 8).0, rows);
    let all = plain(&dataset, trl::FORMAT).0;
    assert_eq!((draw(4, 7).0, draw(9, 7).2.rows), (all, 1200));
}

#[test]
fn reviewers_choose_among_several_best_responses_without_flipping() {
    let dataset = scored(&[
        &[2.0, 2.0, 1.0].map(Some),
        &[2.0, 2.0, 1.0].map(Some),
        &[Some(2.0), Some(1.0), None],
    ]);
    let mut acts = Acts::default();
    let c = ResponseId::new(2).expect("C");
    acts.verdict("ann", (&dataset, 0), Verdict::wins(B), &first()); // among the best
    acts.verdict("ann", (&dataset, 1), Verdict::wins(c), &first()); // flipped
    acts.verdict("ann", (&dataset, 2), Verdict::wins(c), &first()); // flipped: none rejects C
    let apply = &[Correction::Flip];
    let (_, lines, counts) = written(&dataset, trl::FORMAT, &acts.ledger, apply);
    let each = [1, 2, 3].map(|sample| sides(&lines, sample).join(" "));
    assert_eq!(each, ["ac bc", "ca cb", "ca cb"]);
    assert_eq!(counts.flipped, 2);
}
