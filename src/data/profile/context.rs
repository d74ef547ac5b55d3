//! Common data of all sections: coded columns, and which samples and responses are shown.

use std::ops::ControlFlow;

use crate::answer::{AnswerBar, Quantity, QuantityUnit, WithShown};
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};
use crate::query::{
    Bins, Catalog, CatalogColumn, Expr, Field, Query, QueryContext, QueryResult, ReviewIndex,
    ScanCache, coded_words, each_number, find, is_quick, parse, shown_places,
};
use crate::stats::{ClusteredShare, CodedValues, Distribution, Figure, ValueCoder};
use crate::table::{ColumnId, Level, Reveals};
use crate::text::{counted, grouped, number};

/// Maximum number of fields outside the schema that have a card.
const MAX_FIELDS: usize = 40;
/// Up to this number of samples, such fields are always read.
const QUICK_SAMPLES: usize = 100_000;

/// The inputs of a profile.
#[derive(Clone, Copy)]
pub struct ProfileRequest<'d> {
    /// The whole dataset.
    pub dataset: &'d Dataset,
    /// Its columns with their names in queries.
    pub catalog: &'d Catalog,
    /// The samples to show; `None` without a query.
    pub shown: Option<&'d QueryResult>,
    /// The filter of these samples; some figures are misleading for certain filters.
    pub filter: Option<&'d Query>,
    /// Whether columns that reveal labels are omitted, for blind review.
    pub hides_labels: bool,
    /// Whether texts are read to count columns, which takes seconds for a large file. If not,
    /// figures that need them are omitted unless already counted.
    pub reads_texts: bool,
    /// Keys of the sections to make; empty means all.
    pub sections: &'d [String],
    /// Returns false to cancel; called every few milliseconds.
    pub keep_going: &'d dyn KeepGoing,
}

/// A numeric column with its values.
pub(super) struct ProfileColumn {
    pub(super) field: Field,
    /// Its name in queries.
    pub(super) spelled: String,
    pub(super) about: String,
    pub(super) coded: CodedValues,
    /// Values of all samples or responses, and of the shown ones.
    pub(super) values: WithShown<Distribution>,
}

/// Common data of all sections; meaningless once cancelled.
pub(super) struct ProfileContext<'d> {
    pub(super) request: ProfileRequest<'d>,
    /// Numeric columns with any value, labels first.
    pub(super) columns: Vec<ProfileColumn>,
    /// Whether each sample is shown; then the same for responses.
    shown_places: [Option<Vec<bool>>; 2],
    /// Whether each sample is shown, including malformed rows.
    shown: Option<Vec<bool>>,
    /// Numbers of responses of samples.
    pub(super) responses: WithShown<Distribution>,
    /// The number of each sample's prompt, without malformed rows; `None` unless prompts were
    /// counted. Comparisons of one prompt depend on each other.
    prompts: Option<Vec<u32>>,
}

impl ProfileRequest<'_> {
    /// True if the section with this key is requested.
    pub(super) fn has_section(&self, key: &str) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|section| section == key)
    }
}

impl<'d> ProfileContext<'d> {
    /// Codes all columns.
    pub(super) fn new(request: ProfileRequest<'d>) -> Self {
        let ProfileRequest {
            dataset,
            shown,
            keep_going,
            ..
        } = request;
        let mask = |level| shown_places(dataset, level, shown?, keep_going);
        let mut context = Self {
            request,
            columns: Vec::new(),
            shown_places: [Level::Sample, Level::Response].map(mask),
            shown: shown.map(|found| {
                let mut shown = vec![false; dataset.samples()];
                let samples = found.samples.iter();
                samples.for_each(|&sample| shown[sample as usize] = true);
                shown
            }),
            responses: WithShown::default(),
            prompts: None,
        };
        let mut responses = ValueCoder::default();
        let counts = context.response_counts();
        counts.for_each(|count| responses.add(&[f64::from(count)]));
        context.responses = context.distributions(&responses.coded(), Level::Sample);
        // One pass over the rows for all columns.
        if request.reads_texts || dataset.samples() <= QUICK_SAMPLES {
            let fields: Vec<_> = request
                .catalog
                .found_fields()
                .iter()
                .map(|field| field.def.id)
                .take(MAX_FIELDS)
                .collect();
            let _ = dataset.count_texts(&fields, 0..dataset.samples(), keep_going);
        }
        if dataset.knows(ColumnId::PROMPT_ID) {
            context.prompts = Some(context.numbered_prompts());
        }
        let is_meant = |column: &&CatalogColumn| {
            let id = column.def.id;
            // Columns counted in texts have a card only if they were requested before, since
            // counting takes seconds.
            let is_there = dataset.has(id) && dataset.knows(id);
            let is_visible = !request.hides_labels || column.def.reveals != Reveals::Label;
            id.kind.is_number() && !id.source.is_place() && is_there && is_visible
        };
        let described: Vec<_> = request.catalog.columns().filter(is_meant).collect();
        context.columns = in_parallel(&described, |described| ProfileColumn {
            about: described.def.about.clone(),
            ..context.column(Field::of(described.def.id))
        });
        context.columns.retain(|column| column.values.whole.n() > 0);
        context
    }

