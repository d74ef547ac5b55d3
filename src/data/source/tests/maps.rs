//! Memory maps: lent only under a lease, never blocking a writer for long, always the right bytes.
#![cfg(target_os = "linux")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use proptest::prelude::*;

use super::*;
use crate::source::Piece;
use crate::source::map::{CopyReason, pause};

/// Serialises tests, because nothing is lent while one of them pauses maps.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Borrows a range; returns the bytes, and why they were copied.
fn borrowed(source: &Source, range: Range<u64>) -> (Vec<u8>, Option<CopyReason>) {
    let mut piece = Piece::new();
    piece.borrow(source, range).expect("read");
    let reason = source.copy_reason();
    assert_eq!(piece.is_borrowed(), reason.is_none());
    (piece.bytes().to_vec(), reason)
}

#[test]
fn writers_continue_while_pieces_are_in_use_and_change_none() {
    let _alone = alone();
    let text = long_text(100_000);
    let truncate: fn(&Path) = |path| File::create(path).map(drop).expect("truncated");
    let rewrite: fn(&Path) = |path| {
        let file = File::options().write(true).open(path).expect("opened");
        file.write_all_at(&[b'x'; 100_000], 0).expect("written");
    };
    for act in [truncate, rewrite] {
        let file = test_file(&text);
        let source = open(&file.path).expect("opened");
        // A second lease: its signal must be set again.
        assert_eq!(borrowed(&source, 0..10), (text[..10].to_vec(), None));
        let (mut first, mut second) = (Piece::new(), Piece::new());
        first.borrow(&source, 10..50_000).expect("lent");
        second.borrow(&source, 40_000..100_000).expect("lent");
        act(&file.path);
        // Evicting earlier bytes must not touch those that were moved.
        source.evict(0..45_000);
        assert_eq!(first.bytes(), &text[10..50_000]);
        assert_eq!(second.bytes(), &text[40_000..]);
        assert!(matches!(
            source.check_unchanged(),
            Err(SourceError::Shrunk(_) | SourceError::Changed(_))
        ));
        assert_eq!(
            source.copy_reason(),
            Some("another process wants to write to it")
        );
    }
}

#[test]
fn a_lease_that_ends_early_is_reported() {
    let _alone = alone();
    let file = test_file(&long_text(1000));
    let source = open(&file.path).expect("opened");
    let mut piece = Piece::new();
    piece.borrow(&source, 0..1000).expect("lent");
    assert_eq!(source.check_unchanged(), Ok(()));
    source.plain().expect("a plain file").lose_lease();
    drop(piece);
    let lost = source.check_unchanged().expect_err("a lost lease");
    assert!(lost.is_change(), "{lost}");
    assert!(lost.to_string().contains("stopped for too long"), "{lost}");
}

#[test]
fn three_writers_in_a_row_end_nothing() {
    let _alone = alone();
    let text = long_text(1000);
    let file = test_file(&text);
    for _ in 0..3 {
        let source = open(&file.path).expect("opened");
        for _ in 0..2 {
            assert_eq!(borrowed(&source, 0..1000), (text.clone(), None));
        }
        let mut piece = Piece::new();
        piece.borrow(&source, 0..1000).expect("lent");
        drop(File::options().append(true).open(&file.path));
        drop(piece);
        assert_eq!(source.check_unchanged(), Ok(()), "it wrote nothing");
    }
}

#[test]
fn what_others_can_write_to_is_copied() {
    let _alone = alone();
    let text = long_text(5000);
    let file = test_file(&text);
    let writer = File::options().read(true).write(true).open(&file.path);
    let writer = writer.expect("opened");
    let source = open(&file.path).expect("opened");
    let open_for_writing = Some("another process has it open for writing");
    assert_eq!(
        borrowed(&source, 7..900),
        (text[7..900].to_vec(), open_for_writing)
    );

    // A writable map outlives its descriptor.
    let writable = memmap2::MmapOptions::new()
        .map_raw(&writer)
        .expect("mapped");
    drop(writer);
    let source = open(&file.path).expect("opened");
    assert_eq!(borrowed(&source, 0..5000), (text.clone(), open_for_writing));
    drop(writable);
    let source = open(&file.path).expect("opened");
    assert_eq!(borrowed(&source, 0..5000), (text, None));
}

#[test]
fn inputs_that_are_no_plain_files_are_copied() {
    let lines = b"{\"a\": 1}\n{\"a\": 2}\n";
    let reason = |source: &Source| {
        let _ = all(source);
        let copied = borrowed(source, 0..5);
        assert_eq!(copied.0, b"{\"a\":");
        copied.1
    };
    let packed = test_file(&gzip(lines));
    assert_eq!(
        reason(&open(&packed.path).expect("opened")),
        Some("decoded into memory")
    );
    let (pipe, mut writer) = piped();
    writer.write_all(lines).expect("written");
    drop(writer);
    assert_eq!(reason(&pipe), Some("decoded into memory"));
    let file = test_file(lines);
    let stdin = open_fd(File::open(&file.path).expect("opened")).expect("opened");
    assert_eq!(reason(&stdin), Some("standard input"));
    let input = Input::Path(file.path.clone());
    let followed = Source::open_followed(&input, RowSearch::default()).expect("opened");
    assert_eq!(reason(&followed), Some("followed while others append"));
    // The kernel does not count descriptors of files in memory as writers.
    let memory = rustix::fs::memfd_create("lines", rustix::fs::MemfdFlags::CLOEXEC);
    let mut memory = File::from(memory.expect("created"));
    memory.write_all(lines).expect("written");
    let descriptor = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&memory));
    let unnamed = open(Path::new(&descriptor)).expect("opened");
    assert_eq!(reason(&unnamed), Some("a file without a name"));
    // Files that report a size of 0 are read to the end.
    let status = open(Path::new("/proc/self/status")).expect("opened");
    assert_eq!(status.copy_reason(), Some("decoded into memory"));
}

