//! What was sampled and how, so that anybody can draw the same.

use super::super::markdown::{code, inline, row, rule};
use super::{Blindness, OfReviewer, ReportSpec, ReportedJudgments, path};
use crate::dataset::Dataset;
use crate::journal::{Audit, AuditPlan, Reveal};
use crate::query::{self, Catalog};
use crate::review::{ItemStatus, ReviewerProgress, SampleLocator, progress};
use crate::text::{counted, exact_number};

/// What was judged, in a sentence.
pub(super) fn in_a_sentence(judged: &ReportedJudgments<'_>, session: Option<&Audit>) -> String {
    let what = match session {
        Some(session) => {
            let of = counted(
                usize::try_from(session.audit.of).unwrap_or(usize::MAX),
                "sample",
            );
            format!("of the {} drawn from {of}", session.audit.drawn())
        }
        None => "samples in passing".to_owned(),
    };
    let all = judged.by_reviewer();
    let who = match all.len() {
        0..=MOST_NAMED => {
            let each: Vec<_> = all
                .iter()
                .map(|(name, of)| format!("{} judged {}", inline(name), of.samples))
                .collect();
            each.join(" and ")
        }
        several => format!("{several} reviewers judged {}", judged.samples()),
    };
    format!("{who} {what}: {}.", blindness(judged))
}

/// Reviewers who are named in a sentence, at most.
const MOST_NAMED: usize = 3;

fn blindness(judged: &ReportedJudgments<'_>) -> String {
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
        (changed, withdrawn) => {
            format!("; {changed} changed, {withdrawn} withdrawn after the labels showed")
        }
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
    judged: &ReportedJudgments<'_>,
    places: &SampleLocator,
    spec: &ReportSpec,
    session: Option<&Audit>,
) {
    page.push_str("\n## What was judged\n\n");
    for (index, file) in dataset.files().iter().enumerate() {
        let chunks = || {
            dataset
                .chunks()
                .iter()
                .filter(|chunk| chunk.file() == index)
        };
        let count = |of: fn(&crate::dataset::Chunk) -> usize| chunks().map(|chunk| of(chunk)).sum();
        let (rows, samples): (usize, usize) = (
            count(crate::dataset::Chunk::rows),
            count(crate::dataset::Chunk::samples),
        );
        let definition = file.schema.definition();
        let kind = format!(
            "{} (schema {})",
            inline(&definition.title),
            code(&definition.name)
        );
        let (rows, samples) = (counted(rows, "row"), counted(samples, "sample"));
        page.push_str(&format!(
            "- File {}: {rows}, {samples}, {kind}\n",
            code(file.source.name())
        ));
    }
    match dataset.odd_rows() {
        0 => {}
        1 => page.push_str("- 1 row has a value that its field cannot have; it counts as none here (is:flagged finds it)\n"),
        several => page.push_str(&format!(
            "- {several} rows have values that their fields cannot have; they count as none here (is:flagged finds them)\n"
        )),
    }
    page.push_str(&format!("- Journal: {}\n", path(spec)));
    if let Some(name) = judged.reviewer {
        page.push_str(&format!(
            "- Of {} alone: no figure here counts what others judged\n",
            inline(name)
        ));
    }
    match session {
        Some(session) => {
            let id = code(&session.id.0);
            page.push_str(&format!(
                "- Audit {id}, begun by {} on {}\n",
                inline(&session.reviewer),
                inline(&session.time)
            ));
            let mut all = progress(session, judged.ledger, places, dataset);
            all.retain(|one| judged.reviewer.is_none_or(|name| *name == *one.reviewer));
            plan(page, &session.audit, &all, judged.blindness().open);
            stands(page, &all, judged);
        }
        None => {
            let by = judged
                .reviewer
                .map(|name| format!(" by {}", inline(name)))
                .unwrap_or_default();
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
        page.push_str(&format!(
            "- First judgment {}, last {}\n",
            inline(first),
            inline(last)
        ));
    }
    if let Some(session) = session {
        again(page, dataset, &session.audit);
        strata(page, &session.audit);
    }
}

fn plan(page: &mut String, audit: &AuditPlan, reviewers: &[ReviewerProgress], seen: usize) {
    let first = audit.drawn();
    let of = counted(usize::try_from(audit.of).unwrap_or(usize::MAX), "sample");
    let asked = if first as u64 == u64::from(audit.n) {
        String::new()
    } else {
        format!(" ({} were asked for)", audit.n)
    };
    let how = match &audit.by {
        None => "at random".to_owned(),
        Some(by) if by.even => format!("as many of each value of {}", code(&by.field)),
        Some(by) => format!("each value of {} by its share", code(&by.field)),
    };
    page.push_str(&format!(
        "- Drawn: {first} of {of}{asked}, {how}, seed {}\n",
        audit.seed
    ));
    match audit.filter.trim() {
        "" => page.push_str("- Filter: none\n"),
        filter => page.push_str(&format!("- Filter: {}\n", code(filter))),
    }
    page.push_str(&match shown(audit, reviewers) {
        None => "- Open: the dataset's own judgment was in sight\n".to_owned(),
        Some(shown) => {
            // The plan is one thing, and what a reviewer saw before an answer another.
            let but = match seen {
                0 => String::new(),
                seen => format!("; but {} given after it showed", counted(seen, "judgment")),
            };
            format!(
                "- Blind, sides swapped by a coin; the dataset's own judgment was {shown}{but}\n"
            )
        }
    });
    match audit.queue.len() - first {
        0 => page.push_str("- Repeats: none\n"),
        repeats => page.push_str(&format!(
            "- Repeats: {repeats} came back later with their sides swapped\n"
        )),
    }
}

/// When blind reviewers were shown what the dataset says.
fn shown(audit: &AuditPlan, reviewers: &[ReviewerProgress]) -> Option<&'static str> {
    let done = reviewers
        .iter()
        .filter(|one| one.standing.is_finished())
        .count();
    let words = match audit.reveals() {
        _ if !audit.blind => return None,
        Reveal::Never => "never shown",
        Reveal::End if done == 0 => "not shown yet: it is once the whole audit is done",
        Reveal::End if done < reviewers.len() => "shown to each once they had done the whole audit",
        Reveal::End => "shown once the whole audit was done",
        Reveal::After
            if reviewers
                .iter()
                .all(|one| !one.standing.items.iter().any(|it| it.is_judged())) =>
        {
            "not shown: no sample is judged yet"
        }
        Reveal::After => "shown once a sample was judged",
    };
    Some(words)
}

