//! What the sections of a profile are made of: columns coded once, and which of their places show.

use std::ops::ControlFlow;

use super::card::{ProfileBar, Quantity, QuantityUnit};
use super::with_shown::WithShown;
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};
use crate::query::{
    Bins, Catalog, CatalogColumn, Expr, Field, Query, QueryContext, QueryResult, ReviewIndex,
    ScanCache, WordCodes, each_number, find, is_quick, parse, shown_places, word_codes,
};
use crate::stats::{CodedValues, Distribution};
use crate::table::{ColumnId, Level, Reveals};
use crate::text::{counted, grouped, number};

/// Fields that no schema names and that have a card.
const MOST_FIELDS: usize = 40;
/// Up to so many samples, such fields are read for a profile in any case.
const QUICK_SAMPLES: usize = 100_000;

/// What a profile is made of.
#[derive(Clone, Copy)]
pub struct ProfileRequest<'d> {
    /// The whole.
    pub dataset: &'d Dataset,
    /// Its columns, and how queries spell them.
    pub catalog: &'d Catalog,
    /// What is shown; `None` where no query chooses.
    pub shown: Option<&'d QueryResult>,
    /// The filter that chooses it, for figures that such a filter makes misleading.
    pub filter: Option<&'d Query>,
    /// Whether columns that reveal labels are left out, since somebody judges blind.
    pub hides_labels: bool,
    /// Whether texts are read for what must be counted in them, which takes some seconds of a large
    /// file; without, the figures that need them are left out, unless they were counted before.
    pub reads_texts: bool,
    /// The keys of the sections that are made; all of them where there is none.
    pub sections: &'d [String],
    /// Whether it is still waited for; asked every few milliseconds.
    pub wanted: &'d dyn KeepGoing,
}

/// A column of numbers with its values.
pub(super) struct ProfileColumn {
    pub(super) field: Field,
    /// As a query spells it.
    pub(super) spelled: String,
    pub(super) about: String,
    pub(super) coded: CodedValues,
    /// Of all places, and of those that show.
    pub(super) values: WithShown<Distribution>,
}

/// What all sections are made of.
pub(super) struct ProfileContext<'d> {
    request: ProfileRequest<'d>,
    /// The columns of numbers that anything has a value of, labels first.
    pub(super) columns: Vec<ProfileColumn>,
    /// Of responses and of samples, which places show.
    response_mask: Option<Vec<bool>>,
    sample_mask: Option<Vec<bool>>,
    /// Whether each sample shows, malformed rows too.
    shown: Option<Vec<bool>>,
}

impl ProfileRequest<'_> {
    /// Whether the section of this key is made.
    pub(super) fn has_section(&self, key: &str) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|section| section == key)
    }
}

impl<'d> ProfileContext<'d> {
    /// Codes all columns; `None` once that is not wanted any more.
    pub(super) fn new(request: ProfileRequest<'d>) -> Option<Self> {
        let ProfileRequest {
            dataset,
            shown,
            wanted,
            ..
        } = request;
        let mask = |level| match shown {
            Some(shown) => shown_places(dataset, level, shown, wanted).map(Some),
            None => Some(None),
        };
        let mut context = Self {
            request,
            columns: Vec::new(),
            response_mask: mask(Level::Response)?,
            sample_mask: mask(Level::Sample)?,
            shown: shown.map(|found| {
                let mut shown = vec![false; dataset.samples()];
                let samples = found.samples.iter();
                samples.for_each(|&sample| shown[sample as usize] = true);
                shown
            }),
        };
        // One pass over the rows for all of them.
        if request.reads_texts || dataset.samples() <= QUICK_SAMPLES {
            let fields = request
                .catalog
                .found_fields()
                .iter()
                .map(|field| field.def.id);
            let fields: Vec<_> = fields.take(MOST_FIELDS).collect();
            let read = dataset.count_texts(&fields, 0..dataset.samples(), wanted);
            if read.is_break() {
                return None;
            }
        }
        let is_meant = |column: &&CatalogColumn| {
            let id = column.def.id;
            // What is counted in texts has its card once somebody asked for it: it takes seconds.
            let is_there = dataset.has(id) && dataset.knows(id);
            let is_told = !request.hides_labels || column.def.reveals != Reveals::Label;
            id.kind.is_number() && !id.source.is_place() && is_there && is_told
        };
        let described: Vec<_> = request.catalog.columns().filter(is_meant).collect();
        let coded = in_parallel(&described, |described| {
            let mut column = context.column(Field::of(described.def.id))?;
            column.about = described.def.about.clone();
            Some(column)
        });
        let columns = coded.into_iter().collect::<Option<Vec<_>>>()?;
        context.columns = columns;
        context.columns.retain(|column| column.values.whole.n() > 0);
        Some(context)
    }

