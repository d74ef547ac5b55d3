//! Memory that can be used without displacing other programs, according to the system.

use std::fs;
use std::path::Path;

/// Returns the available bytes: of the machine, limited by the control groups of this process.
/// `None` if unknown.
pub fn available() -> Option<u64> {
    let machine = of_machine(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let left = of_groups(&groups, Path::new("/sys/fs/cgroup"));
    Some(left.map_or(machine, |left| left.min(machine)))
}

/// Returns the available bytes in `/proc/meminfo`.
fn of_machine(meminfo: &str) -> Option<u64> {
    let kilobytes: u64 = (meminfo.lines())
        .find_map(|line| line.strip_prefix("MemAvailable:"))?
        .trim()
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()?;
    kilobytes.checked_mul(1 << 10)
}

/// Returns the bytes that the control group of a process and its ancestors may still use, from
/// `/proc/self/cgroup` (version 2); `None` without a limit. Reclaimable memory counts as used, so
/// this is a lower bound. In a container the path may be the host's and not exist; the root is then
/// the container's group.
fn of_groups(groups: &str, root: &Path) -> Option<u64> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Path::new(path)
        .ancestors()
        .filter_map(|group| {
            let number = |file: &str| -> Option<u64> {
                let text = fs::read_to_string(root.join(group).join(file)).ok()?;
                text.trim().parse().ok()
            };
            Some(number("memory.max")?.saturating_sub(number("memory.current")?))
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_in_kilobytes() {
        for (text, bytes) in [
            ("MemTotal: 9 kB\nMemAvailable:   12 kB\n", Some(12 << 10)),
            ("MemTotal: 9 kB\n", None),
            ("MemAvailable: many kB\n", None),
            ("MemAvailable: 12\n", None),
        ] {
            assert_eq!(of_machine(text), bytes, "{text}");
        }
    }

    #[test]
    fn the_tightest_group_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let say = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("written");
        };
        say("a/memory.max", "1000\n");
        say("a/memory.current", "300\n");
        say("a/b/memory.max", "max\n");
        say("a/b/memory.current", "300\n");
        for (groups, expected) in [
            ("0::/a/b\n", Some(700)),
            ("0::/\n", None),
            ("0::/elsewhere/a\n", None),
            ("1:name=x:/a\n0::/a\n", Some(700)),
            ("3:cpu:/a\n", None),
            ("", None),
        ] {
            assert_eq!(of_groups(groups, root), expected, "{groups}");
        }
    }
}
