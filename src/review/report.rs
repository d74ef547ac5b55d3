//! Agreement in words: in short for a line, and as Markdown.

use std::fmt::Display;
use std::sync::Arc;

use super::after_reveal::{AfterRevealFigures, DatasetAgreementFigure};
use super::agreement::{Agreement, LabelAgreement, SelfConsistency, VerdictAgreement};
use super::figures::Figure;
use super::reviewer_agreement::{
    MOST_EACH, PairCounts, PairSpread, ReviewerAgreement, ReviewerPair, ReviewerPairs,
};
use super::spread::{FEWEST_IN_COMMON, KappaSpread, PairKappa};
use crate::stats::{Confusion, FEWEST_CLUSTERS, Interval, Undefined};
use crate::text::{self, counted, two_decimals};

/// Cells that [`Agreement::in_short`] takes at most.
const SHORT: usize = 40;
/// Cells that a name takes there.
const NAME: usize = 20;
/// And in Markdown.
const LONG_NAME: usize = 60;
/// The row of who wins among those of labels.
const VERDICT: &str = "verdict";

impl Agreement {
    /// For the status line: the first figures that there are, short; empty where nothing can be
    /// said yet. At most 40 cells: a label's kappa, or the share of equal values where it has none,
    /// with the number of responses (of a verdict: judgments) in parentheses. The kappa of fewer
    /// than ten judgments is a dash: it would say nothing.
    pub fn in_short(&self) -> String {
        let name = |label: &LabelAgreement| text::one_line(&label.name, NAME);
        let kappas = self.labels.iter().filter_map(|label| {
            let kappa = label.kappa.value.ok()?;
            if self.judgments < FEWEST_CLUSTERS {
                return Some(format!("κ {} – ({} judged)", name(label), self.judgments));
            }
            Some(format!(
                "κ {} {} ({})",
                name(label),
                two_decimals(kappa),
                label.confusion.total()
            ))
        });
        let shares = self
            .labels
            .iter()
            .filter(|label| label.kappa.value.is_err())
            .filter_map(|label| {
                let equal = label.equal.value.ok()?;
                Some(format!(
                    "{} {} equal ({})",
                    name(label),
                    two_decimals(equal),
                    label.confusion.total()
                ))
            });
        let verdict = self.verdict.iter().filter_map(|verdict| {
            let equal = verdict.equal.value.ok()?;
            Some(format!(
                "verdict {} equal ({})",
                two_decimals(equal),
                verdict.confusion.total()
            ))
        });
        let mut short = String::new();
        for figure in kappas.chain(shares).chain(verdict) {
            let between = if short.is_empty() { "" } else { " · " };
            if text::width(&short) + text::width(between) + text::width(&figure) > SHORT {
                break;
            }
            short = short + between + &figure;
        }
        short
    }

    /// The result in two sentences: who wins, and the labels that stand out. Markdown.
    pub fn in_sentences(&self) -> String {
        let verdict = match &self.verdict {
            Some(verdict) => format!(
                "Verdicts agree with the dataset's in this share of {}: {}",
                judgments(verdict.confusion.total(), verdict.samples),
                with_interval(&verdict.equal)
            ),
            None => "Verdict agreement is n/a: no verdict that the dataset has too".to_owned(),
        };
        format!("{verdict}. {}.{}", self.outstanding(), self.caution())
    }

    /// What an even draw does not tell, as a sentence behind a blank; empty for any other.
    fn caution(&self) -> String {
        let even = self.even.as_ref();
        let words = |field| {
            format!(
                " **The draw was even: as many of each value of {}. These figures are of what was drawn, and no estimate for the file.**",
                safe(field)
            )
        };
        even.map(words).unwrap_or_default()
    }

