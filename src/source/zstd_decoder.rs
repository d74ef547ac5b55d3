//! The decoder of zstd, wherever its bytes come from.

use std::io::{self, BufRead};

use zstd::stream::read::Decoder;

use super::sniff::MOST_WINDOW_LOG;

/// A decoder that also takes what `zstd --ultra --long=31` wrote. Of a large window only as much
/// becomes memory as the text is long.
///
/// # Errors
/// When the system has no memory for it.
pub(super) fn zstd_decoder<R: BufRead>(from: R) -> io::Result<Decoder<'static, R>> {
    let mut decoder = Decoder::with_buffer(from)?;
    decoder.window_log_max(MOST_WINDOW_LOG)?;
    Ok(decoder)
}
