#!/usr/bin/env python3
"""Holds the figures of `visavis stats` against those of pandas, numpy, scipy, scikit-learn and DuckDB.

    cargo build --release
    python3 tests/figures/stats.py target/release/visavis [RATINGS.jsonl] [--time MILLION.jsonl]

Needs numpy, pandas (with scipy), scikit-learn and duckdb. RATINGS is a file in HelpSteer2's ratings layout; without it the script
writes one, as it writes files with annotators, votes and scores of models, all invented and seeded. It prints a row a figure
(figure, ours, theirs, difference) and ends with 1 where one differs by more than 1e-9. With `--time` both programs count the
means, standard deviations and histograms of the labels of RATINGS and of the named file, in turns.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score

LABELS = ["helpfulness", "correctness", "coherence", "complexity", "verbosity"]
MOST = 1e-9
ROWS = 4000
FAILED = []
COUNT = 0


def ours(program, *arguments):
    done = subprocess.run([program, "stats", "--format", "json", *map(str, arguments)], capture_output=True, check=True)
    return json.loads(done.stdout)


def hold(name, our, their):
    """Prints a row, and remembers what is too far apart."""
    global COUNT
    COUNT += 1
    nothing = their is None or (isinstance(their, float) and np.isnan(their))
    apart = 0.0 if our is None and nothing else abs(float(our) - float(their)) if our is not None and not nothing else np.inf
    allowed = MOST * max(1.0, abs(float(their)) if not nothing else 1.0)
    if not apart <= allowed:
        FAILED.append(name)
    print(f"{name:<58} {our!s:>22} {their!s:>22} {apart:9.1e}{'' if apart <= allowed else '  <<<'}")


def figures(name, card, series, side="whole"):
    """The figures of a column beside those of pandas and numpy."""
    series = pd.Series(series, dtype=float)
    known = {
        "n": series.count(),
        "missing": series.isna().sum(),
        "mean": series.mean(),
        "sd": series.std(),
        "sd_population": series.std(ddof=0),
        "median": series.median(),
        "p25": series.quantile(0.25),
        "p75": series.quantile(0.75),
        "p95": series.quantile(0.95),
        "p99": series.quantile(0.99),
        "min": series.min(),
        "max": series.max(),
    }
    for key, their in known.items():
        if key in card:
            hold(f"{name} {key} {side}", card[key][side], their)


def histogram(name, card, series, side="whole"):
    counts = pd.Series(series).value_counts()
    for bar in card["bars"]:
        hold(f"{name} = {bar['label']} {side}", bar[side], counts.get(float(bar["label"]), 0))


def matrix(name, card, frame, method, side="whole"):
    theirs = frame.corr(method=method)
    for row, cells in zip(frame.columns, card["cells"]):
        for column, cell in zip(frame.columns, cells):
            if row < column:
                hold(f"{name} {row} {column} {side}", cell[side], theirs.loc[row, column])


def pooled_kappa(lists):
    """Quadratic weighted kappa of the table of all pairs in both orders, by scikit-learn."""
    one, other = [], []
    for values in lists:
        for i, first in enumerate(values):
            for j, second in enumerate(values):
                if i != j:
                    one.append(first)
                    other.append(second)
    return cohen_kappa_score(one, other, labels=range(min(one + other), max(one + other) + 1), weights="quadratic")


def ordinal_alpha(lists):
    """Krippendorff's alpha of ordinal values, from the coincidence matrix of his paper (2011)."""
    units = [unit for unit in lists if len(unit) > 1]
    values = sorted({value for unit in units for value in unit})
    place = {value: at for at, value in enumerate(values)}
    table = np.zeros((len(values), len(values)))
    for unit in units:
        for i, one in enumerate(unit):
            for j, other in enumerate(unit):
                if i != j:
                    table[place[one], place[other]] += 1 / (len(unit) - 1)
    margins = table.sum(axis=0)
    apart = np.zeros_like(table)
    for c in range(len(values)):
        for k in range(len(values)):
            low, high = min(c, k), max(c, k)
            apart[c, k] = (margins[low : high + 1].sum() - (margins[c] + margins[k]) / 2) ** 2
    n = margins.sum()
    return 1 - (n - 1) * (table * apart).sum() / (np.outer(margins, margins) * apart).sum()


