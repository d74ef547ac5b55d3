#!/usr/bin/env python3
"""Makes reference.json, the figures that `stats` is checked against, with other people's implementations.

    pip install numpy==2.4.6 scikit-learn==1.9.1 krippendorff==0.9.0 statsmodels==0.15.0
    python3 reference.py > reference.json

Those versions made the stored file (which names them); the ratings come from numpy's PCG64 with fixed seeds. ChaCha, Lemire's
bounded draw and the shuffle are written here once more, from their descriptions, so that Rust is checked against something
that shares no line with it. `null` is a figure that cannot be given.
"""

import json
import math
import sys
import warnings
from importlib.metadata import version

import krippendorff
import numpy as np
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

warnings.simplefilter("ignore")
MASK = 0xFFFFFFFF


def figure(value):
    """A number for JSON, or None where it is none."""
    return float(value) if math.isfinite(value) else None


# --- kappa ---------------------------------------------------------------------------------------------------------------


def kappa(first, second, categories, weights):
    if len(first) == 0:
        return None
    return figure(cohen_kappa_score(first, second, labels=list(range(categories)), weights=weights))


def kappa_case(name, categories, first, second):
    first, second = [int(x) for x in first], [int(x) for x in second]
    return {
        "name": name, "categories": categories, "first": first, "second": second,
        "unweighted": kappa(first, second, categories, None),
        "quadratic": kappa(first, second, categories, "quadratic"),
    }


def noisy(rng, truth, categories, noise):
    """Ratings that are the truth, moved by about `noise` steps."""
    return np.clip(np.rint(truth + rng.normal(0, noise, len(truth))), 0, categories - 1).astype(int)


def kappa_cases():
    rng = np.random.default_rng(1960)
    yield kappa_case("two categories by hand", 2, [0] * 25 + [1] * 25, [0] * 20 + [1] * 5 + [0] * 10 + [1] * 15)
    yield kappa_case("one pair, the same", 5, [3], [3])
    yield kappa_case("one pair, different", 5, [1], [3])
    yield kappa_case("both always the same value", 5, [4] * 12, [4] * 12)
    yield kappa_case("both constant, different values", 5, [4] * 12, [3] * 12)
    yield kappa_case("the first constant", 5, [2] * 8, [0, 1, 2, 3, 4, 2, 2, 2])
    yield kappa_case("the second constant", 3, [0, 1, 2, 1, 0], [1] * 5)
    yield kappa_case("perfect", 5, [0, 1, 2, 3, 4, 4, 1], [0, 1, 2, 3, 4, 4, 1])
    yield kappa_case("perfect, two values", 5, [0, 4], [0, 4])
    yield kappa_case("reversed", 5, [0, 1, 2, 3, 4], [4, 3, 2, 1, 0])
    yield kappa_case("opposite of two", 2, [0, 1] * 6, [1, 0] * 6)
    yield kappa_case("off by one throughout", 5, [0, 1, 2, 3] * 5, [1, 2, 3, 4] * 5)
    yield kappa_case("one other in fifty", 5, [4] * 49 + [0], [4] * 50)
    for seed, (count, categories, noise) in enumerate([
        (2, 5, 1), (3, 5, 1), (4, 3, 1), (5, 5, 2), (7, 2, 0.5), (10, 5, 0.5), (20, 5, 1), (30, 5, 3), (40, 7, 0.3),
        (60, 5, 0.8), (100, 5, 1), (150, 10, 2), (200, 3, 1), (300, 5, 10), (500, 5, 0.5), (1000, 5, 1), (80, 20, 3),
    ]):
        truth = rng.integers(0, categories, count)
        name = f"noise {noise} over {count} of {categories}"
        yield kappa_case(name, categories, noisy(rng, truth, categories, noise), noisy(rng, truth, categories, noise))
    for count in (15, 120, 400):
        truth = rng.choice(5, count, p=[0.01, 0.02, 0.02, 0.15, 0.8])
        yield kappa_case(f"skewed, {count}", 5, noisy(rng, truth, 5, 0.5), noisy(rng, truth, 5, 0.5))
    for count in (12, 90):
        truth = rng.integers(0, 5, count)
        yield kappa_case(f"against each other, {count}", 5, noisy(rng, truth, 5, 0.7), noisy(rng, 4 - truth, 5, 0.7))
    for count in (25, 250):
        truth = rng.integers(0, 5, count)
        yield kappa_case(f"a milder rater, {count}", 5, noisy(rng, truth, 5, 0.4), noisy(rng, truth + 1, 5, 0.4))
    yield kappa_case("unused categories", 9, rng.choice([1, 7], 30), rng.choice([1, 7], 30))


