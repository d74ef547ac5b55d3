//! Memory that can be used without displacing other programs, according to the system.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the available bytes: of the machine, limited by the control groups of this process.
/// `None` if unknown.
pub fn available() -> Option<u64> {
    let machine = of_machine(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let left = limited_groups(&groups, Path::new("/sys/fs/cgroup"))
        .filter_map(|files| files.left())
        .min();
    Some(left.map_or(machine, |left| left.min(machine)))
}

/// Returns the available bytes in `/proc/meminfo`.
fn of_machine(meminfo: &str) -> Option<u64> {
    let line = (meminfo.lines()).find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1 << 10)
}

/// The files of a control group with its memory limit and use.
struct GroupFiles {
    limit: PathBuf,
    used: PathBuf,
}

impl GroupFiles {
    /// Returns the bytes that the group may still use; `None` without a limit. Reclaimable memory
    /// counts as used, so this is a lower bound.
    fn left(&self) -> Option<u64> {
        let number =
            |path: &Path| -> Option<u64> { fs::read_to_string(path).ok()?.trim().parse().ok() };
        Some(number(&self.limit)?.saturating_sub(number(&self.used)?))
    }
}

/// Returns the control groups of a process and their ancestors from its `/proc/self/cgroup`, for
/// both versions. In a container the path may be the host's and not exist; the root is then the
/// container's group.
fn limited_groups<'g>(groups: &'g str, root: &'g Path) -> impl Iterator<Item = GroupFiles> + 'g {
    groups.lines().flat_map(move |line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let controllers = fields.next().unwrap_or_default();
        let (folder, limit, used) = match controllers {
            "" => (root.to_owned(), "memory.max", "memory.current"),
            _ => (
                root.join("memory"),
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
            ),
        };
        let counts = controllers.is_empty() || controllers.split(',').any(|one| one == "memory");
        let path = fields.next().filter(|_| counts);
        let path = path.map(|path| Path::new(path.trim_start_matches('/')));
        (path.into_iter())
            .flat_map(Path::ancestors)
            .map(move |group| GroupFiles {
                limit: folder.join(group).join(limit),
                used: folder.join(group).join(used),
            })
    })
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
        say("memory/memory.limit_in_bytes", "500\n");
        say("memory/memory.usage_in_bytes", "600\n");
        let left = |groups: &str| {
            limited_groups(groups, root)
                .filter_map(|files| files.left())
                .min()
        };
        for (groups, expected) in [
            ("0::/a/b\n", Some(700)),
            ("0::/\n", None),
            ("0::/elsewhere/a\n", None),
            ("3:cpu,memory:/of/the/host\n1:name=x:/a\n", Some(0)),
            ("3:cpu:/a\n", None),
            ("", None),
        ] {
            assert_eq!(left(groups), expected, "{groups}");
        }
    }
}
