//! How samples were drawn, so that anyone can repeat the draw.

use minijinja::{Value, context};

use super::super::audits::audits;
use super::{ReportedJudgments, ReviewerJudgments};
use crate::answer::{AnswerCell, AnswerTable};
use crate::dataset::{Dataset, DatasetFile, Fingerprint};
use crate::journal::{Audit, AuditPlan, Reveal};
use crate::query::{self, Catalog};
use crate::review::{ItemStatus, ReviewerProgress, equal_chances, inline, serialised};
use crate::schema::SchemaCatalog;
use crate::source::DEMO;
use crate::text::exact_number;

/// Returns who judged how many samples, and how.
pub(super) fn judged(judged: &ReportedJudgments<'_>) -> Value {
    let each = judged.by_reviewer().into_iter();
    let each: Vec<_> = each.map(|(name, of)| (name, of.samples)).collect();
    context! { each => serialised(each), samples => judged.samples(), given => serialised(judged.blindness()) }
}

/// Returns the judged files, in order.
pub(super) fn files(dataset: &Dataset) -> Vec<Value> {
    let mut of_files = vec![0; dataset.files().len()];
    for chunk in dataset.chunks() {
        for within in 0..chunk.samples() {
            if let Some(samples) = of_files.get_mut(dataset.file_of(chunk, within)) {
                *samples += 1;
            }
        }
    }
    // Samples of two files count for both; a sample cut by a split counts for its first file.
    let is_shared = dataset.files().iter().any(DatasetFile::is_against);
    let file = |(index, file): (usize, &DatasetFile)| {
        let chunks = dataset.chunks_of_file(index).iter();
        let samples = if is_shared {
            dataset.samples()
        } else {
            of_files.get(index).copied().unwrap_or_default()
        };
        let definition = file.schema.definition();
        context! {
            name => file.source.name(),
            rows => chunks.map(|chunk| chunk.rows()).sum::<usize>(),
            samples,
            title => &*definition.title,
            schema => &*definition.name,
        }
    };
    dataset.files().iter().enumerate().map(file).collect()
}

/// Returns the plan of an audit, its progress and, for a full report, whether it can be drawn
/// again from this data, for which the rows are read.
pub(super) fn plan(judged: &ReportedJudgments<'_>, session: &Audit, full: bool) -> Value {
    let audit = &session.audit;
    let mut all = judged.work.progress(session);
    all.retain(|one| judged.is_reviewer(&one.reviewer));
    let given = judged.by_reviewer();
    let given = |one: &ReviewerProgress| given.get(&*one.reviewer).copied().unwrap_or_default();
    let reviewers: Vec<_> = all.iter().map(|one| questions(one, given(one))).collect();
    let late = all.iter().filter(|one| !one.progress.is_finished());
    let late: Vec<_> = late.map(|one| &*one.reviewer).collect();
    let strata = audit.strata.iter().map(|it| {
        let counts = [it.of, it.drawn].map(|count| AnswerCell::number(count.to_string()));
        [AnswerCell::new((), &it.value)]
            .into_iter()
            .chain(counts)
            .collect()
    });
    let strata = audit.by.as_ref().map(|by| {
        let heads = [&*inline(&by.field), "samples", "drawn"];
        AnswerTable::with_heads(&heads, strata.collect())
    });
    let strata = strata.filter(|table| !table.is_empty());
    context! {
        id => &*session.id.0,
        begun_by => &*session.reviewer,
        time => &*session.time,
        drawn => audit.drawn(),
        between => serialised(&audit.between),
        of => audit.of,
        n => audit.n,
        by => audit.by.as_ref().map(|by| &*by.field),
        even => audit.by.as_ref().is_some_and(|by| by.even),
        seed => audit.seed,
        equally_likely => equal_chances(audit.by.as_ref()),
        filter => audit.filter.trim(),
        shown => shown(audit, &all),
        repeats => audit.queue.len() - audit.drawn(),
        reviewers,
        late => serialised(late),
        same => full.then(|| again(judged.work.dataset, audit)),
        strata => strata.map(|table| table.markdown()),
    }
}

/// Returns when blind reviewers saw the dataset's judgment.
fn shown(audit: &AuditPlan, reviewers: &[ReviewerProgress]) -> Option<&'static str> {
    let done = reviewers
        .iter()
        .filter(|one| one.progress.is_finished())
        .count();
    let words = match audit.reveals() {
        _ if !audit.blind => return None,
        Reveal::Never => "never shown",
        Reveal::End if done == 0 => "not shown yet, only after the whole audit",
        Reveal::End if done < reviewers.len() => "shown to each reviewer after the whole audit",
        Reveal::End => "shown after the whole audit",
        Reveal::After
            if reviewers
                .iter()
                .all(|one| !one.progress.items.iter().any(|it| it.is_judged())) =>
        {
            "not shown yet, as no sample is judged"
        }
        Reveal::After => "shown after each judgment",
    };
    Some(words)
}

