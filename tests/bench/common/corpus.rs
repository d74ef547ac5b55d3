//! Rows of invented words in the layouts of the datasets.

use std::fmt::Write;

/// Rows of HelpSteer2's training file.
pub(crate) const HELPSTEER2_ROWS: usize = 20_324;

/// The characters of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// Bytes below 128 only.
    Ascii,
    /// With accents, wide and joined characters, tabs, and some that are never shown.
    Mixed,
}

/// Generates texts and rows; the same seed gives the same output.
pub(crate) struct Corpus {
    state: u64,
    words: Vec<String>,
}

/// Number of distinct words; the first are frequent, the last rare.
const VOCABULARY: usize = 20_000;
const ODD: [&str; 8] = [
    "naïve",
    "百科事典",
    "café",
    "🧑‍🚀",
    "מילה",
    "zero\u{200b}width",
    "e\u{301}tude",
    "“so”\t—",
];

impl Corpus {
    pub(crate) fn new(seed: u64) -> Self {
        let mut corpus = Self {
            state: seed,
            words: Vec::new(),
        };
        corpus.words = (0..VOCABULARY).map(|_| corpus.invent()).collect();
        corpus
    }

    /// Generates rows like HelpSteer2's ratings: two consecutive rows share a prompt.
    pub(crate) fn helpsteer2(&mut self, rows: usize) -> Vec<u8> {
        let mut out = String::with_capacity(rows * 2400);
        let mut prompt = String::new();
        for row in 0..rows {
            if row % 2 == 0 {
                prompt = quoted(&self.prompt());
            }
            let length = self.length(1342.0, 0.46, 7698);
            let mut response = quoted(&self.text(length, Script::Ascii));
            // As in the real file, some rows escape what others have unescaped.
            response = if self.below(10) == 0 {
                response.replace(". ", ".\\u00b0 ")
            } else {
                response.replace("; ", "° ")
            };
            let [helpfulness, correctness, coherence, complexity, verbosity] =
                [(); 5].map(|()| self.below(5));
            let _ = writeln!(
                out,
                "{{\"prompt\": {prompt}, \"response\": {response}, \"helpfulness\": {helpfulness}, \"correctness\": \
                 {correctness}, \"coherence\": {coherence}, \"complexity\": {complexity}, \"verbosity\": {verbosity}}}"
            );
        }
        out.into_bytes()
    }

    /// Generates rows like WebGPT's flat layout: two answers with quotes, and token lists that make
    /// up most of the line.
    pub(crate) fn webgpt_flat(&mut self, rows: usize) -> Vec<u8> {
        let mut out = String::with_capacity(rows * 12_000);
        for row in 0..rows {
            let question = quoted(&format!("{}\n\n", self.sentence(90)));
            let _ = write!(
                out,
                "{{\"question\": {{\"dataset\": \"eli5\", \"id\": \"q{row}\", \"full_text\": {question}}}"
            );
            let score = self.below(9) as f64 / 4.0 - 1.0;
            for (side, score) in [(0, score), (1, -score)] {
                let quotes = 2 + self.below(3);
                let titles: Vec<_> = (0..quotes)
                    .map(|_| quoted(&format!("{} (example.org)", self.sentence(40))))
                    .collect();
                let extracts: Vec<_> = (0..quotes).map(|_| quoted(&self.sentence(578))).collect();
                let answer = (1..=quotes)
                    .map(|n| format!("{} [{n}].", self.sentence(230)))
                    .collect::<Vec<_>>()
                    .join(" ");
                let (prefix, completion) = (self.tokens(600), self.tokens(190));
                let _ = write!(
                    out,
                    ", \"quotes_{side}\": {{\"title\": [{}], \"extract\": [{}]}}, \"answer_{side}\": {}, \
                     \"tokens_{side}\": {{\"prefix\": [{prefix}], \"completion\": [{completion}]}}, \"score_{side}\": {score:?}",
                    titles.join(", "),
                    extracts.join(", "),
                    quoted(&answer),
                );
            }
            out.push_str("}\n");
        }
        out.into_bytes()
    }

