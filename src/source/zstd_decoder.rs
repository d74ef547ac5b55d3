//! The decoder of zstd, wherever its bytes come from.

use std::io::{self, BufRead};

use super::sniff::MOST_WINDOW_LOG;

/// A stream that zstd packed, being unpacked.
pub(super) type ZstdDecoder<R> = zstd::stream::read::Decoder<'static, R>;

/// A decoder that also takes what `zstd --ultra --long=31` wrote. Of a large window only as much
/// becomes memory as the text is long.
///
/// # Errors
/// When the system has no memory for it.
pub(super) fn zstd_decoder<R: BufRead>(from: R) -> io::Result<ZstdDecoder<R>> {
    let mut decoder = ZstdDecoder::with_buffer(from)?;
    decoder.window_log_max(MOST_WINDOW_LOG)?;
    Ok(decoder)
}
