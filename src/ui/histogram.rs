//! Histograms of labels: the values of A and of B, or of all responses, with those of the pair on
//! the screen in colour and brackets around the values that a filter selects.

use ratatui::style::Style;

use super::card::bold;
use super::row::Row;
use crate::app::Chart;
use crate::text;

/// A histogram to draw.
pub(super) struct Histogram<'h> {
    /// The counts.
    pub chart: &'h Chart,
    /// Cells of a slot; see [`LabelPlaces::slot_width`](crate::app::LabelPlaces::slot_width).
    pub slot: u16,
    /// The bins of the values in the panes, left first; `None` if there is no sample.
    pub own: Option<[Option<usize>; 2]>,
    /// The colours of the panes.
    pub sides: [Style; 2],
    /// True if the left pane has the file's later response: its counts are then left too.
    pub is_swapped: bool,
    /// The bins that the filter selects; `None` if it selects none.
    pub chosen: Option<&'h [bool]>,
}

/// Cells of a slot that has a glyph for each side.
const TWO_GLYPHS: u16 = 3;

impl Row<'_> {
    /// Draws the slots. The first begins at the next cell; brackets take the cells around slots.
    pub(super) fn histogram(&mut self, of: &Histogram<'_>) {
        let (chart, first) = (of.chart, self.x);
        let sides = chart.sides.as_ref().filter(|_| of.slot >= TWO_GLYPHS);
        let glyphs: Vec<Vec<usize>> = match sides {
            Some([a, b]) => {
                let [left, right] = if of.is_swapped { [b, a] } else { [a, b] };
                left.iter()
                    .zip(right)
                    .map(|(left, right)| vec![*left, *right])
                    .collect()
            }
            None => chart.counts.iter().map(|count| vec![*count]).collect(),
        };
        let most = glyphs.iter().flatten().copied().max().unwrap_or(0);
        let is_chosen = |at: usize| of.chosen.is_none_or(|chosen| chosen.get(at) == Some(&true));
        let theme = self.theme;
        for (at, counts) in glyphs.iter().enumerate() {
            let x = first + of.slot * at as u16;
            self.x = x;
            for (side, count) in counts.iter().enumerate() {
                let is_of_pair = |own: [Option<usize>; 2]| match counts.len() {
                    1 => own.contains(&Some(at)),
                    _ => own[side] == Some(at),
                };
                let hue = if counts.len() == 1 {
                    bold(theme.text)
                } else {
                    of.sides[side]
                };
                let style = match of.own {
                    _ if !is_chosen(at) => theme.border,
                    Some(own) if !is_of_pair(own) => theme.dim,
                    None if counts.len() == 1 => theme.text,
                    _ => hue,
                };
                self.put(self.glyphs.column(*count, most), style);
            }
            let after = x + counts.len() as u16;
            let is_alone = |other: Option<usize>| other.is_none_or(|at| !is_chosen(at));
            for (x, neighbour, sign) in [
                (x.saturating_sub(1), at.checked_sub(1), "["),
                (after, Some(at + 1).filter(|at| *at < glyphs.len()), "]"),
            ] {
                // Without a cell between slots only the outer ends can be marked.
                let has_cell = of.slot > 1 || neighbour.is_none();
                if of.chosen.is_some() && is_chosen(at) && is_alone(neighbour) && has_cell {
                    self.x = x;
                    self.put(sign, theme.status_key);
                }
            }
        }
        self.x = first + of.slot * glyphs.len() as u16;
    }

    /// Draws the values of the slots above their glyphs.
    pub(super) fn histogram_head(&mut self, chart: &Chart, slot: u16) {
        let first = self.x;
        self.text(
            &" ".repeat(usize::from(slot) * chart.bins.count()),
            self.theme.dim,
        );
        for at in 0..chart.bins.count() {
            self.x = first + slot * at as u16;
            let (low, _) = chart.bins.ends(at);
            self.column(usize::from(slot), 0, |row| {
                row.put(&text::number(low), row.theme.dim);
            });
        }
    }
}

