//! The file: what is read and added, and what is not changed.

use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;

use super::*;

fn append(path: &Path, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .expect("a file");
    file.write_all(bytes).expect("written");
}

fn torn(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.torn", path.display()))
}

#[test]
fn no_file_is_created_before_an_act_is_added() {
    let (folder, path) = place();
    let mut file = JournalFile::new(path.clone());
    let opened = file.read().expect("nothing");
    assert!(opened.header.is_none() && opened.entries.is_empty() && opened.troubles.is_empty());
    assert!(!file.has_changed());
    file.add(&header(), &[]).expect("nothing to do");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    file.add(
        &header(),
        &[mark("1", "ana", 1, true), mark("2", "ana", 2, true)],
    )
    .expect("added");
    assert_eq!(text(&path).lines().count(), 3);
    file.add(&header(), &[mark("3", "ana", 3, true)])
        .expect("added");
    assert_eq!(text(&path).lines().count(), 4, "one header");
    assert!(!file.has_changed());
    assert!(
        file.read().expect("read").entries.is_empty(),
        "own entries are no news"
    );
    let opened = JournalFile::new(path).read().expect("read");
    assert_eq!(
        (opened.header, names(&opened.entries)),
        (Some(header()), vec!["1", "2", "3"])
    );
}

#[test]
fn both_see_both() {
    let (_folder, path) = place();
    let (mut one, mut other) = (JournalFile::new(path.clone()), JournalFile::new(path));
    one.add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    assert!(other.has_changed());
    assert_eq!(
        names(
            &other
                .add(&header(), &[mark("2", "ben", 2, true)])
                .expect("added")
                .entries
        ),
        ["1"]
    );
    assert!(one.has_changed() && !other.has_changed());
    let opened = one.read().expect("read");
    assert_eq!(
        (names(&opened.entries), opened.header),
        (vec!["2"], Some(header()))
    );
    assert!(!one.has_changed());
}

#[test]
fn two_writers_lose_and_tear_nothing() {
    const EACH: usize = 200;
    let (_folder, path) = place();
    let write = |who: &'static str| {
        let path = path.clone();
        thread::spawn(move || {
            let (mut file, mut others) = (quick(&path), Vec::new());
            for number in 0..EACH {
                let act = note(
                    &format!("{who}-{number}"),
                    who,
                    number as u64,
                    &"long ".repeat(number),
                );
                let opened = file.add(&header(), &[act]).expect("added");
                assert_eq!(opened.troubles, [""; 0]);
                others.extend(opened.entries);
            }
            (file, others)
        })
    };
    let writers = [write("ana"), write("ben")].map(|writer| writer.join().expect("a writer"));
    for ((mut file, mut others), other) in writers.into_iter().zip(["ben", "ana"]) {
        others.extend(file.read().expect("read").entries);
        let expected: Vec<_> = (0..EACH)
            .map(|number| format!("{other}-{number}"))
            .collect();
        assert_eq!(names(&others), expected);
    }
    let opened = JournalFile::new(path).read().expect("read");
    assert_eq!(
        (opened.entries.len(), opened.troubles),
        (2 * EACH, Vec::new())
    );
}

#[test]
fn every_beginning_of_a_journal_reads_and_goes_on() {
    let (_folder, path) = place();
    let acts = [
        mark("1", "ana", 1, true),
        note("2", "ana", 1, "é\n\u{1f600}"),
        bare("3", "ana", Act::Audit(audit())),
        undo("4", "ana", "1"),
    ];
    quick(&path).add(&header(), &acts).expect("added");
    let whole = fs::read(&path).expect("bytes");
    for cut in 0..whole.len() {
        let (_folder, path) = place();
        fs::write(&path, &whole[..cut]).expect("written");
        let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
        let is_torn = cut > 0 && whole[cut - 1] != b'\n';
        let mut file = quick(&path);
        let opened = file.read().expect("read");
        assert_eq!(
            names(&opened.entries),
            ["1", "2", "3", "4"][..lines.saturating_sub(1)],
            "{cut}"
        );
        assert_eq!(
            (opened.header.is_some(), opened.troubles.len()),
            (lines > 0, usize::from(is_torn)),
            "{cut}"
        );
        assert!(!file.has_changed(), "a torn line is reported once");
        assert_eq!(file.read().expect("read").troubles, [""; 0], "{cut}");
        assert_eq!(
            fs::read(&path).expect("bytes"),
            whole[..cut],
            "reading changes nothing"
        );

        let opened = file
            .add(&header(), &[mark("5", "ana", 5, true)])
            .expect("added");
        assert_eq!(opened.troubles.len(), usize::from(is_torn), "{cut}");
        let tail = whole[..cut]
            .rsplit(|byte| *byte == b'\n')
            .next()
            .expect("a tail");
        let aside = fs::read(torn(&path)).unwrap_or_default();
        assert_eq!(
            aside,
            if is_torn {
                [tail, b"\n"].concat()
            } else {
                Vec::new()
            },
            "{cut}"
        );
        let opened = quick(&path).read().expect("read");
        assert_eq!(
            (opened.entries.len(), opened.troubles.len()),
            (lines.saturating_sub(1) + 1, 0),
            "{cut}"
        );
    }
}

