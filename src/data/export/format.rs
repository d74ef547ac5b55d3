//! Export formats of samples.

use std::path::Path;

use crate::text::named_enum;

named_enum! {
    /// The export format of samples.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Format {
        /// JSON Lines: the original rows
        ///
        /// Byte for byte, each followed by a line feed (without CR, blank lines or byte order
        /// mark). Both rows of a pair, A first; includes malformed rows.
        Original "jsonl",
        /// JSON Lines: the rows with their reviews
        ///
        /// Rows as in the file, with a member `review` if reviewers judged or annotated the sample.
        Reviewed "reviewed",
        /// CSV: one line per response
        ///
        /// A table with a header.
        Csv "csv",
        /// Markdown: a document
        Markdown "md",
        /// HTML: a document for a browser
        ///
        /// The same document as for Markdown, as one file.
        Html "html",
    }
}

impl Format {
    /// Returns the file extension, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Reviewed => "reviewed.jsonl",
            format => format.name(),
        }
    }

    /// Returns a short description.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Original => "the rows, byte for byte",
            Self::Reviewed => "the rows with reviews",
            Self::Csv => "one line per response",
            Self::Markdown => "a Markdown document",
            Self::Html => "an HTML document",
        }
    }

    /// Returns the format for a file name's extension, in upper or lower case.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let ends = [
            (".reviewed.jsonl", Self::Reviewed),
            (".jsonl", Self::Original),
            (".ndjson", Self::Original),
            (".csv", Self::Csv),
            (".md", Self::Markdown),
            (".markdown", Self::Markdown),
            (".html", Self::Html),
            (".htm", Self::Html),
        ];
        ends.into_iter()
            .find(|(end, _)| name.len() > end.len() && name.ends_with(end))
            .map(|(_, format)| format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_name_and_by_path() {
        for format in Format::ALL {
            assert_eq!(Format::named(format.name()), Some(format));
            assert_eq!(
                Format::of_path(Path::new(&format!("a/b.{}", format.extension()))),
                Some(format)
            );
        }
        for (path, format) in [
            ("OUT.JSONL", Some(Format::Original)),
            ("x.reviewed.jsonl", Some(Format::Reviewed)),
            ("x.Markdown", Some(Format::Markdown)),
            ("csv", None),
            (".csv", None),
            ("x.parquet", None),
            ("", None),
        ] {
            assert_eq!(Format::of_path(Path::new(path)), format, "{path}");
        }
        assert_eq!(Format::named("xml"), None);
    }
}
