#!/usr/bin/env python3
"""How often the 95 % intervals of the program cover the truth.

Run by hand (it is no part of cargo test):

    cargo build
    pip install numpy
    python3 tests/figures/coverage.py target/debug/visavis [RUNS] [SAMPLES…]

Each of RUNS (1,000) runs draws SAMPLES samples (15, 20 and 50 in turn) of a population, in which some samples are hard: on
these all reviewers and annotators err more often, and sometimes all alike. Four reviewers judge them, files list what
annotators said, and a model scores pairs. As many prompts have five pairs each, whose longer response wins more often for
some prompts than for others, and a model scores them too. The truth is the same figure of 200,000 samples. A row is printed
for each kind of interval: the truth, the mean of the figures, in how many runs there is an interval, and in what share of
these it covers the truth. "Wilson, as if independent" is what the share of equal values over several reviewers would have if
judgments of a sample were independent. Ends with 1 if an interval covers less than 92.5 % or more than 97.5 %; a share that
counts each sample once may cover more, because it takes few values.
"""

import hashlib
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

REVIEWERS = ["ann", "ben", "cat", "dan"]
LABELS = ["helpfulness", "correctness", "coherence", "complexity", "verbosity"]
POPULATION = 200_000


def population(chance, samples):
    """What the file, reviewers (samples × responses × 4) and annotators (… × 3) say, and a model's gains."""
    truth = chance.choice(5, (samples, 2), p=[0.1, 0.1, 0.2, 0.3, 0.3])
    hard = chance.random(samples) < 0.4
    # On hard samples everybody may be off alike.
    shift = np.where(hard & (chance.random(samples) < 0.6), chance.choice([-2, -1, 1, 2], samples), 0)

    def said(people):
        error = np.where(hard, 0.35, 0.05)[:, None, None]
        off = chance.choice([-2, -1, 1, 2], (samples, 2, people))
        values = truth[:, :, None] + shift[:, None, None] + np.where(chance.random((samples, 2, people)) < error, off, 0)
        return np.clip(values, 0, 4)

    return truth, said(len(REVIEWERS)), said(3), np.round(chance.normal(np.where(hard, 0.1, 0.9), 1.0), 3)


def prompts(chance, samples):
    """Whether the longer response of each of five pairs wins, and a model's gains, by prompt."""
    share = chance.beta(1.2, 0.8, samples)[:, None]
    return chance.random((samples, 5)) < share, np.round(chance.normal(share - 0.3, 0.5, (samples, 5)), 3)


def kappa(one, other):
    """Quadratic weighted kappa of two lists of categories."""
    one, other = one.ravel().astype(float), other.ravel().astype(float)
    chance = np.mean(one**2) + np.mean(other**2) - 2 * one.mean() * other.mean()
    return 1 - np.mean((one - other) ** 2) / chance


def each_two(values):
    """All pairs of people, in both orders."""
    people = values.shape[2]
    twos = [(i, j) for i in range(people) for j in range(people) if i != j]
    return np.stack([values[:, :, i] for i, _ in twos]), np.stack([values[:, :, j] for _, j in twos])


def alpha(values):
    """Krippendorff's alpha of ordinal values, each unit with as many of them."""
    counts = np.bincount(values.ravel(), minlength=5).astype(float)
    ranks = np.cumsum(counts) - counts / 2
    one, other = each_two(ranks[values])
    return 1 - np.mean((one - other) ** 2) / (2 * ranks[values].var(ddof=1))


def verdicts(values):
    return np.sign(values[:, 0] - values[:, 1])


def figures(truth, reviewers, annotators, gains, longer, repeated):
    every = np.repeat(truth[:, :, None], reviewers.shape[2], axis=2)
    one, other = reviewers[:, :, 0], reviewers[:, :, 1]
    two, rest = each_two(annotators)
    return {
        "reviewers: equal values": np.mean(reviewers == every),
        "reviewers: equal verdicts": np.mean(verdicts(reviewers) == verdicts(every)),
        "reviewers: kappa": kappa(reviewers, every),
        "reviewers: mean difference": np.mean(reviewers - every),
        "reviewers: alpha": alpha(reviewers),
        "one reviewer: equal verdicts": np.mean(verdicts(one) == verdicts(truth)),
        "a pair of reviewers: kappa": kappa(one, other),
        "a pair of reviewers: equal values": np.mean(one == other),
        "annotators: kappa": kappa(two, rest),
        "annotators: alpha": alpha(annotators),
        "annotators: equal values": np.mean(two == rest),
        "joined file: accuracy": np.mean(gains > 0),
        "joined file: accuracy, five pairs a prompt": np.mean(repeated > 0),
        "bias: longer wins, five pairs a prompt": np.mean(longer),
    }


def asked(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=True)
    return json.loads(done.stdout)


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def key(prompt, responses):
    digest = hashlib.sha256()
    for text in [prompt, *responses]:
        digest.update(text.encode() + b"\xff")
    return digest.hexdigest()[:32]


def journal(path, name, reviewer, values):
    rows = [{"journal": 2, "visavis": "0.1.0", "time": "2026-11-21T10:00:00.000Z", "files": [name], "schema": "helpsteer2", "first": None}]
    for sample, pair in enumerate(values):
        of = key(f"prompt {sample}", [f"response a {sample}", f"response b {sample}"])
        for response, value in zip("ab", pair):
            rows.append({
                "id": f"{abs(hash(reviewer)) % 10**8:08d}-{len(rows)}", "time": "2026-11-21T10:00:00.000Z", "reviewer": reviewer,
                "sample": of, "file": name, "row": 2 * sample + 1, "act": "rate", "question": "label",
                "label": "helpfulness", "response": response, "value": int(value),
            })
    return lines(path, rows)


