"""Spot checks, as `visavis report` tells them, beside statsmodels.

Run by hand (it is no part of cargo test):

    cargo build --release
    pip install numpy statsmodels
    python3 tests/figures/checks.py target/release/visavis

It makes pairs as HelpSteer2 has them, lets two reviewers say by chance of the first places of a queue,
and of two that were shuffled, whether what the dataset says is right, wrong or unclear (some twice, some
taken back), writes a journal for each as assets/guide/journal.md has them, asks the program for the
report, and compares each row of its table with counts of its own and the shares with
`proportion_confint(method="wilson")`. Both journals tell of samples of other files too, and one of
another queue at random: neither may change a figure. It ends with an error where a figure differs in the
last digit shown.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from statsmodels.stats.proportion import proportion_confint

from people import key, rows

AMONG = "gap.helpfulness>=3"
FILTER = f"{AMONG} findings>=1"
WORDS = ["right", "wrong", "unclear"]


def act(run, number, reviewer, sample, place, drawn, said):
    return {
        "id": f"{run}-{number}", "time": f"2026-11-21T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "reviewer": reviewer, "act": "check", "sample": sample, "file": "rows.jsonl", "row": place,
        "check": said, **drawn,
    }


def most(said):
    """What most say; unclear where as many say one thing as another."""
    counts = Counter(said).most_common()
    return "unclear" if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]


def percent(share):
    return f"{100 * share:.1f}"


def row(drawn, source, said):
    count = Counter(said)
    cells = [drawn, source, len(said)]
    for word in WORDS[:2]:
        low, high = proportion_confint(count[word], len(said), method="wilson")
        cells += [f"{count[word]} ({percent(count[word] / len(said))} %)", f"{percent(low)}–{percent(high)} %"]
    return "| " + " | ".join(map(str, [*cells, count["unclear"]])) + " |"


def main():
    visavis, chance = sys.argv[1], random.Random(7)
    folder = Path(tempfile.mkdtemp())
    data = folder / "rows.jsonl"
    lines = list(rows(4000, chance))
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    keys = [key(lines[at]["prompt"], [lines[at]["response"], lines[at + 1]["response"]]) for at in range(0, len(lines), 2)]
    suspicious = chance.sample(range(len(keys)), 700)
    shuffles = {seed: random.Random(seed).sample(range(len(keys)), len(keys)) for seed in (7, 8)}
    verdicts, places = {}, {}
    for run, reviewer in [("0000000a", "ann"), ("0000000b", "ben")]:
        acts = []

        def check(sample, drawn, said):
            acts.append(act(run, len(acts) + 1, reviewer, keys[sample], 2 * sample + 1, drawn, said))
            verdicts[reviewer, sample] = said

        for queue, wrong in [("suspicion", 0.4), (7, 0.08), (8, 0.08)]:
            order = suspicious if queue == "suspicion" else shuffles[queue]
            for rank in range(1, chance.randint(120, 220)):
                if chance.random() < 0.1:
                    continue
                drawn = {"drawn": "suspicion" if queue == "suspicion" else "random", "rank": rank, "of": len(order)}
                drawn |= {"filter": FILTER} if queue == "suspicion" else {"filter": AMONG, "seed": queue}
                said = "wrong" if chance.random() < wrong else chance.choices(["right", "unclear"], [9, 1])[0]
                check(order[rank - 1], drawn, said)
                places.setdefault((queue, reviewer), {})[order[rank - 1]] = rank
                if chance.random() < 0.05:
                    check(order[rank - 1], drawn, chance.choice(WORDS))
        # Taken back, in every queue.
        for sample in chance.sample(sorted(places["suspicion", reviewer]), 5):
            check(sample, {"drawn": "chosen"}, None)
            del verdicts[reviewer, sample]
            for (_, name), known in places.items():
                if name == reviewer:
                    known.pop(sample, None)
        for number in range(5):
            elsewhere = key(f"{reviewer} {number}", ["one", "two"])
            drawn = {"drawn": "random", "rank": 900 + number, "of": 70, "filter": AMONG, "seed": 7}
            acts.append(act(run, len(acts) + 1, reviewer, elsewhere, 1, drawn, "wrong"))
        judged = {sample for (_, name), known in places.items() if name == reviewer for sample in known}
        fresh = [sample for sample in range(len(keys)) if sample not in judged | set(suspicious)][:4]
        for rank, sample in enumerate(fresh if reviewer == "ann" else [], 1):
            drawn = {"drawn": "random", "rank": rank, "of": 50 + rank, "filter": "", "seed": 9}
            acts.append(act(run, len(acts) + 1, reviewer, keys[sample], 2 * sample + 1, drawn, "right"))
        header = {"journal": 2, "visavis": "0.1.0", "time": "2026-11-21T10:00:00.000Z", "files": ["rows.jsonl"], "schema": "helpsteer2", "first": None}
        (folder / f"{reviewer}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [header, *acts]))
    journals = [word for name in ("ann", "ben") for word in ("--journal", str(folder / f"{name}.jsonl"))]
    report = subprocess.run([visavis, "report", str(data), *journals], check=True, capture_output=True, text=True).stdout
    section = report[report.index("## Spot checks"):]
    print(section)

    def table(drawn, source, queues):
        said = {}
        for who in ("ann", "ben"):
            for sample in {sample for queue in queues for sample in places[queue, who]}:
                said.setdefault(sample, []).append(verdicts[who, sample])
        return row(drawn, source, [most(each) for each in said.values()])

    expected = [
        table("most suspicious", f"`{FILTER}`", ["suspicion"]),
        table("at random", f"`{AMONG}`", [7, 8]),
        row("at random", "all samples", ["right"] * 4),
        "10 checked samples omitted: not in these files.",
    ]
    missing = [line for line in expected if re.sub(r" +", " ", line) not in re.sub(r" +", " ", section)]
    for line in missing:
        print("NOT FOUND:", line)
    print(f"{len(expected) - len(missing)} of {len(expected)} lines as statsmodels has them")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