/// True if the values of a chart can be written above its slots.
pub(super) fn has_head(chart: &Chart, slot: u16) -> bool {
    let fits = |at: usize| text::width(&text::number(chart.bins.ends(at).0)) < usize::from(slot);
    chart.bins.are_values() && (0..chart.bins.count()).all(fits)
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Modifier;

    use super::super::glyphs::Glyphs;
    use super::super::theme::{ColorDepth, Preset, Theme};
    use super::*;
    use crate::query::Bins;

    /// Values 0 to 4 of A and B; the pair on the screen has 2 and 4.
    fn chart() -> Chart {
        let sides = [vec![2, 0, 4, 1, 14], vec![0, 2, 7, 3, 10]];
        Chart {
            bins: Bins::Values(vec![0.0, 1.0, 2.0, 3.0, 4.0]),
            counts: (0..5).map(|at| sides[0][at] + sides[1][at]).collect(),
            sides: Some(sides),
            pairs: Vec::new(),
        }
    }

    /// Draws from the second cell, and returns the cells and the buffer.
    fn drawn(
        slot: u16,
        chosen: Option<&[bool]>,
        theme: &Theme,
        glyphs: &Glyphs,
    ) -> (String, Buffer) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 1 + 5 * slot, 1));
        let end = buffer.area.width;
        let mut row = Row {
            buffer: &mut buffer,
            theme,
            glyphs,
            base: Style::default(),
            x: 1,
            y: 0,
            end,
        };
        row.histogram(&Histogram {
            chart: &chart(),
            slot,
            own: Some([Some(2), Some(4)]),
            sides: [theme.side_a, theme.side_b],
            is_swapped: false,
            chosen,
        });
        let cells = (0..end).map(|x| buffer[(x, 0)].symbol());
        (cells.collect(), buffer)
    }

    #[test]
    fn values_of_a_and_b_stand_side_by_side() {
        let theme = Theme::load(Preset::Dark, ColorDepth::True);
        let upper = [false, false, false, true, true];
        for (slot, chosen, unicode, ascii) in [
            (
                5,
                None,
                " ▁     ▁   ▂▄   ▁▂   ▇▅   ",
                " _     _   .-   _.   #=   ",
            ),
            (
                5,
                Some(&upper[..]),
                " ▁     ▁   ▂▄  [▁▂   ▇▅]  ",
                " _     _   .-  [_.   #=]  ",
            ),
            (3, Some(&upper[..]), " ▁   ▁ ▂▄[▁▂ ▇▅]", " _   _ .-[_. #=]"),
            // With less room one glyph counts both.
            (2, Some(&upper[..]), " ▁ ▁ ▄[▂ ▇]", " _ _ -[. #]"),
            (1, None, " ▁▁▄▂▇", " __-.#"),
        ] {
            assert_eq!(drawn(slot, chosen, &theme, &Glyphs::UNICODE).0, unicode);
            assert_eq!(drawn(slot, chosen, &theme, &Glyphs::ASCII).0, ascii);
        }
    }

    #[test]
    fn counts_are_on_the_side_of_their_response() {
        let theme = Theme::load(Preset::Dark, ColorDepth::True);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 16, 1));
        let mut row = Row {
            buffer: &mut buffer,
            theme: &theme,
            glyphs: &Glyphs::UNICODE,
            base: Style::default(),
            x: 1,
            y: 0,
            end: 16,
        };
        // The left pane has the file's B, whose value is 4.
        row.histogram(&Histogram {
            chart: &chart(),
            slot: 3,
            own: Some([Some(4), Some(2)]),
            sides: [theme.side_a, theme.side_b],
            is_swapped: true,
            chosen: None,
        });
        let cells: String = (0..16).map(|x| buffer[(x, 0)].symbol()).collect();
        assert_eq!(cells, "  ▁ ▁  ▄▂ ▂▁ ▅▇ ");
        assert_eq!(buffer[(13, 0)].style().fg, theme.side_a.fg);
        assert_eq!(buffer[(8, 0)].style().fg, theme.side_b.fg);
    }

    #[test]
    fn the_pair_on_the_screen_differs_from_the_others() {
        let dark = Theme::load(Preset::Dark, ColorDepth::True);
        let (_, colors) = drawn(3, None, &dark, &Glyphs::UNICODE);
        let style = |x: u16| colors[(x, 0)].style();
        assert_eq!(style(7).fg, dark.side_a.fg, "2 of A");
        assert_eq!(style(14).fg, dark.side_b.fg, "4 of B");
        assert!([1, 5, 8, 13].iter().all(|x| style(*x).fg == dark.dim.fg));
        // Without colours the others are dim.
        let plain = Theme::load(Preset::Plain, ColorDepth::None);
        let (_, cells) = drawn(3, None, &plain, &Glyphs::UNICODE);
        let is_dim = |x: u16| cells[(x, 0)].modifier.contains(Modifier::DIM);
        assert!(!is_dim(7) && !is_dim(14) && is_dim(8) && is_dim(13));
    }
}