def found(program, folder, truth, reviewers, annotators, gains, longer, repeated):
    """The program's figures: the value and the interval of each."""
    def rows(value):
        for sample in range(len(truth)):
            for side, letter in enumerate("ab"):
                yield {"prompt": f"prompt {sample}", "response": f"response {letter} {sample}", **{label: value(sample, side) for label in LABELS}}

    data = lines(folder / "pairs.jsonl", rows(lambda sample, side: int(truth[sample, side])))
    lists = lines(folder / "lists.jsonl", rows(lambda sample, side: annotators[sample, side].tolist()))
    chosen = lines(folder / "chosen.jsonl", ({"id": at, "prompt": f"p{at}", "chosen": "x", "rejected": "y"} for at in range(len(gains))))
    scores = lines(folder / "scores.jsonl", ({"id": at, "score_a": gain, "score_b": 0} for at, gain in enumerate(gains)))
    journals = []
    for at, name in enumerate(REVIEWERS):
        journals += ["--journal", journal(folder / f"{name}.review.jsonl", data.name, name, reviewers[:, :, at])]
    every = asked(program, "agree", data, *journals, "--json")
    one = asked(program, "agree", data, *journals, "--json", "--reviewer", "ann")
    stats = asked(program, "stats", lists, "--format", "json", "--only", "annotators")["annotators"]["helpfulness"]
    def joined(data, scores, only):
        return asked(program, "stats", data, "--with", scores, "--on", "id", "--format", "json", "--only", only)

    def accuracy(of):
        return next(card for name, card in of["models"].items() if name.endswith(".margin"))["accuracy"]

    pairs = list(np.ndindex(*longer.shape))
    chosen_of = lambda wins: {"chosen": "x" * (90 if wins else 9), "rejected": "y" * 50}
    several = lines(folder / "several.jsonl", ({"id": 5 * at + of, "prompt": f"p{at}", **chosen_of(longer[at, of])} for at, of in pairs))
    gained = lines(folder / "gained.jsonl", ({"id": 5 * at + of, "score_a": repeated[at, of], "score_b": 0} for at, of in pairs))
    several = joined(several, gained, "models,bias")
    bar = several["bias"]["shares"]["bars"][0]
    model = joined(chosen, scores, "models")
    named = lambda of: next(label for label in of if label["name"] == "helpfulness")
    ends = lambda of: (of["value"], of.get("low"), of.get("high"))
    whole = lambda of: (of["whole"], *of.get("interval", [None, None]))
    label = named(every["dataset"]["labels"])
    pair = named(every["pairs"][0]["labels"])
    n, same = label["n"], round(label["equal"]["value"] * label["n"])
    return {
        "reviewers: equal values": ends(label["equal"]),
        "reviewers: equal verdicts": ends(every["dataset"]["verdict"]["equal"]),
        "reviewers: kappa": ends(label["kappa"]),
        "reviewers: mean difference": ends(label["difference"]),
        "reviewers: alpha": ends(named(every["alpha"])),
        "one reviewer: equal verdicts": ends(one["dataset"]["verdict"]["equal"]),
        "a pair of reviewers: kappa": ends(pair["kappa"]),
        "a pair of reviewers: equal values": ends(pair["equal"]),
        "annotators: kappa": whole(stats["kappa"]),
        "annotators: alpha": whole(stats["alpha"]),
        "annotators: equal values": whole(stats["equal"]),
        "joined file: accuracy": whole(accuracy(model)),
        "joined file: accuracy, five pairs a prompt": whole(accuracy(several)),
        "bias: longer wins, five pairs a prompt": (bar["whole"] / bar["whole_of"], *bar.get("interval", [None, None])),
        "Wilson, as if independent: equal values": (same / n, *wilson(same, n)),
    }


def wilson(some, n):
    z, p = 1.959963984540054, some / n
    reach = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return tuple((p + z * z / (2 * n) + sign * reach) / (1 + z * z / n) for sign in (-1, 1))


def main():
    program = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    failed = False
    for samples in map(int, sys.argv[3:] or ["15", "20", "50"]):
        failed |= cell(program, np.random.Generator(np.random.PCG64(38)), runs, samples)
    sys.exit(failed)


def cell(program, chance, runs, samples):
    """Prints the rows of a number of samples; returns whether an interval fails."""
    drawn = lambda samples: (*population(chance, samples), *prompts(chance, samples))
    truth = figures(*drawn(POPULATION))
    truth["Wilson, as if independent: equal values"] = truth["reviewers: equal values"]
    counts = {name: [] for name in truth}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            sample = drawn(samples)
            own = figures(*sample)
            for name, figure in found(program, Path(folder), *sample).items():
                assert name not in own or abs(own[name] - figure[0]) < 1e-9, (name, own[name], figure)
                counts[name].append(figure)
    failed = False
    print(f"{f'{samples} samples: interval':<42} {'truth':>7} {'mean':>7} {'runs':>5} {'covers':>8} {'width':>6}")
    for name, of in counts.items():
        sure = [(low, high) for _, low, high in of if low is not None]
        covered = np.mean([low <= truth[name] <= high for low, high in sure])
        width = np.mean([high - low for low, high in sure])
        print(f"{name:<42} {truth[name]:7.3f} {np.mean([value for value, *_ in of]):7.3f} {len(sure):5} {covered:8.1%} {width:6.3f}")
        takes_few_values = name in ("one reviewer: equal verdicts", "joined file: accuracy")
        failed |= not name.startswith("Wilson") and not 0.925 <= covered <= (0.99 if takes_few_values else 0.975)
    return failed


if __name__ == "__main__":
    main()
