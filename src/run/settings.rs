//! What the person set for good: where it is read, and `visavis config`.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

use super::home::Home;
use super::manual::put;
use super::{Exit, Failed, environment};
use crate::config::{self, Config};

/// No file of settings is as long as this many bytes.
const LONGEST: u64 = 1 << 20;

/// What is set for good; what is wrong with it is added to `faults`.
pub(super) fn config(faults: &mut Vec<String>) -> Config {
    let path = Home::of_user().map(|home| home.config.join("config.toml"));
    let shown = path.as_deref().map(shown).unwrap_or_default();
    let file = match path.as_deref().map(text_of) {
        None => String::new(),
        Some(Ok(text)) => text,
        Some(Err(error)) if error.kind() == ErrorKind::NotFound => String::new(),
        Some(Err(error)) => {
            faults.push(format!("cannot read {shown}: {error}"));
            String::new()
        }
    };
    let (config, wrong) = Config::read(&shown, &file, &environment);
    faults.extend(wrong);
    config
}

/// Prints what holds; whether anything is wrong is said in the exit code.
pub(super) fn tell(config: &Config, is_wrong: bool) -> Result<(), Failed> {
    put(&config::effective(config))?;
    if is_wrong {
        return Err(Failed::silently(Exit::Usage as u8));
    }
    Ok(())
}

/// A path of the person's own as people write it.
pub(super) fn shown(path: &Path) -> String {
    let home = environment("HOME").filter(|home| !home.is_empty());
    let below = home.and_then(|home| path.strip_prefix(home).ok());
    below.map_or_else(
        || path.display().to_string(),
        |below| format!("~/{}", below.display()),
    )
}

/// The text of an ordinary file: a pipe would be waited for, and a device has no end.
pub(super) fn text_of(path: &Path) -> Result<String, Error> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(Error::other("this is no ordinary file"));
    }
    if found.len() > LONGEST {
        return Err(Error::other("it has more than a megabyte"));
    }
    fs::read_to_string(path)
}
