//! Columns of a schema in which no sample has a value, as where somebody who wrote it mistyped a path.

use std::sync::Arc;

use super::{Chunk, Dataset};
use crate::table::{AnnotationColumn, Values, WordColumn};

impl Dataset {
    /// The labels, the facts, the verdict and the votes of which the schema of the first file tells but
    /// no sample of its files has, each with its path; none where there is no sample.
    pub fn empty_columns(&self) -> Vec<String> {
        let Some(first) = self.files().first() else {
            return Vec::new();
        };
        let schema = &first.schema;
        let is_of_schema = |chunk: &&Arc<Chunk>| {
            let file = self.files().get(chunk.file());
            file.is_some_and(|file| Arc::ptr_eq(&file.schema, schema))
        };
        let chunks: Vec<_> = self.chunks().iter().filter(is_of_schema).collect();
        let has_rows = |chunk: &&Arc<Chunk>| chunk.rows() > chunk.malformed();
        if !chunks.iter().any(has_rows) {
            return Vec::new();
        }
        let any = |has: &dyn Fn(&Chunk) -> bool| chunks.iter().any(|chunk| has(chunk));
        let definition = schema.definition();
        let mut empty = Vec::new();
        let verdicts = |chunk: &Chunk| {
            chunk
                .columns()
                .stated_verdicts()
                .is_some_and(Values::has_any)
        };
        if schema.states_verdicts() && !any(&verdicts) {
            let paths = definition.verdict_paths().into_iter();
            empty.extend(paths.map(|path| format!("{path} (verdict)")));
        }
        for (place, label) in definition.labels.iter().enumerate() {
            let ratings = |chunk: &Chunk| {
                let lists = chunk.columns().label(place).unwrap_or_default();
                lists.iter().any(Values::has_any)
            };
            if let Some(path) = definition.path_of_label(&label.name)
                && !any(&ratings)
            {
                empty.push(format!("{path} (label {})", label.name));
            }
        }
        for (place, fact) in definition.facts.iter().enumerate() {
            let words =
                |chunk: &Chunk| chunk.columns().fact(place).is_some_and(WordColumn::has_any);
            if !any(&words) {
                empty.push(format!("{} (fact {})", fact.path, fact.name));
            }
        }
        let votes = |chunk: &Chunk| {
            chunk
                .columns()
                .votes()
                .is_some_and(AnnotationColumn::has_any)
        };
        if !definition.votes.is_empty() && !any(&votes) {
            let paths = definition.votes.iter().map(|vote| vote.whole_path());
            empty.extend(paths.map(|path| format!("{path} (vote)")));
        }
        empty
    }
}

#[cfg(test)]
mod tests {
    use crate::dataset::tests::dataset_as;

    #[test]
    fn slips_are_found_where_no_sample_has_anything() {
        let schema = |label: &str, fact: &str, verdict: &str| {
            format!(
                "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                 verdict = {{ path = '{verdict}', a = ['1'], b = ['2'] }}\n\
                 [[response]]\ntext = '/a'\nratings.good = '/r/0'\n\
                 [[response]]\ntext = '/b'\nratings.good = '{label}'\n\
                 [[label]]\nname = 'good'\nkind = 'score'\nabout = 'x'\n\
                 [[fact]]\nname = 'tags'\npath = '{fact}'\n"
            )
        };
        let text = concat!(
            r#"{"p": "p", "a": "a", "b": "b", "w": 1, "r": [1, 2], "tags": []}"#,
            "\n",
            r#"{"p": "p", "a": "a", "b": "b", "w": 2, "r": [null, 2], "tags": ["t"]}"#,
            "\nno JSON\n",
        );
        let empty = |schema: String, text: &str| dataset_as(&schema, text).empty_columns();
        assert_eq!(empty(schema("/r/1", "/tags/*", "/w"), text), [""; 0]);
        // One response has a value of the label.
        assert_eq!(empty(schema("/r/7", "/tags/*", "/w"), text), [""; 0]);
        let slips = schema("/r/1", "/tag/*", "/v").replace("/r/", "/s/");
        assert_eq!(
            empty(slips.clone(), text),
            ["/v (verdict)", "/s/0 (label good)", "/tag/* (fact tags)"]
        );
        assert_eq!(empty(slips, "no JSON\n"), [""; 0]);
    }
}
