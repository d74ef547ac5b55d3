#!/usr/bin/env python3
"""The statements of `visavis sql`, run by DuckDB and by Spark, beside what visavis finds itself.

    engines.py PROGRAM [--only TEXT] [--engine duckdb|spark]

Writes files of several kinds (rated rows, clean and malformed; late types; several files out of the order
of their names; packed ones; preferences; WebGPT, flat and raw), asks each query of visavis and of both engines, and
compares the samples by their numbers, files and rows, in order. Prints a table of counts, and ends with 1 where
anything differs or something that is to be refused is not.
"""

import argparse
import concurrent.futures
import contextlib
import csv
import gzip
import hashlib
import io
import itertools
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time

MARKS = {"user": "<extra_id_1>User", "assistant": "<extra_id_1>Assistant"}


# What files hold, made up for this.

def prompts(rng):
    """Prompts of one turn and of several, among them those at whose ends marks stand."""
    number = rng.randrange(10_000)
    user, assistant = MARKS["user"], MARKS["assistant"]
    return rng.choice([
        f"How do I sort list {number}?",
        f"c#\n{number}",
        f"Naïve question {number} — ¿por qué?\n",
        f"Name {number} colors\n{assistant}\nRed.\n{user}\nAnd in colour terms?",
        f"Hi {number}\r\n{assistant}\r\nHello\n{user}\n",
        f"{user}\nfirst line is a mark {number}",
        f"\n{assistant}\n{user}\n\ntwo marks {number}",
        f"a mark {user} within {number}\n{user} \nand one that is longer",
        f"ends {number}\n{assistant}\nin\n{user}",
        f"tab\there 漢字 {number}",
    ])


def response(rng):
    word = rng.choice(["color", "colour", "Sorry", "sorry, no", "running 42 tests", "é and É", "ß SS", "x" * 40, "👨‍👩‍👧 family"])
    return rng.choice([
        word,
        "",
        f"{word}\n",
        f"Sure:\n- {word}\n- {rng.randrange(100)}\n",
        f"{word} " * rng.randrange(1, 30),
        f"first\n\n{word} it's \"quoted\" \\ back\n\n",
        f"Sorry\nbut {word}",
    ])


LABELS = ["helpfulness", "correctness", "coherence", "complexity", "verbosity"]
ODD = ["3", " 4 ", "+2", "", "N/A", "True", "false", True, False, None, 2.5, 7, -1, 3.0, [1], {"a": 1}, "five", "1e0", -0.0]


def rated_row(rng, prompt, odd):
    row = {"prompt": prompt, "response": response(rng)}
    for label in LABELS:
        row[label] = rng.randrange(5)
        if odd and rng.random() < 0.3:
            row[label] = rng.choice(ODD)
        if odd and rng.random() < 0.05:
            del row[label]
    return row


def rated(rng, rows, odd=False):
    """Rows in runs of one to four with the same prompt."""
    lines = []
    while len(lines) < rows:
        prompt = prompts(rng)
        for _ in range(rng.choice([1, 2, 2, 2, 2, 3, 4])):
            ascii_only = rng.random() < 0.5
            lines.append(json.dumps(rated_row(rng, prompt, odd), ensure_ascii=ascii_only))
    return lines


def with_fields(rng, lines):
    """Rows with fields that no schema names."""
    return [json.dumps(json.loads(line) | {
        "model": rng.choice(["m1", "M1", "m2", None]), "seconds": rng.choice([None, 1, 5, 9.5, "7"]), "ok": rng.choice([True, False, None]),
        "meta": {"day": rng.choice(["2024-05-03", "2024-06-01T10:00:00Z"]), "a b": rng.randrange(5)}, "words": ["x", "y"][:rng.randrange(3)],
    }) for line in lines]


def break_lines(rng, lines, kinds):
    """Malformed and blank lines between the others, also within pairs."""
    broken = []
    for line in lines:
        broken.append(line)
        if rng.random() < 0.25:
            broken.append(rng.choice(kinds)(line))
    return broken


