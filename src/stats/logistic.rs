//! Logistic regression of the winner on standardised differences between two responses.
//!
//! For pair i, y is 1 if the first response wins and 0 if the second does, and x holds the
//! differences first minus second, each divided by its sample standard deviation (n − 1;
//! differences are not centred, which would change only the intercept):
//!
//! log(P(y = 1) / P(y = 0)) = α + Σ β x
//!
//! So β is the change in the log odds of winning per standard deviation, other differences being
//! equal, and α the advantage of coming first if nothing differs. The estimate maximises the
//! likelihood by Newton's steps, which are iteratively reweighted least squares here (McCullagh and
//! Nelder 1989, *Generalized Linear Models*, 2.5 and 4.4); standard errors are the roots of the
//! diagonal of the inverse information (Wald).
//!
//! If some differences predict the winner perfectly, or are linear combinations of others, no such
//! estimate exists (Albert and Anderson 1984, *On the existence of maximum likelihood estimates in
//! logistic regression models*). Only then, half the sum of β² is subtracted from the log
//! likelihood (a ridge, le Cessie and van Houwelingen 1992, of weight [`RIDGE`]), and
//! [`LogisticFit::ridge`] reports it.
//!
//! Sums are taken block by block in a fixed order, so results do not depend on threads; the
//! exponential and the logarithm are the platform's.

use super::coded_values::CodedValues;
use super::interval::{FEWEST_CLUSTERS, GROUPS, Interval, Scale, jackknife};
use super::undefined::Undefined;
use crate::parallel::{KeepGoing, in_parallel};

/// The weight of the ridge: that of a normal prior with standard deviation 1 on standardised
/// coefficients.
const RIDGE: f64 = 1.0;

/// Pairs that one thread sums at a time.
const BLOCK: usize = 4096;
/// Newton steps before giving up.
const MAX_STEPS: usize = 25;
/// Converged: a step this small, in standardised units, changes no digit that is shown.
const LAST_STEP: f64 = 1e-10;
/// A coefficient that still moves this much in the last step is unbounded.
const STILL_MOVING: f64 = 1e-5;
/// A pivot below this fraction of its value before elimination is rounding error.
const MIN_PIVOT: f64 = 1e-11;

/// Pairs of responses: their differences, and whether the first one wins.
#[derive(Debug, Clone)]
pub struct PairDifferences {
    features: usize,
    /// Row-major. `f32` is exact for counts up to 16 million.
    rows: Vec<f32>,
    first_wins: Vec<bool>,
    /// The cluster of each pair.
    clusters: Vec<u32>,
}

/// The result of a regression.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticFit {
    /// Number of pairs.
    pub pairs: usize,
    /// Log odds of the first response winning if nothing differs.
    pub intercept: LogisticCoefficient,
    /// One per feature; [`Undefined::NoVariance`] if its difference is constant, which excludes it
    /// from the regression.
    pub coefficients: Vec<Result<LogisticCoefficient, Undefined>>,
    /// Why a ridge was needed; `None` in most cases.
    pub ridge: Option<RidgeReason>,
}

/// A coefficient: log odds per standard deviation of a feature's difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticCoefficient {
    /// The estimate.
    pub value: f64,
    /// Its standard error from the information matrix.
    pub standard_error: f64,
    /// The standard deviation of the difference, in the feature's unit; 1 for the intercept.
    pub sd: f64,
    /// The 95 % interval over clusters; [`Undefined::Unbounded`] if only a ridge keeps the estimate
    /// finite.
    pub interval: Result<Interval, Undefined>,
}

/// Why a regression has no estimate without a ridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RidgeReason {
    /// Some differences predict the winner perfectly: their coefficients are unbounded.
    Separation,
    /// Some differences are linear combinations of others.
    Collinear,
}

impl PairDifferences {
    /// Returns an empty list of pairs with this number of features.
    pub const fn new(features: usize) -> Self {
        Self {
            features,
            rows: Vec::new(),
            first_wins: Vec::new(),
            clusters: Vec::new(),
        }
    }

