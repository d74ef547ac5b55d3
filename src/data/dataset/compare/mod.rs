//! What is known of samples only by comparing them with each other.

pub mod comparisons;
pub mod findings;
pub mod overlap;
pub mod text_pass;