    /// The label with least agreement, and that with the greatest mean difference.
    fn outstanding(&self) -> String {
        let least = |of: fn(&LabelAgreement) -> &Figure| {
            let figures = self
                .labels
                .iter()
                .filter_map(move |label| Some((label, of(label).value.ok()?)));
            figures
                .min_by(|one, other| one.1.total_cmp(&other.1))
                .map(|(label, _)| label)
        };
        let by_kappa = least(|label| &label.kappa).map(|label| {
            format!(
                "Agreement is least in {}: κ {}",
                safe(&label.name),
                with_interval(&label.kappa)
            )
        });
        let by_share = || {
            let label = least(|label| &label.equal)?;
            let (name, equal) = (safe(&label.name), with_interval(&label.equal));
            let n = counted(label.confusion.total(), "value");
            Some(format!(
                "No label has a κ; the share of equal values is least in {name}: {equal}, of {n}"
            ))
        };
        let differences = self
            .labels
            .iter()
            .filter_map(|label| Some((label, label.difference.ok()?)));
        let greatest = differences.max_by(|one, other| one.1.abs().total_cmp(&other.1.abs()));
        match (by_kappa.or_else(by_share), greatest) {
            (Some(least), Some((label, difference))) => format!(
                "{least}, and the mean difference is greatest in {} ({}, the reviewer's value less the dataset's)",
                safe(&label.name),
                two_decimals(difference)
            ),
            _ => "Agreement on labels is n/a: none was judged that the dataset has too".to_owned(),
        }
    }

    /// As Markdown: tables of figures with what they mean, `n/a` where there is none and the reason
    /// below. A section under a second heading, with third ones in it.
    pub fn markdown(&self) -> String {
        let mut out = MarkdownWriter::default();
        out.line("## Agreement");
        out.line("");
        if self.judgments == 0 && self.hidden > 0 {
            out.line("n/a: what was judged is hidden while you judge blind; once the audit is done, `visavis report` tells it.");
        } else if self.judgments == 0 && self.apart.seen > 0 {
            out.line("n/a: whatever was judged had been seen before; see below.");
        } else if self.judgments == 0 {
            out.line("n/a: no judgment yet of anything that the dataset itself says something of.");
        } else {
            out.line(&self.compared());
        }
        if self.gone > 0 {
            out.line("");
            out.line(&format!(
                "{} left out: not in the dataset any more.",
                counted(self.gone, "judged sample")
            ));
        }
        if self.judgments > 0 {
            self.write_labels(&mut out);
            self.write_verdict(&mut out);
        }
        self.apart.write(self.judgments + self.apart.seen, &mut out);
        self.consistency.write(&mut out);
        if let Some(between) = &self.between {
            between.write(self, &mut out);
        }
        out.0
    }

    /// What was compared with what.
    fn compared(&self) -> String {
        let names: Vec<_> = self
            .reviewers
            .iter()
            .take(MOST_EACH)
            .map(|name| format!("**{}**", safe(name)))
            .collect();
        let who = match self.reviewers.len() {
            ..=MOST_EACH => names.join(", "),
            many => format!("{many} reviewers"),
        };
        let blind = match self.blind {
            0 => "none of them given blind: the labels were in sight".to_owned(),
            all if all == self.judgments => "all of them given blind".to_owned(),
            some => format!(
                "{some} of them given blind, {} after the labels showed",
                self.judgments - some
            ),
        };
        let later = [
            (self.apart.changed, "changed"),
            (self.apart.withdrawn, "withdrawn"),
            (self.apart.put_off, "put off"),
        ];
        let later: Vec<_> = later
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{n} {what}"))
            .collect();
        let blind = match later.is_empty() {
            true => blind,
            false => format!(
                "as first given: {blind}; {} after the labels showed",
                later.join(", ")
            ),
        };
        format!(
            "{} of {} by {} ({blind}), compared with what the dataset says itself. κ is Cohen's kappa: 1 is perfect \
             agreement, 0 as much as chance would give. Shares and κ have 95 % intervals: Wilson's for shares, of n as if all were \
             independent of each other{}; for κ {}.{}",
            counted(self.judgments, "judgment"),
            counted(self.samples, "sample"),
            who,
            match self.is_by_several() {
                true =>
                    ", which is narrower than it should be where n counts a sample once for each reviewer",
                false => "",
            },
            match self.draws {
                0 => "none, since no resamples were asked for".to_owned(),
                draws => format!("a bootstrap over samples, {draws} resamples"),
            },
            self.caution()
        )
    }

    /// Whether a sample counts more than once.
    fn is_by_several(&self) -> bool {
        self.judgments > self.samples
    }