#[test]
fn a_truncated_line_is_moved_and_reported() {
    let (_folder, path) = place();
    quick(&path)
        .add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    append(&path, b"{\"id\":\"2\",\"ti");
    let mut file = quick(&path);
    let told = file.read().expect("read").troubles;
    assert_eq!(
        told,
        [format!(
            "{}, line 3: truncated line skipped",
            path.display()
        )]
    );
    let told = file
        .add(&header(), &[mark("3", "ana", 3, true)])
        .expect("added")
        .troubles;
    let aside = torn(&path);
    assert_eq!(
        told,
        [format!(
            "{}, line 3: truncated line moved to {}",
            path.display(),
            aside.display()
        )]
    );
    append(&path, b"\0\0\0\0");
    quick(&path)
        .add(&header(), &[mark("4", "ana", 4, true)])
        .expect("added");
    assert_eq!(text(&aside), "{\"id\":\"2\",\"ti\n\0\0\0\0\n");
    assert_eq!(
        names(&quick(&path).read().expect("read").entries),
        ["1", "3", "4"]
    );
}

#[test]
fn a_truncated_line_that_cannot_be_moved_is_terminated() {
    let (_folder, path) = place();
    quick(&path)
        .add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    append(&path, b"{\"id\":");
    fs::create_dir(torn(&path)).expect("in the way");
    let mut file = quick(&path);
    let told = file
        .add(&header(), &[mark("2", "ana", 2, true)])
        .expect("added")
        .troubles;
    assert_eq!(
        told,
        [format!(
            "{}, line 3: truncated line skipped",
            path.display()
        )]
    );
    file.add(&header(), &[mark("3", "ana", 3, true)])
        .expect("added");
    assert_eq!(file.read().expect("read").troubles, [""; 0]);
    let opened = quick(&path).read().expect("read");
    assert_eq!(names(&opened.entries), ["1", "2", "3"]);
    assert!(
        opened.troubles[0].contains("line 3: EOF while"),
        "{:?}",
        opened.troubles
    );
}

/// A line of a later version.
fn later(id: &str, act: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"time\":\"2026-11-21T10:00:00.000Z\",\"reviewer\":\"ana\",\"act\":\"{act}\"}}\n"
    )
}

#[test]
fn invalid_lines_are_reported_and_kept() {
    let (_folder, path) = place();
    let mut file = quick(&path);
    file.add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    append(
        &path,
        format!(
            "nonsense\n\n{}{}{}",
            later("l", "rank"),
            later("m", "rank"),
            later("n", "sing")
        )
        .as_bytes(),
    );
    append(&path, b"\xff\n");
    file.add(&header(), &[mark("2", "ana", 2, true)])
        .expect("added");
    let before = fs::read(&path).expect("bytes");
    let mut file = quick(&path);
    let opened = file.read().expect("read");
    let name = path.display();
    assert_eq!(names(&opened.entries), ["1", "l", "m", "n", "2"]);
    assert!(
        opened.troubles[0].starts_with(&format!("{name}, line 3: expected ident")),
        "{:?}",
        opened.troubles
    );
    assert!(
        opened.troubles[1].starts_with(&format!("{name}, line 8: ")),
        "{:?}",
        opened.troubles
    );
    let expected = format!(
        "{name}: 3 acts of a later version of visavis (rank, sing) kept, but without effect here"
    );
    assert_eq!((opened.later, opened.troubles.len()), (Some(expected), 2));
    append(&path, later("o", "rank").as_bytes());
    assert_eq!(file.read().expect("read").later, None, "told once");
    append(&path, "x\n".repeat(100).as_bytes());
    let told = file.read().expect("read").troubles;
    assert_eq!(
        (told.len(), told[8].as_str()),
        (9, &*format!("{name}: 92 more invalid lines up to line 110"))
    );
    assert!(fs::read(&path).expect("bytes").starts_with(&before));
}

