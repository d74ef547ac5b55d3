//! Other files about the same responses.

pub mod joined_columns;
pub mod load_joined;
pub mod matching;