    fn write_labels(&self, out: &mut MarkdownWriter) {
        if self.labels.is_empty() {
            return;
        }
        out.heading("Labels");
        let samples = self
            .labels
            .iter()
            .map(|label| label.samples)
            .max()
            .unwrap_or_default();
        out.line(&format!(
            "n counts {}, of {} at most in a label. κ is weighted by the square of the distance; diff is the reviewer's \
             value less the dataset's, on average; publ. κ is the one published, between the dataset's own annotators.",
            match self.is_by_several() {
                true => "judgments of responses that the dataset rated too, one of each reviewer",
                false => "responses that both rated",
            },
            counted(samples, "sample")
        ));
        let mut reasons = MissingReasons::default();
        let rows: Vec<_> = self
            .labels
            .iter()
            .map(|label| {
                let name = safe(&label.name);
                let [kappa, sure] = reasons.figure(&label.kappa, &name);
                let [equal, equal_sure] = reasons.figure(&label.equal, &name);
                let difference = reasons.value(&label.difference, &name);
                let published = reasons.stated(label.published, "publ. κ", &name);
                vec![
                    name,
                    label.confusion.total().to_string(),
                    kappa,
                    sure,
                    equal,
                    equal_sure,
                    difference,
                    published,
                ]
            })
            .collect();
        out.table(
            &[
                "label", "n", "κ", "95 %", "equal", "95 %", "diff", "publ. κ",
            ],
            rows,
        );
        reasons.write(out);
        for label in self
            .labels
            .iter()
            .filter(|label| label.confusion.total() > 0)
        {
            let values: Vec<_> = (label.range[0]..=label.range[1])
                .map(|value| value.to_string())
                .collect();
            out.confusion(&safe(&label.name), &values, &label.confusion);
        }
    }

    fn write_verdict(&self, out: &mut MarkdownWriter) {
        out.heading("Verdict");
        let Some(VerdictAgreement {
            samples,
            confusion,
            kappa,
            equal,
            published,
        }) = &self.verdict
        else {
            out.line("n/a: no verdict that the dataset has too.");
            return;
        };
        let n = match self.is_by_several() {
            true => format!(
                "judgments, one of each reviewer, of {}",
                counted(samples, "sample")
            ),
            false => "samples".to_owned(),
        };
        out.line(&format!(
            "n counts {n}. κ is unweighted; publ. is the share on which the dataset's own annotators agree, as published."
        ));
        let mut reasons = MissingReasons::default();
        let [equal, equal_sure] = reasons.figure(equal, VERDICT);
        let [kappa, sure] = reasons.figure(kappa, VERDICT);
        let published = reasons.stated(*published, "publ.", VERDICT);
        out.table(
            &["n", "equal", "95 %", "publ.", "κ", "95 %"],
            [vec![
                confusion.total().to_string(),
                equal,
                equal_sure,
                published,
                kappa,
                sure,
            ]],
        );
        reasons.write(out);
        out.confusion("verdict", &["A", "B", "tie"].map(str::to_owned), confusion);
    }
}

impl AfterRevealFigures {
    /// What became of judgments after the labels showed, and what had been seen before, of so many
    /// judgments.
    fn write(&self, judgments: usize, out: &mut MarkdownWriter) {
        if self.changed + self.withdrawn + self.put_off > 0 {
            out.heading("After the labels showed");
            let again = match self.put_off {
                0 => String::new(),
                some => format!(", {some} put off to be judged again"),
            };
            out.line(&format!(
                "{} changed, {} withdrawn after the labels showed{again}. The figures above are of the judgments as they were first given; with \
                 what was changed and withdrawn later they are:",
                self.changed, self.withdrawn
            ));
            Self::figures(&self.later, out);
        }
        if self.seen > 0 {
            out.heading("Seen before");
            out.line(&format!(
                "{} of {} had been seen before with what the dataset says: judged with the labels hidden, but not blind, and counted apart \
                 from the figures above.",
                self.seen,
                counted(judgments, "judgment")
            ));
            Self::figures(&self.of_seen, out);
        }
    }

    fn figures(figures: &[DatasetAgreementFigure], out: &mut MarkdownWriter) {
        let mut reasons = MissingReasons::default();
        let rows: Vec<_> = figures
            .iter()
            .map(|figure| {
                let name = figure
                    .label
                    .as_ref()
                    .map_or_else(|| VERDICT.to_owned(), safe);
                let kappa = reasons.value(&figure.kappa.value, &name);
                let equal = reasons.value(&figure.equal.value, &name);
                vec![name, figure.n.to_string(), kappa, equal]
            })
            .collect();
        match rows.is_empty() {
            true => out.line("\nn/a: nothing of them is left that the dataset has too."),
            false => out.table(&["label", "n", "κ", "equal"], rows),
        }
        reasons.write(out);
    }
}