/// Returns the progress of a reviewer, and how the questions were judged.
fn questions(one: &ReviewerProgress, given: ReviewerJudgments) -> Value {
    let count = |status: ItemStatus| one.progress.count(status);
    let items = &one.progress.items;
    context! {
        name => &*one.reviewer,
        judged => items.iter().filter(|status| status.is_judged()).count(),
        items => items.len(),
        withdrawn => count(ItemStatus::Withdrawn),
        again => count(ItemStatus::Again),
        begun => count(ItemStatus::Begun),
        skipped => count(ItemStatus::Skipped),
        deferred => count(ItemStatus::Deferred),
        open => count(ItemStatus::Open),
        gone => one.progress.gone(),
        given => serialised(given.given),
    }
}

/// Returns the counts in which these files differ from those of the draw; empty if only their
/// content differs, `None` if they are the same.
fn differs(dataset: &Dataset, then: &Fingerprint) -> Option<Vec<String>> {
    let now = dataset.fingerprint();
    let parts = [
        ("rows", then.rows, now.rows),
        ("samples", then.samples, now.samples),
    ];
    let parts: Vec<_> = (parts.iter().filter(|(_, then, now)| then != now))
        .map(|(what, then, now)| format!("{what} {then} then, {now} now"))
        .collect();
    (!parts.is_empty() || then.hash != now.hash).then_some(parts)
}

/// Returns how to repeat the draw, if these files allow it.
fn again(dataset: &Dataset, audit: &AuditPlan) -> Value {
    let catalog = Catalog::of_dataset(dataset);
    let by_remarks = query::parse(&audit.filter, &catalog)
        .is_ok_and(|filter| query::depends_on_remarks(&filter));
    let names = files_as_typed(dataset);
    let open = format!("visavis {}", names.join(" "));
    context! {
        unknown => audit.data.is_none(),
        differs => audit.data.as_ref().and_then(|then| differs(dataset, then)),
        by_remarks,
        filter => audit.filter.trim(),
        shell => shell(&names, audit),
        open => open.trim_end(),
        command => command(audit),
    }
}

/// Returns the command that repeats the draw in the program.
fn command(audit: &AuditPlan) -> String {
    let options = options(audit).into_iter();
    let words = options.map(|(name, value)| match value {
        Some(value) => format!(" {name}={value}"),
        None => format!(" {name}"),
    });
    format!(":audit {}{}", audit.n, words.collect::<String>())
}

/// Returns the shell command that repeats the draw.
fn shell(names: &[String], audit: &AuditPlan) -> String {
    let mut words = vec!["visavis audit".to_owned()];
    words.extend_from_slice(names);
    words.push(format!("-n {}", audit.n));
    let filter = Some(audit.filter.trim()).filter(|filter| !filter.is_empty());
    let filter = filter.map(|filter| ("filter", Some(filter.to_owned())));
    let options = options(audit).into_iter().chain(filter);
    words.extend(options.map(|(name, value)| match value {
        Some(value) => option(&format!("--{name}"), &value),
        None => format!("--{name}"),
    }));
    words.join(" ")
}

/// Returns the options of an audit, with their values as typed.
fn options(audit: &AuditPlan) -> Vec<(&'static str, Option<String>)> {
    let by = audit.by.as_ref();
    let reveal = match audit.reveal {
        _ if !audit.blind => None,
        Reveal::After => None,
        Reveal::End => Some("end"),
        Reveal::Never => Some("never"),
    };
    let repeat = (audit.repeat > 0.0)
        .then(|| format!("{}%", exact_number((audit.repeat * 1e6).round() / 1e4)));
    let options = [
        Some(("seed", Some(audit.seed.to_string()))),
        by.map(|by| {
            (
                if by.even { "even" } else { "by" },
                Some(by.field.to_string()),
            )
        }),
        repeat.map(|share| ("repeat", Some(share))),
        audit.blind.then_some(("blind", None)),
        reveal.map(|word| ("reveal", Some(word.to_owned()))),
    ];
    options.into_iter().flatten().collect()
}

/// Formats an option; `=` protects a value that begins with `-`.
fn option(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { "=" } else { " " };
    format!("{name}{between}{}", in_shell(value))
}

/// Returns the files for a command line, with their options.
fn files_as_typed(dataset: &Dataset) -> Vec<String> {
    let mut words = Vec::new();
    let mut on = None;
    for file in dataset.files() {
        if file.is_against() {
            words.push("--against".to_owned());
            let definition = file.schema.definition();
            let prompt = definition.prompt.as_ref().map(|prompt| &prompt.path);
            on = (definition.group.first())
                .filter(|_| prompt != Some(&definition.group))
                .map(ToString::to_string);
        }
        words.extend(as_typed(file.source.name()));
    }
    for file in dataset.joined() {
        let name = file.source.name();
        let name = if name == "standard input" { "-" } else { name };
        words.push(option("--with", &format!("{}={name}", file.name)));
        on = on.or_else(|| file.matched_on.clone());
    }
    words.extend(on.map(|on| option("--on", &on)));
    words.extend(grouped_by(dataset));
    words
}

