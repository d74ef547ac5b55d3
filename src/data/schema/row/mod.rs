//! From a line to the values of its row: scanned, captured, decoded.

pub mod conversation;
pub mod keys;
pub mod lines;
pub mod messages;
pub mod path;
pub mod rationales;
pub mod reader;
pub mod record_scan;
pub mod slots;
pub mod stats;
pub mod texts;
pub mod turns;
pub mod values;
pub mod votes;
