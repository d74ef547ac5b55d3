"""Precision and recall of overlap, leak, is:contradicted, is:relabelled and same.prefix.

    cargo build --release
    python3 tests/figures/overlap.py target/release/visavis [SEED]

Generates 20,000 rows of invented text in two files, plants 40 of each kind, and has the program export what it
tells of each sample. That is compared with (1) what was planted and (2) what an exhaustive comparison finds here,
written without the program: Unicode's NFKC, an inverted index of all shingles, exact Jaccard indices, all runs of 13
words. Where `datasketch` is installed (pip install datasketch), its MinHash LSH does the near pairs beside it.
Exits with 1 where precision or recall is below 1.
"""

import collections
import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unicodedata

PLANTS, PAIRS = 40, 10_000
LABELS = ["helpfulness", "correctness", "coherence", "complexity", "verbosity"]
STRENGTH = ["13gram", "near", "normalised", "exact"]


def words_of(text):
    text = unicodedata.normalize("NFKC", text).lower()
    return re.findall(r"[^\W_]+", text)


def runs(words, length):
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


def shingles(words):
    return runs(words, 3) if len(words) >= 3 else {tuple(words)} - {()}


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        syllables = [c + v for c in "bcdfghklmnprstvz" for v in "aeiou"]
        self.vocabulary = ["".join(self.r.choices(syllables, k=self.r.randint(1, 4))) for _ in range(8000)]
        self.weights = [1 / (i + 3) for i in range(8000)]

    def words(self, least, most):
        return self.r.choices(self.vocabulary, self.weights, k=self.r.randint(least, most))

    def text(self, least, most):
        words = self.words(least, most)
        signs = [w + self.r.choice(["", "", "", ",", ".", "\n"]) for w in words]
        return " ".join(signs)

    def labels(self):
        return {name: self.r.randint(0, 4) for name in LABELS}

    def sample(self, prompt, responses=None, labels=None):
        responses = responses or [self.text(20, 90), self.text(20, 90)]
        return [prompt, responses, labels or [self.labels(), self.labels()]]


