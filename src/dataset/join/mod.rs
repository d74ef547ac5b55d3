//! Other files about the same responses.

pub mod joined_file;
pub mod load_joined;
pub mod matching;
