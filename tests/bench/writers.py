"""How long writers wait for visavis, and whether what it counts meanwhile is right.

    cargo build --release
    python3 tests/bench/writers.py target/release/visavis [--sessions 500] [--rows 200000]

While `visavis count` runs again and again on a file, another process opens that file for writing, truncates and rewrites it.
Prints how often a number came out, and how long it took to open the file. Exits with 1 after a panic, a signal, or a number
that no version of the file has.
"""

import argparse
import collections
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROW = '{{"prompt": "question {0:07} {1}", "a": "an answer {1} é {0:07}", "b": "no {0:07}"}}\n'


def version(rows, word):
    return "".join(ROW.format(number, word) for number in range(rows)).encode()


def write(path, content):
    """Opens a file for writing, which a lease delays, and writes this; gives the seconds that opening took."""
    start = time.perf_counter()
    descriptor = os.open(path, os.O_WRONLY)
    waited = time.perf_counter() - start
    os.pwrite(descriptor, content, 0)
    os.ftruncate(descriptor, len(content))
    os.close(descriptor)
    return waited


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("visavis")
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--rows", type=int, default=200_000)
    arguments = parser.parse_args()
    full, other = version(arguments.rows, "alpha"), version(arguments.rows, "gamma")
    versions = [full, other, full[: len(full) // 2], b"\n"]
    counts = {content.count(b"alpha \xc3\xa9") for content in versions}
    waits, outcomes, chance = [], collections.Counter(), random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.jsonl")
        with open(path, "wb") as file:
            file.write(full)
        command = [arguments.visavis, "count", "alpha", path, "--map", "prompt=prompt,a=a,b=b"]
        for session in range(arguments.sessions):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # Anywhere in a run, and now and then not at all.
            time.sleep(chance.random() * 0.05)
            if session % 5:
                waits.append(write(path, chance.choice(versions)))
            said, complained = (text.decode() for text in process.communicate())
            code = process.returncode
            outcomes["number" if code == 0 else f"exit status {code}"] += 1
            if "panicked" in complained or code not in (0, 1) or (code == 0 and int(said) not in counts):
                sys.exit(f"session {session}: status {code}: {said}{complained}")
            if session % 5 == 4:
                write(path, full)
    if not outcomes["number"]:
        sys.exit("no session counted anything")
    print(f"{arguments.sessions} sessions: {dict(outcomes)}")
    print(f"opened for writing {len(waits)} times: {statistics.median(waits) * 1e3:.2f} ms (median), {max(waits) * 1e3:.1f} ms (longest)")


if __name__ == "__main__":
    main()
