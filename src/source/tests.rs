//! Every kind of input through the real maps, decoders and pipes.

use std::fs::{self, File};
use std::io::{Cursor, PipeWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use super::spool::Spool;
use super::*;

/// Far longer than anything here takes, even on a busy machine.
const LONG: Duration = Duration::from_secs(30);

/// A folder of files.
struct Disk {
    folder: TempDir,
}

impl Disk {
    fn new() -> Self {
        Self { folder: TempDir::new().expect("a folder") }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        path
    }
}

fn open(path: &Path) -> Result<Arc<Source>, SourceError> {
    Source::open(&Input::Path(path.to_owned()))
}

fn decoding(input: impl Read + Send + 'static) -> Arc<Source> {
    Source::spooled("pipe".into(), input, None, None).expect("a source")
}

fn pipe() -> (Arc<Source>, PipeWriter) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    (decoding(reader), writer)
}

/// One gzip member for each piece.
fn gz(pieces: &[&[u8]]) -> Vec<u8> {
    let member = |piece: &&[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(piece).expect("encoded");
        encoder.finish().expect("encoded")
    };
    pieces.iter().flat_map(member).collect()
}

/// One zstd frame for each piece.
fn zst(pieces: &[&[u8]]) -> Vec<u8> {
    pieces.iter().flat_map(|piece| zstd::encode_all(*piece, 1).expect("encoded")).collect()
}

/// Bytes that do not compress away: a cut archive of them still holds a good part.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_u32;
    let letter = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        b'a' + (state % 26) as u8
    };
    (0..length).map(letter).collect()
}

