//! How far annotators agree with each other, where files tell them apart.

use super::card::{CardBody, ProfileCard, Quantity, QuantityUnit, ShareOf};
use super::context::{ProfileColumn, ProfileContext};
use super::verdicts::{ValueRange, value_bars};
use crate::query::{AnnotatedColumn, each_annotation, parse};
use crate::stats::{
    CodedValues, Distribution, MeasurementLevel, PooledPairs, Undefined, ValueCoder, alpha,
};
use crate::table::{ColumnSource, Level};

pub(super) fn cards(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    if context.hides_labels() {
        return Some(Vec::new());
    }
    let mut names: Vec<&str> = Vec::new();
    let files = context.dataset().files().iter();
    let labels = files.flat_map(|file| file.schema.labels());
    for label in labels.filter(|label| label.is_list()) {
        if !names.contains(&&*label.name) {
            names.push(&label.name);
        }
    }
    let mut cards = Vec::new();
    for name in names {
        cards.extend(of_label(context, name)?);
    }
    cards.extend(of_votes(context)?);
    Some(cards)
}

/// What is added up over the lists of annotators' values.
#[derive(Default)]
struct AnnotationSums {
    pairs: PooledPairs,
    /// Lists of two or more.
    units: Vec<Vec<f64>>,
    /// The greatest value of each of these less the least.
    spreads: ValueCoder,
    /// Of these, those in which one is above 0 and another below.
    opposite: u64,
}

impl AnnotationSums {
    fn add(&mut self, list: &[f64]) {
        self.pairs.add(list);
        if list.len() < 2 {
            return;
        }
        self.spreads.add(&[spread(list)]);
        let has = |is_meant: fn(&&f64) -> bool| list.iter().any(|value| is_meant(&value));
        self.opposite += u64::from(has(|value| **value > 0.0) && has(|value| **value < 0.0));
        self.units.push(list.to_vec());
    }

    fn figures(self) -> AnnotationFigures {
        let things = self.pairs.things();
        AnnotationFigures {
            things,
            pairs: self.pairs.pairs(),
            kappa: self.pairs.kappa(),
            equal: self.pairs.agreement(),
            alpha: alpha(&self.units, MeasurementLevel::Ordinal),
            opposite: match things {
                0 => Err(Undefined::Nothing),
                things => Ok(self.opposite as f64 / things as f64),
            },
            spreads: self.spreads.coded().distribution(None),
        }
    }
}

fn spread(list: &[f64]) -> f64 {
    let greatest = list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    greatest - list.iter().copied().fold(f64::INFINITY, f64::min)
}

/// What lists of annotators' values come to.
struct AnnotationFigures {
    things: u64,
    pairs: u64,
    kappa: Result<f64, Undefined>,
    alpha: Result<f64, Undefined>,
    equal: Result<f64, Undefined>,
    opposite: Result<f64, Undefined>,
    spreads: Distribution,
}

/// Adds up the lists of a column, of the whole and of what is shown.
fn sums(
    context: &ProfileContext<'_>,
    of: AnnotatedColumn<'_>,
) -> Option<(AnnotationFigures, Option<AnnotationFigures>)> {
    let mask = context.mask(of.level());
    let (mut whole, mut shown) = (AnnotationSums::default(), AnnotationSums::default());
    let mut place = 0;
    let dataset = context.dataset();
    each_annotation(dataset, of, context.wanted_by(), &mut |list| {
        whole.add(list);
        if mask.and_then(|mask| mask.get(place)) == Some(&true) {
            shown.add(list);
        }
        place += 1;
    })?;
    // Some seconds of a million lists: nobody waits for it in vain.
    context
        .wanted()
        .then(|| (whole.figures(), mask.map(|_| shown.figures())))
}

/// The figures that labels and votes have in common.
fn figures(
    whole: &AnnotationFigures,
    shown: Option<&AnnotationFigures>,
    things: &'static str,
) -> Vec<Quantity> {
    use QuantityUnit::{Coefficient, Number, Share};
    let figure = |key, title, unit, of: fn(&AnnotationFigures) -> _| {
        Quantity::new(key, title, unit, of(whole), shown.map(of))
    };
    vec![
        figure("kappa", "kappa", Coefficient, |of| of.kappa),
        figure("alpha", "alpha", Coefficient, |of| of.alpha),
        figure("equal", "same value", Share, |of| of.equal),
        figure("spread_2", "apart by 2 or more", Share, |of| {
            of.spreads.share(|apart| apart >= 2.0)
        }),
        figure("mean_spread", "mean spread", Number, |of| of.spreads.mean()),
        Quantity::count("things", things, whole.things, shown.map(|of| of.things)),
        Quantity::count(
            "pairs",
            "pairs of annotators",
            whole.pairs,
            shown.map(|of| of.pairs),
        ),
    ]
}

