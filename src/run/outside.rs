//! The reviewer's own editor.

use std::io::Write;
use std::process::Command;

use super::environment;

/// Has the editor that the environment names change a text; the terminal must be given back before.
///
/// # Errors
/// In words for people: when there is no editor, it fails, or what it leaves is no text. Then the
/// text is as it was.
pub(super) fn edit(text: &str) -> Result<String, String> {
    let named = ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(environment)
        .find(|editor| !editor.trim().is_empty());
    let editor = named.unwrap_or_else(|| "vi".to_owned());
    let wrong =
        |error: &dyn std::fmt::Display| format!("{editor}: {error}; the note is as it was.");
    let mut file = tempfile::Builder::new()
        .prefix("visavis-note-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| wrong(&error))?;
    // Text files end in a line break; the note does without.
    let text = if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    };
    file.write_all(text.as_bytes())
        .and_then(|()| file.flush())
        .map_err(|error| wrong(&error))?;
    // By the shell, since the name can have arguments: `code --wait`.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("visavis")
        .arg(file.path())
        .status()
        .map_err(|error| wrong(&error))?;
    if !status.success() {
        return Err(wrong(&status));
    }
    // Read by name: some editors put a new file in the place of the old one.
    std::fs::read_to_string(file.path()).map_err(|error| wrong(&error))
}
