"""Whole-process times of visavis beside the programs that people would use instead, in turns, in one run.

    cargo build --release
    python3 tests/bench/peers.py target/release/visavis --rg rg --qj qj --hs train.jsonl --hs million.jsonl \\
        --webgpt webgpt.jsonl --webgpt webgpt_raw.jsonl [--runs 7] [--cold] [--beside 'cargo build'] [--only ROW]

Files are as HelpSteer2 (--hs) and WebGPT comparisons (--webgpt) are downloaded. Prints for each row of work the median
seconds, the user and system seconds and the greatest resident and anonymous memory of each program, and the ratios of
seconds and of CPU time to each peer, beside the bounds of the row. What is not installed is left out and said. Compressed copies are made in a
temporary folder. --cold drops the page cache before each run, which needs root. --beside keeps a command running
meanwhile. Exits with 1 where two programs that must count the same do not, or where a program fails.
"""

import argparse
import collections
import importlib.util
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

LABELS = "helpfulness>=3 verbosity<=1"
LABELS_BY_QJ = "select(.helpfulness>=3 and .verbosity<=1) | .helpfulness"
LABELS_BY_RG = r'"helpfulness": [34],.*"verbosity": [01]\}'
# Words of the generated texts: the first is in a third of the rows, the second nowhere, and has an `e`, to which much folds.
PHRASE, NOWHERE = "python", "perenniale"

Run = collections.namedtuple("Run", "seconds user system resident anonymous output")


class Row:
    """One kind of work on one file: the commands (visavis first), and the largest ratio of its time to that of the second."""

    def __init__(self, name, path, bound, commands, same=True):
        self.name, self.path, self.bound, self.commands, self.same = name, path, bound, commands, same


def follow(pid, ended, peaks):
    """Notes the greatest resident and anonymous memory of a process, in bytes, until it has ended."""
    while not ended.is_set():
        try:
            with open(f"/proc/{pid}/status") as status:
                said = dict(line.split(":", 1) for line in status)
        except OSError:
            return
        for place, name in enumerate(["VmHWM", "RssAnon"]):
            if name in said:
                peaks[place] = max(peaks[place], int(said[name].split()[0]) * 1024)
        time.sleep(0.004)


def run(command, watch=False):
    """Runs a command to its end; memory is known only where it is watched."""
    ended, peaks = threading.Event(), [0, 0]
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE)
        if watch:
            threading.Thread(target=follow, args=(process.pid, ended, peaks), daemon=True).start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        ended.set()
        process.returncode = os.waitstatus_to_exitcode(status)
        # grep and its like end with 1 where nothing was found.
        if process.returncode not in (0, 1):
            sys.exit(f"{shlex.join(command)} failed: {process.stderr.read().decode()}")
        process.stderr.close()
        output.seek(0)
        said = output.read().decode().split()
    # A program that prints no number prints a line for each row.
    number = said[0] if len(said) in (1, 2) else str(len(said))
    return Run(seconds, usage.ru_utime, usage.ru_stime, *peaks, number)


def duckdb(query):
    """A DuckDB process that prints one number."""
    code = f"import duckdb; c = duckdb.connect(); c.execute('set threads = 2'); c.execute('set enable_progress_bar = false'); print(c.execute({query!r}).fetchone()[0])"
    return [sys.executable, "-c", code]


def typed(path):
    columns = "{helpfulness: 'INT', verbosity: 'INT'}"
    return f"select count(*) from read_json('{path}', format = 'newline_delimited', columns = {columns}) where helpfulness >= 3 and verbosity <= 1"


def rows(arguments, scratch):
    visavis, rg, qj = arguments.visavis, shutil.which(arguments.rg), shutil.which(arguments.qj)
    has_duckdb = importlib.util.find_spec("duckdb") is not None
    for name, there in [("rg", rg), ("qj", qj), ("duckdb", has_duckdb), ("gzip", shutil.which("gzip")), ("zstd", shutil.which("zstd"))]:
        if not there:
            print(f"{name} is not installed: its rows are left out")

    def count(query, path):
        return [visavis, "count", "--rows", query, path]

    def beside(commands):
        """Those that can be run here."""
        return {name: command for name, command in commands.items() if command and command[0]}

    def held(path, few, many):
        """The bound of a file of some ten thousand rows, or of a million."""
        return few if os.path.getsize(path) < 500e6 else many

    for path in arguments.hs:
        lines = {"visavis": count("", path), "wc -l": ["wc", "-l", path]}
        yield Row("load", path, held(path, "CPU 1.8", "1.0"), lines)
        duck = duckdb(typed(path)) if has_duckdb else None
        labels = {"visavis": count(LABELS, path), "rg": [rg, "-c", LABELS_BY_RG, path], "duckdb": duck, "qj": qj and [qj, "-c", LABELS_BY_QJ, path]}
        yield Row("labels", path, held(path, "CPU 1.5", "1.1, 0.4, CPU 0.45"), beside(labels))
        regex = {"visavis": count("response:/[0-9]{4}/", path), "rg": [rg, "-c", "[0-9]{4}", path]}
        yield Row("regex", path, "1.1", beside(regex), same=False)
        words = "(error|warning|panic)"
        alternation = {"visavis": count(f"/{words}/", path), "rg -i": [rg, "-ic", words, path]}
        yield Row("alternation", path, "1.2", beside(alternation), same=False)
        for name, phrase in [("phrase", PHRASE), ("phrase nowhere", NOWHERE)]:
            commands = {"visavis": count(f'"{phrase}"', path), "rg -i": [rg, "-ic", phrase, path], "grep -i": ["grep", "-ic", phrase, path]}
            yield Row(name, path, "2.3, 1.0", beside(commands), same=False)
        yield from packed(arguments, path, scratch, count, has_duckdb)
    for path in arguments.webgpt:
        samples = [visavis, "count", "", path]
        yield Row("webgpt load", path, "CPU 1.8", {"visavis": samples, "wc -l": ["wc", "-l", path]})
        words = "(error|warning|panic)"
        regex = {"visavis": count(f"/{words}/", path), "rg -i": [rg, "-ic", words, path]}
        yield Row("webgpt regex", path, "CPU 2.2", beside(regex), same=False)