def ratings(program, path):
    frame = pd.read_json(path, lines=True)
    frame["pair"] = np.arange(len(frame)) // 2
    assert (frame.prompt.to_numpy()[0::2] == frame.prompt.to_numpy()[1::2]).all(), "rows are pairs"
    profile = ours(program, path)
    totals = profile["counts"]["totals"]
    hold("rows", totals["rows"]["whole"], len(frame))
    hold("samples", totals["samples"]["whole"], len(frame) // 2)
    length = frame.response.str.len()
    for label in LABELS:
        figures(label, profile["labels"][label], frame[label])
        histogram(label, profile["labels"][label], frame[label])
        gaps = frame.groupby("pair")[label].agg(lambda of: of.max() - of.min())
        bar = next(bar for bar in profile["verdicts"]["ties"]["bars"] if bar["label"] == label)
        hold(f"ties on {label}", bar["whole"], (gaps == 0).sum())
    figures("len.response", profile["lengths"]["len.response"], length)
    figures("len.prompt", profile["lengths"]["len.prompt"], characters_of_prompts(frame.prompt[::2]))
    both = frame[LABELS].assign(**{"len.response": length})
    for method in ["pearson", "spearman"]:
        matrix(method, profile["correlations"][method], both, method)
        a, b = frame[LABELS].iloc[0::2].reset_index(drop=True), frame[LABELS].iloc[1::2].reset_index(drop=True)
        matrix(f"{method} of margins", profile["correlations"][f"{method}_margins"], a - b, method)
    margin = frame.helpfulness.to_numpy()[0::2] - frame.helpfulness.to_numpy()[1::2]
    figures("margin", profile["verdicts"]["margin"], margin)
    for bar in profile["verdicts"]["verdict"]["bars"]:
        their = {"A wins": margin > 0, "B wins": margin < 0, "tie": margin == 0}[bar["label"]].sum()
        hold(f"verdict {bar['label']}", bar["whole"], their)
    # The same of what a query finds.
    query = "helpfulness>=3 len.response>1000"
    profile = ours(program, path, "--filter", query)
    some = both[(frame.helpfulness >= 3) & (length > 1000)]
    for label in LABELS:
        figures(label, profile["labels"][label], some[label], "shown")
        histogram(label, profile["labels"][label], some[label], "shown")
    figures("len.response", profile["lengths"]["len.response"], some["len.response"], "shown")
    for method in ["pearson", "spearman"]:
        matrix(method, profile["correlations"][method], some, method, "shown")
    # DuckDB too.
    means = ", ".join(f"avg({label}), stddev_samp({label}), quantile_cont({label}, 0.5)" for label in LABELS)
    row = duckdb.sql(f"select {means} from read_json('{path}', format='newline_delimited')").fetchall()[0]
    profile = ours(program, path)
    for at, label in enumerate(LABELS):
        for key, their in zip(["mean", "sd", "median"], row[3 * at : 3 * at + 3]):
            hold(f"DuckDB: {label} {key}", profile["labels"][label][key]["whole"], their)


def characters_of_prompts(prompts):
    """Characters of all turns: the lines that mark them are none of them."""
    lengths = []
    for prompt in prompts:
        turns, turn = [], []
        for line in prompt.split("\n"):
            if line in ("<extra_id_1>User", "<extra_id_1>Assistant"):
                turns.append("\n".join(turn))
                turn = []
            else:
                turn.append(line)
        turns.append("\n".join(turn))
        lengths.append(sum(map(len, turns)))
    return lengths


def written_ratings(folder, chance):
    path = folder / "ratings.jsonl"
    with path.open("w") as out:
        for pair in range(ROWS // 2):
            for _ in range(2):
                helpfulness = int(chance.choice(5, p=[0.08, 0.1, 0.12, 0.29, 0.41]))
                row = {"prompt": f"question {pair}", "response": "word " * int(chance.integers(2, 800))}
                row["helpfulness"] = helpfulness
                row["correctness"] = int(np.clip(helpfulness + chance.choice([-1, 0, 0, 0, 1]), 0, 4))
                row.update({label: int(chance.choice(5)) for label in LABELS[2:]})
                out.write(json.dumps(row) + "\n")
    return path


def annotators(program, folder, chance):
    path, rows = folder / "disagreements.jsonl", []
    for number in range(ROWS):
        row = {"prompt": f"question {number // 2}", "response": "words of a response"}
        count = int(chance.integers(2, 6))
        for label in LABELS:
            centre = chance.integers(0, 5)
            row[label] = [int(np.clip(centre + chance.choice([-2, -1, 0, 0, 0, 1]), 0, 4)) for _ in range(count)]
        rows.append(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    profile = ours(program, path)
    for label in LABELS:
        card, lists = profile["annotators"][label], [row[label] for row in rows]
        spreads = np.array([max(values) - min(values) for values in lists])
        hold(f"annotators {label} kappa", card["kappa"]["whole"], pooled_kappa(lists))
        hold(f"annotators {label} alpha", card["alpha"]["whole"], ordinal_alpha(lists))
        hold(f"annotators {label} 2 or more apart", card["spread_2"]["whole"], (spreads >= 2).mean())
        hold(f"annotators {label} mean spread", card["mean_spread"]["whole"], spreads.mean())
        figures(f"mean of {label}", profile["labels"][label], [np.mean(values) for values in lists])


def preferences(program, folder, chance):
    path, rows = folder / "preference.jsonl", []
    strengths = [-3, -2, -1, 1, 2, 3]
    for number in range(ROWS):
        lean = int(chance.choice([-1, 1]))
        votes = [int(chance.choice(strengths)) if chance.random() < 0.3 else lean * int(chance.integers(1, 4)) for _ in range(int(chance.integers(3, 6)))]
        if chance.random() < 0.05:
            votes[-1] = -100
        overall = round(np.mean([vote for vote in votes if vote != -100]))
        rows.append((overall, votes))
    with path.open("w") as out:
        for number, (overall, votes) in enumerate(rows):
            out.write(
                json.dumps(
                    {
                        "split": "train",
                        "prompt": f"question {number}",
                        "response_1": "one",
                        "response_2": "two",
                        "preference_strength": overall,
                        "preference_statement": "",
                        "preference_elaboration": "",
                        "three_most_similar_preferences": [],
                        "all_preferences_unprocessed": [{"strength": vote, "justification": "so"} for vote in votes],
                    }
                )
                + "\n"
            )
    profile = ours(program, path)
    overall = -np.array([row[0] for row in rows])
    lists = [[-vote for vote in votes if vote != -100] for _, votes in rows]
    figures("strength (A minus B)", profile["verdicts"]["margin"], overall)
    several = [votes for votes in lists if len(votes) > 1]
    card = profile["annotators"]["votes"]
    opposite = np.mean([min(votes) < 0 < max(votes) for votes in several])
    hold("votes kappa", card["kappa"]["whole"], pooled_kappa(several))
    hold("votes for A and for B", card["opposite"]["whole"], opposite)
    outvoted = [
        np.sign(strength) * np.sum(np.sign(votes)) < 0 for votes, strength in zip(lists, overall)
    ]
    hold("winner outvoted", card["outvoted"]["whole"], np.sum(outvoted))
    hold("votes for neither", card["excluded"]["whole"], sum(votes.count(-100) for _, votes in rows))


def wilson(some, count):
    z, p = 1.959963984540054, some / count
    reach = z * np.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return [(p + z * z / (2 * count) + sign * reach) / (1 + z * z / count) for sign in (-1, 1)]


def models(program, folder, chance):
    """Pairs with a preferred response, and scores of four models that are right more or less often."""
    path, better = folder / "pairs.jsonl", chance.random(ROWS) < 0.5
    with path.open("w") as out:
        for number, first in enumerate(better):
            row = {"prompt": f"question {number}", "response_1": "one", "response_2": "two", "split": "train"}
            row["preference_strength"] = int(chance.integers(1, 4)) * (-1 if first else 1)
            row.update({"preference_statement": "", "preference_elaboration": ""})
            row.update({"three_most_similar_preferences": [], "all_preferences_unprocessed": []})
            out.write(json.dumps(row) + "\n")
    joined, gains = [], []
    for number, skill in enumerate([0.2, 0.5, 1.0, 2.0]):
        gain = np.round(chance.normal(skill, 1.0, ROWS), 4)
        gain[chance.random(ROWS) < 0.15] = 0.0
        margin = np.where(better, gain, -gain)
        scores = folder / f"model{number}.jsonl"
        scores.write_text("".join(json.dumps({"score_a": of, "score_b": 0.0}) + "\n" for of in margin))
        joined += ["--with", f"model{number}={scores}"]
        gains.append(gain)
    profile = ours(program, path, *joined, "--on", "row")
    for number, gain in enumerate(gains):
        card = profile["models"][f"rm.model{number}.margin"]
        name = f"model {number}"
        hold(f"{name} accuracy", card["accuracy"]["whole"], (gain > 0).mean())
        wins, decided = (gain > 0).sum(), (gain != 0).sum()
        hold(f"{name} accuracy without ties", card["accuracy_decided"]["whole"], wins / decided)
        for key, all_of in [("accuracy", ROWS), ("accuracy_decided", decided)]:
            for end, their in zip(card[key]["interval"], wilson(wins, all_of)):
                hold(f"{name} interval of {key}", end, their)
        hold(f"{name} ties", card["ties"]["whole"], (gain == 0).mean())
        hold(f"{name} against", card["negative"]["whole"], (gain < 0).mean())
        hold(f"{name} mean margin", card["mean"]["whole"], gain.mean())
        hold(f"{name} sd", card["sd"]["whole"], gain.std(ddof=1))
        ends = np.quantile(np.abs(gain[gain != 0]), np.arange(11) / 10)
        tenth = np.where(gain == 0, -1, np.clip(np.searchsorted(ends, np.abs(gain), side="right") - 1, 0, 9))
        for at, bar in enumerate(card["bars"]):
            hold(f"{name} right in tenth {at + 1}", bar["whole"], ((tenth == at) & (gain > 0)).sum())
            hold(f"{name} of tenth {at + 1}", bar["whole_of"], (tenth == at).sum())
    together = np.array(gains)
    against = (together < 0).sum(axis=0)
    for bar in profile["models"]["contradicted_by"]["bars"]:
        hold(f"contradicted by {bar['label']}", bar["whole"], (against == int(bar["label"])).sum())


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def timed(program, path, rounds):
    """Both count the same, in turns; medians and their ratio."""
    columns = "{" + ", ".join(f"{label}: 'TINYINT'" for label in LABELS) + "}"
    union = " union all ".join(f"select '{label}', {label}, count(*) from rows group by {label}" for label in LABELS)
    means = ", ".join(f"avg({label}), stddev_samp({label})" for label in LABELS)

    def duck():
        connection = duckdb.connect()
        read = f"read_json('{path}', format='newline_delimited', columns={columns}, maximum_object_size=16777216)"
        connection.execute(f"create temp table rows as select * from {read}")
        connection.execute(f"select {means} from rows").fetchall()
        connection.execute(union).fetchall()

    def us(*only):
        subprocess.run([program, "stats", "--format", "json", *only, path], capture_output=True, check=True)

    def labels():
        us("--only", "labels")

    us(), labels(), duck()
    times = [(seconds(us), seconds(labels), seconds(duck)) for _ in range(rounds)]
    every, one, other = (statistics.median(of) for of in zip(*times))
    print(
        f"{path}: DuckDB {other:.3f} s (means, sds, histograms of the labels), visavis {one:.3f} s (the same and missing): "
        f"{one / other:.2f}; {every:.3f} s (every section, texts read): {every / other:.2f}"
    )


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("ratings", nargs="?")
    arguments.add_argument("--time", metavar="FILE", action="append", default=[])
    asked = arguments.parse_args()
    chance = np.random.Generator(np.random.PCG64(14))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        print(f"{'figure':<58} {'ours':>22} {'theirs':>22} difference")
        ratings(asked.program, asked.ratings or written_ratings(folder, chance))
        annotators(asked.program, folder, chance)
        preferences(asked.program, folder, chance)
        models(asked.program, folder, chance)
    print(f"{COUNT} figures, {len(FAILED)} differ by more than {MOST:g}")
    for path in asked.time:
        timed(asked.program, path, 7 if Path(path).stat().st_size < 1e9 else 5)
    sys.exit(bool(FAILED))


if __name__ == "__main__":
    main()