    /// Adds a pair: for each feature, the first response's value minus the second's. Pairs of a
    /// cluster depend on each other. A pair with a value that is not finite is skipped.
    pub fn push(&mut self, differences: &[f64], first_wins: bool, cluster: u32) {
        let whole = differences.len() == self.features;
        if whole && differences.iter().all(|value| value.is_finite()) {
            let differences = differences.iter().map(|&value| value as f32);
            self.rows.extend(differences);
            self.first_wins.push(first_wins);
            self.clusters.push(cluster);
        }
    }

    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.first_wins.len()
    }

    /// Fits the model, with intervals over clusters by [`jackknife`].
    ///
    /// The estimate without a cluster is one Newton step from that of all pairs, with the gradient
    /// and information of the others (Pregibon 1981, *Logistic Regression Diagnostics*). More than
    /// 1,000 clusters are left out as 1,000 groups. Differences are scaled by the standard
    /// deviations of all pairs.
    ///
    /// # Errors
    /// [`Undefined::TooFew`] below [`FEWEST_CLUSTERS`] pairs, [`Undefined::OneOutcome`] if the first response wins
    /// all of them or none, [`Undefined::NotFinite`] on overflow, and [`Undefined::Cancelled`],
    /// checked every few thousand pairs.
    pub fn fit(&self, keep_going: &dyn KeepGoing) -> Result<LogisticFit, Undefined> {
        match self.len() {
            0 => return Err(Undefined::Nothing),
            have if have < FEWEST_CLUSTERS => {
                let need = FEWEST_CLUSTERS;
                return Err(Undefined::TooFew { have, need });
            }
            _ => {}
        }
        if self
            .first_wins
            .iter()
            .all(|&wins| wins == self.first_wins[0])
        {
            return Err(Undefined::OneOutcome);
        }
        let sds = self.standard_deviations();
        let model = Model {
            pairs: self,
            scales: (sds.iter().enumerate())
                .filter_map(|(feature, &sd)| Some((feature, 1.0 / sd.ok()?)))
                .collect(),
            keep_going,
        };
        let (estimate, ridge) = model.estimate()?;
        let inverse = estimate.information.inverse().ok_or(Undefined::NotFinite)?;
        let without = model.without_each_cluster(&estimate, ridge.is_some())?;
        let interval = |place: usize| {
            // The ridge alone bounds it, so it hardly varies between resamples.
            if ridge.as_ref().is_some_and(|ridge| ridge.unbounded[place]) {
                return Err(Undefined::Unbounded);
            }
            let without = without
                .iter()
                .map(|of| Ok(of.as_ref().ok_or(Undefined::NotFinite)?[place]));
            jackknife(
                estimate.beta[place],
                &without.collect::<Vec<_>>(),
                Scale::Linear,
            )
        };
        let coefficient = |place: usize, sd: f64| LogisticCoefficient {
            value: estimate.beta[place],
            standard_error: inverse[place].sqrt(),
            sd,
            interval: interval(place),
        };
        let mut place = 0;
        let coefficients = sds.iter().map(|sd| {
            let sd = (*sd)?;
            place += 1;
            Ok(coefficient(place, sd))
        });
        Ok(LogisticFit {
            pairs: self.len(),
            coefficients: coefficients.collect(),
            intercept: coefficient(0, 1.0),
            ridge: ridge.map(|ridge| ridge.reason),
        })
    }

    fn row(&self, pair: usize) -> &[f32] {
        &self.rows[pair * self.features..(pair + 1) * self.features]
    }

    /// Returns the standard deviation (n − 1) of each feature's differences.
    fn standard_deviations(&self) -> Vec<Result<f64, Undefined>> {
        let sd = |feature| {
            let values = (0..self.len()).map(|pair| f64::from(self.row(pair)[feature]));
            let values = CodedValues::of(&values.collect::<Vec<_>>());
            let sd = values.distribution(None).sd().ok();
            sd.filter(|sd| *sd > 0.0).ok_or(Undefined::NoVariance)
        };
        (0..self.features).map(sd).collect()
    }
}

/// Pairs with the features that vary.
struct Model<'p> {
    pairs: &'p PairDifferences,
    /// Indices of these features, with their scale factors.
    scales: Vec<(usize, f64)>,
    keep_going: &'p dyn KeepGoing,
}

/// Coefficients, the intercept first, and the information matrix at them.
struct Estimate {
    beta: Vec<f64>,
    information: Symmetric,
}

/// Why there is no estimate without a ridge, and which coefficients are unbounded.
struct RidgeNeed {
    reason: RidgeReason,
    unbounded: Vec<bool>,
}

impl RidgeNeed {
    /// Classifies coefficients that still moved in the last step as unbounded.
    fn separation(last_step: &[f64]) -> Self {
        Self {
            reason: RidgeReason::Separation,
            unbounded: last_step
                .iter()
                .map(|step| step.abs() > STILL_MOVING)
                .collect(),
        }
    }
}

/// Sums over pairs at given coefficients.
#[derive(Clone)]
struct LogisticSums {
    log_likelihood: f64,
    gradient: Vec<f64>,
    information: Symmetric,
}

/// The lower half of a symmetric matrix, row-major.
#[derive(Debug, Clone)]
struct Symmetric {
    size: usize,
    lower: Vec<f64>,
}