/// All that comes of a source, read both ways, and what it ended with.
fn drain(source: &Source) -> (Vec<u8>, Result<(), SourceError>) {
    let end = loop {
        match source.wait_beyond(source.extent().len, LONG) {
            Ok(extent) if extent.complete => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    let len = source.extent().len;
    assert_eq!(source.extent().complete, end.is_ok());
    let mut read = Vec::new();
    source.read_at(0..len, &mut read).expect("readable");
    assert!(*source.view(0..len).expect("a view") == *read, "a view shows what is read by place");
    (read, end)
}

#[test]
fn encodings_are_told_by_content() {
    let (one, two) = (&b"{\"a\": 1}\n"[..], &b"{\"a\": 2}\n"[..]);
    let both = [one, two].concat();
    let skippable = [&b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..], &zst(&[one, two])].concat();
    let disk = Disk::new();
    for (name, bytes, encoding) in [
        ("plain.jsonl", both.clone(), Encoding::Plain),
        ("plain.gz", both.clone(), Encoding::Plain),
        ("one.gz", gz(&[&both]), Encoding::Gzip),
        ("members.gz", gz(&[one, b"", two]), Encoding::Gzip),
        ("without-extension", gz(&[one, two]), Encoding::Gzip),
        ("lies.jsonl", gz(&[&both]), Encoding::Gzip),
        ("one.zst", zst(&[&both]), Encoding::Zstd),
        ("frames.zst", zst(&[one, two]), Encoding::Zstd),
        ("skippable.zst", skippable, Encoding::Zstd),
    ] {
        let source = open(&disk.put(name, &bytes)).expect(name);
        assert_eq!(drain(&source), (both.clone(), Ok(())), "{name}");
        assert_eq!(source.encoding(), encoding, "{name}");
        let size = bytes.len() as u64;
        assert_eq!(source.progress(), Progress { read: size, of: Some(size) }, "{name}");
        assert!(!source.faulted() && source.change().is_none(), "{name}");
    }
}

#[test]
fn embedded_bytes_are_a_source() {
    let source = Source::open(&Input::Embedded { name: "demo", bytes: b"{}\n" }).expect("a source");
    assert_eq!((source.name(), drain(&source)), ("demo", (b"{}\n".to_vec(), Ok(()))));
    assert!(source.view(0..4).is_err());
}

#[test]
fn what_cannot_be_opened_says_what_it_is_and_what_to_do() {
    let disk = Disk::new();
    for (name, bytes, expected) in [
        ("empty", &b""[..], "is empty; was its download"),
        ("utf16le", b"\xff\xfe{\0}\0", "UTF-16 text, not JSON Lines; convert it first: iconv"),
        ("utf16be", b"\xfe\xff\0{\0}", "UTF-16 text"),
        ("utf16-without-mark", b"{\0}\0", "a binary file"),
        ("table.parquet", b"PAR1\x15\x04", "a Parquet file, not JSON Lines; convert it first"),
        ("archive.zip", b"PK\x03\x04\x14", "a zip archive"),
        ("nul", b"{\"a\": \"\0\"}", "a binary file"),
    ] {
        let path = disk.put(name, bytes);
        let error = open(&path).expect_err(name).to_string();
        assert!(error.contains(expected) && error.starts_with(path.to_str().expect("a name")), "{error}");
        // The same from a pipe, which has to be waited for.
        let (kept, end) = drain(&decoding(Cursor::new(bytes)));
        let error = end.expect_err(name).to_string();
        assert!(kept.is_empty() && error.contains(expected) && error.starts_with("pipe"), "{error}");
    }
    let missing = open(&disk.folder.path().join("missing")).expect_err("missing");
    assert!(matches!(missing, SourceError::NotFound { .. }), "{missing}");
    let folder = open(disk.folder.path()).expect_err("a folder");
    assert!(matches!(folder, SourceError::IsDirectory { .. }), "{folder}");
}

#[test]
fn a_file_of_somebody_else_is_told_as_such() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::geteuid().is_root() {
        // Nothing is forbidden to root.
        return;
    }
    let disk = Disk::new();
    let path = disk.put("secret", b"{}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("changed");
    assert!(matches!(open(&path), Err(SourceError::Permission { .. })));
}

#[test]
fn compressed_nothing_is_empty() {
    let disk = Disk::new();
    for (name, bytes) in [("gz", gz(&[b""])), ("zst", zst(&[b""]))] {
        let source = open(&disk.put(name, &bytes)).expect(name);
        let (kept, end) = drain(&source);
        assert!(kept.is_empty() && matches!(end, Err(SourceError::Empty { .. })), "{name}: {end:?}");
    }
}

#[test]
fn damage_keeps_the_good_bytes() {
    let text = noise(300_000);
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() * 2 / 3].to_vec();
    let garbage = |bytes: Vec<u8>| [&bytes, &b"this is no archive any more"[..]].concat();
    let disk = Disk::new();
    for (name, bytes, least) in [
        ("cut gz", cut(gz(&[&text])), 150_000),
        ("cut in the second member", cut(gz(&[&text[..150_000], &text[150_000..]])), 150_000),
        ("cut zst", cut(zst(&[&text])), 131_072),
        ("cut in the second frame", cut(zst(&[&text[..150_000], &text[150_000..]])), 150_000),
        ("gz and garbage", garbage(gz(&[&text])), text.len()),
        ("zst and garbage", garbage(zst(&[&text])), text.len()),
    ] {
        let source = open(&disk.put(name, &bytes)).expect(name);
        let (kept, end) = drain(&source);
        assert!(kept.len() >= least && text.starts_with(&kept), "{name}: {} bytes kept", kept.len());
        let error = end.expect_err(name);
        assert!(matches!(error, SourceError::Decode { .. }), "{name}: {error}");
        // It is told again to whoever asks again, and the good bytes can be had without asking.
        assert_eq!(source.wait_beyond(kept.len() as u64, LONG), Err(error), "{name}");
        assert_eq!(source.wait_beyond(0, LONG).map(|extent| extent.len), Ok(kept.len() as u64), "{name}");
    }
}

/// Hands out a few bytes at a time, as a slow pipe does.
struct Trickle {
    bytes: Cursor<Vec<u8>>,
    step: usize,
}

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(self.step);
        self.bytes.read(&mut buffer[..length])
    }
}