/// A line of questions for each reviewer, and who has not finished.
fn stands(page: &mut String, reviewers: &[ReviewerProgress], judged: &ReportedJudgments<'_>) {
    let given = judged.by_reviewer();
    for one in reviewers {
        let given = given.get(&*one.reviewer).copied().unwrap_or_default();
        page.push_str(&format!(
            "- Questions of {}: {}\n",
            inline(&one.reviewer),
            questions(one, given)
        ));
    }
    let late: Vec<_> = reviewers
        .iter()
        .filter(|one| !one.standing.is_finished())
        .collect();
    let names: Vec<_> = late
        .iter()
        .take(MOST_NAMED)
        .map(|one| inline(&one.reviewer))
        .collect();
    let more = match late.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match (late.len(), reviewers.len()) {
        (0, _) => {}
        (_, 1) => page.push_str("- **The audit is not finished: figures are those so far**\n"),
        _ => page.push_str(&format!(
            "- **Not finished by {}{more}: figures are those so far**\n",
            names.join(", ")
        )),
    }
}

/// How the questions of a reviewer stand, and whether they were judged blind.
fn questions(one: &ReviewerProgress, given: OfReviewer) -> String {
    let standing = &one.standing;
    let count = |stand: ItemStatus| standing.count(stand);
    let judged = standing
        .items
        .iter()
        .filter(|stand| stand.is_judged())
        .count();
    let others = [
        (
            ItemStatus::Withdrawn,
            "of them withdrawn after the labels showed",
        ),
        (ItemStatus::Again, "of them to be judged again"),
        (ItemStatus::Begun, "judged in part"),
        (ItemStatus::Skipped, "skipped"),
        (ItemStatus::Deferred, "deferred"),
        (ItemStatus::Open, "left"),
        (ItemStatus::Gone, "not in these files any more"),
    ];
    let others = others
        .map(|(stand, word)| (count(stand), word))
        .into_iter()
        .filter(|(count, _)| *count > 0);
    let others: String = others
        .map(|(count, word)| format!(", {count} {word}"))
        .collect();
    let Blindness {
        blind,
        seen,
        open,
        changed,
        withdrawn,
        ..
    } = given.given;
    let mut parts = match (blind, seen + open) {
        (0, 0) => Vec::new(),
        (_, 0) => vec!["all judgments blind".to_owned()],
        (0, _) if seen == 0 => vec!["no judgment blind".to_owned()],
        _ => vec![format!("{} blind", counted(blind, "judgment"))],
    };
    let of_some = [
        (open, "after the labels showed"),
        (seen, "of samples that had been seen before"),
    ];
    let of_some = of_some
        .into_iter()
        .filter(|(count, _)| *count > 0 && blind + seen > 0);
    let later = [
        (changed, "changed after the labels showed"),
        (withdrawn, "withdrawn after they showed"),
    ];
    let later = later.into_iter().filter(|(count, _)| *count > 0);
    let more: Vec<_> = of_some
        .chain(later)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    parts.extend(more);
    let blind = if parts.is_empty() {
        String::new()
    } else {
        format!("; {}", parts.join(", "))
    };
    format!("{judged} of {} judged{others}{blind}", standing.items.len())
}

