//! Runs the fuzz targets without a fuzzer, on any toolchain: with mutated inputs for some seconds
//! each, or with files that failed before.
//!
//! `replay SECONDS [TARGET]` feeds all targets, or one; `replay TARGET FILE…` replays files. The
//! environment variable `VISAVIS_FUZZ_SEED` is a number that chooses the inputs; without it they
//! change with every run, and the seed is printed.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use visavis_fuzz::{TARGETS, Target};

/// Tokens that break parsers of JSON, text, keys and queries.
#[rustfmt::skip] // One per line would fill a page.
const TOKENS: &[&[u8]] = &[
    b"\n", b"\n\n", b"\r\n", b"\r", b"\t", b" ", b"\"", b"\\", b"\\u0000", b"\\ud83d", b"\\udc00", b"\\/", b"{", b"}", b"[",
    b"]", b",", b":", b"null", b"true", b"-0", b"1e999", b"0.5", b"NaN", b"-Infinity", b"-100", b"18446744073709551616",
    b"{\"prompt\": \"", b"\"response\": ", b"\"helpfulness\": ", b"\"chosen\": ", b"\"rejected\": ", b"\"role\": \"user\"",
    b"\"content\": ", b"\"question\": {\"full_text\": ", b"\"answer_0\": ", b"\"answer\": ", b"\"quotes\": ", b"\"score\": ",
    b"\\n<extra_id_1>Assistant\\n", b"\\n<extra_id_1>User\\n", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"\x00", b"\x1b[31m",
    b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", "\u{200b}".as_bytes(), "\u{200d}".as_bytes(), "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(), "\u{301}".as_bytes(), "\u{fe0f}".as_bytes(), "\u{20e3}".as_bytes(), "漢".as_bytes(),
    "👩".as_bytes(), "🇩".as_bytes(), "\u{1100}".as_bytes(), "\u{1161}".as_bytes(), "क्".as_bytes(), b"# ", b"- ", b"\n1. ",
    b"> ", b"```", b"`", b"**", b"_", b"| a | b |\n|---|---|\n", b"](", b"![", b"<b>", b"&amp;", b"<enter>", b"<c-d>", b"<tab>",
    b"<", b">", b"99999999999", b"G", b"j", b"?", b"M", b"X", b"L", b"J", b"<s-tab>", b"<end>", b"[1]", b"[2, 9]",
    b"helpfulness", b">=", b"!=", b"a.", b"gap.", b"(", b")", b" or ", b" and ", b"not ", b"-", b"/x/", b"prompt:", b"is:tie", b"..", b"=none",
    b" in (", b"abs(", b"sort:", b"random(7)", b"domain", b"verdict", b" - ", b" / ", b"foo",
    b"f", b":", b"F", b"s", b"helpfulness>=3", b"sort:-verbosity", b"<esc>", b"<bs>", b"<c-u>", b"filters", b"columns verbosity",
    b"\x1b[", b"\x1bO", b"\x1b]11;rgb:", b"\x1b\\", b"\x07", b"\x1bP", b"\x1b[M", b"\x1b[<0;", b";7M", b"\x1b[200~", b"\x1b[201~",
    b"\x1b[?2026;2$y", b"\x1b[?u", b"\x1b[A", b"\x1b", b"\x03",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| TARGETS.into_iter().find(|target| target.0 == name);
    let chosen = arguments.get(1).map(String::as_str);
    let sound = match arguments
        .first()
        .map(|first| (first.parse().map(Duration::from_secs), named(first)))
    {
        Some((Ok(time), _)) => {
            let seed = seed();
            println!("VISAVIS_FUZZ_SEED={seed}");
            let targets = TARGETS
                .into_iter()
                .filter(|target| chosen.is_none_or(|name| name == target.0));
            // All targets run even if the first fails.
            (targets.filter(|target| !feed(*target, seed, time))).count() == 0
        }
        Some((_, Some(target))) => arguments[1..].iter().all(|path| {
            let bytes = fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
            catch_unwind(|| target.1(&bytes)).is_ok()
        }),
        _ => {
            eprintln!("usage: replay SECONDS [TARGET] | replay TARGET FILE…");
            return ExitCode::from(2);
        }
    };
    if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Feeds a target until the time is up or it panics; prints the number of inputs and the slowest
/// one.
fn feed((name, body): Target, seed: u64, time: Duration) -> bool {
    let mut mutator = Mutator::new(seed);
    let begin = Instant::now();
    let (mut count, mut slowest) = (0_u64, (Duration::ZERO, Vec::new()));
    while begin.elapsed() < time {
        let input = mutator.next();
        let start = Instant::now();
        // State left by a panic is not used again.
        if catch_unwind(AssertUnwindSafe(|| body(&input))).is_err() {
            let path = keep(name, "crash", &input);
            eprintln!("{name}: panics on {path} after {count} inputs");
            return false;
        }
        let took = start.elapsed();
        if took > slowest.0 {
            slowest = (took, input);
        }
        count += 1;
    }
    let (took, input) = slowest;
    println!(
        "{name}: {count} inputs; the slowest took {took:.1?} for {} bytes",
        input.len()
    );
    if took > Duration::from_secs(1) {
        println!("{name}: the slowest is {}", keep(name, "slow", &input));
    }
    true
}

fn keep(name: &str, why: &str, input: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts");
    let path = folder.join(format!("{why}-{name}"));
    match fs::create_dir_all(&folder).and_then(|()| fs::write(&path, input)) {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("{input:?} (not kept: {error})"),
    }
}

/// The seed from the environment, or the time.
fn seed() -> u64 {
    let given = std::env::var("VISAVIS_FUZZ_SEED");
    given.map_or_else(
        |_| {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            since.map_or(0, |time| time.as_secs())
        },
        |seed| seed.parse().expect("VISAVIS_FUZZ_SEED is a number"),
    )
}

/// Makes inputs of the demo's lines and of tokens; the same ones for the same seed.
struct Mutator {
    state: u64,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    fn new(seed: u64) -> Self {
        let files = [
            &include_bytes!("../../../../assets/demo/helpsteer2.jsonl")[..],
            include_bytes!("../../../../assets/demo/webgpt.jsonl"),
        ];
        let lines = files
            .iter()
            .flat_map(|file| file.split(|&byte| byte == b'\n'));
        let seeds = lines
            .map(|line| [line, b"\n"].concat())
            .chain([Vec::new()])
            .collect();
        // Neighbouring seeds must not give shifted copies of one sequence.
        let state = seed.wrapping_mul(0xd134_2543_de82_ef95);
        Self { state, seeds }
    }

    fn next(&mut self) -> Vec<u8> {
        // One in three consists of tokens alone; the others contain one or more lines.
        let mut input = vec![
            self.below(256) as u8,
            self.below(256) as u8,
            self.below(256) as u8,
        ];
        match self.below(3) {
            0 => (0..self.below(60)).for_each(|_| self.push_token(&mut input)),
            _ => (0..=self.below(4)).for_each(|_| {
                let seed = self.below(self.seeds.len());
                input.extend_from_slice(&self.seeds[seed]);
            }),
        }
        // Some targets use the first bytes as options: without them a whole line is tested too.
        input.drain(..self.below(4));
        for _ in 0..self.below(8) {
            self.mutate(&mut input);
        }
        input
    }

    fn mutate(&mut self, input: &mut Vec<u8>) {
        let (from, to) = (self.below(input.len() + 1), self.below(input.len() + 1));
        let (from, to) = (from.min(to), from.max(to));
        match self.below(6) {
            0 => input.truncate(to),
            1 => drop(input.drain(from..to.min(from + 40))),
            2 => input.extend_from_within(from..to.min(from + 200)),
            3 => {
                let bits = 1 << self.below(8);
                input
                    .iter_mut()
                    .skip(from)
                    .take(1)
                    .for_each(|byte| *byte ^= bits);
            }
            _ => {
                let mut token = Vec::new();
                (0..=self.below(3)).for_each(|_| self.push_token(&mut token));
                input.splice(from..from, token);
            }
        }
    }

    fn push_token(&mut self, input: &mut Vec<u8>) {
        let token = self.below(TOKENS.len());
        input.extend_from_slice(TOKENS[token]);
    }

    /// Returns a number from 0 up to, excluding, `end` (splitmix64).
    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % end as u64) as usize
    }
}