#[test]
fn a_journal_without_a_header_is_read_and_gets_one() {
    for damaged in ["", "{\"journal\":2,\"vis\n", "{\"journal\":2,\"vis{}\n\n"] {
        let (_folder, path) = place();
        let acts = ["1", "2"].map(|name| mark(name, "ana", 1, true).line() + "\n");
        fs::write(&path, damaged.to_owned() + &acts.concat()).expect("written");
        let before = text(&path);
        assert_eq!(
            names(&quick(&path).read().expect("read").entries),
            ["1", "2"]
        );
        for name in ["3", "4"] {
            quick(&path)
                .add(&header(), &[mark(name, "ana", 1, true)])
                .expect("added");
        }
        assert!(text(&path).starts_with(&before));
        assert_eq!(text(&path).matches("\"visavis\":").count(), 1, "one header");
        let opened = quick(&path).read().expect("read");
        assert_eq!(names(&opened.entries), ["1", "2", "3", "4"]);
        assert_eq!(opened.header, Some(header()));
        assert_eq!(opened.troubles.len(), usize::from(!damaged.is_empty()));
    }
}

#[test]
fn other_files_are_never_written() {
    for dataset in [
        "{\"prompt\": \"x\", \"response\": \"y\"}\n{\"prompt\": \"x\", \"response\": \"y\"}\n",
        "{\"prompt\": \"x\", \"response\": \"y\"}",
        "{\"journal\":\"Nature\",\"visavis\":\"no\"}\n",
        "{\"journal\":\"Nature\"}",
        "\u{1f}\u{8b}compressed",
    ] {
        let (folder, path) = place();
        fs::write(&path, dataset).expect("written");
        let mut file = JournalFile::new(path.clone());
        let expected = format!("{}, line 1: not a visavis journal;", path.display());
        for error in [
            file.read().expect_err("no journal"),
            file.add(&header(), &[mark("1", "ana", 1, true)])
                .expect_err("no journal"),
        ] {
            let error = error.to_string();
            assert!(
                error.starts_with(&expected) && error.contains("--journal PATH"),
                "{error}"
            );
        }
        assert_eq!(text(&path), dataset);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
    let (_folder, path) = place();
    fs::write(&path, "\n\n7\n").expect("written");
    let error = JournalFile::new(path)
        .read()
        .expect_err("no journal")
        .to_string();
    assert!(error.contains("line 3:"), "{error}");
}

#[test]
fn a_journal_of_the_first_version_goes_on() {
    let (_folder, path) = place();
    let first = concat!(
        r#"{"journal":1,"visavis":"0.1.0","time":"","files":["train.jsonl"],"schema":"helpsteer2"}"#,
        "\n",
        r#"{"id":"1","time":"","reviewer":"ana","act":"rate","#,
        r#""sample":"00000000000000000000000000000001","file":"train.jsonl","row":1,"#,
        r#""question":"label","label":"helpfulness","side":"b","value":3,"#,
        r#""pass":1,"blind":true,"swapped":true}"#,
        "\n",
    );
    std::fs::write(&path, first).expect("written");
    let mut file = quick(&path);
    for number in ["2", "3"] {
        file.add(&header(), &[mark(number, "ana", 2, true)])
            .expect("added");
    }
    let after = text(&path);
    assert!(after.starts_with(first), "what was there stays");
    let begins = after.matches("{\"journal\":2,").count();
    assert_eq!(
        begins, 1,
        "told once where the second version begins: {after}"
    );
    let opened = quick(&path).read().expect("read");
    assert_eq!(names(&opened.entries), ["1", "2", "3"]);
    assert_eq!(
        (opened.troubles.len(), opened.header.map(|it| it.journal)),
        (0, Some(1))
    );
    let Act::Rate { rated, setting } = &opened.entries[0].act else {
        panic!("no rating")
    };
    let Judgment::Label { response, .. } = rated else {
        panic!("no label")
    };
    assert_eq!(
        (*response, setting.order.word()),
        (ResponseId::B, "ba".to_owned())
    );
}

#[test]
fn a_journal_of_a_later_version_is_read_alone() {
    let (_folder, path) = place();
    let later = Header {
        journal: 3,
        ..header()
    };
    quick(&path)
        .add(&later, &[mark("1", "ana", 1, true)])
        .expect("added");
    let before = text(&path);
    let mut file = quick(&path);
    assert_eq!(names(&file.read().expect("read").entries), ["1"]);
    let error = file
        .add(&header(), &[mark("2", "ana", 2, true)])
        .expect_err("too new");
    assert!(matches!(error, JournalError::Later { version: 3, .. }));
    assert!(
        error.to_string().contains("update") && error.to_string().contains("--journal PATH"),
        "{error}"
    );
    assert_eq!(text(&path), before);
}

#[test]
fn a_journal_that_changes_under_us_is_read_anew() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 5] = [
        ("deleted", |path| fs::remove_file(path).expect("deleted")),
        ("emptied", |path| fs::write(path, "").expect("emptied")),
        ("cut", |path| {
            let text = text(path);
            fs::write(path, &text[..text.find("\n").expect("a line") + 1]).expect("cut");
        }),
        ("replaced", |path| {
            let new = path.with_extension("new");
            quick(&new)
                .add(&header(), &[mark("9", "ben", 9, true)])
                .expect("added");
            fs::rename(new, path).expect("replaced");
        }),
        ("written anew and longer", |path| {
            let text = text(path).replace("\"ana\"", "\"another reviewer\"");
            fs::write(path, text).expect("written");
        }),
    ];
    for (name, change) in changes {
        for reads in [true, false] {
            let (_folder, path) = place();
            let mut file = quick(&path);
            quick(&path)
                .add(&header(), &[note("0", "ana", 1, "x")])
                .expect("added");
            file.add(
                &header(),
                &[mark("1", "ana", 1, true), mark("2", "ana", 2, true)],
            )
            .expect("added");
            change(&path);
            assert!(file.has_changed(), "{name}");
            if reads {
                let opened = file.read().expect("read");
                assert_eq!(opened.troubles.len(), 1, "{name}: {:?}", opened.troubles);
                assert!(!file.has_changed(), "{name}");
            }
            let opened = file
                .add(&header(), &[mark("3", "ana", 3, true)])
                .expect("added");
            assert_eq!(
                opened.troubles.len(),
                usize::from(!reads),
                "{name}: {:?}",
                opened.troubles
            );
            assert!(
                opened
                    .entries
                    .iter()
                    .all(|entry| !["1", "2", "3"].contains(&&*entry.id.0)),
                "{name}: own ones"
            );
            let opened = quick(&path).read().expect("read");
            assert_eq!(opened.troubles, [""; 0], "{name}");
            assert_eq!(names(&opened.entries).last(), Some(&"3"), "{name}");
        }
    }
}

