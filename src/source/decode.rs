//! The thread that decodes an input into its spool.

use std::io::{self, BufReader, Cursor, Read};
use std::sync::{Arc, Weak};
use std::thread;

use flate2::bufread::MultiGzDecoder;

use super::SourceError;
use super::sniff::{self, Encoding};
use super::spool::Spool;

/// Raw bytes read at a time.
const RAW_PIECE: usize = 256 << 10;
/// Decoded bytes handed over at a time.
const PIECE: usize = 1 << 20;

/// Starts decoding; it stops soon after the spool is dropped.
pub(super) fn start(spool: &Arc<Spool>, input: impl Read + Send + 'static) -> io::Result<()> {
    let weak = Arc::downgrade(spool);
    let name = spool.name().to_owned();
    thread::Builder::new().name("decoder".to_owned()).spawn(move || {
        let end = run(&weak, &name, input);
        if let Some(spool) = weak.upgrade() {
            spool.end(end);
        }
    })?;
    Ok(())
}

fn run(spool: &Weak<Spool>, name: &str, input: impl Read) -> Result<(), SourceError> {
    let mut input = Counted { input, spool: Weak::clone(spool) };
    let head = head(&mut input).map_err(|error| SourceError::io(name, &error))?;
    let encoding = sniff::encoding(name, &head)?;
    if let Some(spool) = spool.upgrade() {
        spool.set_encoding(encoding);
    }
    let raw = BufReader::with_capacity(RAW_PIECE, Cursor::new(head).chain(input));
    let copied = match encoding {
        Encoding::Plain => copy(raw, spool),
        Encoding::Gzip => copy(MultiGzDecoder::new(raw), spool),
        Encoding::Zstd => zstd::stream::read::Decoder::with_buffer(raw).and_then(|decoder| copy(decoder, spool)),
    };
    copied.map_err(|error| match encoding {
        Encoding::Plain => SourceError::io(name, &error),
        Encoding::Gzip | Encoding::Zstd => SourceError::Decode { name: name.to_owned(), what: error.to_string() },
    })
}

/// The first bytes, enough to tell the encoding by: a slow pipe hands out fewer than a magic number has.
fn head(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = vec![0; sniff::HEAD_BYTES];
    let mut length = 0;
    while sniff::is_undecided(&head[..length]) {
        match input.read(&mut head[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(length);
    Ok(head)
}

fn copy(mut from: impl Read, spool: &Weak<Spool>) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let length = match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        // Nobody wants the rest.
        let Some(spool) = spool.upgrade() else { return Ok(()) };
        spool.append(&piece[..length])?;
    }
}

/// Counts raw bytes for the progress bar.
struct Counted<R> {
    input: R,
    spool: Weak<Spool>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        if let Some(spool) = self.spool.upgrade() {
            spool.count(length);
        }
        Ok(length)
    }
}