impl SelfConsistency {
    fn write(&self, out: &mut MarkdownWriter) {
        out.heading("Consistency");
        if self.repeats == 0 {
            out.line("n/a: no sample was judged a second time.");
        } else {
            out.line(&format!(
                "{} of a sample that had come back, compared with the first. n counts what was judged twice: responses, and verdicts of samples; dist is \
                 the distance between the two values, on average.",
                counted(self.repeats, "judgment")
            ));
            let mut reasons = MissingReasons::default();
            let mut rows: Vec<_> = self
                .labels
                .iter()
                .map(|label| {
                    let name = safe(&label.name);
                    let [kappa, sure] = reasons.figure(&label.kappa, &name);
                    let [equal, equal_sure] = reasons.figure(&label.equal, &name);
                    let distance = reasons.value(&label.distance, &name);
                    vec![
                        name,
                        label.confusion.total().to_string(),
                        kappa,
                        sure,
                        equal,
                        equal_sure,
                        distance,
                    ]
                })
                .collect();
            let [equal, sure] = reasons.figure(&self.verdict, VERDICT);
            reasons.add("n/a: κ and distance are of labels only".to_owned(), VERDICT);
            let none = || NONE.to_owned();
            rows.push(vec![
                VERDICT.to_owned(),
                self.verdicts.to_string(),
                none(),
                none(),
                equal,
                sure,
                none(),
            ]);
            out.table(&["label", "n", "κ", "95 %", "equal", "95 %", "dist"], rows);
            reasons.write(out);
        }
        out.line("");
        let share = with_interval(&self.left);
        let caution = if self.decided > 0 && self.swapped == 0 {
            " Sides were never swapped, so this tells as much of the dataset as of the reviewer."
        } else {
            ""
        };
        out.line(&format!(
            "Position: of {} without a tie ({} with sides swapped) the response on the left won this share: {share}.{caution}",
            counted(self.decided, "verdict"),
            self.swapped
        ));
    }
}

impl ReviewerAgreement {
    fn write(&self, agreement: &Agreement, out: &mut MarkdownWriter) {
        out.heading("Reviewers");
        out.line(&format!(
            "{} reviewers, each with the latest judgment of a sample, in whichever audit it was given, and as it was given before any labels showed. Krippendorff's α is that of all of them (ordinal for labels, nominal for the verdict), over \
             what two or more judged (n): 1 is perfect agreement, 0 as much as chance would give.",
            self.reviewers.len()
        ));
        let mut reasons = MissingReasons::default();
        let alphas = self.labels.iter().chain([&self.verdict]);
        let rows: Vec<_> = alphas
            .map(|alpha| {
                let name = safe(&alpha.name);
                let figure = reasons.value(&alpha.alpha, &name);
                vec![name, alpha.units.to_string(), figure]
            })
            .collect();
        out.table(&["label", "n", "α"], rows);
        reasons.write(out);
        match &self.pairs {
            ReviewerPairs::Each(pairs) if pairs.is_empty() => nothing_in_common(out),
            ReviewerPairs::Spread(PairSpread { pairs: 0, .. }) => nothing_in_common(out),
            ReviewerPairs::Each(pairs) => write_each(pairs, agreement, out),
            ReviewerPairs::Spread(spread) => spread.write(agreement, out),
        }
    }
}

fn nothing_in_common(out: &mut MarkdownWriter) {
    out.line("");
    out.line("n/a: no two of them judged the same sample.");
}

fn write_each(pairs: &[ReviewerPair], agreement: &Agreement, out: &mut MarkdownWriter) {
    let mut reasons = MissingReasons::default();
    let mut shared = |reviewers: &[Arc<str>; 2], name: String, shared: &PairCounts| {
        let [one, other] = reviewers.each_ref().map(safe);
        let of = format!("{name} of {one} and {other}");
        let kappa = reasons.value(&shared.kappa, &of);
        let equal = reasons.value(&shared.confusion.agreement(), &of);
        vec![
            one,
            other,
            name,
            shared.confusion.total().to_string(),
            kappa,
            equal,
        ]
    };
    let mut rows = Vec::new();
    for pair in pairs {
        let labels = agreement.labels.iter().zip(&pair.labels);
        rows.extend(labels.map(|(label, of)| shared(&pair.reviewers, safe(&label.name), of)));
        rows.push(shared(&pair.reviewers, VERDICT.to_owned(), &pair.verdict));
    }
    out.line("");
    out.line("By pairs, n counts what both judged:");
    out.table(&["one", "other", "label", "n", "κ", "equal"], rows);
    reasons.write(out);
}

