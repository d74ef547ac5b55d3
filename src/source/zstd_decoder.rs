//! The zstd decoder for all inputs.

use std::io::{self, BufRead};

use zstd::stream::read::Decoder;

use super::sniff::MAX_WINDOW_LOG;

/// Creates a decoder that also accepts the output of `zstd --ultra --long=31`. Memory grows only to
/// the length of the text, not to the size of the window.
///
/// # Errors
/// If there is not enough memory.
pub(super) fn zstd_decoder<R: BufRead>(from: R) -> io::Result<Decoder<'static, R>> {
    let mut decoder = Decoder::with_buffer(from)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}