const KAPPA: &str = "kappa is quadratic weighted over all pairs of annotators, each in both orders; alpha is \
                     Krippendorff's, ordinal. Bars: the greatest value less the least.";

fn of_label(context: &ProfileContext<'_>, name: &str) -> Option<Option<ProfileCard>> {
    let (whole, shown) = sums(context, AnnotatedColumn::Label(name))?;
    if whole.things == 0 {
        return Some(None);
    }
    let spelled = format!("{name}_spread");
    let has_spread = parse(&format!("{spelled}>=2"), context.catalog()).is_ok()
        && context
            .columns
            .iter()
            .any(|column| column.spelled == spelled);
    let shown_spreads = shown.as_ref().map(|of| &of.spreads);
    let query = |range: ValueRange| has_spread.then(|| range.query(&spelled));
    let bars = value_bars(&query, &whole.spreads, shown_spreads);
    let mut figures = figures(&whole, shown.as_ref(), "responses with two or more");
    if has_spread {
        let spread = figures.iter_mut().find(|figure| figure.key == "spread_2");
        spread
            .into_iter()
            .for_each(|figure| figure.query = Some(format!("{spelled}>=2")));
    }
    Some(Some(ProfileCard {
        key: name.to_owned(),
        title: name.to_owned(),
        about: format!("Annotators of a response. {KAPPA}"),
        figures,
        body: CardBody::Bars(ShareOf::All, bars),
    }))
}

fn of_votes(context: &ProfileContext<'_>) -> Option<Vec<ProfileCard>> {
    let (whole, shown) = sums(context, AnnotatedColumn::Votes)?;
    if whole.things == 0 {
        return Some(Vec::new());
    }
    let mut figures = figures(&whole, shown.as_ref(), "samples with two or more");
    let opposite = Quantity::new(
        "opposite",
        "one for A, one for B",
        QuantityUnit::Share,
        whole.opposite,
        shown.as_ref().map(|of| of.opposite),
    );
    figures.insert(3, opposite.found_by("is:contested"));
    let outvoted = "winner.votes.for < max.votes.for";
    figures.extend(context.figure_found_by("outvoted", "winner outvoted", outvoted)?);
    figures.extend(excluded_votes(context));
    let shown_spreads = shown.as_ref().map(|of| &of.spreads);
    let bars = value_bars(&|_| None, &whole.spreads, shown_spreads);
    let mut cards = vec![ProfileCard {
        key: "votes".to_owned(),
        title: "votes on who wins".to_owned(),
        about: format!(
            "Annotators of a sample; votes that neither is worth comparing are left out. {KAPPA}"
        ),
        figures,
        body: CardBody::Bars(ShareOf::All, bars),
    }];
    let is_votes = |column: &&ProfileColumn| matches!(column.source, Some(ColumnSource::Votes));
    cards.extend(
        context
            .columns
            .iter()
            .find(is_votes)
            .map(|votes| ProfileCard {
                key: "votes_per_sample".to_owned(),
                title: "votes a sample".to_owned(),
                about: "How many annotators say who wins.".to_owned(),
                figures: context.moments(votes).into_iter().take(1).collect(),
                body: CardBody::Bars(ShareOf::All, context.bars(votes)),
            }),
    );
    cards.extend(nearest_three(context)?);
    Some(cards)
}

/// How many votes say that no response is worth comparing: HelpSteer2's -100.
fn excluded_votes(context: &ProfileContext<'_>) -> Option<Quantity> {
    let is_it =
        |column: &&ProfileColumn| matches!(column.source, Some(ColumnSource::ExcludedVotes));
    let column = context.columns.iter().find(is_it)?;
    let total = |mask| {
        let counts = column.coded.distribution(mask);
        counts.each().map(|(value, n)| value as u64 * n).sum()
    };
    let shown = context.mask(Level::Sample).map(|mask| total(Some(mask)));
    let votes = Quantity::count("excluded", "votes for neither", total(None), shown);
    Some(votes.found_by("votes.excluded>0"))
}