#[test]
fn a_file_that_shrank_before_it_was_lent_is_an_error() {
    let _alone = alone();
    let text = long_text(50_000);
    let file = test_file(&text);
    let source = open(&file.path).expect("opened");
    let writer = File::options()
        .write(true)
        .open(&file.path)
        .expect("opened");
    writer.set_len(30_000).expect("shrunk");
    drop(writer);
    let mut piece = Piece::new();
    let beyond = piece.borrow(&source, 20_000..40_000);
    assert!(matches!(beyond, Err(SourceError::Shrunk(_))), "{beyond:?}");
    assert_eq!(source.copy_reason(), Some("it became shorter"));
    assert_eq!(borrowed(&source, 0..100).0, &text[..100]);
}

#[test]
fn a_file_that_was_renamed_or_removed_is_still_lent() {
    let _alone = alone();
    let text = long_text(50_000);
    let replace: fn(&Path) = |path| {
        let other = path.with_extension("new");
        std::fs::write(&other, "{}").expect("written");
        std::fs::rename(other, path).expect("renamed");
    };
    let remove: fn(&Path) = |path| std::fs::remove_file(path).expect("removed");
    for act in [replace, remove] {
        let file = test_file(&text);
        let source = open(&file.path).expect("opened");
        act(&file.path);
        assert_eq!(borrowed(&source, 0..50_000), (text.clone(), None));
    }
}

#[test]
fn nothing_is_lent_while_maps_are_paused() {
    let _alone = alone();
    let text = long_text(50_000);
    let file = test_file(&text);
    let source = open(&file.path).expect("opened");
    let mut piece = Piece::new();
    piece.borrow(&source, 0..900).expect("lent");
    let paused = pause();
    let mut copied = Piece::new();
    copied.borrow(&source, 7..900).expect("read");
    assert!(!copied.is_borrowed());
    // Without a lease, no writer waits, and the piece in use does not change.
    File::options()
        .write(true)
        .open(&file.path)
        .and_then(|file| file.write_all_at(b"xxx", 0))
        .expect("written");
    assert_eq!(piece.bytes(), &text[..900]);
    assert_eq!(copied.bytes(), &text[7..900]);
    drop(paused);
    copied.borrow(&source, 0..900).expect("read");
    assert!(copied.is_borrowed(), "a new map is lent");
    assert_eq!(copied.bytes()[..3], *b"xxx");
    assert_eq!(piece.bytes(), &text[..900]);
}

/// Returns the bytes of a file that the process's maps occupy.
fn resident(path: &Path) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/smaps").expect("maps");
    let name = path.to_str().expect("a name");
    let mut of_file = maps.lines().skip_while(|line| !line.ends_with(name));
    let line = of_file.find_map(|line| line.strip_prefix("Rss:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.expect("a map of the file") << 10
}

#[test]
fn what_was_scanned_is_evicted() {
    let _alone = alone();
    let text = long_text(8 << 20);
    let file = test_file(&text);
    let source = open(&file.path).expect("opened");
    let len = text.len() as u64;
    assert_eq!(borrowed(&source, 0..len), (text, None));
    assert!(resident(&file.path) >= len);
    source.evict(0..len / 2);
    assert!((len / 2..len / 2 + 100_000).contains(&resident(&file.path)));
    source.evict(0..len);
    assert_eq!(resident(&file.path), 0);
    assert_eq!(borrowed(&source, 5..9).1, None, "it is mapped again");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn lent_bytes_are_those_that_are_copied(
        len in 1..40_000_usize,
        ranges in proptest::collection::vec((0..40_000_u64, 0..40_000_u64, 0..40_000_u64), 1..12),
    ) {
        let _alone = alone();
        let text = long_text(len);
        let file = test_file(&text);
        let source = open(&file.path).expect("opened");
        for (from, to, more) in ranges {
            let mut ends = [from, to, more].map(|at| at.min(len as u64));
            ends.sort_unstable();
            let [start, end, last] = ends;
            let (mut lent, mut copied) = (Piece::new(), Piece::new());
            lent.borrow(&source, start..end).expect("lent");
            prop_assert!(lent.is_borrowed());
            copied.read(&source, start..end).expect("read");
            prop_assert_eq!(lent.bytes(), copied.bytes());
            lent.extend(&source, last).expect("lent");
            prop_assert_eq!(lent.bytes(), &text[start as usize..last as usize]);

            prop_assert_eq!(source.copy_reason(), None);
        }
    }
}
