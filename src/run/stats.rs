//! `visavis stats`: onto standard output, or into a picture.

use super::saved::not_written;
use super::subcommands::{data_source, put_bytes, say_notes};
use super::{Failed, environment};
use crate::cli::{Sources, StatsArgs, StatsFormat};
use crate::commands::{self, Profiled};
use crate::export::{InputFile, Target, statistics_as_json, to_file};
use crate::profile::section_keys;
use crate::text::one_line;
use crate::ui::{self, ColorDepth, Glyphs, Look, Preset, SvgBackground, Theme};

pub(super) fn stats(args: &StatsArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let source = data_source(args.filtered.task(sources), "tell of")?;
    let is_section = |name: &&String| section_keys().any(|key| *key == **name);
    if let Some(name) = args.only.iter().find(|name| !is_section(name)) {
        let keys: Vec<_> = section_keys().collect();
        let (keys, name) = (keys.join(", "), one_line(name, 80));
        return Err(Failed::usage(format!(
            "--only {name}: there is no such section; there is {keys}"
        )));
    }
    let inputs: Vec<_> = source
        .loader
        .all_inputs()
        .filter_map(InputFile::of)
        .collect();
    let picture = args.svg.as_deref().map(|path| Target {
        path,
        overwrite: true,
        inputs: &inputs,
        journals: &[],
    });
    picture
        .as_ref()
        .map(super::frame::check_picture)
        .transpose()?;
    let filter = args.filtered.filter.as_deref();
    let Profiled { profile, notes } = commands::stats(&source, filter, &args.only)
        .map_err(|error| Failed::of_selection(args.filtered.query(), &error))?;
    let look = |depth, glyphs| Look {
        theme: Theme::load(Preset::Dark, depth),
        glyphs,
    };
    if let Some(target) = picture {
        let look = look(ColorDepth::True, Glyphs::UNICODE);
        let buffer = ui::statistics_picture(&profile, args.width, &look);
        let svg = ui::svg(&buffer, SvgBackground::Dark, "visavis stats");
        to_file(&target, &mut |out| Ok(out.write_all(svg.as_bytes())?)).map_err(not_written)?;
    } else {
        let words = match args.json || args.format == StatsFormat::Json {
            true => statistics_as_json(&profile),
            false => {
                let look = look(ColorDepth::None, Glyphs::detect(&environment));
                let buffer = ui::statistics_picture(&profile, args.width, &look);
                super::frame::plain_text(&buffer)
            }
        };
        put_bytes(words.as_bytes())?;
    }
    say_notes(&notes, "what came before is counted")
}
