//! Agreement in words: in short for a line, and as Markdown.

use std::fmt::Display;
use std::sync::Arc;

use super::agreement::{Agreement, Consistency, LabelAgreement, VerdictAgreement};
use super::between::{Between, Shared};
use super::figures::Figure;
use crate::stats::{Confusion, Interval, Undefined};
use crate::text;

/// Cells that [`Agreement::in_short`] takes at most.
const SHORT: usize = 40;
/// Cells that a name takes there.
const NAME: usize = 20;
/// And in Markdown.
const LONG_NAME: usize = 60;

impl Agreement {
    /// For the status line: the first figures that there are, short; empty where nothing can be said yet. At most 40 cells: a label's kappa, or the share of
    /// equal values where it has none, with the number of responses (of a verdict: samples) in parentheses.
    pub fn in_short(&self) -> String {
        let name = |label: &LabelAgreement| text::one_line(&label.name, NAME);
        let kappas = self.labels.iter().filter_map(|label| {
            let kappa = label.kappa.value.ok()?;
            Some(format!("κ {} {} ({})", name(label), number(kappa), label.confusion.total()))
        });
        let shares = self.labels.iter().filter(|label| label.kappa.value.is_err()).filter_map(|label| {
            let equal = label.equal.value.ok()?;
            Some(format!("{} {} equal ({})", name(label), number(equal), label.confusion.total()))
        });
        let verdict = self.verdict.iter().filter_map(|verdict| {
            let equal = verdict.equal.value.ok()?;
            Some(format!("verdict {} equal ({})", number(equal), verdict.confusion.total()))
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

    /// As Markdown: tables of figures with what they mean, `n/a` with the reason where there is none. A section under a second heading, with
    /// third ones in it.
    pub fn markdown(&self) -> String {
        let mut out = Markdown::default();
        out.line("## Agreement");
        out.line("");
        if self.judgments == 0 {
            out.line("n/a: no judgment yet of anything that the dataset itself says something of.");
        } else {
            out.line(&self.compared());
        }
        if self.gone > 0 {
            out.line("");
            out.line(&format!("{} left out: not in the dataset any more.", counted(self.gone as u64, "judged sample")));
        }
        if self.judgments > 0 {
            self.write_labels(&mut out);
            self.write_verdict(&mut out);
        }
        self.consistency.write(&mut out);
        if let Some(between) = &self.between {
            between.write(self, &mut out);
        }
        out.0
    }

    /// What was compared with what.
    fn compared(&self) -> String {
        let names: Vec<_> = self.reviewers.iter().map(|name| format!("**{}**", safe(name))).collect();
        let blind = match self.blind {
            0 => "none of them given blind".to_owned(),
            all if all == self.judgments => "all of them given blind".to_owned(),
            some => format!("{some} of them given blind"),
        };
        format!(
            "{} of {} by {} ({blind}), compared with what the dataset says itself. κ is Cohen's kappa: 1 is perfect \
             agreement, 0 as much as chance would give. Shares and κ have 95 % intervals: Wilson's for shares, as if all were \
             independent of each other; for κ {}.",
            counted(self.judgments as u64, "judgment"),
            counted(self.samples as u64, "sample"),
            names.join(", "),
            match self.draws {
                0 => "none, since no resamples were asked for".to_owned(),
                draws => format!("a bootstrap over samples, {draws} resamples"),
            }
        )
    }

    fn write_labels(&self, out: &mut Markdown) {
        if self.labels.is_empty() {
            return;
        }
        out.heading("Labels");
        out.line(
            "For responses that both rated: κ is weighted by the square of the distance; the difference is the reviewer's value less the dataset's, \
             on average; the published κ is that between the dataset's own annotators.",
        );
        out.table(
            &["label", "responses", "samples", "κ", "95 %", "equal", "95 %", "difference", "published κ"],
            self.labels.iter().map(|label| {
                let [kappa, sure] = figure(&label.kappa);
                let [equal, equal_sure] = figure(&label.equal);
                let published = label.published.map_or_else(|| "n/a: none is stated".to_owned(), number);
                let (responses, samples) = (label.confusion.total().to_string(), label.samples.to_string());
                let difference = value(&label.difference);
                vec![safe(&label.name), responses, samples, kappa, sure, equal, equal_sure, difference, published]
            }),
        );
        for label in self.labels.iter().filter(|label| label.confusion.total() > 0) {
            let values: Vec<_> = (label.range[0]..=label.range[1]).map(|value| value.to_string()).collect();
            out.confusion(&safe(&label.name), &values, &label.confusion);
        }
    }

    fn write_verdict(&self, out: &mut Markdown) {
        out.heading("Verdict");
        let Some(VerdictAgreement { confusion, kappa, equal, published }) = &self.verdict else {
            out.line("n/a: no verdict that the dataset has too.");
            return;
        };
        let [kappa, sure] = figure(kappa);
        let [equal, equal_sure] = figure(equal);
        out.table(
            &["samples", "equal", "95 %", "published", "κ, unweighted", "95 %"],
            [vec![
                confusion.total().to_string(),
                equal,
                equal_sure,
                published.map_or_else(|| "n/a: none is stated".to_owned(), number),
                kappa,
                sure,
            ]],
        );
        out.confusion("verdict", &["A", "B", "tie"].map(str::to_owned), confusion);
    }
}

impl Consistency {
    fn write(&self, out: &mut Markdown) {
        out.heading("Consistency");
        if self.repeats == 0 {
            out.line("n/a: no sample was judged a second time.");
        } else {
            out.line(&format!(
                "{} of a sample that had come back, compared with the first; the distance is that between the two values, on average.",
                counted(self.repeats as u64, "judgment")
            ));
            let labels = self.labels.iter().map(|label| {
                let [kappa, sure] = figure(&label.kappa);
                let [equal, equal_sure] = figure(&label.equal);
                let total = label.confusion.total().to_string();
                vec![safe(&label.name), total, kappa, sure, equal, equal_sure, value(&label.distance)]
            });
            let [equal, sure] = figure(&self.verdict);
            let none = || "n/a: of labels only".to_owned();
            let verdict = vec!["verdict".to_owned(), self.verdicts.to_string(), none(), none(), equal, sure, none()];
            out.table(&["label", "judged twice", "κ", "95 %", "equal", "95 %", "distance"], labels.chain([verdict]));
        }
        out.line("");
        let [share, sure] = figure(&self.left);
        let caution = if self.decided > 0 && self.swapped == 0 {
            " Sides were never swapped, so this tells as much of the dataset as of the reviewer."
        } else {
            ""
        };
        out.line(&format!(
            "Position: of {} without a tie ({} with sides swapped) the response on the left won this share: {share} (95 %: {sure}).{caution}",
            counted(self.decided, "verdict"),
            self.swapped
        ));
    }
}

impl Between {
    fn write(&self, agreement: &Agreement, out: &mut Markdown) {
        out.heading("Reviewers");
        out.line(&format!(
            "{} reviewers, each with the latest judgment of a sample. Krippendorff's α is that of all of them (ordinal for labels, nominal for the verdict), over \
             what two or more judged: 1 is perfect agreement, 0 as much as chance would give.",
            self.reviewers.len()
        ));
        out.table(
            &["label", "judged by several", "α"],
            self.labels
                .iter()
                .chain([&self.verdict])
                .map(|alpha| vec![safe(&alpha.name), alpha.units.to_string(), value(&alpha.alpha)]),
        );
        if self.pairs.is_empty() {
            out.line("");
            out.line("n/a: no two of them judged the same sample.");
            return;
        }
        let shared = |reviewers: &[Arc<str>; 2], name: &str, shared: &Shared| {
            let [one, other] = reviewers.each_ref().map(safe);
            let equal = value(&shared.confusion.agreement());
            vec![one, other, name.to_owned(), shared.confusion.total().to_string(), value(&shared.kappa), equal]
        };
        let rows = self.pairs.iter().flat_map(|pair| {
            let labels = agreement.labels.iter().zip(&pair.labels);
            let labels = labels.map(|(label, of)| shared(&pair.reviewers, &safe(&label.name), of));
            labels.chain([shared(&pair.reviewers, "verdict", &pair.verdict)])
        });
        out.table(&["one", "other", "label", "in common", "κ", "equal"], rows);
    }
}

/// Text that grows.
#[derive(Default)]
struct Markdown(String);

impl Markdown {
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
        self.line(&row(&heads.iter().map(|head| (*head).to_owned()).collect::<Vec<_>>()));
        self.line(&format!("|---|{}", "---:|".repeat(heads.len().saturating_sub(1))));
        rows.into_iter().for_each(|cells| self.line(&row(&cells)));
    }

    /// The counts of two raters: the reviewer's values down, the dataset's across.
    fn confusion(&mut self, name: &str, values: &[String], confusion: &Confusion) {
        self.line("");
        self.line(&format!("{name}: the reviewer's values down, the dataset's across"));
        let heads: Vec<&str> = [""].into_iter().chain(values.iter().map(String::as_str)).collect();
        let rows = values.iter().enumerate().map(|(first, value)| {
            let counts = (0..values.len()).map(|second| confusion.count(first, second).to_string());
            [format!("**{value}**")].into_iter().chain(counts).collect()
        });
        self.table(&heads, rows);
    }
}

/// With two decimals, and a zero without a sign.
fn number(value: f64) -> String {
    let number = format!("{value:.2}");
    if number == "-0.00" { "0.00".to_owned() } else { number }
}

fn value(figure: &Result<f64, Undefined>) -> String {
    figure.map_or_else(|undefined| undefined.to_string(), number)
}

/// A figure and its interval.
fn figure(figure: &Figure) -> [String; 2] {
    let sure = match &figure.interval {
        None => "n/a: no resamples were asked for".to_owned(),
        Some(Err(undefined)) => undefined.to_string(),
        Some(Ok(Interval { low, high, left_out })) => {
            let out = if *left_out > 0 { format!(", {left_out} resamples left out") } else { String::new() };
            format!("{} to {}{out}", number(*low), number(*high))
        }
    };
    [value(&figure.value), sure]
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
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
