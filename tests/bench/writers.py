"""How long writers wait for visavis, and whether what it counts meanwhile is right.

    cargo build --release
    python3 tests/bench/writers.py target/release/visavis [--sessions 500] [--rows 200000]
    python3 tests/bench/writers.py target/release/visavis --table [--sessions 50]

While `visavis count` runs again and again on a file, with two fast queries or four slow ones, another process opens that file
for writing, truncates and rewrites it. Prints how often a number came out, and how long it took to open the file. Exits with 1
after a panic, a signal, an unexpected status, or a number that no version of the file has. With --table, measures that for queries of different cost on lines of different lengths.
"""

import argparse
import collections
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROW = '{{"prompt": "question {0:07} {1}", "a": "an answer {1} é {0:07}{2}", "b": "no {0:07}"}}\n'


def version(rows, word, length):
    """Rows whose first response has this word, and as often as `length` says some more words."""
    return "".join(ROW.format(number, word, " some words of it" * length) for number in range(rows)).encode()


def write(path, content):
    """Opens a file for writing, which a lease delays, and writes this; gives the seconds that opening took."""
    start = time.perf_counter()
    descriptor = os.open(path, os.O_WRONLY)
    waited = time.perf_counter() - start
    os.pwrite(descriptor, content, 0)
    os.ftruncate(descriptor, len(content))
    os.close(descriptor)
    return waited


# Two that are fast, and four that take seconds for a line of some megabytes.
QUERIES = [
    "alpha",
    r"/answer \w+ \d+/",
    r"/(?:\w+\s){1,60}q/",
    r"/(?:[\w-]+\s){5,60}\?/",
    r"/(?:\w+\s\w+\s){1,40}%/",
    r"/(?:\w+\s){2,55}\d/",
]
LINES = {"1 KB": (1 << 10, 8192), "64 KB": (64 << 10, 128), "4 MB": (4 << 20, 2)}


def table(visavis, openings):
    """Prints how long writers wait for a running query: once per run, at a random moment."""
    chance = random.Random(1)
    words = "some words of an answer which is long "
    print("| query | line | of | openings | wait: median | longest |\n|---|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.jsonl")
        for at, query in enumerate(QUERIES):
            for size, (length, rows) in LINES.items():
                is_fast = at < 2
                rows *= 16 if is_fast else 1
                text = (words * (length // len(words)))[: length - 60]
                content = "".join('{"prompt": "question %07d", "a": "%s", "b": "no"}\n' % (row, text) for row in range(rows)).encode()
                with open(path, "wb") as file:
                    file.write(content)
                command = [visavis, "count", query, path, "--map", "prompt=prompt,a=a,b=b"]
                waits = []
                while len(waits) < openings:
                    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    while process.poll() is None and not has_lease(process.pid):
                        pass
                    time.sleep(chance.random() * (0.01 if is_fast else 0.1))
                    # Fast queries may have ended by now.
                    if has_lease(process.pid):
                        waits.append(write(path, content))
                    try:
                        process.wait(timeout=0.3)
                    except subprocess.TimeoutExpired:
                        process.kill()  # The query goes on, on its own bytes.
                        process.wait()
                    if process.returncode not in (0, 1, 3, -signal.SIGKILL):
                        sys.exit(f"{query}: exit status {process.returncode}")
                median, longest = statistics.median(waits) * 1e3, max(waits) * 1e3
                print(f"| `{query}` | {size} | {len(content) >> 10} KB | {openings} | {median:.2f} ms | {longest:.1f} ms |", flush=True)


def has_lease(process):
    """Whether a process holds a lease now."""
    with open("/proc/locks") as locks:
        return any("LEASE" in lock and f" {process} " in lock for lock in locks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("visavis")
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        return table(arguments.visavis, arguments.sessions)
    waits, outcomes, chance = [], collections.Counter(), random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.jsonl")
        for session in range(arguments.sessions):
            query = chance.choice(QUERIES)
            is_slow = QUERIES.index(query) >= 2
            # A slow query on some long lines takes seconds as well.
            full, other = (version(100 if is_slow else arguments.rows, word, 500 if is_slow else 1) for word in ("alpha", "gamma"))
            versions = [full, other, full[: len(full) // 2], b"\n"]
            with open(path, "wb") as file:
                file.write(full)
            command = [arguments.visavis, "count", query, path, "--map", "prompt=prompt,a=a,b=b"]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # Anywhere in a run, and now and then not at all.
            time.sleep(chance.random() * (0.5 if is_slow else 0.05))
            if session % 5:
                waits.append(write(path, chance.choice(versions)))
            is_killed = False
            try:
                said, complained = (text.decode() for text in process.communicate(timeout=1 if is_slow else None))
            except subprocess.TimeoutExpired:
                # The query goes on, on its own bytes.
                process.kill()
                is_killed = True
                said, complained = (text.decode() for text in process.communicate())
            code = process.returncode
            is_changed = code == 3 and "after it was opened" in complained
            outcomes["still running" if is_killed else "file changed" if is_changed else "number" if code == 0 else f"exit status {code}"] += 1
            counts = {content.count(b"alpha \xc3\xa9") for content in versions}
            is_wrong = query == "alpha" and code == 0 and int(said) not in counts
            if "panicked" in complained or not (is_killed or is_changed or code in (0, 1)) or is_wrong:
                sys.exit(f"session {session}, {query}: status {code}: {said}{complained}")
    if not outcomes["number"]:
        sys.exit("no session counted anything")
    print(f"{arguments.sessions} sessions: {dict(outcomes)}")
    print(f"opened for writing {len(waits)} times: {statistics.median(waits) * 1e3:.2f} ms (median), {max(waits) * 1e3:.1f} ms (longest)")


if __name__ == "__main__":
    main()
