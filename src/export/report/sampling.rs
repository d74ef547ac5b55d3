//! What was sampled and how, so that anybody can draw the same.

use super::super::markdown::{code, inline, row, rule};
use super::super::number;
use super::{Judged, ReportSpec, path};
use crate::dataset::Dataset;
use crate::journal::{Audit, Ledger, Reveal, Session};
use crate::review::{Places, Stand, Standing};

/// What was judged, in a sentence.
pub(super) fn in_a_sentence(judged: &Judged<'_>, session: Option<&Session>) -> String {
    let names: Vec<_> = judged.reviewers().into_iter().map(inline).collect();
    let what = match session {
        Some(session) => {
            let drawn = session.audit.queue.iter().filter(|item| item.pass <= 1).count();
            let of = counted(usize::try_from(session.audit.of).unwrap_or(usize::MAX), "sample");
            format!("{} of the {drawn} drawn from {of}", judged.samples())
        }
        None => format!("{} in passing", counted(judged.samples(), "sample")),
    };
    format!("{} judged {what}: {}.", names.join(", "), blindness(judged))
}

fn blindness(judged: &Judged<'_>) -> String {
    let all = judged.blindness();
    let repeats = match all.repeats {
        0 => String::new(),
        repeats => format!(" ({repeats} of all are of samples that had come back)"),
    };
    let seen = match all.seen {
        0 => String::new(),
        seen => format!(", {seen} of samples that had been seen before"),
    };
    let later = match (all.changed, all.withdrawn) {
        (0, 0) => String::new(),
        (changed, withdrawn) => format!("; {changed} changed, {withdrawn} withdrawn after the labels showed"),
    };
    format!(
        "{} given blind, {} after the labels showed{seen}{repeats}{later}",
        counted(all.blind, "judgment"),
        all.open
    )
}

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
            let standing = Standing::of(session, &session.reviewer, judged.ledger, places, dataset);
            plan(page, &session.audit, &standing, judged.blindness().open);
            stands(page, &standing);
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
        page.push_str(&format!("- Blindness: {}\n", blindness(judged)));
    }
    if let Some((first, last)) = &spec.span {
        page.push_str(&format!("- First judgment {}, last {}\n", inline(first), inline(last)));
    }
    if let Some(session) = session {
        again(page, dataset, &session.audit);
        strata(page, &session.audit);
    }
}

fn plan(page: &mut String, audit: &Audit, standing: &Standing, seen: usize) {
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
    page.push_str(&match shown(audit, standing) {
        None => "- Open: the dataset's own judgment was in sight\n".to_owned(),
        Some(shown) => {
            // The plan is one thing, and what a reviewer saw before an answer another.
            let but = match seen {
                0 => String::new(),
                seen => format!("; but {} given after it showed", counted(seen, "judgment")),
            };
            format!("- Blind, sides swapped by a coin; the dataset's own judgment was {shown}{but}\n")
        }
    });
    match audit.queue.len() - first {
        0 => page.push_str("- Repeats: none\n"),
        repeats => page.push_str(&format!("- Repeats: {repeats} came back later with their sides swapped\n")),
    }
}

/// When a blind reviewer was shown what the dataset says.
fn shown(audit: &Audit, standing: &Standing) -> Option<&'static str> {
    let words = match audit.reveals() {
        _ if !audit.blind => return None,
        Reveal::Never => "never shown",
        Reveal::End if standing.is_finished() => "shown once the whole audit was done",
        Reveal::End => "not shown yet: it is once the whole audit is done",
        Reveal::After if !standing.items.iter().any(|stand| stand.is_judged()) => "not shown: no sample is judged yet",
        Reveal::After => "shown once a sample was judged",
    };
    Some(words)
}

fn stands(page: &mut String, standing: &Standing) {
    let count = |stand: Stand| standing.items.iter().filter(|&&it| it == stand).count();
    let judged = standing.items.iter().filter(|stand| stand.is_judged()).count();
    let others = [
        (Stand::Withdrawn, "of them withdrawn after the labels showed"),
        (Stand::Again, "of them to be judged again"),
        (Stand::Begun, "judged in part"),
        (Stand::Skipped, "skipped"),
        (Stand::Deferred, "deferred"),
        (Stand::Open, "left"),
        (Stand::Gone, "not in these files any more"),
    ];
    let others = others.map(|(stand, word)| (count(stand), word)).into_iter().filter(|(count, _)| *count > 0);
    let others: String = others.map(|(count, word)| format!(", {count} {word}")).collect();
    page.push_str(&format!("- Questions: {judged} of {} judged{others}\n", standing.items.len()));
    if !standing.is_finished() {
        page.push_str("- **The audit is not finished: figures are those so far**\n");
    }
}

