//! What was sampled and how, so that anybody can draw the same.

use super::super::markdown::{code, inline, row, rule};
use super::super::number;
use super::{Judged, ReportSpec, path};
use crate::dataset::Dataset;
use crate::journal::{Audit, Ledger, Reveal, Session};
use crate::review::{Places, Stand, Standing};

pub(super) fn describe(
    page: &mut String,
    dataset: &Dataset,
    judged: &Judged<'_>,
    places: &Places,
    spec: &ReportSpec,
    session: Option<&Session>,
) {
    page.push_str("\n## What was judged\n\n");
    for (index, file) in dataset.files().iter().enumerate() {
        let chunks = || dataset.chunks().iter().filter(|chunk| chunk.file() == index);
        let count = |of: fn(&crate::dataset::Chunk) -> usize| chunks().map(|chunk| of(chunk)).sum();
        let (rows, samples): (usize, usize) =
            (count(crate::dataset::Chunk::rows), count(crate::dataset::Chunk::samples));
        let definition = file.schema.definition();
        let kind = format!("{} (schema {})", inline(&definition.title), code(&definition.name));
        let (rows, samples) = (counted(rows, "row"), counted(samples, "sample"));
        page.push_str(&format!("- File {}: {rows}, {samples}, {kind}\n", code(file.source.name())));
    }
    page.push_str(&format!("- Journal: {}\n", path(spec)));
    match session {
        Some(session) => {
            let id = code(&session.id.0);
            page.push_str(&format!(
                "- Audit {id}, begun by {} on {}\n",
                inline(&session.reviewer),
                inline(&session.time)
            ));
            plan(page, &session.audit);
            standing(page, &Standing::of(session, judged.ledger, places, dataset));
        }
        None => {
            let by = judged.reviewer.map(|name| format!(" by {}", inline(name))).unwrap_or_default();
            page.push_str(&format!(
                "- No audit was begun{by}: samples judged in passing are no fair sample of anything\n"
            ));
        }
    }
    let reviewers = judged.reviewers();
    if !reviewers.is_empty() {
        let names: Vec<_> = reviewers.into_iter().map(inline).collect();
        page.push_str(&format!("- Judged by: {}\n", names.join(", ")));
    }
    if let Some((first, last)) = &spec.span {
        page.push_str(&format!("- First judgment {}, last {}\n", inline(first), inline(last)));
    }
    if let Some(session) = session {
        again(page, dataset, &session.audit);
        strata(page, &session.audit);
    }
}

fn plan(page: &mut String, audit: &Audit) {
    let first = audit.queue.iter().filter(|item| item.pass <= 1).count();
    let of = counted(usize::try_from(audit.of).unwrap_or(usize::MAX), "sample");
    let asked =
        if first as u64 == u64::from(audit.n) { String::new() } else { format!(" ({} were asked for)", audit.n) };
    let how = match &audit.by {
        None => "at random".to_owned(),
        Some(by) if by.even => format!("as many of each value of {}", code(&by.field)),
        Some(by) => format!("each value of {} by its share", code(&by.field)),
    };
    page.push_str(&format!("- Drawn: {first} of {of}{asked}, {how}, seed {}\n", audit.seed));
    match audit.filter.trim() {
        "" => page.push_str("- Filter: none\n"),
        filter => page.push_str(&format!("- Filter: {}\n", code(filter))),
    }
    page.push_str(match (audit.blind, audit.reveal) {
        (false, _) => "- Open: the dataset's own judgment was in sight\n",
        (true, Reveal::After) => {
            "- Blind, sides swapped by a coin; the dataset's own judgment was shown once a sample was judged\n"
        }
        (true, Reveal::Never) => "- Blind, sides swapped by a coin; the dataset's own judgment was never shown\n",
    });
    match audit.queue.len() - first {
        0 => page.push_str("- Repeats: none\n"),
        repeats => page.push_str(&format!("- Repeats: {repeats} came back later with their sides swapped\n")),
    }
}

fn standing(page: &mut String, standing: &Standing) {
    let count = |stand: Stand| standing.items.iter().filter(|&&it| it == stand).count();
    let others = [
        (Stand::Begun, "judged in part"),
        (Stand::Skipped, "skipped"),
        (Stand::Deferred, "deferred"),
        (Stand::Open, "left"),
        (Stand::Gone, "not in these files any more"),
    ];
    let others = others.map(|(stand, word)| (count(stand), word)).into_iter().filter(|(count, _)| *count > 0);
    let others: String = others.map(|(count, word)| format!(", {count} {word}")).collect();
    page.push_str(&format!("- Questions: {} of {} judged{others}\n", count(Stand::Done), standing.items.len()));
    if !standing.is_finished() {
        page.push_str("- **The audit is not finished: figures are those so far**\n");
    }
}

/// How to draw the same samples.
fn again(page: &mut String, dataset: &Dataset, audit: &Audit) {
    let names: Vec<_> = dataset.files().iter().map(|file| in_shell(file.source.name())).collect();
    let mut command = format!(":audit {} seed={}", audit.n, audit.seed);
    if let Some(by) = &audit.by {
        command.push_str(&format!(" by={}{}", by.field, if by.even { " even" } else { "" }));
    }
    if audit.repeat > 0.0 {
        command.push_str(&format!(" repeat={}%", number((audit.repeat * 1e6).round() / 1e4)));
    }
    if audit.blind {
        command.push_str(if audit.reveal == Reveal::Never { " blind reveal=never" } else { " blind" });
    }
    let filter = match audit.filter.trim() {
        "" => String::new(),
        filter => format!(", with the filter {} in force", code(filter)),
    };
    page.push_str(&format!(
        "- To draw the same: {}{filter}, and type {}\n",
        code(&format!("visavis {}", names.join(" "))),
        code(&command)
    ));
}

/// A name as a shell takes it.
fn in_shell(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:=@%".contains(&byte);
    if !name.is_empty() && name.bytes().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

fn strata(page: &mut String, audit: &Audit) {
    let Some(by) = audit.by.as_ref().filter(|_| !audit.strata.is_empty()) else { return };
    page.push('\n');
    page.push_str(&row([&inline(&by.field), "samples", "drawn"]));
    page.push_str(&rule(3));
    for stratum in &audit.strata {
        page.push_str(&row([inline(&stratum.value), stratum.of.to_string(), stratum.drawn.to_string()]));
    }
}

/// All audits of the journal, where there is another one than this.
pub(super) fn sessions(page: &mut String, ledger: &Ledger, this: Option<&Session>) {
    let sessions: Vec<_> = ledger.sessions().collect();
    if sessions.len() <= usize::from(this.is_some()) {
        return;
    }
    page.push_str("\n## Audits in this journal\n\n");
    for session in sessions {
        let is_this = this.is_some_and(|this| this.id == session.id);
        let audit = &session.audit;
        page.push_str(&format!(
            "- {} by {}, begun {}: {}, seed {}{}\n",
            code(&session.id.0),
            inline(&session.reviewer),
            inline(&session.time),
            counted(audit.n as usize, "sample"),
            audit.seed,
            if is_this { " (this one)" } else { "" },
        ));
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_through_a_shell() {
        for (name, spelled) in [("a/b-1.jsonl", "a/b-1.jsonl"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''")] {
            assert_eq!(in_shell(name), spelled);
        }
    }
}