def packed(arguments, path, scratch, count, has_duckdb):
    """Rows about compressed copies of a file."""
    for tool, ending in [("gzip", ".gz"), ("zstd", ".zst")]:
        if not shutil.which(tool) or not arguments.wants(tool):
            continue
        copy = os.path.join(scratch, os.path.basename(path) + ending)
        with open(copy, "wb") as out:
            subprocess.run([tool, "-c", path], stdout=out, check=True)
        piped = ["sh", "-c", f"{tool} -dc {shlex.quote(copy)} | wc -l"]
        yield Row(tool, path, "1.1", {"visavis": count("", copy), f"{tool} -dc | wc -l": piped})
        os.remove(copy)
    if has_duckdb and arguments.wants("parquet"):
        import duckdb as module

        copy = os.path.join(scratch, os.path.basename(path) + ".parquet")
        module.execute(f"copy (from read_json('{path}', format = 'newline_delimited')) to '{copy}' (compression zstd)")
        columns = "max(length(prompt) + length(response) + helpfulness + correctness + coherence + complexity + verbosity)"
        # What is not asked for is not read.
        reading = f"select n from (select count(*) as n, {columns} as greatest from '{copy}') where greatest > 0"
        yield Row("parquet", path, "1.0", {"visavis": count("", copy), "duckdb": duckdb(reading)})
        os.remove(copy)


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as caches:
        caches.write("3")


def measure(row, runs, cold):
    taken = {name: [] for name in row.commands}
    for turn in range(runs + 1):
        for name, command in row.commands.items():
            if cold:
                drop_caches()
            # Once more for the memory, since who watches takes time from who is watched.
            taken[name].append(run(command, watch=turn == runs))
    return taken


def told(row, taken):
    size = os.path.getsize(row.path) / 1e6
    own = taken["visavis"][:-1]
    median = statistics.median
    cells, counts = [], set()
    for name, all_runs in taken.items():
        runs = all_runs[:-1]
        seconds, user, system = (median(getattr(one, what) for one in runs) for what in Run._fields[:3])
        watched = all_runs[-1]
        memory = f"{watched.resident / 1e6:.0f}/{watched.anonymous / 1e6:.0f} MB"
        ratio, cpu = median(one.seconds for one in own) / seconds, median(one.user + one.system for one in own) / (user + system)
        ratio = "" if name == "visavis" else f", {ratio:.2f} x, CPU {cpu:.2f} x"
        cells.append(f"{name} {seconds * 1000:.0f} ms{ratio} ({user * 1000:.0f}+{system * 1000:.0f} ms CPU, {memory}; {all_runs[0].output})")
        counts.add(all_runs[0].output)
    print(f"{row.name}, {size:.0f} MB (bound {row.bound}): " + "; ".join(cells), flush=True)
    if row.same and len(counts) > 1:
        print(f"  counts differ: {', '.join(sorted(counts))}")
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("visavis")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--qj", default="qj")
    parser.add_argument("--hs", action="append", default=[], metavar="FILE")
    parser.add_argument("--webgpt", action="append", default=[], metavar="FILE")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--beside", metavar="COMMAND")
    parser.add_argument("--only", action="append", default=[], metavar="ROW")
    arguments = parser.parse_args()
    arguments.wants = lambda row: not arguments.only or row in arguments.only
    beside = subprocess.Popen(arguments.beside, shell=True, start_new_session=True) if arguments.beside else None
    agree = True
    try:
        with tempfile.TemporaryDirectory() as scratch:
            for row in rows(arguments, scratch):
                if arguments.wants(row.name) and len(row.commands) > 1:
                    agree &= told(row, measure(row, arguments.runs, arguments.cold))
    finally:
        if beside:
            os.killpg(beside.pid, 15)
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