BROKEN = [
    lambda line: line[: len(line) // 2],
    lambda line: "this is no JSON, sorry",
    lambda line: "",
    lambda line: "  \t ",
    lambda line: "[]",
    lambda line: "7",
    lambda line: json.dumps({**json.loads(line), "prompt": None}),
    lambda line: json.dumps({**json.loads(line), "response": 7}),
    lambda line: json.dumps({key: value for key, value in json.loads(line).items() if key != "response"}),
    lambda line: json.dumps({**json.loads(line), "response": {"title": "no message"}}),
    lambda line: json.dumps({**json.loads(line), "prompt": ["a", "b"]}),
    lambda line: line.replace("{", "{'", 1),
]


def preferences(rng, rows):
    lines = []
    for _ in range(rows):
        votes = [
            {"strength": rng.choice([-3, -2, -1, 1, 2, 3, -100]), "justification": "because"}
            for _ in range(rng.randrange(5))
        ]
        if rng.random() < 0.2:
            votes.append({"strength": rng.choice(["2", None, "N/A", "much"]), "justification": "odd"})
        lines.append(json.dumps({
            "split": rng.choice(["train", "val", "Train", None, 7]),
            "prompt": prompts(rng), "response_1": response(rng), "response_2": response(rng),
            "preference_strength": rng.choice([-3, -2, -1, 0, 1, 2, 3, "2", None, 5, 1.5, True]),
            "preference_statement": "one is better", "preference_elaboration": "much",
            "three_most_similar_preferences": [], "all_preferences_unprocessed": votes,
        }))
    return lines


def quotes(rng):
    texts = [rng.choice(["the colour", "Python (wikipedia.org)", "", None, "é"]) for _ in range(rng.randrange(4))]
    shape = rng.randrange(6)
    if shape < 2:
        return {"title": texts, "extract": [f"extract {text}" for text in texts][: rng.randrange(5)]}
    if shape < 4:
        return [{"title": text, "extract": f"extract {text}"} for text in texts]
    return rng.choice([[], {"title": [], "extract": []}, None, 7, "none", {"title": ["a"]}, [1], [{"title": 3}],
                       [{"title": "x", "link": "y"}], {"title": ["t", 3], "extract": ["e"]}])


def answers(rng):
    score = rng.choice([0, 0.5, -0.5, 1, -1, 0.125, "0.5", None, 2])
    other = -score if isinstance(score, (int, float)) else rng.choice([0, None])
    question = {
        "dataset": rng.choice(["eli5", "ELI5", "triviaqa", "arc-easy", None]),
        "id": f"q{rng.randrange(50)}",
        "full_text": f"Why is question {rng.randrange(1000)} asked?\n\n",
    }
    one = lambda score: {  # noqa: E731
        "question": question, "quotes": quotes(rng), "answer": response(rng),
        "tokens": {"prefix": [1, 2, 3], "completion": [4, 5]}, "score": score,
    }
    return [one(score), one(other)]


def flat(rng, rows):
    lines = []
    for _ in range(rows):
        a, b = answers(rng)
        row = {"question": a["question"]}
        for number, of in enumerate([a, b]):
            row |= {f"{key}_{number}": of[key] for key in ["quotes", "answer", "tokens", "score"]}
        lines.append(json.dumps(row))
    return lines


def raw(rng, rows):
    lines = []
    for _ in range(rows):
        pair = answers(rng)
        odd = rng.random()
        if odd < 0.03:
            pair = pair[:1]
        elif odd < 0.06:
            pair = pair + pair[:1]
        elif odd < 0.09:
            pair[1] = {key: value for key, value in pair[1].items() if key != "answer"}
        elif odd < 0.12:
            pair = {"answers": pair}
        lines.append(json.dumps(pair))
    return lines


# A schema of one's own for each way to name a winner that the others lack.

OWN = """name = "own"
title = "own"
rows = "inline"
prompt.path = "/q"
verdict = {verdict}

[[response]]
text = "/x/one"
ratings.score = "/x/s1"
ratings."odd name" = "/x/o1"
ratings.place = 1

[[response]]
text = "/x/two"
ratings.score = "/x/s2"
ratings."odd name" = "/x/o2"
ratings.place = 0

[[label]]
name = "score"
kind = "score"

[[label]]
name = "odd name"
range = [0, 1]
lenient = true

[[label]]
name = "place"
range = [0, 1]

[[fact]]
name = "the kind"
path = "/a b"
"""

VERDICTS = {
    "strength": '{ path = "/w", values = { "much a" = 2, "b" = -1, "tie" = 0 } }',
    "onehot": '{ one_hot = { a = "/wa", b = "/wb", tie = "/wt" } }',
    "name": '{ path = "/w", names = { a = "/na", b = "/nb", tie = "/wt" } }',
    "fixed": '{ always = "b", margin = "score" }',
    "lower": '{ label = "score", lower = true }',
    "value": '{ path = "/w", a = ["much a", "1"], b = ["b"], tie = ["tie"] }',
    "sign": '{ path = "/v", positive = "b", range = [1, 2], midpoint = 1.5 }',
    "none": '{ label = "odd name" }',
}


def own(rng, rows):
    score = lambda: rng.choice([0, 1, 2.5, -3, 1e300, "7", None, "1e999", 12345678901234567890, True])  # noqa: E731
    lines = []
    for _ in range(rows):
        truth = lambda: rng.choice([True, False, 1, 0, "true", None, "1", 2])  # noqa: E731
        odd = lambda: rng.choice([0, 1, True, False, 0.5, "yes", 3, None, "TRUE"])  # noqa: E731
        lines.append(json.dumps({
            "q": f"q {rng.randrange(100)}",
            "x": {"one": response(rng), "two": response(rng), "s1": score(), "s2": score(), "o1": odd(), "o2": odd()},
            "w": rng.choice(["much a", "b", "tie", "m1", "m2", None, 1, "n/a", "other"]),
            "wa": truth(), "wb": truth(), "wt": rng.choice([False, False, None, True]),
            "na": rng.choice(["m1", "m2"]), "nb": rng.choice(["m1", "m2"]),
            "v": rng.choice([1, 1.5, 2, 1.25, None, 3, "1.75", -1]), "a b": rng.choice(["x", "X y", "it's", None, "\\"]),
        }))
    return lines


# Lines that engines read otherwise, as statements remark: who takes them for malformed.
ODD_LINES = [
    (b'\xef\xbb\xbf{ROW: 1}', "duckdb"),
    (b'{ROW: 1,}', "visavis spark"),
    (b'{ROW: nan}', "visavis spark"),
    (b'{ROW: NaN}', "spark"),
    (b'{ROW: Infinity}', "spark"),
    (b'{ROW: 1} x', "duckdb visavis"),
    (b'{ROW: 1, "helpfulness": 2}', "spark"),
    (b'{"x": "half \\ud83d", ROW: 1}', "duckdb spark"),
    (b'{"response": "half \\ud83d", PROMPT: 1}', "duckdb spark"),
    (b'{"response": "raw \x01 control", PROMPT: 1}', "duckdb spark"),
    (b'{"response": "\xff is no UTF-8", PROMPT: 1}', "duckdb"),
    (b"{'prompt': 'p', ROW: 1}", "duckdb spark visavis"),
    (b'{ROW: 01}', "duckdb spark visavis"),
    (b'{ROW: +1}', "duckdb spark visavis"),
    (b'{ROW: 1} // a remark', "duckdb visavis"),
    (b'{ROW: 1e400}', ""),
    (b'{"n": "\\u0000", ROW: 1}', ""),
    (b'\t {ROW: 1} \r', ""),
]


class Files:
    """The files that queries are asked of: sets by name, in the order of the arguments."""

    def __init__(self, folder, rng):
        self.folder = folder
        clean, second = rated(rng, 300), rated(rng, 120)
        broken = break_lines(rng, rated(rng, 300, odd=True), BROKEN)
        late = rated_late(rng)
        put = self.put
        self.rated = {
            "clean": [put("clean.jsonl", clean)],
            "malformed": [put("bad lines.jsonl", broken, end=b"")],
            "late types": [put("late.jsonl", late)],
            "several": [put("z.jsonl", second), put("bad lines.jsonl", broken, end=b""), put("b.jsonl.gz", clean),
                        put("a.jsonl", rated(rng, 60, odd=True), between=b"\r\n")],
        }
        self.rated["parquet"] = [self.parquet(self.rated["clean"][0])]
        self.preference = {"preference": [put("preference.jsonl", break_lines(rng, preferences(rng, 300), BROKEN[:6]))]}
        self.flat = {"webgpt flat": [put("flat.jsonl", flat(rng, 250))]}
        self.raw = {"webgpt raw": [put("comparisons.jsonl", break_lines(rng, raw(rng, 250), BROKEN[:6]))]}
        self.found = {"fields": [put("fields.jsonl", with_fields(rng, rated(rng, 200)))]}
        self.own = put("own.jsonl", own(rng, 250))
        self.odd = os.path.join(folder, "odd.jsonl")
        with open(self.odd, "wb") as file:
            for number in range(40):
                file.write(json.dumps(rated_row(rng, f"before {number}", False)).encode() + b"\n")
            for number, (line, _) in enumerate(ODD_LINES):
                prompt = f'"prompt": "odd {number}", "helpfulness"'.encode()
                row = b'"response": "r", ' + prompt
                file.write(line.replace(b"ROW", row).replace(b"PROMPT", prompt) + b"\n")
        self.schemas = {}
        for name, verdict in VERDICTS.items():
            self.schemas[name] = put(f"{name}.toml", [OWN.replace("{verdict}", verdict)])

    def parquet(self, path):
        import duckdb
        to = os.path.join(self.folder, "clean.parquet")
        duckdb.connect().execute(f"copy (from read_json('{path}', sample_size = -1)) to '{to}' (format parquet)")
        return to

    def put(self, name, lines, between=b"\n", end=b"\n"):
        path = os.path.join(self.folder, name)
        data = between.join(line.encode() for line in lines) + end
        with (gzip.open if name.endswith(".gz") else open)(path, "wb") as file:
            file.write(data)
        return path


def rated_late(rng):
    """Small rows. Late ones have other types, after those that an engine samples."""
    lines = []
    for number in range(25_000):
        row = {"prompt": f"p{number // 2}", "response": f"r{number}"}
        row |= {label: (number * 7 + place) % 5 for place, label in enumerate(LABELS)}
        if number > 22_000 and number % 3 == 0:
            row["helpfulness"] = rng.choice([1.5, "2", None, 3.0, "x"])
        if number > 23_000 and number % 5 == 0:
            row["new_field"] = {"of": "late rows"}
        lines.append(json.dumps(row))
    return lines


RATED = """

helpfulness>=3
helpfulness>=3 verbosity<=1
helpfulness<3
helpfulness=2
helpfulness!=2
not helpfulness!=2
-helpfulness>=3
-(helpfulness>=3 verbosity<=1)
helpfulness=none
helpfulness!=none
helpfulness:2..3
correctness:..1
correctness:3..
helpfulness in (0, 4)
-helpfulness in (0, 4)
helpfulness>=3 or verbosity=0
(helpfulness=4 or correctness=4) coherence<3
helpfulness=3 not (verbosity=2 or complexity=1)
a.helpfulness>=3
b.helpfulness>=3
not b.helpfulness>=3
any.helpfulness=4
both.helpfulness>=3
all.helpfulness>=3
any.helpfulness=none
both.helpfulness=none
any.helpfulness > any.correctness
both.helpfulness >= both.correctness
helpfulness > any.correctness
winner.helpfulness=4
loser.helpfulness=0
winner.correctness < loser.correctness
min.helpfulness=0
max.helpfulness<=2
mean.helpfulness>2.5
mean.helpfulness=none
gap.helpfulness>=2
gap.helpfulness=none
margin.helpfulness>0
margin.correctness<=-2
a.correctness > a.helpfulness
(a.len + b.len)/2 > 100
a.len - b.len > 50
len * 2 < 30
len < 50000 * 50000
abs(margin)>=2
-helpfulness < -2
helpfulness / verbosity >= 2
helpfulness / verbosity = none
len.response>100
len<2
len.prompt>60
len.prompt:20..40
len.prompt=none
turns>=3
turns=1
turns=none
lines.response>3
lines.response=0
lines.response=1
row=17
row<5
b.row>200
min.row>200
sample=9
sample>100
margin<0
margin=none
verdict=a
verdict=b
verdict in (a, tie)
verdict!=tie
verdict=none
file:clean
file:CLEAN
file!=z.jsonl
file=none
is:tie
-is:tie
is:single
is:malformed
-is:malformed
is:multiturn
-is:multiturn
response:/colou?r/
response:/Sorry/
-response:/Sorry/
a.response:/^Sorry/
b.response:/^$/
any.response:/[0-9]{2,}/
both.response:/colou?r/
winner.response:/\\w+ing/
loser.response:/É|ß/
response:/(?m)^- /
response:/(?m)colour$/
response:/\\d+ \\S+/
response:/it's "quoted" \\\\/
response:/.{35}/
response:/(?-u:\\b)no(?-u:\\b)/
response:/漢|👨/
prompt:/c#/
prompt:/^Hello/
prompt:/user/
prompt:/^$/
-prompt:/sort list/
prompt:/color/ response:/colour/
/colour/ -is:malformed
helpfulness>=3 response:/Sorry/
sort:-helpfulness
sort:helpfulness
sort:-gap.helpfulness sort:len.prompt
helpfulness>=2 sort:-len
helpfulness>=2 sort:len
sort:verdict
sort:-verdict sort:-margin
sort:file sort:-row
sort:(a.len - b.len)
"""

PREFERENCE = """

margin>0
margin=none
margin in (1, -3)
verdict=b
verdict=none
is:tie
best:a
best:b verdict!=tie
is:several
is:contested
-is:contested
votes>=3
votes=none
votes.excluded>0
votes.for>=2
a.votes.for=0
winner.votes.for < loser.votes.for
both.votes.for>0
split=train
split=Train
split!=val
split=none
split:tr
a.len > b.len
winner.len < loser.len
gap.len>100
len.prompt>40
turns>1
response:/Sorry/
b.response:/colour/
both.response:/\\n/
is:malformed
-is:malformed
is:single
row=3
b.row=3
sort:-margin
sort:votes sort:-len
"""

WEBGPT = """

score>0
a.score>0.2
score=none
gap.score>=1
margin.score<0
margin<0
verdict=a
verdict=tie
is:tie
quotes=0
quotes>=2
b.quotes=0
any.quotes=1
quote:/colour/
a.quote:/extract é/
title:/python/
-title:/Python/
both.title:/wiki/
winner.quotes > loser.quotes
dataset=eli5
dataset=ELI5
dataset!=eli5
dataset=none
dataset:arc
id=q7
len<5
lines.response>2
len.prompt>30
turns=1
is:multiturn
is:malformed
prompt:/asked\\?\\n\\n$/
/wikipedia/ -is:malformed
/sorry/ -is:malformed
sort:-score
sort:dataset
"""

OWN_QUERIES = """
verdict=a
verdict=b
verdict=tie
verdict=none
margin>0
margin=none
margin<=-1
winner.len > loser.len
score>1
score=none
odd_name=1
odd_name=none
place=1
the_kind=x
the_kind="it's"
the_kind:\\\\
sort:margin
"""

LATE = """

helpfulness>=3
helpfulness=none
helpfulness=1
helpfulness=2 sample>11000
b.helpfulness=2
is:tie
row>24990
sort:-helpfulness
"""

FOUND = """
model=m1
model=M1
a.model=m2
b.model!=m1
both.model=m1
-model=none
winner.model=m1
b.model=m2 helpfulness>2
model:m
ok=true
a.ok=false
seconds>4
b.seconds=none
gap.seconds>2
max.seconds>8
meta.day>=2024-06
"/meta/a b"=3
sort:-max.seconds
"""

# What is refused, with a part of the reason; the dialects where it is.
BOTH = ["duckdb", "spark"]
REFUSED = [
    ("python", "rated", "phrase", BOTH),
    ('response:"a phrase"', "rated", "phrase", BOTH),
    ("response:/\\bno\\b/", "rated", "(?-u:", ["duckdb"]),
    ("line=3", "rated", "blank lines", ["duckdb"]),
    ("is:duplicate", "rated", "compares all texts", BOTH),
    ("is:flagged", "rated", "leniently", BOTH),
    ("is:relabelled", "rated", "compares", BOTH),
    ("is:marked", "rated", "journal", BOTH),
    ("is:rated", "rated", "journal", BOTH),
    ("has:note", "rated", "journal", BOTH),
    ("tag=x", "rated", "journal", BOTH),
    ("note:x", "rated", "journal", BOTH),
    ("check:any", "rated", "journal", BOTH),
    ("rated.helpfulness>1", "rated", "journal", BOTH),
    ("mine.helpfulness>1", "rated", "journal", BOTH),
    ("disagrees:dataset", "rated", "journal", BOTH),
    ("has:code", "rated", "Markdown", BOTH),
    ("has:hidden", "rated", "do not show", BOTH),
    ("lists.response>1", "rated", "Markdown", BOTH),
    ("same.prefix>3", "rated", "counted in texts", BOTH),
    ("overlap=near", "rated", "compares", BOTH),
    ("findings>0", "rated", "findings", BOTH),
    ("finding:empty-but-wins", "rated", "findings", BOTH),
    ("sort:random(7)", "rated", "shuffle", BOTH),
    ("helpfullness>3", "rated", "helpfulness", BOTH),
    ("nothing>3", "rated", "query", BOTH),
    ("cite:dangling", "flat", "citations", BOTH),
    ("words=x", "fields", "lists", BOTH),
    ("rationale:/x/", "preference", "written about", BOTH),
]


class Program:
    """visavis, in a home of its own."""

    def __init__(self, path, home):
        self.path = path
        self.environment = {"PATH": os.environ["PATH"], "HOME": home}
        for name in ["CONFIG", "DATA", "STATE", "CACHE"]:
            self.environment[f"XDG_{name}_HOME"] = os.path.join(home, name.lower())

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, env=self.environment, stdin=subprocess.DEVNULL)

    def output(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise RuntimeError(f"{arguments}: {done.stderr.decode()}")
        return done.stdout.decode()

    def samples(self, query, files, options):
        """The samples that it finds, in order: number, file, the rows of their responses and their lines."""
        table = csv.DictReader(io.StringIO(self.output("export", query, *files, "--format", "csv", *options), newline=""))
        samples = {}
        for row in table:
            file, rows = samples.setdefault(int(row["sample"]), (row["file"], {}))
            rows[int(row["row"])] = int(row["line"])
        return [(number, file, [*rows], [*rows.values()]) for number, (file, rows) in samples.items()]


class DuckDb:
    name = "duckdb"

    def __init__(self):
        import duckdb
        self.connection = duckdb.connect()

    def run(self, statement):
        """The columns of the result, and its rows."""
        result = self.connection.execute(statement)
        return [column[0] for column in result.description], result.fetchall()

    def write(self, statement):
        self.connection.execute(statement)


class Spark:
    name = "spark"

    def __init__(self):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        from pyspark.sql import SparkSession
        settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "3", "spark.default.parallelism": "2",
                    "spark.sql.files.maxPartitionBytes": "20000", "spark.driver.memory": "2g",
                    "spark.sql.files.openCostInBytes": "1000", "spark.log.level": "ERROR",
                    "spark.ui.showConsoleProgress": "false",
                    # Compiling takes longer than these few rows do.
                    "spark.sql.codegen.wholeStage": "false", "spark.sql.adaptive.enabled": "false"}
        builder = SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.session = builder.getOrCreate()

    def write(self, program):
        exec(compile(program, "visavis sql", "exec"), {})

    def run(self, program):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "visavis sql", "exec"), {})
        lines = [line.split("\t") for line in printed.getvalue().splitlines()]
        if len(lines) == 1 and len(lines[0]) == 1:
            return ["samples"], [(int(lines[0][0]),)]
        value = lambda text: int(text) if text.isdigit() else (None if text == "None" else text)  # noqa: E731
        return lines[0], [tuple(value(text) for text in line) for line in lines[1:]]


