"""Agreement of two reviewers, as `visavis report --reviewer ann,ben` tells it, beside scikit-learn and krippendorff.

Run by hand (it is no part of cargo test):

    cargo build --release
    pip install numpy scikit-learn krippendorff        # krippendorff can be left out: then a formula in numpy is used
    python3 tests/figures/people.py target/release/visavis [FILE]

It takes FILE (or makes pairs of its own), lets two reviewers judge by chance, with many and with few
errors, writes a journal for each as assets/guide/journal.md has them, asks the program for the report,
and compares kappa with quadratic weights of each label, unweighted kappa of who wins, the share of equal
values, the mean difference, and Krippendorff's alpha (ordinal; nominal for who wins) of two and of three.
It ends with an error where a figure differs in the second decimal, which is the last one shown.
"""

import hashlib
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.metrics import cohen_kappa_score

try:
    import krippendorff
except ImportError:
    krippendorff = None

LABELS = ["helpfulness", "correctness", "coherence", "complexity", "verbosity"]


def rows(count, chance):
    """Pairs of rows as HelpSteer2 has them."""
    for number in range(count):
        for side in "ab":
            row = {"prompt": f"prompt {number}", "response": f"response {side} to {number}"}
            row.update({label: chance.randrange(5) for label in LABELS})
            yield row


def key(prompt, responses):
    """The key of a sample: SHA-256 of its texts, a byte 0xFF after each; the first 32 hex digits."""
    digest = hashlib.sha256()
    for text in [prompt, *responses]:
        digest.update(text.encode() + b"\xff")
    return digest.hexdigest()[:32]


def judged(truth, error, chance):
    """A value near the truth, wrong with this probability."""
    if chance.random() >= error:
        return truth
    return max(0, min(4, truth + chance.choice([-2, -1, 1, 2])))


def journal(path, run, reviewer, judgments, name):
    header = {"journal": 2, "visavis": "0.1.0", "time": "2026-11-21T10:00:00.000Z", "files": [name], "schema": "helpsteer2", "first": None}
    lines, number = [header], 0
    for sample, (place, values) in judgments.items():
        for (label, response), value in values.items():
            number += 1
            lines.append({
                "id": f"{run}-{number}", "time": "2026-11-21T10:00:00.000Z", "reviewer": reviewer,
                "sample": sample, "file": name, "row": place, "act": "rate", "question": "label",
                "label": label, "response": response, "value": value,
            })
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def verdict(values):
    a, b = values[("helpfulness", "a")], values[("helpfulness", "b")]
    return 0 if a > b else 1 if b > a else 2


def alpha(units, level):
    """Krippendorff's alpha of a list of units, each the values that it was given; without the package
    by coincidences: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability."""
    if krippendorff:
        width = max(len(unit) for unit in units)
        data = np.full((width, len(units)), np.nan)
        for place, unit in enumerate(units):
            data[: len(unit), place] = unit
        return krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    values = sorted({value for unit in units for value in unit})
    at = {value: place for place, value in enumerate(values)}
    o = np.zeros((len(values), len(values)))
    for unit in units:
        for i, first in enumerate(unit):
            for j, second in enumerate(unit):
                if i != j:
                    o[at[first], at[second]] += 1 / (len(unit) - 1)
    n = o.sum(axis=0)
    d = np.zeros_like(o)
    for c in range(len(values)):
        for k in range(len(values)):
            low, high = min(c, k), max(c, k)
            if level == "nominal":
                d[c, k] = c != k
            else:
                d[c, k] = (n[low : high + 1].sum() - (n[c] + n[k]) / 2) ** 2
    expected = np.outer(n, n) / (n.sum() - 1)
    return 1 - (o * d).sum() / (expected * d).sum()


def table(report, heading, first):
    """The rows of the first table after a heading, by their first cell."""
    text = report[report.index(heading):]
    found, begun = {}, False
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            begun |= cells[0] == first
            if begun and cells[0] != first:
                found[cells[0]] = cells[1:]
        elif begun and found:
            return found
    return found