/// Why the same samples cannot be drawn, or are not known to be; `None` where the data is what it
/// was.
fn differs(dataset: &Dataset, audit: &AuditPlan) -> Option<String> {
    let Some(then) = &audit.data else {
        return Some(
            "Whether these files draw the same is not known: the journal is of a version that kept no fingerprint of the data"
                .to_owned(),
        );
    };
    let now = dataset.fingerprint();
    let parts = [
        ("rows", then.rows, now.rows),
        ("samples", then.samples, now.samples),
    ];
    let parts: Vec<_> = (parts.iter().filter(|(_, then, now)| then != now))
        .map(|(what, then, now)| format!("{what} {then} then, {now} now"))
        .collect();
    match parts.is_empty() {
        true if then.hash == now.hash => None,
        true => Some(
            "These files draw others: there are as many rows and samples as then, but not all say the same or stand where they stood"
                .to_owned(),
        ),
        false => Some(format!("These files draw others: {}", parts.join(", "))),
    }
}

/// How to draw the same samples, where these files give them.
fn again(page: &mut String, dataset: &Dataset, audit: &AuditPlan) {
    if let Some(differs) = differs(dataset, audit) {
        page.push_str(&format!("- {differs}\n"));
        return;
    }
    let catalog = Catalog::of(dataset.files().iter().map(|file| &*file.schema));
    if query::parse(&audit.filter, &catalog).is_ok_and(|filter| query::depends_on_remarks(&filter))
    {
        let filter = code(audit.filter.trim());
        page.push_str(&format!(
            "- The same cannot be drawn again for sure: the filter {filter} asks what reviewers said, and they may have said more since\n"
        ));
        return;
    }
    let names: Vec<_> = dataset
        .files()
        .iter()
        .filter_map(|file| as_typed(file.source.name()))
        .collect();
    let mut command = format!(":audit {} seed={}", audit.n, audit.seed);
    if let Some(by) = &audit.by {
        command.push_str(&format!(
            " {}={}",
            if by.even { "even" } else { "by" },
            by.field
        ));
    }
    if audit.repeat > 0.0 {
        command.push_str(&format!(" repeat={}", percent(audit.repeat)));
    }
    if audit.blind {
        command.push_str(" blind");
        command.push_str(
            &reveal_word(audit)
                .map(|word| format!(" reveal={word}"))
                .unwrap_or_default(),
        );
    }
    let filter = match audit.filter.trim() {
        "" => String::new(),
        filter => format!(", with the filter {} in force", code(filter)),
    };
    page.push_str(&format!(
        "- To draw the same, in a shell: {}\n",
        code(&shell(&names, audit))
    ));
    let open = format!("visavis {}", names.join(" "));
    page.push_str(&format!(
        "- Or in the program: {}{filter}, and type {}\n",
        code(open.trim_end()),
        code(&command)
    ));
}

/// The command line that draws the same.
fn shell(names: &[String], audit: &AuditPlan) -> String {
    let mut words = vec!["visavis audit".to_owned()];
    words.extend_from_slice(names);
    words.push(format!("-n {} --seed {}", audit.n, audit.seed));
    words.extend(
        audit
            .by
            .as_ref()
            .map(|by| option(if by.even { "--even" } else { "--by" }, &by.field)),
    );
    words.extend((audit.repeat > 0.0).then(|| format!("--repeat {}", percent(audit.repeat))));
    words.extend(audit.blind.then(|| "--blind".to_owned()));
    words.extend(reveal_word(audit).map(|word| format!("--reveal {word}")));
    let filter = audit.filter.trim();
    words.extend((!filter.is_empty()).then(|| option("--filter", filter)));
    words.join(" ")
}

/// When labels show, as it is typed; `None` where that needs no word.
fn reveal_word(audit: &AuditPlan) -> Option<&'static str> {
    match audit.reveal {
        _ if !audit.blind => None,
        Reveal::After => None,
        Reveal::End => Some("end"),
        Reveal::Never => Some("never"),
    }
}

/// An option with its value, which is not to be taken for an option where it begins with a `-`.
fn option(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { "=" } else { " " };
    format!("{name}{between}{}", in_shell(value))
}