# --- alpha ---------------------------------------------------------------------------------------------------------------


def alpha(units, level):
    width = max((len(unit) for unit in units), default=0)
    if width == 0:
        return None
    data = np.full((width, len(units)), np.nan)
    for number, unit in enumerate(units):
        for rater, value in enumerate(unit):
            if value is not None:
                data[rater, number] = value
    try:
        return figure(krippendorff.alpha(reliability_data=data, level_of_measurement=level))
    except (ValueError, AssertionError):
        return None


def alpha_case(name, units):
    units = [[None if value is None or value != value else round(float(value), 3) for value in unit] for unit in units]
    return {"name": name, "units": units} | {level: alpha(units, level) for level in ("nominal", "ordinal", "interval")}


def alpha_cases():
    rng = np.random.default_rng(2011)
    gap = None
    raters = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, gap, gap, gap],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, gap, 3],
        [gap, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, gap],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, gap],
    ]
    yield alpha_case("Krippendorff 2011, example C and D", zip(*raters))
    yield alpha_case("two values, the same", [[3, 3]])
    yield alpha_case("two values, different", [[3, 1]])
    yield alpha_case("no two values of a unit", [[1, gap], [gap, 2], [gap, gap]])
    yield alpha_case("always the same value", [[2, 2, 2]] * 6)
    yield alpha_case("the same value except in a unit with one rating", [[2, 2]] * 6 + [[4, gap]])
    yield alpha_case("perfect", [[value] * 3 for value in (0, 1, 2, 3, 4, 4)])
    yield alpha_case("perfect with gaps", [[0, 0, gap], [gap, 4, 4], [2, gap, 2], [1, 1, 1]])
    yield alpha_case("against each other", [[0, 4], [4, 0], [1, 3], [3, 1], [2, 2]])
    yield alpha_case("one rater constant", [[2, value] for value in (0, 1, 2, 3, 4, 2)])
    yield alpha_case("negative values", [[-2, -2], [-1, 0], [0, 0], [1, 2], [3, 3]])
    yield alpha_case("fractions", [[0.5, 0.25], [0.125, 0.125], [3.5, 3.25], [2.0, gap], [1.75, 1.875]])
    for count, raters, categories, noise, missing in [
        (2, 2, 5, 1, 0), (4, 2, 5, 1, 0), (6, 3, 5, 1, 0.2), (10, 4, 3, 0.5, 0), (10, 2, 2, 0.5, 0), (20, 3, 5, 0.5, 0.3),
        (25, 5, 5, 1, 0.5), (40, 2, 5, 3, 0), (50, 3, 7, 0.3, 0.1), (60, 6, 5, 10, 0.4), (100, 2, 5, 0.7, 0.05), (80, 8, 10, 2, 0.6),
    ]:
        truth = rng.integers(0, categories, count)
        values = np.array([noisy(rng, truth, categories, noise) for _ in range(raters)], dtype=float)
        values[rng.random(values.shape) < missing] = np.nan
        yield alpha_case(f"{raters} raters, {count} units, noise {noise}, {missing} missing", values.T)
    truth = rng.choice(5, 60, p=[0.01, 0.02, 0.02, 0.15, 0.8])
    yield alpha_case("skewed", np.array([noisy(rng, truth, 5, 0.5) for _ in range(3)]).T)
    scores = rng.normal(0, 1, 30)
    yield alpha_case("scores", np.array([scores + rng.normal(0, 0.5, 30) for _ in range(2)]).T)


# --- shares --------------------------------------------------------------------------------------------------------------


def wilson_cases():
    for successes, trials in [
        (0, 1), (1, 1), (0, 3), (3, 3), (1, 2), (0, 20), (1, 29), (15, 148), (81, 263), (263, 263), (7, 10), (50, 100), (999, 1000),
        (1, 10162), (5081, 10162), (123456, 1000000),
    ]:
        low, high = proportion_confint(successes, trials, alpha=0.05, method="wilson")
        yield [successes, trials, float(low), float(high)]