def main():
    program, chance = sys.argv[1], random.Random(7)
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if len(sys.argv) > 2:
            data = Path(sys.argv[2])
            lines = [json.loads(line) for line in data.open()]
        else:
            data = folder / "pairs.jsonl"
            lines = list(rows(600, chance))
            data.write_text("".join(json.dumps(row) + "\n" for row in lines))
        pairs = [(at + 1, lines[at], lines[at + 1]) for at in range(0, len(lines) - 1)
                 if lines[at]["prompt"] == lines[at + 1]["prompt"]]
        chosen = {}
        for place, a, b in chance.sample(pairs, min(400, len(pairs))):
            chosen.setdefault(key(a["prompt"], [a["response"], b["response"]]), (place, a, b))
        people, journals = {}, []
        for run, (name, error) in enumerate([("ann", 0.1), ("ben", 0.4), ("zoe", 0.9)]):
            judgments = {}
            for sample, (place, a, b) in chosen.items():
                if chance.random() < 0.8:
                    values = {(label, side): judged(row[label], error, chance)
                              for label in LABELS for side, row in [("a", a), ("b", b)]}
                    judgments[sample] = (place, values)
            people[name] = {sample: values for sample, (_, values) in judgments.items()}
            journals.append(folder / f"{name}.review.jsonl")
            journal(journals[-1], f"0000000{run}", name, judgments, data.name)

        def check(what, own, theirs):
            nonlocal wrong, compared
            compared += 1
            if own == "n/a" or abs(float(own) - theirs) > 0.00501:
                wrong += 1
                print(f"{what}: the program says {own}, the formula {theirs:.4f}")

        for names in [["ann", "ben"], ["ann", "zoe"], ["ann", "ben", "zoe"]]:
            arguments = [program, "report", "--full", str(data), "--reviewer", ",".join(names)]
            for path in journals:
                arguments += ["--journal", str(path)]
            report = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
            alphas = table(report, "### Reviewers", "label")
            of = lambda label: [[people[name][sample][(label, side)] for name in names if sample in people[name]]
                                for sample in chosen for side in "ab"]
            several = lambda units: [unit for unit in units if len(unit) > 1]
            for label in LABELS:
                check(f"alpha of {label}, {names}", alphas[label][1], alpha(several(of(label)), "ordinal"))
            verdicts = [[verdict(people[name][sample]) for name in names if sample in people[name]] for sample in chosen]
            check(f"alpha of the verdict, {names}", alphas["verdict"][1], alpha(several(verdicts), "nominal"))
            for at, one in enumerate(names):
                for other in names[at + 1:]:
                    both = [sample for sample in chosen if sample in people[one] and sample in people[other]]
                    heading = f"## {one} and {other}"
                    figures = table(report, heading, "label")
                    for label in LABELS:
                        first, second = ([people[name][sample][(label, side)] for sample in both for side in "ab"]
                                         for name in (one, other))
                        n, kappa, _, equal, _, difference = figures[label]
                        what = f"{label} of {one} and {other}"
                        check(f"n of {what}", n, len(first))
                        check(f"kappa of {what}", kappa, cohen_kappa_score(first, second, weights="quadratic", labels=range(5)))
                        check(f"equal of {what}", equal, np.mean(np.equal(first, second)))
                        check(f"difference of {what}", difference.replace("−", "-"), np.mean(np.subtract(first, second)))
                    first, second = ([verdict(people[name][sample]) for sample in both] for name in (one, other))
                    section = report[report.index(heading):]
                    cells = table(section, "### Verdict", "n")
                    n, (equal, _, kappa, _) = next(iter(cells.items()))
                    check(f"n of verdicts of {one} and {other}", n, len(first))
                    check(f"kappa of verdicts of {one} and {other}", kappa, cohen_kappa_score(first, second))
                    check(f"equal verdicts of {one} and {other}", equal, np.mean(np.equal(first, second)))
    by = "krippendorff" if krippendorff else "a formula in numpy"
    print(f"{compared} figures compared (kappa: scikit-learn; alpha: {by}), {wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
