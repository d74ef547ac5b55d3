//! From files to chunks of rows and samples: waves of lines, scanned, grouped and packed.

pub mod chunk;
pub mod events;
pub mod file_fields;
pub mod group;
pub mod growth;
pub mod loader;
pub mod row_batch;
pub mod row_predicate;
pub mod sample_window;
pub mod scan;
pub mod shards;
pub mod waves;