def samples_of(result):
    """Samples as an engine gives them; without lines, where it does not know them."""
    columns, rows = result
    samples = []
    for row in rows:
        row = dict(zip(columns, row))
        both = lambda of: [row[name] for name in (f"a_{of}", f"b_{of}") if row.get(name) is not None]  # noqa: E731
        samples.append((row["sample"], row["file"], both("row"), both("line")))
    return samples


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--only", default="", help="queries with this in them")
    arguments.add_argument("--engine", choices=["duckdb", "spark"])
    asked = arguments.parse_args()
    engines = [engine for engine in BOTH if asked.engine in (None, engine)]
    with tempfile.TemporaryDirectory() as folder:
        program = Program(os.path.abspath(asked.program), os.path.join(folder, "home"))
        return check(program, Files(folder, random.Random(7)), engines, asked)


def questions(files):
    """Queries with the files that they are asked of, options, and the engines that are asked."""
    lines = lambda text: text.strip("\n").split("\n")  # noqa: E731
    for query in lines(RATED):
        for name, paths in files.rated.items():
            if name == "parquet" and query not in ("helpfulness>=3 verbosity<=1", "response:/colou?r/", "sort:-helpfulness", "-is:tie"):
                continue
            if name != "late types":
                yield query, name, paths, [], BOTH
    for query in lines(LATE):
        yield query, "late types", files.rated["late types"], [], BOTH
    for query in ["line=17", "a.line>100 b.line<200", "response:/\\bno\\b/", "/this is no JSON/", "/colour/"]:
        yield query, "several", files.rated["several"], [], ["spark"]
    for queries, sets in [(FOUND, files.found), (PREFERENCE, files.preference), (WEBGPT, files.flat), (WEBGPT, files.raw)]:
        for query in lines(queries):
            for name, paths in sets.items():
                yield query, name, paths, [], BOTH
    for name, schema in files.schemas.items():
        for place, query in enumerate(lines(OWN_QUERIES)):
            # What does not ask who wins is the same for all of them.
            if place < 8 or name in ("fixed", "none"):
                yield query, f"own: {name}", [files.own], ["--schema", schema], BOTH