    /// The values of a field; `None` once that is not wanted any more.
    pub(super) fn column(&self, field: Field) -> Option<ProfileColumn> {
        let mut coder = CodedValues::coder();
        each_number(self.dataset(), &field, self.request.wanted, &mut |piece| {
            coder.add(piece);
        })?;
        let coded = coder.coded();
        Some(ProfileColumn {
            spelled: field.spelled(self.request.catalog).to_string(),
            about: String::new(),
            values: self.distributions(&coded, field.level()),
            coded,
            field,
        })
    }

    /// Of the whole and of what is shown.
    pub(super) fn distributions(
        &self,
        coded: &CodedValues,
        level: Level,
    ) -> WithShown<Distribution> {
        self.masks(level).map(|mask| coded.distribution(*mask))
    }

    /// A column of samples with the values of those alone that have a meant number of responses.
    pub(super) fn among(&self, column: &ProfileColumn, is_meant: fn(u16) -> bool) -> ProfileColumn {
        let values = column.coded.values();
        let places = column.coded.codes().iter().zip(self.response_counts());
        let value = |(code, responses): (&u32, u16)| {
            let value = values.get(*code as usize).filter(|_| is_meant(responses));
            value.copied().unwrap_or(f64::NAN)
        };
        let coded = CodedValues::of(&places.map(value).collect::<Vec<_>>());
        ProfileColumn {
            field: column.field,
            spelled: column.spelled.clone(),
            about: column.about.clone(),
            values: self.distributions(&coded, Level::Sample),
            coded,
        }
    }

    /// A column of numbers, where anything has a value of it.
    pub(super) fn known(&self, id: ColumnId) -> Option<&ProfileColumn> {
        self.columns.iter().find(|column| column.field.column == id)
    }

