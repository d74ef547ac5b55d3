//! Opens every kind of input.

use std::fs::File;
use std::io::{self, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

mod containers;
mod maps;
mod parquet_rows;

const LONG: Duration = Duration::from_secs(30);
const TEXT: &[u8] = b"{\"prompt\": \"c#\"}\n{\"prompt\": \"d\"}\n";

impl Source {
    /// Opens an input; a JSON list on a single line counts as a row.
    pub(crate) fn open(input: &Input) -> Result<Arc<Self>, SourceError> {
        Self::open_rows(input, RowSearch::default())
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory")
}

/// Returns a text that does not compress well.
fn long_text(bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let letter = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 26 == 0 {
            b'\n'
        } else {
            b'a' + (state >> 24) as u8 % 26
        }
    };
    (0..bytes).map(letter).collect()
}

/// A file in a folder that is removed after the test.
struct TestFile {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn test_file(bytes: &[u8]) -> TestFile {
    let folder = tempfile::tempdir().expect("a folder");
    // A misleading name.
    let path = folder.path().join("f.parquet");
    std::fs::write(&path, bytes).expect("written");
    TestFile {
        _folder: folder,
        path,
    }
}

fn open(path: &Path) -> Result<Arc<Source>, SourceError> {
    Source::open(&Input::Path(path.to_owned()))
}

fn open_within(path: &Path, memory_limit: u64) -> Arc<Source> {
    let input = Input::Path(path.to_owned());
    Arc::new(Source::open_within(&input, RowSearch::default(), memory_limit).expect("opened"))
}

fn open_fd(fd: impl Into<OwnedFd>) -> Result<Source, SourceError> {
    Opener {
        short_name: String::new(),
        name: "standard input".to_owned(),
        memory_limit: spool::MEMORY_LIMIT,
        rows: RowSearch::default(),
    }
    .file(File::from(fd.into()), None)
}

fn piped() -> (Source, PipeWriter) {
    let (reader, writer) = io::pipe().expect("a pipe");
    (open_fd(reader).expect("opened"), writer)
}

/// Waits for all bytes; returns the valid ones and the outcome.
fn all(source: &Source) -> (Vec<u8>, Result<(), SourceError>) {
    let mut extent = source.extent();
    let mut end = Ok(());
    while !extent.complete {
        match source.wait_beyond(extent.len, LONG) {
            Ok(next) => {
                assert!(next.complete || next.len > extent.len, "waited in vain");
                extent = next;
            }
            Err(error) => {
                end = Err(error);
                break;
            }
        }
    }
    let mut read = Vec::new();
    source.read_at(0..extent.len, &mut read).expect("read");
    (read, end)
}

fn threads(named: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task")
        .expect("tasks")
        .flatten();
    let comm = |task: std::fs::DirEntry| {
        std::fs::read_to_string(task.path().join("comm")).unwrap_or_default()
    };
    tasks
        .map(comm)
        .filter(|comm| comm.trim_end() == named)
        .count()
}

#[test]
fn every_encoding_in_a_file_a_pipe_and_the_program() {
    let two_members = [
        gzip(b"{\"prompt\": \"c#\"}\n"),
        gzip(b"{\"prompt\": \"d\"}\n"),
    ]
    .concat();
    let two_frames = [
        zstd(b"{\"prompt\": \"c#\"}\n"),
        zstd(b"{\"prompt\": \"d\"}\n"),
    ]
    .concat();
    let skippable = [&b"\x50\x2a\x4d\x18\x02\0\0\0hi"[..], &zstd(TEXT)].concat();
    for (raw, encoding) in [
        (TEXT.to_vec(), Encoding::Plain),
        (gzip(TEXT), Encoding::Gzip),
        (two_members, Encoding::Gzip),
        ([gzip(b""), gzip(TEXT)].concat(), Encoding::Gzip),
        (zstd(TEXT), Encoding::Zstd),
        (two_frames, Encoding::Zstd),
        (skippable, Encoding::Zstd),
    ] {
        let file = test_file(&raw);
        let (pipe, mut writer) = piped();
        writer.write_all(&raw).expect("room");
        drop(writer);
        let size = Some(raw.len() as u64);
        let embedded = Input::Embedded {
            name: "demo",
            bytes: raw.clone().leak(),
        };
        for (source, of) in [
            (open(&file.path).expect("opened"), size),
            (
                Arc::new(open_fd(File::open(&file.path).expect("opened")).expect("opened")),
                size,
            ),
            (Arc::new(pipe), None),
            (Source::open(&embedded).expect("opened"), size),
        ] {
            assert_eq!(all(&source), (TEXT.to_vec(), Ok(())));
            assert_eq!(source.encoding(), encoding);
            assert_eq!(
                source.progress(),
                Progress {
                    read: raw.len() as u64,
                    of
                }
            );
            assert_eq!(source.check_unchanged(), Ok(()));
        }
    }
}

#[test]
fn what_cannot_be_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = test_file(TEXT);
    let empty = test_file(b"");
    for (path, expected) in [
        (folder.path().join("none.jsonl"), "no such file"),
        (file.path.join("below"), "no such file"),
        (folder.path().to_owned(), "is a directory"),
        (empty.path.clone(), "is empty"),
    ] {
        let message = open(&path).expect_err("an error").to_string();
        assert!(
            message.starts_with(&*path.to_string_lossy()) && message.contains(expected),
            "{message}"
        );
    }
}

#[test]
fn what_turns_out_while_it_is_decoded() {
    let name = "standard input".to_owned();
    for (raw, expected) in [
        (Vec::new(), "is empty"),
        (gzip(b""), "is empty"),
        (zstd(b""), "is empty"),
        (gzip(b"PAR1\x15"), "is a truncated Parquet file"),
        (b"PAR1\x15\x04\x15".to_vec(), "is a truncated Parquet file"),
        (gzip(&gzip(TEXT)), "compressed twice"),
        (b"\xff\xfe\0\0{\0\0\0".to_vec(), "UTF-32"),
    ] {
        let (source, mut writer) = piped();
        writer.write_all(&raw).expect("room");
        drop(writer);
        let (bytes, end) = all(&source);
        let message = end.expect_err("an error").to_string();
        assert!(
            bytes.is_empty() && message.starts_with(&name) && message.contains(expected),
            "{message}"
        );
    }
}

#[test]
fn good_bytes_come_before_the_damage() {
    let text = long_text(3_000_000);
    let (gz, zst) = (gzip(&text), zstd(&text));
    let followed = |packed: &[u8], by: &[u8]| [packed, by].concat();
    let flipped = {
        let mut packed = gz.clone();
        let middle = packed.len() / 2;
        packed[middle..middle + 64].fill(0x55);
        packed
    };
    let bad_checksum = {
        let mut packed = gz.clone();
        let at = packed.len() - 8;
        packed[at] ^= 1;
        packed
    };
    let whole = text.len();
    for (what, raw, at_least, expected) in [
        (
            "cut gzip",
            gz[..gz.len() / 2].to_vec(),
            whole / 3,
            "is truncated",
        ),
        (
            "cut checksum",
            gz[..gz.len() - 3].to_vec(),
            whole,
            "is truncated",
        ),
        (
            "cut second member",
            followed(&gz, &gz[..100]),
            whole,
            "is truncated",
        ),
        (
            "cut zstd",
            zst[..zst.len() / 2].to_vec(),
            whole / 3,
            "is truncated",
        ),
        (
            "zeros",
            followed(&gz, &[0; 512]),
            whole,
            "is followed by other data",
        ),
        (
            "garbage",
            followed(&gz, b"garbage after the end"),
            whole,
            "is followed by other data",
        ),
        (
            "zstd garbage",
            followed(&zst, b"garbage after the end"),
            whole,
            "is followed by other data",
        ),
        ("flipped", flipped, whole / 3, "is damaged"),
        ("checksum", bad_checksum, whole, "is damaged"),
    ] {
        let file = test_file(&raw);
        let source = open(&file.path).expect("opened");
        let (bytes, end) = all(&source);
        assert!(
            bytes.len() >= at_least,
            "{what}: {} of {whole} bytes",
            bytes.len()
        );
        // After a flipped bit, some bytes may decode wrongly before the damage shows.
        let sure = if what == "flipped" {
            at_least
        } else {
            bytes.len()
        };
        assert!(
            text.iter().chain(&text).take(sure).eq(&bytes[..sure]),
            "{what}"
        );
        let error = end.expect_err(what);
        assert!(error.to_string().contains(expected), "{what}: {error}");
        assert!(
            matches!(error, SourceError::Decode { kept, .. } if kept == bytes.len() as u64),
            "{what}"
        );
        assert_eq!(
            source.wait_beyond(0, LONG),
            Ok(Extent {
                len: bytes.len() as u64,
                complete: false
            })
        );
        assert_eq!(
            source.wait_beyond(bytes.len() as u64, LONG),
            Err(error),
            "it is said again"
        );
    }
}

#[test]
fn past_the_limit_it_goes_to_disk() {
    let text = long_text(5_000_000);
    for raw in [gzip(&text), zstd(&text)] {
        let file = test_file(&raw);
        for memory_limit in [0, 100_000, 3_000_000] {
            let source = open_within(&file.path, memory_limit);
            assert!(all(&source) == (text.clone(), Ok(())));
        }
    }
}

#[test]
fn a_pipe_is_seen_as_it_comes() {
    let (source, mut writer) = piped();
    assert_eq!(source.extent(), Extent::default());
    assert_eq!(
        source.wait_beyond(0, Duration::from_millis(5)),
        Ok(Extent::default())
    );
    let mut written = 0;
    // Lines are available as soon as a list is ruled out.
    for piece in [&b"{\"a\": 1}"[..], b"\n{\"b\"", b": 1}", b"\n{}"] {
        writer.write_all(piece).expect("room");
        written += piece.len() as u64;
        assert_eq!(
            source.wait_beyond(written - 1, LONG).expect("good").len,
            written
        );
    }
    drop(writer);
    assert_eq!(
        source.wait_beyond(written, LONG),
        Ok(Extent {
            len: written,
            complete: true
        })
    );
    assert_eq!(source.change(), None);
}

#[test]
fn a_packed_pipe_may_come_byte_by_byte() {
    for (raw, encoding) in [(gzip(TEXT), Encoding::Gzip), (zstd(TEXT), Encoding::Zstd)] {
        let (source, mut writer) = piped();
        let feeder = std::thread::spawn(move || {
            for byte in raw {
                writer.write_all(&[byte]).expect("room");
                std::thread::yield_now();
            }
        });
        assert_eq!(all(&source), (TEXT.to_vec(), Ok(())));
        assert_eq!(source.encoding(), encoding);
        feeder.join().expect("no panic");
    }
}

#[test]
fn standard_input_half_read_gives_the_rest() {
    use std::io::{Read, Seek};
    let file = test_file(TEXT);
    let mut half_read = File::open(&file.path).expect("opened");
    half_read.read_exact(&mut [0; 17]).expect("read");
    let source = open_fd(half_read.try_clone().expect("a handle")).expect("opened");
    assert_eq!(all(&source), (b"{\"prompt\": \"d\"}\n".to_vec(), Ok(())));
    assert_eq!(
        half_read.stream_position().expect("a place"),
        17,
        "the shared cursor stays"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_named_pipe_waits_for_its_writer_and_a_file_of_no_length_is_read() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let source = open(&path).expect("opened without a writer");
    assert_eq!(
        source.wait_beyond(0, Duration::from_millis(20)),
        Ok(Extent::default())
    );
    std::fs::write(&path, TEXT).expect("written");
    assert_eq!(all(&source), (TEXT.to_vec(), Ok(())));

    let (bytes, end) = all(&open(Path::new("/proc/self/status")).expect("opened"));
    assert!(bytes.starts_with(b"Name:") && end.is_ok());
}

#[test]
fn a_file_that_shrinks_is_an_error_to_read() {
    let file = test_file(&long_text(100_000));
    let source = open(&file.path).expect("opened");
    assert_eq!(source.check_unchanged(), Ok(()));
    let writer = File::options()
        .write(true)
        .open(&file.path)
        .expect("opened");
    let shrunk = SourceError::Shrunk(source.name().to_owned());
    writer.set_len(10_000).expect("shrunk");
    let mut buffer = b"old".to_vec();
    assert_eq!(
        source.read_at(9_000..11_000, &mut buffer),
        Err(shrunk.clone())
    );
    assert!(buffer.is_empty());
    assert_eq!(source.read_at(9_000..10_000, &mut buffer), Ok(()));
    assert_eq!(
        (source.change(), source.check_unchanged()),
        (Some(FileChange::Shrunk), Err(shrunk))
    );
    // The length is restored, but the missing bytes were noticed.
    writer.set_len(100_000).expect("grown");
    assert!(matches!(
        source.check_unchanged(),
        Err(SourceError::Changed(_))
    ));
}

#[test]
fn a_file_modified_in_place_is_reported_and_a_replaced_one_stays_readable() {
    let text = long_text(50_000);
    for stdin in [false, true] {
        let file = test_file(&text);
        std::fs::hard_link(&file.path, file.path.with_extension("same")).expect("linked");
        let source = match stdin {
            true => Arc::new(open_fd(File::open(&file.path).expect("opened")).expect("opened")),
            false => open(&file.path).expect("opened"),
        };
        let other = file.path.with_extension("new");
        std::fs::write(&other, b"{}").expect("written");
        std::fs::rename(&other, &file.path).expect("replaced");
        assert_eq!(
            source.check_unchanged(),
            Ok(()),
            "the file that is open is the old one"
        );
        assert_eq!(all(&source), (text.clone(), Ok(())));
        let writer = File::options()
            .write(true)
            .open(file.path.with_extension("same"))
            .expect("opened");
        writer.write_all_at(b"x", 25_000).expect("written");
        assert!(matches!(
            source.check_unchanged(),
            Err(SourceError::Changed(_))
        ));
        assert_eq!(
            source.change(),
            Some(if stdin {
                FileChange::Modified
            } else {
                FileChange::Replaced
            })
        );
    }
}

#[test]
fn a_compressed_file_that_changes_while_it_is_decoded_is_reported() {
    for changed in [gzip(TEXT), gzip(b"{}\n"), gzip(TEXT)[..20].to_vec()] {
        let test_file = test_file(&gzip(TEXT));
        let file = File::open(&test_file.path).expect("opened");
        let stamp = change::FileStamp::new(&file, None).expect("a stamp");
        let spool = Arc::new(spool::Spool::new(None, spool::MEMORY_LIMIT));
        // Rewritten in place; only the final state counts, not what was decoded before.
        std::fs::write(&test_file.path, changed).expect("written");
        let rows = RowSearch::default();
        let raw = RawInput::file(file, 0, stamp);
        decode::start("f", raw, &rows, &spool).expect("a thread");
        let source = Opener {
            short_name: String::new(),
            name: "f".to_owned(),
            memory_limit: 0,
            rows,
        };
        let filling = Filling {
            spool,
            waiting: Default::default(),
            _stop: None,
        };
        let source = source.source(SourceBody::Spooled(filling), None);
        let (_, end) = all(&source);
        assert_eq!(end, Err(SourceError::Changed("f".to_owned())));
        assert_eq!(source.check_unchanged(), end);
    }
    let file = test_file(&gzip(TEXT));
    let source = open(&file.path).expect("opened");
    assert_eq!(all(&source), (TEXT.to_vec(), Ok(())));
    std::fs::write(&file.path, b"something else").expect("written");
    assert_eq!(
        source.check_unchanged(),
        Ok(()),
        "what was decoded is a copy"
    );
}

/// Any change to a file while it is read: either all of it was read, or the change is reported.
pub(super) fn survives_changes(raw: &[u8], whole: &[u8]) {
    let half = raw.len() as u64 / 2;
    let write = |path: &Path, bytes: &[u8], at: u64| {
        let file = File::options().write(true).open(path).expect("opened");
        file.write_all_at(bytes, at).expect("written");
    };
    let cut = |path: &Path, len: u64| {
        let file = File::options().write(true).open(path).expect("opened");
        file.set_len(len).expect("cut");
    };
    type Change<'c> = (&'c str, &'c dyn Fn(&Path));
    let changes: [Change<'_>; 6] = [
        ("shrunk", &|path| cut(path, half)),
        ("emptied", &|path| cut(path, 0)),
        ("longer", &|path| {
            write(path, b"more of it", raw.len() as u64);
        }),
        ("rewritten", &|path| write(path, &vec![b'x'; raw.len()], 0)),
        ("rewritten at the end", &|path| {
            write(path, &[0; 4096], half);
        }),
        ("twice", &|path| {
            std::fs::write(path, raw.repeat(2)).expect("written");
        }),
    ];
    for (what, change) in changes {
        let file = test_file(raw);
        let source = open(&file.path).expect("opened");
        let first = source.wait_beyond(0, LONG).expect("its beginning");
        assert!(first.len > 0, "{what}");
        change(&file.path);
        let (bytes, end) = all(&source);
        match end {
            // The change came before reading.
            Ok(()) => assert!(bytes == whole, "{what}: changed bytes without an error"),
            Err(error) => {
                let message = error.to_string();
                let name = file.path.to_str().expect("a name");
                assert!(
                    error.is_change() && message.contains(name),
                    "{what}: {message}"
                );
                assert_eq!(source.check_unchanged(), Err(error), "{what}");
            }
        }
    }
}

#[test]
fn a_changing_compressed_file_is_read_whole_or_reported() {
    let text = long_text(12_000_000);
    survives_changes(&zstd(&text), &text);
    let mut stored = GzEncoder::new(Vec::new(), Compression::none());
    stored.write_all(&text).expect("memory");
    survives_changes(&stored.finish().expect("memory"), &text);
}

/// Returns a zstd frame with a window of 2^`log` bytes that stores a text uncompressed.
fn zstd_with_window(log: u8, text: &[u8]) -> Vec<u8> {
    let block = (text.len() as u32) << 3 | 1;
    [
        &b"\x28\xb5\x2f\xfd\0"[..],
        &[(log - 10) << 3],
        &block.to_le_bytes()[..3],
        text,
    ]
    .concat()
}

#[test]
fn long_windows_of_zstd_open_or_are_named() {
    for log in [20, 27, 28, 31] {
        let file = test_file(&zstd_with_window(log, TEXT));
        assert_eq!(
            all(&open(&file.path).expect("opened")),
            (TEXT.to_vec(), Ok(())),
            "{log}"
        );
    }
    let file = test_file(&zstd_with_window(32, TEXT));
    let (bytes, end) = all(&open(&file.path).expect("opened"));
    let message = end.expect_err("too large").to_string();
    assert!(
        bytes.is_empty() && message.contains("a window of more than 2 GB; compress it again"),
        "{message}"
    );
}

#[test]
fn bytes_that_are_not_there() {
    let file = test_file(TEXT);
    let packed = test_file(&gzip(TEXT));
    let len = TEXT.len() as u64;
    for source in [
        open(&file.path).expect("opened"),
        open(&packed.path).expect("opened"),
        Source::open(&Input::Embedded {
            name: "demo",
            bytes: TEXT,
        })
        .expect("opened"),
    ] {
        all(&source).1.expect("all of it");
        let mut buffer = Vec::new();
        for (range, there) in [
            (0..len, true),
            (len..len, true),
            (0..len + 1, false),
            (u64::MAX - 1..u64::MAX, false),
            (Range { start: 3, end: 2 }, false),
        ] {
            assert_eq!(
                source.read_at(range.clone(), &mut buffer).is_ok(),
                there,
                "{range:?}"
            );
        }
    }
}

#[test]
fn threads_end_with_their_source() {
    // In a separate process, because other tests have such threads too.
    const CHILD: &str = "VISAVIS_TEST_THREADS";
    if std::env::var_os(CHILD).is_none() {
        let name = std::thread::current()
            .name()
            .expect("the test's name")
            .to_owned();
        let exe = std::env::current_exe().expect("the tests");
        let output = std::process::Command::new(exe)
            .args(["--exact", &name])
            .env(CHILD, "1")
            .output()
            .expect("a child");
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let (silent, writer) = piped();
    let endless = open(Path::new("/dev/zero")).expect("opened");
    let packed = test_file(&zstd(&vec![b'x'; 256 << 20]));
    let long = open(&packed.path).expect("opened");
    long.wait_beyond(0, LONG).expect("good");
    drop((silent, endless, long));
    let dropped = Instant::now();
    while threads("visavis-decode") > 0 {
        assert!(
            dropped.elapsed() < Duration::from_secs(5),
            "a thread goes on"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(writer);
}

#[test]
fn a_closed_file_is_read_until_it_changes() {
    type Act = fn(&Path);
    let keep: Act = |_| ();
    let rename: Act = |path| {
        let other = path.with_extension("new");
        std::fs::copy(path, &other).expect("copied");
        std::fs::rename(other, path).expect("replaced");
    };
    let delete: Act = |path| std::fs::remove_file(path).expect("deleted");
    let append: Act = |path| {
        let file = File::options().append(true).open(path);
        file.and_then(|mut file| file.write_all(b"{}"))
            .expect("appended");
    };
    let rewrite: Act = |path| std::fs::write(path, [b'x'; TEXT.len()]).expect("written");
    let truncate: Act = |path| File::create(path).map(drop).expect("truncated");
    let [changed, shrunk] =
        [SourceError::Changed, SourceError::Shrunk].map(|error| Err(error("f".to_owned())));
    for (act, change, read, check) in [
        (keep, None, &Ok(()), &Ok(())),
        (rename, Some(FileChange::Replaced), &changed, &changed),
        (delete, Some(FileChange::Gone), &changed, &changed),
        (append, Some(FileChange::Grown), &Ok(()), &changed),
        (rewrite, Some(FileChange::Modified), &changed, &changed),
        (truncate, Some(FileChange::Shrunk), &shrunk, &shrunk),
    ] {
        let file = test_file(TEXT);
        let mut source = Arc::into_inner(open(&file.path).expect("opened")).expect("one");
        source.body = SourceBody::Closed(source.stamp.clone().expect("a stamp"));
        source.name = "f".to_owned();
        let mut bytes = Vec::new();
        assert_eq!(source.read_at(2..9, &mut bytes), Ok(()));
        assert_eq!(bytes, TEXT[2..9]);
        act(&file.path);
        assert_eq!(source.change(), change);
        assert_eq!(&source.read_at(2..9, &mut bytes), read);
        assert_eq!(&source.check_unchanged(), check);
    }
}

#[test]
fn a_file_that_is_decoded_later_must_be_the_same() {
    for is_replaced in [false, true] {
        let file = test_file(&gzip(TEXT));
        let mut source = Arc::into_inner(open(&file.path).expect("opened")).expect("one");
        source.body = SourceBody::Spooled(Filling {
            spool: Arc::new(spool::Spool::new(None, spool::MEMORY_LIMIT)),
            waiting: Some(RowSearch::default()).into(),
            _stop: None,
        });
        if is_replaced {
            let other = file.path.with_extension("new");
            std::fs::write(&other, gzip(TEXT)).expect("written");
            std::fs::rename(other, &file.path).expect("replaced");
        }
        let (bytes, end) = all(&source);
        assert_eq!(bytes, TEXT);
        assert_eq!(end.is_err_and(|error| error.is_change()), is_replaced);
    }
}

#[test]
fn too_many_open_files_are_reported_as_such() {
    let refused = io::Error::from_raw_os_error(libc::EMFILE);
    let expected = SourceError::TooManyOpen("f".to_owned());
    assert_eq!(SourceError::of_open("f", &refused), expected);
    // As temporary files report it.
    let wrapped = io::Error::other(format!("{refused} at path \"/tmp/x\""));
    assert_eq!(SourceError::of_io("f", &wrapped), expected);
}