# The engines of a process that asks them.
ENGINES = []


def start(engines):
    ENGINES.extend(engine() for engine in [DuckDb, Spark] if engine.name in engines)


def ask(program, question):
    """What visavis finds, how many it counts, and by its statements what the engines do."""
    query, _, paths, options, dialects = question
    found = {}
    for engine in ENGINES:
        if engine.name in dialects:
            found[engine.name] = answer(engine, program.run("sql", query, "--dialect", engine.name, *options, *paths))
    try:
        return program.samples(query, paths, options), int(program.output("count", query, *paths, *options)), found
    except RuntimeError as error:
        return error, None, found


def answer(engine, said):
    """The samples that an engine finds by a statement, or a word in their place and what was wrong."""
    if said.returncode != 0:
        return "refused", said.stderr.decode().strip()
    try:
        return samples_of(engine.run(said.stdout.decode())), None
    except Exception as error:  # Whatever an engine says of a statement is a difference.
        return "error", str(error)[:600]


def check(program, files, engines, options):
    asked = [question for question in questions(files) if options.only in question[0]]
    begun = time.monotonic()
    # An engine plans longer than it reads, and by one thread.
    # Where an engine does not start, or one of the two ends, this ends with an error: a pool of
    # multiprocessing would start others for ever.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context, initializer=start, initargs=(engines,)) as pool:
        answers = pool.map(ask, itertools.repeat(program), asked, chunksize=4)
        others = [pool.submit(other, program, files) for other in (counts, odd_lines, draws)]
        answers, wrong = list(answers), [line for other in others for line in other.result()]
    took = time.monotonic() - begun
    table, runs = {}, dict.fromkeys(engines, 0)
    for (query, name, *_), (expected, count, found_by) in zip(asked, answers):
        if isinstance(expected, RuntimeError):
            wrong.append(str(expected))
            continue
        cells = [str(count)]
        if count != len(expected):
            wrong.append(f"{query} in {name}: visavis counts {count} and exports {len(expected)}")
        for engine in engines:
            if engine not in found_by:
                cells.append("")
                continue
            found, why = found_by[engine]
            if why is not None:
                wrong.append(f"{query} in {name} by {engine}: {why}")
                cells.append(found)
                continue
            runs[engine] += 1
            cells.append(str(len(found)))
            # A statement for DuckDB knows no lines.
            known = expected if engine == "spark" else [(*sample[:3], []) for sample in expected]
            if found != known:
                missing = [sample for sample in known if sample not in found][:4]
                more = [sample for sample in found if sample not in known][:4]
                wrong.append(f"{query} in {name} by {engine}: {len(found)} for {len(expected)}; lacks {missing}, has {more}"
                             + ("" if missing or more else "; in another order"))
        table.setdefault(query, {})[name] = cells
    wrong += refusals(program, files)
    names = list(dict.fromkeys(name for row in table.values() for name in row))
    head = "/".join(["visavis", *engines])
    print(f"Samples found by {head}:")
    for query, row in table.items():
        cells = [f"{name} {'/'.join(row[name])}" for name in names if name in row]
        print(f"  {query or '(all)':44} {' · '.join(cells)}")
    told = ", ".join(f"{count} statements by {engine}" for engine, count in runs.items())
    print(f"{told}, in {took:.0f} s")
    for line in wrong:
        print(f"wrong: {line}", file=sys.stderr)
    if not wrong:
        print("no difference")
    return 1 if wrong else 0