impl Model<'_> {
    /// Returns the number of coefficients, including the intercept.
    fn size(&self) -> usize {
        self.scales.len() + 1
    }

    /// Fits without a ridge if possible, otherwise with one, and returns the reason.
    fn estimate(&self) -> Result<(Estimate, Option<RidgeNeed>), Undefined> {
        match self.newton(0.0)? {
            Ok(estimate) => Ok((estimate, None)),
            Err(need) => match self.newton(RIDGE)? {
                Ok(estimate) => Ok((estimate, Some(need))),
                Err(_) => Err(Undefined::NotFinite),
            },
        }
    }

    fn newton(&self, ridge: f64) -> Result<Result<Estimate, RidgeNeed>, Undefined> {
        let mut beta = vec![0.0; self.size()];
        let mut sums = self.sums(&beta, ridge)?;
        if sums.information.solve(&sums.gradient).is_none() {
            return Ok(Err(RidgeNeed {
                reason: RidgeReason::Collinear,
                unbounded: vec![false; self.size()],
            }));
        }
        let mut last_step = vec![0.0; self.size()];
        for _ in 0..MAX_STEPS {
            let Some(mut step) = sums.information.solve(&sums.gradient) else {
                return Ok(Err(RidgeNeed::separation(&last_step)));
            };
            let size = step
                .iter()
                .fold(0.0, |most: f64, step| most.max(step.abs()));
            if !size.is_finite() {
                return Err(Undefined::NotFinite);
            }
            last_step.clone_from(&step);
            // Halve the step while it overshoots the maximum.
            let mut next = None;
            for _ in 0..20 {
                let there: Vec<f64> = beta.iter().zip(&step).map(|(b, s)| b + s).collect();
                let found = self.sums(&there, ridge)?;
                if found.log_likelihood >= sums.log_likelihood || size < LAST_STEP.sqrt() {
                    next = Some((there, found));
                    break;
                }
                step.iter_mut().for_each(|step| *step /= 2.0);
            }
            let Some(next) = next else { break };
            (beta, sums) = next;
            if size < LAST_STEP {
                let information = sums.information;
                return Ok(Ok(Estimate { beta, information }));
            }
        }
        Ok(Err(RidgeNeed::separation(&last_step)))
    }

    /// Returns sums over all pairs, including the ridge penalty.
    fn sums(&self, beta: &[f64], ridge: f64) -> Result<LogisticSums, Undefined> {
        let starts: Vec<usize> = (0..self.pairs.len()).step_by(BLOCK).collect();
        let blocks = in_parallel(&starts, |&start| {
            let mut sums = LogisticSums::new(self.size());
            let end = self.pairs.len().min(start + BLOCK);
            if (self.keep_going)() {
                self.add(beta, start..end, &mut sums);
            }
            sums
        });
        self.check_cancelled()?;
        let mut all = LogisticSums::new(self.size());
        (blocks.iter()).for_each(|block| all.append_times(block, 1.0));
        all.add_ridge(beta, ridge);
        Ok(all)
    }

    fn check_cancelled(&self) -> Result<(), Undefined> {
        let is_wanted = (self.keep_going)();
        is_wanted.then_some(()).ok_or(Undefined::Cancelled)
    }

    fn add(&self, beta: &[f64], pairs: std::ops::Range<usize>, sums: &mut LogisticSums) {
        let mut x = vec![1.0; self.size()];
        for pair in pairs {
            let row = self.pairs.row(pair);
            for (x, &(feature, scale)) in x[1..].iter_mut().zip(&self.scales) {
                *x = f64::from(row[feature]) * scale;
            }
            let eta: f64 = x.iter().zip(beta).map(|(x, beta)| x * beta).sum();
            sums.add(&x, eta, self.pairs.first_wins[pair]);
        }
    }

    /// Returns the coefficients without each group of clusters; `None` where they have no estimate.
    fn without_each_cluster(
        &self,
        estimate: &Estimate,
        has_ridge: bool,
    ) -> Result<Vec<Option<Vec<f64>>>, Undefined> {
        let groups = self.groups(&estimate.beta)?;
        let mut all = LogisticSums::new(self.size());
        groups.iter().for_each(|group| all.append_times(group, 1.0));
        all.add_ridge(&estimate.beta, if has_ridge { RIDGE } else { 0.0 });
        let without = groups.iter().map(|group| {
            let mut sums = all.clone();
            sums.append_times(group, -1.0);
            let step = sums.information.solve(&sums.gradient)?;
            let beta = estimate.beta.iter().zip(step);
            Some(beta.map(|(beta, step)| beta + step).collect())
        });
        Ok(without.collect())
    }

    /// Returns the sums of each group of clusters.
    fn groups(&self, beta: &[f64]) -> Result<Vec<LogisticSums>, Undefined> {
        let mut pairs: Vec<(u32, usize)> = (self.pairs.clusters.iter().copied()).zip(0..).collect();
        pairs.sort_unstable();
        let clusters = Vec::from_iter(pairs.chunk_by(|one, other| one.0 == other.0));
        // Every group is a run of clusters.
        let size = clusters.len().div_ceil(GROUPS);
        let groups = in_parallel(&Vec::from_iter(clusters.chunks(size)), |group| {
            let mut sums = LogisticSums::new(self.size());
            for (_, pair) in group.iter().copied().flatten() {
                self.add(beta, *pair..pair + 1, &mut sums);
            }
            sums
        });
        self.check_cancelled()?;
        Ok(groups)
    }
}