impl PairSpread {
    fn write(&self, agreement: &Agreement, out: &mut MarkdownWriter) {
        let names = agreement
            .labels
            .iter()
            .map(|label| safe(&label.name))
            .chain([VERDICT.to_owned()]);
        let spreads: Vec<_> = names
            .zip(self.labels.iter().chain([&self.verdict]))
            .collect();
        out.line("");
        out.line(&format!(
            "{} judged a sample in common. κ is counted of each pair with {FEWEST_IN_COMMON} or more judgments of the same things (of fewer it mostly \
             tells chance); below is how these κ spread, over so many pairs (n). Of up to {MOST_EACH} reviewers each pair is shown.",
            counted(self.pairs, "pair")
        ));
        let mut reasons = MissingReasons::default();
        let rows = spreads
            .iter()
            .map(|(name, spread)| spread.row(name, &mut reasons))
            .collect::<Vec<_>>();
        out.table(&["label", "n", "lowest κ", "median κ", "highest κ"], rows);
        reasons.write(out);
        if spreads.iter().any(|(_, spread)| spread.pairs > 0) {
            out.line("");
            out.line("The pairs at either end, n counts what both judged:");
            let ends = spreads.iter().flat_map(|(name, spread)| spread.ends(name));
            out.table(
                &["label", "one", "other", "n", "κ"],
                ends.collect::<Vec<_>>(),
            );
        }
    }
}

impl KappaSpread {
    fn row(&self, name: &str, reasons: &mut MissingReasons) -> Vec<String> {
        if self.few > 0 {
            let few = counted(self.few, "pair");
            reasons.add(
                format!("{few} with fewer than {FEWEST_IN_COMMON} in common left out"),
                name,
            );
        }
        if self.undefined > 0 {
            let undefined = counted(self.undefined, "pair");
            reasons.add(
                format!("{undefined} who gave one value to everything left out"),
                name,
            );
        }
        let end = |ends: &[PairKappa]| {
            ends.first()
                .map_or(NONE.to_owned(), |pair| two_decimals(pair.kappa))
        };
        let median = self.median.map_or(NONE.to_owned(), two_decimals);
        vec![
            name.to_owned(),
            self.pairs.to_string(),
            end(&self.lowest),
            median,
            end(&self.highest),
        ]
    }

    /// The pairs with the lowest and the highest kappas, from the lowest; of few pairs, each once.
    fn ends(&self, name: &str) -> Vec<Vec<String>> {
        let highest = self
            .highest
            .iter()
            .rev()
            .filter(|pair| !self.lowest.contains(pair));
        let row = |pair: &PairKappa| {
            let [one, other] = pair.reviewers.each_ref().map(safe);
            vec![
                name.to_owned(),
                one,
                other,
                pair.count.to_string(),
                two_decimals(pair.kappa),
            ]
        };
        self.lowest.iter().chain(highest).map(row).collect()
    }
}

/// Text that grows.
#[derive(Default)]
struct MarkdownWriter(String);

impl MarkdownWriter {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        self.line("");
        self.line(&format!("### {heading}"));
        self.line("");
    }

    /// A table behind an empty line, its first column to the left and the others to the right.
    fn table(&mut self, heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        if !self.0.ends_with("\n\n") {
            self.line("");
        }
        let row = |cells: &[String]| format!("| {} |", cells.join(" | "));
        self.line(&row(&heads
            .iter()
            .map(|head| (*head).to_owned())
            .collect::<Vec<_>>()));
        self.line(&format!(
            "|---|{}",
            "---:|".repeat(heads.len().saturating_sub(1))
        ));
        rows.into_iter().for_each(|cells| self.line(&row(&cells)));
    }

    /// The counts of two raters: the reviewer's values down, the dataset's across.
    fn confusion(&mut self, name: &str, values: &[String], confusion: &Confusion) {
        self.line("");
        self.line(&format!(
            "{name}: the reviewer's values down, the dataset's across"
        ));
        let heads: Vec<&str> = [""]
            .into_iter()
            .chain(values.iter().map(String::as_str))
            .collect();
        let rows = values.iter().enumerate().map(|(first, value)| {
            let counts = (0..values.len()).map(|second| confusion.count(first, second).to_string());
            [format!("**{value}**")].into_iter().chain(counts).collect()
        });
        self.table(&heads, rows);
    }
}

