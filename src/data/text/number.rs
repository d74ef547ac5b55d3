//! Formatting of numbers and counts for users.

/// Formats a number: integers in full, others with four significant digits, very large and small
/// ones with an exponent.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e12 {
        // Adding zero removes the sign of minus zero.
        return format!("{:.0}", value + 0.0);
    }
    let rounded = shown_value(value);
    if (1e-4..1e12).contains(&size) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// Returns the value that [`number`] shows.
pub fn shown_value(value: f64) -> f64 {
    if value.fract() == 0.0 {
        value
    } else {
        format!("{value:.3e}").parse().unwrap_or(value)
    }
}

/// Formats a number with all digits: integers without a point, zero without a sign.
pub fn exact_number(value: f64) -> String {
    (value + 0.0).to_string()
}

/// Formats a number with two decimals, zero without a sign.
pub fn two_decimals(value: f64) -> String {
    let number = format!("{value:.2}");
    match number.as_str() {
        "-0.00" => "0.00".to_owned(),
        _ => number,
    }
}

/// Formats a count with thousands separators: `20,324`.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(",")
}

/// Formats a count with its noun: `1 sample`, `20,324 samples`.
pub fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (value, text) in [
            (3.0, "3"),
            (-0.666_666_666, "-0.6667"),
            (0.5, "0.5"),
            (0.0004, "0.0004"),
            (123.456, "123.5"),
            (1.0e-9, "1e-9"),
            (1.0e300, "1e300"),
            (1_700_000_000.0, "1700000000"),
            (-0.0, "0"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(
            [-0.0, 123.456, 2.0].map(exact_number),
            ["0", "123.456", "2"]
        );
        assert_eq!([-0.004, 2.0 / 3.0].map(two_decimals), ["0.00", "0.67"]);
    }

    #[test]
    fn thousands() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (10_162, "10,162"),
            (1_000_000, "1,000,000"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            [0, 1, 1000].map(|count| counted(count, "hit")),
            ["0 hits", "1 hit", "1,000 hits"]
        );
    }
}