#[test]
fn the_first_bytes_may_come_one_by_one() {
    let text = b"{\"a\": 1}\n";
    for (bytes, encoding) in [
        (text.to_vec(), Encoding::Plain),
        (gz(&[text]), Encoding::Gzip),
        (zst(&[text]), Encoding::Zstd),
        (b"B\n".to_vec(), Encoding::Plain),
        (b"P".to_vec(), Encoding::Plain),
    ] {
        for step in 1..4 {
            let expected = if encoding == Encoding::Plain { &bytes[..] } else { text };
            let source = decoding(Trickle { bytes: Cursor::new(bytes.clone()), step });
            assert_eq!(drain(&source), (expected.to_vec(), Ok(())), "{encoding:?} by {step}");
            assert_eq!(source.encoding(), encoding);
        }
    }
    let parquet = decoding(Trickle { bytes: Cursor::new(b"PAR1....".to_vec()), step: 1 });
    assert!(matches!(drain(&parquet).1, Err(SourceError::NotText { .. })));
}

#[test]
fn a_pipe_is_read_as_it_comes() {
    let (source, mut writer) = pipe();
    assert_eq!(source.wait_beyond(0, Duration::from_millis(5)), Ok(Extent::default()));
    let mut sent = Vec::new();
    for number in 0..50 {
        let row = format!("{{\"row\": {number}}}\n");
        let before = sent.len() as u64;
        writer.write_all(row.as_bytes()).expect("written");
        sent.extend_from_slice(row.as_bytes());
        let mut extent = source.wait_beyond(before, LONG).expect("more");
        while extent.len < sent.len() as u64 {
            extent = source.wait_beyond(extent.len, LONG).expect("more");
        }
        assert_eq!(extent, Extent { len: sent.len() as u64, complete: false });
        assert!(*source.view(0..extent.len).expect("a view") == *sent);
    }
    drop(writer);
    assert_eq!(drain(&source), (sent.clone(), Ok(())));
    assert_eq!(source.progress(), Progress { read: sent.len() as u64, of: None });
    assert_eq!((source.change(), source.view(0..sent.len() as u64 + 1).is_err()), (None, true));
}

#[test]
fn waiting_ends_with_the_bytes_the_end_or_the_time() {
    let (source, mut writer) = pipe();
    let began = Instant::now();
    assert_eq!(source.wait_beyond(0, Duration::from_millis(30)), Ok(Extent::default()));
    assert!(began.elapsed() >= Duration::from_millis(30));
    let waiting = std::thread::spawn({
        let source = Arc::clone(&source);
        move || source.wait_beyond(3, LONG)
    });
    writer.write_all(b"{}\n").expect("written");
    writer.write_all(b"{").expect("written");
    assert_eq!(waiting.join().expect("no panic"), Ok(Extent { len: 4, complete: false }));
    let waiting = std::thread::spawn({
        let source = Arc::clone(&source);
        move || source.wait_beyond(100, LONG)
    });
    drop(writer);
    assert_eq!(waiting.join().expect("no panic"), Ok(Extent { len: 4, complete: true }));
    // There is nothing to wait for in a file.
    let disk = Disk::new();
    let plain = open(&disk.put("plain", b"{}\n")).expect("a source");
    assert_eq!(plain.wait_beyond(100, LONG), Ok(Extent { len: 3, complete: true }));
}

