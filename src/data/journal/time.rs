//! Times of acts, and ids for runs of the program.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::process;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last second of the year 9999.
const LATEST: Duration = Duration::from_secs(253_402_300_799);

/// Returns the current time in UTC as RFC 3339 with milliseconds.
pub fn now() -> String {
    format_time(SystemTime::now())
}

fn format_time(time: SystemTime) -> String {
    // Clamped, because formatting panics if the system clock is far off.
    humantime::format_rfc3339_millis(time.clamp(UNIX_EPOCH, UNIX_EPOCH + LATEST)).to_string()
}

/// Parses a time of RFC 3339 (section 5.6), in UTC or with an offset such as `+02:00`. Returns
/// `None` for anything else.
pub fn parse_time(text: &str) -> Option<SystemTime> {
    let in_utc = |text: &str| humantime::parse_rfc3339(text).ok();
    let text = text.to_ascii_uppercase().replace('Z', "+00:00");
    let (local, offset) = text.split_at_checked(text.len().checked_sub("+00:00".len())?)?;
    let local = in_utc(&format!("{local}Z"))?;
    let away = in_utc(&format!("1970-01-01T{}:00Z", offset.get(1..)?))?
        .duration_since(UNIX_EPOCH)
        .ok()?;
    match offset.get(..1)? {
        "+" => local.checked_sub(away),
        "-" => local.checked_add(away),
        _ => None,
    }
}

/// Returns eight random hex digits for a run of the program, with which the ids of its acts begin.
pub fn run_id() -> String {
    // The standard library seeds the keys of its hashes with system randomness.
    let number = RandomState::new().hash_one(process::id());
    format!("{:08x}", number >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_in_utc_with_milliseconds() {
        let at = |millis| UNIX_EPOCH + Duration::from_millis(millis);
        assert_eq!(
            format_time(at(1_795_252_745_007)),
            "2026-11-21T09:19:05.007Z"
        );
        assert_eq!(
            format_time(at(0) - Duration::from_secs(1)),
            "1970-01-01T00:00:00.000Z"
        );
        assert_eq!(
            format_time(at(0) + LATEST + Duration::from_secs(9)),
            "9999-12-31T23:59:59.000Z"
        );
        let now = now();
        assert!(
            now.len() == 24 && now.starts_with("20") && now.ends_with('Z'),
            "{now}"
        );
    }

    #[test]
    fn times_are_read_with_fractions_and_offsets() {
        let noon = parse_time("2026-11-21T12:00:00Z");
        for (text, seconds) in [
            ("2026-11-21T12:00:00Z", Some(0.0)),
            ("2026-11-21t12:00:00z", Some(0.0)),
            ("2026-11-21T12:00:00.000Z", Some(0.0)),
            ("2026-11-21T12:00:00.500Z", Some(0.5)),
            ("2026-11-21T14:00:01+02:00", Some(1.0)),
            ("2026-11-21T07:30:02.25-04:30", Some(2.25)),
            ("2026-11-21T12:00:00", None),
            ("2026-11-21T12:00:00+2:00", None),
            ("2026-11-21T12:00:00+02:75", None),
            ("2026-11-21", None),
            ("12:00é", None),
            ("", None),
        ] {
            let later = parse_time(text)
                .zip(noon)
                .map(|(time, noon)| time.duration_since(noon));
            let later = later.map(|later| later.expect("not before noon").as_secs_f64());
            assert_eq!(later, seconds, "{text}");
        }
    }

    #[test]
    fn runs_have_different_ids() {
        let mut names: Vec<_> = (0..100).map(|_| run_id()).collect();
        assert!(
            names
                .iter()
                .all(|name| name.len() == 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
        );
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 100);
    }
}