    pub(super) fn dataset(&self) -> &'d Dataset {
        self.request.dataset
    }

    pub(super) fn catalog(&self) -> &'d Catalog {
        self.request.catalog
    }

    pub(super) fn wanted(&self) -> bool {
        (self.request.wanted)()
    }

    /// What asks whether it is still wanted.
    pub(super) fn wanted_by(&self) -> &'d dyn KeepGoing {
        self.request.wanted
    }

    /// Whether columns that reveal labels are left out.
    pub(super) fn hides_labels(&self) -> bool {
        self.request.hides_labels
    }

    /// The terms of the filter, all of which hold of what is shown.
    pub(super) fn terms(&self) -> &'d [Expr] {
        let filter = self.request.filter.filter(|_| self.request.shown.is_some());
        filter.map_or(&[], Query::conjuncts)
    }

    /// How many samples there are, malformed rows among them.
    pub(super) fn samples(&self) -> WithShown<u64> {
        WithShown {
            whole: self.dataset().samples() as u64,
            shown: self.request.shown.map(|found| found.samples.len() as u64),
        }
    }

    /// Says which responses the figures of what is shown cover; `None` where no query chooses.
    pub(super) fn covers(&self) -> Option<String> {
        let found = self.request.shown?;
        let counts = self.response_counts().zip(self.mask(Level::Sample)?);
        let all: u64 = (counts
            .filter(|(_, shows)| **shows)
            .map(|(count, _)| u64::from(count)))
        .sum();
        Some(format!(
            "figures of samples cover the {} found; figures of responses cover the {} of their {} for which the filter holds",
            counted(found.samples.len(), "sample"),
            grouped(found.responses()),
            counted(all as usize, "response")
        ))
    }

    /// What shows; `None` where no query chooses.
    pub(super) fn shown(&self) -> Option<&'d QueryResult> {
        self.request.shown
    }

    /// Which places of columns of a level show; `None` where no query chooses.
    pub(super) fn mask(&self, level: Level) -> Option<&[bool]> {
        match level {
            Level::Sample => self.sample_mask.as_deref(),
            Level::Response => self.response_mask.as_deref(),
        }
    }

    /// The places of columns of a level: all of them, and those that show.
    pub(super) fn masks(&self, level: Level) -> WithShown<Option<&[bool]>> {
        WithShown {
            whole: None,
            shown: self.mask(level).map(Some),
        }
    }

    /// Whether a query chooses, and shows this place of columns of a level.
    pub(super) fn shows(&self, level: Level, place: usize) -> bool {
        self.mask(level).and_then(|mask| mask.get(place)) == Some(&true)
    }

    /// What is added up of all samples and of those that show, before anything is.
    pub(super) fn sums<T: Default>(&self) -> WithShown<T> {
        WithShown {
            whole: T::default(),
            shown: self.request.shown.map(|_| T::default()),
        }
    }

    /// How many samples have a number of responses that is meant.
    pub(super) fn samples_of(&self, is_meant: impl Fn(u16) -> bool) -> WithShown<u64> {
        let mut counts = self.sums();
        for (place, responses) in self.response_counts().enumerate() {
            if is_meant(responses) {
                counts.update(self.shows(Level::Sample, place), |count| *count += 1);
            }
        }
        counts
    }

    /// The words of a column of samples.
    pub(super) fn words(&self, of: ColumnId) -> Option<WordCodes> {
        word_codes(self.dataset(), of, self.request.wanted)
    }

    /// What a query says besides so that it finds pairs alone: nothing where there are no samples of
    /// more responses.
    pub(super) fn only_pairs(&self) -> &'static str {
        match self.response_counts().any(|count| count > 2) {
            true => " c.len.response=none",
            false => "",
        }
    }

    /// How many responses each sample has, at the places of columns of samples.
    pub(super) fn response_counts(&self) -> impl Iterator<Item = u16> + '_ {
        let chunks = self.dataset().chunks().iter();
        let counts = chunks.flat_map(|chunk| chunk.columns().responses.iter().copied());
        counts.filter(|count| *count > 0)
    }

    /// How many samples a query finds of the whole and of what is shown; `Some(None)` where rows
    /// would have to be read for it, or it tells what is hidden.
    pub(super) fn found_by(&self, text: &str) -> Option<Option<WithShown<u64>>> {
        let Ok(query) = parse(text, self.catalog()) else {
            return Some(None);
        };
        if !is_quick(&query, self.dataset()) {
            return Some(None);
        }
        let known = QueryContext {
            memory: &ScanCache::default(),
            remarks: &ReviewIndex::default(),
            rules: self.catalog().rules(),
        };
        let (all, mut counts) = (0..self.dataset().samples(), self.sums());
        let done = find(
            &query,
            self.dataset(),
            all,
            known,
            self.request.wanted,
            &mut |found, _| {
                for sample in &found.samples {
                    let shown = self.shown.as_ref();
                    let shows = shown.is_some_and(|shown| shown[*sample as usize]);
                    counts.update(shows, |count| *count += 1);
                }
                ControlFlow::Continue(())
            },
        );
        done.is_continue().then_some(Some(counts))
    }

    /// How many samples a query finds, as a figure.
    pub(super) fn figure_found_by(
        &self,
        key: &'static str,
        title: &'static str,
        query: &str,
    ) -> Option<Option<Quantity>> {
        let found = self.found_by(query)?;
        Some(found.map(|counts| Quantity::count(key, title, counts).found_by(query)))
    }

    /// A bar for each bin of a field's values.
    pub(super) fn bars(&self, column: &ProfileColumn) -> Vec<ProfileBar> {
        let values: Vec<f64> = column.values.whole.each().map(|(value, _)| value).collect();
        let Some(bins) = Bins::of_values(self.dataset(), &column.field, &values) else {
            return Vec::new();
        };
        bars_of(&bins, &column.values, &|bin| {
            let query = Query::default().choosing(&column.field, &bins, bin, bin);
            let spelled = query.spelled(self.catalog()).to_string();
            Some(spelled).filter(|query| !query.is_empty())
        })
    }

    /// What values come to: mean, standard deviation, quantiles, and how many there are and are
    /// missing.
    pub(super) fn moments(&self, column: &ProfileColumn) -> Vec<Quantity> {
        use QuantityUnit::Number;
        let quantity = |key, title, figure: fn(&Distribution) -> _| {
            Quantity::of(key, title, Number, &column.values, figure)
        };
        vec![
            quantity("mean", "mean", Distribution::mean),
            quantity("sd", "sd", Distribution::sd),
            quantity("median", "median", |of| of.quantile(0.5)),
            quantity("p99", "p99", |of| of.quantile(0.99)),
            quantity("min", "min", Distribution::least),
            quantity("max", "max", Distribution::greatest),
            quantity(
                "sd_population",
                "sd of a population",
                Distribution::population_sd,
            )
            .in_json_alone(),
            quantity("p25", "p25", |of| of.quantile(0.25)).in_json_alone(),
            quantity("p75", "p75", |of| of.quantile(0.75)).in_json_alone(),
            quantity("p95", "p95", |of| of.quantile(0.95)).in_json_alone(),
        ]
    }
}