# --- chance --------------------------------------------------------------------------------------------------------------


class Chance:
    """ChaCha8 key stream words, Lemire's bounded draw, Fisher and Yates from the front."""

    def __init__(self, seed):
        self.key = [seed & MASK, seed >> 32] + [0] * 6
        self.counter, self.words = 0, []

    def block(self):
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *self.key, self.counter & MASK, self.counter >> 32, 0, 0]
        self.counter += 1
        x = list(start)

        def turn(value, by):
            return ((value << by) | (value >> (32 - by))) & MASK

        def quarter(a, b, c, d):
            for one, other, third, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[one] = (x[one] + x[other]) & MASK
                x[third] = turn(x[third] ^ x[one], by)

        for _ in range(4):
            for column in range(4):
                quarter(column, 4 + column, 8 + column, 12 + column)
            for diagonal in range(4):
                quarter(diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4)
        return [(one + other) & MASK for one, other in zip(x, start)]

    def word(self):
        if not self.words:
            self.words = self.block()
        return self.words.pop(0)

    def below(self, bound):
        favoured = (1 << 32) % bound
        while True:
            product = self.word() * bound
            if product & MASK >= favoured:
                return product >> 32

    def choose(self, items, count):
        for at in range(min(count, len(items) - 1)):
            other = at + self.below(len(items) - at)
            items[at], items[other] = items[other], items[at]
        return items


def chance_cases():
    for seed in (0, 7, 0x0123_4567_89AB_CDEF):
        bounds = [1, 2, 3, 5, 10, 1000, 10162, (1 << 31) + 1, (1 << 31) + 1, 3 << 30, 3 << 30, (1 << 32) - 1] * 12
        chance = Chance(seed)
        yield {
            "seed": seed, "bounds": bounds, "below": [chance.below(bound) for bound in bounds],
            "shuffle": Chance(seed).choose(list(range(100)), 100),
        }


# --- intervals -----------------------------------------------------------------------------------------------------------


def jackknife_case(name, clusters, categories, weights):
    """Student's t times the jackknife's standard error, on the scale of Fisher's z."""
    clusters = [[[int(one), int(other)] for one, other in pairs] for pairs in clusters]

    def figure(clusters):
        pairs = [pair for cluster in clusters for pair in cluster]
        return kappa([pair[0] for pair in pairs], [pair[1] for pair in pairs], categories, weights)

    count, value = len(clusters), figure(clusters)
    without = np.array([figure(clusters[:at] + clusters[at + 1 :]) for at in range(count)])
    error = np.sqrt(np.sum((without - without.mean()) ** 2))
    reach = student.ppf(0.975, count - 1) * error / (1 - value**2)
    ends = np.tanh(np.arctanh(value) + reach * np.array([-1, 1])).tolist()
    return {"name": name, "clusters": clusters, "categories": categories, "weights": weights or "unweighted", "ends": ends}


def jackknife_cases():
    rng = np.random.default_rng(1979)
    for count, categories, noise, weights in [(50, 5, 0.8, "quadratic"), (15, 3, 0.6, None), (120, 5, 1.5, "quadratic")]:
        clusters = []
        for _ in range(count):
            truth = rng.integers(0, categories, rng.integers(1, 3))
            clusters.append(list(zip(noisy(rng, truth, categories, noise), noisy(rng, truth, categories, noise))))
        yield jackknife_case(f"{count} samples", clusters, categories, weights)
    yield jackknife_case("two others in twenty", [[(4, 4)]] * 18 + [[(0, 0)], [(3, 4)]], 5, "quadratic")


def rows(name, cases):
    return f' "{name}": [\n' + ",\n".join("  " + json.dumps(case) for case in cases) + "\n ]"


def main():
    packages = ("numpy", "scikit-learn", "krippendorff", "statsmodels")
    made_by = {"python": sys.version.split()[0]} | {package: version(package) for package in packages}
    parts = [f' "made_by": {json.dumps(made_by)}']
    for name, cases in [
        ("kappa", kappa_cases()), ("alpha", alpha_cases()), ("wilson", wilson_cases()), ("chance", chance_cases()),
        ("jackknife", jackknife_cases()),
    ]:
        parts.append(rows(name, cases))
    print("{\n" + ",\n".join(parts) + "\n}")


if __name__ == "__main__":
    main()
