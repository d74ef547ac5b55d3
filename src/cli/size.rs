//! The size of a frame.

use std::str::FromStr;

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text
            .split_once(['x', 'X'])
            .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
        match sides {
            // A larger frame than this is a slip, and its buffer would not be small.
            Some((width, height))
                if (1..=1000).contains(&width) && (1..=1000).contains(&height) =>
            {
                Ok(Self { width, height })
            }
            _ => Err("a size is columns x rows, 1 to 1000 each, for instance 120x40".to_owned()),
        }
    }
}
