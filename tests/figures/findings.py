"""Precision and recall of every built-in rule of findings, on planted faults.

    cargo build --release
    python3 tests/figures/findings.py target/release/visavis [SEED]

Generates 20,000 rows of invented text in the layouts of HelpSteer2 (two files, with three files of scores beside
them), WebGPT, HelpSteer3 and UltraFeedback, in which no rule fires, and plants 40 faults of each kind among them. Each
plant says which rules are to fire on it and on its twin; `visavis export 'finding:NAME'` is compared with that. Exits
with 1 where precision or recall of any rule is below 1.
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
import tomllib

PLANTS, CUT = 40, 300
LABELS = ["helpfulness", "correctness", "coherence", "complexity", "verbosity"]
HIDDEN = "\u200b\u202e\u00ad\ufeff\u2066\u0007"


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        syllables = [c + v for c in "bcdfghklmnprstvz" for v in "aeiou"]
        # No word of three syllables and more is one of a request.
        self.vocabulary = ["".join(self.r.choices(syllables, k=self.r.randint(3, 5))) for _ in range(8000)]

    def words(self, least, most):
        return " ".join(self.r.choices(self.vocabulary, k=self.r.randint(least, most)))

    def text(self, least=40, most=90):
        words = [word + self.r.choice(["", "", "", ",", ".", ".\n"]) for word in self.words(least, most).split()]
        return " ".join(words).rstrip(",.\n") + "."

    def prompt(self, least=10, most=80):
        return self.text(least, most)[:-1] + "?"

    def labels(self, helpfulness, **others):
        r = self.r
        clean = [helpfulness, r.randint(2, 3), r.randint(3, 4), r.randint(0, 4), r.randint(1, 3)]
        return dict(zip(LABELS, clean)) | others

    def pair(self, prompt=None, responses=None, labels=None):
        responses = responses or [self.text(), self.text()]
        labels = labels or [self.labels(3), self.labels(2)]
        if self.r.random() < 0.5:
            responses, labels = responses[::-1], labels[::-1]
        return {"prompt": prompt or self.prompt(), "responses": responses, "labels": labels, "rules": set()}


def planted(sample, *rules):
    sample["rules"] |= set(rules)
    return sample


def changed(maker, prompt, kind):
    """A prompt that shares this one in a way, and in no stronger one."""
    parts = prompt.split(" ")
    match kind:
        case "exact":
            return prompt
        case "normalised":
            return re.sub(r"[,.]", "", prompt).upper().replace(" ", "  ")
        case "near":
            parts[maker.r.randrange(len(parts) - 1)] = "replaced"
            return " ".join(parts)
        case _:
            start = maker.r.randrange(len(parts) - 14)
            return f"{maker.words(20, 60)} {' '.join(parts[start : start + 13])} {maker.prompt(20, 60)}"


def helpsteer2(maker, count):
    """Samples of a first and a second file."""
    r, make = maker.r, maker.pair
    files = [[make() for _ in range(count)], [make() for _ in range(count // 10)]]
    refusal = lambda: "I'm sorry, but I can't help with that. " + maker.text(20, 30)
    broken = lambda: maker.text()[:-1] + " " + maker.words(9, 12)
    spare = iter(r.sample(range(count), count))

    def add(*rules, **sample):
        files[0].append(planted(make(**sample), *rules))

    for _ in range(PLANTS):
        fine, other = maker.labels(3), maker.labels(2)
        add("helpful-but-wrong", labels=[fine | {"correctness": r.randint(0, 1)}, other])
        add("right-but-useless", labels=[fine, maker.labels(r.randint(0, 1), correctness=4)])
        add("incoherent-but-helpful", labels=[maker.labels(4, coherence=r.randint(0, 1)), fine])
        add("called-brief-but-long", responses=[maker.text(500, 600), maker.text()], labels=[fine | {"verbosity": 0}, other])
        add("called-verbose-but-short", responses=[maker.text(3, 9), maker.text()], labels=[fine | {"verbosity": 4}, other])
        add("out-of-range", labels=[fine | {r.choice(LABELS): r.choice([-1, 7, 99])}, other])
        add("empty-but-wins", responses=["", maker.text()])
        same = maker.text()
        add("identical-but-wins", "identical-but-rated-apart", "identical-when-cut", responses=[same + " ", same.replace(" ", "  ")])
        add("identical-but-rated-apart", "labelled-otherwise-elsewhere", "identical-when-cut", responses=[same, same],
            labels=[other | {"correctness": 3}, other | {"correctness": 2}])
        add("rated-high-but-breaks-off", responses=[broken(), broken()], labels=[maker.labels(4), other])
        add("winner-breaks-off", responses=[broken(), maker.text()])
        add("refusal-rated-high", responses=[refusal(), refusal()])
        add("refusal-wins", responses=[refusal(), maker.text()], labels=[other, maker.labels(1)])
        text, at = maker.text(), r.randrange(20, 80)
        add("hidden-characters", responses=[text[:at] + r.choice(HIDDEN) + text[at:], maker.text()])
        start = maker.text(90, 120)[:CUT]
        add("identical-when-cut", responses=[start + "x " + maker.text(), start + "y " + maker.text()])
        add("models-oppose")
        files[0][-1]["against"] = r.randint(2, 3)
        # The same texts again, further on.
        twin = planted(files[0][next(spare)], "contradicted-elsewhere", "labelled-otherwise-elsewhere", "prompt-again-exact")
        files[0].append(twin | {"labels": twin["labels"][::-1]})
        twin = planted(files[0][next(spare)], "labelled-otherwise-elsewhere", "prompt-again-exact")
        label = twin["labels"][0]
        files[0].append(twin | {"responses": [twin["responses"][0], maker.text()],
                                "labels": [label | {"complexity": (label["complexity"] + 1) % 5}, maker.labels(1)]})
        for scope, file in (("prompt-again", 0), ("leak", 1)):
            for kind in ("exact", "normalised", "near", "13gram"):
                twin = next(files[0][at] for at in spare if len(files[0][at]["prompt"].split()) > 50)
                planted(twin, f"{scope}-{kind}")
                files[file].append(planted(make(prompt=changed(maker, twin["prompt"], kind)), f"{scope}-{kind}"))
    # Twins must not come to stand side by side, where they would be one sample.
    for file in files:
        while any(one["prompt"] == other["prompt"] for one, other in zip(file, file[1:])):
            r.shuffle(file)
    return files


def rows_of_helpsteer2(samples):
    for sample in samples:
        for response, labels in zip(sample["responses"], sample["labels"]):
            yield {"prompt": sample["prompt"], "response": response} | labels


def scores(samples, number):
    """A model that says the same of who wins, but where it is to contradict."""
    for sample in samples:
        if sample["rules"] - {"models-oppose"}:
            continue
        sign = -1 if number < sample.get("against", 0) else 1
        for response, labels in zip(sample["responses"], sample["labels"]):
            yield {"prompt": sample["prompt"], "response": response, "score": sign * labels["helpfulness"] / 4}


def webgpt(maker, count):
    r, rules = maker.r, ["scores-do-not-cancel", "dangling-citation", "uncited-quote"]
    kinds = [rule for rule in rules for _ in range(PLANTS)] + [None] * (count - PLANTS * len(rules))
    r.shuffle(kinds)
    samples = []
    for kind in kinds:
        question, score, sides = maker.prompt(10, 40), round(r.uniform(0.1, 1), 3), []
        for side in range(2):
            answer = f"{maker.text(10, 30)} {maker.words(3, 6)} [1][2]."
            if side == 0 and kind == "dangling-citation":
                answer = answer.replace("[2]", "[3]")
            if side == 0 and kind == "uncited-quote":
                answer = answer.replace("[1][2]", "so")
            value = score if side == 0 else -score + (0.25 if kind == "scores-do-not-cancel" else 0)
            quotes = [{"title": maker.words(2, 4), "extract": maker.text(9, 20)} for _ in range(2)]
            sides.append({"question": {"dataset": "eli5", "id": f"q{len(samples)}", "full_text": question}, "quotes": quotes,
                          "answer": answer, "score": value})
        samples.append({"row": sides, "rules": {kind} - {None}})
    return samples


def helpsteer3(maker, count):
    r, rules = maker.r, ["feedback-against-preference", "annotators-oppose"]
    kinds = [rule for rule in rules for _ in range(PLANTS)] + [None] * (count - PLANTS * len(rules))
    r.shuffle(kinds)
    samples = []
    for kind in kinds:
        sign = r.choice([-1, 1])
        words = ["mostly", "slightly"] if sign < 0 else ["slightly", "mostly"]
        if kind == "feedback-against-preference":
            words = words[::-1]
        one, two = (f"The response is {word} helpful. {maker.text(9, 20)}" for word in words)
        strengths = [2 * sign, -sign if kind == "annotators-oppose" else sign]
        said = [{"score": strength, "reasoning": maker.text(9, 20), "feedback1": one, "feedback2": two} for strength in strengths]
        samples.append({"rules": {kind} - {None}, "row": {
            "domain": "general", "language": "english", "context": [{"role": "user", "content": maker.prompt()}],
            "response1": maker.text(), "response2": maker.text(), "overall_preference": 2 * sign, "individual_preference": said}})
    return samples


def ultrafeedback(maker, count):
    r = maker.r
    rules = ["preferred-but-less-helpful", "much-better-but-equal", "identical-but-wins", None]
    kinds = [rule for rule in rules for _ in range(PLANTS)] + [None] * (count - PLANTS * len(rules))
    samples = []
    for place, kind in enumerate(kinds):
        helpful, overall, texts, fire = [5, 4, 3, 2], [9, 7, 5, 3], [maker.text() for _ in range(4)], {kind} - {None}
        if kind == "preferred-but-less-helpful":
            helpful = [2, 4, 3, 4]
        if kind == "much-better-but-equal":
            helpful = [4, 4, 3, 4]
        if kind == "identical-but-wins":
            texts[r.randint(1, 3)] = texts[0] + "\n"
            fire = {kind, "identical-when-cut"}
        if place >= len(kinds) - PLANTS:
            # Of those that lose two say the same.
            texts[2], fire = texts[1] + " ", {"identical-when-cut"}
        completions = [
            {"response": text, "overall_score": score, "fine-grained_score": float(value), "model": "m", "critique": "c",
             "custom_system_prompt": "s", "principle": "p",
             "annotations": {aspect: {"Rating": str(value), "Rationale": "r"}
                             for aspect in ("instruction_following", "honesty", "truthfulness", "helpfulness")}}
            for text, score, value in zip(texts, overall, helpful)]
        r.shuffle(completions)
        samples.append({"rules": fire, "row": {
            "source": "s", "instruction": maker.prompt(), "models": ["m"] * 4, "completions": completions,
            "correct_answers": [], "incorrect_answers": []}})
    r.shuffle(samples)
    return samples


def write(path, rows):
    with open(path, "w") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def told(binary, rule, arguments, folder):
    """Places of the samples on which a rule fires; none where it does not apply."""
    command = [binary, "export", f"finding:{rule}", *arguments, "--max-len", str(CUT), "--format", "csv"]
    environment = os.environ | {"HOME": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode != 0:
        if "does not apply here" not in run.stderr:
            sys.exit(run.stderr)
        return set()
    rows = csv.DictReader(run.stdout.splitlines(keepends=True))
    return {int(row["sample"]) - 1 for row in rows}


def main():
    maker = Maker(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    binary = os.path.abspath(sys.argv[1])
    folder_of_rules = os.path.join(os.path.dirname(__file__), "../../assets/findings")
    rules = {}
    for name in sorted(os.listdir(folder_of_rules)):
        with open(os.path.join(folder_of_rules, name), "rb") as file:
            rules |= tomllib.load(file)
    train, validation = helpsteer2(maker, 7155)
    groups = {"HelpSteer2": train + validation}
    groups |= {"WebGPT": webgpt(maker, 900), "HelpSteer3": helpsteer3(maker, 700), "UltraFeedback": ultrafeedback(maker, 500)}
    rows = sum(len(samples) * (2 if name == "HelpSteer2" else 1) for name, samples in groups.items())
    found, true = collections.defaultdict(set), collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        arguments = {"HelpSteer2": [write(at("train.jsonl"), rows_of_helpsteer2(train)),
                                    write(at("validation.jsonl"), rows_of_helpsteer2(validation))]}
        for number in range(3):
            path = write(at(f"model{number}.jsonl"), scores(train + validation, number))
            arguments["HelpSteer2"] += ["--with", path]
        for name in ("WebGPT", "HelpSteer3", "UltraFeedback"):
            arguments[name] = [write(at(f"{name.lower()}.jsonl"), (sample["row"] for sample in groups[name]))]
        for group, samples in groups.items():
            for rule in rules:
                found[rule] |= {(group, place) for place in told(binary, rule, arguments[group], folder)}
                true[rule] |= {(group, place) for place, sample in enumerate(samples) if rule in sample["rules"]}
    print(f"{rows:,} rows, {sum(map(len, groups.values())):,} samples")
    print(f"{'rule':30} {'severity':8} planted   told  precision  recall")
    is_right = True
    for rule in sorted(rules):
        both = len(found[rule] & true[rule])
        precision, recall = both / max(1, len(found[rule])), both / max(1, len(true[rule]))
        is_right &= precision == recall == 1.0 and len(true[rule]) >= 30
        print(f"{rule:30} {rules[rule]['severity']:8} {len(true[rule]):7} {len(found[rule]):6} {precision:10.4f} {recall:7.4f}")
        wrong = sorted(found[rule] ^ true[rule])[:3]
        for group, place in wrong:
            sample = groups[group][place]
            print("   for instance", "told" if (group, place) in found[rule] else "missed", group, place + 1, sorted(sample["rules"]))
    sys.exit(not is_right)


main()
