//! Reads samples, rows and texts of a loaded dataset, and names them.

pub mod fingerprint;
pub mod key;
pub mod reading_warnings;
pub mod sample;
pub mod sample_name;
pub mod scan_rows;
pub mod text_columns;