#[test]
fn links_are_followed() {
    let (folder, path) = place();
    let target = folder.path().join("elsewhere");
    symlink(&target, &path).expect("a link");
    let mut file = JournalFile::new(path.clone());
    assert!(file.read().expect("nothing").header.is_none());
    file.add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    assert!(fs::symlink_metadata(&path).expect("a link").is_symlink());
    assert_eq!(text(&target).lines().count(), 2);
}

#[test]
fn concatenated_journals_are_one() {
    let (_folder, path) = place();
    quick(&path)
        .add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    let first = text(&path);
    append(&path, first.as_bytes());
    let opened = quick(&path).read().expect("read");
    assert_eq!(
        (names(&opened.entries), opened.troubles),
        (vec!["1", "1"], Vec::new())
    );
}

#[test]
fn a_long_journal_reads_in_order() {
    let (_folder, path) = place();
    let acts: Vec<_> = (0..5000)
        .map(|number| note(&number.to_string(), "ana", number, &"x".repeat(200)))
        .collect();
    quick(&path).add(&header(), &acts).expect("added");
    append(&path, b"bad\n");
    let opened = quick(&path).read().expect("read");
    assert!(opened.entries == acts);
    assert!(
        opened.troubles[0].contains("line 5002:"),
        "{:?}",
        opened.troubles
    );
}

#[test]
fn locking_times_out() {
    let (_folder, path) = place();
    let acts = [mark("2", "ana", 2, true)];
    let mut file = JournalFile::new(path.clone());
    file.add(&header(), &[mark("1", "ana", 1, true)])
        .expect("added");
    let other = File::open(&path).expect("a file");
    other.lock().expect("a lock");
    // Both return while another process holds the lock.
    for error in [
        file.read().expect_err("locked"),
        file.add(&header(), &acts).expect_err("locked"),
    ] {
        let error = error.to_string();
        assert!(
            error.starts_with(&path.display().to_string())
                && error.contains("locked by another program"),
            "{error}"
        );
        assert!(error.contains("--journal PATH"), "{error}");
    }
    // A short lock is waited for.
    let (sent, told) = std::sync::mpsc::channel();
    let holder = thread::spawn(move || {
        told.recv().expect("a word");
        thread::sleep(std::time::Duration::from_millis(100));
        drop(other);
    });
    sent.send(()).expect("heard");
    file.add(&header(), &acts).expect("added");
    holder.join().expect("let go");
    assert_eq!(
        names(&quick(&path).read().expect("read").entries),
        ["1", "2"]
    );
}