def counts(program, files):
    """Statements that count instead of listing."""
    wrong = []
    asked = [("helpfulness>=3 verbosity<=1", files.rated["several"]), ("-is:malformed", files.raw["webgpt raw"])]
    for query, paths in asked:
        expected = int(program.output("count", query, *paths))
        for engine in ENGINES:
            found = engine.run(program.output("sql", query, "--count", "--dialect", engine.name, *paths))
            if found != (["samples"], [(expected,)]):
                wrong.append(f"{query} --count by {engine.name}: {found} for {expected}")
    return wrong


def odd_lines(program, files):
    """Which lines are malformed to whom: what statements remark has to be so."""
    options, wrong = ["--schema", "helpsteer2"], []
    found = {"visavis": program.samples("is:malformed", [files.odd], options)}
    for engine in ENGINES:
        found[engine.name] = samples_of(engine.run(
            program.output("sql", "is:malformed", "--dialect", engine.name, *options, files.odd)))
    for name, samples in found.items():
        malformed = {row for sample in samples for row in sample[2]}
        for number, (line, by) in enumerate(ODD_LINES):
            if (41 + number in malformed) != (name in by.split()):
                wrong.append(f"{line}: {name} {'takes it for malformed' if 41 + number in malformed else 'reads it'}")
    return wrong