/// Votes that HelpSteer2 keeps of a sample.
const KEPT_VOTES: usize = 3;
/// How far they may be apart there.
const MOST_SPREAD: f64 = 2.0;

/// Of votes that ascend from B to A the three that are nearest to each other, the first of several.
fn nearest(votes: &[f64]) -> Option<&[f64]> {
    let apart = |three: &&[f64]| three[KEPT_VOTES - 1] - three[0];
    let three = votes.windows(KEPT_VOTES);
    three.min_by(|one, other| apart(one).total_cmp(&apart(other)))
}

/// What is added up of the three votes that are nearest to each other.
#[derive(Default)]
struct NearestVotes {
    spreads: ValueCoder,
    all: PooledPairs,
    kept: PooledPairs,
    kept_samples: u64,
}

/// The preference filter of HelpSteer2: the three votes that are nearest to each other, dropped
/// where they are more than 2 apart or nobody is better overall.
fn nearest_three(context: &ProfileContext<'_>) -> Option<Option<ProfileCard>> {
    let is_margin = |column: &&ProfileColumn| matches!(column.source, Some(ColumnSource::Margin));
    let Some(margin) = context.columns.iter().find(is_margin) else {
        return Some(None);
    };
    let mask = context.mask(AnnotatedColumn::Votes.level());
    let (mut whole, mut shown) = (NearestVotes::default(), NearestVotes::default());
    let (mut place, dataset) = (0, context.dataset());
    each_annotation(
        dataset,
        AnnotatedColumn::Votes,
        context.wanted_by(),
        &mut |list| {
            let mut votes = list.to_vec();
            votes.sort_unstable_by(f64::total_cmp);
            let code = margin
                .coded
                .codes()
                .get(place)
                .copied()
                .unwrap_or(CodedValues::NONE);
            let overall = margin.coded.values().get(code as usize);
            if let Some(three) = nearest(&votes) {
                whole.add(three, overall);
                if mask.and_then(|mask| mask.get(place)) == Some(&true) {
                    shown.add(three, overall);
                }
            }
            place += 1;
        },
    )?;
    let is_chosen = mask.is_some();
    let three = whole.all.things();
    if three == 0 {
        return Some(None);
    }
    let of = |whole: u64, shown: u64| (whole, is_chosen.then_some(shown));
    let coefficient = |key, title, figure: fn(&NearestVotes) -> _| {
        let shown = is_chosen.then(|| figure(&shown));
        Quantity::new(key, title, QuantityUnit::Coefficient, figure(&whole), shown)
    };
    let (samples, kept) = (
        of(three, shown.all.things()),
        of(whole.kept_samples, shown.kept_samples),
    );
    let figures = vec![
        Quantity::count("samples", "samples with three votes", samples.0, samples.1),
        Quantity::count("kept", "kept", kept.0, kept.1),
        coefficient("kappa_nearest", "kappa of the three", |of| of.all.kappa()),
        coefficient("kappa_kept", "kappa of those kept", |of| of.kept.kappa()),
    ];
    let spreads = whole.spreads.coded().distribution(None);
    let shown_spreads = is_chosen.then(|| shown.spreads.coded().distribution(None));
    let bars = value_bars(&|_| None, &spreads, shown_spreads.as_ref());
    Some(Some(ProfileCard {
        key: "nearest_three".to_owned(),
        title: "the three nearest votes".to_owned(),
        about: "As HelpSteer2-Preference filters: of each sample the three votes nearest to each other; of \
                several that are equally near, those that lean most to B; kept where they are at most 2 apart and the \
                overall preference is not 0. Bars: how far they are apart."
            .to_owned(),
        figures,
        body: CardBody::Bars(ShareOf::All, bars),
    }))
}

impl NearestVotes {
    fn add(&mut self, three: &[f64], overall: Option<&f64>) {
        let apart = spread(three);
        self.spreads.add(&[apart]);
        self.all.add(three);
        if apart <= MOST_SPREAD && overall.is_some_and(|overall| *overall != 0.0) {
            self.kept.add(three);
            self.kept_samples += 1;
        }
    }
}