/// How to draw the same samples.
fn again(page: &mut String, dataset: &Dataset, audit: &Audit) {
    let names: Vec<_> = dataset.files().iter().filter_map(|file| as_typed(file.source.name())).collect();
    let mut command = format!(":audit {} seed={}", audit.n, audit.seed);
    if let Some(by) = &audit.by {
        command.push_str(&format!(" {}={}", if by.even { "even" } else { "by" }, by.field));
    }
    if audit.repeat > 0.0 {
        command.push_str(&format!(" repeat={}", percent(audit.repeat)));
    }
    if audit.blind {
        command.push_str(if audit.reveal == Reveal::Never { " blind reveal=never" } else { " blind" });
    }
    let filter = match audit.filter.trim() {
        "" => String::new(),
        filter => format!(", with the filter {} in force", code(filter)),
    };
    page.push_str(&format!("- To draw the same, in a shell: {}\n", code(&shell(&names, audit))));
    let open = format!("visavis {}", names.join(" "));
    page.push_str(&format!("- Or in the program: {}{filter}, and type {}\n", code(open.trim_end()), code(&command)));
}

/// The command line that draws the same.
fn shell(names: &[String], audit: &Audit) -> String {
    let mut words = vec!["visavis audit".to_owned()];
    words.extend_from_slice(names);
    words.push(format!("-n {} --seed {}", audit.n, audit.seed));
    words.extend(audit.by.as_ref().map(|by| option(if by.even { "--even" } else { "--by" }, &by.field)));
    words.extend((audit.repeat > 0.0).then(|| format!("--repeat {}", percent(audit.repeat))));
    words.extend(audit.blind.then(|| "--blind".to_owned()));
    words.extend((audit.blind && audit.reveal == Reveal::Never).then(|| "--reveal never".to_owned()));
    let filter = audit.filter.trim();
    words.extend((!filter.is_empty()).then(|| option("--filter", filter)));
    words.join(" ")
}

/// An option with its value, which is not to be taken for an option where it begins with a `-`.
fn option(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { "=" } else { " " };
    format!("{name}{between}{}", in_shell(value))
}

/// A share as it is typed.
fn percent(share: f64) -> String {
    format!("{}%", number((share * 1e6).round() / 1e4))
}

/// The name of a file as it is typed; none for the demo, which opens where no file is named.
fn as_typed(name: &str) -> Option<String> {
    match name {
        "standard input" => Some("-".to_owned()),
        name if name.starts_with("demo: ") => None,
        // It is no option.
        name if name.starts_with('-') => Some(in_shell(&format!("./{name}"))),
        name => Some(in_shell(name)),
    }
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
    use crate::journal::By;

    #[test]
    fn names_go_through_a_shell() {
        for (name, spelled) in [("a/b-1.jsonl", "a/b-1.jsonl"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''")] {
            assert_eq!(in_shell(name), spelled);
        }
        let typed = ["standard input", "demo: helpsteer2.jsonl", "-x", "x y"].map(as_typed);
        assert_eq!(typed.each_ref().map(Option::as_deref), [Some("-"), None, Some("./-x"), Some("'x y'")]);
    }

    #[test]
    fn a_shell_draws_the_same() {
        let by = Some(By { field: "helpfulness".into(), even: false });
        let mut audit = Audit {
            n: 20,
            seed: 7,
            by,
            repeat: 0.1,
            blind: true,
            reveal: Reveal::Never,
            filter: "-tag=rude it's".into(),
            of: 9,
            data: None,
            strata: Vec::new(),
            queue: Vec::new(),
        };
        let names = ["x.jsonl".to_owned()];
        let words = "visavis audit x.jsonl -n 20 --seed 7 --by helpfulness --repeat 10% --blind --reveal never \
                     --filter='-tag=rude it'\\''s'";
        assert_eq!(shell(&names, &audit), words);
        (audit.by, audit.repeat, audit.reveal) = (None, 0.0, Reveal::After);
        audit.filter = "len>0".into();
        assert_eq!(shell(&names, &audit), "visavis audit x.jsonl -n 20 --seed 7 --blind --filter 'len>0'");
    }

    #[test]
    fn what_was_shown_when() {
        let audit = |repeat, reveal| Audit {
            n: 1,
            seed: 0,
            by: None,
            repeat,
            blind: true,
            reveal,
            filter: String::new(),
            of: 1,
            data: None,
            strata: Vec::new(),
            queue: Vec::new(),
        };
        let [none, some, all] =
            [[Stand::Begun, Stand::Open], [Stand::Done, Stand::Open], [Stand::Done, Stand::Skipped]]
                .map(|items| Standing { items: items.to_vec() });
        for (repeat, reveal, standing, words) in [
            (0.0, Reveal::After, &none, "not shown: no sample is judged yet"),
            (0.0, Reveal::After, &some, "shown once a sample was judged"),
            (0.1, Reveal::After, &some, "not shown yet: it is once the whole audit is done"),
            (0.1, Reveal::After, &all, "shown once the whole audit was done"),
            (0.1, Reveal::Never, &all, "never shown"),
        ] {
            assert_eq!(shown(&audit(repeat, reveal), standing), Some(words));
        }
        assert_eq!(shown(&Audit { blind: false, ..audit(0.0, Reveal::After) }, &all), None);
    }
}