/// A figure with its interval behind it, for a sentence.
fn with_interval(figure: &Figure) -> String {
    match (&figure.value, &figure.interval) {
        (Err(undefined), _) => undefined.to_string(),
        (Ok(value), None) => two_decimals(*value),
        (Ok(value), Some(Err(undefined))) => {
            let reason = undefined.to_string();
            format!("{} (95 % {})", two_decimals(*value), reason)
        }
        (Ok(value), Some(Ok(Interval { low, high, .. }))) => {
            format!(
                "{} (95 %: {} to {})",
                two_decimals(*value),
                two_decimals(*low),
                two_decimals(*high)
            )
        }
    }
}

/// What stands in a cell where there is no figure.
const NONE: &str = "n/a";

/// Why cells of a table have no figure. It is told once below the table, with the rows that it is
/// about: within cells it would make columns too wide for a terminal.
#[derive(Default)]
struct MissingReasons(Vec<(String, Vec<String>)>);

impl MissingReasons {
    fn add(&mut self, reason: String, of: &str) {
        let at = self
            .0
            .iter()
            .position(|(known, _)| *known == reason)
            .unwrap_or_else(|| {
                self.0.push((reason, Vec::new()));
                self.0.len() - 1
            });
        let rows = &mut self.0[at].1;
        if !rows.iter().any(|row| row == of) {
            rows.push(of.to_owned());
        }
    }

    /// The cell of a figure.
    fn value(&mut self, figure: &Result<f64, Undefined>, of: &str) -> String {
        figure.map_or_else(
            |undefined| {
                self.add(undefined.to_string(), of);
                NONE.to_owned()
            },
            two_decimals,
        )
    }

    /// The cells of a figure and its interval. What has no figure needs no reason why it has no
    /// interval.
    fn figure(&mut self, figure: &Figure, of: &str) -> [String; 2] {
        let sure = match &figure.interval {
            Some(Ok(Interval {
                low,
                high,
                left_out,
            })) => {
                if *left_out > 0 {
                    self.add(format!("95 %: {left_out} resamples left out"), of);
                }
                format!("{}–{}", two_decimals(*low), two_decimals(*high))
            }
            _ if figure.value.is_err() => NONE.to_owned(),
            Some(Err(undefined)) => {
                let reason = undefined.to_string();
                self.add(format!("95 % {reason}"), of);
                NONE.to_owned()
            }
            None => {
                self.add("95 % n/a: no resamples were asked for".to_owned(), of);
                NONE.to_owned()
            }
        };
        [self.value(&figure.value, of), sure]
    }

    /// The cell of a figure that was published or not.
    fn stated(&mut self, figure: Option<f64>, head: &str, of: &str) -> String {
        figure.map_or_else(
            || {
                self.add(format!("{head} n/a: none is stated"), of);
                NONE.to_owned()
            },
            two_decimals,
        )
    }

    fn write(self, out: &mut MarkdownWriter) {
        if !self.0.is_empty() {
            out.line("");
        }
        self.0
            .into_iter()
            .for_each(|(reason, rows)| out.line(&format!("- {reason}: for {}", rows.join(", "))));
    }
}

/// So many judgments of so many samples: where each was judged once, samples.
fn judgments(judgments: u64, samples: usize) -> String {
    match judgments == samples as u64 {
        true => counted(judgments, "sample"),
        false => format!(
            "{} of {}",
            counted(judgments, "judgment"),
            counted(samples, "sample")
        ),
    }
}

/// A name that somebody chose, as one line that means nothing in Markdown.
fn safe(name: &impl Display) -> String {
    let mut safe = String::new();
    for sign in text::one_line(&name.to_string(), LONG_NAME).chars() {
        if "\\`*[]<>|~#".contains(sign) {
            safe.push('\\');
        }
        safe.push(sign);
    }
    safe
}