/// How many values a column has, and how many of so many places are without one, which a query
/// finds.
pub(super) fn filling(
    column: &ProfileColumn,
    places: WithShown<u64>,
    missing: String,
) -> [Quantity; 2] {
    let n = column.values.map(Distribution::n);
    let without = places.zip(n).map(|(places, n)| places - n);
    [
        Quantity::count("n", "n", n),
        Quantity::count("missing", "missing", without).found_by(missing),
    ]
}

/// A bar for each bin of values, with the query that finds these.
pub(super) fn bars_of(
    bins: &Bins,
    values: &WithShown<Distribution>,
    query: &dyn Fn(usize) -> Option<String>,
) -> Vec<ProfileBar> {
    let are_whole = (values.whole.each()).all(|(value, _)| value.fract() == 0.0);
    let bar = |bin: usize| {
        let count = |of: &Distribution| of.count(|value| bins.of(value) == Some(bin));
        let counts = values.map(|of| [count(of), of.n()]);
        ProfileBar::new(bin_label(bins, bin, are_whole), counts, query(bin))
    };
    (0..bins.count()).map(bar).collect()
}

/// The values of a bin, in words; of whole numbers the least and the greatest that it has.
fn bin_label(bins: &Bins, bin: usize, are_whole: bool) -> String {
    let (low, high) = bins.ends(bin);
    if bins.are_values() {
        return number(low);
    }
    if !are_whole {
        return range_label(low, high);
    }
    let is_last = bin + 1 == bins.count();
    let high = if is_last {
        high.floor()
    } else {
        high.ceil() - 1.0
    };
    match low.ceil() {
        low if low == high => value_label(low),
        low => range_label(low, high),
    }
}

/// Two ends, in words: whole thousands set apart.
pub(super) fn range_label(low: f64, high: f64) -> String {
    format!("{} – {}", value_label(low), value_label(high))
}

fn value_label(value: f64) -> String {
    match value {
        1000.0..1e12 if value.fract() == 0.0 => grouped(value as usize),
        value => number(value),
    }
}