def plant(maker, files):
    """Appends the planted samples and gives, by kind, the places (file, sample) that must be told."""
    r, planted = maker.r, collections.defaultdict(set)
    sources = {"overlap": (0, 0), "leak": (0, 1)}
    used = set()

    def source(file, words):
        while True:
            place = r.randrange(PAIRS // 2)
            if (file, place) not in used and len(files[file][place][0].split()) >= words:
                used.add((file, place))
                return place

    def change(prompt, kind):
        parts = prompt.split(" ")
        if kind == "exact":
            return prompt
        if kind == "normalised":
            changed = re.sub(r"[,.]", "", prompt).upper().replace(" ", "  ")
            return r.choice([changed, "“" + changed + "”!", changed.replace("A", "\uff21")])
        if kind == "near":
            for _ in range(r.randint(1, max(1, len(parts) // 60))):
                parts[r.randrange(len(parts))] = "replaced" + str(r.randrange(1000))
            return " ".join(parts)
        start = r.randrange(len(parts) - 13)
        return " ".join([maker.text(20, 60), *parts[start : start + 13], maker.text(20, 60)])

    for column, (from_file, to_file) in sources.items():
        for kind in STRENGTH:
            for _ in range(PLANTS):
                at = source(from_file, 60)
                prompt = change(files[from_file][at][0], kind)
                planted[column, kind] |= {(from_file, at), (to_file, len(files[to_file]))}
                files[to_file].append(maker.sample(prompt))
    for _ in range(PLANTS):
        at = source(0, 20)
        prompt, responses, _ = files[0][at]
        lower, higher = maker.labels() | {"helpfulness": 1}, maker.labels() | {"helpfulness": 3}
        files[0][at][2] = [lower, higher]
        planted["is:contradicted", ""] |= {(0, at), (0, len(files[0]))}
        # Half of them with the responses in the other order.
        swapped = r.random() < 0.5
        files[0].append(maker.sample(prompt, responses[:: -1 if swapped else 1],
                                     [lower, higher] if swapped else [higher, lower]))
    for _ in range(PLANTS):
        at = source(0, 20)
        prompt, responses, labels = files[0][at]
        other = dict(labels[0])
        other["verbosity"] = (other["verbosity"] + 1) % 5
        planted["is:relabelled", ""] |= {(0, at), (0, len(files[0]))}
        files[0].append(maker.sample(prompt, [responses[0], maker.text(20, 60)], [other, maker.labels()]))
    for _ in range(PLANTS):
        start = maker.text(90, 120)[:400]
        planted["same.prefix>=400", ""].add((0, len(files[0])))
        files[0].append(maker.sample(maker.text(20, 60), [start + "x" + maker.text(9, 9), start + "y"]))
    return planted


def exhaustive(samples):
    """What holds of each sample, by comparing everything with everything that shares a shingle."""
    texts = [words_of(sample[1][0]) for sample in samples]
    sets = [shingles(words) for words in texts]
    best = [collections.defaultdict(int) for _ in samples]

    def tell(one, other, kind):
        for a, b in ((one, other), (other, one)):
            column = "overlap" if samples[a][0] == samples[b][0] else "leak"
            best[a][column] = max(best[a][column], STRENGTH.index(kind) + 1)

    holders = collections.defaultdict(list)
    for number, some in enumerate(sets):
        for shingle in some:
            holders[shingle].append(number)
    shared = collections.Counter()
    for number, some in enumerate(sets):
        counts = collections.Counter(o for shingle in some for o in holders[shingle] if o > number)
        for other, both in counts.items():
            # Pairs below this cannot be at 0.8, nor have 13 words in common.
            if both >= 0.8 * max(len(some), len(sets[other])) or both >= 11:
                shared[number, other] = both
    grams = collections.defaultdict(set)
    for words in set(map(tuple, texts)):
        for run in runs(list(words), 13):
            grams[run].add(words)
    for (one, other), both in shared.items():
        if samples[one][1][0] == samples[other][1][0]:
            tell(one, other, "exact")
        elif texts[one] == texts[other]:
            tell(one, other, "normalised")
        elif both / (len(sets[one]) + len(sets[other]) - both) >= 0.8:
            tell(one, other, "near")
        elif any(len(grams[run]) <= 10 for run in runs(texts[one], 13) & runs(texts[other], 13)):
            tell(one, other, "13gram")
    found = collections.defaultdict(set)
    for number, (file, place) in enumerate((s[0], s[2]) for s in samples):
        for column in ("overlap", "leak"):
            if best[number][column]:
                found[column, STRENGTH[best[number][column] - 1]].add((file, place))
    said = collections.defaultdict(list)
    for file, (prompt, responses, labels), place in samples:
        sign = labels[0]["helpfulness"] - labels[1]["helpfulness"]
        key = (prompt, tuple(sorted(responses)))
        said["is:contradicted", key].append(((file, place), responses[0 if sign > 0 else 1] if sign else None))
        for response, label in zip(responses, labels):
            said["is:relabelled", (prompt, response)].append(((file, place), tuple(label.items())))
        if len(os.path.commonprefix(responses)) >= 400:
            found["same.prefix>=400", ""].add((file, place))
    for (column, _), list_of in said.items():
        for place, one in list_of:
            if one and any(other and other != one for _, other in list_of):
                found[column, ""].add(place)
    return found


def program(binary, files, folder):
    paths = []
    for name, samples in zip(("train.jsonl", "validation.jsonl"), files):
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w") as out:
            for prompt, responses, labels in samples:
                for response, label in zip(responses, labels):
                    out.write(json.dumps({"prompt": prompt, "response": response} | label) + "\n")
    environment = os.environ | {"HOME": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
    found = collections.defaultdict(set)
    places = [(file, place) for file, samples in enumerate(files) for place in range(len(samples))]

    def export(query):
        command = [binary, "export", query, *paths, "--format", "csv"]
        text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
        return csv.DictReader(text.splitlines(keepends=True))

    for row in export("(overlap=none or overlap!=none) (is:contradicted or -is:contradicted)"):
        place = places[int(row["sample"]) - 1]
        for column in ("overlap", "leak"):
            if row[column]:
                found[column, row[column]].add(place)
        for column in ("is:contradicted", "is:relabelled"):
            if row[column] == "true":
                found[column, ""].add(place)
    for row in export("same.prefix>=400"):
        found["same.prefix>=400", ""].add(places[int(row["sample"]) - 1])
    return found


def with_datasketch(samples, truth):
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError:
        return print("datasketch is not installed")
    index, hashes = MinHashLSH(threshold=0.8, num_perm=128), []
    for number, sample in enumerate(samples):
        of = MinHash(num_perm=128)
        of.update_batch([" ".join(shingle).encode() for shingle in shingles(words_of(sample[1][0]))])
        hashes.append(of)
        index.insert(number, of)
    alike = {(s[0], s[2]) for s, of in zip(samples, hashes) if len(index.query(of)) > 1}
    near = set.union(*(truth[column, kind] for column in ("overlap", "leak") for kind in STRENGTH[1:]))
    both = len(alike & near)
    print(f"datasketch 128: exact, normalised or near: precision {both / len(alike):.4f} recall {both / len(near):.4f}")


def main():
    maker = Maker(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    shapes = [(5, 20), (20, 80), (60, 160)]
    prompt = lambda: maker.text(*maker.r.choices(shapes, [2, 4, 4])[0])
    # The rows that are planted make up the rest of the 20,000.
    planted_pairs = PLANTS * (2 * len(STRENGTH) + 3)
    files = [[maker.sample(prompt()) for _ in range(PAIRS - planted_pairs - 2000)],
             [maker.sample(prompt()) for _ in range(2000)]]
    planted = plant(maker, files)
    samples = [(file, sample, place) for file, all_of in enumerate(files) for place, sample in enumerate(all_of)]
    truth = exhaustive(samples)
    with tempfile.TemporaryDirectory() as folder:
        found = program(os.path.abspath(sys.argv[1]), files, folder)
    print(f"{2 * len(samples):,} rows, {len(samples):,} samples")
    print(f"{'kind':28} planted   told   true  precision  recall  of planted")
    is_right = True
    for kind in sorted(planted):
        told, true, asked = found[kind], truth[kind], planted[kind]
        # What was planted may come to be shared in a stronger way by chance.
        stronger = set().union(*(found[kind[0], way] for way in STRENGTH[STRENGTH.index(kind[1]):])) if kind[1] else told
        precision = len(told & true) / len(told) if told else 1.0
        recall, of_planted = len(told & true) / len(true), len(asked & stronger) / len(asked)
        is_right &= precision == recall == of_planted == 1.0
        print(f"{' '.join(kind):28} {len(asked):7} {len(told):6} {len(true):6} {precision:10.4f} {recall:7.4f} {of_planted:11.4f}")
    with_datasketch(samples, truth)
    sys.exit(not is_right)


main()
