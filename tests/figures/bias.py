#!/usr/bin/env python3
"""The bias card of `visavis stats` beside the same figures from statsmodels and numpy.

    cargo build --release
    python3 tests/figures/bias.py [PROGRAM] [FILE.jsonl …]

PROGRAM is target/release/visavis unless given; files are of HelpSteer2's train (rows pair up, helpfulness
decides). It always writes a file of its own into a temporary folder, whose biases it plants, too. Checked are shares
and Wilson intervals (statsmodels' proportion_confint) to 1e-6, and each bar's query against the number shown. Lists, headers and the rest are counted here anew, with Python's own words.
Needs numpy, scipy and statsmodels. Ends with 1 if anything differs.
"""

import json, math, re, subprocess, sys, tempfile, time, tomllib
from pathlib import Path

import numpy as np
from statsmodels.stats.proportion import proportion_confint

ROOT = Path(__file__).resolve().parents[2]
PHRASES = tomllib.loads((ROOT / "assets/phrases.toml").read_text())
NAMES = ["len", "lists", "headers", "bold", "code", "citations", "refusals", "hedges"]
LABELS = ["longer wins", "list wins", "headers win", "bold wins", "code wins", "citations win", "refusal wins", "hedges win"]


def prose(text):
    """The lines outside of fenced code, and how many fences open."""
    lines, fence, opened = [], None, 0
    for line in re.split(r"\r?\n", text):
        line = line.lstrip()
        run = re.match(r"(`+|~+)", line)
        if fence:
            if run and run[0][0] == fence[0] and len(run[0]) >= len(fence) and not line[len(run[0]):].strip():
                fence = None
        elif run and len(run[0]) >= 3:
            fence, opened = run[0], opened + 1
        else:
            lines.append(line)
    return lines, opened


def pattern(table):
    """The entries of a table of assets/phrases.toml as one pattern, as the file says at its head."""
    groups = ["|".join(table[key]) for key in ("skip", "not") if key in table]
    spelled = "|".join([*groups, "(?P<counts>" + "|".join(table["phrases"]) + ")"])
    for _ in range(2):
        for name, words in PHRASES["words"].items():
            spelled = spelled.replace("{" + name + "}", "(?:" + "|".join(words) + ")")
    return re.compile(r"(?<!\w)(?:" + spelled.replace(r"\z", r"\Z") + r")(?!\w)", re.I)


def phrases(table, text):
    """How many phrases of a table of assets/phrases.toml a text has."""
    within = table.get("within", len(text))
    found = PATTERNS.setdefault(id(table), pattern(table)).finditer(text.replace("’", "'")[:within + 400])
    return sum(m.start() < within for m in found if m["counts"] is not None)


PATTERNS = {}


def counts(text):
    lines, code = prose(text)
    bold = 0
    for line in lines:
        for sign in ("**", "__"):
            rest = line
            while sign in rest:
                following = rest.split(sign, 1)[1]
                if sign not in following:
                    break
                inside, after = following.split(sign, 1)
                good = inside[:1].strip() and inside[-1:].strip() and any(c.isalnum() for c in inside)
                bold, rest = (bold + 1, after) if good else (bold, following)
    cited = 0
    for line in lines:
        for inside in re.findall(r"\[([^\[\]]{1,62})\]", line):
            parts = [part.strip() for part in inside.split(",")]
            if all(re.fullmatch(r"[0-9]{1,3}", part) for part in parts):
                cited += len(parts)
    return [
        len(text),
        sum(bool(re.match(r"([-*+•]|\d{1,9}[.)]) +\S", line) and not re.fullmatch(r"([-][ \t]*){3,}|([*][ \t]*){3,}", line)) for line in lines),
        sum(bool(re.match(r"#{1,6}[ \t]+[#\s]*[^#\s]", line)) for line in lines),
        bold, code, cited,
        phrases(PHRASES["refusals"], text), phrases(PHRASES["hedges"], text),
    ]