    /// Numbers the prompts in order of their first samples.
    fn numbered_prompts(&self) -> Vec<u32> {
        self.coder(&Field::of(ColumnId::PROMPT_ID)).codes()
    }

    /// Reads the values of a field.
    fn coder(&self, field: &Field) -> ValueCoder {
        let (mut coder, request) = (ValueCoder::default(), self.request);
        let mut add = |piece: &[f64]| coder.add(piece);
        each_number(request.dataset, field, request.keep_going, &mut add);
        coder
    }

    /// Returns the number of a sample's prompt, and of the sample itself unless prompts were
    /// counted.
    pub(super) fn prompt(&self, place: usize) -> u32 {
        let prompts = self.prompts.as_ref();
        prompts
            .and_then(|prompts| prompts.get(place))
            .map_or(place as u32, |prompt| *prompt)
    }

    /// True if prompts were counted, so that intervals are known.
    pub(super) const fn knows_prompts(&self) -> bool {
        self.prompts.is_some()
    }

    /// Returns the share of samples for which `succeeds`, among those for which it is known, with
    /// its interval over prompts. Samples are given by their places, without malformed rows.
    pub(super) fn share(
        &self,
        places: impl Iterator<Item = (usize, Option<bool>)>,
    ) -> WithShown<(ClusteredShare, Figure)> {
        let mut trials: WithShown<Vec<_>> = self.sums();
        for (place, succeeds) in places {
            let Some(succeeds) = succeeds else { continue };
            let trial = (self.prompt(place), succeeds);
            let shows = self.shows(Level::Sample, place);
            trials.update(shows, |trials| trials.push(trial));
        }
        trials.into_map(|trials| {
            let share = ClusteredShare::of(trials);
            let figure = share.figure();
            let interval = figure.interval.filter(|_| self.knows_prompts());
            (share, Figure { interval, ..figure })
        })
    }

    /// Returns the values of a field.
    pub(super) fn column(&self, field: Field) -> ProfileColumn {
        let coded = self.coder(&field).coded();
        ProfileColumn {
            spelled: field.spelled(self.request.catalog).to_string(),
            about: String::new(),
            values: self.distributions(&coded, field.level()),
            coded,
            field,
        }
    }

    /// Returns the distributions of all values and of the shown ones.
    pub(super) fn distributions(
        &self,
        coded: &CodedValues,
        level: Level,
    ) -> WithShown<Distribution> {
        self.masks(level).map(|mask| coded.distribution(*mask))
    }

    /// Restricts a column of samples to those with certain numbers of responses.
    pub(super) fn among(&self, column: &ProfileColumn, is_meant: fn(u16) -> bool) -> ProfileColumn {
        let places = column.coded.numbers().zip(self.response_counts());
        let value =
            |(value, responses): (f64, u16)| if is_meant(responses) { value } else { f64::NAN };
        let coded = CodedValues::of(&places.map(value).collect::<Vec<_>>());
        ProfileColumn {
            field: column.field,
            spelled: column.spelled.clone(),
            about: column.about.clone(),
            values: self.distributions(&coded, Level::Sample),
            coded,
        }
    }

    /// Returns a numeric column if it has any value.
    pub(super) fn known(&self, id: ColumnId) -> Option<&ProfileColumn> {
        self.columns.iter().find(|column| column.field.column == id)
    }

    pub(super) fn keep_going(&self) -> bool {
        (self.request.keep_going)()
    }