/// A share as it is typed.
fn percent(share: f64) -> String {
    format!("{}%", exact_number((share * 1e6).round() / 1e4))
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

fn strata(page: &mut String, audit: &AuditPlan) {
    let Some(by) = audit.by.as_ref().filter(|_| !audit.strata.is_empty()) else {
        return;
    };
    page.push('\n');
    page.push_str(&row([&inline(&by.field), "samples", "drawn"]));
    page.push_str(&rule(3));
    for stratum in &audit.strata {
        page.push_str(&row([
            inline(&stratum.value),
            stratum.of.to_string(),
            stratum.drawn.to_string(),
        ]));
    }
}

/// All audits of the journal, where there is another one than this.
pub(super) fn sessions(
    page: &mut String,
    dataset: &Dataset,
    judged: &ReportedJudgments<'_>,
    places: &SampleLocator,
    this: Option<&Audit>,
) {
    let sessions: Vec<_> = judged.ledger.sessions().collect();
    if sessions.len() <= usize::from(this.is_some()) {
        return;
    }
    page.push_str("\n## Audits in this journal\n\n");
    for session in sessions {
        let is_this = this.is_some_and(|this| this.id == session.id);
        let audit = &session.audit;
        let all = progress(session, judged.ledger, places, dataset);
        let all = all
            .iter()
            .filter(|one| judged.reviewer.is_none_or(|name| *name == *one.reviewer));
        let far = |one: &ReviewerProgress| {
            format!(
                "; {} {}/{}",
                inline(&one.reviewer),
                one.standing.settled(),
                one.standing.items.len()
            )
        };
        page.push_str(&format!(
            "- {} by {}, begun {}: {}, seed {}{}{}\n",
            code(&session.id.0),
            inline(&session.reviewer),
            inline(&session.time),
            counted(audit.n as usize, "sample"),
            audit.seed,
            if is_this { " (this one)" } else { "" },
            all.map(far).collect::<String>(),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::StratifyBy;
    use crate::review::AuditProgress;

    #[test]
    fn names_go_through_a_shell() {
        for (name, spelled) in [
            ("a/b-1.jsonl", "a/b-1.jsonl"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(in_shell(name), spelled);
        }
        let typed = ["standard input", "demo: helpsteer2.jsonl", "-x", "x y"].map(as_typed);
        assert_eq!(
            typed.each_ref().map(Option::as_deref),
            [Some("-"), None, Some("./-x"), Some("'x y'")]
        );
    }

    #[test]
    fn a_shell_draws_the_same() {
        let by = Some(StratifyBy {
            field: "helpfulness".into(),
            even: false,
        });
        let mut audit = AuditPlan {
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
        assert_eq!(
            shell(&names, &audit),
            "visavis audit x.jsonl -n 20 --seed 7 --blind --filter 'len>0'"
        );
    }

    #[test]
    fn what_was_shown_when() {
        let audit = |repeat, reveal| AuditPlan {
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
        let [none, some, all] = [
            [ItemStatus::Begun, ItemStatus::Open],
            [ItemStatus::Done, ItemStatus::Open],
            [ItemStatus::Done, ItemStatus::Skipped],
        ]
        .map(|items| {
            [ReviewerProgress {
                reviewer: "ann".into(),
                standing: AuditProgress {
                    items: items.to_vec(),
                },
            }]
        });
        for (repeat, reveal, standing, words) in [
            (
                0.0,
                Reveal::After,
                &none,
                "not shown: no sample is judged yet",
            ),
            (0.0, Reveal::After, &some, "shown once a sample was judged"),
            (
                0.1,
                Reveal::After,
                &some,
                "not shown yet: it is once the whole audit is done",
            ),
            (
                0.1,
                Reveal::After,
                &all,
                "shown once the whole audit was done",
            ),
            (
                0.0,
                Reveal::End,
                &some,
                "not shown yet: it is once the whole audit is done",
            ),
            (
                0.0,
                Reveal::End,
                &all,
                "shown once the whole audit was done",
            ),
            (0.1, Reveal::Never, &all, "never shown"),
        ] {
            assert_eq!(shown(&audit(repeat, reveal), standing), Some(words));
        }
        let both = [some[0].clone(), all[0].clone()];
        let words = "shown to each once they had done the whole audit";
        assert_eq!(shown(&audit(0.0, Reveal::End), &both), Some(words));
        assert_eq!(
            shown(
                &AuditPlan {
                    blind: false,
                    ..audit(0.0, Reveal::After)
                },
                &all
            ),
            None
        );
    }
}