    /// Generates short rows of one sample each.
    pub(crate) fn short(&mut self, rows: usize) -> Vec<u8> {
        let mut out = String::with_capacity(rows * 100);
        for row in 0..rows {
            let [prompt, chosen, rejected] = [(); 3].map(|()| self.sentence(12));
            let _ = writeln!(
                out,
                "{{\"prompt\": \"{row} {prompt}\", \"chosen\": \"{chosen}\", \"rejected\": \"{rejected}\"}}"
            );
        }
        out.into_bytes()
    }

    /// Generates paragraphs, lists, headings, code and some emphasis, of at least `length` bytes.
    pub(crate) fn text(&mut self, length: usize, script: Script) -> String {
        let mut out = String::with_capacity(length + 200);
        while out.len() < length {
            match self.below(12) {
                0 => self.line(&mut out, "## ", 30, script),
                1 => (1..=4)
                    .for_each(|number| self.line(&mut out, &format!("{number}. "), 90, script)),
                2 => (0..4).for_each(|_| self.line(&mut out, "- ", 70, script)),
                3 => {
                    out.push_str("```\n");
                    (0..4).for_each(|_| self.line(&mut out, "    ", 40, script));
                    out.push_str("```\n");
                }
                4 => self.line(&mut out, "**Note:** `so` *it is*; ", 120, script),
                _ => self.line(&mut out, "", 400, script),
            }
            out.push('\n');
        }
        while !out.is_char_boundary(length) {
            out.pop();
        }
        out.truncate(length);
        out
    }

    fn line(&mut self, out: &mut String, mark: &str, length: usize, script: Script) {
        out.push_str(mark);
        let end = out.len() + length;
        while out.len() < end {
            self.word(out);
            out.push_str(match self.below(12) {
                0 => ". ",
                1 => "; ",
                2 => ", ",
                _ => " ",
            });
            if script == Script::Mixed && self.below(6) == 0 {
                let odd = self.below(ODD.len());
                out.push_str(ODD[odd]);
                out.push(' ');
            }
        }
        out.push('\n');
    }

    /// Generates one line of about this many bytes.
    fn sentence(&mut self, length: usize) -> String {
        let mut out = String::new();
        while out.len() < length {
            self.word(&mut out);
            out.push(' ');
        }
        out.truncate(out.trim_end().len());
        out
    }

    /// Generates a prompt; 29 of 100 have three turns.
    fn prompt(&mut self) -> String {
        let length = self.length(238.0, 1.48, 4887);
        if self.below(100) >= 29 {
            return self.text(length, Script::Ascii).trim_end().to_owned();
        }
        let [first, second, third] = [(); 3].map(|()| self.sentence(length / 3));
        format!("{first}\n<extra_id_1>Assistant\n{second}\n<extra_id_1>User\n{third}")
    }

    fn tokens(&mut self, count: usize) -> String {
        let ids: Vec<_> = (0..count).map(|_| self.below(50_257).to_string()).collect();
        ids.join(", ")
    }

    fn word(&mut self, out: &mut String) {
        // Frequent words are far more frequent than rare ones.
        let place = self.unit().powi(3) * VOCABULARY as f64;
        out.push_str(&self.words[place as usize]);
    }

    fn invent(&mut self) -> String {
        (0..=self.below(4))
            .flat_map(|_| {
                let (consonant, vowel) = (self.below(16), self.below(5));
                [b"bdfghjklmnprstvz"[consonant], b"aeiou"[vowel]]
            })
            .map(char::from)
            .collect()
    }

    /// Returns a length from a log-normal distribution with this median, up to `most`.
    fn length(&mut self, median: f64, sigma: f64, most: usize) -> usize {
        let normal = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
        (median * (sigma * normal).exp()).clamp(1.0, most as f64) as usize
    }

    fn below(&mut self, end: usize) -> usize {
        (self.unit() * end as f64) as usize
    }

    /// Returns a number from 0 up to, excluding, 1 (splitmix64).
    fn unit(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