#[test]
fn a_pipe_that_nobody_reads_any_more_is_let_go() {
    let (source, mut writer) = pipe();
    writer.write_all(b"{}\n").expect("written");
    source.wait_beyond(0, LONG).expect("a row");
    drop(source);
    let deadline = Instant::now() + LONG;
    let piece = vec![b' '; 1 << 16];
    let error = loop {
        match writer.write_all(&piece) {
            Ok(()) => assert!(Instant::now() < deadline, "the decoder still reads"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}

#[test]
fn a_view_outlives_its_source() {
    let (source, mut writer) = pipe();
    writer.write_all(b"{}\n").expect("written");
    source.wait_beyond(2, LONG).expect("a row");
    let view = source.view(0..3).expect("a view");
    drop((source, writer));
    assert_eq!(&*view, b"{}\n");
}

#[test]
fn beyond_its_memory_a_spool_moves_to_disk() {
    let text = noise(10_000);
    let spool = Spool::new("spool", None, 4000).expect("a spool");
    let mut old = None;
    for (index, piece) in text.chunks(1000).enumerate() {
        spool.append(piece).expect("appended");
        let len = (index as u64 + 1) * 1000;
        assert_eq!(spool.extent(), Extent { len, complete: false });
        assert!(*spool.view(0..len).expect("a view") == text[..len as usize]);
        assert_eq!(is_in_memory(&spool.file()), cfg!(target_os = "linux") && len <= 4000, "{len} bytes");
        old.get_or_insert_with(|| spool.view(0..len).expect("a view"));
    }
    spool.end(Ok(()));
    assert_eq!(spool.extent(), Extent { len: 10_000, complete: true });
    assert!(*spool.view(9_990..10_000).expect("a view") == text[9_990..]);
    assert!(old.is_some_and(|old| *old == text[..1000]), "a view from before the move");
    let mut read = vec![0; 10_000];
    spool.file().read_exact_at(&mut read, 0).expect("read");
    assert!(read == text);
}

/// Whether a file has no place on any disk.
fn is_in_memory(file: &File) -> bool {
    use std::os::fd::AsRawFd;
    let link = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    link.is_ok_and(|target| target.to_string_lossy().starts_with("/memfd:"))
}

#[test]
fn a_change_on_disk_is_told() {
    let write = |path: &Path, bytes: &[u8]| {
        File::options()
            .write(true)
            .truncate(true)
            .open(path)
            .and_then(|mut file| file.write_all(bytes))
            .expect("written");
    };
    type Act<'a> = &'a dyn Fn(&Path);
    let acts: [(Act<'_>, Option<Change>); 6] = [
        (&|_| {}, None),
        (&|path| write(path, b"{}"), Some(Change::Shrunk)),
        (&|path| write(path, b"{\"a\": 1}\n{\"a\": 2}\n"), Some(Change::Grown)),
        (
            &|path| {
                write(path, b"{\"a\": 9}\n");
                // Clocks of file systems are coarse.
                let later = SystemTime::now() + Duration::from_secs(10);
                File::options().write(true).open(path).and_then(|file| file.set_modified(later)).expect("set");
            },
            Some(Change::Modified),
        ),
        (
            &|path| {
                let other = path.with_extension("new");
                fs::write(&other, b"{\"a\": 1}\n").and_then(|()| fs::rename(&other, path)).expect("renamed");
            },
            Some(Change::Replaced),
        ),
        (&|path| fs::remove_file(path).expect("removed"), Some(Change::Gone)),
    ];
    for (act, expected) in acts {
        let disk = Disk::new();
        let path = disk.put("rows.jsonl", b"{\"a\": 1}\n");
        let source = open(&path).expect("a source");
        act(&path);
        assert_eq!(source.change(), expected);
    }
    let disk = Disk::new();
    let path = disk.put("rows.gz", &gz(&[b"{}\n"]));
    let source = open(&path).expect("a source");
    assert_eq!(source.change(), None);
    fs::remove_file(path).expect("removed");
    assert_eq!((source.change(), drain(&source)), (Some(Change::Gone), (b"{}\n".to_vec(), Ok(()))));
}

#[test]
fn a_file_that_shrinks_is_an_error_by_place_and_zeros_in_a_view() {
    let disk = Disk::new();
    let path = disk.put("rows.jsonl", &vec![b'x'; 256 << 10]);
    let source = open(&path).expect("a source");
    let view = source.view(0..256 << 10).expect("a view");
    File::options().write(true).open(&path).and_then(|file| file.set_len(64 << 10)).expect("shrunk");
    let mut buffer = Vec::new();
    source.read_at(0..64 << 10, &mut buffer).expect("still there");
    assert!(buffer.iter().all(|&byte| byte == b'x'));
    for range in [64 << 10..65 << 10, (64 << 10) - 1..(64 << 10) + 1] {
        let error = source.read_at(range, &mut buffer).expect_err("gone");
        assert!(matches!(error, SourceError::Shrunk { .. }), "{error}");
    }
    assert!(!source.faulted(), "nothing of the map was looked at");
    assert_eq!((view[0], view[200 << 10], view[(256 << 10) - 1]), (b'x', 0, 0));
    assert!(source.faulted());
    let later = source.view(128 << 10..256 << 10).expect("a view");
    assert!(later.iter().all(|&byte| byte == 0));
    assert_eq!(source.change(), Some(Change::Shrunk));
}