def draws(program, files):
    """Rows of samples that are drawn: those of the least hashes, as they stand in the files."""
    wrong = []
    asked = [
        ("helpfulness>=3", files.rated["several"], 25), ("score!=none", files.raw["webgpt raw"], 10),
        ("", files.preference["preference"], 10_000),
    ]
    for query, paths, number in asked:
        lines = {}
        for path in paths:
            with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
                lines[path] = [line.strip() for line in file.read().split(b"\n")]
        found = program.samples(f"({query}) -is:malformed" if query else "-is:malformed", paths, [])
        hashed = lambda sample: hashlib.md5(f"7:{sample[1]}:{sample[2][0]}".encode()).hexdigest()  # noqa: E731
        drawn = sorted(sorted(found, key=hashed)[:number])
        expected = b"".join(lines[sample[1]][line - 1] + b"\n" for sample in drawn for line in sample[3])
        for engine in ENGINES:
            to = os.path.join(files.folder, f"drawn {engine.name}.jsonl")
            options = ["--sample", str(number), "--seed", "7", "--to", to]
            engine.write(program.output("sql", query, "--dialect", engine.name, *options, *paths))
            with open(to, "rb") as file:
                if file.read() != expected:
                    wrong.append(f"{query} drawn by {engine.name}: other rows than {len(drawn)} samples have")
    return wrong


