//! `visavis stats`: prints statistics of the data, or writes them as a picture.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::data::FilteredArgs;
use super::loading::RowUse;
use super::output::print_bytes;
use super::selection::QueriedData;
use super::{Sources, texts};
use crate::export::{InputFile, Target, statistics_as_json, to_file};
use crate::profile::{Profile, ProfileRequest, section_keys};
use crate::query::Catalog;
use crate::run::{Failure, check_picture, environment, plain_text};
use crate::ui::{self, ColorDepth, Glyphs, Look, Preset, SvgBackground, Theme};

/// Print statistics: figures, histograms and correlations
///
/// As with the key S in the program: counts, labels, correlations, verdicts, annotators, joined
/// files, lengths and categories, of all samples and, with --filter, also of samples that match a
/// query. visavis guide statistics lists the formulas.
#[derive(Debug, Args)]
pub struct StatsArgs {
    #[command(flatten)]
    filtered: FilteredArgs,

    /// Print only these sections (comma-separated). Without bias, texts are read only for the filter
    #[arg(long, value_name = "SECTIONS", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(section_keys()))]
    only: Vec<String>,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: StatsFormat,

    /// Print JSON, like --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Write the page as an SVG picture to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Width of the text and of the picture in columns, 40 to 400
    #[arg(long, value_name = "COLUMNS", default_value = "120")]
    #[arg(value_parser = clap::value_parser!(u16).range(40..=400))]
    width: u16,
}

/// The output format of statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// Text
    Text,
    /// JSON with full precision
    Json,
    /// Tables in Markdown
    Markdown,
}

impl StatsArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        let source = self.filtered.source("describe", sources)?;
        let inputs = source.loader.all_inputs();
        let inputs: Vec<_> = inputs.filter_map(InputFile::of).collect();
        let picture = self.svg.as_deref().map(|path| Target {
            path,
            overwrite: true,
            inputs: &inputs,
            journals: &[],
        });
        picture.as_ref().map(check_picture).transpose()?;
        let filter = self.filtered.filter.as_ref();
        let data = QueriedData::load(&source, self.filtered.query(), RowUse::ReadAgain)?;
        let shown = filter.map(|_| data.found());
        let profile = Profile::of(ProfileRequest {
            dataset: &data.dataset,
            catalog: &Catalog::of_dataset(&data.dataset),
            shown: shown.as_ref(),
            filter: filter.map(|_| &data.query),
            hides_labels: false,
            reads_texts: true,
            sections: &self.only,
            keep_going: &|| true,
        });
        let profile = profile.ok_or_else(|| Failure::usage(texts::COUNT_CANCELLED))?;
        data.dataset.check_unchanged()?;
        let drawn = |depth, glyphs| {
            let theme = Theme::load(Preset::Dark, depth);
            ui::statistics_picture(&profile, self.width, &Look { theme, glyphs })
        };
        if let Some(target) = picture {
            let buffer = drawn(ColorDepth::True, Glyphs::UNICODE);
            let svg = ui::svg(&buffer, SvgBackground::default(), "visavis stats");
            to_file(&target, &mut |out| Ok(out.write_all(svg.as_bytes())?))?;
        } else {
            let format = if self.json {
                StatsFormat::Json
            } else {
                self.format
            };
            let words = match format {
                StatsFormat::Json => statistics_as_json(&profile),
                StatsFormat::Markdown => {
                    let covers = profile.covers.iter();
                    let covers: String = covers.map(|it| format!("Shown: {it}.\n\n")).collect();
                    covers + &profile.answer.markdown()
                }
                StatsFormat::Text => {
                    plain_text(&drawn(ColorDepth::None, Glyphs::detect(&environment)))
                }
            };
            print_bytes(words.as_bytes())?;
        }
        let mut notes = data.notes();
        notes.remarks.extend(profile.covers);
        notes.print("counted")
    }
}