    /// Returns the terms of the filter. All of them hold for the shown samples.
    pub(super) fn terms(&self) -> &'d [Expr] {
        let filter = self.request.filter.filter(|_| self.request.shown.is_some());
        filter.map_or(&[], Query::conjuncts)
    }

    /// Returns the number of samples, including malformed rows.
    pub(super) fn samples(&self) -> WithShown<u64> {
        WithShown {
            whole: self.request.dataset.samples() as u64,
            shown: self.request.shown.map(|found| found.samples.len() as u64),
        }
    }

    /// Describes which responses the shown figures cover; `None` without a query.
    pub(super) fn covers(&self) -> Option<String> {
        let found = self.request.shown?;
        let all = self.responses.shown.as_ref()?.sum();
        Some(format!(
            "sample figures cover the {} found; response figures cover the {} of their {} that match the filter",
            counted(found.samples.len(), "sample"),
            grouped(found.responses()),
            counted(all as usize, "response")
        ))
    }

    /// Returns whether each sample or response is shown; `None` without a query.
    pub(super) fn mask(&self, level: Level) -> Option<&[bool]> {
        self.shown_places[level as usize].as_deref()
    }

    /// Returns [`Self::mask`] with `None` for all samples.
    pub(super) fn masks(&self, level: Level) -> WithShown<Option<&[bool]>> {
        WithShown {
            whole: None,
            shown: self.mask(level).map(Some),
        }
    }

    /// True if there is a query and it shows the sample or response at this index.
    pub(super) fn shows(&self, level: Level, place: usize) -> bool {
        self.mask(level).and_then(|mask| mask.get(place)) == Some(&true)
    }

    /// Returns empty sums for all samples and for the shown ones.
    pub(super) fn sums<T: Default>(&self) -> WithShown<T> {
        WithShown {
            whole: T::default(),
            shown: self.request.shown.map(|_| T::default()),
        }
    }

    /// Returns the words of a column of samples.
    pub(super) fn words(&self, of: ColumnId) -> CodedValues<String> {
        coded_words(self.request.dataset, of, self.request.keep_going).unwrap_or_default()
    }

    /// Returns query terms that restrict a query to pairs; empty if no sample has more responses.
    pub(super) fn only_pairs(&self) -> &'static str {
        if self.response_counts().any(|count| count > 2) {
            " c.len.response=none"
        } else {
            ""
        }
    }

    /// Iterates over the number of responses of each sample, without malformed rows.
    pub(super) fn response_counts(&self) -> impl Iterator<Item = u16> + '_ {
        let chunks = self.request.dataset.chunks().iter();
        let counts = chunks.flat_map(|chunk| chunk.columns().responses.iter().copied());
        counts.filter(|count| *count > 0)
    }

    /// Counts the samples that match a query. `None` if that needs reading rows or would reveal
    /// what is hidden.
    pub(super) fn count_matches(&self, text: &str) -> Option<WithShown<u64>> {
        let query = parse(text, self.request.catalog).ok()?;
        if !is_quick(&query, self.request.dataset) {
            return None;
        }
        let known = QueryContext {
            memory: &ScanCache::default(),
            remarks: &ReviewIndex::default(),
            rules: self.request.catalog.rules(),
            is_blind: false,
        };
        let (all, mut counts) = (0..self.request.dataset.samples(), self.sums());
        let _ = find(
            &query,
            self.request.dataset,
            all,
            known,
            self.request.keep_going,
            &mut |found, _| {
                for sample in &found.samples {
                    let shown = self.shown.as_ref();
                    let shows = shown.is_some_and(|shown| shown[*sample as usize]);
                    counts.update(shows, |count| *count += 1);
                }
                ControlFlow::Continue(())
            },
        );
        Some(counts)
    }

    /// Returns [`Self::count_matches`] as a figure.
    pub(super) fn match_count(
        &self,
        key: &'static str,
        title: &'static str,
        query: &str,
    ) -> Option<Quantity> {
        let counts = self.count_matches(query)?;
        Some(Quantity::count(key, title, counts).found_by(query))
    }

    /// Returns a bar for each bin of a field's values.
    pub(super) fn bars(&self, column: &ProfileColumn) -> Vec<AnswerBar> {
        let range = self.request.catalog.label_range(column.field.column);
        let Some(bins) = Bins::of_values(&column.field, range, column.coded.values()) else {
            return Vec::new();
        };
        bars_of(&bins, &column.values, &|bin| {
            let query = Query::default().with_bins(&column.field, &bins, bin, bin);
            let spelled = query.spelled(self.request.catalog).to_string();
            Some(spelled).filter(|query| !query.is_empty())
        })
    }

    /// Returns mean, standard deviation and quantiles.
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
                "population sd",
                Distribution::population_sd,
            )
            .json_only(),
            quantity("p25", "p25", |of| of.quantile(0.25)).json_only(),
            quantity("p75", "p75", |of| of.quantile(0.75)).json_only(),
            quantity("p95", "p95", |of| of.quantile(0.95)).json_only(),
        ]
    }
}

/// Returns the number of values of a column and the number of missing ones, which the query
/// `missing` finds.
pub(super) fn value_counts(
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

/// Returns a bar for each bin of values, with the query for them.
pub(super) fn bars_of(
    bins: &Bins,
    values: &WithShown<Distribution>,
    query: &dyn Fn(usize) -> Option<String>,
) -> Vec<AnswerBar> {
    let are_whole = (values.whole.each()).all(|(value, _)| value.fract() == 0.0);
    let bar = |bin: usize| {
        let count = |of: &Distribution| of.count(|value| bins.of(value) == Some(bin));
        let counts = values.map(|of| [count(of), of.n()]);
        AnswerBar::new(bin_label(bins, bin, are_whole), counts, query(bin))
    };
    (0..bins.count()).map(bar).collect()
}

/// Describes the values of a bin; for integers, the smallest and greatest that it can contain.
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

/// Describes a range, with thousands separators.
pub(super) fn range_label(low: f64, high: f64) -> String {
    format!("{} to {}", value_label(low), value_label(high))
}

fn value_label(value: f64) -> String {
    match value {
        1000.0..1e12 if value.fract() == 0.0 => grouped(value as usize),
        value => number(value),
    }
}
