//! The first row: the program, what is open, and how much of it.

use super::{Canvas, grouped};
use crate::app::Loading;
use crate::text;

impl Canvas<'_> {
    pub(super) fn header(&mut self) {
        let area = self.app.geometry().header;
        if area.is_empty() {
            return;
        }
        let theme = &self.look.theme;
        let (plain, brand, dim) = (theme.header, theme.header_brand, theme.dim);
        self.tint(area, plain);
        let right = self.header_right();
        let reserved = text::width(&right) as u16 + 2;
        let end = (area.x + area.width).saturating_sub(if area.width > 2 * reserved { reserved } else { 0 });
        let mut x = self.put(area.x + 1, area.y, end, "visavis", brand);
        let names = self.file_names();
        if !names.is_empty() {
            x = self.put(x + 2, area.y, end, &names, plain);
        }
        let counted = self.counted();
        self.put(x + 2, area.y, end, &counted, dim);
        if end < area.x + area.width {
            let x = area.x + area.width + 1 - reserved;
            self.put(x, area.y, area.x + area.width, &right, dim);
        }
    }

    /// The files, the first by name.
    pub(super) fn file_names(&self) -> String {
        let files = self.app.dataset().files();
        let Some(first) = files.first() else { return String::new() };
        let name = text::one_line(short_name(first.source.name()), 48);
        match files.len() {
            1 => name,
            2 => format!("{name} + {}", text::one_line(short_name(files[1].source.name()), 48)),
            more => format!("{name} + {} files", more - 1),
        }
    }

    fn counted(&self) -> String {
        let dataset = self.app.dataset();
        let mut titles: Vec<_> = dataset.files().iter().map(|file| file.schema.definition().title.as_str()).collect();
        titles.dedup();
        let titles = text::one_line(&titles.join(" + "), 48);
        let samples = dataset.samples();
        let noun = if samples == 1 { "sample" } else { "samples" };
        match (titles.is_empty(), samples) {
            (true, _) => String::new(),
            (false, 0) => titles,
            (false, samples) => format!("{titles} {} {} {noun}", self.look.glyphs.separator, grouped(samples)),
        }
    }

    /// How far loading is, once that takes long.
    fn header_right(&self) -> String {
        let Loading::UnderWay { long: true } = self.app.loading() else { return String::new() };
        match self.app.dataset().progress() {
            Some(done) => {
                const CELLS: usize = 10;
                let full = (done * CELLS as f64) as usize;
                let glyphs = &self.look.glyphs;
                let bar = glyphs.progress_full.repeat(full) + &glyphs.progress_empty.repeat(CELLS - full.min(CELLS));
                format!("loading {bar} {:>3.0} %", done * 100.0)
            }
            None => "loading".to_owned(),
        }
    }
}

/// The last part of a path: directories say little in a row that is short already.
fn short_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(path)
}