impl LogisticSums {
    fn new(size: usize) -> Self {
        Self {
            log_likelihood: 0.0,
            gradient: vec![0.0; size],
            information: Symmetric {
                size,
                lower: vec![0.0; size * (size + 1) / 2],
            },
        }
    }

    /// Adds a pair with these differences and log odds.
    fn add(&mut self, x: &[f64], eta: f64, first_wins: bool) {
        let small = (-eta.abs()).exp();
        // The probabilities of the likelier and of the other outcome.
        let (likely, other) = (1.0 / (1.0 + small), small / (1.0 + small));
        let first = if eta >= 0.0 { likely } else { other };
        let against = (eta >= 0.0) != first_wins;
        self.log_likelihood -= small.ln_1p() + if against { eta.abs() } else { 0.0 };
        let rest = f64::from(u8::from(first_wins)) - first;
        let weight = likely * other;
        let mut lower = self.information.lower.iter_mut();
        for (row, (gradient, &value)) in self.gradient.iter_mut().zip(x).enumerate() {
            *gradient += rest * value;
            let weighted = weight * value;
            for (other, cell) in x[..=row].iter().zip(&mut lower) {
                *cell += weighted * other;
            }
        }
    }

    fn append_times(&mut self, other: &Self, times: f64) {
        self.log_likelihood += other.log_likelihood * times;
        let gradient = self.gradient.iter_mut().zip(&other.gradient);
        gradient.for_each(|(sum, part)| *sum += part * times);
        let lower = &mut self.information.lower;
        let cells = lower.iter_mut().zip(&other.information.lower);
        cells.for_each(|(sum, part)| *sum += part * times);
    }

    /// Applies the ridge penalty, except to the intercept.
    fn add_ridge(&mut self, beta: &[f64], ridge: f64) {
        if ridge == 0.0 {
            return;
        }
        for (place, beta) in beta.iter().enumerate().skip(1) {
            self.log_likelihood -= ridge * beta * beta / 2.0;
            self.gradient[place] -= ridge * beta;
            self.information.lower[Symmetric::place(place, place)] += ridge;
        }
    }
}

impl Symmetric {
    const fn place(row: usize, column: usize) -> usize {
        row * (row + 1) / 2 + column
    }

    /// Returns the Cholesky factor; `None` if the matrix is not positive definite, within rounding.
    fn factor(&self) -> Option<Self> {
        let mut factor = self.clone();
        for row in 0..self.size {
            for column in 0..=row {
                let products = (0..column).map(|at| {
                    factor.lower[Self::place(row, at)] * factor.lower[Self::place(column, at)]
                });
                let here = Self::place(row, column);
                let rest = self.lower[here] - products.sum::<f64>();
                factor.lower[here] = if row == column {
                    // False for NaN too.
                    let is_positive = rest > self.lower[here] * MIN_PIVOT;
                    is_positive.then(|| rest.sqrt())?
                } else {
                    rest / factor.lower[Self::place(column, column)]
                };
            }
        }
        Some(factor)
    }

    /// Solves for the vector that this matrix maps to `right`.
    fn solve(&self, right: &[f64]) -> Option<Vec<f64>> {
        let factor = self.factor()?;
        let cell = |row: usize, column: usize| factor.lower[Self::place(row, column)];
        let mut x = right.to_vec();
        for row in 0..self.size {
            let known: f64 = (0..row).map(|column| cell(row, column) * x[column]).sum();
            x[row] = (x[row] - known) / cell(row, row);
        }
        for row in (0..self.size).rev() {
            let below = row + 1..self.size;
            let known: f64 = below.map(|at| cell(at, row) * x[at]).sum();
            x[row] = (x[row] - known) / cell(row, row);
        }
        Some(x)
    }

    /// Returns the diagonal of the inverse.
    fn inverse(&self) -> Option<Vec<f64>> {
        let unit = |place: usize| {
            let mut unit = vec![0.0; self.size];
            unit[place] = 1.0;
            Some(self.solve(&unit)?[place])
        };
        (0..self.size).map(unit).collect()
    }
}
