//! The format, byte for byte: later versions must be able to read existing journals.

use proptest::prelude::*;

use super::super::line::JournalLine;
use super::*;

const HEADER: &str = r#"{"journal":2,"visavis":"0.1.0","time":"2026-11-21T09:19:05.007Z","files":["train.jsonl.gz"],"schema":"helpsteer2","first":"00000000000000000000000000000000"}"#;

/// Each kind of line. What precedes `"act"` and describes the sample is the same for all.
fn table() -> Vec<(ActRecord, &'static str)> {
    let open = Setting::default();
    let in_audit = Setting {
        audit: Some(id("5f0c2a17-9")),
        pass: 2,
        blind: true,
        order: crate::model::ResponseOrder::OF_FILE.reversed(2),
        ..Setting::default()
    };
    let wins = |side| Some(Verdict::wins(side));
    vec![
        (mark("i", "ana", 1, true), r#""act":"mark",@,"on":true"#),
        (
            tag("i", "ana", 1, "too long", false),
            r#""act":"tag",@,"tag":"too long","on":false"#,
        ),
        (
            note_of_order("i", "ana", 1, "two\nlines, \"é\"\u{7}", None),
            r#""act":"note",@,"text":"two\nlines, \"é\"\u0007""#,
        ),
        (
            note("i", "ana", 1, "A is better"),
            r#""act":"note",@,"text":"A is better","order":"ab""#,
        ),
        (
            note_of_order(
                "i",
                "ana",
                1,
                "A is better",
                Some(ResponseOrder::OF_FILE.reversed(2)),
            ),
            r#""act":"note",@,"text":"A is better","order":"ba""#,
        ),
        (
            check("i", "ana", 1, Some(SpotCheckVerdict::Wrong), suspicion(3)),
            r#""act":"check",@,"check":"wrong","drawn":"suspicion","rank":3,"of":200,"filter":"findings>0""#,
        ),
        (
            check(
                "i",
                "ana",
                1,
                Some(SpotCheckVerdict::Unclear),
                random(u64::MAX, 1),
            ),
            r#""act":"check",@,"check":"unclear","drawn":"random","seed":18446744073709551615,"rank":1,"of":9000,"filter":"""#,
        ),
        (
            check("i", "ana", 1, None, CheckDraw::Chosen),
            r#""act":"check",@,"check":null,"drawn":"chosen""#,
        ),
        (
            label("i", "ana", &open, "helpfulness", ResponseId::A, Some(3.0)),
            r#""act":"rate",@,"question":"label","label":"helpfulness","response":"a","value":3,"pass":1,"blind":false"#,
        ),
        (
            label("i", "ana", &in_audit, "score", ResponseId::B, Some(-0.25)),
            r#""act":"rate",@,"question":"label","label":"score","response":"b","value":-0.25,"audit":"5f0c2a17-9","pass":2,"blind":true,"order":"ba""#,
        ),
        (
            label("i", "ana", &open, "helpfulness", ResponseId::A, None),
            r#""act":"rate",@,"question":"label","label":"helpfulness","response":"a","value":null,"pass":1,"blind":false"#,
        ),
        (
            verdict("i", "ana", &open, wins(ResponseId::B), Some(2)),
            r#""act":"rate",@,"question":"verdict","verdict":"b","strength":2,"pass":1,"blind":false"#,
        ),
        (
            verdict("i", "ana", &open, Some(Verdict::Tie), None),
            r#""act":"rate",@,"question":"verdict","verdict":"tie","pass":1,"blind":false"#,
        ),
        (
            verdict("i", "ana", &open, None, None),
            r#""act":"rate",@,"question":"verdict","verdict":null,"pass":1,"blind":false"#,
        ),
        (
            entry(
                "i",
                "ana",
                1,
                Act::Skip {
                    setting: in_audit.clone(),
                },
            ),
            r#""act":"skip",@,"audit":"5f0c2a17-9","pass":2,"blind":true,"order":"ba""#,
        ),
        (
            entry("i", "ana", 1, Act::Defer { setting: in_audit }),
            r#""act":"defer",@,"audit":"5f0c2a17-9","pass":2,"blind":true,"order":"ba""#,
        ),
        (
            entry(
                "i",
                "ana",
                1,
                Act::Skip {
                    setting: Setting {
                        seen: true,
                        revealed: true,
                        coin: Some(7),
                        ..Setting::default()
                    },
                },
            ),
            r#""act":"skip",@,"pass":1,"blind":false,"seen":true,"revealed":true,"coin":7"#,
        ),
        (
            bare(
                "i",
                "ana",
                Act::Seen {
                    samples: [key(6), key(9)].into(),
                },
            ),
            r#""act":"seen","keys":["00000000000000000000000000000006","00000000000000000000000000000009"]"#,
        ),
        (
            bare("i", "ana", Act::Audit(audit())),
            concat!(
                r#""act":"audit","n":2,"seed":18446744073709551615,"by":{"field":"helpfulness","even":true},"repeat":0.1,"#,
                r#""blind":true,"reveal":"never","filter":"gap.helpfulness>=2","of":10162,"data_rows":20324,"data_samples":10162,"data_hash":"0123456789abcdef0123456789abcdef","#,
                r#""strata":[{"value":"4","of":214,"drawn":2}],"queue":["#,
                r#"{"sample":"00000000000000000000000000000006","file":"train.jsonl.gz","row":13,"pass":1},"#,
                r#"{"sample":"00000000000000000000000000000009","file":"train.jsonl.gz","row":19,"pass":1,"order":"ba"},"#,
                r#"{"sample":"00000000000000000000000000000006","file":"train.jsonl.gz","row":13,"pass":2,"order":"ba"}]"#,
            ),
        ),
        (
            undo("i", "ana", "5f0c2a17-1"),
            r#""act":"undo","entry":"5f0c2a17-1""#,
        ),
        (
            redo("i", "ana", "5f0c2a17-1"),
            r#""act":"redo","entry":"5f0c2a17-1""#,
        ),
    ]
}

/// Returns a line in version 1 of the format, which knew two responses.
fn in_first_version(line: &str) -> String {
    line.replace("\"response\":", "\"side\":")
        .replace("\"order\":\"ba\"", "\"swapped\":true")
}

fn whole(rest: &str) -> String {
    let sample_ref =
        r#""sample":"00000000000000000000000000000001","file":"train.jsonl.gz","row":3"#;
    let (of_sample, rest) = match rest.contains(",@") {
        true => (format!("{sample_ref},"), rest.replacen(",@", "", 1)),
        false => (String::new(), rest.to_owned()),
    };
    format!(r#"{{"id":"i","time":"2026-11-21T09:19:05.007Z","reviewer":"ana",{of_sample}{rest}}}"#)
}

#[test]
fn every_kind_of_line_word_for_word() {
    assert_eq!(serde_json::to_string(&header()).expect("a line"), HEADER);
    assert_eq!(JournalLine::header(HEADER.as_bytes()), Some(header()));
    for (entry, rest) in table() {
        let line = whole(rest);
        assert_eq!(serde_json::to_string(&entry).expect("a line"), line);
        assert_eq!(
            JournalLine::read(line.as_bytes()),
            JournalLine::Entry(Box::new(entry.clone())),
            "{line}"
        );
        assert_eq!(
            serde_json::from_str::<ActRecord>(&line).expect("an entry"),
            entry
        );
        let value: serde_json::Value = serde_json::from_str(&line).expect("an object");
        assert_eq!(
            serde_json::from_value::<ActRecord>(value).expect("an entry"),
            entry
        );
        let old = match entry.act {
            // Notes of that version have no order.
            Act::Note { .. } => line.clone(),
            _ => in_first_version(&line),
        };
        assert_eq!(
            JournalLine::read(old.as_bytes()),
            JournalLine::Entry(Box::new(entry.clone())),
            "{old}"
        );
        // Fields of a later version, spaces, and line breaks of another system.
        let strange = format!("{}, \"mood\": {{\"x\": [1]}}}}\r", &line[..line.len() - 1]);
        assert_eq!(
            JournalLine::read(strange.as_bytes()),
            JournalLine::Entry(Box::new(entry)),
            "{strange}"
        );
    }
}

#[test]
fn what_a_line_may_leave_out() {
    let short = r#"{"id":"i","time":"","reviewer":"ana","act":"rate","sample":"00000000000000000000000000000001","question":"label","label":"x","response":"a","value":1}"#;
    let JournalLine::Entry(entry) = JournalLine::read(short.as_bytes()) else {
        panic!("no entry")
    };
    assert_eq!(
        entry
            .sample_ref
            .map(|sample_ref| (sample_ref.file, sample_ref.row)),
        Some(("".into(), 0))
    );
    let Act::Rate { setting, .. } = entry.act else {
        panic!("no rating")
    };
    assert_eq!(setting, Setting::default());
}

#[test]
fn lines_that_do_not_read_say_why() {
    let rating = r#"{"id":"i","time":"","reviewer":"ana","act":"rate","sample":"00000000000000000000000000000001","question":"#;
    for (line, expected) in [
        ("{".to_owned(), "EOF while parsing an object (column 1)"),
        ("[1]".to_owned(), "invalid type"),
        (
            r#"{"id":"i","time":"","act":"mark"}"#.to_owned(),
            "missing field `reviewer`",
        ),
        (
            r#"{"id":"i","time":"","reviewer":"ana","act":"mark","on":true}"#.to_owned(),
            "`sample` is missing",
        ),
        (whole(r#""act":"mark",@"#), "missing field `on`"),
        (
            whole(r#""act":"mark",@,"on":1"#),
            "invalid type: integer `1`",
        ),
        (whole(r#""act":"undo""#), "missing field `entry`"),
        (whole(r#""act":"check",@"#), "missing field `check`"),
        (
            whole(r#""act":"check",@,"check":"right","drawn":"suspicion","of":9"#),
            "missing field `rank`",
        ),
        (
            whole(r#""act":"check",@,"check":"right","drawn":"random","rank":1,"of":9"#),
            "missing field `seed`",
        ),
        (
            whole(r#""act":"check",@,"check":"right","drawn":"random","rank":-1,"of":9"#),
            "invalid value: integer `-1`",
        ),
        (
            format!(r#"{rating}"label","label":"x","response":"a"}}"#),
            "missing field `value`",
        ),
        (
            format!(r#"{rating}"label","label":"x","response":"a","value":"3"}}"#),
            "invalid type: string",
        ),
        (
            format!(r#"{rating}"label","label":"x","response":"a","value":1e999}}"#),
            "number out of range",
        ),
        (
            format!(r#"{rating}"label","label":"x","response":"tie","value":3}}"#),
            "`response` is not a letter",
        ),
        (format!(r#"{rating}"verdict"}}"#), "missing field `verdict`"),
        (
            format!(r#"{rating}"verdict","verdict":"a","order":"ac"}}"#),
            "`order` does not list",
        ),
        (
            format!(r#"{rating}"verdict","verdict":"C"}}"#),
            "`verdict` is neither",
        ),
    ] {
        let JournalLine::Bad(why) = JournalLine::read(line.as_bytes()) else {
            panic!("{line} reads")
        };
        assert!(why.contains(expected), "{line}: {why}");
        assert!(!why.contains("line 1"), "{why}");
    }
    assert!(matches!(
        JournalLine::read(b"\xff\xfe"),
        JournalLine::Bad(_)
    ));
}

#[test]
fn acts_of_a_later_version_are_known_as_such() {
    for (line, name) in [
        (whole(r#""act":"rank",@,"order":["b","a"]"#), "rank"),
        // Current names with another meaning.
        (
            whole(r#""act":"rank",@,"value":{"a":1},"n":"many","on":[]"#),
            "rank",
        ),
        (
            whole(r#""act":"rate",@,"question":"passage","from":3"#),
            "rate passage",
        ),
        (
            whole(r#""act":"check",@,"check":"likely","drawn":"chosen""#),
            "check likely",
        ),
    ] {
        let JournalLine::Entry(read) = JournalLine::read(format!("{line}\r\n").as_bytes()) else {
            panic!("{line}");
        };
        assert_eq!((&*read.id.0, &*read.reviewer), ("i", "ana"), "{line}");
        assert_eq!(read.time, "2026-11-21T09:19:05.007Z", "{line}");
        assert_eq!(read.line(), line, "kept as it is");
        let mut ledger = Ledger::default();
        ledger.apply(&read);
        let said = (ledger.reviewers().len(), ledger.remarks().count());
        assert_eq!((said, ledger.undoable("ana")), ((0, 0), None), "{line}");
        let Act::Later([known, _]) = read.act else {
            panic!("{line}");
        };
        assert_eq!(&*known, name, "{line}");
    }
    // An act without an id is damaged.
    let damaged = JournalLine::read(br#"{"act":"rank"}"#);
    assert!(matches!(damaged, JournalLine::Bad(_)), "{damaged:?}");
}

#[test]
fn draws_of_a_later_version_count_as_chosen() {
    for rest in [
        r#","drawn":"by length","rank":"first""#,
        r#","drawn":"by length","rank":7"#,
        "",
    ] {
        let line = whole(&format!(r#""act":"check",@,"check":"right"{rest}"#));
        match JournalLine::read(line.as_bytes()) {
            JournalLine::Entry(entry) => assert_eq!(
                entry.act,
                Act::Check {
                    verdict: Some(SpotCheckVerdict::Right),
                    drawn: CheckDraw::Chosen
                },
                "{line}"
            ),
            // A name of this version with another meaning.
            read => assert!(matches!(read, JournalLine::Bad(_)), "{line}: {read:?}"),
        }
    }
}

#[test]
fn headers_of_later_versions_read_as_far_as_can_be() {
    let later = JournalLine::header(br#"{"journal":7,"visavis":"9.0","time":3,"files":{"a":1}}"#)
        .expect("a header");
    assert_eq!((later.journal, &*later.visavis), (7, "9.0"));
    for line in [
        r#"{"journal":1}"#,
        r#"{"journal":"Nature","visavis":"x"}"#,
        r#"{"prompt":"x"}"#,
        "7",
        "",
    ] {
        assert_eq!(JournalLine::header(line.as_bytes()), None, "{line}");
    }
    assert!(
        matches!(JournalLine::read(HEADER.as_bytes()), JournalLine::Header(_)),
        "a journal after another"
    );
}

#[test]
fn an_audit_of_an_earlier_version_knows_no_data() {
    let line =
        r#"{"id":"i","time":"t","reviewer":"ana","act":"audit","n":1,"seed":7,"of":9,"queue":[]}"#;
    let JournalLine::Entry(entry) = JournalLine::read(line.as_bytes()) else {
        panic!("{line}")
    };
    let Act::Audit(audit) = &entry.act else {
        panic!("{entry:?}")
    };
    assert_eq!(
        (audit.data.clone(), audit.reveal, audit.reveals()),
        (None, Reveal::After, Reveal::After)
    );
    let again = AuditPlan {
        between: None,
        repeat: 0.1,
        ..(**audit).clone()
    };
    assert_eq!(
        again.reveals(),
        Reveal::End,
        "nothing is shown that is to be judged anew"
    );
    assert!(!entry.line().contains("hash"), "{}", entry.line());
}

#[test]
fn non_finite_numbers_are_written_as_null() {
    for value in [f64::NAN, f64::INFINITY] {
        let line = serde_json::to_string(&label(
            "i",
            "ana",
            &Setting::default(),
            "x",
            ResponseId::A,
            Some(value),
        ));
        assert!(line.expect("a line").contains(r#""value":null"#));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn whatever_is_written_reads_the_same(
        words in proptest::array::uniform4(any::<String>()),
        value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO,
        sample in any::<u64>(),
        row in any::<u64>(),
        pass in any::<u8>(),
        flags in any::<[bool; 3]>(),
    ) {
        let [name, reviewer, what, other] = &words;
        let setting = Setting { audit: flags[0].then(|| id(other)), pass, blind: flags[1], order: if flags[2] { crate::model::ResponseOrder::OF_FILE.reversed(2) } else { crate::model::ResponseOrder::OF_FILE }, ..Setting::default() };
        let mut some = label(name, reviewer, &setting, what, ResponseId::B, Some(value));
        some.sample_ref = Some(SampleRef { sample: key(sample), file: other.as_str().into(), row });
        let draws = [suspicion(row), random(sample, row), CheckDraw::Chosen];
        let note = note_of_order(name, reviewer, 3, what, note_orders()[usize::from(pass) % 4]);
        let check = check(name, reviewer, 3, SpotCheckVerdict::ALL.get(usize::from(pass % 4)).copied(),
            draws[usize::from(pass) % 3].clone());
        for some in [some, check, note, tag(name, reviewer, 3, what, flags[0])] {
            let line = serde_json::to_string(&some).expect("a line");
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(JournalLine::read(line.as_bytes()), JournalLine::Entry(Box::new(some)));
        }
    }
}

#[test]
fn labels_that_wait_for_the_end_are_hidden_from_earlier_versions_too() {
    let audit = AuditPlan {
        between: None,
        reveal: Reveal::End,
        ..(*audit()).clone()
    };
    let line = bare("i", "ana", Act::Audit(audit.clone().into())).line();
    assert!(
        line.contains(r#""reveal":"never","reveal_at_end":true"#),
        "{line}"
    );
    let read = |line: &str| match JournalLine::read(line.as_bytes()) {
        JournalLine::Entry(entry) => match &entry.act {
            Act::Audit(audit) => audit.reveal,
            act => panic!("{act:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!(read(&line), Reveal::End);
    // A word of a later version is not reported as damage.
    assert_eq!(
        read(&line.replace(r#""never","reveal_at_end":true"#, r#""next week""#)),
        Reveal::Never
    );
}