def pairs_of(path):
    rows = [json.loads(line) for line in open(path)]
    pairs, at = [], 0
    while at + 1 < len(rows):
        one, two = rows[at], rows[at + 1]
        if one["prompt"] == two["prompt"]:
            pairs.append((counts(one["response"]), counts(two["response"]), one["helpfulness"] - two["helpfulness"]))
            at += 2
        else:
            at += 1
    return pairs


def plant(path, n, rng):
    """Writes pairs whose winner follows a known model."""
    beta = {"len": 0.004, "lists": 0.35, "headers": 0.0, "bold": -0.3, "code": 0.5, "citations": 0.25, "refusals": -1.5, "hedges": -0.2}
    with open(path, "w") as file:
        for at in range(n):
            texts = []
            for _ in range(2):
                parts = ["word " * rng.integers(5, 60)]
                parts += ["- item"] * rng.integers(0, 4) + ["# head"] * rng.integers(0, 3) + ["a **bold** b"] * rng.integers(0, 3)
                parts += ["```\nx = 1\n```"] * rng.integers(0, 2) + ["see [1]"] * rng.integers(0, 3) + ["perhaps"] * rng.integers(0, 3)
                if rng.random() < 0.1:
                    parts.insert(0, "I must decline it.")
                texts.append("\n".join(parts))
            a, b = map(counts, texts)
            eta = 0.2 + sum(beta[name] * (x - y) for name, x, y in zip(NAMES, a, b))
            wins = rng.random() < 1 / (1 + math.exp(-eta))
            for text, helpful in zip(texts, (3, 2) if wins else (2, 3)):
                row = {"prompt": f"question {at}", "response": text, "helpfulness": int(helpful), "correctness": 3,
                       "coherence": 3, "complexity": 2, "verbosity": 2}
                file.write(json.dumps(row) + "\n")


WRONG = []


def check(what, found, expected, within=1e-6):
    good = found is not None and abs(found - expected) <= within * max(1, abs(expected))
    if not good:
        WRONG.append(what)
        print(f"  DIFFERS {what}: {found}, not {expected}")
    return good


def compare(program, path):
    start = time.time()
    out = subprocess.run([program, "stats", "--format", "json", path], capture_output=True, text=True, check=True)
    told, took = json.loads(out.stdout)["bias"], time.time() - start
    decided = [(np.array(a), np.array(b), d > 0) for a, b, d in pairs_of(path) if d != 0]
    a, b = (np.array([pair[side] for pair in decided], float) for side in (0, 1))
    y = np.array([pair[2] for pair in decided])
    print(f"{path}: {len(y)} pairs, told after {took:.2f} s")
    check("pairs", told["shares"]["pairs"]["whole"], len(y))
    bars = {bar["label"]: bar for bar in told["shares"]["bars"]}
    expected = {"first wins": (int(y.sum()), len(y))}
    for column, label in enumerate(LABELS):
        one, two = a[:, column], b[:, column]
        if column == 0:
            meant, first = abs(one - two) > 30, one > two
        else:
            meant, first = (one > 0) != (two > 0), one > 0
        expected[label] = (int((first == y)[meant].sum()), int(meant.sum()))
    for label, (wins, n) in expected.items():
        bar = bars[label]
        check(f"{label}: wins", bar["whole"], wins)
        check(f"{label}: of", bar["whole_of"], n)
        count = subprocess.run([program, "count", bar["query"], path], capture_output=True, text=True)
        check(f"{label}: {bar['query']}", float(count.stdout.strip() or "nan"), wins)
        if n:
            low, high = proportion_confint(wins, n, method="wilson")
            check(f"{label}: low", bar["interval"][0], low)
            check(f"{label}: high", bar["interval"][1], high)
            print(f"  {label:14} {wins / n:6.1%}  {low:.1%}–{high:.1%}  of {n}")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/visavis")
    with tempfile.TemporaryDirectory() as folder:
        for n, seed in [(400, 1), (12_000, 2)]:
            path = f"{folder}/planted-{n}.jsonl"
            plant(path, n, np.random.default_rng(seed))
            compare(program, path)
    for path in sys.argv[2:]:
        compare(program, path)
    print("all alike" if not WRONG else f"{len(WRONG)} differ")
    sys.exit(bool(WRONG))


main()
