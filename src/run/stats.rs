//! `visavis stats`: onto standard output, or into a picture.

use super::saved::{not_written, onto_stdout};
use super::{Failed, complain, environment, journal_config, loader_or_stdin, pointed_out};
use crate::cli::{StatsFormat, StatsTask};
use crate::commands::{self, CountError, Profiled};
use crate::export::{InputFile, Target, statistics_as_json, to_file};
use crate::profile::section_keys;
use crate::text::one_line;
use crate::ui::{self, ColorDepth, Glyphs, Look, Preset, SvgBackground, Theme};

pub(super) fn stats(task: StatsTask) -> Result<(), Failed> {
    let loader = loader_or_stdin(task.loader, "tell of")?;
    let is_section = |name: &&String| section_keys().any(|key| *key == **name);
    if let Some(name) = task.sections.iter().find(|name| !is_section(name)) {
        let keys: Vec<_> = section_keys().collect();
        let (keys, name) = (keys.join(", "), one_line(name, 80));
        return Err(Failed::usage(format!(
            "--only {name}: there is no such section; there is {keys}"
        )));
    }
    let journal = journal_config::journal(&loader.inputs, &task.journal, task.reviewer);
    let inputs: Vec<_> = loader.all_inputs().filter_map(InputFile::of).collect();
    let picture = task.svg.as_deref().map(|path| Target {
        path,
        overwrite: true,
        inputs: &inputs,
        journals: &[],
    });
    picture
        .as_ref()
        .map(super::frame::check_picture)
        .transpose()?;
    let filter = task.filter.as_deref();
    let profiled = commands::stats(
        &loader,
        filter,
        &task.sections,
        &journal,
        &super::rules::rules_or_complain(task.max_len),
    )
    .map_err(|error| match error {
        CountError::Files(error) => Failed::of_files(&error),
        CountError::Query(error) => Failed::usage(pointed_out(filter.unwrap_or_default(), &error)),
    })?;
    let Profiled {
        profile,
        remarks,
        troubles,
    } = profiled;
    let look = |depth, glyphs| Look {
        theme: Theme::load(Preset::Dark, depth),
        glyphs,
    };
    if let Some(target) = picture {
        let look = look(ColorDepth::True, Glyphs::UNICODE);
        let buffer = ui::statistics_picture(&profile, task.width, &look);
        let svg = ui::svg(&buffer, SvgBackground::Dark, "visavis stats");
        to_file(&target, &mut |out| Ok(out.write_all(svg.as_bytes())?)).map_err(not_written)?;
    } else {
        let words = match task.format {
            StatsFormat::Json => statistics_as_json(&profile),
            StatsFormat::Text => {
                let look = look(ColorDepth::None, Glyphs::detect(&environment));
                let buffer = ui::statistics_picture(&profile, task.width, &look);
                super::frame::plain_text(&buffer)
            }
        };
        onto_stdout(|out| out.write_all(words.as_bytes()).and_then(|()| out.flush()))
            .or_else(super::frame::closed_pipe)?;
    }
    remarks.iter().for_each(|remark| complain(remark));
    match troubles.split_last() {
        None => Ok(()),
        Some((last, before)) => {
            before.iter().for_each(|trouble| complain(trouble));
            Err(Failed::on_the_way(format!(
                "{last}; what came before is counted"
            )))
        }
    }
}
