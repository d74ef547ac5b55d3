//! Reads samples, rows and texts of a loaded dataset, and names them.

pub mod file_fields;
pub mod fingerprint;
pub mod key;
pub mod reading_warnings;
pub mod row_hash;
pub mod sample;
pub mod sample_name;
pub mod scan_rows;
pub mod text_columns;
pub mod text_pass;