def refusals(program, files):
    """What cannot be said is refused with exit code 2 and the reason, and nothing is printed."""
    sets = {"rated": files.rated["clean"], "flat": files.flat["webgpt flat"], "preference": files.preference["preference"], "fields": files.found["fields"]}
    asked = [(query, sets[name], [], reason, dialects) for query, name, reason, dialects in REFUSED]
    messages = files.put("messages.jsonl", [json.dumps({
        "prompt": "x", "chosen": [{"role": "assistant", "content": "y"}], "rejected": [{"role": "assistant", "content": "z"}]})])
    table = files.put("table.csv", ["prompt,chosen,rejected", "a,b,c"])
    both = files.rated["clean"] + files.flat["webgpt flat"]
    groups = files.put("groups.jsonl", [json.dumps({
        "interaction_id": 1, "user_prompt": "q", "model_response": "r", "score": 3, "if_chosen": True})])
    asked += [
        ("", both, [], "several schemas", BOTH),
        ("", [table], [], "table", BOTH),
        ("", [groups], ["--schema", "prism"], "prism", BOTH),
        ("", files.rated["clean"], ["--with", files.rated["clean"][0]], "--with", BOTH),
    ]
    wrong = []
    for query, paths, options, reason, dialects in asked:
        for dialect in dialects:
            done = program.run("sql", query, "--dialect", dialect, *options, *paths)
            said = done.stderr.decode()
            if done.returncode != 2 or done.stdout or reason not in said:
                wrong.append(f"{query!r} {options} is not refused for {dialect}: {done.returncode} {said!r}")
    # What is only seen in rows: the engine refuses it itself.
    done = program.run("sql", "len>0", messages)
    if done.returncode == 0:
        import duckdb
        try:
            duckdb.connect().execute(done.stdout.decode()).fetchall()
            wrong.append("messages are taken for texts")
        except duckdb.Error as error:
            if "holds messages" not in str(error):
                wrong.append(f"messages: {error}")
    elif done.returncode != 2:
        wrong.append(f"messages: {done.stderr.decode()}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