/// Returns options for the fields that group rows, unless the schema already groups by them.
fn grouped_by(dataset: &Dataset) -> Vec<String> {
    let files = dataset.files();
    let Some(file) = files
        .first()
        .filter(|_| !files.iter().any(DatasetFile::is_against))
    else {
        return Vec::new();
    };
    let definition = file.schema.definition();
    let catalog = SchemaCatalog::default();
    let built_in = catalog.get(&definition.name);
    if built_in.is_some_and(|known| known.definition().group == definition.group) {
        return Vec::new();
    }
    let fields = definition.group.iter();
    let words = fields.map(|field| option("--group-by", &field.to_string()));
    words.collect()
}

/// Returns the name of a file as typed; `None` for the demo, which opens without a name.
fn as_typed(name: &str) -> Option<String> {
    match name {
        "standard input" => Some("-".to_owned()),
        name if name.starts_with(DEMO) => None,
        // Not an option.
        name if name.starts_with('-') => Some(in_shell(&format!("./{name}"))),
        name => Some(in_shell(name)),
    }
}

/// Quotes a name for a shell.
pub fn in_shell(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:=@%".contains(&byte);
    if !name.is_empty() && name.bytes().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

/// Returns all audits of the journal as Markdown, if there are others than this; else nothing.
pub(super) fn sessions(judged: &ReportedJudgments<'_>, this: Option<&Audit>) -> String {
    if judged.work.ledger.sessions().count() <= usize::from(this.is_some()) {
        return String::new();
    }
    let is_listed = |name: &str| judged.is_reviewer(name);
    audits(judged.work, this, is_listed).markdown()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{JoinInput, JoinOn, Loader};
    use crate::journal::StratifyBy;
    use crate::review::AuditProgress;
    use crate::schema::SchemaChoice;
    use crate::source::Input;

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
            between: None,
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
            between: None,
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
                progress: AuditProgress {
                    items: items.to_vec(),
                },
            }]
        });
        for (repeat, reveal, progress, words) in [
            (
                0.0,
                Reveal::After,
                &none,
                "not shown yet, as no sample is judged",
            ),
            (0.0, Reveal::After, &some, "shown after each judgment"),
            (
                0.1,
                Reveal::After,
                &some,
                "not shown yet, only after the whole audit",
            ),
            (0.1, Reveal::After, &all, "shown after the whole audit"),
            (
                0.0,
                Reveal::End,
                &some,
                "not shown yet, only after the whole audit",
            ),
            (0.0, Reveal::End, &all, "shown after the whole audit"),
            (0.1, Reveal::Never, &all, "never shown"),
        ] {
            assert_eq!(shown(&audit(repeat, reveal), progress), Some(words));
        }
        let both = [some[0].clone(), all[0].clone()];
        let words = "shown to each reviewer after the whole audit";
        assert_eq!(shown(&audit(0.0, Reveal::End), &both), Some(words));
        assert_eq!(
            shown(
                &AuditPlan {
                    between: None,
                    blind: false,
                    ..audit(0.0, Reveal::After)
                },
                &all
            ),
            None
        );
    }

    fn input(name: &'static str) -> Input {
        let row = br#"{"id": 1, "prompt": "p", "response": "r", "reward": 1}"#;
        Input::Embedded { name, bytes: row }
    }

    #[test]
    fn files_are_named_as_they_were_opened() {
        let join = || JoinInput {
            name: Some("rm".to_owned()),
            input: input("scores.jsonl"),
            choice: SchemaChoice::default(),
        };
        let on = || JoinOn::Field("id".into());
        for (joins, join_on, across, words) in [
            (vec![], JoinOn::Content, None, "a.jsonl 'b c.jsonl'"),
            (
                vec![join()],
                JoinOn::Content,
                None,
                "a.jsonl 'b c.jsonl' --with rm=scores.jsonl",
            ),
            (
                vec![join()],
                on(),
                None,
                "a.jsonl 'b c.jsonl' --with rm=scores.jsonl --on /id",
            ),
            (
                vec![],
                JoinOn::Content,
                Some(vec![]),
                "a.jsonl --against 'b c.jsonl'",
            ),
            (
                vec![],
                on(),
                Some(vec!["id".into()]),
                "a.jsonl --against 'b c.jsonl' --on /id",
            ),
        ] {
            let loader = Loader {
                inputs: vec![input("a.jsonl"), input("b c.jsonl")],
                choice: SchemaChoice::default(),
                joins,
                join_on,
                is_against: across.is_some(),
                group_by: across,
                ..Loader::default()
            };
            let dataset = crate::dataset::tests::load_with(&loader);
            assert_eq!(files_as_typed(&dataset).join(" "), words);
        }
        for (fields, words) in [
            (None, "a.jsonl"),
            (Some(vec![]), "a.jsonl --group-by /prompt"),
            (
                Some(vec!["id".into(), "-x".into()]),
                "a.jsonl --group-by /id --group-by /-x",
            ),
        ] {
            let loader = Loader {
                inputs: vec![input("a.jsonl")],
                group_by: fields,
                ..Loader::default()
            };
            let dataset = crate::dataset::tests::load_with(&loader);
            assert_eq!(files_as_typed(&dataset).join(" "), words);
        }
    }
}
